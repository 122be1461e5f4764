package site

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/web/daily"
	"github.com/tsumero/tsumero/web/diagram"
)

// maxTitle is the longest title of a problem in characters. A picture takes no longer one.
const maxTitle = diagram.MaxTitle

// A page is what a template shows. Each has a struct of its own over a layout, so that a template
// can show nothing that its page does not have.
type page interface {
	common() *layout
	InOther() string // the address of the page in the other language
	Lost() string    // the heading of the error page where this one cannot be had
}

// A layout is what all pages have.
type layout struct {
	Lang     string     // "ja" or "en"
	Chosen   bool       // the address says which language
	Origin   string     // of this service as the client names it, "https://host"
	Path     string     // of this page
	JapanDay daily.Date // that it is now in Japan, or, for the service worker, will be
	Reader   reader
	Faults   []string // what is wrong with the address

	Without template.URL // of this page without what is wrong, "" if that would not do

	// What the service offers.
	Analyses bool
	HasJobs  bool
	Engine   template.HTMLAttr // of boards, where there is a solver for browsers

	now       time.Time // when the request came
	canonical string    // the one address on this host of what the page shows, without a language
	secret    bool      // the address of the page is a key: whoever has it may cancel a job
}

func (v *layout) common() *layout { return v }

// T returns the text in the language of the page.
func (v *layout) T(ja, en string) string {
	if v.Lang == "en" {
		return en
	}
	return ja
}

// Names returns what findings are called, for the scripts of the page.
func (v *layout) Names() map[string]map[string]string {
	names := report.Names(v.Lang)
	names["relations"] = report.RelationNames(v.Lang)
	return names
}

// say returns a sentence of package report in the language of the page.
func (v *layout) say(name string, values ...string) string {
	return report.Say(name, values...).In(v.Lang)
}

// newLayout reads what all pages have: the language, and the time, once, so that all that an answer
// says is of the same day.
func (h *handler) newLayout(r *http.Request) layout {
	v := layout{
		Lang: "ja", Origin: httpheader.Origin(r), Path: r.URL.Path, canonical: r.URL.Path,
		Analyses: h.config.Analyses, HasJobs: h.config.Jobs != nil, now: h.config.Now(),
	}
	v.JapanDay = daily.DateOf(v.now)
	if len(h.config.Engine) > 0 {
		v.Engine = ` engine="auto"`
	}
	if !v.setLang(r.URL.Query().Get("lang")) {
		v.Lang = httpheader.Preferred(r.Header.Get("Accept-Language"))
	}
	return v
}

// setLang takes the language that an address says, and reports whether it is one of the two.
func (v *layout) setLang(lang string) bool {
	if lang != "ja" && lang != "en" {
		return false
	}
	v.Lang, v.Chosen = lang, true
	return true
}

// clip shortens text that a stranger chose the length of.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// cleanTitle makes one line of a title, no longer than pictures take.
func cleanTitle(title string) string {
	title = strings.Join(strings.Fields(strings.ToValidUTF8(clip(title, 16*maxTitle), "")), " ")
	if runes := []rune(title); len(runes) > maxTitle {
		title = string(runes[:maxTitle])
	}
	return title
}

// Canonical returns the one address of what this page shows: in the language of the reader, or in
// the one it was asked for. A problem has one, whichever page it is on.
func (v *layout) Canonical() string { return v.Origin + v.inChosen(v.canonical) }

// Alternate returns that address in a language, "" for that of the reader.
func (v *layout) Alternate(lang string) string { return v.Origin + inLang(v.canonical, lang) }

// inChosen returns an address in the language that the reader asked for, if any.
func (v *layout) inChosen(address string) string {
	if v.Chosen {
		return inLang(address, v.Lang)
	}
	return address
}

// inLang returns an address in a language, "" for that of the reader.
func inLang(address, lang string) string {
	switch {
	case lang == "":
		return address
	case strings.Contains(address, "?"):
		return address + "&lang=" + lang
	}
	return address + "?lang=" + lang
}

// other returns the other language.
func (v *layout) other() string { return v.T("en", "ja") }

// InOther returns the address of this page in the other language: for one that has no address in it,
// that of the first page.
func (v *layout) InOther() string { return "/?lang=" + v.other() }

// Lost is the heading of the error page where there is nothing at the address.
func (v *layout) Lost() string { return v.T("見つかりません", "Not found") }

// badValue is the heading where a value in the address is wrong.
func (v *layout) badValue() string {
	return v.T("アドレスに使えない値があります", "The address has a value that cannot be used")
}

// Home returns the address of the page at /.
func (v *layout) Home() string { return "/?lang=" + v.Lang }

// JobsPage returns the address of the page at /jobs.
func (v *layout) JobsPage() template.URL { return template.URL("/jobs?lang=" + v.Lang) }

