package compose

import (
	"math"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/theme"
)

// What each part of a score is, counted by hand.
func TestScore(t *testing.T) {
	q := problem{position: shogi.MustParseSFEN("4k4/9/9/3+R5/9/9/9/9/+P7P b RG2b3g4s4n4l16p 1"), strict: true, captures: 1, first: true,
		line: parseMoves(t, "6d6b 5a6b R*6c 6b6c"), // a dragon and a rook are taken where they gave check
		found: []theme.Found{{Theme: theme.ByID("nonpromotion"), Plies: []int{1, 3, 5}}, {Theme: theme.ByID("discovered_check")},
			{Theme: theme.ByID("far_drop")}}}
	for part, want := range map[Part]float64{Strictness: 1, Sacrifices: 4, Nonpromotions: 2, LongDrops: 1, DoubleChecks: 1,
		PawnDropMate: 0, Interpositions: 0, QuietMoves: 0, NearTries: 0, Pieces: 5, PiecesCaptured: 1, TokinPieces: 1,
		// The dragon is one square farther than two, the tokin and the pawn on the last rank six.
		DistantPieces: 13, FirstCapture: 1} {
		for _, weight := range []float64{1, -0.5} {
			var w Weights
			w[part] = weight
			q.score = 0
			q.weigh(&w, nil)
			if math.Abs(q.score-weight*want) > 1e-9 {
				t.Errorf("%v with %v: %v, want %v", part, weight, q.score, weight*want)
			}
		}
	}
}

// What may stand on a board, as far as conditions tell without a search.
func TestMayStand(t *testing.T) {
	p := shogi.MustParseSFEN("4k4/9/4P4/9/9/9/9/9/P8 b GSr2b3g3s4n4l16p 1") // four pieces
	tokins := shogi.MustParseSFEN("4k4/9/4+P+P+P2/9/9/9/9/9/9 b 2r2b4g4s4n4l15p 1")
	any := Conditions{MaxHand: -1}
	with := func(change func(*Conditions)) *Conditions {
		c := any
		change(&c)
		return &c
	}
	for _, c := range []struct {
		name       string
		conditions *Conditions
		position   *shogi.Position
		want       bool
	}{
		{"anything", &any, &p, true},
		{"four pieces", with(func(c *Conditions) { c.MaxPieces = 4 }), &p, true},
		{"three pieces", with(func(c *Conditions) { c.MaxPieces = 3 }), &p, false},
		{"three and one to be taken away", with(func(c *Conditions) { c.MaxPieces, c.Pleasant = 3, true }), &p, true},
		{"two in hand", with(func(c *Conditions) { c.MaxHand = 2 }), &p, true},
		{"one in hand", with(func(c *Conditions) { c.MaxHand = 1 }), &p, false},
		{"a box", with(func(c *Conditions) { c.Box, _ = ParseBox("9a-1i") }), &p, true},
		{"a small box", with(func(c *Conditions) { c.Box, _ = ParseBox("9a-1h") }), &p, false},
		{"three tokins", with(func(c *Conditions) { c.Pleasant = true }), &tokins, false},
		{"three tokins anywhere", &any, &tokins, true},
	} {
		if got := c.conditions.mayStand(c.position); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// Of each theme no more than two are grown further, and the best.
func TestBest(t *testing.T) {
	var found []*problem
	for i := range 12 {
		found = append(found, &problem{score: float64(i), themes: uint8(i % 3)})
	}
	var got []float64
	for _, q := range best(found) {
		got = append(got, q.score)
	}
	if want := []float64{11, 10, 9, 8, 7, 6}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
