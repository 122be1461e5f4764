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
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

var (
	edoIDs      = flag.String("analysis.edo", "^(m037|m055)$", "which problems of testdata/edo.tsv, a regular expression")
	edoNodes    = flag.Uint64("analysis.edonodes", 5_000_000, "nodes for each of them")
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

func edoProblems(t testing.TB) (list []edo) {
	f, err := os.Open("testdata/edo.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	wanted := regexp.MustCompile(*edoIDs)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
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

// describe is the line of a problem in the table of what the authors' lines come to.
func describe(a *analysis.Analysis) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v", a.Verdict)
	for _, l := range a.Lengths {
		fmt.Fprintf(&b, " %v=%d", l.Policy, l.Low)
		if !l.IsExact() {
			fmt.Fprintf(&b, "..%d", l.High)
		}
	}
	fmt.Fprintf(&b, " author=%d %v", a.Author.Plies, a.Author.Finding)
	for _, p := range a.Author.Places {
		fmt.Fprintf(&b, " %d:%s", p.Ply, p.Move)
	}
	if a.Author.Fault != nil {
		fmt.Fprintf(&b, " %v", a.Author.Fault)
	}
	others, mates, open := 0, 0, 0
	for _, n := range a.Attack {
		others, mates, open = others+n.Checks-1, mates+n.Mate, open+n.Open
		for _, c := range n.Others {
			switch c.Class {
			case analysis.Cook, analysis.Early, analysis.Transposition:
				fmt.Fprintf(&b, " %d:%s=%v", n.Ply, c.Move, c.Class)
			}
		}
	}
	for _, r := range a.Rules {
		if r.Severity == analysis.Fail && r.Holds == analysis.No {
			fmt.Fprintf(&b, " fail:%s", r.Rule)
		}
	}
	fmt.Fprintf(&b, " others=%d mates=%d open=%d sound=%v leftover=%v", others, mates, open, a.Sound, a.Leftover.Class)
	return b.String()
}

func TestAuthors(t *testing.T) {
	z := analysis.NewAnalyzer(dfpn.NewSession())
	for _, e := range edoProblems(t) {
		began := time.Now()
		a, err := z.Analyze(context.Background(), analysis.Question{Position: e.p, Attacker: shogi.Black, Policy: length.F2,
			Line: e.line, Nodes: *edoNodes, QuestionNodes: *edoQuestion}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s\t%d\t%s\t%d nodes\t%.1fs\t%s", e.id, e.plies, describe(a), a.Nodes, time.Since(began).Seconds(), e.note)
	}
}
