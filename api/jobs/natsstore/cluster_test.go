//go:build !nonats

package natsstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tsumero/tsumero/api/internal/storetest"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
)

// A cluster is three servers on the loopback interface. A server that starts again has other ports,
// since no port can be kept for it meanwhile. So clients and the other servers reach it by links,
// which stay.
type cluster struct {
	t       *testing.T
	account string // of the jobs
	system  string // file of the seed of a user of the system account, "" for none
	options [3]*server.Options
	servers [3]*server.Server
	clients [3]*link    // to each server
	routes  [3][3]*link // from one server to another
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t, account: "$G"}
	for i := range c.options {
		c.options[i] = &server.Options{
			ServerName: fmt.Sprint("node", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
			Cluster: server.ClusterOpts{
				Name: "test", Host: "127.0.0.1", Port: server.RANDOM_PORT, NoAdvertise: true,
			},
			JetStream: true, StoreDir: t.TempDir(), SyncAlways: true,
			JetStreamMaxStore: 1 << 30, JetStreamMaxMemory: 64 << 20, MaxPayload: 8 << 20,
		}
		c.clients[i] = newLink(t)
		for j := range c.options {
			if i != j {
				c.routes[i][j] = newLink(t)
				c.options[i].Routes = append(c.options[i].Routes, c.routes[i][j].url())
			}
		}
	}
	t.Cleanup(func() { c.stop(0, 1, 2) }) // before the directories are removed
	return c
}

func (c *cluster) start(nodes ...int) {
	c.t.Helper()
	for _, i := range nodes {
		s, err := server.NewServer(c.options[i].Clone())
		if err != nil {
			c.t.Fatal(err)
		}
		s.Start()
		c.servers[i] = s
		if !s.ReadyForConnections(patience) {
			c.t.Fatalf("node %d is not ready", i)
		}
		c.clients[i].lead(s.Addr())
		for j := range c.routes {
			if i != j {
				c.routes[j][i].lead(s.ClusterAddr())
			}
		}
	}
	// What is asked before that is answered by nobody.
	wait(c.t, "a leader of the servers", func() bool {
		return slices.ContainsFunc(c.servers[:], func(s *server.Server) bool { return s != nil && s.JetStreamIsLeader() })
	})
}

func (c *cluster) stop(nodes ...int) {
	for _, i := range nodes {
		if c.servers[i] != nil {
			c.servers[i].Shutdown()
			c.servers[i].WaitForShutdown()
			c.servers[i] = nil
		}
	}
}

// leader returns the node that leads a stream, or -1.
func (c *cluster) leader(stream string) int {
	for i, s := range c.servers {
		if s != nil && s.JetStreamIsStreamLeader(c.account, stream) {
			return i
		}
	}
	return -1
}

// current waits until every node has all of every stream.
func (c *cluster) current() {
	c.t.Helper()
	wait(c.t, "all replicas to be current", func() bool {
		for _, s := range c.servers {
			for _, stream := range []string{"JOBS", "COORD", "IN", "OUT", "ITEMS"} {
				if s == nil || !s.JetStreamIsStreamCurrent(c.account, "tsumero-"+stream) {
					return false
				}
			}
		}
		return true
	})
}

// led waits until every stream has a leader.
func (c *cluster) led() {
	c.t.Helper()
	wait(c.t, "leaders", func() bool {
		for _, stream := range []string{"JOBS", "COORD", "IN", "OUT", "ITEMS"} {
			if c.leader("tsumero-"+stream) < 0 {
				return false
			}
		}
		return true
	})
}

func (c *cluster) url() string {
	var urls []string
	for _, l := range c.clients {
		urls = append(urls, l.url().String())
	}
	return strings.Join(urls, ",")
}

func (c *cluster) connect() *natsstore.Store {
	c.t.Helper()
	return c.connectWith(natsstore.Options{})
}

