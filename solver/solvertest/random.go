package solvertest

import (
	"math/rand/v2"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Random makes random mate problems. Equal seeds and streams give equal problems.
type Random struct {
	rng    *rand.Rand
	game   shogi.Position
	plies  int // left to play in game
	moves  shogi.MoveBuffer
	checks shogi.MoveBuffer
}

// NewRandom returns the given stream of problems of the seed.
func NewRandom(seed, stream uint64) *Random {
	return RandomFrom(rand.New(rand.NewPCG(seed, stream)))
}

// RandomFrom returns the problems that such random numbers make.
func RandomFrom(rng *rand.Rand) *Random { return &Random{rng: rng} }

// Next returns a problem of any kind. solver.Attacker knows who attacks in it.
func (r *Random) Next() shogi.Position {
	switch r.rng.IntN(8) {
	case 0:
		return r.Game()
	case 1:
		return r.Crowded()
	}
	return r.Interposition()
}

// Interposition returns a problem around a check from afar that the defender may answer by
// interposing (合い駒): with the slider there and the defender to move, or with the slider in hand
// or on its way and the attacker to move. Most kings have hardly a square to go to, so that the
// interpositions decide.
func (r *Random) Interposition() shogi.Position {
	for {
		if p, ok := r.interposition(); ok {
			return r.eitherColour(p)
		}
	}
}

// Crowded returns a problem with most pieces within three squares of the king: pinned, discovering
// and doubly checking ones abound.
func (r *Random) Crowded() shogi.Position {
	for {
		if p, ok := r.crowded(); ok {
			return r.eitherColour(p)
		}
	}
}

// Game returns the next position of a random game in which checks and captures are played more
// often than they come.
func (r *Random) Game() shogi.Position {
	for {
		if r.plies == 0 {
			r.game, r.plies = shogi.Start(), 200
		}
		moves := r.game.LegalMoves(&r.moves, shogi.AllMoves)
		if len(moves) == 0 {
			r.plies = 0
			continue
		}
		r.plies--
		m := moves[r.rng.IntN(len(moves))]
		checks := r.game.Checks(&r.checks, shogi.AllMoves)
		for range 3 {
			if r.game.Piece(m.To()) != shogi.NoPiece || m.IsPromotion() {
				break
			}
			m = moves[r.rng.IntN(len(moves))]
		}
		if len(checks) > 0 && r.rng.IntN(3) == 0 {
			m = checks[r.rng.IntN(len(checks))]
		}
		r.game.Do(m)
		return r.game
	}
}

// Chase returns a problem with little but a king, most often at an edge, and a few strong pieces,
// so that checks go round and round.
func (r *Random) Chase() shogi.Position {
	for {
		if p, ok := r.chase(); ok {
			return r.eitherColour(p)
		}
	}
}

// Crossfire returns a position in which sliders of both sides look at both kings, with a piece or
// two in between: pieces are pinned, uncover a check, or both at once. Either side may be to move.
// It is not a problem.
func (r *Random) Crossfire() shogi.Position {
	for {
		if p, ok := r.crossfire(); ok {
			return p
		}
	}
}

// Entered returns a position in which a king has most often entered the other camp, with about as
// many pieces there and points as a declaration (入玉宣言) asks for. It is not a problem.
func (r *Random) Entered() shogi.Position {
	for {
		if p, ok := r.entered(); ok {
			return r.eitherColour(p)
		}
	}
}

func (r *Random) eitherColour(p shogi.Position) shogi.Position {
	if r.rng.IntN(2) == 0 {
		return p.Rotated()
	}
	return p
}

// A diagram is a position being put together. Black attacks.
type diagram struct {
	shogi.Setup
	rng  *rand.Rand
	left [shogi.King]int // pieces not yet placed
	keep shogi.Bitboard  // squares that stay empty
}

func (r *Random) diagram() diagram {
	return diagram{Setup: shogi.Setup{Side: shogi.Black, Ply: 1}, rng: r.rng, left: shogi.FullSet}
}

// put places a piece unless something speaks against it.
func (d *diagram) put(sq shogi.Square, c shogi.Color, kind shogi.PieceType) bool {
	if !sq.IsValid() || d.keep.Has(sq) || d.Board[sq] != shogi.NoPiece || shogi.IsDead(c, kind, sq) {
		return false
	}
	if kind != shogi.King {
		if d.left[kind.Base()] == 0 {
			return false
		}
		d.left[kind.Base()]--
	}
	d.Board[sq] = shogi.PieceOf(c, kind)
	return true
}

// piece returns a random kind, promoted or not, king left out.
func (d *diagram) piece() shogi.PieceType {
	kind := shogi.Pawn + shogi.PieceType(d.rng.IntN(int(shogi.Gold)))
	if kind.CanPromote() && d.rng.IntN(3) == 0 {
		return kind.Promoted()
	}
	return kind
}

// near returns a square at most the given number of files and ranks from sq, NoSquare if it is off
// the board.
func (d *diagram) near(sq shogi.Square, reach int) shogi.Square {
	file := int(sq.File()) + d.rng.IntN(2*reach+1) - reach
	rank := int(sq.Rank()) + d.rng.IntN(2*reach+1) - reach
	if file < 0 || file > 8 || rank < 0 || rank > 8 {
		return shogi.NoSquare
	}
	return shogi.SquareAt(shogi.File(file), shogi.Rank(rank))
}

// aim places a slider of c on a line with sq, near or far.
func (d *diagram) aim(sq shogi.Square, c shogi.Color) {
	from := d.anywhere()
	if !sq.IsValid() || shogi.RayThrough(from, sq).IsEmpty() {
		return
	}
	kind := shogi.Bishop
	if from.File() == sq.File() || from.Rank() == sq.Rank() {
		kind = shogi.Rook
		if d.rng.IntN(2) == 0 && shogi.ForwardRay(c, from).Has(sq) {
			kind = shogi.Lance
		}
	}
	if kind != shogi.Lance && d.rng.IntN(3) == 0 {
		kind = kind.Promoted()
	}
	d.put(from, c, kind)
}

func (d *diagram) anywhere() shogi.Square { return shogi.Square(d.rng.IntN(shogi.NumSquares)) }

// deal gives what is left to the hands, each piece with the given chances in a hundred.
func (d *diagram) deal(black, white int) {
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		for range d.left[kind] {
			switch n := d.rng.IntN(100); {
			case n < black:
				d.Hands[shogi.Black] = d.Hands[shogi.Black].Add(kind, 1)
			case n < black+white:
				d.Hands[shogi.White] = d.Hands[shogi.White].Add(kind, 1)
			}
		}
	}
}

