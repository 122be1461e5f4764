package ordered

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// numbers is the source of 1 to n.
func numbers(n int) func(context.Context, func(int) bool) {
	return func(_ context.Context, yield func(int) bool) {
		for i := 1; i <= n && yield(i); i++ {
		}
	}
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// The results keep the order of the items, though the first of any two ends last.
func TestOrder(t *testing.T) {
	for _, o := range []Options[int]{{Workers: 2}, {Workers: 7, Held: 7}, {Workers: 2, Held: 3}} {
		synctest.Test(t, func(t *testing.T) {
			f := func(_ context.Context, i int) int {
				if i%2 == 1 {
					time.Sleep(time.Minute)
				}
				return -i
			}
			var got []int
			for i, out := range Map(t.Context(), o, numbers(100), f) {
				if out != -i {
					t.Errorf("the result of %d is %d", i, out)
				}
				got = append(got, i)
			}
			if !slices.Equal(got, upTo(100)) {
				t.Errorf("%+v: order %v", o, got)
			}
		})
	}
}

// As many calls run at the same time as there are workers, the default is one.
func TestWorkers(t *testing.T) {
	for workers, want := range map[int]int{0: 1, 1: 1, 5: 5} {
		synctest.Test(t, func(t *testing.T) {
			var running, most atomic.Int64
			f := func(context.Context, int) int {
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(time.Second)
				running.Add(-1)
				return 0
			}
			for range Map(t.Context(), Options[int]{Workers: workers}, numbers(100), f) {
			}
			if int(most.Load()) != want {
				t.Errorf("%d workers: %d calls at the same time, want %d", workers, most.Load(), want)
			}
		})
	}
}

// A loop that takes no results stops the reading: the items held and the one that waits for room
// are all that is read.
func TestHeld(t *testing.T) {
	for o, want := range map[struct{ workers, held int }]int{{3, 0}: 25, {3, 5}: 6, {1, 1}: 2} {
		synctest.Test(t, func(t *testing.T) {
			var read int
			source := func(ctx context.Context, yield func(int) bool) {
				numbers(1000)(ctx, func(i int) bool {
					read = i
					return yield(i)
				})
			}
			n := 0
			f := func(_ context.Context, i int) int { return i }
			for i := range Map(t.Context(), Options[int]{Workers: o.workers, Held: o.held}, source, f) {
				synctest.Wait()
				if ahead := read - i + 1; ahead > want || ahead != want && read < 1000 {
					t.Fatalf("%+v: %d are held, want %d", o, ahead, want)
				}
				n++
			}
			if n != 1000 {
				t.Errorf("%+v: %d results", o, n)
			}
		})
	}
}

// Waiting is called before each wait, and only then: for an item, and for a result.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := func(_ context.Context, yield func(string) bool) {
			for _, item := range []string{"a", "b", "c"} {
				time.Sleep(time.Minute)
				yield(item)
			}
		}
		var log []string
		o := Options[string]{Waiting: func(next string) { log = append(log, "wait "+next) }}
		f := func(_ context.Context, item string) int {
			if item == "b" {
				time.Sleep(3 * time.Minute)
			}
			return 0
		}
		for item := range Map(t.Context(), o, source, f) {
			time.Sleep(time.Second) // c is ready then, and has to wait for nothing
			synctest.Wait()
			log = append(log, item)
		}
		// While b is worked on, c is read; it is ready soon after b.
		got := strings.Join(slices.DeleteFunc(log, func(s string) bool { return s == "wait a" }), ", ")
		if want := "wait , a, wait , wait b, b, c"; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	})
}

