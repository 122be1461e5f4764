package dfpn

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate1"
)

// Proof numbers. unit is one open leaf: half of it is a preference.
const (
	inf     uint32 = 1<<31 - 1
	unit    uint32 = 2
	huge    uint32 = inf >> 10 // sums of such numbers become maxima
	forever int32  = 60000     // plies: no limit
)

// The search looks at every position with the attacker as Black.
const (
	attacker = shogi.Black
	defender = shogi.White
)

const never int32 = 1 << 30 // the loopTop of what leans on no repetition

// A child is a move of a node and what is known about the position behind it.
type child struct {
	key     uint64
	hand    shogi.Hand // of the attacker, after the move
	pn, dn  uint32
	solved  shogi.Hand // proof or disproof hand, if pn or dn is 0
	len     int32      // mate in, or no mate within, if solved
	loopTop int32      // if dn is 0: the least depth of an ancestor whose repetition the disproof leans on
	amount  uint32
	move    shogi.Move
	next    int16 // the move that waits for this one, -1 if none
	eval    int16 // order among equals, less is better
	fresh   bool  // never expanded
	old     bool  // met before on a shorter way, and open
	active  bool
	useMax  bool  // counted by maximum, not by sum
	from    state // the node it was last searched from, if another than this one
}

// A frame is a node on the path.
type frame struct {
	key      uint64
	pathKey  uint64
	hand     shogi.Hand // of the attacker
	len      int32      // plies left
	depth    int32
	first    int // of its children in s.children
	count    int
	waiting  int
	samePath int32      // the frame before with the same slot in s.onPath
	attacks  bool       // the attacker is to move
	move     shogi.Move // that led here
}

// A result is what a node came to.
type result struct {
	pn, dn  uint32
	hand    shogi.Hand
	len     int32
	loopTop int32
	best    shogi.Move
}

// A searcher is one search.
type searcher struct {
	table              *table
	ctx                context.Context // of what is going on: one of the next two
	searching, proving context.Context // the search has less time than the proof of what it finds
	p                  shogi.Position
	frames             []frame
	children           []child
	onPath             []int32 // frame by slot of the board key, -1 if none
	paths              pathTable
	moves              shogi.MoveBuffer
	mate1              mate1.Finder

	nodes          uint64
	steps          uint64 // of making and replaying trees
	limit          uint64 // of nodes; 0: none
	reason         solver.Reason
	progress       progress
	rootPn, rootDn uint32
	tca            int // how many old children the path has below which nothing new was met yet
	options        Options
	touched        uint64             // keeps the compiler from dropping loads
	shuffle        func([]shogi.Move) // tests put the moves of a node into any order

	crew     *crew       // the threads of this search, nil if it has but one
	team     *crew       // the same while they search together, nil otherwise
	others   []*searcher // of the first thread
	unwindTo int32       // the depth of a frame that another thread has solved; never if there is none
}

const pathSlots = 1 << 16

// maxPath is the longest line looked at, in plies. Whoever comes to its end says unknown.
const maxPath = 20_000

func newSearcher(o Options) *searcher {
	s := newThread(o, newTable(o.tableBytes(), o.Threads > 1))
	if o.Threads > 1 {
		s.crew = new(crew)
		for range o.Threads - 1 {
			other := newThread(o, s.table)
			other.crew = s.crew
			s.others = append(s.others, other)
		}
	}
	return s
}

func newThread(o Options, t *table) *searcher {
	t.noBounds = o.NoBounds
	s := &searcher{table: t, options: o, unwindTo: never}
	s.onPath = make([]int32, pathSlots)
	for i := range s.onPath {
		s.onPath[i] = -1
	}
	s.paths.init(1 << 18)
	return s
}

// count counts a node, unless the search has to stop.
func (s *searcher) count() (ok bool) {
	if s.limit > 0 && s.nodes >= s.limit && s.reason == solver.NoReason {
		s.reason = solver.ReasonNodes
	}
	if s.team != nil && s.team.attention.Load() != 0 && s.reason == solver.NoReason {
		s.heed()
	}
	if s.reason != solver.NoReason {
		return false
	}
	s.nodes++
	if s.nodes%pollEvery == 0 {
		if s.team != nil {
			s.team.nodes.Add(pollEvery)
			s.lookUp()
		}
		s.poll()
	}
	return true
}

