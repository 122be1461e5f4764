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

		// Western notation, as "Shogi notation" of Wikipedia has it, with its other letters and digits.
		"squares of moves in digits":  {sfen + "\n1. R*12 2. K-21 3. S*32\n", line, 0},
		"a solution of Wikipedia":     {sfen + "\nSolution: 1. R*12 2. K21 3. S*32\n", line, 0},
		"drops with an apostrophe":    {sfen + "\nR'1b K2a S'3b\n", line, 0},
		"D for dragon, as 81Dojo has": {"Black: B3d, P3e In hand: R, S\nWhite: K1a, D2h\n", "", 0},
		"mail to shogi-l, 1993":       {"Black: B3d, P3e In hand: R, S\nWhite: K1a, +R2h\nThat is, Black has a bishop.\n", "", 0},

		// CSA, versions 2.2 and 3.0 (www2.computer-shogi.org/protocol), and the mail to shogi-l of 6 Nov 1999.
		"CSA, all in lists":        {"P-11OU28RY\nP+34KA35FU\nP+00HI00GI\nP-00AL\n+\n", "", 0},
		"CSA 3.0":                  {"'CSA encoding=UTF-8\nV3.0\nP-11OU28RY\nP+34KA35FU00HI00GI\nP-00AL\n+\n+0012HI\nT1.5\n-1121OU\n+0032GI\n%TSUMI\n", line, 0},
		"CSA, several in one line": {"P-11OU28RY,P+34KA35FU00HI00GI,P-00AL,+\n", "", 0},
		"CSA, a comment":           {"'詰将棋\nV2.2\nN+作者\nP-11OU28RY\nP+34KA35FU00HI00GI\nP-00AL\n+\n+0012HI,T3\n-1121OU,T1\n", "R*1b 1a2a", 0},

		// KIF and KI2 (kakinoki.o.oo7.jp/kif_format.html), and BOD as bioshogi writes it.
		"KIF, a comment in its head": {"# ---- Kifu for Windows95 V3.53 棋譜ファイル ----\n" + kif + "手数----指手---------消費時間--  # この行は、なくてもいい\n" +
			"   1 １二飛打   ( 0:16/00:00:16)\n   2 ２一玉(11) ( 0:00/00:00:00)\n   3 ３二銀打\n   4 詰み\n", line, 0},
		"KI2":                {kif + "▲１二飛    △２一玉    ▲３二銀\nまで3手で詰み\n", line, 3},
		"BOD":                {kif + "手数＝0 まで\n\n先手番\n", "", 0},
		"hands of a diagram": {strings.NewReplacer("後手の持駒：角　金四　銀三　桂四　香四　歩十七　", "☖持駒：角金4銀3桂4香4歩17", "先手の持駒：飛　銀　", "☗持駒：飛銀").Replace(kif), "", 0},

		// Solutions of newspapers, blogs (goo.ne.jp/ota416) and of the Japanese Wikipedia.
		"a heading in brackets":       {kif + "【正解】▲１二飛 △２一玉 ▲３二銀 まで3手詰\n", line, 3},
		"a heading and a blank":       {kif + "正解　▲１二飛△２一玉▲３二銀まで３手詰め\n", line, 3},
		"author's line of a magazine": {kif + "作意　12飛、21玉、32銀迄3手詰。\n", line, 3},
		"までの":                         {kif + "▲1二飛、△2一玉、▲3二銀までの3手詰。\n", line, 3},
		"heading in wide parentheses": {kif + "（解答）１二飛、２一玉、３二銀まで3手詰\n", line, 3},
		"a solution after a title":    {"詰将棋 第1番\n" + kif + "\n解答：▲１二飛、△２一玉、▲３二銀まで、３手詰。\n", line, 3},

		// USI (shogidokoro.starfree.jp), sites and their links.
		"USI":                     {"position sfen " + sfen + " moves " + line + "\n", line, 0},
		"lishogi, no move number": {strings.TrimSuffix(sfen, " 1"), "", 0},
		"lishogi, editor":         {"https://lishogi.org/editor/" + strings.ReplaceAll(sfen, " ", "_"), "", 0},
		"KENTO":                   {"https://www.kento-shogi.com/?initpos=" + strings.ReplaceAll(sfen, " ", "%20") + "&moves=R*1b.1a2a.S*3b", line, 0},
		"shogi-extend":            {"https://www.shogi-extend.com/share-board?body=position.sfen." + strings.ReplaceAll(strings.ReplaceAll(sfen, " ", "."), "+", "%2B"), "", 0},
		"a fence with a language": {"```shogi\n" + sfen + "\n```\n", "", 0},

		// Fairy-Stockfish's and pychess-variants' FEN and PGN.
		"FEN of pychess": {"8k/9/9/6B2/6P2/9/9/7+r1/9[RSbggggsssnnnnllllppppppppppppppppp] w 0 1", "", 0},
		"PGN of pychess": {"[Variant \"Shogi\"]\n[FEN \"8k/9/9/6B2/6P2/9/9/7+r1/9[RS] w 0 1\"]\n[SetUp \"1\"]\n\n*\n", "", 0},

		// Sources of programs that have problems in them.
		"a table of JavaScript": {"const TsumeData = {\n  // 作品\n  \"corner\": \"position sfen " + sfen + "\",\n};\n", "", 0},
		"a list of Python":      {"# 問題\nTSUME_PROBLEMS = [\n    {\n        \"id\": 1,\n        \"sfen\": \"sfen " + sfen + "\",\n    },\n]\n", "", 0},
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
