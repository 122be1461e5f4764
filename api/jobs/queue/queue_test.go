package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/pgtest"
	"github.com/tsumero/tsumero/api/wire"
)

// newAddress returns the address of an empty database: a directory, but where TestPostgres runs.
var newAddress = func(t *testing.T) string { return filepath.Join(t.TempDir(), "jobs") }

// TestPostgres runs the tests that are not about a directory on PostgreSQL.
func TestPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("a server is started")
	}
	// Nobody kills this server, and its many databases are made in a tenth of the time.
	server := pgtest.Start(t, pgtest.Options{Settings: []string{"fsync = off"}})
	inDirectory := newAddress
	newAddress = func(t *testing.T) string { return server.URL(server.NewDatabase()) }
	defer func() { newAddress = inDirectory }()
	for name, f := range map[string]func(*testing.T){"Answers": TestAnswers, "Guard": TestGuard, "Sweep": TestSweep,
		"Fairness": TestFairness, "Strangers": TestStrangersWithoutEnd, "Active": TestActive, "Keys": TestKeys,
		"Quotas": TestQuotas, "Cancel": TestCancel, "DamagedAnswer": TestDamagedAnswer,
		"DamagedQuestion": TestDamagedQuestion, "Clock": TestClock,
		"Expire": TestExpire, "Versions": TestVersions, "Wait": TestWait} {
		t.Run(name, f)
	}
}

// finish is a Do that answers all lines of a turn.
func finish(t *Turn) error {
	p := answers(t, len(t.Chunk))
	return t.Finish(p)
}

// answers returns the answers to the lines behind those that have one, up to the n-th of the chunk.
func answers(t *Turn, n int) *Part {
	p := &Part{}
	for _, l := range t.Chunk[:n] {
		if l.Number > t.Answered {
			p.Text = append(p.Text, answerTo(l.Number)...)
			p.Last = l.Number
			p.Counts.Mate++
			p.Nodes++
		}
	}
	return p
}

func answerTo(n int) string { return fmt.Sprintf(`{"line":%d,"n":%d}`+"\n", n, n) }

// An env is a queue of a test.
type env struct {
	*Queue
	t    *testing.T
	stop func() // ends the work, and closes the queue
}

// open opens a queue without working on it.
func open(t *testing.T, o Options) *env {
	t.Helper()
	if o.Work != nil {
		if o.Work.Name == "" {
			o.Work.Name = "w"
		}
		o.Work.Slots, o.Work.Long = max(1, o.Work.Slots), max(1, o.Work.Long)
	}
	o.Logger = slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	q, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := &env{t: t, Queue: q, stop: sync.OnceFunc(func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})}
	t.Cleanup(func() { e.stop() })
	return e
}

// start opens a queue, and works on it.
func start(t *testing.T, o Options) *env {
	t.Helper()
	e := open(t, o)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = e.Run(ctx)
	}()
	closing := e.stop
	e.stop = sync.OnceFunc(func() {
		cancel()
		<-ended
		closing()
	})
	return e
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", bytes.TrimSpace(p))
	return len(p), nil
}

// lines are n lines.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

// submission returns one of n lines.
func submission(client string, n int) *Submission {
	return &Submission{Client: client, Class: Keyed, Kind: jobs.Collection, Ask: jobs.AskSolve,
		Lines: strings.NewReader(lines(n)), Longest: 100}
}

// submit submits n lines of a client.
func (e *env) submit(client string, n int) jobs.ID {
	e.t.Helper()
	v, _, err := e.Submit(e.t.Context(), submission(client, n))
	if err != nil {
		e.t.Fatal(err)
	}
	return v.ID
}

// wait waits until a job has ended.
func (e *env) wait(id jobs.ID) *View {
	e.t.Helper()
	v, err := e.Wait(e.t.Context(), id, 0, time.Minute)
	for err == nil && !v.State.Ended() {
		v, err = e.Wait(e.t.Context(), id, 0, time.Minute)
	}
	if err != nil {
		e.t.Fatal(err)
	}
	return v
}

