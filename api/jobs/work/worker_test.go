package work_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/internal/storetest"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/work"
	"github.com/tsumero/tsumero/api/wire"
)

// reply is what the tests' Answer says of a line.
func reply(l jobs.Line) answer.Line {
	return answer.Line{Envelope: wire.Envelope{Line: l.Number, Answer: fmt.Appendf(nil, `"text":%q`, l.Text)},
		Verdict: []string{"mate", "nomate", "unknown", ""}[l.Number%4], Nodes: uint64(l.Number)}
}

// want is the text of the results of lines 1 to n, which are "line 1" and so on.
func want(n int) string {
	var b strings.Builder
	for i := range n {
		r := reply(line(i + 1))
		b.Write(r.AppendLine(nil))
	}
	return b.String()
}

func line(n int) jobs.Line { return jobs.Line{Number: n, Text: fmt.Appendf(nil, "line %d", n)} }

// An env is a store with a job of one chunk.
type env struct {
	*testing.T
	ctx   context.Context
	store jobs.Store
	id    jobs.ID
	item  jobs.Item
	took  *counter
}

// setUp puts a job of a chunk of n lines into a new store, unless n is 0, and dispatches its item.
func setUp(t *testing.T, n int) *env {
	t.Helper()
	e := &env{T: t, ctx: t.Context(), store: storetest.NewMemory(storetest.MemoryOptions{}), id: jobs.NewID(), took: &counter{}}
	t.Cleanup(func() { _ = e.store.Close() })
	if n == 0 {
		return e
	}
	var c jobs.Chunk
	for i := range n {
		c = append(c, line(i+1))
	}
	_, err := e.store.Create(e.ctx, &jobs.Job{V: jobs.V, ID: e.id, State: jobs.Running})
	err = errors.Join(err, e.store.PutInput(e.ctx, e.id, 0, c.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	e.item = jobs.Item{V: jobs.V, Job: e.id, Ask: jobs.AskSolve}
	e.dispatch(e.item)
	return e
}

// put dispatches an item of a new job of a client, whose lines have these texts.
func (e *env) put(it jobs.Item, client string, texts ...string) jobs.ID {
	e.Helper()
	it.V, it.Job = jobs.V, jobs.NewID()
	var chunk jobs.Chunk
	for i, text := range texts {
		chunk = append(chunk, jobs.Line{Number: i + 1, Text: []byte(text)})
	}
	_, err := e.store.Create(e.ctx, &jobs.Job{V: jobs.V, ID: it.Job, State: jobs.Running, Client: client})
	if err = errors.Join(err, e.store.PutInput(e.ctx, it.Job, 0, chunk.Encode())); err != nil {
		e.Fatal(err)
	}
	e.dispatch(it)
	return it.Job
}

// wait returns after how long a job is done, or half an hour.
func (e *env) wait(id jobs.ID) time.Duration {
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		took := time.Since(began)
		if _, err := e.store.Result(e.ctx, id, 0); err == nil || took >= 30*time.Minute {
			return took
		}
	}
}

// attempts returns how many attempts at the chunk of a job are counted.
func (e *env) attempts(id jobs.ID) int {
	e.Helper()
	n, err := e.store.AddAttempt(e.ctx, id, 0, 0)
	if err = errors.Join(err, e.store.UndoAttempt(e.ctx, id, 0, 0, n)); err != nil {
		e.Error(err)
	}
	return n - 1
}

func (e *env) dispatch(it jobs.Item) {
	e.Helper()
	if err := e.store.Dispatch(e.ctx, &it); err != nil {
		e.Fatal(err)
	}
}

// A counter is an Observer of workers.
type counter struct {
	work.Unobserved
	mu                                   sync.Mutex
	first, again, gaveUp, refused, newer int
	verdicts                             []string
}

func (c *counter) add(f func()) { c.mu.Lock(); defer c.mu.Unlock(); f() }
func (c *counter) Began(_ int, again bool) {
	c.add(func() {
		if again {
			c.again++
		} else {
			c.first++
		}
	})
}
func (c *counter) Answered(v string) { c.add(func() { c.verdicts = append(c.verdicts, v) }) }
func (c *counter) GaveUp()           { c.add(func() { c.gaveUp++ }) }
func (c *counter) Duplicate()        { c.add(func() { c.refused++ }) }
func (c *counter) Newer()            { c.add(func() { c.newer++ }) }

// start runs a worker until the function that is returned is called, which waits for its end.
func (e *env) start(o work.WorkerOptions) (stop func()) {
	e.Helper()
	if o.Store == nil {
		o.Store = e.store
	}
	if o.Name == "" {
		o.Name = "a"
	}
	if o.Answer == nil {
		o.Answer = func(_ context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line { return reply(l) }
	}
	if o.Observer == nil {
		o.Observer = e.took
	}
	o.Logger = slog.New(slog.NewTextHandler(testWriter{e.T}, &slog.HandlerOptions{Level: slog.LevelError}))
	w, err := work.NewWorker(o)
	if err != nil {
		e.Fatal(err)
	}
	ctx, cancel := context.WithCancel(e.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := w.Run(ctx); !errors.Is(err, context.Canceled) {
			e.Errorf("Run: %v", err)
		}
	}()
	stop = func() { cancel(); <-done }
	e.Cleanup(stop)
	return stop
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) { w.t.Logf("%s", p); return len(p), nil }

// result waits for the result, and returns the text of all pieces of the chunk.
func (e *env) result(patience time.Duration) (string, *jobs.Result) {
	e.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		last, err := e.store.Result(e.ctx, e.id, 0)
		if err == nil {
			return e.parts(last.Parts) + string(last.Text), last
		}
		if time.Now().After(end) {
			e.Fatalf("no result after %v: %v", patience, err)
		}
	}
}

// parts returns the text of the first n parts, which must follow on each other.
func (e *env) parts(n int) string {
	e.Helper()
	var b strings.Builder
	last := 0
	for k := range n {
		p, err := e.store.Part(e.ctx, e.id, 0, k)
		if err != nil {
			e.Fatalf("part %d: %v", k, err)
		}
		if p.First <= last || p.Parts != k {
			e.Errorf("part %d has lines from %d, after %d, and says there were %d", k, p.First, last, p.Parts)
		}
		last = p.Last
		b.Write(p.Text)
	}
	return b.String()
}

// check wants the result to be right.
func (e *env) check(n int) *jobs.Result {
	e.Helper()
	text, last := e.result(3 * time.Hour)
	if text != want(n) {
		e.Errorf("got %s\nwant %s", text, want(n))
	}
	var counts jobs.Counts
	nodes := uint64(0)
	for i := range n {
		counts.Count(reply(line(i + 1)).Verdict)
		nodes += uint64(i + 1)
	}
	if last.Counts != counts || last.Nodes != nodes || last.Bytes != int64(len(text)) || last.Last != n {
		e.Errorf("summary %+v; want %+v, %d nodes, %d bytes", last.Summary, counts, nodes, len(text))
	}
	return last
}

// idle wants no item in the queue.
func (e *env) idle() {
	e.Helper()
	ctx, cancel := context.WithTimeout(e.ctx, time.Hour)
	defer cancel()
	if q, err := e.store.AcquireItem(ctx, []int{0, 4}); err == nil {
		e.Errorf("item %+v is still there", q.Item)
	}
}

func run(t *testing.T, name string, f func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

func TestNew(t *testing.T) {
	if w, err := work.NewWorker(work.WorkerOptions{}); err == nil {
		t.Errorf("%v without anything", w)
	}
}

func TestAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 5)
		stop := e.start(work.WorkerOptions{Engine: "engine"})
		last := e.check(5)
		if last.Engine != "engine" || last.Parts != 0 || last.First != 1 {
			t.Errorf("%+v", last.Summary)
		}
		stop()
		e.idle()
		if c := e.took; c.first != 1 || c.again != 0 || c.refused != 0 ||
			!slices.Equal(c.verdicts, []string{"nomate", "unknown", "", "mate", "nomate"}) {
			t.Errorf("%+v", c)
		}
	})
}

