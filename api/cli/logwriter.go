package cli

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

// A LogWriter passes lines on to a sink without ever making their writer wait. A line that comes
// after a pause is passed on at once, and those that follow it within 5 ms together: a busy service
// would else spend a system call on each of its requests. Lines that come while the queue is full
// are dropped, and so are those that the sink does not take. Both are counted, and as soon as the
// sink takes lines again it gets one that says how many are missing.
//
// Write, Dropped and Close are safe for concurrent use.
type LogWriter struct {
	sink    io.Writer
	limit   int           // of queue and writing together, in bytes
	wake    chan struct{} // gets an element when there is something to do
	hurry   chan struct{} // gets one when that cannot wait
	done    chan struct{} // closed when all is written after Close
	partial bool          // the sink has taken only the beginning of a line; used by pass alone

	mu           sync.Mutex
	queue        []byte // whole lines
	writing      int    // bytes of the write that the sink is at
	full, failed uint64 // dropped lines: for want of room, and by the sink
	unreported   uint64 // of these, those that no line in the log counts yet
	closed       bool
}

// linesTogether is how long lines are gathered after a write.
const linesTogether = 5 * time.Millisecond

// NewLogWriter returns a LogWriter whose queue has at most limit bytes.
func NewLogWriter(sink io.Writer, limit int) *LogWriter {
	w := &LogWriter{sink: sink, limit: limit, wake: make(chan struct{}, 1),
		hurry: make(chan struct{}, 1), done: make(chan struct{})}
	go w.pass()
	return w
}

// Write queues p, which is one line or several. It never fails: a logger could do
// nothing about it.
func (w *LogWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	if w.closed || w.writing+len(w.queue)+len(p) > w.limit {
		n := countLines(p)
		w.full += n
		w.unreported += n
	} else {
		w.queue = append(w.queue, p...)
	}
	fills := len(w.queue) > w.limit/2
	w.mu.Unlock()
	signal(w.wake)
	if fills {
		signal(w.hurry)
	}
	return len(p), nil
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // an earlier signal is still there
	}
}

// Dropped returns how many lines were dropped because the queue was full, and because the sink
// failed.
func (w *LogWriter) Dropped() (full, failed uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.full, w.failed
}

// Close waits until the sink has all lines, but no longer than the time. A sink that still holds a
// write is left alone.
func (w *LogWriter) Close(longest time.Duration) {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	signal(w.wake)
	signal(w.hurry)
	select {
	case <-w.done:
	case <-time.After(longest):
	}
}

// pass gives the sink what is queued, all of it at once, until there is no more after Close.
func (w *LogWriter) pass() {
	defer close(w.done)
	var lines []byte // the buffer that is not the queue
	for {
		w.mu.Lock()
		lines, w.queue = w.queue, lines[:0]
		w.writing = len(lines)
		missing := w.unreported // they came after these lines
		w.unreported = 0
		closed := w.closed
		w.mu.Unlock()
		if len(lines) == 0 && missing == 0 {
			if closed {
				return
			}
			<-w.wake
			continue
		}

		failed, err := w.put(lines)
		if err == nil && missing > 0 {
			err = w.report(missing)
		}

		w.mu.Lock()
		w.writing = 0
		w.failed += failed
		if err != nil {
			w.unreported += missing + failed
		}
		more := len(w.queue) > 0
		closed = w.closed
		w.mu.Unlock()
		switch {
		case err != nil && !more: // to try again now would only fail again
			if closed {
				return
			}
			<-w.wake
		case !closed:
			select {
			case <-time.After(linesTogether):
			case <-w.hurry:
			}
		}
	}
}

// put writes the lines and returns how many of them the sink did not take.
func (w *LogWriter) put(lines []byte) (failed uint64, err error) {
	if w.partial {
		if _, err := w.sink.Write([]byte("\n")); err != nil {
			return countLines(lines), err
		}
		w.partial = false
	}
	if len(lines) == 0 {
		return 0, nil
	}
	n, err := w.sink.Write(lines)
	if err != nil {
		w.partial = n > 0 && lines[n-1] != '\n'
		failed = countLines(lines[n:])
	}
	return failed, err
}

// report writes the line that counts missing ones.
func (w *LogWriter) report(missing uint64) error {
	r := slog.NewRecord(time.Now(), slog.LevelWarn, "log lines were dropped", 0)
	r.AddAttrs(slog.Uint64("lines", missing))
	return slog.NewJSONHandler(w.sink, nil).Handle(context.Background(), r)
}

func countLines(p []byte) uint64 { return uint64(bytes.Count(p, []byte("\n"))) }
