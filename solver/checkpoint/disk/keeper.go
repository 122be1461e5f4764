package disk

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/shogi"
)

// Options say where a Keeper keeps its files, and when it makes one.
type Options struct {
	Dir string // is made if it does not exist
	// Name is that of the search, of letters, digits, '-' and '_': the id of its job. Whoever goes
	// on with the search uses the same.
	Name string
	// Secret is the key of the HMAC. Who knows it can make files that are believed. Without one
	// a file is only protected from accidents.
	Secret []byte
	// First is how long a search runs before its first checkpoint, Every how much time lies between
	// two of them at least. Default: 5 minutes each.
	First, Every time.Duration
	Keep         int // how many files stay. Default: 2
	// Saved is told of each checkpoint that is on the disk, from a goroutine of its own, of which
	// there is one at a time. nil: nobody is.
	Saved func(Info)
	// Loaded is told how many positions had been looked at, from the goroutine of the search, when it
	// goes on from a checkpoint. nil: nobody is.
	Loaded func(nodes uint64)
	// OnError is told why a file was refused, or could not be written. The search goes on in either
	// case. It is called from the same goroutine as Saved, or from that of the search. nil: nobody
	// is told.
	OnError func(error)
}

const (
	defaultEvery = 5 * time.Minute
	defaultKeep  = 2
)

// An Info describes a checkpoint that is on the disk.
type Info struct {
	Path    string
	Bytes   int64
	Entries uint64 // of the table
	Nodes   uint64 // positions looked at so far
	// Line is the shortest mate found so far, of the position as it was asked about; nil if there is
	// none. It must not be changed.
	Line []shogi.Move
	Took time.Duration // from its beginning to the disk; the search went on meanwhile
}

// A Keeper keeps checkpoints of one search. A search that finds it in its context (With) loads the
// newest checkpoint there is, and goes on from there. Of several searches at the same time the
// first has it, and the others do without. All methods may be called at any time, and of a nil
// Keeper.
type Keeper struct {
	o         Options
	resumed   atomic.Bool
	requested atomic.Bool
	taken     atomic.Bool // by a search
}

// New returns a Keeper. It does not touch the disk.
func New(o Options) *Keeper {
	o.First = cmp.Or(o.First, defaultEvery)
	o.Every = cmp.Or(o.Every, defaultEvery)
	o.Keep = max(cmp.Or(o.Keep, defaultKeep), 1)
	return &Keeper{o: o}
}

// Resumed reports whether a search has gone on from a checkpoint.
func (k *Keeper) Resumed() bool { return k != nil && k.resumed.Load() }

// Request has the search save a checkpoint the next time it looks at the clock, which takes as long
// as the disk does, and go on. Who wants to stop the search then ends its context after Saved or
// OnError was called, or at once: a search that was stopped saves what was requested before it
// returns.
func (k *Keeper) Request() {
	if k != nil {
		k.requested.Store(true)
	}
}

// Requested reports whether a checkpoint was requested and is not made yet.
func (k *Keeper) Requested() bool { return k != nil && k.requested.Load() }

// Remove removes all files of the search, which has been answered.
func (k *Keeper) Remove() error {
	if k == nil {
		return nil
	}
	files, unfinished, err := k.list()
	for _, f := range files {
		err = errors.Join(err, remove(f.path))
	}
	for _, path := range unfinished {
		err = errors.Join(err, remove(path))
	}
	return err
}

func (k *Keeper) report(err error) {
	if k.o.OnError != nil {
		k.o.OnError(err)
	}
}

// A file is one of the search's.
type file struct {
	path   string
	number int
}

// unfinished begins the part after the name of a file that is being written.
const unfinished = "new"

// list returns the files of the search, the newest first, and those that were not finished.
func (k *Keeper) list() (files []file, broken []string, err error) {
	if err := k.checkName(); err != nil {
		return nil, nil, err
	}
	entries, err := os.ReadDir(k.o.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("checkpoint: %w", err)
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), k.o.Name+".")
		path := filepath.Join(k.o.Dir, e.Name())
		if n, err := strconv.Atoi(rest); ok && err == nil && n > 0 {
			files = append(files, file{path, n})
		} else if ok && strings.HasPrefix(rest, unfinished) {
			broken = append(broken, path)
		}
	}
	slices.SortFunc(files, func(a, b file) int { return b.number - a.number })
	return files, broken, nil
}

// checkName reports whether the name can be that of a file.
func (k *Keeper) checkName() error {
	ok := k.o.Name != ""
	for _, c := range k.o.Name {
		ok = ok && (c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z')
	}
	if !ok {
		return fmt.Errorf("checkpoint: the name %q is not made of letters, digits, - and _ alone", k.o.Name)
	}
	return nil
}

// remove removes a file that may be gone already.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}
