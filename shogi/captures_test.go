package shogi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// plainCaptures is Position.Captures by the plain rules.
func plainCaptures(p *shogi.Position, set shogi.MoveSet) []shogi.Move {
	b := mailbox.From(p)
	var list []shogi.Move
	for _, m := range b.LegalMoves() {
		if b.IsCapture(m) && (set == shogi.AllMoves || b.IsUseful(m)) {
			list = append(list, m)
		}
	}
	return list
}

func TestCaptures(t *testing.T) {
	for _, test := range []struct {
		name, sfen string
		useful     string // the captures
		more       string // those of AllMoves besides
	}{
		{"none", shogi.StartSFEN, "", ""},
		{"every step", "9/9/9/3pnp3/3lSl3/3gsg3/9/9/9 b - 1", "5e4d 5e5d 5e6d 5e4f 5e6f", ""},
		{"sliders take the first piece they meet", "4n4/4p4/9/9/pp2+R2pp/9/9/4l4/9 b - 1", "5e5b 5e2e 5e8e 5e5h", ""},
		{"nobody takes its own", "9/9/9/9/4P4/4R4/9/9/9 b - 1", "", ""},

		{"a pawn takes and promotes", "9/9/4p4/4P4/9/9/9/9/9 b - 1", "5d5c+", "5d5c"},
		{"a pawn takes on the last rank", "4p4/4P4/9/9/9/9/9/9/9 b - 1", "5b5a+", ""},
		{"a pawn promotes", "9/9/9/4P4/9/9/9/9/9 b - 1", "5d5c+", ""},
		{"a pawn promotes on the last rank", "9/4P4/9/9/9/9/9/9/9 b - 1", "5b5a+", ""},
		{"pawns of two files", "9/9/9/8P/P8/9/9/9/9 b - 1", "1d1c+", ""},
		{"a pawn that is too far takes", "9/9/9/4p4/4P4/9/9/9/9 b - 1", "5e5d", ""},
		{"a pawn is blocked by its own side", "9/9/4G4/4P4/9/9/9/9/9 b - 1", "", ""},
		{"others do not promote", "9/9/9/LNSBR4/9/9/9/9/9 b - 1", "", ""},
		{"a held piece takes nothing", "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLP 1", "", ""},

		{"a lance", "9/p8/9/9/L8/9/9/9/9 b - 1", "9e9b+", "9e9b"},
		{"a lance on the third rank", "9/9/p8/9/L8/9/9/9/9 b - 1", "9e9c+ 9e9c", ""},
		{"a lance on the last rank", "p8/9/9/9/L8/9/9/9/9 b - 1", "9e9a+", ""},
		{"a knight", "9/9/p1p6/9/1N7/9/9/9/9 b - 1", "8e9c+ 8e9c 8e7c+ 8e7c", ""},
		{"a knight that must promote", "9/p8/9/1N7/9/9/9/9/9 b - 1", "8d9b+", ""},
		{"a silver that leaves the zone", "9/9/4S4/5p3/9/9/9/9/9 b - 1", "5c4d+ 5c4d", ""},
		{"a bishop that leaves the zone", "9/9/4B4/9/6p2/9/9/9/9 b - 1", "5c3e+", "5c3e"},
		{"a rook that enters it", "4p4/9/9/9/4R4/9/9/9/9 b - 1", "5e5a+", "5e5a"},
		{"a tokin", "9/9/4p4/4+P4/9/9/9/9/9 b - 1", "5d5c", ""},

		{"a king takes", "4k4/9/9/9/9/9/9/5p3/4K4 b - 1", "5i4h", ""},
		{"a defended pawn", "4k4/9/9/9/9/5l3/9/5p3/4K4 b - 1", "", ""},
		{"a king takes a silver", "4k4/9/9/9/9/9/9/9/4Ks3 b - 1", "5i4i", ""},
		{"a silver that is defended from afar", "4k4/9/9/9/9/9/9/9/4Ks2r b - 1", "", ""},
		{"a silver that a gold defends", "4k4/9/9/9/9/9/9/6g2/4Ks3 b - 1", "", ""},

		{"a pinned rook takes on its line", "4k4/9/4r4/9/4p4/9/4R4/2p6/4K4 b - 1", "5g5e", ""},
		{"a pinned rook takes the pinner", "4k4/9/4r4/9/9/9/p3R3p/9/4K4 b - 1", "5g5c+", "5g5c"},
		{"a pinned silver", "4k4/9/9/9/9/2b6/3S5/4K4/9 b - 1", "6g7f", ""},
		{"a pinned gold", "4k4/9/9/9/9/2b6/3G5/4K4/9 b - 1", "6g7f", ""},
		{"a pinned gold, with something beside the line", "4k4/9/9/4r4/9/9/3pG4/9/4K4 b - 1", "", ""},
		{"a pinned pawn promotes on its line", "4r4/9/9/4P4/4K4/9/9/9/k8 b - 1", "5d5c+", ""},
		{"a pinned pawn takes the pinner", "9/9/4r4/4P4/4K4/9/9/9/k8 b - 1", "5d5c+", "5d5c"},
		{"a pawn pinned on a rank", "9/9/9/r3P1K2/9/9/9/9/k8 b - 1", "", ""},
		{"a pawn pinned on a diagonal", "9/9/2b6/3P5/4K4/9/9/9/k8 b - 1", "", ""},
		{"a pawn pinned on a diagonal, with something to take", "9/9/2bp5/3P5/4K4/9/9/9/k8 b - 1", "", ""},
		{"a pawn pinned from behind promotes", "9/4K4/9/4P4/9/9/9/4r4/k8 b - 1", "5d5c+", ""},
		{"a pawn with a piece in front that would be pinned", "9/4K4/4p4/4P4/9/9/9/4r4/k8 b - 1", "5b5c 5d5c+", "5d5c"},
		{"the enemy's blockers are not pinned", "4k4/4r4/9/4p4/9/9/9/9/4KG3 b - 1", "", ""},

		{"no own king", "4k4/9/4p4/4P4/9/9/9/9/9 b - 1", "5d5c+", "5d5c"},
		{"no king at all", "9/9/4p4/4P4/9/9/9/9/9 b - 1", "5d5c+", "5d5c"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := shogi.MustParseSFEN(test.sfen)
			if p.InCheck() {
				t.Fatalf("%s: the side to move is in check", test.sfen)
			}
			for _, set := range []shogi.MoveSet{shogi.UsefulMoves, shogi.AllMoves} {
				want := strings.Fields(test.useful)
				if set == shogi.AllMoves {
					want = append(want, strings.Fields(test.more)...)
				}
				slices.Sort(want)
				if got := moveTexts(plainCaptures(&p, set)); !slices.Equal(got, want) {
					t.Errorf("%s: by the plain rules %v, want %v", test.sfen, got, want)
				}
				shogitest.BothWays(t, p, func(t *testing.T, p shogi.Position, turn func(shogi.Move) shogi.Move) {
					var buf shogi.MoveBuffer
					var got []shogi.Move
					for _, m := range p.Captures(&buf, set) {
						got = append(got, turn(m))
					}
					if got := moveTexts(got); !slices.Equal(got, want) {
						t.Errorf("%s: %v, want %v", p.SFEN(), got, want)
					}
				})
			}
		})
	}
}

