package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

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
	patient  bool // it waits for its search as long as it takes: a line of a batch
}

// A key is what an answer depends on, as long as time does not end the search.
type key struct {
	sfen  string
	plies int
	nodes uint64
}

func (q *question) key() key { return key{q.sfen, q.limits.Plies, q.limits.Nodes} }

// A finding is the answer to a question, ready to be sent. It does not change after it was made.
type finding struct {
	solved
	core    []byte // the JSON object of the answer without elapsed_us and without the closing brace
	elapsed time.Duration
	proven  bool
	lasting bool // the same question gets the same answer again: neither time nor a client ended the search
}

// newFinding turns the result of a search into the answer.
func newFinding(q *question, r *solver.Result, elapsed time.Duration) *finding {
	f := &finding{
		solved:  solved{verdict: r.Verdict.String(), reason: string(r.Reason), solver: r.Solver},
		elapsed: elapsed,
		proven:  r.Verdict != solver.Unknown,
	}
	switch r.Reason {
	case solver.ReasonPlies, solver.ReasonNodes, solver.ReasonDepth:
		f.lasting = true
	default:
		f.lasting = f.proven
	}
	f.core = appendAnswer(make([]byte, 0, 256+40*len(r.Line)), q, r)
	f.core = f.core[:len(f.core):len(f.core)]
	return f
}

// etag returns the strong tag of the body of a GET.
func (f *finding) etag() string {
	sum := sha256.Sum256(f.plain())
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"`
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
	const bookkeeping = 320 // of otter's node and table, of this struct and of its allocations, measured by a test
	return uint32(len(k.sfen) + cap(f.core) + bookkeeping)
}

// errBusy says that there was no place for the search of a question, and none became free in time.
var errBusy = errors.New("httpapi: all places for searches are taken")

// A searcher answers questions: from the cache, from a search that is under way, or with a new one.
type searcher struct {
	solver  solver.Solver
	gate    gate
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

// A flight is a search that several clients may be waiting for.
type flight struct {
	done    chan struct{} // closed at the end, when finding and err are set
	cancel  context.CancelFunc
	waiting int  // clients; at 0 the search is cancelled. Guarded by searcher.mu
	entered bool // it got its place at once
	finding *finding
	err     error
}

func newSearcher(c *Config, m *metrics) (*searcher, error) {
	s := &searcher{
		solver:  c.Solver,
		gate:    gate{places: make(chan struct{}, c.MaxSearches), room: int64(c.MaxQueue), wait: c.QueueWait, metrics: m},
		metrics: m,
		flights: map[flightKey]*flight{},
	}
	if c.CacheBytes > 0 {
		var err error
		s.cache, err = otter.New(&otter.Options[key, *finding]{MaximumWeight: uint64(c.CacheBytes), Weigher: weight})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// find answers q. source says where the answer comes from, as in solved.source. The only error is errBusy, and a
// search that panicked for somebody else.
func (s *searcher) find(ctx context.Context, q *question) (f *finding, source string, err error) {
	if s.cache != nil {
		if f, ok := s.cache.GetIfPresent(q.key()); ok {
			s.metrics.hit.Inc()
			return f, "cache", nil
		}
	}
	k := flightKey{q.key(), q.time, q.patient}
	began := time.Now()
	s.mu.Lock()
	fl, joins := s.flights[k]
	if joins {
		fl.waiting++
	} else {
		fl = &flight{done: make(chan struct{}), waiting: 1, entered: s.gate.tryEnter()}
		searchCtx := context.WithoutCancel(ctx)
		if fl.entered {
			searchCtx, fl.cancel = context.WithTimeout(searchCtx, q.time)
		} else {
			searchCtx, fl.cancel = context.WithCancel(searchCtx) // its time begins with the search
		}
		s.flights[k] = fl
		s.mu.Unlock()
		s.metrics.miss.Inc()
		// The leader searches in its own goroutine, also for those who joined after its client went away.
		stop := context.AfterFunc(ctx, func() { s.leave(k, fl) })
		defer stop()
		s.fly(searchCtx, k, fl, q)
		return fl.finding, "search", fl.err
	}
	s.mu.Unlock()

	select {
	case <-fl.done:
	case <-ctx.Done():
		s.leave(k, fl)
		r := solver.Result{Reason: solver.ReasonCancelled}
		return newFinding(q, &r, time.Since(began)), "joined", nil
	}
	if fl.err == nil && fl.finding.reason == string(solver.ReasonTime) && time.Since(began) < q.time {
		// That search began before this question came. It has a right to all of its time.
		return s.find(ctx, q)
	}
	s.metrics.joined.Inc()
	return fl.finding, "joined", fl.err
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

// fly waits for a place and searches. Whatever happens, fl is done afterwards.
func (s *searcher) fly(ctx context.Context, k flightKey, fl *flight, q *question) {
	fl.err = errPanic
	defer func() {
		s.mu.Lock()
		s.land(k, fl)
		s.mu.Unlock()
		fl.cancel()
		close(fl.done)
	}()
	if !fl.entered {
		if err := s.gate.enter(ctx, q.patient); err != nil {
			if !errors.Is(err, errBusy) { // nobody waits any more
				r := solver.Result{Reason: solver.ReasonCancelled}
				fl.finding, err = newFinding(q, &r, 0), nil
			}
			fl.err = err
			return
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.time)
		defer cancel()
	}
	defer s.gate.leave()

	began := time.Now()
	r := s.solver.Solve(ctx, q.position, q.limits)
	elapsed := time.Since(began)
	s.metrics.searchBy[r.Verdict].Observe(elapsed.Seconds())
	s.metrics.nodes.WithLabelValues(r.Solver).Add(float64(r.Nodes))

	fl.finding, fl.err = newFinding(q, &r, elapsed), nil
	if s.cache != nil && fl.finding.lasting {
		s.cache.Set(k.key, fl.finding)
	}
}

// A gate bounds how many searches run, how many wait for that, and how long.
type gate struct {
	places  chan struct{} // one element for each search that runs
	waiting atomic.Int64
	room    int64
	wait    time.Duration
	metrics *metrics
}

// tryEnter takes a place if one is free.
func (g *gate) tryEnter() bool {
	select {
	case g.places <- struct{}{}:
		g.metrics.searching.Inc()
		g.metrics.queueSeconds.Observe(0)
		return true
	default:
		return false
	}
}

// enter waits for a place and takes it. Those who wait get one in the order in which they came. It returns errBusy if there is no room
// to wait or the wait was in vain; the patient wait however long it takes. It returns ctx's error if that ends.
func (g *gate) enter(ctx context.Context, patient bool) error {
	var timeout <-chan time.Time
	if !patient {
		if g.waiting.Add(1) > g.room {
			g.waiting.Add(-1)
			return errBusy
		}
		defer g.waiting.Add(-1)
		timer := time.NewTimer(g.wait)
		defer timer.Stop()
		timeout = timer.C
	}
	g.metrics.queued.Inc()
	defer g.metrics.queued.Dec()
	began := time.Now()
	select {
	case g.places <- struct{}{}:
		g.metrics.searching.Inc()
		g.metrics.queueSeconds.Observe(time.Since(began).Seconds())
		return nil
	case <-timeout:
		return errBusy
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives the place back.
func (g *gate) leave() {
	g.metrics.searching.Dec()
	<-g.places
}
