package analysis_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

var (
	themesOf   = flag.String("themes-of", "", "list the themes of the problems in the `FILES`, TSV with an SFEN first, separated by commas")
	themesStep = flag.Int("themes-step", 1, "look at every `N`th problem")
	themesLine = flag.Int("themes-line", 0, "the column, from 1, with the author's line; 0: there is none")
)

// TestThemesOfFiles makes the table of notes.md, with -themes-of.
func TestThemesOfFiles(t *testing.T) {
	if *themesOf == "" {
		t.Skip("no -themes-of")
	}
	z := analysis.NewAnalyzer(dfpn.NewSession())
	for _, name := range strings.Split(*themesOf, ",") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		hits, problems, n := map[string]int{}, 0, 0
		for line := range strings.Lines(string(text)) {
			columns := strings.Split(strings.TrimSpace(line), "\t")
			p, err := shogi.ParseSFEN(columns[0])
			if err != nil {
				continue // a remark
			}
			if n++; (n-1)%*themesStep != 0 {
				continue
			}
			attacker, err := solver.Attacker(&p)
			if err != nil {
				attacker = p.SideToMove()
			}
			q := analysis.Question{Position: p, Attacker: attacker, Policy: length.F2, Parts: analysis.Themes | analysis.Duals,
				Nodes: 300_000, QuestionNodes: 50_000}
			if *themesLine > 0 {
				for _, m := range strings.Fields(columns[*themesLine-1]) {
					move, err := shogi.ParseMove(m)
					if err != nil {
						t.Fatal(err)
					}
					q.Line = append(q.Line, move)
				}
			}
			a, err := z.Analyze(context.Background(), q, nil, nil)
			if err != nil {
				continue
			}
			problems++
			var found []string
			for _, f := range a.Themes {
				hits[f.ID]++
				text := f.ID + strings.ReplaceAll(fmt.Sprint(f.Plies), " ", ",")
				if f.Shape != nil {
					text += f.Shape.ID
				}
				found = append(found, text)
			}
			moves := strings.Trim(fmt.Sprint(a.Line.Moves), "[]")
			fmt.Printf("%s\t%d\t%s\t%s\t%s\n", filepath.Base(name), n, columns[0], moves, strings.Join(found, " "))
		}
		list := slices.SortedFunc(func(yield func(string) bool) {
			for id := range hits {
				if !yield(id) {
					return
				}
			}
		}, func(a, b string) int { return cmp.Or(hits[b]-hits[a], cmp.Compare(a, b)) })
		fmt.Printf("# %s: %d problems", filepath.Base(name), problems)
		for _, id := range list {
			fmt.Printf(", %s %d", id, hits[id])
		}
		fmt.Println()
	}
}
