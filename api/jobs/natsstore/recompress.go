//go:build !nonats

package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tsumero/tsumero/api/jobs"
)

// compressedStreams are those that the servers compress, or compressed before the store did.
var compressedStreams = []string{inStream, outStream}

// leftoverKey is in the metadata of a replicated stream that the servers compress no more, as long as
// they may have files that they compressed. Its value names the processes of servers that still do,
// and is empty before these are known.
const leftoverKey = "tsumero-compressed-by"

// restored is the value for a stream that was compressed elsewhere.
const restored = "-"

// lastLeftoverKey is beside leftoverKey once none of these processes runs. Its value is the sequence
// of the last message that they may have compressed.
const lastLeftoverKey = "tsumero-compressed-to"

// warning says what an operator should do, "" if nothing.
func (s *Store) warning() string {
	if s.engine != nil || s.replicas == 1 || !strings.HasPrefix(s.nc.ConnectedServerVersion(), "2.15.") {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stream := range compressedStreams {
		if v := s.views[stream]; v.compressed || v.leftover {
			return "the servers have compressed replicas, which nats-server 2.15 may lose when it is killed: " +
				"restart each server once, as the runbook says"
		}
	}
	return ""
}

// Recompress goes on with moving the compression of replicated streams from the servers to the store.
// It returns what must be done by others before it can be called again to go on, "" once nothing is
// left to be done. Only who may change streams may call it, and several may at once.
//
// A server compresses a stream as it was set when the server started, and keeps the files that it
// compressed. So the setting is changed first; then every server that knew the old one must start
// again; and then every message is written again, in its place, which leaves the old files empty. The
// metadata of the stream says how far this is, and what is written again comes behind the last message
// to be: whenever a call is interrupted, nothing is lost and the next one goes on where it was.
func (s *Store) Recompress(ctx context.Context) (todo string, err error) {
	if s.engine != nil || s.replicas == 1 {
		return "", nil
	}
	for _, stream := range compressedStreams {
		text, err := s.recompress(ctx, stream)
		if err != nil {
			return "", fmt.Errorf("natsstore: stream %s: %w", s.streamName(stream), err)
		}
		if text != "" {
			todo = text // mostly the same for all
		}
	}
	return todo, nil
}

func (s *Store) recompress(ctx context.Context, stream string) (todo string, err error) {
	var info infoAnswer
	if err := s.ask(ctx, "STREAM.INFO."+s.streamName(stream), struct{}{}, &info); err != nil {
		return "", err
	}
	if info.Config.Compression != jetstream.NoCompression {
		info.Config.Compression = jetstream.NoCompression
		delete(info.Config.Metadata, lastLeftoverKey)
		if err := s.mark(ctx, stream, &info.Config, leftoverKey, ""); err != nil {
			return "", err
		}
	}
	by, marked := info.Config.Metadata[leftoverKey]
	switch {
	case !marked:
		return "", nil
	case info.Cluster == nil:
		return "", errors.New("natsstore: several replicas and no cluster")
	case s.cluster.SystemCreds == "":
		return "give system credentials (--nats-system-creds), by which is seen that every server was restarted", nil
	}
	replicas := []string{info.Cluster.Leader}
	for _, r := range info.Cluster.Replicas {
		replicas = append(replicas, r.Name)
	}
	servers, err := s.askServers(ctx, []byte(`{"accounts":true,"streams":true,"config":true}`), replicas)
	if err != nil {
		return "", err
	}
	var known, old []string // processes that know the new setting, and servers that compress
	for i := range servers {
		server := &servers[i].Server
		if at := slices.Index(replicas, server.Name); at >= 0 && servers[i].knows(s.streamName(stream)) {
			replicas = slices.Delete(replicas, at, at+1)
			known = append(known, server.ID)
			if strings.Contains(by, server.ID) {
				old = append(old, server.Name)
			}
		}
	}
	if len(replicas) > 0 {
		return "wait for or start " + strings.Join(replicas, ", "), nil
	}
	if by == "" {
		if err := s.mark(ctx, stream, &info.Config, leftoverKey, strings.Join(known, " ")); err != nil {
			return "", err
		}
		return "restart each server once, one after another", nil
	}
	if len(old) > 0 {
		slices.Sort(old)
		return "restart " + strings.Join(old, ", "), nil
	}
	last, err := strconv.ParseUint(info.Config.Metadata[lastLeftoverKey], 10, 64)
	if err != nil {
		// It is asked for only now: one of these processes may have compressed what came since.
		if last, err = s.lastSequence(ctx, stream); err != nil {
			return "", err
		}
		if err := s.mark(ctx, stream, &info.Config, lastLeftoverKey, strconv.FormatUint(last, 10)); err != nil {
			return "", err
		}
		s.options.Log.Info("the job store writes what the servers compressed again",
			"stream", s.streamName(stream), "messages", info.State.Messages)
	}
	if todo, err = s.writeAgain(ctx, stream, last); todo != "" || err != nil {
		return todo, err
	}
	// That took hours, in which a program that knows nothing of this may have set compression again.
	var now infoAnswer
	if err := s.ask(ctx, "STREAM.INFO."+s.streamName(stream), struct{}{}, &now); err != nil {
		return "", err
	}
	if now.Config.Compression != jetstream.NoCompression || now.Config.Metadata[leftoverKey] != by {
		return s.recompress(ctx, stream)
	}
	delete(now.Config.Metadata, leftoverKey)
	delete(now.Config.Metadata, lastLeftoverKey)
	return "", s.updateStream(ctx, stream, &now.Config)
}

// knows reports whether a server knows that it does not compress a stream.
func (a *serverAnswer) knows(stream string) bool {
	found := false
	for _, account := range a.Data.Accounts {
		for i := range account.Streams {
			if account.Streams[i].Name == stream {
				if account.Streams[i].Config.Compression != jetstream.NoCompression {
					return false
				}
				found = true
			}
		}
	}
	return found
}

// mark changes the settings of a stream, with a value in its metadata.
func (s *Store) mark(ctx context.Context, stream string, config *jetstream.StreamConfig, key, value string) error {
	if config.Metadata == nil {
		config.Metadata = map[string]string{}
	}
	config.Metadata[key] = value
	return s.updateStream(ctx, stream, config)
}

func (s *Store) updateStream(ctx context.Context, stream string, config *jetstream.StreamConfig) error {
	return s.do(ctx, "update "+config.Name, func(ctx context.Context) error {
		updated, err := s.js.UpdateStream(ctx, *config)
		if err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.streams[stream] = updated
		s.views[stream].learn(&updated.CachedInfo().Config)
		return nil
	})
}

// writeAgain writes all messages of a stream again up to the one with the sequence last, each in place
// of itself, unless it has been removed or replaced by then. What the leader cannot read another server
// can, which leads while this one starts again; and that one takes it from there.
func (s *Store) writeAgain(ctx context.Context, stream string, last uint64) (todo string, err error) {
	all := jetstream.WithGetMsgSubject(s.subject(">"))
	for from := uint64(1); ; {
		var m *jetstream.RawStreamMsg
		err := s.do(ctx, "read "+stream, func(ctx context.Context) (err error) {
			m, err = s.stream(stream).GetMsg(ctx, from, all)
			if errorCode(err) == messageNotFound {
				err = nil
			}
			return err
		})
		if err != nil {
			return "", err
		}
		if m == nil || m.Sequence > last {
			break
		}
		from = m.Sequence + 1
		again, err := packAgain(stream, m)
		if err != nil {
			return "", err
		}
		if _, err := s.writeSummed(ctx, finishing, again, m.Sequence); err != nil && !errors.Is(err, errNotLast) {
			return "", err
		}
	}
	var info infoAnswer
	if err := s.ask(ctx, "STREAM.INFO."+s.streamName(stream), struct{}{}, &info); err != nil {
		return "", err
	}
	if info.State.Messages > 0 && info.State.FirstSeq <= last && info.Cluster != nil {
		return fmt.Sprintf("restart %s without its indexes: it cannot read message %d of %s",
			info.Cluster.Leader, info.State.FirstSeq, s.streamName(stream)), nil
	}
	return "", nil
}

// packAgain returns a message that says the same, and is packed. One that is damaged stays as it is,
// so that it counts as damaged.
func packAgain(stream string, m *jetstream.RawStreamMsg) (*nats.Msg, error) {
	again := &nats.Msg{Subject: m.Subject, Header: m.Header, Data: m.Data}
	if checkSum(m.Subject, m.Header, m.Data) != nil {
		return again, nil
	}
	switch stream {
	case inStream:
		data, err := packChunk(m.Data)
		switch {
		case errors.Is(err, jobs.ErrNewer): // is packed
			return again, nil
		case err != nil:
			return nil, err
		}
		again.Data = data
	case outStream:
		sum, packed, err := unpackSummary(m.Header.Get(summaryHeader))
		if err != nil || packed {
			return again, nil //nolint:nilerr // that of another format stays as well
		}
		r, err := packResult(&jobs.Result{Summary: *sum, Text: m.Data})
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(&r.Summary)
		if err != nil {
			return nil, err
		}
		again.Header.Set(summaryHeader, string(text))
		again.Data = r.Text
	}
	again.Header.Set(sumHeader, sum(again.Subject, again.Header, again.Data))
	return again, nil
}
