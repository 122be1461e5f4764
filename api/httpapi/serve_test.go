package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
)

// request sends a question over conn.
func request(t *testing.T, conn net.Conn, body string) {
	if _, err := fmt.Fprintf(conn, "POST /v1/solve HTTP/1.1\r\nHost: tsumero.example\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		t.Error(err)
	}
}

// TestShutdown goes through the end of a service: drain, no new connections, accepted questions
// finished.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, _, release := blocked()
		s := newServer(t, Config{Solver: block, DrainDelay: 5 * time.Second, Grace: 20 * time.Second, MaxTime: time.Hour, DefaultTime: time.Hour})
		l := &memoryListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx, l, nil) }()
		dial := func() net.Conn {
			client, server := net.Pipe()
			select {
			case l.conns <- server:
				return client
			case <-l.closed:
				return nil
			}
		}
		early := dial()
		go request(t, early, question1(mateIn1))
		synctest.Wait()
		stop()
		synctest.Wait()

		// Draining: not ready, but everything is answered.
		if w := do(s, "GET", "/readyz", ""); w.Code != http.StatusServiceUnavailable {
			t.Errorf("/readyz: %d", w.Code)
		}
		late := dial()
		if late == nil {
			t.Fatal("no connection while the load balancer may not have noticed")
		}
		go request(t, late, question1(mateIn3))
		time.Sleep(6 * time.Second)
		if dial() != nil {
			t.Error("a connection after the drain delay")
		}
		time.Sleep(10 * time.Second)
		go func() {
			release <- solver.Result{Verdict: solver.NoMate}
			release <- solver.Result{Verdict: solver.NoMate}
		}()
		for _, conn := range []net.Conn{early, late} {
			in := bufio.NewReader(conn)
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil || !strings.Contains(string(body), `"verdict":"nomate"`) {
				t.Errorf("%s, %v", body, err)
			}
			if _, err := in.ReadByte(); err != io.EOF {
				t.Errorf("the connection is left open: %v", err)
			}
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestShutdownOutOfPatience: after the grace period questions are answered with what is known, and
// batches say where they stopped. Nothing is cut.
func TestShutdownOutOfPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, _, _ := blocked()
		s := newServer(t, Config{Solver: block, LongSearches: 4, Grace: 20 * time.Second, MaxTime: time.Hour, DefaultTime: time.Hour, BodyTimeout: time.Hour})
		l := &memoryListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx, l, nil) }()
		dial := func() net.Conn {
			client, server := net.Pipe()
			l.conns <- server
			return client
		}
		single := dial()
		go request(t, single, question1(mateIn1))
		batch := openBatch(t, dial())
		if err := batch.send(question1(mateIn3) + "\n" + question1(neverMate) + "\n"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		stop()
		began := time.Now()

		resp, err := http.ReadResponse(bufio.NewReader(single), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), `"reason":"cancelled"`) {
			t.Errorf("%s %s, %v", resp.Status, body, err)
		}
		text, err := io.ReadAll(batch.resp.Body)
		if err != nil {
			t.Error(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if len(lines) != 3 || strings.Count(string(text), `"reason":"cancelled"`) != 2 {
			t.Fatalf("%s", text)
		}
		if p := parse[wire.Problem](t, []byte(lines[2])); p.Type != wire.ShuttingDown.TypeURI() || !strings.Contains(p.Detail, "No line after number 2 was read") {
			t.Errorf("last line %s", lines[2])
		}
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("it took %v", took)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestShutdownUnreadAnswer: a client that does not take its answer can neither keep the service
// from ending nor make that a failure.
func TestShutdownUnreadAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Grace: 20 * time.Second, WriteTimeout: time.Hour})
		dial, end := serveOn(t, s)
		request(t, dial(), question1(mateIn1))
		synctest.Wait()
		began := time.Now()
		end() // checks the error
		if took := time.Since(began); took < 20*time.Second || took > 20*time.Second+cancelTimeout {
			t.Errorf("it took %v", took)
		}
	})
}

