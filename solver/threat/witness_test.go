package threat

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/dfpn"
)

var boards = flag.Int("boards", 1000, "how many random boards TestWitness decides")

// small returns a random position of few pieces near the defender's king, some of which may be
// missing, with the attacker to move; one in two has the attacker's king, and then a slider of the
// defender from which he may check.
func small(rng *rand.Rand) (p shogi.Position, ok bool) {
	var s shogi.Setup
	s.Side, s.Ply = shogi.Black, 1
	near := func(file, rank int) shogi.Square {
		return shogi.SquareAt(shogi.File(rng.IntN(file)), shogi.Rank(rng.IntN(rank)))
	}
	put := func(sq shogi.Square, c shogi.Color, kinds ...shogi.PieceType) {
		if s.Board[sq] == shogi.NoPiece {
			s.Board[sq] = shogi.PieceOf(c, kinds[rng.IntN(len(kinds))])
		}
	}
	put(near(2, 2), shogi.White, shogi.King)
	for range 2 + rng.IntN(2) {
		put(near(4, 4), shogi.Black, shogi.Gold, shogi.Silver, shogi.Tokin, shogi.Pawn, shogi.Knight,
			shogi.Horse, shogi.Dragon)
	}
	for range rng.IntN(3) {
		put(near(3, 3), shogi.White, shogi.Gold, shogi.Silver, shogi.Knight, shogi.Lance, shogi.Pawn)
	}
	for range 1 + rng.IntN(2) {
		kinds := [...]shogi.PieceType{shogi.Gold, shogi.Silver, shogi.Pawn, shogi.Knight, shogi.Gold, shogi.Rook}
		s.Hands[shogi.Black] = s.Hands[shogi.Black].Add(kinds[rng.IntN(len(kinds))], 1)
	}
	if rng.IntN(3) > 0 {
		kinds := [...]shogi.PieceType{shogi.Pawn, shogi.Gold, shogi.Knight, shogi.Lance}
		s.Hands[shogi.White] = s.Hands[shogi.White].Add(kinds[rng.IntN(len(kinds))], 1)
	}
	if rng.IntN(2) > 0 {
		put(shogi.SquareAt(shogi.File(5+rng.IntN(4)), shogi.Rank(5+rng.IntN(4))), shogi.Black, shogi.King)
		put(near(9, 9), shogi.White, shogi.Bishop, shogi.Rook)
	}
	p, err := s.Position()
	return p, err == nil && p.King(shogi.White) != shogi.NoSquare
}

// On random small boards the search says what the definitions say.
func TestWitness(t *testing.T) {
	t.Parallel()
	want, steps := *boards, 10_000
	if testing.Short() {
		want, steps = 12, 2_000
	}
	rng := rand.New(rand.NewPCG(1, 2))
	s := New(dfpn.NewSmallSession(1 << 20))
	ctx := context.Background()
	done, counters := 0, 0
	verdicts := map[Verdict]int{}
	inAttacks := map[int]int{}
	share := map[Verdict]int{Mate: want / 4, None: want / 2, Brinkmate: want} // none may be all there is
	for done < want {
		p, ok := small(rng)
		if !ok {
			continue
		}
		attacks := 1 + done%2
		b := mailbox.From(&p)
		w := plain{attacker: shogi.Black, plies: 5, steps: steps}
		expected := None
		mate := w.mates(b, w.plies)
		if mate == plainCut || mate == plainYes && verdicts[Mate] >= share[Mate] {
			continue
		}
		least := 0
		if mate == plainYes {
			expected = Mate
		} else {
			for k := 1; k <= attacks && expected == None; k++ {
				switch w.brinkmate(b, k) {
				case plainYes:
					expected, least = Brinkmate, k
				case plainCut:
					expected = Unknown
				}
			}
		}
		if expected == Unknown || verdicts[expected] >= share[expected] {
			continue
		}
		shogitest.BothWays(t, p, func(t *testing.T, p shogi.Position, _ func(shogi.Move) shogi.Move) {
			r := s.brinkmate(ctx, p, Limits{Attacks: attacks})
			if r.Verdict != expected || expected == Brinkmate && (r.Attacks != least || !r.Exact) ||
				expected == None && r.Attacks != attacks {
				t.Errorf("%s: %v in %d attacks, exact %v, reason %q; want %v in %d", p.SFEN(), r.Verdict,
					r.Attacks, r.Exact, r.Reason, expected, least)
			}
		})
		if r := s.brinkmate(ctx, p, Limits{Attacks: attacks}); r.Plan != nil {
			checkPlan(t, b, p, r.Plan)
		}
		done++
		verdicts[expected]++
		inAttacks[least]++
		if p.King(shogi.Black) != shogi.NoSquare && canCheck(&p) {
			counters++
		}
	}
	t.Logf("%d boards: %v, in attacks %v, %d with a check of the defender", done, verdicts, inAttacks, counters)
	if counters < done/10 || verdicts[Brinkmate] < done/20 ||
		inAttacks[2] == 0 && !testing.Short() {
		t.Errorf("too few of a kind: %d checks of the defender, %v, %v", counters, verdicts, inAttacks)
	}
}

// canCheck reports whether the defender has a check after some move of the attacker.
func canCheck(p *shogi.Position) bool {
	b := mailbox.From(p)
	for _, m := range b.LegalMoves() {
		after := b
		after.Do(m)
		for _, d := range after.LegalMoves() {
			if after.GivesCheck(d) {
				return true
			}
		}
	}
	return false
}

// Whether there is a threat is what the definition says, too.
func TestThreatWitness(t *testing.T) {
	t.Parallel()
	want := *boards
	if testing.Short() {
		want /= 10
	}
	rng := rand.New(rand.NewPCG(3, 4))
	s := New(dfpn.NewSmallSession(1 << 20))
	found := map[Verdict]int{}
	for done := 0; done < want; {
		p, ok := small(rng)
		if !ok {
			continue
		}
		p.ForSearch().DoNull()
		if p.InCheck() {
			continue
		}
		b := mailbox.From(&p)
		w := plain{attacker: shogi.Black, plies: 5, steps: 1_000}
		expected := []Verdict{plainNo: NoThreat, plainCut: Unknown, plainYes: Threat}[w.threatens(b)]
		if expected == Unknown {
			continue
		}
		r := s.threat(context.Background(), p, Limits{})
		if r.Verdict != expected {
			t.Errorf("%s: %v, want %v", p.SFEN(), r.Verdict, expected)
		}
		found[expected]++
		done++
	}
	if t.Log(found); found[Threat] < want/10 || found[NoThreat] < want/10 {
		t.Error("too few of a kind")
	}
}
