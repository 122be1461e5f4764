package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/checkpoint"
)

// A Run is what one search does with its Keeper. It belongs to the goroutine that searches.
type Run struct {
	keeper   *Keeper
	identity checkpoint.Identity
	began    time.Time
	next     time.Time // when a checkpoint is due
	least    uint64    // nodes at which it is
	refused  []string  // files
	writer   *Writer   // the last, nil if there was none
}

// Start begins the search id. It returns nil if there are to be no checkpoints: k is nil, or
// another search has it.
func (k *Keeper) Start(id checkpoint.Identity) checkpoint.Run {
	if k == nil || !k.taken.CompareAndSwap(false, true) {
		return nil
	}
	now := time.Now()
	return &Run{keeper: k, identity: id, began: now, next: now.Add(k.o.First)}
}

// Load has read take in the newest checkpoint that it does not refuse, and reports whether there
// was one. An error of read, which may be one of Reader.Next, refuses the file; what has been read
// of it counts for nothing.
func (r *Run) Load(read func(checkpoint.Reader) error) bool {
	k := r.keeper
	files, unfinished, err := k.list()
	if err != nil {
		k.report(err)
		return false
	}
	for _, path := range unfinished { // its writer was killed
		if err := remove(path); err != nil {
			k.report(err)
		}
	}
	for _, f := range files {
		nodes, err := r.loadFile(f.path, read)
		switch {
		case err == nil:
			r.saved(nodes)
			k.resumed.Store(true)
			if k.o.Loaded != nil {
				k.o.Loaded(nodes)
			}
			return true
		case errors.Is(err, checkpoint.ErrStopped):
			return false
		}
		r.refused = append(r.refused, f.path)
		k.report(fmt.Errorf("checkpoint: %s is refused: %w", f.path, err))
	}
	return false
}

func (r *Run) loadFile(path string, read func(checkpoint.Reader) error) (nodes uint64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return 0, err
	}
	reader, err := newReader(f, stat.Size(), r.identity, r.keeper.o.Secret)
	if err != nil {
		return 0, err
	}
	return reader.state.Nodes, read(reader)
}

// saved sets when the checkpoint after one at so many nodes is due.
func (r *Run) saved(nodes uint64) {
	r.next, r.least = time.Now().Add(r.keeper.o.Every), nodes+nodes/10
}

// Requested reports whether a checkpoint was requested: it is due, and time does not matter.
func (r *Run) Requested() bool { return r.keeper.Requested() }

// Due reports whether to begin a checkpoint, after so many nodes.
func (r *Run) Due(now time.Time, nodes uint64) bool {
	if r.Requested() {
		return true
	}
	return !now.Before(r.next) && nodes >= r.least && (r.writer == nil || r.writer.isDone())
}

// Hurry has the next checkpoint be due now, unless it is too early for any.
func (r *Run) Hurry() {
	if now := time.Now(); now.Sub(r.began) >= r.keeper.o.First {
		r.next, r.least = now, 0
	}
}

// Distrust removes all files: what was loaded from them turned out to be wrong.
func (r *Run) Distrust(err error) {
	r.keeper.report(errors.Join(fmt.Errorf("checkpoint: the files of %s are removed: %w", r.keeper.o.Name, err),
		r.keeper.Remove()))
}

// End ends the search. A checkpoint that was committed is on the disk then, or its error reported,
// and any other is given up.
func (r *Run) End() {
	if w := r.writer; w != nil {
		w.abort()
		<-w.done
	}
	r.keeper.requested.Store(false)
	r.keeper.taken.Store(false)
}

// Report tells Options.OnError.
func (r *Run) Report(err error) { r.keeper.report(err) }

// A Writer writes a checkpoint, in a goroutine of its own.
type Writer struct {
	run    *Run
	began  time.Time
	blocks chan []byte // to be written
	free   chan []byte // to be filled
	closed bool
	done   chan struct{} // closed when all is done

	// Set before blocks is closed.
	commit bool
	state  checkpoint.State
	line   []shogi.Move
}

// buffered is how many blocks may wait for the disk.
const buffered = 4

