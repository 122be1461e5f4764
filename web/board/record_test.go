package board_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/solvertest"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// A found is what the board makes of a text.
type found struct {
	SFEN, Moves, Caption, Author, Source, Plies, Fault string
	Thrown                                             string // what cannot be read
	NoBoard                                            bool
	Count                                              int // of the records
}

// readRecords has the board's reader read texts: of each it returns the first record.
func readRecords(t *testing.T, s *service, texts []string) []found {
	t.Helper()
	p := s.open(t, browsertest.Screen{}, `controls="none"`)
	data, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	return browsertest.Eval[[]found](p, fmt.Sprintf(`import("%s/embed-record.js").then(({ records }) => %s.map((text) => {
		try { const all = records(text); return { ...all[0], Count: all.length } } catch (e) { return { Thrown: String(e) } }
	}))`, s.url, data))
}

// playRandomly returns a record of so many legal moves.
func playRandomly(rng *rand.Rand, start shogi.Position, plies int) *notation.Record {
	p := start
	var moves []shogi.Move
	var buffer shogi.MoveBuffer
	for range plies {
		legal := p.LegalMoves(&buffer, shogi.AllMoves)
		if len(legal) == 0 {
			break
		}
		m := legal[rng.IntN(len(legal))]
		p.Do(m)
		moves = append(moves, m)
	}
	return notation.NewRecord(start, moves, "")
}

// The board reads records as package notation does: those it writes, of games and problems, and
// those of other programs.
func TestRecordsAreReadAsInGo(t *testing.T) {
	const every = 8 // of the problems is read: the browser's rules are slow
	s := serve(t)
	var texts, names []string
	add := func(name, text string) { names, texts = append(names, name), append(texts, text) }
	rng := rand.New(rand.NewPCG(7, 11))
	write := func(name string, r *notation.Record) {
		add(name+" KIF", string(r.AppendKIF(nil)))
		add(name+" KI2", string(r.AppendKI2(nil)))
		add(name+" CSA", string(r.AppendCSA(nil)))
		add(name+" KIF, CR LF", strings.ReplaceAll(string(r.AppendKIF(nil)), "\n", "\r\n"))
		add(name+" BOD", string(notation.AppendBOD(nil, &r.Start)))
		add(name+" SFEN", string(r.AppendUSI(nil)))
	}
	write("game", playRandomly(rng, shogi.Start(), 120))
	for i, k := range solvertest.Positions(t) {
		if i%every == 0 {
			write(fmt.Sprint("problem ", i), playRandomly(rng, k.Position, 8))
		}
	}
	files, err := filepath.Glob("../../shogi/notation/testdata/witness/*.k*")
	more, _ := filepath.Glob("../../shogi/notation/testdata/witness/*.csa")
	if files = append(files, more...); err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if strings.Contains(file, ".jkf-of.") { // which are JSON
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		add(filepath.Base(file), string(data))
	}
	longest := 0
	for i, got := range readRecords(t, s, texts) {
		want, err := notation.Parse([]byte(texts[i]), notation.Options{})
		if err != nil {
			t.Fatalf("%s: %v", names[i], err)
		}
		start, err := shogi.ParseSFEN(got.SFEN)
		if err != nil || !start.SamePosition(&want.Start) {
			t.Errorf("%s: the position is %q (%v, thrown %q), want %s", names[i], got.SFEN, err, got.Thrown, want.Start.SFEN())
			continue
		}
		var moves []string
		for _, m := range want.Moves() {
			moves = append(moves, m.String())
		}
		longest = max(longest, len(moves))
		if got := strings.Fields(got.Moves); !slices.Equal(got, moves) {
			t.Errorf("%s: the moves are\n%q, want\n%q\n%s", names[i], got, moves, texts[i])
		}
		if got.Count != 1 || got.Fault != "" {
			t.Errorf("%s: %d records, fault %q", names[i], got.Count, got.Fault)
		}
	}
	if longest < 100 {
		t.Errorf("the longest record has %d moves, so that this shows little", longest)
	}
}

const bod = `後手の持駒：飛　角　金四　銀四　桂四　香四　歩十七
  ９ ８ ７ ６ ５ ４ ３ ２ １
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
先手の持駒：飛　角
`

