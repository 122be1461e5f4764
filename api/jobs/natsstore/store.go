//go:build !nonats

package natsstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tsumero/tsumero/api/jobs"
)

// A Store is a jobs.Store on JetStream.
type Store struct {
	options  Options
	kind     string // "embedded" or "cluster"
	replicas int
	room     *room   // nil in a cluster
	ledger   *ledger // nil in a cluster
	findings *findings
	timeout  time.Duration

	engine  *engine         // nil in a cluster
	cluster *ClusterOptions // nil if embedded
	dir     *directory
	nc      *nats.Conn
	js      jetstream.JetStream
	// closing ends whatever waits.
	closing context.Context
	close   context.CancelFunc
	closed  sync.Once

	mu        sync.Mutex
	sync      bool                          // every server was seen to sync always
	syncAsked time.Time                     // when they were asked
	streams   map[string]jetstream.Stream   // by the end of their names
	consumers map[string]jetstream.Consumer // durable ones, by name
	lists     chan struct{}                 // one element for each listing that runs
	views     map[string]*view              // of a cluster, by the end of the names of streams
}

// The ends of the names of the streams.
const (
	jobsStream  = "JOBS"
	coordStream = "COORD"
	inStream    = "IN"
	outStream   = "OUT"
	itemsStream = "ITEMS"
)

// Headers of messages.
const (
	removedHeader = "Tsumero-Removed" // of a record, see decodeRecord
	summaryHeader = "Tsumero-Piece"   // the summary of a result
	sumHeader     = "Tsumero-Sum"     // of all the rest
	writeHeader   = "Tsumero-Write"   // another one for each write, in a cluster
)

// maxRecord is the most bytes of a record.
const maxRecord = 4 << 10

// maxMessage is the most bytes of any message.
const maxMessage = 4 << 20

func newStore(o Options, kind string) *Store {
	s := &Store{
		options:   o,
		kind:      kind,
		streams:   map[string]jetstream.Stream{},
		consumers: map[string]jetstream.Consumer{},
		findings:  &findings{},
		lists:     make(chan struct{}, 2),
		views:     map[string]*view{},
	}
	for _, name := range streamNames {
		s.views[name] = &view{asking: make(chan struct{}, 1)}
	}
	s.closing, s.close = context.WithCancel(context.Background())
	return s
}

// Close implements jobs.Store.
func (s *Store) Close() error {
	var err error
	s.closed.Do(func() {
		s.close()
		if s.nc != nil {
			s.nc.Close()
		}
		if s.engine != nil {
			s.engine.stop()
		}
		err = s.ledger.close()
		if s.dir != nil {
			err = errors.Join(err, s.dir.unlock())
		}
	})
	return err
}

// subject returns the name of a subject.
func (s *Store) subject(parts ...any) string {
	b := []byte(s.options.Prefix)
	for _, p := range parts {
		b = append(b, '.')
		b = fmt.Append(b, p)
	}
	return string(b)
}

// call returns the context of one call of the engine, which must be cancelled.
func (s *Store) call(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if s.closing.Err() != nil || s.engine != nil && s.engine.running() == nil {
		return nil, nil, jobs.ErrUnavailable
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	return ctx, cancel, nil
}

// do makes one call of the engine. what is for its error.
func (s *Store) do(ctx context.Context, what string, f func(context.Context) error) error {
	call, cancel, err := s.call(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	if err := f(call); err != nil {
		return s.failed(ctx, what, err)
	}
	return nil
}

const (
	// againAfter is how long nobody has answered when a call is made again: the leader that was asked
	// may have ended, or there was none, and the next one knows nothing of it.
	againAfter = time.Second
	// leaderPause is the pause before a call is made again that found no leader.
	leaderPause = 100 * time.Millisecond
)

// again makes a call until somebody answers it or ctx ends, and returns the first answer, and how
// often the call was made. Each time it waits longer by a factor. In one process it makes it once.
func again[T any](ctx context.Context, s *Store, factor time.Duration,
	f func(context.Context) (T, error)) (result T, n int, err error) {
	if s.engine != nil {
		result, err = f(ctx)
		return result, 1, err
	}
	type answer struct {
		result T
		err    error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan answer)
	wait := againAfter
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return result, n, cmp.Or(err, ctx.Err())
		case <-timer.C:
			if !s.nc.IsConnected() { // it would be sent later, when nobody waits for the answer
				err = nats.ErrDisconnected
				timer.Reset(leaderPause)
				continue
			}
			n++
			go func() {
				var a answer
				a.result, a.err = f(ctx)
				select {
				case answers <- a:
				case <-ctx.Done():
				}
			}()
			timer.Reset(wait)
			wait *= factor
		case a := <-answers:
			if !isLeaderless(a.err) {
				return a.result, n, a.err
			}
			err = a.err
			timer.Reset(leaderPause)
		}
	}
}

