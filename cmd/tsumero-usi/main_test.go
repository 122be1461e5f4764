package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tsumero/tsumero/cmd/internal/scripttest"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// TestMain makes the test binary the engine itself when it is started under its name.
func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){"tsumero-usi": main})
}

// TestScripts runs the sessions in testdata/script with the real engine in a process of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"dialogue": dialogue},
	})
}

// hangTimeout is how long a dialogue waits for a line or for the end. It only ends a test that
// hangs.
const hangTimeout = 2 * time.Minute

// dialogue is the script command "dialogue FILE...": it runs each dialogue with an engine of its
// own. The lines are
//
//	# text           a comment
//	> text           a line sent to the engine
//	>> "text"        exactly these bytes, in Go's notation
//	< pattern        a line the engine prints, in which ... stands for anything
//	silent           the engine prints nothing, except how a search goes
//	eof              the engine's input ends
//	signal TERM      the engine gets a signal, TERM or INT
//	exit 0           the engine ends with this code and prints nothing more
//
// Info lines that the dialogue does not mention are skipped. Every other line must be there in its
// place, so a second answer to one search shows. Every line must end in LF and be plain ASCII with
// single blanks. Every pv must be playable, and every checkmate must mate, from a position that was
// sent. An engine must write neither to standard error nor into its directory.
func dialogue(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: dialogue FILE...")
	}
	for _, file := range args {
		dir, err := os.MkdirTemp(ts.Getenv("WORK"), "engine")
		ts.Check(err)
		e, err := launch(dir, nil)
		ts.Check(err)
		ts.Defer(e.kill)
		e.read()
		ended := false
		for i, step := range strings.Split(strings.TrimSuffix(ts.ReadFile(file), "\n"), "\n") {
			word, rest, _ := strings.Cut(step, " ")
			var err error
			switch word {
			case "#", "":
			case ">":
				e.send(rest + "\n")
			case ">>":
				var bytes string
				if bytes, err = strconv.Unquote(rest); err == nil {
					e.send(bytes)
				}
			case "<":
				err = e.expect(rest)
			case "silent":
				e.send("isready\n")
				err = e.expectSilence()
			case "eof":
				err = e.in.Close()
			case "signal":
				signals := map[string]os.Signal{"TERM": syscall.SIGTERM, "INT": os.Interrupt}
				err = e.cmd.Process.Signal(signals[rest])
			case "exit":
				var code int
				if code, err = strconv.Atoi(rest); err == nil {
					ended, err = true, e.exits(code)
				}
			default:
				err = errors.New("not a step of a dialogue")
			}
			if err != nil {
				ts.Fatalf("%s:%d: %s\n%v", file, i+1, step, err)
			}
		}
		if !ended {
			ts.Fatalf("%s: a dialogue ends with exit", file)
		}
	}
}

// An engine is a process of the program, talked to by a script.
type engine struct {
	cmd    *exec.Cmd
	dir    string
	in     io.WriteCloser
	stdout io.ReadCloser
	lines  <-chan string // what read reads, with the line ends; closed at the end of the output
	stderr bytes.Buffer

	positions  []shogi.Position // those sent
	brinkmates bool             // MateMode asked for them: a checkmate may end with the last attack
}

// launch starts an engine in dir, which prints to stdout, or to the engine's own pipe if that is
// nil.
func launch(dir string, stdout *os.File) (*engine, error) {
	path, err := exec.LookPath("tsumero-usi")
	if err != nil {
		return nil, err
	}
	e := &engine{cmd: exec.Command(path), dir: dir}
	e.cmd.Dir, e.cmd.Stderr = dir, &e.stderr
	e.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE")) // with -race each would end a second late
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if stdout != nil {
		e.cmd.Stdout = stdout
	} else if e.stdout, err = e.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return e, e.cmd.Start()
}

// kill ends an engine that has not ended by itself.
func (e *engine) kill() {
	if e.cmd.ProcessState == nil {
		e.cmd.Process.Kill()
		e.cmd.Wait()
	}
}