// pollEvery is how many nodes lie between two looks at the clock, about a millisecond's worth.
const pollEvery = 1024

// poll looks whether the search has to stop and whether a report is due.
func (s *searcher) poll() {
	if s.reason == solver.NoReason {
		s.reason = solver.StopReason(s.ctx)
	}
	s.reportIfDue()
}

// push makes a frame for the position on the board.
func (s *searcher) push(key, pathKey uint64, hand shogi.Hand, length int32, attacks bool) *frame {
	depth := int32(len(s.frames))
	slot := key % pathSlots
	s.frames = append(s.frames, frame{key: key, pathKey: pathKey, hand: hand, len: length, depth: depth, attacks: attacks,
		first: len(s.children), samePath: s.onPath[slot]})
	s.onPath[slot] = depth
	return &s.frames[depth]
}

func (s *searcher) pop() {
	f := &s.frames[len(s.frames)-1]
	s.onPath[f.key%pathSlots] = f.samePath
	s.children = s.children[:f.first]
	s.frames = s.frames[:len(s.frames)-1]
}

// repeats returns the depth of an ancestor with the same board and no less in the attacker's hand: since then nothing
// was gained. It returns never if there is none.
func (s *searcher) repeats(key uint64, hand shogi.Hand) int32 {
	for i := s.onPath[key%pathSlots]; i >= 0; i = s.frames[i].samePath {
		if f := &s.frames[i]; f.key == key && f.hand.Covers(hand) && (f.hand == hand || !s.options.NoAncestors) {
			return i
		}
	}
	return never
}

// root searches the position on the board for a mate within length plies until it is solved or has to stop.
func (s *searcher) root(length int32) result {
	s.unwindTo = never
	thPn, thDn := unit, unit
	for {
		s.push(s.p.BoardKey(), s.p.Key()*0x9e3779b97f4a7c15, s.p.Hand(attacker), length, s.p.SideToMove() == attacker)
		s.tca = 0
		r := s.search(thPn, thDn)
		s.pop()
		if r.pn == 0 || r.dn == 0 || s.reason != solver.NoReason {
			return r
		}
		thPn = max(thPn, grow(r.pn))
		thDn = max(thDn, grow(r.dn))
	}
}

func grow(n uint32) uint32 { return uint32(min(uint64(n)*17/10+1, uint64(inf))) }

// search works on the frame on top until its numbers reach the thresholds.
func (s *searcher) search(thPn, thDn uint32) result {
	f := &s.frames[len(s.frames)-1]
	start := s.nodes
	if !s.count() {
		return result{pn: 1, dn: 1}
	}
	if f.depth >= maxPath {
		s.reason = solver.ReasonDepth
		return result{pn: 1, dn: 1}
	}
	done, r := s.expand(f)
	if s.reason != solver.NoReason {
		return result{pn: 1, dn: 1}
	}
	if done {
		s.store(f, &r, s.nodes-start)
		return r
	}
	inherited := s.tca
	if !s.options.NoTCA && s.hasOld(f) {
		s.tca++
	}
	wantPn, wantDn := thPn, thDn
	for {
		var c combined
		s.combine(f, &c)
		if f.depth == 0 {
			s.rootPn, s.rootDn = c.pn, c.dn
		}
		if c.pn == 0 || c.dn == 0 {
			r := s.conclude(f, &c)
			s.store(f, &r, s.nodes-start)
			s.tca = min(s.tca, inherited)
			return r
		}
		thPn, thDn = wantPn, wantDn
		if s.tca > 0 {
			thPn, thDn = max(thPn, c.pn+1), max(thDn, c.dn+1)
		}
		if c.pn >= thPn || c.dn >= thDn {
			r := result{pn: c.pn, dn: c.dn, best: s.children[c.best].move}
			s.store(f, &r, s.nodes-start)
			s.tca = min(s.tca, inherited)
			return r
		}
		if ch := &s.children[c.best]; ch.from.key != 0 && !s.options.NoDCE {
			s.uncount(ch.from, ch.pn, ch.dn)
			ch.from = state{}
			continue
		}
		s.visit(f, &c, thPn, thDn)
		f = &s.frames[len(s.frames)-1] // the frames may have moved
		if s.reason != solver.NoReason {
			return result{pn: c.pn, dn: c.dn, best: s.children[c.best].move}
		}
		if s.unwindTo <= f.depth {
			s.tca = min(s.tca, inherited)
			if s.unwindTo < f.depth {
				return result{pn: c.pn, dn: c.dn}
			}
			if r, ok := s.solvedMeanwhile(f); ok {
				return r
			}
		}
		if s.tca == 0 && inherited > 0 {
			// Something new was met: the ancestors decide anew where to go.
			s.combine(f, &c)
			if c.pn != 0 && c.dn != 0 {
				r := result{pn: c.pn, dn: c.dn, best: s.children[c.best].move}
				s.store(f, &r, s.nodes-start)
				return r
			}
		}
	}
}