// isLeaderless reports whether nobody has taken a call, since a stream or the cluster has no leader.
func isLeaderless(err error) bool {
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) ||
		errors.Is(err, nats.ErrDisconnected) || errorCode(err) == notAvailable
}

// Codes of errors of the engine.
const (
	wrongLastSequence = 10071 // another write was first
	sequenceInFlight  = 10164 // another write may be first, and is not decided yet
	storeFailed       = 10077 // a limit of the stream, or an error of the disk
	insufficient      = 10023 // a limit of the server
	messageNotFound   = 10037
	streamNotFound    = 10059
	notAvailable      = 10008 // no leader
)

func errorCode(err error) int {
	if api := (*jetstream.APIError)(nil); errors.As(err, &api) {
		return int(api.ErrorCode)
	}
	return 0
}

// failed returns the error of a Store for one of the engine.
func (s *Store) failed(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) {
		return context.DeadlineExceeded // the client of the engine looks at the clock itself
	}
	what = hideIDs(what)
	is := func(as error) error { return fmt.Errorf("natsstore: %s: %w (%w)", what, as, err) }
	if s.closing.Err() != nil {
		return is(jobs.ErrUnavailable)
	}
	if s.engine != nil && s.engine.broken().Err() != nil {
		if s.engine.repair(finishing) {
			return is(jobs.ErrUnavailable)
		}
		return is(jobs.ErrFull)
	}
	if s.engine != nil && (errorCode(err) == streamNotFound || errors.Is(err, nats.ErrNoResponders) ||
		errors.Is(err, jetstream.ErrNoStreamResponse)) {
		// The engine has started again, without the stream that is in memory.
		if s.setUpStream(context.WithoutCancel(ctx), itemsStream) == nil {
			return is(jobs.ErrUnavailable)
		}
	}
	switch code := errorCode(err); code {
	case insufficient, 10028, 10047: // the limits of an account, of memory, of files
		return is(jobs.ErrFull)
	case storeFailed:
		// Only the text says which.
		if text := err.Error(); strings.Contains(text, "maximum") || strings.Contains(text, "no space") {
			return is(jobs.ErrFull)
		}
		return is(jobs.ErrUnavailable)
	case sequenceInFlight, // of a leader that is cut off it is never decided
		notAvailable, 10009, 10004, 10006, 10076, 10039: // no leader, no quorum, not enabled now
		return is(jobs.ErrUnavailable)
	}
	api := (*jetstream.APIError)(nil)
	switch {
	case errors.As(err, &api) && api.Code < 500:
		return fmt.Errorf("natsstore: %s: %w", what, err)
	case errors.Is(err, nats.ErrMaxPayload), errors.Is(err, nats.ErrPermissionViolation):
		return fmt.Errorf("natsstore: %s: %w", what, err)
	}
	return is(jobs.ErrUnavailable) // a timeout, or no connection
}

var idPattern = regexp.MustCompile(`[a-z2-7]{26}`)

// hideIDs shortens the IDs of jobs in a text, which are secrets, for a log.
func hideIDs(text string) string {
	return idPattern.ReplaceAllStringFunc(text, func(id string) string { return jobs.ID(id).Short() })
}

// errNotLast says that the last message of a subject is not the one that a write was to replace.
var errNotLast = errors.New("natsstore: somebody was first")

// write stores a message in place of the one with the sequence last, 0 for none, and returns its
// own. It returns errNotLast if the last message is another one.
func (s *Store) write(ctx context.Context, p purpose, m *nats.Msg, last uint64,
	opts ...jetstream.PublishOpt) (uint64, error) {
	if m.Header == nil {
		m.Header = nats.Header{}
	}
	m.Header.Set(sumHeader, sum(m.Subject, m.Header, m.Data))
	return s.writeSummed(ctx, p, m, last, opts...)
}

