package sched

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// A limiter bounds how many searches of a pool run at once and how many questions wait for that,
// and shares both out among the clients:
//
//   - A slot that becomes free goes to the client with the fewest searches running; of these, to
//     the one whose searches took the least time; of these, to the one that came first. A client
//     that comes is taken to have had its share so far (fair queueing with a virtual clock).
//   - The queue is full when those that wait in it need half of the longest wait to get their slots,
//     by the time that searches took lately: who cannot expect one soon is told so at once. How many
//     may wait is bounded for their memory alone.
//   - Where the queue is full and somebody comes who waits for less than another client does, the
//     last question of the client that waits for the most is refused instead (longest queue drop).
//
// So a client alone has all slots, and beside others it has its share, however many questions it
// asks at once. No search is interrupted: a slot is given out when one ends, at the latest after
// the longest time that a search may take, or in a pool with PoolConfig.Begun after a second.
//
// Questions of batches wait as long as it takes and have no place in the queue. A client's single
// questions and those of its batches take turns.
type limiter struct {
	kind      Kind
	total     int           // slots
	parked    int           // searches more that may have begun, and wait for their next turn
	queueSize int           // single questions that may wait
	wait      time.Duration // the longest wait of a single question
	turn      time.Duration // how long a search has a slot that others wait for
	observer  Observer

	mu      sync.Mutex
	running []*slot
	begun   int           // searches
	queued  int           // single questions that wait
	asking  int           // clients that have some of these
	batches int           // clients of which questions of batches wait
	mean    time.Duration // that searches took lately, 0 until the first has ended
	shares  map[*Client]*share
	spare   *share        // one that was dropped, to be used again; nil if there is none
	virtual time.Duration // the virtual clock: what a client used that always had its share
	arrived uint64
}

// limiterFor returns the limiter of a pool.
func limiterFor(kind Kind, c PoolConfig, o Observer) limiter {
	if c.Queue == 0 {
		c.Queue = 1024 * c.Slots
	}
	return limiter{kind: kind, total: c.Slots, parked: max(0, c.Begun-c.Slots),
		queueSize: max(0, c.Queue), wait: c.Wait, turn: turn, observer: o, shares: map[*Client]*share{}}
}

// A share is what one client has of the slots. It is kept while it runs or waits for something, and
// until others have used as much.
type share struct {
	running   int
	begun     int           // searches, those that run and those that wait for their turn
	used      time.Duration // by its searches
	single    []*slot       // single questions that wait, in the order in which they came
	batch     []*slot       // likewise those of batches
	batchNext bool          // the next one of these, if there are both, is of a batch
}

// A slot is the right to run one search, or the wait for it.
type slot struct {
	client  *Client       // on whose account; of a wait it may change, see move
	limit   time.Duration // the longest the search may take
	batch   bool
	order   uint64
	began   time.Time // the wait, then the search
	begun   bool      // its search has, and may wait again
	until   time.Time // a single question waits no longer
	granted chan struct{}
	err     error // set before granted is closed, nil if the search may run
}

// tryAcquire takes a slot if one is free.
func (l *limiter) tryAcquire(q *Question, limit time.Duration) *slot {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.shareOf(q.Client)
	if l.isFull() || !l.mayBegin(own) {
		return nil
	}
	sl := &slot{client: q.Client, limit: limit}
	l.start(sl, own)
	l.observer.Granted(l.kind, 0)
	return sl
}

// acquire waits for a slot, for no longer than most unless q is part of a batch. It returns an
// *OverloadedError if the question cannot wait or waited in vain, and ctx's error if that ends. The
// search may take no longer than limit. queued, unless it is nil, is called with the wait before
// it begins.
func (l *limiter) acquire(ctx context.Context, q *Question, limit, most time.Duration,
	queued func(*slot)) (*slot, error) {
	l.mu.Lock()
	if !q.Batch && l.isFull() && l.isQueueFull() && !l.dropLongest(q.Client) {
		defer l.mu.Unlock()
		return nil, l.refusal()
	}
	l.arrived++
	began := time.Now()
	sl := &slot{client: q.Client, limit: limit, batch: q.Batch, order: l.arrived, began: began,
		until: began.Add(most), granted: make(chan struct{})}
	l.enqueue(sl, l.shareOf(q.Client))
	l.grant()
	l.mu.Unlock()
	if queued != nil {
		queued(sl)
	}

	var timeout <-chan time.Time
	if !q.Batch {
		timer := time.NewTimer(most)
		defer timer.Stop()
		timeout = timer.C
	}
	l.observer.Waiting(l.kind, 1)
	defer l.observer.Waiting(l.kind, -1)
	select {
	case <-sl.granted:
	case <-timeout:
		l.giveUp(sl, nil)
	case <-ctx.Done():
		l.giveUp(sl, ctx.Err())
	}
	if sl.err != nil {
		return nil, sl.err
	}
	l.observer.Granted(l.kind, time.Since(began))
	return sl, nil
}

// release gives the slot to whoever is next.
func (l *limiter) release(sl *slot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun--
	l.shares[sl.client].begun--
	l.stop(sl)
	l.grant()
}

