package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	runtimemetrics "runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
)

// TestBatchKeepsOrder: fast lines do not overtake slow ones, whatever the workers do.
func TestBatchKeepsOrder(t *testing.T) {
	const n = 2000
	chance := shogitest.NewRand(t)
	s := newServer(t, Config{LongSearches: 4, CacheBytes: -1, Solver: solver.Func(func(_ context.Context, _ shogi.Position, l solver.Limits) solver.Result {
		for range l.Nodes % 50 {
			runtime.Gosched()
		}
		return solver.Result{Verdict: solver.NoMate, Nodes: l.Nodes}
	})})
	var body strings.Builder
	var want []uint64
	for i := range n {
		nodes := 1 + chance.Uint64N(1000)
		want = append(want, nodes)
		if chance.IntN(20) == 0 {
			body.WriteString(" \t\r\n")
		}
		fmt.Fprintf(&body, `{"id":%d,"sfen":%q,"limits":{"nodes":%d}}`, i, mateIn1, nodes)
		if i < n-1 { // the last line has no end
			body.WriteString("\n")
		}
	}
	w := do(s, "POST", "/v1/solve/batch", body.String())
	lines := strings.Split(strings.TrimSuffix(w.Body.String(), "\n"), "\n")
	if len(lines) != n {
		t.Fatalf("%d lines, want %d", len(lines), n)
	}
	for i, line := range lines {
		a := parse[struct {
			ID    int
			Nodes uint64
		}](t, []byte(line))
		if a.ID != i || a.Nodes != want[i] {
			t.Fatalf("line %d: %s, want %d nodes", i, line, want[i])
		}
	}
}

// TestBatchGoesOn: what is wrong with a line is said in its place, and the next is answered.
func TestBatchGoesOn(t *testing.T) {
	s := newServer(t, Config{MaxBodyBytes: 1024})
	long := strings.Repeat("x", 1025)
	for _, c := range []struct {
		line, want string // want: a part of the answer
	}{
		{`{"sfen":"` + mateIn1 + `"}`, `"verdict":"mate"`},
		{`{"id":"あ\"\\ ","sfen":"` + mateIn1 + `"}`, `{"id":"あ\"\\ ","sfen":`},
		{`{"id": -1.50e+3 ,"sfen":"` + mateIn1 + `"}`, `{"id":-1.50e+3,"sfen":`},
		{`{"id":"\"id\":1,","sfen":"` + mateIn1 + `"}`, `{"id":"\"id\":1,","sfen":`},
		{`{"id": 1.50, "limits":{"plies":1.0},"sfen":"` + mateIn1 + `"}`, `{"id":1.50,"sfen":`},
		{`{"ID":1,"sfen":"` + mateIn1 + `"}`, `{"line":2,"type":"/problems/invalid_question"`},
		{`{"id":1,"id":2,"sfen":"` + mateIn1 + `"}`, `found the key \"id\" a second time`},
		{"\ufeff" + `{"sfen":"` + mateIn1 + `"}`, `byte order mark`},
		{`{"id":null,"sfen":"` + mateIn1 + `"}`, `{"sfen":`},
		{`{"id":true,"sfen":"` + mateIn1 + `"}`, `"location":"line.id"`},
		{`{"id":"` + strings.Repeat("x", 255) + `","sfen":"` + mateIn1 + `"}`, `"location":"line.id"`},
		{`{"id":7,"sfen":"4k4"}`, `{"id":7,"line":`},
		{`{"id":7,"sfen":"` + mateIn1 + `","limits":{"plies":0}}`, `"location":"line.limits.plies"`},
		{`{"id":7,"sfen":"` + mateIn1 + `","limit":{}}`, `"location":"line.limit"`},
		{`{"id":7`, `/problems/bad_json`},
		{`[]`, `expected object`},
		{"\xff\xfe", `/problems/bad_json`},
		{long, `/problems/line_too_long`},
		{long + long, `/problems/line_too_long`},
		{`{"sfen":"` + mateIn1 + `"` + strings.Repeat(" ", 1023-len(mateIn1)-12) + `}`, `"verdict":"mate"`},
	} {
		w := do(s, "POST", "/v1/solve/batch", "\n"+c.line+"\n"+question1(neverMate)+"\n", "Content-Type", ndjsonType)
		first, second, _ := strings.Cut(w.Body.String(), "\n")
		if w.Code != http.StatusOK || !strings.Contains(first, c.want) {
			t.Errorf("%.80s: %d %s, want %s", c.line, w.Code, first, c.want)
		}
		if strings.Contains(first, "/problems/") && parse[struct{ Line int }](t, []byte(first)).Line != 2 {
			t.Errorf("%.80s: the line is not 2 in %s", c.line, first)
		}
		if !strings.Contains(second, `"verdict":"nomate"`) || strings.Count(second, "\n") != 1 {
			t.Errorf("%.80s: after it %q", c.line, second)
		}
	}
	if w := do(s, "POST", "/v1/solve/batch", ""); w.Code != http.StatusOK || w.Body.Len() != 0 {
		t.Errorf("no lines: %d %q", w.Code, w.Body)
	}
}

