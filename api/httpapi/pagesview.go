package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tsumero/tsumero/api/wire"
)

// A pageView is the data of the templates of /docs and of the pages of problems: the description of
// the API in a language. Texts that exist only in English are shown in English and marked as such.
type pageView struct {
	Lang, Path  string
	API         *document
	Kind        *kindRow // only on the page of a problem
	HasSite     bool     // the service has the pages / and /board
	HasDiagrams bool
}

// T returns the text in the language of the page.
func (v *pageView) T(ja, en string) string {
	if v.Lang == "en" {
		return en
	}
	return ja
}

// Other returns the other language, and InOther the URL of the page in it.
func (v *pageView) Other() string   { return v.T("en", "ja") }
func (v *pageView) InOther() string { return v.Path + "?lang=" + v.Other() }

// say returns a text in the language of the page, or the one in English marked as such.
func (v *pageView) say(ja japanese, en string) template.HTML {
	switch {
	case v.Lang == "en":
		return escaped(en)
	case ja == "" && en != "":
		return `<span lang="en">` + escaped(en) + "</span>"
	}
	return escaped(string(ja))
}

// codes matches what is set as code in a text: media types, paths, names with an underscore or a
// point, and some headers.
var codes = regexp.MustCompile(`(?:text|application)/[a-z0-9+.-]*[a-z0-9]|` +
	`(?:(?:GET|POST|DELETE) )?/[a-z0-9][a-zA-Z0-9_./{}-]*[a-zA-Z0-9}]|` +
	`\b[a-z]+[_.][a-z_.]*[a-z]\b|\b(?:X-[A-Z][A-Za-z-]+|Retry-After|Idempotency-Key|If-None-Match)\b`)

// escaped returns a text as HTML, with paragraphs where it has empty lines.
func escaped(text string) template.HTML {
	text = template.HTMLEscapeString(text)
	text = codes.ReplaceAllString(text, "<code>$0</code>")
	return template.HTML(strings.ReplaceAll(text, "\n\n", "<br><br>"))
}

// Where returns the place of a parameter in a request, in words.
func (v *pageView) Where(in string) string {
	return map[string]string{"query": v.T("クエリ", "query"), "path": v.T("パス", "path"),
		"header": v.T("ヘッダー", "header")}[in]
}

// Quick returns the example at the top of /docs.
func (v *pageView) Quick() *example {
	for _, e := range examples() {
		if e.Operation == "solveLink" && e.Status == http.StatusOK {
			return e
		}
	}
	panic("httpapi: examples.json has no GET /v1/solve that is answered")
}

// Sfen returns the position of an example as URLs have it.
func (v *pageView) Sfen(e *example) template.URL {
	return template.URL(strings.ReplaceAll(e.Query["sfen"], " ", "_"))
}

// A fieldRow is a row of a table of fields: one for each field of an object.
type fieldRow struct {
	Name, Type string
	Doc        template.HTML
	Required   bool
}

// Rows returns the fields of an object. The fields of an inner object follow the row of that
// object, with its name before theirs.
func (v *pageView) Rows(s *schema) (rows []fieldRow) {
	for _, m := range s.Properties {
		p := m.Value
		row := fieldRow{m.Name, v.typeText(p), v.say(p.Ja, p.Description),
			slices.Contains(s.Required, m.Name)}
		object, inner := p, m.Name
		if p.Items != nil {
			object, inner = p.Items, m.Name+"[]"
		}
		if object.Ref == "" {
			rows = append(rows, row)
			continue
		}
		row.Type = v.T("オブジェクト", "object")
		if p.Items != nil {
			row.Type = v.T("オブジェクトの配列", "array of objects")
		}
		rows = append(rows, row)
		named := v.API.Components.Schemas.Get(strings.TrimPrefix(object.Ref, schemaRef))
		for _, row := range v.Rows(named) {
			row.Name = inner + "." + row.Name
			rows = append(rows, row)
		}
	}
	return rows
}

// typeText says what a value may be.
func (v *pageView) typeText(s *schema) string {
	name := func(kind string) string {
		if v.Lang == "en" {
			return kind
		}
		return map[string]string{"string": "文字列", "integer": "整数", "number": "数", "boolean": "真偽値",
			"object": "オブジェクト"}[kind]
	}
	kind := name(s.Type)
	if len(s.OneOf) > 0 {
		var kinds []string
		for _, one := range s.OneOf {
			kinds = append(kinds, cmp.Or(name(one.Type), strings.TrimPrefix(one.Ref, schemaRef)))
		}
		kind = strings.Join(kinds, v.T("または", " or "))
	}
	if s.Items != nil {
		kind = v.T(name(s.Items.Type)+"の配列", "array of "+s.Items.Type+"s")
	}
	if len(s.Enum) > 0 {
		kind = strings.Join(s.Enum, v.T("、", ", "))
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		kind += fmt.Sprintf(v.T("、%.0f～%.0f", ", %.0f to %.0f"), *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		kind += fmt.Sprintf(v.T("、%.0f以上", ", at least %.0f"), *s.Minimum)
	}
	return kind
}

// A kindRow is a kind of problem in the language of a page.
type kindRow struct {
	Code, URI      string
	Title, Meaning template.HTML
	Plain          string // the title as text
	Status         int
}

// problemTexts returns the texts of openapi/problems.yaml about kinds of problems, by their codes.
var problemTexts = sync.OnceValue(func() map[string]problemText {
	var all map[string]problemText
	readOpenAPI("problems", nil, &all)
	return all
})

type problemText struct {
	Description string
	Ja          japanese `yaml:"x-ja"`
}

func (v *pageView) kindOf(k *wire.Kind) kindRow {
	text := problemTexts()[k.Code]
	title := v.T(k.TitleJa, k.Title)
	return kindRow{Code: k.Code, Title: escaped(title), Plain: title,
		Meaning: v.say(text.Ja, text.Description), URI: k.TypeURI(), Status: k.Status}
}

// Example returns an example of the kind of problem, nil if there is none.
func (k *kindRow) Example() *example {
	for _, e := range examples() {
		if e.Status < http.StatusBadRequest && !e.isBatch() {
			continue // it has no problem, so it need not be parsed
		}
		var p struct{ Type string }
		line, _, _ := bytes.Cut(text(e.Answer), []byte("\n"))
		if json.Unmarshal(line, &p) == nil && p.Type == k.URI {
			return e
		}
	}
	return nil
}
