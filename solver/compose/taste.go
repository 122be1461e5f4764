package compose

import (
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/theme"
)

// tastes are the themes that make the point of a problem: one of the first four in each that
// Reverse yields. Those in one group count as one.
var tastes = [...][]string{{"sacrifice"}, {"nonpromotion"}, {"interposition"}, {"uchifuzume"}, {"far_drop"},
	{"discovered_check", "double_check"}}

const points = 4 // of tastes

// A problem is a sound one of a family.
type problem struct {
	position shogi.Position
	line     []shogi.Move
	themes   uint8 // bits by the index in tastes
	found    []theme.Found
	strict   bool
	score    float64
	first    bool // the first move captures
	captures int  // of the attacker
}

// newProblem returns the problem of a report.
func newProblem(a *analysis.Analysis, w *Weights) *problem {
	q := &problem{position: a.Position, line: a.Line.Moves, found: a.Themes, strict: isStrict(a)}
	q.readLine()
	for i, taste := range tastes {
		if slices.ContainsFunc(a.Themes, func(f theme.Found) bool { return slices.Contains(taste, f.ID) }) {
			q.themes |= 1 << i
		}
	}
	// A pawn or a tokin that is given away makes no point.
	if q.themes &^= 1; q.sacrifices() >= leastSacrifice {
		q.themes |= 1
	}
	q.weigh(w, a.Difficulty)
	return q
}

// readLine counts the captures of the attacker.
func (q *problem) readLine() {
	p := q.position
	for i, m := range q.line {
		if i%2 == 0 && p.Piece(m.To()) != shogi.NoPiece {
			q.captures++
			q.first = q.first || i == 0
		}
		p.Do(m)
	}
}

// leastSacrifice is the least worth of the pieces together that make the theme: a silver, or two
// knights.
const leastSacrifice = 0.9

// sacrificed is what a sacrifice is worth.
var sacrificed = [...]float64{shogi.Pawn: 0.3, shogi.Lance: 0.6, shogi.Knight: 0.7, shogi.Silver: 0.9, shogi.Gold: 1,
	shogi.Bishop: 1.8, shogi.Rook: 2, shogi.Tokin: 0.6, shogi.ProLance: 0.8, shogi.ProKnight: 0.8,
	shogi.ProSilver: 0.9, shogi.Horse: 2.2, shogi.Dragon: 2.5}

// sacrifices returns the worth of the pieces that the defender takes on the square where they gave
// check.
func (q *problem) sacrifices() (sum float64) {
	p := q.position
	for i, m := range q.line {
		if i%2 == 1 && m.To() == q.line[i-1].To() {
			sum += sacrificed[p.Piece(m.To()).Type()]
		}
		p.Do(m)
	}
	return sum
}

// isStrict reports whether everything is determined: no dual of any kind, no second mating move, no
// equal variation.
func isStrict(a *analysis.Analysis) bool {
	for _, r := range a.Rules {
		switch r.Rule {
		case analysis.RuleLeftover, analysis.RuleLastMove, analysis.RulePromotion, analysis.RuleDistance,
			analysis.RuleOrigin, analysis.RuleDetour, analysis.RuleEqual:
			if r.Holds != analysis.Yes {
				return false
			}
		}
	}
	return true
}

// looksMade reports whether a diagram has promoted pieces that seldom stand on a board: promoted
// silvers, knights and lances, tokins of the defender, or three tokins.
func looksMade(p *shogi.Position) bool {
	for sq := range p.Occupied().All() {
		switch p.Piece(sq).Type() {
		case shogi.ProLance, shogi.ProKnight, shogi.ProSilver:
			return true
		}
	}
	return !p.PiecesOf(shogi.White, shogi.Tokin).IsEmpty() || p.PiecesOf(shogi.Black, shogi.Tokin).Len() > 2
}

// leastChecks is how many checks there must be to choose from at the first move.
const leastChecks = 3

// isPleasant reports whether an editor would look at it: it has a point and something to choose, it
// does not begin with a capture nor live on captures, and it looks natural.
func isPleasant(q *problem) bool {
	var buf shogi.MoveBuffer
	return q.themes&(1<<points-1) != 0 && !q.first && q.captures <= 1 && !looksMade(&q.position) &&
		len(q.position.Checks(&buf, shogi.AllMoves)) >= leastChecks
}

// problem returns what leaves of a problem, as far as it is known without the archive.
func (q *problem) problem() Problem {
	result := Problem{Position: q.position, Line: q.line, Strict: q.strict, Captures: q.captures, Score: q.score,
		Key: collection.Key(&q.position, shogi.Black)}
	for _, f := range q.found {
		result.Themes = append(result.Themes, f.ID)
	}
	return result
}
