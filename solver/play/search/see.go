package search

import (
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play/eval"
)

// leastValuable are the kinds of piece in the order in which they capture in an exchange: by what
// their loss costs.
var leastValuable = [...]shogi.PieceType{
	shogi.Pawn, shogi.Lance, shogi.Tokin, shogi.Knight, shogi.ProLance, shogi.ProKnight,
	shogi.Silver, shogi.ProSilver, shogi.Gold, shogi.Bishop, shogi.Horse, shogi.Rook, shogi.Dragon,
	shogi.King,
}

// captureOrder is where each kind stands in leastValuable.
var captureOrder = func() (order [16]uint8) {
	for i, t := range leastValuable {
		order[t] = uint8(i)
	}
	return order
}()

// firstCaptor returns which of attackers, not none, captures first, and its kind.
func firstCaptor(p *shogi.Position, attackers shogi.Bitboard) (from shogi.Square, t shogi.PieceType) {
	from = attackers.Pop()
	t = p.Piece(from).Type()
	for !attackers.IsEmpty() {
		sq := attackers.Pop()
		if other := p.Piece(sq).Type(); captureOrder[other&15] < captureOrder[t&15] {
			from, t = sq, other
		}
	}
	return from, t
}

// winsExchange reports whether m, a pseudo-legal move, followed by captures on its square with the
// least valuable piece each time, as long as they pay, changes the balance by threshold or more for
// the side that plays it (static exchange evaluation). Pins are not looked at, and nobody promotes
// but m.
func winsExchange(p *shogi.Position, m shogi.Move, threshold int32) bool {
	to := m.To()
	us := p.SideToMove()
	balance := -threshold
	occupied := p.Occupied().With(to)
	var next shogi.PieceType // what stands on to, and may be captured
	if m.IsDrop() {
		next = m.Dropped()
	} else {
		from := m.From()
		next = p.Piece(from).Type()
		occupied = occupied.Without(from)
		balance += eval.CaptureValue[p.Piece(to).Type()&15]
		if m.IsPromotion() {
			balance += eval.PromotionValue[next&15]
			next = next.Promoted()
		}
	}
	if balance < 0 {
		return false
	}
	balance -= eval.CaptureValue[next&15]
	if balance >= 0 {
		return true // even if the piece is lost for nothing
	}
	side := us.Opponent()
	for {
		// The balance is that of us, the piece on to given up already; side is to capture it.
		attackers := p.AttackersTo(to, side, occupied).And(occupied)
		if attackers.IsEmpty() {
			return side != us
		}
		var from shogi.Square
		from, next = firstCaptor(p, attackers)
		if next == shogi.King {
			// It may capture only what nobody protects.
			without := occupied.Without(from)
			protected := !p.AttackersTo(to, side.Opponent(), without).And(without).IsEmpty()
			return (side == us) != protected
		}
		occupied = occupied.Without(from)
		if side == us {
			balance -= eval.CaptureValue[next&15]
			if balance >= 0 {
				return true
			}
		} else {
			balance += eval.CaptureValue[next&15]
			if balance < 0 {
				return false
			}
		}
		side = side.Opponent()
	}
}