// writeSummed is write for a message that has its checksum.
//
// In a cluster it is sent again while no answer comes. Only one of these is stored, and if another
// answer than the one that says so comes first, the message itself tells who has written it.
func (s *Store) writeSummed(ctx context.Context, p purpose, m *nats.Msg, last uint64,
	opts ...jetstream.PublishOpt) (uint64, error) {
	start := time.Now()
	opts = append(opts, jetstream.WithExpectLastSequencePerSubject(last))
	if s.room != nil {
		if err := s.room.check(p, int64(m.Size())); err != nil {
			return 0, fmt.Errorf("natsstore: write %s: %w", hideIDs(m.Subject), err)
		}
	}
	name, sent := rand.Text(), 0
	for wait := time.Millisecond; ; wait *= 2 {
		call, cancel, err := s.call(ctx)
		if err != nil {
			return 0, err
		}
		stop := func() bool { return true }
		if s.engine != nil {
			stop = context.AfterFunc(s.engine.broken(), cancel) // there will be no answer
		}
		ack, n, err := again(call, s, 2, func(ctx context.Context) (*jetstream.PubAck, error) {
			header := nats.Header{}
			maps.Copy(header, m.Header)
			if s.engine == nil {
				header.Set(writeHeader, name)
			}
			return s.js.PublishMsg(ctx, &nats.Msg{Subject: m.Subject, Header: header, Data: m.Data}, opts...)
		})
		sent += n
		stop()
		cancel()
		switch {
		case err == nil:
			s.options.Wrote(time.Since(start))
			return ack.Sequence, nil
		case errorCode(err) == wrongLastSequence && sent > 1 && s.engine == nil:
			return s.written(ctx, m.Subject, name)
		case errorCode(err) == wrongLastSequence:
			return 0, errNotLast
		case errorCode(err) == sequenceInFlight && wait < time.Second:
			time.Sleep(wait)
		default:
			return 0, s.failed(ctx, "write "+m.Subject, err)
		}
	}
}

// written returns the sequence of the last message of a subject if it is that of a write, and else
// errNotLast.
func (s *Store) written(ctx context.Context, subject, write string) (uint64, error) {
	stream := jobsStream
	switch strings.Split(subject, ".")[1] {
	case "coord":
		stream = coordStream
	case "in":
		stream = inStream
	case "out":
		stream = outStream
	}
	m, err := s.read(ctx, stream, subject)
	switch {
	case err != nil && !errors.Is(err, jobs.ErrNotFound) && !errors.Is(err, jobs.ErrDamaged):
		return 0, err
	case m != nil && m.Header.Get(writeHeader) == write:
		return m.Sequence, nil
	}
	return 0, errNotLast
}

// sum returns a checksum of a message. The engine has one of its own, and does not check it at each
// read.
func sum(subject string, h nats.Header, data []byte) string {
	c := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	for _, part := range [][]byte{[]byte(subject), []byte(h.Get(removedHeader)),
		[]byte(h.Get(summaryHeader)), data} {
		_, _ = c.Write(strconv.AppendInt(nil, int64(len(part)), 10))
		_, _ = c.Write(part)
	}
	return fmt.Sprintf("%08x", c.Sum32())
}

// checkSum returns jobs.ErrDamaged if a message is not what was written.
func checkSum(subject string, h nats.Header, data []byte) error {
	if got := sum(subject, h, data); got != h.Get(sumHeader) {
		return fmt.Errorf("natsstore: %s: %w: checksum %s, not %s",
			hideIDs(subject), jobs.ErrDamaged, got, h.Get(sumHeader))
	}
	return nil
}

// read returns the message of a subject, or jobs.ErrNotFound.
func (s *Store) read(ctx context.Context, stream, subject string) (*jetstream.RawStreamMsg, error) {
	var m *jetstream.RawStreamMsg
	err := s.do(ctx, "read "+subject, func(ctx context.Context) (err error) {
		m, _, err = again(ctx, s, 1, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
			return s.stream(stream).GetLastMsgForSubject(ctx, subject)
		})
		if errorCode(err) == messageNotFound {
			m, err = nil, nil
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return nil, jobs.ErrNotFound
	}
	return m, checkSum(m.Subject, m.Header, m.Data)
}

// purge removes messages of subjects, all without options.
func (s *Store) purge(ctx context.Context, stream, filter string, opts ...jetstream.StreamPurgeOpt) error {
	opts = append(opts, jetstream.WithPurgeSubject(filter))
	return s.do(ctx, "purge "+filter, func(ctx context.Context) error {
		return s.stream(stream).Purge(ctx, opts...)
	})
}

func (s *Store) stream(name string) jetstream.Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[name]
}