// TestShutdownCutsAtLast: nor can a search that does not heed its cancelling, but that is a
// failure.
func TestShutdownCutsAtLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		s := newServer(t, Config{Solver: stuck(release), Grace: 20 * time.Second})
		l := &memoryListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx, l, nil) }()
		client, server := net.Pipe()
		defer client.Close()
		l.conns <- server
		request(t, client, question1(mateIn1))
		synctest.Wait()
		stop()
		began := time.Now()
		if err := <-done; err == nil || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("error %v", err)
		}
		if took := time.Since(began); took != 20*time.Second+cancelTimeout {
			t.Errorf("it took %v", took)
		}
	})
}

// TestShutdownUnsentBody: a body that does not come holds the end up for a quarter of the grace,
// whoever waits for it; one that comes in that time is taken.
func TestShutdownUnsentBody(t *testing.T) {
	const half = "Host: tsumero.example\r\nContent-Length: 100\r\n\r\n{"
	const whole = "POST /v1/solve HTTP/1.1\r\nHost: tsumero.example\r\nContent-Length: %d\r\n\r\n"
	for header, want := range map[string]int{
		"POST /v1/solve HTTP/1.1\r\n" + half: http.StatusRequestTimeout,
		"POST /v1/moves HTTP/1.1\r\n" + half: http.StatusRequestTimeout,
		"POST /nowhere HTTP/1.1\r\n" + half:  http.StatusNotFound,
		"GET /livez HTTP/1.1\r\n" + half:     http.StatusOK,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, Config{Grace: 20 * time.Second, BodyTimeout: time.Hour})
			dial, end := serveOn(t, s)
			conn, late := dial(), dial()
			fmt.Fprint(conn, header)
			body := question1(mateIn1)
			fmt.Fprintf(late, whole, len(body))
			synctest.Wait()
			began := time.Now()
			ended := make(chan time.Duration)
			go func() {
				end()
				ended <- time.Since(began)
			}()
			time.Sleep(4 * time.Second)
			io.WriteString(late, body)
			for conn, want := range map[net.Conn]int{conn: want, late: http.StatusOK} {
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatalf("%s: %v", header, err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != want {
					t.Errorf("%s: %s, %v", header, resp.Status, err)
				}
				if want == http.StatusRequestTimeout && !resp.Close {
					t.Errorf("%s: the connection is left open", header)
				}
			}
			if took := <-ended; took < 4*time.Second || took > 7*time.Second {
				t.Errorf("%s: it took %v", header, took)
			}
		})
	}
}

// TestShutdownSkipsDelay: who asks for the end at once gets it.
func TestShutdownSkipsDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{DrainDelay: time.Hour})
		l := &memoryListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		ctx, stop := context.WithCancelCause(t.Context())
		stop(ErrSkipDelay)
		began := time.Now()
		if err := s.Serve(ctx, l, nil); err != nil || time.Since(began) > 0 {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

// TestShutdownUnderLoad ends a service on real sockets in the middle of its work: what a client
// sent and the service took is answered to the end.
func TestShutdownUnderLoad(t *testing.T) {
	s := newServer(t, Config{CacheBytes: -1, MaxQueue: 10_000, QueueWait: time.Minute})
	api, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	admin, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, api, admin) }()
	url := "http://" + api.Addr().String()

	batchBody, lines := io.Pipe()
	go fmt.Fprintf(lines, `{"id":0,"sfen":%q}`+"\n", mateIn1)
	batch, err := http.Post(url+"/v1/solve/batch", ndjsonType, batchBody)
	if err != nil {
		t.Fatal(err)
	}
	defer batch.Body.Close()
	answers := bufio.NewScanner(batch.Body)
	if !answers.Scan() {
		t.Fatal(answers.Err())
	}

	var complete atomic.Int64
	var load sync.WaitGroup
	enough := make(chan struct{})
	for range 8 {
		load.Go(func() {
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			for {
				req, err := http.NewRequest("POST", url+"/v1/solve", strings.NewReader(question1(mateIn3)))
				if err != nil {
					panic(err)
				}
				req.GetBody = nil // no second try in secret
				resp, err := transport.RoundTrip(req)
				if err != nil {
					return // refused; what was taken and lost would be missing below
				}
				body, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), `"plies":3`) {
					t.Errorf("%s %s, %v", resp.Status, body, err)
				}
				if complete.Add(1) == 200 {
					close(enough)
				}
			}
		})
	}
	<-enough
	stop()
	load.Wait()
	const rest = 100
	go func() {
		for i := range rest {
			fmt.Fprintf(lines, `{"id":%d,"sfen":%q}`+"\n", i+1, mateIn1)
		}
		lines.Close()
	}()
	for i := range rest {
		if !answers.Scan() || !strings.HasPrefix(answers.Text(), fmt.Sprintf(`{"id":%d,`, i+1)) {
			t.Fatalf("answer %d of the batch: %q, %v", i+1, answers.Text(), answers.Err())
		}
	}
	if answers.Scan() || answers.Err() != nil {
		t.Errorf("after the batch: %q, %v", answers.Text(), answers.Err())
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if counted := metric(t, s, "tsumero_http_requests_total", "route", "/v1/solve"); counted != float64(complete.Load()) {
		t.Errorf("%v requests were answered, %d answers arrived", counted, complete.Load())
	}
}

