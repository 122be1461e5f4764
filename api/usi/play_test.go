package usi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/play"
)

const startpos = "position startpos"

// A fakePlayer is a play.Engine that a test writes. It counts its games.
type fakePlayer struct {
	search func(ctx context.Context, g *shogi.Game, lim play.Limits, report func(play.Info)) play.Choice
	games  int
}

func (f *fakePlayer) NewGame() { f.games++ }

func (f *fakePlayer) Search(ctx context.Context, g *shogi.Game, lim play.Limits, report func(play.Info)) play.Choice {
	return f.search(ctx, g, lim, report)
}

// playEngine returns a PlayEngine with the one level "fake".
func playEngine(search func(context.Context, *shogi.Game, play.Limits, func(play.Info)) play.Choice) *PlayEngine {
	return NewPlayEngine(PlayConfig{
		Mate:   MateConfig{NewSolver: func(int, int) solver.Solver { return solver.Func(oneMove) }, MaxThreads: 8},
		Levels: []string{"fake"},
		NewPlayer: func(string, PlayerOptions) (play.Engine, error) {
			return &fakePlayer{search: search}, nil
		}})
}

// firstMove chooses the first legal move at once.
func firstMove(_ context.Context, g *shogi.Game, _ play.Limits, _ func(play.Info)) play.Choice {
	var buf shogi.MoveBuffer
	p := g.Position()
	if list := p.LegalMoves(&buf, shogi.AllMoves); len(list) > 0 {
		return play.Choice{Move: list[0]}
	}
	return play.Choice{}
}

// tick is how long thinking takes for a ply. It divides no time of the tests.
const tick = 99 * time.Millisecond

// thinking searches a ply deeper with every tick, and reports it, until a limit or its context ends
// that. It values the position at so many centipawns as the depth.
func thinking(ctx context.Context, g *shogi.Game, lim play.Limits, report func(play.Info)) play.Choice {
	choice := firstMove(ctx, g, lim, report)
	if lim.Moves != nil {
		choice.Move = lim.Moves[0]
	}
	var hard <-chan time.Time
	if lim.Time.Hard > 0 {
		hard = time.After(lim.Time.Hard)
	}
	for {
		select {
		case <-ctx.Done():
			return choice
		case <-hard:
			return choice
		case b := <-lim.Ponderhit:
			if b.Hard > 0 {
				hard = time.After(b.Hard)
			}
		case <-time.After(tick):
			choice.Depth++
			choice.Nodes += 1000
			choice.Score = play.Score(choice.Depth)
			for k := range max(lim.MultiPV, 1) {
				report(play.Info{Depth: choice.Depth, SelDepth: choice.Depth + 1, MultiPV: k + 1, HashFull: 0.5,
					Score: choice.Score - play.Score(k), Nodes: choice.Nodes, Line: []shogi.Move{choice.Move}})
			}
			if choice.Depth == lim.Depth || choice.Nodes == lim.Nodes {
				return choice
			}
		}
	}
}

