package engine_test

import (
	"bytes"
	"path"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/tsumero/tsumero/web/internal/enginetest"
)

// limits are how many bytes each program may have under brotli at its best, which is how it is served:
// that is what readers wait for.
var limits = map[string]int{"board": 1_210_000, "full": 2_800_000}

// TestSizes: no program has grown beyond its limit.
func TestSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles two programs")
	}
	for name, body := range enginetest.Files(t) {
		if path.Ext(name) != ".wasm" {
			continue
		}
		program, _, _ := strings.Cut(name, "-")
		quality := brotli.BestCompression
		if program == "full" {
			quality = 9
		}
		var b bytes.Buffer
		w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: quality, LGWin: 24})
		if _, err := w.Write(body); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		limit := limits[program]
		if quality < brotli.BestCompression {
			limit += limit / 6 // less effort, in a tenth of the time
		}
		if b.Len() > limit {
			t.Errorf("%s has %d bytes under brotli, its limit is %d", name, b.Len(), limit)
		}
		t.Logf("%s: %d bytes, %d under brotli %d", name, len(body), b.Len(), quality)
	}
}
