package collection_test

import (
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/collection"
)

// problem returns the problem of an SFEN and a line.
func problem(t *testing.T, sfen string, line ...string) collection.Problem {
	t.Helper()
	p := collection.Problem{Position: shogi.MustParseSFEN(sfen)}
	for _, text := range line {
		m, err := shogi.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		p.Line = append(p.Line, m)
	}
	return p
}

// A step is the kind, whether it is a drop or a capture, where to as seen from the king, and whether
// it promotes. Of a line and its mirror image the smaller one is taken.
func TestLineKey(t *testing.T) {
	for _, test := range []struct{ sfen, move, want string }{
		{"4k4/9/4P4/9/9/9/9/9/9 b G 1", "G*5b", "G*0,1"},
		{"4k4/9/4P4/9/9/9/9/9/9 b S 1", "S*5b", "S*0,1"},
		{"4k4/9/4P4/9/9/9/9/9/9 b G 1", "G*4b", "G*-1,1"},
		{"4k4/9/4P4/9/9/9/9/9/9 b G 1", "G*6b", "G*-1,1"},
		{"4k4/9/4P4/9/9/9/9/9/9 b - 1", "5c5b", "P-0,1"},
		{"4k4/9/4P4/9/9/9/9/9/9 b - 1", "5c5b+", "P-0,1+"},
		{"4k4/4p4/4P4/9/9/9/9/9/9 b - 1", "5c5b", "Px0,1"},
		{"4k4/4p4/4P4/9/9/9/9/9/9 b - 1", "5c5b+", "Px0,1+"},
		{"4k4/9/4+P4/9/9/9/9/9/9 b - 1", "5c5b", "+P-0,1"},
		{"9/9/9/9/4k4/9/4P4/9/9 b - 1", "5g5f", "P-0,1"}, // wherever the king stands
	} {
		p := problem(t, test.sfen, test.move)
		if got := describe(t, p).LineKey(); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.sfen, test.move, got, test.want)
		}
	}
}

// The final figure has the pieces without which it is no mate, and the last move. It does not matter
// what the defender could still interpose.
func TestFinal(t *testing.T) {
	const gold = "t1e:G0,1 P0,2 G*0,1"
	for _, test := range []struct{ name, sfen, move, want string }{
		{"gold", "4k4/9/4P4/9/9/9/9/9/9 b G 1", "G*5b", gold},
		{"elsewhere", "9/7k1/9/7P1/9/9/9/9/9 b G 1", "G*2c", ""}, // the king goes back to 2a
		{"a pawn that has no part", "4k4/9/4P4/9/9/9/9/9/P8 b G 1", "G*5b", gold},
		{"an own piece in the king's way that has none", "3nk4/9/4P4/9/9/9/9/9/9 b G 1", "G*5b", gold},
		{"an own piece that could take", "3gk4/9/4P4/9/9/9/9/9/9 b G 1", "G*5b", ""},
		{"no mate", "4k4/9/9/9/9/9/9/9/9 b G 1", "G*5b", ""},
		// The pawn on 8b and the one that guards it could each be spared, the one on 9b could not.
		{"nothing to interpose", "k8/pp+P6/9/9/9/9/9/9/4R4 b - 1", "5i5a+", "t1e:+R-4,0 p0,1 R--4,0+"},
		{"futile interpositions", "k8/pp+P6/9/9/9/9/9/9/4R4 b rb 1", "5i5a+", "t1e:+R-4,0 p0,1 R--4,0+"},
	} {
		p := problem(t, test.sfen, test.move)
		if got := describe(t, p).Final; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// Lines of five steps are one idea if they differ in one of them, wherever that is, and not if they
// differ in two, unless the first three are the same.
func TestSameIdea(t *testing.T) {
	const sfen = "4k4/9/9/9/9/9/P8/9/9 b 2G2S 1" // the pawn makes it another problem
	first := problem(t, "4k4/9/9/9/9/9/9/9/9 b 2G2S 1", "S*9i", "5a4a", "G*4d", "4a4b", "G*3i")
	for _, test := range []struct {
		name  string
		other collection.Problem
		want  bool
	}{
		{"the first", problem(t, sfen, "S*8i", "5a4a", "G*4d", "4a4b", "G*3i"), true},
		{"the second", problem(t, sfen, "S*9i", "5a5b", "G*5e", "5b5c", "G*4i"), false}, // and where the last goes
		{"the last", problem(t, sfen, "S*9i", "5a4a", "G*4d", "4a4b", "G*2i"), true},
		// As seen from the king the last three are the same.
		{"the first two", problem(t, sfen, "S*8i", "5a6a", "G*6d", "6a6b", "G*5i"), false},
		{"the last two", problem(t, sfen, "S*9i", "5a4a", "G*4d", "4a3b", "G*3i"), true},
	} {
		var x collection.Index
		x.Add(describe(t, first))
		match := func(m collection.Match) bool { return m.Relation == collection.SameIdea }
		if got := slices.ContainsFunc(x.Related(describe(t, test.other), collection.SameIdea), match); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
