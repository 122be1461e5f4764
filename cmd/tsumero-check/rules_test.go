package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// read returns the position of an SFEN.
func read(sfen string) position {
	f := strings.Fields(sfen)
	return position{parseBoard(f[0]), parseHands(f[2]), strings.Index("bw", f[1])}
}

// sameRules compares the legal moves and the checks of p with those of package mailbox, which knows
// the rules by itself, and returns how many there are.
func sameRules(t *testing.T, p *shogi.Position) (legal, checks int) {
	t.Helper()
	b := mailbox.From(p)
	q := read(b.SFEN())
	want := map[bool][]string{}
	for _, m := range b.LegalMoves() {
		want[false] = append(want[false], m.String())
		if b.GivesCheck(m) {
			want[true] = append(want[true], m.String())
		}
	}
	for checks, list := range want {
		slices.Sort(list)
		var got []string
		for _, m := range q.moves(checks) {
			got = append(got, m.String())
		}
		if !slices.Equal(got, list) {
			t.Fatalf("%s: checks only: %v\nmoves %v\nwant  %v", b.SFEN(), checks, got, list)
		}
	}
	for side := range 2 {
		if got, want := q.inCheck(side), b.InCheck(shogi.Color(side)); got != want {
			t.Fatalf("%s: side %d is in check: %v, want %v", b.SFEN(), side, got, want)
		}
	}
	if got, want := q.mated(), b.IsMated(); got != want {
		t.Fatalf("%s: mated: %v, want %v", b.SFEN(), got, want)
	}
	return len(want[false]), len(want[true])
}

// The program has its own rules of shogi. They are those of package mailbox: in games with random
// moves, and in random problems, which have one king or two, either attacker, and all kinds of
// pieces.
func TestRules(t *testing.T) {
	t.Parallel()
	const games, problems = 10, 1000
	rng := shogitest.NewRand(t)
	seen, total := map[shogi.Piece]bool{}, 0
	note := func(p *shogi.Position) int {
		legal, _ := sameRules(t, p)
		for sq := range shogi.Square(shogi.NumSquares) {
			seen[p.Piece(sq)] = true
		}
		total++
		return legal
	}
	for range games {
		p := shogi.Start()
		for range 120 {
			if note(&p) == 0 {
				break
			}
			var buf shogi.MoveBuffer
			moves := p.LegalMoves(&buf, shogi.AllMoves)
			p.Do(moves[rng.IntN(len(moves))])
		}
	}
	random := solvertest.NewRandom(shogitest.Seed(t), 0)
	for range problems {
		p := random.Next()
		note(&p)
		p = p.Rotated()
		note(&p)
	}
	if len(seen) != 29 { // 14 kinds of each side, and the empty square
		t.Errorf("%d kinds of pieces in %d positions, want 29", len(seen), total)
	}
	t.Logf("%d positions", total)
}

// The rules that random positions seldom meet.
func TestRareRules(t *testing.T) {
	for name, sfen := range map[string]string{
		"a pawn drop that mates":                    "7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1",
		"a pawn drop that a gold can take":          "7gk/9/7G1/9/9/9/9/9/9 b P2r2b2g4s4n4l17p 1",
		"a pawn drop that a pinned gold cannot":     "R6gk/9/7G1/9/9/9/9/9/9 b Pr2b2g4s4n4l17p 1",
		"a pawn drop that a pinned gold can take":   "8k/9/8g/7G1/8R/9/9/9/9 b Pr2b2g4s4n4l17p 1",
		"an interposed pawn that mates":             "4r2nk/9/7G1/8K/9/9/9/9/r8 b P2b3g4s3n4l17p 1",
		"two pawns on a file":                       "4k4/9/9/4+P4/3P5/9/2p6/9/4K4 b P2r2b4g4s4n4l14p 1",
		"pieces that could never move":              "4k4/9/9/9/9/9/9/9/4K4 b PLN2r2b4g4s3n3l17p 1",
		"pieces that must promote":                  "9/PL7/1PN1k4/2N6/9/9/9/9/4K4 b 2r2b4g4s2n3l16p 1",
		"a double check":                            "4k4/9/3N5/9/4R4/9/9/9/9 w r2b4g4s3n4l18p 1",
		"kings side by side, both with pawns":       "9/9/9/4k4/9/4K4/9/9/9 b 9P9p 1",
		"no king":                                   "9/9/9/9/4G4/9/9/9/9 b 9P9p 1",
		"a king in check who can check by parrying": "4k4/9/9/9/4r4/9/4K4/9/9 b PLNSGBR 1",
	} {
		t.Run(name, func(t *testing.T) {
			p, err := shogi.ParseSFEN(sfen)
			if err != nil {
				t.Fatal(err)
			}
			shogitest.BothWays(t, p, func(t *testing.T, _ shogi.Position, _ func(shogi.Move) shogi.Move) {
				q := p
				if strings.HasSuffix(t.Name(), "turned") {
					q = p.Rotated()
				}
				sameRules(t, &q)
			})
		})
	}
}
