package theme

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// answers are what a problem is told when it asks, so that a clause can be tested alone.
type answers struct {
	mates func(ply int, m shogi.Move) solver.Verdict
	ask   func(p shogi.Position, plies int) solver.Verdict
}

// ways answers for single checks, and NoMate for all others.
func ways(verdicts map[string]solver.Verdict) answers {
	return answers{mates: func(_ int, m shogi.Move) solver.Verdict {
		if v, ok := verdicts[m.String()]; ok {
			return v
		}
		return solver.NoMate
	}}
}

// within answers that every position mates in so many plies and not sooner.
func within(n int) answers {
	return answers{ask: func(_ shogi.Position, plies int) solver.Verdict {
		if plies == 0 || plies >= n {
			return solver.Mate
		}
		return solver.NoMate
	}}
}

// unlessPawn answers v of positions without a pawn of White on the board, and NoMate of others.
func unlessPawn(v solver.Verdict) answers {
	return answers{ask: func(p shogi.Position, _ int) solver.Verdict {
		if p.PiecesOf(shogi.White, shogi.Pawn).IsEmpty() {
			return v
		}
		return solver.NoMate
	}}
}

// Two golds and the pawn of White from rank 3 to 5, in eight plies. In the last one the king moves.
const (
	ringBoard = "k8/8g/p8/9/9/9/9/9/G7G b - 1"
	ringKing  = "9i9h 9a8a 9h9i 8a9a 1i1h 9c9d 1h1i 9d9e 9i9h"
	ringGold  = "9i9h 1b1a 9h9i 1a1b 1i1h 9c9d 1h1i 9d9e 9i9h"
)

// Two golds leave; silvers come and go, and are promoted by it; and the golds come back.
const (
	silverBoard = "8k/9/9/1SSS5/9/9/9/9/G7G b - 1"
	silversTwo  = "9i9h 1a1b 1i1h 1b1a 8d8c+ 1a1b 8c8d 1b1a 7d7c+ 1a1b 7c7d 1b1a " +
		"9h9i 1a1b 1h1i 1b1a 9i9h"
	silversThree = "9i9h 1a1b 1i1h 1b1a 8d8c+ 1a1b 8c8d 1b1a 7d7c+ 1a1b 7c7d 1b1a " +
		"6d6c+ 1a1b 6c6d 1b1a 9h9i 1a1b 1h1i 1b1a 9i9h"
)

