package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// from sends a question as a client of its own in the background.
func from(ctx context.Context, s *Server, address, body string) <-chan *httptest.ResponseRecorder {
	answer := make(chan *httptest.ResponseRecorder, 1)
	go func() {
		r := httptest.NewRequestWithContext(ctx, "POST", "/v1/solve", strings.NewReader(body))
		r.RemoteAddr = address + ":1"
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		answer <- w
	}()
	return answer
}

// hard returns a question that differs from others in a limit that ends nothing.
func hard(n int) string {
	return fmt.Sprintf(`{"sfen":%q,"limits":{"nodes":%d}}`, mateIn5, 1_000_000+n)
}

// untilTime returns a solver that uses all of its time.
func untilTime() solver.Solver {
	return solver.Func(func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
		<-ctx.Done()
		return solver.Result{Reason: solver.StopReason(ctx), Nodes: 1, Solver: "long"}
	})
}

// TestGreedyClient: however many connections a client asks on, who asks beside it waits for no more
// than the search that runs.
func TestGreedyClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: untilTime(), LongSearches: 1, MaxTime: 10 * time.Second,
			DefaultTime: 10 * time.Second})
		ctx, stop := context.WithCancel(t.Context())
		var greedy sync.WaitGroup
		for i := range 6 {
			greedy.Go(func() {
				for n := i; ctx.Err() == nil; n += 6 {
					if w := <-from(ctx, s, "192.0.2.66", hard(n)); w.Code == 503 {
						time.Sleep(5 * time.Second)
					}
				}
			})
		}
		time.Sleep(time.Second)
		synctest.Wait()
		for i := range 19 {
			began := time.Now()
			w := <-from(ctx, s, fmt.Sprintf("203.0.113.%d", i), hard(1000+i))
			if took := time.Since(began); w.Code != 200 || took > 20*time.Second {
				t.Errorf("another client's question: %d after %v, %s", w.Code, took, w.Body)
			}
			time.Sleep(time.Duration(i) * 700 * time.Millisecond)
		}
		stop()
		greedy.Wait()
	})
}

// TestShares: the order in which slots are given out, and who is refused for whom.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: untilTime(), LongSearches: 2, LongQueue: 4,
			LongWait: time.Hour})
		slots := &s.searcher.lanes[0].slots
		clients := map[byte]*client{'a': {}, 'b': {}, 'c': {}, 'd': {}}
		var order []string // what got a slot
		held := map[string]*slot{}
		refused := map[string]bool{}
		want := func(name byte, line bool) {
			q := &question{client: clients[name], patient: line}
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

// TestLinesAndQuestionsTakeTurns: of one client, so that neither keeps the other waiting for ever.
func TestLinesAndQuestionsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: untilTime(), LongSearches: 1, LongQueue: 9,
			LongWait: time.Hour})
		slots := &s.searcher.lanes[0].slots
		c := &client{}
		busy := slots.tryAcquire(&question{client: c}, time.Minute)
		var order strings.Builder
		for _, kind := range "LLLqqq" {
			go func() {
				sl, err := slots.acquire(t.Context(), &question{client: c, patient: kind == 'L'},
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
		if got := order.String(); got != "qLqLqL" {
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
		{"the queue is full", []int{40, 30, 30}, 1, 2, time.Minute},
		{"nobody may wait", []int{25, 40}, 2, -1, time.Second},
		{"the wait is short", []int{30, 9, 9}, 1, 3, 5 * time.Second},
		{"several slots", []int{30, 20, 25, 15, 10}, 2, 3, 20 * time.Second},
	} {
		for _, early := range []int{0, 2} {
			t.Run(fmt.Sprintf("%s, %d s early", c.name, early), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newServer(t, Config{Solver: untilTime(), LongSearches: c.total,
						LongQueue: c.queue, LongWait: c.wait, MaxTime: time.Hour})
					for n, seconds := range c.running {
						background(t.Context(), s,
							fmt.Sprintf(`{"sfen":%q,"limits":{"nodes":%d,"time_ms":%d}}`, mateIn5,
								1000+n, seconds*1000))
						synctest.Wait()
					}
					w := <-background(t.Context(), s,
						fmt.Sprintf(`{"sfen":%q,"limits":{"nodes":1,"time_ms":1000}}`, mateIn5))
					wantProblem(t, w, overloaded)
					after, err := strconv.Atoi(w.Header().Get("Retry-After"))
					// Who waited in vain asks again at once.
					if err != nil || after < 1 {
						t.Fatalf("Retry-After %q", w.Header().Get("Retry-After"))
					}
					time.Sleep(time.Duration(after-early) * time.Second)
					synctest.Wait()
					w = <-background(t.Context(), s,
						fmt.Sprintf(`{"sfen":%q,"limits":{"nodes":2,"time_ms":1000}}`, mateIn5))
					if (w.Code == 200) != (early == 0) {
						t.Errorf("after %d - %d s: %d %s", after, early, w.Code, w.Body)
					}
					time.Sleep(time.Hour)
				})
			})
		}
	}
}

