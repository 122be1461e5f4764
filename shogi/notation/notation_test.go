package notation_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// problems returns the positions of testdata, and those of the corpus if one is named.
// What package shogi refuses is no position.
func problems(t testing.TB) []string {
	t.Helper()
	const small = "testdata/positions.tsv"
	var sfens []string
	for _, file := range append(shogitest.Corpus(t, "*.tsv"), small) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			sfen, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			if sfen == "" || sfen[0] == '#' || sfen == "sfen" {
				continue
			}
			if _, err := shogi.ParseSFEN(sfen); err == nil {
				sfens = append(sfens, sfen)
			} else if file == small {
				t.Fatal(err)
			}
		}
	}
	if len(sfens) < 20 {
		t.Fatalf("found %d positions", len(sfens))
	}
	return sfens
}

// A writer writes a record in a notation that Parse reads again.
type writer struct {
	name   string
	format notation.Format
	write  func(r *notation.Record) []byte
	// What the notation has.
	tree, comments, header, times, end bool
}

var writers = []writer{
	{"KIF", notation.KIF, func(r *notation.Record) []byte { return r.AppendKIF(nil) }, true, true, true, true, true},
	{"KI2", notation.KI2, func(r *notation.Record) []byte { return r.AppendKI2(nil) }, true, true, true, false, true},
	{"CSA", notation.CSA, func(r *notation.Record) []byte { return r.AppendCSA(nil) }, false, true, false, true, true},
	{"JKF", notation.JKF, func(r *notation.Record) []byte { return r.AppendJKF(nil) }, true, true, true, true, true},
	{"USI", notation.SFEN, func(r *notation.Record) []byte { return r.AppendUSI(nil) }, false, false, false, false, false},
}

// show returns what a writer keeps of a record, as text. A problem's move number is lost in CSA and
// JKF.
func (w *writer) show(r *notation.Record) string {
	var b strings.Builder
	sfen := r.Start.SFEN()
	b.WriteString(sfen[:strings.LastIndexByte(sfen, ' ')] + "\n")
	if w.header {
		for _, f := range r.Header {
			if f.Key != "手数" { // which KIF adds
				fmt.Fprintf(&b, "%s=%s\n", f.Key, f.Value)
			}
		}
	}
	var walk func(n *notation.Node, depth int)
	walk = func(n *notation.Node, depth int) {
		fmt.Fprintf(&b, "%d ", depth)
		if n.Move != shogi.NoMove {
			b.WriteString(n.Move.String())
		}
		if w.end {
			b.WriteString(string(n.End))
		}
		if w.times && n.Timed {
			fmt.Fprintf(&b, " %v", n.Elapsed.Truncate(time.Second))
		}
		b.WriteByte('\n')
		if w.comments {
			for _, c := range n.Comments {
				b.WriteString("*" + c + "\n")
			}
		}
		for i, next := range n.Next {
			if i > 0 && !w.tree || next.Move == shogi.NoMove && !w.end {
				break
			}
			walk(next, depth+1)
		}
	}
	walk(r.Root, 0)
	return b.String()
}

// checkRoundTrips writes a record in every notation, also as Shift_JIS, and reads it again, as what
// Detect takes it for.
func checkRoundTrips(t *testing.T, r *notation.Record) {
	t.Helper()
	for _, w := range writers {
		text := w.write(r)
		want := w.show(r)
		got, err := notation.Parse(text, notation.Options{})
		if err != nil {
			t.Fatalf("%s: %v\n%s", w.name, err, text)
		}
		formatIsOpen := w.format == notation.KI2 && len(r.Moves()) == 0 // a KI2 without moves is a KIF without moves
		if got.Format != w.format && !formatIsOpen {
			t.Fatalf("a %s was taken for a %v:\n%s", w.name, got.Format, text)
		}
		if s := w.show(got); s != want {
			t.Fatalf("%s gave\n%s\nwant\n%s\nin\n%s", w.name, s, want, text)
		}
	}
}

func TestRoundTripPositions(t *testing.T) {
	sfens := problems(t)
	if testing.Short() {
		sfens = sfens[max(0, len(sfens)-500):]
	}
	for _, sfen := range sfens {
		r := notation.NewRecord(shogi.MustParseSFEN(sfen), nil, "")
		checkRoundTrips(t, r)
		p := shogi.MustParseSFEN(sfen)
		rotated := p.Rotated()
		checkRoundTrips(t, notation.NewRecord(rotated, nil, ""))
	}
	t.Logf("%d positions and the same turned round, in %d notations", len(sfens), len(writers))
}

