package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestTerminateUnderLoad sends SIGTERM while clients ask without pause, others have sent half of a
// question, and a batch is in the middle of its stream. Everything the service accepted must be
// answered to the end, everything it logged as answered must have arrived, and the process must end
// by itself with exit code 0.
func TestTerminateUnderLoad(t *testing.T) {
	t.Parallel()
	const (
		clients   = 16
		halves    = 8
		before    = 400 // answers that must have arrived when SIGTERM is sent
		batchLine = `{"id":%d,"sfen":%q}` + "\n"
	)
	s := startService(t, "--rate", "0", "--grace", "2m") // a quarter of it is for the halves

	// Half questions. "100 Continue" is the service's word that it has begun to read one.
	var waiting []*halfQuestion
	for i := range halves {
		waiting = append(waiting, startQuestion(t, s, fmt.Sprintf("half-%d", i)))
	}

	// A batch of which the service has answered the first line.
	body, lines := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/v1/solve/batch", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", ndjsonType)
	batch, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer batch.Body.Close()
	if _, err := fmt.Fprintf(lines, batchLine, 0, mateIn1); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(batch.Body)
	if !answers.Scan() {
		t.Fatal(answers.Err())
	}

	// The load.
	var (
		load       sync.WaitGroup
		terminated atomic.Bool // SIGTERM was sent
		arrived    atomic.Int64
		mu         sync.Mutex
		complete   = map[string]bool{} // by request id
		enough     = make(chan struct{})
		positions  = []string{mateIn1, mateIn3, neverMate}
	)
	for client := range clients {
		load.Go(func() {
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			for n := 0; ; n++ {
				id := fmt.Sprintf("load-%d-%d", client, n)
				err := ask(t, transport, s.url, id, positions[n%len(positions)])
				switch {
				case err == nil:
					mu.Lock()
					complete[id] = true
					mu.Unlock()
					if arrived.Add(1) == before {
						close(enough)
					}
				case !terminated.Load():
					t.Errorf("%s: %v", id, err)
					return
				default:
					return // the listener is closed; whether a question was lost on the way is in the log, below
				}
			}
		})
	}
	<-enough
	terminated.Store(true)
	s.terminate(t)

	// From here on the service takes no new connections, but keeps its word on the old ones.
	waitFor(t, "the listener to close", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	load.Wait()
	for _, q := range waiting {
		if err := q.finish(); err != nil {
			t.Errorf("a question that was half sent: %v", err)
		}
		complete[q.id] = true
	}
	const rest = 200
	go func() {
		for i := range rest {
			fmt.Fprintf(lines, batchLine, i+1, positions[i%len(positions)])
		}
		lines.Close()
	}()
	for i := range rest {
		if !answers.Scan() {
			t.Fatalf("the batch ends after %d of %d lines: %v", i, rest, answers.Err())
		}
		if a := decode[answer](t, answers.Text()); a.ID != float64(i+1) || a.Verdict == "" {
			t.Fatalf("line %d: %s", i+1, answers.Text())
		}
	}
	if answers.Scan() || answers.Err() != nil {
		t.Errorf("after the batch: %q, %v", answers.Text(), answers.Err())
	}
	<-s.ended
	s.stop(t) // checks the exit code

	logged := 0
	for line := range strings.Lines(s.log.whole()) {
		var entry struct {
			RequestID string `json:"client_request_id"`
			Status    int    `json:"status"`
		}
		if json.Unmarshal([]byte(line), &entry) != nil || !strings.HasPrefix(entry.RequestID, "load-") && !strings.HasPrefix(entry.RequestID, "half-") {
			continue
		}
		logged++
		if !complete[entry.RequestID] {
			t.Errorf("request %s was answered with %d, and the answer is lost", entry.RequestID, entry.Status)
		}
	}
	if logged != len(complete) {
		t.Errorf("%d requests in the log, %d answers arrived", logged, len(complete))
	}
	t.Logf("%d answers, %d of them after SIGTERM, none lost", len(complete)+rest+1, int64(len(complete))-before+rest)
}

// ask asks one question and reads the whole answer.
func ask(t *testing.T, transport http.RoundTripper, base, id, sfen string) error {
	req, err := http.NewRequestWithContext(t.Context(), "POST", base+"/v1/solve", strings.NewReader(question(sfen)))
	if err != nil {
		return err
	}
	req.GetBody = nil // no silent second try on another connection
	req.Header.Set("Content-Type", jsonType)
	req.Header.Set("X-Request-Id", id)
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return err
	}
	return checkAnswer(resp)
}

// checkAnswer reads an answer to its end.
func checkAnswer(resp *http.Response) error {
	defer resp.Body.Close()
	var a answer
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || a.Verdict == "" {
		return fmt.Errorf("%s, verdict %q", resp.Status, a.Verdict)
	}
	return nil
}

// A halfQuestion is a request whose body is not all sent.
type halfQuestion struct {
	id   string
	conn net.Conn
	in   *bufio.Reader
	rest string
}

// startQuestion sends the first half of a question, after the service has said that it will read
// it.
func startQuestion(t *testing.T, s *service, id string) *halfQuestion {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	body := question(mateIn3)
	fmt.Fprintf(conn, "POST /v1/solve HTTP/1.1\r\nHost: tsumero\r\nContent-Type: %s\r\nContent-Length: %d\r\n"+
		"X-Request-Id: %s\r\nExpect: 100-continue\r\n\r\n", jsonType, len(body), id)
	in := bufio.NewReader(conn)
	line, err := in.ReadString('\n')
	if err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err = in.ReadString('\n'); err != nil || line != "\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	half := len(body) / 2
	if _, err := io.WriteString(conn, body[:half]); err != nil {
		t.Fatal(err)
	}
	return &halfQuestion{id, conn, in, body[half:]}
}

