package compose

import (
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

// TestShape: what is yielded has the shape, is sound by an analysis of its own, and is the same for any
// number of threads.
func TestShape(t *testing.T) {
	for _, c := range []struct {
		name string
		end  bool
	}{{"bar", false}, {"A", true}} {
		var runs [2][]string
		for threads := range runs {
			o := ShapeOptions{Search: anyProblem(threads + 1), Seed: 1, AtEnd: c.end}
			o.MaxHand = 3
			o.Picture, _ = FindPicture(Pictures(), c.name)
			problems, err := Shape(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			places := o.Picture.places(shogi.Bitboard{})
			e := newExaminer(o.NewSession(), &o.Conditions, thorough)
			for q := range problems {
				p := q.Position
				runs[threads] = append(runs[threads], p.ProblemSFEN())
				if _, outcome := e.finish(t.Context(), p); threads == 0 && outcome != Sound {
					t.Errorf("%s is %v", p.ProblemSFEN(), outcome)
				}
				if c.end {
					for _, m := range q.Line {
						p.Do(m)
					}
				}
				if !slices.Contains(places, p.Occupied()) {
					t.Errorf("%s has not the shape of %s", p.ProblemSFEN(), c.name)
				}
				if len(runs[threads]) == 1 {
					break
				}
			}
		}
		if !slices.Equal(runs[0], runs[1]) {
			t.Errorf("%s: %q with one thread, %q with two", c.name, runs[0], runs[1])
		}
	}
}

// No two problems with a picture are alike, and what is no picture at the end is none.
func TestShapesUnlike(t *testing.T) {
	o := ShapeOptions{Search: anyProblem(1), Seed: 1, AtEnd: true}
	o.Picture, _ = FindPicture(Pictures(), "A")
	problems, err := Shape(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var archive Archive
	var first Problem
	d := shapeMaker{}
	n := 0
	for q := range problems {
		if near, isNew := archive.Nearest(&q); !isNew {
			t.Errorf("%s is like %s", q.Position.ProblemSFEN(), near.ID)
		}
		if archive.Restore(&q); n == 0 {
			first = q
		}
		last := q.Position
		for _, m := range q.Line {
			last.Do(m)
		}
		if d.at = last.Occupied(); !d.isPicture(&q) {
			t.Error("it has not the shape that it has")
		}
		if d.at = d.at.Without(d.at.First()); d.isPicture(&q) {
			t.Error("it has a shape with a square less, too")
		}
		if n++; n == 4 {
			break
		}
	}
	// A figure that is like what was there before is left out.
	near := first.Position.Setup()
	far, lance := shogi.SquareAt(shogi.File1, shogi.Rank(7)), shogi.PieceOf(shogi.White, shogi.Lance)
	near.Board[far], near.Hands[shogi.White] = lance, near.Hands[shogi.White].Remove(shogi.Lance, 1)
	changed := first
	changed.Position, err = near.Position()
	if err != nil || first.Position.Piece(far) != shogi.NoPiece {
		t.Fatal(err)
	}
	changed.Key = "another"
	o.Before = []Problem{changed}
	problems, _ = Shape(t.Context(), o)
	for q := range problems {
		if q.Key == first.Key {
			t.Errorf("%s is there, but is like %s", q.Position.ProblemSFEN(), changed.Position.ProblemSFEN())
		}
		break
	}
}

// Pictures are at each place once, and turned neither way: the file of the greatest number is on the left.
func TestPicturePlaces(t *testing.T) {
	p, err := DrawPicture("#../###")
	if err != nil {
		t.Fatal(err)
	}
	places := p.places(shogi.Bitboard{})
	at := func(text string) (sq shogi.Square) {
		sq, err := shogi.ParseSquare(text)
		if err != nil {
			t.Fatal(err)
		}
		return sq
	}
	if first := shogi.BitboardOf(at("9a"), at("9b"), at("8b"), at("7b")); len(places) != 7*8 || places[0] != first {
		t.Errorf("%d places, the first\n%v", len(places), places[0])
	}
	if box := shogi.BitboardOf(at("9a"), at("9b"), at("8b"), at("7b"), at("1a")); len(p.places(box)) != 1 {
		t.Errorf("%d places in a box of its size", len(p.places(box)))
	}
}

func TestPicturesRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "no shape in it",
		"; nothing\n":               "no shape in it",
		"##\n":                      "line 1: a shape needs a name",
		"A\n##\n\na\n##\n":          "line 4: a second shape with the name a",
		"A\n##\nB\n":                "line 3: the shape B has no rows",
		"A\n##\n#x\n":               "line 1: the shape A, row 2, column 2: x is neither",
		"A\n##\n###\n":              "line 1: the shape A, row 2: 3 squares wide, but the first row is 2",
		"A\n#.\n":                   "fewer than two squares",
		"A\n##########\n":           "10 squares wide and 1 high",
		"A\n" + nine("#########\n"): "has 81 squares, but there are 39 pieces",
	} {
		if _, err := ParsePictures(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	o := ShapeOptions{Search: anyProblem(1), Picture: Pictures()[0]}
	o.MaxPieces = 3
	if _, err := o.Count(); err == nil || !strings.Contains(err.Error(), "at most 3") {
		t.Errorf("more pieces than asked for: %v", err)
	}
	o.MaxPieces, o.Box = 0, shogi.BitboardOf(0, 1)
	if _, err := o.Count(); err == nil || !strings.Contains(err.Error(), "does not fit") {
		t.Errorf("a small box: %v", err)
	}
}

func nine(row string) string { return strings.Repeat(row, 9) }
