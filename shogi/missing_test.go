package shogi_test

import (
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

// What is missing goes to the side that is named, and nothing is counted twice.
func TestMissing(t *testing.T) {
	const headGold = "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"
	for _, c := range []struct {
		sfen    string
		missing int
		side    shogi.Color
		want    string
	}{
		{"4k4/9/4G4/9/9/9/9/9/9 b G 1", 36, shogi.White, headGold},
		{headGold, 0, shogi.White, headGold},
		{"4k4/9/4+P4/9/9/9/9/9/9 b G2r2b2g4s4n4l17p 1", 1, shogi.White,
			"4k4/9/4+P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"},
		{"4k4/+b1+r1+s1+n1+l/9/9/9/9/9/9/9 b - 1", 33, shogi.White,
			"4k4/+b1+r1+s1+n1+l/9/9/9/9/9/9/9 b rb4g3s3n3l18p 1"},
		{"9/9/9/9/9/9/4g4/9/4K4 w g 1", 36, shogi.Black, "9/9/9/9/9/9/4g4/9/4K4 w 2R2B2G4S4N4L18Pg 1"},
		{shogi.StartSFEN, 0, shogi.White, shogi.StartSFEN},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		if n := p.Missing().Len(); n != c.missing {
			t.Errorf("%s: %d pieces are missing, want %d", c.sfen, n, c.missing)
		}
		p.GiveMissing(c.side)
		if got := p.SFEN(); got != c.want || p != shogi.MustParseSFEN(c.want) {
			t.Errorf("%s: with the rest %s; want %s", c.sfen, got, c.want)
		}
	}
}
