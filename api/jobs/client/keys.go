package client

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// Keys keep the idempotency keys of submissions that are not known to be accepted, one file each.
type Keys struct{ folder string }

// keysLast is how long a key is of use: services keep jobs for a day at least.
const keysLast = 24 * time.Hour

// DefaultKeys returns the keys in the folder for the state of programs, $XDG_STATE_HOME/tsumero or
// what stands for that.
func DefaultKeys() (*Keys, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // relative ones are to be ignored, says the specification
		home, err := os.UserHomeDir()
		switch {
		case runtime.GOOS == "windows", err != nil:
			if state, err = os.UserCacheDir(); err != nil {
				return nil, err
			}
		default:
			state = filepath.Join(home, ".local", "state")
		}
	}
	return NewKeys(filepath.Join(state, "tsumero", "submit")), nil
}

// NewKeys returns the keys in a folder, which is made when it is needed.
func NewKeys(folder string) *Keys { return &Keys{folder} }

// Key returns the key of a submission to a service: that of an earlier one that was the same and
// was never confirmed, else a new one. confirm removes it; it is to be called when the job was
// accepted, or refused.
func (k *Keys) Key(c *Client, s *Submission) (key string, confirm func() error, err error) {
	name, err := k.name(c, s)
	if err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(k.folder, 0o700); err != nil {
		return "", nil, err
	}
	k.sweep()
	confirm = func() error {
		if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	for {
		// Both of two programs that ask for the same at the same time get the key of one of them.
		key := rand.Text()
		if err = create(name, key); err == nil {
			return key, confirm, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", nil, err
		}
		earlier, err := os.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // confirmed in between
		case err != nil:
			return "", nil, err
		case len(earlier) == len(key):
			return string(earlier), confirm, nil
		default: // damaged, which is no fault of ours
			if err := confirm(); err != nil {
				return "", nil, err
			}
		}
	}
}

// name returns the name of the file: the same for the same submission to the same service.
func (k *Keys) name(c *Client, s *Submission) (string, error) {
	h := sha256.New()
	for _, part := range []string{c.base.String(), c.key, s.Query.Encode(), s.ContentType} {
		fmt.Fprintf(h, "%d %s ", len(part), part)
	}
	if _, err := s.Body.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	if _, err := io.Copy(h, s.Body); err != nil {
		return "", err
	}
	return filepath.Join(k.folder, hex.EncodeToString(h.Sum(nil)[:16])), nil
}

// create writes a file that is not there yet, whole or not at all.
func create(name, text string) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = os.Link(f.Name(), name); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without links.
	if _, err := os.Lstat(name); err == nil {
		return fs.ErrExist
	}
	return os.Rename(f.Name(), name)
}

// sweep removes keys that are of no use any more.
func (k *Keys) sweep() {
	entries, _ := os.ReadDir(k.folder) // what cannot be read is not swept
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > keysLast {
			_ = os.Remove(filepath.Join(k.folder, entry.Name()))
		}
	}
}
