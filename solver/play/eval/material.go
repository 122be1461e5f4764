package eval

import "github.com/tsumero/tsumero/shogi"

// PieceValue is what a piece on the board is worth, in centipawns. A piece in hand is worth as much
// as on the board.
var PieceValue = [16]int32{
	shogi.Pawn: 90, shogi.Lance: 315, shogi.Knight: 405, shogi.Silver: 495,
	shogi.Gold: 540, shogi.Bishop: 855, shogi.Rook: 990,
	shogi.Tokin: 540, shogi.ProLance: 540, shogi.ProKnight: 540, shogi.ProSilver: 540,
	shogi.Horse: 945, shogi.Dragon: 1395,
}

// CaptureValue is what the capture of a piece changes the balance by: the piece is lost on one side,
// and its base kind won on the other.
var CaptureValue = func() (values [16]int32) {
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		if t != shogi.King {
			values[t] = PieceValue[t] + PieceValue[t.Base()]
		}
	}
	return values
}()

// PromotionValue is what a piece gains by promotion, by its base kind.
var PromotionValue = func() (values [16]int32) {
	for t := shogi.Pawn; t < shogi.King; t++ {
		if t.CanPromote() {
			values[t] = PieceValue[t.Promoted()] - PieceValue[t]
		}
	}
	return values
}()

// material returns the balance of p from Black's view.
func material(p *shogi.Position) (balance int32) {
	for c := shogi.Black; c <= shogi.White; c++ {
		sign := 1 - 2*int32(c)
		for t := shogi.Pawn; t <= shogi.Dragon; t++ {
			balance += sign * PieceValue[t] * int32(p.PiecesOf(c, t).Len())
			if t < shogi.King {
				balance += sign * PieceValue[t] * int32(p.Hand(c).Count(t))
			}
		}
	}
	return balance
}

// ShelterValue is what each own piece next to the king is worth, in centipawns.
const ShelterValue = 20

// shelter returns the balance of the pieces that stand around their kings, from Black's view.
func shelter(p *shogi.Position) int32 {
	var n [2]int
	for c := shogi.Black; c <= shogi.White; c++ {
		if king := p.King(c); king != shogi.NoSquare {
			n[c] = p.Pieces(c).And(shogi.Neighbours(king)).Len()
		}
	}
	return ShelterValue * int32(n[shogi.Black]-n[shogi.White])
}
