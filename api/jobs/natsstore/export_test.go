//go:build !nonats

package natsstore

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tsumero/tsumero/api/jobs"
)

// Lose forgets the message of a subject, which is without the prefix.
func Lose(t *testing.T, s *Store, subject string) {
	t.Helper()
	for _, stream := range backupStreams {
		if err := s.purge(t.Context(), stream, s.subject(subject)); err != nil {
			t.Fatal(err)
		}
	}
}

// Revert puts an older record of a job back, as the engine does when it loses the newer one.
func Revert(t *testing.T, s *Store, j *jobs.Job) {
	t.Helper()
	_, last, err := s.Job(t.Context(), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.record(j)
	if err == nil {
		_, err = s.write(t.Context(), finishing, m, uint64(last))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// RevertToRemoval puts the removal of a job back that had the ID before, as the engine does when it loses
// what came later.
func RevertToRemoval(t *testing.T, s *Store, j *jobs.Job) {
	t.Helper()
	_, last, err := s.Job(t.Context(), j.ID)
	if err == nil {
		m := &nats.Msg{Subject: s.subject("job", j.ID),
			Header: nats.Header{removedHeader: {j.Created.Format(time.RFC3339Nano)}}}
		_, err = s.write(t.Context(), removing, m, uint64(last), jetstream.WithMsgTTL(removedTTL))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Overfill stores results of a job until that fails, whether there is room or not.
func Overfill(ctx context.Context, s *Store, id jobs.ID) error {
	for chunk := 0; ; chunk++ {
		m := &nats.Msg{Subject: s.subject("out", id, "p", chunk, 0), Data: make([]byte, 64<<10)}
		if _, err := s.writeFirst(ctx, removing, m); err != nil {
			return err
		}
	}
}

// Dump returns all messages of a store, one a line: stream, subject, headers and text.
func Dump(t *testing.T, s *Store) string {
	t.Helper()
	var lines []string
	for _, stream := range streamNames {
		subjects, err := s.subjects(t.Context(), stream, ">")
		if err != nil {
			t.Fatal(err)
		}
		for subject := range subjects {
			m, err := s.stream(stream).GetLastMsgForSubject(t.Context(), subject)
			if err != nil {
				t.Fatal(err)
			}
			line := stream + " " + subject
			for _, name := range slices.Sorted(maps.Keys(m.Header)) {
				line += fmt.Sprintf(" %s: %s", name, m.Header.Get(name))
			}
			lines = append(lines, fmt.Sprintf("%s %s\n", line, m.Data))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// Load stores messages as Dump returned them.
func Load(t *testing.T, s *Store, dump string) {
	t.Helper()
	for line := range strings.Lines(dump) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		m := &nats.Msg{Subject: fields[1], Header: nats.Header{}}
		rest := fields[2:]
		for len(rest) > 1 && strings.HasSuffix(rest[0], ":") {
			m.Header.Set(strings.TrimSuffix(rest[0], ":"), rest[1])
			rest = rest[2:]
		}
		m.Data = []byte(strings.Join(rest, " "))
		if _, err := s.js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
}

// CheckVersion is checkVersion.
var CheckVersion = checkVersion

// Spoil damages the message of a subject, which is without the prefix.
func Spoil(t *testing.T, s *Store, subject string) {
	t.Helper()
	stream := outStream
	if strings.HasPrefix(subject, "coord.") {
		stream = coordStream
	}
	m, err := s.read(t.Context(), stream, s.subject(subject))
	if err != nil {
		t.Fatal(err)
	}
	m.Data[0] ^= 1
	spoilt := &nats.Msg{Subject: m.Subject, Header: m.Header, Data: m.Data}
	if _, err := s.writeSummed(t.Context(), finishing, spoilt, m.Sequence); err != nil {
		t.Fatal(err)
	}
}

// Limit has a store take new work up to so many bytes.
func Limit(s *Store, bytes int64) {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	s.room.maxBytes, s.room.least = bytes, 0
}

// NoteAccepted does the half of Enqueue that writes the ledger.
func NoteAccepted(t *testing.T, s *Store, j *jobs.Job, a jobs.Accepted) {
	t.Helper()
	accepted := *j
	accepted.Accepted = a
	if err := s.ledger.accept(t.Context(), &accepted); err != nil {
		t.Fatal(err)
	}
}

// ForgetAccepted does the part of Remove that writes the ledger.
func ForgetAccepted(s *Store, id jobs.ID) { s.ledger.remove(id) }

// IsAccepted reports whether a job is in the ledger.
func IsAccepted(s *Store, id jobs.ID) bool { return s.ledger.place(id).stage != unaccepted }

// Answers returns how many messages of the engine a store has received.
func Answers(s *Store) uint64 { return s.nc.Stats().InMsgs }

// Stale has whoever adds a job to the ledger write it anew first.
func Stale(s *Store) {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	s.ledger.stale = true
}

// Unmark leaves a store as a start does that could not begin its ledger.
func Unmark(t *testing.T, s *Store) {
	t.Helper()
	if err := s.dir.writeLock(false); err != nil {
		t.Fatal(err)
	}
	s.ledger.mark = func() error { return s.dir.writeLock(true) }
}

// Rebuild writes a record again that was taken for lost.
func Rebuild(ctx context.Context, s *Store, id jobs.ID) error {
	_, err := s.rebuild(ctx, id)
	return err
}

// VerifyJob is verifyJob.
func VerifyJob(ctx context.Context, s *Store, id jobs.ID) (ok bool, err error) {
	_, ok, err = s.verifyJob(ctx, id, 0)
	return ok, err
}

// RemoveInTwo returns the second part of Remove, once the first one has seen what there is.
func RemoveInTwo(t *testing.T, s *Store, id jobs.ID) (second func() error) {
	t.Helper()
	seen, err := s.see(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return func() error { return s.removeSeen(t.Context(), id, seen) }
}

// FullLedger has a store write its ledger to a full disk until release is called.
func FullLedger(t *testing.T, s *Store) (release func()) {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	swap := func(file *os.File) (before *os.File) {
		s.ledger.syncing.Lock()
		defer s.ledger.syncing.Unlock()
		s.ledger.mu.Lock()
		defer s.ledger.mu.Unlock()
		before, s.ledger.file = s.ledger.file, file
		return before
	}
	file := swap(full)
	return func() { _ = swap(file).Close() }
}

// HoldLedger has whoever syncs the ledger of a store wait until release is called.
func HoldLedger(s *Store) (release func()) {
	s.ledger.syncing.Lock()
	return s.ledger.syncing.Unlock
}
