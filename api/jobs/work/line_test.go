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
	long := jobs.Item{Ask: jobs.AskSolve, MaxTime: time.Hour}
	for _, c := range []struct {
		it      jobs.Item
		line    jobs.Line
		verdict string
		begin   string
	}{
		{long, jobs.Line{Number: 7, Text: []byte(`{"id":"x","sfen":"` + mateIn1 + `"}`)}, "mate",
			`{"line":7,"id":"x","sfen":"` + mateIn1 + `","attacker":"black","verdict":"mate","plies":1,`},
		{long, jobs.Line{Number: 8, Text: []byte(`{"sfen":"` + neverMate + `"}`)}, "nomate",
			`{"line":8,"sfen":"` + neverMate + `","attacker":"black","verdict":"nomate",`},
		{jobs.Item{Ask: jobs.AskSolve, MaxTime: time.Hour, Defaults: "plies=1"},
			jobs.Line{Number: 9, Text: []byte(`{"sfen":"` + neverMate + `"}`)}, "unknown",
			`{"line":9,"sfen":"` + neverMate + `","attacker":"black","verdict":"unknown",`},
		{long, jobs.Line{Number: 10, Text: []byte(`{"id":3,"sfen":"x"}`)}, "faulty",
			`{"id":3,"line":10,"type":"/problems/invalid_question"`},
		{long, jobs.Line{Number: 11, TooLong: true}, "faulty", `{"line":11,"type":"/problems/line_too_long"`},
		{long, jobs.Line{Number: 12, Text: []byte(`{"sfen":"` + mateIn1 + `","limits":{"time_ms":3600000}}`)},
			"mate", `{"line":12,"sfen":"` + mateIn1},
		{long, jobs.Line{Number: 13, Text: []byte(`{"sfen":"` + mateIn1 + `","limits":{"time_ms":3600001}}`)},
			"faulty", `{"line":13,"type":"/problems/invalid_question"`},
		{jobs.Item{Ask: jobs.AskSolve, MaxTime: time.Hour, Defaults: "time_ms=x"},
			jobs.Line{Number: 14, Text: []byte(`{"sfen":"` + mateIn1 + `"}`)}, "faulty", `{"line":14,`},
		{jobs.Item{Ask: jobs.AskAnalyze, MaxTime: time.Hour}, // there are no sessions
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
		r := a.Answer(ctx, &jobs.Item{Ask: jobs.AskSolve, MaxTime: time.Hour},
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
			a.Answer(t.Context(), &jobs.Item{Ask: jobs.AskSolve, MaxTime: time.Hour},
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
		e := setUp(t, 1)
		it := jobs.Item{Ask: jobs.AskSolve, MaxTime: time.Hour}
		for file := range 5 {
			e.put(it, "one", `{"sfen":"`+pawnOn(file)+`"}`)
		}
		e.put(it, "other", `{"sfen":"`+neverMate+`"}`)
		e.start(work.WorkerOptions{Slots: 6, Answer: a.Answer})
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if i := slices.Index(order, neverMate); len(order) != 6 || i > 2 {
			t.Errorf("%d searches, that of the other client at %d", len(order), i)
		}
	})
}

// TestSlowShortSearch: a line whose short search took long on a busy machine waits for its long search as
// any other: it keeps no slot, and counts no attempt.
func TestSlowShortSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(_ context.Context, p shogi.Position, _ solver.Limits) solver.Result {
			if p.SFEN() == mateIn1 {
				return solver.Result{Verdict: solver.NoMate}
			}
			time.Sleep(400 * time.Millisecond)
			return solver.Result{Reason: solver.ReasonNodes}
		}
		long := func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
			<-ctx.Done()
			return solver.Result{Reason: solver.StopReason(ctx)}
		}
		a, err := answer.New(answer.Config{Bounds: work.LineBounds(time.Second), Sched: sched.Config{
			Quick: sched.PoolConfig{Slots: 1, Solver: solver.Func(slow)},
			Long:  sched.PoolConfig{Slots: 1, Begins: work.SearchBegins, Solver: solver.Func(long)}}})
		if err != nil {
			t.Fatal(err)
		}
		e := setUp(t, 0)
		e.start(work.WorkerOptions{Slots: 1, LongItems: 2, Answer: work.NewLineAnswerer(a).Answer})
		it := jobs.Item{Ask: jobs.AskSolve, MaxTime: 24 * time.Hour}
		for i, attempts := range []int{1, 0, 0} {
			id := e.put(it, fmt.Sprint("client ", i), `{"sfen":"`+pawnOn(i)+`"}`)
			time.Sleep(2 * time.Second)
			if n := e.attempts(id); n != attempts {
				t.Errorf("line %d: %d attempts", i, n)
			}
		}
		if d := e.wait(e.put(it, "another", `{"sfen":"`+mateIn1+`"}`)); d > 2*time.Second {
			t.Errorf("a short line takes %v", d)
		}
	})
}

// A deafStore does not answer for a while where attempts are counted, as when there is no leader.
type deafStore struct {
	jobs.Store
	from, until time.Time
}

func (s *deafStore) AddAttempt(ctx context.Context, id jobs.ID, chunk, line int) (int, error) {
	if now := time.Now(); now.After(s.from) && now.Before(s.until) {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(s.until.Sub(now)):
		}
	}
	return s.Store.AddAttempt(ctx, id, chunk, line)
}

// TestBeginsWithoutStore: a search whose attempt cannot be counted begins all the same after a second,
// which is none of its time, and the attempt is counted as soon as the store answers.
func TestBeginsWithoutStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began []time.Duration
		start := time.Now()
		long := func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
			began = append(began, time.Since(start).Round(100*time.Millisecond))
			select {
			case <-ctx.Done():
				return solver.Result{Reason: solver.StopReason(ctx)}
			case <-time.After(3900 * time.Millisecond):
				return solver.Result{Reason: solver.ReasonNodes}
			}
		}
		a, err := answer.New(answer.Config{Bounds: work.LineBounds(time.Second), Sched: sched.Config{
			Long: sched.PoolConfig{Slots: 1, Begun: 2, Begins: work.SearchBegins, Solver: solver.Func(long)}}})
		if err != nil {
			t.Fatal(err)
		}
		e := setUp(t, 0)
		s := &deafStore{Store: e.store, from: start.Add(2 * time.Second), until: start.Add(6500 * time.Millisecond)}
		e.start(work.WorkerOptions{Store: s, Slots: 1, LongItems: 2, Answer: work.NewLineAnswerer(a).Answer})
		it := jobs.Item{Ask: jobs.AskSolve, MaxTime: 4 * time.Second}
		e.put(it, "one", `{"sfen":"`+pawnOn(1)+`"}`)
		id := e.put(it, "other", `{"sfen":"`+pawnOn(2)+`"}`)
		time.Sleep(6 * time.Second)
		if n := e.attempts(id); n != 0 {
			t.Errorf("%d attempts", n)
		}
		time.Sleep(2 * time.Second)
		if n := e.attempts(id); n != 1 {
			t.Errorf("%d attempts once the store answers", n)
		}
		e.wait(id)
		r, err := e.store.Result(e.ctx, id, 0)
		if err != nil || !strings.Contains(string(r.Text), `"limit_nodes"`) {
			t.Errorf("%+v, %v", r, err)
		}
		if want := []time.Duration{0, 4900 * time.Millisecond}; !slices.Equal(began, want) {
			t.Errorf("searches began after %v, want %v", began, want)
		}
	})
}
