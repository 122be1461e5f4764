package analysis_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
)

var (
	verifiedNodes = flag.Uint64("analysis.verifiednodes", 100_000, "nodes for each of them in TestVerified")
	verifiedTable = flag.Int("analysis.verifiedtable", 4<<20, "bytes of the table in TestVerified")
)

// A watched session lists the answers that it could not verify.
type watched struct {
	solver.Session
	unverified []string
}

func (w *watched) Ask(ctx context.Context, q solver.Question) solver.Result {
	r := w.Session.Ask(ctx, q)
	if r.Reason == solver.ReasonUnverified {
		w.unverified = append(w.unverified, fmt.Sprintf("%v %s, limits %+v", r.Verdict, q.Position.SFEN(), q.Limits))
	}
	return r
}

// analyzeWatched reports on a work with its author's line, and fails if a mate was lost or its line
// could not be verified.
func analyzeWatched(t *testing.T, s solver.Session, e *edo, nodes uint64) *analysis.Analysis {
	t.Helper()
	w := watched{Session: s}
	a, err := analysis.NewAnalyzer(&w).Analyze(context.Background(), analysis.Question{Position: e.p,
		Attacker: shogi.Black, Line: e.line, Nodes: nodes, Stop: analysis.StopNever}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range w.unverified {
		t.Errorf("%s: not verified: %s", e.id, u)
	}
	if !a.Repeatable {
		t.Errorf("%s: another run may say something else, because of %q", e.id, a.Reason)
	}
	return a
}

// TestVerified: every mate that a session finds in some works of an old collection is verified, with
// -analysis.long in all of them.
func TestVerified(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel()
	mates := 0
	for i, e := range edoProblems(t, ".") {
		if i%6 > 0 && !*problemsLong {
			continue
		}
		if analyzeWatched(t, dfpn.NewSmallSession(*verifiedTable), &e, *verifiedNodes).Verdict == solver.Mate {
			mates++
		}
	}
	if t.Logf("%d mates", mates); mates < 8 {
		t.Errorf("mates were found in %d of them", mates)
	}
}

// TestSharedOnLine: the line of the shortest mate passes a position for which the proof has a node
// already, made for more in hand, that needs just what is in hand here and plays another move. The
// mate is not lost, and nor is its line.
func TestSharedOnLine(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel()
	e := edo{id: "shared", p: shogi.MustParseSFEN("4g1+r2/4B2s1/5pLpn/3B1g2g/6Pkn/7N1/6nP1/6G2/5+R3 b S2s3l14p 1")}
	for m := range strings.FieldsSeq("S*3f 2e3f 3h3g 3f2e 3g3f 2e3f 4i4f 3f2g 4f3g 2g1f N*2h 1f2e 3g3f 2e2d 2h1f 2d3c " +
		"3e3d 3c3b 3d3c 3b2a 6d3a+ 2b3a 5b4c+ 4d4c R*2b 2a1a P*1b 1a2b 2f1d 2b1b G*2b 3a2b 1d2b+ 1b2b 3c3b+ " +
		"2b1a S*2b 1a1b 2b2a 1b1a 3b2b 1a2b 3f3b 2b1a 3b1b") {
		e.line = append(e.line, move(t, m))
	}
	a := analyzeWatched(t, dfpn.NewSession(), &e, analysis.DefaultNodes)
	if a.Verdict != solver.Mate || len(a.Line.Moves) == 0 {
		t.Errorf("%v, because of %q", a.Verdict, a.Reason)
	}
}
