package storetest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/internal/storetest"
	"github.com/tsumero/tsumero/api/jobs"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Maker{
		Separate: true,
		New: func(*testing.T) func() jobs.Store {
			return func() jobs.Store {
				return storetest.NewMemory(storetest.MemoryOptions{LeaseTime: 100 * time.Millisecond})
			}
		},
		Small: func(*testing.T) jobs.Store { return storetest.NewMemory(storetest.MemoryOptions{MaxBytes: 1 << 20}) },
	})
}

// TestTime wants a lease to last as long as it says, by the clock of the test.
func TestTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.NewMemory(storetest.MemoryOptions{})
		defer s.Close()
		ctx := t.Context()
		if err := s.Enqueue(ctx, jobs.NewID(), jobs.Accepted{}); err != nil {
			t.Fatal(err)
		}
		for _, hold := range []func(q *jobs.QueuedJob) time.Duration{
			func(*jobs.QueuedJob) time.Duration { return jobs.LeaseTime },
			func(q *jobs.QueuedJob) time.Duration {
				time.Sleep(jobs.LeaseTime - 1)
				if err := q.Extend(ctx); err != nil {
					t.Error(err)
				}
				return 2*jobs.LeaseTime - 1
			},
			func(q *jobs.QueuedJob) time.Duration {
				if err := q.Nak(ctx, time.Hour); err != nil {
					t.Error(err)
				}
				return time.Hour
			},
		} {
			q, err := s.AcquireJob(ctx)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			want := hold(q)
			if _, err = s.AcquireJob(ctx); err != nil {
				t.Fatal(err)
			}
			if waited := time.Since(start); waited != want {
				t.Errorf("taken again after %v, want %v", waited, want)
			}
			time.Sleep(jobs.LeaseTime)
		}
	})
}
