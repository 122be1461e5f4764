package dfpn_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// TestAblation measures what each technique is worth: the nodes that a search takes without it, to
// those with all of them. notes.md holds what it printed.
//
//	go test ./solver/dfpn -run TestAblation -v -ablation.positions a.tsv,b.tsv:9:10
var (
	ablationPositions = flag.String("ablation.positions", "",
		"measure each switch of Options on these files, of SFEN and the plies of the mate: FILE[:LEAST PLIES[:ONE IN SO MANY]],...")
	ablationNodes    = flag.Uint64("ablation.nodes", 1_000_000, "nodes of a search; one without an answer counts as these")
	ablationSwitches = flag.String("ablation.switches", "", "measure these switches only, with a plus between those that are set together")
	ablationTable    = flag.Int("ablation.table", 256, "MiB of the table")
	ablationShortest = flag.Bool("ablation.shortest", false, "look for the shortest mates")
	ablationThreads  = flag.Int("ablation.threads", 1, "threads of a search")
	ablationRows     = flag.Bool("ablation.rows", false, "print the nodes of each position")
)

func TestAblation(t *testing.T) {
	if *ablationPositions == "" {
		t.Skip("no -ablation.positions")
	}
	switches := []string{""}
	if *ablationSwitches != "" {
		switches = append(switches, strings.Split(*ablationSwitches, ",")...)
	} else {
		all := reflect.TypeFor[dfpn.Options]()
		for i := range all.NumField() {
			if f := all.Field(i); f.Type.Kind() == reflect.Bool {
				switches = append(switches, f.Name)
			}
		}
	}
	for spec := range strings.SplitSeq(*ablationPositions, ",") {
		positions := ablationGroup(t, spec)
		nodes := make([][]uint64, len(switches))
		solved := make([]int, len(switches))
		took := make([]time.Duration, len(switches))
		var running sync.WaitGroup
		slots := make(chan bool, max(1, runtime.GOMAXPROCS(0) / *ablationThreads))
		for i, name := range switches {
			running.Go(func() {
				slots <- true
				start := time.Now()
				nodes[i], solved[i] = ablationRun(t, name, positions)
				took[i] = time.Since(start)
				<-slots
			})
		}
		running.Wait()
		var out strings.Builder
		w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "switched\tsolved of %d\tnodes\tseconds\tmean\tsum\tleast\tmost\t\n", len(positions))
		for i, name := range switches {
			var logs float64
			var sum, base uint64
			least, most := math.Inf(1), 0.0
			for j, n := range nodes[i] {
				ratio := float64(n) / float64(nodes[0][j])
				logs += math.Log(ratio)
				sum, base = sum+n, base+nodes[0][j]
				least, most = min(least, ratio), max(most, ratio)
			}
			fmt.Fprintf(w, "%s\t%d\t%d\t%.2f\t%.3f\t%.3f\t%.3f\t%.3f\t\n", name, solved[i], sum, took[i].Seconds(),
				math.Exp(logs/float64(len(positions))), float64(sum)/float64(base), least, most)
		}
		w.Flush()
		t.Logf("%s\n%s", spec, out.String())
		if *ablationRows {
			for j, p := range positions {
				row := ""
				for i := range switches {
					row += fmt.Sprint(nodes[i][j], "\t")
				}
				t.Logf("%s%s", row, p.SFEN())
			}
		}
	}
}

// ablationGroup reads the positions of FILE[:LEAST PLIES[:ONE IN SO MANY]].
func ablationGroup(t *testing.T, spec string) (positions []shogi.Position) {
	t.Helper()
	parts := append(strings.Split(spec, ":"), "", "")
	least, _ := strconv.Atoi(parts[1])
	every, _ := strconv.Atoi(parts[2])
	data, err := os.ReadFile(parts[0])
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(fields) < 2 {
			continue
		}
		plies, err := strconv.Atoi(fields[1])
		if least > 0 && (err != nil || plies < least) {
			continue
		}
		p, err := shogi.ParseSFEN(fields[0])
		if err != nil {
			t.Fatal(err)
		}
		if found%max(every, 1) == 0 {
			positions = append(positions, p)
		}
		found++
	}
	return positions
}

// ablationRun returns the nodes that each position takes with the named switches set, and how many
// got an answer.
func ablationRun(t *testing.T, names string, positions []shogi.Position) (nodes []uint64, solved int) {
	o := dfpn.Options{TableBytes: *ablationTable << 20, Threads: *ablationThreads}
	for name := range strings.SplitSeq(names, "+") {
		if name != "" {
			reflect.ValueOf(&o).Elem().FieldByName(name).SetBool(true)
		}
	}
	search := dfpn.NewSearch(o)
	for _, p := range positions {
		if side, err := solver.Attacker(&p); err != nil || side != shogi.Black {
			p = p.Rotated()
		}
		r := search.Solve(context.Background(), p,
			solver.Limits{Nodes: *ablationNodes, Shortest: *ablationShortest, AnyLine: true})
		search.Forget()
		n := r.Nodes
		if r.Verdict != solver.Unknown && r.Reason == solver.NoReason {
			solved++
		} else {
			n = *ablationNodes
		}
		nodes = append(nodes, n)
	}
	return nodes, solved
}
