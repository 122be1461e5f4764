package usi

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
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

// always returns a NewSolver for which its arguments do not matter.
func always(by solver.Func) func(tableBytes, threads int) solver.Solver {
	return func(int, int) solver.Solver { return by }
}

// oneMove is a small honest solver: it tries every move, and so decides mates in one and positions without a check.
func oneMove(_ context.Context, p shogi.Position, lim solver.Limits) solver.Result {
	attacker, err := solver.Attacker(&p)
	if err != nil {
		panic(err) // callers ask first
	}
	var checks, evasions shogi.MoveBuffer
	if p.SideToMove() != attacker {
		line := p.Evasions(&evasions, shogi.AllMoves)
		if len(line) == 0 {
			return solver.Result{Verdict: solver.Mate, Exact: true, Nodes: 1}
		}
		return solver.Result{Reason: solver.ReasonDepth, Nodes: 1}
	}
	list := p.Checks(&checks, shogi.AllMoves)
	if len(list) == 0 {
		return solver.Result{Verdict: solver.NoMate, Nodes: 1}
	}
	nodes := uint64(1)
	for _, m := range list {
		u := p.Do(m)
		nodes++
		mate := len(p.Evasions(&evasions, shogi.AllMoves)) == 0
		p.Undo(m, u)
		if mate {
			return solver.Result{Verdict: solver.Mate, Line: []shogi.Move{m}, Exact: true, Nodes: nodes}
		}
	}
	if lim.Plies == 1 {
		return solver.Result{Reason: solver.ReasonPlies, NoMateWithin: 1, Nodes: nodes}
	}
	return solver.Result{Reason: solver.ReasonDepth, NoMateWithin: 1, Nodes: nodes}
}

// endless searches until it is told to stop.
func endless(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
	<-ctx.Done()
	return solver.Result{Reason: solver.StopReason(ctx), Nodes: 1000}
}

// taking returns a solver that finds r after d, or nothing if it is stopped before.
func taking(d time.Duration, r solver.Result) solver.Func {
	return func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
		select {
		case <-time.After(d):
			return r
		case <-ctx.Done():
			return solver.Result{Reason: solver.StopReason(ctx)}
		}
	}
}

func moves(t *testing.T, text string) []shogi.Move {
	t.Helper()
	var line []shogi.Move
	for _, w := range strings.Fields(text) {
		m, err := shogi.ParseMove(w)
		if err != nil {
			t.Fatal(err)
		}
		line = append(line, m)
	}
	return line
}

// A session is a dialogue with an engine on fake time: each step runs until engine and solver can do no more.
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

// talk starts an engine and runs f with it. The engine ends with f, if it has not before.
func talk(t *testing.T, by solver.Func, f func(s *session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r, w := io.Pipe()
		s := &session{t: t, cancel: cancel, in: w, out: transcript{t: t}, ended: make(chan struct{})}
		go func() {
			defer close(s.ended)
			defer r.Close()
			s.err = Run(ctx, Config{NewSolver: always(by), Name: "Test 1.0"}, r, &s.out)
		}()
		f(s)
		w.Close()
		<-s.ended
	})
}

