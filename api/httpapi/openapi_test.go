package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/theme"
)

// describedServer returns a service that has everything there is to describe.
func describedServer(t testing.TB, c Config) *Server {
	c.Web, c.Diagrams, c.Levels, c.NewEngine = http.NotFoundHandler(), http.NotFoundHandler(), playLevels, makers(nil)
	s, _ := jobServer(t, c, nil)
	return s
}

// bodies are the types of what goes in and out. Types in them are found.
var bodies = []any{wire.SolveRequest{}, wire.Answer{}, wire.BatchRequest{}, wire.ProgressEvent{},
	wire.MovesRequest{}, wire.MovesAnswer{}, wire.ReadRequest{}, wire.ReadAnswer{}, wire.LimitsAnswer{}, wire.Problem{},
	wire.AnalyzeRequest{}, wire.AnalyzeBatchRequest{}, wire.AnalyzeAnswer{}, wire.AnalyzeProgressEvent{}, wire.FactEvent{}, wire.SimilarRequest{}, wire.SimilarAnswer{},
	wire.PlayRequest{}, wire.PlayAnswer{}, wire.JobRequest{}, wire.JobComposeRequest{}, wire.ComposeAnswer{}, wire.Job{}, wire.JobsAnswer{}, wire.QueueAnswer{}, wire.DailyAnswer{}}

// queries are the types of the queries of operations.
var queries = map[string]any{"solve": wire.RecordRequest{}, "solveEvents": wire.RecordRequest{}, "solveRecord": wire.RecordRequest{},
	"solveLink": wire.LinkRequest{}, "movesLink": wire.MovesLinkRequest{}, "analyze": wire.AnalyzeRecordRequest{},
	"analyzeEvents": wire.AnalyzeRecordRequest{}, "analyzeLink": wire.AnalyzeLinkRequest{}, "read": wire.ReadQuery{}, "similar": wire.SimilarQuery{},
	"playLink": wire.PlayLinkRequest{}, "submitJob": wire.JobQuery{}, "jobs": wire.JobsQuery{}, "jobResults": wire.ResultsQuery{},
	"cancelJob": wire.CancelQuery{}}

// extended are the schemas that have the fields of another, and some more.
var extended = map[string]struct {
	of   string
	more []string
}{
	"BatchAnswer": {"Answer", []string{"id"}}, "AnalyzeBatchAnswer": {"AnalyzeAnswer", []string{"id"}},
	"BatchProblem": {"Problem", []string{"id", "line"}}, "ResultAnswer": {"Answer", []string{"id", "line"}},
	"ResultProblem": {"Problem", []string{"id", "line"}}, "ResultsProblem": {"Problem", []string{"next"}},
	"ComposeResult": {"ComposeAnswer", []string{"id", "line"}}, "JobProgressEvent": {"ProgressEvent", []string{"line", "done"}},
}

// texts are the schemas of what is no JSON of ours.
var texts = append(strings.Fields(strings.ToUpper(strings.Join(recordFormats, " "))), "RecordText")

// TestSchemas: the schemas are those of the types that are decoded and encoded, field by field.
func TestSchemas(t *testing.T) {
	s := describedServer(t, Config{MaxPlies: 77, MaxNodes: 888, MaxTime: 9 * time.Second, MaxAnalysisNodes: 9999, MaxPlayNodes: 777})
	d := s.description()
	c := typeChecker{t, s, map[string]reflect.Type{}}
	for _, body := range bodies {
		c.find(reflect.TypeOf(body))
	}
	for _, m := range d.Components.Schemas {
		typ, ok := c.types[m.Name]
		e, isExtended := extended[m.Name]
		switch {
		case ok:
			c.object(m.Name, typ, m.Value)
		case isExtended:
			base := d.Components.Schemas.Get(e.of)
			want := append(fieldNames(base), e.more...)
			if got := fieldNames(m.Value); !slices.Equal(got, want) {
				t.Errorf("%s has the fields %v, want %v", m.Name, got, want)
			}
			if !slices.Equal(m.Value.Required[:len(base.Required)], base.Required) {
				t.Errorf("%s requires %v, %s %v", m.Name, m.Value.Required, e.of, base.Required)
			}
		case !slices.Contains(texts, m.Name):
			t.Errorf("the schema %s is of no type", m.Name)
		}
		delete(c.types, m.Name)
	}
	for name := range c.types {
		t.Errorf("the type %s has no schema", name)
	}
	for _, path := range d.Paths {
		for _, m := range path.Value {
			op := m.Value
			query := &schema{}
			for _, p := range op.Parameters {
				if p.In == "path" && !(p.Required && strings.Contains(op.Path, "{"+p.Name+"}")) {
					t.Errorf("%s: the parameter %s of the path", op.ID, p.Name)
				}
				if p.In != "query" || !strings.HasPrefix(op.Path, "/v1/") || op.Tags[0] == "Pictures" {
					continue
				}
				query.Properties = append(query.Properties, member[*schema]{p.Name, p.Schema})
				if p.Required {
					query.Required = append(query.Required, p.Name)
				}
				if isList := p.Schema.Type == "array"; isList != (p.Explode != nil) {
					t.Errorf("%s %s: a list has its items in one value", op.ID, p.Name)
				}
			}
			if typ := queries[op.ID]; typ != nil {
				c.object(op.ID, reflect.TypeOf(typ), query)
			} else if len(query.Properties) > 0 {
				t.Errorf("%s: no type has its query", op.ID)
			}
		}
	}
}

