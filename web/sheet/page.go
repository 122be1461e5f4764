package sheet

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/web/diagram"
)

// A Paper is a size of paper in millimetres, upright.
type Paper struct{ Width, Height float64 }

// The papers that a sheet can be printed on. B5 is that of Japan (JIS), not that of ISO.
var (
	A4     = Paper{210, 297}
	B5     = Paper{182, 257}
	Letter = Paper{215.9, 279.4}
)

// Papers are their names, and PaperOf the paper of a name.
var Papers = []string{"A4", "B5", "Letter"}

// PaperOf returns the paper of one of Papers.
func PaperOf(name string) Paper {
	return map[string]Paper{"A4": A4, "B5": B5, "Letter": Letter}[name]
}

// A Placing says where solutions stand: one of Placings.
type Placing string

// The places of solutions.
const (
	AtEnd      Placing = "end"         // behind all diagrams
	UpsideDown Placing = "upside-down" // below the diagrams of each page, turned by half a turn
	OwnSheet   Placing = "sheet"       // on a page behind each page, the back of a sheet printed on both sides
	Nowhere    Placing = "none"
)

// Placings are all of them.
var Placings = []string{string(AtEnd), string(UpsideDown), string(OwnSheet), string(Nowhere)}

// PerPage are the numbers of diagrams that a page can have.
var PerPage = []string{"2", "4", "6", "9"}

// columns are those of the diagrams of a page, by their number.
var columns = map[int]int{2: 1, 4: 2, 6: 2, 9: 3}

// margin is that of the paper, on all sides, in millimetres.
const margin = 12

// Options say how a sheet is laid out. All but Title, Alike and Faulty have to be set.
type Options struct {
	Title     string // of the whole; "" for one that says how many problems there are
	Language  string // "ja" or "en"
	PerPage   int    // 2, 4, 6 or 9
	Paper     Paper
	Solutions Placing
	// Alike and Faulty are remarks for the editor on the last page.
	Alike, Faulty []Remark
}

// A Remark is one about a problem.
type Remark struct {
	Number int
	Text   string
}

//go:embed sheet.html
var source string

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("sheet").Funcs(template.FuncMap{"spaced": isSpaced}).Parse(source))
})

// A view is what the template shows.
type view struct {
	Options
	Title                string
	Columns, Rows        int
	Inner                Paper // the paper without its margins
	Margin               int
	Type                 string // size of the captions in points
	Pages                []*printed
	Solutions            []*solution // at the end
	SolutionsTitle       string
	ToSolution, ToFigure string
	AlikeTitle, Faults   string
	Linked               bool // there are solutions to link to
}

// A printed is a page with diagrams, and the solutions that belong to it.
type printed struct {
	Number    string // of the page
	Title     string
	First     bool
	Cells     []cell
	Turned    []*solution // below the diagrams
	Size      float64     // of their type, in points
	Elsewhere string      // which of them are not there
	Back      []*solution // on a page of their own
	BackTitle string
}

// A cell is a diagram with its caption.
type cell struct {
	*Problem
	By, Heading string
	Picture     template.HTML
}

// Write writes the sheet of the problems.
func Write(w io.Writer, problems []Problem, o Options) error {
	v := &view{Options: o, Title: o.Title, Columns: columns[o.PerPage], Margin: margin,
		Inner:          Paper{o.Paper.Width - 2*margin, o.Paper.Height - 2*margin - 0.5}, // rounding makes no page
		SolutionsTitle: solutions.In(o.Language), ToSolution: toSolution.In(o.Language),
		ToFigure: toDiagram.In(o.Language), AlikeTitle: alike.In(o.Language), Faults: faulty.In(o.Language),
		Linked: o.Solutions != Nowhere}
	if v.Columns == 0 {
		return fmt.Errorf("sheet: no page has %d diagrams", o.PerPage)
	}
	v.Rows = o.PerPage / v.Columns
	v.Type = fmt.Sprintf("%.1f", min(12, v.Inner.Width/float64(v.Columns)/8.5))
	switch n := len(problems); {
	case v.Title != "":
	case n == 1:
		v.Title = untitledOne.In(o.Language)
	default:
		v.Title = untitled.In(o.Language, n)
	}
	outlines := make(diagram.Outlines)
	for group := range slices.Chunk(problems, o.PerPage) {
		p := &printed{Number: strconv.Itoa(len(v.Pages) + 1), Title: v.Title, First: len(v.Pages) == 0}
		v.Pages = append(v.Pages, p)
		var here []*solution
		for i := range group {
			one := &group[i]
			picture, _ := Diagram(one, o.Language, outlines)
			p.Cells = append(p.Cells, cell{one, one.By(o.Language), one.Length.In(o.Language), picture})
			here = append(here, newSolution(one, o.Language, true))
		}
		switch o.Solutions {
		case AtEnd:
			v.Solutions = append(v.Solutions, here...)
		case OwnSheet:
			p.Back, p.BackTitle = here, solutionsOf.In(o.Language, group[0].Number, group[len(group)-1].Number)
			if len(group) == 1 {
				p.BackTitle = solutionOf.In(o.Language, group[0].Number)
			}
		case UpsideDown:
			v.Solutions = append(v.Solutions, p.turn(here, v)...)
		}
	}
	var out strings.Builder
	if err := page().Execute(&out, v); err != nil {
		return err
	}
	_, err := io.WriteString(w, shogi.Visible(out.String()))
	return err
}

