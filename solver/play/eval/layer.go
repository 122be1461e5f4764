package eval

import "github.com/tsumero/tsumero/shogi"

// A FirstLayer is the weights between the features and the units of a network, integers whose sums
// for a position have to stay within 16 bits.
//
// For speed it holds four units in a word: the sum of four numbers with the weights 1, 2^16, 2^32,
// 2^48. A single addition adds all four: it is exact for the word as a whole, so carries between
// the units cancel as soon as each unit of the result is within 16 bits. To the bias of each unit
// 1<<15 is added, so that no unit of a sum is negative.
type FirstLayer struct {
	words int // a quarter of the units
	bias  []uint64
	rows  []uint64 // for each feature words
}

// NewFirstLayer returns the layer with a bias for each unit and a row of weights for each feature.
// The number of units must be a multiple of four.
func NewFirstLayer(bias, rows []int16) *FirstLayer {
	l := &FirstLayer{words: len(bias) / 4, bias: pack(bias), rows: pack(rows)}
	for i := range l.bias {
		l.bias[i] += topBits
	}
	return l
}

// pack puts four numbers in a word.
func pack(weights []int16) []uint64 {
	words := make([]uint64, len(weights)/4)
	for i, weight := range weights {
		words[i/4] += uint64(int64(weight)) << (i % 4 * 16)
	}
	return words
}

// Words returns how many words the sums of all units have.
func (l *FirstLayer) Words() int { return l.words }

func (l *FirstLayer) row(feature int) []uint64 { return l.rows[feature*l.words:][:l.words] }

// Refresh sets sums, of Words words, to those of p in the view of a side.
func (l *FirstLayer) Refresh(sums []uint64, p *shogi.Position, view shogi.Color) {
	var buf [MaxFeatures]uint16
	copy(sums, l.bias)
	for _, f := range AppendFeatures(buf[:0], p, view) {
		add(sums, l.row(int(f)))
	}
}

// Update sets dst to the sums of a position, in the view of a side, whose src were the sums before
// the move c.
func (l *FirstLayer) Update(dst, src []uint64, c *Change, view shogi.Color) {
	on, now, off, victim, old := c.features(view)
	switch {
	case c.isDrop():
		addDrop(dst, src, l.row(on), l.row(now), l.row(old))
	case c.isCapture():
		addCapture(dst, src, l.row(on), l.row(now), l.row(off), l.row(victim), l.row(old))
	default:
		addMove(dst, src, l.row(on), l.row(off))
	}
}

// A Change is what a move does to the features of a position.
type Change struct {
	move     shogi.Move
	mover    shogi.Piece // as it was before the move
	captured shogi.Piece
	hand     shogi.Hand // of the mover, before the move
}

// ChangeOf returns what m, about to be played in p, does.
func ChangeOf(p *shogi.Position, m shogi.Move) Change {
	us := p.SideToMove()
	c := Change{move: m, captured: p.Piece(m.To()), hand: p.Hand(us)}
	if m.IsDrop() {
		c.mover = shogi.PieceOf(us, m.Dropped())
	} else {
		c.mover = p.Piece(m.From())
	}
	return c
}

func (c *Change) isDrop() bool    { return c.move.IsDrop() }
func (c *Change) isCapture() bool { return c.captured != shogi.NoPiece }

// features returns the features that come, the piece and, with a drop or a capture, the count in
// hand; and those that go, the piece unless it is dropped, the piece that is captured, the count in
// hand.
func (c *Change) features(view shogi.Color) (on, now, off, victim, old int) {
	us, t, to := c.mover.Color(), c.mover.Type(), c.move.To()
	if c.isDrop() {
		old = HandFeature(view, us, t, c.hand.Count(t))
		return PieceFeature(view, c.mover, to), old - 1, 0, 0, old
	}
	after := c.mover
	if c.move.IsPromotion() {
		after = shogi.PieceOf(us, t.Promoted())
	}
	on, off = PieceFeature(view, after, to), PieceFeature(view, c.mover, c.move.From())
	if c.isCapture() {
		t := c.captured.Type().Base()
		old = HandFeature(view, us, t, c.hand.Count(t))
		return on, old + 1, off, PieceFeature(view, c.captured, to), old
	}
	return on, 0, off, 0, 0
}

// material returns by how much the move changes the balance of the material, from Black's view.
func (c *Change) material() int32 {
	change := CaptureValue[c.captured.Type()&15]
	if c.move.IsPromotion() {
		change += PromotionValue[c.mover.Type()&15]
	}
	if c.mover.Color() == shogi.White {
		change = -change
	}
	return change
}
