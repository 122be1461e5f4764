package movetext

import "github.com/tsumero/tsumero/shogi"

// AppendEnglish appends m, which must be legal in p, as Western books write it (George Hodges'
// notation, https://en.wikipedia.org/wiki/Shogi_notation): the piece, - for a move, x for a capture
// or * for a drop, the square, + or = for promotion or none: "P-7f", "+Rx2d", "G*5b", "S6c-5b=".
// Where several pieces of the kind go to the square, the one that moves is named by its own square;
// as in AppendJapanese those that are pinned count.
func AppendEnglish(dst []byte, p *shogi.Position, m shogi.Move) []byte {
	to := m.To()
	if m.IsDrop() {
		dst = append(append(dst, m.Dropped().String()...), '*')
		return append(dst, to.String()...)
	}
	us, from := p.SideToMove(), m.From()
	kind := p.Piece(from).Type()
	dst = append(dst, kind.String()...)
	if rivals := p.AttackersTo(to, us, p.Occupied()).And(p.PiecesOf(us, kind)); rivals.Len() > 1 {
		dst = append(dst, from.String()...)
	}
	if p.Piece(to) == shogi.NoPiece {
		dst = append(dst, '-')
	} else {
		dst = append(dst, 'x')
	}
	dst = append(dst, to.String()...)
	switch {
	case m.IsPromotion():
		dst = append(dst, '+')
	case kind.CanPromote() && (shogi.InPromotionZone(us, from) || shogi.InPromotionZone(us, to)):
		dst = append(dst, '=')
	}
	return dst
}

// EnglishLine returns the moves, each legal after those before it, as AppendEnglish writes them.
func EnglishLine(p shogi.Position, moves []shogi.Move) []string {
	line := make([]string, len(moves))
	for i, m := range moves {
		line[i] = string(AppendEnglish(nil, &p, m))
		p.Do(m)
	}
	return line
}
