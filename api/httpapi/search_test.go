package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// background sends a question and returns where its answer comes.
func background(ctx context.Context, s *Server, body string) <-chan *httptest.ResponseRecorder {
	answer := make(chan *httptest.ResponseRecorder, 1)
	go func() {
		answer <- doContext(ctx, s, "POST", "/v1/solve", body, "Content-Type", jsonType)
	}()
	return answer
}

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

func wantVerdict(t *testing.T, w *httptest.ResponseRecorder, verdict, reason string) {
	t.Helper()
	if a := parse[wire.Answer](t, w.Body.Bytes()); w.Code != http.StatusOK || a.Verdict != verdict || a.Reason != reason {
		t.Errorf("status %d: %s, want %s %s", w.Code, w.Body, verdict, reason)
	}
}

// TestCoalescing: equal questions share a search; a client that goes away leaves it to the others,
// also the one that began it.
func TestCoalescing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, asked, release := blocked()
		s := newServer(t, Config{Solver: block, LongSearches: 8})
		first, leave := context.WithCancel(t.Context())
		answers := []<-chan *httptest.ResponseRecorder{background(first, s, question1(mateIn1))}
		synctest.Wait()
		for range 9 {
			answers = append(answers, background(t.Context(), s, question1(mateIn1)))
		}
		synctest.Wait()
		if n := len(asked); n != 1 {
			t.Fatalf("%d searches for 10 equal questions", n)
		}
		leave()
		synctest.Wait()
		release <- solver.Result{Verdict: solver.NoMate, Nodes: 7}
		for i, a := range answers {
			w := <-a
			if i > 0 {
				wantVerdict(t, w, "nomate", "")
			}
		}
		if n := metric(t, s, "tsumero_cache_requests_total", "result", "joined"); n != 9 {
			t.Errorf("%v questions joined, want 9", n)
		}
		if n := metric(t, s, "tsumero_http_requests_total", "code", "499"); n != 1 {
			t.Errorf("%v clients gone, want 1", n)
		}
	})
}

// TestLastClientStopsTheSearch: when nobody waits any more, the search ends, and who comes then
// gets a new one.
func TestLastClientStopsTheSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, asked, release := blocked()
		s := newServer(t, Config{Solver: block})
		ctx, leave := context.WithCancel(t.Context())
		gone := []<-chan *httptest.ResponseRecorder{background(ctx, s, question1(mateIn1)), background(ctx, s, question1(mateIn1))}
		synctest.Wait()
		leave()
		for _, a := range gone {
			wantVerdict(t, <-a, "unknown", "cancelled") // to nobody
		}
		again := background(t.Context(), s, question1(mateIn1))
		synctest.Wait()
		if n := len(asked); n != 2 {
			t.Fatalf("%d searches, want the cancelled one and one more", n)
		}
		release <- solver.Result{Verdict: solver.NoMate}
		wantVerdict(t, <-again, "nomate", "")
		if n := metric(t, s, "tsumero_searches_in_flight"); n != 0 {
			t.Errorf("%v searches in flight at the end", n)
		}
	})
}

// TestDifferentQuestionsAreNotShared: limits are part of the question, the move number is not.
func TestDifferentQuestionsAreNotShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, asked, release := blocked()
		s := newServer(t, Config{Solver: block, LongSearches: 8})
		var answers []<-chan *httptest.ResponseRecorder
		for _, body := range []string{
			question1(mateIn1),
			question1(mateIn1[:len(mateIn1)-1] + "57"), // as the first
			question1("position sfen " + mateIn1),      // as the first
			`{"sfen":"` + mateIn1 + `","limits":{"plies":3}}`,
			`{"sfen":"` + mateIn1 + `","limits":{"nodes":9}}`,
			`{"sfen":"` + mateIn1 + `","limits":{"time_ms":9}}`,
			`{"sfen":"` + mateIn1 + `","limits":{"shortest":false}}`, // as the first
			`{"sfen":"` + mateIn1 + `","limits":{"shortest":true}}`,
			question1(mateIn3),
		} {
			answers = append(answers, background(t.Context(), s, body))
			synctest.Wait()
		}
		if n := len(asked); n != 6 {
			t.Errorf("%d searches, want 6", n)
		}
		for range 6 {
			release <- solver.Result{Verdict: solver.NoMate}
		}
		for i, a := range answers {
			w := <-a
			wantVerdict(t, w, "nomate", "")
			if got := parse[wire.Answer](t, w.Body.Bytes()).SFEN; got != mateIn1 && i < 8 {
				t.Errorf("answer %d is about %s", i, got)
			}
		}
	})
}

