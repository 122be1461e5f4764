package shogi_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestInlining holds what the speed of the generators rests on: the sets and the tables cost no
// calls.
func TestInlining(t *testing.T) {
	// The cache keeps what the compiler said, so that only the first run costs a build.
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	inlinable := map[string]bool{}
	for _, m := range regexp.MustCompile(`can inline (\S+)`).FindAllStringSubmatch(string(out), -1) {
		inlinable[m[1]] = true
	}
	if len(inlinable) == 0 {
		t.Fatalf("the compiler says nothing about inlining:\n%s", out)
	}
	for _, name := range strings.Fields(`
		Bitboard.And Bitboard.AndNot Bitboard.First Bitboard.Has Bitboard.HasMany Bitboard.Intersects Bitboard.IsEmpty
		Bitboard.IsSubsetOf Bitboard.Len Bitboard.Not Bitboard.Or Bitboard.With Bitboard.Without Bitboard.Xor
		(*Bitboard).Pop Bitboard.towards bit
		Between direction downward Neighbours RayThrough StepAttacks upward filesWithout
		Hand.Add Hand.Count Hand.Covers Hand.Has Hand.HasUnconfined Hand.IsEmpty Hand.Remove
		Move.Dropped Move.From Move.IsDrop Move.IsPromotion Move.To NewDrop NewMove NewPromotion
		Piece.Color Piece.Type PieceOf PieceType.Base PieceType.CanPromote PieceType.IsPromoted PieceType.IsSlider
		PieceType.Promoted
		Square.File Square.IsValid Square.Rank SquareAt Color.Opponent
		(*Position).BoardKey (*Position).Hand (*Position).King (*Position).Key (*Position).Occupied (*Position).Piece
		(*Position).Pieces (*Position).PiecesOf (*Position).SideToMove
		(*Line).Push (*Line).PushNull (*Line).Pop (*Line).WasCheck
	`) {
		if !inlinable[name] {
			t.Errorf("%s is not inlined, or no more", name)
		}
	}
}
