package eval

import "github.com/tsumero/tsumero/shogi"

// MaxPlies is how many moves a State can follow.
const MaxPlies = 160

// A State is what the value of a position needs of the moves that led to it. It follows a line of
// moves, one Push for each, and takes them back by Pop. A move is only noted: a search asks for the
// value of two positions in three, and what it needs is made then, from the last position of the
// line that has it.
type State struct {
	net     *accumulators // nil: material and the shelter of the kings alone
	ply     int
	ready   int // the last ply whose balance and sums are made
	moves   [MaxPlies + 1]Change
	balance [MaxPlies + 1]int32 // of the material, from Black's view
}

// NewState returns a State that values by material and the shelter of the kings, corrected by net,
// which may be nil. It needs a Reset.
func NewState(net *Net) *State {
	if net == nil {
		return &State{}
	}
	return &State{net: newAccumulators(net)}
}

// Reset begins a line at p.
func (s *State) Reset(p *shogi.Position) {
	s.ply, s.ready = 0, 0
	s.balance[0] = material(p)
	if s.net != nil {
		s.net.reset(p)
	}
}

// Push follows m, which is about to be played in p.
func (s *State) Push(p *shogi.Position, m shogi.Move) {
	s.ready = min(s.ready, s.ply)
	s.ply++
	s.moves[s.ply] = ChangeOf(p, m)
}

// Pop takes the last Push back.
func (s *State) Pop() { s.ply-- }

// Value returns the value of p, the position at the end of the line, for its side to move. A null
// move needs no Push.
func (s *State) Value(p *shogi.Position) int {
	for s.ready < s.ply {
		s.ready++
		c := &s.moves[s.ready]
		s.balance[s.ready] = s.balance[s.ready-1] + c.material()
		if s.net != nil {
			s.net.update(s.ready, c)
		}
	}
	value := int(s.balance[s.ply] + shelter(p))
	if p.SideToMove() == shogi.White {
		value = -value
	}
	if s.net != nil {
		value += s.net.value(s.ply, p.SideToMove())
	}
	return value
}
