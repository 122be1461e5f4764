package shogi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

func parseMoves(t testing.TB, texts string, turn func(shogi.Move) shogi.Move) []shogi.Move {
	t.Helper()
	var moves []shogi.Move
	for _, text := range strings.Fields(texts) {
		moves = append(moves, turn(mustParseMove(t, text)))
	}
	return moves
}

func TestRules(t *testing.T) {
	tests := []struct {
		name    string
		board   string
		rest    string // side to move and hands
		legal   string // some moves that are legal,
		illegal string // some that are not,
		checks  string // some legal ones that check,
		quiet   string // some legal ones that do not
		mated   bool
	}{
		// Two pawns on a file (二歩).
		{
			name: "a second pawn on the file",
			board: `
				  9 5 1
				a . k .
				e P . .
				i . K .`,
			rest:    "b P",
			legal:   "P*5b P*1h P*8b",
			illegal: "P*9b P*9d P*9f P*9i",
		},
		{
			name: "neither a tokin nor the other side's pawn counts",
			board: `
				  9 8 5
				a . . k
				c p +P .
				i . . K`,
			rest:  "b P",
			legal: "P*9e P*8e",
		},

		// Pawn drops that mate (打ち歩詰め).
		{
			name: "a pawn drop that mates",
			board: `
				  2 1
				a n k
				b . .
				c G .`,
			rest:    "b P",
			illegal: "P*1b",
			legal:   "P*1c P*2b 2c1b",
			checks:  "2c1b",
			quiet:   "P*1c P*2b",
		},
		{
			name: "the same pawn moved mates well and truly",
			board: `
				  2 1
				a n k
				b . .
				c G P`,
			rest:   "b -",
			legal:  "1c1b 1c1b+",
			checks: "1c1b 1c1b+",
		},
		{
			name: "the king takes the pawn",
			board: `
				  2 1
				a n k
				b . .
				d G .`,
			rest:   "b P",
			checks: "P*1b",
		},
		{
			name: "another piece takes the pawn",
			board: `
				  2 1
				a g k
				b . .
				c G .`,
			rest:   "b P",
			checks: "P*1b",
		},
		{
			name: "the only piece that could take the pawn is pinned",
			board: `
				  9 2 1
				a R g k
				b . . .
				c . G .`,
			rest:    "b P",
			illegal: "P*1b",
		},
		{
			name: "the king has a flight square",
			board: `
				  3 2 1
				a . . k
				b . . .
				c . G .`,
			rest:   "b P",
			checks: "P*1b",
		},
		{
			name: "a piece pinned along the file takes the pawn on that file",
			board: `
				  6 5 4
				a l k l
				b . . .
				c G . G
				d . r .
				h . L .`,
			rest:   "b P",
			checks: "P*5b",
		},
		{
			name: "without that piece it is mate",
			board: `
				  6 5 4
				a l k l
				b . . .
				c G . G`,
			rest:    "b P",
			illegal: "P*5b",
		},
		{
			name: "the pawn cuts the line that guarded the flight square",
			// The rook guards 4c; with a pawn on 5c it does not.
			board: `
				  9 6 5 4
				a . l n l
				b . p k p
				c R . . .
				d . G . .`,
			rest:   "b P",
			checks: "P*5c",
		},
		{
			name: "from the other side the rook guards it still",
			board: `
				  6 5 4 1
				a l n l .
				b p k p .
				c . . . R
				d G . . .`,
			rest:    "b P",
			illegal: "P*5c",
		},
		{
			name: "the pawn interposes and mates",
			// Black is in check from 4b, which is pinned by the rook and cannot take the pawn.
			board: `
				  7 6 5 4 1
				a . l n l .
				b . p k b R
				c G . . . .
				d . . . G .
				e K . . . .`,
			rest:    "b PL",
			illegal: "P*5c P*1c 4d4c",
			legal:   "P*6d L*5c 7e8e",
			checks:  "L*5c",
		},

		// Where a piece could never move again.
		{
			name: "drops on the last ranks",
			board: `
				  5
				e k
				i K`,
			rest:    "b PLNSGBR",
			legal:   "P*1b L*1b N*1c S*1a G*1a B*1a R*1a",
			illegal: "P*1a L*1a N*1a N*1b",
		},
		{
			name: "promotion where there is no other way",
			board: `
				  9 8 7 6 5
				b P L . . .
				c . . N . .
				d . . . N .
				i . . . . K`,
			rest:    "b -",
			legal:   "9b9a+ 8b8a+ 7c8a+ 7c6a+ 6d7b+ 6d5b+",
			illegal: "9b9a 8b8a 7c8a 7c6a 6d7b 6d5b",
		},
		{
			name: "what is taken was never an obstacle, what is one's own always",
			board: `
				  5 4 3 2 1
				e R . p . p
				f P . . . .`,
			rest:    "b -",
			legal:   "5e4e 5e3e 5e5d",
			illegal: "5e2e 5e1e 5e5f 5e5g 5e4d",
		},

		// Pins.
		{
			name: "a pinned piece stays on its line",
			board: `
				  5 4
				a r .
				g R .
				i K .`,
			rest:    "b -",
			legal:   "5g5a+ 5g5a 5g5b 5g5f 5g5h",
			illegal: "5g4g 5g6g",
		},
		{
			name: "a pinned knight does not move",
			board: `
				  5 4 3 2 1
				e . . . . b
				g . . N . .
				i K . . . .`,
			rest:    "b -",
			illegal: "3g4e 3g2e",
			legal:   "5i4h",
		},
		{
			name: "a pinned bishop takes the horse that pins it",
			board: `
				  5 4 3 2 1
				e . . . . +b
				g . . B . .
				i K . . . .`,
			rest:    "b -",
			legal:   "3g2f 3g1e 3g4h",
			illegal: "3g2h 3g4f 3g1i",
		},
		{
			name: "two pieces in the way pin nothing",
			board: `
				  5 4
				a r .
				f S .
				g G .
				i K .`,
			rest:  "b -",
			legal: "5g4g 5f4e",
		},
		{
			name: "a lance pins forwards only",
			board: `
				  5
				d l
				e G
				f K
				g G
				h l`,
			rest:    "b -",
			legal:   "5e5d 5g4g",
			illegal: "5e4e",
		},
		{
			name: "a bishop does not pin along a file, nor a rook along a diagonal",
			board: `
				  8 7 6 5
				c r . . b
				e . . N G
				f . . . K`,
			rest:  "b -",
			legal: "5e4e 6e5c+ 6e7c",
		},
		{
			name: "a pinned piece does not help against another check",
			board: `
				  5 4
				a r .
				g G n
				i K .`,
			rest:    "b -",
			legal:   "5i5h 5i4h",
			illegal: "5g4g 5g5f 5g5h",
		},
		{
			name: "the side without a king has no pins",
			board: `
				  5 4
				a r k
				e G .
				i . .`,
			rest:  "b -",
			legal: "5e4e",
		},

		// Kings.
		{
			name: "a king does not step next to a king, or onto a guarded piece",
			board: `
				  5 4
				a . k
				b P .
				c . K`,
			rest:    "w -",
			legal:   "4a3a",
			illegal: "4a4b 4a3b 4a5b 4a5a",
		},
		{
			name: "a king does not flee along the line of the check",
			board: `
				  9 8 7
				a . . .
				e r . K
				i . . .`,
			rest:    "b -",
			illegal: "7e6e 7e8e",
			legal:   "7e7d 7e6d 7e8f",
		},

		// Checks.
		{
			name: "a silver uncovers a rook, and checks itself or not",
			board: `
				  5
				a k
				c S
				i R`,
			rest:   "b -",
			checks: "5c4b 5c6b 5c4b+ 5c6b+ 5c5b 5c5b+ 5c4d 5c6d",
		},
		{
			name: "in double check nothing but the king moves",
			board: `
				  5 4
				a k r
				b . S
				i R .`,
			rest:    "w p",
			legal:   "5a4b 5a6a 5a6b",
			illegal: "4a4b 5a5b P*5b P*5e",
		},
		{
			name: "a king uncovers a check",
			board: `
				  6 5 4
				a . k .
				e . K .
				i . R .`,
			rest:    "b -",
			checks:  "5e4e 5e6e 5e4d 5e6f",
			quiet:   "5e5d 5e5f",
			illegal: "5i5e",
		},
		{
			name: "a piece that uncovers a check moves along the line in vain",
			board: `
				  5 4
				a k .
				e S .
				i L .`,
			rest:   "b -",
			checks: "5e4d 5e6d 5e4f",
			quiet:  "5e5d",
		},
		{
			name: "two pieces in the way uncover nothing",
			board: `
				  5 4
				a k .
				d G .
				e S .
				i L .`,
			rest:  "b -",
			quiet: "5e4d 5d4d",
		},
		{
			name: "promoted or not, each checks in its own way",
			board: `
				  6 5 4
				a . k .
				c S . .
				d . . N`,
			rest:    "b -",
			checks:  "6c5b 6c5b+ 6c6b 6c6b+ 4d5b+",
			quiet:   "6c7b 6c7b+ 6c7d+ 4d3b+",
			illegal: "4d5b 4d3b",
		},
		{
			name: "a check parries a check",
			board: `
				  9 5
				a . r
				e k .
				g G .
				i . K`,
			rest:    "b RG",
			checks:  "R*5e",
			illegal: "G*8e R*9a 9g9f",
			quiet:   "G*5e R*5f 5i4i",
		},
		{
			name: "dropped next to the king, all but a knight, and a knight from afar",
			board: `
				  5
				e k`,
			rest:   "b RBGSNLP",
			checks: "P*5f L*5f L*5i N*4g N*6g S*5f S*4f S*4d G*5f G*4e G*5d B*4d B*1a R*5a R*9e",
			quiet:  "P*5d L*5d N*5g N*4c S*5d S*4e G*4d B*5f R*4f",
		},

		// Evasions.
		{
			name: "against a knight there is nothing to interpose",
			board: `
				  6 5 4
				g n . .
				h . G .
				i S K G`,
			rest:    "b RP",
			illegal: "R*6h P*6h R*5g 5h6h",
			legal:   "5i4h 5i6h",
		},
		{
			name: "interpositions by moves and drops, with all that binds drops",
			board: `
				  9 8 7 6 5 4 3 2 1
				a r . . . . . . . K
				b . . . . . . . S .
				d . . . . P . . . .
				e . . . . . . . . p`,
			rest:    "b PLNSG",
			legal:   "S*2a G*8a 2b2a 2b2a+ 1a1b",
			illegal: "P*2a L*2a N*2a P*5b 1a2a",
		},
		{
			name: "the same for the other side, where the drops are not dead",
			board: `
				  9 8 7 6 5 4 3 2 1
				a R . . . . . . . k
				b . . . . . . . s .
				d . . . . p . . . .`,
			rest:    "w pln",
			legal:   "P*2a L*2a N*2a P*8a 2b3a",
			illegal: "P*5a P*5b",
		},

		{
			name: "in double check no capture helps, not even with check",
			board: `
				  6 5 4 1
				a . r . .
				b k . . .
				e . . . B
				g . . n .
				i . K . .`,
			rest:    "b -",
			illegal: "1e5a 1e5a+",
			legal:   "5i6i",
		},
		{
			name: "a pinned piece parries no check, not even by uncovering one",
			board: `
				  5 4 1
				a r k .
				e . . b
				h . G .
				i K L .`,
			rest:    "b -",
			illegal: "4h5h 4h5g",
			legal:   "5i6h",
		},
		{
			name: "a pinned piece checks on its line only",
			board: `
				  5 4
				a r .
				e . k
				g G .
				i K .`,
			rest:    "b -",
			checks:  "5g5f",
			illegal: "5g4f 5g4g",
		},
		{
			name: "the opponent's piece in front of his slider is not one's own",
			board: `
				  5
				a r
				e p
				i K`,
			rest:    "b -",
			illegal: "5e5d 5e5f",
			legal:   "5i5h",
		},
		{
			name: "a pinned silver promotes only in the zone",
			board: `
				  5
				a r
				g S
				i K`,
			rest:    "b -",
			legal:   "5g5f",
			illegal: "5g5f+",
		},
		{
			name: "a pinned pawn must promote on the last rank",
			board: `
				  5
				a r
				b P
				c K`,
			rest:    "b -",
			legal:   "5b5a+",
			illegal: "5b5a",
		},
		{
			name: "so must a pinned lance",
			board: `
				  5
				a r
				c L
				d K`,
			rest:    "b -",
			legal:   "5c5b 5c5b+ 5c5a+",
			illegal: "5c5a",
		},
		{
			name: "a lance checks by promotion",
			board: `
				  5 4
				b k .
				e . L`,
			rest:    "b -",
			checks:  "4e4c+ 4e4b+",
			quiet:   "4e4c 4e4b 4e4a+",
			illegal: "4e4a",
		},
		{
			name: "a silver promotes on its way out of the zone, and checks",
			board: `
				  5 4
				c . S
				e k .`,
			rest:   "b -",
			checks: "4c5d+",
			quiet:  "4c5d 4c3d 4c3d+",
		},
		{
			name: "a horse checks from beside the king",
			board: `
				  5 3
				e k .
				h . +B`,
			rest:   "b -",
			checks: "3h5f 3h6e 3h2h",
			quiet:  "3h4g 3h3i",
		},
		{
			name: "a dragon checks aslant",
			board: `
				  5 4
				e k .
				i . +R`,
			rest:   "b -",
			checks: "4i4f 4i4d 4i4e 4i5i",
			quiet:  "4i4g 4i4c",
		},
		{
			name: "a second pawn does not check",
			board: `
				  5
				c k
				h P`,
			rest:    "b P",
			illegal: "P*5d",
		},
		{
			name: "a knight that uncovers a check promotes on the last two ranks",
			board: `
				  5
				a k
				d N
				i R`,
			rest:    "b -",
			checks:  "5d4b+ 5d6b+",
			illegal: "5d4b 5d6b",
		},
		{
			name: "a pawn that uncovers a check promotes on the last",
			board: `
				  9 5 1
				b R P k`,
			rest:    "b -",
			checks:  "5b5a+",
			illegal: "5b5a",
		},
		{
			name: "so does a lance",
			board: `
				  9 5 1
				c R L k`,
			rest:    "b -",
			checks:  "5c5b 5c5b+ 5c5a+",
			illegal: "5c5a",
		},
		{
			name: "what interposes on the last rank, or takes there, promotes",
			board: `
				  9 8 7 6 1
				a r . . . K
				b P P . . .
				c . . L N .`,
			rest:    "b -",
			legal:   "9b9a+ 8b8a+ 7c7a+ 6c5a+ 6c7a+",
			illegal: "9b9a 8b8a 7c7a 6c5a 6c7a 7c7b",
		},
		{
			name: "a knight promotes on the last but one, too",
			board: `
				  9 7 5 1
				b r . . K
				d . L N .`,
			rest:    "b -",
			legal:   "7d7b 7d7b+ 5d4b+ 5d6b+",
			illegal: "5d4b 5d6b",
		},

		// No king to check, nobody to be checked.
		{
			name: "without kings everything that moves is legal and nothing checks",
			board: `
				  5 4
				a r .
				e G .`,
			rest:  "b P",
			quiet: "5e4e 5e5d P*5b P*1b",
		},

		// Mates.
		{
			name: "gold at the head",
			board: `
				  5
				a k
				b G
				c P`,
			rest:  "w rbgsnlp",
			mated: true,
		},
		{
			name: "smothered by one's own pieces",
			board: `
				  2 1
				a l k
				b n p
				c N .`,
			rest:  "w rb",
			mated: true,
		},
		{
			name: "a knight could not move on from the last rank but one",
			board: `
				  9 8 7 1
				g p n . .
				h k . . R
				i g . G .`,
			rest:    "w n",
			illegal: "N*8h N*2h",
			mated:   true,
		},
		{
			name: "but a lance could",
			board: `
				  9 8 7 1
				g p n . .
				h k . . R
				i g . G .`,
			rest:  "w l",
			legal: "L*8h L*2h",
		},
		{
			name: "no mate as long as the pawn can be dropped in between",
			board: `
				  9 8 1
				a k . R
				b p p .`,
			rest:    "w p",
			legal:   "P*7a P*2a",
			illegal: "P*8a P*7b",
		},
		{
			name: "no move, but no check either, is no mate",
			board: `
				  3 2 1
				a . . k
				b G . .
				c . G .`,
			rest:    "w -",
			illegal: "1a1b 1a2a 1a2b",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			shogitest.BothWays(t, shogitest.Draw(t, test.board, test.rest), func(t *testing.T, p shogi.Position, turn func(shogi.Move) shogi.Move) {
				var legal, checks, evasions shogi.MoveBuffer
				legalMoves := p.LegalMoves(&legal, shogi.AllMoves)
				checkMoves := p.Checks(&checks, shogi.AllMoves)
				evading := p.Evasions(&evasions, shogi.AllMoves)
				ci := p.CheckInfo()
				if p.HasCheck() != (len(checkMoves) > 0) {
					t.Errorf("has a check: %v, %d are listed", p.HasCheck(), len(checkMoves))
				}
				expect := func(texts string, isLegal bool, check func(m shogi.Move)) {
					for _, m := range parseMoves(t, texts, turn) {
						if p.IsLegal(m) != isLegal || slices.Contains(legalMoves, m) != isLegal {
							t.Errorf("%v: legal %v, listed %v, want %v", m, p.IsLegal(m), slices.Contains(legalMoves, m), isLegal)
						}
						if p.InCheck() && slices.Contains(evading, m) != isLegal {
							t.Errorf("%v among the evasions: %v", m, slices.Contains(evading, m))
						}
						if check != nil {
							check(m)
						}
					}
				}
				gives := func(want bool) func(m shogi.Move) {
					return func(m shogi.Move) {
						q := p
						q.Do(m)
						if q.InCheck() != want || p.GivesCheck(m, &ci) != want || slices.Contains(checkMoves, m) != want {
							t.Errorf("%v gives check: %v, listed %v; the king is in check: %v",
								m, p.GivesCheck(m, &ci), slices.Contains(checkMoves, m), q.InCheck())
						}
					}
				}
				expect(test.legal, true, nil)
				expect(test.illegal, false, func(m shogi.Move) {
					if slices.Contains(checkMoves, m) {
						t.Errorf("%v is listed among the checks", m)
					}
				})
				expect(test.checks, true, gives(true))
				expect(test.quiet, true, gives(false))
				if p.IsCheckmate() != test.mated {
					t.Errorf("mated: %v", p.IsCheckmate())
				}
				if p.InCheck() && p.HasEvasion() == test.mated {
					t.Errorf("has an evasion: %v", p.HasEvasion())
				}
				if t.Failed() {
					t.Log(p.SFEN(), moveTexts(legalMoves))
				}
			})
		})
	}
}

