package solvertest

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
)

// Never is the length of a mate that does not exist: longer than any other.
const Never = 1 << 30

// A Known position has an answer, or bounds of one, that were proved elsewhere.
type Known struct {
	Position shogi.Position
	// Least and Most bound the length of the shortest mate, in plies; every legal move counts. Both
	// are Never if there is no mate at any length; a Most of Never alone leaves open whether there
	// is one.
	Least, Most int
	Source      string
}

// HasMateIn reports whether the shortest mate is known to have the given number of plies.
// HasMateIn(Never) reports whether it is known that there is none.
func (k *Known) HasMateIn(plies int) bool { return k.Least == plies && k.Most == plies }

//go:embed testdata/known.tsv
var knownTSV string

// Positions returns the positions that come with the package: some 650 with mates of one ply to
// nineteen and without any, among them pawn drops that would mate, mates that need a non-promotion,
// double and discovered checks, pinned defenders, long interpositions and an attacker in check.
func Positions(tb testing.TB) []Known {
	tb.Helper()
	known, refused, err := read(strings.NewReader(knownTSV), "known.tsv")
	if err != nil || len(refused) > 0 {
		tb.Fatalf("known.tsv: %v, refused %v", err, refused)
	}
	return known
}

// Corpus returns the positions of a file of the corpus, and the reasons why some of its lines hold
// none. ok is false if no corpus is named: see shogitest.Corpus.
func Corpus(tb testing.TB, file string) (known []Known, refused []string, ok bool) {
	tb.Helper()
	for _, path := range shogitest.Corpus(tb, file) {
		f, err := os.Open(path)
		if err != nil {
			tb.Fatal(err)
		}
		defer f.Close()
		known, refused, err = read(f, file)
		if err != nil {
			tb.Fatal(err)
		}
		ok = true
	}
	return known, refused, ok
}

func read(r io.Reader, source string) (known []Known, refused []string, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		k, err := parse(lines.Text())
		k.Source = fmt.Sprintf("%s:%d", source, n)
		if err != nil {
			refused = append(refused, fmt.Sprintf("%s: %v", k.Source, err))
			continue
		}
		known = append(known, k)
	}
	return known, refused, lines.Err()
}

// parse reads a line: an SFEN and, after a tab, the length of the shortest mate in plies, "-1" if
// there is none, "<=n", or "?". More fields are for people.
func parse(line string) (Known, error) {
	fields := strings.Split(line, "\t")
	if len(fields) < 2 {
		return Known{}, fmt.Errorf("%d field, expected an SFEN and a length", len(fields))
	}
	p, err := shogi.ParseSFEN(fields[0])
	if err != nil {
		return Known{}, err
	}
	if _, err := solver.Attacker(&p); err != nil {
		return Known{}, err
	}
	k := Known{Position: p, Most: Never}
	switch length := fields[1]; length {
	case "?":
	case "-1":
		k.Least = Never
	default:
		number, bound := strings.CutPrefix(length, "<=")
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 {
			return Known{}, fmt.Errorf("the length is %q, expected a number of plies, -1, <=n or ?", length)
		}
		k.Most = n
		if !bound {
			k.Least = n
		}
	}
	return k, nil
}
