package shogihome

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

const answer = "id name Some Engine 1.0\r\nid author Someone\n" +
	"option name Hash type spin default 32 min 1 max 1024\n" +
	"option name Ponder type check default false\n" +
	"option name Style type combo default calm var calm var \"wild\"\n" +
	"option name File type filename default <empty>\n" +
	"option name Bare type string default\n" +
	"option name Clear type button\n" +
	"option name Two Words type string default x\n" +
	"info string ready\nusiok\nid name not this one\n"

// TestAdd reads what was made with another JSON decoder, and wants what ShogiHome makes of the same
// answer.
func TestAdd(t *testing.T) {
	path := filepath.FromSlash(`/opt/詰め <ろ>/"engine"`)
	e, err := Describe(path, answer)
	if err != nil {
		t.Fatal(err)
	}
	for name, before := range map[string]string{
		"no file":      "",
		"no engine":    `{"engines":{}}`,
		"minified":     `{"tagColorMapping":{},"engines":{"es://usi-engine/1/2":{"uri":"es://usi-engine/1/2","name":"","path":"x"}}}`,
		"spaces":       "\r\n{ \"engines\" : {\r\n} , \"tagColorMapping\": {\"a\": \"blue\"}}\r\n",
		"braces in it": `{"engines":{"es://usi-engine/1/2":{"uri":"es://usi-engine/1/2","name":"}}","path":"{,\"\\"}}}`,
	} {
		list, err := Parse([]byte(before))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, found := list.Find(path); found {
			t.Errorf("%s: the engine is there already", name)
		}
		after, err := list.Add(e, noon)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got struct {
			Engines map[string]struct {
				URI, Name, DefaultName, Author, Path string
				Options                              map[string]map[string]any
				Labels                               map[string]bool
				Tags                                 []string
			}
		}
		if err := json.Unmarshal(after, &got); err != nil {
			t.Errorf("%s: %v\n%s", name, err, after)
			continue
		}
		found := false
		for uri, e := range got.Engines {
			if e.Path != path {
				continue
			}
			found = true
			if !strings.HasPrefix(uri, "es://usi-engine/1767355200000/") || e.URI != uri ||
				e.Name != "Some Engine 1.0" || e.DefaultName != e.Name || e.Author != "Someone" ||
				!e.Labels["game"] || !e.Labels["research"] || !e.Labels["mate"] || e.Tags != nil {
				t.Errorf("%s: %s: %+v", name, uri, e)
			}
			options, err := json.Marshal(e.Options)
			const want = `{"Bare":{"name":"Bare","order":104,"type":"string"},` +
				`"Clear":{"name":"Clear","order":105,"type":"button"},` +
				`"File":{"default":"\u003cempty\u003e","name":"File","order":103,"type":"filename"},` +
				`"Hash":{"default":32,"max":1024,"min":1,"name":"Hash","order":100,"type":"spin"},` +
				`"Ponder":{"default":"false","name":"Ponder","order":101,"type":"check"},` +
				`"Style":{"default":"calm","name":"Style","order":102,"type":"combo","vars":["calm","\"wild\""]}}`
			if err != nil || string(options) != want {
				t.Errorf("%s: options\n%s\nwant\n%s", name, options, want)
			}
		}
		if !found || len(got.Engines) != len(list.Engines)+1 {
			t.Errorf("%s: %d engines of %d, found %t", name, len(got.Engines), len(list.Engines), found)
		}
		// Without the new member the bytes are those that were there.
		if at := list.at; before != "" && (string(after[:at]) != before[:at] ||
			!strings.HasSuffix(string(after), before[at:])) {
			t.Errorf("%s: something else has changed:\n%s", name, after)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, data := range []string{
		" ", "{", "[]", "null", "{}", `{"engines":[]}`, `{"engines":{}}{}`, "\ufeff{\"engines\":{}}",
		`{"engines":{},"engines":{}}`, `{"engines":{},"more":1}`, `{"engines":{"a":{}}}`,
		`{"engines":{"es://usi-engine/1/2":{"uri":"es://usi-engine/1/3","name":"a","path":"b"}}}`,
		`{"engines":{"es://usi-engine/1/2":{"uri":"es://usi-engine/1/2","path":"b"}}}`,
		`{"engines":{},"tagColorMapping":{"a":1}}`, `{"engines":{},}`,
	} {
		if l, err := Parse([]byte(data)); err == nil {
			t.Errorf("%s: %+v", data, l)
		}
	}
}

func TestDescribeRefuses(t *testing.T) {
	for _, answer := range []string{"", "id name x\n", "usiok\n", "Usage: engine [flags]\n"} {
		if e, err := Describe("x", answer); err == nil {
			t.Errorf("%q: %+v", answer, e)
		}
	}
	list, err := Parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := list.Add(Engine{Path: "x", Options: []Option{{Name: "a", Type: "spin", Min: "one"}}}, noon); err == nil {
		t.Error("a number that is none")
	}
}

// TestReplace: a file that somebody else changed, or is changing, stays; the lock and the temporary
// file of a program that was killed are in nobody's way.
func TestReplace(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "usi_engine.json")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(path, want string) {
		t.Helper()
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
	if backup, err := Replace(file, nil, []byte("one"), noon); backup != "" || err != nil {
		t.Fatal(backup, err)
	}
	holds(file, "one")
	if _, err := Replace(file, nil, []byte("two"), noon); !errors.Is(err, ErrChanged) {
		t.Errorf("a file that was not there: %v", err)
	}
	if _, err := Replace(file, []byte("zero"), []byte("two"), noon); !errors.Is(err, ErrChanged) {
		t.Errorf("a file that has changed: %v", err)
	}
	if _, err := Replace(filepath.Join(folder, "gone"), []byte("zero"), []byte("two"), noon); err == nil {
		t.Error("a file that has gone")
	}
	if err := os.Mkdir(file+".lock", 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Replace(file, []byte("one"), []byte("two"), noon); !errors.Is(err, ErrLocked) {
		t.Errorf("a file that is being written: %v", err)
	}
	holds(file, "one")

	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(file+".lock", long, long); err != nil {
		t.Fatal(err)
	}
	write(file+".tsumero.tmp", "half of")
	link := filepath.Join(folder, "link.json")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err) // Windows without the right to
	}
	backup, err := Replace(file, []byte("one"), []byte("two"), noon)
	if err != nil {
		t.Fatal(err)
	}
	holds(file, "two")
	holds(backup, "one")
	if _, err := Replace(link, []byte("two"), []byte("three"), noon.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	holds(file, "three")
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 4 { // the file, the link and two copies
		t.Errorf("the folder holds %v", entries)
	}
}
