package shogi_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

// faultLines writes the faults of an error as the vector files have them: code, field, offset,
// square, message.
func faultLines(t testing.TB, input string, err error) []string {
	t.Helper()
	var bad *shogi.SFENError
	if !errors.As(err, &bad) {
		t.Fatalf("%q: %v is no SFENError", input, err)
	}
	if bad.Input != input {
		t.Errorf("%q: the error holds the text %q", input, bad.Input)
	}
	var lines []string
	at := 0
	for _, f := range bad.Faults {
		if f.Offset < at || f.Offset > len(input) {
			t.Errorf("%q: offset %d after %d in %d bytes", input, f.Offset, at, len(input))
		}
		at = f.Offset
		lines = append(lines, fmt.Sprintf("%s\t%s\t%d\t%s\t%s", f.Code, f.Field, f.Offset, f.Square, f.Msg))
		if !strings.Contains(err.Error(), fmt.Sprintf("%s, byte %d: %s", f.Field, f.Offset, f.Msg)) {
			t.Errorf("%q: the error does not say %q", input, f.Msg)
		}
	}
	return lines
}

func TestParseSFEN(t *testing.T) {
	checkVectors(t, "testdata/valid.txt", func(input string) []string {
		p, err := shogi.ParseSFEN(input)
		if err != nil {
			t.Errorf("%q: %v", input, err)
			return nil
		}
		sfen := p.SFEN()
		if q, err := shogi.ParseSFEN(sfen); err != nil || q != p || q.SFEN() != sfen {
			t.Errorf("%q: the canonical text %q gives %q, %v", input, sfen, q.SFEN(), err)
		}
		if got := string(p.AppendSFEN([]byte("x "))); got != "x "+sfen {
			t.Errorf("%q: appended as %q", input, got)
		}
		return []string{sfen}
	})
}

func TestParseSFENErrors(t *testing.T) {
	checkVectors(t, "testdata/invalid.txt", func(input string) []string {
		p, err := shogi.ParseSFEN(input)
		if err == nil {
			t.Errorf("%q gives %q, want an error", input, p.SFEN())
			return nil
		}
		if p != (shogi.Position{}) {
			t.Errorf("%q: an error and a position", input)
		}
		return faultLines(t, input, err)
	})
}

func TestParsePosition(t *testing.T) {
	checkVectors(t, "testdata/positions.txt", func(input string) []string {
		g, err := shogi.ParsePosition(input)
		if err != nil {
			t.Errorf("%q: %v", input, err)
			return nil
		}
		start := g.Start()
		answer := start.SFEN()
		if moves := g.Moves(); len(moves) > 0 {
			answer += " moves"
			for _, m := range moves {
				answer += " " + m.String()
				start.Do(m)
			}
		}
		if p := g.Position(); p != start {
			t.Errorf("%q leads to %s, its moves to %s", input, p.SFEN(), start.SFEN())
		}
		return []string{answer}
	})
}

func TestParsePositionErrors(t *testing.T) {
	checkVectors(t, "testdata/invalid-positions.txt", func(input string) []string {
		g, err := shogi.ParsePosition(input)
		if err == nil {
			t.Errorf("%q gives %v, want an error", input, g)
			return nil
		}
		if g.Position() != (shogi.Position{}) || g.Moves() != nil {
			t.Errorf("%q: an error and a game", input)
		}
		return faultLines(t, input, err)
	})
}

// TestParsePositionTakesWhatParseSFENTakes reads the vectors of ParseSFEN with ParsePosition.
func TestParsePositionTakesWhatParseSFENTakes(t *testing.T) {
	for _, v := range vectors(t, "testdata/valid.txt") {
		g, err := shogi.ParsePosition(v.input)
		if err != nil {
			t.Errorf("%q: %v", v.input, err)
			continue
		}
		p := g.Position()
		if p.SFEN() != v.answers[0] || g.Start() != p || len(g.Moves()) != 0 {
			t.Errorf("%q: %s after %v, want %s", v.input, p.SFEN(), g.Moves(), v.answers[0])
		}
	}
}

// checkProblem checks that ParseProblem says of a text what ParsePosition does.
func checkProblem(t *testing.T, text string, g shogi.Game, err error) {
	t.Helper()
	p, sfen, got := shogi.ParseProblem(text)
	if err != nil {
		if !reflect.DeepEqual(got, err) || sfen != "" || p != (shogi.Position{}) {
			t.Errorf("%q: %s, %s, %v; want %v", text, p.SFEN(), sfen, got, err)
		}
		return
	}
	end := g.Position()
	if got != nil || p != end || sfen != end.ProblemSFEN() {
		t.Errorf("%q: %s, %s, %v; want %s", text, p.SFEN(), sfen, got, end.SFEN())
	}
}

