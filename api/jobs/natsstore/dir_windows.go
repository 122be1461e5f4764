//go:build !nonats && windows

package natsstore

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

var errHeld = errors.New("held by another")

// lockFile locks a file until unlockFile, or until its process ends in whatever way. The locked byte
// lies behind the content: on this system other processes cannot read what is locked.
func lockFile(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{Offset: 1 << 20})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}

// unlockFile lets others lock the file.
func unlockFile(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{Offset: 1 << 20})
}

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
