package notation

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
)

// A Loose move is what a text says of a move by itself, without the position that it is played in.
type Loose struct {
	To, From shogi.Square    // From is NoSquare if it is not said
	Kind     shogi.PieceType // before the move; NoPieceType if it is not said
	Drop     bool            // 打
	Promotes bool            // 成
	Same     bool            // 同: To is that of the move before
}

// A written move is what KIF, KI2 and JKF say of a move. What they do not say, the position has to.
type written struct {
	Loose
	stays bool   // 不成
	words []rune // 右 左 直 上 寄 引
}

// cutMove takes a move from the front of s, in English or in Japanese: 同 or the destination, the kind, words,
// 成, 不成 or 打, and the origin. previous is where 同 is. If s holds no move, expected says what should stand
// where rest begins.
func cutMove(s string, previous shogi.Square) (w written, rest string, expected *shogi.Text) {
	w.From = shogi.NoSquare
	if in := englishMove().FindStringSubmatch(s); in != nil {
		return writtenInEnglish(in), s[len(in[0]):], nil
	}
	first, size := utf8.DecodeRuneInString(s)
	if first == '同' {
		if previous == shogi.NoSquare {
			return w, s, aSquare
		}
		w.To, w.Same = previous, true
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
		w.To = shogi.SquareAt(shogi.File(file-1), shogi.Rank(rank-1))
		s = strings.TrimLeft(s[size+more:], blanks)
	}
	kind, s, ok := cutKind(s)
	if !ok {
		return w, s, aPiece
	}
	w.Kind = kind
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
			w.Drop = true
		case '成':
			w.Promotes = true
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
			origin := originText().FindStringSubmatch(s)
			if origin == nil {
				// Not an origin but the time. A move without origin is one as in KI2.
				return w, s, nil
			}
			w.From = shogi.SquareAt(shogi.File(number(origin[1])-1), shogi.Rank(number(origin[2])-1))
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
var originText = lazy(`^[(（]([1-9１-９])([1-9１-９])[)）]`)

// resolve returns the move, legal or not, or what a Fault says of it: square and message.
func (w *written) resolve(p *shogi.Position) (m shogi.Move, sq shogi.Square, why shogi.Message) {
	us := p.SideToMove()
	name := w.Kind.Japanese()
	if w.Promotes && (w.stays || w.Drop) || w.Drop && (len(w.words) > 0 || w.From != shogi.NoSquare) {
		return shogi.NoMove, shogi.NoSquare, contradicts.With()
	}
	if w.Drop {
		return w.asDrop()
	}
	if w.From != shogi.NoSquare {
		if pc := p.Piece(w.From); pc != shogi.PieceOf(us, w.Kind) {
			there := isEmpty.With()
			if pc != shogi.NoPiece {
				there = holds.With(pc.Color(), pc.Type().Japanese())
			}
			return shogi.NoMove, w.From, otherPiece.With(us, name, w.From, there)
		}
		return w.asMove(w.From), shogi.NoSquare, shogi.Message{}
	}

	var origins []shogi.Square
	for from := range p.AttackersTo(w.To, us, p.Occupied()).And(p.PiecesOf(us, w.Kind)).All() {
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
		return shogi.NoMove, w.To, ambiguous.With(name, squares(origins), w.To)
	case all == 0 && len(w.words) == 0 && !w.Promotes && !w.stays && w.Kind < shogi.King && p.Hand(us).Has(w.Kind) && p.Piece(w.To) == shogi.NoPiece:
		return w.asDrop() // 打 is only written where a piece on the board could go as well
	case all == 0:
		return shogi.NoMove, w.To, noOrigin.With(name, us, w.To)
	}
	return shogi.NoMove, w.To, noSuchOrigin.With(name, us, w.To, string(w.words))
}

func (w *written) asDrop() (m shogi.Move, sq shogi.Square, why shogi.Message) {
	if w.Kind >= shogi.King {
		return shogi.NoMove, w.To, notDroppable.With(w.Kind.Japanese())
	}
	return shogi.NewDrop(w.Kind, w.To), shogi.NoSquare, shogi.Message{}
}

func (w *written) asMove(from shogi.Square) shogi.Move {
	if w.Promotes {
		return shogi.NewPromotion(from, w.To)
	}
	return shogi.NewMove(from, w.To)
}

// isLegal reports whether the piece on from can make the move. One that has to promote may have it
// unsaid.
func (w *written) isLegal(p *shogi.Position, from shogi.Square) bool {
	return p.IsLegal(w.asMove(from)) || !w.Promotes && !w.stays && p.IsLegal(shogi.NewPromotion(from, w.To))
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
		from := keep(origins, func(from shogi.Square) bool { return movetext.SideFrom(us, from, w.To) == word })
		if base := w.Kind.Base(); base == shogi.Bishop || base == shogi.Rook || len(from) == 0 && len(origins) > 1 {
			from = keep(origins, func(from shogi.Square) bool {
				return !slices.ContainsFunc(origins, func(other shogi.Square) bool {
					return movetext.SideFrom(us, other, from) == word
				})
			})
		}
		origins = from
	}
	return origins
}

