package httpapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/tsumero/tsumero/api/wire"
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
	return strings.HasSuffix(e.Path, "/events")
}

// isBatch reports whether the request is a batch.
func (e *example) isBatch() bool { return isBatch(e.Path) }

// contentType returns the media type of the body.
func (e *example) contentType() string {
	mediaType, _, err := mime.ParseMediaType(e.Headers["Content-Type"])
	switch {
	case err == nil:
		return mediaType
	case e.isBatch():
		return ndjsonType
	}
	return jsonType
}

// answerType returns the media type of the answer.
func (e *example) answerType() string {
	format, isRecord := parseRecordFormat(path.Base(e.Path))
	switch {
	case e.Status >= http.StatusBadRequest:
		return wire.ProblemType
	case e.isStream():
		return eventStreamType
	case isRecord:
		return format.MediaTypes()[0]
	case e.isBatch(), strings.HasSuffix(e.Path, "/results"):
		return ndjsonType
	}
	return jsonType
}

// value returns a body or an answer of a media type as the description shows it: JKF, which
// examples.json has in a string, as the object it is.
func (e *example) value(raw json.RawMessage, mediaType string) any {
	if body := text(raw); isRecord(mediaType) && isJSON(mediaType) && json.Valid(body) {
		return json.RawMessage(body)
	}
	return raw
}
