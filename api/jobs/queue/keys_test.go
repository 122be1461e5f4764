package queue

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var classes = []string{"anonymous", "key"}

func digest(key string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(key))) }

func TestReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := LoadKeys(path, classes); err == nil {
		t.Error("a file that there is not")
	}
	// The second digest is that of "abc" in FIPS 180-4.
	write("# ours\n\n anna " + digest("one") + " key\r\n" +
		"ben\tba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\tanonymous")
	l, err := LoadKeys(path, classes)
	if err != nil || l.Len() != 2 {
		t.Fatal(l, err)
	}
	check := func(key string, want KeyOwner) {
		t.Helper()
		if got, ok := l.Find(key); got != want || ok != (want != KeyOwner{}) {
			t.Errorf("%q: %v, %v", key, got, ok)
		}
	}
	check("one", KeyOwner{"anna", "key"})
	check("abc", KeyOwner{"ben", "anonymous"})
	check("", KeyOwner{})
	check("two", KeyOwner{})
	check(digest("one"), KeyOwner{})

	write("anna broken")
	if err := l.Reload(); err == nil {
		t.Error("a broken file was taken")
	}
	check("one", KeyOwner{"anna", "key"})
	write("carl " + digest("two") + " key\n")
	if err := l.Reload(); err != nil {
		t.Error(err)
	}
	check("one", KeyOwner{})
	check("two", KeyOwner{"carl", "key"})
}

func TestFaults(t *testing.T) {
	good := digest("x")
	for text, want := range map[string]string{
		"a " + good:                                     "line 1: found 2 words",
		"\na " + good + " key more":                     "line 2: found 4 words",
		"a secretsecret key":                            "line 1: the second word",
		"a " + good[:62] + " key":                       "line 1: the second word",
		"a " + good + " boss":                           `line 1: there is no class "boss"`,
		"a " + good + " key\na " + digest("y") + " key": `line 2: the name "a" is that of line 1`,
		"a " + good + " key\nb " + good + " key":        "line 2: the key is that of line 1",
		strings.Repeat("a", 49) + " " + good + " key":   "line 1: the name has 49 bytes",
		strings.Repeat("a", 1<<17):                      "token too long",
	} {
		_, err := parseKeys(strings.NewReader(text), classes)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: %v, want %q", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the key is repeated: %v", err)
		}
	}
}

// Whatever is taken has a name, a class that there is, and is found by its digest alone.
func FuzzParse(f *testing.F) {
	f.Add("anna " + digest("one") + " key\n# x\n")
	f.Add("a b c\n\x00 d")
	f.Fuzz(func(t *testing.T, text string) {
		entries, err := parseKeys(strings.NewReader(text), classes)
		if err != nil {
			return
		}
		names := map[string]bool{}
		for _, e := range entries {
			if e.Name == "" || names[e.Name] || e.Class != "key" && e.Class != "anonymous" {
				t.Errorf("%+v", e)
			}
			names[e.Name] = true
			if !strings.Contains(strings.ToLower(text), fmt.Sprintf("%x", e.digest)) {
				t.Errorf("the digest of %q is not in the text", e.Name)
			}
		}
	})
}
