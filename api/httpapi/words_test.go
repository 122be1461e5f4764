package httpapi

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// goWords are what the standard library says to programmers, and not to people.
var goWords = regexp.MustCompile(`strconv|time: |json: |parsing \\"|invalid syntax|unexpected EOF|` +
	`invalid character|cannot unmarshal|runtime error|<nil>|%!|net/url|mime: |notation: |shogi: |wire: `)

// TestErrorsInWords: whatever is wrong with a request, it is said in our words.
func TestErrorsInWords(t *testing.T) {
	s := noSolver(t, Config{})
	for _, target := range []string{"/v1/solve", "/v1/moves", "/v1/analyze", "/v1/play", "/v1/read", "/v1/solve/batch"} {
		for _, body := range []string{"", "{", "[]", `{"sfen":7}`, `{"sfen":"4k4/9"}`, `{"sfen":"startpos moves x"}`,
			`{"sfen":"startpos","limits":{"nodes":"x"}}`, `{"sfen":"startpos","limits":{"nodes":1e99}}`,
			`{"sfen":"startpos","limits":{"time_ms":-1}}`, `{"sfen":"startpos","limits":[]}`, `{"text":"{\"moves\":[}"}`,
			`{"text":"{\"header\":{\"a\":1},\"moves\":[]}"}`, "\x80", `"` + strings.Repeat("x", 300), "nul"} {
			check(t, s, "POST", target, body, "application/json")
		}
		for _, text := range []string{"x", "{", `{"header":[],"moves":[]}`, `{"moves":[{"move":{"to":"x"}}]}`, `{"moves":{}}`,
			"PI\n", "手合割：x\n", "%PDF-1", "https://lishogi.org/abc", "https://example.org/?xbody=!", "4k4/9 b - 1", "\xff\xfe\x00\xd8"} {
			for _, kind := range []string{"text/plain", "application/x-jkf+json", "text/x-csa", "text/x-kif; charset=x", "text/x-kif; charset"} {
				check(t, s, "POST", target, text, kind)
			}
		}
	}
	for _, query := range []string{"", "sfen=%zz", "sfen=4k4", "sfen=startpos&nodes=x", "sfen=startpos&nodes=1e9",
		"sfen=startpos&time_ms=99999999999999999999", "sfen=startpos&shortest=x", "sfen=startpos&plies=-", "x=%", "sfen=" + url.QueryEscape("#")} {
		for _, path := range []string{"/v1/solve", "/v1/moves", "/v1/analyze", "/v1/play"} {
			check(t, s, "GET", path+"?"+query, "", "")
		}
		check(t, s, "POST", "/v1/solve?after=x&"+query, "手合割：平手\n", "text/plain")
	}
}

// check wants a refusal without words of Go, or an answer.
func check(t *testing.T, s *Server, method, target, body, contentType string) {
	t.Helper()
	var headers []string
	if contentType != "" {
		headers = []string{"Content-Type", contentType}
	}
	w := do(s, method, target, body, headers...)
	if word := goWords.FindString(w.Body.String()); word != "" || w.Code == 500 {
		t.Errorf("%s %s with %.80q as %s: %d says %q:\n%.400s", method, target, body, contentType, w.Code, word, w.Body)
	}
}
