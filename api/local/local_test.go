package local_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/local"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/sched"
)

// newServer returns a Server over a solver. What its bytes are TestBytes of web/engine compares with a
// service.
func newServer(t *testing.T, by solver.Func, routes ...local.Route) *local.Server {
	t.Helper()
	a, err := answer.New(answer.Config{
		Sched:  sched.Config{Long: sched.PoolConfig{Solver: by, Slots: 1}},
		Bounds: wire.Bounds{Plies: 99, Nodes: 1000, Time: time.Minute, DefaultTime: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	return local.New(a, append(routes, local.Solve, local.Moves, local.Limits)...)
}

const question = `{"sfen": "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"}`

func noMate(context.Context, shogi.Position, solver.Limits) solver.Result {
	return solver.Result{Verdict: solver.NoMate, Solver: "test"}
}

// TestServe: what is not asked as it should be is a problem of the kind that a service answers with.
func TestServe(t *testing.T) {
	s := newServer(t, noMate)
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"POST", "/v1/solve", question, 200, ""},
		{"GET", "/v1/limits", "", 200, ""},
		{"GET", "/v1/solve", question, 405, "method_not_allowed"},
		{"POST", "/v1/analyze", question, 404, "not_found"},
		{"POST", "/v1/nothing", question, 404, "not_found"},
		{"POST", "/v1/solve", "{", 400, "bad_json"},
		{"POST", "/v1/solve", "{}", 422, "invalid_question"},
		{"POST", "/v1/moves", strings.Repeat(" ", local.MaxBody+1), 413, "too_large"},
	} {
		r := s.Serve(t.Context(), &local.Request{Method: c.method, Path: c.path, Body: []byte(c.body)})
		var p struct{ Type string }
		if err := json.Unmarshal(r.Body, &p); err != nil || r.Status != c.status || strings.TrimPrefix(p.Type, "/problems/") != c.code {
			t.Errorf("%s %s %.50s: %d %s, want %d %s", c.method, c.path, c.body, r.Status, r.Body, c.status, c.code)
		}
	}
	limits := s.Serve(t.Context(), &local.Request{Method: "GET", Path: "/v1/limits"})
	var l wire.LimitsAnswer
	if err := json.Unmarshal(limits.Body, &l); err != nil || l.MaxNodes != 1000 || l.Analysis != nil || l.Play != nil {
		t.Errorf("limits: %s", limits.Body)
	}
}

// TestPanic: a solver that panics is a problem, and the next question is answered.
func TestPanic(t *testing.T) {
	isBad := true
	s := newServer(t, func(ctx context.Context, p shogi.Position, l solver.Limits) solver.Result {
		if isBad {
			panic("as asked")
		}
		return noMate(ctx, p, l)
	})
	ask := func() int {
		return s.Serve(t.Context(), &local.Request{Method: "POST", Path: "/v1/solve", Body: []byte(question)}).Status
	}
	if status := ask(); status != 500 {
		t.Errorf("a panic is %d", status)
	}
	isBad = false
	if status := ask(); status != 200 {
		t.Errorf("after a panic: %d", status)
	}
}

// TestProgress: events come while a search goes on, none after its end, and a stop ends it.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
			solver.ReporterOf(ctx).Report(solver.Progress{Nodes: 77})
			<-ctx.Done()
			return solver.Result{Reason: solver.StopReason(ctx), Solver: "test"}
		})
		ctx, cancel := context.WithCancel(t.Context())
		var events atomic.Int32
		r := &local.Request{Method: "POST", Path: "/v1/solve",
			Body: []byte(strings.TrimSuffix(question, "}") + `, "limits": {"time_ms": 60000}}`),
			Progress: func(event string, data []byte) {
				var e wire.ProgressEvent
				if err := json.Unmarshal(data, &e); event != "progress" || err != nil || e.Nodes != 77 {
					t.Errorf("%s: %s", event, data)
				}
				events.Add(1)
			}}
		go func() {
			time.Sleep(1100 * time.Millisecond)
			cancel()
		}()
		response := s.Serve(ctx, r)
		if !strings.Contains(string(response.Body), `"reason":"cancelled"`) || events.Load() != 4 {
			t.Errorf("%d events, then %s", events.Load(), response.Body)
		}
		time.Sleep(time.Minute)
		if events.Load() != 4 {
			t.Error("events after the end")
		}
	})
}
