package shogi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// StartSFEN is the SFEN of the initial position (平手).
const StartSFEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"

// MaxPly and MaxPositionText limit what is read.
const (
	// MaxPly is the largest move number a position that was read may have, its moves played.
	MaxPly = 1_000_000
	// MaxPositionText is the largest text ParseSFEN and ParsePosition read, in bytes.
	MaxPositionText = 1 << 20
	// maxFaults bounds how many faults of one text are reported.
	maxFaults = 64
)

// ParseSFEN reads a position in SFEN: board, side to move, hands and, optionally, move number. It
// reports every fault of the text and of the position at once, as an *SFENError. Beyond the strict
// grammar it takes the words "position" and "sfen" in front (and "startpos" for it all), hands in
// any order, several blanks, and digits that add up to a rank of nine squares; tabs, line ends,
// full-width blanks, "_" and "." are blanks too. Kings and other pieces may be missing. It does not
// ask whether the position is a mate problem.
func ParseSFEN(s string) (Position, error) {
	r := newReader(s)
	p := r.position()
	if f, ok := r.next(); ok {
		r.fault(moreText, FieldMoves, f.at, clip(f.text))
	}
	if len(r.faults) > 0 {
		return Position{}, r.err()
	}
	return p, nil
}

// MustParseSFEN is ParseSFEN for texts known to be right, such as those in tests. It panics on an
// error.
func MustParseSFEN(s string) Position {
	p, err := ParseSFEN(s)
	if err != nil {
		panic(err)
	}
	return p
}

// Start returns the initial position (平手).
func Start() Position { return MustParseSFEN(StartSFEN) }

// ParsePosition reads a position the way people and programs write it, and the moves that follow,
// if any: an SFEN, "startpos", either after the words "position" or "sfen", then optionally "moves"
// and USI moves. It takes "_" or "." for blanks, tabs, line ends, full-width blanks and a byte
// order mark, and a forced promotion written without "+". Errors are *SFENError with offsets into
// the given text.
func ParsePosition(text string) (Game, error) {
	r := newReader(text)
	p := r.position()
	if len(r.faults) > 0 {
		return Game{}, r.err()
	}
	return r.game(p)
}

// ParseProblem reads what ParsePosition does, and returns the position after the moves with its
// ProblemSFEN: the text itself if it is one, without another walk over the board.
func ParseProblem(text string) (p Position, sfen string, err error) {
	r := newReader(text)
	p = r.position()
	if len(r.faults) > 0 {
		return Position{}, "", r.err()
	}
	if r.isProblem {
		return p, r.text, nil
	}
	g, err := r.game(p)
	if err != nil {
		return Position{}, "", err
	}
	return g.position, g.position.ProblemSFEN(), nil
}

// game reads what follows the position p.
func (r *reader) game(p Position) (Game, error) {
	g := NewGame(p)
	f, ok := r.next()
	if ok && f.text != "moves" {
		r.fault(noWordMoves, FieldMoves, f.at, clip(f.text))
		return Game{}, r.err()
	}
	for n := 1; ok; n++ {
		if f, ok = r.next(); !ok {
			break
		}
		m, err := ParseMove(f.text)
		if err != nil {
			why, _ := MessageOf(err)
			r.fault(badMoveAt, FieldMoves, f.at, n, why)
			return Game{}, r.err()
		}
		if !g.position.IsLegal(m) && !m.IsDrop() && g.position.IsLegal(m|movePromotes) {
			m |= movePromotes
		}
		if why := g.position.illegal(m); why != nil {
			r.faultOn(why.Square, illegalMoveAt, FieldMoves, f.at, n, why.Message())
			return Game{}, r.err()
		}
		if g.position.Ply() == MaxPly {
			r.fault(plyTooLarge, FieldMoves, f.at, n, MaxPly)
			return Game{}, r.err()
		}
		g.Do(m)
	}
	return g, nil
}

// A reader walks over the blank-separated fields of a text and collects faults.
type reader struct {
	input  string
	text   string // input with every kind of blank as spaces, byte for byte at the same offsets
	at     int
	faults []Fault
	// isProblem says that text is the ProblemSFEN of its position.
	isProblem bool
}

