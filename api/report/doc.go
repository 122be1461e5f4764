// Package report says in Japanese and English what was found. It is the only package that words
// a finding: HTTP, the command line, USI, records and pages lay out what it returns.
//
//	terms      what the field calls a rule, a check, a reply, a reason: the tables of names
//	sentences  the report on a problem as whole sentences
//	remarks    short texts that stand beside a move
//	mark       how bad a finding is, and counts of moves by outcome
//	record     the report as a record with variations
//	verdict    the result of a search
//	result     the result of a search as a record
//	phrases    sentences of the pages with gaps for values
//
// Two rules hold everywhere. A problem is called sound, or free of cooks, only together with the
// number of other checks that were decided. And while any check or reply is open, the problem is
// not called sound. That something is not decided is a finding like any other.
package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver/analysis"
)

// A Text is a sentence, or a name, in both languages.
type Text struct{ Ja, En string }

// In returns the text in a language, "ja" or "en".
func (t Text) In(language string) string {
	if language == "en" {
		return t.En
	}
	return t.Ja
}

// textf returns a text with the same values in both languages.
func textf(ja, en string, values ...any) Text {
	return Text{fmt.Sprintf(ja, values...), fmt.Sprintf(en, values...)}
}

// join returns texts one after the other, with a separator for each language between them.
func join(all []Text, ja, en string) Text {
	var t Text
	for i, one := range all {
		if i > 0 {
			t = Text{t.Ja + ja, t.En + en}
		}
		t = Text{t.Ja + one.Ja, t.En + one.En}
	}
	return t
}

// An Item is one finding: for programs a code and its arguments, for people a text that says the
// same.
type Item struct {
	Code string
	Args []any
	Mark Mark
	Text
}

// String returns the code and the arguments, for programs.
func (i Item) String() string {
	text := i.Code
	for _, arg := range i.Args {
		text += " " + fmt.Sprint(arg)
	}
	return text
}

// A Writer puts an analysis into words. The analysis must not change while the Writer is in use.
type Writer struct {
	a    *analysis.Analysis
	line []shogi.Move     // the line that plies count along
	at   []shogi.Position // before each ply of line, and after the last
	// equal names the replies that lead to an equal line, if line is one.
	equal []Text
}

// Of returns a Writer for an analysis, whose plies count along the main line.
func Of(a *analysis.Analysis) *Writer { return Along(a, a.Line.Moves) }

// Along is Of with plies along another line, whose moves must be legal one after the other.
func Along(a *analysis.Analysis, moves []shogi.Move) *Writer {
	p := a.Position
	w := &Writer{a: a, line: moves, at: append(make([]shogi.Position, 0, len(moves)+1), p)}
	for _, m := range moves {
		p.Do(m)
		w.at = append(w.at, p)
	}
	return w
}

// InLine is Of with plies along the line that a Place names: the main line for 0, or an equal line,
// which findings then name.
func (w *Writer) InLine(line int) *Writer {
	if line < 1 || line > len(w.a.EqualLines) {
		return w
	}
	e := &w.a.EqualLines[line-1]
	in := Along(w.a, e.Moves)
	in.equal = append(slices.Clip(w.InLine(e.Reply.Line).equal), in.placeText(e.Reply.Ply, e.Reply.Move))
	return in
}

// InEqual adds the name of the equal line to a sentence.
func (w *Writer) InEqual(t Text) Text {
	if len(w.equal) == 0 {
		return t
	}
	name := join(w.equal, "、", ", ")
	return Text{name.Ja + "の変同では" + t.Ja, "in the equal line with " + name.En + ": " + t.En}
}

// placeText returns a move with its ply.
func (w *Writer) placeText(ply int, m shogi.Move) Text {
	t := w.move(ply, m)
	return Text{fmt.Sprintf("%d手目%s", ply, t.Ja), fmt.Sprintf("ply %d %s", ply, t.En)}
}

// Written returns moves that begin at a ply of the line, in the notation of Japanese records and in
// that of English books. It stops before the first move that is not legal.
func (w *Writer) Written(ply int, moves ...shogi.Move) (ja, en []string) {
	if p, legal := w.legal(ply, moves); len(legal) > 0 {
		return movetext.JapaneseLine(p, legal), movetext.EnglishLine(p, legal)
	}
	return nil, nil
}

// legal returns the position before a ply of the line and those of moves that are legal from there.
func (w *Writer) legal(ply int, moves []shogi.Move) (p shogi.Position, legal []shogi.Move) {
	if ply < 1 || ply > len(w.at) {
		return p, nil
	}
	p = w.at[ply-1]
	n := 0
	for q := p; n < len(moves) && q.IsLegal(moves[n]); n++ {
		q.Do(moves[n])
	}
	return p, moves[:n]
}

// Printed is Line as magazines print moves: "１二飛、２一玉", and in English as there.
func (w *Writer) Printed(ply int, moves ...shogi.Move) Text { return Printed(w.legal(ply, moves)) }

// Printed returns moves from a position on as magazines print them, and as English books do.
func Printed(p shogi.Position, moves []shogi.Move) Text {
	return Text{strings.Join(movetext.PrintedLine(p, moves), "、"),
		strings.Join(movetext.EnglishLine(p, moves), " ")}
}

// Until is what stands behind a line that mates: まで３手詰.
func Until(n int) Text {
	return Text{movetext.PrintedPlies(n) + "詰", "(" + count(n, "ply", "plies") + ")"}
}

// move returns a move in both languages. The moves of an analysis are legal at their ply; should
// one not be, its text is USI.
func (w *Writer) move(ply int, m shogi.Move) Text { return w.moves(ply, m)[0] }

// moveText returns a move that is legal in a position.
func moveText(p *shogi.Position, m shogi.Move) Text {
	ja := string(movetext.AppendJapanese(nil, p, m, shogi.NoSquare))
	return Text{strings.ReplaceAll(ja, "　", ""), string(movetext.AppendEnglish(nil, p, m))}
}

// moves returns moves, one after the other.
func (w *Writer) moves(ply int, moves ...shogi.Move) []Text {
	all := make([]Text, len(moves))
	ja, en := w.Written(ply, moves...)
	for i, m := range moves {
		all[i] = Text{m.String(), m.String()}
		if i < len(ja) {
			all[i] = Text{strings.ReplaceAll(ja[i], "　", ""), en[i]}
		}
	}
	return all
}

// Line returns moves that begin at a ply of the line, one after the other, with spaces between them.
func (w *Writer) Line(ply int, moves ...shogi.Move) Text {
	return join(w.moves(ply, moves...), " ", " ")
}

// Alternatives names moves that may be played at a ply.
func (w *Writer) Alternatives(ply int, moves []shogi.Move) Text {
	all := make([]Text, len(moves))
	for i, m := range moves {
		all[i] = w.move(ply, m)
	}
	return join(all, "、", ", ")
}
