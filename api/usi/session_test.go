package usi

import (
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/solver"
)

// Positions, by what is to be found in them. mate1Flipped is mate1 with the colours exchanged.
const (
	mate1        = "position sfen 4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"
	mate1Flipped = "position sfen 9/9/9/9/9/9/4g4/9/4K4 w g2R2B2G4S4N4L18P 1"
	nomate       = "position sfen 4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1"
	hard         = "position sfen 7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1"
	typo         = "position sfen 5+P1k1/9/5/+rB2/9/9/9/9/9/9 b RPb4g4s4k4l16p 1"
	mated        = "position sfen 4k4/4G4/4G4/9/9/9/9/9/9 w 2r2b2g4s4n4l18p 2" // the defender is to move, mated
	noKings      = "position sfen 9/9/9/9/9/9/9/9/9 b 2r2b4g4s4n4l18p 1"
)

// A session is a dialogue with an engine on fake time. Each step runs until all goroutines wait.
type session struct {
	t      *testing.T
	cancel context.CancelFunc
	in     *io.PipeWriter
	out    transcript
	ended  chan struct{} // closed when Run has returned err
	err    error
}

// hasEnded reports whether Run has returned.
func (s *session) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// runSession runs f with a MateEngine that asks the solver.
func runSession(t *testing.T, by solver.Func, f func(s *session)) {
	t.Helper()
	runEngine(t, mateEngine(by), f)
}

// runEngine starts Run with the engine, and runs f. The input ends with f.
func runEngine(t *testing.T, engine Engine, f func(s *session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r, w := io.Pipe()
		s := &session{t: t, cancel: cancel, in: w, out: transcript{t: t}, ended: make(chan struct{})}
		go func() {
			defer close(s.ended)
			defer r.Close()
			s.err = Run(ctx, Config{Engine: engine, Name: "Test 1.0"}, r, &s.out)
		}()
		f(s)
		w.Close()
		<-s.ended
	})
}

// send sends lines and expects exactly these answers to them; "..." stands for anything.
func (s *session) send(lines string, want ...string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, lines+"\n"); err != nil {
		s.t.Fatalf("sending %q: %v", lines, err)
	}
	synctest.Wait()
	s.expect(lines, want...)
}

// after lets time pass and expects exactly these lines in it.
func (s *session) after(d time.Duration, want ...string) {
	s.t.Helper()
	time.Sleep(d)
	synctest.Wait()
	s.expect("after "+d.String(), want...)
}

func (s *session) expect(when string, want ...string) {
	s.t.Helper()
	got := s.out.take()
	if !slices.EqualFunc(got, want, func(g, w string) bool { return like(g, w) }) {
		s.t.Fatalf("%.200s\n got %q\nwant %q", when, got, want)
	}
}

// like reports whether got is want, in which "..." stands for anything.
func like(got, want string) bool {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(want), `\.\.\.`, ".*") + "$").MatchString(got)
}

// A transcript collects what an engine prints. It checks the form of each write: one line, ASCII,
// LF, single blanks, pv and string not together.
type transcript struct {
	t  *testing.T
	mu sync.Mutex
	ls []string
}

var form = regexp.MustCompile(`^[!-~]+( [!-~]+)*\n$`)

func (o *transcript) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l := string(b)
	if !form.MatchString(l) {
		o.t.Errorf("written: %q, want one line of printable ASCII with single blanks, ending in LF", l)
	}
	if strings.HasPrefix(l, "info ") && strings.Contains(l, " pv ") && strings.Contains(l, " string ") {
		o.t.Errorf("pv and string on one line: %q", l)
	}
	o.ls = append(o.ls, strings.TrimSuffix(l, "\n"))
	return len(b), nil
}

// contains reports whether the line was printed and not taken yet.
func (o *transcript) contains(line string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.ls, line)
}

func (o *transcript) take() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	ls := o.ls
	o.ls = nil
	return ls
}

// kind returns the word that answers a go command, or the word of an answer, "" for other lines.
func kind(l string) string {
	words := strings.Fields(l)
	switch {
	case len(words) == 0:
		return ""
	case words[0] == "go" && slices.Contains(words, "mate"), words[0] == "checkmate":
		return "checkmate"
	case words[0] == "go", words[0] == "bestmove":
		return "bestmove"
	}
	return ""
}
