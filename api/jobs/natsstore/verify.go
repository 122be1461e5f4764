//go:build !nonats

package natsstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tsumero/tsumero/api/jobs"
)

// Verify compares what the records say with what there is. The engine drops what it cannot read,
// and all behind it in a file, without an error; a flipped byte may do that. With read every
// message is read as well, which finds those that are known by name only and takes as long as
// reading the disk.
//
// It may run while jobs do, and should now and then: what was stored of a job after its removal is
// dropped by it, for as long as the removal is known, which is a day, and a job whose acceptance was
// cut off goes on. A job that fails only by Missing.Message can be enqueued again with what its record
// says.
func (s *Store) Verify(ctx context.Context, read bool) ([]Missing, error) {
	unreadable := map[jobs.ID]int{}
	if read {
		for _, stream := range []string{jobsStream, inStream, outStream} { // for COORD see compare
			if err := s.readAll(ctx, stream, unreadable); err != nil {
				return nil, err
			}
		}
	}
	all := map[jobs.ID]bool{}
	for _, of := range []struct{ stream, kind string }{
		{jobsStream, "job"}, {jobsStream, "attempts"}, {coordStream, "coord"}, {inStream, "in"}, {outStream, "out"},
	} {
		subjects, err := s.subjects(ctx, of.stream, s.subject(of.kind, ">"))
		if err != nil {
			return nil, err
		}
		for subject := range subjects {
			all[s.idOf(subject)] = true
		}
	}
	for id := range unreadable {
		all[id] = true
	}
	for id := range s.ledger.accepted() {
		all[id] = true
	}
	var missing []Missing
	for _, id := range slices.Sorted(maps.Keys(all)) {
		m, ok, err := s.verifyJob(ctx, id, unreadable[id])
		if err == nil && !ok {
			// It may have changed in between.
			m, ok, err = s.verifyJob(ctx, id, unreadable[id])
		}
		if err != nil {
			return nil, err
		}
		if !ok {
			missing = append(missing, m)
		}
	}
	s.ledger.tidy()
	return missing, s.ledger.sync()
}

// idOf returns the job that a subject is of, "" for the secret.
func (s *Store) idOf(subject string) jobs.ID {
	parts := strings.SplitN(subject, ".", 4)
	if len(parts) < 3 {
		return ""
	}
	return jobs.ID(parts[2])
}

// verifyJob reports whether all is there of a job.
func (s *Store) verifyJob(ctx context.Context, id jobs.ID, unreadable int) (m Missing, ok bool, err error) {
	m = Missing{ID: id, Unreadable: unreadable}
	known := s.ledger.place(id) // before the record, which may change
	last, err := s.read(ctx, jobsStream, s.subject("job", id))
	switch {
	case id == "": // the secret
		m.Record = unreadable > 0
		return m, !m.Record, nil
	case errors.Is(err, jobs.ErrNotFound), errors.Is(err, jobs.ErrDamaged):
		m.Record = true
		return m, false, nil
	case err != nil: // the store does not answer, or has no leader at the moment
		return m, false, err
	}
	j, removed, err := decodeRecord(last.Header, last.Data)
	switch {
	case errors.Is(err, jobs.ErrNewer):
		return m, unreadable == 0, nil
	case err != nil, known.isAheadOf(j):
		m.Record = true
		return m, false, nil
	case removed:
		return m, true, s.removeRest(ctx, id, known)
	}
	// One that was given up has not been accepted: its upload may go on.
	if stageOf(j) != receiving && !known.isOf(j) { // it was stored before there was a ledger
		if removed, err := s.wasRemoved(ctx, j); removed || err != nil {
			return m, true, err
		}
		if err := s.ledger.add(ctx, j); err != nil && !errors.Is(err, jobs.ErrFull) {
			return m, false, err // one that has no room there now is added by a later Verify
		}
		// A removal that has ended by now may not have known that line, see Remove.
		if now, err := s.read(ctx, jobsStream, last.Subject); err == nil && now.Header.Get(removedHeader) != "" {
			s.ledger.forget(j)
			return m, true, nil
		}
	}
	s.ledger.update(j) // which a crash may have cut off
	if stageOf(j) == receiving {
		return s.resumeAccepted(ctx, j, m)
	}
	return s.compare(ctx, j, m)
}

