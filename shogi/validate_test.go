package shogi_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// TestSetup builds positions from parts that may be anything.
func TestSetup(t *testing.T) {
	sq := func(s string) shogi.Square {
		sq, err := shogi.ParseSquare(s)
		if err != nil {
			t.Fatal(err)
		}
		return sq
	}
	type setup = shogi.Setup
	tests := []struct {
		name   string
		change func(s *setup)
		want   []string // code, field, square and message of each fault
	}{
		{"nothing", func(*setup) {}, nil},
		{"the last move number", func(s *setup) { s.Ply = shogi.MaxPly }, nil},
		{"White to move", func(s *setup) { s.Side = shogi.White }, nil},
		{
			"no move number", func(s *setup) { s.Ply = 0 },
			[]string{"ply ply - found move number 0, expected 1 to 1000000"},
		},
		{
			"a negative one", func(s *setup) { s.Ply = -1 },
			[]string{"ply ply - found move number -1, expected 1 to 1000000"},
		},
		{
			"one too large", func(s *setup) { s.Ply = 1 << 40 },
			[]string{"ply ply - found move number 1099511627776, expected 1 to 1000000"},
		},
		{
			"a third side", func(s *setup) { s.Side = 2 },
			[]string{"side side - found the value 2, expected Black or White"},
		},
		{
			"values that are no pieces", func(s *setup) {
				s.Board[sq("9a")], s.Board[sq("5e")], s.Board[sq("1i")] = 15, 16, 255
			},
			[]string{
				"piece_letter board 9a found no piece but the value 15 on 9a",
				"piece_letter board 5e found no piece but the value 16 on 5e",
				"piece_letter board 1i found no piece but the value 255 on 1i",
			},
		},
		{
			"values that are no hands", func(s *setup) { s.Hands[shogi.Black], s.Hands[shogi.White] = 1<<5, 1<<31 },
			[]string{
				"hand_count hands - found no hand but the value 0x20 for black",
				"hand_count hands - found no hand but the value 0x80000000 for white",
			},
		},
		{
			"more in hand than there are", func(s *setup) {
				s.Hands[shogi.Black] = s.Hands[shogi.Black].Add(shogi.Rook, 3).Add(shogi.Pawn, 31)
				s.Hands[shogi.White] = s.Hands[shogi.White].Add(shogi.Gold, 7)
			},
			[]string{
				"piece_count hands - found 3 rooks (0 on the board, 3 in hand), a set has 2",
				"piece_count hands - found 7 golds (0 on the board, 7 in hand), a set has 4",
				"piece_count hands - found 31 pawns (0 on the board, 31 in hand), a set has 18",
			},
		},
		{
			"everything else at once", func(s *setup) {
				s.Board[sq("5a")] = shogi.PieceOf(shogi.White, shogi.King)
				s.Board[sq("5b")] = shogi.PieceOf(shogi.Black, shogi.Gold)
				s.Board[sq("9a")] = shogi.PieceOf(shogi.Black, shogi.Pawn)
				s.Board[sq("9b")] = shogi.PieceOf(shogi.Black, shogi.Pawn)
				s.Board[sq("1h")] = shogi.PieceOf(shogi.Black, shogi.King)
				s.Board[sq("1i")] = shogi.PieceOf(shogi.Black, shogi.King)
				s.Board[sq("2i")] = shogi.PieceOf(shogi.White, shogi.Knight)
			},
			[]string{
				"dead_piece board 9a found a black pawn on 9a, where it can never move",
				"nifu board 9b found a second black pawn on file 9 (nifu)",
				"king_count board 1i found a second black king on 1i, expected at most one",
				"dead_piece board 2i found a white knight on 2i, where it can never move",
				"opponent_in_check side 5a black is to move, but the white king on 5a already stands in check from 5b",
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := setup{Ply: 1}
			test.change(&s)
			p, err := s.Position()
			if test.want == nil {
				if err != nil || p.Setup() != s || p.BoardKey() != p.ForSearch().RecomputeBoardKey() {
					t.Errorf("%s, %v", p.SFEN(), err)
				}
				return
			}
			var bad *shogi.SFENError
			if !errors.As(err, &bad) || bad.Input != "" || p != (shogi.Position{}) {
				t.Fatalf("%s, %v", p.SFEN(), err)
			}
			var got []string
			for _, f := range bad.Faults {
				got = append(got, f.Code+" "+f.Field+" "+f.Square.String()+" "+f.Msg.String())
				if f.Offset != -1 {
					t.Errorf("offset %d in no text", f.Offset)
				}
			}
			slices.Sort(got)
			slices.Sort(test.want)
			if !slices.Equal(got, test.want) {
				t.Errorf("faults %q, want %q", got, test.want)
			}
		})
	}
}

// TestSetupErrorText is the text of an error that has no place in a text.
func TestSetupErrorText(t *testing.T) {
	s := shogi.Setup{Side: 2}
	_, err := s.Position()
	const want = "shogi: bad position: side: found the value 2, expected Black or White; ply: found move number 0, expected 1 to 1000000"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %v", err, want)
	}
}

// TestSetupRandom fills setups with random bytes: whatever is accepted is a position, whatever is
// refused says why.
func TestSetupRandom(t *testing.T) {
	rng := shogitest.NewRand(t)
	accepted := 0
	for range 20_000 {
		s := shogi.Setup{Ply: rng.IntN(3), Side: shogi.Color(rng.IntN(2))}
		for n := rng.IntN(8); n > 0; n-- {
			s.Board[rng.IntN(shogi.NumSquares)] = shogi.Piece(rng.IntN(34))
		}
		if rng.IntN(2) == 0 {
			s.Hands[rng.IntN(2)] = shogi.Hand(rng.Uint32() & rng.Uint32() & rng.Uint32())
		}
		p, err := s.Position()
		if err != nil {
			if bad := new(shogi.SFENError); !errors.As(err, &bad) || len(bad.Faults) == 0 {
				t.Fatalf("%v: %v", s, err)
			}
			continue
		}
		accepted++
		if q, err := shogi.ParseSFEN(p.SFEN()); err != nil || q != p || p.Setup() != s {
			t.Fatalf("%s: read %s, %v", p.SFEN(), q.SFEN(), err)
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d accepted", accepted)
	}
}
