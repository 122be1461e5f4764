package usi

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
)

// mateEngine returns a MateEngine that asks the solver, whatever the size of its table.
func mateEngine(by solver.Func) *MateEngine {
	return NewMateEngine(MateConfig{NewSolver: func(int, int) solver.Solver { return by }})
}

// oneMove is a small honest solver: it tries every move, and so decides mates in one and positions
// without a check.
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

func TestLimitsReachTheSolver(t *testing.T) {
	var got solver.Limits
	var calls int
	look := func(_ context.Context, p shogi.Position, lim solver.Limits) solver.Result {
		got, calls = lim, calls+1
		return solver.Result{Reason: solver.ReasonNodes, NoMateWithin: 5}
	}
	runSession(t, look, func(s *session) {
		s.send(hard)
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
			tt.want.AnyLine = true // always
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
		{"go nodes 50 mate", solver.Result{Reason: solver.ReasonNodes}, "the limit of 50 nodes is reached"},
		{"go depth 3 mate infinite", solver.Result{Reason: solver.ReasonPlies}, "longer ones were not looked for, by the limit of 3"},
		{"go mate 100", solver.Result{Reason: solver.ReasonDepth, NoMateWithin: 3}, "no mate within 3 plies; the solver looks no deeper, a longer mate may exist"},
		{"go mate 100", solver.Result{Reason: solver.ReasonUnverified}, "internal error: a mate was claimed that does not verify, so it is withheld"},
		{"go mate 100", solver.Result{Reason: "something_new"}, "something_new"},
		{"go mate 100", solver.Result{}, "undecided"},
	}
	for _, tt := range tests {
		runSession(t, taking(0, tt.result), func(s *session) {
			s.send(hard)
			s.send(tt.command, "info time ...", "info string "+tt.want, "checkmate timeout")
		})
	}
}

// The engine answers in time whatever its solver does, and ignores a result that comes late.
func TestUnresponsiveSolver(t *testing.T) {
	release := make(chan struct{})
	late := solver.Result{Verdict: solver.Mate, Line: moves(t, "G*5b"), Exact: true}
	calls := 0
	unresponsive := func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
		if calls++; calls == 2 {
			return endless(ctx, shogi.Position{}, solver.Limits{})
		}
		time.Sleep(time.Hour)
		<-release
		return late
	}
	runSession(t, unresponsive, func(s *session) {
		release = make(chan struct{}) // belongs to the bubble of fake time
		s.send(mate1)
		s.send("go mate infinite")
		s.send("stop")
		s.after(100*time.Millisecond, "info time ...", "info string stopped", "checkmate timeout")
		s.send("go mate infinite")
		close(release)
		s.after(2 * time.Hour) // the first result arrives, and is for nobody
		s.send("stop", "info time ...", "info string stopped", "checkmate timeout")
		s.send("go mate 1000")
		s.after(999 * time.Millisecond)
		s.after(101*time.Millisecond, "info time ...", "info string the time limit is reached", "checkmate timeout")
		s.send("go mate infinite")
		s.send("quit")
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

// A mate that an unresponsive solver has reported is not lost, if it verifies.
func TestUnresponsiveSolverReportedMate(t *testing.T) {
	mate := solver.Progress{Phase: solver.Shortening, Nodes: 5, Mate: 1, Line: moves(t, "G*5b")}
	for _, tt := range []struct {
		position string
		reported solver.Progress
		want     []string
	}{
		{mate1, mate, []string{"info string mate in 1 ply, not proven shortest; stopped", "info depth 1 ... nodes 5 ... score mate 1 pv G*5b", "checkmate G*5b"}},
		{mate1, solver.Progress{Nodes: 5, Line: mate.Line}, []string{"info time ... nodes 5 ...", "info string stopped", "checkmate timeout"}},
		{mate1, solver.Progress{Nodes: 5, Mate: 3, Line: mate.Line}, []string{"info time ... nodes 5 ...", "info string stopped", "checkmate timeout"}},
		{hard, mate, []string{"info time ... nodes 5 ...", "info string stopped", "checkmate timeout"}},
	} {
		unresponsive := func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
			p := tt.reported
			p.Done = true // so that nothing is shown of it before
			solver.ReporterOf(ctx).Report(p)
			time.Sleep(time.Hour)
			return solver.Result{}
		}
		runSession(t, unresponsive, func(s *session) {
			s.send(tt.position)
			s.send("go mate infinite")
			s.send("stop")
			s.after(100*time.Millisecond, tt.want...)
			s.after(time.Hour)
		})
	}
}

// A stop is said to be one, too, when the solver has ended before the engine looks.
func TestStopSeenBySolverFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 20 { // a select takes one of several at random
			ctx, cancel := context.WithCancelCause(t.Context())
			solve := func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
				solver.ReporterOf(ctx).Report(solver.Progress{Nodes: 1})
				<-ctx.Done()
				return solver.Result{Reason: solver.ReasonCancelled, NoMateWithin: 3}
			}
			var said []string
			e := mateEngine(solve)
			r := Request{Game: shogi.NewGame(shogi.MustParseSFEN(strings.TrimPrefix(hard, "position sfen "))), Infinite: true}
			e.Search(ctx, r, func(i Info) {
				if i.Nodes > 0 {
					cancel(errStopped)
					synctest.Wait() // until the solver has ended
				}
				said = append(said, i.String)
			})
			if want := "stopped; no mate within 3 plies"; !slices.Contains(said, want) {
				t.Fatalf("said %q, want %q", said, want)
			}
		}
	})
}