// What people paste, beside what programs write. The expected values are written by hand.
func TestRecordsOfPeople(t *testing.T) {
	board := bod[strings.Index(bod, "  ９"):strings.Index(bod, "先手の")]
	const game = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
	const sfen = "4k4/9/4P4/9/9/9/9/9/9 b RBrb4g4s4n4l17p 1"
	cases := []struct {
		text string
		want found
	}{
		{bod, found{SFEN: sfen}},
		{"作品名：第一番\n作者：ある人\n発表誌：詰棋誌 2020年\n手数：3手詰\n" + bod, found{SFEN: sfen, Caption: "第一番", Author: "ある人", Source: "詰棋誌 2020年", Plies: "3"}},
		{"☖持駒　残り全部\n" + board + "☗持駒：飛角", found{SFEN: sfen}},
		{"△持駒：残り\n" + board + "▲持駒：飛 角1\n", found{SFEN: sfen}},
		{"攻め方の持駒：飛、角\n" + board + "受け方の持ち駒：飛角金4銀４桂四香四枚歩１７", found{SFEN: sfen}},
		{"甲の持駒：飛、角\n" + board, found{Thrown: "甲の持駒"}},
		{"攻方の持駒：飛、角\n" + strings.ReplaceAll(board, "・", "･") + "玉方の持ち駒：飛角金4銀４桂四香四枚歩１７", found{SFEN: sfen}},
		{"今日の一題です。\n\n" + bod + "\nどうぞお楽しみください。", found{SFEN: sfen}},
		{bod + "\n▲５二飛　△４一玉　▲３二角", found{SFEN: sfen, Moves: "R*5b 5a4a B*3b"}},
		{bod + "\n▲52飛打 △41玉 ▲32角打 まで3手詰", found{SFEN: sfen, Moves: "R*5b 5a4a B*3b"}},
		{bod + "手数----指手\n   1 ５二飛打   ( 0:01/00:00:01)+\n   2 ４一玉(51)\n   3 詰み\n\n変化：2手\n   2 同　玉(51)\n", found{SFEN: sfen, Moves: "R*5b 5a4a"}},
		{bod + "   1 ５二飛打\n   2 ６五金打\n", found{SFEN: sfen, Fault: "2 6五金打"}},
		{bod + "後手番", found{SFEN: "4k4/9/4P4/9/9/9/9/9/9 w RBrb4g4s4n4l17p 1"}},
		{"手合割：香落ち\n上手：甲\n", found{SFEN: "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"}},
		{"P-51OU\nP+53FU00HI00KA\nP-00AL\n+\n+0052HI,T3\n-5141OU\n%TORYO", found{SFEN: sfen, Moves: "R*5b 5a4a"}},
		{"手合割：平手\n▲７六歩 △３四歩 ▲２二角成 △同銀", found{SFEN: game, Moves: "7g7f 3c3d 8h2b+ 3a2b"}},
		{sfen, found{SFEN: sfen}},
		// A game is one though it does not say how it begins. What has no diagram is not read as one.
		{"▲７六歩 △３四歩", found{SFEN: game, Moves: "7g7f 3c3d"}},
		{"+7776FU\n-3334FU", found{SFEN: game, Moves: "7g7f 3c3d"}},
		{"▲７六歩△３四歩▲２六歩△８四歩▲５二金", found{SFEN: game, Fault: "▲5二金"}},
		{"▲５二金", found{SFEN: "▲5二金", NoBoard: true}},
		{"作品名：煙\n▲１二飛 △２一玉", found{SFEN: "▲1二飛", NoBoard: true}},
		{"▲７六歩△３四歩▲９九金", found{SFEN: "▲9九金", NoBoard: true}},
		{"△３四歩", found{SFEN: "?", NoBoard: true}},
		{"先手：甲\n手数----指手\n   1 １二飛打\n", found{SFEN: "1 1二飛打", NoBoard: true}},
		{"+0052KI", found{SFEN: "+0052KI", NoBoard: true}},
		{"-", found{SFEN: "?", NoBoard: true}},
	}
	var texts []string
	for _, c := range cases {
		texts = append(texts, c.text)
	}
	// Two records in a text, and what is none.
	texts = append(texts, "作品名：一\n"+bod+"▲５二飛\n\n作品名：二\n"+bod, bod+bod, "こんにちは", strings.Replace(bod, "v玉", "v王様", 1))
	all := readRecords(t, serve(t), texts)
	for i, c := range cases {
		if c.want.Thrown == "" {
			c.want.Count = 1
		}
		if all[i] != c.want {
			t.Errorf("%s\nis read as %+v,\nwant       %+v", c.text, all[i], c.want)
		}
	}
	rest := all[len(cases):]
	if rest[0].Count != 2 || rest[0].Caption != "一" || rest[0].Moves != "R*5b" || rest[1].Count != 2 || rest[1].SFEN != sfen {
		t.Errorf("two records are read as %+v and %+v", rest[0], rest[1])
	}
	if rest[2].Count != 0 || rest[2].Thrown != "" || !strings.Contains(rest[3].Thrown, "王様") {
		t.Errorf("what is no record is read as %+v, %+v", rest[2], rest[3])
	}
}
