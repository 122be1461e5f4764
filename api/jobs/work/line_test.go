package work_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/work"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/sched"
)

const (
	mateIn1   = "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"
	neverMate = "4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1"
)

// pawnOn returns one of the positions that have no mate, for files from 0 to 6.
func pawnOn(file int) string {
	return fmt.Sprintf("4k4/9/9/9/9/9/9/9/%dP%d b 2r2b4g4s4n4l17p 1", file+1, 7-file)
}

func newAnswers(t *testing.T, s solver.Solver) *work.LineAnswerer {
	t.Helper()
	a, err := answer.New(answer.Config{Bounds: work.LineBounds(time.Second),
		Sched: sched.Config{Long: sched.PoolConfig{Solver: s, Slots: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	return work.NewLineAnswerer(a)
}

func quiet([]byte) {}

// An answer is that of a link, behind the number and the id. The values of the first are those of
// the problem: a gold before the king mates at once.
func TestLineAnswer(t *testing.T) {
	a := newAnswers(t, mate.New(mate.Options{}))
	long := jobs.Job{Ask: jobs.AskSolve, MaxTime: time.Hour}
	for _, c := range []struct {
		it      jobs.Job
		line    jobs.Line
		verdict string
		begin   string
	}{
		{long, jobs.Line{Number: 7, Text: []byte(`{"id":"x","sfen":"` + mateIn1 + `"}`)}, "mate",
			`{"line":7,"id":"x","sfen":"` + mateIn1 + `","attacker":"black","verdict":"mate","plies":1,`},
		{long, jobs.Line{Number: 8, Text: []byte(`{"sfen":"` + neverMate + `"}`)}, "nomate",
			`{"line":8,"sfen":"` + neverMate + `","attacker":"black","verdict":"nomate",`},
		{jobs.Job{Ask: jobs.AskSolve, MaxTime: time.Hour, Defaults: "plies=1"},
			jobs.Line{Number: 9, Text: []byte(`{"sfen":"` + neverMate + `"}`)}, "unknown",
			`{"line":9,"sfen":"` + neverMate + `","attacker":"black","verdict":"unknown",`},
		{long, jobs.Line{Number: 10, Text: []byte(`{"id":3,"sfen":"x"}`)}, "faulty",
			`{"id":3,"line":10,"type":"/problems/invalid_question"`},
		{long, jobs.Line{Number: 11, TooLong: true}, "faulty", `{"line":11,"type":"/problems/line_too_long"`},
		{long, jobs.Line{Number: 12, Text: []byte(`{"sfen":"` + mateIn1 + `","limits":{"time_ms":3600000}}`)},
			"mate", `{"line":12,"sfen":"` + mateIn1},
		{long, jobs.Line{Number: 13, Text: []byte(`{"sfen":"` + mateIn1 + `","limits":{"time_ms":3600001}}`)},
			"faulty", `{"line":13,"type":"/problems/invalid_question"`},
		{jobs.Job{Ask: jobs.AskSolve, MaxTime: time.Hour, Defaults: "time_ms=x"},
			jobs.Line{Number: 14, Text: []byte(`{"sfen":"` + mateIn1 + `"}`)}, "faulty", `{"line":14,`},
		{jobs.Job{Ask: jobs.AskAnalyze, MaxTime: time.Hour}, // there are no sessions
			jobs.Line{Number: 15, Text: []byte(`{"sfen":"` + mateIn1 + `"}`)}, "faulty",
			`{"line":15,"type":"/problems/not_offered"`},
	} {
		r := a.Answer(t.Context(), &c.it, c.line, quiet)
		r.Line = c.line.Number
		text := r.Append(nil)
		if r.Verdict != c.verdict || r.Ended || !strings.HasPrefix(string(text), c.begin) ||
			!json.Valid(text) || strings.Contains(string(text), "\n") {
			t.Errorf("%s: %+v %s", c.line.Text, r, text)
		}
	}
	r := a.Answer(t.Context(), &long, jobs.Line{Number: 1234, Text: []byte(`{"sfen":"` + mateIn1 + `"}`)}, quiet)
	e, err := wire.ParseEnvelope(r.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	e.Line = 0
	plain := string(e.AppendLine(nil))
	if !strings.HasPrefix(plain, `{"sfen":"4k4/9/4G4`) || !strings.HasSuffix(plain, "}\n") || r.Nodes == 0 {
		t.Errorf("%q", plain)
	}
}

// A search that lasts says how it goes, and one that is ended has no answer.
func TestLineProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var events []string
		ctx, cancel := context.WithCancel(t.Context())
		a := newAnswers(t, solver.Func(func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
			solver.ReporterOf(ctx).Report(solver.Progress{Phase: solver.Searching, Nodes: 4711})
			<-ctx.Done()
			return solver.Result{Reason: solver.ReasonCancelled}
		}))
		time.AfterFunc(900*time.Millisecond, cancel)
		r := a.Answer(ctx, &jobs.Job{Ask: jobs.AskSolve, MaxTime: time.Hour},
			jobs.Line{Number: 1, Text: []byte(`{"sfen":"` + neverMate + `"}`)},
			func(event []byte) { mu.Lock(); events = append(events, string(event)); mu.Unlock() })
		if !r.Ended || r.Answer != nil || r.Problem != nil {
			t.Errorf("%+v", r)
		}
		time.Sleep(time.Second) // nothing is said afterwards
		mu.Lock()
		defer mu.Unlock()
		if len(events) != 3 || !strings.Contains(events[2], `"nodes":4711`) ||
			!strings.Contains(events[2], `"elapsed_ms":750`) || !json.Valid([]byte(events[2])) {
			t.Errorf("%q", events)
		}
	})
}

// A line that waits for its slot says so, and no more once it has it.
func TestLineWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers(t, solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
			time.Sleep(10 * time.Second)
			return solver.Result{Reason: solver.ReasonNodes}
		}))
		ask := func(sfen string, report func([]byte)) {
			a.Answer(t.Context(), &jobs.Job{Ask: jobs.AskSolve, MaxTime: time.Hour},
				jobs.Line{Number: 1, Text: []byte(`{"sfen":"` + sfen + `"}`)}, report)
		}
		began := time.Now()
		go ask(mateIn1, func(event []byte) {
			if event == nil {
				t.Error("the first one waits")
			}
		})
		synctest.Wait()
		var waited time.Duration
		ask(neverMate, func(event []byte) {
			if event == nil {
				waited = time.Since(began)
			}
		})
		if took := time.Since(began); waited < 9*time.Second || waited > 10*time.Second || took != 20*time.Second {
			t.Errorf("waited %v of %v", waited, took)
		}
	})
}

// TestLinesOfClients: lines wait on the accounts of the clients of their jobs.
func TestLinesOfClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		a := newAnswers(t, solver.Func(func(_ context.Context, p shogi.Position, _ solver.Limits) solver.Result {
			time.Sleep(time.Second)
			order = append(order, p.SFEN())
			return solver.Result{Reason: solver.ReasonNodes}
		}))
		var all sync.WaitGroup
		ask := func(client, sfen string) {
			all.Go(func() {
				a.Answer(t.Context(), &jobs.Job{Client: client, Ask: jobs.AskSolve, MaxTime: time.Hour},
					jobs.Line{Number: 1, Text: []byte(`{"sfen":"` + sfen + `"}`)}, quiet)
			})
			synctest.Wait()
		}
		for file := range 5 {
			ask("one", pawnOn(file))
		}
		ask("other", neverMate)
		all.Wait()
		if i := slices.Index(order, neverMate); len(order) != 6 || i > 2 {
			t.Errorf("%d searches, that of the other client at %d", len(order), i)
		}
	})
}
