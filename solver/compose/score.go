package compose

import (
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/theme"
)

// A Part is something that a problem is the better or the worse for, a number.
type Part uint8

const (
	Strictness     Part = iota // 1 if it is strict
	Sacrifices                 // worth of the pieces given away on the square where they gave check, at most 4
	Nonpromotions              // 不成, at most 2
	PawnDropMate               // 1 if a pawn drop would mate (打歩詰)
	Interpositions             // 1 if there is one that is not futile
	LongDrops                  // 1 if a piece is dropped from afar (遠打)
	DoubleChecks               // 1 if there is a double or a discovered check
	QuietMoves                 // moves that neither capture nor promote beside the king
	NearTries                  // checks that fail by one reply alone (紛れ), at most 5
	Pieces                     // how many there are
	PiecesCaptured             // how many Black takes
	TokinPieces                // how many tokins Black has in the diagram
	DistantPieces              // squares beyond two between pieces and the king, all together
	FirstCapture               // 1 if the first move takes something
	NumParts
)

// partNames are what the parts are called where weights are given.
var partNames = [NumParts]string{"strict", "sacrifice", "nonpromotion", "uchifuzume", "interposition", "far_drop",
	"double_check", "quiet", "tries", "pieces", "captures", "tokins", "distance", "first_capture"}

// PartNames returns the names of all parts.
func PartNames() []string { return partNames[:] }

// ParsePart reads the name of a part.
func ParsePart(name string) (Part, bool) {
	i := slices.Index(partNames[:], name)
	return Part(max(i, 0)), i >= 0
}

// Weights are what each part counts.
type Weights [NumParts]float64

// DefaultWeights are what the parts count if nothing is said.
var DefaultWeights = Weights{Strictness: 1.5, Sacrifices: 1, Nonpromotions: 1.5, PawnDropMate: 1, Interpositions: 1.5,
	LongDrops: 1.5, DoubleChecks: 0.5, QuietMoves: 0.3, NearTries: 0.2, Pieces: -0.5, PiecesCaptured: -1.5,
	TokinPieces: -0.3, DistantPieces: -0.1, FirstCapture: -2}

// weigh adds the parts of a problem to its score.
func (q *problem) weigh(w *Weights, d *analysis.DifficultyFacts) {
	var n Weights
	one := func(p Part, is bool) {
		if is {
			n[p] = 1
		}
	}
	shows := func(ids ...string) bool {
		return slices.ContainsFunc(q.found, func(f theme.Found) bool { return slices.Contains(ids, f.ID) })
	}
	one(Strictness, q.strict)
	n[Sacrifices] = min(q.sacrifices(), 4)
	for _, f := range q.found {
		if f.ID == "nonpromotion" {
			n[Nonpromotions] = float64(min(len(f.Plies), 2))
		}
	}
	one(PawnDropMate, shows("uchifuzume"))
	one(Interpositions, shows("interposition"))
	one(LongDrops, shows("far_drop"))
	one(DoubleChecks, shows("discovered_check", "double_check"))
	if d != nil {
		n[QuietMoves] = float64(d.Feature("quiet"))
		n[NearTries] = float64(min(d.Feature("near_tries"), 5))
	}
	n[Pieces] = float64(countPieces(&q.position))
	n[PiecesCaptured] = float64(q.captures)
	n[TokinPieces] = float64(q.position.PiecesOf(shogi.Black, shogi.Tokin).Len())
	king := q.position.King(shogi.White)
	for sq := range q.position.Occupied().All() {
		file, rank := int(sq.File())-int(king.File()), int(sq.Rank())-int(king.Rank())
		n[DistantPieces] += float64(max(0, max(file, -file, rank, -rank)-2))
	}
	one(FirstCapture, q.first)
	for i := range n {
		q.score += n[i] * w[i]
	}
}
