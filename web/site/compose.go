package site

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"net/url"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/web/sheet"
)

// A composePage is what compose.html shows. Its problem is the position on the board.
type composePage struct {
	problemLayout
	Method string // that is chosen
}

// composeMethods are the searches that the page offers, the usual one first.
var composeMethods = []string{"hands", "place", "shape", "repair"}

// emptyDiagram is what an author begins with: the king to be mated, and nothing else.
var emptyDiagram = shogi.MustParseSFEN("8k/9/9/9/9/9/9/9/9 b - 1")

// compose is the page of those who make problems: a board to set up what is fixed, and a search for
// sound problems over what is left free. An address may say the position, the author's line and the
// method.
func (h *handler) compose(w http.ResponseWriter, r *http.Request) {
	v := &composePage{problemLayout: h.newProblem(r)}
	values, _ := url.ParseQuery(r.URL.RawQuery) // what cannot be read is missing
	if values.Get("sfen") == "" {
		v.put(&emptyDiagram)
		v.setLooks(values)
	} else if v.setPosition(r.URL.RawQuery) {
		v.setProblem(r.URL.RawQuery)
	}
	v.canonical = "/compose"
	usual := composeMethods[0]
	v.Method = cmp.Or(v.choice(values, "method", usual, composeMethods[1:]...), usual)
	h.renderIfValid(w, r, "compose.html", v)
}

// ComposePage returns the address of the page at /compose.
func (v *layout) ComposePage() string { return "/compose?lang=" + v.Lang }

func (v *composePage) InOther() string {
	q := "method=" + v.Method
	if v.SFEN != emptyDiagram.ProblemSFEN() {
		q += "&" + v.query()
	}
	return "/compose?" + q + v.look() + "&lang=" + v.other()
}

// Themes returns all themes, in the language of the page.
func (v *composePage) Themes() (groups []themeGroup) {
	for _, g := range report.ThemeGroups() {
		group := themeGroup{Name: g.Name.In(v.Lang)}
		for _, one := range g.Themes {
			group.Themes = append(group.Themes,
				namedTheme{one.ID, one.Name.In(v.Lang), one.Definition.In(v.Lang)})
		}
		groups = append(groups, group)
	}
	return groups
}

type themeGroup struct {
	Name   string
	Themes []namedTheme
}

type namedTheme struct{ ID, Name, Definition string }

// ComposeNames are Names, with those of what is said of a problem that was found.
func (v *composePage) ComposeNames() map[string]map[string]string {
	names := v.Names()
	names["themes"] = map[string]string{}
	for _, g := range v.Themes() {
		for _, one := range g.Themes {
			names["themes"][one.ID] = one.Name
		}
	}
	return names
}

// maxSheet is how many problems a sheet has at most: each diagram has some kilobytes.
const maxSheet = 1000

// sheetPolicy is that of sheets, whose style is in them.
const sheetPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'"

// jobSheet is what a search has found so far, to print.
func (h *handler) jobSheet(w http.ResponseWriter, r *http.Request) {
	v := h.newJobPage(r)
	found, p := h.config.Jobs().Composed(r, v.id)
	if p != nil {
		h.refused(w, r, v, p)
		return
	}
	o := sheet.Options{Language: v.Lang, PerPage: 6, Paper: sheet.A4, Solutions: sheet.AtEnd}
	if n := len(found); n > maxSheet {
		o.Title = fmt.Sprintf(v.T("詰将棋%d題のうち最初の%d題",
			"%d mate problems, of which these are the first %d"), n, maxSheet)
		found = found[:maxSheet]
	}
	problems := make([]sheet.Problem, len(found))
	for i := range found {
		g := &found[i]
		problems[i] = sheet.Problem{Number: i + 1, Position: g.Start(), Line: g.Moves(),
			Length: report.MateIn(length.Exactly(len(g.Moves())))}
	}
	var out bytes.Buffer
	_ = sheet.Write(&out, problems, o) // a buffer takes all
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Language", v.Lang)
	header.Set("Content-Security-Policy", sheetPolicy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Robots-Tag", "noindex")
	send(w, r, http.StatusOK, "text/html; charset=utf-8", out.Bytes())
}

// A pieceChoice is a piece that may be put on the board, as requests name it and as people do.
type pieceChoice struct{ ID, Label, Name string }

// composeKinds are the kinds that may be added, with one kanji each.
var composeKinds = [][3]string{
	{"R", "飛", "rook"}, {"B", "角", "bishop"}, {"G", "金", "gold"}, {"S", "銀", "silver"},
	{"N", "桂", "knight"}, {"L", "香", "lance"}, {"P", "歩", "pawn"}, {"+R", "龍", "dragon"},
	{"+B", "馬", "horse"}, {"+S", "成銀", "promoted silver"}, {"+N", "成桂", "promoted knight"},
	{"+L", "成香", "promoted lance"}, {"+P", "と", "tokin"},
}

// PieceSides returns the pieces that may be added, of the attacker and of the defender.
func (v *composePage) PieceSides() []pieceSide {
	sides := []pieceSide{{Name: v.T("攻方", "Attacker"), Mark: "▲"}, {Name: v.T("玉方", "Defender"), Mark: "△"}}
	for i := range sides {
		for _, kind := range composeKinds {
			id := []byte(kind[0])
			if i == 1 {
				last := len(id) - 1
				id[last] = id[last] - 'A' + 'a'
			}
			label := kind[1]
			if v.Lang == "en" {
				label = kind[0]
			}
			sides[i].Pieces = append(sides[i].Pieces, pieceChoice{string(id), label, v.T(kind[1], kind[2])})
		}
	}
	return sides
}

type pieceSide struct {
	Name, Mark string
	Pieces     []pieceChoice
}

// OddPlies returns the lengths that problems may be limited to, HandSizes how many pieces in hand may
// be looked for, and PieceCounts the limits of all pieces.
func (v *composePage) OddPlies() []int    { return []int{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 25, 31} }
func (v *composePage) HandSizes() []int   { return []int{1, 2, 3, 4, 5} }
func (v *composePage) PieceCounts() []int { return []int{3, 4, 5, 6, 7, 8, 10, 12, 15, 20} }
