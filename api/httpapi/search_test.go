package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
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

func wantVerdict(t *testing.T, w *httptest.ResponseRecorder, verdict, reason string) {
	t.Helper()
	if a := parse[answer](t, w.Body.Bytes()); w.Code != http.StatusOK || a.Verdict != verdict || a.Reason != reason {
		t.Errorf("status %d: %s, want %s %s", w.Code, w.Body, verdict, reason)
	}
}

// TestCoalescing: equal questions share a search; a client that goes away leaves it to the others, also the one that
// began it.
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

// TestLastClientStopsTheSearch: when nobody waits any more, the search ends, and who comes then gets a new one.
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
			if got := parse[answer](t, w.Body.Bytes()).SFEN; got != mateIn1 && i < 8 {
				t.Errorf("answer %d is about %s", i, got)
			}
		}
	})
}

// TestTimeLimit: time runs from the beginning of a search. Who joins one waits no longer than for a
// search of one's own, and who comes after its end gets another.
func TestTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, asked, _ := blocked()
		s := newServer(t, Config{Solver: block, DefaultTime: time.Second})
		began := time.Now()
		first := background(t.Context(), s, question1(mateIn1))
		time.Sleep(600 * time.Millisecond)
		second := background(t.Context(), s, question1(mateIn1))
		wantVerdict(t, <-first, "unknown", "limit_time")
		if took := time.Since(began); took != time.Second {
			t.Errorf("the first took %v, want 1s", took)
		}
		w := <-second
		wantVerdict(t, w, "unknown", "limit_time")
		if took := time.Since(began); took != time.Second || len(asked) != 1 {
			t.Errorf("the second took until %v in %d searches, want the end of the first", took,
				len(asked))
		}
		if us := parse[answer](t, w.Body.Bytes()).ElapsedUS; us == nil || *us != 1_000_000 {
			t.Errorf("elapsed %s", w.Body)
		}
		shorter := background(t.Context(), s, `{"sfen":"`+mateIn1+`","limits":{"time_ms":250}}`)
		wantVerdict(t, <-shorter, "unknown", "limit_time")
		if took := time.Since(began); took != 1250*time.Millisecond {
			t.Errorf("with time_ms 250 after %v", took)
		}
		wantVerdict(t, post(s, mateIn1), "unknown", "limit_time")
		if took := time.Since(began); took != 2250*time.Millisecond || len(asked) != 3 {
			t.Errorf("an answer that time ended was kept: the next came after %v", took)
		}
	})
}

// TestAdmission: so many searches at once, so many that wait, and only so long.
func TestAdmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, asked, release := blocked()
		s := newServer(t, Config{Solver: block, LongSearches: 2, LongQueue: 3, LongWait: time.Second, DefaultTime: 10 * time.Second})
		var answers []<-chan *httptest.ResponseRecorder
		for n := 1; n <= 6; n++ {
			answers = append(answers, background(t.Context(), s, fmt.Sprintf(`{"sfen":%q,"limits":{"plies":%d}}`, mateIn1, n)))
			synctest.Wait()
		}
		if n := len(asked); n != 2 {
			t.Errorf("%d searches at once, want 2", n)
		}
		if running, queued := metric(t, s, "tsumero_searches_in_flight"), metric(t, s, "tsumero_searches_queued"); running != 2 || queued != 3 {
			t.Errorf("%v searches run, %v wait; want 2 and 3", running, queued)
		}
		w := <-answers[5] // the sixth has no room to wait
		wantProblem(t, w, overloaded)
		// The others give up in a second, and who comes a second before a search must have ended
		// gets its slot.
		if w.Header().Get("Retry-After") != "10" {
			t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
		}
		time.Sleep(500 * time.Millisecond)
		release <- solver.Result{Verdict: solver.NoMate} // one of the first two, and the third begins
		synctest.Wait()
		time.Sleep(time.Second)
		for _, a := range answers[3:5] {
			wantProblem(t, <-a, overloaded)
		}
		if n := metric(t, s, "tsumero_refused_total", "reason", "long_search"); n != 3 {
			t.Errorf("%v questions refused, want 3", n)
		}
		release <- solver.Result{Verdict: solver.NoMate}
		release <- solver.Result{Verdict: solver.NoMate}
		for _, a := range answers[:3] {
			wantVerdict(t, <-a, "nomate", "")
		}
	})
}

// TestPanicOfASolver: the one who asked gets a 500, and so do those who joined; the place is free again.
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
		wantProblem(t, <-first, internalError)
		wantProblem(t, <-second, internalError)
		third := background(t.Context(), s, question1(mateIn1))
		explode <- false
		wantVerdict(t, <-third, "nomate", "")
	})
}

