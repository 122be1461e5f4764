package analysis_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
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
	edoIDs      = flag.String("analysis.edo", "^(m055|m077)$", "which problems of testdata/edo.tsv, a regular expression")
	edoNodes    = flag.Uint64("analysis.edonodes", 10_000_000, "nodes for each of them")
	edoTable    = flag.String("analysis.table", "", "file to write the findings to")
	edoQuestion = flag.Uint64("analysis.edoquestion", 128_000, "nodes for each question about them")
)

// An edo is a problem of an old collection with its author's line.
type edo struct {
	id    string
	p     shogi.Position
	plies int
	line  []shogi.Move
	note  string
}

// edoProblems returns the problems of the collection whose names match.
func edoProblems(t testing.TB, names string) (list []edo) {
	f, err := os.Open("testdata/edo.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	wanted := regexp.MustCompile(names)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") || strings.HasPrefix(lines.Text(), "sfen\t") {
			continue
		}
		c := strings.Split(lines.Text(), "\t")
		if !wanted.MatchString(c[2]) {
			continue
		}
		e := edo{id: c[2], p: shogi.MustParseSFEN(c[0])}
		e.plies, _ = strconv.Atoi(c[1])
		for _, m := range strings.Fields(c[3]) {
			e.line = append(e.line, move(t, m))
		}
		if len(c) > 4 {
			e.note = c[4]
		}
		list = append(list, e)
	}
	return list
}

// A finding is what a report on one of them comes to.
type finding struct{ id, author, raw, length, finding, places, defects, other, why string }

func (f finding) String() string {
	return strings.Join([]string{f.id, f.author, f.raw, f.length, f.finding, f.places, f.defects, f.other, f.why}, "\t")
}

// describe is what a report comes to.
func describe(e *edo, a *analysis.Analysis) finding {
	f := finding{id: e.id, author: strconv.Itoa(a.Author.Plies), raw: "-", length: "-", finding: a.Author.Finding.String()}
	if a.Verdict == solver.NoMate {
		f.raw, f.length = "nomate", "nomate"
	}
	for _, l := range a.Lengths {
		text := strconv.Itoa(l.Low)
		if !l.IsExact() {
			text += ".." + strconv.Itoa(l.High)
		}
		if f.length = text; l.Policy == length.F0 {
			f.raw = text
		}
	}
	places := []string{}
	for _, p := range a.Author.Places {
		places = append(places, fmt.Sprintf("%d:%s", p.Ply, p.Move))
	}
	f.places = strings.Join(places[:min(len(places), 4)], " ")
	others, open, defects := 0, 0, []string{}
	for _, n := range a.Attack {
		others, open = others+n.Checks-1, open+n.Open
		for _, c := range n.Others {
			switch c.Class {
			case analysis.Cook, analysis.Early, analysis.Transposition:
				defects = append(defects, fmt.Sprintf("%d:%s:%v", n.Ply, c.Move, c.Class))
			}
		}
	}
	f.defects = strings.Join(defects, " ")
	f.other = fmt.Sprintf("%d/%d", open, others)
	f.why = explain(a)
	return f
}

// explain says why raw, conventional and author's length differ.
func explain(a *analysis.Analysis) string {
	first := ""
	if p := a.Author.Places; len(p) > 0 {
		first = fmt.Sprintf(" at ply %d, %s", p[0].Ply, p[0].Move)
	}
	var why []string
	switch a.Author.Finding {
	case analysis.NoMateAfter:
		why = append(why, "the defender escapes"+first)
	case analysis.IsEarly:
		why = append(why, "a shorter mate"+first)
	case analysis.IsLonger:
		why = append(why, "the defender can last longer"+first+", no defect by the custom of the time")
	case analysis.Faulty:
		why = append(why, fmt.Sprintf("%v at ply %d", a.Author.Fault, a.Author.Places[0].Ply))
	}
	if a.Verdict == solver.Unknown {
		return strings.Join(append(why, "no mate was found with these nodes"), "; ")
	}
	if len(a.Lengths) == 2 {
		raw, l := a.Lengths[0], a.Lengths[1]
		switch {
		case raw.IsExact() && l.IsExact() && raw.Low > l.Low:
			why = append(why, fmt.Sprintf("%d plies of futile interpositions", raw.Low-l.Low))
		case !l.IsExact() && raw.IsExact() && raw.Low == a.Author.Plies:
			why = append(why, "the raw length is the author's, the conventional one is not settled")
		case !l.IsExact():
			why = append(why, "the conventional length is not settled")
		}
	}
	if len(why) == 0 {
		return "all agree"
	}
	return strings.Join(why, "; ")
}

