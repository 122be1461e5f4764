package notation

import (
	"strings"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
)

// English texts are read with the grammar of Japanese ones: a position is turned into the board or the
// lists of a KIF, so that only the tables of this file know English. Moves are those of Western notation
// (Hosking): "R*1b", "Kx2a", "+B2d", "P3cx3b+", "N-3c=".

// englishMove is a move.
var englishMove = lazy(`^(\+?)([KRBGSNLP])([1-9][1-9a-i])?([-x*'])?([1-9])([1-9a-i])([+=]?)[!?]*`)

// isEnglishMove reports whether a text can only be a move and not, say, a piece and where it stands.
func isEnglishMove(text string) bool {
	in := englishMove().FindStringSubmatch(text)
	return in != nil && (in[3] != "" || in[4] != "")
}

// writtenInEnglish returns the move that englishMove found.
func writtenInEnglish(in []string) written {
	kind := englishKind(in[1] + in[2])
	w := written{Loose: Loose{To: englishSquare(in[5] + in[6]), From: shogi.NoSquare, Kind: kind}}
	if in[3] != "" {
		w.From = englishSquare(in[3])
	}
	w.Drop = in[4] == "*" || in[4] == "'"
	w.Promotes, w.stays = in[7] == "+", in[7] == "="
	return w
}

// englishKind returns the kind of piece that a letter of an SFEN means, with + before it if it is
// promoted.
func englishKind(name string) shogi.PieceType {
	letter, isPromoted := strings.CutPrefix(name, "+")
	for t := shogi.Pawn; t <= shogi.King; t++ {
		if t.String() == strings.ToUpper(letter) {
			if isPromoted && t.CanPromote() {
				return t.Promoted()
			}
			return t
		}
	}
	return shogi.NoPieceType
}

// englishSquare returns the square of a file and a rank, which is a letter or a digit.
func englishSquare(s string) shogi.Square {
	rank := s[1] - '1'
	if s[1] >= 'a' {
		rank = s[1] - 'a'
	}
	return shogi.SquareAt(shogi.File(s[0]-'1'), shogi.Rank(rank))
}

const (
	englishBlack = `black|sente|attackers?|attacking side`
	englishWhite = `white|gote|defenders?|defending side`
	englishPiece = `(?:\+?(?:king|rook|bishop|gold|silver|knight|lance|pawn)s?|dragon|horse|tokin` +
		`|\+?[KRBGSNLP])`
)

var (
	// englishList is a line with pieces of a side on their squares or in its hand.
	englishList = lazy(`(?i)^[^:]{0,40}\b(?:` + englishBlack + `|` + englishWhite +
		`)\b[^:]{0,30}[:=]`)
	englishSide = lazy(`(?i)\b(?:(` + englishBlack + `)|(` + englishWhite +
		`))\b(?: +pieces)?(?: *\([^)]*\))?(?:'s)?`)
	englishHand = lazy(`(?i)(?:pieces +)?(?:in +)?hand\b|\bholds\b`)
	englishTurn = lazy(`(?i)\b(?:(black|sente)|(white|gote)) +` +
		`(?:to +(?:move|play)|plays|moves)\b`)
	englishNone = lazy(`(?i)^(?:none|nothing|no pieces|-)\b?`)
	englishRest = lazy(`(?i)^(?:all )?(?:the )?` +
		`(?:rest|remaining|others?|other pieces|remaining pieces)\b`)
	// englishStood is a piece and its square; englishHeld pieces in hand: R, 2P, P2, Px2, "P*2", "2 pawns".
	englishStood = lazy(`^(?i:(` + englishPiece +
		`|[DHT]))[- ]?(?:at |on )?([1-9])[- ]?([1-9a-iA-I])\b`)
	englishHeld = lazy(`^(?i:([0-9]{1,2})?[ x*]*(` + englishPiece +
		`)(?: *[x*×]? *([0-9]{1,2})\b)?)`)
)

// englishNames are the pieces by their names.
var englishNames = map[string]string{"king": "K", "rook": "R", "bishop": "B", "gold": "G", "silver": "S",
	"knight": "N", "lance": "L", "pawn": "P", "dragon": "+R", "horse": "+B", "tokin": "+P",
	"d": "+R", "h": "+B", "t": "+P"}

// namedInEnglish returns the kind that a letter or a name means.
func namedInEnglish(name string) shogi.PieceType {
	plain, isPromoted := strings.CutPrefix(name, "+")
	if letter := englishNames[strings.TrimSuffix(strings.ToLower(plain), "s")]; letter != "" {
		plain = letter
	}
	if isPromoted {
		plain = "+" + plain
	}
	return englishKind(plain)
}

