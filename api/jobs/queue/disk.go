//go:build !nojobs

package queue

import (
	"context"
	"os"
	"path/filepath"
	"sync"
)

const (
	// leastFree is how many bytes of a disk are left: with less, work waits.
	leastFree = 8 << 20
	// reserveBytes is the size of a file that is given up when others have filled the disk: without
	// room SQLite can delete nothing either.
	reserveBytes = 8 << 20
)

// A reserve is a file that takes room for bad times.
type reserve struct {
	path string
	mu   sync.Mutex
}

// keep makes the file while there is room, and removes it when there is none.
func (r *reserve) keep(free int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := os.Stat(r.path)
	switch {
	case err == nil && free >= 0 && free < leastFree:
		_ = os.Remove(r.path)
	case os.IsNotExist(err) && free > 4*(leastFree+reserveBytes):
		if f, err := os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
			if _, err := f.Write(make([]byte, reserveBytes)); err != nil {
				_ = os.Remove(r.path)
			}
			_ = f.Close()
		}
	}
}

// directoryRoom returns the room of a directory. New jobs leave a fifth of the disk free.
func directoryRoom(ctx context.Context, d *database, dir string, maxBytes int64, r *reserve) (Room, error) {
	var pages, unused, size int64
	err := d.reading.QueryRowContext(ctx, `select page_count, freelist_count, page_size
		from pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&pages, &unused, &size)
	if err != nil {
		return Room{}, err
	}
	room := Room{Bytes: (pages - unused) * size, Limit: maxBytes, Free: diskFree(dir)}
	if log, err := os.Stat(filepath.Join(dir, DatabaseName+"-wal")); err == nil {
		room.Bytes += log.Size()
	}
	if room.Free < 0 {
		return room, nil
	}
	r.keep(room.Free)
	inFile := room.Free + unused*size // what is unused in the file is room, too
	room.Full = inFile < leastFree
	most := room.Bytes + inFile - (room.Bytes+inFile)/5
	if room.Limit == 0 || most < room.Limit {
		room.Limit = max(1, most)
	}
	if maxBytes > 0 && room.Bytes > maxBytes+maxBytes/4 {
		room.Full = true
	}
	return room, nil
}

// shrink gives some of the unused pages of the file back to the disk.
func (d *database) shrink(ctx context.Context, t *tx) error {
	if d.postgres {
		return nil
	}
	_, err := t.exec(ctx, `pragma incremental_vacuum(256)`)
	return err
}