// TestClauses has for clauses of definitions a problem that meets all of them, and one beside it that
// lacks that clause alone. The lines are moves by the rules, and need be no solutions: what a theme
// asks of a solver is answered by the test.
func TestClauses(t *testing.T) {
	const dragon, lance = "4k4/9/9/9/9/5+R3/9/9/9 b - 1", "6pnk/9/7R1/9/9/9/9/9/9 b L 1"
	for _, c := range []struct {
		name, id string
		sfen     string
		line     string
		answers  answers
		want     string // "-" and the plies, "" if the problem does not have the theme
	}{
		{"no nearer drop mates", "far_drop", lance, "L*1d 2a1c 1d1c", ways(nil), "-1"},
		{"a nearer drop mates", "far_drop", lance, "L*1d 2a1c 1d1c",
			ways(map[string]solver.Verdict{"L*1c": solver.Mate}), ""},
		{"of a nearer drop it is not known", "far_drop", lance, "L*1d 2a1c 1d1c",
			ways(map[string]solver.Verdict{"L*1c": solver.Unknown}), ""},
		{"a dragon could go nearer", "far_move", dragon, "4f5g", ways(nil), "-1"},
		{"nearer it mates", "far_move", dragon, "4f5g",
			ways(map[string]solver.Verdict{"4f5e": solver.Mate}), ""},
		{"of nearer it is not known", "far_move", dragon, "4f5g",
			ways(map[string]solver.Verdict{"4f5e": solver.Unknown}), ""},
		{"nearer there is no square", "far_move", "4k4/9/9/9/9/9/9/9/8R b - 1", "1i5i", ways(nil), ""},
		{"it takes something", "far_move", "4k4/9/9/9/9/5+R3/4p4/9/9 b - 1", "4f5g", ways(nil), ""},
		{"three squares away", "far_drop", "4k4/9/9/9/9/9/9/9/9 b R 1", "R*5d", ways(nil), "-1"},
		{"two squares away", "far_drop", "4k4/9/9/9/9/9/9/9/9 b R 1", "R*5c", ways(nil), ""},
		{"from there it gives no check", "far_move", "9/9/9/1+R7/4k4/9/9/9/9 b - 1", "8d8b", ways(nil), ""},
		{"promoting is not known to fail", "nonpromotion", "4k4/9/5R3/9/9/9/9/9/9 b - 1", "4c5c",
			ways(map[string]solver.Verdict{"4c5c+": solver.Unknown}), ""},
		{"promoting mates as well", "nonpromotion", "4k4/9/5R3/9/9/9/9/9/9 b - 1", "4c5c",
			ways(map[string]solver.Verdict{"4c5c+": solver.Mate}), ""},
		{"promoting fails", "nonpromotion", "4k4/9/5R3/9/9/9/9/9/9 b - 1", "4c5c", ways(nil), "-1"},

		{"without it two plies sooner", "removed_obstruction",
			"7Sk/7P1/7ps/4B4/9/9/9/9/9 b 2rb4g2s4n4l16p 1", "2a1b+ 1a1b 5d2a+", within(1), "-1"},
		{"without it as soon", "removed_obstruction",
			"7Sk/7P1/7ps/4B4/9/9/9/9/9 b 2rb4g2s4n4l16p 1", "2a1b+ 1a1b 5d2a+", within(3), ""},
		{"it takes a pawn", "removed_obstruction",
			"7Sk/7Pp/7ps/4B4/9/9/9/9/9 b 2rb4g2s4n4l15p 1", "2a1b+ 1a1b 5d2a+", within(1), ""},

		{"taken and not taken back", "sacrificed_interposition", "8k/7s1/9/9/9/9/9/9/7R1 b g 1",
			"2i1i G*1c 1i1c 1a2a", answers{}, "-2"},
		{"taken back", "sacrificed_interposition", "8k/7s1/9/9/9/9/9/9/7R1 b g 1",
			"2i1i G*1c 1i1c 2b1c", answers{}, ""},
		{"not taken", "sacrificed_interposition", "8k/7s1/9/9/9/9/9/9/7R1 b Gg 1",
			"2i1i G*1c G*2a", answers{}, ""},
		{"nothing guards it", "unsupported_interposition", "8k/9/9/9/9/9/9/9/7R1 b g 1",
			"2i1i G*1c", answers{}, "-2"},
		{"a silver guards it", "unsupported_interposition", "8k/7s1/9/9/9/9/9/9/7R1 b g 1",
			"2i1i G*1c", answers{}, ""},

		{"a pawn dropped on the file", "restricted_interposition",
			"4k4/9/9/9/9/9/9/9/8R b R2p 1", "1i5i P*5g R*5e", unlessPawn(solver.Mate), "-3"},
		{"a pawn that was on the file", "restricted_interposition",
			"4k4/9/9/9/9/9/4p4/9/8R b Rp 1", "R*5e", unlessPawn(solver.Mate), ""},
		{"a pawn on another file", "restricted_interposition",
			"4k4/9/9/9/9/9/9/9/8R b R2p 1", "1i5i P*5g R*1a", unlessPawn(solver.Mate), ""},
		{"without the pawn it is not known", "restricted_interposition",
			"4k4/9/9/9/9/9/9/9/8R b R2p 1", "1i5i P*5g R*5e", unlessPawn(solver.Unknown), ""},
		{"he had no pawn", "restricted_interposition", "4k4/9/9/9/9/9/9/9/8R b P 1", "1i5i",
			unlessPawn(solver.Mate), ""},

		{"a horse in equal steps", "horse_saw", "9/9/9/9/9/9/9/1+B7/8k b - 1",
			"8h7g 1i1h 7g7h 1h1i 7h6g 1i1h 6g6h 1h1i", answers{}, "-1"},
		{"files differ", "horse_saw", "9/9/9/9/9/9/9/1+B7/8k b - 1",
			"8h7g 1i1h 7g7h 1h1i 7h6g 1i1h 6g5h 1h1i", answers{}, ""},
		{"ranks differ", "horse_saw", "9/9/9/9/9/9/9/1+B7/8k b - 1",
			"8h7g 1i1h 7g7h 1h1i 7h6g 1i1h 6g6f 1h1i", answers{}, ""},
		{"it stands still", "horse_saw", "9/9/9/9/9/9/9/1+B7/8k b - 1",
			"8h7g 1i1h 7g8h 1h1i 8h7g 1i1h 7g8h 1h1i", answers{}, ""},
		{"it goes straight on", "horse_saw", "9/9/9/9/9/9/9/1+B7/8k b - 1",
			"8h7g 1i1h 7g6f 1h1i 6f5e 1i1h 5e4d 1h1i", answers{}, ""},
		{"the king is elsewhere", "horse_saw", "9/9/9/9/9/9/9/1+B7/8k b - 1",
			"8h7g 1i1h 7g7h 1h1i 7h6g 1i1h 6g6h 1h1g", answers{}, ""},
		{"one step is no saw", "horse_saw", "9/9/9/9/9/9/9/1+B7/8k b - 1",
			"8h7g 1i1h 7g7h 1h1i 7h6g 1i1h", answers{}, ""},

		{"the king leaves too", "chinese_rings", ringBoard, ringKing, answers{}, "-9"},
		{"the king stays", "chinese_rings", ringBoard, ringGold, answers{}, ""},
		{"one piece leaves", "chinese_rings", ringBoard,
			"9i9h 9a8a 9h9i 8a9a 9i9h 9c9d 9h9i 9d9e 9i9h", answers{}, ""},
		{"nothing else changes", "chinese_rings", ringBoard,
			"9i9h 9a8a 9h9i 8a9a 1i1h 9a8a 1h1i 8a9a 9i9h", answers{}, ""},
		{"two are promoted", "chinese_rings", silverBoard, silversTwo, answers{}, "-17"},
		{"three are promoted", "chinese_rings", silverBoard, silversThree, answers{}, ""},

		{"a bishop and a horse", "one_kind", "4k4/9/4B4/9/9/9/9/9/+B8 b - 1", "", answers{}, "-"},
		{"a silver and a promoted one", "one_kind", "4k4/9/4S4/9/9/9/9/9/+S8 b - 1", "", answers{}, ""},
		{"one bishop", "one_kind", "4k4/9/4B4/9/9/9/9/9/9 b - 1", "", answers{}, ""},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		q := Problem{Position: p, Mates: c.answers.mates, Ask: c.answers.ask}
		for _, text := range strings.Fields(c.line) {
			m, err := shogi.ParseMove(text)
			if err != nil || p.Illegal(m) != nil {
				t.Fatalf("%s: %s: %v, %v", c.name, text, err, p.Illegal(m))
			}
			q.Line = append(q.Line, m)
			p.Do(m)
		}
		got := ""
		for _, f := range Find(&q) {
			if f.ID == c.id {
				got = "-" + strings.Trim(fmt.Sprint(f.Plies), "[]")
			}
		}
		if got != c.want {
			t.Errorf("%s: %s at %q, want %q", c.name, c.id, got, c.want)
		}
	}
}

