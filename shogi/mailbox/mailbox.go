// Package mailbox is the rules of shogi a second time, on a plain board and without bitboards:
// short, and written to be read against the rules. It is the witness that package shogi is checked
// against, and what replays a claimed mate, so it shares no code with the generators of package
// shogi, only its nouns.
//
// A move is found legal by making it on a copy of the board and looking whether the own king is
// attacked. There are no pins and no check information; a side in check tries only what can parry
// the check, and what cuts anything off says why that is nothing.
package mailbox

import (
	"math"
	"slices"
	"strconv"

	"github.com/tsumero/tsumero/shogi"
)

// The squares lie in one row of cells, file by file, each file from rank a to i. A wall keeps what
// leaves the board from coming back elsewhere: two cells between files, because a knight jumps that
// far, and a file before and after.
const (
	up       = -1 // as Black sees it
	down     = +1
	left     = +11
	right    = -11
	numCells = 11*11 + 2

	// wall fills the cells off the board. No piece has its number.
	wall shogi.Piece = 15
)

var (
	cellOf   [shogi.NumSquares]uint8
	squareOf [numCells]shogi.Square // NoSquare for the wall
	empty    [numCells]shogi.Piece  // no pieces, and the wall
)

// directions are the eight ways along which pieces go; the opposite of number i is number (i+4)%8.
var directions = [8]int{up, up + left, left, down + left, down, down + right, right, up + right}

// A step is one way in which a piece goes: over any number of empty cells if far, else to the next
// one.
type step struct {
	by  int
	far bool
}

// steps are the ways of each piece. White's are Black's, turned round.
var steps = func() (t [32][]step) {
	near := func(by ...int) (list []step) {
		for _, d := range by {
			list = append(list, step{d, false})
		}
		return list
	}
	far := func(by ...int) (list []step) {
		for _, d := range by {
			list = append(list, step{d, true})
		}
		return list
	}
	diagonals := []int{up + left, up + right, down + left, down + right}
	cross := []int{up, down, left, right}
	gold := near(up, up+left, up+right, left, right, down)
	for kind, list := range map[shogi.PieceType][]step{
		shogi.Pawn:   near(up),
		shogi.Lance:  far(up),
		shogi.Knight: near(up+up+left, up+up+right),
		shogi.Silver: near(up, up+left, up+right, down+left, down+right),
		shogi.Gold:   gold, shogi.Tokin: gold, shogi.ProLance: gold, shogi.ProKnight: gold, shogi.ProSilver: gold,
		shogi.Bishop: far(diagonals...),
		shogi.Rook:   far(cross...),
		shogi.Horse:  append(far(diagonals...), near(cross...)...),
		shogi.Dragon: append(far(cross...), near(diagonals...)...),
		shogi.King:   append(near(cross...), near(diagonals...)...),
	} {
		for _, s := range list {
			black, white := shogi.PieceOf(shogi.Black, kind), shogi.PieceOf(shogi.White, kind)
			t[black] = append(t[black], s)
			t[white] = append(t[white], step{-s.by, s.far})
		}
	}
	return t
}()

// comes[c][piece] says from where the piece, if it is one of c, attacks a cell: bit i is set if it
// does from the next cell in direction i, and bit 8+i if it does from farther away.
var comes [2][32]uint16

func init() {
	for cell := range squareOf {
		squareOf[cell], empty[cell] = shogi.NoSquare, wall
	}
	for sq := range shogi.Square(shogi.NumSquares) {
		cell := (int(sq.File())+1)*left + int(sq.Rank()) + 2
		cellOf[sq], squareOf[cell], empty[cell] = uint8(cell), sq, shogi.NoPiece
	}
	for pc, list := range steps {
		from := &comes[shogi.Piece(pc).Color()][pc]
		for _, s := range list {
			for i, d := range directions {
				switch {
				case s.by != -d:
				case s.far:
					*from |= 1<<i | 1<<(8+i)
				default:
					*from |= 1 << i
				}
			}
		}
	}
}

// A Board is a position. It is a value: assignment copies it. Its methods, Do apart, only read it.
type Board struct {
	cells [numCells]shogi.Piece
	hands [2][shogi.King]uint8 // by colour and kind
	kings [2]uint8             // cells; 0, a wall, where there is none
	side  shogi.Color
	ply   uint32
}

