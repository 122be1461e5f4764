package jobs

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLimitLog: what all jobs report of a full store is written once a minute, and counted; what one
// job reports of itself is always written.
func TestLimitLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		log := LimitLog(slog.New(slog.NewTextHandler(&b, nil)),
			func(r slog.Record) bool { return strings.HasPrefix(r.Message, "engine: ") })
		want := func(message string, n int) {
			t.Helper()
			if got := strings.Count(b.String(), fmt.Sprintf("msg=%q ", message)); got != n {
				t.Errorf("%d lines of %q, want %d:\n%s", got, message, n, &b)
			}
		}
		full := fmt.Errorf("store: %w", ErrFull)
		for i := range 100 {
			job := log.With("job", i)
			job.Warn("no result", "err", full)
			job.Error("engine: no room", "n", i)
			job.Warn("a line is lost", "err", ErrDamaged)
			log.Info("there is room", "err", full)
			time.Sleep(100 * time.Millisecond)
		}
		want("no result", 1)
		want("engine: no room", 1)
		want("a line is lost", 100)
		want("there is room", 100)
		time.Sleep(logEvery)
		log.Warn("no result", "err", full)
		want("no result", 2)
		if part := `msg="no result" err="store: jobs: the store is full" left_out=99`; !strings.Contains(
			b.String(), part) {
			t.Errorf("no %s in\n%s", part, &b)
		}
	})
}
