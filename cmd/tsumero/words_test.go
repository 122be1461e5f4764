package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/scripttest"
)

// TestErrorsInWords: whatever is wrong with what a person gives a command, it is said in our words.
func TestErrorsInWords(t *testing.T) {
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pdf := file("a.kif", "%PDF-1.7\n\x80\x81")
	broken := file("b.jkf", `{"header":{"a":1},"moves":[{]}`)
	kind := file("c.jkf", `{"header":{},"moves":"x"}`)
	half := file("d.jkf", `{"header":{},"moves":[`)
	kif := file("e.kif", "手合割：平手\n1 ９九金打\nx(abc)\n")
	csa := file("f.csa", "PI\n+\n+77")
	for _, args := range [][]string{
		{"solve", "--time", "x"}, {"solve", "--time", "5"}, {"solve", "--time", "99999999h"},
		{"solve", "--nodes", "x"}, {"solve", "--nodes", "-1"}, {"solve", "--nodes", "99999999999999999999"},
		{"solve", "--plies", "x"}, {"solve", "--jobs", "x"}, {"solve", "--memory", "x"},
		{"solve", "--board=x"}, {"solve", "--length", "x", "4k4"}, {"analyze", "--time", "x"},
		{"solve", "4k4/9/4G4/9/9/9"}, {"solve", "4k4/9/4G4/9/9/9/9/9/9 b G x"}, {"solve", "startpos moves x"},
		{"solve", "4k4/9/4G4/9/9/9/9/9/9 b 99999999999999999999G 1"},
		{"solve", "https://lishogi.org/abc"}, {"solve", "https://example.org/?sfen=%zz"},
		{"solve", "https://example.org/?xbody=!!"}, {"solve", "https://example.org/?usen=~x.y.z"},
		{"solve", pdf}, {"solve", broken}, {"solve", kind}, {"solve", half}, {"analyze", kif}, {"solve", csa},
		{"analyze", csa}, {"solve", "--after", "9", kif}, {"solve", "--after", "x", kif},
		{"certificate", broken}, {"solve", filepath.Join(folder, "none.kif")},
		{"solve", "--file", filepath.Join(folder, "none.kif")},
		{"play", "--seed", "x"}, {"compose", "reverse", "--plies", "x"}, {"compose", "reverse", "--cpu", "x"},
		{"compose", "hands", "x"}, {"compose", "place", "--piece", "?", "4k4"}, {"compose", "shape", "--shapes", pdf, "T"},
		{"compose", "shape", "#x"}, {"compose", "line", "x"}, {"compose", "line", "--helpers", "x", "52金"},
		{"submit", "--server", "%zz", kif},
	} {
		code, stdout, stderr := tsumero(t.Context(), "", args...)
		all := stdout + stderr
		if code == 0 || strings.TrimSpace(all) == "" {
			t.Errorf("%q: exit code %d, %q", args, code, all)
		}
		if word := scripttest.GoWords.FindString(all); word != "" {
			t.Errorf("%q says %q:\n%s", args, word, all)
		}
	}
}
