package analysis

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/certificate"
	"github.com/tsumero/tsumero/solver/length"
)

// optional does what was asked for besides the test of soundness.
func (w *work) optional() {
	if w.q.Parts&(Tries|SideMates) != 0 {
		w.begin(PhaseOptional)
		w.best = length.NewPlay(lineLengths{w}, shogi.Black)
		if w.q.Parts&Tries != 0 {
			w.tries()
		}
		if w.q.Parts&SideMates != 0 {
			w.sideMates()
		}
	}
	w.enter(PhaseOptional)
	if w.q.Parts&Economy != 0 {
		w.economy()
	}
	if w.q.Parts&Difficulty != 0 {
		w.difficulty()
	}
	w.findThemes()
	w.certify()
}

// maxCertificate is the most bytes of a certificate in a report. The command certificate, and package
// certificate, write longer ones.
const maxCertificate = 1 << 20

// certify writes the certificate of the verdict, of the problem as it was given. It is not logged: it
// is made again.
func (w *work) certify() {
	if w.q.Parts&Certified == 0 || w.a.Verdict == solver.Unknown {
		return
	}
	p, attacker := w.given.Position, w.given.Attacker
	w.session.Reset()
	var out bytes.Buffer
	var err error
	if w.a.Verdict == solver.NoMate {
		err = w.certifyNoMate(&out, p, attacker)
	} else if proof := w.askPlain(p, attacker, solver.Limits{Proof: true}).Proof; proof != nil {
		err = certificate.Mate(w.ctx, &out, p, attacker, proof)
	}
	if err != nil || out.Len() == 0 || out.Len() > maxCertificate {
		w.open(cmp.Or(solver.StopReason(w.ctx), solver.ReasonNodes))
		return
	}
	w.a.Certificate = out.String()
	w.update("/certificate", 1, 1)
}

// certifyNoMate writes the certificate that there is no mate, with the nodes that are left.
func (w *work) certifyNoMate(out *bytes.Buffer, p shogi.Position, attacker shogi.Color) error {
	s, ok := w.session.(solver.Refuter)
	if reason := w.stopped(); !ok || reason != solver.NoReason {
		return &certificate.UndecidedError{SFEN: p.SFEN(), Reason: reason}
	}
	return certificate.NoMate(w.ctx, out, p, attacker, spending{s.Closure(), w},
		certificate.Limits{Nodes: w.left - w.floor})
}

// spending is a closure whose nodes are those of the work.
type spending struct {
	solver.Closure
	work *work
}

func (s spending) Cover(ctx context.Context, p shogi.Position, plies int, nodes uint64) (shogi.Move, solver.Decision) {
	m, d := s.Closure.Cover(ctx, p, plies, nodes)
	s.work.spend(d.Nodes)
	s.work.note(d.Reason)
	return m, d
}

func (s spending) Close(ctx context.Context, members int, nodes uint64) solver.Decision {
	d := s.Closure.Close(ctx, members, nodes)
	s.work.spend(d.Nodes)
	s.work.note(d.Reason)
	return d
}

// difficulty takes the facts from the report, and from the size of the proof of the first mate found.
func (w *work) difficulty() {
	w.session.Reset()
	w.a.proof = w.askPlain(w.p, shogi.Black, solver.Limits{Proof: true}).Proof
	w.a.Difficulty = difficultyOf(w.a)
	w.update("/difficulty", 1, 1)
}

// askPlain asks without the log.
func (w *work) askPlain(p shogi.Position, attacker shogi.Color, lim solver.Limits) solver.Result {
	if reason := w.stopped(); reason != solver.NoReason {
		w.open(reason)
		return solver.Result{Reason: reason}
	}
	if lim.Nodes == 0 || lim.Nodes > w.left {
		lim.Nodes = w.left
	}
	r := w.session.Ask(w.ctx, solver.Question{Position: p, Attacker: attacker, Limits: lim})
	w.spend(r.Nodes)
	w.note(r.Reason)
	return r
}

// tryNodes are for the search for a reply that refutes a check.
const tryNodes = 20_000

// tries finds a refutation of each check that does not mate.
func (w *work) tries() {
	for i := range w.nodes {
		n := &w.nodes[i]
		for j := range n.checks {
			if c := &n.checks[j]; c.Verdict == solver.NoMate && w.stopped() == solver.NoReason {
				if m := w.refutation(n.p().After(c.Move)); m != shogi.NoMove {
					c.Line = []shogi.Move{c.Move, m}
				}
			}
		}
		w.publish(n)
		w.update(n.pointer, i+1, len(w.nodes))
	}
}

// refutation returns a reply in p after which there is no mate: the one that leaves the fewest
// checks, of those that can be shown to escape.
func (w *work) refutation(p shogi.Position) shogi.Move {
	var buf shogi.MoveBuffer
	replies := slices.Clone(p.Evasions(&buf, shogi.AllMoves))
	checks := map[shogi.Move]int{}
	for _, m := range replies {
		next := p.After(m)
		checks[m] = next.CountChecks()
	}
	slices.SortStableFunc(replies, func(a, b shogi.Move) int {
		return cmp.Or(checks[a]-checks[b], length.ComparePreferred(&p, a, b))
	})
	for nodes := uint64(tryNodes / 16); nodes <= tryNodes; nodes *= 16 {
		for _, m := range replies {
			if checks[m] == 0 {
				return m
			}
			if w.ask(solver.Question{Position: p.After(m), Limits: solver.Limits{Nodes: nodes}}).Verdict == solver.NoMate {
				return m
			}
		}
	}
	return shogi.NoMove
}

