package site

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/web/daily"
)

// A dayLink leads to the problem of another day.
type dayLink struct {
	Date  daily.Date
	Link  template.URL
	Name  string // the date in words
	SFEN  string
	Plies int
}

// daysAhead is how many days before its own the service worker may load the page of a day, which it
// shows on that day: so that a reader without a network has the problems of a week.
const daysAhead = 7

// shownDays is how many days before it the page of a day leads to.
const shownDays = 7

// What may be wrong with a date, in both languages.
var (
	noDate = shogi.NewText("value", "found %q, expected a date such as 2026-11-23",
		"「%s」ではなく、2026-11-23 の形の日付を書きます。")
	badDays = shogi.NewText("range", "found %q, expected a number of days from 1 to %d",
		"「%s」ではなく、日数を1～%dの数で書きます。")
	repeated = shogi.NewText("value", "%s is there more than once.", "%s が重複しています。")
	badLang  = shogi.NewText("value", "found %q, expected ja or en",
		"「%s」ではなく、ja か en と書きます。")
	notYet = shogi.NewText("", "The problem of %s is not out yet: it comes at midnight of that day in Japan.",
		"%s の問題はまだ出ていません。その日の0時（日本時間）に出ます。")
	tooEarly = shogi.NewText("", "There is no problem of %s: the first is that of %s.",
		"%s の問題はありません。最初の問題は %s のものです。")
)

// A dayError says why there is no problem of a date.
type dayError struct {
	msg      shogi.Message
	isNoDate bool // rather than a date without a problem
}

func (e *dayError) Error() string { return e.msg.String() }

// dayOf returns the date that a text names, today for "". Errors are *dayError.
func (v *layout) dayOf(text string) (daily.Date, error) {
	if text == "" {
		return v.JapanDay, v.hasDay(v.JapanDay)
	}
	d, err := daily.ParseDate(text)
	if err != nil {
		return 0, &dayError{noDate.With(shown(text)), true}
	}
	return d, v.hasDay(d)
}

// hasDay returns nil if there is a problem of a date by now, else why there is none.
func (v *layout) hasDay(d daily.Date) error {
	switch {
	case d > v.JapanDay:
		return &dayError{notYet.With(d.String()), false}
	case d < daily.First:
		return &dayError{tooEarly.With(d.String(), daily.First.String()), false}
	}
	return nil
}

// setDay makes the problem of a date the one that the page shows.
func (v *problemLayout) setDay(d daily.Date) {
	p, _ := daily.On(d) // who calls it has asked hasDay
	v.Day = d
	v.put(&p.Position)
	v.Title, v.Plies, v.solution = v.Series()+" "+v.day(d), p.Plies, p.Line
}

// DayName puts the date of the problem into words.
func (v *problemPage) DayName() string { return v.day(v.Day) }

// Series is what all problems of the day are called, before their date.
func (v *problemLayout) Series() string { return v.T("今日の詰将棋", "Problem of the day,") }

// day puts a date into words, without the year.
func (v *layout) day(d daily.Date) string {
	start := d.Start()
	if v.Lang == "en" {
		return start.Format("Mon 2 Jan")
	}
	weekday := string([]rune("日月火水木金土")[d.Weekday()])
	return fmt.Sprintf("%d月%d日（%s）", start.Month(), start.Day(), weekday)
}

// dayPath returns the address of the page of a date on this host, without its language.
func dayPath(d daily.Date) string { return "/daily/" + d.String() }

func (v *layout) dayLink(d daily.Date) dayLink {
	p, _ := daily.On(d)
	return dayLink{d, template.URL(dayPath(d) + "?lang=" + v.Lang), v.day(d), p.SFEN, p.Plies}
}

// daily is the page of the problem of a day: that of today, or of the date in the address.
func (h *handler) daily(w http.ResponseWriter, r *http.Request) {
	v := h.newProblem(r)
	q := r.URL.Query()
	text := r.PathValue("date")
	if text == "" {
		text = q.Get("date")
	}
	d, err := v.dayOf(text)
	if err != nil {
		h.refuseDay(w, r, v, err)
		return
	}
	if text != "" {
		v.Path = dayPath(d)
	}
	v.checkSingle(q, "date", "lang")
	h.renderDay(w, r, v, d)
}

// aheadHeader is what only the service worker asks with: no link and no address that a reader types
// leads to a problem before its day.
const aheadHeader = "Tsumero-Ahead"

