package site

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// TestDocs: the reference of the API and the pages of its problems look like the other pages, in
// both languages and on every screen, and axe finds nothing.
func TestDocs(t *testing.T) {
	s := serve(t)
	p := browsertest.Open(t, desktop)
	for _, lang := range []string{"ja", "en"} {
		l := &looker{t: t, p: p, lang: lang, axe: axeScreens[lang]}
		p.Goto(s.URL + "/docs?lang=" + lang)
		if got := browsertest.Eval[string](p, "document.documentElement.lang"); got != lang {
			t.Errorf("the language is %q", got)
		}
		p.Show(panes[0].Screen)
		if high := browsertest.Eval[int](p, "document.documentElement.scrollHeight"); high > 20_000 {
			t.Errorf("the page is %d pixels high", high)
		}
		if n := pagesOf(p.PDF()); n == 0 || n > 40 {
			t.Errorf("printed, it has %d pages", n)
		}
		// Everything is there, but for what would take axe a minute: more of the same.
		p.Do(`document.querySelectorAll(".table, .group ~ .group:not(:has(#fields, #problems)) .operation ~ .operation").
			forEach((e, i) => { if (i > 1) e.remove() })`)
		p.Do(`document.querySelectorAll("details").forEach((d) => { d.open = true })`)
		l.look("docs", true)
		p.Goto(s.URL + "/problems/rate_limited?lang=" + lang)
		l.look("problem", lang == "ja")
		p.Click(`document.querySelector(".top nav a[hreflang]")`)
		p.Wait(`["ja", "en"].includes(document.documentElement?.lang) && document.documentElement.lang !== "` + lang + `"`)
	}
}

// pagesOf returns how many pages a PDF has: the root of its tree counts them all.
func pagesOf(pdf []byte) (most int) {
	for _, m := range regexp.MustCompile(`/Count (\d+)`).FindAllSubmatch(pdf, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		most = max(most, n)
	}
	return most
}

// TestDocsColours: the pages of the API have the colours and the type of the others.
func TestDocsColours(t *testing.T) {
	property := regexp.MustCompile(`(--[a-z-]+): ([^;]+);`)
	read := func(file string) (light, dark map[string]string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.SplitN(string(text), "@media (prefers-color-scheme: dark) {", 2)
		all := [2]map[string]string{{}, {}}
		for i, part := range parts {
			part, _, _ = strings.Cut(part, "\n}\n")
			for _, m := range property.FindAllStringSubmatch(part, -1) {
				all[i][m[1]] = m[2]
			}
		}
		return all[0], all[1]
	}
	light, dark := read("static/site.css")
	itsLight, itsDark := read("../../api/httpapi/pages.css")
	for _, c := range []struct{ want, got map[string]string }{{light, itsLight}, {dark, itsDark}} {
		if len(c.got) < 10 {
			t.Fatalf("%d properties", len(c.got))
		}
		for name, value := range c.got {
			if c.want[name] != value {
				t.Errorf("%s is %s, that of the site %s", name, value, c.want[name])
			}
		}
	}
}