// turn is limiter.turn but in tests.
const turn = time.Second

// takesTurns reports whether searches that have begun may wait again.
func (l *limiter) takesTurns() bool { return l.parked > 0 }

// isFull reports whether no slot is free. A search that ended before its turn came has none and runs
// beside them for a moment: see yield. l.mu is held.
func (l *limiter) isFull() bool { return len(l.running) >= l.total }

// isQueueFull reports whether no single question may wait beside those that do. l.mu is held.
func (l *limiter) isQueueFull() bool { return l.queued >= l.queueSize || l.expected() > l.wait/2 }

// expected returns how long it takes until all single questions that wait have got a slot, as far as
// one can tell: clients with batches take turns with those that wait for such questions. l.mu is held.
func (l *limiter) expected() time.Duration {
	turns := 1 + float64(l.batches)/float64(max(1, l.asking))
	return time.Duration(float64(l.mean) * float64(l.queued) * turns / float64(l.total))
}

// meanOver is about how many searches limiter.mean looks back over: enough for that a few long ones
// among short ones do not matter, and few enough that it knows a change within their waits.
const meanOver = 32

// mayBegin reports whether another search of a client may begin, beside those that have. One client has
// no more than one besides the slots, and if more than one may wait for their turns then the last that
// may begin is of a client that has none. So two clients never keep a third one from its turns. Each
// further one waits until a search ends: turns for all would take memory for all, or searches would
// have to be given up in the middle. l.mu is held.
func (l *limiter) mayBegin(own *share) bool {
	free := l.total + l.parked - l.begun
	if own.begun > 0 && l.parked > 1 {
		free--
	}
	return free > 0 && own.begun <= l.total
}

// yield lets a search that has had its turn wait for the next one if others wait, or until ctx ends.
// pause is called before the wait, and resume after it.
func (l *limiter) yield(ctx context.Context, sl *slot, pause, resume func()) {
	l.mu.Lock()
	if !l.takesTurns() || time.Since(sl.began) < l.turn || !l.isWanted() {
		l.mu.Unlock()
		return
	}
	l.stop(sl)
	l.arrived++
	sl.order, sl.granted, sl.batch = l.arrived, make(chan struct{}), true // it is not refused any more
	l.enqueue(sl, l.shareOf(sl.client))
	l.grant()
	l.mu.Unlock()
	pause()
	l.observer.Waiting(l.kind, 1)
	select {
	case <-sl.granted:
	case <-ctx.Done(): // it is about to end, and needs no slot for that
		l.mu.Lock()
		select {
		case <-sl.granted:
		default:
			own := l.shares[sl.client]
			l.dequeue(sl, own)
			l.start(sl, own)
		}
		l.mu.Unlock()
	}
	l.observer.Waiting(l.kind, -1)
	resume()
}

// isWanted reports whether somebody waits who would get a slot that is free. l.mu is held.
func (l *limiter) isWanted() bool {
	for _, own := range l.shares {
		if l.head(own) != nil {
			return true
		}
	}
	return false
}

// stop takes the slot from a search, and charges its client for it. l.mu is held.
func (l *limiter) stop(sl *slot) {
	l.observer.Running(l.kind, -1)
	l.running = without(l.running, sl)
	took := time.Since(sl.began)
	if l.mean == 0 {
		l.mean = took
	}
	l.mean += (took - l.mean) / meanOver
	active := 0
	for _, own := range l.shares {
		if !own.isIdle() {
			active++
		}
	}
	l.virtual += took / time.Duration(active)
	own := l.shares[sl.client]
	own.running--
	own.used += took
}

// move makes sl wait on the account of c, who asks the same, if fewer searches of c are before it
// than of the client that asked first.
func (l *limiter) move(sl *slot, c *Client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := l.shares[sl.client]
	if from == nil {
		return // it gave up
	}
	to := l.shareOf(c)
	before, behind := slices.Index(from.single, sl), len(to.single)
	if sl.batch {
		before, behind = slices.Index(from.batch, sl), len(to.batch)
	}
	if before < 0 || from.running+before <= to.running+behind {
		return // it waits no more, or would wait longer
	}
	l.dequeue(sl, from)
	if sl.begun {
		from.begun--
		to.begun++
	}
	sl.client = c
	l.enqueue(sl, to)
}

// The rest is called with l.mu held, but for giveUp.

// shareOf returns the share of a client.
func (l *limiter) shareOf(c *Client) *share {
	own := l.shares[c]
	if own == nil {
		own, l.spare = l.spare, nil
		if own == nil {
			own = new(share)
		}
		own.used = l.virtual
		l.shares[c] = own
	}
	return own
}

// start gives sl a slot that is free.
func (l *limiter) start(sl *slot, own *share) {
	own.running++
	if !sl.begun {
		sl.begun = true
		l.begun++
		own.begun++
	}
	sl.began = time.Now()
	l.running = append(l.running, sl)
	l.observer.Running(l.kind, 1)
}

