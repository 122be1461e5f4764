package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// oneOfEach answers a position by its move number: 1 is a mate, 2 no mate, 3 unknown.
var oneOfEach = solver.Func(func(_ context.Context, p shogi.Position, lim solver.Limits) solver.Result {
	switch p.Ply() {
	case 1:
		drop := shogi.NewDrop(shogi.Gold, shogi.SquareAt(shogi.File5, shogi.RankB))
		return solver.Result{Verdict: solver.Mate, Line: []shogi.Move{drop}, Exact: true, Nodes: 10,
			Solver: "fake"}
	case 2:
		return solver.Result{Verdict: solver.NoMate, Nodes: 200, Solver: "fake"}
	}
	return solver.Result{Reason: solver.ReasonNodes, NoMateWithin: 3, Nodes: lim.Nodes, Solver: "fake"}
})

// A run counts what became of each question, prints answers in order, and faults where the format
// has a place for them.
func TestSolve(t *testing.T) {
	const board = "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p "
	questions := func() iter.Seq2[Question, error] {
		return Files(strings.NewReader(board+"2\n9/9/9/9/9/9/9/9/9 b - 1\n"+board+"1\n"+board+"3\n"), FileFormat{})
	}
	for output, want := range map[string]struct{ out, stderr string }{
		"text": {board + "1\nno mate: black cannot force mate, at any length\n  200 nodes, by fake\n\n" +
			board + "1\nmate in 1: black forces it\n  G*5b\n  ▲５二金打\n  10 nodes, by fake\n\n" +
			board + "1\nunknown: the nodes ran out (--nodes); there is no mate in 3 or fewer\n  3000 nodes, by fake\n",
			"tsumero: line 2: there is no king on the board, so nobody can be mated\n"},
		"tsv": {strings.Join(tsvColumns, "\t") + "\n" +
			board + "1\tblack\tnomate\t\t\t\t\t\t\tfake\t200\t0\n" +
			"9/9/9/9/9/9/9/9/9 b - 1\t\terror\t\t\t\t\t\tline 2: there is no king", ""},
		"csa": {"'CSA encoding=UTF-8\nV2.2\n", "tsumero: line 2: "},
		"usi": {"position sfen " + board + "2\nposition sfen " + board + "1 moves G*5b\n" +
			"position sfen " + board + "3\n", "tsumero: line 2: "},
	} {
		synctest.Test(t, func(t *testing.T) { // where the elapsed time is 0
			var out, stderr bytes.Buffer
			o := Options{Solver: oneOfEach, Workers: 2, Limits: solver.Limits{Nodes: 3000}, Output: output}
			tally, err := Solve(t.Context(), o, questions(), &out, &stderr, new(Progress))
			if err != nil || tally.Answered != 3 || tally.Faulty != 1 || tally.Interrupted != 0 ||
				tally.Nodes != 3210 || tally.Verdicts != [3]int{1, 1, 1} || tally.Questions() != 4 {
				t.Errorf("%s: %+v, %v", output, tally, err)
			}
			if got := out.String(); !strings.HasPrefix(got, want.out) {
				t.Errorf("%s: printed\n%s\nwant\n%s", output, got, want.out)
			}
			if n := strings.Count(out.String(), "\n/\n"); output == "csa" && n != 2 {
				t.Errorf("%d separators between 3 records:\n%s", n, &out)
			}
			if got := stderr.String(); (got == "") != (want.stderr == "") || !strings.HasPrefix(got, want.stderr) {
				t.Errorf("%s: complained\n%s\nwant\n%s", output, got, want.stderr)
			}
			const summary = "4 positions: 1 mate, 1 nomate, 1 unknown, 1 faulty; 3210 nodes in 2s, 2 positions/s"
			if got := tally.Summary(English, 2*time.Second); got != summary {
				t.Errorf("%s\nwant %s", got, summary)
			}
		})
	}
}

// Options reach the solver: the limits, the time, and the position with what is missing from it.
func TestSolveOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := solver.Limits{Plies: 9, Nodes: 5, Shortest: true}
		s := solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
			<-ctx.Done()
			if !p.Missing().IsEmpty() || p.Hand(shogi.White).Count(shogi.Pawn) != 18 || lim != want {
				t.Errorf("asked for %s, %+v", p.SFEN(), lim)
			}
			return solver.Result{Reason: solver.StopReason(ctx)}
		})
		var out, stderr bytes.Buffer
		o := Options{Solver: s, Workers: 1, Limits: want, Time: time.Minute, Hands: "complete", Output: "json"}
		start := time.Now()
		questions := Arguments([]string{"4k4/9/4G4/9/9/9/9/9/9 b G 1"})
		tally, err := Solve(t.Context(), o, questions, &out, &stderr, new(Progress))
		if took := time.Since(start).Round(time.Microsecond); err != nil || tally.Verdicts[solver.Unknown] != 1 || took != time.Minute {
			t.Errorf("%+v, %v after %v", tally, err, took)
		}
		var answer struct {
			Reason    string
			ElapsedUS int64 `json:"elapsed_us"`
		}
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil || answer.Reason != string(solver.ReasonTime) ||
			answer.ElapsedUS != 60e6 {
			t.Errorf("answer %s, %v", &out, err)
		}
	})
}

