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
	"github.com/tsumero/tsumero/web/problems"
)

// Of the pictures of problems, how many a page of a collection has, and how many of each collection
// the first page shows.
const (
	perPage   = 24
	perTeaser = 6
)

// A collectionPage is what /problems shows: the first problems of each collection, or a page of one.
type collectionPage struct {
	layout
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
	problemLayout
	Number int // in its collection, from 1
}

// hashOf returns the hash of the key of a problem: of its position without the number of the move.
func hashOf(sfen string) string {
	h := fnv.New32a()
	_, _ = io.WriteString(h, strings.Join(strings.Fields(sfen)[:3], " ")) // a hash takes everything
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}

// collections is the page of the problems of the days until now, by length.
func (h *handler) collections(w http.ResponseWriter, r *http.Request) {
	v := &collectionPage{layout: h.newLayout(r), Page: 1, Pages: 1}
	q := r.URL.Query()
	v.setLooks(q)
	v.setCollections(q)
	v.canonical = collectionAddress(v.Plies, v.Page)
	h.renderIfValid(w, r, "problems.html", v)
}

// setCollections reads which collection an address names, and which page of it. The page has the
// faults.
func (v *collectionPage) setCollections(q url.Values) {
	v.checkSingle(q, "plies", "page", "lang")
	if v.Plies = v.collectionOf("plies", q); v.Plies == 0 {
		if q.Has("page") {
			v.Faults = append(v.Faults, v.T("page を指定するときは plies も必要です。", "page needs plies, too."))
		}
		for _, plies := range v.lengths() {
			v.Collections = append(v.Collections, v.collection(plies, 0, perTeaser))
		}
		return
	}
	v.Pages = v.pagesOf(v.Plies)
	if text := q.Get("page"); q.Has("page") {
		v.Page, _ = strconv.Atoi(text)
		if strconv.Itoa(v.Page) != text || v.Page < 1 || v.Page > v.Pages {
			v.refuse("page", text, "1–"+strconv.Itoa(v.Pages))
			return
		}
	}
	v.Collections = []problemList{v.collection(v.Plies, (v.Page-1)*perPage, perPage)}
}

// lengths returns those of the collections: nothing tells a problem of a day to come.
func (v *layout) lengths() []int {
	return slices.DeleteFunc(daily.Lengths(), func(plies int) bool {
		return len(daily.Until(v.JapanDay, plies)) == 0
	})
}

// pagesOf returns how many pages the collection of a length has.
func (v *layout) pagesOf(plies int) int {
	return (len(daily.Until(v.JapanDay, plies)) + perPage - 1) / perPage
}

// collectionOf returns the length that a parameter names of a collection, 0 if it is missing. The
// page has a fault if there is no such collection.
func (v *layout) collectionOf(name string, q url.Values) int {
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
func (v *layout) collection(plies, first, n int) problemList {
	all := daily.Until(v.JapanDay, plies)
	c := problemList{Plies: plies, Size: v.sizeOf(len(all)), Link: v.collectionLink(plies, 1)}
	hashes := make([]string, len(all))
	for i := range all {
		hashes[i] = hashOf(all[i].SFEN)
	}
	c.Hashes = strings.Join(hashes, " ")
	for i := first; i < min(first+n, len(all)); i++ {
		one := problemOfCollection{Number: i + 1}
		one.Lang, one.Chosen, one.Plies, one.From, one.hidesHand = v.Lang, v.Chosen, plies, plies, true
		one.put(&all[i].Position)
		c.Problems = append(c.Problems, one)
	}
	return c
}

// sizeOf says how many problems there are.
func (v *layout) sizeOf(n int) string {
	if n == 1 {
		return v.T("1題", "1 problem")
	}
	return fmt.Sprintf(v.T("%d題", "%d problems"), n)
}

// collectionAddress returns the address of a page of a collection, without a language. plies is 0 for
// the page of all collections.
func collectionAddress(plies, page int) string {
	address := "/problems"
	if plies > 0 {
		address += fmt.Sprintf("?plies=%d", plies)
	}
	if page > 1 {
		address += fmt.Sprintf("&page=%d", page)
	}
	return address
}

// collectionLink returns that address in the language of the page.
func (v *layout) collectionLink(plies, page int) template.URL {
	return template.URL(inLang(collectionAddress(plies, page), v.Lang))
}

// CollectionsPage returns the address of the page of all collections.
func (v *layout) CollectionsPage() template.URL { return v.collectionLink(0, 1) }

func (v *collectionPage) InOther() string { return inLang(v.canonical, v.other()) + v.look() }
func (v *collectionPage) Lost() string    { return v.badValue() }

// PageBefore and PageAfter return the addresses of the pages around this one of a collection, "" at
// its ends.
func (v *collectionPage) PageBefore() template.URL { return v.pageOf(v.Page - 1) }
func (v *collectionPage) PageAfter() template.URL  { return v.pageOf(v.Page + 1) }

func (v *collectionPage) pageOf(page int) template.URL {
	if page < 1 || page > v.Pages {
		return ""
	}
	return v.collectionLink(v.Plies, page)
}

// MateIn says that it is mate in so many plies.
func (v *layout) MateIn(plies int) string {
	return v.say("mate_in", "plies", v.say("plies", "low", strconv.Itoa(plies)))
}

// Name returns what the page of the collections is called.
func (v *collectionPage) Name() string {
	switch {
	case v.Plies == 0:
		return v.T("詰将棋の問題集", "Shogi mate problems")
	case v.Page > 1:
		return fmt.Sprintf("%s (%d/%d)", v.MateIn(v.Plies), v.Page, v.Pages)
	}
	return v.T(v.MateIn(v.Plies)+"の問題集", "Problems: "+v.MateIn(v.Plies))
}

// A place is where in the collection that the reader came from a problem stands.
type place struct {
	Number, Count int
	Link          template.URL // to the page of the collection with it
}

// Place returns where the problem stands in the collection that the reader came from, nil for
// another problem.
func (v *problemPage) Place() *place {
	problems, at := v.inCollection()
	if at < 0 {
		return nil
	}
	return &place{at + 1, len(problems), v.collectionLink(v.From, at/perPage+1)}
}

// inCollection returns the collection that the reader came from, and where in it the problem is, -1
// if it is not.
func (v *problemLayout) inCollection() (all []problems.Problem, at int) {
	all = daily.Until(v.JapanDay, v.From)
	return all, slices.IndexFunc(all, func(p problems.Problem) bool { return p.SFEN == v.SFEN })
}

// nextOfCollection returns the address of the problem to go on with in the collection that the
// reader came from, the first after the last and after a problem that is not in it.
func (v *problemPage) nextOfCollection() template.URL {
	problems, at := v.inCollection()
	next := problemLayout{Plies: v.From, From: v.From}
	next.layout = v.layout
	next.put(&problems[(at+1)%len(problems)].Position)
	return next.address("/p")
}