// visit searches the best child.
func (s *searcher) visit(f *frame, c *combined, thPn, thDn uint32) {
	ch := &s.children[c.best]
	// In terms of the side to move: phi is what it wants at 0.
	thPhi, thDelta := thPn, thDn
	if !f.attacks {
		thPhi, thDelta = thDn, thPn
	}
	second := c.second
	if !s.options.NoEpsilon {
		second = clamp(uint64(second) + uint64(second)/8)
	}
	thPhi = min(thPhi, clamp(uint64(second)+1))
	if thDelta < inf {
		// c.rest < thDelta, as delta is below its threshold and rest no more than delta
		thDelta -= c.rest
	}
	childPn, childDn := thPhi, thDelta
	if !f.attacks {
		childPn, childDn = thDelta, thPhi
	}

	if ch.fresh && s.tca > 0 {
		s.tca--
	}
	index, depth := c.best, f.depth+1
	attacks, length := !f.attacks, f.len-1
	m, key, hand := ch.move, ch.key, ch.hand
	pathKey := f.pathKey ^ stepKey(m, f.depth)
	start := s.nodes
	u := s.p.Do(m)
	s.push(key, pathKey, hand, length, attacks).move = m
	if s.team != nil {
		s.team.visitorsOf(key, hand).Add(1)
	}
	r := s.search(childPn, childDn)
	if s.team != nil {
		s.team.visitorsOf(key, hand).Add(-1)
	}
	s.pop()
	s.p.Undo(m, u)
	if s.reason != solver.NoReason || s.unwindTo < depth {
		return
	}
	ch = &s.children[index]
	ch.fresh, ch.old = false, false
	ch.pn, ch.dn, ch.solved, ch.len, ch.loopTop = r.pn, r.dn, r.hand, r.len, r.loopTop
	if ch.loopTop >= depth {
		ch.loopTop = never
	}
	ch.amount = addAmount(ch.amount, uint32(s.nodes-start))
	f = &s.frames[len(s.frames)-1] // the frames may have moved
	s.release(f, index)
	if s.team != nil && s.nodes-start > refreshAfter {
		s.refresh(f)
	}
}

// refreshAfter is how many nodes a visit takes after which it pays to see what other threads have done meanwhile.
const refreshAfter = 20

func clamp(n uint64) uint32 { return uint32(min(n, uint64(inf))) }

// combined is what the children of a node come to together.
type combined struct {
	pn, dn uint32
	best   int    // index of the child to search next
	second uint32 // phi of the next best
	rest   uint32 // delta without the best child's part
}

// virtualShare: another thread below a position makes it harder by one leaf, and by this part of what it needs.
const virtualShare = 16

