package site

import (
	"fmt"
	"hash/fnv"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/web/daily"
)

// Of the pictures of problems, how many a page of a collection has, how many of each collection the
// first page shows, and how wide they are in CSS pixels.
const (
	perPage        = 24
	perTeaser      = 6
	thumbnailOfSet = 200
)

// A collectionPage is what /problems shows: the first problems of each collection, or a page of one.
type collectionPage struct {
	Plies       int // of the collection, 0 on the page of all of them
	Page, Pages int // from 1
	Collections []problemList
}

// A problemList has the problems of a length that have been the problem of a day.
type problemList struct {
	Plies    int
	Size     string       // how many there are, in words
	Link     template.URL // of its first page
	Problems []problemOfCollection
	Hashes   string // of the keys of all its problems, with spaces between: see progress.js
}

type problemOfCollection struct {
	SFEN    string
	Number  int // in its collection, from 1
	Link    template.URL
	Picture string
	Height  int // of the picture, whose width is Width
}

// hashOf returns the hash of the key of a problem: of its position without the number of the move.
func hashOf(sfen string) string {
	h := fnv.New32a()
	_, _ = io.WriteString(h, strings.Join(strings.Fields(sfen)[:3], " ")) // a hash takes everything
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}

// Width returns the width of the picture.
func (problemOfCollection) Width() int { return thumbnailOfSet }

// collections is the page of the problems of the days until now, by length.
func (h *handler) collections(w http.ResponseWriter, r *http.Request) {
	v := h.newView(r)
	q := r.URL.Query()
	v.setLooks(q)
	v.setCollections(q)
	if len(v.Faults) > 0 {
		h.render(w, r, http.StatusUnprocessableEntity, "error.html", v)
		return
	}
	h.render(w, r, http.StatusOK, "problems.html", v)
}

// setCollections reads which collection an address names, and which page of it. The view has the
// faults.
func (v *view) setCollections(q url.Values) {
	c := &collectionPage{Page: 1, Pages: 1}
	v.Collections = c
	v.checkSingle(q, "plies", "page", "lang")
	if c.Plies = v.collectionOf("plies", q); c.Plies == 0 {
		if q.Has("page") {
			v.Faults = append(v.Faults, v.T("page には plies も要ります。", "page needs plies, too."))
		}
		for _, plies := range v.lengths() {
			c.Collections = append(c.Collections, v.collection(plies, 0, perTeaser))
		}
		return
	}
	c.Pages = v.pagesOf(c.Plies)
	if text := q.Get("page"); q.Has("page") {
		c.Page, _ = strconv.Atoi(text)
		if strconv.Itoa(c.Page) != text || c.Page < 1 || c.Page > c.Pages {
			v.refuse("page", text, "1–"+strconv.Itoa(c.Pages))
			return
		}
	}
	c.Collections = []problemList{v.collection(c.Plies, (c.Page-1)*perPage, perPage)}
}

// lengths returns those of the collections: nothing tells a problem of a day to come.
func (v *view) lengths() []int {
	return slices.DeleteFunc(daily.Lengths(), func(plies int) bool {
		return len(daily.Until(v.JapanDay, plies)) == 0
	})
}

// pagesOf returns how many pages the collection of a length has.
func (v *view) pagesOf(plies int) int {
	return (len(daily.Until(v.JapanDay, plies)) + perPage - 1) / perPage
}

// collectionOf returns the length that a parameter names of a collection, 0 if it is missing. The
// view has a fault if there is no such collection.
func (v *view) collectionOf(name string, q url.Values) int {
	text := q.Get(name)
	if text == "" {
		return 0
	}
	var all []string
	for _, plies := range v.lengths() {
		all = append(all, strconv.Itoa(plies))
	}
	if !slices.Contains(all, text) {
		v.refuse(name, text, all...)
		return 0
	}
	plies, _ := strconv.Atoi(text)
	return plies
}

