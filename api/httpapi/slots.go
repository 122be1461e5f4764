package httpapi

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Slots bound how many searches of one kind run at once and how many questions wait for that, and
// share both out among the clients:
//
//   - A slot that becomes free goes to the client with the fewest searches running; of these, to
//     the one whose searches took the least time; of these, to the one that came first. A client
//     that comes is taken to have had its share so far (fair queueing with a virtual clock).
//   - Where the queue is full and somebody comes who waits for less than another client does, the
//     last question of the client that waits for the most is refused instead (longest queue drop).
//
// So a client alone has all slots, and beside others it has its share, however many connections it
// opens. No search is interrupted: the first turn comes when one ends, at the latest after the
// longest time that a search may take.
//
// The lines of batches wait as long as it takes and have no place in the queue. A client's single
// questions and lines take turns.
type slots struct {
	total     int
	queueSize int           // single questions that may wait
	wait      time.Duration // the longest wait of a single question
	long      bool          // for busyError

	mu      sync.Mutex
	running []*slot
	queued  int // single questions
	shares  map[*client]*share
	virtual time.Duration // what one used that always had its share: a newcomer begins with it
	arrived uint64

	searching, waiting prometheus.Gauge
	queueSeconds       prometheus.Observer
}

// A share is what one client has of the slots. It is kept while it runs or waits for something, and
// until others have used as much.
type share struct {
	running int
	used    time.Duration // by its searches
	single  []*slot       // questions that wait, in the order in which they came
	lines   []*slot       // of batches
	line    bool          // it is a line's turn
}

// A slot is the right to run one search, or the wait for it.
type slot struct {
	client  *client       // on whose account; of a wait it may change, see move
	limit   time.Duration // the longest the search may take
	isLine  bool
	order   uint64
	began   time.Time // the wait, then the search
	until   time.Time // the end of a single question's patience
	granted chan struct{}
	err     error // set before granted is closed, nil if the search may run
}

// A busyError says that there was no slot for a search.
type busyError struct {
	long  bool          // for a long one
	after time.Duration // a guess when there will be: as if every search took all its time
}

func (e *busyError) Error() string {
	if e.long {
		return "httpapi: all slots for long searches are taken"
	}
	return "httpapi: all slots for searches are taken"
}

// tryAcquire takes a slot if one is free.
func (s *slots) tryAcquire(q *question, limit time.Duration) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.running) == s.total {
		return nil
	}
	sl := &slot{client: q.client, limit: limit}
	s.start(sl, s.shareOf(q.client))
	s.queueSeconds.Observe(0)
	return sl
}

// acquire waits for a slot, for no longer than most unless q is a line of a batch. It returns a
// *busyError if the question cannot wait or waited in vain, and ctx's error if that ends. The
// search may take no longer than limit. queued, unless it is nil, is called with the wait before
// it begins.
func (s *slots) acquire(ctx context.Context, q *question, limit, most time.Duration,
	queued func(*slot)) (*slot, error) {
	s.mu.Lock()
	if !q.patient && s.queued >= s.queueSize && len(s.running) == s.total && !s.makeRoom(q.client) {
		defer s.mu.Unlock()
		return nil, s.refusal()
	}
	sl := s.enqueue(q, limit)
	sl.until = sl.began.Add(most)
	began := sl.began
	s.grant()
	s.mu.Unlock()
	if queued != nil {
		queued(sl)
	}

	var timeout <-chan time.Time
	if !q.patient {
		timer := time.NewTimer(most)
		defer timer.Stop()
		timeout = timer.C
	}
	s.waiting.Inc()
	defer s.waiting.Dec()
	select {
	case <-sl.granted:
	case <-timeout:
		s.giveUp(sl, nil)
	case <-ctx.Done():
		s.giveUp(sl, ctx.Err())
	}
	if sl.err != nil {
		return nil, sl.err
	}
	s.queueSeconds.Observe(time.Since(began).Seconds())
	return sl, nil
}

// release gives the slot to the next in turn.
func (s *slots) release(sl *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.searching.Dec()
	s.running = remove(s.running, sl)
	took := time.Since(sl.began)
	active := 0
	for _, own := range s.shares {
		if !own.isIdle() {
			active++
		}
	}
	s.virtual += took / time.Duration(active)
	own := s.shares[sl.client]
	own.running--
	own.used += took
	s.grant()
}

// move makes sl wait on the account of c, who asks the same, if fewer searches of c are before it
// than of the client that asked first.
func (s *slots) move(sl *slot, c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := s.shares[sl.client]
	if from == nil {
		return // it gave up
	}
	to := s.shareOf(c)
	before, behind := slices.Index(from.single, sl), len(to.single)
	if sl.isLine {
		before, behind = slices.Index(from.lines, sl), len(to.lines)
	}
	if before < 0 || from.running+before <= to.running+behind {
		return // it waits no more, or would wait longer
	}
	s.leave(sl, from)
	sl.client = c
	s.join(sl, to)
}

// The rest is called with s.mu held, but for giveUp.