// An interrupted run leaves a reader that waits for input behind, a little later, and flushes.
func TestSolveLeavesReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		hold := make(chan struct{})
		questions := func(yield func(Question, error) bool) {
			yield(Question{where: "line 1", text: headGold}, nil)
			<-hold
		}
		var out, stderr bytes.Buffer
		time.AfterFunc(time.Minute, cancel)
		start := time.Now()
		o := Options{Solver: oneOfEach, Workers: 3, Output: "tsv"}
		_, err := Solve(ctx, o, questions, &out, &stderr, new(Progress))
		const text = "interrupted: 1 answer printed, the last for line 1"
		if took := time.Since(start) - time.Minute; !errors.Is(err, ErrInterrupted) || err.Error() != text ||
			took != endGrace || strings.Count(out.String(), "\n") != 2 {
			t.Errorf("%v, %v after the interrupt, with\n%s", err, took, &out)
		}
		close(hold)
	})
}

// An interrupt of the last search is one, though all questions were read: the answer says so too.
func TestSolveInterruptedAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := solver.Func(func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
			time.AfterFunc(time.Minute, cancel)
			<-ctx.Done()
			return solver.Result{Reason: solver.StopReason(ctx)}
		})
		var out, stderr bytes.Buffer
		o := Options{Solver: s, Workers: 1, Output: "tsv"}
		tally, err := Solve(ctx, o, Arguments([]string{headGold}), &out, &stderr, new(Progress))
		if !errors.Is(err, ErrInterrupted) || err.Error() != "interrupted: 1 answer printed" ||
			tally.Interrupted != 1 || !strings.Contains(out.String(), "\tcancelled\t") {
			t.Errorf("%+v, %v, with\n%s", tally, err, &out)
		}
	})
}

// A lockedBuffer may be read while it is written to.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// What is printed is out while the run waits for the next question, and for the next answer.
func TestSolveFlushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lockedBuffer
		var stderr bytes.Buffer
		questions := func(yield func(Question, error) bool) {
			for i := range 3 {
				time.Sleep(time.Minute)
				if n := strings.Count(out.String(), "\n"); n != i+min(i, 1) {
					t.Errorf("%d lines are out when question %d comes:\n%s", n, i+1, &out)
				}
				yield(Question{text: fmt.Sprintf("4k4/9/4G4/9/9/9/9/9/9 b G %d", i+1)}, nil)
			}
		}
		o := Options{Solver: noMate, Workers: 1, Output: "tsv"}
		if _, err := Solve(t.Context(), o, questions, &out, &stderr, new(Progress)); err != nil {
			t.Error(err)
		}
	})
}

// One position is what some formats hold: a second one is an error, a fault of reading stays one.
func TestSingle(t *testing.T) {
	several, broken := errors.New("several"), errors.New("broken")
	for _, c := range []struct {
		n    int
		err  error
		want string
	}{
		{0, nil, ""}, {1, nil, "1 "}, {2, nil, "1 several "}, {9, nil, "1 several "},
		{1, broken, "1 broken "}, {0, broken, "broken "},
	} {
		questions := func(yield func(Question, error) bool) {
			for q := range numbered(c.n) {
				if !yield(q, nil) {
					return
				}
			}
			if c.err != nil {
				yield(Question{}, c.err)
			}
		}
		var got strings.Builder
		for q, err := range Single(questions, several) {
			if err != nil {
				fmt.Fprintf(&got, "%v ", err)
			} else {
				fmt.Fprintf(&got, "%s ", strings.TrimPrefix(q.where, "line "))
			}
		}
		if got.String() != c.want {
			t.Errorf("%d questions, then %v: %q, want %q", c.n, c.err, got.String(), c.want)
		}
	}
}

// Numbers for people have three digits.
func TestNumbers(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0", 7: "7", 1.234: "1.23", 12.34: "12.3", 123.4: "123", 999: "999", 1000: "1 thousand",
		1234: "1.23 thousand", 12_340: "12.3 thousand", 1_234_567: "1.23 million", 9.87e10: "98.7 billion", 1e13: "10000 billion",
	} {
		if got := English.rounded(n); got != want {
			t.Errorf("%v is %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		1234567: "1.23ms", 12345678: "12.3ms", 98765432100: "1m38.8s", 999: "999ns", 0: "0s",
	} {
		if got := RoundTime(d).String(); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
	if got := fmt.Sprint(Plural(1, "mate")) + fmt.Sprint(Plural(0, "mate")) + fmt.Sprint(Plural(2, "mate")); got != "1 mate0 mates2 mates" {
		t.Error(got)
	}
}
