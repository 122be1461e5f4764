package dfpn

import (
	"context"
	"fmt"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A Search is a search with its table, for tests that look into it. Black attacks, also if both
// sides have a king and White is to move.
type Search struct{ s *searcher }

// NewSearch returns an empty Search.
func NewSearch(o Options) *Search { return &Search{newSearcher(o.withDefaults())} }

// Solve asks, and keeps the table.
func (s *Search) Solve(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
	return s.s.solve(ctx, p, lim, false)
}

// Shuffle has the moves of every node put into another order before they are searched; nil: that of
// the generators.
func (s *Search) Shuffle(shuffle func([]shogi.Move)) { s.s.shuffle = shuffle }

// Forget clears the table.
func (s *Search) Forget() { s.s.forget() }

// Collect collects as if the table were full. An empty one never is.
func (s *Search) Collect() {
	if s.s.table.fill() > 0 {
		s.s.table.collect(func() bool { return false })
	}
}

// A Solved is what the table says about a board: a mate within MateIn plies for every hand that
// covers Hand, or, if NoMate, none within NoMateWithin plies for any that Hand covers; Forever:
// none at all.
type Solved struct {
	Hand         shogi.Hand
	NoMate       bool
	MateIn       int
	NoMateWithin int
}

// Forever is a length without limit.
const Forever = int(forever)

// Solved returns what the table says about the board of p with any hands.
func (s *Search) Solved(p *shogi.Position) []Solved {
	t := s.s.table
	var list []Solved
	for _, c := range t.claimsOf(p.BoardKey()) {
		if c.mateIn() != unproved {
			list = append(list, Solved{Hand: c.hand(), MateIn: int(c.mateIn())})
		}
		if c.noMate() > 0 {
			within := int(c.noMateWithin())
			list = append(list, Solved{Hand: c.hand(), NoMate: true, NoMateWithin: within})
		}
	}
	return list
}

// claimsOf returns the claims of all entries of a board.
func (t *table) claimsOf(key uint64) (list []claim) {
	home := t.home(key)
	for _, e := range t.slots[home : home+window] {
		if e.check == 0 {
			break
		}
		if e.check^e.claim == key {
			list = append(list, claim(e.claim))
		}
	}
	return list
}

// Contradiction looks for a mate in the table of s whose hand is covered by one that mates no
// sooner, by the table of o.
func (s *Search) Contradiction(o *Search) (looked int, found string) {
	for _, e := range s.s.table.slots {
		a, key := claim(e.claim), e.check^e.claim
		if e.check == 0 || a.mateIn() == unproved {
			continue
		}
		looked++
		for _, b := range o.s.table.claimsOf(key) {
			if b.hand().Covers(a.hand()) && b.noMate() > 0 && b.noMateWithin() >= int32(a.mateIn()) {
				return looked, fmt.Sprintf("board %x: a mate in %d with %s, but none within %d with %s",
					key, a.mateIn(), a.hand(), b.noMateWithin(), b.hand())
			}
		}
	}
	return looked, ""
}

// Clear clears the table alone, and the search goes on.
func (s *Search) Clear() { s.s.table.clear() }

// Busy reports whether entries are being moved.
func (s *Search) Busy() bool { return s.s.table.isFull() }

// Depth returns the length of the line that the search looks at.
func (s *Search) Depth() int { return len(s.s.frames) }

// MaxPath is the longest line a search looks at.
const MaxPath = int(maxPath)

// Dive goes from p as deep as it can: no position is left before it is decided. It returns whether
// p is.
func (s *Search) Dive(ctx context.Context, p shogi.Position, nodes uint64) (decided bool, reason solver.Reason) {
	d := s.s
	d.ctx, d.p, d.nodes, d.limit, d.reason = ctx, p, 0, nodes, solver.NoReason
	d.beginProgress(false)
	d.unwindTo = noUnwind
	d.push(p.BoardKey(), 0, p.Hand(attacker), forever, true)
	d.tca = 1 << 30 // as if everything had been met before: only something new lets a position go
	r := d.search(thresholds{infinity, infinity})
	d.pop()
	return r.isSolved(), d.reason
}

// SearchContext returns the context of a search under ctx.
var SearchContext = searchContext

// ProofLimit returns the limit of nodes for a proof.
var ProofLimit = proofLimit

// Prove makes the proof of a mate of p within length plies, after a search under the context
// searching that took so many nodes of limit, and puts it into out. It returns the reason why not,
// and the nodes; ok is false if the context or the limit is not what it was.
func (s *Search) Prove(
	searching, proving context.Context, p shogi.Position, length int, nodes, limit uint64, out *solver.Result,
) (reason solver.Reason, spent uint64, ok bool) {
	d := s.s
	d.ctx, d.searching, d.proving = searching, searching, proving
	d.p, d.nodes, d.limit, d.reason = p, nodes, limit, solver.NoReason
	d.beginProgress(false)
	d.mate(int32(length), nil, out)
	return d.reason, d.nodes, d.ctx == searching && d.limit == limit
}

// FindNode returns which of these nodes, all of one board, a proof takes for the attacker's hand
// and a mate within length plies, -1 for none. If own it must be for the very hand.
func FindNode(nodes []solver.ProofNode, hand shogi.Hand, length int32, own bool) int32 {
	b := proofBuilder{nodes: nodes, index: map[uint64][]int32{}}
	for i := range nodes {
		b.index[0] = append(b.index[0], int32(i))
	}
	return b.find(state{0, hand}, length, own)
}

// Steps returns how many steps were made to make proofs.
func (s *Search) Steps() uint64 { return s.s.steps }
