package shogi_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tsumero/tsumero/shogi"
)

// A gold at the head of the king (頭金):
//
//	  9  8  7  6  5  4  3  2  1
//	  .  .  .  . vK  .  .  .  .  a
//	  .  .  .  .  .  .  .  .  .  b
//	  .  .  .  .  P  .  .  .  .  c
//	Black to move, a gold in hand
const headGold = "4k4/9/4P4/9/9/9/9/9/9 b G 1"

func ExampleParseSFEN() {
	p, err := shogi.ParseSFEN("sfen 4k4/9/4P4/45/9/9/9/9/9 b gG")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.SFEN())
	fmt.Println(p.SideToMove(), "has", p.Hand(shogi.Black), "and the king to take is on", p.King(shogi.White))
	// Output:
	// 4k4/9/4P4/9/9/9/9/9/9 b Gg 1
	// black has G and the king to take is on 5a
}

func ExampleSFENError() {
	_, err := shogi.ParseSFEN("5+P1k1/9/5/+rB2/9/9/9/9/9/9 b RPb4g4s4k4l16p 1")
	var bad *shogi.SFENError
	if errors.As(err, &bad) {
		for _, f := range bad.Faults {
			fmt.Printf("%s at byte %d of the text: %s\n", f.Code, f.Offset, f.Msg)
		}
	}
	// Output:
	// rank_count at byte 10 of the text: found 10 ranks, expected 9: ranks 3 (c) and 4 (d) are 5 and 4 squares wide, is the / between them one too many?
	// king_in_hand at byte 38 of the text: found "k", but a king cannot be held
}

func ExampleParsePosition() {
	g, err := shogi.ParsePosition("position startpos moves 7g7f 3c3d 8h2b+")
	if err != nil {
		fmt.Println(err)
		return
	}
	p := g.Position()
	fmt.Println(p.SFEN())

	_, err = shogi.ParsePosition("startpos moves 7g7f 3c3d 8h1a+")
	fmt.Println(err)
	// Output:
	// lnsgkgsnl/1r5+B1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL w B 4
	// shogi: bad position: moves, byte 25: move 3: 8h1a+ is not legal: the bishop on 8h cannot go to 1a past the piece on 2b, in lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3
}

func ExamplePosition_Do() {
	p := shogi.MustParseSFEN(headGold)
	m, err := shogi.ParseMove("G*5b")
	if err != nil || !p.IsLegal(m) {
		fmt.Println("not a move here")
		return
	}
	u := p.Do(m)
	fmt.Println(p.SFEN(), p.IsCheckmate())
	p.Undo(m, u)
	fmt.Println(p.SFEN(), p.IsCheckmate())
	// Output:
	// 4k4/4G4/4P4/9/9/9/9/9/9 w - 2 true
	// 4k4/9/4P4/9/9/9/9/9/9 b G 1 false
}

func ExamplePosition_LegalMoves() {
	p := shogi.MustParseSFEN(headGold)
	var buf shogi.MoveBuffer // may be used again and again
	moves := p.LegalMoves(&buf, shogi.AllMoves)
	fmt.Println(len(moves), "moves, two of them by the pawn:")
	for _, m := range moves {
		if !m.IsDrop() {
			fmt.Println(m)
		}
	}
	// Unordered output:
	// 81 moves, two of them by the pawn:
	// 5c5b
	// 5c5b+
}

func ExamplePosition_Checks() {
	p := shogi.MustParseSFEN(headGold)
	var buf shogi.MoveBuffer
	checks := slices.Clone(p.Checks(&buf, shogi.UsefulMoves))
	slices.Sort(checks)
	for _, m := range checks {
		u := p.Do(m)
		fmt.Println(m, "mate:", p.IsCheckmate())
		p.Undo(m, u)
	}
	// Output:
	// 5c5b+ mate: false
	// G*4a mate: false
	// G*4b mate: false
	// G*5b mate: true
	// G*6a mate: false
	// G*6b mate: false
}

func ExampleGame_Repetition() {
	// The rook checks on 1i and 2i, the king goes to and fro.
	g, err := shogi.ParsePosition("8k/9/9/9/9/9/9/9/7R1 b - 1 moves" +
		" 2i1i 1a2a 1i2i 2a1a 2i1i 1a2a 1i2i 2a1a 2i1i 1a2a 1i2i 2a1a")
	if err != nil {
		fmt.Println(err)
		return
	}
	switch g.Repetition() {
	case shogi.NoRepetition:
		fmt.Println("the game goes on")
	case shogi.Sennichite:
		fmt.Println("a draw")
	case shogi.PerpetualByBlack:
		fmt.Println("Black has checked too often and loses")
	case shogi.PerpetualByWhite:
		fmt.Println("White has checked too often and loses")
	}
	// Output: Black has checked too often and loses
}

func ExamplePerft() {
	for depth := range 5 {
		fmt.Println(depth, shogi.Perft(shogi.Start(), depth, shogi.AllMoves))
	}
	// Output:
	// 0 1
	// 1 30
	// 2 900
	// 3 25470
	// 4 719731
}