// TestSmokeCounts has the counts of the definition, each on both sides of its bound.
func TestSmokeCounts(t *testing.T) {
	const rows = "k1+P4n1/2L+P2sL1/r4+P+P1P/+BpP+Pl1+Rg1/NP1S+PP+p1g/2L+p1g+P1+P/Ps1G1+P1N1/"
	const (
		full = rows + "1sN1P4/B8 b - 1"
		two  = rows + "1sN1P4/B7K b - 1"
		less = rows + "1sN6/B8 b p 1"
	)
	for _, c := range []struct {
		diagram, mate string
		want          bool
	}{
		{full, "4k4/4G4/4P4/9/9/9/9/9/9 w - 1", true},
		{full, "4k4/4G4/4P4/9/9/9/9/9/8g w - 1", false},
		{full, "9/9/9/9/4k4/4G4/4P4/9/8g w - 1", true},
		{full, "9/9/9/9/4k4/4G4/4P4/9/8L w - 1", true},
		{full, "9/9/9/9/4k4/4G4/4P4/9/7gg w - 1", false},
		{two, "4k4/4G4/4P4/9/9/9/9/9/8K w - 1", true},
		{two, "4k4/4G4/4P4/9/9/9/9/g8/8K w - 1", false},
		{two, "9/9/9/9/4k4/4G4/4P4/g8/8K w - 1", true},
		{two, "9/9/9/9/4k4/4G4/4P4/gg7/8K w - 1", false},
		{less, "4k4/4G4/4P4/9/9/9/9/9/9 w - 1", false},
	} {
		f := finder{Problem: &Problem{}, ended: true, line: make([]shogi.Move, 117),
			at: []shogi.Position{shogi.MustParseSFEN(c.diagram), shogi.MustParseSFEN(c.mate)}}
		if plies, ok := f.smoke(); ok != c.want || ok && plies[0] != 117 {
			t.Errorf("%s: %v, %v, want %v", c.mate, plies, ok, c.want)
		}
	}
}

// TestMatesIfAllowed: after the only reply the pawn drop mates if it may.
func TestMatesIfAllowed(t *testing.T) {
	p := shogi.MustParseSFEN("7n1/8k/7G1/7P1/9/9/9/9/9 w P 1") // the king has to go to 1a
	for plies, want := range map[int]bool{0: false, 2: true} {
		if got := matesIfAllowed(&p, plies); got != want {
			t.Errorf("%d plies: %v, want %v", plies, got, want)
		}
	}
}