// decode reads JSON that has the number of its format in v.
func decode(text []byte, to any, v *int) error {
	if err := json.Unmarshal(text, to); err != nil {
		if json.Unmarshal(text, &struct {
			V *int `json:"v"`
		}{v}) != nil || *v <= jobs.V {
			return fmt.Errorf("natsstore: what is stored cannot be read: %w", err)
		}
	}
	if *v > jobs.V {
		return jobs.ErrNewer
	}
	return nil
}

// A secretText is how the secret is stored.
type secretText struct {
	V      int    `json:"v"`
	Secret []byte `json:"secret"`
}

// Secret implements jobs.Store.
func (s *Store) Secret(ctx context.Context) ([]byte, error) {
	subject := s.subject("secret")
	for range 2 {
		m, err := s.read(ctx, jobsStream, subject)
		if err == nil {
			var text secretText
			if err := decode(m.Data, &text, &text.V); err != nil {
				return nil, err
			}
			if len(text.Secret) != 32 {
				return nil, fmt.Errorf("natsstore: a secret of %d bytes", len(text.Secret))
			}
			return text.Secret, s.ledger.setSecret(text.Secret)
		}
		if !errors.Is(err, jobs.ErrNotFound) {
			return nil, err
		}
		text := secretText{jobs.V, s.ledger.readSecret()}
		if text.Secret == nil {
			text.Secret = make([]byte, 32)
			_, _ = rand.Read(text.Secret) // never fails
		}
		data, err := json.Marshal(text)
		if err != nil {
			return nil, err
		}
		_, err = s.write(ctx, finishing, &nats.Msg{Subject: subject, Data: data}, 0)
		if err != nil && !errors.Is(err, errNotLast) {
			return nil, err
		}
	}
	return nil, errors.New("natsstore: the secret cannot be read back")
}

func (s *Store) record(j *jobs.Job) (*nats.Msg, error) {
	data, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	if len(data) > maxRecord {
		return nil, fmt.Errorf("natsstore: a record of %d bytes, more than %d", len(data), maxRecord)
	}
	return &nats.Msg{Subject: s.subject("job", j.ID), Data: data}, nil
}

// Create implements jobs.Store.
func (s *Store) Create(ctx context.Context, j *jobs.Job) (jobs.Revision, error) {
	m, err := s.record(j)
	if err != nil {
		return 0, err
	}
	if err := s.checkLeader(ctx); err != nil {
		return 0, err
	}
	last := uint64(0)
	for range 10 {
		r, err := s.write(ctx, accepting, m, last)
		if !errors.Is(err, errNotLast) {
			return jobs.Revision(r), err
		}
		// There is one, unless it was removed.
		switch old, err := s.read(ctx, jobsStream, m.Subject); {
		case errors.Is(err, jobs.ErrNotFound):
			last = 0
		case err != nil:
			return 0, err
		case old.Header.Get(removedHeader) == "":
			return 0, jobs.ErrExists
		default:
			last = old.Sequence
		}
	}
	return 0, jobs.ErrExists
}

// Update implements jobs.Store.
func (s *Store) Update(ctx context.Context, j *jobs.Job, last jobs.Revision) (jobs.Revision, error) {
	m, err := s.record(j)
	if err != nil {
		return 0, err
	}
	if last == 0 { // would create it
		return 0, jobs.ErrConflict
	}
	p := finishing
	if j.State == jobs.Cancelled {
		p = removing // its input goes
	}
	r, err := s.write(ctx, p, m, uint64(last))
	if errors.Is(err, errNotLast) {
		return 0, jobs.ErrConflict
	}
	if err == nil {
		s.ledger.update(j)
	}
	return jobs.Revision(r), err
}

// Job implements jobs.Store. A record that the engine has lost since the store was opened, or in whose
// place it has an older one, is written again: a job without its record would be given up.
func (s *Store) Job(ctx context.Context, id jobs.ID) (*jobs.Job, jobs.Revision, error) {
	j, revision, lost, err := s.readRecord(ctx, id)
	if lost {
		done, failed := s.rebuild(ctx, id)
		if done != "" {
			s.report(Finding{ID: id, Text: Missing{ID: id, Record: true}.String(), Done: done})
		}
		if j, revision, lost, err = s.readRecord(ctx, id); lost {
			err = fmt.Errorf("natsstore: %w: the record of a job is lost (%v)", jobs.ErrUnavailable,
				errors.Join(err, failed))
		}
	}
	if err != nil {
		return nil, 0, err
	}
	return j, revision, nil
}

