//go:build !nonats && unix

package natsstore

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

var errHeld = errors.New("held by another")

// lockFile locks a file until unlockFile, or until its process ends in whatever way.
func lockFile(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errHeld
	}
	return err
}

// unlockFile lets others lock the file. To close it is not enough: a child that another goroutine is
// about to start has its descriptors until it runs its program.
func unlockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// syncDirectory makes the names of files durable.
func syncDirectory(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// replaceFile gives a file, whose name is of the same directory, the name of another that is open. It
// returns the one that has the name then; the other one is closed unless there is an error.
func replaceFile(old, file *os.File, name string) (*os.File, error) {
	if err := os.Rename(file.Name(), name); err != nil {
		return old, err
	}
	_ = old.Close()
	return file, nil
}

// diskSpace returns how many bytes a process may still write, or -1.
func diskSpace(path string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
