package compose

import (
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

// given returns what USI says of moves, and of some of them the kind, after a colon.
func given(t *testing.T, text string) (list []GivenMove) {
	t.Helper()
	for word := range strings.FieldsSeq(text) {
		usi, kind, _ := strings.Cut(word, ":")
		m, err := shogi.ParseMove(usi)
		if err != nil {
			t.Fatal(err)
		}
		g := GivenMove{To: m.To(), From: shogi.NoSquare, Promotes: m.IsPromotion(), Drop: m.IsDrop()}
		if m.IsDrop() {
			g.Kind = m.Dropped()
		} else {
			g.From = m.From()
		}
		for k := shogi.Pawn; k <= shogi.Dragon; k++ {
			if k.String() == kind {
				g.Kind = k
			}
		}
		list = append(list, g)
	}
	return list
}

// TestLines: what is yielded has the moves as its solution by an analysis that does not know of them,
// and nothing but what is needed.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		moves   string
		helpers int
		figures int
		first   string
	}{
		{"G*5b", 1, 1569, "4kS3/9/9/9/9/9/9/9/9 b G2r2b3g3s4n4l18p 1"},
		{"2b2a+:P 1a2a:K S*1b", 1, 387, "8k/5+R1P1/9/9/9/9/9/9/9 b Sr2b4g3s4n4l17p 1"},
	} {
		o := LineOptions{Search: anyProblem(2), Moves: given(t, c.moves), Helpers: c.helpers, Reach: 2}
		if n, err := o.Count(); n != c.figures || err != nil {
			t.Errorf("%s: %d figures, want %d: %v", c.moves, n, c.figures, err)
		}
		problems, err := Lines(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		e := newExaminer(o.NewSession(), &o.Conditions, thorough)
		e.Least, e.Most = len(o.Moves), len(o.Moves)
		var before []shogi.Position
		for q := range problems {
			if len(before) == 0 && q.Position.ProblemSFEN() != c.first {
				t.Errorf("%s: first %s", c.moves, q.Position.ProblemSFEN())
			}
			if r, fate := e.finish(t.Context(), q.Position); fate != Sound || len(r.Line) != len(o.Moves) {
				t.Errorf("%s: %s is %v", c.moves, q.Position.ProblemSFEN(), fate)
			}
			for i := range before {
				if isMore(&q.Position, &before[i]) {
					t.Errorf("%s: %s is %s and more", c.moves, q.Position.ProblemSFEN(), before[i].ProblemSFEN())
				}
			}
			if before = append(before, q.Position); len(before) == 5 {
				break
			}
		}
		if len(before) < 3 {
			t.Errorf("%s: only %d problems", c.moves, len(before))
		}
	}
}

// Each line of a problem that Reverse made leads back to its diagram: what stands there besides is searched.
func TestLinesFindTheDiagram(t *testing.T) {
	p := shogi.MustParseSFEN("7nl/7k1/6s2/7P1/9/9/9/9/9 b GS2r2b3g2s3n3l17p 1")
	o := LineOptions{Search: anyProblem(1), Moves: given(t, "S*2c 2b1c:K G*1d"), Helpers: 3, Reach: 2}
	list, err := o.sketches()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, s := range list {
		with := s.setup
		for _, l := range s.slots {
			if p.Piece(l.square) == l.piece && with.Board[l.square] == shogi.NoPiece {
				with.Board[l.square] = l.piece
			}
		}
		q, err := with.Position()
		q.GiveMissing(shogi.White)
		found = found || err == nil && q.ProblemSFEN() == p.ProblemSFEN()
	}
	if !found {
		t.Errorf("none of %d sketches can become %s", len(list), p.ProblemSFEN())
	}
}

// Each choice of slots is a figure once.
func TestLineFigures(t *testing.T) {
	o := LineOptions{Search: anyProblem(1), Moves: given(t, "G*5b"), Helpers: 2, Reach: 1}
	n, err := o.Count()
	if err != nil {
		t.Fatal(err)
	}
	levels, _, _ := o.levels()
	sum := 0
	for i, l := range levels {
		if l.first != sum {
			t.Errorf("level %d begins at %d, want %d", i, l.first, sum)
		}
		sum += int(choices(len(l.sketch.slots), l.helpers))
	}
	if sum != n {
		t.Errorf("%d figures, want %d", sum, n)
	}
}

func TestLinesRefused(t *testing.T) {
	for moves, want := range map[string]string{
		"G*5b 5a4b":                          "must end with a move of the attacker",
		"5a5b:K":                             "move 1 is one of Black's king",
		"5b5a+:G":                            "a gold does not promote",
		"5b5a:P":                             "a pawn could never move from 5a",
		"G*5b 5b5c:K G*6c":                   "move 2 cannot be: no piece can come to 5c",
		"G*5b 5a5b:K G*5b":                   "move 3 cannot be: no piece can come to 5b",
		"P*5b 1a1b:P P*9i":                   "no square for White's king",
		"5b5a:S 5a4a:K 4b4a:S":               "move 2 cannot be",
		"R*5b 1a2a R*5c 2a1a R*5d 1a2a R*5e": "there are not so many R",
	} {
		o := LineOptions{Search: anyProblem(1), Moves: given(t, moves), Helpers: 1, Reach: 1}
		if _, err := o.Count(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", moves, err, want)
		}
	}
	o := LineOptions{Search: anyProblem(1), Moves: given(t, "S*2c 2b2c:K G*2d"), Helpers: 4, Reach: 8}
	if _, err := o.Count(); err == nil || !strings.Contains(err.Error(), "ask for fewer pieces") {
		t.Errorf("a great space: %v", err)
	}
	o.Helpers = 9
	if _, err := o.Count(); err == nil || !strings.Contains(err.Error(), "at most 4") {
		t.Errorf("many helpers: %v", err)
	}
}
