package compose

import (
	"bytes"
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/certificate"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/mate1"
)

// An Outcome is what becomes of a candidate, in the order in which it is found out.
type Outcome uint8

const (
	Impossible Outcome = iota // no position by the rules, or none that the conditions allow, or looked at before
	NoMate                    // 不詰
	OtherPlies                // it mates sooner or later than wanted
	Cooked                    // 余詰: two first moves mate
	Unsound                   // by the analysis
	Unwanted                  // sound, but not as the conditions want it, or not by the line that is wanted
	Open                      // not decided within the limits
	Sound
	NumOutcomes
)

// String names the outcome.
func (o Outcome) String() string {
	return [...]string{"impossible", "no mate", "other plies", "cooked", "unsound", "unwanted", "open", "sound"}[o]
}

// Japanese names the outcome in Japanese.
func (o Outcome) Japanese() string {
	return [...]string{"不可能", "不詰", "手数違い", "余詰", "不完全", "条件外", "未確認", "完全"}[o]
}

// An examiner tells what becomes of candidates. It is for one goroutine.
//
// Each filter is one of soundness by any profile, or by the strict one where all is to be strict, so that
// what falls is what the whole analysis would call unsound: a search that is not decided lets the
// candidate through.
//
// What it says depends on the candidates since the last reset, by what its session remembers: how much
// the limits of a search suffice for.
type examiner struct {
	*Conditions
	effort
	weights  *Weights
	parts    analysis.Part // of the reports
	session  solver.Session
	analyzer *analysis.Analyzer
	line     []shogi.Move // what the solution has to be; nil: any
}

func newExaminer(session solver.Session, c *Conditions, e effort) *examiner {
	return &examiner{Conditions: c, effort: e, weights: &DefaultWeights, parts: analysis.DefaultParts, session: session,
		analyzer: analysis.NewAnalyzer(session)}
}

// An effort is how much work a candidate is worth.
type effort struct {
	nodes    uint64   // of the question whether there is a mate, and of that for a sooner one
	analyses []limits // up to the first defect, as far as one is needed that decides
}

// limits are those of an analysis: in all, and of a question.
type limits struct{ nodes, question uint64 }

// An author who has fixed most of a diagram wants all that there is; of random candidates there are
// always more.
var (
	thorough = effort{30_000, []limits{{60_000, 6_000}, {400_000, 30_000}}}
	brisk    = effort{6_000, []limits{{60_000, 6_000}}} // of what has a mate to be seen: the line that is given
	growing  = effort{2_000, []limits{{60_000, 6_000}}} // of Reverse and Evolve
	hasty    = effort{2_000, []limits{{20_000, 3_000}}}
)

// reset makes the examiner like a new one, so that what it says of candidates does not depend on those
// before.
func (e *examiner) reset() {
	e.session.Reset()
	e.analyzer, e.line = analysis.NewAnalyzer(e.session), nil
}

// known is what is known of a candidate before it is looked at.
type known struct {
	mates  bool         // at any length
	short  bool         // sooner than is wanted, by the raw count
	cooked bool         // as isCooked says
	by     []shogi.Move // checks that mate without coming back to the diagram
}

// examine returns the problem of a candidate if it is sound and meets the conditions. k gets what was
// found out on the way.
func (e *examiner) examine(ctx context.Context, p shogi.Position, k *known) (Problem, Outcome) {
	if _, outcome := e.look(ctx, p, k); outcome != Sound {
		return Problem{}, outcome
	}
	return e.finish(ctx, p)
}

// look is examine as far as short searches and an analysis up to the first defect tell.
func (e *examiner) look(ctx context.Context, p shogi.Position, k *known) (*problem, Outcome) {
	if !e.mayStand(&p) {
		return nil, Impossible
	}
	if outcome := e.search(ctx, p, k); outcome != Sound {
		return nil, outcome
	}
	for _, l := range e.analyses {
		if q, outcome := e.judge(e.analyse(ctx, p, l)); outcome != Open {
			return q, outcome
		}
	}
	return nil, Open
}