// readRecord returns the record of a job as the engine has it, and whether the ledger knows more.
func (s *Store) readRecord(ctx context.Context, id jobs.ID) (
	j *jobs.Job, revision jobs.Revision, lost bool, err error) {
	known := s.ledger.place(id) // before the record, which may change
	m, err := s.read(ctx, jobsStream, s.subject("job", id))
	if err != nil {
		lost = errors.Is(err, jobs.ErrNotFound) || errors.Is(err, jobs.ErrDamaged)
		return nil, 0, lost && known.stage != unaccepted, err
	}
	j, removed, err := decodeRecord(m.Header, m.Data)
	switch {
	case err != nil:
		return nil, 0, false, err
	case removed:
		return nil, 0, known.isAheadOf(j), jobs.ErrNotFound
	}
	return j, jobs.Revision(m.Sequence), known.isAheadOf(j), nil
}

// decodeRecord returns the job of a record. Of one that is removed only the time of its creation is known,
// or not even that: then no job counts as a later one.
func decodeRecord(h nats.Header, data []byte) (j *jobs.Job, removed bool, err error) {
	j = new(jobs.Job)
	removal := h.Get(removedHeader)
	if removal == "" {
		return j, false, decode(data, j, &j.V)
	}
	j.State = jobs.Cancelled
	if j.Created, err = time.Parse(time.RFC3339Nano, removal); err != nil {
		j.Created = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)
	}
	return j, true, nil
}

// removedTTL is how long a removed record is remembered.
const removedTTL = 24 * time.Hour

// Remove implements jobs.Store. The record goes last: until then the removal can be repeated.
func (s *Store) Remove(ctx context.Context, id jobs.ID) error {
	if s.engine != nil {
		s.engine.repair(removing) // this is how room is made
	}
	s.ledger.remove(id) // first: else a job that is gone would count as lost
	seen, err := s.see(ctx, id)
	if err != nil {
		return err
	}
	return s.removeSeen(ctx, id, seen)
}

// removeRest removes what was stored of a job by one who did not know yet that it was removed. line is
// what the ledger had before the removal was seen.
func (s *Store) removeRest(ctx context.Context, id jobs.ID, line ledgerPlace) error {
	seen, err := s.see(ctx, id)
	if err != nil || seen.record != nil { // there is a later job under the ID
		return err
	}
	s.ledger.forget(&jobs.Job{ID: id, Created: line.created})
	return s.removeSeen(ctx, id, seen)
}

// A seenJob is what there was under the ID of a job. A later job may come under the ID once another
// one has removed this.
type seenJob struct {
	record *jetstream.RawStreamMsg // nil if there is none, or it is removed
	job    *jobs.Job               // nil if it cannot be read
	// last are the last sequences of the restStreams before that. A later job has what is behind.
	last map[string]uint64
}

// restStreams are the streams with what belongs to a job, besides its record.
var restStreams = []string{coordStream, itemsStream, inStream, jobsStream, outStream}

func (s *Store) see(ctx context.Context, id jobs.ID) (seen seenJob, err error) {
	seen.last = map[string]uint64{}
	for _, stream := range restStreams {
		if seen.last[stream], err = s.lastSequence(ctx, stream); err != nil {
			return seen, err
		}
	}
	err = s.seeRecord(ctx, id, &seen)
	return seen, err
}

func (s *Store) seeRecord(ctx context.Context, id jobs.ID, seen *seenJob) error {
	seen.record, seen.job = nil, nil
	m, err := s.read(ctx, jobsStream, s.subject("job", id))
	switch {
	case errors.Is(err, jobs.ErrNotFound):
		return nil
	case errors.Is(err, jobs.ErrDamaged):
		seen.record = m
		return nil
	case err != nil:
		return err
	}
	j, removed, err := decodeRecord(m.Header, m.Data)
	if !removed {
		seen.record = m
	}
	if !removed && err == nil {
		seen.job = j
	}
	return nil
}

