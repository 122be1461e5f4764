package queue

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/wire"
)

// A Submission is a job that a client asks for.
type Submission struct {
	Client, Class string
	// Key is the idempotency key; with none every submission is a job of its own.
	Key string

	Kind     jobs.Kind
	Ask      string
	Note     string
	Priority int
	Defaults string
	Memory   int

	// Lines are the questions. They are stored while they arrive.
	Lines io.Reader
	// Longest is how many bytes a line may have; of a longer one only the number is kept.
	Longest int
	// Check, unless nil, is called with each line that is not too long. What it returns ends the
	// submission, and Submit returns it.
	Check func(number int, line []byte) error
	// Failed, unless nil, turns an error of Lines into the one that Submit returns.
	Failed func(error) error
}

// Submit accepts a job. Once it returns without an error, the job is durable. replayed says that
// the job was accepted before, under the same key.
//
// An upload with a key that is interrupted leaves its chunks in the store: the next one with the
// same key and the same lines completes it.
func (q *Queue) Submit(ctx context.Context, s *Submission) (v *View, replayed bool, err error) {
	class, ok := q.o.Classes[s.Class]
	if !ok {
		return nil, false, fmt.Errorf("queue: there is no class %q", s.Class)
	}
	if err := q.checkOpen(); err != nil {
		return nil, false, err
	}
	id := jobs.NewID()
	if s.Key != "" {
		secret, err := q.readSecret(ctx)
		if err != nil {
			return nil, false, err
		}
		id = jobs.DeriveID(secret, s.Client, s.Key)
	}
	u := &upload{q: q, s: s, class: &class, id: id}
	if err := u.begin(ctx); err != nil {
		return nil, false, err
	}
	defer u.end()
	v, replayed, err = u.run(ctx)
	switch {
	case u.accepted.Lines > 0 && u.isCancelled():
		u.dropInput(context.WithoutCancel(ctx))
	case err != nil && u.created && (s.Key == "" || !u.interrupted):
		u.withdraw(context.WithoutCancel(ctx))
	}
	return v, replayed, err
}

// readSecret returns the secret of the store.
func (q *Queue) readSecret(ctx context.Context) ([]byte, error) {
	q.secretMu.Lock()
	defer q.secretMu.Unlock()
	if q.secret == nil {
		ctx, cancel := q.call(ctx)
		defer cancel()
		secret, err := q.store.Secret(ctx)
		if err != nil {
			return nil, err
		}
		q.secret = secret
	}
	return q.secret, nil
}

// An upload is one call of Submit.
type upload struct {
	q     *Queue
	s     *Submission
	class *Class
	id    jobs.ID
	entry *entry

	revision    jobs.Revision
	created     bool // the record is of this upload
	interrupted bool // the lines ended with an error of their reader
	accepted    jobs.Accepted
}

