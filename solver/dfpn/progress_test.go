package dfpn_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// TestProgress listens as often as can be: reports go forward, show legal lines from either side of
// the board, end with one that says so, and change nothing about the answer.
func TestProgress(t *testing.T) {
	t.Parallel()
	var phases [solver.NumPhases]int
	for _, threads := range []int{1, 3} {
		s := dfpn.New(dfpn.Options{TableBytes: 4 << 20, Threads: threads})
		for i, k := range knownPositions(t, quick, exact) {
			if i%4 != 0 {
				continue
			}
			p := k.Position
			if i%8 == 0 {
				p = p.Rotated()
			}
			var last solver.Progress
			reports, fault := 0, ""
			ctx := solver.WithProgress(context.Background(), time.Nanosecond, func(g solver.Progress) {
				switch msg := legal(p, g.Line); {
				case last.Done:
					fault = "a report after the last"
				case g.Phase >= solver.NumPhases:
					fault = "no such phase"
				case g.Nodes < last.Nodes:
					fault = fmt.Sprintf("%d nodes, and there were %d", g.Nodes, last.Nodes)
				case msg != "":
					fault = msg
				case g.TableFill < 0 || g.TableFill > 1:
					fault = fmt.Sprintf("a table %v full", g.TableFill)
				case g.Mate > 0 && (g.Mate < k.Least || len(g.Line) != g.Mate):
					fault = fmt.Sprintf("a mate in %d with a line of %d", g.Mate, len(g.Line))
				case last.Mate > 0 && (g.Mate > last.Mate || g.Mate == 0):
					fault = fmt.Sprintf("a mate in %d after one in %d", g.Mate, last.Mate)
				case g.NoMateWithin > 0 && g.NoMateWithin >= k.Most:
					fault = fmt.Sprintf("no mate within %d", g.NoMateWithin)
				}
				for phase := range g.Spent {
					if g.Spent[phase] < last.Spent[phase] {
						fault = "less time spent than before"
					}
				}
				last = g
				reports++
				phases[min(g.Phase, solver.NumPhases-1)]++
				if fault != "" {
					fault = fmt.Sprintf("%s: %+v", fault, g)
				}
			})
			lim := solver.Limits{Nodes: enough, Shortest: true, Proof: true}
			r := s.Solve(ctx, p, lim)
			switch {
			case fault != "":
			case !last.Done || reports == 0:
				fault = "there was no last report"
			case last.Nodes != r.Nodes:
				fault = fmt.Sprintf("%d nodes were reported, %d answered", last.Nodes, r.Nodes)
			case r.Verdict == solver.Mate && last.Mate != len(r.Line):
				fault = fmt.Sprintf("a mate in %d was reported, one in %d answered", last.Mate, len(r.Line))
			case threads == 1 && !reflect.DeepEqual(r, solve(s, p, lim)):
				fault = "without a listener the answer is another"
			}
			if fault != "" {
				t.Errorf("%s: sfen %s: %d threads: %s", k.Source, p.SFEN(), threads, fault)
			}
		}
	}
	t.Logf("reports by phase: %v", phases)
	if phases[solver.Searching] == 0 || phases[solver.Shortening] == 0 || phases[solver.Choosing] == 0 {
		t.Error("not all phases were heard of")
	}
}

// legal returns what is wrong with a line from p, "" if nothing is.
func legal(p shogi.Position, line []shogi.Move) string {
	for _, m := range line {
		if !p.IsLegal(m) {
			return fmt.Sprintf("%s is not legal in %s", m, p.SFEN())
		}
		p.Do(m)
	}
	return ""
}
