package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A fakeSink takes what it is given, fails, or holds the write until hold is closed.
type fakeSink struct {
	text strings.Builder
	fail error
	take int           // bytes taken before it fails for the first time
	hold chan struct{} // nil: it does not
}

func (s *fakeSink) Write(p []byte) (int, error) {
	if s.hold != nil {
		<-s.hold
	}
	if s.fail != nil {
		n, _ := s.text.Write(p[:min(s.take, len(p))])
		s.take = 0
		return n, s.fail
	}
	return s.text.Write(p)
}

func line(i int) string { return fmt.Sprintf("line %04d of the log\n", i) }

// A sink that is stuck makes no writer wait; what does not fit is counted, and reported when the
// sink goes on.
func TestLogWriterStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &fakeSink{hold: make(chan struct{})}
		size := len(line(0))
		w := NewLogWriter(sink, 10*size)
		for i := range 100 {
			if n, err := w.Write([]byte(line(i))); n != size || err != nil {
				t.Fatal(n, err)
			}
			synctest.Wait()
		}
		if full, failed := w.Dropped(); full != 90 || failed != 0 {
			t.Errorf("%d and %d lines dropped, want 90 and 0", full, failed)
		}
		close(sink.hold)
		synctest.Wait()
		w.Write([]byte(line(100)))
		w.Close(time.Hour)
		text := sink.text.String()
		var want strings.Builder
		for i := range 10 {
			want.WriteString(line(i))
		}
		rest, ok := strings.CutPrefix(text, want.String())
		const missing = `"msg":"log lines were dropped","lines":90}` + "\n"
		if !ok || strings.Count(rest, "\n") != 2 || !strings.Contains(rest, missing) ||
			!strings.Contains(rest, line(100)) {
			t.Errorf("the sink has\n%s", text)
		}
	})
}

// A sink that fails loses what it was given and no more, and is tried again with the next line.
func TestLogWriterFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &fakeSink{fail: errors.New("no space left on device"), take: 7}
		w := NewLogWriter(sink, 1<<10)
		for i := range 3 {
			w.Write([]byte(line(i)))
			synctest.Wait()
		}
		if full, failed := w.Dropped(); full != 0 || failed != 3 {
			t.Errorf("%d and %d lines dropped, want 0 and 3", full, failed)
		}
		sink.fail = nil
		w.Write([]byte(line(3)))
		w.Write([]byte(line(4)))
		w.Close(time.Hour)
		want := line(0)[:7] + "\n" + line(3)
		text := sink.text.String()
		if !strings.HasPrefix(text, want) || !strings.Contains(text, line(4)) ||
			!strings.Contains(text, `"lines":3}`) || strings.Count(text, "\n") != 4 {
			t.Errorf("the sink has\n%s", text)
		}
	})
}

// Close writes what is queued, but does not wait for a sink that is stuck.
func TestLogWriterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &fakeSink{hold: make(chan struct{})}
		w := NewLogWriter(sink, 1<<10)
		w.Write([]byte(line(0)))
		began := time.Now()
		w.Close(2 * time.Second)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("it took %v", took)
		}
		close(sink.hold)
		synctest.Wait()
		if text := sink.text.String(); text != line(0) {
			t.Errorf("the sink has\n%s", text)
		}
		w.Write([]byte(line(1)))
		if full, _ := w.Dropped(); full != 1 {
			t.Errorf("%d lines dropped, want the one after the end", full)
		}
	})
}
