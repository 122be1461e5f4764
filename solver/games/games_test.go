package games_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/games"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// playout plays a game at random in which checks and captures are played more often than they come.
func playout(rng *rand.Rand) (start shogi.Position, moves []shogi.Move) {
	start = shogi.Start()
	p := start
	var buf shogi.MoveBuffer
	for len(moves) < 150 {
		all := p.LegalMoves(&buf, shogi.AllMoves)
		if len(all) == 0 {
			break
		}
		m := all[rng.IntN(len(all))]
		for range rng.IntN(2) * 8 {
			n := all[rng.IntN(len(all))]
			q := p
			if q.Do(n); q.InCheck() || !n.IsDrop() && p.Piece(n.To()) != shogi.NoPiece {
				m = n
				break
			}
		}
		p.Do(m)
		moves = append(moves, m)
	}
	return start, moves
}

// twinPlies is how long the mates are that the plain search looks for.
const twinPlies = 3

// escapes reports whether the plain rules find a reply in q after which attacker has no mate within
// so many plies.
func escapes(q *shogi.Position, plies int) bool {
	b := mailbox.From(q)
	for _, m := range b.LegalMoves() {
		after := *q
		after.Do(m)
		if solvertest.Shortest(&after, plies) == solvertest.Never {
			return true
		}
	}
	return false
}

// TestTwin compares the marks of random games with what a plain search over the plain rules says,
// which shares nothing with the solver.
func TestTwin(t *testing.T) {
	n := 200
	if testing.Short() {
		n = 6
	}
	rng := rand.New(rand.NewPCG(1, 2))
	s := dfpn.NewSession()
	var counts [games.NumKinds]int
	compared := 0
	for range n {
		start, moves := playout(rng)
		g := games.Judge(t.Context(), s, start, moves, games.Limits{})
		if g.Moves != len(moves) || g.Reason != solver.NoReason {
			t.Fatalf("judged %d of %d moves: %s", g.Moves, len(moves), g.Reason)
		}
		p := start
		for i, m := range moves {
			q := p
			q.Do(m)
			shortest := solvertest.Shortest(&p, twinPlies)
			var has [games.NumKinds]bool
			for j := range g.Marks {
				if mark := &g.Marks[j]; mark.Ply == i+1 {
					has[mark.Kind] = true
					if mark.Reason == solver.NoReason {
						counts[mark.Kind]++
						compared++
						checkMark(t, &p, &q, m, shortest, mark)
					}
				}
			}
			open := slices.ContainsFunc(g.Open, func(o games.Open) bool { return o.After == i && !o.Threat })
			if shortest < solvertest.Never && !open && !has[games.MateMissed] && !has[games.MateKept] &&
				escapes(&q, shortest-2) {
				t.Errorf("%s: there is a mate in %d, %v is not the first move of one as short, and has "+
					"no mark", p.SFEN(), shortest, m)
			}
			p = q
		}
	}
	t.Log(counts, compared)
	for k, n := range counts {
		if n == 0 && !testing.Short() {
			t.Errorf("there was no %v", games.Kind(k))
		}
	}
}

// passed returns the position in which the other side is to move.
func passed(p *shogi.Position) *shogi.Position {
	fields := strings.Fields(p.SFEN())
	fields[1] = map[string]string{"b": "w", "w": "b"}[fields[1]]
	after := shogi.MustParseSFEN(strings.Join(fields, " "))
	return &after
}

// checkMark compares a mark of the move m from p to q.
func checkMark(t *testing.T, p, q *shogi.Position, m shogi.Move, shortest int, mark *games.Mark) {
	t.Helper()
	fail := func(what string) { t.Errorf("%s: %v %v: %s", p.SFEN(), m, mark.Kind, what) }
	from := p
	switch mark.Kind {
	case games.MateAllowed, games.ThreatIgnored:
		from, shortest = q, solvertest.Shortest(q, twinPlies)
	case games.ThreatMade:
		if q.InCheck() {
			fail("a check is no threat")
		}
		from = passed(q)
		shortest = solvertest.Shortest(from, twinPlies)
	case games.BrinkmateMade:
		if plies := len(mark.Line) - 1; plies <= twinPlies && escapes(q, plies) {
			fail("a reply helps")
		}
		after := *q
		after.Do(mark.Line[0])
		if err := solver.VerifyLine(after, mark.Line[1:]); err != nil {
			fail(err.Error())
		}
		return
	}
	if err := solver.VerifyLine(*from, mark.Line); err != nil {
		fail(err.Error())
	}
	switch n := len(mark.Line); {
	case shortest < solvertest.Never && (n < shortest || mark.Exact && n != shortest):
		fail("the line is not as long as the shortest mate")
	case shortest == solvertest.Never && n <= twinPlies:
		fail("there is no mate as short")
	}
	switch mark.Kind {
	case games.MateMissed:
		if !escapes(q, twinPlies) {
			fail("there is a mate after each reply")
		}
		if mark.Other != shogi.NoMove {
			after := *q
			if after.Do(mark.Other); solvertest.Shortest(&after, twinPlies) < solvertest.Never {
				fail("there is a mate after " + mark.Other.String())
			}
		}
	case games.MateKept:
		if mark.Kept-2 <= twinPlies && escapes(q, mark.Kept-2) {
			fail("there is no mate after one reply")
		}
	case games.ThreatIgnored:
		if p.InCheck() {
			fail("in check there is no threat")
		}
		fallthrough
	case games.MateAllowed:
		after := *p
		if !p.IsLegal(mark.Other) || mark.Other == m {
			fail("the other move is none")
		}
		if after.Do(mark.Other); solvertest.Shortest(&after, twinPlies) < solvertest.Never {
			fail("there is a mate after the other move, too")
		}
	}
}