// What a go command and the options say arrives in the Limits.
func TestPlayLimits(t *testing.T) {
	var got play.Limits
	engine := playEngine(func(ctx context.Context, g *shogi.Game, lim play.Limits, report func(play.Info)) play.Choice {
		got = lim
		return firstMove(ctx, g, lim, report)
	})
	const ms = time.Millisecond
	soft := func(soft, hard time.Duration) play.Limits {
		return play.Limits{Time: play.Budget{Soft: soft, Hard: hard}}
	}
	same := func(d time.Duration) play.Limits { return soft(d, d) }
	runEngine(t, engine, func(s *session) {
		s.send(startpos)
		for _, tt := range []struct {
			command string
			want    play.Limits
		}{
			{"go", play.Limits{}},
			{"go infinite", play.Limits{}},
			{"go infinite movetime 1000", play.Limits{}},
			{"go depth 3 nodes 500", play.Limits{Depth: 3, Nodes: 500}},
			{"go movetime 1000", same(990 * ms)},
			{"go byoyomi 1000", same(900 * ms)},
			{"go btime 0 wtime 60000 byoyomi 1000", same(900 * ms)},
			{"go byoyomi 1000 nodes 7", play.Limits{Nodes: 7, Time: play.Budget{Soft: 900 * ms, Hard: 900 * ms}}},
			{"go btime 0 wtime 0", same(time.Second)},
			{"go movetime 0", same(time.Second)},
			// At ply 1 there are 89 moves to come.
			{"go btime 890000 wtime 0 binc 1000 winc 5000", soft(10900*ms, 54900*ms)},
			{"setoption name NetworkDelay value 50\ngo byoyomi 1000", same(950 * ms)},
			{"setoption name NetworkDelay2 value 50\ngo byoyomi 1000", same(950 * ms)},
			{"setoption name SlowMover value 50\ngo btime 890000 wtime 0 binc 1000 winc 5000", soft(5450*ms, 54950*ms)},
			{"setoption name SlowMover value 100\nsetoption name RoundUpToFullSecond value true\n" +
				"go btime 890000 wtime 0 binc 500 winc 5000", soft(10950*ms, 52950*ms)},
			{"setoption name RoundUpToFullSecond value false\nsetoption name MinimumThinkingTime value 3000\n" +
				"go btime 89000 wtime 0 binc 1000 winc 5000", soft(3000*ms, 9950*ms)},
			{"setoption name MinimumThinkingTime value 0\nsetoption name NodesLimit value 100\ngo depth 1",
				play.Limits{Depth: 1, Nodes: 100}},
			{"go nodes 99", play.Limits{Nodes: 99}},
			{"go nodes 101", play.Limits{Nodes: 100}},
			{"setoption name NodesLimit value 0\nsetoption name MultiPV value 600\ngo depth 1", play.Limits{Depth: 1, MultiPV: 600}},
			{"setoption name MultiPV value 1\nsetoption name MaxMovesToDraw value 320\n" +
				"setoption name LastMoveRule value mate-draws\nsetoption name EnteringKingRule value noenteringking\ngo depth 1",
				play.Limits{Depth: 1, Rules: play.Rules{MaxMoves: 320, LastMove: play.MateDraws, EnteringKing: shogi.NoEnteringKing}}},
			{"setoption name LastMoveRule value extend-checks\nsetoption name EnteringKingRule value CSARule27\ngo depth 1",
				play.Limits{Depth: 1, Rules: play.Rules{MaxMoves: 320, LastMove: play.ExtendChecks}}},
		} {
			got = play.Limits{}
			s.in.Write([]byte(tt.command + "\nstop\n"))
			synctest.Wait()
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("%s:\n got %+v\nwant %+v", tt.command, got, tt.want)
			}
		}
		s.out.take()
	})
}

// The time in which a player is made is time of its first move.
func TestPlayMakingTakesTime(t *testing.T) {
	engine := playEngine(thinking)
	newPlayer := engine.config.NewPlayer
	engine.config.NewPlayer = func(level string, o PlayerOptions) (play.Engine, error) {
		time.Sleep(150 * time.Millisecond)
		return newPlayer(level, o)
	}
	runEngine(t, engine, func(s *session) {
		s.send(startpos + "\ngo byoyomi 500")
		s.after(249*time.Millisecond, "info depth 1 ...")
		s.after(tick, "info depth 2 ...")
		s.after(52*time.Millisecond, "bestmove ...")
		s.send("go byoyomi 50")
		s.after(40*time.Millisecond, "bestmove ...")
	})
}

// The clock of the side to move counts.
func TestPlayClockOfWhite(t *testing.T) {
	runEngine(t, playEngine(thinking), func(s *session) {
		s.send(startpos + " moves 7g7f")
		s.send("go btime 60000 wtime 0 byoyomi 250")
		s.after(197*time.Millisecond, "info depth 1 ...")
		s.after(time.Millisecond, "info depth 2 seldepth 3 time 198 nodes 2000 nps 10101 hashfull 500 score cp 2 pv ...")
		s.after(time.Millisecond)
		s.after(time.Millisecond, "bestmove ...")
	})
}

