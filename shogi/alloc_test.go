//go:build !debug

package shogi_test

import (
	"testing"
	"unsafe"

	"github.com/tsumero/tsumero/shogi"
)

// TestSizes holds the sizes that buffers, tables and copies count on.
func TestSizes(t *testing.T) {
	for _, test := range []struct {
		name      string
		got, want uintptr
	}{
		{"Square", unsafe.Sizeof(shogi.Square(0)), 1},
		{"Piece", unsafe.Sizeof(shogi.Piece(0)), 1},
		{"Move", unsafe.Sizeof(shogi.Move(0)), 2},
		{"Hand", unsafe.Sizeof(shogi.Hand(0)), 4},
		{"Bitboard", unsafe.Sizeof(shogi.Bitboard{}), 16}, // two words, which stay in registers
		{"Undo", unsafe.Sizeof(shogi.Undo{}), 16},
		{"MoveBuffer", unsafe.Sizeof(shogi.MoveBuffer{}), 2048}, // masked with 1023, so no index is checked
	} {
		if test.got != test.want {
			t.Errorf("a %s has %d bytes, want %d", test.name, test.got, test.want)
		}
	}
	const lines = 7 // of 64 bytes in the cache: what a copy of a position moves
	if size := unsafe.Sizeof(shogi.Position{}); size > lines*64 {
		t.Errorf("a Position has %d bytes, want at most %d", size, lines*64)
	}
}

// TestNoAllocations runs what searches call at every node.
func TestNoAllocations(t *testing.T) {
	var buf, replies shogi.MoveBuffer
	text := make([]byte, 0, 256)
	for _, row := range perftRows(t) {
		p := shogi.MustParseSFEN(row.sfen)
		g := shogi.NewGame(p)
		line := g.Line()
		n := testing.AllocsPerRun(10, func() {
			ci := p.CheckInfo()
			for _, set := range []shogi.MoveSet{shogi.AllMoves, shogi.UsefulMoves} {
				p.ForSearch().PseudoLegalMoves(&buf, set)
				p.Checks(&buf, set)
				p.HasCheck()
				p.CountLegalMoves(set)
				p.CanDeclare(shogi.CSARule27)
				if !p.InCheck() {
					p.Captures(&buf, set)
					line.PushNull(&p)
					p.ForSearch().DoNull()
					line.Repetition(&p, false)
					p.ForSearch().UndoNull()
					line.Pop()
				}
				line.Push(&p, p.InCheck())
				for _, m := range p.LegalMoves(&buf, set) {
					if !p.IsLegal(m) {
						panic(m)
					}
					p.GivesCheck(m, &ci)
					p.BoardKeyAfter(m)
					p.ForSearch().KeyAfter(m)
					p.HandAfter(m)
					u := p.Do(m)
					if p.InCheck() {
						p.Evasions(&replies, set)
						p.HasEvasion()
					}
					p.Key()
					line.Repetition(&p, p.InCheck())
					p.Undo(m, u)
					text = m.AppendUSI(text[:0])
				}
				line.Pop()
			}
			text = p.AppendSFEN(text[:0])
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", row.name, n)
		}
	}
}
