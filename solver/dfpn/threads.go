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
// share the table and the pathTable, which need no locks for that (table.go), and what the type
// threads holds; they do not share the path, the children, the moves, or the counters of TCA. Nothing
// else tells them apart: a position that other threads are below counts as harder by a leaf and a
// bit for each (virtual proof numbers, Kaneko 2010), so that they spread.
//
// Sound, because a thread takes from others only what is in the tables: proofs and absolute
// disproofs, which hold everywhere, and what holds on one path only when it has come by this very
// path. Open numbers of others change the order of work alone.
//
// So threads change how many nodes a search takes, and which mate is found first. They do not
// change a verdict that is reached, the length of the shortest mate, nor its line (solve.go,
// choose).

// threads is what the threads of one search share, besides the table.
type threads struct {
	helpers []*searcher // all threads but the first, which starts them
	after   uint64      // helpersAfter, or what a test wants
	root    shogi.Position
	length  int32    // of the mate that is looked for
	results []result // of the helpers
	running sync.WaitGroup

	// visitors counts the threads that are below a position which has cost sharedAmount, by a hash of
	// board and hand. Positions that share a counter make each other look harder for a while.
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
	// helpersAfter is after how many nodes the helpers begin, some milliseconds' worth.
	helpersAfter = 8 * pollEvery
	// sharedAmount is how much work a position must have cost, in nodes, for threads to keep out of
	// each other's way below it. Less costs less than to ask who is there.
	sharedAmount = 16
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

// makeRoom makes room in the table.
func (s *searcher) makeRoom() {
	s.alone(func(t *table) {
		if t.isFull() { // otherwise another thread was first
			t.makeRoom()
		}
	})
}

// alone has do move entries of the table, while the other threads wait at a safepoint.
func (s *searcher) alone(do func(*table)) {
	if !s.parallel {
		do(s.table)
		return
	}
	t := s.threads
	t.interrupts.Add(1)
	t.moving.RUnlock()
	t.moving.Lock()
	do(s.table)
	t.moving.Unlock()
	t.moving.RLock()
	t.interrupts.Add(-1)
}

// rootOnAllThreads is root with all threads of the search. The helpers begin when the solver has
// looked at helpersAfter nodes, so that a short search costs no more than with one thread.
func (s *searcher) rootOnAllThreads(length int32) result {
	t := s.threads
	if t == nil {
		return s.root(length)
	}
	t.root, t.length = s.p, length
	limit := s.limit
	if s.helpersAt = t.after; s.nodes >= t.after {
		s.startHelpers()
	}
	own := s.root(length)
	s.helpersAt = 0
	if !s.parallel {
		return own
	}
	s.leaveThreads()
	t.running.Wait()
	s.table.shared = false
	s.limit = limit
	return s.joined(own, t.results)
}

// startHelpers has all helpers search the root, from now on together with this thread. It does not
// if there are fewer nodes left than threads.
func (s *searcher) startHelpers() {
	s.helpersAt = 0
	t := s.threads
	var share uint64 // of the nodes that are left, for each thread
	if s.limit > 0 {
		share = (s.limit - min(s.limit, s.nodes)) / uint64(len(t.helpers)+1)
		if share == 0 {
			return
		}
		s.limit -= share * uint64(len(t.helpers))
	}
	t.done.Store(false)
	t.interrupts.Store(0)
	// The rest is added when this thread's own number is round.
	t.nodes.Store(s.nodes - s.nodes%pollEvery)
	t.results = make([]result, len(t.helpers))
	s.table.shared = true
	s.enterThreads()
	for i, h := range t.helpers {
		h.ctx, h.p, h.keeper = s.ctx, t.root, s.keeper
		h.nodes, h.expansions, h.limit, h.reason = 0, 0, share, solver.NoReason
		t.running.Go(func() {
			h.enterThreads()
			t.results[i] = h.root(t.length)
			h.leaveThreads()
		})
	}
}

// enterThreads begins a thread's part of a search of several.
func (s *searcher) enterThreads() {
	s.parallel = true
	s.threads.moving.RLock()
}

// leaveThreads ends a thread's part, and has the others end theirs.
func (s *searcher) leaveThreads() {
	t := s.threads
	t.done.Store(true)
	t.interrupts.Add(1)
	t.moving.RUnlock()
	s.parallel = false
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

// solvedByOther puts into r what another thread found out about f, which is why the frames beyond f
// have ended. It reports false if the table has forgotten it.
func (s *searcher) solvedByOther(f *frame, r *result) (solved bool) {
	s.unwindTo = noUnwind
	var found probed
	s.table.probe(f.key, f.hand, f.len, f.depth, &found)
	if !found.isSolved() {
		return false
	}
	*r = result{found.value, shogi.NoMove}
	return true
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
