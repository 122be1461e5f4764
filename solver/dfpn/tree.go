package dfpn

import (
	"errors"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
)

// A proof tree is the attacker's plan: for each position with the attacker to move one check, and after it, for every
// legal defence, the position that follows. It is a graph without cycles, since every step comes nearer to the mate.
type proofTree struct {
	nodes    []proofNode
	index    map[state]int32
	forced   map[state]shogi.Move // the moves of the line that the tree must contain
	verified []bool               // by node
}

// A state is a board with the side to move, and the attacker's hand: all there is to a position.
type state struct {
	key  uint64
	hand shogi.Hand
}

// A proofNode is a position with the attacker to move.
type proofNode struct {
	move    shogi.Move
	height  int32 // plies to the mate against the longest defence
	answers []answer
}

// An answer is a legal defence and the node that follows it.
type answer struct {
	move shogi.Move
	node int32
}

const broken = -1

// attempts is how often a position is searched again whose proof the table lost meanwhile.
const attempts = 100

// prove makes the tree of the position on the board, which the search proved to be mate within length plies, and replays it
// by the plain rules. The tree contains the line along, whose moves it returns; without one, the line of the longest
// defence.
func (s *searcher) prove(along []shogi.Move, length int32) (line []shogi.Move, ok bool) {
	t := proofTree{index: map[state]int32{}, forced: s.states(along)}
	b := mailbox.From(&s.p)
	if s.p.SideToMove() == attacker {
		i := s.build(&t, length)
		if i == broken || s.verify(&t, b, i) != nil {
			return nil, false
		}
		line = t.line(i)
	} else {
		// The defender begins: each of his moves has a tree.
		for _, d := range slices.Clone(s.p.Evasions(&s.moves, shogi.AllMoves)) {
			u := s.p.Do(d)
			i := s.build(&t, length-1)
			s.p.Undo(d, u)
			if i == broken {
				return nil, false
			}
			after := b
			after.Do(d)
			if s.verify(&t, after, i) != nil {
				return nil, false
			}
			if rest := t.line(i); len(rest) >= len(line) {
				line = append([]shogi.Move{d}, rest...)
			}
		}
		if line == nil && !b.IsMated() {
			return nil, false
		}
	}
	if along != nil && len(along) >= len(line) {
		line = along
	}
	return line, true
}

// states returns the attacker's positions on the line, with his moves.
func (s *searcher) states(line []shogi.Move) map[state]shogi.Move {
	forced := map[state]shogi.Move{}
	p := s.p
	for _, m := range line {
		if p.SideToMove() == attacker {
			forced[state{p.BoardKey(), p.Hand(attacker)}] = m
		}
		p.Do(m)
	}
	return forced
}

// step looks at the clock now and then while a tree is made or replayed. It reports whether to go on.
func (s *searcher) step() bool {
	if s.steps++; s.steps%256 == 0 {
		s.poll()
	}
	return s.reason == solver.NoReason
}

// verify replays every line of the tree below node i, whose position is on the board b, by the plain rules: each move of
// the attacker is legal and checks, every legal defence has an answer, and each step comes nearer to the mate.
func (s *searcher) verify(t *proofTree, b mailbox.Board, i int32) error {
	if len(t.verified) < len(t.nodes) {
		t.verified = append(t.verified, make([]bool, len(t.nodes)-len(t.verified))...)
	}
	if t.verified[i] {
		return nil
	}
	if !s.step() {
		return errStopped
	}
	n := &t.nodes[i]
	if !b.IsLegal(n.move) || !b.GivesCheck(n.move) {
		return errBroken
	}
	b.Do(n.move)
	defences := b.LegalMoves()
	if len(defences) != len(n.answers) {
		return errBroken
	}
	for _, a := range n.answers {
		if !slices.Contains(defences, a.move) || t.nodes[a.node].height > n.height-2 {
			return errBroken
		}
		after := b
		after.Do(a.move)
		if err := s.verify(t, after, a.node); err != nil {
			return err
		}
	}
	t.verified[i] = true
	return nil
}

var (
	errBroken  = errors.New("dfpn: the proof does not hold")
	errStopped = errors.New("dfpn: stopped")
)

// build makes the tree of the position on the board, which was proved with a mate within length plies and whose attacker
// is to move. It returns broken if the search for what the table has forgotten is cut short, or finds no mate.
func (s *searcher) build(t *proofTree, length int32) int32 {
	st := state{s.p.BoardKey(), s.p.Hand(attacker)}
	if i, ok := t.index[st]; ok && t.nodes[i].height <= length {
		return i
	}
	if !s.step() {
		return broken
	}
	checks := slices.Clone(s.p.Checks(&s.moves, shogi.AllMoves))
	for attempt := 0; ; attempt++ {
		m := t.forced[st]
		if m == shogi.NoMove {
			m = s.provingMove(checks, length)
		}
		if m != shogi.NoMove {
			if i := s.plan(t, st, m, length); i != broken || s.reason != solver.NoReason {
				return i
			}
		}
		if attempt == attempts || s.reason != solver.NoReason {
			return broken
		}
		// Forgotten, or never kept: search it again.
		if r := s.root(length); r.pn != 0 {
			if s.reason == solver.NoReason {
				s.reason = solver.ReasonUnverified // two searches contradict each other
			}
			return broken
		}
	}
}

// provingMove returns the check after which the table has the shortest mate, if one within length plies in all.
func (s *searcher) provingMove(checks []shogi.Move, length int32) shogi.Move {
	if m := s.mate1.Find(&s.p); m != shogi.NoMove {
		return m
	}
	best, bestLen := shogi.NoMove, length
	for _, m := range checks {
		var r look
		s.table.look(s.p.BoardKeyAfter(m), s.p.HandAfter(m), bestLen-1, 0, &r)
		if r.pn == 0 && r.len+1 <= bestLen {
			if best == shogi.NoMove || r.len+1 < bestLen {
				best, bestLen = m, r.len+1
			}
		}
	}
	return best
}

// plan adds the node that answers st with m.
func (s *searcher) plan(t *proofTree, st state, m shogi.Move, length int32) int32 {
	u := s.p.Do(m)
	defer s.p.Undo(m, u)
	defences := slices.Clone(s.p.Evasions(&s.moves, shogi.AllMoves))
	n := proofNode{move: m, height: 1, answers: make([]answer, 0, len(defences))}
	for _, d := range defences {
		v := s.p.Do(d)
		i := s.build(t, length-2)
		s.p.Undo(d, v)
		if i == broken {
			return broken
		}
		n.answers = append(n.answers, answer{d, i})
		n.height = max(n.height, t.nodes[i].height+2)
	}
	// A proof that passes st again has a shorter one in it. Without this a line could repeat a position.
	if i, ok := t.index[st]; ok && t.nodes[i].height <= n.height {
		return i
	}
	t.nodes = append(t.nodes, n)
	i := int32(len(t.nodes) - 1)
	t.index[st] = i
	return i
}

// line returns the moves of the tree from node i when the defender resists longest.
func (t *proofTree) line(i int32) []shogi.Move {
	var line []shogi.Move
	for {
		n := &t.nodes[i]
		line = append(line, n.move)
		best := -1
		for j, a := range n.answers {
			if best < 0 || t.nodes[a.node].height > t.nodes[n.answers[best].node].height {
				best = j
			}
		}
		if best < 0 {
			return line
		}
		line = append(line, n.answers[best].move)
		i = n.answers[best].node
	}
}
