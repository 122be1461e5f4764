package shogi

import (
	"cmp"
	"fmt"
	"slices"
)

// A Setup is a position being put together, square by square. Nothing about it need be right until Position is called.
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

// Position returns the position the setup describes, or an *SFENError with every reason why it cannot be one:
// too many pieces of a kind, two kings of a colour, two pawns on a file, pieces that can never move,
// or a side not to move that stands in check.
func (s *Setup) Position() (Position, error) {
	p, problems := s.build()
	if len(problems) == 0 {
		return p, nil
	}
	e := &SFENError{}
	for _, v := range problems {
		v.fault.Offset = -1
		e.Faults = append(e.Faults, v.fault)
	}
	return Position{}, e
}

// A violation is a fault and the square it stands on, NoSquare if it is about no single one.
type violation struct {
	fault  Fault
	square Square
}

func (s *Setup) build() (Position, []violation) {
	var found []violation
	report := func(sq Square, code, field, format string, args ...any) {
		found = append(found, violation{Fault{Code: code, Field: field, Msg: fmt.Sprintf(format, args...)}, sq})
	}

	var total [King]int
	var kings [2]int
	var pawns [2][9]int
	for sq := range Square(NumSquares) {
		pc := s.Board[sq]
		if pc == NoPiece {
			continue
		}
		c, t := pc.Color(), pc.Type()
		if t == King {
			if kings[c]++; kings[c] > 1 {
				report(sq, CodeKingCount, FieldBoard, "found a second %s king on %s, expected at most one", c, sq)
			}
			continue
		}
		base := t.Base()
		if total[base]++; total[base] == FullSet[base]+1 {
			report(sq, CodePieceCount, FieldBoard, "found more than %d %s, a set has %d", FullSet[base], base.name(), FullSet[base])
		}
		if t == Pawn {
			if pawns[c][sq.File()]++; pawns[c][sq.File()] > 1 {
				report(sq, CodeNifu, FieldBoard, "found two %s pawns on file %d (nifu)", c, sq.File()+1)
			}
		}
		if IsDead(c, t, sq) {
			report(sq, CodeDeadPiece, FieldBoard, "found a %s %s on %s, where it can never move", c, t.name(), sq)
		}
	}
	for _, t := range handKinds {
		held := s.Hands[Black].Count(t) + s.Hands[White].Count(t)
		if n := total[t] + held; held > 0 && n > FullSet[t] {
			report(NoSquare, CodePieceCount, FieldHands, "found %d %s (%d on the board, %d in hand), a set has %d", n, t.name(), total[t], held, FullSet[t])
		}
	}
	if s.Side > White {
		report(NoSquare, CodeSide, FieldSide, "found side %d, expected Black or White", s.Side)
	}
	if s.Ply < 1 || s.Ply > MaxPly {
		report(NoSquare, CodePly, FieldPly, "found move number %d, expected 1 to %d", s.Ply, MaxPly)
	}
	// In the order of the text: rank by rank, file 9 first.
	slices.SortStableFunc(found, func(a, b violation) int {
		return cmp.Compare(a.square.textOrder(), b.square.textOrder())
	})
	if len(found) > 0 {
		return Position{}, found
	}

	p := Position{king: [2]Square{NoSquare, NoSquare}, hand: s.Hands, side: s.Side, ply: uint16(s.Ply)}
	for sq, pc := range s.Board {
		if pc != NoPiece {
			p.put(Square(sq), pc)
		}
	}
	if p.side == White {
		p.boardKey ^= zobristWhite
	}
	if checkers := p.checkersOf(p.side ^ 1); !checkers.IsEmpty() {
		report(NoSquare, CodeOpponentInCheck, FieldSide, "%s is to move, but the %s king on %s already stands in check from %s",
			p.side, p.side^1, p.king[p.side^1], checkers.First())
	}
	return p, found
}

// textOrder is where the square stands in the board field of an SFEN; NoSquare comes last.
func (sq Square) textOrder() int {
	if !sq.IsValid() {
		return NumSquares
	}
	return int(sq.Rank())*9 + int(File9-sq.File())
}

var typeNames = [numPieceTypes]string{
	"nothing", "pawn", "lance", "knight", "silver", "bishop", "rook", "gold", "king",
	"tokin", "promoted lance", "promoted knight", "promoted silver", "horse", "dragon",
}

func (t PieceType) name() string { return typeNames[t] }
