package notation_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// FuzzParse: whatever the bytes, there is a record or an error with places in the text, and what is
// a record is written and read again as the same one.
func FuzzParse(f *testing.F) {
	for _, text := range []string{headGoldKIF, headGoldKIF + "1 ５二金打\n2 詰み\n", variationsKIF, headGoldCSA, "startpos moves 7g7f", headGold,
		"▲７六歩 △３四歩 ▲２二角成 △同銀\n*x\nまで4手で中断\n", "手合割：二枚落ち\n1 ６二銀(71)+\n&b\n変化：1手\n1 ７二銀(71)\n",
		`{"header":{"a":"b"},"moves":[{},{"move":{"to":{"x":7,"y":6},"piece":"FU"},"forks":[[{"special":"X"}]]}]}`,
		"攻方：21飛 45飛 / 受方：13玉 14歩 / 持駒：金\n▲１二金", "3手詰【攻方】２一飛\n４五成銀【玉方】13王(持駒：残り)\n\n攻方 11歩 玉方 19玉",
		`{"header":{"先手":"21飛 45飛"},"moves":[{}]}`,
		"| ・" + strings.Repeat("\t", 1000) + "x",
		"後手の持駒：残り全部\n" + headGoldRows + "&#65;&amp;：&#x1F;x\n", "PI82HI\n-\n-5142OU,T1.5\n'*c\n/\n+\n%X\n"} {
		f.Add([]byte(text))
		if sjis, err := notation.Encode([]byte(text), notation.ShiftJIS); err == nil {
			f.Add(sjis)
		}
	}
	files, err := filepath.Glob("testdata/witness/fivemate.*")
	if err != nil {
		f.Fatal(err)
	}
	reading, err := filepath.Glob("testdata/reading/*")
	if err != nil {
		f.Fatal(err)
	}
	files = append(files, reading...)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		records, err := notation.ParseAll(data, notation.Options{})
		if err != nil {
			checkError(t, data, err)
			return
		}
		for _, r := range records {
			for _, w := range writers {
				text := w.write(r)
				if !utf8.Valid(text) {
					t.Fatalf("%s is not UTF-8: %q", w.name, text)
				}
				if len(text) > notation.MaxBytes {
					continue
				}
				again, err := notation.Parse(text, notation.Options{Format: w.format})
				if err != nil {
					t.Fatalf("%s: %v\n%s", w.name, err, text)
				}
				if got, want := moveTree(&w, again), moveTree(&w, r); got != want {
					t.Fatalf("%s gave\n%s\nwant\n%s\nin\n%s", w.name, got, want, text)
				}
			}
		}
	})
}

// moveTree returns position and moves of a record as far as a notation has them.
func moveTree(w *writer, r *notation.Record) string {
	bare := *w
	bare.header, bare.comments, bare.times, bare.end = false, false, false, false
	return bare.show(r)
}

// checkError wants faults in the order of the text and within it. A byte of Shift_JIS is up to
// three of UTF-8.
func checkError(t *testing.T, data []byte, err error) {
	t.Helper()
	var e *notation.Error
	if !errors.As(err, &e) || len(e.Faults) == 0 {
		t.Fatalf("%T: %v", err, err)
	}
	last := 0
	for _, f := range e.Faults {
		if f.Square > shogi.NoSquare || f.Line < 1 || f.Column < 1 || f.Offset < last || f.Offset > 3*len(data) || f.Code == "" || f.Msg.Text == nil || !utf8.ValidString(f.Msg.Japanese()) || !utf8.ValidString(f.Msg.String()) || len(f.Msg.String()) > 1000 {
			t.Fatalf("fault %+v in %q", f, data)
		}
		last = f.Offset
	}
}

// FuzzMove: a move as KI2 has it, in a position, is illegal, or one of the legal moves.
func FuzzMove(f *testing.F) {
	for _, move := range []string{"▲５二金", "△同　玉", "▲７六歩(77)", "▲９九竜右上不成", "☗１１成香直"} {
		f.Add(headGold, move)
	}
	f.Fuzz(func(t *testing.T, sfen, move string) {
		p, err := shogi.ParseSFEN(sfen)
		if err != nil || strings.ContainsAny(move, "\r\n") || p.Ply() > 100_000 {
			return
		}
		text := append(notation.AppendBOD(nil, &p), move...)
		r, err := notation.Parse(text, notation.Options{Format: notation.KI2})
		if err != nil {
			checkError(t, text, err)
			return
		}
		for _, m := range r.Moves() {
			if !r.Start.IsLegal(m) {
				t.Fatalf("%s in %s gave %s, which is not legal", move, sfen, m)
			}
			r.Start.Do(m)
		}
	})
}
