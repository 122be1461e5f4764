//go:build !nonats

package natsstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
)

// accept accepts a job of two chunks as clients do, and takes it as far as a state. One that is done
// must be accepted while no other waits.
func accept(t *testing.T, s *natsstore.Store, state jobs.State) *jobs.Job {
	t.Helper()
	ctx := t.Context()
	j := newJob()
	j.State, j.Accepted = jobs.Receiving, jobs.Accepted{}
	j.Client, j.Note = "the client", "a note"
	rev, err := s.Create(ctx, j)
	check(t, err)
	for chunk := range 2 {
		check(t, s.PutInput(ctx, j.ID, chunk, []byte(j.ID)))
	}
	check(t, s.Enqueue(ctx, j.ID, jobs.Accepted{Lines: 2, Chunks: 2, Digest: "abc"}))
	results := map[jobs.State]int{jobs.Receiving: 0, jobs.Running: 1, jobs.Done: 2}[state]
	for chunk := range results {
		must(t)(s.PutResult(ctx, j.ID, chunk, piece(string(j.ID))))
	}
	if state == jobs.Receiving {
		return j // no coordinator had it yet
	}
	j.State, j.Accepted = state, jobs.Accepted{Lines: 2, Chunks: 2, Digest: "abc"}
	j.DoneChunks, j.Counts, j.Nodes = results, jobs.Counts{Mate: results}, uint64(5*results)
	if state == jobs.Done {
		j.Finished = time.Unix(2e9, 0).UTC()
	}
	must(t)(s.Update(ctx, j, rev))
	if state == jobs.Done {
		q, err := s.AcquireJob(ctx) // there is no other
		check(t, err)
		check(t, q.Ack(ctx))
		check(t, s.DropInput(ctx, j.ID))
	}
	return j
}

// TestDamage: whatever a flipped bit takes with it, and several at once, each job that was accepted
// has its record afterwards, and is as it was unless a finding says what it lost. Findings stay until
// they are acknowledged.
func TestDamage(t *testing.T) {
	t.Parallel()
	places := 4
	if testing.Short() {
		places = 1
	}
	dir := t.TempDir()
	s := embedded(t, dir, 1<<30)
	secret, err := s.Secret(t.Context())
	check(t, err)
	var all []*jobs.Job
	for _, state := range []jobs.State{jobs.Done, jobs.Receiving, jobs.Running} {
		for range 3 {
			all = append(all, accept(t, s, state))
		}
	}
	removed := accept(t, s, jobs.Running)
	check(t, s.Remove(t.Context(), removed.ID))
	check(t, s.Close())

	random := rand.New(rand.NewPCG(3, 4))
	lost := 0
	for _, streams := range [][]string{
		{}, {"JOBS"}, {"COORD"}, {"IN"}, {"OUT"}, {"JOBS", "COORD"}, {"JOBS", "COORD", "IN", "OUT"},
	} {
		for range places {
			bad := filepath.Join(t.TempDir(), "store")
			check(t, os.CopyFS(bad, os.DirFS(dir)))
			name := "nothing"
			for _, stream := range streams {
				at, bit := flip(t, bad, stream, random)
				name = fmt.Sprintf("%s, %s byte %d bit %d", name, stream, at, bit)
			}
			t.Run(name, func(t *testing.T) {
				n := checkDamaged(t, bad, all, secret)
				if len(streams) == 0 && n > 0 {
					t.Errorf("%d findings in a good store", n)
				}
				lost += n
			})
			if len(streams) == 0 {
				break
			}
		}
	}
	if lost == 0 {
		t.Error("no flip did any harm")
	}
}

