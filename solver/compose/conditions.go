package compose

import (
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/theme"
)

// Conditions are what a problem must meet to leave, besides being sound.
type Conditions struct {
	Least, Most int            // plies, odd
	MaxPieces   int            // on the board, the king left out, and in hand; 0: any
	MaxHand     int            // pieces in Black's hand; -1: any
	MaxCaptures int            // of Black; -1: any
	Strict      bool           // no dual of any kind, no second mating move, no equal variation
	Themes      []string       // IDs of package theme, all shown
	Box         shogi.Bitboard // squares on which pieces may stand; empty: all
}

// mayStand reports whether a diagram meets the conditions, as far as it tells without a search.
func (c *Conditions) mayStand(p *shogi.Position) bool {
	return (c.MaxPieces == 0 || countPieces(p) <= c.MaxPieces) &&
		(c.MaxHand < 0 || p.Hand(shogi.Black).Len() <= c.MaxHand) &&
		(c.Box.IsEmpty() || p.Occupied().IsSubsetOf(c.Box))
}

// analyse reports on p up to the first defect, or to the end with the limits of a report; nil if ctx
// ended.
func (e *examiner) analyse(ctx context.Context, p shogi.Position, quick limits) *analysis.Analysis {
	q := analysis.Question{Position: p, Attacker: shogi.Black, Policy: length.Default, Profile: analysis.Magazine,
		Parts: analysis.DefaultParts}
	if e.Strict {
		q.Profile = analysis.Strict
	}
	if quick.nodes > 0 {
		q.Stop, q.Nodes, q.QuestionNodes = analysis.StopFirst, quick.nodes, quick.question
	}
	a, err := e.analyzer.Analyze(ctx, q, nil, nil)
	if err != nil || ctx.Err() != nil {
		return nil
	}
	return a
}

// judge returns the fate of a figure by a report on it, Open if there is none.
func (e *examiner) judge(a *analysis.Analysis) Fate {
	switch {
	case a == nil:
		return Open
	case a.Sound == analysis.No:
		return Unsound
	case a.Sound != analysis.Yes || !isSound(a, len(a.Line.Moves)):
		return Open
	}
	q := newProblem(a)
	lacks := func(id string) bool {
		return !slices.ContainsFunc(a.Themes, func(f theme.Found) bool { return f.ID == id })
	}
	switch n := len(q.line); {
	case n < e.Least || n > e.Most:
		return OtherPlies
	case e.Strict && !q.strict, e.MaxCaptures >= 0 && q.captures > e.MaxCaptures, slices.ContainsFunc(e.Themes, lacks):
		return Unwanted
	}
	return Sound
}

// finish returns the problem of a figure if it is sound and as wanted by the whole analysis.
func (e *examiner) finish(ctx context.Context, p shogi.Position) (Problem, Fate) {
	a := e.analyse(ctx, p, limits{})
	if a != nil && a.Verdict == solver.NoMate {
		return Problem{}, NoMate
	}
	fate := e.judge(a)
	if fate != Sound {
		return Problem{}, fate
	}
	q := Problem{Position: p, Line: a.Line.Moves, Strict: isStrict(a), Key: collection.Key(&p, shogi.Black)}
	for _, f := range a.Themes {
		q.Themes = append(q.Themes, f.ID)
	}
	return q, Sound
}