// TestParseProblem reads all vectors, and one text with each thing in it that its ProblemSFEN does
// not have.
func TestParseProblem(t *testing.T) {
	texts := []string{
		"4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1",
		"4k4/9/4G4/9/9/9/9/9/9 b - 1", "9/9/9/9/9/9/9/9/9 w RBGSNLPrbgsnlp 1",
		"4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 2", "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p",
		"4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 01", "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1 ",
		" 4k4/9/4G4/9/9/9/9/9/9 b G 1", "4k4/9/4G4/9/9/9/9/9/9  b G 1", "4k4/9/4G4/9/9/9/9/9/9 b  G 1",
		"4k4/9/4G4/9/9/9/9/9/9 b G  1", "sfen 4k4/9/4G4/9/9/9/9/9/9 b G 1", "4k4/9/4G4/9/9/9/9/9/9_b_G_1",
		"4k31/9/4G4/9/9/9/9/9/9 b G 1", "4k4/18/4G4/9/9/9/9/9/9 b G 1", "4k4/9/4G4/9/9/9/9/9/9 b SG 1",
		"4k4/9/4G4/9/9/9/9/9/9 b 1G 1", "4k4/9/4G4/9/9/9/9/9/9 b GG 1", "4k4/9/4G4/9/9/9/9/9/9 b 02G 1",
		"4k4/9/4G4/9/9/9/9/9/9 b gG 1", "4k4/9/4G4/9/9/9/9/9/9 b G 1 moves", "startpos",
		"4k4/9/4G4/9/9/9/9/9/9 b G 1 moves G*5b", "4k4/9/4G4/9/9/9/9/9/9 b G 1 moves G*5a",
		"4k4/9/4G4/9/9/9/9/9/9 b G 1 x",
	}
	for _, file := range []string{"valid.txt", "invalid.txt", "positions.txt", "invalid-positions.txt"} {
		for _, v := range vectors(t, "testdata/"+file) {
			texts = append(texts, v.input)
		}
	}
	for _, text := range texts {
		g, err := shogi.ParsePosition(text)
		checkProblem(t, text, g, err)
	}
	if n := testing.AllocsPerRun(100, func() {
		if _, _, err := shogi.ParseProblem(texts[0]); err != nil {
			t.Fatal(err)
		}
	}); n > 1 {
		t.Errorf("%v allocations; the text itself is the ProblemSFEN", n)
	}
}

// TestEveryCodeHasAVector reads the codes in the source: none may be without an example.
func TestEveryCodeHasAVector(t *testing.T) {
	seen := map[string]string{}
	for _, file := range []string{"testdata/invalid.txt", "testdata/invalid-positions.txt"} {
		for _, v := range vectors(t, file) {
			for _, a := range v.answers {
				code, rest, _ := strings.Cut(a, "\t")
				field, _, _ := strings.Cut(rest, "\t")
				seen[code] = v.input
				seen[field] = v.input
			}
		}
	}
	seen[shogi.CodeTooLong] = "" // in TestTooLong

	for name, value := range stringConstants(t, "errors.go") {
		if !strings.HasPrefix(name, "Code") && !strings.HasPrefix(name, "Field") {
			continue
		}
		if _, ok := seen[value]; !ok {
			t.Errorf("%s: %q is in no vector", name, value)
		}
	}
}

// stringConstants returns the string constants that a source file of package shogi declares, by
// name.
func stringConstants(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Names) == len(spec.Values) {
			for i, v := range spec.Values {
				if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					values[spec.Names[i].Name], _ = strconv.Unquote(lit.Value)
				}
			}
		}
		return true
	})
	if values["CodeNifu"] != shogi.CodeNifu {
		t.Fatalf("%s: found only %d constants", file, len(values))
	}
	return values
}

