package compose

import (
	"context"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/theme"
)

// Sound problems, of one ply and of three.
const (
	mateInOne   = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	mateInThree = "9/5G3/4k1S2/6L2/3+R5/3N5/9/9/9 b r2b3g3s3n3l18p 1"
	threeMoves  = "4b4c 5c4c 6e5d"
)

// asked counts the questions of a session.
type asked struct {
	solver.Session
	n int
}

func (a *asked) Ask(ctx context.Context, q solver.Question) solver.Result {
	a.n++
	return a.Session.Ask(ctx, q)
}

func (a *asked) Decide(ctx context.Context, q solver.Question) solver.Decision {
	a.n++
	return a.Session.Decide(ctx, q)
}

// TestHandsInherit: what is known of a hand holds for those that have it and more, without a
// question, and for no others.
func TestHandsInherit(t *testing.T) {
	h := func(kinds ...shogi.PieceType) (h shogi.Hand) {
		for _, k := range kinds {
			h = h.Add(k, 1)
		}
		return h
	}
	for _, c := range []struct {
		name    string
		board   string
		less    matingHand
		hand    shogi.Hand
		least   int
		strict  bool
		inherit Outcome // Sound: nothing, so that questions are asked
	}{
		{"a short mate", mateInThree, matingHand{0, known{mates: true, short: true}}, h(shogi.Pawn), 3,
			false, OtherPlies},
		{"a cook", mateInThree, matingHand{0, known{mates: true, cooked: true}}, h(shogi.Pawn), 3, false,
			Cooked},
		{"a mate where all is to be strict", mateInThree, matingHand{0, known{mates: true}},
			h(shogi.Pawn), 3, true, Unsound},
		{"a mate", mateInThree, matingHand{0, known{mates: true}}, h(shogi.Pawn), 3, false, Sound},
		{"a larger hand", mateInThree, matingHand{h(shogi.Pawn), known{mates: true, short: true}}, 0, 3,
			false, Sound},
		{"another hand", mateInThree, matingHand{h(shogi.Gold), known{mates: true, cooked: true}},
			h(shogi.Pawn), 3, false, Sound},
		{"a cook, where a mate in one is wanted", mateInOne,
			matingHand{0, known{mates: true, cooked: true}}, h(shogi.Gold), 1, false, Sound},
		{"a cook, and no mate in one", mateInThree, matingHand{0, known{mates: true, cooked: true}},
			h(shogi.Pawn), 1, false, Cooked},
	} {
		o := anyProblem(1)
		o.Least, o.Strict = c.least, c.strict
		s := asked{Session: dfpn.NewSmallSession(1 << 20)}
		y := handFamily{e: newExaminer(&s, &o.Conditions, hasty), board: shogi.MustParseSFEN(c.board),
			mates: []matingHand{c.less}}
		_, outcome := y.examine(t.Context(), c.hand)
		if inherits := s.n == 0; inherits != (c.inherit != Sound) || inherits && outcome != c.inherit {
			t.Errorf("%s: %v after %d questions, want %v", c.name, outcome, s.n, c.inherit)
		}
	}
}

