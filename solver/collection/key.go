package collection

import (
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// Key returns the canonical key of a problem (t1). Problems with equal keys are the same one,
// perhaps mirrored or with the colours exchanged.
func Key(p *shogi.Position, attacker shogi.Color) string {
	black := asBlack(p, attacker)
	f := figureOf(&black)
	key, _ := f.smaller("t1:", (*figure).appendAll)
	return key
}

// ShortKey returns the short form of a Key (t1h): the first 96 bits of its SHA-256, in the letters
// of base 32 (RFC 4648).
func ShortKey(key string) string {
	return hashed("t1h:", key)
}

// asBlack returns a position as the attacker sees it: he is Black.
func asBlack(p *shogi.Position, attacker shogi.Color) shogi.Position {
	if attacker == shogi.White {
		return p.Rotated()
	}
	return *p
}

// A figure is what a key shows of a position with Black attacking.
type figure struct {
	board [shogi.NumSquares]shogi.Piece
	hands [2]shogi.Hand
	whole bool // no piece is missing, kings apart
}

func figureOf(p *shogi.Position) figure {
	s := p.Setup()
	return figure{s.Board, s.Hands, p.Missing().IsEmpty()}
}

// smaller returns the smaller of the texts of f and its mirror image, and whether that is the mirror
// image's.
func (f *figure) smaller(prefix string, text func(*figure, []byte) []byte) (string, bool) {
	m := f.mirrored()
	mine, other := string(text(f, []byte(prefix))), string(text(&m, []byte(prefix)))
	if other < mine {
		return other, true
	}
	return mine, false
}

func (f *figure) mirrored() figure {
	m := *f
	for sq, pc := range f.board {
		m.board[shogi.Square(sq).Mirrored()] = pc
	}
	return m
}

func (f *figure) appendBoard(dst []byte) []byte {
	for rank := shogi.RankA; rank <= shogi.RankI; rank++ {
		if rank > shogi.RankA {
			dst = append(dst, '/')
		}
		empty := 0
		for i := range shogi.File(9) {
			pc := f.board[shogi.SquareAt(shogi.File9-i, rank)]
			if pc == shogi.NoPiece {
				empty++
				continue
			}
			if empty > 0 {
				dst = strconv.AppendInt(dst, int64(empty), 10)
				empty = 0
			}
			dst = append(dst, pc.String()...)
		}
		if empty > 0 {
			dst = strconv.AppendInt(dst, int64(empty), 10)
		}
	}
	return dst
}

func (f *figure) appendAll(dst []byte) []byte {
	dst = append(f.appendBoard(dst), ':')
	dst = append(dst, f.hands[shogi.Black].String()...)
	dst = append(dst, ':')
	if f.whole {
		return append(dst, "rest"...)
	}
	return append(dst, strings.ToLower(f.hands[shogi.White].String())...)
}

// king returns the square of the defender's king, NoSquare if he has none.
func (f *figure) king() shogi.Square {
	for sq, pc := range f.board {
		if pc == shogi.PieceOf(shogi.White, shogi.King) {
			return shogi.Square(sq)
		}
	}
	return shogi.NoSquare
}

// shiftKey returns the key of a problem moved as far right and up as it goes (t1s). A direction in
// which a piece, or a square beside the defender's king, touches the edge, on either side, is left
// as it is, and what does not touch an edge does not lose a square at one. Equal keys only suggest
// that problems are the same: edges, promotion zones and the lines of sliders still differ.
func (f *figure) shiftKey() string {
	key, _ := f.smaller("t1s:", func(f *figure, dst []byte) []byte {
		shifted := f.shifted()
		return shifted.appendAll(dst)
	})
	return key
}

// shifted returns f moved as shiftKey says.
func (f *figure) shifted() figure {
	least, most := [2]int{9, 9}, [2]int{-1, -1} // files and ranks that are used
	use := func(file, rank int) {
		for i, n := range [2]int{file, rank} {
			if n >= 0 && n < 9 {
				least[i], most[i] = min(least[i], n), max(most[i], n)
			}
		}
	}
	for sq, pc := range f.board {
		if pc != shogi.NoPiece {
			use(sq/9, sq%9)
		}
	}
	if king := f.king(); king != shogi.NoSquare {
		file, rank := int(king.File()), int(king.Rank())
		use(file-1, rank-1)
		use(file+1, rank+1)
	}
	by := 0 // squares are numbered file by file, each from the top
	for i, stride := range [2]int{9, 1} {
		if least[i] > 0 && most[i] < 8 {
			by += least[i] * stride
		}
	}
	moved := figure{hands: f.hands, whole: f.whole}
	for sq, pc := range f.board {
		if pc != shogi.NoPiece {
			moved.board[sq-by] = pc
		}
	}
	return moved
}
