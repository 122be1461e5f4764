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
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"golang.org/x/sys/unix"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate"
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

// serveBesideBare is a program that serves as the command does, and the bare handler on another
// port. It writes both addresses to its standard output, and for each line that it reads what it
// has used. Its log is where it belongs, on standard error.
func serveBesideBare() {
	bare, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() { panic(http.Serve(bare, bareHandler())) }()
	log, api := &listeningLog{to: os.Stderr}, make(chan string, 1)
	log.addr = api
	go run(context.Background(), append([]string{"serve", "--addr", "127.0.0.1:0",
		"--admin-addr", "127.0.0.1:0", "--rate", strconv.Itoa(1 << 30)}, os.Args[1:]...),
		nil, io.Discard, log)
	fmt.Println(bare.Addr(), <-api)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		u := usageOfSelf()
		fmt.Println(u.cpu, u.allocs, u.bytes, u.resident)
	}
}

// A usage is what a server has used.
type usage struct {
	cpu           int64 // ns of all processors
	allocs, bytes int64 // allocations, and what they took
	resident      int64 // bytes, now
}

func usageOfSelf() usage {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	heap := []metrics.Sample{{Name: "/gc/heap/allocs:objects"}, {Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(heap)
	memory, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(memory))[1])
	if err != nil {
		panic(err)
	}
	return usage{u.Utime.Nano() + u.Stime.Nano(), int64(heap[0].Value.Uint64()),
		int64(heap[1].Value.Uint64()), int64(pages * os.Getpagesize())}
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
// short question takes of a server in a process of its own. All questions are positions of games.
// "cached" are the mates in three, all of them in the cache; else there is none. "nomate" are those
// that are shown to be without one by a search of so few nodes that it is short, too.
//
// Server and clients have the same processor, which is the first that this process may use. The
// service and the bare handler take turns, a round each, so that what else the machine does meets
// both: xBare is the median of the quotients of the rounds, and "bare" beside itself is how noisy
// that is. cpu-µs is the median of the rounds, and least-µs the least of them, which is what is
// left of the noise when the machine is busy. A latency is that of benchConns clients that ask all
// the time.
//
// To look where the time goes, start "perf record" or the profiler of the admin listener beside it.
func BenchmarkServe(b *testing.B) {
	pin(b)
	for _, row := range []struct {
		name  string
		plies int
		args  []string
	}{
		{"bare", 3, nil},
		{"mate1", 1, []string{"--cache", "0"}},
		{"mate3", 3, []string{"--cache", "0"}},
		{"mate5", 5, []string{"--cache", "0"}},
		{"nomate", -1, []string{"--cache", "0"}},
		{"cached", 3, nil},
	} {
		b.Run(row.name, func(b *testing.B) {
			benchmarkServe(b, benchQuestions(b, row.plies), row.name == "bare", row.args)
		})
	}
}

const (
	roundRequests = 1000 // of each of the two in a round
	benchConns    = 8
	benchNodes    = 15 // of a search for a mate where there is none
)

// pin lets this process, and those that it starts, use one processor until the end of b.
func pin(b *testing.B) {
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		b.Fatal(err)
	}
	for cpu := 0; one.Count() == 0; cpu++ {
		if before.IsSet(cpu) {
			one.Set(cpu)
		}
	}
	set := func(to *unix.CPUSet) {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			b.Fatal(err)
		}
		for _, thread := range threads { // new ones have the processors of those that start them
			id, _ := strconv.Atoi(thread.Name())
			if err := unix.SchedSetaffinity(id, to); err != nil && err != unix.ESRCH {
				b.Fatal(err)
			}
		}
	}
	set(&one)
	b.Cleanup(func() { set(&before) })
}