func TestPlayStop(t *testing.T) {
	runEngine(t, playEngine(thinking), func(s *session) {
		s.send(startpos)
		for _, command := range []string{"go infinite", "go", "go btime 600000 wtime 600000", "go ponder"} {
			silent := command == "go ponder"
			s.send(command)
			s.send("stop", "bestmove ...") // before there is anything to report
			s.send("stop")
			s.send(command)
			if silent {
				s.after(150 * time.Millisecond)
				s.send("stop", "info depth 1 ...", "bestmove ...")
			} else {
				s.after(150*time.Millisecond, "info depth 1 ...")
				s.send("stop", "bestmove ...")
			}
			s.send("stop")
		}
		// After the search has ended, the answer waits for stop.
		s.send("go infinite depth 2")
		s.after(time.Hour, "info depth 1 ...", "info depth 2 ...")
		s.send("isready", "readyok")
		s.send("stop", "bestmove ...")
		s.send("go ponder depth 2")
		s.after(time.Hour)
		s.send("gameover lose", "info depth 2 ...", "bestmove ...")
		s.send("go infinite")
		s.send("position startpos moves 2g2f", "bestmove ...")
		s.send("go infinite")
		s.send("quit")
	})
}

// While the engine ponders it is silent. From ponderhit on the clock counts, and lines come.
func TestPlayPonder(t *testing.T) {
	runEngine(t, playEngine(thinking), func(s *session) {
		s.send(startpos)
		s.send("go ponder btime 0 wtime 0 byoyomi 500")
		s.after(1000*tick + time.Millisecond)
		s.send("ponderhit")
		s.after(399*time.Millisecond, "info depth 1001 ...", "info depth 1002 ...", "info depth 1003 ...", "info depth 1004 ...")
		s.after(time.Millisecond, "bestmove ...")
		// The times come with ponderhit, or not at all: then there is a second for the move, but as long as
		// it takes if something else ends the search.
		s.send("go ponder")
		s.send("ponderhit btime 0 wtime 0 byoyomi 125")
		s.after(tick, "info depth 1 ...")
		s.after(time.Millisecond, "bestmove ...")
		s.send("go ponder")
		s.send("ponderhit")
		s.after(999*time.Millisecond, slices.Repeat([]string{"info depth ..."}, 10)...)
		s.after(time.Millisecond, "bestmove ...")
		s.send("go ponder depth 20")
		s.send("ponderhit")
		s.after(20*tick-time.Millisecond, slices.Repeat([]string{"info depth ..."}, 19)...)
		s.after(time.Millisecond, "info depth 20 ...", "bestmove ...")
		// A search that is over by then is answered on ponderhit.
		s.send("go ponder depth 1 byoyomi 1000")
		s.after(time.Hour)
		s.send("ponderhit", "info depth 1 ...", "bestmove ...")
		s.send("go ponder infinite")
		s.send("ponderhit")
		s.after(150*time.Millisecond, "info depth 1 ...")
		s.send("stop", "bestmove ...")
	})
}

// The reply to ponder on is named if the GUI wants it, and if it is legal.
func TestPlayPonderMove(t *testing.T) {
	reply := "3c3d"
	engine := playEngine(func(context.Context, *shogi.Game, play.Limits, func(play.Info)) play.Choice {
		return play.Choice{Move: moves(t, "7g7f")[0], Ponder: moves(t, reply)[0]}
	})
	runEngine(t, engine, func(s *session) {
		s.send(startpos)
		s.send("go", "bestmove 7g7f")
		s.send("setoption name USI_Ponder value true\ngo", "bestmove 7g7f ponder 3c3d")
		reply = "7c7b"
		s.send("go", "bestmove 7g7f")
	})
}

// The lines of a MultiPV come together, the moves of searchmoves alone count.
func TestPlayMultiPV(t *testing.T) {
	runEngine(t, playEngine(thinking), func(s *session) {
		s.send(startpos + "\nsetoption name MultiPV value 3")
		s.send("go depth 1 searchmoves 7g7f 2g2f")
		s.after(time.Second,
			"info depth 1 seldepth 2 time 99 nodes 1000 nps 10101 hashfull 500 multipv 1 score cp 1 pv 7g7f",
			"info depth 1 seldepth 2 time 99 nodes 1000 nps 10101 hashfull 500 multipv 2 score cp 0 pv 7g7f",
			"info depth 1 seldepth 2 time 99 nodes 1000 nps 10101 hashfull 500 multipv 3 score cp -1 pv 7g7f",
			"bestmove 7g7f")
		s.send("setoption name MultiPV value 1")
		s.send("go depth 1 searchmoves 7g7e 2g2f", "info string go searchmoves: found 1 illegal, left out")
		s.after(time.Second, "info depth 1 ... score cp 1 pv 2g2f", "bestmove 2g2f")
		s.send("go ponder depth 1 searchmoves 7g7e")
		s.after(time.Second)
		s.send("ponderhit", "info string go searchmoves: found 1 illegal, all moves are searched", "info depth 1 ...", "bestmove ...")
	})
}