// checkDamaged opens a damaged store twice, and returns how many findings there were.
func checkDamaged(t *testing.T, dir string, all []*jobs.Job, secret []byte) int {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s := embedded(t, dir, 1<<30)
	missing, err := s.Verify(ctx, true)
	check(t, err)
	check(t, s.Mend(ctx, missing))
	found := map[jobs.ID]string{}
	for _, f := range s.Findings() {
		found[f.ID] += f.String()
	}
	waiting := map[jobs.ID]bool{}
	for _, j := range all {
		got, _, err := s.Job(ctx, j.ID)
		if err != nil {
			t.Errorf("the record of a job is lost: %v, findings %q", err, found[j.ID])
			continue
		}
		if got.Client != j.Client || got.Note != j.Note || !got.Created.Equal(j.Created) {
			t.Errorf("the record is %+v, not %+v", got, j)
		}
		if found[j.ID] == "" && *got != *j {
			t.Errorf("the record is %+v, not %+v, and nothing is said", got, j)
		}
		if !got.State.Ended() {
			waiting[j.ID] = true
		}
		for chunk := range 2 {
			in, err := s.Input(ctx, j.ID, chunk)
			out, err2 := s.Result(ctx, j.ID, chunk)
			hasIn, hasOut := err == nil && string(in) == string(j.ID), err2 == nil && string(out.Text) == string(j.ID)
			if !hasIn && !hasOut && got.State != jobs.Failed && found[j.ID] == "" {
				t.Errorf("chunk %d of a job that is %s is lost, and nothing is said", chunk, got.State)
			}
			if !hasOut && chunk < j.DoneChunks && found[j.ID] == "" {
				t.Errorf("result %d is lost, and nothing is said", chunk)
			}
		}
	}
	if got, err := s.Secret(ctx); err != nil || !bytes.Equal(got, secret) {
		t.Errorf("the secret is another, %v", err)
	}
	for len(waiting) > 0 {
		q, err := s.AcquireJob(ctx)
		if err != nil {
			t.Errorf("not in the queue: %v: %v", slices.Collect(maps.Keys(waiting)), err)
			break
		}
		delete(waiting, q.ID)
		check(t, q.Nak(ctx, time.Hour))
	}
	if status, err := s.Status(ctx); err != nil || status.Findings != len(s.Findings()) {
		t.Errorf("status %+v, %v, with %d findings", status, err, len(s.Findings()))
	}
	before := s.Findings()
	check(t, s.Close())

	s = embedded(t, dir, 1<<30)
	if got := s.Findings(); !slices.Equal(got, before) {
		t.Errorf("after another start the findings are %+v, not %+v", got, before)
	}
	missing, err = s.Verify(ctx, false)
	check(t, err)
	check(t, s.Mend(ctx, missing)) // what stays missing is known
	if got := s.Findings(); len(got) != len(before) {
		t.Errorf("a second Verify found %+v after %+v", got, before)
	}
	check(t, s.Acknowledge())
	check(t, s.Mend(ctx, missing))
	check(t, s.Close())
	s = embedded(t, dir, 1<<30)
	if got := s.Findings(); len(got) > 0 {
		t.Errorf("acknowledged, and there are %+v", got)
	}
	return len(before)
}

// TestLedger: what it has survives a start, lines that cannot be read are counted, and one that was
// cut off is not. The file does not grow with the jobs that were there once.
func TestLedger(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "js", "ledger")
	s := embedded(t, dir, 1<<30)
	kept := accept(t, s, jobs.Running)
	check(t, s.Close())
	text, err := os.ReadFile(name)
	check(t, err)
	if !bytes.Contains(text, []byte(`"state":"running"`)) {
		t.Errorf("the ledger has no change of a state: %s", text)
	}

	check(t, os.WriteFile(name, append(text, "0123"...), 0o600))
	s = embedded(t, dir, 1<<30)
	if got := s.Findings(); len(got) > 0 {
		t.Errorf("a line that was cut off: %+v", got)
	}
	check(t, s.Close())

	text[len(text)/2] ^= 1
	check(t, os.WriteFile(name, text, 0o600))
	s = embedded(t, dir, 1<<30)
	if got := s.Findings(); len(got) != 1 || got[0].ID != "" {
		t.Errorf("a line that is damaged: %+v", got)
	}
	if missing, err := s.Verify(t.Context(), false); err != nil || len(missing) > 0 {
		t.Errorf("Verify, which takes in what the ledger lacks: %v, %v", missing, err)
	}
	natsstore.Lose(t, s, "job."+string(kept.ID))
	check(t, s.Close())
	s = embedded(t, dir, 1<<30)
	if got, _, err := s.Job(t.Context(), kept.ID); err != nil || got.Client != kept.Client {
		t.Errorf("after Verify and the loss of the record: %+v, %v", got, err)
	}
	check(t, s.Acknowledge())

	// A record that is older than one that was stored counts as lost.
	old := *kept
	old.State, old.Accepted = jobs.Receiving, jobs.Accepted{}
	natsstore.Revert(t, s, &old)
	check(t, s.Close())
	s = embedded(t, dir, 1<<30)
	if got, _, err := s.Job(t.Context(), kept.ID); err != nil || got.State != jobs.Queued ||
		got.DoneChunks != 1 || len(s.Findings()) != 1 {
		t.Errorf("after an older record came back: %+v, %v, findings %v", got, err, s.Findings())
	}
	check(t, s.Acknowledge())

	// What was removed is not missed, also when nobody remembers its removal any more.
	check(t, s.Remove(t.Context(), kept.ID))
	natsstore.Lose(t, s, "job."+string(kept.ID))
	check(t, s.Close())
	s = embedded(t, dir, 1<<30)
	if _, _, err := s.Job(t.Context(), kept.ID); !errors.Is(err, jobs.ErrNotFound) || len(s.Findings()) > 0 {
		t.Errorf("after its removal: %v, findings %v", err, s.Findings())
	}
}