// TestNobodyWaitsForOthers: equal questions that come while one is searched are answered with it,
// and not in rounds.
func TestNobodyWaitsForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: untilTime(), LongSearches: 1, MaxTime: 10 * time.Second})
		const limit = 9 * time.Second
		body := fmt.Sprintf(`{"sfen":%q,"limits":{"time_ms":%d}}`, mateIn5, limit.Milliseconds())
		answers := make(chan time.Duration, 30)
		for i := range cap(answers) {
			go func() {
				began := time.Now()
				w := <-from(t.Context(), s, fmt.Sprintf("192.0.2.%d", i%3), body)
				if w.Code != 200 {
					t.Errorf("%d %s", w.Code, w.Body)
				}
				answers <- time.Since(began)
			}()
			time.Sleep(time.Second)
		}
		for range cap(answers) {
			if took := <-answers; took > limit {
				t.Errorf("answered after %v, the limit is %v", took, limit)
			}
		}
	})
}

// TestJoinedRefusal: that there is no slot for one client is no answer to another that joined its
// question.
func TestJoinedRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: untilTime(), LongSearches: 2, LongQueue: 3,
			LongWait: time.Hour, MaxTime: 10 * time.Second, DefaultTime: 10 * time.Second})
		ask := func(address string, n int) <-chan *httptest.ResponseRecorder {
			answer := from(t.Context(), s, address, hard(n))
			synctest.Wait()
			return answer
		}
		ask("203.0.113.1", 0) // both run
		ask("203.0.113.1", 1)
		ask("192.0.2.66", 2) // three wait
		ask("192.0.2.66", 3)
		greedy := ask("192.0.2.66", 4)
		joined := ask("203.0.113.1", 4)
		other := ask("203.0.113.2", 9) // for which the last of the greedy client goes
		wantProblem(t, <-greedy, overloaded)
		for _, a := range []<-chan *httptest.ResponseRecorder{joined, other} {
			if w := <-a; w.Code != 200 {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		}
		time.Sleep(time.Hour)
	})
}

// TestJoinedWaitIsCounted: who waited in vain with somebody else waits only for what is left.
func TestJoinedWaitIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: untilTime(), LongSearches: 1, LongWait: 10 * time.Second})
		takeSlot(s, 0)
		began := time.Now()
		from(t.Context(), s, "192.0.2.1", hard(1))
		time.Sleep(6 * time.Second)
		w := <-from(t.Context(), s, "192.0.2.2", hard(1))
		wantProblem(t, w, overloaded)
		if took := time.Since(began); took != 16*time.Second {
			t.Errorf("until %v, want 10 s", took)
		}
	})
}

// TestSlotsGiveUp: who leaves the line, and a slot that is granted at that moment, is not lost.
func TestSlotsGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: untilTime(), LongSearches: 1, LongQueue: 9,
			LongWait: time.Second})
		slots := &s.searcher.lanes[0].slots
		for range 200 {
			busy := slots.tryAcquire(&question{client: &client{}}, time.Minute)
			for i := range 8 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				go func() {
					defer cancel()
					sl, err := slots.acquire(ctx, &question{client: &client{}, patient: i%2 == 0},
						time.Minute, time.Second, nil)
					var refused *busyError
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
		s := newServer(t, Config{Quick: sleeps(100 * time.Millisecond), Solver: untilTime(),
			MaxSearches: 1, MaxQueue: 1, MaxTime: time.Minute, DefaultTime: time.Minute})
		for n := range 2 { // one runs, one waits
			background(t.Context(), s, hard(n))
			synctest.Wait()
		}
		w := <-background(t.Context(), s, hard(2))
		wantProblem(t, w, overloaded)
		if after := w.Header().Get("Retry-After"); after != "1" {
			t.Errorf("Retry-After %q", after)
		}
		time.Sleep(time.Minute)
	})
}

