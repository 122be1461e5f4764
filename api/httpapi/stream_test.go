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
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// An event is one of a stream, with what all of its kinds have.
type event struct {
	name string
	data []byte
	wire.ProgressEvent
}

// events reads the events of a stream to its end.
func events(t *testing.T, stream string) (all []event) {
	t.Helper()
	blocks := strings.Split(stream, "\n\n")
	if blocks[len(blocks)-1] != "" {
		t.Errorf("the stream ends in the middle of an event: %q", blocks[len(blocks)-1])
	}
	for _, block := range blocks[:len(blocks)-1] {
		first, second, _ := strings.Cut(block, "\n")
		name, isEvent := strings.CutPrefix(first, "event: ")
		data, hasData := strings.CutPrefix(second, "data: ")
		if !isEvent || !hasData || strings.Contains(data, "\n") {
			t.Fatalf("%q is no event", block)
		}
		e := event{name: name, data: []byte(data)}
		e.ProgressEvent = parse[wire.ProgressEvent](t, e.data)
		all = append(all, e)
	}
	return all
}

// phases is the course of a stream in a few words.
func phases(all []event) (course []string) {
	for _, e := range all {
		switch e.name {
		case "progress":
			course = append(course, fmt.Sprintf("%s@%d", e.Phase, e.ElapsedMS))
		default:
			course = append(course, e.name)
		}
	}
	return course
}

func askEvents(ctx context.Context, s *Server, sfen string) *httptest.ResponseRecorder {
	return doContext(ctx, s, "POST", "/v1/solve/events", question1(sfen), "Content-Type", jsonType)
}

func backgroundEvents(ctx context.Context, s *Server, sfen string) <-chan *httptest.ResponseRecorder {
	answer := make(chan *httptest.ResponseRecorder, 1)
	go func() { answer <- askEvents(ctx, s, sfen) }()
	return answer
}

func wantCourse(t *testing.T, w *httptest.ResponseRecorder, want ...string) []event {
	t.Helper()
	h := w.Header()
	if w.Code != http.StatusOK || h.Get("Content-Type") != eventStreamType || h.Get("Cache-Control") != "no-store" || h.Get("X-Accel-Buffering") != "no" {
		t.Errorf("status %d, %v", w.Code, h)
	}
	all := events(t, w.Body.String())
	if got := phases(all); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("events %v, want %v", got, want)
	}
	return all
}

// TestEvents: how a search goes at a steady rhythm, also for who joins later, and at last what a
// plain question gets.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: aSecond(), CacheBytes: -1})
		first := backgroundEvents(t.Context(), s, mateIn5)
		time.Sleep(500 * time.Millisecond)
		second := backgroundEvents(t.Context(), s, mateIn5)
		plain := background(t.Context(), s, question1(mateIn5))
		all := wantCourse(t, <-first, "searching@200", "searching@450", "shortening@700", "shortening@950", "answer")
		joined := wantCourse(t, <-second, "shortening@200", "shortening@450", "answer")
		want := (<-plain).Body.String()
		for _, events := range [][]event{all, joined} {
			if got := string(events[len(events)-1].data) + "\n"; got != want {
				t.Errorf("the last event is\n%s\nthe plain answer\n%s", got, want)
			}
		}
		if e := all[0]; e.Nodes != 194_000 || e.NodesPerSecond != 1_000_000 || e.PN != 36 || e.DN != 11 || fmt.Sprint(e.Moves) != "[4e4c+]" || e.Mate != 0 || e.TableFill != 0.01 {
			t.Errorf("the first event is %s", all[0].data)
		}
		if e := all[2]; e.Mate != 5 || len(e.Moves) != 5 {
			t.Errorf("the third event is %s", e.data)
		}
		if n := metric(t, s, "tsumero_cache_requests_total", "result", "joined"); n != 2 {
			t.Errorf("%v joined, want 2", n)
		}
		if n := metric(t, s, "tsumero_solves_total", "verdict", "mate"); n != 3 {
			t.Errorf("%v answers counted, want 3", n)
		}
	})
}

