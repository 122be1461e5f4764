// Package killtest is the judge of durable jobs. It starts the real service and real workers,
// submits jobs over HTTP, and kills what can be killed, at random times. Every job that was
// accepted has to be done, without a hand, with one answer to each line: the one that a service
// without jobs gives, which stands beside and is left in peace.
//
//	TestOne    one machine: a service with a directory is killed
//	TestMany   PostgreSQL, two services, three workers, and disasters of ten kinds
//	TestFlips  a bit of the database, or of its log, is another one
//	TestDisk   a disk that is full, or is not to be written to
//
// By itself it does a little of everything. The whole takes hours:
//
//	go test ./api/jobs/killtest -v -timeout 9h -killtest.rounds 1000 -killtest.disasters 200 \
//		-killtest.flips 300
package killtest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs/pgtest"
)

var (
	rounds    = flag.Int("killtest.rounds", 0, "how often TestOne kills; 0 is a few times")
	disasters = flag.Int("killtest.disasters", 0, "how many disasters TestMany has; 0 is a few")
	flips     = flag.Int("killtest.flips", 0, "how many bits TestFlips flips; 0 is a few")
	parallel  = flag.Int("killtest.parallel", 4, "how many tests run at once; of TestFlips, services")
	only      = flag.String("killtest.only", "", "a part of the names of disasters, or a file's end")
	seed      = flag.Uint64("killtest.seed", 1, "of the jobs, and of what happens to them")
	dir       = flag.String("killtest.dir", "", "where the jobs are; default: a temporary directory")
	server    = flag.String("killtest.server", "", "a tsumero-server to judge; default: this one")
	older     = flag.String("killtest.older", "", "a tsumero-server of another version, for the two")
)

var built struct {
	sync.Once
	dir string
	err error
}

func TestMain(m *testing.M) {
	flag.Parse()
	// The tests wait more than they compute.
	if err := flag.Set("test.parallel", strconv.Itoa(*parallel)); err != nil {
		panic(err)
	}
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// long leaves a test out of the short ones, and lets it run beside others.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("long")
	}
	t.Parallel()
}

// binary returns the path of the program to judge.
func binary(t *testing.T) string {
	t.Helper()
	if *server != "" {
		path, err := filepath.Abs(*server)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "killtest-"); built.err != nil {
			return
		}
		if built.err = os.Chmod(built.dir, 0o755); built.err != nil { // for other users, too
			return
		}
		out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o",
			built.dir+string(filepath.Separator), "../../../cmd/tsumero-server").CombinedOutput()
		if err != nil {
			built.err = fmt.Errorf("go build: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, "tsumero-server")
}

// where returns an empty folder for jobs.
func where(t *testing.T) string {
	t.Helper()
	if *dir == "" {
		return t.TempDir()
	}
	d, err := os.MkdirTemp(*dir, "killtest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(d) })
	return d
}

// A fleet is the processes of a test, those that were killed among them.
type fleet struct {
	t  *testing.T
	mu sync.Mutex

	all []*process
}

// newFleet returns a fleet whose counters are read until the test ends.
func newFleet(t *testing.T) *fleet {
	f := &fleet{t: t}
	stop := make(chan struct{})
	var reading sync.WaitGroup
	reading.Go(func() {
		for tick := time.NewTicker(time.Second); ; {
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
				f.searched()
			}
		}
	})
	t.Cleanup(func() { close(stop); reading.Wait() })
	return f
}

// A process is a service or a worker.
type process struct {
	name   string
	cmd    *exec.Cmd
	ended  chan struct{}
	log    *os.File
	killed atomic.Bool // by the test

	mu         sync.Mutex
	url, admin string // where it listens, once it says so
	half       []byte // of a line of the log
	lines      int    // that it had answered when it was asked last
}

const anyPort = "127.0.0.1:0"

// serving starts a service for the clients here.
var serving = []string{"serve", "--addr", anyPort, "--admin-addr", anyPort, "--drain-delay", "0s",
	"--rate", "0", "--max-time", "10m", "--default-time", "10m"}

// serve starts a service.
func (f *fleet) serve(name string, flags ...string) *process {
	f.t.Helper()
	return f.start(name, exec.Command(binary(f.t), slices.Concat(serving,
		[]string{"--memory", "256MiB"}, flags)...))
}

// serveJobs starts a service that has jobs in a directory.
func (f *fleet) serveJobs(dir string, slots int) *process {
	f.t.Helper()
	flags := []string{"--jobs", dir, "--jobs-slots", strconv.Itoa(slots)}
	return f.serve("service", append(flags, quotas...)...)
}

// start starts a process, which ends with the test.
func (f *fleet) start(name string, cmd *exec.Cmd) *process {
	f.t.Helper()
	path := filepath.Join(f.t.ArtifactDir(), name+".log")
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		f.t.Fatal(err)
	}
	p := &process{name: name, cmd: cmd, ended: make(chan struct{}), log: log}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.Stdout, cmd.Stderr = p, p
	if err := pgtest.StartTied(cmd); err != nil {
		f.t.Fatal(err)
	}
	go func() { _ = cmd.Wait(); close(p.ended) }()
	f.mu.Lock()
	f.all = append(f.all, p)
	f.mu.Unlock()
	f.t.Cleanup(func() { p.kill(); _ = log.Close() })
	return p
}

