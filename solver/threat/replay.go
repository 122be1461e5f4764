package threat

import (
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Most replies to a threat change nothing about its mate, and most of the others ask for one of a
// few other mates. So the moves of the mate after a pass, and of those found after other replies,
// are tried after each reply before anything is searched there. Where they do not fit, a mate in one
// may do. This can only find mates, never miss that a reply refutes: where it fails there is a search.

// proveThreat keeps a proof of the mate after a pass in the position on the board, whose key is given.
func (s *search) proveThreat(key uint64) {
	if s.proofs[key] == nil {
		s.p.ForSearch().DoNull()
		s.keepProof(key)
		s.p.ForSearch().UndoNull()
	}
}

// keepProof keeps the proof of the mate in the position on the board with those of the attack after
// which the key is the given one.
func (s *search) keepProof(key uint64) {
	if len(s.proofs[key]) == mostProofs {
		return
	}
	if len(s.proofs) >= maxProofs {
		clear(s.proofs)
	}
	if proof := s.askProof(); proof != nil {
		s.proofs[key] = append(s.proofs[key], proof)
	}
}

// askProof returns the proof of the mate that there is in the position on the board, nil if there
// was not enough left to make it.
func (s *search) askProof() *solver.Proof {
	r := s.askMate(s.limit)
	return r.Proof
}

// askMate asks for a mate in the position on the board, with its proof, until that has taken all
// nodes up to limit; 0: any number.
func (s *search) askMate(limit uint64) (r solver.Result) {
	lim := solver.Limits{Proof: true}
	if limit > 0 {
		if s.nodes >= limit {
			return solver.Result{Reason: solver.ReasonNodes}
		}
		lim.Nodes = limit - s.nodes
	}
	r = s.session.Ask(s.ctx, solver.Question{Position: s.p, Attacker: s.attacker, Limits: lim})
	s.nodes += r.Nodes
	return r
}

// replays reports whether one of the proofs kept for the key, of other positions, mates in the one on
// the board too.
func (s *search) replays(key uint64) bool {
	for i, proof := range s.proofs[key] {
		s.nodes++
		s.steps = 4*proof.Len() + 64
		if s.replayNode(proof, proof.First()[0].Node, nil) >= 0 {
			copy(s.proofs[key][1:i+1], s.proofs[key][:i])
			s.proofs[key][0] = proof
			return true
		}
	}
	return false
}

// replay returns the proof of a mate in the position on the board that replays one of those kept for
// the key, nil if none of them mates here.
func (s *search) replay(key uint64) *solver.Proof {
	for _, proof := range s.proofs[key] {
		var nodes []solver.ProofNode
		s.steps = 4*proof.Len() + 64
		first := s.replayNode(proof, proof.First()[0].Node, &nodes)
		if first < 0 {
			continue
		}
		own, err := solver.NewProof(s.ctx, s.p, s.attacker, nodes, []solver.ProofReply{{Node: first}}, nil)
		if err == nil {
			return own
		}
	}
	return nil
}

// replayNode plays what the proof has at node i, if there is one, in the position on the board, or a
// mate in one. It returns a negative number if that does not mate, and otherwise the index of the
// node that it adds to made, unless that is nil.
func (s *search) replayNode(proof *solver.Proof, i int32, made *[]solver.ProofNode) int32 {
	if s.steps--; s.steps < 0 {
		return -1
	}
	hand := s.p.Hand(s.attacker)
	m := s.mate1.Find(&s.p)
	var replies []solver.ProofReply
	height := int32(1)
	if m == shogi.NoMove {
		if i < 0 {
			return -1
		}
		n := proof.Node(i)
		ci := s.p.CheckInfo()
		if m = n.Move; !s.p.IsLegal(m) || !s.p.GivesCheck(m, &ci) {
			return -1
		}
		u := s.p.Do(m)
		defer s.p.Undo(m, u)
		for _, d := range slices.Clone(s.p.Evasions(&s.buf, shogi.AllMoves)) {
			next := int32(-1)
			if k := slices.IndexFunc(n.Replies, func(r solver.ProofReply) bool { return r.Move == d }); k >= 0 {
				next = n.Replies[k].Node
			}
			v := s.p.Do(d)
			next = s.replayNode(proof, next, made)
			s.p.Undo(d, v)
			if next < 0 {
				return -1
			}
			if made != nil {
				replies = append(replies, solver.ProofReply{Move: d, Node: next})
				height = max(height, (*made)[next].Height+2)
			}
		}
	}
	if made == nil {
		return 0
	}
	*made = append(*made, solver.ProofNode{Move: m, Height: height, Hand: hand, Replies: replies})
	return int32(len(*made)) - 1
}
