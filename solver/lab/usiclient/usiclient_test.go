package usiclient_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/lab/match"
	"github.com/tsumero/tsumero/solver/lab/usiclient"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/levels"
)

// behaviour is the environment variable that makes the test binary a USI engine, which plays random
// moves but for its fault.
const behaviour = "FAKE_USI_ENGINE"

func TestMain(m *testing.M) {
	if fault := os.Getenv(behaviour); fault != "" {
		engine(fault)
		return
	}
	os.Exit(m.Run())
}

// faultyMove is how many moves, the opening counted, a faulty engine has seen when it begins to
// fail.
const faultyMove = 8

func engine(fault string) {
	out := bufio.NewWriter(os.Stdout)
	say := func(format string, values ...any) { fmt.Fprintf(out, format+"\n", values...); out.Flush() }
	var g shogi.Game
	seed := uint64(0)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 0:
		case words[0] == "usi" && fault == "never usiok":
		case words[0] == "usi":
			say("id name fake")
			say("option name Seed type spin default 0 min 0 max 4294967296")
			say("option name Eval File type string default x")
			say("option name Speed type spin default 1 min 0 max 9")
			say("usiok")
		case words[0] == "isready":
			say("readyok")
		case words[0] == "setoption" && words[2] == "Seed":
			fmt.Sscan(words[4], &seed)
		case words[0] == "position":
			var err error
			if g, err = shogi.ParsePosition(lines.Text()); err != nil {
				say("info string %v", err)
			}
		case words[0] == "go":
			random, err := levels.New("random", levels.Options{Seed: seed})
			if err != nil {
				panic(err)
			}
			c := random.Search(context.Background(), &g, play.Limits{}, nil)
			if len(g.Moves()) >= faultyMove {
				switch fault {
				case "hangs":
					time.Sleep(time.Hour)
				case "crashes":
					fmt.Fprintln(os.Stderr, "panic: a bug")
					os.Exit(3)
				case "illegal":
					say("bestmove 5e5e")
					continue
				case "garbage":
					say("\x00\xff bestmove? %s", strings.Repeat("x", 2000))
					say("")
					say("bestmove ???")
					continue
				case "late":
					time.Sleep(400 * time.Millisecond)
				case "long line":
					say("%s", strings.Repeat("y", 2<<20))
				}
			}
			if fault == "chatters" {
				for i := range 1000 {
					say("info depth %d nodes %d string bestmove resign", i, i)
				}
				say("whatever")
			}
			say("info depth 1 nodes 50 score cp 12 pv %v", c.Move)
			say("info depth 2 seldepth 3 score mate -4 nodes 77 nps 1 pv 9a9b nodes")
			say("info multipv 2 nodes 5 score cp 900 pv %v", c.Move)
			say("info string nodes 99 score cp 1")
			say("bestmove %v ponder 3c3d", c.Move)
			if fault == "speaks twice" {
				say("bestmove resign")
				say("info string %d", len(g.Moves()))
			}
		case words[0] == "quit":
			return
		}
	}
}

// command returns a program with a fault. The race detector would let it wait for a second at its
// end.
func command(fault string) []string {
	return []string{"env", behaviour + "=" + fault, "GORACE=atexit_sleep_ms=0", os.Args[0]}
}

