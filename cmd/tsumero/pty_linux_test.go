package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tsumero/tsumero/cmd/internal/command"
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

// runUntil runs the program until what it wrote to its terminal matches, and interrupts it then. It
// returns the exit code and all that was written. The answers go to the terminal, too, or nowhere.
func runUntil(t *testing.T, shown *regexp.Regexp, answers bool, args ...string) (code int, seen string) {
	t.Helper()
	holder, terminal := openTerminal(t)
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 120}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	screen, ended := readScreen(holder), make(chan int, 1)
	stdout := io.Discard
	if answers {
		stdout = terminal
	}
	go func() {
		ended <- run(ctx, args, nil, stdout, terminal)
		terminal.Close()
	}()
	for piece := range screen.pieces {
		if screen.seen += piece; shown.MatchString(screen.seen) {
			cancel(command.ErrInterrupt)
			break
		}
	}
	seen = screen.rest()
	return <-ended, seen
}

// How a long search goes is shown on a line that is gone when the answer comes.
func TestLiveLine(t *testing.T) {
	code, seen := runUntil(t, liveLine, true, "solve", "--memory", "1M", endless)
	before, answer, found := strings.Cut(seen, "\r\x1b[K"+endless+"\r\nunknown: interrupted")
	if code != command.ExitInterrupted || !found || !liveLine.MatchString(before) || strings.Contains(before, "\n") || strings.Contains(answer, "\x1b") {
		t.Errorf("exit code %d, on the terminal %q; want lines like %s, then the answer", code, seen, liveLine)
	}

	// With several positions and answers that go elsewhere, it is beside the bar.
	bar := regexp.MustCompile(`\rposition 2: \d[^,\r]* nodes +50%`)
	if _, seen = runUntil(t, bar, false, "solve", "--memory", "64M", "-j", "1", headGold, endless); !bar.MatchString(seen) {
		t.Errorf("on the terminal %q; want a bar at 50%% with the nodes of position 2", seen)
	}
}

// An interrupt ends a search with what it knows.
func TestSolveInterruptKeepsMate(t *testing.T) {
	holder, terminal := openTerminal(t)
	cmd := program(t, "solve", "--shortest", farShortest)
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
	if code := cmd.ProcessState.ExitCode(); code != command.ExitInterrupted {
		t.Errorf("exit code %d, want %d", code, command.ExitInterrupted)
	}
	want := regexp.MustCompile(`(?m)^mate in \d+ or fewer: black forces it; interrupted before the shortest was proven; there is no mate in \d+ or fewer\n  Lx1e Kx1e `)
	if !want.Match(out.Bytes()) {
		t.Errorf("the answer is\n%s\nwant %s", &out, want)
	}
}

