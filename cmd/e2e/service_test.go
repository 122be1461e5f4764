package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A service is a running "tsumero-server serve".
type service struct {
	url, admin string // the base addresses of the two listeners
	cmd        *exec.Cmd
	log        *logBuffer
	ended      chan struct{} // closed when the process is gone; its state is in cmd then
	killed     bool          // the test has killed it, so that its exit code says nothing
}

// startService starts the service with the flags, without a drain delay, and waits until it says
// that it is ready. At the end of the test it gets SIGTERM, and must exit with 0, unless the test
// has done that.
func startService(t *testing.T, flags ...string) *service {
	t.Helper()
	return startServiceIn(t, nil, flags...)
}

// startServiceIn is startService with more in the environment.
func startServiceIn(t *testing.T, environ []string, flags ...string) *service {
	t.Helper()
	const anyPort = "127.0.0.1:0"
	args := []string{"serve", "--addr", anyPort, "--admin-addr", anyPort, "--drain-delay", "0s"}
	s := &service{
		cmd:   program(t, "tsumero-server", append(args, flags...)...),
		log:   &logBuffer{},
		ended: make(chan struct{}),
	}
	s.cmd.Env = append(s.cmd.Env, environ...)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.start(t, s.findAddresses)
	return s
}

// run starts the process and sees to its end.
func (s *service) run(t *testing.T) {
	t.Helper()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait() // what there is to know is in ProcessState
	}()
	t.Cleanup(func() { s.stop(t) })
}

// start is run, and waits until listens has found where the service listens and until it is ready.
func (s *service) start(t *testing.T, listens func() bool) {
	t.Helper()
	s.run(t)
	waitFor(t, "the service to be ready", func() bool {
		select {
		case <-s.ended:
			t.Fatalf("the service ended: %v\n%s", s.cmd.ProcessState, s.log)
		default:
		}
		if s.url == "" && !listens() {
			return false
		}
		resp, err := http.Get(s.url + "/readyz")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// findAddresses reads in the log where the service listens, and reports whether that was there.
func (s *service) findAddresses() bool {
	for line := range strings.Lines(s.log.whole()) {
		var entry struct {
			Msg, Addr string
			AdminAddr string `json:"admin_addr"`
		}
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "listening" {
			s.url, s.admin = "http://"+entry.Addr, "http://"+entry.AdminAddr
			return true
		}
	}
	return false
}

// terminate asks the service to end and does not wait for it.
func (s *service) terminate(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("the service is gone: %v\n%s", err, s.log)
	}
}

// stop ends the service, if it runs, and checks how it ended.
func (s *service) stop(t *testing.T) {
	t.Helper()
	select {
	case <-s.ended:
	default:
		s.terminate(t)
		<-s.ended
	}
	if code := s.cmd.ProcessState.ExitCode(); code != 0 && !s.killed {
		t.Errorf("the service ended with exit code %d\n%s", code, s.log)
	}
	if log := s.log.whole(); strings.Contains(log, "DATA RACE") {
		t.Errorf("data race in the service:\n%s", log)
	}
}

// A reply is an HTTP answer that was read to its end.
type reply struct {
	*http.Response
	body string
}

// send sends a request. Headers are name, value, name, value.
func (s *service) send(t *testing.T, method, path, body string, headers ...string) reply {
	t.Helper()
	target := s.url + path
	if strings.HasPrefix(path, "http") {
		target = path
	}
	req, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // not Client: a redirect is an answer too
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", method, path, err, s.log)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return reply{resp, string(data)}
}

// decode parses JSON.
func decode[T any](t *testing.T, body string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%v in %q", err, body)
	}
	return v
}

// logBuffer keeps what a process writes while it runs.
type logBuffer struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	most int // bytes that are kept, 0: all
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.most > 0 && b.buf.Len() > b.most {
		b.buf.Next(b.most / 2)
	}
	return b.buf.Write(p)
}

// forget makes b keep no more than about so many bytes, the last ones.
func (b *logBuffer) forget(most int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.most = most
}

func (b *logBuffer) whole() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// String returns the end of the log, for messages.
func (b *logBuffer) String() string {
	lines := strings.SplitAfter(b.whole(), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "")
}

// waitFor waits until done says so. Minutes are for a machine under load; it is a failure of
// the test, not a measurement of the service.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	waitAtMost(t, 3*time.Minute, what, done)
}

func waitAtMost(t *testing.T, most time.Duration, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(most); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
