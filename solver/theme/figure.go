package theme

import "github.com/tsumero/tsumero/shogi"

// Themes of the two figures.

func (f *finder) smoke() ([]int, bool) {
	if _, ok := f.fullBoard(); !ok {
		return nil, false
	}
	mate := f.mate()
	left := mate.Occupied().Len()
	if mate.King(shogi.Black).IsValid() {
		left--
	}
	most := 3
	if mate.King(shogi.White) == center {
		most = 4
	}
	return f.last(left <= most)
}

func (f *finder) fullBoard() ([]int, bool) {
	p := f.diagram()
	all := 39
	if p.King(shogi.Black).IsValid() {
		all = 40
	}
	return nil, p.Occupied().Len() == all
}

// pieces counts what stands on the board of a side, its king left out.
func pieces(p *shogi.Position, c shogi.Color) int {
	return p.Pieces(c).Len() - p.PiecesOf(c, shogi.King).Len()
}

func (f *finder) bareKing() ([]int, bool) {
	p := f.diagram()
	return nil, pieces(p, shogi.Black) == 0 && pieces(p, shogi.White) == 0
}

func (f *finder) undefendedKing() ([]int, bool) {
	p := f.diagram()
	return nil, pieces(p, shogi.Black) > 0 && pieces(p, shogi.White) == 0
}

func (f *finder) noAttackers() ([]int, bool) {
	p := f.diagram()
	return nil, pieces(p, shogi.Black) == 0 && pieces(p, shogi.White) > 0
}

// kinds counts the pieces on the board by their kinds, both sides together, without kings.
func kinds(p *shogi.Position) (n [shogi.King + 8]int) {
	for sq := range p.Occupied().All() {
		if t := p.Piece(sq).Type(); t != shogi.King {
			n[t]++
		}
	}
	return n
}

func (f *finder) oneKind() ([]int, bool) {
	n := kinds(f.diagram())
	n[shogi.Rook], n[shogi.Dragon] = n[shogi.Rook]+n[shogi.Dragon], 0
	n[shogi.Bishop], n[shogi.Horse] = n[shogi.Bishop]+n[shogi.Horse], 0
	used, most := 0, 0
	for _, count := range n {
		if count > 0 {
			used++
		}
		most = max(most, count)
	}
	return nil, used == 1 && most > 1
}

func (f *finder) pawnsAndTokins() ([]int, bool) {
	p := f.diagram()
	n := kinds(p)
	return nil, n[shogi.Tokin] > 0 && n[shogi.Pawn]+n[shogi.Tokin] == pieces(p, shogi.Black)+pieces(p, shogi.White)
}

// uses reports whether the board or the attacker's hand has a piece of a kind, promoted or not.
func uses(p *shogi.Position, t shogi.PieceType) bool {
	n := kinds(p)
	return n[t] > 0 || t.CanPromote() && n[t.Promoted()] > 0 || p.Hand(shogi.Black).Has(t)
}

func (f *finder) noGoldsOrSilvers() ([]int, bool) {
	return nil, !uses(f.diagram(), shogi.Gold) && !uses(f.diagram(), shogi.Silver)
}

func (f *finder) rooksAndBishops() ([]int, bool) {
	p := f.diagram()
	n := kinds(p)
	return nil, n[shogi.Rook]+n[shogi.Dragon] == 2 && n[shogi.Bishop]+n[shogi.Horse] == 2 &&
		pieces(p, shogi.Black)+pieces(p, shogi.White) == 4
}

func (f *finder) minorPieces() ([]int, bool) {
	return nil, !uses(f.diagram(), shogi.Rook) && !uses(f.diagram(), shogi.Bishop)
}

func (f *finder) twoKings() ([]int, bool) {
	return nil, f.diagram().King(shogi.Black).IsValid()
}

func (f *finder) pictureDiagram() ([]int, bool) {
	f.shape = shapeOf(f.diagram())
	return nil, f.shape != nil
}

func (f *finder) pictureMate() ([]int, bool) {
	f.shape = shapeOf(f.mate())
	return f.last(f.shape != nil)
}

// center is 5e.
var center = shogi.SquareAt(4, 4)

func (f *finder) centralMate() ([]int, bool) {
	return f.last(f.mate().King(shogi.White) == center)
}

func (f *finder) cornerMate() ([]int, bool) {
	isCorner := func(sq shogi.Square) bool { return sq.File()%8 == 0 && sq.Rank()%8 == 0 }
	return f.last(isCorner(f.mate().King(shogi.White)) && !isCorner(f.diagram().King(shogi.White)))
}

func (f *finder) returnedKing() ([]int, bool) {
	home := f.diagram().King(shogi.White)
	left := false
	for i := range f.at {
		left = left || f.at[i].King(shogi.White) != home
	}
	return f.last(left && f.mate().King(shogi.White) == home)
}

func (f *finder) loneAttacker() ([]int, bool) {
	return f.last(pieces(f.mate(), shogi.Black) == 1)
}
