//go:build !nonats

package natsstore

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// A ledger is a file of an embedded store, outside of the engine, that has the records of all jobs
// that were accepted and not removed, as they were when they were accepted or changed their state
// last. The engine drops what it cannot read, and all behind it in a block, without an error, and
// what had been replaced by that comes back. The ledger says what has to be there, and records that
// are lost are written again from it.
//
// A record is written to the engine first, so the ledger may be behind it. If it is ahead of the record
// then the engine has lost something. An acceptance is written to both at once: if only the ledger has
// it then it was cut off or refused, or the engine has lost it, and the job goes on in any case.
//
// A job that was removed may come back as another one under its ID. Then it was created later.
//
// A line is a checksum and a ledgerLine. The last line of a job is the valid one. Lines are only
// appended; once most of them are out of date the file is written anew.
//
// The methods of a nil ledger, that of a cluster, do nothing.
type ledger struct {
	path string
	log  *slog.Logger
	// damaged is called with how many lines cannot be read, before they are dropped.
	damaged       func(lines int)
	syncDirectory func(path string) error
	// mark is called once the ledger is on the disk, until it succeeds. It is nil if that was done.
	mark func() error

	// Whoever syncs the file or replaces it holds syncing, which is locked before mu.
	syncing sync.Mutex
	renamed bool   // the name of the file may not be on the disk
	failed  bool   // a sync has failed: the file may lack lines though a later one succeeds
	synced  uint64 // of the lines that were appended, so many are on the disk

	mu       sync.Mutex
	file     *os.File // replaced while both mutexes are held
	size     int64
	live     int64 // bytes of the lines that are valid
	jobs     map[jobs.ID]ledgerPlace
	secret   []byte
	stale    bool   // lines are damaged, or a removal could not be written
	appended uint64 // lines
}

// A ledgerPlace is where the line of a job is, and what it says. The zero value is that of a job that
// is not in the ledger.
type ledgerPlace struct {
	at      int64
	bytes   int
	stage   stage
	created time.Time // of the job
}

// isOf reports whether the line is of this job, and not of one that had its ID before.
func (p ledgerPlace) isOf(j *jobs.Job) bool {
	return p.stage != unaccepted && p.created.Equal(j.Created)
}

// isAheadOf reports whether the job was further than the record that the engine has now, or came later
// than the job of that. The place has to be older than the record.
func (p ledgerPlace) isAheadOf(j *jobs.Job) bool {
	return p.isOf(j) && p.stage > stageOf(j) || p.stage != unaccepted && p.created.After(j.Created)
}

// A stage is how far a job is. It falls only when a record that was lost is written again.
type stage int

const (
	unaccepted stage = iota // or removed
	receiving
	queued
	running
	over // nothing more changes
)

func stageOf(j *jobs.Job) stage {
	switch {
	case j.Over():
		return over
	case j.State == jobs.Running:
		return running
	case j.State == jobs.Queued:
		return queued
	}
	return receiving
}

// A ledgerLine is a line of the ledger. One field besides V is set, none in the first line of a ledger
// without a secret: a ledger is never empty.
type ledgerLine struct {
	V       int       `json:"v"`
	Job     *jobs.Job `json:"job,omitempty"`
	Removed jobs.ID   `json:"removed,omitempty"`
	Secret  []byte    `json:"secret,omitempty"`
}

const (
	// leastLedger is the size below which a ledger is not written anew.
	leastLedger = 256 << 10
	// maxLedgerLine is more than any line has.
	maxLedgerLine = 64 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (l *ledgerLine) encode() ([]byte, error) {
	l.V = jobs.V
	text, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%08x %s\n", crc32.Checksum(text, castagnoli), text), nil
}

// decodeLedgerLine reads a line without its end.
func decodeLedgerLine(line []byte) (*ledgerLine, error) {
	sum, text, _ := bytes.Cut(line, []byte(" "))
	if string(sum) != fmt.Sprintf("%08x", crc32.Checksum(text, castagnoli)) {
		return nil, jobs.ErrDamaged
	}
	l := new(ledgerLine)
	return l, decode(text, l, &l.V)
}

// openLedger opens a ledger, or begins one. Lines that cannot be read are dropped.
func openLedger(path string, log *slog.Logger, damaged func(lines int)) (*ledger, error) {
	l := &ledger{path: path, log: log, damaged: damaged, syncDirectory: syncDirectory,
		jobs: map[jobs.ID]ledgerPlace{}, renamed: true}
	var err error
	if l.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, fmt.Errorf("natsstore: %w", err)
	}
	n, err := l.load()
	if err == nil {
		err = l.file.Truncate(l.size)
	}
	if err != nil {
		_ = l.file.Close()
		return nil, fmt.Errorf("natsstore: %s: %w", path, err)
	}
	if n > 0 {
		l.stale = true
		damaged(n)
	}
	l.tidy()
	return l, nil
}

