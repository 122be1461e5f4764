// Package ordered calls a function for the items of a stream on several goroutines, and yields the
// results in the order of the items.
package ordered

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Options say how much is done at the same time.
type Options[In any] struct {
	// Workers is how many goroutines call the function, at least one.
	Workers int
	// Held is how many items are read and not yet done with at most: an item is done with when the
	// body of the loop over the results has ended for it. One more may have been read and wait for
	// room. The default is eight for each worker.
	Held int
	// Waiting is called by the goroutine of the loop each time before it waits: with the item
	// whose result it waits for, or with the zero In while no item is read. It may be nil.
	Waiting func(next In)
}

// A slot holds an item and then its result. There are Options.Held of them, used again and again.
type slot[In, Out any] struct {
	in       In
	out      Out
	panicked error         // why f has not returned
	ready    chan struct{} // gets one element when out is set
}

// Map reads items from source, calls f for each on one of several goroutines, and yields each item
// with its result, in the order in which source gave them.
//
// The context that source and f get ends with ctx, and when the loop over the results is left
// early. Map then waits for source and for the running calls of f, and calls f no more. The end of
// ctx alone does not end the loop: yield says false to source from then on, but all that was read
// before goes through f, which sees by its context what to do.
//
// A panic of f or of source becomes a panic of the loop, when its turn comes.
func Map[In, Out any](ctx context.Context, o Options[In],
	source func(ctx context.Context, yield func(In) bool),
	f func(ctx context.Context, item In) Out) iter.Seq2[In, Out] {
	workers := max(1, o.Workers)
	held := o.Held
	if held <= 0 {
		held = 8 * workers
	}
	waiting := o.Waiting
	if waiting == nil {
		waiting = func(In) {}
	}
	return func(yield func(In, Out) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var (
			// Each has room for all slots there are, so that only receiving from it ever waits.
			free  = make(chan *slot[In, Out], held)
			work  = make(chan *slot[In, Out], held)
			order = make(chan *slot[In, Out], held)

			readPanic error // may be read once order is closed
			left      atomic.Bool
			running   sync.WaitGroup
			none      In
		)
		for range held {
			free <- &slot[In, Out]{ready: make(chan struct{}, 1)}
		}
		running.Go(func() {
			defer close(order)
			defer close(work)
			call(&readPanic, func() {
				source(ctx, func(item In) bool {
					if ctx.Err() != nil {
						return false
					}
					select {
					case s := <-free:
						s.in = item
						order <- s
						work <- s
						return true
					case <-ctx.Done():
						return false
					}
				})
			})
		})
		for range workers {
			running.Go(func() {
				for s := range work {
					if !left.Load() {
						s.fill(ctx, f)
					}
				}
			})
		}
		defer running.Wait()
		defer cancel()
		defer left.Store(true)

		for {
			var s *slot[In, Out]
			var ok bool
			select {
			case s, ok = <-order:
			default:
				waiting(none)
				s, ok = <-order
			}
			if !ok {
				break
			}
			select {
			case <-s.ready:
			default:
				waiting(s.in)
				<-s.ready
			}
			if s.panicked != nil {
				panic(s.panicked)
			}
			if !yield(s.in, s.out) {
				return
			}
			*s = slot[In, Out]{ready: s.ready} // what it held is garbage from now on
			free <- s
		}
		if readPanic != nil {
			panic(readPanic)
		}
	}
}

// fill sets the result.
func (s *slot[In, Out]) fill(ctx context.Context, f func(context.Context, In) Out) {
	defer func() { s.ready <- struct{}{} }()
	call(&s.panicked, func() { s.out = f(ctx, s.in) })
}

// call calls f. If f does not return, *panicked says why, with the stack.
func call(panicked *error, f func()) {
	returned := false
	defer func() {
		if returned {
			return
		}
		var why any = "the goroutine has exited"
		if v := recover(); v != nil {
			why = v
		}
		*panicked = fmt.Errorf("ordered: %v\n\n%s", why, debug.Stack())
	}()
	f()
	returned = true
}
