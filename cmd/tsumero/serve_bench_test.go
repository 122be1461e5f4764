//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/tsumero/tsumero/api/wire"
)

// bareHandler is what the service is measured against: chi, and nothing but decoding and encoding
// the question.
func bareHandler() http.Handler {
	r := chi.NewRouter()
	r.Post("/v1/solve", func(w http.ResponseWriter, r *http.Request) {
		var question wire.SolveRequest
		if err := json.NewDecoder(r.Body).Decode(&question); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(&question); err != nil {
			panic(err)
		}
	})
	return r
}

func init() { programs["serve-beside-bare"] = serveBesideBare }

// ballast is the heap of a service whose cache of the default size is full, so that the collector
// runs as often as it does there.
var ballast []byte

// serveBesideBare is a program that serves as the command does, and the bare handler on another
// port. It writes both addresses to its standard output, and for each line that it reads the
// processor time it has used, in nanoseconds. Its log is where it belongs, on standard error.
func serveBesideBare() {
	ballast = make([]byte, 64<<20)
	bare, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() { panic(http.Serve(bare, bareHandler())) }()
	log, api := &listeningLog{to: os.Stderr}, make(chan string, 1)
	log.addr = api
	go run(context.Background(), append([]string{"serve", "--addr", "127.0.0.1:0",
		"--admin-addr", "off", "--rate", strconv.Itoa(1 << 30)}, os.Args[1:]...),
		nil, io.Discard, log)
	fmt.Println(bare.Addr(), <-api)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			panic(err)
		}
		fmt.Println(u.Utime.Nano() + u.Stime.Nano())
	}
	runtime.KeepAlive(ballast)
}

// A listeningLog passes a log on and finds in it the address on which the service listens.
type listeningLog struct {
	to   io.Writer
	addr chan<- string // nil as soon as it was found
}

func (l *listeningLog) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		var entry struct{ Msg, Addr string }
		if l.addr != nil && json.Unmarshal(line, &entry) == nil && entry.Msg == "listening" {
			l.addr <- entry.Addr
			l.addr = nil
		}
	}
	return l.to.Write(p)
}

// BenchmarkServe compares the service, all of it, with the bare handler: the processor time that a
// request takes of a server in a process of its own. Mates are in one and three, and no cache holds
// them; "cached" ones are the same, and all in the cache. The two take turns, a round each, so that
// what else the machine does meets both.
//
// %ofBare is the median of the rounds, and %low and %high are its quartiles. %ofLeast compares the
// rounds that took the least time of either: what is left of the noise when the machine is busy. An
// op is a request to each of the two.
//
// Where there is taskset, a server with one processor is bound to the first one of the machine. The
// clients are not: with "taskset -c 0 go test -bench Serve" they have the same processor, and with
// "-c 1" another one, where they are often idle, so that to wake them costs the server more, and
// the service more often than the bare handler.
func BenchmarkServe(b *testing.B) {
	for _, processors := range []int{1, 2} {
		for _, kind := range []string{"mates", "mate1", "cached"} {
			b.Run(fmt.Sprintf("processors=%d/%s", processors, kind), func(b *testing.B) {
				benchmarkServe(b, processors, kind)
			})
		}
	}
}

const (
	roundRequests  = 1000 // of each of the two in a round
	benchConnsEach = 8    // connections for each processor of the server
)

