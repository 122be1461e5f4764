// Package shogi knows the rules of shogi and its notations SFEN and USI: positions, legal moves,
// checks, evasions, repetition. It has no idea that anybody solves anything, and does no I/O.
//
// # The board
//
// Files 1 to 9 run from right to left, ranks a to i from top to bottom, as Black sees it; Black
// moves up. Squares are numbered file by file, so that one step along a file is one bit:
//
//	  9  8  7  6  5  4  3  2  1
//	 72 63 54 45 36 27 18  9  0  a
//	 73 64 55 46 37 28 19 10  1  b
//	 74 65 56 47 38 29 20 11  2  c
//	 75 66 57 48 39 30 21 12  3  d
//	 76 67 58 49 40 31 22 13  4  e
//	 77 68 59 50 41 32 23 14  5  f
//	 78 69 60 51 42 33 24 15  6  g
//	 79 70 61 52 43 34 25 16  7  h
//	 80 71 62 53 44 35 26 17  8  i
//	------|--------------------
//	  hi  |         lo             the two words of a Bitboard
//
// # Words
//
//   - SFEN: board, side to move, hands and move number in one line of text.
//   - hand: the captured pieces a side holds; drop (打つ): putting one back on the board.
//   - nifu (二歩): a second unpromoted pawn of one colour on a file; never legal by a drop.
//   - uchifuzume (打ち歩詰め): mate by dropping a pawn; not legal, for either side.
//   - evasion: a legal move of a side in check; interposition (合い駒): an evasion onto a square between.
//   - pin: a piece that may not leave the line between its king and an enemy slider.
//   - discovered check: a check by a slider that the moving piece stood in front of.
//
// In a mate problem (詰将棋) the attacker must check with every move and the defender may answer
// with any legal move. The attacker often has no king on the board, and pieces may be missing
// altogether; a Position allows both.
//
// A position can be read by many goroutines at once; changing it needs it alone. Copies are
// independent. With the build tag debug it checks itself after every move (debug.go).
package shogi
