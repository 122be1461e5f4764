package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tsumero/tsumero/api/wire"
)

// A pageView is what the templates of the pages show: the description of the API in a language.
// What there is in English alone is said in English, and marked so.
type pageView struct {
	Lang, Path  string
	API         *huma.OpenAPI
	Kind        *kindRow // of the page of a problem
	HasSite     bool     // there are the pages at / and /board
	HasDiagrams bool

	texts map[string]string // of pages.ja.md
}

// T returns the text in the language of the page.
func (v *pageView) T(ja, en string) string {
	if v.Lang == "en" {
		return en
	}
	return ja
}

// Other returns the other language, and InOther the address of the page in it.
func (v *pageView) Other() string   { return v.T("en", "ja") }
func (v *pageView) InOther() string { return v.Path + "?lang=" + v.Other() }

// say returns a text of package wire in the language of the page.
func (v *pageView) say(english string) template.HTML {
	if v.Lang == "en" {
		return escaped(english)
	}
	text, ok := v.japanese(english)
	return v.marked(text, ok, english)
}

var defaults = regexp.MustCompile(` Default: (\d+)\.$`)

// japanese returns a text of package wire, with the default that the service adds to it.
func (v *pageView) japanese(english string) (text string, ok bool) {
	if text, ok = wire.Japanese(english); ok {
		return text, true
	}
	if text, ok = v.texts["english."+english]; ok {
		return text, true
	}
	if m := defaults.FindStringSubmatch(english); m != nil {
		text, ok = wire.Japanese(strings.TrimSuffix(english, m[0]))
		return text + "初期値は " + m[1] + "。", ok
	}
	return "", false
}

// of returns what is said of an operation under a key, which is english in English.
func (v *pageView) of(operation, key, english string) template.HTML {
	if v.Lang == "en" {
		return escaped(english)
	}
	text, ok := v.texts[operation+"."+key]
	if !ok {
		text, ok = v.japanese(english)
	}
	if !ok {
		text, ok = v.texts["*."+key]
	}
	return v.marked(text, ok, english)
}

// marked returns a text, or the one in English as such.
func (v *pageView) marked(text string, ok bool, english string) template.HTML {
	if ok || english == "" {
		return escaped(text)
	}
	return `<span lang="en">` + escaped(english) + "</span>"
}

// codes are what is code in a text: paths, and names with an underscore or a point.
var codes = regexp.MustCompile(`(?:(?:GET|POST|DELETE) )?/[a-z0-9][a-zA-Z0-9_./{}-]*[a-zA-Z0-9}]|` +
	`\b[a-z]+[_.][a-z_.]*[a-z]\b|\b(?:X-[A-Z][A-Za-z-]+|Retry-After|Idempotency-Key|If-None-Match)\b`)

// escaped returns a text as HTML, with paragraphs where it has empty lines.
func escaped(text string) template.HTML {
	text = template.HTMLEscapeString(text)
	text = codes.ReplaceAllString(text, "<code>$0</code>")
	return template.HTML(strings.ReplaceAll(text, "\n\n", "<br><br>"))
}

// An operationGroup is the operations of a tag.
type operationGroup struct {
	ID, Title  string
	Operations []*huma.Operation
}

// groupNames are the tags in the order of the page, in Japanese and English.
var groupNames = [][3]string{{"Solve", "詰みを調べる", "Solve"}, {"Analyze", "作品を検討する", "Analyse a problem"},
	{"Read", "棋譜を読む", "Read records"}, {"Play", "対局する", "Play"},
	{"Pictures", "図面", "Diagrams"}, {"Pages", "ページ・盤・埋め込み", "Pages, board and embedding"},
	{"Jobs", "長い仕事", "Jobs"}, {"Service", "サービス", "The service"}}

