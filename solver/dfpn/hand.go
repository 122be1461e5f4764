package dfpn

import "github.com/tsumero/tsumero/shogi"

// A solved position is solved for other hands of the attacker as well: a mate is one with more in
// hand, and where there is none there is none with less. So what is stored with a proof is the
// least hand it needs (proof hand), and with a disproof the greatest it withstands (disproof hand).
// The rules follow the known ones: kinds that nobody examined, because one side had none to drop,
// keep the hand at what it was.

// maxHand returns the greater count of each kind.
func maxHand(a, b shogi.Hand) shogi.Hand {
	if a.Covers(b) {
		return a
	}
	var h shogi.Hand
	for k := shogi.Pawn; k <= shogi.Gold; k++ {
		h = h.Add(k, max(a.Count(k), b.Count(k)))
	}
	return h
}

// minHand returns the smaller count of each kind.
func minHand(a, b shogi.Hand) shogi.Hand {
	if b.Covers(a) {
		return a
	}
	var h shogi.Hand
	for k := shogi.Pawn; k <= shogi.Gold; k++ {
		h = h.Add(k, min(a.Count(k), b.Count(k)))
	}
	return h
}

// setCount returns h with n pieces of kind k.
func setCount(h shogi.Hand, k shogi.PieceType, n int) shogi.Hand {
	return h.Remove(k, h.Count(k)).Add(k, n)
}

// total returns everything in hand, of both sides. It is the same at every node of a board.
func total(p *shogi.Position) shogi.Hand { return p.Hand(attacker) + p.Hand(defender) }

// handBefore returns the attacker's hand before his move m that makes child of it: what he needs if
// he needs child after m, and what he may have if child does not suffice after m.
func handBefore(p *shogi.Position, m shogi.Move, child shogi.Hand) shogi.Hand {
	if m.IsDrop() {
		return child.Add(m.Dropped(), 1)
	}
	if captured := p.Piece(m.To()); captured != shogi.NoPiece {
		if k := captured.Type().Base(); child.Has(k) {
			return child.Remove(k, 1)
		}
	}
	return child
}

// proofOfDefence raises to the present hand every kind of which the defender, who is in check,
// could drop an interposition if the attacker had left him one: with fewer in the attacker's hand
// there would be answers nobody tried.
func proofOfDefence(p *shogi.Position, need shogi.Hand) shogi.Hand {
	king := p.King(defender)
	checkers := p.Checkers()
	if checkers.HasMany() {
		return need
	}
	line := shogi.Between(king, checkers.First())
	if line.IsEmpty() {
		return need
	}
	mine, theirs := p.Hand(attacker), p.Hand(defender)
	for k := shogi.Pawn; k <= shogi.Gold; k++ {
		if theirs.Has(k) || !mine.Has(k) {
			continue
		}
		if canDrop(p, defender, k, line) {
			need = setCount(need, k, mine.Count(k))
		}
	}
	return need
}

// canDrop reports whether c may drop a piece of kind k on one of the empty squares of to, pawn-drop
// mate left aside.
func canDrop(p *shogi.Position, c shogi.Color, k shogi.PieceType, to shogi.Bitboard) bool {
	return p.DropSquares(c, k).Intersects(to)
}

// disproofOfAttack takes from fail every kind that the attacker lacks and whose drop could check:
// with one in hand there would be moves nobody tried. If he is in check himself it takes every kind
// that he lacks. That is more than it has to, as what parries must check as well; a smaller
// disproof hand is sound, and only covers less.
func disproofOfAttack(p *shogi.Position, fail shogi.Hand) shogi.Hand {
	fail = minHand(fail, total(p))
	mine := p.Hand(attacker)
	king := p.King(defender)
	occupied := p.Occupied()
	inCheck := p.InCheck()
	for k := shogi.Pawn; k <= shogi.Gold; k++ {
		if mine.Has(k) || !fail.Has(k) {
			continue
		}
		checking := shogi.Attacks(defender, k, king, occupied).And(occupied.Not())
		if inCheck || canDrop(p, attacker, k, checking) {
			fail = setCount(fail, k, 0)
		}
	}
	return fail
}

// disproofOfDefence returns what the attacker may have at a position that the defender saves with
// m, if child does not suffice after it: to drop a piece the defender must have one.
func disproofOfDefence(p *shogi.Position, m shogi.Move, child shogi.Hand) shogi.Hand {
	t := total(p)
	if m.IsDrop() {
		k := m.Dropped()
		return minHand(child, t.Remove(k, 1))
	}
	return minHand(child, t)
}
