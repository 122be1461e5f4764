// Package killtest kills the processes that work on jobs, at random times, and wants every job that
// was accepted to be done, with one right answer to each line.
//
// The test starts its own binary anew as a child. A ledger, to which all processes append with one
// write a line, outlives them: what was accepted, and each line that was answered. At the end the
// test reads the store by itself and compares it with the ledger and with the right answers.
//
// The whole of it takes minutes:
//
//	go test ./api/jobs/killtest -v -timeout 1h -killtest.rounds 100 -killtest.jobs 5000 -killtest.dir /dev/shm
//
// So does that of a cluster, whose logs -artifacts keeps:
//
//	go test ./api/jobs/killtest -v -timeout 1h -run Cluster -killtest.disasters 200 -killtest.seed 2 -artifacts
package killtest

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/jobs/work"
	"github.com/tsumero/tsumero/api/wire"
)

// The environment of a child.
const (
	roleEnv   = "TSUMERO_KILLTEST_ROLE" // what it does, words with commas between them
	storeEnv  = "TSUMERO_KILLTEST_STORE"
	ledgerEnv = "TSUMERO_KILLTEST_LEDGER"
	keysEnv   = "TSUMERO_KILLTEST_KEYS"
	nameEnv   = "TSUMERO_KILLTEST_NAME"
	seedEnv   = "TSUMERO_KILLTEST_SEED"
)

func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) == "" {
		// The tests wait more than they compute.
		if err := flag.Set("test.parallel", "3"); err != nil {
			panic(err)
		}
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	run := child
	if os.Getenv(roleEnv) == "node" {
		run = node
	}
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
}

// node runs a server of a cluster until ctx ends, where there can be one.
var node = func(context.Context) error { return natsstore.ErrLeftOut }

// The lease time of stores whose processes are killed one by one, and of a cluster.
const (
	testLease    = time.Second
	clusterLease = 5 * time.Second
)

// A place is where a store is: a directory, the URL of a server, or those of a cluster with the
// folder of its keys.
type place struct{ store, keys string }

// open opens the store, in a cluster as a role that has a key.
func (p place) open(ctx context.Context, role string, logger *slog.Logger) (jobs.Store, error) {
	o := natsstore.Options{LeaseTime: testLease, Log: logger}
	switch {
	case p.keys != "":
		o.LeaseTime = clusterLease
		return natsstore.Connect(ctx, natsstore.ClusterOptions{Options: o, URL: p.store,
			Creds: filepath.Join(p.keys, role), SystemCreds: filepath.Join(p.keys, "system")})
	case strings.HasPrefix(p.store, "nats:"):
		return natsstore.Connect(ctx, natsstore.ClusterOptions{Options: o, URL: p.store, Replicas: 1, Unsafe: true})
	}
	return natsstore.Embedded(natsstore.EmbeddedOptions{Options: o, Dir: p.store, MaxBytes: 4 << 30})
}

// errorLog tells of what no test should meet.
var errorLog = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))

// child does what its role says until ctx ends.
func child(ctx context.Context) error {
	where, logger, role := place{os.Getenv(storeEnv), os.Getenv(keysEnv)}, errorLog, "serve"
	partBytes := 1 << 10
	if where.keys != "" { // what it writes is in a file of its own
		logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
		partBytes = 64 << 10
	}
	if os.Getenv(roleEnv) == "work" {
		role = "worker"
		go endWithParent()
	}
	store, err := where.open(ctx, role, logger)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	l, err := openLedger(os.Getenv(ledgerEnv))
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for _, role := range strings.Split(os.Getenv(roleEnv), ",") {
		switch role {
		case "coordinate":
			c, err := work.NewCoordinator(work.CoordinatorOptions{Store: store, Logger: logger})
			if err != nil {
				return err
			}
			all.Go(func() { _ = c.Run(ctx) })
		case "work":
			w, err := work.NewWorker(work.WorkerOptions{Store: store, Name: os.Getenv(nameEnv), Slots: 4, Engine: "killtest",
				Grace: 5 * time.Second, PartBytes: partBytes, Logger: logger,
				Answer: func(ctx context.Context, it *jobs.Item, line jobs.Line, _ func([]byte)) answer.Line {
					select {
					case <-ctx.Done():
						return answer.Line{Ended: true}
					case <-time.After(time.Millisecond):
					}
					if string(line.Text) == poisonText {
						p, _ := os.FindProcess(os.Getpid())
						_ = p.Kill()
						select {}
					}
					l.write("EXEC %s %d %d", it.Job, it.Chunk, line.Number)
					return rightAnswer(line)
				}})
			if err != nil {
				return err
			}
			all.Go(func() { _ = w.Run(ctx) })
		case "queue":
			q, err := queue.New(store, queue.Options{Logger: logger})
			if err != nil {
				return err
			}
			all.Go(func() { q.Run(ctx) })
			go serveQueue(ctx, q, l)
		case "submit":
			seed, err := strconv.ParseUint(os.Getenv(seedEnv), 10, 64)
			if err != nil {
				return err
			}
			secret, err := store.Secret(ctx)
			if err != nil {
				return err
			}
			all.Go(func() { tellDone(ctx, store) })
			go func() { // which nothing ends but the end of the process
				for in := bufio.NewScanner(os.Stdin); in.Scan(); {
					key, err := strconv.Atoi(in.Text())
					if err != nil {
						continue
					}
					go func() {
						q := question(seed, key)
						id, err := accept(ctx, store, secret, key, q)
						if err != nil {
							say("failed %d %v", key, err)
							return
						}
						l.write("ACCEPTED %s %d", id, key)
						say("accepted %d", key)
					}()
				}
			}()
		}
	}
	say("ready")
	all.Wait()
	return nil
}

