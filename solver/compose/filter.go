package compose

import (
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/mate1"
)

// A Filter is a condition that candidates must meet. They are in the order of their price.
type Filter uint8

const (
	Natural  Filter = iota // few pieces, none that looks made, and no position of the family again
	Shorter                // no mate in one, nor sooner than wanted
	Mate                   // every reply to the check is mated in time
	Unique                 // no other check mates, as far as a short search sees
	Analysed               // sound by the analysis, strict if asked for, with the length and moves wanted
	NumFilters
)

// String names the filter.
func (f Filter) String() string {
	return [...]string{"natural", "shorter", "mate", "unique", "analysed"}[f]
}

// The nodes of the filters' searches. They decide all but a few candidates, and what they let through
// wrongly falls at the analysis.
const (
	mateNodes     = 2_000
	shorterNodes  = 2_000
	uniqueNodes   = 1_000
	analysisNodes = 60_000
	questionNodes = 6_000
)

// A candidate is a position with a check and a reply that lead to a sound problem.
type candidate struct {
	Predecessor
	plies int
}

// filter returns the problem of a candidate if it meets all conditions.
func (c *composer) filter(ctx context.Context, q candidate) (*problem, bool) {
	t := &c.tally.Lengths[q.plies]
	t.Candidates++
	fell := func(at Filter) (*problem, bool) {
		t.Fell[at]++
		return nil, false
	}
	key := q.Position.Key()
	if c.seen[key] || countPieces(&q.Position) > c.MaxPieces+slack || looksMade(&q.Position) {
		return fell(Natural)
	}
	c.seen[key] = true
	if mate1.Find(&q.Position) != shogi.NoMove {
		return fell(Shorter)
	}
	checked := after(&q.Position, q.Check)
	if c.decide(ctx, checked, q.plies-1, mateNodes) != solver.Mate {
		return fell(Mate)
	}
	if q.plies > 3 && c.decide(ctx, q.Position, q.plies-2, shorterNodes) == solver.Mate {
		return fell(Shorter)
	}
	var buf shogi.MoveBuffer
	for _, m := range slices.Clone(q.Position.Checks(&buf, shogi.AllMoves)) {
		if m != q.Check && c.decide(ctx, after(&q.Position, m), 0, uniqueNodes) == solver.Mate {
			return fell(Unique)
		}
	}
	if a := c.analyse(ctx, q.Position, true); a != nil && isSound(a, q.plies) &&
		a.Line.Moves[0] == q.Check && a.Line.Moves[1] == q.Reply && (isStrict(a) || !c.Strict) {
		t.Sound++
		return newProblem(a), true
	}
	return fell(Analysed)
}

// slack is how many pieces more than asked for a problem of a family may have: some may be idle.
const slack = 1

// decide returns whether Black mates in p within so many plies, 0 for any number.
func (c *composer) decide(ctx context.Context, p shogi.Position, plies int, nodes uint64) solver.Verdict {
	return c.Session.Decide(ctx, solver.Question{Position: p, Attacker: shogi.Black,
		Limits: solver.Limits{Plies: plies, Nodes: nodes}}).Verdict
}

// analyse reports on p, nil if ctx ended: quickly and to the first defect, or with all that is told of
// a problem.
func (c *composer) analyse(ctx context.Context, p shogi.Position, quick bool) *analysis.Analysis {
	q := analysis.Question{Position: p, Attacker: shogi.Black, Policy: length.Default, Profile: analysis.Magazine,
		Parts: analysis.DefaultParts | analysis.Difficulty}
	if quick {
		q.Stop, q.Nodes, q.QuestionNodes = analysis.StopFirst, analysisNodes, questionNodes
		if c.Strict {
			q.Profile = analysis.Strict
		}
	} else {
		q.Parts |= analysis.Economy
	}
	a, err := c.analyzer.Analyze(ctx, q, nil, nil)
	if err != nil || ctx.Err() != nil {
		return nil
	}
	return a
}

// isSound reports whether a problem is sound for certain, of that length, and nothing of its line is
// open.
func isSound(a *analysis.Analysis, plies int) bool {
	return a.Sound == analysis.Yes && a.Reason == solver.NoReason && !a.Line.Raw &&
		a.Length() == length.Exactly(plies) && len(a.Line.Moves) == plies
}

func after(p *shogi.Position, m shogi.Move) shogi.Position {
	next := *p
	next.Do(m)
	return next
}

// countPieces counts the pieces of a diagram: on the board, the king left out, and in Black's hand.
func countPieces(p *shogi.Position) int {
	return p.Occupied().Len() - 1 + p.Hand(shogi.Black).Len()
}
