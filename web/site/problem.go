package site

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/sfenurl"
)

// problem is the page of a problem for its readers: the board as large as the window allows, what
// the problem is called, and nothing that tells the answer. The tools are at /study.
func (h *handler) problem(w http.ResponseWriter, r *http.Request) {
	h.renderProblem(w, r, "problem.html")
}

// study is the page of a problem with the tools: to solve, to analyze, and to set up another.
func (h *handler) study(w http.ResponseWriter, r *http.Request) {
	h.renderProblem(w, r, "home.html")
}

// renderProblem answers with a page of the problem in the address. Whatever the address says and
// cannot be had is refused.
func (h *handler) renderProblem(w http.ResponseWriter, r *http.Request, page string) {
	v := h.newView(r)
	h.offer(v)
	if v.setPosition(r.URL.RawQuery) {
		v.setProblem(r.URL.RawQuery)
	}
	if len(v.Faults) > 0 {
		h.render(w, r, http.StatusUnprocessableEntity, "error.html", v)
		return
	}
	h.render(w, r, http.StatusOK, page, v)
}

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

// setProblem reads what an address says of a problem besides the position: who made it, the
// author's line, and how it is to look. The view has a fault for each value that is none.
func (v *view) setProblem(query string) {
	values, _ := url.ParseQuery(query) // what cannot be read is missing
	v.Author = strings.TrimSuffix(cleanTitle(values.Get("author")), "作")
	v.From = v.collectionOf("collection", values)
	if problems, at := v.inCollection(); at >= 0 {
		v.solution = problems[at].Line
	}
	for name, raw := range sfenurl.Parameters(query) {
		if name == "moves" && raw != "" && v.Line == "" {
			v.setLine(raw, values.Get(name))
		}
	}
	v.setLooks(values)
}

