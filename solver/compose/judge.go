package compose

import (
	"bytes"
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/certificate"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/mate1"
)

// A Filter is a condition that candidates must meet. They are in the order of their price.
type Filter uint8

const (
	Natural  Filter = iota // as the conditions let a diagram be, and not seen before
	Shorter                // no mate in one, nor sooner than wanted
	Mate                   // there is a mate, and where a line is given every reply is mated in time
	Unique                 // no other check mates, as far as a short search sees
	Analysed               // sound by the analysis, and as wanted
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

// A Judge tells whether positions are sound problems that meet conditions. It is for one goroutine.
//
// What it says depends on the positions since the last Reset, by what its session remembers: how much
// the limits of a search suffice for.
type Judge struct {
	Conditions
	Weights  Weights
	session  solver.Session
	analyzer *analysis.Analyzer
}

// NewJudge returns a Judge that asks session, which nobody else uses meanwhile.
func NewJudge(session solver.Session, c Conditions) *Judge {
	return &Judge{c, DefaultWeights, session, analysis.NewAnalyzer(session)}
}

// Reset makes the Judge like a new one.
func (j *Judge) Reset() {
	j.session.Reset()
	j.analyzer = analysis.NewAnalyzer(j.session)
}

// Try reports quickly whether p is a problem that meets the conditions, and else at which filter it
// fell. What it lets through is sound as far as an analysis with small limits tells, and may still
// have idle pieces.
func (j *Judge) Try(ctx context.Context, p shogi.Position) (Problem, Filter, bool) {
	q, fell, ok := j.try(ctx, p)
	if ok && !j.meets(q) {
		fell, ok = Analysed, false
	}
	if !ok {
		return Problem{}, fell, false
	}
	return q.problem(), NumFilters, true
}

// try is Try for problems of any length and taste: of the conditions it asks for those of the diagram
// and for strictness.
func (j *Judge) try(ctx context.Context, p shogi.Position) (*problem, Filter, bool) {
	if !j.mayStand(&p) {
		return nil, Natural, false
	}
	if j.Least > 1 && mate1.Find(&p) != shogi.NoMove {
		return nil, Shorter, false
	}
	d := j.session.Decide(ctx, solver.Question{Position: p, Attacker: shogi.Black,
		Limits: solver.Limits{Nodes: mateNodes}})
	switch {
	case d.Verdict != solver.Mate:
		return nil, Mate, false
	case j.Least > 3 && j.decide(ctx, p, j.Least-2, shorterNodes) == solver.Mate:
		return nil, Shorter, false
	case !j.isUnique(ctx, &p, d.Move):
		return nil, Unique, false
	}
	if a := j.analyse(ctx, p, true); isSound(a) && (isStrict(a) || !j.Strict) {
		return newProblem(a, &j.Weights), NumFilters, true
	}
	return nil, Analysed, false
}

// tryMoves is Try for a position before a problem, with the check and the reply that lead to it, which
// must begin its line.
func (j *Judge) tryMoves(ctx context.Context, q predecessor, plies int) (*problem, Filter, bool) {
	p := q.Position
	if !j.mayStand(&p) {
		return nil, Natural, false
	}
	if mate1.Find(&p) != shogi.NoMove {
		return nil, Shorter, false
	}
	if j.decide(ctx, p.After(q.Check), plies-1, mateNodes) != solver.Mate {
		return nil, Mate, false
	}
	if plies > 3 && j.decide(ctx, p, plies-2, shorterNodes) == solver.Mate {
		return nil, Shorter, false
	}
	if !j.isUnique(ctx, &p, q.Check) {
		return nil, Unique, false
	}
	if a := j.analyse(ctx, p, true); isSound(a) && len(a.Line.Moves) == plies &&
		a.Line.Moves[0] == q.Check && a.Line.Moves[1] == q.Reply && (isStrict(a) || !j.Strict) {
		return newProblem(a, &j.Weights), NumFilters, true
	}
	return nil, Analysed, false
}

// isUnique reports whether no check but one mates, as far as a short search sees. Duals, which are
// moves of one kind of piece, count where all is to be strict.
func (j *Judge) isUnique(ctx context.Context, p *shogi.Position, check shogi.Move) bool {
	kind := func(m shogi.Move) shogi.PieceType {
		if m.IsDrop() {
			return m.Dropped()
		}
		return p.Piece(m.From()).Type()
	}
	var buf shogi.MoveBuffer
	for _, m := range slices.Clone(p.Checks(&buf, shogi.AllMoves)) {
		if m == check || !j.Strict && m.IsDrop() == check.IsDrop() && kind(m) == kind(check) {
			continue
		}
		if j.decide(ctx, p.After(m), 0, uniqueNodes) == solver.Mate {
			return false
		}
	}
	return true
}

// Finish analyses p with the limits of a report. ok is true if it is sound for certain and meets the
// conditions, and has a certificate of its length. Where it has to be pleasant, idle pieces are taken
// away first. The session is as new afterwards.
func (j *Judge) Finish(ctx context.Context, p shogi.Position) (result Problem, ok bool) {
	for {
		a := j.analyse(ctx, p, false)
		if !isSound(a) {
			return result, false
		}
		isIdle := func(e analysis.IdlePiece) bool { return e.Idle != analysis.No }
		if i := slices.IndexFunc(a.Economy, isIdle); i >= 0 && j.Pleasant {
			if p, ok = without(p, a.Economy[i]); !ok {
				return result, false
			}
			continue
		}
		q := newProblem(a, &j.Weights)
		if !j.meets(q) || j.MaxPieces > 0 && countPieces(&p) > j.MaxPieces {
			return result, false
		}
		result = q.problem()
		j.Reset()
		result.Certificate, ok = certify(ctx, j.session, p)
		return result, ok
	}
}

// certify returns the certificate of the length of p. The session is as new before.
func certify(ctx context.Context, session solver.Session, p shogi.Position) ([]byte, bool) {
	var text bytes.Buffer
	err := certificate.FindLength(ctx, &text, p, shogi.Black, session, certificate.Limits{})
	return text.Bytes(), err == nil
}

// decide returns whether Black mates in p within so many plies, 0 for any number.
func (j *Judge) decide(ctx context.Context, p shogi.Position, plies int, nodes uint64) solver.Verdict {
	return j.session.Decide(ctx, solver.Question{Position: p, Attacker: shogi.Black,
		Limits: solver.Limits{Plies: plies, Nodes: nodes}}).Verdict
}

// analyse reports on p, nil if ctx ended: quickly and to the first defect, or with all that is told of
// a problem.
func (j *Judge) analyse(ctx context.Context, p shogi.Position, quick bool) *analysis.Analysis {
	q := analysis.Question{Position: p, Attacker: shogi.Black, Policy: length.Default, Profile: analysis.Magazine,
		Parts: analysis.DefaultParts | analysis.Difficulty}
	if quick {
		q.Stop, q.Nodes, q.QuestionNodes = analysis.StopFirst, analysisNodes, questionNodes
		if j.Strict {
			q.Profile = analysis.Strict
		}
	} else if j.Pleasant {
		q.Parts |= analysis.Economy
	}
	a, err := j.analyzer.Analyze(ctx, q, nil, nil)
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

// problem returns what leaves of a problem, as far as it is known without the archive.
func (q *problem) problem() Problem {
	result := Problem{Position: q.position, Line: q.line, Strict: q.strict, Captures: q.captures, Score: q.score,
		Key: collection.Key(&q.position, shogi.Black)}
	for _, f := range q.found {
		result.Themes = append(result.Themes, f.ID)
	}
	return result
}
