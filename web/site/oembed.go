package site

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/web/daily"
	"github.com/tsumero/tsumero/web/diagram"
)

// An oembed is an answer as https://oembed.com/ wants it: of the type rich, a board in a frame; where
// that has no room, photo, a picture; and link, nothing, where not even that has.
type oembed struct {
	Version         string `json:"version"`
	Type            string `json:"type"`
	Title           string `json:"title"`
	ProviderName    string `json:"provider_name"`
	ProviderURL     string `json:"provider_url"`
	HTML            string `json:"html,omitempty"` // of rich
	URL             string `json:"url,omitempty"`  // of photo
	Width           int    `json:"width,omitempty"`
	Height          int    `json:"height,omitempty"`
	ThumbnailURL    string `json:"thumbnail_url,omitempty"` // all three or none
	ThumbnailWidth  int    `json:"thumbnail_width,omitempty"`
	ThumbnailHeight int    `json:"thumbnail_height,omitempty"`
	CacheAge        int    `json:"cache_age"`
}

// The sizes of an embedded board in CSS pixels, at which board and first buttons are seen without
// scrolling and a finger hits a square: the width where nobody says, the least one, and what a
// frame needs to have the buttons beside the board, as it has on a phone that lies on its side.
const (
	embedWidth = 400
	leastWidth = 288
	// A board of the least width and its first buttons are as high, without a caption.
	leastHeight   = 560
	captionHeight = 44

	besideWidth  = 576
	besideHeight = 368
	mostWide     = 720 // more shows the same
	mostBeside   = 480
)

// thumbnailWidth is the largest width of the picture that goes with an answer.
const thumbnailWidth = 520

// iframe is the HTML of an answer: address, width, height and title.
const iframe = `<iframe src="%s" width="%d" height="%d" title="%s" style="border:0" loading="lazy"></iframe>`

// embedHeight returns the height of a board with its hands, what is around it (message, buttons), and
// some moves, and that of its caption.
func embedHeight(width, caption int) int {
	const around = 260
	return width*13/10 + around + caption
}

// embedSize returns the size of a frame that a board can be played in, if one is within the maxima
// of the site that asks.
func embedSize(maxWidth, maxHeight, caption int) (width, height int, ok bool) {
	width = min(embedWidth, maxWidth, max(leastWidth, (maxHeight-embedHeight(0, caption))*10/13))
	height = min(embedHeight(width, caption), maxHeight)
	if width >= leastWidth && height >= leastHeight+caption {
		return width, height, true
	}
	return min(maxWidth, mostWide), min(maxHeight, mostBeside),
		maxWidth >= besideWidth && maxHeight >= besideHeight
}

// What an address for embedding may lack, in both languages.
var (
	otherFormat = shogi.NewText("", "The format is not one that is provided; json is.",
		"その形式には対応していません（json だけです）。")
	badMaximum = shogi.NewText("", "maxwidth and maxheight are whole numbers of pixels, at least 1.",
		"maxwidth と maxheight は、1以上のピクセル数で書きます。")
	noAddress = shogi.NewText("", "url is not the address of a problem here.",
		"url がこのサービスの問題のアドレスではありません。")
	// The faults come in English, then in Japanese.
	noPosition = shogi.NewText("", "url names no position: %[1]s", "url に局面がありません：%[2]s")
)