func fieldNames(s *schema) (names []string) {
	for _, m := range s.Properties {
		names = append(names, m.Name)
	}
	return names
}

// A typeChecker compares schemas with types.
type typeChecker struct {
	t     *testing.T
	s     *Server
	types map[string]reflect.Type
}

// find finds the structs in a type.
func (c *typeChecker) find(t reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() || c.types[t.Name()] == t {
		return
	}
	c.types[t.Name()] = t
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous {
			c.find(f.Type)
		}
	}
}

// maxima returns the largest values of the integers of a type.
func (c *typeChecker) maxima(typ reflect.Type) wire.Maxima {
	b := &c.s.requests.Bounds
	switch name := typ.Name(); {
	case name == "ResultsQuery":
		return new(wire.ResultsQuery)
	case name == "JobQuery", name == "JobLimits":
		return c.s.jobReader().Maxima()
	case name == "AnalyzeLimits", name == "AnalyzeRecordRequest", name == "AnalyzeLinkRequest":
		return &b.Analysis
	case name == "PlayLinkRequest", name == "PlayRequest", name == "PlayRules", name == "PlayLimits":
		return &b.Play
	case name == "RequestLimits", name == "RecordRequest", name == "LinkRequest", name == "MovesLinkRequest":
		return b
	}
	return none{}
}

type none struct{}

func (none) Most(string) (uint64, bool) { return 0, false }

// object compares a schema with a struct.
func (c *typeChecker) object(name string, typ reflect.Type, s *schema) {
	var names, required []string
	maxima := c.maxima(typ)
	for _, f := range reflect.VisibleFields(typ) {
		field, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || field == "-" {
			continue
		}
		names = append(names, field)
		if option == "" {
			required = append(required, field)
		}
		p := s.Properties.Get(field)
		if p == nil {
			c.t.Errorf("%s has no field %s", name, field)
			continue
		}
		c.field(name+"."+field, f, p, maxima)
	}
	if got := fieldNames(s); !slices.Equal(got, names) {
		c.t.Errorf("%s has the fields %v, want %v", name, got, names)
	}
	if !slices.Equal(s.Required, required) {
		c.t.Errorf("%s requires %v, want %v", name, s.Required, required)
	}
}

