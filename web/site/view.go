package site

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/shogi/sfenurl"
	"github.com/tsumero/tsumero/web/daily"
	"github.com/tsumero/tsumero/web/diagram"
)

// MaxTitle is the longest title of a problem in characters. A picture takes no longer one.
const maxTitle = diagram.MaxTitle

// A view is what a template shows.
type view struct {
	Lang     string   // "ja" or "en"
	Chosen   bool     // Lang is what the address says
	Origin   string   // of this service as the client names it, "https://host"
	Path     string   // of this page
	SFEN     string   // canonical
	Link     string   // the position as addresses have it
	Title    string   // of the problem, or ""
	Plies    int      // the length of the problem, as its link says it, or 0
	Author   string   // of the problem, or ""
	Line     string   // of the author, in USI, or ""
	Reader   reader   // of a problem
	Alt      string   // the position in words
	Mode     string   // of the board
	Frame    frame    // of an embedded board
	Faults   []string // what is wrong with the address
	Examples []sample
	Times    []choice          // that a search may take
	Analyses bool              // are offered
	Levels   []levelChoice     // that play
	HasJobs  bool              // are taken
	Engine   template.HTMLAttr // of boards, where there is a solver for browsers

	Set         *setPage        // at /set
	Day         *dayPage        // at /daily
	JapanDay    daily.Date      // that it is at now
	Today       *dayLink        // on the page at /
	Collections *collectionPage // at /problems
	From        int             // the collection that the reader of a problem came from, its length, or 0

	Compose *composePage // at /compose

	ID     string    // of a job
	Jobs   *jobsPage // at /jobs
	Job    *jobPage
	Failed bool // there is something at the address, but no answer now
	secret bool // whoever knows the address of the page may do something

	now      time.Time // when the request came
	position shogi.Position
	solution string // of a problem that is shipped, in USI, for the board alone
}

// Controls are those of the board on a page that has a button for the answer: one is enough.
func (v *view) Controls() string { return "replay next play hints share flip keys edit input" }

// T returns the text in the language of the view.
func (v *view) T(ja, en string) string {
	if v.Lang == "en" {
		return en
	}
	return ja
}

// Names returns what findings are called, for the scripts of the page.
func (v *view) Names() map[string]map[string]string {
	names := report.Names(v.Lang)
	names["relations"] = report.RelationNames(v.Lang)
	return names
}

// say returns a sentence of package report in the language of the view.
func (v *view) say(name string, values ...string) string {
	return report.Say(name, values...).In(v.Lang)
}

// A sample is a problem that the page offers.
type sample struct {
	SFEN, Ja, En string
	NoMate       bool
}

// Link returns the position as addresses have it.
func (s sample) Link() template.URL {
	p := shogi.MustParseSFEN(s.SFEN)
	return template.URL(sfenurl.Escape(&p))
}

// The samples. The last three are from 将棋無双, which Itō Sōkan presented to the shogun in 1734;
// the rest are made for this service.
var samples = []sample{
	{SFEN: "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1", Ja: "3手・無駄合", En: "3 plies: futile interpositions"},
	{SFEN: "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", Ja: "1手・頭金", En: "1 ply: gold on the head"},
	{SFEN: "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1", Ja: "3手", En: "3 plies"},
	{SFEN: "k8/9/1G7/9/9/9/9/9/8R b r2b3g4s4n4l18p 1", Ja: "5手・無駄合（数えると15手）", En: "5 plies (15 counting every move)"},
	{SFEN: "7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1", Ja: "詰まない・打ち歩詰め", En: "no mate: a pawn drop may not mate", NoMate: true},
	{SFEN: "4p4/n1s+B5/sR1n5/k8/3P5/2s+p5/sNP6/9/9 b RB4gn4l14p 1", Ja: "17手・将棋無双三五番", En: "17 plies: Muso no. 35 (1734)"},
	{SFEN: "4n4/1s3p+R+b1/2Pgk2l1/3sp1S2/3p2p2/6P2/3+l5/4N4/9 b RBSN3gn2l12p 1", Ja: "19手・将棋無双二五番", En: "19 plies: Muso no. 25 (1734)"},
	{SFEN: "3gS2n1/1pk1Pp3/4p1Lp1/1Gpp3l1/4n4/3N5/+p1B2r3/2R2N3/9 b BGg3s2l10p 1", Ja: "31手・将棋無双一九番", En: "31 plies: Muso no. 19 (1734)"},
}

