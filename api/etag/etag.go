// Package etag compares entity tags, for handlers that know the tag of an answer before they make the answer. Where the
// answer is there already, http.ServeContent does it.
package etag

import "strings"

// Matches reports whether a header If-None-Match names the tag, quotes included: then the client has the answer. For this
// header a weak tag is as good as a strong one (RFC 9110, section 13.1.2).
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