// randomTree returns a record with moves, variations, comments, times and an end from p.
func randomTree(rng *rand.Rand, p shogi.Position, moves int, variations bool) *notation.Record {
	r := &notation.Record{Start: p, Root: &notation.Node{}, Header: []notation.Field{{Key: "作者", Value: "誰か"}, {Key: "備考", Value: "a：b"}}}
	var grow func(n *notation.Node, p shogi.Position, moves, depth int)
	grow = func(n *notation.Node, p shogi.Position, moves, depth int) {
		for range moves {
			var buf shogi.MoveBuffer
			legal := p.LegalMoves(&buf, shogi.AllMoves)
			if len(legal) == 0 {
				n.Next = append(n.Next, &notation.Node{End: notation.Mated})
				return
			}
			next := &notation.Node{Move: legal[rng.IntN(len(legal))]}
			n.Next = append(n.Next, next)
			if rng.IntN(8) == 0 {
				next.Comments = []string{"一行目", "&#38; 二行目 " + next.Move.String()}
			}
			if rng.IntN(3) == 0 {
				next.Elapsed, next.Timed = time.Duration(rng.IntN(5000))*time.Second, true
			}
			for variations && depth < 4 && rng.IntN(8) == 0 && len(n.Next) < 4 {
				// Some readers take two variations with the same move for one.
				other := &notation.Node{Move: legal[rng.IntN(len(legal))]}
				if slices.ContainsFunc(n.Next, func(n *notation.Node) bool { return n.Move == other.Move }) {
					break
				}
				n.Next = append(n.Next, other)
				q := p
				q.Do(other.Move)
				grow(other, q, rng.IntN(8), depth+1)
			}
			p.Do(next.Move)
			n = next
		}
		if rng.IntN(2) == 0 {
			ends := []notation.Ending{notation.Resigns, notation.Interrupted, notation.IllegalAction, notation.IllegalMove, notation.Repeated, notation.Mated, notation.Declares}
			n.Next = append(n.Next, &notation.Node{End: ends[rng.IntN(len(ends))]})
		}
	}
	grow(r.Root, p, moves, 0)
	return r
}

// TestRoundTripGames plays 300 games at random, half of them from problems, every fourth with
// variations.
func TestRoundTripGames(t *testing.T) {
	rng := shogitest.NewRand(t)
	sfens := problems(t)
	games := 300
	if testing.Short() {
		games = 100
	}
	moves := 0
	for i := range games {
		p := shogi.Start()
		if i%2 == 1 {
			p = shogi.MustParseSFEN(sfens[rng.IntN(len(sfens))])
		}
		r := randomTree(rng, p, 20+rng.IntN(130), i%4 < 2)
		moves += len(r.Moves())
		checkRoundTrips(t, r)
	}
	t.Logf("%d games, %d moves in the main lines", games, moves)
}

// TestRoundTripShiftJIS is the way of a .kif file of Windows and back.
func TestRoundTripShiftJIS(t *testing.T) {
	rng := shogitest.NewRand(t)
	for range 50 {
		r := randomTree(rng, shogi.Start(), 60, true)
		text := r.AppendKIF(nil)
		data, err := notation.Encode(text, notation.ShiftJIS)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(data), "#KIF version=2.0 encoding=Shift_JIS\r\n") {
			t.Fatalf("it begins with %q", data[:60])
		}
		got, err := notation.Parse(data, notation.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got.Charset != notation.ShiftJIS {
			t.Errorf("taken for %v", got.Charset)
		}
		if w := &writers[0]; w.show(got) != w.show(r) {
			t.Fatalf("got\n%s\nwant\n%s", w.show(got), w.show(r))
		}
	}
	if _, err := notation.Encode([]byte("☗"), notation.ShiftJIS); err == nil || !strings.Contains(err.Error(), "☗") {
		t.Errorf("☗, which Shift_JIS has not, gives %v", err)
	}
}

// refusal returns why a record has not all of the text.
func refusal(r *notation.Record, err error) error {
	if err == nil && r.Unread() != nil {
		return &notation.Error{Format: r.Format, Faults: []notation.Fault{*r.Unread()}}
	}
	return err
}

// faultsOf returns the faults of an error as lines.
func faultsOf(t testing.TB, err error) []string {
	t.Helper()
	var e *notation.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v (%T) is no *notation.Error", err, err)
	}
	var lines []string
	for _, f := range e.Faults {
		lines = append(lines, fmt.Sprintf("%d:%d %s: %s", f.Line, f.Column, f.Code, f.Msg))
	}
	return lines
}

