package compose

import (
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/theme"
)

// Conditions are what a problem must meet to leave, besides being sound.
type Conditions struct {
	Least, Most int  // plies, odd
	MaxPieces   int  // on the board, the king left out, and in Black's hand; 0: any
	MaxHand     int  // pieces in Black's hand; -1: any
	MaxCaptures int  // of Black; -1: any
	Strict      bool // no dual of any kind, no second mating move, no equal variation
	// Pleasant asks for what an editor would look at, as isPleasant has it, and no idle piece. What
	// is idle is taken away. Searches of authors do without.
	Pleasant bool
	Themes   []string       // IDs of package theme, all shown
	Box      shogi.Bitboard // squares on which pieces may stand; empty: all

	growing bool // the problem is to be made longer or changed, and need not yet be pleasant nor show the themes
}

// slack is how many pieces more than asked for a pleasant problem may have while it is made: some
// may be idle, and are taken away at the end.
const slack = 1

// mayStand reports whether a diagram meets the conditions, as far as it tells without a search.
func (c *Conditions) mayStand(p *shogi.Position) bool {
	most := c.MaxPieces
	if c.Pleasant {
		if looksMade(p) {
			return false
		}
		most += slack
	}
	return (c.MaxPieces == 0 || countPieces(p) <= most) &&
		(c.MaxHand < 0 || p.Hand(shogi.Black).Len() <= c.MaxHand) &&
		(c.Box.IsEmpty() || p.Occupied().IsSubsetOf(c.Box))
}

// meets reports whether a sound problem of a length that is wanted meets the other conditions.
func (c *Conditions) meets(q *problem) bool {
	if c.Strict && !q.strict || !c.mayStand(&q.position) {
		return false
	}
	lacks := func(id string) bool {
		return !slices.ContainsFunc(q.found, func(f theme.Found) bool { return f.ID == id })
	}
	return c.growing || (c.MaxCaptures < 0 || q.captures <= c.MaxCaptures) && !slices.ContainsFunc(c.Themes, lacks) &&
		(!c.Pleasant || isPleasant(q))
}

// countPieces counts the pieces of a diagram: on the board, the king left out, and in Black's hand.
func countPieces(p *shogi.Position) int {
	return p.Occupied().Len() - 1 + p.Hand(shogi.Black).Len()
}
