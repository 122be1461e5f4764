package theme

import "github.com/tsumero/tsumero/shogi"

// The search for a mate in a game where a pawn drop may mate. It is bounded by plies and positions and
// depends on nothing else.
const (
	allowedPlies = 9
	allowedNodes = 5_000
)

// matesIfAllowed reports whether Black mates in p, where White is in check, within so many plies, if
// pawn drops may mate. false may also mean that the bounds did not suffice.
func matesIfAllowed(p *shogi.Position, plies int) bool {
	s := allowed{left: allowedNodes}
	for most := 0; most <= min(plies, allowedPlies); most += 2 {
		if s.defence(p, most) {
			return true
		}
	}
	return false
}

type allowed struct{ left int }

func (s *allowed) defence(p *shogi.Position, plies int) bool {
	if s.left--; s.left < 0 {
		return false
	}
	var buf shogi.MoveBuffer
	moves := p.Evasions(&buf, shogi.AllMoves)
	if plies == 0 && len(moves) > 0 {
		return false
	}
	for _, m := range moves {
		next := p.After(m)
		if !s.attack(&next, plies-1) {
			return false
		}
	}
	return true
}

func (s *allowed) attack(p *shogi.Position, plies int) bool {
	if MatesByPawnDrop(p) {
		return true
	}
	var buf shogi.MoveBuffer
	for _, m := range p.Checks(&buf, shogi.AllMoves) {
		next := p.After(m)
		if s.defence(&next, plies-1) {
			return true
		}
	}
	return false
}
