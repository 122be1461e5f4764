package sched

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// TestSolve: a Scheduler is a solver.Solver, with its ways to say that it has no answer.
func TestSolve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := shogi.MustParseSFEN(sfenA)
		searches := 0
		s, n := newScheduler(t, Config{Cache: &mapCache{}, Long: PoolConfig{Slots: 1, Queue: -1, Solver: solver.Func(
			func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
				searches++
				if lim.NoMateWithin != 0 {
					t.Error("what is known already is part of the question")
				}
				if lim.Plies == 1 {
					panic("as asked")
				}
				return takes(time.Second, noMate).Solve(ctx, p, lim)
			})}})
		var with solver.Solver = s
		for range 2 {
			if r := with.Solve(t.Context(), p, solver.Limits{NoMateWithin: 3}); r.Verdict != solver.NoMate || r.Nodes != noMate.Nodes {
				t.Errorf("%+v", r)
			}
		}
		if searches != 1 {
			t.Errorf("%d searches", searches)
		}
		p = shogi.MustParseSFEN(sfenB)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if r := with.Solve(ctx, p, solver.Limits{}); r.Reason != solver.ReasonTime {
			t.Errorf("with a deadline: %+v", r)
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second/2, cancel)
		if r := with.Solve(ctx, p, solver.Limits{}); r.Reason != solver.ReasonCancelled {
			t.Errorf("cancelled: %+v", r)
		}
		free := takeSlot(s, Long)
		if r := with.Solve(t.Context(), p, solver.Limits{}); r.Reason != solver.ReasonOverloaded {
			t.Errorf("without a slot: %+v", r)
		}
		free()
		func() {
			defer func() {
				if v := recover(); v != "as asked" {
					t.Errorf("recovered %v", v)
				}
			}()
			with.Solve(t.Context(), p, solver.Limits{Plies: 1})
			t.Error("no panic")
		}()
		wantIdle(t, s, n)
	})
}

// TestConfig: what cannot work is refused, and the zero value of the rest works.
func TestConfig(t *testing.T) {
	some := takes(0, noMate)
	for _, c := range []struct {
		config Config
		part   string
	}{
		{Config{}, "Long.Solver is missing"},
		{Config{Quick: PoolConfig{Solver: some}}, "Long.Solver is missing"},
		{Config{Long: PoolConfig{Solver: some, Slots: -1}}, "long pool has -1 slots"},
		{Config{Long: PoolConfig{Solver: some}, Quick: PoolConfig{Solver: some, Wait: -1}}, "quick pool has"},
	} {
		if _, err := New(c.config); err == nil || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%+v: %v, want %s", c.config, err, c.part)
		}
	}
	s, err := New(Config{Long: PoolConfig{Solver: some}})
	if err != nil {
		t.Fatal(err)
	}
	a, source, err := s.Ask(t.Context(), about(sfenA, 0))
	if err != nil || source != Searched || a.Result.Verdict != solver.NoMate || a.Rendered != nil {
		t.Errorf("%v %s %+v", err, source, a)
	}
	if q, err := NewQuestion(shogi.MustParseSFEN("9/9/9/9/9/9/9/9/9 b 2r 1")); q != nil || !errors.Is(err, solver.ErrNoKing) {
		t.Errorf("%v %v", q, err)
	}
}

// TestConcurrentQuestions is for the race detector.
func TestConcurrentQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newScheduler(t, Config{Cache: &mapCache{},
			Quick: PoolConfig{Solver: quickKnowsA(), Slots: 2, Queue: 1000, Wait: time.Minute},
			Long:  PoolConfig{Solver: takes(0, noMate), Slots: 2, Queue: 1000, Wait: time.Minute}})
		clients := []*Client{nil, {}, {}}
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				for k := range 60 {
					ctx, cancel := context.WithCancel(t.Context())
					sfen := []string{sfenA, sfenB, sfenC}[(i+k)%3]
					if k%7 == 0 {
						cancel()
					}
					a, _, err := s.Ask(ctx, by(clients[(i+k)%3], about(sfen, uint64(k%5))))
					if err != nil || a.Result.Verdict != solver.NoMate && a.Result.Reason != solver.ReasonCancelled {
						t.Errorf("%v %+v", err, a)
					}
					cancel()
				}
			})
		}
		group.Wait()
		wantIdle(t, s, n)
	})
}