// load reads the file, up to a line at its end that is not complete: that one was being written, and
// acknowledged to nobody. If it is longer than any line, or has bytes that no line has, then lines were
// lost there. It returns how many lines are damaged.
func (l *ledger) load() (damaged int, err error) {
	in := bufio.NewReaderSize(l.file, maxLedgerLine)
	for {
		line, err := in.ReadSlice('\n')
		n := len(line)
		for errors.Is(err, bufio.ErrBufferFull) { // the ends of lines are damaged
			line, err = in.ReadSlice('\n')
			n += len(line)
			line = nil
		}
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			return damaged, err
		}
		decoded, err := decodeLedgerLine(line[:max(0, len(line)-1)])
		if end {
			if err != nil {
				if n >= maxLedgerLine || bytes.IndexByte(line, 0) >= 0 {
					damaged++
				}
				return damaged, nil
			}
			// All of the line is there, and its end is not what it was.
			damaged++
			if _, err := l.file.WriteAt([]byte("\n"), l.size+int64(n)-1); err != nil {
				return damaged, err
			}
		}
		switch {
		case errors.Is(err, jobs.ErrNewer):
			return damaged, err
		case err != nil:
			damaged++
		default:
			l.apply(decoded, n)
		}
		l.size += int64(n)
	}
}

// begin makes a new ledger durable.
func (l *ledger) begin() error {
	l.mu.Lock()
	var err error
	if l.size == 0 {
		err = l.append(&ledgerLine{})
	}
	l.mu.Unlock()
	if err != nil {
		return err
	}
	return l.sync()
}

// apply takes in a line that begins at the end. mu is held.
func (l *ledger) apply(line *ledgerLine, n int) {
	switch {
	case line.Job != nil:
		l.live += int64(n - l.jobs[line.Job.ID].bytes)
		l.jobs[line.Job.ID] = ledgerPlace{l.size, n, stageOf(line.Job), line.Job.Created}
	case line.Removed != "":
		l.live -= int64(l.jobs[line.Removed].bytes)
		delete(l.jobs, line.Removed)
	case line.Secret != nil:
		l.secret = line.Secret
	}
}

// append writes a line behind the others. mu is held.
func (l *ledger) append(line *ledgerLine) error {
	text, err := line.encode()
	if err == nil {
		_, err = l.file.WriteAt(text, l.size)
	}
	if err != nil {
		_ = l.file.Truncate(l.size) // the next line is written there in any case
		return ledgerError(err)
	}
	l.apply(line, len(text))
	l.size += int64(len(text))
	l.appended++
	return nil
}

func ledgerError(err error) error {
	kind := jobs.ErrUnavailable
	if errors.Is(err, syscall.ENOSPC) {
		kind = jobs.ErrFull
	}
	return fmt.Errorf("natsstore: ledger: %w (%w)", kind, err)
}

// sync returns once all lines are on the disk. Those who call it at once share what it costs.
func (l *ledger) sync() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	want := l.appended
	l.mu.Unlock()
	l.syncing.Lock()
	defer l.syncing.Unlock()
	if l.synced >= want && !l.renamed {
		return nil
	}
	if err := l.syncFile(); err != nil {
		return ledgerError(err)
	}
	return nil
}

