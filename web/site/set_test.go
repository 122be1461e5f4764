package site

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

const setLink = "/set?sfen=7R1/9/8k/8p/5R3/9/9/9/9_b_2b4g4s4n4l17p&sfen=5%2BP1k1/9/5%2BrB2/9/9/9/9/9/9_b_RPb4g4s4n4l16p"

// setLinks returns the link and the tag that the page of a set offers.
func setLinks(t *testing.T, body string) (link, tag string) {
	t.Helper()
	found := regexp.MustCompile(`id="link" readonly value="([^"]*)"(?s:.*)<pre id="tag"[^>]*>([^<]*)</pre>`).FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("no links in %s", body)
	}
	return html.UnescapeString(found[1]), html.UnescapeString(found[2])
}

// TestSet: problems come by their addresses, one for each parameter or one a line, and however they
// came, the page has the same short address, tag and boards.
func TestSet(t *testing.T) {
	h := newSite(t)
	lines := problem + "\r\n\r\n http://example.com/p?sfen=" + url.QueryEscape(promoted) + "&title=x\r\n"
	for name, path := range map[string]string{
		"parameters": setLink,
		"lines":      "/set?lang=ja&title=&sfen=" + url.QueryEscape(lines),
		"mixed": "/set?sfen=" + url.QueryEscape(problem) +
			"&sfen=" + url.QueryEscape("http://example.com/p?lang=en&sfen=5%2BP1k1/9/5%2BrB2/9/9/9/9/9/9_b_RPb4g4s4n4l16p"),
	} {
		w := get(h, path)
		body := w.Body.String()
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", name, w.Code, body)
		}
		link, tag := setLinks(t, body)
		if link != "http://example.com"+setLink {
			t.Errorf("%s: the link is %s", name, link)
		}
		for _, sfen := range []string{problem, promoted} {
			if !strings.Contains(tag, `<tsume-board sfen="`+sfen+`" mode="solve">`) {
				t.Errorf("%s: the tag lacks %s: %s", name, sfen, tag)
			}
			if !strings.Contains(html.UnescapeString(body), `<tsume-board sfen="`+sfen+`" mode="solve"`) {
				t.Errorf("%s: the page lacks %s", name, sfen)
			}
		}
	}
	// A record is its first position.
	if link, _ := setLinks(t, get(h, "/set?sfen="+url.QueryEscape(kif)).Body.String()); link != "http://example.com/set?sfen=4k4/9/4P4/9/9/9/9/9/9_b_G" {
		t.Errorf("a record is %s", link)
	}
	// A title and the language go along.
	body := get(h, setLink+"&title=%3Cb%3E&lang=en").Body.String()
	if link, _ := setLinks(t, body); link != "http://example.com"+strings.Replace(setLink, "?", "?title=%3Cb%3E&", 1) {
		t.Errorf("with a title it is %s", link)
	}
	if !strings.Contains(body, "<h1>&lt;b&gt;</h1>") || !strings.Contains(body, `hreflang="ja" href="http://example.com`) {
		t.Errorf("the page of a title is %s", body)
	}
}

// TestSetOfBrinkmates: the boards of a set of brinkmates, its link and its tag say what they are.
func TestSetOfBrinkmates(t *testing.T) {
	s := serveAnalyses(t)
	const sfen = "7nl/7k1/6p2/7Pp/9/9/9/9/9_b_GS2r2b3g3s3n3l15p"
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	p.Goto(s.URL + "/set?lang=ja&mode=brinkmate&sfen=" + sfen + "&sfen=7nl/7k1/6p2/7Pp/9/9/9/9/9_b_2GS")
	p.Wait(`document.querySelector("tsume-board[slot=board]")?.state === "play"`)
	wantText(t, p, text("h1"), "必至の問題集")
	wantText(t, p, element("#link")+".value", "/set?mode=brinkmate&sfen="+sfen+"&")
	wantText(t, p, text("#tag"), ` mode="brinkmate"></tsume-board>`)
	p.Do(`const b = document.querySelector("tsume-board[slot=board]"); await b.ready; await b.play("S*2c"); await b.play("2c3d+")`)
	p.Wait(`document.querySelector("tsume-set").solved === 1`)
	clean(t, p)
	if _, tag := setLinks(t, get(newSite(t), "/set?mode=brinkmate&src=/b.json").Body.String()); !strings.HasSuffix(tag,
		`src="http://example.com/b.json" mode="brinkmate"></tsume-set>`) {
		t.Errorf("the tag of a collection is %s", tag)
	}
}

