//go:build !nonats

package natsstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// backupStreams are the streams of a backup in their order. Each snapshot is of one moment, and the
// moments follow each other, so that whatever a stream speaks of is in those behind it: a message
// of its record, a record of its input, and input that is gone of its results.
var backupStreams = []string{coordStream, jobsStream, inStream, outStream}

// A backupText is the file "backup" of a backup.
type backupText struct {
	Format  int            `json:"format"`
	Prefix  string         `json:"prefix"`
	Engine  string         `json:"engine"`
	Made    time.Time      `json:"made"`
	Streams []backupStream `json:"streams"`
}

type backupStream struct {
	Name   string          `json:"name"`
	Config json.RawMessage `json:"config"`
	State  json.RawMessage `json:"state"`
	Bytes  int64           `json:"bytes"`
	SHA256 string          `json:"sha256"` // of the snapshot
}

// Backup writes all that is durable into a directory, which must not be there. It may run while
// jobs do. A copy of the files of a store that runs is no backup.
func (s *Store) Backup(ctx context.Context, dir string) error {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s", ErrNotEmpty, dir)
	}
	part := dir + ".part"
	if err := os.Mkdir(part, 0o700); err != nil {
		return fmt.Errorf("natsstore: %w", err)
	}
	err := s.backup(ctx, part)
	if err == nil {
		err = os.Rename(part, dir)
	}
	if err == nil {
		err = syncDirectory(filepath.Dir(dir))
	}
	if err != nil {
		_ = os.RemoveAll(part)
		return fmt.Errorf("natsstore: backup: %w", err)
	}
	return nil
}

func (s *Store) backup(ctx context.Context, dir string) error {
	text := backupText{
		Format: formatNumber, Prefix: s.options.Prefix, Engine: s.nc.ConnectedServerVersion(),
		Made: time.Now().UTC(),
	}
	for _, stream := range backupStreams {
		b, err := s.snapshot(ctx, stream, filepath.Join(dir, stream))
		if err != nil {
			return fmt.Errorf("stream %s: %w", stream, err)
		}
		text.Streams = append(text.Streams, *b)
	}
	data, err := json.MarshalIndent(text, "", "\t")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "backup"), append(data, '\n'))
}

// snapshotTime is how long a snapshot or a restore may stand still.
const snapshotTime = 30 * time.Second

// snapshot writes a snapshot of a stream into a file.
func (s *Store) snapshot(ctx context.Context, stream, name string) (_ *backupStream, err error) {
	inbox := s.nc.NewInbox()
	chunks, err := s.nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = chunks.Unsubscribe() }()
	if err := chunks.SetPendingLimits(-1, -1); err != nil { // the window bounds it
		return nil, err
	}
	var answer struct {
		apiAnswer
		Config json.RawMessage `json:"config"`
		State  json.RawMessage `json:"state"`
	}
	err = s.ask(ctx, "STREAM.SNAPSHOT."+s.streamName(stream), map[string]any{
		"deliver_subject": inbox, "no_consumers": true, "jsck": true,
		"chunk_size": 128 << 10, "window_size": 4 << 20,
	}, &answer)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := sha256.New()
	b := &backupStream{Name: stream, Config: answer.Config, State: answer.State}
	for {
		m, err := s.nextChunk(ctx, chunks)
		if err != nil {
			return nil, err
		}
		if len(m.Data) == 0 {
			if status := m.Header.Get("Status"); status != "" && status != "204" {
				return nil, fmt.Errorf("the server ended it: %s %s", status, m.Header.Get("Description"))
			}
			break
		}
		if _, err := io.MultiWriter(file, sum).Write(m.Data); err != nil {
			return nil, err
		}
		b.Bytes += int64(len(m.Data))
		if m.Reply != "" {
			if err := m.Respond(nil); err != nil { // it goes on
				return nil, err
			}
		}
	}
	b.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return b, file.Sync()
}

func (s *Store) nextChunk(ctx context.Context, chunks *nats.Subscription) (*nats.Msg, error) {
	call, cancel := context.WithTimeout(ctx, snapshotTime)
	defer cancel()
	m, err := chunks.NextMsgWithContext(call)
	if err != nil {
		return nil, s.failed(ctx, "snapshot", err)
	}
	return m, nil
}

// Restore reads what Backup wrote into a store that has no jobs, embedded or in a cluster, under
// the same prefix. No process may use the store meanwhile. A restore that failed can be repeated as
// long as the store has no jobs.
//
// Jobs that the backup caught between their acceptance and the next snapshot are put into the queue
// again.
func (s *Store) Restore(ctx context.Context, dir string) error {
	if err := s.restore(ctx, dir); err != nil {
		return fmt.Errorf("natsstore: restore: %w", err)
	}
	return nil
}