// TestEventsWhileWaiting: who waits for a place is told so.
func TestEventsWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, release := twoPools(t, Config{LongSearches: 1, LongQueue: 1, LongWait: 600 * time.Millisecond, DefaultTime: 10 * time.Second})
		running := background(t.Context(), s, question1(mateIn3))
		synctest.Wait()
		waiting := backgroundEvents(t.Context(), s, mateIn5)
		synctest.Wait()
		full := events(t, askEvents(t.Context(), s, neverMate).Body.String())
		if len(full) != 1 || full[0].name != "problem" || parse[wire.Problem](t, full[0].data).Type != wire.Overloaded.TypeURI() {
			t.Errorf("without room to wait: %v", phases(full))
		}
		time.Sleep(300 * time.Millisecond)
		release <- solver.Result{Verdict: solver.NoMate}
		wantVerdict(t, <-running, "nomate", "")
		again := backgroundEvents(t.Context(), s, mateIn3+"0") // equal but for the move number, so that it is in the cache
		wantCourse(t, <-again, "answer")
		time.Sleep(200 * time.Millisecond)
		release <- solver.Result{Verdict: solver.NoMate}
		wantCourse(t, <-waiting, "waiting@200", "searching@450", "answer")

		running = background(t.Context(), s, question1(neverMate))
		synctest.Wait()
		all := wantCourse(t, askEvents(t.Context(), s, mateIn1[:len(mateIn1)-1]+"1 moves G*5b"), "waiting@200", "waiting@450", "problem")
		if p := parse[wire.Problem](t, all[2].data); p.Type != wire.Overloaded.TypeURI() || p.RequestID == "" {
			t.Errorf("after the wait: %s", all[2].data)
		}
		release <- solver.Result{Verdict: solver.NoMate}
		<-running
	})
}

// TestEventsOfWhatIsNoAnswer: faults are problems as ever, with their status; what goes wrong later
// is an event.
func TestEventsOfWhatIsNoAnswer(t *testing.T) {
	s := newServer(t, Config{Solver: solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result { panic("as asked") })})
	wantProblem(t, askEvents(t.Context(), s, "4k4"), wire.InvalidQuestion)
	wantProblem(t, do(s, "POST", "/v1/solve/events", "{"), wire.BadJSON)
	all := wantCourse(t, askEvents(t.Context(), s, mateIn1), "problem")
	if p := parse[wire.Problem](t, all[0].data); p.Type != wire.InternalError.TypeURI() || p.RequestID == "" {
		t.Errorf("%s", all[0].data)
	}
	if n := metric(t, s, "tsumero_panics_total"); n != 1 {
		t.Errorf("%v panics counted", n)
	}
}

// TestAccept: the path alone says in which form an answer comes, whatever a client prefers.
func TestAccept(t *testing.T) {
	s := newServer(t, Config{})
	for _, accept := range []string{
		eventStreamType, "application/x-kif", "application/json;q=0.5, text/event-stream", "application/xml", "?",
	} {
		for path, want := range map[string]string{
			"/v1/solve": jsonType, "/v1/solve/events": eventStreamType,
			"/v1/solve/record/csa": "application/x-csa; charset=utf-8", "/v1/solve/record/jkf": "application/x-jkf+json",
		} {
			w := do(s, "POST", path, question1(mateIn1), "Accept", accept)
			if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || got != want {
				t.Errorf("%s, Accept: %s: %d %s, want %s", path, accept, w.Code, got, want)
			}
		}
	}
}

// openEvents asks for events over conn and reads the header of the answer.
func openEvents(t *testing.T, conn net.Conn, sfen string) *http.Response {
	t.Helper()
	body := question1(sfen)
	if _, err := fmt.Fprintf(conn, "POST /v1/solve/events HTTP/1.1\r\nHost: tsumero.example\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: "POST"})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// TestEventsToVanishingClient: its search is stopped, unless others wait for it.
func TestEventsToVanishingClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, asked, release := blocked()
		s := newServer(t, Config{Solver: block, MaxTime: time.Hour, DefaultTime: time.Hour})
		dial, end := serveOn(t, s)
		conn := dial()
		openEvents(t, conn, mateIn5)
		other := background(t.Context(), s, question1(mateIn5))
		synctest.Wait()
		conn.Close()
		synctest.Wait()
		if n := metric(t, s, "tsumero_searches_in_flight"); n != 1 {
			t.Fatalf("%v searches while somebody waits", n)
		}
		release <- solver.Result{Verdict: solver.NoMate}
		wantVerdict(t, <-other, "nomate", "")

		conn = dial()
		openEvents(t, conn, mateIn3)
		synctest.Wait()
		conn.Close()
		synctest.Wait()
		if n := metric(t, s, "tsumero_searches_in_flight"); n != 0 || len(asked) != 2 {
			t.Errorf("%v searches of a client that is gone, %d in all", n, len(asked))
		}
		if n := metric(t, s, "tsumero_http_requests_total", "code", "499"); n != 2 {
			t.Errorf("%v clients gone, want 2", n)
		}
		end()
	})
}

