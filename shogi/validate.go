package shogi

import "fmt"

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
	report := func(sq Square, code, field, format string, args ...any) {
		faults = append(faults, Fault{code, field, -1, sq, fmt.Sprintf(format, args...)})
	}

	p := Position{king: [2]Square{NoSquare, NoSquare}, hand: s.Hands, side: s.Side & 1, ply: uint32(s.Ply)}
	var kings [2]int
	var pawns [2][9]int
	var onBoard [King]int
	var surplus [King]Square // of each kind, the first piece that exceeds the set
	for _, sq := range textOrder {
		pc := s.Board[sq]
		if pc == NoPiece {
			continue
		}
		t := pc.Type()
		if pc > PieceOf(White, Dragon) || t == NoPieceType || t >= numPieceTypes {
			report(sq, CodePieceLetter, FieldBoard, "found no piece but the value %d on %s", uint8(pc), sq)
			continue
		}
		c, base := pc.Color(), t.Base()
		p.put(sq, pc)
		if t == King {
			if kings[c]++; kings[c] > 1 {
				report(sq, CodeKingCount, FieldBoard, "found a second %s king on %s, expected at most one", c, sq)
			}
			continue
		}
		if onBoard[base]++; onBoard[base] == FullSet[base]+1 {
			surplus[base] = sq
		}
		if t == Pawn {
			if pawns[c][sq.File()]++; pawns[c][sq.File()] > 1 {
				report(sq, CodeNifu, FieldBoard, "found a second %s pawn on file %d (nifu)", c, sq.File()+1)
			}
		}
		if IsDead(c, t, sq) {
			report(sq, CodeDeadPiece, FieldBoard, "found a %s %s on %s, where it can never move", c, t.name(), sq)
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
		report(sq, CodePieceCount, field, "found %d %ss (%d on the board, %d in hand), a set has %d", n, t.name(), onBoard[t], held, FullSet[t])
	}
	for c, h := range s.Hands {
		if h&^handFields != 0 {
			report(NoSquare, CodeHandCount, FieldHands, "found no hand but the value %#x for %s", uint32(h), Color(c))
		}
	}
	if s.Side > White {
		report(NoSquare, CodeSide, FieldSide, "found the value %d, expected Black or White", uint8(s.Side))
	}
	if s.Ply < 1 || s.Ply > MaxPly {
		report(NoSquare, CodePly, FieldPly, "found move number %d, expected 1 to %d", s.Ply, MaxPly)
	}

	if p.side == White {
		p.boardKey ^= zobristWhite
	}
	if checkers := p.checkersOf(p.side ^ 1); !checkers.IsEmpty() && kings[p.side^1] == 1 {
		king := p.king[p.side^1]
		report(king, CodeOpponentInCheck, FieldSide, "%s is to move, but the %s king on %s already stands in check from %s",
			p.side, p.side^1, king, checkers.First())
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

var typeNames = [numPieceTypes]string{
	"nothing", "pawn", "lance", "knight", "silver", "bishop", "rook", "gold", "king",
	"tokin", "promoted lance", "promoted knight", "promoted silver", "horse", "dragon",
}

func (t PieceType) name() string { return typeNames[t] }
