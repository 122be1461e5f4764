package site

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/web/diagram"
	"github.com/tsumero/tsumero/web/site/static"
)

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
	".png": "image/png",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
}

func loadAssets() (*assets, error) {
	files, err := static.Files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	all := &assets{map[string]*asset{}, map[string]*asset{}}
	for _, file := range files {
		if _, err := all.load(file.Name()); err != nil {
			return nil, err
		}
	}
	for name, body := range icons() {
		all.add(name, body, nil)
	}
	return all, nil
}

// An iconFile is a picture of the site, by its name.
type iconFile struct {
	name     string
	size     int  // in pixels
	mayBeCut bool // by systems that give icons a shape of their own
}

// touchIcon is the icon for a home screen of Apple's systems, which is asked for without a page.
const touchIcon = "apple-touch-icon.png"

var iconFiles = []iconFile{
	{touchIcon, 180, true}, {"icon-192.png", 192, false}, {"icon-512.png", 512, false},
	{"icon-512-maskable.png", 512, true},
}

// icons draws the icons of favicon.svg, once for all sites of the process.
var icons = sync.OnceValue(func() map[string][]byte {
	drawing, err := static.Files.ReadFile("favicon.svg")
	all := map[string][]byte{}
	for _, icon := range iconFiles {
		var picture bytes.Buffer
		if err == nil {
			err = diagram.WriteIcon(&picture, drawing, icon.size, icon.mayBeCut)
		}
		all[icon.name] = picture.Bytes()
	}
	if err != nil {
		panic(err) // a drawing of another kind: every test of the pages would find it
	}
	return all
})

// imported matches what a script imports.
var imported = regexp.MustCompile(`"\./([\w.]+)"`)

// boardScript matches what a script imports of the board.
var boardScript = regexp.MustCompile(`"/embed-\w+\.js"`)

// load reads a file, after the scripts that it imports: their addresses are part of it.
func (all *assets) load(name string) (*asset, error) {
	if a, ok := all.byName[name]; ok {
		if a == nil {
			return nil, fmt.Errorf("site: %s imports itself", name)
		}
		return a, nil
	}
	all.byName[name] = nil // until it is read
	body, err := static.Files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	extension := path.Ext(name)
	var needs []string
	if extension == ".js" {
		body = imported.ReplaceAllFunc(body, func(quoted []byte) []byte {
			needed := string(quoted[3 : len(quoted)-1])
			script, loadErr := all.load(needed)
			if loadErr != nil {
				err = loadErr
				return quoted
			}
			needs = append(append(needs, script.imports...), needed)
			return []byte(`"` + script.address + `"`)
		})
		if err != nil {
			return nil, err
		}
		body = boardScript.ReplaceAllFunc(body, func(quoted []byte) []byte {
			return []byte(`"` + scriptAddress(string(quoted[2:len(quoted)-1])) + `"`)
		})
	}
	return all.add(name, body, needs), nil
}

// add adds a file, with the scripts that it needs.
func (all *assets) add(name string, body []byte, needs []string) *asset {
	extension := path.Ext(name)
	a := &asset{contentType: contentTypes[extension], body: body, etag: httpheader.ETag(body), imports: needs}
	a.address = "/static/" + strings.TrimSuffix(name, extension) + "." + httpheader.ETagDigest(body) + extension
	switch name {
	case "robots.txt", "favicon.svg", touchIcon: // which are asked for under these names
		a.address = "/" + name
	}
	all.byName[name], all.byAddress[a.address] = a, a
	return a
}

// with returns a file with a text behind it.
func (a *asset) with(text string) *asset {
	more := *a
	more.body = append(slices.Clip(a.body), text...)
	more.etag = httpheader.ETag(more.body)
	return &more
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
	h.sendFile(w, r, a)
}

func (h *handler) sendFile(w http.ResponseWriter, r *http.Request, a *asset) {
	header := w.Header()
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	if !strings.HasPrefix(r.URL.Path, "/static/") {
		header.Set("Cache-Control", httpheader.CacheScope(r, a.body)+", max-age=86400") // robots.txt has a link
	}
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	if a.contentType == contentTypes[".svg"] {
		// It can be opened as a page.
		header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	}
	sendTagged(w, r, a.contentType, a.etag, a.body)
}
