package work_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/ncruces/go-sqlite3/driver"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/jobs/work"
	"github.com/tsumero/tsumero/api/wire"
)

// reply is the answer to a line: its own number.
func reply(l jobs.Line) answer.Line {
	return answer.Line{Envelope: wire.Envelope{Answer: fmt.Appendf(nil, `"n":%d`, l.Number)}, Verdict: "mate", Nodes: 1}
}

func answerAll(_ context.Context, _ *jobs.Job, l jobs.Line, _ func([]byte)) answer.Line {
	return reply(l)
}

// wanted is the answer to line n in the results.
func wanted(n int) string { return fmt.Sprintf(`{"line":%d,"n":%d}`+"\n", n, n) }

// An env is a queue in a directory, and who works on it.
type env struct {
	*queue.Queue
	t    *testing.T
	dir  string
	run  func() // begins to work
	stop func() // ends that, and closes the queue
}

// open opens a queue in a directory for a worker that does not work yet.
func open(t *testing.T, dir string, o work.WorkerOptions) *env {
	t.Helper()
	if o.Answer == nil {
		o.Answer = answerAll
	}
	o.Name = "w"
	o.Version = "v1"
	o.Logger = slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	w, err := work.NewWorker(o)
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.New(queue.Options{Address: dir, Work: w.Work(), Logger: o.Logger})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	e := &env{Queue: q, t: t, dir: dir, run: func() { running.Go(func() { _ = q.Run(ctx) }) },
		stop: sync.OnceFunc(func() {
			cancel()
			running.Wait()
			if err := q.Close(); err != nil {
				t.Error(err)
			}
		})}
	t.Cleanup(func() { e.stop() })
	return e
}

// start opens a queue, and works on it.
func start(t *testing.T, dir string, o work.WorkerOptions) *env {
	t.Helper()
	e := open(t, dir, o)
	e.run()
	return e
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", bytes.TrimSpace(p))
	return len(p), nil
}

// submit submits n lines.
func (e *env) submit(n int, change ...func(*queue.Submission)) *queue.View {
	e.t.Helper()
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, "line %d\n", i+1)
	}
	s := &queue.Submission{Client: "c", Class: queue.Keyed, Kind: jobs.Collection, Ask: jobs.AskSolve,
		Lines: strings.NewReader(lines.String()), Longest: 100}
	for _, f := range change {
		f(s)
	}
	v, _, err := e.Submit(e.t.Context(), s)
	if err != nil {
		e.t.Fatal(err)
	}
	return v
}

// wait waits until the job has ended.
func (e *env) wait(id jobs.ID) *queue.View {
	e.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		v, err := e.Wait(e.t.Context(), id, 0, time.Second)
		if err != nil {
			e.t.Fatal(err)
		}
		if v.State.Ended() {
			return v
		}
	}
	v, _ := e.Job(e.t.Context(), id)
	text, _ := json.Marshal(v)
	e.t.Fatalf("the job does not end: %s", text)
	return nil
}

// check checks that a job is done with the answers to n lines.
func (e *env) check(id jobs.ID, n int) {
	e.t.Helper()
	v := e.wait(id)
	if v.State != jobs.Done || v.DoneLines != n || v.Counts.Mate != n || v.Started.IsZero() || v.Finished.IsZero() {
		e.t.Fatalf("%+v", v)
	}
	next := 1
	end, err := e.Results(e.t.Context(), id, queue.ResultsQuery{}, func(line []byte) error {
		if string(line) != wanted(next) {
			e.t.Fatalf("line %d is %s", next, line)
		}
		next++
		return nil
	})
	if err != nil || next != n+1 || end.Next != n+1 || end.State != jobs.Done {
		e.t.Fatalf("%d lines, %+v, %v", next-1, end, err)
	}
}

// All lines of a job are answered, once, in their order, also in several chunks and by several slots.
func TestAnswers(t *testing.T) {
	e := start(t, t.TempDir(), work.WorkerOptions{Slots: 2})
	for _, n := range []int{1, 2, 1024, 1025, 5000} {
		e.check(e.submit(n).ID, n)
	}
}

