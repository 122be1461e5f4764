package dfpn

import (
	"sync"
	"sync/atomic"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A crew is the threads of one search. They search the same position and share the table, and nothing tells them apart but
// what each finds there: a position that others are below counts as harder by one leaf for each (Kaneko 2010, virtual
// proof numbers), so that they spread.
//
// A thread leaves what another has solved in the meantime: its frames look again after each longer visit, and its path
// is looked through about every millisecond.
type crew struct {
	// visitors counts the threads that are below a position, by a part of its key. Positions that share a counter make each
	// other harder for a while, and no more.
	visitors [1 << 16]atomic.Int32

	// world is held for reading by every thread that searches, and for writing by the one that moves the entries.
	world     sync.RWMutex
	attention atomic.Int32 // not 0: threads must call heed
	done      atomic.Bool  // somebody has solved the position, or has to stop

	nodes atomic.Uint64 // of all threads, by the thousand
}

// solvedElsewhere stops a thread. Nobody outside sees it.
const solvedElsewhere solver.Reason = "solved elsewhere"

func (t *crew) visitorsOf(key uint64, hand shogi.Hand) *atomic.Int32 {
	return &t.visitors[(key^uint64(hand)*0x9e3779b97f4a7c15>>32)%uint64(len(t.visitors))]
}

// heed lets another thread have the table for itself, or stops this one if the team is done.
func (s *searcher) heed() {
	if s.team.done.Load() {
		s.reason = solvedElsewhere
		return
	}
	s.team.world.RUnlock()
	s.team.world.RLock()
}

// makeRoom makes room in the table, with the other threads halted.
func (s *searcher) makeRoom() {
	t := s.team
	if t == nil {
		s.table.makeRoom(s.stopped)
		return
	}
	t.attention.Add(1)
	t.world.RUnlock()
	t.world.Lock()
	if s.table.isFull() { // nobody else was first
		s.table.makeRoom(s.stopped)
	}
	t.world.Unlock()
	t.world.RLock()
	t.attention.Add(-1)
}

// together searches the position on the board for a mate within length plies with all threads.
func (s *searcher) together(length int32) result {
	t := s.crew
	if t == nil {
		return s.root(length)
	}
	var share uint64 // of the nodes that are left, for each thread
	if s.limit > 0 {
		if share = (s.limit - min(s.limit, s.nodes)) / uint64(len(s.others)+1); share == 0 {
			return s.root(length)
		}
	}
	t.done.Store(false)
	t.attention.Store(0)
	t.nodes.Store(s.nodes - s.nodes%pollEvery) // as much is added when the thread's own number is round
	results := make([]result, len(s.others))
	var running sync.WaitGroup
	for i, o := range s.others {
		o.ctx, o.p = s.ctx, s.p
		o.nodes, o.limit, o.reason = 0, share, solver.NoReason
		running.Go(func() { results[i] = o.share(length) })
	}
	limit := s.limit
	s.limit -= share * uint64(len(s.others))
	own := s.share(length)
	running.Wait()
	s.limit = limit

	solved := own.pn == 0 || own.dn == 0
	for i, o := range s.others {
		s.nodes += o.nodes
		if r := results[i]; !solved && o.reason == solver.NoReason && (r.pn == 0 || r.dn == 0) {
			own, solved = r, true
		}
	}
	if solved {
		s.reason = solver.NoReason
	} else if s.reason == solvedElsewhere {
		s.reason = solver.ReasonNodes // another ran out of its share of them
		for _, o := range s.others {
			if o.reason != solver.NoReason && o.reason != solvedElsewhere {
				s.reason = o.reason
			}
		}
	}
	return own
}

// share is one thread's part.
func (s *searcher) share(length int32) result {
	s.team = s.crew
	s.team.world.RLock()
	r := s.root(length)
	s.team.done.Store(true)
	s.team.attention.Add(1)
	s.team.world.RUnlock()
	s.team = nil
	return r
}

// lookUp looks for the nearest to the root of the positions on the path that another thread has solved. The frames beyond
// it end then.
func (s *searcher) lookUp() {
	for i := 1; i < len(s.frames); i++ {
		f := &s.frames[i]
		var r look
		s.table.look(f.key, f.hand, f.len, f.depth, &r)
		if r.pn == 0 || r.dn == 0 {
			s.unwindTo = f.depth
			return
		}
	}
}

// solvedMeanwhile returns what another thread found out about f, which is why the frames beyond it have ended.
func (s *searcher) solvedMeanwhile(f *frame) (r result, ok bool) {
	s.unwindTo = never
	var l look
	s.table.look(f.key, f.hand, f.len, f.depth, &l)
	if l.pn != 0 && l.dn != 0 {
		return r, false // forgotten again
	}
	return result{pn: l.pn, dn: l.dn, hand: l.hand, len: l.len, loopTop: never, best: l.best}, true
}

// refresh looks the open children of f up again.
func (s *searcher) refresh(f *frame) {
	for i := f.first; i < f.first+f.count; i++ {
		ch := &s.children[i]
		if !ch.active || ch.pn == 0 || ch.dn == 0 {
			continue
		}
		var r look
		s.table.look(ch.key, ch.hand, f.len-1, f.depth+1, &r)
		if r.pn == 0 || r.dn == 0 {
			ch.pn, ch.dn, ch.solved, ch.len, ch.loopTop = r.pn, r.dn, r.hand, r.len, never
			s.release(f, i)
		} else if r.found {
			ch.pn, ch.dn, ch.fresh = r.pn, r.dn, false
		}
	}
}