// From returns the board of p.
func From(p *shogi.Position) Board {
	b := Board{cells: empty, side: p.SideToMove(), ply: uint32(p.Ply())}
	for sq, cell := range cellOf {
		pc := p.Piece(shogi.Square(sq))
		b.cells[cell] = pc
		if pc.Type() == shogi.King {
			b.kings[pc.Color()] = cell
		}
	}
	for _, c := range [2]shogi.Color{shogi.Black, shogi.White} {
		for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
			b.hands[c][kind] = uint8(p.Hand(c).Count(kind))
		}
	}
	return b
}

// SideToMove returns the side whose turn it is.
func (b *Board) SideToMove() shogi.Color { return b.side }

// Position returns b without its move number: two of them are equal if they are the same position.
func (b *Board) Position() Board {
	p := *b
	p.ply = 0
	return p
}

// GiveAway makes c keep just so much in hand and gives its opponent the rest. It reports false, and
// changes nothing, if c holds less of any kind.
func (b *Board) GiveAway(c shogi.Color, keep shogi.Hand) bool {
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		if int(b.hands[c][kind]) < keep.Count(kind) {
			return false
		}
	}
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		rest := b.hands[c][kind] - uint8(keep.Count(kind))
		b.hands[c][kind] -= rest
		b.hands[c.Opponent()][kind] += rest
	}
	return true
}

// Piece returns the piece on sq, shogi.NoPiece if it is empty.
func (b *Board) Piece(sq shogi.Square) shogi.Piece { return b.cells[cellOf[sq]] }

// Held returns how many pieces of the kind c holds.
func (b *Board) Held(c shogi.Color, kind shogi.PieceType) int { return int(b.hands[c][kind]) }

// King returns the square of the king of c, NoSquare if there is none.
func (b *Board) King(c shogi.Color) shogi.Square { return squareOf[b.kings[c]] }

// SetAside takes a piece of the kind out of the hand of c: it is in nobody's hand any more. c must
// hold one.
func (b *Board) SetAside(c shogi.Color, kind shogi.PieceType) { b.hands[c][kind]-- }

// isOf reports whether a piece of c stands on the cell.
func (b *Board) isOf(c shogi.Color, cell int) bool {
	pc := b.cells[cell]
	return pc != shogi.NoPiece && pc != wall && pc.Color() == c
}

// attacked reports whether a piece of c attacks the cell. It looks in every direction for the
// nearest piece and asks whether that one comes here.
func (b *Board) attacked(cell int, c shogi.Color) bool {
	comes := &comes[c&1]
	for i, d := range directions {
		from, way := cell+d, uint16(1)<<i
		for b.cells[from] == shogi.NoPiece {
			from, way = from+d, 1<<(8+i)
		}
		if comes[b.cells[from]&31]&way != 0 {
			return true
		}
	}
	knight := shogi.PieceOf(c, shogi.Knight)
	for _, s := range steps[knight] {
		if b.cells[cell-s.by] == knight {
			return true
		}
	}
	return false
}

// appendAttackers appends the cells of the pieces of c that attack the cell.
func (b *Board) appendAttackers(dst []uint8, cell int, c shogi.Color) []uint8 {
	comes := &comes[c&1]
	for i, d := range directions {
		from, way := cell+d, uint16(1)<<i
		for b.cells[from] == shogi.NoPiece {
			from, way = from+d, 1<<(8+i)
		}
		if comes[b.cells[from]&31]&way != 0 {
			dst = append(dst, uint8(from))
		}
	}
	knight := shogi.PieceOf(c, shogi.Knight)
	for _, s := range steps[knight] {
		if b.cells[cell-s.by] == knight {
			dst = append(dst, uint8(cell-s.by))
		}
	}
	return dst
}

// Attackers returns the squares of the pieces of c that attack sq, pinned ones too.
func (b *Board) Attackers(sq shogi.Square, c shogi.Color) (list []shogi.Square) {
	for from, cell := range cellOf {
		if b.isOf(c, int(cell)) && b.reaches(shogi.Square(from), sq) {
			list = append(list, shogi.Square(from))
		}
	}
	return list
}

