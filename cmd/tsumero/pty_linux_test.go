package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal returns the two ends of a pseudo-terminal: what the test holds, and what the program
// writes to.
func openTerminal(t *testing.T) (holder, terminal *os.File) {
	t.Helper()
	holder, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { holder.Close() })
	raw, err := holder.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var number int
	raw.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return holder, terminal
}

// openScreen returns a terminal and, once that is closed, what was written to it.
func openScreen(t *testing.T) (terminal *os.File, screen <-chan string) {
	t.Helper()
	holder, terminal := openTerminal(t)
	seen := make(chan string)
	go func() {
		all, _ := io.ReadAll(holder) // ends with an error when the terminal is closed
		seen <- string(all)
	}()
	return terminal, seen
}

const (
	// endless is a position that no search of seconds decides.
	endless = "7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1"
	// farShortest is mate soon found, whose shortest mate no search of seconds finds.
	farShortest = "3npp1pp/5+n1ln/3+R1g3/8k/5rp1l/2N5L/5g3/1pppP2L1/2bb1+sS2 b 2G2S9p 1"
)

var liveLine = regexp.MustCompile(`\rsearching, \d[^,\r]*s, \d[^,\r]* nodes, \d[^,\r]*/s, pn \d+ dn \d+, table \d+%(, cleared out \d+ times?)?\x1b\[K`)

// How a long search goes is shown on a line that is gone when the answer comes.
func TestLiveLine(t *testing.T) {
	terminal, screen := openScreen(t)
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 120}); err != nil {
		t.Fatal(err)
	}
	code := run(context.Background(), []string{"solve", "--time", "3s", "--memory", "1M", endless}, nil, terminal, terminal)
	terminal.Close()
	seen := <-screen
	before, answer, found := strings.Cut(seen, "\r\x1b[K"+endless+"\r\nunknown: the time ran out (--time); there is no mate in 3 or fewer\r\n")
	if code != exitUnknown || !found || !liveLine.MatchString(before) || strings.Contains(before, "\n") || strings.Contains(answer, "\x1b") {
		t.Errorf("exit code %d, on the terminal %q; want lines like %s, then the answer", code, seen, liveLine)
	}

	// With several positions and answers that go elsewhere, it is beside the bar.
	terminal, screen = openScreen(t)
	run(context.Background(), []string{"solve", "--time", "3s", "--memory", "64M", "-j", "1", headGold, endless}, nil, io.Discard, terminal)
	terminal.Close()
	if seen := <-screen; !regexp.MustCompile(`\rposition 2: \d[^,\r]* nodes +50%`).MatchString(seen) {
		t.Errorf("on the terminal %q; want a bar at 50%% with the nodes of position 2", seen)
	}
}

// An interrupt ends a search with what it knows.
func TestSolveInterruptKeepsMate(t *testing.T) {
	holder, terminal := openTerminal(t)
	cmd := command(t, "solve", "--shortest", farShortest)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, terminal
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	found := regexp.MustCompile(`mate in \d+ or fewer`)
	for seen, b := []byte(nil), make([]byte, 1<<10); !found.Match(seen); {
		n, err := holder.Read(b)
		if err != nil {
			t.Fatalf("after %q: %v", seen, err)
		}
		seen = append(seen, b[:n]...)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, holder) // so that it can go on writing
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	want := regexp.MustCompile(`(?m)^mate in \d+ or fewer: black forces it; interrupted before the shortest was proven; there is no mate in \d+ or fewer\n  1f1e 1d1e `)
	if !want.Match(out.Bytes()) {
		t.Errorf("the answer is\n%s\nwant %s", &out, want)
	}
}

// An analysis shows how it goes, and an interrupt ends it with what it knows.
func TestAnalyzeInterrupt(t *testing.T) {
	holder, terminal := openTerminal(t)
	cmd := command(t, "analyze", farShortest)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, terminal
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	live := regexp.MustCompile(`\r(lengths|line|defence|attack)( \d+ of \d+)?, \d[^,\r]*s, \d[^,\r]* nodes\x1b\[K`)
	for seen, b := []byte(nil), make([]byte, 1<<10); !live.Match(seen); {
		n, err := holder.Read(b)
		if err != nil {
			t.Fatalf("after %q: %v", seen, err)
		}
		seen = append(seen, b[:n]...)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, holder) // so that it can go on writing
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	want := regexp.MustCompile(`(?ms)^(between|mate in) \d+.*^\? .* not decided.*^open\n  because .*\n`)
	if !want.Match(out.Bytes()) {
		t.Errorf("the report is\n%s\nwant %s", &out, want)
	}
}

// The progress bar is drawn on a terminal, and nowhere else.
func TestProgressBar(t *testing.T) {
	file := t.TempDir() + "/positions"
	if err := os.WriteFile(file, []byte(strings.Repeat(headGold+"\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	terminal, screen := openScreen(t)
	code := run(context.Background(), []string{"solve", "-o", "json", "-f", file}, nil, io.Discard, terminal)
	terminal.Close()
	seen := <-screen
	if code != exitMate || !strings.Contains(seen, "solving") || !strings.Contains(seen, "%") {
		t.Errorf("exit code %d, on the terminal %q; want a bar", code, seen)
	}
	if !strings.Contains(seen, "100 positions: 100 mate") {
		t.Errorf("on the terminal %q; want the summary", seen)
	}

	var stderr strings.Builder
	run(context.Background(), []string{"solve", "-o", "json", "-f", file}, nil, io.Discard, &stderr)
	if strings.Contains(stderr.String(), "solving") || strings.ContainsRune(stderr.String(), '\r') {
		t.Errorf("a bar where there is no terminal: %q", stderr.String())
	}
}