// What is ready is stored every half minute, also while one line takes long, and when it is large.
func TestParts(t *testing.T) {
	run(t, "time", func(t *testing.T) {
		e := setUp(t, 7)
		e.start(work.WorkerOptions{
			Answer: func(ctx context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
				time.Sleep(time.Second)
				if l.Number == 4 {
					time.Sleep(2 * time.Hour)
				}
				return reply(l)
			}})
		time.Sleep(31 * time.Second)
		if got := e.parts(1); got != want(3) {
			t.Errorf("after half a minute: %s", got)
		}
		time.Sleep(time.Hour)
		if _, err := e.store.Part(e.ctx, e.id, 0, 1); !errors.Is(err, jobs.ErrNotFound) {
			t.Errorf("a part without an answer: %v", err)
		}
		time.Sleep(2 * time.Hour)
		if last := e.check(7); last.Parts != 1 || last.First != 4 {
			t.Errorf("%+v", last.Summary)
		}
	})
	run(t, "size", func(t *testing.T) {
		e := setUp(t, 7)
		e.start(work.WorkerOptions{PartBytes: len(want(2))})
		if last := e.check(7); last.Parts != 3 || last.First != 7 {
			t.Errorf("%+v", last.Summary)
		}
	})
}

// A worker that takes over goes on behind the parts that are there.
func TestTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 9)
		dead := &stopped{Store: e.store}
		answers := 0
		slow := func(ctx context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
			time.Sleep(9 * time.Second)
			return reply(l)
		}
		e.start(work.WorkerOptions{Name: "dead", Store: dead, Answer: slow})
		time.Sleep(40 * time.Second) // lines 1 to 3 are stored, 4 is ready
		dead.stop()
		e.start(work.WorkerOptions{Name: "b",
			Answer: func(ctx context.Context, it *jobs.Item, l jobs.Line, f func([]byte)) answer.Line {
				answers++
				return slow(ctx, it, l, f)
			}})
		last := e.check(9)
		if answers != 6 || last.Parts != 2 {
			t.Errorf("%d lines were answered again, %d parts", answers, last.Parts)
		}
		if e.took.first != 1 || e.took.again != 1 {
			t.Errorf("attempts %+v", e.took)
		}
		// The first one wakes up, finds that all is done, and changes nothing.
		dead.goOn()
		time.Sleep(time.Minute)
		e.check(9)
	})
}

// A stopped Store is that of a process that gets no time: calls do not come back while it is
// stopped.
type stopped struct {
	jobs.Store
	mu   sync.Mutex
	gate chan struct{}
}

func (s *stopped) stop() { s.mu.Lock(); defer s.mu.Unlock(); s.gate = make(chan struct{}) }
func (s *stopped) goOn() { s.mu.Lock(); defer s.mu.Unlock(); close(s.gate); s.gate = nil }

func (s *stopped) wait(ctx context.Context) error {
	s.mu.Lock()
	gate := s.gate
	s.mu.Unlock()
	if gate == nil {
		return nil
	}
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *stopped) Job(ctx context.Context, id jobs.ID) (*jobs.Job, jobs.Revision, error) {
	if err := s.wait(ctx); err != nil {
		return nil, 0, err
	}
	return s.Store.Job(ctx, id)
}

func (s *stopped) PutPart(ctx context.Context, id jobs.ID, chunk, k int, p *jobs.Result) (bool, error) {
	if err := s.wait(ctx); err != nil {
		return false, err
	}
	return s.Store.PutPart(ctx, id, chunk, k, p)
}

func (s *stopped) PutResult(ctx context.Context, id jobs.ID, chunk int, p *jobs.Result) (bool, error) {
	if err := s.wait(ctx); err != nil {
		return false, err
	}
	return s.Store.PutResult(ctx, id, chunk, p)
}

func (s *stopped) Publish(ctx context.Context, sig *jobs.Signal) error {
	if err := s.wait(ctx); err != nil {
		return err
	}
	return s.Store.Publish(ctx, sig)
}

