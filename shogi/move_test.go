package shogi_test

import (
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

// TestMove takes every move that can be written down through its parts, its text and back.
func TestMove(t *testing.T) {
	seen := map[shogi.Move]string{}
	check := func(m shogi.Move, from, to shogi.Square, dropped shogi.PieceType, promotes bool, text string) {
		t.Helper()
		drop := dropped != shogi.NoPieceType
		if m.To() != to || m.IsDrop() != drop || m.IsPromotion() != promotes {
			t.Errorf("%s: to %v, drop %v, promotion %v", text, m.To(), m.IsDrop(), m.IsPromotion())
		}
		if drop && m.Dropped() != dropped || !drop && m.From() != from {
			t.Errorf("%s: from %v, dropped %v", text, m.From(), m.Dropped())
		}
		if m.String() != text || string(m.AppendUSI([]byte("x "))) != "x "+text {
			t.Errorf("%s is written %q", text, m)
		}
		if got, err := shogi.ParseMove(text); got != m || err != nil {
			t.Errorf("ParseMove(%q) = %v, %v", text, got, err)
		}
		if other, ok := seen[m]; ok {
			t.Errorf("%s and %s are the same move", text, other)
		}
		seen[m] = text
		if m.Rotated().Rotated() != m || m.Rotated().To() != 80-to || m.Rotated().IsPromotion() != promotes || m.Rotated().IsDrop() != drop {
			t.Errorf("%s turns to %v", text, m.Rotated())
		}
	}
	for to := range shogi.Square(shogi.NumSquares) {
		for from := range shogi.Square(shogi.NumSquares) {
			if from != to {
				check(shogi.NewMove(from, to), from, to, shogi.NoPieceType, false, from.String()+to.String())
				check(shogi.NewPromotion(from, to), from, to, shogi.NoPieceType, true, from.String()+to.String()+"+")
			}
		}
		for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
			check(shogi.NewDrop(kind, to), 0, to, kind, false, kind.String()+"*"+to.String())
		}
	}
	if _, ok := seen[shogi.NoMove]; ok {
		t.Error("NoMove is a move")
	}
}

func TestNoMove(t *testing.T) {
	var m shogi.Move
	if m != shogi.NoMove || m.String() != "(none)" || m.Rotated() != shogi.NoMove {
		t.Errorf("the zero Move is %v, turned %v", m, m.Rotated())
	}
}

// TestMoveStringOfAnything prints every value a Move can have, as a debugger would.
func TestMoveStringOfAnything(t *testing.T) {
	for v := range 1 << 16 {
		if s := shogi.Move(v).String(); s == "" {
			t.Errorf("move %#x is written as nothing", v)
		}
	}
}

func TestParseMoveErrors(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", "4 or 5 characters"},
		{"7g7", "4 or 5 characters"},
		{"7g7f++", "4 or 5 characters"},
		{"resign", "4 or 5 characters"},
		{"(none)", "4 or 5 characters"},
		{"０000", "4 or 5 characters"},
		{"0000", "last square"},
		{"pass", "last square"},
		{"7g0f", "last square"},
		{"7g7j", "last square"},
		{"7G7F", "last square"},
		{"0g7f", "first square"},
		{"7x7f", "first square"},
		{"+P7f", "first square"},
		{"7g7g", "origin and destination are the same"},
		{"5e5e+", "origin and destination are the same"},
		{"7g7f=", "only be +"},
		{"7g7f*", "only be +"},
		{"p*5e", "in upper case"},
		{"K*5e", "in upper case"},
		{"X*5e", "in upper case"},
		{"5*5e", "in upper case"},
		{"P*5e+", "a drop cannot promote"},
		{"P*5j", "last square"},
	}
	for _, test := range tests {
		m, err := shogi.ParseMove(test.in)
		if err == nil || m != shogi.NoMove {
			t.Errorf("ParseMove(%q) = %v, %v, want an error", test.in, m, err)
			continue
		}
		if !strings.Contains(err.Error(), test.want) {
			t.Errorf("ParseMove(%q): %q does not say %q", test.in, err, test.want)
		}
	}
}
