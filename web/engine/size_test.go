package engine_test

import (
	"bytes"
	"path"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/tsumero/tsumero/web/internal/enginetest"
)

// limits are how many bytes each program may have under brotli, with less effort than it is served with: the
// best takes half a minute a program and makes them a tenth smaller.
var limits = map[string]int{"board": 1_400_000, "full": 3_300_000}

const quality = 9

// TestSizes: no program has grown beyond its limit. The programs are what readers wait for.
func TestSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles two programs")
	}
	for name, body := range enginetest.Files(t) {
		if path.Ext(name) != ".wasm" {
			continue
		}
		program, _, _ := strings.Cut(name, "-")
		var b bytes.Buffer
		w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: quality, LGWin: 24})
		if _, err := w.Write(body); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if limit := limits[program]; b.Len() > limit {
			t.Errorf("%s has %d bytes under brotli, its limit is %d", name, b.Len(), limit)
		}
		t.Logf("%s: %d bytes, %d under brotli %d", name, len(body), b.Len(), quality)
	}
}
