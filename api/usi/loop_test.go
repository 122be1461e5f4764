package usi

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// A fakeEngine is an Engine whose answers are set by a test. Its zero value answers at once with
// the zero answers. It counts calls that overlap.
type fakeEngine struct {
	options []Option
	newGame func()
	search  func(ctx context.Context, r Request, report func(Info)) BestMove
	mate    func(ctx context.Context, r Request, report func(Info)) Checkmate

	running, overlaps atomic.Int32
}

// call counts a call until the function it returns is called.
func (e *fakeEngine) call() (end func()) {
	if e.running.Add(1) > 1 {
		e.overlaps.Add(1)
	}
	return func() { e.running.Add(-1) }
}

func (e *fakeEngine) Options() []Option {
	defer e.call()()
	return e.options
}

func (e *fakeEngine) NewGame() {
	defer e.call()()
	if e.newGame != nil {
		e.newGame()
	}
}

func (e *fakeEngine) Search(ctx context.Context, r Request, report func(Info)) BestMove {
	defer e.call()()
	if e.search == nil {
		return BestMove{}
	}
	return e.search(ctx, r, report)
}

func (e *fakeEngine) Mate(ctx context.Context, r Request, report func(Info)) Checkmate {
	defer e.call()()
	if e.mate == nil {
		return Checkmate{}
	}
	return e.mate(ctx, r, report)
}

// The engine gets the whole game, so it can tell a repetition. Each position command replaces the
// game before it.
func TestEngineGetsTheGame(t *testing.T) {
	const (
		kings    = "5i5h 5a5b 5h5i 5b5a " // back to the position after four moves
		checking = "2i1i 1a2a 1i2i 2a1a " // the same, Black checks with every move
		rook     = "position sfen 8k/9/9/9/9/9/9/9/7R1 b - 1"
	)
	var got shogi.Game
	fake := &fakeEngine{
		search: func(_ context.Context, r Request, _ func(Info)) BestMove { got = r.Game; return BestMove{} },
		mate:   func(_ context.Context, r Request, _ func(Info)) Checkmate { got = r.Game; return Checkmate{} },
	}
	runEngine(t, fake, func(s *session) {
		for _, tt := range []struct {
			position, moves string
			want            shogi.Repetition
		}{
			{"position startpos", "", shogi.NoRepetition},
			{"position startpos", strings.Repeat(kings, 2), shogi.NoRepetition},
			{"position startpos", strings.Repeat(kings, 3), shogi.Sennichite},
			{"position startpos", strings.Repeat(kings, 3) + "7g7f", shogi.NoRepetition},
			{"position startpos", strings.Repeat(kings, 3), shogi.Sennichite}, // the last move is taken back
			{"position startpos", kings, shogi.NoRepetition},
			{rook, strings.Repeat(checking, 2), shogi.NoRepetition},
			{rook, strings.Repeat(checking, 3), shogi.PerpetualByBlack},
			{rook, "", shogi.NoRepetition},
		} {
			for command, answer := range map[string]string{"go": "bestmove resign", "go mate": "checkmate timeout"} {
				got = shogi.Game{}
				s.send(tt.position+" moves "+tt.moves+"\n"+command, answer)

				start, err := shogi.ParsePosition(tt.position)
				if err != nil {
					t.Fatal(err)
				}
				end := start.Position()
				for _, m := range moves(t, tt.moves) {
					end.Do(m)
				}
				if got.Start() != start.Position() || got.Position() != end ||
					!slices.Equal(got.Moves(), moves(t, tt.moves)) || got.Repetition() != tt.want {
					t.Errorf("%s moves %s: %s sees %v, repetition %v, want %v",
						tt.position, tt.moves, command, got.Moves(), got.Repetition(), tt.want)
				}
			}
		}
	})
}

