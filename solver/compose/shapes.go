package compose

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/theme"
)

// A Picture is a shape that the pieces on the board make together.
type Picture struct {
	Name  string
	Rows  []string // # is a square with a piece and . one without, all of one width
	names []string // others
}

// Pictures are the shapes of package theme. Of those with one name the first has it, and the others
// are called by their IDs.
var Pictures = sync.OnceValue(func() (list []Picture) {
	for _, s := range theme.Shapes() {
		p := Picture{s.En, s.Rows, []string{s.ID, s.Ja, s.Also}}
		if _, taken := FindPicture(list, s.En); taken {
			p.Name = s.ID
		}
		list = append(list, p)
	}
	return list
})

// FindPicture returns the first picture of a name in a list, or ok false. Of letters the case does not
// count.
func FindPicture(list []Picture, name string) (p Picture, ok bool) {
	i := slices.IndexFunc(list, func(p Picture) bool {
		return strings.EqualFold(p.Name, name) || name != "" && slices.Contains(p.names, name)
	})
	if i < 0 {
		return p, false
	}
	return list[i], true
}

// ParsePictures reads pictures: of each a line with its name, and below it the rows; lines that begin
// with ; are comments, and empty lines do not count. Errors name the line of the name, the row and the
// column.
func ParsePictures(text string) (list []Picture, err error) {
	var lines []int // of the names
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		last := len(list) - 1
		switch {
		case line == "" || line[0] == ';':
		case line[0] != '#' && line[0] != '.':
			list, lines = append(list, Picture{Name: line}), append(lines, number)
		case last < 0:
			return nil, newFault("line %d: a shape needs a name in the line before its rows",
				"%d行目：形の前の行に名前が必要です。", number)
		default:
			list[last].Rows = append(list[last].Rows, line)
		}
	}
	if len(list) == 0 {
		return nil, newFault("there is no shape in it", "形がありません。")
	}
	for i := range list {
		err := list[i].check()
		if _, twice := FindPicture(list[:i], list[i].Name); twice {
			err = newFault("a second shape with the name %s", "%sが二つあります。", list[i].Name)
		}
		if m, ok := shogi.MessageOf(err); ok {
			return nil, newFault("line %d: %v", "%d行目：%v", lines[i], m)
		}
	}
	return list, nil
}

// DrawPicture returns the picture of rows with / between them.
func DrawPicture(text string) (Picture, error) {
	p := Picture{Name: text, Rows: strings.Split(text, "/")}
	return p, p.check()
}

// maxPicture is all pieces of a set but Black's king.
const maxPicture = 39

// check returns why no diagram has that shape.
func (p *Picture) check() error {
	for y, row := range p.Rows {
		if x := strings.IndexFunc(row, func(r rune) bool { return r != '#' && r != '.' }); x >= 0 {
			r, _ := utf8.DecodeRuneInString(row[x:])
			return newFault("the shape %s, row %d, column %d: %s is neither # nor .",
				"%[1]sの%[2]d行%[3]d列：%[4]sは#でも.でもありません。", p.Name, y+1, x+1, string(r))
		}
		if len(row) != len(p.Rows[0]) {
			return newFault("the shape %s, row %d: %d squares wide, but the first row is %d",
				"%[1]sの%[2]d行：幅が%[3]dで、1行目の%[4]dと違います。", p.Name, y+1, len(row), len(p.Rows[0]))
		}
	}
	n := strings.Count(strings.Join(p.Rows, ""), "#")
	switch {
	case len(p.Rows) == 0:
		return newFault("the shape %s has no rows of # and .", "%sの形がありません。", p.Name)
	case len(p.Rows) > 9 || len(p.Rows[0]) > 9:
		return newFault("the shape %s is %d squares wide and %d high, but the board has 9 by 9",
			"%[1]sは横%[2]d縦%[3]dで、盤に収まりません。", p.Name, len(p.Rows[0]), len(p.Rows))
	case n < 2:
		return newFault("the shape %s has fewer than two squares: a king and a piece need 2", "%sは2マスに足りません。", p.Name)
	case n > maxPicture:
		return newFault("the shape %s has %d squares, but there are %d pieces with one king",
			"%[1]sは%[2]dマスですが、駒は玉とも%[3]d枚です。", p.Name, n, maxPicture)
	}
	return nil
}

// places returns where the picture can be on the board, within a box unless it is empty; those
// nearest to the top edge first. Its left column is the file of the greater number, as it is seen.
func (p *Picture) places(box shogi.Bitboard) (list []shogi.Bitboard) {
	var offsets [][2]int
	top, left, bottom, right := 9, 9, -1, -1
	for y, row := range p.Rows {
		for x, c := range row {
			if c == '#' {
				offsets = append(offsets, [2]int{x, y})
				top, left, bottom, right = min(top, y), min(left, x), max(bottom, y), max(right, x)
			}
		}
	}
	for y := range 9 - (bottom - top) {
		for x := range 9 - (right - left) {
			var b shogi.Bitboard
			for _, o := range offsets {
				b = b.With(shogi.SquareAt(shogi.File(8-(o[0]-left+x)), shogi.Rank(o[1]-top+y)))
			}
			if box.IsEmpty() || b.IsSubsetOf(box) {
				list = append(list, b)
			}
		}
	}
	return list
}
