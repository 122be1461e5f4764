package cli

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/shogi/notation"
)

// The forms of a move in ASCII: by squares (2726, with the piece as in CSA or without), and by
// piece and destination (FU23). A "+" promotes, an "=" does not, a "*" drops.
var forms = sync.OnceValues(func() (squares, piece *regexp.Regexp) {
	return regexp.MustCompile(`^[+-]?([1-9][1-9]|00)([1-9][1-9])([A-Z]{2})?([+=]?)$`),
		regexp.MustCompile(`^([A-Z]{2})(\*?)([1-9][1-9])([+=]?)$`)
})

// readMove reads a move of the side to move of p in any form that players use: 2726, FU23, 2g2f,
// ▲２六歩. previous is the destination of the move before, or shogi.NoSquare. The move is legal; the
// error is for the player.
func readMove(text string, p *shogi.Position, previous shogi.Square) (shogi.Move, error) {
	ascii := strings.Map(narrow, text)
	upper := strings.ToUpper(ascii)
	for _, usi := range []string{ascii, strings.ToLower(ascii), upper[:1] + strings.ToLower(ascii[1:])} {
		if m, err := shogi.ParseMove(usi); err == nil {
			return m, p.Illegal(m)
		}
	}
	squaresForm, pieceForm := forms()
	if parts := squaresForm.FindStringSubmatch(upper); parts != nil {
		return readSquares(p, parts[1], parts[2], parts[3], parts[4])
	}
	if parts := pieceForm.FindStringSubmatch(upper); parts != nil {
		return readPiece(p, parts[1], parts[2], parts[3], parts[4])
	}
	m, err := notation.ParseMove(text, p, previous)
	if first := ascii[0]; err != nil && first < 0x80 && (first < '1' || first > '9') {
		err = Errorf("found %q, expected a move such as 2726, FU26, 2g2f or ▲２六歩, or ? for help",
			"「%s」は指し手ではありません（2726、FU26、2g2f、▲２六歩 など。? で説明）。", clipped(text))
	}
	return m, err
}

// narrow makes ASCII of the wide characters that Japanese keyboards give.
func narrow(r rune) rune {
	switch {
	case r >= '！' && r <= '～':
		return r - '！' + '!'
	case r == '　':
		return ' '
	}
	return r
}

