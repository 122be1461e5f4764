package solver_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate1"
)

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

func TestVerify(t *testing.T) {
	const (
		goldOnHead = "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"
		pawnMate   = "7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1"
		mated      = "4k4/4G4/4G4/9/9/9/9/9/9 w 2r2b2g4s4n4l18p 2"
		inCheck    = "4k4/4P4/4G4/9/9/9/9/9/9 w G2r2b2g4s4n4l17p 2"
		openKing   = "4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1"
		// A problem of old (古典3手詰): the bishop is given away on 5b.
		classic = "3sks3/9/4S4/9/9/B8/9/9/9 b S2rb4g4n4l18p 1"
	)
	tests := []struct {
		name, sfen, line string
		fails            string // part of the message; empty if the claim holds
	}{
		{"a mate in one", goldOnHead, "G*5b", ""},
		{"already mated", mated, "", ""},
		{"empty line, but not mated", inCheck, "", "not mated"},
		{"empty line with the attacker to move", goldOnHead, "", "not mated"},
		{"illegal move", goldOnHead, "R*5b", "not legal"},
		{"move from an empty square", goldOnHead, "1a1b", "not legal"},
		{"not a check", goldOnHead, "G*1i", "does not check"},
		{"check, no mate", goldOnHead, "G*4b", "not mated"},
		{"a pawn drop must not mate", pawnMate, "P*1b", "not legal"},
		{"moves after the mate", goldOnHead, "G*5b 5a5b", "not legal"},
		{"line ends after a defence", openKing, "P*5b 5a5b", "not mated"},
		{"a mate in three", classic, "9f5b+ 6a5b S*6b", ""},
		{"the first move alone", classic, "9f5b+", "not mated"},
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

// A defence that the line leaves out and that saves the king must be found.
func TestVerifySeesSkippedDefence(t *testing.T) {
	// The knight checks and the king has two squares, 4a and 6a. At 4a a gold mates, at 6a none does.
	p := shogi.MustParseSFEN("4k4/9/9/3N5/9/9/9/9/9 b 2G2r2b2g4s3n4l18p 1")
	checks := 0
	var buf, replies, finish shogi.MoveBuffer
	for _, m := range p.Checks(&buf, shogi.AllMoves) {
		q := p
		q.Do(m)
		mating, saving := solver.Result{}, false
		for _, d := range q.Evasions(&replies, shogi.AllMoves) {
			after := q
			after.Do(d)
			found := shogi.NoMove
			for _, last := range after.Checks(&finish, shogi.AllMoves) {
				end := after
				end.Do(last)
				if end.IsCheckmate() {
					found = last
				}
			}
			if found != shogi.NoMove {
				mating = solver.Result{Verdict: solver.Mate, Line: []shogi.Move{m, d, found}}
			} else {
				saving = true
			}
		}
		if mating.Verdict == solver.Mate && saving {
			checks++
			if err := solver.Verify(p, mating, mate1.Find); err == nil {
				t.Errorf("%v accepted, but not every defence allows a mate", mating.Line)
			}
		}
	}
	if checks == 0 {
		t.Fatal("the position has no line that helps the defender lose, so nothing was tested")
	}
}

func TestVerifyRefusesLinesOfOthers(t *testing.T) {
	p := shogi.MustParseSFEN("4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1")
	for _, v := range []solver.Verdict{solver.NoMate, solver.Unknown} {
		if err := solver.Verify(p, solver.Result{Verdict: v}, mate1.Find); err != nil {
			t.Errorf("%v without a line: %v", v, err)
		}
		if err := solver.Verify(p, solver.Result{Verdict: v, Line: moves(t, "G*5b")}, mate1.Find); err == nil {
			t.Errorf("%v with a line accepted", v)
		}
	}
}

func TestVerified(t *testing.T) {
	p := shogi.MustParseSFEN("4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1")
	claim := func(line string) solver.Solver {
		return solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
			return solver.Result{Verdict: solver.Mate, Line: moves(t, line), Exact: true, Nodes: 7, Solver: "liar"}
		})
	}
	var reported []error
	report := func(_ shogi.Position, _ solver.Result, err error) { reported = append(reported, err) }

	if r := solver.Verified(claim("G*5b"), mate1.Find, report).Solve(t.Context(), p, solver.Limits{}); r.Verdict != solver.Mate {
		t.Errorf("a true mate came out as %+v", r)
	}
	if len(reported) != 0 {
		t.Errorf("a true mate was reported: %v", reported)
	}
	for _, report := range []func(shogi.Position, solver.Result, error){report, nil} {
		r := solver.Verified(claim("G*4b"), mate1.Find, report).Solve(t.Context(), p, solver.Limits{})
		if r.Verdict != solver.Unknown || r.Reason != solver.ReasonUnverified || r.Line != nil || r.Exact || r.NoMateWithin != 0 {
			t.Errorf("a false mate came out as %+v", r)
		}
	}
	if len(reported) != 1 {
		t.Errorf("a false mate was reported %d times, want once", len(reported))
	}
}
