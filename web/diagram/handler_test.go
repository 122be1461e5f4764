package diagram_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tsumero/tsumero/web/diagram"
)

const question = "sfen=8k/9/9/6B2/6P2/9/9/7%2Br1/9%20b%20RSb4g3s4n4l17p"

func ask(method, target string, header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/v1/diagram", nil)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(target, "?") // as it is sent, also what is no address
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	diagram.Handler(nil).ServeHTTP(w, r)
	return w
}

func TestHandler(t *testing.T) {
	for target, contentType := range map[string]string{
		"/v1/diagram.svg?" + question: "image/svg+xml",
		"/v1/diagram.png?" + question + "&size=640&lang=en&theme=dark&flip=true&title=Mate+in+3":          "image/png",
		"/v1/diagram.png?" + question + "&size=1200x630&title=%E8%A9%B0":                                  "image/png",
		"/v1/diagram.svg?sfen=startpos+moves+7g7f&flip=false&lang=ja&theme=light&pieces=kanji&hands=show": "image/svg+xml",
	} {
		w := ask(http.MethodGet, target, nil)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", target, w.Code, w.Body)
		}
		body := w.Body.Bytes()
		for name, want := range map[string]string{
			"Content-Type":                 contentType,
			"Cache-Control":                "public, max-age=31536000, immutable",
			"Cross-Origin-Resource-Policy": "cross-origin",
			"Access-Control-Allow-Origin":  "*",
			"X-Content-Type-Options":       "nosniff",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s: %s, want %s", target, name, got, want)
			}
		}
		if contentType == "image/png" {
			if _, err := png.Decode(bytes.NewReader(body)); err != nil {
				t.Errorf("%s: %v", target, err)
			}
		} else if w.Header().Get("Content-Security-Policy") != "default-src 'none'" || !bytes.HasPrefix(body, []byte("<svg ")) {
			t.Errorf("%s: %v %.20s", target, w.Header(), body)
		}

		head := ask(http.MethodHead, target, nil)
		if head.Code != http.StatusOK || head.Body.Len() != 0 || head.Header().Get("Content-Length") != w.Header().Get("Content-Length") {
			t.Errorf("HEAD %s: %d, %d bytes, %v", target, head.Code, head.Body.Len(), head.Header())
		}
		etag := w.Header().Get("ETag")
		if again := ask(http.MethodGet, target, nil); again.Header().Get("ETag") != etag || !bytes.Equal(again.Body.Bytes(), body) {
			t.Errorf("%s: another answer to the same question", target)
		}
		for _, match := range []string{etag, "W/" + etag, `"x", ` + etag, "*"} {
			w := ask(http.MethodGet, target, http.Header{"If-None-Match": {match}})
			if w.Code != http.StatusNotModified || w.Body.Len() != 0 || w.Header().Get("ETag") != etag || w.Header().Get("Content-Length") != "" {
				t.Errorf("%s, If-None-Match %s: %d, %v", target, match, w.Code, w.Header())
			}
		}
		if w := ask(http.MethodGet, target, http.Header{"If-None-Match": {`"x"`}}); w.Code != http.StatusOK {
			t.Errorf("%s, another tag: %d", target, w.Code)
		}
	}
}

// Equal pictures have equal tags, others have others.
func TestETag(t *testing.T) {
	tag := func(target string) string {
		w := ask(http.MethodGet, target, nil)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", target, w.Code, w.Body)
		}
		return w.Header().Get("ETag")
	}
	base := tag("/d.svg?" + question)
	for _, same := range []string{"&size=480", "&lang=ja&theme=light&flip=false", "&pieces=kanji&hands=show",
		"&title=", "&title=%20%E2%80%8B", "%201",
		"&v=2", "&t=1700000000&ts=1&_=2&cb=3", "&v=1&v=2", "&v", "&v=%zz", "&utm_source=mail&utm_campaign=%E8%A9%B0"} {
		if tag("/d.svg?"+question+same) != base {
			t.Errorf("%s has another tag", same)
		}
	}
	seen := map[string]string{base: ""}
	for _, other := range []string{"/d.png?" + question, "/d.svg?" + question + "&size=481", "/d.svg?" + question + "&lang=en", "/d.svg?" + question + "&theme=dark",
		"/d.svg?" + question + "&theme=print", "/d.svg?" + question + "&flip=true", "/d.svg?" + question + "&title=1", "/d.svg?" + question + "&last=1b1a",
		"/d.svg?" + question + "&size=1200x630", "/d.svg?" + question + "&pieces=international", "/d.svg?" + question + "&hands=hide",
		"/d.svg?sfen=8k/9/9/6B2/6P2/9/9/7%2Br1/9%20w%20RSb4g3s4n4l17p"} {
		got := tag(other)
		if twin, ok := seen[got]; ok {
			t.Errorf("%s and %s have the same tag", other, twin)
		}
		seen[got] = other
	}
}