// TestSetSource: a collection is read by the browser, and from this host alone.
func TestSetSource(t *testing.T) {
	h := newSite(t)
	for source, want := range map[string]int{
		"/sets/first.json": 200, "/a.kif?version=2": 200,
		"//evil.example/a.json": 422, "http://evil.example/a.json": 422, "a.json": 422, `/\evil.example/a`: 422,
		"/\t/evil.example": 422, "javascript:alert(1)": 422, "data:,": 422, "/" + strings.Repeat("x", maxSource): 422,
	} {
		w := get(h, "/set?src="+url.QueryEscape(source)+"&lang=en")
		if w.Code != want {
			t.Errorf("%q: %d, want %d", source, w.Code, want)
		}
		body := html.UnescapeString(w.Body.String())
		if has := strings.Contains(body, `<tsume-set id="set" lang="en" src="`+source+`">`); has != (want == 200) {
			t.Errorf("%q: the set is there: %v", source, has)
		}
		if want == 200 {
			if _, tag := setLinks(t, w.Body.String()); !strings.Contains(tag, `src="http://example.com`+source+`"`) {
				t.Errorf("%q: the tag is %s", source, tag)
			}
		}
	}
}

// TestSetFaults: each line that cannot be read is named, and what was entered stays. There are no
// more problems than a set may have.
func TestSetFaults(t *testing.T) {
	h := newSite(t)
	bad := problem + "\n4k4/9/4P4/4P4/9/9/9/9/9 b G 1\nhttp://example.com/p?sfen=4k4"
	for lang, wants := range map[string][]string{
		"ja": {"2行目：", "二歩です。", "3行目："}, "en": {"Line 2: ", "nifu", "Line 3: "},
	} {
		w := get(h, "/set?sfen="+url.QueryEscape(bad)+"&lang="+lang)
		body := html.UnescapeString(w.Body.String())
		for _, want := range append(wants, bad) {
			if w.Code != http.StatusUnprocessableEntity || !strings.Contains(body, want) {
				t.Errorf("%d, no %q in %s", w.Code, want, body)
			}
		}
	}
	for n, want := range map[int]int{maxSet: 200, maxSet + 1: 422} {
		if w := get(h, "/set?"+strings.Repeat("sfen=4k4/9/4P4/9/9/9/9/9/9_b_G&", n)); w.Code != want {
			t.Errorf("%d problems: %d", n, w.Code)
		}
		text := strings.Repeat("4k4/9/4P4/9/9/9/9/9/9 b G 1\n", n)
		if w := get(h, "/set?sfen="+url.QueryEscape(text)); w.Code != want {
			t.Errorf("%d lines: %d", n, w.Code)
		}
	}
	// Without problems there is only the form.
	w := get(h, "/set?lang=en")
	if body := w.Body.String(); w.Code != 200 || strings.Contains(body, "<tsume-set") || !strings.Contains(body, `<form method="get" action="/set">`) {
		t.Errorf("%d %s", w.Code, body)
	}
}

// setText is a collection as sites have them.
const setText = `{"title": "Two", "problems": [{"sfen": "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"}, "` + problem + `"]}`

// TestSetPage: the problems of a collection on this host are solved one after the other, and the
// browser remembers how far the reader got. The link is copied.
func TestSetPage(t *testing.T) {
	s := serve(t)
	outer := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/two.json" {
			outer.ServeHTTP(w, r)
			return
		}
		_, _ = w.Write([]byte(setText))
	})
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	const begun = `document.querySelector("tsume-set")?.count === 2 && document.querySelector("tsume-board[slot=board]")?.state === "play"`
	p.Goto(s.URL + "/set?src=/two.json&lang=en")
	p.Wait(begun)
	p.Do(`await document.querySelector("tsume-board[slot=board]").play("G*5b")`)
	p.Wait(`document.querySelector("tsume-set").solved === 1`)
	p.Click(`document.querySelector("tsume-set").shadowRoot.querySelector('[aria-label="Next problem"]')`)
	p.Wait(fmt.Sprintf(`document.querySelector("tsume-board[slot=board]").position === %q`, problem))
	click(p, "[data-copy=link]")
	p.Wait(visible("#toast"))
	wantText(t, p, element("#link")+".value", s.URL+"/set?src=%2Ftwo.json")
	clean(t, p)
	p.Goto(s.URL + "/set?src=/two.json&lang=ja")
	p.Wait(begun)
	if n := browsertest.Eval[int](p, `document.querySelector("tsume-set").index`); n != 1 {
		t.Errorf("it goes on with problem %d", n+1)
	}
	clean(t, p)
}