// dailyAhead is the page /daily as it is on a day, for the service worker, which shows it on that day.
// It may be one of the next days.
func (h *handler) dailyAhead(w http.ResponseWriter, r *http.Request) {
	v := h.newProblem(r)
	w.Header().Add("Vary", aheadHeader)
	w.Header().Set("X-Robots-Tag", "noindex")
	d, err := v.dayOf(r.PathValue("date"))
	if d > v.JapanDay && d <= v.JapanDay+daysAhead && r.Header.Get(aheadHeader) != "" {
		v.JapanDay, err = d, nil
	}
	if err != nil {
		h.refuseDay(w, r, v, err)
		return
	}
	v.Path = "/daily"
	h.renderDay(w, r, v, d)
}

// renderDay answers with the page of the problem of a day.
func (h *handler) renderDay(w http.ResponseWriter, r *http.Request, shown problemLayout, d daily.Date) {
	v := &problemPage{problemLayout: shown}
	v.setDay(d)
	v.canonical = v.Path
	v.setLooks(r.URL.Query())
	for before := d - 1; before >= daily.First && before >= d-shownDays; before-- {
		v.Earlier = append(v.Earlier, v.dayLink(before))
	}
	if d < v.JapanDay {
		later := v.dayLink(d + 1)
		v.Later = &later
	}
	h.renderIfValid(w, r, "problem.html", v)
}

// refuseDay answers with a page that says why there is no problem of a date.
func (h *handler) refuseDay(w http.ResponseWriter, r *http.Request, v problemLayout, err error) {
	status := http.StatusNotFound
	var e *dayError
	if errors.As(err, &e) {
		v.Faults = []string{v.worded(e.msg)}
		if e.isNoDate {
			v.Path = "/daily" // of which the page makes links
			status = http.StatusUnprocessableEntity
		}
	}
	h.render(w, r, status, "error.html", newErrorPage(&v))
}

// DayOf returns the date of whose problem this is the page, "" if it is none: that of the page, or today
// wherever its problem is solved.
func (v *problemPage) DayOf() string {
	if v.Day != 0 {
		return v.Day.String()
	}
	if p, ok := daily.On(v.JapanDay); ok && p.SFEN == v.SFEN {
		return v.JapanDay.String()
	}
	return ""
}

// IsDaily reports whether the page is that of a problem of the day, as the first page is.
func (v *layout) IsDaily() bool {
	return v.IsFirst() || v.Path == "/daily" || strings.HasPrefix(v.Path, "/daily/")
}

// IsFirst reports whether the page is the first one.
func (v *layout) IsFirst() bool { return v.Path == "/" }

// DailyPage returns the address of the page of the problem of today.
func (v *layout) DailyPage() template.URL { return template.URL("/daily?lang=" + v.Lang) }

// Feed returns the address of the feed of the problems of the day.
func (v *layout) Feed() template.URL { return template.URL("/daily.atom?lang=" + v.Lang) }

// mostDays is how many days one answer has at most.
const mostDays = 100

func (v *problemLayout) dayAnswer(d daily.Date) wire.DailyProblem {
	w := *v
	w.setDay(d)
	return wire.DailyProblem{
		Date: d.String(), SFEN: w.SFEN, Plies: w.Plies, Title: w.Name(), Address: w.Shared(), Image: w.Card(),
	}
}

// dailyJSON is the problem of a day, or those of the last days, for programs.
func (h *handler) dailyJSON(w http.ResponseWriter, r *http.Request) {
	v := h.newProblem(r)
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	q := r.URL.Query()
	d, err := v.dayOf(q.Get("date"))
	var e *dayError
	faults := v.faultsOf(q, "date", "days", "lang")
	if errors.As(err, &e) && e.isNoDate {
		faults = append(faults, wire.NewFault("query.date", e.msg))
	}
	days := 1
	if text := q.Get("days"); q.Has("days") {
		if days, _ = strconv.Atoi(text); strconv.Itoa(days) != text || days < 1 || days > mostDays {
			faults = append(faults, wire.NewFault("query.days", badDays.With(shown(text), mostDays)))
		}
	}
	switch {
	case len(faults) > 0:
		writeProblem(w, r, wire.Invalid(faults))
		return
	case e != nil:
		writeProblem(w, r, wire.NewProblem(wire.NotFound, e.msg.Text, e.msg.Args...))
		return
	}
	answer := wire.DailyAnswer{DailyProblem: v.dayAnswer(d)}
	for one := d; q.Has("days") && one >= daily.First && one > d-daily.Date(days); one-- {
		answer.Days = append(answer.Days, v.dayAnswer(one))
	}
	v.sendToday(w, r, "application/json; charset=utf-8", wire.Encode(answer))
}

