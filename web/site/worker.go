package site

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"

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

// makeWorker writes the text of the service worker, and sets the version, which changes with everything
// that a page consists of.
func (h *handler) makeWorker() error {
	version := sha256.New()
	templates, err := fs.Glob(pages, "*.html")
	if err != nil {
		return err
	}
	for _, name := range templates {
		page, err := pages.ReadFile(name)
		if err != nil {
			return err
		}
		version.Write(page)
	}
	files := []string{"/offline?lang=en", "/offline?lang=ja"}
	for _, address := range slices.Sorted(maps.Keys(h.assets.byAddress)) {
		a := h.assets.byAddress[address]
		isForFiles := a == h.assets.byName["static.js"]
		if strings.HasPrefix(address, "/static/") && a.contentType != contentTypes[".png"] && !isForFiles {
			files = append(files, address)
		}
		version.Write([]byte(address + a.etag))
	}
	for _, name := range slices.Sorted(maps.Keys(board.Scripts())) {
		files = append(files, scriptAddress(name))
	}
	c := h.config
	fmt.Fprintln(version, board.Version(), string(workerSource),
		c.MaxTime, c.Analyses, c.Levels, c.Jobs != nil, c.Engine, c.Tools, trainSets().list)
	h.version = fmt.Sprintf("%x", version.Sum(nil)[:6])
	var sets []string
	for _, s := range trainSets().list {
		sets = append(sets, s.Address)
	}
	list, err := json.Marshal([][]string{files, append([]string{}, c.Engine...), append([]string{}, c.Tools...), sets})
	if err != nil {
		return err
	}
	h.workerJS = fmt.Appendf(nil, "const VERSION = %q, [FILES, ENGINE, TOOLS, SETS] = %s;\n%s",
		h.version, list, workerSource)
	return nil
}

// scriptAddress returns the address of a script of the board, with its version: a page and the scripts
// that it loads are always of one version.
func scriptAddress(name string) string { return "/" + name + "?v=" + board.Version() }
