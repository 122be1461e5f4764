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
	"github.com/tsumero/tsumero/web/daily"
	"github.com/tsumero/tsumero/web/diagram"
)

// A positionLayout is what the pages have that show a position.
type positionLayout struct {
	layout
	SFEN string // canonical, "" if there is no position
	Link string // the position as addresses have it
	Alt  string // the position in words

	position  shogi.Position
	hidesHand bool // of the defender, in pictures
}

// setPosition reads the position of an address. If it cannot, the page has the faults.
func (v *positionLayout) setPosition(query string) bool {
	values, _ := url.ParseQuery(query) // what cannot be read is missing
	raw := ""
	for name, value := range sfenurl.Parameters(query) {
		if name == "sfen" {
			raw = value
			break
		}
	}
	if raw == "" {
		v.Faults = []string{v.T("アドレスに局面（sfen）がありません。", "The address has no position (sfen).")}
		return false
	}
	p, err := readPosition(raw, values.Get("sfen"))
	if err != nil {
		v.Faults = v.explain(err)
		return false
	}
	v.put(&p)
	return true
}

// readPosition reads the value of a parameter, as it was sent and decoded. The form of a page
// without scripts sends whatever was pasted.
func readPosition(raw, decoded string) (shogi.Position, error) {
	g, err := sfenurl.Parse(raw)
	if err == nil {
		return g.Position(), nil
	}
	p, other := readPasted(decoded)
	if _, isSFEN := errors.AsType[*shogi.SFENError](other); isSFEN {
		return p, err // which knows what an address makes of a "+"
	}
	return p, other
}

// put makes a position the one that the page shows.
func (v *positionLayout) put(p *shogi.Position) {
	v.position = *p
	v.Link = sfenurl.Escape(p)
	v.SFEN = p.ProblemSFEN()
	v.Alt = diagram.Alt(p, diagram.LangOf(v.Lang))
}

// Query returns the query of an address about this position.
func (v *positionLayout) Query() template.URL { return template.URL("sfen=" + v.Link) }

// Picture returns the address of a picture of the position.
func (v *positionLayout) Picture(size int) string {
	address := "/v1/diagram.svg?sfen=" + v.Link + "&size=" + strconv.Itoa(size) + "&lang=" + v.Lang
	if v.Reader.Pieces == "international" {
		address += "&pieces=international"
	}
	if v.hidesHand {
		address += "&hands=hide"
	}
	return address
}

// PictureHeight returns how high that picture is.
func (v *positionLayout) PictureHeight(size int) (int, error) {
	o := diagram.Options{Width: size}
	if v.hidesHand {
		o.Hands = diagram.AttackerHand
	}
	d, err := diagram.Draw(&v.position, o)
	if err != nil {
		return 0, err
	}
	_, height := d.Size()
	return height, nil
}

// A problemLayout is what the pages have that show a problem, of an address or of a day.
type problemLayout struct {
	positionLayout
	Title  string     // or ""
	Plies  int        // how long the address says that it is, or 0
	Author string     // or ""
	Line   string     // of the author, in USI, or ""
	Day    daily.Date // whose problem it is, or 0
	From   int        // the length of the collection that the reader came from, or 0

	solution string // of a problem that is shipped, in USI, for the board alone
}

// A problemPage is what problem.html shows.
type problemPage struct {
	problemLayout
	Earlier []dayLink // the days before the one of the problem, the last one first
	Later   *dayLink  // the day after it, nil on the last one
}

// newProblem returns a problem of which an address says nothing yet.
func (h *handler) newProblem(r *http.Request) problemLayout {
	return problemLayout{positionLayout: positionLayout{layout: h.newLayout(r)}}
}

// problem is the page of a problem for its readers: the board as large as the window allows, what
// the problem is called, and nothing that tells the answer. The tools are at /study.
func (h *handler) problem(w http.ResponseWriter, r *http.Request) {
	h.renderIfValid(w, r, "problem.html", &problemPage{problemLayout: h.problemOf(r)})
}

// study is the page of a problem with the tools: to solve, to analyze, and to set up another. Without
// a problem the board is empty, for one to be set up.
func (h *handler) study(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Has("sfen") {
		h.renderIfValid(w, r, "study.html", h.newStudy(h.problemOf(r)))
		return
	}
	v := h.newStudy(h.newProblem(r))
	v.Mode, v.canonical = "edit", "/study"
	v.put(&emptyBoard)
	v.setLooks(q)
	h.renderIfValid(w, r, "study.html", v)
}

