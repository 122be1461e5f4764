package killtest

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

var (
	rounds = flag.Int("killtest.rounds", 0, "how often each test kills; 0 is a few times")
	least  = flag.Int("killtest.jobs", 0, "jobs that are accepted at least")
	seed   = flag.Uint64("killtest.seed", 1, "of the jobs and the times of the kills")
	dir    = flag.String("killtest.dir", "", "where the store is kept; \"\" is a temporary directory")
)

// outstanding is how many jobs may be under way at once.
const outstanding = 12

// A process is a child.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	ready chan struct{}
	ended chan struct{}
}

// A program is what a child is started as.
type program struct {
	role, name string
	at         place
	book       string               // the ledger
	heard      func(words []string) // unless nil, is called with the words of each line that it says
	log        *os.File             // gets what it logs; nil: the standard error
	env        []string
}

// start starts a child.
func start(t *testing.T, g program) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: exec.Command(exe), ready: make(chan struct{}), ended: make(chan struct{})}
	p.cmd.Env = append(append(os.Environ(), roleEnv+"="+g.role, nameEnv+"="+g.name, storeEnv+"="+g.at.store,
		keysEnv+"="+g.at.keys, ledgerEnv+"="+g.book, seedEnv+"="+fmt.Sprint(*seed)), g.env...)
	if p.cmd.Stderr = os.Stderr; g.log != nil {
		p.cmd.Stderr = g.log
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		for s := bufio.NewScanner(out); s.Scan(); {
			words := strings.Fields(s.Text())
			switch {
			case len(words) == 1 && words[0] == "ready":
				close(p.ready)
			case g.heard != nil && len(words) > 1:
				g.heard(words)
			}
		}
		_ = p.cmd.Wait()
	}()
	t.Cleanup(p.kill)
	return p
}

// kill ends the process as nothing else can, and waits until it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// A client submits jobs under the keys 0, 1, … by whatever process there is, and asks again for those
// whose acceptance nobody confirmed.
type client struct {
	secret []byte

	mu        sync.Mutex
	next      int
	stopped   bool
	news      int              // jobs accepted, and jobs done
	sent      map[int]*process // and not answered
	confirmed map[int]bool
	done      map[jobs.ID]bool
	ids       []jobs.ID // by key
	failures  int
	accepted  []time.Time // when each was confirmed
}

func newClient(secret []byte) *client {
	return &client{secret: secret, sent: map[int]*process{}, confirmed: map[int]bool{}, done: map[jobs.ID]bool{}}
}

// heard takes in what a process said.
func (c *client) heard(words []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var key int
	switch words[0] {
	case "accepted":
		_, _ = fmt.Sscan(words[1], &key)
		c.news++
		if !c.confirmed[key] {
			c.confirmed[key] = true
			c.accepted = append(c.accepted, time.Now())
		}
		delete(c.sent, key)
	case "failed":
		_, _ = fmt.Sscan(words[1], &key)
		delete(c.sent, key)
		c.failures++
	case "done":
		if id := jobs.ID(words[1]); !c.done[id] {
			c.news++
			c.done[id] = true
		}
	}
}

// waitForNews waits until a process has done something, which takes it a while if the store is large.
func (c *client) waitForNews(p *process) {
	news := func() int { c.mu.Lock(); defer c.mu.Unlock(); return c.news }
	for before, end := news(), time.Now().Add(time.Minute); news() == before; {
		select {
		case <-p.ended:
			return
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(end) {
			p.t.Error("nothing happens in a minute")
			return
		}
	}
}

// stop has feed submit nothing that is new.
func (c *client) stop() { c.mu.Lock(); defer c.mu.Unlock(); c.stopped = true }

// count returns how many jobs are done.
func (c *client) count() int { c.mu.Lock(); defer c.mu.Unlock(); return len(c.done) }

func (c *client) state() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("%d of %d jobs are done", len(c.done), c.next)
}

