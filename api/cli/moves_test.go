package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/text/width"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// mateIn3 is mate with G*5c, and with no other check.
const mateIn3 = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"

// moveVerdict is what the first move of a line in USI comes to.
func moveVerdict(t *testing.T, verdict solver.Verdict, usi string) analysis.MoveVerdict {
	t.Helper()
	v := analysis.MoveVerdict{Verdict: verdict}
	for text := range strings.FieldsSeq(usi) {
		m, err := shogi.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		v.Line = append(v.Line, m)
	}
	v.Move = v.Line[0]
	return v
}

// madeReport is a report of checks that come to everything a check can come to.
func madeReport(t *testing.T) *analysis.Report {
	exact := moveVerdict(t, solver.Mate, "G*5c 5b6a G*6b")
	exact.Exact, exact.Reason = true, solver.ReasonTime // which ended the choice among equal lines
	found := moveVerdict(t, solver.Mate, "5d5c+ 5b5c G*4c")
	found.NoMateWithin = 1 // which is no news where nobody asked for the shortest
	shortened := moveVerdict(t, solver.Mate, "5d5c 5b6a G*6b")
	shortened.Reason, shortened.NoMateWithin = solver.ReasonNodes, 1
	bounded := moveVerdict(t, solver.Unknown, "G*4b")
	bounded.Reason, bounded.NoMateWithin = solver.ReasonPlies, 3
	open := moveVerdict(t, solver.Unknown, "G*4c")
	open.Reason = solver.ReasonTime
	refuted := moveVerdict(t, solver.NoMate, "G*5a 5b5a")
	return &analysis.Report{Verdict: solver.Mate, Plies: 3, Best: exact.Move, Reason: solver.ReasonPlies, Nodes: 77,
		Moves: []analysis.MoveVerdict{exact, found, shortened, bounded, open, refuted, moveVerdict(t, solver.NoMate, "G*6b")}}
}

// printMoves prints a report in a format.
func printMoves(t *testing.T, output, sfen string, attacker shogi.Color, shortest bool, r *analysis.Report) string {
	t.Helper()
	var out bytes.Buffer
	buffered := bufio.NewWriter(&out)
	p := newPrinter(&Options{Output: output, Moves: true}, buffered, io.Discard)
	at := shogi.MustParseSFEN(sfen)
	a := &answered{moves: wire.NewMovesAnswer(&at, attacker, r), position: at}
	a.line = wire.Encode(a.moves)
	a.setMoves(shortest)
	if err := p.answer(a); err != nil {
		t.Fatal(err)
	}
	if err := buffered.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPrintMoves(t *testing.T) {
	for output, want := range map[string]string{
		"text": mateIn3 + `
mate in 3 or fewer: black forces it; the time ran out (--time) before the shortest was proven
  G*5c   ▲５三金      mate in 3           K-6a G*6b
  P-5c+  ▲５三歩成    mate in 3 or fewer  Kx5c G*4c
  P-5c=  ▲５三歩不成  mate in 3 or fewer  the nodes ran out (--nodes) before the shortest was proven; there is no mate in 1 or fewer; K-6a G*6b
  G*4b   ▲４二金      unknown             a longer mate was not looked for (--plies); there is no mate in 3 or fewer
  G*4c   ▲４三金      unknown             the time ran out (--time)
  G*5a   ▲５一金      no mate             refuted by Kx5a
  G*6b   ▲６二金      no mate
  77 nodes
`,
		"tsv": strings.Join(movesColumns, "\t") + "\n" +
			mateIn3 + "\tblack\tattacker\t1\tG*5c\t▲５三金\tmate\t3\ttrue\tG*5c 5b6a G*6b\t▲５三金 △６一玉 ▲６二金打\t\tlimit_time\n" +
			mateIn3 + "\tblack\tattacker\t2\t5d5c+\t▲５三歩成\tmate\t3\tfalse\t5d5c+ 5b5c G*4c\t▲５三歩成 △同　玉 ▲４三金\t1\t\n" +
			mateIn3 + "\tblack\tattacker\t3\t5d5c\t▲５三歩不成\tmate\t3\tfalse\t5d5c 5b6a G*6b\t▲５三歩不成 △６一玉 ▲６二金\t1\tlimit_nodes\n" +
			mateIn3 + "\tblack\tattacker\t4\tG*4b\t▲４二金\tunknown\t\t\tG*4b\t▲４二金\t3\tlimit_plies\n" +
			mateIn3 + "\tblack\tattacker\t5\tG*4c\t▲４三金\tunknown\t\t\tG*4c\t▲４三金\t\tlimit_time\n" +
			mateIn3 + "\tblack\tattacker\t6\tG*5a\t▲５一金\tnomate\t\t\tG*5a 5b5a\t▲５一金 △同　玉\t\t\n" +
			mateIn3 + "\tblack\tattacker\t7\tG*6b\t▲６二金\tnomate\t\t\tG*6b\t▲６二金\t\t\n",
	} {
		if got := printMoves(t, output, mateIn3, shogi.Black, true, madeReport(t)); got != want {
			t.Errorf("%s: printed\n%s\nwant\n%s", output, got, want)
		}
	}
	// Unless the shortest mate was asked for, nothing is missing from one that may not be.
	text := printMoves(t, "text", mateIn3, shogi.Black, false, madeReport(t))
	if !strings.Contains(text, "\nmate in 3 or fewer: black forces it\n") {
		t.Errorf("printed\n%s", text)
	}
}

// A length by the raw count is named among those of a policy, and one that is open is a bound.
func TestPrintCounted(t *testing.T) {
	r := madeReport(t)
	r.Counted = &analysis.Counted{Policy: length.F2, Length: length.Interval{Low: 1, High: 3}, Reason: solver.ReasonNodes,
		Moves: map[shogi.Move]analysis.CountedMove{r.Moves[0].Move: {Length: length.Interval{Low: 1, High: 3}}}}
	text := printMoves(t, "text", mateIn3, shogi.Black, true, r)
	for _, want := range []string{
		" G*5c ▲５三金 mate in 3 or fewer K-6a G*6b ",
		" P-5c+ ▲５三歩成 mate in 3 or fewer, every move counted Kx5c G*4c ",
	} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("printed\n%s\nwant %q in it", text, want)
		}
	}
}

