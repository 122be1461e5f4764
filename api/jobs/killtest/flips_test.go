package killtest

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The files of a database in a directory.
const (
	databaseFile = "jobs.db"
	logFile      = "jobs.db-wal"
)

// damage is a clear word, which "disk I/O error" is not.
var damage = regexp.MustCompile(`damaged|malformed|corrupt|checksum`)

const (
	// readyTime is for how long a service may say that it is ready, and not get on: it looks each half
	// minute. Once it has named the damage it is not waited for that long.
	readyTime = 45 * time.Second
	namedTime = 5 * time.Second
	// startTime is for a start on a machine with much to do.
	startTime = time.Minute
	// fewFlips is how many bits are flipped unless a flag says more.
	fewFlips = 3
	// flipsOfLeft are one after the other. Those of a log have a kill of their own.
	flipsOfLeft = 10
)

// TestFlips flips a bit of what a service has left: the database of one that ended, and the logs of
// some that were killed. Either that is told, by a start that is refused, a status, /readyz or the
// check of the store, or it does no harm: no answer is another one, no job is lost, and a service
// that says it is ready works.
func TestFlips(t *testing.T) {
	long(t)
	n := *flips
	if n == 0 {
		n = fewFlips
	}
	w := newWitness(&fleet{t: t})
	var all outcomes
	began := time.Now()
	t.Run("in", func(t *testing.T) {
		var database *left
		for _, file := range []string{databaseFile, logFile} {
			count := n - n/3
			if file == logFile {
				count = n / 3
			}
			if !strings.HasSuffix(file, *only) {
				continue
			}
			if file == databaseFile {
				database = newFlipper(t, w, &all, 0).leave(func(p *process) { p.terminate(t) })
			}
			for first := 0; first < count; first += flipsOfLeft {
				t.Run(fmt.Sprintf("%s/%d", file, first), func(t *testing.T) {
					t.Parallel()
					x := newFlipper(t, w, &all, 1+first)
					from := database
					if file == logFile {
						from = x.leave((*process).kill)
					}
					for range min(flipsOfLeft, count-first) {
						x.flip(from, file)
					}
				})
			}
		}
	})
	all.log(t)
	t.Logf("%.0f s", time.Since(began).Seconds())
}

// outcomes are what the flips in each file came to.
type outcomes struct {
	mu  sync.Mutex
	all []string
}

func (o *outcomes) add(file, outcome string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, file+": "+outcome)
}

// log prints how many there are of each, and of each kind, which is the first word.
func (o *outcomes) log(t *testing.T) {
	count := map[string]int{}
	for _, outcome := range o.all {
		kind, _, _ := strings.Cut(strings.SplitAfter(outcome, ": ")[1], " ")
		count[outcome]++
		count["all: "+strings.Trim(kind, ": ")]++
	}
	for _, outcome := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%4d %s", count[outcome], outcome)
	}
}

// A flipper flips bits, one after the other.
type flipper struct {
	t       *testing.T
	fleet   *fleet
	clients *clients
	dir     string
	r       *rand.Rand
	first   int // key
	all     *outcomes
}

// newFlipper returns a flipper, the n-th one.
func newFlipper(t *testing.T, w *witness, all *outcomes, n int) *flipper {
	f := &fleet{t: t}
	return &flipper{t: t, fleet: f, clients: newClients(t, f, w), dir: where(t), first: 16 * n,
		all: all, r: rand.New(rand.NewPCG(*seed, uint64(1<<44+n)))}
}

// serve starts a service on a directory. The clients ask it from now on.
func (x *flipper) serve(dir string) *process {
	x.t.Helper()
	p := x.fleet.serveJobs(dir, 1)
	x.clients.use(p)
	return p
}

// A left is a directory that a service has left in the middle of its work.
type left struct {
	dir   string
	jobs  []*job // that are in it
	fresh *job   // which is not
	right map[int][]byte
}

// leave has a service leave a directory, by end.
func (x *flipper) leave(end func(*process)) *left {
	x.t.Helper()
	c, l := x.clients, &left{dir: filepath.Join(x.dir, "left"), right: map[int][]byte{}}
	p := x.serve(l.dir)
	p.wait(x.t)
	for i := range 16 {
		c.submit(newJob(x.first+i), x.r)
		if i == 10 {
			c.finish(patience)
		}
	}
	end(p)
	l.jobs, l.fresh = c.jobs, problem(1<<40, 700)
	for _, j := range append(l.jobs[:len(l.jobs):len(l.jobs)], l.fresh) {
		l.right[j.key] = x.clients.witness.right(x.t, j)
	}
	return l
}

// flip flips a bit of a file in a copy of what was left, and looks at what a service makes of it.
func (x *flipper) flip(l *left, file string) {
	x.t.Helper()
	dir := filepath.Join(x.dir, "jobs")
	path := filepath.Join(dir, file)
	defer func() { _ = os.RemoveAll(dir) }()
	err := os.CopyFS(dir, os.DirFS(l.dir))
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if err != nil || len(text) == 0 {
		x.t.Fatalf("%d bytes of %s: %v", len(text), file, err)
	}
	at, bit := x.r.IntN(len(text)), x.r.IntN(8)
	text[at] ^= 1 << bit
	if err := os.WriteFile(path, text, 0o600); err != nil {
		x.t.Fatal(err)
	}
	p := x.serve(dir)
	outcome, wrong := x.judge(p, l)
	if how, ok := strings.CutPrefix(outcome, harmless); ok && checkFinds(x.t, dir) {
		outcome = told + "store check: " + how
	}
	p.kill()
	x.all.add(file, outcome)
	if wrong != "" {
		x.t.Errorf("bit %d of byte %d of %d of %s (page %d): %s\n%s", bit, at, len(text), file,
			at/4096+1, wrong, p.tail())
	}
}

