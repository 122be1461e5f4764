package site

import (
	"encoding/json"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/web/diagram"
)

// noon is the time of the tests: in Japan it is noon of Monday, November 23rd, 2026.
func noon() time.Time { return time.Date(2026, 11, 23, 3, 0, 0, 0, time.UTC) }

// newSite returns the pages with the pictures that they show.
func newSite(t testing.TB) http.Handler {
	t.Helper()
	return newSiteOf(t, Config{MaxTime: 10 * time.Second, Now: noon})
}

func newSiteOf(t testing.TB, c Config) http.Handler {
	t.Helper()
	pages, err := Handler(c)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.Handle("/v1/diagram.svg", diagram.Handler(nil))
	mux.Handle("/v1/diagram.png", diagram.Handler(nil))
	return mux
}

// get asks with headers that are given in pairs.
func get(h http.Handler, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const (
	problem   = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"
	promoted  = "5+P1k1/9/5+rB2/9/9/9/9/9/9 b RPb4g4s4n4l16p 1"
	shortLink = "/p?sfen=7R1/9/8k/8p/5R3/9/9/9/9_b_2b4g4s4n4l17p"
	studyLink = "/study?sfen=7R1/9/8k/8p/5R3/9/9/9/9_b_2b4g4s4n4l17p"
)

// TestHeaders: every page says what it may load and who may frame it, and sets no cookie.
func TestHeaders(t *testing.T) {
	h := newSite(t)
	for _, c := range []struct {
		path   string
		status int
		framed bool
	}{
		{"/", 200, false}, {shortLink, 200, false}, {studyLink, 200, false}, {"/study", 200, false}, {"/study?sfen=", 422, false}, {"/p", 422, false}, {"/p?sfen=4k4", 422, false}, {setLink, 200, false}, {"/set", 200, false}, {"/games", 200, false}, {"/games?lang=x", 422, false}, {"/train", 200, false}, {"/train?theme=pink", 422, false},
		{"/daily", 200, false}, {"/daily/2026-11-22", 200, false}, {"/daily/2026-11-24", 404, false}, {"/daily/x", 422, false}, {"/problems", 200, false}, {"/problems?plies=3", 200, false}, {"/problems?plies=4", 422, false},
		{"/set?src=//x", 422, false}, {"/nowhere", 404, false}, {"/static/nothing.js", 404, false},
		{"/embed?" + strings.TrimPrefix(shortLink, "/p?"), 200, true}, {"/embed?sfen=x", 422, true},
	} {
		w := get(h, c.path)
		header := w.Header()
		if w.Code != c.status || header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d %s", c.path, w.Code, header.Get("Content-Type"))
		}
		csp := header.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none'; script-src 'self'; style-src 'self';") || strings.Contains(csp, "unsafe") ||
			strings.HasSuffix(csp, "frame-ancestors *") != c.framed || strings.HasSuffix(csp, "frame-ancestors 'none'") == c.framed {
			t.Errorf("%s: Content-Security-Policy %q", c.path, csp)
		}
		if got := header.Get("Cross-Origin-Resource-Policy"); (got == "cross-origin") != c.framed || got == "" {
			t.Errorf("%s: Cross-Origin-Resource-Policy %q", c.path, got)
		}
		if got := header.Get("Cross-Origin-Embedder-Policy"); (got == "require-corp") != c.framed {
			t.Errorf("%s: Cross-Origin-Embedder-Policy %q", c.path, got)
		}
		if header.Get("Set-Cookie") != "" || header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Referrer-Policy") == "" {
			t.Errorf("%s: %v", c.path, header)
		}
		if want := map[bool]string{true: "private, no-cache", false: "no-store"}[c.status == 200]; header.Get("Cache-Control") != want {
			t.Errorf("%s: Cache-Control %q", c.path, header.Get("Cache-Control"))
		}
		if strings.Contains(w.Body.String(), "ZgotmplZ") || strings.Contains(w.Body.String(), "no value") {
			t.Errorf("%s: the template failed somewhere", c.path)
		}
		if c.status == 200 && get(h, c.path, "If-None-Match", header.Get("Etag")).Code != http.StatusNotModified {
			t.Errorf("%s is sent again", c.path)
		}
	}
}

var (
	addresses = regexp.MustCompile(`(?:src|href|action)="([^"]*)"`)
	unescape  = strings.NewReplacer("&amp;", "&", "&#43;", "+").Replace
)