// Without a valid position the engine is not asked, and its game does not come back. No game is resigned
// for it: there is a bestmove only for who says stop, and waits for it.
func TestBadPositionIsNotSearched(t *testing.T) {
	asked := 0
	fake := &fakeEngine{
		search: func(context.Context, Request, func(Info)) BestMove { asked++; return BestMove{} },
		mate:   func(context.Context, Request, func(Info)) Checkmate { asked++; return Checkmate{} },
	}
	runEngine(t, fake, func(s *session) {
		s.send("go", "info string error: there was no position command")
		s.send("position startpos")
		s.send("go", "bestmove resign")
		s.send("go mate", "checkmate timeout")
		bad := "info string error: moves, byte 29: move 2: 7g7e is not legal: ..."
		s.send("position startpos moves 7g7f 7g7e", bad)
		s.send("go mate 1000", bad, "checkmate timeout")
		s.send("go btime 1000", bad)
		s.send("stop", "bestmove resign")
		s.send("go movetime 1", bad)
		s.send("gameover win")
		s.send("go infinite", bad)
		s.send("stop", "bestmove resign")
		s.send("go ponder")
		s.send("ponderhit", bad)
		s.send("go ponder")
		s.send("stop", bad, "bestmove resign")
		s.send("position startpos")
		s.send("go", "bestmove resign")
		s.send("position startpos"+strings.Repeat(" ", maxLine), "info string error: a line of more than 4 MiB ...")
		s.send("go", "info string error: the last position line was too long")
		s.send("position startpos")
		s.send("go", "bestmove resign")
		s.send("position startpos\nnonsense"+strings.Repeat(" ", maxLine), "info string error: a line of ...")
		s.send("go", "bestmove resign")
	})
	if asked != 5 {
		t.Errorf("the engine is asked %d times, want 5", asked)
	}
}

// What a go command says arrives in the Request.
func TestRequest(t *testing.T) {
	var got Request
	fake := &fakeEngine{
		search: func(_ context.Context, r Request, _ func(Info)) BestMove { got = r; return BestMove{} },
		mate:   func(_ context.Context, r Request, _ func(Info)) Checkmate { got = r; return Checkmate{} },
	}
	const ms = time.Millisecond
	type times = [2]time.Duration // of Black, of White
	runEngine(t, fake, func(s *session) {
		s.send("position startpos")
		for _, tt := range []struct {
			command string
			want    Request
		}{
			{"go", Request{}},
			{"go btime 1 wtime 2 binc 3 winc 4 byoyomi 5",
				Request{Clock: Clock{Given: true, Left: times{ms, 2 * ms}, Inc: times{3 * ms, 4 * ms}, Byoyomi: 5 * ms}}},
			{"go winc 4", Request{Clock: Clock{Given: true, Inc: times{0, 4 * ms}}}},
			{"go btime -1 wtime x", Request{Clock: Clock{Given: true}}},
			{"go byoyomi", Request{}},
			{"go movetime 7 nodes 8 depth 9", Request{Time: 7 * ms, Timed: true, Nodes: 8, Depth: 9}},
			{"go movetime 0", Request{Timed: true}},
			{"go movetime 99999999999999999999", Request{Time: 1 << 40 * ms, Timed: true}},
			{"go nodes movetime 7", Request{Time: 7 * ms, Timed: true}},
			{"go infinite depth 3", Request{Infinite: true, Depth: 3}},
			{"go searchmoves 7g7f P*5e movetime 7", Request{Moves: moves(t, "7g7f P*5e"), Time: 7 * ms, Timed: true}},
			{"go searchmoves infinite depth 3 searchmoves 2g2f x 7g7f", Request{Infinite: true, Depth: 3, Moves: moves(t, "2g2f")}},
			{"go searchmoves" + strings.Repeat(" 7g7f", 1000), Request{Moves: slices.Repeat(moves(t, "7g7f"), maxSearchMoves)}},
			{"go mate", Request{}},
			{"go mate 0", Request{Timed: true}},
			{"go mate 5000 nodes 8", Request{Time: 5000 * ms, Timed: true, Nodes: 8}},
			{"go infinite mate infinite", Request{}},
			{"go mate infinite movetime 7", Request{Time: 7 * ms, Timed: true}},
		} {
			io.WriteString(s.in, tt.command+"\nstop\n")
			synctest.Wait()
			got.Game = shogi.Game{}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("%s:\n got %+v\nwant %+v", tt.command, got, tt.want)
			}
		}
		s.out.take()
	})
}

// However much is wrong in a go command, the user is told of three faults.
func TestWarnings(t *testing.T) {
	const w = "info string go nodes: found \"x\", expected a number from 0; ignored"
	runEngine(t, &fakeEngine{}, func(s *session) {
		s.send("position startpos\ngo nodes x nodes 5 nodes x", w, w, "bestmove resign")
		s.send("go"+strings.Repeat(" nodes x", 1000), w, w, w, "bestmove resign")
	})
}