// setLooks reads how an address wants a board to look and sound, and its language, which newView has
// read. The view has a fault for each value that is none.
func (v *view) setLooks(values url.Values) {
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
func (v *view) checkLang(values url.Values) {
	if lang := values.Get("lang"); lang != "" && !v.Chosen {
		v.refuse("lang", lang, "ja", "en")
	}
}

// checkSingle adds a fault for each of the parameters that an address has more than once.
func (v *view) checkSingle(values url.Values, names ...string) {
	for _, name := range names {
		if len(values[name]) > 1 {
			v.Faults = append(v.Faults, v.worded(repeated.With(name)))
		}
	}
}

// choice returns the value of a parameter, "" if it is the usual one or missing. Any but those and
// the others is a fault.
func (v *view) choice(values url.Values, name, usual string, others ...string) string {
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
func (v *view) setTheme(theme string) {
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

// setLine reads the author's line, as it was sent and decoded: each move of the attacker is a
// check. A defender in check who has the only king begins, as on the board.
func (v *view) setLine(raw, decoded string) {
	g, err := sfenurl.Parse(v.Link + "_moves_" + raw)
	if err != nil {
		var e *shogi.SFENError
		if errors.As(err, &e) {
			for i := range e.Faults {
				e.Faults[i].Offset = -1 // it is in a text that nobody sees
			}
		}
		v.refuseLine(decoded, strings.Join(v.explain(err), " "))
		return
	}
	first, p := 0, &v.position // the attacker's first move
	if p.King(p.SideToMove().Opponent()) == shogi.NoSquare && p.InCheck() {
		first = 1
	}
	var moves []string
	for i, m := range g.Moves() {
		if moves = append(moves, m.String()); i%2 == first && !g.GaveCheck(i) {
			why := v.T("%d手目の %s は王手ではありません。", "Ply %d, %s, gives no check.")
			v.refuseLine(decoded, fmt.Sprintf(why, i+1, m))
			return
		}
	}
	v.Line = strings.Join(moves, " ")
}

// refuseLine says that the address has no line that can be followed, and why.
func (v *view) refuseLine(line, why string) {
	v.Faults = append(v.Faults, fmt.Sprintf(v.T(
		"moves=%s は使えません。この局面から王手が続く手順を、USI で、空白か _ で区切って書きます。%s",
		"moves=%s cannot be used. It takes a line of checks from this position: USI moves with "+
			"spaces or _ between. %s"), shown(line), why))
}

// refuse says that a parameter has a value that is none of those it may have.
func (v *view) refuse(name, value string, allowed ...string) {
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
func (v *view) look() string {
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
func (v *view) Look() template.URL { return template.URL(v.look()) }

// chosenLang returns the parameter of the language, if the address says it.
func (v *view) chosenLang() string {
	if v.Chosen {
		return "&lang=" + v.Lang
	}
	return ""
}

// Own returns the address of this page without how it looks, Study that of the tools for the
// problem, and Reading that of the page for its readers.
func (v *view) Own() template.URL {
	if v.Day != nil {
		return template.URL(v.Path + "?lang=" + v.Lang)
	}
	return v.address(v.Path)
}
func (v *view) Study() template.URL   { return v.address("/study") }
func (v *view) Reading() template.URL { return v.address("/p") }

// address returns the address of a page of the problem, which knows where the reader came from.
func (v *view) address(path string) template.URL {
	return template.URL(path + "?" + v.query() + v.from() + v.chosenLang())
}

func (v *view) from() string {
	if v.From == 0 {
		return ""
	}
	return "&collection=" + strconv.Itoa(v.From)
}

// Other returns the address of this page in the other language, without how it looks.
func (v *view) Other() template.URL {
	if v.Day != nil {
		return template.URL(v.Path + "?lang=" + v.T("en", "ja"))
	}
	return template.URL(v.Path + "?" + v.query("lang", v.T("en", "ja")) + v.from())
}

// BoardLine returns the line that the board follows, in USI: the author's, or the solution of a
// problem that is shipped.
func (v *view) BoardLine() string { return cmp.Or(v.Line, v.solution) }

// NextName says where Next leads.
func (v *view) NextName() string {
	switch {
	case v.Day != nil:
		return v.T("前の日の問題", "The day before")
	case v.Next() == v.DailyPage():
		return v.T("今日の詰将棋", "Problem of the day")
	}
	return v.T("次の問題", "Next problem")
}

// Next returns the address of the problem to go on with, without how it looks: that of the day
// before, the next of the collection that the reader came from, or of the examples, and the first
// after the last. After any other it is the problem of the day, which leads on by itself.
func (v *view) Next() template.URL {
	switch {
	case v.Day != nil && len(v.Day.Earlier) > 0:
		return v.Day.Earlier[0].Link
	case v.Day != nil:
		return v.CollectionsPage()
	case v.From > 0:
		return v.nextOfCollection()
	}
	problems := slices.DeleteFunc(slices.Clone(samples), func(s sample) bool { return s.NoMate })
	at := slices.IndexFunc(problems, func(s sample) bool { return s.SFEN == v.SFEN })
	switch {
	case at < 0 && v.DayOf() != "": // that of today
		return v.CollectionsPage()
	case at < 0:
		return v.DailyPage()
	}
	next := problems[(at+1)%len(problems)]
	plies, _, _ := strings.Cut(next.Ja, "手") // with which its name begins
	return template.URL("/p?sfen=" + string(next.Link()) + "&plies=" + plies + v.chosenLang())
}

// Heading returns what stands above the board: the title of the problem, else how long it is, else
// what it is.
func (v *view) Heading() string {
	if v.Title == "" && v.Plies > 0 {
		return v.Mate()
	}
	return v.Name()
}

// Mate says in how many plies the address of the problem says that it is mate.
func (v *view) Mate() string {
	return v.say("mate_in", "plies", v.say("plies", "low", strconv.Itoa(v.Plies)))
}

// An option is a line of a menu.
type option struct {
	Value, Label string
	Selected     bool
}

// PieceChoices returns the menu of sets of pieces, ThemeChoices that of themes. The usual ones have
// no value.
func (v *view) PieceChoices() []option {
	return v.options(v.Reader.Pieces, pieceSets[0][1:], pieceSets[1:])
}

func (v *view) ThemeChoices() []option {
	all := v.options(v.Reader.Theme, []string{"標準", "Usual"}, boardThemes)
	if !slices.ContainsFunc(all, func(o option) bool { return o.Selected }) { // two words
		all = append(all, option{v.Reader.Theme, v.Reader.Theme, true})
	}
	return all
}

// options returns a menu: the usual, which has no value, by its names, and the others.
func (v *view) options(selected string, usual []string, others [][3]string) []option {
	options := []option{{"", v.T(usual[0], usual[1]), selected == ""}}
	for _, o := range others {
		options = append(options, option{o[0], v.T(o[1], o[2]), o[0] == selected})
	}
	return options
}
