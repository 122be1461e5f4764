package levels

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/play"
)

const (
	asayomiPlies = 3
	// lost is the value of a side without a legal move, less a point for each ply it takes. All
	// pieces together are worth 144.
	lost     = -1000
	infinite = 2000
)

// values are the pieces' values.
var values = [...]int{shogi.Pawn: 1, shogi.Lance: 3, shogi.Knight: 4, shogi.Silver: 5, shogi.Gold: 6,
	shogi.Bishop: 8, shogi.Rook: 10}

// asayomi is the level that looks three plies ahead (浅読み, a shallow reading) and counts
// pieces: full width, to exactly three plies, and among the moves of the best value any, each with
// the same chance.
//
// # Value
//
// A position is worth, to a side, the pieces it has less those of the other, on the board or in
// hand alike: pawn 1, lance 3, knight 4, silver 5, gold 6, bishop 8, rook 10. A promoted piece
// counts as what it was, so a promotion gains nothing, and a capture counts twice: what the other
// side has lost, and what the own hand has won. Positions are valued after three plies and nowhere
// before; no exchange is followed beyond.
//
// A side without a legal move has lost. That is looked for after one, two and three plies, and a
// near mate is better than a distant one, so the level mates when it can. Repetition and the limit
// of moves do not count, but perpetual check (see play.Limits.Allowed).
//
// # Soundness
//
// The search is alpha-beta with bounds that keep ties exact: a move at the root is refuted only if
// it is worse than the best so far, never if it is equal. Where a bound or the generator of
// captures saves work, the value is the one that making every move would give.
//
// # Choice
//
// It depends on the seed, the position and the number of moves played, and on nothing that was asked
// before.
type asayomi struct {
	seed  uint64
	nodes uint64
	moves [asayomiPlies]shogi.MoveBuffer
	best  []shogi.Move
}

// NewGame does nothing: there is nothing to forget.
func (s *asayomi) NewGame() {}

// Search chooses among the best of the legal moves, or of those in lim.Moves. It heeds nothing else
// in lim: the level is its depth. If ctx ends before all moves have a value, it chooses among those
// that have one.
func (s *asayomi) Search(ctx context.Context, g *shogi.Game, lim play.Limits,
	report func(play.Info)) play.Choice {
	p := g.Position()
	s.nodes = 0
	best, value := s.root(ctx, &p, lim.Allowed(g, &s.moves[0]))
	if len(best) == 0 {
		return play.Choice{}
	}
	m := best[newRand(s.seed, g).IntN(len(best))]
	c := play.Choice{Move: m, Score: score(value), Line: []shogi.Move{m}, Depth: asayomiPlies,
		Nodes: s.nodes}
	if report != nil {
		report(c.Info())
	}
	return c
}

// score turns a value into the words of package play: a pawn is a hundred.
func score(value int) play.Score {
	switch {
	case value >= -lost-asayomiPlies:
		return play.MateIn(-lost - value)
	case value <= lost+asayomiPlies:
		return play.MatedIn(value - lost)
	}
	return play.Score(100 * value)
}

// root returns all of the moves that have the best value, in their order, and that value: the
// difference of the pieces after three plies, as the side to move of p sees it. The slice is empty
// if there are no moves.
func (s *asayomi) root(ctx context.Context, p *shogi.Position,
	moves []shogi.Move) ([]shogi.Move, int) {
	s.nodes++
	s.best = s.best[:0]
	value, before := -infinite, difference(p)
	for _, m := range moves {
		if solver.Yield(); len(s.best) > 0 && ctx.Err() != nil {
			break
		}
		material := before + gain(p, m)
		u := p.Do(m)
		// Only what is worse than value may be cut, so that what equals it is exact.
		v := -s.reply(p, -material, -infinite, -(value - 1))
		p.Undo(m, u)
		switch {
		case v > value:
			value = v
			s.best = append(s.best[:0], m)
		case v == value:
			s.best = append(s.best, m)
		}
	}
	return s.best, value
}

