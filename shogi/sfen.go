package shogi

import (
	"fmt"
	"strconv"
	"strings"
)

// StartSFEN is the SFEN of the initial position (平手).
const StartSFEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"

// The fields of a position text, as an Fault names them.
const (
	FieldBoard = "board"
	FieldSide  = "side"
	FieldHands = "hands"
	FieldPly   = "ply"
	FieldMoves = "moves"
)

// The codes of a Fault. They are stable: programs may compare them.
const (
	CodeMissingField    = "missing_field"     // the text ends too early
	CodeTrailingText    = "trailing_text"     // something follows the last field
	CodeTooLong         = "too_long"          // the text exceeds MaxPositionText
	CodeRankCount       = "rank_count"        // not nine ranks
	CodeRankWidth       = "rank_width"        // a rank that is not nine squares wide
	CodePieceLetter     = "piece_letter"      // a character that is no piece and no digit
	CodePromotedKind    = "promoted_kind"     // "+" before a king or gold, or before no piece
	CodeSide            = "side"              // neither b nor w
	CodeHandLetter      = "hand_letter"       // a character that names no piece
	CodeHandCount       = "hand_count"        // a count of 0, above the set, or without a piece
	CodeKingInHand      = "king_in_hand"      // K or k among the hands
	CodePly             = "ply"               // not a number from 1 to MaxPly
	CodePieceCount      = "piece_count"       // more of a kind than a set has
	CodeKingCount       = "king_count"        // two kings of one colour
	CodeNifu            = "nifu"              // two unpromoted pawns of one colour on a file (二歩)
	CodeDeadPiece       = "dead_piece"        // a pawn, lance or knight that can never move (行き所のない駒)
	CodeOpponentInCheck = "opponent_in_check" // the side to move could take the king
	CodeMoveSyntax      = "move_syntax"       // not a USI move
	CodeIllegalMove     = "illegal_move"      // a move the rules do not allow there
)

// Limits on what is read.
const (
	// MaxPly is the largest move number an SFEN may carry.
	MaxPly = 50000
	// MaxPositionText is the largest text ParsePosition reads, in bytes.
	MaxPositionText = 1 << 20
	// maxFaults bounds how many faults of one text are reported.
	maxFaults = 64
)

// A Fault is one thing that is wrong with a position or its text.
type Fault struct {
	Code   string // one of the Code constants
	Field  string // one of the Field constants
	Offset int    // byte offset into the text, -1 if the position did not come from text
	Msg    string // what was found and what was expected
}

// An SFENError lists everything that is wrong with a position, in the order of the text.
type SFENError struct {
	Input  string // the text as given, empty if the position did not come from text
	Faults []Fault
}

// Error names every fault: field, byte offset, what was found and what was expected.
func (e *SFENError) Error() string {
	var b strings.Builder
	b.WriteString("shogi: bad position")
	for i, f := range e.Faults {
		if i == 0 {
			b.WriteString(": ")
		} else {
			b.WriteString("; ")
		}
		b.WriteString(f.Field)
		if f.Offset >= 0 {
			b.WriteString(", byte ")
			b.WriteString(strconv.Itoa(f.Offset))
		}
		b.WriteString(": ")
		b.WriteString(f.Msg)
	}
	return b.String()
}

// ParseSFEN reads a position in SFEN: board, side to move, hands and, optionally, move number.
// It reports every fault of the text and of the position at once, as an *SFENError. Beyond the strict grammar it
// takes hands in any order, several blanks between fields, and digits that add up to a rank of nine squares.
// Kings and other pieces may be missing. It does not ask whether the position is a mate problem.
func ParseSFEN(s string) (Position, error) {
	r := newReader(s)
	p, ok := r.sfen()
	if !ok {
		return Position{}, r.err()
	}
	if f, ok := r.next(); ok {
		r.fault(CodeTrailingText, FieldPly, f.at, "found %q after the position, expected nothing", clip(f.text))
		return Position{}, r.err()
	}
	return p, nil
}

// MustParseSFEN is ParseSFEN for texts known to be right, such as those in tests. It panics on an error.
func MustParseSFEN(s string) Position {
	p, err := ParseSFEN(s)
	if err != nil {
		panic(err)
	}
	return p
}

// Start returns the initial position (平手).
func Start() Position { return MustParseSFEN(StartSFEN) }

