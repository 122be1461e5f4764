package httpapi

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/maypok86/otter/v2"

	"github.com/tsumero/tsumero/api/etag"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A question is what a request asks, understood and within the limits.
type question struct {
	position shogi.Position
	attacker shogi.Color
	sfen     string // canonical, with the move number 1: two positions that differ in it are the same problem
	limits   solver.Limits
	time     time.Duration
	client   *client       // who asks, and whose work it is
	moves    bool          // about each move; see moves.go
	patient  bool          // it waits for its search as long as it takes: a line of a batch
	follow   func(*flight) // told, unless nil, of the search that is to answer, before it begins, and again of another one
}

// A key is what an answer depends on, as long as time does not end the search.
type key struct {
	sfen     string
	moves    bool
	attacker shogi.Color
	plies    int
	nodes    uint64
	shortest bool
}

func (q *question) key() key {
	return key{q.sfen, q.moves, q.attacker, q.limits.Plies, q.limits.Nodes, q.limits.Shortest}
}

// A finding is the answer to a question, ready to be sent. It does not change after it was made.
type finding struct {
	solved
	result  solver.Result // zero if the question was about moves
	core    []byte        // the JSON object of the answer without elapsed_us and without the closing brace
	elapsed time.Duration
	lasting bool // the same question gets the same answer again: neither time nor a client ended the search
	proven  bool // and it is no unknown, which may be known better tomorrow
	refused bool // some of it needed a slot that there was none of, for who asked
}

// newFinding turns the result of a search into the answer.
func newFinding(q *question, r *solver.Result, elapsed time.Duration) *finding {
	f := &finding{
		solved:  solved{verdict: r.Verdict.String(), reason: string(r.Reason), solver: r.Solver},
		result:  *r,
		elapsed: elapsed,
	}
	switch r.Reason {
	case solver.ReasonPlies, solver.ReasonNodes, solver.ReasonDepth:
		f.lasting = true
	case solver.NoReason:
		f.lasting = r.Verdict != solver.Unknown
	}
	f.proven = f.lasting && r.Verdict != solver.Unknown
	f.core = appendAnswer(make([]byte, 0, 256+40*len(r.Line)), q, r)
	f.core = f.core[:len(f.core):len(f.core)]
	return f
}

// etag returns the strong tag of the body of a GET.
func (f *finding) etag() string {
	return etag.Of(f.plain())
}

// plain returns the body of a GET: nothing in it changes from run to run.
func (f *finding) plain() []byte { return append(f.core, "}\n"...) }

// timed returns the body of a POST, or a line of a batch if there is an id or not even that.
func (f *finding) timed() []byte {
	return f.appendTimed(make([]byte, 0, len(f.core)+40))
}

func (f *finding) appendTimed(dst []byte) []byte {
	dst = append(dst, f.core...)
	dst = append(dst, `,"elapsed_us":`...)
	dst = strconv.AppendInt(dst, f.elapsed.Microseconds(), 10)
	return append(dst, "}\n"...)
}

// weight is how many bytes of memory an entry of the cache takes.
func weight(k key, f *finding) uint32 {
	const bookkeeping = 416 // of otter's node and table, of this struct and of its allocations, measured by a test
	return uint32(len(k.sfen) + cap(f.core) + int(unsafe.Sizeof(shogi.NoMove))*cap(f.result.Line) + bookkeeping)
}

// A searcher answers questions: from the cache, from a search that is under way, or with a new one.
type searcher struct {
	lanes   []*lane                     // in the order in which they are asked
	cache   *otter.Cache[key, *finding] // nil for none
	metrics *metrics

	mu      sync.Mutex
	flights map[flightKey]*flight
}

// A flightKey is what two questions must share to share a search.
type flightKey struct {
	key
	time    time.Duration
	patient bool
}

// A flight is the way of a question through the lanes. Several clients may be waiting for it.
type flight struct {
	client  *client       // of the leader
	done    chan struct{} // closed at the end, when finding and err are set
	finding *finding
	err     error

	progress atomic.Pointer[solver.Progress] // of the search; nil while it waits for its place

	// Guarded by searcher.mu.
	joined  []*client          // clients other than the leader's
	queued  func(*client)      // while it waits for a slot: lets it wait on the account of another
	waiting int                // requests; with the last of them the search is cancelled
	cancel  context.CancelFunc // nil at first, when the leader does not leave: see hold
}

// refused reports whether the flight, which is done, got no slot for want of room for its client.
func (fl *flight) refused() bool {
	var busy *busyError
	return errors.As(fl.err, &busy) || fl.err == nil && fl.finding.refused
}

