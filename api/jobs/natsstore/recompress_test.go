//go:build !nonats

package natsstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
)

// addSystem gives the cluster a system account. Who connects without a key uses the jobs.
func (c *cluster) addSystem() {
	c.t.Helper()
	file, public := newUser(c.t)
	c.account, c.system = "JOBS", file
	config := filepath.Join(c.t.TempDir(), "config")
	check(c.t, os.WriteFile(config, fmt.Appendf(nil, `
		accounts {
			JOBS { jetstream: enabled, users: [ { user: jobs, password: jobs } ] }
			SYS { users: [ { nkey: %s } ] }
		}
		system_account: SYS
		no_auth_user: jobs
	`, public), 0o600))
	for _, o := range c.options {
		accounts, err := server.ProcessConfigFile(config)
		check(c.t, err)
		o.Accounts, o.Users, o.Nkeys = accounts.Accounts, accounts.Users, accounts.Nkeys
		o.SystemAccount, o.NoAuthUser = accounts.SystemAccount, accounts.NoAuthUser
	}
}

// compressed returns the files of messages that a server has compressed.
func (c *cluster) compressed() (files []string) {
	c.t.Helper()
	for _, o := range c.options {
		all, err := filepath.Glob(filepath.Join(o.StoreDir, "jetstream", "*", "streams", "*", "msgs", "*.blk"))
		check(c.t, err)
		for _, name := range all {
			f, err := os.Open(name)
			if errors.Is(err, os.ErrNotExist) {
				continue // a server has removed it
			}
			check(c.t, err)
			head := make([]byte, 3)
			_, err = io.ReadFull(f, head)
			f.Close()
			if err == nil && bytes.Equal(head, []byte("cmp")) {
				files = append(files, name)
			}
		}
	}
	return files
}

// files returns the directory where a server has the messages of a stream.
func (c *cluster) files(node int, stream string) string {
	return filepath.Join(c.options[node].StoreDir, "jetstream", c.account, "streams", stream, "msgs")
}

// damage spoils a file of a stream that a server has compressed.
func (c *cluster) damage(node int, stream string) {
	c.t.Helper()
	for _, name := range c.compressed() {
		if filepath.Dir(name) == c.files(node, stream) {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			check(c.t, err)
			_, err = f.WriteAt(make([]byte, 1000), 1000)
			check(c.t, errors.Join(err, f.Close()))
			return
		}
	}
	c.t.Fatalf("node %d has compressed nothing of %s", node, stream)
}

