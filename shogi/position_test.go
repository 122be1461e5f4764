package shogi_test

import (
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// TestDoUndo makes and unmakes every legal move of many positions: Do agrees with the rules applied
// to the parts of the position, and Undo restores every bit.
func TestDoUndo(t *testing.T) {
	var buf shogi.MoveBuffer
	for _, p := range somePositions(t) {
		before := p
		for _, m := range p.LegalMoves(&buf, shogi.AllMoves) {
			want := slowDo(t, &before, m)
			captured := before.Piece(m.To())
			u := p.Do(m)
			if p != want {
				t.Fatalf("%s: %v leads to %s, want %s", before.SFEN(), m, p.SFEN(), want.SFEN())
			}
			if u.Captured() != captured {
				t.Fatalf("%s: %v captured %v, want %v", before.SFEN(), m, u.Captured(), captured)
			}
			p.Undo(m, u)
			if p != before {
				t.Fatalf("%s: %v taken back leaves %s", before.SFEN(), m, p.SFEN())
			}
		}
	}
}

// slowDo is Position.Do on the parts of a position.
func slowDo(t testing.TB, p *shogi.Position, m shogi.Move) shogi.Position {
	t.Helper()
	s := p.Setup()
	hand := &s.Hands[s.Side]
	if m.IsDrop() {
		*hand = hand.Remove(m.Dropped(), 1)
		s.Board[m.To()] = shogi.PieceOf(s.Side, m.Dropped())
	} else {
		if captured := s.Board[m.To()]; captured != shogi.NoPiece {
			*hand = hand.Add(captured.Type().Base(), 1)
		}
		pc := s.Board[m.From()]
		if m.IsPromotion() {
			pc = shogi.PieceOf(pc.Color(), pc.Type().Promoted())
		}
		s.Board[m.From()], s.Board[m.To()] = shogi.NoPiece, pc
	}
	s.Side = s.Side.Opponent()
	s.Ply++
	q, err := s.Position()
	if err != nil {
		t.Fatalf("%s: %v leads to no position: %v", p.SFEN(), m, err)
	}
	return q
}

// TestSetsOfPieces compares the sets of a position with its squares.
func TestSetsOfPieces(t *testing.T) {
	for _, p := range somePositions(t) {
		for c := shogi.Black; c <= shogi.White; c++ {
			king := shogi.NoSquare
			of := func(in func(kind shogi.PieceType) bool) shogi.Bitboard {
				return where(func(sq shogi.Square) bool {
					pc := p.Piece(sq)
					return pc != shogi.NoPiece && pc.Color() == c && in(pc.Type())
				}).bitboard()
			}
			for kind := shogi.Pawn; kind < shogi.NumPieceTypes; kind++ {
				want := of(func(k shogi.PieceType) bool { return k == kind })
				if p.PiecesOf(c, kind) != want {
					t.Fatalf("%s: %v %v on\n%vwant\n%v", p.SFEN(), c, kind, p.PiecesOf(c, kind), want)
				}
				if kind == shogi.King && !want.IsEmpty() {
					king = want.First()
				}
			}
			if p.King(c) != king {
				t.Fatalf("%s: the %v king is on %v, want %v", p.SFEN(), c, p.King(c), king)
			}
			if want := of(func(shogi.PieceType) bool { return true }); p.Pieces(c) != want {
				t.Fatalf("%s: pieces of %v\n%vwant\n%v", p.SFEN(), c, p.Pieces(c), want)
			}
			if want := of(shogi.PieceType.IsSlider); p.SlidersOf(c) != want {
				t.Fatalf("%s: sliders of %v\n%vwant\n%v", p.SFEN(), c, p.SlidersOf(c), want)
			}
		}
		if p.Occupied() != p.Pieces(shogi.Black).Or(p.Pieces(shogi.White)) {
			t.Fatalf("%s: occupied\n%v", p.SFEN(), p.Occupied())
		}
	}
}

// TestAttackers compares the questions about attackers, checkers and pins with the answers found by
// walking.
func TestAttackers(t *testing.T) {
	rng := shogitest.NewRand(t)
	for _, p := range somePositions(t) {
		// Asked with the obstacles there are, and with others: callers ask about boards that might
		// be.
		occupied := where(func(sq shogi.Square) bool { return p.Piece(sq) != shogi.NoPiece })
		other := where(func(sq shogi.Square) bool { return occupied[sq] != (rng.IntN(10) == 0) })
		for _, obstacles := range []squareSet{occupied, other} {
			for c := shogi.Black; c <= shogi.White; c++ {
				attackers := map[shogi.Square]squareSet{}
				for from := range p.Pieces(c).All() {
					for to := range slowAttacks(c, p.Piece(from).Type(), from, obstacles) {
						if attackers[to] == nil {
							attackers[to] = squareSet{}
						}
						attackers[to][from] = true
					}
				}
				for sq := range shogi.Square(shogi.NumSquares) {
					want := attackers[sq].bitboard()
					if got := p.AttackersTo(sq, c, obstacles.bitboard()); got != want {
						t.Fatalf("%s: %v attacks %v from\n%vwant\n%v", p.SFEN(), c, sq, got, want)
					}
					if got := p.IsAttacked(sq, c, obstacles.bitboard()); got == want.IsEmpty() {
						t.Fatalf("%s: %v attacks %v: %v", p.SFEN(), c, sq, got)
					}
				}
			}
		}
		testPins(t, &p, occupied)
		testNear(t, &p)
	}
}

// testPins walks from every slider over the first piece in its way, up to the second.
func testPins(t *testing.T, p *shogi.Position, occupied squareSet) {
	t.Helper()
	for c := shogi.Black; c <= shogi.White; c++ {
		blockers := map[shogi.Square]squareSet{}
		for from := range p.Pieces(c).All() {
			for _, s := range slowSteps[p.Piece(from).Type()] {
				if !s.far {
					continue
				}
				sign := 1
				if c == shogi.White {
					sign = -1
				}
				blocker := shogi.NoSquare
				slowWalk(from, sign*s.file, sign*s.rank, func(to shogi.Square) bool {
					if blocker != shogi.NoSquare {
						if blockers[to] == nil {
							blockers[to] = squareSet{}
						}
						blockers[to][blocker] = true
						return !occupied[to]
					}
					if occupied[to] {
						blocker = to
					}
					return true
				})
			}
		}
		for sq := range shogi.Square(shogi.NumSquares) {
			want := blockers[sq].bitboard()
			if got := p.SliderBlockers(sq, c); got != want {
				t.Fatalf("%s: between %v and the sliders of %v stand\n%vwant\n%v", p.SFEN(), sq, c, got, want)
			}
			if c != p.SideToMove() && sq == p.King(p.SideToMove()) {
				checkers, pinned := p.CheckersAndPinned()
				if want := want.And(p.Pieces(p.SideToMove())); checkers != p.Checkers() || pinned != want {
					t.Fatalf("%s: checkers and pinned are\n%v and\n%vwant\n%v and\n%v",
						p.SFEN(), checkers, pinned, p.Checkers(), want)
				}
			}
		}
	}
	if p.King(p.SideToMove()) == shogi.NoSquare {
		if checkers, pinned := p.CheckersAndPinned(); !checkers.IsEmpty() || !pinned.IsEmpty() {
			t.Fatalf("%s: no king, but checkers\n%vand pinned pieces\n%v", p.SFEN(), checkers, pinned)
		}
	}
}

// testNear checks the sets that say which pieces are worth a look: none that matters may be
// missing.
func testNear(t *testing.T, p *shogi.Position) {
	t.Helper()
	for c := shogi.Black; c <= shogi.White; c++ {
		for sq := range shogi.Square(shogi.NumSquares) {
			near := where(func(from shogi.Square) bool {
				pc := p.Piece(from)
				return pc != shogi.NoPiece && pc.Color() == c && !pc.Type().IsSlider() &&
					shogi.StepAttacks(c, pc.Type(), from).Intersects(shogi.Neighbours(sq))
			})
			if got := p.SteppersNear(c, sq); got != near.bitboard() {
				t.Fatalf("%s: steppers of %v near %v\n%vwant\n%v", p.SFEN(), c, sq, got, near.bitboard())
			}
			near = where(func(from shogi.Square) bool {
				pc := p.Piece(from)
				return pc != shogi.NoPiece && pc.Color() == c && pc.Type().IsSlider() &&
					shogi.Attacks(c, pc.Type(), from, shogi.Bitboard{}).Intersects(shogi.Neighbours(sq))
			})
			if got := p.ForSearch().SlidersNear(c, sq); got != near.bitboard() {
				t.Fatalf("%s: sliders of %v near %v\n%vwant\n%v", p.SFEN(), c, sq, got, near.bitboard())
			}
			candidates := p.ForSearch().CheckCandidates(c, sq)
			for from := range p.Pieces(c).All() {
				kind := p.Piece(from).Type()
				want := kind.IsSlider()
				for to := range shogi.StepAttacks(c, kind, from).All() {
					want = want || shogi.StepAttacks(c, kind, to).Has(sq)
					want = want || kind.CanPromote() && shogi.StepAttacks(c, kind.Promoted(), to).Has(sq)
				}
				if kind != shogi.King && candidates.Has(from) != want {
					t.Fatalf("%s: the %v %v on %v may check on %v: %v", p.SFEN(), c, kind, from, sq, candidates.Has(from))
				}
				if kind == shogi.King && candidates.Has(from) {
					t.Fatalf("%s: the king is among the candidates", p.SFEN())
				}
			}
		}
	}
}

// TestRotated plays the same moves on the position and on the same turned round.
func TestRotated(t *testing.T) {
	var a, b shogi.MoveBuffer
	for _, p := range somePositions(t) {
		q := p.Rotated()
		for sq := range shogi.Square(shogi.NumSquares) {
			mine, its := p.Piece(sq), q.Piece(80-sq)
			if (mine == shogi.NoPiece) != (its == shogi.NoPiece) ||
				mine != shogi.NoPiece && (mine.Type() != its.Type() || mine.Color() == its.Color()) {
				t.Fatalf("%s: turned %s", p.SFEN(), q.SFEN())
			}
		}
		if q.SideToMove() == p.SideToMove() || q.Hand(shogi.Black) != p.Hand(shogi.White) || q.Hand(shogi.White) != p.Hand(shogi.Black) {
			t.Fatalf("%s: turned %s", p.SFEN(), q.SFEN())
		}
		var turned []shogi.Move
		for _, m := range p.LegalMoves(&a, shogi.AllMoves) {
			turned = append(turned, m.Rotated())
		}
		moves := slices.Clone(q.LegalMoves(&b, shogi.AllMoves))
		slices.Sort(turned)
		slices.Sort(moves)
		if !slices.Equal(turned, moves) {
			t.Fatalf("%s: turned it has the moves %v, want %v", p.SFEN(), moveTexts(moves), moveTexts(turned))
		}
	}
}

func TestSamePosition(t *testing.T) {
	p := shogi.MustParseSFEN("4k4/9/4P4/9/9/9/9/9/4K4 b Gg 1")
	tests := []struct {
		sfen string
		want bool
	}{
		{"4k4/9/4P4/9/9/9/9/9/4K4 b Gg 1", true},
		{"4k4/9/4P4/9/9/9/9/9/4K4 b Gg 9", true},
		{"4k4/9/4P4/9/9/9/9/9/4K4 w Gg 1", false},
		{"4k4/9/4P4/9/9/9/9/9/4K4 b 2G 1", false},
		{"4k4/9/4P4/9/9/9/9/9/4K4 b 2g 1", false},
		{"4k4/9/4P4/9/9/9/9/9/4K4 b - 1", false},
		{"4k4/9/4+P4/9/9/9/9/9/4K4 b Gg 1", false},
		{"4k4/9/4p4/9/9/9/9/9/4K4 b Gg 1", false},
		{"4k4/9/3P5/9/9/9/9/9/4K4 b Gg 1", false},
	}
	for _, test := range tests {
		q := shogi.MustParseSFEN(test.sfen)
		if p.SamePosition(&q) != test.want || q.SamePosition(&p) != test.want {
			t.Errorf("%s the same as %s: %v", p.SFEN(), test.sfen, p.SamePosition(&q))
		}
	}
}

func TestCopiesAreIndependent(t *testing.T) {
	p := shogi.Start()
	q := p
	q.Do(mustParseMove(t, "7g7f"))
	if p.SFEN() != shogi.StartSFEN || p != shogi.Start() {
		t.Errorf("a move on a copy changed the position: %s", p.SFEN())
	}
}
