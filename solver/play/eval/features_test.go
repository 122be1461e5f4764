package eval

import (
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

func features(p *shogi.Position, view shogi.Color) []uint16 {
	f := AppendFeatures(nil, p, view)
	slices.Sort(f)
	return f
}

// The numbers are counted by hand from the table at NumFeatures: squares are 9*(file-1)+(rank-1).
func TestFeatureIndices(t *testing.T) {
	const black, white = shogi.Black, shogi.White
	square := func(name string) shogi.Square {
		sq, err := shogi.ParseSquare(name)
		if err != nil {
			t.Fatal(err)
		}
		return sq
	}
	for _, test := range []struct {
		view shogi.Color
		pc   shogi.Piece
		sq   string
		want int
	}{
		{black, shogi.PieceOf(black, shogi.Pawn), "1a", 90},
		{black, shogi.PieceOf(black, shogi.Pawn), "9i", 170},
		{black, shogi.PieceOf(black, shogi.Pawn), "7g", 90 + 60},
		{black, shogi.PieceOf(black, shogi.Lance), "1a", 171},
		{black, shogi.PieceOf(black, shogi.Knight), "2c", 90 + 2*81 + 11},
		{black, shogi.PieceOf(black, shogi.Silver), "1b", 90 + 3*81 + 1},
		{black, shogi.PieceOf(black, shogi.Gold), "1a", 90 + 4*81},
		{black, shogi.PieceOf(black, shogi.Tokin), "1a", 90 + 4*81},
		{black, shogi.PieceOf(black, shogi.ProLance), "1a", 90 + 4*81},
		{black, shogi.PieceOf(black, shogi.ProKnight), "1a", 90 + 4*81},
		{black, shogi.PieceOf(black, shogi.ProSilver), "1a", 90 + 4*81},
		{black, shogi.PieceOf(black, shogi.Bishop), "8h", 90 + 5*81 + 70},
		{black, shogi.PieceOf(black, shogi.Horse), "1a", 90 + 6*81},
		{black, shogi.PieceOf(black, shogi.Rook), "2h", 90 + 7*81 + 16},
		{black, shogi.PieceOf(black, shogi.Dragon), "1a", 90 + 8*81},
		{black, shogi.PieceOf(black, shogi.King), "5i", 90 + 9*81 + 44},
		{black, shogi.PieceOf(black, shogi.King), "9i", 899},
		{black, shogi.PieceOf(white, shogi.Pawn), "1a", 900},
		{black, shogi.PieceOf(white, shogi.King), "5a", 900 + 9*81 + 36},
		{black, shogi.PieceOf(white, shogi.King), "9i", 1709},
		{white, shogi.PieceOf(white, shogi.Pawn), "9i", 90},
		{white, shogi.PieceOf(white, shogi.Pawn), "3c", 90 + 60},
		{white, shogi.PieceOf(white, shogi.King), "5a", 90 + 9*81 + 44},
		{white, shogi.PieceOf(black, shogi.Pawn), "9i", 900},
		{white, shogi.PieceOf(black, shogi.King), "1a", 1709},
	} {
		if got := PieceFeature(test.view, test.pc, square(test.sq)); got != test.want {
			t.Errorf("%v on %s in the view of %v is feature %d, want %d",
				test.pc, test.sq, test.view, got, test.want)
		}
	}
	for _, test := range []struct {
		view, owner shogi.Color
		kind        shogi.PieceType
		n, want     int
	}{
		{black, black, shogi.Pawn, 0, 0},
		{black, black, shogi.Pawn, 18, 18},
		{black, black, shogi.Lance, 0, 19},
		{black, black, shogi.Knight, 4, 28},
		{black, black, shogi.Silver, 0, 29},
		{black, black, shogi.Gold, 0, 34},
		{black, black, shogi.Bishop, 0, 39},
		{black, black, shogi.Rook, 2, 44},
		{black, white, shogi.Pawn, 0, 45},
		{black, white, shogi.Rook, 2, 89},
		{white, white, shogi.Rook, 2, 44},
		{white, black, shogi.Gold, 1, 80},
	} {
		if got := HandFeature(test.view, test.owner, test.kind, test.n); got != test.want {
			t.Errorf("%d %v of %v in the view of %v are feature %d, want %d",
				test.n, test.kind, test.owner, test.view, got, test.want)
		}
	}
}

func TestFeatureCounts(t *testing.T) {
	for _, test := range []struct {
		sfen string
		want int
	}{
		{"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 54},
		{"4k4/9/9/9/9/9/9/9/4K4 w - 1", 16},
		{"4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1", 16},
	} {
		p := shogi.MustParseSFEN(test.sfen)
		for _, view := range []shogi.Color{shogi.Black, shogi.White} {
			f := features(&p, view)
			if len(f) != test.want {
				t.Errorf("%s: %d features, want %d", test.sfen, len(f), test.want)
			}
			if len(slices.Compact(f)) != test.want || f[len(f)-1] >= NumFeatures {
				t.Errorf("%s: %v are not different features", test.sfen, f)
			}
		}
	}
}

// What Black sees in a position White sees in the position turned; mirrors and the view of the
// other side map feature by feature.
func TestFeatureSymmetries(t *testing.T) {
	r := shogitest.NewRand(t)
	p := shogi.Start()
	var buf shogi.MoveBuffer
	for range 2000 {
		moves := p.LegalMoves(&buf, shogi.AllMoves)
		if len(moves) == 0 || p.Ply() > 300 {
			p = shogi.Start()
			continue
		}
		p.Do(moves[r.IntN(len(moves))])
		turned, mirrored := p.Rotated(), p.Mirrored()
		for _, view := range []shogi.Color{shogi.Black, shogi.White} {
			f := features(&p, view)
			if !slices.Equal(f, features(&turned, view.Opponent())) {
				t.Fatalf("%s: the features change when the board is turned", p.SFEN())
			}
			mapped := make([]uint16, len(f))
			for i := range f {
				mapped[i] = uint16(mirroredFeature(int(f[i])))
			}
			slices.Sort(mapped)
			if !slices.Equal(mapped, features(&mirrored, view)) {
				t.Fatalf("%s: wrong features in a mirror", p.SFEN())
			}
			for i := range f {
				mapped[i] = uint16(otherView(int(f[i])))
			}
			slices.Sort(mapped)
			if !slices.Equal(mapped, features(&p, view.Opponent())) {
				t.Fatalf("%s: wrong features in the other view", p.SFEN())
			}
		}
	}
}

// mirroredFeature returns the feature that f becomes when left and right are exchanged.
func mirroredFeature(f int) int {
	if f < boardFeatures {
		return f
	}
	sq := shogi.Square((f - boardFeatures) % kindFeatures)
	return f - int(sq) + int(sq.Mirrored())
}

// otherView returns the feature that f is in the view of the other side.
func otherView(f int) int {
	switch {
	case f < handFeatures:
		return f + handFeatures
	case f < boardFeatures:
		return f - handFeatures
	}
	f -= boardFeatures
	sq := f % kindFeatures
	return boardFeatures + (f-sq+pieceFeatures)%(2*pieceFeatures) + kindFeatures - 1 - sq
}
