package compose

import (
	"bytes"
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/certificate"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// newOptions returns those of a run for strict and pleasant problems.
func newOptions(least, most, pieces int) Options {
	return Options{Seed: 3, Search: Search{NewSession: func() solver.Session { return dfpn.NewSession() },
		Conditions: Conditions{Least: least, Most: most, MaxPieces: pieces, MaxHand: -1, MaxCaptures: -1, Strict: true, Pleasant: true}}}
}

// makeProblems returns the first n problems.
func makeProblems(o Options, n int, tally *Tally) (list []Problem) {
	for p := range Reverse(context.Background(), o, tally) {
		if list = append(list, p); len(list) == n {
			break
		}
	}
	return list
}

// TestReverse asks the plain rules and a search of its own about what Reverse yields.
func TestReverse(t *testing.T) {
	o := newOptions(3, 5, 9)
	var tally Tally
	list := makeProblems(o, 5, &tally)
	perLength := map[int]int{}
	for _, p := range list {
		sfen := p.Position.ProblemSFEN()
		perLength[len(p.Line)]++
		if p.Position.Missing() != 0 || p.Position.SideToMove() != shogi.Black {
			t.Errorf("%s is no diagram of a problem", sfen)
		}
		if len(p.Line) != 3 && len(p.Line) != 5 || len(p.Themes) == 0 || countPieces(&p.Position) > o.MaxPieces {
			t.Errorf("%s has %d plies, the themes %v, %d pieces", sfen, len(p.Line), p.Themes, countPieces(&p.Position))
		}
		if err := solver.VerifyLine(p.Position, p.Line); err != nil {
			t.Errorf("%s: %v", sfen, err)
		}
		if p.Position.Piece(p.Line[0].To()) != shogi.NoPiece {
			t.Errorf("%s begins with a capture", sfen)
		}
		var buf shogi.MoveBuffer
		at := p.Position
		for i, m := range p.Line {
			if i%2 == 0 && i < len(p.Line)-1 {
				for _, other := range p.Position.Checks(&buf, shogi.AllMoves) {
					if next := p.Position.After(other); other != p.Line[0] && solvertest.Shortest(&next, 2) <= 2 {
						t.Errorf("%s: %v mates too", sfen, other)
					}
				}
			}
			at.Do(m)
		}
		if end := at; end.Hand(shogi.Black) != 0 {
			t.Errorf("%s leaves %v", sfen, end.Hand(shogi.Black))
		}
	}
	if perLength[3] == 0 || perLength[5] == 0 {
		t.Errorf("the problems have these lengths: %v", perLength)
	}
	for plies, l := range tally.Lengths {
		if l.Yielded != perLength[plies] || l.Dull+l.Alike+l.Yielded > l.Outcomes[Sound] {
			t.Errorf("%d plies: %+v, but %d were yielded", plies, l, perLength[plies])
		}
	}
	if again := makeProblems(o, 3, nil); !reflect.DeepEqual(again, list[:3]) {
		t.Errorf("the same seed made other problems:\n%+v\n%+v", again, list[:3])
	}
	o.Seed++
	if others := makeProblems(o, 1, nil); reflect.DeepEqual(others, list[:1]) {
		t.Error("another seed made the same problem")
	}
}

// TestReverseStops: nothing is yielded once the context has ended, whatever was being done.
func TestReverseStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := newOptions(3, 5, 9)
	n := 0
	for range Reverse(ctx, o, nil) {
		n++
		cancel()
	}
	if n != 1 {
		t.Errorf("%d problems were yielded, 1 before the end", n)
	}
}

// TestFinalFigure: nothing can be taken away from a final figure, and nothing is left over.
func TestFinalFigure(t *testing.T) {
	for seed := range uint64(40) {
		p := finalFigure(rand.New(rand.NewPCG(seed, 0)))
		if !p.IsCheckmate() || p.Hand(shogi.Black) != 0 || p.Missing() != 0 {
			t.Fatalf("%s is no final figure", p.SFEN())
		}
		for sq := range p.Occupied().All() {
			s := p.Setup()
			if s.Board[sq].Type() == shogi.King {
				continue
			}
			s.Board[sq] = shogi.NoPiece
			q, err := s.Position()
			if err != nil {
				continue
			}
			if q.GiveMissing(shogi.White); q.IsCheckmate() {
				t.Errorf("%s is mate without %v", p.SFEN(), sq)
			}
		}
	}
}

