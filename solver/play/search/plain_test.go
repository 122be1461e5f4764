package search

import (
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// A Plain is the slow twin of an Engine: it searches every move to the full depth, prunes nothing but
// what alpha-beta proves to be irrelevant, asks no table and no solver of mates, and values positions
// as they stand at the end. The rules, the evaluation and the generator of moves are the Engine's.
type Plain struct{ s *searcher }

// NewPlain returns a Plain.
func NewPlain(o Options) *Plain { return &Plain{New(o).searchers[0]} }

// NewGame does nothing: there is nothing to forget.
func (e *Plain) NewGame() {}

// Search searches lim.Depth plies deep, and reports nothing.
func (e *Plain) Search(_ context.Context, g *shogi.Game, lim play.Limits, _ func(play.Info)) play.Choice {
	p := g.Position()
	if lim.Rules.IsPastLimit(p.Ply()) {
		lim.Rules.MaxMoves = 0 // somebody plays on
	}
	e.s.begin(g, lim.Rules, play.Limits{})
	c := play.Choice{Score: play.Score(e.s.plain(-infinite, infinite, lim.Depth, 0)), Nodes: e.s.nodes}
	f := &e.s.stack[0]
	if c.Line = slices.Clone(f.line[:f.length]); len(c.Line) > 0 {
		c.Move = c.Line[0]
	}
	return c
}

// plain returns the score of the current position, ply plies below the root, depth plies above the
// leaves: exactly if it lies between alpha and beta, else a bound.
func (s *searcher) plain(alpha, beta, depth, ply int) int {
	f := &s.stack[ply]
	f.length = 0
	if ply > 0 {
		if score, ok := s.settled(ply, f.inCheck); ok {
			return score
		}
	}
	if depth == 0 {
		if s.p.CountLegalMoves(shogi.UsefulMoves) == 0 {
			return matedAt(ply)
		}
		return s.value()
	}
	best := matedAt(ply)
	for i, m := range s.plainMoves(ply) {
		ci := s.p.CheckInfo()
		u := s.do(m, ply, s.p.GivesCheck(m, &ci))
		score := -s.plain(-beta, -alpha, depth-1, ply+1)
		s.undo(m, u)
		if i > 0 && score <= best {
			continue
		}
		best = score
		if score > alpha {
			s.setLine(ply, m)
			if alpha = score; score >= beta {
				break
			}
		}
	}
	return best
}

// plainMoves returns the moves that the search looks at: at the root all legal ones, below it what
// the picker has.
func (s *searcher) plainMoves(ply int) []shogi.Move {
	if ply == 0 {
		return s.p.LegalMoves(new(shogi.MoveBuffer), shogi.AllMoves)
	}
	k := &s.stack[ply].picker
	reply, reply2 := s.replies(ply)
	k.begin(shogi.NoMove, s.stack[ply].inCheck, false, reply, reply2)
	var moves []shogi.Move
	for m := k.pick(s, &s.p); m != shogi.NoMove; m = k.pick(s, &s.p) {
		moves = append(moves, m)
	}
	return moves
}
