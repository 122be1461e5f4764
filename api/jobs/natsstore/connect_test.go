//go:build !nonats

package natsstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
)

// newUser returns the file of the seed of a new user, and the public key.
func newUser(t *testing.T) (file, public string) {
	t.Helper()
	user, err := nkeys.CreateUser()
	check(t, err)
	text, err := user.Seed()
	check(t, err)
	public, err = user.PublicKey()
	check(t, err)
	file = filepath.Join(t.TempDir(), "seed")
	check(t, os.WriteFile(file, text, 0o600))
	return file, public
}

// serve runs a server with a user each for the jobs and for the system account.
func serve(t *testing.T, sync, payload string) natsstore.ClusterOptions {
	t.Helper()
	dir := t.TempDir()
	creds, user := newUser(t)
	systemCreds, system := newUser(t)
	config := filepath.Join(dir, "config")
	check(t, os.WriteFile(config, fmt.Appendf(nil, `
		listen: "127.0.0.1:-1"
		max_payload: %s
		jetstream { store_dir: %q, sync_interval: %s, max_file_store: 1G, max_memory_store: 64M }
		accounts {
			JOBS { jetstream: enabled, users: [ { nkey: %s } ] }
			SYS { users: [ { nkey: %s } ] }
		}
		system_account: SYS
	`, payload, dir, sync, user, system), 0o600))
	options, err := server.ProcessConfigFile(config)
	check(t, err)
	options.NoLog, options.NoSigs = true, true
	s, err := server.NewServer(options)
	check(t, err)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("the server is not ready")
	}
	return natsstore.ClusterOptions{URL: s.ClientURL(), Creds: creds, SystemCreds: systemCreds, Replicas: 1}
}

// connect wants an error that has the text, or none for "".
func connect(t *testing.T, o natsstore.ClusterOptions, want string) *natsstore.Store {
	t.Helper()
	start := time.Now()
	s, err := natsstore.Connect(t.Context(), o)
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("Connect: %v, want %q", err, want)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("Connect took %v: what is wrong with the settings does not go away", took)
	}
	return s
}

func TestConnect(t *testing.T) {
	t.Parallel()
	good := serve(t, "always", "4MB")
	s := connect(t, good, "")
	status, err := s.Status(t.Context())
	if err != nil || !status.SyncAlways || status.Kind != "cluster" || status.Version != server.VERSION {
		t.Errorf("status %+v, %v", status, err)
	}
	// Who cannot look says so.
	blind := good
	blind.SystemCreds = ""
	if status, err := connect(t, blind, "").Status(t.Context()); err != nil || status.SyncAlways {
		t.Errorf("status without system credentials %+v, %v", status, err)
	}
	noUser := good
	noUser.Creds = ""
	connect(t, noUser, "uthorization")
	noFile := good
	noFile.Creds = "/nowhere"
	connect(t, noFile, "no such file")

	lazy := serve(t, "2m", "4MB")
	if _, err := natsstore.Connect(t.Context(), lazy); !errors.Is(err, natsstore.ErrUnsafe) {
		t.Errorf("a server that does not sync: %v", err)
	}
	// Settings that others have made are not taken over.
	js := streams(t, lazy.URL, lazy.Creds)
	must(t)(js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: "tsumero-OUT", Subjects: []string{"tsumero.out.>"}, Storage: jetstream.MemoryStorage,
	}))
	lazy.Unsafe = true
	lazy.SetUpTime = time.Second
	connect(t, lazy, "tsumero-OUT")
	check(t, js.DeleteStream(t.Context(), "tsumero-OUT"))
	if status, err := connect(t, lazy, "").Status(t.Context()); err != nil || status.SyncAlways {
		t.Errorf("status of an unsafe store %+v, %v", status, err)
	}

	connect(t, serve(t, "always", "1MB"), "max_payload")
}

// TestFullStream fills a stream that an operator has bounded. The engine then says 10077, with the
// code that it has for a second message under a subject, too: that it must not be taken for.
func TestFullStream(t *testing.T) {
	t.Parallel()
	o := serve(t, "always", "4MB")
	s := connect(t, o, "")
	js := streams(t, o.URL, o.Creds)
	stream, err := js.Stream(t.Context(), "tsumero-OUT")
	check(t, err)
	config := stream.CachedInfo().Config
	config.MaxBytes = 100_000
	must(t)(js.UpdateStream(t.Context(), config))
	id := jobs.NewID()
	for chunk := 0; ; chunk++ {
		first, err := s.PutResult(t.Context(), id, chunk, piece(strings.Repeat("x", 30_000)))
		if err == nil && first && chunk < 5 {
			continue
		}
		if !errors.Is(err, jobs.ErrFull) || chunk == 0 {
			t.Errorf("result %d in a full stream: %t, %v", chunk, first, err)
		}
		break
	}
	connect(t, o, "") // that bound is the operator's, and no reason to refuse
}

// streams connects to servers beside the store. seed is the file of a user's nkey, "" for none.
func streams(t *testing.T, url, seed string) jetstream.JetStream {
	t.Helper()
	var options []nats.Option
	if seed != "" {
		option, err := nats.NkeyOptionFromSeed(seed)
		check(t, err)
		options = append(options, option)
	}
	nc, err := nats.Connect(url, options...)
	check(t, err)
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	check(t, err)
	return js
}

func TestVersion(t *testing.T) {
	for version, ok := range map[string]bool{
		"": false, "1.9.9": false, "2.9.10": false, "2.10.29": false, "2.11.0": true, "2.15.2": true, "2.12.0-beta": true, "3.0.0": true,
	} {
		if err := natsstore.CheckVersion(version); (err == nil) != ok {
			t.Errorf("version %q: %v", version, err)
		}
	}
}
