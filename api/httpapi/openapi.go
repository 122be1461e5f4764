package httpapi

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver/games"
	"github.com/tsumero/tsumero/solver/theme"
)

// The description of the API is a document of OpenAPI 3.1 in several files: api.yaml, and one for
// each group of operations with their schemas. They are the only place that says what operations,
// parameters and fields mean. What fields there are, and of which types, addTypes takes from package
// wire. Tests compare the files with the routes. Besides OpenAPI they have:
//
//	x-ja, x-ja-summary, x-ja-title  the text of the key without x-ja in Japanese, for the pages
//	x-title                         the heading of a tag or of a table of fields on a page
//	x-problems                      the codes of the problems of an operation: addProblems makes
//	                                responses of them
//	$name                           the value of a setting of the service; see settings
//
// Examples come from examples.json, by the id of the operation.
//
//go:embed openapi/*.yaml
var openAPIFiles embed.FS

// A document is a description in OpenAPI. It and the types below have only those fields of OpenAPI
// that the files use; an unknown key in a file is an error. Fields with the tag json:"-" are for
// the pages and are not in /openapi.json.
type document struct {
	OpenAPI    string                       `json:"openapi"`
	Info       info                         `json:"info"`
	Servers    []any                        `json:"servers"`
	Security   []any                        `json:"security"`
	Tags       []tag                        `json:"tags"`
	Paths      members[members[*operation]] `json:"paths"` // operations by method
	Components struct {
		Schemas         members[*schema] `json:"schemas"`
		Headers         members[header]  `json:"headers"`
		SecuritySchemes map[string]any   `yaml:"securitySchemes" json:"securitySchemes"`
	} `json:"components"`
}