// TestTimeLimit: a question has the time it names, or the default.
func TestTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: untilTime(), DefaultTime: time.Second})
		for limits, want := range map[string]time.Duration{"{}": time.Second,
			`{"time_ms":250}`: 250 * time.Millisecond} {
			began := time.Now()
			w := ask(s, limits)
			wantVerdict(t, w, "unknown", "limit_time")
			us := parse[wire.Answer](t, w.Body.Bytes()).ElapsedUS
			if took := time.Since(began); took != want || us == nil || *us != want.Microseconds() {
				t.Errorf("with %s after %v: %s", limits, took, w.Body)
			}
		}
	})
}

// TestOverloaded: who finds no slot is told why and when to ask again, and is counted.
func TestOverloaded(t *testing.T) {
	for _, c := range []struct {
		name, reason, part, after string
		config                    Config
	}{
		{"quick", "search", "slots for searches", "1", Config{Quick: sleeps(time.Second),
			Solver: untilTime(), MaxSearches: 1, MaxQueue: -1}},
		{"quick, after a wait", "search", "slots for searches", "1", Config{Quick: sleeps(time.Minute),
			Solver: untilTime(), MaxSearches: 1, MaxQueue: 1}},
		// Its slot is free after ten seconds and a tenth for the end of the search. A question that
		// may wait for two of them needs to come only then.
		{"long", "long_search", "long search", "11", Config{Solver: untilTime(), LongSearches: 1,
			LongQueue: -1, LongWait: 100 * time.Millisecond}},
		{"long, after a wait", "long_search", "long search", "7", Config{Solver: untilTime(),
			LongSearches: 1, LongQueue: 1, LongWait: 2 * time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.config.DefaultTime = 10 * time.Second
				s := newServer(t, c.config)
				first := background(t.Context(), s, hard(1))
				synctest.Wait()
				w := post(s, mateIn3)
				if p := wantProblem(t, w, wire.Overloaded); !strings.Contains(p.Detail, c.part) {
					t.Errorf("%s", p.Detail)
				}
				if w.Header().Get("Retry-After") != c.after {
					t.Errorf("Retry-After %q, want %s", w.Header().Get("Retry-After"), c.after)
				}
				if n := metric(t, s, "tsumero_refused_total", "reason", c.reason); n != 1 {
					t.Errorf("%v questions refused, want 1", n)
				}
				wantVerdict(t, <-first, "unknown", "limit_time")
			})
		})
	}
}

// TestPanicOfASolver: the one who asked gets a 500, and so do those who joined; the place is free
// again.
func TestPanicOfASolver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		explode := make(chan bool)
		s := newServer(t, Config{LongSearches: 1, Solver: solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
			if <-explode {
				panic("as asked")
			}
			return solver.Result{Verdict: solver.NoMate}
		})})
		first, second := background(t.Context(), s, question1(mateIn1)), background(t.Context(), s, question1(mateIn1))
		synctest.Wait()
		explode <- true
		wantProblem(t, <-first, wire.InternalError)
		wantProblem(t, <-second, wire.InternalError)
		third := background(t.Context(), s, question1(mateIn1))
		explode <- false
		wantVerdict(t, <-third, "nomate", "")
	})
}