// say sends lines and expects exactly these answers to them; "..." stands for anything.
func (s *session) say(lines string, want ...string) {
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

// A transcript collects what an engine prints, and holds each write to the rules of form: one line, one write, ASCII,
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

func TestLimitsReachTheSolver(t *testing.T) {
	var got solver.Limits
	var calls int
	look := func(_ context.Context, p shogi.Position, lim solver.Limits) solver.Result {
		got, calls = lim, calls+1
		return solver.Result{Reason: solver.ReasonNodes, NoMateWithin: 5}
	}
	talk(t, look, func(s *session) {
		s.say(hard)
		for i, tt := range []struct {
			command string
			want    solver.Limits
		}{
			{"go nodes 5000 mate 100", solver.Limits{Nodes: 5000, Shortest: true}},
			{"go depth 9 mate 100", solver.Limits{Plies: 9, Shortest: true}},
			{"go mate 100 nodes 7 depth 3", solver.Limits{Nodes: 7, Plies: 3, Shortest: true}},
			{"go mate 100", solver.Limits{Shortest: true}},
			{"setoption name Shortest value false\ngo mate 100", solver.Limits{}},
			{"go movetime 100", solver.Limits{}},
			{"setoption name shortest value TRUE\ngo movetime 100", solver.Limits{Shortest: true}},
			{"go nodes 12 depth 4 byoyomi 1000", solver.Limits{Nodes: 12, Plies: 4, Shortest: true}},
			{"go nodes 99999999999999999999 depth 99999999999999999999", solver.Limits{Nodes: 1<<63 - 1, Plies: 1 << 20, Shortest: true}},
		} {
			s.in.Write([]byte(tt.command + "\n"))
			synctest.Wait()
			if got != tt.want || calls != i+1 {
				t.Errorf("%s: call %d with %+v, want %+v", tt.command, calls, got, tt.want)
			}
		}
		s.out.take()
	})
}

func TestReasons(t *testing.T) {
	tests := []struct {
		command string
		result  solver.Result
		want    string
	}{
		{"go nodes 50 mate 100", solver.Result{Reason: solver.ReasonNodes}, "the limit of 50 nodes is reached"},
		{"go depth 3 mate 100", solver.Result{Reason: solver.ReasonPlies, NoMateWithin: 3}, "no mate within 3 plies; longer ones were not looked for, by the limit of 3"},
		{"go mate 100", solver.Result{Reason: solver.ReasonDepth, NoMateWithin: 3}, "no mate within 3 plies; the solver looks no deeper, a longer mate may exist"},
		{"go mate 100", solver.Result{Reason: solver.ReasonUnverified}, "internal error: a mate was claimed that does not verify, so it is withheld"},
		{"go mate 100", solver.Result{Reason: "something_new"}, "something_new"},
		{"go mate 100", solver.Result{}, "undecided"},
	}
	for _, tt := range tests {
		talk(t, taking(0, tt.result), func(s *session) {
			s.say(hard)
			s.say(tt.command, "info time ...", "info string "+tt.want, "checkmate timeout")
		})
	}
}

// An engine answers in time whatever its solver does, and is not confused by the result that comes late.
func TestDeafSolver(t *testing.T) {
	release := make(chan struct{})
	late := solver.Result{Verdict: solver.Mate, Line: moves(t, "G*5b"), Exact: true}
	calls := 0
	deaf := func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
		if calls++; calls == 2 {
			return endless(ctx, shogi.Position{}, solver.Limits{})
		}
		time.Sleep(time.Hour)
		<-release
		return late
	}
	talk(t, deaf, func(s *session) {
		release = make(chan struct{}) // belongs to the bubble of fake time
		s.say(mate1)
		s.say("go mate infinite")
		s.say("stop")
		s.after(100*time.Millisecond, "info time ...", "info string stopped", "checkmate timeout")
		s.say("go mate infinite")
		close(release)
		s.after(2 * time.Hour) // the first result arrives, and is for nobody
		s.say("stop", "info time ...", "info string stopped", "checkmate timeout")
		s.say("go mate 1000")
		s.after(999 * time.Millisecond)
		s.after(101*time.Millisecond, "info time ...", "info string the time limit is reached", "checkmate timeout")
		s.say("go mate infinite")
		s.say("quit")
		s.after(time.Second)
		if !s.hasEnded() {
			t.Fatal("still running a second after quit")
		}
		if s.err != nil {
			t.Errorf("after quit: %v", s.err)
		}
		time.Sleep(time.Hour)
	})
}

