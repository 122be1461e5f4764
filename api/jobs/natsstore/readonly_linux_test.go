//go:build !nonats

package natsstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
)

// readOnlyVariable is a directory on a disk that becomes read-only under a child of the test.
const readOnlyVariable = "TSUMERO_TEST_READ_ONLY_DISK"

func init() { children[readOnlyVariable] = writeReadOnly }

// TestReadOnlyDisk has a disk that becomes read-only while a store is open, as the kernel does when
// it fails: nothing more is acknowledged, and whoever writes is told so soon. What was acknowledged is
// there when the disk is.
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	onDisk(t, readOnlyVariable, `truncate -s 64M "$1.img" && mkfs.ext4 -q "$1.img" && mount -o loop "$1.img" "$1"`)
}

func writeReadOnly(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 4*patience)
	defer cancel()
	log := new(logBuffer)
	open := func() (*natsstore.Store, error) {
		return natsstore.Embedded(natsstore.EmbeddedOptions{
			Options: natsstore.Options{Log: slog.New(slog.NewTextHandler(log, nil))},
			Dir:     filepath.Join(dir, "store"),
		})
	}
	shell := func(command string) error {
		if out, err := exec.Command("sh", "-c", command, "sh", dir).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", command, err, out)
		}
		return nil
	}
	s, err := open()
	if err != nil {
		return err
	}
	defer func() { s.Close() }()
	const chunks = 10
	id := jobs.NewID()
	text := func(chunk int) []byte { return bytes.Repeat([]byte{byte(chunk)}, 10_000) }
	for chunk := range chunks {
		if err := s.PutInput(ctx, id, chunk, text(chunk)); err != nil {
			return err
		}
	}
	if err := shell(`mount -o remount,abort "$1"`); err != nil {
		return err
	}
	// The first write breaks the engine, which then starts again in vain.
	var logged string
	for slow := 0; ; time.Sleep(10 * time.Millisecond) {
		down, begun := strings.Contains(logged, "the engine of the job store does not start"), time.Now()
		writing := s.PutInput(ctx, id, chunks, text(chunks))
		data, reading := s.Input(ctx, id, 0)
		took := time.Since(begun)
		if !errors.Is(writing, jobs.ErrUnavailable) || reading == nil && !bytes.Equal(data, text(0)) ||
			reading != nil && !errors.Is(reading, jobs.ErrUnavailable) {
			return fmt.Errorf("on a read-only disk: write %w, read %w", writing, reading)
		}
		if logged += log.take(); strings.Contains(logged, "was not ready") {
			return fmt.Errorf("the engine was waited for: %s", logged)
		}
		// Calls that wait for an engine take ten seconds. Others may on a busy machine, but not all.
		if took >= 9*time.Second {
			if slow++; slow == 5 {
				return fmt.Errorf("calls take %s", took)
			}
		} else if down {
			break
		}
	}
	if err := s.Close(); err != nil {
		return err
	}
	if s, err := open(); err == nil {
		return errors.Join(s.Close(), errors.New("a store opens on a read-only disk"))
	}
	if err := shell(`umount "$1" && e2fsck -fy "$1.img"; [ $? -le 1 ] && mount -o loop "$1.img" "$1"`); err != nil {
		return err
	}
	if s, err = open(); err != nil {
		return err
	}
	for chunk := range chunks {
		if got, err := s.Input(ctx, id, chunk); err != nil || !bytes.Equal(got, text(chunk)) {
			return fmt.Errorf("chunk %d: %d bytes, %w", chunk, len(got), err)
		}
	}
	return nil
}
