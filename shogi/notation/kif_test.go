package notation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/japanese"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// headGold is a problem with a mate in one by 5b, and its position.
const (
	headGold     = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	headGoldHand = "後手の持駒：飛二　角二　金三　銀四　桂四　香四　歩十七　\n"
	headGoldRows = `  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・v玉 ・ ・ ・ ・|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ ・ ・ 歩 ・ ・ ・ ・|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ ・ ・ ・ ・ ・|九
+---------------------------+
`
	headGoldKIF = headGoldHand + headGoldRows + "先手の持駒：金　\n"
)

// TestDialectsOfKIF reads what programs write and people paste; every text is the problem headGold
// and 5b gold.
func TestDialectsOfKIF(t *testing.T) {
	const move = "   1 ５二金打     ( 0:00/00:00:00)\n"
	rows := headGoldRows
	for name, text := range map[string]string{
		"plain":                          headGoldKIF + move,
		"as Kakinoki Shogi":              "# ----  柿木将棋  ----\n手合割：平手　　\n" + headGoldKIF + "手数----指手---------消費時間--\n" + move + "   2 詰み         ( 0:00/00:00:00)\nまで1手で詰み\n",
		"Mynavi":                         "手合割：詰将棋\n" + headGoldKIF + move,
		"odds with a board":              "手合割：その他\n" + headGoldKIF + move,
		"hands with half-width blanks":   strings.ReplaceAll(headGoldHand, "　", " ") + rows + "先手の持駒：金 \n" + move,
		"hands without blanks":           strings.ReplaceAll(headGoldHand, "　", "") + rows + "先手の持駒：金\n" + move,
		"hands with digits":              "後手の持駒：飛2角2金3銀4桂4香4歩17\n" + rows + "先手の持駒：金１\n" + move,
		"the rest":                       "後手の持駒：残り全部\n" + rows + "先手の持駒：金\n" + move,
		"the rest, other words":          "後手の持駒：残り全て\n" + rows + "先手の持駒：金\n" + move,
		"the rest, short":                "後手の持駒：残り\n" + rows + "先手の持駒：金\n" + move,
		"some, and the rest":             "後手の持駒：飛二　残り全部\n" + rows + "先手の持駒：金\n" + move,
		"the hand before its rest":       "先手の持駒：金\n後手の持駒：残り全部\n" + rows + move,
		"sides of handicaps":             strings.Replace(headGoldHand, "後手", "上手", 1) + rows + "下手の持駒：金\n下手番\n" + move,
		"sides of problems":              strings.Replace(headGoldHand, "後手", "玉方", 1) + rows + "攻方の持駒：金\n" + move,
		"as in print":                    "持駒：金\n玉方の持駒：残り全部\n" + rows + move,
		"the side to move":               headGoldKIF + "先手番\n" + move,
		"the side to move as a field":    headGoldKIF + "手番：先手\n" + move,
		"half-width colons":              strings.ReplaceAll(headGoldKIF, "：", ":") + move,
		"signs before Black's pieces":    headGoldHand + strings.Replace(strings.Replace(rows, " 歩", "+歩", 1), "v玉", "V王", 1) + "先手の持駒：金\n" + move,
		"a caret":                        headGoldHand + strings.Replace(rows, " 歩", "^歩", 1) + "先手の持駒：金\n" + move,
		"no names of ranks, no frame":    headGoldHand + strings.NewReplacer("一", "", "二", "", "+---------------------------+\n", "").Replace(rows) + "先手の持駒：金\n" + move,
		"blanks at the ends of lines":    strings.ReplaceAll(headGoldKIF+move, "\n", " 　\n"),
		"CR LF":                          strings.ReplaceAll(headGoldKIF+move, "\n", "\r\n"),
		"CR":                             strings.ReplaceAll(headGoldKIF+move, "\n", "\r"),
		"mixed line ends":                strings.ReplaceAll(headGoldKIF, "\n", "\r\n") + move,
		"a byte order mark":              "\ufeff" + headGoldKIF + move,
		"character references":           strings.ReplaceAll(headGoldKIF, "玉", "&#29577;") + "1 &#xff15;&#20108;&#37329;&#25171;\n",
		"header after the board":         headGoldKIF + "作者：誰か\n作品名：無題\n手数：1\n" + move,
		"board turned":                   headGoldKIF + "盤面回転\n" + move,
		"variation in the header":        "変化：なし\n" + headGoldKIF + move,
		"blank lines and bookmarks":      headGoldKIF + "\n\n" + move + "&詰め上がり\n",
		"ASCII digits in moves":          headGoldKIF + "1 5二金打\n",
		"blanks of web pages":            strings.NewReplacer(" ", "\u00a0", "　", "\u00a0").Replace(headGoldKIF + move),
		"references to such blanks":      strings.ReplaceAll(headGoldKIF, " ", "&#160;") + move,
		"no blanks, no time":             headGoldKIF + "1 ５二金打",
		"a mark":                         headGoldKIF + "1 ▲５二金打\n",
		"odd blanks in the time":         headGoldKIF + "1 ５二金打 (00:31 / 00:00:31)\n",
		"a sign of variations":           headGoldKIF + "1 ５二金打 ( 0:03/ 0:00:19)+\n",
		"a sign of variations, no time":  headGoldKIF + "1 ５二金打+\n",
		"without 打":                      headGoldKIF + "1 ５二金\n",
		"KI2":                            headGoldKIF + "\n▲５二金\n",
		"KI2, white marks":               headGoldKIF + "\n☗５二金打 まで1手詰\n",
		"KI2, the mark names the side":   headGoldKIF + "▲５二金 …まで1手で詰み\n",
		"ending 詰":                       headGoldKIF + move + "2 詰\n",
		"ending between blanks and time": headGoldKIF + move + "   2 詰み         ( 0:00/00:00:00)\n",
	} {
		r, err := notation.Parse([]byte(text), notation.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := r.Start.SFEN(); got != headGold {
			t.Errorf("%s: %s, want %s", name, got, headGold)
		}
		if got := moveTexts(r.Moves()); !slices.Equal(got, []string{"G*5b"}) {
			t.Errorf("%s: moves %q, want G*5b", name, got)
		}
		if r.Ending() != "" && r.Ending() != notation.Mated {
			t.Errorf("%s: ends in %q", name, r.Ending())
		}
	}
}

// Shift_JIS gives what UTF-8 gives, with every name of a piece, and whatever the first line says.
func TestCharsets(t *testing.T) {
	text := `手合割：平手
後手の持駒：歩十二
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
|v王v龍v竜v馬v全v圭v杏vと ・|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ ・ ・ ・ ・ ・ ・ ・|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ 金 銀 桂 香 歩 ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| 玉 全 圭 杏 と 馬 ・ ・ ・|九
+---------------------------+
先手の持駒：
*①は～から
`
	const want = "k+r+r+b+s+n+l+p1/9/9/9/9/1GSNLP3/9/9/K+S+N+L+P+B3 b 12p 1"
	for _, first := range []string{"", "#KIF version=2.0 encoding=UTF-8\n", "#KIF version=2.0 encoding=Shift_JIS\n"} {
		sjis, err := notation.Encode([]byte("\n"+text), notation.ShiftJIS)
		if err != nil {
			t.Fatal(err)
		}
		sjis = append([]byte(first), sjis...)
		for name, data := range map[string][]byte{"Shift_JIS": sjis, "UTF-8": []byte(first + text), "UTF-8 with a mark": []byte("\ufeff" + first + text)} {
			r, err := notation.Parse(data, notation.Options{})
			if err != nil {
				t.Errorf("%q in %s: %v", first, name, err)
				continue
			}
			if r.Start.SFEN() != want || len(r.Root.Comments) != 1 || r.Root.Comments[0] != "①は～から" {
				t.Errorf("%q in %s: %s %q", first, name, r.Start.SFEN(), r.Root.Comments)
			}
		}
	}
	sjis, _ := notation.Encode([]byte(text), notation.ShiftJIS)
	if _, err := notation.Parse(sjis, notation.Options{Charset: notation.UTF8}); err == nil {
		t.Error("Shift_JIS was read as UTF-8")
	}
	if _, err := notation.Parse([]byte("\xff\xfe1\x00\x00\xd8"), notation.Options{}); err == nil || !strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("UTF-16 gives %v", err)
	}
	if _, err := notation.Parse(append(sjis, 0x81), notation.Options{}); err == nil || !strings.Contains(err.Error(), "neither UTF-8 nor Shift_JIS") {
		t.Errorf("half a character gives %v", err)
	}
}

