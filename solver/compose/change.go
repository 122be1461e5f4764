package compose

import (
	"cmp"
	"slices"

	"github.com/tsumero/tsumero/shogi"
)

// A ChangeKind is what one change of a diagram does.
type ChangeKind uint8

const (
	Moved        ChangeKind = iota // the piece on From stands on To
	Added                          // Piece is put on To, from White's hand
	Removed                        // the piece on From is taken away, into White's hand
	Replaced                       // Piece stands on From instead of what does, of the same side where a cook is mended
	HandAdded                      // Black has Piece in hand, from White's
	HandRemoved                    // Black has it no more
	ShiftedBy                      // everything on the board stands Files further left and Ranks further down
	HandReplaced                   // Black has Piece in hand instead of Old
	MoveReplaced                   // move number Ply of the line is Move
)

// String returns "moved", "added", "removed", "replaced", "hand_added", "hand_removed", "shifted",
// "hand_replaced" or "move_replaced".
func (k ChangeKind) String() string {
	return [...]string{"moved", "added", "removed", "replaced", "hand_added", "hand_removed", "shifted", "hand_replaced",
		"move_replaced"}[k]
}

// A Change is one change of a diagram. What is not said of its kind is zero.
type Change struct {
	Kind         ChangeKind
	Old          shogi.Piece // on From, or in hand, before
	Piece        shogi.Piece // after
	From, To     shogi.Square
	Files, Ranks int
	Ply          int // of the line, from 1 on
	Move         shogi.Move
	move         moveText
}

// A moveText is a move in words.
type moveText struct{ english, japanese string }

func (t moveText) String() string   { return t.english }
func (t moveText) Japanese() string { return t.japanese }

var changeTexts = [...]*shogi.Text{
	Moved:        shogi.NewText("moved", "the %[3]s on %[1]s to %[2]s", "%[1]sの%[3]sを%[2]sに"),
	Added:        shogi.NewText("added", "a %[4]s of %[5]s on %[2]s", "%[2]sに%[5]sの%[4]sを置く"),
	Removed:      shogi.NewText("removed", "without the %[3]s on %[1]s", "%[1]sの%[3]sを除く"),
	Replaced:     shogi.NewText("replaced", "a %[4]s for the %[3]s on %[1]s", "%[1]sの%[3]sを%[4]sに"),
	HandAdded:    shogi.NewText("hand_added", "a %[4]s more in hand", "持駒に%[4]sを加える"),
	HandRemoved:  shogi.NewText("hand_removed", "a %[4]s fewer in hand", "持駒の%[4]sを除く"),
	HandReplaced: shogi.NewText("hand_replaced", "a %[4]s for a %[3]s in hand", "持駒の%[3]sを%[4]sに"),
	MoveReplaced: shogi.NewText("move_replaced", "move %[6]d is %[7]s", "%[6]d手目は%[7]s"),
}

// turnedText is Replaced by a piece of the other side.
var turnedText = shogi.NewText("replaced", "a %[4]s of %[5]s for the %[3]s on %[1]s", "%[1]sの%[3]sを%[5]sの%[4]sに")

var (
	shiftText = shogi.NewText("shifted", "everything %s", "全体を%s")
	ranksText = shogi.NewText("ranks", "%d down", "下に%d")
	upText    = shogi.NewText("ranks_up", "%d up", "上に%d")
	filesText = shogi.NewText("files", "%d to the left", "左に%d")
	rightText = shogi.NewText("files_right", "%d to the right", "右に%d")
	bothText  = shogi.NewText("files_ranks", "%s and %s", "%s・%s")
	sideTexts = [...]*shogi.Text{shogi.NewText("attacker", "the attacker", "攻方"),
		shogi.NewText("defender", "the defender", "玉方")}
)

