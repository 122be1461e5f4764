//go:build !nonats

package natsstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tsumero/tsumero/api/jobs"
)

// A message is what is stored under a subject.
type message struct {
	subject  string
	sequence uint64
	header   nats.Header
	data     []byte
	damaged  error
	asked    bool // of the leader, and not delivered by a replica
}

// An infoAnswer is what the leader of a stream says of it.
type infoAnswer struct {
	apiAnswer
	State struct {
		Messages uint64            `json:"messages"`
		FirstSeq uint64            `json:"first_seq"`
		LastSeq  uint64            `json:"last_seq"`
		Subjects map[string]uint64 `json:"subjects"`
	} `json:"state"`
	Config  jetstream.StreamConfig `json:"config"`
	Cluster *jetstream.ClusterInfo `json:"cluster"` // nil if there is only one server
	Total   int                    `json:"total"`
	Offset  int                    `json:"offset"`
	Limit   int                    `json:"limit"`
}

// err returns that of a stream that cannot be reached, also where there is no leader and another
// server has answered.
func (a *infoAnswer) err() error {
	if a.Error == nil && a.Cluster != nil && a.Cluster.Leader == "" {
		return &jetstream.APIError{Code: 503, ErrorCode: notAvailable, Description: "the stream has no leader"}
	}
	return a.apiAnswer.err()
}

// An apiAnswer is the part that all answers of the engine have in common.
type apiAnswer struct {
	Error *jetstream.APIError `json:"error"`
}

func (a *apiAnswer) err() error {
	if a.Error == nil {
		return nil
	}
	return a.Error
}

// ask asks the engine by its own subjects, for what the client has no call.
func (s *Store) ask(ctx context.Context, what string, question any, answer interface{ err() error }) error {
	data, err := json.Marshal(question)
	if err != nil {
		return err
	}
	return s.do(ctx, what, func(ctx context.Context) error {
		m, err := s.nc.RequestWithContext(ctx, "$JS.API."+what, data)
		if err == nil {
			err = json.Unmarshal(m.Data, answer)
		}
		if err != nil {
			return err
		}
		return answer.err()
	})
}

func (s *Store) streamName(stream string) string { return s.options.Prefix + "-" + stream }

// subjects returns how many messages there are under each subject, as the leader knows it.
func (s *Store) subjects(ctx context.Context, stream, filter string) (map[string]uint64, error) {
	all := map[string]uint64{}
	for {
		var answer infoAnswer
		err := s.ask(ctx, "STREAM.INFO."+s.streamName(stream), map[string]any{
			"subjects_filter": filter, "offset": len(all),
		}, &answer)
		if err != nil {
			return nil, err
		}
		before := len(all)
		for subject, n := range answer.State.Subjects {
			all[subject] = n
		}
		if len(all) >= answer.Total || len(all) == before {
			return all, nil
		}
	}
}

// info returns what the leader of a stream says of it.
func (s *Store) info(ctx context.Context, stream string) (answer *infoAnswer, err error) {
	what := "STREAM.INFO." + s.streamName(stream)
	err = s.do(ctx, what, func(ctx context.Context) (err error) {
		answer, _, err = again(ctx, s, 1, func(ctx context.Context) (*infoAnswer, error) {
			m, err := s.nc.RequestWithContext(ctx, "$JS.API."+what, nil)
			if err != nil {
				return nil, err
			}
			answer := new(infoAnswer)
			return answer, cmp.Or(json.Unmarshal(m.Data, answer), answer.err())
		})
		return err
	})
	return answer, err
}

// lastSequence returns the sequence of the last message of a stream, as the leader knows it.
func (s *Store) lastSequence(ctx context.Context, stream string) (uint64, error) {
	answer, err := s.info(ctx, stream)
	if err != nil {
		return 0, err
	}
	return answer.State.LastSeq, nil
}

// list calls found with every message whose subject matches the filter. What was stored before the
// call is among them, also if the replica that delivers them lags: the leader says what there is,
// and what was not delivered is asked of it. A message that such a replica delivers may be one that
// was replaced since.
func (s *Store) list(
	ctx context.Context, stream, filter string, headersOnly bool, found func(message) error,
) error {
	missing, err := s.subjects(ctx, stream, filter)
	if err != nil || len(missing) == 0 {
		return err
	}
	// Each makes a consumer, of which a stream should not have many.
	select {
	case s.lists <- struct{}{}:
		defer func() { <-s.lists }()
	case <-ctx.Done():
		return ctx.Err()
	}
	err = s.deliver(ctx, stream, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy, FilterSubject: filter, HeadersOnly: headersOnly,
	}, true, func(m message) error {
		delete(missing, m.subject)
		return found(m)
	})
	if err != nil && !isLost(err) {
		return err
	}
	for subject := range missing {
		m, err := s.read(ctx, stream, subject)
		if errors.Is(err, jobs.ErrNotFound) {
			continue // removed since
		}
		if err != nil {
			return err
		}
		if err := found(message{subject: subject, sequence: m.Sequence, header: m.Header, data: m.Data,
			asked: true}); err != nil {
			return err
		}
	}
	return nil
}

