// Package board is the board that other sites put into their pages: the custom element
// <tsume-board>, in scripts without dependencies, and the page that documents it.
//
// The sources are in src, in TypeScript; folder dist has what the command in folder bundle makes of
// them: embed.js, which pages include, and files embed-NAME.js, which it loads from the same place
// when a reader needs them. They are committed, so that building the server needs nothing but Go.
// A site that hosts the board itself copies them all into one folder.
package board

import (
	"bytes"
	"compress/gzip"
	"embed"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/httpheader"
)

//go:generate go run ./bundle

//go:embed dist
var dist embed.FS

const first = "embed.js" // the script that pages include

// A file is one of the scripts.
type file struct {
	script, compressed []byte // the latter under gzip
	tag, compressedTag string
}

// files returns the scripts by name.
var files = sync.OnceValue(func() map[string]file {
	all := make(map[string]file)
	entries, _ := dist.ReadDir("dist") // it is there, and so are the files
	for _, entry := range entries {
		script, _ := dist.ReadFile("dist/" + entry.Name())
		short := compress(script)
		all[entry.Name()] = file{script, short, httpheader.ETag(script), httpheader.ETag(short)}
	}
	return all
})

func compress(script []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is one there is
	_, _ = w.Write(script)                                // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// Version returns the version of the scripts, which is in the addresses of those that are loaded later.
func Version() string { return version() }

// version returns the version of the scripts. Those that are loaded later export it.
var version = sync.OnceValue(func() string {
	versionIn := regexp.MustCompile(`export const version="(\w+)"`)
	return string(versionIn.FindSubmatch(files()["embed-edit.js"].script)[1])
})

// Scripts returns the scripts by their names, for a folder of another server. The caller must not
// change them.
func Scripts() map[string][]byte {
	all := make(map[string][]byte)
	for name, f := range files() {
		all[name] = f.script
	}
	return all
}

// Register has a server answer for the scripts, at its root.
func Register(mux *http.ServeMux) {
	for name := range files() {
		mux.Handle("/"+name, Handler())
	}
}

// How long a copy of a script may be used. One whose address names its version never changes. The
// first one is asked about again after an hour, and may be used for a day while that goes on. An
// older copy of it may ask for a version of another script that is not here.
const (
	cacheVersion = "public, max-age=31536000, immutable"
	cacheLatest  = "public, max-age=3600, stale-while-revalidate=86400"
	cacheOther   = "no-cache"
)

// Handler serves the scripts, under their names in any folder, to pages of any origin, those that
// are cross-origin isolated included.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		name := path.Base(r.URL.Path)
		f, ok := files()[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "Method not allowed.", http.StatusMethodNotAllowed)
			return
		}
		body, tag := f.script, f.tag
		h.Add("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			body, tag = f.compressed, f.compressedTag
			h.Set("Content-Encoding", "gzip")
		}
		cache := cacheOther
		if r.URL.Query().Get("v") == version() {
			cache = cacheVersion
		} else if name == first {
			cache = cacheLatest
		}
		h.Set("Content-Type", "text/javascript; charset=utf-8")
		h.Set("Cache-Control", cache)
		h.Set("ETag", tag)
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		h.Set("Timing-Allow-Origin", "*")
		h.Set("X-Content-Type-Options", "nosniff")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body)) // which knows If-None-Match
	})
}