// Old archives are in EUC-JP. It is told from Shift_JIS by its bytes, except where all of them
// could be half-width kana.
func TestEUCJP(t *testing.T) {
	const csa = "'CSA\nN+%s\nPI\n+\n+7776FU\n"
	for text, want := range map[string]notation.Charset{
		headGoldKIF + "1 ５二金打\n":                                 notation.EUCJP,
		"手合割：平手\n▲７六歩△３四歩\n":                                     notation.EUCJP,
		"#KIF version=2.0 encoding=EUC-JP\n手合割：平手\n棋戦：ｵｰﾙｽﾀｰ戦\n": notation.EUCJP,
		fmt.Sprintf(csa, "羽生 善治"):                                notation.EUCJP,
		fmt.Sprintf(csa, "やまだ"):                                  notation.EUCJP,
		fmt.Sprintf(csa, "NAME"):                                 notation.UTF8,
	} {
		data, err := japanese.EUCJP.NewEncoder().Bytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := notation.Parse([]byte(text), notation.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, said := range []notation.Charset{notation.UnknownCharset, want} {
			r, err := notation.Parse(data, notation.Options{Charset: said})
			if err != nil {
				t.Errorf("%q: %v", text, err)
				continue
			}
			if r.Charset != want || string(r.AppendKIF(nil)) != string(plain.AppendKIF(nil)) {
				t.Errorf("%q: as %s\n%s", text, r.Charset, r.AppendKIF(nil))
			}
		}
	}
	// In Shift_JIS this is four characters, in EUC-JP it would be two; the standard says Shift_JIS.
	sjis, err := japanese.ShiftJIS.NewEncoder().Bytes(fmt.Appendf(nil, csa, "ﾔﾏﾀﾞ"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := notation.Parse(sjis, notation.Options{})
	if err != nil || r.Charset != notation.ShiftJIS || r.Get("先手") != "ﾔﾏﾀﾞ" {
		t.Errorf("half-width kana: %+v, %v", r, err)
	}
	if _, err := notation.Parse([]byte("N+\xa4\n"), notation.Options{Charset: notation.EUCJP}); err == nil || !strings.Contains(err.Error(), "line 1, column 3: found bytes that are not EUC-JP") {
		t.Errorf("half a character gives %v", err)
	}
	for _, name := range []string{"euc-jp", "EUC-JP", "x-euc-jp", "eucjp"} {
		if c, err := notation.ParseCharset(name); c != notation.EUCJP || err != nil || c.String() != "euc-jp" {
			t.Errorf("%s is %s, %v", name, c, err)
		}
	}
	if _, err := notation.Encode([]byte("x"), notation.EUCJP); err == nil {
		t.Error("EUC-JP was written")
	}
}

// Some characters of Shift_JIS have two in Unicode: Windows takes one, other systems the other.
// Both are written.
func TestVariantsInShiftJIS(t *testing.T) {
	got, err := notation.Encode([]byte("*〜―—−‖¢£¬"), notation.ShiftJIS)
	if err != nil {
		t.Fatal(err)
	}
	if want := "*\x81\x60\x81\x5c\x81\x5c\x81\x7c\x81\x61\x81\x91\x81\x92\x81\xca"; string(got) != want {
		t.Errorf("% x, want % x", got, want)
	}
	if _, err := notation.Encode([]byte("*é"), notation.ShiftJIS); err == nil || !strings.Contains(err.Error(), "'é'") {
		t.Errorf("é gives %v", err)
	}
}

func TestHandicaps(t *testing.T) {
	const below = "/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL "
	for name, want := range map[string]string{
		"平手": "lnsgkgsnl/1r5b1" + below + "b", "香落ち": "lnsgkgsn1/1r5b1" + below + "w", "右香落ち": "1nsgkgsnl/1r5b1" + below + "w",
		"角落ち": "lnsgkgsnl/1r7" + below + "w", "飛車落ち": "lnsgkgsnl/7b1" + below + "w", "飛香落ち": "lnsgkgsn1/7b1" + below + "w",
		"二枚落ち": "lnsgkgsnl/9" + below + "w", "三枚落ち": "lnsgkgsn1/9" + below + "w", "四枚落ち": "1nsgkgsn1/9" + below + "w",
		"五枚落ち": "2sgkgsn1/9" + below + "w", "左五枚落ち": "1nsgkgs2/9" + below + "w", "六枚落ち": "2sgkgs2/9" + below + "w",
		"左七枚落ち": "2sgkg3/9" + below + "w", "右七枚落ち": "3gkgs2/9" + below + "w", "八枚落ち": "3gkg3/9" + below + "w", "十枚落ち": "4k4/9" + below + "w",
	} {
		r := mustParse(t, "手合割："+name+"　\n手数----指手---------消費時間--\n")
		if got := r.Start.SFEN(); got != want+" - 1" {
			t.Errorf("%s: %s, want %s - 1", name, got, want)
		}
		// JKF has a name for each.
		if text := string(r.AppendJKF(nil)); strings.Contains(text, `"data"`) {
			t.Errorf("%s: no preset in %s", name, text)
		}
		checkRoundTrips(t, r)
	}
	// White, who gives the odds, moves first.
	if r := mustParse(t, "手合割：二枚落ち\n1 ６二銀(71)\n2 ７六歩(77)\n"); len(r.Moves()) != 2 {
		t.Errorf("moves %v", r.Moves())
	}
	// A game without 手合割 begins at the beginning.
	if r := mustParse(t, "1 ７六歩(77)\n2 ３四歩(33)\n"); r.Start.SFEN() != shogi.StartSFEN {
		t.Errorf("starts at %s", r.Start.SFEN())
	}
}

// White to move, and a position in the middle of a game.
func TestSideAndNumberKIF(t *testing.T) {
	board := strings.Replace(headGoldRows, "v玉", " 玉", 1)
	board = strings.Replace(board, " ・ ・ ・ ・ ・ ・ ・ ・ ・|九", " ・ ・ ・ ・v玉 ・ ・ ・ ・|九", 1)
	for name, text := range map[string]string{
		"後手番":     "後手の持駒：金\n" + board + "後手番\n",
		"手番：後手":   "後手の持駒：金\n" + board + "手番：後手\n",
		"a △":     "後手の持駒：金\n" + board + "△６八金\n",
		"手数＝":     "後手の持駒：金\n" + board + "手数＝33  ▲５三歩  まで\n後手番\n",
		"numbers": "後手の持駒：金\n" + board + "後手番\n  34 ６八金打\n",
	} {
		r := mustParse(t, text)
		want := 1
		if name == "手数＝" || name == "numbers" {
			want = 34
		}
		if r.Start.SideToMove() != shogi.White || r.Start.Ply() != want {
			t.Errorf("%s: %s", name, r.Start.SFEN())
		}
	}
}

// A block hangs under the nearest line before it that has the move before.
func TestVariations(t *testing.T) {
	r := mustParse(t, variationsKIF)
	var lines []string
	var walk func(n *notation.Node, line string)
	walk = func(n *notation.Node, line string) {
		if n.Move != shogi.NoMove {
			line += " " + n.Move.String()
		}
		line += strings.ToLower(string(n.End))
		if len(n.Next) == 0 {
			lines = append(lines, strings.TrimSpace(line))
		}
		for _, next := range n.Next {
			walk(next, line)
		}
	}
	walk(r.Root, "")
	want := []string{
		"2g2f 3c3d 2f2e 2b3c 7g7f 4c4d 3i4h 8b4b 5i6htoryo",
		"2g2f 3c3d 2f2e 2b3c 7g7f 4c4d 3i4h 8b4b 5g5f",
		"2g2f 3c3d 2f2e 2b3c 7g7f 3a2b 6i7h 4a3b 3i4h",
		"2g2f 3c3d 2f2e 2b3c 7g7f 3a2b 6i7h 4a3b 3i3h",
		"2g2f 3c3d 2f2e 2b3c 7g7f 4a3b",
		"7g7f 3c3d",
		"7g7f 8c8d",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("lines\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	checkRoundTrips(t, r)
	// They are written in the order in which they were read.
	var blocks []string
	for line := range strings.Lines(string(r.AppendKIF(nil))) {
		if strings.HasPrefix(line, "変化") {
			blocks = append(blocks, strings.TrimSpace(line))
		}
	}
	if want := []string{"変化：9手", "変化：6手", "変化：9手", "変化：6手", "変化：1手", "変化：2手"}; !slices.Equal(blocks, want) {
		t.Errorf("blocks %q, want %q", blocks, want)
	}
}

// The shape is that of an example at https://www.katsuda.net/ksb/test/kif.html.
const variationsKIF = `手合割：平手
   1 ２六歩(27)   ( 0:07/00:00:07)+
   2 ３四歩(33)
   3 ２五歩(26)
   4 ３三角(22)
   5 ７六歩(77)
   6 ４四歩(43)+
   7 ４八銀(39)
   8 ４二飛(82)
   9 ６八玉(59)+
  10 投了
まで9手で先手の勝ち

変化：9手
   9 ５六歩(57)

変化：6手
   6 ２二銀(31)+
   7 ７八金(69)
   8 ３二金(41)
   9 ４八銀(39)+

変化：9手
   9 ３八銀(39)

変化：6手
   6 ３二金(41)

変化：1手
   1 ７六歩(77)
   2 ３四歩(33)+

変化：2手
   2 ８四歩(83)
`

func TestCommentsAndTimes(t *testing.T) {
	r := mustParse(t, `作者：誰か
*始めに
**解析
1 ７六歩(77) ( 1:05/00:01:05)
*一手目
*二行目
&しおり
2 ３四歩(33) (75:30/01:15:30)
3 中断 ( 0:01/00:01:06)
*終わり
`)
	first := r.Root.Next[0]
	second := first.Next[0]
	end := second.Next[0]
	if got := fmt.Sprint(r.Root.Comments, first.Comments, first.Bookmark, first.Elapsed, second.Elapsed, end.End, end.Elapsed, end.Comments, r.Header); got !=
		"[始めに *解析] [一手目 二行目]しおり1m5s 1h15m30sCHUDAN1s [終わり] [{作者 誰か}]" {
		t.Error(got)
	}
	if first.Elapsed != 65*time.Second || !first.Timed {
		t.Errorf("elapsed %v", first.Elapsed)
	}
	checkRoundTrips(t, r)
	if text := string(r.AppendKIF(nil)); !strings.Contains(text, "( 0:01/00:01:06)") || !strings.Contains(text, "&しおり\n") {
		t.Errorf("totals or the bookmark are missing:\n%s", text)
	}
}

func TestEndings(t *testing.T) {
	for word, want := range map[string]notation.Ending{
		"投了": notation.Resigns, "中断": notation.Interrupted, "千日手": notation.Repeated, "持将棋": notation.Impasse, "詰み": notation.Mated, "詰": notation.Mated,
		"不詰": notation.NoMate, "切れ負け": notation.TimeUp, "反則勝ち": notation.IllegalAction, "反則負け": notation.IllegalMove, "入玉勝ち": notation.Declares,
		"不戦勝": "不戦勝", "封じ手": "封じ手",
	} {
		r := mustParse(t, "1 ７六歩(77)\n2 "+word+" ( 0:00/00:00:00)\n")
		if r.Ending() != want || len(r.Moves()) != 1 {
			t.Errorf("%s: %q after %d moves, want %q", word, r.Ending(), len(r.Moves()), want)
		}
		for _, w := range writers[:4] {
			if (w.format == notation.CSA || w.format == notation.JKF) && (word == "不戦勝" || word == "封じ手") {
				want = notation.Interrupted // they have no word for it
			}
			if got := mustParse(t, string(w.write(r))).Ending(); got != want {
				t.Errorf("%s comes back from %s as %q", word, w.name, got)
			}
		}
	}
	for text, want := range map[string]notation.Ending{
		"まで1手で先手の勝ち": notation.Resigns, "まで1手詰": notation.Mated, "まで1手で詰み": notation.Mated, "まで1手で千日手": notation.Repeated, "まで1手で中断": notation.Interrupted,
		"まで1手で時間切れにより先手の勝ち": notation.TimeUp, "まで1手で先手の反則負け": notation.IllegalAction, "まで1手で後手の反則負け": notation.IllegalMove,
		"まで1手で後手の反則勝ち": notation.IllegalAction, "まで1手で不詰": notation.NoMate, "まで1手で後手の投了": notation.Resigns, "まで1手で持将棋": notation.Impasse,
	} {
		if got := mustParse(t, "▲７六歩\n"+text+"\n").Ending(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestFaultsKIF: every fault has its line, its column in characters and its code.
// Shogi DB2 writes the end of a KI2 like a move.
func TestEndingsLikeMoves(t *testing.T) {
	for text, want := range map[string]notation.Ending{
		"▲７六歩 △投了\n":                    notation.Resigns,
		"▲７六歩△千日手\nまで1手で千日手\n":          notation.Repeated,
		"▲７六歩\n△詰\n":                    notation.Mated,
		"▲７六歩　△不戦敗　\n":                  "不戦敗",
		"▲７六歩 △中断\n\n変化：1手\n▲２六歩 △投了\n": notation.Interrupted,
	} {
		r := mustParse(t, text)
		if r.Format != notation.KI2 || r.Ending() != want || len(r.Moves()) != 1 {
			t.Errorf("%q: %q after %v, want %q", text, r.Ending(), r.Moves(), want)
		}
	}
	for text, want := range map[string]string{
		"手合割：平手\n▲７六歩 △投了 △３四歩\n": "2:11 after_end: found a move after 投了",
		"手合割：平手\n▲７六歩 △感想戦\n":     "2:7 move_syntax: found \"感想戦\"",
		"手合割：平手\n▲７六歩 ▲投了\n":      "2:6 side: ",
	} {
		err := refusal(notation.Parse([]byte(text), notation.Options{}))
		if err == nil {
			t.Errorf("%q was read", text)
		} else if got := strings.Join(faultsOf(t, err), "\n"); !strings.HasPrefix(got, want) {
			t.Errorf("%q gives %s, want %s", text, got, want)
		}
	}
}

func TestFaultsKIF(t *testing.T) {
	at := func(s, old, new string) string {
		t.Helper()
		if !strings.Contains(s, old) {
			t.Fatalf("%q is not in the text", old)
		}
		return strings.Replace(s, old, new, 1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"a stray line between moves", headGoldKIF + "1 ５二金打\nこれは何\n2 詰み\n", "16:1 syntax: found \"これは何\""},
		{"a stray line in the board", at(headGoldKIF, "|四\n", "|四\nこれは何\n"), "8:1 syntax: found \"これは何\""},
		{"a stray line like a hand", headGoldKIF + "持駒は飛です\n", "15:1 repeated: found a second hand"},
		{"a row too short", at(headGoldKIF, "| ・ ・ ・ ・ 歩 ・ ・ ・ ・|三", "| ・ ・ ・ ・ 歩 ・ ・ ・|三"), "6:18 board: row 3 has 8 squares, expected 9"},
		{"a row too long", at(headGoldKIF, "| ・ ・ ・ ・ 歩 ・ ・ ・ ・|三", "| ・ ・ ・ ・ 歩 ・ ・ ・ ・ ・|三"), "6:20 board: found \" ・|三\" after the ninth square"},
		{"a row missing", at(headGoldKIF, "| ・ ・ ・ ・ ・ ・ ・ ・ ・|九\n", ""), "11:1 board: found 8 rows"},
		{"a row too many", at(headGoldKIF, "|九\n", "|九\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|十\n"), "13:1 board: found a tenth row"},
		{"a wrong name of a row", at(headGoldKIF, "|四", "|五"), "7:21 board: found the name \"五\" of row 4"},
		{"a piece that is none", at(headGoldKIF, " 歩 ・ ・ ・ ・|三", " 犬 ・ ・ ・ ・|三"), "6:10 board: found \" 犬\" on file 5"},
		{"the board turned", at(headGoldKIF, "  ９ ８ ７ ６ ５ ４ ３ ２ １", "  １ ２ ３ ４ ５ ６ ７ ８ ９"), "2:3 board: found a board seen from White"},
		{"a hand of stones", at(headGoldKIF, "先手の持駒：金", "先手の持駒：石"), "14:7 hand: found \"石\""},
		{"a king in hand", at(headGoldKIF, "先手の持駒：金", "先手の持駒：金　玉"), "14:9 hand: found \"玉\""},
		{"none in hand", at(headGoldKIF, "先手の持駒：金", "先手の持駒：金〇"), "14:7 hand: found 0 of 金"},
		{"too many in hand", at(headGoldKIF, "先手の持駒：金", "先手の持駒：金五"), "14:7 hand_count: found \"5G\", expected a count from 1 to 4"},
		{"too many in all", at(headGoldKIF, "先手の持駒：金", "先手の持駒：金二"), "14:7 piece_count: found 5 golds"},
		{"a second hand", headGoldKIF + "先手の持駒：金\n", "15:1 repeated: found a second hand of black"},
		{"two rests", "先手の持駒：残り全部\n後手の持駒：残り全部\n" + headGoldRows, "2:7 hand: both hands have the rest"},
		{"two pawns on a file", at(headGoldKIF, "| ・ ・ ・ ・ ・ ・ ・ ・ ・|四", "| ・ ・ ・ ・ 歩 ・ ・ ・ ・|四"), "7:10 nifu: found a second black pawn on file 5"},
		{"a dead knight", at(headGoldKIF, "| ・ ・ ・ ・ ・ ・ ・ ・ ・|二", "| 桂 ・ ・ ・ ・ ・ ・ ・ ・|二"), "5:2 dead_piece"},
		{"the wrong side", headGoldKIF + "後手番\n1 ５二歩(53)\n", "16:3 move_mismatch: found a white 歩 moving from 5c, which holds a black 歩"},
		{"the side in check", at(at(headGoldKIF, "| ・ ・ ・ ・ 歩", "| ・ ・ ・ ・ ・"), "| ・ ・ ・ ・ ・ ・ ・ ・ ・|二", "| ・ ・ ・ ・ 歩 ・ ・ ・ ・|二") + "先手番\n", "15:1 opponent_in_check"},
		{"two sides to move", headGoldKIF + "先手番\n後手番\n", "16:1 side: found white to move, but it was black"},
		{"no side", headGoldKIF + "手番：北\n", "15:4 side: found \"北\""},
		{"no board", "手合割：その他\n1 ５二金打\n", "1:5 handicap: found \"その他\" and no board"},
		{"a hand without a board", "先手の持駒：金\n1 ５二金打\n", "2:1 no_board: found pieces in hand, but no board"},
		{"nothing", "作者：誰か\n", "1:1 no_board: found no diagram"},
		{"odds twice", "手合割：平手\n手合割：角落ち\n", "2:1 repeated: found a second 手合割"},
		{"a board after moves", headGoldKIF + "1 ５二金打\n先手の持駒：金\n", "16:1 syntax: found a hand after the first move"},
		{"a number left out", headGoldKIF + "1 ５二金打\n3 同玉(51)\n", "16:1 move_number: found move number 3, expected 2"},
		{"a number too large", headGoldKIF + "99999999999999999999 ５二金打\n", "15:1 move_number"},
		{"no rank", headGoldKIF + "1 ５金打\n", "15:4 move_syntax: found \"金打\" in a move, expected a rank"},
		{"no piece", headGoldKIF + "1 ５二打\n", "15:5 move_syntax: found \"打\" in a move, expected the name of a piece"},
		{"同 first", headGoldKIF + "1 同　金打\n", "15:3 move_syntax"},
		{"an empty origin", headGoldKIF + "1 ５二金(61)\n", "15:3 move_mismatch: found a black 金 moving from 6a, which is empty"},
		{"another piece", headGoldKIF + "1 ５二金(53)\n", "15:3 move_mismatch: found a black 金 moving from 5c, which holds a black 歩"},
		{"an illegal drop", headGoldKIF + "1 ５三金打\n", "15:3 illegal_move: G*5c is not legal: 5c is occupied"},
		{"not in hand", headGoldKIF + "1 ５二銀打\n", "15:3 illegal_move: S*5b is not legal: black has no silver in hand"},
		{"a contradiction", headGoldKIF + "1 ５二金打成\n", "15:3 move_syntax"},
		{"something after the move", headGoldKIF + "1 ５二金打 好手\n", "15:8 move_syntax: found \"好手\" after the move"},
		{"a move after the end", headGoldKIF + "1 詰み\n2 ５二金打\n", "16:3 after_end: found a move after 詰み"},
		{"a pass", headGoldKIF + "1 パス\n2 ５二玉(51)\n", "16:3 after_end: found a move after パス"},
		{"a variation of nothing", headGoldKIF + "1 ５二金打\n変化：3手\n3 同玉(51)\n", "16:1 variation: found a variation of move 3"},
		{"KI2, no mark", headGoldKIF + "▲５二金 同玉\n", "15:6 illegal_move: no 玉 of white can go to 5b"},
		{"KI2, the other side's mark", headGoldKIF + "先手番\n△５二金\n", "16:1 side: found a move of white, but black is to move"},
		{"KI2, no such piece", headGoldKIF + "▲５二銀\n", "15:2 illegal_move: no 銀 of black can go to 5b"},
		{"KI2, the words fit none", headGoldKIF + "▲５二歩右\n", "15:2 move_mismatch: no 歩 of black can go to 5b in this way"},
		{"several at once", at(at(headGoldKIF, "先手の持駒：金", "先手の持駒：石"), " 歩 ・ ・ ・ ・|三", " 犬 ・ ・ ・ ・|三"), "6:10 board: found \" 犬\" on file 5, expected a piece or ・\n14:7 hand: found \"石\""},
	} {
		err := refusal(notation.Parse([]byte(c.text), notation.Options{}))
		if err == nil {
			t.Errorf("%s: accepted", c.name)
			continue
		}
		if got := strings.Join(faultsOf(t, err), "\n"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestWhichPiece is about the words that tell pieces apart in KI2.
func TestWhichPiece(t *testing.T) {
	for _, c := range []struct{ sfen, move, want string }{
		{"4k4/9/9/9/9/9/3G1G3/9/4K4 b - 1", "▲５六金右", "4g5f"},
		{"4k4/9/9/9/9/9/3G1G3/9/4K4 b - 1", "▲５六金左", "6g5f"},
		{"4k4/9/9/9/9/3G5/4GG3/9/4K4 b - 1", "▲５六金寄", "6f5f"},
		{"4k4/9/9/9/9/3G5/4GG3/9/4K4 b - 1", "▲５六金直", "5g5f"},
		{"4k4/9/9/9/9/3G5/4GG3/9/4K4 b - 1", "▲５六金右上", "4g5f"},
		{"4k4/9/9/9/9/3G5/4GG3/9/4K4 b - 1", "▲５六金行右", "4g5f"},
		{"4k4/9/9/9/4S4/9/3S5/9/4K4 b - 1", "▲５六銀上", "6g5f"},
		{"4k4/9/9/9/3S5/9/3S5/9/4K4 b - 1", "▲５六銀引", "6e5f"},
		{"4k4/9/9/9/3S5/9/3S5/9/4K4 b - 1", "▲５六銀左上", "6g5f"},
		{"4k4/9/9/9/9/9/2+B3+B2/9/4K4 b - 1", "▲５五馬左", "7g5e"},
		{"4k4/9/9/9/9/9/2+B3+B2/9/4K4 b - 1", "▲５五馬右", "3g5e"},
		// Both horses are to the right of the square: the left one is meant.
		{"4k4/9/9/9/9/7+B1/6+B2/9/4K4 b - 1", "▲４七馬左", "3g4g"},
		{"4k4/9/9/9/9/9/3G1G3/9/4K4 b G 1", "▲５六金打", "G*5f"},
		{"4k4/9/9/9/9/9/9/9/4K4 b G 1", "▲５六金", "G*5f"},
		{"4k4/9/3P5/9/9/9/9/9/4K4 b - 1", "▲６二歩成", "6c6b+"},
		{"4k4/9/3P5/9/9/9/9/9/4K4 b - 1", "▲６二歩不成", "6c6b"},
		{"4k4/9/3P5/9/9/9/9/9/4K4 b - 1", "▲６二歩生", "6c6b"},
		{"4k4/3P5/9/9/9/9/9/9/4K4 b - 1", "▲６一歩", "6b6a+"}, // it has to
		{"6k2/9/3+P5/9/9/9/9/9/4K4 b - 1", "▲５二と", "6c5b"},
		{"4k4/9/9/9/9/9/3g1g3/9/4K4 w - 1", "△５八金右", "6g5h"},
		{"4k4/9/9/9/9/9/3g1g3/9/4K4 w - 1", "▽５八金左", "4g5h"},
		{"4k4/9/9/9/9/9/3G1G3/9/4K4 b - 1", "▲５六金", "move_ambiguous"},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		text := string(notation.AppendBOD(nil, &p)) + c.move + "\n"
		r, err := notation.Parse([]byte(text), notation.Options{})
		got := ""
		if err = refusal(r, err); err != nil {
			got = err.(*notation.Error).Faults[0].Code
		} else {
			got = r.Moves()[0].String()
		}
		if got != c.want {
			t.Errorf("%s in %s: %s, want %s (%v)", c.move, c.sfen, got, c.want, err)
		}
	}
}

// A text of the largest size is read in time proportional to it, however its lines are: these took
// minutes when each piece counted the characters before it, and the test would take as long again.
func TestLongLines(t *testing.T) {
	const n = notation.MaxBytes - 100
	for name, text := range map[string]string{
		"a hand":        "手合割：平手\n先手の持駒：" + strings.Repeat("歩", n/len("歩")),
		"single pieces": "P+" + strings.Repeat("00FU", n/4) + "\n+\n",
		"statements":    "PI\n+\n" + strings.Repeat("+5958OU,-5152OU,+5859OU,-5251OU,", notation.MaxMoves/4),
		"moves":         strings.Repeat("▲５八玉△５二玉▲５九玉△５一玉", notation.MaxMoves/4),
		"times":         "1 ７六歩(77)" + strings.Repeat("(0:1)", n/5),
		"references":    strings.Repeat("&#65;", n/5),
	} {
		r, err := notation.Parse([]byte(text), notation.Options{})
		if good := name == "statements" || name == "moves" || name == "times"; good != (err == nil) {
			t.Errorf("%s: %v, %v", name, r != nil, err)
		}
	}
}

func TestLimits(t *testing.T) {
	long := "手合割：平手\n" + strings.Repeat("*x\n", notation.MaxBytes/3)
	if _, err := notation.Parse([]byte(long), notation.Options{}); err == nil || !strings.Contains(err.Error(), "expected at most 1048576") {
		t.Errorf("%d bytes: %v", len(long), err)
	}
	// Kings that go to and fro for ever.
	var many strings.Builder
	many.WriteString("手合割：平手\n")
	cycle := []string{"５八玉(59)", "５二玉(51)", "５九玉(58)", "５一玉(52)"}
	for i := range notation.MaxMoves + 1 {
		fmt.Fprintf(&many, "%d %s\n", i+1, cycle[i%4])
	}
	if _, err := notation.Parse([]byte(many.String()), notation.Options{}); err == nil || !strings.Contains(err.Error(), "more than 20000 moves") {
		t.Errorf("%d moves: %v", notation.MaxMoves+1, err)
	}
	var deep strings.Builder
	deep.WriteString("手合割：平手\n")
	for i := range notation.MaxDepth + 2 {
		fmt.Fprintf(&deep, "%d %s\n%d %s\n変化：%d手\n", i+1, cycle[i%4], i+2, cycle[(i+1)%4], i+2)
	}
	if _, err := notation.Parse([]byte(deep.String()), notation.Options{}); err == nil || !strings.Contains(err.Error(), "variations in each other") {
		t.Errorf("%d variations in each other: %v", notation.MaxDepth+2, err)
	}
}
