package main

import (
	"bytes"
	"os"
	"testing"
)

// limit is how many bytes the bundle may have: 30 KB, however one counts them.
const limit = 30_000

// What is committed is what the sources give, and is small.
func TestBundle(t *testing.T) {
	got, err := build("..")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../dist/embed.js")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("dist/embed.js is not what the sources give: run go generate ./web/board")
	}
	if len(got) > limit {
		t.Errorf("the bundle has %d bytes, more than %d", len(got), limit)
	}
	if !bytes.Contains(got, []byte("Noto Serif CJK JP, OFL-1.1")) {
		t.Error("the bundle does not name the font of its glyphs")
	}
}
