package analysis_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

var (
	problemsFile = flag.String("analysis.problems", "testdata/problems.tsv", "file of problems with expected answers")
	problemsLong = flag.Bool("analysis.long", false, "the long problems too")
	problemsID   = flag.String("analysis.id", "", "only the problem with this id")
)

// A problem is a row of testdata/problems.tsv, whose header explains the columns.
type problem struct {
	id       string
	p        shogi.Position
	lengths  [4]string
	leftover string
	line     []shogi.Move
	mates    map[analysis.Place]string // class and more
	open     map[analysis.Place]bool
	equal    map[analysis.Place]bool
	sound    string
	note     string
}

func problems(t testing.TB) (list []problem) {
	f, err := os.Open(*problemsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		c := strings.Split(lines.Text(), "\t")
		if *problemsID != "" && c[11] != *problemsID {
			continue
		}
		r := problem{id: c[11], p: shogi.MustParseSFEN(c[0]), lengths: [4]string(c[1:5]), leftover: c[5], sound: c[10],
			mates: map[analysis.Place]string{}, open: map[analysis.Place]bool{}, equal: map[analysis.Place]bool{}}
		if len(c) > 13 {
			r.note = c[13]
		}
		for _, m := range strings.Fields(strings.TrimPrefix(c[6], "?")) {
			r.line = append(r.line, move(t, m))
		}
		for _, m := range strings.Fields(strings.TrimPrefix(c[7], "?")) {
			parts := strings.SplitN(m, ":", 3)
			r.mates[place(t, parts[0], parts[1])] = parts[2]
		}
		for _, m := range strings.Fields(strings.TrimPrefix(c[8], "?")) {
			ply, mv, _ := strings.Cut(m, ":")
			r.open[place(t, ply, mv)] = true
		}
		for _, m := range strings.Fields(strings.TrimPrefix(c[9], "?")) {
			mv, ply, _ := strings.Cut(m, "@")
			r.equal[place(t, ply, mv)] = true
		}
		list = append(list, r)
	}
	return list
}

