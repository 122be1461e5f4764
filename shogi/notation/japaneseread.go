package notation

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
)

// A written move is what KIF, KI2 and JKF say of a move. What they do not say, the position has to.
type written struct {
	to       shogi.Square
	kind     shogi.PieceType // before the move
	from     shogi.Square    // NoSquare if it is not said
	drop     bool            // 打
	promotes bool            // 成
	stays    bool            // 不成
	words    []rune          // 右 左 直 上 寄 引
}

// cutMove takes a move from the front of s: 同 or the destination, the kind, words, 成, 不成 or 打,
// and the origin. previous is where 同 is. If s holds no move, expected says what should stand
// where rest begins.
func cutMove(s string, previous shogi.Square) (w written, rest string, expected *shogi.Text) {
	w.from = shogi.NoSquare
	first, size := utf8.DecodeRuneInString(s)
	if first == '同' {
		if previous == shogi.NoSquare {
			return w, s, aSquare
		}
		w.to = previous
		s = strings.TrimLeft(s[size:], blanks)
	} else {
		file := digitOf(first)
		if file < 1 || file > 9 {
			return w, s, aFile
		}
		second, more := utf8.DecodeRuneInString(s[size:])
		rank := digitOf(second)
		if rank < 1 || rank > 9 {
			return w, s[size:], aRank
		}
		w.to = shogi.SquareAt(shogi.File(file-1), shogi.Rank(rank-1))
		s = strings.TrimLeft(s[size+more:], blanks)
	}
	kind, s, ok := cutKind(s)
	if !ok {
		return w, s, aPiece
	}
	w.kind = kind
	for {
		char, size := utf8.DecodeRuneInString(s)
		switch char {
		case '右', '左', movetext.Straight, '上', '寄', '引':
			w.words = append(w.words, char)
		case '行', '入': // old words
			w.words = append(w.words, '上')
		case '下':
			w.words = append(w.words, '引')
		case '打':
			w.drop = true
		case '成':
			w.promotes = true
		case '生':
			w.stays = true
		case '不':
			after, ok := strings.CutPrefix(s[size:], "成")
			if !ok {
				return w, s, notNari
			}
			w.stays = true
			size = len(s) - len(after)
		case '(', '（':
			origin := originText.FindStringSubmatch(s)
			if origin == nil {
				// Not an origin but the time. A move without origin is one as in KI2.
				return w, s, nil
			}
			w.from = shogi.SquareAt(shogi.File(number(origin[1])-1), shogi.Rank(number(origin[2])-1))
			size = len(origin[0])
		default:
			return w, s, nil
		}
		if len(w.words) > maxWords {
			return w, s, noWords
		}
		s = s[size:]
	}
}

const maxWords = 4

// originText is where a piece comes from: "(77)", "（７７）".
var originText = regexp.MustCompile(`^[(（]([1-9１-９])([1-9１-９])[)）]`)

// resolve returns the move, legal or not, or what a Fault says of it: square and message.
func (w *written) resolve(p *shogi.Position) (m shogi.Move, sq shogi.Square, why shogi.Message) {
	us := p.SideToMove()
	name := w.kind.Japanese()
	if w.promotes && (w.stays || w.drop) || w.drop && (len(w.words) > 0 || w.from != shogi.NoSquare) {
		return shogi.NoMove, shogi.NoSquare, contradicts.With()
	}
	if w.drop {
		return w.asDrop()
	}
	if w.from != shogi.NoSquare {
		if pc := p.Piece(w.from); pc != shogi.PieceOf(us, w.kind) {
			there := isEmpty.With()
			if pc != shogi.NoPiece {
				there = holds.With(pc.Color(), pc.Type().Japanese())
			}
			return shogi.NoMove, w.from, otherPiece.With(us, name, w.from, there)
		}
		return w.asMove(w.from), shogi.NoSquare, shogi.Message{}
	}

	var origins []shogi.Square
	for from := range p.AttackersTo(w.to, us, p.Occupied()).And(p.PiecesOf(us, w.kind)).All() {
		if w.isLegal(p, from) {
			origins = append(origins, from)
		}
	}
	all := len(origins)
	origins = w.choose(us, origins)
	switch {
	case len(origins) == 1:
		return w.asMove(origins[0]), shogi.NoSquare, shogi.Message{}
	case len(origins) > 1:
		return shogi.NoMove, w.to, ambiguous.With(name, squares(origins), w.to)
	case all == 0 && len(w.words) == 0 && !w.promotes && !w.stays && w.kind < shogi.King && p.Hand(us).Has(w.kind) && p.Piece(w.to) == shogi.NoPiece:
		return w.asDrop() // 打 is only written where a piece on the board could go as well
	case all == 0:
		return shogi.NoMove, w.to, noOrigin.With(name, us, w.to)
	}
	return shogi.NoMove, w.to, noSuchOrigin.With(name, us, w.to, string(w.words))
}

func (w *written) asDrop() (m shogi.Move, sq shogi.Square, why shogi.Message) {
	if w.kind >= shogi.King {
		return shogi.NoMove, w.to, notDroppable.With(w.kind.Japanese())
	}
	return shogi.NewDrop(w.kind, w.to), shogi.NoSquare, shogi.Message{}
}

func (w *written) asMove(from shogi.Square) shogi.Move {
	if w.promotes {
		return shogi.NewPromotion(from, w.to)
	}
	return shogi.NewMove(from, w.to)
}

// isLegal reports whether the piece on from can make the move. One that has to promote may have it
// unsaid.
func (w *written) isLegal(p *shogi.Position, from shogi.Square) bool {
	return p.IsLegal(w.asMove(from)) || !w.promotes && !w.stays && p.IsLegal(shogi.NewPromotion(from, w.to))
}

// choose returns those of the origins that the words mean.
func (w *written) choose(us shogi.Color, origins []shogi.Square) []shogi.Square {
	side := false
	for _, word := range w.words {
		if word == '右' || word == '左' {
			side = true
			continue
		}
		origins = keep(origins, func(from shogi.Square) bool { return w.goes(us, from, word) })
	}
	if !side || len(origins) == 0 {
		return origins
	}
	for _, word := range w.words {
		if word != '右' && word != '左' {
			continue
		}
		// The side of a piece is that from which it comes, except for the two bishops and the two
		// rooks, which are compared with each other. Some writers compare other pieces with each
		// other as well.
		from := keep(origins, func(from shogi.Square) bool { return movetext.SideFrom(us, from, w.to) == word })
		if base := w.kind.Base(); base == shogi.Bishop || base == shogi.Rook || len(from) == 0 && len(origins) > 1 {
			from = keep(origins, func(from shogi.Square) bool {
				for _, other := range origins {
					if movetext.SideFrom(us, other, from) == word {
						return false
					}
				}
				return true
			})
		}
		origins = from
	}
	return origins
}

func keep(squares []shogi.Square, ok func(shogi.Square) bool) []shogi.Square {
	var kept []shogi.Square
	for _, sq := range squares {
		if ok(sq) {
			kept = append(kept, sq)
		}
	}
	return kept
}

// goes reports whether going from a square is what 上, 寄, 引 or 直 says.
func (w *written) goes(c shogi.Color, from shogi.Square, word rune) bool {
	movement := movetext.MovementOf(c, from, w.to)
	if word == movetext.Straight {
		return movement == '上' && from.File() == w.to.File()
	}
	return movement == word
}
