package site

import (
	"embed"
	"fmt"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/api/httpheader"
)

//go:embed static
var static embed.FS

// An asset is a file that pages load. Its address changes with its content, so that it may be kept
// for ever.
type asset struct {
	address     string
	contentType string
	body        []byte
	etag        string
	imports     []string // the scripts that it needs, by name, each behind those that it needs itself
}

// assets are the files of folder static.
type assets struct {
	byName    map[string]*asset
	byAddress map[string]*asset
}

var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
}

func loadAssets() (*assets, error) {
	files, err := static.ReadDir("static")
	if err != nil {
		return nil, err
	}
	all := &assets{map[string]*asset{}, map[string]*asset{}}
	for _, file := range files {
		if _, err := all.load(file.Name()); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// imported matches what a script imports.
var imported = regexp.MustCompile(`"\./([\w.]+)"`)

// load reads a file, after the scripts that it imports: their addresses are part of it.
func (all *assets) load(name string) (*asset, error) {
	if a, ok := all.byName[name]; ok {
		if a == nil {
			return nil, fmt.Errorf("site: %s imports itself", name)
		}
		return a, nil
	}
	all.byName[name] = nil // until it is read
	body, err := static.ReadFile("static/" + name)
	if err != nil {
		return nil, err
	}
	extension := path.Ext(name)
	a := &asset{contentType: contentTypes[extension]}
	if extension == ".js" {
		body = imported.ReplaceAllFunc(body, func(quoted []byte) []byte {
			needed := string(quoted[3 : len(quoted)-1])
			script, loadErr := all.load(needed)
			if loadErr != nil {
				err = loadErr
				return quoted
			}
			a.imports = append(append(a.imports, script.imports...), needed)
			return []byte(`"` + script.address + `"`)
		})
		if err != nil {
			return nil, err
		}
	}
	a.body, a.etag = body, httpheader.ETag(body)
	a.address = "/static/" + strings.TrimSuffix(name, extension) + "." + httpheader.ETagDigest(body) + extension
	switch name {
	case "robots.txt", "favicon.svg": // which are asked for under these names
		a.address = "/" + name
	}
	all.byName[name], all.byAddress[a.address] = a, a
	return a, nil
}

// address returns where a file is.
func (all *assets) address(name string) (string, error) {
	a, ok := all.byName[name]
	if !ok {
		return "", fmt.Errorf("site: no file %s", name)
	}
	return a.address, nil
}

// importedBy returns the addresses of all scripts that a script needs, which a page names so that a
// browser need not find out one after the other.
func (all *assets) importedBy(name string) ([]string, error) {
	a, ok := all.byName[name]
	if !ok {
		return nil, fmt.Errorf("site: no file %s", name)
	}
	addresses := map[string]bool{}
	for _, needed := range a.imports {
		addresses[all.byName[needed].address] = true
	}
	return slices.Sorted(maps.Keys(addresses)), nil
}

// file answers with an asset.
func (h *handler) file(w http.ResponseWriter, r *http.Request) {
	a, ok := h.assets.byAddress[r.URL.Path]
	if !ok {
		h.missing(w, r)
		return
	}
	header := w.Header()
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	if !strings.HasPrefix(r.URL.Path, "/static/") {
		header.Set("Cache-Control", "public, max-age=86400")
	}
	header.Set("Etag", a.etag)
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	if a.contentType == contentTypes[".svg"] {
		// It can be opened as a page.
		header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	}
	sendTagged(w, r, a.contentType, a.etag, a.body)
}
