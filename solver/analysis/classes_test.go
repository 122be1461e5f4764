package analysis_test

import (
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
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