// say tells the parent something, with one write.
func say(format string, args ...any) {
	_, _ = os.Stdout.WriteString(fmt.Sprintf(format, args...) + "\n")
}

// endWithParent ends the process when the one that started it is gone.
func endWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// serveQueue does what the parent says, and ends the process with it: "submit" and "look", and a key.
func serveQueue(ctx context.Context, q *queue.Queue, l *ledger) {
	seed, err := strconv.ParseUint(os.Getenv(seedEnv), 10, 64)
	if err != nil {
		panic(err)
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var what string
		var key int
		var id jobs.ID
		_, _ = fmt.Sscan(in.Text(), &what, &key, &id)
		go func() {
			switch what {
			case "submit":
				v, _, err := q.Submit(ctx, &queue.Submission{Client: "killtest", Class: queue.Keyed,
					Key: strconv.Itoa(key), Kind: jobs.Collection, Ask: jobs.AskSolve, Longest: 1 << 10,
					Lines: strings.NewReader(text(seed, key))})
				if err != nil {
					say("failed %d %v", key, err)
					return
				}
				l.write("ACCEPTED %s %d", v.ID, key)
				say("accepted %d", key)
			case "look":
				v, err := q.Job(ctx, id)
				if err == nil && v.State == jobs.Done {
					say("done %s", id)
				} else {
					say("open %s", id)
				}
			}
		}()
	}
	os.Exit(0)
}

// tellDone tells the parent which jobs are done.
func tellDone(ctx context.Context, store jobs.Store) {
	for ctx.Err() == nil {
		err := store.Watch(ctx, func(c jobs.Change) {
			if c.Job != nil && c.Job.State.Ended() {
				say("done %s", c.ID)
			}
		})
		if ctx.Err() == nil {
			say("watch %v", err)
		}
	}
}

// The key of a job with a line that kills whoever looks at it, and the text of that line.
const (
	poison     = 1 << 40
	poisonText = "poison"
)

// question returns the chunks of the job under a key: always the same ones.
func question(seed uint64, key int) []jobs.Chunk {
	if key == poison {
		return []jobs.Chunk{{{Number: 1, Text: []byte("1")}, {Number: 2, Text: []byte("2")},
			{Number: 3, Text: []byte(poisonText)}, {Number: 4, Text: []byte("4")}, {Number: 5, Text: []byte("5")}}}
	}
	r := rand.New(rand.NewPCG(seed, uint64(key)))
	chunks := make([]jobs.Chunk, 1+r.IntN(8))
	number := 0
	for i := range chunks {
		lines := 1 + r.IntN(3)
		if r.IntN(40) == 0 {
			lines = 60 // of several parts
		}
		for range lines {
			number += 1 + r.IntN(2)
			chunks[i] = append(chunks[i], jobs.Line{Number: number, Text: fmt.Appendf(nil, "%d/%d", key, number)})
		}
	}
	return chunks
}

// text returns the lines of the job under a key in a cluster: always the same ones. One in four jobs
// is of several chunks, and does not become small by compression.
func text(seed uint64, key int) string {
	r := rand.New(rand.NewPCG(seed, uint64(key)))
	lines, words := 1+r.IntN(20), 1
	if r.IntN(4) == 0 {
		lines, words = 500+r.IntN(200), 16
	}
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "%d/%d ", key, i)
		for range words {
			fmt.Fprintf(&b, "%016x", r.Uint64())
		}
		b.WriteString("\n")
	}
	return b.String()
}

// split returns the chunks of the job under a key in a cluster.
func split(seed uint64, key int) []jobs.Chunk {
	var chunks []jobs.Chunk
	for s := jobs.NewSplitter(strings.NewReader(text(seed, key)), 1<<10); ; {
		c, err := s.Next()
		if err != nil { // io.EOF
			return chunks
		}
		chunks = append(chunks, c)
	}
}

// rightAnswer returns the one right answer to a line.
func rightAnswer(l jobs.Line) answer.Line {
	h := fnv.New64a()
	_, _ = h.Write(l.Text)
	sum := h.Sum64()
	return answer.Line{Envelope: wire.Envelope{Line: l.Number,
		Answer: fmt.Appendf(nil, `"question":%q,"answer":"%016x"`, l.Text, sum)},
		Verdict: []string{"mate", "nomate", "unknown", ""}[sum%4], Nodes: sum % 1000}
}

// accept takes a job in as package jobs says.
func accept(ctx context.Context, s jobs.Store, secret []byte, key int, chunks []jobs.Chunk) (jobs.ID, error) {
	id := jobs.DeriveID(secret, "killtest", strconv.Itoa(key))
	j := &jobs.Job{V: jobs.V, ID: id, Kind: jobs.Collection, Ask: jobs.AskSolve, State: jobs.Receiving,
		Client: "killtest", Created: time.Now().UTC(), Keep: 24 * time.Hour}
	_, err := s.Create(ctx, j)
	if errors.Is(err, jobs.ErrExists) {
		if j, _, err = s.Job(ctx, id); err != nil {
			return "", err
		}
		if j.State != jobs.Receiving {
			return id, nil
		}
	} else if err != nil {
		return "", err
	}
	a := jobs.Accepted{Chunks: len(chunks)}
	for i, c := range chunks {
		if err := s.PutInput(ctx, id, i, c.Encode()); err != nil {
			return "", err
		}
		a.Lines += len(c)
	}
	return id, s.Enqueue(ctx, id, a)
}

// A ledger is a file to which many processes append.
type ledger struct{ f *os.File }

func openLedger(name string) (*ledger, error) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return &ledger{f}, err
}

func (l *ledger) write(format string, args ...any) {
	if _, err := l.f.WriteString(fmt.Sprintf(format, args...) + "\n"); err != nil {
		panic(err)
	}
}