func start(t *testing.T, fault string, options ...usiclient.Option) *usiclient.Client {
	t.Helper()
	c, err := usiclient.Start(t.Context(), usiclient.Options{Command: command(fault), Options: options})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// play plays a match of two games, a faulty program as A against a good one.
func playMatch(t *testing.T, fault string, limit match.Control, silence time.Duration) (*match.Summary, []match.Result) {
	t.Helper()
	var results []match.Result
	s, err := match.Run(t.Context(), match.Options{Games: 2, Seed: 1, Rules: play.Rules{MaxMoves: 24},
		Opening: match.RandomOpenings(1, 4, 6, nil), Limits: [2]match.Control{limit}, Silence: silence,
		NewPlayer: func(s match.Side) (match.Player, error) {
			if s == match.B {
				fault = "none"
			}
			return usiclient.Start(t.Context(), usiclient.Options{Command: command(fault)})
		},
		Each: func(r *match.Result, _ *match.Summary, _ bool) error {
			results = append(results, *r)
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	return s, results
}

// Each fault loses its game, the next game goes on with the program or with a new one, and the
// report has what was said.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault    string
		end      match.End
		dialogue string // something in it
	}{
		{"hangs", match.BySilence, "> go"},
		{"crashes", match.ByCrash, "! panic: a bug"},
		{"illegal", match.ByIllegal, "< bestmove 5e5e"},
		{"garbage", match.ByIllegal, "< bestmove ???"},
		{"late", match.ByTime, "< bestmove "},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			silence := time.Minute
			if c.end == match.BySilence {
				silence = 100 * time.Millisecond
			}
			s, results := playMatch(t, c.fault, match.Control{MoveTime: 200 * time.Millisecond}, silence)
			if s.Losses != 2 || s.Faults[match.A][c.end] != 2 || len(s.Faults[match.B]) != 0 {
				t.Fatalf("%+v", s)
			}
			for _, r := range results {
				if g, err := r.Replay(); err != nil || len(g.Moves()) < faultyMove-1 {
					t.Errorf("game %d: %d moves, %v", r.Game, len(g.Moves()), err)
				}
				if r.Fault == nil || !slices.ContainsFunc(r.Fault.Dialogue, func(line string) bool {
					return strings.HasPrefix(line, c.dialogue)
				}) {
					t.Errorf("game %d: no %q in %+v", r.Game, c.dialogue, r.Fault)
					continue
				}
				for _, line := range r.Fault.Dialogue {
					if len(line) > 600 || strings.ContainsRune(line, 0) && c.fault != "garbage" {
						t.Errorf("a line of %d bytes", len(line))
					}
				}
			}
		})
	}
}

// What is odd but no fault is none.
func TestOddities(t *testing.T) {
	for _, fault := range []string{"none", "chatters"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			s, _ := playMatch(t, fault, match.Control{MoveTime: 5 * time.Second}, 0)
			if s.Games() != 2 || len(s.Faults[match.A])+len(s.Faults[match.B]) != 0 {
				t.Errorf("%+v", s)
			}
			if s.Nodes[match.A] != 77*uint64(s.Plies/2) {
				t.Errorf("%d nodes in %d plies, want 77 a move", s.Nodes[match.A], s.Plies/2)
			}
		})
	}
}

// What came without a question is no answer to the next one.
func TestSpeaksTwice(t *testing.T) {
	c := start(t, "speaks twice")
	defer c.Close()
	if err := c.NewGame(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	g, err := shogi.ParsePosition("startpos")
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		r, err := c.Move(t.Context(), &g, match.Turn{})
		if err != nil || r.Resigns || r.Nodes != 77 {
			t.Fatalf("%+v, %v", r, err)
		}
		// The line behind the second answer is in the dialogue once the answer has been read.
		for last := fmt.Sprintf("< info string %d", len(g.Moves())); !slices.Contains(c.Dialogue(), last); {
			time.Sleep(time.Millisecond)
		}
		g.Do(r.Move)
	}
}

func TestLineWithoutEnd(t *testing.T) {
	s, _ := playMatch(t, "long line", match.Control{}, 0)
	if s.Losses != 2 || s.Faults[match.A][match.ByCrash] != 2 {
		t.Errorf("%+v", s)
	}
}

