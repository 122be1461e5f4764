package playtest_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/playtest"
)

// quiet are the mates that begin with a move that does not check. The solvers of mates, who check with
// every move, do not know them.
var quiet = []string{"T-13", "T-14", "T-15", "T-16", "T-17", "T-18", "T-19", "T-20", "T-27", "T-33"}

// The solvers of mates know no limit of moves. With as many plies as the limit leaves they find a
// mate where it comes in time, and nowhere else.
func TestMatesInTime(t *testing.T) {
	solve := mate.New(mate.Options{TableBytes: 1 << 20})
	asked := 0
	for _, v := range all() {
		p := v.Game().Position()
		plies := v.Rules.MaxMoves - p.Ply() + 1
		if v.Rules.LastMove == play.MateDraws {
			plies-- // the last move mates nobody
		}
		if v.Rules.MaxMoves == 0 {
			plies = 0 // any
		} else if plies <= 0 || v.End != play.NotOver || v.Value == 0 {
			continue
		}
		asked++
		want := v.Value == playtest.Win && !slices.Contains(quiet, v.ID)
		res := solve.Solve(t.Context(), p, solver.Limits{Plies: plies, Nodes: 100_000})
		switch mates := res.Verdict == solver.Mate; {
		case mates != want:
			t.Errorf("%v: %v within %d plies, the position is worth %c", &v, res.Verdict, plies, v.Value)
		case mates && plies > 0 && res.Plies() > plies:
			t.Errorf("%v: a mate in %d, %d plies are left", &v, res.Plies(), plies)
		case mates && v.Best != nil && !slices.Contains(v.Best, res.Line[0]):
			t.Errorf("%v: a mate by %v, the best moves are %v", &v, res.Line, v.Best)
		case !mates && res.Verdict == solver.Unknown && res.Reason != solver.ReasonPlies:
			t.Errorf("%v: %v because of %s", &v, res.Verdict, res.Reason)
		}
	}
	if asked < 100 {
		t.Errorf("only %d vectors were asked about", asked)
	}
}

// Mates by checks alone, from games: within so many plies there is one, within two fewer there is
// none, in whatever order the same solver is asked.
func TestLongMatesInTime(t *testing.T) {
	solve := mate.New(mate.Options{TableBytes: 1 << 20})
	for _, test := range []struct {
		sfen  string
		plies int // proved by exhaustive search, or by two searches
	}{
		{"+S1G4+b1/1l3G3/pppp1S1+L1/5+b3/7n1/3P1P1PP/+s3P+sPK1/4+n1g1L/1k+r1L2N1 w 7Prgnp", 3},
		{"lns3ls1/1r1k5/ppp2p3/1n1p3GB/1P2P1PPP/P1P3bS1/3P5/g4K3/1NS4NL w GL4Prgp", 5},
		{"l1s4nl/2g1pb3/pbkPg3p/3p3p1/n5p2/1p2PPP1P/P3GK1PL/LP+p+r4R/2g3SN1 w P2snp", 7},
		{"9/+Rsgkg1+N2/1pppp1p2/p8/9/4P1+bs1/PPPPK4/1BGS1+l3/LN3+n+l2 w SNL3Prg4p", 9},
	} {
		for _, plies := range []int{test.plies - 2, test.plies, test.plies - 1, test.plies + 1, test.plies - 2} {
			p := shogi.MustParseSFEN(test.sfen + " " + strconv.Itoa(256-plies+1))
			res := solve.Solve(t.Context(), p, solver.Limits{Plies: 256 - p.Ply() + 1, Nodes: 200_000})
			if mates := res.Verdict == solver.Mate; mates != (plies >= test.plies) || mates && res.Plies() > plies {
				t.Errorf("%s: %v in %d plies within %d, the shortest mate has %d",
					p.SFEN(), res.Verdict, res.Plies(), plies, test.plies)
			}
		}
	}
}
