package shogi_test

import (
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

func TestColor(t *testing.T) {
	if shogi.Black.Opponent() != shogi.White || shogi.White.Opponent() != shogi.Black {
		t.Error("the opponent of one side is not the other")
	}
	if shogi.Black.String() != "black" || shogi.White.String() != "white" {
		t.Errorf("the sides are %q and %q", shogi.Black, shogi.White)
	}
	if shogi.Color(0) != shogi.Black {
		t.Error("the zero Color is not Black")
	}
}

func TestPieceType(t *testing.T) {
	tests := []struct {
		kind       shogi.PieceType
		name       string
		promotesTo shogi.PieceType // itself if it is promoted, NoPieceType if it never is
		slides     bool
		needed     bool // unpromoted, it may check where its promoted form does not
	}{
		{shogi.Pawn, "P", shogi.Tokin, false, false},
		{shogi.Lance, "L", shogi.ProLance, true, true},
		{shogi.Knight, "N", shogi.ProKnight, false, true},
		{shogi.Silver, "S", shogi.ProSilver, false, true},
		{shogi.Bishop, "B", shogi.Horse, true, false},
		{shogi.Rook, "R", shogi.Dragon, true, false},
		{shogi.Gold, "G", shogi.NoPieceType, false, false},
		{shogi.King, "K", shogi.NoPieceType, false, false},
		{shogi.Tokin, "+P", shogi.Tokin, false, false},
		{shogi.ProLance, "+L", shogi.ProLance, false, false},
		{shogi.ProKnight, "+N", shogi.ProKnight, false, false},
		{shogi.ProSilver, "+S", shogi.ProSilver, false, false},
		{shogi.Horse, "+B", shogi.Horse, true, false},
		{shogi.Dragon, "+R", shogi.Dragon, true, false},
	}
	if len(tests)+1 != shogi.NumPieceTypes {
		t.Fatalf("%d kinds tested of %d", len(tests), shogi.NumPieceTypes-1)
	}
	bases := map[shogi.PieceType]shogi.PieceType{}
	for _, test := range tests {
		if test.promotesTo != shogi.NoPieceType && test.promotesTo != test.kind {
			bases[test.promotesTo] = test.kind
		}
	}
	for _, test := range tests {
		k := test.kind
		if k.String() != test.name {
			t.Errorf("kind %d is %q, want %q", k, k, test.name)
		}
		if got := k.IsPromoted(); got != (test.promotesTo == k) {
			t.Errorf("%v: promoted: %v", k, got)
		}
		canPromote := test.promotesTo != shogi.NoPieceType && test.promotesTo != k
		if got := k.CanPromote(); got != canPromote {
			t.Errorf("%v: can promote: %v", k, got)
		}
		if canPromote && k.Promoted() != test.promotesTo {
			t.Errorf("%v promotes to %v, want %v", k, k.Promoted(), test.promotesTo)
		}
		base, ok := bases[k]
		if !ok {
			base = k
		}
		if k.Base() != base {
			t.Errorf("the base of %v is %v, want %v", k, k.Base(), base)
		}
		if k.IsSlider() != test.slides {
			t.Errorf("%v: slider: %v", k, k.IsSlider())
		}
		if k.MayNeedNoPromotion() != test.needed {
			t.Errorf("%v: may need no promotion: %v", k, k.MayNeedNoPromotion())
		}
		for _, c := range []shogi.Color{shogi.Black, shogi.White} {
			pc := shogi.PieceOf(c, k)
			if pc.Type() != k || pc.Color() != c {
				t.Errorf("PieceOf(%v, %v) is a %v %v", c, k, pc.Color(), pc.Type())
			}
			name := test.name
			if c == shogi.White {
				b := []byte(name)
				b[len(b)-1] += 'a' - 'A'
				name = string(b)
			}
			if pc.String() != name {
				t.Errorf("the %v %v is %q, want %q", c, k, pc, name)
			}
		}
	}
}

func TestNoPiece(t *testing.T) {
	var kind shogi.PieceType
	if kind != shogi.NoPieceType || kind.String() != "-" || kind.IsPromoted() || kind.CanPromote() || kind.IsSlider() {
		t.Errorf("the zero PieceType is not no piece: %v", kind)
	}
	if s := shogi.PieceType(shogi.NumPieceTypes).String(); s != "-" {
		t.Errorf("a value that is no kind is %q", s)
	}
	var pc shogi.Piece
	if pc != shogi.NoPiece || pc.Type() != shogi.NoPieceType || pc.String() != "-" {
		t.Errorf("the zero Piece is not an empty square: %v", pc)
	}
}

func TestFullSet(t *testing.T) {
	n := 2 // kings
	for _, count := range shogi.FullSet {
		n += count
	}
	if n != 40 {
		t.Errorf("a set has %d pieces, want 40", n)
	}
	held := map[shogi.PieceType]int{}
	start := shogi.Start()
	for sq := range shogi.Square(shogi.NumSquares) {
		held[start.Piece(sq).Type()]++
	}
	for kind, count := range shogi.FullSet {
		if kind := shogi.PieceType(kind); kind != shogi.NoPieceType && held[kind] != count {
			t.Errorf("FullSet has %d %v, the initial position %d", count, kind, held[kind])
		}
	}
}