// feed submits until the process ends, or nothing is left to be done.
func (c *client) feed(p *process) {
	for {
		c.mu.Lock()
		var keys []int
		open := 0
		for key := range c.next {
			switch {
			case c.done[c.ids[key]]:
				continue
			case !c.confirmed[key] && c.sent[key] != p:
				keys = append(keys, key)
			}
			open++
		}
		for ; open < outstanding && !c.stopped; open++ {
			keys = append(keys, c.next)
			c.ids = append(c.ids, jobs.DeriveID(c.secret, "killtest", fmt.Sprint(c.next)))
			c.next++
		}
		for _, key := range keys {
			c.sent[key] = p
		}
		c.mu.Unlock()
		for _, key := range keys {
			if _, err := fmt.Fprintln(p.in, key); err != nil {
				break
			}
		}
		if open == 0 {
			return
		}
		select {
		case <-p.ended:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// TestKill kills a process that does everything, on a store in its directory.
func TestKill(t *testing.T) {
	t.Parallel()
	n := kills(8, 3)
	dir := where(t)
	store, book := place{store: filepath.Join(dir, "store")}, filepath.Join(dir, "ledger")
	c := newClient(secretOf(t, store))
	r := rand.New(rand.NewPCG(*seed, 1<<32))
	begin := time.Now()
	killed := 0
	for ; killed < n || c.next < *least; killed++ {
		p := start(t, program{role: "coordinate,work,submit", name: "w", at: store, book: book, heard: c.heard})
		fed := make(chan struct{})
		go func() { defer close(fed); c.feed(p) }()
		if killed%4 > 0 { // else it may be killed while it starts
			c.waitForNews(p)
		}
		time.Sleep(someTime(r))
		p.kill()
		<-fed
	}
	disturbed := time.Since(begin)
	c.stop()
	// The last one may end its work.
	p := start(t, program{role: "coordinate,work,submit", name: "w", at: store, book: book, heard: c.heard})
	wait(t, 5*time.Minute, func() { c.feed(p) }, c.state)
	p.kill()
	check(t, store, book, c, question).log(t, fmt.Sprintf("%d kills in %v", killed, disturbed.Round(time.Second)), time.Since(begin))
}

// someTime returns how long a process is left alone before it is killed.
func someTime(r *rand.Rand) time.Duration {
	return 50*time.Millisecond + time.Duration(r.Int64N(int64(500*time.Millisecond)))
}

// kills returns how many there are to be.
func kills(normal, short int) int {
	switch {
	case *rounds > 0:
		return *rounds
	case testing.Short():
		return short
	}
	return normal
}

// where returns a directory for a store.
func where(t *testing.T) string {
	t.Helper()
	if *dir == "" {
		return t.TempDir()
	}
	name, err := os.MkdirTemp(*dir, "killtest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(name) })
	return name
}

// wait waits for f, but not for ever.
func wait(t *testing.T, patience time.Duration, f func(), state func() string) {
	t.Helper()
	ended := make(chan struct{})
	go func() { defer close(ended); f() }()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatalf("after %v %s", patience, state())
	}
}

// secretOf makes the store, and returns its secret.
func secretOf(t *testing.T, where place) []byte {
	t.Helper()
	s, err := where.open(t.Context(), "serve", errorLog)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	secret, err := s.Secret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// Figures are what is found in the store and in the ledger.
type figures struct {
	jobs, items, lines              int
	lost, doubled, different, twice int
	parts, failures                 int
}

func (f figures) log(t *testing.T, what string, took time.Duration) {
	t.Helper()
	t.Logf("%s, %v in all: %d jobs, %d items, %d lines (%d parts): %d lost, %d doubled, "+
		"%d different; %d lines answered more than once, %d failures told",
		what, took.Round(time.Second), f.jobs, f.items, f.lines, f.parts, f.lost, f.doubled, f.different, f.twice, f.failures)
}

// check compares the store with the ledger and the right answers. chunks returns those of the job
// under a key.
func check(t *testing.T, where place, book string, c *client,
	chunksOf func(seed uint64, key int) []jobs.Chunk) figures {
	t.Helper()
	ctx := context.Background()
	s, err := where.open(ctx, "serve", errorLog)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	accepted, executed := readLedger(t, book)
	for key := range c.confirmed {
		if accepted[c.ids[key]] != key+1 {
			t.Errorf("job %d was confirmed, and is not in the ledger", key)
		}
	}
	f := figures{jobs: len(accepted), failures: c.failures}
	for _, n := range executed {
		if n > 1 {
			f.twice++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(accepted)) {
		key := accepted[id] - 1
		chunks := chunksOf(*seed, key)
		j, _, err := s.Job(ctx, id)
		if err != nil || j.State != jobs.Done {
			f.lost++
			t.Errorf("job %d was accepted and is lost: %+v, %v", key, j, err)
			continue
		}
		found := map[int]int{}
		if err := s.Results(ctx, id, func(chunk int, _ *jobs.Summary) { found[chunk]++ }); err != nil {
			t.Fatal(err)
		}
		if len(found) != len(chunks) || j.DoneChunks != len(chunks) || j.Chunks != len(chunks) {
			f.lost++
			t.Errorf("job %d has %d chunks; %d results, record %+v", key, len(chunks), len(found), j)
			continue
		}
		var counts jobs.Counts
		nodes, bytes := uint64(0), int64(0)
		for i, chunk := range chunks {
			f.items++
			last, err := s.Result(ctx, id, i)
			if err != nil {
				t.Fatal(err)
			}
			var got []byte
			for k := range last.Parts {
				part, err := s.Part(ctx, id, i, k)
				if err != nil {
					t.Fatalf("job %d, chunk %d, part %d: %v", key, i, k, err)
				}
				got = append(got, part.Text...)
				f.parts++
			}
			got = append(got, last.Text...)
			answers, all := map[string]int{}, 0
			for answer := range strings.Lines(string(got)) {
				answers[answer]++
				all++
			}
			for _, line := range chunk {
				f.lines++
				right := rightAnswer(line)
				text := string(right.AppendLine(nil))
				counts.Count(right.Verdict)
				nodes += right.Nodes
				bytes += int64(len(text))
				switch n := answers[text]; {
				case n == 0:
					f.lost++
					t.Errorf("job %d, line %d has no right answer in %.1000s", key, line.Number, got)
				case n > 1:
					f.doubled++
					t.Errorf("job %d, line %d is answered %d times", key, line.Number, n)
				}
			}
			if all != len(chunk) {
				f.different++
				t.Errorf("job %d, chunk %d has %d lines, and answers %.1000s", key, i, len(chunk), got)
			}
		}
		if j.Counts != counts || j.Nodes != nodes || j.OutBytes != bytes || j.Lines != counts.Lines() {
			t.Errorf("job %d: the record says %+v, right were %+v, %d nodes, %d bytes", key, j, counts, nodes, bytes)
		}
	}
	return f
}

// readLedger returns the keys + 1 of the jobs that were accepted, and how often each line was answered.
func readLedger(t *testing.T, name string) (accepted map[jobs.ID]int, executed map[string]int) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	accepted, executed = map[jobs.ID]int{}, map[string]int{}
	s := bufio.NewScanner(f)
	for s.Scan() {
		if line, ok := strings.CutPrefix(s.Text(), "EXEC "); ok {
			executed[line]++
			continue
		}
		var id jobs.ID
		var key int
		if _, err := fmt.Sscanf(s.Text(), "ACCEPTED %s %d", &id, &key); err != nil {
			t.Errorf("the ledger has %q: %v", s.Text(), err)
			continue
		}
		accepted[id] = key + 1
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return accepted, executed
}