// TestServeWithoutListener: a listener that fails ends the service, and says so.
func TestServeWithoutListener(t *testing.T) {
	s := newServer(t, Config{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := s.Serve(t.Context(), l, nil); err == nil {
		t.Error("no error")
	}
}

// TestLongSearchOutlivesTheBodyTimeout: the time to send a body is no limit on the search that
// follows.
func TestLongSearchOutlivesTheBodyTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, _, _ := blocked()
		s := newServer(t, Config{Solver: block, BodyTimeout: time.Second, DefaultTime: 9 * time.Second})
		dial, end := serveOn(t, s)
		conn := dial()
		go request(t, conn, question1(mateIn1))
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || !strings.Contains(string(body), `"reason":"limit_time"`) {
			t.Errorf("%s, %v", body, err)
		}
		end()
	})
}

// TestLongWaitOutlivesTheWriteTimeout: nor is the time to take an answer one on waiting and
// searching before it.
func TestLongWaitOutlivesTheWriteTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, _, _ := blocked()
		s := newServer(t, Config{Solver: block, LongSearches: 1, BodyTimeout: time.Second, WriteTimeout: time.Second,
			QueueWait: time.Second, LongWait: time.Minute, MaxTime: time.Minute, DefaultTime: 59 * time.Second})
		dial, end := serveOn(t, s)
		first, second := dial(), dial()
		go request(t, first, question1(mateIn1))
		synctest.Wait()
		go request(t, second, question1(mateIn3))
		for _, conn := range []net.Conn{first, second} {
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil || !strings.Contains(string(body), `"reason":"limit_time"`) {
				t.Errorf("%s, %v", body, err)
			}
		}
		end()
	})
}

// TestUnsentBody: no answer may wait for a body that nobody wants.
func TestUnsentBody(t *testing.T) {
	for target, want := range map[string]int{
		"POST /v1/solve": 408, "POST /nowhere": 404, "PUT /v1/solve": 405, "POST /v1/solve/batch": 200, "GET /livez": 200,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, Config{BodyTimeout: 3 * time.Second})
			dial, end := serveOn(t, s)
			conn := dial()
			began := time.Now()
			fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: tsumero.example\r\nContent-Length: 100\r\n\r\n", target)
			in := bufio.NewReader(conn)
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != want {
				t.Errorf("%s: %s, %v; want %d", target, resp.Status, err, want)
			}
			if _, err := in.ReadByte(); err != io.EOF || time.Since(began) > 4*time.Second {
				t.Errorf("%s: after %v: %v", target, time.Since(began), err)
			}
			end()
		})
	}
}
