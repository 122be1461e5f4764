package search

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// A picker hands out the move of the table first, and each useful move once; in quiescence those
// captures that do not lose material.
func TestPicker(t *testing.T) {
	seed := shogitest.Seed(t)
	rng, problems := rand.New(rand.NewPCG(seed, 3)), solvertest.NewRandom(seed, 4)
	s := New(Options{TableBytes: 1 << 10}).searchers[0]
	var k picker
	inCheck, losing := 0, 0
	for range 500 {
		g := randomGame(rng, problems)
		s.begin(g, play.Rules{}, play.Limits{})
		p := &s.p
		var buf shogi.MoveBuffer
		want := slices.Clone(p.LegalMoves(&buf, shogi.UsefulMoves))
		if len(want) == 0 {
			continue
		}
		first := shogi.NoMove
		if rng.IntN(3) > 0 {
			first = want[rng.IntN(len(want))]
		}
		for i := range s.history.reply[0] {
			s.history.reply[0][i] = int16(rng.IntN(maxHistory))
		}
		quiescence := !p.InCheck() && rng.IntN(2) == 0
		switch {
		case p.InCheck():
			inCheck++
		case quiescence:
			want = slices.Clone(p.Captures(&buf, shogi.UsefulMoves))
			want = slices.DeleteFunc(want, func(m shogi.Move) bool {
				return m == first || !winsExchange(p, m, 0)
			})
			if first != shogi.NoMove {
				want = append(want, first)
			}
		}
		k.begin(first, p.InCheck(), quiescence, &s.history.reply[0], &s.history.reply[0])
		var got []shogi.Move
		for m := k.pick(s, p); m != shogi.NoMove; m = k.pick(s, p) {
			got = append(got, m)
			if k.stage == stageLosing {
				losing++
			}
		}
		if first != shogi.NoMove && got[0] != first {
			t.Errorf("%s: %v before %v, the move of the table", p.SFEN(), got[0], first)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%s, table move %v, quiescence %v: %v, expected %v", p.SFEN(), first,
				quiescence, got, want)
		}
	}
	if inCheck < 10 || losing < 30 {
		t.Errorf("%d positions in check, %d losing captures", inCheck, losing)
	}
}

// What skipQuiets leaves, and how many it passes over, is what the definition of the pruning says of
// each quiet move by itself; also after the histories have changed.
func TestSkipQuiets(t *testing.T) {
	seed := shogitest.Seed(t)
	rng, problems := rand.New(rand.NewPCG(seed, 5)), solvertest.NewRandom(seed, 6)
	s := New(Options{TableBytes: 1 << 10}).searchers[0]
	var k picker
	skipped, left, stale := 0, 0, 0
	for range 500 {
		g := randomGame(rng, problems)
		s.begin(g, play.Rules{}, play.Limits{})
		p := &s.p
		if p.InCheck() {
			continue
		}
		for i := range 2 {
			for j := range s.history.reply[i] {
				s.history.reply[i][j] = int16(rng.IntN(2*maxHistory) - maxHistory)
			}
		}
		ci := p.CheckInfo()
		var buf shogi.MoveBuffer
		first := shogi.NoMove
		if moves := p.ForSearch().Quiets(&buf, shogi.UsefulMoves); len(moves) > 0 && rng.IntN(2) == 0 {
			first = moves[rng.IntN(len(moves))]
		}
		k.begin(first, false, false, &s.history.reply[0], &s.history.reply[1])
		tried := 0
		for k.stage != stageQuiets && k.pick(s, p) != shogi.NoMove {
			tried++
		}
		if k.stage != stageQuiets {
			continue
		}
		for i, m := range k.moves {
			if k.scores[i] != s.quietScore(&k, p, m) {
				t.Fatalf("%s: %v has the score %d, but is worth %d", p.SFEN(), m, k.scores[i],
					s.quietScore(&k, p, m))
			}
		}
		if rng.IntN(2) == 0 {
			for range 8 {
				s.learn(p, &k, k.moves[rng.IntN(len(k.moves))], 10, k.moves, nil)
			}
			stale++
		}
		depth, late, lift := 1+rng.IntN(6), rng.IntN(4) == 0, rng.IntN(600)
		for k.next < k.end {
			want, n := k.next, 0
			for ; want < k.end; want++ {
				m := k.moves[want]
				if m == first {
					continue
				}
				reduced := depth - 1 - int(reductions[depth][min(tried+n+1, 63)]) +
					int(s.quietScore(&k, p, m))/8192
				futile := max(reduced, 0) <= futilityDepth && futilityStep*max(reduced, 0) <= lift
				q := *p
				q.Do(m)
				if m.IsPromotion() || q.InCheck() || !late && !futile {
					break
				}
				n++
			}
			got := s.skipQuiets(&k, &ci, depth, tried, late, lift)
			if got != n || k.next != want {
				t.Fatalf("%s, depth %d, late %v, lift %d: passed over %d moves, up to %d; want %d, %d",
					p.SFEN(), depth, late, lift, got, k.next, n, want)
			}
			skipped += n
			if want < k.end {
				left++
			}
			tried += n + 1
			k.next++
		}
	}
	if skipped < 1000 || left < 1000 || stale < 50 {
		t.Errorf("passed over %d moves, left %d, histories changed %d times", skipped, left, stale)
	}
}

// A key that is foretold is the one that comes, also where it depends on the ply or on who asks.
func TestKeyAfter(t *testing.T) {
	rng := shogitest.NewRand(t)
	s := New(Options{TableBytes: 1 << 10, DrawValue: 7}).searchers[0]
	var buf shogi.MoveBuffer
	for _, rules := range []play.Rules{{}, {MaxMoves: 100}} {
		g := shogi.NewGame(shogi.Start())
		for range 60 {
			s.begin(&g, rules, play.Limits{})
			moves := s.p.LegalMoves(&buf, shogi.AllMoves)
			if len(moves) == 0 {
				break
			}
			m := moves[rng.IntN(len(moves))]
			want := s.keyAfter(m)
			s.p.Do(m)
			if s.key() != want {
				t.Fatalf("%s: key %#x, foretold %#x", s.p.SFEN(), s.key(), want)
			}
			g = g.After(m)
		}
	}
}
