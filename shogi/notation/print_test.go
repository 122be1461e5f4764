package notation_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/shogi/notation"
)

// musou1 is the first problem of 将棋無双 (1734).
const musou1 = "3g1n1l1/2p1g1r2/5k2S/4p1N+R1/3+p5/7N1/B8/9/9 b 2GSNb2s3l15p 1 moves " +
	"3d4b+ 5b4b G*3c 4b3c S*4d 3c4d 2d3c 4c3c N*4e 4d4e G*3d"

// TestPrint: a line is printed without signs, and only of a mate is it said that it is one.
func TestPrint(t *testing.T) {
	for _, c := range []struct {
		usi  string
		end  notation.Ending
		want string
	}{
		{musou1, notation.Mated, "４二桂成、同金、３三金、同金、４四銀、同金、３三龍、同玉、４五桂、同金、３四金 まで１１手詰"},
		{"9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G 1 moves G*5c 5b5a", "", "５三金打、５一玉"},
		{"9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G 1 moves G*5c 5b5a", notation.Interrupted, "５三金打、５一玉 まで２手で中断"},
		{"9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G 1 moves G*5c 5b5a", notation.NoMate, "５三金打、５一玉 まで２手で不詰"},
		{"4k4/9/9/9/9/9/9/9/9 b G 1", notation.NoMate, "不詰"},
		{"4k4/9/9/9/9/9/9/9/9 b G 1", notation.Interrupted, "中断"},
		{"4k4/4G4/4G4/9/9/9/9/9/9 w - 1", notation.Mated, "詰み"},
		{"4k4/9/9/9/9/9/9/9/9 b G 1", "", ""},
		{"startpos moves 7g7f 3c3d", notation.Resigns, "７六歩、３四歩 まで２手で後手の勝ち"},
	} {
		g, err := shogi.ParsePosition(c.usi)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(notation.NewRecord(g.Start(), g.Moves(), c.end).Append(nil, notation.Print)); got != c.want+"\n" {
			t.Errorf("%s %s: %q, want %q", c.usi, c.end, got, c.want)
		}
	}
}

// TestPrintRead: what is printed below a diagram is read as the same moves, and but for the signs and
// spaces it is what records have. The reader takes spaces for the commas.
func TestPrintRead(t *testing.T) {
	check := func(start shogi.Position, moves []shogi.Move, end notation.Ending) {
		t.Helper()
		text := string(notation.NewRecord(start, moves, end).AppendPrint(notation.AppendBOD(nil, &start)))
		read, err := notation.Parse([]byte(text), notation.Options{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if !slices.Equal(read.Moves(), moves) || read.Ending() != end {
			t.Errorf("%s was read as %v %s", text, read.Moves(), read.Ending())
		}
		for i, m := range movetext.JapaneseLine(start, moves) {
			want := strings.TrimLeft(strings.ReplaceAll(m, "　", ""), "▲△")
			if got := movetext.PrintedLine(start, moves)[i]; got != want {
				t.Errorf("%s is printed as %s", m, got)
			}
		}
	}
	works, err := os.ReadFile("../../solver/analysis/testdata/edo.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(works)) {
		fields := strings.Split(line, "\t")
		if line[0] == '#' || fields[0] == "sfen" {
			continue
		}
		g, err := shogi.ParsePosition(fields[0] + " moves " + fields[3])
		if err != nil {
			t.Fatal(err)
		}
		check(g.Start(), g.Moves(), notation.Mated)
		n++
	}
	if n < 90 {
		t.Errorf("%d works", n)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		start := shogi.MustParseSFEN(shogi.StartSFEN)
		r := randomTree(rng, start, 120, false)
		check(r.Start, r.Moves(), notation.Interrupted)
	}
}
