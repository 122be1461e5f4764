package dfpn

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/checkpoint"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/mate3"
)

// The df-pn loop (Nagai 2002): search expands a node, and visits its best child again and again
// until one of the node's own numbers reaches its threshold. The path is a stack of frames beside
// the recursion, because repetition and double counting look at ancestors.
//
// A node is stored as proved or disproved only by expand, when its moves alone decide it, and by
// conclude, from solved children. Everything else here decides where to search next.

// The search looks at every position with the attacker as Black.
const (
	attacker = shogi.Black
	defender = shogi.White
)

// A child is a move of a node, and what is known about the position behind it.
type child struct {
	key    uint64     // of the board behind the move
	hand   shogi.Hand // of the attacker, behind the move
	value             // of the position
	amount uint32     // work spent on it, in nodes
	move   shogi.Move
	next   int16 // the move that waits for this one, among the children of the node; noChild: none
	eval   int16 // order among equals, less is better
	fresh  bool  // never expanded
	old    bool  // met before on a shorter way, and open (thresholds.go)
	active bool  // does not wait for another
	useMax bool  // counts by maximum, not in the sum (doublecount.go)
	free   bool  // a capture of an interposed piece that costs nothing (free.go)
	back   bool  // and after which the defender has the piece again
	from   state // the node it was last searched from, if another than this one
}

// noChild is the next of a child that nothing waits for.
const noChild int16 = -1

// A frame is a node on the path.
type frame struct {
	key          uint64
	pathKey      uint64         // code of the moves that led here
	hand         shogi.Hand     // of the attacker
	len          int32          // plies left
	depth        int32          // and index in searcher.frames
	first        int            // of its children in searcher.children
	count        int            // of its children
	held         int16          // the child that is held back (delay.go), noChild: none
	drop         shogi.Move     // that led here and may be taken for nothing (free.go), or NoMove
	sameSlot     int32          // the frame before it in the same slot of searcher.onPath, or noFrame
	attacks      bool           // the attacker is to move
	fresh        bool           // never expanded
	old          bool           // had an old child when it was expanded
	flightsKnown bool           // or flights has still to be found
	slider       shogi.Square   // that checked before drop, or checks and drops may be taken; or NoSquare
	move         shogi.Move     // that led here
	flights      shogi.Bitboard // where the defender's king could go if it were to move
}

// A result is what the search of a node came to.
type result struct {
	value
	best shogi.Move // that gave the value
}

// undecided is the result of a search that had to stop. Nobody stores it.
func undecided() result { return result{value: value{pn: 1, dn: 1}} }

// A searcher is one thread of a search.
type searcher struct {
	table    *table
	ctx      context.Context // of what is going on: searching or proving
	p        shogi.Position  // at the end of the path
	frames   []frame         // the path
	children []child         // of all frames
	onPath   []int32         // the last frame of each slot, by board key; noFrame: none
	paths    *pathTable
	moves    shogi.MoveBuffer
	mate1    mate1.Finder
	mate3    *mate3.Searcher // for short lines (solve.go), nil until one is chosen

	// The search has less time than the proof of what it finds.
	searching, proving context.Context

	nodes          uint64
	expansions     uint64 // of the nodes, those whose moves were listed
	steps          uint64 // of making and replaying trees
	limit          uint64 // of nodes; 0: none
	reason         solver.Reason
	progress       progress
	keeper         checkpoint.Keeper // nil: no checkpoints
	keeping        *keeping          // of the first thread while it solves, nil: no checkpoints
	rootPn, rootDn uint32
	tca            int // how many old children the path has below which nothing new was met yet
	options        Options
	marks          []state               // the attacker's positions that count as failures
	free           solver.Interpositions // what drops of the defender come to (free.go)
	mated          int32                 // the length of a mated position: 0, but where drops are free
	aside          shogi.Hand            // set aside by what was taken for nothing
	shuffle        func([]shogi.Move)    // tests put the moves of a node into any order

	threads   *threads // nil for a search of one thread
	parallel  bool     // the threads are searching now
	helpersAt uint64   // the nodes after which they begin; 0: not at all
	unwindTo  int32    // the depth of a frame that another thread has solved, or noUnwind
}

// noUnwind is greater than every depth.
const noUnwind int32 = 1 << 30

func newSearcher(o Options) *searcher {
	s := newThread(o, newTable(o.tableBytes()), new(pathTable))
	if o.Threads > 1 {
		s.paths.take()
		s.threads = &threads{after: helpersAfter}
		for range o.Threads - 1 {
			helper := newThread(o, s.table, s.paths)
			helper.threads = s.threads
			s.threads.helpers = append(s.threads.helpers, helper)
		}
	}
	return s
}

func newThread(o Options, t *table, paths *pathTable) *searcher {
	t.noBounds = o.NoBounds
	s := &searcher{table: t, options: o, paths: paths, unwindTo: noUnwind}
	s.onPath = make([]int32, onPathSlots)
	for i := range s.onPath {
		s.onPath[i] = noFrame
	}
	return s
}

// root searches the position on the board for a mate within length plies, until it is solved or the
// search has to stop.
func (s *searcher) root(length int32) result {
	s.unwindTo = noUnwind
	th := thresholds{unit, unit}
	for {
		attacks := s.p.SideToMove() == attacker
		s.push(s.p.BoardKey(), s.rootPathKey(), s.p.Hand(attacker), length, attacks)
		s.tca = 0
		var r result
		s.search(th, &r)
		s.pop()
		if r.isSolved() || s.reason != solver.NoReason {
			return r
		}
		th = th.raised(r.pn, r.dn)
	}
}

