//go:build !nonats && unix

package natsstore

import (
	"os"

	"golang.org/x/sys/unix"
)

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