type info struct {
	Title       string            `json:"title"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Ja          japanese          `yaml:"x-ja" json:"-"`
	Contact     map[string]string `json:"contact"`
	License     map[string]string `json:"license"`
}

type tag struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Title       string   `yaml:"x-title" json:"-"`
	TitleJa     japanese `yaml:"x-ja-title" json:"-"`

	Operations []*operation `yaml:"-" json:"-"`
}

type operation struct {
	ID          string             `yaml:"operationId" json:"operationId"`
	Tags        []string           `json:"tags"`
	Security    []any              `json:"security,omitempty"`
	Summary     string             `json:"summary"`
	SummaryJa   japanese           `yaml:"x-ja-summary" json:"-"`
	Description string             `json:"description"`
	Ja          japanese           `yaml:"x-ja" json:"-"`
	Parameters  []*parameter       `json:"parameters,omitempty"`
	RequestBody *requestBody       `yaml:"requestBody" json:"requestBody,omitempty"`
	Responses   members[*response] `json:"responses"` // by status
	Problems    []string           `yaml:"x-problems" json:"-"`
	Method      string             `yaml:"-" json:"-"`
	Path        string             `yaml:"-" json:"-"`
}

type parameter struct {
	Name        string   `json:"name"`
	In          string   `json:"in"`
	Required    bool     `json:"required,omitempty"`
	Explode     *bool    `json:"explode,omitempty"`
	Schema      *schema  `json:"schema"`
	Description string   `json:"description"`
	Ja          japanese `yaml:"x-ja" json:"-"`
	Example     string   `json:"example,omitempty"`
	Examples    samples  `yaml:"-" json:"examples,omitempty"`
}

type requestBody struct {
	Required bool                `json:"required"`
	Content  members[*mediaType] `json:"content"`
}

type response struct {
	Description string              `json:"description"`
	Ja          japanese            `yaml:"x-ja" json:"-"`
	Headers     members[header]     `json:"headers,omitempty"`
	Content     members[*mediaType] `json:"content,omitempty"`
	Problems    []*wire.Kind        `yaml:"-" json:"-"`
}

type header struct {
	Ref         string  `yaml:"$ref" json:"$ref,omitempty"`
	Description string  `json:"description,omitempty"`
	Schema      *schema `json:"schema,omitempty"`
	Example     string  `json:"example,omitempty"`
}

type mediaType struct {
	Schema   *schema `json:"schema"`
	Examples samples `yaml:"-" json:"examples,omitempty"`
}

// samples are the Example Objects of OpenAPI, by their names. An example is an entry of
// examples.json, from which they are made.
type samples map[string]sample

type sample struct {
	Summary     string `json:"summary"`
	Description string `json:"description,omitempty"`
	Value       any    `json:"value"`
}

type schema struct {
	Ref              string           `yaml:"$ref" json:"$ref,omitempty"`
	Title            string           `yaml:"x-title" json:"-"`
	TitleJa          japanese         `yaml:"x-ja-title" json:"-"`
	Type             string           `json:"type,omitempty"`
	Format           string           `json:"format,omitempty"`
	Enum             []string         `json:"enum,omitempty"`
	OneOf            []*schema        `yaml:"oneOf" json:"oneOf,omitempty"`
	AnyOf            []*schema        `yaml:"anyOf" json:"anyOf,omitempty"`
	Minimum          *float64         `json:"minimum,omitempty"`
	Maximum          *float64         `json:"maximum,omitempty"`
	MinLength        int              `yaml:"minLength" json:"minLength,omitempty"`
	MaxLength        int              `yaml:"maxLength" json:"maxLength,omitempty"`
	Pattern          string           `json:"pattern,omitempty"`
	MinItems         int              `yaml:"minItems" json:"minItems,omitempty"`
	MaxItems         int              `yaml:"maxItems" json:"maxItems,omitempty"`
	Items            *schema          `json:"items,omitempty"`
	More             any              `yaml:"additionalProperties" json:"additionalProperties,omitempty"`
	Required         []string         `json:"required,omitempty"`
	Properties       members[*schema] `json:"properties,omitempty"`
	ContentMediaType string           `yaml:"contentMediaType" json:"contentMediaType,omitempty"`
	ContentSchema    *schema          `yaml:"contentSchema" json:"contentSchema,omitempty"`
	Examples         []any            `json:"examples,omitempty"`
	Description      string           `json:"description,omitempty"`
	Ja               japanese         `yaml:"x-ja" json:"-"`
}

// members are those of an object, in the order that they have in the file.
type members[T any] []member[T]

type member[T any] struct {
	Name  string
	Value T
}

// Get returns the value of a member, or the zero value of T.
func (o members[T]) Get(name string) (value T) {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return value
}

// UnmarshalYAML appends the members of a mapping, so that several files make one object.
func (o *members[T]) UnmarshalYAML(n *yaml.Node) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Value == "<<" { // here come the members of another mapping
			if value.Alias != nil {
				value = value.Alias
			}
			if err := o.UnmarshalYAML(value); err != nil {
				return err
			}
			continue
		}
		m := member[T]{Name: key.Value}
		if err := value.Load(&m.Value, yaml.WithKnownFields()); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	return nil
}

// MarshalJSON writes the members in their order.
func (o members[T]) MarshalJSON() ([]byte, error) {
	buf := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			buf = append(buf, ',')
		}
		value, err := json.Marshal(m.Value)
		if err != nil {
			return nil, err
		}
		buf = append(append(strconv.AppendQuote(buf, m.Name), ':'), value...)
	}
	return append(buf, '}'), nil
}

// japanese is a text in Japanese. YAML joins its lines by spaces, which Japanese does not have:
// they are removed.
type japanese string

var wideSpace = regexp.MustCompile(`([^\x00-\x{2fff}]) ([^\x00-\x{2fff}])`)

// UnmarshalYAML reads a text without the spaces between its lines.
func (j *japanese) UnmarshalYAML(n *yaml.Node) error {
	*j = japanese(wideSpace.ReplaceAllString(n.Value, "$1$2"))
	return nil
}

// settings returns the values of this service that its description has, such as its limits. The
// files refer to each as $name.
func (s *Server) settings() map[string]any {
	c, b := &s.config, &s.requests.Bounds
	analysisNodes, questionNodes, analysisTime := b.Analysis.Defaults()
	definitions := themeDefinitions()
	settings := map[string]any{
		"default_time_ms":          c.DefaultTime.Milliseconds(),
		"default_analysis_nodes":   analysisNodes,
		"default_question_nodes":   questionNodes,
		"default_analysis_time_ms": analysisTime.Milliseconds(),
		"default_game_nodes":       games.DefaultNodes,
		"max_game_moves":           games.MaxMoves,
		"default_play_nodes":       b.Play.DefaultNodes,
		"theme_definitions":        definitions.En,
		"theme_definitions_ja":     definitions.Ja,
		"max_body_bytes":           c.MaxBodyBytes,
		"max_record_bytes":         max(c.MaxBodyBytes, maxWholeBatch),
		"max_whole_batch":          maxWholeBatch,
		"max_similar":              maxSimilar,
		"max_batches":              c.MaxBatchesEach,
		"batch_time":               c.BatchTime,
		"body_timeout":             c.BodyTimeout,
		"write_timeout":            c.WriteTimeout,
	}
	maps.Copy(settings, recordSettings)
	return settings
}

// themeDefinitions defines all themes.
func themeDefinitions() (t report.Text) {
	for _, d := range theme.All {
		t.En += fmt.Sprintf("%s (%s): %s ", d.ID, d.Ja, d.Definition)
		t.Ja += fmt.Sprintf("%s（%s）：%s", d.ID, d.Ja, d.DefinitionJa)
	}
	t.En = strings.TrimSpace(t.En)
	return t
}

var settingName = regexp.MustCompile(`\$[a-z_]+`)

// description returns the description of the API of this service, without what its config leaves
// out. It panics if a file is faulty: the files are part of the program, and every test reads them.
func (s *Server) description() *document {
	files := []string{"api", "solve", "threat", "analyze", "games", "similar", "read", "play"}
	if s.config.Diagrams != nil {
		files = append(files, "diagrams")
	}
	if s.config.Web != nil {
		files = append(files, "pages")
		if s.config.Jobs != nil {
			files = append(files, "jobpages")
		}
	}
	settings := s.settings()
	d := &document{}
	for _, name := range append(files, "jobs", "service") {
		readOpenAPI(name, settings, d)
	}
	s.addTypes(d)
	for _, path := range d.Paths {
		for _, m := range path.Value {
			op := m.Value
			op.Method, op.Path = strings.ToUpper(m.Name), path.Name
			op.addProblems()
			op.addExamples()
			i := slices.IndexFunc(d.Tags, func(t tag) bool { return t.Name == op.Tags[0] })
			d.Tags[i].Operations = append(d.Tags[i].Operations, op)
		}
	}
	return d
}

// readOpenAPI reads a file of the description. What into has already stays: files are merged.
func readOpenAPI(name string, settings map[string]any, into any) {
	text, err := openAPIFiles.ReadFile("openapi/" + name + ".yaml")
	if err != nil {
		panic(err)
	}
	text = settingName.ReplaceAllFunc(text, func(name []byte) []byte {
		if value, ok := settings[string(name[1:])]; ok {
			return fmt.Append(nil, value)
		}
		return name
	})
	if err := yaml.Load(text, into, yaml.WithKnownFields()); err != nil {
		panic(fmt.Sprintf("httpapi: openapi/%s.yaml: %v", name, err))
	}
}

const (
	schemaRef = "#/components/schemas/"
	headerRef = "#/components/headers/"
)

var retryAfter = header{Ref: headerRef + "RetryAfter"}

// addProblems adds a response for each status of the problems of an operation. Problems of one
// status share a response.
func (op *operation) addProblems() {
	for _, code := range op.Problems {
		k := wire.KindOf(code)
		status := strconv.Itoa(k.Status)
		r := op.Responses.Get(status)
		if r == nil {
			r = &response{Content: members[*mediaType]{{wire.ProblemType, &mediaType{
				Schema: &schema{Ref: schemaRef + "Problem"}}}}}
			op.Responses = append(op.Responses, member[*response]{status, r})
		} else {
			r.Description += " "
		}
		r.Problems = append(r.Problems, k)
		r.Description += k.Title + ": " + k.TypeURI() + "."
		switch k {
		case wire.RateLimited:
			r.Headers = members[header]{{"Retry-After", retryAfter},
				{"RateLimit", header{Ref: headerRef + "RateLimit"}},
				{"RateLimit-Policy", header{Ref: headerRef + "RateLimitPolicy"}}}
		case wire.Overloaded, wire.QuotaExceeded, wire.JobsUnavailable, wire.StoreFull:
			if r.Headers == nil {
				r.Headers = members[header]{{"Retry-After", retryAfter}}
			}
		}
	}
	slices.SortFunc(op.Responses, func(a, b member[*response]) int {
		return strings.Compare(a.Name, b.Name)
	})
}

// addExamples adds the examples of an operation to its parameters, request body and responses.
func (op *operation) addExamples() {
	for _, e := range examples() {
		if e.Operation != op.ID {
			continue
		}
		add := func(to *samples, value any) {
			if *to == nil {
				*to = samples{}
			}
			(*to)[e.Name] = sample{e.Summary, e.When, value}
		}
		isGood := e.Status < http.StatusMultipleChoices
		for _, p := range op.Parameters {
			if value, ok := e.Query[p.Name]; ok && isGood && p.Required && p.Example == "" {
				add(&p.Examples, value)
			}
		}
		if op.RequestBody != nil && isGood && e.When == "" {
			contentType := e.contentType()
			if m := op.RequestBody.Content.Get(contentType); m != nil {
				add(&m.Examples, e.value(e.Body, contentType))
			}
		}
		if r := op.Responses.Get(strconv.Itoa(e.Status)); r != nil {
			answerType := e.answerType()
			if m := r.Content.Get(answerType); m != nil {
				add(&m.Examples, e.value(e.Answer, answerType))
			}
		}
	}
}
