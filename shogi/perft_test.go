package shogi_test

import (
	"flag"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

var perftDeep = flag.Bool("perft.deep", false, "count the trees of ten billion leaves, too")

// A perftRow is a position of testdata/perft.tsv.
type perftRow struct {
	sfen, name string
	checks     int                        // legal checks at the root
	leaves     map[shogi.MoveSet][]uint64 // by depth, from 1
}

func perftRows(t testing.TB) []perftRow {
	t.Helper()
	number := func(s string) uint64 {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var all []perftRow
	for _, f := range rows(t, "testdata/perft.tsv") {
		if len(f) < 9 {
			t.Fatalf("a row of %d columns: %q", len(f), f)
		}
		r := perftRow{sfen: f[0], name: f[8], checks: int(number(f[1])), leaves: map[shogi.MoveSet][]uint64{}}
		for i, set := range []shogi.MoveSet{shogi.AllMoves, shogi.UsefulMoves} {
			for _, s := range f[2+3*i : 5+3*i] {
				r.leaves[set] = append(r.leaves[set], number(s))
			}
			if len(f) > 9+i && f[9+i] != "" {
				for s := range strings.SplitSeq(f[9+i], ",") {
					r.leaves[set] = append(r.leaves[set], number(s))
				}
			}
		}
		all = append(all, r)
	}
	return all
}

func (r perftRow) setName(set shogi.MoveSet) string {
	if set == shogi.AllMoves {
		return "all"
	}
	return "useful"
}

// TestPerft counts the trees of at most a size that suits the occasion; the largest only with
// -perft.deep.
func TestPerft(t *testing.T) {
	limit := uint64(60_000_000)
	switch {
	case *perftDeep:
		limit = 1 << 62
	case testing.Short():
		limit = 1_000_000
	}
	for _, row := range perftRows(t) {
		p := shogi.MustParseSFEN(row.sfen)
		q := p.Rotated()
		for set, leaves := range row.leaves {
			t.Run(row.name+"/"+row.setName(set), func(t *testing.T) {
				t.Parallel()
				for i, want := range leaves {
					if want > limit {
						break
					}
					if got := shogi.Perft(p, i+1, set); got != want {
						t.Errorf("%s: depth %d: %d leaves, want %d", row.sfen, i+1, got, want)
					}
					if want > limit/8 {
						continue // the other colour costs as much again
					}
					if got := shogi.Perft(q, i+1, set); got != want {
						t.Errorf("%s: depth %d: %d leaves, want %d", q.SFEN(), i+1, got, want)
					}
				}
			})
		}
	}
}

func TestPerftDepthZero(t *testing.T) {
	for _, depth := range []int{0, -1} {
		if got := shogi.Perft(shogi.Start(), depth, shogi.AllMoves); got != 1 {
			t.Errorf("depth %d: %d leaves, want the position itself", depth, got)
		}
	}
}

// TestChecksCount compares the number of legal checks with that of the reference engines.
func TestChecksCount(t *testing.T) {
	var buf shogi.MoveBuffer
	for _, row := range perftRows(t) {
		p := shogi.MustParseSFEN(row.sfen)
		if got := len(p.Checks(&buf, shogi.AllMoves)); got != row.checks {
			t.Errorf("%s: %d checks, want %d", row.sfen, got, row.checks)
		}
	}
}

// TestPerftListed counts without the counting generator: every leaf is made and unmade.
func TestPerftListed(t *testing.T) {
	var count func(p *shogi.Position, depth int, set shogi.MoveSet) uint64
	count = func(p *shogi.Position, depth int, set shogi.MoveSet) uint64 {
		if depth == 0 {
			return 1
		}
		var buf shogi.MoveBuffer
		n := uint64(0)
		for _, m := range p.LegalMoves(&buf, set) {
			u := p.Do(m)
			n += count(p, depth-1, set)
			p.Undo(m, u)
		}
		return n
	}
	for _, row := range perftRows(t) {
		for set, leaves := range row.leaves {
			p := shogi.MustParseSFEN(row.sfen)
			for i, want := range leaves {
				if want > 40_000 {
					break
				}
				if got := count(&p, i+1, set); got != want {
					t.Errorf("%s: %s, depth %d: %d leaves, want %d", row.sfen, row.setName(set), i+1, got, want)
				}
			}
		}
	}
}
