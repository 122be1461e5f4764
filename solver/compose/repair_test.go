package compose

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
)

var (
	repairFile = flag.String("repair", "", "measure Repair on the problems of `FILE`: SFEN, name, and the author's line")
	repairTwin = flag.Bool("repair-twin", false, "compare Repair with its plain twin on every single change")
	repairTime = flag.Duration("repair-time", time.Minute, "for each problem")
)

// How many problems of a file are mended, and how soon. It prints a row for each.
func TestRepairMeasure(t *testing.T) {
	if *repairFile == "" {
		t.Skip("without -repair FILE")
	}
	file, err := os.Open(*repairFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fmt.Println("# name\tplies\tmended\tchanges\tseconds\tsingles\tpairs\topen\tall\twhat")
	var n, mended, byOne int
	for in := bufio.NewScanner(file); in.Scan(); {
		if strings.HasPrefix(in.Text(), "#") {
			continue
		}
		fields := append(strings.Split(in.Text(), "\t"), "", "")
		o := RepairOptions{Search: anyProblem(1), Position: shogi.MustParseSFEN(fields[0]),
			Tally: new(RepairTally)}
		for m := range strings.FieldsSeq(fields[2]) {
			move, err := shogi.ParseMove(m)
			if err != nil {
				t.Fatal(err)
			}
			o.Line = append(o.Line, move)
		}
		ctx, cancel := context.WithTimeout(t.Context(), *repairTime)
		began := time.Now()
		problems, err := Repair(ctx, o)
		if err != nil {
			fmt.Printf("# %s: %v\n", fields[1], err)
			cancel()
			continue
		}
		n++
		row := "no\t-"
		what := ""
		for q := range problems {
			mended++
			if len(q.Changes) == 1 {
				byOne++
			}
			for i := range q.Changes {
				what += q.Changes[i].Message().Japanese() + " "
			}
			row = fmt.Sprintf("yes\t%d", len(q.Changes))
			break
		}
		cancel()
		fmt.Printf("%s\t%d\t%s\t%.1f\t%d/%d\t%d/%d\t%d\t%s\n", fields[1], len(o.Tally.Line), row, time.Since(began).Seconds(),
			o.Tally.Singles, o.Tally.Of[0], o.Tally.Pairs, o.Tally.Of[1], o.Tally.Open, what)
	}
	fmt.Printf("# %d problems, %d mended, %d of them by one change\n", n, mended, byOne)
}

// What Repair finds with one change is all that there is: a plain twin asks the whole analysis about
// every single change, with no filter before it but that the diagram can be.
func TestRepairTwin(t *testing.T) {
	for _, c := range []struct {
		sfen   string
		stride int // one change of so many is looked at by both
	}{
		{"9/8G/7N1/3B3RN/4B3k/9/9/9/9 b Gr2g4s2n4l18p 1", 230},
		{"5+P1k1/9/5+rB2/9/9/9/9/9/9 b RPb4g4s4n4l16p 1", 500},
		{"5G1k1/9/8l/6R2/9/9/9/9/9 b Gr2b2g4s4n3l18p 1", 400},
	} {
		if *repairTwin {
			c.stride = 1
		}
		s := anyProblem(2)
		r := &repairer{RepairOptions: &RepairOptions{Search: s, Changes: 1, Tally: new(RepairTally)}}
		p, err := diagram(shogi.MustParseSFEN(c.sfen))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.diagnose(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		r.targets = r.targets[:1]
		var some []ranked
		for i := 0; i < len(r.changes); i += c.stride {
			some = append(some, r.changes[i])
		}
		r.changes = some
		want := map[string]bool{}
		e := newExaminer(r.NewSession(), &r.Conditions, thorough)
		for i := range r.changes {
			l := layout{r.setup, r.targets[0].line}
			if !l.apply(&r.changes[i].Change) {
				continue
			}
			q, err := l.setup.Position()
			if err != nil || q.InCheck() {
				continue
			}
			e.reset()
			a := e.diagnosis(t.Context(), q, l.line, limits{400_000, 30_000})
			if isSound(a) && len(a.Line.Moves) >= s.Least && a.Author.Finding == analysis.Agrees {
				want[q.ProblemSFEN()] = true
			}
		}
		got := 0
		for q := range r.run(t.Context()) {
			if got++; !want[q.Position.ProblemSFEN()] {
				t.Errorf("%s: the twin has no %s", c.sfen, q.Position.ProblemSFEN())
			}
			delete(want, q.Position.ProblemSFEN())
		}
		for sfen := range want {
			t.Errorf("%s: %s is sound, but was not found", c.sfen, sfen)
		}
		t.Logf("%s: %d changes, %d sound, %d open", c.sfen, len(r.changes), got, r.Tally.Open)
	}
}

// What is found does not depend on the threads, and a run that goes on says what is left.
func TestRepairRepeats(t *testing.T) {
	o := RepairOptions{Search: anyProblem(1), Position: shogi.MustParseSFEN("9/8G/7N1/3B3RN/4B3k/9/9/9/9 b G 1"), Changes: 1}
	first := func(threads, n int, before []Problem) (list []Problem) {
		o.Threads, o.Before = threads, before
		problems, err := Repair(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for q := range problems {
			if list = append(list, q); len(list) == n {
				break
			}
		}
		return list
	}
	want := first(1, 2, nil)
	if got := first(3, 2, nil); !reflect.DeepEqual(got, want) {
		t.Errorf("with three threads %v, want %v", got, want)
	}
	if got := first(1, 1, want[:1]); !reflect.DeepEqual(got, want[1:]) {
		t.Errorf("going on: %v, want %v", got, want[1:])
	}
	for _, q := range want {
		if len(q.Changes) != 1 || len(q.Certificate) == 0 {
			t.Errorf("%d changes, %d bytes of certificate", len(q.Changes), len(q.Certificate))
		}
	}
}

// newRepairer returns the repairer of a problem.
func newRepairer(t *testing.T, sfen string) *repairer {
	t.Helper()
	r := &repairer{RepairOptions: &RepairOptions{Search: anyProblem(1), Changes: 2, Tally: new(RepairTally)}}
	p, err := diagram(shogi.MustParseSFEN(sfen))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.diagnose(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return r
}

// Of two changes neither mends the problem alone.
func TestRepairNeedsBoth(t *testing.T) {
	o := RepairOptions{Search: anyProblem(2), Position: shogi.MustParseSFEN("7nl/7k1/9/7P1/9/9/9/9/9 b 2GS 1")}
	problems, err := Repair(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	alone := map[Change]bool{}
	for q := range problems {
		if len(q.Changes) == 1 {
			alone[q.Changes[0]] = true
			continue
		}
		for _, c := range q.Changes {
			if alone[c] {
				t.Fatalf("%v, of which one is enough", q.Changes)
			}
		}
	}
	if len(alone) == 0 {
		t.Error("nothing is mended by one change")
	}
}

// Two idle pieces are taken away together.
func TestRepairIdle(t *testing.T) {
	r := newRepairer(t, "9/5G3/4k1S2/6L2/3+R5/3N5/9/9/P7P b r2b3g3s3n3l16p 1")
	most := 0
	for q := range r.run(t.Context()) {
		most = max(most, len(q.Changes))
		if p := q.Position; len(q.Changes) == 2 && p.ProblemSFEN() != "9/5G3/4k1S2/6L2/3+R5/3N5/9/9/9 b r2b3g3s3n3l18p 1" {
			t.Errorf("%v: %s", q.Changes, p.ProblemSFEN())
		}
	}
	if most != 2 {
		t.Errorf("%d changes at most", most)
	}
}

// What the limits of the first look leave open is looked at again: this one is sound, by the twin.
func TestRepairLooksAgain(t *testing.T) {
	r := newRepairer(t, "9/8G/7N1/3B3RN/4B3k/9/9/9/9 b G 1")
	r.targets, r.Changes = r.targets[:1], 1
	r.changes = slices.DeleteFunc(r.changes, func(c ranked) bool {
		return c.Kind != Moved || c.From != square("1d") || c.To != square("5c")
	})
	var last Progress
	r.Progress = func(p Progress) { last = p }
	n := 0
	for range r.run(t.Context()) {
		n++
	}
	if n != 1 || r.Tally.Open != [2]int{} || r.Tally.Singles != 1 {
		t.Errorf("%d problems, %+v", n, r.Tally)
	}
	// It is one figure, which was looked at twice.
	want := Progress{Coverage: All, Parts: 2, OfParts: 2, Figures: 1, OfFigures: 1}
	want.Outcomes[Sound] = 1
	if last != want {
		t.Errorf("the progress is %+v, want %+v", last, want)
	}
}

// A stoppedSession calls stop whenever it is reset, which an examiner does before each part.
type stoppedSession struct {
	solver.Session
	stop func()
}

func (s stoppedSession) Reset() {
	s.stop()
	s.Session.Reset()
}

// Who stops the second look leaves open what it has not come to, and nothing else.
func TestRepairStopsAgain(t *testing.T) {
	r := newRepairer(t, "9/8G/7N1/3B3RN/4B3k/9/9/9/9 b G 1")
	r.targets, r.Changes = r.targets[:1], 1
	r.changes = slices.DeleteFunc(r.changes, func(c ranked) bool {
		return c.Kind != Moved || c.From != square("1d") || c.To != square("5c")
	})
	ctx, cancel := context.WithCancel(t.Context())
	isOpen := false
	r.Progress = func(p Progress) { isOpen = p.Outcomes[Open] == 1 }
	session := r.NewSession()
	r.NewSession = func() solver.Session {
		return stoppedSession{session, func() {
			if isOpen {
				cancel()
			}
		}}
	}
	for range r.run(ctx) {
		t.Error("a problem that was not looked for")
	}
	if r.Tally.Open != [2]int{1, 0} || r.Tally.Singles != 1 {
		t.Errorf("%+v", r.Tally)
	}
}

// Of two changes only some are looked at, unless they take idle pieces away.
func TestRepairCoverage(t *testing.T) {
	for sfen, want := range map[string]Coverage{
		"7nl/7k1/9/7P1/9/9/9/9/9 b 2GS 1":                     Chosen,
		"9/5G3/4k1S2/6L2/3+R5/3N5/9/9/P7P b r2b3g3s3n3l16p 1": All,
	} {
		for changes := 1; changes <= 2; changes++ {
			whole := want
			if changes == 1 {
				whole = All
			}
			var tally RepairTally
			s := anyProblem(1)
			ctx, cancel := context.WithCancel(t.Context())
			s.Progress = func(p Progress) {
				if cancel(); p.Coverage != whole {
					t.Errorf("%s, %d changes: %v, want %v", sfen, changes, p.Coverage, whole)
				}
			}
			problems, err := Repair(ctx, RepairOptions{Search: s, Position: shogi.MustParseSFEN(sfen), Changes: changes, Tally: &tally})
			if err != nil {
				t.Fatal(err)
			}
			for range problems {
				break
			}
			if tally.Coverage != want {
				t.Errorf("%s: pairs are %v, want %v", sfen, tally.Coverage, want)
			}
		}
	}
}

// A check that comes to the main line further on is a defect as well, and one of another line is none of
// this one.
func TestWeaknesses(t *testing.T) {
	const sfen = "9/5ppL1/4G1kSp/5R3/7P1/9/9/9/9 b Sr2b3g2s3n3l14p 1"
	moves := parseMoves(t, "2c3d+ 3c2b 3d2c 2b2c 4d2d 2c1b S*2c 1b2a 2c2b+")
	line := keeps(shogi.MustParseSFEN(sfen), moves)
	if line == nil {
		t.Fatal("the line is none")
	}
	e := newExaminer(anyProblem(1).NewSession(), &Conditions{Least: 3, Most: 99, MaxHand: -1, MaxCaptures: -1}, thorough)
	w := weakness{move: parseMoves(t, "4d3d")[0]}
	e.line = moves
	if !(&trial{examiner: e, ctx: t.Context(), positions: line}).isDefect(&w, 100_000) {
		t.Error("a transposition is no defect")
	}
	a := newExaminer(anyProblem(1).NewSession(), e.Conditions, thorough).diagnosis(t.Context(),
		shogi.MustParseSFEN("9/8G/7N1/3B3RN/4B3k/9/9/9/9 b Gr2g4s2n4l18p 1"), nil, limits{1_000_000, 60_000})
	main := a.Line.Moves
	if list := weaknesses(a, main); len(list) == 0 || list[0].ply == 0 {
		t.Fatalf("%d weaknesses of the main line", len(list))
	}
	other := slices.Clone(main)
	other[0] = other[2]
	if list := weaknesses(a, other); len(list) > 0 {
		t.Errorf("%d weaknesses of another line", len(list))
	}
}

// A move of a piece that stands elsewhere promotes as it did.
func TestMovedFrom(t *testing.T) {
	got := movedFrom(parseMoves(t, "2c3d+ 3c2b 2c2b"), square("2c"), square("4c"))
	if want := parseMoves(t, "4c3d+ 3c2b 2c2b"); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The words of changes, and what they do.
func TestChanges(t *testing.T) {
	p := shogi.MustParseSFEN("7nk/9/6G2/9/9/9/9/9/9 b S 1")
	p.GiveMissing(shogi.White)
	gold := shogi.PieceOf(shogi.Black, shogi.Gold)
	for _, c := range []struct {
		change         Change
		sfen, line     string
		english, kanji string
	}{
		{Change{Kind: Moved, Old: gold, Piece: gold, From: square("3c"), To: square("3b")}, "7nk/6G2/9/9/9/9/9/9/9 b S",
			"3b2b", "the gold on 3c to 3b", "3三の金を3二に"},
		{Change{Kind: Added, Piece: shogi.PieceOf(shogi.White, shogi.Pawn), To: square("1b")}, "7nk/8p/6G2/9/9/9/9/9/9 b S",
			"3c2b", "a pawn of the defender on 1b", "1二に玉方の歩を置く"},
		{Change{Kind: Removed, Old: gold, From: square("3c")}, "7nk/9/9/9/9/9/9/9/9 b S", "3c2b", "without the gold on 3c",
			"3三の金を除く"},
		{Change{Kind: Replaced, Old: gold, Piece: shogi.PieceOf(shogi.Black, shogi.Tokin), From: square("3c")},
			"7nk/9/6+P2/9/9/9/9/9/9 b S", "3c2b", "", "3三の金をとに"},
		{Change{Kind: HandRemoved, Piece: shogi.PieceOf(shogi.Black, shogi.Silver)}, "7nk/9/6G2/9/9/9/9/9/9 b 2r", "3c2b", "",
			"持駒の銀を除く"},
		{Change{Kind: HandAdded, Piece: gold}, "7nk/9/6G2/9/9/9/9/9/9 b GS", "3c2b", "a gold more in hand", "持駒に金を加える"},
		{Change{Kind: ShiftedBy, Files: 1, Ranks: 2}, "9/9/6nk1/9/5G3/9/9/9/9 b S", "4e3d",
			"everything 1 to the left and 2 down", "全体を左に1・下に2"},
	} {
		l := layout{p.Setup(), []shogi.Move{shogi.NewMove(square("3c"), square("2b"))}}
		if !l.apply(&c.change) {
			t.Fatalf("%v cannot be made", c.change)
		}
		q, err := l.setup.Position()
		if err != nil {
			t.Fatal(err)
		}
		if got := q.ProblemSFEN(); !strings.HasPrefix(got, c.sfen) || l.line[0].String() != c.line {
			t.Errorf("%v: %s with %v, want %s with %s", c.change.Kind, got, l.line[0], c.sfen, c.line)
		}
		if q.Missing() != 0 {
			t.Errorf("%v: pieces are missing", c.change.Kind)
		}
		m := c.change.Message()
		if c.english != "" && m.String() != c.english || m.Japanese() != c.kanji {
			t.Errorf("%q, %q; want %q, %q", m.String(), m.Japanese(), c.english, c.kanji)
		}
	}
}

func square(text string) shogi.Square {
	sq, err := shogi.ParseSquare(text)
	if err != nil {
		panic(err)
	}
	return sq
}