// syncFile syncs the file and its name. syncing is held, and mu is not.
func (l *ledger) syncFile() error {
	l.mu.Lock()
	now, empty := l.appended, l.size == 0
	l.mu.Unlock()
	if l.failed { // what the system has of the file is right, and may never reach the disk
		if err := l.compact(); err != nil {
			return err
		}
	}
	if err := l.file.Sync(); err != nil {
		l.failed = true
		return err
	}
	if l.renamed {
		if err := l.syncDirectory(filepath.Dir(l.path)); err != nil {
			return err
		}
		l.renamed = false
	}
	if l.mark != nil && !empty {
		if err := l.mark(); err != nil {
			return err
		}
		l.mark = nil
	}
	l.synced = now
	return nil
}

// accept notes that a job is accepted, with the record that it has. Once ctx has ended it notes
// nothing: the job may be removed by then.
func (l *ledger) accept(ctx context.Context, j *jobs.Job) error {
	if err := l.add(ctx, j); err != nil {
		return err
	}
	return l.sync()
}

// add notes a job as accept does, and does not wait for the disk.
func (l *ledger) add(ctx context.Context, j *jobs.Job) error {
	if l == nil {
		return nil
	}
	l.tidy()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := ctx.Err(); err != nil || l.jobs[j.ID].isOf(j) {
		return err
	}
	return l.append(&ledgerLine{Job: j})
}

// update notes the state of a job that was accepted, if it is further. It does not wait for the disk:
// the record has.
func (l *ledger) update(j *jobs.Job) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if place := l.jobs[j.ID]; place.isOf(j) && place.stage < stageOf(j) {
		l.set(j)
	}
}

// restore notes the state of a job whose record was lost and is written again, also if it is less far.
func (l *ledger) restore(j *jobs.Job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.jobs[j.ID].isOf(j) {
		l.set(j)
	}
}

// set writes the line of a job. mu is held.
func (l *ledger) set(j *jobs.Job) {
	if err := l.append(&ledgerLine{Job: j}); err != nil {
		l.log.Warn("the state of a job is not in the ledger", "job", j.ID.Short(), "error", err)
	}
}

// remove notes that whatever job has an ID is about to be removed. Removals make room and are never
// refused: one that cannot be written is written once there is room.
func (l *ledger) remove(id jobs.ID) {
	l.removeIf(id, func(ledgerPlace) bool { return true })
}

// forget notes that a job is removed, unless there is another one under its ID.
func (l *ledger) forget(j *jobs.Job) {
	l.removeIf(j.ID, func(p ledgerPlace) bool { return p.isOf(j) })
}

func (l *ledger) removeIf(id jobs.ID, is func(ledgerPlace) bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	if p := l.jobs[id]; p.stage == unaccepted || !is(p) {
		l.mu.Unlock()
		return
	}
	line := &ledgerLine{Removed: id}
	err := l.append(line)
	if err != nil {
		l.apply(line, 0)
		l.stale = true
	}
	l.mu.Unlock()
	if err == nil {
		err = l.sync()
	}
	if err != nil {
		l.log.Warn("the removal of a job is not in the ledger", "job", id.Short(), "error", err)
	}
}

// setSecret notes the secret of the store.
func (l *ledger) setSecret(secret []byte) error {
	if l == nil || bytes.Equal(l.readSecret(), secret) {
		return nil
	}
	l.mu.Lock()
	err := l.append(&ledgerLine{Secret: secret})
	l.mu.Unlock()
	if err != nil {
		return err
	}
	return l.sync()
}

// readSecret returns the secret, nil for none.
func (l *ledger) readSecret() []byte {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.secret
}