// newView reads what all pages have: the language, and the time, once, so that all that an answer says
// is of the same day.
func (h *handler) newView(r *http.Request) *view {
	v := &view{Lang: "ja", Path: r.URL.Path, Origin: origin(r), now: h.config.Now()}
	v.JapanDay = daily.DateOf(v.now)
	if !v.setLang(r.URL.Query().Get("lang")) {
		v.Lang = httpheader.Preferred(r.Header.Get("Accept-Language"))
	}
	return v
}

// setLang takes the language that an address says, and reports whether it is one of the two.
func (v *view) setLang(lang string) bool {
	if lang != "ja" && lang != "en" {
		return false
	}
	v.Lang, v.Chosen = lang, true
	return true
}

// origin returns how the client names this service.
func origin(r *http.Request) string { return httpheader.Origin(r) }

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

// setPosition reads the position and what else an address says of a problem. If it cannot, the view
// has the faults.
func (v *view) setPosition(query string) bool {
	values, _ := url.ParseQuery(query) // what cannot be read is missing
	v.Title = cleanTitle(values.Get("title"))
	if n, err := strconv.Atoi(values.Get("plies")); err == nil && n > 0 && n <= diagram.MaxPlies {
		v.Plies = n
	}
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
	p, err := readPosition(raw, []byte(values.Get("sfen")))
	if err != nil {
		v.Faults = v.explain(err)
		return false
	}
	v.put(&p)
	return true
}

// readPosition reads the value of a parameter, as it was sent and decoded. The form of a page
// without scripts sends whatever was pasted.
func readPosition(raw string, decoded []byte) (shogi.Position, error) {
	g, err := sfenurl.Parse(raw)
	if err == nil {
		return g.Position(), nil
	}
	return readRecord(decoded, err)
}

// readRecord reads the position that a text is about which is not USI, as err says.
func readRecord(text []byte, err error) (shogi.Position, error) {
	record, other := notation.Parse(text, notation.Options{Position: true})
	if other == nil {
		return record.Position(), nil
	}
	var e *notation.Error
	if !errors.As(other, &e) {
		return shogi.Position{}, other
	}
	isFormat := e.Faults[0].Code == notation.CodeFormat && bytes.IndexByte(text, '/') >= 0
	if (e.Format == notation.SFEN || isFormat) && !bytes.Contains(text, []byte("://")) {
		return shogi.Position{}, err // which has places in the text
	}
	return shogi.Position{}, other
}

func (v *view) put(p *shogi.Position) {
	v.position = *p
	v.Link = sfenurl.Escape(p)
	v.SFEN = p.ProblemSFEN()
	lang := diagram.Japanese
	if v.Lang == "en" {
		lang = diagram.English
	}
	v.Alt = diagram.Alt(p, lang)
}

// cleanTitle makes one line of a title, no longer than pictures take.
func cleanTitle(title string) string {
	title = strings.Join(strings.Fields(strings.ToValidUTF8(clip(title, 16*maxTitle), "")), " ")
	if runes := []rune(title); len(runes) > maxTitle {
		title = string(runes[:maxTitle])
	}
	return title
}