// hold returns an Answer that answers no line of a number before its context ends, and says when it
// has one.
func hold(line int) (answerer func(context.Context, *jobs.Job, jobs.Line, func([]byte)) answer.Line, held chan struct{}) {
	held = make(chan struct{}, 100)
	return func(ctx context.Context, _ *jobs.Job, l jobs.Line, _ func([]byte)) answer.Line {
		if l.Number != line {
			return reply(l)
		}
		held <- struct{}{}
		<-ctx.Done()
		return answer.Line{Ended: true}
	}, held
}

// A process that ends stores what it has, and the next one goes on behind that.
func TestDrain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "jobs")
	waiting, held := hold(4)
	e := start(t, dir, work.WorkerOptions{Answer: waiting})
	id := e.submit(10).ID
	<-held
	e.stop()
	var seen atomic.Int32
	e = start(t, dir, work.WorkerOptions{Answer: func(_ context.Context, _ *jobs.Job, l jobs.Line, _ func([]byte)) answer.Line {
		seen.Add(1)
		return reply(l)
	}})
	e.check(id, 10)
	if n := seen.Load(); n != 7 {
		t.Errorf("%d lines were answered after the start, want 7", n)
	}
}

// Answers are there while others of their chunk are looked for.
func TestParts(t *testing.T) {
	waiting, held := hold(7)
	e := start(t, t.TempDir(), work.WorkerOptions{Answer: waiting, PartBytes: 1})
	id := e.submit(10).ID
	<-held
	got := ""
	end, err := e.Results(t.Context(), id, queue.ResultsQuery{From: 3}, func(line []byte) error {
		got += string(line)
		return nil
	})
	if err != nil || got != wanted(3)+wanted(4)+wanted(5)+wanted(6) || end.Next != 7 || end.State == jobs.Done {
		t.Errorf("%q, %+v, %v", got, end, err)
	}
	// The progress is reported by a heartbeat.
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		v, err := e.Job(t.Context(), id)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("%+v, %v", v, err)
		}
		if v.State == jobs.Running && v.Progress != nil && v.Progress.Line == 7 && v.DoneLines == 6 {
			break
		}
	}
}

// A line that the solver panics at gets a problem, and so does an answer that cannot be stored; the
// others get their answers.
func TestFaultyAnswers(t *testing.T) {
	e := start(t, t.TempDir(), work.WorkerOptions{Answer: func(_ context.Context, _ *jobs.Job, l jobs.Line, _ func([]byte)) answer.Line {
		a := reply(l)
		switch l.Number {
		case 2:
			panic("bug")
		case 3:
			a.Answer = []byte("\"n\":\n3")
		case 4:
			a.Answer = nil
		case 5:
			a.Answer = []byte(`"n":"` + strings.Repeat("x", 4<<20) + `"`)
		}
		return a
	}})
	v := e.wait(e.submit(6).ID)
	if v.State != jobs.Done || v.Counts.Mate != 2 || v.Counts.Faulty != 4 {
		t.Fatalf("%+v", v)
	}
	n := 0
	if _, err := e.Results(t.Context(), v.ID, queue.ResultsQuery{}, func(line []byte) error {
		n++
		var a struct {
			Line  int
			Title string // of a problem
		}
		faulty := n > 1 && n < 6
		if err := json.Unmarshal(line, &a); err != nil || a.Line != n || (a.Title != "") != faulty {
			t.Errorf("%.200s: %v", line, err)
		}
		return nil
	}); err != nil || n != 6 {
		t.Error(n, err)
	}
}

