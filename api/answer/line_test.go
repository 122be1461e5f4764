package answer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/sched"
	"github.com/tsumero/tsumero/solver/sched/cache"
)

// Positions whose answers are known. mateIn5 is one in 3 under the policy F2, and the search for
// longMate takes more nodes than a quick one has.
const (
	mateIn1   = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	bareIn1   = "4k4/9/4P4/9/9/9/9/9/9 b G 1"
	mateIn3   = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"
	mateIn5   = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"
	longMate  = "4ks1n1/2g2r3/1ppps1+P2/7PS/+B6N1/1PPGN1P2/1+p2P4/2s1rP2K/4+b1G2 w GN2L7P2l 1"
	neverMate = "4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1"
	soundIn3  = "9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1"
)

// bounds are those of a service of the default settings.
var bounds = wire.Bounds{Plies: 9999, Nodes: 100_000_000, Time: 10 * time.Second,
	DefaultTime: 2 * time.Second, Analysis: wire.AnalysisBounds{Nodes: 50_000_000, Time: time.Minute,
		DefaultTime: 20 * time.Second}}

// newAnswerer returns one with slots and bounds of its own, without a cache.
func newAnswerer(t *testing.T, c answer.Config) *answer.Answerer {
	t.Helper()
	c.Bounds = bounds
	a, err := answer.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// realSolvers returns what a worker searches with.
func realSolvers() sched.Config {
	return sched.Config{
		Quick:    sched.PoolConfig{Solver: mate.New(mate.Options{TableBytes: 1 << 20}), Slots: 1},
		Long:     sched.PoolConfig{Solver: mate.New(mate.Options{}), Slots: 1},
		Sessions: sched.SessionConfig{New: func() solver.Session { return dfpn.NewSession() }, Slots: 1}}
}

// by returns a scheduler's settings with a fake solver.
func by(f solver.Func) sched.Config { return sched.Config{Long: sched.PoolConfig{Solver: f, Slots: 1}} }

// serve serves the real solvers over HTTP.
func serve(t *testing.T) string {
	t.Helper()
	quick := mate.New(mate.Options{TableBytes: 1 << 20, Searches: 2})
	s, err := httpapi.New(httpapi.Config{Solver: mate.New(mate.Options{}), Quick: quick, MaxSearches: 2,
		LongSearches: 1, RatePerMinute: -1, Registry: prometheus.NewRegistry(), MaxAnalyses: 1,
		Sessions: func() solver.Session { return dfpn.NewSession() }})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	return server.URL
}

// bodyOf returns the body of an answer.
func bodyOf(t *testing.T, resp *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %v: %s", resp.Status, err, body)
	}
	return string(body)
}

// linkOf returns the query of a GET that asks what a line does.
func linkOf(t *testing.T, line string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(line), &fields); err != nil {
		t.Fatal(err)
	}
	if limits, ok := fields["limits"].(map[string]any); ok {
		delete(fields, "limits")
		for name, value := range limits {
			fields[name] = value
		}
	}
	delete(fields, "id")
	var parts []string
	for name, value := range fields {
		text := fmt.Sprint(value)
		if list, ok := value.([]any); ok {
			text = strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ",")
		}
		parts = append(parts, name+"="+url.PathEscape(strings.ReplaceAll(text, "+", "%2B")))
	}
	return strings.ReplaceAll(strings.Join(parts, "&"), "%252B", "%2B")
}

