package httpapi

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"github.com/tsumero/tsumero/api/etag"
	"github.com/tsumero/tsumero/api/wire"
)

// The pages are made once, when the first of them is asked for, from the same description that
// /openapi.json is. They have no script and load nothing.
//
//go:embed pages.html
var pagesFile string

//go:embed pages.css
var pagesStyle string

// A page never changes.
type page struct {
	contentType string
	body        []byte
	etag        string
}

type pages struct {
	openAPI  page
	reading  page
	problems map[string]page
	policy   string

	templates *template.Template
}

// newPages makes the pages. It panics if they do not fit the description, which a test would find.
func newPages(api *huma.OpenAPI) *pages {
	description, err := json.Marshal(api)
	if err != nil {
		panic(err)
	}
	t := template.Must(template.New("").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(pagesStyle) },
		"table": func(caption, name string) map[string]any {
			return map[string]any{"Caption": caption, "Rows": fieldRows(api, name)}
		},
		"kind":     typeText,
		"pretty":   pretty,
		"curl":     curl,
		"examples": operationExamples,
		"status":   http.StatusText,
	}).Parse(pagesFile))
	render := func(name string, data any) page {
		var buf bytes.Buffer
		if err := t.ExecuteTemplate(&buf, name, data); err != nil {
			panic(err)
		}
		return newPage("text/html; charset=utf-8", buf.Bytes())
	}

	hash := sha256.Sum256([]byte(pagesStyle))
	p := &pages{
		openAPI:  newPage(openAPIType, description),
		problems: map[string]page{}, templates: t,
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}
	kinds := kindRows()
	p.reading = render("docs", map[string]any{
		"API": api, "Operations": operations(api), "Kinds": kinds, "Paths": otherPaths})
	for _, k := range kinds {
		p.problems[k.Code] = render("problem", k)
	}
	return p
}

func newPage(contentType string, body []byte) page {
	return page{contentType, body, etag.Of(body)}
}

// send answers with the page, or that the client has it. Another version of the program may have
// another.
func (p *pages) send(w http.ResponseWriter, r *http.Request, one page) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", one.etag)
	if etag.Matches(r.Header.Get("If-None-Match"), one.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", one.contentType)
	if strings.HasPrefix(one.contentType, "text/html") {
		h.Set("Content-Security-Policy", p.policy)
		h.Set("Referrer-Policy", "no-referrer")
	}
	h.Set("Content-Length", strconv.Itoa(len(one.body)))
	_, _ = w.Write(one.body)
}

func (s *Server) getDescription(w http.ResponseWriter, r *http.Request) {
	s.pages().send(w, r, s.pages().openAPI)
}

func (s *Server) getDocs(w http.ResponseWriter, r *http.Request) {
	s.pages().send(w, r, s.pages().reading)
}

// getProblemPage answers for the page under the type of a problem.
func (s *Server) getProblemPage(x *responseRecorder, r *http.Request) *wire.Problem {
	code := chi.URLParam(r, "code")
	one, ok := s.pages().problems[code]
	if !ok {
		return wire.NewProblem(wire.NotFound,
			"No problem has the code "+strconv.Quote(wire.Clip(code))+"; see /docs.")
	}
	s.pages().send(x, r, one)
	return nil
}

