package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A call is what a solver was asked.
type call struct {
	limits solver.Limits
	left   time.Duration // until the context's deadline, 0 for none
}

// scripted returns a solver that takes a test's time for its one answer, unless its context ends before, and notes what
// it is asked.
func scripted(takes time.Duration, r solver.Result) (s solver.Solver, calls *[]call) {
	calls = new([]call)
	return solver.Func(func(ctx context.Context, _ shogi.Position, lim solver.Limits) solver.Result {
		c := call{limits: lim}
		if deadline, ok := ctx.Deadline(); ok {
			c.left = time.Until(deadline)
		}
		*calls = append(*calls, c)
		select {
		case <-time.After(takes):
			return r
		case <-ctx.Done():
			return solver.Result{Reason: solver.StopReason(ctx), Nodes: 1, Solver: r.Solver}
		}
	}), calls
}

// ask sends a question with limits.
func ask(s *Server, limits string) *httptest.ResponseRecorder {
	return do(s, "POST", "/v1/solve", fmt.Sprintf(`{"sfen":%q,"limits":%s}`, mateIn5, limits), "Content-Type", jsonType)
}

// TestLanes: what the quick solver answers stands, except where it was its own nodes that ran out. Then the other one
// answers, alone, and within what is left of the time.
func TestLanes(t *testing.T) {
	line := moves(mateIn5Line...)
	ranOut := solver.Result{Reason: solver.ReasonNodes, NoMateWithin: 3, Nodes: 100, Solver: "quick"}
	bounded := solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonNodes, Nodes: 100, Solver: "quick"}
	never := solver.Result{Verdict: solver.NoMate, Nodes: 7777, Solver: "long"}
	for _, c := range []struct {
		name      string
		limits    string
		quick     solver.Result
		long      solver.Result
		longTakes time.Duration
		asks      []call // the quick solver, then the long one
		want      string // a part of the answer
		kept      bool
	}{
		{name: "a mate", limits: `{}`, quick: solver.Result{Verdict: solver.Mate, Line: line, Solver: "quick"}, long: never,
			asks: []call{{solver.Limits{Nodes: 100}, 0}}, want: `"exact":false`, kept: true},
		{name: "no mate", limits: `{"nodes":500}`, quick: solver.Result{Verdict: solver.NoMate, Nodes: 3, Solver: "quick"}, long: never,
			asks: []call{{solver.Limits{Nodes: 100}, 0}}, want: `"verdict":"nomate","solver":"quick","nodes":3`, kept: true},
		{name: "not within the plies", limits: `{"plies":3}`, quick: solver.Result{Reason: solver.ReasonPlies, NoMateWithin: 3}, long: never,
			asks: []call{{solver.Limits{Nodes: 100, Plies: 3}, 0}}, want: `"reason":"limit_plies"`, kept: true},
		{name: "its nodes ran out", limits: `{"plies":9,"shortest":true}`, quick: ranOut, long: never,
			asks: []call{{solver.Limits{Nodes: 100, Plies: 9, Shortest: true}, 0}, {solver.Limits{Nodes: 1000, Plies: 9, Shortest: true}, 1900 * time.Millisecond}},
			want: `"verdict":"nomate","solver":"long","nodes":7777,"elapsed_us":100000}`, kept: true},
		{name: "the client's nodes ran out", limits: `{"nodes":100}`, quick: ranOut, long: never,
			asks: []call{{solver.Limits{Nodes: 100}, 0}}, want: `"no_mate_within":3,"reason":"limit_nodes","solver":"quick","nodes":100`, kept: true},
		{name: "fewer nodes than its own", limits: `{"nodes":50}`, quick: ranOut, long: never,
			asks: []call{{solver.Limits{Nodes: 50}, 0}}, want: `"reason":"limit_nodes"`, kept: true},
		{name: "a node more than its own", limits: `{"nodes":101}`, quick: ranOut, long: never,
			asks: []call{{solver.Limits{Nodes: 100}, 0}, {solver.Limits{Nodes: 101}, 1900 * time.Millisecond}}, want: `"solver":"long"`, kept: true},
		{name: "a mate, not yet the shortest", limits: `{"shortest":true}`, quick: bounded, long: never,
			asks: []call{{solver.Limits{Nodes: 100, Shortest: true}, 0}, {solver.Limits{Nodes: 1000, Shortest: true}, 1900 * time.Millisecond}},
			want: `"solver":"long"`, kept: true},
		{name: "little time", limits: `{"time_ms":200}`, quick: ranOut, long: never, longTakes: time.Hour,
			asks: []call{{solver.Limits{Nodes: 100}, 200 * time.Millisecond}, {solver.Limits{Nodes: 1000}, 100 * time.Millisecond}},
			want: `"verdict":"unknown","reason":"limit_time","solver":"long","nodes":1,"elapsed_us":200000`},
		{name: "too little time", limits: `{"time_ms":50}`, quick: ranOut, long: never,
			asks: []call{{solver.Limits{Nodes: 100}, 50 * time.Millisecond}},
			want: `"verdict":"unknown","reason":"limit_time","solver":"quick","nodes":1,"elapsed_us":50000`},
		{name: "a mate, and no time to find it again", limits: `{"shortest":true}`, quick: bounded, long: never, longTakes: time.Hour,
			asks: []call{{solver.Limits{Nodes: 100, Shortest: true}, 0}, {solver.Limits{Nodes: 1000, Shortest: true}, 1900 * time.Millisecond}},
			want: `"verdict":"mate","plies":5,"exact":false,`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				quick, quickCalls := scripted(100*time.Millisecond, c.quick)
				long, longCalls := scripted(c.longTakes, c.long)
				s := newServer(t, Config{Quick: quick, QuickNodes: 100, Solver: long, MaxNodes: 1000})
				w := ask(s, c.limits)
				if !strings.Contains(w.Body.String(), c.want) {
					t.Errorf("got %s, want %s", w.Body, c.want)
				}
				if got := append(*quickCalls, *longCalls...); fmt.Sprint(got) != fmt.Sprint(c.asks) {
					t.Errorf("asked with %v, want %v", got, c.asks)
				}
				for i, lane := range []string{"quick", "long"} {
					want := float64(0)
					if i < len(c.asks) {
						want = 1
					}
					if n := metric(t, s, "tsumero_search_duration_seconds", "lane", lane); n != want {
						t.Errorf("%v searches in the %s lane, want %v", n, lane, want)
					}
				}
				before := len(*quickCalls)
				if ask(s, c.limits); (len(*quickCalls) == before) != c.kept {
					t.Errorf("kept is %v, want %v", !c.kept, c.kept)
				}
			})
		})
	}
}

