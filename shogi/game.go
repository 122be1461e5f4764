package shogi

import "slices"

// A Game is a position and the moves that were played from it, with what repetition needs to know.
// The zero Game is not usable; games come from NewGame or ParsePosition. Of a Game and its copy,
// only one may go on.
type Game struct {
	start    Position
	position Position
	moves    []Move
	history  []occurrence // history[i] is the position before moves[i]
}

// NewGame returns the game that starts at p, with no move played.
func NewGame(p Position) Game { return Game{start: p, position: p} }

// Start returns the position the game began with.
func (g *Game) Start() Position { return g.start }

// Position returns the current position.
func (g *Game) Position() Position { return g.position }

// Moves returns the moves played. The caller must not change them.
func (g *Game) Moves() []Move { return g.moves }

// Do plays m, which must be legal.
func (g *Game) Do(m Move) {
	g.history = append(g.history, occurrenceOf(&g.position, g.position.InCheck()))
	g.moves = append(g.moves, m)
	g.position.Do(m)
}

// GaveCheck reports whether Moves()[i] gave check; of i = -1, whether the game began in check.
func (g *Game) GaveCheck(i int) bool {
	if i+1 < len(g.history) {
		return g.history[i+1].inCheck
	}
	return g.position.InCheck()
}

// After returns the game that goes on with m, which must be legal. Unlike a copy, both may go on.
func (g *Game) After(m Move) Game {
	next := *g
	next.moves, next.history = slices.Clip(g.moves), slices.Clip(g.history)
	next.Do(m)
	return next
}

// A Repetition is what the fourfold-repetition rule says of a position.
type Repetition uint8

// The outcomes of the repetition rule.
const (
	NoRepetition       Repetition = iota // the position has occurred fewer than four times
	Sennichite                           // fourth occurrence: a draw (千日手)
	PerpetualByBlack                     // fourth occurrence, Black checked with every move between: Black loses
	PerpetualByWhite                     // the same for White
	repetitionsForDraw = 4
)

// Repetition reports whether the current position, hands and side to move included, has now
// occurred four times, and if so, whether one side alone gave check with each of its moves since
// the first of the four (連続王手の千日手), which loses for that side. Only positions whose board
// keys agree count as the same; two that differ agree about once in 2^64 pairs.
func (g *Game) Repetition() Repetition {
	now := occurrenceOf(&g.position, false)
	side := g.position.side & 1
	// checks[c] is whether c has checked with every move since. A check by the last move is told by
	// the second and third of the four, which are the same position.
	checks := [2]bool{true, true}
	count := 1
	for i := len(g.history) - 1; i >= 0; i-- {
		side ^= 1
		past := g.history[i]
		if past.boardKey == now.boardKey && past.hands == now.hands {
			if count++; count == repetitionsForDraw {
				break
			}
		}
		checks[side^1] = checks[side^1] && past.inCheck
	}
	switch {
	case count < repetitionsForDraw:
		return NoRepetition
	case checks[Black] && !checks[White]:
		return PerpetualByBlack
	case checks[White] && !checks[Black]:
		return PerpetualByWhite
	}
	return Sennichite
}
