package notation

import (
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// ParseMove reads one move as people write it: "７六歩", "▲同　銀右上成", "5二金打". What it does not
// say, the position has to. previous is the destination of the move before, or shogi.NoSquare. The
// move is legal; if it is not, the error is a *shogi.IllegalError, or says in words what is wrong.
func ParseMove(text string, p *shogi.Position, previous shogi.Square) (shogi.Move, error) {
	text = strings.Trim(text, blanks)
	c, rest := cutMark(text)
	if len(rest) < len(text) && c != p.SideToMove() {
		return shogi.NoMove,
			shogi.NewError("notation", otherMover.With(c, p.SideToMove()))
	}
	w, rest, expected := cutMove(rest, previous)
	if expected != nil {
		return shogi.NoMove,
			shogi.NewError("notation", inMove.With(clip(rest), expected))
	}
	if rest != "" {
		return shogi.NoMove, shogi.NewError("notation", behindMove.With(clip(rest)))
	}
	m, _, why := w.resolve(p)
	if why.Text != nil {
		return shogi.NoMove, shogi.NewError("notation", why)
	}
	if !m.IsDrop() && !w.stays && !p.IsLegal(m) {
		if promoted := shogi.NewPromotion(m.From(), m.To()); p.IsLegal(promoted) {
			m = promoted // it has to, so that it need not be said
		}
	}
	if err := p.Illegal(m); err != nil {
		return shogi.NoMove, err
	}
	return m, nil
}

// CSAName returns the name of a kind of piece in CSA, such as "FU".
func CSAName(t shogi.PieceType) string { return nameOf(t).csa }

// ParseCSAName returns the kind of piece that a name in CSA means.
func ParseCSAName(name string) (shogi.PieceType, bool) {
	t := kindOfCSA(name)
	return t, t != shogi.NoPieceType
}