// An englishReader turns an English text into a Japanese one.
type englishReader struct {
	mapper
	at    int // of the line in the text
	found bool
}

// inJapanese returns a text whose position is in English as what it is in Japanese. ok is false if
// there is no such position.
func inJapanese(text string) (m mapped, ok bool) {
	var r englishReader
	all := []line{}
	for l := range lines(text) {
		all = append(all, l)
	}
	for i := 0; i < len(all); i++ {
		r.at = all[i].at
		if n := r.board(all[i:]); n > 0 {
			i += n - 1
			continue
		}
		if r.found && englishFiles().MatchString(all[i].text) {
			continue // below the board
		}
		r.line(all[i].text)
		r.put("\n", all[i].end())
	}
	return r.finish(), r.found
}

// line turns a line that is no row of a board.
func (r *englishReader) line(text string) {
	turn := englishTurn().FindStringSubmatchIndex(text)
	switch {
	case turn != nil && !englishList().MatchString(text):
		side := "後手番"
		if turn[2] >= 0 {
			side = "先手番"
		}
		r.put(side, r.at+turn[0])
	case englishList().MatchString(text), r.found && englishHand().MatchString(text) && strings.ContainsAny(text, ":="):
		r.list(text)
	case r.found && heldText().MatchString(text): // below a board: capitals are Black's
		r.held(text)
	default:
		r.put(text, r.at)
	}
}

// heldText is the line with both hands that python-shogi prints below a board: "R*1 S*1 p*2".
var heldText = lazy(`^ *(?:[PLNSGBRplnsgbr]\*[0-9]+ *)+$`)

// held turns a line with both hands.
func (r *englishReader) held(text string) {
	for side, name := range []string{"先手の持駒：", "後手の持駒："} {
		r.put(name, r.at)
		for in := 0; in < len(text); {
			word := upTo(text[in:], blanks)
			if isLower := strings.ToLower(word) == word; word != "" && isLower == (side == 1) {
				r.piece(word[:1], word[2:], r.at+in)
			}
			in += len(word) + len(text[in+len(word):]) - len(strings.TrimLeft(text[in+len(word):], blanks))
		}
		r.put("\n", r.at+len(text))
	}
}

// piece puts a piece in hand.
func (r *englishReader) piece(name, count string, at int) {
	r.put(nameOf(namedInEnglish(name)).board+count+" ", at)
}

// list turns a line that lists pieces of a side: on squares, or in its hand. What is neither ends it.
func (r *englishReader) list(text string) {
	side, isHand, isMore := "先手", false, false
	var board, hand mapper // of the side
	flush := func() {
		for _, part := range []struct {
			name string
			of   *mapper
		}{{side + "：", &board}, {side + "の持駒：", &hand}} {
			if len(part.of.out) > 0 {
				if isMore {
					r.put("\n", r.at)
				}
				r.found, isMore = true, true
				r.put(part.name, part.of.in[0])
				r.putAll(part.of)
			}
		}
		board, hand = mapper{}, mapper{}
	}
	for i := 0; i < len(text); {
		s, at := text[i:], r.at+i
		first, size := utf8.DecodeRuneInString(s)
		if strings.ContainsRune(listBreaks+":=", first) {
			i += size
			continue
		}
		if in := englishSide().FindStringSubmatchIndex(s); in != nil && in[0] == 0 {
			flush()
			if side = "後手"; in[2] >= 0 {
				side = "先手"
			}
			isHand = false
			i += in[1]
			continue
		}
		if in := englishHand().FindStringIndex(s); in != nil && in[0] == 0 {
			isHand = true
			i += in[1]
			continue
		}
		if in := englishStood().FindStringSubmatchIndex(s); in != nil && !isHand {
			square := englishSquare(s[in[4]:in[5]] + strings.ToLower(s[in[6]:in[7]]))
			kind := namedInEnglish(s[in[2]:in[3]])
			board.put(string([]byte{'1' + byte(square.File()), '1' + byte(square.Rank())})+nameOf(kind).board+" ", at)
			i += in[1]
			continue
		}
		if isHand {
			if in := englishNone().FindString(s); in != "" {
				hand.put("なし", at)
				i += len(in)
				continue
			}
			if in := englishRest().FindString(s); in != "" {
				hand.put("残り全部", at)
				i += len(in)
				continue
			}
			if in := englishHeld().FindStringSubmatch(s); in != nil {
				hand.put(nameOf(namedInEnglish(in[2])).board+in[1]+in[3]+" ", at)
				i += len(in[0])
				continue
			}
		}
		// What else stands in a list is a fault where it stands.
		word := upTo(s, listBreaks+":")
		if isHand {
			hand.put(word+" ", at)
		} else {
			board.put(word+" ", at)
		}
		i += max(len(word), size)
	}
	flush()
}