// TestFilters gives each filter a candidate that falls there: a problem with a check and a reply that
// lead to a shorter one.
func TestFilters(t *testing.T) {
	for _, test := range []struct {
		name, sfen, check, reply string
		want                     Outcome
	}{
		{"sound", "8k/6RP1/9/9/9/9/9/9/9 b Gr2b3g4s4n4l17p 1", "2b2a+", "1a2a", Sound},
		{"eleven pieces", "8k/6RP1/9/9/9/9/9/9/PPPPPPP1P b Gr2b3g4s4n4l9p 1", "2b2a+", "1a2a", Impossible},
		{"a mate in one", "8k/6RP1/8P/9/9/9/9/9/9 b 2Gr2b2g4s4n4l16p 1", "2b2a+", "1a2a", OtherPlies},
		{"an escape", "8k/7P1/6R2/9/9/9/9/9/9 b Gr2b3g4s4n4l17p 1", "2b2a+", "1a2a", NoMate},
		{"a cook", "8k/6RP1/9/9/9/9/9/9/9 b GLr2b3g4s4n3l17p 1", "2b2a+", "1a2a", Cooked},
		{"two moves that mate at the end", "5k3/2RS5/9/9/9/9/9/9/9 b Gr2b3g3s4n4l18p 1", "6b5a+", "4a5a", Unsound},
	} {
		w := newTestWorker(newOptions(3, 5, 8))
		var q predecessor
		q.Position = shogi.MustParseSFEN(test.sfen)
		q.Check, q.Reply = parseMoves(t, test.check)[0], parseMoves(t, test.reply)[0]
		if _, got := w.lookBefore(t.Context(), q, 3); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		w.Pleasant = false
		if _, got := w.look(t.Context(), q.Position, new(known)); (got == Sound) != (test.want == Sound) {
			t.Errorf("%s: at any length it is %v", test.name, got)
		}
		if test.want == Unsound {
			w.Strict = false
			if a := w.analyse(t.Context(), q.Position, growing.analyses[0]); a.Sound != analysis.Yes {
				t.Errorf("%s: that is no magazine's problem", test.name)
			}
		}
	}
}

// TestDetourIsNoCook: a check that mates only by coming back to the diagram is no cook, however the
// problem is made, unless all is to be strict.
func TestDetourIsNoCook(t *testing.T) {
	//	4  3  2  1
	//	.  .  . vP b
	//	.  . vK  . c
	//	.  .  .  . d
	//	.  .  N +B e    a knight in hand
	//	.  .  S  . f
	//
	// 2e3c+ 2c1c N*2e is the solution. Whoever plays 1e3c comes back by 2c1d 3c1e 1d2c, and has to.
	p := shogi.MustParseSFEN("9/8p/7k1/9/7N+B/7S1/9/9/9 b N2rb4g3s2n4l17p 1")
	hands := HandsOptions{Search: anyProblem(1), Position: p, Pieces: 1}
	problems, err := Hands(t.Context(), hands)
	if got := collect(t, problems, err); !slices.Contains(got, p.ProblemSFEN()) {
		t.Errorf("by hands: %q", got)
	}
	for _, strict := range []bool{false, true} {
		o := EvolveOptions{Options: newOptions(3, 3, 10), Start: []shogi.Position{p}, steps: 1}
		o.Strict, o.Pleasant, o.To = strict, false, 1
		var tally Tally
		for range Evolve(t.Context(), o, &tally) {
		}
		if sound := tally.Lengths[3].Outcomes[Sound] > 0; sound == strict {
			t.Errorf("by evolution, strict %v: sound %v", strict, sound)
		}
		w := newTestWorker(o.Options)
		line := parseMoves(t, "2e3c+ 2c1c")
		want := Sound
		if strict {
			want = Cooked
		}
		if _, got := w.lookBefore(t.Context(), predecessor{p, line[0], line[1]}, 3); got != want {
			t.Errorf("by the reverse method, strict %v: %v", strict, got)
		}
	}
}

// newTestWorker returns one that looks for what is grown further.
func newTestWorker(o Options) *worker {
	o.growing = true
	return &worker{examiner: o.examiner(o.Conditions), seen: map[uint64]bool{}}
}

