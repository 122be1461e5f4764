package site

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// home is the page at /: a problem is there at once, and can be played.
func (h *handler) home(w http.ResponseWriter, r *http.Request) {
	v := h.newView(r)
	h.offer(v)
	p := shogi.MustParseSFEN(samples[0].SFEN)
	v.put(&p)
	if v.hasDay(v.JapanDay) == nil {
		link := v.dayLink(v.JapanDay)
		v.Today = &link
	}
	v.setLooks(r.URL.Query())
	if len(v.Faults) > 0 {
		h.render(w, r, http.StatusUnprocessableEntity, "error.html", v)
		return
	}
	h.render(w, r, http.StatusOK, "home.html", v)
}

// offer sets what the page has besides the position.
func (h *handler) offer(v *view) {
	v.Examples, v.Times = samples, v.times(h.config.MaxTime)
}

// A frame is what an address says of an embedded board, besides the problem and its looks.
type frame struct {
	Flip, HidesHand       bool
	Moves, Author, Source string
	IsTall                bool // the page around makes the frame as high as its content
}

// blanks are what addresses have "_" for.
var blanks = strings.NewReplacer("_", " ")

// embed is a board and nothing else, for an iframe. Whatever the address says and cannot be had is
// refused.
func (h *handler) embed(w http.ResponseWriter, r *http.Request) {
	v := h.newView(r)
	if v.setPosition(r.URL.RawQuery) {
		v.setFrame(r.URL.Query())
	}
	status := http.StatusOK
	if len(v.Faults) > 0 {
		status = http.StatusUnprocessableEntity
	}
	h.render(w, r, status, "embed.html", v)
}

// setFrame reads what an address says of an embedded board, in which nothing sounds.
func (v *view) setFrame(q url.Values) {
	v.setLooks(q)
	if v.Reader.Sound != "" {
		v.refuse("sound", v.Reader.Sound, "off")
	}
	v.Mode = cmp.Or(v.choice(q, "mode", "solve", "view", "edit"), "solve")
	v.Frame = frame{
		Flip:      v.choice(q, "flip", "false", "true") != "",
		HidesHand: v.choice(q, "hands", "show", "hide") != "",
		IsTall:    v.choice(q, "height", "", "auto") != "",
		Moves:     blanks.Replace(clip(q.Get("moves"), 4096)),
		Author:    cleanTitle(q.Get("author")), Source: cleanTitle(q.Get("source")),
	}
}

// missing says that there is nothing.
func (h *handler) missing(w http.ResponseWriter, r *http.Request) {
	v := h.newView(r)
	v.Faults = []string{v.T("このアドレスには何もありません。", "There is nothing at this address.")}
	h.render(w, r, http.StatusNotFound, "error.html", v)
}