func (c *cluster) connectWith(o natsstore.Options) *natsstore.Store {
	c.t.Helper()
	o.LeaseTime = leaseTime
	s, err := natsstore.Connect(c.t.Context(), natsstore.ClusterOptions{
		Options: o, URL: c.url(), SystemCreds: c.system,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = s.Close() })
	return s
}

const patience = 2 * time.Minute

func wait(t *testing.T, what string, until func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !until(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s", what)
		}
	}
}

func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers")
	}
	t.Parallel()
	c := newCluster(t)
	go func() { // Connect waits for servers that come later
		time.Sleep(200 * time.Millisecond)
		c.start(0, 1, 2)
	}()
	storetest.Run(t, storetest.Maker{
		New:     func(*testing.T) func() jobs.Store { return func() jobs.Store { return c.connect() } },
		Durable: true,
	})
}

// a load writes results and jobs all the while, and repeats what was not acknowledged, as clients do.
type load struct {
	store        *natsstore.Store
	id           jobs.ID
	acknowledged []jobs.ID    // accepted jobs
	chunks       atomic.Int64 // results
	unavailable  atomic.Int64 // calls
}

func (l *load) run(t *testing.T, during func()) {
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			chunk := int(l.chunks.Load())
			j := newJob()
			ok := l.repeat(t, func(ctx context.Context) error {
				_, err := l.store.PutResult(ctx, l.id, chunk, piece(fmt.Sprint("result ", chunk)))
				return err
			}) && l.repeat(t, func(ctx context.Context) error {
				_, err := l.store.Create(ctx, j)
				if errors.Is(err, jobs.ErrExists) {
					return nil
				}
				return err
			}) && l.repeat(t, func(ctx context.Context) error { return l.store.PutInput(ctx, j.ID, 0, []byte(j.ID)) }) &&
				l.repeat(t, func(ctx context.Context) error { return l.store.Enqueue(ctx, j.ID, j.Accepted) })
			if !ok {
				return
			}
			l.chunks.Add(1)
			l.acknowledged = append(l.acknowledged, j.ID)
			time.Sleep(5 * time.Millisecond)
		}
	}()
	during()
	cancel()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("the load does not come to its end")
	}
}

// goOn waits until more was stored.
func (l *load) goOn(t *testing.T) {
	t.Helper()
	enough := l.chunks.Load() + 10
	wait(t, "results under load", func() bool { return t.Failed() || l.chunks.Load() >= enough })
}

// repeat calls f until the store is available.
func (l *load) repeat(t *testing.T, f func(ctx context.Context) error) bool {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		err := f(ctx)
		cancel()
		switch {
		case err == nil:
			return true
		case time.Now().After(end) || !errors.Is(err, jobs.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded):
			t.Errorf("under load: %v", err)
			return false
		}
		l.unavailable.Add(1)
	}
}

// check wants everything that was acknowledged to be there, once.
func (l *load) check(t *testing.T) {
	t.Helper()
	chunks := int(l.chunks.Load())
	t.Logf("%d jobs and %d results, %d calls were unavailable", len(l.acknowledged), chunks, l.unavailable.Load())
	found := map[int]bool{}
	l.repeat(t, func(ctx context.Context) error {
		return l.store.Results(ctx, l.id, func(chunk int, _ *jobs.Summary) { found[chunk] = true })
	})
	for chunk := range chunks {
		if !found[chunk] {
			t.Errorf("result %d of %d is not listed", chunk, chunks)
		}
		l.repeat(t, func(ctx context.Context) error {
			p, err := l.store.Result(ctx, l.id, chunk)
			if err == nil && string(p.Text) != fmt.Sprint("result ", chunk) {
				err = fmt.Errorf("result %d is %q", chunk, p.Text)
			}
			return err
		})
	}
	queued := map[jobs.ID]bool{}
	for taken := true; taken && len(queued) < len(l.acknowledged); {
		taken = l.repeat(t, func(ctx context.Context) error {
			q, err := l.store.AcquireJob(ctx)
			if err != nil {
				return err
			}
			queued[q.ID] = true
			_ = q.Ack(ctx) // if its answer is late, it may or may not come again
			return nil
		})
	}
	for _, id := range l.acknowledged {
		if !queued[id] {
			t.Errorf("job %s was not in the queue", id)
		}
		l.repeat(t, func(ctx context.Context) error {
			_, _, err := l.store.Job(ctx, id)
			if err == nil {
				var data []byte
				if data, err = l.store.Input(ctx, id, 0); err == nil && string(data) != string(id) {
					err = fmt.Errorf("input of %s is %q", id, data)
				}
			}
			return err
		})
	}
	l.acknowledged = nil
}

