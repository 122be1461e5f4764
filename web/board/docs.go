package board

import (
	"bytes"
	"cmp"
	_ "embed"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/deploy/licenses"
)

//go:embed docs.html
var docsPage string

// The texts of the page, in both languages.
//
//go:embed docs.yaml
var docsTexts []byte

//go:embed docs.css
var docsStyle []byte

//go:embed docs.js
var docsScript []byte

// The policy of the page: everything from here and nothing else.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// Docs says of a request which language its page is to have, "ja" or "en", and the origin of this
// service as the client names it, "https://host".
type Docs func(r *http.Request) (lang, origin string)

// Register has a mux serve the page that documents the element, with an example of everything that
// can be tried: at /board, with its files below that, and the licences at /licenses.txt.
func (page Docs) Register(mux *http.ServeMux) {
	t := template.Must(template.New("").Parse(docsPage))
	ref := sync.OnceValue(readReference)
	mux.HandleFunc("GET /board", func(w http.ResponseWriter, r *http.Request) {
		problem := ref().Examples["sfen1"]
		v := view{reference: ref(), Problem: problem, Query: url.QueryEscape(problem)}
		v.Files = slices.Sorted(maps.Keys(files()))
		v.Lang, v.Origin = page(r)
		var body bytes.Buffer
		if err := t.Execute(&body, v); err != nil {
			panic(err) // a template that does not fit: the tests render it
		}
		h := w.Header()
		h.Set("Content-Language", v.Lang)
		h.Set("Content-Security-Policy", docsPolicy)
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
		h.Add("Vary", "Accept-Language, X-Forwarded-Proto") // which the address of the service may depend on
		sendDocs(w, r, "text/html; charset=utf-8", body.Bytes())
	})
	file := func(path, contentType string, body []byte) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { sendDocs(w, r, contentType, body) })
	}
	example := func(path, contentType, name string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			sendDocs(w, r, contentType, []byte(ref().Examples[name]))
		})
	}
	file("/board/docs.css", "text/css; charset=utf-8", docsStyle)
	file("/board/docs.js", "text/javascript; charset=utf-8", docsScript)
	example("/board/example.kif", "text/plain; charset=utf-8", "record")
	example("/board/examples.json", "application/json", "set")
	file("/licenses.txt", "text/plain; charset=utf-8", []byte(licenses.Text))
}

// sendDocs answers with what another version of the program may have otherwise, so that a copy is
// asked about each time.
func sendDocs(w http.ResponseWriter, r *http.Request, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", httpheader.CacheScope(r, body)+", no-cache")
	h.Set("ETag", httpheader.ETag(body))
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// A view is what the template shows.
type view struct {
	*reference
	Lang, Origin, Problem, Query string
	Files                        []string
}

// T returns the text in the language of the page.
func (v view) T(ja, en string) string {
	if v.Lang == "en" {
		return en
	}
	return ja
}

// A reference is what docs.yaml says.
type reference struct {
	Examples map[string]string
	Sections []section
	Keys     []keyboard
}

// A section is a kind of things that a page can use.
type section struct {
	ID, Ja, En string
	Entries    []entry
}

// An entry is one of them, with an example.
type entry struct {
	ID, Name, Ja, En string
	Code             string   // as a page has it
	Board            string   // the attributes of the board of the example
	Try              []string // what can be tried: docs.js says how it is written
	Also             []string // further names that it explains
	Event            string   // is shown when it comes
	Set              string   // the attributes of a <tsume-set> instead of a board
}

// A keyboard is what keys do.
type keyboard struct {
	Names  []string
	Ja, En string
}

// readReference reads docs.yaml. It puts the examples where their names stand.
func readReference() *reference {
	var ref reference
	if err := yaml.Load(docsTexts, &ref, yaml.WithKnownFields()); err != nil {
		panic("board: docs.yaml: " + err.Error())
	}
	expand := func(s *string) {
		for strings.Contains(*s, "$") {
			*s = os.Expand(*s, func(name string) string { return ref.Examples[name] })
		}
	}
	for name, example := range ref.Examples {
		expand(&example)
		ref.Examples[name] = example
	}
	wideSpace := regexp.MustCompile(`([^\x00-\x{2fff}]) ([^\x00-\x{2fff}])`)
	for _, section := range ref.Sections {
		for i := range section.Entries {
			e := &section.Entries[i]
			e.Name = cmp.Or(e.Name, e.ID)
			// Japanese has no space where the file begins a new line.
			e.Ja = wideSpace.ReplaceAllString(e.Ja, "$1$2")
			for _, s := range []*string{&e.Code, &e.Board, &e.Set} {
				expand(s)
			}
			for j := range e.Try {
				expand(&e.Try[j])
			}
		}
	}
	return &ref
}

// Element returns what is tried. Its attributes are written here, not by a stranger.
func (e entry) Element(label string) template.HTML {
	name, attributes := "tsume-board", e.Board
	if e.Set != "" {
		name, attributes = "tsume-set", e.Set
	} else {
		attributes += ` label="` + template.HTMLEscapeString(label) + `"`
	}
	return template.HTML("<" + name + " " + attributes + "></" + name + ">")
}
