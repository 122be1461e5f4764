//go:build !nonats

package natsstore

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// A ledgerFile opens the same ledger again and again.
type ledgerFile struct {
	*testing.T
	name    string
	damaged int // lines
}

func newLedgerFile(t *testing.T) *ledgerFile {
	return &ledgerFile{T: t, name: filepath.Join(t.TempDir(), "sub", "ledger")}
}

func (f *ledgerFile) open() *ledger {
	f.Helper()
	if err := os.MkdirAll(filepath.Dir(f.name), 0o700); err != nil {
		f.Fatal(err)
	}
	l, err := openLedger(f.name, slog.New(slog.DiscardHandler), func(n int) { f.damaged += n })
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = l.close() })
	return l
}

func (f *ledgerFile) accept(l *ledger) jobs.ID {
	f.Helper()
	id := jobs.NewID()
	if err := l.accept(f.Context(), &jobs.Job{V: jobs.V, ID: id, State: jobs.Receiving}); err != nil {
		f.Fatal(err)
	}
	return id
}

// want wants a ledger to have jobs, now and after it was opened again, with so many damaged lines.
func (f *ledgerFile) want(l *ledger, damaged int, ids ...jobs.ID) {
	f.Helper()
	for range 2 {
		got := slices.Sorted(maps.Keys(l.accepted()))
		if slices.Sort(ids); !slices.Equal(got, ids) {
			f.Errorf("the ledger has %v, not %v", got, ids)
		}
		for _, id := range got {
			if j, err := l.job(id); err != nil || j.ID != id {
				f.Errorf("job %s is %+v, %v", id, j, err)
			}
		}
		l = f.open()
	}
	if f.damaged != damaged {
		f.Errorf("%d damaged lines, not %d", f.damaged, damaged)
	}
}

// change writes bytes over the last ones of old in the file.
func (f *ledgerFile) change(old, to string) {
	f.Helper()
	text, err := os.ReadFile(f.name)
	file, err2 := os.OpenFile(f.name, os.O_WRONLY, 0)
	if err := errors.Join(err, err2); err != nil {
		f.Fatal(err)
	}
	_, err = file.WriteAt([]byte(to), int64(bytes.LastIndex(text, []byte(old))))
	if err := errors.Join(err, file.Close()); err != nil {
		f.Fatal(err)
	}
}

// TestLedgerNotCompacted: where no new file can be written, the ledger stays as it is, and takes lines.
func TestLedgerNotCompacted(t *testing.T) {
	f := newLedgerFile(t)
	l := f.open()
	a, b := f.accept(l), f.accept(l)
	l.remove(a)
	dir := filepath.Dir(f.name)
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Skip(err) // this system does not rename what is open
	}
	l.stale = true
	l.tidy()
	if !l.stale {
		t.Error("the ledger counts as compacted")
	}
	c := f.accept(l)
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	f.want(l, 0, b, c)
}

