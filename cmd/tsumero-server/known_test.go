package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/web/daily"
	"github.com/tsumero/tsumero/web/drill"
)

// The lists of a service: what is always there, files, hash keys, folders, and what is refused.
func TestKnownLists(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const sfen = "4k4/9/4P4/9/9/9/9/9/9 b G 1\n"
	works := file("works.sfen", sfen)
	d, err := collection.Describe(&collection.Problem{Position: shogi.MustParseSFEN(strings.TrimSpace(sfen)), Attacker: shogi.Black})
	if err != nil {
		t.Fatal(err)
	}
	keys := collection.HashesHeading + "\n" + d.Hashes().String() + "\tworks.sfen:1\n" // as tsumero keys prints them
	file("books/a.sfen", sfen+"9/9/9/9/9/9/9/9/9 b G 1\n")
	file("books/b.sfen", sfen)
	lists, err := knownLists(works + ", " + file("ours.keys", keys) + "," + filepath.Join(folder, "books"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range lists {
		got = append(got, l.Name)
	}
	if want := "daily drills works ours books"; strings.Join(got, " ") != want {
		t.Fatalf("%q, want %s", got, want)
	}
	for i, want := range [][2]int{{len(daily.All())}, {len(drill.All())}, {1}, {0, 1}, {2}} {
		if l := lists[i].List(); l.Len() != want[0] || l.Hashed() != want[1] {
			t.Errorf("%s has %d and %d problems, want %d", lists[i].Name, l.Len(), l.Hashed(), want)
		}
	}
	// A drill is found by its number.
	last := drill.All()[len(drill.All())-1]
	d, err = collection.Describe(&collection.Problem{Position: last.Position, Attacker: shogi.Black})
	if err != nil {
		t.Fatal(err)
	}
	found, _ := lists[1].List().Find(d, 1, collection.Duplicate)
	if len(found) != 1 || found[0].Name != strconv.Itoa(len(drill.All())) {
		t.Errorf("the last drill is %+v", found)
	}
	for _, c := range []struct{ files, want string }{
		{filepath.Join(folder, "none.sfen"), "--known "},
		{works + "," + works, `there is a list "works" already`},
		{file("daily.tsv", sfen), `there is a list "daily" already`},
		{file("text.sfen", "no problem\n"), "--known "},
		{file("empty.sfen", ""), "there is no problem"},
		{file("bad.keys", strings.Split(keys, "\n")[0]+"\nt1h:x\n"), "line 2"},
	} {
		if _, err := knownLists(c.files); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.files, err, c.want)
		}
	}
}