func newJob() *jobs.Job {
	return &jobs.Job{
		V: jobs.V, ID: jobs.NewID(), Kind: jobs.Collection, Ask: jobs.AskSolve, State: jobs.Queued,
		Accepted: jobs.Accepted{Lines: 1, Chunks: 1, Bytes: 7, Digest: "abc"}, Created: time.Unix(1e9, 0).UTC(),
	}
}

func piece(text string) *jobs.Result {
	return &jobs.Result{
		Summary: jobs.Summary{V: jobs.V, First: 1, Last: 1, Counts: jobs.Counts{Mate: 1}, Nodes: 5, Bytes: int64(len(text))},
		Text:    []byte(text),
	}
}

// TestClusterFailures stops and starts servers under load, each time those of a cluster of its own.
func TestClusterFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers")
	}
	t.Parallel()
	for name, fail := range map[string]func(t *testing.T, c *cluster, l *load){
		"leader": func(t *testing.T, c *cluster, l *load) {
			l.run(t, func() {
				l.goOn(t)
				lead := c.leader("tsumero-OUT")
				c.stop(lead)
				l.goOn(t) // with two servers
				c.start(lead)
				c.current()
			})
			l.check(t)
		},
		"all": func(t *testing.T, c *cluster, l *load) {
			l.run(t, func() {
				l.goOn(t)
				c.stop(0, 1, 2)
				wait(t, "calls without a server", func() bool { return l.unavailable.Load() > 0 })
				c.start(0, 1, 2)
				c.current()
				l.goOn(t)
			})
			l.check(t)
		},
		"one lost": func(t *testing.T, c *cluster, l *load) { // with its disk
			l.run(t, func() {
				l.goOn(t)
				c.stop(2)
				c.options[2].StoreDir = t.TempDir()
				c.start(2)
				c.current()
			})
			c.stop(0) // so that what is left needs the new one
			c.led()
			l.check(t)
		},
		"no quorum": func(t *testing.T, c *cluster, l *load) {
			l.run(t, func() { l.goOn(t) })
			c.stop(0, 1)
			_, err := l.store.PutResult(t.Context(), l.id, 1<<20, piece("never"))
			if !errors.Is(err, jobs.ErrUnavailable) {
				t.Errorf("PutResult without a quorum: %v", err)
			}
			c.start(0, 1)
			c.current()
			l.check(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait
			c := newCluster(t)
			c.start(0, 1, 2)
			l := &load{store: c.connect(), id: jobs.NewID()}
			watched := make(chan int, 10_000)
			ready := make(chan struct{})
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				ended <- l.store.WatchResults(ctx, func() { close(ready) }, func(_ jobs.ID, chunk int, _ *jobs.Summary) {
					watched <- chunk
				})
			}()
			<-ready
			fail(t, c, l)

			// All of it was told, though servers went and came.
			seen := map[int]bool{}
			wait(t, "news of all results", func() bool {
				for len(watched) > 0 {
					seen[<-watched] = true
				}
				for chunk := range int(l.chunks.Load()) {
					if !seen[chunk] {
						return false
					}
				}
				return true
			})
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("WatchResults: %v", err)
			}
		})
	}
}

