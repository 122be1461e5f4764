package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
)

// storeSettings say where durable jobs are kept: in a directory of this process, or in a cluster.
type storeSettings struct {
	dir      string
	maxBytes int64

	url, creds, systemCreds, ca, prefix string
	replicas                            int
	unsafe                              bool
}

// The bounds of the size of a store.
const (
	leastStore = 16 << 20
	mostStore  = 1 << 50
)

// declareDir declares the settings of a store in a directory.
func (s *storeSettings) declareDir(set *cli.Settings) {
	set.Text(&s.dir, "jobs", "DIR", "keep jobs in this directory, which no other process uses; "+
		"without it and --nats there are no jobs", nil)
	set.Size(&s.maxBytes, "jobs-max-bytes", 1<<30, leastStore, mostStore, "the most that is kept there when "+
		"new jobs are taken, and a quarter more for the answers to those; auto: four fifths of what "+
		"the disk has room for")
	set.Automatic()
}

// declareCluster declares the settings of a store in a cluster.
func (s *storeSettings) declareCluster(set *cli.Settings) {
	set.Text(&s.url, "nats", "URL", "keep jobs in this NATS JetStream cluster, such as "+
		"nats://a:4222,nats://b:4222,nats://c:4222", checkServers)
	set.Text(&s.creds, "nats-creds", "FILE", "the credentials, or the nkey seed, of the user there", nil)
	set.Text(&s.systemCreds, "nats-system-creds", "FILE", "the same for a user of the system account, with "+
		"which to check that the servers write to the disk before they acknowledge", nil)
	set.Text(&s.ca, "nats-ca", "FILE", "the certificate authorities of the servers; default: "+
		"those of the operating system", nil)
	set.List("nats-storage", "how jobs are kept there", func() {
		cli.Number(set, &s.replicas, "replicas", 3, 1, 5, "on how many servers")
		set.Text(&s.prefix, "prefix", "WORD",
			`what the names of all streams begin with; default: "tsumero"`, nil)
		set.Switch(&s.unsafe, "unsafe", "true: take servers that acknowledge a write before it is on "+
			"the disk: a power cut may lose jobs")
	})
}

// checkServers says what a list of servers must be.
func checkServers(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		u, err := url.Parse(strings.TrimSpace(part))
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" && u.Scheme != "ws" && u.Scheme != "wss" {
			return errors.New("nats://host:port, or several with commas between them")
		}
	}
	return nil
}

// given reports whether there is a store.
func (s *storeSettings) given() bool { return s.dir != "" || s.url != "" }

// check says what does not fit together.
func (s *storeSettings) check() error {
	if s.dir != "" && s.url != "" {
		return errors.New("--jobs and --nats are two places for the same jobs: give one of them")
	}
	return nil
}

// open opens the store. wrote is called with the time that each write took.
func (s *storeSettings) open(ctx context.Context, logger *slog.Logger, wrote func(time.Duration)) (*natsstore.Store, error) {
	o := natsstore.Options{Prefix: s.prefix, Log: logger, Wrote: wrote}
	if s.dir != "" {
		return openDir(ctx, natsstore.EmbeddedOptions{Options: o, Dir: s.dir, MaxBytes: s.maxBytes})
	}
	return natsstore.Connect(ctx, natsstore.ClusterOptions{Options: o, URL: s.url, Creds: s.creds,
		SystemCreds: s.systemCreds, CA: s.ca, Replicas: s.replicas, Unsafe: s.unsafe})
}

// lockTime is how long another process may take to leave a directory: one that was killed takes a
// moment to be gone, and whoever starts the next one does not wait for that.
const lockTime = 10 * time.Second

// openDir opens a store in a directory.
func openDir(ctx context.Context, o natsstore.EmbeddedOptions) (*natsstore.Store, error) {
	for until := time.Now().Add(lockTime); ; pause(ctx, lockTime/50) {
		store, err := natsstore.Embedded(o)
		if !errors.Is(err, natsstore.ErrLocked) || time.Now().After(until) || ctx.Err() != nil {
			return store, err
		}
	}
}

// checkpoints returns the directory of the checkpoints: given, or that of a store in a directory.
func (s *storeSettings) checkpoints(given string) string {
	if given == "" && s.dir != "" {
		return filepath.Join(s.dir, "checkpoints")
	}
	return given
}

// explainStore adds to an error of a store what can be done about it.
func explainStore(err error) error {
	switch {
	case errors.Is(err, natsstore.ErrUnsafe):
		return fmt.Errorf("%w: set sync_interval: always on every server, or give --nats-storage unsafe=true", err)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%w: the directory must belong to the user that runs this", err)
	}
	return err
}