// ParsePosition reads a position the way people and programs write it, and the moves that follow, if any:
// an SFEN, "startpos", either after the words "position" or "sfen", then optionally "moves" and USI moves.
// It takes "_" or "." for blanks, tabs, line ends, full-width blanks and a byte order mark, and a forced promotion
// written without "+". Errors are *SFENError with offsets into the given text.
func ParsePosition(text string) (Game, error) {
	if len(text) > MaxPositionText {
		return Game{}, &SFENError{Input: clip(text), Faults: []Fault{{CodeTooLong, FieldBoard, MaxPositionText,
			fmt.Sprintf("found %d bytes, expected at most %d", len(text), MaxPositionText)}}}
	}
	r := newReader(text)
	if r.peekWord("position") {
		r.next()
	}
	var p Position
	if r.peekWord("startpos") {
		r.next()
		p = Start()
	} else {
		if r.peekWord("sfen") {
			r.next()
		}
		var ok bool
		if p, ok = r.sfen(); !ok {
			return Game{}, r.err()
		}
	}
	g := NewGame(p)
	f, ok := r.next()
	if !ok {
		return g, nil
	}
	if f.text != "moves" {
		r.fault(CodeTrailingText, FieldMoves, f.at, "found %q after the position, expected the word moves or nothing", clip(f.text))
		return Game{}, r.err()
	}
	for n := 1; ; n++ {
		f, ok := r.next()
		if !ok {
			return g, nil
		}
		m, err := ParseMove(f.text)
		if err != nil {
			r.fault(CodeMoveSyntax, FieldMoves, f.at, "move %d: %s", n, strings.TrimPrefix(err.Error(), "shogi: "))
			return Game{}, r.err()
		}
		if !g.position.IsLegal(m) && !m.IsDrop() && g.position.IsLegal(m|movePromotes) {
			m |= movePromotes
		}
		if !g.position.IsLegal(m) {
			r.fault(CodeIllegalMove, FieldMoves, f.at, "move %d: %s is not legal in %s", n, m, g.position.SFEN())
			return Game{}, r.err()
		}
		g.Do(m)
	}
}

// A reader walks over the blank-separated fields of a text and collects faults.
type reader struct {
	input  string
	text   string // input with every kind of blank as spaces, byte for byte at the same offsets
	at     int
	faults []Fault
}

type field struct {
	text string
	at   int
}

var blanks = strings.NewReplacer("\t", " ", "\r", " ", "\n", " ", "_", " ", ".", " ", "　", "   ", "\ufeff", "   ")

func newReader(s string) *reader { return &reader{input: s, text: blanks.Replace(s)} }

func (r *reader) fault(code, fieldName string, at int, format string, args ...any) {
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, Fault{code, fieldName, at, fmt.Sprintf(format, args...)})
	}
}

func (r *reader) err() error { return &SFENError{Input: r.input, Faults: r.faults} }

func (r *reader) next() (field, bool) {
	for r.at < len(r.text) && r.text[r.at] == ' ' {
		r.at++
	}
	start := r.at
	for r.at < len(r.text) && r.text[r.at] != ' ' {
		r.at++
	}
	return field{r.text[start:r.at], start}, start < r.at
}

func (r *reader) peekWord(word string) bool {
	at := r.at
	f, ok := r.next()
	r.at = at
	return ok && f.text == word
}

// sfen reads board, side, hands and an optional number. It returns false after reporting at least one fault.
func (r *reader) sfen() (Position, bool) {
	s := Setup{Ply: 1}
	var squareAt [NumSquares]int
	if f, ok := r.next(); ok {
		r.board(f, &s, &squareAt)
	} else {
		r.fault(CodeMissingField, FieldBoard, r.at, "found nothing, expected a position")
		return Position{}, false
	}
	sideAt, handsAt := r.at, r.at
	if f, ok := r.next(); !ok {
		r.fault(CodeMissingField, FieldSide, r.at, "found the end of the text, expected b or w")
	} else {
		sideAt = f.at
		switch f.text {
		case "b":
			s.Side = Black
		case "w":
			s.Side = White
		default:
			r.fault(CodeSide, FieldSide, f.at, "found %q, expected b or w", clip(f.text))
		}
		if f, ok := r.next(); ok {
			handsAt = f.at
			r.hands(f, &s)
		} else {
			r.fault(CodeMissingField, FieldHands, r.at, "found the end of the text, expected the pieces in hand, or - for none")
		}
	}
	if !r.peekWord("moves") {
		if f, ok := r.next(); ok {
			n, err := strconv.Atoi(f.text)
			if err != nil || n < 1 || n > MaxPly {
				r.fault(CodePly, FieldPly, f.at, "found %q, expected a move number from 1 to %d", clip(f.text), MaxPly)
			}
			s.Ply = n
		}
	}
	if len(r.faults) > 0 {
		return Position{}, false
	}
	p, problems := s.build()
	for _, v := range problems {
		at := handsAt
		switch {
		case v.square != NoSquare:
			at = squareAt[v.square]
		case v.fault.Field == FieldSide:
			at = sideAt
		}
		v.fault.Offset = at
		r.faults = append(r.faults, v.fault)
	}
	return p, len(problems) == 0
}