// TestCapturesOnRandomPositions passes as well, as a search does.
func TestCapturesOnRandomPositions(t *testing.T) {
	var buf shogi.MoveBuffer
	asked, found := 0, 0
	compare := func(p *shogi.Position) {
		if p.InCheck() {
			return
		}
		for _, set := range []shogi.MoveSet{shogi.AllMoves, shogi.UsefulMoves} {
			got, want := moveTexts(p.Captures(&buf, set)), moveTexts(plainCaptures(p, set))
			if !slices.Equal(got, want) {
				t.Fatalf("%s, all moves %v: %v, by the plain rules %v", p.SFEN(), set, got, want)
			}
			found += len(want)
		}
		asked++
	}
	for _, p := range somePositions(t) {
		compare(&p)
		if !p.InCheck() {
			p.ForSearch().DoNull()
			compare(&p)
		}
	}
	t.Logf("%d captures in %d positions", found, asked)
	if found < 5_000 || asked < 500 {
		t.Errorf("%d captures in %d positions: too few", found, asked)
	}
}

func TestNull(t *testing.T) {
	for _, p := range somePositions(t) {
		if p.InCheck() {
			continue
		}
		before, setup := p, p.Setup()
		setup.Side, setup.Ply = setup.Side.Opponent(), setup.Ply+1
		want, err := setup.Position()
		if err != nil {
			t.Fatal(err)
		}
		if p.ForSearch().DoNull(); p != want {
			t.Fatalf("%s: after a pass %s, want %s, or the key is wrong", before.SFEN(), p.SFEN(), want.SFEN())
		}
		b := mailbox.From(&before)
		if b.Pass(); b != mailbox.From(&p) {
			t.Fatalf("%s: after a pass %s, by the plain rules %s", before.SFEN(), p.SFEN(), b.SFEN())
		}
		if p.ForSearch().UndoNull(); p != before {
			t.Fatalf("%s: taking back a pass leads to %s, or the key is wrong", before.SFEN(), p.SFEN())
		}
	}
}