// TestSlowLedger: who waits for the disk of the ledger waits no longer than its context, and the
// records of others change meanwhile.
func TestSlowLedger(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir(), 1<<30)
	other := accept(t, s, jobs.Receiving)
	j := newJob()
	must(t)(s.Create(t.Context(), j))
	release := natsstore.HoldLedger(s)
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := s.Enqueue(ctx, j.ID, j.Accepted); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Enqueue: %v", err)
	}
	got, rev, err := s.Job(t.Context(), other.ID)
	check(t, err)
	got.State = jobs.Running
	must(t)(s.Update(t.Context(), got, rev))
}

// TestLostRecord: a record that is lost while the store is open comes back, and a job whose record
// cannot be written again is not one that nobody knows.
func TestLostRecord(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	s := embedded(t, dir, 1<<30)
	j := accept(t, s, jobs.Running)
	natsstore.Lose(t, s, "job."+string(j.ID))
	got, _, err := s.Job(ctx, j.ID)
	if err != nil || got.State != jobs.Queued || got.Client != j.Client || got.DoneChunks != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if f := s.Findings(); len(f) != 1 || f[0].ID != j.ID || f[0].Done == "" {
		t.Errorf("findings %v", f)
	}

	check(t, s.Acknowledge())
	ended := accept(t, s, jobs.Receiving)
	before, rev, err := s.Job(ctx, ended.ID)
	check(t, err)
	ended.State, ended.Finished = jobs.Cancelled, time.Unix(2e9, 0).UTC()
	must(t)(s.Update(ctx, ended, rev))
	natsstore.Revert(t, s, before) // as after a start of the engine that dropped the later one
	if got, _, err := s.Job(ctx, ended.ID); err != nil || *got != *ended || len(s.Findings()) != 1 {
		t.Errorf("after an older record came back: %+v, %v, findings %v", got, err, s.Findings())
	}

	crashed := accept(t, s, jobs.Receiving)
	before, _, err = s.Job(ctx, crashed.ID)
	check(t, err)
	running := *before
	running.State, running.Accepted = jobs.Running, jobs.Accepted{Lines: 2, Chunks: 2, Digest: "abc"}
	natsstore.Revert(t, s, &running) // a crash kept this from the ledger
	must(t)(s.Verify(ctx, false))
	natsstore.Revert(t, s, before)
	if got, _, err := s.Job(ctx, crashed.ID); err != nil || got.State != jobs.Queued {
		t.Errorf("what Verify has told the ledger: %+v, %v", got, err)
	}

	late := newJob() // its input came after it was given up
	late.State, late.Finished = jobs.Failed, time.Unix(2e9, 0).UTC()
	late.Failure = &jobs.Failure{Code: jobs.UploadIncomplete}
	must(t)(s.Create(ctx, late))
	check(t, s.PutInput(ctx, late.ID, 0, []byte("in")))
	check(t, s.Enqueue(ctx, late.ID, jobs.Accepted{Lines: 1, Chunks: 1}))
	natsstore.Lose(t, s, "job."+string(late.ID))
	if got, _, err := s.Job(ctx, late.ID); err != nil || got.State != jobs.Queued || got.Failure != nil ||
		!got.Finished.IsZero() {
		t.Errorf("%+v, %v", got, err)
	}

	file, err := os.OpenFile(filepath.Join(dir, "js", "ledger"), os.O_RDWR, 0)
	check(t, err)
	defer file.Close()
	text, err := os.ReadFile(file.Name())
	check(t, err)
	_, err = file.WriteAt([]byte("!"), int64(bytes.LastIndex(text, []byte(j.ID))))
	check(t, err)
	natsstore.Lose(t, s, "job."+string(j.ID))
	if got, _, err := s.Job(ctx, j.ID); !errors.Is(err, jobs.ErrUnavailable) || errors.Is(err, jobs.ErrNotFound) {
		t.Errorf("with a damaged ledger: %+v, %v", got, err)
	}

	check(t, s.Remove(ctx, j.ID))
	natsstore.Lose(t, s, "job."+string(j.ID)) // nobody remembers the removal any more
	if got, _, err := s.Job(ctx, j.ID); !errors.Is(err, jobs.ErrNotFound) {
		t.Errorf("after its removal: %+v, %v", got, err)
	}
}

