package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate"
)

func collect(t *testing.T, questions iter.Seq2[Question, error]) []string {
	t.Helper()
	var texts []string
	for q, err := range questions {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, q.text)
	}
	return texts
}

func TestArguments(t *testing.T) {
	const a, b = "4k4/9/4G4/9/9/9/9/9/9 b G 1", "8k/9/9/9/9/9/9/9/9 w - 3"
	words := strings.Fields
	for _, c := range []struct{ args, want []string }{
		{[]string{a}, []string{a}},
		{[]string{a, b}, []string{a, b}},
		{words(a), []string{a}},
		{words(a + " " + b), []string{a, b}},
		{append(words(a), b), []string{a, b}},
		{append([]string{b}, words(a)...), []string{b, a}},
		{words("position sfen " + a + " moves G*5b"), []string{"position sfen " + a + " moves G*5b"}},
		{words("sfen " + a + " position startpos"), []string{"sfen " + a, "position startpos"}},
		{words("startpos moves 7g7f startpos"), []string{"startpos moves 7g7f", "startpos"}},
		{[]string{"4k4/9_b_G_1", "b"}, []string{"4k4/9_b_G_1", "b"}},
		{[]string{"nonsense"}, []string{"nonsense"}},
		{[]string{""}, []string{""}},
	} {
		if got := collect(t, Arguments(c.args)); !slices.Equal(got, c.want) {
			t.Errorf("%q is taken for %q, want %q", c.args, got, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	const tabbed = "4k4/9/4G4/9/9/9/9/9/9\tb\tG\t1"
	input := "\ufeffsfen\tverdict\r\n# comment\n\n  " + headGold + "  \t1\tname\r\n \t x\n" + tabbed + "\n" + headGold + "\tb\nsfen\nlast"
	want := []string{headGold, tabbed, headGold, "sfen", "last"}
	if got := collect(t, Files(strings.NewReader(input), FileFormat{})); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var where []string
	size := int64(0)
	for q := range Files(strings.NewReader(input), FileFormat{}) {
		where = append(where, q.where)
		size += q.size
	}
	if want := []string{"line 4", "line 6", "line 7", "line 8", "line 9"}; !slices.Equal(where, want) {
		t.Errorf("lines %q, want %q", where, want)
	}
	if d := size - int64(len(input)); d < -4 || d > 4 { // the progress bar need not know of carriage returns
		t.Errorf("the sizes add up to %d, the input has %d bytes", size, len(input))
	}
}

// TestLinesOfJSON: what compose prints as ndjson is read with its line; what is not so is a fault.
func TestLinesOfJSON(t *testing.T) {
	input := "\ufeff" + `{"sfen":"` + headGold + `","plies":1,"moves":["G*5b"],"themes":["x"],"title":"題"}` + "\n" +
		`{"sfen":"` + headGold + `","moves":["G*0b"]}` + "\n" + `{"sfen":3}` + "\n" + `{"verdict":"mate"}` + "\n" + headGold + "\n"
	var got []string
	for q, err := range Files(strings.NewReader(input), FileFormat{}) {
		if err != nil {
			t.Fatal(err)
		}
		_, line, err := q.Problem()
		got = append(got, fmt.Sprint(q.where, " ", q.title, " ", q.plies, " ", line, " ", err != nil))
	}
	want := []string{"line 1 題 1 [G*5b] false", "line 2  0 [] false", "line 3  0 [] true", "line 4  0 [] true", "line 5  0 [] false"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLinesTooLong(t *testing.T) {
	input := headGold + "\n" + strings.Repeat("x", 2*shogi.MaxPositionText+1) + "\n"
	var got []string
	for q, err := range Files(strings.NewReader(input), FileFormat{}) {
		got = append(got, fmt.Sprint(q.where, err))
	}
	if len(got) != 2 || !strings.Contains(got[1], "line 2 is longer than") {
		t.Errorf("got %q, want a position and an error that names line 2", got)
	}
}

// numbered yields positions that differ in their move number.
func numbered(n int) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		for i := range n {
			text := fmt.Sprintf("4k4/9/4G4/9/9/9/9/9/9 b G %d", i+1)
			if !yield(Question{where: fmt.Sprintf("line %d", i+1), text: text}, nil) {
				return
			}
		}
	}
}

// headGold is a mate in one.
const headGold = "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"

func newRun(workers int, s solver.Solver, w io.Writer) *run {
	out := bufio.NewWriter(w)
	o := Options{Solver: s, Workers: workers}
	return &run{
		Options:  o,
		answers:  newAnswerer(&o),
		out:      out,
		printer:  newPrinter(&Options{Output: "tsv"}, out, io.Discard),
		progress: new(Progress),
	}
}

// printed returns the nodes of the printed answers, which the solvers of these tests make the
// number of the question.
func printed(t *testing.T, table string) []int {
	t.Helper()
	var found []int
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		n, err := strconv.Atoi(strings.Split(line, "\t")[slices.Index(tsvColumns, "nodes")])
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, n)
	}
	return found
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// Answers come in the order of the questions, though here the later of two always finishes first,
// and no more questions are read ahead than the workers need.
func TestSolveKeepsOrder(t *testing.T) {
	const n, jobs = 400, 4
	var read, done atomic.Int64
	questions := func(yield func(Question, error) bool) {
		for q := range numbered(n) {
			if ahead := read.Add(1) - done.Load(); ahead > 20*jobs {
				t.Errorf("%d questions are held for %d workers", ahead, jobs)
			}
			if !yield(q, nil) {
				return
			}
		}
	}
	var evens [n + 2]chan struct{}
	for i := range evens {
		evens[i] = make(chan struct{})
	}
	slow := solver.Func(func(_ context.Context, p shogi.Position, _ solver.Limits) solver.Result {
		i := p.Ply()
		if i%2 == 1 {
			<-evens[i+1]
		} else {
			close(evens[i])
		}
		return solver.Result{Verdict: solver.NoMate, Nodes: uint64(p.Ply())}
	})
	var out bytes.Buffer
	s := newRun(jobs, slow, &out)
	s.printer = countingPrinter{s.printer, &done}
	if err := s.all(context.Background(), questions); err != nil {
		t.Fatal(err)
	}
	s.out.Flush()
	if got := printed(t, out.String()); !slices.Equal(got, upTo(n)) {
		t.Errorf("order %v", got)
	}
}

type countingPrinter struct {
	printer
	n *atomic.Int64
}

func (p countingPrinter) answer(a *answered) error {
	p.n.Add(1)
	return p.printer.answer(a)
}

// On an interrupt in the middle of searches, everything that was begun is printed, in order and
// without a gap.
func TestSolveInterruptedSearches(t *testing.T) {
	for round := range 50 {
		ctx, cancel := context.WithCancel(context.Background())
		var begun atomic.Int64
		s := solver.Func(func(ctx context.Context, p shogi.Position, _ solver.Limits) solver.Result {
			if begun.Add(1) == int64(10+round) {
				cancel()
			}
			if p.Ply()%3 == 0 { // these would search for ever
				<-ctx.Done()
				return solver.Result{Reason: solver.StopReason(ctx), Nodes: uint64(p.Ply())}
			}
			return solver.Result{Verdict: solver.NoMate, Nodes: uint64(p.Ply())}
		})
		var out bytes.Buffer
		r := newRun(8+round, s, &out)
		err := r.all(ctx, numbered(1000))
		r.out.Flush()
		if !errors.Is(err, ErrInterrupted) {
			t.Fatalf("error %v, want an interrupt", err)
		}
		got := printed(t, out.String())
		if !slices.Equal(got, upTo(len(got))) {
			t.Fatalf("the printed answers have gaps: %v", got)
		}
		if int64(len(got)) < 10+int64(round) || int64(len(got)) > begun.Load() {
			t.Fatalf("%d answers are printed, %d searches were begun", len(got), begun.Load())
		}
		if r.tally.Interrupted == 0 || strings.Count(out.String(), "\tcancelled\t") != r.tally.Interrupted {
			t.Fatalf("%d answers are counted as interrupted:\n%s", r.tally.Interrupted, out.String())
		}
	}
}

// An interrupt that comes when all is done changes nothing.
func TestSolveInterruptTooLate(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	questions := func(yield func(Question, error) bool) {
		for q := range numbered(3) {
			if !yield(q, nil) {
				return
			}
		}
	}
	var out bytes.Buffer
	r := newRun(1, solver.Func(func(_ context.Context, p shogi.Position, _ solver.Limits) solver.Result {
		if p.Ply() == 3 {
			cancel()
		}
		return solver.Result{Verdict: solver.NoMate, Nodes: uint64(p.Ply())}
	}), &out)
	if err := r.all(ctx, questions); err != nil {
		t.Error(err)
	}
	if r.tally.Answered != 3 {
		t.Errorf("%d answers, want 3", r.tally.Answered)
	}
}

// A reader that fails is reported after the answers before it.
func TestSolveReadFails(t *testing.T) {
	broken := io.MultiReader(strings.NewReader(headGold+"\n"), brokenReader{})
	var out bytes.Buffer
	r := newRun(2, noMate, &out)
	err := r.all(t.Context(), Files(broken, FileFormat{}))
	r.out.Flush()
	if err == nil || err.Error() != "1 position read, then: cable cut" || len(printed(t, out.String())) != 1 {
		t.Errorf("%v, after\n%s", err, &out)
	}
}

// noMate answers that there is no mate, with the number of the position as its nodes.
var noMate = solver.Func(func(_ context.Context, p shogi.Position, _ solver.Limits) solver.Result {
	return solver.Result{Verdict: solver.NoMate, Nodes: uint64(p.Ply())}
})

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("cable cut") }

// What an answer says in words.
func TestVerdictText(t *testing.T) {
	p := shogi.MustParseSFEN(headGold)
	line := []shogi.Move{shogi.NewDrop(shogi.Gold, shogi.SquareAt(shogi.File5, shogi.RankB))}
	for _, c := range []struct {
		r    solver.Result
		want string
	}{
		{solver.Result{Verdict: solver.Mate, Line: line, Exact: true}, "mate in 1: black forces it"},
		{solver.Result{Verdict: solver.Mate, Line: line}, "mate in 1 or fewer: black forces it"},
		{solver.Result{Verdict: solver.Mate, Line: make([]shogi.Move, 21), Reason: solver.ReasonTime, NoMateWithin: 9},
			"mate in 21 or fewer: black forces it; the time ran out (--time) before the shortest was proven; there is no mate in 9 or fewer"},
		{solver.Result{Verdict: solver.Mate, Line: make([]shogi.Move, 21), Reason: solver.ReasonCancelled},
			"mate in 21 or fewer: black forces it; interrupted before the shortest was proven"},
		{solver.Result{Verdict: solver.Mate, Line: make([]shogi.Move, 21), Exact: true, Reason: solver.ReasonNodes},
			"mate in 21: black forces it; the nodes ran out (--nodes) before one line was chosen of those as short"},
		{solver.Result{Verdict: solver.NoMate}, "no mate: black cannot force mate, at any length"},
		{solver.Result{Reason: solver.ReasonDepth, NoMateWithin: 3}, "unknown: the solvers look no deeper; there is no mate in 3 or fewer"},
		{solver.Result{Reason: solver.ReasonPlies, NoMateWithin: 1}, "unknown: a longer mate was not looked for (--plies); there is no mate in 1 or fewer"},
		{solver.Result{Reason: solver.ReasonNodes}, "unknown: the nodes ran out (--nodes)"},
		{solver.Result{Reason: solver.ReasonTime}, "unknown: the time ran out (--time)"},
		{solver.Result{Reason: solver.ReasonCancelled}, "unknown: interrupted"},
		{solver.Result{Reason: solver.ReasonProof},
			"unknown: a mate was found, but time, nodes or memory ran out before it was proven"},
		{solver.Result{Reason: solver.ReasonUnverified}, "unknown: a mate was claimed that is none, which is a bug of the solver"},
	} {
		a := &answered{Answer: wire.NewAnswer(&p, "", shogi.Black, &solver.Result{Verdict: c.r.Verdict,
			Reason: c.r.Reason, NoMateWithin: c.r.NoMateWithin, Exact: c.r.Exact}), position: p}
		if c.r.Verdict == solver.Mate {
			*a.Plies = c.r.Plies()
		}
		if got := English.verdictText(a); got != c.want {
			t.Errorf("%+v is %q, want %q", c.r, got, c.want)
		}
	}
}

// What is missing goes to the defender if that is asked for; if nothing is said, the answer has a
// note.
func TestHands(t *testing.T) {
	const bare = "4k4/9/4G4/9/9/9/9/9/9 b G 1"
	s := mate.New(mate.Options{})
	for _, c := range []struct {
		hands, output string
		moves         bool
		sfen, note    string
	}{
		{"", "text", false, bare, "  note: nobody holds the 36 pieces missing from the set; --hands complete gives"},
		{"", "text", true, bare, "  note: nobody holds the 36 pieces missing from the set; --hands complete gives"},
		{"", "json", false, bare, `"notes":[{"code":"missing_pieces",`},
		{"", "json", true, bare, `"notes":[{"code":"missing_pieces",`},
		{"", "kif", false, "", "\n*駒が36枚足りません。"},
		{"as_given", "text", false, bare, ""},
		{"as_given", "json", true, bare, ""},
		{"as_given", "kif", false, "", ""},
		{"complete", "text", false, headGold, ""},
		{"complete", "json", true, headGold, ""},
	} {
		var out, stderr bytes.Buffer
		o := Options{Solver: s, Workers: 1, Hands: c.hands, Output: c.output, Moves: c.moves}
		_, err := Solve(t.Context(), o, Arguments([]string{bare}), &out, &stderr, new(Progress))
		text := out.String()
		if hasNote := strings.Contains(text, "note") || strings.Contains(text, "足りません"); err != nil ||
			!strings.Contains(text, c.sfen) || !strings.Contains(text, c.note) || hasNote != (c.note != "") {
			t.Errorf("--hands %q, %s, moves %t: %v\n%s", c.hands, c.output, c.moves, err, text)
		}
	}
}

// What the line on a terminal says.
func TestProgressText(t *testing.T) {
	for _, c := range []struct {
		p    solver.Progress
		want string
	}{
		{solver.Progress{Nodes: 1_234_567, PN: 12, DN: 3456, TableFill: 0.125, Spent: [solver.NumPhases]time.Duration{1040 * time.Millisecond}},
			"searching, 1s, 1.23 million nodes, 1.19 million/s, pn 12 dn 3456, table 12%"},
		{solver.Progress{Phase: solver.Shortening, Nodes: 90_000, PN: 1, DN: 2, Mate: 21, TableFill: 0.7, Collections: 1, Spent: [solver.NumPhases]time.Duration{time.Minute, 0, 30 * time.Second}},
			"shortening, 1m30s, mate in 21 or fewer, 90 thousand nodes, 1 thousand/s, pn 1 dn 2, table 70%, cleared out 1 time"},
	} {
		if got := English.progressText(&c.p); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if got := clip("searching", 6) + clip("on", 6) + clip("searching", -1); got != "searchon" {
		t.Errorf("clipped to %q", got)
	}
}

// Only what the output waits for is shown: the report of another search is not.
func TestProgressOnlyWatched(t *testing.T) {
	bar := progressbar.NewOptions(10, progressbar.OptionSetWriter(io.Discard))
	w := Progress{bar: bar}
	first, second := &Question{where: "line 1"}, &Question{where: "line 2"}
	w.watch(first)
	w.report(second, 0, &solver.Progress{Nodes: 5})
	if w.drawn {
		t.Error("shown: a search that nobody waits for")
	}
	w.report(first, 0, &solver.Progress{Nodes: 5, Done: true})
	if w.drawn {
		t.Error("shown: a search that has ended")
	}
	if w.report(first, 0, &solver.Progress{Nodes: 5}); !w.drawn {
		t.Error("not shown: the search that the output waits for")
	}
	w.unwatch()
	if w.report(first, 0, &solver.Progress{Nodes: 6}); w.drawn {
		t.Error("shown: a search while answers are printed")
	}
}

// A position that takes long is given up if others wait, and not if it stands alone.
func TestTimeOfSeveral(t *testing.T) {
	hard := solver.Func(func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
		select {
		case <-ctx.Done():
			return solver.Result{Reason: solver.StopReason(ctx)}
		case <-time.After(time.Hour):
			return solver.Result{Verdict: solver.NoMate}
		}
	})
	for name, c := range map[string]struct {
		questions      int
		pause          time.Duration // before each but the first
		time, several  time.Duration
		unknown, notes int
		took           time.Duration
	}{
		"one":            {1, 0, 0, time.Minute, 0, 0, time.Hour},
		"two":            {2, 0, 0, time.Minute, 2, 1, time.Minute},
		"three":          {3, 0, 0, time.Minute, 3, 1, 2 * time.Minute},
		"one comes late": {2, 10 * time.Minute, 0, time.Minute, 2, 1, 11 * time.Minute},
		"one too late":   {2, 2 * time.Hour, 0, time.Minute, 1, 1, 2*time.Hour + time.Minute},
		"with --time":    {2, 0, 2 * time.Minute, time.Minute, 2, 0, 2 * time.Minute},
		"without limits": {2, 0, 0, 0, 0, 0, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				questions := func(yield func(Question, error) bool) {
					for i := range c.questions {
						if i > 0 {
							time.Sleep(c.pause)
						}
						if !yield(Question{text: headGold}, nil) {
							return
						}
					}
				}
				var out, errs strings.Builder
				start := time.Now()
				o := Options{Solver: hard, Workers: 2, Time: c.time, TimeOfSeveral: c.several, Output: "tsv"}
				if _, err := Solve(t.Context(), o, questions, &out, &errs, new(Progress)); err != nil {
					t.Fatal(err)
				}
				// Each has another time, by a nanosecond.
				if took := time.Since(start).Round(time.Microsecond); took != c.took {
					t.Errorf("it took %v, want %v", took, c.took)
				}
				if n := strings.Count(out.String(), "limit_time"); n != c.unknown {
					t.Errorf("%d searches ended by the time, want %d:\n%s", n, c.unknown, out.String())
				}
				if n := strings.Count(errs.String(), "each of several positions gets 1m0s"); n != c.notes {
					t.Errorf("%d notes, want %d: %s", n, c.notes, errs.String())
				}
			})
		})
	}
}
