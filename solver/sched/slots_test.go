package sched

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// newLimiter returns the limiter of a pool.
func newLimiter(total, queue int, wait time.Duration) *limiter {
	c := PoolConfig{Slots: total, Queue: queue, Wait: wait}
	return &newPool(Long, c, 0, NoObserver{}, nil).limiter
}

// TestGreedyClient: however many questions a client asks at once, who asks beside it waits for no
// more than the search that runs.
func TestGreedyClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: untilTime(), Slots: 1}})
		asks := func(ctx context.Context, c *Client, n int) reply {
			return <-ask(ctx, s, by(c, within(10*time.Second, about(sfenA, uint64(n)))))
		}
		one := &Client{}
		ctx, stop := context.WithCancel(t.Context())
		var greedy sync.WaitGroup
		for i := range 6 {
			greedy.Go(func() {
				for n := i; ctx.Err() == nil; n += 6 {
					if r := asks(ctx, one, n); r.err != nil {
						time.Sleep(5 * time.Second)
					}
				}
			})
		}
		time.Sleep(time.Second)
		synctest.Wait()
		for i := range 19 {
			began := time.Now()
			r := asks(ctx, &Client{}, 1000+i)
			if took := time.Since(began); r.err != nil || took > 20*time.Second {
				t.Errorf("another client's question: %v after %v", r.err, took)
			}
			time.Sleep(time.Duration(i) * 700 * time.Millisecond)
		}
		stop()
		greedy.Wait()
		wantIdle(t, s, n)
	})
}

// TestShares: the order in which slots are given out, and who is refused for whom.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := newLimiter(2, 4, time.Hour)
		clients := map[byte]*Client{'a': {}, 'b': {}, 'c': {}, 'd': {}}
		var order []string // what got a slot
		held := map[string]*slot{}
		refused := map[string]bool{}
		want := func(name byte, line bool) {
			q := &Question{Client: clients[name], Batch: line}
			key := fmt.Sprintf("%c%d", name, len(order)+len(refused)+slots.queued)
			if line {
				key += "*"
			}
			go func() {
				sl, err := slots.acquire(t.Context(), q, time.Minute, time.Hour, nil)
				if err != nil {
					refused[key] = true
					return
				}
				order, held[key] = append(order, key), sl
			}()
			synctest.Wait()
		}
		release := func(key string, after time.Duration) {
			t.Helper()
			time.Sleep(after)
			if held[key] == nil {
				t.Fatalf("%s holds no slot: %v", key, order)
			}
			sl := held[key]
			delete(held, key)
			slots.release(sl)
			synctest.Wait()
		}
		want('a', false) // a0 and a1 run at once: nobody else is there
		want('a', false)
		want('a', false) // a2 to a5 wait
		want('a', false)
		want('a', false)
		want('a', false)
		want('a', false) // a6 is refused: its own client waits for the most
		if !refused["a6"] || len(refused) != 1 || len(order) != 2 {
			t.Fatalf("refused %v, %v run", refused, order)
		}
		want('b', false) // b7 takes the place of a5 in the queue
		want('b', true)  // a line does not count in it
		want('c', false) // c8 takes that of a4
		if !refused["a5"] || !refused["a4"] || len(refused) != 3 {
			t.Fatalf("refused %v", refused)
		}
		want('d', false) // now a waits for two, b and c for one: a3 goes
		want('d', false) // and nobody waits for more than d would then
		if !refused["a3"] || len(refused) != 5 {
			t.Fatalf("refused %v", refused)
		}
		for _, step := range []struct {
			release string
			next    byte
		}{
			{"a0", 'b'}, // nothing of b, c or d runs, and b came first
			{"a1", 'c'}, // b has a slot already, and so a neither
		} {
			release(step.release, time.Second)
			if got := order[len(order)-1][0]; got != step.next {
				t.Errorf("after %s %c has the slot, want %c: %v", step.release, got, step.next,
					order)
			}
		}
		first, second := order[2], order[3]
		release(first, time.Second) // d's first: nothing of it runs
		release(second, time.Second)
		release(order[4], time.Second)
		got := fmt.Sprintf("%c%c%c", order[4][0], order[5][0], order[6][0])
		if got != "dba" && got != "dab" {
			t.Errorf("then %s, want d, and the others by the time they used: %v", got, order)
		}
	})
}

