//go:build unix && !nonats

package killtest

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/tsumero/tsumero/api/jobs"
)

// serve runs a NATS server in this process, and returns its URL.
func serve(t *testing.T) (url string) {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: where(t), SyncAlways: true, MaxPayload: 5 << 20})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s.ClientURL()
}

// TestKillOne kills one process of many on one store, or stops it for longer than its leases: a
// worker, a coordinator, and one that submits, in the middle of its uploads.
func TestKillOne(t *testing.T) {
	t.Parallel()
	n := kills(6, 2)
	at, book := place{store: serve(t)}, filepath.Join(t.TempDir(), "ledger")
	c := newClient(secretOf(t, at))
	processes := map[string]*process{}
	run := func(role, name string) {
		p := start(t, program{role: role, name: name, at: at, book: book, heard: c.heard})
		processes[name] = p
		<-p.ready
		if role == "submit" {
			go c.feed(p)
		}
	}
	roles := map[string]string{"w0": "work", "w1": "work", "c0": "coordinate", "c1": "coordinate", "s": "submit"}
	for name, role := range roles {
		run(role, name)
	}
	r := rand.New(rand.NewPCG(*seed, 2<<32))
	begin := time.Now()
	stops := 0
	done := 0
	for i := range n {
		time.Sleep(someTime(r))
		names := [][]string{{"w0", "w1"}, {"c0", "c1"}, {"s"}}[i%3]
		name := names[r.IntN(len(names))]
		p := processes[name]
		if name != "s" && r.IntN(3) == 0 {
			stops++
			send(t, p, syscall.SIGSTOP)
			time.Sleep(testLease + time.Duration(r.Int64N(int64(testLease))))
			send(t, p, syscall.SIGCONT)
			continue
		}
		p.kill()
		run(roles[name], name)
		if i%12 == 11 {
			now := c.count()
			if now == done {
				t.Errorf("nothing was done in 12 kills, %d jobs before", done)
			}
			done = now
		}
	}
	disturbed := time.Since(begin)
	last := processes["s"]
	last.kill()
	run("submit", "s")
	c.stop()
	wait(t, 5*time.Minute, func() { c.feed(processes["s"]) }, c.state)
	for _, p := range processes {
		p.kill()
	}
	what := fmt.Sprintf("%d kills and %d stops in %v", n-stops, stops, disturbed.Round(time.Second))
	check(t, at, book, c, question).log(t, what, time.Since(begin))
}

// TestStopOnly stops the only process on a store in its directory for longer than its leases: all that
// it has is given to it once more when it goes on, beside what it still works on.
func TestStopOnly(t *testing.T) {
	t.Parallel()
	at, book := place{store: filepath.Join(where(t), "store")}, filepath.Join(t.TempDir(), "ledger")
	c := newClient(secretOf(t, at))
	begin := time.Now()
	p := start(t, program{role: "coordinate,work,submit", name: "w", at: at, book: book, heard: c.heard})
	fed := make(chan struct{})
	go func() { defer close(fed); c.feed(p) }()
	n := kills(3, 2)
	for range n {
		c.waitForNews(p)
		send(t, p, syscall.SIGSTOP)
		time.Sleep(testLease * 3 / 2)
		send(t, p, syscall.SIGCONT)
		c.waitForNews(p)
	}
	c.stop()
	wait(t, 5*time.Minute, func() { <-fed }, c.state)
	p.kill()
	check(t, at, book, c, question).log(t, fmt.Sprintf("%d stops", n), time.Since(begin))
}

func send(t *testing.T, p *process, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Error(err)
	}
}

// TestPoison wants a line that kills every process that looks at it to be given up, and the others of
// its chunk to be answered.
func TestPoison(t *testing.T) {
	t.Parallel()
	store, book := place{store: filepath.Join(where(t), "store")}, filepath.Join(t.TempDir(), "ledger")
	secret := secretOf(t, store)
	id := jobs.DeriveID(secret, "killtest", strconv.Itoa(poison))
	for deaths := 0; ; deaths++ {
		done := make(chan struct{})
		p := start(t, program{role: "coordinate,work,submit", name: "w", at: store, book: book,
			heard: func(words []string) {
				if words[0] == "done" && words[1] == string(id) {
					close(done)
				}
			}})
		if deaths == 0 {
			_, _ = fmt.Fprintln(p.in, poison)
		}
		select {
		case <-p.ended:
			if deaths < 10 {
				continue
			}
			t.Fatalf("%d processes died", deaths+1)
		case <-time.After(time.Minute):
			t.Fatalf("nothing happens after %d deaths", deaths)
		case <-done:
		}
		p.kill()
		if deaths != 5 { // two attempts at the chunk, and three at the line
			t.Errorf("%d processes died", deaths)
		}
		break
	}
	s, err := store.open(t.Context(), "serve", errorLog)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	j, _, err := s.Job(t.Context(), id)
	if err != nil || j.State != jobs.Done || j.Counts.Lines() != 5 {
		t.Fatalf("%+v, %v", j, err)
	}
	last, err := s.Result(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for k := range last.Parts {
		part, err := s.Part(t.Context(), id, 0, k)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, part.Text...)
	}
	lines := strings.SplitAfter(string(append(text, last.Text...)), "\n")
	for i, l := range question(0, poison)[0] {
		found := rightAnswer(l)
		right := string(found.AppendLine(nil))
		if string(l.Text) == poisonText {
			right = `{"line":3,"type":"/problems/internal_error",`
		}
		if !strings.HasPrefix(lines[i], right) {
			t.Errorf("line %d: %s, want %s", l.Number, lines[i], right)
		}
	}
	if len(lines) != 6 {
		t.Errorf("%q", lines)
	}
}
