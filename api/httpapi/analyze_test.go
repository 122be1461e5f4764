package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/sched"
)

// A noSession is for reports that are made without asking.
type noSession struct{ solver.Session }

func (noSession) Ask(context.Context, solver.Question) solver.Result { return solver.Result{} }
func (noSession) Reset()                                             {}

// A slowSession takes 97 ms of a test's clock for an answer, so that none comes at a moment at which
// somebody asks.
type slowSession struct{ solver.Session }

func (s slowSession) Ask(ctx context.Context, q solver.Question) solver.Result {
	time.Sleep(97 * time.Millisecond)
	return s.Session.Ask(ctx, q)
}

// A fakeReport is how a test makes reports.
type fakeReport func(ctx context.Context, q analysis.Question, on func(analysis.Update)) (*analysis.Analysis, error)

// analyzing returns a service whose reports are those of by.
func analyzing(t *testing.T, c Config, by fakeReport) *Server {
	t.Helper()
	c.Sessions = func() solver.Session { return noSession{} }
	c.MaxAnalyses = max(1, c.MaxAnalyses)
	if c.Solver == nil {
		c.Solver = solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result { panic("a search") })
	}
	s := newServer(t, c)
	s.answers.Analyze = func(ctx context.Context, _ solver.Session, q analysis.Question,
		on func(analysis.Update)) (*analysis.Analysis, error) {
		return by(ctx, q, on)
	}
	return s
}

// sound returns a report with nothing left open.
func soundReport(q analysis.Question) *analysis.Analysis {
	return &analysis.Analysis{Position: q.Position, Attacker: q.Attacker, Policy: q.Policy,
		Profile: q.Profile, Verdict: solver.Mate, Sound: analysis.Yes, Nodes: 7, Repeatable: true,
		Lengths: []analysis.Length{{Policy: q.Policy, Interval: length.Exactly(3)}}}
}

func instantly(_ context.Context, q analysis.Question, _ func(analysis.Update)) (*analysis.Analysis, error) {
	return soundReport(q), nil
}

// untilEnd takes all of its time.
func untilEnd(ctx context.Context, q analysis.Question, _ func(analysis.Update)) (*analysis.Analysis, error) {
	<-ctx.Done()
	return &analysis.Analysis{Position: q.Position, Attacker: q.Attacker, Policy: q.Policy,
		Profile: q.Profile, Reason: solver.StopReason(ctx), Nodes: 1}, nil
}

func askAnalysis(ctx context.Context, s *Server, body string) *httptest.ResponseRecorder {
	return doContext(ctx, s, "POST", "/v1/analyze", body, "Content-Type", jsonType)
}

func askAnalysisEvents(ctx context.Context, s *Server, body string) *httptest.ResponseRecorder {
	return doContext(ctx, s, "POST", "/v1/analyze/events", body, "Content-Type", jsonType)
}

func inBackground(f func() *httptest.ResponseRecorder) <-chan *httptest.ResponseRecorder {
	answer := make(chan *httptest.ResponseRecorder, 1)
	go func() { answer <- f() }()
	return answer
}

func wantReport(t *testing.T, w *httptest.ResponseRecorder, verdict, sound, reason string) *wire.AnalyzeAnswer {
	t.Helper()
	a := parse[wire.AnalyzeAnswer](t, w.Body.Bytes())
	if w.Code != http.StatusOK || a.Verdict != verdict || a.Sound != sound || a.Reason != reason {
		t.Errorf("status %d: %s, want %s, sound %s %s", w.Code, w.Body, verdict, sound, reason)
	}
	return &a
}

