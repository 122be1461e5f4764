// Package naginagi is the level that learned what a mate looks like: a network that was shown
// nothing but the last two positions of random games, the one before the mating move and the one
// after it, values what is there after three plies.
//
// # Value
//
// The network (Net) sees where the pieces stand and what is in hand, but not what attacks what. In
// all it was shown, a piece beside the king is a mate, or a mate to come; so the level likes such
// pieces and gives check far more often than there is a point in it. That is its way to play, and
// is measured, not repaired: 'tsumero-lab train naginagi' prints how often it checks.
//
// Of 40 games against random moves it won 40; 9.1 % of its moves were checks, of the random ones
// 0.9 %. Of 2,000 pairs of positions that it was not trained on it tells 82.5 % apart. Trained with
// positions that are neither (--data pairs+quiet) it tells apart 84.0 %, puts a side that is mated
// below one in check in 75 % of the cases instead of 70 %, and won 24 of 24 games that took a third
// of the positions each, of its moves 19.5 % checks.
//
// # Search
//
// Alpha-beta to exactly three plies, all legal moves; no exchange is followed beyond, and nothing is
// remembered. That a side without a legal move has lost is looked for after each ply, before the
// network is asked, and a near mate is better than a distant one: mates in one and in three are
// found by the search, not by the network. Repetition and the limit of moves do not count, but
// perpetual check (see play.Limits.Allowed). The level
// resigns only when there is no legal move.
//
// # Soundness
//
// Bounds and the order of moves save work only: the value of the position is that of the plain
// search, and the move is the first, in the order of the generator, that has it.
package naginagi

import (
	"context"
	_ "embed"
	"sync"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/eval"
)

const depth = 3

// lost is the value of a side without a legal move, less a point for each ply it takes. It is more
// than any value of a Net.
const (
	lost     = -1 << 40
	infinite = 1 << 50
)

// file is what 'tsumero-lab train naginagi' writes.
//
//go:embed naginagi.bin
var file []byte

var builtIn = sync.OnceValue(func() *Net {
	n, err := ParseNet(file)
	if err != nil {
		panic(err) // it is part of the program, and a test reads it
	}
	return n
})

// BuiltIn returns the network of the level.
func BuiltIn() *Net { return builtIn() }

// An Engine plays the level. Its choice depends on the position alone.
type Engine struct{ s search }

// New returns an Engine with the given network, nil for the built-in one.
func New(net *Net) *Engine {
	if net == nil {
		net = BuiltIn()
	}
	return &Engine{search{net: net}}
}

// NewGame does nothing: there is nothing to forget.
func (e *Engine) NewGame() {}

// Search chooses the best of the legal moves, or of those in lim.Moves. It heeds nothing else in
// lim: the level is its depth. If ctx ends before all moves have a value, it chooses among those
// that have one.
func (e *Engine) Search(ctx context.Context, g *shogi.Game, lim play.Limits,
	report func(play.Info)) play.Choice {
	p := g.Position()
	e.s.nodes = 0
	m, value := e.s.root(ctx, &p, lim.Allowed(g, &e.s.moves[0]))
	if m == shogi.NoMove {
		return play.Choice{}
	}
	c := play.Choice{Move: m, Score: score(value), Line: []shogi.Move{m}, Depth: depth, Nodes: e.s.nodes}
	if report != nil {
		report(c.Info())
	}
	return c
}

// score turns a value into the words of package play.
func score(value int) play.Score {
	switch {
	case value >= -lost-depth:
		return play.MateIn(-lost - value)
	case value <= lost+depth:
		return play.MatedIn(value - lost)
	}
	const centipawns = 400 // for SumOne
	return play.Score(max(-10_000, min(10_000, value*centipawns/SumOne)))
}

// A search holds the moves of each ply and the sums of the first layer along the line. The side to
// move after the last ply is the only one whose view is asked for.
type search struct {
	net     *Net
	nodes   uint64
	view    shogi.Color
	sums    [depth + 1]sums
	moves   [depth]shogi.MoveBuffer
	replies [depth]shogi.Move // that refuted the last move of the ply before
}

// root returns the first of the best moves, and its value.
func (s *search) root(ctx context.Context, p *shogi.Position, moves []shogi.Move) (best shogi.Move, value int) {
	s.nodes++
	s.view = p.SideToMove() ^ depth&1
	s.replies = [depth]shogi.Move{}
	s.net.first.Refresh(s.sums[0][:], p, s.view)
	value = -infinite
	for _, m := range moves {
		if solver.Yield(); best != shogi.NoMove && ctx.Err() != nil {
			break
		}
		if v := s.try(p, m, 0, value, infinite); v > value {
			best, value = m, v
		}
	}
	return best, value
}

// try returns the value of m, the move after ply moves, to the side that plays it: exact if it lies
// between alpha and beta, else a bound beyond them.
func (s *search) try(p *shogi.Position, m shogi.Move, ply, alpha, beta int) int {
	c := eval.ChangeOf(p, m)
	s.net.first.Update(s.sums[ply+1][:], s.sums[ply][:], &c, s.view)
	u := p.Do(m)
	v := -s.value(p, ply+1, -beta, -alpha)
	p.Undo(m, u)
	return v
}

// value returns the value of p, after ply moves, to its side to move, in the same sense.
func (s *search) value(p *shogi.Position, ply, alpha, beta int) int {
	s.nodes++
	if ply == depth {
		if !hasMove(p) {
			return lost + ply
		}
		return s.net.value(&s.sums[ply])
	}
	moves := p.LegalMoves(&s.moves[ply], shogi.AllMoves)
	if len(moves) == 0 {
		return lost + ply
	}
	best := -infinite
	reply := s.replies[ply]
	for stage := range 3 { // what refuted the move before; captures; the rest
		for _, m := range moves {
			if stageOf(p, m, reply) != stage {
				continue
			}
			if best = max(best, s.try(p, m, ply, max(alpha, best), beta)); best >= beta {
				s.replies[ply] = m
				return best
			}
		}
	}
	return best
}

func stageOf(p *shogi.Position, m, reply shogi.Move) int {
	switch {
	case m == reply:
		return 0
	case !m.IsDrop() && p.Piece(m.To()) != shogi.NoPiece:
		return 1
	}
	return 2
}

// hasMove reports whether the side to move has a legal move.
func hasMove(p *shogi.Position) bool {
	switch {
	case p.InCheck():
		return p.HasEvasion()
	case p.Hand(p.SideToMove()).HasUnconfined():
		return true // there is always an empty square
	}
	return p.CountLegalMoves(shogi.AllMoves) > 0
}
