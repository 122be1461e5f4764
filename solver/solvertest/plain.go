package solvertest

import (
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
)

// Shortest returns the length of the shortest mate of p if it has at most the given number of
// plies, Never otherwise. It tries every move of the plain rules of package mailbox and knows no
// shortcut, so it is a second witness for any solver, as far as a few plies go. p must be a mate
// problem: solver.Attacker must know who attacks.
func Shortest(p *shogi.Position, plies int) int {
	attacker, err := solver.Attacker(p)
	if err != nil {
		panic(err)
	}
	b := mailbox.From(p)
	if b.SideToMove() == attacker {
		return plainAttack(b, plies)
	}
	return plainDefence(b, plies)
}

// plainAttack returns the length of the shortest mate with the attacker to move.
func plainAttack(b mailbox.Board, plies int) int {
	if plies < 1 {
		return Never
	}
	shortest := Never
	for _, m := range b.LegalMoves() {
		after := b
		after.Do(m)
		if !after.InCheck(after.SideToMove()) {
			continue
		}
		if n := plainDefence(after, plies-1); n < Never {
			shortest = n + 1
			if plies = shortest - 2; plies < 1 { // only a shorter one is of interest now
				break
			}
		}
	}
	return shortest
}

// plainDefence returns the length of the longest defence with the defender to move and in check,
// Never if one is longer than the given number of plies.
func plainDefence(b mailbox.Board, plies int) int {
	if plies < 2 {
		if plies < 0 || b.HasLegalMove() {
			return Never
		}
		return 0
	}
	longest := 0
	for _, m := range b.LegalMoves() {
		after := b
		after.Do(m)
		n := plainAttack(after, plies-1)
		if n == Never {
			return Never
		}
		longest = max(longest, n+1)
	}
	return longest
}