// lanes returns a service whose quick solver knows only mateIn1, and whose long one blocks.
func lanes(t *testing.T, c Config) (s *Server, asked chan shogi.Position, release chan solver.Result) {
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

// TestLongSearchesStarveNobody: with all places for long searches and their queue taken, by batches too, short questions
// are answered at once, and only long ones are turned away.
func TestLongSearchesStarveNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, asked, release := lanes(t, Config{MaxSearches: 1, MaxQueue: -1, LongSearches: 2, LongQueue: 1, MaxTime: time.Hour, DefaultTime: time.Hour, LongWait: time.Hour})
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
			lane string
		}{
			{2, "tsumero_searches_in_flight", "long"}, {0, "tsumero_searches_in_flight", "quick"},
			{2, "tsumero_searches_queued", "long"}, {0, "tsumero_searches_queued", "quick"},
		} {
			if got := metric(t, s, c.name, "lane", c.lane); got != c.want {
				t.Errorf("%s of the %s lane is %v, want %v", c.name, c.lane, got, c.want)
			}
		}

		began := time.Now()
		wantVerdict(t, post(s, mateIn1), "nomate", "")
		if body := do(s, "POST", "/v1/solve/batch", question1(mateIn1)+"\n").Body.String(); !strings.Contains(body, `"solver":"quick"`) {
			t.Errorf("a short line: %s", body)
		}
		w := post(s, neverMate)
		if p := wantProblem(t, w, overloaded); w.Header().Get("Retry-After") != "3600" ||
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