func (s *stopped) AcquireItem(ctx context.Context, classes []int) (*jobs.QueuedItem, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	q, err := s.Store.AcquireItem(ctx, classes)
	if err == nil {
		q.Lease = &stoppedLease{q.Lease, s}
	}
	return q, err
}

type stoppedLease struct {
	jobs.Lease
	s *stopped
}

func (l *stoppedLease) Extend(ctx context.Context) error {
	if err := l.s.wait(ctx); err != nil {
		return err
	}
	return l.Lease.Extend(ctx)
}

func (l *stoppedLease) Ack(ctx context.Context) error {
	if err := l.s.wait(ctx); err != nil {
		return err
	}
	return l.Lease.Ack(ctx)
}

func (l *stoppedLease) Nak(ctx context.Context, d time.Duration) error {
	if err := l.s.wait(ctx); err != nil {
		return err
	}
	return l.Lease.Nak(ctx, d)
}

// Two workers have the item at once, and store parts in turns: every line is there once, and what
// one has ready behind the part of the other is kept.
func TestDoubledItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 40)
		e.dispatch(e.item)
		answers := map[string]int{}
		var mu sync.Mutex
		answer := func(name string, d time.Duration) func(context.Context, *jobs.Item, jobs.Line, func([]byte)) answer.Line {
			return func(ctx context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
				mu.Lock()
				answers[name]++
				mu.Unlock()
				select {
				case <-time.After(d):
					return reply(l)
				case <-ctx.Done():
					return answer.Line{Ended: true}
				}
			}
		}
		stopA := e.start(work.WorkerOptions{Name: "a", PartEvery: 30 * time.Second, Answer: answer("a", 7*time.Second)})
		stopB := e.start(work.WorkerOptions{Name: "b", PartEvery: 31 * time.Second, Answer: answer("b", 11*time.Second)})
		e.check(40)
		time.Sleep(time.Minute)
		stopA()
		stopB()
		if e.took.refused == 0 || answers["a"] > 41 || answers["a"]+answers["b"] > 75 {
			t.Errorf("%d refused, answers %v", e.took.refused, answers)
		}
		e.idle()
	})
}

// A late item of a chunk that is answered costs nothing.
func TestLateItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 3)
		stop := e.start(work.WorkerOptions{})
		e.check(3)
		e.dispatch(e.item)
		time.Sleep(time.Minute)
		stop()
		e.idle()
		if len(e.took.verdicts) != 3 || e.took.again != 0 {
			t.Errorf("%+v", e.took)
		}
	})
}

// A panic is a problem in place of one answer, with the ID of the line.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 1)
		c := jobs.Chunk{{Number: 3, Text: []byte(`{"id":"x<y","sfen":""}`)},
			{Number: 4, Text: []byte("{")}, {Number: 6, TooLong: true}}
		id := jobs.NewID()
		_, err := e.store.Create(e.ctx, &jobs.Job{V: jobs.V, ID: id, State: jobs.Running})
		if err = errors.Join(err, e.store.PutInput(e.ctx, id, 0, c.Encode())); err != nil {
			t.Fatal(err)
		}
		e.dispatch(jobs.Item{V: jobs.V, Job: id})
		e.start(work.WorkerOptions{Slots: 2,
			Answer: func(_ context.Context, it *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
				switch {
				case it.Job == e.id:
				case l.Number == 3:
					panic("of a test")
				case l.Number == 4:
					return answer.Line{Envelope: wire.Envelope{Answer: wire.Fields("\n")}, Verdict: "mate"}
				case l.Number == 6:
					return answer.Line{Envelope: wire.Envelope{Answer: bytes.Repeat([]byte{'x'}, 4<<20)}, Verdict: "mate"}
				}
				return reply(l)
			}})
		e.check(1)
		time.Sleep(time.Second)
		last, err := e.store.Result(e.ctx, id, 0)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(bytes.TrimSuffix(last.Text, []byte("\n")), []byte("\n"))
		if len(lines) != 3 || last.Counts != (jobs.Counts{Faulty: 3}) {
			t.Fatalf("%+v %s", last.Summary, last.Text)
		}
		for i, text := range lines {
			var p wire.BatchProblem
			if err := json.Unmarshal(text, &p); err != nil || p.Line != c[i].Number ||
				p.Problem.Type != wire.InternalError.TypeURI() || p.Detail == "" {
				t.Errorf("%s: %v", text, err)
			}
			if i == 0 && string(p.ID) != `"x<y"` {
				t.Errorf("ID %s", p.ID)
			}
		}
	})
}

// A worker whose line ends the process is not heard again. The line is given up after three
// attempts that were careful, the others are answered once each beside, and there is one problem.
func TestPoison(t *testing.T) {
	for _, lines := range []int{1, 8} {
		run(t, fmt.Sprint(lines), func(t *testing.T) {
			e := setUp(t, lines)
			bad := (lines + 1) / 2
			deaths := 0
			var lived *jobs.Result
			var text string
			for i := range 20 {
				process := &stopped{Store: e.store}
				dead := make(chan struct{})
				stop := e.start(work.WorkerOptions{Name: fmt.Sprint("w", i), Store: process,
					Answer: func(ctx context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
						if l.Number == bad {
							process.stop()
							close(dead)
							<-ctx.Done()
							return answer.Line{Ended: true}
						}
						return reply(l)
					}})
				select {
				case <-dead:
					deaths++
					time.Sleep(2 * jobs.LeaseTime)
					_ = stop // a dead process says nothing more
				case <-time.After(time.Minute):
					text, lived = e.result(time.Second)
				}
				if lived != nil {
					break
				}
			}
			if lived == nil || deaths != 5 || e.took.gaveUp != 1 {
				t.Fatalf("%d processes died, %+v", deaths, e.took)
			}
			got := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			right := strings.Split(strings.TrimSuffix(want(lines), "\n"), "\n")
			if len(got) != lines {
				t.Fatalf("%q", got)
			}
			for i := range got {
				if i+1 != bad && got[i] != right[i] {
					t.Errorf("line %d: %s", i+1, got[i])
				}
			}
			var p wire.BatchProblem
			if err := json.Unmarshal([]byte(got[bad-1]), &p); err != nil || p.Line != bad || p.Status != 500 {
				t.Errorf("%s, %v", got[bad-1], err)
			}
			if lived.Counts.Lines() != lines || lived.Counts.Faulty != 1+lines/4 {
				t.Errorf("%+v", lived.Counts)
			}
		})
	}
}

