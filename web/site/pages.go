package site

import (
	"net/http"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// home is the page at /: a problem is there at once, and can be played.
func (h *handler) home(w http.ResponseWriter, r *http.Request) {
	v := newView(r)
	h.offer(v)
	p := shogi.MustParseSFEN(samples[0].SFEN)
	v.put(&p)
	if today := h.today(); h.hasDay(today) == nil {
		link := v.dayLink(today)
		v.Today = &link
	}
	h.render(w, r, http.StatusOK, "home.html", v)
}

// offer sets what the page has besides the position.
func (h *handler) offer(v *view) {
	v.Examples, v.Times = samples, v.times(h.config.MaxTime)
}

// A frame is what an address says of an embedded board, besides the problem.
type frame struct {
	Theme, Scheme         string // as <tsume-board> has it, and what of it is light or dark
	Flip, HidesHand       bool
	Moves, Author, Source string
	International, IsTall bool // IsTall: the page around makes the frame as high as its content
}

// blanks are what addresses have "_" for.
var blanks = strings.NewReplacer("_", " ")

// embed is a board and nothing else, for an iframe.
func (h *handler) embed(w http.ResponseWriter, r *http.Request) {
	v := newView(r)
	q := r.URL.Query()
	v.Mode = q.Get("mode")
	if !slices.Contains([]string{"view", "solve", "edit"}, v.Mode) {
		v.Mode = "solve"
	}
	v.Frame = frame{
		Flip: q.Get("flip") == "true", HidesHand: q.Get("hands") == "hide",
		International: q.Get("pieces") == "international", IsTall: q.Get("height") == "auto",
		Moves:  blanks.Replace(clip(q.Get("moves"), 4096)),
		Author: cleanTitle(q.Get("author")), Source: cleanTitle(q.Get("source")),
	}
	var themes []string
	for _, theme := range strings.Fields(blanks.Replace(clip(q.Get("theme"), 60))) {
		if slices.Contains([]string{"light", "dark", "paper", "wood", "contrast"}, theme) {
			themes = append(themes, theme)
		}
		if theme == "light" || theme == "dark" {
			v.Frame.Scheme = theme
		}
	}
	v.Frame.Theme = strings.Join(themes, " ")
	status := http.StatusOK
	if !v.setPosition(r.URL.RawQuery) {
		status = http.StatusUnprocessableEntity
	}
	h.render(w, r, status, "embed.html", v)
}

// missing says that there is nothing.
func (h *handler) missing(w http.ResponseWriter, r *http.Request) {
	v := newView(r)
	v.Faults = []string{v.T("このアドレスには何もありません。", "There is nothing at this address.")}
	h.render(w, r, http.StatusNotFound, "error.html", v)
}