// field compares a schema with a field of a struct and its tags.
func (c *typeChecker) field(name string, f reflect.StructField, p *schema, maxima wire.Maxima) {
	typ, values := f.Type, p
	if p.Items != nil {
		values = p.Items
	}
	want := schemaOf(typ)
	got := schema{Ref: p.Ref, Type: p.Type, Format: p.Format, Items: p.Items, OneOf: p.OneOf, More: p.More}
	if got.Items != nil {
		got.Items = &schema{Ref: p.Items.Ref, Type: p.Items.Type, Format: p.Items.Format}
	}
	if format := f.Tag.Get("format"); format != "" {
		want.Format = format
	}
	if typ == reflect.TypeFor[json.RawMessage]() { // anything, of which the description knows more
		want = got
	}
	if !reflect.DeepEqual(got, want) {
		c.t.Errorf("%s is %s, want %s", name, mustJSON(c.t, got), mustJSON(c.t, want))
	}
	enum := f.Tag.Get("enum")
	if enum == "notations" {
		enum = strings.Join(notation.Names(notation.Formats()), ",")
	}
	if enum == "themes" {
		enum = strings.Join(theme.IDs(), ",")
	}
	if f.Name == "Level" && enum == "" && typ.Kind() == reflect.String && maxima == wire.Maxima(&c.s.requests.Bounds.Play) {
		enum = strings.Join(c.s.config.Levels, ",")
	}
	if got := strings.Join(values.Enum, ","); got != enum {
		c.t.Errorf("%s is one of %s, want %s", name, got, enum)
	}
	least := f.Tag.Get("minimum")
	if typ.Kind() == reflect.Uint64 {
		least = cmp.Or(least, "0")
	}
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'f', -1, 64)
	}
	most := f.Tag.Get("maximum")
	if n, ok := maxima.Most(strings.Split(f.Tag.Get("json"), ",")[0]); ok {
		most = fmt.Sprint(n)
	}
	for _, b := range []struct{ name, got, want string }{
		{"minimum", number(p.Minimum), least},
		{"maximum", number(p.Maximum), most},
		{"minLength", positive(p.MinLength), f.Tag.Get("minLength")},
		{"maxLength", positive(p.MaxLength), f.Tag.Get("maxLength")},
		{"minItems", positive(p.MinItems), f.Tag.Get("minItems")},
		{"maxItems", positive(p.MaxItems), f.Tag.Get("maxItems")},
	} {
		if b.got != b.want {
			c.t.Errorf("%s: %s is %q, want %q", name, b.name, b.got, b.want)
		}
	}
}

func positive(n int) string { return strings.TrimPrefix(strconv.Itoa(n), "0") }