// lines are questions of both kinds, and the verdicts that they must get.
var lines = []struct {
	kind    answer.Kind
	line    string
	verdict string
}{
	{answer.Solve, `{"sfen":"` + mateIn1 + `"}`, "mate"},
	{answer.Solve, `{"id":7,"sfen":"` + mateIn3 + `","limits":{"nodes":100000}}`, "mate"},
	{answer.Solve, `{"id":"a \"b\"","sfen":"` + mateIn5 + `",` +
		`"limits":{"shortest":true,"time_ms":10000}}`, "mate"},
	{answer.Solve, `{"sfen":"` + longMate + `","limits":{"nodes":100000,"time_ms":10000}}`,
		"mate"},
	{answer.Solve, `{"id":1.5e1,"sfen":"` + longMate + `",` +
		`"limits":{"nodes":5000,"time_ms":10000}}`, "unknown"},
	{answer.Solve, `{"sfen":"` + longMate + `","limits":{"nodes":300}}`, "unknown"},
	{answer.Solve, `{"sfen":"` + neverMate + `"}`, "nomate"},
	{answer.Solve, `{"sfen":"` + mateIn5 + `","limits":{"plies":3}}`, "unknown"},
	{answer.Solve, `{"id":"bare","sfen":"` + bareIn1 + `"}`, "mate"},
	{answer.Solve, `{"sfen":"` + bareIn1 + `","hands":"as_given"}`, "mate"},
	{answer.Solve, `{"sfen":"` + bareIn1 + `","hands":"complete"}`, "mate"},
	{answer.Solve, `{"id":2,"sfen":"` + mateIn5 + `",` +
		`"limits":{"length":"F2","shortest":true,"time_ms":10000}}`, "mate"},
	{answer.Solve, `{"sfen":"` + neverMate + `","limits":{"length":"F2"}}`, "nomate"},
	{answer.Solve, `{"id":"x","sfen":"4k4/9/4P4/4P4/9/9/9/9/9 b G 1"}`, answer.Faulty}, // nifu
	{answer.Solve, `{"id":3,"sfen":"` + mateIn1 + `","limits":{"nodes":0},"depth":3}`, answer.Faulty},
	{answer.Solve, `{"id":[],"sfen":""}`, answer.Faulty},
	{answer.Solve, `{"id":4,`, answer.Faulty},
	{answer.Solve, `9`, answer.Faulty},
	{answer.Analyze, `{"id":"r","sfen":"` + soundIn3 + `",` +
		`"limits":{"nodes":200000,"time_ms":60000}}`, "mate"},
	{answer.Analyze, `{"sfen":"` + soundIn3 + `","record":"ja","policy":"F1","parts":["attack","duals"],` +
		`"limits":{"nodes":200000,"time_ms":60000}}`, "mate"},
	{answer.Analyze, `{"sfen":"` + bareIn1 + `","limits":{"nodes":50,"time_ms":60000}}`, "mate"},
	{answer.Analyze, `{"sfen":"` + neverMate + `","limits":{"nodes":50000,"time_ms":60000}}`,
		"nomate"},
	{answer.Analyze, `{"id":5,"sfen":"` + mateIn3 + `","line":["5b5a"],"profile":"none"}`,
		answer.Faulty},
}

// TestLineIsHTTP: a line gets the bytes that its question gets from a service over HTTP, by a link
// and in a batch, from searches and slots of its own.
func TestLineIsHTTP(t *testing.T) {
	api := serve(t)
	a := newAnswerer(t, answer.Config{Sched: realSolvers(), Version: "dev"})
	elapsed := regexp.MustCompile(`,"elapsed_us":\d+}`)
	for _, l := range lines {
		got := a.Line(t.Context(), l.kind, []byte(l.line), nil, nil, nil)
		if got.Verdict != l.verdict || got.Ended || (got.Answer == nil) == (got.Problem == nil) ||
			(got.Problem != nil) != (l.verdict == answer.Faulty) {
			t.Errorf("%s: %+v, want %s", l.line, got, l.verdict)
			continue
		}
		resp, err := http.Post(api+"/v1/"+string(l.kind)+"/batch", "application/x-ndjson",
			strings.NewReader(l.line+"\n"))
		inBatch := elapsed.ReplaceAllString(bodyOf(t, resp, err), "}")
		if got.Problem != nil {
			got.Line = 1
		}
		want := string(got.AppendLine(nil))
		if inBatch != want {
			t.Errorf("%s: in a batch\n%sas a line\n%s", l.line, inBatch, want)
		}
		if got.Problem != nil {
			continue
		}
		resp, err = http.Get(api + "/v1/" + string(l.kind) + "?" + linkOf(t, l.line))
		got.ID = nil
		body := got.AppendLine(nil)
		if link := bodyOf(t, resp, err); link != string(body) {
			t.Errorf("%s: by a link\n%sas a line\n%s", l.line, link, body)
		}
		var told struct{ Nodes *uint64 }
		if err := json.Unmarshal(body, &told); err != nil || told.Nodes == nil ||
			*told.Nodes != got.Nodes || got.Elapsed <= 0 {
			t.Errorf("%s: %d nodes, %v: %v %s", l.line, got.Nodes, got.Elapsed, err, body)
		}
	}
}

