//go:build !nonats

package natsstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/tsumero/tsumero/api/jobs"
)

// A ledger is a file of an embedded store, outside of the engine, that has the records of all jobs
// that were accepted and not removed, as they were when they were accepted or changed their state
// last. The engine drops what it cannot read, and all behind it in a block, without an error, and
// what had been replaced by that comes back. The ledger says what has to be there, and records that
// are lost are written again from it.
//
// A record is written to the engine first, its acceptance left out: so the ledger may be behind, but
// if it is ahead then the engine has lost something.
//
// A line is a checksum and a ledgerLine. The last line of a job is the valid one. Lines are only
// appended; once most of them are out of date the file is written anew.
//
// The methods of a nil ledger, that of a cluster, do nothing.
type ledger struct {
	path string
	log  *slog.Logger
	// damaged is how many lines could not be read when it was opened.
	damaged int

	syncing sync.Mutex // of those who sync; locked before mu
	mu      sync.Mutex
	file    *os.File
	size    int64
	live    int64 // bytes of the lines that are valid
	jobs    map[jobs.ID]ledgerPlace
	secret  []byte
	stale   bool // a removal could not be written
	// Counts of lines, of which the first are on the disk.
	appended, synced uint64
}

// A ledgerPlace is where the line of a job is.
type ledgerPlace struct {
	at    int64
	bytes int
	stage int
}

// stage returns how far a job is: it never falls.
func stage(j *jobs.Job) int {
	switch {
	case j.Over():
		return 3
	case j.State == jobs.Running:
		return 2
	case j.State == jobs.Queued:
		return 1
	}
	return 0
}

// over is the stage of a job of which nothing more changes.
const over = 3

// A ledgerLine is a line of the ledger. One field besides V is set.
type ledgerLine struct {
	V       int       `json:"v"`
	Job     *jobs.Job `json:"job,omitempty"`
	Removed jobs.ID   `json:"removed,omitempty"`
	Secret  []byte    `json:"secret,omitempty"`
}

// leastLedger is the size below which a ledger is not written anew.
const leastLedger = 256 << 10

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

// openLedger opens a ledger, or begins one. Lines that cannot be read are counted and dropped.
func openLedger(path string, log *slog.Logger) (*ledger, error) {
	l := &ledger{path: path, log: log, jobs: map[jobs.ID]ledgerPlace{}}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("natsstore: %w", err)
	}
	if l.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, fmt.Errorf("natsstore: %w", err)
	}
	for line := range bytes.Lines(text) {
		if line[len(line)-1] != '\n' {
			break // it was being written, and acknowledged to nobody
		}
		decoded, err := decodeLedgerLine(line[:len(line)-1])
		switch {
		case errors.Is(err, jobs.ErrNewer):
			_ = l.file.Close()
			return nil, fmt.Errorf("natsstore: %s: %w", path, err)
		case err != nil:
			l.damaged++
		default:
			l.apply(decoded, len(line))
		}
		l.size += int64(len(line))
	}
	if err := l.file.Truncate(l.size); err != nil {
		_ = l.file.Close()
		return nil, fmt.Errorf("natsstore: %w", err)
	}
	l.stale = l.damaged > 0
	l.tidy()
	return l, nil
}

