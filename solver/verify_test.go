package solver_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate1"
)

func moves(t testing.TB, text string) []shogi.Move {
	t.Helper()
	var line []shogi.Move
	for w := range strings.FieldsSeq(text) {
		m, err := shogi.ParseMove(w)
		if err != nil {
			t.Fatal(err)
		}
		line = append(line, m)
	}
	return line
}

const (
	goldOnHead = "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"
	// A problem of old (古典3手詰): the bishop is given away on 5b.
	classic = "3sks3/9/4S4/9/9/B8/9/9/9 b S2rb4g4n4l18p 1"
	// The dragon may check for ever on the third and fourth file before the gold is dropped on 4b.
	shuttle = "5k3/9/4G4/9/9/9/9/9/6+R2 b Gr2b2g4s4n4l18p 1"
)

func ExampleVerify() {
	p := shogi.MustParseSFEN("9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1")
	var line []shogi.Move
	for _, text := range []string{"5d5c+", "5b4a", "G*4b"} {
		m, _ := shogi.ParseMove(text)
		line = append(line, m)
	}
	fmt.Println(solver.Verify(p, solver.Result{Verdict: solver.Mate, Line: line}, mate1.Find))
	// Output:
	// solver: claimed mate fails in 9/4k4/4+P4/9/9/9/9/9/9 w 2G2r2b2g4s4n4l17p 2 at 5b5c: the defence allows no mate in one
}

func TestVerify(t *testing.T) {
	const (
		pawnMate = "7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1"
		mated    = "4k4/4G4/4G4/9/9/9/9/9/9 w 2r2b2g4s4n4l18p 2"
		inCheck  = "4k4/4P4/4G4/9/9/9/9/9/9 w G2r2b2g4s4n4l17p 2"
		openKing = "4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1"
		// A gold dropped on 5c mates in three, the pawn pushed there and promoted does not: the
		// king takes it.
		sandwich      = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"
		sandwichGold  = "9/4k4/4G4/4P4/9/9/9/9/9 w G2r2b2g4s4n4l17p 2"
		sandwichTokin = "9/4k4/4+P4/9/9/9/9/9/9 w 2G2r2b2g4s4n4l17p 2"
		// The rook mates in three from 1b; from 1c the bishop takes it.
		bishopTakes = "8k/7b1/6GB1/9/9/9/9/9/9 b Rr3g4s4n4l18p 1"
		// The rook mates in three from 7a; from 6a the king escapes or a pawn goes between.
		pawnBetween  = "k8/s8/R8/9/9/9/9/9/9 b RBS18p 1"
		counterCheck = "4k4/9/4G4/9/9/9/9/4r4/4K4 b Gr2b2g4s4n4l18p 1"
	)
	tests := []struct {
		name, sfen, line string
		fails            string // part of the message; empty if the claim holds
	}{
		{"a mate in one", goldOnHead, "G*5b", ""},
		{"already mated", mated, "", ""},
		{"empty line, but not mated", inCheck, "", "not mated"},
		{"empty line with the attacker to move", goldOnHead, "", "attacker to move"},
		{"illegal move", goldOnHead, "R*5b", "not legal"},
		{"move from an empty square", goldOnHead, "1a1b", "not legal"},
		{"move of a piece of the defender", goldOnHead, "5a4a", "not legal"},
		{"not a check", goldOnHead, "G*1i", "does not check"},
		{"check, no mate", goldOnHead, "G*4b", "not mated"},
		{"a pawn drop must not mate", pawnMate, "P*1b", "not legal"},
		{"moves after the mate", goldOnHead, "G*5b 5a5b", "not legal"},
		{"a move after the mate by the attacker", goldOnHead, "G*5b 5c5d", "not legal"},
		{"wrong parity: the line ends after a defence", openKing, "P*5b 5a5b", "attacker to move"},
		{"a mate in three", classic, "9f5b+ 6a5b S*6b", ""},
		{"another defence of it", classic, "9f5b+ 4a5b S*4b", ""},
		{"a mate in three with three defences", sandwich, "G*5c 5b5a G*5b", ""},
		{"a mate in three with an interposition", pawnBetween, "R*7a P*8a B*7c", ""},
		{"a mate in two, the defender to move", sandwichGold, "5b4a G*4b", ""},
		{"a skipped defence: the king takes", sandwich, "5d5c+ 5b4a G*4b", "at 5b5c: the defence allows no mate in one"},
		{"a skipped defence, the defender to move", sandwichTokin, "5b4a G*4b", "at 5b5c: the defence allows no mate in one"},
		{"a skipped defence: the bishop takes", bishopTakes, "R*1c 1a2a 2c3b+", "at 2b1c: the defence allows no mate in one"},
		{"a skipped defence: an interposition", pawnBetween, "R*6a P*8a B*7c", "the defence allows no mate in one"},
		{"in check, the mate does not parry it", counterCheck, "G*5b", "not legal"},
		{"in check, the parry does not check", counterCheck, "5i5h", "does not check"},
		{"too short: the first move alone", classic, "9f5b+", "not mated"},
		{"no check in the middle", classic, "9f5b+ 6a5b S*1i", "does not check"},
		{"an illegal defence", classic, "9f5b+ 5a9i S*5b", "not legal"},
		{"a defence that ignores the check", classic, "9f5b+ P*1b S*5b", "not legal"},
		{"nobody to mate", "4k4/9/9/9/9/9/9/9/9 w - 1", "5a5b", "nobody to mate"},
		{"no king", "9/9/9/9/9/9/9/9/9 b G 1", "G*5e", "no king"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := shogi.MustParseSFEN(test.sfen)
			r := solver.Result{Verdict: solver.Mate, Line: moves(t, test.line)}
			for _, mateIn1 := range []func(*shogi.Position) shogi.Move{mate1.Find, nil} {
				err := solver.Verify(p, r, mateIn1)
				var bad *solver.VerifyError
				switch {
				case test.fails == "" && err != nil:
					t.Errorf("refused: %v", err)
				case test.fails != "" && (!errors.As(err, &bad) || !strings.Contains(err.Error(), test.fails)):
					t.Errorf("got %v, want an error with %q", err, test.fails)
				}
			}
		})
	}
}

