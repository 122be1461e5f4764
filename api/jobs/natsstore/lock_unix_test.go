//go:build !nonats && unix

package natsstore

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestUnlockForked: a directory is free once its store is closed, also while a process that is being
// started still has the descriptors of this one.
func TestUnlockForked(t *testing.T) {
	dir := t.TempDir()
	first, err := openDirectory(dir, "embedded", "tsumero", "")
	if err != nil {
		t.Fatal(err)
	}
	child, err := unix.Dup(int(first.lock.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(child)
	if err := first.unlock(); err != nil {
		t.Fatal(err)
	}
	second, err := openDirectory(dir, "embedded", "tsumero", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := second.unlock(); err != nil {
		t.Fatal(err)
	}
}