// TestDamagedMessage: a message of the queue that is damaged is replaced, and the job goes on.
func TestDamagedMessage(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s := embedded(t, t.TempDir(), 1<<30)
	j := accept(t, s, jobs.Running)
	natsstore.Spoil(t, s, "coord."+string(j.ID))
	var missing []natsstore.Missing
	for _, read := range []bool{false, true} {
		var err error
		missing, err = s.Verify(ctx, read)
		check(t, err)
		if len(missing) != 1 || missing[0] != (natsstore.Missing{ID: j.ID, State: jobs.Running, Message: true}) {
			t.Errorf("missing %+v", missing)
		}
	}
	check(t, s.KeepFindings(missing))
	if f := s.Findings(); len(f) != 1 || f[0].ID != j.ID || f[0].Done != "" {
		t.Errorf("findings before Mend: %v", f)
	}
	check(t, s.Mend(ctx, missing))
	q, err := s.AcquireJob(ctx)
	check(t, err)
	if q.ID != j.ID || q.Accepted != j.Accepted {
		t.Errorf("in the queue is %+v", q)
	}
	if got, _, err := s.Job(ctx, j.ID); err != nil || got.State != jobs.Running || len(s.Findings()) != 2 {
		t.Errorf("%+v, %v, findings %v", got, err, s.Findings())
	}

	// Who gets it from the queue does not wait for the next Verify.
	check(t, s.Acknowledge())
	natsstore.Spoil(t, s, "coord."+string(j.ID))
	if q, err = s.AcquireJob(ctx); err != nil || q.ID != j.ID || q.Accepted != j.Accepted {
		t.Errorf("in the queue is %+v, %v", q, err)
	}
	if f := s.Findings(); len(f) != 1 || f[0].Done == "" {
		t.Errorf("findings %v", f)
	}
}

// TestMendExact: a finding says what was wrong when it was mended, and all that was done. A job that lacks
// nothing by then is none, and what stays is logged once.
func TestMendExact(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var log bytes.Buffer
	s, err := natsstore.Embedded(natsstore.EmbeddedOptions{Dir: t.TempDir(), MaxBytes: 1 << 30,
		Options: natsstore.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}})
	check(t, err)
	defer s.Close()
	must(t)(s.Secret(ctx))
	stays := accept(t, s, jobs.Done)
	queued, ended, removed := accept(t, s, jobs.Running), accept(t, s, jobs.Running), accept(t, s, jobs.Running)
	record, both := accept(t, s, jobs.Running), accept(t, s, jobs.Running)
	for _, j := range []*jobs.Job{queued, ended, removed, both} {
		natsstore.Lose(t, s, "coord."+string(j.ID))
	}
	natsstore.Lose(t, s, "job."+string(record.ID))
	for _, j := range []*jobs.Job{stays, both} {
		natsstore.Lose(t, s, fmt.Sprintf("out.%s.r.0", j.ID))
	}
	missing, err := s.Verify(ctx, false)
	check(t, err)
	if len(missing) != 6 {
		t.Errorf("missing %+v", missing)
	}
	missing = append(missing, natsstore.Missing{Record: true}) // the secret

	// This is what happens before Mend.
	check(t, s.Enqueue(ctx, queued.ID, queued.Accepted))
	_, rev, err := s.Job(ctx, ended.ID)
	check(t, err)
	ended.State, ended.Finished = jobs.Cancelled, time.Unix(2e9, 0).UTC()
	must(t)(s.Update(ctx, ended, rev))
	check(t, s.Remove(ctx, removed.ID))
	_, _, err = s.Job(ctx, record.ID) // writes it again, which is a finding
	check(t, err)
	check(t, s.Acknowledge())

	for range 2 {
		check(t, s.Mend(ctx, missing))
		done := map[jobs.ID]string{}
		for _, f := range s.Findings() {
			done[f.ID] = f.Done
		}
		want := map[jobs.ID]string{stays.ID: "", both.ID: "they are worked out again, and the job is in the queue again"}
		if !maps.Equal(done, want) {
			t.Errorf("findings %v, not of %v", s.Findings(), want)
		}
	}
	check(t, s.Close())
	if n := strings.Count(log.String(), "found="); n != 3 { // with that of the record
		t.Errorf("%d findings in the log:\n%s", n, &log)
	}
}