// finish sends the other half and reads the answer, after which the service must close the
// connection.
func (q *halfQuestion) finish() error {
	if _, err := io.WriteString(q.conn, q.rest); err != nil {
		return err
	}
	resp, err := http.ReadResponse(q.in, nil)
	if err != nil {
		return err
	}
	if err := checkAnswer(resp); err != nil {
		return err
	}
	if _, err := q.in.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("the connection is still open: %v", err)
	}
	return nil
}

// TestTerminateDuringBodies: clients that never finish what they send hold the end up for seconds,
// not for the whole grace, and learn why nobody answers them.
func TestTerminateDuringBodies(t *testing.T) {
	long(t)
	s := startService(t, "--grace", "2m", "--connections", "read=10m")
	half := startQuestion(t, s, "never-finished")
	// A body that no handler reads.
	unread, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer unread.Close()
	fmt.Fprintf(unread, "POST /nowhere HTTP/1.1\r\nHost: tsumero\r\nContent-Length: 100\r\n\r\n")
	waitFor(t, "the request to be in the log", func() bool {
		return strings.Contains(s.log.whole(), `"status":404`)
	})
	s.terminate(t)
	began := time.Now()
	for in, want := range map[*bufio.Reader]int{
		half.in:                 http.StatusRequestTimeout,
		bufio.NewReader(unread): http.StatusNotFound,
	} {
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Errorf("instead of %d: %v", want, err)
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != want || !resp.Close {
			t.Errorf("%s, to be closed: %t; want %d", resp.Status, resp.Close, want)
		}
	}
	<-s.ended
	if took := time.Since(began); took >= 2*time.Minute {
		t.Errorf("it took %v", took)
	}
	s.stop(t) // checks the exit code
}

// TestTerminateDelay: while the balancer may not have noticed, new connections are served, and
// terminated to be the last.
func TestTerminateDelay(t *testing.T) {
	long(t)
	s := startService(t, "--drain-delay", "10s")
	resp := s.send(t, "GET", link(mateIn1), "")
	if resp.Close {
		t.Error("the connection is closed before the end")
	}
	s.terminate(t)
	waitFor(t, "/readyz to say no", func() bool {
		r := s.send(t, "GET", s.admin+"/readyz", "")
		return r.StatusCode == http.StatusServiceUnavailable
	})
	for range 20 {
		if r := s.send(t, "GET", link(mateIn1), ""); r.StatusCode != http.StatusOK || !r.Close {
			t.Fatalf("%s, to be closed: %t", r.Status, r.Close)
		}
	}
	<-s.ended
	s.stop(t)
}

// TestInterruptSkipsDelay: whoever sits before the terminal has no balancer to wait for.
func TestInterruptSkipsDelay(t *testing.T) {
	long(t)
	s := startService(t, "--drain-delay", "1h")
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the end", func() bool {
		select {
		case <-s.ended:
			return true
		default:
			return false
		}
	})
	s.stop(t)
}

// TestTerminateOutOfGrace: what takes longer than the grace says itself that it is cut short.
func TestTerminateOutOfGrace(t *testing.T) {
	long(t)
	s := startService(t, "--grace", "1s", "--max-time", "10m", "--memory", "128MiB",
		"--long", "slots=2")
	long := fmt.Sprintf(`{"sfen":%q,"limits":{"time_ms":600000}}`, endless)
	var bodies [2]string
	var streams sync.WaitGroup
	for i, headers := range [][]string{
		{"/v1/solve/events", "Content-Type", jsonType},
		{"/v1/solve/batch", "Content-Type", ndjsonType},
	} {
		lines, feed := io.Pipe()
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+headers[0], lines)
		if err != nil {
			t.Fatal(err)
		}
		for j := 1; j < len(headers); j += 2 {
			req.Header.Set(headers[j], headers[j+1])
		}
		go func() {
			io.WriteString(feed, long+"\n")
			if i == 0 {
				feed.Close() // the batch has no end
			}
		}()
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		streams.Go(func() {
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Errorf("stream %d: %v", i, err)
			}
			bodies[i] = string(body)
		})
	}
	s.terminate(t)
	streams.Wait()
	<-s.ended
	s.stop(t)
	for _, part := range []string{"event: answer\n", `"reason":"cancelled"`} {
		if !strings.Contains(bodies[0], part) {
			t.Errorf("the stream of events has no %q:\n%s", part, bodies[0])
		}
	}
	lines := strings.Split(strings.TrimSpace(bodies[1]), "\n")
	last := decode[problem](t, lines[len(lines)-1])
	if len(lines) != 2 || last.Status != http.StatusServiceUnavailable {
		t.Errorf("the batch is\n%s", bodies[1])
	}
}

// TestTerminateTwice: who asks a second time does not want to wait.
func TestTerminateTwice(t *testing.T) {
	long(t)
	s := startService(t, "--grace", "1h")
	startQuestion(t, s, "never-finished")
	s.terminate(t)
	waitFor(t, "the listener to close", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	// Again until it works: the signal has its usual effect back only some instants after the first
	// one.
	s.killed = true
	waitFor(t, "another SIGTERM to end the service", func() bool {
		_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may be gone
		select {
		case <-s.ended:
			return true
		default:
			return false
		}
	})
	if status := s.cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("the service did not die of SIGTERM: %v", s.cmd.ProcessState)
	}
}
