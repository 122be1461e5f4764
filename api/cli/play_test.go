package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/play"
)

func TestReadMove(t *testing.T) {
	const (
		start = shogi.StartSFEN
		// A bishop that may promote, two golds, pieces in hand, and a pawn that has to promote.
		middle = "4k4/6P2/3s5/9/9/9/5B3/4G1G2/4K4 b RBP 1"
	)
	for _, tt := range []struct {
		sfen, text string
		want       string // the move, or a part of what is said
	}{
		{start, "2726", "2g2f"}, {start, "2726FU", "2g2f"}, {start, "+2726FU", "2g2f"}, {start, "２７２６", "2g2f"},
		{start, "FU26", "2g2f"}, {start, "fu26", "2g2f"}, {start, "ＦＵ２６", "2g2f"},
		{start, "2g2f", "2g2f"}, {start, "2G2F", "2g2f"}, {start, "▲２六歩", "2g2f"}, {start, "2六歩", "2g2f"},
		{start, "2725", "2g2e is not legal: the pawn on 2g cannot go to 2e"},
		{start, "2525", "2e2e is not legal: it is no move"},
		{start, "3334", "there is no black piece on 3c but a white pawn"},
		{start, "FU25", "no FU of black can go to 25"},
		{start, "KA44", "8h4d is not legal: the bishop on 8h cannot go to 4d past the piece on 7g"},
		{start, "HI38", "2h3h"}, {start, "KI58", "which? 4958 (▲５八金右), 6958 (▲５八金左)"}, {start, "4958", "4i5h"},
		{start, "5８金", "can all go to 5h"}, {start, "５八金右", "4i5h"}, {start, "△３四歩", "found a move of white"},
		{start, "XX26", `found "XX", expected a piece: FU KY`}, {start, "2726XX", `found "XX", expected a piece`},
		{start, "2726KY", "the piece on 27 is a FU"}, {start, "FU*26", "black has no pawn in hand"}, {start, "OU*26", "a OU cannot be dropped"},
		{start, "0055KA", "black has no bishop in hand"}, {start, "0055", "a drop has a piece"}, {start, "TO23", "black has no TO"},
		{start, "hello", `found "hello", expected a move such as`}, {start, "1", "expected a rank"},
		{start, strings.Repeat("x", 1000), "xxx…"},
		{middle, "4714", "4g1d"}, {middle, "4774+", "cannot promote"},
		{middle, "4792+", "4g9b+"}, {middle, "4792=", "4g9b"}, {middle, "4792", "which? 4792+ (▲９二角成), 4792= (▲９二角不成)"},
		{middle, "4792UM", "4g9b+"}, {middle, "4792KA", "4g9b"}, {middle, "UM92", "4g9b+"},
		{middle, "KA92", "which? 0092KA (▲９二角打), 4792+ (▲９二角成), 4792= (▲９二角不成)"},
		{middle, "KA92+", "4g9b+"}, {middle, "KA92=", "4g9b"}, {middle, "KA*92", "B*9b"}, {middle, "B*9b", "B*9b"}, {middle, "b*9b", "B*9b"},
		{middle, "HI55", "R*5e"}, {middle, "0055HI", "R*5e"}, {middle, "0055TO", "a drop has a piece that can be held"},
		{middle, "0032FU", "3b is occupied"}, {middle, "FU33", "nifu"}, {middle, "3231", "3b3a+"}, {middle, "FU31", "3b3a+"},
		{middle, "3231=", "must promote"}, {middle, "KI47", "a black piece stands"}, {middle, "TO31", "3b3a+"},
	} {
		p := shogi.MustParseSFEN(tt.sfen)
		m, err := readMove(tt.text, &p, shogi.NoSquare)
		got := m.String()
		if err != nil {
			got = why(err).Error()
		}
		if err == nil && got != tt.want || err != nil && !strings.Contains(got, tt.want) {
			t.Errorf("%s in %s: %s, want %s", tt.text, tt.sfen, got, tt.want)
		}
		if err == nil && !p.IsLegal(m) {
			t.Errorf("%s in %s: %v is not legal", tt.text, tt.sfen, m)
		}
	}
}

