package shogi

// An occurrence is what the repetition rule needs to know of a position that was on the board. It
// costs 24 bytes where the Position would cost hundreds, and games of a megabyte of moves are
// accepted.
type occurrence struct {
	boardKey uint64
	hands    [2]Hand
	inCheck  bool // the side to move was
	passed   bool // the side to move passed (DoNull)
}

func occurrenceOf(p *Position, inCheck bool) occurrence {
	return occurrence{boardKey: p.boardKey, hands: p.hand, inCheck: inCheck}
}

// A Line is the positions of a game and of the moves that a search plays on from its end, as far as
// repetition asks for them. Lines come from Game.Line. Of positions, only those whose board keys
// agree count as the same; two that differ agree about once in 2^64 pairs.
type Line struct {
	past []occurrence
	root int // past[root:] are positions of the search
	// seen counts the positions in past by a few bits of their board keys: most positions are
	// nobody's repetition, and zero says so at once.
	seen [lineBuckets]int32
}

const lineBuckets = 1 << 12

// Line returns the line that begins with the positions of g before the current one.
func (g *Game) Line() *Line {
	l := &Line{past: make([]occurrence, len(g.history), len(g.history)+256), root: len(g.history)}
	copy(l.past, g.history)
	for i := range l.past {
		l.seen[l.past[i].boardKey%lineBuckets]++
	}
	return l
}

// Push adds p, in which a move is about to be made.
func (l *Line) Push(p *Position, inCheck bool) {
	l.past = append(l.past, occurrenceOf(p, inCheck))
	l.seen[p.boardKey%lineBuckets]++
}

// PushNull adds p, in which the side to move is about to pass. What came before is no repetition
// of what comes after.
func (l *Line) PushNull(p *Position) {
	l.Push(p, false)
	l.past[len(l.past)-1].passed = true
}

// Pop takes the last Push back.
func (l *Line) Pop() {
	last := len(l.past) - 1
	l.seen[l.past[last].boardKey%lineBuckets]--
	l.past = l.past[:last]
}

// WasCheck reports whether the side to move in the position pushed last was in check.
func (l *Line) WasCheck() bool { return len(l.past) > 0 && l.past[len(l.past)-1].inCheck }

// A LineRepetition is what a search may conclude, for the side to move, from a position that it has
// seen before.
type LineRepetition uint8

// The conclusions.
const (
	NoLineRepetition LineRepetition = iota
	RepetitionDraws                 // the moves between lead nowhere
	RepetitionWins                  // the opponent, alone, has checked with every move between
	RepetitionLoses                 // the side to move has
	RepetitionGains                 // the same board, but the side to move has more in hand now
	RepetitionWastes                // the same board, but it has less in hand now
)

// Repetition tells what the positions before say of p, the current one, whose side to move is in
// check or not. No position before a pass counts.
//
// The fourth occurrence is judged as Game.Repetition does. Before that one occurrence in the search
// is enough, or two in the game: who went round once can do so again. It is judged by the moves
// since the first of them, as the fourth would be. Hands that changed on an unchanged board count
// for positions of the search alone, and only if nothing repeats.
func (l *Line) Repetition(p *Position, inCheck bool) LineRepetition {
	if l.seen[p.boardKey%lineBuckets] == 0 {
		return NoLineRepetition
	}
	us := p.side & 1
	// checks[c] is whether c has checked with every move since.
	var checks [2]bool
	checks[us], checks[us^1] = true, inCheck
	count, result := 1, NoLineRepetition
	side := us
	for i := len(l.past) - 1; i >= 0; i-- {
		side ^= 1
		past := &l.past[i]
		if past.passed {
			break
		}
		if past.boardKey == p.boardKey {
			switch {
			case past.hands == p.hand:
				if count++; count > 2 || i >= l.root {
					result = repetitionFor(us, checks)
				}
				if count == repetitionsForDraw {
					return result
				}
			case i < l.root || result != NoLineRepetition:
			case p.hand[us].Covers(past.hands[us]):
				result = RepetitionGains
			case past.hands[us].Covers(p.hand[us]):
				result = RepetitionWastes
			}
		}
		checks[side^1] = checks[side^1] && past.inCheck
	}
	return result
}

func repetitionFor(us Color, checks [2]bool) LineRepetition {
	switch {
	case checks[us] && !checks[us^1]:
		return RepetitionLoses
	case checks[us^1] && !checks[us]:
		return RepetitionWins
	}
	return RepetitionDraws
}
