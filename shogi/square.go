package shogi

import (
	"unicode/utf8"
)

// A File is a column of the board: File1 is on Black's right, File9 on Black's left.
type File uint8

// A Rank is a row of the board: RankA (一段) is White's first rank, RankI (九段) Black's.
type Rank uint8

// The files and ranks by their USI names.
const (
	File1 File = iota
	File2
	File3
	File4
	File5
	File6
	File7
	File8
	File9
)

const (
	RankA Rank = iota
	RankB
	RankC
	RankD
	RankE
	RankF
	RankG
	RankH
	RankI
)

// A Square is one of the 81 squares, numbered file by file: 1a = 0, 1b = 1, … 9i = 80.
// Black's pawns move towards smaller numbers. NoSquare stands for "not on the board".
type Square uint8

// NumSquares is the number of squares, NoSquare the value that is none of them.
const (
	NumSquares        = 81
	NoSquare   Square = 81
)

// SquareAt returns the square on file f and rank r.
func SquareAt(f File, r Rank) Square { return Square(f)*9 + Square(r) }

// File returns the file sq stands on.
func (sq Square) File() File { return File(sq / 9) }

// Rank returns the rank sq stands on.
func (sq Square) Rank() Rank { return Rank(sq % 9) }

// Mirrored returns the square with file 9 for file 1 and so on. sq must be on the board.
func (sq Square) Mirrored() Square { return SquareAt(File9-sq.File(), sq.Rank()) }

// Distance returns how many steps of a king are between two squares on the board.
func (sq Square) Distance(to Square) int {
	file, rank := int(sq.File())-int(to.File()), int(sq.Rank())-int(to.Rank())
	return max(file, -file, rank, -rank)
}

// IsValid reports whether sq is on the board.
func (sq Square) IsValid() bool { return sq < NumSquares }

// String returns the USI name of sq, such as "7g", or "-" for NoSquare.
func (sq Square) String() string {
	if !sq.IsValid() {
		return "-"
	}
	return string([]byte{'1' + byte(sq.File()), 'a' + byte(sq.Rank())})
}

// ParseSquare reads a USI square name such as "7g".
func ParseSquare(s string) (Square, error) {
	if len(s) == 2 && s[0] >= '1' && s[0] <= '9' && s[1] >= 'a' && s[1] <= 'i' {
		return SquareAt(File(s[0]-'1'), Rank(s[1]-'a')), nil
	}
	return NoSquare, NewError("shogi", badSquare.With(clip(s)))
}

// clip shortens foreign text for an error message, at the end of a character.
func clip(s string) string {
	n := 60
	if len(s) <= n {
		return s
	}
	for n > 56 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