// check waits until a job is done, and checks the answers to its n lines.
func (e *env) check(id jobs.ID, n int) {
	e.t.Helper()
	v := e.wait(id)
	if v.State != jobs.Done || v.DoneLines != n || v.Counts.Mate != n || v.Nodes != uint64(n) {
		e.t.Fatalf("%+v", v)
	}
	if got := e.results(id); got != want(1, n) {
		e.t.Fatalf("%d bytes of answers, want %d:\n%.300s", len(got), len(want(1, n)), got)
	}
}

func want(from, to int) string {
	var b strings.Builder
	for n := from; n <= to; n++ {
		b.WriteString(answerTo(n))
	}
	return b.String()
}

// results returns all answers that there are.
func (e *env) results(id jobs.ID) string {
	e.t.Helper()
	var b strings.Builder
	_, err := e.Results(e.t.Context(), id, ResultsQuery{}, func(line []byte) error { b.Write(line); return nil })
	if err != nil {
		e.t.Fatal(err)
	}
	return b.String()
}

// sql runs a statement on the database.
func (e *env) sql(query string, args ...any) (changed int64) {
	e.t.Helper()
	err := e.write(e.t.Context(), func(ctx context.Context, t *tx) (err error) {
		changed, err = t.exec(ctx, query, args...)
		return err
	})
	if err != nil {
		e.t.Fatal(err)
	}
	return changed
}

// number asks for one.
func (e *env) number(query string, args ...any) (n int64) {
	e.t.Helper()
	err := e.read(e.t.Context(), func(ctx context.Context, d *database) error {
		return d.row(ctx, query, args...).Scan(&n)
	})
	if err != nil {
		e.t.Fatal(err)
	}
	return n
}

// All lines are answered once, in order, whatever their number.
func TestAnswers(t *testing.T) {
	address := newAddress(t)
	e := start(t, Options{Address: address, Work: &Work{Slots: 2, Do: finish}})
	for _, n := range []int{1, 1024, 1025, 6000} {
		e.check(e.submit("a", n), n)
	}
}