// Groups returns the operations by their tag, those that most clients want first.
func (v *pageView) Groups() (groups []operationGroup) {
	for _, name := range groupNames {
		g := operationGroup{ID: "group-" + strings.ToLower(name[0]), Title: v.T(name[1], name[2])}
		first := "/v1/" + strings.ToLower(name[0])
		paths := slices.SortedFunc(maps.Keys(v.API.Paths), func(a, b string) int {
			if named := strings.HasPrefix(a, first); named != strings.HasPrefix(b, first) {
				return map[bool]int{true: -1, false: 1}[named]
			}
			return strings.Compare(a, b)
		})
		for _, path := range paths {
			item := v.API.Paths[path]
			for _, op := range []*huma.Operation{item.Post, item.Get, item.Delete} {
				if op != nil && op.Tags[0] == name[0] {
					g.Operations = append(g.Operations, op)
				}
			}
		}
		if len(g.Operations) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

// An answerRow is a status of an operation, and the types of problems under it.
type answerRow struct {
	Status   string
	Doc      template.HTML
	Problems []kindRow
}

var problemURIs = regexp.MustCompile(`/problems/([a-z_]+)`)

// Answers returns what an operation can answer, by its status.
func (v *pageView) Answers(op *huma.Operation) (rows []answerRow) {
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		row := answerRow{Status: status}
		for _, found := range problemURIs.FindAllStringSubmatch(op.Responses[status].Description, -1) {
			row.Problems = append(row.Problems, v.kindOf(wire.KindOf(found[1])))
		}
		if len(row.Problems) == 0 {
			row.Doc = v.of(op.OperationID, status, op.Responses[status].Description)
		}
		rows = append(rows, row)
	}
	return rows
}

// Where returns where a parameter is.
func (v *pageView) Where(in string) string {
	return map[string]string{"query": v.T("クエリ", "query"), "path": v.T("パス", "path"),
		"header": v.T("ヘッダー", "header")}[in]
}

// Examples returns the examples of an operation that a reader can try, and those that show a
// stream.
func (v *pageView) Examples(operation string) []*example { return operationExamples(operation) }

// Quick returns the example with which the page begins.
func (v *pageView) Quick() *example {
	for _, e := range examples() {
		if e.Operation == "solveLink" && e.Status == http.StatusOK {
			return e
		}
	}
	panic("httpapi: examples.json has no GET /v1/solve that is answered")
}

// Sfen returns the position of an example as addresses have it.
func (v *pageView) Sfen(e *example) template.URL {
	return template.URL(strings.ReplaceAll(e.Query["sfen"], " ", "_"))
}

// A fieldTable is what there is to say of an object.
type fieldTable struct {
	ID, Title string
	Rows      []fieldRow
}

// A fieldRow is a row of the table of an object.
type fieldRow struct {
	Name, Type string
	Doc        template.HTML
	Required   bool
}

// fieldTables are the objects whose fields are listed, in Japanese and English. Objects in them
// come with them.
var fieldTables = [][3]string{
	{"SolveRequest", "質問：POST /v1/solve の本文", "Question: the body of POST /v1/solve"},
	{"Answer", "答え", "Answer"},
	{"MovesRequest", "各手についての質問：POST /v1/moves の本文",
		"Question about moves: the body of POST /v1/moves"},
	{"MovesAnswer", "各手についての答え", "Answer about moves"},
	{"AnalyzeRequest", "作品についての質問：POST /v1/analyze の本文",
		"Question about a problem: the body of POST /v1/analyze"},
	{"AnalyzeAnswer", "作品の検討結果", "Report on a problem"},
	{"AnalyzeProgressEvent", "検討の途中経過のイベント", "Event of the progress of an analysis"},
	{"FactEvent", "検討で分かったことのイベント", "Event of a fact of an analysis"},
	{"PlayRequest", "次の一手の質問：POST /v1/play の本文", "Question for a move: the body of POST /v1/play"},
	{"PlayAnswer", "指した手、または終局", "Move, or how the game has ended"},
	{"ReadRequest", "読ませる文：POST /v1/read の本文", "Text to be read: the body of POST /v1/read"},
	{"ReadAnswer", "読み取ったもの", "What was read"},
	{"JobRequest", "一題の仕事：POST /v1/jobs の本文", "Job of one problem: the body of POST /v1/jobs"},
	{"Job", "仕事", "Job"},
	{"QueueAnswer", "仕事の待ち行列", "Queue of jobs"},
	{"LimitsAnswer", "サービスの上限", "Limits of the service"},
	{"ProgressEvent", "探索の途中経過のイベント", "Event of the progress of a search"},
	{"BatchRequest", "一括の1行", "Line of a batch"},
	{"AnalyzeBatchRequest", "検討の一括の1行", "Line of a batch of problems to be analysed"},
	{"Problem", "エラー", "Problem"},
}

// Tables returns the tables of fields.
func (v *pageView) Tables() (tables []fieldTable) {
	for _, t := range fieldTables {
		tables = append(tables, fieldTable{"fields-" + t[0], v.T(t[1], t[2]), v.rows(t[0])})
	}
	return tables
}

// rows returns the fields of a schema, those of objects in it after their own.
func (v *pageView) rows(name string) []fieldRow {
	schemas := v.API.Components.Schemas.Map()
	s := schemas[name]
	var rows []fieldRow
	for _, field := range fieldOrder(s) {
		p := s.Properties[field]
		object := p
		if p.Items != nil {
			object = p.Items
		}
		required := slices.Contains(s.Required, field)
		if object.Ref == "" {
			rows = append(rows, fieldRow{field, v.typeText(p), v.say(p.Description), required})
			continue
		}
		ref := object.Ref[strings.LastIndexByte(object.Ref, '/')+1:]
		doc := p.Description
		if doc == "" {
			doc = schemas[ref].Description
		}
		kind, inner := v.T("オブジェクト", "object"), field
		if p.Items != nil {
			kind, inner = v.T("オブジェクトの配列", "array of objects"), field+"[]"
		}
		rows = append(rows, fieldRow{field, kind, v.say(doc), required})
		for _, row := range v.rows(ref) {
			row.Name = inner + "." + row.Name
			rows = append(rows, row)
		}
	}
	return rows
}

// typeText says what a value may be.
func (v *pageView) typeText(s *huma.Schema) string {
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
			kinds = append(kinds, name(one.Type))
		}
		kind = strings.Join(kinds, v.T("または", " or "))
	}
	if s.Items != nil {
		kind = v.T(name(s.Items.Type)+"の配列", "array of "+s.Items.Type+"s")
	}
	if len(s.Enum) > 0 {
		var values []string
		for _, value := range s.Enum {
			values = append(values, fmt.Sprint(value))
		}
		kind = strings.Join(values, v.T("、", ", "))
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		kind += fmt.Sprintf(v.T("、%.0f～%.0f", ", %.0f to %.0f"), *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		kind += fmt.Sprintf(v.T("、%.0f以上", ", at least %.0f"), *s.Minimum)
	}
	if s.Default != nil {
		kind += fmt.Sprintf(v.T("、初期値 %v", ", default %v"), s.Default)
	}
	return kind
}

