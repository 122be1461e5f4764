package httpapi

import (
	"bytes"
	"errors"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/wire"
)

const (
	jsonType    = "application/json"
	ndjsonType  = "application/x-ndjson"
	openAPIType = "application/openapi+json"
)

// ndjsonTypes are the names under which a stream of JSON lines is sent. None of them is registered.
var ndjsonTypes = []string{ndjsonType, "application/ndjson", "application/jsonl",
	"application/json-lines", "text/plain"}

// bodyTypes say what bodies an endpoint takes.
type bodyTypes struct {
	accept   string // their media types, as a header lists them
	expected string // the same for people
	ok       func(mediaType string) bool
}

// The bodies that there are.
var (
	jsonBody     = &bodyTypes{jsonType, jsonType + " in UTF-8", isJSON}
	ndjsonBody   = &bodyTypes{ndjsonType, ndjsonType + " in UTF-8", isNDJSON}
	questionBody = &bodyTypes{questionTypes,
		jsonType + " in UTF-8, or a record under one of the types in the header Accept", isQuestion}
)

// check returns the problem of a body of a type that is not understood. No Content-Type is as good
// as the right one.
func (b *bodyTypes) check(x *responseRecorder, r *http.Request) *wire.Problem {
	switch coding := r.Header.Get("Content-Encoding"); coding {
	case "", "identity":
	default:
		x.Header().Set("Accept-Encoding", "identity")
		return wire.NewProblem(wire.UnsupportedMediaType, badEncoding, wire.Clip(coding))
	}
	given := r.Header.Get("Content-Type")
	if given == "" || given == b.accept || given == jsonType && b.ok(jsonType) {
		return nil
	}
	mediaType, params, err := mime.ParseMediaType(given)
	if err == nil && b.ok(mediaType) && hasCharset(mediaType, strings.ToLower(params["charset"])) {
		return nil
	}
	x.Header().Set("Accept", b.accept)
	return wire.NewProblem(wire.UnsupportedMediaType, badMediaType, wire.Clip(given), b.expected)
}

func isJSON(mediaType string) bool {
	return mediaType == jsonType ||
		strings.HasPrefix(mediaType, "application/") && strings.HasSuffix(mediaType, "+json")
}

func isNDJSON(mediaType string) bool { return slices.Contains(ndjsonTypes, mediaType) }

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// withBody reads the body into x.body before the handler runs: it is the place for the limits on
// size and time. The deadline that observe has set must not outlive the body, for net/http would
// take it for the client's end and cancel the search. If the body did not come it stays, for
// net/http tries to read the rest.
func (s *Server) withBody(types *bodyTypes, next handler) handler {
	return func(x *responseRecorder, r *http.Request) *wire.Problem {
		if p := types.check(x, r); p != nil {
			return p
		}
		buf := buffers.Get().(*bytes.Buffer)
		defer func() {
			x.body = nil
			buf.Reset()
			buffers.Put(buf)
		}()
		if p := receive(x, r, buf, int64(s.config.MaxBodyBytes)); p != nil {
			return p
		}
		x.body = buf.Bytes()
		return next(x, r)
	}
}

// receive reads the whole body, of at most limit bytes.
func receive(x *responseRecorder, r *http.Request, into *bytes.Buffer, limit int64) *wire.Problem {
	if r.ContentLength > limit {
		return bodyTooLarge(limit)
	}
	body := r.Body // which net/http ends at its length, if that is known
	if r.ContentLength < 0 {
		body = http.MaxBytesReader(x, body, limit)
	}
	if _, err := into.ReadFrom(body); err != nil {
		return bodyProblem(err, limit)
	}
	x.unread = false
	x.setReadDeadline(time.Time{})
	return nil
}

// bodyProblem returns the problem of a body that could not be read.
func bodyProblem(err error, limit int64) *wire.Problem {
	var size *http.MaxBytesError
	var timeout net.Error
	switch {
	case errors.As(err, &size):
		return bodyTooLarge(limit)
	case errors.As(err, &timeout) && timeout.Timeout():
		return wire.NewProblem(wire.BodyTimeout, bodySlow)
	}
	return wire.NewProblem(wire.BadBody, bodyBroken)
}

func bodyTooLarge(limit int64) *wire.Problem {
	return wire.NewProblem(wire.TooLarge, bodyExceeds, limit)
}