// newTestExaminer returns one that wants strict problems of no more than so many pieces.
func newTestExaminer(pieces int) *examiner {
	o := newOptions(3, 5, pieces)
	return o.examiner(o.Conditions)
}

func parseMoves(t *testing.T, text string) (line []shogi.Move) {
	t.Helper()
	for _, s := range strings.Fields(text) {
		m, err := shogi.ParseMove(s)
		if err != nil {
			t.Fatal(err)
		}
		line = append(line, m)
	}
	return line
}

// TestIsSound: what is not known for certain is not sound.
func TestIsSound(t *testing.T) {
	sound := func() *analysis.Analysis {
		return &analysis.Analysis{Sound: analysis.Yes, Policy: length.F2, Line: analysis.Line{Moves: make([]shogi.Move, 3)},
			Lengths: []analysis.Length{{Policy: length.F0, Interval: length.Exactly(5)}, {Policy: length.F2, Interval: length.Exactly(3)}}}
	}
	if !isSound(sound()) || isSound(nil) {
		t.Error("a sound problem is none, or what there is no report on is one")
	}
	for name, spoil := range map[string]func(a *analysis.Analysis){
		"not known":                func(a *analysis.Analysis) { a.Sound = analysis.Unknown },
		"open":                     func(a *analysis.Analysis) { a.Reason = solver.ReasonNodes },
		"a raw line":               func(a *analysis.Analysis) { a.Line.Raw = true },
		"three or five plies":      func(a *analysis.Analysis) { a.Lengths[1].High = 5 },
		"a line of another length": func(a *analysis.Analysis) { a.Line.Moves = a.Line.Moves[:1] },
	} {
		a := sound()
		if spoil(a); isSound(a) {
			t.Errorf("%s: sound", name)
		}
	}
}

// TestIsStrict: each rule that is broken, or not decided, counts.
func TestIsStrict(t *testing.T) {
	for _, rule := range []analysis.Rule{analysis.RuleLeftover, analysis.RuleLastMove, analysis.RulePromotion,
		analysis.RuleDistance, analysis.RuleOrigin, analysis.RuleDetour, analysis.RuleEqual} {
		for _, holds := range []analysis.Answer{analysis.Yes, analysis.No, analysis.Unknown} {
			a := &analysis.Analysis{Rules: []analysis.RuleResult{{Rule: rule, Holds: holds}}}
			if isStrict(a) != (holds == analysis.Yes) {
				t.Errorf("%v is %v: strict %v", rule, holds, isStrict(a))
			}
		}
	}
}

// TestNewProblem reads what a line has: captures at first and later, and pieces given away.
func TestNewProblem(t *testing.T) {
	for _, test := range []struct {
		sfen, line string
		captures   int
		first      bool
		themes     uint8
	}{
		{"6+S1k/3+R1S3/8G/9/9/9/9/9/9 b r2b3g2s4n4l18p 1", "3a2a 1a2a 4b3a+ 2a3a 1c2b 3a4a 2b3b", 0, false, 1},
		{"6s1k/7g1/8S/9/9/9/9/9/9 b G2r2b2g2s4n4l18p 1", "G*2a 2b2a 1c1b+", 0, false, 1},
		{"6n1k/9/7BG/9/9/9/9/9/9 b 2rb3g4s3n4l18p 1", "2c3b 1a2a 3b3a 2a3a", 1, false, 1},
		{"6n1k/9/8G/3B5/9/9/9/9/9 b 2rb3g4s3n4l18p 1", "6d3a 1a2a", 1, true, 0},
		{"8k/6RP1/9/9/9/9/9/9/9 b Gr2b3g4s4n4l17p 1", "2b2a+ 1a2a G*2b", 0, false, 0}, // a tokin is no great loss
	} {
		q := newProblem(&analysis.Analysis{Position: shogi.MustParseSFEN(test.sfen), Line: analysis.Line{Moves: parseMoves(t, test.line)}}, &DefaultWeights)
		if q.captures != test.captures || q.first != test.first || q.themes != test.themes {
			t.Errorf("%s %s: %d captures, first %v, themes %b", test.sfen, test.line, q.captures, q.first, q.themes)
		}
	}
}

