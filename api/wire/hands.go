package wire

import (
	"fmt"

	"github.com/tsumero/tsumero/shogi"
)

// What a request may say of pieces that are neither on the board nor in a hand. Without a word they
// do not exist either, and a note says so.
const (
	HandsAsGiven  = "as_given" // they do not exist
	HandsComplete = "complete" // the defender holds them
)

// ApplyHands gives the pieces that are missing in p to the defender if hands, one of the constants
// or empty, is HandsComplete. It returns how many are missing then, for a note; 0 for HandsAsGiven.
func ApplyHands(p *shogi.Position, defender shogi.Color, hands string) (missing int) {
	switch hands {
	case HandsAsGiven:
		return 0
	case HandsComplete:
		p.GiveMissing(defender)
	}
	return p.Missing().Len()
}

// SetHands does with the pieces that are missing what a request says. Position and attacker must be
// set.
func (q *Question) SetHands(hands string) {
	q.Missing = ApplyHands(&q.Position, q.Attacker.Opponent(), hands)
	q.Notes = append(q.Notes, Notes(q.Missing)...)
	if hands == HandsComplete {
		q.SFEN = q.Position.ProblemSFEN()
	}
}

// Notes returns the notes of an answer whose position lacks a number of pieces.
func Notes(missing int) []Note {
	if missing == 0 {
		return nil
	}
	are, them := "pieces of a set are", "them"
	if missing == 1 {
		are, them = "piece of a set is", "it"
	}
	return []Note{{
		Code: NoteMissing,
		TextJa: fmt.Sprintf("駒が%d枚足りません。どちらの持駒でもないものとして扱いました。"+
			"玉方の持駒とするには、hands を complete とします。", missing),
		TextEn: fmt.Sprintf("%d %s missing, which is taken to mean that nobody holds %s. "+
			"With hands=complete the defender does.", missing, are, them),
	}}
}