type field struct {
	text string
	at   int
}

var blanks = strings.NewReplacer("\t", " ", "\r", " ", "\n", " ", "_", " ", ".", " ", "　", "   ", "\ufeff", "   ")

// newReader returns a reader of s, or of nothing and with a fault if s is too long.
func newReader(s string) *reader {
	if len(s) > MaxPositionText {
		r := &reader{input: clip(s)}
		r.fault(tooLong, FieldBoard, MaxPositionText, len(s), MaxPositionText)
		return r
	}
	r := &reader{input: s, text: s}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '_' || c == '.' || c > '~' {
			r.text = blanks.Replace(s)
			break
		}
	}
	return r
}

// fault notes a fault that is about no single square.
func (r *reader) fault(text *Text, fieldName string, at int, args ...any) {
	r.faultOn(NoSquare, text, fieldName, at, args...)
}

// faultOn notes a fault about the square sq.
func (r *reader) faultOn(sq Square, text *Text, fieldName string, at int, args ...any) {
	if !r.full() {
		r.faults = append(r.faults, Fault{text.Code, fieldName, at, sq, text.With(args...)})
	}
}

// full reports whether no more faults are taken. A megabyte of nonsense is not worth describing to
// the end.
func (r *reader) full() bool { return len(r.faults) >= maxFaults }

// err returns the faults in the order of the text.
func (r *reader) err() error {
	slices.SortStableFunc(r.faults, func(a, b Fault) int { return cmp.Compare(a.Offset, b.Offset) })
	return &SFENError{Input: r.input, Faults: r.faults}
}

func (r *reader) next() (field, bool) {
	for r.at < len(r.text) && r.text[r.at] == ' ' {
		r.at++
	}
	start := r.at
	if n := strings.IndexByte(r.text[start:], ' '); n >= 0 {
		r.at += n
	} else {
		r.at = len(r.text)
	}
	return field{r.text[start:r.at], start}, start < r.at
}

func (r *reader) peekWord(word string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(r.text[r.at:], " "), word)
	return ok && (rest == "" || rest[0] == ' ')
}

// nextBeforeMoves is next up to the word moves, which it leaves.
func (r *reader) nextBeforeMoves() (field, bool) {
	if r.peekWord("moves") {
		return field{at: r.at}, false
	}
	return r.next()
}

// ahead says what nextBeforeMoves came upon when there was no field.
func (r *reader) ahead() *Text {
	if r.peekWord("moves") {
		return wordMoves
	}
	return endOfText
}

// position reads what stands before the moves: startpos, or board, side, hands and an optional
// number. The position means something only if there are no faults afterwards.
func (r *reader) position() Position {
	if len(r.faults) > 0 {
		return Position{} // too long
	}
	if r.peekWord("position") {
		r.next()
	}
	if r.peekWord("startpos") {
		r.next()
		return Start()
	}
	if r.peekWord("sfen") {
		r.next()
	}

	board, ok := r.nextBeforeMoves()
	if !ok {
		r.fault(noPosition, FieldBoard, board.at)
		return Position{}
	}
	s := Setup{Ply: 1}
	var squareAt [NumSquares]int // set where there are faults
	isCanonical, isPlain := plainBoard(board.text, &s.Board)
	if !isPlain {
		r.board(board, &s, &squareAt)
	}
	boardFaults := len(r.faults)

	side, ok := r.nextBeforeMoves()
	switch {
	case !ok:
		r.fault(noSide, FieldSide, side.at, r.ahead())
	case side.text == "b":
		s.Side = Black
	case side.text == "w":
		s.Side = White
	default:
		r.fault(badSide, FieldSide, side.at, clip(side.text))
	}
	sideFaults := len(r.faults) - boardFaults

	hands, ok := r.nextBeforeMoves()
	if ok {
		r.hands(hands, &s)
	} else {
		r.fault(noHands, FieldHands, hands.at, r.ahead())
	}
	handsFaults := len(r.faults) - boardFaults - sideFaults

	ply, ok := r.nextBeforeMoves()
	if ok {
		n, err := strconv.ParseUint(ply.text, 10, 32)
		if err != nil || n < 1 || n > MaxPly {
			r.fault(badPly, FieldPly, ply.at, clip(ply.text), MaxPly)
			n = 1
		}
		s.Ply = int(n)
	}

	// What is wrong with the position itself, as far as it could be read.
	p, faults := s.build()
	if boardFaults > 0 {
		return Position{}
	}
	if isPlain && len(faults) > 0 {
		r.board(board, &s, &squareAt)
	}
	var buf [48]byte
	r.isProblem = isCanonical && side.at == len(board.text)+1 &&
		hands.at == side.at+2 && hands.text == string(p.appendHands(buf[:0])) &&
		ply.text == "1" && ply.at == hands.at+len(hands.text)+1 && ply.at+1 == len(r.text)
	for _, f := range faults {
		switch {
		case f.Field == FieldSide && sideFaults > 0, f.Field == FieldHands && handsFaults > 0:
			continue
		case f.Field == FieldBoard:
			f.Offset = squareAt[f.Square]
		case f.Field == FieldSide:
			f.Offset = side.at
		default:
			f.Offset = hands.at
		}
		if !r.full() {
			r.faults = append(r.faults, f)
		}
	}
	return p
}