// TestRecompress takes the compression of streams away from the servers, as they compressed them in
// v0.1.0, with interruptions.
func TestRecompress(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers")
	}
	t.Parallel()
	c := newCluster(t)
	c.addSystem()
	c.start(0, 1, 2)
	ctx := t.Context()
	js := streams(t, c.url(), "")
	for _, name := range []string{"IN", "OUT"} {
		wait(t, "a stream", func() bool { // until all servers are known to be there
			_, err := js.CreateStream(ctx, jetstream.StreamConfig{
				Name: "tsumero-" + name, Subjects: []string{"tsumero." + strings.ToLower(name) + ".>"},
				Replicas: 3, Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, MaxMsgSize: 4 << 20,
				Duplicates: time.Second, Compression: jetstream.S2Compression,
			})
			return err == nil
		})
	}
	s := c.connect()
	warned := func(want bool) {
		t.Helper()
		wait(t, fmt.Sprintf("a warning: %t", want), func() bool {
			status, err := s.Status(ctx)
			return err == nil && (status.Warning != "") == want
		})
	}
	warned(true)

	// More than a file of each stream, in no order that compresses well.
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 800_000)
	for i := range noise {
		noise[i] = "0123456789"[random.IntN(10)]
	}
	id, removed := jobs.NewID(), jobs.NewID()
	const chunks = 12
	for chunk := range chunks {
		check(t, s.PutInput(ctx, id, chunk, append([]byte(fmt.Sprint("tsumero-chunk 1\n", chunk)), noise...)))
		check(t, s.PutInput(ctx, removed, chunk, []byte("tsumero-chunk 1\n")))
		must(t)(s.PutResult(ctx, id, chunk, piece(fmt.Sprint(chunk, string(noise)))))
	}
	wait(t, "compressed files", func() bool { return len(c.compressed()) >= 6 })
	natsstore.Spoil(t, s, fmt.Sprintf("out.%s.r.7", id))

	recompress := func(s *natsstore.Store, want string) {
		t.Helper()
		wait(t, fmt.Sprintf("%q to be done", want), func() bool {
			todo, err := s.Recompress(ctx)
			if err != nil && !errors.Is(err, jobs.ErrUnavailable) {
				t.Fatal(err)
			}
			return err == nil && (todo == "") == (want == "") && strings.Contains(todo, want)
		})
	}
	c.stop(1) // this one does not know yet
	c.led()
	recompress(s, "wait for or start node1")
	c.start(1)
	recompress(s, "restart each")
	restart := func() {
		for i := range c.servers {
			recompress(s, fmt.Sprint("node", i))
			warned(true)
			c.current()
			c.stop(i)
			c.start(i)
		}
		c.current()
	}
	restart()
	// What rewrites ends in the middle, once in each stream, and another process goes on. A job that is
	// removed meanwhile does not come back.
	var rewrites atomic.Int64
	for _, until := range []int64{5, chunks + 8} {
		interrupted, cancel := context.WithCancel(ctx)
		other := c.connectWith(natsstore.Options{Wrote: func(time.Duration) {
			if rewrites.Add(1) == until {
				check(t, s.Remove(ctx, removed))
				cancel()
			}
		}})
		if todo, err := other.Recompress(interrupted); !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted: %q, %v", todo, err)
		}
		cancel()
		check(t, other.Close())
	}
	warned(true)
	// A server cannot read what it leads. It starts again as those of deploy do, and takes it from others.
	c.stop(0)
	c.damage(0, "tsumero-OUT")
	c.start(0)
	c.current()
	wait(t, "node0 to lead the results", func() bool {
		_, _ = js.Conn().Request("$JS.API.STREAM.LEADER.STEPDOWN.tsumero-OUT",
			[]byte(`{"placement":{"preferred":"node0"}}`), time.Second)
		return c.leader("tsumero-OUT") == 0
	})
	recompress(s, "restart node0 without its indexes")
	c.stop(0)
	check(t, os.Remove(filepath.Join(c.files(0, "tsumero-OUT"), "index.db")))
	c.start(0)
	c.current()
	// A program of v0.1.0 connects meanwhile.
	var compress sync.Once
	recompress(c.connectWith(natsstore.Options{Wrote: func(time.Duration) {
		rewrites.Add(1)
		compress.Do(func() {
			stream, err := js.Stream(ctx, "tsumero-OUT")
			check(t, err)
			config := stream.CachedInfo().Config
			config.Compression = jetstream.S2Compression
			must(t)(js.UpdateStream(ctx, config))
		})
	}}), "restart each")
	restart()
	recompress(s, "")
	warned(false)
	// At most the chunks that were removed, and what an interruption cut the answer off of.
	if n := rewrites.Load(); n > 2*chunks+3 {
		t.Errorf("%d messages were written again, and there are %d", n, 2*chunks)
	}
	if n, err := s.CountInput(ctx, removed); err != nil || n != 0 {
		t.Errorf("%d chunks of a removed job, %v", n, err)
	}
	wait(t, "no compressed files", func() bool { return len(c.compressed()) == 0 })
	for _, name := range []string{"IN", "OUT"} {
		stream, err := js.Stream(ctx, "tsumero-"+name)
		check(t, err)
		info := stream.CachedInfo()
		if limit := uint64(chunks * len(noise) * 2 / 3); info.State.Bytes > limit ||
			info.Config.Compression != jetstream.NoCompression {
			t.Errorf("%s: compression %v, %d bytes", name, info.Config.Compression, info.State.Bytes)
		}
	}
	for chunk := range chunks {
		in, err := s.Input(ctx, id, chunk)
		if err != nil || string(in) != fmt.Sprint("tsumero-chunk 1\n", chunk, string(noise)) {
			t.Errorf("input %d: %.40q, %v", chunk, in, err)
		}
		got, err := s.Result(ctx, id, chunk)
		switch want := piece(fmt.Sprint(chunk, string(noise))); {
		case chunk == 7:
			if !errors.Is(err, jobs.ErrDamaged) {
				t.Errorf("the damaged result: %v", err)
			}
		case err != nil || !reflect.DeepEqual(got, want):
			t.Errorf("result %d: %v", chunk, err)
		}
	}
}
