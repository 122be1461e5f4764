package site

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tsumero/tsumero/web/daily"
)

// What browsers, search engines and those who find a fault look for at addresses that others have
// agreed on.

// A sitemap lists the pages as https://www.sitemaps.org/ wants it.
type sitemap struct {
	XMLName xml.Name      `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []sitemapPage `xml:"url"`
}

type sitemapPage struct {
	Address string `xml:"loc"`
	Changed string `xml:"lastmod,omitempty"`
}

// sitemap lists the pages that do not depend on what somebody asks for. The pages themselves say
// where they are in the other language.
func (h *handler) sitemap(w http.ResponseWriter, r *http.Request) {
	v := h.newLayout(r)
	today := v.JapanDay.String()
	var all sitemap
	add := func(changed string, paths ...string) {
		for _, path := range paths {
			all.URLs = append(all.URLs, sitemapPage{v.Origin + path, changed})
		}
	}
	add(today, "/", "/daily")
	add("", "/problems", "/train")
	for _, plies := range v.lengths() {
		for page := range v.pagesOf(plies) {
			add("", collectionAddress(plies, page+1))
		}
		for _, p := range daily.Until(v.JapanDay, plies) {
			one := problemLayout{Plies: plies}
			one.put(&p.Position)
			add("", "/p?"+one.query())
		}
	}
	for d := daily.First; d < v.JapanDay; d++ {
		add("", dayPath(d))
	}
	add("", "/set", "/games", "/docs", "/board")
	if h.config.Jobs != nil {
		add("", "/compose")
	}
	v.sendToday(w, r, "application/xml; charset=utf-8", encodeXML(all))
}

// robots says what programs that follow links should leave alone, and where the list of pages is.
func (h *handler) robots(w http.ResponseWriter, r *http.Request) {
	v := h.newLayout(r)
	w.Header().Add("Vary", "X-Forwarded-Proto") // see origin
	h.sendFile(w, r, h.assets.byName["robots.txt"].with("Sitemap: "+v.Origin+"/sitemap.xml\n"))
}

// A webManifest is what a browser asks for that puts the site on a home screen.
type webManifest struct {
	Name        string         `json:"name"`
	ShortName   string         `json:"short_name"`
	Description string         `json:"description"`
	Lang        string         `json:"lang"`
	ID          string         `json:"id"`
	StartURL    string         `json:"start_url"`
	Scope       string         `json:"scope"`
	Display     string         `json:"display"`
	Background  string         `json:"background_color"`
	Theme       string         `json:"theme_color"`
	Icons       []manifestIcon `json:"icons"`
}

type manifestIcon struct {
	Source  string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose,omitempty"`
}

func (h *handler) manifest(w http.ResponseWriter, r *http.Request) {
	v := h.newLayout(r)
	const paper = "#f6f5f0" // of site.css
	m := webManifest{
		Name: v.T("Tsumero 詰将棋", "Tsumero: shogi mate problems"), ShortName: "Tsumero", Lang: v.Lang, ID: "/",
		StartURL: "/daily?lang=" + v.Lang, Scope: "/",
		Description: v.T("今日の詰将棋と、詰将棋を解くサーバー", "A shogi mate problem every day, and a solver"),
		Display:     "minimal-ui", Background: paper, Theme: paper,
		Icons: []manifestIcon{{h.assets.byName["favicon.svg"].address, "any", "image/svg+xml", ""}},
	}
	for _, icon := range iconFiles {
		if icon.name == touchIcon {
			continue
		}
		purpose := "any"
		if icon.mayBeCut {
			purpose = "maskable"
		}
		m.Icons = append(m.Icons, manifestIcon{h.assets.byName[icon.name].address,
			fmt.Sprintf("%dx%[1]d", icon.size), "image/png", purpose})
	}
	body, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	v.sendToday(w, r, "application/manifest+json", append(body, '\n'))
}

// CheckContact returns what is wrong with an address for /.well-known/security.txt, which is a URI of
// the scheme mailto, https or tel (RFC 9116), or empty.
func CheckContact(address string) error {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return nil
	case err != nil || strings.ContainsAny(address, " \t\r\n"):
	case u.Scheme == "https" && u.Host != "", (u.Scheme == "mailto" || u.Scheme == "tel") && u.Opaque != "":
		return nil
	}
	return errors.New("an address with mailto:, https: or tel: before it")
}

// contactDays is for how many days what security.txt says may be kept: less than a year, as RFC 9116
// recommends.
const contactDays = 180

// security says whom to write to who finds a fault that others could use.
func (h *handler) security(w http.ResponseWriter, r *http.Request) {
	v := h.newLayout(r)
	until := (v.JapanDay + contactDays).Start().UTC().Format(time.RFC3339)
	v.sendToday(w, r, "text/plain; charset=utf-8", fmt.Appendf(nil,
		"Contact: %s\nExpires: %s\nPreferred-Languages: ja, en\nCanonical: %s/.well-known/security.txt\n",
		h.config.SecurityContact, until, v.Origin))
}
