//go:build unix

package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// benchHandler returns the service as it is run, its cache apart, unless it has a size: with a log,
// metrics, CORS and a rate limit, though one that lets everything through. A nil solver is the real
// ones.
func benchHandler(b *testing.B, with solver.Solver, cache int64) http.Handler {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { null.Close() })
	return newServer(b, Config{
		Solver: with, Quick: with,
		Logger: slog.New(slog.NewJSONHandler(null, nil)), CacheBytes: cache, RatePerMinute: 1 << 40, CORSOrigins: []string{"*"},
		MaxQueue: 1 << 20, QueueWait: 1 << 40, // questions wait as long as they have to
	}).Handler()
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkBatch sends one batch of mates in one over loopback, from a client that does next to
// nothing. An op is a line. "instant" is the service with a solver that answers at once.
func BenchmarkBatch(b *testing.B) {
	at := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
		return solver.Result{Verdict: solver.NoMate, Solver: "instant"}
	})
	for _, c := range []struct {
		name   string
		solver solver.Solver
		want   string
	}{{"instant", at, `"verdict":"nomate"`}, {"solve", nil, `"verdict":"mate","plies":1,"exact":true`}} {
		b.Run(c.name, func(b *testing.B) {
			server := httptest.NewServer(benchHandler(b, c.solver, -1))
			defer server.Close()
			var lines bytes.Buffer
			for _, p := range matePositions(b) {
				if p.plies == 1 {
					lines.Write(append(p.body, '\n'))
				}
			}
			lineOf := bytes.SplitAfter(lines.Bytes(), []byte("\n"))
			lineOf = lineOf[:len(lineOf)-1] // after the last end of line
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			size := 0
			for i := range b.N {
				size += len(lineOf[i%len(lineOf)])
			}
			b.ReportAllocs()
			before := processorTime(b)
			b.ResetTimer()
			go func() {
				out := bufio.NewWriterSize(conn, 64<<10)
				fmt.Fprintf(out, "POST /v1/solve/batch HTTP/1.1\r\nHost: tsumero.example\r\n"+
					"Content-Type: %s\r\nContent-Length: %d\r\n\r\n", ndjsonType, size)
				for i := range b.N {
					_, _ = out.Write(lineOf[i%len(lineOf)]) // Flush reports its error
				}
				if err := out.Flush(); err != nil {
					b.Error(err)
				}
			}()
			resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: "POST"})
			if err != nil {
				b.Fatal(err)
			}
			in := bufio.NewReaderSize(resp.Body, 64<<10)
			for i := range b.N {
				answer, err := in.ReadSlice('\n')
				if err != nil || !bytes.Contains(answer, []byte(c.want)) {
					b.Fatalf("answer %d: %v, %s", i, err, answer)
				}
			}
			b.StopTimer()
			b.ReportMetric((processorTime(b)-before).Seconds()*1e6/float64(b.N), "cpu-µs/line")
		})
	}
}

// want is a part of the right answer.
func (p *matePosition) want() []byte {
	if p.plies == 1 {
		return []byte(`"verdict":"mate","plies":1,"exact":true`)
	}
	return []byte(`"verdict":"mate","plies":3,"exact":true`)
}

// BenchmarkHandler is what a short question takes above net/http. BenchmarkServe of the command is
// all of it.
func BenchmarkHandler(b *testing.B) {
	positions := matePositions(b)
	run := func(h http.Handler, headers ...string) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			var w bufferWriter
			for i := range b.N {
				p := &positions[i%len(positions)]
				r := httptest.NewRequest("POST", "/v1/solve", bytes.NewReader(p.body))
				r.Header.Set("Content-Type", jsonType)
				for i := 0; i < len(headers); i += 2 {
					r.Header.Set(headers[i], headers[i+1])
				}
				w.header, w.body = http.Header{}, w.body[:0]
				h.ServeHTTP(&w, r)
				if !bytes.Contains(w.body, p.want()) {
					b.Fatalf("%s: %s", p.body, w.body)
				}
			}
		}
	}
	b.Run("solve", run(benchHandler(b, nil, -1)))
	b.Run("cached", run(benchHandler(b, nil, 64<<20)))
	b.Run("gzip", run(benchHandler(b, nil, 64<<20), "Accept-Encoding", "gzip")) // too short for it
}

type bufferWriter struct {
	header http.Header
	body   []byte
}

func (w *bufferWriter) Header() http.Header { return w.header }
func (w *bufferWriter) WriteHeader(int)     {}
func (w *bufferWriter) Write(p []byte) (int, error) {
	w.body = append(w.body, p...)
	return len(p), nil
}
