package site

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/httpheader"
)

// TestPublicOrigin: where the operator says how the service is called, every link of pages, feeds, site
// maps, oEmbed and cards has that, whatever a request says, and caches may share the answers. Where
// nobody says it, an answer with a name that the request made up is for its client alone.
func TestPublicOrigin(t *testing.T) {
	const public = "https://shogi.example"
	pages := newSite(t)
	named := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages.ServeHTTP(w, r.WithContext(httpheader.WithOrigin(r.Context(), public)))
	})
	for _, path := range []string{"/", shortLink, "/daily", "/problems", "/train", "/set", "/games", "/daily.atom", "/sitemap.xml", "/robots.txt",
		"/oembed?url=", "/daily.json"} {
		ask := func(h http.Handler, own string) (body, scope string) {
			target := "http://evil.example" + path
			if strings.HasPrefix(path, "/oembed") {
				target += own + "/daily"
			}
			w := get(h, target)
			if w.Code != 200 {
				t.Errorf("%s: %d %s", target, w.Code, w.Body)
			}
			scope, _, _ = strings.Cut(w.Header().Get("Cache-Control"), ",")
			return w.Body.String(), scope
		}
		body, scope := ask(named, public)
		if strings.Contains(body, "evil") || !strings.Contains(body, public+"/") || scope != "public" {
			t.Errorf("%s with a name: %s, %.300s", path, scope, body)
		}
		body, scope = ask(pages, "http://evil.example")
		if !strings.Contains(body, "http://evil.example/") || scope != "private" {
			t.Errorf("%s without a name: %s, %.300s", path, scope, body)
		}
	}
	// What has no link is the same for all.
	for _, path := range []string{"/manifest.webmanifest", "/favicon.svg"} {
		if got := get(pages, path).Header().Get("Cache-Control"); !strings.HasPrefix(got, "public, ") {
			t.Errorf("%s: %s", path, got)
		}
	}
	if w := get(named, "/oembed?url=http://evil.example/daily"); w.Code != http.StatusNotFound {
		t.Errorf("oEmbed of another host: %d", w.Code)
	}
}