// What a solver told of before it went deaf is not lost, if it holds.
func TestDeafSolverToldOfMate(t *testing.T) {
	mate := solver.Progress{Phase: solver.Shortening, Nodes: 5, Mate: 1, Line: moves(t, "G*5b")}
	for _, tt := range []struct {
		position string
		told     solver.Progress
		want     []string
	}{
		{mate1, mate, []string{"info string mate in 1 ply, not proven shortest; stopped", "info depth 1 ... nodes 5 ... score mate 1 pv G*5b", "checkmate G*5b"}},
		{mate1, solver.Progress{Nodes: 5, Line: mate.Line}, []string{"info time ... nodes 5 ...", "info string stopped", "checkmate timeout"}},
		{mate1, solver.Progress{Nodes: 5, Mate: 3, Line: mate.Line}, []string{"info time ... nodes 5 ...", "info string stopped", "checkmate timeout"}},
		{hard, mate, []string{"info time ... nodes 5 ...", "info string stopped", "checkmate timeout"}},
	} {
		deaf := func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
			p := tt.told
			p.Done = true // so that nothing is shown of it before
			solver.ReporterOf(ctx).Report(p)
			time.Sleep(time.Hour)
			return solver.Result{}
		}
		talk(t, deaf, func(s *session) {
			s.say(tt.position)
			s.say("go mate infinite")
			s.say("stop")
			s.after(100*time.Millisecond, tt.want...)
			s.after(time.Hour)
		})
	}
}

// A mate that is known when a search is stopped is the answer.
func TestStopKeepsMate(t *testing.T) {
	found := solver.Result{Verdict: solver.Mate, Line: moves(t, "G*5b")}
	onStop := func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
		<-ctx.Done()
		time.Sleep(30 * time.Millisecond)
		return found
	}
	for _, end := range []string{"stop", "gameover lose", "position startpos", mate1 + "\nisready"} {
		talk(t, onStop, func(s *session) {
			s.say(mate1)
			s.say("go mate infinite")
			s.say(end)
			why := "ended by the next command"
			if end == "stop" {
				why = "stopped"
			}
			want := []string{"info string mate in 1 ply, not proven shortest; " + why, "info depth 1 ... score mate 1 pv G*5b", "checkmate G*5b"}
			if strings.HasSuffix(end, "isready") {
				want = append(want, "readyok")
			}
			s.after(30*time.Millisecond, want...)
		})
	}
}

// The loop is never busy: whatever the solver does, commands are answered, and do not disturb the search.
func TestAnswersWhileSearching(t *testing.T) {
	for _, command := range []string{"go mate infinite", "go mate 3600000", "go infinite", "go ponder", "go byoyomi 3600000"} {
		talk(t, endless, func(s *session) {
			s.say(hard)
			greeting := []string{"info string this is a mate engine..."}
			if strings.Contains(command, "mate") || strings.Contains(command, "ponder") {
				greeting = nil
			}
			s.say(command, greeting...)
			s.say("isready", "readyok")
			s.say("usinewgame\nsetoption name USI_Hash value 64\nnonsense\n\nisready", "readyok")
			s.say("setoption name Threads value x", "info string Threads: found ...")
			s.say("usi", "id name Test 1.0", "id author ...", "option name USI_Hash ...", "option name USI_Ponder ...",
				"option name Threads ...", "option name Shortest ...", "option name BestmoveAfterStop ...", "option name Clear ...", "usiok")
			s.after(30 * time.Minute)
			switch {
			case strings.Contains(command, "mate"):
				s.say("stop", "info time 1800000 nodes 1000 nps 0 hashfull 0", "info string stopped", "checkmate timeout")
			case command == "go ponder":
				s.say("stop", "info string this is a mate engine...", "info time ...", "info string stopped", "bestmove resign")
			default:
				s.say("stop", "info time ...", "info string stopped", "bestmove resign")
			}
			s.say("stop")
			s.after(time.Hour)
		})
	}
}