// A go mate without any limit is answered on stop if the solver gives up, with the reason at once.
func TestUnlimitedMateWaitsForStop(t *testing.T) {
	giveUp := taking(0, solver.Result{Reason: solver.ReasonDepth, NoMateWithin: 3})
	const reason = "no mate within 3 plies; the solver looks no deeper, a longer mate may exist"
	runSession(t, giveUp, func(s *session) {
		s.send(hard)
		s.send("go mate", "info time ...", "info string "+reason+"; the answer comes on stop")
		s.after(time.Hour)
		s.send("stop", "info string stopped; "+reason, "checkmate timeout")
	})
}

// While the engine ponders it prints nothing, and go infinite has no time limit.
func TestNothingBeforePonderhit(t *testing.T) {
	mate := []string{"info string this is a mate engine...", "info ... pv G*5b", "bestmove G*5b"}
	runSession(t, taking(0, solver.Result{Verdict: solver.Mate, Line: moves(t, "G*5b"), Exact: true}), func(s *session) {
		s.send(mate1)
		s.send("go ponder movetime 1000")
		s.after(time.Hour)
		s.send("ponderhit", mate...)
		s.send("go ponder")
		s.send("stop", mate[1:]...)
	})
	runSession(t, endless, func(s *session) {
		s.send(hard)
		s.send("go infinite byoyomi 1000 movetime 1000", mate[0])
		s.after(time.Hour)
		s.send("stop", "info time 3600000 ...", "info string stopped", "bestmove resign")
	})
}

// go mate 0 is answered from the last decided answer, if that is about the same position.
func TestLastAnswer(t *testing.T) {
	runSession(t, oneMove, func(s *session) {
		mate := []string{"info ... pv G*5b", "checkmate G*5b"}
		timeout := []string{"info time 0 ...", "info string the time limit is reached", "checkmate timeout"}
		s.send(mate1)
		s.send("go mate 0", timeout...)
		s.send("go mate 1000", mate...)
		s.send("go mate 0", mate...)
		s.send(mate1+"\ngo mate 0", mate...)
		s.send("position startpos\ngo mate 0", timeout...)
		s.send("go mate", "info ...", "info string proven...", "checkmate nomate")
		s.send("go mate 0", "info ...", "info string proven...", "checkmate nomate")
		s.send(mate1+"\ngo mate 0", timeout...)
		for _, forget := range []string{"usinewgame", "setoption name Clear"} {
			s.send("go mate 1000", mate...)
			s.send(forget)
			s.send("go mate 0", timeout...)
		}
	})
}

// A writer that waits.
type blockedWriter chan struct{}

func (w blockedWriter) Write(b []byte) (int, error) {
	<-w
	return len(b), nil
}

