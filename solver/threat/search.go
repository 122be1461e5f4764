package threat

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate1"
)

// A search answers whether the attacker has a brinkmate within so many attacks, for one number of
// them after the other. It is a proof-number search (Allis 1994) that keeps its tree. What it
// answers at a node are questions about mates, which it asks the session again and again, each time
// with more nodes: so what is easy is found before what is hard.
type search struct {
	ctx      context.Context
	session  solver.Session
	attacker shogi.Color
	p        shogi.Position // at the end of the walk through the tree
	buf      shogi.MoveBuffer
	mate1    mate1.Finder
	nodes    uint64
	limit    uint64 // of nodes; 0: none
	reason   solver.Reason
	size     int                          // of the trees, in nodes
	maxSize  int                          // of them
	mates    map[uint64]question          // by the key of the position
	attacks  map[attackKey]*node          // decided, with the attacker to move
	proofs   map[uint64][]*solver.Proof   // of mates after attacks, by the key of the position after the attack
	killers  [MaxAttacks + 1][]shogi.Move // replies that refuted attacks, by the attacks left
	steps    int                          // left to a replay
	reported time.Time
}

// A question is what is known of one about a mate.
type question struct {
	mate  answer
	asked uint8
}

// An attackKey is a position with the attacker to move, and how many attacks he has.
type attackKey struct {
	position uint64
	attacks  int
}

const (
	firstNodes = 8       // of a question asked for the first time
	moreNodes  = 2       // shift of the nodes from one time to the next
	maxAsked   = 24      // after so many times it is asked with all the nodes there are
	maxTree    = 3 << 20 // nodes of the trees, of 40 bytes each
	maxProofs  = 4096    // attacks of which proofs are kept
	mostProofs = 6       // of one attack
)

// What the numbers of a node are before it was looked at.
const (
	guessAttacks = 4 // that an attack of the attacker proves
	guessReply   = 1 // that a reply refutes
	guessNear    = 4 // pn of an attack near the king, or a check
	guessFar     = 8 // pn of others
)

// solve searches n, the position on the board, with the attacker to move and so many attacks, until
// it is decided or the search has to stop.
func (s *search) solve(n *node, attacks int) answer {
	for n.solved() == open && s.goOn(n) {
		s.visit(n, attacks, true)
	}
	return n.solved()
}

// goOn reports whether the search may go on, and how it goes if that is due.
func (s *search) goOn(root *node) bool {
	if s.reason == solver.NoReason {
		switch {
		case s.limit > 0 && s.nodes >= s.limit:
			s.reason = solver.ReasonNodes
		case s.size > s.maxSize:
			s.reason = ReasonMemory
		default:
			s.reason = solver.StopReason(s.ctx)
		}
	}
	if r := solver.ReporterOf(s.ctx); r != nil && time.Since(s.reported) >= r.Every() {
		s.reported = time.Now()
		r.Report(solver.Progress{Nodes: s.nodes, PN: uint64(root.pn), DN: uint64(root.dn)})
	}
	return s.reason == solver.NoReason
}

// visit does the next piece of work at or below n, the position on the board, where the attacker
// has so many attacks left, and is to move or not.
func (s *search) visit(n *node, attacks int, attacking bool) {
	work, other := n.mateNumbers()
	if !attacking {
		work = other
	}
	best := -1
	for i := range n.children {
		w := n.children[i].pn
		if !attacking {
			w = n.children[i].dn
		}
		if w < work {
			best, work = i, w
		}
	}
	guess := number(guessReply)
	if attacking {
		guess = guessAttacks
	}
	switch {
	case !n.expanded && work > guess:
		s.expand(n, attacks, attacking)
	case best < 0:
		s.ask(n, attacking)
	default:
		s.below(n, &n.children[best], attacks, attacking)
	}
	n.addUp(attacking, guess)
	if attacking && attacks > 0 && n.solved() != open && n.mate != yes {
		s.attacks[attackKey{s.p.Key(), attacks}] = n
	}
}