// A stream is a batch over a connection that the test holds both ends of.
type stream struct {
	conn net.Conn
	in   *bufio.Reader
	resp *http.Response
}

// openBatch sends the header of a batch over conn and reads that of the answer.
func openBatch(t *testing.T, conn net.Conn) *stream {
	t.Helper()
	if _, err := fmt.Fprintf(conn, "POST /v1/solve/batch HTTP/1.1\r\nHost: tsumero.example\r\nTransfer-Encoding: chunked\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	s := &stream{conn: conn, in: bufio.NewReader(conn)}
	var err error
	if s.resp, err = http.ReadResponse(s.in, &http.Request{Method: "POST"}); err != nil {
		t.Fatal(err)
	}
	if s.resp.StatusCode != http.StatusOK {
		t.Fatal(s.resp.Status)
	}
	return s
}

// send sends text as a chunk.
func (s *stream) send(text string) error {
	_, err := fmt.Fprintf(s.conn, "%x\r\n%s\r\n", len(text), text)
	return err
}

// end sends the last chunk.
func (s *stream) end() error {
	_, err := io.WriteString(s.conn, "0\r\n\r\n")
	return err
}

// serveOn serves s on connections of memory, which synctest understands, and returns how to make
// one. Unlike a socket they have no buffer, so that nothing but the code under test is patient.
func serveOn(t *testing.T, s *Server) (dial func() net.Conn, end func()) {
	l := &memoryListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l, nil) }()
	return func() net.Conn {
			client, server := net.Pipe()
			l.conns <- server
			t.Cleanup(func() { client.Close() })
			return client
		}, func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
}

type memoryListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	select {
	case <-l.closed:
	default:
		close(l.closed)
	}
	return nil
}

func (l *memoryListener) Addr() net.Addr { return &net.IPAddr{IP: net.IPv4(192, 0, 2, 1)} }

// TestBatchBackPressure: from a client that does not read its answers no more is read than may be
// held, and after the time it may take its connection is closed.
func TestBatchBackPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := newServer(t, Config{MaxSearches: 2, WriteTimeout: 30 * time.Second, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
		dial, end := serveOn(t, s)
		b := openBatch(t, dial())
		var lines atomic.Int64 // sent; a few more may be when the connection ends
		failed := make(chan error, 1)
		line := question1(mateIn1) + "\n"
		go func() {
			for {
				if err := b.send(line); err != nil {
					failed <- err
					return
				}
				lines.Add(1)
			}
		}()
		time.Sleep(29 * time.Second)
		synctest.Wait()
		sent := int(lines.Load())
		// The lines held, one that waits for room, and what bufio and net/http hold of both
		// directions.
		most := (s.config.MaxSearches+s.config.LongSearches)*linesPerWorker + 1 +
			(64<<10+32<<10+16<<10)/len(line)
		if sent == 0 || sent > most {
			t.Errorf("%d lines were taken from a client that reads nothing, want at most %d", sent, most)
		}
		time.Sleep(2 * time.Second)
		select {
		case <-failed:
		default:
			t.Errorf("still connected after the time to write, %d lines sent", lines.Load())
		}
		t.Logf("%d lines were taken", sent)
		end()
		if !strings.Contains(log.String(), `"ending":"the client did not read what it was sent in time"`) {
			t.Errorf("the log does not say why: %s", &log)
		}
	})
}

