package httpheader

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
)

// ETag returns the strong tag of a body, or of all that it depends on, quotes included: it changes if
// a single byte does.
func ETag(body []byte) string { return `"` + ETagDigest(body) + `"` }

// ETagDigest returns what stands between the quotes of an ETag, 24 letters that an address can hold too.
func ETagDigest(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}

// MatchesETag reports whether a header If-None-Match names the tag, quotes included: then the client
// has the answer. For this header a weak tag is as good as a strong one (RFC 9110, section 13.1.2).
func MatchesETag(ifNoneMatch, tag string) bool {
	if strings.TrimSpace(ifNoneMatch) == "*" {
		return true
	}
	for named := range strings.SplitSeq(ifNoneMatch, ",") {
		if strings.TrimPrefix(strings.TrimSpace(named), "W/") == tag {
			return true
		}
	}
	return false
}

// NotModified gives an answer its tag. If the client has that answer it is told so, with the header as
// it is, and NotModified returns true: there is nothing to add.
func NotModified(w http.ResponseWriter, r *http.Request, tag string) bool {
	w.Header()["Etag"] = []string{tag}
	if !MatchesETag(r.Header.Get("If-None-Match"), tag) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}
