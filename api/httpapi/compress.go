package httpapi

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// leastCompressed is the least size of a body that is compressed. Below it an answer is one packet
// in any case.
const leastCompressed = 1 << 10

// gzipTag ends the entity tag of a body under gzip, within its quotes: other bytes need another
// strong tag (RFC 9110, section 8.8.3).
const gzipTag = "-gzip"

// compress returns what sends bodies under gzip to clients that take it: text, JSON and SVG of
// leastCompressed bytes and more. Pictures in PNG and GIF, parts of files and what has a Content-Encoding
// already stay as they are, and so do streams, which are not collected. An
// answer has no secret, such as a key, that the length of its compressed form could reveal.
func compress() func(http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(leastCompressed), gzhttp.EnableZstd(false),
		gzhttp.ContentTypeFilter(isCompressible), gzhttp.SetContentType(false),
		gzhttp.SuffixETag(gzipTag))
	if err != nil {
		panic(err) // of options that do not vary
	}
	return func(next http.Handler) http.Handler {
		// The handlers write to the recorder, so that the compressing writer goes below it.
		below := wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x := recorderOf(r.Context())
			above := x.ResponseWriter
			x.ResponseWriter = w
			defer func() { x.ResponseWriter = above }()
			next.ServeHTTP(x, r)
		}))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x := recorderOf(r.Context())
			h := x.Header()
			if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") || isStream(r) {
				h["Vary"] = append(h["Vary"], "Accept-Encoding")
				next.ServeHTTP(w, r)
				return
			}
			under := x.ResponseWriter
			if tags := r.Header.Get("If-None-Match"); strings.Contains(tags, gzipTag+`"`) {
				r.Header.Set("If-None-Match", strings.ReplaceAll(tags, gzipTag+`"`, `"`))
				under = &taggedWriter{under}
			}
			below.ServeHTTP(under, r)
		})
	}
}

// A taggedWriter answers a client that has a body under gzip with the tag of that body where the
// body has not changed.
type taggedWriter struct{ http.ResponseWriter }

func (w *taggedWriter) WriteHeader(status int) {
	if tag := w.Header().Get("Etag"); status == http.StatusNotModified && strings.HasSuffix(tag, `"`) {
		w.Header().Set("Etag", tag[:len(tag)-1]+gzipTag+`"`)
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *taggedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// isStream reports whether the answer to a request may be sent piece by piece.
func isStream(r *http.Request) bool {
	path := r.URL.Path
	return isBatch(path) || strings.HasSuffix(path, "/events") ||
		strings.HasSuffix(path, "/results") && strings.Contains(r.URL.RawQuery, "follow")
}

// isCompressible reports whether bodies of a Content-Type get shorter.
func isCompressible(contentType string) bool {
	mediaType, _, _ := strings.Cut(contentType, ";")
	return strings.HasPrefix(mediaType, "text/") && mediaType != eventStreamType ||
		isJSON(mediaType) || isNDJSON(mediaType) || mediaType == "image/svg+xml"
}