// englishCell is a square of a board in ASCII: a piece, by an SFEN's letter or with the letter of its
// side before it, or a sign for none. Behind the squares the side to move and a hand may stand.
var (
	englishCell  = lazy(`^ *(?:([bwBW])(\+?[KRBGSNLP])|(\+?[KRBGSNLPkrbgsnlp])|[.·*_]|--?|$) *`)
	englishName  = lazy(`^[ |]*([1-9a-i])[ |]+`)
	englishAfter = lazy(`^ *([1-9a-i])?[ |]*(\*)?[ |]*(?:\[([^\]]*)\])?[ |]*$`)
	englishRule  = lazy(`^[-+=| ]*$`)
	englishFiles = lazy(`^[ |]*(?:9[ |]*8[ |]*7[ |]*6[ |]*5[ |]*4[ |]*3[ |]*2[ |]*1` +
		`|a[ |]*b[ |]*c[ |]*d[ |]*e[ |]*f[ |]*g[ |]*h[ |]*i)[ |]*$`)
)

// row turns row i of a board, whose name may stand before it or behind it.
func (r *englishReader) row(l *line, i int, isNamedBefore bool) bool {
	rest := l.text
	if before, after, ok := strings.Cut(rest, "|"); ok && strings.Trim(before, " ") == "" {
		rest = after
	}
	if isNamedBefore {
		in := englishName().FindStringSubmatch(l.text)
		if in == nil || !isRowName(in[1], i) {
			return false
		}
		rest = l.text[len(in[0]):]
	}
	r.put("|", l.at)
	isRuled := strings.Count(rest, "|") >= 8
	for range 9 {
		cell, after := rest, ""
		if isRuled { // an empty square needs no sign
			cell, after, _ = strings.Cut(rest, "|")
		}
		at := l.at + len(l.text) - len(strings.TrimLeft(rest, " "))
		in := englishCell().FindStringSubmatch(cell)
		if in == nil || isRuled && len(in[0]) < len(cell) || !isRuled && strings.Trim(in[0], " ") == "" {
			return false
		}
		sign, name := " ", "・"
		if letter := in[2] + in[3]; letter != "" {
			name = nameOf(englishKind(letter)).board
		}
		if in[1] == "w" || in[1] == "W" || in[3] != "" && strings.ToLower(in[3]) == in[3] {
			sign = "v"
		}
		r.put(sign+name, at)
		if rest = rest[len(in[0]):]; isRuled {
			rest = after
		}
	}
	r.put("|\n", l.at)
	in := englishAfter().FindStringSubmatchIndex(rest)
	if in == nil || in[2] >= 0 && !isRowName(rest[in[2]:in[3]], i) {
		return false
	}
	at := l.at + len(l.text) - len(rest)
	side := "後手"
	if i == 8 {
		side = "先手"
	}
	if in[4] >= 0 {
		r.put(side+"番\n", at+in[4])
	}
	if in[6] >= 0 && (i == 0 || i == 8) {
		r.put(side+"の持駒：", at+in[6])
		for j, c := range rest[in[6]:in[7]] {
			if namedInEnglish(string(c)) != shogi.NoPieceType {
				r.piece(string(c), "", at+in[6]+j)
			}
		}
		r.put("\n", at+in[6])
	}
	return true
}

// isRowName reports whether row i of nine has a name: a letter, or a number from either end.
func isRowName(name string, i int) bool {
	return name == string(rune('a'+i)) || name == string(rune('1'+i)) || name == string(rune('9'-i))
}

// board turns the nine rows of a board at the front of some lines. It returns how many lines they are,
// 0 if they are no board.
func (r *englishReader) board(all []line) int {
	for _, isNamedBefore := range []bool{true, false} {
		board, rows := englishReader{}, 0
		for n := range min(len(all), 3*9) {
			l := &all[n]
			if englishRule().MatchString(l.text) || englishFiles().MatchString(l.text) {
				continue
			}
			if !board.row(l, rows, isNamedBefore) {
				break
			}
			if rows++; rows == 9 {
				r.found = true
				r.putAll(&board.mapper)
				return n + 1
			}
		}
	}
	return 0
}