// removeSeen removes what was seen, and nothing of a later job.
func (s *Store) removeSeen(ctx context.Context, id jobs.ID, seen seenJob) error {
	filters := map[string]string{
		coordStream: s.subject("coord", id), itemsStream: s.subject("item", "*", id),
		inStream: s.subject("in", id, "*"), jobsStream: s.subject("attempts", id, ">"),
		outStream: s.subject("out", id, ">"),
	}
	for _, stream := range restStreams {
		if seen.last[stream] == 0 {
			continue // servers differ in what they make of 1
		}
		err := s.purge(ctx, stream, filters[stream], jetstream.WithPurgeSequence(seen.last[stream]+1))
		if err != nil {
			return err
		}
	}
	for seen.record != nil {
		j, removal := seen.job, "1"
		if j != nil {
			removal = j.Created.Format(time.RFC3339Nano)
		}
		removed := &nats.Msg{Subject: seen.record.Subject, Header: nats.Header{removedHeader: {removal}}}
		_, err := s.write(ctx, removing, removed, seen.record.Sequence, jetstream.WithMsgTTL(removedTTL))
		if err == nil && j != nil {
			s.ledger.forget(j) // Verify may have met the record before, and taken it for an old one
		}
		if !errors.Is(err, errNotLast) {
			return err
		}
		if err := s.seeRecord(ctx, id, &seen); err != nil {
			return err
		}
		if j != nil && seen.job != nil && !seen.job.Created.Equal(j.Created) {
			return nil
		}
	}
	return nil
}

// PutInput implements jobs.Store.
func (s *Store) PutInput(ctx context.Context, id jobs.ID, chunk int, data []byte) error {
	if s.packs(ctx, inStream) {
		var err error
		if data, err = packChunk(data); err != nil {
			return err
		}
	}
	_, err := s.writeFirst(ctx, accepting, &nats.Msg{Subject: s.subject("in", id, chunk), Data: data})
	return err
}

// writeFirst stores a message unless there is one under its subject.
func (s *Store) writeFirst(ctx context.Context, p purpose, m *nats.Msg) (first bool, err error) {
	_, err = s.write(ctx, p, m, 0)
	if errors.Is(err, errNotLast) {
		return false, nil
	}
	return err == nil, err
}

// Input implements jobs.Store.
func (s *Store) Input(ctx context.Context, id jobs.ID, chunk int) ([]byte, error) {
	m, err := s.read(ctx, inStream, s.subject("in", id, chunk))
	if err != nil {
		return nil, err
	}
	return unpackChunk(m.Data)
}

// CountInput implements jobs.Store.
func (s *Store) CountInput(ctx context.Context, id jobs.ID) (int, error) {
	subjects, err := s.subjects(ctx, inStream, s.subject("in", id, "*"))
	return len(subjects), err
}

// DropInput implements jobs.Store.
func (s *Store) DropInput(ctx context.Context, id jobs.ID) error {
	if err := s.purge(ctx, inStream, s.subject("in", id, "*")); err != nil {
		return err
	}
	return s.purge(ctx, jobsStream, s.subject("attempts", id, ">"))
}

// An attemptsText is how attempts are stored.
type attemptsText struct {
	V int `json:"v"`
	N int `json:"n"`
}

// AddAttempt implements jobs.Store.
func (s *Store) AddAttempt(ctx context.Context, id jobs.ID, chunk, line int) (int, error) {
	n, err := s.changeAttempts(ctx, id, chunk, line, func(n int) int { return n + 1 })
	return n, err
}

// UndoAttempt implements jobs.Store.
func (s *Store) UndoAttempt(ctx context.Context, id jobs.ID, chunk, line, n int) error {
	_, err := s.changeAttempts(ctx, id, chunk, line, func(now int) int {
		if now == n {
			return max(n-1, 0)
		}
		return now
	})
	return err
}

func (s *Store) changeAttempts(ctx context.Context, id jobs.ID, chunk, line int,
	change func(int) int) (int, error) {
	subject := s.subject("attempts", id, chunk, line)
	for {
		var now attemptsText
		var last uint64
		m, err := s.read(ctx, jobsStream, subject)
		switch {
		case err == nil:
			if err := decode(m.Data, &now, &now.V); err != nil {
				return 0, err
			}
			last = m.Sequence
		case !errors.Is(err, jobs.ErrNotFound):
			return 0, err
		}
		n := change(now.N)
		if n == now.N {
			return n, nil
		}
		data, err := json.Marshal(attemptsText{jobs.V, n})
		if err != nil {
			return 0, err
		}
		next := &nats.Msg{Subject: subject, Data: data}
		if _, err := s.write(ctx, finishing, next, last); !errors.Is(err, errNotLast) {
			return n, err
		}
	}
}