// Whatever is typed, the move is legal or there is a reason.
func FuzzReadMove(f *testing.F) {
	for _, seed := range []string{"2726", "FU26+", "KA*55", "▲２六歩", "同銀成", "0055KA", "+", "", "　", "\xff"} {
		f.Add(seed)
	}
	p := shogi.MustParseSFEN("4k4/6P2/3s5/9/9/9/5B3/4G1G2/4K4 b RBP 1")
	f.Fuzz(func(t *testing.T, text string) {
		if text = strings.TrimSpace(text); text == "" {
			return
		}
		if m, err := readMove(text, &p, shogi.NoSquare); err == nil && !p.IsLegal(m) {
			t.Errorf("%q: %v is not legal", text, m)
		} else if err != nil && why(err).Error() == "" {
			t.Errorf("%q is refused without a reason", text)
		}
	})
}

func TestEcho(t *testing.T) {
	for _, tt := range []struct{ sfen, move, want string }{
		{"lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2", "3c3d", "[P2][FU (3,3) => (3,4)]"},
		{"lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3", "8h2b+", "[P1][KA (8,8) => (2,2) promotes to UM takes KA]"},
		{"4k4/9/9/9/9/9/9/9/4K4 b G 1", "G*5b", "[P1][KI hand => (5,2) check]"},
		{"4k4/9/9/9/9/9/9/K8/5+r3 w - 1", "4i3h", "[P2][RY (4,9) => (3,8) check]"},
	} {
		p := shogi.MustParseSFEN(tt.sfen)
		m, err := shogi.ParseMove(tt.move)
		if err != nil {
			t.Fatal(err)
		}
		if got := echo(&p, m); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.move, got, tt.want)
		}
	}
}

func TestAppendBoard(t *testing.T) {
	p := shogi.MustParseSFEN("lnsgkgsnl/1r5b1/1ppppp1p1/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL w B2p 2")
	for _, tt := range []struct {
		form    string
		flipped bool
		want    string
	}{
		{"none", false, ""},
		{"csa", false, `P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
P2 * -HI *  *  *  *  * -KA * 
P3 * -FU-FU-FU-FU-FU * -FU * 
P4 *  *  *  *  *  * -FU *  * 
P5 *  *  *  *  *  *  *  *  * 
P6 *  * +FU *  *  *  *  *  * 
P7+FU+FU * +FU+FU+FU+FU+FU+FU
P8 *  *  *  *  *  *  * +HI * 
P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
P+00KA
P-00FU00FU
-
`},
		{"csa", true, `P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
P8 * +HI *  *  *  *  *  *  * 
P7+FU+FU+FU+FU+FU+FU * +FU+FU
P6 *  *  *  *  *  * +FU *  * 
P5 *  *  *  *  *  *  *  *  * 
P4 *  * -FU *  *  *  *  *  * 
P3 * -FU * -FU-FU-FU-FU-FU * 
P2 * -KA *  *  *  *  * -HI * 
P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
P+00KA
P-00FU00FU
-
`},
		{"grid", false, `[P2]{FU: 2, KY: 0, KE: 0, GI: 0, KI: 0, KA: 0, HI: 0}
  9    8    7    6    5    4    3    2    1  
 -KY  -KE  -GI  -KI  -OU  -KI  -GI  -KE  -KY  1
 ...  -HI  ...  ...  ...  ...  ...  -KA  ...  2
 ...  -FU  -FU  -FU  -FU  -FU  ...  -FU  ...  3
 ...  ...  ...  ...  ...  ...  -FU  ...  ...  4
 ...  ...  ...  ...  ...  ...  ...  ...  ...  5
 ...  ...  +FU  ...  ...  ...  ...  ...  ...  6
 +FU  +FU  ...  +FU  +FU  +FU  +FU  +FU  +FU  7
 ...  ...  ...  ...  ...  ...  ...  +HI  ...  8
 +KY  +KE  +GI  +KI  +OU  +KI  +GI  +KE  +KY  9
[P1]{FU: 0, KY: 0, KE: 0, GI: 0, KI: 0, KA: 1, HI: 0}
`},
		{"grid", true, `[P1]{FU: 0, KY: 0, KE: 0, GI: 0, KI: 0, KA: 1, HI: 0}
  1    2    3    4    5    6    7    8    9  
 +KY  +KE  +GI  +KI  +OU  +KI  +GI  +KE  +KY  9
 ...  +HI  ...  ...  ...  ...  ...  ...  ...  8
 +FU  +FU  +FU  +FU  +FU  +FU  ...  +FU  +FU  7
 ...  ...  ...  ...  ...  ...  +FU  ...  ...  6
 ...  ...  ...  ...  ...  ...  ...  ...  ...  5
 ...  ...  -FU  ...  ...  ...  ...  ...  ...  4
 ...  -FU  ...  -FU  -FU  -FU  -FU  -FU  ...  3
 ...  -KA  ...  ...  ...  ...  ...  -HI  ...  2
 -KY  -KE  -GI  -KI  -OU  -KI  -GI  -KE  -KY  1
[P2]{FU: 2, KY: 0, KE: 0, GI: 0, KI: 0, KA: 0, HI: 0}
`},
		{"diagram", true, `先手の持駒：角　
  １ ２ ３ ４ ５ ６ ７ ８ ９
+---------------------------+
|v香v桂v銀v金v玉v金v銀v桂v香|九
| ・v飛 ・ ・ ・ ・ ・ ・ ・|八
|v歩v歩v歩v歩v歩v歩 ・v歩v歩|七
| ・ ・ ・ ・ ・ ・v歩 ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ 歩 ・ ・ ・ ・ ・ ・|四
| ・ 歩 ・ 歩 歩 歩 歩 歩 ・|三
| ・ 角 ・ ・ ・ ・ ・ 飛 ・|二
| 香 桂 銀 金 玉 金 銀 桂 香|一
+---------------------------+
後手の持駒：歩二　
後手番
`},
	} {
		if got := string(appendBoard(nil, &p, tt.form, tt.flipped)); got != tt.want {
			t.Errorf("%s, flipped %v:\n%s\nwant\n%s", tt.form, tt.flipped, got, tt.want)
		}
	}
}