func benchmarkServe(b *testing.B, processors int, kind string) {
	args := []string{"serve-beside-bare", "--cache", "0"}
	if kind == "cached" {
		args = args[:1]
	}
	if taskset, err := exec.LookPath("taskset"); err == nil && processors == 1 {
		args = append([]string{taskset, "-c", "0"}, args...)
	}
	server := exec.Command(args[0], args[1:]...)
	server.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", processors))
	asks, err := server.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		asks.Close() // which ends it
		if err := server.Wait(); err != nil {
			b.Error(err)
		}
	}()
	answers := bufio.NewReader(out)
	answer := func() string {
		line, err := answers.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		return strings.TrimSpace(line)
	}
	used := func() int64 {
		fmt.Fprintln(asks)
		n, err := strconv.ParseInt(answer(), 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	bareAddr, apiAddr, _ := strings.Cut(answer(), " ")
	questions := benchQuestions(b, kind == "mate1")
	bare := newBenchClient(b, bareAddr, processors*benchConnsEach, questions, false)
	service := newBenchClient(b, apiAddr, processors*benchConnsEach, questions, true)
	bare.ask(b, roundRequests)
	service.ask(b, roundRequests)

	b.ResetTimer()
	var ratios, bareTimes, times []float64
	for left := b.N; left > 0; left -= roundRequests {
		n := min(left, roundRequests)
		begin := used()
		bare.ask(b, n)
		between := used()
		service.ask(b, n)
		end := used()
		bareTimes = append(bareTimes, float64(between-begin)/float64(n)/1e3)
		times = append(times, float64(end-between)/float64(n)/1e3)
		ratios = append(ratios, 100*float64(between-begin)/float64(end-between))
	}
	b.StopTimer()
	quantile := func(of []float64, q float64) float64 {
		return slices.Sorted(slices.Values(of))[int(q*float64(len(of)-1))]
	}
	b.ReportMetric(quantile(ratios, 0.25), "%low")
	b.ReportMetric(quantile(ratios, 0.5), "%ofBare")
	b.ReportMetric(quantile(ratios, 0.75), "%high")
	b.ReportMetric(100*slices.Min(bareTimes)/slices.Min(times), "%ofLeast")
	b.ReportMetric(slices.Min(bareTimes), "bare-least-µs")
	b.ReportMetric(slices.Min(times), "least-µs")
}

// A benchQuestion is a request for a mate, and a part of its right answer.
type benchQuestion struct{ request, want []byte }

// benchQuestions returns requests for mates in one and three, or only in one.
func benchQuestions(b *testing.B, in1 bool) (all []benchQuestion) {
	data, err := os.ReadFile(filepath.FromSlash("../../api/httpapi/testdata/mates.tsv"))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		sfen, plies, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || in1 && plies != "1" { // a comment, or not wanted
			continue
		}
		body := fmt.Sprintf(`{"sfen":%q,"limits":{"plies":3}}`, sfen)
		all = append(all, benchQuestion{
			fmt.Appendf(nil, "POST /v1/solve HTTP/1.1\r\nHost: tsumero.example\r\n"+
				"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body),
			fmt.Appendf(nil, `"verdict":"mate","plies":%s,"exact":true`, plies)})
	}
	return all
}

// A benchClient asks over connections that are kept. It does next to nothing itself.
type benchClient struct {
	conns     []net.Conn
	questions []benchQuestion
	solves    bool // the answers are looked at
}

func newBenchClient(b *testing.B, addr string, conns int, questions []benchQuestion,
	solves bool) *benchClient {
	c := &benchClient{questions: questions, solves: solves}
	for range conns {
		conn, err := net.DialTimeout("tcp", addr, time.Second)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { conn.Close() })
		c.conns = append(c.conns, conn)
	}
	return c
}

// ask sends n requests over all connections and reads the answers.
func (c *benchClient) ask(b *testing.B, n int) {
	var wg sync.WaitGroup
	for i, conn := range c.conns {
		wg.Go(func() {
			in := bufio.NewReader(conn)
			var body []byte
			for k := i; k < n; k += len(c.conns) {
				q := &c.questions[k%len(c.questions)]
				_, err := conn.Write(q.request)
				if err == nil {
					body, err = readBenchAnswer(in, body)
				}
				if err != nil || c.solves && !bytes.Contains(body, q.want) {
					b.Errorf("%s: %v, %s", q.request, err, body)
					return
				}
			}
		})
	}
	wg.Wait()
	if b.Failed() {
		b.FailNow()
	}
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