// Whatever is put in the place of one move of a true line, the claim is accepted only if it is
// true: every value a move can have is tried, and the bitboard rules are asked who is mated.
func TestVerifyOneMoveChanged(t *testing.T) {
	p := shogi.MustParseSFEN(classic)
	line := moves(t, "9f5b+ 6a5b S*6b")
	verify := func(i int, m shogi.Move) error {
		changed := slices.Clone(line)
		changed[i] = m
		return solver.Verify(p, solver.Result{Verdict: solver.Mate, Line: changed}, mate1.Find)
	}
	for i := range line {
		before := p
		for _, m := range line[:i] {
			before.Do(m)
		}
		accepted := 0
		for value := range 1 << 16 {
			m := shogi.Move(value)
			want := before.IsLegal(m)
			if want {
				after := before
				after.Do(m)
				for _, next := range line[i+1:] {
					if want = want && after.IsLegal(next); want {
						after.Do(next)
					}
				}
				want = want && after.IsCheckmate()
			}
			if i == 0 && m != line[0] {
				want = false // the only first move that mates
			}
			if err := verify(i, m); (err == nil) != want {
				t.Errorf("move %d changed to %s (%#x): %v", i+1, m, value, err)
			}
			if want {
				accepted++
			}
		}
		if accepted == 0 {
			t.Errorf("move %d: not even the true line was accepted", i+1)
		}
	}
}

