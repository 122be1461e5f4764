package main

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal returns the two ends of a pseudo-terminal: what the test holds, and what the program writes to.
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

// The progress bar is drawn on a terminal, and nowhere else.
func TestProgressBar(t *testing.T) {
	file := t.TempDir() + "/positions"
	if err := os.WriteFile(file, []byte(strings.Repeat(headGold+"\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	holder, terminal := openTerminal(t)
	screen := make(chan string)
	go func() {
		seen, _ := io.ReadAll(holder) // ends with an error when the terminal is closed
		screen <- string(seen)
	}()
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