// InCheck reports whether the king of c is attacked. A side without a king never is in check.
func (b *Board) InCheck(c shogi.Color) bool {
	return b.kings[c] != 0 && b.attacked(int(b.kings[c]), c.Opponent())
}

// Do plays m, which must be legal.
func (b *Board) Do(m shogi.Move) {
	to := cellOf[m.To()]
	if m.IsDrop() {
		b.hands[b.side][m.Dropped()]--
		b.cells[to] = shogi.PieceOf(b.side, m.Dropped())
	} else {
		from := cellOf[m.From()]
		kind := b.cells[from].Type()
		if kind == shogi.King {
			b.kings[b.side] = to
		}
		if m.IsPromotion() {
			kind = kind.Promoted()
		}
		if taken := b.cells[to]; taken != shogi.NoPiece && taken.Type() != shogi.King {
			b.hands[b.side][taken.Type().Base()]++
		}
		b.cells[from] = shogi.NoPiece
		b.cells[to] = shogi.PieceOf(b.side, kind)
	}
	b.side = b.side.Opponent()
	b.ply++
}

// Pass lets the side to move pass, which is no move of the rules. It must not be in check.
func (b *Board) Pass() {
	b.side = b.side.Opponent()
	b.ply++
}

// ranksLeft returns how many ranks lie before the square as the side to move sees it: 0 on the
// farthest.
func (b *Board) ranksLeft(sq shogi.Square) int {
	if b.side == shogi.Black {
		return int(sq.Rank())
	}
	return int(shogi.RankI - sq.Rank())
}

// stuck reports whether an unpromoted piece of the kind could never leave the square again
// (行き所のない駒).
func (b *Board) stuck(kind shogi.PieceType, sq shogi.Square) bool {
	switch kind {
	case shogi.Pawn, shogi.Lance:
		return b.ranksLeft(sq) < 1
	case shogi.Knight:
		return b.ranksLeft(sq) < 2
	}
	return false
}

// mayPromote reports whether a piece of the kind may promote on its way from one square to another.
func (b *Board) mayPromote(kind shogi.PieceType, from, to shogi.Square) bool {
	return kind.CanPromote() && (b.ranksLeft(from) < 3 || b.ranksLeft(to) < 3)
}

// mayDrop reports whether the side to move holds the kind and may drop it on the square: it is
// empty, the piece can move on from it, and a pawn finds no second one of its side on the file
// (二歩).
func (b *Board) mayDrop(kind shogi.PieceType, sq shogi.Square) bool {
	if kind < shogi.Pawn || kind > shogi.Gold || b.hands[b.side][kind] == 0 {
		return false
	}
	if b.cells[cellOf[sq]] != shogi.NoPiece || b.stuck(kind, sq) {
		return false
	}
	if kind == shogi.Pawn {
		for rank := shogi.RankA; rank <= shogi.RankI; rank++ {
			if b.cells[cellOf[shogi.SquareAt(sq.File(), rank)]] == shogi.PieceOf(b.side, shogi.Pawn) {
				return false
			}
		}
	}
	return true
}

// leavesKingSafe reports whether the own king is not attacked after m.
func (b *Board) leavesKingSafe(m shogi.Move) bool {
	after := *b
	after.Do(m)
	return !after.InCheck(b.side)
}

// IsPawnDropMate reports whether m is a pawn drop that obeys every other rule but mates
// (打ち歩詰め), and so is illegal. Nothing fits between the pawn and the king.
func (b *Board) IsPawnDropMate(m shogi.Move) bool {
	if !m.IsDrop() || m.Dropped() != shogi.Pawn || !m.To().IsValid() || !b.mayDrop(shogi.Pawn, m.To()) {
		return false
	}
	after := *b
	after.Do(m)
	var buf [shogi.NumSquares]uint8
	var few [2]shogi.Move
	checkers := after.checkers(buf[:0])
	return len(checkers) > 0 && len(after.appendParries(few[:0], checkers, 1)) == 0 && !after.InCheck(b.side)
}