// However much a player reports, ten lines a second are printed in the long run, sets of MultiPV as
// a whole, and the last one always.
func TestPlayInfoRate(t *testing.T) {
	var multiPV int
	engine := playEngine(func(ctx context.Context, g *shogi.Game, lim play.Limits, report func(play.Info)) play.Choice {
		for d := 1; ; d++ {
			select {
			case <-ctx.Done():
				return firstMove(ctx, g, lim, report)
			case <-time.After(time.Millisecond):
			}
			for k := range multiPV {
				report(play.Info{Depth: d, MultiPV: k + 1})
			}
		}
	})
	runEngine(t, engine, func(s *session) {
		for multiPV = range 7 {
			if multiPV == 0 {
				continue
			}
			s.send(fmt.Sprintf("setoption name MultiPV value %d\n%s\ngo infinite", multiPV, startpos))
			time.Sleep(20*time.Second + time.Microsecond)
			synctest.Wait()
			lines := s.out.take()
			if n := len(lines); n < 200 || n > 200+lineBurst+multiPV {
				t.Errorf("MultiPV %d: %d lines in 20 seconds", multiPV, n)
			}
			s.in.Write([]byte("stop\n"))
			synctest.Wait()
			lines = append(lines, s.out.take()...)
			lines = lines[:len(lines)-1] // the answer
			for i, line := range lines {
				want := "info depth "
				if i%multiPV > 0 {
					want = strings.Join(strings.Fields(lines[i-1])[:3], " ") + " " // of the same depth
				}
				rank := fmt.Sprintf("multipv %d ", i%multiPV+1)
				if !strings.HasPrefix(line, want) || multiPV > 1 && !strings.Contains(line, rank) {
					t.Fatalf("MultiPV %d, line %d: %s, want %s ... %s", multiPV, i, line, want, rank)
				}
			}
			if last := lines[len(lines)-1]; !strings.HasPrefix(last, "info depth 20000 ") {
				t.Errorf("MultiPV %d: the last line is %s", multiPV, last)
			}
		}
	})
}

// What the player reports, as lines of USI.
func TestPlayInfo(t *testing.T) {
	line := moves(t, "7g7f 3c3d 8h2b+ 8h2b+")
	infos := []struct {
		info play.Info
		want string
	}{
		{play.Info{Text: "two words"}, "info string two words"},
		{play.Info{Depth: 3, SelDepth: 9, Nodes: 100, Score: -35, Line: line},
			"info depth 3 seldepth 9 time 0 nodes 100 nps ... hashfull 0 score cp -35 pv 7g7f 3c3d 8h2b+"},
		{play.Info{Depth: 3, MultiPV: 1, Score: 10, Bound: play.LowerBound}, "info depth 3 seldepth 3 ... score cp 10 lowerbound"},
		{play.Info{Depth: 3, Score: 10, Bound: play.UpperBound}, "info depth 3 ... score cp 10 upperbound"},
		{play.Info{Depth: 3, Score: play.MateIn(5), Line: line[:1]}, "info depth 3 ... score mate 5 pv 7g7f"},
		{play.Info{Depth: 3, Score: play.MatedIn(6)}, "info depth 3 ... score mate -6"},
		{play.Info{Depth: 3, Score: play.MatedIn(0)}, "info depth 3 seldepth 3 time 0 nodes 0 nps 0 hashfull 0"},
		{play.Info{Depth: 3, Score: play.MaxCentipawns}, "info depth 3 ... score cp 29999"},
	}
	choice := play.Choice{Move: line[0]}
	engine := playEngine(func(_ context.Context, _ *shogi.Game, _ play.Limits, report func(play.Info)) play.Choice {
		for _, i := range infos {
			report(i.info)
		}
		return choice
	})
	runEngine(t, engine, func(s *session) {
		s.send(startpos)
		var want []string
		for _, i := range infos {
			want = append(want, i.want)
		}
		s.send("go", append(want, "bestmove 7g7f")...)
		// Of a player that reports nothing, the choice is.
		infos = nil
		choice.Depth, choice.Score, choice.Line, choice.Nodes = 3, -7, line[:2], 50
		s.send("go", "info depth 3 seldepth 3 ... nodes 50 ... score cp -7 pv 7g7f 3c3d", "bestmove 7g7f")
		choice.Move = moves(t, "7g7e")[0]
		s.send("go", "info ...", "info string internal error: the player chose 7g7e, which is not legal", "bestmove resign")
	})
}