// TestLineDefaults: a line that says nothing itself gets the bytes of a question that says what the
// defaults do, and one that does gets those of what it says.
func TestLineDefaults(t *testing.T) {
	a := newAnswerer(t, answer.Config{Sched: realSolvers()})
	ask := func(kind answer.Kind, query, line string) string {
		t.Helper()
		d, p := a.ParseDefaults(kind, query, nil)
		if p != nil {
			t.Fatal(p.Errors)
		}
		r := a.Line(t.Context(), kind, []byte(line), d, nil, nil)
		if r.Problem != nil || r.Ended {
			t.Fatalf("%s: %+v", line, r)
		}
		return string(r.AppendLine(nil))
	}
	sfen := func(sfen, more string) string { return `{"sfen":"` + sfen + `"` + more + `}` }
	for _, c := range []struct {
		kind        answer.Kind
		query       string
		over, alone string
	}{
		{answer.Solve, "nodes=300", sfen(longMate, ""), sfen(longMate, `,"limits":{"nodes":300}`)},
		{answer.Solve, "nodes=300", sfen(longMate, `,"limits":{"nodes":400}`),
			sfen(longMate, `,"limits":{"nodes":400}`)},
		{answer.Solve, "plies=3&shortest=true", sfen(mateIn5, ""),
			sfen(mateIn5, `,"limits":{"plies":3,"shortest":true}`)},
		{answer.Solve, "length=F2", sfen(mateIn5, ""), sfen(mateIn5, `,"limits":{"length":"F2"}`)},
		{answer.Solve, "hands=complete", sfen(bareIn1, ""), sfen(mateIn1, "")},
		{answer.Analyze, "nodes=900&parts=attack", sfen(soundIn3, ""),
			sfen(soundIn3, `,"parts":["attack"],"limits":{"nodes":900}`)},
	} {
		over, alone, without := ask(c.kind, c.query, c.over), ask(c.kind, "", c.alone), ask(c.kind, "", c.over)
		if over != alone {
			t.Errorf("%s over %s:\n%s%s:\n%s", c.over, c.query, over, c.alone, alone)
		}
		if c.over != c.alone && over == without {
			t.Errorf("%s over %s is the same without: %s", c.over, c.query, over)
		}
	}
	for _, c := range []struct {
		kind  answer.Kind
		query string
		want  string
	}{
		{answer.Solve, "nodes=100000001", "query.nodes"},
		{answer.Solve, "question_nodes=1", "query.question_nodes"},
		{answer.Analyze, "nodes=0", "query.nodes"},
		{answer.Analyze, "length=F2", "query.length"},
	} {
		if _, p := a.ParseDefaults(c.kind, c.query, nil); p == nil || p.Errors[0].Location != c.want {
			t.Errorf("%s %s: %+v", c.kind, c.query, p)
		}
	}
	if _, p := a.ParseDefaults(answer.Moves, "", nil); p == nil {
		t.Error("defaults of questions that are not asked in lines")
	}

	// Other bounds take other limits, in the query and in lines, and no larger ones.
	wider := wire.NewReader(wire.Bounds{Plies: 99, Nodes: 1 << 40, Time: time.Hour, DefaultTime: time.Second})
	large := sfen(mateIn1, `,"limits":{"nodes":100000001,"time_ms":3600000}`)
	larger := sfen(mateIn1, `,"limits":{"time_ms":3600001}`)
	d, p := a.ParseDefaults(answer.Solve, "nodes=100000001", wider)
	if p != nil {
		t.Fatal(p.Errors)
	}
	for line, want := range map[string]string{large: "mate", larger: answer.Faulty} {
		if r := a.Line(t.Context(), answer.Solve, []byte(line), d, nil, nil); r.Verdict != want {
			t.Errorf("%s: %q, want %q", line, r.Verdict, want)
		}
	}
	if r := a.Line(t.Context(), answer.Solve, []byte(large), nil, nil, nil); r.Verdict != answer.Faulty {
		t.Errorf("%s within the usual bounds: %q", large, r.Verdict)
	}
	r := a.Line(t.Context(), "guess", []byte(sfen(mateIn1, "")), nil, nil, nil)
	if r.Verdict != answer.Faulty || r.Problem == nil || r.Problem.Type != wire.NotOffered.TypeURI() {
		t.Errorf("a kind that there is not: %+v", r)
	}
}