// TestWhatIsKept: what the same question would get again, and nothing else.
func TestWhatIsKept(t *testing.T) {
	line := []shogi.Move{shogi.NewDrop(shogi.Gold, shogi.SquareAt(shogi.File9-4, shogi.RankA+1))}
	for _, c := range []struct {
		result       solver.Result
		kept, tagged bool // here; and by others, for ever
	}{
		{solver.Result{Verdict: solver.Mate, Line: line, Exact: true}, true, true},
		{solver.Result{Verdict: solver.Mate, Line: line}, true, true},
		{solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonNodes}, true, true},
		{solver.Result{Verdict: solver.Mate, Line: line, Exact: true, Reason: solver.ReasonTime}, false, false},
		{solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonTime}, false, false},
		{solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonCancelled}, false, false},
		{solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonUnverified}, false, false},
		{solver.Result{Verdict: solver.NoMate}, true, true},
		{solver.Result{Reason: solver.ReasonPlies}, true, false},
		{solver.Result{Reason: solver.ReasonNodes}, true, false},
		{solver.Result{Reason: solver.ReasonDepth}, true, false},
		{solver.Result{Reason: solver.ReasonTime}, false, false},
		{solver.Result{Reason: solver.ReasonCancelled}, false, false},
		{solver.Result{Reason: solver.ReasonUnverified}, false, false},
		{solver.Result{}, false, false},
	} {
		searches := 0
		s := newServer(t, Config{Solver: solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
			searches++
			return c.result
		})})
		first, second := get(s, mateIn1), get(s, mateIn1)
		if (searches == 1) != c.kept {
			t.Errorf("%v %s: %d searches for two equal questions", c.result.Verdict, c.result.Reason, searches)
		}
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

// TestCacheBytes fills the cache well beyond its size and looks at the memory it takes: weight must not promise less.
func TestCacheBytes(t *testing.T) {
	const size = 4 << 20
	s := newServer(t, Config{CacheBytes: size})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 40_000 {
		q := question{position: shogi.Start(), sfen: fmt.Sprintf("%s %d", shogi.StartSFEN, i)}
		s.searcher.cache.Set(q.key(), newFinding(&q, &solver.Result{Verdict: solver.NoMate}, 0))
	}
	s.searcher.cache.CleanUp()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if w := s.searcher.cache.WeightedSize(); w > size || w < size/2 {
		t.Errorf("the cache says it weighs %d, of %d allowed", w, size)
	}
	grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	if grown > size*5/4 {
		t.Errorf("%d bytes of memory for a cache of %d", grown, size)
	}
	t.Logf("%d bytes of memory for a cache of %d with %d entries", grown, size, s.searcher.cache.EstimatedSize())
	runtime.KeepAlive(s)
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
				if a := parse[answer](t, w.Body.Bytes()); w.Code != http.StatusOK || a.Verdict == "unknown" {
					t.Errorf("%s: %d %s", body, w.Code, w.Body)
				}
			}
		})
	}
	group.Wait()
	if n := metric(t, s, "tsumero_searches_in_flight"); n != 0 || len(s.searcher.flights) != 0 {
		t.Errorf("%v searches, %d flights at the end", n, len(s.searcher.flights))
	}
}

// encoded is what appendAnswer spells out.
func encoded(t *testing.T, q *question, r *solver.Result) string {
	t.Helper()
	a := answer{SFEN: q.sfen, Attacker: q.attacker.String(), Verdict: r.Verdict.String(), NoMateWithin: r.NoMateWithin,
		Reason: string(r.Reason), Solver: r.Solver, Nodes: r.Nodes}
	if r.Verdict == solver.Mate {
		plies, moves, japanese := len(r.Line), []string{}, notation.JapaneseLine(q.position, r.Line)
		for _, m := range r.Line {
			moves = append(moves, m.String())
		}
		a.Plies, a.Exact, a.Moves, a.MovesJa = &plies, &r.Exact, &moves, &japanese
	}
	text := encode(a)
	return string(text[:len(text)-2])
}

// TestAppendAnswer compares the encoding spelled out with that of encoding/json.
func TestAppendAnswer(t *testing.T) {
	solve := newServer(t, Config{}).config.Solver
	var questions []question
	for _, p := range matePositions(t) {
		q := question{}
		if fault := q.setPosition("", parse[solveRequest](t, p.body).SFEN); fault != nil {
			t.Fatal(fault)
		}
		questions = append(questions, q)
	}
	for i := range questions {
		r := solve.Solve(t.Context(), questions[i].position, solver.Limits{})
		if got, want := string(appendAnswer(nil, &questions[i], &r)), encoded(t, &questions[i], &r); got != want || r.Verdict != solver.Mate {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
	for _, r := range []solver.Result{
		{}, {Verdict: solver.Mate}, {Verdict: solver.Mate, Reason: solver.ReasonTime, NoMateWithin: 5}, {Verdict: solver.NoMate, Nodes: 1<<64 - 1, Solver: "dfpn"},
		{Reason: solver.ReasonDepth, NoMateWithin: 3, Solver: "a \"quoted\" <名> \\ \x01"}, {Reason: "あ"},
	} {
		if got, want := string(appendAnswer(nil, &questions[0], &r)), encoded(t, &questions[0], &r); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