// shareOf returns the share of a client.
func (s *slots) shareOf(c *client) *share {
	own := s.shares[c]
	if own == nil {
		own = &share{used: s.virtual}
		s.shares[c] = own
	}
	return own
}

// start gives sl a slot that is free.
func (s *slots) start(sl *slot, own *share) {
	own.running++
	sl.began = time.Now()
	s.running = append(s.running, sl)
	s.searching.Inc()
}

// enqueue puts a question in line.
func (s *slots) enqueue(q *question, limit time.Duration) *slot {
	own := s.shareOf(q.client)
	s.arrived++
	sl := &slot{client: q.client, limit: limit, isLine: q.patient, order: s.arrived,
		began: time.Now(), granted: make(chan struct{})}
	s.join(sl, own)
	return sl
}

// join puts sl behind the others of a client.
func (s *slots) join(sl *slot, own *share) {
	if sl.isLine {
		own.lines = append(own.lines, sl)
		return
	}
	own.single = append(own.single, sl)
	s.queued++
}

// grant gives the free slots to those in line.
func (s *slots) grant() {
	for len(s.running) < s.total {
		var next *slot
		var of *share
		for c, own := range s.shares {
			if own.isIdle() && own.used <= s.virtual {
				delete(s.shares, c)
			}
			if head := own.head(); head != nil &&
				(next == nil || cmp.Or(cmp.Compare(own.running, of.running),
					cmp.Compare(own.used, of.used), cmp.Compare(head.order, next.order)) < 0) {
				next, of = head, own
			}
		}
		if next == nil {
			return
		}
		s.leave(next, of)
		of.line = !next.isLine
		s.start(next, of)
		close(next.granted)
	}
}

// head returns the client's next in line.
func (o *share) head() *slot {
	switch {
	case len(o.lines) > 0 && (o.line || len(o.single) == 0):
		return o.lines[0]
	case len(o.single) > 0:
		return o.single[0]
	}
	return nil
}

// leave takes one out of the line.
func (s *slots) leave(sl *slot, own *share) {
	if sl.isLine {
		own.lines = remove(own.lines, sl)
		return
	}
	own.single = remove(own.single, sl)
	s.queued--
}

func remove(all []*slot, sl *slot) []*slot {
	i := slices.Index(all, sl)
	return slices.Delete(all, i, i+1)
}

// isIdle reports whether a client neither runs nor waits for anything.
func (o *share) isIdle() bool { return o.running == 0 && o.head() == nil }

// makeRoom refuses the last question of the client that waits for the most, if c waits for less
// and still does with one more, and reports whether it did.
func (s *slots) makeRoom(c *client) bool {
	least := 1
	if own := s.shares[c]; own != nil {
		least += len(own.single)
	}
	var most *share
	for _, own := range s.shares {
		if n := len(own.single); n > least && (most == nil || n > len(most.single) ||
			n == len(most.single) && own.single[n-1].order > most.single[n-1].order) {
			most = own
		}
	}
	if most == nil {
		return false
	}
	last := most.single[len(most.single)-1]
	last.err = s.refusal()
	s.leave(last, most) // others of its client are in line
	close(last.granted)
	return true
}

// giveUp takes sl out of the line for a reason, nil for that it waited too long, unless it has got
// a slot or was refused at that moment.
func (s *slots) giveUp(sl *slot, reason error) {
	s.mu.Lock()
	select {
	case <-sl.granted:
		s.mu.Unlock()
		if sl.err == nil && reason != nil { // nobody would use it
			s.release(sl)
			sl.err = reason
		}
		return
	default:
	}
	defer s.mu.Unlock()
	own := s.shares[sl.client]
	s.leave(sl, own)
	if sl.err = reason; reason == nil {
		sl.err = s.refusal()
	}
}

// lateEnd is how long after its time a search has ended.
const lateEnd = 100 * time.Millisecond

// refusal returns what a question that does not get a slot is told: after how long one like it
// finds room in the queue, and a slot before it has waited for too long.
func (s *slots) refusal() *busyError {
	now := time.Now()
	var free []time.Time // when each slot becomes free
	for _, sl := range s.running {
		free = append(free, sl.began.Add(sl.limit+lateEnd))
	}
	var line []*slot // as if it went by order
	for _, own := range s.shares {
		line = append(line, own.single...)
		if len(own.lines) > 0 {
			line = append(line, own.lines[0])
		}
	}
	slices.SortFunc(line, func(a, b *slot) int { return cmp.Compare(a.order, b.order) })

	next := func() int { // the slot that is free first
		return slices.Index(free, slices.MinFunc(free, time.Time.Compare))
	}
	room := now
	if s.queued >= s.queueSize { // until somebody gets a slot, or gives up
		room = free[next()]
		for _, sl := range line {
			if !sl.isLine && sl.until.Before(room) {
				room = sl.until
			}
		}
	}
	i := next()
	for _, sl := range line {
		if sl.isLine || !sl.until.Before(free[i]) {
			free[i] = free[i].Add(sl.limit + lateEnd)
			i = next()
		}
	}
	return &busyError{long: s.long, after: max(room.Sub(now), free[i].Add(-s.wait).Sub(now))}
}