// TestNothingFromElsewhere: what pages load and link to is here, and exists.
func TestNothingFromElsewhere(t *testing.T) {
	h := newSite(t)
	api := map[string]bool{"/docs": true, "/openapi.json": true, "/v1/solve": true, "/embed.js": true, "/embed-progress.js": true} // of other packages
	for _, path := range []string{"/", "/?lang=en", shortLink + "&lang=en&pieces=international", studyLink, "/embed" + strings.TrimPrefix(shortLink, "/p"), setLink, "/set", "/games?pieces=international", "/daily", "/daily/2026-11-22?lang=en", "/problems", "/problems?plies=3&lang=en", "/nowhere"} {
		w := get(h, path)
		body := w.Body.String()
		if regexp.MustCompile(`<style|style="|onclick|<script(>| type="module">)`).MatchString(body) {
			t.Errorf("%s has something that its policy forbids", path)
		}
		found := addresses.FindAllStringSubmatch(body, -1)
		if len(found) < 4 {
			t.Errorf("%s has %d addresses", path, len(found))
		}
		for _, a := range found {
			u, err := url.Parse(unescape(a[1]))
			if err != nil || u.Host != "" && u.Host != "example.com" {
				t.Errorf("%s: %s leads elsewhere", path, a[1])
				continue
			}
			if u.Path == "" || api[u.Path] || a[0] == `action="/study"` || a[0] == `action="/set"` {
				continue
			}
			if w := get(h, u.RequestURI()); w.Code != 200 {
				t.Errorf("%s: %s is %d", path, a[1], w.Code)
			}
		}
	}
	for _, name := range []string{"/robots.txt", "/favicon.svg", "/apple-touch-icon.png"} {
		if w := get(h, name); w.Code != 200 || !strings.HasSuffix(w.Header().Get("Cache-Control"), ", max-age=86400") {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
	}
	asset := regexp.MustCompile(`/static/site\.[^"]*\.js`).FindString(get(h, studyLink).Body.String())
	if w := get(h, asset); !strings.Contains(w.Header().Get("Cache-Control"), "immutable") || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/javascript") {
		t.Errorf("%s: %v", asset, w.Header())
	}
}

// TestLanguage: the parameter counts, then the browser, then Japanese.
func TestLanguage(t *testing.T) {
	h := newSite(t)
	for _, c := range []struct{ path, accept, want string }{
		{"/", "", "ja"}, {"/", "en-GB,en;q=0.9", "en"}, {"/", "ja,en;q=0.9", "ja"}, {"/", "fr", "en"}, {"/", "zh-TW,ja;q=0.5", "ja"}, {"/", "de,en;q=0.8,ja;q=0.3", "en"}, {"/", "*", "ja"},
		{"/?lang=en", "ja", "en"}, {"/?lang=ja", "en", "ja"}, {"/?lang=xx", "en", "en"}, {shortLink + "&lang=en", "", "en"}, {"/", strings.Repeat("x,", 4000), "ja"},
	} {
		w := get(h, c.path, "Accept-Language", c.accept)
		if !strings.Contains(w.Body.String(), `<html lang="`+c.want+`"`) || w.Header().Get("Content-Language") != c.want || !strings.Contains(w.Header().Get("Vary"), "Accept-Language") {
			t.Errorf("%s for %.40q is not in %q: %v", c.path, c.accept, c.want, w.Header())
		}
	}
}

