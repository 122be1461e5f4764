package notation_test

import (
	"encoding/base64"
	"encoding/binary"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// smallBoard is the board of small, as programs draw it.
const (
	small      = "7nl/7k1/9/7pp/6N2/9/9/9/9 b GS 1"
	smallBoard = `+---------------------------+
| ・ ・ ・ ・ ・ ・ ・v桂v香|一
| ・ ・ ・ ・ ・ ・ ・v玉 ・|二
| ・ ・ ・ ・ ・ ・ ・ ・ ・|三
| ・ ・ ・ ・ ・ ・ ・v歩v歩|四
| ・ ・ ・ ・ ・ ・ 桂 ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ ・ ・ ・ ・ ・|九
+---------------------------+
`
	smallKIF = smallBoard + "先手の持駒：金　銀\n"
)

// TestDialects: these are one position, however people write it.
func TestDialects(t *testing.T) {
	lines := strings.SplitAfter(smallBoard, "\n")
	wide := strings.NewReplacer("|", "｜", " ", "　", "v", "ｖ", "+", "＋", "-", "－")
	boxes := "┌─┬─┬─┬─┬─┬─┬─┬─┬─┐\n"
	for i, row := range lines[1:10] {
		if i > 0 {
			boxes += "├─┼─┼─┼─┼─┼─┼─┼─┼─┤\n"
		}
		cells := strings.Split(strings.NewReplacer(" ・", ",　　", "v", ",▽", " 桂", ",　桂").Replace(
			strings.TrimPrefix(row[:strings.LastIndex(row, "|")], "|")), ",")
		boxes += "│" + strings.ReplaceAll(strings.Join(cells[1:], "│"), "　　", "・") + "│\n"
	}
	boxes += "└─┴─┴─┴─┴─┴─┴─┴─┴─┘\n"
	html := strings.NewReplacer("\n", "<br>\n", " ", "&nbsp;").Replace(smallKIF)
	references := strings.NewReplacer("玉", "&#29577;", "桂", "&#x6842;").Replace(smallKIF)
	for name, text := range map[string]string{
		"a mark for the hand":         "△持駒：なし\n" + smallBoard + "▲持駒：金 銀\n",
		"another mark":                "☖持駒　なし\n" + smallBoard + "☗持駒　金　銀\n",
		"mark and side":               "▽後手の持駒：無し\n" + smallBoard + "▲先手の持駒：金銀\n",
		"mark and name":               "△渡辺　持駒　なし\n" + smallBoard + "▲藤井　持駒　金銀\n",
		"no colon":                    smallBoard + "持駒　金　銀\n",
		"no blank":                    smallBoard + "持駒金銀\n",
		"no の":                        "後手持駒：（なし）\n" + smallBoard + "先手持駒：金、銀\n",
		"another spelling":            "後手の持ち駒：(無し)\n" + smallBoard + "先手の持ち駒：金１ 銀１\n",
		"numbers":                     smallBoard + "先手の持駒：金×1　銀(1)\n",
		"full width":                  wide.Replace(smallBoard) + "先手の持駒：金　銀\n",
		"half-width dots":             strings.ReplaceAll(smallKIF, "・", "･"),
		"files without blanks":        "９８７６５４３２１\n" + smallKIF,
		"boxes":                       boxes + "持駒：金銀\n",
		"cells without blanks":        strings.ReplaceAll(smallKIF, " ・", "・"),
		"another sign of White":       strings.ReplaceAll(smallKIF, "v", "△"),
		"lists":                       "攻方：35桂 / 受方：22玉 21桂 11香 24歩 14歩 / 持駒：金 銀",
		"lists without colons":        "3手詰 攻方 35桂 玉方 22玉 21桂 11香 24歩 14歩 持駒 金銀",
		"lists in brackets":           "【攻方】３五桂【玉方】２二玉・２一桂・１一香・２四歩・１四歩【持駒】金・銀",
		"lists, the hand first":       "持駒：金、銀\n攻め方の駒：３５桂\n受け方の駒：２２玉、２１桂、\n　　　　１１香、２４歩、１４歩\n",
		"lists with both hands":       "先手：35桂（持駒：金銀）後手：22玉21桂11香24歩14歩（持駒：なし）",
		"lists and moves":             "攻方：35桂\n受方：22玉 21桂 11香 24歩 14歩\n持駒：金銀\n\n▲２三銀 △１三玉\n",
		"lists of two problems":       "攻方：35桂\n受方：22玉 21桂 11香 24歩 14歩\n持駒：金銀\n\n攻方：53金\n受方：51玉\n持駒：金\n",
		"lists of a side twice":       "受方：22玉 21桂\n受方：11香 24歩 14歩\n攻方：35桂\n持駒：金銀\n",
		"lists with long names":       "攻方：35桂馬\n受方：22玉将、21桂馬、11香車、24歩兵、14歩\n持駒：金銀\n",
		"lists of a side, apart":      "受方：22玉 21桂\n攻方：35桂\n受方：11香 24歩 14歩\n持駒：金銀\n",
		"lists and a bare move":       "攻方：35桂 / 受方：22玉 21桂 11香 24歩 14歩 / 持駒：金銀\n23銀\n",
		"lists, hand, bare move":      "攻方：35桂\n受方：22玉 21桂 11香 24歩 14歩\n【持駒】金銀\n23銀\n",
		"a hand in brackets":          smallBoard + "【持駒】金銀\n",
		"lists in a page":             "<p>問題</p><p>攻方：35桂<br>受方：22玉 21桂 11香 24歩 14歩<br>持駒：金銀</p>",
		"lists behind a board":        smallKIF + "\n攻方：53金\n受方：51玉\n",
		"text around":                 "はじめまして。\n次の問題が解けません。\n\n" + smallKIF + "\nよろしくお願いします。\n",
		"a sentence about the hand":   "持駒を使って詰めてください。\n" + smallKIF,
		"mail":                        "> " + strings.ReplaceAll(smallKIF, "\n", "\n> ") + "\n",
		"a page":                      "<html><body><p>問題</p><pre class=\"bod\">\n" + smallKIF + "</pre><p>解けますか</p></body></html>",
		"lines of a page":             "<div>" + html + "</div>",
		"character references":        "<pre>" + references + "</pre>",
		"references without a page":   references,
		"a page with a script":        "<script>if (a < b) { x = '▲' }</script>\n<pre>" + smallKIF + "</pre>",
		"no 詰め":                       smallKIF + "手数＝0 まで\n",
		"a comment behind SFEN":       small + " # 3手詰",
		"another comment":             small + " ; mate in 3",
		"a comment in Japanese":       small + "　３手詰です",
		"a comment in C":              small + " // mate in 3",
		"parentheses":                 small + " (mate in 3)",
		"SFEN in a sentence":          "この局面 " + small + " は詰みますか",
		"SFEN on its line":            "次の問題です。\n" + small + "\nよろしく\n",
		"SFEN with a name":            "sfen: " + small,
		"SFEN in a page":              "<p>問題</p><code>" + small + "</code>",
		"moves and resignation":       "position sfen " + small + " moves",
		"lishogi":                     "https://lishogi.org/analysis/7nl/7k1/9/7pp/6N2/9/9/9/9_b_GS_1",
		"lishogi with a variant":      "https://lishogi.org/analysis/standard/7nl/7k1/9/7pp/6N2/9/9/9/9_b_GS_1#0",
		"lishogi's editor":            "https://lishogi.org/editor/7nl/7k1/9/7pp/6N2/9/9/9/9%20b%20GS%201",
		"KENTO":                       "https://www.kento-shogi.com/?initpos=7nl%2F7k1%2F9%2F7pp%2F6N2%2F9%2F9%2F9%2F9%20b%20GS%201&moves=S%2A2c.2b1c.2c1b%2B",
		"KENTO with a ply":            "https://share.kento-shogi.com/?initpos=7nl/7k1/9/7pp/6N2/9/9/9/9+b+GS+1&moves=S*2c.2b1c#0",
		"shogi-extend":                "https://www.shogi-extend.com/share-board?body=position.sfen.7nl%2F7k1%2F9%2F7pp%2F6N2%2F9%2F9%2F9%2F9.b.GS.1.moves.S%2a2c&turn=0",
		"shogi-extend in base64":      "https://www.shogi-extend.com/share-board?turn=0&xbody=" + base64.RawURLEncoding.EncodeToString([]byte("position sfen "+small+" moves S*2c 2b1c resign")),
		"ShogiHome":                   "https://sunfish-shogi.github.io/electron-shogi/webapp/index.html?usen=7nl_7k1_9_7pp_6N2_9_9_9_9.b.GS~0..&branch=0&ply=0",
		"Shogi Playground":            "https://play.mogproject.com/?u=7nl_7k1_9_7pp_6N2_9_9_9_9.b.GS~0..&move=0",
		"Piyo Shogi":                  "https://www.studiok-i.net/kifu/?sfen=" + url.QueryEscape("position sfen "+small),
		"Piyo Shogi's app":            "piyoshogi://?sfen=" + url.PathEscape(small) + "&num=0",
		"Shogi DB2":                   "https://shogidb2.com/board?sfen=" + url.PathEscape(small) + "&moves=%2B0023GI-2213OU",
		"a fragment":                  "https://shogidb2.com/games/e45b66b8#" + url.PathEscape(small),
		"Kyokumenpedia":               "http://kyokumen.jp/positions/7nl/7k1/9/7pp/6N2/9/9/9/9%20b%20GS",
		"ours":                        "https://example.org/p?sfen=7nl/7k1/9/7pp/6N2/9/9/9/9_b_GS&title=x",
		"an address with a sentence":  "この問題はどうですか https://lishogi.org/analysis/7nl/7k1/9/7pp/6N2/9/9/9/9_b_GS_1 よろしく",
		"a record in an address":      "https://example.org/?kif=" + url.QueryEscape(smallKIF),
		"an address in a page":        `<p>問題：<a href="x">https://lishogi.org/analysis/7nl/7k1/9/7pp/6N2/9/9/9/9_b_GS_1</a></p>`,
		"two boards":                  smallKIF + "\n" + headGoldKIF,
		"two records":                 "作品名：一\n" + smallKIF + "1 ２三銀打\n\n作品名：二\n" + headGoldKIF + "1 ５二金打\n",
		"two lines of SFEN":           small + "\n" + headGold + "\n",
		"a move that cannot be read":  smallKIF + "1 ２三銀打\n2 ９九玉(22)\n",
		"a move of KI2 with a fault":  smallKIF + "▲２三銀 △９九玉\n",
		"prose between moves":         smallKIF + "1 ２三銀打\nここで考える\n2 １三玉(22)\n",
		"two records, the 2nd faulty": smallKIF + "1 ２三銀打\n\n" + headGoldKIF + "1 ９九金打\n",
	} {
		r, err := notation.Parse([]byte(text), notation.Options{})
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
			continue
		}
		if p := r.Position(); p.ProblemSFEN() != small {
			t.Errorf("%s: %s, want %s\n%s", name, p.ProblemSFEN(), small, text)
		}
	}
}