// plainBoard reads a board in which nothing is wrong, as nearly all are, in one pass. ok is false for
// any other, which is for reader.board to read. isCanonical says that SFEN would write it the same.
func plainBoard(text string, board *[NumSquares]Piece) (isCanonical, ok bool) {
	rank, width := RankA, 0
	promoted, afterDigit := NoPiece, false
	isCanonical = true
	for i := range len(text) {
		ch := text[i]
		switch pc := letterPieces[ch]; {
		case pc != NoPiece:
			if width == 9 || promoted != 0 && !pc.Type().CanPromote() {
				return false, false
			}
			board[SquareAt(File9-File(width), rank)] = pc | promoted
			width++
			promoted, afterDigit = NoPiece, false
		case promoted != 0:
			return false, false
		case isDigit(ch) && ch != '0':
			if width += int(ch - '0'); width > 9 {
				return false, false
			}
			isCanonical = isCanonical && !afterDigit
			afterDigit = true
		case ch == '+':
			promoted = promotedBit
		case ch == '/':
			if width != 9 || rank == RankI {
				return false, false
			}
			rank++
			width, afterDigit = 0, false
		default:
			return false, false
		}
	}
	return isCanonical, promoted == 0 && width == 9 && rank == RankI
}

// letterPieces is pieceFromLetter as a table.
var letterPieces = func() (t [256]Piece) {
	for ch := range t {
		t[ch] = pieceFromLetter(byte(ch))
	}
	return t
}()

