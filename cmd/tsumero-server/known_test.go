package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/web/daily"
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
	if want := "daily works ours books"; strings.Join(got, " ") != want {
		t.Fatalf("%q, want %s", got, want)
	}
	if lists[0].List.Len() != len(daily.All()) || lists[1].List.Len() != 1 || lists[2].List.Len() != 0 || lists[2].List.Hashed() != 1 || lists[3].List.Len() != 2 {
		t.Errorf("%d, %d, %d and %d, %d problems", lists[0].List.Len(), lists[1].List.Len(), lists[2].List.Len(), lists[2].List.Hashed(), lists[3].List.Len())
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