// search works on the frame on top until its numbers reach the thresholds, and puts what it came
// to into r.
//
// A profile (default.pgo) would have the compiler inline it into visit, and then combined would be
// allocated for every node.
//
//go:noinline
func (s *searcher) search(th thresholds, r *result) {
	f := &s.frames[len(s.frames)-1]
	start := s.nodes
	*r = undecided()
	if !s.count() {
		return
	}
	if f.depth >= maxPath {
		s.reason = solver.ReasonDepth
		return
	}
	s.expansions++
	decided := s.expand(f, r)
	if s.reason != solver.NoReason {
		*r = undecided()
		return
	}
	if decided {
		s.store(f, r, th, s.nodes-start)
		return
	}
	inherited := s.tca
	if !s.options.NoTCA && f.old {
		s.tca++
	}
	var c combined
	for leave := false; ; {
		s.combine(f, &c)
		if f.depth == 0 {
			s.rootPn, s.rootDn = c.pn, c.dn
		}
		now := th
		if s.tca > 0 {
			now = th.above(&c)
		}
		if leave || c.isSolved() || now.reachedBy(&c) {
			s.tca = min(s.tca, inherited)
			s.conclude(f, &c, r)
			s.store(f, r, th, s.nodes-start)
			return
		}
		if ch := &s.children[c.best]; ch.from.key != 0 && !s.options.NoDCE {
			s.findDoubleCount(ch)
			continue
		}
		s.visit(f, &c, now.ofChild(f, &c, &s.options))
		f = &s.frames[len(s.frames)-1] // the frames may have moved
		if s.reason != solver.NoReason {
			return
		}
		if s.unwindTo <= f.depth {
			s.tca = min(s.tca, inherited)
			if s.unwindTo < f.depth || s.solvedByOther(f, r) {
				return
			}
		}
		// Something new was met below an old child: the ancestors decide anew where to go.
		leave = s.tca == 0 && inherited > 0
	}
}

// visit searches the best child of f under the thresholds th, and puts its result into the child.
func (s *searcher) visit(f *frame, c *combined, th thresholds) {
	ch := &s.children[c.best]
	fresh := ch.fresh
	if fresh && s.tca > 0 {
		s.tca--
	}
	m, key, hand := ch.move, ch.key, ch.hand
	depth, length, attacks := f.depth+1, s.lenAfter(f, ch), !f.attacks
	pathKey := f.pathKey ^ stepKey(m, f.depth)
	drop, slider, back := shogi.NoMove, f.slider, false
	shared := s.parallel && ch.amount >= sharedAmount
	start := s.nodes

	u := s.p.Do(m)
	if s.mated > 0 {
		switch {
		case ch.free:
			pathKey ^= stepOf(ch)
			drop, back = f.drop, ch.back
			s.setAside(drop, back)
		case !f.attacks && m.IsDrop():
			drop = m
		}
	}
	below := s.push(key, pathKey, hand, length, attacks)
	below.move, below.fresh = m, fresh
	if attacks && drop != shogi.NoMove && slider != shogi.NoSquare {
		below.drop, below.slider = drop, slider
	}
	if shared {
		s.threads.visitorsOf(key, hand).Add(1)
	}
	var r result
	s.search(th, &r)
	if shared {
		s.threads.visitorsOf(key, hand).Add(-1)
	}
	s.pop()
	if !attacks && drop != shogi.NoMove {
		s.putBack(drop, back)
	}
	s.p.Undo(m, u)
	if s.reason != solver.NoReason || s.unwindTo < depth {
		return
	}

	f = &s.frames[len(s.frames)-1] // the frames may have moved, and the children
	ch = &s.children[c.best]
	ch.fresh, ch.old = false, false
	ch.value.set(&r.value)
	ch.forgetClosedLoops(depth)
	ch.amount = addAmount(ch.amount, uint32(s.nodes-start))
	if ch.free && ch.dn == 0 {
		s.failBack(f, ch)
	}
	s.release(f, c.best)
	if s.parallel && s.nodes-start > refreshAfter {
		s.refresh(f)
	}
}

// store records the result of f in the table, or if it holds on this path only in the pathTable.
// th are those of its search.
func (s *searcher) store(f *frame, r *result, th thresholds, work uint64) {
	if s.reason != solver.NoReason {
		return
	}
	amount := uint32(min(work, 1<<30))
	if s.options.NoHands {
		r.solvedHand = f.hand
	}
	switch {
	case r.pn == 0:
		s.table.storeProof(f.key, r.solvedHand, r.len, amount)
	case r.dn == 0 && r.isAbsolute(f.depth):
		s.table.storeDisproof(f.key, r.solvedHand, r.len, amount)
	case r.dn == 0:
		s.paths.put(f.pathKey, f.key, f.hand, &r.value)
		s.table.storeRepetition(f.key, f.hand, th.pn, f.depth, amount)
	default:
		var parent state
		if f.depth > 0 {
			up := &s.frames[f.depth-1]
			parent = state{up.key, up.hand}
		}
		s.table.storeOpen(f.key, f.hand, r, f.depth, parent, s.maximumMask(f), amount)
	}
	if s.table.isFull() {
		s.makeRoom()
	}
}