// A pondering engine learns of ponderhit, and of the clock that counts from then on. Its answer
// waits for ponderhit, and that to go infinite waits for stop.
func TestPonder(t *testing.T) {
	hit := func(ctx context.Context, r Request, report func(Info)) BestMove {
		report(Info{String: "begun"})
		if r.Ponderhit == nil {
			return BestMove{Win: true}
		}
		select {
		case c := <-r.Ponderhit:
			report(Info{String: fmt.Sprint("hit with ", c.Byoyomi, " for ", r.Clock.Byoyomi)})
			return BestMove{Move: moves(t, "7g7f")[0]}
		case <-ctx.Done():
			return BestMove{}
		}
	}
	runEngine(t, &fakeEngine{search: hit}, func(s *session) {
		s.send("position startpos")
		s.send("ponderhit")
		s.send("go", "info string begun", "bestmove win")
		s.send("go infinite", "info string begun")
		s.send("ponderhit")
		s.send("stop", "bestmove win")
		s.send("go ponder byoyomi 1000", "info string begun")
		s.send("ponderhit", "info string hit with 1s for 1s", "bestmove 7g7f")
		s.send("go ponder byoyomi 1000", "info string begun")
		s.send("ponderhit byoyomi 2000", "info string hit with 2s for 1s", "bestmove 7g7f")
		s.send("go ponder", "info string begun")
		s.send("ponderhit nonsense", "info string hit with 0s for 0s", "bestmove 7g7f")
		s.send("go ponder byoyomi 1000", "info string begun")
		s.send("stop", "bestmove resign")
		s.send("go ponder infinite", "info string begun")
		s.send("ponderhit", "info string hit with 0s for 0s")
		s.send("ponderhit")
		s.send("stop", "bestmove 7g7f")
	})

	atOnce := func(context.Context, Request, func(Info)) BestMove { return BestMove{Win: true} }
	runEngine(t, &fakeEngine{search: atOnce}, func(s *session) {
		s.send("position startpos")
		for _, end := range []string{"ponderhit", "stop", "gameover win", "position startpos"} {
			s.send("go ponder")
			s.after(time.Hour)
			s.send(end, "bestmove win")
			s.after(time.Hour)
		}
		s.send("go infinite")
		s.after(time.Hour)
		s.send("go", "bestmove win", "bestmove win")
	})
}

// The context of a search ends with the command that ends the search, and says why. The lines that
// the engine reports then come before its answer.
func TestWhyASearchEnds(t *testing.T) {
	untilEnd := func(ctx context.Context, report func(Info)) {
		report(Info{String: "begun"})
		<-ctx.Done()
		report(Info{String: context.Cause(ctx).Error()})
		report(Info{String: "done"})
	}
	fake := &fakeEngine{
		search: func(ctx context.Context, _ Request, report func(Info)) BestMove {
			untilEnd(ctx, report)
			return BestMove{}
		},
		mate: func(ctx context.Context, _ Request, report func(Info)) Checkmate {
			untilEnd(ctx, report)
			return Checkmate{}
		},
	}
	tests := []struct{ command, why string }{
		{"stop", "stopped"},
		{"gameover draw", "ended by the next command"},
		{"position startpos", "ended by the next command"},
	}
	runEngine(t, fake, func(s *session) {
		s.send("position startpos")
		for _, tt := range tests {
			s.send("go", "info string begun")
			s.send("isready\nusinewgame", "readyok")
			s.send(tt.command, "info string "+tt.why, "info string done", "bestmove resign")
			s.send("go mate", "info string begun")
			s.send(tt.command, "info string "+tt.why, "info string done", "checkmate timeout")
			s.send("stop") // too late
		}
		s.send("go", "info string begun")
		s.send("go mate", "info string ended by the next command", "info string done", "bestmove resign",
			"info string begun")
		s.in.Close()
		s.after(endTimeout - time.Millisecond)
		s.after(time.Millisecond, "info string the input has ended", "info string done", "checkmate timeout")
	})
}

