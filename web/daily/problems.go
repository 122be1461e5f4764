package daily

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tsumero/tsumero/shogi"
)

// A Problem is a sound problem of the file. The tests replay and verify each of them.
type Problem struct {
	Position shogi.Position
	SFEN     string   // canonical, which is its key wherever problems are told apart
	Plies    int      // its length by convention: futile interpositions are not counted
	Line     string   // the solution, USI moves with spaces between
	Themes   []string // what it is about, if the file says so
	// Certificate is the hash of the certificate of the length, as 'tsumero certificate --kind length'
	// writes it: "sha256:" and the digits.
	Certificate string
}

//go:embed problems.tsv
var file string

// A shipped is what the file has.
type shipped struct {
	all      []Problem
	byLength map[int][]Problem
}

// load reads the file once. Its tests see to it that it can be read.
var load = sync.OnceValue(func() shipped {
	all, err := parse(file)
	if err != nil {
		panic(err)
	}
	byLength := map[int][]Problem{}
	for _, p := range all {
		byLength[p.Plies] = append(byLength[p.Plies], p)
	}
	return shipped{all, byLength}
})

// All returns the problems in the order of the file. The caller must not change them.
func All() []Problem { return load().all }

// OfLength returns the problems of a length in the order of the file. The caller must not change
// them.
func OfLength(plies int) []Problem { return load().byLength[plies] }

// Lengths returns the lengths of which there are problems, the shortest first.
func Lengths() []int {
	var lengths []int
	for plies := range load().byLength {
		lengths = append(lengths, plies)
	}
	slices.Sort(lengths)
	return lengths
}

// parse reads problems, one a line: SFEN, length, solution, themes with spaces between, and the hash of
// the certificate, with tabs between them. Empty lines and those that begin with # say nothing.
func parse(text string) ([]Problem, error) {
	var all []Problem
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		p, err := parseProblem(strings.Split(line, "\t"))
		if err != nil {
			return nil, fmt.Errorf("daily: line %d: %w", n, err)
		}
		all = append(all, p)
	}
	return all, nil
}

func parseProblem(columns []string) (Problem, error) {
	if len(columns) < 3 {
		return Problem{}, fmt.Errorf("found %d columns, expected SFEN, length and solution", len(columns))
	}
	position, err := shogi.ParseSFEN(columns[0])
	if err != nil {
		return Problem{}, err
	}
	plies, err := strconv.Atoi(columns[1])
	if err != nil || plies < 1 {
		return Problem{}, fmt.Errorf("found the length %q", columns[1])
	}
	p := Problem{Position: position, SFEN: position.ProblemSFEN(), Plies: plies, Line: columns[2]}
	if len(columns) > 3 {
		p.Themes = strings.Fields(columns[3])
	}
	if len(columns) > 4 {
		p.Certificate = columns[4]
	}
	return p, nil
}