func benchmarkServe(b *testing.B, questions []benchQuestion, isBare bool, args []string) {
	server := exec.Command("serve-beside-bare", args...)
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
	used := func() (u usage) {
		fmt.Fprintln(asks)
		if _, err := fmt.Fscanln(answers, &u.cpu, &u.allocs, &u.bytes, &u.resident); err != nil {
			b.Fatal(err)
		}
		return u
	}
	var bareAddr, apiAddr string
	if _, err := fmt.Fscanln(answers, &bareAddr, &apiAddr); err != nil {
		b.Fatal(err)
	}
	bare, service := newBenchClient(b, bareAddr, questions, false), newBenchClient(b, apiAddr, questions, true)
	if isBare {
		service = newBenchClient(b, bareAddr, questions, false)
	}
	bare.ask(b, roundRequests)
	service.ask(b, roundRequests)
	service.took = service.took[:0]

	b.ResetTimer()
	var times, quotients []float64
	var allocs, bytes, resident int64
	for left := b.N; left > 0; left -= roundRequests {
		n := min(left, roundRequests)
		begin := used()
		bare.ask(b, n)
		between := used()
		service.ask(b, n)
		end := used()
		times = append(times, float64(end.cpu-between.cpu)/float64(n)/1e3)
		quotients = append(quotients, float64(end.cpu-between.cpu)/float64(between.cpu-begin.cpu))
		allocs += end.allocs - between.allocs
		bytes += end.bytes - between.bytes
		resident = max(resident, end.resident)
	}
	b.StopTimer()
	slices.Sort(times)
	slices.Sort(quotients)
	slices.Sort(service.took)
	b.ReportMetric(0, "ns/op") // an op is a request to each of the two
	b.ReportMetric(quantile(times, 0.5), "cpu-µs")
	b.ReportMetric(times[0], "least-µs")
	b.ReportMetric(quantile(quotients, 0.5), "xBare")
	for _, p := range []int{50, 90, 99} {
		b.ReportMetric(quantile(service.took, float64(p)/100).Seconds()*1e6, fmt.Sprintf("p%d-µs", p))
	}
	b.ReportMetric(float64(allocs)/float64(b.N), "allocs/req")
	b.ReportMetric(float64(bytes)/float64(b.N), "B/req")
	b.ReportMetric(float64(resident)/(1<<20), "RSS-MiB")
}

// quantile returns that of a list in ascending order.
func quantile[T any](of []T, q float64) T { return of[int(q*float64(len(of)-1))] }

// A benchQuestion is a request for a mate, and a part of its right answer.
type benchQuestion struct{ request, want []byte }

// benchQuestions returns requests for the positions of games whose shortest mates have so many plies;
// that of a position without a mate is -1.
func benchQuestions(b *testing.B, wanted int) (all []benchQuestion) {
	solve := mate.New(mate.Options{})
	data, err := os.ReadFile(filepath.FromSlash("../../solver/solvertest/testdata/known.tsv"))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(line, "\t")
		if len(fields) != 3 || !strings.Contains(fields[2], "game-") {
			continue
		}
		plies, err := strconv.Atoi(fields[1])
		if err != nil {
			b.Fatal(err)
		}
		p := shogi.MustParseSFEN(fields[0])
		if plies != wanted || plies < 0 && solve.Solve(b.Context(), p,
			solver.Limits{Nodes: benchNodes}).Verdict != solver.NoMate {
			continue
		}
		body := fmt.Sprintf(`{"sfen":%q}`, fields[0])
		q := benchQuestion{request: fmt.Appendf(nil, "POST /v1/solve HTTP/1.1\r\nHost: tsumero.example\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)}
		switch {
		case plies < 0:
			q.want = []byte(`"verdict":"nomate"`)
		case plies <= 3:
			q.want = fmt.Appendf(nil, `"verdict":"mate","plies":%d,"exact":true`, plies)
		default: // a longer one may be found
			q.want = []byte(`"verdict":"mate"`)
		}
		all = append(all, q)
	}
	return all
}

// A benchClient asks over connections that are kept. It does next to nothing itself.
type benchClient struct {
	conns     [benchConns]net.Conn
	questions []benchQuestion
	solves    bool // the answers are looked at
	took      []time.Duration
}

func newBenchClient(b *testing.B, addr string, questions []benchQuestion, solves bool) *benchClient {
	c := &benchClient{questions: questions, solves: solves}
	for i := range c.conns {
		conn, err := net.DialTimeout("tcp", addr, time.Second)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { conn.Close() })
		c.conns[i] = conn
	}
	return c
}

// ask sends n requests over all connections and reads the answers.
func (c *benchClient) ask(b *testing.B, n int) {
	var wg sync.WaitGroup
	begin := len(c.took)
	c.took = append(c.took, make([]time.Duration, n)...)
	took := c.took[begin:]
	for i, conn := range c.conns {
		wg.Go(func() {
			in := bufio.NewReader(conn)
			var body []byte
			for k := i; k < n; k += len(c.conns) {
				q := &c.questions[k%len(c.questions)]
				began := time.Now()
				_, err := conn.Write(q.request)
				if err == nil {
					body, err = readBenchAnswer(in, body)
				}
				took[k] = time.Since(began)
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