// The last of the moves is marked unless another is named.
func TestLastOfMoves(t *testing.T) {
	body := func(query string) string { return ask(http.MethodGet, "/d.svg?"+query, nil).Body.String() }
	with := body("sfen=startpos+moves+7g7f")
	if with != body("sfen=lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL%20w%20-&last=7g7f") {
		t.Error("the move of a position is not marked as last would")
	}
	if with == body("sfen=startpos+moves+7g7f&last=2g2f") || !strings.Contains(body("sfen=startpos+moves+7g7f&last=2g2f"), "2f is empty") {
		t.Error("last does not count beside moves")
	}
}

func TestHandlerErrors(t *testing.T) {
	for _, c := range []struct {
		method, target string
		status         int
		faults         []string // locations, and what their messages have in them: these and others
	}{
		{"GET", "/v1/diagram?" + question, 404, nil},
		{"POST", "/v1/diagram.svg?" + question, 405, nil},
		{"GET", "/d.svg?" + question + "&title=" + strings.Repeat("a", 8<<10), 414, nil},
		{"GET", "/d.svg", 422, []string{"query.sfen", "required query parameter is missing"}},
		{"GET", "/d.svg?sfen=", 422, []string{"query.sfen", "board: found nothing"}},
		{"GET", "/d.svg?sfen=4k4/9&size=1", 422, []string{"query.sfen", "found 2 ranks", "query.size", `found "1", expected a width from 160 to 1600 pixels, or 1200x630`}},
		{"GET", "/d.svg?sfen=9/9/9/9/9/9/9/9/8+X%20b%20-", 422, []string{"query.sfen", "%2B", "query.sfen", ""}},
		{"GET", "/d.svg?sfen=%zz", 422, []string{"query.sfen", "begins no escape"}},
		{"GET", "/d.svg?" + question + "&title=%zz", 422, []string{"query.title", "begins no escape"}},
		{"GET", "/d.svg?" + question + "&size=480&size=481", 422, []string{"query.size", "a second time"}},
		{"GET", "/d.svg?" + question + "&colour=red", 422, []string{"query.colour", "unexpected parameter"}},
		{"GET", "/d.svg?" + question + "&V=1&vv=1&utm=1&tt=1", 422, []string{"query.V", "unexpected parameter", "query.tt", "",
			"query.utm", "", "query.vv", ""}},
		{"GET", "/d.svg?" + question + "&size=1601", 422, []string{"query.size", "1601"}},
		{"GET", "/d.svg?" + question + "&size=%2B480", 422, []string{"query.size", "+480"}},
		{"GET", "/d.svg?" + question + "&size=99999999999999999999", 422, []string{"query.size", "999"}},
		{"GET", "/d.svg?" + question + "&lang=fr&theme=&flip=1", 422, []string{"query.flip", `found "1", expected false or true`, "query.lang", `found "fr", expected ja or en`, "query.theme", `found "", expected light or dark or print`}},
		{"GET", "/d.svg?" + question + "&pieces=chess&hands=none", 422, []string{"query.hands", `found "none", expected show or hide`, "query.pieces", `found "chess", expected kanji or international`}},
		{"GET", "/d.svg?" + question + "&last=5b", 422, []string{"query.last", "is not a USI move"}},
		{"GET", "/d.svg?" + question + "&last=7g7f", 422, []string{"query.last", "7g7f did not lead to this position: 7f is empty"}},
		{"GET", "/d.svg?sfen=x&last=7g7f&title=%0a", 422, []string{"query.sfen", "", "query.title", "U+000A"}},
		{"GET", "/d.svg?" + question + "&title=a%EF%BF%BFb", 422, []string{"query.title", "U+FFFF"}}, // which XML cannot hold
		{"GET", "/d.svg?" + question + "&title=%EF%BF%BE", 422, []string{"query.title", "U+FFFE"}},
		{"GET", "/d.svg?" + question + "&title=" + strings.Repeat("a", 81), 422, []string{"query.title", "found 81 characters"}},
	} {
		w := ask(c.method, c.target, nil)
		var p struct {
			Type, Title, Detail string
			Status              int
			Errors              []struct {
				Location, Message, Code string
				Offset                  *int
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Errorf("%s: %v: %s", c.target, err, w.Body)
			continue
		}
		h := w.Header()
		if w.Code != c.status || p.Status != c.status || h.Get("Content-Type") != "application/problem+json" || h.Get("Cache-Control") != "no-store" || h.Get("ETag") != "" {
			t.Errorf("%s: %d %v %s", c.target, w.Code, h, w.Body)
		}
		if !strings.HasPrefix(p.Type, "/problems/") || p.Title == "" || p.Detail == "" {
			t.Errorf("%s: %s", c.target, w.Body)
		}
		if c.status == 405 && h.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow: %s", c.target, h.Get("Allow"))
		}
		if c.status != 422 {
			continue
		}
		seen := 0
		for _, e := range p.Errors {
			if seen+1 < len(c.faults) && e.Location == c.faults[seen] && strings.Contains(e.Message, c.faults[seen+1]) {
				seen += 2
			}
		}
		if seen < len(c.faults) {
			t.Errorf("%s: %s, want %q", c.target, w.Body, c.faults)
		}
	}
}