func keep(squares []shogi.Square, ok func(shogi.Square) bool) []shogi.Square {
	return slices.DeleteFunc(slices.Clone(squares), func(sq shogi.Square) bool { return !ok(sq) })
}

// goes reports whether going from a square is what 上, 寄, 引 or 直 says.
func (w *written) goes(c shogi.Color, from shogi.Square, word rune) bool {
	movement := movetext.MovementOf(c, from, w.To)
	if word == movetext.Straight {
		return movement == '上' && from.File() == w.To.File()
	}
	return movement == word
}

// ParseMove reads one move as people write it: "７六歩", "▲同　銀右上成", "5二金打". What it does not
// say, the position has to. previous is the destination of the move before, or shogi.NoSquare. The
// move is legal; if it is not, the error is a *shogi.IllegalError, or says in words what is wrong.
func ParseMove(text string, p *shogi.Position, previous shogi.Square) (shogi.Move, error) {
	text = strings.Trim(text, blanks)
	c, rest := cutMark(text)
	if len(rest) < len(text) && c != p.SideToMove() {
		return shogi.NoMove,
			shogi.NewError("notation", otherMover.With(c, p.SideToMove()))
	}
	w, rest, expected := cutMove(rest, previous)
	if expected != nil {
		return shogi.NoMove,
			shogi.NewError("notation", inMove.With(clip(rest), expected))
	}
	if rest != "" {
		return shogi.NoMove, shogi.NewError("notation", behindMove.With(clip(rest)))
	}
	m, _, why := w.resolve(p)
	if why.Text != nil {
		return shogi.NoMove, shogi.NewError("notation", why)
	}
	if !m.IsDrop() && !w.stays && !p.IsLegal(m) {
		if promoted := shogi.NewPromotion(m.From(), m.To()); p.IsLegal(promoted) {
			m = promoted // it has to, so that it need not be said
		}
	}
	if err := p.Illegal(m); err != nil {
		return shogi.NoMove, err
	}
	return m, nil
}

var (
	// looseNumber is the number of a move, and looseTime how long it took.
	looseNumber = lazy(`^[0-9]{1,3}[ \t]+`)
	looseTime   = lazy(`^[ \t]*\([ \t]*[0-9]+:[0-9:/ \t]*\)`)
)

// ParseLoose reads a line of moves without a position: in USI, or as KIF, KI2 and books write them.
// Numbers, times and the marks of the sides do not count. Words that tell pieces apart by where they stand,
// such as 右, are refused, for there is no board. The error is an *Error.
func ParseLoose(text string) ([]Loose, error) {
	list, _, err := parseLoose(text, false)
	return list, err
}

// ParseWritten is ParseLoose for moves that are tried on boards until one fits. Words that tell pieces
// apart are left out, since what they say depends on the board, which may be wrong. plies is what the
// text says behind the moves, as in まで7手詰; 0 if it does not.
func ParseWritten(text string) (list []Loose, plies int, err error) { return parseLoose(text, true) }

func parseLoose(text string, words bool) (list []Loose, plies int, err error) {
	previous := shogi.NoSquare
	rest := folded(text)
	all := rest
	for {
		rest = strings.TrimLeft(rest, separators+"\r\n▲△☗☖▼▽")
		if told := untilText().FindStringSubmatch(rest); told != nil {
			return list, pliesOf(told[1]), nil
		}
		if rest == "" || mateText().MatchString(rest) {
			return list, plies, nil
		}
		word := upTo(rest, "\n\r\t ,")
		if m, err := shogi.ParseMove(word); err == nil {
			w := Loose{To: m.To(), From: m.From(), Drop: m.IsDrop(), Promotes: m.IsPromotion()}
			if w.Drop {
				w.From, w.Kind = shogi.NoSquare, m.Dropped()
			}
			list, previous, rest = append(list, w), w.To, rest[len(word):]
			continue
		}
		if number := moveNumber().FindString(rest) + looseNumber().FindString(rest); number != "" {
			rest = strings.TrimLeft(rest[len(number):], blanks+"▲△☗☖▼▽")
		}
		w, after, expected := cutMove(rest, previous)
		if expected == nil && len(w.words) > 0 && !words {
			expected = theOrigin
		}
		if expected != nil {
			word, _, _ = strings.Cut(rest, "\n")
			return nil, 0, &Error{Faults: []Fault{faultAt(all, len(all)-len(after), inMove, clip(word), expected)}}
		}
		after = after[len(looseTime().FindString(after)):]
		list, previous, rest = append(list, w.Loose), w.To, after
	}
}

// Written returns the moves of the main line as the text has them, whether or not they can be played from
// Start, and what it says of their number behind them: a text for ParseWritten. It is "" where the record
// is of no notation that books print, or has no moves. It is one line.
func (r *Record) Written() string {
	var b strings.Builder
	for l := range lines(r.written) {
		text := strings.Trim(l.text, blanks)
		move := text[len(numberedText().FindString(text)):]
		switch {
		case text == "", begins(text, "*#&"): // comments
			continue
		case isUntil(text):
			return b.String() + text
		case !beginsMove(move):
			return b.String()
		}
		b.WriteString(strings.TrimSuffix(move, "+") + " ")
	}
	return b.String()
}