// turn puts as many solutions as there is room for below the diagrams of a page, and returns the
// others: first footnotes go, but those on what is wrong with a whole problem, then the type gets
// smaller, then the longest solutions go.
func (p *printed) turn(all []*solution, v *view) (others []*solution) {
	short := make([]*solution, len(all))
	for i, s := range all {
		short[i] = newSolution(s.Problem, v.Language, false)
	}
	for {
		for _, try := range []struct {
			set  []*solution
			size float64
		}{{all, 8}, {short, 8}, {short, 7}} {
			if turnedHeight(try.set, try.size, v.Inner.Width) <= v.Inner.Height*maxTurned {
				p.Turned, p.Size = try.set, try.size
				p.Elsewhere = numbers(others, v.Language)
				return others
			}
		}
		longest := slices.MaxFunc(short, func(a, b *solution) int { return len(a.Line) - len(b.Line) })
		i := slices.Index(short, longest)
		others = append(others, all[i])
		all, short = slices.Delete(slices.Clone(all), i, i+1), slices.Delete(short, i, i+1)
		slices.SortFunc(others, func(a, b *solution) int { return a.Number - b.Number })
	}
}

// numbers says of which problems the solutions are at the end; "" if there are none.
func numbers(all []*solution, language string) string {
	if len(all) == 0 {
		return ""
	}
	var list []string
	for _, s := range all {
		list = append(list, strconv.Itoa(s.Number))
	}
	return elsewhere.In(language, strings.Join(list, comma.In(language)))
}

const (
	maxTurned      = 0.25 // of a page, for the solutions below its diagrams
	turnedColumns  = 2    // in which they are set
	turnedGap      = 6    // between them, in millimetres
	turnedLine     = 1.4  // of the size of the type
	millimetres    = 25.4 / 72
	narrowest      = 0.66 // of an em, more than Latin letters take on average
	turnedSpace    = 3    // around them, in millimetres
	wideCharacters = 0x1100
)

// turnedHeight is about how high solutions are that stand below the diagrams, in millimetres. The
// layout does not rest on it: diagrams take the room that is left.
func turnedHeight(all []*solution, size, width float64) float64 {
	ems := (width - turnedGap) / turnedColumns / (size * millimetres)
	lines := 0
	for _, s := range all {
		lines += linesOf(s.words(), ems)
		for _, f := range s.Footnotes {
			lines += linesOf(append([]string{f.Sign, f.Name, f.Ply}, f.Moves...), ems)
		}
	}
	return float64(lines/turnedColumns+1)*turnedLine*size*millimetres + turnedSpace
}

// words are those of the first paragraph of a solution.
func (s *solution) words() []string {
	return append(append([]string{strconv.Itoa(s.Number)}, s.Line...), s.End)
}

// linesOf returns how many lines words take that are so many ems long.
func linesOf(words []string, ems float64) int {
	lines, at := 1, 0.0
	for _, word := range words {
		width := 0.0
		for _, r := range word {
			if r >= wideCharacters || r == '▲' || r == '△' {
				width++
			} else {
				width += narrowest
			}
		}
		for at > 0 && at+width > ems {
			lines, at = lines+1, 0
			for width > ems { // a word that is broken
				lines, width = lines+1, width-ems
			}
		}
		at += width + narrowest/2
	}
	return lines
}