// wait answers a browser that asked for more than it may with a page that asks again by itself.
func (p *pages) wait(w http.ResponseWriter, r *http.Request, seconds int) {
	var buf bytes.Buffer
	language := r.Header.Get("Accept-Language")
	english := language != "" && !strings.HasPrefix(language, "ja")
	data := map[string]any{"English": english, "Seconds": seconds}
	if err := p.templates.ExecuteTemplate(&buf, "wait", data); err != nil {
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

// otherPaths are what there is besides the operations.
var otherPaths = []struct{ Path, Doc string }{
	{"/openapi.json", "This reference for programs (OpenAPI 3.1)."},
	{"/docs", "This page."},
	{"/problems/{code}", "What a type of problem means."},
	{"/livez",
		"200 if the process can answer; 503 if searches or requests run and none ends any more."},
	{"/readyz", "200 if this instance wants requests, 503 if it is shutting down."},
}

// operations returns the operations, those that most clients want first.
func operations(api *huma.OpenAPI) []*huma.Operation {
	var all []*huma.Operation
	for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
		for _, op := range []*huma.Operation{api.Paths[path].Post, api.Paths[path].Get,
			api.Paths[path].Delete} {
			if op != nil {
				all = append(all, op)
			}
		}
	}
	return all
}

// A fieldRow is a row of the table of an object.
type fieldRow struct {
	Name, Type, Doc string
	Required        bool
}

// fieldRows returns the fields of a schema, those of objects in it after their own.
func fieldRows(api *huma.OpenAPI, name string) []fieldRow {
	s := api.Components.Schemas.Map()[name]
	var rows []fieldRow
	for _, field := range fieldOrder(s) {
		p := s.Properties[field]
		object := p
		if p.Items != nil {
			object = p.Items
		}
		required := slices.Contains(s.Required, field)
		if object.Ref != "" {
			ref := object.Ref[strings.LastIndexByte(object.Ref, '/')+1:]
			doc := p.Description
			if doc == "" {
				doc = api.Components.Schemas.Map()[ref].Description
			}
			kind := "object"
			if p.Items != nil {
				kind, field = "array of objects", field+"[]"
			}
			rows = append(rows, fieldRow{strings.TrimSuffix(field, "[]"), kind, doc, required})
			for _, row := range fieldRows(api, ref) {
				row.Name = field + "." + row.Name
				rows = append(rows, row)
			}
			continue
		}
		rows = append(rows, fieldRow{field, typeText(p), p.Description, required})
	}
	return rows
}

// fieldOrder is the order in which answers have their fields; what it lacks comes after, by name.
func fieldOrder(s *huma.Schema) []string {
	order := []string{"id", "sfen", "limits", "plies", "nodes", "time_ms", "shortest", "attacker",
		"side", "move", "move_ja", "move_en", "verdict", "exact", "best", "moves", "moves_ja", "moves_en",
		"line", "line_ja", "line_en",
		"no_mate_within", "reason", "solver", "elapsed_us", "phase", "elapsed_ms", "nodes_per_second",
		"pn", "dn", "mate", "table_fill", "type", "title", "status", "detail", "request_id", "errors",
		"level", "seed", "kind", "sfen_after", "outcome", "winner", "score", "cp", "depth",
		"location", "offset", "line", "column", "code", "message"}
	rank := func(name string) int {
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	names := slices.Sorted(maps.Keys(s.Properties))
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names
}

// typeText says what a value may be.
func typeText(s *huma.Schema) string {
	kind := s.Type
	if len(s.OneOf) > 0 {
		var kinds []string
		for _, one := range s.OneOf {
			kinds = append(kinds, one.Type)
		}
		kind = strings.Join(kinds, " or ")
	}
	if s.Items != nil {
		kind = "array of " + s.Items.Type + "s"
	}
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			values = append(values, fmt.Sprint(v))
		}
		kind = strings.Join(values, ", ")
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		kind += fmt.Sprintf(", %.0f to %.0f", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		kind += fmt.Sprintf(", at least %.0f", *s.Minimum)
	}
	if s.Default != nil {
		kind += fmt.Sprintf(", default %v", s.Default)
	}
	return kind
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
	return buf.String()
}

// curl returns the command that sends an example to this service on its usual port.
func curl(e *example) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	const base = "http://localhost:8080"
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
	contentType := jsonType
	if e.isBatch() {
		contentType = ndjsonType
	}
	headers := map[string]string{"Content-Type": contentType}
	maps.Copy(headers, e.Headers)
	for _, k := range slices.Sorted(maps.Keys(headers)) {
		b.WriteString(" \\\n  -H " + quote(k+": "+headers[k]))
	}
	b.WriteString(" \\\n  --data-binary " + quote(string(text(e.Body))))
	return b.String()
}

// A kindRow is a kind of problem for a page.
type kindRow struct {
	Code, Title, Meaning, URI string
	Status                    int
	Examples                  []*example
}

func kindRows() []kindRow {
	rows := make([]kindRow, len(wire.Kinds()))
	for i, k := range wire.Kinds() {
		rows[i] = kindRow{Code: k.Code, Title: k.Title, Meaning: k.Meaning(), URI: k.TypeURI(),
			Status: k.Status}
		for _, e := range examples() {
			var p struct{ Type string }
			line, _, _ := bytes.Cut(text(e.Answer), []byte("\n"))
			if json.Unmarshal(line, &p) == nil && p.Type == k.TypeURI() && len(rows[i].Examples) == 0 {
				rows[i].Examples = append(rows[i].Examples, e)
			}
		}
	}
	return rows
}
