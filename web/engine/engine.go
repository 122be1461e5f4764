// Package engine is the solver for browsers: programs of WebAssembly and the script of the Worker
// that runs them. The board loads them where its attribute engine allows it.
//
// The files are not in the repository: each change of a search would change megabytes. The command
// in folder build makes them, with nothing but Go:
//
//	go generate ./web/engine
//
// A program that was built without them works, and offers no solver to browsers.
package engine

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"maps"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/tsumero/tsumero/api/httpheader"
)

//go:generate go run ./build

//go:embed all:dist
var dist embed.FS

// Folder is where the files lie, below the script of the board.
const Folder = "engine"

// Script is the name of the script of the Worker. It knows the names of the programs, which change
// with their content.
const Script = "engine.js"

// A file is kept as it was built, under brotli, and made into something else for those who ask.
type file struct {
	brotli      []byte
	plain, gzip func() []byte
	etag        string
	isForEver   bool // its name changes with its content
	contentType string
}

var files = sync.OnceValue(func() map[string]*file {
	all := map[string]*file{}
	entries, _ := dist.ReadDir("dist") // it is there, and so are the files
	for _, entry := range entries {
		name, isFile := strings.CutSuffix(entry.Name(), ".br")
		if !isFile {
			continue
		}
		body, _ := dist.ReadFile("dist/" + entry.Name())
		f := &file{brotli: body, etag: httpheader.ETag(body), isForEver: name != Script,
			contentType: mime.TypeByExtension(path.Ext(name))}
		if path.Ext(name) == ".wasm" {
			f.contentType = "application/wasm" // also where the system has no such type
		}
		f.plain = sync.OnceValue(func() []byte {
			plain, _ := io.ReadAll(brotli.NewReader(bytes.NewReader(body))) // as it was written
			return plain
		})
		f.gzip = sync.OnceValue(func() []byte {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, _ = w.Write(f.plain()) // a buffer takes everything
			_ = w.Close()
			return b.Bytes()
		})
		all[name] = f
	}
	return all
})

// ForBoards returns the files that boards of problems need, by their names in Folder, for another
// server; none if they were not built. The caller must not change them.
func ForBoards() map[string][]byte {
	all := make(map[string][]byte)
	for name, f := range files() {
		if !IsForTools(name) {
			all[name] = f.plain()
		}
	}
	return all
}

// IsForTools reports whether a file is for analyses, records and games alone.
func IsForTools(name string) bool { return strings.HasPrefix(name, "full-") }

// Built reports whether there are files.
func Built() bool { return len(files()) > 0 }

// Addresses returns the paths, below the root of a service, of the files that boards of problems need,
// and of those that the tools need besides.
func Addresses() (boards, tools []string) {
	for _, name := range slices.Sorted(maps.Keys(files())) {
		list := &boards
		if IsForTools(name) {
			list = &tools
		}
		*list = append(*list, "/"+Folder+"/"+name)
	}
	return boards, tools
}

// Register has a server answer for the files.
func Register(mux *http.ServeMux) {
	for name := range files() {
		mux.Handle("/"+Folder+"/"+name, Handler())
	}
}

// Handler serves the files to pages of any origin, those that are cross-origin isolated included.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := files()[path.Base(r.URL.Path)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "Method not allowed.", http.StatusMethodNotAllowed)
			return
		}
		// Browsers take brotli only where nobody can read or change what is sent.
		body, coding := f.brotli, "br"
		if accepted := r.Header.Get("Accept-Encoding"); !strings.Contains(accepted, "br") {
			body, coding = f.plain(), ""
			if strings.Contains(accepted, "gzip") {
				body, coding = f.gzip(), "gzip"
			}
		}
		h.Add("Vary", "Accept-Encoding")
		if coding != "" {
			h.Set("Content-Encoding", coding)
		}
		h.Set("Cache-Control", "no-cache")
		if f.isForEver {
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		h.Set("Content-Type", f.contentType)
		h.Set("ETag", strings.TrimSuffix(f.etag, `"`)+"-"+coding+`"`)
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		h.Set("Timing-Allow-Origin", "*")
		h.Set("X-Content-Type-Options", "nosniff")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body)) // which knows If-None-Match
	})
}
