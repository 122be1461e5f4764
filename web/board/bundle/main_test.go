package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"testing"
)

// limit is how many bytes the bundle may have under gzip at its best, which is how board.Handler
// sends it: that is what readers wait for.
const limit = 20_000

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
	var sent bytes.Buffer
	w, err := gzip.NewWriterLevel(&sent, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(got); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if sent.Len() > limit {
		t.Errorf("the bundle has %d bytes under gzip, more than %d", sent.Len(), limit)
	}
	if !bytes.Contains(got, []byte("Noto Serif CJK JP, OFL-1.1")) {
		t.Error("the bundle does not name the font of its glyphs")
	}
}