// The columns begin where a terminal that shows Japanese in two cells, by its Unicode width, has
// them.
func TestMovesAligned(t *testing.T) {
	text := printMoves(t, "text", mateIn3, shogi.Black, true, madeReport(t))
	rows := strings.Split(text, "\n")[2:9]
	for i, words := range []string{"▲", "mate in |unknown|no mate", "K-6a|Kx5c|the nodes|a longer|the time|refuted"} {
		var starts []int
		for _, row := range rows {
			for _, word := range strings.Split(words, "|") {
				before, _, found := strings.Cut(row, "  "+word)
				if !found {
					continue
				}
				n := 0
				for _, r := range before {
					n++
					switch width.LookupRune(r).Kind() {
					case width.EastAsianWide, width.EastAsianFullwidth, width.EastAsianAmbiguous:
						n++
					}
				}
				starts = append(starts, n)
				break
			}
		}
		if len(starts) < 6 || len(slices.Compact(starts)) != 1 {
			t.Errorf("column %d begins in cells %v of\n%s", i+1, starts, text)
		}
	}
}

// Replies of White's king, of Black's attack; and a position without moves is not left out.
func TestPrintReplies(t *testing.T) {
	const checked = "9/4k4/4G4/4P4/9/9/9/9/9 w G2r2b2g4s4n4l17p 1"
	escape, settled := moveVerdict(t, solver.NoMate, "5b6a"), moveVerdict(t, solver.Unknown, "5b4a")
	settled.Reason = solver.ReasonSettled
	r := &analysis.Report{ByDefender: true, Verdict: solver.NoMate, Best: escape.Move, Reason: solver.ReasonSettled,
		Moves: []analysis.MoveVerdict{escape, settled}}
	want := checked + `
no mate: black cannot force mate, at any length
  K-6a  △６一玉  no mate
  K-4a  △４一玉  unknown  not searched further, for another reply leaves no mate
  0 nodes
`
	if got := printMoves(t, "text", checked, shogi.Black, false, r); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
	if got := printMoves(t, "tsv", checked, shogi.Black, false, r); !strings.Contains(got, "\tblack\tdefender\t1\t5b6a\t") {
		t.Errorf("printed\n%s", got)
	}
	const mated = "4k4/4G4/4G4/9/9/9/9/9/9 w 2r2b2g4s4n4l18p 1"
	r = &analysis.Report{ByDefender: true, Verdict: solver.Mate, Exact: true}
	if got, want := printMoves(t, "text", mated, shogi.Black, false, r), mated+"\nmate: white is mated already\n  0 nodes\n"; got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
	want = strings.Join(movesColumns, "\t") + "\n" + mated + "\tblack\tdefender\t\t\t\tmate\t0\ttrue\t\t\t\t\n"
	if got := printMoves(t, "tsv", mated, shogi.Black, false, r); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

// What is known of the moves bounds the mates of the position: the attacker has the choice of the
// checks, the defender of the replies.
func TestNoMateWithin(t *testing.T) {
	unknown := func(within int) wire.MoveAnswer { return wire.MoveAnswer{NoMateWithin: within} }
	exact := wire.MoveAnswer{Verdict: "mate", Plies: new(4), Exact: new(true)}
	noMate := wire.MoveAnswer{Verdict: "nomate"}
	for _, c := range []struct {
		moves              []wire.MoveAnswer
		attacker, defender int
	}{
		{nil, 0, 0},
		{[]wire.MoveAnswer{unknown(5), unknown(3), unknown(7), noMate}, 3, 7},
		{[]wire.MoveAnswer{unknown(0), unknown(3)}, 0, 3},
		{[]wire.MoveAnswer{unknown(3), unknown(0)}, 0, 3},
		{[]wire.MoveAnswer{unknown(5), exact}, 3, 5},
		{[]wire.MoveAnswer{exact, unknown(2)}, 2, 3},
		{[]wire.MoveAnswer{noMate, noMate}, 0, 0},
	} {
		attacker := noMateWithin(&wire.MovesAnswer{Moves: c.moves, Side: "attacker"})
		defender := noMateWithin(&wire.MovesAnswer{Moves: c.moves, Side: "defender"})
		if attacker != c.attacker || defender != c.defender {
			t.Errorf("%+v: %d for the attacker, %d for the defender", c, attacker, defender)
		}
	}
}

// Options reach the searches, which together have the limits; a fault has its row under the same
// heading.
func TestSolveMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var nodes uint64
		searches := 0
		s := solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
			if !lim.Shortest || lim.Plies < 4 || lim.Plies > 5 || p.Hand(shogi.White).Count(shogi.Pawn) != 17 {
				t.Errorf("asked for %s, %+v", p.SFEN(), lim)
			}
			searches++
			nodes += lim.Nodes
			return solver.Result{Reason: solver.ReasonNodes, Nodes: lim.Nodes}
		})
		var out, stderr bytes.Buffer
		o := Options{Solver: s, Workers: 1, Limits: solver.Limits{Plies: 5, Nodes: 30_000, Shortest: true},
			Hands: "complete", Output: "tsv", Moves: true}
		questions := Arguments([]string{"9/4k4/9/4P4/9/9/9/9/9 b 2G 1", "9/9/9/9/9/9/9/9/9 b - 1"})
		tally, err := Solve(t.Context(), o, questions, &out, &stderr, new(Progress))
		if err != nil || tally.Verdicts != [3]int{1, 0, 0} || tally.Answered != 1 || tally.Faulty != 1 ||
			tally.Nodes != nodes || nodes > 30_000 || searches < 9 {
			t.Errorf("%+v, %v, %d nodes in %d searches", tally, err, nodes, searches)
		}
		rows := strings.Split(out.String(), "\n")
		const fault = "9/9/9/9/9/9/9/9/9 b - 1\t\t\t\t\t\terror\t\t\t\t\t\tposition 2: there is no king"
		if len(rows) != 11 || rows[0] != strings.Join(movesColumns, "\t") || !strings.HasPrefix(rows[9], fault) {
			t.Errorf("printed\n%s", &out)
		}

		// The time is for all searches too, and no search begins after it.
		slow := solver.Func(func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
			<-ctx.Done()
			return solver.Result{Reason: solver.StopReason(ctx)}
		})
		out.Reset()
		start := time.Now()
		o = Options{Solver: slow, Workers: 1, Time: time.Minute, Output: "text", Moves: true}
		tally, err = Solve(t.Context(), o, Arguments([]string{mateIn3}), &out, &stderr, new(Progress))
		if took := time.Since(start).Round(time.Microsecond); err != nil || took != time.Minute || tally.Interrupted != 0 ||
			!strings.Contains(out.String(), "\nunknown: the time ran out (--time)\n  P-5c+  ▲５三歩成    unknown  the time ran out (--time)\n") {
			t.Errorf("%+v, %v after %v:\n%s", tally, err, took, &out)
		}
	})
}