// place returns where the line of a job is.
func (l *ledger) place(id jobs.ID) ledgerPlace {
	if l == nil {
		return ledgerPlace{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.jobs[id]
}

// accepted returns the jobs that were accepted and not removed, and how far they are at least.
func (l *ledger) accepted() map[jobs.ID]stage {
	all := map[jobs.ID]stage{}
	if l == nil {
		return all
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, place := range l.jobs {
		all[id] = place.stage
	}
	return all
}

// job returns the record of a job, or jobs.ErrNotFound.
func (l *ledger) job(id jobs.ID) (*jobs.Job, error) {
	if l == nil {
		return nil, jobs.ErrNotFound
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	place, ok := l.jobs[id]
	if !ok {
		return nil, jobs.ErrNotFound
	}
	text, err := l.read(place)
	if err != nil {
		return nil, err
	}
	line, err := decodeLedgerLine(text)
	if err != nil {
		return nil, fmt.Errorf("natsstore: ledger: %w", err)
	}
	return line.Job, nil
}

// read returns a line without its end. One of the mutexes is held.
func (l *ledger) read(place ledgerPlace) ([]byte, error) {
	text := make([]byte, place.bytes)
	if _, err := l.file.ReadAt(text, place.at); err != nil {
		return nil, ledgerError(err)
	}
	return text[:len(text)-1], nil
}

// tidy writes the ledger anew if less than half of it is valid, or it is stale. If that fails the
// ledger is as before.
func (l *ledger) tidy() {
	if l == nil || !l.untidy() {
		return
	}
	l.syncing.Lock()
	defer l.syncing.Unlock()
	if !l.untidy() { // others were here before
		return
	}
	if err := l.compact(); err != nil {
		l.log.Warn("the ledger of the job store could not be written anew", "error", err)
	}
}

func (l *ledger) untidy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stale || l.size > 2*l.live+leastLedger
}

// compact puts a file with the valid lines in the place of the ledger. syncing is held, so that no
// line becomes durable meanwhile; mu is not, so that lines can be appended while it waits for the
// disk.
func (l *ledger) compact() (err error) {
	l.mu.Lock()
	places, secret, end, lines, stale := maps.Clone(l.jobs), l.secret, l.size, l.appended, l.stale
	l.stale = false
	l.mu.Unlock()
	file, err := os.CreateTemp(filepath.Dir(l.path), filepath.Base(l.path)+newSuffix+"*")
	if err == nil {
		defer func() {
			if err != nil {
				_ = file.Close()
				_ = os.Remove(file.Name())
			}
		}()
		err = l.replace(file, places, secret, end)
	}
	if err != nil {
		l.mu.Lock()
		l.stale = l.stale || stale
		l.mu.Unlock()
		return err
	}
	l.synced, l.renamed, l.failed = lines, true, false
	return nil
}

// replace is the part of compact that writes: the lines at the places, which lie before end, and then
// what was appended behind it.
func (l *ledger) replace(file *os.File, places map[jobs.ID]ledgerPlace, secret []byte, end int64) error {
	out := bufio.NewWriter(file)
	first, err := (&ledgerLine{Secret: secret}).encode()
	if err != nil {
		return err
	}
	_, _ = out.Write(first) // Flush returns the error, also below
	size, damaged := int64(len(first)), 0
	byPlace := func(a, b jobs.ID) int { return cmp.Compare(places[a].at, places[b].at) }
	for _, id := range slices.SortedFunc(maps.Keys(places), byPlace) {
		place := places[id]
		line, err := l.read(place)
		if err != nil {
			return err
		}
		if _, err := decodeLedgerLine(line); err != nil {
			damaged++
			delete(places, id)
			continue
		}
		_, _ = out.Write(append(line, '\n'))
		place.at = size
		places[id] = place
		size += int64(place.bytes)
	}
	if err := errors.Join(out.Flush(), file.Sync()); err != nil {
		return err
	}
	if damaged > 0 {
		l.damaged(damaged)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	behind := io.NewSectionReader(l.file, end, l.size-end)
	_, err = io.Copy(io.NewOffsetWriter(file, size), behind)
	if err == nil {
		l.file, err = replaceFile(l.file, file, l.path)
	}
	if err != nil {
		return err
	}
	l.live = 0
	for id, place := range l.jobs {
		if place.at >= end {
			place.at += size - end
		} else if moved, ok := places[id]; ok {
			place = moved
		} else {
			delete(l.jobs, id)
			continue
		}
		l.jobs[id] = place
		l.live += int64(place.bytes)
	}
	l.size += size - end
	return nil
}

func (l *ledger) close() error {
	if l == nil {
		return nil
	}
	l.tidy()
	l.syncing.Lock()
	defer l.syncing.Unlock()
	return l.file.Close()
}