var (
	errGap  = errors.New("natsstore: a message was not delivered")
	errGone = errors.New("natsstore: the consumer does not answer")
)

// isLost reports whether a consumer was lost. What it did not deliver can be read all the same.
func isLost(err error) bool { return errors.Is(err, errGap) || errors.Is(err, errGone) }

// deliver calls found with the messages of a consumer that is made for the call. It returns nil
// when there is none left, or none comes for a while, if end is set, and else only an error: errGap
// and errGone if the consumer must be made again.
func (s *Store) deliver(
	ctx context.Context, stream string, config jetstream.ConsumerConfig, end bool, found func(message) error,
) error {
	config.AckPolicy = jetstream.AckNonePolicy
	config.MemoryStorage = true
	config.Replicas = 1
	config.InactiveThreshold = time.Minute
	var consumer jetstream.Consumer
	err := s.do(ctx, "consumer of "+stream, func(ctx context.Context) (err error) {
		consumer, err = s.stream(stream).CreateConsumer(ctx, config)
		return err
	})
	if err != nil {
		return err
	}
	defer func() {
		// Not with ctx, which has ended most often. If it fails the consumer ends by itself.
		_ = s.do(context.Background(), "consumer of "+stream, func(ctx context.Context) error {
			return s.stream(stream).DeleteConsumer(ctx, consumer.CachedInfo().Name)
		})
	}()
	if end && consumer.CachedInfo().NumPending == 0 {
		return nil
	}
	pull := []jetstream.FetchOpt{jetstream.FetchMaxWait(30 * time.Second),
		jetstream.FetchHeartbeat(2 * time.Second)}
	if end {
		pull = []jetstream.FetchOpt{jetstream.FetchMaxWait(time.Second)}
	}
	for delivered := uint64(0); ; {
		batch, err := consumer.Fetch(256, pull...)
		if err != nil {
			return s.failed(ctx, "pull of "+stream, err)
		}
		before := delivered
		for more := true; more; {
			var m jetstream.Msg
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-s.closing.Done():
				return jobs.ErrUnavailable
			case m, more = <-batch.Messages():
			}
			if !more {
				break
			}
			meta, err := m.Metadata()
			if err != nil {
				return err
			}
			if meta.Sequence.Consumer != delivered+1 {
				return errGap
			}
			delivered++
			got := message{subject: m.Subject(), sequence: meta.Sequence.Stream, header: m.Headers(), data: m.Data()}
			if !config.HeadersOnly {
				got.damaged = checkSum(got.subject, got.header, got.data)
			}
			if err := found(got); err != nil {
				return err
			}
			if end && meta.NumPending == 0 {
				return nil
			}
		}
		if err := batch.Error(); err != nil {
			return fmt.Errorf("%w: %w", errGone, err)
		}
		if end && delivered == before {
			return nil // what is pending cannot be read
		}
	}
}

// followTime is for how long a consumer that was lost is made again before follow gives up.
const followTime = 30 * time.Second

