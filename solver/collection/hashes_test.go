package collection_test

import (
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/collection"
)

// What is recognised by hashes, and what is not.
func TestHashList(t *testing.T) {
	describe := func(sfen string, moves ...string) *collection.Description {
		t.Helper()
		game, err := shogi.ParsePosition(sfen)
		if err != nil {
			t.Fatal(err)
		}
		p := collection.Problem{Position: game.Position(), Attacker: shogi.Black}
		for _, text := range moves {
			m, err := shogi.ParseMove(text)
			if err != nil {
				t.Fatal(err)
			}
			p.Line = append(p.Line, m)
		}
		d, err := collection.Describe(&p)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	line := []string{"S*5b", "5a4b", "5b4a"}
	known := describe("4k4/9/4P4/4L4/9/9/9/9/9 b S 1", line...)
	var l collection.HashList
	if n, err := l.Read(strings.NewReader(collection.HashesHeading + "\n" + known.Hashes().String() + "\tone\n")); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	for _, c := range []struct {
		name string
		d    *collection.Description
		want string
	}{
		{"the same", known, "duplicate one"},
		{"without its line", describe("4k4/9/4P4/4L4/9/9/9/9/9 b S 1"), "duplicate one"},
		{"another hand", describe("4k4/9/4P4/4L4/9/9/9/9/9 b G 1"), "other_hand one"},
		{"elsewhere", describe("3k5/9/3P5/3L5/9/9/9/9/9 b S 1"), "shifted one"},
		{"the same line", describe("4k4/9/4P4/9/4L4/9/9/9/9 b S 1", line...), "same_idea one"},
		{"a piece more", describe("4k4/9/4P4/4L4/9/9/9/9/8P b S 1"), ""},
	} {
		name, r, ok := l.Find(c.d)
		got := ""
		if ok {
			got = r.String() + " " + name
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
