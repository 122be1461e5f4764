package analysis_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

// cooked is a problem of seven plies with a cook at the first ply and one at the fifth, after the reply
// at ply 2 that lasts as long as that of the main line.
const cooked = "5S1k1/8L/7gl/9/9/8N/9/9/9 b R2Sr2b3gs3n2l18p 1"

// cooks returns the positions of a report in which checks were asked about, and the cooks in them: what
// does not depend on which line is called the main line.
func cooks(t *testing.T, a *analysis.Analysis) []string {
	found := map[string]bool{}
	for line, n := range a.AttackNodes() {
		moves := a.Line.Moves
		if line > 0 {
			moves = a.EqualLines[line-1].Moves
		}
		p := a.Position
		for _, m := range moves[:n.Ply-1] {
			p.Do(m)
		}
		mirrored := p.Mirrored()
		if at := min(p.ProblemSFEN(), mirrored.ProblemSFEN()); found[at] {
			t.Errorf("%s is looked at twice", at)
		} else {
			found[at] = true
		}
		for _, c := range n.Others {
			switch c.Class {
			case analysis.Cook, analysis.Early, analysis.Transposition:
				text, other := p.ProblemSFEN()+" "+c.Move.String(), mirrored.ProblemSFEN()+" "+c.Move.Mirrored().String()
				found[min(text, other)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// TestEqualLines: whichever of its equal lines is the main one, the same positions of a problem are
// looked at, it has the same cooks, and is sound or not.
func TestEqualLines(t *testing.T) {
	t.Parallel()
	z := analysis.NewAnalyzer(dfpn.NewSession())
	sfens := []string{cooked, "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"} // the second is its own mirror image
	for _, r := range problems(t) {
		if len(r.equal) > 0 && slices.Contains(quick, r.id) {
			sfens = append(sfens, r.p.SFEN())
		}
	}
	turned, nested := 0, false
	for _, sfen := range sfens {
		q := analysis.Question{Position: shogi.MustParseSFEN(sfen), Attacker: shogi.Black, Policy: length.F2,
			Stop: analysis.StopNever, QuestionNodes: 30_000}
		a := analyze(t, z, q, nil)
		for i, e := range a.EqualLines {
			nested = nested || e.Reply.Line > 0
			if i > 0 && i < len(a.EqualLines)-1 {
				continue // the first and the last will do
			}
			turned++
			q.Line = e.Moves
			b := analyze(t, z, q, nil)
			if !slices.Equal(b.Line.Moves, e.Moves) {
				t.Fatalf("%s: the main line is %v, not %v", sfen, b.Line.Moves, e.Moves)
			}
			if x, y := cooks(t, a), cooks(t, b); !slices.Equal(x, y) || a.Sound != b.Sound {
				t.Errorf("%s: sound %v, cooks %q; with another main line sound %v, cooks %q", sfen, a.Sound, x, b.Sound, y)
			}
		}
	}
	if turned < 5 || !nested {
		t.Errorf("%d main lines were exchanged, nested %v", turned, nested)
	}
}

// TestScope: what is on the equal line alone is found unless the main line alone is asked about, and
// with more equal lines than are looked along a problem is not called sound.
func TestScope(t *testing.T) {
	t.Parallel()
	z := analysis.NewAnalyzer(dfpn.NewSession())
	q := analysis.Question{Position: shogi.MustParseSFEN(cooked), Attacker: shogi.Black, Policy: length.F2,
		Stop: analysis.StopNever, QuestionNodes: 100_000}
	for scope, want := range map[analysis.Scope][]analysis.Place{
		analysis.ScopeMain:  {place(t, "1", "S*3b")},
		analysis.ScopeFew:   {place(t, "1", "S*3b"), {Ply: 5, Move: move(t, "2a3b+"), Line: 1}},
		analysis.ScopeEqual: {place(t, "1", "S*3b"), {Ply: 5, Move: move(t, "2a3b+"), Line: 1}},
	} {
		q.Scope = scope
		for _, r := range analyze(t, z, q, nil).Rules {
			if r.Rule == analysis.RuleCook && !slices.Equal(r.Places, want) {
				t.Errorf("%v: cooks %v, want %v", scope, r.Places, want)
			}
		}
	}
	for left, want := range []analysis.Answer{analysis.Yes, analysis.Unknown} {
		a := &analysis.Analysis{Position: q.Position, Profile: analysis.Magazine, EqualLeft: left,
			Attack: []analysis.AttackNode{{Place: analysis.Place{Ply: 1}, Checks: 2, Fail: 1}}}
		a.Judge()
		for _, r := range a.Rules {
			if r.Rule == analysis.RuleCook && r.Holds != want {
				t.Errorf("%d lines not looked along: %v", left, r.Holds)
			}
		}
	}
}

// settling is a problem of five plies with eight cooks.
func settling(t *testing.T) shogi.Position {
	for _, r := range problems(t) {
		if r.id == "tanuki-5-294" {
			return r.p
		}
	}
	t.Fatal("there is no such problem")
	return shogi.Position{}
}

// TestSettled: once three cooks are known, the others that mate at once are counted, and nothing is
// asked about them.
func TestSettled(t *testing.T) {
	t.Parallel()
	z := analysis.NewAnalyzer(dfpn.NewSession())
	q := analysis.Question{Position: settling(t),
		Attacker: shogi.Black, Policy: length.F2, Nodes: 3_000_000, Stop: analysis.StopNever}
	count := func(a *analysis.Analysis) (cooks, settled, open int) {
		for _, n := range a.AttackNodes() {
			for _, c := range n.Others {
				switch {
				case c.Class == analysis.Cook || c.Class == analysis.Early || c.Class == analysis.Transposition:
					cooks++
				case c.Reason == solver.ReasonSettled && c.Verdict == solver.Mate:
					settled++
				case c.Verdict == solver.Unknown:
					open++
				}
			}
		}
		return cooks, settled, open
	}
	all := analyze(t, z, q, nil)
	q.Stop = analysis.StopSettled
	a := analyze(t, z, q, nil)
	every, none, _ := count(all)
	found, settled, _ := count(a)
	t.Logf("all: %d cooks, %d nodes; settled: %d and %d more, %d nodes", every, all.Nodes, found, settled, a.Nodes)
	if found != analysis.SettledCooks || settled == 0 || none != 0 || every <= found || 2*a.Nodes > all.Nodes {
		t.Errorf("%d cooks and %d more", found, settled)
	}
	if a.Sound != analysis.No || a.Reason != solver.ReasonSettled || len(a.Remaining) > 0 {
		t.Errorf("sound %v, %s, remaining %v", a.Sound, a.Reason, a.Remaining)
	}
}

// TestHorizon: of a check that stays open it is said how long a mate by it must be, and the last
// questions get more nodes only if no limit of a question is given.
func TestHorizon(t *testing.T) {
	t.Parallel()
	z := analysis.NewAnalyzer(dfpn.NewSession())
	var open [2]int
	bounded := 0
	for _, r := range problems(t) {
		if !slices.Contains([]string{"tanuki-5-140", "sugyan1"}, r.id) {
			continue
		}
		for i, nodes := range []uint64{2000, 0} {
			q := analysis.Question{Position: r.p, Attacker: shogi.Black, Policy: length.F2, QuestionNodes: nodes,
				Nodes: 1_500_000, Stop: analysis.StopNever}
			a := analyze(t, z, q, nil)
			least := length.Unbounded
			for _, n := range a.AttackNodes() {
				for _, c := range n.Others {
					if c.Verdict == solver.Unknown {
						open[i]++
						least = min(least, c.NoMateWithin)
						bounded += min(c.NoMateWithin, 1)
						if n := c.NoMateWithin; n != 0 && n < len(a.Line.Moves) {
							t.Errorf("%s: %v does not mate within %d plies", r.id, c.Move, n)
						}
					} else if c.NoMateWithin != 0 {
						t.Errorf("%s: %v is %v", r.id, c.Move, c.Verdict)
					}
				}
			}
			if least < length.Unbounded && a.NoMateWithin != least {
				t.Errorf("%s: no mate within %d plies, want %d", r.id, a.NoMateWithin, least)
			}
		}
	}
	if bounded == 0 || open[0] == 0 || open[1] >= open[0] {
		t.Errorf("%d bounds; open %d, and without a limit of a question %d", bounded, open[0], open[1])
	}
}

// TestFewNodes: an eighth of few nodes is none, which is not any number.
func TestFewNodes(t *testing.T) {
	q := analysis.Question{Position: shogi.MustParseSFEN(cooked), Attacker: shogi.Black, Policy: length.F2, QuestionNodes: 7}
	for _, n := range analyze(t, analysis.NewAnalyzer(dfpn.NewSession()), q, nil).AttackNodes() {
		for _, c := range n.Others {
			if c.Verdict == solver.Unknown && c.Nodes > q.QuestionNodes {
				t.Errorf("%v took %d nodes", c.Move, c.Nodes)
			}
		}
	}
}

// TestCompleted: a problem with a piece missing is reported on with that piece in the defender's hand,
// unless the profile does not mind.
func TestCompleted(t *testing.T) {
	t.Parallel()
	z := analysis.NewAnalyzer(dfpn.NewSession())
	q := analysis.Question{Position: shogi.MustParseSFEN("9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b3s4n4l17p 1"),
		Attacker: shogi.Black, Policy: length.F2}
	a := analyze(t, z, q, nil)
	c := a.Completed
	if c == nil || a.Sound != analysis.No || c.Sound != analysis.Yes || c.Position.Missing() != 0 || len(c.Broken) > 0 ||
		c.Decided == 0 || c.Open > 0 {
		t.Errorf("sound %v; with the silver %+v", a.Sound, c)
	}
	q.Profile = analysis.App
	if c := analyze(t, z, q, nil).Completed; c != nil {
		t.Errorf("%+v", c)
	}
}

// TestLineFault: why moves are no line to a mate, at which ply.
func TestLineFault(t *testing.T) {
	t.Parallel()
	z := analysis.NewAnalyzer(dfpn.NewSession())
	for _, test := range []struct {
		line  []string
		fault analysis.LineFault
		ply   int
		move  string
	}{
		{[]string{"G*5c", "5b6a", "G*6b"}, analysis.NoFault, 0, ""},
		{[]string{"G*5c", "5b5c"}, analysis.IllegalMove, 2, "5b5c"},
		{[]string{"G*5c", "5b6a", "G*9i"}, analysis.NoCheck, 3, "G*9i"},
		{[]string{"G*5c", "5b6a"}, analysis.DefenderLast, 2, "5b6a"},
		{[]string{"G*5c"}, analysis.WithoutMate, 2, "5b6a"},
	} {
		for _, white := range []bool{false, true} {
			q := analysis.Question{Position: shogi.MustParseSFEN("9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1"),
				Attacker: shogi.Black, Policy: length.F2}
			for _, m := range test.line {
				q.Line = append(q.Line, move(t, m))
			}
			by := func(m shogi.Move) shogi.Move { return m }
			if white {
				by = shogi.Move.Rotated
				q.Position, q.Attacker, q.Line = q.Position.Rotated(), shogi.White, turn(q.Line, by)
			}
			a := analyze(t, z, q, nil)
			if a.Length() != length.Exactly(3) {
				t.Errorf("%v: the length is %v", q.Line, a.Length())
			}
			f := a.Author
			if f.Fault != test.fault || f.Fault != analysis.NoFault && (f.Finding != analysis.Faulty ||
				len(f.Places) != 1 || f.Places[0] != analysis.Place{Ply: test.ply, Move: by(move(t, test.move))}) {
				t.Errorf("%v: %v %v %v", q.Line, f.Finding, f.Fault, f.Places)
			}
		}
	}
}

// TestEscapeIsNotLonger: a reply after which there is no mate is none that lasts longer, and has no
// length.
func TestEscapeIsNotLonger(t *testing.T) {
	t.Parallel()
	q := analysis.Question{Position: shogi.MustParseSFEN("9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"),
		Attacker: shogi.Black, Policy: length.F2,
		Line: []shogi.Move{move(t, "G*4c"), move(t, "5b5a"), move(t, "G*5b")}}
	a := analyze(t, analysis.NewAnalyzer(dfpn.NewSession()), q, nil)
	for _, r := range a.Defence[0].Replies {
		if r.Move == move(t, "5b4c") && (r.Kind != analysis.EscapeReply || r.Length.IsMate()) {
			t.Errorf("%v: kind %v, length %v", r.Move, r.Kind, r.Length)
		}
	}
}
