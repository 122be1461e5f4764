//go:build unix

package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// echoHandler is what the service is measured against: chi, and nothing but decoding and encoding
// the question.
func echoHandler() http.Handler {
	r := chi.NewRouter()
	r.Post("/v1/solve", func(w http.ResponseWriter, r *http.Request) {
		var question wire.SolveRequest
		if err := json.NewDecoder(r.Body).Decode(&question); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", jsonType)
		if err := json.NewEncoder(w).Encode(&question); err != nil {
			panic(err)
		}
	})
	return r
}

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

// BenchmarkServe asks over loopback, on connections that are kept, from clients on the same
// processors: once the service for mates in one and three, once the bare handler with the same
// bodies. The clients do next to nothing, so that they do not level the two.
//
// "instant" is the service with a solver that answers at once, so that what the solvers take can be
// told from what the service takes.
//
// "small" is the heap of a program that holds nothing, which the collector goes through every few
// hundred requests; that is much of what it measures. "cache" is the heap of a service whose cache
// of the default size is full.
func BenchmarkServe(b *testing.B) {
	positions := matePositions(b)
	for _, heap := range []struct {
		name string
		size int
	}{{"small", 0}, {"cache", 64 << 20}} {
		var echo cost
		compare := func(b *testing.B, c cost) {
			if echo.rate > 0 {
				b.ReportMetric(100*c.rate/echo.rate, "%ofEcho")
				b.ReportMetric(100*echo.cpu/c.cpu, "%ofEchoByCPU")
			}
		}
		ballast := make([]byte, heap.size)
		b.Run("heap="+heap.name+"/echo", func(b *testing.B) {
			echo = benchServe(b, echoHandler(), positions, false)
		})
		b.Run("heap="+heap.name+"/instant", func(b *testing.B) {
			at := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
				return solver.Result{Verdict: solver.NoMate, Solver: "instant"}
			})
			compare(b, benchServe(b, benchHandler(b, at, -1), positions, false))
		})
		b.Run("heap="+heap.name+"/solve", func(b *testing.B) {
			compare(b, benchServe(b, benchHandler(b, nil, -1), positions, true))
		})
		runtime.KeepAlive(ballast)
	}
}

// A cost is what requests took. By the time of the processors, clients included, runs can be
// compared also on a machine that does other things.
type cost struct {
	rate float64 // requests per second
	cpu  float64 // seconds of processor time per request
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func benchServe(b *testing.B, h http.Handler, positions []matePosition, solves bool) cost {
	server := httptest.NewServer(h)
	defer server.Close()
	var next atomic.Int64
	b.ReportAllocs()
	b.SetParallelism(4)
	before := processorTime(b)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		var out, body []byte
		for pb.Next() {
			p := &positions[int(next.Add(1))%len(positions)]
			out = fmt.Appendf(out[:0], "POST /v1/solve HTTP/1.1\r\nHost: tsumero.example\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(p.body))
			if _, err := conn.Write(append(out, p.body...)); err != nil {
				b.Error(err)
				return
			}
			if body, err = readBenchAnswer(in, body); err != nil {
				b.Errorf("%v: %s", err, body)
				return
			}
			if solves && !bytes.Contains(body, p.want()) {
				b.Errorf("%s: %s", p.body, body)
				return
			}
		}
	})
	b.StopTimer()
	n := float64(b.N)
	c := cost{n / b.Elapsed().Seconds(), (processorTime(b) - before).Seconds() / n}
	b.ReportMetric(c.rate, "req/s")
	b.ReportMetric(c.cpu*1e6, "cpu-µs/req")
	return c
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

// readBenchAnswer reads the body of a 200 with a length.
func readBenchAnswer(in *bufio.Reader, body []byte) ([]byte, error) {
	status, err := in.ReadSlice('\n')
	if err != nil || !bytes.HasPrefix(status, []byte("HTTP/1.1 200 ")) {
		return status, fmt.Errorf("status: %v", err)
	}
	size := 0
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if len(line) == 2 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if size, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return nil, err
			}
		}
	}
	if cap(body) < size {
		body = make([]byte, size)
	}
	_, err = io.ReadFull(in, body[:size])
	return body[:size], err
}

// BenchmarkHandler is BenchmarkServe without a network: what the two spend above net/http.
func BenchmarkHandler(b *testing.B) {
	positions := matePositions(b)
	run := func(h http.Handler, solves bool, headers ...string) func(*testing.B) {
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
				if solves && !bytes.Contains(w.body, p.want()) {
					b.Fatalf("%s: %s", p.body, w.body)
				}
			}
		}
	}
	b.Run("echo", run(echoHandler(), false))
	b.Run("solve", run(benchHandler(b, nil, -1), true))
	b.Run("cached", run(benchHandler(b, nil, 64<<20), true))
	b.Run("gzip", run(benchHandler(b, nil, 64<<20), true, "Accept-Encoding", "gzip")) // too short for it
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