// Message says the change in words, such as "the pawn on 5c to 5d" and 5三の歩を5四に.
func (c *Change) Message() shogi.Message {
	if c.Kind != ShiftedBy {
		text := changeTexts[c.Kind]
		if c.Kind == Replaced && c.Old.Color() != c.Piece.Color() {
			text = turnedText
		}
		return text.With(c.From, c.To, c.Old.Type(), c.Piece.Type(), sideTexts[c.Piece.Color()], c.Ply, c.move)
	}
	var parts []shogi.Message
	if c.Files > 0 {
		parts = append(parts, filesText.With(c.Files))
	} else if c.Files < 0 {
		parts = append(parts, rightText.With(-c.Files))
	}
	if c.Ranks > 0 {
		parts = append(parts, ranksText.With(c.Ranks))
	} else if c.Ranks < 0 {
		parts = append(parts, upText.With(-c.Ranks))
	}
	if len(parts) == 2 {
		return shiftText.With(bothText.With(parts[0], parts[1]))
	}
	return shiftText.With(parts[0])
}

// A layout is a diagram being changed, and the line that it is to have: where a piece moves that was
// put elsewhere, it comes from there.
type layout struct {
	setup shogi.Setup
	line  []shogi.Move
}

// apply makes the change. It returns false if it cannot be made: the squares are taken, or the pieces are
// not there. Whether the result is a position is another question.
func (l *layout) apply(c *Change) bool {
	s := &l.setup
	white := &s.Hands[shogi.White]
	take := func(t shogi.PieceType) bool {
		if !white.Has(t.Base()) {
			return false
		}
		*white = white.Remove(t.Base(), 1)
		return true
	}
	switch c.Kind {
	case Moved:
		if s.Board[c.From] != c.Old || s.Board[c.To] != shogi.NoPiece {
			return false
		}
		s.Board[c.From], s.Board[c.To] = shogi.NoPiece, c.Old
		l.line = movedFrom(l.line, c.From, c.To)
	case Added:
		if s.Board[c.To] != shogi.NoPiece || !take(c.Piece.Type()) {
			return false
		}
		s.Board[c.To] = c.Piece
	case Removed:
		if s.Board[c.From] != c.Old {
			return false
		}
		s.Board[c.From] = shogi.NoPiece
		*white = white.Add(c.Old.Type().Base(), 1)
	case Replaced:
		if s.Board[c.From] != c.Old || c.Old.Type().Base() != c.Piece.Type().Base() && !take(c.Piece.Type()) {
			return false
		}
		if c.Old.Type().Base() != c.Piece.Type().Base() {
			*white = white.Add(c.Old.Type().Base(), 1)
		}
		s.Board[c.From] = c.Piece
	case HandAdded:
		if !take(c.Piece.Type()) {
			return false
		}
		s.Hands[shogi.Black] = s.Hands[shogi.Black].Add(c.Piece.Type(), 1)
	case HandRemoved:
		if !s.Hands[shogi.Black].Has(c.Piece.Type()) {
			return false
		}
		s.Hands[shogi.Black] = s.Hands[shogi.Black].Remove(c.Piece.Type(), 1)
		*white = white.Add(c.Piece.Type(), 1)
	case HandReplaced:
		return l.apply(&Change{Kind: HandRemoved, Piece: c.Old}) && l.apply(&Change{Kind: HandAdded, Piece: c.Piece})
	case ShiftedBy:
		return l.shift(c.Files, c.Ranks)
	}
	return true
}

// swap exchanges what two squares have.
func (l *layout) swap(a, b shogi.Square) {
	l.setup.Board[a], l.setup.Board[b] = l.setup.Board[b], l.setup.Board[a]
}

// movedFrom returns the line with the first move from a square made from another.
func movedFrom(line []shogi.Move, from, to shogi.Square) []shogi.Move {
	i := slices.IndexFunc(line, func(m shogi.Move) bool { return !m.IsDrop() && m.From() == from })
	if i < 0 {
		return line
	}
	line = slices.Clone(line)
	line[i] = between(line[i], to, line[i].To())
	return line
}

// between returns the move made between other squares, from that one if it is no drop.
func between(m shogi.Move, from, to shogi.Square) shogi.Move {
	switch {
	case m.IsDrop():
		return shogi.NewDrop(m.Dropped(), to)
	case m.IsPromotion():
		return shogi.NewPromotion(from, to)
	}
	return shogi.NewMove(from, to)
}