// sideMates looks for second mates in the shorter variations that take as long as the main line, or
// longer, and need leave nothing over.
func (w *work) sideMates() {
	total := w.a.lineLength()
	for i, node := range w.a.Defence {
		for _, r := range node.Replies {
			if r.Kind != ShorterReply || r.Raw {
				continue
			}
			line := positions(w.line[node.Ply-1], r.Line)
			for at := 1; at < len(r.Line); at += 2 {
				w.sideMatesAt(Place{Ply: node.Ply, Move: r.Move}, line[at], r.Line[:at], r.Line[at], node.Ply-1+at, total)
			}
		}
		w.update("/side_mates", i+1, len(w.a.Defence))
	}
}

// sideMatesAt looks at the checks in p other than main, after so many plies of the problem.
func (w *work) sideMatesAt(variation Place, p shogi.Position, before []shogi.Move, main shogi.Move, plies, total int) {
	for _, m := range length.PreferredChecks(&p) {
		if m == main || w.stopped() != solver.NoReason {
			continue
		}
		next := p.After(m)
		r := w.ask(solver.Question{Position: next, Limits: solver.Limits{Nodes: min(w.q.QuestionNodes, tryNodes)}})
		if r.Verdict != solver.Mate {
			continue
		}
		v := w.interval(next, r.Plies(), tryNodes)
		mate := SideMate{Variation: variation, At: plies + 1, Move: m,
			Length: length.Interval{Low: plies + 1 + v.Low, High: plies + 1 + v.High}}
		rest := r.Line
		if v.IsExact() {
			if mate.Length.High < total {
				continue
			}
			if c, ok := w.best.Defence(next, v.Low); ok && c.Least > 0 {
				continue
			}
			if best, ok := w.best.Line(next, v.Low); ok {
				rest = best
			}
		} else if mate.Length.High < total {
			continue
		}
		mate.Line = slices.Concat(before, []shogi.Move{m}, rest)
		w.a.SideMates = append(w.a.SideMates, mate)
	}
}

// economy asks of every piece whether the problem is the same without it, the defender holding it
// instead.
func (w *work) economy() {
	v := w.a.Length()
	pieces := w.removable()
	for i, piece := range pieces {
		if w.stopped() != solver.NoReason || !v.IsExact() {
			w.open(cmp.Or(w.stopped(), solver.ReasonNodes))
		} else if p, ok := without(w.p, piece, w.p.Missing() == 0); !ok {
			piece.Idle = No
		} else {
			piece.Idle = w.isSame(p, v.Low, w.left/uint64(len(pieces)-i))
		}
		w.a.Economy = append(w.a.Economy, piece)
		w.update("/economy", i+1, len(pieces))
	}
}

// removable returns the pieces of the diagram, kings left out, and the kinds in the attacker's hand.
func (w *work) removable() (list []IdlePiece) {
	for sq := range w.p.Occupied().All() {
		if k := w.p.Piece(sq).Type(); k != shogi.King {
			list = append(list, IdlePiece{Square: sq, Piece: k})
		}
	}
	for k := shogi.Pawn; k <= shogi.Gold; k++ {
		if w.p.Hand(shogi.Black).Has(k) {
			list = append(list, IdlePiece{Square: shogi.NoSquare, Piece: k})
		}
	}
	return list
}

// without returns p without a piece, which the defender holds then, if he is to. ok is false if
// there is no such position.
func without(p shogi.Position, piece IdlePiece, given bool) (q shogi.Position, ok bool) {
	s := p.Setup()
	if piece.Square.IsValid() {
		s.Board[piece.Square] = shogi.NoPiece
	} else {
		s.Hands[shogi.Black] = s.Hands[shogi.Black].Remove(piece.Piece, 1)
	}
	if given {
		s.Hands[shogi.White] = s.Hands[shogi.White].Add(piece.Piece.Base(), 1)
	}
	q, err := s.Position()
	if err != nil || ValidAttacker(&q, shogi.Black) != nil {
		return q, false
	}
	return q, true
}

// isSame reports whether p, the problem without a piece, has the same length, its main line is one of
// the best there, and it has no defect that the problem has not.
func (w *work) isSame(p shogi.Position, plies int, nodes uint64) Answer {
	w.session.Reset()
	w.lengths.Forget()
	w.lengths.Begin(shogi.Black, w.q.Policy)
	n, reason := w.lengths.Within(w.ctx, p, plies, min(nodes, w.q.QuestionNodes))
	w.spend(w.lengths.Nodes())
	switch {
	case reason != solver.NoReason:
		w.note(reason)
		return Unknown
	case n != plies:
		return No
	}
	q := w.q
	q.Position, q.Line, q.Parts, q.Nodes = p, w.a.Line.Moves, Attack|Duals, nodes
	q.Profile, q.Stop = w.q.Profile, StopFirst
	z := Analyzer{w.session, w.lengths}
	a, err := z.Analyze(w.ctx, q, nil, nil)
	if err != nil {
		return Unknown
	}
	w.spend(a.Nodes)
	if !a.Repeatable {
		w.a.Repeatable = false
	}
	if a.Author.Finding != Agrees && a.Author.Finding != AuthorUnknown {
		return No
	}
	same := Yes
	for i, r := range a.Rules {
		if r.Severity != Fail || r.Rule == RuleHands || w.rule(r.Rule) == No {
			continue
		}
		if r.Rule == RuleLonger && a.Author.Finding == Agrees {
			continue // each of his replies lasts as long as any, though the others were not asked about
		}
		if r.Holds == No {
			return No
		}
		if a.Rules[i].Holds == Unknown {
			same = Unknown
		}
	}
	return same
}

// rule returns what the problem comes to under a rule, as far as is known.
func (w *work) rule(rule Rule) Answer {
	w.a.Judge()
	for _, r := range w.a.Rules {
		if r.Rule == rule {
			return r.Holds
		}
	}
	return Unknown
}
