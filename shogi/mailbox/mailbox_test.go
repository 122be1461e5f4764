package mailbox_test

import (
	"bufio"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// Leaf counts that two independent engines agree on: SFEN, then all moves and useful moves at
// depths 1 and 2.
//
//go:embed testdata/perft.tsv
var perftTSV string

func perft(b *mailbox.Board, depth int, useful bool) int {
	n := 0
	for _, m := range b.LegalMoves() {
		if useful && !b.IsUseful(m) {
			continue
		}
		if depth == 1 {
			n++
			continue
		}
		after := *b
		after.Do(m)
		n += perft(&after, depth-1, useful)
	}
	return n
}

func TestPerft(t *testing.T) {
	rows := 0
	for lines := bufio.NewScanner(strings.NewReader(perftTSV)); lines.Scan(); rows++ {
		fields := strings.Split(lines.Text(), "\t")
		p := shogi.MustParseSFEN(fields[0])
		b := mailbox.From(&p)
		for i, useful := range []bool{false, false, true, true} {
			want, err := strconv.Atoi(fields[1+i])
			if err != nil {
				t.Fatal(err)
			}
			depth := i%2 + 1
			if got := perft(&b, depth, useful); got != want {
				t.Errorf("%s: depth %d, useful %v: %d leaves, want %d", fields[0], depth, useful, got, want)
			}
		}
	}
	if rows != 16 {
		t.Errorf("%d rows, want 16", rows)
	}
}

// move reads a move in USI form.
func move(t *testing.T, text string) shogi.Move {
	t.Helper()
	m, err := shogi.ParseMove(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// rotated returns the board of sfen seen from the other side, colours exchanged, and a function
// that does the same to a move, so that each case is a case for both colours.
func rotated(t *testing.T, sfen string) (shogi.Position, func(shogi.Move) shogi.Move) {
	t.Helper()
	p := shogi.MustParseSFEN(sfen)
	from := p.Setup()
	to := shogi.Setup{Side: from.Side.Opponent(), Ply: from.Ply}
	for sq, pc := range from.Board {
		if pc != shogi.NoPiece {
			to.Board[shogi.NumSquares-1-sq] = shogi.PieceOf(pc.Color().Opponent(), pc.Type())
		}
	}
	to.Hands[shogi.Black], to.Hands[shogi.White] = from.Hands[shogi.White], from.Hands[shogi.Black]
	p, err := to.Position()
	if err != nil {
		t.Fatal(err)
	}
	return p, func(m shogi.Move) shogi.Move {
		turn := func(sq shogi.Square) shogi.Square { return shogi.NumSquares - 1 - sq }
		switch {
		case m.IsDrop():
			return shogi.NewDrop(m.Dropped(), turn(m.To()))
		case m.IsPromotion():
			return shogi.NewPromotion(turn(m.From()), turn(m.To()))
		}
		return shogi.NewMove(turn(m.From()), turn(m.To()))
	}
}

func TestRules(t *testing.T) {
	tests := []struct {
		name, sfen string
		legal      string // moves that are,
		illegal    string // that are not,
		checks     string // that check, and
		quiet      string // that do not; both legal
	}{
		{
			//   2  1
			//  vN vK a
			//   .  . b
			//   G  . c
			name:    "a pawn drop that mates (打ち歩詰め)",
			sfen:    "7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1",
			illegal: "P*1b",
			checks:  "2c1b",
			quiet:   "P*1d",
		},
		{
			name:   "the pawn pushed instead of dropped mates, and may",
			sfen:   "7nk/9/7GP/9/9/9/9/9/9 b 2r2b3g4s3n4l17p 1",
			checks: "1c1b 1c1b+",
		},
		{
			name:   "a pawn drop that a gold can take",
			sfen:   "7gk/9/7G1/9/9/9/9/9/9 b P2r2b2g4s4n4l17p 1",
			checks: "P*1b",
		},
		{
			name:    "a pawn drop that only a pinned gold could take",
			sfen:    "R6gk/9/7G1/9/9/9/9/9/9 b Pr2b2g4s4n4l17p 1",
			illegal: "P*1b",
		},
		{
			name:    "a pawn drop that only a gold pinned on a diagonal could take",
			sfen:    "7nk/7g1/6BG1/9/9/9/9/9/9 b P2rb2g4s3n4l17p 1",
			quiet:   "P*1c",
			illegal: "P*1b",
			checks:  "2c2b",
		},
		{
			name:   "a pawn drop that a pinned gold can take, moving along the pin",
			sfen:   "8k/9/8g/7G1/8R/9/9/9/9 b Pr2b2g4s4n4l17p 1",
			quiet:  "P*1d",
			checks: "P*1b",
		},
		{
			name:   "a pawn drop that the king can take",
			sfen:   "7nk/9/9/7G1/9/9/9/9/9 b P2r2b3g4s3n4l17p 1",
			checks: "P*1b",
		},
		{
			name:   "a pawn drop that the king cannot take, but may step aside from",
			sfen:   "8k/9/7G1/9/9/9/9/9/9 b P2r2b3g4s4n4l17p 1",
			checks: "P*1b",
		},
		{
			name:   "a pawn drop in front of a king that is not alone on the board, with a way out behind it",
			sfen:   "9/8k/9/7G1/9/9/9/9/8K b P2r2b3g4s4n4l17p 1",
			checks: "P*1c",
		},
		{
			// The white rook checks on the file; a pawn between would mate the king in front of it.
			name:    "an interposed pawn that would mate (打ち歩詰め by the side in check)",
			sfen:    "4r2nk/9/7G1/8K/9/9/9/9/r8 b P2b3g4s3n4l17p 1",
			illegal: "P*1b",
			quiet:   "1d1e",
		},
		{
			name:    "two pawns on a file (二歩), a tokin does not count, nor the enemy's pawn",
			sfen:    "4k4/9/9/4+P4/3P5/9/2p6/9/4K4 b P2r2b4g4s4n4l14p 1",
			quiet:   "P*5e P*7b P*7f",
			checks:  "P*5b",
			illegal: "P*6b P*6i",
		},
		{
			name:    "pieces that could never move again (行き所のない駒)",
			sfen:    "4k4/9/9/9/9/9/9/9/4K4 b PLN2r2b4g4s3n3l17p 1",
			quiet:   "P*1b L*1b N*1c",
			illegal: "P*1a L*1a N*1a N*1b",
		},
		{
			name:    "they must promote instead",
			sfen:    "9/PL7/1PN1k4/2N6/9/9/9/9/4K4 b 2r2b4g4s2n3l16p 1",
			legal:   "9b9a+ 8b8a+ 7c6a+ 7c8a+ 7d6b+",
			illegal: "9b9a 8b8a 7c6a 7c8a 7d6b",
		},
		{
			name:    "promotion into the zone and inside it, never twice, never of a gold or king",
			sfen:    "9/4S4/7K1/4GS3/4+P4/9/9/1k7/9 b 2r2b3g2s4n4l17p 1",
			legal:   "4d4c 4d4c+ 5b6c 5b6c+ 5b4c+ 5d5c 5e6d 2c2d",
			illegal: "4d3e+ 5d5c+ 5e6d+ 2c2d+ 2c2b+",
		},
		{
			name:  "out of the zone",
			sfen:  "9/9/4B4/9/9/9/9/1k7/9 b 2rb4g4s4n4l18p 1",
			legal: "5c6d 5c6d+ 5c9g+ 5c9g",
		},
		{
			name:    "a pinned piece stays on its line",
			sfen:    "4r3k/9/9/9/9/9/9/4G4/4K4 b r2b3g4s4n4l18p 1",
			legal:   "5h5g 5i6i",
			illegal: "5h4h 5h6h 5h4g",
		},
		{
			name:    "a pinned piece may take the pinner",
			sfen:    "8k/9/9/1b7/9/9/4B4/5K3/9 b 2r4g4s4n4l18p 1",
			legal:   "5g8d 5g7e",
			illegal: "5g4f 5g6h",
		},
		{
			name:    "in double check only the king moves",
			sfen:    "4r3k/9/9/9/9/9/3n5/G8/4K4 b 2G1r2b1g4s3n4l18p 1",
			illegal: "G*5h 9h8h",
			legal:   "5i4i",
		},
		{
			name:    "a king may not stay on the line of the check",
			sfen:    "4r3k/9/9/9/9/4K4/9/9/9 b 1r2b4g4s4n4l18p 1",
			illegal: "5f5g 5f5e",
			legal:   "5f4f",
		},
		{
			name:    "a protected checker is not taken by the king",
			sfen:    "8k/9/9/9/9/9/3g5/4+p4/4KG3 b 2r2b2g4s4n4l17p 1",
			illegal: "5i5h 5i6i 5i4h",
			legal:   "4i5h",
		},
		{
			name:    "a contact check and a knight's check cannot be interposed",
			sfen:    "8k/9/9/9/9/9/3n5/9/4K4 b G2r2b3g4s3n4l18p 1",
			illegal: "G*6h G*5h G*1e",
			legal:   "5i5h",
		},
		{
			name:    "what takes the checker or goes between may promote, and must where it could not move again",
			sfen:    "K3r4/4PS3/3N5/9/9/9/9/9/8k b r2b4g3s3n4l17p 1",
			legal:   "5b5a+ 4b5a 4b5a+ 6c5a+ 6c7a+",
			illegal: "5b5a 6c5a 6c7a 4b3a",
		},
		{
			name:    "a slider does not go on behind the checker that it takes",
			sfen:    "4R4/8k/9/9/4r4/9/9/9/4K4 b 2b4g4s4n4l18p 1",
			legal:   "5a5e 5a5e+ 5i4i",
			illegal: "5a5f 5a5h 5a5b",
		},
		{
			name:   "direct and discovered checks",
			sfen:   "4k4/9/9/9/4N4/9/9/4L4/9 b S2r2b4g3s3n3l18p 1",
			checks: "5e4c 5e6c 5e4c+ S*5b S*4b S*6b",
			quiet:  "S*5d S*5c S*4a 5h5g",
		},
		{
			name:    "no king at all",
			sfen:    "9/9/9/9/9/9/9/9/P8 b P2r2b4g4s4n4l16p 1",
			quiet:   "9i9h P*8b",
			illegal: "P*9b P*8a",
		},
		{
			name:    "a side without a king has nothing to fear",
			sfen:    "4k4/4r4/4G4/9/9/9/9/9/9 b r2b3g4s4n4l18p 1",
			checks:  "5c5b",
			quiet:   "5c4c",
			illegal: "5c4d 5c4b+",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			asIs := func(m shogi.Move) shogi.Move { return m }
			p, err := shogi.ParseSFEN(test.sfen)
			if err != nil {
				t.Fatal(err)
			}
			turned, turn := rotated(t, test.sfen)
			for _, side := range []struct {
				p    shogi.Position
				turn func(shogi.Move) shogi.Move
			}{{p, asIs}, {turned, turn}} {
				b := mailbox.From(&side.p)
				moves := b.LegalMoves()
				expect := func(texts string, legal bool) {
					for _, text := range strings.Fields(texts) {
						m := side.turn(move(t, text))
						if b.IsLegal(m) != legal || slices.Contains(moves, m) != legal {
							t.Errorf("%s: IsLegal(%s) is %v, listed %v, want %v", b.SFEN(), m, b.IsLegal(m), slices.Contains(moves, m), legal)
						}
					}
				}
				expect(test.legal+" "+test.checks+" "+test.quiet, true)
				expect(test.illegal, false)
				for _, text := range strings.Fields(test.checks) {
					if m := side.turn(move(t, text)); !b.GivesCheck(m) {
						t.Errorf("%s: %s gives no check", b.SFEN(), m)
					}
				}
				for _, text := range strings.Fields(test.quiet) {
					if m := side.turn(move(t, text)); b.GivesCheck(m) {
						t.Errorf("%s: %s gives check", b.SFEN(), m)
					}
				}
			}
		})
	}
}

func TestIsMated(t *testing.T) {
	tests := []struct {
		name, sfen string
		want       bool
	}{
		{"gold on the head (頭金)", "4k4/4G4/4G4/9/9/9/9/9/9 w 2r2b2g4s4n4l18p 2", true},
		{"the head gold unprotected", "4k4/4G4/9/9/9/9/9/9/9 w 2r2b3g4s4n4l18p 2", false},
		{"smothered by a knight", "7rk/7np/7N1/9/9/9/9/9/9 w - 2", true},
		{"a knight that a pawn can take", "7rk/7pp/7N1/9/9/9/9/9/9 w - 2", false},
		{"a distant rook and an empty hand", "k7R/pp7/9/9/9/9/9/9/9 w - 2", true},
		{"a distant rook and a lance to interpose", "k7R/pp7/9/9/9/9/9/9/9 w l 2", false},
		{"a distant rook and only a pawn on a file that has one", "k7R/pp7/2p6/3p5/4p4/5p3/6p2/7p1/9 w p 2", true},
		{"a distant rook and a bishop that can go between", "k7R/pp7/2b6/9/9/9/9/9/9 w - 2", false},
		{"no move, but no check either", "8k/6G2/7G1/9/9/9/9/9/9 w - 2", false},
		{"no king", "9/9/9/9/9/9/9/9/9 w - 2", false},
	}
	for _, test := range tests {
		p := shogi.MustParseSFEN(test.sfen)
		if b := mailbox.From(&p); b.IsMated() != test.want {
			t.Errorf("%s: IsMated(%s) is %v; %v", test.name, test.sfen, b.IsMated(), b.LegalMoves())
		}
	}
}

func TestIsUseful(t *testing.T) {
	p := shogi.MustParseSFEN("9/6R2/9/2B1S2PL/9/R8/9/9/8K b P 1")
	b := mailbox.From(&p)
	for text, want := range map[string]bool{
		"2d2c": false, "2d2c+": true, // a pawn that could promote should
		"7d5b": false, "7d5b+": true, "7d8e": true, // a bishop too, where it could
		"9f9c": false, "9f9c+": true, "9f9d": true, "3b3f": false, "3b3f+": true, // and a rook, when it leaves as well
		"1d1c": true, "1d1c+": true, "1d1b": false, "1d1b+": true, // a lance should on the second rank only
		"5d5c": true, "5d5c+": true, // nor a silver
		"P*7b": true, "1i2i": true,
	} {
		m := move(t, text)
		if !b.IsLegal(m) {
			t.Errorf("%s is not legal", text)
		}
		if got := b.IsUseful(m); got != want {
			t.Errorf("IsUseful(%s) is %v", text, got)
		}
	}
}

func TestIsCapture(t *testing.T) {
	p := shogi.MustParseSFEN("9/6R2/1p7/1PB1S2PL/9/p8/9/R8/8K b P 1")
	b := mailbox.From(&p)
	for text, want := range map[string]bool{
		"8d8c": true, "8d8c+": true, "9h9f": true, // what takes a piece
		"2d2c+": true, "2d2c": false, // and a pawn that promotes
		"3b3a+": false, "5d5c+": false, "1d1c+": false, "7d6c+": false, // but nothing else that does
		"9h9g": false, "P*7b": false, "1i2i": false,
	} {
		m := move(t, text)
		if !b.IsLegal(m) {
			t.Errorf("%s is not legal", text)
		}
		if got := b.IsCapture(m); got != want {
			t.Errorf("IsCapture(%s) is %v", text, got)
		}
	}
}

func TestIsPawnDropMate(t *testing.T) {
	p := shogi.MustParseSFEN("7nk/9/7G1/9/9/9/9/9/9 b PL2r2b3g4s3n3l17p 1")
	b := mailbox.From(&p)
	for text, want := range map[string]bool{"P*1b": true, "L*1b": false, "P*1c": false, "2c1b": false, "P*1a": false} {
		if got := b.IsPawnDropMate(move(t, text)); got != want {
			t.Errorf("IsPawnDropMate(%s) is %v", text, got)
		}
	}
	// Black, in check itself, may not drop the pawn for that reason already.
	p = shogi.MustParseSFEN("r6nk/9/7G1/9/9/9/9/9/K8 b P1r2b3g4s3n4l17p 1")
	b = mailbox.From(&p)
	if b.IsPawnDropMate(move(t, "P*1b")) || b.IsLegal(move(t, "P*1b")) {
		t.Error("P*1b leaves the king in check")
	}
}

func TestSFEN(t *testing.T) {
	for _, sfen := range []string{
		shogi.StartSFEN,
		"9/9/9/9/9/9/9/9/9 w - 17",
		"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
		"R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 300",
		"+p+l+n+s1+b+r2/+P+L+N+S1+B+R2/9/9/9/9/9/9/9 b 2G2S2N2L16P2g 1",
	} {
		p := shogi.MustParseSFEN(sfen)
		b := mailbox.From(&p)
		if got := b.SFEN(); got != sfen {
			t.Errorf("got %s, want %s", got, sfen)
		}
	}
}

// Positions are the same with equal boards, hands and sides to move, whatever their move numbers.
// Replays count repetitions by it.
func TestPosition(t *testing.T) {
	const sfen = "4k4/9/9/9/9/9/9/9/4K4 b Pp 1"
	p := shogi.MustParseSFEN(sfen)
	b := mailbox.From(&p)
	for _, c := range []struct {
		sfen string
		same bool
	}{
		{sfen, true},
		{"4k4/9/9/9/9/9/9/9/4K4 b Pp 9", true},
		{"4k4/9/9/9/9/9/9/9/4K4 w Pp 1", false},
		{"4k4/9/9/9/9/9/9/9/4K4 b 2Pp 1", false},
		{"4k4/9/9/9/9/9/9/9/4K4 b P2p 1", false},
		{"4k4/9/9/9/9/9/9/9/4K4 b Sp 1", false},
		{"4k4/9/9/9/9/9/9/9/3K5 b Pp 1", false},
		{"4k4/9/9/9/9/9/9/l8/4K4 b Pp 1", false},
	} {
		q := shogi.MustParseSFEN(c.sfen)
		other := mailbox.From(&q)
		if got := b.Position() == other.Position(); got != c.same {
			t.Errorf("%s and %s are the same position: %v, want %v", sfen, c.sfen, got, c.same)
		}
	}
}

// The parts of the package agree with one another over random games: what IsLegal says of every
// value a move can have is what LegalMoves lists, which takes short cuts where the side to move is
// in check.
func TestPartsAgree(t *testing.T) {
	rng := shogitest.NewRand(t)
	starts := strings.Split(strings.TrimSpace(perftTSV), "\n")
	checks := 0
	for game := range 2 * len(starts) {
		p := shogi.MustParseSFEN(strings.Split(starts[game%len(starts)], "\t")[0])
		b := mailbox.From(&p)
		for range 8 {
			moves := b.LegalMoves()
			listed := map[shogi.Move]bool{}
			for _, m := range moves {
				if listed[m] {
					t.Fatalf("%s: %s is listed twice", b.SFEN(), m)
				}
				listed[m] = true
			}
			for value := range 1 << 16 {
				if m := shogi.Move(value); b.IsLegal(m) != listed[m] {
					t.Fatalf("%s: IsLegal(%s) is %v, listed %v (value %#x)", b.SFEN(), m, b.IsLegal(m), listed[m], value)
				}
			}
			for _, c := range []shogi.Color{shogi.Black, shogi.White} {
				if b.King(c) == shogi.NoSquare {
					continue
				}
				attackers := b.Attackers(b.King(c), c.Opponent())
				if b.InCheck(c) != (len(attackers) > 0) {
					t.Fatalf("%s: InCheck(%v) is %v, attackers %v", b.SFEN(), c, b.InCheck(c), attackers)
				}
			}
			inCheck := b.InCheck(b.SideToMove())
			if b.HasLegalMove() != (len(moves) > 0) || b.IsMated() != (inCheck && len(moves) == 0) {
				t.Fatalf("%s: HasLegalMove is %v, IsMated %v, with %d moves", b.SFEN(), b.HasLegalMove(), b.IsMated(), len(moves))
			}
			if inCheck {
				checks++
			}
			if len(moves) == 0 {
				break
			}
			m := moves[rng.IntN(len(moves))]
			for range 20 { // checks are rare, and what matters
				if b.GivesCheck(m) {
					break
				}
				m = moves[rng.IntN(len(moves))]
			}
			b.Do(m)
		}
	}
	t.Logf("%d positions in check", checks)
	if checks < 10 {
		t.Errorf("only %d positions in check", checks)
	}
}

func BenchmarkIsMated(b *testing.B) {
	for _, bench := range []struct{ name, sfen string }{
		{"gold on the head", "4k4/4G4/4G4/9/9/9/9/9/9 w 2r2b2g4s4n4l18p 2"},
		{"distant rook, second pawns", "k7R/pp7/2p6/3p5/4p4/5p3/6p2/7p1/9 w p 2"},
	} {
		p := shogi.MustParseSFEN(bench.sfen)
		board := mailbox.From(&p)
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !board.IsMated() {
					b.Fatal("not mated")
				}
			}
		})
	}
}

// TestGiveAway: what one side does not keep the other gets, and package shogi counts alike.
func TestGiveAway(t *testing.T) {
	p := shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/4K4 b R2G3Pr2b2g 1")
	keep := shogi.Hand(0).Add(shogi.Gold, 1).Add(shogi.Pawn, 3)
	b := mailbox.From(&p)
	for _, more := range []shogi.Hand{keep.Add(shogi.Gold, 2), keep.Add(shogi.Lance, 1)} {
		if b.GiveAway(shogi.Black, more) || b != mailbox.From(&p) {
			t.Errorf("%v kept of %v", more, p.Hand(shogi.Black))
		}
	}
	const want = "4k4/9/9/9/9/9/9/9/4K4 b G3P2r2b3g 1"
	p.GiveAway(shogi.Black, keep)
	if !b.GiveAway(shogi.Black, keep) || b.SFEN() != want || p.SFEN() != want || b != mailbox.From(&p) {
		t.Errorf("%s, and package shogi says %s, want %s", b.SFEN(), p.SFEN(), want)
	}
}