// apply takes in a line that begins at the end. mu is held.
func (l *ledger) apply(line *ledgerLine, n int) {
	switch {
	case line.Job != nil:
		l.live += int64(n - l.jobs[line.Job.ID].bytes)
		l.jobs[line.Job.ID] = ledgerPlace{l.size, n, stage(line.Job)}
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
	if l.synced >= want {
		return nil
	}
	l.mu.Lock()
	now := l.appended
	l.mu.Unlock()
	if err := l.file.Sync(); err != nil { // which only tidy replaces, while it holds syncing
		return ledgerError(err)
	}
	l.synced = now
	return nil
}

// accept notes that a job is accepted, with the record that it has.
func (l *ledger) accept(j *jobs.Job) error {
	if err := l.add(j); err != nil {
		return err
	}
	return l.sync()
}

// add notes a job as accept does, and does not wait for the disk.
func (l *ledger) add(j *jobs.Job) error {
	if l == nil {
		return nil
	}
	l.tidy()
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.jobs[j.ID]; known {
		return nil
	}
	return l.append(&ledgerLine{Job: j})
}

// update notes the state of a job that was accepted, if it is another. It does not wait for the disk:
// the record has.
func (l *ledger) update(j *jobs.Job) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if place, known := l.jobs[j.ID]; !known || place.stage == stage(j) {
		return
	}
	if err := l.append(&ledgerLine{Job: j}); err != nil {
		l.log.Warn("the state of a job is not in the ledger", "job", j.ID.Short(), "error", err)
	}
}

// remove notes that a job is about to be removed. Removals make room and are never refused: one that
// cannot be written is written once there is room.
func (l *ledger) remove(id jobs.ID) {
	if l == nil || !l.has(id) {
		return
	}
	l.mu.Lock()
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

// has reports whether a job was accepted.
func (l *ledger) has(id jobs.ID) bool { return l.stage(id) >= 0 }

// stage returns how far a job is at least, -1 if it was not accepted.
func (l *ledger) stage(id jobs.ID) int {
	if l == nil {
		return -1
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if place, known := l.jobs[id]; known {
		return place.stage
	}
	return -1
}

// stages returns how far the accepted jobs are at least.
func (l *ledger) stages() map[jobs.ID]int {
	all := map[jobs.ID]int{}
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
	text := make([]byte, place.bytes)
	if _, err := l.file.ReadAt(text, place.at); err != nil {
		return nil, ledgerError(err)
	}
	line, err := decodeLedgerLine(text[:len(text)-1])
	if err != nil {
		return nil, fmt.Errorf("natsstore: ledger: %w", err)
	}
	return line.Job, nil
}

// tidy writes the ledger anew if less than half of it is valid, or a removal is missing in it. If
// that fails the ledger is as before.
func (l *ledger) tidy() {
	l.mu.Lock()
	due := l.stale || l.size > 2*l.live+leastLedger
	l.mu.Unlock()
	if !due {
		return
	}
	l.syncing.Lock()
	defer l.syncing.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.rewrite(); err != nil {
		l.log.Warn("the ledger of the job store could not be written anew", "error", err)
	}
}

// rewrite writes a file with the valid lines in place of the ledger. Both mutexes are held.
func (l *ledger) rewrite() error {
	var text []byte
	if l.secret != nil {
		line, err := (&ledgerLine{Secret: l.secret}).encode()
		if err != nil {
			return err
		}
		text = line
	}
	byPlace := func(a, b jobs.ID) int { return int(l.jobs[a].at - l.jobs[b].at) }
	places := make(map[jobs.ID]ledgerPlace, len(l.jobs))
	live := int64(0)
	for _, id := range slices.SortedFunc(maps.Keys(l.jobs), byPlace) {
		place := l.jobs[id]
		at := len(text)
		text = slices.Grow(text, place.bytes)[:at+place.bytes]
		if _, err := l.file.ReadAt(text[at:], place.at); err != nil {
			return err
		}
		places[id] = ledgerPlace{int64(at), place.bytes, place.stage}
		live += int64(place.bytes)
	}
	if err := l.file.Close(); err != nil { // some systems rename no file over an open one
		return err
	}
	failed := writeFile(l.path, text)
	file, err := os.OpenFile(l.path, os.O_RDWR, 0o600)
	l.file = file
	if err = errors.Join(failed, err); err != nil {
		return err
	}
	l.size, l.live, l.jobs, l.stale, l.synced = int64(len(text)), live, places, false, l.appended
	return nil
}

func (l *ledger) close() error {
	if l == nil {
		return nil
	}
	l.syncing.Lock()
	defer l.syncing.Unlock()
	return l.file.Close()
}