// appendUnchecked appends the legal moves of a side that is not in check. It may end as soon as dst
// has so many moves.
func (b *Board) appendUnchecked(dst []shogi.Move, enough int) []shogi.Move {
	for from, cell := range cellOf {
		cell := int(cell)
		if !b.isOf(b.side, cell) {
			continue
		}
		from, pc := shogi.Square(from), b.cells[cell]
		for _, s := range steps[pc&31] {
			for at := cell + s.by; b.cells[at] != wall && !b.isOf(b.side, at); at += s.by {
				to := squareOf[at]
				if b.leavesKingSafe(shogi.NewMove(from, to)) {
					dst = b.appendBoth(dst, pc.Type(), from, to)
				}
				if len(dst) >= enough {
					return dst
				}
				if !s.far || b.cells[at] != shogi.NoPiece {
					break
				}
			}
		}
	}
	for sq := range shogi.Square(shogi.NumSquares) {
		if dst = b.appendDrops(dst, sq); len(dst) >= enough {
			break
		}
	}
	return dst
}

// appendBoth appends the move of a piece that leaves the own king safe as a promotion and without,
// as far as they are legal: promoted or not, it leaves one cell and fills another.
func (b *Board) appendBoth(dst []shogi.Move, kind shogi.PieceType, from, to shogi.Square) []shogi.Move {
	if b.mayPromote(kind, from, to) {
		dst = append(dst, shogi.NewPromotion(from, to))
	}
	if !b.stuck(kind, to) {
		dst = append(dst, shogi.NewMove(from, to))
	}
	return dst
}

// appendEvasions appends the legal moves of a side that is in check, given by what stands on the
// checkers, of which there is one at least. It may end as soon as dst has so many moves.
func (b *Board) appendEvasions(dst []shogi.Move, checkers []uint8, enough int) []shogi.Move {
	if dst = b.appendParries(dst, checkers, enough); len(dst) >= enough || len(checkers) > 1 {
		return dst
	}
	var buf [9]uint8
	for _, cell := range b.appendBetween(buf[:0], int(checkers[0])) {
		if dst = b.appendDrops(dst, squareOf[cell]); len(dst) >= enough {
			break
		}
	}
	return dst
}

// appendParries is appendEvasions without drops.
//
// Another piece than the king parries a check only by taking the checker or by standing in its way,
// on one of the empty cells between; and no piece does either to two of them at once. So only pieces
// that reach such a cell are looked at.
func (b *Board) appendParries(dst []shogi.Move, checkers []uint8, enough int) []shogi.Move {
	king, us, them := int(b.kings[b.side]), b.side, b.side.Opponent()
	var parries [numCells]bool
	var cells [9]uint8
	var buf [96]uint8
	pieces := append(buf[:0], uint8(king))
	if len(checkers) == 1 {
		for _, cell := range append(b.appendBetween(cells[:0], int(checkers[0])), checkers[0]) {
			parries[cell] = true
			pieces = b.appendAttackers(pieces, int(cell), us)
		}
		slices.Sort(pieces) // a piece may reach several; cells are in the order of the squares
		pieces = slices.Compact(pieces)
	}
	after := *b // with one move made at a time
	for _, cell := range pieces {
		cell := int(cell)
		from, pc := squareOf[cell], b.cells[cell]
		after.cells[cell] = shogi.NoPiece
		for _, s := range steps[pc&31] {
			for at := cell + s.by; b.cells[at] != wall && !b.isOf(us, at); at += s.by {
				safe := false
				switch {
				case cell == king: // what it takes does not attack its own cell
					safe = !after.attacked(at, them)
				case parries[at]:
					after.cells[at] = pc
					safe = !after.attacked(king, them)
					after.cells[at] = b.cells[at]
				}
				if safe {
					dst = b.appendBoth(dst, pc.Type(), from, squareOf[at])
				}
				if len(dst) >= enough {
					return dst
				}
				if !s.far || b.cells[at] != shogi.NoPiece {
					break
				}
			}
		}
		after.cells[cell] = pc
	}
	return dst
}