// below visits c, a child of n.
func (s *search) below(n, c *node, attacks int, attacking bool) {
	left := attacks
	if attacking {
		left--
	}
	key := s.p.Key()
	isFirst := !attacking && n.mate == yes && c.mate == open && c.asked == 0
	if isFirst && !n.check {
		s.proveThreat(key)
	}
	u := s.p.Do(c.move)
	if isFirst && s.replays(key) {
		c.mate, c.pn, c.dn = yes, 0, infinity
	} else {
		s.visit(c, left, !attacking)
		if !attacking && c.mate == yes {
			s.keepProof(key)
		}
	}
	s.p.Undo(c.move, u)
	if c.dn > 0 {
		return
	}
	s.size -= c.size()
	c.children = nil // nobody asks why
	if !attacking {
		list := slices.DeleteFunc(s.killers[attacks], func(m shogi.Move) bool { return m == c.move })
		s.killers[attacks] = slices.Insert(list, 0, c.move)[:min(len(list)+1, 4)]
	}
}

// ask asks for a mate, in the position on the board or after a pass.
func (s *search) ask(n *node, attacking bool) {
	if !attacking {
		s.p.ForSearch().DoNull()
		defer s.p.ForSearch().UndoNull()
	}
	key := s.p.Key()
	q := s.mates[key]
	if q.mate == open && q.asked <= n.asked && (s.limit == 0 || s.nodes < s.limit) {
		nodes := uint64(firstNodes) << (moreNodes * q.asked)
		if s.limit > 0 {
			nodes = min(nodes, s.limit-s.nodes)
		}
		d := s.session.Decide(s.ctx, solver.Question{Position: s.p, Attacker: s.attacker,
			Limits: solver.Limits{Nodes: nodes}})
		s.nodes += d.Nodes
		switch {
		case d.Verdict == solver.Mate:
			q.mate = yes
		case d.Verdict == solver.NoMate:
			q.mate = no
		case q.asked == maxAsked:
			s.reason = d.Reason
		default:
			q.asked++
		}
		s.mates[key] = q
	}
	n.mate, n.asked = q.mate, q.asked
}

// expand gives n its children, or what is known of such a position.
func (s *search) expand(n *node, attacks int, attacking bool) {
	s.nodes++
	n.expanded = true
	moves := s.p.LegalMoves(&s.buf, shogi.AllMoves)
	if !attacking {
		s.expandReplies(n, moves, attacks)
		s.size += len(n.children)
		return
	}
	if known := s.attacks[attackKey{s.p.Key(), attacks}]; known != nil {
		n.children = known.children
		return
	}
	s.expandAttacks(n, moves, attacks)
	s.size += len(n.children)
}

// expandAttacks makes nodes of the attacker's moves. The last attack does not check.
func (s *search) expandAttacks(n *node, moves []shogi.Move, attacks int) {
	ci := s.p.CheckInfo()
	king := s.p.King(s.attacker.Opponent())
	n.children = make([]node, 0, len(moves))
	for _, m := range moves {
		c := node{move: m, check: s.p.GivesCheck(m, &ci), pn: guessFar, dn: guessReply}
		if c.check || m.To().Distance(king) <= 2 {
			c.pn = guessNear
		}
		if c.check {
			c.mate = yes
		}
		if !c.check || attacks > 1 {
			n.children = append(n.children, c)
		}
	}
}

// expandReplies makes nodes of the defender's moves. Those that refute soonest come first and have
// the least numbers: a few of them are asked with many nodes before all others are with few, for
// where one refutes an attack it takes more than a few.
func (s *search) expandReplies(n *node, moves []shogi.Move, attacks int) {
	ci := s.p.CheckInfo()
	king := s.p.King(s.p.SideToMove())
	n.children = make([]node, len(moves))
	for i, m := range moves {
		c := node{move: m, pn: 1, expanded: attacks == 0}
		switch {
		case slices.Contains(s.killers[attacks], m), s.p.GivesCheck(m, &ci):
			c.dn = 1
		case !m.IsDrop() && (m.From() == king || s.p.Piece(m.To()) != shogi.NoPiece):
			c.dn = 33
		case m.To().Distance(king) <= 1:
			c.dn = 65
		case !m.IsDrop():
			c.dn = 97
		default:
			c.dn = 129
		}
		n.children[i] = c
	}
	slices.SortStableFunc(n.children, func(a, b node) int {
		i, j := slices.Index(s.killers[attacks], a.move), slices.Index(s.killers[attacks], b.move)
		return cmp.Or(cmp.Compare(a.dn, b.dn), cmp.Compare(uint(i), uint(j)))
	})
}