// query returns the query of an address of this problem.
func (v *view) query(more ...string) string {
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

// Query returns the query of a question to the API about this problem.
func (v *view) Query() template.URL { return template.URL("sfen=" + v.Link) }

// Picture returns the address of a picture of the position.
func (v *view) Picture(size int) string {
	address := "/v1/diagram.svg?sfen=" + v.Link + "&size=" + strconv.Itoa(size) + "&lang=" + v.Lang
	if v.Reader.Pieces == "international" {
		address += "&pieces=international"
	}
	if v.Frame.HidesHand {
		address += "&hands=hide"
	}
	return address
}

// PictureHeight returns how high that picture is.
func (v *view) PictureHeight(size int) (int, error) {
	return pictureHeight(&v.position, size, v.Frame.HidesHand)
}

func pictureHeight(p *shogi.Position, width int, hidesHand bool) (int, error) {
	o := diagram.Options{Width: width}
	if hidesHand {
		o.Hands = diagram.AttackerHand
	}
	d, err := diagram.Draw(p, o)
	if err != nil {
		return 0, err
	}
	_, height := d.Size()
	return height, nil
}

// Animation returns the address of a picture of the problem with moves, but for the moves.
func (v *view) Animation() template.URL {
	address := "/v1/diagram.gif?sfen=" + v.Link + "&lang=" + v.Lang
	if v.position.Missing() == 0 { // the defender has all the rest
		address += "&hands=hide"
	}
	return template.URL(address)
}

// Card returns the address of the picture that a link shows where it is shared. A picture has no
// author and no line.
func (v *view) Card() string {
	w := *v
	w.Author, w.Line = "", ""
	more := []string{"size", "1200x630", "lang", v.Lang}
	if v.Day != nil { // whose defender has all the rest
		more = append(more, "hands", "hide")
	}
	return v.Origin + "/v1/diagram.png?" + w.query(more...)
}

// Share returns the address of the problem.
func (v *view) Share() string {
	if v.Day != nil {
		return v.Origin + dayPath(v.Day.Date)
	}
	return v.Origin + "/p?" + v.query()
}

// isProblem reports whether the page is that of a problem, with the tools or without.
func (v *view) isProblem() bool { return v.Path == "/p" || v.Path == "/study" }

// Canonical returns the one address of what this page shows: in the language of the reader, or in
// the one it was asked for. A problem has one, whichever page it is on.
func (v *view) Canonical() string {
	if v.Chosen {
		return v.Alternate(v.Lang)
	}
	return v.Alternate("")
}

// Alternate returns the address of this page in a language, "" for that of the reader.
func (v *view) Alternate(lang string) string {
	switch {
	case v.isProblem() && lang == "":
		return v.Share()
	case v.isProblem():
		return v.Origin + "/p?" + v.query("lang", lang)
	case v.Set != nil:
		return v.Origin + v.setPath(lang)
	case v.Compose != nil && lang == "":
		return v.Origin + "/compose"
	case v.Compose != nil:
		return v.Origin + "/compose?lang=" + lang
	}
	path, parts := "/", []string{}
	switch c := v.Collections; {
	case v.IsDaily():
		path = v.Path
	case c != nil:
		path = "/problems"
		if c.Plies > 0 {
			parts = append(parts, fmt.Sprintf("plies=%d", c.Plies))
		}
		if c.Page > 1 {
			parts = append(parts, fmt.Sprintf("page=%d", c.Page))
		}
	}
	if lang != "" {
		parts = append(parts, "lang="+lang)
	}
	if len(parts) > 0 {
		path += "?" + strings.Join(parts, "&")
	}
	return v.Origin + path
}

// Shared returns the address that a link to this page has for those it is shared with: what it shows
// is the same tomorrow.
func (v *view) Shared() string {
	if v.Day == nil {
		return v.Canonical()
	}
	return v.Share() + strings.Replace(v.chosenLang(), "&", "?", 1)
}

// OEmbed returns where a site learns how to embed the problem.
func (v *view) OEmbed() string {
	return v.Origin + "/oembed?format=json&url=" + url.QueryEscape(v.Shared())
}

// InOther returns the address of this page in the other language.
func (v *view) InOther() string {
	other := v.T("en", "ja")
	switch {
	case (v.isProblem() || v.Path == "/jobs") && v.SFEN != "":
		return v.Path + "?" + v.query("lang", other) + v.from() + v.look()
	case v.Path == "/jobs":
		return "/jobs?lang=" + other
	case v.Compose != nil:
		return "/compose?" + v.composeQuery() + v.look() + "&lang=" + other
	case v.Set != nil:
		return v.setPath(other)
	case v.IsDaily() || v.Collections != nil:
		return strings.TrimPrefix(v.Alternate(other), v.Origin) + v.look()
	case v.Job != nil:
		w := *v
		w.Lang = other
		return w.jobAddress(v.ID)
	}
	return "/?lang=" + other
}

// Home returns the address of the page at /.
func (v *view) Home() string { return "/?lang=" + v.Lang }

// JobsPage returns the address of the page at /jobs.
func (v *view) JobsPage() template.URL { return template.URL("/jobs?lang=" + v.Lang) }

// LongSearch returns the address of the form for a long search of the position.
func (v *view) LongSearch() template.URL {
	return template.URL("/jobs?sfen=" + v.Link + "&lang=" + v.Lang)
}

// Lost returns the heading of a page that says why there is no other.
func (v *view) Lost() string {
	switch {
	case v.Failed:
		return v.T("いまは表示できません", "This did not work")
	case v.secret: // of a job, whose position is for the picture alone
		return v.T("見つかりません", "Not found")
	case v.SFEN != "" || v.Collections != nil:
		return v.T("アドレスに使えない値があります", "The address has a value that cannot be used")
	case v.isProblem() || v.Path == "/embed" || v.Compose != nil:
		return v.T("局面を読めません", "The position cannot be read")
	case v.IsDaily():
		return v.T("その日の問題はありません", "There is no problem of that day")
	}
	return v.T("見つかりません", "Not found")
}

// Name returns what the problem is called.
func (v *view) Name() string {
	if v.Day != nil {
		return v.Title + v.T(" ", ": ") + v.Mate()
	}
	if v.Title != "" {
		return v.Title
	}
	return v.T("詰将棋", "Tsume shogi")
}