// combine computes the numbers of f: phi is the least among the children, delta their sum.
func (s *searcher) combine(f *frame, c *combined) {
	list := s.children[f.first : f.first+f.count]
	best := -1
	var bestPhi, bestDelta uint32
	second := inf
	var sum uint64
	var top, topOfRest uint32
	anyHuge := false
	for i := range list {
		ch := &list[i]
		if !ch.active {
			continue
		}
		phi, delta := ch.pn, ch.dn
		if !f.attacks {
			phi, delta = delta, phi
		}
		if s.team != nil && phi != 0 && phi < inf {
			if n := s.team.visitorsOf(ch.key, ch.hand).Load(); n > 0 {
				phi = uint32(min(uint64(phi)+uint64(n)*uint64(max(unit, phi/virtualShare)), uint64(inf-1))) // still open
			}
		}
		if delta >= huge && delta < inf {
			anyHuge = true
		}
		better := best < 0 || phi < bestPhi
		if !better && phi == bestPhi {
			b := &list[best]
			switch {
			case delta != bestDelta:
				better = delta < bestDelta
			case phi == 0 && !f.attacks && ch.loopTop != b.loopTop:
				better = ch.loopTop > b.loopTop
			case phi == 0 && f.attacks && ch.len != b.len:
				better = ch.len < b.len
			case ch.amount != b.amount:
				better = ch.amount < b.amount
			default:
				better = ch.eval < b.eval
			}
		}
		if better {
			if best >= 0 {
				second = min(second, bestPhi)
			}
			best, bestPhi, bestDelta = i, phi, delta
		} else {
			second = min(second, phi)
		}
	}
	for i := range list {
		ch := &list[i]
		if !ch.active {
			continue
		}
		delta := ch.dn
		if !f.attacks {
			delta = ch.pn
		}
		if i == best {
			continue
		}
		if ch.useMax || anyHuge {
			topOfRest = max(topOfRest, delta)
		} else {
			sum += uint64(delta)
		}
	}
	own := &list[best]
	delta := sum
	if own.useMax || anyHuge {
		top = max(topOfRest, bestDelta)
	} else {
		delta += uint64(bestDelta)
		top = topOfRest
	}
	delta += uint64(top)
	rest := sum
	if !(own.useMax || anyHuge) {
		rest += uint64(topOfRest)
	}
	phi := bestPhi
	d := uint32(min(delta, uint64(inf-1)))
	switch {
	case phi == 0:
		d = inf
	case phi == inf:
		d = 0
	}
	c.best, c.second = f.first+best, second
	c.rest = uint32(min(rest, uint64(inf-1)))
	if f.attacks {
		c.pn, c.dn = phi, d
	} else {
		c.pn, c.dn = d, phi
	}
}

// conclude returns the result of a node that is solved.
func (s *searcher) conclude(f *frame, c *combined) result {
	p := &s.p
	list := s.children[f.first : f.first+f.count]
	best := &s.children[c.best]
	r := result{pn: c.pn, dn: c.dn, best: best.move, loopTop: never}
	switch {
	case f.attacks && c.pn == 0:
		r.hand, r.len = proofBefore(p, best.move, best.solved), best.len+1
	case f.attacks:
		fail := total(p)
		r.len = forever
		for i := range list {
			ch := &list[i]
			fail = minHand(fail, disproofBefore(p, ch.move, ch.solved))
			r.len = min(r.len, ch.len)
			r.loopTop = min(r.loopTop, ch.loopTop)
		}
		r.hand = disproofOfAttack(p, fail)
		r.len = lengthen(r.len)
	case c.dn == 0:
		r.hand, r.len, r.loopTop = disproofOfDefence(p, best.move, best.solved), lengthen(best.len), best.loopTop
	default:
		var need shogi.Hand
		for i := range list {
			ch := &list[i]
			need = maxHand(need, ch.solved)
			if ch.len+1 > r.len {
				r.len, r.best = ch.len+1, ch.move
			}
		}
		r.hand = proofOfDefence(p, need)
	}
	return r
}

// lengthen adds a ply to a length within which there is no mate.
func lengthen(n int32) int32 {
	if n >= forever {
		return forever
	}
	return n + 1
}

// store records the result of f.
func (s *searcher) store(f *frame, r *result, work uint64) {
	if s.reason != solver.NoReason {
		return
	}
	amount := uint32(min(work, 1<<30))
	if s.options.NoHands {
		r.hand = f.hand
	}
	switch {
	case r.pn == 0:
		s.table.proved(f.key, r.hand, r.len, r.best, amount)
	case r.dn == 0 && r.loopTop >= f.depth:
		s.table.disproved(f.key, r.hand, r.len, amount)
	case r.dn == 0:
		s.paths.put(f.pathKey, f.key, f.hand, r.loopTop, r.len)
		s.table.repeats(f.key, f.hand, f.depth, amount)
	default:
		var parent state
		if f.depth > 0 {
			up := &s.frames[f.depth-1]
			parent = state{up.key, up.hand}
		}
		s.table.open(f.key, f.hand, r, f.depth, parent, s.mask(f), amount)
	}
	if s.table.isFull() {
		s.makeRoom()
	}
}

// stopped looks at the clock and reports whether the search has to stop.
func (s *searcher) stopped() bool {
	s.poll()
	return s.reason != solver.NoReason
}