// TestProblemPage: whatever way a position is escaped, it is the position, in the page, in its
// picture and in its links.
func TestProblemPage(t *testing.T) {
	h := newSite(t)
	for _, query := range []string{
		"sfen=" + url.QueryEscape(promoted), "sfen=" + strings.ReplaceAll(promoted, " ", "%20"), "sfen=" + "5%2BP1k1/9/5%2BrB2/9/9/9/9/9/9_b_RPb4g4s4n4l16p",
		"sfen=" + strings.ReplaceAll(promoted, " ", "+"),
	} {
		body := get(h, "/p?"+query+"&title=%E7%AC%AC+1%E7%95%AA%22%3E").Body.String()
		if !strings.Contains(body, `data-sfen="5&#43;P1k1/9/5&#43;rB2/9/9/9/9/9/9 b RPb4g4s4n4l16p 1"`) {
			t.Errorf("%s is not on the board", query)
		}
		if body := get(h, "/study?"+query).Body.String(); !strings.Contains(body, `data-sfen="5&#43;P1k1`) {
			t.Errorf("%s is not on the board of the tools", query)
		}
		for _, tag := range []string{`<h1>第 1番&#34;&gt;</h1>`, `<meta property="og:title" content="第 1番&#34;&gt;">`, `<meta name="twitter:card" content="summary_large_image">`} {
			if !strings.Contains(body, tag) {
				t.Errorf("%s: no %s", query, tag)
			}
		}
		for _, link := range []string{`property="og:image" content="([^"]*)"`, `property="og:url" content="([^"]*)"`, `rel="canonical" href="([^"]*)"`} {
			found := regexp.MustCompile(link).FindStringSubmatch(body)
			if found == nil {
				t.Fatalf("%s: no %s", query, link)
			}
			u, err := url.Parse(unescape(found[1]))
			if err != nil || u.Host != "example.com" {
				t.Fatalf("%s: %s", query, found[1])
			}
			w := get(h, u.RequestURI())
			if w.Code != 200 || strings.Contains(link, "image") && w.Header().Get("Content-Type") != "image/png" {
				t.Errorf("%s: %s is %d %s", query, found[1], w.Code, w.Body)
			}
		}
	}
	// Without scripts, the form sends what was pasted: a record, or one with a fault.
	if body := get(h, "/p?sfen="+url.QueryEscape(kif)).Body.String(); !strings.Contains(body, `data-sfen="`+recorded+`"`) {
		t.Error("a record is not read")
	}
	if body := get(h, "/p?sfen="+url.QueryEscape(strings.Replace(kif, "v玉", "v鬼", 1))+"&lang=ja").Body.String(); !strings.Contains(body, `<p class="fault">4行10文字目：`) {
		t.Errorf("a record with a fault is %s", body)
	}
	// Moves are played, and the problem is what they lead to.
	if body := get(h, shortLink+"_moves_4e4c%2B").Body.String(); !strings.Contains(body, "7R1/9/5&#43;R2k/8p/9/9/9/9/9 w") {
		t.Error("moves are not played")
	}
	for lang, want := range map[string]string{"ja": `<p class="fault">12文字目：二歩です。5筋に先手の歩が二枚あります。</p>`, "en": `<p class="fault">Character 12: found a second black pawn on file 5 (nifu)</p>`} {
		if body := get(h, "/p?sfen=4k4/9/4P4/4P4/9/9/9/9/9_b_-&lang="+lang).Body.String(); !strings.Contains(body, want) {
			t.Errorf("a page of a fault does not name it: %s", body)
		}
		if body := get(h, "/p?sfen=4k4/9/4+X4/9/9/9/9/9/9_b_-&lang="+lang).Body.String(); !strings.Contains(body, "%2B") {
			t.Errorf("a page of a + does not say how to write it: %s", body)
		}
	}
	if body := get(h, shortLink+"&title="+strings.Repeat("%E9%95%B7", 500)).Body.String(); strings.Count(body, "長") > 20*maxTitle {
		t.Error("a title may be as long as one likes")
	}
}