func (r *Random) crowded() (shogi.Position, bool) {
	d := r.diagram()
	king := d.anywhere()
	d.put(king, shogi.White, shogi.King)
	if d.rng.IntN(2) == 0 {
		d.put(d.anywhere(), shogi.Black, shogi.King)
	}
	for range 4 + d.rng.IntN(14) {
		d.put(d.near(king, 2+d.rng.IntN(4)), shogi.Color(d.rng.IntN(2)), d.piece())
	}
	d.deal(d.rng.IntN(40), d.rng.IntN(60))
	p, err := d.Position()
	return p, err == nil
}

func (r *Random) interposition() (shogi.Position, bool) {
	d := r.diagram()
	king := d.anywhere()
	switch d.rng.IntN(4) { // most kings stand at an edge, where they have fewer squares
	case 0:
		king = shogi.SquareAt(shogi.File(8*d.rng.IntN(2)), king.Rank())
	case 1:
		king = shogi.SquareAt(king.File(), shogi.Rank(8*d.rng.IntN(2)))
	case 2:
		king = shogi.SquareAt(shogi.File(8*d.rng.IntN(2)), shogi.Rank(8*d.rng.IntN(2)))
	}
	d.put(king, shogi.White, shogi.King)

	// The slider, three squares away or more, and nothing between.
	checker := d.anywhere()
	line := shogi.Between(king, checker)
	if line.Len() < 2 {
		return shogi.Position{}, false
	}
	kind := shogi.Bishop
	if king.File() == checker.File() || king.Rank() == checker.Rank() {
		kind = shogi.Rook
		if d.rng.IntN(3) == 0 && shogi.ForwardRay(shogi.Black, checker).Has(king) {
			kind = shogi.Lance
		}
	}
	checking := kind
	if kind != shogi.Lance && d.rng.IntN(3) == 0 {
		checking = kind.Promoted()
	}
	d.put(checker, shogi.Black, checking)
	d.keep = line

	for range d.rng.IntN(8) {
		d.put(d.near(king, 1), shogi.White, d.piece())
	}
	for range d.rng.IntN(4) {
		d.put(d.near(king, 3), shogi.White, d.piece())
	}
	for range 1 + d.rng.IntN(5) {
		d.put(d.near(king, 2), shogi.Black, d.piece())
	}
	for range d.rng.IntN(4) {
		d.put(d.anywhere(), shogi.Color(d.rng.IntN(2)), d.piece())
	}
	// Lines that an interposition or the move away from one may cut or open: at the squares around
	// the king, at the king itself, where they pin, and at the attacker's king.
	for range d.rng.IntN(5) {
		d.aim(d.near(king, 1), shogi.Black)
	}
	for range d.rng.IntN(3) {
		d.aim(d.near(king, 1), shogi.White)
	}
	form := d.rng.IntN(3)
	if form != 0 && d.rng.IntN(2) == 0 {
		own := d.anywhere()
		d.put(own, shogi.Black, shogi.King)
		for range d.rng.IntN(4) {
			d.aim(own, shogi.White)
		}
	}
	hands := [...]int{0, 5, 30, 100}
	d.deal(d.rng.IntN(12), hands[d.rng.IntN(len(hands))])

	d.Side = shogi.White
	after, err := d.Position()
	if err != nil {
		return shogi.Position{}, false
	}
	// Where the king can walk or the slider be taken, interpositions seldom matter.
	simple := 0
	for _, m := range after.Evasions(&r.moves, shogi.AllMoves) {
		if !m.IsDrop() && (m.From() == king || m.To() == checker) {
			simple++
		}
	}
	if simple > 0 && d.rng.IntN(8*simple) > 0 {
		return shogi.Position{}, false
	}
	switch form {
	case 0: // the defender is to move
	case 1: // the slider is still in hand
		d.Side, d.Board[checker] = shogi.Black, shogi.NoPiece
		d.Hands[shogi.Black] = d.Hands[shogi.Black].Add(kind, 1)
	case 2: // the slider is on its way
		d.Side, d.Board[checker] = shogi.Black, shogi.NoPiece
		origins := shogi.Attacks(shogi.White, checking, checker, after.Occupied()).AndNot(after.Occupied().Or(line))
		if origins.IsEmpty() {
			return shogi.Position{}, false
		}
		for range d.rng.IntN(origins.Len()) {
			origins.Pop()
		}
		d.keep = shogi.Bitboard{}
		d.left[kind]++
		if !d.put(origins.First(), shogi.Black, checking) {
			return shogi.Position{}, false
		}
	}
	p, err := d.Position()
	if err != nil {
		return shogi.Position{}, false
	}
	_, err = solver.Attacker(&p)
	return p, err == nil
}