// TestSelectFamily: the best of a length leaves, the longer length first, and none of one that is ahead.
func TestSelectFamily(t *testing.T) {
	three := &problem{position: shogi.MustParseSFEN("9/5G3/4k1S2/6L2/3+R5/3N5/9/9/9 b r2b3g3s3n3l18p 1"),
		line: parseMoves(t, "4b4c 5c4c 6e5d"), themes: 1, strict: true, score: 1}
	worse := &problem{position: shogi.MustParseSFEN("6G1k/9/7Bl/9/9/9/7R1/9/9 b rb3g4s4n3l18p 1"),
		line: parseMoves(t, "2c1b+ 1a1b 2g2a+"), themes: 1, strict: true}
	five := &problem{position: shogi.MustParseSFEN("5+B1kp/9/8G/6G2/9/9/9/9/9 b 2rb2g4s4n4l17p 1"),
		line: parseMoves(t, "1c2b 2a2b 3d2c 2b2a 4a3b"), themes: 1, strict: true}
	for _, test := range []struct {
		name   string
		before [2]int // problems of three and of five plies that left before
		want   string
	}{
		{"both", [2]int{}, "5 3"},
		{"three plies are ahead", [2]int{lead, 0}, "5"},
		{"almost", [2]int{lead - 1, 0}, "5 3"},
		{"five plies are ahead", [2]int{1, lead + 1}, "3"},
	} {
		var left []string
		l := &selection{ctx: context.Background(), examiner: newTestExaminer(10), archive: new(Archive), tally: new(Tally)}
		l.yield = func(p Problem) bool {
			if left = append(left, strconv.Itoa(len(p.Line))); len(p.Line) == 3 && p.Position != three.position {
				t.Errorf("%s: %s is not the best", test.name, p.Position.SFEN())
			}
			return true
		}
		l.tally.Lengths[3].Yielded, l.tally.Lengths[5].Yielded = test.before[0], test.before[1]
		l.selectFamily(map[int][]*problem{3: {worse, three}, 5: {five}})
		if got := strings.Join(left, " "); got != test.want {
			t.Errorf("%s: %q left, not %q", test.name, got, test.want)
		}
	}
}

// TestFinish: an idle piece is taken away, what is cooked does not leave, and the certificate is that
// of a session of its own.
func TestFinish(t *testing.T) {
	e := newTestExaminer(5)
	p, outcome := e.finish(t.Context(), shogi.MustParseSFEN("9/5G3/4k1S2/6L2/3+R5/3N5/9/9/P8 b r2b3g3s3n3l17p 1"))
	if got := p.Position.ProblemSFEN(); outcome != Sound || got != "9/5G3/4k1S2/6L2/3+R5/3N5/9/9/9 b r2b3g3s3n3l18p 1" {
		t.Errorf("the idle pawn: %v, %s", outcome, got)
	}
	var want bytes.Buffer
	err := certificate.FindLength(t.Context(), &want, p.Position, shogi.Black, dfpn.NewSession(), certificate.Limits{})
	if err != nil || want.String() != string(p.Certificate) || !strings.HasPrefix(p.CertificateHash(), "sha256:") {
		t.Errorf("the certificate is another one (%v):\n%s", err, p.Certificate)
	}
	e.MaxPieces = 4 // and one that might be idle
	if _, outcome := e.finish(t.Context(), p.Position); outcome != Unwanted {
		t.Errorf("%d pieces, not 4: %v", countPieces(&p.Position), outcome)
	}
	e.MaxPieces = 5
	if _, outcome := e.finish(t.Context(), p.Position); outcome != Sound {
		t.Errorf("five pieces: %v", outcome)
	}
	if _, outcome := e.finish(t.Context(), shogi.MustParseSFEN("8k/6RP1/9/9/9/9/9/9/9 b GSr2b3g3s4n4l17p 1")); outcome != Unsound {
		t.Errorf("a cooked problem: %v", outcome)
	}
}

