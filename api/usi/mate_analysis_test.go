package usi

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// asking is a Session that asks a solver.
type asking solver.Func

func (a asking) Ask(ctx context.Context, q solver.Question) solver.Result {
	return a(ctx, q.Position, q.Limits)
}

func (a asking) Decide(ctx context.Context, q solver.Question) solver.Decision {
	r := a(ctx, q.Position, q.Limits)
	return solver.Decision{Verdict: r.Verdict, Reason: r.Reason, Nodes: r.Nodes}
}

func (a asking) Reset() {}

// thorough is oneMove that takes all nodes it may, so that an analysis soon comes to its end.
func thorough(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
	r := oneMove(ctx, p, lim)
	r.Nodes = max(r.Nodes, lim.Nodes)
	return r
}

// mateIn1 is a solver that knows one answer.
var mateIn1 = taking(0, solver.Result{Verdict: solver.Mate, Exact: true, Nodes: 1,
	Line: []shogi.Move{shogi.NewDrop(shogi.Gold, shogi.SquareAt(shogi.File5, shogi.RankB))}})

// sessionEngine returns an engine with sessions of that kind, and how many were made.
func sessionEngine(by solver.Func, session solver.Func) (*MateEngine, *int) {
	made := new(int)
	return NewMateEngine(MateConfig{NewSolver: func(int, int) solver.Solver { return by },
		NewSession: func() solver.Session { *made++; return asking(session) }}), made
}

// A session that does not stop keeps nobody waiting: not after a stop, and not after the time for
// the whole answer. It is not used again.
func TestUnresponsiveSession(t *testing.T) {
	stuck := func(context.Context, shogi.Position, solver.Limits) solver.Result {
		time.Sleep(time.Hour)
		return solver.Result{Reason: solver.ReasonCancelled}
	}
	for _, option := range []string{"Analysis value full", "Analysis value cooks", "MultiPV value 2"} {
		engine, made := sessionEngine(mateIn1, stuck)
		runEngine(t, engine, func(s *session) {
			multi := ""
			if strings.HasPrefix(option, "MultiPV") {
				multi = " multipv 1"
			}
			pv := "info depth 1 ... hashfull 0" + multi + " score mate 1 pv G*5b"
			s.send("setoption name " + option)
			s.send(mate1)
			s.send("go mate infinite", pv)
			s.after(time.Minute)
			s.send("stop")
			const late = "info string no time to say more: what is not named is unknown"
			s.after(50*time.Millisecond, late, pv, "checkmate G*5b")
			s.send("go mate 1000", pv)
			s.after(899 * time.Millisecond)
			s.after(101*time.Millisecond, late, pv, "checkmate G*5b")
			s.send("go mate 0", pv, "checkmate G*5b")
			s.after(2 * time.Hour)
			if *made != 2 {
				t.Errorf("%s: %d sessions were made, want one for each search", option, *made)
			}
			s.send("go mate infinite", pv)
			s.send("quit")
			s.after(time.Second)
			if !s.hasEnded() {
				t.Fatal("still running a second after quit")
			}
			time.Sleep(time.Hour)
		})
	}
}

// The time for the answer is that of the search and the analysis together. What is not decided by
// then is named.
func TestAnalysisTime(t *testing.T) {
	mate := mateIn1(t.Context(), shogi.Position{}, solver.Limits{})
	engine, made := sessionEngine(taking(600*time.Millisecond, mate), endless)
	runEngine(t, engine, func(s *session) {
		s.send("setoption name Analysis value cooks")
		s.send(mate1)
		s.send("go mate 1000")
		s.after(600*time.Millisecond, "info depth 1 ... time 600 ... pv G*5b")
		s.after(299 * time.Millisecond)
		s.after(time.Millisecond, "info string other checks 0 fail 0 mate 0 unknown 0, limit_time",
			"info depth 1 ... pv G*5b", "checkmate G*5b")
		s.send("go mate 500") // for which the search takes too long
		s.after(550*time.Millisecond, "info time ...", "info string the time limit is reached", "checkmate timeout")
		if *made != 1 {
			t.Errorf("%d sessions, want one", *made)
		}
	})
}

// Without the options nothing is different, and no session is made.
func TestNoAnalysis(t *testing.T) {
	engine, made := sessionEngine(mateIn1, endless)
	runEngine(t, engine, func(s *session) {
		s.send(mate1)
		s.send("go mate 1000", "info depth 1 ... hashfull 0 score mate 1 pv G*5b", "checkmate G*5b")
		s.send("setoption name MultiPV value 2")
		s.send("go byoyomi 1000", "info string this is a mate engine: ...",
			"info depth 1 ... hashfull 0 multipv 1 score mate 1 pv G*5b", "bestmove G*5b")
		if *made != 0 {
			t.Error("a session was made")
		}
	})
	for _, o := range mateEngine(oneMove).Options() {
		if o.Name == "Analysis" || o.Name == "MultiPV" || o.Name == "MateMode" {
			t.Errorf("there is %s without sessions", o.Name)
		}
	}
}