// When a search that finds nothing is answered.
func TestTimes(t *testing.T) {
	const whiteToMove = "position sfen 9/9/9/9/9/9/9/9/7K1 w b2g2sl2p2RB2G2S4N3L16P 1" // hard, turned round
	tests := []struct {
		position, command string
		want              time.Duration
	}{
		{hard, "go mate 1000", 1000 * time.Millisecond},
		{hard, "go mate 1", time.Millisecond},
		{hard, "go mate 0", 0},
		{hard, "go mate 00250", 250 * time.Millisecond},
		{hard, "go nodes 10 mate 500", 500 * time.Millisecond},
		{hard, "go btime 5 mate 500", 500 * time.Millisecond},
		{hard, "go ponder mate 500", 500 * time.Millisecond},
		{hard, "go infinite mate 500", 500 * time.Millisecond},
		{hard, "go movetime 1000", 1000 * time.Millisecond},
		{hard, "go movetime 0", time.Second},
		{hard, "go byoyomi 1000", 850 * time.Millisecond},
		{hard, "go byoyomi 100", 50 * time.Millisecond},
		{hard, "go btime 0 wtime 0 byoyomi 10000", 9850 * time.Millisecond},
		{hard, "go btime 0 wtime 0 byoyomi 0", time.Second},
		{hard, "go btime -5000 wtime 0", time.Second},
		{hard, "go btime 60000 wtime 600000", 1850 * time.Millisecond},
		{whiteToMove, "go btime 60000 wtime 600000", 19850 * time.Millisecond},
		{hard, "go btime 60000 wtime 60000 binc 5000 winc 1000", 6850 * time.Millisecond},
		{whiteToMove, "go btime 60000 wtime 60000 binc 5000 winc 1000", 2850 * time.Millisecond},
		{hard, "go ponder byoyomi 1000\nponderhit", 850 * time.Millisecond},
		{hard, "go ponder byoyomi 1000\nponderhit byoyomi 2000", 1850 * time.Millisecond},
		{hard, "go ponder movetime 1000\nponderhit", 1000 * time.Millisecond},
	}
	for _, tt := range tests {
		talk(t, endless, func(s *session) {
			s.say(tt.position)
			io.WriteString(s.in, tt.command+"\n")
			began := time.Now()
			for deadline := began.Add(time.Hour); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				synctest.Wait()
				if s.out.contains("checkmate timeout") || s.out.contains("bestmove resign") {
					break
				}
			}
			if d := time.Since(began); d != tt.want {
				t.Errorf("%s: answered after %v, want %v", tt.command, d, tt.want)
			}
		})
	}
}

// What has no time limit is not answered by itself, and a ponder search has none before ponderhit.
func TestNoTimeLimit(t *testing.T) {
	for _, command := range []string{"go mate infinite", "go mate", "go mate -1", "go mate x", "go infinite", "go infinite byoyomi 1000",
		"go ponder byoyomi 1000", "go ponder movetime 1000", "go ponder infinite\nponderhit", "go", "go ponder\nponderhit", "go byoyomi"} {
		talk(t, endless, func(s *session) {
			s.say(hard)
			io.WriteString(s.in, command+"\n")
			time.Sleep(24 * time.Hour)
			synctest.Wait()
			if s.out.contains("checkmate timeout") || s.out.contains("bestmove resign") {
				t.Errorf("%q is answered by itself", command)
			}
		})
	}
}

// The end of the context is as quit: not a word more.
func TestCancel(t *testing.T) {
	for _, command := range []string{"isready", "go mate infinite", "go infinite", "go ponder"} {
		talk(t, endless, func(s *session) {
			s.say(mate1)
			io.WriteString(s.in, command+"\n")
			synctest.Wait()
			s.out.take()
			s.cancel()
			s.after(time.Second)
			if !s.hasEnded() {
				t.Fatalf("%s: still running a second after the end of the context", command)
			}
			if s.err != nil {
				t.Errorf("%s: %v", command, s.err)
			}
		})
	}
}

// reporting returns a solver that makes the reports, one a second as it is asked to, and then finds r. It hands over r
// early if it is stopped.
func reporting(r solver.Result, reports ...solver.Progress) solver.Func {
	return func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
		to := solver.ReporterOf(ctx)
		for _, p := range reports {
			if !p.Done {
				select {
				case <-time.After(to.Every()):
				case <-ctx.Done():
					return r
				}
			}
			to.Report(p)
		}
		return r
	}
}

