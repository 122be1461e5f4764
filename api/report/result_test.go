package report_test

import (
	"slices"
	"testing"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
)

const mateInThree = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"

func line(t *testing.T, p shogi.Position, moves ...string) []shogi.Move {
	t.Helper()
	var line []shogi.Move
	for _, text := range moves {
		m, err := shogi.ParseMove(text)
		if err != nil || !p.IsLegal(m) {
			t.Fatalf("%s: %v", text, err)
		}
		line = append(line, m)
		p.Do(m)
	}
	return line
}

// What is written in a notation is read again as the same position, moves, end and comment.
func TestEveryNotation(t *testing.T) {
	p, err := shogi.ParseSFEN(mateInThree)
	if err != nil {
		t.Fatal(err)
	}
	mate := line(t, p, "G*5c", "5b6a", "G*6b")
	for _, test := range []struct {
		result  solver.Result
		end     notation.Ending
		comment string
	}{
		{solver.Result{Verdict: solver.Mate, Line: mate, Exact: true}, notation.Mated, "3手詰。最短と証明済み。"},
		{solver.Result{Verdict: solver.Mate, Line: mate}, notation.Mated, "3手以内で詰む。より短い詰みがあるかもしれない。"},
		{solver.Result{Verdict: solver.Mate, Line: mate, NoMateWithin: 1}, notation.Mated, "3手以内で詰む。1手以内では詰まない。"},
		{solver.Result{Verdict: solver.NoMate}, notation.NoMate, "不詰。何手かけても詰まないことを証明済み。"},
		{solver.Result{Reason: solver.ReasonTime}, notation.Interrupted, "不明。"},
		{solver.Result{Reason: solver.ReasonPlies, NoMateWithin: 7}, notation.Interrupted, "不明。7手以内では詰まない。"},
	} {
		for _, format := range []notation.Format{notation.KIF, notation.KI2, notation.CSA, notation.JKF} {
			text := report.ResultRecord(&p, &test.result).Append(nil, format)
			got, err := notation.Parse(text, notation.Options{Format: format})
			if err != nil {
				t.Errorf("%s: %v\n%s", format, err, text)
				continue
			}
			if got.Start.SFEN() != mateInThree || !slices.Equal(got.Moves(), test.result.Line) || got.Ending() != test.end {
				t.Errorf("%s of %+v:\n%s", format, test.result, text)
			}
			if comments := got.Root.Comments; !slices.Equal(comments, []string{test.comment}) {
				t.Errorf("%s: comments %q, expected %q", format, comments, test.comment)
			}
		}
		game, err := shogi.ParsePosition(string(report.ResultRecord(&p, &test.result).AppendUSI(nil)))
		if err != nil {
			t.Fatal(err)
		}
		after := p
		for _, m := range test.result.Line {
			after.Do(m)
		}
		if got := game.Position(); got != after {
			t.Errorf("USI ends at %s", got.SFEN())
		}
	}
}

func TestMatedAlready(t *testing.T) {
	p, err := shogi.ParseSFEN("4k4/4G4/4P4/9/9/9/9/9/9 w - 1")
	if err != nil {
		t.Fatal(err)
	}
	r := report.ResultRecord(&p, &solver.Result{Verdict: solver.Mate, Exact: true})
	if len(r.Moves()) != 0 || r.Ending() != notation.Mated || !slices.Equal(r.Root.Comments, []string{"詰んでいる局面。"}) {
		t.Errorf("%q %q", r.Ending(), r.Root.Comments)
	}
}
