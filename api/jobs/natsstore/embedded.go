//go:build !nonats

package natsstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tsumero/tsumero/api/jobs"
)

// Embedded opens a store in a directory. It listens on no port, and no other process can open the
// directory meanwhile.
func Embedded(o EmbeddedOptions) (*Store, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	dir, err := openDirectory(o.Dir, "embedded", o.Prefix, server.VERSION)
	if err != nil {
		return nil, err
	}
	s := newStore(o.Options, "embedded")
	s.dir, s.replicas, s.timeout = dir, 1, 10*time.Second
	if err := s.openEmbedded(o); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) openEmbedded(o EmbeddedOptions) error {
	store := filepath.Join(o.Dir, "js")
	s.engine = &engine{
		log: o.Log,
		options: server.Options{
			ServerName: "tsumero", DontListen: true, NoSigs: true, NoSystemAccount: true,
			JetStream: true, StoreDir: store, SyncAlways: true,
			JetStreamMaxStore: 1 << 62, JetStreamMaxMemory: 64 << 20, // see room
			MaxPayload: maxMessage + 64<<10, // and the headers
		},
	}
	s.room = &room{maxBytes: o.MaxBytes, stored: s.engine.stored, free: s.engine.free,
		files: func() int64 { return directorySize(store) }, log: o.Log}
	s.engine.room = s.room
	if _, err := os.Stat(store); errors.Is(err, fs.ErrNotExist) {
		s.dir.hadLedger = false // that store was moved away, as it is before a restore
	}
	if err := os.MkdirAll(store, 0o700); err != nil {
		return fmt.Errorf("natsstore: %w", err)
	}
	var err error
	if s.findings, err = openFindings(filepath.Join(store, "findings")); err != nil {
		return err
	}
	if err := s.openLedger(filepath.Join(store, "ledger")); err != nil {
		return err
	}
	if err := s.engine.start(); err != nil {
		return err
	}
	s.nc, err = nats.Connect("", nats.InProcessServer(s.engine), nats.Name("tsumero"),
		nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond), nats.ReconnectJitter(0, 0))
	if err != nil {
		return fmt.Errorf("natsstore: %w", err)
	}
	if s.js, err = jetstream.New(s.nc, jetstream.WithDefaultTimeout(s.timeout)); err != nil {
		return fmt.Errorf("natsstore: %w", err)
	}
	ctx := context.Background()
	if err := s.setUp(ctx); err != nil {
		return err
	}
	if err := s.forgetConsumers(ctx); err != nil {
		return err
	}
	if s.sync, err = s.engine.syncAlways(); err == nil && !s.sync {
		err = ErrUnsafe
	}
	if err != nil {
		return err
	}
	return s.mendAtStart(ctx)
}

// openLedger opens the ledger of the store, and begins one where there is none that is right.
func (s *Store) openLedger(name string) error {
	info, err := os.Stat(name)
	exists := err == nil && info.Size() > 0
	switch {
	case exists && !s.dir.hadLedger:
		// What that program has removed is still in the ledger, and would come back.
		s.options.Log.Warn("a program without a ledger has used the job store: the ledger begins anew")
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("natsstore: %w", err)
		}
	case !exists && s.dir.hadLedger:
		s.report(Finding{Text: "the ledger is lost: it begins anew"})
	}
	s.ledger, err = openLedger(name, s.options.Log, func(lines int) {
		s.report(Finding{Text: fmt.Sprintf("the ledger: %d lines cannot be read", lines)})
	})
	if err != nil {
		return err
	}
	if !s.dir.hadLedger {
		s.ledger.mark = func() error { return s.dir.writeLock(true) }
	}
	if err := s.ledger.begin(); err != nil { // on a full disk, it begins with the first line
		s.options.Log.Warn("the ledger of the job store could not be begun", "error", err)
	}
	return nil
}

// An engine is a NATS server in this process.
type engine struct {
	log     *slog.Logger
	options server.Options
	room    *room

	mu      sync.Mutex
	server  *server.Server // nil while there is none
	stopped bool
	started time.Time

	ending atomic.Pointer[context.Context] // see broken
}

// engineTime is how long the engine may take for its start, once it has read all there is.
const engineTime = 30 * time.Second

