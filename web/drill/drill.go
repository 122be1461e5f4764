// Package drill has the problems that readers train with, in numbered sets by length and class.
//
// The number of a problem is its place in the file problems.tsv, from 1. A set are the problems
// that follow each other in the file and have one length and one class, no more than SetSize of
// them. So the numbers of problems and sets stay as long as the file is only appended to, which a
// test pins.
//
// How hard a problem is is estimated of its length and of features that package analysis measures.
// No ratings by people were there to fit the weights to: that the order of the problems is right
// matters more than the numbers, which are on the scale of the level of a reader (see progress.ts
// of the board).
package drill

import (
	_ "embed"
	"math"
	"sync"

	"github.com/tsumero/tsumero/web/problems"
)

//go:embed problems.tsv
var file string

// Features are those that the file has of each problem, by their names in package analysis. Those
// that depend on how a search goes (deep_tries, tree) are not among them.
var Features = [...]string{"checks", "near_tries", "defences", "quiet", "sacrifices"}

// weights are what each feature adds to the rating, and up to which value.
var weights = [len(Features)]struct{ each, most int }{{15, 12}, {20, 10}, {40, 5}, {30, 6}, {25, 4}}

// SetSize is how many problems a set has at most.
const SetSize = 100

// Rating returns how hard a problem is: who has the same level solves it every other time.
func Rating(p *problems.Problem) int {
	rating := int(math.Round(500*math.Log2(float64(p.Plies+1)))) - 400
	for i, w := range weights {
		rating += w.each * min(p.Features[i], w.most)
	}
	return rating
}

// The classes are from 1 to Classes, each classWidth wide. The first and the last have what is
// beyond them, too.
const (
	Classes    = 9
	classWidth = 150
	firstClass = 700 // where the first begins
)

// Class returns the class of a rating.
func Class(rating int) int {
	return min(max((rating-firstClass)/classWidth+1, 1), Classes)
}

// A Set is some problems of one length and class.
type Set struct {
	Plies, Class int
	First        int // number of the first problem
	Low, High    int // ratings
	Problems     []problems.Problem
}

// All returns the problems by their numbers, from 1 at index 0. The caller must not change them.
func All() []problems.Problem { return load() }

// Its tests see to it that the file can be read.
var load = sync.OnceValue(func() []problems.Problem {
	all, err := problems.Parse(file)
	if err != nil {
		panic(err)
	}
	return all
})

// Sets returns the sets by their numbers, from 1 at index 0. The caller must not change them.
var Sets = sync.OnceValue(func() []Set { return setsOf(load()) })

func setsOf(all []problems.Problem) (sets []Set) {
	for i := range all {
		p, rating := &all[i], Rating(&all[i])
		class, n := Class(rating), len(sets)
		if n == 0 || sets[n-1].Plies != p.Plies || sets[n-1].Class != class ||
			len(sets[n-1].Problems) == SetSize {
			sets = append(sets, Set{p.Plies, class, i + 1, rating, rating, nil})
		}
		s := &sets[len(sets)-1]
		s.Problems = all[s.First-1 : i+1]
		s.Low, s.High = min(s.Low, rating), max(s.High, rating)
	}
	return sets
}