// A process that dies after it has kept what it found dies as often as it likes: the line comes
// nearer to its answer each time. One that dies before comes to the end of its attempts.
func TestKept(t *testing.T) {
	for _, kept := range []bool{true, false} {
		run(t, fmt.Sprint(kept), func(t *testing.T) {
			e := setUp(t, 1)
			const most = 12
			deaths := 0
			for deaths < most && e.took.gaveUp == 0 {
				process := &stopped{Store: e.store}
				dead := make(chan struct{})
				e.start(work.WorkerOptions{Name: fmt.Sprint("w", deaths), Store: process,
					Answer: func(ctx context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
						if kept {
							work.Checkpointed(ctx)
							work.Checkpointed(ctx)
							time.Sleep(time.Second)
						}
						process.stop()
						close(dead)
						<-ctx.Done()
						return answer.Line{Ended: true}
					}})
				select {
				case <-dead:
					deaths++
				case <-time.After(time.Minute):
				}
				time.Sleep(2 * jobs.LeaseTime)
			}
			if kept && deaths != most || !kept && deaths != 5 {
				t.Errorf("given up after %d deaths", deaths)
			}
		})
	}
}

// An answer that takes too long ends an attempt, whether it obeys its context or not.
func TestHang(t *testing.T) {
	for _, obeys := range []bool{true, false} {
		run(t, fmt.Sprint(obeys), func(t *testing.T) {
			e := setUp(t, 3)
			end := make(chan struct{})
			e.Cleanup(func() { close(end) })
			e.start(work.WorkerOptions{Slots: 8, Longest: func(*jobs.Item, jobs.Line) time.Duration { return time.Hour },
				Answer: func(ctx context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
					if l.Number != 2 {
						return reply(l)
					}
					if obeys {
						<-ctx.Done()
					} else {
						<-end
					}
					return answer.Line{Ended: true}
				}})
			text, last := e.result(10 * time.Hour)
			lines := strings.Split(text, "\n")
			if len(lines) != 4 || lines[0]+"\n" != want(1) || !strings.Contains(lines[1], wire.InternalError.TypeURI()) ||
				!strings.HasSuffix(want(3), lines[2]+"\n") || last.Counts.Lines() != 3 {
				t.Errorf("%q %+v", lines, last.Summary)
			}
			if e.took.gaveUp != 1 || e.took.first+e.took.again != 6 {
				t.Errorf("%+v", e.took)
			}
		})
	}
}

// An answer that waits for others, however long, is none that takes too long.
func TestWaitsForOthers(t *testing.T) {
	run(t, "", func(t *testing.T) {
		e := setUp(t, 2)
		e.start(work.WorkerOptions{Longest: func(*jobs.Item, jobs.Line) time.Duration { return time.Hour },
			Answer: func(ctx context.Context, _ *jobs.Item, l jobs.Line, report func([]byte)) answer.Line {
				for range 300 {
					time.Sleep(time.Minute)
					report(nil)
				}
				select {
				case <-time.After(59 * time.Minute):
					return reply(l)
				case <-ctx.Done():
					return answer.Line{Ended: true}
				}
			}})
		if text, _ := e.result(20 * time.Hour); text != want(2) {
			t.Error(text)
		}
		if e.took.first != 1 || e.took.again != 0 {
			t.Errorf("%+v", e.took)
		}
	})
}

// A worker that is told to leave gives its items back at once with what it has, and takes no others.
// No attempt is counted.
func TestLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 30)
		var over []bool
		stop := e.start(work.WorkerOptions{Grace: time.Hour,
			Answer: func(ctx context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
				if l.Number < 3 {
					return reply(l)
				}
				<-ctx.Done() // it is a line without a limit
				return answer.Line{Ended: true}
			},
			Begin: func(ctx context.Context, it *jobs.Item) (context.Context, func(bool)) {
				return ctx, func(answered bool) { over = append(over, answered) }
			}})
		time.Sleep(5 * time.Second)
		e.dispatch(jobs.Item{V: jobs.V, Job: jobs.NewID()})
		begin := time.Now()
		stop()
		if got := e.parts(1); got != want(2) {
			t.Errorf("stored: %s", got)
		}
		there := map[jobs.ID]bool{}
		for range 2 {
			q, err := e.store.AcquireItem(e.ctx, []int{0})
			if err != nil {
				t.Fatal(err)
			}
			there[q.Job] = true
		}
		if d := time.Since(begin); len(there) != 2 || !there[e.id] || d != 0 {
			t.Errorf("%v are in the queue after %v", there, d)
		}
		if n, err := e.store.AddAttempt(e.ctx, e.id, 0, 0); n != 1 || err != nil {
			t.Errorf("the next attempt has number %d, %v", n, err)
		}
		if !slices.Equal(over, []bool{false}) {
			t.Errorf("the hook was told %v", over)
		}
	})
}

// A line that is stopped has the grace to keep what it found, before others get it.
func TestLeavesSaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 1)
		saved := false
		stop := e.start(work.WorkerOptions{Grace: 2 * time.Minute,
			Answer: func(ctx context.Context, _ *jobs.Item, _ jobs.Line, _ func([]byte)) answer.Line {
				<-ctx.Done()
				time.Sleep(time.Minute)
				saved = true
				return answer.Line{Ended: true}
			}})
		time.Sleep(5 * time.Second)
		go stop()
		if q, err := e.store.AcquireItem(e.ctx, []int{0}); err != nil || q.Job != e.id || !saved {
			t.Errorf("%v, %v, saved: %v", q, err, saved)
		}
	})
}

// lateAttempts is a store that has counted an attempt a second before it says so, or its caller leaves.
type lateAttempts struct{ jobs.Store }