// TestSessionDoesNotMatter judges a game by a session that has been asked much, and by a new one.
func TestSessionDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	used := dfpn.NewSession()
	for range 5 {
		start, moves := playout(rng)
		a := games.Judge(t.Context(), used, start, moves, games.Limits{})
		b := games.Judge(t.Context(), dfpn.NewSession(), start, moves, games.Limits{})
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%v and %v", a, b)
		}
	}
}

// TestInterrupted ends a context before and within a game.
func TestInterrupted(t *testing.T) {
	start, moves := playout(rand.New(rand.NewPCG(5, 6)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := games.Judge(ctx, dfpn.NewSession(), start, moves, games.Limits{})
	if g.Reason != solver.ReasonCancelled || len(g.Marks) > 0 || len(g.Open) > 0 || g.Moves != 0 {
		t.Errorf("%+v", g)
	}
}

// play returns a game.
func play(t *testing.T, sfen, line string) (start shogi.Position, moves []shogi.Move) {
	t.Helper()
	start = shogi.MustParseSFEN(sfen)
	p := start
	for text := range strings.FieldsSeq(line) {
		m, err := shogi.ParseMove(text)
		if err != nil || !p.IsLegal(m) {
			t.Fatal(text, err)
		}
		p.Do(m)
		moves = append(moves, m)
	}
	return start, moves
}

// TestMarks has games made by hand, in which the last move has the marks.
func TestMarks(t *testing.T) {
	const (
		start = "4k4/9/4G4/9/9/9/9/9/4K4 b Gr 1" // G*5b mates
		// A brinkmate in two attacks, each the only one, and the reply that holds out longer.
		brinkmate = "7nl/7k1/6p2/7Pp/9/9/9/9/9 b GS2r2b3g3s3n3l15p 1"
	)
	for _, test := range []struct {
		name, sfen, moves, want string
	}{
		{"the move mates", start, "G*5b", ""},
		{"a quiet move", start, "5i4i", "mate_missed"},
		{"a check that keeps none", start, "G*6b", "mate_missed"},
		{"into mate", "4k4/9/9/9/9/9/4g4/9/4K4 b R2g 1", "5i6i", "mate_allowed"},
		{"it was lost", "4k4/9/9/9/9/9/4g4/9/4K4 b g 1", "5i6i", ""},
		{"a longer mate", "4k4/9/4G4/9/9/9/9/9/4K4 b RGr 1", "R*1a", "mate_kept"},
		{"a threat ignored", "4k4/9/9/4G4/9/9/9/9/4K4 b G2r2b2g4s4n4l18p 1", "5d5c P*9e",
			"mate_allowed threat_ignored"},
		{"a threat", "4k4/9/9/4G4/9/9/9/9/4K4 b G2r2b2g4s4n4l18p 1", "5d5c", "threat_made"},
		{"a brinkmate", brinkmate, "S*2c 2b1c 2c3d+", "threat_made brinkmate_made"},
	} {
		t.Run(test.name, func(t *testing.T) {
			start, moves := play(t, test.sfen, test.moves)
			g := games.Judge(t.Context(), dfpn.NewSession(), start, moves, games.Limits{})
			var got []string
			for _, mark := range g.Marks {
				if mark.Ply == len(moves) {
					got = append(got, mark.Kind.String()+string(mark.Reason))
				}
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("%v, want %s", got, test.want)
			}
		})
	}
}

// TestMates has games made by hand: mates are told of whether they are played or not, and once for as
// long as they are kept.
func TestMates(t *testing.T) {
	const brinkmate = "7nl/7k1/6p2/7Pp/9/9/9/9/9 b GS2r2b3g3s3n3l15p 1"
	const mate = "4k4/9/4G4/9/9/9/9/9/4K4 b Gr 1" // G*5b mates
	for _, test := range []struct{ name, sfen, moves, want string }{
		{"played", mate, "G*5b", "0"},
		{"missed twice", mate, "5i4i R*1h 4i5i", "0 2"},
		{"in the last position", mate, "5i4i R*1h", "0 2"},
		{"kept, and played on", "4k4/9/4G4/9/9/9/9/9/4K4 b RGr 1", "R*1a R*3a G*5b", "0"},
		{"of White", "4k4/9/9/9/9/9/4g4/9/4K4 b R2g 1", "5i6i 5a4a", "1"},
		{"after a brinkmate", brinkmate, "S*2c 2b1c 2c3d+ P*9h", "4"},
		{"none", "4k4/9/9/9/9/9/9/9/4K4 b - 1", "5i6i", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			start, moves := play(t, test.sfen, test.moves)
			var got []string
			for _, m := range games.Judge(t.Context(), dfpn.NewSession(), start, moves, games.Limits{}).Mates {
				p := start
				for _, move := range moves[:m.After] {
					p.Do(move)
				}
				if err := solver.VerifyLine(p, m.Line); err != nil {
					t.Error(err)
				}
				got = append(got, fmt.Sprint(m.After))
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("%v, want %s", got, test.want)
			}
		})
	}
}