// A win is declared in games. An analysis shows it as a mate, and ends in a move.
func TestPlayDeclares(t *testing.T) {
	engine := playEngine(func(context.Context, *shogi.Game, play.Limits, func(play.Info)) play.Choice {
		return play.Choice{Move: moves(t, "7g7f")[0], Declares: true}
	})
	runEngine(t, engine, func(s *session) {
		shown := "info depth 1 ... score mate 1 pv 7g7f"
		s.send(startpos)
		s.send("go btime 1000 wtime 1000", shown, "bestmove win")
		s.send("go nodes 100", shown, "bestmove win")
		s.send("go ponder")
		s.send("ponderhit", shown, "bestmove win")
		s.send("go infinite", shown)
		s.send("stop", "bestmove 7g7f")
	})
}

// The engine resigns without a legal move, and by its option when three moves running were lost.
func TestPlayResigns(t *testing.T) {
	score := play.Score(-1000)
	engine := playEngine(func(ctx context.Context, g *shogi.Game, lim play.Limits, report func(play.Info)) play.Choice {
		c := firstMove(ctx, g, lim, report)
		c.Score = score
		return c
	})
	at := func(ply int) string { return fmt.Sprintf("position sfen 4k4/9/9/9/9/9/9/9/4K4 b - %d", ply) }
	runEngine(t, engine, func(s *session) {
		lost := func(command string, resigns bool) {
			t.Helper()
			s.send(command)
			if resigns {
				s.send("go", "info string resigns by the option ResignValue: 1000", "bestmove resign")
			} else {
				s.send("go", "bestmove 5i...")
			}
		}
		for ply := 1; ply < 20; ply += 2 {
			lost(at(ply), false) // off
		}
		s.send("setoption name ResignValue value 1000")
		lost(at(1), false)
		lost(at(3), false)
		lost(at(3), false) // the same move again
		lost(at(5), true)
		lost(at(7), true)
		s.send("go infinite")
		s.send("stop", "bestmove 5i...")
		s.send("usinewgame")
		lost(at(9), false)
		lost(at(11), false)
		score = -999
		lost(at(13), false)
		score = play.MatedIn(4)
		lost(at(15), false)
		lost(at(17), false)
		lost(at(21), false) // a move of another search came between
		lost(at(23), false)
		lost(at(25), true)
		s.send("position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2\ngo byoyomi 1000", "bestmove resign")
	})
}

// A limit of moves that the game has passed is ignored, with a word. Under extend-checks it has not
// while there are checks.
func TestPlayPassedLimit(t *testing.T) {
	const ignored = "info string the game is over by its limit of 256 moves, which is ignored here"
	runEngine(t, playEngine(firstMove), func(s *session) {
		s.send("setoption name MaxMovesToDraw value 256\nposition sfen 4k4/9/9/9/9/9/9/9/4K4 b - 256")
		s.send("go", "bestmove ...")
		s.send("position sfen 4k4/9/9/9/9/9/9/9/4K4 b - 257")
		s.send("go", ignored, "bestmove ...")
		s.send("go ponder")
		s.send("ponderhit", ignored, "bestmove ...")

		checked := "position sfen 4k4/9/9/9/9/9/9/9/3K3R1 b - 256 moves 2i5i" // Black's last move
		s.send(checked+"\ngo", ignored, "bestmove ...")
		s.send("setoption name LastMoveRule value extend-checks\n"+checked+"\ngo", "bestmove ...")
		s.send(checked+" 5a4a\ngo", "bestmove ...")
		s.send(checked+" 5a4a 6i7i\ngo", ignored, "bestmove ...")
	})
}

