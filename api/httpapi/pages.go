package httpapi

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/api/wire"
)

// The pages are made once, when the first of them is asked for, from the same description that
// /openapi.json is. They have no script and load nothing.
//
//go:embed pages.html
var pagesFile string

//go:embed pages.css
var pagesStyle string

// A page never changes but for the name of the service.
type page struct {
	contentType string
	body        []byte
	etag        string
}

// pageLanguages are those that there are.
var pageLanguages = []string{"ja", "en"}

type pages struct {
	openAPI page
	html    map[string]page // by language and path: "ja/docs"
	policy  string

	templates map[string]*template.Template // by language
}

// exampleOrigin stands in the pages for the name by which a client knows the service.
const exampleOrigin = "http://localhost:8080"

// newPages makes the pages. It panics if they do not fit the description, which a test would find.
func newPages(api *document) *pages {
	description, err := json.Marshal(api)
	if err != nil {
		panic(err)
	}
	hash := sha256.Sum256([]byte(pagesStyle))
	p := &pages{
		openAPI: newPage(openAPIType, description),
		html:    map[string]page{}, templates: map[string]*template.Template{},
		policy: "default-src 'none'; img-src 'self'; style-src 'sha256-" +
			base64.StdEncoding.EncodeToString(hash[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}
	for _, lang := range pageLanguages {
		v := &pageView{Lang: lang, API: api, HasSite: api.Paths.Get("/") != nil,
			HasDiagrams: api.Paths.Get("/v1/diagram.svg") != nil}
		t := template.Must(template.New("").Funcs(template.FuncMap{
			"style":    func() template.CSS { return template.CSS(pagesStyle) },
			"T":        v.T,
			"say":      v.say,
			"kind":     v.typeText,
			"kinds":    wire.Kinds,
			"kindOf":   v.kindOf,
			"examples": operationExamples,
			"lower":    strings.ToLower,
			"pretty":   pretty,
			"curl":     curl,
			"status":   http.StatusText,
		}).Parse(pagesFile))
		p.templates[lang] = t
		render := func(path, name string, kind *kindRow) {
			w := *v
			w.Path, w.Kind = path, kind
			var buf bytes.Buffer
			if err := t.ExecuteTemplate(&buf, name, &w); err != nil {
				panic(err)
			}
			p.html[lang+path] = newPage("text/html; charset=utf-8", buf.Bytes())
		}
		render("/docs", "docs", nil)
		for _, k := range wire.Kinds() {
			row := v.kindOf(k)
			render(row.URI, "problem", &row)
		}
	}
	return p
}

func newPage(contentType string, body []byte) page {
	return page{contentType, body, httpheader.ETag(body)}
}

// send answers with the page, or that the client has it. Another version of the program may have
// another.
func (p *pages) send(w http.ResponseWriter, r *http.Request, one page) {
	h := w.Header()
	h.Set("Cache-Control", httpheader.CacheScope(r, one.body)+", no-cache")
	if httpheader.NotModified(w, r, one.etag) {
		return
	}
	h.Set("Content-Type", one.contentType)
	h.Set("Content-Length", strconv.Itoa(len(one.body)))
	_, _ = w.Write(one.body)
}

// sendHTML answers with the page at a path in the language of the reader. ok is false if there is
// none.
func (p *pages) sendHTML(w http.ResponseWriter, r *http.Request, path string) (ok bool) {
	lang, _ := httpheader.Language(r)
	one, ok := p.html[lang+path]
	if !ok {
		return false
	}
	if origin := httpheader.Origin(r); origin != exampleOrigin {
		one.body = bytes.ReplaceAll(one.body, []byte(exampleOrigin), []byte(origin))
		one.etag = httpheader.ETag([]byte(one.etag + origin))
	}
	h := w.Header()
	h["Vary"] = append(h["Vary"], httpheader.Vary)
	h.Set("Content-Language", lang)
	h.Set("Content-Security-Policy", p.policy)
	h.Set("Referrer-Policy", "no-referrer")
	p.send(w, r, one)
	return true
}

func (s *Server) getDescription(w http.ResponseWriter, r *http.Request) {
	s.pages().send(w, r, s.pages().openAPI)
}

func (s *Server) getDocs(w http.ResponseWriter, r *http.Request) {
	s.pages().sendHTML(w, r, "/docs")
}

// getProblemPage answers for the page under the type of a problem.
func (s *Server) getProblemPage(x *responseRecorder, r *http.Request) *wire.Problem {
	code := chi.URLParam(r, "code")
	if !s.pages().sendHTML(x, r, "/problems/"+code) {
		return wire.NewProblem(wire.NotFound, noProblem, wire.Clip(code))
	}
	return nil
}

// wait answers a browser that asked for more than it may with a page that asks again by itself.
func (p *pages) wait(w http.ResponseWriter, r *http.Request, seconds int) {
	var buf bytes.Buffer
	lang, _ := httpheader.Language(r)
	if err := p.templates[lang].ExecuteTemplate(&buf, "wait", seconds); err != nil {
		panic(err) // a template that does not fit the data: a test renders it
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", p.policy)
	h.Set("Retry-After", strconv.Itoa(seconds))
	h.Set("Refresh", strconv.Itoa(seconds))
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = w.Write(buf.Bytes())
}

// operationExamples returns the examples of an operation that a reader can try, and those that show
// a stream.
func operationExamples(operation string) []*example {
	var found []*example
	for _, e := range examples() {
		if e.Operation == operation && (e.When == "" || e.isStream()) {
			found = append(found, e)
		}
	}
	return found
}

// pretty returns JSON with line breaks, anything else as it is.
func pretty(value json.RawMessage) string {
	if len(value) == 0 || value[0] == '"' {
		return strings.TrimRight(string(text(value)), "\n")
	}
	var buf bytes.Buffer
	if json.Indent(&buf, value, "", "  ") != nil {
		return string(value)
	}
	return flatten(buf.String())
}

var innermost = regexp.MustCompile(`[\[{]\n[^\[\]{}]*\n *[\]}]`)

// flatten writes arrays and objects that hold nothing but a few values in one line.
func flatten(indented string) string {
	return innermost.ReplaceAllStringFunc(indented, func(s string) string {
		lines := strings.Split(s, "\n")
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		last := len(lines) - 1
		flat := lines[0] + strings.Join(lines[1:last], " ") + lines[last]
		if utf8.RuneCountInString(flat) > 80 {
			return s
		}
		return flat
	})
}

// curl returns the command that sends an example to this service on its usual port.
func curl(e *example) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	const base = exampleOrigin
	var b strings.Builder
	b.WriteString("curl -sS ")
	if e.isStream() {
		b.WriteString("-N ")
	}
	if e.Method == http.MethodGet {
		if len(e.Query) > 0 {
			b.WriteString("-G ")
		}
		b.WriteString(base + e.Path)
		for _, k := range slices.Sorted(maps.Keys(e.Headers)) {
			b.WriteString(" \\\n  -H " + quote(k+": "+e.Headers[k]))
		}
		for _, k := range slices.Sorted(maps.Keys(e.Query)) {
			b.WriteString(" \\\n  --data-urlencode " + quote(k+"="+e.Query[k]))
		}
		return b.String()
	}
	if e.Method == http.MethodDelete {
		b.WriteString("-X DELETE " + quote(base+e.target()))
		return b.String()
	}
	if len(e.Query) > 0 {
		b.WriteString(quote(base + e.target()))
	} else {
		b.WriteString(base + e.Path)
	}
	headers := map[string]string{"Content-Type": e.contentType()}
	maps.Copy(headers, e.Headers)
	for _, k := range slices.Sorted(maps.Keys(headers)) {
		b.WriteString(" \\\n  -H " + quote(k+": "+headers[k]))
	}
	b.WriteString(" \\\n  --data-binary " + quote(string(text(e.Body))))
	return b.String()
}
