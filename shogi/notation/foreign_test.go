package notation_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi/notation"
)

var foreign = flag.String("foreign", "", "a folder of records that others wrote, which TestForeign reads")

// TestForeign reads the records of a folder, at any depth, and lists those that are refused with
// the reason. It is for looking at what other programs write, none of which is kept here.
func TestForeign(t *testing.T) {
	if *foreign == "" {
		t.Skip("no -foreign")
	}
	extensions := []string{".kif", ".kifu", ".ki2", ".ki2u", ".bod", ".csa", ".jkf", ".sfen", ".usi"}
	read, noted, refused := 0, 0, 0
	err := filepath.WalkDir(*foreign, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() ||
			!slices.Contains(extensions, strings.ToLower(filepath.Ext(path))) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		records, err := notation.ParseAll(data, notation.Options{})
		if err != nil {
			refused++
			t.Logf("refused: %s: %v", path, err)
			return nil
		}
		read++
		for _, r := range records {
			for _, n := range r.Notes {
				noted++
				t.Logf("note: %s: %+v", path, n)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d read, %d of them with notes, %d refused", read, noted, refused)
}