// Lines of random values are refused and do no harm.
func TestVerifyGarbage(t *testing.T) {
	rng := shogitest.NewRand(t)
	positions := []string{shogi.StartSFEN, classic, "9/9/9/9/9/9/9/9/9 w - 1", "4k4/9/9/9/9/9/9/9/9 w - 1", "4k4/9/9/9/9/9/9/9/4K4 b 9P 1"}
	for range 20_000 {
		p := shogi.MustParseSFEN(positions[rng.IntN(len(positions))])
		r := solver.Result{Verdict: solver.Verdict(rng.IntN(5)), Exact: rng.IntN(2) == 0, NoMateWithin: rng.IntN(5) - 1}
		for range rng.IntN(6) {
			r.Line = append(r.Line, shogi.Move(rng.Uint32()))
		}
		if rng.IntN(2) == 0 { // a legal beginning, so that the garbage comes later
			var buf shogi.MoveBuffer
			if list := p.LegalMoves(&buf, shogi.AllMoves); len(list) > 0 && len(r.Line) > 0 {
				r.Line[0] = list[rng.IntN(len(list))]
			}
		}
		err := solver.Verify(p, r, mate1.Find)
		if err == nil && r.Verdict != solver.NoMate {
			t.Fatalf("%s: %+v accepted", p.SFEN(), r)
		}
		if err != nil && err.Error() == "" {
			t.Fatal("an error without words")
		}
	}
}

