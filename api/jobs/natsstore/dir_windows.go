//go:build !nonats && windows

package natsstore

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// syncDirectory does nothing: this system has no such call.
func syncDirectory(string) error { return nil }

// replaceFile gives a file, whose name is of the same directory, the name of another that is open. It
// returns the one that has the name then. This system renames no open files, so if the last step fails
// the one that is returned is closed, and everything with it fails.
func replaceFile(old, file *os.File, name string) (*os.File, error) {
	err := errors.Join(old.Close(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	now, failed := os.OpenFile(name, os.O_RDWR, 0o600)
	if failed != nil {
		return old, errors.Join(err, failed)
	}
	return now, err
}

// diskSpace returns how many bytes a process may still write, or -1.
func diskSpace(path string) int64 {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return -1
	}
	var free uint64
	if windows.GetDiskFreeSpaceEx(name, &free, nil, nil) != nil {
		return -1
	}
	return int64(free)
}
