package search

import (
	"context"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/play"
)

// When a search should begin no other iteration.
func TestTimerEnough(t *testing.T) {
	const soft, hard = 10 * time.Minute, time.Hour
	usual := play.Budget{Soft: soft, Hard: hard}
	never := make(chan play.Budget)
	for name, test := range map[string]struct {
		spent                    time.Duration
		budget                   play.Budget
		ponderhit                chan play.Budget
		depth                    int
		onlyMove, easy, fell     bool
		troubled, stopped, wants bool
	}{
		"before soft":               {spent: soft - time.Minute, budget: usual},
		"after soft":                {spent: soft + time.Minute, budget: usual, wants: true},
		"easy":                      {spent: soft/2 + time.Minute, budget: usual, easy: true, wants: true},
		"easy, early":               {spent: soft/2 - time.Minute, budget: usual, easy: true},
		"fell":                      {spent: soft + time.Minute, budget: usual, fell: true, easy: true},
		"fell, late":                {spent: 2*soft + time.Minute, budget: usual, fell: true, wants: true},
		"failed low":                {spent: soft + time.Minute, budget: usual, troubled: true},
		"failed low, late":          {spent: 2*soft + time.Minute, budget: usual, troubled: true, wants: true},
		"saving is not the point":   {spent: soft - time.Minute, budget: play.Budget{Soft: soft, Hard: soft}, easy: true},
		"after hard":                {spent: hard + time.Minute, budget: play.Budget{Soft: hard, Hard: hard}, wants: true},
		"no limit":                  {spent: 100 * hard},
		"no limit, one move":        {spent: 100 * hard, depth: 50, onlyMove: true},
		"one move":                  {spent: time.Millisecond, budget: usual, depth: onlyMoveDepth, onlyMove: true, wants: true},
		"one move, shallow":         {budget: usual, depth: onlyMoveDepth - 1, onlyMove: true},
		"one move, slow":            {spent: onlyMoveTime, budget: usual, depth: 1, onlyMove: true, wants: true},
		"pondering":                 {spent: 2 * hard, budget: usual, ponderhit: never, depth: 50, onlyMove: true},
		"stopped":                   {budget: usual, stopped: true, wants: true},
		"stopped while pondering":   {ponderhit: never, stopped: true, wants: true},
		"stopped without any limit": {stopped: true, wants: true},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		if test.stopped {
			cancel()
		}
		tm := &timer{began: time.Now().Add(-test.spent), budget: test.budget, done: ctx.Done()}
		if test.ponderhit != nil {
			tm.ponderhit = test.ponderhit
		}
		if test.troubled {
			tm.trouble()
		}
		if got := tm.enough(test.depth, test.onlyMove, test.easy, test.fell); got != test.wants {
			t.Errorf("%s: %v", name, got)
		}
		if tm.troubled && !tm.expired() && test.budget.Hard > test.budget.Soft {
			t.Errorf("%s: one that failed low counts twice", name)
		}
		cancel()
	}
}

// A ponderhit begins the time anew, under its own budget.
func TestTimerPonderhit(t *testing.T) {
	hit := make(chan play.Budget, 1)
	tm := &timer{
		began: time.Now().Add(-24 * time.Hour), budget: play.Budget{Soft: 1, Hard: 1}, ponderhit: hit,
	}
	if tm.expired() || tm.enough(9, true, true, false) {
		t.Error("expired while pondering")
	}
	ctx, cancel := tm.context(t.Context())
	if _, ok := ctx.Deadline(); ok {
		t.Error("a deadline while pondering")
	}
	cancel()
	hit <- play.Budget{Soft: time.Hour, Hard: 2 * time.Hour}
	if tm.expired() || tm.enough(9, false, false, false) {
		t.Error("expired on ponderhit")
	}
	ctx, cancel = tm.context(t.Context())
	defer cancel()
	if d, ok := ctx.Deadline(); !ok || time.Until(d) > 2*time.Hour || time.Until(d) < time.Hour {
		t.Errorf("deadline %v, %v", d, ok)
	}
	tm.began = tm.began.Add(-2 * time.Hour)
	if !tm.expired() {
		t.Error("not expired after its time")
	}
}

// A search ends by the time it has, by its context, and by a ponderhit without time: with a solver
// of mates too, and in a position that is hard for it.
func TestSearchEnds(t *testing.T) {
	const long = time.Minute // far more than a loaded machine needs
	o := Options{TableBytes: 1 << 16, Threads: 2,
		NewSession: func() solver.Session { return dfpn.NewSmallSession(1 << 20) }}
	e := New(o)
	g := gameAt("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1")
	p := g.Position()
	stopped, stop := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, stop)
	hit := make(chan play.Budget, 1)
	hit <- play.Budget{Soft: 10 * time.Millisecond, Hard: 10 * time.Millisecond}
	for name, lim := range map[string]play.Limits{
		"hard":      {Time: play.Budget{Soft: time.Hour, Hard: 20 * time.Millisecond}},
		"soft":      {Time: play.Budget{Soft: 1, Hard: time.Hour}},
		"ponderhit": {Ponderhit: hit},
		"stop":      {},
	} {
		ctx := t.Context()
		if name == "stop" {
			ctx = stopped
		}
		began := time.Now()
		c := e.Search(ctx, g, lim, nil)
		if spent := time.Since(began); spent > long || !p.IsLegal(c.Move) {
			t.Errorf("%s: %v after %v", name, c.Move, spent)
		}
	}
}

// One legal move is played without a long search, if the clock is running.
func TestOnlyMove(t *testing.T) {
	g := gameAt("7gk/7p1/9/9/9/9/9/9/K7R w - 1") // in check, and only the gold can help
	p := g.Position()
	if n := p.CountLegalMoves(shogi.AllMoves); n != 1 {
		t.Fatalf("%d moves", n)
	}
	c := New(Options{TableBytes: 1 << 16}).Search(t.Context(), g,
		play.Limits{Time: play.Budget{Soft: time.Hour, Hard: 2 * time.Hour}}, nil)
	if c.Depth > onlyMoveDepth {
		t.Errorf("searched to depth %d", c.Depth)
	}
}
