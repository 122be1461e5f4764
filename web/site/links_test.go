package site

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// inFeeds matches the addresses in a feed, a sitemap or what oEmbed answers, and those in the HTML
// that a feed has as text.
var inFeeds = regexp.MustCompile(`<loc>([^<]*)</loc>|(?:href|src)=(?:"|&#34;|&quot;)(.*?)(?:"|&#34;|&quot;)`)

// TestLinks follows every link of every page, feed and sitemap, and those of what they lead to: each
// leads to something that is there. Addresses of other packages are not followed.
func TestLinks(t *testing.T) {
	h := newSite(t)
	others := map[string]bool{"/docs": true, "/openapi.json": true, "/v1/solve": true, "/v1/diagram.gif": true,
		"/embed.js": true, "/embed-progress.js": true, "/board": true, "/licenses.txt": true}
	from := map[string]string{} // which page led to an address
	var queue []string
	follow := func(page, link string) {
		for strings.Contains(link, "&") { // in the HTML of a feed it is escaped twice
			plain := html.UnescapeString(link)
			if plain == link {
				break
			}
			link = plain
		}
		base, _ := url.Parse("http://example.com" + page)
		u, err := base.Parse(link)
		switch {
		case err != nil:
			t.Errorf("%s links to %q: %v", page, link, err)
			return
		case u.Host != "example.com", u.Scheme == "data", others[u.Path]:
			return
		}
		u.Fragment = ""
		address := u.RequestURI()
		if _, known := from[address]; !known {
			from[address] = page
			queue = append(queue, address)
		}
	}
	for _, lang := range []string{"", "?lang=ja", "?lang=en"} {
		for _, start := range []string{"/", "/daily", "/problems", "/train", "/set", "/games", setLink, shortLink, studyLink} {
			if strings.Contains(start, "?") {
				follow("/", start+strings.Replace(lang, "?", "&", 1))
			} else {
				follow("/", start+lang)
			}
		}
		for _, start := range []string{"/daily.atom", "/daily.json", "/manifest.webmanifest"} {
			follow("/", start+lang)
		}
	}
	follow("/", "/sitemap.xml")
	pages := 0
	for len(queue) > 0 {
		address := queue[0]
		queue = queue[1:]
		w := get(h, address)
		if w.Code != 200 {
			t.Errorf("%s links to %s, which is %d", from[address], address, w.Code)
			continue
		}
		switch kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";"); kind {
		case "text/html":
			pages++
			for _, m := range addresses.FindAllStringSubmatch(w.Body.String(), -1) {
				if m[0] != `action="/study"` && m[0] != `action="/set"` { // which lack what the form adds
					follow(address, m[1])
				}
			}
		case atomType, "application/xml", "text/xml":
			pages++
			for _, m := range inFeeds.FindAllStringSubmatch(w.Body.String(), -1) {
				follow(address, m[1]+m[2])
			}
		}
	}
	if pages < 100 {
		t.Errorf("only %d pages and feeds were looked at", pages)
	}
	t.Logf("%d pages and feeds, %d addresses", pages, len(from))
}