// TestReplicated looks at what is particular to replicated streams: the store compresses and not the
// servers, and no job is accepted whose results could not be stored.
func TestReplicated(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers")
	}
	t.Parallel()
	c := newCluster(t)
	c.start(0, 1, 2)
	s := c.connect()
	ctx := t.Context()
	js := streams(t, c.url(), "")
	stream := func(name string) jetstream.Stream {
		s, err := js.Stream(ctx, "tsumero-"+name)
		check(t, err)
		return s
	}

	j := newJob()
	lines := []byte("tsumero-chunk 1\n" + strings.Repeat("1\t4k4/9/4G4/9/9/9/9/9/4K4 b G 1\n", 1000))
	r := piece(strings.Repeat("an answer\n", 1000))
	must(t)(s.Create(ctx, j))
	check(t, s.PutInput(ctx, j.ID, 0, lines))
	must(t)(s.PutResult(ctx, j.ID, 0, r))
	for _, name := range []string{"IN", "OUT"} {
		info := stream(name).CachedInfo()
		if info.Config.Compression != jetstream.NoCompression || info.State.Bytes > 1000 {
			t.Errorf("%s: compression %v, %d bytes", name, info.Config.Compression, info.State.Bytes)
		}
	}
	if got, err := s.Input(ctx, j.ID, 0); err != nil || !bytes.Equal(got, lines) {
		t.Errorf("input %.40q, %v", got, err)
	}
	if got, err := s.Result(ctx, j.ID, 0); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("result %+v, %v", got.Summary, err)
	}
	check(t, s.Results(ctx, j.ID, func(chunk int, sum *jobs.Summary) {
		if *sum != r.Summary {
			t.Errorf("result %d: %+v", chunk, sum)
		}
	}))

	statuses := func() map[string]jobs.StreamStatus {
		all := map[string]jobs.StreamStatus{}
		status, err := s.Status(ctx)
		if err != nil && !errors.Is(err, jobs.ErrUnavailable) {
			t.Error(err)
		}
		for _, stream := range status.Streams {
			all[stream.Name] = stream
		}
		return all
	}
	wait(t, "all replicas to be current", func() bool {
		all := statuses()
		for _, name := range []string{"JOBS", "COORD", "IN", "OUT", "ITEMS"} {
			if (all[name] != jobs.StreamStatus{Name: name, Led: true, Current: 3}) {
				return false
			}
		}
		return true
	})

	// Only the results lose their leader: they are on one node, which ends.
	config := stream("OUT").CachedInfo().Config
	config.Replicas = 1
	must(t)(js.UpdateStream(ctx, config))
	node := -1
	wait(t, "results on one node", func() bool {
		if info := stream("OUT").CachedInfo(); len(info.Cluster.Replicas) == 0 {
			node = c.leader("tsumero-OUT")
		}
		return node >= 0
	})
	c.stop(node)
	for _, name := range []string{"JOBS", "IN", "COORD"} {
		wait(t, "a leader of "+name, func() bool { return c.leader("tsumero-"+name) >= 0 })
	}
	late := newJob()
	wait(t, "new jobs to be refused without a leader of the results", func() bool {
		late = newJob()
		_, err := s.Create(ctx, late)
		return errors.Is(err, jobs.ErrUnavailable)
	})
	wait(t, "the status of a stream without a leader", func() bool {
		all := statuses()
		return all["IN"].Led && all["IN"].Current == 2 && all["OUT"] == jobs.StreamStatus{Name: "OUT"}
	})
	if err := s.Enqueue(ctx, j.ID, j.Accepted); !errors.Is(err, jobs.ErrUnavailable) {
		t.Errorf("a job is accepted without a leader of the results: %v", err)
	}
	c.start(node)
	l := load{store: s}
	l.repeat(t, func(ctx context.Context) error {
		_, err := s.Create(ctx, late)
		return err
	})
	l.repeat(t, func(ctx context.Context) error { return s.Enqueue(ctx, j.ID, j.Accepted) })
}
