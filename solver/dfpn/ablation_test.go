//go:build unix

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
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// TestAblation measures what each technique is worth, or any other setting: what a search takes
// with it to what it takes without. notes.md holds what it printed.
//
//	go test ./solver/dfpn -run TestAblation -v -ablation.positions a.tsv,b.tsv:9:10
//	go test ./solver/dfpn -run TestAblation -v -ablation.positions a.tsv -ablation.settings Threads=2 -ablation.runs 5
//
// The settings take turns at each position, so that what else the machine does meets them alike.
var (
	ablationPositions = flag.String("ablation.positions", "",
		"measure on these files, of SFEN and the plies of the mate: FILE[:LEAST PLIES[:ONE IN SO MANY]],...")
	ablationNodes    = flag.Uint64("ablation.nodes", 1_000_000, "nodes of a search; one without an answer counts as these")
	ablationSettings = flag.String("ablation.settings", "",
		"fields of Options, NAME or NAME=NUMBER, with a plus between those that are set together; else each switch")
	ablationTable    = flag.Int("ablation.table", 256, "MiB of the table")
	ablationShortest = flag.Bool("ablation.shortest", false, "look for the shortest mates")
	ablationRuns     = flag.Int("ablation.runs", 1, "measure each position so often; what counts is the mean")
	ablationRows     = flag.Bool("ablation.rows", false, "print what each position took")
)

// A spending is what a search took.
type spending struct {
	nodes, expansions float64
	cpu, wall         time.Duration
	solved            bool
}

func TestAblation(t *testing.T) {
	if *ablationPositions == "" {
		t.Skip("no -ablation.positions")
	}
	settings := []string{""}
	if *ablationSettings != "" {
		settings = append(settings, strings.Split(*ablationSettings, ",")...)
	} else {
		all := reflect.TypeFor[dfpn.Options]()
		for i := range all.NumField() {
			if f := all.Field(i); f.Type.Kind() == reflect.Bool {
				settings = append(settings, f.Name)
			}
		}
	}
	searches := make([]*dfpn.Search, len(settings))
	for i, setting := range settings {
		searches[i] = dfpn.NewSearch(ablationOptions(t, setting))
	}
	for spec := range strings.SplitSeq(*ablationPositions, ",") {
		positions := ablationGroup(t, spec)
		spent := make([][]spending, len(settings)) // by setting and position
		for i := range spent {
			spent[i] = make([]spending, len(positions))
		}
		for j, p := range positions {
			for run := range *ablationRuns {
				for i := range settings {
					k := (i + j + run) % len(settings) // none is always the first
					spent[k][j].add(ablationRun(t, searches[k], p), *ablationRuns)
				}
			}
		}
		t.Logf("%s\n%s", spec, ablationTables(settings, spent))
		if *ablationRows {
			for j, p := range positions {
				row := ""
				for i := range settings {
					s := &spent[i][j]
					row += fmt.Sprintf("%.0f %.0f %.4f %.4f\t", s.nodes, s.expansions, s.cpu.Seconds(), s.wall.Seconds())
				}
				t.Logf("%s%s", row, p.SFEN())
			}
		}
	}
}

// add adds one of so many runs.
func (s *spending) add(o spending, runs int) {
	s.nodes += o.nodes / float64(runs)
	s.expansions += o.expansions / float64(runs)
	s.cpu += o.cpu / time.Duration(runs)
	s.wall += o.wall / time.Duration(runs)
	s.solved = o.solved
}

// ablationTables returns the geometric mean of the ratios, the ratio of the sums, and the least and
// the greatest ratio, of all that is measured.
func ablationTables(settings []string, spent [][]spending) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "set\tsolved of %d", len(spent[0]))
	measures := []struct {
		name string
		of   func(*spending) float64
	}{
		{"nodes", func(s *spending) float64 { return s.nodes }},
		{"expansions", func(s *spending) float64 { return s.expansions }},
		{"CPU s", func(s *spending) float64 { return s.cpu.Seconds() }},
		{"wall s", func(s *spending) float64 { return s.wall.Seconds() }},
	}
	for _, m := range measures {
		fmt.Fprintf(w, "\t%s\tmean\tsum\tleast\tmost", m.name)
	}
	fmt.Fprintln(w)
	for i, name := range settings {
		solved := 0
		for j := range spent[i] {
			if spent[i][j].solved {
				solved++
			}
		}
		fmt.Fprintf(w, "%s\t%d", name, solved)
		for _, m := range measures {
			var logs, sum, base float64
			least, most := math.Inf(1), 0.0
			for j := range spent[i] {
				n, of := m.of(&spent[i][j]), m.of(&spent[0][j])
				ratio := n / of
				logs += math.Log(ratio)
				sum, base = sum+n, base+of
				least, most = min(least, ratio), max(most, ratio)
			}
			fmt.Fprintf(w, "\t%.1f\t%.3f\t%.3f\t%.2f\t%.2f", sum, math.Exp(logs/float64(len(spent[i]))),
				sum/base, least, most)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return out.String()
}

// ablationOptions returns the options with the fields set that the setting names.
func ablationOptions(t *testing.T, setting string) dfpn.Options {
	t.Helper()
	o := dfpn.Options{TableBytes: *ablationTable << 20}
	for part := range strings.SplitSeq(setting, "+") {
		if part == "" {
			continue
		}
		name, number, isNumber := strings.Cut(part, "=")
		switch f := reflect.ValueOf(&o).Elem().FieldByName(name); {
		case f.Kind() == reflect.Bool && !isNumber:
			f.SetBool(true)
		case f.Kind() == reflect.Int && isNumber:
			n, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			f.SetInt(int64(n))
		default:
			t.Fatalf("no field of Options: %s", part)
		}
	}
	return o
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

// ablationRun returns what the search of p takes.
func ablationRun(t *testing.T, search *dfpn.Search, p shogi.Position) spending {
	t.Helper()
	if side, err := solver.Attacker(&p); err != nil || side != shogi.Black {
		p = p.Rotated()
	}
	runtime.LockOSThread() // so that the thread is as warm as it was
	defer runtime.UnlockOSThread()
	cpu, began := cpuTime(t), time.Now()
	r := search.Solve(context.Background(), p,
		solver.Limits{Nodes: *ablationNodes, Shortest: *ablationShortest, AnyLine: true})
	s := spending{
		nodes: float64(r.Nodes), expansions: float64(r.Expansions), cpu: cpuTime(t) - cpu, wall: time.Since(began),
		solved: r.Verdict != solver.Unknown && r.Reason == solver.NoReason,
	}
	search.Forget()
	return s
}

// cpuTime returns the processor time that the process has used.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