// The end of the context ends the reading, also of a source that waits for room or for its input.
// What was read is called with a context that has ended, and yielded.
func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		read := 0
		source := func(ctx context.Context, yield func(int) bool) {
			for i := 1; yield(i); i++ {
				if read = i; i == 9 {
					<-ctx.Done()
				}
			}
		}
		f := func(ctx context.Context, i int) error {
			if i == 3 {
				cancel()
			}
			<-ctx.Done()
			return ctx.Err()
		}
		var got []int
		for i, err := range Map(ctx, Options[int]{Workers: 3}, source, f) {
			if err == nil {
				t.Error("the context has not ended")
			}
			got = append(got, i)
		}
		if !slices.Equal(got, upTo(9)) || read != 9 {
			t.Errorf("%d read, then %v", read, got)
		}

		// A context that has ended before: nothing is read, though there is room.
		for i := range Map(ctx, Options[int]{}, numbers(5), f) {
			t.Errorf("%d was read after the end", i)
		}
	})
}

// Who leaves the loop early leaves nothing running: the running calls and the source see the end of
// their context, no other call begins, and the goroutines are gone.
func TestBreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which fails if goroutines are left that wait for ever
		var calls, ended atomic.Int64
		f := func(ctx context.Context, i int) int {
			calls.Add(1)
			if i > 1 {
				<-ctx.Done()
				time.Sleep(time.Minute)
			}
			ended.Add(1)
			return 0
		}
		for i := range Map(t.Context(), Options[int]{Workers: 3}, numbers(1000), f) {
			synctest.Wait()
			if i != 1 {
				t.Errorf("%d after 1", i)
			}
			break
		}
		if calls.Load() != 4 || ended.Load() != 4 {
			t.Errorf("%d calls, %d of them ended; want the first and one for each worker",
				calls.Load(), ended.Load())
		}
	})
}

// A panic arrives where the results do, after those before it, and can be recovered there. So does
// a goroutine that exits. Nothing is left running.
func TestPanic(t *testing.T) {
	for name, c := range map[string]struct {
		source func(context.Context, func(int) bool)
		fail   func()
		want   string
	}{
		"f panics": {numbers(100), func() { panic("no such square") }, "no such square"},
		"f exits":  {numbers(100), runtime.Goexit, "the goroutine has exited"},
		"source panics": {func(ctx context.Context, yield func(int) bool) {
			numbers(4)(ctx, yield)
			panic("no such file")
		}, func() { select {} }, "no such file"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var got []int
			defer func() {
				text := fmt.Sprint(recover())
				if !strings.Contains(text, c.want) || !strings.Contains(text, "ordered_test.go") {
					t.Errorf("%s: %q, want %q and the stack", name, text, c.want)
				}
				if !slices.Equal(got, upTo(4)) {
					t.Errorf("%s: %v before it, want 1 to 4", name, got)
				}
			}()
			f := func(_ context.Context, i int) int {
				if i == 5 {
					c.fail()
				}
				return i
			}
			for i := range Map(t.Context(), Options[int]{Workers: 2}, c.source, f) {
				got = append(got, i)
			}
			t.Errorf("%s: the loop ended", name)
		})
	}
}

// The results do not keep what they were made of: a result that the loop has seen is garbage.
func TestReleases(t *testing.T) {
	var freed atomic.Int64
	source := func(ctx context.Context, yield func(*[64]byte) bool) {
		for range 100 {
			item := new([64]byte)
			runtime.AddCleanup(item, func(int) { freed.Add(1) }, 0)
			if !yield(item) {
				return
			}
		}
	}
	n := 0
	f := func(_ context.Context, item *[64]byte) *[64]byte { return item }
	for range Map(t.Context(), Options[*[64]byte]{Held: 50}, source, f) {
		if n++; n == 100 { // the other 49 slots are free
			for range 100 {
				runtime.GC()
				if freed.Load() >= 98 {
					break
				}
				time.Sleep(time.Millisecond)
			}
		}
	}
	if freed.Load() < 98 {
		t.Errorf("%d of 100 were freed", freed.Load())
	}
}

// BenchmarkMap is what passing one item through costs.
func BenchmarkMap(b *testing.B) {
	f := func(_ context.Context, i int) int { return i }
	b.ReportAllocs()
	sum := 0
	for i := range Map(b.Context(), Options[int]{Workers: 2}, numbers(b.N), f) {
		sum += i
	}
	if sum != b.N*(b.N+1)/2 {
		b.Fatal(sum)
	}
}