// TestIsNew: a problem is refused beside itself, its mirror image, its own end, a near copy and one
// that ends with the same three moves, in whatever order they come.
func TestIsNew(t *testing.T) {
	line := parseMoves(t, "3a2a 1a2a 4b3a+ 2a3a 1c2b 3a4a 2b3b")
	problem := func(sfen string, from int) *Problem {
		q := &Problem{Position: shogi.MustParseSFEN(sfen), Line: line[from:]}
		for _, m := range line[:from] {
			q.Position.Do(m)
		}
		return q
	}
	const sfen = "6+S1k/3+R1S3/8G/9/9/9/9/9/9 b r2b3g2s4n4l18p 1"
	whole, tail := problem(sfen, 0), problem(sfen, 2)
	mirrored := &Problem{Position: whole.Position.Mirrored()}
	for _, m := range whole.Line {
		mirrored.Line = append(mirrored.Line, m.Mirrored())
	}
	with := problem("6+S1k/3+R1S3/8G/9/9/9/9/9/P8 b r2b3g2s4n4l17p 1", 0)
	far := problem("6+S1k/3+R1S3/8G/9/9/9/9/9/9 b r2b3g2s4n4l18p 1", 4)
	other := &Problem{Position: whole.Position, Line: line[:3]} // the same figure, another end
	for _, pair := range [][2]*Problem{{whole, whole}, {whole, tail}, {tail, whole}, {whole, mirrored},
		{whole, with}, {tail, far}, {whole, other}} {
		a := new(Archive)
		if !a.Add(pair[0]) {
			t.Errorf("%s is not new", pair[0].Position.SFEN())
		}
		if a.Add(pair[1]) {
			t.Errorf("%s is new beside %s", pair[1].Position.SFEN(), pair[0].Position.SFEN())
		}
	}
}

// TestSameEnd: of three problems with the same last three moves the third is refused, and the second
// too if it is of the same family.
func TestSameEnd(t *testing.T) {
	problem := func(sfen, line string) *Problem {
		return &Problem{Position: shogi.MustParseSFEN(sfen), Line: parseMoves(t, line)}
	}
	same := []*Problem{
		problem("6s2/8k/6GN1/3B5/9/9/9/7+R1/9 b rb3g3s3n4l18p 1", "2c1a+ 1b1a 2h2a 1a2a 6d3a+ 2a3a S*3b"),
		problem("6s1k/6+B2/6G2/3B5/9/9/9/9/9 b 2r3g3s4n4l18p 1", "3b2a 1a2a 6d3a+ 2a3a S*3b"),
		problem("6sk1/9/6G2/3B5/9/9/9/9/PPP6 b 2rb3g3s4n4l15p 1", "6d3a+ 2a3a S*3b"),
	}
	for _, family := range []int{0, 1, 2, 3} {
		a := new(Archive)
		left := 0
		for i, q := range same {
			a.unit = min(family, i)
			if a.Add(q) {
				left++
			}
		}
		if want := []int{1, 2, 2, 2}[family]; left != want {
			t.Errorf("%d of three left, with a family from number %d on; wanted %d", left, family, want)
		}
	}
}

// TestIsPleasant has a problem and what spoils it.
func TestIsPleasant(t *testing.T) {
	c := newTestExaminer(3)
	good := func() *problem {
		return &problem{position: shogi.MustParseSFEN("8k/6RP1/9/9/9/9/9/9/9 b Gr2b3g4s4n4l17p 1"),
			line: make([]shogi.Move, 3), themes: 1, strict: true}
	}
	if !c.meets(good()) {
		t.Fatal("a good problem is not pleasant")
	}
	for name, spoil := range map[string]func(*problem){
		"no point":                 func(q *problem) { q.themes = 1 << points },
		"a capture at first":       func(q *problem) { q.first = true },
		"two captures":             func(q *problem) { q.captures = 2 },
		"a dual":                   func(q *problem) { q.strict = false },
		"five pieces":              func(q *problem) { q.position = shogi.MustParseSFEN("8k/6RP1/9/9/9/9/9/9/9 b 3Gr2b1g4s4n4l17p 1") },
		"a promoted silver":        func(q *problem) { q.position = shogi.MustParseSFEN("8k/6R2/9/9/9/9/9/9/+S8 b Gr2b3g3s4n4l18p 1") },
		"a tokin of the defender":  func(q *problem) { q.position = shogi.MustParseSFEN("7+pk/6R2/9/9/9/9/9/9/9 b Gr2b3g4s4n4l17p 1") },
		"one or two checks in all": func(q *problem) { q.position = shogi.MustParseSFEN("8k/7pp/9/9/9/9/9/9/9 b N2r2b4g4s3n4l16p 1") },
	} {
		q := good()
		if spoil(q); c.meets(q) {
			t.Errorf("%s is pleasant", name)
		}
	}
}
