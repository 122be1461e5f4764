package main

import (
	"bytes"
	"compress/gzip"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// limits are how many bytes each file may have under gzip at its best, which is how board.Handler
// sends it: that is what readers wait for.
var limits = map[string]int{
	"embed.js":           20_000,
	"embed-api.js":       3_000,
	"embed-brinkmate.js": 4_000,
	"embed-edit.js":      5_000,
	"embed-ended.js":     3_000,
	"embed-engine.js":    3_000,
	"embed-help.js":      3_000,
	"embed-keys.js":      2_000,
	"embed-more.js":      4_000,
	"embed-pairs.js":     4_000,
	"embed-progress.js":  3_000,
	"embed-record.js":    6_000,
	"embed-run.js":       6_500,
	"embed-set.js":       7_500,
	"embed-typed.js":     4_000,
}

// What is committed is what the sources give, and is small.
func TestBundle(t *testing.T) {
	files, err := build("..")
	if err != nil {
		t.Fatal(err)
	}
	committed, err := filepath.Glob("../dist/*")
	if err != nil || len(committed) != len(files) {
		t.Errorf("folder dist has %q (%v), and the sources give %q", committed, err, slices.Sorted(maps.Keys(files)))
	}
	for name, got := range files {
		want, err := os.ReadFile("../dist/" + name)
		if err != nil {
			t.Error(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("dist/%s is not what the sources give: run go generate ./web/board", name)
		}
		if bytes.Contains(got, []byte(versionMark)) {
			t.Errorf("%s has no version", name)
		}
		size := compressedSize(t, got)
		if limit, ok := limits[name]; !ok || size > limit {
			t.Errorf("%s has %d bytes under gzip, its limit is %d", name, size, limit)
		}
		t.Logf("%s: %d bytes, %d under gzip", name, len(got), size)
	}
	if !bytes.Contains(files["embed.js"], []byte("Noto Serif CJK JP, OFL-1.1")) {
		t.Error("the bundle does not name the font of its glyphs")
	}
}

// TestImports: no source imports itself, by way of whatever others, also where it is for a type alone.
func TestImports(t *testing.T) {
	files, err := filepath.Glob("../src/*.ts")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	left := map[string][]string{} // sources that may be part of a ring, and what they import
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".ts")
		left[name] = nil
		for _, found := range importedSource.FindAllStringSubmatch(string(text), -1) {
			left[name] = append(left[name], found[1])
		}
	}
	for before := 0; before != len(left); {
		before = len(left)
		maps.DeleteFunc(left, func(_ string, imports []string) bool {
			return !slices.ContainsFunc(imports, func(name string) bool { _, ok := left[name]; return ok })
		})
	}
	if len(left) > 0 {
		t.Errorf("these import themselves, or what does: %q", left)
	}
}

var importedSource = regexp.MustCompile(`(?m)^(?:import|export|\}).* from "\./(\w+)";$`)

func compressedSize(t *testing.T, script []byte) int {
	t.Helper()
	var sent bytes.Buffer
	w, err := gzip.NewWriterLevel(&sent, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(script); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return sent.Len()
}
