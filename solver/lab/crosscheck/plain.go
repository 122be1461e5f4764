package crosscheck

import "github.com/tsumero/tsumero/shogi"

// plain compares the position with the plain rules. What package shogi says of it agrees with
// c.marks by now, so those are compared.
func (c *checker) plain() *Disagreement {
	p := &c.p
	if sfen := p.SFEN(); sfen != c.b.SFEN() {
		return c.differ(0, "its SFEN is written as %s", sfen)
	} else if again, err := shogi.ParseSFEN(sfen); err != nil || again != *p {
		return c.differ(0, "its SFEN does not read back to the same position (error: %v)", err)
	}
	if turned := p.Rotated(); !isRotated(p, &turned) || turned.Rotated() != *p ||
		turned.BoardKey() != turned.ForSearch().RecomputeBoardKey() {
		return c.differ(0, "Rotated is %s, or its key is wrong, or rotated again it is not the same",
			turned.SFEN())
	}
	list := c.b.AppendLegalMoves(c.useBuf[:0])
	if !c.same(list, inPlain, isLegal, len(c.legal)) {
		return c.listsDiffer("LegalMoves of all moves", c.legal, list, "the plain rules")
	}
	if err := c.plainMoves(); err != nil {
		return err
	}
	return c.isLegalEverywhere()
}

// isRotated reports whether q is p turned by half a turn with the colours exchanged.
func isRotated(p, q *shogi.Position) bool {
	for sq := range shogi.Square(shogi.NumSquares) {
		want := p.Piece(sq)
		if want != shogi.NoPiece {
			want = shogi.PieceOf(want.Color().Opponent(), want.Type())
		}
		if q.Piece(shogi.NumSquares-1-sq) != want {
			return false
		}
	}
	return q.Hand(shogi.Black) == p.Hand(shogi.White) && q.Hand(shogi.White) == p.Hand(shogi.Black) &&
		q.SideToMove() != p.SideToMove()
}

// plainMoves makes every pseudo-legal move on both boards.
func (c *checker) plainMoves() *Disagreement {
	p := &c.p
	us := p.SideToMove()
	king := p.King(us)
	for _, m := range c.pseudo {
		known := c.marks[m]
		after := c.b
		after.Do(m)
		check := after.InCheck(after.SideToMove())
		if known&isLegal == 0 {
			if !after.InCheck(us) && !c.b.IsPawnDropMate(m) {
				return c.differ(m, "PseudoLegalMoves has it, which breaks more than IsLegal asks about")
			}
			if !m.IsDrop() && m.From() == king {
				continue
			}
		}
		if got := known&isCheck != 0; got != check {
			return c.differ(m, "that it gives check is %v, by the plain rules it is %v", got, check)
		}
		if known&isLegal == 0 {
			continue
		}
		if got, want := known&isMate != 0, check && !after.HasLegalMove(); got != want {
			return c.differ(m, "that it mates is %v, by the plain rules it is %v", got, want)
		}
		u := c.rules.do(p, m)
		wrong := p.BoardKey() != p.ForSearch().RecomputeBoardKey()
		c.rules.undo(p, m, u)
		if wrong {
			return c.differ(m, "the key after it is not the recomputed one")
		}
	}
	return nil
}

// isLegalEverywhere asks IsLegal about every move that can be written of the pieces of the side to
// move, and about every drop.
func (c *checker) isLegalEverywhere() *Disagreement {
	for b := c.p.Pieces(c.p.SideToMove()); !b.IsEmpty(); {
		from := b.Pop()
		if err := c.isLegalFrom(shogi.NewMove(from, 0), shogi.NumSquares); err != nil {
			return err
		}
		if err := c.isLegalFrom(shogi.NewPromotion(from, 0), shogi.NumSquares); err != nil {
			return err
		}
	}
	for kind := shogi.Pawn; kind <= shogi.King; kind++ {
		if err := c.isLegalFrom(shogi.NewDrop(kind, 0), shogi.NumSquares); err != nil {
			return err
		}
	}
	return nil
}
