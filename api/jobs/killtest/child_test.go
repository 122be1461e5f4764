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
package killtest

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
	"github.com/tsumero/tsumero/api/jobs/work"
	"github.com/tsumero/tsumero/api/wire"
)

// The environment of a child.
const (
	roleEnv   = "TSUMERO_KILLTEST_ROLE" // what it does, words with commas between them
	storeEnv  = "TSUMERO_KILLTEST_STORE"
	ledgerEnv = "TSUMERO_KILLTEST_LEDGER"
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
	if err := child(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
}

// testLease is the lease time of stores whose processes are killed one by one.
const testLease = time.Second

// openStore opens the store of a child: a directory, or a server's URL.
func openStore(ctx context.Context, where string) (jobs.Store, error) {
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	o := natsstore.Options{LeaseTime: testLease, Log: logger}
	if strings.HasPrefix(where, "nats:") {
		return natsstore.Connect(ctx, natsstore.ClusterOptions{Options: o, URL: where, Replicas: 1, Unsafe: true})
	}
	return natsstore.Embedded(natsstore.EmbeddedOptions{Options: o, Dir: where, MaxBytes: 4 << 30})
}

// child does what its role says until ctx ends.
func child(ctx context.Context) error {
	store, err := openStore(ctx, os.Getenv(storeEnv))
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	l, err := openLedger(os.Getenv(ledgerEnv))
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
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
				Grace: 5 * time.Second, PartBytes: 1 << 10, Logger: logger,
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
