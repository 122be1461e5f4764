package notation

import (
	"errors"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

func TestParseMove(t *testing.T) {
	p := shogi.MustParseSFEN("4k4/9/4p4/9/9/9/9/4G1G2/4K4 b RP 1")
	at := func(s string) shogi.Square {
		m, err := shogi.ParseMove("P*" + s)
		if err != nil {
			t.Fatal(err)
		}
		return m.To()
	}
	for _, tt := range []struct {
		text     string
		previous shogi.Square
		want     string // the move, or a part of the error
	}{
		{"５三飛打", shogi.NoSquare, "5c is occupied"},
		{"▲5四飛", shogi.NoSquare, "R*5d"},
		{" ５四歩 ", shogi.NoSquare, "P*5d"},
		{"同飛", at("5d"), "R*5d"},
		{"同飛", shogi.NoSquare, "no move comes before"},
		{"△5四飛", shogi.NoSquare, "found a move of white"},
		{"４七金", shogi.NoSquare, "can all go to 4g"},
		{"４七金左", shogi.NoSquare, "5h4g"},
		{"４七金右上", shogi.NoSquare, "3h4g"},
		{"４七金右上打", shogi.NoSquare, "contradict"},
		{"4七金(38)", shogi.NoSquare, "3h4g"},
		{"５八玉", shogi.NoSquare, "no 玉 of black can go to 5h"},
		{"４七銀", shogi.NoSquare, "no 銀 of black can go to 4g"},
		{"４七", shogi.NoSquare, "expected the name of a piece"},
		{"４七金左x", shogi.NoSquare, `found "x" after a move`},
		{"hello", shogi.NoSquare, "expected a file"},
		{"", shogi.NoSquare, "expected a file"},
	} {
		m, err := ParseMove(tt.text, &p, tt.previous)
		switch {
		case err != nil && !strings.Contains(err.Error(), tt.want) || err == nil && m.String() != tt.want:
			t.Errorf("%q: %v, %v; want %s", tt.text, m, err, tt.want)
		case (err == nil) != p.IsLegal(m):
			t.Errorf("%q: %v, %v", tt.text, m, err)
		}
	}
	// A pawn that has to promote need not say so; one that may is taken at its word.
	p = shogi.MustParseSFEN("k8/6P2/9/5P3/9/9/9/9/8K b - 1")
	for text, want := range map[string]string{"３一歩": "3b3a+", "３一歩成": "3b3a+", "４三歩": "4d4c", "４三歩成": "4d4c+", "４三歩不成": "4d4c"} {
		if m, err := ParseMove(text, &p, shogi.NoSquare); err != nil || m.String() != want {
			t.Errorf("%q: %v, %v; want %s", text, m, err, want)
		}
	}
	var illegal *shogi.IllegalError
	if _, err := ParseMove("３一歩不成", &p, shogi.NoSquare); err == nil {
		t.Error("a pawn stays a pawn on the last rank")
	} else if errors.As(err, &illegal) && illegal.Reason != shogi.ErrMustPromote {
		t.Error(err)
	}
}

func TestCSANames(t *testing.T) {
	for _, n := range pieceNames {
		if kind, ok := ParseCSAName(CSAName(n.kind)); !ok || kind != n.kind {
			t.Errorf("%s: %v", n.csa, kind)
		}
	}
	if _, ok := ParseCSAName("XX"); ok {
		t.Error("XX is a kind")
	}
}
