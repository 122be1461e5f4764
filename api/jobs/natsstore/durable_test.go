//go:build !nonats

package natsstore_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
)

// childVariable is the directory of the store that a child of the test writes to.
const childVariable = "TSUMERO_TEST_STORE"

// children are what a child of the test does, by the variable that has its directory.
var children = map[string]func(dir string) error{childVariable: child}

func TestMain(m *testing.M) {
	for variable, run := range children {
		if dir := os.Getenv(variable); dir != "" {
			if err := run(dir); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	// Tests that run at once wait for elections, for leases to end and for disks, so there may be more
	// of them than processors.
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// child writes into a store until it is killed, and what was acknowledged into a ledger. What was
// written to that file outlives the process.
func child(dir string) error {
	s, err := natsstore.Embedded(natsstore.EmbeddedOptions{Dir: dir, MaxBytes: 1 << 30})
	if err != nil {
		return err
	}
	ledger, err := os.OpenFile(filepath.Join(dir, "ledger"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	ctx := context.Background()
	failed := make(chan error)
	for range 4 {
		go func() {
			for {
				j := newJob()
				acknowledged := func(what string, err error) {
					if err == nil {
						_, err = fmt.Fprintf(ledger, "%s %s\n", what, j.ID)
					}
					if err != nil {
						failed <- fmt.Errorf("%s: %w", what, err)
					}
				}
				_, err := s.Create(ctx, j)
				acknowledged("record", err)
				acknowledged("input", s.PutInput(ctx, j.ID, 0, []byte(j.ID)))
				acknowledged("queue", s.Enqueue(ctx, j.ID, j.Accepted))
				_, err = s.AddAttempt(ctx, j.ID, 0, 0)
				acknowledged("attempt", err)
				_, err = s.PutResult(ctx, j.ID, 0, piece(string(j.ID)))
				acknowledged("result", err)
			}
		}()
	}
	return <-failed
}

// TestKill kills a process that writes, and wants everything that was acknowledged to be there.
func TestKill(t *testing.T) {
	t.Parallel()
	rounds := 10
	if testing.Short() {
		rounds = 2
	}
	dir := t.TempDir()
	ctx := t.Context()
	random := rand.New(rand.NewPCG(1, 2))
	lines, jobsSeen := 0, 0
	for round := range rounds {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childVariable+"="+dir)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Not before it has done something in this round.
		wait(t, "the child to write", func() bool { return countLines(t, dir) > lines })
		time.Sleep(time.Duration(random.IntN(100)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || stderr.Len() > 0 {
			t.Fatalf("the child ended by itself: %v, %s", err, &stderr)
		}

		s := embedded(t, dir, 1<<30)
		f, err := os.Open(filepath.Join(dir, "ledger"))
		if err != nil {
			t.Fatal(err)
		}
		scanner := bufio.NewScanner(f)
		queued := map[jobs.ID]bool{}
		n := 0
		for ; scanner.Scan(); n++ {
			if n < lines {
				continue
			}
			what, id, _ := strings.Cut(scanner.Text(), " ")
			if err := find(ctx, s, what, jobs.ID(id)); err != nil {
				t.Errorf("round %d: %s of %s was acknowledged: %v", round, what, id, err)
			}
			if what == "queue" {
				queued[jobs.ID(id)] = true
			}
		}
		_ = f.Close()
		lines = n
		jobsSeen += len(queued)
		// The queue has them, and at most those besides whose acknowledgement was cut off.
		more := 0
		for len(queued) > 0 {
			take, cancel := context.WithTimeout(ctx, patience)
			q, err := s.AcquireJob(take)
			cancel()
			if err != nil {
				t.Fatalf("round %d: %d jobs are not in the queue: %v", round, len(queued), err)
			}
			if !queued[q.ID] {
				more++
			}
			delete(queued, q.ID)
			// It has ended, else it would be put into the queue again.
			if j, rev, err := s.Job(ctx, q.ID); err == nil {
				j.State = jobs.Done
				must(t)(s.Update(ctx, j, rev))
			}
			if err := q.Ack(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if more > 8 { // four now, and four in the round before
			t.Errorf("round %d: %d jobs more than were acknowledged", round, more)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills, %d jobs, %d writes acknowledged", rounds, jobsSeen, lines)
}

func find(ctx context.Context, s *natsstore.Store, what string, id jobs.ID) error {
	switch what {
	case "record":
		_, _, err := s.Job(ctx, id)
		return err
	case "input":
		data, err := s.Input(ctx, id, 0)
		if err == nil && string(data) != string(id) {
			err = fmt.Errorf("it is %q", data)
		}
		return err
	case "attempt":
		n, err := s.AddAttempt(ctx, id, 0, 0)
		if err == nil && n != 2 {
			err = fmt.Errorf("the next is number %d", n)
		}
		return err
	case "result":
		p, err := s.Result(ctx, id, 0)
		if err == nil && string(p.Text) != string(id) {
			err = fmt.Errorf("it is %q", p.Text)
		}
		return err
	}
	return nil
}

func countLines(t *testing.T, dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, "ledger"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := embedded(t, dir, 1<<30)
	// A file is locked by its descriptor, so this process is as foreign as another.
	_, err := natsstore.Embedded(natsstore.EmbeddedOptions{Dir: dir})
	if !errors.Is(err, natsstore.ErrLocked) || !strings.HasSuffix(err.Error(), fmt.Sprintf("by process %d", os.Getpid())) {
		t.Errorf("a second Embedded: %v", err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+dir)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), natsstore.ErrLocked.Error()) {
		t.Errorf("another process: %v, %s", err, out)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	_, err = natsstore.Connect(t.Context(), natsstore.ClusterOptions{URL: "nats://127.0.0.1:1", Dir: dir})
	if !errors.Is(err, natsstore.ErrWrongKind) {
		t.Errorf("an embedded directory with cluster options: %v", err)
	}
	_, err = natsstore.Embedded(natsstore.EmbeddedOptions{Options: natsstore.Options{Prefix: "other"}, Dir: dir})
	if !errors.Is(err, natsstore.ErrWrongKind) {
		t.Errorf("a directory with another prefix: %v", err)
	}
	_, err = natsstore.Embedded(natsstore.EmbeddedOptions{Options: natsstore.Options{Prefix: "a.b"}, Dir: dir})
	if err == nil {
		t.Error("a prefix with a dot was taken")
	}
	clustered := t.TempDir()
	_, err = natsstore.Connect(t.Context(), natsstore.ClusterOptions{
		URL: "nats://127.0.0.1:1", Dir: clustered, SetUpTime: time.Millisecond,
	})
	if err == nil || errors.Is(err, natsstore.ErrWrongKind) {
		t.Errorf("no server: %v", err)
	}
	_, err = natsstore.Embedded(natsstore.EmbeddedOptions{Dir: clustered})
	if !errors.Is(err, natsstore.ErrWrongKind) {
		t.Errorf("a cluster's directory as an embedded one: %v", err)
	}
	foreign := t.TempDir()
	if err := os.Mkdir(filepath.Join(foreign, "js"), 0o700); err != nil {
		t.Fatal(err)
	}
	thesis := filepath.Join(foreign, "thesis.new.txt")
	check(t, os.WriteFile(thesis, nil, 0o600))
	_, err = natsstore.Embedded(natsstore.EmbeddedOptions{Dir: foreign})
	if !errors.Is(err, natsstore.ErrWrongKind) {
		t.Errorf("streams without a format: %v", err)
	}
	check(t, os.Remove(filepath.Join(foreign, "js")))
	embedded(t, foreign, 1<<30)
	if _, err := os.Stat(thesis); err != nil {
		t.Errorf("a file of others: %v", err)
	}
	embedded(t, dir, 1<<30) // all of this has changed nothing
}

// TestFlippedByte changes a byte of each stream on the disk, at many places.
func TestFlippedByte(t *testing.T) {
	t.Parallel()
	places := 15
	if testing.Short() {
		places = 1
	}
	dir := t.TempDir()
	s := embedded(t, dir, 1<<30)
	text := func(what string, id jobs.ID, chunk int) string {
		return strings.Repeat(fmt.Sprint(what, id, chunk), 10)
	}
	var all []*jobs.Job
	for range 3 {
		j := newJob()
		j.State, j.Chunks, j.DoneChunks = jobs.Running, 4, 2
		all = append(all, j)
		must(t)(s.Create(t.Context(), j))
		for chunk := range j.Chunks {
			check(t, s.PutInput(t.Context(), j.ID, chunk, []byte(text("in", j.ID, chunk))))
		}
		for chunk := range j.DoneChunks {
			must(t)(s.PutResult(t.Context(), j.ID, chunk, piece(text("out", j.ID, chunk))))
		}
		check(t, s.Enqueue(t.Context(), j.ID, j.Accepted))
	}
	for _, read := range []bool{false, true} {
		if missing, err := s.Verify(t.Context(), read); err != nil || len(missing) > 0 {
			t.Fatalf("of a good store %v is missing, %v", missing, err)
		}
	}
	check(t, s.Close())

	for _, stream := range []string{"JOBS", "COORD", "IN", "OUT"} {
		random := rand.New(rand.NewPCG(1, 2))
		for range places {
			bad := filepath.Join(t.TempDir(), "store")
			check(t, os.CopyFS(bad, os.DirFS(dir)))
			at, bit := flip(t, bad, stream, random)
			t.Run(fmt.Sprintf("%s byte %d bit %d", stream, at, bit), func(t *testing.T) { checkFlipped(t, bad, all, text) })
		}
	}
}

// flip changes a bit of the first block of a stream in a directory, anywhere.
func flip(t *testing.T, dir, stream string, random *rand.Rand) (at, bit int) {
	t.Helper()
	blocks, err := filepath.Glob(filepath.Join(dir, "js/jetstream/*/streams/tsumero-"+stream+"/msgs/*.blk"))
	if err != nil || len(blocks) == 0 {
		t.Fatalf("blocks %v, %v", blocks, err)
	}
	data, err := os.ReadFile(blocks[0])
	check(t, err)
	at, bit = random.IntN(len(data)), random.IntN(8)
	data[at] ^= 1 << bit
	check(t, os.WriteFile(blocks[0], data, 0o600))
	return at, bit
}

// checkFlipped wants everything in the store to be as it was, or to be said.
func checkFlipped(t *testing.T, dir string, all []*jobs.Job, text func(what string, id jobs.ID, chunk int) string) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s := embedded(t, dir, 1<<30)
	defer s.Close()
	missing, err := s.Verify(ctx, true)
	if err != nil {
		t.Fatal(err)
	}
	said := map[jobs.ID]bool{}
	for _, m := range missing {
		said[m.ID] = true
	}
	for _, f := range s.Findings() { // what the start has mended
		said[f.ID] = true
	}
	queued := 0
	for _, j := range all {
		if said[j.ID] {
			continue
		}
		queued++
		if got, _, err := s.Job(ctx, j.ID); err != nil || *got != *j {
			t.Errorf("record %+v, %v, and nothing said", got, err)
		}
		for chunk := range j.Chunks {
			if got, err := s.Input(ctx, j.ID, chunk); err != nil || string(got) != text("in", j.ID, chunk) {
				t.Errorf("chunk %d is %q, %v, and nothing said", chunk, got, err)
			}
		}
		for chunk := range j.DoneChunks {
			if p, err := s.Result(ctx, j.ID, chunk); err != nil || string(p.Text) != text("out", j.ID, chunk) {
				t.Errorf("result %d is %v, %v, and nothing said", chunk, p, err)
			}
		}
	}
	for range queued {
		q, err := s.AcquireJob(ctx)
		if err != nil {
			t.Fatal(err)
		}
		check(t, q.Nak(ctx, time.Hour))
		if said[q.ID] {
			queued++ // it was not among those that are wanted
		}
	}
	// Jobs can be failed and forgotten, and others come.
	for _, j := range all {
		if got, r, err := s.Job(ctx, j.ID); err == nil {
			got.State, got.DoneChunks = jobs.Failed, 0
			must(t)(s.Update(ctx, got, r))
		}
		must(t)(s.AddAttempt(ctx, j.ID, 0, 0))
		check(t, s.Remove(ctx, j.ID))
	}
	j := newJob()
	must(t)(s.Create(ctx, j))
	check(t, s.PutInput(ctx, j.ID, 0, []byte("in")))
	must(t)(s.PutResult(ctx, j.ID, 0, piece("out")))
	check(t, s.Enqueue(ctx, j.ID, j.Accepted))
	if missing, err := s.Verify(ctx, true); err != nil || len(missing) > 0 {
		t.Errorf("after all was removed: %v, %v", missing, err)
	}
}

func must(t *testing.T) func(v any, err error) {
	return func(_ any, err error) {
		t.Helper()
		check(t, err)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestLost takes away what is stored, message by message, and wants each loss to be told.
func TestLost(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := embedded(t, t.TempDir(), 1<<30)
	make := func(state jobs.State) jobs.ID {
		j := newJob()
		j.State, j.Chunks, j.DoneChunks = state, 2, 1
		must(t)(s.Create(ctx, j))
		for chunk := range 2 {
			check(t, s.PutInput(ctx, j.ID, chunk, []byte("in")))
		}
		must(t)(s.PutResult(ctx, j.ID, 0, piece("out")))
		if state == jobs.Running {
			check(t, s.Enqueue(ctx, j.ID, j.Accepted))
		}
		return j.ID
	}
	want := map[jobs.ID]natsstore.Missing{}
	lose := func(state jobs.State, subject string, m natsstore.Missing) {
		m.ID = make(state)
		m.State = state
		if m.Record {
			m.State = ""
		}
		want[m.ID] = m
		natsstore.Lose(t, s, fmt.Sprintf(subject, m.ID))
	}
	make(jobs.Running)
	make(jobs.Receiving)
	make(jobs.Cancelled)
	lose(jobs.Running, "job.%s", natsstore.Missing{Record: true})
	lose(jobs.Running, "coord.%s", natsstore.Missing{Message: true})
	lose(jobs.Running, "in.%s.1", natsstore.Missing{Input: 1})
	lose(jobs.Running, "out.%s.r.0", natsstore.Missing{Results: 1})
	done := make(jobs.Done) // with one result of two
	want[done] = natsstore.Missing{ID: done, State: jobs.Done, Results: 1}

	missing, err := s.Verify(ctx, false)
	check(t, err)
	for _, m := range missing {
		if m != want[m.ID] {
			t.Errorf("told %+v, want %+v", m, want[m.ID])
		}
		if m.Fatal() != (m.Record || m.Input > 0 || m.State == jobs.Done) {
			t.Errorf("%v: fatal %t", m, m.Fatal())
		}
		if !strings.Contains(m.String(), string(m.ID)) {
			t.Errorf("%q does not name the job", m.String())
		}
		delete(want, m.ID)
	}
	for _, m := range want {
		t.Errorf("not told: %+v", m)
	}
}

// TestBackup takes a store into another one and into a cluster while jobs are written to it.
func TestBackup(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	from := embedded(t, t.TempDir(), 1<<30)
	secret, err := from.Secret(ctx)
	check(t, err)
	var all []*jobs.Job
	text := func(j *jobs.Job, chunk int) string { return strings.Repeat(fmt.Sprint(j.ID, chunk), 1000) }
	for range 20 {
		j := newJob()
		must(t)(from.Create(ctx, j))
		for chunk := range 3 {
			check(t, from.PutInput(ctx, j.ID, chunk, []byte(text(j, chunk))))
			must(t)(from.PutResult(ctx, j.ID, chunk, piece(text(j, chunk))))
		}
		must(t)(from.PutPart(ctx, j.ID, 1, 0, piece("part")))
		must(t)(from.AddAttempt(ctx, j.ID, 1, 0))
		check(t, from.Enqueue(ctx, j.ID, j.Accepted))
		all = append(all, j)
	}
	removed := newJob()
	must(t)(from.Create(ctx, removed))
	check(t, from.Remove(ctx, removed.ID))

	// Others write meanwhile.
	var wg sync.WaitGroup
	during, cancel := context.WithCancel(ctx)
	wg.Go(func() {
		for during.Err() == nil {
			j := newJob()
			// A record says queued only once the input is there.
			check(t, from.PutInput(ctx, j.ID, 0, []byte(j.ID)))
			must(t)(from.Create(ctx, j))
			check(t, from.Enqueue(ctx, j.ID, j.Accepted))
		}
	})
	dir := filepath.Join(t.TempDir(), "backup")
	err = from.Backup(ctx, dir)
	cancel()
	wg.Wait()
	check(t, err)
	if err := from.Backup(ctx, dir); !errors.Is(err, natsstore.ErrNotEmpty) {
		t.Errorf("Backup over a backup: %v", err)
	}
	if err := from.Restore(ctx, dir); !errors.Is(err, natsstore.ErrNotEmpty) {
		t.Errorf("Restore over jobs: %v", err)
	}

	same := func(t *testing.T, to *natsstore.Store, replicas int) {
		check(t, to.Restore(ctx, dir))
		if got, err := to.Secret(ctx); err != nil || string(got) != string(secret) {
			t.Errorf("the secret is another: %v", err)
		}
		for _, j := range all {
			got, _, err := to.Job(ctx, j.ID)
			if err != nil || *got != *j {
				t.Errorf("record %+v, %v, want %+v", got, err, j)
			}
			for chunk := range 3 {
				if in, err := to.Input(ctx, j.ID, chunk); err != nil || string(in) != text(j, chunk) {
					t.Errorf("input %d of %s: %d bytes, %v", chunk, j.ID, len(in), err)
				}
				if p, err := to.Result(ctx, j.ID, chunk); err != nil || string(p.Text) != text(j, chunk) {
					t.Errorf("result %d of %s: %v", chunk, j.ID, err)
				}
			}
			if n, err := to.AddAttempt(ctx, j.ID, 1, 0); n != 2 || err != nil {
				t.Errorf("attempt %d, %v", n, err)
			}
		}
		if _, _, err := to.Job(ctx, removed.ID); !errors.Is(err, jobs.ErrNotFound) {
			t.Errorf("a removed record: %v", err)
		}
		// Every job that is known is in the queue, whenever it was written.
		known := map[jobs.ID]bool{}
		watch, cancel := context.WithCancel(ctx)
		_ = to.Watch(watch, func(c jobs.Change) {
			if c.ID == "" {
				cancel()
				return
			}
			known[c.ID] = true
		})
		if missing, err := to.Verify(ctx, true); err != nil || len(missing) > 0 {
			t.Errorf("missing after the restore: %v, %v", missing, err)
		}
		n := len(known)
		for range n {
			take, cancel := context.WithTimeout(ctx, patience)
			q, err := to.AcquireJob(take)
			cancel()
			check(t, err)
			if !known[q.ID] {
				t.Errorf("job %s is in the queue and has no record", q.ID)
			}
			delete(known, q.ID)
			check(t, q.Ack(ctx))
		}
		if n < len(all) {
			t.Errorf("%d jobs, want %d and more", n, len(all))
		}
		if status, err := to.Status(ctx); err != nil || status.Replicas != replicas {
			t.Errorf("status %+v, %v", status, err)
		}
	}
	t.Run("embedded", func(t *testing.T) { same(t, embedded(t, t.TempDir(), 1<<30), 1) })
	t.Run("changed", func(t *testing.T) {
		bad := filepath.Join(t.TempDir(), "backup")
		check(t, os.CopyFS(bad, os.DirFS(dir)))
		name := filepath.Join(bad, "IN")
		text, err := os.ReadFile(name)
		check(t, err)
		text[len(text)/2]++
		check(t, os.WriteFile(name, text, 0o600))
		to := embedded(t, t.TempDir(), 1<<30)
		if err := to.Restore(ctx, bad); err == nil || !strings.Contains(err.Error(), "has changed") {
			t.Errorf("Restore of a changed backup: %v", err)
		}
		same(t, to, 1) // it is as empty as before
	})
	t.Run("cluster", func(t *testing.T) {
		if testing.Short() {
			t.Skip("three servers")
		}
		c := newCluster(t)
		c.addSystem()
		c.start(0, 1, 2)
		to := c.connect()
		same(t, to, 3)
		c.current()
		// The files of the backup are compressed by an engine. It need not start again here.
		if status, err := to.Status(ctx); err != nil || status.Warning == "" {
			t.Errorf("status %+v, %v", status, err)
		}
		wait(t, "the end of compressed files", func() bool {
			todo, err := to.Recompress(ctx)
			return err == nil && todo == ""
		})
		if status, err := to.Status(ctx); err != nil || status.Warning != "" {
			t.Errorf("status %+v, %v", status, err)
		}
	})
}
