package dfpn

import (
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate1"
)

// SessionBytes is the memory of a session. It is the same everywhere, because what a search finds
// within a limit of nodes depends on what its table has forgotten.
const SessionBytes = 32 << 20

// A Session is a solver.Session: searches of one thread that share a table.
//
// What the table holds is true of a position in one problem. Questions about other problems are kept
// apart by a salt in the board key: the pieces of both sides together, without which a hand of the
// attacker says nothing about the defender's, and the marks.
type Session struct {
	search *searcher
}

// NewSession returns a Session with an empty table.
func NewSession() *Session { return NewSmallSession(SessionBytes) }

// NewSmallSession returns a Session whose table has another size, for short questions. Its answers
// depend on that size.
func NewSmallSession(tableBytes int) *Session {
	return &Session{newSearcher(Options{TableBytes: tableBytes}.withDefaults())}
}

// Reset implements solver.Session.
func (s *Session) Reset() { s.search.forget() }

// Ask implements solver.Session.
func (s *Session) Ask(ctx context.Context, q solver.Question) solver.Result {
	q.Interpositions, q.Aside = solver.Counted, 0
	p, rotated, ok := s.begin(&q)
	if !ok {
		return solver.Result{Reason: solver.ReasonDepth, Solver: name}
	}
	lim := q.Limits
	lim.Proof = true
	r := s.search.solve(ctx, p, lim, rotated)
	if rotated {
		for i, m := range r.Line {
			r.Line[i] = m.Rotated()
		}
	}
	if err := solver.VerifyFor(q.Position, q.Attacker, r, mate1.Find); err != nil {
		return solver.Result{Reason: solver.ReasonUnverified, Nodes: r.Nodes, Solver: name}
	}
	if !q.Limits.Proof {
		r.Proof = nil
	}
	return r
}

// Decide implements solver.Session.
func (s *Session) Decide(ctx context.Context, q solver.Question) solver.Decision {
	p, rotated, ok := s.begin(&q)
	if !ok {
		return solver.Decision{Reason: solver.ReasonDepth}
	}
	h := s.search
	h.ctx, h.proving, h.searching, h.p = ctx, ctx, ctx, p
	h.nodes, h.steps, h.limit, h.reason = 0, 0, q.Limits.Nodes, solver.StopReason(ctx)
	h.progress = progress{}
	length := lengthLimit(q.Limits.Plies)
	if length < forever {
		length += h.mated
	}
	r := h.root(length)
	switch {
	case h.reason != solver.NoReason:
		return solver.Decision{Reason: h.reason, Nodes: h.nodes}
	case r.pn == 0:
		d := solver.Decision{Verdict: solver.Mate, Plies: int(r.len - h.mated), Nodes: h.nodes}
		if p.SideToMove() == attacker {
			if d.Move = r.best; rotated {
				d.Move = d.Move.Rotated()
			}
		}
		return d
	}
	return solver.Decision{Verdict: solver.NoMate, Nodes: h.nodes}
}

// begin prepares the search for q, and returns the position as it looks at it. ok is false if it
// cannot be asked about.
func (s *Session) begin(q *solver.Question) (p shogi.Position, rotated, ok bool) {
	p = q.Position
	if p.King(q.Attacker.Opponent()) == shogi.NoSquare || p.SideToMove() != q.Attacker && !p.InCheck() {
		return p, false, false
	}
	marks := q.Marks
	if rotated = q.Attacker != attacker; rotated {
		p = p.Rotated()
		marks = slices.Clone(marks)
		for i := range marks {
			marks[i] = marks[i].Rotated()
		}
	}
	salt := saltOf(&p, q.Aside, marks)
	if q.Interpositions != solver.Counted {
		salt = mix(salt + uint64(q.Interpositions))
	}
	p.ForSearch().SaltKey(salt ^ asideSalt(q.Aside))
	s.search.free, s.search.aside, s.search.mated = q.Interpositions, q.Aside, 0
	if s.search.free != solver.Counted {
		s.search.mated = matedFree
	}
	s.search.marks = s.search.marks[:0]
	for i := range marks {
		m := &marks[i]
		if m.SideToMove() == attacker {
			s.search.marks = append(s.search.marks, state{m.BoardKey() ^ salt, m.Hand(attacker)})
		}
	}
	return p, rotated, true
}

// saltOf returns what tells the problem of p and the marks from others in the same table.
func saltOf(p *shogi.Position, aside shogi.Hand, marks []shogi.Position) uint64 {
	all := total(p) + aside
	for sq := range p.Occupied().All() {
		if k := p.Piece(sq).Type(); k != shogi.King {
			all = all.Add(k.Base(), 1)
		}
	}
	salt := mix(uint64(all))
	for i := range marks {
		// The order of the marks does not matter.
		salt += mix(marks[i].BoardKey() ^ mix(uint64(marks[i].Hand(attacker))))
	}
	return salt
}

// mix spreads the bits of z (splitmix64).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// markFails reports whether the attacker's position behind ch is marked as a failure, and makes it
// one. It fails with every hand that the mark covers, whatever the path.
func (s *searcher) markFails(ch *child) bool {
	for _, m := range s.marks {
		if m.key == ch.key && m.hand.Covers(ch.hand) {
			ch.value = disprovedValue(m.hand, forever, noLoop)
			return true
		}
	}
	return false
}