func (s *Store) restore(ctx context.Context, dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "backup"))
	if err != nil {
		return err
	}
	var text backupText
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	switch {
	case text.Format != formatNumber:
		return fmt.Errorf("%s has format %d, this program has %d", dir, text.Format, formatNumber)
	case text.Prefix != s.options.Prefix:
		return fmt.Errorf("%w: %s has prefix %s, the store %s", ErrWrongKind, dir, text.Prefix, s.options.Prefix)
	case len(text.Streams) != len(backupStreams):
		return fmt.Errorf("%s has %d streams, not %d", dir, len(text.Streams), len(backupStreams))
	}
	for i, b := range text.Streams {
		if b.Name != backupStreams[i] {
			return fmt.Errorf("%s has a stream %q", dir, b.Name)
		}
		if err := checkSnapshot(filepath.Join(dir, b.Name), b); err != nil {
			return err
		}
	}
	err = s.list(ctx, jobsStream, s.subject("job", "*"), false, func(m message) error {
		if m.header.Get(removedHeader) != "" {
			return nil
		}
		return fmt.Errorf("%w: the store has jobs", ErrNotEmpty)
	})
	if err != nil && errorCode(err) != streamNotFound {
		return err
	}
	// The records come last, so until then the store counts as empty.
	for _, stream := range []string{inStream, outStream, coordStream, jobsStream} {
		b := text.Streams[slices.Index(backupStreams, stream)]
		if err := s.restoreStream(ctx, dir, b); err != nil {
			return fmt.Errorf("stream %s: %w", stream, err)
		}
	}
	s.mu.Lock()
	clear(s.consumers)
	s.mu.Unlock()
	return s.settle(ctx)
}

func checkSnapshot(name string, b backupStream) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != b.SHA256 || n != b.Bytes {
		return fmt.Errorf("%s has changed: %d bytes with SHA-256 %s, not %d with %s",
			name, n, got, b.Bytes, b.SHA256)
	}
	return nil
}

func (s *Store) restoreStream(ctx context.Context, dir string, b backupStream) error {
	// Of the settings those of the backup are kept that this store does not know.
	var config map[string]any
	if err := json.Unmarshal(b.Config, &config); err != nil {
		return err
	}
	config["num_replicas"] = s.replicas
	delete(config, "placement")
	if s.replicas > 1 && config["compression"] == "s2" {
		// The files of the snapshot stay compressed until their messages are written again.
		config["compression"] = "none"
		config["metadata"] = map[string]string{leftoverKey: restored}
	}
	name := s.streamName(b.Name)
	call, cancel, err := s.call(ctx)
	if err != nil {
		return err
	}
	err = s.js.DeleteStream(call, name)
	cancel()
	if err != nil && errorCode(err) != streamNotFound {
		return s.failed(ctx, "delete", err)
	}
	var answer struct {
		apiAnswer
		DeliverSubject string `json:"deliver_subject"`
	}
	err = s.ask(ctx, "STREAM.RESTORE."+name, map[string]any{"config": config, "state": b.State}, &answer)
	if err != nil {
		return err
	}
	file, err := os.Open(filepath.Join(dir, b.Name))
	if err != nil {
		return err
	}
	defer file.Close()
	send := func(data []byte) error {
		m, err := s.sendChunk(ctx, answer.DeliverSubject, data)
		if err != nil {
			return err
		}
		var answer apiAnswer
		if len(m.Data) > 0 {
			if err := json.Unmarshal(m.Data, &answer); err != nil {
				return err
			}
		}
		return answer.err()
	}
	chunk := make([]byte, 128<<10)
	for {
		n, err := io.ReadFull(file, chunk)
		if n > 0 {
			if err := send(chunk[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if err := send(nil); err != nil { // the end
		return err
	}
	return s.setUpStream(ctx, b.Name)
}

// sendChunk sends a chunk of a snapshot to the server that restores it, and returns its answer.
//
// In a cluster that server may be another than the one of this connection, and the word that it
// listens to the subject may come later than its answer that names the subject: they take different
// ways. Without a listener the chunk went to nobody, and can be sent again.
func (s *Store) sendChunk(ctx context.Context, subject string, data []byte) (*nats.Msg, error) {
	call, cancel := context.WithTimeout(ctx, snapshotTime)
	defer cancel()
	for end := time.Now().Add(s.timeout); ; {
		m, err := s.nc.RequestWithContext(call, subject, data)
		if err == nil {
			return m, nil
		}
		if !errors.Is(err, nats.ErrNoResponders) || time.Now().After(end) {
			return nil, s.failed(ctx, "send", err)
		}
		select {
		case <-call.Done():
		case <-s.closing.Done():
			return nil, s.failed(ctx, "send", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// settle brings the snapshots to one moment: jobs that were accepted and are not in the queue are
// put into it, and what was stored of jobs after their records were taken is dropped.
func (s *Store) settle(ctx context.Context) error {
	missing, err := s.Verify(ctx, false)
	if err != nil {
		return err
	}
	for _, m := range missing {
		switch {
		case m == (Missing{ID: m.ID, Record: true}):
			if err := s.Remove(ctx, m.ID); err != nil {
				return err
			}
		case m == (Missing{ID: m.ID, State: m.State, Message: true}):
			j, _, err := s.Job(ctx, m.ID)
			if err != nil {
				return err
			}
			if err := s.Enqueue(ctx, m.ID, j.Accepted); err != nil {
				return err
			}
		}
	}
	return nil
}
