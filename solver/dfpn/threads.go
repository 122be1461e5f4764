package dfpn

import (
	"sync"
	"sync/atomic"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Several threads on one search.
//
// All threads search the same root with the same thresholds, each with a searcher of its own. They
// share the table, which needs no locks for that (table.go), and what the type threads holds; they
// do not share the path, the children, the pathTable, the moves, or the counters of TCA. Nothing
// else tells them apart: a position that other threads are below counts as harder by a leaf and a
// bit for each (virtual proof numbers, Kaneko 2010), so that they spread.
//
// Sound, because a thread takes from others only what is in the table: proofs and absolute
// disproofs, which hold everywhere. What holds on one path only stays with the thread that has this
// path. Open numbers of others change the order of work alone.
//
// So threads change how many nodes a search takes, and which mate is found first. They do not
// change a verdict that is reached, the length of the shortest mate, nor its line (solve.go,
// choose).

// threads is what the threads of one search share, besides the table.
type threads struct {
	helpers []*searcher // all threads but the first, which starts them

	// visitors counts the threads that are below a position, by a hash of board and hand. Positions
	// that share a counter make each other look harder for a while.
	visitors [1 << 16]atomic.Int32

	// moving is held for reading by every thread that searches, and for writing by one that moves
	// the entries of the table.
	moving sync.RWMutex
	// interrupts is not 0 while threads have to stop at their next safepoint.
	interrupts atomic.Int32
	done       atomic.Bool // a thread has solved the root, or has to stop

	nodes atomic.Uint64 // of all threads, by the pollEvery
}

const (
	// virtualShare: a thread below a position makes it harder by one unit, or by this part of its
	// phi if that is more.
	virtualShare = 16
	// refreshAfter is after how many nodes of a visit it pays to see what other threads have found.
	refreshAfter = 20
)

// solvedElsewhere stops a thread after another has solved the root. It is never part of an answer.
const solvedElsewhere solver.Reason = "solved elsewhere"

func (t *threads) visitorsOf(key uint64, hand shogi.Hand) *atomic.Int32 {
	const golden = 0x9e3779b97f4a7c15
	return &t.visitors[(key^uint64(hand)*golden>>32)%uint64(len(t.visitors))]
}

// virtual returns phi of the open child ch with the threads counted that are below it now. An open
// child stays open.
func (t *threads) virtual(phi uint32, ch *child) uint32 {
	n := t.visitorsOf(ch.key, ch.hand).Load()
	if n <= 0 {
		return phi
	}
	return clampOpen(uint64(phi) + uint64(n)*uint64(max(unit, phi/virtualShare)))
}

// safepoint lets another thread have the table for itself, or stops this one if the root is solved.
func (s *searcher) safepoint() {
	if s.threads.done.Load() {
		s.reason = solvedElsewhere
		return
	}
	s.threads.moving.RUnlock()
	s.threads.moving.RLock()
}

// makeRoom makes room in the table, while the other threads wait at a safepoint.
func (s *searcher) makeRoom() {
	if !s.parallel {
		s.table.makeRoom(s.stopMoving)
		return
	}
	t := s.threads
	t.interrupts.Add(1)
	t.moving.RUnlock()
	t.moving.Lock()
	if s.table.isFull() { // otherwise another thread was first
		s.table.makeRoom(s.stopMoving)
	}
	t.moving.Unlock()
	t.moving.RLock()
	t.interrupts.Add(-1)
}

// stopMoving reports whether to leave off moving entries because the search has to stop. It need not
// before a checkpoint that was requested, which wants the table whole.
func (s *searcher) stopMoving() bool {
	return s.stopped() && (s.keeper == nil || !s.keeper.Requested())
}

// rootOnAllThreads is root with all threads of the search.
func (s *searcher) rootOnAllThreads(length int32) result {
	t := s.threads
	if t == nil {
		return s.root(length)
	}
	var share uint64 // of the nodes that are left, for each thread
	if s.limit > 0 {
		share = (s.limit - min(s.limit, s.nodes)) / uint64(len(t.helpers)+1)
		if share == 0 {
			return s.root(length)
		}
	}
	t.done.Store(false)
	t.interrupts.Store(0)
	// The rest is added when this thread's own number is round.
	t.nodes.Store(s.nodes - s.nodes%pollEvery)

	results := make([]result, len(t.helpers))
	var running sync.WaitGroup
	for i, h := range t.helpers {
		h.ctx, h.p, h.keeper = s.ctx, s.p, s.keeper
		h.nodes, h.expansions, h.limit, h.reason = 0, 0, share, solver.NoReason
		running.Go(func() { results[i] = h.rootInParallel(length) })
	}
	limit := s.limit
	s.limit -= share * uint64(len(t.helpers))
	own := s.rootInParallel(length)
	running.Wait()
	s.limit = limit
	return s.joined(own, results)
}

// rootInParallel is one thread's part of a search.
func (s *searcher) rootInParallel(length int32) result {
	t := s.threads
	s.parallel = true
	t.moving.RLock()
	r := s.root(length)
	t.done.Store(true)
	t.interrupts.Add(1)
	t.moving.RUnlock()
	s.parallel = false
	return r
}

// joined returns the result of the first thread that solved the root, and sets s.nodes and s.reason
// for all of them. own is the result of s itself.
func (s *searcher) joined(own result, results []result) result {
	helpers := s.threads.helpers
	solved := own.isSolved()
	for i, h := range helpers {
		s.nodes += h.nodes
		s.expansions += h.expansions
		if r := results[i]; !solved && h.reason == solver.NoReason && r.isSolved() {
			own, solved = r, true
		}
	}
	if solved {
		s.reason = solver.NoReason
		return own
	}
	if s.reason == solvedElsewhere {
		// Another thread had to stop, of which this one heard as if the root were solved.
		s.reason = solver.ReasonNodes
		for _, h := range helpers {
			if h.reason != solver.NoReason && h.reason != solvedElsewhere {
				s.reason = h.reason
			}
		}
	}
	return own
}

// findSolvedFrame looks for the position nearest to the root on the path that another thread has
// solved. The frames beyond it end then.
func (s *searcher) findSolvedFrame() {
	for i := 1; i < len(s.frames); i++ {
		f := &s.frames[i]
		var r probed
		s.table.probe(f.key, f.hand, f.len, f.depth, &r)
		if r.isSolved() {
			s.unwindTo = f.depth
			return
		}
	}
}

// solvedByOther returns what another thread found out about f, which is why the frames beyond f
// have ended. ok is false if the table has forgotten it.
func (s *searcher) solvedByOther(f *frame) (r result, ok bool) {
	s.unwindTo = noUnwind
	var found probed
	s.table.probe(f.key, f.hand, f.len, f.depth, &found)
	return result{found.value, shogi.NoMove}, found.isSolved()
}

// refresh looks the open children of f up again, for what other threads have found.
func (s *searcher) refresh(f *frame) {
	for i := f.first; i < f.first+f.count; i++ {
		ch := &s.children[i]
		if !ch.active || ch.isSolved() {
			continue
		}
		var r probed
		s.table.probe(ch.key, ch.hand, s.lenAfter(f, ch), f.depth+1, &r)
		if r.isSolved() {
			ch.value = r.value
			s.release(f, i)
		} else if r.found {
			ch.pn, ch.dn, ch.fresh = r.pn, r.dn, false
		}
	}
}
