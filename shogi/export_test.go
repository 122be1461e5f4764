package shogi

// What the tests of package shogi_test need to see of the inside.

const (
	MaxFaults     = maxFaults
	NumPieceTypes = numPieceTypes
)

// ZobristWords returns every random word that board keys are made of.
func ZobristWords() []uint64 {
	words := []uint64{zobristWhite}
	for c := Black; c <= White; c++ {
		for t := Pawn; t < numPieceTypes; t++ {
			for sq := range NumSquares {
				words = append(words, zobrist[PieceOf(c, t)][sq])
			}
		}
	}
	return words
}

// Seen returns by how many of the positions each bucket of l is used.
func (l *Line) Seen() [lineBuckets]int32 { return l.seen }

// InventChecks makes it so that every move of g so far gave check.
func (g *Game) InventChecks() {
	for i := range g.history {
		g.history[i].inCheck = true
	}
}
