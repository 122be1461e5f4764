package compose

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/tsumero/tsumero/shogi"
)

// PlaceOptions are what is asked of Place. Either pieces of the diagram are moved, or pieces are added.
type PlaceOptions struct {
	Search
	Position shogi.Position // White holds what is neither on the board nor in Black's hand
	Moved    []shogi.Square // of one piece of the diagram, or two
	Pieces   []shogi.Piece  // or: each of them may be added
	Added    int            // as many of them at once, 1 or 2
	Squares  shogi.Bitboard // where they may stand; none: wherever nothing stands
}

// placePart is how many figures are a part.
const placePart = 64

// A placing is the figures of a Place: the diagram without what is moved, and each pair of a piece and a
// square for each piece that is placed.
type placing struct {
	base   shogi.Setup
	places [][]placed // for each piece that is placed
	alike  bool       // the lists are equal, so that the order of the two does not count
}

// placed is a piece and where it is put.
type placed struct {
	square shogi.Square
	piece  shogi.Piece
}

func (o *PlaceOptions) placing() (*placing, error) {
	p, err := diagram(o.Position)
	if err != nil {
		return nil, err
	}
	y := &placing{base: p.Setup()}
	if (len(o.Moved) == 0) == (len(o.Pieces) == 0) {
		return nil, newFault("either pieces of the diagram are moved or pieces are added",
			"動かす駒か加える駒のどちらかを指定してください。")
	}
	if len(o.Moved) > 2 || len(o.Pieces) > 0 && (o.Added < 1 || o.Added > 2) {
		return nil, newFault("one piece or two can be placed at once, no more", "同時に置ける駒は二枚までです。")
	}
	if len(o.Moved) == 2 && o.Moved[0] == o.Moved[1] {
		return nil, newFault("the piece on %s is named twice", "%sの駒が重複しています。", o.Moved[0])
	}
	for _, sq := range o.Moved {
		if y.base.Board[sq] == shogi.NoPiece {
			return nil, newFault("no piece stands on %s", "%sに駒がありません。", sq)
		}
	}
	free := o.Squares
	if free.IsEmpty() {
		free = p.Occupied().Not()
		for _, sq := range o.Moved {
			free = free.With(sq)
		}
	}
	for sq := range free.And(p.Occupied()).All() {
		if !slices.Contains(o.Moved, sq) {
			return nil, newFault("%s is not free: a piece stands there", "%sは空いていません。", sq)
		}
	}
	if !o.Box.IsEmpty() {
		free = free.And(o.Box)
	}
	for _, sq := range o.Moved {
		y.places = append(y.places, placesOf([]shogi.Piece{y.base.Board[sq]}, free))
	}
	for _, sq := range o.Moved {
		y.base.Board[sq] = shogi.NoPiece
	}
	if len(o.Moved) == 2 {
		y.alike = p.Piece(o.Moved[0]) == p.Piece(o.Moved[1])
	}
	pieces := slices.Clone(o.Pieces)
	slices.Sort(pieces)
	pieces = slices.Compact(pieces)
	for _, pc := range pieces {
		if err := y.canAdd(&p, pc); err != nil {
			return nil, err
		}
	}
	if len(pieces) > 0 {
		y.places = slices.Repeat([][]placed{placesOf(pieces, free)}, o.Added)
		y.alike = true
	}
	return y, fits(y.count(), "name fewer squares or pieces, or place one piece at a time")
}

// canAdd returns why there can be no such piece more.
func (y *placing) canAdd(p *shogi.Position, pc shogi.Piece) error {
	base := pc.Type().Base()
	switch {
	case base == shogi.King && p.King(pc.Color()) != shogi.NoSquare:
		return newFault("a king of that side stands on %s already", "玉は%sにあります。", p.King(pc.Color()))
	case base != shogi.King && !p.Hand(shogi.White).Has(base):
		return newFault("no %s is left to add: board and Black's hand have all %d", "%[1]sは残っていません（全%[2]d枚）。", pc,
			shogi.FullSet[base])
	}
	return nil
}

// placesOf returns where the pieces can stand on their own.
func placesOf(pieces []shogi.Piece, free shogi.Bitboard) (list []placed) {
	for _, pc := range pieces {
		for sq := range free.All() {
			if !shogi.IsDead(pc.Color(), pc.Type(), sq) {
				list = append(list, placed{sq, pc})
			}
		}
	}
	return list
}

// count returns how many figures there are.
func (y *placing) count() float64 {
	n := float64(len(y.places[0]))
	switch {
	case len(y.places) == 1:
		return n
	case y.alike:
		return n * (n - 1) / 2
	}
	return n * float64(len(y.places[1]))
}

// at returns the figure of a number: the pieces and their squares.
func (y *placing) at(i int) []placed {
	switch {
	case len(y.places) == 1:
		return y.places[0][i : i+1]
	case !y.alike:
		n := len(y.places[1])
		return []placed{y.places[0][i/n], y.places[1][i%n]}
	}
	// Pairs of two different ones of a list: (0,1), (0,2), (1,2), (0,3) …
	second := int(math.Sqrt(2*float64(i)+0.25) + 0.5)
	return []placed{y.places[0][i-second*(second-1)/2], y.places[0][second]}
}

// figure returns the diagram with the pieces put on it, White holding the rest.
func (y *placing) figure(list []placed) (p shogi.Position, ok bool) {
	s := y.base
	s.Hands[shogi.White] = 0
	for _, l := range list {
		if s.Board[l.square] != shogi.NoPiece {
			return p, false
		}
		s.Board[l.square] = l.piece
	}
	p, err := s.Position()
	if err != nil {
		return p, false
	}
	p.GiveMissing(shogi.White)
	return p, true
}

// Count returns how many figures there are, and an error if they are too many or cannot be. Those with
// two pawns on a file and the like are among them.
func (o *PlaceOptions) Count() (int, error) {
	y, err := o.placing()
	if err != nil {
		return 0, err
	}
	return int(y.count()), nil
}

// Place yields the sound problems that a diagram makes with one piece or two placed otherwise: pieces
// of the diagram moved anywhere (駒位置サーチ), or pieces added (置駒サーチ).
func Place(ctx context.Context, o PlaceOptions) (iter.Seq[Problem], error) {
	y, err := o.placing()
	if err != nil {
		return nil, err
	}
	n := int(y.count())
	return o.run(ctx, space{parts: (n + placePart - 1) / placePart, figures: n, effort: thorough,
		search: func(ctx context.Context, e *examiner, part int, f *found) {
			for i := part * placePart; i < min((part+1)*placePart, n) && ctx.Err() == nil; i++ {
				p, ok := y.figure(y.at(i))
				if !ok {
					f.add(Problem{}, Impossible)
					continue
				}
				f.add(e.examine(ctx, p, new(known)))
			}
		}}), nil
}

// Parts returns in how many parts so many figures are looked at.
func (o *PlaceOptions) Parts(figures int) int { return (figures + placePart - 1) / placePart }