func (e *engine) start() error {
	e.started = time.Now()
	// Without its indexes the engine reads all there is, and sees by its checksums what is damaged.
	// With an index that does not agree with what is there, its start or a later write may never
	// end.
	indexes, err := filepath.Glob(filepath.Join(
		e.options.StoreDir, "jetstream", "*", "streams", "*", "msgs", "index.db"))
	if err != nil {
		return fmt.Errorf("natsstore: %w", err)
	}
	for _, name := range indexes {
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("natsstore: %w", err)
		}
	}
	o := e.options.Clone()
	srv, err := server.NewServer(o)
	if err != nil {
		return fmt.Errorf("natsstore: %w", err)
	}
	ending, broken := context.WithCancel(context.Background())
	e.ending.Store(&ending)
	srv.SetLoggerV2(&logger{e.log, broken}, false, false, false)
	srv.Start()
	// A server that said why it cannot start, as on a read-only disk, would be waited for in vain.
	ended := ending.Err() != nil
	ready := !ended && srv.ReadyForConnections(engineTime)
	if ready && srv.JetStreamEnabled() {
		e.server = srv
		return nil
	}
	srv.Shutdown()
	srv.WaitForShutdown()
	if !ended && !ready {
		return fmt.Errorf("natsstore: the engine was not ready in %s", engineTime)
	}
	return errors.New("natsstore: the engine did not start")
}

func (e *engine) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
	e.shutdown()
}

func (e *engine) shutdown() {
	if e.server != nil {
		e.server.Shutdown()
		e.server.WaitForShutdown()
		e.server = nil
	}
}

// InProcessConn returns a connection with the server that runs now. If none does, because one did
// not start again, it tries once more.
func (e *engine) InProcessConn() (net.Conn, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped || e.server == nil && time.Since(e.started) < time.Second {
		return nil, jobs.ErrUnavailable
	}
	if e.server == nil {
		if err := e.start(); err != nil {
			e.log.Error("the engine of the job store does not start", "error", err)
			return nil, err
		}
	}
	return e.server.InProcessConn()
}

func (e *engine) free() int64 { return diskSpace(e.options.StoreDir) }

// stored returns how many bytes all messages have, -1 if no server runs.
func (e *engine) stored() int64 {
	srv := e.running()
	if srv == nil {
		return -1
	}
	return int64(srv.GlobalAccount().JetStreamUsage().Store)
}

// running returns the server, nil while there is none.
func (e *engine) running() *server.Server {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.server
}

func (e *engine) syncAlways() (bool, error) {
	srv := e.running()
	if srv == nil {
		return false, jobs.ErrUnavailable
	}
	info, err := srv.Jsz(nil)
	if err != nil {
		return false, fmt.Errorf("natsstore: %w", err)
	}
	return info.Config.SyncAlways, nil
}

// broken returns a context that has ended if the engine can write no more. It never gets over an
// error of the disk, a full one included, and answers no write: it must start again.
func (e *engine) broken() context.Context { return *e.ending.Load() }

// repair starts a broken engine again if there is room for what is to be written, and reports
// whether there is.
func (e *engine) repair(p purpose) bool {
	space := e.room.look()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped || e.broken().Err() == nil { // others were here before
		return true
	}
	if !space.has(p, 0) {
		return false
	}
	if time.Since(e.started) < time.Second {
		return true // soon
	}
	e.log.Warn("the disk of the job store failed or was full: the engine starts again", "free", space.free)
	e.shutdown()
	if err := e.start(); err != nil {
		e.log.Error("the engine of the job store does not start", "error", err)
	}
	return true
}

// A logger writes what the server logs. It calls broken when a write failed: the log alone says so.
type logger struct {
	log *slog.Logger
	// broken is called when the engine can write no more.
	broken func()
}

func (l *logger) Noticef(format string, v ...any) { l.log.Debug(say(format, v)) }
func (l *logger) Warnf(format string, v ...any)   { l.log.Warn(say(format, v)) }
func (l *logger) Debugf(format string, v ...any)  { l.log.Debug(say(format, v)) }
func (l *logger) Tracef(string, ...any)           {}

func (l *logger) Fatalf(format string, v ...any) {
	l.broken()
	l.log.Error(say(format, v))
}

func (l *logger) Errorf(format string, v ...any) {
	if strings.Contains(format, "critical write error") {
		l.broken()
	}
	l.log.Error(say(format, v))
}

func say(format string, v []any) string {
	return engineSays + strings.TrimSpace(fmt.Sprintf(format, v...))
}