func (s lateAttempts) AddAttempt(ctx context.Context, id jobs.ID, chunk, line int) (int, error) {
	n, err := s.Store.AddAttempt(ctx, id, chunk, line)
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(time.Second):
		return n, err
	}
}

// An attempt that is being counted while the worker is told to leave is not counted.
func TestLeavesCounting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 1)
		stop := e.start(work.WorkerOptions{Store: lateAttempts{e.store}})
		time.Sleep(time.Second / 2)
		stop()
		if n, err := e.store.AddAttempt(e.ctx, e.id, 0, 0); n != 1 || err != nil {
			t.Errorf("the next attempt has number %d, %v", n, err)
		}
	})
}

// That a worker left says nothing of the line that it was at.
func TestLeavesCarefully(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 3)
		for range 2 {
			if _, err := e.store.AddAttempt(e.ctx, e.id, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
		stop := e.start(work.WorkerOptions{
			Answer: func(ctx context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
				if l.Number == 2 {
					<-ctx.Done()
					return answer.Line{Ended: true}
				}
				return reply(l)
			}})
		time.Sleep(time.Second)
		stop()
		if got := e.parts(1); got != want(1) {
			t.Errorf("stored: %s", got)
		}
		for line, want := range []int{3, 2, 1, 1} { // line 0 is the chunk; line 1 has its answer
			if n, err := e.store.AddAttempt(e.ctx, e.id, 0, line); n != want || err != nil {
				t.Errorf("the next attempt at line %d has number %d, %v", line, n, err)
			}
		}
	})
}

// What a worker has behind the part of another is kept.
func TestRefusedPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 5)
		answers := 0
		e.start(work.WorkerOptions{
			Answer: func(_ context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
				answers++
				time.Sleep(9 * time.Second)
				return reply(l)
			}})
		time.Sleep(29 * time.Second) // lines 1 to 3 are ready
		p := &jobs.Result{Summary: jobs.Summary{V: jobs.V, First: 1, Last: 2, Nodes: 3,
			Counts: jobs.Counts{NoMate: 1, Unknown: 1}, Bytes: int64(len(want(2)))}, Text: []byte(want(2))}
		if first, err := e.store.PutPart(e.ctx, e.id, 0, 0, p); !first || err != nil {
			t.Fatal(first, err)
		}
		if last := e.check(5); last.Parts != 1 || answers != 5 || e.took.refused != 1 {
			t.Errorf("%+v, %d answers, %d refused", last.Summary, answers, e.took.refused)
		}
	})
}

// A chunk that another copy of the store has not got yet is asked for again.
func TestLateInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 2)
		s := &late{Store: e.store, times: 2}
		e.start(work.WorkerOptions{Store: s})
		e.check(2)
		if s.times != 0 || e.took.first != 1 {
			t.Errorf("asked %d times too few, %+v", s.times, e.took)
		}
	})
}

// A late Store has no input for a few times.
type late struct {
	jobs.Store
	times int
}

func (s *late) Input(ctx context.Context, id jobs.ID, chunk int) ([]byte, error) {
	if s.times > 0 {
		s.times--
		return nil, jobs.ErrNotFound
	}
	return s.Store.Input(ctx, id, chunk)
}

// TestLaterJob: a job that comes under the ID of a removed one gets no answers of that, also where the worker
// did not hear of it.
func TestLaterJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 2)
		e.start(work.WorkerOptions{Slots: 1,
			Answer: func(_ context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
				time.Sleep(2 * time.Second)
				return reply(l)
			}})
		time.Sleep(time.Second)
		if err := e.store.Remove(e.ctx, e.id); err != nil {
			t.Fatal(err)
		}
		later := jobs.Chunk{{Number: 1, Text: []byte("another")}}
		_, err := e.store.Create(e.ctx, &jobs.Job{V: jobs.V, ID: e.id, State: jobs.Running, Created: time.Now()})
		if err = errors.Join(err, e.store.PutInput(e.ctx, e.id, 0, later.Encode())); err != nil {
			t.Fatal(err)
		}
		e.dispatch(e.item)
		e.wait(e.id)
		r := reply(later[0])
		if got, err := e.store.Result(e.ctx, e.id, 0); err != nil || string(got.Text) != string(r.AppendLine(nil)) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// Who cancels a job does not wait for its lines, whether the signal comes or is lost.
func TestCancel(t *testing.T) {
	for _, how := range []string{"signal", "no signal", "removed"} {
		run(t, how, func(t *testing.T) {
			e := setUp(t, 3)
			ended := make(chan time.Time, 1)
			stop := e.start(work.WorkerOptions{
				Answer: func(ctx context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
					if l.Number == 1 {
						return reply(l)
					}
					<-ctx.Done()
					ended <- time.Now()
					return answer.Line{Ended: true}
				}})
			time.Sleep(5 * time.Second)
			begin := time.Now()
			j, rev, err := e.store.Job(e.ctx, e.id)
			if err != nil {
				t.Fatal(err)
			}
			j.State = jobs.Cancelled
			_, err = e.store.Update(e.ctx, j, rev)
			if how == "signal" {
				err = errors.Join(err, e.store.Publish(e.ctx, &jobs.Signal{V: jobs.V, Cancel: e.id}))
			}
			if how == "removed" {
				err = errors.Join(err, e.store.Remove(e.ctx, e.id))
			}
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(jobs.LeaseTime)
			limit := jobs.LeaseTime / 3
			if how == "signal" {
				limit = 0
			}
			if d := (<-ended).Sub(begin); d < 0 || d > limit {
				t.Errorf("stopped after %v", d)
			}
			stop()
			e.idle()
			if _, err := e.store.Part(e.ctx, e.id, 0, 0); !errors.Is(err, jobs.ErrNotFound) {
				t.Errorf("something was stored: %v", err)
			}
		})
	}
}

