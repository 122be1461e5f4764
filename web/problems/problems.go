// Package problems reads the files of problems that the program ships.
package problems

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// A Problem is a sound problem of a file. The tests of the package that has the file replay and
// verify each of them.
type Problem struct {
	Position shogi.Position
	SFEN     string   // canonical, which is its key wherever problems are told apart
	Plies    int      // its length by convention: futile interpositions are not counted
	Line     string   // the solution, USI moves with spaces between
	Themes   []string // what it is about, if the file says so
	// Certificate is the hash of the certificate of the length, as 'tsumero certificate --kind
	// length' writes it: "sha256:" and the digits.
	Certificate string
	Features    []int // what was measured of how hard it is, in the order that its package says
}

// Parse reads problems, one a line: SFEN, length, solution, themes with spaces between, the hash of
// the certificate, and features with spaces between, with tabs between them. Empty lines and those
// that begin with # say nothing. Only the first three columns must be there.
func Parse(text string) ([]Problem, error) {
	var all []Problem
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		p, err := parse(strings.Split(line, "\t"))
		if err != nil {
			return nil, fmt.Errorf("problems: line %d: %w", n, err)
		}
		all = append(all, p)
	}
	return all, nil
}

func parse(columns []string) (Problem, error) {
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
	if len(columns) > 5 {
		for _, text := range strings.Fields(columns[5]) {
			n, err := strconv.Atoi(text)
			if err != nil {
				return Problem{}, fmt.Errorf("found the feature %q", text)
			}
			p.Features = append(p.Features, n)
		}
	}
	return p, nil
}