func move(t testing.TB, s string) shogi.Move {
	m, err := shogi.ParseMove(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func place(t testing.TB, ply, m string) analysis.Place {
	n, err := strconv.Atoi(ply)
	if err != nil {
		t.Fatal(err)
	}
	return analysis.Place{Ply: n, Move: move(t, m)}
}

// quick are the problems that take no longer than a few hundredths of a second.
var quick = strings.Fields(`act-01 act-02 act-05 act-x1 antma-1-02 antma-1-08 antma-1-12 antma-1-13 antma-3-01
	antma-3-04 antma-3-05 antma-3-06 antma-3-09 antma-3-12 antma-3-18 antma-3-20 antma-5-01 antma-7-02
	rules-02 rules-13 rules-16 rules-19 shtsume15-A2 shtsume15-D1 shtsume16-1 tanuki-3-473 tanuki-3-486
	tanuki-5-115 tanuki-5-28 tanuki-7-44 tanuki-9-143 tanuki-9-164`)

// TestProblems holds whole reports against what two programs, and for short problems a plain
// exhaustive search, have found (see the file).
func TestProblems(t *testing.T) {
	t.Parallel()
	z := analysis.NewAnalyzer(dfpn.NewSession())
	var times []time.Duration
	for i, r := range problems(t) {
		if !*problemsLong && (len(r.line) > 9 || r.line == nil || !slices.Contains(quick, r.id) && (testing.Short() || i%4 > 0)) {
			continue
		}
		questionNodes := uint64(30_000)
		if r.id == "rules-09" {
			questionNodes = 100_000 // one of its mates takes as many
		}
		began := time.Now()
		a, err := z.Analyze(context.Background(), analysis.Question{Position: r.p, Attacker: shogi.Black, Policy: length.F2,
			QuestionNodes: questionNodes, Nodes: 20_000_000, Stop: analysis.StopNever, Parts: analysis.DefaultParts | analysis.AllLengths}, nil, nil)
		took := time.Since(began)
		times = append(times, took)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range r.compare(a) {
			t.Errorf("%s %s: %s", r.id, r.p.SFEN(), fault)
		}
		t.Logf("%s: %d plies, sound %v, %d nodes, %v, remaining %d", r.id, len(a.Line.Moves), a.Sound, a.Nodes, took.Round(time.Millisecond), len(a.Remaining))
	}
	slices.Sort(times)
	t.Logf("%d reports: median %v, 95 %% %v, longest %v", len(times), times[len(times)/2], times[len(times)*95/100], times[len(times)-1])
}

// compare returns where the report differs from what is expected.
func (r *problem) compare(a *analysis.Analysis) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if r.lengths[0] == "-1" {
		if a.Verdict != solver.NoMate {
			fault("verdict %v, want nomate", a.Verdict)
		}
		return faults
	}
	for _, l := range a.Lengths {
		want := r.lengths[slices.Index(length.Policies[:], l.Policy)]
		n, err := strconv.Atoi(want)
		most, bound := strings.CutPrefix(want, "<=")
		switch {
		case err == nil && (l.Low != n || l.High != n):
			fault("length %v %d..%d, want %s", l.Policy, l.Low, l.High, want)
		case bound:
			if n, _ := strconv.Atoi(most); l.Low > n {
				fault("length %v %d..%d, want %s", l.Policy, l.Low, l.High, want)
			}
		}
	}
	if got := a.Leftover.Class.String(); r.leftover != "?" && got != r.leftover {
		fault("leftover %s, want %s (line %v)", got, r.leftover, a.Line.Moves)
	}
	if r.line == nil {
		return faults
	}
	same := slices.Equal(a.Line.Moves, r.line)
	if !same {
		// Equal replies may differ, and in a cooked problem the checks. The length may not.
		different := -1
		for i, m := range a.Line.Moves {
			if i >= len(r.line) || m != r.line[i] {
				different = i
				break
			}
		}
		at := analysis.Place{Ply: different + 1}
		if different >= 0 {
			at.Move = a.Line.Moves[different]
		}
		_, mates := r.mates[at]
		if len(a.Line.Moves) != len(r.line) || !mates && !lasts(a, different, r.line[different]) {
			fault("line %v, want %v", a.Line.Moves, r.line)
		}
		return faults
	}
	got := map[analysis.Place]analysis.OtherCheck{}
	for _, n := range a.Attack {
		for _, c := range n.Others {
			got[analysis.Place{Ply: n.Ply, Move: c.Move}] = c
		}
	}
	for at, want := range r.mates {
		c, ok := got[at]
		if !ok || c.Verdict != solver.Mate {
			fault("%d %s: %v %v, want a mate, %s", at.Ply, at.Move, c.Verdict, c.Reason, want)
			continue
		}
		class, rest, _ := strings.Cut(want, ":")
		alike := c.Dual.String() != "" && c.Dual.String() == rest || rest == "alike"
		if class != c.Class.String() && class != "cook?" && !(alike && c.Class == analysis.DualMove) && c.Class != analysis.CheckUnknown {
			fault("%d %s: class %v %v same play %v, want %s", at.Ply, at.Move, c.Class, c.Dual, c.SamePlay, want)
		}
		if n, ok := strings.CutPrefix(rest, "L"); ok {
			if n, _ := strconv.Atoi(n); c.Length.Low > n || c.Length.High < n {
				fault("%d %s: length %v, want %s", at.Ply, at.Move, c.Length, want)
			}
		}
	}
	for at, c := range got {
		if _, known := r.mates[at]; c.Verdict == solver.Mate && !known && !r.open[at] {
			fault("%d %s mates by %v, which is not known", at.Ply, at.Move, c.Line)
		}
	}
	for _, n := range a.Defence {
		for _, reply := range n.Replies {
			for _, m := range append([]shogi.Move{reply.Move}, reply.Same...) {
				at := analysis.Place{Ply: n.Ply, Move: m}
				if reply.Kind == analysis.EqualReply != r.equal[at] {
					fault("%d %s: %v %v, equal %v expected", at.Ply, m, reply.Kind, reply.Length, r.equal[at])
				}
			}
		}
	}
	if s := soundness(a); s != r.sound && s != "unknown" && r.sound != "unknown" {
		fault("sound %s, want %s: %v", s, r.sound, a.Rules)
	}
	return faults
}

// lasts reports whether a reply at so many plies of the main line lasts as long as it.
func lasts(a *analysis.Analysis, at int, m shogi.Move) bool {
	if at%2 == 0 {
		return false
	}
	for _, r := range a.Defence[at/2].Replies {
		if r.Move == m {
			return r.Kind == analysis.EqualReply || r.Kind == analysis.EqualLeftoverReply
		}
	}
	return false
}

// soundness is that of the moves alone: some of the diagrams lack pieces.
func soundness(a *analysis.Analysis) string {
	sound := analysis.Yes
	for _, r := range a.Rules {
		if r.Rule == analysis.RuleHands || r.Severity != analysis.Fail {
			continue
		}
		if r.Holds == analysis.No || r.Holds == analysis.Unknown && sound == analysis.Yes {
			sound = r.Holds
		}
	}
	return sound.String()
}