// A store that is full or away is asked until it can, and nothing is lost.
func TestStoreFull(t *testing.T) {
	for _, full := range []error{jobs.ErrFull, jobs.ErrUnavailable, errors.New("else")} {
		run(t, full.Error(), func(t *testing.T) {
			e := setUp(t, 5)
			s := &faulty{Store: e.store, err: full, until: time.Now().Add(time.Hour)}
			answers := 0
			stop := e.start(work.WorkerOptions{Store: s, PartBytes: 1,
				Answer: func(_ context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
					answers++
					return reply(l)
				}})
			e.check(5)
			time.Sleep(time.Minute)
			stop()
			e.idle()
			if answers != 5 || e.took.refused != 0 || time.Since(s.until) < 0 || s.asked > 1000 {
				t.Errorf("%d answers, %d refused, asked %d times", answers, e.took.refused, s.asked)
			}
		})
	}
}

// A faulty Store stores no pieces for a while.
type faulty struct {
	jobs.Store
	err   error
	until time.Time
	asked int
}

func (s *faulty) PutPart(ctx context.Context, id jobs.ID, chunk, k int, p *jobs.Result) (bool, error) {
	if s.asked++; time.Now().Before(s.until) {
		return false, s.err
	}
	return s.Store.PutPart(ctx, id, chunk, k, p)
}

// A big item has the whole worker: others end before, and none begins meanwhile.
func TestBig(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 3)
		ids := []jobs.ID{e.id}
		put := func(class int) { ids = append(ids, e.put(jobs.Item{Memory: class}, "", "one", "two")) }
		put(0)
		put(4)
		put(0)
		put(16) // nobody takes it
		put(0)
		var small, big atomic.Int32
		e.start(work.WorkerOptions{Slots: 3, Classes: []int{4},
			Answer: func(_ context.Context, it *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
				n := &small
				if it.Memory > 0 {
					n = &big
				}
				n.Add(1)
				defer n.Add(-1)
				time.Sleep(time.Minute)
				if big.Load() > 1 || big.Load() == 1 && small.Load() > 0 {
					t.Errorf("%d big and %d small ones at once", big.Load(), small.Load())
				}
				return reply(l)
			}})
		var beats []jobs.Heartbeat
		ctx, cancel := context.WithTimeout(e.ctx, time.Hour)
		defer cancel()
		_ = e.store.Subscribe(ctx, func(s *jobs.Signal) {
			if s.Heartbeat != nil {
				beats = append(beats, *s.Heartbeat)
			}
		})
		for i, id := range ids {
			_, err := e.store.Result(e.ctx, id, 0)
			if (err == nil) != (i != 4) {
				t.Errorf("item %d: %v", i, err)
			}
		}
		full := 0
		for _, b := range beats {
			if b.Memory != 4 || b.Slots != 3 || b.Busy > 3 || b.Busy < len(b.Items) || b.Worker != "a" {
				t.Fatalf("%+v", b)
			}
			if b.Busy == 3 {
				full++
			}
		}
		// 3 minutes for the first three, of which one waits for the others, then 2 for the big one.
		if len(beats) < 3600/5-1 || full < 5*60/5-2 || full > 6*60/5 {
			t.Errorf("%d beats, %d of them full", len(beats), full)
		}
	})
}

// TestLongItems: an item whose line takes long leaves its slot to the next one. Where too many do, those
// go back to the queue that still wait for their search, and come again.
func TestLongItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 1)
		put := func(text string, class int) jobs.ID {
			return e.put(jobs.Item{Ask: jobs.AskSolve, Memory: class}, "", text, "short")
		}
		searching, searches := make(chan struct{}, 1), 0
		e.start(work.WorkerOptions{Slots: 1, LongItems: 2, Classes: []int{4},
			Answer: func(ctx context.Context, it *jobs.Item, l jobs.Line, report func([]byte)) answer.Line {
				if it.Memory > 0 && len(searching) > 0 {
					t.Error("a big item beside another")
				}
				if string(l.Text) != "long" {
					return reply(l)
				}
				for {
					select {
					case searching <- struct{}{}:
						defer func() { <-searching }()
						searches++
						work.SearchBegins(ctx)
						for i := range 60 * 4 {
							if i%8 >= 4 {
								report(nil) // it waits for its next turn
							}
							report([]byte("searching"))
							time.Sleep(250 * time.Millisecond)
							if ctx.Err() != nil {
								return answer.Line{Ended: true}
							}
						}
						return reply(l)
					case <-ctx.Done():
						return answer.Line{Ended: true}
					case <-time.After(250 * time.Millisecond):
						report(nil)
						report([]byte("waiting"))
					}
				}
			}})
		var all []jobs.ID
		for range 5 {
			all = append(all, put("long", 0))
			if d := e.wait(put("short", 0)); d > 2*time.Second {
				t.Errorf("behind %d long ones a short one takes %v", len(all), d)
			}
		}
		var beat *jobs.Heartbeat
		ctx, cancel := context.WithTimeout(e.ctx, jobs.HeartbeatTime+time.Second)
		defer cancel()
		_ = e.store.Subscribe(ctx, func(s *jobs.Signal) {
			if s.Heartbeat != nil {
				beat = s.Heartbeat
			}
		})
		if beat == nil || beat.Long != 2 || beat.Busy > 1 || len(beat.Items) != 5 { // with those that go back
			t.Errorf("%+v", beat)
		}
		// A big one needs the whole worker: the one that is searched for ends, the others go back.
		// Meanwhile short ones go on, and no other long one.
		all = append(all, put("long", 0))
		big := put("short", 4)
		time.Sleep(20 * time.Second)
		if d := e.wait(put("short", 0)); d > 2*time.Second {
			t.Errorf("behind a big one that waits a short one takes %v", d)
		}
		if _, err := e.store.Result(e.ctx, big, 0); err == nil {
			t.Error("a big one does not wait")
		}
		e.wait(all[0])
		all = append(all, put("long", 0)) // begins its search at once, and is stopped
		if d := e.wait(big); d > 6*time.Second {
			t.Errorf("a big one takes %v", d)
		}
		for _, id := range all {
			e.wait(id)
		}
		if want := len(all) + 1; searches != want {
			t.Errorf("%d searches, want %d", searches, want)
		}
		e.took.add(func() {
			if n := e.took.gaveUp; n > 0 {
				t.Errorf("%d lines given up", n)
			}
		})
	})
}

