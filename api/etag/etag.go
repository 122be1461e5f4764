// Package etag makes and compares entity tags (RFC 9110, section 8.8.3), for handlers that know the
// tag of an answer before they make the answer. Where the answer is there already,
// http.ServeContent compares.
package etag

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Of returns the strong tag of a body, or of all that it depends on, quotes included: it changes if
// a single byte does.
func Of(body []byte) string { return `"` + Digest(body) + `"` }

// Digest returns what stands between the quotes, 24 letters that an address can hold too.
func Digest(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}

// Matches reports whether a header If-None-Match names the tag, quotes included: then the client
// has the answer. For this header a weak tag is as good as a strong one (RFC 9110, section 13.1.2).
func Matches(ifNoneMatch, tag string) bool {
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