// After quit nothing is printed, and an engine that reports all the same is not blocked for good.
func TestQuit(t *testing.T) {
	var ended atomic.Bool
	chatty := func(ctx context.Context, _ Request, report func(Info)) BestMove {
		<-ctx.Done()
		for range 100 {
			report(Info{String: "late"})
		}
		ended.Store(true)
		return BestMove{}
	}
	for _, command := range []string{"go", "go infinite", "go ponder"} {
		ended.Store(false)
		runEngine(t, &fakeEngine{search: chatty}, func(s *session) {
			s.send("position startpos\n" + command)
			s.send("quit")
			s.after(time.Hour)
			if !s.hasEnded() || s.err != nil || !ended.Load() {
				t.Errorf("%s, quit: Run has ended: %v, with %v; the engine: %v", command, s.hasEnded(), s.err, ended.Load())
			}
		})
	}
}

// The lines of info, and of each answer.
func TestLinesOfSearch(t *testing.T) {
	pv := moves(t, "7g7f P*3d 8h2b+")
	infos := []struct {
		info Info
		want string
	}{
		{Info{}, "info time 0 nodes 0 nps 0 hashfull 0"},
		{Info{String: "two  words\nand 詰"}, `info string two words and \xe8\xa9\xb0`},
		{Info{String: "text", Depth: 3, PV: pv}, "info string text"},
		{Info{Depth: 3, SelDepth: 5, Time: 2500 * time.Millisecond, Nodes: 5000, HashFull: 0.0625, PV: pv},
			"info depth 3 seldepth 5 time 2500 nodes 5000 nps 2000 hashfull 62 pv 7g7f P*3d 8h2b+"},
		{Info{Time: 100 * time.Millisecond, Nodes: 5000}, "info time 100 nodes 5000 nps 50000 hashfull 0"},
		{Info{SelDepth: 5, HashFull: 1}, "info time 0 nodes 0 nps 0 hashfull 1000"},
		{Info{MultiPV: 2, Score: Score{Kind: Centipawns, Value: -35}, PV: pv[:1]},
			"info time 0 nodes 0 nps 0 hashfull 0 multipv 2 score cp -35 pv 7g7f"},
		{Info{Score: Score{Kind: Centipawns, Bound: LowerBound}}, "info ... score cp 0 lowerbound"},
		{Info{Score: Score{Kind: MateInPlies, Value: -4, Bound: UpperBound}}, "info ... score mate -4 upperbound"},
		{Info{Score: Score{Kind: MateInPlies, Value: 7}, PV: pv}, "info ... score mate 7 pv 7g7f P*3d 8h2b+"},
		{Info{Score: Score{Value: 7, Bound: LowerBound}}, "info time 0 nodes 0 nps 0 hashfull 0"},
	}
	var best BestMove
	var checkmate Checkmate
	fake := &fakeEngine{
		search: func(_ context.Context, _ Request, report func(Info)) BestMove {
			for _, tt := range infos {
				report(tt.info)
			}
			return best
		},
		mate: func(context.Context, Request, func(Info)) Checkmate { return checkmate },
	}
	runEngine(t, fake, func(s *session) {
		s.send("position startpos")
		var want []string
		for _, tt := range infos {
			want = append(want, tt.want)
		}
		s.send("go", append(want, "bestmove resign")...)

		infos = nil
		for _, tt := range []struct {
			best BestMove
			want string
		}{
			{BestMove{Move: pv[0]}, "bestmove 7g7f"},
			{BestMove{Move: pv[0], Ponder: pv[1]}, "bestmove 7g7f ponder P*3d"},
			{BestMove{Ponder: pv[1]}, "bestmove resign"},
			{BestMove{Win: true, Move: pv[0]}, "bestmove win"},
		} {
			best = tt.best
			s.send("go", tt.want)
		}
		for _, tt := range []struct {
			checkmate Checkmate
			want      []string
		}{
			{Checkmate{Line: pv, NoMate: true}, []string{"checkmate 7g7f P*3d 8h2b+"}},
			{Checkmate{NoMate: true, NotImplemented: true}, []string{"checkmate nomate"}},
			{Checkmate{NotImplemented: true}, []string{"checkmate notimplemented"}},
			{Checkmate{ThenResign: true}, []string{"checkmate timeout", "bestmove resign"}},
		} {
			checkmate = tt.checkmate
			s.send("go mate", tt.want...)
		}
	})
}

