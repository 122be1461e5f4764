package collection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/solver/collection"
)

// What a list finds: the closest first, each problem once, and no more than is asked for.
func TestList(t *testing.T) {
	line := []string{"S*5b", "5a4b", "5b4a"}
	const sfen = "4k4/9/4P4/4L4/9/9/9/9/9 b S 1"
	var l collection.List
	for _, c := range []struct {
		name string
		p    collection.Problem
	}{
		{"it", problem(t, sfen, line...)},
		{"hand", problem(t, "4k4/9/4P4/4L4/9/9/9/9/9 b SG 1", line...)},  // the same idea, too
		{"shifted", problem(t, "3k5/9/3P5/3L5/9/9/9/9/9 b S 1", "9i9h")}, // its line is not legal
		{"end", problem(t, "9/4Sk3/4P4/4L4/9/9/9/9/9 b - 1", "5b4a")},
	} {
		if err := l.Know(c.name, &c.p); err != nil {
			t.Fatal(err)
		}
	}
	noKing := problem(t, "9/9/9/9/9/9/9/9/9 b G 1")
	if err := l.Know("no king", &noKing); err == nil || l.Len() != 4 {
		t.Errorf("a diagram without a king: %v, %d problems", err, l.Len())
	}
	find := func(p collection.Problem, most int) string {
		found, more := l.Find(describe(t, p), most, collection.Closeness...)
		var words []string
		for _, s := range found {
			word := fmt.Sprintf("%s %v", s.Name, s.Relation)
			if s.Hashed {
				word += " hashed"
			}
			words = append(words, word)
		}
		return fmt.Sprint(strings.Join(words, ", "), " ", more)
	}
	if got, want := find(problem(t, sfen, line...), 9), "it duplicate, hand other_hand, shifted shifted, end contains false"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := find(problem(t, sfen, line...), 2), "it duplicate, hand other_hand true"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := find(problem(t, "9/9/9/9/9/9/9/9/4k4 b G 1"), 9), " false"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	// The position after two moves, known by its hashes alone.
	hashes := collection.HashesHeading + "\n" + describe(t, after(problem(t, sfen, line...), 2)).Hashes().String() +
		"\tend of it\n"
	if err := l.KnowHashes(strings.NewReader(hashes)); err != nil || l.Hashed() != 1 {
		t.Fatal(err, l.Hashed())
	}
	if got, want := find(problem(t, sfen, line...), 9),
		"it duplicate, hand other_hand, shifted shifted, end of it contains hashed, end contains false"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := find(problem(t, sfen), 9), "it duplicate, hand other_hand, shifted shifted false"; got != want {
		t.Errorf("without a line %s, want %s", got, want)
	}
}
