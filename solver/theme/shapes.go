package theme

import (
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// A Shape is a picture that pieces make.
type Shape struct {
	ID     string // it never changes
	Ja, En string // names
	// Rows are the picture from the top, # for a piece, without empty rows and columns around it.
	Rows []string
}

// draw returns a Shape of rows with spaces between.
func draw(id, ja, en, rows string) *Shape { return &Shape{id, ja, en, strings.Fields(rows)} }

// Shapes are the pictures that are known: lines, geometry, digits, letters, kana and kanji, as far as
// they have a usual form on the board.
var Shapes = append([]*Shape{
	draw("plus_5", "十", "plus", ".#. ### .#."),
	draw("plus_9", "十", "plus", "..#.. ..#.. ##### ..#.. ..#.."),
	draw("plus_13", "十", "plus", "...#... ...#... ...#... ####### ...#... ...#... ...#..."),
	draw("cross_5", "×", "cross", "#.# .#. #.#"),
	draw("cross_9", "×", "cross", "#...# .#.#. ..#.. .#.#. #...#"),
	draw("cross_13", "×", "cross", "#.....# .#...#. ..#.#.. ...#... ..#.#.. .#...#. #.....#"),
	draw("diamond_4", "小菱", "small diamond", ".#. #.# .#."),
	draw("diamond_8", "菱形", "diamond", "..#.. .#.#. #...# .#.#. ..#.."),
	draw("diamond_12", "大菱", "large diamond", "...#... ..#.#.. .#...#. #.....# .#...#. ..#.#.. ...#..."),
	draw("diamond_13", "菱形", "filled diamond", "..#.. .###. ##### .###. ..#.."),
	draw("square_8", "口", "square", "### #.# ###"),
	draw("square_12", "口", "square", "#### #..# #..# ####"),
	draw("square_16", "口", "square", "##### #...# #...# #...# #####"),
	draw("block_9", "方形", "block", "### ### ###"),
	draw("block_16", "方形", "block", "#### #### #### ####"),
	draw("chequer_13", "市松", "chequered", "#.#.# .#.#. #.#.# .#.#. #.#.#"),
	draw("chequer_12", "市松", "chequered", ".#.#. #.#.# .#.#. #.#.# .#.#."),
	draw("nine_dots", "九曜", "nine dots", "#.#.# ..... #.#.# ..... #.#.#"),
	draw("pyramid_9", "山形", "pyramid", "..#.. .###. #####"),
	draw("v_5", "V", "V", "#...# .#.#. ..#.."),
	draw("v_7", "V", "V", "#.....# .#...#. ..#.#.. ...#..."),
	draw("roof_5", "山形", "roof", "..#.. .#.#. #...#"),
	draw("roof_7", "山形", "roof", "...#... ..#.#.. .#...#. #.....#"),
	draw("two_6", "二", "two", "### ... ###"),
	draw("two_8", "二", "two", ".###. ..... #####"),
	draw("two_10", "二", "two", "##### ..... #####"),
	draw("three_9", "三", "three", "### ... ### ... ###"),
	draw("three_15", "三", "three", "##### ..... ##### ..... #####"),
	draw("river_9", "川", "river", "#.#.# #.#.# #.#.#"),
	draw("river_15", "川", "river", "#.#.# #.#.# #.#.# #.#.# #.#.#"),
	draw("mountain", "山", "mountain", "..#.. #.#.# #.#.# #####"),
	draw("mountain_5", "山", "mountain", "..#.. ..#.. #.#.# #.#.# #####"),
	draw("middle", "中", "middle", "..#.. ##### #.#.# ##### ..#.."),
	draw("middle_7", "中", "middle", "...#... ####### #..#..# ####### ...#..."),
	draw("sun", "日", "sun", "### #.# ### #.# ###"),
	draw("field", "田", "field", "##### #.#.# ##### #.#.# #####"),
	draw("king", "王", "king", "##### ..#.. ##### ..#.. #####"),
	draw("earth", "土", "earth", "..#.. .###. ..#.. #####"),
	draw("earth_5", "土", "earth", "..#.. ##### ..#.. ..#.. #####"),
	draw("work", "工", "work", "##### ..#.. #####"),
	draw("work_5", "工", "work", "##### ..#.. ..#.. ..#.. #####"),
	draw("above", "上", "above", "..#.. ..### ..#.. #####"),
	draw("above_5", "上", "above", "..#.. ..#.. ..### ..#.. #####"),
	draw("below", "下", "below", "##### ..#.. ..##. ..#.."),
	draw("big", "大", "big", "..#.. ##### ..#.. .#.#. #...#"),
	draw("small", "小", "small", "..#.. #.#.# #.#.# ..#.."),
	draw("small_5", "小", "small", "..#.. .###. #.#.# ..#.. ..#.."),
	draw("man", "人", "man", "..#.. ..#.. .#.#. #...#"),
	draw("eight", "八", "eight", ".#.#. .#.#. #...#"),
	draw("i_kana", "イ", "i (kana)", "...# ..#. .##. #.#. ..#. ..#."),
	draw("i_kana_5", "イ", "i (kana)", "..#. .#.. ##.. .#.. .#.."),
	draw("ko_kana", "コ", "ko (kana)", "### ..# ###"),
	draw("ko_kana_5", "コ", "ko (kana)", "#### ...# ...# ...# ####"),
	draw("to_kana", "ト", "to (kana)", "#.. #.. ##. #.# #.. #.."),
	draw("to_kana_5", "ト", "to (kana)", "#.. #.. ### #.. #.."),
	draw("ha_kana", "ハ", "ha (kana)", ".#.#. .#.#. .#.#. #...#"),
	draw("he_kana", "ヘ", "he (kana)", ".#... #.#.. ...#. ....#"),
	draw("me_kana", "メ", "me (kana)", "...# #.#. .#.. #.#."),
	draw("c", "C", "C", "### #.. #.. #.. ###"),
	draw("e", "E", "E", "### #.. ### #.. ###"),
	draw("f", "F", "F", "### #.. ### #.. #.."),
	draw("h", "H", "H", "#.# #.# ### #.# #.#"),
	draw("h_3", "H", "H", "#.# ### #.#"),
	draw("l", "L", "L", "#.. #.. #.. #.. ###"),
	draw("l_4", "L", "L", "#.. #.. #.. ###"),
	draw("l_3", "L", "L", "#.. #.. ###"),
	draw("m", "M", "M", "#...# ##.## #.#.# #...# #...#"),
	draw("n", "N", "N", "#...# ##..# #.#.# #..## #...#"),
	draw("p", "P", "P", "### #.# ### #.. #.."),
	draw("s", "S", "S", "### #.. ### ..# ###"),
	draw("t", "T", "T", "### .#. .#. .#. .#."),
	draw("t_3", "T", "T", "### .#. .#."),
	draw("t_5", "T", "T", "##### ..#.. ..#.. ..#.. ..#.."),
	draw("t_4", "T", "T", "##### ..#.. ..#.. ..#.."),
	draw("u", "U", "U", "#.# #.# ###"),
	draw("u_5", "U", "U", "#.# #.# #.# #.# ###"),
	draw("w", "W", "W", "#...# #...# #.#.# ##.## #...#"),
	draw("y", "Y", "Y", "#...# .#.#. ..#.. ..#.. ..#.."),
	draw("z", "Z", "Z", "##### ...#. ..#.. .#... #####"),
	draw("digit_0", "0", "0", "### #.# #.# #.# ###"),
	draw("digit_2", "2", "2", "### ..# ### #.. ###"),
	draw("digit_3", "3", "3", "### ..# ### ..# ###"),
	draw("digit_4", "4", "4", "#.# #.# ### ..# ..#"),
	draw("digit_6", "6", "6", "### #.. ### #.# ###"),
	draw("digit_7", "7", "7", "### ..# ..# ..# ..#"),
	draw("digit_7_4", "7", "7", "### ..# ..# ..#"),
	draw("digit_9", "9", "9", "### #.# ### ..# ###"),
}, lines()...)

// lines returns straight lines of five to nine pieces, up and across.
func lines() (list []*Shape) {
	for n := 5; n <= 9; n++ {
		count := string(rune('0' + n))
		list = append(list, draw("row_"+count, "一", "one (a row)", strings.Repeat("#", n)),
			draw("column_"+count, "1", "1 (a column)", strings.Repeat("# ", n)),
			draw("diagonal_"+count, "斜線", "diagonal", diagonal(n, false)),
			draw("antidiagonal_"+count, "斜線", "diagonal", diagonal(n, true)))
	}
	return list
}

func diagonal(n int, rising bool) string {
	rows := make([]string, n)
	for i := range rows {
		row := []byte(strings.Repeat(".", n))
		if row[i] = '#'; rising {
			row[i], row[n-1-i] = '.', '#'
		}
		rows[i] = string(row)
	}
	return strings.Join(rows, " ")
}

// byRows are the Shapes by what they look like.
var byRows = func() map[string]*Shape {
	m := map[string]*Shape{}
	for _, s := range Shapes {
		if key := strings.Join(s.Rows, " "); m[key] == nil {
			m[key] = s
		}
	}
	return m
}()

// ShapeByID returns a shape, nil if there is none.
func ShapeByID(id string) *Shape {
	for _, s := range Shapes {
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
	return byRows[strings.Join(rows, " ")]
}
