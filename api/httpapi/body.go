package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
	ndjsonType  = "application/x-ndjson"
	openAPIType = "application/openapi+json"
)

// ndjsonTypes are the names under which a stream of JSON lines is sent. None of them is registered.
var ndjsonTypes = []string{ndjsonType, "application/ndjson", "application/jsonl", "application/json-lines", "text/plain"}

// acceptsBody reports whether the body of r is of a type that is understood, else it answers 415. No Content-Type is
// as good as the right one.
func acceptsBody(x *exchange, r *http.Request, accept string, ok func(mediaType string) bool) bool {
	switch coding := r.Header.Get("Content-Encoding"); coding {
	case "", "identity":
	default:
		x.Header().Set("Accept-Encoding", "identity")
		newProblem(unsupportedMediaType, fmt.Sprintf("The body is encoded as %q, expected no encoding.", clip(coding))).write(x)
		return false
	}
	given := r.Header.Get("Content-Type")
	if given == "" || given == accept || given == jsonType && ok(jsonType) {
		return true
	}
	mediaType, params, err := mime.ParseMediaType(given)
	charset := strings.ToLower(params["charset"])
	if err == nil && ok(mediaType) && hasCharset(mediaType, charset) {
		return true
	}
	x.Header().Set("Accept", accept)
	expected := accept + " in UTF-8"
	if accept == questionTypes {
		expected = jsonType + " in UTF-8, or a record under one of the types in the header Accept"
	}
	newProblem(unsupportedMediaType, fmt.Sprintf("The body is %q, expected %s.", clip(given), expected)).write(x)
	return false
}

func isJSON(mediaType string) bool {
	return mediaType == jsonType || strings.HasPrefix(mediaType, "application/") && strings.HasSuffix(mediaType, "+json")
}

func isNDJSON(mediaType string) bool { return slices.Contains(ndjsonTypes, mediaType) }

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// readBody reads the body before the handler runs, which then finds it in memory: it is the place for the limits
// on size and time. The deadline that observe has set must not outlive the body, for net/http would take it for the
// client's end and cancel the search. If the body did not come it stays, for net/http tries to read the rest.
func (s *Server) readBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := exchangeOf(r.Context())
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		accept, ok := jsonType, isJSON
		if r.URL.Path == solvePath || r.URL.Path == readPath {
			accept, ok = questionTypes, isQuestion
		}
		if !acceptsBody(x, r, accept, ok) {
			return
		}
		buf := buffers.Get().(*bytes.Buffer)
		defer func() {
			buf.Reset()
			buffers.Put(buf)
		}()
		if p := receive(x, r, buf, int64(s.config.MaxBodyBytes)); p != nil {
			p.write(x)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(buf.Bytes()))
		next.ServeHTTP(w, r)
	})
}

// receive reads the whole body, of at most limit bytes.
func receive(x *exchange, r *http.Request, into *bytes.Buffer, limit int64) *problem {
	if r.ContentLength > limit {
		return bodyTooLarge(limit)
	}
	if _, err := into.ReadFrom(http.MaxBytesReader(x, r.Body, limit)); err != nil {
		return bodyProblem(err, limit)
	}
	x.unread = false
	_ = huma.SetReadDeadline(x, time.Time{}) // a test's recorder has none
	return nil
}

// bodyProblem returns the problem of a body that could not be read.
func bodyProblem(err error, limit int64) *problem {
	var size *http.MaxBytesError
	var timeout net.Error
	switch {
	case errors.As(err, &size):
		return bodyTooLarge(limit)
	case errors.As(err, &timeout) && timeout.Timeout():
		return newProblem(bodyTimeout, "The body did not arrive in time.")
	}
	return newProblem(badBody, "The body could not be read to its end.")
}

func bodyTooLarge(limit int64) *problem {
	return newProblem(tooLarge, fmt.Sprintf("The body exceeds %d bytes.", limit))
}