// Write takes in what the process logs.
func (p *process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.half = append(p.half, text...)
	for {
		line, rest, whole := bytes.Cut(p.half, []byte("\n"))
		if !whole {
			break
		}
		p.half = bytes.Clone(rest)
		var entry struct {
			Msg, Addr string
			AdminAddr string `json:"admin_addr"`
		}
		if json.Unmarshal(line, &entry) == nil && entry.Msg == "listening" {
			p.url, p.admin = "http://"+entry.Addr, "http://"+entry.AdminAddr
		}
	}
	return p.log.Write(text)
}

// addresses returns where the process listens, "" as long as it does not.
func (p *process) addresses() (url, admin string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.url, p.admin
}

// kill ends the process as nothing else can, and waits until it is gone.
func (p *process) kill() {
	p.killed.Store(true)
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// terminate asks the process to end, and wants it to do so, well.
func (p *process) terminate(t *testing.T) {
	t.Helper()
	p.killed.Store(true)
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		t.Fatalf("%s does not end\n%s", p.name, p.tail())
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("%s ends with exit code %d\n%s", p.name, code, p.tail())
	}
}

// alive reports whether the process runs.
func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// tail returns the last lines of the log, but for those of requests.
func (p *process) tail() string {
	text, _ := os.ReadFile(p.log.Name())
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		return strings.Contains(line, `"msg":"request"`)
	})
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}

// last returns the last line of the log.
func (p *process) last() string {
	text := p.tail()
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// ready returns the status and the text of /readyz; 0 if there is none yet.
func (p *process) ready() (status int, text string) {
	_, admin := p.addresses()
	if admin == "" {
		return 0, ""
	}
	return get(admin + "/readyz")
}

// wait waits until the process is ready.
func (p *process) wait(t *testing.T) {
	t.Helper()
	waitAtMost(t, time.Minute, func() string {
		if !p.alive() && !p.killed.Load() {
			t.Fatalf("%s has ended: %v\n%s", p.name, p.cmd.ProcessState, p.tail())
		}
		if status, text := p.ready(); status != http.StatusOK {
			return fmt.Sprintf("%s is not ready: %d %s", p.name, status, text)
		}
		return ""
	})
}

// searched returns how many lines all processes have answered, those that were killed until shortly
// before their end.
func (f *fleet) searched() (n int) {
	f.mu.Lock()
	all := f.all
	f.mu.Unlock()
	for _, p := range all {
		if _, admin := p.addresses(); admin != "" && p.alive() && !p.killed.Load() {
			if status, text := get(admin + "/metrics"); status == http.StatusOK {
				lines := 0
				for line := range strings.Lines(text) {
					if strings.HasPrefix(line, "tsumero_job_lines_total{") {
						fields := strings.Fields(line)
						count, _ := strconv.ParseFloat(fields[len(fields)-1], 64)
						lines += int(count)
					}
				}
				p.mu.Lock()
				p.lines = lines
				p.mu.Unlock()
			}
		}
		p.mu.Lock()
		n += p.lines
		p.mu.Unlock()
	}
	return n
}

// asking asks those who run a process: it does not wait long for one that is stopped.
var asking = http.Client{Timeout: 2 * time.Second}

// get returns the status and the body of an answer; 0 if there is none.
func get(url string) (status int, text string) {
	resp, err := asking.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, strings.TrimSpace(string(body))
}

// waitAtMost waits until missing returns "", which says what is.
func waitAtMost(t *testing.T, most time.Duration, missing func() string) time.Duration {
	t.Helper()
	began := time.Now()
	for {
		what := missing()
		if what == "" {
			return time.Since(began)
		}
		if time.Since(began) > most {
			t.Fatalf("after %v: %s", most, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
