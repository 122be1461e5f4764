package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestForeignTextIsVisible: what titles, authors and names of files say to a terminal or of the
// direction of text is seen and not done, wherever it is printed for people. Records keep it.
func TestForeignTextIsVisible(t *testing.T) {
	hidden := regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f\x{80}-\x{9f}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)
	dir := t.TempDir()
	in := filepath.Join(dir, "a\x1b[32m\u202eb.tsv")
	const list = "sfen\ttitle\tauthor\n4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1\t題\u202e\x1b[31m\a\t甲\u2067\x1b]0;x\a\nnonsense\x1b\u202e\n"
	if err := os.WriteFile(in, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	site, title := filepath.Join(dir, "site"), "集\u202e\x1b"
	for _, args := range [][]string{
		{"solve", in}, {"analyze", in}, {"keys", in}, {"collection", in}, {"collection", "-o", "html", "--title", title, in},
		{"collection", "-o", "folder", "--title", title, "--to", site, in}, {"solve", "4k4/\x1b\u202e b"}, {"solve", "no\x1b\u202e.kif"}, {"analyze", "no\x1b"},
	} {
		_, stdout, stderr := tsumero(t.Context(), "", args...)
		for _, text := range []string{stdout, stderr} {
			if at := hidden.FindStringIndex(text); at != nil {
				t.Errorf("%q prints %q", args, text[max(0, at[0]-60):min(len(text), at[1]+20)])
			}
		}
		if all := stdout + stderr; args[1] == in && !strings.Contains(all, `\x1b`) {
			t.Errorf("%q does not show what is in the text: %q", args, all)
		}
	}
	pages, _ := filepath.Glob(filepath.Join(site, "*.html"))
	for _, page := range pages {
		if text, err := os.ReadFile(page); err != nil || hidden.Match(text) || !strings.Contains(string(text), `\u202e`) {
			t.Errorf("%s, %v, has %q", page, err, hidden.Find(text))
		}
	}
	kif, err := os.ReadFile(filepath.Join(site, "1.kif"))
	if err != nil || len(pages) < 2 || !strings.Contains(string(kif), "題\u202e") {
		t.Errorf("%d pages, and the record %q, %v", len(pages), kif, err)
	}
}