// oembed tells other sites how to embed a problem: what https://oembed.com/ asks for.
func (h *handler) oembed(w http.ResponseWriter, r *http.Request) {
	v := h.newProblem(r)
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Cache-Control", "no-store")
	q := r.URL.Query()
	refuse := func(status int, what *shogi.Text, args ...any) {
		m := what.With(args...)
		body, _ := json.Marshal(map[string]any{"type": "about:blank", "title": http.StatusText(status),
			"status": status, "detail": m.String(), "detail_ja": m.Japanese()})
		send(w, r, status, "application/problem+json", body)
	}
	if format := q.Get("format"); format != "" && format != "json" {
		refuse(http.StatusNotImplemented, otherFormat)
		return
	}
	maxWidth, okWidth := most(q.Get("maxwidth"))
	maxHeight, okHeight := most(q.Get("maxheight"))
	if !okWidth || !okHeight {
		refuse(http.StatusBadRequest, badMaximum)
		return
	}
	target, err := url.Parse(q.Get("url"))
	_, host, _ := strings.Cut(v.Origin, "://")
	isProblem := err == nil && (target.Scheme == "http" || target.Scheme == "https") && target.Host == host
	var day daily.Date
	isDay := false
	if isProblem {
		var noDay error
		day, isDay, noDay = v.dayOfAddress(target)
		isProblem = noDay == nil && (isDay || target.Path == "/p" || target.Path == "/embed")
	}
	if !isProblem {
		refuse(http.StatusNotFound, noAddress)
		return
	}
	age := 24 * 60 * 60
	if isDay {
		age = min(age, v.leftOfToday())
	}
	// The answer may be kept, so that its links depend on nothing but its address.
	v.Origin = target.Scheme + "://" + host
	v.setLang(target.Query().Get("lang"))
	if isDay {
		v.setDay(day)
	} else if !v.setPosition(target.RawQuery) {
		faults := func(lang string) string {
			v.Lang = lang
			v.setPosition(target.RawQuery)
			return strings.Join(v.Faults, "; ")
		}
		refuse(http.StatusNotFound, noPosition, faults("en"), faults("ja"))
		return
	}
	words := target.Query()
	caption := 0
	if v.Title != "" || v.Plies > 0 || words.Get("author") != "" || words.Get("source") != "" {
		caption = captionHeight
	}
	answer := oembed{
		Version: "1.0", Type: "link", Title: v.Name(), ProviderName: "Tsumero", ProviderURL: v.Origin + "/",
		CacheAge: age,
	}
	if width, height, ok := thumbnail(&v.position, maxWidth, maxHeight); ok {
		answer.ThumbnailURL = fmt.Sprintf("%s/v1/diagram.png?sfen=%s&size=%d&lang=%s",
			v.Origin, v.Link, width, v.Lang)
		answer.ThumbnailWidth, answer.ThumbnailHeight = width, height
		answer.Type, answer.URL, answer.Width, answer.Height = "photo", answer.ThumbnailURL, width, height
	}
	if width, height, ok := embedSize(maxWidth, maxHeight, caption); ok {
		address := v.Origin + "/embed?" + v.query(append(looks(target), "lang", v.Lang)...)
		answer.Type, answer.URL, answer.Width, answer.Height = "rich", "", width, height
		answer.HTML = fmt.Sprintf(iframe,
			html.EscapeString(address), width, height, html.EscapeString(v.Name()))
	}
	body, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	header.Set("Cache-Control", fmt.Sprintf("%s, max-age=%d", httpheader.CacheScope(r, body), age))
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Add("Vary", "Accept-Language")
	send(w, r, http.StatusOK, "application/json; charset=utf-8", body)
}

// looks returns what the address of an embedded board says of its looks, names and values.
func looks(target *url.URL) (more []string) {
	q := target.Query()
	for _, name := range []string{"mode", "moves", "theme", "hands", "pieces", "flip", "author", "source"} {
		if value := q.Get(name); value != "" {
			more = append(more, name, clip(value, 4096))
		}
	}
	return more
}

// thumbnail returns the size of the largest picture of a position that fits, up to thumbnailWidth,
// if any does.
func thumbnail(p *shogi.Position, maxWidth, maxHeight int) (width, height int, ok bool) {
	most := min(thumbnailWidth, maxWidth)
	for ; most >= diagram.MinWidth; most = min(most-1, most*maxHeight/height) {
		d, err := diagram.Draw(p, diagram.Options{Width: most})
		if err != nil {
			panic(err) // there are pictures of this width, and no title is too long
		}
		if width, height = d.Size(); height <= maxHeight {
			return width, height, true
		}
	}
	return 0, 0, false
}

// most reads a maximum, which is as large as can be if there is none.
func most(text string) (n int, ok bool) {
	if text == "" {
		return math.MaxInt32, true
	}
	n, err := strconv.Atoi(text)
	return min(n, math.MaxInt32), err == nil && n > 0
}