// TestUsefulMoves is the moves that UsefulMoves leaves out.
func TestUsefulMoves(t *testing.T) {
	for _, test := range []struct {
		name, board, rest string
		left              string // out, of all legal moves
	}{
		{"pawns that go into the zone, or on in it", `
			  9 8
			c . P
			d P .`, "b -", "9d9c 8c8b"},
		{"a lance on the second rank, but not on the third", `
			  7
			d L`, "b -", "7d7b"},
		{"a rook that goes into the zone", `
			  1
			e R`, "b -", "1e1c 1e1b 1e1a"},
		{"a bishop that goes out of it", `
			  5 4 3
			a G . G
			b . B .
			c G . .`, "b -", "4b3c 4b2d 4b1e"},
		{"neither knights nor silvers", `
			  5 3
			d S .
			e . N`, "b -", ""},
		{"interpositions", `
			  9 8 7 6 4 3 1
			b r . . . . . K
			c . P . S . . .
			d . . L . B . .
			i . . . . . R .`, "b -", "8c8b 7d7b 4d6b 4d2b 3i3b"},
		{"captures of the checker", `
			  9 1
			b r K
			c P .`, "b -", "9c9b"},
		{"a pawn that uncovers a check", `
			  9 5 1
			c R P k`, "b -", "5c5b 9c9b 9c9a 9c9d 9c9e 9c9f 9c9g 9c9h 9c9i 9c8c 9c7c 9c6c"},
		{"a lance that uncovers a check", `
			  9 5 1
			d R L k`, "b -", "5d5b 9d9c 9d9b 9d9a"},
		{"a bishop that uncovers a check", `
			  5
			a k
			c B
			i L`, "b -", "5c4b 5c3a 5c6b 5c7a 5c4d 5c3e 5c2f 5c1g 5c6d 5c7e 5c8f 5c9g"},
		{"a pinned pawn", `
			  5
			a r
			c P
			i K`, "b -", "5c5b"},
		{"a pinned lance", `
			  5
			a r
			c L
			i K`, "b -", "5c5b"},
		{"a pinned rook", `
			  5
			a r
			d R
			i K`, "b -", "5d5c 5d5b 5d5a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			shogitest.BothWays(t, shogitest.Draw(t, test.board, test.rest), func(t *testing.T, p shogi.Position, turn func(shogi.Move) shogi.Move) {
				want := parseMoves(t, test.left, turn)
				for _, g := range []struct {
					name     string
					generate moveGenerator
				}{
					{"LegalMoves", (*shogi.Position).LegalMoves},
					{"PseudoLegalMoves", pseudoLegalMoves},
					{"Checks", (*shogi.Position).Checks},
					{"Evasions", (*shogi.Position).Evasions},
				} {
					var all, useful shogi.MoveBuffer
					list, kept := g.generate(&p, &all, shogi.AllMoves), g.generate(&p, &useful, shogi.UsefulMoves)
					for _, m := range list {
						if !p.IsLegal(m) {
							continue // of the pseudo-legal ones
						}
						if left := slices.Contains(want, m); slices.Contains(kept, m) == left {
							t.Errorf("%s, %s: %v among the useful moves: %v", g.name, p.SFEN(), m, !left)
						}
					}
					for _, m := range kept {
						if !slices.Contains(list, m) {
							t.Errorf("%s, %s: %v among the useful moves, but not among all", g.name, p.SFEN(), m)
						}
					}
					if g.name == "LegalMoves" {
						for _, m := range want {
							if !slices.Contains(list, m) {
								t.Errorf("%s: %v is not legal", p.SFEN(), m)
							}
						}
						if n := p.CountLegalMoves(shogi.UsefulMoves); n != len(kept) || len(list)-n != len(want) {
							t.Errorf("%s: %d useful moves of %d, counted %d", p.SFEN(), len(kept), len(list), n)
						}
					}
				}
			})
		})
	}
}
