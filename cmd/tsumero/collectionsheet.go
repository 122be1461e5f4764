package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/threat"
	"github.com/tsumero/tsumero/web/sheet"
)

// sheetFlags are those of a sheet of diagrams.
type sheetFlags struct {
	title, perPage, paper, solutions string
}

// sheetFlagNames are their names.
var sheetFlagNames = []string{"title", "per-page", "paper", "solutions"}

func (f *sheetFlags) add(l cli.Language, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.title, "title", "",
		l.Text("`TITLE` of the collection (html and folder only; default: how many problems it has)",
			"作品集の題 `TITLE`（html、folder のみ。既定：作品の数）"))
	command.ChoiceFlag(cmd, &f.perPage, "per-page", "", "6", sheet.PerPage,
		l.Text("print `N` diagrams a page: "+strings.Join(sheet.PerPage, ", ")+" (html only)", "一ページの図面の数 `N`："+strings.Join(sheet.PerPage, "、")+"（html のみ）"))
	command.ChoiceFlag(cmd, &f.paper, "paper", "", "A4", sheet.Papers,
		l.Text("`SIZE` of the paper: A4, B5 (that of Japan) or Letter (html only)",
			"用紙 `SIZE`：A4、B5（JIS）、Letter（html のみ）"))
	command.ChoiceFlag(cmd, &f.solutions, "solutions", "", string(sheet.AtEnd), sheet.Placings,
		l.Text("`WHERE` solutions are: end, behind all diagrams; upside-down, below those of their page; sheet, on "+
			"a page behind each, its back if both sides are printed; none (html only)",
			"解答の場所 `WHERE`：end は巻末、upside-down は同じページの下に逆さ、sheet は次のページ"+
				"（両面印刷なら裏）、none はなし（html のみ）"))
}

// page returns what collects a sheet; nil if the output is another.
func (f *sheetFlags) page(cmd *cobra.Command, check *command.Checks, output string) cli.CollectionPage {
	check.Choices(sheetFlagNames[1:]...)
	if output != "html" {
		for _, name := range sheetFlagNames {
			shared := name == "title"
			en, ja := "--%s is for --output html alone", "--%s は --output html 用です。"
			if shared {
				en, ja = "--%s is for --output html and folder alone", "--%s は --output html、folder 用です。"
			}
			check.Fault(cmd.Flags().Changed(name) && !(shared && output == "folder"), en, ja, name)
		}
		return nil
	}
	perPage, _ := strconv.Atoi(f.perPage)
	return &sheetPage{options: sheet.Options{Title: strings.TrimSpace(f.title), Language: string(command.LanguageOf(cmd)),
		PerPage: perPage, Paper: sheet.PaperOf(f.paper), Solutions: sheet.Placing(f.solutions)}}
}

// A sheetPage is a collection as a sheet of diagrams.
type sheetPage struct {
	options  sheet.Options
	problems []sheet.Problem
}

func (s *sheetPage) Add(p *cli.Listed) {
	remark := func(all *[]sheet.Remark, text string) {
		*all = append(*all, sheet.Remark{Number: p.Number, Text: text})
	}
	if p.Fault != nil {
		remark(&s.options.Faulty, faultOf(p, s.options.Language))
		return
	}
	if text := relationsOf(p, s.options.Language); text != "" {
		remark(&s.options.Alike, text)
	}
	s.problems = append(s.problems, newSheetProblem(p))
}

func (s *sheetPage) Write(out io.Writer, _ bool) error {
	return sheet.Write(out, s.problems, s.options)
}

// maxFootnotes is how many cooks, and how many variations, stand below a solution.
const maxFootnotes = 6

// newSheetProblem returns what is printed of a problem that has no fault.
func newSheetProblem(p *cli.Listed) sheet.Problem {
	s := sheet.Problem{Number: p.Number, Title: p.Title, Author: p.Author, Position: p.Problem.Position,
		Line: p.Problem.Line}
	// Of a game, the checks end with a reply of the defender: the move after it gave none.
	s.Unfinished = len(s.Line)%2 == 0
	said := p.Plies
	if said == 0 && p.Given && !s.Unfinished {
		said = len(s.Line)
	}
	if len(p.Themes) > 0 {
		s.Footnotes = []report.Footnote{{Name: report.ThemesText(p.Themes)}}
	}
	if r := p.Brinkmate; r != nil {
		s.Line, s.Unfinished, s.Footnotes = nil, true, nil
		if r.Verdict == threat.Brinkmate {
			s.Line = r.Line
		}
		s.Length = report.BrinkmateText(r)
		return s
	}
	a := p.Report
	if a == nil {
		if said > 0 {
			s.Length = report.MateIn(length.Exactly(said))
		}
		return s
	}
	w := report.Of(a)
	s.Length, s.Footnotes = w.Headline(), append(w.Footnotes(maxFootnotes), s.Footnotes...)
	switch {
	case a.Verdict == solver.NoMate:
		s.Unfinished, s.NoMate = true, true
	case a.Verdict == solver.Unknown && said > 0:
		s.Length = report.Unverified(report.MateIn(length.Exactly(said)))
	case len(a.Line.Moves) > 0:
		s.Line, s.Unfinished = a.Line.Moves, false
		if a.Line.Given && a.Author != nil {
			s.Plies = a.Author.Plies
		}
	}
	return s
}

// maxFault is how much of a fault is printed, in characters.
const maxFault = 200

// faultOf says what is wrong with a problem, and where it is.
func faultOf(p *cli.Listed, language string) string {
	why := p.Fault.Error()
	if m, ok := shogi.MessageOf(p.Fault); ok {
		why = report.Text{Ja: m.Japanese(), En: m.String()}.In(language)
	}
	if text := []rune(why); len(text) > maxFault {
		why = string(text[:maxFault]) + "…"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s: %s", shogi.VisibleLine(p.File), p.Where, why))
}

// relationsOf says what a problem is to earlier ones.
func relationsOf(p *cli.Listed, language string) string {
	var parts []string
	for r := collection.Duplicate; r < collection.NumRelations; r++ {
		var others []string
		for _, m := range p.Relations {
			if m.Relation == r {
				for i := range m.Count {
					others = append(others, strconv.Itoa(m.ID+i))
				}
			}
		}
		if len(others) > 0 {
			parts = append(parts, report.Relation(r, strings.Join(others, ", ")).In(language))
		}
	}
	return strings.Join(parts, map[string]string{"ja": "、", "en": "; "}[language])
}