// authorRows are short works of which the first has no mate, in the second the defender can last longer,
// as other solvers say, too, and the third is as its author says.
var authorRows = map[string]string{
	"m037": "m037\t47\tnomate\tnomate\tnomate\t2:8c9c\t\t0/0\tthe defender escapes at ply 2, 8c9c",
	"m055": "m055\t11\t15\t13\tlonger\t2:9f8e 4:8e9d 4:8e9f 6:7c7d\t\t0/31\tthe defender can last longer at ply 2, 9f8e, " +
		"no defect by the custom of the time; 2 plies of futile interpositions",
	"m077": "m077\t11\t11\t11\tagrees\t\t\t0/43\tall agree",
}

// TestAuthors says what the authors' lines of two old collections come to, and how long that takes. With
// -analysis.edo . -analysis.table FILE it makes a table of all.
func TestAuthors(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel()
	z := analysis.NewAnalyzer(dfpn.NewSession())
	var table *os.File
	if *edoTable != "" {
		var err error
		if table, err = os.Create(*edoTable); err != nil {
			t.Fatal(err)
		}
		defer table.Close()
	}
	for _, e := range edoProblems(t, *edoIDs) {
		began := time.Now()
		a, err := z.Analyze(context.Background(), analysis.Question{Position: e.p, Attacker: shogi.Black, Policy: length.F2,
			Line: e.line, Nodes: *edoNodes, QuestionNodes: *edoQuestion, Stop: analysis.StopNever}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		row := fmt.Sprintf("%v\t%d", describe(&e, a), a.Nodes)
		took := time.Since(began).Seconds()
		t.Logf("%s\t%.1fs", row, took)
		if table != nil {
			fmt.Fprintf(table, "%s\t%.1f\n", row, took)
		} else if want, ok := authorRows[e.id]; ok && describe(&e, a).String() != want {
			t.Errorf("got  %v\nwant %s", describe(&e, a), want)
		}
	}
}

// TestAuthorUnsettled: with too few nodes for the lengths after the author's moves, it is not said
// that his line agrees.
func TestAuthorUnsettled(t *testing.T) {
	t.Parallel()
	for _, e := range edoProblems(t, *edoIDs) {
		if e.id != "m077" {
			continue
		}
		for _, nodes := range []uint64{3000, 30_000} {
			a := analyze(t, analysis.NewAnalyzer(dfpn.NewSession()), analysis.Question{Position: e.p,
				Attacker: shogi.Black, Line: e.line, Nodes: nodes, QuestionNodes: nodes / 4}, nil)
			if a.Verdict != solver.Mate || a.Author.Finding != analysis.AuthorUnknown {
				t.Errorf("%d nodes: %v, %v", nodes, a.Verdict, a.Author.Finding)
			}
		}
		return
	}
	t.Error("there is no m077")
}

// TestLengthsInOrder: where the length under a policy is not settled, it is no greater than one that it
// is known to be at most: the raw one here is 31, and that by F1 at most 29.
func TestLengthsInOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel()
	for _, e := range edoProblems(t, "^m019$") {
		for _, policy := range []length.Policy{length.F2, length.F1} {
			a := analyze(t, analysis.NewAnalyzer(dfpn.NewSession()), analysis.Question{Position: e.p, Attacker: shogi.Black,
				Policy: policy, Line: e.line, Nodes: 1_500_000, Parts: analysis.AllLengths}, nil)
			if len(a.Lengths) != int(length.NumPolicies) {
				t.Fatalf("%v", a.Lengths)
			}
			t.Log(a.Lengths)
			for _, p := range a.Lengths {
				for _, q := range a.Lengths {
					if p.Policy.IsAtMost(q.Policy) && (p.High > q.High || p.Low > q.Low) {
						t.Errorf("%v: %d..%d under %v, %d..%d under %v", policy, p.Low, p.High, p.Policy, q.Low, q.High, q.Policy)
					}
				}
			}
		}
	}
}

// TestRoundsGoOn: a round goes on with what the rounds before have found out about a check. With two
// million nodes for each work that decides every check, as testdata/edo-report.tsv says with thirty
// times as many, found when each round began anew; then one check stayed open in each of them.
func TestRoundsGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel()
	for _, e := range edoProblems(t, "^m009$") {
		a := analyze(t, analysis.NewAnalyzer(dfpn.NewSession()), analysis.Question{Position: e.p, Attacker: shogi.Black,
			Policy: length.F2, Line: e.line, Nodes: 2_000_000, Stop: analysis.StopNever}, nil)
		if len(a.Attack) == 0 {
			t.Errorf("%s: no check was asked about", e.id)
		}
		for _, n := range a.AttackNodes() {
			if n.Open > 0 {
				t.Errorf("%s: at ply %d %d checks are open", e.id, n.Ply, n.Open)
			}
		}
	}
}