// TestBatchAndSingleTakeTurns: of one client, so that neither keeps the other waiting for ever.
func TestBatchAndSingleTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := newLimiter(1, 9, time.Hour)
		c := &Client{}
		busy := slots.tryAcquire(&Question{Client: c}, time.Minute)
		var order strings.Builder
		for _, kind := range "BBBqqq" {
			go func() {
				sl, err := slots.acquire(t.Context(), &Question{Client: c, Batch: kind == 'B'},
					time.Minute, time.Hour, nil)
				if err != nil {
					t.Error(err)
					return
				}
				order.WriteRune(kind)
				time.Sleep(time.Second)
				slots.release(sl)
			}()
			synctest.Wait()
		}
		slots.release(busy)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := order.String(); got != "qBqBqB" {
			t.Errorf("%s, want turns", got)
		}
		if len(slots.shares) != 0 || slots.queued != 0 || len(slots.running) != 0 {
			t.Errorf("left behind: %d shares, %d queued, %d running", len(slots.shares),
				slots.queued, len(slots.running))
		}
	})
}

// TestRetryAfter: where every search takes all of its time, who comes at the moment that was named
// is answered, and who comes two seconds before is not.
func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		name         string
		running      []int // limits of the searches that run and wait, in seconds
		total, queue int
		wait         time.Duration
	}{
		{"the queue is full", []int{40, 30, 30}, 1, 2, 2 * time.Minute},
		{"nobody may wait", []int{25, 40}, 2, -1, time.Second},
		{"the wait is short", []int{30, 9, 9}, 1, 3, 5 * time.Second},
		{"several slots", []int{30, 20, 25, 15, 10}, 2, 3, 20 * time.Second},
	} {
		for _, early := range []int{0, 2} {
			t.Run(fmt.Sprintf("%s, %d s early", c.name, early), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, n := newScheduler(t, Config{Long: PoolConfig{Solver: untilTime(), Slots: c.total,
						Queue: c.queue, Wait: c.wait}})
					for i, seconds := range c.running {
						ask(t.Context(), s, within(time.Duration(seconds)*time.Second,
							about(sfenA, uint64(i))))
						synctest.Wait()
					}
					busy := wantOverloaded(t, <-ask(t.Context(), s,
						within(time.Second, about(sfenB, 1))), Long)
					after := max(1, (busy.RetryAfter+time.Second-1)/time.Second)
					time.Sleep((after - time.Duration(early)) * time.Second)
					synctest.Wait()
					r := <-ask(t.Context(), s, within(time.Second, about(sfenB, 2)))
					if (r.err == nil) != (early == 0) {
						t.Errorf("after %d - %d s: %v", after, early, r.err)
					}
					time.Sleep(time.Hour)
					wantIdle(t, s, n)
				})
			})
		}
	}
}

// TestSlotsGiveUp: who leaves the line, and a slot that is granted at that moment, is not lost.
func TestSlotsGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := newLimiter(1, 9, time.Second)
		for range 200 {
			busy := slots.tryAcquire(&Question{Client: &Client{}}, time.Minute)
			for i := range 8 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				go func() {
					defer cancel()
					sl, err := slots.acquire(ctx, &Question{Client: &Client{}, Batch: i%2 == 0},
						time.Minute, time.Second, nil)
					var refused *OverloadedError
					switch {
					case err == nil:
						slots.release(sl)
					case !errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &refused):
						t.Error(err)
					}
				}()
			}
			time.Sleep(time.Second) // the moment at which all of them give up
			slots.release(busy)
			synctest.Wait()
			if len(slots.shares) > 20 || slots.queued != 0 || len(slots.running) != 0 {
				t.Fatalf("left behind: %d shares, %d queued, %d running", len(slots.shares),
					slots.queued, len(slots.running))
			}
		}
	})
}

// TestRetryAfterOfShortSearches: nobody is sent away for the time that a long search may take,
// where only short ones run.
func TestRetryAfterOfShortSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: untilTime()},
			Quick: PoolConfig{Solver: takes(100*time.Millisecond, ranOut), Slots: 1, Queue: 1}})
		for i := range 2 { // one runs, one waits
			ask(t.Context(), s, within(time.Minute, about(sfenA, uint64(i))))
			synctest.Wait()
		}
		busy := wantOverloaded(t, <-ask(t.Context(), s, within(time.Minute, about(sfenA, 2))), Quick)
		if busy.RetryAfter <= 0 || busy.RetryAfter > time.Second {
			t.Errorf("retry after %v", busy.RetryAfter)
		}
		time.Sleep(10 * time.Minute)
		wantIdle(t, s, n)
	})
}

// A queue is slots to wait for, and the order in which those who did got one.
type queue struct {
	t     *testing.T
	slots *limiter
	mu    sync.Mutex // at the end of the test all give up at once
	order []string
	held  map[string]*slot
}

// A newQueue makes one with so many slots, for which so many may wait.
type newQueue func(total, size int) *queue