// read makes the lines the engine prints from now on available to next.
func (e *engine) read() {
	lines := make(chan string, 1<<16) // so that the engine never waits for its reader
	e.lines = lines
	go func() {
		defer close(lines)
		for r := bufio.NewReader(e.stdout); ; {
			line, err := r.ReadString('\n')
			if line != "" {
				lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
}

// send writes to the engine. An engine that has gone is found out by what it does not answer.
func (e *engine) send(text string) {
	for line := range strings.Lines(text) {
		e.brinkmates = e.brinkmates || strings.TrimSpace(line) == "setoption name MateMode value brinkmate"
		if len(line) < 10_000 && strings.HasPrefix(strings.TrimSpace(line), "position") {
			if g, err := shogi.ParsePosition(strings.TrimSpace(line)); err == nil {
				e.positions = append(e.positions, g.Position())
			}
		}
	}
	io.WriteString(e.in, text)
}

// checkMoves reports what is wrong with the moves on a line, if there are any: those of a pv must
// be playable from one of the positions sent, those of a checkmate must mate by the plain rules,
// unless they may be those of a brinkmate.
func (e *engine) checkMoves(line string) error {
	text, mate := strings.CutPrefix(line, "checkmate ")
	if !mate {
		_, text, _ = strings.Cut(line, " pv ")
	}
	var moves []shogi.Move
	for _, word := range strings.Fields(text) {
		m, err := shogi.ParseMove(word)
		if err != nil {
			if mate && (text == "nomate" || text == "timeout") {
				return nil
			}
			return fmt.Errorf("printed: %s: %w", line, err)
		}
		moves = append(moves, m)
	}
	if len(moves) == 0 {
		return nil
	}
	for _, p := range slices.Backward(e.positions) {
		if mate && solver.VerifyLine(p, moves) == nil || (!mate || e.brinkmates) && playable(p, moves) {
			return nil
		}
	}
	return fmt.Errorf("printed: %s, which is no line of a position that was sent", line)
}

func playable(p shogi.Position, moves []shogi.Move) bool {
	for _, m := range moves {
		if !p.IsLegal(m) {
			return false
		}
		p.Do(m)
	}
	return true
}

var form = regexp.MustCompile(`^[!-~]+( [!-~]+)*\n$`)

// next returns the next line the engine prints, without its end, or io.EOF.
func (e *engine) next() (string, error) {
	select {
	case line, ok := <-e.lines:
		if !ok {
			return "", io.EOF
		}
		if !form.MatchString(line) {
			return "", fmt.Errorf("printed: %q, want plain ASCII with single blanks and LF", line)
		}
		line = strings.TrimSuffix(line, "\n")
		return line, e.checkMoves(line)
	case <-time.After(hangTimeout):
		return "", fmt.Errorf("nothing is printed for %v", hangTimeout)
	}
}

// goingOn matches what is printed of a search, each second and whenever a shorter mate is found.
var goingOn = regexp.MustCompile(`^info (depth|time) .* hashfull|` +
	`^info string mate in \d+ (ply|plies) found, looking for a shorter one$`)

// expectSilence wants nothing before the answer to isready but how a search goes.
func (e *engine) expectSilence() error {
	for {
		got, err := e.next()
		switch {
		case err != nil || got == "readyok":
			return err
		case !goingOn.MatchString(got):
			return fmt.Errorf("printed: %s", got)
		}
	}
}

// expect wants a line like the pattern, after any number of other info lines.
func (e *engine) expect(pattern string) error {
	var passed strings.Builder
	for {
		got, err := e.next()
		if err == nil && like(got, pattern) {
			return nil
		}
		if err == nil && !strings.HasPrefix(got, "info ") {
			err = fmt.Errorf("printed: %s", got)
		}
		if err != nil {
			return fmt.Errorf("%s%w", &passed, err)
		}
		fmt.Fprintf(&passed, "passed over: %s\n", got)
	}
}

// exits waits for the end of the engine.
func (e *engine) exits(want int) error {
	for {
		got, err := e.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if !strings.HasPrefix(got, "info ") {
			return fmt.Errorf("printed: %s", got)
		}
	}
	e.cmd.Wait() // the code says it all
	if got := e.cmd.ProcessState.ExitCode(); got != want {
		return fmt.Errorf("exit code %d (%v), want %d", got, e.cmd.ProcessState, want)
	}
	if e.stderr.Len() > 0 {
		return fmt.Errorf("on standard error: %s", &e.stderr)
	}
	files, err := os.ReadDir(e.dir)
	if len(files) > 0 {
		return fmt.Errorf("the engine left files behind: %v", files)
	}
	return err
}

// like reports whether got is the pattern, in which "..." stands for anything.
func like(got, pattern string) bool {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, ".*") + "$").MatchString(got)
}

// start starts an engine for a test without a script.
func start(t *testing.T) *engine {
	t.Helper()
	e, err := launch(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.kill)
	return e
}

const (
	mate1  = "position sfen 4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1\n"
	moving = " 5i5h 5a5b 5h5i 5b5a" // two kings go to and fro
)

// Long games and long nonsense, up to and beyond every limit on what is read.
func TestLongLines(t *testing.T) {
	e := start(t)
	e.read()
	game := func(bytes int) string {
		const kings = "position sfen 4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 1 moves"
		return kings + strings.Repeat(moving, (bytes-len(kings))/len(moving)) + "\n"
	}
	for _, step := range []struct {
		name, send string
		want       []string // the last may come after info lines
	}{
		{"a game of 80 KB", game(80_000) + "go mate 1000\n", []string{"checkmate nomate"}},
		{"a game of 1 MiB", game(1<<20) + "go mate 1000\n", []string{"checkmate nomate"}},
		{"a position of 2 MB", game(2_000_000) + "go mate 1000\n", []string{"info string error: ...", "checkmate timeout"}},
		{"a go of 2 MB", mate1 + "go mate 1000" + strings.Repeat(" more", 400_000) + "\n", []string{"checkmate G*5b"}},
		{"a word of 2 MB", strings.Repeat("a", 2_000_000) + "\nisready\n", []string{"readyok"}},
		{"blanks of 2 MB", strings.Repeat(" ", 2_000_000) + "isready\n", []string{"readyok"}},
		{"an option of 2 MB", "setoption name Threads value " + strings.Repeat("9", 2_000_000) + "\n", []string{"info string Threads: found ..."}},
		{"a position beyond all limits", mate1 + game(5_000_000) + "go mate 1000\n",
			[]string{"info string error: a line of more than 4 MiB was skipped: \"position sfen ...", "info string error: the last position line was too long", "checkmate timeout"}},
		{"a word beyond all limits", mate1 + strings.Repeat("a", 5_000_000) + "\ngo mate 1000\n",
			[]string{"info string error: a line of more than 4 MiB was skipped: \"aaa...", "checkmate G*5b"}},
	} {
		e.send(step.send)
		for _, want := range step.want {
			if err := e.expect(want); err != nil {
				t.Fatalf("%s: waiting for %q: %v", step.name, want, err)
			}
		}
	}
	e.send("quit\n")
	if err := e.exits(exitOK); err != nil {
		t.Error(err)
	}
}

// A GUI that goes without a word, or hangs, leaves no engine behind.
func TestNobodyReads(t *testing.T) {
	t.Run("the output is closed", func(t *testing.T) {
		e := start(t)
		e.stdout.Close()
		e.send("usi\nusi\n")
		e.cmd.Wait() // until the test run's own limit, if need be
		if e.cmd.ProcessState.Success() {
			t.Error("the engine reports success, though nobody got its answers")
		}
	})
	t.Run("the output is full", func(t *testing.T) {
		out, full, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		full.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
		if _, err := full.Write(make([]byte, 1<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("filling a pipe: %v", err)
		}
		e, err := launch(t.TempDir(), full)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.kill)
		full.Close()
		// More than a pipe holds, and less than that and the engine's buffer together: it is sent
		// when the engine reads.
		e.send("isready\n" + strings.Repeat("\n", 100<<10))
		ended := make(chan error)
		go func() { ended <- e.cmd.Wait() }()
		for began := time.Now(); time.Since(began) < hangTimeout; {
			// The first asks the engine to end, which it cannot; one of the next ends it.
			if err := e.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			select {
			case <-ended:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
		e.cmd.Process.Kill()
		<-ended
		t.Errorf("still running after %v of SIGTERM", hangTimeout)
	})
}