// TestMendCut: where Mend is cut off, what it has looked at is kept.
func TestMendCut(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir(), 1<<30)
	j := accept(t, s, jobs.Running)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Mend(ctx, []natsstore.Missing{{ID: j.ID, Message: true}, {}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Mend: %v", err)
	}
	if f := s.Findings(); len(f) != 1 || f[0].ID != j.ID {
		t.Errorf("findings %v", f)
	}
}

// TestOlderProgram: what a program removed that knows no ledger does not come back.
func TestOlderProgram(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	name := filepath.Join(dir, "js", "ledger")
	check(t, embedded(t, dir, 1<<30).Close())
	s := embedded(t, dir, 1<<30) // with an empty ledger
	removed, kept := newJob(), accept(t, s, jobs.Running)
	must(t)(s.Create(ctx, removed))
	check(t, s.Enqueue(ctx, removed.ID, removed.Accepted))
	natsstore.Lose(t, s, "coord."+string(removed.ID))
	natsstore.Lose(t, s, "job."+string(removed.ID)) // and nobody remembers the removal any more
	bare := newJob()                                // of which nothing but the record is left
	must(t)(s.Create(ctx, bare))
	check(t, s.Close())

	check(t, os.WriteFile(filepath.Join(dir, "lock"), []byte("123\n"), 0o600))
	s = embedded(t, dir, 1<<30)
	if got, _, err := s.Job(ctx, removed.ID); !errors.Is(err, jobs.ErrNotFound) || len(s.Findings()) > 0 {
		t.Errorf("%+v, %v, findings %v", got, err, s.Findings())
	}
	if missing, err := s.Verify(ctx, false); err != nil || len(missing) != 1 || missing[0].ID != bare.ID {
		t.Errorf("missing %v, %v", missing, err)
	}
	natsstore.Lose(t, s, "job."+string(kept.ID))
	if got, _, err := s.Job(ctx, kept.ID); err != nil || got.Client != kept.Client {
		t.Errorf("the ledger that began anew does not have %+v, %v", got, err)
	}
	check(t, s.Acknowledge())
	check(t, s.Close())

	for _, lose := range []func() error{
		func() error { return os.Remove(name) },
		func() error { return os.Truncate(name, 0) },
	} {
		check(t, lose())
		check(t, os.WriteFile(name+".new123", nil, 0o600)) // a rewriting was cut off
		s = embedded(t, dir, 1<<30)
		if f := s.Findings(); len(f) != 1 || f[0].ID != "" {
			t.Errorf("the ledger is lost: findings %v", f)
		}
		if _, err := os.Stat(name + ".new123"); err == nil {
			t.Error("a file that was not completed is still there")
		}
		check(t, s.Acknowledge())
		check(t, s.Close())
	}

	check(t, os.Rename(filepath.Join(dir, "js"), filepath.Join(dir, "js.old")))
	s = embedded(t, dir, 1<<30)
	defer s.Close()
	if f := s.Findings(); len(f) > 0 {
		t.Errorf("in place of a store that was moved away: findings %v", f)
	}
}

// TestRemovedRecord: the last record of a job comes back at a start after the removal is forgotten. The
// job is removed again, and nothing counts as lost. Another job that the ledger does not know stays.
func TestRemovedRecord(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	s := embedded(t, dir, 1<<30)
	removed := accept(t, s, jobs.Running)
	accept(t, s, jobs.Running) // so that the block of the record stays
	check(t, s.Remove(ctx, removed.ID))
	natsstore.Lose(t, s, "job."+string(removed.ID)) // as after removedTTL
	check(t, s.Close())
	s = embedded(t, dir, 1<<30)
	if _, _, err := s.Job(ctx, removed.ID); err != nil {
		t.Fatal("the engine does not bring back what was replaced: wasRemoved can go")
	}
	cancelled := newJob() // before it was accepted
	cancelled.State, cancelled.Accepted = jobs.Cancelled, jobs.Accepted{}
	must(t)(s.Create(ctx, cancelled))
	if missing, err := s.Verify(ctx, false); err != nil || len(missing) > 0 {
		t.Errorf("missing %v, %v", missing, err)
	}
	if got, _, err := s.Job(ctx, removed.ID); !errors.Is(err, jobs.ErrNotFound) {
		t.Errorf("the removed job is %+v, %v", got, err)
	}
	if _, _, err := s.Job(ctx, cancelled.ID); err != nil {
		t.Errorf("a cancelled job: %v", err)
	}
}

