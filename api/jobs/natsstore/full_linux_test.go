//go:build !nonats

package natsstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
)

// smallVariable is a directory on a disk of 16 MiB that a child of the test fills.
const smallVariable = "TSUMERO_TEST_SMALL_DISK"

func init() { children[smallVariable] = fillDisk }

// TestFullDisk fills a small disk.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	onSmallDisk(t, smallVariable, "16m")
}

// TestFullLedger: without room in the ledger Verify looks at all jobs, and notes later what is not in it.
func TestFullLedger(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := embedded(t, t.TempDir(), 1<<30)
	j := newJob() // from before there was a ledger
	must(t)(s.Create(ctx, j))
	release := natsstore.FullLedger(t, s)
	missing, err := s.Verify(ctx, false)
	if err != nil || len(missing) != 1 || missing[0].ID != j.ID || natsstore.IsAccepted(s, j.ID) {
		t.Errorf("missing %v, %v, in the ledger: %t", missing, err, natsstore.IsAccepted(s, j.ID))
	}
	release()
	must(t)(s.Verify(ctx, false))
	if !natsstore.IsAccepted(s, j.ID) {
		t.Error("with room it is not in the ledger")
	}
}

// onSmallDisk runs a child of the test with a disk of that size, whose directory is in the environment
// under the name.
func onSmallDisk(t *testing.T, name, size string) {
	t.Helper()
	onDisk(t, name, `mount -t tmpfs -o size=`+size+` tmpfs "$1"`)
}

// onDisk runs a child of the test where a shell command has mounted a disk at the directory $1, which
// only a mount namespace of its own lets it have.
func onDisk(t *testing.T, name, mount string) {
	t.Helper()
	if out, err := exec.Command("unshare", "-m", "true").CombinedOutput(); err != nil {
		t.Skipf("no mount namespace: %v %s", err, out)
	}
	dir := t.TempDir()
	cmd := exec.Command("unshare", "-m", "--", "sh", "-c", "{ "+mount+`; } || exit 77; exec "$2"`,
		"sh", dir, os.Args[0])
	cmd.Env = append(os.Environ(), name+"="+dir)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == 77 {
		t.Skipf("no mount: %s", out)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// fillDisk runs where dir is a disk of 16 MiB.
func fillDisk(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := natsstore.Embedded(natsstore.EmbeddedOptions{
		Options:  natsstore.Options{Log: slog.New(slog.NewTextHandler(os.Stdout, nil))},
		Dir:      filepath.Join(dir, "store"),
		MaxBytes: 1 << 30, // more than there is
	})
	if err != nil {
		return err
	}
	defer s.Close()
	noise := func(chunk int) []byte { // that does not compress, nor with that of other chunks
		data := make([]byte, 100<<10)
		_, _ = rand.NewChaCha8([32]byte{byte(chunk)}).Read(data)
		return data
	}
	id, stored := jobs.NewID(), 0
	fill := func() error { // until there is no room
		for stored <= 200 {
			err := s.PutInput(ctx, id, stored, noise(stored))
			// A file that the engine compresses is on the disk twice for a moment: it starts again then.
			if errors.Is(err, jobs.ErrUnavailable) {
				continue
			}
			if err != nil {
				return err
			}
			stored++
		}
		return errors.New("20 MB are on a disk of 16 MiB")
	}
	all := func(when string) error {
		for chunk := range stored {
			if data, err := s.Input(ctx, id, chunk); err != nil || !bytes.Equal(data, noise(chunk)) {
				return fmt.Errorf("%s: chunk %d of %d: %d bytes, %w", when, chunk, stored, len(data), err)
			}
		}
		return nil
	}

	// The store is full before the disk is.
	if err := fill(); !errors.Is(err, jobs.ErrFull) {
		return fmt.Errorf("a full store: %w", err)
	}
	status, err := s.Status(ctx)
	for err == nil && status.Free < 1<<20 && ctx.Err() == nil { // while the engine compresses a file
		time.Sleep(time.Millisecond)
		status, err = s.Status(ctx)
	}
	if err != nil || status.Free < 1<<20 || status.Limit > 14<<20 || stored < 50 {
		return fmt.Errorf("%d chunks in a full store, status %+v, %w", stored, status, err)
	}
	if err := all("full store"); err != nil {
		return err
	}
	if err := s.Remove(ctx, id); err != nil {
		return err
	}
	for stored = range 10 {
		if err := s.PutInput(ctx, id, stored, noise(stored)); err != nil {
			return fmt.Errorf("after room was made in the store: %w", err)
		}
	}
	stored++
	fmt.Printf("full store: status %+v\n", status)

	gone := jobs.NewID()
	if err := s.PutInput(ctx, gone, 0, noise(0)); err != nil {
		return err
	}

	// Somebody else fills the disk.
	ballast := filepath.Join(dir, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		return err
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	_ = f.Close()
	if err := fill(); !errors.Is(err, jobs.ErrFull) {
		return fmt.Errorf("a full disk: %w", err)
	}
	// What is written all the same breaks the engine.
	for range 2 {
		if err := natsstore.Overfill(ctx, s, id); !errors.Is(err, jobs.ErrFull) {
			return fmt.Errorf("an overfull disk: %w", err)
		}
	}
	if status, err := s.Status(ctx); err != nil || !status.Full {
		return fmt.Errorf("the status of a broken engine: %+v, %w", status, err)
	}
	// A job can be removed even then, which makes room.
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if err := s.Remove(ctx, gone); err == nil {
			break
		} else if time.Since(start) > 20*time.Second {
			return fmt.Errorf("a job on an overfull disk cannot be removed: %w", err)
		}
	}
	if err := all("full disk"); err != nil {
		return err
	}
	if err := os.Remove(ballast); err != nil {
		return err
	}
	start := time.Now()
	for {
		err := s.PutInput(ctx, id, stored, noise(stored))
		if err == nil {
			break
		}
		if !errors.Is(err, jobs.ErrFull) && !errors.Is(err, jobs.ErrUnavailable) || time.Since(start) > 20*time.Second {
			return fmt.Errorf("after room was made on the disk: %w", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	stored++
	fmt.Println("recovered after", time.Since(start))
	if err := all("after the full disk"); err != nil {
		return err
	}
	// Input of a job without a record is all that is to be found.
	missing, err := s.Verify(ctx, true)
	if err != nil || len(missing) != 1 || missing[0] != (natsstore.Missing{ID: id, Record: true}) {
		return fmt.Errorf("missing: %v, %w", missing, err)
	}
	return nil
}