// mustParse is Parse for texts that are right.
func mustParse(t testing.TB, text string) *notation.Record {
	t.Helper()
	r, err := notation.Parse([]byte(text), notation.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}

// moveTexts returns moves in USI.
func moveTexts(moves []shogi.Move) []string {
	texts := make([]string, len(moves))
	for i, m := range moves {
		texts[i] = m.String()
	}
	return texts
}

func TestAfter(t *testing.T) {
	r := mustParse(t, "startpos moves 7g7f 3c3d")
	for n, want := range []string{"b - 1", "w - 2", "b - 3"} {
		p, err := r.After(n)
		if err != nil || !strings.HasSuffix(p.SFEN(), want) {
			t.Errorf("after %d moves: %s, %v, want …%s", n, p.SFEN(), err, want)
		}
	}
	for _, n := range []int{-1, 3} {
		if _, err := r.After(n); err == nil {
			t.Errorf("there is a position after %d moves", n)
		}
	}
	if got := moveTexts(r.Moves()); !slices.Equal(got, []string{"7g7f", "3c3d"}) {
		t.Errorf("moves %q", got)
	}
}

// TestFaultSquares looks for the square of a fault on the board, in every notation.
func TestFaultSquares(t *testing.T) {
	const rook = "position sfen 4k4/9/4r4/9/4R4/9/9/9/9 b P 1"
	csa := "P-51OU53HI\nP+55HI00FU\n+\n"
	jkf := string(mustParse(t, rook+" moves 5e4e").AppendJKF(nil))
	for _, c := range []struct{ name, text, code, square string }{
		{"SFEN, a piece that could never move", "4k4/9/9/9/9/9/9/9/7l1 b - 1", shogi.CodeDeadPiece, "2i"},
		{"SFEN, a move past a piece", rook + " moves 5e5b", notation.CodeIllegalMove, "5c"},
		{"SFEN, a width", "4k4/8/9/9/9/9/9/9/9 b - 1", shogi.CodeRankWidth, "-"},

		{"KIF, a piece that is none", strings.Replace(headGoldKIF, "v玉", "v女", 1), notation.CodeBoard, "5a"},
		{"KIF, no sign before a piece", strings.Replace(headGoldKIF, "v玉", "x玉", 1), notation.CodeBoard, "5a"},
		{"KIF, a piece that could never move", strings.Replace(headGoldKIF, "v玉", " 歩", 1), shogi.CodeDeadPiece, "5a"},
		{"KIF, an illegal drop", headGoldKIF + "1 ５三金打\n", notation.CodeIllegalMove, "5c"},
		{"KIF, an empty origin", headGoldKIF + "1 ５二金(61)\n", notation.CodeMoveMismatch, "6a"},
		{"KI2, no such piece", headGoldKIF + "▲５二銀\n", notation.CodeIllegalMove, "5b"},
		{"KIF, a hand", headGoldKIF + "後手の持駒：玉\n", notation.CodeRepeated, "-"},

		{"CSA, a square twice", strings.Replace(csa, "P+55HI", "P+53HI", 1), notation.CodeRepeated, "5c"},
		{"CSA, a move past a piece", csa + "+5552RY\n", notation.CodeIllegalMove, "5c"},
		{"CSA, an empty origin", csa + "+1112HI\n", notation.CodeMoveMismatch, "1a"},
		{"CSA, another kind", csa + "+5554KA\n", notation.CodeMoveMismatch, "5e"},
		{"CSA, an empty square", "PI55FU\n+\n", notation.CodeBoard, "5e"},

		{"JKF, a kind that is none", strings.Replace(jkf, `"kind":"OU"`, `"kind":"XX"`, 1), notation.CodeBoard, "5a"},
		{"JKF, a move past a piece", strings.Replace(jkf, `"to":{"x":4,"y":5}`, `"to":{"x":5,"y":2}`, 1), notation.CodeIllegalMove, "5c"},
		{"JKF, a capture of nothing", strings.Replace(jkf, `"piece":"HI"`, `"piece":"HI","capture":"FU"`, 1), notation.CodeMoveMismatch, "4e"},
		{"JKF, a king in hand", strings.Replace(jkf, `"FU":1`, `"OU":1`, 1), notation.CodeHand, "-"},
	} {
		err := refusal(notation.Parse([]byte(c.text), notation.Options{}))
		var e *notation.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if f := e.Faults[0]; f.Code != c.code || f.Square.String() != c.square {
			t.Errorf("%s: %s on %s, want %s on %s (%v)", c.name, f.Code, f.Square, c.code, c.square, err)
		}
	}
}
