//go:build !nonats

package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tsumero/tsumero/api/jobs"
)

// mendAtStart compares the engine with the ledger and mends what it can. It must be called before
// anybody works on the jobs: a record that is behind the ledger would be taken for the last one.
func (s *Store) mendAtStart(ctx context.Context) error {
	var missing []Missing
	if s.ledger.readSecret() != nil {
		_, err := s.read(ctx, jobsStream, s.subject("secret"))
		switch {
		case errors.Is(err, jobs.ErrNotFound), errors.Is(err, jobs.ErrDamaged):
			missing = append(missing, Missing{Record: true})
		case err != nil:
			return err
		}
	}
	unsettled := s.ledger.accepted()
	err := s.list(ctx, jobsStream, s.subject("job", "*"), false, func(m message) error {
		id := s.idOf(m.subject)
		j, _, err := decodeRecord(m.header, m.data)
		if m.damaged == nil && err == nil && j.Over() && !s.ledger.place(id).isAheadOf(j) {
			// Nothing changes in it until Verify looks at the rest. Of a removal the ledger does not know yet.
			delete(unsettled, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(unsettled)) {
		m, ok, err := s.verifyJob(ctx, id, 0)
		if err != nil {
			return err
		}
		if !ok {
			missing = append(missing, m)
		}
	}
	return s.Mend(ctx, missing)
}

// resumeAccepted completes m as compare does, for a job whose record does not say that it was accepted.
// If it is in the ledger and only not in the queue then it is put there. Its acceptance was cut off
// between the two, or one was refused on a full disk, so that nobody was told of it; or the message
// is lost. While there is no room the job waits for the next Verify.
func (s *Store) resumeAccepted(ctx context.Context, j *jobs.Job, m Missing) (_ Missing, ok bool, err error) {
	known, err := s.ledger.job(j.ID)
	if err != nil || !known.Created.Equal(j.Created) {
		return s.compare(ctx, j, m) // its input is coming, or its line is damaged
	}
	queued := *j
	queued.State, queued.Accepted, queued.DoneChunks = jobs.Queued, known.Accepted, 0
	m, ok, err = s.compare(ctx, &queued, m)
	if err != nil || m != (Missing{ID: j.ID, State: jobs.Queued, Message: true}) {
		return m, ok, err
	}
	if _, failed := s.requeue(ctx, j.ID, known.Accepted); failed != nil {
		s.options.Log.Warn("a job that may have been accepted could not be put into the queue",
			"job", j.ID.Short(), "error", failed)
	}
	return m, true, ctx.Err()
}

// Mend does what can be done about jobs that lack something, and keeps what it found, see Findings.
// A job that is not in the queue is put into it, and a record that is lost is written again from the
// ledger and the results. A job that can no longer end well fails. A job that lacks nothing by now is
// no finding: it went on, or another process has mended it.
func (s *Store) Mend(ctx context.Context, missing []Missing) error {
	for _, m := range missing {
		m, done, err := s.mendNow(ctx, m)
		if errors.Is(err, errWhole) {
			continue
		}
		if err != nil && ctx.Err() == nil {
			s.options.Log.Error("a damage of the job store could not be mended", "job", m.ID.Short(), "error", err)
		}
		s.report(Finding{ID: m.ID, Text: m.String(), Done: done})
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// errWhole says that a job lacks nothing.
var errWhole = errors.New("natsstore: all is there")

// mendNow mends what a job lacks now, and returns that, and what it did, "" for nothing.
func (s *Store) mendNow(ctx context.Context, m Missing) (_ Missing, done string, err error) {
	for range 3 { // while somebody else is first
		if m.ID != "" {
			now, ok, err := s.verifyJob(ctx, m.ID, m.Unreadable)
			switch {
			case err != nil:
				return m, "", err
			case ok:
				return m, "", errWhole
			}
			m = now
		}
		if done, err = s.mend(ctx, m); !errors.Is(err, jobs.ErrConflict) {
			break
		}
	}
	return m, done, err
}

// mend does it for one job, and returns what it did, "" for nothing. The error is jobs.ErrConflict if
// somebody else changed what was to be mended.
func (s *Store) mend(ctx context.Context, m Missing) (done string, err error) {
	if m.ID == "" {
		return s.rewriteSecret(ctx)
	}
	if m.Record {
		return s.rebuild(ctx, m.ID)
	}
	j, rev, err := s.Job(ctx, m.ID)
	if errors.Is(err, jobs.ErrNotFound) {
		return "", jobs.ErrConflict // it was removed
	}
	if err != nil || j.State.Ended() {
		return "", err
	}
	if known, err := s.ledger.job(m.ID); err == nil && known.Created.Equal(j.Created) {
		j.Accepted = known.Accepted // the record gets it only when a coordinator leases the job
	}
	if m.Fatal() || m.Results > 0 {
		state := j.State
		if err := s.reckon(ctx, j); err != nil {
			return "", err
		}
		j.State, j.Finished, j.Failure, done = state, time.Time{}, nil, "they are worked out again"
		if m.Fatal() {
			j.State, j.Finished, j.Failure = jobs.Failed, time.Now().UTC(), lost()
			done = "the job has failed"
		}
		if _, err := s.Update(ctx, j, rev); err != nil {
			return "", err
		}
	}
	if !m.Message || m.Fatal() {
		return done, nil
	}
	put, err := s.requeue(ctx, m.ID, j.Accepted)
	switch {
	case put && done != "":
		done += ", and the job is in the queue again"
	case put:
		done = "put into the queue again"
	case done == "" && err == nil:
		err = jobs.ErrConflict
	}
	return done, err
}

// requeue puts a job into the queue whose message is lost or damaged, and reports whether it was.
func (s *Store) requeue(ctx context.Context, id jobs.ID, a jobs.Accepted) (bool, error) {
	subject := s.subject("coord", id)
	if _, err := s.read(ctx, coordStream, subject); errors.Is(err, jobs.ErrDamaged) {
		if err := s.purge(ctx, coordStream, subject); err != nil {
			return false, err
		}
	}
	return s.enqueue(ctx, id, a)
}

// lost is why a job fails of which the store has lost something.
func lost() *jobs.Failure {
	return &jobs.Failure{Code: "internal_error", Detail: "The store has lost a part of the job."}
}

// rewriteSecret stores the secret of the ledger in place of one that is lost or damaged.
func (s *Store) rewriteSecret(ctx context.Context) (string, error) {
	secret := s.ledger.readSecret()
	if secret == nil {
		return "", nil
	}
	data, err := json.Marshal(secretText{jobs.V, secret})
	if err != nil {
		return "", err
	}
	m := &nats.Msg{Subject: s.subject("secret"), Data: data}
	old, err := s.read(ctx, jobsStream, m.Subject)
	if err == nil {
		return "", errWhole
	}
	return "written again", s.overwrite(ctx, m, old, err)
}

// overwrite stores a message of the stream of records in place of one that read returned with an
// error, or that is out of date.
func (s *Store) overwrite(ctx context.Context, m *nats.Msg, old *jetstream.RawStreamMsg, err error) error {
	if err != nil && !errors.Is(err, jobs.ErrNotFound) && !errors.Is(err, jobs.ErrDamaged) {
		return err
	}
	last := uint64(0)
	if old != nil {
		last = old.Sequence
	}
	if _, err = s.write(ctx, finishing, m, last); errors.Is(err, errNotLast) {
		return jobs.ErrConflict
	}
	return err
}

// rebuild writes a lost record again, as the ledger has it. A job that had not ended is done if all
// results are there, and goes on if what they lack is in the input.
func (s *Store) rebuild(ctx context.Context, id jobs.ID) (string, error) {
	j, err := s.ledger.job(id)
	if errors.Is(err, jobs.ErrNotFound) {
		return "", nil // it was accepted by nobody, or before there was a ledger
	}
	if err != nil {
		return "", err
	}
	known := ledgerPlace{stage: stageOf(j), created: j.Created}
	old, readErr := s.read(ctx, jobsStream, s.subject("job", id))
	if readErr == nil {
		if there, _, err := decodeRecord(old.Header, old.Data); err == nil && !known.isAheadOf(there) {
			return "", jobs.ErrConflict // another one was written meanwhile
		}
	}
	if known.stage < over {
		if err := s.reckon(ctx, j); err != nil {
			return "", err
		}
	}
	m, err := s.record(j)
	if err == nil {
		err = s.overwrite(ctx, m, old, readErr)
	}
	if err != nil {
		return "", err
	}
	if s.ledger.place(id).stage == unaccepted { // it was removed meanwhile, and found without a record
		return "", errors.Join(jobs.ErrConflict, s.Remove(ctx, id))
	}
	s.ledger.restore(j)
	if j.State == jobs.Queued {
		_, err = s.requeue(ctx, id, j.Accepted)
	}
	return fmt.Sprintf("written again, the job is %s", j.State), err
}

// reckon sets the state of a job that has not ended by what there is of it.
func (s *Store) reckon(ctx context.Context, j *jobs.Job) error {
	done := map[int]bool{}
	counts := jobs.Job{}
	err := s.Results(ctx, j.ID, func(chunk int, sum *jobs.Summary) {
		if chunk < 0 || chunk >= j.Chunks || done[chunk] {
			return
		}
		done[chunk] = true
		counts.DoneChunks++
		counts.Counts.Add(sum.Counts)
		counts.Nodes += sum.Nodes
		counts.OutBytes += sum.Bytes
	})
	if err != nil {
		return err
	}
	input, err := s.subjects(ctx, inStream, s.subject("in", j.ID, "*"))
	if err != nil {
		return err
	}
	j.Finished, j.Failure = time.Time{}, nil // it may have failed because its input was late
	for chunk := range j.Chunks {
		if _, there := input[s.subject("in", j.ID, chunk)]; !there && !done[chunk] {
			j.Failure = lost()
		}
	}
	j.DoneChunks, j.Counts, j.Nodes, j.OutBytes = counts.DoneChunks, counts.Counts, counts.Nodes, counts.OutBytes
	switch now := time.Now().UTC(); {
	case j.DoneChunks == j.Chunks:
		j.State, j.Finished = jobs.Done, now
	case j.Failure != nil:
		j.State, j.Finished = jobs.Failed, now
	default:
		j.State = jobs.Queued
	}
	return nil
}
