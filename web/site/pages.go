package site

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/sfenurl"
)

// A studyPage is what study.html shows: a problem with all the tools.
type studyPage struct {
	problemLayout
	Mode     string // of the board
	Examples []sample
	Times    []choice      // that a search may take
	Levels   []levelChoice // that play
}

func (h *handler) newStudy(v problemLayout) *studyPage {
	return &studyPage{problemLayout: v, Mode: "solve", Examples: samples, Times: v.times(h.config.MaxTime),
		Levels: v.levels(h.config.Levels)}
}

// home is the page at /: the problem of today can be played at once, and the tools are a touch away.
func (h *handler) home(w http.ResponseWriter, r *http.Request) {
	v := h.newProblem(r)
	if v.hasDay(v.JapanDay) != nil { // by a clock that is wrong
		h.study(w, r)
		return
	}
	h.renderDay(w, r, v, v.JapanDay)
}

// An embedPage is what embed.html shows.
type embedPage struct {
	problemLayout
	Mode  string // of the board
	Frame frame
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
	v := embedPage{problemLayout: h.newProblem(r)}
	if v.setPosition(r.URL.RawQuery) {
		v.setFrame(r.URL.Query())
	}
	h.render(w, r, v.status(), "embed.html", &v)
}

// setFrame reads what an address says of an embedded board, in which nothing sounds.
func (v *embedPage) setFrame(q url.Values) {
	v.setLooks(q)
	if v.Reader.Sound != "" {
		v.refuse("sound", v.Reader.Sound, "off")
	}
	v.Mode = cmp.Or(v.choice(q, "mode", "solve", "view", "edit", "brinkmate"), "solve")
	v.Frame = frame{
		Flip:      v.choice(q, "flip", "false", "true") != "",
		HidesHand: v.choice(q, "hands", "show", "hide") != "",
		IsTall:    v.choice(q, "height", "", "auto") != "",
		Moves:     blanks.Replace(clip(q.Get("moves"), 4096)),
		Author:    cleanTitle(q.Get("author")), Source: cleanTitle(q.Get("source")),
	}
	v.hidesHand = v.Frame.HidesHand
}

// missing says that there is nothing.
func (h *handler) missing(w http.ResponseWriter, r *http.Request) {
	v := h.newLayout(r)
	v.Faults = []string{v.T("このアドレスには何もありません。", "There is nothing at this address.")}
	h.render(w, r, http.StatusNotFound, "error.html", newErrorPage(&v))
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
	{SFEN: "7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1", Ja: "詰まない・打歩詰", En: "no mate: a pawn drop may not mate", NoMate: true},
	{SFEN: "4p4/n1s+B5/sR1n5/k8/3P5/2s+p5/sNP6/9/9 b RB4gn4l14p 1", Ja: "17手・将棋無双三五番", En: "17 plies: Muso no. 35 (1734)"},
	{SFEN: "4n4/1s3p+R+b1/2Pgk2l1/3sp1S2/3p2p2/6P2/3+l5/4N4/9 b RBSN3gn2l12p 1", Ja: "19手・将棋無双二五番", En: "19 plies: Muso no. 25 (1734)"},
	{SFEN: "3gS2n1/1pk1Pp3/4p1Lp1/1Gpp3l1/4n4/3N5/+p1B2r3/2R2N3/9 b BGg3s2l10p 1", Ja: "31手・将棋無双一九番", En: "31 plies: Muso no. 19 (1734)"},
}

// LongSearch returns the address of the form for a long search of the position.
func (v *studyPage) LongSearch() template.URL {
	return template.URL("/jobs?sfen=" + v.Link + "&lang=" + v.Lang)
}