// TestJudge: a report has the outcome of the first condition that it does not meet.
func TestJudge(t *testing.T) {
	line := parseMoves(t, threeMoves)
	sound := func() *analysis.Analysis {
		return &analysis.Analysis{Position: shogi.MustParseSFEN(mateInThree), Sound: analysis.Yes,
			Policy: length.F2, Line: analysis.Line{Moves: line},
			Lengths: []analysis.Length{{Policy: length.F2, Interval: length.Exactly(3)}},
			Themes:  []theme.Found{{Theme: theme.ByID("sacrifice"), Plies: []int{1}}}}
	}
	for _, c := range []struct {
		name string
		set  func(a *analysis.Analysis, e *examiner)
		want Outcome
	}{
		{"as wanted", func(*analysis.Analysis, *examiner) {}, Sound},
		{"three plies and no less", func(_ *analysis.Analysis, e *examiner) { e.Least = 3 }, Sound},
		{"at least five", func(_ *analysis.Analysis, e *examiner) { e.Least = 5 }, OtherPlies},
		{"three plies and no more", func(_ *analysis.Analysis, e *examiner) { e.Most = 3 }, Sound},
		{"one at most", func(_ *analysis.Analysis, e *examiner) { e.Most = 1 }, OtherPlies},
		{"the author's line", func(_ *analysis.Analysis, e *examiner) { e.line = line }, Sound},
		{"another line", func(_ *analysis.Analysis, e *examiner) {
			e.line = slices.Clone(line)
			e.line[2] = e.line[0]
		}, Unwanted},
		{"a theme that it has", func(_ *analysis.Analysis, e *examiner) {
			e.Themes = []string{"sacrifice"}
		}, Sound},
		{"a theme that it has not", func(_ *analysis.Analysis, e *examiner) {
			e.Themes = []string{"sacrifice", "smoke"}
		}, Unwanted},
		{"captures as many as may be", func(a *analysis.Analysis, e *examiner) {
			a.Position = shogi.MustParseSFEN("9/5G3/4kpS2/6L2/3+R5/3N5/9/9/9 b - 1")
			e.MaxCaptures = 1
		}, Sound},
		{"captures", func(a *analysis.Analysis, e *examiner) {
			a.Position = shogi.MustParseSFEN("9/5G3/4kpS2/6L2/3+R5/3N5/9/9/9 b - 1")
			e.MaxCaptures = 0
		}, Unwanted},
		{"a dual where all is to be strict", func(a *analysis.Analysis, e *examiner) {
			a.Rules = []analysis.RuleResult{{Rule: analysis.RuleOrigin, Holds: analysis.No}}
			e.Strict = true
		}, Unwanted},
		{"unsound", func(a *analysis.Analysis, _ *examiner) { a.Sound = analysis.No }, Unsound},
		{"unsound and too long", func(a *analysis.Analysis, e *examiner) {
			a.Sound = analysis.No
			e.Most = 1
		}, Unsound},
		{"not known to be sound", func(a *analysis.Analysis, _ *examiner) {
			a.Sound = analysis.Unknown
		}, Open},
		{"of an unknown length", func(a *analysis.Analysis, _ *examiner) { a.Lengths[0].High = 5 }, Open},
	} {
		a, o := sound(), anyProblem(1)
		e := newExaminer(nil, &o.Conditions, hasty)
		c.set(a, e)
		if _, got := e.judge(a); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if _, got := newExaminer(nil, &Conditions{}, hasty).judge(nil); got != Open {
		t.Error("without a report something is known")
	}
}

// TestIsCooked: a check that mates only by coming back is no cook. The first two positions are before
// the last move of published problems, of which it is known which other checks mate; the next one is
// a diagram with cooks.
func TestIsCooked(t *testing.T) {
	for _, c := range []struct {
		sfen, line string
		want       bool
	}{
		{"+R4G1nl/6k2/4ppppp/9/9/9/9/9/9 b r2b3g4s3n3l13p 1",
			"4a3a 3b2b 3a2a 2b1b 2a1a 1b2b", false}, // 9a2a; 1a2a comes back
		{"9/6GBp/7k1/9/9/7S1/9/9/9 b N2rb3g3s3n4l17p 1",
			"2b3c+ 2c1c N*2e 1c1d 3c1e 1d2c", false}, // 3b3c; 1e3c comes back
		{"8k/+s7p/7S1/4G4/6B2/5+s3/9/9/9 b BP2r3gs4n4l16p 1", "", true}, // B*3c and 3e4d
		{mateInThree, "", false},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		for _, m := range parseMoves(t, c.line) {
			p.Do(m)
		}
		o := anyProblem(1)
		e := newExaminer(dfpn.NewSmallSession(4<<20), &o.Conditions, hasty)
		var k known
		if got := e.isCooked(t.Context(), &p, &k); got != c.want {
			t.Errorf("%s: cooked %v by %v", p.SFEN(), got, k.by)
		}
	}
}

// A silentSession has no answers after so many resets.
type silentSession struct {
	solver.Session
	resets, most int
}

func (s *silentSession) Reset() { s.resets++; s.Session.Reset() }

func (s *silentSession) Ask(ctx context.Context, q solver.Question) solver.Result {
	if s.resets > s.most {
		return solver.Result{Reason: solver.ReasonNodes}
	}
	return s.Session.Ask(ctx, q)
}

// TestNoCertificate: a problem without a certificate does not leave. It is made after the last reset.
func TestNoCertificate(t *testing.T) {
	p, pleasant, plain := shogi.MustParseSFEN(mateInThree), newOptions(3, 5, 5), anyProblem(1)
	for _, c := range []*Conditions{&pleasant.Conditions, &plain.Conditions} {
		s := &silentSession{Session: dfpn.NewSmallSession(4 << 20), most: 99}
		if q, outcome := newExaminer(s, c, hasty).finish(t.Context(), p); outcome != Sound || len(q.Certificate) == 0 {
			t.Errorf("%v, a certificate of %d bytes", outcome, len(q.Certificate))
		}
		s = &silentSession{Session: dfpn.NewSmallSession(4 << 20), most: s.resets - 1}
		if _, outcome := newExaminer(s, c, hasty).finish(t.Context(), p); outcome != Open || s.resets != s.most+1 {
			t.Errorf("without a certificate: %v after %d resets", outcome, s.resets)
		}
	}
}

// TestLookBefore: the line begins with the check and the reply that are given.
func TestLookBefore(t *testing.T) {
	p := shogi.MustParseSFEN("9/6S1L/8k/9/7L1/9/9/9/9 b G2r2b3g3s4n2l18p 1")
	line := parseMoves(t, "G*2d 1c1b")
	next := p.After(line[0])
	var buf shogi.MoveBuffer
	replies := slices.Clone(next.Evasions(&buf, shogi.AllMoves))
	if len(replies) < 2 {
		t.Fatalf("only %v", replies)
	}
	for _, reply := range replies {
		o := newOptions(3, 5, 10)
		o.Strict = false
		_, got := newTestWorker(o).lookBefore(t.Context(), predecessor{p, line[0], reply}, 5)
		if (got == Sound) != (reply == line[1]) {
			t.Errorf("the reply %v: %v", reply, got)
		}
	}
}

// TestLookShorter: what mates sooner than wanted falls there.
func TestLookShorter(t *testing.T) {
	for least, want := range map[int]Outcome{3: Sound, 5: OtherPlies, 7: OtherPlies} {
		o := newOptions(least, 9, 10)
		o.Pleasant, o.Strict = false, false
		var k known
		if _, got := newTestWorker(o).look(t.Context(), shogi.MustParseSFEN(mateInThree), &k); got != want ||
			k.short != (want == OtherPlies) {
			t.Errorf("at least %d plies: %v, %+v, want %v", least, got, k, want)
		}
	}
}

// TestKeeps: a line is kept if all its moves are legal, the attacker's are checks, and at its end
// nothing is left but drops.
func TestKeeps(t *testing.T) {
	for _, c := range []struct {
		name, sfen, line string
		want             bool
	}{
		{"a mate", mateInThree, threeMoves, true},
		{"no mate yet", mateInThree, "4b4c", false},
		{"a move that is no check", "4k4/9/9/9/9/9/9/9/R8 b G 1", "9i9h 5a4a G*4b", false},
		{"no check at last", "8k/9/8P/9/9/9/9/9/9 b G 1", "G*9i", false},
		{"an illegal move", mateInThree, "4b4c 5c4c 6e6d", false},
		{"drops that are left", "7lk/9/7G1/9/9/9/9/9/9 b Lp 1", "L*1d", true},
		{"a move that is left", "7lk/7s1/7G1/9/9/9/9/9/9 b Lp 1", "L*1d", false},
	} {
		line := parseMoves(t, c.line)
		got := keeps(shogi.MustParseSFEN(c.sfen), line)
		if (got != nil) != c.want || got != nil && len(got) != len(line)+1 {
			t.Errorf("%s: %d positions", c.name, len(got))
		}
	}
}

// TestPairs: two changes are one figure if each leaves the line, they are on different squares, the
// first does away with a cook, and the second has to do with what is left.
func TestPairs(t *testing.T) {
	pawn := shogi.PieceOf(shogi.White, shogi.Pawn)
	lance := shogi.PieceOf(shogi.White, shogi.Lance)
	added := func(piece shogi.Piece, on string) ranked {
		return ranked{Change{Kind: Added, Piece: piece, To: square(on)}, 1}
	}
	all := shogi.BitboardOf(square("1a"), square("2a"))
	for _, c := range []struct {
		name   string
		second ranked
		keeps  bool
		left   shogi.Bitboard // squares that the cook which is left has to do with
		gone   [2]uint64
		sound  bool
		want   int // the cost of the pair, 0: none
	}{
		{"one cook each", added(pawn, "2a"), true, all, [2]uint64{1, 2}, false, 2},
		{"on one square", added(lance, "1a"), true, all, [2]uint64{1, 2}, false, 0},
		{"the second breaks the line", added(pawn, "2a"), false, all, [2]uint64{1, 2}, false, 0},
		{"the second is enough", added(pawn, "2a"), true, all, [2]uint64{1, 2}, true, 0},
		{"a cook is left", added(pawn, "2a"), true, all, [2]uint64{1, 0}, false, 10},
		{"no matter with what is left", added(pawn, "9i"), true, all, [2]uint64{1, 2}, false, 18},
		{"neither", added(pawn, "9i"), true, all, [2]uint64{1, 0}, false, 0},
		{"the first does away with none", added(pawn, "2a"), true, all, [2]uint64{0, 3}, false, 0},
	} {
		r := repairer{targets: []target{{cooks: make([]weakness, 2)}},
			changes: []ranked{added(pawn, "1a"), c.second}}
		singles := []single{{change: 0, gone: c.gone[0], left: &weakness{line: c.left}}}
		if c.keeps {
			singles = append(singles, single{change: 1, gone: c.gone[1], sound: c.sound})
		}
		got := 0
		for _, m := range r.pairs(0, singles) {
			if got = m.cost; m.first != 0 || m.second != 1 {
				t.Errorf("%s: %+v", c.name, m)
			}
		}
		if got != c.want {
			t.Errorf("%s: a cost of %d, want %d", c.name, got, c.want)
		}
	}
}

// TestRepairExamine: a line that the defender can outlast is none of that length, and this is found
// before the analysis.
func TestRepairExamine(t *testing.T) {
	for _, c := range []struct {
		name, sfen, line string
		want             Outcome
	}{
		{"the solution", mateInThree, threeMoves, Sound},
		{"1c1b lasts longer", "9/6S1L/8k/9/7L1/9/9/9/9 b G2r2b3g3s4n2l18p 1", "G*2d 1c2b 2d2c",
			OtherPlies},
	} {
		p, line := shogi.MustParseSFEN(c.sfen), parseMoves(t, c.line)
		o := anyProblem(1)
		e := newExaminer(dfpn.NewSmallSession(4<<20), &o.Conditions, thorough)
		r := repairer{RepairOptions: &RepairOptions{Search: o}, targets: []target{{line: line}},
			changes: []ranked{{Change{Kind: HandAdded}, 0}}}
		e.line = line
		outcome, _ := r.examine(&trial{examiner: e, ctx: t.Context(), candidate: candidate{second: -1},
			positions: keeps(p, line)}, new(recentCooks))
		if outcome != c.want {
			t.Errorf("%s: %v, want %v", c.name, outcome, c.want)
		}
	}
}