// appendBetween appends the empty cells between the king of the side to move and a piece that checks
// it, the one next to the king first. There are none if a knight checks.
func (b *Board) appendBetween(dst []uint8, checker int) []uint8 {
	king := int(b.kings[b.side])
	for _, d := range directions {
		n := len(dst)
		cell := king + d
		for ; b.cells[cell] == shogi.NoPiece; cell += d {
			dst = append(dst, uint8(cell))
		}
		if cell == checker {
			return dst
		}
		dst = dst[:n]
	}
	return dst
}

// appendDrops appends the legal drops on the square.
func (b *Board) appendDrops(dst []shogi.Move, sq shogi.Square) []shogi.Move {
	tried := false
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		if !b.mayDrop(kind, sq) {
			continue
		}
		m := shogi.NewDrop(kind, sq)
		if !tried && !b.leavesKingSafe(m) {
			break // nor does another kind: each of them fills the cell
		}
		tried = true
		if !b.IsPawnDropMate(m) {
			dst = append(dst, m)
		}
	}
	return dst
}

// AppendLegalMoves appends every legal move to dst.
func (b *Board) AppendLegalMoves(dst []shogi.Move) []shogi.Move {
	return b.appendLegalMoves(dst, math.MaxInt)
}

// LegalMoves returns every legal move.
func (b *Board) LegalMoves() []shogi.Move { return b.AppendLegalMoves(nil) }

// HasLegalMove reports whether there is a legal move.
func (b *Board) HasLegalMove() bool {
	var few [fewMoves]shogi.Move
	return len(b.appendLegalMoves(few[:0], 1)) > 0
}

// fewMoves is what moves to one square can come to: those of all kinds that are held.
const fewMoves = 8

// appendLegalMoves appends the legal moves to dst. It may end as soon as dst has so many.
func (b *Board) appendLegalMoves(dst []shogi.Move, enough int) []shogi.Move {
	var buf [shogi.NumSquares]uint8
	if checkers := b.checkers(buf[:0]); len(checkers) > 0 {
		return b.appendEvasions(dst, checkers, enough)
	}
	return b.appendUnchecked(dst, enough)
}

// checkers appends the cells of the pieces that give check to the side to move.
func (b *Board) checkers(dst []uint8) []uint8 {
	if king := int(b.kings[b.side]); king != 0 {
		dst = b.appendAttackers(dst, king, b.side.Opponent())
	}
	return dst
}

// IsLegal reports whether m, which may be any value at all, is a legal move.
func (b *Board) IsLegal(m shogi.Move) bool {
	from, to := m.From(), m.To()
	if !to.IsValid() {
		return false
	}
	if m.IsDrop() {
		return m == shogi.NewDrop(m.Dropped(), to) && b.mayDrop(m.Dropped(), to) && b.leavesKingSafe(m) && !b.IsPawnDropMate(m)
	}
	if !from.IsValid() || !b.isOf(b.side, int(cellOf[from])) || b.isOf(b.side, int(cellOf[to])) || !b.reaches(from, to) {
		return false
	}
	kind := b.cells[cellOf[from]].Type()
	if m.IsPromotion() && !b.mayPromote(kind, from, to) || !m.IsPromotion() && b.stuck(kind, to) {
		return false
	}
	return b.leavesKingSafe(m)
}

// reaches reports whether the piece on one square attacks another.
func (b *Board) reaches(from, to shogi.Square) bool {
	cell := int(cellOf[from])
	for _, s := range steps[b.cells[cell]&31] {
		for at := cell + s.by; b.cells[at] != wall; at += s.by {
			if at == int(cellOf[to]) {
				return true
			}
			if !s.far || b.cells[at] != shogi.NoPiece {
				break
			}
		}
	}
	return false
}

// GivesCheck reports whether m, a legal move, checks the other king.
func (b *Board) GivesCheck(m shogi.Move) bool {
	after := *b
	after.Do(m)
	return after.InCheck(after.side)
}

// IsMated reports whether the side to move is in check and has no legal move.
func (b *Board) IsMated() bool {
	var buf [shogi.NumSquares]uint8
	var few [fewMoves]shogi.Move
	checkers := b.checkers(buf[:0])
	return len(checkers) > 0 && len(b.appendEvasions(few[:0], checkers, 1)) == 0
}

