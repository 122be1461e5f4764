// Package sheet makes a page of mate problems as books print them: so many diagrams a page, each with
// number, title, author and length, and their solutions behind them, below them upside-down, on a
// sheet of their own, or not at all. It is one HTML document that needs nothing beside it: no script,
// no font, no picture. In print it is black on white on paper of a known size, on the screen it is
// as wide as the window.
//
//	err := sheet.Write(w, problems, sheet.Options{Language: "ja", PerPage: 6, Paper: sheet.A4})
//
// It searches nothing: whoever calls it knows the lengths and lines. Solution and Diagram are the
// parts of it for pages of other kinds.
package sheet

import (
	"html/template"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/web/diagram"
)

// A Problem is what is printed of a mate problem.
type Problem struct {
	Number        int
	Title, Author string         // "" if it has none
	Position      shogi.Position // Black attacks and is to move
	Length        report.Text    // 7手詰; empty if nothing is known
	Line          []shogi.Move   // the solution, legal from the position on; nil if none is known
	Plies         int            // of the line as books count them; 0 to count its moves
	Unfinished    bool           // the line does not end with mate
	NoMate        bool           // it is proved that there is none
	Footnotes     []report.Footnote
}

// By names the author in a language, "ja" or "en".
func (p *Problem) By(language string) string {
	if p.Author == "" {
		return ""
	}
	return by.In(language, strings.TrimSuffix(p.Author, "作"))
}

// Moves are those of the line in the notation of a language.
func (p *Problem) Moves(language string) []string {
	return movesOf(report.Printed(p.Position, p.Line), language)
}

// movesOf returns the moves of a line, in Japanese with the comma behind them.
func movesOf(line report.Text, language string) []string {
	if language == "en" || line.Ja == "" {
		return strings.Fields(line.En)
	}
	return strings.SplitAfter(line.Ja, comma.Ja)
}

// isSpaced reports whether a space stands behind a move: a comma needs none.
func isSpaced(move string) bool { return !strings.HasSuffix(move, comma.Ja) }

// plies is the length of the line as books count it.
func (p *Problem) plies() int {
	if p.Plies > 0 {
		return p.Plies
	}
	return len(p.Line)
}

// Diagram draws a problem for a page of many, which share outlines. Where the defender holds all that
// is left, as is usual, his hand is not drawn. height is that of the picture in pixels.
func Diagram(p *Problem, language string, outlines diagram.Outlines) (svg template.HTML, height int) {
	o := diagram.Options{Lang: diagram.LangOf(language), Theme: diagram.Print, Hands: diagram.BothHands}
	if p.Position.Missing() == 0 {
		o.Hands = diagram.AttackerHand
	}
	d, err := diagram.Draw(&p.Position, o)
	if err != nil {
		panic(err) // the options are right
	}
	_, height = d.Size()
	return template.HTML(d.AppendInline(nil, outlines)), height
}

// Solution is the solution of a problem without its heading: the line, and below it the footnotes.
func Solution(p *Problem, language string) (template.HTML, error) {
	var out strings.Builder
	err := page().ExecuteTemplate(&out, "solution", newSolution(p, language, true))
	return template.HTML(out.String()), err
}

// Moves is the line of a problem alone.
func Moves(p *Problem, language string) template.HTML {
	var out strings.Builder
	if err := page().ExecuteTemplate(&out, "moves", p.Moves(language)); err != nil {
		panic(err) // a string takes it all
	}
	return template.HTML(out.String())
}

// A solution is a solution as the template shows it.
type solution struct {
	*Problem
	By, Heading string
	Line        []string
	End         string
	Footnotes   []footnote
}

// A footnote is one in a language.
type footnote struct {
	Sign, Name, Ply string
	Moves           []string
	Defect          bool
}

// newSolution returns one with all footnotes, or with those alone on what is wrong with the whole
// problem.
func newSolution(p *Problem, language string, footnotes bool) *solution {
	s := &solution{Problem: p, By: p.By(language), Heading: p.Length.In(language), Line: p.Moves(language)}
	switch {
	case p.NoMate:
		s.End = noMate.In(language)
	case len(p.Line) == 0:
		s.End = noLine.In(language)
	case p.Unfinished:
	default:
		s.End = report.Until(p.plies()).In(language)
	}
	shown := p.Footnotes
	if !footnotes {
		shown = slices.DeleteFunc(slices.Clone(shown), func(n report.Footnote) bool {
			return n.Mark != report.Fail || n.Ply > 0
		})
	}
	for _, n := range shown {
		if n.SaidBy(shown) {
			continue
		}
		f := footnote{Sign: signs[n.Mark], Name: n.Name.In(language), Moves: movesOf(n.Moves, language),
			Defect: n.Mark == report.Fail}
		if n.Ply > 0 {
			f.Ply = ply.In(language, n.Ply)
		}
		s.Footnotes = append(s.Footnotes, f)
	}
	return s
}

// signs stand before footnotes: a defect must be seen without colour. Others need none.
var signs = map[report.Mark]string{report.Fail: "✗", report.Open: "?"}