// search returns the outcome as far as short searches tell it: Sound if the candidate may be sound,
// and Open if it is not known whether there is a mate.
func (e *examiner) search(ctx context.Context, p shogi.Position, k *known) Outcome {
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
			Limits: solver.Limits{Nodes: e.nodes}})
		if d.Verdict == solver.NoMate {
			return NoMate
		}
		if k.mates = d.Verdict == solver.Mate; !k.mates {
			return Open
		}
		if e.Strict {
			k.by = append(k.by, d.Move) // isCooked need not ask again
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

// decide returns whether Black mates in p within so many plies.
func (e *examiner) decide(ctx context.Context, p shogi.Position, plies int) solver.Verdict {
	return e.session.Decide(ctx, solver.Question{Position: p, Attacker: shogi.Black,
		Limits: solver.Limits{Plies: plies, Nodes: e.nodes}}).Verdict
}

// firstMoveNodes is what each first move gets for the question whether it mates.
const firstMoveNodes = 1_000

// isCooked reports whether two checks in p, in which none mates at once, mate and are unlike each other.
// Then, whichever is the solution, the other is a defect.
//
// Unlike are moves of different kinds of pieces, or a move and a drop: where both mate without coming
// back to p, the other is a cook or a transposition in every profile. It is no dual and no mirror image,
// for those are of one kind of piece, and no detour, which magazines allow.
//
// Where all is to be strict, no dual and no detour may be: any two are unlike that are no mirror images.
func (e *examiner) isCooked(ctx context.Context, p *shogi.Position, k *known) bool {
	unlike := func(m, o shogi.Move) bool { return kindOf(p, m) != kindOf(p, o) }
	marks := []shogi.Position{*p}
	if e.Strict {
		mirrored := p.Mirrored()
		symmetric := mirrored.SamePosition(p)
		unlike = func(m, o shogi.Move) bool { return m != o && !(symmetric && m == o.Mirrored()) }
		marks = nil
	}
	if slices.ContainsFunc(k.by, func(m shogi.Move) bool { return unlike(m, k.by[0]) }) {
		return true
	}
	var buf shogi.MoveBuffer
	for _, m := range p.Checks(&buf, shogi.AllMoves) {
		if len(k.by) > 0 && !unlike(m, k.by[0]) {
			continue
		}
		d := e.session.Decide(ctx, solver.Question{Position: p.After(m), Attacker: shogi.Black, Marks: marks,
			Limits: solver.Limits{Nodes: firstMoveNodes}})
		if d.Verdict != solver.Mate {
			continue
		}
		if k.mates, k.by = true, append(k.by, m); len(k.by) > 1 {
			return true
		}
	}
	return false
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

// analyse reports on p up to the first defect, or to the end with the limits of a report, which has the
// idle pieces where none may be; nil if ctx ended.
func (e *examiner) analyse(ctx context.Context, p shogi.Position, quick limits) *analysis.Analysis {
	q := analysis.Question{Position: p, Line: e.line, Parts: e.parts}
	if quick.nodes > 0 {
		q.Stop, q.Nodes, q.QuestionNodes = analysis.StopFirst, quick.nodes, quick.question
	} else if e.Pleasant {
		q.Parts |= analysis.Economy
	}
	return e.report(ctx, q)
}

// report answers q by the conventions of all problems here, and returns nil if it cannot or ctx ended.
func (e *examiner) report(ctx context.Context, q analysis.Question) *analysis.Analysis {
	q.Attacker, q.Policy, q.Profile = shogi.Black, length.Default, analysis.Magazine
	if e.Strict {
		q.Profile = analysis.Strict
	}
	a, err := e.analyzer.Analyze(ctx, q, nil, nil)
	if err != nil || ctx.Err() != nil {
		return nil
	}
	return a
}

// isSound reports whether a problem is sound for certain, and its length is that of its line and known,
// too. There is no report if the time was up.
func isSound(a *analysis.Analysis) bool {
	return a != nil && a.Sound == analysis.Yes && a.Reason == solver.NoReason && !a.Line.Raw &&
		len(a.Line.Moves) > 0 && a.Length() == length.Exactly(len(a.Line.Moves))
}

// judge returns the problem of a report and what becomes of it, Open if there is no report.
func (e *examiner) judge(a *analysis.Analysis) (*problem, Outcome) {
	switch {
	case a == nil:
		return nil, Open
	case a.Verdict == solver.NoMate:
		return nil, NoMate
	case a.Sound == analysis.No:
		return nil, Unsound
	case !isSound(a):
		return nil, Open
	}
	q := newProblem(a, e.weights)
	switch n := len(q.line); {
	case n < e.Least || n > e.Most:
		return nil, OtherPlies
	case e.line != nil && !slices.Equal(q.line, e.line), !e.meets(q):
		return nil, Unwanted
	}
	return q, Sound
}

// finish returns the problem of p if it is sound and as wanted by the whole analysis, with the
// certificate of its length. Where it has to be pleasant, idle pieces are taken away first.
func (e *examiner) finish(ctx context.Context, p shogi.Position) (Problem, Outcome) {
	a := e.analyse(ctx, p, limits{})
	for e.Pleasant && isSound(a) {
		i := slices.IndexFunc(a.Economy, func(e analysis.IdlePiece) bool { return e.Idle != analysis.No })
		if i < 0 {
			break
		}
		var ok bool
		if p, ok = without(p, a.Economy[i]); !ok {
			return Problem{}, Impossible
		}
		a = e.analyse(ctx, p, limits{})
	}
	q, outcome := e.judge(a)
	switch {
	case outcome != Sound:
		return Problem{}, outcome
	case e.MaxPieces > 0 && countPieces(&p) > e.MaxPieces:
		return Problem{}, Unwanted
	}
	result := q.problem()
	e.reset()
	var ok bool
	if result.Certificate, ok = certify(ctx, e.session, p); !ok {
		return Problem{}, Open
	}
	return result, Sound
}

// certify returns the certificate of the length of p. The session is as new before.
func certify(ctx context.Context, session solver.Session, p shogi.Position) ([]byte, bool) {
	var text bytes.Buffer
	err := certificate.FindLength(ctx, &text, p, shogi.Black, session, certificate.Limits{})
	return text.Bytes(), err == nil
}

// without returns p with White holding a piece that was idle.
func without(p shogi.Position, idle analysis.IdlePiece) (shogi.Position, bool) {
	s := p.Setup()
	if idle.Square.IsValid() {
		s.Board[idle.Square] = shogi.NoPiece
	} else {
		s.Hands[shogi.Black] = s.Hands[shogi.Black].Remove(idle.Piece, 1)
	}
	s.Hands[shogi.White] = s.Hands[shogi.White].Add(idle.Piece.Base(), 1)
	p, err := s.Position()
	return p, err == nil
}