func TestTooLong(t *testing.T) {
	const sfen = "4k4/9/4G4/9/9/9/9/9/9 b G 1"
	blanks := strings.Repeat(" ", shogi.MaxPositionText-len(sfen))
	for _, text := range []string{sfen + blanks, blanks + sfen} {
		if p, err := shogi.ParseSFEN(text); err != nil || p.SFEN() != sfen {
			t.Errorf("a text of MaxPositionText bytes: %v", err)
		}
	}
	text := sfen + blanks + " "
	_, sfenErr := shogi.ParseSFEN(text)
	_, positionErr := shogi.ParsePosition(text)
	for _, err := range []error{sfenErr, positionErr} {
		var bad *shogi.SFENError
		if !errors.As(err, &bad) || len(bad.Faults) != 1 {
			t.Fatalf("a byte too many: %v", err)
		}
		want := shogi.Fault{
			Code: shogi.CodeTooLong, Field: shogi.FieldBoard, Offset: shogi.MaxPositionText, Square: shogi.NoSquare,
			Msg: bad.Faults[0].Msg,
		}
		if got := bad.Faults[0]; !reflect.DeepEqual(got, want) || got.Msg.String() !=
			fmt.Sprintf("found %d bytes, expected at most %d", len(text), shogi.MaxPositionText) {
			t.Errorf("a byte too many: %+v, want %+v", bad.Faults[0], want)
		}
		if len(bad.Input) > 100 {
			t.Errorf("the error holds %d bytes of the text", len(bad.Input))
		}
	}
}

// TestFaultsAreFew gives as many faults as fit in a text; the error stays small.
func TestFaultsAreFew(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("X", shogi.MaxPositionText),
		strings.Repeat("/", shogi.MaxPositionText),
		strings.Repeat("+", shogi.MaxPositionText),
		strings.Repeat("kkkkkkkkk/", 8) + "kkkkkkkkk b - 1",
		"9/9/9/9/9/9/9/9/9 b " + strings.Repeat("X", shogi.MaxPositionText-20),
		"9/9/9/9/9/9/9/9/9 b " + strings.Repeat("9", shogi.MaxPositionText-20),
	} {
		_, err := shogi.ParseSFEN(text)
		var bad *shogi.SFENError
		if !errors.As(err, &bad) || len(bad.Faults) == 0 || len(bad.Faults) > shogi.MaxFaults {
			t.Errorf("%.30s…: an error of %d bytes", text, len(err.Error()))
		}
	}
}

// TestLongGame plays as many moves as fit into a text, and past the last move number.
func TestLongGame(t *testing.T) {
	const shuffle = " 5i5h 5a5b 5h5i 5b5a"
	long := "startpos moves" + strings.Repeat(shuffle, (shogi.MaxPositionText-14)/len(shuffle))
	g, err := shogi.ParsePosition(long)
	if err != nil {
		t.Fatal(err)
	}
	want := (shogi.MaxPositionText - 14) / len(shuffle) * 4
	p := g.Position()
	if len(g.Moves()) != want || p.Ply() != want+1 {
		t.Errorf("%d moves, ply %d; want %d moves", len(g.Moves()), p.Ply(), want)
	}
	if got := g.Repetition(); got != shogi.Sennichite {
		t.Errorf("repetition %v, want a draw", got)
	}
}

func TestMustParseSFENPanics(t *testing.T) {
	defer func() {
		err, ok := recover().(error)
		if bad := new(shogi.SFENError); !ok || !errors.As(err, &bad) {
			t.Errorf("panic of %v, want an SFENError", err)
		}
	}()
	shogi.MustParseSFEN("no position")
}

func TestStart(t *testing.T) {
	p := shogi.Start()
	if p.SFEN() != shogi.StartSFEN || p.SideToMove() != shogi.Black || p.Ply() != 1 {
		t.Errorf("the initial position is %s", p.SFEN())
	}
	for c, want := range [2]string{"5i", "5a"} {
		if k := p.King(shogi.Color(c)); k.String() != want {
			t.Errorf("the %v king is on %v, want %s", shogi.Color(c), k, want)
		}
	}
}

func TestProblemSFEN(t *testing.T) {
	for sfen, want := range map[string]string{
		"4k4/9/4G4/9/9/9/9/9/9 b G 1":     "4k4/9/4G4/9/9/9/9/9/9 b G 1",
		"4k4/9/4G4/9/9/9/9/9/9 b G 2":     "4k4/9/4G4/9/9/9/9/9/9 b G 1",
		"9/9/9/9/9/9/9/9/9 w - 1000000":   "9/9/9/9/9/9/9/9/9 w - 1",
		"9/9/9/9/9/9/9/9/9 w 2R18p 12345": "9/9/9/9/9/9/9/9/9 w 2R18p 1",
	} {
		p := shogi.MustParseSFEN(sfen)
		if got := p.ProblemSFEN(); got != want || p.SFEN() != sfen {
			t.Errorf("%s: the problem is %s, want %s", p.SFEN(), got, want)
		}
	}
}
