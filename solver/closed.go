package solver

import (
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
)

// A closedChecker replays a closed set by the plain rules, each member by itself.
type closedChecker struct {
	attacker shogi.Color
	all      [shogi.King]int // pieces in play, by kind
	members  []Member
	boards   map[[shogi.NumSquares]shogi.Piece][]int // the members by their board
	moves    []shogi.Move
}

// VerifyClosed returns nil if the members are a closed set which shows that there is no mate in p
// within so many plies, Endless for any number; first is the reply in p if the defender is to move.
// It returns a *VerifyError otherwise, and the error of ctx if that ends first.
func VerifyClosed(ctx context.Context, p shogi.Position, attacker shogi.Color, plies int,
	first shogi.Move, members []Member) error {
	b := mailbox.From(&p)
	c := closedChecker{attacker: attacker, all: inPlay(&b), members: members,
		boards: map[[shogi.NumSquares]shogi.Piece][]int{}}
	for i := range members {
		squares := members[i].Position.Setup().Board
		c.boards[squares] = append(c.boards[squares], i)
	}
	if p.King(attacker.Opponent()) == shogi.NoSquare {
		return fault(&b, shogi.NoMove, "the defender has no king")
	}
	if p.SideToMove() != attacker {
		if !b.InCheck(b.SideToMove()) {
			return fault(&b, shogi.NoMove, "the defender is to move and not in check")
		}
		if !b.IsLegal(first) {
			return fault(&b, first, "the reply is not legal")
		}
		b.Do(first)
		plies--
	}
	if !c.isCovered(&b, plies) {
		return fault(&b, first, "the position is not covered")
	}
	for i := range members {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.member(&members[i]); err != nil {
			return err
		}
	}
	return nil
}

// inPlay returns how many pieces of each kind are in play.
func inPlay(b *mailbox.Board) (all [shogi.King]int) {
	for sq := range shogi.Square(shogi.NumSquares) {
		if kind := b.Piece(sq).Type().Base(); kind != shogi.King {
			all[kind]++
		}
	}
	all[shogi.NoPieceType] = 0
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		all[kind] += b.Held(shogi.Black, kind) + b.Held(shogi.White, kind)
	}
	return all
}

// member checks that each check has a reply to a position that is covered.
func (c *closedChecker) member(m *Member) error {
	b := mailbox.From(&m.Position)
	if b.SideToMove() != c.attacker || inPlay(&b) != c.all || len(m.Checks) != len(m.Replies) {
		return fault(&b, shogi.NoMove, "the member is not one of this set")
	}
	c.moves = b.AppendLegalMoves(c.moves[:0])
	for _, check := range c.moves {
		after := b
		after.Do(check)
		if !after.InCheck(after.SideToMove()) {
			continue
		}
		i := slices.Index(m.Checks, check)
		if i < 0 || !after.IsLegal(m.Replies[i]) {
			return fault(&after, shogi.NoMove, "the check has no reply")
		}
		after.Do(m.Replies[i])
		if !c.isCovered(&after, m.Plies-2) {
			return fault(&after, shogi.NoMove, "the position is not covered for %d plies", m.Plies-2)
		}
	}
	return nil
}

// isCovered reports whether nothing more need be shown of b, with the attacker to move.
func (c *closedChecker) isCovered(b *mailbox.Board, plies int) bool {
	if plies < 1 {
		return true
	}
	var squares [shogi.NumSquares]shogi.Piece
	for sq := range squares {
		squares[sq] = b.Piece(shogi.Square(sq))
	}
	for _, i := range c.boards[squares] {
		m := &c.members[i]
		if m.Plies < plies {
			continue
		}
		covers := true
		for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
			covers = covers && m.Position.Hand(c.attacker).Count(kind) >= b.Held(c.attacker, kind)
		}
		if covers {
			return true
		}
	}
	quiet := true
	for _, m := range b.LegalMoves() {
		after := *b
		after.Do(m)
		if after.InCheck(after.SideToMove()) && (plies > 2 || !after.HasLegalMove()) {
			quiet = false
			break
		}
	}
	return quiet
}
