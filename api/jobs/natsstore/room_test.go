//go:build !nonats

package natsstore

import (
	"log/slog"
	"testing"
)

// TestRoom: new work leaves a fifth of the disk, accepted work may take that, and removals are never
// refused. All of it follows the disk.
func TestRoom(t *testing.T) {
	const mb, none = 1 << 20, 0
	disk := func(used, free int64) *room {
		return &room{stored: func() int64 { return used * mb }, files: func() int64 { return used * mb },
			free: func() int64 { return free * mb }, log: slog.New(slog.DiscardHandler)}
	}
	for _, c := range []struct {
		what              string
		used, free, most  int64 // MiB
		accepts, finishes bool
		limit             int64
	}{
		{"an empty disk", 0, 1000, none, true, true, 800},
		{"the same with a limit", 0, 1000, 100, true, true, 100},
		{"less free than a fifth", 810, 190, none, false, true, 800},
		{"a disk full of other things", 30, 0, none, false, false, 24},
		{"a little room is made there", 30, 7, none, false, true, 29},
		{"more room is made", 30, 970, none, true, true, 800},
		{"less than is for the engine", 900, 7, none, false, false, 725},
		{"a limit that is met", 100, 900, 100, false, true, 100},
		{"a small disk", 10, 1, none, false, true, 8},
		{"a small disk that is full", 10, 0, none, false, false, 8},
	} {
		r := disk(c.used, c.free)
		r.maxBytes = c.most * mb
		s := r.look()
		if accepts, finishes := s.has(accepting, 1), s.has(finishing, 1); accepts != c.accepts ||
			finishes != c.finishes || !s.has(removing, 1) || s.limit/mb != c.limit {
			t.Errorf("%s: new jobs %t, results %t, limit %d MiB; want %t, %t, %d", c.what, accepts,
				finishes, s.limit/mb, c.accepts, c.finishes, c.limit)
		}
	}

	// Results may take a quarter above a limit, and what was there before does not count against it.
	stored := int64(0)
	r := disk(0, 1<<20)
	r.stored, r.maxBytes = func() int64 { return stored }, 100*mb
	for _, c := range []struct {
		stored int64
		want   bool
	}{{0, true}, {124 * mb, true}, {125 * mb, false}} {
		stored = c.stored
		if s := r.look(); s.has(finishing, 1) != c.want {
			t.Errorf("results with %d MiB of a limit of 100: %t", c.stored/mb, !c.want)
		}
	}
	stored = 500 * mb
	r = disk(0, 1<<20)
	r.stored, r.maxBytes = func() int64 { return stored }, 100*mb
	if s := r.look(); s.has(accepting, 1) || !s.has(finishing, 1) {
		t.Error("accepted work stands still under a limit that was lowered")
	}

	// A disk that nothing is known of is not a full one.
	r = disk(0, 0)
	r.free = func() int64 { return -1 }
	if s := r.look(); !s.has(accepting, 1) {
		t.Error("a disk whose space is not known is full")
	}
}