// TestLineNotOffered: without sessions analyses are not offered and lengths not known, and all else is.
func TestLineNotOffered(t *testing.T) {
	c := realSolvers()
	c.Sessions = sched.SessionConfig{}
	a := newAnswerer(t, answer.Config{Sched: c})
	r := a.Line(t.Context(), answer.Analyze, []byte(`{"id":1,"sfen":"`+mateIn3+`"}`), nil, nil, nil)
	if r.Problem == nil || r.Problem.Type != wire.NotOffered.TypeURI() || string(r.ID) != "1" {
		t.Errorf("%+v", r)
	}
	r = a.Line(t.Context(), answer.Solve, []byte(`{"sfen":"`+mateIn3+`","limits":{"length":"F2"}}`), nil, nil, nil)
	if r.Verdict != "mate" || !strings.Contains(string(r.Answer), `"reason":"not_offered"`) {
		t.Errorf("%+v", r)
	}
}

// TestLinePanic: a panic of a solver is a problem, the same for an equal line that waited for its
// search, and is told of once; the next line is answered.
func TestLinePanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []any
		a := newAnswerer(t, answer.Config{
			Sched: by(func(_ context.Context, p shogi.Position, _ solver.Limits) solver.Result {
				time.Sleep(time.Second)
				if p.ProblemSFEN() == mateIn3 {
					panic("as asked")
				}
				return solver.Result{Verdict: solver.NoMate, Nodes: 5, Solver: "fake"}
			}),
			Panicked: func(_ context.Context, v any) { told = append(told, v) },
		})
		var group sync.WaitGroup
		for i := range 2 {
			group.Go(func() {
				line := fmt.Sprintf(`{"id":%d,"sfen":%q}`, i, mateIn3)
				r := a.Line(t.Context(), answer.Solve, []byte(line), nil, nil, nil)
				want := wire.NewProblem(wire.InternalError, wire.LineFailed)
				if r.Answer != nil || r.Verdict != answer.Faulty || r.Ended || string(r.ID) != fmt.Sprint(i) ||
					!bytes.Equal(wire.Encode(r.Problem), wire.Encode(want)) {
					t.Errorf("line %d: %+v", i, r)
				}
			})
		}
		group.Wait()
		if len(told) != 1 || told[0] != "as asked" {
			t.Errorf("told of %v", told)
		}
		r := a.Line(t.Context(), answer.Solve, []byte(`{"sfen":"`+neverMate+`"}`), nil, nil, nil)
		if r.Verdict != "nomate" || r.Nodes != 5 || r.Elapsed != time.Second {
			t.Errorf("afterwards: %+v", r)
		}
	})
}