// What a flip comes to.
const (
	refused  = "refused: the start"
	told     = "told by " // what
	harmless = "harmless: "
	mended   = "harmless: answered again"
	fault    = "wrong: "
)

// judge returns what a service makes of its directory, and what is wrong with that.
func (x *flipper) judge(p *process, l *left) (outcome, wrong string) {
	said := ""
	ended := func() (outcome, wrong string) {
		if p.cmd.ProcessState.ExitCode() <= 0 || !damage.MatchString(p.last()) {
			return fault + "its end", fmt.Sprintf("no word of damage: %v", p.cmd.ProcessState)
		}
		return refused, ""
	}
	for status, end := 0, time.Now().Add(startTime); status != http.StatusOK; {
		switch {
		case !p.alive():
			return ended()
		case time.Now().After(end):
			return fault + "no start", fmt.Sprintf("it neither starts nor ends: %d %s", status, said)
		}
		time.Sleep(20 * time.Millisecond)
		status, said = p.ready()
	}
	open := slices.Clone(l.jobs)
	fresh := *l.fresh
	id, status, text := x.clients.submitOnce(&fresh, len(fresh.body))
	if fresh.id = id; id != "" {
		open = append(open, &fresh)
	} else if outcome = told + "the status of a new job"; status < 500 && status != 0 {
		return fault + "a new job", fmt.Sprintf("a new job: %d %s", status, text)
	}
	states := map[*job]string{}
	for moved := time.Now(); len(open) > 0; time.Sleep(20 * time.Millisecond) {
		for _, j := range slices.Clone(open) {
			state, by, wrong := x.look(j, l.right[j.key])
			if wrong != "" {
				return fault + "an answer", wrong
			}
			if state != states[j] {
				states[j], moved = state, time.Now()
			}
			if state == "right" || by != "" {
				open = slices.DeleteFunc(open, func(o *job) bool { return o == j })
			} else if j.done && outcome == "" { // when the others were left, it was
				outcome = mended
			}
			if by != "" && !strings.HasPrefix(outcome, told) {
				outcome = told + by
			}
		}
		still := time.Since(moved)
		if len(open) == 0 || still < namedTime {
			continue
		}
		// Trouble with jobs is a line in /readyz: questions are answered all the same.
		status, said := p.ready()
		switch {
		case !p.alive():
			return ended()
		case damage.MatchString(said),
			still > readyTime && (status != http.StatusOK || strings.Contains(said, "jobs: ")):
			return told + "/readyz", ""
		case still > readyTime:
			j := open[0]
			return fault + "idle", fmt.Sprintf("it is ready, and job %d (%s) is %s", j.key, j.id, states[j])
		}
	}
	if outcome == "" {
		outcome = harmless + "all answers are right"
	}
	_, said = p.ready()
	if how, ok := strings.CutPrefix(outcome, harmless); ok && damage.MatchString(said) {
		outcome = told + "/readyz: " + how
	}
	return outcome, ""
}

// look returns "right" if all answers to a job are, or the state of the job, which may come to be
// done; by what it is told that they are not known; or what is wrong.
func (x *flipper) look(j *job, right []byte) (state, by, wrong string) {
	view, status, text, err := x.clients.view(20*time.Second, j)
	switch {
	case err != nil:
		return "without an answer", "", ""
	case status >= 500:
		return "", "the status of a job", ""
	case status != http.StatusOK:
		return "", "", fmt.Sprintf("job %d (%s) is lost: %d %s", j.key, j.id, status, text)
	case view.State == "failed":
		return "", "a job that fails", ""
	case view.State != "done":
		return fmt.Sprintf("%s, %d lines", view.State, view.Done), "", ""
	}
	status, got, err := x.clients.results(20*time.Second, j)
	if err != nil || status >= 500 {
		return "", "the status of results", ""
	}
	// A problem without the number of a line ends what could not be read.
	switch last := got[bytes.LastIndexByte(bytes.TrimSuffix(got, []byte("\n")), '\n')+1:]; {
	case bytes.Contains(last, []byte(`"/problems/not_finished"`)):
		return "not finished", "", "" // it is answered again
	case bytes.Contains(last, []byte(`"/problems/internal_error"`)),
		bytes.Contains(last, []byte(`"/problems/jobs_unavailable"`)):
		return "", "the end of results", ""
	}
	if err := equal(got, right, j.lines); status != http.StatusOK || err != nil {
		return "", "", fmt.Sprintf("job %d (%s): %d %v", j.key, j.id, status, err)
	}
	return "right", "", ""
}

// checkFinds reports whether the check of a store finds something, beside the service that has it.
func checkFinds(t *testing.T, dir string) bool {
	return exec.Command(binary(t), "store", "check", "--jobs", dir).Run() != nil
}
