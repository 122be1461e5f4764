package theme

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/tsumero/tsumero/shogi"
)

// A Shape is a picture that pieces make.
type Shape struct {
	ID     string // it never changes
	Ja, En string // names
	Also   string // another name, or ""
	// Rows are the picture from the top, # for a piece, without empty rows and columns around it.
	Rows []string
}

//go:embed shapes.txt
var shapesFile string

// Shapes are the pictures that are known: lines, geometry, digits, letters, kana and kanji, as far as
// they have a usual form on the board. Of those with one name the first is its usual form.
var Shapes = sync.OnceValue(func() (list []*Shape) {
	for line := range strings.Lines(shapesFile) {
		f := append(strings.Split(strings.TrimSpace(line), "\t"), "")
		list = append(list, &Shape{ID: f[0], Ja: f[1], En: f[2], Rows: strings.Fields(f[3]), Also: f[4]})
	}
	return list
})

// byRows are the Shapes by what they look like.
var byRows = sync.OnceValue(func() map[string]*Shape {
	m := map[string]*Shape{}
	for _, s := range Shapes() {
		if key := strings.Join(s.Rows, " "); m[key] == nil {
			m[key] = s
		}
	}
	return m
})

// ShapeByID returns a shape, nil if there is none.
func ShapeByID(id string) *Shape {
	for _, s := range Shapes() {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// shapeOf returns the shape that all pieces of a position have together, nil if it is none of Shapes.
func shapeOf(p *shogi.Position) *Shape {
	top, bottom, left, right := 8, 0, 0, 8 // files count from the right
	for sq := range p.Occupied().All() {
		file, rank := int(sq.File()), int(sq.Rank())
		top, bottom = min(top, rank), max(bottom, rank)
		left, right = max(left, file), min(right, file)
	}
	var rows []string
	for rank := top; rank <= bottom; rank++ {
		var row []byte
		for file := left; file >= right; file-- {
			c := byte('.')
			if p.Piece(shogi.SquareAt(shogi.File(file), shogi.Rank(rank))) != shogi.NoPiece {
				c = '#'
			}
			row = append(row, c)
		}
		rows = append(rows, string(row))
	}
	return byRows()[strings.Join(rows, " ")]
}