// wasRemoved removes a job again that was removed before, and reports whether it is one. The engine
// keeps no note of messages that others have replaced. At a start after removedTTL, without its
// indexes, it takes the last record of the job before the removal for a new one. There is nothing else
// of the job then, and the ledger does not know it.
func (s *Store) wasRemoved(ctx context.Context, j *jobs.Job) (bool, error) {
	if s.dir == nil || !s.dir.hadLedger || j.State.Ended() && j.DoneChunks == 0 { // nothing is left of such
		return false, nil
	}
	for _, of := range []struct{ stream, filter string }{
		{coordStream, s.subject("coord", j.ID)},
		{inStream, s.subject("in", j.ID, "*")},
		{outStream, s.subject("out", j.ID, ">")},
	} {
		if there, err := s.subjects(ctx, of.stream, of.filter); err != nil || len(there) > 0 {
			return false, err
		}
	}
	// If the ledger and all else of the job were damaged then it looks the same.
	s.options.Log.Info("a job of which only the record is there was removed before, and is again",
		"job", j.ID.Short(), "state", j.State)
	return true, s.Remove(ctx, j.ID)
}

// compare completes m by what is there of a job with a record, and reports whether all is.
func (s *Store) compare(ctx context.Context, j *jobs.Job, m Missing) (_ Missing, ok bool, err error) {
	id := j.ID
	m.State = j.State
	results, err := s.subjects(ctx, outStream, s.subject("out", id, "r", "*"))
	if err != nil {
		return m, false, err
	}
	want := j.DoneChunks
	if j.State == jobs.Done {
		want = j.Chunks
	}
	m.Results = max(0, want-len(results))
	if j.State == jobs.Queued || j.State == jobs.Running {
		// Input may go once its result is there.
		input, err := s.subjects(ctx, inStream, s.subject("in", id, "*"))
		if err != nil {
			return m, false, err
		}
		for chunk := range j.Chunks {
			_, in := input[s.subject("in", id, chunk)]
			_, out := results[s.subject("out", id, "r", chunk)]
			if !in && !out {
				m.Input++
			}
		}
		switch _, err := s.read(ctx, coordStream, s.subject("coord", id)); {
		case errors.Is(err, jobs.ErrNotFound), errors.Is(err, jobs.ErrDamaged):
			m.Message = true
		case err != nil:
			return m, false, err
		}
	}
	return m, m.Results == 0 && m.Input == 0 && !m.Message && m.Unreadable == 0, nil
}

// readAll reads every message of a stream, and counts those that cannot be read by their job.
func (s *Store) readAll(ctx context.Context, stream string, unreadable map[jobs.ID]int) error {
	subjects, err := s.subjects(ctx, stream, ">")
	if err != nil {
		return err
	}
	if len(subjects) > 0 {
		err = s.deliver(ctx, stream, jetstream.ConsumerConfig{
			DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy, FilterSubject: ">",
		}, true, func(m message) error {
			delete(subjects, m.subject)
			if m.damaged != nil {
				unreadable[s.idOf(m.subject)]++
			}
			return nil
		})
		if err != nil && !isLost(err) {
			return fmt.Errorf("natsstore: read %s: %w", stream, err)
		}
	}
	for subject := range subjects {
		_, err := s.read(ctx, stream, subject)
		if errors.Is(err, jobs.ErrNotFound) {
			// It was removed since, or the engine still counts it and cannot find it.
			var still map[string]uint64
			if still, err = s.subjects(ctx, stream, subject); err == nil && len(still) > 0 {
				err = jobs.ErrDamaged
			}
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, jobs.ErrUnavailable):
			return err
		case err != nil:
			unreadable[s.idOf(subject)]++
		}
	}
	return nil
}
