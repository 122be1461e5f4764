package site

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/web/board"
)

//go:embed worker.js
var workerSource []byte

// worker is the service worker, which keeps the pages for readers without a network. Its text has the
// files of this version, so that browsers notice another one.
func (h *handler) worker(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Security-Policy", "default-src 'none'; connect-src 'self'; script-src 'self'")
	sendTagged(w, r, contentTypes[".js"], httpheader.ETag(h.workerJS), h.workerJS)
}

// makeWorker writes the text of the service worker.
func (h *handler) makeWorker() ([]byte, error) {
	var files []string
	version := sha256.New()
	for _, address := range slices.Sorted(maps.Keys(h.assets.byAddress)) {
		a := h.assets.byAddress[address]
		if a.contentType != contentTypes[".txt"] && a.contentType != contentTypes[".png"] {
			files = append(files, address)
		}
		version.Write([]byte(address + a.etag))
	}
	for name, script := range board.Scripts() {
		address := "/" + name
		if name != "embed.js" {
			address += "?v=" + board.Version()
		}
		files = append(files, address)
		if name == "embed-progress.js" { // which pages import without the version
			files = append(files, "/"+name)
		}
		version.Write(script)
	}
	for _, lang := range []string{"ja", "en"} {
		files = append(files, "/offline?lang="+lang)
	}
	version.Write(workerSource)
	for _, name := range []string{"offline.html", "parts.html"} {
		page, err := pages.ReadFile(name)
		if err != nil {
			return nil, err
		}
		version.Write(page)
	}
	slices.Sort(files)
	list, err := json.Marshal(files)
	if err != nil {
		return nil, err
	}
	engine := h.config.Engine
	if engine == nil {
		engine = []string{}
	}
	loaded, err := json.Marshal(engine)
	if err != nil {
		return nil, err
	}
	version.Write(loaded)
	return fmt.Appendf(nil, "const VERSION = \"%x\", FILES = %s, ENGINE = %s;\n%s", version.Sum(nil)[:6], list, loaded,
		workerSource), nil
}