// TestAnalyzeQuestion: what is asked arrives, in JSON, by a link, in a line, and as a record, whose
// moves are the author's.
func TestAnalyzeQuestion(t *testing.T) {
	var asked []analysis.Question
	s := analyzing(t, Config{CacheBytes: -1}, func(ctx context.Context, q analysis.Question, on func(analysis.Update)) (*analysis.Analysis, error) {
		deadline, ok := ctx.Deadline()
		if left := time.Until(deadline); !ok || left > 7*time.Second || left < 6*time.Second {
			t.Errorf("%v are left", left)
		}
		asked = append(asked, q)
		return soundReport(q), nil
	})
	const sfen = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"
	want := analysis.Question{Position: shogi.MustParseSFEN(sfen), Attacker: shogi.Black, Policy: length.F1,
		Profile: analysis.Strict, Line: moves("G*5c", "5b4a", "G*4b"), Parts: analysis.Attack | analysis.Tries,
		Scope: analysis.ScopeEqual, Stop: analysis.StopFirst, Nodes: 3000, QuestionNodes: 200}
	const body = `{"sfen":"` + sfen + `","policy":"F1","profile":"strict","line":["G*5c","5b4a","G*4b"],"told":3,` +
		`"parts":["attack","tries"],"scope":"equal","stop":"first","limits":{"nodes":3000,"question_nodes":200,"time_ms":7000}}`
	const query = "policy=F1&profile=strict&parts=attack,tries&scope=equal&stop=first&nodes=3000&question_nodes=200&time_ms=7000"
	link := strings.NewReplacer(" ", "%20", "+", "%2B").Replace(sfen)
	for _, w := range []*httptest.ResponseRecorder{
		askAnalysis(t.Context(), s, body),
		do(s, "GET", "/v1/analyze?"+query+"&line=G*5c,5b4a,G*4b&sfen="+link, ""),
		do(s, "POST", "/v1/analyze/batch", body+"\n", "Content-Type", ndjsonType),
		do(s, "POST", "/v1/analyze?"+query, sfen+" moves G*5c 5b4a G*4b", "Content-Type", "text/plain"),
		do(s, "POST", "/v1/analyze?"+query, kifOf(t, sfen, "G*5c", "5b4a", "G*4b"), "Content-Type", "application/x-kif"),
	} {
		a := wantReport(t, w, "mate", "yes", "")
		if a.Policy != "F1" || a.Profile != "strict" || a.SFEN != sfen {
			t.Errorf("%s", w.Body)
		}
	}
	if len(asked) != 5 {
		t.Fatalf("%d asked", len(asked))
	}
	for i, q := range asked {
		if !q.Position.SamePosition(&want.Position) {
			t.Errorf("position %s", q.Position.SFEN())
		}
		q.Position, want.Told = want.Position, []int{3, 0, 3, 0, 3}[i]
		if fmt.Sprintf("%+v", q) != fmt.Sprintf("%+v", want) {
			t.Errorf("%+v, want %+v", q, want)
		}
	}
}

// kifOf returns a record in KIF.
func kifOf(t *testing.T, sfen string, line ...string) string {
	t.Helper()
	s := newServer(t, Config{Solver: solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
		return solver.Result{Verdict: solver.Mate, Line: moves(line...), Exact: true}
	})})
	return do(s, "POST", "/v1/solve/record/kif", question1(sfen), "Content-Type", jsonType).Body.String()
}

// TestAnalyzeFaults: they come with their places, before anything waits for a slot.
func TestAnalyzeFaults(t *testing.T) {
	s := analyzing(t, Config{}, instantly)
	for _, c := range []struct {
		w    *httptest.ResponseRecorder
		want string
	}{
		{askAnalysis(t.Context(), s, `{"sfen":"`+mateIn3+`","line":["5b5a"]}`), "body.line[0]"},
		{do(s, "POST", "/v1/analyze?nodes=0", mateIn3, "Content-Type", "text/plain"), "query.nodes"},
		{do(s, "POST", "/v1/analyze?policy=F1", question1(mateIn3), "Content-Type", jsonType), "query.policy"},
		{do(s, "POST", "/v1/analyze", mateIn3+" moves 5b5a", "Content-Type", "text/plain"), "body"},
		{do(s, "POST", "/v1/analyze", "4k4/4G4/4P4/9/9/9/9/9/9 w 2r2b3g4s4n4l17p 1", "Content-Type", "text/plain"), "body"},
		{do(s, "GET", "/v1/analyze?sfen=x", ""), "query.sfen"},
	} {
		if p := wantProblem(t, c.w, wire.InvalidQuestion); len(p.Errors) == 0 || p.Errors[0].Location != c.want {
			t.Errorf("%+v, want %s", p, c.want)
		}
	}
	wantProblem(t, do(s, "POST", "/v1/analyze", "x", "Content-Type", "image/png"), wire.UnsupportedMediaType)
}

// TestAnalyzeKept: a report that its limits ended is kept, apart from those of other questions; one
// that time ended is not. Both are counted.
func TestAnalyzeKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := 0
		s := analyzing(t, Config{}, func(ctx context.Context, q analysis.Question, on func(analysis.Update)) (*analysis.Analysis, error) {
			made++
			if q.Nodes == 9 {
				return untilEnd(ctx, q, on)
			}
			return soundReport(q), nil
		})
		ask := func(more string) *httptest.ResponseRecorder {
			return askAnalysis(t.Context(), s, `{"sfen":"`+mateIn3+`"`+more+`}`)
		}
		for i, more := range []string{``, `,"policy":"F1"`, `,"profile":"app"`, `,"scope":"equal"`, `,"stop":"first"`,
			`,"parts":["attack"]`, `,"line":["G*5c"]`, `,"limits":{"nodes":1000}`, `,"limits":{"question_nodes":10}`} {
			before := made
			first, again := ask(more), ask(more)
			wantReport(t, first, "mate", "yes", "")
			if made != before+1 || first.Body.String() != again.Body.String() {
				t.Errorf("%s: %d made\n%s%s", more, made-before, first.Body, again.Body)
			}
			if n := metric(t, s, "tsumero_analyses_total", "verdict", "mate", "sound", "yes"); n != float64(2*i+2) {
				t.Errorf("%v counted, want %d", n, 2*i+2)
			}
		}
		before := made
		ask(`,"limits":{"time_ms":77}`) // a limit of time that ends nothing
		if made != before {
			t.Error("the limit of time makes another question")
		}
		for range 2 {
			before := made
			if a := wantReport(t, ask(`,"limits":{"nodes":9,"time_ms":500}`), "unknown", "unknown", "limit_time"); *a.ElapsedUS != 500_000 || a.Lasting {
				t.Errorf("%+v", a)
			}
			if made != before+1 {
				t.Error("kept though time ended it")
			}
		}
		if n := metric(t, s, "tsumero_search_duration_seconds", "pool", "analysis"); n != float64(made) {
			t.Errorf("%v measured, want %d", n, made)
		}
		if n := metric(t, s, "tsumero_search_nodes_total", "solver", "analysis"); n != 7*9+2 {
			t.Errorf("%v nodes counted", n)
		}
	})
}

