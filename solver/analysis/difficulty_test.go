package analysis

import (
	"maps"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
)

// reported returns a report with a main line, made by hand.
func reported(t *testing.T, sfen string, attacker shogi.Color, plies int, line ...string) *Analysis {
	t.Helper()
	a := &Analysis{Position: shogi.MustParseSFEN(sfen), Attacker: attacker, Policy: length.F2,
		Lengths: []Length{{length.F0, length.Exactly(plies + 2)}, {length.F2, length.Exactly(plies)}}}
	p := a.Position
	for _, text := range line {
		m, err := shogi.ParseMove(text)
		if err != nil || !p.IsLegal(m) {
			t.Fatalf("%s in %s: %v", text, p.SFEN(), err)
		}
		a.Line.Moves = append(a.Line.Moves, m)
		p.Do(m)
	}
	return a
}

func wantFeatures(t *testing.T, name string, d *DifficultyFacts, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	for _, f := range d.Features {
		got[f.Name] = f.Value
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

func TestFeaturesOfLine(t *testing.T) {
	for _, c := range []struct {
		name, sfen string
		attacker   shogi.Color
		line       []string
		want       map[string]int
	}{
		{"a quiet mate in one", "4k4/9/4P4/9/9/9/9/9/9 b G 1", shogi.Black, []string{"G*5b"},
			map[string]int{"plies": 1, "quiet": 1, "sacrifices": 0}},
		{"the same by White", "9/9/9/9/9/9/4p4/9/4K4 w g 1", shogi.White, []string{"G*5h"},
			map[string]int{"plies": 1, "quiet": 1, "sacrifices": 0}},
		{"a rook is given away, and a knight promotes beside the king", "8B/9/8k/7gN/8N/9/9/9/9 b Rrb3g4s2n4l18p 1",
			shogi.Black, []string{"R*1b", "1c1b", "1a2b+"}, map[string]int{"plies": 3, "quiet": 1, "sacrifices": 1}},
		{"a capture is not quiet", "6n1k/9/8G/3B5/9/9/9/9/9 b 2rb3g4s3n4l18p 1", shogi.Black, []string{"6d3a"},
			map[string]int{"plies": 1, "quiet": 0, "sacrifices": 0}},
	} {
		wantFeatures(t, c.name, difficultyOf(reported(t, c.sfen, c.attacker, len(c.line), c.line...)), c.want)
	}
}

func TestFeaturesOfParts(t *testing.T) {
	move := shogi.ParseMove
	must := func(text string) shogi.Move {
		m, err := move(text)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	a := reported(t, "8k/9/9/6B2/6P2/9/9/7+r1/9 b RSb4g3s4n4l17p 1", shogi.Black, 3, "R*1b", "1a2a", "S*3b")
	a.Attack = []AttackNode{
		{Place: Place{Ply: 1, Move: must("R*1b")}, Checks: 8, OthersComplete: true, Others: []OtherCheck{
			{Move: must("R*1i"), Class: Try, Nodes: 50},
			{Move: must("R*3a"), Class: Try, Nodes: 51},
			{Move: must("R*1c"), Class: Cook, Nodes: 6400},
		}},
		{Place: Place{Ply: 3, Move: must("S*3b")}, Checks: 2, OthersComplete: true, Others: []OtherCheck{
			{Move: must("1b1a"), Class: Try, Nodes: 1}}},
	}
	a.Defence = []DefenceNode{
		{Place: Place{Ply: 2, Move: must("1a2a")}, Replies: []Reply{{Move: must("1a2a")}, {Move: must("1a1b"), Same: []shogi.Move{must("P*1b"), must("L*1b")}},
			{Move: must("P*2b"), Kind: FutileReply}}},
		{Place: Place{Ply: 4, Move: shogi.NoMove}, Replies: []Reply{{Move: must("P*2b")}, {}, {}, {}, {}}},
	}
	wantFeatures(t, "all parts", difficultyOf(a), map[string]int{"plies": 3, "quiet": 2, "sacrifices": 0, "checks": 8,
		"defences": 4, "near_tries": 0, "deep_tries": 1})

	a.Attack[0].OthersComplete = false
	wantFeatures(t, "without tries", difficultyOf(a), map[string]int{"plies": 3, "quiet": 2, "sacrifices": 0, "checks": 8,
		"defences": 4})

	if d := difficultyOf(&Analysis{Verdict: solver.NoMate}); d != nil {
		t.Errorf("without a line: %+v", d)
	}
}

// A try after which one reply is legal is near.
func TestNearTry(t *testing.T) {
	a := reported(t, "7nk/9/7G1/9/9/9/9/9/9 b 2G2r2bg4s3n4l18p 1", shogi.Black, 1, "G*1b")
	m, err := shogi.ParseMove("2c1b")
	if err != nil {
		t.Fatal(err)
	}
	a.Attack = []AttackNode{{Checks: 2, OthersComplete: true, Others: []OtherCheck{{Move: m, Class: Try}}}}
	// The gold on 1b, which nothing guards, can be taken by the king, and that is all.
	if got := difficultyOf(a).Feature("near_tries"); got != 1 {
		t.Errorf("near_tries %d, want 1", got)
	}
}

// The class goes by the length under the policy, the least known to suffice.
func TestClass(t *testing.T) {
	for plies, want := range map[int]Class{1: Short, 17: Short, 19: Medium, 49: Medium, 51: Long, 1525: Long} {
		a := reported(t, "4k4/9/4P4/9/9/9/9/9/9 b G 1", shogi.Black, plies, "G*5b")
		a.Lengths[1].Low = 1
		if got := difficultyOf(a).Class; got != want {
			t.Errorf("%d plies: %v, want %v", plies, got, want)
		}
	}
}