// IsUseful reports whether m, a legal move, is one of shogi.UsefulMoves: it is not the
// non-promotion of a pawn, bishop or rook that could promote, nor that of a lance that reaches the
// second rank.
func (b *Board) IsUseful(m shogi.Move) bool {
	if m.IsDrop() || m.IsPromotion() {
		return true
	}
	switch kind := b.cells[cellOf[m.From()]].Type(); kind {
	case shogi.Pawn, shogi.Bishop, shogi.Rook:
		return !b.mayPromote(kind, m.From(), m.To())
	case shogi.Lance:
		return b.ranksLeft(m.To()) >= 2
	}
	return true
}

// IsCapture reports whether m, a legal move, is one of Position.Captures: it takes a piece or
// promotes a pawn.
func (b *Board) IsCapture(m shogi.Move) bool {
	return b.cells[cellOf[m.To()]] != shogi.NoPiece ||
		m.IsPromotion() && b.cells[cellOf[m.From()]].Type() == shogi.Pawn
}

// CanDeclare reports whether the side to move may declare its win by the 27-point rule of the
// Computer Shogi Association (入玉宣言法): its king has entered the last three ranks and is not in
// check, ten other pieces of its own stand there, and they and the pieces in hand are worth 28
// points for Black, 27 for White, a major piece 5 and every other piece 1.
func (b *Board) CanDeclare() bool {
	king := b.King(b.side)
	if king == shogi.NoSquare || b.ranksLeft(king) >= 3 || b.InCheck(b.side) {
		return false
	}
	pieces, points := 0, 0
	for sq, cell := range cellOf {
		if !b.isOf(b.side, int(cell)) || b.ranksLeft(shogi.Square(sq)) >= 3 {
			continue
		}
		switch b.cells[cell].Type() {
		case shogi.King:
		case shogi.Bishop, shogi.Rook, shogi.Horse, shogi.Dragon:
			pieces++
			points += 5
		default:
			pieces++
			points++
		}
	}
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		worth := 1
		if kind == shogi.Bishop || kind == shogi.Rook {
			worth = 5
		}
		points += worth * int(b.hands[b.side][kind])
	}
	enough := 28
	if b.side == shogi.White {
		enough = 27
	}
	return pieces >= 10 && points >= enough
}

// letters are the SFEN letters of the kinds that are not promoted.
const letters = " PLNSBRGK"

// letter returns the SFEN letter of an unpromoted piece.
func letter(c shogi.Color, kind shogi.PieceType) byte {
	if c == shogi.White {
		return letters[kind] - 'A' + 'a'
	}
	return letters[kind]
}

// SFEN returns the board as canonical SFEN.
func (b *Board) SFEN() string {
	var s []byte
	for rank := shogi.RankA; rank <= shogi.RankI; rank++ {
		if rank > shogi.RankA {
			s = append(s, '/')
		}
		empty := 0
		for i := range shogi.File(9) {
			pc := b.cells[cellOf[shogi.SquareAt(shogi.File9-i, rank)]]
			if pc == shogi.NoPiece {
				empty++
				continue
			}
			if empty > 0 {
				s = strconv.AppendInt(s, int64(empty), 10)
				empty = 0
			}
			if pc.Type().IsPromoted() {
				s = append(s, '+')
			}
			s = append(s, letter(pc.Color(), pc.Type().Base()))
		}
		if empty > 0 {
			s = strconv.AppendInt(s, int64(empty), 10)
		}
	}
	if b.side == shogi.Black {
		s = append(s, " b "...)
	} else {
		s = append(s, " w "...)
	}
	hands := len(s)
	for _, c := range [2]shogi.Color{shogi.Black, shogi.White} {
		for _, kind := range [...]shogi.PieceType{shogi.Rook, shogi.Bishop, shogi.Gold, shogi.Silver, shogi.Knight, shogi.Lance, shogi.Pawn} {
			n := b.hands[c][kind]
			if n == 0 {
				continue
			}
			if n > 1 {
				s = strconv.AppendInt(s, int64(n), 10)
			}
			s = append(s, letter(c, kind))
		}
	}
	if len(s) == hands {
		s = append(s, '-')
	}
	s = append(s, ' ')
	return string(strconv.AppendInt(s, int64(b.ply), 10))
}