// longLine is a problem with a mate in 581.
func longLine(t testing.TB) (shogi.Position, solver.Result) {
	data, err := os.ReadFile("testdata/astral-traveler.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	return shogi.MustParseSFEN(lines[1]), solver.Result{Verdict: solver.Mate, Line: moves(t, lines[2])}
}

// toAndFro is a mate after checks that lead nowhere, n times.
func toAndFro(t testing.TB, n int) (shogi.Position, solver.Result) {
	line := moves(t, strings.Repeat("3i4i 4a3a 4i3i 3a4a ", n)+"G*4b")
	return shogi.MustParseSFEN(shuttle), solver.Result{Verdict: solver.Mate, Line: line}
}

func TestVerifyLongLine(t *testing.T) {
	p, r := longLine(t)
	if len(r.Line) != 581 {
		t.Fatalf("%d plies", len(r.Line))
	}
	if err := solver.VerifyLine(p, r.Line); err != nil {
		t.Error(err)
	}
	r.Line[500] = r.Line[502]
	if err := solver.VerifyLine(p, r.Line); err == nil {
		t.Error("a false move late in the line was accepted")
	}
	p, r = toAndFro(t, 1<<15)
	if err := solver.Verify(p, r, nil); err == nil || !strings.Contains(err.Error(), "131073 plies, more than 65536") {
		t.Errorf("a line without end: %v", err)
	}
}

// A position that comes for the fourth time ends the game, and not for the attacker.
func TestVerifyRepetition(t *testing.T) {
	for n, fails := range []bool{1: false, 2: false, 3: true, 4: true} {
		p, r := toAndFro(t, n)
		if err := solver.VerifyLine(p, r.Line); (err != nil) != fails {
			t.Errorf("checks that lead nowhere, %d times: %v", n, err)
		} else if fails && !strings.Contains(err.Error(), "fourth time") {
			t.Error(err)
		}
	}
}

// What a Result says must fit together, and what it rules out must not be there.
func TestVerifyFields(t *testing.T) {
	const (
		mated = "4k4/4G4/4G4/9/9/9/9/9/9 w 2r2b2g4s4n4l18p 2"
		none  = "4k4/9/9/9/9/9/9/9/9 b G2r2b3g4s4n4l18p 1"
	)
	line1, line3 := moves(t, "G*5b"), moves(t, "9f5b+ 6a5b S*6b")
	detour := moves(t, "3i4i 4a3a 4i3i 3a4a G*4b")
	tests := []struct {
		name, sfen string
		r          solver.Result
		fails      string
	}{
		{"no mate", none, solver.Result{Verdict: solver.NoMate}, ""},
		{"no mate, yet a line", none, solver.Result{Verdict: solver.NoMate, Line: line1}, "there is a line"},
		{"no mate, yet there is one in one", goldOnHead, solver.Result{Verdict: solver.NoMate}, "at G*5b: the move mates"},
		{"no mate, yet mated", mated, solver.Result{Verdict: solver.NoMate}, "mated already"},
		{"no mate, with a reason", none, solver.Result{Verdict: solver.NoMate, Reason: solver.ReasonTime}, "reason"},
		{"no mate where there is no king", "9/9/9/9/9/9/9/9/9 b - 1", solver.Result{Verdict: solver.NoMate}, ""},
		{"unknown", goldOnHead, solver.Result{Reason: solver.ReasonNodes}, ""},
		{"unknown, yet a line", goldOnHead, solver.Result{Reason: solver.ReasonNodes, Line: line1}, "there is a line"},
		{"unknown without a reason", none, solver.Result{}, "without a reason"},
		{"none within one, yet there is", goldOnHead, solver.Result{Reason: solver.ReasonDepth, NoMateWithin: 1}, "at G*5b: the move mates"},
		{"none within one, as is true", classic, solver.Result{Reason: solver.ReasonDepth, NoMateWithin: 1}, ""},
		{"a mate that could be more", goldOnHead, solver.Result{Verdict: solver.Mate, Line: line1, Reason: solver.ReasonTime}, ""},
		{"an exact mate in one", goldOnHead, solver.Result{Verdict: solver.Mate, Line: line1, Exact: true}, ""},
		{"an exact mate in three", classic, solver.Result{Verdict: solver.Mate, Line: line3, Exact: true, NoMateWithin: 2}, ""},
		{"a mate in three, none within three", classic, solver.Result{Verdict: solver.Mate, Line: line3, NoMateWithin: 3}, "no mate within 3"},
		{"a mate in five where one does", shuttle, solver.Result{Verdict: solver.Mate, Line: detour}, "nothing without a proof"},
		{"the same, called exact", shuttle, solver.Result{Verdict: solver.Mate, Line: detour, Exact: true}, "at G*4b: the move mates"},
		{"the same, none within two", shuttle, solver.Result{Verdict: solver.Mate, Line: detour, NoMateWithin: 2}, "at G*4b: the move mates"},
		{"no mate, yet a proof", none, solver.Result{Verdict: solver.NoMate, Proof: &solver.Proof{}}, "there is a proof"},
		{"unknown, yet a proof", none, solver.Result{Reason: solver.ReasonTime, Proof: &solver.Proof{}}, "there is a proof"},
		{"a verdict of its own", none, solver.Result{Verdict: 3, Reason: solver.ReasonTime}, "verdict 3 does not exist"},
	}
	for _, test := range tests {
		p := shogi.MustParseSFEN(test.sfen)
		err := solver.Verify(p, test.r, mate1.Find)
		var bad *solver.VerifyError
		switch {
		case test.fails == "" && err != nil:
			t.Errorf("%s: refused: %v", test.name, err)
		case test.fails != "" && (!errors.As(err, &bad) || !strings.Contains(err.Error(), test.fails)):
			t.Errorf("%s: got %v, want an error with %q", test.name, err, test.fails)
		}
	}
}

// A mateIn1 that lies, or spoils the position it is given, changes no answer.
func TestVerifyTrustsNoMateIn1(t *testing.T) {
	legal := func(p *shogi.Position) shogi.Move {
		var buf shogi.MoveBuffer
		if list := p.LegalMoves(&buf, shogi.AllMoves); len(list) > 0 {
			return list[0]
		}
		return shogi.NoMove
	}
	for name, mateIn1 := range map[string]func(*shogi.Position) shogi.Move{
		"blind":   func(*shogi.Position) shogi.Move { return shogi.NoMove },
		"garbage": func(*shogi.Position) shogi.Move { return 0xffff },
		"any":     legal,
		"spoiler": func(p *shogi.Position) shogi.Move { *p = shogi.Start(); return shogi.NewMove(60, 59) },
	} {
		for line, want := range map[string]bool{"G*5c 5b5a G*5b": true, "5d5c+ 5b4a G*4b": false} {
			p := shogi.MustParseSFEN("9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1")
			err := solver.Verify(p, solver.Result{Verdict: solver.Mate, Line: moves(t, line), Exact: true}, mateIn1)
			if (err == nil) != want {
				t.Errorf("%s: %s: %v", name, line, err)
			}
		}
	}
}

func TestVerified(t *testing.T) {
	for _, liar := range []struct {
		name, sfen string
		r          solver.Result
		accepted   bool
	}{
		{"no liar", goldOnHead, solver.Result{Verdict: solver.Mate, Line: moves(t, "G*5b"), Exact: true}, true},
		{"no liar, in three", classic, solver.Result{Verdict: solver.Mate, Line: moves(t, "9f5b+ 6a5b S*6b"), Exact: true, NoMateWithin: 1}, true},
		{"no liar, at the end of its nodes", goldOnHead, solver.Result{Reason: solver.ReasonNodes}, true},
		{"a check that is no mate", goldOnHead, solver.Result{Verdict: solver.Mate, Line: moves(t, "G*4b"), Exact: true}, false},
		{"a line cut short", classic, solver.Result{Verdict: solver.Mate, Line: moves(t, "9f5b+"), NoMateWithin: 0, Exact: true}, false},
		{"no line", goldOnHead, solver.Result{Verdict: solver.Mate}, false},
		{"no mate, where there is one", goldOnHead, solver.Result{Verdict: solver.NoMate}, false},
		{"none within one, where there is one", goldOnHead, solver.Result{Reason: solver.ReasonDepth, NoMateWithin: 1}, false},
		{"one that found itself out", classic, solver.Result{Reason: solver.ReasonUnverified, NoMateWithin: 1}, false},
	} {
		t.Run(liar.name, func(t *testing.T) {
			liar.r.Nodes, liar.r.Solver = 7, "liar"
			s := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result { return liar.r })
			p := shogi.MustParseSFEN(liar.sfen)
			var reported []error
			report := func(q shogi.Position, r solver.Result, err error) {
				reported = append(reported, err)
				if q != p || !slices.Equal(r.Line, liar.r.Line) || r.Verdict != liar.r.Verdict {
					t.Errorf("reported %s %+v, which is not what was claimed", q.SFEN(), r)
				}
			}
			for _, report := range []func(shogi.Position, solver.Result, error){report, nil} {
				r := solver.Verified(s, mate1.Find, report).Solve(t.Context(), p, solver.Limits{})
				switch {
				case liar.accepted:
					if r.Verdict != liar.r.Verdict || !slices.Equal(r.Line, liar.r.Line) || r.Exact != liar.r.Exact || r.NoMateWithin != liar.r.NoMateWithin || r.Reason != liar.r.Reason {
						t.Errorf("came out as %+v", r)
					}
				case r.Verdict != solver.Unknown || r.Reason != solver.ReasonUnverified || r.Line != nil || r.Exact || r.NoMateWithin != 0:
					t.Errorf("came out as %+v", r)
				}
				if r.Nodes != 7 || r.Solver != "liar" {
					t.Errorf("who searched, and how much, is lost: %+v", r)
				}
			}
			want := 1
			if liar.accepted {
				want = 0
			}
			var bad *solver.VerifyError
			if len(reported) != want || want > 0 && !errors.As(reported[0], &bad) {
				t.Errorf("reported %v, want %d errors", reported, want)
			}
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	in1 := solver.Result{Verdict: solver.Mate, Line: moves(b, "G*5b"), Exact: true}
	in3 := solver.Result{Verdict: solver.Mate, Line: moves(b, "9f5b+ 6a5b S*6b"), Exact: true}
	long, in581 := longLine(b)
	for _, bench := range []struct {
		name string
		p    shogi.Position
		r    solver.Result
	}{
		{"mate1", shogi.MustParseSFEN(goldOnHead), in1},
		{"mate3", shogi.MustParseSFEN(classic), in3},
		{"mate581", long, in581},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := solver.Verify(bench.p, bench.r, mate1.Find); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
