package collection

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/tsumero/tsumero/shogi"
)

// A Problem is a diagram and, if it is known, its main line.
type Problem struct {
	Position shogi.Position
	Attacker shogi.Color  // he is to move
	Line     []shogi.Move // may end early; without one the problem is known by its diagram alone
}

// A Description is what a problem is known by. It refers to nothing of the Problem.
type Description struct {
	Key      string
	Mirrored bool   // Key is that of the mirror image
	Figure   string // the key without the hands (t1f)
	Shift    string // the key of the problem moved to the top right corner (t1s): see shiftKey
	// Nodes are the Keys of the positions of the line with the attacker to move, the diagram left
	// out: the problems that are contained in this one.
	Nodes []string
	// Final is the final figure (詰上り): the pieces that have part in the mate, as their SFEN
	// letters and where they stand as seen from the king, and the last move. Empty if the line does
	// not end in mate.
	Final string

	pieces []piece // sorted
	line   []step
}

// A piece is a piece of a problem, other than the defender's king: its kind and colour and where it
// stands as seen from that king; or a kind that the attacker holds.
type piece uint16

const inHand piece = 1 << 15

// pieceAt returns the piece that stands so many files to the left of the king and ranks below it.
func pieceAt(pc shogi.Piece, file, rank int) piece {
	return piece(pc)<<10 | piece(file+8)<<5 | piece(rank+8)
}

func held(kind shogi.PieceType) piece { return inHand | piece(kind) }

func (p piece) mirrored() piece {
	if p&inHand != 0 {
		return p
	}
	return p&^(31<<5) | (16-p>>5&31)<<5
}

// A step is a move as the main line has it for likeness: the kind that moves or is dropped, whether
// it promotes and captures, and where to, as seen from the defender's king before the move.
type step uint16

const (
	stepPlaces   = 17 * 17
	stepKinds    = 32
	stepPromotes = stepKinds
	stepCaptures = 2 * stepKinds
	stepDrops    = 16 // the kinds of drops come after those of moves
)

// stepOf returns the step that a move is in a position with Black attacking.
func stepOf(p *shogi.Position, m shogi.Move) step {
	what := stepDrops + int(m.Dropped())
	if !m.IsDrop() {
		what = int(p.Piece(m.From()).Type())
		if m.IsPromotion() {
			what |= stepPromotes
		}
		if p.Piece(m.To()) != shogi.NoPiece {
			what |= stepCaptures
		}
	}
	file, rank := offset(p.King(shogi.White), m.To())
	return step(what*stepPlaces + (file+8)*17 + rank + 8)
}

func (s step) mirrored() step {
	place := int(s) % stepPlaces
	return s - step(place) + step((16-place/17)*17+place%17)
}

// String returns the letters of the kind, "*" of a drop or "-" of a move, "x" of a capture, the
// files to the left of the king and the ranks below it, and "+" of a promotion: "R*1,0".
func (s step) String() string {
	what, place := int(s)/stepPlaces, int(s)%stepPlaces
	kind, sign := shogi.PieceType(what%stepDrops), "-"
	if what%stepKinds >= stepDrops {
		sign = "*"
	}
	if what&stepCaptures != 0 {
		sign = "x"
	}
	text := kind.String() + sign + strconv.Itoa(place/17-8) + "," + strconv.Itoa(place%17-8)
	if what&stepPromotes != 0 {
		text += "+"
	}
	return text
}

// offset returns how many files to the left of the king and ranks below it a square is.
func offset(king, sq shogi.Square) (file, rank int) {
	return int(sq.File()) - int(king.File()), int(sq.Rank()) - int(king.Rank())
}

// ErrNoKing is the error of a problem whose defender has no king.
var ErrNoKing = errors.New("collection: the defender has no king")

// Describe returns what a problem is known by. The error names a move that is illegal.
func Describe(p *Problem) (*Description, error) {
	at := asBlack(&p.Position, p.Attacker)
	king := at.King(shogi.White)
	if king == shogi.NoSquare {
		return nil, ErrNoKing
	}
	f := figureOf(&at)
	d := &Description{Shift: f.shiftKey(), pieces: f.pieces(king), line: make([]step, 0, len(p.Line))}
	d.Key, d.Mirrored = f.smaller("t1:", (*figure).appendAll)
	d.Figure, _ = f.smaller("t1f:", (*figure).appendBoard)
	for i, given := range p.Line {
		m := given
		if p.Attacker == shogi.White {
			m = m.Rotated()
		}
		if !at.IsLegal(m) {
			return nil, fmt.Errorf("collection: move %d of the line, %v, is illegal", i+1, given)
		}
		if i > 0 && at.SideToMove() == shogi.Black {
			d.Nodes = append(d.Nodes, Key(&at, shogi.Black))
		}
		d.line = append(d.line, stepOf(&at, m))
		at.Do(m)
	}
	d.Final = final(&at, d.line)
	// The line is that of the orientation in which it is smaller. Two lines that begin alike, mirrored
	// or not, begin with the same steps then: the first that is not its own mirror image decides.
	if m := mirrored(d.line, step.mirrored); slices.Compare(m, d.line) < 0 {
		d.line = m
	}
	return d, nil
}

// pieces returns all pieces but the defender's king and the defender's hand, sorted.
func (f *figure) pieces(king shogi.Square) []piece {
	var list []piece
	for sq, pc := range f.board {
		if pc != shogi.NoPiece && shogi.Square(sq) != king {
			file, rank := offset(king, shogi.Square(sq))
			list = append(list, pieceAt(pc, file, rank))
		}
	}
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		for range f.hands[shogi.Black].Count(kind) {
			list = append(list, held(kind))
		}
	}
	slices.Sort(list)
	return list
}

// mirrored returns the mirror images of pieces or steps, in the same order.
func mirrored[T any](list []T, mirror func(T) T) []T {
	m := make([]T, len(list))
	for i, one := range list {
		m[i] = mirror(one)
	}
	return m
}

// final returns the final figure of a line that ends at p. What the defender could still drop
// between is left out of the question: if that were not futile the line would not end there.
func final(p *shogi.Position, line []step) string {
	if len(line) == 0 || p.SideToMove() == shogi.Black {
		return ""
	}
	setup := p.Setup()
	setup.Hands[shogi.White] = 0
	isMate := func() bool {
		q, err := setup.Position()
		return err != nil || q.IsCheckmate() // the error: a piece that shields the attacker's king
	}
	if !isMate() {
		return ""
	}
	var part figure
	king := p.King(shogi.White)
	for sq, pc := range setup.Board {
		if pc == shogi.NoPiece || shogi.Square(sq) == king {
			continue
		}
		setup.Board[sq] = shogi.NoPiece
		mate := isMate()
		setup.Board[sq] = pc
		if !mate {
			part.board[sq] = pc
		}
	}
	last := line[len(line)-1]
	text := part.finalText(king) + last.String()
	m := part.mirrored()
	return "t1e:" + min(text, m.finalText(king.Mirrored())+last.mirrored().String())
}

// finalText lists the pieces and where they stand as seen from the king.
func (f *figure) finalText(king shogi.Square) string {
	var text []byte
	for sq, pc := range f.board {
		if pc == shogi.NoPiece {
			continue
		}
		file, rank := offset(king, shogi.Square(sq))
		text = append(text, pc.String()...)
		text = strconv.AppendInt(text, int64(file), 10)
		text = append(text, ',')
		text = strconv.AppendInt(text, int64(rank), 10)
		text = append(text, ' ')
	}
	return string(text)
}
