package cli

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
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

// A line after a pause is written at once, and the ones after it together, no later than is said;
// at once also where there are many, or no more will come.
func TestLogWriterGathers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &countingSink{}
		size := len(line(0))
		w := NewLogWriter(sink, 100*size)
		began, next := time.Now(), 0
		write := func(n int, wantLines, wantWrites int64, wantAfter time.Duration) {
			t.Helper()
			for range n {
				w.Write([]byte(line(next)))
				next++
			}
			synctest.Wait()
			lines, writes, after := sink.lines.Load(), sink.writes.Load(), time.Since(began)
			if lines != wantLines || writes != wantWrites || after != wantAfter {
				t.Errorf("%d lines by %d writes after %v, want %d by %d after %v",
					lines, writes, after, wantLines, wantWrites, wantAfter)
			}
		}
		write(1, 1, 1, 0)
		write(10, 1, 1, 0)
		time.Sleep(linesTogether)
		write(0, 11, 2, linesTogether)
		write(50, 11, 2, linesTogether) // half of the queue
		write(1, 62, 3, linesTogether)
		time.Sleep(time.Second)
		write(1, 63, 4, time.Second+linesTogether)
		write(1, 63, 4, time.Second+linesTogether)
		w.Close(time.Hour)
		write(0, 64, 5, time.Second+linesTogether)
	})
}

type countingSink struct{ lines, writes atomic.Int64 }

func (s *countingSink) Write(p []byte) (int, error) {
	s.lines.Add(int64(countLines(p)))
	s.writes.Add(1)
	return len(p), nil
}
