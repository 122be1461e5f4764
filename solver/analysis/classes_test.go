package analysis_test

import (
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
)

// TestClasses: classes of other checks that the table of problems has none of, or none that is quick.
func TestClasses(t *testing.T) {
	t.Parallel()
	z := analysis.NewAnalyzer(dfpn.NewSession())
	for _, test := range []struct {
		name, sfen string
		line       []string // the author's, or all that may be the main line
		other      string   // at ply 1
		class      analysis.CheckClass
		dual       analysis.Dual
	}{
		// The king can take the lance whether it has promoted or not, and then it is the same position.
		// Only if it has not the king may go to 2a instead, so that the play is not the same.
		//
		//	4  3  2  1
		//	G  .  . vK a
		//	.  .  . vG b
		//	. +R  .  . c
		//	.  .  .  L d
		{"joins the main line", "5G2k/8g/6+R2/8L/9/9/9/9/9 b 2Pr2b2g4s4n3l16p 1",
			[]string{"1d1b+", "1a1b", "G*2b"}, "1d1b", analysis.Transposition, analysis.Promotion},
		// A lance on 1e mates in three plies too, which is not sooner; but there the king has more ways to
		// last as long, so that it is no dual.
		{"as long as the author's line", "6pnk/9/7R1/9/9/9/9/9/9 b L 1",
			[]string{"L*1d", "2a1c", "1d1c"}, "L*1e", analysis.Cook, analysis.DistanceDrop},
		// A king between its own pieces, whom either knight mates.
		{"mirror image", "3gkg3/3npn3/9/9/9/9/9/9/9 b N 1", []string{"N*4c"}, "N*6c", analysis.Mirror,
			analysis.NoDual},
		{"mirror image in a position that is none of itself", "3gkg3/3npn3/9/9/9/9/9/9/P8 b N 1",
			[]string{"N*4c"}, "N*6c", analysis.LastMove, analysis.Side},
	} {
		p := shogi.MustParseSFEN(test.sfen)
		q := analysis.Question{Position: p, Attacker: shogi.Black}
		for _, m := range test.line {
			q.Line = append(q.Line, move(t, m))
		}
		a := analyze(t, z, q, nil)
		found := false
		for _, c := range a.Attack[0].Others {
			if c.Move != move(t, test.other) {
				continue
			}
			found = true
			if c.Class != test.class || c.Dual != test.dual {
				t.Errorf("%s: %s is %v %v, want %v %v", test.name, c.Move, c.Class, c.Dual, test.class, test.dual)
			}
		}
		if !found {
			t.Errorf("%s: %s is not there", test.name, test.other)
		}
	}
}

// TestOptional: what refutes a try leaves no mate, and a side mate is a line to a mate that is no
// shorter than the problem and leaves nothing over.
func TestOptional(t *testing.T) {
	t.Parallel()
	z, by := analysis.NewAnalyzer(dfpn.NewSession()), mate.New(mate.Options{TableBytes: 1 << 20})
	refuted, sideMates := 0, 0
	for _, r := range problems(t) {
		if !slices.Contains(append(slices.Clone(quick), "tanuki-7-72", "tanuki-7-129"), r.id) {
			continue
		}
		a := analyze(t, z, analysis.Question{Position: r.p, Attacker: shogi.Black, QuestionNodes: 20_000,
			Parts: analysis.DefaultParts | analysis.Tries | analysis.SideMates}, nil)
		p := r.p
		for i, m := range a.Line.Moves {
			if i%2 == 0 {
				for _, c := range a.Attack[i/2].Others {
					if c.Class != analysis.Try || len(c.Line) < 2 {
						continue
					}
					q := p
					q.Do(c.Line[0])
					q.Do(c.Line[1])
					if v := by.Solve(t.Context(), q, solver.Limits{Nodes: 200_000}).Verdict; v != solver.NoMate {
						t.Errorf("%s: after %v in %s: %v", r.id, c.Line, p.SFEN(), v)
					}
					refuted++
				}
			}
			p.Do(m)
		}
		for _, s := range a.SideMates {
			q := r.p
			for _, m := range slices.Concat(a.Line.Moves[:s.Variation.Ply-1], s.Line) {
				if !q.IsLegal(m) {
					t.Fatalf("%s: %v of the side mate %v", r.id, m, s.Line)
				}
				q.Do(m)
			}
			if s.Length.High < len(a.Line.Moves) || s.Length.IsExact() && !q.Hand(shogi.Black).IsEmpty() {
				t.Errorf("%s: a side mate of %d plies, leaving %v over: %v", r.id, s.Length.High, q.Hand(shogi.Black), s.Line)
			}
			sideMates++
		}
	}
	if refuted < 200 || sideMates < 3 {
		t.Errorf("%d tries refuted, %d side mates, want more", refuted, sideMates)
	}
}