// TestWhatIsTagged: a proven answer may be kept for ever by others; nothing else.
func TestWhatIsTagged(t *testing.T) {
	line := []shogi.Move{shogi.NewDrop(shogi.Gold, shogi.SquareAt(shogi.File9-4, shogi.RankA+1))}
	for _, c := range []struct {
		result solver.Result
		tagged bool
	}{
		{solver.Result{Verdict: solver.Mate, Line: line, Exact: true}, true},
		{solver.Result{Verdict: solver.Mate, Line: line}, true},
		{solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonNodes}, true},
		{solver.Result{Verdict: solver.Mate, Line: line, Exact: true, Reason: solver.ReasonTime}, false},
		{solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonTime}, false},
		{solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonCancelled}, false},
		{solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonUnverified}, false},
		{solver.Result{Verdict: solver.NoMate}, true},
		{solver.Result{Reason: solver.ReasonPlies}, false},
		{solver.Result{Reason: solver.ReasonNodes}, false},
		{solver.Result{Reason: solver.ReasonDepth}, false},
		{solver.Result{Reason: solver.ReasonTime}, false},
		{solver.Result{Reason: solver.ReasonCancelled}, false},
		{solver.Result{Reason: solver.ReasonUnverified}, false},
		{solver.Result{}, false},
	} {
		s := newServer(t, Config{Solver: solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
			return c.result
		})})
		first, second := get(s, mateIn1), get(s, mateIn1)
		if first.Code != http.StatusOK || first.Body.String() != second.Body.String() {
			t.Errorf("%v %s: %s and %s", c.result.Verdict, c.result.Reason, first.Body, second.Body)
		}
		if got := first.Header().Get("Cache-Control"); (got == immutable[0]) != c.tagged || (got == noStore[0]) == c.tagged {
			t.Errorf("%v %s: Cache-Control %q", c.result.Verdict, c.result.Reason, got)
		}
		if (first.Header().Get("ETag") != "") != c.tagged {
			t.Errorf("%v %s: ETag %q", c.result.Verdict, c.result.Reason, first.Header().Get("ETag"))
		}
	}
}

// TestConcurrentQuestions is for the race detector.
func TestConcurrentQuestions(t *testing.T) {
	s := newServer(t, Config{CacheBytes: 4096, MaxQueue: 1000, QueueWait: time.Minute})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for n := range 60 {
				sfen := []string{mateIn1, mateIn3, neverMate}[(i+n)%3]
				body, err := json.Marshal(map[string]any{"sfen": sfen, "limits": map[string]int{"nodes": 1000 + n%5}})
				if err != nil {
					panic(err)
				}
				if n%7 == 0 {
					cancelled, cancelNow := context.WithCancel(ctx)
					cancelNow()
					doContext(cancelled, s, "POST", "/v1/solve", string(body), "Content-Type", jsonType)
					continue
				}
				w := doContext(ctx, s, "POST", "/v1/solve", string(body), "Content-Type", jsonType)
				if a := parse[wire.Answer](t, w.Body.Bytes()); w.Code != http.StatusOK || a.Verdict == "unknown" {
					t.Errorf("%s: %d %s", body, w.Code, w.Body)
				}
			}
		})
	}
	group.Wait()
	if n := metric(t, s, "tsumero_searches_in_flight"); n != 0 {
		t.Errorf("%v searches at the end", n)
	}
}

// ask sends a question with limits.
func ask(s *Server, limits string) *httptest.ResponseRecorder {
	return do(s, "POST", "/v1/solve", fmt.Sprintf(`{"sfen":%q,"limits":%s}`, mateIn5, limits), "Content-Type", jsonType)
}

// twoPools returns a service whose quick solver knows only mateIn1, and whose long one blocks.
func twoPools(t *testing.T, c Config) (s *Server, asked chan shogi.Position, release chan solver.Result) {
	easy := shogi.MustParseSFEN(mateIn1)
	c.Quick = solver.Func(func(_ context.Context, p shogi.Position, _ solver.Limits) solver.Result {
		if p == easy {
			return solver.Result{Verdict: solver.NoMate, Solver: "quick"}
		}
		return solver.Result{Reason: solver.ReasonNodes, Solver: "quick"}
	})
	c.Solver, asked, release = blocked()
	return newServer(t, c), asked, release
}