// TestWaitIsNoAttempt: while a line waits for its search the attempt at its chunk is not counted, so
// that a line which kills the process puts no blame on those that wait. It is from the first moment of
// the search, and at the next line.
func TestWaitIsNoAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 3)
		attempts := func(want int) {
			t.Helper()
			if n := e.attempts(e.id); n != want {
				t.Errorf("%d attempts, want %d", n, want)
			}
		}
		e.start(work.WorkerOptions{Slots: 1, LongItems: 1,
			Answer: func(ctx context.Context, _ *jobs.Item, l jobs.Line, report func([]byte)) answer.Line {
				attempts(1)
				for range 40 {
					time.Sleep(250 * time.Millisecond)
					report(nil)
					report([]byte("waiting"))
				}
				attempts(0)
				switch l.Number {
				case 1: // is answered while it waits, by the search of another line
				case 2:
					work.SearchBegins(ctx)
					attempts(1)
					time.Sleep(time.Minute)
				case 3:
					report([]byte("another's search"))
					time.Sleep(time.Second)
				}
				if l.Number > 1 {
					attempts(1)
				}
				return reply(l)
			}})
		e.check(3)
	})
}

// TestAttemptsDoNotAddUp: where another worker has counted an attempt meanwhile, lines that wait count no
// more than one in vain, however many they are.
func TestAttemptsDoNotAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lines = 12
		e := setUp(t, lines)
		stop := e.start(work.WorkerOptions{Slots: 1, LongItems: 1,
			Answer: func(ctx context.Context, _ *jobs.Item, l jobs.Line, report func([]byte)) answer.Line {
				if l.Number == 2 {
					if _, err := e.store.AddAttempt(e.ctx, e.id, 0, 0); err != nil {
						t.Error(err)
					}
				}
				for range 8 {
					time.Sleep(250 * time.Millisecond)
					report(nil)
					report([]byte("waiting"))
				}
				work.SearchBegins(ctx)
				if n := e.attempts(e.id); n > 3 {
					t.Errorf("line %d: %d attempts are counted", l.Number, n)
				}
				switch l.Number {
				case lines - 1:
					work.Checkpointed(ctx)
					time.Sleep(time.Second)
					if n := e.attempts(e.id); n != 2 {
						t.Errorf("%d attempts are counted after a checkpoint", n)
					}
				case lines:
					<-ctx.Done()
					return answer.Line{Ended: true}
				}
				return reply(l)
			}})
		time.Sleep(time.Minute)
		stop()
		if n := e.attempts(e.id); n != 2 {
			t.Errorf("%d attempts are counted, and one was another's, the other in vain", n)
		}
	})
}

// slotAnswer answers a line as its text says.
func slotAnswer(ctx context.Context, _ *jobs.Item, l jobs.Line, report func([]byte)) answer.Line {
	text := string(l.Text)
	if strings.HasPrefix(text, "slow") { // its short search takes long on a busy machine
		time.Sleep(250 * time.Millisecond)
		report([]byte("searching"))
		time.Sleep(250 * time.Millisecond)
	}
	switch {
	case ctx.Err() != nil:
		return answer.Line{Ended: true}
	case text == "short" || text == "slow":
		return reply(l)
	case text == "long" || text == "slow long":
		work.SearchBegins(ctx)
	}
	for ctx.Err() == nil {
		time.Sleep(250 * time.Millisecond)
		if text == "waits" {
			report(nil)
		}
		report([]byte("so far")) // of another item's search, if it is "joined"
	}
	return answer.Line{Ended: true}
}

// TestSlotsForShort: whatever takes long, and in whatever state its line is, a short line begins soon.
func TestSlotsForShort(t *testing.T) {
	for name, c := range map[string]struct {
		slots, longItems int
		lines            []string // one after the other; "big" gets the whole worker
		soon             bool     // right behind each other
	}{
		"a big one comes before a long one leaves its slot":     {1, 16, []string{"long", "big"}, true},
		"2 slots, a big one comes before":                       {2, 16, []string{"long", "big"}, true},
		"3 slots, a big one comes before":                       {3, 16, []string{"long", "big"}, true},
		"a slow one beside a big one that waits":                {1, 16, []string{"long", "big", "slow"}, false},
		"a long one beside a big one that waits":                {1, 16, []string{"long", "big", "long"}, false},
		"a long one whose short search is slow":                 {1, 16, []string{"long", "big", "slow long"}, false},
		"joined beside a big one that waits":                    {1, 16, []string{"long", "big", "joined"}, false},
		"joined where another has left its slot":                {1, 1, []string{"waits", "joined"}, false},
		"a long one where another that waits has left its slot": {1, 1, []string{"waits", "long"}, false},
	} {
		run(t, name, func(t *testing.T) {
			e := setUp(t, 0)
			e.start(work.WorkerOptions{Slots: c.slots, LongItems: c.longItems, Classes: []int{4}, Answer: slotAnswer})
			var last jobs.ID
			for _, text := range c.lines {
				it := jobs.Item{Ask: jobs.AskSolve}
				if text == "big" {
					it.Memory, text = 4, "short"
				}
				last = e.put(it, "", text)
				if c.soon {
					time.Sleep(100 * time.Millisecond)
				} else {
					time.Sleep(2 * time.Second)
				}
			}
			if d := e.wait(e.put(jobs.Item{Ask: jobs.AskSolve}, "", "short")); d > 5*time.Second {
				t.Errorf("a short line takes %v", d)
			}
			if c.lines[len(c.lines)-1] == "slow" && e.wait(last) > 0 {
				t.Error("the slow one is not answered")
			}
		})
	}
}

// TestAnalysisKeepsSlot: an analysis that goes on is not given back, since it would begin anew.
func TestAnalysisKeepsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 0)
		var ended atomic.Int32
		e.start(work.WorkerOptions{Slots: 1, LongItems: 1,
			Answer: func(ctx context.Context, it *jobs.Item, l jobs.Line, report func([]byte)) answer.Line {
				defer ended.Add(1)
				return slotAnswer(ctx, it, l, report)
			}})
		for range 2 {
			e.put(jobs.Item{Ask: jobs.AskAnalyze}, "", "analysis")
		}
		time.Sleep(time.Minute)
		if n := ended.Load(); n != 0 {
			t.Errorf("%d have ended", n)
		}
	})
}

