package daily

import (
	_ "embed"
	"slices"
	"sync"

	"github.com/tsumero/tsumero/web/problems"
)

//go:embed problems.tsv
var file string

// A shipped is what the file has.
type shipped struct {
	all      []problems.Problem
	byLength map[int][]problems.Problem
}

// load reads the file once. Its tests see to it that it can be read.
var load = sync.OnceValue(func() shipped {
	all, err := problems.Parse(file)
	if err != nil {
		panic(err)
	}
	byLength := map[int][]problems.Problem{}
	for _, p := range all {
		byLength[p.Plies] = append(byLength[p.Plies], p)
	}
	return shipped{all, byLength}
})

// All returns the problems in the order of the file. The caller must not change them.
func All() []problems.Problem { return load().all }

// OfLength returns the problems of a length in the order of the file. The caller must not change
// them.
func OfLength(plies int) []problems.Problem { return load().byLength[plies] }

// Lengths returns the lengths of which there are problems, the shortest first.
func Lengths() []int {
	var lengths []int
	for plies := range load().byLength {
		lengths = append(lengths, plies)
	}
	slices.Sort(lengths)
	return lengths
}
