package compose

import (
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/collection"
)

// TestArchiveTwins: a problem with a tokin where a known one has a gold, or the other way round, is not
// new, and the nearest is named; with another piece there it is. A search of authors leaves out what is known
// itself alone.
func TestArchiveTwins(t *testing.T) {
	a := new(Archive)
	if err := a.Know("known", &collection.Problem{Position: shogi.MustParseSFEN("6+S1k/3+R1S3/8G/9/9/9/9/9/9 b r2b3g2s4n4l18p 1"),
		Line: parseMoves(t, "3a2a 1a2a 4b3a+ 2a3a 1c2b 3a4a 2b3b")}); err != nil {
		t.Fatal(err)
	}
	for sfen, want := range map[string]*Nearest{
		"6+S1k/3+R1S3/8+P/9/9/9/9/9/9 b r2b4g2s4n4l17p 1":  {"known", collection.Duplicate, true},
		"6+S1k/3+R1S3/8G/9/9/9/9/9/9 b r2b3g2s4n4l18p 1":   {"known", collection.Duplicate, false},
		"9/9/k1+P6/3S1R+S2/+P8/9/9/9/9 b r2b4g2s4n4l16p 1": nil,
		"k1G6/3S1R+S2/G8/9/9/9/9/9/9 b r2b2g2s4n4l18p 1":   nil,
	} {
		q := Problem{Position: shogi.MustParseSFEN(sfen)}
		near, isNew := a.Nearest(&q)
		if isNew != (want == nil) || want != nil && *near != *want {
			t.Errorf("%s: %v, new %v", sfen, near, isNew)
		}
		if got := (&Search{Archive: a}).isKnown(&q); got != (want != nil && !want.Twin) {
			t.Errorf("%s: a search leaves it out: %v", sfen, got)
		}
	}
}

// TestArchiveWhite: a known problem in which White mates is the same one, turned.
func TestArchiveWhite(t *testing.T) {
	p := shogi.MustParseSFEN("6+S1k/3+R1S3/8G/9/9/9/9/9/9 b r2b3g2s4n4l18p 1")
	a := new(Archive)
	if err := a.Know("turned", &collection.Problem{Position: p.Rotated(), Attacker: shogi.White}); err != nil {
		t.Fatal(err)
	}
	if near, isNew := a.Nearest(&Problem{Position: p}); isNew || *near != (Nearest{"turned", collection.Duplicate, false}) {
		t.Errorf("%v, new %v", near, isNew)
	}
}

// TestArchiveSameMoves: problems with the same moves are alike, and as many as exercises may have them
// where that is asked for.
func TestArchiveSameMoves(t *testing.T) {
	for most, want := range []int{1, 1, 2, 3} {
		a, n := &Archive{SameMoves: most}, 0
		for _, one := range [][2]string{
			{"5G3/3nk1S2/5R3/9/9/9/9/9/9 b r2b3g3s3n4l18p 1", "4a5a 5b5a 4c4a+"},
			{"5G3/5pk1+B/7R1/9/9/9/9/9/9 b rb3g4s4n4l17p 1", "4a3a 3b3a 2c2a+"},
			{"7G1/5pk1+B/7R1/9/9/9/9/9/9 b rb3g4s4n4l17p 1", "2a3a 3b3a 2c2a+"},
		} {
			if a.Add(&Problem{Position: shogi.MustParseSFEN(one[0]), Line: parseMoves(t, one[1])}) {
				n++
			}
		}
		if n != want {
			t.Errorf("with SameMoves %d there are %d", most, n)
		}
	}
}
