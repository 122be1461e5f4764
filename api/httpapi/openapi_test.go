package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tsumero/tsumero/api/wire"
)

// describedServer returns a service that has everything there is to describe.
func describedServer(t testing.TB, c Config) *Server {
	c.Web, c.Diagrams, c.Levels, c.NewEngine = http.NotFoundHandler(), http.NotFoundHandler(), playLevels, makers(nil)
	s, _ := jobServer(t, c, nil)
	return s
}

// texts are the schemas of what is no JSON of ours.
var texts = append(strings.Fields(strings.ToUpper(strings.Join(recordFormats, " "))), "RecordText")

// TestSchemas: each schema is of a type or the text of a record, each type has one, and the files say
// something of each field and parameter, and of no other.
func TestSchemas(t *testing.T) {
	s := describedServer(t, Config{})
	d, files := s.description(), &document{}
	names, err := fs.Glob(openAPIFiles, "openapi/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range names {
		if name := strings.TrimSuffix(filepath.Base(path), ".yaml"); name != "problems" {
			readOpenAPI(name, s.settings(), files)
		}
	}
	types := typeNames()
	missing := maps.Clone(types)
	for _, m := range files.Components.Schemas {
		typ, isType := types[cmp.Or(extended[m.Name], m.Name)]
		if !isType {
			if !slices.Contains(texts, m.Name) {
				t.Errorf("the schema %s is of no type", m.Name)
			}
			continue
		}
		delete(missing, m.Name)
		all := d.Components.Schemas.Get(m.Name)
		if got, want := len(m.Value.Properties), len(all.Properties); got != want {
			t.Errorf("the files say %d fields of %s, which has %d", got, m.Name, want)
		}
		fields := jsonFields(typ)
		for _, f := range m.Value.Properties {
			if extended[m.Name] == "" && !slices.Contains(fields, f.Name) {
				t.Errorf("%s has no field %s", m.Name, f.Name)
			}
		}
	}
	for name := range missing {
		t.Errorf("the type %s has no schema", name)
	}
	for _, path := range d.Paths {
		for _, m := range path.Value {
			op := m.Value
			var query []string
			for _, p := range op.Parameters {
				if p.In == "path" && !(p.Required && strings.Contains(op.Path, "{"+p.Name+"}")) {
					t.Errorf("%s: the parameter %s of the path", op.ID, p.Name)
				}
				if p.In == "query" && strings.HasPrefix(op.Path, "/v1/") && op.Tags[0] != "Pictures" {
					query = append(query, p.Name)
				}
			}
			if typ := queries[op.ID]; typ != nil {
				if want := jsonFields(reflect.TypeOf(typ)); !slices.Equal(query, want) {
					t.Errorf("%s has the parameters %v, want %v", op.ID, query, want)
				}
			} else if len(query) > 0 {
				t.Errorf("%s: no type has its query", op.ID)
			}
		}
	}
}

// jsonFields returns the names that the fields of a type have in JSON.
func jsonFields(typ reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(typ) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous && name != "-" {
			names = append(names, name)
		}
	}
	return names
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
