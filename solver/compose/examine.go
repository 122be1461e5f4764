package compose

import (
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/theme"
)

// A Fate is what becomes of a figure that a search looks at, in the order in which it is found out.
type Fate uint8

const (
	Impossible Fate = iota // no position by the rules, or not what the conditions let stand on the board
	NoMate                 // 不詰
	OtherPlies             // it mates sooner or later than wanted
	Cooked                 // 余詰: two first moves mate
	Unsound                // by the analysis
	Unwanted               // sound, but without a theme or more than that which is asked for
	Open                   // not decided within the limits
	Sound
	NumFates
)

// String names the fate.
func (f Fate) String() string {
	return [...]string{"impossible", "no mate", "other plies", "cooked", "unsound", "unwanted", "open", "sound"}[f]
}

// An examiner tells what becomes of figures. It is for one goroutine.
//
// Each filter is one of soundness by any profile, so that what falls is what the whole analysis would
// call unsound: a search that is not decided lets the figure through.
type examiner struct {
	*Conditions
	session  solver.Session
	analyzer *analysis.Analyzer
	// effort is how many nodes the first question gets, whether there is a mate; the others get
	// as much.
	effort uint64
	line   []shogi.Move // what the solution has to be; nil: any
}

func newExaminer(session solver.Session, c *Conditions, effort uint64) *examiner {
	return &examiner{Conditions: c, session: session, analyzer: analysis.NewAnalyzer(session), effort: effort}
}

// The nodes of the first question about a figure. An author who has fixed most of a diagram wants all
// that there is; of random figures there are always more.
const (
	thorough = 30_000
	brisk    = 6_000 // of figures that have a mate to be seen: the line that is given
	hasty    = 2_000
)

// The limits of the analyses up to the first defect: of a hasty look, of a brisk one, and what a thorough
// one adds to that.
type limits struct{ nodes, question uint64 }

var analyses = [...]limits{{20_000, 3_000}, {60_000, 6_000}, {400_000, 30_000}}

// reset makes the examiner like a new one, so that what it says of figures does not depend on those
// before.
func (e *examiner) reset() {
	e.session.Reset()
	e.analyzer, e.line = analysis.NewAnalyzer(e.session), nil
}

// known is what is known of a figure before it is looked at.
type known struct {
	mates  bool         // at any length
	short  bool         // sooner than is wanted, by the raw count
	cooked bool         // as isCooked says
	by     []shogi.Move // checks that mate without coming back to the diagram
}

// examine returns the problem of a figure if it is sound and meets the conditions. k gets what was
// found out on the way.
func (e *examiner) examine(ctx context.Context, p shogi.Position, k *known) (Problem, Fate) {
	if !e.mayStand(&p) {
		return Problem{}, Impossible
	}
	if fate := e.look(ctx, p, k); fate != Sound {
		return Problem{}, fate
	}
	of := analyses[1:]
	switch e.effort {
	case hasty:
		of = analyses[:1]
	case brisk:
		of = analyses[1:2]
	}
	for _, l := range of {
		switch fate := e.judge(e.analyse(ctx, p, l)); fate {
		case Open:
		case Sound:
			return e.finish(ctx, p)
		default:
			return Problem{}, fate
		}
	}
	return Problem{}, Open
}

// look returns the fate of a figure as far as short searches tell it: Sound if it may be sound,
// and Open if it is not known whether there is a mate.
func (e *examiner) look(ctx context.Context, p shogi.Position, k *known) Fate {
	if mate1.Find(&p) != shogi.NoMove {
		if k.mates, k.short = true, e.Least > 1; k.short {
			return OtherPlies
		}
		return Sound
	}
	if !p.HasCheck() {
		return NoMate
	}
	if !k.mates {
		d := e.session.Decide(ctx, solver.Question{Position: p, Attacker: shogi.Black,
			Limits: solver.Limits{Nodes: e.effort}})
		if d.Verdict == solver.NoMate {
			return NoMate
		}
		if k.mates = d.Verdict == solver.Mate; !k.mates {
			return Open
		}
	}
	// A length by convention is no more than the raw one.
	if k.short = e.Least > 3 && e.decide(ctx, p, e.Least-2) == solver.Mate; k.short {
		k.mates = true
		return OtherPlies
	}
	if k.cooked = e.isCooked(ctx, &p, k); k.cooked {
		return Cooked
	}
	return Sound
}

func (e *examiner) decide(ctx context.Context, p shogi.Position, plies int) solver.Verdict {
	return e.session.Decide(ctx, solver.Question{Position: p, Attacker: shogi.Black,
		Limits: solver.Limits{Plies: plies, Nodes: e.effort}}).Verdict
}

// firstMoveNodes is what each first move gets for the question whether it mates.
const firstMoveNodes = 1_000

// isCooked reports whether two checks in p, in which none mates at once, mate without coming back to p,
// and are moves of different kinds of pieces, or a move and a drop. Then, whichever is the solution,
// the other is a cook or a transposition in every profile: no dual and no mirror image, for those are
// of one kind of piece, and no detour.
func (e *examiner) isCooked(ctx context.Context, p *shogi.Position, k *known) bool {
	if haveTwoKinds(p, k.by) {
		return true
	}
	var buf shogi.MoveBuffer
	for _, m := range p.Checks(&buf, shogi.AllMoves) {
		if slices.ContainsFunc(k.by, func(o shogi.Move) bool { return kindOf(p, o) == kindOf(p, m) }) {
			continue
		}
		d := e.session.Decide(ctx, solver.Question{Position: p.After(m), Attacker: shogi.Black,
			Marks: []shogi.Position{*p}, Limits: solver.Limits{Nodes: firstMoveNodes}})
		if d.Verdict != solver.Mate {
			continue
		}
		if k.mates, k.by = true, append(k.by, m); len(k.by) > 1 {
			return true
		}
	}
	return false
}

// haveTwoKinds reports whether moves of different kinds of pieces, or moves and drops, are among the
// moves.
func haveTwoKinds(p *shogi.Position, moves []shogi.Move) bool {
	return slices.ContainsFunc(moves, func(m shogi.Move) bool { return kindOf(p, m) != kindOf(p, moves[0]) })
}

// A moveKind is the kind of piece that a move moves or drops.
type moveKind struct {
	kind shogi.PieceType
	drop bool
}

func kindOf(p *shogi.Position, m shogi.Move) moveKind {
	if m.IsDrop() {
		return moveKind{m.Dropped(), true}
	}
	return moveKind{p.Piece(m.From()).Type(), false}
}

// analyse reports on p up to the first defect, or to the end with the limits of a report; nil if ctx
// ended.
func (e *examiner) analyse(ctx context.Context, p shogi.Position, quick limits) *analysis.Analysis {
	q := analysis.Question{Position: p, Attacker: shogi.Black, Policy: length.Default, Profile: analysis.Magazine,
		Line: e.line, Parts: analysis.DefaultParts}
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
	case a.Sound != analysis.Yes || !isSound(a):
		return Open
	}
	q := newProblem(a, &DefaultWeights)
	lacks := func(id string) bool {
		return !slices.ContainsFunc(a.Themes, func(f theme.Found) bool { return f.ID == id })
	}
	switch n := len(q.line); {
	case n < e.Least || n > e.Most:
		return OtherPlies
	case e.line != nil && !slices.Equal(q.line, e.line):
		return Unwanted
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
	q := newProblem(a, &DefaultWeights).problem()
	e.reset()
	var ok bool
	if q.Certificate, ok = certify(ctx, e.session, p); !ok {
		return Problem{}, Open
	}
	return q, Sound
}