// A player lives until an option that it depends on changes, which counts from the next go.
func TestPlayLevels(t *testing.T) {
	var made []string
	var extra [3]any // what the last player was made with besides
	var players []*fakePlayer
	fails := false
	engine := NewPlayEngine(PlayConfig{
		Mate:   MateConfig{NewSolver: func(int, int) solver.Solver { return solver.Func(oneMove) }, MaxThreads: 8},
		Levels: []string{"weak", "strong"}, Level: "weak",
		NewPlayer: func(level string, o PlayerOptions) (play.Engine, error) {
			if fails {
				return nil, errors.New("there is none")
			}
			made = append(made, fmt.Sprint(level, " ", o.TableBytes>>20, " ", o.Threads, " ", o.Seed))
			extra = [3]any{o.DrawValue, o.Spread, o.EvalFile}
			players = append(players, &fakePlayer{search: thinking})
			return players[len(players)-1], nil
		}})
	runEngine(t, engine, func(s *session) {
		search := func(position string, want ...string) {
			t.Helper()
			s.send(position + "\ngo movetime 1")
			s.after(time.Second, "bestmove ...")
			if !slices.Equal(made, want) {
				t.Fatalf("%q were made, want %q", made, want)
			}
			made = nil
		}
		s.send("usinewgame")
		s.send("usi", append(slices.Repeat([]string{"..."}, 9),
			"option name Level type combo default weak var weak var strong var mate",
			"option name MaxMovesToDraw type spin default 0 min 0 max 100000",
			"option name LastMoveRule type combo default mate-wins var mate-wins var mate-draws var extend-checks",
			"option name EnteringKingRule type combo default CSARule27 var CSARule27 var NoEnteringKing",
			"option name NetworkDelay type spin default 100 min 0 max 10000",
			"option name NetworkDelay2 type spin default 400 min 0 max 10000",
			"option name MinimumThinkingTime type spin default 0 min 0 max 10000",
			"option name RoundUpToFullSecond type check default false",
			"option name SlowMover type spin default 100 min 1 max 1000",
			"option name Seed type spin default 0 min 0 max 2147483647",
			"option name NodesLimit type spin default 0 min 0 max 2147483647",
			"option name ResignValue type spin default 99999 min 1 max 99999",
			"option name DrawValue type spin default -2 min -1000 max 1000",
			"option name Spread type spin default 0 min 0 max 10000",
			"option name EvalFile type string default <empty>",
			"usiok")...)
		search(startpos, "weak 512 1 0")
		search(startpos + " moves 7g7f 3c3d")
		search(startpos + " moves 7g7f 3c3d 2g2f 8c8d")
		if players[0].games != 0 {
			t.Errorf("%d new games", players[0].games)
		}
		s.send("usinewgame")
		if players[0].games != 1 {
			t.Errorf("%d new games after one", players[0].games)
		}
		search("setoption name Seed value 7", "weak 512 1 7")
		search("setoption name USI_Hash value 64\nsetoption name Threads value 2", "weak 64 2 7")
		search("setoption name DrawValue value 5\nsetoption name Spread value 30\n"+
			"setoption name EvalFile value a file.net", "weak 64 2 7")
		if extra != [3]any{5, 30, "a file.net"} {
			t.Errorf("a player was made with %v", extra)
		}
		search("setoption name EvalFile value <empty>", "weak 64 2 7")
		if extra != [3]any{5, 30, ""} {
			t.Errorf("a player was made with %v", extra)
		}
		// During a search a change waits for the next.
		s.send("go infinite")
		s.send("setoption name Level value Strong")
		s.after(150*time.Millisecond, "info depth 1 ...")
		s.send("stop", "bestmove ...")
		search(startpos, "strong 64 2 7")
		// The level of the mate engine, and back.
		s.send("setoption name Level value mate")
		s.send("go", "info string this is a mate engine...", "info ...", "info string ...", "bestmove resign")
		search("setoption name Level value strong")
		fails = true
		s.send("setoption name Level value weak\ngo", "info string error: level weak: there is none", "bestmove resign")
	})
}

// With an EvalFile that cannot be used the engine plays without it, and says so once.
func TestPlayWrongEvalFile(t *testing.T) {
	engine := playEngine(firstMove)
	newPlayer := engine.config.NewPlayer
	engine.config.NewPlayer = func(level string, o PlayerOptions) (play.Engine, error) {
		if o.EvalFile != "" {
			return nil, errors.New(o.EvalFile + " is torn")
		}
		return newPlayer(level, o)
	}
	const warning = "info string EvalFile: a.net is torn; the network that is built in plays"
	runEngine(t, engine, func(s *session) {
		s.send("setoption name EvalFile value a.net\nisready\n"+startpos, "readyok")
		s.send("go", warning, "bestmove ...")
		s.send("go", "bestmove ...")
		s.send("setoption name Seed value 1\ngo", warning, "bestmove ...")
		s.send("setoption name EvalFile value b.net\ngo ponder")
		s.send("ponderhit", "info string EvalFile: b.net is torn...", "bestmove ...")
		s.send("setoption name EvalFile value <empty>\ngo", "bestmove ...")
	})
}

