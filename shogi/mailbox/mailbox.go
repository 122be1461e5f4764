// Package mailbox is the rules of shogi a second time, on a plain board of 81 squares and without bitboards: slow, short,
// and written to be read against the rules. It is the witness that package shogi is checked against, and what replays a
// claimed mate, so it shares no code with the generators of package shogi, only its nouns.
package mailbox

import "github.com/tsumero/tsumero/shogi"

// A Board is a position. It is a value: assignment copies it.
type Board struct {
	pieces [9][9]shogi.Piece // by file and rank, both from 0: pieces[4][8] is 5i
	hands  [2][8]int         // by colour and kind
	side   shogi.Color
	kings  [2]shogi.Square // NoSquare where there is none
}

// From returns the board of p.
func From(p *shogi.Position) Board {
	b := Board{side: p.SideToMove(), kings: [2]shogi.Square{shogi.NoSquare, shogi.NoSquare}}
	for file := range 9 {
		for rank := range 9 {
			sq := shogi.SquareAt(shogi.File(file), shogi.Rank(rank))
			pc := p.Piece(sq)
			b.pieces[file][rank] = pc
			if pc != shogi.NoPiece && pc.Type() == shogi.King {
				b.kings[pc.Color()] = sq
			}
		}
	}
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		b.hands[shogi.Black][kind] = p.Hand(shogi.Black).Count(kind)
		b.hands[shogi.White][kind] = p.Hand(shogi.White).Count(kind)
	}
	return b
}

// SideToMove returns the side whose turn it is.
func (b *Board) SideToMove() shogi.Color { return b.side }

// A step is one square in some direction, as Black sees it: ranks grow towards Black. far says that the piece goes on.
type step struct {
	file, rank int
	far        bool
}

var steps = func() [16][]step {
	var (
		up, down, left, right = step{0, -1, false}, step{0, 1, false}, step{1, 0, false}, step{-1, 0, false}
		upLeft, upRight       = step{1, -1, false}, step{-1, -1, false}
		downLeft, downRight   = step{1, 1, false}, step{-1, 1, false}
	)
	far := func(list ...step) []step {
		for i := range list {
			list[i].far = true
		}
		return list
	}
	diagonals := []step{upLeft, upRight, downLeft, downRight}
	cross := []step{up, down, left, right}
	gold := []step{up, upLeft, upRight, left, right, down}
	return [16][]step{
		shogi.Pawn:   {up},
		shogi.Lance:  far(up),
		shogi.Knight: {{1, -2, false}, {-1, -2, false}},
		shogi.Silver: {up, upLeft, upRight, downLeft, downRight},
		shogi.Gold:   gold, shogi.Tokin: gold, shogi.ProLance: gold, shogi.ProKnight: gold, shogi.ProSilver: gold,
		shogi.Bishop: far(upLeft, upRight, downLeft, downRight),
		shogi.Rook:   far(up, down, left, right),
		shogi.King:   append(append([]step{}, diagonals...), cross...),
		shogi.Horse:  append(far(upLeft, upRight, downLeft, downRight), cross...),
		shogi.Dragon: append(far(up, down, left, right), diagonals...),
	}
}()

func onBoard(file, rank int) bool { return file >= 0 && file < 9 && rank >= 0 && rank < 9 }

// reach calls visit with every square that the piece on file, rank attacks, until visit returns false.
func (b *Board) reach(file, rank int, visit func(file, rank int) bool) {
	pc := b.pieces[file][rank]
	sign := 1
	if pc.Color() == shogi.White {
		sign = -1
	}
	for _, s := range steps[pc.Type()] {
		for f, r := file+sign*s.file, rank+sign*s.rank; onBoard(f, r); f, r = f+sign*s.file, r+sign*s.rank {
			if !visit(f, r) {
				return
			}
			if !s.far || b.pieces[f][r] != shogi.NoPiece {
				break
			}
		}
	}
}

// goes[kind][file+1][rank+2] says how a piece of the kind goes in the direction file, rank, as Black sees it.
var goes = func() (t [16][3][5]struct{ near, far bool }) {
	for kind, list := range steps {
		for _, s := range list {
			t[kind][s.file+1][s.rank+2].near = true
			t[kind][s.file+1][s.rank+2].far = s.far
		}
	}
	return t
}()

// attacked reports whether a piece of c attacks the square. It looks from the square in every direction for the first
// piece, and asks whether that one comes this way.
func (b *Board) attacked(c shogi.Color, file, rank int) bool {
	sign := 1
	if c == shogi.White {
		sign = -1
	}
	for df := -1; df <= 1; df++ {
		for dr := -1; dr <= 1; dr++ {
			if df == 0 && dr == 0 {
				continue
			}
			f, r, distance := file+df, rank+dr, 1
			for onBoard(f, r) && b.pieces[f][r] == shogi.NoPiece {
				f, r, distance = f+df, r+dr, distance+1
			}
			if !onBoard(f, r) || b.pieces[f][r].Color() != c {
				continue
			}
			if g := goes[b.pieces[f][r].Type()][-sign*df+1][-sign*dr+2]; g.far || g.near && distance == 1 {
				return true
			}
		}
	}
	for _, df := range [2]int{-1, 1} {
		f, r := file+df, rank+2*sign // a knight comes from two ranks nearer to its own side
		if onBoard(f, r) && b.pieces[f][r] == shogi.PieceOf(c, shogi.Knight) {
			return true
		}
	}
	return false
}