// An interrupt ends the searches with what is known by then, which may be all but a refutation, and
// is no interrupt if nothing is missing.
func TestSolveMovesInterrupted(t *testing.T) {
	p := shogi.MustParseSFEN(mateIn3)
	searches, last := 0, 0 // of the run that is not interrupted
	for _, c := range []struct {
		root  solver.Result // of the position; the context ends with the search after it, or with the last
		want  string
		whole bool
	}{
		{solver.Result{Verdict: solver.NoMate}, " no mate  refuted by ", true}, // counts the searches
		{solver.Result{Verdict: solver.NoMate}, " no mate  refuted by ", true},
		{solver.Result{Reason: solver.ReasonNodes}, "\nunknown: interrupted\n  P-5c+  ▲５三歩成    unknown  interrupted\n", false},
		{solver.Result{Verdict: solver.Mate, Line: moveVerdict(t, solver.Mate, "G*5c 5b6a G*6b").Line, Exact: true},
			"\nmate in 3: black forces it\n  G*5c   ▲５三金      mate in 3  K-6a G*6b\n  P-5c+  ▲５三歩成    unknown    interrupted\n", false},
		{solver.Result{Verdict: solver.NoMate}, "\nno mate: black cannot force mate, at any length\n  P-5c+  ▲５三歩成    no mate\n", false},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		s := solver.Func(func(ctx context.Context, at shogi.Position, _ solver.Limits) solver.Result {
			switch searches++; {
			case at.SamePosition(&p):
				return c.root
			case c.whole:
				if searches == last {
					cancel()
				}
				return solver.Result{Verdict: solver.NoMate}
			}
			cancel()
			<-ctx.Done()
			return solver.Result{Reason: solver.StopReason(ctx)}
		})
		var out, stderr bytes.Buffer
		o := Options{Solver: s, Workers: 1, Output: "text", Moves: true}
		searches = 0
		tally, err := Solve(ctx, o, Arguments([]string{mateIn3}), &out, &stderr, new(Progress))
		if c.whole && (ctx.Err() != nil) != (last > 0) {
			t.Errorf("%d searches, %d before", searches, last)
		}
		last = cmp.Or(last, searches)
		cancel()
		if errors.Is(err, ErrInterrupted) == c.whole || (tally.Interrupted == 0) != c.whole || !strings.Contains(out.String(), c.want) {
			t.Errorf("%v, %+v:\n%s\nwant %q in it", err, tally, &out, c.want)
		}
	}
}