// A scripted engine plays moves in order, and then the first legal one.
type scripted struct {
	moves    []string
	declares bool
	games    int
}

func (s *scripted) NewGame() { s.games++ }

func (s *scripted) Search(ctx context.Context, g *shogi.Game, _ play.Limits, _ func(play.Info)) play.Choice {
	p := g.Position()
	var buf shogi.MoveBuffer
	c := play.Choice{Move: p.LegalMoves(&buf, shogi.AllMoves)[0], Score: 120, Declares: s.declares}
	if len(s.moves) > 0 {
		c.Move, _ = shogi.ParseMove(s.moves[0])
		s.moves = s.moves[1:]
	}
	return c
}

// playGame plays a game and returns what was said.
func playGame(t *testing.T, o PlayOptions, position, typed string) string {
	t.Helper()
	g, err := shogi.ParsePosition(position)
	if err != nil {
		t.Fatal(err)
	}
	o.Start, o.Names = g, [2]string{"B", "W"}
	if o.Board == "" {
		o.Board = "none"
	}
	var out bytes.Buffer
	if err := Play(t.Context(), o, strings.NewReader(typed), &out); err != nil {
		t.Fatal(err)
	}
	_, said, _ := strings.Cut(out.String(), "\n") // without the introduction
	return said
}

