package eval

import "github.com/tsumero/tsumero/shogi"

// MaxPlies is how many moves a State can follow.
const MaxPlies = 160

// A State is what the value of a position needs of the moves that led to it. It follows a line of
// moves, one Push for each, and takes them back by Pop.
type State struct {
	net     *Net // nil: material and the shelter of the kings alone
	ply     int
	balance [MaxPlies + 1]int32 // of the material, from Black's view
}

// A Net is a learned evaluation.
type Net struct{}

// NewState returns a State that values by net, or without one by material and the shelter of the
// kings alone. It needs a Reset.
func NewState(net *Net) *State { return &State{net: net} }

// Reset begins a line at p.
func (s *State) Reset(p *shogi.Position) {
	s.ply = 0
	s.balance[0] = material(p)
}

// Push follows m, which is about to be played in p.
func (s *State) Push(p *shogi.Position, m shogi.Move) {
	change := materialChange(p, m)
	if p.SideToMove() == shogi.White {
		change = -change
	}
	s.balance[s.ply+1] = s.balance[s.ply] + change
	s.ply++
}

// Pop takes the last Push back.
func (s *State) Pop() { s.ply-- }

// Value returns the value of p, the position at the end of the line, for its side to move. A null
// move needs no Push.
func (s *State) Value(p *shogi.Position) int {
	value := int(s.balance[s.ply] + shelter(p))
	if p.SideToMove() == shogi.White {
		return -value
	}
	return value
}
