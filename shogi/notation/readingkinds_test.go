package notation_test

import (
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// TestReadingKinds: the problem of corner in the ways in which people and programs write it. Where
// the form of a program or a site is meant, its source is named.
func TestReadingKinds(t *testing.T) {
	kif, _, _ := strings.Cut(mustRead(t, "testdata/reading/06-circled.txt"), "①")
	sfen := corner
	wide := strings.Map(func(r rune) rune {
		if r > ' ' && r <= '~' {
			return r - '!' + '！'
		}
		return r
	}, sfen)
	const line = cornerLine
	for name, c := range map[string]struct {
		text, moves string
		plies       int
	}{
		// Solutions in print.
		"commas, a heading above":   {kif + "【解答】\n１二飛、２一玉、３二銀\nまで３手詰\n", line, 3},
		"kanji for the length":      {kif + "１二飛　２一玉　３二銀　まで三手詰\n", line, 3},
		"numbers with points":       {kif + "1.１二飛 2.２一玉 3.３二銀 まで\n", line, 0},
		"numbers in parentheses":    {kif + "(1)▲１二飛(2)△２一玉(3)▲３二銀\n", line, 0},
		"circled numbers and marks": {kif + "①▲１二飛 ②△２一玉 ③▲３二銀\n", line, 0},
		"arrows":                    {kif + "作意：１二飛→２一玉→３二銀\n", line, 0},
		"a heading in parentheses":  {kif + "（作意）１二飛、２一玉、３二銀まで３手詰。\n", line, 3},
		"詰手順":                       {kif + "詰手順：▲１二飛打△２一玉▲３二銀打まで\n", line, 0},
		"on two lines":              {kif + "正解手順\n▲１二飛△２一玉\n▲３二銀まで３手詰め\n", line, 3},
		"full-width commas":         {kif + "１二飛，２一玉，３二銀迄。\n", line, 0},
		"length in the title":       {"３手詰　角の利き\n" + kif, "", 3},
		"length in a header":        {"手数：3手\n" + kif, "", 3},
		"SFEN with a solution":      {sfen + "\n正解：１二飛、２一玉、３二銀 まで３手詰\n", line, 3},
		"SFEN, solution in English": {sfen + "\nSolution: 1. R*1b 2. K-2a 3. S*3b mate\n", line, 0},

		// English lists.
		"hand of Black on its own": {"Black: B3d, P3e\nWhite: K1a, +R2h\nBlack in hand: R, S\nWhite in hand: the rest\n", "", 0},
		"one line":                 {"Sente: B3d P3e. Hand: R S. Gote: K1a +R2h.", "", 0},
		"names of pieces":          {"Attacker: Bishop 3d, Pawn 3e; in hand Rook, Silver\nDefender: King 1a, Dragon 2h\n", "", 0},
		"squares in digits":        {"Mate in 3\nBlack: B34, P35; in hand: R, S\nWhite: K11, +R28\n", "", 3},
		"White first":              {"White: K1a, +R2h\nBlack: B3d, P3e\nBlack's hand: 1R 1S\n", "", 0},
		"side to move":             {"Black (sente): B-3d, P-3e. In hand: R, S\nWhite (gote): K-1a, +R-2h\nBlack to play and mate in three.\n", "", 0},
		"numbered solution":        {"Black: B3d, P3e In hand: R, S\nWhite: K1a, +R2h\n\n1.R*1b 2.K2a 3.S*3b#\n", line, 0},

		// Boards in ASCII.
		"with names of rows and files": {`  9 8 7 6 5 4 3 2 1
a . . . . . . . . k
b . . . . . . . . .
c . . . . . . . . .
d . . . . . . B . .
e . . . . . . P . .
f . . . . . . . . .
g . . . . . . . . .
h . . . . . . . +r .
i . . . . . . . . .
Black in hand: R, S
`, "", 0},
		// Fairy-Stockfish, command d.
		"a board with corners": {` +---+---+---+---+---+---+---+---+---+
 |   |   |   |   |   |   |   |   | k |9   []
 +---+---+---+---+---+---+---+---+---+
 |   |   |   |   |   |   |   |   |   |8
 +---+---+---+---+---+---+---+---+---+
 |   |   |   |   |   |   |   |   |   |7
 +---+---+---+---+---+---+---+---+---+
 |   |   |   |   |   |   | B |   |   |6
 +---+---+---+---+---+---+---+---+---+
 |   |   |   |   |   |   | P |   |   |5
 +---+---+---+---+---+---+---+---+---+
 |   |   |   |   |   |   |   |   |   |4
 +---+---+---+---+---+---+---+---+---+
 |   |   |   |   |   |   |   |   |   |3
 +---+---+---+---+---+---+---+---+---+
 |   |   |   |   |   |   |   |+r |   |2
 +---+---+---+---+---+---+---+---+---+
 |   |   |   |   |   |   |   |   |   |1 * [RS]
 +---+---+---+---+---+---+---+---+---+
   a   b   c   d   e   f   g   h   i
`, "", 0},
		// python-shogi, str(board), which has the numbers of what is held.
		"both hands below": {mustRead(t, "testdata/reading/09-python-shogi.txt")[:9*27] + "\n R*1 S*1 b*1 g*4\n", "", 0},

		// Variants of SFEN.
		"quotes of print":    {"“" + sfen + "”", "", 0},
		"Japanese quotes":    {"局面は「" + sfen + "」です。", "", 0},
		"full width":         {wide, "", 0},
		"a full stop":        {"The position is " + sfen + ".", "", 0},
		"a semicolon":        {sfen + ";", "", 0},
		"a name":             {"SFEN: " + sfen, "", 0},
		"code of Markdown":   {"Mate in 3: `" + sfen + "`, no cook", "", 3},
		"a mail that quotes": {"> " + sfen, "", 0},
		"side in capitals":   {strings.Replace(sfen, " b ", " B ", 1), "", 0},
		// FEN of Fairy-Stockfish and pychess: White is the side of the capitals.
		"FEN":              {"8k/9/9/6B2/6P2/9/9/7+r1/9[RSbggggsssnnnnllllppppppppppppppppp] w - - 0 1", "", 0},
		"FEN in a PGN tag": {`[FEN "8k/9/9/6B2/6P2/9/9/7+r1/9[RS] w 0 1"]`, "", 0},

		// Letters.
		"variation selectors":      {strings.ReplaceAll(kif, "角", "角\ufe00") + "▲１二飛△２一玉▲３二銀\n", line, 0},
		"blanks of no width":       {strings.ReplaceAll(kif, "・", "・\u200b") + "▲１二飛\u200b△２一玉\u2060▲３二銀\n", line, 0},
		"blanks that do not break": {strings.ReplaceAll(kif, " ", "\u00a0") + "▲１二飛\u00a0△２一玉 ▲３二銀\n", line, 0},
		"compatibility letters":    {strings.ReplaceAll(kif, "金", "\uf90a") + "▲１二飛△２一⽟▲３⼆銀\n", line, 0},
	} {
		agrees(t, c.text)
		records, err := notation.ParseAll([]byte(c.text), notation.Options{})
		if err != nil || len(records) != 1 {
			t.Errorf("%s: %d records, %v", name, len(records), err)
			continue
		}
		r := records[0]
		var moves []string
		for _, m := range r.Moves() {
			moves = append(moves, m.String())
		}
		p := r.Start
		p.GiveMissing(shogi.White)
		if p.ProblemSFEN() != corner || strings.Join(moves, " ") != c.moves || r.Plies != c.plies {
			t.Errorf("%s: %s, moves %s, told %d; want moves %s, told %d (%+v)", name, p.ProblemSFEN(), moves, r.Plies, c.moves, c.plies, r.Notes)
		}
	}
}