func (r *Random) crossfire() (shogi.Position, bool) {
	d := r.diagram()
	black := d.anywhere()
	white := d.near(black, 2+d.rng.IntN(6))
	if !d.put(black, shogi.Black, shogi.King) || !d.put(white, shogi.White, shogi.King) {
		return shogi.Position{}, false
	}
	for range 3 + d.rng.IntN(6) {
		d.aim(black, shogi.White)
		d.aim(white, shogi.Black)
	}
	for sq, pc := range d.Board {
		if !pc.Type().IsSlider() {
			continue
		}
		king := white
		if pc.Color() == shogi.White {
			king = black
		}
		if between := shogi.Between(shogi.Square(sq), king); !between.IsEmpty() && d.rng.IntN(4) > 0 {
			for range d.rng.IntN(between.Len()) {
				between.Pop()
			}
			d.put(between.First(), shogi.Color(d.rng.IntN(2)), d.piece())
		}
	}
	for range d.rng.IntN(6) {
		d.put(d.near(black, 2), shogi.Color(d.rng.IntN(2)), d.piece())
		d.put(d.near(white, 2), shogi.Color(d.rng.IntN(2)), d.piece())
	}
	d.deal(d.rng.IntN(20), d.rng.IntN(20))
	d.Side = shogi.Color(d.rng.IntN(2))
	p, err := d.Position()
	return p, err == nil
}

func (r *Random) entered() (shogi.Position, bool) {
	d := r.diagram()
	inZone := func(ranks int) shogi.Square {
		return shogi.SquareAt(shogi.File(d.rng.IntN(9)), shogi.Rank(d.rng.IntN(ranks)))
	}
	d.put(inZone(3), shogi.Black, shogi.King)
	d.put(d.anywhere(), shogi.White, shogi.King)
	major := func() shogi.PieceType {
		kind := shogi.Bishop + shogi.PieceType(d.rng.IntN(2))
		if d.rng.IntN(2) == 0 {
			return kind.Promoted()
		}
		return kind
	}
	for range d.rng.IntN(4) {
		d.put(inZone(3), shogi.Black, major())
	}
	for range 10 + d.rng.IntN(8) {
		d.put(inZone(3), shogi.Black, d.piece())
	}
	for range d.rng.IntN(8) {
		d.put(d.anywhere(), shogi.White, d.piece())
	}
	d.deal(20+d.rng.IntN(50), 30)
	d.Side = shogi.Black
	p, err := d.Position()
	return p, err == nil
}

func (r *Random) chase() (shogi.Position, bool) {
	d := r.diagram()
	king := d.anywhere()
	if d.rng.IntN(4) > 0 {
		king = shogi.SquareAt(king.File(), shogi.Rank(8*d.rng.IntN(2)))
	}
	d.put(king, shogi.White, shogi.King)
	strong := []shogi.PieceType{shogi.Rook, shogi.Bishop, shogi.Dragon, shogi.Horse, shogi.Gold, shogi.Silver}
	for range 1 + d.rng.IntN(3) {
		d.put(d.anywhere(), shogi.Black, strong[d.rng.IntN(len(strong))])
	}
	for range d.rng.IntN(4) {
		d.put(d.near(king, 2), shogi.Color(d.rng.IntN(2)), d.piece())
	}
	for c := range d.Hands {
		if kind := shogi.Pawn + shogi.PieceType(d.rng.IntN(int(shogi.Gold))); d.rng.IntN(4) == 0 && d.left[kind] > 0 {
			d.left[kind]--
			d.Hands[c] = d.Hands[c].Add(kind, 1)
		}
	}
	p, err := d.Position()
	return p, err == nil
}
