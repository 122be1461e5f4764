package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
)

// maxSubmitted is how many cooks, variations and tries each a submission has. How many more there are
// is said.
const maxSubmitted = 20

// Submission returns the report as the text that goes to a magazine with a problem, in a language, "ja"
// or "en": title and author, where they are known, the length, the diagram (図面), what is found out
// about the problem (検討), its solution (作意), the other checks that mate (余詰), the variations (変化),
// and the tries (紛れ) if the analysis has them. A problem that is not sound, or not known to be, is
// said to be so before its solution.
func Submission(a *analysis.Analysis, language, title, author string) string {
	w := Of(a)
	s := submission{language: language}
	s.field(Text{"作品名", "Title"}, title)
	s.field(Text{"作者", "Author"}, author)
	s.field(Text{"手数", "Length"}, w.Headline().In(language))
	if language == "en" { // whose readers may not read the diagram
		s.field(Text{En: "SFEN"}, a.Position.ProblemSFEN())
	}
	s.out = append(notation.AppendBOD(append(s.out, '\n'), &a.Position), '\n')

	s.section(Text{"検討", "Report"}, append(w.Summary(), ThemesText(a.Themes)))
	for _, line := range w.solutions() {
		s.section(line.name, []Text{line.moves})
	}
	s.footnotes(Text{"余詰", "Other checks that mate"}, w.checkFootnotes(maxSubmitted))
	if a.Parts&analysis.Defence != 0 && a.Verdict == solver.Mate {
		s.footnotes(Text{"変化", "Variations"}, w.replyFootnotes(maxSubmitted, 1), Text{"なし", "none"})
	}
	s.footnotes(Text{"紛れ", "Tries"}, w.tryFootnotes(maxSubmitted))
	return string(s.out)
}

// A submission is one that is being written.
type submission struct {
	language string
	out      []byte
}

func (s *submission) field(name Text, value string) {
	if value = shogi.VisibleLine(strings.Join(strings.Fields(value), " ")); value != "" {
		s.out = append(append(s.out, (Text{name.Ja + "：", name.En + ": "}).In(s.language)+value...), '\n')
	}
}

// section writes lines under a heading, if there are any.
func (s *submission) section(name Text, lines []Text) {
	lines = slices.DeleteFunc(lines, func(t Text) bool { return t.Ja == "" })
	if len(lines) == 0 {
		return
	}
	if !strings.HasSuffix(string(s.out), "\n\n") {
		s.out = append(s.out, '\n')
	}
	for _, t := range append([]Text{{"【" + name.Ja + "】", name.En + ":"}}, lines...) {
		s.out = append(append(s.out, t.In(s.language)...), '\n')
	}
}

// footnotes writes a line for each footnote, or instead what stands for none.
func (s *submission) footnotes(name Text, all []Footnote, none ...Text) {
	lines := make([]Text, len(all))
	for i, f := range all {
		lines[i] = f.Name
		if f.Ply > 0 {
			head := []Text{textf("%d手目", "ply %d", f.Ply)}
			if f.Name.Ja != "" {
				head = append(head, f.Name)
			}
			lines[i] = colon(join(head, " ", ", "), f.Moves)
		}
	}
	if len(lines) == 0 {
		lines = none
	}
	s.section(name, lines)
}

// A namedLine is a line of moves and what it is called.
type namedLine struct{ name, moves Text }

// solutions returns the author's line, if there is one, and the main line where that is another. Of a
// sound problem the main line is the author's, whoever gave it.
func (w *Writer) solutions() (lines []namedLine) {
	a, intended := w.a, Text{"作意", "Solution"}
	until := func(t Text, plies int, mates bool) Text {
		if !mates {
			return t
		}
		return join([]Text{t, Until(plies)}, " ", " ")
	}
	main := a.Line.Moves
	if f := a.Author; f != nil {
		t := Along(a, nil).Printed(1, f.Moves...)
		t = until(t, cmp.Or(f.Plies, len(f.Moves)), f.Finding != analysis.Faulty)
		lines = append(lines, namedLine{intended, t})
		if slices.Equal(f.Moves, main) {
			return lines
		}
		intended = Text{"本手順", "Main line"}
	} else if a.Sound != analysis.Yes {
		intended = Text{"本手順", "Main line"}
	}
	if len(main) > 0 {
		t := join(append([]Text{until(w.Printed(1, main...), len(main), a.Verdict == solver.Mate)},
			LineNotes(a.Line.Raw, a.Line.Leftover)...), "、", ", ")
		lines = append(lines, namedLine{intended, t})
	}
	return lines
}

// tryFootnotes are those on the checks along the main line that do not mate, with the reply that refutes
// each. The tries that took the search longest are the hardest to see through: they are kept.
func (w *Writer) tryFootnotes(most int) (all []Footnote) {
	type try struct {
		ply   int
		check *analysis.OtherCheck
	}
	var found []try
	for i := range w.a.Attack {
		n := &w.a.Attack[i]
		for j := range n.Others {
			if o := &n.Others[j]; o.Class == analysis.Try && len(o.Line) > 1 {
				found = append(found, try{n.Ply, o})
			}
		}
	}
	left := max(len(found)-most, 0)
	slices.SortStableFunc(found, func(a, b try) int { return cmp.Compare(b.check.Nodes, a.check.Nodes) })
	found = found[:len(found)-left]
	slices.SortStableFunc(found, func(a, b try) int { return cmp.Compare(a.ply, b.ply) })
	for _, t := range found {
		moves := w.Printed(t.ply, t.check.Line...)
		moves = Text{moves.Ja + "で詰まない", moves.En + " (no mate)"}
		all = append(all, Footnote{Ply: t.ply, Moves: moves})
	}
	if left > 0 {
		all = append(all, Footnote{Name: Text{fmt.Sprintf("ほかに紛れ%d", left),
			"and " + count(left, "other try", "other tries")}})
	}
	return all
}
