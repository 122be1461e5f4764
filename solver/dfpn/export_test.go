package dfpn

import (
	"context"
	"fmt"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/checkpoint"
)

// A Search is a search with its table, for tests that look into it. Black attacks, also if both
// sides have a king and White is to move.
type Search struct{ s *searcher }

// NewAtOnce returns a Solver. If it has several threads all of them begin a search at once, and not
// when it has taken long, and the table makes room in many steps.
func NewAtOnce(o Options) *Solver { return NewAfter(o, 0) }

// NewAfter is NewAtOnce, but that all threads but one begin after so many nodes.
func NewAfter(o Options, nodes uint64) *Solver {
	s := New(o)
	for range s.options.Searches {
		<-s.free
		search := newSearcher(s.options)
		if search.threads != nil {
			search.threads.after = nodes
			search.table.step = 1 << 10
		}
		s.free <- search
	}
	return s
}

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
		s.s.table.finishMoving()
		s.s.table.collect()
		s.s.table.finishMoving()
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
	var r result
	d.search(thresholds{infinity, infinity}, &r)
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
// and a mate within length plies, -1 for none. If own it must be for the very hand, and if the line
// of the proof plays move in it, a node that was made for that: those in onLine are.
func FindNode(nodes []solver.ProofNode, hand shogi.Hand, length int32, own bool, move shogi.Move,
	onLine ...int32) int32 {
	b := proofBuilder{nodes: nodes, index: map[uint64][]int32{}, onLine: map[int32]bool{}}
	if move != shogi.NoMove {
		b.forced = map[state]shogi.Move{{0, hand}: move}
	}
	for i := range nodes {
		b.index[0] = append(b.index[0], int32(i))
	}
	for _, i := range onLine {
		b.onLine[i] = true
	}
	return b.find(state{0, hand}, length, own)
}

// Steps returns how many steps were made to make proofs.
func (s *Search) Steps() uint64 { return s.s.steps }

// ForgetWhatCheckpointsLack forgets what a checkpoint does not have: what holds on one path only,
// and the entries of one node. Entries after their gaps move up, as they do when they are loaded.
func (s *Search) ForgetWhatCheckpointsLack() {
	s.s.forgetPath()
	t := s.s.table
	t.partial = true
	t.finishMoving()
	for i := range t.slots {
		e, o := t.slots[i], t.origins[i]
		if e.check == 0 {
			continue
		}
		t.slots[i], t.origins[i] = slot{}, origin{}
		if amountOf(e.rest) < leastAmount {
			t.used.Add(-1)
			continue
		}
		t.settle(&e, &o)
	}
}

// Identity returns what a checkpoint of a search says that it is of. Black attacks.
func Identity(p shogi.Position, lim solver.Limits, o Options) checkpoint.Identity {
	s := searcher{p: p, options: o.withDefaults()}
	return s.identity(&lim)
}

// PackEntry returns a block of a checkpoint that says of the position p, where Black attacks, that
// there is a mate within so many plies, and none within so many: Forever, none at all; -1, nothing.
func PackEntry(p *shogi.Position, mateIn, noMateWithin int) []byte {
	c := noClaim(p.Hand(attacker))
	if mateIn >= 0 {
		c = c.and(uint16(mateIn), 0)
	}
	switch {
	case noMateWithin >= int(forever):
		c = c.and(unproved, endless)
	case noMateWithin >= 0:
		c = c.and(unproved, uint16(noMateWithin+1))
	}
	e := entry{key: p.BoardKey(), claim: c, amount: leastAmount, minDepth: deepest}
	return e.appendTo(nil, 0)
}

// Restore takes a block of a checkpoint of p into an empty table. It returns what is wrong with what
// it let in, "" if nothing is.
func Restore(p *shogi.Position, block []byte) (n uint64, wrong string, err error) {
	t := newTable(minTableBytes)
	all := material(p)
	if n, err = t.restore(block, all); err != nil {
		return n, "", err
	}
	for _, e := range t.slots {
		c := claim(e.claim)
		pn, dn := e.numbers&numbersMask, e.numbers>>dnShift&numbersMask
		isOpen := pn > 0 && pn < uint64(infinity) && dn > 0 && dn < uint64(infinity)
		switch {
		case e.check == 0:
		case e.numbers != 0 && e.numbers != mayRepeat && !isOpen:
			return n, fmt.Sprintf("the numbers %x", e.numbers), nil
		case !all.Covers(c.hand()) || c&claimSet == 0 || !c.hand().IsValid():
			return n, fmt.Sprintf("the claim %x", c), nil
		case c.mateIn() != unproved && c.noMate() > c.mateIn():
			return n, fmt.Sprintf("a contradiction: %x", c), nil
		}
	}
	return n, "", nil
}

// A Sweeper makes a checkpoint of a table that changes meanwhile.
type Sweeper struct{ s *searcher }

// NewSweeper returns a Sweeper of a table with n entries of boards of its own.
func NewSweeper(k checkpoint.Keeper, id checkpoint.Identity, bytes, n int) *Sweeper {
	s := newSearcher(Options{TableBytes: bytes}.withDefaults())
	s.keeping = &keeping{run: k.Start(id)}
	w := &Sweeper{s}
	for i := range n {
		s.table.storeDisproof(mix(uint64(i)), 0, forever, uint32(leastAmount+i))
		if s.table.isFull() {
			s.table.makeRoom()
		}
	}
	s.table.finishMoving()
	s.beginSweep()
	return w
}

// Sweep looks at the next entries, and reports whether the checkpoint is done.
func (w *Sweeper) Sweep() bool {
	w.s.sweep()
	return w.s.keeping.writer == nil
}

// makeAllRoom makes room whether the table is full or not, and reports whether it did so by
// forgetting.
func (t *table) makeAllRoom() (collected bool) {
	t.finishMoving()
	if n := t.larger(); n > t.homes {
		t.grow(n)
	} else {
		t.collect()
		collected = true
	}
	t.finishMoving()
	t.planRoom()
	return collected
}

// MakeRoom makes room in the table, and reports whether it did so by forgetting.
func (w *Sweeper) MakeRoom() (collected bool) {
	return w.s.table.makeAllRoom()
}

// End ends the search.
func (w *Sweeper) End() { w.s.keeping.run.End() }

// Missing loads the checkpoint into another table, and returns how many entries there are here that
// are not there.
func (w *Sweeper) Missing(k checkpoint.Keeper, id checkpoint.Identity) (missing, loaded int) {
	other := newSearcher(w.s.options)
	other.ctx = context.Background()
	run := k.Start(id)
	defer run.End()
	if !run.Load(other.load) {
		return -1, 0
	}
	for _, e := range w.s.table.slots {
		if e.check != 0 && len(other.table.claimsOf(e.check^e.claim)) == 0 {
			missing++
		}
	}
	return missing, int(other.table.used.Load())
}
