package killtest

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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

// lastLine returns the last line of a log.
func lastLine(p *process) string {
	lines := strings.Split(p.tail(), "\n")
	return lines[len(lines)-1]
}

// readyTime is for how long a service may say that it is ready, and not get on: it looks each half minute.
const readyTime = 45 * time.Second

// fewFlips is how many bits are flipped unless a flag says more.
const fewFlips = 6

// TestFlips flips a bit of what a service has left. Either that is told, by a status, by a start that is
// refused or by /readyz, or it does no harm: no answer is another one, no job is lost, and a service
// that says it is ready works.
func TestFlips(t *testing.T) {
	long(t)
	n := *flips
	if n == 0 {
		n = fewFlips
	}
	x := &flipper{t: t, fleet: newFleet(t), r: rand.New(rand.NewPCG(*seed, 1<<44)), outcomes: map[string]int{}}
	x.clients = newClients(t, x.fleet)
	if strings.HasSuffix(databaseFile, *only) {
		left := x.leave(func(p *process) { p.terminate(t) })
		for range n {
			x.flip(left, databaseFile)
		}
	}
	if strings.HasSuffix(logFile, *only) {
		left := ""
		for i := range n / 2 {
			if i%10 == 0 {
				left = x.leave((*process).kill)
			}
			x.flip(left, logFile)
		}
	}
	for _, outcome := range slices.Sorted(maps.Keys(x.outcomes)) {
		t.Logf("%4d %s", x.outcomes[outcome], outcome)
	}
}

// A flipper counts what flips of bits come to.
type flipper struct {
	t        *testing.T
	fleet    *fleet
	clients  *clients
	r        *rand.Rand
	key      int
	outcomes map[string]int
}

// serve starts a service on a directory. The clients ask it from now on.
func (x *flipper) serve(dir string) *process {
	x.t.Helper()
	p := x.fleet.serve("service", append([]string{"--jobs", dir, "--jobs-slots", "1"}, quotas...)...)
	x.clients.use(p)
	return p
}

// leave returns a directory that a service has left in the middle of its work, after end. The jobs in
// it are those of the clients.
func (x *flipper) leave(end func(*process)) (dir string) {
	x.t.Helper()
	c, dir := x.clients, filepath.Join(where(x.t), "jobs")
	p := x.serve(dir)
	p.wait(x.t)
	c.jobs = nil
	for i := range 16 {
		c.submit(newJob(x.key), x.r)
		x.key++
		if i == 10 {
			c.finish(patience)
		}
	}
	end(p)
	return dir
}

// flip flips a bit of a file in a copy of a directory, and looks at what a service makes of it.
func (x *flipper) flip(left, file string) {
	x.t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(left), "flip-")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		err = os.CopyFS(filepath.Join(dir, "jobs"), os.DirFS(left))
	}
	if err != nil {
		x.t.Fatal(err)
	}
	dir = filepath.Join(dir, "jobs")
	path := filepath.Join(dir, file)
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		if file == databaseFile {
			x.t.Fatalf("no %s: %v", file, err)
		}
		x.outcomes[file+": empty"]++
		return
	}
	at, bit := x.r.IntN(len(text)), x.r.IntN(8)
	text[at] ^= 1 << bit
	if err := os.WriteFile(path, text, 0o600); err != nil {
		x.t.Fatal(err)
	}
	p := x.serve(dir)
	outcome, wrong := x.judge(p)
	p.kill()
	x.outcomes[file+": "+outcome]++
	if wrong != "" {
		x.t.Errorf("bit %d of byte %d of %d of %s (page %d): %s\n%s", bit, at, len(text), file, at/4096+1, wrong, p.tail())
	}
}

// judge returns what a service makes of its directory, and what is wrong with that.
func (x *flipper) judge(p *process) (outcome, wrong string) {
	status, said := 0, ""
	for end := time.Now().Add(20 * time.Second); status != http.StatusOK && time.Now().Before(end); {
		if !p.alive() {
			if p.cmd.ProcessState.ExitCode() <= 0 || !damage.MatchString(lastLine(p)) {
				return "start refused", fmt.Sprintf("it ends without a word of damage: %v", p.cmd.ProcessState)
			}
			return "start refused", ""
		}
		status, said = p.ready()
		time.Sleep(20 * time.Millisecond)
	}
	outcome = "harmless"
	if status != http.StatusOK {
		outcome = "not ready"
		if said == "" {
			return outcome, "it says nothing in /readyz"
		}
	}
	fresh := problem(x.key, 700)
	x.key++
	id, _, _ := x.clients.submitOnce(fresh, len(fresh.body))
	all := x.clients.jobs
	if fresh.id = id; id != "" {
		all = append(all[:len(all):len(all)], fresh)
	} else {
		outcome = "new jobs refused"
	}
	wait := readyTime
	for _, j := range all {
		state, again := "", false
		for end := time.Now().Add(wait); ; time.Sleep(20 * time.Millisecond) {
			before := state
			if state, wrong = x.look(j); wrong != "" {
				return "wrong", wrong
			}
			if state != before { // it gets on
				end = time.Now().Add(wait)
			}
			if state == "right" || state == "told" {
				break
			}
			again = again || j.done // when the others were left, it was
			if time.Now().After(end) {
				// Trouble with jobs is a line in /readyz: questions are answered all the same.
				if status, said = p.ready(); status == http.StatusOK && !strings.Contains(said, "jobs: ") {
					return "idle", fmt.Sprintf("it is ready, and job %d (%s) is %s", j.key, j.id, state)
				}
				state, wait = "told", 0 // the other jobs need not be waited for any more
				break
			}
		}
		switch {
		case state == "told":
			outcome = "told"
		case again && outcome == "harmless":
			outcome = "answered again"
		}
	}
	return outcome, ""
}

// look returns "right" if all answers to a job are, "told" if the service says that it does not know
// them, or the state of the job, which may come to be done. Or it returns what is wrong.
func (x *flipper) look(j *job) (state, wrong string) {
	get := func(path string) (int, []byte, error) {
		return x.clients.ask(20*time.Second, j.key%sources, "GET", "/v1/jobs/"+j.id+path, nil)
	}
	status, text, err := get("")
	switch {
	case err != nil || status >= 500:
		return "told", ""
	case status != http.StatusOK:
		return "", fmt.Sprintf("job %d (%s) is lost: %d %s", j.key, j.id, status, text)
	case strings.Contains(string(text), `"state":"failed"`):
		return "told", ""
	case !strings.Contains(string(text), `"state":"done"`):
		return string(text), ""
	}
	status, got, err := get("/results")
	if err != nil || status >= 500 {
		return "told", ""
	}
	// A problem without the number of a line ends what could not be read.
	switch last := got[bytes.LastIndexByte(bytes.TrimSuffix(got, []byte("\n")), '\n')+1:]; {
	case bytes.Contains(last, []byte(`"/problems/not_finished"`)):
		return "not finished", "" // it is answered again
	case bytes.Contains(last, []byte(`"/problems/internal_error"`)), bytes.Contains(last, []byte(`"/problems/jobs_unavailable"`)):
		return "told", ""
	}
	if err := equal(got, x.clients.right(j), j.lines); status != http.StatusOK || err != nil {
		return "", fmt.Sprintf("job %d (%s): %d %v", j.key, j.id, status, err)
	}
	return "right", ""
}
