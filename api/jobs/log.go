package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// logEvery is the shortest time between two log lines that LimitLog takes for the same.
const logEvery = time.Minute

// LimitLog returns a logger that writes the same warning at most once a minute. The others are
// counted: the next line has their number under "left_out". Warnings are the same if they have the
// same message. Only those are limited that limited, unless nil, says so of, or that have an error
// which says that the store is full or away: then every job and every request has the same to
// report.
func LimitLog(log *slog.Logger, limited func(slog.Record) bool) *slog.Logger {
	return slog.New(&logLimiter{log.Handler(), &logLimits{limited: limited,
		lines: map[string]*logLine{}}})
}

// A logLimiter is the handler of such a logger.
type logLimiter struct {
	slog.Handler
	limits *logLimits
}

type logLimits struct {
	limited func(slog.Record) bool
	mu      sync.Mutex
	lines   map[string]*logLine // by message
}

// A logLine is when a line was written, and how many were left out since.
type logLine struct {
	at      time.Time
	leftOut int
}

// Handle implements slog.Handler.
func (l *logLimiter) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn || !ofStore(r) && (l.limits.limited == nil || !l.limits.limited(r)) {
		return l.Handler.Handle(ctx, r)
	}
	write, leftOut := l.limits.next(r.Message, time.Now())
	if !write {
		return nil
	}
	if leftOut > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("left_out", leftOut))
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l *logLimiter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logLimiter{l.Handler.WithAttrs(attrs), l.limits}
}

// WithGroup implements slog.Handler.
func (l *logLimiter) WithGroup(name string) slog.Handler {
	return &logLimiter{l.Handler.WithGroup(name), l.limits}
}

// next reports whether a line with a message is to be written now, and how many were left out before.
func (l *logLimits) next(message string, now time.Time) (write bool, leftOut int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.lines[message]
	if line != nil && now.Sub(line.at) < logEvery {
		line.leftOut++
		return false, 0
	}
	if line != nil {
		leftOut = line.leftOut
	}
	l.lines[message] = &logLine{at: now}
	return true, leftOut
}

// ofStore reports whether a record has an error that says that the store is full or away.
func ofStore(r slog.Record) (found bool) {
	r.Attrs(func(a slog.Attr) bool {
		if err, ok := a.Value.Any().(error); ok {
			found = errors.Is(err, ErrFull) || errors.Is(err, ErrUnavailable)
		}
		return !found
	})
	return found
}
