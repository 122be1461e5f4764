package notation_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi/notation"
)

// TestNoBoard: what has no diagram is about no position, whoever asks for what.
func TestNoBoard(t *testing.T) {
	for _, text := range []string{
		"▲５二金", "☗３四角 ☖１一玉", "１二飛打", "12飛", "▲", "△", "△３四歩", "▲７六歩△３四歩▲９九金", "▲１八飛△１二玉▲２八飛",
		"▲１二飛△２一玉▲３二銀\nまで3手で詰み\n", "作品名：煙\n作者：誰か\n\n▲１二飛 △２一玉\n", "正解：12飛、21玉、32銀まで3手詰",
		"R*1b 1a2a S*3b", "7g7f 3c3d",
		"   1 ５二金打     ( 0:00/00:00:00)\n", "手数----指手---------消費時間--\n   1 投了\n",
		"開始日時：2024/01/01\n先手：甲\n後手：乙\n手数----指手---------消費時間--\n   1 １二飛打\n   2 詰み\n",
		"*局面がありません\n", "&しおり\n", "作者：誰か\n", "先手番\n", "持駒：金\n▲５二金\n", "先手：甲\nまで3手で詰み\n",
		"+", "-", "'comment\n+\n", "+0052KI\n", "-3334FU\n", "後手番\n△３四歩", "V2.2\nN+A\nN-B\n+\n%CHUDAN\n", "PI\n+\n/\n+\n",
		`{"moves":[{}]}`, `{"header":{"先手":"甲"},"moves":[{"comments":["x"]}]}`,
		`{"header":{},"moves":[{},{"move":{"to":{"x":5,"y":2},"piece":"KI"}}]}`,
		"<p>正解</p><pre>▲５二金まで</pre>",
	} {
		for _, opts := range []notation.Options{{}} {
			records, err := notation.ParseAll([]byte(text), opts)
			var e *notation.Error
			if !errors.As(err, &e) || len(e.Faults) != 1 || e.Faults[0].Code != notation.CodeNoBoard {
				t.Errorf("%q, %+v: %v, %v", text, opts, records, err)
				continue
			}
			m := e.Faults[0].Msg
			if !regexp.MustCompile("no (diagram|board)").MatchString(m.String()) ||
				!regexp.MustCompile("図面|盤面").MatchString(m.Japanese()) {
				t.Errorf("%q: %s, %s", text, m, m.Japanese())
			}
		}
	}
}

// TestGames: a game begins where one does if it says so, or if it is one.
func TestGames(t *testing.T) {
	for text, moves := range map[string]int{
		"▲７六歩": 1, "▲７六歩△３四歩": 2, "   1 ７六歩(77)\n   2 投了\n": 1, "+7776FU\n-3334FU\n": 2,
		"先手：甲\n後手：乙\n\n▲２六歩△８四歩\nまで2手で中断\n": 2, `{"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}}]}`: 1,
		"手合割：平手\n": 0, "手合割：平手\n▲５二金\n": 0, "PI\n+\n": 0, "startpos": 0, `{"initial":{"preset":"HIRATE"},"moves":[{}]}`: 0,
		`{"header":{"手合割":"平手　　"},"moves":[{}]}`: 0,
		// Four moves are a game; what comes then is a fault of a move.
		"▲７六歩△３四歩▲２六歩△８四歩▲５二金": 4,
	} {
		r, err := notation.Parse([]byte(text), notation.Options{})
		if err != nil || len(r.Moves()) != moves || r.Start.SFEN() != "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1" {
			t.Errorf("%q: %v, want %d moves from the start position", text, err, moves)
		}
	}
	r, err := notation.Parse([]byte(`{"header":{"手合割":"二枚落ち"},"moves":[{}]}`), notation.Options{})
	if err != nil || !strings.HasPrefix(r.Start.SFEN(), "lnsgkgsnl/9/") {
		t.Errorf("a handicap in the header of a JKF: %v", err)
	}
}

// TestForeignGames: the games that other programs have written are read without 手合割, too.
func TestForeignGames(t *testing.T) {
	start := map[string]*regexp.Regexp{
		"kif": regexp.MustCompile("手合割.*\n"), "ki2": regexp.MustCompile("手合割.*\n"),
		"csa": regexp.MustCompile(`(?m)^P.*\n`), "jkf": regexp.MustCompile(`"initial":\{"preset":"HIRATE"\},?|"手合割":"[^"]*",?`)}
	for _, name := range []string{"game1", "game2"} {
		for _, program := range []string{"tsshogi", "ours"} {
			for ending, stated := range start {
				file := "testdata/witness/" + name + "." + program + "." + ending
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				bare := stated.ReplaceAll(data, nil)
				if ending == "kif" || ending == "ki2" {
					bare = bare[max(0, strings.LastIndex(string(bare), "\n+-")):] // and no board
				}
				if len(bare) == len(data) {
					t.Fatalf("%s says nowhere how it begins", file)
				}
				r := mustParse(t, string(bare))
				if want := mustParse(t, string(data)); r.Start != want.Start || !slices.Equal(r.Moves(), want.Moves()) {
					t.Errorf("%s: %d moves, want %d", file, len(r.Moves()), len(want.Moves()))
				}
			}
		}
	}
}