// upload stores a job up to its acceptance.
func upload(t *testing.T, s *natsstore.Store) *jobs.Job {
	t.Helper()
	j := newJob()
	j.State, j.Accepted = jobs.Receiving, jobs.Accepted{}
	must(t)(s.Create(t.Context(), j))
	check(t, s.PutInput(t.Context(), j.ID, 0, []byte("in")))
	return j
}

// TestCutAcceptance: a store without room opens where an acceptance was cut off, and the job goes on
// once there is room, also if it was given up by then. One that was refused is not accepted later.
func TestCutAcceptance(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	dir := t.TempDir()
	s := embedded(t, dir, 1<<30)
	a := jobs.Accepted{Lines: 1, Chunks: 1, Digest: "abc"}
	cut, late, refused := upload(t, s), upload(t, s), upload(t, s)
	natsstore.NoteAccepted(t, s, cut, a)
	natsstore.NoteAccepted(t, s, late, a)
	natsstore.Limit(s, 4)
	if err := s.Enqueue(ctx, refused.ID, a); !errors.Is(err, jobs.ErrFull) {
		t.Errorf("Enqueue without room: %v", err)
	}
	check(t, s.Close())

	s = embedded(t, dir, 4)
	if missing, err := s.Verify(ctx, false); err != nil || len(missing) > 0 {
		t.Errorf("without room: missing %v, %v", missing, err)
	}
	natsstore.Limit(s, 1<<30)
	got, rev, err := s.Job(ctx, late.ID)
	check(t, err)
	got.State, got.Failure = jobs.Failed, &jobs.Failure{Code: jobs.UploadIncomplete}
	must(t)(s.Update(ctx, got, rev))
	if missing, err := s.Verify(ctx, false); err != nil || len(missing) > 0 || len(s.Findings()) > 0 {
		t.Errorf("with room: missing %v, %v, findings %v", missing, err, s.Findings())
	}
	queued := map[jobs.ID]jobs.Accepted{}
	for range 2 {
		q, err := s.AcquireJob(ctx)
		check(t, err)
		queued[q.ID] = q.Accepted
		check(t, q.Nak(ctx, time.Hour))
	}
	if want := (map[jobs.ID]jobs.Accepted{cut.ID: a, late.ID: a}); !maps.Equal(queued, want) {
		t.Errorf("in the queue are %v, not %v", queued, want)
	}
	if natsstore.IsAccepted(s, refused.ID) {
		t.Error("a job that was refused counts as accepted")
	}
}

// TestGivenUp: an upload that was given up stays so, and is what it is once it goes on.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s := embedded(t, t.TempDir(), 1<<30)
	j := upload(t, s)
	_, rev, err := s.Job(ctx, j.ID)
	check(t, err)
	late := *j
	late.State, late.Failure = jobs.Failed, &jobs.Failure{Code: jobs.UploadIncomplete}
	rev, err = s.Update(ctx, &late, rev)
	check(t, err)
	for range 2 {
		if missing, err := s.Verify(ctx, false); err != nil || len(missing) > 0 || natsstore.IsAccepted(s, j.ID) {
			t.Errorf("missing %v, %v, accepted %t", missing, err, natsstore.IsAccepted(s, j.ID))
		}
	}
	must(t)(s.Update(ctx, j, rev))
	check(t, s.PutInput(ctx, j.ID, 1, []byte("in")))
	a := jobs.Accepted{Lines: 2, Chunks: 2, Digest: "abc"}
	check(t, s.Enqueue(ctx, j.ID, a))
	if q, err := s.AcquireJob(ctx); err != nil || q.ID != j.ID || q.Accepted != a {
		t.Errorf("%+v, %v", q, err)
	}
}

