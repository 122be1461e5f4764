//go:build !nonats

package natsstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/api/filelock"
)

// A directory is one that this process has locked.
type directory struct {
	path string
	lock *os.File
	// hadLedger says that whoever had the directory last kept a ledger. See writeLock.
	hadLedger bool
}

// formatNumber is the number of the format of a directory.
const formatNumber = 1

// A formatText is the file "format" of a directory.
type formatText struct {
	Format int    `json:"format"`
	Kind   string `json:"kind"` // "embedded" or "cluster"
	Prefix string `json:"prefix"`
	Engine string `json:"engine"` // that opened it last
}

// openDirectory locks a directory, which it makes if there is none, and wants it to be of a kind.
// The engine neither has a lock of its own, nor does it mind settings under which it removes
// streams.
func openDirectory(path string, kind, prefix, engine string) (*directory, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("natsstore: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("natsstore: %w", err)
	}
	if err := filelock.Lock(lock); err != nil {
		defer lock.Close()
		if errors.Is(err, filelock.ErrHeld) {
			text := make([]byte, ownerBytes)
			n, _ := lock.ReadAt(text, 0)
			return nil, fmt.Errorf("%w: %s, by process %s", ErrLocked, path, strings.TrimSpace(string(text[:n])))
		}
		return nil, fmt.Errorf("natsstore: lock %s: %w", path, err)
	}
	d := &directory{path: path, lock: lock}
	if err := d.check(kind, prefix, engine); err != nil {
		_ = d.unlock()
		return nil, err
	}
	removeUnfinished(path, "format")
	removeUnfinished(filepath.Join(path, "js"), "ledger", "findings")
	return d, nil
}

// removeUnfinished removes what writeFile, or compact, was cut off at. Other files in a directory may
// be those of others.
func removeUnfinished(dir string, names ...string) {
	files, _ := os.ReadDir(dir)
	for _, file := range files {
		if name, _, ok := strings.Cut(file.Name(), newSuffix); ok && slices.Contains(names, name) {
			_ = os.Remove(filepath.Join(dir, file.Name()))
		}
	}
}

// newSuffix is behind the name of a file that is being written, and before a number.
const newSuffix = ".new"

func (d *directory) check(kind, prefix, engine string) error {
	name := filepath.Join(d.path, "format")
	text, err := os.ReadFile(name)
	want := formatText{formatNumber, kind, prefix, engine}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Join(d.path, "js")); err == nil {
			return fmt.Errorf("%w: %s has streams and no file that says whose", ErrWrongKind, d.path)
		}
	case err != nil:
		return fmt.Errorf("natsstore: %w", err)
	default:
		var got formatText
		if err := json.Unmarshal(text, &got); err != nil {
			return fmt.Errorf("natsstore: %s: %w", name, err)
		}
		if got.Format != want.Format {
			return fmt.Errorf("%w: %s has format %d, this program has %d", ErrWrongKind,
				name, got.Format, want.Format)
		}
		if got.Kind != kind || got.Prefix != prefix {
			return fmt.Errorf("%w: %s is of kind %s with prefix %s, and was to be opened as %s with prefix %s. "+
				"What is in one store comes into another by backup and restore", ErrWrongKind,
				d.path, got.Kind, got.Prefix, kind, prefix)
		}
		if got == want {
			return d.takeLock()
		}
	}
	text, err = json.Marshal(want)
	if err != nil {
		return err
	}
	if err := writeFile(name, append(text, '\n')); err != nil {
		return err
	}
	return d.takeLock()
}

// A lock file has the number of the process in its first ownerBytes, and a mark if that one keeps a
// ledger. A program that knows no ledger leaves nothing but its number.
const (
	ownerBytes = 32
	ledgerMark = "ledger\n"
)

// takeLock writes into the lock file who has it, and reads who had it before.
func (d *directory) takeLock() error {
	mark := make([]byte, len(ledgerMark))
	n, _ := d.lock.ReadAt(mark, ownerBytes)
	d.hadLedger = string(mark[:n]) == ledgerMark
	return d.writeLock(d.hadLedger)
}

func (d *directory) writeLock(ledger bool) error {
	text := fmt.Sprintf("%-*d\n", ownerBytes-1, os.Getpid())
	if ledger {
		text += ledgerMark
	}
	_, err := d.lock.WriteAt([]byte(text), 0)
	if err == nil {
		err = d.lock.Truncate(int64(len(text)))
	}
	if err == nil {
		err = d.lock.Sync()
	}
	if err != nil {
		return fmt.Errorf("natsstore: %w", err)
	}
	return nil
}

// unlock lets others have the directory.
func (d *directory) unlock() error { return errors.Join(filelock.Unlock(d.lock), d.lock.Close()) }

// writeFile writes a file that is there as a whole, or not at all.
func writeFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+newSuffix+"*")
	if err != nil {
		return fmt.Errorf("natsstore: %w", err)
	}
	defer os.Remove(f.Name()) // fails once it has its name
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err == nil {
		err = syncDirectory(filepath.Dir(name))
	}
	if err != nil {
		return fmt.Errorf("natsstore: %w", err)
	}
	return nil
}

// directorySize returns how many bytes the files below a directory have.
func directorySize(path string) int64 {
	var size int64
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}