// begin enters the upload into the index. It waits for the end of others of the same job in this
// process.
func (u *upload) begin(ctx context.Context) error {
	q := u.q
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		e := q.index[u.id]
		if e == nil {
			e = newEntry()
			q.index[u.id] = e
		}
		if e.uploading == nil {
			e.uploading, u.entry = new(jobs.Accepted), e
			return nil
		}
		changed := e.changed
		q.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		q.mu.Lock()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

func (u *upload) end() {
	u.q.mu.Lock()
	defer u.q.mu.Unlock()
	u.entry.uploading = nil
	if u.entry.job == nil && u.q.index[u.id] == u.entry {
		delete(u.q.index, u.id)
	}
	u.entry.notify()
}

// withdraw removes what was stored for a refused submission, unless another one with the same key
// has begun in another process: then the record has changed, and belongs to that one.
func (u *upload) withdraw(ctx context.Context) {
	q := u.q
	ctx, cancel := q.call(ctx)
	defer cancel()
	old, revision, err := q.store.Job(ctx, u.id)
	if err == nil && revision == u.revision && old.State == jobs.Receiving {
		cancelled := *old
		cancelled.State = jobs.Cancelled
		cancelled.Finished = q.o.Now().UTC()
		if _, err = q.store.Update(ctx, &cancelled, revision); err == nil {
			err = q.store.Remove(ctx, u.id)
		}
	}
	if err != nil && !errors.Is(err, jobs.ErrNotFound) && !errors.Is(err, jobs.ErrConflict) {
		q.o.Logger.Warn("a refused job could not be removed", "job", u.id.Short(), "error", err)
	}
}

// isCancelled reports whether the job was cancelled, or removed, since the upload began.
func (u *upload) isCancelled() bool {
	u.q.mu.Lock()
	defer u.q.mu.Unlock()
	return u.entry.job == nil || u.entry.job.State == jobs.Cancelled
}

// dropInput removes what was stored for a job after it was cancelled: no coordinator will.
func (u *upload) dropInput(ctx context.Context) {
	q := u.q
	ctx, cancel := q.call(ctx)
	defer cancel()
	j, _, err := q.store.Job(ctx, u.id)
	switch {
	case errors.Is(err, jobs.ErrNotFound):
		err = q.store.Remove(ctx, u.id) // its message, too
	case err == nil && j.State == jobs.Cancelled:
		err = q.store.DropInput(ctx, u.id)
	}
	if err != nil {
		q.o.Logger.Warn("the input of a cancelled job could not be removed", "job", u.id.Short(),
			"error", err)
	}
}

// run accepts the job, or finds that it was accepted before.
func (u *upload) run(ctx context.Context) (v *View, replayed bool, err error) {
	q, s := u.q, u.s
	record, err := u.create(ctx)
	if err != nil {
		return nil, false, err
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%s %s %q %q %d %d\n", s.Kind, s.Ask, s.Note, s.Defaults, s.Priority,
		s.Memory)
	lines := io.TeeReader(s.Lines, digest)
	if record.State != jobs.Receiving {
		// Of a job that was accepted before only the digest matters.
		tooLong, err := u.discard(lines)
		if err != nil {
			return nil, false, err
		}
		// One that was cancelled before a coordinator had it may have no digest.
		if tooLong || record.Digest != "" &&
			hex.EncodeToString(digest.Sum(nil)) != record.Digest {
			return nil, false, ErrMismatch
		}
		v, err := q.Job(ctx, u.id)
		return v, true, err
	}
	sums, cancelled, err := u.storeLines(ctx, lines)
	switch {
	case err != nil:
		return nil, false, err
	case cancelled:
		v, err := q.Job(ctx, u.id)
		return v, true, err
	}
	u.accepted.Digest = hex.EncodeToString(digest.Sum(nil))
	if err := u.checkAlone(ctx, sums); err != nil {
		return nil, false, err
	}
	if err := u.enqueue(ctx); err != nil {
		u.interrupted = true // it may have been accepted all the same
		return nil, false, err
	}
	q.mu.Lock()
	if e := u.entry; e.job != nil && e.job.State == jobs.Receiving {
		accepted := u.accepted
		e.accepted = &accepted
		q.updateState(u.id, e)
	}
	q.mu.Unlock()
	v, err = q.Job(ctx, u.id)
	return v, false, err
}

// chunkNodes is about how many positions the analyses of a chunk look at: a minute of work or less.
const chunkNodes = 20_000_000

// chunkLines returns the most lines of a chunk. One worker answers a chunk, line by line, so that of
// analyses, which may take minutes each, there are few in one: a hundred of them should keep many workers
// busy.
func chunkLines(ask, defaults string) int {
	switch ask {
	case jobs.AskCompose:
		return composeLines
	case jobs.AskSolve:
		return jobs.MaxChunkLines
	}
	query, _ := url.ParseQuery(defaults) // it is one of ours
	nodes, err := strconv.ParseUint(query.Get("nodes"), 10, 64)
	if err != nil || nodes == 0 {
		nodes, _, _ = (&wire.AnalysisBounds{Nodes: wire.MaxJobNodes}).Defaults()
	}
	return int(min(max(chunkNodes/nodes, 1), jobs.MaxChunkLines))
}

// composeLines are those of a search for problems, each of some hundred figures: their problems are seen
// when the chunk is done.
const composeLines = 1

// storeLines stores the lines in chunks, and returns the digests of these. If the job is cancelled
// meanwhile it reads the other lines without storing them.
func (u *upload) storeLines(ctx context.Context, lines io.Reader) (
	sums [][sha256.Size]byte, cancelled bool, err error) {
	splitter := jobs.NewSplitter(lines, u.s.Longest)
	splitter.MaxLines = chunkLines(u.s.Ask, u.s.Defaults)
	for {
		chunk, err := splitter.Next()
		switch {
		case errors.Is(err, io.EOF) && len(sums) == 0:
			return nil, false, ErrEmpty
		case errors.Is(err, io.EOF):
			return sums, false, nil
		case err != nil:
			return nil, false, u.failed(err)
		case u.isCancelled():
			_, err := u.discard(lines)
			return nil, true, err
		}
		data := chunk.Encode()
		if err := u.add(chunk, data); err != nil {
			return nil, false, err
		}
		sums = append(sums, sha256.Sum256(data))
		if err := u.putChunk(ctx, len(sums)-1, data); err != nil {
			return nil, false, err
		}
	}
}

// discard reads lines to their end without storing them. tooLong says that they have more bytes
// than the client may have stored.
func (u *upload) discard(lines io.Reader) (tooLong bool, err error) {
	limited := io.LimitedReader{R: lines, N: u.class.Bytes + 1}
	if _, err := io.Copy(io.Discard, &limited); err != nil {
		return false, u.failed(err)
	}
	return limited.N <= 0, nil
}

// failed returns what Submit returns for an error of the lines.
func (u *upload) failed(err error) error {
	u.interrupted = true
	if u.s.Failed != nil {
		return u.s.Failed(err)
	}
	return err
}

// create creates the record, or resumes that of an earlier upload.
func (u *upload) create(ctx context.Context) (*jobs.Job, error) {
	q, s := u.q, u.s
	record := &jobs.Job{V: jobs.V, ID: u.id, Kind: s.Kind, Ask: s.Ask, State: jobs.Receiving,
		Client: s.Client, Class: s.Class, Note: s.Note, Priority: s.Priority, Defaults: s.Defaults,
		MaxTime: u.class.Time, Memory: s.Memory, Created: q.o.Now().UTC(), Keep: u.class.Keep}
	ctx, cancel := q.call(ctx)
	defer cancel()
	if s.Key != "" {
		// A job that was accepted is found even if there is no room for a new one.
		if old, revision, err := q.store.Job(ctx, u.id); err == nil {
			return u.resume(ctx, old, revision)
		} else if !errors.Is(err, jobs.ErrNotFound) {
			return nil, err
		}
	}
	if err := u.checkQuota(&jobs.Accepted{}); err != nil {
		return nil, err
	}
	revision, err := q.store.Create(ctx, record)
	if errors.Is(err, jobs.ErrExists) {
		old, revision, err := q.store.Job(ctx, u.id)
		if err != nil {
			return nil, err
		}
		return u.resume(ctx, old, revision)
	}
	if err != nil {
		return nil, err
	}
	u.created, u.revision = true, revision
	q.mu.Lock()
	defer q.mu.Unlock()
	q.apply(jobs.Change{ID: u.id, Job: record, Revision: revision})
	u.entry.pass = q.pass
	return record, nil
}

// resume takes over the record of an earlier upload. It writes the record again, so that this
// upload, should it still run in another process, sees by the revision that it is not alone.
func (u *upload) resume(ctx context.Context, old *jobs.Job, revision jobs.Revision) (
	*jobs.Job, error) {
	u.revision = revision
	found := *old
	u.q.mu.Lock()
	u.q.apply(jobs.Change{ID: u.id, Job: &found, Revision: revision})
	if a := u.entry.accepted; a != nil && old.State == jobs.Receiving {
		old.State, old.Accepted = jobs.Queued, *a // no coordinator has it yet
	}
	u.q.mu.Unlock()
	if f := old.Failure; f != nil && f.Code == jobs.UploadIncomplete {
		// The upload was given up, and comes after all.
		old.State, old.Failure, old.Finished, old.Keep = jobs.Receiving, nil, time.Time{}, u.class.Keep
	}
	switch s := u.s; {
	case old.State != jobs.Receiving:
		return old, nil
	case old.Kind != s.Kind || old.Ask != s.Ask || old.Note != s.Note || old.Priority != s.Priority ||
		old.Defaults != s.Defaults || old.Memory != s.Memory:
		return nil, ErrMismatch
	}
	if err := u.checkQuota(&jobs.Accepted{}); err != nil {
		return nil, err
	}
	changed, err := u.q.store.Update(ctx, old, revision)
	if errors.Is(err, jobs.ErrConflict) {
		old, changed, err = u.q.store.Job(ctx, u.id)
	}
	if err != nil {
		return nil, err
	}
	u.revision = changed
	u.q.mu.Lock()
	defer u.q.mu.Unlock()
	u.q.apply(jobs.Change{ID: u.id, Job: old, Revision: u.revision})
	return old, nil
}

// checkQuota checks the quota of the client and the room in the store.
func (u *upload) checkQuota(a *jobs.Accepted) error {
	q := u.q
	q.mu.Lock()
	defer q.mu.Unlock()
	*u.entry.uploading = *a
	used := q.used(u.s.Client, u.id)
	if err := u.class.checkJobs(&used); err != nil {
		return err
	}
	if err := u.class.checkSize(&used, a); err != nil {
		return err
	}
	if err := q.checkIndex(u.s.Class, &used, u.entry, a); err != nil {
		q.o.Logger.Warn("a job was refused", "error", err)
		return err
	}
	return q.checkRoom(u.s.Kind, a)
}

// add checks a chunk and counts it.
func (u *upload) add(chunk jobs.Chunk, data []byte) error {
	if u.s.Check != nil {
		for i := range chunk {
			if !chunk[i].TooLong {
				if err := u.s.Check(chunk[i].Number, chunk[i].Text); err != nil {
					return err
				}
			}
		}
	}
	u.accepted.Lines += len(chunk)
	u.accepted.Bytes += int64(len(data))
	u.accepted.Chunks++
	return u.checkQuota(&u.accepted)
}

// putChunk stores a chunk. If an earlier upload has stored another one, the bodies are different.
func (u *upload) putChunk(ctx context.Context, n int, data []byte) error {
	ctx, cancel := u.q.call(ctx)
	defer cancel()
	if err := u.q.store.PutInput(ctx, u.id, n, data); err != nil {
		u.interrupted = true
		return err
	}
	if u.created {
		return nil
	}
	stored, err := u.q.store.Input(ctx, u.id, n)
	switch {
	case err != nil:
		u.interrupted = true
		return err
	case !bytes.Equal(stored, data):
		return ErrMismatch
	}
	return nil
}

// checkAlone makes sure that the chunks are those of this upload, even if another one with the same
// key runs in another process, or was interrupted before.
func (u *upload) checkAlone(ctx context.Context, sums [][sha256.Size]byte) error {
	if u.s.Key == "" {
		return nil
	}
	err := u.compareAll(ctx, sums)
	if err != nil {
		u.interrupted = true // the record belongs to the other one, too
	}
	return err
}

func (u *upload) compareAll(ctx context.Context, sums [][sha256.Size]byte) error {
	if u.created {
		_, revision, err := u.record(ctx)
		if err != nil || revision == u.revision {
			return err
		}
		for n := range sums {
			same, err := u.compare(ctx, n, &sums[n])
			if err != nil {
				return err
			}
			if !same {
				return ErrMismatch
			}
		}
	} // else this upload has compared every chunk
	// The other one may have stored more chunks. Fewer are left of a job that has ended.
	ctx, cancel := u.q.call(ctx)
	defer cancel()
	there, err := u.q.store.CountInput(ctx, u.id)
	if err == nil && there > len(sums) {
		err = ErrMismatch
	}
	return err
}

func (u *upload) record(ctx context.Context) (*jobs.Job, jobs.Revision, error) {
	ctx, cancel := u.q.call(ctx)
	defer cancel()
	return u.q.store.Job(ctx, u.id)
}

func (u *upload) compare(ctx context.Context, n int, sum *[sha256.Size]byte) (bool, error) {
	ctx, cancel := u.q.call(ctx)
	defer cancel()
	stored, err := u.q.store.Input(ctx, u.id, n)
	return err == nil && sha256.Sum256(stored) == *sum, err
}

// enqueue makes the store accept the job.
func (u *upload) enqueue(ctx context.Context) error {
	ctx, cancel := u.q.call(ctx)
	defer cancel()
	return u.q.store.Enqueue(ctx, u.id, u.accepted)
}