// A chunk whose turn was begun often is answered line by line, and the line that ended three attempts
// gets a problem. Attempts at lines that wait for a long search do not count.
func TestPoison(t *testing.T) {
	for attempts, faulty := range map[int]int{2: 0, 3: 1} {
		var counted atomic.Int32
		e := open(t, t.TempDir(), work.WorkerOptions{Answer: func(ctx context.Context, _ *jobs.Job, l jobs.Line, report func([]byte)) answer.Line {
			counted.Add(1)
			return reply(l)
		}})
		id := e.submit(5).ID
		e.exec(`update river_job set attempt = 2`)
		e.exec(`update tsumero_chunk set line = 2, attempts = $1`, attempts)
		// Line 1 comes before it, and has its own count.
		e.exec(`update tsumero_chunk set answered = 1, parts = 1, mate = 1, nodes = 1`)
		e.exec(`insert into tsumero_answer(job, n, k, data) select job, n, 0, $1 from tsumero_chunk`, pack(t, wanted(1)))
		e.run()
		v := e.wait(id)
		if v.State != jobs.Done || v.Counts.Mate != 5-faulty || v.Counts.Faulty != faulty || int(counted.Load()) != 4-faulty {
			t.Errorf("after %d attempts: %+v, %d", attempts, v, counted.Load())
		}
	}
}

// A line that is too slow for its limit ends its attempt, and after some of them gets a problem.
func TestTooLong(t *testing.T) {
	waiting, _ := hold(2)
	e := open(t, t.TempDir(), work.WorkerOptions{Answer: waiting,
		Longest: func(_ *jobs.Job, l jobs.Line) time.Duration { return 10 * time.Millisecond }})
	id := e.submit(3).ID
	e.exec(`update river_job set attempt = 7`) // careful from the start
	e.run()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		v, err := e.Job(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if v.State.Ended() {
			if v.State != jobs.Done || v.Counts.Mate != 2 || v.Counts.Faulty != 1 {
				t.Errorf("%+v", v)
			}
			return
		}
		// The pauses between attempts are for services that are in trouble.
		e.exec(`update river_job set scheduled_at = datetime('now', 'subsec'), state = 'available' where state = 'retryable'`)
	}
	t.Error("the job does not end")
}

// A line that takes a long search leaves its slot, so that short ones of others are answered, and the
// rest of its chunk is answered behind it.
func TestShortBesideLong(t *testing.T) {
	release := make(chan struct{})
	var long atomic.Int32
	e := start(t, t.TempDir(), work.WorkerOptions{Slots: 1, Long: 2,
		Answer: func(ctx context.Context, j *jobs.Job, l jobs.Line, _ func([]byte)) answer.Line {
			if j.Client == "long" && l.Number == 2 {
				work.SearchBegins(ctx)
				if ctx.Err() != nil {
					return answer.Line{Ended: true}
				}
				long.Add(1)
				select {
				case <-release:
				case <-ctx.Done():
					return answer.Line{Ended: true}
				}
			}
			return reply(l)
		}})
	client := func(name string) func(*queue.Submission) { return func(s *queue.Submission) { s.Client = name } }
	first, second := e.submit(4, client("long")).ID, e.submit(4, client("long")).ID
	for long.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	e.check(e.submit(3000, client("short")).ID, 3000)
	close(release)
	e.check(first, 4)
	e.check(second, 4)
	if n := long.Load(); n != 2 {
		t.Errorf("%d long searches were begun, want 2", n)
	}
}

// A line that takes long leaves its slot, too, if it does not say that it searches: its answer is that
// of an equal question, which somebody else has asked.
func TestShortBesideJoined(t *testing.T) {
	var attempts atomic.Int32
	e := start(t, t.TempDir(), work.WorkerOptions{Slots: 1, Long: 2,
		Answer: func(ctx context.Context, j *jobs.Job, l jobs.Line, _ func([]byte)) answer.Line {
			if j.Client == "long" && l.Number == 2 && attempts.Add(1) == 1 {
				<-ctx.Done()
				return answer.Line{Ended: true}
			}
			return reply(l)
		}})
	client := func(name string) func(*queue.Submission) { return func(s *queue.Submission) { s.Client = name } }
	first := e.submit(4, client("long")).ID
	for attempts.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	e.check(e.submit(3000, client("short")).ID, 3000)
	e.check(first, 4)
	if n := attempts.Load(); n != 2 {
		t.Errorf("%d attempts at the line, want 2", n)
	}
}