// collection returns at most n problems of a length from the first on.
func (v *view) collection(plies, first, n int) problemList {
	all := daily.Until(v.JapanDay, plies)
	c := problemList{Plies: plies, Size: v.sizeOf(len(all)), Link: v.collectionLink(plies, 1)}
	hashes := make([]string, len(all))
	for i := range all {
		hashes[i] = hashOf(all[i].SFEN)
	}
	c.Hashes = strings.Join(hashes, " ")
	for i := first; i < min(first+n, len(all)); i++ {
		one := view{Lang: v.Lang, Chosen: v.Chosen, Plies: plies, From: plies, Frame: frame{HidesHand: true}}
		one.put(&all[i].Position)
		height, err := one.PictureHeight(thumbnailOfSet)
		if err != nil {
			panic(err) // there are pictures of this width
		}
		c.Problems = append(c.Problems, problemOfCollection{
			SFEN: one.SFEN, Number: i + 1, Link: one.address("/p"), Picture: one.Picture(thumbnailOfSet),
			Height: height,
		})
	}
	return c
}

// sizeOf says how many problems there are.
func (v *view) sizeOf(n int) string {
	if n == 1 {
		return v.T("1題", "1 problem")
	}
	return fmt.Sprintf(v.T("%d題", "%d problems"), n)
}

// collectionLink returns the address of a page of a collection.
func (v *view) collectionLink(plies, page int) template.URL {
	address := fmt.Sprintf("/problems?plies=%d", plies)
	if page > 1 {
		address += fmt.Sprintf("&page=%d", page)
	}
	return template.URL(address + "&lang=" + v.Lang)
}

// CollectionsPage returns the address of the page of all collections.
func (v *view) CollectionsPage() template.URL { return template.URL("/problems?lang=" + v.Lang) }

// PageBefore and PageAfter return the addresses of the pages around this one of a collection, "" at
// its ends.
func (v *view) PageBefore() template.URL { return v.pageOf(v.Collections.Page - 1) }
func (v *view) PageAfter() template.URL  { return v.pageOf(v.Collections.Page + 1) }

func (v *view) pageOf(page int) template.URL {
	if page < 1 || page > v.Collections.Pages {
		return ""
	}
	return v.collectionLink(v.Collections.Plies, page)
}

// MateIn says how long the problems of a collection are.
func (v *view) MateIn(plies int) string {
	return v.say("mate_in", "plies", v.say("plies", "low", strconv.Itoa(plies)))
}

// CollectionName returns what the page of the collections is called.
func (v *view) CollectionName() string {
	c := v.Collections
	switch {
	case c.Plies == 0:
		return v.T("詰将棋の問題集", "Shogi mate problems")
	case c.Page > 1:
		return fmt.Sprintf("%s (%d/%d)", v.MateIn(c.Plies), c.Page, c.Pages)
	}
	return v.T(v.MateIn(c.Plies)+"の問題集", "Problems: "+v.MateIn(c.Plies))
}

// A place is where in the collection that the reader came from a problem stands.
type place struct {
	Number, Count int
	Link          template.URL // to the page of the collection with it
}

// Place returns where the problem stands in the collection that the reader came from, nil for
// another problem.
func (v *view) Place() *place {
	problems, at := v.inCollection()
	if at < 0 {
		return nil
	}
	return &place{at + 1, len(problems), v.collectionLink(v.From, at/perPage+1)}
}

// inCollection returns the collection that the reader came from, and where in it the problem is, -1
// if it is not.
func (v *view) inCollection() (problems []daily.Problem, at int) {
	problems = daily.Until(v.JapanDay, v.From)
	return problems, slices.IndexFunc(problems, func(p daily.Problem) bool { return p.SFEN == v.SFEN })
}

// nextOfCollection returns the address of the problem to go on with in the collection that the
// reader came from, the first after the last and after a problem that is not in it.
func (v *view) nextOfCollection() template.URL {
	problems, at := v.inCollection()
	next := view{Lang: v.Lang, Chosen: v.Chosen, Plies: v.From, From: v.From}
	next.put(&problems[(at+1)%len(problems)].Position)
	return next.address("/p")
}