// An analysis shows how it goes, and an interrupt ends it with what it knows.
func TestAnalyzeInterrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("until the progress is shown, a long search")
	}
	holder, terminal := openTerminal(t)
	cmd := program(t, "analyze", farShortest)
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
	if code := cmd.ProcessState.ExitCode(); code != command.ExitInterrupted {
		t.Errorf("exit code %d, want %d", code, command.ExitInterrupted)
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

// A game in a terminal, as people see it, to the last byte.
func TestPlayTerminal(t *testing.T) {
	holder, terminal := openTerminal(t)
	cmd := program(t, "play", "--white", "human", "--board", "csa",
		"--sfen", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves 5i4h 5a4a")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	screen := readScreen(holder)
	for _, typed := range []string{"4838\n", "FU52\n", "OU51\n", "KI52\n"} {
		screen.until(t, "> ")
		io.WriteString(holder, typed)
	}
	cmd.Wait()
	const board = "P1 *  *  *  *  * %s *  *  * \nP2 *  *  *  *  *  *  *  *  * \n" +
		"P3 *  *  *  * +FU *  *  *  * \nP4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \n" +
		"P6 *  *  *  *  *  *  *  *  * \nP7 *  *  *  *  *  *  *  *  * \n%s\nP9 *  *  *  *  *  *  *  *  * \nP+00KI\n%s\n"
	want := "black (▲, P1): human; white (△, P2): human\n" +
		"Type a move, such as 2726, FU26, 2g2f or ▲２六歩, or ? for help.\n" +
		fmt.Sprintf(board, "-OU", "P8 *  *  *  *  * +OU *  *  * ", "+") +
		"3. black> 4838\n3. ▲３八玉 4h3h\n" +
		fmt.Sprintf(board, "-OU", "P8 *  *  *  *  *  * +OU *  * ", "-") +
		"4. white> FU52\nwhite has no FU\n4. white> OU51\n4. △５一玉 4a5a\n" +
		strings.Replace(fmt.Sprintf(board, " * ", "P8 *  *  *  *  *  * +OU *  * ", "+"),
			"P1 *  *  *  *  *  * ", "P1 *  *  *  * -OU * ", 1) +
		"5. black> KI52\n5. ▲５二金 G*5b\n" +
		"P1 *  *  *  * -OU *  *  *  * \nP2 *  *  *  * +KI *  *  *  * \nP3 *  *  *  * +FU *  *  *  * \n" +
		"P4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \n" +
		"P7 *  *  *  *  *  *  *  *  * \nP8 *  *  *  *  *  * +OU *  * \nP9 *  *  *  *  *  *  *  *  * \n-\n" +
		"black has won: white is mated (詰み)\n"
	if got := strings.ReplaceAll(screen.rest(), "\r\n", "\n"); got != want {
		t.Errorf("on the terminal\n%s\nwant\n%s", got, want)
	}
}

// Ctrl-C at the prompt, and while the engine thinks, saves the game.
func TestPlayInterrupt(t *testing.T) {
	for _, args := range [][]string{{"--white", "random"}, {"--white", "full", "--movetime", "1h"}} {
		holder, terminal := openTerminal(t)
		path := t.TempDir() + "/game.kif"
		cmd := program(t, append([]string{"play", "--board", "none", "--record", path}, args...)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		terminal.Close()
		screen := readScreen(holder)
		screen.until(t, "1. black> ")
		io.WriteString(holder, "7776\n")
		screen.until(t, "1. ▲７六歩 7g7f\r\n")
		if len(args) == 2 {
			screen.until(t, "3. black> ")
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != command.ExitInterrupted {
			t.Errorf("%v: exit code %d, want %d", args, code, command.ExitInterrupted)
		}
		if data, err := os.ReadFile(path); err != nil || !bytes.Contains(data, []byte("７六歩(77)")) || !bytes.Contains(data, []byte("中断")) {
			t.Errorf("%v: %v, the record:\n%s", args, err, data)
		}
		if seen := screen.rest(); !strings.Contains(seen, "saved in "+path) {
			t.Errorf("%v: on the terminal %q", args, seen)
		}
	}
}

// A screenReader has what was written to a terminal.
type screenReader struct {
	pieces <-chan string // closed when the terminal is closed
	seen   string
	from   int // where until goes on
}

func readScreen(holder *os.File) *screenReader {
	pieces := make(chan string, 1<<10)
	go func() {
		defer close(pieces)
		for b := make([]byte, 1<<10); ; {
			n, err := holder.Read(b)
			pieces <- string(b[:n])
			if err != nil {
				return
			}
		}
	}()
	return &screenReader{pieces: pieces}
}

// until waits for a text after the one waited for before.
func (s *screenReader) until(t *testing.T, text string) {
	t.Helper()
	for {
		if i := strings.Index(s.seen[s.from:], text); i >= 0 {
			s.from += i + len(text)
			return
		}
		piece, ok := <-s.pieces
		if !ok {
			t.Fatalf("no %q in %q", text, s.seen)
		}
		s.seen += piece
	}
}

// rest waits for the end, and returns all that was written.
func (s *screenReader) rest() string {
	for piece := range s.pieces {
		s.seen += piece
	}
	return s.seen
}
