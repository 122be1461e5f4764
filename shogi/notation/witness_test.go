package notation_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi/notation"
)

var update = flag.Bool("update", false, "rewrite our files in testdata/witness")

// TestWitnesses compares us with two independent implementations, whose files are kept in testdata/witness: see the README
// there for what each file is.
func TestWitnesses(t *testing.T) {
	inputs, err := filepath.Glob("testdata/witness/*.usi")
	if err != nil || len(inputs) < 8 {
		t.Fatalf("%d records, %v", len(inputs), err)
	}
	for _, input := range inputs {
		name := strings.TrimSuffix(input, ".usi")
		data, err := os.ReadFile(input)
		if err != nil {
			t.Fatal(err)
		}
		r := mustParse(t, string(data))
		if strings.HasSuffix(name, "mate") {
			r = notation.NewRecord(r.Start, r.Moves(), notation.Mated)
		}
		t.Run(filepath.Base(name), func(t *testing.T) { checkWitnesses(t, name, r) })
	}
}

func checkWitnesses(t *testing.T, name string, r *notation.Record) {
	read := func(file string) []byte {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, w := range writers[:4] {
		if file := name + ".ours." + strings.ToLower(w.name); *update {
			if err := os.WriteFile(file, w.write(r), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, w := range writers[:4] {
		ext := "." + strings.ToLower(w.name)
		// What we write is what the others read as these moves.
		file := name + ".ours" + ext
		if got, want := string(w.write(r)), string(read(file)); got != want {
			t.Errorf("we write\n%s\nwant %s\n%s", got, file, want)
		}
		// What tsshogi writes, and what json-kifu-format makes of ours.
		for _, file := range []string{name + ".tsshogi" + ext, name + ".jkf-of" + ext} {
			if strings.Contains(file, ".jkf-of.jkf") || strings.Contains(file, ".jkf-of.csa") {
				continue
			}
			got, err := notation.Parse(read(file), notation.Options{})
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if a, b := got.Start, r.Start; !a.SamePosition(&b) {
				t.Errorf("%s: starts at %s, want %s", file, a.SFEN(), b.SFEN())
			}
			if a, b := moveTexts(got.Moves()), moveTexts(r.Moves()); !slices.Equal(a, b) {
				t.Errorf("%s: moves\n%q, want\n%q", file, a, b)
			}
			if got.Ending() != r.Ending() && !(r.Ending() == "" && got.Ending() == notation.Interrupted) {
				t.Errorf("%s: ends in %q, want %q", file, got.Ending(), r.Ending())
			}
		}
	}
}