// TestPatientLinesLeaveRoom: of all the lines of all the batches that wait for a long search, one at a time stands in
// line with the single questions.
func TestPatientLinesLeaveRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, asked, release := lanes(t, Config{MaxSearches: 8, LongSearches: 1, MaxTime: time.Hour, DefaultTime: time.Hour, LongWait: time.Hour})
		var lines strings.Builder
		for n := range 9 {
			fmt.Fprintf(&lines, `{"sfen":%q,"limits":{"plies":%d}}`+"\n", mateIn3, n+1)
		}
		batch := make(chan string)
		go func() { batch <- do(s, "POST", "/v1/solve/batch", lines.String()).Body.String() }()
		synctest.Wait()
		single := background(t.Context(), s, question1(mateIn5))
		synctest.Wait()
		if n := metric(t, s, "tsumero_searches_queued", "lane", "long"); n != 9 {
			t.Fatalf("%v wait, want 8 lines and a question", n)
		}
		for i := range 10 {
			release <- solver.Result{Verdict: solver.NoMate}
			synctest.Wait()
			if i == 2 { // one line searched, one was in line already
				select {
				case w := <-single:
					wantVerdict(t, w, "nomate", "")
				default:
					t.Error("the question still waits after three searches")
				}
			}
		}
		if n := strings.Count(<-batch, `"verdict":"nomate"`); n != 9 || len(asked) != 10 {
			t.Errorf("%d lines answered in %d searches", n, len(asked))
		}
	})
}

// TestLeavingTheLanes: a client that goes gives up its place in each line it may stand in, and those who joined keep it.
func TestLeavingTheLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, asked, release := lanes(t, Config{MaxSearches: 1, LongSearches: 1, MaxTime: time.Hour, DefaultTime: time.Hour, LongWait: time.Hour, QueueWait: time.Hour})
		queued := func(lane string) float64 { return metric(t, s, "tsumero_searches_queued", "lane", lane) }

		releaseQuick := takeSlot(s, 0)
		ctx, leave := context.WithCancel(t.Context())
		gone := background(ctx, s, question1(mateIn3))
		synctest.Wait()
		if queued("quick") != 1 {
			t.Fatal("nobody waits for a short search")
		}
		leave()
		wantVerdict(t, <-gone, "unknown", "cancelled")
		releaseQuick()

		running := background(t.Context(), s, question1(mateIn3))
		synctest.Wait()
		ctx, leave = context.WithCancel(t.Context())
		first := background(ctx, s, question1(mateIn5))
		synctest.Wait()
		second := background(t.Context(), s, question1(mateIn5))
		synctest.Wait()
		if queued("long") != 1 || len(asked) != 1 {
			t.Fatalf("%v wait, %d searches; want 1 and 1", queued("long"), len(asked))
		}
		leave()
		synctest.Wait()
		if queued("long") != 1 {
			t.Error("the place in line of a question that somebody still asks is given up")
		}
		release <- solver.Result{Verdict: solver.NoMate}
		release <- solver.Result{Verdict: solver.NoMate}
		wantVerdict(t, <-running, "nomate", "")
		wantVerdict(t, <-second, "nomate", "")
		<-first
		if queued("quick") != 0 || queued("long") != 0 || len(s.searcher.flights) != 0 {
			t.Error("somebody still waits")
		}
	})
}

// TestUnverified: a mate that did not survive its verification is counted and logged, whoever found it out.
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