// TestAnalyzeLinkInCaches: only a report with nothing open may be kept by others.
func TestAnalyzeLinkInCaches(t *testing.T) {
	s := analyzing(t, Config{}, func(_ context.Context, q analysis.Question, _ func(analysis.Update)) (*analysis.Analysis, error) {
		a := soundReport(q)
		switch q.Nodes {
		case 1:
			a.Sound, a.Remaining = analysis.Unknown, []analysis.Place{{Ply: 1, Move: moves("G*5c")[0]}}
		case 2:
			a.Sound, a.Remaining = analysis.No, []analysis.Place{{Ply: 1, Move: moves("G*5c")[0]}}
		case 3:
			a.Repeatable = false
		case 4:
			a.Verdict, a.Sound = solver.NoMate, analysis.No
		case 5:
			a.Verdict, a.Sound, a.Reason = solver.Unknown, analysis.Unknown, solver.ReasonNodes
		}
		return a, nil
	})
	link := "/v1/analyze?sfen=" + strings.ReplaceAll(mateIn3, " ", "%20")
	for nodes, kept := range map[string]bool{"9": true, "4": true, "1": false, "2": false, "3": false, "5": false} {
		w := do(s, "GET", link+"&nodes="+nodes, "")
		h := w.Header()
		if w.Code != http.StatusOK || (h.Get("ETag") != "") != kept ||
			h.Get("Cache-Control") != map[bool]string{true: immutable[0], false: "no-store"}[kept] ||
			strings.Contains(w.Body.String(), "elapsed_us") || h.Get("Server-Timing") == "" {
			t.Errorf("nodes %s: %d %v %s", nodes, w.Code, h, w.Body)
		}
		if !kept {
			continue
		}
		if w := do(s, "GET", link+"&nodes="+nodes, "", "If-None-Match", h.Get("ETag")); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
			t.Errorf("nodes %s: %d %s", nodes, w.Code, w.Body)
		}
	}
}

