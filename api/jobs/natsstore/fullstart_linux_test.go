//go:build !nonats

package natsstore_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/jobs/work"
	"github.com/tsumero/tsumero/api/wire"
)

// startVariable is a small disk on which a child of the test starts while it is full.
const startVariable = "TSUMERO_TEST_FULL_START"

func init() { children[startVariable] = startFull }

// TestStartOnFullDisk starts on a disk without a free byte what works on jobs that were accepted
// before, and makes room then: they all end.
func TestStartOnFullDisk(t *testing.T) {
	t.Parallel()
	onSmallDisk(t, startVariable, "32m")
}

// A logBuffer keeps what is logged.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// take returns what was logged since the last call.
func (l *logBuffer) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.b.Reset()
	return l.b.String()
}

// A jobService is what a service runs over a store.
type jobService struct {
	store *natsstore.Store
	queue *queue.Queue
	stop  func()
}

// serveJobs opens the store of a directory, and has jobs worked on if that is asked for. To each
// line there is an answer of 4 KiB.
func serveJobs(ctx context.Context, dir string, log *slog.Logger, worked bool) (*jobService, error) {
	s := &jobService{}
	var err error
	if s.store, err = natsstore.Embedded(natsstore.EmbeddedOptions{
		Options: natsstore.Options{Log: log, LeaseTime: leaseTime}, Dir: dir}); err != nil {
		return nil, err
	}
	class := queue.Class{Active: 100, Waiting: 100, Lines: 1e6, Time: time.Minute, Bytes: 1 << 30,
		Keep: time.Hour}
	if s.queue, err = queue.New(s.store, queue.Options{Logger: log,
		Classes: map[string]queue.Class{"all": class}}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { s.queue.Run(ctx) })
	s.stop = func() {
		cancel()
		all.Wait()
		_ = s.store.Close()
	}
	if !worked {
		return s, nil
	}
	c, err := work.NewCoordinator(work.CoordinatorOptions{Store: s.store, Logger: log})
	if err != nil {
		return nil, err
	}
	long := strings.Repeat("x", 4<<10)
	w, err := work.NewWorker(work.WorkerOptions{Store: s.store, Name: "w", Logger: log, Slots: 4,
		Answer: func(_ context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
			return answer.Line{Verdict: "mate", Envelope: wire.Envelope{Line: l.Number,
				Answer: fmt.Appendf(nil, `"answer":%q`, long)}}
		}})
	if err != nil {
		return nil, err
	}
	all.Go(func() { _ = c.Run(ctx) })
	all.Go(func() { _ = w.Run(ctx) })
	return s, nil
}

func (s *jobService) submit(ctx context.Context, lines []byte) (jobs.ID, error) {
	v, _, err := s.queue.Submit(ctx, &queue.Submission{Client: "c", Class: "all", Kind: jobs.Collection,
		Ask: jobs.AskSolve, Lines: bytes.NewReader(lines), Longest: 64 << 10})
	if err != nil {
		return "", err
	}
	return v.ID, nil
}

// fillUp writes into a file until the disk has no byte left.
func fillUp(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for page := make([]byte, 4096); err == nil; {
		_, err = f.Write(page)
	}
	return nil
}

// startFull runs where dir is a disk of 32 MiB.
func startFull(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	buffer := &logBuffer{}
	log := slog.New(slog.NewTextHandler(buffer, nil))
	store := filepath.Join(dir, "store")
	s, err := serveJobs(ctx, store, log, false)
	if err != nil {
		return err
	}
	noise := make([]byte, 1<<10)
	var ids []jobs.ID
	for len(ids) < 36 {
		var lines []byte
		for range 50 {
			_, _ = rand.Read(noise)
			lines = base64.StdEncoding.AppendEncode(lines, noise)
			lines = append(lines, '\n')
		}
		id, err := s.submit(ctx, lines)
		if err != nil {
			return fmt.Errorf("job %d: %w", len(ids), err)
		}
		ids = append(ids, id)
	}
	s.stop()
	ballast := filepath.Join(dir, "ballast")
	if err := fillUp(ballast); err != nil {
		return err
	}
	buffer.take()

	if s, err = serveJobs(ctx, store, log, true); err != nil {
		return fmt.Errorf("start on a full disk: %w\n%s", err, buffer.take())
	}
	defer s.stop()
	time.Sleep(3 * time.Second)
	for ; ; time.Sleep(50 * time.Millisecond) { // the queue looks at the store now and then
		status, err := s.store.Status(ctx)
		if err != nil {
			return fmt.Errorf("the status on a full disk is %+v, trouble %q, %w", status, s.queue.Trouble(), err)
		}
		if status.Full && s.queue.Trouble() != "" {
			break
		}
	}
	if _, err = s.submit(ctx, []byte("a line\n")); !errors.Is(err, jobs.ErrFull) {
		return fmt.Errorf("a job on a full disk: %w", err)
	}
	if text := buffer.take(); strings.Count(text, "\n") > 5 {
		return fmt.Errorf("%d lines are logged in a few seconds:\n%.2000s", strings.Count(text, "\n"), text)
	}
	// What is written all the same breaks the engine. A job can be removed even then.
	if err := natsstore.Overfill(ctx, s.store, jobs.NewID()); !errors.Is(err, jobs.ErrFull) {
		return fmt.Errorf("an overfull disk: %w", err)
	}
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if err := s.store.Remove(ctx, ids[0]); err == nil {
			break
		} else if time.Since(begin) > 20*time.Second {
			return fmt.Errorf("a job on a full disk cannot be removed: %w", err)
		}
	}
	if err := os.Remove(ballast); err != nil {
		return err
	}

	begin := time.Now()
	for _, id := range ids[1:] {
		for {
			v, err := s.queue.Job(ctx, id)
			if err == nil && v.State == jobs.Done {
				break
			}
			if err != nil || time.Since(begin) > 30*time.Second {
				status, _ := s.store.Status(ctx)
				return fmt.Errorf("job %s: %+v, %w, status %+v\n%.9000s", id.Short(), v, err, status, buffer.take())
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	fmt.Printf("%d jobs ended %v after there was room\n", len(ids)-1, time.Since(begin))
	for ; ; time.Sleep(50 * time.Millisecond) { // the queue looks at the store now and then
		if _, err := s.submit(ctx, []byte("a line\n")); err == nil {
			return nil
		} else if time.Since(begin) > 30*time.Second {
			return fmt.Errorf("a job after there was room: %w", err)
		}
	}
}