// The line and the bar say which of several searches they are about.
func TestProgressOfSearches(t *testing.T) {
	terminal, err := os.Create(t.TempDir() + "/terminal")
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	w, q := Progress{terminal: terminal}, &Question{where: "line 2", text: mateIn3}
	w.watch(q)
	w.report(q, 3, &solver.Progress{Nodes: 5})
	w.report(q, 0, &solver.Progress{Nodes: 6})
	seen, err := os.ReadFile(terminal.Name())
	if err != nil {
		t.Fatal(err)
	}
	if text := string(seen); !strings.HasPrefix(text, "\rline 2: search 3: searching, 0s, 5 nodes, ") ||
		!strings.Contains(text, "\rline 2: searching, 0s, 6 nodes, ") {
		t.Errorf("seen: %q", text)
	}
	var beside bytes.Buffer
	b := Progress{bar: progressbar.NewOptions(10, progressbar.OptionSetWriter(&beside))}
	b.watch(q)
	if b.report(q, 3, &solver.Progress{Nodes: 5}); !strings.Contains(beside.String(), "line 2: search 3: 5 nodes") {
		t.Errorf("seen beside the bar: %q", &beside)
	}
	// As a run does it.
	s := solver.Func(func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
		solver.ReporterOf(ctx).Report(solver.Progress{Nodes: 7})
		return solver.Result{Verdict: solver.NoMate}
	})
	if err := terminal.Truncate(0); err != nil {
		t.Fatal(err)
	}
	o := Options{Solver: s, Moves: true}
	r := &run{Options: o, answers: newAnswerer(&o), progress: &w}
	r.ask(t.Context(), q)
	if seen, err = os.ReadFile(terminal.Name()); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(seen, []byte("search 2: ")); n != 1 || !bytes.Contains(seen, []byte("search 1: ")) {
		t.Errorf("seen: %q", seen)
	}
}