// TestOrigin: links name the service as the client does, and nothing that is no host gets into
// them.
func TestOrigin(t *testing.T) {
	for _, c := range []struct{ host, proto, want string }{
		{"example.com", "", "http://example.com"}, {"example.com:8080", "https", "https://example.com:8080"}, {"[::1]:80", "", "http://[::1]:80"},
		{`a"><script>`, "", "http://localhost"}, {"", "", "http://localhost"}, {"example.com", "javascript", "http://example.com"}, {"a/b", "", "http://localhost"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = c.host
		r.Header.Set("X-Forwarded-Proto", c.proto)
		if got := httpheader.Origin(r); got != c.want {
			t.Errorf("%q %q: %s, want %s", c.host, c.proto, got, c.want)
		}
	}
}

// TestCaches: what a client says of itself reaches nobody else by way of a shared cache.
func TestCaches(t *testing.T) {
	h := newSite(t)
	for _, path := range []string{
		"/", shortLink, "/embed" + strings.TrimPrefix(shortLink, "/p"), setLink, "/set", "/games", "/daily", "/daily/2026-11-22", "/daily.json", "/daily.atom",
		"/problems", "/sitemap.xml", "/robots.txt", "/manifest.webmanifest", "/nowhere",
	} {
		honest := get(h, path)
		for header, value := range map[string]string{
			"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example", "X-Host": "evil.example", "Forwarded": "host=evil.example;proto=https",
			"X-Forwarded-Port": "1", "X-Original-Url": "/evil", "X-Forwarded-Prefix": "/evil", "Accept-Language": "en", "Cookie": "lang=en",
		} {
			w := get(h, path, header, value)
			if strings.Contains(w.Body.String(), "evil") {
				t.Errorf("%s: %s gets into the page", path, header)
			}
			varies := slices.Contains(strings.Split(w.Header().Get("Vary"), ", "), header)
			if w.Body.String() != honest.Body.String() && !varies {
				t.Errorf("%s: %s changes the page, which varies by %q", path, header, w.Header().Get("Vary"))
			}
		}
	}
}

// TestCanonical: each version of a page names itself, and the same versions.
func TestCanonical(t *testing.T) {
	h := newSite(t)
	const host = "http://example.com"
	for _, path := range []string{"/", shortLink, "/daily/2026-11-22"} {
		mark := "?"
		if strings.Contains(path, "?") {
			mark = "&amp;"
		}
		for more, canonical := range map[string]string{"": host + path, "lang=en": host + path + mark + "lang=en"} {
			address := path
			if more != "" {
				address += strings.Replace(mark, "&amp;", "&", 1) + more
			}
			body := get(h, address).Body.String()
			for _, tag := range []string{
				`<link rel="canonical" href="` + canonical + `">`, `<meta property="og:url" content="` + canonical + `">`,
				`<link rel="alternate" hreflang="ja" href="` + host + path + mark + `lang=ja">`,
				`<link rel="alternate" hreflang="en" href="` + host + path + mark + `lang=en">`,
				`<link rel="alternate" hreflang="x-default" href="` + host + path + `">`,
			} {
				if !strings.Contains(body, tag) {
					t.Errorf("%s has no %s", address, tag)
				}
			}
		}
	}
}

// TestNotOffered: where nothing plays and nothing analyzes, the page says so, and nothing of it is
// there.
func TestNotOffered(t *testing.T) {
	body := get(newSite(t), studyLink+"&lang=en").Body.String()
	for _, part := range []string{`data-mode="play"`, `id="opponent"`, `id="analyze"`} {
		if strings.Contains(body, part) {
			t.Errorf("the page has %s", part)
		}
	}
	for _, part := range []string{"Lengths count every legal move", "Switched off on this server",
		"judging soundness", "playing on from a position"} {
		if !strings.Contains(body, part) {
			t.Errorf("the page does not say %q", part)
		}
	}
	for _, c := range []struct {
		config Config
		off    []string
	}{
		{Config{Analyses: true}, []string{"playing on from a position"}},
		{Config{Levels: []Level{{Name: "a", Ja: "a", En: "a"}}}, []string{"judging soundness"}},
		{Config{Analyses: true, Levels: []Level{{Name: "a", Ja: "a", En: "a"}}}, nil},
	} {
		c.config.MaxTime = time.Second
		h, err := Handler(c.config)
		if err != nil {
			t.Fatal(err)
		}
		body := get(h, studyLink+"&lang=en").Body.String()
		for _, part := range []string{"judging soundness", "playing on from a position"} {
			if strings.Contains(body, part) != slices.Contains(c.off, part) {
				t.Errorf("%+v: %q is off: %t", c.config, part, !slices.Contains(c.off, part))
			}
		}
		if strings.Contains(body, "Switched off") != (c.off != nil) {
			t.Errorf("%+v: a section without anything in it, or none", c.config)
		}
	}
}

// TestNoSpoiler: the page of a problem says nothing of its answer, neither to people nor to what
// previews links.
func TestNoSpoiler(t *testing.T) {
	h := newSite(t)
	for _, lang := range []string{"ja", "en"} {
		body := get(h, shortLink+"&lang="+lang).Body.String()
		if found := regexp.MustCompile(`(?i)4e4c|４三|5手|5 plies|mate in 5|/v1/solve`).FindString(body); found != "" {
			t.Errorf("in %s it says %q", lang, found)
		}
		if !strings.Contains(body, `mode="solve"`) {
			t.Errorf("in %s it cannot be played at once", lang)
		}
	}
}

// TestReaderParameters: what the address of a problem says beside the position is on its page, and
// what cannot be had is refused by name, with what can.
func TestReaderParameters(t *testing.T) {
	h := newSite(t)
	const wrong = "アドレスに使えない値があります"
	without := regexp.MustCompile(`href="([^"]*)">その値を除いて開く`)
	picture := regexp.MustCompile(`property="og:image" content="http://example.com([^"]*)"`)
	for more, parts := range map[string][]string{
		"&title=%E5%9B%B3&author=%E5%AE%97%E7%9C%8B%E4%BD%9C&plies=3": {"<h1>図</h1>", "<span>宗看 作</span>", "<b>3手詰</b>"},
		"&plies=3":                          {"<h1>3手詰</h1>"},
		"":                                  {"<h1>詰将棋</h1>", "何手詰？"},
		"&theme=dark":                       {` data-theme="dark"`, ` theme="dark"`, `<option value="dark" selected>`, "&amp;theme=dark"},
		"&theme=wood+light":                 {` data-theme="light"`, ` theme="wood light"`, `<option value="wood light" selected>`},
		"&theme=wood_light":                 {` theme="wood light"`, "&amp;theme=wood_light"},
		"&pieces=international":             {` pieces="international"`, "/v1/diagram.svg?", "&amp;pieces=international"},
		"&pieces=two-character":             {` pieces="two-character"`},
		"&pieces=kanji":                     {`<option value="" selected>一字`},
		"&pieces=one-character":             {`<option value="" selected>一字`},
		"&coordinates=off&sound=on":         {` data-coordinates="off"`, `name="sound" checked`, "&amp;coordinates=off&amp;sound=on"},
		"&moves=4e4c%2B_1c1b_2a2c%2B":       {` moves="4e4c&#43; 1c1b 2a2c&#43;"`, "&amp;moves=4e4c%2B_1c1b_2a2c%2B"},
		"_moves_4e4c%2B&moves=1c1b_4c2c":    {` moves="1c1b 4c2c"`}, // the defender begins
		"&moves=4e4c%2B+1c1b":               {` moves="4e4c&#43; 1c1b"`},
		"&theme=pink":                       {wrong, "theme=pink は使えません。使えるのは light、dark、paper、wood、contrast です。"},
		"&theme=light+dark":                 {wrong, "theme=light dark は使えません。"},
		"&theme=wood+paper":                 {wrong, "theme=wood paper は使えません。"},
		"&pieces=chess&theme=dark":          {wrong, "pieces=chess は使えません。使えるのは kanji、two-character、international です。", "&amp;theme=dark\">"},
		"&moves=4e4d":                       {wrong, "moves=4e4d は使えません。この局面から王手の続く手順を", "1手目の 4e4d は王手ではありません。"},
		"&moves=%3Cb%3E":                    {wrong, "moves=&lt;b&gt; は使えません。"},
		"&sound=loud":                       {wrong, "sound=loud は使えません。使えるのは off、on です。"},
		"&coordinates=none":                 {wrong, "coordinates=none は使えません。"},
		"&lang=fr":                          {wrong, "lang=fr は使えません。使えるのは ja、en です。"},
		"&theme=" + strings.Repeat("x", 99): {wrong, "xxx… は使えません。"},
	} {
		for _, page := range []string{shortLink, studyLink} {
			isWrong := parts[0] == wrong
			if page == studyLink && !isWrong {
				continue
			}
			w := get(h, page+more, "Accept-Language", "ja")
			if want := map[bool]int{false: 200, true: 422}[isWrong]; w.Code != want {
				t.Errorf("%s%s is %d, expected %d", page, more, w.Code, want)
			}
			body := w.Body.String()
			for _, part := range parts {
				if !strings.Contains(body, part) {
					t.Errorf("%s%s: no %s in %s", page, more, part, body)
				}
			}
			if strings.Contains(body, "文字目") {
				t.Errorf("%s%s has the place of a fault in another text: %s", page, more, body)
			}
			// What it leads to is there: the problem without it, or the picture for who shares it.
			link := map[bool]*regexp.Regexp{true: without, false: picture}[isWrong].FindStringSubmatch(body)
			if link == nil {
				t.Errorf("%s%s leads to nothing: %s", page, more, body)
			} else if w := get(h, unescape(link[1])); w.Code != 200 {
				t.Errorf("%s%s leads to %s, which is %d", page, more, link[1], w.Code)
			}
		}
	}
	if body := get(h, shortLink+"&theme=pink&lang=en").Body.String(); !strings.Contains(body, "theme=pink cannot be used. Allowed: light, dark, paper, wood, contrast.") {
		t.Errorf("in English it is %s", body)
	}
	// The tools know of it, too, and lead back to it.
	body := get(h, studyLink+"&author=A&moves=4e4c%2B&theme=wood&lang=en").Body.String()
	for _, part := range []string{` theme="wood"`, `data-author="A" data-line="4e4c&#43;"`,
		`&amp;lang=ja&amp;theme=wood" lang="ja"`, `href="` + strings.ReplaceAll(shortLink, "&", "&amp;") + `&amp;author=A&amp;moves=4e4c%2B&amp;lang=en&amp;theme=wood"`} {
		if !strings.Contains(body, part) {
			t.Errorf("the tools have no %s", part)
		}
	}
}

// TestNext: from problem to problem one comes to each example that has a mate, and back.
func TestNext(t *testing.T) {
	h := newSite(t)
	link := regexp.MustCompile(`data-base="(/p\?sfen=[^"]*)"`)
	next := func(path string) string {
		found := link.FindStringSubmatch(get(h, path).Body.String())
		if found == nil {
			t.Fatalf("nothing follows %s", path)
		}
		return unescape(found[1])
	}
	seen := map[string]bool{}
	for path := next(shortLink + "&lang=en"); !seen[path]; path = next(path) {
		seen[path] = true
		if body := get(h, path).Body.String(); !strings.Contains(body, "<h1>Mate in ") {
			t.Errorf("%s does not say how long it is", path)
		}
	}
	if len(seen) != len(samples)-1 { // one has no mate
		t.Errorf("%d problems, one after another", len(seen))
	}
}

// TestFaultDetails: an address whose position has faults says in Japanese what each is about.
func TestFaultDetails(t *testing.T) {
	h := newSite(t)
	bod := "+---------------------------+\n" + strings.Repeat("| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n", 7) +
		"| ・ ・ ・ ・ ・ ・ ・ ・|\n| ・ ・ ・ ・ 犬 ・ ・ ・v玉|\n"
	for text, want := range map[string][]string{
		"4k4/9/4P4/4P4/9/9/9/9/9 b - 1":                    {"二歩です。5筋に先手の歩が二枚あります。"},
		"4k4/9/4p4/4p4/9/9/9/9/9 b - 1":                    {"二歩です。5筋に後手の歩が二枚あります。"},
		"N3k4/9/9/9/9/9/9/9/9 b - 1":                       {"行き所のない駒です（9一の先手の桂）。"},
		"4k4/9/4k4/9/9/9/9/9/9 b - 1":                      {"後手の玉が二枚あります（5三）。"},
		"4k4/9/4G4/9/9/9/9/9/9 b G4g 1":                    {"金が6枚あります（盤に1枚、持駒に5枚。一組は4枚です）。"},
		"4k4/9/4G4/9/9/9/9":                                {"盤が7段あります", "手番（b か w）がありません。", "持駒がありません"},
		"4k4/9/4G3/9/9/9/9/9/9 b G 1":                      {"3段目が8マス分です"},
		"4k4/9/4X4/9/9/9/9/9/9 b G 1":                      {"3段目の「X」は駒でも数字でもありません。"},
		bod:                                                {"8段目が8マス分です", "5筋の「 犬」は駒ではありません。"},
		"https://lishogi.org/151jxej8":                     {"このアドレスには局面が入っていません"},
		"https://lishogi.org/analysis/4k4/9/4G4/9/9/9_b_G": {"盤が6段あります"},
		"%PDF-1.4":                                         {"テキストではありません"},
	} {
		page := unescape(get(h, "/p?lang=ja&sfen="+url.QueryEscape(text)).Body.String())
		for _, part := range want {
			if !strings.Contains(page, part) {
				t.Errorf("%s: no %q in %s", text, part, regexp.MustCompile(`(?s)<ul.*?</ul>`).FindString(page))
			}
		}
	}
}

// TestOEmbed follows the way of a site that embeds a link: the page names the address, which gives
// a frame that exists.
func TestOEmbed(t *testing.T) {
	h := newSite(t)
	page := get(h, shortLink+"&title=%E5%9B%B3&lang=ja").Body.String()
	found := regexp.MustCompile(`type="application/json\+oembed" href="([^"]*)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatal("the page does not say how to embed it")
	}
	u, err := url.Parse(unescape(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		more, kind    string
		width, height int
		thumbnail     [2]int // its width and height, 0 for none
	}{
		{"", "rich", 400, 824, [2]int{520, 452}}, {"&maxwidth=300", "rich", 300, 694, [2]int{300, 258}}, {"&maxwidth=5000&maxheight=5000", "rich", 400, 824, [2]int{520, 452}},
		{"&maxheight=620", "rich", 288, 620, [2]int{520, 452}}, {"&maxheight=500", "rich", 720, 480, [2]int{520, 452}},
		// Where a board cannot be played there is a picture, or nothing but the link.
		{"&maxheight=603", "rich", 720, 480, [2]int{520, 452}}, {"&maxwidth=520&maxheight=603", "photo", 520, 452, [2]int{520, 452}},
		{"&maxwidth=288&maxheight=604", "rich", 288, 604, [2]int{288, 248}}, {"&maxwidth=287", "photo", 287, 248, [2]int{287, 248}},
		{"&maxwidth=288&maxheight=200", "photo", 227, 193, [2]int{227, 193}}, {"&maxheight=300", "photo", 339, 290, [2]int{339, 290}},
		{"&maxwidth=10&maxheight=99999999999", "link", 0, 0, [2]int{}},
	} {
		w := get(h, u.RequestURI()+c.more, "X-Forwarded-Proto", "https") // which is nothing to an answer that caches may keep
		var o oembed
		if err := json.Unmarshal(w.Body.Bytes(), &o); err != nil || w.Code != 200 {
			t.Fatalf("%d %s: %v", w.Code, w.Body, err)
		}
		if o.Version != "1.0" || o.Type != c.kind || o.Title != "図" || o.Width != c.width || o.Height != c.height || [2]int{o.ThumbnailWidth, o.ThumbnailHeight} != c.thumbnail {
			t.Errorf("%s: %+v", c.more, o)
		}
		links := []string{o.ProviderURL}
		if c.kind == "rich" {
			links = append(links, unescape(addresses.FindStringSubmatch(o.HTML)[1]))
		}
		if (c.kind == "rich") != (o.HTML != "") || (c.kind == "photo") != (o.URL != "") || o.URL != "" && o.URL != o.ThumbnailURL {
			t.Errorf("%s: HTML %q, URL %q", c.more, o.HTML, o.URL)
		}
		if o.ThumbnailWidth > 0 {
			links = append(links, o.ThumbnailURL)
		}
		for _, address := range links {
			u, err := url.Parse(address)
			if err != nil || u.Scheme != "http" || u.Host != "example.com" {
				t.Fatalf("%s: %s leads elsewhere: %v", c.more, address, err)
			}
			w := get(h, u.RequestURI())
			if w.Code != 200 {
				t.Errorf("%s: %s is %d", c.more, address, w.Code)
			}
			if address != o.ThumbnailURL {
				continue
			}
			if size, err := png.DecodeConfig(w.Body); err != nil || [2]int{size.Width, size.Height} != c.thumbnail {
				t.Errorf("%s: the thumbnail is %+v, %v", c.more, size, err)
			}
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Error("sites cannot read it by script")
		}
	}
	for target, want := range map[string]int{
		"/oembed": 404,
		"/oembed?url=http://elsewhere.example" + shortLink: 404,
		"/oembed?url=http://example.com/docs":              404,
		"/oembed?url=javascript://example.com" + shortLink: 404,
		"/oembed?url=http://example.com/p%3Fsfen=4k4":      404,
		u.RequestURI() + "&maxwidth=wide":                  400,
		u.RequestURI() + "&maxheight=0":                    400,
		strings.Replace(u.RequestURI(), "json", "xml", 1):  501,
	} {
		w := get(h, target)
		var p struct{ Status int }
		if json.Unmarshal(w.Body.Bytes(), &p) != nil || w.Code != want || p.Status != want {
			t.Errorf("%s: %d %s, want %d", target, w.Code, w.Body, want)
		}
	}
}

// TestEmbed: the board is what the address says, within what there is.
func TestEmbed(t *testing.T) {
	h := newSite(t)
	query := strings.TrimPrefix(shortLink, "/p")
	for more, want := range map[string]string{
		"":                         `mode="solve" lang="ja">`,
		"&mode=view&moves=4e4c%2B": `mode="view" lang="ja" moves="4e4c&#43;">`,
		"&mode=solve&hands=show&flip=false&pieces=kanji&sound=off&coordinates=on&theme=dark": `mode="solve" lang="ja" theme="dark">`,
		"&pieces=two-character&hands=hide":                                                   `mode="solve" lang="ja" hands="hide" pieces="two-character">`,
		"&coordinates=off&height=auto":                                                       `class="embedded tall" data-coordinates="off">`,
		"&theme=wood_dark&moves=4e4c%2B_1c1b":                                                `mode="solve" lang="ja" moves="4e4c&#43; 1c1b" theme="wood dark">`,
		"&flip=true&lang=en":                                                                 `mode="solve" lang="en" flip>`,
		`&moves="><script>`:                                                                  `moves="&#34;&gt;&lt;script&gt;">`,
	} {
		if body := get(h, "/embed"+query+url.PathEscape(more)).Body.String(); !strings.Contains(body, want) && !strings.Contains(get(h, "/embed"+query+strings.NewReplacer(`"`, "%22", "<", "%3C", ">", "%3E").Replace(more)).Body.String(), want) {
			t.Errorf("%s: no %s in %s", more, want, body)
		}
	}
}

// TestRefusedValues: the page at / and a frame say which value they cannot have, as the page of a
// problem does.
func TestRefusedValues(t *testing.T) {
	h := newSite(t)
	for address, fault := range map[string]string{
		"&mode=play":    "mode=play は使えません。使えるのは solve、view、edit、brinkmate です。",
		"&flip=1":       "flip=1 は使えません。使えるのは false、true です。",
		"&hands=none":   "hands=none は使えません。使えるのは show、hide です。",
		"&height=600":   "height=600 は使えません。使えるのは auto です。",
		"&pieces=chess": "pieces=chess は使えません。使えるのは kanji、two-character、international です。",
		"&theme=pink":   "theme=pink は使えません。",
		"&sound=on":     "sound=on は使えません。使えるのは off です。",
		"&lang=fr":      "lang=fr は使えません。使えるのは ja、en です。",
		"/?pieces=x":    "pieces=x は使えません。",
		"/?theme=pink":  "theme=pink は使えません。",
		"/?lang=fr":     "lang=fr は使えません。",
	} {
		if address[0] == '&' {
			address = "/embed" + strings.TrimPrefix(shortLink, "/p") + address
		}
		w := get(h, address, "Accept-Language", "ja")
		if body := w.Body.String(); w.Code != 422 || !strings.Contains(body, fault) || !strings.Contains(body, "アドレスに使えない値があります") {
			t.Errorf("%s: %d %s", address, w.Code, body)
		}
	}
	if body := get(h, "/?pieces=international&theme=wood_dark&coordinates=off&utm=x").Body.String(); !strings.Contains(body, ` pieces="international" theme="wood dark"`) || !strings.Contains(body, ` data-theme="dark" data-coordinates="off"`) {
		t.Errorf("the page does not look as its address says: %s", body)
	}
}

// TestHead: the same headers and no body; other methods are refused.
func TestMethods(t *testing.T) {
	server := httptest.NewServer(newSite(t))
	defer server.Close()
	resp, err := http.Head(server.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 || len(body) != 0 || resp.ContentLength < 1000 {
		t.Errorf("HEAD: %s, %d bytes announced, %d sent", resp.Status, resp.ContentLength, len(body))
	}
	posted, err := http.Post(server.URL+"/p", "text/plain", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer posted.Body.Close()
	if posted.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", posted.Status)
	}
}

// TestSamples: every example is a position that has somebody to mate.
func TestSamples(t *testing.T) {
	for _, s := range samples {
		p, err := shogi.ParseSFEN(s.SFEN)
		if err != nil || p.King(p.SideToMove().Opponent()) == shogi.NoSquare || s.Ja == "" || s.En == "" {
			t.Errorf("%s: %v", s.SFEN, err)
		}
	}
}

// TestReasons: the page has words for every reason that an answer can have.
func TestReasons(t *testing.T) {
	field, _ := reflect.TypeFor[wire.MoveAnswer]().FieldByName("Reason")
	for reason := range strings.SplitSeq(field.Tag.Get("enum"), ",") {
		for _, lang := range []string{"ja", "en"} {
			if text := report.Names(lang)["reasons"][reason]; !strings.HasSuffix(text, "。") && !strings.HasSuffix(text, ".") {
				t.Errorf("%q is %q", reason, text)
			}
		}
	}
}

// TestEmptyStudy: without a problem the page with the tools has an empty board to set one up.
func TestEmptyStudy(t *testing.T) {
	body := get(newSite(t), "/study?lang=en").Body.String()
	for _, want := range []string{
		`sfen="9/9/9/9/9/9/9/9/9 b - 1" mode="edit"`, `data-mode="edit" aria-pressed="true"`, `data-mode="solve" aria-pressed="false"`,
		`<meta name="description" content="Tsume shogi. Play it on the board: `,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(body, `id="reading"`) {
		t.Error("there is nothing to read yet")
	}
}
