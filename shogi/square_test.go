package shogi_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
)

func TestSquare(t *testing.T) {
	// The numbering as the package documentation draws it: file by file, from rank a down.
	n := shogi.Square(0)
	for f := shogi.File1; f <= shogi.File9; f++ {
		for r := shogi.RankA; r <= shogi.RankI; r++ {
			sq := shogi.SquareAt(f, r)
			if sq != n || sq.File() != f || sq.Rank() != r || !sq.IsValid() {
				t.Errorf("SquareAt(%d, %d) = %d, file %d, rank %d, valid %v; want %d", f, r, sq, sq.File(), sq.Rank(), sq.IsValid(), n)
			}
			name := string("123456789"[f]) + string("abcdefghi"[r])
			if sq.String() != name {
				t.Errorf("square %d is %q, want %q", n, sq, name)
			}
			if got, err := shogi.ParseSquare(name); got != sq || err != nil {
				t.Errorf("ParseSquare(%q) = %v, %v", name, got, err)
			}
			n++
		}
	}
	if n != shogi.NumSquares {
		t.Errorf("%d squares, want %d", n, shogi.NumSquares)
	}
	if sq := shogi.Square(0); sq.String() != "1a" {
		t.Errorf("the zero Square is %v, want 1a", sq)
	}
	if sq := shogi.NoSquare; sq.IsValid() || sq.String() != "-" {
		t.Errorf("NoSquare: valid %v, %q", sq.IsValid(), sq)
	}
}

func TestParseSquareErrors(t *testing.T) {
	for _, s := range []string{"", "7", "7gg", "0a", "7j", "7`", "aa", "77", "g7", "7G", "７ｇ", " 7g", "-"} {
		sq, err := shogi.ParseSquare(s)
		if err == nil || sq != shogi.NoSquare {
			t.Errorf("ParseSquare(%q) = %v, %v, want an error", s, sq, err)
			continue
		}
		if want := "expected a file 1-9 and a rank a-i"; !strings.Contains(err.Error(), want) {
			t.Errorf("ParseSquare(%q): %v: does not say %q", s, err, want)
		}
	}
}

// TestErrorsQuoteLittle gives the parsers more text than anybody wants to read back, in characters of several bytes.
func TestErrorsQuoteLittle(t *testing.T) {
	for pad := range 4 {
		long := strings.Repeat("x", pad) + strings.Repeat("玉", 10_000)
		_, squareErr := shogi.ParseSquare(long)
		_, moveErr := shogi.ParseMove(long)
		_, sfenErr := shogi.ParseSFEN(long + " " + long + " " + long)
		for _, err := range []error{squareErr, moveErr} {
			if n := len(err.Error()); n > 300 {
				t.Errorf("an error of %d bytes", n)
			}
			if !utf8.ValidString(err.Error()) || strings.Contains(err.Error(), `\x`) {
				t.Errorf("cut within a character: %v", err)
			}
		}
		if n := len(sfenErr.Error()); n > 300*shogi.MaxFaults {
			t.Errorf("an SFENError of %d bytes", n)
		}
		if strings.Contains(sfenErr.Error(), `\x`) {
			t.Errorf("cut within a character: %.2000v", sfenErr)
		}
	}
}