// A problem that wants a large table has the worker for itself: it begins when others have ended, and
// while it waits for a long one short ones go on.
func TestBig(t *testing.T) {
	release := make(chan struct{})
	var mu sync.Mutex
	running := map[string]int{}
	enter := func(what string, by int) {
		mu.Lock()
		defer mu.Unlock()
		if running[what] += by; by > 0 && running["big"] > 0 && len(running) > 1 && running["short"]+running["long"] > 0 {
			t.Errorf("beside a big problem: %v", running)
		}
	}
	begun := make(chan string, 100)
	e := start(t, t.TempDir(), work.WorkerOptions{Slots: 2, Long: 2, Classes: []int{4},
		Answer: func(ctx context.Context, j *jobs.Job, l jobs.Line, _ func([]byte)) answer.Line {
			if j.Client == "long" {
				work.SearchBegins(ctx)
				if ctx.Err() != nil {
					return answer.Line{Ended: true}
				}
			}
			enter(j.Client, 1)
			defer enter(j.Client, -1)
			begun <- j.Client
			if j.Client == "long" {
				select {
				case <-release:
				case <-ctx.Done():
					return answer.Line{Ended: true}
				}
			}
			return reply(l)
		}})
	of := func(client string, memory int) func(*queue.Submission) {
		return func(s *queue.Submission) { s.Client, s.Memory = client, memory }
	}
	long := e.submit(1, of("long", 0)).ID
	if who := <-begun; who != "long" {
		t.Fatal(who)
	}
	big := e.submit(1, of("big", 4)).ID
	e.check(e.submit(50, of("short", 0)).ID, 50)
	for range 50 {
		if who := <-begun; who != "short" {
			t.Fatalf("%s begins while a long one searches", who)
		}
	}
	close(release)
	e.check(long, 1)
	e.check(big, 1)
}

// A job that is cancelled stops its search at once.
func TestCancel(t *testing.T) {
	waiting, held := hold(1)
	e := start(t, t.TempDir(), work.WorkerOptions{Answer: waiting})
	id := e.submit(1).ID
	<-held
	if err := e.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if v := e.wait(id); v.State != jobs.Cancelled {
		t.Errorf("%+v", v)
	}
}

// exec runs a statement on the database, as another process may.
func (e *env) exec(statement string, args ...any) {
	e.t.Helper()
	path := filepath.ToSlash(filepath.Join(e.dir, queue.DatabaseName))
	db, err := driver.Open((&url.URL{Scheme: "file", OmitHost: true, Path: path}).String() + "?_pragma=busy_timeout(10000)")
	if err != nil {
		e.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(e.t.Context(), strings.ReplaceAll(statement, "$", "?"), args...); err != nil {
		e.t.Fatal(err)
	}
}

// pack returns a text as it is stored.
func pack(t *testing.T, text string) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll([]byte(text), nil)
}

// A chunk of lines that are not as cheap as they should be does not keep others waiting to its end.
func TestShortSlice(t *testing.T) {
	begun, isDone := make(chan struct{}), atomic.Bool{}
	var after atomic.Int32 // lines of the chunk that were answered since somebody else came
	e := start(t, t.TempDir(), work.WorkerOptions{Slots: 1, Long: 1,
		Answer: func(ctx context.Context, j *jobs.Job, l jobs.Line, _ func([]byte)) answer.Line {
			switch {
			case j.Client == "stranger":
				isDone.Store(true)
			case l.Number == 1:
				close(begun)
			}
			if j.Client == "many" {
				time.Sleep(10 * time.Millisecond)
				if !isDone.Load() {
					after.Add(1)
				}
			}
			return reply(l)
		}})
	client := func(name string) func(*queue.Submission) { return func(s *queue.Submission) { s.Client = name } }
	many := e.submit(200, client("many")).ID
	<-begun
	e.check(e.submit(1, client("stranger")).ID, 1)
	if n := after.Load(); n > 100 {
		t.Errorf("somebody else waited for %d lines of 200", n)
	}
	e.check(many, 200)
}
