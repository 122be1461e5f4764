package notation_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// corner is the problem that most texts of testdata/reading are about.
const corner = "8k/9/9/6B2/6P2/9/9/7+r1/9 b RSb4g3s4n4l17p 1"

const cornerLine = "R*1b 1a2a S*3b"

// TestReading: texts as people have them, with the position and the moves that are in them. Where a
// text leaves out White's hand, White holds the rest.
func TestReading(t *testing.T) {
	for name, want := range map[string]struct {
		sfen, moves string
		plies       int
	}{
		"02-kangxi.kif":                {corner, cornerLine, 3},
		"05-commas-made.txt":           {corner, cornerLine, 3},
		"05-commas.txt":                {corner, cornerLine, 3},
		"06-circled.txt":               {corner, cornerLine, 0},
		"06-headed-solution.txt":       {corner, cornerLine, 3},
		"08-english-list-solution.txt": {"8l/7b1/8k/6+B2/7Pg/9/9/9/9 b R 1", "R*1b 1a1b 3d2d", 0},
		"08-english-list.txt":          {corner, "", 0},
		"09-python-shogi.txt":          {corner, "", 0},
		"09-shogi-l-board.txt":         {corner, "", 0},
		"10-side-upper.txt":            {"7l1/6k2/7p1/6p2/6N2/7+pP/9/9/9 b RGS 1", "", 0},
		"11-pocket.txt":                {corner, "", 0},
		"12-json-moves.jsonl":          {corner, cornerLine, 0},
		"12-json-name-first.json":      {goldHead, "", 0},
		"13-csv.txt":                   {corner, "", 0},
		"14-among-text.txt":            {corner, "", 0},
		"14-fence.md":                  {corner, "", 0},
		"14-quotes.txt":                {corner, "", 0},
		"15-81dojo.csa":                {shogi.StartSFEN, "7g7f 8c8d", 0},
		"18-illegal-last-move.kif":     {corner, "R*1b", 0},
		"30-list-with-plies.txt":       {corner, "", 3},
	} {
		text, err := os.ReadFile(filepath.Join("testdata/reading", name))
		if err != nil {
			t.Fatal(err)
		}
		records, err := notation.ParseAll(text, notation.Options{})
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
		if want.sfen == corner || want.sfen == goldHead {
			p.GiveMissing(shogi.White)
		}
		got := p.ProblemSFEN()
		if want.sfen == shogi.StartSFEN {
			got = p.SFEN()
		}
		if got != want.sfen || strings.Join(moves, " ") != want.moves || r.Plies != want.plies {
			t.Errorf("%s: %s, moves %s, told %d; want %+v", name, got, moves, r.Plies, want)
		}
	}
}

func mustRead(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