// follow calls found with every message from a sequence on whose subject matches the filter.
func (s *Store) follow(
	ctx context.Context, stream, filter string, headersOnly bool, from uint64, found func(message) error,
) error {
	lost := time.Time{} // when it was
	for {
		err := s.deliver(ctx, stream, jetstream.ConsumerConfig{
			DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: from,
			FilterSubject: filter, HeadersOnly: headersOnly,
		}, false, func(m message) error {
			lost = time.Time{}
			from = m.sequence + 1
			return found(m)
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		again := isLost(err) || errors.Is(err, jobs.ErrUnavailable)
		if !again || s.closing.Err() != nil {
			return err
		}
		if lost.IsZero() {
			lost = time.Now()
		} else if time.Since(lost) > followTime {
			return fmt.Errorf("natsstore: watch %s: %w (%w)", stream, jobs.ErrUnavailable, err)
		}
		select {
		case <-ctx.Done():
		case <-s.closing.Done():
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// Watch implements jobs.Store.
func (s *Store) Watch(ctx context.Context, changed func(jobs.Change)) error {
	filter := s.subject("job", "*")
	last, err := s.lastSequence(ctx, jobsStream)
	if err != nil {
		return err
	}
	report := func(m message) error {
		c := jobs.Change{ID: jobs.ID(m.subject[strings.LastIndexByte(m.subject, '.')+1:]),
			Revision: jobs.Revision(m.sequence)}
		if m.header.Get(removedHeader) == "" {
			c.Job = new(jobs.Job)
			err := m.damaged
			if err == nil {
				err = decode(m.data, c.Job, &c.Job.V)
			}
			if err != nil {
				if !errors.Is(err, jobs.ErrNewer) {
					s.options.Log.Error("a record cannot be read", "job", c.ID.Short(), "error", err)
				}
				return nil // left to those who can read it
			}
		}
		changed(c)
		return nil
	}
	told := told{start: last, records: map[string]uint64{}}
	delivered := uint64(0) // the replica that delivers the list has all messages up to this one
	err = s.list(ctx, jobsStream, filter, false, func(m message) error {
		if !m.asked {
			delivered = max(delivered, m.sequence)
		}
		if m.header.Get(removedHeader) != "" {
			return nil
		}
		told.records[m.subject] = m.sequence
		return report(m)
	})
	if err != nil {
		return err
	}
	changed(jobs.Change{})
	if len(told.records) > 0 {
		last = min(last, delivered) // later changes of what is listed may be unknown to the replica
	}
	return s.follow(ctx, jobsStream, filter, false, last+1, func(m message) error {
		if !told.isNews(m.subject, m.sequence, m.header.Get(removedHeader) != "") {
			return nil
		}
		return report(m)
	})
}

// told is what a watcher has been told of records by a listing and since, as far as messages from
// before may still come: a replica that was behind in the listing delivers them after it.
type told struct {
	start   uint64            // the last sequence before the listing
	records map[string]uint64 // sequences, by subject
}

// isNews reports whether a message that follows the listing is to be told, and notes that it is.
func (t *told) isNews(subject string, sequence uint64, removed bool) bool {
	before, known := t.records[subject]
	switch {
	case known && sequence <= before:
		return false // a change during the listing may have been told with it
	case sequence > t.start:
		delete(t.records, subject) // none from before can follow
	case removed && !known:
		return false // it was gone when the listing began
	default:
		t.records[subject] = sequence
	}
	return true
}

// WatchResults implements jobs.Store.
func (s *Store) WatchResults(
	ctx context.Context, ready func(), found func(id jobs.ID, chunk int, s *jobs.Summary),
) error {
	last, err := s.lastSequence(ctx, outStream)
	if err != nil {
		return err
	}
	if ready != nil {
		ready() // whatever comes has a higher sequence
	}
	return s.follow(ctx, outStream, s.subject("out", "*", "r", "*"), true, last+1, func(m message) error {
		id, chunk, err := resultSubject(m.subject)
		if err != nil {
			return nil //nolint:nilerr // not one of ours
		}
		sum, err := summary(m.header)
		if err != nil {
			if !errors.Is(err, jobs.ErrNewer) {
				s.options.Log.Error("a result cannot be read", "job", id.Short(), "chunk", chunk, "error", err)
			}
			return nil
		}
		found(id, chunk, sum)
		return nil
	})
}

// Publish implements jobs.Store.
func (s *Store) Publish(ctx context.Context, sig *jobs.Signal) error {
	_, cancel, err := s.call(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	data, err := json.Marshal(sig)
	if err != nil {
		return err
	}
	kind := "beat"
	switch {
	case sig.Progress != nil:
		kind = "progress"
	case sig.Cancel != "":
		kind = "cancel"
	}
	if err := s.nc.Publish(s.subject("signal", kind), data); err != nil {
		return s.failed(ctx, "send", err)
	}
	return nil
}

// Subscribe implements jobs.Store.
func (s *Store) Subscribe(ctx context.Context, received func(*jobs.Signal)) error {
	call, cancel, err := s.call(ctx)
	if err != nil {
		return err
	}
	signals := make(chan *nats.Msg, 1024)
	sub, err := s.nc.ChanSubscribe(s.subject("signal", "*"), signals)
	if err == nil {
		defer func() { _ = sub.Unsubscribe() }()
		err = s.nc.FlushWithContext(call)
	}
	cancel()
	if err != nil {
		return s.failed(ctx, "listen", err)
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.closing.Done():
			return jobs.ErrUnavailable
		case m := <-signals:
			sig := new(jobs.Signal)
			if decode(m.Data, sig, &sig.V) == nil {
				received(sig)
			}
		}
	}
}
