package collection_test

import (
	"strings"
	"testing"

	"github.com/tsumero/tsumero/solver/collection"
)

// What is recognised by hashes, and what is not.
func TestHashList(t *testing.T) {
	described := func(sfen string, line ...string) *collection.Description {
		return describe(t, problem(t, sfen, line...))
	}
	line := []string{"S*5b", "5a4b", "5b4a"}
	known := described("4k4/9/4P4/4L4/9/9/9/9/9 b S 1", line...)
	var l collection.HashList
	short := described("4k4/9/4P4/9/9/9/9/9/9 b G 1", "G*5b")
	if n, err := l.Read(strings.NewReader(collection.HashesHeading + "\n" + known.Hashes().String() + "\tone\n" +
		short.Hashes().String() + "\ttwo\n")); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	for _, c := range []struct {
		name string
		d    *collection.Description
		want string
	}{
		{"the same", known, "duplicate one"},
		{"without its line", described("4k4/9/4P4/4L4/9/9/9/9/9 b S 1"), "duplicate one"},
		{"another hand", described("4k4/9/4P4/4L4/9/9/9/9/9 b G 1"), "other_hand one"},
		{"elsewhere", described("3k5/9/3P5/3L5/9/9/9/9/9 b S 1"), "shifted one"},
		{"the same line", described("4k4/9/4P4/9/4L4/9/9/9/9 b S 1", line...), "same_idea one"},
		{"the same line of one ply", described("3nk4/9/4P4/9/9/9/9/9/9 b G 1", "G*5b"), ""},
		{"a piece more", described("4k4/9/4P4/4L4/9/9/9/9/8P b S 1"), ""},
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
