package queue

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"net/url"
	"strconv"

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
// What fits into memory is accepted in one transaction. Of more, chunks are stored as they come, under
// a job that is receiving. If that is interrupted, the next upload with the same key begins anew.
func (q *Queue) Submit(ctx context.Context, s *Submission) (v *View, replayed bool, err error) {
	class, ok := q.o.Classes[s.Class]
	if !ok {
		return nil, false, fmt.Errorf("queue: there is no class %q", s.Class)
	}
	secret, err := q.Secret()
	if err != nil {
		return nil, false, err
	}
	id := jobs.NewID()
	if s.Key != "" {
		id = jobs.DeriveID(secret, s.Client, s.Key)
	}
	u := &upload{q: q, s: s, class: &class, id: id, token: string(jobs.NewID()), digest: sha256.New()}
	replayed, err = u.run(ctx)
	if err != nil {
		if u.begun && (s.Key == "" || !u.interrupted) && !errors.Is(err, errSuperseded) {
			u.withdraw(context.WithoutCancel(ctx))
		}
		if errors.Is(err, errSuperseded) {
			err = fmt.Errorf("%w: %w", jobs.ErrUnavailable, err)
		}
		return nil, false, err
	}
	v, err = q.Job(ctx, id)
	return v, replayed, err
}

// An upload is one call of Submit.
type upload struct {
	q     *Queue
	s     *Submission
	class *Class
	id    jobs.ID
	// token is in the record of a job that this upload receives. Another upload under the same key
	// writes its own there, and this one stores no more.
	token  string
	digest hash.Hash // of what is asked and of the lines as they came

	begun       bool // there is a record
	interrupted bool // the lines ended with an error of their reader
	accepted    jobs.Accepted
	pending     []jobs.Chunk // not stored yet, whose texts have
	size        int          // so many bytes
}

var (
	// errSuperseded says that another upload has begun to store the same job.
	errSuperseded = errors.New("queue: another upload of the job has begun")
	// errAccepted says that the job was accepted before.
	errAccepted = errors.New("queue: the job was accepted before")
)

// pendingBytes is how many bytes of lines are kept before they are stored.
const pendingBytes = 2 << 20

// run accepts the job, or finds that it was accepted before.
func (u *upload) run(ctx context.Context) (replayed bool, err error) {
	s := u.s
	fmt.Fprintf(u.digest, "%s %s %q %q %d %d\n", s.Kind, s.Ask, s.Note, s.Defaults, s.Priority, s.Memory)
	lines := io.TeeReader(s.Lines, u.digest)
	if s.Key != "" {
		// A job that was accepted is found even if there is no room for a new one.
		old, err := u.q.record(ctx, u.id)
		switch {
		case errors.Is(err, jobs.ErrNotFound):
		case err != nil:
			return false, err
		case !mayResume(old):
			return true, u.compare(ctx, lines)
		}
	}
	// A client that has too much is refused before its lines are read.
	err = u.q.read(ctx, func(ctx context.Context, d *database) error {
		return u.q.checkQuota(ctx, d.row, u.class, s.Client, u.id, s.Kind, &jobs.Accepted{})
	})
	if err != nil {
		return false, err
	}
	if err := u.readLines(ctx, lines); err != nil {
		if errors.Is(err, errAccepted) || errors.Is(err, errEnded) {
			return true, u.compare(ctx, lines)
		}
		return false, err
	}
	u.accepted.Digest = hex.EncodeToString(u.digest.Sum(nil))
	err = u.q.write(ctx, u.accept)
	switch {
	case errors.Is(err, errAccepted), errors.Is(err, errEnded):
		return true, u.compare(ctx, lines)
	case err != nil && !errors.Is(err, errSuperseded):
		u.interrupted = true // it may have been accepted all the same
	}
	return false, err
}

// mayResume reports whether a job still waits for its lines.
func mayResume(j *jobs.Job) bool {
	return j.State == jobs.Receiving || j.State.Ended() && !j.Over()
}

// compare reads what is left of the lines, of which only the digest matters: the job is there.
func (u *upload) compare(ctx context.Context, lines io.Reader) error {
	limited := io.LimitedReader{R: lines, N: u.class.Bytes + 1}
	if _, err := io.Copy(io.Discard, &limited); err != nil {
		return u.failed(err)
	}
	old, err := u.q.record(ctx, u.id)
	if err != nil {
		return err
	}
	// One that was cancelled before it was accepted has no digest.
	if limited.N <= 0 || old.Digest != "" && hex.EncodeToString(u.digest.Sum(nil)) != old.Digest {
		return ErrMismatch
	}
	return nil
}

// failed returns what Submit returns for an error of the lines.
func (u *upload) failed(err error) error {
	u.interrupted = true
	if u.s.Failed != nil {
		return u.s.Failed(err)
	}
	return err
}

