package analysis_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

// everything asks for all parts.
const everything = analysis.Attack | analysis.Defence | analysis.Duals | analysis.AllLengths | analysis.Tries |
	analysis.SideMates | analysis.Economy | analysis.Difficulty

func analyze(t testing.TB, z *analysis.Analyzer, q analysis.Question, log *analysis.Log) *analysis.Analysis {
	t.Helper()
	if q.Policy == length.F0 {
		q.Policy = length.F2
	}
	a, err := z.Analyze(context.Background(), q, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// short are the problems of few plies.
func short(t testing.TB, plies int) (list []problem) {
	for _, r := range problems(t) {
		if r.lengths[0] != "-1" && r.line != nil && len(r.line) <= plies {
			list = append(list, r)
		}
	}
	return list
}

// TestTurned: a problem, its mirror image and the problem with colours exchanged get the same
// report, turned (A9).
func TestTurned(t *testing.T) {
	t.Parallel()
	z := analysis.NewAnalyzer(dfpn.NewSession())
	problems := short(t, 3)[2:6]
	if testing.Short() {
		problems = problems[2:]
	}
	for _, r := range problems {
		if m := r.p.Mirrored(); m.SamePosition(&r.p) {
			continue // it has but one report
		}
		q := analysis.Question{Position: r.p, Attacker: shogi.Black, QuestionNodes: 2000, Parts: everything, Line: r.line}
		want := facts(t, analyze(t, z, q, nil), func(m shogi.Move) shogi.Move { return m })
		mirrored := q
		mirrored.Position, mirrored.Line = r.p.Mirrored(), turn(r.line, shogi.Move.Mirrored)
		if got := facts(t, analyze(t, z, mirrored, nil), shogi.Move.Mirrored); got != want {
			t.Errorf("%s: mirrored\n%s\nnot\n%s", r.id, got, want)
		}
		rotated := q
		rotated.Position, rotated.Attacker, rotated.Line = r.p.Rotated(), shogi.White, turn(r.line, shogi.Move.Rotated)
		if got := facts(t, analyze(t, z, rotated, nil), shogi.Move.Rotated); got != want {
			t.Errorf("%s: with colours exchanged\n%s\nnot\n%s", r.id, got, want)
		}
	}
}

func turn(moves []shogi.Move, by func(shogi.Move) shogi.Move) []shogi.Move {
	list := slices.Clone(moves)
	for i, m := range list {
		list[i] = by(m)
	}
	return list
}

// facts is the report as JSON, with all moves turned, and without what turns in another way.
func facts(t testing.TB, a *analysis.Analysis, by func(shogi.Move) shogi.Move) string {
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch {
		case v.Type() == reflect.TypeFor[shogi.Move]():
			if m := v.Interface().(shogi.Move); m != shogi.NoMove {
				v.Set(reflect.ValueOf(by(m)))
			}
		case v.Kind() == reflect.Pointer && !v.IsNil():
			walk(v.Elem())
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				if f := v.Field(i); f.CanSet() {
					walk(f)
				}
			}
		}
	}
	a.Position, a.Attacker, a.Profile = shogi.Position{}, shogi.Black, nil
	if c := a.Completed; c != nil {
		c.Position = shogi.Position{}
	}
	for i := range a.Economy {
		a.Economy[i].Square = shogi.NoSquare
	}
	a.Line.Leftover = 0
	walk(reflect.ValueOf(a).Elem())
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// difference shows where two reports begin to differ.
func difference(t testing.TB, a, b *analysis.Analysis) string {
	same := func(m shogi.Move) shogi.Move { return m }
	x, y := facts(t, a, same), facts(t, b, same)
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			from := max(0, i-100)
			return x[from:min(len(x), i+100)] + "\n" + y[from:min(len(y), i+100)]
		}
	}
	return ""
}

// TestSame: the same question gets the same report, nodes included, whatever was asked before (A6).
func TestSame(t *testing.T) {
	t.Parallel()
	z, other := analysis.NewAnalyzer(dfpn.NewSession()), analysis.NewAnalyzer(dfpn.NewSession())
	for i, r := range short(t, 5) {
		if i%6 != 0 || i > 6 {
			continue
		}
		q := analysis.Question{Position: r.p, Attacker: shogi.Black, QuestionNodes: 3000, Nodes: 300_000, Parts: everything}
		a, b := analyze(t, z, q, nil), analyze(t, other, q, nil)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: two reports: %s", r.id, difference(t, a, b))
		}
		if !a.Repeatable {
			t.Errorf("%s is not repeatable, %s", r.id, a.Reason)
		}
	}
}