// reply returns the value of a position after one ply, to its side to move: exact if it lies
// between alpha and beta, else a bound beyond them.
func (s *asayomi) reply(p *shogi.Position, material, alpha, beta int) int {
	s.nodes++
	moves := p.LegalMoves(&s.moves[1], shogi.AllMoves)
	if len(moves) == 0 {
		return lost + 1
	}
	best := -infinite
	// Captures first: they are the likeliest to refute.
	for _, captures := range [...]bool{true, false} {
		for _, m := range moves {
			g := gain(p, m)
			if g > 0 != captures {
				continue
			}
			u := p.Do(m)
			v := -s.last(p, -(material + g), -beta, -max(alpha, best))
			p.Undo(m, u)
			if best = max(best, v); best >= beta {
				return best
			}
		}
	}
	return best
}

// last returns the value of a position after two plies, to its side to move, whose best move is the
// last: exact if it lies between alpha and beta, else a bound beyond them.
func (s *asayomi) last(p *shogi.Position, material, alpha, beta int) int {
	s.nodes++
	us := p.SideToMove()
	quiet := !p.InCheck() && mobile(p, us, 1) // there is a move, which loses nothing at once
	if quiet && material >= beta {
		return material
	}
	best := -infinite
	if quiet {
		best = material
		for _, m := range p.Captures(&s.moves[2], shogi.UsefulMoves) {
			best = max(best, material+gain(p, m))
		}
	} else {
		moves := p.LegalMoves(&s.moves[2], shogi.AllMoves)
		if len(moves) == 0 {
			return lost + 2
		}
		for _, m := range moves {
			best = max(best, material+gain(p, m))
		}
	}
	const wins = -(lost + asayomiPlies)
	switch {
	case best >= beta:
	case mate1.Find(p) != shogi.NoMove:
		return wins
	case !mobile(p, us.Opponent(), enough) && s.takesLastMove(p):
		return wins
	}
	return best
}

// takesLastMove reports whether some move leaves the other side without a legal one.
func (s *asayomi) takesLastMove(p *shogi.Position) bool {
	for _, m := range p.LegalMoves(&s.moves[2], shogi.AllMoves) {
		u := p.Do(m)
		n := p.CountLegalMoves(shogi.AllMoves)
		p.Undo(m, u)
		if n == 0 {
			return true
		}
	}
	return false
}

// enough is how many mobile pieces are too many to be taken their moves by a single move of the
// other side: it captures one, and pins one from where it goes and one along the line it leaves.
const enough = 4

// mobile reports whether c has at least n pieces, its king and pinned pieces not counted, that can
// move on the board, or a piece in hand that can be dropped on any empty square. If it is not in
// check, each of them has a legal move.
func mobile(p *shogi.Position, c shogi.Color, n int) bool {
	if p.Hand(c).HasUnconfined() {
		return true
	}
	king, own := p.King(c), p.Pieces(c)
	movers := own.Without(king).AndNot(p.SliderBlockers(king, c.Opponent()))
	for !movers.IsEmpty() {
		sq := movers.Pop()
		if !shogi.Attacks(c, p.Piece(sq).Type(), sq, p.Occupied()).IsSubsetOf(own) {
			if n--; n == 0 {
				return true
			}
		}
	}
	return false
}

// gain returns by how much m changes the difference of the pieces.
func gain(p *shogi.Position, m shogi.Move) int {
	if m.IsDrop() {
		return 0
	}
	captured := p.Piece(m.To())
	if captured == shogi.NoPiece {
		return 0
	}
	return 2 * values[captured.Type().Base()]
}

// difference returns what the side to move has more than the other.
func difference(p *shogi.Position) int {
	us := p.SideToMove()
	return count(p, us) - count(p, us.Opponent())
}

func count(p *shogi.Position, c shogi.Color) int {
	n := 0
	pieces := p.Pieces(c).Without(p.King(c))
	for !pieces.IsEmpty() {
		n += values[p.Piece(pieces.Pop()).Type().Base()]
	}
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		n += p.Hand(c).Count(t) * values[t]
	}
	return n
}