// InCheck reports whether the king of c is attacked. A side without a king never is.
func (b *Board) InCheck(c shogi.Color) bool {
	k := b.kings[c]
	return k != shogi.NoSquare && b.attacked(c.Opponent(), int(k.File()), int(k.Rank()))
}

// Do plays m, which must be one of the pseudo-legal moves.
func (b *Board) Do(m shogi.Move) {
	to := &b.pieces[m.To().File()][m.To().Rank()]
	if m.IsDrop() {
		b.hands[b.side][m.Dropped()]--
		*to = shogi.PieceOf(b.side, m.Dropped())
	} else {
		from := &b.pieces[m.From().File()][m.From().Rank()]
		kind := from.Type()
		if kind == shogi.King {
			b.kings[b.side] = m.To()
		}
		if m.IsPromotion() {
			kind = kind.Promoted()
		}
		if *to != shogi.NoPiece && to.Type() != shogi.King {
			b.hands[b.side][to.Type().Base()]++
		}
		*to, *from = shogi.PieceOf(b.side, kind), shogi.NoPiece
	}
	b.side = b.side.Opponent()
}

// far returns how many ranks lie between the rank and the far edge, as the side to move sees it.
func (b *Board) far(rank int) int {
	if b.side == shogi.Black {
		return rank
	}
	return 8 - rank
}

// stuck reports whether an unpromoted piece of the kind could never leave the rank again.
func (b *Board) stuck(kind shogi.PieceType, rank int) bool {
	switch kind {
	case shogi.Pawn, shogi.Lance:
		return b.far(rank) < 1
	case shogi.Knight:
		return b.far(rank) < 2
	}
	return false
}

// PseudoLegalMoves returns the moves that obey how pieces move, capture and promote, two pawns on a file, and pieces that
// could never move again; they may leave the own king attacked or mate by a pawn drop.
func (b *Board) PseudoLegalMoves() []shogi.Move {
	var moves []shogi.Move
	for f := range 9 {
		for r := range 9 {
			pc := b.pieces[f][r]
			if pc == shogi.NoPiece || pc.Color() != b.side {
				continue
			}
			from := shogi.SquareAt(shogi.File(f), shogi.Rank(r))
			b.reach(f, r, func(tf, tr int) bool {
				if target := b.pieces[tf][tr]; target != shogi.NoPiece && target.Color() == b.side {
					return true
				}
				to := shogi.SquareAt(shogi.File(tf), shogi.Rank(tr))
				if pc.Type().CanPromote() && (b.far(r) < 3 || b.far(tr) < 3) {
					moves = append(moves, shogi.NewPromotion(from, to))
				}
				if !b.stuck(pc.Type(), tr) {
					moves = append(moves, shogi.NewMove(from, to))
				}
				return true
			})
		}
	}
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		if b.hands[b.side][kind] == 0 {
			continue
		}
		for f := range 9 {
			if kind == shogi.Pawn && b.hasPawn(f) {
				continue
			}
			for r := range 9 {
				if b.pieces[f][r] == shogi.NoPiece && !b.stuck(kind, r) {
					moves = append(moves, shogi.NewDrop(kind, shogi.SquareAt(shogi.File(f), shogi.Rank(r))))
				}
			}
		}
	}
	return moves
}

// hasPawn reports whether the side to move has an unpromoted pawn on the file.
func (b *Board) hasPawn(file int) bool {
	for r := range 9 {
		if b.pieces[file][r] == shogi.PieceOf(b.side, shogi.Pawn) {
			return true
		}
	}
	return false
}

// legal reports whether the pseudo-legal m leaves the own king safe and does not mate by a pawn drop (打ち歩詰め).
func (b *Board) legal(m shogi.Move) bool {
	after := *b
	after.Do(m)
	if after.InCheck(b.side) {
		return false
	}
	return !m.IsDrop() || m.Dropped() != shogi.Pawn || !after.InCheck(after.side) || after.HasLegalMove()
}

// LegalMoves returns every legal move.
func (b *Board) LegalMoves() []shogi.Move {
	var legal []shogi.Move
	for _, m := range b.PseudoLegalMoves() {
		if b.legal(m) {
			legal = append(legal, m)
		}
	}
	return legal
}

// HasLegalMove reports whether there is a legal move.
func (b *Board) HasLegalMove() bool {
	for _, m := range b.PseudoLegalMoves() {
		if b.legal(m) {
			return true
		}
	}
	return false
}

// IsLegal reports whether m is a legal move.
func (b *Board) IsLegal(m shogi.Move) bool {
	for _, l := range b.PseudoLegalMoves() {
		if l == m {
			return b.legal(m)
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
func (b *Board) IsMated() bool { return b.InCheck(b.side) && !b.HasLegalMove() }

// IsUseful reports whether m, a legal move, is one of shogi.UsefulMoves: it is not the non-promotion of a pawn, bishop or
// rook that could promote, nor that of a lance that reaches the second rank.
func (b *Board) IsUseful(m shogi.Move) bool {
	if m.IsDrop() || m.IsPromotion() {
		return true
	}
	from, to := b.far(int(m.From().Rank())), b.far(int(m.To().Rank()))
	switch b.pieces[m.From().File()][m.From().Rank()].Type() {
	case shogi.Pawn, shogi.Bishop, shogi.Rook:
		return from >= 3 && to >= 3
	case shogi.Lance:
		return to >= 2
	}
	return true
}