// What takes time is done while no clock is running: a player is made on isready, and forgets on
// gameover.
func TestPlayPrepares(t *testing.T) {
	var made []int // the table of each player, in bytes
	player := &fakePlayer{search: thinking}
	engine := NewPlayEngine(PlayConfig{
		Mate:   MateConfig{NewSolver: func(int, int) solver.Solver { return solver.Func(oneMove) }},
		Levels: []string{"fake"},
		NewPlayer: func(_ string, o PlayerOptions) (play.Engine, error) {
			made = append(made, o.TableBytes)
			if o.TableBytes == warmBytes {
				return &fakePlayer{search: thinking}, nil
			}
			return player, nil
		}})
	expect := func(when string, games int, tables ...int) {
		t.Helper()
		if player.games != games || !slices.Equal(made, tables) {
			t.Errorf("%s: %d games, tables %v; want %d, %v", when, player.games, made, games, tables)
		}
		made, player.games = nil, 0
	}
	runEngine(t, engine, func(s *session) {
		s.send("setoption name Level value mate\nisready", "readyok")
		expect("the level mate", 0)
		s.send("setoption name Level value fake\nisready")
		s.after(100*time.Millisecond, "readyok")
		expect("isready", 0, 512<<20, warmBytes)
		s.send("usinewgame\nisready\nusinewgame\ngameover win", "readyok")
		expect("without a search", 0)
		s.send(startpos+"\ngo infinite\nisready", "readyok")
		s.send("gameover win", "bestmove ...")
		expect("gameover", 1)
		s.send("isready\nusinewgame", "readyok")
		expect("the next game", 0)
		s.send("go depth 1")
		s.after(time.Second, "info ...", "bestmove ...")
		s.send("isready", "readyok")
		expect("isready in a game", 0)
		s.send("usinewgame")
		expect("usinewgame", 1)
		s.send("setoption name USI_Hash value 1025\nisready", "readyok")
		expect("a large table", 0)
	})
}

// Positions without two kings are answered as mate problems are, and so is every go mate.
func TestPlayMateProblems(t *testing.T) {
	runEngine(t, playEngine(firstMove), func(s *session) {
		s.send(mate1)
		s.send("go", "info string without two kings this is a mate problem...", "info depth 1 ... score mate 1 pv G*5b", "bestmove G*5b")
		s.send(nomate)
		s.send("go", "info ...", "info string no mate within 1 ply...", "bestmove resign")
		s.send("go ponder")
		s.send("ponderhit", "info ...", "info string no mate within 1 ply...", "bestmove resign")
		s.send("go mate 100", "info ...", "info string no mate within 1 ply...", "checkmate timeout")
		s.send("position sfen 4k4/9/4G4/9/9/9/9/9/4K4 b G 1\ngo mate", "info ...", "checkmate G*5b") // two kings
		s.send("go", "bestmove ...")
	})
}

// Where the machine has no memory for two tables, the player and the mate solver take turns.
func TestPlayMemory(t *testing.T) {
	players, solvers := 0, 0
	config := PlayConfig{
		Mate: MateConfig{MaxTableBytes: 100 << 20, NewSolver: func(int, int) solver.Solver {
			solvers++
			return solver.Func(oneMove)
		}},
		Levels: []string{"fake"},
		NewPlayer: func(string, PlayerOptions) (play.Engine, error) {
			players++
			return &fakePlayer{search: firstMove}, nil
		}}
	runEngine(t, NewPlayEngine(config), func(s *session) {
		turns := func(size string, wantPlayers, wantSolvers int) {
			t.Helper()
			players, solvers = 0, 0
			s.in.Write([]byte("setoption name USI_Hash value " + size + "\n" + startpos +
				strings.Repeat("\ngo\ngo mate 10", 3) + "\n"))
			synctest.Wait()
			if s.out.take(); players != wantPlayers || solvers != wantSolvers {
				t.Errorf("USI_Hash %s: %d players and %d solvers, want %d and %d", size, players, solvers, wantPlayers, wantSolvers)
			}
		}
		turns("50", 1, 1)
		turns("51", 3, 3)
	})
}
