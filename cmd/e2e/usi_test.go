package e2e

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
)

// TestUSI holds the dialogue that a GUI holds: it waits for each answer before it goes on.
func TestUSI(t *testing.T) {
	long(t)
	cmd := program(t, "tsumero-usi")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	lines := bufio.NewScanner(stdout)
	send := func(line string) { fmt.Fprintln(stdin, line) }
	// until returns the first line that starts with the prefix; what comes before it must be
	// information.
	until := func(prefix string, before ...string) string {
		t.Helper()
	next:
		for lines.Scan() {
			line := lines.Text()
			if strings.HasPrefix(line, prefix) {
				return line
			}
			for _, b := range before {
				if strings.HasPrefix(line, b) {
					continue next
				}
			}
			t.Fatalf("got %q while waiting for %q", line, prefix)
		}
		t.Fatalf("the engine ended while %q was due: %v", prefix, lines.Err())
		return ""
	}

	send("usi")
	if line := until("id name "); !strings.Contains(line, "Tsumero") {
		t.Errorf("%q does not name the engine", line)
	}
	until("usiok", "id author ", "option name ")
	send("isready")
	until("readyok")
	send("usinewgame")

	for _, c := range []struct {
		name, position, ask string
		answer              *regexp.Regexp
	}{
		{"mate in one", "position sfen " + mateIn1, "go mate 1000", regexp.MustCompile(`^checkmate G\*5b$`)},
		{"mate in three", "position sfen " + mateIn3, "go mate 1000", regexp.MustCompile(`^checkmate( \S{4,5}){3}$`)},
		{"mate in seven", "position sfen " + mateIn7, "go mate 60000", regexp.MustCompile(`^checkmate ` + regexp.QuoteMeta(solutionOf7) + `$`)},
		{"out of time", "position sfen " + endless, "go mate 300", regexp.MustCompile(`^checkmate timeout$`)},
		{"never mate", "position sfen " + neverMate, "go mate 1000", regexp.MustCompile(`^checkmate nomate$`)},
		{"too long a mate", "position sfen " + mateIn3, "go depth 1 mate infinite", regexp.MustCompile(`^checkmate timeout$`)},
		{"mate after moves", "position sfen " + beforeMateIn1 + " moves 5a4a 1i1h 4a5a", "go mate infinite", regexp.MustCompile(`^checkmate G\*5b$`)},
		{"not a position", "position sfen " + twoPawns, "go mate 1000", regexp.MustCompile(`^checkmate timeout$`)},
		{"a game", "position startpos moves 7g7f 3c3d", "go btime 0 wtime 0 byoyomi 100", regexp.MustCompile(`^bestmove \S+$`)},
	} {
		send(c.position)
		send(c.ask)
		terminal := "checkmate "
		if !strings.Contains(c.ask, "mate") {
			terminal = "bestmove "
		}
		if line := until(terminal, "info "); !c.answer.MatchString(line) {
			t.Errorf("%s: %q, want %s", c.name, line, c.answer)
		}
	}
	send("gameover win")
	send("quit")
	if rest, err := io.ReadAll(stdout); err != nil || len(rest) > 0 {
		t.Errorf("after quit: %q, %v", rest, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if stderr.Len() > 0 {
		t.Errorf("on standard error: %q", stderr.String())
	}
}

// TestUSIEndOfInput: a GUI that dies closes the pipe; the engine must not stay behind.
func TestUSIEndOfInput(t *testing.T) {
	t.Parallel()
	got := run(t, "usi\nisready\nposition sfen "+mateIn1+"\ngo mate infinite\n", "tsumero-usi")
	if got.code != 0 || got.stderr != "" {
		t.Errorf("exit code %d, standard error %q; want 0 and nothing", got.code, got.stderr)
	}
	if !strings.HasSuffix(got.stdout, "\ncheckmate G*5b\n") {
		t.Errorf("the last words are not the answer:\n%s", got.stdout)
	}
}