// A queue is slots to wait for, and the order in which those who did got one.
type queue struct {
	t     *testing.T
	slots *slots
	mu    sync.Mutex // at the end of the test all give up at once
	order []string
	held  map[string]*slot
}

// A newQueue makes one with so many slots, for which so many may wait.
type newQueue func(total, size int) *queue

// wait waits for a slot in the background. Who is refused is in the order as "no " and its name.
func (q *queue) wait(name string, c *client) {
	go func() {
		sl, err := q.slots.acquire(
			q.t.Context(), &question{client: c}, time.Minute, 24*time.Hour, nil)
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
	for name, run := range map[string]func(q newQueue, a, b, c *client){
		"who runs less comes before who used less": func(q newQueue, a, b, c *client) {
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
		"a newcomer is not owed what others used before": func(q newQueue, a, b, c *client) {
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
		"who used more than others is no newcomer": func(q newQueue, a, b, c *client) {
			s := q(1, 9)
			s.wait("a1", a)
			s.wait("b1", b)
			s.release("a1", 10*time.Second)
			s.wait("a2", a)
			s.wait("c1", c)
			s.release("b1", time.Second)
			s.want("a1", "b1", "c1")
		},
		"nobody goes for one who would wait for as much": func(q newQueue, a, b, c *client) {
			s := q(1, 1)
			s.wait("a1", a)
			s.wait("a2", a)
			s.wait("b1", b)
			s.want("a1", "no b1")
		},
		"of several, the client that waits for the most": func(q newQueue, a, b, c *client) {
			s := q(1, 7)
			s.wait("c1", &client{})
			for n := range 3 {
				s.wait(fmt.Sprint("a", n), a)
			}
			for n := range 4 {
				s.wait(fmt.Sprint("b", n), b)
			}
			s.wait("c2", c)
			s.wait("c3", &client{})
			s.want("c1", "no b3", "no b2")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				run(func(total, size int) *queue {
					s := newServer(t, Config{Solver: untilTime(), LongSearches: total,
						LongQueue: size})
					return &queue{t: t, slots: &s.searcher.lanes[0].slots,
						held: map[string]*slot{}}
				}, &client{}, &client{}, &client{})
			})
		})
	}
}

// TestRetryAfterLines: the lines of batches before a question are counted.
func TestRetryAfterLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: untilTime(), LongSearches: 1, LongQueue: -1,
			LongWait: time.Second})
		slots := &s.searcher.lanes[0].slots
		slots.tryAcquire(&question{client: &client{}}, 10*time.Second)
		for range 10 {
			q := &question{client: &client{}, patient: true}
			go slots.acquire(t.Context(), q, time.Second, time.Hour, nil)
		}
		synctest.Wait()
		w := <-background(t.Context(), s, hard(1))
		wantProblem(t, w, overloaded)
		// Ten seconds, ten lines of one, a tenth for the end of each, less the wait.
		if after := w.Header().Get("Retry-After"); after != "21" {
			t.Errorf("Retry-After %q", after)
		}
	})
}

// TestJoinedWait: who asks the same as a client that waits for many others of its own waits no
// longer than if that client had not asked, whether the wait or the joining comes first.
func TestJoinedWait(t *testing.T) {
	ranOut := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
		time.Sleep(time.Second)
		return solver.Result{Reason: solver.ReasonNodes}
	})
	for name, c := range map[string]struct {
		quick solver.Solver
		later time.Duration
	}{
		"the wait":    {ranOut, 2 * time.Second},
		"the joining": {ranOut, time.Second / 2},
		"no quick":    {nil, 0},
	} {
		t.Run(name+" first", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(t, Config{Solver: untilTime(), Quick: c.quick, MaxSearches: 2,
					LongSearches: 1, LongQueue: 16, LongWait: time.Hour,
					MaxTime: 11 * time.Second, DefaultTime: 11 * time.Second})
				for n := range 6 { // one runs, five wait
					from(t.Context(), s, "192.0.2.66", hard(n))
					time.Sleep(c.later)
					synctest.Wait()
				}
				began := time.Now()
				w := <-from(t.Context(), s, "203.0.113.1", hard(5))
				if took := time.Since(began); w.Code != 200 || took > 23*time.Second {
					t.Errorf("%d after %v", w.Code, took)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				slots := &s.searcher.lanes[len(s.searcher.lanes)-1].slots
				if len(slots.shares)+slots.queued+len(slots.running) != 0 {
					t.Errorf("left behind: %d shares, %d queued, %d running", len(slots.shares),
						slots.queued, len(slots.running))
				}
			})
		})
	}
}