// TestAnalyzeNotOffered: where there are no sessions, every way to ask says so, and so do the limits.
func TestAnalyzeNotOffered(t *testing.T) {
	s := newServer(t, Config{})
	link := "sfen=" + strings.ReplaceAll(mateIn3, " ", "%20")
	withLength := `{"sfen":"` + mateIn5 + `","limits":{"length":"F2"}}`
	for _, w := range []*httptest.ResponseRecorder{
		askAnalysis(t.Context(), s, question1(mateIn3)),
		askAnalysisEvents(t.Context(), s, question1(mateIn3)),
		do(s, "GET", "/v1/analyze?"+link, ""),
		do(s, "POST", "/v1/analyze/batch", question1(mateIn3)+"\n", "Content-Type", ndjsonType),
	} {
		wantProblem(t, w, wire.NotOffered)
	}
	// A length is not known, and the rest is: by a later program perhaps, so that nobody keeps it.
	for _, w := range []*httptest.ResponseRecorder{
		do(s, "POST", "/v1/solve", withLength, "Content-Type", jsonType),
		do(s, "POST", "/v1/moves", withLength, "Content-Type", jsonType),
		do(s, "GET", "/v1/solve?length=F2&sfen="+strings.ReplaceAll(mateIn5, " ", "%20"), ""),
		do(s, "GET", "/v1/moves?length=F2&sfen="+strings.ReplaceAll(mateIn5, " ", "%20"), ""),
		do(s, "POST", "/v1/solve/batch", withLength+"\n", "Content-Type", ndjsonType),
	} {
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"reason":"not_offered"`) ||
			!strings.Contains(w.Body.String(), `"verdict":"mate","plies":5`) || w.Header().Get("ETag") != "" {
			t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
		}
	}
	// Where the raw count is that of the policy nothing is missing.
	for sfen, policy := range map[string]string{mateIn5: "F0", "4k4/4G4/4G4/9/9/9/9/9/9 w 2r2b2g4s4n4l18p 2": "F2"} {
		w := do(s, "POST", "/v1/moves", `{"sfen":"`+sfen+`","limits":{"shortest":true,"length":"`+policy+`"}}`,
			"Content-Type", jsonType)
		if l := parse[wire.MovesAnswer](t, w.Body.Bytes()).Length; l == nil || l.Reason != "" || l.Low != l.High {
			t.Errorf("%s %s: %s", policy, sfen, w.Body)
		}
	}
	if limits := do(s, "GET", "/v1/limits", "").Body.String(); strings.Contains(limits, "analysis") {
		t.Errorf("%s", limits)
	}
	with := analyzing(t, Config{MaxAnalysisNodes: 3_000_000, MaxAnalysisTime: 30 * time.Second, DefaultAnalysisTime: 5 * time.Second,
		AnalysisWait: 9 * time.Second}, instantly)
	const want = `,"analysis":{"max_nodes":3000000,"default_nodes":3000000,"default_question_nodes":256000,` +
		`"max_time_ms":30000,"default_time_ms":5000,"max_wait_ms":9000}}` + "\n"
	if limits := do(with, "GET", "/v1/limits", "").Body.String(); !strings.HasSuffix(limits, want) {
		t.Errorf("%s", limits)
	}
}

// TestAnalyzeSlots: no more run at once than there are slots; who waits in vain, or finds the queue
// full, is told when to come again; searches have slots of their own.
func TestAnalyzeSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := analyzing(t, Config{Solver: mate.New(mate.Options{TableBytes: 1 << 20}), MaxAnalyses: 1, AnalysisQueue: 1, AnalysisWait: 10 * time.Second}, untilEnd)
		ask := func(nodes int) <-chan *httptest.ResponseRecorder {
			return inBackground(func() *httptest.ResponseRecorder {
				return askAnalysis(t.Context(), s, fmt.Sprintf(`{"sfen":%q,"limits":{"nodes":%d,"time_ms":30000}}`, mateIn3, nodes))
			})
		}
		first := ask(1)
		synctest.Wait()
		second := ask(2)
		synctest.Wait()
		if running, waiting := metric(t, s, "tsumero_searches_in_flight", "pool", "analysis"),
			metric(t, s, "tsumero_searches_queued", "pool", "analysis"); running != 1 || waiting != 1 {
			t.Errorf("%v run, %v wait", running, waiting)
		}
		began := time.Now()
		w := <-ask(3)
		if p := wantProblem(t, w, wire.Overloaded); !strings.Contains(p.Detail, "analyses") || time.Since(began) != 0 ||
			w.Header().Get("Retry-After") == "" {
			t.Errorf("after %v: %v %v", time.Since(began), p, w.Header())
		}
		if w := post(s, mateIn1); w.Code != http.StatusOK {
			t.Errorf("a search meanwhile: %d %s", w.Code, w.Body)
		}
		wantProblem(t, <-second, wire.Overloaded)
		if waited := time.Since(began); waited != 10*time.Second {
			t.Errorf("waited %v", waited)
		}
		wantReport(t, <-first, "unknown", "unknown", "limit_time")
		if n := metric(t, s, "tsumero_refused_total", "reason", "analysis"); n != 2 {
			t.Errorf("%v refused", n)
		}
	})
}

// TestAnalyzeLeave: equal questions share an analysis; the last client that goes away ends it, and
// the time of it is charged.
func TestAnalyzeLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		made := 0
		s := analyzing(t, Config{RatePerMinute: 600, Logger: slog.New(slog.NewTextHandler(&log, nil))},
			func(ctx context.Context, q analysis.Question, on func(analysis.Update)) (*analysis.Analysis, error) {
				made++
				return untilEnd(ctx, q, on)
			})
		first, leaveFirst := context.WithCancel(t.Context())
		second, leaveSecond := context.WithCancel(t.Context())
		a := inBackground(func() *httptest.ResponseRecorder { return askAnalysis(first, s, question1(mateIn3)) })
		synctest.Wait()
		b := inBackground(func() *httptest.ResponseRecorder { return askAnalysis(second, s, question1(mateIn3)) })
		time.Sleep(3 * time.Second)
		leaveFirst()
		synctest.Wait()
		if n := metric(t, s, "tsumero_searches_in_flight", "pool", "analysis"); n != 1 || made != 1 {
			t.Errorf("%v run of %d", n, made)
		}
		leaveSecond()
		wantReport(t, <-a, "unknown", "unknown", "cancelled")
		wantReport(t, <-b, "unknown", "unknown", "cancelled")
		if n := metric(t, s, "tsumero_searches_in_flight"); n != 0 {
			t.Errorf("%v run", n)
		}
		// 600, as the 3 s have made up for two requests, less 3 s at a tenth of a second each and one.
		if w := post(s, "x"); w.Header().Get("X-RateLimit-Remaining") != fmt.Sprint(600-30-1) {
			t.Errorf("%v", w.Header())
		}
		if !strings.Contains(log.String(), "route=/v1/analyze ") || !strings.Contains(log.String(), "sound=unknown reason=cancelled") {
			t.Errorf("%s", log.String())
		}
	})
}

// TestAnalyzeBroken: what an analysis cannot do is an internal error, logged, and so is a panic.
func TestAnalyzeBroken(t *testing.T) {
	var log bytes.Buffer
	s := analyzing(t, Config{Logger: slog.New(slog.NewTextHandler(&log, nil))},
		func(_ context.Context, q analysis.Question, _ func(analysis.Update)) (*analysis.Analysis, error) {
			if q.Nodes == 9 {
				panic("as asked")
			}
			return nil, errors.New("it broke")
		})
	wantProblem(t, askAnalysis(t.Context(), s, question1(mateIn3)), wire.InternalError)
	if !strings.Contains(log.String(), "it broke") {
		t.Errorf("%s", log.String())
	}
	wantProblem(t, askAnalysis(t.Context(), s, `{"sfen":"`+mateIn3+`","limits":{"nodes":9}}`), wire.InternalError)
	stream := askAnalysisEvents(t.Context(), s, `{"sfen":"`+mateIn3+`","limits":{"nodes":9}}`)
	if all := events(t, stream.Body.String()); len(all) != 1 || all[0].name != "problem" {
		t.Errorf("%s", stream.Body)
	}
	if n := metric(t, s, "tsumero_panics_total"); n != 2 {
		t.Errorf("%v panics", n)
	}
	if n := metric(t, s, "tsumero_searches_in_flight"); n != 0 {
		t.Errorf("%v run", n)
	}
}

// slowly makes a report in a second and finds out something each tenth.
func slowly(_ context.Context, q analysis.Question, on func(analysis.Update)) (*analysis.Analysis, error) {
	a := &analysis.Analysis{Position: q.Position, Attacker: q.Attacker, Policy: q.Policy, Profile: q.Profile}
	time.Sleep(10 * time.Millisecond)
	for i := range 10 {
		time.Sleep(97 * time.Millisecond)
		u := analysis.Update{Phase: analysis.PhaseLengths, Done: i, Total: 9, Nodes: uint64(1000 * i), Report: func() *analysis.Analysis { return a }}
		switch i {
		case 0:
			a.Verdict, u.Pointer = solver.Mate, "/verdict"
		case 2, 3, 9:
			a.Lengths = []analysis.Length{{Policy: length.F2, Interval: length.Interval{Low: i, High: 9}}}
			u.Pointer = "/lengths/F2"
		case 4:
			u.Pointer = "/nothing"
		}
		on(u)
	}
	time.Sleep(20 * time.Millisecond)
	return soundReport(q), nil
}

// course is a stream in a few words.
func course(all []event) (words []string) {
	for _, e := range all {
		word := e.name
		switch e.name {
		case "progress":
			word = fmt.Sprintf("%s@%d", e.Phase, e.ElapsedMS)
		case "fact":
			word = string(e.data)
		}
		words = append(words, word)
	}
	return words
}

// TestAnalyzeEvents: what is new comes with the steady rhythm, the latest of each place, to those
// who join later as well, and at last what a plain question gets.
func TestAnalyzeEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := analyzing(t, Config{CacheBytes: -1}, slowly)
		stream := func() *httptest.ResponseRecorder {
			return askAnalysisEvents(t.Context(), s, question1(mateIn3))
		}
		first := inBackground(stream)
		time.Sleep(500 * time.Millisecond)
		second := inBackground(stream)
		plain := inBackground(func() *httptest.ResponseRecorder { return askAnalysis(t.Context(), s, question1(mateIn3)) })
		w := <-first
		h := w.Header()
		if w.Code != http.StatusOK || h.Get("Content-Type") != eventStreamType || h.Get("Cache-Control") != "no-store" || h.Get("X-Accel-Buffering") != "no" {
			t.Errorf("status %d, %v", w.Code, h)
		}
		all, joined := events(t, w.Body.String()), events(t, (<-second).Body.String())
		const verdict = `{"pointer":"/verdict","value":"mate"}`
		fact := func(low int) string { return fmt.Sprintf(`{"pointer":"/lengths/F2","value":{"low":%d,"high":9}}`, low) }
		if got, want := course(all), []string{"lengths@200", verdict, "lengths@450", fact(3), "lengths@700", "lengths@950", "answer"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if got, want := course(joined), []string{"lengths@200", verdict, fact(3), "lengths@450", "answer"}; !slices.Equal(got, want) {
			t.Errorf("joined: %q, want %q", got, want)
		}
		if !strings.HasPrefix(string(all[0].data), `{"phase":"lengths","done":0,"total":9,"nodes":0,"elapsed_ms":200}`) {
			t.Errorf("%s", all[0].data)
		}
		want := (<-plain).Body.String()
		for _, stream := range [][]event{all, joined} {
			if got := string(stream[len(stream)-1].data) + "\n"; got != want {
				t.Errorf("the last event is\n%s\nthe plain answer\n%s", got, want)
			}
		}
	})
}

// TestAnalyzeEventsWhileWaiting: who waits for a slot is told so, and who cannot wait gets a
// problem as the only event.
func TestAnalyzeEventsWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := analyzing(t, Config{AnalysisQueue: 1}, slowly)
		stream := func(nodes int) func() *httptest.ResponseRecorder {
			return func() *httptest.ResponseRecorder {
				return askAnalysisEvents(t.Context(), s, fmt.Sprintf(`{"sfen":%q,"limits":{"nodes":%d}}`, mateIn3, nodes))
			}
		}
		first := inBackground(stream(1))
		time.Sleep(700 * time.Millisecond)
		second := inBackground(stream(2))
		synctest.Wait()
		refused := events(t, (<-inBackground(stream(3))).Body.String())
		if got := course(refused); !slices.Equal(got, []string{"problem"}) {
			t.Errorf("%q", got)
		}
		<-first
		got := course(events(t, (<-second).Body.String()))
		if want := []string{"waiting@200", "verdict@450"}; len(got) < 3 || !slices.Equal(got[:1], want[:1]) || !strings.HasPrefix(got[1], "lengths@450") {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// TestAnalyzeBatch: answers in the order of the lines, with their ids; faults are lines, too.
func TestAnalyzeBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most := 0, 0
		s := analyzing(t, Config{MaxAnalyses: 2, AnalysisQueue: -1},
			func(_ context.Context, q analysis.Question, _ func(analysis.Update)) (*analysis.Analysis, error) {
				count := func(n int) {
					mu.Lock()
					defer mu.Unlock()
					running += n
					most = max(most, running)
				}
				count(1)
				time.Sleep(time.Duration(100-q.Nodes) * time.Second / 10)
				count(-1)
				return soundReport(q), nil
			})
		var body strings.Builder
		for i := range 5 {
			fmt.Fprintf(&body, `{"id":%d,"sfen":%q,"limits":{"nodes":%d}}`+"\n", i, mateIn3, 10*i+1)
		}
		body.WriteString(`{"id":"x","sfen":"4k4"}` + "\n")
		w := do(s, "POST", "/v1/analyze/batch", body.String(), "Content-Type", ndjsonType)
		lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n")
		if len(lines) != 6 || most != 2 {
			t.Fatalf("%d lines, %d at once: %s", len(lines), most, w.Body)
		}
		for i, line := range lines[:5] {
			if !strings.HasPrefix(line, fmt.Sprintf(`{"id":%d,"sfen":%q`, i, mateIn3)) || !strings.Contains(line, `"sound":"yes"`) {
				t.Errorf("line %d: %s", i, line)
			}
		}
		if !strings.HasPrefix(lines[5], `{"id":"x","line":6,"type":"/problems/invalid_question"`) {
			t.Errorf("%s", lines[5])
		}
		if n := metric(t, s, "tsumero_analyses_total", "sound", "yes"); n != 5 {
			t.Errorf("%v counted", n)
		}
		if n := metric(t, s, "tsumero_batch_lines_total", "outcome", "answer"); n != 5 {
			t.Errorf("%v answered", n)
		}
	})
}

// TestAnalysisConfig: the defaults, and what cannot be.
func TestAnalysisConfig(t *testing.T) {
	never := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result { return solver.Result{} })
	c, err := Config{Solver: never, MaxAnalysisTime: 5 * time.Second, MaxAnalyses: 3, AnalysisQueue: -1}.withDefaults()
	if err != nil || c.DefaultAnalysisTime != 5*time.Second || c.AnalysisWait != 10*time.Second || c.AnalysisQueue != -1 ||
		c.MaxAnalysisNodes == 0 {
		t.Errorf("%v %+v", err, c)
	}
	for _, c := range []Config{{MaxAnalyses: -1}, {AnalysisWait: -1}, {MaxAnalysisTime: -1}, {DefaultAnalysisTime: -1},
		{MaxAnalysisTime: time.Second, DefaultAnalysisTime: time.Minute}, {MaxAnalysisTime: time.Microsecond}} {
		c.Solver = never
		if _, err := New(c); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	without, with := c, c
	without.Sessions, with.Sessions = nil, func() solver.Session { return noSession{} }
	if d := with.longestRequest() - without.longestRequest(); d < c.AnalysisWait+c.MaxAnalysisTime {
		t.Errorf("an analysis has %v", d)
	}
}

// TestAnalyzeReal: a report of the real engine, the same bytes again from a new service, and by a
// service whose session has worked on something else.
func TestAnalyzeReal(t *testing.T) {
	real := func() *Server {
		return newServer(t, Config{CacheBytes: -1, MaxAnalyses: 1,
			Sessions: func() solver.Session { return dfpn.NewSession() }})
	}
	ask := func(s *Server, sfen string) string {
		link := strings.NewReplacer(" ", "%20", "+", "%2B").Replace(sfen)
		return do(s, "GET", "/v1/analyze?nodes=200000&time_ms=60000&sfen="+link, "").Body.String()
	}
	s := real()
	const sfen = "9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1"
	first := ask(s, sfen)
	a := parse[wire.AnalyzeAnswer](t, []byte(first))
	if a.Verdict != "mate" || a.Sound != "yes" || *a.Lengths.F2.High != 3 || len(a.Line.Moves) != 3 || a.Line.Moves[0] != "G*5c" || !a.Lasting {
		t.Errorf("%s", first)
	}
	ask(s, mateIn5)
	if again := ask(s, sfen); again != first {
		t.Errorf("%s\nafter another problem\n%s", first, again)
	}
	if other := ask(real(), sfen); other != first {
		t.Errorf("%s\nof a new service\n%s", first, other)
	}
	lengths := func() string {
		return do(s, "GET", "/v1/solve?length=F2&shortest=1&sfen="+strings.ReplaceAll(mateIn5, " ", "%20"), "").Body.String()
	}
	if before, after := lengths(), lengths(); before != after || !strings.Contains(before, `"length":{"policy":"F2","low":3,"high":3`) {
		t.Errorf("%s\nand again\n%s", before, after)
	}
}

// TestSolveLength: the length that books print, beside the raw one; kept, and apart from other
// policies and from the plain question.
func TestSolveLength(t *testing.T) {
	s := newServer(t, Config{MaxAnalyses: 1, Sessions: func() solver.Session { return dfpn.NewSession() }})
	ask := func(limits string) *wire.Answer {
		w := do(s, "POST", "/v1/solve", `{"sfen":"`+mateIn5+`","limits":{"shortest":true`+limits+`}}`, "Content-Type", jsonType)
		if w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return new(parse[wire.Answer](t, w.Body.Bytes()))
	}
	plain := ask("")
	if plain.Length != nil || *plain.Plies != 5 {
		t.Errorf("%s", mustJSON(t, plain))
	}
	// The lengths are those of the row act-05 of the table of problems of package analysis.
	for policy, want := range map[string]int{"F0": 5, "F1": 5, "F2": 3, "F3": 3} {
		for range 2 {
			a := ask(`,"length":"` + policy + `"`)
			if l := a.Length; l == nil || l.Policy != policy || l.Low != want || *l.High != want || l.Raw.Low != 5 || *l.Raw.High != 5 ||
				l.Reason != "" || !slices.Equal(a.Moves, plain.Moves) || *a.Plies != 5 {
				t.Errorf("%s", mustJSON(t, a))
			}
		}
	}
	if n := metric(t, s, "tsumero_search_duration_seconds", "pool", "analysis"); n != 3 {
		t.Errorf("%v lengths were found, want 3: F0 needs none, and the others are kept", n)
	}
	if n := metric(t, s, "tsumero_solves_total", "verdict", "mate"); n != 9 {
		t.Errorf("%v answers counted, want 9", n)
	}
	// In print the line is as long as books count, if that is asked for. In a record every move counts.
	for format, want := range map[string][2]string{"print": {" まで５手詰\n", " まで３手詰\n"}, "ki2": {"まで5手で詰み\n", "まで5手で詰み\n"}} {
		for i, limits := range []string{"", `,"length":"F2"`} {
			got := body200(t, s, "POST", "/v1/solve/record/"+format,
				`{"sfen":"`+mateIn5+`","limits":{"shortest":true`+limits+`}}`, "Content-Type", jsonType)
			if !strings.HasSuffix(got, want[i]) {
				t.Errorf("%s%s: %q", format, limits, got)
			}
		}
	}
	link := "/v1/solve?shortest=true&length=F2&sfen=" + strings.ReplaceAll(mateIn5, " ", "%20")
	w := do(s, "GET", link, "")
	if w.Header().Get("ETag") == "" || !strings.HasSuffix(w.Body.String(), `,"length":{"policy":"F2","low":3,"high":3,"raw":{"low":5,"high":5},"futile":[{"ply":2,"move":"P*3c",`+
		`"move_ja":"△３三歩","move_en":"P*3c","type":"narrow","capture":"4c3c","capture_ja":"▲同　龍","capture_en":"+Rx3c"}],`+
		`"moves":["4e4c+","1c1b","4c2c"],"moves_ja":["▲４三飛成","△１二玉","▲２三龍"],"moves_en":["R-4c+","K-1b","+R-2c"]}}`+"\n") {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
	lines := do(s, "POST", "/v1/solve/batch", `{"id":1,"sfen":"`+mateIn5+`","limits":{"length":"F2"}}`+"\n", "Content-Type", ndjsonType).Body.String()
	if !strings.HasPrefix(lines, `{"id":1,`) || !strings.Contains(lines, `"length":{"policy":"F2","low":3,"high":3,`) {
		t.Errorf("%s", lines)
	}
	// What does not mate has no length.
	if w := do(s, "POST", "/v1/solve", `{"sfen":"`+neverMate+`","limits":{"length":"F2"}}`, "Content-Type", jsonType); strings.Contains(w.Body.String(), "length") {
		t.Errorf("%s", w.Body)
	}
}

// TestSolveLengthUnknown: what the limits leave of a length, and that only what they left is kept.
func TestSolveLengthUnknown(t *testing.T) {
	found := 0
	s := newServer(t, Config{MaxAnalyses: 1, Sessions: func() solver.Session { return noSession{} }})
	s.answers.Length = func(_ context.Context, _ solver.Session, q *sched.Question, policy length.Policy, line []shogi.Move) analysis.FoundLength {
		found++
		if raw := len(line); raw != 5 || q.SFEN != mateIn5 {
			t.Errorf("asked about a mate in %d, %s", raw, q.SFEN)
		}
		if policy == length.F2 {
			return analysis.FoundLength{By: length.Interval{Low: 1, High: 5}, Nodes: 77, Reason: solver.ReasonNodes}
		}
		return analysis.FoundLength{By: length.Interval{Low: 3, High: 5}, Nodes: 78, Reason: solver.ReasonTime}
	}
	for policy, want := range map[string]string{
		"F2": `"length":{"policy":"F2","low":1,"high":5,"raw":{"low":5,"high":5},"reason":"limit_nodes"}`,
		"F1": `"length":{"policy":"F1","low":3,"high":5,"raw":{"low":5,"high":5},"reason":"limit_time"}`,
	} {
		for range 2 {
			w := do(s, "POST", "/v1/solve", `{"sfen":"`+mateIn5+`","limits":{"shortest":true,"length":"`+policy+`"}}`, "Content-Type", jsonType)
			if !strings.Contains(w.Body.String(), want) || !strings.Contains(w.Body.String(), `"verdict":"mate","plies":5,"exact":true`) {
				t.Errorf("%s", w.Body)
			}
		}
	}
	if found != 3 {
		t.Errorf("looked for %d times, want 3: what nodes ended is kept", found)
	}
}

// TestSolveLengthOverloaded: while all sessions are taken, the answer is that without a length, after
// the time of the question and a little more; a line of a batch waits for a session.
func TestSolveLengthOverloaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: mate.New(mate.Options{TableBytes: 1 << 20}), MaxAnalyses: 1,
			AnalysisWait: time.Minute, Sessions: func() solver.Session { return noSession{} }})
		s.answers.Length = func(context.Context, solver.Session, *sched.Question, length.Policy, []shogi.Move) analysis.FoundLength {
			time.Sleep(20 * time.Second)
			return analysis.FoundLength{By: length.Exactly(3)}
		}
		body := func(policy string) string {
			return `{"sfen":"` + mateIn5 + `","limits":{"shortest":true,"time_ms":1000,"length":"` + policy + `"}}`
		}
		solve := func(policy string) *httptest.ResponseRecorder {
			return do(s, "POST", "/v1/solve", body(policy), "Content-Type", jsonType)
		}
		first := inBackground(func() *httptest.ResponseRecorder { return solve("F2") })
		synctest.Wait()
		line := make(chan answer.Line, 1)
		go func() { line <- s.answers.Line(t.Context(), answer.Solve, []byte(body("F1")), nil, nil, nil) }()
		synctest.Wait()
		began := time.Now()
		w := solve("F3")
		if took := time.Since(began); w.Code != http.StatusOK || took > 4*time.Second || !strings.Contains(w.Body.String(),
			`"length":{"policy":"F3","low":1,"high":5,"raw":{"low":5,"high":5},"reason":"overloaded"}`) {
			t.Errorf("%d after %v: %s", w.Code, took, w.Body)
		}
		// The shortest mate by the raw count, looked for only now, bounds the length of a position.
		m := askMoves(t, s, map[string]any{"sfen": "+S8/1pk6/1g7/2+N3R2/9/9/9/9/9 b GNPr2b2g3s2n4l16p 1",
			"limits": map[string]any{"shortest": true, "time_ms": 1000, "nodes": 300_000, "length": "F2"}})
		if l := m.Length; l == nil || l.Reason != "overloaded" || l.High != *m.Plies {
			t.Errorf("plies %d, length %s", *m.Plies, mustJSON(t, l))
		}
		if l := <-line; !strings.Contains(string(l.Answer), `"policy":"F1","low":3,"high":3,`) {
			t.Errorf("%+v", l)
		}
		if w := <-first; !strings.Contains(w.Body.String(), `"policy":"F2","low":3,"high":3,`) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

// TestSolveLengthWhileSearching: a stream of events follows the search, then the length.
func TestSolveLengthEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: aSecond(), MaxAnalyses: 1, Sessions: func() solver.Session { return noSession{} }})
		s.answers.Length = func(context.Context, solver.Session, *sched.Question, length.Policy, []shogi.Move) analysis.FoundLength {
			time.Sleep(time.Second / 2)
			return analysis.FoundLength{By: length.Exactly(3), Nodes: 30}
		}
		w := doContext(t.Context(), s, "POST", "/v1/solve/events", `{"sfen":"`+mateIn5+`","limits":{"length":"F2"}}`,
			"Content-Type", jsonType)
		all := wantCourse(t, w, "searching@200", "searching@450", "shortening@700", "shortening@950", "searching@1200", "searching@1450", "answer")
		a := parse[wire.Answer](t, all[len(all)-1].data)
		if *a.Length.High != 3 || a.Nodes != 970_030 || *a.ElapsedUS != 1_500_000 {
			t.Errorf("%s", all[len(all)-1].data)
		}
	})
}