// TestBatchFromSlowClients: who reads and writes now and then, but in time, gets everything.
func TestBatchFromSlowClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{MaxSearches: 2, BodyTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second})
		dial, end := serveOn(t, s)
		b := openBatch(t, dial())
		answers := bufio.NewReader(b.resp.Body)
		for i := range 20 { // three minutes: far beyond every limit on a part of it
			time.Sleep(9 * time.Second)
			if err := b.send(fmt.Sprintf(`{"id":%d,`, i)); err != nil { // half a line
				t.Fatal(err)
			}
			if err := b.send(fmt.Sprintf(`"sfen":%q}`+"\n", mateIn1)); err != nil {
				t.Fatal(err)
			}
			line, err := answers.ReadString('\n') // which comes before the next is sent
			if err != nil || !strings.HasPrefix(line, fmt.Sprintf(`{"id":%d,"sfen"`, i)) {
				t.Fatalf("answer %d: %q, %v", i, line, err)
			}
		}
		if err := b.end(); err != nil {
			t.Fatal(err)
		}
		if rest, err := io.ReadAll(answers); err != nil || len(rest) > 0 {
			t.Errorf("after the end: %q, %v", rest, err)
		}
		end()
	})
}

// TestBatchFromSilentClient: what it sent is answered, and then it is told why there is no more.
func TestBatchFromSilentClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, asked, release := blocked()
		s := newServer(t, Config{Solver: block, LongSearches: 2, BodyTimeout: 2 * time.Second, DefaultTime: 9 * time.Second})
		dial, end := serveOn(t, s)
		b := openBatch(t, dial())
		began := time.Now()
		if err := b.send(question1(mateIn1) + "\n" + question1(mateIn3) + "\n" + `{"half":`); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second) // the silence is over, the searches are not
		if len(asked) != 2 {
			t.Fatalf("%d searches", len(asked))
		}
		release <- solver.Result{Verdict: solver.NoMate}
		release <- solver.Result{Verdict: solver.NoMate}
		text, err := io.ReadAll(b.resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if len(lines) != 3 || strings.Count(string(text), `"verdict":"nomate"`) != 2 {
			t.Fatalf("%s", text)
		}
		last := parse[struct {
			Type string
			Line int
		}](t, []byte(lines[2]))
		if last.Type != wire.BodyTimeout.TypeURI() || last.Line != 3 {
			t.Errorf("last line %s", lines[2])
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("it took %v", took)
		}
		if n := metric(t, s, "tsumero_http_requests_total", "code", "200"); n != 1 {
			t.Errorf("%v requests answered with 200", n)
		}
		end()
	})
}

// TestBatchFromVanishingClient: its searches are stopped and its place is free.
func TestBatchFromVanishingClient(t *testing.T) {
	for _, before := range []string{"the end of the stream", "the next line"} {
		t.Run("before "+before, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				block, asked, _ := blocked()
				s := newServer(t, Config{Solver: block, LongSearches: 2, MaxBatches: 1, MaxTime: time.Hour, DefaultTime: time.Hour})
				dial, end := serveOn(t, s)
				b := openBatch(t, dial())
				if err := b.send(question1(mateIn1) + "\n" + question1(mateIn3) + "\n"); err != nil {
					t.Fatal(err)
				}
				if before == "the end of the stream" {
					if err := b.end(); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				if len(asked) != 2 || s.batches.running != 1 {
					t.Fatalf("%d searches, %d batches", len(asked), s.batches.running)
				}
				b.conn.Close()
				synctest.Wait()
				n := metric(t, s, "tsumero_searches_in_flight")
				if batches := s.batches.running; n != 0 || batches != 0 {
					t.Errorf("%v searches and %d batches of a client that is gone", n, batches)
				}
				end()
			})
		})
	}
}