// faultsOf returns what is wrong with the language of an address, and with parameters that it has more
// than once.
func (v *layout) faultsOf(q url.Values, names ...string) (faults []wire.Fault) {
	for _, name := range names {
		if len(q[name]) > 1 {
			faults = append(faults, wire.NewFault("query."+name, repeated.With(name)))
		}
	}
	if lang := q.Get("lang"); lang != "" && !v.Chosen {
		faults = append(faults, wire.NewFault("query.lang", badLang.With(shown(lang))))
	}
	return faults
}

func writeProblem(w http.ResponseWriter, r *http.Request, p *wire.Problem) {
	p.RequestID = w.Header().Get("X-Request-Id")
	w.Header().Set("Cache-Control", "no-store")
	send(w, r, p.Status, wire.ProblemType, wire.Encode(p))
}

// sendToday answers with what is so until the day ends in Japan.
func (v *layout) sendToday(w http.ResponseWriter, r *http.Request, contentType string, body []byte) {
	header := w.Header()
	header.Set("Cache-Control", fmt.Sprintf("%s, max-age=%d", httpheader.CacheScope(r, body), v.leftOfToday()))
	header.Set("Content-Language", v.Lang)
	header.Add("Vary", "Accept-Language, X-Forwarded-Proto") // see origin
	sendTagged(w, r, contentType, httpheader.ETag(body), body)
}

// leftOfToday returns the whole seconds until the next midnight in Japan.
func (v *layout) leftOfToday() int {
	return int((v.JapanDay + 1).Start().Sub(v.now) / time.Second)
}

// feedID returns the name of the feed, with which those of its entries begin. Readers of feeds take what
// has another name for another text: names hang on the language alone, on no host, scheme or form of
// the address.
func (v *layout) feedID() string { return "tag:tsumero,2026:daily/" + v.Lang }

// feedDays is how many days the feed has.
const feedDays = 14

// dailyFeed is the feed of the problems of the day, as RFC 4287 (Atom) wants it.
func (h *handler) dailyFeed(w http.ResponseWriter, r *http.Request) {
	v := h.newProblem(r)
	if faults := v.faultsOf(r.URL.Query(), "lang"); len(faults) > 0 {
		writeProblem(w, r, wire.Invalid(faults))
		return
	}
	title := v.T("今日の詰将棋 · Tsumero", "Problem of the day · Tsumero")
	own := v.Origin + "/daily.atom"
	if v.Chosen {
		own += "?lang=" + v.Lang
	}
	feed := atomFeed{
		Lang: v.Lang, ID: v.feedID(), Title: title, Author: "Tsumero",
		Links: []atomLink{
			{Rel: "self", Type: atomType, Href: own},
			{Rel: "alternate", Type: "text/html", Href: v.Origin + "/daily?lang=" + v.Lang},
		},
	}
	today := v.JapanDay
	feed.Updated = max(today, daily.First).Start().Format(time.RFC3339)
	for d := today; d >= daily.First && d > today-feedDays; d-- {
		one := v
		one.Chosen = true // in the language of the feed, whatever the reader's browser asks for
		one.setDay(d)
		since := d.Start().Format(time.RFC3339)
		var html strings.Builder
		fmt.Fprintf(&html, `<p><a href="%s"><img src="%s" width="1200" height="630" alt="%s"></a></p>`,
			template.HTMLEscapeString(one.Shared()), template.HTMLEscapeString(one.Card()), template.HTMLEscapeString(one.Alt))
		feed.Entries = append(feed.Entries, atomEntry{
			ID: v.feedID() + "/" + d.String(), Title: one.Name(), Updated: since, Published: since,
			Link:    atomLink{Rel: "alternate", Type: "text/html", Href: one.Shared()},
			Content: atomText{Type: "html", Text: html.String()},
		})
	}
	v.sendToday(w, r, atomType+"; charset=utf-8", encodeXML(feed))
}

// dayOfAddress returns the date of the address of a page of a problem of the day, and whether the
// address is one. Errors are *dayError.
func (v *layout) dayOfAddress(target *url.URL) (d daily.Date, isDay bool, err error) {
	text, isDated := strings.CutPrefix(target.Path, "/daily/")
	if !isDated {
		if target.Path != "/daily" {
			return 0, false, nil
		}
		text = target.Query().Get("date")
	}
	d, err = v.dayOf(text)
	return d, true, err
}
