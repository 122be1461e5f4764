package sfenurl_test

import (
	"errors"
	"net/url"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/sfenurl"
)

func TestParse(t *testing.T) {
	promoted := shogi.MustParseSFEN("4k4/9/4+P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1")
	for _, raw := range []string{
		"4k4/9/4%2BP4/9/9/9/9/9/9%20b%20G2r2b3g4s4n4l17p%201",
		"4k4/9/4%2BP4/9/9/9/9/9/9%20b%20G2r2b3g4s4n4l17p",
		"4k4%2F9%2F4%2bP4/9/9/9/9/9/9+b+G2r2b3g4s4n4l17p+1",
		"4k4/9/4+P4/9/9/9/9/9/9_b_G2r2b3g4s4n4l17p_1",
		"4k4/9/4+P4/9/9/9/9/9/9%20b%20G2r2b3g4s4n4l17p",
		"4k4/9/4+P4/9/9/9/9/9/9+b+G2r2b3g4s4n4l17p+1",
		"position+sfen+4k4/9/4%2BP4/9/9/9/9/9/9+b+G2r2b3g4s4n4l17p+1",
		sfenurl.Escape(&promoted),
		url.QueryEscape(promoted.SFEN()),
	} {
		g, err := sfenurl.Parse(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if p := g.Position(); !p.SamePosition(&promoted) {
			t.Errorf("%s is %s", raw, p.SFEN())
		}
	}
	g, err := sfenurl.Parse("4k4/9/4G4/9/9/9/9/9/9+b+G+1+moves+G*5b")
	if err != nil || len(g.Moves()) != 1 {
		t.Errorf("%d moves, %v", len(g.Moves()), err)
	}
}

func TestEscape(t *testing.T) {
	p := shogi.MustParseSFEN("4k4/9/4+P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 23")
	if got, want := sfenurl.Escape(&p), "4k4/9/4%2BP4/9/9/9/9/9/9_b_G2r2b3g4s4n4l17p"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		raw    string
		plus   bool
		offset int // of the first fault, -1 for an error that is no position's
	}{
		{"4k4/9", false, 0},
		{"%zz", false, -1},
		{"4k4/9/9/9/9/9/9/9/9+x+-", true, 22 - 2},
		{"4k4/9/4+X4/9/9/9/9/9/9%20b%20-", true, 7},
		{"", false, 0},
	} {
		_, err := sfenurl.Parse(c.raw)
		var e *sfenurl.Error
		if !errors.As(err, &e) || e.Plus != c.plus || e.Error() == "" {
			t.Errorf("%q: %v", c.raw, err)
			continue
		}
		var faults *shogi.SFENError
		switch {
		case !errors.As(err, &faults):
			if c.offset >= 0 {
				t.Errorf("%q: %v", c.raw, err)
			}
		case faults.Faults[0].Offset != c.offset:
			t.Errorf("%q: the first fault is at %d, want %d: %v", c.raw, faults.Faults[0].Offset, c.offset, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("4k4/9/4+P4/9/9/9/9/9/9+b+G2r2b3g4s4n4l17p+1")
	f.Add("startpos+moves+7g7f")
	f.Add("%2B%")
	f.Fuzz(func(t *testing.T, raw string) {
		g, err := sfenurl.Parse(raw)
		if err != nil {
			return
		}
		p := g.Position()
		again, err := sfenurl.Parse(sfenurl.Escape(&p))
		if err != nil {
			t.Fatalf("%s: %v", sfenurl.Escape(&p), err)
		}
		if q := again.Position(); !p.SamePosition(&q) {
			t.Errorf("%s came back as %s", p.SFEN(), q.SFEN())
		}
	})
}
