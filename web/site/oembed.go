package site

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
)

// An oembed is an answer as https://oembed.com/ wants it, of the type rich.
type oembed struct {
	Version         string `json:"version"`
	Type            string `json:"type"`
	Title           string `json:"title"`
	ProviderName    string `json:"provider_name"`
	ProviderURL     string `json:"provider_url"`
	HTML            string `json:"html"`
	Width           int    `json:"width"`
	Height          int    `json:"height"`
	ThumbnailURL    string `json:"thumbnail_url"`
	ThumbnailWidth  int    `json:"thumbnail_width"`
	ThumbnailHeight int    `json:"thumbnail_height"`
	CacheAge        int    `json:"cache_age"`
}

// The size of an embedded board in CSS pixels: what it has where nobody says, and the least at which it can be used.
const (
	embedWidth = 400
	leastWidth = 240
)

// embedHeight returns the height of a board with its hands and what is below it: messages, buttons, and some moves.
func embedHeight(width int) int { return width*13/10 + 230 }

// oembed tells other sites how to embed a problem: what https://oembed.com/ asks for.
func (h *handler) oembed(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Cache-Control", "no-store")
	q := r.URL.Query()
	refuse := func(status int, detail string) {
		body, _ := json.Marshal(map[string]any{"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail})
		send(w, r, status, "application/problem+json", body)
	}
	if format := q.Get("format"); format != "" && format != "json" {
		refuse(http.StatusNotImplemented, "The format is not one that is provided; json is.")
		return
	}
	width, okWidth := most(q.Get("maxwidth"), embedWidth)
	height, okHeight := most(q.Get("maxheight"), embedHeight(embedWidth))
	if !okWidth || !okHeight {
		refuse(http.StatusBadRequest, "maxwidth and maxheight are whole numbers of pixels.")
		return
	}
	target, err := url.Parse(q.Get("url"))
	if err != nil || target.Host != r.Host || target.Path != "/p" && target.Path != "/embed" {
		refuse(http.StatusNotFound, "url is not the address of a problem here.")
		return
	}
	v := newView(r)
	if lang := target.Query().Get("lang"); lang == "ja" || lang == "en" {
		v.Lang = lang
	}
	if err := v.setPosition(target.RawQuery); err != nil {
		refuse(http.StatusNotFound, "url names no position: "+err.Error())
		return
	}
	width = max(leastWidth, min(width, (height-embedHeight(0))*10/13))
	answer := oembed{
		Version: "1.0", Type: "rich", Title: v.Name(), ProviderName: "Tsumero", ProviderURL: v.Origin + "/",
		HTML: fmt.Sprintf(`<iframe src="%s" width="%d" height="%d" title="%s" style="border:0" loading="lazy"></iframe>`,
			html.EscapeString(v.Origin+"/embed?"+v.query("lang", v.Lang)), width, embedHeight(width), html.EscapeString(v.Name())),
		Width: width, Height: embedHeight(width),
		ThumbnailURL: v.Card(), ThumbnailWidth: 1200, ThumbnailHeight: 630,
		CacheAge: 86400,
	}
	body, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	header.Set("Cache-Control", "public, max-age=86400")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Set("Vary", "Accept-Language")
	send(w, r, http.StatusOK, "application/json; charset=utf-8", body)
}

// most reads a maximum: the default if there is none or if it is larger.
func most(text string, usual int) (n int, ok bool) {
	if text == "" {
		return usual, true
	}
	n, err := strconv.Atoi(text)
	return min(n, usual), err == nil && n > 0
}