// TestResumed: an analysis that was stopped, whenever that was, and is taken up again from its log
// comes to the same report as one that was not stopped (A7).
func TestResumed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}
	z, other := analysis.NewAnalyzer(dfpn.NewSession()), analysis.NewAnalyzer(dfpn.NewSession())
	for i, r := range short(t, 5) {
		if i%64 != 0 {
			continue
		}
		q := analysis.Question{Position: r.p, Attacker: shogi.Black, Policy: length.F2, QuestionNodes: 20_000, Nodes: 2_000_000,
			Parts: analysis.DefaultParts | analysis.Tries | analysis.Difficulty | analysis.Certified}
		want := analyze(t, z, q, nil)
		updates := 0
		count := func(analysis.Update) { updates++ }
		if _, err := other.Analyze(context.Background(), q, count, nil); err != nil {
			t.Fatal(err)
		}
		kept := 0
		for _, stop := range []int{1, updates / 3, updates * 2 / 3, updates - 2} {
			ctx, cancel := context.WithCancel(context.Background())
			n := 0
			var log analysis.Log
			a, err := other.Analyze(ctx, q, func(analysis.Update) {
				if n++; n == stop {
					cancel()
				}
			}, &log)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if a.Repeatable && stop < updates-2 {
				t.Errorf("%s: stopped at update %d, and said to be repeatable", r.id, stop)
			}
			text, err := json.Marshal(&log)
			if err != nil {
				t.Fatal(err)
			}
			var again analysis.Log
			if err := json.Unmarshal(text, &again); err != nil {
				t.Fatal(err)
			}
			kept += len(again.Phases)
			if got := analyze(t, z, q, &again); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: stopped at update %d of %d and taken up again: %s", r.id, stop, updates, difference(t, got, want))
			}
		}
		if kept == 0 {
			t.Errorf("%s: no phase was kept", r.id)
		}
	}
}

// TestOpen: with few nodes for each question, nothing is claimed that the whole report denies, and
// what is open is listed (A4).
func TestOpen(t *testing.T) {
	t.Parallel()
	z := analysis.NewAnalyzer(dfpn.NewSession())
	unknown := 0
	for i, r := range problems(t) {
		if r.lengths[0] == "-1" || i%3 != 0 {
			continue
		}
		for _, nodes := range []uint64{2, 100} {
			a := analyze(t, z, analysis.Question{Position: r.p, Attacker: shogi.Black, QuestionNodes: nodes, Nodes: 30_000}, nil)
			for _, fault := range r.contradicts(a) {
				t.Errorf("%s with %d nodes a question: %s", r.id, nodes, fault)
			}
			open := 0
			for _, n := range a.Attack {
				open += n.Open
			}
			if open > 0 && len(a.Remaining) == 0 {
				t.Errorf("%s: %d checks are open, and none is listed", r.id, open)
			}
			if a.Sound == analysis.Unknown {
				if unknown++; a.Reason == solver.NoReason {
					t.Errorf("%s: soundness is unknown for no reason", r.id)
				}
			}
		}
	}
	if unknown == 0 {
		t.Error("nothing was unknown")
	}
}

// contradicts returns what of a report with few nodes the expected one denies.
func (r *problem) contradicts(a *analysis.Analysis) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if a.Sound != analysis.Unknown && r.sound != "unknown" && soundness(a) != "unknown" && soundness(a) != r.sound {
		fault("sound %v, want %s", a.Sound, r.sound)
	}
	for _, l := range a.Lengths {
		if n, err := strconv.Atoi(r.lengths[slices.Index(length.Policies[:], l.Policy)]); err == nil && (n < l.Low || n > l.High) {
			fault("length %v %d..%d, want %d", l.Policy, l.Low, l.High, n)
		}
	}
	if a.Leftover.Class != analysis.LeftoverUnknown && a.Leftover.Class.String() != r.leftover && r.leftover != "?" {
		fault("leftover %v, want %s", a.Leftover.Class, r.leftover)
	}
	if !slices.Equal(a.Line.Moves, r.line) {
		return faults
	}
	for _, n := range a.Attack {
		for _, c := range n.Others {
			at := analysis.Place{Ply: n.Ply, Move: c.Move}
			want, mates := r.mates[at]
			if c.Verdict == solver.Mate && !mates && !r.open[at] || c.Verdict == solver.NoMate && mates {
				fault("%d %s: %v, want %q", n.Ply, c.Move, c.Verdict, want)
			}
		}
	}
	return faults
}

