package dfpn_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// TestDominance takes from the tables of searches what they say about hands nobody has looked at: a
// mate for every hand that covers the proof hand, and none for any that the disproof hand covers.
// It gives the attacker such hands, the least and the greatest always among them, and searches
// again from nothing, with every move and with another search.
func TestDominance(t *testing.T) {
	notShort(t)
	t.Parallel()
	seed := shogitest.Seed(t)
	problems := howMany(300)
	sums := map[string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	const workers = 2
	for stream := range uint64(workers) {
		wg.Go(func() {
			d := dominance{
				t: t, rng: rand.New(rand.NewPCG(seed, stream)), random: solvertest.NewRandom(seed, stream), sums: map[string]int{},
				search: dfpn.NewSearch(dfpn.Options{TableBytes: 1 << 20}), again: dfpn.NewSearch(dfpn.Options{TableBytes: 1 << 20}),
			}
			for range problems / workers {
				d.problem()
			}
			mu.Lock()
			defer mu.Unlock()
			for name, n := range d.sums {
				sums[name] += n
			}
		})
	}
	wg.Wait()
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		t.Logf("%-32s %d", name, sums[name])
	}
	for _, name := range []string{"mates", "no mates", "no mates within", "two kings", "attacker in check", "defender to move", "interpositions",
		"proof hand not empty", "disproof hand not full", "pawn in the way"} {
		if sums[name] < problems/200 {
			t.Errorf("%s: only %d", name, sums[name])
		}
	}
}

type dominance struct {
	t             *testing.T
	rng           *rand.Rand
	random        *solvertest.Random
	search, again *dfpn.Search
	seen          map[claim]bool
	sums          map[string]int
}

type claim struct {
	board uint64
	dfpn.Solved
}

// problem searches a random problem and walks about in it, looking at what the table says.
func (d *dominance) problem() {
	var root shogi.Position
	switch d.rng.IntN(4) {
	case 0:
		root = d.random.Crowded()
	case 1:
		root = d.random.Next()
	case 2:
		root = d.random.Chase()
	default:
		root = d.random.Interposition()
	}
	if d.rng.IntN(2) == 0 { // of some kinds one side has all: what it must not be given counts most then
		setup := root.Setup()
		for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
			if from := d.rng.IntN(4); from < 2 {
				n := setup.Hands[from].Count(kind)
				setup.Hands[from] = setup.Hands[from].Remove(kind, n)
				setup.Hands[1-from] = setup.Hands[1-from].Add(kind, n)
			}
		}
		if p, err := setup.Position(); err == nil {
			root = p
		}
	}
	attacker, err := solver.Attacker(&root)
	if err != nil {
		return
	}
	if attacker == shogi.White {
		root = root.Rotated()
	}
	d.search.Forget()
	lim := solver.Limits{Nodes: 2000, Shortest: d.rng.IntN(2) == 0}
	if d.rng.IntN(4) == 0 {
		lim.Plies = 1 + d.rng.IntN(8)
	}
	d.search.Solve(context.Background(), root, lim)
	d.seen = map[claim]bool{}
	var buf shogi.MoveBuffer
	for range 6 {
		p := root
		for range 10 {
			d.look(&p)
			moves := p.Checks(&buf, shogi.AllMoves)
			if p.SideToMove() == shogi.White {
				moves = p.Evasions(&buf, shogi.AllMoves)
			}
			if len(moves) == 0 || len(d.seen) > 40 {
				break
			}
			p.Do(moves[d.rng.IntN(len(moves))])
		}
	}
}

// look puts what the table says about the board of p to the test.
func (d *dominance) look(p *shogi.Position) {
	for _, s := range d.search.Solved(p) {
		c := claim{p.BoardKey(), s}
		if d.seen[c] || len(d.seen) > 40 {
			continue
		}
		d.seen[c] = true
		all := p.Hand(shogi.Black) + p.Hand(shogi.White)
		if !all.Covers(s.Hand) {
			d.t.Errorf("sfen %s: %+v: more than there is", p.SFEN(), s)
			continue
		}
		d.count(p, &s, all)
		if s.NoMate {
			d.test(p, s, s.Hand)
			d.test(p, s, 0)
			d.test(p, s, d.between(0, s.Hand))
		} else {
			d.test(p, s, s.Hand)
			d.test(p, s, all)
			d.test(p, s, d.between(s.Hand, all))
		}
	}
}

