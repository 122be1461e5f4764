// Package words says in Japanese and English what an analysis of a problem found: one set of
// sentences for the pages, the command line and HTTP.
//
// Two rules hold everywhere. Nothing is called sound, and no problem free of cooks, without how
// many other checks were looked at; and as long as anything is open, nothing is called sound at
// all. That something is not decided is said in plain words, as any other finding.
package words

import (
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/analysis"
)

// A Text is a sentence in both languages.
type Text struct{ Ja, En string }

// A Report writes about an analysis. It reads the analysis, which must not change meanwhile.
type Report struct {
	a    *analysis.Analysis
	line []shogi.Move     // that places are of
	at   []shogi.Position // before each ply of it, and after the last
}

// Of returns what writes about an analysis. Places are of its main line.
func Of(a *analysis.Analysis) *Report { return Along(a, a.Line.Moves) }

// Along is Of for places of another line, whose moves are legal one after the other.
func Along(a *analysis.Analysis, moves []shogi.Move) *Report {
	p := a.Position
	w := &Report{a, moves, append(make([]shogi.Position, 0, len(moves)+1), p)}
	for _, m := range moves {
		p.Do(m)
		w.at = append(w.at, p)
	}
	return w
}

// Japanese returns moves that begin at a ply of the line as Japanese records write them, as many as
// are legal.
func (w *Report) Japanese(ply int, moves ...shogi.Move) []string {
	if ply < 1 || ply > len(w.at) || len(moves) == 0 {
		return nil
	}
	p, legal := w.at[ply-1], 0
	for q := p; legal < len(moves) && q.IsLegal(moves[legal]); legal++ {
		q.Do(moves[legal])
	}
	return notation.JapaneseLine(p, moves[:legal])
}

// move returns a move in both languages. A Report has only moves that are legal at their place; of
// one that is not, the text is USI.
func (w *Report) move(ply int, m shogi.Move) Text { return w.moves(ply, m)[0] }

// moves returns moves, one after the other.
func (w *Report) moves(ply int, moves ...shogi.Move) []Text {
	all := make([]Text, len(moves))
	ja := w.Japanese(ply, moves...)
	var p shogi.Position
	if len(ja) > 0 {
		p = w.at[ply-1]
	}
	for i, m := range moves {
		all[i] = Text{m.String(), m.String()}
		if i < len(ja) {
			all[i] = Text{strings.ReplaceAll(ja[i], "　", ""), English(&p, m)}
			p.Do(m)
		}
	}
	return all
}

// English returns a legal move as Western books write it (Hodges): the piece, - for a move, x for a
// capture or * for a drop, the square, + or = for promotion or none. Where several pieces of the
// kind go to the square, the one that moves is named by its own square.
func English(p *shogi.Position, m shogi.Move) string {
	if m.IsDrop() {
		return m.Dropped().String() + "*" + m.To().String()
	}
	us, from, to := p.SideToMove(), m.From(), m.To()
	kind := p.Piece(from).Type()
	text := kind.String()
	if rivals := p.AttackersTo(to, us, p.Occupied()).And(p.PiecesOf(us, kind)); rivals.Len() > 1 {
		text += from.String()
	}
	if p.Piece(to) == shogi.NoPiece {
		text += "-"
	} else {
		text += "x"
	}
	text += to.String()
	switch {
	case m.IsPromotion():
		text += "+"
	case kind.CanPromote() && (shogi.InPromotionZone(us, from) || shogi.InPromotionZone(us, to)):
		text += "="
	}
	return text
}