// wait waits for a slot in the background. Who is refused is in the order as "no " and its name.
func (q *queue) wait(name string, c *Client) {
	go func() {
		sl, err := q.slots.acquire(
			q.t.Context(), &Question{Client: c}, time.Minute, 24*time.Hour, nil)
		if err != nil {
			name = "no " + name
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		q.order, q.held[name] = append(q.order, name), sl
	}()
	synctest.Wait()
}

// release ends a search after so long.
func (q *queue) release(name string, after time.Duration) {
	time.Sleep(after)
	q.slots.release(q.held[name])
	synctest.Wait()
}

func (q *queue) want(order ...string) {
	q.t.Helper()
	if !slices.Equal(q.order, order) {
		q.t.Errorf("%q, want %q", q.order, order)
	}
}

// TestTurns: one rule after the other of those by which slots are given out.
func TestTurns(t *testing.T) {
	for name, run := range map[string]func(q newQueue, a, b, c *Client){
		"who runs less comes before who used less": func(q newQueue, a, b, c *Client) {
			s := q(1, 9)
			s.wait("b1", b)
			s.release("b1", time.Second) // alone, so that b is forgotten
			s.slots.total = 2
			s.wait("c1", c)
			s.wait("a1", a)
			s.slots.shareOf(b).used += time.Hour
			s.wait("a2", a)
			s.wait("b2", b)
			s.release("c1", 0)
			s.want("b1", "c1", "a1", "b2")
		},
		"a newcomer is not owed what others used before": func(q newQueue, a, b, c *Client) {
			s := q(1, 9)
			s.wait("a1", a)
			s.wait("a2", a)
			s.wait("a3", a)
			s.release("a1", time.Hour)
			s.wait("b1", b)
			s.wait("b2", b)
			s.release("a2", 10*time.Second)
			s.release("b1", 20*time.Second)
			s.want("a1", "a2", "b1", "a3")
		},
		"who used more than others is no newcomer": func(q newQueue, a, b, c *Client) {
			s := q(1, 9)
			s.wait("a1", a)
			s.wait("b1", b)
			s.release("a1", 10*time.Second)
			s.wait("a2", a)
			s.wait("c1", c)
			s.release("b1", time.Second)
			s.want("a1", "b1", "c1")
		},
		"nobody goes for one who would wait for as much": func(q newQueue, a, b, c *Client) {
			s := q(1, 1)
			s.wait("a1", a)
			s.wait("a2", a)
			s.wait("b1", b)
			s.want("a1", "no b1")
		},
		"of several, the client that waits for the most": func(q newQueue, a, b, c *Client) {
			s := q(1, 7)
			s.wait("c1", &Client{})
			for n := range 3 {
				s.wait(fmt.Sprint("a", n), a)
			}
			for n := range 4 {
				s.wait(fmt.Sprint("b", n), b)
			}
			s.wait("c2", c)
			s.wait("c3", &Client{})
			s.want("c1", "no b3", "no b2")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				run(func(total, size int) *queue {
					return &queue{t: t, slots: newLimiter(total, size, 1000*time.Hour),
						held: map[string]*slot{}}
				}, &Client{}, &Client{}, &Client{})
			})
		})
	}
}

// TestRetryAfterBatches: the questions of batches before a question are counted.
func TestRetryAfterBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := newLimiter(1, -1, time.Second)
		slots.tryAcquire(&Question{Client: &Client{}}, 10*time.Second)
		for range 10 {
			q := &Question{Client: &Client{}, Batch: true}
			go slots.acquire(t.Context(), q, time.Second, time.Hour, nil)
		}
		synctest.Wait()
		_, err := slots.acquire(t.Context(), &Question{Client: &Client{}}, time.Second, time.Second, nil)
		var busy *OverloadedError
		// Ten seconds, ten questions of one, a tenth for the end of each, less the wait.
		if want := 20*time.Second + 100*time.Millisecond; !errors.As(err, &busy) || busy.RetryAfter != want {
			t.Errorf("%v, want %v", busy, want)
		}
	})
}

// needs returns a solver that takes so long, unless its context ends before, and reports like one.
func needs(d time.Duration) solver.Solver {
	return solver.Func(func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
		reporter := solver.ReporterOf(ctx)
		for range d / reporter.Every() {
			time.Sleep(reporter.Every())
			if reason := solver.StopReason(ctx); reason != solver.NoReason {
				return solver.Result{Reason: reason}
			}
			reporter.Report(solver.Progress{})
		}
		return noMate
	})
}