func (s *Store) putResult(ctx context.Context, subject string, r *jobs.Result) (bool, error) {
	if s.packs(ctx, outStream) {
		var err error
		if r, err = packResult(r); err != nil {
			return false, err
		}
	}
	sum, err := json.Marshal(&r.Summary)
	if err != nil {
		return false, err
	}
	return s.writeFirst(ctx, finishing, &nats.Msg{
		Subject: subject, Header: nats.Header{summaryHeader: {string(sum)}}, Data: r.Text,
	})
}

func summary(h nats.Header) (*jobs.Summary, error) {
	sum, _, err := unpackSummary(h.Get(summaryHeader))
	return sum, err
}

func (s *Store) result(ctx context.Context, subject string) (*jobs.Result, error) {
	m, err := s.read(ctx, outStream, subject)
	if err != nil {
		return nil, err
	}
	sum, packed, err := unpackSummary(m.Header.Get(summaryHeader))
	if err == nil && packed {
		m.Data, err = unpack(m.Data)
	}
	if err != nil {
		return nil, err
	}
	return &jobs.Result{Summary: *sum, Text: m.Data}, nil
}

// PutPart implements jobs.Store.
func (s *Store) PutPart(ctx context.Context, id jobs.ID, chunk, k int, r *jobs.Result) (bool, error) {
	return s.putResult(ctx, s.subject("out", id, "p", chunk, k), r)
}

// Part implements jobs.Store.
func (s *Store) Part(ctx context.Context, id jobs.ID, chunk, k int) (*jobs.Result, error) {
	return s.result(ctx, s.subject("out", id, "p", chunk, k))
}

// PutResult implements jobs.Store.
func (s *Store) PutResult(ctx context.Context, id jobs.ID, chunk int, r *jobs.Result) (bool, error) {
	return s.putResult(ctx, s.subject("out", id, "r", chunk), r)
}

// Result implements jobs.Store.
func (s *Store) Result(ctx context.Context, id jobs.ID, chunk int) (*jobs.Result, error) {
	return s.result(ctx, s.subject("out", id, "r", chunk))
}

// Results implements jobs.Store.
func (s *Store) Results(ctx context.Context, id jobs.ID, found func(chunk int, s *jobs.Summary)) error {
	return s.list(ctx, outStream, s.subject("out", id, "r", "*"), true, func(m message) error {
		_, chunk, err := resultSubject(m.subject)
		if err != nil {
			return err
		}
		sum, err := summary(m.header)
		if err != nil {
			return err
		}
		found(chunk, sum)
		return nil
	})
}

// resultSubject returns the job and the chunk of a subject.
func resultSubject(subject string) (jobs.ID, int, error) {
	parts := strings.Split(subject, ".")
	if len(parts) < 4 {
		return "", 0, fmt.Errorf("natsstore: subject %q", hideIDs(subject))
	}
	chunk, err := strconv.Atoi(parts[len(parts)-1])
	return jobs.ID(parts[len(parts)-3]), chunk, err
}

// Status implements jobs.Store.
func (s *Store) Status(ctx context.Context) (jobs.Status, error) {
	s.seeSyncLater()
	status := jobs.Status{
		Kind: s.kind, Version: s.nc.ConnectedServerVersion(), Free: -1, Replicas: s.replicas,
	}
	s.mu.Lock()
	status.SyncAlways = s.sync
	s.mu.Unlock()
	if s.room != nil {
		space := s.room.look()
		status.Limit, status.Free = space.limit, s.engine.free()
		status.Full = !space.has(finishing, 0) || s.engine.broken().Err() != nil
	}
	var account *jetstream.AccountInfo
	err := s.do(ctx, "account information", func(ctx context.Context) (err error) {
		account, err = s.js.AccountInfo(ctx)
		return err
	})
	if err != nil {
		return status, err
	}
	if s.engine == nil {
		status.Streams = s.streamStatus(ctx)
		status.Warning = s.warning()
	}
	status.Bytes, status.Findings = int64(account.Store), len(s.Findings())
	if s.engine == nil && account.Limits.MaxStore > 0 {
		status.Limit = account.Limits.MaxStore
	}
	return status, nil
}