// shift moves everything on the board, and the line, so far to the left and down.
func (l *layout) shift(files, ranks int) bool {
	var board [shogi.NumSquares]shogi.Piece
	for sq, pc := range l.setup.Board {
		if pc == shogi.NoPiece {
			continue
		}
		to, ok := shiftedBy(shogi.Square(sq), files, ranks)
		if !ok {
			return false
		}
		board[to] = pc
	}
	line := slices.Clone(l.line)
	for i, m := range line {
		to, ok := shiftedBy(m.To(), files, ranks)
		from := shogi.NoSquare
		if ok && !m.IsDrop() {
			from, ok = shiftedBy(m.From(), files, ranks)
		}
		if !ok {
			return false
		}
		line[i] = between(m, from, to)
	}
	l.setup.Board, l.line = board, line
	return true
}

func shiftedBy(sq shogi.Square, files, ranks int) (shogi.Square, bool) {
	f, r := int(sq.File())+files, int(sq.Rank())+ranks
	if f < 0 || f > 8 || r < 0 || r > 8 {
		return shogi.NoSquare, false
	}
	return shogi.SquareAt(shogi.File(f), shogi.Rank(r)), true
}

// A ranked change has what it costs: the less, the nearer is the diagram to what it was, and the more
// natural.
type ranked struct {
	Change
	cost int
}

// changesOf returns every single change of a diagram, the most natural first.
func changesOf(p *shogi.Position) []ranked {
	s := p.Setup()
	king := p.King(shogi.White)
	var list []ranked
	add := func(cost int, c Change) { list = append(list, ranked{c, cost}) }
	for _, t := range kinds {
		if s.Hands[shogi.Black].Has(t) {
			add(10, Change{Kind: HandRemoved, Piece: shogi.PieceOf(shogi.Black, t)})
		}
		if s.Hands[shogi.White].Has(t) {
			add(25, Change{Kind: HandAdded, Piece: shogi.PieceOf(shogi.Black, t)})
		}
	}
	for i, old := range s.Board {
		from := shogi.Square(i)
		if old == shogi.NoPiece {
			for t := shogi.Pawn; t <= shogi.Dragon; t++ {
				if t == shogi.King || !s.Hands[shogi.White].Has(t.Base()) {
					continue
				}
				for _, side := range []shogi.Color{shogi.White, shogi.Black} {
					if !shogi.IsDead(side, t, from) {
						add(20+oddness(side, t)+max(from.Distance(king)-2, 0)+5*int(side^1),
							Change{Kind: Added, Piece: shogi.PieceOf(side, t), To: from})
					}
				}
			}
			continue
		}
		side, kind := old.Color(), old.Type()
		for j, there := range s.Board {
			to := shogi.Square(j)
			if there != shogi.NoPiece || shogi.IsDead(side, kind, to) {
				continue
			}
			cost := 14 + from.Distance(to)
			if kind == shogi.King {
				cost += 15
			}
			add(cost, Change{Kind: Moved, Old: old, Piece: old, From: from, To: to})
		}
		if kind == shogi.King {
			continue
		}
		add(12, Change{Kind: Removed, Old: old, From: from})
		for t := shogi.Pawn; t <= shogi.Dragon; t++ {
			if t == shogi.King || t == kind || shogi.IsDead(side, t, from) ||
				t.Base() != kind.Base() && !s.Hands[shogi.White].Has(t.Base()) {
				continue
			}
			add(18+oddness(side, t), Change{Kind: Replaced, Old: old, Piece: shogi.PieceOf(side, t), From: from})
		}
	}
	for files := -8; files <= 8; files++ {
		for ranks := -8; ranks <= 8; ranks++ {
			if files != 0 || ranks != 0 {
				add(13+abs(files)+abs(ranks), Change{Kind: ShiftedBy, Files: files, Ranks: ranks})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(a.cost, b.cost) })
	return list
}

// oddness is how seldom a piece is put on a board by authors.
func oddness(side shogi.Color, t shogi.PieceType) int {
	switch {
	case t == shogi.Pawn:
		return 0
	case t == shogi.ProLance, t == shogi.ProKnight, t == shogi.ProSilver, t == shogi.Tokin && side == shogi.White:
		return 20
	case t.Base() == shogi.Rook, t.Base() == shogi.Bishop:
		return 8
	}
	return 4
}