// TestBatchWaitsForItsTurn: a line is not refused because others search; it waits.
func TestBatchWaitsForItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, _, release := blocked()
		s := newServer(t, Config{Solver: block, LongSearches: 1, LongQueue: -1, LongWait: time.Second, MaxTime: time.Minute, DefaultTime: time.Minute})
		single := background(t.Context(), s, question1(mateIn1))
		synctest.Wait()
		batch := make(chan string)
		go func() { batch <- do(s, "POST", "/v1/solve/batch", question1(mateIn3)+"\n").Body.String() }()
		time.Sleep(30 * time.Second)
		release <- solver.Result{Verdict: solver.NoMate}
		wantVerdict(t, <-single, "nomate", "")
		release <- solver.Result{Verdict: solver.NoMate}
		if line := <-batch; !strings.Contains(line, `"verdict":"nomate"`) {
			t.Errorf("%s", line)
		}
	})
}

// TestBatchMemory streams many lines and wants the memory of few. The long test has a million.
func TestBatchMemory(t *testing.T) {
	const lines = 50_000
	s := newServer(t, Config{})
	url := listen(t, s)
	body, write := io.Pipe()
	go func() {
		out := bufio.NewWriterSize(write, 64<<10)
		for i := range lines {
			fmt.Fprintf(out, `{"id":%d,"sfen":%q}`+"\n", i, []string{mateIn1, mateIn3, neverMate}[i%3])
		}
		write.CloseWithError(out.Flush())
	}()
	resp, err := http.Post(url+"/v1/solve/batch", ndjsonType, body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	// What the collector has found to be in use: all that is allocated has what the service threw away
	// between the collection and the reading, which on a busy machine is much.
	live := func() uint64 {
		sample := []runtimemetrics.Sample{{Name: "/gc/heap/live:bytes"}}
		runtime.GC()
		runtimemetrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	var first, most uint64
	in := bufio.NewReaderSize(resp.Body, 64<<10)
	for i := range lines {
		line, err := in.ReadSlice('\n')
		if err != nil {
			t.Fatalf("after %d lines: %v", i, err)
		}
		if want := fmt.Sprintf(`{"id":%d,"sfen":`, i); !bytes.HasPrefix(line, []byte(want)) {
			t.Fatalf("line %d is %s", i, line)
		}
		switch {
		case i == lines/10:
			first = live()
		case i%(lines/20) == 0 && i > lines/10:
			most = max(most, live())
		}
	}
	if _, err := in.ReadByte(); err != io.EOF {
		t.Errorf("after the last line: %v", err)
	}
	t.Logf("%d lines: %d KiB of memory after a tenth, at most %d KiB later", lines, first>>10, most>>10)
	if most > first+(8<<20) { // the test has 15 MB of questions and answers
		t.Errorf("memory grew from %d to %d bytes", first, most)
	}
}

// TestBatchHalfDuplex: a proxy that stops sending the body when the answer begins, as nginx does,
// says so, and gets the answer when it has sent everything. The connection can be used again.
func TestBatchHalfDuplex(t *testing.T) {
	line := question1(mateIn1) + "\n"
	for name, header := range map[string]string{
		"header":   "HTTP/1.1\r\nHost: tsumero.example\r\nX-Full-Duplex: no",
		"HTTP/1.0": "HTTP/1.0\r\nConnection: keep-alive",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial, end := serveOn(t, newServer(t, Config{}))
				conn := dial()
				in := bufio.NewReader(conn)
				arrived := make(chan error, 1)
				for round := range 2 {
					fmt.Fprintf(conn, "POST /v1/solve/batch %s\r\nContent-Length: %d\r\n\r\n%s", header, 2*len(line), line)
					go func() {
						_, err := in.Peek(1)
						arrived <- err
					}()
					synctest.Wait()
					select {
					case err := <-arrived:
						t.Fatalf("round %d: an answer, or %v, before the body is complete", round, err)
					default:
					}
					io.WriteString(conn, line)
					if err := <-arrived; err != nil {
						t.Fatal(err)
					}
					resp, err := http.ReadResponse(in, &http.Request{Method: "POST"})
					if err != nil {
						t.Fatal(err)
					}
					body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
					if err != nil || strings.Count(string(body), `"verdict":"mate"`) != 2 {
						t.Errorf("round %d: %v, %s", round, err, body)
					}
					if resp.Close {
						break // HTTP/1.0 has no other end of an answer whose length nobody knows
					}
				}
				conn.Close()
				end()
			})
		})
	}
}

