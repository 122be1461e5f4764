//go:build debug

package shogi

import (
	"strings"
	"testing"
)

// What a wrong Do, Undo or generator may leave behind is noticed at once, and at the scrutiny that
// promises it.
func TestDebugNotices(t *testing.T) {
	const start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
	t.Cleanup(func() { DebugScrutiny = CheckAll })
	for _, test := range []struct {
		sfen, move string
		spoil      func(p *Position)
		scrutiny   Scrutiny
		want       string
	}{
		{start, "7g7f", func(p *Position) { p.side ^= 1 }, CheckCheap, "the side to move is the same"},
		{start, "7g7f", func(p *Position) { p.ply++ }, CheckCheap, "the ply is 3"},
		{start, "7g7f", func(p *Position) { p.boardKey++ }, CheckCheap, "the key is not that of BoardKeyAfter"},
		{start, "7g7f", func(p *Position) { p.board[SquareAt(File9, RankE)] = PieceOf(Black, Gold) }, CheckCheap,
			"the key is not that of the pieces"},
		{start, "7g7f", func(p *Position) { p.hand[White] = p.hand[White].Add(Pawn, 1) }, CheckCheap, "the hands are"},
		{start, "5i5h", func(p *Position) { p.king[Black] = SquareAt(File4, RankI) }, CheckCheap, "there is no king on 4i"},
		{start, "7g7f", func(p *Position) { p.byType[Pawn] = p.byType[Pawn].Xor(bit(SquareAt(File1, RankE))) }, CheckAll,
			"the bitboards are not those of the squares"},
		{start, "7g7f", func(p *Position) { p.byColor[White] = Bitboard{} }, CheckAll,
			"the bitboards are not those of the squares"},
		{start, "7g7f", func(p *Position) {
			p.board[SquareAt(File1, RankG)] = NoPiece // and the key forgets it, too
			p.boardKey ^= zobrist[PieceOf(Black, Pawn)][SquareAt(File1, RankG)]
		}, CheckCheap, "the key is not that of BoardKeyAfter"},
		// Moves that no generator may make.
		{"4k4/9/9/9/9/4P4/9/9/4K4 b P 1", "P*5e", nil, CheckAll, "second black pawn on file 5"},
		{"k8/9/9/4N4/9/9/9/9/4K4 b - 1", "5d4b", nil, CheckAll, "where it can never move"},
		{start, "9i9g", nil, CheckCheap, "it takes a piece of its own"},
	} {
		p := MustParseSFEN(test.sfen)
		m, err := ParseMove(test.move)
		if err != nil {
			t.Fatal(err)
		}
		for scrutiny := CheckNothing; scrutiny <= CheckAll; scrutiny++ {
			DebugScrutiny = CheckNothing
			q := p
			u := q.Do(m)
			if test.spoil != nil {
				test.spoil(&q)
			}
			DebugScrutiny = scrutiny
			said := panicOf(func() { q.checkDone(m, &u) })
			if noticed := said != ""; noticed != (scrutiny >= test.scrutiny) {
				t.Errorf("%s at scrutiny %d of %d: %q", test.want, scrutiny, test.scrutiny, said)
			} else if noticed && !strings.Contains(said, test.want) {
				t.Errorf("%q, want %q", said, test.want)
			}
			// What Do did and Undo has not taken back.
			if test.spoil == nil || scrutiny == CheckNothing {
				continue
			}
			q = p
			test.spoil(&q)
			if said := panicOf(func() { q.checkUndone(m, &u) }); !strings.Contains(said, "was done and undone") {
				t.Errorf("%s after Undo: %q", test.want, said)
			}
		}
	}
}

// A king that is left in check is noticed when somebody plays on.
func TestDebugNoticesCheck(t *testing.T) {
	p := MustParseSFEN("4k4/9/9/9/4r4/9/9/4G4/4K4 b - 1")
	pinned, _ := ParseMove("5h4h")
	p.Do(pinned) // whoever asks what it would leave may make it
	reply, _ := ParseMove("5a4a")
	if said := panicOf(func() { p.Do(reply) }); !strings.Contains(said, "not to move is in check") {
		t.Errorf("a move after it: %q", said)
	}
	if said := panicOf(func() { p.ForSearch().DoNull() }); said == "" {
		t.Error("a pass after it is not noticed")
	}
}

// panicOf runs f and returns what it panics with, nothing if it does not.
func panicOf(f func()) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said = r.(string)
		}
	}()
	f()
	return ""
}
