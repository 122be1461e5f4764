package shogi_test

import (
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// slowSteps says how each piece moves, as Black sees it: file and rank of a step, and whether it
// goes on. Left is towards file 9, up towards rank a.
var slowSteps = func() map[shogi.PieceType][]slowStep {
	gold := []slowStep{{+1, -1, false}, {0, -1, false}, {-1, -1, false}, {+1, 0, false}, {-1, 0, false}, {0, +1, false}}
	cross := func(far bool) []slowStep { return []slowStep{{0, -1, far}, {0, +1, far}, {+1, 0, far}, {-1, 0, far}} }
	diagonal := func(far bool) []slowStep {
		return []slowStep{{+1, -1, far}, {-1, -1, far}, {+1, +1, far}, {-1, +1, far}}
	}
	return map[shogi.PieceType][]slowStep{
		shogi.Pawn:   {{0, -1, false}},
		shogi.Lance:  {{0, -1, true}},
		shogi.Knight: {{+1, -2, false}, {-1, -2, false}},
		shogi.Silver: append(diagonal(false), slowStep{0, -1, false}),
		shogi.Gold:   gold, shogi.Tokin: gold, shogi.ProLance: gold, shogi.ProKnight: gold, shogi.ProSilver: gold,
		shogi.Bishop: diagonal(true),
		shogi.Rook:   cross(true),
		shogi.King:   append(cross(false), diagonal(false)...),
		shogi.Horse:  append(diagonal(true), cross(false)...),
		shogi.Dragon: append(cross(true), diagonal(false)...),
	}
}()

type slowStep struct {
	file, rank int
	far        bool
}

// slowWalk calls visit with the squares from sq, exclusive, in steps of file and rank, until visit
// returns false.
func slowWalk(sq shogi.Square, file, rank int, visit func(shogi.Square) bool) {
	f, r := int(sq.File())+file, int(sq.Rank())+rank
	for f >= 0 && f < 9 && r >= 0 && r < 9 && visit(shogi.SquareAt(shogi.File(f), shogi.Rank(r))) {
		f, r = f+file, r+rank
	}
}

// slowAttacks is shogi.Attacks by walking.
func slowAttacks(c shogi.Color, kind shogi.PieceType, sq shogi.Square, occupied squareSet) squareSet {
	sign := 1
	if c == shogi.White {
		sign = -1
	}
	reached := squareSet{}
	for _, s := range slowSteps[kind] {
		slowWalk(sq, sign*s.file, sign*s.rank, func(to shogi.Square) bool {
			reached[to] = true
			return s.far && !occupied[to]
		})
	}
	return reached
}

func TestAttacks(t *testing.T) {
	rng := shogitest.NewRand(t)
	boards := []squareSet{{}, where(func(shogi.Square) bool { return true })}
	for range 100 {
		boards = append(boards, randomSet(rng))
	}
	for _, occupied := range boards {
		obstacles := occupied.bitboard()
		for c := shogi.Black; c <= shogi.White; c++ {
			for kind := shogi.Pawn; kind < shogi.NumPieceTypes; kind++ {
				for sq := range shogi.Square(shogi.NumSquares) {
					want := slowAttacks(c, kind, sq, occupied).bitboard()
					got := map[string]shogi.Bitboard{"Attacks": shogi.Attacks(c, kind, sq, obstacles)}
					switch kind {
					case shogi.Bishop:
						got["BishopAttacks"] = shogi.BishopAttacks(sq, obstacles)
					case shogi.Rook:
						got["RookAttacks"] = shogi.RookAttacks(sq, obstacles)
					case shogi.Lance:
						got["LanceAttacks"] = shogi.LanceAttacks(c, sq, obstacles)
						if len(occupied) == 0 {
							got["ForwardRay"] = shogi.ForwardRay(c, sq)
						}
					case shogi.King:
						got["Neighbours"] = shogi.Neighbours(sq)
					}
					if len(occupied) == 0 {
						got["EmptyAttacks"] = shogi.EmptyAttacks(c, kind, sq)
					}
					if !kind.IsSlider() {
						got["StepAttacks"] = shogi.StepAttacks(c, kind, sq)
					}
					for name, b := range got {
						if b != want {
							t.Fatalf("%s of a %v %v on %v among\n%vare\n%vwant\n%v", name, c, kind, sq, obstacles, b, want)
						}
					}
				}
			}
		}
	}
}

// TestAround walks around every square, the files from right to left, each from top to bottom.
func TestAround(t *testing.T) {
	rng := shogitest.NewRand(t)
	for range 100 {
		set := randomSet(rng)
		for sq := range shogi.Square(shogi.NumSquares) {
			want, bit := uint8(0), 0
			for file := -1; file <= 1; file++ {
				for rank := -1; rank <= 1; rank++ {
					if file == 0 && rank == 0 {
						continue
					}
					slowWalk(sq, file, rank, func(to shogi.Square) bool {
						if set[to] {
							want |= 1 << bit
						}
						return false
					})
					bit++
				}
			}
			if got := set.bitboard().Around(sq); got != want {
				t.Fatalf("around %v in\n%vare %08b, want %08b", sq, set.bitboard(), got, want)
			}
		}
	}
}

func TestBetweenAndRayThrough(t *testing.T) {
	for a := range shogi.Square(shogi.NumSquares) {
		between, ray := map[shogi.Square]squareSet{}, map[shogi.Square]squareSet{}
		for _, d := range slowSteps[shogi.King] {
			passed, all := squareSet{}, squareSet{}
			slowWalk(a, d.file, d.rank, func(b shogi.Square) bool {
				between[b] = where(func(sq shogi.Square) bool { return passed[sq] })
				passed[b] = true
				all[b] = true
				ray[b] = all
				return true
			})
		}
		for b := range shogi.Square(shogi.NumSquares) {
			if got, want := shogi.Between(a, b), between[b].bitboard(); got != want {
				t.Fatalf("Between(%v, %v) is\n%vwant\n%v", a, b, got, want)
			}
			if got, want := shogi.RayThrough(a, b), ray[b].bitboard(); got != want {
				t.Fatalf("RayThrough(%v, %v) is\n%vwant\n%v", a, b, got, want)
			}
		}
	}
}

func TestPromotionZone(t *testing.T) {
	for sq := range shogi.Square(shogi.NumSquares) {
		for c, far := range [2]bool{sq.Rank() <= shogi.RankC, sq.Rank() >= shogi.RankG} {
			c := shogi.Color(c)
			if shogi.InPromotionZone(c, sq) != far || shogi.PromotionZone(c).Has(sq) != far {
				t.Errorf("%v in the promotion zone of %v: %v, %v", sq, c, shogi.InPromotionZone(c, sq), shogi.PromotionZone(c).Has(sq))
			}
		}
	}
}

func TestIsDead(t *testing.T) {
	for c := shogi.Black; c <= shogi.White; c++ {
		for kind := shogi.Pawn; kind < shogi.NumPieceTypes; kind++ {
			for sq := range shogi.Square(shogi.NumSquares) {
				want := len(slowAttacks(c, kind, sq, squareSet{})) == 0
				if got := shogi.IsDead(c, kind, sq); got != want {
					t.Errorf("a %v %v on %v can never move: %v", c, kind, sq, got)
				}
			}
		}
	}
}