// Editors on Windows call UTF-16 Unicode.
func TestUTF16(t *testing.T) {
	for _, text := range []string{small + "\r\n", strings.ReplaceAll(smallKIF, "\n", "\r\n")} {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			var data []byte
			for _, unit := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
				data, _ = binary.Append(data, order, unit)
			}
			r, err := notation.Parse(data, notation.Options{})
			if err != nil || r.Charset != notation.UTF16 || r.Start.SFEN() != small {
				t.Errorf("%v: %v, %+v", order, err, r)
			}
		}
	}
}

// TestMovesAndPly: an address says which position it shows.
func TestMovesAndPly(t *testing.T) {
	const game = "~0.7ku2jm8rl09kbxq." // as tsshogi writes it
	for address, want := range map[string]struct {
		moves string
		shown int
	}{
		"https://www.kento-shogi.com/?moves=7g7f.3c3d.8h2b%2B#2":                   {"7g7f 3c3d 8h2b+", 2},
		"https://www.kento-shogi.com/?moves=7g7f.3c3d.8h2b+":                       {"7g7f 3c3d 8h2b+", 0},
		"https://www.shogi-extend.com/share-board?body=startpos.moves.7g7f&turn=1": {"7g7f", 1},
		"https://www.shogi-extend.com/share-board?body=startpos.moves.7g7f.3c3d":   {"7g7f 3c3d", 2},
		"https://shogidb2.com/board?sfen=startpos&moves=%2B7776FU-3334FU&ply=1":    {"7g7f 3c3d", 1},
		"https://example.com/?usen=" + game + "&branch=0&ply=2":                    {"7g7f 3c3d 8h2b+ 3a2b B*5e", 2},
		"https://play.mogproject.com/?u=" + game + "&move=4":                       {"7g7f 3c3d 8h2b+ 3a2b B*5e", 4},
		"https://example.com/?usen=" + game + "~1.0e4.&branch=1":                   {"7g7f 4a3b", 2},
	} {
		r, err := notation.Parse([]byte(address), notation.Options{})
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if got := strings.Join(moveTexts(r.Moves()), " "); got != want.moves {
			t.Errorf("%s: %s, want %s", address, got, want.moves)
			continue
		}
		if p, q := r.Position(), must(r.After(want.shown)); !p.SamePosition(&q) {
			t.Errorf("%s shows %s, want that after %d moves", address, p.SFEN(), want.shown)
		}
	}
}

