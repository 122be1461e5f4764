package httpapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// An example is a request and what is answered to it. Examples are part of the API description; a
// test sends every one to a service with the real solvers and wants exactly this answer, elapsed_us
// apart.
type example struct {
	Name      string `json:"name"`
	Summary   string `json:"summary"`
	Operation string `json:"operation"` // its id in the description; empty for what belongs to none
	// When is the state of the service that the example takes, if it takes a special one.
	When   string            `json:"when,omitempty"`
	Method string            `json:"method"`
	Path   string            `json:"path"`
	Query  map[string]string `json:"query,omitempty"`
	// Headers are those besides the ones that say what the body is.
	Headers map[string]string `json:"headers,omitempty"`
	// Body and Answer are JSON, or in a string if they are something else.
	Body   json.RawMessage `json:"body,omitempty"`
	Status int             `json:"status"`
	Answer json.RawMessage `json:"answer,omitempty"`
}

//go:embed examples.json
var examplesFile []byte

// examples returns all examples. They are read when somebody first asks for a page.
var examples = sync.OnceValue(func() []*example {
	var all []*example
	d := json.NewDecoder(bytes.NewReader(examplesFile))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		panic("httpapi: examples.json: " + err.Error())
	}
	return all
})

// text returns a body or an answer as it is sent.
func text(value json.RawMessage) []byte {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return []byte(s)
	}
	var buf bytes.Buffer
	if len(value) > 0 && json.Compact(&buf, value) == nil {
		return buf.Bytes()
	}
	return value
}

// target returns path and query.
func (e *example) target() string {
	query := url.Values{}
	for k, v := range e.Query {
		query.Set(k, v)
	}
	if len(query) == 0 {
		return e.Path
	}
	return e.Path + "?" + query.Encode()
}

// isStream reports whether the answer is a stream of events.
func (e *example) isStream() bool {
	return e.Headers["Accept"] == eventStreamType || strings.HasSuffix(e.Path, "/events")
}

// isPlain reports whether the answer is in JSON.
func (e *example) isPlain() bool { return e.Status == http.StatusOK && e.Headers["Accept"] == "" }

// isBatch reports whether the request is a batch.
func (e *example) isBatch() bool { return isBatch(e.Path) }

// isQuestion reports whether the request is as its schema says.
func (e *example) isQuestion() bool { return e.Status < http.StatusMultipleChoices }

func (e *example) sfen() any   { return e.Query["sfen"] }
func (e *example) body() any   { return e.Body }
func (e *example) answer() any { return e.Answer }

// examplesOf returns the examples of an operation that are of use, with what they show of
// themselves.
func examplesOf(operation string, use func(*example) bool,
	value func(*example) any) map[string]*huma.Example {
	found := map[string]*huma.Example{}
	for _, e := range examples() {
		if e.Operation == operation && use(e) {
			found[e.Name] = &huma.Example{Summary: e.Summary, Description: e.When, Value: value(e)}
		}
	}
	return found
}

// questions returns the bodies of the examples of an operation that are what its schema says.
func questions(operation string) map[string]*huma.Example {
	return examplesOf(operation, func(e *example) bool {
		return e.When == "" && e.contentType() == jsonType && e.isQuestion()
	}, (*example).body)
}

// answers returns what the examples of an operation get with a status.
func answers(operation string, status int) map[string]*huma.Example {
	with := func(e *example) bool { return e.Status == status }
	return examplesOf(operation, with, (*example).answer)
}