// TestTakeTurns: searches that have begun share the slot by the second, with no more beside them than
// may have begun. The time of a search does not go on while it waits, and its client may leave.
func TestTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: needs(10 * time.Second), Slots: 1, Begun: 2}})
		began := time.Now()
		ask := func(ctx context.Context, i uint64, limit time.Duration) <-chan reply {
			q := within(limit, about(sfenA, i))
			q.Batch = true
			return ask(ctx, s, q)
		}
		want := func(r <-chan reply, after time.Duration, v solver.Verdict, reason solver.Reason, took time.Duration) {
			t.Helper()
			got := <-r
			if at := time.Since(began).Round(time.Second); got.err != nil || at != after ||
				got.Answer.Result.Verdict != v || got.Answer.Result.Reason != reason ||
				got.Answer.Elapsed.Round(time.Second) != took {
				t.Errorf("%+v after %v, want %v for %v that took %v after %v", got.Answer, at, v, reason, took, after)
			}
		}
		leaving, leave := context.WithCancel(t.Context())
		a := ask(t.Context(), 0, time.Minute)
		synctest.Wait()
		b := ask(leaving, 1, time.Minute)
		synctest.Wait()
		c := ask(t.Context(), 2, 5*time.Second)
		time.Sleep(4*time.Second + 200*time.Millisecond) // a, b, a, b, and a has the slot
		leave()
		want(b, 4*time.Second, solver.Unknown, solver.ReasonCancelled, 2*time.Second) // and c begins
		// a still needs 7 s at 5 s. From then on c has every other second.
		want(c, 14*time.Second, solver.Unknown, solver.ReasonTime, 5*time.Second)
		want(a, 17*time.Second, solver.NoMate, solver.NoReason, 10*time.Second)
		wantIdle(t, s, n)
	})
}

// TestBegunOfClient: of one client no more searches have begun than slots and one, and two clients leave
// a third one its place, so that another's begin too and have their turns.
func TestBegunOfClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: needs(time.Hour), Slots: 1, Begun: 4}})
		asks := func(ctx context.Context, c *Client, i uint64, limit time.Duration) <-chan reply {
			q := by(c, within(limit, about(sfenA, i)))
			q.Batch = true
			r := ask(ctx, s, q)
			time.Sleep(100 * time.Millisecond)
			return r
		}
		one, two, other, third := &Client{}, &Client{}, &Client{}, &Client{}
		ctx, leave := context.WithCancel(t.Context())
		var all []<-chan reply
		for i := range 6 {
			all = append(all, asks(ctx, one, uint64(i), 0))
		}
		l := &s.pools[0].limiter
		begun := func() int {
			l.mu.Lock() // turns change it at any time
			defer l.mu.Unlock()
			return l.begun
		}
		time.Sleep(10*time.Second + 50*time.Millisecond) // nothing happens then
		synctest.Wait()
		if n := begun(); n != 2 {
			t.Errorf("%d of one client have begun, want 2", n)
		}
		for i := range 6 {
			all = append(all, asks(ctx, two, uint64(10+i), 0))
		}
		time.Sleep(10 * time.Second)
		if n := begun(); n != 3 {
			t.Errorf("%d of two clients have begun, want 3", n)
		}
		// One of the two that a third client joins waits for its turn, now on the account of that.
		all = append(all, asks(ctx, third, 0, 0), asks(ctx, third, 1, 0))
		synctest.Wait()
		l.mu.Lock()
		ofClients := 0
		for _, own := range l.shares {
			ofClients += own.begun
		}
		if ofClients != l.begun || l.shares[third].begun != 1 {
			t.Errorf("%d and %d have begun, %d of the third client", l.begun, ofClients, l.shares[third].begun)
		}
		l.mu.Unlock()
		began := time.Now()
		if r := <-asks(t.Context(), other, 9, 2*time.Second); r.Elapsed.Round(time.Second) != 2*time.Second {
			t.Errorf("%+v", r.Answer)
		}
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("another's search of two seconds takes %v", took)
		}
		leave()
		for _, r := range all {
			<-r
		}
		wantIdle(t, s, n)
	})
}