// TestBatchHalfDuplexLimits: what is read as a whole is bounded in size and time, and at the end of
// the service, and a batch that was refused leaves its slot.
func TestBatchHalfDuplexLimits(t *testing.T) {
	half := []string{"Content-Type", ndjsonType, "X-Full-Duplex", "no"}
	s := newServer(t, Config{MaxBatches: 1, MaxBatchesEach: 1})
	most := strings.Repeat("\n", maxWholeBatch)
	for range 2 {
		wantProblem(t, do(s, "POST", "/v1/solve/batch", most+"\n", half...), wire.TooLarge)
		w := do(s, "POST", "/v1/solve/batch", most[len(mateIn1)+11:]+question1(mateIn1), half...)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"verdict":"mate"`) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}

	for _, c := range []struct {
		name string
		c    Config
		end  bool
	}{
		{"time", Config{BodyTimeout: time.Second}, false},
		{"end", Config{BodyTimeout: time.Hour, Grace: 8 * time.Second}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial, end := serveOn(t, newServer(t, c.c))
				conn := dial()
				fmt.Fprintf(conn, "POST /v1/solve/batch HTTP/1.1\r\nHost: x\r\nX-Full-Duplex: no\r\nContent-Length: 9\r\n\r\n{")
				synctest.Wait()
				began, ended := time.Now(), make(chan struct{})
				stop := func() { end(); close(ended) }
				if c.end {
					go stop()
				}
				resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: "POST"})
				if err != nil {
					t.Fatal(err)
				}
				want := c.c.BodyTimeout
				if c.end {
					want = c.c.Grace / bodyShare
				}
				if resp.StatusCode != http.StatusRequestTimeout || time.Since(began) != want {
					t.Errorf("%s after %v, want 408 after %v", resp.Status, time.Since(began), want)
				}
				conn.Close()
				if !c.end {
					stop()
				}
				<-ended
			})
		})
	}
}

// TestBatchBytesCount: what a long line takes to read and to find wrong is work of the client too,
// also if the line is too long to be looked at, and so are empty lines.
func TestBatchBytesCount(t *testing.T) {
	long := strings.Repeat("x", 51_199) + "\n" // as much as 101 lines
	for name, c := range map[string]struct {
		body    string
		maxBody int
	}{
		"malformed": {strings.Repeat(long, 110), 64 << 10},
		"too long":  {strings.Repeat(long, 110), 1 << 10},
		"empty":     {strings.Repeat(strings.Repeat("\n", 51_199*110/100)+"x\n", 100), 64 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(t, Config{RatePerMinute: 6, MaxBodyBytes: c.maxBody})
				began := time.Now()
				do(s, "POST", "/v1/solve/batch", c.body)
				// A request or a thousand lines in ten seconds, after a minute's worth at once.
				if took := time.Since(began); took < 59*time.Second || took > 64*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
	t.Run("nothing but empty lines", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, Config{RatePerMinute: 6})
			do(s, "POST", "/v1/solve/batch", strings.Repeat("\n", 3<<20))
			wantProblem(t, get(s, mateIn1), wire.RateLimited)
		})
	})
}

// TestBatchEndsInTime: also one whose lines have all been sent, and last for long.
func TestBatchEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: sleeps(time.Second), LongSearches: 1, MaxSearches: 1,
			BatchTime: 10 * time.Second})
		var body strings.Builder
		for n := range 400 { // which net/http and bufio have in memory
			body.WriteString(hard(n) + "\n")
		}
		began := time.Now()
		w := do(s, "POST", "/v1/solve/batch", body.String())
		lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n")
		took, most := time.Since(began), 10+2*linesPerWorker+3
		p := parse[wire.Problem](t, []byte(lines[len(lines)-1]))
		if took > time.Duration(most)*time.Second || len(lines) > most ||
			p.Type != wire.BodyTimeout.TypeURI() || !strings.Contains(p.Detail, "10s") {
			t.Errorf("%d lines in %v, the last %s", len(lines), took, lines[len(lines)-1])
		}
	})
}

// TestBatchFromClientThatDoesNotRead: who does not take an answer in the time to write gets no
// more, also while a search for the next line goes on.
func TestBatchFromClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		search := func(ctx context.Context, p shogi.Position, _ solver.Limits) solver.Result {
			if p.ProblemSFEN() != mateIn1 {
				<-ctx.Done()
			}
			return solver.Result{Verdict: solver.NoMate}
		}
		s := newServer(t, Config{Solver: solver.Func(search), LongSearches: 2,
			WriteTimeout: 30 * time.Second, MaxTime: time.Hour, DefaultTime: time.Hour})
		dial, end := serveOn(t, s)
		b := openBatch(t, dial())
		if err := b.send(question1(mateIn1) + "\n" + question1(mateIn3) + "\n"); err != nil {
			t.Fatal(err)
		}
		running := func() (searches, batches float64) {
			synctest.Wait()
			return metric(t, s, "tsumero_searches_in_flight"), metric(t, s, "tsumero_batches_in_flight")
		}
		time.Sleep(29 * time.Second)
		if searches, batches := running(); searches != 1 || batches != 1 {
			t.Errorf("%v searches and %v batches before the time to write is over", searches, batches)
		}
		time.Sleep(2 * time.Second)
		if searches, batches := running(); searches != 0 || batches != 0 {
			t.Errorf("%v searches and %v batches after it", searches, batches)
		}
		b.conn.Close()
		end()
	})
}

// TestBatchSaysWhereItEnded: a batch that the end of the service ends while it is full answers all
// lines that it took, and names the last of them.
func TestBatchSaysWhereItEnded(t *testing.T) {
	for _, duplex := range []string{"yes", "no"} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, Config{Solver: untilTime(), LongSearches: 1, MaxSearches: 1,
				MaxTime: time.Hour, DefaultTime: time.Hour})
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Minute, func() { cancel(errEnding) })
			var body strings.Builder
			for n := range 100 {
				body.WriteString(hard(n) + "\n")
			}
			w := doContext(ctx, s, "POST", "/v1/solve/batch", body.String(), "X-Full-Duplex", duplex)
			lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n")
			held := 2 * linesPerWorker
			if len(lines) != held+1 {
				t.Fatalf("%d lines, want %d: %s", len(lines), held+1, w.Body)
			}
			p := parse[wire.BatchProblem](t, []byte(lines[held]))
			if p.Type != wire.ShuttingDown.TypeURI() || p.Line != held+1 ||
				!strings.Contains(p.Detail, fmt.Sprintf("No line after number %d was read", held)) {
				t.Errorf("the last line is %s, want number %d", lines[held], held+1)
			}
		})
	}
}