// TestRemovedMeanwhile: a job that is removed while others look at it is not in the ledger afterwards,
// and does not come back.
func TestRemovedMeanwhile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	wrote := func() {}
	s, err := natsstore.Embedded(natsstore.EmbeddedOptions{Dir: t.TempDir(), MaxBytes: 1 << 30,
		Options: natsstore.Options{Wrote: func(time.Duration) { wrote() }}})
	check(t, err)
	defer s.Close()
	old := newJob() // from before there was a ledger
	old.State = jobs.Cancelled
	gone := func(when string) {
		t.Helper()
		if _, _, err := s.Job(ctx, old.ID); !errors.Is(err, jobs.ErrNotFound) || natsstore.IsAccepted(s, old.ID) {
			t.Fatalf("%s: %v, in the ledger: %t", when, err, natsstore.IsAccepted(s, old.ID))
		}
	}

	must(t)(s.Create(ctx, old))
	wrote = func() { natsstore.NoteAccepted(t, s, old, old.Accepted) } // as Verify, before the removal is stored
	check(t, s.Remove(ctx, old.ID))
	wrote = func() {}
	gone("Verify notes the job during the removal")

	must(t)(s.Create(ctx, old))
	release := natsstore.HoldLedger(s)
	natsstore.Stale(s)
	verified := make(chan error)
	before := natsstore.Answers(s)
	go func() {
		_, err := natsstore.VerifyJob(ctx, s, old.ID)
		verified <- err
	}()
	wait(t, "Verify to read the record", func() bool { return natsstore.Answers(s) > before })
	check(t, s.Remove(ctx, old.ID))
	release()
	check(t, <-verified)
	gone("Verify notes the job after the removal")

	j := accept(t, s, jobs.Running)
	natsstore.Lose(t, s, "job."+string(j.ID))
	wrote = func() { // the removal finds no record
		wrote = func() {}
		natsstore.ForgetAccepted(s, j.ID)
	}
	if got, _, err := s.Job(ctx, j.ID); !errors.Is(err, jobs.ErrNotFound) || natsstore.IsAccepted(s, j.ID) {
		t.Errorf("removed while its record is written again: %+v, %v", got, err)
	}
}

// TestLaterJob: a job that comes under the ID of a removed one stays, whoever still removes that one.
func TestLaterJob(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s := embedded(t, t.TempDir(), 1<<30)
	j := accept(t, s, jobs.Running)
	a := jobs.Accepted{Lines: 1, Chunks: 1, Digest: "def"}
	// come stores another job under the ID, and has it accepted.
	come := func() (accepted <-chan error) {
		j.State, j.Accepted, j.DoneChunks, j.Counts, j.Nodes = jobs.Receiving, jobs.Accepted{}, 0, jobs.Counts{}, 0
		j.Created = j.Created.Add(time.Hour)
		must(t)(s.Create(ctx, j))
		check(t, s.PutInput(ctx, j.ID, 0, []byte("in")))
		done := make(chan error, 1)
		go func() { done <- s.Enqueue(ctx, j.ID, a) }()
		return done
	}
	stays := func(when string) {
		t.Helper()
		if got, _, err := s.Job(ctx, j.ID); err != nil || *got != *j || !natsstore.IsAccepted(s, j.ID) {
			t.Fatalf("%s: %+v, %v, accepted %t", when, got, err, natsstore.IsAccepted(s, j.ID))
		}
		if text, err := s.Input(ctx, j.ID, 0); err != nil || string(text) != "in" {
			t.Errorf("%s: the input is %q, %v", when, text, err)
		}
		if missing, err := s.Verify(ctx, false); err != nil || len(missing) > 0 {
			t.Errorf("%s: missing %v, %v", when, missing, err)
		}
	}

	remove := natsstore.RemoveInTwo(t, s, j.ID)
	check(t, s.Remove(ctx, j.ID))
	check(t, <-come())
	check(t, remove())
	stays("removed twice at once")

	old := *j
	check(t, s.Remove(ctx, j.ID))
	check(t, s.PutInput(ctx, j.ID, 5, []byte("late")))
	natsstore.NoteAccepted(t, s, &old, a)
	release := natsstore.HoldLedger(s)
	verified := make(chan error, 1)
	go func() {
		_, err := natsstore.VerifyJob(ctx, s, j.ID)
		verified <- err
	}()
	wait(t, "Verify to see the removal", func() bool { return !natsstore.IsAccepted(s, j.ID) })
	accepted := come()
	q, err := s.AcquireJob(ctx)
	check(t, err)
	check(t, q.Nak(ctx, 0))
	release()
	check(t, errors.Join(<-verified, <-accepted))
	stays("removed by Verify")
	if text, err := s.Input(ctx, j.ID, 5); !errors.Is(err, jobs.ErrNotFound) {
		t.Errorf("what is left of the removed one: %q, %v", text, err)
	}
}

