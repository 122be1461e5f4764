package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// Boards are the values of PlayOptions.Board: as printed diagrams have it, as the files of CSA have
// it, as the plain grid of early programs, or not at all.
var Boards = []string{"diagram", "csa", gridBoard, "none"}

// gridBoard is the form of the grid. With it each move is echoed, those of persons as well.
const gridBoard = "grid"

// appendBoard appends the board in one of the forms of Boards, seen by White if it is flipped.
func appendBoard(dst []byte, p *shogi.Position, form string, flipped bool) []byte {
	switch form {
	case "diagram":
		if flipped {
			return appendFlippedDiagram(dst, p)
		}
		return notation.AppendBOD(dst, p)
	case "csa":
		return appendCSABoard(dst, p, flipped)
	case gridBoard:
		return appendGrid(dst, p, flipped)
	}
	return dst
}

// appendFlippedDiagram appends the diagram that White sees: that of the rotated board, with the
// names of files, ranks and sides exchanged. As on any diagram, "v" marks the pieces of the side
// at the top.
func appendFlippedDiagram(dst []byte, p *shogi.Position) []byte {
	const files, ranks = "９ ８ ７ ６ ５ ４ ３ ２ １", "一二三四五六七八九"
	rotated := p.Rotated()
	text := string(notation.AppendBOD(nil, &rotated))
	text = strings.Replace(text, files, reversed(files), 1)
	text = strings.NewReplacer("先手", "後手", "後手", "先手").Replace(text)
	rows, rank := strings.SplitAfter(text, "\n"), []rune(ranks)
	for i, n := 0, len(rank)-1; i < len(rows); i++ {
		if cut := strings.LastIndexByte(rows[i], '|'); cut >= 0 {
			rows[i] = rows[i][:cut+1] + string(rank[n]) + "\n"
			n--
		}
	}
	return append(dst, strings.Join(rows, "")...)
}

func reversed(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

// appendCSABoard appends the lines of CSA that say a position: P1 to P9, the hands, the side to
// move.
func appendCSABoard(dst []byte, p *shogi.Position, flipped bool) []byte {
	var rows, rest []string
	record := notation.NewRecord(*p, nil, "")
	for line := range bytes.Lines(record.AppendCSA(nil)) {
		switch {
		case line[0] == 'P' && line[1] >= '1' && line[1] <= '9':
			rows = append(rows, string(line))
		case line[0] == 'P' || line[0] == '+' || line[0] == '-':
			rest = append(rest, string(line))
		}
	}
	if flipped {
		const label, square = 2, 3 // bytes: "P1", "-KY"
		slices.Reverse(rows)
		for i, row := range rows {
			turned := row[:label]
			for from := len(row) - 1 - square; from >= label; from -= square {
				turned += row[from : from+square]
			}
			rows[i] = turned + "\n"
		}
	}
	for _, line := range append(rows, rest...) {
		dst = append(dst, line...)
	}
	return dst
}

// appendGrid appends the plain grid of early programs: the files above, cells such as " -KY " and
// " ... ", the rank behind each row. The hands are those of P1, Black, and of P2, each on the side of
// the board where its player sits.
func appendGrid(dst []byte, p *shogi.Position, flipped bool) []byte {
	files, ranks := []int{9, 8, 7, 6, 5, 4, 3, 2, 1}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
	bottom := shogi.Black
	if flipped {
		files, ranks, bottom = ranks, files, shogi.White
	}
	dst = appendGridHand(dst, p, bottom.Opponent())
	for _, file := range files {
		dst = fmt.Appendf(dst, "  %d  ", file)
	}
	dst = append(dst, '\n')
	for _, rank := range ranks {
		for _, file := range files {
			cell, sq := "...", shogi.SquareAt(shogi.File(file-1), shogi.Rank(rank-1))
			if piece := p.Piece(sq); piece != shogi.NoPiece {
				cell = "+-"[piece.Color():piece.Color()+1] + notation.CSAName(piece.Type())
			}
			dst = fmt.Appendf(dst, " %s ", cell)
		}
		dst = fmt.Appendf(dst, " %d\n", rank)
	}
	return appendGridHand(dst, p, bottom)
}

// appendGridHand appends a hand as "[P1]{FU: 0, KY: 0, KE: 0, GI: 0, KI: 0, KA: 0, HI: 0}".
func appendGridHand(dst []byte, p *shogi.Position, c shogi.Color) []byte {
	dst = fmt.Appendf(dst, "[P%d]{", c+1)
	kinds := [...]shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold,
		shogi.Bishop, shogi.Rook}
	for i, kind := range kinds {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = fmt.Appendf(dst, "%s: %d", notation.CSAName(kind), p.Hand(c).Count(kind))
	}
	return append(dst, "}\n"...)
}

// echo describes a move of p in one line of ASCII: the side (P1 is Black), the piece by its name in
// CSA, where it comes from and goes to as (file, rank), and what else happens, such as
// "[P2][FU (3,3) => (3,4)]".
func echo(p *shogi.Position, m shogi.Move) string {
	square := func(sq shogi.Square) string {
		return fmt.Sprintf("(%d,%d)", sq.File()+1, sq.Rank()+1)
	}
	kind, from := m.Dropped(), "hand"
	if !m.IsDrop() {
		kind, from = p.Piece(m.From()).Type(), square(m.From())
	}
	text := fmt.Sprintf("[P%d][%s %s => %s",
		p.SideToMove()+1, notation.CSAName(kind), from, square(m.To()))
	if m.IsPromotion() {
		text += " promotes to " + notation.CSAName(kind.Promoted())
	}
	if taken := p.Piece(m.To()); taken != shogi.NoPiece {
		text += " takes " + notation.CSAName(taken.Type())
	}
	next := *p
	next.Do(m)
	if next.InCheck() {
		text += " check"
	}
	return text + "]"
}