// A search that goes on says so once a second, and at the end how full its table was.
func TestProgress(t *testing.T) {
	mate := moves(t, "G*5b")
	reports := []solver.Progress{
		{Nodes: 1000, PN: 5, DN: 7, Line: moves(t, "G*5b 5a6a G*6b"), TableFill: 0.0015},
		{Nodes: 3000, Line: moves(t, "G*5b"), TableFill: 0.25},
		{Nodes: 4000, Phase: solver.Verifying, TableFill: 0.25},
		{Nodes: 9000, Phase: solver.Shortening, Mate: 1, Line: mate, TableFill: 0.5},
		{Nodes: 9500, Phase: solver.Shortening, Mate: 1, Line: mate, TableFill: 0.5},
		{Nodes: 9600, Phase: solver.Choosing, Mate: 1, Line: mate, TableFill: 0.5},
		{Nodes: 9700, Phase: solver.Choosing, Mate: 1, Line: mate, TableFill: 0.625, Done: true},
	}
	found := solver.Result{Verdict: solver.Mate, Line: mate, Exact: true, Nodes: 9700}
	for _, tt := range []struct{ command, answer string }{
		{"go mate infinite", "checkmate G*5b"},
		{"go mate 60000", "checkmate G*5b"},
		{"go movetime 60000", "bestmove G*5b"},
	} {
		talk(t, reporting(found, reports...), func(s *session) {
			s.say(mate1)
			io.WriteString(s.in, tt.command+"\n")
			synctest.Wait()
			s.out.take()
			s.after(time.Second, "info depth 3 seldepth 3 time 1000 nodes 1000 nps 1000 hashfull 1 pv G*5b 5a6a G*6b")
			s.after(time.Second, "info depth 1 seldepth 3 time 2000 nodes 3000 nps 1500 hashfull 250 pv G*5b")
			s.after(time.Second, "info time 3000 nodes 4000 nps 1333 hashfull 250")
			s.after(time.Second, "info string mate in 1 ply found, looking for a shorter one",
				"info depth 1 seldepth 3 time 4000 nodes 9000 nps 2250 hashfull 500 score mate 1 pv G*5b")
			s.after(time.Second, "info depth 1 seldepth 3 time 5000 nodes 9500 nps 1900 hashfull 500 score mate 1 pv G*5b")
			s.after(time.Second, "info string mate in 1 ply is the shortest, choosing its line", "info depth 1 ... score mate 1 pv G*5b",
				"info depth 1 seldepth 1 time 6000 nodes 9700 nps 1616 hashfull 625 score mate 1 pv G*5b", tt.answer)
			s.after(time.Hour)
		})
	}

	t.Run("not while pondering", func(t *testing.T) {
		talk(t, reporting(found, reports...), func(s *session) {
			s.say(mate1)
			s.say("go ponder movetime 60000")
			s.after(2500 * time.Millisecond)
			s.say("ponderhit")
			s.after(time.Second, "info time 3000 nodes 4000 ...")
		})
	})
	t.Run("the defender's view", func(t *testing.T) {
		talk(t, reporting(solver.Result{Reason: solver.ReasonCancelled}, reports[3]), func(s *session) {
			s.say(mated)
			s.say("go infinite", "info string this is a mate engine...")
			s.after(time.Second, "info string mate in 1 ply found...", "info ... score mate -1 pv G*5b", "info string white defends...", "info time ...", "info string undecided")
		})
	})
	t.Run("stopped", func(t *testing.T) {
		best := found
		best.Exact, best.NoMateWithin, best.Reason = false, 0, solver.ReasonCancelled
		talk(t, reporting(best, reports...), func(s *session) {
			s.say(mate1)
			s.say("go mate 4500")
			s.after(4*time.Second, "...", "...", "...", "...", "...")
			s.after(500*time.Millisecond, "info string mate in 1 ply, not proven shortest; the time limit is reached",
				"info depth 1 ... hashfull 500 score mate 1 pv G*5b", "checkmate G*5b")
		})
	})
}

