//go:build unix

package queue

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/pgtest"
)

// both runs a benchmark on both databases.
func both(b *testing.B, f func(b *testing.B, address string)) {
	b.Run("sqlite", func(b *testing.B) { f(b, b.TempDir()) })
	b.Run("postgres", func(b *testing.B) {
		server := pgtest.Start(b, pgtest.Options{})
		f(b, server.URL(server.NewDatabase()))
	})
}

// BenchmarkAccept accepts jobs of a single line, and of a hundred chunks.
func BenchmarkAccept(b *testing.B) {
	for name, n := range map[string]int{"line": 1, "100chunks": 100 * jobs.MaxChunkLines} {
		b.Run(name, func(b *testing.B) {
			text := lines(n)
			both(b, func(b *testing.B, address string) {
				classes := DefaultClasses()
				c := classes[Keyed]
				c.Waiting, c.Lines, c.Bytes = 1<<30, 1<<40, 1<<50
				classes[Keyed] = c
				q := openBench(b, Options{Address: address, Classes: classes})
				for b.Loop() {
					s := submission("a", 0)
					s.Lines = strings.NewReader(text)
					if _, _, err := q.Submit(b.Context(), s); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// BenchmarkAnswer is the way of a chunk of a line from River's row to its answer, with the next one
// queued: all but the search.
func BenchmarkAnswer(b *testing.B) {
	both(b, func(b *testing.B, address string) {
		q := startBench(b, address)
		s := submission("a", 0)
		s.Ask, s.Defaults = jobs.AskCompose, "" // a chunk for each line
		s.Lines = strings.NewReader(lines(b.N))
		b.ResetTimer()
		v, _, err := q.Submit(b.Context(), s)
		for err == nil && !v.State.Ended() {
			v, err = q.Wait(b.Context(), v.ID, 0, callTime)
		}
		if err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkIdle is a second in which there is nothing to do: how much of it is processor time.
func BenchmarkIdle(b *testing.B) {
	both(b, func(b *testing.B, address string) {
		startBench(b, address)
		before := cpuTime(b)
		b.ResetTimer()
		time.Sleep(time.Duration(b.N) * time.Second)
		b.ReportMetric((cpuTime(b)-before).Seconds()/float64(b.N)*100, "cpu-%")
	})
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// startBench opens a queue, and works on it.
func startBench(b *testing.B, address string) *Queue {
	b.Helper()
	q := openBench(b, Options{Address: address, Work: &Work{Name: "w", Slots: 2, Long: 1, Do: finish}})
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = q.Run(ctx)
	}()
	b.Cleanup(func() {
		cancel()
		<-ended
	})
	return q
}

func openBench(b *testing.B, o Options) *Queue {
	b.Helper()
	q, err := New(o)
	if err == nil {
		err = q.Open(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = q.Close() })
	return q
}