// TestLedgerName: a job is not accepted while the name of the new file is not on the disk, else the
// file that it replaced could come back. The lines are right nevertheless.
func TestLedgerName(t *testing.T) {
	f := newLedgerFile(t)
	l := f.open()
	a, b := f.accept(l), f.accept(l)
	l.remove(a)
	l.stale = true
	l.syncDirectory = func(string) error { return errors.New("the disk") }
	l.tidy()
	j := &jobs.Job{V: jobs.V, ID: jobs.NewID()}
	if err := l.accept(t.Context(), j); !errors.Is(err, jobs.ErrUnavailable) {
		t.Errorf("accepted with %v", err)
	}
	l.syncDirectory = syncDirectory
	if err := l.accept(t.Context(), j); err != nil {
		t.Error(err)
	}
	f.want(l, 0, b, j.ID)

	// The file is replaced between the line and its sync.
	c := &jobs.Job{V: jobs.V, ID: jobs.NewID()}
	if err := l.add(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	l.stale = true
	l.syncDirectory = func(string) error { return errors.New("the disk") }
	l.tidy()
	if err := l.sync(); !errors.Is(err, jobs.ErrUnavailable) {
		t.Errorf("synced with %v", err)
	}
	l.syncDirectory = syncDirectory
	f.want(l, 0, b, c.ID, j.ID)

	// A line is known that a killed process wrote and did not sync.
	l = f.open()
	if err := l.accept(t.Context(), c); err != nil || l.renamed {
		t.Errorf("accepted without a sync: %t, %v", l.renamed, err)
	}
}

// TestLedgerBegun: a ledger is marked once it is on the disk, also where it could not be begun at the
// start.
func TestLedgerBegun(t *testing.T) {
	f := newLedgerFile(t)
	l := f.open()
	marks, failed := 0, errors.New("the disk")
	l.mark = func() error { marks++; return failed }
	file := l.file
	l.file, _ = os.Open(f.name) // no line can be written
	if err := l.begin(); err == nil {
		t.Error("a ledger that cannot be written begins")
	}
	if err := l.sync(); err == nil && marks > 0 {
		t.Error("an empty ledger is marked")
	}
	_ = l.file.Close()
	l.file = file
	j := &jobs.Job{V: jobs.V, ID: jobs.NewID()}
	if err := l.accept(t.Context(), j); !errors.Is(err, failed) || marks != 1 {
		t.Errorf("accepted with %v and %d marks", err, marks)
	}
	failed = nil
	for range 2 {
		if err := l.accept(t.Context(), j); err != nil || marks != 2 {
			t.Errorf("accepted with %v and %d marks", err, marks)
		}
	}
	f.want(l, 0, j.ID)
}

// TestLedgerAgain: a job that has the ID of one that was removed is another one.
func TestLedgerAgain(t *testing.T) {
	f := newLedgerFile(t)
	l := f.open()
	ctx := t.Context()
	before := &jobs.Job{V: jobs.V, ID: jobs.NewID(), State: jobs.Done, Created: time.Unix(1e9, 0).UTC()}
	now := *before
	now.State, now.Created = jobs.Running, time.Unix(2e9, 0).UTC()
	if err := l.accept(ctx, before); err != nil {
		t.Fatal(err)
	}
	if place := l.place(now.ID); place.isOf(&now) || place.isAheadOf(&now) || !place.isOf(before) {
		t.Errorf("the line is that of the new job: %+v", place)
	}
	l.forget(&now)
	l.update(&now)
	if got := l.place(now.ID); got.stage != over {
		t.Errorf("the new job has changed the line of the old one: %+v", got)
	}
	if err := l.accept(ctx, &now); err != nil {
		t.Fatal(err)
	}
	l.update(before)
	l.restore(before)
	l.forget(before)
	if got, err := l.job(now.ID); err != nil || got.State != jobs.Running || !got.Created.Equal(now.Created) {
		t.Errorf("the old job has changed the line of the new one: %+v, %v", got, err)
	}
	l.forget(&now)
	f.want(l, 0)

	// Who no longer waits for its acceptance may have removed the job.
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if err := l.accept(ctx, &now); !errors.Is(err, context.Canceled) {
		t.Errorf("accepted too late with %v", err)
	}
	f.want(l, 0)
}

// TestLedgerFailed: after a sync has failed, lines are durable only in another file.
func TestLedgerFailed(t *testing.T) {
	f := newLedgerFile(t)
	l := f.open()
	a := f.accept(l)
	before, err := os.Stat(f.name)
	if err != nil {
		t.Fatal(err)
	}
	b := jobs.NewID()
	j := &jobs.Job{V: jobs.V, ID: b}
	if err := l.add(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	file := l.file
	l.file, _ = os.Open(f.name)
	_ = l.file.Close()
	if err := l.accept(t.Context(), j); !errors.Is(err, jobs.ErrUnavailable) {
		t.Errorf("accepted with %v", err)
	}
	l.file = file
	if err := l.accept(t.Context(), j); err != nil {
		t.Error(err)
	}
	if now, err := os.Stat(f.name); err != nil || os.SameFile(before, now) {
		t.Errorf("the file is the same, %v", err)
	}
	f.want(l, 0, a, b)
}

// TestLedgerDamaged: lines that are damaged while the ledger is open are dropped and counted.
func TestLedgerDamaged(t *testing.T) {
	f := newLedgerFile(t)
	l := f.open()
	a, b := f.accept(l), f.accept(l)
	f.change(string(a), "!")
	l.stale = true
	l.tidy()
	if f.damaged != 1 {
		t.Errorf("%d damaged lines", f.damaged)
	}
	f.want(l, 1, b)
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	f.change("\n", " ") // the end of the last line
	f.want(f.open(), 2, b)
	f.change("}\n", "")
	if err := os.Truncate(f.name, 40); err != nil {
		t.Fatal(err)
	}
	f.want(f.open(), 2) // it was being written

	for _, tail := range []string{strings.Repeat("\x00", 500), strings.Repeat("0", 2*maxLedgerLine)} {
		f = newLedgerFile(t)
		l = f.open()
		a = f.accept(l)
		if err := l.close(); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(f.name, os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			_, err = file.WriteString(tail)
		}
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		f.want(f.open(), 1, a) // no line that was being written is like that
	}
}

// TestLedgerStage: a late change of a record does not undo a later one, and a record that is written
// again does.
func TestLedgerStage(t *testing.T) {
	f := newLedgerFile(t)
	l := f.open()
	id := f.accept(l)
	for _, c := range []struct {
		write func(*jobs.Job)
		state jobs.State
		want  stage
	}{
		{l.update, jobs.Running, running}, {l.update, jobs.Queued, running},
		{l.restore, jobs.Queued, queued}, {l.update, jobs.Done, over},
	} {
		c.write(&jobs.Job{V: jobs.V, ID: id, State: c.state})
		if got := l.place(id).stage; got != c.want {
			t.Errorf("after %s the stage is %d, not %d", c.state, got, c.want)
		}
	}
	f.want(l, 0, id)
}

// TestLedgerAtOnce: lines are written while the ledger is compacted, and none is lost.
func TestLedgerAtOnce(t *testing.T) {
	f := newLedgerFile(t)
	l := f.open()
	var kept []jobs.ID
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 8 {
				a, b := f.accept(l), f.accept(l)
				l.update(&jobs.Job{V: jobs.V, ID: b, State: jobs.Running})
				l.remove(a)
				mu.Lock()
				kept = append(kept, b)
				mu.Unlock()
			}
		})
	}
	all.Go(func() {
		for range 20 {
			l.mu.Lock()
			l.stale = true
			l.mu.Unlock()
			l.tidy()
		}
	})
	all.Wait()
	f.want(l, 0, kept...)
	for id, stage := range l.accepted() {
		if stage != running {
			t.Errorf("job %s has stage %d", id, stage)
		}
	}
}