// Options of each type are declared in the order of the fields that GUIs expect, and get only valid
// values.
func TestOptions(t *testing.T) {
	number, truth := 5, true
	var set []string
	record := func(name string) func(string) {
		return func(value string) { set = append(set, name+"="+value) }
	}
	fake := &fakeEngine{options: []Option{
		SpinVar(&number, "Number", -3, 9),
		CheckVar(&truth, "Truth"),
		{Name: "Style", Type: Combo, Default: "calm", Vars: []string{"calm", "Wild"}, Set: record("Style")},
		{Name: "Push", Type: Button, Set: record("Push")},
		{Name: "Text", Type: String, Set: record("Text")},
		{Name: "Book", Type: Filename, Default: "a.db", Set: record("Book")},
		{Name: "One", Type: Spin, Default: "1", Min: 1, Max: 1, Set: record("One")},
	}}
	runEngine(t, fake, func(s *session) {
		declared := []string{"id name Test 1.0", "id author ...",
			"option name Number type spin default 5 min -3 max 9",
			"option name Truth type check default true",
			"option name Style type combo default calm var calm var Wild",
			"option name Push type button",
			"option name Text type string default <empty>",
			"option name Book type filename default a.db",
			"option name One type spin default 1 min 1 max 1",
			"usiok"}
		s.send("usi", declared...)
		for _, tt := range []struct{ command, warning, state string }{
			{"name Number value 7", "", "7 true []"},
			{"name number value 10", "Number: found \"10\", expected a number from -3 to 9; taken as 9", "9 true []"},
			{"name Number value -99999999999999999999", "Number: found ...; taken as -3", "-3 true []"},
			{"name Number value 7.5", "Number: found \"7.5\", expected a number from -3 to 9; ignored", "-3 true []"},
			{"name Number", "Number: found \"\", expected ...; ignored", "-3 true []"},
			{"Number value 2", "", "2 true []"},
			{"name TRUTH value False", "", "2 false []"},
			{"name Truth value 1", "Truth: found \"1\", expected true or false; it stays false", "2 false []"},
			{"name Style value wild", "", "2 false [Style=Wild]"},
			{"name Style value tame", "Style: found \"tame\", expected one of calm, Wild; it stays Wild", "2 false []"},
			{"name Push", "", "2 false [Push=]"},
			{"name Push value x", "", "2 false [Push=]"},
			{"name Text value a value  b", "", "2 false [Text=a value b]"},
			{"name Text value <empty>", "", "2 false [Text=]"},
			{"name Book value ", "", "2 false [Book=]"},
			{"name One value 2", "One: found \"2\", expected 1; taken as 1", "2 false []"},
			{"name Other value 2", "no option \"Other\"", "2 false []"},
			{"", "no option \"\"", "2 false []"},
		} {
			var want []string
			if tt.warning != "" {
				want = []string{"info string " + tt.warning}
			}
			set = nil
			s.send("setoption "+tt.command, want...)
			if got := fmt.Sprint(number, truth, set); got != tt.state {
				t.Errorf("setoption %s: %s, want %s", tt.command, got, tt.state)
			}
		}
		s.send("usi", declared...) // the defaults stay
	})
}

// Options, buttons and new games that come during a search reach the engine after the answer, in
// order. Values are checked at once.
func TestOneCallAtATime(t *testing.T) {
	number, truth := 5, false
	var log []string
	fake := &fakeEngine{
		options: []Option{SpinVar(&number, "Number", 1, 9), CheckVar(&truth, "Truth"),
			{Name: "Push", Type: Button, Set: func(string) { log = append(log, fmt.Sprint("push ", number, truth)) }}},
		newGame: func() { log = append(log, fmt.Sprint("new game ", number, truth)) },
		search: func(ctx context.Context, r Request, _ func(Info)) BestMove {
			if r.Infinite {
				<-ctx.Done()
			}
			log = append(log, fmt.Sprint("search ", number, truth))
			return BestMove{}
		},
	}
	runEngine(t, fake, func(s *session) {
		s.send("position startpos\nusinewgame\ngo infinite")
		s.send("setoption name Number value 7\nusinewgame")
		s.send("setoption name Number value x", "info string Number: found \"x\", expected ...; ignored")
		s.send("setoption name Push\nsetoption name Number value 8\nsetoption name Truth value true")
		s.send("setoption name Truth value x", "info string Truth: found \"x\", expected true or false; it stays true")
		s.send("stop", "bestmove resign")
		s.send("setoption name Push")
		s.send("go ponder") // the engine has its answer, and still waits
		s.send("usinewgame")
		s.send("ponderhit", "bestmove resign")
		want := []string{"new game 5 false", "search 5 false", "new game 7 false", "push 7 false",
			"push 8 true", "search 8 true", "new game 8 true"}
		if !slices.Equal(log, want) {
			t.Errorf("the calls are %q, want %q", log, want)
		}
	})
}

