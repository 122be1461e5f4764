package sched_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/sched"
	"github.com/tsumero/tsumero/solver/sched/cache"
)

// A quick search answers what it can, and two longer ones at once the rest.
func ExampleScheduler_Ask() {
	kept, err := cache.New(1 << 20)
	if err != nil {
		panic(err)
	}
	s, err := sched.New(sched.Config{
		Quick: sched.PoolConfig{Solver: mate.New(mate.Options{TableBytes: 1 << 20})},
		Long:  sched.PoolConfig{Solver: mate.New(mate.Options{Searches: 2}), Slots: 2},
		Cache: kept,
	})
	if err != nil {
		panic(err)
	}
	q, err := sched.NewQuestion(shogi.MustParseSFEN("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"))
	if err != nil {
		panic(err)
	}
	q.Time = time.Second
	q.Client = &sched.Client{}
	for range 2 {
		a, source, err := s.Ask(context.Background(), q)
		var busy *sched.OverloadedError
		switch {
		case errors.As(err, &busy):
			fmt.Println("ask again in", busy.RetryAfter)
		case err != nil:
			panic(err)
		default:
			fmt.Println(a.Result.Verdict, "with", a.Result.Line, "from", source)
		}
	}
	// Output:
	// mate with [G*5b] from search
	// mate with [G*5b] from cache
}