func must(p shogi.Position, err error) shogi.Position {
	if err != nil {
		panic(err)
	}
	return p
}

// TestNotes: what is not in the record is said, with its place.
func TestNotes(t *testing.T) {
	note := func(code string, line, column int, text string) notation.Note {
		return notation.Note{Code: code, Line: line, Column: column, Text: text}
	}
	for name, c := range map[string]struct {
		text string
		want []notation.Note
	}{
		"none":        {smallKIF, nil},
		"text around": {"はじめまして。\n" + smallKIF + "よろしく\n", []notation.Note{note(notation.NoteText, 1, 1, "はじめまして。"), note(notation.NoteText, 14, 1, "よろしく")}},
		"two records": {smallKIF + "\n作者：誰か\n" + headGoldKIF, []notation.Note{note(notation.NoteRecords, 14, 1, "")}},
		"moves": {smallKIF + "1 ２三銀打\n2 ９九玉(22)\n", []notation.Note{note(notation.NoteMoves, 14, 3,
			"2b9i is not legal: the king on 2b cannot go to 9i, in 7nl/7k1/7S1/7pp/6N2/9/9/9/9 w G 2")}},
		"a comment": {small + " # 3手詰", []notation.Note{note(notation.NoteText, 1, len(small)+2, "# 3手詰")}},
		"a page":    {"<p>問題</p>\n<pre>\n" + smallKIF + "1 ９九玉打\n</pre>", []notation.Note{note(notation.NoteMoves, 15, 3, "")}},
	} {
		r, err := notation.Parse([]byte(c.text), notation.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		equal := slices.EqualFunc(r.Notes, c.want, func(a, b notation.Note) bool {
			return a.Code == b.Code && a.Line == b.Line && a.Column == b.Column && strings.HasPrefix(a.Text+a.Why.String(), b.Text)
		})
		if !equal {
			t.Errorf("%s: %+v, want %+v", name, r.Notes, c.want)
		}
	}
}

// A record ends before moves that cannot be read, and says so; a part of the position among the moves
// is refused.
func TestFaultyMoves(t *testing.T) {
	text := []byte(smallKIF + "1 ２三銀打\n2 ９九玉(22)\n")
	r, err := notation.Parse(text, notation.Options{})
	if err != nil || len(r.Moves()) != 1 {
		t.Fatalf("the position: %v", err)
	}
	if _, err := r.After(2); err == nil || !strings.Contains(err.Error(), "line 14, column 3") {
		t.Errorf("after 2 moves: %v", err)
	}
	// Of an SFEN the moves lead to the position.
	sfen := []byte("position sfen " + small + " moves S*2c 2b9i")
	if _, err := notation.Parse(sfen, notation.Options{}); err == nil {
		t.Error("the moves of an SFEN may have faults")
	}
	// A fault in the position is one in any case.
	nifu := []byte(strings.Replace(smallKIF, "v歩 ・", "v歩v歩", 1) + "1 ２三銀打\n")
	nifu = []byte(strings.Replace(string(nifu), "| ・ ・ ・ ・ ・ ・ ・ ・ ・|六", "| ・ ・ ・ ・ ・ ・ ・v歩 ・|六", 1))
	if _, err := notation.Parse(nifu, notation.Options{}); err == nil ||
		!strings.Contains(err.Error(), "found a second white pawn on file 2 (nifu)") {
		t.Errorf("two pawns on a file: %v", err)
	}
}

// TestLists: the pieces, hands and problems of lists.
func TestLists(t *testing.T) {
	const gold, knight = "4k4/9/4G4/9/9/9/9/9/9 b ", "9/7k1/9/9/6N2/9/9/9/9 b "
	for text, want := range map[string][]string{
		"攻方：11龍王 22竜馬 33と金 44成銀 55金将 受方：99王将 98銀将97香車96歩兵95桂馬": {"8+R/7+B1/6+P2/5+S3/n3G4/p8/l8/s8/k8 b - 1"},
		"攻方：11竜 22龍馬 受方：98玉": {"8+R/7+B1/9/9/9/9/9/k8/9 b - 1"},

		"攻方：53金\n受方：51玉［持駒：歩］\n持駒：金":      {gold + "Gp 1"},
		"攻方：53金 持駒：金\n受方：51玉\n　11香［持駒：歩］": {"4k3l/9/4G4/9/9/9/9/9/9 b Gp 1"},
		"攻方：53金［持駒：金］受方：51玉〔持駒 歩〕":        {gold + "Gp 1"},
		"【攻方】53金【受方】51玉【持駒】金":             {gold + "G 1"},
		"（攻方）53金（受方）51玉（持駒）金":             {gold + "G 1"},
		"先手：甲\n後手：飛\n攻方：53金\n受方：51玉":      {gold + "- 1"},
		"攻方 13手詰\n攻方：なし\n受方：51玉\n持駒：金":    {"4k4/9/9/9/9/9/9/9/9 b G 1"},
		"攻方：53金\n受方：51玉\n\n持駒：金\n\n次は秘密":  {gold + "G 1"},

		"攻方：53金\n受方：51玉\n\n持駒：金\n攻方：35桂\n受方：22玉\n":                {gold + "- 1", knight + "G 1"},
		"攻方：53金\n受方：51玉\n\n第2問\n【持駒】金\n攻方：35桂\n受方：22玉\n":          {gold + "- 1", knight + "G 1"},
		"持駒：銀\n攻方：53金\n受方：51玉\n\n持駒：金\n攻方：35桂\n受方：22玉\n":          {gold + "S 1", knight + "G 1"},
		"攻方：53金\n受方：51玉\n持駒：銀\n攻方：35桂\n受方：22玉\n持駒：金\n":            {gold + "S 1", knight + "G 1"},
		"持駒：銀 攻方：53金 受方：51玉\n持駒：金 攻方：35桂 受方：22玉\n":                {gold + "S 1", knight + "G 1"},
		"持駒：銀 攻方：53金 受方：51玉\n持駒：金 攻方：35桂\n受方：22玉\n":               {gold + "S 1", knight + "G 1"},
		"攻方：53金 受方：51玉\n攻方：35桂 受方：22玉\n":                          {gold + "- 1", knight + "- 1"},
		"第1問 攻方 53金\n玉方 51玉\n第2問 攻方 35桂\n玉方 22玉\n":                {gold + "- 1", knight + "- 1"},
		"攻方：53金\n受方：51玉\n▲５二金\n\n持駒：金\n攻方：35桂\n受方：22玉\n":          {gold + "- 1", knight + "G 1"},
		"攻方：甲\n" + smallKIF + "\n攻方：53金\n受方：51玉\n":                {small, gold + "- 1"},
		"備考：攻方 12金\n" + smallKIF + "▲２三銀\n\n作品名：二\n攻方：53金 受方：51玉": {small, gold + "- 1"},
	} {
		records, err := notation.ParseAll([]byte(text), notation.Options{})
		var got []string
		for _, r := range records {
			got = append(got, r.Start.SFEN())
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestListFaults: what is wrong with a list is said where it stands.
func TestListFaults(t *testing.T) {
	for text, want := range map[string]string{
		"【攻方】２一飛　４飛\n【受方】１三玉\n":                 "1:9 board",
		"攻方：21飛 45飛\n　　　 21龍\n受方：13玉":           "2:5 board",
		"攻方：21飛 / 受方：13玉 14歩 18歩 / 持駒：金":        "1:21 nifu",
		"攻方：21飛 / 受方：13玉 / 持駒：金 玉":              "1:24 hand",
		"攻方：21飛 / 受方：13玉 / 持駒：金 / 攻方の持駒：銀":      "1:1 repeated",
		"攻方：13金 / 受方：51玉 22玉 / 持駒：金":            "1:17 king_count",
		"3手詰 攻方 21飛 45飛 玉方 13玉、14歩x 持駒 金 手番 後手": "1:26 board",
		// What is a list in no other way than by its side must not get lost.
		"攻方：飛21 45飛\n受方：13玉 14歩\n持駒：金":            "1:4 board",
		"受方：13玉 14歩\n第3問：攻方 21飛\n持駒：金":            "2:8 board",
		"攻方：21飛x 45飛\n受方：13玉":                     "1:4 board",
		"攻方：２一飛x 持駒：金\n受方：13玉":                    "1:4 board",
		"攻方 飛21\n受方：13玉":                          "1:4 board",
		"攻方飛21 受方：13玉":                            "1:3 board",
		"【攻方】二一飛\n受方：13玉":                         "1:5 board",
		"受方：13玉\n攻方：ヒシャ21":                        "2:4 board",
		"先手：飛二一\n後手：13玉":                          "1:4 board",
		"攻方：飛21\n受方：玉13\n▲２二金打":                   "1:4 board",
		"攻方：53金\n受方：51玉\n\n作品名：二\n攻方：飛21\n受方：13玉": "5:4 board",
	} {
		_, err := notation.Parse([]byte(text), notation.Options{})
		if err == nil {
			t.Errorf("%q is read", text)
		} else if got := faultsOf(t, err); len(got) != 1 || !strings.HasPrefix(got[0], want+": ") {
			t.Errorf("%q: %q, want %s", text, got, want)
		}
	}
}

// TestSeveralRecords: each record has its own header.
func TestSeveralRecords(t *testing.T) {
	text := "作品名：一\n" + smallKIF + "1 ２三銀打\nまで1手で中断\n\n#KIF\n作品名：二\n" + headGoldKIF + "1 ５二金打\n\n作品名：三\n" + smallKIF
	records, err := notation.ParseAll([]byte(text), notation.Options{})
	if err != nil || len(records) != 3 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for i, want := range []struct {
		title string
		moves int
		start string
	}{{"一", 1, small}, {"二", 1, ""}, {"三", 0, small}} {
		r := records[i]
		if r.Get("作品名") != want.title || len(r.Moves()) != want.moves || want.start != "" && r.Start.SFEN() != want.start {
			t.Errorf("record %d: %q, %d moves, %s", i+1, r.Header, len(r.Moves()), r.Start.SFEN())
		}
	}
	// A hand that comes twice without another board is a fault, not another record.
	if _, err := notation.ParseAll([]byte(smallKIF+"先手の持駒：金\n"), notation.Options{}); err == nil {
		t.Error("a second hand was read")
	}
}

// TestNoRecord: each of these is refused in one line that says what it is.
func TestNoRecord(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a PDF":              {"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "no_text: found a PDF, which is no text"},
		"a PNG":              {"\x89PNG\r\n\x1a\n\x00\x00", "no_text: found a picture (PNG)"},
		"an archive":         {"PK\x03\x04\x14\x00", "no_text: found an archive (ZIP)"},
		"bytes":              {"ab\x00\x01\x02", "no_text: found binary data"},
		"an address":         {"https://lishogi.org/151jxej8", "address: found an address (of lishogi.org) that has no position in it"},
		"an address of Wars": {"https://shogiwars.heroz.jp/games/a-b-20200927_180900?tw=1", "address: found an address (of shogiwars.heroz.jp)"},
		"an address of a file": {"piyoshogi://?num=0&url=https%3A%2F%2Fexample.com%2Fa.kif",
			"address: found an address (of piyoshogi:"},
		"an address cut off":   {"https://lishogi.org/analysis/7nl/7k1/9/7pp/6N2/9/9_b_GS_1", "rank_count: board: found 7 ranks, expected 9"},
		"a parameter cut off":  {"https://example.com/p?sfen=4k4", "rank_count: board: found 1 rank, expected 9"},
		"an SFEN cut off":      {"7nl/7k1/9/7pp/6N2/9/9", "rank_count: board: found 7 ranks, expected 9"},
		"prose":                {"こんにちは", "format: found no notation that is known"},
		"USEN with a fault":    {"https://example.com/?usen=~0.zzz.", "move_syntax: found \"zzz\" in USEN"},
		"USEN that is no move": {"https://example.com/?usen=~0.002.", "move_syntax: move 1: 1a2a is not legal"},
	} {
		_, err := notation.Parse([]byte(c.text), notation.Options{})
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		f := err.(*notation.Error).Faults[0]
		if got := f.Code + ": " + f.Msg.String(); !strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