// TestLineEnded: what the end of the context cut short is no answer, whether it searched or waited;
// what needs no search is answered all the same.
func TestLineEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := by(func(ctx context.Context, p shogi.Position, _ solver.Limits) solver.Result {
			if p.ProblemSFEN() == mateIn1 {
				return solver.Result{Verdict: solver.NoMate, Solver: "fake"}
			}
			<-ctx.Done()
			return solver.Result{Reason: solver.StopReason(ctx), Nodes: 9, Solver: "fake"}
		})
		c.Sessions = sched.SessionConfig{New: func() solver.Session { return dfpn.NewSession() }, Slots: 1}
		kept, err := cache.New(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		c.Cache = kept
		a := newAnswerer(t, answer.Config{Sched: c})
		a.Analyze = func(ctx context.Context, _ solver.Session, q analysis.Question,
			_ func(analysis.Update)) (*analysis.Analysis, error) {
			<-ctx.Done()
			return &analysis.Analysis{Position: q.Position, Attacker: q.Attacker, Policy: q.Policy,
				Profile: q.Profile, Reason: solver.StopReason(ctx)}, nil
		}
		known := []byte(`{"sfen":"` + mateIn1 + `"}`)
		first := a.Line(t.Context(), answer.Solve, known, nil, nil, nil)

		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for kind, sfens := range map[answer.Kind][]string{
			answer.Solve:   {mateIn3, mateIn5, neverMate, mateIn3}, // one searches, the others wait
			answer.Analyze: {mateIn3, mateIn5},
		} {
			for _, sfen := range sfens {
				group.Go(func() {
					line := `{"id":1,"sfen":"` + sfen + `","limits":{"time_ms":10000}}`
					if r := a.Line(ctx, kind, []byte(line), nil, nil, nil); !r.Ended || r.Answer != nil ||
						r.Problem != nil || r.Verdict != "" || string(r.ID) != "1" {
						t.Errorf("%s %s: %+v", kind, line, r)
					}
				})
			}
		}
		time.Sleep(3 * time.Second)
		cancel()
		group.Wait()
		again := a.Line(ctx, answer.Solve, known, nil, nil, nil)
		if again.Ended || !bytes.Equal(again.Answer, first.Answer) {
			t.Errorf("from the cache: %+v", again)
		}
		// The limit of time is part of the question: its end is an answer.
		r := a.Line(t.Context(), answer.Solve, []byte(`{"sfen":"`+mateIn3+`"}`), nil, nil, nil)
		if r.Ended || r.Verdict != "unknown" || !bytes.Contains(r.Answer, []byte(`"reason":"limit_time"`)) {
			t.Errorf("ended by its limit: %+v", r)
		}
	})
}

// TestLineFollow: the progress of a search can be looked at, and a line waits for its slot as long
// as it takes, where a question of HTTP would be refused.
func TestLineFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := by(func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
			solver.ReporterOf(ctx).Report(solver.Progress{Nodes: 77})
			time.Sleep(5 * time.Second)
			return solver.Result{Verdict: solver.NoMate, Solver: "fake"}
		})
		c.Long.Queue, c.Long.Wait = -1, time.Second
		a := newAnswerer(t, answer.Config{Sched: c})
		var group sync.WaitGroup
		group.Go(func() {
			a.Line(t.Context(), answer.Solve, []byte(`{"sfen":"`+mateIn3+`"}`), nil, nil, nil)
		})
		synctest.Wait()
		calls := make(chan *sched.Call, 1)
		group.Go(func() {
			r := a.Line(t.Context(), answer.Solve, []byte(`{"sfen":"`+mateIn5+`"}`), nil, nil,
				func(c *sched.Call) { calls <- c })
			if r.Verdict != "nomate" || r.Elapsed != 5*time.Second {
				t.Errorf("%+v", r)
			}
		})
		call := <-calls
		time.Sleep(4 * time.Second)
		if p := call.Progress(); p != nil {
			t.Errorf("while it waits: %+v", p)
		}
		time.Sleep(2 * time.Second)
		if p := call.Progress(); p == nil || p.Nodes != 77 {
			t.Errorf("while it searches: %+v", p)
		}
		group.Wait()
	})
}

// TestNew: what cannot be is refused.
func TestNew(t *testing.T) {
	if _, err := answer.New(answer.Config{Bounds: bounds}); err == nil {
		t.Error("no solver is taken")
	}
}
