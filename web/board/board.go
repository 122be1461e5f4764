// Package board is the board that other sites put into their pages: the custom element
// <tsume-board>, in one script without dependencies, and the page that documents it.
//
// The sources are in src, in TypeScript; dist/embed.js is what the command in folder bundle makes
// of them. It is committed, so that building the server needs nothing but Go.
package board

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/etag"
)

//go:generate go run ./bundle

// Script is the bundle: a classic script that is a module as well.
//
//go:embed dist/embed.js
var Script []byte

// compressed is the script under gzip.
var compressed = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is one there is
	_, _ = w.Write(Script)                                // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
})

// The tags of both.
var (
	scriptTag     = sync.OnceValue(func() string { return etag.Of(Script) })
	compressedTag = sync.OnceValue(func() string { return etag.Of(compressed()) })
)

// Handler serves the script to pages of any origin, those that are cross-origin isolated included.
// The address never changes, so a copy is asked about again after an hour, and may be used for a
// day while that goes on.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "Method not allowed.", http.StatusMethodNotAllowed)
			return
		}
		body, tag := Script, scriptTag()
		h.Add("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			body, tag = compressed(), compressedTag()
			h.Set("Content-Encoding", "gzip")
		}
		h.Set("Content-Type", "text/javascript; charset=utf-8")
		h.Set("Cache-Control", "public, max-age=3600, stale-while-revalidate=86400")
		h.Set("ETag", tag)
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		h.Set("Timing-Allow-Origin", "*")
		h.Set("X-Content-Type-Options", "nosniff")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body)) // which knows If-None-Match
	})
}