// TestLongSearchesStarveNobody: with all places for long searches and their queue taken, by batches
// too, short questions are answered at once, and only long ones are turned away.
func TestLongSearchesStarveNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, asked, release := twoPools(t, Config{MaxSearches: 1, MaxQueue: -1, LongSearches: 2, LongQueue: 1, MaxTime: time.Hour, DefaultTime: time.Hour, LongWait: time.Hour})
		var long []<-chan *httptest.ResponseRecorder
		for n := range 3 { // two search, one waits
			long = append(long, background(t.Context(), s, fmt.Sprintf(`{"sfen":%q,"limits":{"plies":%d}}`, mateIn3, n+1)))
			synctest.Wait()
		}
		batch := make(chan string)
		go func() { batch <- do(s, "POST", "/v1/solve/batch", question1(mateIn5)+"\n").Body.String() }()
		synctest.Wait()
		if n := len(asked); n != 2 {
			t.Fatalf("%d long searches at once, want 2", n)
		}
		for _, c := range []struct {
			want float64
			name string
			pool string
		}{
			{2, "tsumero_searches_in_flight", "long"}, {0, "tsumero_searches_in_flight", "quick"},
			{2, "tsumero_searches_queued", "long"}, {0, "tsumero_searches_queued", "quick"},
		} {
			if got := metric(t, s, c.name, "pool", c.pool); got != c.want {
				t.Errorf("%s of the %s pool is %v, want %v", c.name, c.pool, got, c.want)
			}
		}

		began := time.Now()
		wantVerdict(t, post(s, mateIn1), "nomate", "")
		if body := do(s, "POST", "/v1/solve/batch", question1(mateIn1)+"\n").Body.String(); !strings.Contains(body, `"solver":"quick"`) {
			t.Errorf("a short line: %s", body)
		}
		w := post(s, neverMate)
		if p := wantProblem(t, w, wire.Overloaded); w.Header().Get("Retry-After") != "3600" ||
			!strings.Contains(p.Detail, "long search") {
			t.Errorf("Retry-After %q, %s", w.Header().Get("Retry-After"), p.Detail)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("they waited %v", took)
		}
		if n := metric(t, s, "tsumero_refused_total", "reason", "long_search"); n != 1 {
			t.Errorf("%v long questions refused, want 1", n)
		}
		for range 4 {
			release <- solver.Result{Verdict: solver.NoMate}
		}
		for _, a := range long {
			wantVerdict(t, <-a, "nomate", "")
		}
		if body := <-batch; !strings.Contains(body, `"verdict":"nomate"`) {
			t.Errorf("%s", body)
		}
	})
}

// TestUnverified: a mate that did not survive its verification is counted and logged, whoever found
// it out.
func TestUnverified(t *testing.T) {
	var log bytes.Buffer
	bad := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
		return solver.Result{Reason: solver.ReasonUnverified, Solver: "bad"}
	})
	s := newServer(t, Config{Solver: bad, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	wantVerdict(t, post(s, mateIn1), "unknown", "unverified")
	if n := metric(t, s, "tsumero_unverified_mates_total", "solver", "bad"); n != 1 {
		t.Errorf("%v counted, want 1", n)
	}
	if !strings.Contains(log.String(), `"msg":"unverified mate","sfen":"`+mateIn1+`","solver":"bad"`) {
		t.Errorf("the log says %s", &log)
	}
	log.Reset()
	s.ReportUnverified(shogi.Start(), solver.Result{Solver: "bad", Line: moves("7g7f")}, &solver.VerifyError{Msg: "as asked"})
	if !strings.Contains(log.String(), "replay failed") || !strings.Contains(log.String(), "as asked") || !strings.Contains(log.String(), shogi.StartSFEN) {
		t.Errorf("the log says %s", &log)
	}
}

// TestSearchMetrics: what a long search says at its end is counted, once.
func TestSearchMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: aSecond()})
		wantVerdict(t, ask(s, `{"shortest":true}`), "mate", "")
		for _, c := range []struct {
			want   float64
			name   string
			labels []string
		}{
			{1, "tsumero_search_table_fill_ratio", nil},
			{2, "tsumero_search_collections_total", nil},
			{0.582, "tsumero_search_phase_seconds_total", []string{"phase", "searching"}},
			{0.388, "tsumero_search_phase_seconds_total", []string{"phase", "shortening"}},
			{0, "tsumero_search_phase_seconds_total", []string{"phase", "choosing"}},
		} {
			if got := metric(t, s, c.name, c.labels...); got < c.want-1e-9 || got > c.want+1e-9 {
				t.Errorf("%s%v is %v, want %v", c.name, c.labels, got, c.want)
			}
		}
	})
}

// Whoever works on what nobody waits for is told when a question had to wait, for a second.
func TestQuestionsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Quick: sleeps(100 * time.Millisecond), Solver: untilTime(), MaxSearches: 1})
		<-background(t.Context(), s, hard(1))
		if s.QuestionsWait() {
			t.Error("a question that had its slot at once has waited")
		}
		first := background(t.Context(), s, hard(2))
		synctest.Wait()
		second := background(t.Context(), s, hard(3))
		time.Sleep(150 * time.Millisecond)
		if !s.QuestionsWait() {
			t.Error("a question that waited for 100 ms has not")
		}
		<-first
		<-second
		time.Sleep(2 * time.Second)
		if s.QuestionsWait() {
			t.Error("for too long")
		}
	})
}