// enqueue puts sl behind the others of a client.
func (l *limiter) enqueue(sl *slot, own *share) {
	if sl.batch {
		if own.batch = append(own.batch, sl); len(own.batch) == 1 {
			l.batches++
		}
		return
	}
	if own.single = append(own.single, sl); len(own.single) == 1 {
		l.asking++
	}
	l.queued++
}

// dequeue takes sl out of those that wait.
func (l *limiter) dequeue(sl *slot, own *share) {
	if sl.batch {
		if own.batch = without(own.batch, sl); len(own.batch) == 0 {
			l.batches--
		}
		return
	}
	if own.single = without(own.single, sl); len(own.single) == 0 {
		l.asking--
	}
	l.queued--
}

func without(all []*slot, sl *slot) []*slot {
	i := slices.Index(all, sl)
	return slices.Delete(all, i, i+1)
}

// grant gives the free slots to those that wait.
func (l *limiter) grant() {
	for !l.isFull() {
		var next *slot
		var of *share
		for c, own := range l.shares {
			if own.isIdle() && own.used <= l.virtual {
				delete(l.shares, c)
				*own = share{}
				l.spare = own
			}
			if head := l.head(own); head != nil &&
				(next == nil || cmp.Or(cmp.Compare(own.running, of.running),
					cmp.Compare(own.used, of.used), cmp.Compare(head.order, next.order)) < 0) {
				next, of = head, own
			}
		}
		if next == nil {
			return
		}
		l.dequeue(next, of)
		of.batchNext = !next.batch
		l.start(next, of)
		close(next.granted)
	}
}

// head returns the client's question that is next, nil if none waits. While as many searches have
// begun as may, it is one of these.
func (l *limiter) head(o *share) *slot {
	first := func(waiting []*slot) *slot {
		for _, sl := range waiting {
			if sl.begun || l.mayBegin(o) {
				return sl
			}
		}
		return nil
	}
	single, batch := first(o.single), first(o.batch)
	if batch != nil && (o.batchNext || single == nil) {
		return batch
	}
	return single
}

// isIdle reports whether a client neither runs nor waits for anything.
func (o *share) isIdle() bool { return o.running == 0 && len(o.single) == 0 && len(o.batch) == 0 }

// dropLongest refuses the last question of the client that waits for the most, if c waits for less
// and still does with one more, and reports whether it did.
func (l *limiter) dropLongest(c *Client) bool {
	least := 1
	if own := l.shares[c]; own != nil {
		least += len(own.single)
	}
	var most *share
	for _, own := range l.shares {
		if n := len(own.single); n > least && (most == nil || n > len(most.single) ||
			n == len(most.single) && own.single[n-1].order > most.single[n-1].order) {
			most = own
		}
	}
	if most == nil {
		return false
	}
	last := most.single[len(most.single)-1]
	last.err = l.refusal()
	l.dequeue(last, most) // others of its client wait, so that its share is kept
	close(last.granted)
	return true
}

// giveUp takes sl out of the queue for a reason, nil for that it waited too long, unless it has got
// a slot or was refused at that moment.
func (l *limiter) giveUp(sl *slot, reason error) {
	l.mu.Lock()
	select {
	case <-sl.granted:
		l.mu.Unlock()
		if sl.err == nil && reason != nil { // nobody would use it
			l.release(sl)
			sl.err = reason
		}
		return
	default:
	}
	defer l.mu.Unlock()
	own := l.shares[sl.client]
	l.dequeue(sl, own)
	if sl.err = reason; reason == nil {
		sl.err = l.refusal()
	}
}

// lateEnd is how long after its time a search has ended.
const lateEnd = 100 * time.Millisecond

// refusal returns what a question that does not get a slot is told: after how long one like it
// finds room in the queue, and a slot before it has waited for too long. Until a search has ended, it
// is as if every one took all its time.
func (l *limiter) refusal() *OverloadedError {
	if l.mean > 0 {
		return &OverloadedError{l.kind, max(l.expected()-l.wait/2, l.mean/time.Duration(l.total))}
	}
	now := time.Now()
	var free []time.Time // when each slot becomes free
	for _, sl := range l.running {
		free = append(free, sl.began.Add(sl.limit+lateEnd))
	}
	var queue []*slot // as if it went by order
	for _, own := range l.shares {
		queue = append(queue, own.single...)
		if len(own.batch) > 0 {
			queue = append(queue, own.batch[0])
		}
	}
	slices.SortFunc(queue, func(a, b *slot) int { return cmp.Compare(a.order, b.order) })

	next := func() int { // the slot that is free first
		return slices.Index(free, slices.MinFunc(free, time.Time.Compare))
	}
	room := now
	if l.queued >= l.queueSize { // until somebody gets a slot, or gives up
		room = free[next()]
		for _, sl := range queue {
			if !sl.batch && sl.until.Before(room) {
				room = sl.until
			}
		}
	}
	i := next()
	for _, sl := range queue {
		if sl.batch || !sl.until.Before(free[i]) {
			free[i] = free[i].Add(sl.limit + lateEnd)
			i = next()
		}
	}
	return &OverloadedError{l.kind, max(room.Sub(now), free[i].Add(-l.wait).Sub(now))}
}