// schemaOf returns the schema of a type without bounds.
func schemaOf(t reflect.Type) schema {
	switch {
	case t == reflect.TypeFor[wire.ID]():
		return schema{OneOf: []*schema{{Type: "string"}, {Type: "number"}}}
	case t == reflect.TypeFor[time.Time]():
		return schema{Type: "string", Format: "date-time"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.String:
		return schema{Type: "string"}
	case reflect.Bool:
		return schema{Type: "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return schema{Type: "integer", Format: "int64"}
	case reflect.Float64:
		return schema{Type: "number", Format: "double"}
	case reflect.Slice:
		items := schemaOf(t.Elem())
		return schema{Type: "array", Items: &items}
	case reflect.Map:
		of := schemaOf(t.Elem())
		return schema{Type: "object", More: map[string]any{"type": of.Type, "format": of.Format}}
	case reflect.Struct:
		return schema{Ref: schemaRef + t.Name()}
	}
	return schema{}
}

// TestOpenAPIFiles: each setting and each kind of problem that the files name exists, and there is
// no other.
func TestOpenAPIFiles(t *testing.T) {
	s := describedServer(t, Config{})
	settings := s.settings()
	used := map[string]bool{}
	names, err := fs.Glob(openAPIFiles, "openapi/*.yaml")
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	for _, path := range names {
		text, err := openAPIFiles.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range settingName.FindAllString(string(text), -1) {
			if _, ok := settings[name[1:]]; !ok && name != "$ref" {
				t.Errorf("%s: there is no setting %s", path, name)
			}
			used[name[1:]] = true
		}
	}
	for name := range settings {
		if !used[name] {
			t.Errorf("nothing says the setting %s", name)
		}
	}
	d := s.description()
	for _, path := range d.Paths {
		for _, m := range path.Value {
			for _, code := range m.Value.Problems {
				if wire.KindOf(code).Code != code {
					t.Errorf("%s: there is no problem %s", m.Value.ID, code)
				}
			}
		}
	}
	problems := maps.Clone(problemTexts())
	for _, k := range wire.Kinds() {
		if text := problems[k.Code]; k.TitleJa == "" || len(text.Description) < 10 || text.Ja == "" {
			t.Errorf("the problem %s: %+v", k.Code, text)
		}
		delete(problems, k.Code)
	}
	for code := range problems {
		t.Errorf("there is no problem %s", code)
	}
}

// TestTexts: what there is to read is there in both languages, and says what each reason means.
func TestTexts(t *testing.T) {
	kana := regexp.MustCompile(`[\p{Hiragana}\p{Katakana}]`)
	d := describedServer(t, Config{}).description()
	check := func(name, english string, ja japanese) {
		t.Helper()
		for _, text := range []string{english, string(ja)} {
			if len(text) < 4 || strings.TrimSpace(text) != text || strings.ContainsAny(text, "*#") {
				t.Errorf("%s: %q", name, text)
			}
		}
		if !kana.MatchString(string(ja)) && len(ja) > 60 {
			t.Errorf("%s: %q and %q", name, english, ja)
		}
	}
	for _, m := range d.Components.Schemas {
		for _, f := range m.Value.Properties {
			check(m.Name+"."+f.Name, f.Value.Description, f.Value.Ja)
		}
	}
	reason := func(name string) *schema { return d.Components.Schemas.Get(name).Properties.Get("reason") }
	for _, r := range reason("MoveAnswer").Enum {
		ofAnswer := slices.Contains(reason("Answer").Enum, r)
		if s := reason("Answer").Description; !strings.Contains(s, r) &&
			(ofAnswer || !strings.Contains(reason("MoveAnswer").Description, r)) {
			t.Errorf("nothing says what %s means", r)
		}
	}
	for _, path := range d.Paths {
		for _, m := range path.Value {
			op := m.Value
			check(op.ID, op.Summary, op.SummaryJa)
			check(op.ID, op.Description, op.Ja)
			for _, p := range op.Parameters {
				check(op.ID+" "+p.Name, p.Description, p.Ja)
			}
			for _, r := range op.Responses {
				if len(r.Value.Problems) == 0 {
					check(op.ID+" "+r.Name, r.Value.Description, r.Value.Ja)
				}
			}
		}
	}
}

// TestExamplesFitSchemas: what the examples send and get is as the schemas say, each line of a
// stream too. An implementation of JSON Schema that is not ours says so.
func TestExamplesFitSchemas(t *testing.T) {
	d := describedServer(t, Config{}).description()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(mustJSON(t, d)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("openapi.json", document); err != nil {
		t.Fatal(err)
	}
	checked := 0
	// check compares JSON with the schema at a place of the description.
	check := func(value string, place ...string) {
		t.Helper()
		for i := range place {
			place[i] = url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(place[i]))
		}
		at := strings.Join(place, "/")
		s, err := compiler.Compile("openapi.json#/" + at)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
		if err == nil {
			err = s.Validate(v)
		}
		if checked++; err != nil {
			t.Errorf("%s: %v\n%s", at, err, value)
		}
	}
	// checkAs compares a body or an answer of a media type with the schema at a place.
	checkAs := func(value any, mediaType string, place ...string) {
		t.Helper()
		raw, isRaw := value.(json.RawMessage)
		place = append(place, "content", mediaType, "schema")
		switch {
		case !isRaw:
		case mediaType == ndjsonType:
			for line := range strings.Lines(string(text(raw))) {
				check(line, append(slices.Clone(place), "contentSchema")...)
			}
		case mediaType == eventStreamType:
			for line := range strings.Lines(string(text(raw))) {
				if data, ok := strings.CutPrefix(line, "data: "); ok {
					check(data, append(slices.Clone(place), "contentSchema")...)
				}
			}
		default:
			check(string(raw), place...)
		}
	}
	for _, path := range d.Paths {
		for _, m := range path.Value {
			place := []string{"paths", path.Name, m.Name}
			if body := m.Value.RequestBody; body != nil {
				for _, c := range body.Content {
					for name, e := range c.Value.Examples {
						if c.Name != ndjsonType || name != "lines" { // which has faults on purpose
							checkAs(e.Value, c.Name, append(slices.Clone(place), "requestBody")...)
						}
					}
				}
			}
			for _, r := range m.Value.Responses {
				for _, c := range r.Value.Content {
					for name, e := range c.Value.Examples {
						if p, ok := e.Value.(json.RawMessage); ok && c.Name == wire.ProblemType {
							code := strings.TrimPrefix(parse[wire.Problem](t, p).Type, "/problems/")
							if !slices.Contains(m.Value.Problems, code) {
								t.Errorf("%s has the example %s of %s, which it does not describe", m.Value.ID, name, code)
							}
						}
						checkAs(e.Value, c.Name, append(slices.Clone(place), "responses", r.Name)...)
					}
				}
			}
		}
	}
	if checked < 200 {
		t.Errorf("only %d values were checked", checked)
	}
	t.Log(checked, "values")
}