// A kindRow is a kind of problem for a page.
type kindRow struct {
	Code, URI      string
	Title, Meaning template.HTML
	Plain          string // the title as text
	Status         int
}

func (v *pageView) kindOf(k *wire.Kind) kindRow {
	title := k.Title
	if v.Lang == "ja" {
		if text, ok := v.texts["problems."+k.Code]; ok {
			title = text
		}
	}
	return kindRow{Code: k.Code, Title: escaped(title), Plain: title, Meaning: v.say(k.Meaning()),
		URI: k.TypeURI(), Status: k.Status}
}

// Examples returns an example of the kind of problem.
func (k *kindRow) Examples() []*example {
	for _, e := range examples() {
		if e.Status < http.StatusBadRequest && !e.isBatch() {
			continue // to be quick
		}
		var p struct{ Type string }
		line, _, _ := bytes.Cut(text(e.Answer), []byte("\n"))
		if json.Unmarshal(line, &p) == nil && p.Type == k.URI {
			return []*example{e}
		}
	}
	return nil
}

// Kinds returns all kinds of problems.
func (v *pageView) Kinds() []kindRow {
	rows := make([]kindRow, len(wire.Kinds()))
	for i, k := range wire.Kinds() {
		rows[i] = v.kindOf(k)
	}
	return rows
}