// TestSameID: a job under the ID of one that was removed is itself, also where the ledger still has the
// removed one.
func TestSameID(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	s := embedded(t, dir, 1<<30)
	old := accept(t, s, jobs.Done)
	check(t, s.Remove(ctx, old.ID))
	natsstore.NoteAccepted(t, s, old, old.Accepted) // its removal could not be written

	j := *old
	j.State, j.Accepted, j.DoneChunks, j.Finished = jobs.Receiving, jobs.Accepted{}, 0, time.Time{}
	j.Note, j.Created = "another", old.Created.Add(time.Hour)
	must(t)(s.Create(ctx, &j))
	if err := natsstore.Rebuild(ctx, s, j.ID); !errors.Is(err, jobs.ErrConflict) {
		t.Errorf("the record of the removed job is written over that of the new one: %v", err)
	}
	for _, when := range []string{"uploading", "accepted", "the record is lost"} {
		switch when {
		case "uploading":
			check(t, s.PutInput(ctx, j.ID, 0, []byte("in")))
		case "accepted":
			check(t, s.PutInput(ctx, j.ID, 1, []byte("in")))
			check(t, s.Enqueue(ctx, j.ID, jobs.Accepted{Lines: 2, Chunks: 2, Digest: "def"}))
		default:
			check(t, s.Acknowledge())
			natsstore.Lose(t, s, "job."+string(j.ID))
			j.State, j.Accepted = jobs.Queued, jobs.Accepted{Lines: 2, Chunks: 2, Digest: "def"}
			j.Counts, j.Nodes = jobs.Counts{}, 0
		}
		for range 2 {
			if got, _, err := s.Job(ctx, j.ID); err != nil || *got != j {
				t.Errorf("%s: %+v, not %+v, %v", when, got, j, err)
			}
			missing, err := s.Verify(ctx, false)
			check(t, err)
			check(t, s.Mend(ctx, missing))
			if when != "the record is lost" && len(missing)+len(s.Findings()) > 0 {
				t.Errorf("%s: missing %v, findings %v", when, missing, s.Findings())
			}
			check(t, s.Close())
			s = embedded(t, dir, 1<<30)
		}
	}
}

// TestEarlierComesBack: where the engine lost all of a job, and has what its ID had before, the job goes on.
func TestEarlierComesBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	s := embedded(t, dir, 1<<30)
	earlier := accept(t, s, jobs.Done)
	check(t, s.Remove(ctx, earlier.ID))
	a := jobs.Accepted{Lines: 1, Chunks: 1, Digest: "def"}
	j := *earlier
	j.State, j.Accepted, j.Created, j.Finished = jobs.Receiving, jobs.Accepted{}, earlier.Created.Add(time.Hour), time.Time{}
	j.DoneChunks, j.Counts, j.Nodes = 0, jobs.Counts{}, 0
	must(t)(s.Create(ctx, &j))
	check(t, s.PutInput(ctx, j.ID, 0, []byte("in")))
	check(t, s.Enqueue(ctx, j.ID, a))
	j.State, j.Accepted = jobs.Queued, a
	for name, revert := range map[string]func(*testing.T, *natsstore.Store, *jobs.Job){
		"its record": natsstore.Revert, "its removal": natsstore.RevertToRemoval,
	} {
		stays := func(when string) {
			t.Helper()
			if got, _, err := s.Job(ctx, j.ID); err != nil || *got != j || !natsstore.IsAccepted(s, j.ID) || len(s.Findings()) == 0 {
				t.Fatalf("%s, %s: %+v, %v, accepted %t", name, when, got, err, natsstore.IsAccepted(s, j.ID))
			}
			check(t, s.Acknowledge())
		}
		revert(t, s, earlier)
		stays("when asked")
		revert(t, s, earlier)
		missing, err := s.Verify(ctx, false)
		check(t, err)
		check(t, s.Mend(ctx, missing))
		stays("Verify")
		revert(t, s, earlier)
		check(t, s.Close())
		s = embedded(t, dir, 1<<30)
		if len(s.Findings()) == 0 {
			t.Errorf("%s: not found at a start", name)
		}
		stays("at a start")
	}
}

// TestMarkLater: what a ledger has that could not be begun at the start is there at the next one.
func TestMarkLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := embedded(t, dir, 1<<30)
	natsstore.Unmark(t, s)
	j := accept(t, s, jobs.Running)
	check(t, s.Close())
	if s = embedded(t, dir, 1<<30); !natsstore.IsAccepted(s, j.ID) || len(s.Findings()) > 0 {
		t.Errorf("the ledger began anew, findings %v", s.Findings())
	}
}
