package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var clockJobs = flag.Bool("clock.jobs", false,
	"also do jobs while the clock jumps, which takes a minute of processor time more to build")

// clockFile has the environment variable that names the file which sets the clock of a program that
// buildJumping has built.
const clockFile = "E2E_CLOCK"

var building sync.Mutex

// buildJumping builds the service, maybe without some parts, with a wall clock of its own, while the monotonic
// clock goes on. There is no way to do that to one process: the clock of a machine is that of all, and Go asks
// the kernel for the time without a library in between. So package time itself is changed.
//
// As it starts, the clock jumps a year ahead and back again every 134 ms, as it may in small when somebody sets
// it. With clockFile it is so many seconds ahead as that file says.
func buildJumping(t *testing.T, without ...string) (program string) {
	t.Helper()
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(strings.TrimSpace(string(goroot)), "src", "time", "time.go")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	const read = "	sec, nsec, mono := runtimeNow()\n"
	changed := strings.Replace(string(text), read, read+"	sec += jump(mono)\n", 1)
	if changed == string(text) {
		t.Fatal("this Go reads the clock in another way: change the test")
	}
	server, err := filepath.Abs("../tsumero-server")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replaced := map[string]string{}
	for path, text := range map[string]string{
		source: changed,
		filepath.Join(filepath.Dir(source), "jump.go"): `package time

import "sync/atomic"

var Jump atomic.Pointer[int64] // how many seconds the clock is ahead; nil: it jumps

func jump(mono int64) int64 {
	if ahead := Jump.Load(); ahead != nil {
		return *ahead
	}
	return mono >> 27 & 1 * 365 * 86400
}
`,
		filepath.Join(server, "jump.go"): `package main

import (
	"os"
	"strconv"
	"strings"
	"time"
)

func init() {
	path := os.Getenv("` + clockFile + `")
	if path == "" {
		return
	}
	set := func() {
		if text, err := os.ReadFile(path); err == nil {
			if ahead, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
				time.Jump.Store(&ahead)
			}
		}
	}
	set()
	go func() {
		for {
			time.Sleep(20 * time.Millisecond)
			set()
		}
	}()
}
`} {
		copied := filepath.Join(dir, fmt.Sprint(len(replaced), ".go"))
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replaced[path] = copied
	}
	replace, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, replace, 0o600); err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, "tsumero-server")
	building.Lock() // the next one finds most of it in the cache
	defer building.Unlock()
	args := append([]string{"build", "-overlay", overlay, "-tags", strings.Join(without, ",")}, buildFlags...)
	if out, err := exec.Command("go", append(args, "-o", program, "../tsumero-server")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// startJumping starts a service that buildJumping has built.
func startJumping(t *testing.T, jumping string, flags ...string) *service {
	t.Helper()
	return startJumpingIn(t, nil, jumping, flags...)
}

// startJumpingIn is startJumping with more in the environment.
func startJumpingIn(t *testing.T, environ []string, jumping string, flags ...string) *service {
	t.Helper()
	const anyPort = "127.0.0.1:0"
	args := append([]string{"serve", "--addr", anyPort, "--admin-addr", anyPort, "--drain-delay", "300ms"}, flags...)
	s := &service{cmd: program(t, jumping, args...), log: &logBuffer{}, ended: make(chan struct{})}
	s.cmd.Env = append(s.cmd.Env, environ...)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.start(t, s.findAddresses)
	return s
}

// TestClockJumps: what takes time takes as long as it should, whatever the wall clock says.
func TestClockJumps(t *testing.T) {
	long(t)
	// Everything that imports time is compiled anew, so what this test does not need stays out.
	jumping := buildJumping(t, "nojobs")

	s := startJumping(t, jumping, "--rate", "0")
	for range 2 {
		// A search of 800 ms sees jumps both ways: one that they end has no more than 134 ms, nor do
		// they make it go on. A sixteenth of the time is kept for the proof of a mate, and on a busy
		// machine some passes before the search begins.
		r := s.send(t, "POST", "/v1/solve", fmt.Sprintf(`{"sfen":%q,"limits":{"time_ms":800}}`, endless), "Content-Type", jsonType)
		a := decode[struct {
			Reason  string
			Elapsed int64 `json:"elapsed_us"`
		}](t, r.body)
		if a.Reason != "limit_time" || a.Elapsed < 200_000 || a.Elapsed > 60_000_000 {
			t.Errorf("a search of 800 ms: %s", r.body)
		}
	}
	s.stop(t) // after the delay
	if log := s.log.whole(); strings.Count(log, `"msg":"request"`) < 2 || regexp.MustCompile(`"duration_us":(-|\d{9})`).MatchString(log) {
		t.Errorf("the log:\n%s", log)
	}

	// A year would fill any bucket. The first twenty requests are answered on both sides of a jump.
	limited := startJumping(t, jumping, "--rate", "20")
	began, answered, jumps, last := time.Now(), 0, 0, 0
	waitFor(t, "jumps of the clock", func() bool {
		r := limited.send(t, "GET", link(mateIn1), "")
		if r.StatusCode == http.StatusOK {
			answered++
		} else if after, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || after < 1 || after > 60 {
			t.Fatalf("%s, Retry-After %q", r.Status, r.Header.Get("Retry-After"))
		}
		date, err := http.ParseTime(r.Header.Get("Date"))
		if err != nil {
			t.Fatal(err)
		}
		if y := date.Year(); y != last {
			jumps, last = jumps+1, y
		}
		return jumps == 6
	})
	if most := 21 + int(time.Since(began)/(3*time.Second)); answered > most {
		t.Errorf("%d requests were answered, want at most %d", answered, most)
	}
}

// TestClockJumpsWithJobs: a job that the clock jumps under is done once, in its time, with the same
// answers, also one that goes on after a restart. How long it is kept goes by the clock.
func TestClockJumpsWithJobs(t *testing.T) {
	if !*clockJobs {
		t.Skip("without -clock.jobs")
	}
	t.Parallel()
	jumping, dir := buildJumping(t), filepath.Join(t.TempDir(), "jobs")
	start := func() *service {
		return startJumping(t, jumping, "--rate", "0", "--jobs", dir, "--max-time", "1m",
			"--quota-key", "active=20,waiting=100,keep=20000h") // longer than a jump
	}
	s := start()
	questions := doorQuestions(t, 100)
	for _, q := range questions {
		q.want = s.send(t, "GET", q.get(), "").body
	}
	var ids []string
	submit := func(key, mediaType, body string) {
		id, ok := s.submitJob(t, mediaType, "", body, key)
		if again, _ := s.submitJob(t, mediaType, "", body, key); !ok || again != id {
			t.Fatalf("job %s has the ids %q and %q", key, id, again)
		}
		ids = append(ids, id)
	}
	for key := range 10 {
		submit(fmt.Sprint(key), ndjsonType, batchOf(questions))
	}
	submit("endless", jsonType, fmt.Sprintf(`{"sfen":%q,"limits":{"time_ms":5000}}`, endless))
	last := ids[len(ids)-1]
	waitFor(t, "progress", func() bool {
		return strings.Contains(s.send(t, "GET", "/v1/jobs/"+last, "").body, `"phase":"searching"`)
	})
	s.stop(t)
	s = start()
	for _, id := range ids {
		waitFor(t, "a job to be done", func() bool {
			return decode[jobAnswer](t, s.send(t, "GET", "/v1/jobs/"+id, "").body).State == "done"
		})
		if id != last {
			compare(t, "job", questions, s.send(t, "GET", "/v1/jobs/"+id+"/results?limit=1000", "").body)
		}
	}
	if a := s.send(t, "GET", "/v1/jobs/"+last+"/result", "").body; !strings.Contains(a, `"reason":"limit_time"`) {
		t.Errorf("a search of five seconds: %s", a)
	}
}

// TestClockSetWithJobs: whoever sets the clock by an hour or a year, while jobs are at work or while nothing
// runs, changes no answer and leaves none out. Nobody has to wait for the hour to come again.
func TestClockSetWithJobs(t *testing.T) {
	if !*clockJobs {
		t.Skip("without -clock.jobs")
	}
	t.Parallel()
	program := buildJumping(t)
	const hour, year = 3600, 365 * 86400
	for name, times := range map[string][2]int{"an hour back": {0, -hour}, "a year ahead": {0, year}, "a year back": {year, 0}} {
		for _, restart := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", restart ", restart), func(t *testing.T) {
				t.Parallel()
				dir, clock := filepath.Join(t.TempDir(), "jobs"), filepath.Join(t.TempDir(), "clock")
				set := func(ahead int) {
					// By another name, so that no half of it is read.
					if err := os.WriteFile(clock+".new", []byte(fmt.Sprint(ahead)), 0o600); err != nil {
						t.Fatal(err)
					}
					if err := os.Rename(clock+".new", clock); err != nil {
						t.Fatal(err)
					}
				}
				start := func() *service {
					return startJumpingIn(t, []string{clockFile + "=" + clock}, program, "--rate", "0", "--jobs", dir,
						"--drain-delay", "0s", "--quota-key", "active=8,waiting=100,keep=20000h")
				}
				set(times[0])
				s := start()
				positions, body := jobLines(1000)
				const limits = "&nodes=40000&time_ms=10000"
				submit := func(key string) (id string) {
					waitFor(t, "a job to be accepted", func() (ok bool) {
						id, ok = s.submitJob(t, ndjsonType, "?"+limits[1:], body, key)
						return ok
					})
					return id
				}
				ids := []string{submit("1"), submit("2"), submit("3")}
				waitAtMost(t, 2*time.Minute, "work on the first job", func() bool {
					return !strings.Contains(s.send(t, "GET", "/v1/jobs/"+ids[0], "").body, `"done":0,`)
				})
				if restart {
					s.stop(t)
				}
				set(times[1])
				if restart {
					s = start()
				}
				ids = append(ids, submit("4"))
				for i, id := range ids {
					waitAtMost(t, 5*time.Minute, "a job to be done", func() bool {
						return decode[jobAnswer](t, s.send(t, "GET", "/v1/jobs/"+id, "").body).State == "done"
					})
					s.checkResults(t, id, limits, positions)
					if again := submit(fmt.Sprint(i + 1)); again != id {
						t.Errorf("job %d has the ids %q and %q", i+1, id, again)
					}
				}
			})
		}
	}
}
