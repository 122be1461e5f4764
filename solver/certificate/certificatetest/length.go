package certificatetest

import (
	"slices"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
)

// The witness of lengths: it follows the format once more, on the boards of package mailbox.

// A numberedLength is a position that words refer to.
type numberedLength struct {
	board         mailbox.Board
	upper, simple bool
	plies         int
}

// least returns for how long the length is said to last at least.
func (w *witness) length(b mailbox.Board, plies int) (least int) {
	must(w.next() == "least")
	least = mustInt(w.next())
	must(least <= plies)
	if b.SideToMove() == w.attacker {
		n, _ := w.upper(b)
		must(n <= plies)
		w.lower(b, least)
	} else {
		n, _ := w.upperReplies(b, 81)
		must(n <= plies)
		w.lowerReply(b, least, 81)
	}
	return least
}

func (w *witness) upper(b mailbox.Board) (plies int, simple bool) {
	word := w.next()
	if strings.HasPrefix(word, "=") {
		n := w.lengthNumber(word[1:])
		must(n.upper && w.allows(n, &b, w.attacker))
		return n.plies, n.simple
	}
	move := strings.TrimSuffix(word, "!")
	must(slices.Contains(w.sorted(b, true), move))
	plies, simple = w.upperReplies(w.play(b, move), 81)
	plies++
	if move != word {
		w.measured = append(w.measured, numberedLength{b, true, simple, plies})
	}
	return plies, simple
}

func (w *witness) lengthNumber(text string) *numberedLength {
	k := mustInt(text)
	must(k > 0 && k <= len(w.measured))
	return &w.measured[k-1]
}

// allows reports whether the plan of n is one in b, for which the side must hold no less than there
// and the other no more, or both the same.
func (w *witness) allows(n *numberedLength, b *mailbox.Board, side shogi.Color) bool {
	for sq := range shogi.Square(shogi.NumSquares) {
		if n.board.Piece(sq) != b.Piece(sq) {
			return false
		}
	}
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		mine := b.Held(side, kind) - n.board.Held(side, kind)
		theirs := b.Held(side.Opponent(), kind) - n.board.Held(side.Opponent(), kind)
		if !n.simple && (mine != 0 || theirs != 0) || mine < 0 || theirs > 0 {
			return false
		}
	}
	return true
}

// distance returns how far from the king in check a reply is on the line of a single slider, 0 if it
// is no drop there.
func distance(b *mailbox.Board, m shogi.Move) int {
	king := b.King(b.SideToMove())
	if !m.IsDrop() || len(b.Attackers(king, b.SideToMove().Opponent())) != 1 {
		return 0
	}
	file, rank := int(m.To().File())-int(king.File()), int(m.To().Rank())-int(king.Rank())
	return max(file, -file, rank, -rank)
}

// taken returns the boards after the captures of a drop on the line, the piece set aside.
func (w *witness) taken(b mailbox.Board, drop shogi.Move) (moves []string, boards []mailbox.Board) {
	if distance(&b, drop) == 0 {
		return nil, nil
	}
	slider := b.Attackers(b.King(b.SideToMove()), w.attacker)[0]
	b.Do(drop)
	for _, m := range []shogi.Move{shogi.NewMove(slider, drop.To()), shogi.NewPromotion(slider, drop.To())} {
		if b.IsLegal(m) && b.GivesCheck(m) {
			after := b
			after.Do(m)
			after.SetAside(w.attacker, drop.Dropped())
			moves, boards = append(moves, m.String()), append(boards, after)
		}
	}
	if len(moves) == 2 && moves[0] > moves[1] {
		slices.Reverse(moves)
		slices.Reverse(boards)
	}
	return moves, boards
}

func parse(text string) shogi.Move {
	m, err := shogi.ParseMove(text)
	must(err == nil)
	return m
}

func (w *witness) upperReplies(b mailbox.Board, before int) (plies int, simple bool) {
	simple = true
	for _, text := range w.sorted(b, false) {
		m := parse(text)
		far := distance(&b, m)
		switch {
		case far >= before:
		case len(w.words) > 0 && strings.HasPrefix(w.words[0], "x"):
			simple = false
			capture := w.next()[1:]
			moves, boards := w.taken(b, m)
			back := strings.HasSuffix(capture, "^")
			i := slices.Index(moves, strings.TrimSuffix(capture, "^"))
			must(i >= 0)
			after := boards[i]
			if back { // by another way: the position from before the set aside
				after = w.play(w.play(b, text), moves[i])
				must(after.GiveAway(w.attacker, handOf(&b, w.attacker)))
			}
			n, plain := w.upperReplies(after, 81)
			must(plain || !back)
			w.lowerReply(b, n, far)
		default:
			n, plain := w.upper(w.play(b, text))
			plies, simple = max(plies, n+1), simple && plain
		}
	}
	return plies, simple
}

func (w *witness) lower(b mailbox.Board, plies int) (simple bool) {
	simple = true
	if plies > 1 {
		for _, m := range w.sorted(b, true) {
			plain := w.lowerReply(w.play(b, m), plies-1, 81)
			simple = simple && plain
		}
	}
	return simple
}

func (w *witness) lowerReply(b mailbox.Board, plies, before int) (simple bool) {
	if plies < 1 {
		return true
	}
	if plies < 3 {
		for _, text := range w.sorted(b, false) {
			if distance(&b, parse(text)) == 0 {
				return true
			}
		}
	}
	word := w.next()
	text := strings.TrimRight(word, "!?")
	text, number, refers := strings.Cut(text, "=")
	m := parse(text)
	far := distance(&b, m)
	must(far < before && len(strings.TrimRight(word, "!?")) >= len(word)-1)
	must(!refers || !strings.ContainsAny(word, "!?"))
	after := w.play(b, text)
	_, boards := w.taken(b, m)
	last, later := plies, false
	switch {
	case refers:
		n := w.lengthNumber(number)
		must(!n.upper && n.plies >= plies-1 && w.allows(n, &after, w.attacker.Opponent()))
		simple = n.simple
	case strings.HasSuffix(word, "?"):
		must(far > 0)
		n, _ := w.upperReplies(b, far)
		last, later = n+2, true
	default:
		simple = w.lower(after, plies-1)
		if strings.HasSuffix(word, "!") {
			w.measured = append(w.measured, numberedLength{after, false, simple, plies - 1})
		}
	}
	for _, b := range boards {
		plain := w.lowerReply(b, last, 81)
		simple = simple && plain
	}
	if later {
		w.lower(after, plies-1)
	}
	return simple
}
