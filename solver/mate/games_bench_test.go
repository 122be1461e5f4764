package mate

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// BenchmarkGames solves mates in three to nine from games, as an engine does that is told to find any,
// or a shortest one: one solver, one position after the other. An op is a position. TSUMERO_GAMES may name another file
// of them, with the SFEN and the plies first on each line.
func BenchmarkGames(b *testing.B) {
	file := os.Getenv("TSUMERO_GAMES")
	if file == "" {
		file = "../lab/bench/positions.tsv"
	}
	data, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	by := map[string][]shogi.Position{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) < 3 {
			continue
		}
		if plies, err := strconv.Atoi(fields[1]); err != nil || plies < 3 || plies > 9 ||
			!strings.HasPrefix(fields[2], "g") {
			continue
		}
		by[fields[1]] = append(by[fields[1]], shogi.MustParseSFEN(fields[0]))
		by["all"] = append(by["all"], shogi.MustParseSFEN(fields[0]))
	}
	for _, plies := range []string{"3", "5", "7", "9", "all"} {
		for _, kind := range []string{"any", "shortest"} {
			b.Run(kind+"/"+plies, func(b *testing.B) {
				s := New(Options{})
				lim := solver.Limits{AnyLine: true, Shortest: kind == "shortest"}
				b.ReportAllocs()
				for i := range b.N {
					p := by[plies][i%len(by[plies])]
					if r := s.Solve(b.Context(), p, lim); r.Verdict != solver.Mate {
						b.Fatalf("%s: %+v", p.SFEN(), r)
					}
				}
			})
		}
	}
}