func (r *reader) board(f field, s *Setup, squareAt *[NumSquares]int) {
	ranks := slices.AppendSeq(make([]string, 0, 10), strings.SplitSeq(f.text, "/"))
	var widths [10]int // of the first ranks
	at := f.at
	for i, rank := range ranks {
		width := 0
		here := func() Square { // NoSquare once the text has left the board
			if width < 9 && i < 9 {
				return SquareAt(File9-File(width), Rank(i))
			}
			return NoSquare
		}
		place := func(pc Piece, at int) {
			if sq := here(); sq != NoSquare {
				s.Board[sq], squareAt[sq] = pc, at
			}
			width++
		}
		for j := 0; j < len(rank) && !r.full(); j++ {
			switch ch := rank[j]; {
			case isDigit(ch) && ch != '0':
				width += int(ch - '0')
			case ch == '+':
				base, size := NoPiece, runeSize(rank[j+1:])
				if size > 0 {
					base = pieceFromLetter(rank[j+1])
				}
				if base == NoPiece || !base.Type().CanPromote() {
					found := any(endOfRank)
					if size > 0 {
						found = quotation(rank[j : j+1+size])
					}
					r.faultOn(here(), cannotPromote, FieldBoard, at+j, found, rankNumber(i))
				}
				if size > 0 && rank[j+1] != '+' && !isDigit(rank[j+1]) {
					place(base|promotedBit, at+j)
					j += size
				}
			default:
				pc := pieceFromLetter(ch)
				if pc == NoPiece {
					size := runeSize(rank[j:])
					r.faultOn(here(), noPiece, FieldBoard, at+j, rank[j:j+size], rankNumber(i))
					j += size - 1
				}
				place(pc, at+j)
			}
		}
		if i < len(widths) {
			widths[i] = width
		}
		at += len(rank) + 1
	}

	torn := -1 // the rank that a "/" too many tore in two
	if len(ranks) == 10 {
		for i := range 9 {
			if widths[i] != 9 && widths[i]+widths[i+1] == 9 {
				torn = i
			}
		}
	}
	at = f.at
	for i, rank := range ranks[:min(len(ranks), len(widths))] {
		switch {
		case i == torn:
			r.fault(tornRank, FieldBoard, at+len(rank), rankNumber(i), rankNumber(i+1),
				widths[i], widths[i+1])
		case widths[i] != 9 && (torn < 0 || i != torn+1):
			r.fault(rankWidth, FieldBoard, at, rankNumber(i), widths[i], clip(rank))
		}
		at += len(rank) + 1
	}
	if len(ranks) != 9 && torn < 0 {
		r.fault(rankCount, FieldBoard, f.at, numberOfRanks(len(ranks)))
	}
}

func isDigit(ch byte) bool { return ch >= '0' && ch <= '9' }

// runeSize returns the length of the first character of s, so that a message never quotes half of
// one.
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
	for i := 0; i < len(text) && !r.full(); {
		start, n, digits := i, 0, 0
		for i < len(text) && isDigit(text[i]) {
			n = min(n*10+int(text[i]-'0'), 1000)
			i, digits = i+1, digits+1
		}
		if digits == 0 {
			n = 1
		}
		if i == len(text) {
			r.fault(countAlone, FieldHands, f.at+start, clip(text[start:]))
			break
		}
		pc := pieceFromLetter(text[i])
		switch t := pc.Type(); {
		case pc == NoPiece:
			size := runeSize(text[i:])
			r.fault(notHeld, FieldHands, f.at+i, text[i:i+size])
			i += size - 1
		case t == King:
			r.fault(kingHeld, FieldHands, f.at+i, text[i:i+1])
		case n == 0 || n > FullSet[t]:
			r.fault(badCount, FieldHands, f.at+start, clip(text[start:i+1]), FullSet[t])
		default:
			if held[pc.Color()][t] += n; held[pc.Color()][t] > FullSet[t] {
				r.fault(tooManyHeld, FieldHands, f.at+start, held[pc.Color()][t], t, FullSet[t])
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

// AppendSFEN appends the canonical SFEN of p: digits never adjacent, hands in the order R B G S N L
// P, Black's first, "-" for two empty hands, and the move number.
func (p *Position) AppendSFEN(dst []byte) []byte {
	return strconv.AppendInt(append(p.appendFields(dst), ' '), int64(p.ply), 10)
}

// SFEN returns the canonical SFEN of p.
func (p *Position) SFEN() string { return string(p.AppendSFEN(make([]byte, 0, 128))) }

// ProblemSFEN returns the canonical SFEN of p with the move number 1: the number is no part of a
// problem, so that two positions are the same problem exactly if their ProblemSFENs are equal.
func (p *Position) ProblemSFEN() string {
	return string(append(p.appendFields(make([]byte, 0, 128)), " 1"...))
}

// appendFields appends the fields of an SFEN but the move number.
func (p *Position) appendFields(dst []byte) []byte {
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
	return p.appendHands(append(dst, ' ', "bw"[p.side&1], ' '))
}

// appendHands appends the hands as a field of an SFEN.
func (p *Position) appendHands(dst []byte) []byte {
	if p.hand[0].IsEmpty() && p.hand[1].IsEmpty() {
		return append(dst, '-')
	}
	return p.hand[White].appendSFEN(p.hand[Black].appendSFEN(dst, Black), White)
}
