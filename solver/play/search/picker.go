package search

import "github.com/tsumero/tsumero/shogi"

// A picker hands out the moves of a position, those first that are likely to be best, and generates
// no more of them than it is asked for:
//
//	the move of the table
//	captures that do not lose material, by what they capture
//	quiet moves, by their history
//	captures that lose material
//
// In check all moves come in one stage, by history.
type picker struct {
	stage      stage
	quiescence bool // captures alone
	inCheck    bool
	tableMove  shogi.Move
	next, end  int // of the current stage
	losing     int // captures that lose material are the first so many of captures
	reply      *[pieceSquares]int16
	reply2     *[pieceSquares]int16
	moves      []shogi.Move // of the current stage
	learned    int          // of the searcher, when the quiet moves got their scores
	fetched    int          // the quiet moves before this one were fetched
	captures   shogi.MoveBuffer
	quiets     shogi.MoveBuffer
	scores     [1024]int32
}

type stage uint8

const (
	stageTable stage = iota
	stageGenerateCaptures
	stageCaptures
	stageGenerateQuiets
	stageQuiets
	stageLosing
	stageGenerateEvasions
	stageEvasions
	stageDone
)

// begin starts over for p.
func (k *picker) begin(tableMove shogi.Move, inCheck, quiescence bool,
	reply, reply2 *[pieceSquares]int16) {
	k.stage, k.inCheck, k.quiescence = stageTable, inCheck, quiescence
	k.tableMove, k.reply, k.reply2 = tableMove, reply, reply2
	k.losing = 0
}

// pick returns the next move, NoMove after the last.
func (k *picker) pick(s *searcher, p *shogi.Position) shogi.Move {
	for {
		switch k.stage {
		case stageTable:
			k.stage = stageGenerateCaptures
			if k.inCheck {
				k.stage = stageGenerateEvasions
			}
			if k.tableMove != shogi.NoMove {
				return k.tableMove
			}
		case stageGenerateCaptures:
			k.moves = p.Captures(&k.captures, shogi.UsefulMoves)
			k.scoreCaptures(s, p)
			k.next, k.end = 0, len(k.moves)
			k.stage = stageCaptures
		case stageCaptures:
			for k.next < k.end {
				m := k.best()
				if m == k.tableMove {
					continue
				}
				if !winsExchange(p, m, 0) {
					if !k.quiescence {
						k.captures[k.losing] = m // its place has been handed out already
						k.losing++
					}
					continue
				}
				return m
			}
			k.stage = stageGenerateQuiets
			if k.quiescence {
				k.stage = stageDone
			}
		case stageGenerateQuiets:
			k.moves = p.ForSearch().Quiets(&k.quiets, shogi.UsefulMoves)
			k.scoreQuiets(s, p)
			k.learned = s.learned
			k.fetched = 0
			k.sort()
			k.next, k.end = 0, len(k.moves)
			k.stage = stageQuiets
		case stageQuiets:
			for k.next < k.end {
				m := k.moves[k.next]
				k.next++
				if m != k.tableMove {
					return m
				}
			}
			k.moves = k.captures[:k.losing]
			k.next, k.end = 0, k.losing
			k.stage = stageLosing
		case stageLosing:
			if k.next < k.end {
				k.next++
				return k.moves[k.next-1]
			}
			k.stage = stageDone
		case stageGenerateEvasions:
			k.moves = p.LegalMoves(&k.quiets, shogi.UsefulMoves)
			k.scoreEvasions(s, p)
			k.next, k.end = 0, len(k.moves)
			k.stage = stageEvasions
		case stageEvasions:
			for k.next < k.end {
				if m := k.best(); m != k.tableMove {
					return m
				}
			}
			k.stage = stageDone
		case stageDone:
			return shogi.NoMove
		}
	}
}

// best takes the move with the highest score of those left.
func (k *picker) best() shogi.Move {
	moves, scores := k.moves[:k.end], k.scores[:k.end]
	at := k.next
	for i := at + 1; i < len(scores) && i < len(moves); i++ {
		if scores[i] > scores[at] {
			at = i
		}
	}
	m := moves[at]
	moves[at], scores[at] = moves[k.next], scores[k.next]
	k.next++
	return m
}

// sort puts the moves with a positive score first, highest first. The others keep their order.
func (k *picker) sort() {
	moves := k.moves
	scores := k.scores[:len(moves)]
	sorted := 0
	for i, score := range scores {
		if score <= 0 {
			continue
		}
		m := moves[i]
		moves[i], scores[i] = moves[sorted], scores[sorted]
		j := sorted
		for ; j > 0 && scores[j-1] < score; j-- {
			moves[j], scores[j] = moves[j-1], scores[j-1]
		}
		moves[j], scores[j] = m, score
		sorted++
	}
}

func (k *picker) scoreCaptures(s *searcher, p *shogi.Position) {
	for i, m := range k.moves {
		k.scores[i] = s.captureScore(p, m)
	}
}

// captureScore is high for moves that capture much.
func (s *searcher) captureScore(p *shogi.Position, m shogi.Move) int32 {
	victim := p.Piece(m.To()).Type() & 15
	score := 8 * captureValue[victim]
	pc := mover(p, m)
	score += int32(s.history.capture[pc&31][m.To()&127][victim])
	if m.IsPromotion() {
		score += 8 * promotionValue[pc.Type()&15]
	}
	return score
}

func (s *searcher) quietScore(k *picker, p *shogi.Position, m shogi.Move) int32 {
	pc, to := mover(p, m), m.To()
	i := pieceSquare(pc, to)
	return int32(s.history.quiet[drops(m)][pc&31][to&127]) + int32(k.reply[i]) + int32(k.reply2[i])
}

// scoreNow is the quietScore of moves[i], one of the quiet moves, as the histories are now. Mostly
// they are as they were: at depth 1 nothing below learns.
func (k *picker) scoreNow(s *searcher, p *shogi.Position, i int) int32 {
	if k.learned == s.learned {
		return k.scores[i]
	}
	return s.quietScore(k, p, k.moves[i])
}

// scoreQuiets gives each move its quietScore. The moves of a piece follow one another.
func (k *picker) scoreQuiets(s *searcher, p *shogi.Position) {
	const destination = 127 // the bits of it in a move
	var quiet *[128]int16
	var reply, reply2 *[shogi.NumSquares]int16
	last := shogi.Move(destination) // no origin
	scores := k.scores[:len(k.moves)]
	for i, m := range k.moves {
		if origin := m &^ destination; origin != last {
			last = origin
			pc := mover(p, m)
			row := pieceSquare(pc, 0)
			quiet = &s.history.quiet[drops(m)][pc&31]
			reply = (*[shogi.NumSquares]int16)(k.reply[row:])
			reply2 = (*[shogi.NumSquares]int16)(k.reply2[row:])
		}
		to := m.To()
		scores[i] = int32(quiet[to&127]) + int32(reply[to]) + int32(reply2[to])
	}
}

// scoreEvasions puts captures first.
func (k *picker) scoreEvasions(s *searcher, p *shogi.Position) {
	for i, m := range k.moves {
		if p.Piece(m.To()) != shogi.NoPiece {
			k.scores[i] = 1<<20 + s.captureScore(p, m)
		} else {
			k.scores[i] = s.quietScore(k, p, m)
		}
	}
}