// A cutContext is cancelled once it has been asked so often from when it was cut.
type cutContext struct {
	context.Context
	cut  bool
	left int
}

func (c *cutContext) Err() error {
	if c.cut {
		c.left--
	}
	if c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel: whatever phase it is in, an analysis ends within few nodes of the end of its context,
// which comes while a search looks at the clock (A7).
func TestCancel(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	p := shogi.MustParseSFEN("1l7/s8/p+Pg6/3p5/+pP1B5/kp7/2R+p5/S8/9 b GNrb2g2s3n3l11p 1")
	z := analysis.NewAnalyzer(dfpn.NewSession())
	const asked, most = 3, 4 * 1024 // times, and nodes between them and after, of a search that asks every 1024
	for phase := analysis.PhaseVerdict; phase < analysis.NumPhases; phase++ {
		ctx := &cutContext{Context: context.Background(), left: asked}
		before := uint64(0)
		a, err := z.Analyze(ctx, analysis.Question{Position: p, Attacker: shogi.Black, Policy: length.F2,
			QuestionNodes: 4000, Parts: everything}, func(u analysis.Update) {
			if u.Phase == phase && !ctx.cut {
				ctx.cut, before = true, u.Nodes
			}
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if more := a.Nodes - before; ctx.cut && (more > most || a.Repeatable) {
			t.Errorf("%v: %d nodes after it was cancelled; repeatable: %v", phase, more, a.Repeatable)
		} else {
			t.Logf("%v: %d", phase, more)
		}
	}
}

// TestUpdates: what an update says of a rule stays so, and the last says what the report does.
func TestUpdates(t *testing.T) {
	t.Parallel()
	z := analysis.NewAnalyzer(dfpn.NewSession())
	for i, r := range short(t, 5) {
		if i%4 != 0 {
			continue
		}
		said := map[analysis.Rule]analysis.Answer{}
		hear := func(a *analysis.Analysis, pointer string) {
			for _, rule := range a.Rules {
				if was := said[rule.Rule]; was != analysis.Unknown && was != rule.Holds {
					t.Errorf("%s: %s was %v, and is %v at %s", r.id, rule.Rule, was, rule.Holds, pointer)
				}
				said[rule.Rule] = rule.Holds
			}
		}
		q := analysis.Question{Position: r.p, Attacker: shogi.Black, Policy: length.F2, QuestionNodes: 5000, Line: r.line}
		a, err := z.Analyze(context.Background(), q, func(u analysis.Update) {
			if u.Pointer == "/rules" {
				hear(u.Report(), u.Pointer)
			}
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		hear(a, "the end")
		if len(said) == 0 {
			t.Errorf("%s: no update", r.id)
		}
	}
}

// TestFutileInLine: an author's line with a futile drop in it is as long as the one without, and
// agrees with it.
func TestFutileInLine(t *testing.T) {
	t.Parallel()
	z := analysis.NewAnalyzer(dfpn.NewSession())
	q := analysis.Question{Position: shogi.MustParseSFEN("7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"), Attacker: shogi.Black}
	for _, m := range []string{"4e4c+", "P*3c", "4c3c", "1c1b", "2a2b+"} {
		q.Line = append(q.Line, move(t, m))
	}
	a := analyze(t, z, q, nil)
	if a.Author.Finding != analysis.Agrees || a.Author.Plies != 3 || len(a.Line.Moves) != 3 || a.Sound != analysis.Yes {
		t.Errorf("author's line: %+v; main line %+v; sound %v", a.Author, a.Line, a.Sound)
	}
}

// A pawn far from everything is idle, and what mates is not.
func TestIdle(t *testing.T) {
	p := shogi.MustParseSFEN("8k/6RP1/9/9/9/9/9/9/P8 b Gr2b3g4s4n4l16p 1")
	a, err := analysis.NewAnalyzer(dfpn.NewSession()).Analyze(t.Context(), analysis.Question{Position: p, Attacker: shogi.Black,
		Policy: length.Default, Profile: analysis.Magazine, Parts: analysis.DefaultParts | analysis.Economy}, nil, nil)
	if err != nil || len(a.Economy) != 4 {
		t.Fatalf("%v, %d pieces", err, len(a.Economy))
	}
	for _, e := range a.Economy {
		want := analysis.No
		if e.Square.IsValid() && e.Square.String() == "9i" {
			want = analysis.Yes
		}
		if e.Idle != want {
			t.Errorf("%v on %v: idle %v, want %v", e.Piece, e.Square, e.Idle, want)
		}
	}
}
