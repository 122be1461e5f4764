package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
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
				sl, err := slots.acquire(t.Context(), q, time.Minute, time.Hour)
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
					time.Minute, time.Hour)
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
		s := newServer(t, Config{Solver: untilTime(), LongSearches: 1, LongQueue: 3,
			LongWait: time.Hour, MaxTime: 10 * time.Second, DefaultTime: 10 * time.Second})
		var greedy []<-chan *httptest.ResponseRecorder
		for n := range 4 { // one runs, three wait
			greedy = append(greedy, from(t.Context(), s, "192.0.2.66", hard(n)))
			synctest.Wait()
		}
		joined := from(t.Context(), s, "203.0.113.1", hard(3))
		synctest.Wait()
		// for which the last of the greedy goes
		other := from(t.Context(), s, "203.0.113.2", hard(9))
		synctest.Wait()
		wantProblem(t, <-greedy[3], overloaded)
		for _, a := range []<-chan *httptest.ResponseRecorder{joined, other} {
			if w := <-a; w.Code != 200 {
				t.Errorf("%d %s", w.Code, w.Body)
			}
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
						time.Minute, time.Second)
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