// Begin begins a checkpoint. It waits for the one before.
func (r *Run) Begin() checkpoint.Writer {
	if r.writer != nil {
		<-r.writer.done
	}
	w := &Writer{run: r, began: time.Now(), done: make(chan struct{}),
		blocks: make(chan []byte, buffered), free: make(chan []byte, buffered)}
	for range buffered {
		w.free <- nil
	}
	r.writer = w
	go w.work()
	return w
}

// Ready reports whether Write does not have to wait for the disk.
func (w *Writer) Ready() bool { return len(w.free) > 0 }

// Write writes a block of at most BlockBytes. It keeps a copy. What goes wrong is reported to
// Options.OnError at the end.
func (w *Writer) Write(block []byte) {
	w.blocks <- append((<-w.free)[:0], block...)
}

// Commit ends the checkpoint. line is the shortest mate found so far, of the position as it was
// asked about.
func (w *Writer) Commit(s checkpoint.State, line []shogi.Move) {
	w.commit, w.state, w.line = true, s, slices.Clone(line)
	w.run.saved(s.Nodes)
	w.run.keeper.requested.Store(false)
	w.abort()
}

// abort ends the checkpoint, which is given up if it was not committed.
func (w *Writer) abort() {
	if !w.closed {
		w.closed = true
		close(w.blocks)
	}
}

func (w *Writer) isDone() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

func (w *Writer) work() {
	defer close(w.done)
	info, err := w.write()
	for range w.blocks { // after an error
		w.free <- nil
	}
	switch o := &w.run.keeper.o; {
	case err != nil:
		w.run.keeper.report(err)
	case w.commit && o.Saved != nil:
		o.Saved(info)
	}
}

// write writes the file, and gives it its name if it is committed.
func (w *Writer) write() (Info, error) {
	k := w.run.keeper
	if err := k.checkName(); err != nil {
		return Info{}, err
	}
	if err := os.MkdirAll(k.o.Dir, 0o700); err != nil {
		return Info{}, fmt.Errorf("checkpoint: %w", err)
	}
	f, err := os.CreateTemp(k.o.Dir, k.o.Name+"."+unfinished)
	if err != nil {
		return Info{}, fmt.Errorf("checkpoint: %w", err)
	}
	e := encoder{w: f}
	if err = w.fill(&e); err == nil && w.commit {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil || !w.commit {
		os.Remove(f.Name())
		if err != nil {
			err = fmt.Errorf("checkpoint: %w", err)
		}
		return Info{}, err
	}
	path, err := w.name(f.Name())
	if err != nil {
		os.Remove(f.Name())
		return Info{}, err
	}
	return Info{Path: path, Bytes: e.bytes, Entries: w.state.Entries, Nodes: w.state.Nodes,
		Line: w.line, Took: time.Since(w.began)}, nil
}

// fill writes all that is in the file.
func (w *Writer) fill(e *encoder) error {
	if err := e.begin(); err != nil {
		return err
	}
	for b := range w.blocks {
		if err := e.block(b); err != nil {
			w.free <- b
			return err
		}
		w.free <- b
	}
	if !w.commit {
		return nil
	}
	return e.end(&footer{w.run.identity, w.state}, w.run.keeper.o.Secret)
}

// name gives a finished file its name, has the directory know it for good, and removes the files
// that are not needed any more.
func (w *Writer) name(finished string) (path string, err error) {
	k := w.run.keeper
	files, _, err := k.list()
	if err != nil {
		return "", err
	}
	number := 1
	if len(files) > 0 {
		number = files[0].number + 1
	}
	path = filepath.Join(k.o.Dir, k.o.Name+"."+strconv.Itoa(number))
	if err := os.Rename(finished, path); err != nil {
		return "", fmt.Errorf("checkpoint: %w", err)
	}
	if err := syncDir(k.o.Dir); err != nil {
		return "", fmt.Errorf("checkpoint: %w", err)
	}
	kept := 1
	for _, f := range files {
		if kept < k.o.Keep && !slices.Contains(w.run.refused, f.path) {
			kept++
			continue
		}
		if err := remove(f.path); err != nil {
			k.report(err)
		}
	}
	return path, nil
}

// syncDir has the directory's entries on the disk. Windows has no such call, and refuses to sync a
// directory.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