func clipped(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// squareOf returns the square of two digits, file and rank.
func squareOf(digits string) shogi.Square {
	return shogi.SquareAt(shogi.File(digits[0]-'1'), shogi.Rank(digits[1]-'1'))
}

// digitsOf is the reverse of squareOf.
func digitsOf(sq shogi.Square) string { return fmt.Sprintf("%d%d", sq.File()+1, sq.Rank()+1) }

// readSquares reads a move by its squares, "00" being the hand. name is the piece after the move,
// as in CSA, or "".
func readSquares(p *shogi.Position, from, to, name, sign string) (shogi.Move, error) {
	kind, ok := notation.ParseCSAName(name)
	if name != "" && !ok {
		return shogi.NoMove, noSuchPiece(name)
	}
	dest := squareOf(to)
	if from == "00" {
		if kind == shogi.NoPieceType || kind.Base() != kind || kind == shogi.King || sign != "" {
			return shogi.NoMove, Errorf("a drop has a piece that can be held, such as 0023FU", "打つ手には、0023FU のように持駒を書きます。")
		}
		m := shogi.NewDrop(kind, dest)
		return m, p.Illegal(m)
	}
	origin := squareOf(from)
	stays, promotes := shogi.NewMove(origin, dest), shogi.NewPromotion(origin, dest)
	moving := p.Piece(origin).Type()
	switch {
	case sign == "+":
		return promotes, p.Illegal(promotes)
	case sign == "=":
		return stays, p.Illegal(stays)
	case name != "" && moving != shogi.NoPieceType && moving != kind:
		if !moving.CanPromote() || moving.Promoted() != kind {
			return shogi.NoMove, Errorf("the piece on %[1]s is a %[2]s", "%[3]sの駒は%[4]sです。", from, notation.CSAName(moving), origin, moving)
		}
		return promotes, p.Illegal(promotes)
	case name != "":
		return stays, p.Illegal(stays)
	case p.IsLegal(promotes) && p.IsLegal(stays):
		return shogi.NoMove, ambiguous(p, []shogi.Move{promotes, stays})
	case p.IsLegal(promotes):
		return promotes, nil
	}
	return stays, p.Illegal(stays)
}

// readPiece reads a move by its piece, as it is before the move or after it, and its destination.
func readPiece(p *shogi.Position, name, drop, to, sign string) (shogi.Move, error) {
	kind, ok := notation.ParseCSAName(name)
	if !ok {
		return shogi.NoMove, noSuchPiece(name)
	}
	var buf shogi.MoveBuffer
	dest := squareOf(to)
	var found []shogi.Move
	for _, m := range p.LegalMoves(&buf, shogi.AllMoves) {
		if m.To() != dest {
			continue
		}
		before := m.Dropped()
		if !m.IsDrop() {
			before = p.Piece(m.From()).Type()
		}
		isOf := before == kind || m.IsPromotion() && before.Promoted() == kind && sign == ""
		switch {
		case !isOf, drop != "" && !m.IsDrop():
		case sign == "+" && !m.IsPromotion(), sign == "=" && (m.IsPromotion() || m.IsDrop()):
		default:
			found = append(found, m)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return shogi.NoMove, whyNot(p, kind, dest, drop != "")
	}
	return shogi.NoMove, ambiguous(p, found)
}

func noSuchPiece(name string) error {
	return Errorf("found %q, expected a piece: FU KY KE GI KI KA HI OU TO NY NK NG UM RY",
		"「%s」という駒はありません（FU KY KE GI KI KA HI OU TO NY NK NG UM RY）。", name)
}

// ambiguous asks which of several moves is meant.
func ambiguous(p *shogi.Position, moves []shogi.Move) error {
	var choices []string
	for _, m := range moves {
		written := string(movetext.AppendJapanese(nil, p, m, shogi.NoSquare))
		short := "00" + digitsOf(m.To()) + notation.CSAName(m.Dropped())
		if !m.IsDrop() {
			short = digitsOf(m.From()) + digitsOf(m.To())
			promotion, other := m.IsPromotion(), shogi.NewPromotion(m.From(), m.To())
			if promotion {
				other = shogi.NewMove(m.From(), m.To())
			}
			if p.IsLegal(other) {
				short += map[bool]string{true: "+", false: "="}[promotion]
			}
		}
		choices = append(choices, fmt.Sprintf("%s (%s)", short, written))
	}
	slices.Sort(choices)
	return Errorf("which? %s", "どの手ですか：%s", strings.Join(choices, ", "))
}

// whyNot says why no piece of a kind can go to a square: the rule that stops the one that comes
// nearest to it.
func whyNot(p *shogi.Position, kind shogi.PieceType, dest shogi.Square, drop bool) error {
	us := p.SideToMove()
	if drop {
		if kind.Base() != kind || kind == shogi.King {
			return Errorf("a %[1]s cannot be dropped", "%[2]sは打てません。", notation.CSAName(kind), kind)
		}
		return p.Illegal(shogi.NewDrop(kind, dest))
	}
	var best error
	for from := range p.PiecesOf(us, kind).All() {
		if best == nil || errors.Is(best, shogi.ErrCannotReach) {
			best = p.Illegal(shogi.NewMove(from, dest))
		}
	}
	held := kind.Base() == kind && kind != shogi.King && p.Hand(us).Has(kind)
	if held && (best == nil || errors.Is(best, shogi.ErrCannotReach)) {
		best = p.Illegal(shogi.NewDrop(kind, dest))
	}
	switch {
	case best == nil:
		return Errorf("%[1]s has no %[2]s", "%[1]sに%[3]sはありません。", us, notation.CSAName(kind), kind)
	case errors.Is(best, shogi.ErrCannotReach):
		return Errorf("no %[1]s of %[2]s can go to %[3]s", "%[2]sの%[4]sは%[5]sに行けません。",
			notation.CSAName(kind), us, digitsOf(dest), kind, dest)
	}
	return best
}

// why says why a move is refused, without the position, which the player sees.
func why(err error) error {
	var illegal *shogi.IllegalError
	if errors.As(err, &illegal) {
		return Errorf("%s is not legal: %s", "%s は指せません。%s", illegal.Move, illegal.Msg)
	}
	return reason(err)
}
