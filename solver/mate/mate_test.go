package mate

import (
	"context"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

func parse(t *testing.T, text string) (line []shogi.Move) {
	for w := range strings.FieldsSeq(text) {
		m, err := shogi.ParseMove(w)
		if err != nil {
			t.Fatal(err)
		}
		line = append(line, m)
	}
	return line
}

// TestLiar: a solver at the end of the ladder that lies gets no false mate out.
func TestLiar(t *testing.T) {
	// Two golds alone force nothing, but there is a line to a mate.
	const sfen = "4k4/9/9/9/9/9/9/9/9 b 2Gr2b2g4s4n4l18p 1"
	line := parse(t, "G*5b")
	long := parse(t, "G*6b 5a4b 6b5b 4b4c 5b5c 4c3b G*3c 3b4a 5c4b")
	if err := solver.VerifyLine(shogi.MustParseSFEN(sfen), long); err != nil {
		t.Fatal(err)
	}
	// A true proof, of another position.
	other := shogi.MustParseSFEN("4k4/9/4G4/9/9/9/9/9/9 b GR2b2g4s4n4l18p 1")
	elsewhere, err := solver.NewProof(t.Context(), other, shogi.Black,
		[]solver.ProofNode{{Move: parse(t, "G*5b")[0], Height: 1, Hand: other.Hand(shogi.Black)}},
		[]solver.ProofReply{{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, lie := range map[string]solver.Result{
		"a line that is no mate":              {Verdict: solver.Mate, Line: line},
		"a line without a proof":              {Verdict: solver.Mate, Line: long},
		"an empty proof":                      {Verdict: solver.Mate, Line: long, Proof: &solver.Proof{}},
		"a proof of something else":           {Verdict: solver.Mate, Line: long, Proof: elsewhere},
		"a line that is no mate, and a proof": {Verdict: solver.Mate, Line: line, Proof: elsewhere},
		"a mate, none within its line":        {Verdict: solver.Mate, Line: long, NoMateWithin: 9},
		"two proofs that contradict":          {Reason: solver.ReasonUnverified},
	} {
		reported := 0
		liar := solver.Func(func(_ context.Context, _ shogi.Position, _ solver.Limits) solver.Result { return lie })
		s := ladder(liar, Options{Report: func(shogi.Position, solver.Result, error) { reported++ }})
		r := s.Solve(t.Context(), shogi.MustParseSFEN(sfen), solver.Limits{})
		if r.Verdict != solver.Unknown || r.Reason != solver.ReasonUnverified || len(r.Line) > 0 || reported != 1 {
			t.Errorf("%s: %+v, reported %d times", name, r, reported)
		}
	}
}

// TestLadder: each rung answers what it can, and with a proof if asked.
func TestLadder(t *testing.T) {
	s := New(Options{TableBytes: 1 << 20})
	for _, test := range []struct {
		sfen, solver string
		plies        int
	}{
		{"4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1", "mate1", 1},
		{"3sks3/9/4S4/9/9/B8/9/9/9 b S2rb4g4n4l18p 1", "mate3", 3},
		{"k8/gl1K5/2P6/9/9/9/9/P8/8R b GPr2b2g4s4n3l15p 1", "dfpn", 15},
	} {
		p := shogi.MustParseSFEN(test.sfen)
		r := s.Solve(t.Context(), p, solver.Limits{Shortest: true, Proof: true})
		if r.Verdict != solver.Mate || r.Solver != test.solver || len(r.Line) != test.plies || r.Proof.Plies() != test.plies {
			t.Errorf("%s: %+v", test.sfen, r)
		}
		if err := solver.Verify(p, r, nil); err != nil {
			t.Error(err)
		}
		if r := s.Solve(t.Context(), p, solver.Limits{}); r.Verdict != solver.Mate || r.Proof != nil {
			t.Errorf("%s: not asked for a proof: %+v", test.sfen, r)
		}
	}
}