// A session takes memory from the table, as long as an option needs it. Where there is too little
// for both there is no analysis.
func TestSessionMemory(t *testing.T) {
	for _, tt := range []struct {
		room  int64 // MiB
		hash  string
		sizes []int // of the tables: without, with and again without the option
		made  int
	}{
		{0, "64", []int{64}, 1},
		{100, "100", []int{100, 46, 100}, 1},
		{100, "46", []int{46}, 1},
		{55, "55", []int{55, 1, 55}, 1},
		{54, "54", []int{54}, 0},
		{1, "1", []int{1}, 0},
	} {
		var sizes []int
		made := 0
		engine := NewMateEngine(MateConfig{MaxTableBytes: tt.room << 20, SessionBytes: 54 << 20,
			NewSolver: func(bytes, _ int) solver.Solver {
				sizes = append(sizes, bytes>>20)
				return mateIn1
			},
			NewSession: func() solver.Session { made++; return asking(thorough) }})
		var out transcript
		synctest.Test(t, func(t *testing.T) {
			out = transcript{t: t}
			r, w := io.Pipe()
			ended := make(chan error)
			go func() { ended <- Run(t.Context(), Config{Engine: engine}, r, &out) }()
			for _, line := range []string{"setoption name USI_Hash value " + tt.hash, mate1, "go mate",
				"setoption name Analysis value cooks", "go mate", "setoption name Analysis value none", "go mate"} {
				io.WriteString(w, line+"\n")
				synctest.Wait()
				time.Sleep(time.Millisecond) // in which the solver answers
				synctest.Wait()
			}
			w.Close()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
		refused := out.contains("info string Analysis, MultiPV and MateMode need 54 MiB, which this machine does not have")
		if !slices.Equal(sizes, tt.sizes) || made != tt.made || refused != (tt.made == 0) {
			t.Errorf("of %d MiB: tables of %d, want %d; %d sessions; refused: %t", tt.room, sizes, tt.sizes, made, refused)
		}
		if engine.held.session != nil && !engine.hasRoomBeside() {
			t.Error("the session is kept without the option, and without room for it")
		}
	}
}

// With a real session: wherever a stop comes, little is searched after it, and what is said by then
// is not contradicted by the whole report.
func TestAnalysisStop(t *testing.T) {
	if testing.Short() {
		t.Skip("searches for seconds")
	}
	const cooked = "position sfen 5+P1k1/9/5+rB2/9/9/9/9/9/9 b RPb4g4s4n4l16p 1"
	line := solver.Result{Verdict: solver.Mate, Exact: true, Line: moves(t, "R*2b 2a1a 2b3b 4c3c P*1b 1a2a 4a3a")}
	stops := 0
	for again := true; again; stops++ {
		stopped := &stopping{Session: dfpn.NewSession(), at: 1<<stops + 7*stops}
		engine := NewMateEngine(MateConfig{NewSolver: func(int, int) solver.Solver { return taking(0, line) },
			NewSession: func() solver.Session { return stopped }})
		runEngine(t, engine, func(s *session) {
			stopped.stop = func() { io.WriteString(s.in, "stop\n") }
			io.WriteString(s.in, "setoption name Analysis value full\nsetoption name MultiPV value 3\n"+cooked+"\ngo mate infinite\n")
			synctest.Wait()
			if again = stopped.looks >= stopped.at; !again { // it has ended by itself
				if every := stopped.nodes / uint64(stopped.looks); every > 1024 { // a millisecond's worth
					t.Errorf("the session looks at its context every %d nodes", every)
				}
				stopped.stop()
				synctest.Wait()
			}
			// No time passes here: the answer comes since the session ends, and not without it.
			said := s.out.take()
			if last := said[len(said)-1]; kind(last) != "checkmate" {
				t.Errorf("stopped at look %d: %q is the last line", stopped.at, last)
			}
			// Some questions are still asked, and given back at once.
			if stopped.later > 100 || stopped.laterNodes > 0 {
				t.Errorf("stopped at look %d: the session looked %d times more, and searched %d nodes in later questions",
					stopped.at, stopped.later, stopped.laterNodes)
			}
			for _, l := range said {
				if strings.HasPrefix(l, "info string cook") && l != "info string cook ply 1 R*2c distance_drop mate 9" ||
					strings.HasPrefix(l, "info string sound yes") {
					t.Errorf("stopped at look %d: %s", stopped.at, l)
				}
			}
		})
	}
	if stops < 8 {
		t.Errorf("only %d stops", stops)
	}
}

// A stopping Session calls stop when it looks at the context for the time at, and counts the looks,
// of which there is at least one for each question.
type stopping struct {
	solver.Session
	stop       func()
	at, looks  int
	later      int    // looks after the stop
	nodes      uint64 // of all questions
	laterNodes uint64 // of those after the stop
}

func (s *stopping) Ask(ctx context.Context, q solver.Question) (r solver.Result) {
	defer s.add(ctx.Err() != nil, &r.Nodes)
	return s.Session.Ask(stoppingContext{ctx, s}, q)
}

func (s *stopping) Decide(ctx context.Context, q solver.Question) (d solver.Decision) {
	defer s.add(ctx.Err() != nil, &d.Nodes)
	return s.Session.Decide(stoppingContext{ctx, s}, q)
}

func (s *stopping) add(later bool, nodes *uint64) {
	if s.nodes += *nodes; later {
		s.laterNodes += *nodes
	}
}

type stoppingContext struct {
	context.Context
	session *stopping
}

func (c stoppingContext) Err() error {
	s := c.session
	if c.Context.Err() != nil {
		s.later++
	} else if s.looks++; s.looks == s.at {
		s.stop()
		<-c.Done()
	}
	return c.Context.Err()
}