// Whatever is asked, the answer is a picture of what was asked or a problem, and never large or a
// panic.
func FuzzQuery(f *testing.F) {
	f.Add(question + "&size=160&lang=en&last=R*1b&title=x&flip=true&theme=dark")
	f.Add("sfen=startpos+moves+7g7f+3c3d+8h2b%2B&size=200")
	f.Add("sfen=4k4/9/4+P4/9/9/9/9/9/9+b+G&title=%E3%80%8C%F0%9F%98%80&size=1200x630")
	f.Add("sfen=%zz&sfen=&&=&size=-1&%41=b")
	f.Add("sfen=9/9/9/9/9/9/9/9/9_b_-&title=e%CC%81%CC%81%CC%81%E2%80%AE&size=0160")
	f.Fuzz(func(t *testing.T, query string) {
		w := ask(http.MethodGet, "/d.svg?"+query, nil)
		body := w.Body.Bytes()
		if !utf8.Valid(body) || len(body) > 256<<10 {
			t.Fatalf("%d bytes, UTF-8: %v", len(body), utf8.Valid(body))
		}
		switch w.Code {
		case http.StatusOK:
			readSVG(t, body)
			if w.Header().Get("ETag") == "" {
				t.Error("a picture without a tag")
			}
			values, err := url.ParseQuery(query)
			if err == nil && len(values["title"]) > 0 && len(values["title"][0]) > 16*diagram.MaxTitle {
				t.Errorf("a title of %d bytes was drawn", len(values["title"][0]))
			}
		case http.StatusUnprocessableEntity, http.StatusRequestURITooLong:
			var p struct{ Status int }
			if err := json.Unmarshal(body, &p); err != nil || p.Status != w.Code {
				t.Errorf("%v: %s", err, body)
			}
		default:
			t.Errorf("status %d", w.Code)
		}
	})
}

// Many ask at once and each gets what it asked for: the memory that is used again is nobody else's.
func TestConcurrentRequests(t *testing.T) {
	h := diagram.Handler(nil)
	get := func(target string) []byte {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		return w.Body.Bytes()
	}
	targets := []string{"/d.png?" + question + "&size=200", "/d.svg?" + question, "/d.png?sfen=startpos&size=480&theme=dark", "/d.png?" + question + "&size=1200x630"}
	var want [][]byte
	for _, target := range targets {
		want = append(want, get(target))
	}
	done := make(chan bool)
	for i := range 8 {
		go func() {
			ok := true
			for j := range 8 {
				k := (i + j) % len(targets)
				ok = ok && bytes.Equal(get(targets[k]), want[k])
			}
			done <- ok
		}()
	}
	for range 8 {
		if !<-done {
			t.Error("an answer differs from the one that was given alone")
		}
	}
}

// discard is a client that takes everything.
type discard struct {
	header http.Header
	n      int
}

func (d *discard) Header() http.Header { return d.header }
func (d *discard) WriteHeader(int)     {}
func (d *discard) Write(b []byte) (int, error) {
	d.n += len(b)
	return len(b), nil
}

func BenchmarkHandler(b *testing.B) {
	for _, c := range []struct{ name, target, tag string }{
		{"svg", "/v1/diagram.svg?" + question, ""},
		{"png", "/v1/diagram.png?" + question, ""},
		{"card", "/v1/diagram.png?" + question + "&size=1200x630", ""},
		{"unchanged", "/v1/diagram.png?" + question, "*"},
	} {
		b.Run(c.name, func(b *testing.B) {
			h := diagram.Handler(nil)
			r := httptest.NewRequest(http.MethodGet, c.target, nil)
			if c.tag != "" {
				r.Header.Set("If-None-Match", c.tag)
			}
			w := &discard{header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				w.n = 0
				clear(w.header)
				h.ServeHTTP(w, r)
			}
			if w.n == 0 && c.tag == "" {
				b.Fatal("no picture")
			}
			b.ReportMetric(float64(w.n), "bytes")
			b.ReportMetric(1/(b.Elapsed().Seconds()/float64(b.N)), "requests/s")
		})
	}
}