var emptyBoard = shogi.MustParseSFEN("9/9/9/9/9/9/9/9/9 b - 1")

// problemOf returns the problem in the address of a page.
func (h *handler) problemOf(r *http.Request) problemLayout {
	v := h.newProblem(r)
	if v.setPosition(r.URL.RawQuery) {
		v.setProblem(r.URL.RawQuery)
		v.Without = v.Own()
	}
	return v
}

// setPosition reads the position of an address, and what it calls the problem.
func (v *problemLayout) setPosition(query string) bool {
	values, _ := url.ParseQuery(query) // what cannot be read is missing
	v.Title = cleanTitle(values.Get("title"))
	if n, err := strconv.Atoi(values.Get("plies")); err == nil && n > 0 && n <= diagram.MaxPlies {
		v.Plies = n
	}
	return v.positionLayout.setPosition(query)
}

// setProblem reads what else an address says of a problem: who made it, the author's line, and how
// it is to look. The page has a fault for each value that is none.
func (v *problemLayout) setProblem(query string) {
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
	v.canonical = "/p?" + v.query()
	v.setLooks(values)
}

// setLine reads the author's line, as it was sent and decoded: each move of the attacker is a
// check. A defender in check who has the only king begins, as on the board.
func (v *problemLayout) setLine(raw, decoded string) {
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
func (v *problemLayout) refuseLine(line, why string) {
	v.Faults = append(v.Faults, fmt.Sprintf(v.T(
		"moves=%s は使えません。この局面から王手の続く手順を USI で書きます（空白か _ で区切ります）。%s",
		"moves=%s cannot be used. It takes a line of checks from this position: USI moves with "+
			"spaces or _ between. %s"), shown(line), why))
}

// isProblem reports whether the page is that of a problem in the address, with the tools or without.
func (v *problemLayout) isProblem() bool { return v.Path == "/p" || v.Path == "/study" }

// Own returns the address of this page without how it looks.
func (v *problemLayout) Own() template.URL {
	if v.Day != 0 {
		return template.URL(v.Path + "?lang=" + v.Lang)
	}
	return v.address(v.Path)
}

// Reading returns the address of the page of the problem for its readers.
func (v *problemLayout) Reading() template.URL { return v.address("/p") }

// address returns the address of a page of the problem, which knows where the reader came from.
func (v *problemLayout) address(path string) template.URL {
	return template.URL(v.inChosen(path + "?" + v.query() + v.from()))
}

func (v *problemLayout) from() string {
	if v.From == 0 {
		return ""
	}
	return "&collection=" + strconv.Itoa(v.From)
}

// Other returns the address of this page in the other language, without how it looks.
func (v *problemLayout) Other() template.URL {
	if v.IsDaily() {
		return template.URL(v.Path + "?lang=" + v.other())
	}
	return template.URL(v.Path + "?" + v.query("lang", v.other()) + v.from())
}

func (v *problemLayout) InOther() string {
	if v.IsDaily() || v.isProblem() && v.SFEN != "" {
		return string(v.Other()) + v.look()
	}
	return v.layout.InOther()
}

// Study returns the address of the tools for the problem.
func (v *problemPage) Study() template.URL { return v.address("/study") }

// BoardLine returns the line that the board follows, in USI: the author's, or the solution of a
// problem that is shipped.
func (v *problemPage) BoardLine() string { return cmp.Or(v.Line, v.solution) }

// NextName says where Next leads.
func (v *problemPage) NextName() string {
	switch {
	case v.Day != 0:
		return v.T("前の日の問題", "The day before")
	case v.Next() == v.DailyPage():
		return v.T("今日の詰将棋", "Problem of the day")
	}
	return v.T("次の問題", "Next problem")
}

// Next returns the address of the problem to go on with, without how it looks: that of the day
// before, the next of the collection that the reader came from, or of the examples, and the first
// after the last. After any other it is the problem of the day, which leads on by itself.
func (v *problemPage) Next() template.URL {
	switch {
	case v.Day != 0 && len(v.Earlier) > 0:
		return v.Earlier[0].Link
	case v.Day != 0:
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
	return template.URL(v.inChosen("/p?sfen=" + string(next.Link()) + "&plies=" + plies))
}

// Heading returns what stands above the board: the title of the problem, else how long it is, else
// what it is.
func (v *problemPage) Heading() string {
	if v.Title == "" && v.Plies > 0 {
		return v.Mate()
	}
	return v.Name()
}

// Mate says in how many plies the address of the problem says that it is mate.
func (v *problemLayout) Mate() string {
	return v.MateIn(v.Plies)
}

// query returns the query of an address of this problem.
func (v *problemLayout) query(more ...string) string {
	q := "sfen=" + v.Link
	if v.Title != "" {
		q += "&title=" + url.QueryEscape(v.Title)
	}
	if v.Plies > 0 {
		q += "&plies=" + strconv.Itoa(v.Plies)
	}
	if v.Author != "" {
		q += "&author=" + url.QueryEscape(v.Author)
	}
	if v.Line != "" {
		q += "&moves=" + lineEscapes.Replace(v.Line)
	}
	for i := 0; i < len(more); i += 2 {
		q += "&" + more[i] + "=" + url.QueryEscape(more[i+1])
	}
	return q
}

// lineEscapes are what a line needs in a query.
var lineEscapes = strings.NewReplacer("+", "%2B", " ", "_")

// Card returns the address of the picture that a link shows where it is shared. A picture has no
// author and no line.
func (v *problemLayout) Card() string {
	w := *v
	w.Author, w.Line = "", ""
	more := []string{"size", "1200x630", "lang", v.Lang}
	if v.Day != 0 { // whose defender has all the rest
		more = append(more, "hands", "hide")
	}
	return v.Origin + "/v1/diagram.png?" + w.query(more...)
}

// Share returns the address of the problem.
func (v *problemLayout) Share() string {
	if v.Day != 0 {
		return v.Origin + dayPath(v.Day)
	}
	return v.Origin + "/p?" + v.query()
}

// Shared returns the address that a link to this page has for those it is shared with: what it shows
// is the same tomorrow.
func (v *problemLayout) Shared() string {
	if v.Day == 0 {
		return v.Canonical()
	}
	return v.Origin + v.inChosen(dayPath(v.Day))
}

// OEmbed returns where a site learns how to embed the problem.
func (v *problemLayout) OEmbed() string {
	return v.Origin + "/oembed?format=json&url=" + url.QueryEscape(v.Shared())
}

// Lost returns the heading of a page that says why the problem is not there.
func (v *problemLayout) Lost() string {
	switch {
	case v.SFEN != "":
		return v.badValue()
	case v.IsDaily():
		return v.T("その日の問題はありません", "There is no problem of that day")
	}
	return v.T("局面を読めません", "The position cannot be read")
}

// Name returns what the problem is called.
func (v *problemLayout) Name() string {
	if v.Day != 0 {
		return v.Title + v.T(" ", ": ") + v.Mate()
	}
	if v.Title != "" {
		return v.Title
	}
	return v.T("詰将棋", "Tsume shogi")
}

// Description says what the page is, to those who list pages: what can be done on it, and the position.
func (v *problemLayout) Description() string {
	return v.Name() + v.T("。盤の駒を動かして解くと、最善の応手が返ります。",
		". Play it on the board: your moves are answered by the best defence. ") + v.Alt
}

// Animation returns the address of a picture of the problem with moves, but for the moves.
func (v *problemPage) Animation() template.URL {
	address := "/v1/diagram.gif?sfen=" + v.Link + "&lang=" + v.Lang
	if v.position.Missing() == 0 { // the defender has all the rest
		address += "&hands=hide"
	}
	return template.URL(address)
}

// PieceChoices returns the menu of sets of pieces, ThemeChoices that of themes. The usual ones have
// no value.
func (v *problemPage) PieceChoices() []option {
	return v.options(v.Reader.Pieces, pieceSets[0][1:], pieceSets[1:])
}

func (v *problemPage) ThemeChoices() []option {
	all := v.options(v.Reader.Theme, []string{"標準", "Usual"}, boardThemes)
	if !slices.ContainsFunc(all, func(o option) bool { return o.Selected }) { // two words
		all = append(all, option{v.Reader.Theme, v.Reader.Theme, true})
	}
	return all
}
