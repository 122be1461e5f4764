package length_test

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
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

var (
	longIDs   = flag.String("length.works", "^(m055|m077|z085)$", "which works TestLong looks at, a regular expression")
	longNodes = flag.Uint64("length.worknodes", 60_000_000, "nodes for each of them, an eighth of them for the raw length")
	longOut   = flag.String("length.worktable", "", "file to which TestLong appends its rows")
)

// longTable is the table of a session for questions of that many nodes.
const longTable = 1 << 30

// TestLong: the lengths of works of two old collections are those of testdata/long.tsv. With all of
// them and a file it makes that table:
//
//	go test ./solver/length -run TestLong -timeout 0 -length.works . -length.worktable FILE
func TestLong(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and a big table")
	}
	known := map[string]string{}
	text, err := os.ReadFile("testdata/long.tsv")
	if err != nil && *longOut == "" {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if c := strings.Split(strings.TrimSpace(line), "\t"); len(c) > 3 {
			known[c[0]] = strings.Join(c[:4], "\t")
		}
	}
	works, err := os.Open("../analysis/testdata/edo.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer works.Close()
	wanted := regexp.MustCompile(*longIDs)
	s := dfpn.NewSmallSession(longTable)
	lines := bufio.NewScanner(works)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		c := strings.Split(lines.Text(), "\t")
		if strings.HasPrefix(c[0], "#") || !wanted.MatchString(c[2]) {
			continue
		}
		plies, err := strconv.Atoi(c[1])
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		row, nodes := longRow(s, shogi.MustParseSFEN(c[0]), plies, *longNodes)
		row = fmt.Sprintf("%s\t%d\t%s", c[2], plies, row)
		if want := known[c[2]]; *longOut == "" {
			if row != want {
				t.Errorf("got  %s\nwant %s", row, want)
			}
			continue
		}
		out, err := os.OpenFile(*longOut, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(out, "%s\t%d\t%.1f\n", row, nodes, time.Since(began).Seconds())
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// longRow returns the raw and the conventional length of a problem, and the nodes they took.
func longRow(s solver.Session, p shogi.Position, plies int, nodes uint64) (row string, spent uint64) {
	s.Reset()
	r := s.Ask(context.Background(), solver.Question{Position: p, Attacker: p.SideToMove(),
		Limits: solver.Limits{Nodes: nodes / 8, Shortest: true}})
	if r.Verdict == solver.NoMate {
		return "nomate\tnomate", r.Nodes
	}
	raw := length.Interval{Low: r.NoMateWithin + 1, High: length.Unbounded - 1}
	if r.Verdict == solver.Mate {
		raw.High = r.Plies()
	}
	raw.Low += (raw.High - raw.Low) % 2
	e := length.NewEngine(s)
	e.Begin(p.SideToMove(), length.F2)
	v, _ := e.Interval(context.Background(), p, length.Interval{Low: 1, High: raw.High}, plies, nodes-r.Nodes)
	raw.Low = max(raw.Low, v.Low) // the raw length is no less
	return intervalText(raw) + "\t" + intervalText(v), r.Nodes + e.Nodes()
}

func intervalText(i length.Interval) string {
	switch {
	case i.IsExact():
		return strconv.Itoa(i.Low)
	case i.High >= length.Unbounded-1:
		return fmt.Sprintf("%d..", i.Low)
	}
	return fmt.Sprintf("%d..%d", i.Low, i.High)
}
