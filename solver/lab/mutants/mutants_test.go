package mutants

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestList: each row's old text is found once in its file, so that the list cannot rot.
func TestList(t *testing.T) {
	all, err := All()
	if err != nil || len(all) == 0 {
		t.Fatalf("%d rows, %v", len(all), err)
	}
	seen := map[string]bool{}
	for _, m := range all {
		if seen[m.ID] {
			t.Errorf("%s is there twice", m.ID)
		}
		seen[m.ID] = true
		source, err := os.ReadFile(filepath.Join("../../..", m.File))
		if err != nil {
			t.Errorf("%s: %v", m.ID, err)
		} else if _, err := m.Apply(string(source)); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join("../../..", m.Package)); err != nil {
			t.Errorf("%s: %v", m.ID, err)
		}
	}
}

func TestParse(t *testing.T) {
	all, err := parse("# a remark\na x/y.go what, and why\n@ z\n= no matter\n-\tone\n-two\n+\n\n" +
		"b x/y.go more\n-one\n+two")
	want := []Mutant{{"a", "x/y.go", "what, and why", "z", "\tone\ntwo", "", "no matter"},
		{"b", "x/y.go", "more", "x", "one", "two", ""}}
	if err != nil || len(all) != 2 || all[0] != want[0] || all[1] != want[1] {
		t.Errorf("%+v, %v", all, err)
	}
	for _, text := range []string{"a x.go", "a x.go what\nelse"} {
		if _, err := parse(text); err == nil || !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%q: %v", text, err)
		}
	}
	m := Mutant{Old: "one", New: "two"}
	for source, want := range map[string]string{"one": "two", "one one": "", "none": "ntwo", "": ""} {
		if got, err := m.Apply(source); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", source, got, err)
		}
	}
}