// TestEndedInTurn: a search that is cancelled while it waits for its turn ends beside those that have
// a slot, and nobody gets another slot by that.
func TestEndedInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := PoolConfig{Slots: 1, Begun: 4, Queue: -1, Wait: time.Hour}
		l := &newPool(Long, c, 0, NoObserver{}, nil).limiter
		ctx, cancel := context.WithCancel(t.Context())
		ended := l.tryAcquire(about(sfenA, 0), time.Hour)
		next := make(chan *slot)
		go func() {
			sl, _ := l.acquire(t.Context(), &Question{Batch: true}, time.Hour, time.Hour, nil)
			next <- sl
		}()
		time.Sleep(turn)
		go l.yield(ctx, ended, func() {}, func() {})
		running := <-next
		synctest.Wait()
		cancel()
		synctest.Wait()
		if n := len(l.running); n != 2 {
			t.Fatalf("%d run", n)
		}
		if l.tryAcquire(about(sfenB, 0), time.Hour) != nil {
			t.Error("there was a slot")
		}
		began := time.Now()
		var busy *OverloadedError
		_, err := l.acquire(t.Context(), about(sfenB, 0), time.Hour, time.Hour, nil)
		if !errors.As(err, &busy) || time.Since(began) > 0 {
			t.Errorf("%v after %v without room in the queue", err, time.Since(began))
		}
		l.release(ended)
		l.release(running)
		if sl := l.tryAcquire(about(sfenB, 0), time.Hour); sl == nil || len(l.running) != 1 || l.begun != 1 {
			t.Errorf("%v, %d run, %d have begun", sl, len(l.running), l.begun)
		}
	})
}

// TestCrowds: how many are answered and refused where many clients ask at once is a matter of the time
// that they would wait, whatever their questions cost, and not of their number.
func TestCrowds(t *testing.T) {
	const wait = 2 * time.Second
	for _, c := range []struct {
		name    string
		clients int
		took    time.Duration // by a search
		before  time.Duration // by those before
		pause   time.Duration // between the questions of a client
		batches int           // clients that ask without a pause in batches, if so beside one client
		refused float64       // the most and the least of all
		least   float64
	}{
		{"cheap questions without a pause", 64, 50 * time.Microsecond, 0, 0, 0, 0, 0},
		{"cheap ones now and then", 250, 50 * time.Microsecond, 0, time.Second / 2, 0, 0, 0},
		{"cheap ones after expensive ones", 250, 50 * time.Microsecond, 20 * time.Millisecond, time.Second / 2, 0, 0, 0},
		{"as many as find a slot in time", 90, 20 * time.Millisecond, 0, 0, 0, 0, 0},
		// Two slots answer 100 in a second, of 1000 that ask.
		{"expensive ones", 1000, 20 * time.Millisecond, 0, time.Second, 0, 0.91, 0.87},
		{"expensive ones after cheap ones", 1000, 20 * time.Millisecond, 50 * time.Microsecond, time.Second, 0, 0.91, 0.87},
		// Of the two slots one client has a fifth.
		{"expensive ones beside batches", 1000, 20 * time.Millisecond, 0, time.Second, 4, 0.985, 0.97},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slots := limiterFor(Quick, PoolConfig{Slots: 2, Wait: wait}, NoObserver{})
				run := func(q *Question, took time.Duration) error {
					_, err := slots.do(t.Context(), q, briefTime, nil, func() { time.Sleep(took) })
					return err
				}
				for range 10 * meanOver {
					if err := run(&Question{}, c.before); err != nil {
						t.Fatal(err)
					}
				}
				began := time.Now()
				goesOn := func() bool { return time.Since(began) < 20*time.Second }
				if c.took < time.Millisecond {
					goesOn = func() bool { return time.Since(began) < 2*time.Second }
				}
				var all sync.WaitGroup
				var mu sync.Mutex
				answered, refused := 0, 0
				var longest, late time.Duration
				one := &Client{}
				for i := range c.clients {
					all.Go(func() {
						client := one
						if c.batches == 0 {
							client = &Client{}
						}
						time.Sleep(c.pause * time.Duration(i) / time.Duration(c.clients))
						for goesOn() {
							asked := time.Now()
							err := run(&Question{Client: client}, c.took)
							took := time.Since(asked)
							mu.Lock()
							if err != nil {
								refused++
								// A second later it is known how long searches take now.
								if asked.Sub(began) > time.Second+wait/2 {
									late = max(late, took)
								}
							} else {
								answered++
								longest = max(longest, took)
							}
							mu.Unlock()
							time.Sleep(max(c.pause-took, 50*time.Microsecond)) // as a refusal takes none
						}
					})
				}
				for range c.batches {
					all.Go(func() {
						for q := (Question{Client: &Client{}, Batch: true}); goesOn(); {
							_ = run(&q, c.took)
						}
					})
				}
				all.Wait()
				share := float64(refused) / float64(answered+refused)
				if share > c.refused || share < c.least {
					t.Errorf("%.1f %% of %d are refused, want %v to %v", 100*share, answered+refused, c.least, c.refused)
				}
				if longest > wait+c.took || late > 10*time.Millisecond {
					t.Errorf("one is answered after %v, and one refused after %v", longest, late)
				}
			})
		})
	}
}