// readLines reads the lines in chunks, and stores those that are too many to be kept.
func (u *upload) readLines(ctx context.Context, lines io.Reader) error {
	splitter := jobs.NewSplitter(lines, u.s.Longest)
	splitter.MaxLines = chunkLines(u.s.Ask, u.s.Defaults)
	for {
		chunk, err := splitter.Next()
		switch {
		case errors.Is(err, io.EOF) && u.accepted.Chunks == 0:
			return ErrEmpty
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return u.failed(err)
		}
		if err := u.add(chunk); err != nil {
			return err
		}
		if u.size < pendingBytes {
			continue
		}
		if err := u.q.write(ctx, u.flush); err != nil {
			return err
		}
		u.begun, u.pending, u.size = true, nil, 0
	}
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

// add checks a chunk and counts it.
func (u *upload) add(chunk jobs.Chunk) error {
	for i := range chunk {
		if u.s.Check != nil && !chunk[i].TooLong {
			if err := u.s.Check(chunk[i].Number, chunk[i].Text); err != nil {
				return err
			}
		}
		u.size += len(chunk[i].Text)
		u.accepted.Bytes += int64(len(chunk[i].Text)) + lineBytes
	}
	u.accepted.Lines += len(chunk)
	u.accepted.Chunks++
	u.pending = append(u.pending, chunk)
	if c := u.class; u.accepted.Lines > c.Lines {
		return &QuotaError{Of: "lines", Most: int64(c.Lines), Never: true}
	} else if bytes := u.accepted.Bytes + int64(u.accepted.Lines)*ReservedBytes; bytes > c.Bytes {
		return &QuotaError{Of: "bytes", Most: c.Bytes, Never: true}
	}
	return nil
}

// lineBytes is what a line takes besides its text.
const lineBytes = 8

// flush stores the chunks that are pending.
func (u *upload) flush(ctx context.Context, t *tx) error {
	if err := u.own(ctx, t); err != nil {
		return err
	}
	n := u.accepted.Chunks - len(u.pending)
	for _, chunk := range u.pending {
		// Turns begin anywhere, so that one at a job that was removed is none of a later one under its ID.
		if _, err := t.exec(ctx, `insert into tsumero_chunk(job, n, client, memory, turn, last)
			values($1, $2, $3, $4, $5, $6)`, string(u.id), n, u.s.Client, u.s.Memory, rand.IntN(1<<30),
			chunk[len(chunk)-1].Number); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `insert into tsumero_input(job, n, data) values($1, $2, $3)`, string(u.id), n,
			pack(chunk.Encode())); err != nil {
			return err
		}
		n++
	}
	_, err := t.exec(ctx, `update tsumero_job set lines = $2, chunks = $3, bytes = $4, touched = $5 where id = $1`,
		string(u.id), u.accepted.Lines, u.accepted.Chunks, u.accepted.Bytes, u.q.now())
	return err
}

// own makes sure that the record of the job is that of this upload, and that the client may have it.
func (u *upload) own(ctx context.Context, t *tx) error {
	if err := t.lockClient(ctx, u.s.Client); err != nil {
		return err
	}
	var state, token string
	err := t.row(ctx, `select state, upload from tsumero_job where id = $1`, string(u.id)).Scan(&state, &token)
	there := err == nil
	switch {
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return err
	case u.begun && (!there || jobs.State(state).Ended()): // it was cancelled, or removed
		return errEnded
	case u.begun && token != u.token:
		return errSuperseded
	}
	if err := u.q.checkQuota(ctx, t.row, u.class, u.s.Client, u.id, u.s.Kind, &u.accepted); err != nil || u.begun {
		return err
	}
	if there {
		old, err := t.record(ctx, u.id)
		if err != nil {
			return err
		}
		if !mayResume(old) {
			return errAccepted
		}
		if s := u.s; old.Kind != s.Kind || old.Ask != s.Ask || old.Note != s.Note || old.Priority != s.Priority ||
			old.Defaults != s.Defaults || old.Memory != s.Memory {
			return ErrMismatch
		}
	}
	if err := t.clear(ctx, u.id); err != nil { // what an upload before has left, or a job that was removed
		return err
	}
	return u.create(ctx, t)
}

// create writes the record of the job.
func (u *upload) create(ctx context.Context, t *tx) error {
	s, now := u.s, u.q.now()
	_, err := t.exec(ctx, `insert into tsumero_job(id, client, class, kind, ask, note, priority, defaults, max_time,
		memory, active, keep, state, upload, created, touched)
		values($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		string(u.id), s.Client, s.Class, string(s.Kind), s.Ask, s.Note, s.Priority, s.Defaults,
		u.class.Time.Milliseconds(), s.Memory, u.class.Active, u.class.Keep.Milliseconds(), string(jobs.Receiving), u.token, now, now)
	return err
}

// accept stores what is left, and makes the job one that is worked on.
func (u *upload) accept(ctx context.Context, t *tx) error {
	if err := u.flush(ctx, t); err != nil {
		return err
	}
	if _, err := t.exec(ctx, `update tsumero_job set state = $2, digest = $3, revision = revision + 1
		where id = $1`, string(u.id), string(jobs.Queued), u.accepted.Digest); err != nil {
		return err
	}
	t.changed = append(t.changed, u.id)
	return u.q.refill(ctx, t, u.s.Client, u.class.Active, u.s.Memory)
}

// withdraw removes what was stored for a refused submission.
func (u *upload) withdraw(ctx context.Context) {
	err := u.q.write(ctx, func(ctx context.Context, t *tx) error {
		n, err := t.exec(ctx, `delete from tsumero_job where id = $1 and upload = $2 and state = 'receiving'`,
			string(u.id), u.token)
		if err != nil || n == 0 {
			return err
		}
		return t.clear(ctx, u.id)
	})
	if err != nil {
		u.q.log.Warn("a refused job could not be removed", "job", u.id.Short(), "error", err)
	}
}

// clear removes all that is stored under an ID.
func (t *tx) clear(ctx context.Context, id jobs.ID) error {
	for _, table := range []string{"tsumero_answer where job", "tsumero_input where job", "tsumero_chunk where job",
		"tsumero_job where id", "tsumero_gone where id"} {
		if _, err := t.exec(ctx, `delete from `+table+` = $1`, string(id)); err != nil {
			return err
		}
	}
	return nil
}
