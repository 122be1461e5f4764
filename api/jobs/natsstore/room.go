//go:build !nonats

package natsstore

import (
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// A purpose is what a write is for. The less room there is, the fewer are taken.
type purpose int

const (
	// accepting takes in new work. It leaves a fifth of the disk free.
	accepting purpose = iota
	// finishing is for work that was accepted. It may take what accepting leaves.
	finishing
	// removing makes room. It is always tried.
	removing
)

// A room decides whether there is room for a write of an embedded store. The engine has a limit of
// its own, which cannot be lowered while it runs and knows neither the disk nor what a write is for;
// it is set too high to be met.
type room struct {
	// maxBytes is the most that is stored when new work is taken in, 0 for what the disk allows.
	maxBytes int64
	stored   func() int64 // bytes of all messages; -1 if not known now
	files    func() int64 // bytes of the files of the store
	free     func() int64 // on the disk; -1 if not known
	log      *slog.Logger

	mu      sync.Mutex
	least   int64 // stored at the first look: work on it goes on under a lower maxBytes
	looked  bool
	used    int64     // what files returned, which takes a while,
	counted time.Time // then,
	held    int64     // when so much was stored
}

// countEvery is how often the files are counted.
const countEvery = 10 * time.Second

// A space is what a room knows at one moment.
type space struct {
	stored int64
	free   int64 // on the disk
	margin int64 // of it: what is left to the engine and to others
	limit  int64 // of stored, for new work
	most   int64 // of stored, for work that was accepted
}

// look returns the space that there is now.
func (r *room) look() space {
	s := space{stored: r.stored(), free: r.free(), limit: math.MaxInt64, most: math.MaxInt64}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.stored >= 0 && !r.looked {
		r.least, r.looked = s.stored, true
	}
	s.stored = max(s.stored, 0)
	if r.maxBytes > 0 {
		s.limit = r.maxBytes
		s.most = max(r.maxBytes, r.least) + r.maxBytes/4
	}
	if s.free < 0 {
		s.free = math.MaxInt64
		return s
	}
	if r.counted.IsZero() || time.Since(r.counted) > countEvery {
		r.used, r.counted, r.held = r.files(), time.Now(), s.stored
	}
	total := r.used + max(0, s.stored-r.held) + s.free
	s.margin = min(2*maxMessage, total/20)
	s.limit = max(1, min(s.limit, s.stored+s.free-total/5))
	return s
}

// has reports whether there is room for a write of some bytes.
func (s *space) has(p purpose, bytes int64) bool {
	switch p {
	case accepting:
		return s.stored+bytes <= s.limit && s.free-bytes >= s.margin
	case finishing:
		return s.stored+bytes <= s.most && s.free-bytes >= s.margin
	}
	return true
}

// check returns jobs.ErrFull if there is no room for a write of some bytes.
func (r *room) check(p purpose, bytes int64) error {
	s := r.look()
	if s.has(p, bytes) {
		return nil
	}
	what := "new jobs"
	if p == finishing {
		what = "the results of accepted jobs"
	}
	err := fmt.Errorf("%w: no room for %s: %d bytes are stored, and %d free on the disk",
		jobs.ErrFull, what, s.stored, s.free)
	r.log.Warn("the job store refuses a write", "error", err)
	return err
}
