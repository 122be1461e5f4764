package e2e

import (
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// startWithLog starts the service with a pipe as its standard error, of which only the beginning is
// read, where it says on which addresses it listens.
func startWithLog(t *testing.T) (s *service, log *os.File) {
	t.Helper()
	log, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	t.Cleanup(func() { log.Close() })
	const anyPort = "127.0.0.1:0"
	s = &service{
		log: &logBuffer{}, ended: make(chan struct{}),
		cmd: program(t, "tsumero-server", "serve", "--addr", anyPort, "--admin-addr", anyPort,
			"--drain-delay", "0s", "--rate", "0"),
	}
	s.cmd.Stderr = write
	s.start(t, func() bool {
		var text [4096]byte
		n, err := log.Read(text[:])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = s.log.Write(text[:n])
		return s.findAddresses()
	})
	return s, log
}

// droppedLines returns how many lines of its log the service says it has dropped.
func (s *service) droppedLines(t *testing.T) (sum int) {
	t.Helper()
	line := regexp.MustCompile(`(?m)^tsumero_log_lines_dropped_total\{.*\} (\d+)$`)
	for _, m := range line.FindAllStringSubmatch(s.send(t, "GET", s.admin+"/metrics", "").body,
		-1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

// TestLogReaderGone: a collector of the log that has ended does not end the service.
func TestLogReaderGone(t *testing.T) {
	long(t)
	s, log := startWithLog(t)
	// Another program that is started just now has the pipe, too, until it runs.
	syscall.ForkLock.Lock()
	log.Close()
	syscall.ForkLock.Unlock()
	for range 50 {
		if r := s.send(t, "GET", link(mateIn1), ""); r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", r.Status, r.body)
		}
	}
	waitFor(t, "all the lines to be counted as dropped",
		func() bool { return s.droppedLines(t) >= 50 })
	s.stop(t)
}

// TestLogNotRead: nor does one that has stopped reading make anybody wait, up to the end of the
// service.
func TestLogNotRead(t *testing.T) {
	long(t)
	s, _ := startWithLog(t)
	// A pipe holds some 64 KiB, the queue 1 MiB; with a long id a line has more than 1 KiB per 8
	// requests.
	id := strings.Repeat("i", 128)
	ask := func(n int) {
		for range n {
			r := s.send(t, "GET", link(mateIn1), "", "X-Request-Id", id)
			if r.StatusCode != http.StatusOK {
				t.Fatalf("%s: %s", r.Status, r.body)
			}
		}
	}
	ask(2000)
	for _, probe := range []string{s.url + "/livez", s.url + "/readyz", s.admin + "/livez"} {
		if r := s.send(t, "GET", probe, ""); r.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", probe, r.Status)
		}
	}
	for n := 0; s.droppedLines(t) == 0; n += 500 {
		if n > 20_000 {
			t.Fatal("the queue of log lines has no bound, or nobody counts what it drops")
		}
		ask(500)
	}
	s.stop(t)
}

// TestSolvePipedToHead: the program ends, and says nothing, when nobody reads its answers any more.
func TestSolvePipedToHead(t *testing.T) {
	long(t)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := program(t, "tsumero", "solve", "--output", "tsv")
	var stderr logBuffer
	cmd.Stdout, cmd.Stderr = write, &stderr
	positions, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	go func() { // without an end, so that only the missing reader can end it
		for {
			if _, err := positions.Write([]byte(mateIn1 + "\n")); err != nil {
				return
			}
		}
	}()
	if _, err := read.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	read.Close()
	_ = cmd.Wait() // what there is to know is in ProcessState
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGPIPE {
		t.Errorf("it did not end by SIGPIPE as other filters do: %v", cmd.ProcessState)
	}
	if text := stderr.whole(); text != "" {
		t.Errorf("it said %q", text)
	}
}
