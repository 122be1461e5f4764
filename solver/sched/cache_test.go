package sched

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// TestWhatIsKept: what the same question would get again, and nothing else.
func TestWhatIsKept(t *testing.T) {
	line := []shogi.Move{shogi.NewDrop(shogi.Gold, shogi.SquareAt(shogi.File9-4, shogi.RankA+1))}
	for _, c := range []struct {
		result solver.Result
		kept   bool
	}{
		{solver.Result{Verdict: solver.Mate, Line: line, Exact: true}, true},
		{solver.Result{Verdict: solver.Mate, Line: line}, true},
		{solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonNodes}, true},
		{solver.Result{Verdict: solver.Mate, Line: line, Exact: true, Reason: solver.ReasonTime}, false},
		{solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonTime}, false},
		{solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonCancelled}, false},
		{solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonUnverified}, false},
		{solver.Result{Verdict: solver.NoMate}, true},
		{solver.Result{Reason: solver.ReasonPlies}, true},
		{solver.Result{Reason: solver.ReasonNodes}, true},
		{solver.Result{Reason: solver.ReasonDepth}, true},
		{solver.Result{Reason: solver.ReasonTime}, false},
		{solver.Result{Reason: solver.ReasonCancelled}, false},
		{solver.Result{Reason: solver.ReasonUnverified}, false},
		{solver.Result{}, false},
	} {
		for _, cache := range []Cache{&mapCache{}, nil} {
			searches := 0
			s, n := newScheduler(t, Config{Cache: cache, Long: PoolConfig{Solver: solver.Func(
				func(context.Context, shogi.Position, solver.Limits) solver.Result {
					searches++
					return c.result
				})}, Render: func(q *Question, r *solver.Result) []byte {
				return fmt.Append(nil, q.SFEN, r.Verdict, r.Reason, searches)
			}})
			first, second := <-ask(t.Context(), s, about(sfenA, 0)), <-ask(t.Context(), s, about(sfenA, 0))
			kept := cache != nil && c.kept
			source, want := Searched, 2
			if kept {
				source, want = Cached, 1
			}
			wantResult(t, first, c.result.Verdict, c.result.Reason, Searched)
			wantResult(t, second, c.result.Verdict, c.result.Reason, source)
			if searches != want || n.answering[Cached] != 2-want {
				t.Errorf("%v %s: %d searches for two equal questions", c.result.Verdict,
					c.result.Reason, searches)
			}
			if text := fmt.Sprint(sfenA, c.result.Verdict, c.result.Reason, want); string(second.Rendered) != text {
				t.Errorf("rendered %q, want %q", second.Rendered, text)
			}
			if first.Repeatable != c.kept {
				t.Errorf("%v %s: repeatable is %v", c.result.Verdict, c.result.Reason, first.Repeatable)
			}
		}
	}
}

// TestKeptMeanwhile: a question that finds nothing in the cache, nor a call to join, because an equal
// call ends between the two looks, gets the answer of that call.
func TestKeptMeanwhile(t *testing.T) {
	s, n := newScheduler(t, Config{Cache: &mapCache{}, Long: PoolConfig{Solver: solver.Func(
		func(context.Context, shogi.Position, solver.Limits) solver.Result { return noMate })}})
	wantResult(t, <-ask(t.Context(), s, about(sfenA, 0)), noMate.Verdict, noMate.Reason, Searched)
	a, source, err := s.share(t.Context(), about(sfenA, 0)) // as Ask does after its look
	if err != nil || source != Cached || a.Result.Verdict != noMate.Verdict {
		t.Errorf("%+v, %v, %v", a, source, err)
	}
	if n.answering[Searched] != 1 || n.answering[Cached] != 1 || len(s.calls) != 0 {
		t.Errorf("counted %v, %d calls are left", n.answering, len(s.calls))
	}
}

// TestTimeIsNoPartOfTheCache: an answer that time did not end is that of any time.
func TestTimeIsNoPartOfTheCache(t *testing.T) {
	s, _ := newScheduler(t, Config{Cache: &mapCache{}, Long: PoolConfig{Solver: takes(0, noMate)}})
	<-ask(t.Context(), s, about(sfenA, 0))
	wantResult(t, <-ask(t.Context(), s, within(time.Second, about(sfenA, 0))), solver.NoMate, "", Cached)
	q := about(sfenA, 0)
	q.Batch = true
	wantResult(t, <-ask(t.Context(), s, q), solver.NoMate, "", Cached)
}