func (r *reader) board(f field, s *Setup, squareAt *[NumSquares]int) {
	ranks := strings.Split(f.text, "/")
	if len(ranks) != 9 {
		r.fault(CodeRankCount, FieldBoard, f.at, "found %d ranks, expected 9", len(ranks))
	}
	at := f.at
	for i, rank := range ranks {
		width := 0
		place := func(pc Piece, at int) {
			if width < 9 && i < 9 {
				sq := SquareAt(File9-File(width), Rank(i))
				s.Board[sq], squareAt[sq] = pc, at
			}
			width++
		}
		for j := 0; j < len(rank); j++ {
			switch ch := rank[j]; {
			case ch >= '1' && ch <= '9':
				width += int(ch - '0')
			case ch == '+':
				pc := NoPiece
				if j+1 < len(rank) {
					pc = pieceFromLetter(rank[j+1])
				}
				if pc == NoPiece || !pc.Type().CanPromote() {
					found := "the end of the rank"
					if j+1 < len(rank) {
						found = strconv.Quote(clip(rank[j : j+2]))
					}
					r.fault(CodePromotedKind, FieldBoard, at+j, "found %s in rank %s, expected + and one of P L N S B R", found, rankName(i))
				}
				if j+1 < len(rank) && rank[j+1] != '+' {
					place(pc|promotedBit, at+j)
					j++
				}
			default:
				pc := pieceFromLetter(ch)
				if pc == NoPiece {
					size := runeSize(rank[j:])
					r.fault(CodePieceLetter, FieldBoard, at+j, "found %q in rank %s, expected a piece letter or a digit 1-9", rank[j:j+size], rankName(i))
					j += size - 1
				}
				place(pc, at+j)
			}
		}
		if width != 9 {
			r.fault(CodeRankWidth, FieldBoard, at, "rank %s is %d squares wide (%q), expected 9", rankName(i), width, clip(rank))
		}
		at += len(rank) + 1
	}
}

func rankName(i int) string {
	if i < 9 {
		return fmt.Sprintf("%d (%c)", i+1, 'a'+i)
	}
	return strconv.Itoa(i + 1)
}

// runeSize returns the length of the first character of s, so that a message never quotes half of one.
func runeSize(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return len(s)
}

func pieceFromLetter(ch byte) Piece {
	c := Black
	if ch >= 'a' && ch <= 'z' {
		c, ch = White, ch&^0x20
	}
	t := pieceTypeOf(ch)
	if t == NoPieceType {
		return NoPiece
	}
	return PieceOf(c, t)
}

func (r *reader) hands(f field, s *Setup) {
	if f.text == "-" {
		return
	}
	var held [2][King]int
	text := f.text
	for i := 0; i < len(text); {
		start, n, digits := i, 0, 0
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			n = min(n*10+int(text[i]-'0'), 1000)
			i, digits = i+1, digits+1
		}
		if digits == 0 {
			n = 1
		}
		if i == len(text) {
			r.fault(CodeHandCount, FieldHands, f.at+start, "found the count %q without a piece after it", clip(text[start:]))
			break
		}
		pc := pieceFromLetter(text[i])
		switch t := pc.Type(); {
		case pc == NoPiece:
			size := runeSize(text[i:])
			r.fault(CodeHandLetter, FieldHands, f.at+i, "found %q, expected a count or one of R B G S N L P in either case", text[i:i+size])
			i += size - 1
		case t == King:
			r.fault(CodeKingInHand, FieldHands, f.at+i, "found %q, but a king cannot be held", text[i:i+1])
		case n == 0 || n > FullSet[t]:
			r.fault(CodeHandCount, FieldHands, f.at+start, "found %q, expected a count from 1 to %d", clip(text[start:i+1]), FullSet[t])
		default:
			if held[pc.Color()][t] += n; held[pc.Color()][t] > FullSet[t] {
				r.fault(CodeHandCount, FieldHands, f.at+start, "found %d %s in one hand, a set has %d", held[pc.Color()][t], t.name(), FullSet[t])
			}
		}
		i++
	}
	for c := Black; c <= White; c++ {
		for _, t := range handKinds {
			s.Hands[c] = s.Hands[c].Add(t, min(held[c][t], FullSet[t]))
		}
	}
}

// AppendSFEN appends the canonical SFEN of p: digits never adjacent, hands in the order R B G S N L P, Black's
// first, "-" for two empty hands, and the move number.
func (p *Position) AppendSFEN(dst []byte) []byte {
	for r := RankA; r <= RankI; r++ {
		if r > RankA {
			dst = append(dst, '/')
		}
		empty := byte(0)
		for f := int(File9); f >= 0; f-- {
			pc := p.board[SquareAt(File(f), r)]
			if pc == NoPiece {
				empty++
				continue
			}
			if empty > 0 {
				dst, empty = append(dst, '0'+empty), 0
			}
			if pc.Type().IsPromoted() {
				dst = append(dst, '+')
			}
			dst = append(dst, pieceLetters[pc.Type().Base()]|byte(pc.Color())<<5)
		}
		if empty > 0 {
			dst = append(dst, '0'+empty)
		}
	}
	dst = append(dst, ' ', "bw"[p.side&1], ' ')
	if p.hand[0].IsEmpty() && p.hand[1].IsEmpty() {
		dst = append(dst, '-')
	} else {
		dst = p.hand[Black].appendSFEN(dst, Black)
		dst = p.hand[White].appendSFEN(dst, White)
	}
	dst = append(dst, ' ')
	return strconv.AppendInt(dst, int64(p.ply), 10)
}

// SFEN returns the canonical SFEN of p.
func (p *Position) SFEN() string { return string(p.AppendSFEN(make([]byte, 0, 128))) }
