package threat

import (
	"cmp"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
)

// A Plan is how the attacker, to move, gets to a mate whatever the defender does: by an attack, and
// after each reply by checks or by another plan. It was replayed by the plain rules (planner) and
// does not change.
type Plan struct {
	Attack  shogi.Move
	Attacks int           // at most so many, this one included
	Pass    *solver.Proof // of the mate if the defender passed; nil if the attack checks
	Replies []Reply       // to all legal moves of the defender, in the order of solver.CompareMoves
}

// A Reply is a move of the defender and what comes of it: a mate, or otherwise another attack.
type Reply struct {
	Move shogi.Move
	Mate *solver.Proof
	Plan *Plan
}

// Last returns the plan of the last attack of the line in which the defender holds out longest, and
// that line, which ends with it. p, the position of the plan, becomes that in which it is played.
func (l *Plan) Last(p *shogi.Position) (last *Plan, line []shogi.Move) {
	for {
		line = append(line, l.Attack)
		best := -1
		for i, r := range l.Replies {
			if r.Plan != nil && (best < 0 || r.Plan.Attacks > l.Replies[best].Plan.Attacks) {
				best = i
			}
		}
		if best < 0 {
			return l, line
		}
		p.Do(l.Attack)
		p.Do(l.Replies[best].Move)
		line = append(line, l.Replies[best].Move)
		l = l.Replies[best].Plan
	}
}

// A Kind is what sort of reply a move is.
type Kind uint8

// The kinds, in the order in which a move is asked what it is.
const (
	Check    Kind = iota // of the attacker's king
	Capture              // of a piece
	KingMove             // by the defender's king
	Drop                 // of a piece
	Move                 // by any other piece
)

var kinds = [...]string{"check", "capture", "king_move", "drop", "move"}

// String returns "check", "capture", "king_move", "drop" or "move".
func (k Kind) String() string { return kinds[k] }

// A Group is the replies to an attack that are of one kind, and if they are drops on one square.
type Group struct {
	Kind    Kind
	Square  shogi.Square // of drops; otherwise NoSquare
	Replies []Reply
}

// Groups returns the replies of the plan of p in groups, by kind and square.
func (l *Plan) Groups(p shogi.Position) (groups []Group) {
	p.Do(l.Attack)
	ci := p.CheckInfo()
	for _, r := range l.Replies {
		g := Group{Kind: Move, Square: shogi.NoSquare}
		switch m := r.Move; {
		case p.GivesCheck(m, &ci):
			g.Kind = Check
		case p.Piece(m.To()) != shogi.NoPiece:
			g.Kind = Capture
		case m.IsDrop():
			g.Kind, g.Square = Drop, m.To()
		case m.From() == p.King(p.SideToMove()):
			g.Kind = KingMove
		}
		i := slices.IndexFunc(groups, func(o Group) bool { return o.Kind == g.Kind && o.Square == g.Square })
		if i < 0 {
			i = len(groups)
			groups = append(groups, g)
		}
		groups[i].Replies = append(groups[i].Replies, r)
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Square, b.Square))
	})
	return groups
}

// plan returns the plan of n, which was proved: the position on the board with the attacker to move.
// b is the same board of the plain rules, by which each attack and each list of replies is looked at
// again. It returns nil if s.reason ends that.
func (s *search) plan(n *node, b mailbox.Board) *Plan {
	i := slices.IndexFunc(n.children, func(c node) bool { return c.pn == 0 })
	if i < 0 || !s.goOn(n) {
		return s.unverified()
	}
	c := &n.children[i]
	if !b.IsLegal(c.move) {
		return s.unverified()
	}
	checks := b.GivesCheck(c.move)
	u := s.p.Do(c.move)
	defer s.p.Undo(c.move, u)
	b.Do(c.move)
	key := s.p.Key()
	l := &Plan{Attack: c.move, Attacks: 1}
	if !checks {
		after := b
		after.Pass()
		s.p.ForSearch().DoNull()
		l.Pass = s.proofHere(key, after)
		s.p.ForSearch().UndoNull()
		if l.Pass == nil {
			return nil
		}
	}
	moves := b.LegalMoves()
	slices.SortFunc(moves, func(x, y shogi.Move) int { return solver.CompareMoves(&s.p, x, y) })
	for _, d := range moves {
		k := slices.IndexFunc(c.children, func(r node) bool { return r.move == d && r.pn == 0 })
		if k < 0 {
			return s.unverified()
		}
		r := Reply{Move: d}
		v := s.p.Do(d)
		after := b
		after.Do(d)
		if c.children[k].mate == yes {
			r.Mate = s.proofHere(key, after)
		} else if r.Plan = s.plan(&c.children[k], after); r.Plan != nil {
			if r.Plan.isMate() {
				r.Mate, r.Plan = s.proofHere(key, after), nil
			} else {
				l.Attacks = max(l.Attacks, r.Plan.Attacks+1)
			}
		}
		s.p.Undo(d, v)
		if r.Mate == nil && r.Plan == nil {
			return nil
		}
		l.Replies = append(l.Replies, r)
	}
	return l
}

// isMate reports whether the plan is a mate: a check after each reply to which there is a mate. The
// search may find such a one where it asked for the mate in vain.
func (l *Plan) isMate() bool { return l.Pass == nil && l.Attacks == 1 }

// unverified gives up a plan that does not hold, a bug, or that the search has no time for.
func (s *search) unverified() *Plan {
	if s.reason == solver.NoReason {
		s.reason = solver.ReasonUnverified
	}
	return nil
}

// proofHere returns the proof of the mate in the position on the board, which must be b: one of those
// kept for the key, if it fits, or as the session makes it. It returns nil if s.reason ends that.
func (s *search) proofHere(key uint64, b mailbox.Board) *solver.Proof {
	if own := mailbox.From(&s.p); own.Position() != b.Position() {
		s.unverified()
		return nil
	}
	if proof := s.replay(key); proof != nil {
		return proof
	}
	proof := s.askProof()
	if proof == nil && s.reason == solver.NoReason {
		if s.reason = solver.StopReason(s.ctx); s.reason == solver.NoReason {
			s.reason = solver.ReasonProof
		}
	}
	return proof
}