// between returns a random hand that covers least and is covered by most.
func (d *dominance) between(least, most shogi.Hand) shogi.Hand {
	h := least
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		if room := most.Count(kind) - least.Count(kind); room > 0 {
			h = h.Add(kind, d.rng.IntN(room+1))
		}
	}
	return h
}

// test gives the attacker the hand and the defender the rest.
func (d *dominance) test(p *shogi.Position, s dfpn.Solved, hand shogi.Hand) {
	setup := p.Setup()
	setup.Hands[shogi.White] += setup.Hands[shogi.Black] - hand
	setup.Hands[shogi.Black] = hand
	q, err := setup.Position()
	if err != nil {
		d.t.Errorf("sfen %s with %s: %v", p.SFEN(), hand, err)
		return
	}
	d.sums["hands tried"]++
	fault := func(format string, args ...any) {
		d.t.Errorf("sfen %s: the table says %+v about the board: %s", q.SFEN(), s, fmt.Sprintf(format, args...))
	}
	plies := 5
	if s.NoMate {
		plies = min(plies, s.NoMateWithin)
	} else {
		plies = min(plies, s.MateIn)
	}
	n, ok := shortestOf(q, shogi.Black, plies, 30_000)
	switch {
	case !ok:
		d.sums["too many moves"]++
	case s.NoMate && n < solvertest.Never:
		fault("there is a mate in %d", n)
		return
	case !s.NoMate && s.MateIn <= plies && n == solvertest.Never:
		fault("there is no mate within %d", s.MateIn)
		return
	case !s.NoMate && s.MateIn <= plies:
		return
	}
	d.again.Forget()
	lim := solver.Limits{Nodes: 4000, Plies: s.MateIn}
	if s.NoMate {
		if lim.Plies = s.NoMateWithin; s.NoMateWithin == dfpn.Forever {
			lim.Plies = 0
		} else if s.NoMateWithin == 0 {
			return
		}
	}
	r := d.again.Solve(context.Background(), q, lim)
	switch {
	case r.Reason == solver.ReasonNodes:
		d.sums["too many nodes"]++
	case s.NoMate && r.Verdict == solver.Mate:
		fault("there is a mate: %v", r.Line)
	case !s.NoMate && r.Verdict != solver.Mate:
		fault("from nothing: %+v", r)
	}
}

func (d *dominance) count(p *shogi.Position, s *dfpn.Solved, all shogi.Hand) {
	add := func(name string, what bool) {
		if what {
			d.sums[name]++
		}
	}
	king, checkers := p.King(shogi.White), p.Checkers()
	defends := p.SideToMove() == shogi.White
	add("mates", !s.NoMate)
	add("no mates", s.NoMate && s.NoMateWithin == dfpn.Forever)
	add("no mates within", s.NoMate && s.NoMateWithin < dfpn.Forever)
	add("two kings", p.King(shogi.Black) != shogi.NoSquare)
	add("attacker in check", !defends && p.InCheck())
	add("defender to move", defends)
	add("interpositions", defends && checkers.Len() == 1 && !shogi.Between(king, checkers.First()).IsEmpty())
	add("proof hand not empty", !s.NoMate && !s.Hand.IsEmpty())
	add("disproof hand not full", s.NoMate && s.Hand != all)
	column := shogi.ForwardRay(shogi.Black, king).Or(shogi.ForwardRay(shogi.White, king))
	add("pawn in the way", all.Has(shogi.Pawn) && p.PiecesOf(p.SideToMove(), shogi.Pawn).Intersects(column))
}
