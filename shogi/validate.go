package shogi

// A Setup is a position being put together, square by square. Nothing about it need be right until
// Position is called.
type Setup struct {
	Board [NumSquares]Piece
	Hands [2]Hand
	Side  Color
	Ply   int
}

// Setup returns the parts of p.
func (p *Position) Setup() Setup {
	return Setup{Board: [NumSquares]Piece(p.board[:NumSquares]), Hands: p.hand, Side: p.side, Ply: int(p.ply)}
}

// Position returns the position the setup describes, or an *SFENError with every reason why it
// cannot be one: too many pieces of a kind, two kings of a colour, two pawns on a file, pieces that
// can never move, or a side not to move that stands in check.
func (s *Setup) Position() (Position, error) {
	p, faults := s.build()
	if len(faults) == 0 {
		return p, nil
	}
	return Position{}, &SFENError{Faults: faults}
}

// build returns everything that is wrong with s, and its position, which is one only if nothing is.
// Every fault of FieldBoard has a square.
func (s *Setup) build() (Position, []Fault) {
	var faults []Fault
	report := func(sq Square, field string, text *Text, args ...any) {
		faults = append(faults, Fault{text.Code, field, -1, sq, text.With(args...)})
	}

	p := Position{king: [2]Square{NoSquare, NoSquare}, hand: s.Hands, side: s.Side & 1, ply: uint32(s.Ply)}
	var kings [2]int
	var pawns [2][9]int
	var onBoard [King]int
	var surplus [King]Square // of each kind, the first piece that exceeds the set
	for _, sq := range &textOrder {
		pc := s.Board[sq]
		if pc == NoPiece {
			continue
		}
		t := pc.Type()
		if pc > PieceOf(White, Dragon) || t == NoPieceType || t >= numPieceTypes {
			report(sq, FieldBoard, noPieceValue, uint8(pc), sq)
			continue
		}
		c, base := pc.Color(), t.Base()
		p.put(sq, pc)
		if t == King {
			if kings[c]++; kings[c] > 1 {
				report(sq, FieldBoard, secondKing, c, sq)
			}
			continue
		}
		if onBoard[base]++; onBoard[base] == FullSet[base]+1 {
			surplus[base] = sq
		}
		if t == Pawn {
			if pawns[c][sq.File()]++; pawns[c][sq.File()] > 1 {
				report(sq, FieldBoard, secondPawn, c, int(sq.File())+1)
			}
		}
		if IsDead(c, t, sq) {
			report(sq, FieldBoard, deadPiece, c, t, sq)
		}
	}

	for _, t := range handKinds {
		held := s.Hands[Black].Count(t) + s.Hands[White].Count(t)
		n := onBoard[t] + held
		if n <= FullSet[t] {
			continue
		}
		sq, field := NoSquare, FieldHands
		if onBoard[t] > FullSet[t] {
			sq, field = surplus[t], FieldBoard
		}
		report(sq, field, tooManyPieces, n, t, onBoard[t], held, FullSet[t])
	}
	for c, h := range s.Hands {
		if h&^handFields != 0 {
			report(NoSquare, FieldHands, badHandValue, uint32(h), Color(c))
		}
	}
	if s.Side > White {
		report(NoSquare, FieldSide, badSideValue, uint8(s.Side))
	}
	if s.Ply < 1 || s.Ply > MaxPly {
		report(NoSquare, FieldPly, badPlyValue, s.Ply, MaxPly)
	}

	if p.side == White {
		p.boardKey ^= zobristWhite
	}
	if checkers := p.checkersOf(p.side ^ 1); !checkers.IsEmpty() && kings[p.side^1] == 1 {
		king := p.king[p.side^1]
		report(king, FieldSide, opponentInCheck, p.side, p.side^1, king, checkers.First())
	}
	return p, faults
}

// handFields is the bits of a Hand that can be set.
const handFields = (1<<27 - 1) &^ handSpare

// textOrder is the squares in the order of an SFEN: rank by rank, file 9 first.
var textOrder = func() (order [NumSquares]Square) {
	for i := range order {
		order[i] = SquareAt(File9-File(i%9), Rank(i/9))
	}
	return order
}()

// typeNames are the names of the kinds in sentences.
var typeNames = [numPieceTypes]struct{ en, ja string }{
	{"nothing", "なし"}, {"pawn", "歩"}, {"lance", "香"}, {"knight", "桂"}, {"silver", "銀"}, {"bishop", "角"},
	{"rook", "飛"}, {"gold", "金"}, {"king", "玉"}, {"tokin", "と"}, {"promoted lance", "成香"},
	{"promoted knight", "成桂"}, {"promoted silver", "成銀"}, {"horse", "馬"}, {"dragon", "龍"},
}
