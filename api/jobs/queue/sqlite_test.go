//go:build !nojobs

package queue

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Whoever has the file last may close it after somebody else has written to it, and leaves no log.
func TestCloseAfterAnother(t *testing.T) {
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "jobs")
	path := filepath.Join(dir, DatabaseName)
	write := func() {
		t.Helper()
		another, err := openFile(ctx, path, false)
		if err == nil {
			_, err = another.db.ExecContext(ctx, `update tsumero_kv set value = value`)
			err = errors.Join(err, another.close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	e := open(t, Options{Address: dir})
	write()
	e.stop()
	reader, err := openFile(ctx, path, true)
	if err != nil {
		t.Fatal(err)
	}
	write()
	if err := reader.close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a log: %v", err)
	}
}
