package shogi

// A Game is a position and the moves that were played from it, with what repetition needs to know.
// The zero Game is not usable; games come from NewGame or ParsePosition.
type Game struct {
	start    Position
	position Position
	moves    []Move
	history  []Position // history[i] is the position before moves[i]
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
	g.history = append(g.history, g.position)
	g.moves = append(g.moves, m)
	g.position.Do(m)
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

// Repetition reports whether the current position has now occurred four times, and if so, whether one side gave
// check with each of its moves since the first occurrence (連続王手の千日手), which loses for that side.
func (g *Game) Repetition() Repetition {
	count, first := 1, -1
	for i := len(g.history) - 2; i >= 0; i -= 2 { // the same side must be to move
		if g.history[i].SamePosition(&g.position) {
			count, first = count+1, i
			if count == repetitionsForDraw {
				break
			}
		}
	}
	if count < repetitionsForDraw {
		return NoRepetition
	}
	// after(i) is the position after moves[i]; moves[first] was played by the side that is now to move.
	after := func(i int) *Position {
		if i+1 < len(g.history) {
			return &g.history[i+1]
		}
		return &g.position
	}
	checked := [2]bool{true, true}
	for i := first; i < len(g.moves); i++ {
		if pos := after(i); !pos.InCheck() {
			checked[pos.side^1] = false
		}
	}
	switch {
	case checked[Black]:
		return PerpetualByBlack
	case checked[White]:
		return PerpetualByWhite
	}
	return Sennichite
}
