package site

import (
	"strings"
	"testing"
)

// TestForeignTextIsVisible: a title or an author in an address does not turn the text of a page
// around.
func TestForeignTextIsVisible(t *testing.T) {
	h := newSite(t)
	const query = "?sfen=4k4/9/4G4/9/9/9/9/9/9_b_G_1&title=a%E2%80%AEb&author=c%1B%E2%81%A7d"
	for _, path := range []string{"/p", "/embed", "/study"} {
		body := get(h, path+query).Body.String()
		if strings.ContainsAny(body, "\u202e\u2067\x1b") || !strings.Contains(body, `a\u202eb`) {
			t.Errorf("%s: %.300q", path, body)
		}
	}
}