func TestReply(t *testing.T) {
	c := start(t, "none")
	defer c.Close()
	if err := c.NewGame(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	g := shogi.NewGame(shogi.Start())
	r, err := c.Move(t.Context(), &g, match.Turn{})
	p := g.Position()
	if err != nil || !p.IsLegal(r.Move) || r.Nodes != 77 || !r.HasScore || r.Score != play.MatedIn(4) {
		t.Errorf("%+v, %v", r, err)
	}
	if d := c.Dialogue(); !slices.Contains(d, "> position startpos") || !slices.Contains(d, "> usinewgame") {
		t.Errorf("%q", d)
	}
}

// The same seed gives the same games, in whatever process.
func TestSeeds(t *testing.T) {
	var first [2]string
	for run := range 2 {
		_, results := playMatch(t, "none", match.Control{Nodes: 1}, 0)
		for i, r := range results {
			if run == 0 {
				first[i] = r.Position
			} else if r.Position != first[i] {
				t.Errorf("%s, then %s", first[i], r.Position)
			}
		}
	}
	if first[0] == first[1] {
		t.Error("both games of a pair are the same")
	}
}

// Options are set as the user says, and wishes where the program has the option.
func TestOptions(t *testing.T) {
	c, err := usiclient.Start(t.Context(), usiclient.Options{Command: command("none"),
		Options: []usiclient.Option{{Name: "Seed", Value: "7"}, {Name: "Eval File", Value: "a b"}},
		Wishes: []usiclient.Option{{Name: "Speed", Value: "2"}, {Name: "Seed", Value: "8"},
			{Name: "MaxMovesToDraw", Value: "9"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.NewGame(t.Context(), 12345); err != nil {
		t.Fatal(err)
	}
	var set []string
	for _, line := range c.Dialogue() {
		if text, ok := strings.CutPrefix(line, "> setoption name "); ok {
			set = append(set, text)
		}
	}
	if want := []string{"Seed value 7", "Eval File value a b", "Speed value 2"}; !slices.Equal(set, want) {
		t.Errorf("%q, want %q", set, want)
	}
}

func TestGoCommands(t *testing.T) {
	c := start(t, "none")
	defer c.Close()
	if err := c.NewGame(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	g := shogi.NewGame(shogi.Start())
	moves := g
	moves.Do(mustMove("7g7f"))
	left := [2]time.Duration{12 * time.Second, 9500 * time.Millisecond}
	fischer := match.Control{Main: 10 * time.Second, Increment: 2 * time.Second}
	for _, x := range []struct {
		turn match.Turn
		game *shogi.Game
		want string
	}{
		{match.Turn{Control: match.Control{Nodes: 5000}}, &g, "go nodes 5000"},
		{match.Turn{Control: match.Control{Depth: 3}}, &g, "go depth 3"},
		{match.Turn{Control: match.Control{MoveTime: 1500 * time.Millisecond}}, &g, "go movetime 1500"},
		{match.Turn{Control: match.Control{Byoyomi: time.Second}, Opponent: match.Control{Byoyomi: time.Second}}, &g,
			"go btime 0 wtime 0 byoyomi 1000"},
		{match.Turn{Control: fischer, Opponent: fischer, Left: left}, &g,
			"go btime 12000 wtime 9500 binc 2000 winc 2000"},
		{match.Turn{Control: match.Control{Main: time.Minute}, Opponent: fischer, Left: left}, &moves,
			"go btime 12000 wtime 9500 binc 2000 winc 0"},
		{match.Turn{Control: match.Control{Main: time.Minute, Byoyomi: time.Second},
			Opponent: match.Control{Nodes: 1}, Left: left}, &moves, "go btime 0 wtime 9500 byoyomi 1000"},
	} {
		if _, err := c.Move(t.Context(), x.game, x.turn); err != nil {
			t.Fatal(err)
		}
		if d := c.Dialogue(); !slices.Contains(d, "> "+x.want) {
			t.Errorf("no %q in %q", x.want, d[max(0, len(d)-8):])
		}
	}
}

func mustMove(text string) shogi.Move {
	m, err := shogi.ParseMove(text)
	if err != nil {
		panic(err)
	}
	return m
}

func TestStart(t *testing.T) {
	for _, c := range []struct {
		name string
		o    usiclient.Options
		want string
	}{
		{"nothing", usiclient.Options{}, "no program"},
		{"no such program", usiclient.Options{Command: []string{"/no/such/program"}}, "/no/such/program"},
		{"ends at once", usiclient.Options{Command: []string{"true"}}, "ended"},
		{"never usiok", usiclient.Options{Command: command("never usiok")}, "no usiok"},
		{"no such option", usiclient.Options{Command: command("none"),
			Options: []usiclient.Option{{Name: "Sped", Value: "1"}}}, `no option "Sped"`},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if c.name == "never usiok" {
			time.AfterFunc(100*time.Millisecond, cancel)
		}
		if _, err := usiclient.Start(ctx, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want something about %q", c.name, err, c.want)
		}
		cancel()
	}
}

// What a script has started ends with it.
func TestGroupIsKilled(t *testing.T) {
	script := "sleep 1000 & " + strings.Join(command("none"), " ") + "; wait"
	c, err := usiclient.Start(t.Context(), usiclient.Options{Command: []string{"sh", "-c",
		strings.Replace(script, "=none", "='hangs'", 1)}})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	c.Close()
	if took := time.Since(began); took > 5*time.Minute { // the script would sleep for 1000 s
		t.Errorf("the end took %v", took)
	}
}