// A countingStore counts what is leased.
type countingStore struct {
	jobs.Store
	leased atomic.Int32
}

func (s *countingStore) AcquireItem(ctx context.Context, classes []int) (*jobs.QueuedItem, error) {
	q, err := s.Store.AcquireItem(ctx, classes)
	if err == nil {
		s.leased.Add(1)
	}
	return q, err
}

// TestManyParked: the more items cannot leave the slot, the later each comes again.
func TestManyParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const items = 400
		e := setUp(t, 0)
		s := &countingStore{Store: e.store}
		e.start(work.WorkerOptions{Store: s, Slots: 1, LongItems: 1, Answer: slotAnswer})
		for range items {
			e.put(jobs.Item{Ask: jobs.AskSolve}, "", "waits")
		}
		time.Sleep(items * time.Second)
		before := s.leased.Load()
		time.Sleep(time.Minute)
		if n := s.leased.Load() - before; n == 0 || n > 60*50+items {
			t.Errorf("%d leases in a minute", n)
		}
	})
}

// An item of a newer format is left to others.
func TestNewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 2)
		j := &jobs.Job{V: jobs.V + 1, ID: jobs.NewID(), State: jobs.Running}
		if _, err := e.store.Create(e.ctx, j); err != nil {
			t.Fatal(err)
		}
		e.dispatch(jobs.Item{V: jobs.V, Job: j.ID})
		e.dispatch(jobs.Item{V: jobs.V + 1, Job: j.ID})
		stop := e.start(work.WorkerOptions{})
		e.check(2)
		time.Sleep(10 * time.Second)
		stop()
		if e.took.newer != 1 || e.took.first != 1 { // the store keeps newer items to itself
			t.Errorf("%+v", e.took)
		}
		begin := time.Now()
		if q, err := e.store.AcquireItem(e.ctx, []int{0}); err != nil || q.Job != j.ID || time.Since(begin) < 15*time.Second {
			t.Errorf("%v, %v after %v", q, err, time.Since(begin))
		}
	})
}

// Progress is told four times a second at most, and says the newest.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 2)
		var told []jobs.Progress
		go func() {
			_ = e.store.Subscribe(e.ctx, func(s *jobs.Signal) {
				if s.Progress != nil {
					told = append(told, *s.Progress)
				}
			})
		}()
		stop := e.start(work.WorkerOptions{
			Answer: func(_ context.Context, _ *jobs.Item, l jobs.Line, report func([]byte)) answer.Line {
				for i := range 1000 {
					time.Sleep(10 * time.Millisecond)
					report(fmt.Appendf(nil, "%d", i))
				}
				return reply(l)
			}})
		e.check(2)
		stop()
		synctest.Wait()
		last := -1
		for i, p := range told {
			event := 0
			if len(p.Event) > 0 { // none yet of the line
				event, _ = strconv.Atoi(string(p.Event))
			}
			if p.Job != e.id || p.Line-p.Done != 1 || p.Line*1000+event <= last {
				t.Fatalf("%d: %+v %s after %d", i, p, p.Event, last)
			}
			last = p.Line*1000 + event
		}
		if len(told) < 78 || len(told) > 81 {
			t.Errorf("told %d times in 20 s", len(told))
		}
	})
}

// A chunk that cannot be read ends the job, and one that is missing is left to the coordinator.
func TestDamaged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 2)
		bad, none := jobs.NewID(), jobs.NewID()
		_, err := e.store.Create(e.ctx, &jobs.Job{V: jobs.V, ID: bad, State: jobs.Running})
		_, err2 := e.store.Create(e.ctx, &jobs.Job{V: jobs.V, ID: none, State: jobs.Running})
		if err = errors.Join(err, err2, e.store.PutInput(e.ctx, bad, 0, []byte("x"))); err != nil {
			t.Fatal(err)
		}
		e.dispatch(jobs.Item{V: jobs.V, Job: bad})
		e.dispatch(jobs.Item{V: jobs.V, Job: none})
		stop := e.start(work.WorkerOptions{})
		e.check(2)
		time.Sleep(time.Minute)
		stop()
		e.idle()
		if j, _, err := e.store.Job(e.ctx, bad); err != nil || j.State != jobs.Failed || j.Failure == nil {
			t.Errorf("%+v, %v", j, err)
		}
		if j, _, err := e.store.Job(e.ctx, none); err != nil || j.State != jobs.Running {
			t.Errorf("%+v, %v", j, err)
		}
	})
}

// So does one that the store says is damaged, and an answer to it.
func TestDamagedStore(t *testing.T) {
	for name, s := range map[string]*damaged{"input": {input: true}, "part": {}} {
		run(t, name, func(t *testing.T) {
			e := setUp(t, 2)
			s.Store = e.store
			stop := e.start(work.WorkerOptions{Store: s})
			time.Sleep(time.Minute)
			stop()
			e.idle()
			if j, _, err := e.store.Job(e.ctx, e.id); err != nil || j.State != jobs.Failed || j.Failure == nil {
				t.Errorf("%+v, %v", j, err)
			}
		})
	}
}

// A damaged Store cannot read an input, or a part.
type damaged struct {
	jobs.Store
	input bool
}

func (s *damaged) Input(ctx context.Context, id jobs.ID, chunk int) ([]byte, error) {
	if s.input {
		return nil, jobs.ErrDamaged
	}
	return s.Store.Input(ctx, id, chunk)
}

func (s *damaged) Part(context.Context, jobs.ID, int, int) (*jobs.Result, error) {
	return nil, jobs.ErrDamaged
}

// Between two lines the worker lets others have the processor.
func TestYield(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := setUp(t, 5)
		yields := 0
		e.start(work.WorkerOptions{Yield: func(context.Context) { yields++ }})
		e.check(5)
		if yields != 4 {
			t.Errorf("%d yields", yields)
		}
	})
}