// A solver is made when the first search needs it, and again when its table or its threads have changed.
func TestNewSolver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sizes, threads []int
		made := func(bytes, n int) solver.Solver {
			sizes, threads = append(sizes, bytes), append(threads, n)
			return solver.Func(endless)
		}
		r, w := io.Pipe()
		out := transcript{t: t}
		ended := make(chan error)
		go func() { ended <- Run(t.Context(), Config{NewSolver: made, MaxThreads: 4}, r, &out) }()
		for _, tt := range []struct {
			lines string
			want  []int // the sizes asked for by then, in MiB
		}{
			{"usi\nsetoption name USI_Hash value 64\nisready\nusinewgame\n" + hard, nil},
			{"go mate infinite", []int{64}},
			{"setoption name USI_Hash value 128\nisready", []int{64}},
			{"stop\ngo mate infinite", []int{64, 128}},
			{"stop\ngo infinite", []int{64, 128}},
			{"stop\nsetoption name USI_Hash value 64\nsetoption name USI_Hash value 128\ngo mate", []int{64, 128}},
			{"stop\nsetoption name USI_Hash value x\ngo mate 5", []int{64, 128}},
			{"stop\nsetoption name USI_Hash value 0\ngo mate 5", []int{64, 128, 1}},
			{"stop\nsetoption name USI_Hash value 99999999999999999999\ngo mate 5", []int{64, 128, 1, 65536}},
			{"stop\nsetoption name Threads value 9\ngo mate 5", []int{64, 128, 1, 65536, 65536}},
			{"stop\ngo mate 5", []int{64, 128, 1, 65536, 65536}},
		} {
			io.WriteString(w, tt.lines+"\n")
			synctest.Wait()
			if !slices.EqualFunc(sizes, tt.want, func(bytes, mib int) bool { return bytes == mib<<20 }) {
				t.Errorf("after %q the tables made have %d bytes, want %d MiB", tt.lines, sizes, tt.want)
			}
		}
		if want := []int{1, 1, 1, 1, 4}; !slices.Equal(threads, want) {
			t.Errorf("threads %d, want %d", threads, want)
		}
		w.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// A machine with less memory offers less, and no value asks for more than there is.