// A GUI that does not read its answers does not hold up the solver.
func TestSolverDoesNotWaitForTheGUI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reports := 0
		by := func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
			for range 10 {
				solver.ReporterOf(ctx).Report(solver.Progress{})
				reports++
			}
			return solver.Result{}
		}
		out := make(blockedWriter)
		ended := make(chan error)
		go func() {
			ended <- Run(t.Context(), Config{Engine: mateEngine(by)}, strings.NewReader(mate1+"\ngo mate\n"), out)
		}()
		synctest.Wait()
		if reports != 10 {
			t.Errorf("%d reports are taken while nobody reads, want 10", reports)
		}
		close(out)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
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
		runSession(t, onStop, func(s *session) {
			s.send(mate1)
			s.send("go mate infinite")
			s.send(end)
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

// Whatever the solver does, commands are answered at once, and do not disturb the search.
func TestAnswersWhileSearching(t *testing.T) {
	for _, command := range []string{"go mate infinite", "go mate 3600000", "go infinite", "go ponder", "go byoyomi 3600000"} {
		runSession(t, endless, func(s *session) {
			s.send(hard)
			greeting := []string{"info string this is a mate engine..."}
			if strings.Contains(command, "mate") || strings.Contains(command, "ponder") {
				greeting = nil
			}
			s.send(command, greeting...)
			s.send("isready", "readyok")
			s.send("usinewgame\nsetoption name USI_Hash value 64\nnonsense\n\nisready", "readyok")
			s.send("setoption name Threads value x", "info string Threads: found ...")
			usi := []string{"id name Test 1.0", "id author ..."}
			for _, o := range mateEngine(endless).Options() {
				usi = append(usi, "option name "+o.Name+" ...")
			}
			s.send("usi", append(usi, "usiok")...)
			s.after(30 * time.Minute)
			switch {
			case strings.Contains(command, "mate"):
				s.send("stop", "info time 1800000 nodes 1000 nps 0 hashfull 0", "info string stopped", "checkmate timeout")
			case command == "go ponder":
				s.send("stop", "info string this is a mate engine...", "info time ...", "info string stopped", "bestmove resign")
			default:
				s.send("stop", "info time ...", "info string stopped", "bestmove resign")
			}
			s.send("stop")
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
		runSession(t, endless, func(s *session) {
			s.send(tt.position)
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

// Without a time limit there is no answer before stop, and go ponder has none before ponderhit.
func TestNoTimeLimit(t *testing.T) {
	for _, command := range []string{"go mate infinite", "go mate", "go mate -1", "go mate x", "go infinite", "go infinite byoyomi 1000",
		"go ponder byoyomi 1000", "go ponder movetime 1000", "go ponder infinite\nponderhit", "go", "go ponder\nponderhit", "go byoyomi"} {
		runSession(t, endless, func(s *session) {
			s.send(hard)
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
		runSession(t, endless, func(s *session) {
			s.send(mate1)
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

// reporting returns a solver that makes the reports, one a second as it is asked to, and then
// returns r. If it is stopped it returns r early.
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

// A search reports once a second, and at the end how full its table was.
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
		runSession(t, reporting(found, reports...), func(s *session) {
			s.send(mate1)
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
		runSession(t, reporting(found, reports...), func(s *session) {
			s.send(mate1)
			s.send("go ponder movetime 60000")
			s.after(2500 * time.Millisecond)
			s.send("ponderhit")
			s.after(time.Second, "info time 3000 nodes 4000 ...")
		})
	})
	t.Run("the defender's view", func(t *testing.T) {
		runSession(t, reporting(solver.Result{Reason: solver.ReasonCancelled}, reports[3]), func(s *session) {
			s.send(mated)
			s.send("go infinite", "info string this is a mate engine...")
			s.after(time.Second, "info string mate in 1 ply found...", "info ... score mate -1 pv G*5b", "info string white defends...", "info time ...", "info string undecided")
		})
	})
	t.Run("stopped", func(t *testing.T) {
		best := found
		best.Exact, best.NoMateWithin, best.Reason = false, 0, solver.ReasonCancelled
		runSession(t, reporting(best, reports...), func(s *session) {
			s.send(mate1)
			s.send("go mate 4500")
			s.after(4*time.Second, "...", "...", "...", "...", "...")
			s.after(500*time.Millisecond, "info string mate in 1 ply, not proven shortest; the time limit is reached",
				"info depth 1 ... hashfull 500 score mate 1 pv G*5b", "checkmate G*5b")
		})
	})
}

// A solver is made when the first search needs it, and again when table or threads have changed.
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
		go func() {
			ended <- Run(t.Context(), Config{Engine: NewMateEngine(MateConfig{NewSolver: made, MaxThreads: 4})}, r, &out)
		}()
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
		first   int64 // of the configuration, in bytes
		room    int64 // bytes
		declare string
		sizes   []int // by default, and when much is asked for; in MiB
	}{
		{0, 0, "spin default 512 min 1 max 65536", []int{512, 65536}},
		{0, 3 << 30, "spin default 512 min 1 max 3072", []int{512, 3072}},
		{0, 200<<20 + 5, "spin default 200 min 1 max 200", []int{200}},
		{0, 5, "spin default 1 min 1 max 1", []int{1}},
		{0, 1 << 60, "spin default 512 min 1 max 65536", []int{512, 65536}},
		{64 << 20, 1 << 30, "spin default 64 min 1 max 1024", []int{64, 1024}},
		{64 << 20, 32 << 20, "spin default 32 min 1 max 32", []int{32}},
		{5, 0, "spin default 1 min 1 max 65536", []int{1, 65536}},
		{1 << 60, 0, "spin default 65536 min 1 max 65536", []int{65536}},
	} {
		var sizes []int
		made := func(bytes, threads int) solver.Solver {
			sizes = append(sizes, bytes>>20)
			return solver.Func(oneMove)
		}
		out := transcript{t: t}
		in := "usi\n" + mate1 + "\ngo mate 5\nsetoption name USI_Hash value 2147483647\ngo mate 5\n"
		engine := NewMateEngine(MateConfig{NewSolver: made, TableBytes: tt.first, MaxTableBytes: tt.room})
		if err := Run(t.Context(), Config{Engine: engine}, strings.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		if !out.contains("option name USI_Hash type "+tt.declare) || !slices.Equal(sizes, tt.sizes) {
			t.Errorf("with room for %d bytes: tables of %d MiB, want %d; printed %q", tt.room, sizes, tt.sizes, out.take())
		}
	}
}

// An option set during a search counts from the next one.
func TestOptionsDuringSearch(t *testing.T) {
	runSession(t, endless, func(s *session) {
		s.send(hard)
		s.send("go mate infinite")
		s.send("setoption name BestmoveAfterStop value true")
		s.send("stop", "info time ...", "info string stopped", "checkmate timeout")
		s.send("go mate infinite")
		s.send("gameover draw", "info time ...", "info string ended ...", "checkmate timeout")
		s.send("go mate 0", "info time ...", "info string the time limit is reached", "checkmate timeout")
		s.send("go mate infinite")
		s.send("setoption name BestmoveAfterStop value false")
		s.send("stop", "info time ...", "info string stopped", "checkmate timeout", "bestmove resign")
		s.send("go mate infinite\ngo mate 0", "info time ...", "info string ended by the next command", "checkmate timeout",
			"info time ...", "info string the time limit is reached", "checkmate timeout")
	})
}

// GUIs read nodes per second into 32 bits.
func TestNodesPerSecond(t *testing.T) {
	runSession(t, taking(0, solver.Result{Verdict: solver.NoMate, Nodes: 1 << 62}), func(s *session) {
		s.send(hard)
		s.send("go mate 100", "info time 0 nodes 4611686018427387904 nps 2147483647 hashfull 0 score cp 0", "info string proven...", "checkmate nomate")
	})
	runSession(t, taking(2*time.Second, solver.Result{Verdict: solver.NoMate, Nodes: 5000}), func(s *session) {
		s.send(hard)
		s.send("go mate 10000")
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
			runSession(t, tt.by, func(s *session) {
				s.send(mate1)
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
	err := Run(t.Context(), Config{Engine: mateEngine(endless)}, iotest.ErrReader(broken), io.Discard)
	if !errors.Is(err, broken) {
		t.Errorf("reading fails: Run = %v", err)
	}
	r, w := io.Pipe()
	r.CloseWithError(broken)
	err = Run(t.Context(), Config{Engine: mateEngine(endless)}, strings.NewReader(mate1+"\ngo infinite\nusi\n"), w)
	if !errors.Is(err, broken) {
		t.Errorf("writing fails: Run = %v", err)
	}
}

// Commands come without a pause, while the solver takes a random time and sometimes ignores its
// context: every go gets one answer, in order and of its kind.
func TestRandomCommands(t *testing.T) {
	rng := shogitest.NewRand(t)
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
		"setoption name Analysis value full", "setoption name Analysis value none",
		"setoption name MultiPV value 3", "setoption name MultiPV value 1",
	}
	var script strings.Builder
	var want goes
	for range 4000 {
		step := steps[rng.IntN(len(steps))]
		script.WriteString(step + "\n")
		want.command(step)
		if strings.HasPrefix(step, "go depth") || step == "go mate" { // would otherwise wait for good
			script.WriteString("stop\n")
			want.command("stop")
		}
	}
	out := transcript{t: t}
	engine := NewMateEngine(MateConfig{NewSolver: func(int, int) solver.Solver { return solver.Func(by) },
		NewSession: func() solver.Session { return asking(by) }})
	if err := Run(t.Context(), Config{Engine: engine}, strings.NewReader(script.String()), &out); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range out.take() {
		if k := kind(l); k != "" {
			got = append(got, k)
		}
	}
	if !slices.Equal(got, want.want) {
		t.Errorf("%d answers to %d searches, or of another kind", len(got), len(want.want))
	}
}
