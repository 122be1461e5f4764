package mate

import (
	"context"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// What is checked without being asked is what costs nothing; asked for, all is, within the limits.
func TestChecked(t *testing.T) {
	s := New(Options{TableBytes: 1 << 20})
	const (
		mateIn1  = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
		mateIn3  = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"
		mateIn5  = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"
		noCheck  = "4k4/9/9/9/9/9/9/9/9 b 2r2b4g4s4n4l18p 1"
		oneCheck = "4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1" // mate3 says that there is none
		noMate   = "4k4/9/9/9/9/9/9/9/9 b GS2P2r2b3g3s4n4l16p 1"
	)
	// Enough nodes for the answer, not for its certificate.
	enough := s.Solve(context.Background(), shogi.MustParseSFEN(noMate), solver.Limits{}).Nodes + 1
	for _, test := range []struct {
		sfen      string
		lim       solver.Limits
		checked   solver.Checked
		unchecked solver.Reason
	}{
		{mateIn1, solver.Limits{}, solver.CheckedReplay, ""},
		{mateIn1, solver.Limits{Check: true}, solver.CheckedReplay, ""},
		{mateIn3, solver.Limits{}, solver.CheckedReplay, ""},
		{mateIn5, solver.Limits{Shortest: true}, solver.CheckedSearch, ""},
		{mateIn5, solver.Limits{Shortest: true, Check: true}, solver.CheckedCertificate, ""},
		{noCheck, solver.Limits{}, solver.CheckedReplay, ""},
		{oneCheck, solver.Limits{}, solver.CheckedSearch, ""},
		{oneCheck, solver.Limits{Check: true}, solver.CheckedCertificate, ""},
		{noMate, solver.Limits{}, solver.CheckedSearch, ""},
		{noMate, solver.Limits{Check: true}, solver.CheckedCertificate, ""},
		{noMate, solver.Limits{Check: true, Nodes: enough}, solver.CheckedSearch, solver.ReasonNodes},
		{noMate, solver.Limits{Check: true, Nodes: 100}, "", ""}, // unknown
	} {
		p := shogi.MustParseSFEN(test.sfen)
		for _, p := range []shogi.Position{p, p.Rotated()} {
			r := s.Solve(context.Background(), p, test.lim)
			if r.Checked != test.checked || r.Unchecked != test.unchecked {
				t.Errorf("%s %+v: %v, checked %q, unchecked %q", p.SFEN(), test.lim, r.Verdict, r.Checked, r.Unchecked)
			}
		}
	}
}
