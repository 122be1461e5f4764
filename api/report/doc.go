// Package report says in Japanese and English what was found. It is the only package that words
// a finding: HTTP, the command line, USI, records and pages lay out what it returns.
//
// Two rules hold everywhere. Nothing is called sound, and no problem free of cooks, without how
// many other checks were looked at; and as long as anything is open, nothing is called sound at
// all. That something is not decided is said in plain words, as any other finding.
package report

import (
	"fmt"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
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

// join returns texts one after the other.
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

// An Item is one thing that was found: for programs a code and its arguments, for people a text
// that is made from them.
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

// A Writer writes about an analysis. It reads the analysis, which must not change meanwhile.
type Writer struct {
	a    *analysis.Analysis
	line []shogi.Move     // that places are of
	at   []shogi.Position // before each ply of it, and after the last
}

// Of returns what writes about an analysis. Places are of its main line.
func Of(a *analysis.Analysis) *Writer { return Along(a, a.Line.Moves) }

// Along is Of for places of another line, whose moves are legal one after the other.
func Along(a *analysis.Analysis, moves []shogi.Move) *Writer {
	p := a.Position
	w := &Writer{a, moves, append(make([]shogi.Position, 0, len(moves)+1), p)}
	for _, m := range moves {
		p.Do(m)
		w.at = append(w.at, p)
	}
	return w
}

// Written returns moves that begin at a ply of the line as records in Japanese and books in English
// write them, as many as are legal.
func (w *Writer) Written(ply int, moves ...shogi.Move) (ja, en []string) {
	if ply < 1 || ply > len(w.at) || len(moves) == 0 {
		return nil, nil
	}
	p, legal := w.at[ply-1], 0
	for q := p; legal < len(moves) && q.IsLegal(moves[legal]); legal++ {
		q.Do(moves[legal])
	}
	return notation.JapaneseLine(p, moves[:legal]), notation.EnglishLine(p, moves[:legal])
}

// move returns a move in both languages. A Writer has only moves that are legal at their place; of
// one that is not, the text is USI.
func (w *Writer) move(ply int, m shogi.Move) Text { return w.moves(ply, m)[0] }

// moveText returns a move that is legal in a position.
func moveText(p *shogi.Position, m shogi.Move) Text {
	ja := string(notation.AppendJapanese(nil, p, m, shogi.NoSquare))
	return Text{strings.ReplaceAll(ja, "　", ""), string(notation.AppendEnglish(nil, p, m))}
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
