package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"testing"
	"time"
)

// checkLog logs a record with both handlers and wants the same text.
func checkLog(t *testing.T, r slog.Record, with func(slog.Handler) slog.Handler) {
	t.Helper()
	var want, got bytes.Buffer
	options := &slog.HandlerOptions{Level: slog.LevelDebug}
	if err := with(slog.NewJSONHandler(&want, options)).Handle(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	w := NewLogWriter(&got, 1<<20)
	if err := with(NewLogHandler(w, options.Level)).Handle(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	w.Close(time.Minute)
	if got.String() != want.String() {
		t.Errorf("got  %swant %s", &got, &want)
	}
}

// TestLogHandler: the text is that of a slog.JSONHandler, for everything that can be logged.
func TestLogHandler(t *testing.T) {
	same := func(h slog.Handler) slog.Handler { return h }
	at := time.Date(2026, 11, 22, 8, 45, 7, 123456789, time.UTC)
	texts := []string{"", "mate", "a b", `"`, `\`, "\n", "\x00", "\x1f", "\x7f", "<&>", "詰", "\u2028", "\xff", "~"}
	record := func(attrs ...slog.Attr) slog.Record {
		r := slog.NewRecord(at, slog.LevelInfo, "request", 0)
		r.AddAttrs(attrs...)
		return r
	}
	for _, s := range texts {
		checkLog(t, slog.NewRecord(at, slog.LevelInfo, s, 0), same)
		checkLog(t, record(slog.String("k", s), slog.Int("n", 1)), same)
		checkLog(t, record(slog.Int("n", 1), slog.Int(s, 2)), same)
		checkLog(t, record(slog.Int("n", 1)), func(h slog.Handler) slog.Handler {
			return h.WithAttrs([]slog.Attr{slog.String("a", s)}).WithAttrs([]slog.Attr{slog.Bool("b", true)})
		})
	}
	for _, v := range []slog.Value{slog.IntValue(-7), slog.Int64Value(math.MinInt64), slog.Uint64Value(math.MaxUint64),
		slog.BoolValue(true), slog.BoolValue(false), slog.Float64Value(1.5), slog.DurationValue(time.Second), slog.TimeValue(at),
		slog.AnyValue(nil), slog.AnyValue([]int{1}), slog.AnyValue(errors.New("no")), slog.GroupValue(), slog.GroupValue(slog.Int("n", 1)),
		slog.AnyValue(late{}), {}} {
		checkLog(t, record(slog.Attr{Key: "v", Value: v}, slog.Int("n", 1)), same)
		checkLog(t, record(slog.Attr{Value: v}, slog.Int("n", 1)), same)
		checkLog(t, record(slog.Int("n", 1)), func(h slog.Handler) slog.Handler {
			return h.WithAttrs([]slog.Attr{{Key: "v", Value: v}})
		})
	}
	for _, when := range []time.Time{{}, at.Truncate(time.Second), at.In(time.FixedZone("", 9*3600)), at.Add(-1e8),
		at.AddDate(9000, 0, 0), at.AddDate(-3000, 0, 0), at.Local()} {
		checkLog(t, slog.NewRecord(when, slog.LevelInfo, "x", 0), same)
	}
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelWarn, slog.LevelError, slog.LevelInfo + 2, -100} {
		checkLog(t, slog.NewRecord(at, level, "x", 0), same)
	}
	checkLog(t, record(slog.Int("n", 1)), func(h slog.Handler) slog.Handler {
		return h.WithAttrs([]slog.Attr{slog.Int("a", 1)}).WithGroup("g").WithAttrs([]slog.Attr{slog.Int("b", 2)})
	})
	checkLog(t, record(slog.Int("n", 1)), func(h slog.Handler) slog.Handler { return h.WithGroup("") })
	checkLog(t, record(slog.String("k", string(bytes.Repeat([]byte("long "), 1000)))), same)
	if h := NewLogHandler(NewLogWriter(io.Discard, 0), slog.LevelWarn); h.Enabled(t.Context(), slog.LevelInfo) ||
		!h.Enabled(t.Context(), slog.LevelWarn) {
		t.Error("the level is not that of NewLogHandler")
	}
}

// late is a value that is known only when it is logged.
type late struct{}

func (late) LogValue() slog.Value { return slog.StringValue("resolved") }

func FuzzLogHandler(f *testing.F) {
	f.Add("request", "key", "text", int64(-7), int64(1_795_333_507_123_456_789))
	f.Add("\xff", "\u2028", "", int64(math.MaxInt64), int64(-1))
	f.Fuzz(func(t *testing.T, message, key, text string, n, at int64) {
		r := slog.NewRecord(time.Unix(0, at), slog.Level(n%20), message, 0)
		r.AddAttrs(slog.String(key, text), slog.Int64(text, n), slog.Uint64("u", uint64(n)))
		checkLog(t, r, func(h slog.Handler) slog.Handler {
			return h.WithAttrs([]slog.Attr{slog.String(key, text)})
		})
	})
}

// BenchmarkLogHandler logs a line of a request with both handlers.
func BenchmarkLogHandler(b *testing.B) {
	for _, c := range []struct {
		name string
		make func(*LogWriter) slog.Handler
	}{
		{"LogHandler", func(w *LogWriter) slog.Handler { return NewLogHandler(w, slog.LevelInfo) }},
		{"JSONHandler", func(w *LogWriter) slog.Handler { return slog.NewJSONHandler(w, nil) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := NewLogWriter(io.Discard, 1<<20)
			defer w.Close(time.Minute)
			h := c.make(w).WithAttrs([]slog.Attr{slog.String("method", "POST"), slog.String("route", "/v1/solve"), slog.Int("status", 200)})
			b.ReportAllocs()
			for b.Loop() {
				r := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0)
				r.AddAttrs(slog.Int64("bytes", 275), slog.Int64("duration_us", 31), slog.String("request_id", "3e1o4fv5qmw2k"),
					slog.String("client", "192.0.2.77"), slog.String("verdict", "mate"), slog.String("solver", "mate1"), slog.String("source", "search"))
				if err := h.Handle(context.Background(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