// TestEventsToSlowClient: what it does not take in time it never gets, except the last. One that
// takes nothing at all is let go, and its search with it.
func TestEventsToSlowClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, asked, release := blocked()
		var log bytes.Buffer
		s := newServer(t, Config{Solver: block, MaxTime: time.Hour, DefaultTime: time.Hour, WriteTimeout: 10 * time.Second,
			Logger: slog.New(slog.NewJSONHandler(&log, nil))})
		dial, end := serveOn(t, s)
		resp := openEvents(t, dial(), mateIn5)
		time.Sleep(9 * time.Second) // 36 events, of which net/http and bufio hold some
		go func() { release <- solver.Result{Verdict: solver.NoMate} }()
		synctest.Wait()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		all := events(t, string(text))
		if n := len(all); n < 2 || n > 10 || all[n-1].name != "answer" {
			t.Errorf("%d events for a client that slept: %v", n, phases(all))
		}

		conn := dial()
		openEvents(t, conn, mateIn3)
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := metric(t, s, "tsumero_searches_in_flight"); n != 0 || len(asked) != 2 {
			t.Errorf("%v searches for a client that takes nothing, %d in all", n, len(asked))
		}
		end()
		if !strings.Contains(log.String(), `"ending":"the client did not read what it was sent in time"`) {
			t.Errorf("the log says %s", &log)
		}
	})
}

// A writerFunc is a client that does something with each write.
type writerFunc struct {
	http.ResponseWriter
	write func(p []byte) (int, error)
}

func (w writerFunc) Write(p []byte) (int, error) { return w.write(p) }
func (w writerFunc) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// TestEventsToUnreachableClient: a write that fails ends the search, however the server under it
// takes it. A client that goes as soon as it has the last event has got its answer.
func TestEventsToUnreachableClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, _, _ := blocked()
		ctx, leave := context.WithCancel(t.Context())
		for i, c := range []struct {
			with     solver.Solver
			write    func(p []byte) (int, error)
			answered float64
		}{
			{block, func([]byte) (int, error) { return 0, io.ErrClosedPipe }, 0},
			{aSecond(), func(p []byte) (int, error) {
				if bytes.HasPrefix(p, []byte("event: answer")) {
					leave()
				}
				return len(p), nil
			}, 1},
		} {
			s := newServer(t, Config{Solver: c.with, MaxTime: time.Hour, DefaultTime: time.Hour})
			r := httptest.NewRequestWithContext(ctx, "POST", "/v1/solve/events", strings.NewReader(question1(mateIn5)))
			began := time.Now()
			s.Handler().ServeHTTP(writerFunc{httptest.NewRecorder(), c.write}, r)
			if took := time.Since(began); took > time.Second {
				t.Errorf("client %d: it took %v", i, took)
			}
			if n := metric(t, s, "tsumero_http_requests_total", "code", "200"); n != c.answered {
				t.Errorf("client %d: %v requests answered, want %v", i, n, c.answered)
			}
		}
	})
}

// TestEventsOutliveTheWriteTimeout: the time to write is that of one event.
func TestEventsOutliveTheWriteTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, _, _ := blocked()
		s := newServer(t, Config{Solver: block, MaxTime: 5 * time.Minute, DefaultTime: 5 * time.Minute, LongWait: time.Second,
			BodyTimeout: time.Second, WriteTimeout: time.Second, QueueWait: time.Second})
		dial, end := serveOn(t, s)
		conn := dial()
		began := time.Now()
		text, err := io.ReadAll(openEvents(t, conn, mateIn5).Body)
		if err != nil {
			t.Fatal(err)
		}
		all := events(t, string(text))
		if last := all[len(all)-1]; last.name != "answer" || !strings.Contains(string(last.data), `"reason":"limit_time"`) || len(all) != 1201 {
			t.Errorf("%d events, the last %s", len(all), last.data)
		}
		if took := time.Since(began); took != 5*time.Minute {
			t.Errorf("it took %v", took)
		}
		// The connection is good for another question.
		if text, err = io.ReadAll(openEvents(t, conn, "4k4").Body); err != nil || !strings.Contains(string(text), wire.InvalidQuestion.TypeURI()) {
			t.Errorf("after it: %s, %v", text, err)
		}
		end()
	})
}

// TestShutdownWithEvents: a stream that is open when the service ends is finished, with what is
// known then.
func TestShutdownWithEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, _, _ := blocked()
		s := newServer(t, Config{Solver: block, Grace: 20 * time.Second, MaxTime: time.Hour, DefaultTime: time.Hour})
		dial, end := serveOn(t, s)
		resp := openEvents(t, dial(), mateIn5)
		began := time.Now()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			end()
		}()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		all := events(t, string(text))
		if last := all[len(all)-1]; last.name != "answer" || !strings.Contains(string(last.data), `"reason":"cancelled"`) || len(all) < 80 {
			t.Errorf("%d events, the last %s", len(all), last.data)
		}
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("it took %v", took)
		}
		<-ended
		if n := metric(t, s, "tsumero_http_requests_total", "code", "200"); n != 1 {
			t.Errorf("%v requests answered with 200", n)
		}
	})
}