func newSearcher(c *Config, m *metrics) (*searcher, error) {
	s := &searcher{metrics: m, flights: map[flightKey]*flight{}}
	if c.Quick != nil {
		s.lanes = append(s.lanes, newLane("quick", c.Quick, c.QuickNodes, c.MaxSearches,
			c.MaxQueue, c.QueueWait, c, m))
	}
	s.lanes = append(s.lanes, newLane("long", c.Solver, 0, c.LongSearches, c.LongQueue,
		c.LongWait, c, m))
	if c.CacheBytes > 0 {
		var err error
		s.cache, err = otter.New(&otter.Options[key, *finding]{MaximumWeight: uint64(c.CacheBytes), Weigher: weight})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// longestWait is how long a question may wait for the slot of a long search.
func (s *searcher) longestWait() time.Duration { return s.lanes[len(s.lanes)-1].wait }

// find answers q. source says where the answer comes from, as in solved.source. The only errors are
// a *busyError, and that a search panicked for somebody else.
//
// Nobody waits longer than if they had asked alone. An equal question has the same limit of time,
// so that an answer which that ended is as good as one's own would be, and comes sooner. But that
// there is no slot for one client does not say that there is none for another.
func (s *searcher) find(ctx context.Context, q *question) (f *finding, source string, err error) {
	if s.cache != nil {
		if f, ok := s.cache.GetIfPresent(q.key()); ok {
			s.metrics.hit.Inc()
			return f, "cache", nil
		}
	}
	k := flightKey{q.key(), q.time, q.patient}
	for began := time.Now(); ; {
		fl, leads := s.board(k, q.client)
		if q.follow != nil {
			q.follow(fl)
		}
		if leads {
			s.metrics.miss.Inc()
			s.fly(ctx, k, fl, q, time.Since(began))
			return fl.finding, "search", fl.err
		}
		select {
		case <-fl.done:
		case <-ctx.Done():
			s.leave(k, fl)
			if q.moves {
				f, err := s.judge(ctx, q, 0) // which has no time to ask anything
				return f, "joined", err
			}
			return cancelled(q, time.Since(began)), "joined", nil
		}
		if fl.refused() && fl.client != q.client && time.Since(began) < s.longestWait() {
			continue
		}
		s.metrics.joined.Inc()
		return fl.finding, "joined", fl.err
	}
}

// board joins the flight of an equal question, or begins one and leads it.
func (s *searcher) board(k flightKey, c *client) (fl *flight, leads bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if fl, ok := s.flights[k]; ok {
		fl.waiting++
		if fl.client != c && !slices.Contains(fl.joined, c) {
			fl.joined = append(fl.joined, c)
			if fl.queued != nil {
				fl.queued(c)
			}
		}
		return fl, false
	}
	fl = &flight{client: c, done: make(chan struct{}), waiting: 1}
	s.flights[k] = fl
	return fl, true
}

// queue lets fl, which waits for a slot, wait on the account of whichever of its clients has the
// fewest searches before it: nobody waits for the other searches of somebody who asked the same.
func (s *searcher) queue(fl *flight, l *lane, sl *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fl.queued = func(c *client) { l.move(sl, c) }
	for _, c := range fl.joined {
		fl.queued(c)
	}
}

// hold makes the leader of fl one who may leave when ctx ends, and returns the context of the search, which ends when
// all have left. To release it ends it too. Until then nobody can end the search, so it must be done before the search
// takes any time worth mentioning, or waits.
func (s *searcher) hold(ctx context.Context, k flightKey, fl *flight) (searchCtx context.Context, release func()) {
	searchCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.mu.Lock()
	fl.cancel = cancel
	s.mu.Unlock()
	stop := context.AfterFunc(ctx, func() { s.leave(k, fl) })
	return searchCtx, func() {
		stop()
		cancel()
	}
}

// leave says that a client does not wait for fl any more.
func (s *searcher) leave(k flightKey, fl *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if fl.waiting--; fl.waiting == 0 {
		fl.cancel()
		s.land(k, fl) // who asks the same now gets a search that is not cancelled
	}
}

// land takes fl out of the flights that can be joined. s.mu is held.
func (s *searcher) land(k flightKey, fl *flight) {
	if s.flights[k] == fl {
		delete(s.flights, k)
	}
}

// errPanic is what those get who joined a search that panicked. The leader has the panic.
var errPanic = errors.New("httpapi: the search of an equal question panicked")

// fly takes q through the lanes, in the goroutine of the leader, also for those who joined after its client went away.
// Whatever happens, fl is done afterwards. waited is how long q has waited for slots already.
func (s *searcher) fly(ctx context.Context, k flightKey, fl *flight, q *question,
	waited time.Duration) {
	fl.err = errPanic
	defer func() {
		s.mu.Lock()
		s.land(k, fl)
		s.mu.Unlock()
		close(fl.done)
	}()
	if q.moves {
		searchCtx, release := s.hold(ctx, k, fl)
		defer release()
		fl.finding, fl.err = s.judge(searchCtx, q, waited)
		if s.cache != nil && fl.err == nil && fl.finding.lasting {
			s.cache.Set(k.key, fl.finding)
		}
		return
	}
	searchCtx, held := context.WithoutCancel(ctx), false
	var r solver.Result
	var elapsed time.Duration
	for _, l := range s.lanes {
		limit := q.time - elapsed
		sl := l.tryAcquire(q, l.longest(limit))
		if !held && (sl == nil || l.most == 0) {
			var release func()
			searchCtx, release = s.hold(ctx, k, fl)
			defer release()
			held = true
		}
		if sl == nil {
			fl.progress.Store(nil)
			var err error
			sl, err = l.acquire(searchCtx, q, l.longest(limit), max(0, l.wait-waited),
				func(sl *slot) { s.queue(fl, l, sl) })
			if err != nil {
				var busy *busyError
				if errors.As(err, &busy) {
					fl.err = err
				} else { // nobody waits any more
					fl.finding, fl.err = cancelled(q, elapsed), nil
				}
				return
			}
		}
		before := r
		var took time.Duration
		r, took = l.search(searchCtx, sl, fl, q, limit)
		elapsed += took
		if before.Verdict == solver.Mate && r.Verdict == solver.Unknown && (r.Reason == solver.ReasonTime || r.Reason == solver.ReasonCancelled) {
			before.Reason = r.Reason // the longer search did not come as far as the shorter
			r = before
		}
		if !l.ranOut(q, &r) {
			break
		}
	}
	fl.finding, fl.err = newFinding(q, &r, elapsed), nil
	if s.cache != nil && fl.finding.lasting {
		s.cache.Set(k.key, fl.finding)
	}
}

// cancelled is the answer to somebody who did not wait for it, or whom the end of the service did not let wait.
func cancelled(q *question, elapsed time.Duration) *finding {
	return newFinding(q, &solver.Result{Reason: solver.ReasonCancelled}, elapsed)
}
