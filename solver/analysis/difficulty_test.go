package analysis

import (
	"math"
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

// feature returns the value of a feature, NaN if there is none.
func feature(s *Score, name string) float64 {
	for _, f := range s.Features {
		if f.Name == name {
			return f.Value
		}
	}
	return math.NaN()
}

func wantFeatures(t *testing.T, name string, s *Score, want map[string]float64) {
	t.Helper()
	for _, f := range []string{"plies", "checks", "near_tries", "deep_tries", "defences", "tree", "quiet",
		"sacrifices", "unpromoted", "far_drop", "interposition", "uchifu", "dual_checks"} {
		value, ok := want[f]
		if !ok {
			switch f {
			case "checks", "near_tries", "deep_tries", "defences", "tree":
				value = math.NaN()
			}
		}
		if got := feature(s, f); math.Abs(got-value) > 1e-9 || math.IsNaN(got) != math.IsNaN(value) {
			t.Errorf("%s: %s is %v, want %v", name, f, got, value)
		}
	}
}

func TestScoreOfLine(t *testing.T) {
	for _, c := range []struct {
		name, sfen string
		attacker   shogi.Color
		line       []string
		want       map[string]float64
		value      float64
	}{
		{"a quiet mate in one", "4k4/9/4P4/9/9/9/9/9/9 b G 1", shogi.Black, []string{"G*5b"},
			map[string]float64{"plies": 1, "quiet": 1}, 0},
		{"the same by White", "9/9/9/9/9/9/4p4/9/4K4 w g 1", shogi.White, []string{"G*5h"},
			map[string]float64{"plies": 1, "quiet": 1}, 0},
		{"a drop two squares from the king", "4k4/9/9/9/9/9/9/9/9 b R 1", shogi.Black, []string{"R*5c"},
			map[string]float64{"plies": 1, "quiet": 1}, 0},
		{"a drop three squares from the king", "4k4/9/9/9/9/9/9/9/9 b R 1", shogi.Black, []string{"R*5d"},
			map[string]float64{"plies": 1, "quiet": 1, "far_drop": 1}, 0.4},
		// log2(3) + 0.15*1.8
		{"a rook is given away", "8B/9/8k/7gN/8N/9/9/9/9 b Rrb3g4s2n4l18p 1", shogi.Black,
			[]string{"R*1b", "1c1b", "1a2b+"}, map[string]float64{"plies": 3, "quiet": 1, "sacrifices": 1.8}, 1.9},
		// log2(3) + 2*0.4: nothing can take the lance or the bishop
		{"a far drop and an interposition", "9/G+p7/1+S7/k1B6/9/9/9/9/9 b BL2r3g3s4n3l17p 1", shogi.Black,
			[]string{"L*9g", "P*9e", "B*8e"}, map[string]float64{"plies": 3, "quiet": 2, "far_drop": 1, "interposition": 1}, 2.4},
		// A pawn drop on 1b would mate: 1a has no way out, and 2c guards 1b.
		{"a pawn drop would mate", "7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1", shogi.Black,
			[]string{"2c1b"}, map[string]float64{"plies": 1, "quiet": 1, "uchifu": 1, "sacrifices": 1}, 0.6},
		// The bishop leaves the line of the rook, which gives check, and promotes beside the king.
		{"a discovered check", "4k4/9/9/4B4/9/9/9/9/4R4 b - 1", shogi.Black,
			[]string{"5d4c+"}, map[string]float64{"plies": 1, "quiet": 1, "dual_checks": 1}, 0},
	} {
		a := reported(t, c.sfen, c.attacker, len(c.line), c.line...)
		s := score(a)
		wantFeatures(t, c.name, s, c.want)
		if s.Value != c.value || s.Version != 1 {
			t.Errorf("%s: score %v, version %d, want %v", c.name, s.Value, s.Version, c.value)
		}
	}
}

func TestScoreOfParts(t *testing.T) {
	move := func(text string) shogi.Move {
		m, err := shogi.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	a := reported(t, "8k/9/9/6B2/6P2/9/9/7+r1/9 b RSb4g3s4n4l17p 1", shogi.Black, 3, "R*1b", "1a2a", "S*3b")
	a.Attack = []AttackNode{
		{Place: Place{Ply: 1, Move: move("R*1b")}, Checks: 8, OthersComplete: true, Others: []OtherCheck{
			{Move: move("R*1i"), Class: Try, Nodes: 50},
			{Move: move("R*3a"), Class: Try, Nodes: 3200}, // 2^6 times 50
			{Move: move("R*1c"), Class: Cook, Nodes: 6400},
		}},
		{Place: Place{Ply: 3, Move: move("S*3b")}, Checks: 2, OthersComplete: true, Others: []OtherCheck{
			{Move: move("1b1a"), Class: Try, Nodes: 1}}},
	}
	a.Defence = []DefenceNode{
		{Place: Place{Ply: 2, Move: move("1a2a")}, Replies: []Reply{{Move: move("1a2a")}, {Move: move("1a1b"), Same: []shogi.Move{move("P*1b"), move("L*1b")}},
			{Move: move("P*2b"), Kind: FutileReply}}},
		{Place: Place{Ply: 4, Move: shogi.NoMove}, Replies: []Reply{{Move: move("P*2b"), Kind: FutileReply}}},
	}
	s := score(a)
	// After R-1a the king has 1a, 2b, ... to go to, and after R*1i many interpositions; after R*3a
	// it has 1b, 2b and interpositions.
	wantFeatures(t, "all parts", s, map[string]float64{"plies": 3, "quiet": 2, "checks": 4,
		"defences": 4, "near_tries": 0, "deep_tries": 6})
	// log2(3) + 0.5 log2(4*4) + 0.35 log2(7)
	if s.Value != 4.6 {
		t.Errorf("score %v, want 4.6", s.Value)
	}

	a.Attack[0].OthersComplete = false
	wantFeatures(t, "without tries", score(a), map[string]float64{"plies": 3, "quiet": 2,
		"checks": 4, "defences": 4})

	if s := score(&Analysis{Verdict: solver.NoMate}); s != nil {
		t.Errorf("without a line: %+v", s)
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
	if got := feature(score(a), "near_tries"); got != 1 {
		t.Errorf("near_tries %v, want 1", got)
	}
}

// A move without promotion counts unless promoting mates as well.
func TestUnpromoted(t *testing.T) {
	for _, c := range []struct {
		name   string
		others []OtherCheck
		want   float64
	}{
		{"promoting gives no check", nil, 1},
		{"promoting fails", []OtherCheck{{Class: Try}}, 1},
		{"promoting mates too", []OtherCheck{{Class: DualMove}}, 0},
		{"promoting is not decided", []OtherCheck{{Class: CheckUnknown}}, 0},
	} {
		a := reported(t, "4k4/9/4P4/5S3/9/9/9/9/9 b - 1", shogi.Black, 1, "5c5b")
		for i := range c.others {
			c.others[i].Move = shogi.NewPromotion(a.Line.Moves[0].From(), a.Line.Moves[0].To())
		}
		a.Attack = []AttackNode{{Checks: 2, Others: c.others}}
		if got := feature(score(a), "unpromoted"); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