func TestPlay(t *testing.T) {
	grid := func(cell string, pawns int) string {
		p := shogi.MustParseSFEN("4k4/9/9/9/4P4/9/9/9/4K4 b P 1")
		text := strings.Replace(string(appendGrid(nil, &p, false)), "+FU", cell, 1)
		return strings.Replace(text, "FU: 1", fmt.Sprint("FU: ", pawns), 1)
	}
	engine := func(moves ...string) [2]play.Engine { return [2]play.Engine{nil, &scripted{moves: moves}} }
	limit := func(n int) play.Limits { return play.Limits{Rules: play.Rules{MaxMoves: n}} }
	for _, tt := range []struct {
		name            string
		o               PlayOptions
		position, typed string
		want            string
	}{
		{"a move, its reply, and leaving", PlayOptions{Players: engine("3c3d")}, "startpos", "7776\n\n# a comment\nquit\n",
			"1. ▲７六歩 7g7f\n2. △３四歩 3c3d\n[P2][FU (3,3) => (3,4)]\nleft after 2 moves\n"},
		{"the end of the input", PlayOptions{Players: engine()}, "startpos", "", "the input has ended after 0 moves\n"},
		{"two persons at a grid", PlayOptions{Board: "grid"}, "4k4/9/9/9/9/9/9/9/4K4 b P 1", "FU55\nresign\n",
			grid("...", 1) + "1. ▲５五歩 P*5e\n[P1][FU hand => (5,5)]\n" + grid("+FU", 0) +
				"white resigns: black has won\n"},
		{"two persons", PlayOptions{}, "startpos", "7776\n3334\n8822\n8822+\n同銀\nresign\n",
			"1. ▲７六歩 7g7f\n2. △３四歩 3c3d\nwhich? 8822+ (▲２二角成), 8822= (▲２二角不成)\n" +
				"3. ▲２二角成 8h2b+\n4. △同　銀 3a2b\nblack resigns: white has won\n"},
		{"taken back", PlayOptions{Players: engine("3c3d", "8c8d")}, "startpos", "undo\n7776\nundo\n2726\nundo\nundo\nresign\n",
			"there is no move of yours to take back\n1. ▲７六歩 7g7f\n2. △３四歩 3c3d\n[P2][FU (3,3) => (3,4)]\ntaken back: 2 moves\n" +
				"1. ▲２六歩 2g2f\n2. △８四歩 8c8d\n[P2][FU (8,3) => (8,4)]\ntaken back: 2 moves\n" +
				"there is no move of yours to take back\nblack resigns: white has won\n"},
		{"taken back between persons", PlayOptions{}, "startpos", "7776\nundo\nundo\nresign\n",
			"1. ▲７六歩 7g7f\ntaken back: 1 move\nthere is no move of yours to take back\nblack resigns: white has won\n"},
		{"a hint", PlayOptions{Players: engine(), Hint: &scripted{moves: []string{"2g2f"}}}, "startpos", "hint\nresign\n",
			"hint: ▲２六歩 2g2f; the engine's opinion: +120 centipawns\nblack resigns: white has won\n"},
		{"nobody to ask", PlayOptions{}, "startpos", "hint\nsave\nresign\n",
			"there is nobody to ask\nsave needs a file: save game.kif\nblack resigns: white has won\n"},
		{"mate", PlayOptions{}, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "KI52\n", "1. ▲５二金 G*5b\nblack has won: white is mated (詰み)\n"},
		{"no move", PlayOptions{}, "8k/9/7G1/9/9/9/9/9/K6L1 b - 1", "2313\n",
			"1. ▲１三金 2c1c\nblack has won: white has no legal move\n"},
		{"repetition", PlayOptions{}, "4k4/9/9/9/9/9/9/9/4K4 b - 1", strings.Repeat("5i4h\n5a4b\n4h5i\n4b5a\n", 3), "drawn by repetition (千日手): the position has occurred four times\n"},
		{"perpetual check", PlayOptions{}, "4k4/9/9/9/9/9/9/9/K4R3 b - 1", strings.Repeat("4i5i\n5a4a\n5i4i\n4a5a\n", 3),
			"white has won: black has repeated the position by checks alone (連続王手の千日手)\n"},
		{"the limit", PlayOptions{Limits: limit(2)}, "startpos", "7776\n3334\n2726\n",
			"1. ▲７六歩 7g7f\n2. △３四歩 3c3d\ndrawn: move 2 was the last (最大手数)\n"},
		{"no declaration", PlayOptions{}, "startpos", "declare\nresign\n", "black cannot declare a win here\nblack resigns: white has won\n"},
		{"a declaration", PlayOptions{}, "+P+P+P+PK+P+P+P+P/+P+P7/9/9/9/9/9/9/4k4 b 2R2B 1", "declare\n", "black declares its win (入玉宣言)\n"},
		{"an engine's declaration", PlayOptions{Players: [2]play.Engine{&scripted{declares: true}, nil}},
			"+P+P+P+PK+P+P+P+P/+P+P7/9/9/9/9/9/9/4k4 b 2R2B 1", "", "black declares its win (入玉宣言)\n"},
		{"two engines", PlayOptions{Players: [2]play.Engine{&scripted{moves: []string{"G*5b"}}, &scripted{}}}, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "",
			"1. ▲５二金 G*5b\n[P1][KI hand => (5,2) check]\nblack has won: white is mated (詰み)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := playGame(t, tt.o, tt.position, tt.typed)
			if got != tt.want && !strings.HasSuffix(got, tt.want) && !strings.HasPrefix(got, tt.want) {
				t.Errorf("said\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// The board is drawn before each move of a person, and at the end, and on request.
func TestPlayBoard(t *testing.T) {
	got := playGame(t, PlayOptions{Board: "csa", Players: [2]play.Engine{nil, &scripted{}}}, "startpos", "9998\n7776\nboard\nflip\nresign\n")
	if n := strings.Count(got, "P1-KY"); n != 5 { // before moves 1, 3 and 5, by board, by flip
		t.Errorf("%d boards in\n%s", n, got)
	}
	got = playGame(t, PlayOptions{Board: "csa", Players: [2]play.Engine{&scripted{}, nil}}, "startpos", "resign\n")
	if first := strings.SplitN(got, "\n", 4)[2]; !strings.HasPrefix(first, "P9") {
		t.Errorf("White sees %s first in\n%s", first, got)
	}
}

// However a game ends, it is saved, with the moves that were not taken back.
func TestPlayRecord(t *testing.T) {
	for _, tt := range []struct {
		file, position, typed string
		format                notation.Format
		moves                 string
		end                   notation.Ending
	}{
		{"a.kif", "startpos", "7776\n3334\nresign\n", notation.KIF, "7g7f 3c3d", notation.Resigns},
		{"a.csa", "startpos", "7776\n3334\nundo\n8384\n", notation.CSA, "7g7f 8c8d", notation.Interrupted},
		{"a.ki2", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "KI52\n", notation.KI2, "G*5b", notation.Mated},
		{"a.JKF", "startpos moves 7g7f", "3334\nquit\n", notation.JKF, "7g7f 3c3d", notation.Interrupted},
		{"a.txt", "4k4/9/9/9/9/9/9/9/K4R3 b - 1", strings.Repeat("4i5i\n5a4a\n5i4i\n4a5a\n", 3), notation.KIF,
			strings.TrimSpace(strings.Repeat("4i5i 5a4a 5i4i 4a5a ", 3)), notation.IllegalMove},
	} {
		path := filepath.Join(t.TempDir(), tt.file)
		said := playGame(t, PlayOptions{Record: path}, tt.position, tt.typed)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v after\n%s", err, said)
		}
		r, err := notation.Parse(data, notation.Options{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		if got := strings.Trim(fmt.Sprint(r.Moves()), "[]"); got != tt.moves || r.Ending() != tt.end || r.Format != tt.format ||
			r.Get("先手") != "B" {
			t.Errorf("%s: %v %s %s by %s, want %v %s %s", tt.file, r.Format, got, r.Ending(), r.Get("先手"), tt.format, tt.moves, tt.end)
		}
		if !strings.Contains(said, "saved in "+path) {
			t.Errorf("not a word of %s in\n%s", path, said)
		}
	}
	path := filepath.Join(t.TempDir(), "no such folder", "a.kif")
	said := playGame(t, PlayOptions{}, "startpos", "save "+path+"\nresign\n")
	if !strings.Contains(said, "not saved: ") {
		t.Error(said)
	}
	g := shogi.NewGame(shogi.Start())
	if err := Play(t.Context(), PlayOptions{Start: g, Record: path}, strings.NewReader(""), io.Discard); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a game that cannot be saved: %v", err)
	}
}

// An interrupt ends a game in which somebody types, and one in which an engine thinks.
func TestPlayInterrupted(t *testing.T) {
	for name, players := range map[string][2]play.Engine{"typing": {}, "thinking": {&endlessPlayer{}, nil}} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, cancel)
			r, w := io.Pipe()
			defer w.Close()
			path := filepath.Join(t.TempDir(), "a.kif")
			err := Play(ctx, PlayOptions{Start: shogi.NewGame(shogi.Start()), Players: players, Record: path}, r, io.Discard)
			if !errors.Is(err, ErrInterrupted) {
				t.Error(err)
			}
			if data, err := os.ReadFile(path); err != nil || !bytes.Contains(data, []byte("中断")) {
				t.Errorf("%v, the record:\n%s", err, data)
			}
		})
	}
}

// An endlessPlayer thinks until it is stopped.
type endlessPlayer struct{ scripted }

func (e *endlessPlayer) Search(ctx context.Context, g *shogi.Game, lim play.Limits, report func(play.Info)) play.Choice {
	<-ctx.Done()
	return e.scripted.Search(ctx, g, lim, report)
}

// An engine that chooses nonsense ends the program with an error.
func TestPlayIllegalChoice(t *testing.T) {
	o := PlayOptions{Start: shogi.NewGame(shogi.Start()), Players: [2]play.Engine{&scripted{moves: []string{"5e5d"}}}, Names: [2]string{"X"}}
	err := Play(t.Context(), o, strings.NewReader(""), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "X chose 5e5d") {
		t.Error(err)
	}
}

// A failing output ends the game.
func TestPlayOutputFails(t *testing.T) {
	o := PlayOptions{Start: shogi.NewGame(shogi.Start())}
	full := errors.New("full")
	r, w := io.Pipe()
	r.CloseWithError(full)
	if err := Play(t.Context(), o, strings.NewReader("7776\n"), w); !errors.Is(err, full) {
		t.Error(err)
	}
}
