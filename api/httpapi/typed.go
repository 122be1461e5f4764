package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi/notation"
)

// Some paths answer in the media type that the header Accept asks for. That is more than generated
// clients understand, whose answers have one type for each path. So each type but JSON has a path
// of its own as well, and the description has the first path with JSON alone.

// recordFormats are the notations in which an answer can be asked for by a path.
var recordFormats = notation.Names(notation.Written())

// recordType returns the media type of answers in a notation. ok is false if there is none.
func recordType(format string) (mediaType string, ok bool) {
	if !slices.Contains(recordFormats, format) {
		return "", false
	}
	f, _ := notation.ParseFormat(format)
	return f.MediaTypes()[0], true
}

// asEvents makes a handler answer with events.
func asEvents(next handler) handler {
	return func(x *responseRecorder, r *http.Request) *wire.Problem {
		r.Header.Set("Accept", eventStreamType)
		return next(x, r)
	}
}

// asRecord makes a handler answer with a record in the notation that the path names.
func asRecord(next handler) handler {
	return func(x *responseRecorder, r *http.Request) *wire.Problem {
		format := chi.URLParam(r, "format")
		mediaType, ok := recordType(format)
		if !ok {
			return wire.NewProblem(wire.NotFound, noFormat, wire.Clip(format),
				strings.Join(recordFormats, ", "))
		}
		r.Header.Set("Accept", mediaType)
		return next(x, r)
	}
}