// A turn that is not the latest one of its chunk stores nothing, whatever it is about to store.
func TestGuard(t *testing.T) {
	address := newAddress(t)
	turns := make(chan *Turn)
	ended := make(chan struct{})
	e := start(t, Options{Address: address, Work: &Work{Do: func(t *Turn) error {
		turns <- t
		<-ended
		return errEnded
	}}})
	id := e.submit("a", 10)
	first := <-turns
	// Another process takes the chunk over, as if this one had been stopped for long.
	twin, err := e.load(context.WithoutCancel(first.Context()), first.row)
	if err != nil {
		t.Fatal(err)
	}
	if err := twin.Store(answers(twin, 4)); err != nil {
		t.Fatal(err)
	}
	if err := twin.Next(&Part{}, false); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func() error{
		"part": func() error { return first.Store(answers(first, 2)) },
		"end":  func() error { return first.Finish(answers(first, 10)) },
		"next": func() error { return first.Next(answers(first, 2), false) },
		"attempt": func() error {
			_, err := first.CountAttempt(1)
			return err
		},
	} {
		if err := f(); !IsEnded(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !IsEnded(context.Cause(first.Context())) {
		t.Error("the context of the turn goes on")
	}
	close(ended)
	go func() {
		for range turns { // the next turn
		}
	}()
	if got := e.results(id); got != want(1, 4) {
		t.Errorf("%s", got)
	}
	if rows := e.number(`select count(*) from river_job where kind = 'tsumero_chunk' and state in ('available', 'running')`); rows > 1 {
		t.Errorf("%d rows of one chunk", rows)
	}
}

// What River loses is queued again.
func TestSweep(t *testing.T) {
	address := newAddress(t)
	var held atomic.Bool
	held.Store(true)
	e := start(t, Options{Address: address, Work: &Work{Do: func(t *Turn) error {
		if held.Load() {
			return errors.New("not now")
		}
		return finish(t)
	}}})
	id := e.submit("a", 5000)
	for range 2 {
		if e.sql(`delete from river_job where kind = 'tsumero_chunk'`) == 0 {
			t.Fatal("no rows")
		}
		if err := e.sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	held.Store(false)
	e.check(id, 5000)
}

// A stranger's line does not wait for all the lines that somebody sent before, and clients share.
func TestFairness(t *testing.T) {
	for _, c := range []struct {
		ask      string
		perChunk int
		ahead    int // rows of the others that are begun before that of the stranger, at most
	}{
		{jobs.AskCompose, 1, 3*leastWindow + 1},
		// Before the others came one row was taken, and another by the worker that is there besides the
		// slots; and each of them has a next one.
		{jobs.AskSolve, jobs.MaxChunkLines, 2 + 3},
	} {
		t.Run(c.ask, func(t *testing.T) { testFairness(t, c.ask, c.perChunk, c.ahead) })
	}
}

func testFairness(t *testing.T, ask string, perChunk, ahead int) {
	address := newAddress(t)
	var mu sync.Mutex
	var order []string
	gate := make(chan struct{})
	// With one slot rows are answered as they are taken, however slow the machine.
	e := start(t, Options{Address: address, Work: &Work{Slots: 1, Do: func(t *Turn) error {
		<-gate
		mu.Lock()
		order = append(order, t.Job.Client)
		mu.Unlock()
		return finish(t)
	}}})
	const chunks = 30
	var ids []jobs.ID
	for _, client := range []string{"a", "b", "c"} {
		s := submission(client, chunks*perChunk)
		s.Ask = ask
		v, _, err := e.Submit(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, v.ID)
	}
	s := submission("stranger", 1)
	s.Ask = ask
	stranger, _, err := e.Submit(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	close(gate)
	e.check(stranger.ID, 1)
	for _, id := range ids {
		e.wait(id)
	}
	mu.Lock()
	defer mu.Unlock()
	count := map[string]int{}
	for i, client := range order {
		count[client]++
		if client == "stranger" && i > ahead {
			t.Errorf("the stranger's line was answered as number %d", i+1)
		}
		if i == chunks { // a third of all
			for _, c := range []string{"a", "b", "c"} {
				if n := count[c]; n < chunks/3-leastWindow || n > chunks/3+leastWindow {
					t.Errorf("%d chunks of %s of the first %d", n, c, i)
				}
			}
		}
	}
}

// Somebody with much to do has turns although there is always somebody new.
func TestStrangersWithoutEnd(t *testing.T) {
	address := newAddress(t)
	var mu sync.Mutex
	var e *env
	var order []string
	gate := make(chan struct{})
	e = start(t, Options{Address: address, Work: &Work{Do: func(turn *Turn) error {
		<-gate
		mu.Lock()
		order = append(order, turn.Job.Client)
		n := len(order)
		mu.Unlock()
		if n < 40 && turn.Job.Client != "a" {
			// The test may be over meanwhile, and its context with it.
			_, _, err := e.Submit(context.Background(), submission(fmt.Sprint("stranger ", n), 1))
			if err != nil {
				t.Error(err)
			}
		}
		return finish(turn)
	}}})
	much := e.submit("a", 10*jobs.MaxChunkLines)
	for i := range 4 {
		e.submit(fmt.Sprint("first ", i), 1)
	}
	close(gate)
	e.wait(much)
	e.stop()
	at := 0
	for i, client := range order {
		if client != "a" {
			continue
		}
		if i-at > 10 {
			t.Errorf("a waits for %d others", i-at-1)
		}
		at = i
	}
}

// Of a client only so many jobs are worked on at once as its class says.
func TestActive(t *testing.T) {
	address := newAddress(t)
	var mu sync.Mutex
	seen := map[jobs.ID]bool{}
	gate := make(chan struct{})
	classes := DefaultClasses()
	c := classes[Keyed]
	c.Active = 2
	classes[Keyed] = c
	e := start(t, Options{Address: address, Classes: classes, Work: &Work{Slots: 8, Do: func(t *Turn) error {
		mu.Lock()
		seen[t.Job.ID] = true
		mu.Unlock()
		<-gate
		return finish(t)
	}}})
	var ids []jobs.ID
	for range 4 {
		ids = append(ids, e.submit("a", 2*jobs.MaxChunkLines))
	}
	for begun := 0; begun < 2; time.Sleep(10 * time.Millisecond) {
		mu.Lock()
		begun = len(seen)
		mu.Unlock()
	}
	if n := e.number(`select count(*) from river_job where kind = 'tsumero_chunk'`); n != 4 {
		t.Errorf("%d chunks are queued", n)
	}
	mu.Lock()
	if len(seen) != 2 || !seen[ids[0]] || !seen[ids[1]] {
		t.Errorf("%d jobs at work", len(seen))
	}
	mu.Unlock()
	close(gate)
	for _, id := range ids {
		e.check(id, 2*jobs.MaxChunkLines)
	}
}

// A key is that of one job: the same lines again are that job, and others a mistake, whether the job
// was accepted, its upload was cut off, or it was removed.
func TestKeys(t *testing.T) {
	address := newAddress(t)
	e := start(t, Options{Address: address, Work: &Work{Do: finish}})
	keyed := func(n int) *Submission {
		s := submission("a", n)
		s.Key = "k"
		return s
	}
	cut := keyed(1)
	cut.Longest = 1000
	cut.Lines = io.MultiReader(strings.NewReader(strings.Repeat(strings.Repeat("x", 999)+"\n", 4000)), brokenReader{})
	if _, _, err := e.Submit(t.Context(), cut); !errors.Is(err, errBroken) {
		t.Fatal(err)
	}
	if n := e.number(`select count(*) from tsumero_chunk`); n == 0 {
		t.Error("nothing of a large upload was stored before its end")
	}
	v, replayed, err := e.Submit(t.Context(), keyed(3000))
	if err != nil || replayed {
		t.Fatal(v, replayed, err)
	}
	e.check(v.ID, 3000)
	again, replayed, err := e.Submit(t.Context(), keyed(3000))
	if err != nil || !replayed || again.ID != v.ID {
		t.Fatal(again, replayed, err)
	}
	if _, _, err := e.Submit(t.Context(), keyed(2999)); !errors.Is(err, ErrMismatch) {
		t.Fatal(err)
	}
	if other := e.submit("a", 3000); other == v.ID {
		t.Error("two jobs without a key are one")
	}
	if err := e.Purge(t.Context(), v.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Job(t.Context(), v.ID); !errors.Is(err, ErrGone) {
		t.Fatal(err)
	}
	v, replayed, err = e.Submit(t.Context(), keyed(10))
	if err != nil || replayed {
		t.Fatal(v, replayed, err)
	}
	e.check(v.ID, 10)
}

var errBroken = errors.New("broken")

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }

// What a client may have is counted over all of its jobs.
func TestQuotas(t *testing.T) {
	address := newAddress(t)
	e := open(t, Options{Address: address, Classes: map[string]Class{Keyed: {Active: 1, Waiting: 2, Lines: 100,
		Time: time.Second, Bytes: 60_000, Keep: time.Hour}}})
	refused := func(s *Submission, of string, never bool) {
		t.Helper()
		_, _, err := e.Submit(t.Context(), s)
		var quota *QuotaError
		if !errors.As(err, &quota) || quota.Of != of || quota.Never != never {
			t.Errorf("%v, want %s", err, of)
		}
	}
	refused(submission("a", 101), "lines", true)
	e.submit("a", 60)
	refused(submission("a", 41), "lines", false)
	long := submission("a", 1)
	long.Lines, long.Longest = strings.NewReader(strings.Repeat("x", 50_000)), 100_000
	refused(long, "bytes", false)
	e.submit("a", 1)
	e.submit("a", 1)
	refused(submission("a", 1), "jobs", false)
	e.submit("b", 100)
	if n := e.number(`select count(*) from tsumero_chunk`); n != 4 {
		t.Errorf("%d chunks are stored", n)
	}
}

// A job that is cancelled ends at once, also where it is worked on, and makes room for the next one.
func TestCancel(t *testing.T) {
	address := newAddress(t)
	begun := make(chan *Turn, 100)
	classes := DefaultClasses()
	c := classes[Keyed]
	c.Active = 1
	classes[Keyed] = c
	var free atomic.Bool
	e := start(t, Options{Address: address, Classes: classes, Work: &Work{Slots: 2, Do: func(t *Turn) error {
		begun <- t
		if free.Load() {
			return finish(t)
		}
		if err := t.Store(answers(t, 5)); err != nil {
			return err
		}
		<-t.Context().Done()
		return context.Cause(t.Context())
	}}})
	first, second := e.submit("a", 3000), e.submit("a", 7)
	<-begun
	for e.results(first) != want(1, 5) {
		time.Sleep(time.Millisecond)
	}
	free.Store(true)
	if err := e.Cancel(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	e.check(second, 7)
	v := e.wait(first)
	if v.State != jobs.Cancelled || v.Finished.IsZero() {
		t.Errorf("%+v", v)
	}
	if err := e.Cancel(t.Context(), first); err != nil {
		t.Error(err)
	}
	if err := e.Cancel(t.Context(), second); !errors.Is(err, ErrFinished) {
		t.Error(err)
	}
	if got := e.results(first); got != want(1, 5) && !strings.HasPrefix(got, want(1, 5)) {
		t.Errorf("%s", got)
	}
}

// An answer that is damaged is told, and found again.
func TestDamagedAnswer(t *testing.T) {
	address := newAddress(t)
	e := start(t, Options{Address: address, Work: &Work{Do: finish}})
	id := e.submit("a", 3000)
	e.check(id, 3000)
	for what, change := range map[string]func(){
		"spoilt": func() {
			e.sql(`update tsumero_answer set data = $2 where job = $1 and n = 1`, string(id), []byte("spoilt"))
		},
		"missing": func() { e.sql(`delete from tsumero_answer where job = $1 and n = 1`, string(id)) },
	} {
		before := e.Damaged()
		change()
		var got strings.Builder
		end, err := e.Results(t.Context(), id, ResultsQuery{Follow: true}, func(line []byte) error {
			got.Write(line)
			return nil
		})
		if err != nil || got.String() != want(1, 3000) || end.State != jobs.Done {
			t.Fatalf("%s: %d bytes, %+v, %v", what, got.Len(), end, err)
		}
		if e.Damaged() != before+1 {
			t.Errorf("%s: it was not counted", what)
		}
		e.check(id, 3000)
	}
}

// A process that stands still within a transaction keeps nobody waiting for long: one of the client's
// other jobs is accepted once the database has ended it.
func TestStandsStill(t *testing.T) {
	if testing.Short() {
		t.Skip("a server is started")
	}
	const setting = "idle_in_transaction_session_timeout"
	server := pgtest.Start(t, pgtest.Options{})
	address := server.URL(server.NewDatabase())
	e := open(t, Options{Address: address})
	var set string
	if err := e.store.Load().row(t.Context(), "show "+setting).Scan(&set); err != nil || set != "15s" {
		t.Errorf("%s is %q, %v", setting, set, err)
	}
	link := "?"
	if strings.Contains(address, "?") {
		link = "&"
	}
	still := open(t, Options{Address: address + link + setting + "=1s"})
	begun, err := still.store.Load().db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	x := &tx{Tx: begun, d: still.store.Load()}
	if err := x.lockClient(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	e.submit("a", 1)
	if took := time.Since(began); took < time.Second/2 {
		t.Errorf("nobody waited: %v", took)
	}
	_ = begun.Rollback()
}

// How long a job waits that comes now: what is ahead of it, at the rate at which chunks ended lately.
func TestWait(t *testing.T) {
	for _, c := range []struct {
		what                string
		seen                int64 // ago, in milliseconds, by a worker with two slots; -1: there is none
		busy, queued, ended int
		earliest            int64 // ago, of those that ended
		wait                time.Duration
		unknown             WaitUnknown
	}{
		{"no worker", -1, 0, 5, 0, 0, 0, NoWorkers},
		{"a worker that is gone", silence.Milliseconds() + 1, 2, 5, 4, 20_000, 0, NoWorkers},
		{"a free slot", 0, 1, 5, 4, 20_000, 0, ""},
		{"nobody ahead", 0, 2, 2, 4, 20_000, 0, ""},
		{"nothing ended", 0, 2, 5, 0, 0, 0, NotMeasured},
		{"all ended long ago", 0, 2, 5, 4, rateTime.Milliseconds() + 1, 0, NotMeasured},
		{"four in 20 s, three ahead", silence.Milliseconds() - 1, 2, 5, 4, 20_000, 20 * time.Second, ""},
		{"two in a moment count as two a second", 0, 2, 3, 2, 0, time.Second, ""},
	} {
		now := time.Now().UnixMilli()
		e := open(t, Options{Address: newAddress(t), Now: func() time.Time { return time.UnixMilli(now) }})
		if c.seen >= 0 {
			e.sql(`insert into tsumero_worker(name, version, memory, slots, busy, seen) values('w', '', 0, 2, $1, $2)`,
				c.busy, now-c.seen)
		}
		for n := range c.queued + c.ended {
			state, finished := 1, int64(0)
			if n >= c.queued {
				state, finished = 2, now-c.earliest
			}
			e.sql(`insert into tsumero_chunk(job, n, client, memory, state, finished, queued, last)
				values('j', $1, 'c', 0, $2, $3, $4, 0)`, n, state, finished, now)
		}
		s, err := e.measure(t.Context(), e.store.Load())
		if err != nil || s.Wait != c.wait || s.Unknown != c.unknown {
			t.Errorf("%s: %v %q, %v; want %v %q", c.what, s.Wait, s.Unknown, err, c.wait, c.unknown)
		}
		e.stop()
	}
}

// A job says which programs found its answers, each once: of chunks, of parts of one, and of a chunk
// that is answered again.
func TestVersions(t *testing.T) {
	address := newAddress(t)
	handed := make(chan struct{})
	first := start(t, Options{Address: address, Work: &Work{Version: "1", Slots: 1, Do: func(t *Turn) error {
		if t.N == 0 {
			return finish(t)
		}
		if t.Parts == 0 {
			defer close(handed)
			return t.Next(answers(t, 10), true)
		}
		return t.Next(&Part{}, true)
	}}})
	id := first.submit("a", 3000)
	<-handed
	second := func(version string) *env {
		return start(t, Options{Address: address, Work: &Work{Name: version, Version: version, Do: finish}})
	}
	first.stop()
	check := func(e *env, want ...string) {
		t.Helper()
		e.check(id, 3000)
		v, err := e.Job(t.Context(), id)
		slices.Sort(v.Versions) // which are named as chunks end
		if err != nil || !slices.Equal(v.Versions, want) {
			t.Errorf("%q, %v; want %q", v.Versions, err, want)
		}
	}
	e := second("2")
	check(e, "1", "2")
	e.stop()
	e = second("3")
	check(e, "1", "2")
	e.sql(`delete from tsumero_answer where job = $1 and n = 1`, string(id))
	e.results(id) // finds that they are missing
	check(e, "1", "2", "3")
}

// A question that is damaged ends its job.
func TestDamagedQuestion(t *testing.T) {
	address := newAddress(t)
	e := open(t, Options{Address: address, Work: &Work{Do: finish}})
	id := e.submit("a", 3000)
	e.sql(`update tsumero_input set data = $2 where job = $1 and n = 1`, string(id), []byte("spoilt"))
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { _ = e.Run(ctx) })
	v := e.wait(id)
	if v.State != jobs.Failed || v.Failure.Code != wire.InternalError.Code || e.Damaged() != 1 {
		t.Errorf("%+v", v)
	}
	cancel()
	all.Wait()
}

// A process that was killed leaves nothing that waits for it.
func TestKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "jobs")
	began := make(chan struct{}, 10)
	e := start(t, Options{Address: dir, Work: &Work{Do: func(t *Turn) error {
		if err := t.Store(answers(t, 3)); err != nil {
			return err
		}
		began <- struct{}{}
		<-t.Context().Done()
		return errors.New("killed")
	}}})
	id := e.submit("a", 2000)
	<-began
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	e.turns.abandon()
	e = start(t, Options{Address: copied, Work: &Work{Do: finish}})
	e.check(id, 2000)
}

// Rows and leaders of the future, of a clock that was wrong, keep nothing waiting.
func TestClock(t *testing.T) {
	address := newAddress(t)
	e := open(t, Options{Address: address})
	id := e.submit("a", 5000)
	future := `now() + interval '1 year'`
	if !e.store.Load().postgres {
		future = `datetime('now', '+1 year', 'subsec')`
	}
	e.sql(`update river_job set scheduled_at = ` + future)
	e.stop()
	e = open(t, Options{Address: address, Work: &Work{Do: finish}})
	if err := e.sweep(t.Context()); err != nil { // PostgreSQL; a directory is mended when it is opened
		t.Fatal(err)
	}
	if n := e.number(`select count(*) from river_job where kind = 'tsumero_chunk' and scheduled_at <= {time}`); n != leastWindow {
		t.Errorf("%d rows may begin", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { _ = e.Run(ctx) })
	e.check(id, 5000)
	cancel()
	all.Wait()
}

// Jobs are forgotten after their time, with all that is stored of them.
func TestExpire(t *testing.T) {
	address := newAddress(t)
	var skew atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(skew.Load())) }
	e := start(t, Options{Address: address, Now: now, Work: &Work{Do: finish}})
	old := e.submit("a", 2*clearBatch*jobs.MaxChunkLines)
	e.wait(old)
	skew.Store(int64(29 * 24 * time.Hour))
	later := e.submit("a", 10)
	e.check(later, 10)
	skew.Store(int64(31 * 24 * time.Hour))
	if err := e.sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Job(t.Context(), old); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	e.check(later, 10)
	for _, table := range []string{"tsumero_chunk", "tsumero_input", "tsumero_answer"} {
		if n := e.number(`select count(*) from ` + table); n != 1 {
			t.Errorf("%d rows in %s", n, table)
		}
	}
	skew.Store(int64(60 * 24 * time.Hour))
	if err := e.sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Job(t.Context(), old); !errors.Is(err, jobs.ErrNotFound) {
		t.Error(err)
	}
}

// Two processes do not share a directory, and a program refuses what is not of its format.
func TestRefusals(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "jobs")
	e := open(t, Options{Address: dir})
	q, err := New(Options{Address: dir})
	if err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := q.Open(soon); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("a second process: %v", err)
	}
	e.sql(`update tsumero_kv set value = $1 where name = 'version'`, []byte("2"))
	e.stop()
	if err := q.Open(t.Context()); !errors.Is(err, ErrFormat) {
		t.Errorf("newer tables: %v", err)
	}
	if q, err = New(Options{Address: filepath.Join(t.TempDir(), "none"), NoTables: true}); err != nil {
		t.Fatal(err)
	}
	if err := q.Open(t.Context()); !errors.Is(err, errNoTables) {
		t.Errorf("no tables: %v", err)
	}
	old := t.TempDir()
	if err := os.Mkdir(filepath.Join(old, "js"), 0o700); err != nil {
		t.Fatal(err)
	}
	if q, err = New(Options{Address: old}); err != nil {
		t.Fatal(err)
	}
	if err := q.Open(t.Context()); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "NATS") {
		t.Errorf("an old directory: %v", err)
	}
	for _, address := range []string{"", "mysql://host/db", "sqlite:/tmp/jobs.db", "file:jobs.db", "host=db password=secret", "dbname = jobs",
		"user=u\tpassword='secret'", "sslmode=require host=db", "postgres://u:secret@%zz/db"} {
		if _, err := New(Options{Address: address}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q as an address: %v", address, err)
		}
	}
	for _, address := range []string{"jobs", "./host=1", "a b", "postgres://u:p@a:1,b:2/db"} {
		if _, err := New(Options{Address: address}); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// A backup beside the work is complete, and what check says is what is damaged.
func TestBackup(t *testing.T) {
	dir, file := filepath.Join(t.TempDir(), "jobs"), filepath.Join(t.TempDir(), "backup")
	e := start(t, Options{Address: dir, Work: &Work{Do: finish}})
	id := e.submit("a", 3000)
	e.check(id, 3000)
	if err := Backup(t.Context(), dir, file); err != nil {
		t.Fatal(err)
	}
	if err := Backup(t.Context(), dir, file); err == nil {
		t.Error("a backup replaces another")
	}
	restored := filepath.Join(t.TempDir(), "restored")
	if err := Restore(t.Context(), file, restored); err != nil {
		t.Fatal(err)
	}
	if err := Restore(t.Context(), file, restored); err == nil {
		t.Error("a restore replaces jobs")
	}
	e = start(t, Options{Address: restored, Work: &Work{Do: finish}})
	e.check(id, 3000)
	check := func(want int) {
		t.Helper()
		var found []string
		read, err := Check(t.Context(), restored, func(what string) { found = append(found, what) })
		if err != nil || read != 6 || len(found) != want {
			t.Errorf("%d read, %q, %v", read, found, err)
		}
	}
	check(0)
	e.sql(`update tsumero_answer set data = $1 where n = 2`, []byte("spoilt"))
	check(1)
}