// Whatever comes in whatever order: the calls of the engine never overlap, and every go is
// answered.
func TestRandomCommandsOneCallAtATime(t *testing.T) {
	rng := shogitest.NewRand(t)
	number := 0
	wait := func(ctx context.Context, r Request) {
		if n := r.Nodes; n > 0 { // its time
			select {
			case <-time.After(time.Duration(n) * time.Millisecond):
			case <-ctx.Done():
				time.Sleep(time.Duration(number) * time.Millisecond)
			}
		}
	}
	fake := &fakeEngine{
		options: []Option{SpinVar(&number, "Number", 0, 9)},
		search: func(ctx context.Context, r Request, _ func(Info)) BestMove {
			wait(ctx, r)
			return BestMove{}
		},
		mate: func(ctx context.Context, r Request, _ func(Info)) Checkmate {
			wait(ctx, r)
			return Checkmate{}
		},
	}
	steps := []string{"go nodes 3", "go", "go infinite", "go ponder nodes 3", "go mate nodes 3", "ponderhit", "stop",
		"gameover win", "position startpos", "position bad", "setoption name Number value 1",
		"setoption name Number value 4", "usinewgame"}
	runEngine(t, fake, func(s *session) {
		s.send("position startpos")
		want := goes{hasPosition: true}
		for range 3000 {
			step := steps[rng.IntN(len(steps))]
			want.command(step)
			io.WriteString(s.in, step+"\n")
			time.Sleep(time.Duration(rng.IntN(4)) * time.Millisecond)
		}
		s.in.Close()
		<-s.ended
		var got []string
		for _, l := range s.out.take() {
			if k := kind(l); k != "" {
				got = append(got, k)
			}
		}
		if !slices.Equal(got, want.want) {
			t.Errorf("%d answers to %d searches, or of another kind", len(got), len(want.want))
		}
	})
	if n := fake.overlaps.Load(); n > 0 {
		t.Errorf("%d calls of the engine came during another", n)
	}
}

// Only the engines that play and solve know who does: the rest of the package is for any Engine.
func TestLoopKnowsNoSolver(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if strings.HasPrefix(file, "mate") || strings.HasPrefix(file, "play") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if strings.Contains(i.Path.Value, "/solver") {
				t.Errorf("%s imports %s", file, i.Path.Value)
			}
		}
	}
}

// If the last answer cannot be written, that is an error too.
func TestLastAnswerCannotBeWritten(t *testing.T) {
	broken := errors.New("broken")
	r, w := io.Pipe()
	r.CloseWithError(broken)
	in := strings.NewReader("position startpos\ngo infinite")
	if err := Run(t.Context(), Config{Engine: &fakeEngine{}}, in, w); !errors.Is(err, broken) {
		t.Errorf("Run = %v, want %v", err, broken)
	}
}

// GUIs send the whole game with each move, so a game of n moves costs n²/2 moves to parse. At 500
// moves that has to be small beside the time for one move.
func BenchmarkPosition500Moves(b *testing.B) {
	rng := shogitest.NewRand(b)
	p := shogi.Start()
	command := []byte("position startpos moves")
	var buf shogi.MoveBuffer
	for range 500 {
		list := p.LegalMoves(&buf, shogi.AllMoves)
		m := list[rng.IntN(len(list))]
		command = m.AppendUSI(append(command, ' '))
		p.Do(m)
	}
	l := &loop{printer: printer{out: io.Discard}}
	text := string(command)
	for b.Loop() {
		l.setPosition(text)
		if l.game == nil || len(l.game.Moves()) != 500 {
			b.Fatal(l.gameErr)
		}
	}
}