// A reader is how the address of a page says that it looks and sounds. What the reader has chosen is
// known to look.js alone.
type reader struct {
	Pieces, Theme      string // as <tsume-board> has them, "" for the usual
	Scheme             string // what of the theme is light or dark
	Sound, Coordinates string // "on" or "off", "" for the usual
}

// The sets of pieces and the themes of the board, with their names in Japanese and English. The
// first set is the usual one.
var (
	pieceSets = [][3]string{
		{"kanji", "一字", "One kanji"}, {"two-character", "二字", "Two kanji"},
		{"international", "国際", "International"},
	}
	boardThemes = [][3]string{
		{"light", "明るい", "Light"}, {"dark", "暗い", "Dark"}, {"paper", "紙", "Paper"},
		{"wood", "木", "Wood"}, {"contrast", "高コントラスト", "High contrast"},
	}
)

// valuesOf returns what an address may say of those.
func valuesOf(choices [][3]string) []string {
	values := make([]string, len(choices))
	for i, c := range choices {
		values[i] = c[0]
	}
	return values
}

// setLooks reads how an address wants a board to look and sound, and its language, which newLayout
// has read. The page has a fault for each value that is none.
func (v *layout) setLooks(values url.Values) {
	v.checkLang(values)
	if values.Get("pieces") == "one-character" { // which the usual ones are
		values.Set("pieces", "kanji")
	}
	v.Reader.Pieces = v.choice(values, "pieces", pieceSets[0][0], valuesOf(pieceSets[1:])...)
	v.Reader.Coordinates = v.choice(values, "coordinates", "on", "off")
	v.Reader.Sound = v.choice(values, "sound", "off", "on")
	v.setTheme(values.Get("theme"))
}

// checkLang adds a fault if an address says a language that is none of the two.
func (v *layout) checkLang(values url.Values) {
	if lang := values.Get("lang"); lang != "" && !v.Chosen {
		v.refuse("lang", lang, "ja", "en")
	}
}

// checkSingle adds a fault for each of the parameters that an address has more than once.
func (v *layout) checkSingle(values url.Values, names ...string) {
	for _, name := range names {
		if len(values[name]) > 1 {
			v.Faults = append(v.Faults, v.worded(repeated.With(name)))
		}
	}
}

// choice returns the value of a parameter, "" if it is the usual one or missing. Any but those and
// the others is a fault.
func (v *layout) choice(values url.Values, name, usual string, others ...string) string {
	value := values.Get(name)
	switch {
	case value == "" || value == usual:
		return ""
	case slices.Contains(others, value):
		return value
	}
	if usual != "" {
		others = append([]string{usual}, others...)
	}
	v.refuse(name, value, others...)
	return ""
}

// setTheme reads a theme: one of the styles, light or dark, or both.
func (v *layout) setTheme(theme string) {
	themes := valuesOf(boardThemes)
	words := strings.Fields(blanks.Replace(theme))
	isScheme := func(word string) bool { return word == "light" || word == "dark" }
	schemes := 0
	for _, word := range words {
		if !slices.Contains(themes, word) {
			v.refuse("theme", theme, themes...)
			return
		}
		if isScheme(word) {
			v.Reader.Scheme = word
			schemes++
		}
	}
	if schemes > 1 || len(words)-schemes > 1 {
		v.refuse("theme", theme, themes...)
		return
	}
	v.Reader.Theme = strings.Join(words, " ")
}

// refuse says that a parameter has a value that is none of those it may have.
func (v *layout) refuse(name, value string, allowed ...string) {
	list := strings.Join(allowed, v.T("、", ", "))
	v.Faults = append(v.Faults, v.T(
		name+"="+shown(value)+" は使えません。使えるのは "+list+" です。",
		name+"="+shown(value)+" cannot be used. Allowed: "+list+"."))
}

// shown is what a fault quotes of a value.
func shown(value string) string {
	const most = 60 // bytes
	if short := clip(value, most); short != value {
		return short + "…"
	}
	return value
}

// look returns the parameters of what is unusual in how the problem looks, as an address has them.
func (v *layout) look() string {
	q := ""
	for _, p := range [][2]string{
		{"pieces", v.Reader.Pieces}, {"theme", strings.ReplaceAll(v.Reader.Theme, " ", "_")},
		{"coordinates", v.Reader.Coordinates}, {"sound", v.Reader.Sound},
	} {
		if p[1] != "" {
			q += "&" + p[0] + "=" + p[1]
		}
	}
	return q
}

// Look returns the same, to follow an address that a page has.
func (v *layout) Look() template.URL { return template.URL(v.look()) }

// An option is a line of a menu.
type option struct {
	Value, Label string
	Selected     bool
}

// options returns a menu: the usual, which has no value, by its names, and the others.
func (v *layout) options(selected string, usual []string, others [][3]string) []option {
	options := []option{{"", v.T(usual[0], usual[1]), selected == ""}}
	for _, o := range others {
		options = append(options, option{o[0], v.T(o[1], o[2]), o[0] == selected})
	}
	return options
}