func TestSmallMachine(t *testing.T) {
	for _, tt := range []struct {
		room    int64 // bytes
		declare string
		sizes   []int // by default, and when much is asked for; in MiB
	}{
		{0, "spin default 512 min 1 max 65536", []int{512, 65536}},
		{3 << 30, "spin default 512 min 1 max 3072", []int{512, 3072}},
		{200<<20 + 5, "spin default 200 min 1 max 200", []int{200}},
		{5, "spin default 1 min 1 max 1", []int{1}},
		{1 << 60, "spin default 512 min 1 max 65536", []int{512, 65536}},
	} {
		var sizes []int
		made := func(bytes, threads int) solver.Solver {
			sizes = append(sizes, bytes>>20)
			return solver.Func(oneMove)
		}
		out := transcript{t: t}
		in := "usi\n" + mate1 + "\ngo mate 5\nsetoption name USI_Hash value 2147483647\ngo mate 5\n"
		if err := Run(t.Context(), Config{NewSolver: made, MaxTableBytes: tt.room}, strings.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		if !out.contains("option name USI_Hash type "+tt.declare) || !slices.Equal(sizes, tt.sizes) {
			t.Errorf("with room for %d bytes: tables of %d MiB, want %d; printed %q", tt.room, sizes, tt.sizes, out.take())
		}
	}
}

// An option set during a search counts from the next one.
func TestOptionsDuringSearch(t *testing.T) {
	talk(t, endless, func(s *session) {
		s.say(hard)
		s.say("go mate infinite")
		s.say("setoption name BestmoveAfterStop value true")
		s.say("stop", "info time ...", "info string stopped", "checkmate timeout")
		s.say("go mate infinite")
		s.say("setoption name BestmoveAfterStop value false")
		s.say("stop", "info time ...", "info string stopped", "checkmate timeout", "bestmove resign")
		s.say("go mate infinite\ngo mate 0", "info time ...", "info string ended by the next command", "checkmate timeout",
			"info time ...", "info string the time limit is reached", "checkmate timeout")
	})
}

// GUIs read nodes per second into 32 bits.
func TestNodesPerSecond(t *testing.T) {
	talk(t, taking(0, solver.Result{Verdict: solver.NoMate, Nodes: 1 << 62}), func(s *session) {
		s.say(hard)
		s.say("go mate 100", "info time 0 nodes 4611686018427387904 nps 2147483647 hashfull 0 score cp 0", "info string proven...", "checkmate nomate")
	})
	talk(t, taking(2*time.Second, solver.Result{Verdict: solver.NoMate, Nodes: 5000}), func(s *session) {
		s.say(hard)
		s.say("go mate 10000")
		s.after(2*time.Second, "info time 2000 nodes 5000 nps 2500 hashfull 0 score cp 0", "info string proven...", "checkmate nomate")
	})
}

func TestEndOfInput(t *testing.T) {
	mate := solver.Result{Verdict: solver.Mate, Line: moves(t, "G*5b"), Exact: true}
	tests := []struct {
		name    string
		command string
		by      solver.Func
		after   time.Duration
		want    []string
	}{
		{"idle", "isready", oneMove, 0, []string{"readyok"}},
		{"a last line without an end", "isready\nisready", oneMove, 0, []string{"readyok", "readyok"}},
		{"short search", "go mate 5000", taking(400*time.Millisecond, mate), 400 * time.Millisecond,
			[]string{"info ... pv G*5b", "checkmate G*5b"}},
		{"long search", "go mate 5000", taking(time.Second, mate), 500 * time.Millisecond,
			[]string{"info time ...", "info string the input has ended", "checkmate timeout"}},
		{"limited search", "go mate 100", endless, 100 * time.Millisecond,
			[]string{"info time ...", "info string the time limit is reached", "checkmate timeout"}},
		{"held answer", "go infinite", taking(0, mate), 0,
			[]string{"info string this is a mate engine...", "info ... pv G*5b", "bestmove G*5b"}},
		{"ponder", "go ponder btime 1000", endless, 500 * time.Millisecond,
			[]string{"info string this is a mate engine...", "info time ...", "info string the input has ended", "bestmove resign"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			talk(t, tt.by, func(s *session) {
				s.say(mate1)
				io.WriteString(s.in, tt.command)
				began := time.Now()
				s.in.Close()
				<-s.ended
				if d := time.Since(began); d > tt.after+time.Millisecond || s.err != nil {
					t.Errorf("ended after %v with error %v, want %v and none", d, s.err, tt.after)
				}
				s.expect(tt.command, tt.want...)
			})
		})
	}
}

func TestBrokenStreams(t *testing.T) {
	broken := errors.New("the line is dead")
	err := Run(t.Context(), Config{NewSolver: always(endless)}, iotest.ErrReader(broken), io.Discard)
	if !errors.Is(err, broken) {
		t.Errorf("reading fails: Run = %v", err)
	}
	r, w := io.Pipe()
	r.CloseWithError(broken)
	err = Run(t.Context(), Config{NewSolver: always(endless)}, strings.NewReader(mate1+"\ngo infinite\nusi\n"), w)
	if !errors.Is(err, broken) {
		t.Errorf("writing fails: Run = %v", err)
	}
}

// Commands thrown at the engine without waiting, while its solver takes a random time and sometimes does not listen:
// every go gets its one answer, in order and of its kind.
func TestStorm(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var mu sync.Mutex
	by := func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
		mu.Lock()
		kind, d := rng.IntN(4), time.Duration(rng.IntN(300))*time.Microsecond
		mu.Unlock()
		switch kind {
		case 0:
			return endless(ctx, p, lim)
		case 1:
			time.Sleep(d)
		}
		return oneMove(ctx, p, lim)
	}
	steps := []string{
		"go mate infinite", "go mate 1", "go mate 0", "go mate", "go infinite", "go ponder", "go ponder byoyomi 1",
		"go movetime 1", "go btime 0 wtime 0 byoyomi 1", "go depth 1", "ponderhit", "ponderhit btime 1", "stop", "gameover draw",
		mate1, mate1Flipped, nomate, hard, typo, noKings, mated, "isready", "usi", "usinewgame",
		"setoption name Threads value 2", "setoption name USI_Ponder value true", "nonsense", "",
	}
	var script strings.Builder
	var want []string
	for range 4000 {
		step := steps[rng.IntN(len(steps))]
		script.WriteString(step + "\n")
		if strings.HasPrefix(step, "go ") {
			want = append(want, kind(step))
		}
		if strings.HasPrefix(step, "go depth") || step == "go mate" { // would otherwise wait for good
			script.WriteString("stop\n")
		}
	}
	out := transcript{t: t}
	if err := Run(t.Context(), Config{NewSolver: always(by)}, strings.NewReader(script.String()), &out); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range out.take() {
		if k := kind(l); k != "" {
			got = append(got, k)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d answers to %d searches, or of another kind", len(got), len(want))
	}
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
