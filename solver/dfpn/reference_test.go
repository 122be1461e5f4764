package dfpn_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/solvertest"
)

var positions = flag.Int("dfpn.positions", 0, "compare this many random positions with searches of all "+
	"moves (default some hundreds, with -short a third of them)")

// howMany returns how many random positions a test looks at.
func howMany(normal int) int {
	switch {
	case *positions > 0:
		return *positions
	case testing.Short():
		return normal / 3
	}
	return normal
}

// A state is all there is to a position of one problem.
type state struct {
	board uint64
	hand  shogi.Hand // of the attacker; what he and the board lack the defender has
}

func stateOf(p *shogi.Position, attacker shogi.Color) state {
	return state{p.BoardKey(), p.Hand(attacker)}
}

// An exhaustive search tries every move to a depth, and remembers what it found.
type exhaustive struct {
	attacker shogi.Color
	moves    int // left to make
	memo     map[state]bounds
}

// bounds say that the shortest mate of a position has more than above plies, or exactly mate if
// that is not 0.
type bounds struct{ above, mate int8 }

// shortestWithin returns the length of the shortest mate of p within plies, solvertest.Never if
// there is none. ok is false if it would take more than a number of moves.
func shortestWithin(p shogi.Position, plies, moves int) (n int, ok bool) {
	attacker, err := solver.Attacker(&p)
	if err != nil {
		panic(err)
	}
	return shortestOf(p, attacker, plies, moves)
}

// shortestOf is shortestWithin for an attacker that is told.
func shortestOf(p shogi.Position, attacker shogi.Color, plies, moves int) (n int, ok bool) {
	x := exhaustive{attacker, moves, map[state]bounds{}}
	first := 1
	if p.SideToMove() != attacker {
		first = 0
	}
	for n = first; n <= plies; n += 2 {
		if x.mates(&p, n) {
			return n, true
		}
		if x.moves <= 0 {
			return 0, false
		}
	}
	return solvertest.Never, true
}

// mates reports whether there is a mate within plies.
func (x *exhaustive) mates(p *shogi.Position, plies int) bool {
	s := stateOf(p, x.attacker)
	known := x.memo[s]
	if known.mate > 0 && int(known.mate) <= plies {
		return true
	}
	if int(known.above) >= plies && plies > 0 || x.moves <= 0 {
		return false
	}
	var buf shogi.MoveBuffer
	result := false
	if p.SideToMove() == x.attacker {
		for _, m := range p.Checks(&buf, shogi.AllMoves) {
			if x.moves--; plies >= 1 && x.after(p, m, plies-1) {
				result = true
				break
			}
		}
	} else {
		result = true
		for _, m := range p.Evasions(&buf, shogi.AllMoves) {
			if x.moves--; plies < 2 || !x.after(p, m, plies-1) {
				result = false
				break
			}
		}
	}
	switch {
	case x.moves <= 0:
		return false
	case result && plies > 0:
		known.mate = int8(plies)
	case !result:
		known.above = max(known.above, int8(plies))
	}
	x.memo[s] = known
	return result
}

func (x *exhaustive) after(p *shogi.Position, m shogi.Move, plies int) bool {
	u := p.Do(m)
	defer p.Undo(m, u)
	return x.mates(p, plies)
}

// A graph is every position that checks and answers lead to from a position, the first, with the
// length of its shortest mate, solvertest.Never if there is none.
type graph struct {
	positions []shogi.Position
	mate      []int
}

// everyState solves p from the end: it lists all positions, and then again and again settles those
// that are mates because of others. ok is false if there are more than a number.
func everyState(root shogi.Position, most int) (g graph, ok bool) {
	attacker, err := solver.Attacker(&root)
	if err != nil {
		panic(err)
	}
	g.positions = []shogi.Position{root}
	var next [][]int32
	index := map[state]int32{stateOf(&root, attacker): 0}
	var buf shogi.MoveBuffer
	for i := 0; i < len(g.positions); i++ {
		p := g.positions[i]
		moves := p.Checks(&buf, shogi.AllMoves)
		if p.SideToMove() != attacker {
			moves = p.Evasions(&buf, shogi.AllMoves)
		}
		next = append(next, nil)
		for _, m := range moves {
			q := p
			q.Do(m)
			s := stateOf(&q, attacker)
			j, seen := index[s]
			if !seen {
				if len(g.positions) == most {
					return g, false
				}
				j = int32(len(g.positions))
				index[s] = j
				g.positions = append(g.positions, q)
			}
			next[i] = append(next[i], j)
		}
	}
	g.mate = make([]int, len(g.positions))
	for i := range g.mate {
		g.mate[i] = solvertest.Never
	}
	settled := true
	for n := 0; settled || n < 2; n++ {
		settled = false
		sooner := func(j int32) bool { return g.mate[j] < n }
		later := func(j int32) bool { return g.mate[j] >= n }
		for i := range g.positions {
			attacks := g.positions[i].SideToMove() == attacker
			if g.mate[i] == solvertest.Never && attacks == (n%2 == 1) &&
				(attacks && slices.ContainsFunc(next[i], sooner) || !attacks && !slices.ContainsFunc(next[i], later)) {
				g.mate[i], settled = n, true
			}
		}
	}
	return g, true
}

// compare asks about n random positions, on two goroutines, and counts the outcomes by name.
func compare(t *testing.T, n int, next func(r *solvertest.Random, rng *rand.Rand) shogi.Position, ask func(s *dfpn.Solver, p shogi.Position) (outcome, fault string)) map[string]int {
	t.Helper()
	seed := shogitest.Seed(t)
	s := dfpn.New(dfpn.Options{TableBytes: 4 << 20, Searches: 2})
	outcomes := map[string]int{}
	faults := 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(n))
	for stream := range uint64(2) {
		wg.Go(func() {
			r, rng := solvertest.NewRandom(seed, stream), rand.New(rand.NewPCG(seed, stream))
			for left.Add(-1) >= 0 {
				p := next(r, rng)
				if _, err := solver.Attacker(&p); err != nil {
					continue
				}
				outcome, fault := ask(s, p)
				mu.Lock()
				outcomes[outcome]++
				if fault != "" {
					if faults++; faults <= 10 {
						t.Errorf("sfen %s: %s", p.SFEN(), fault)
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Logf("%d positions, %d faults: %v", n, faults, outcomes)
	return outcomes
}

// TestReference compares random problems of all kinds with a search of all moves to five plies.
func TestReference(t *testing.T) {
	notShort(t)
	t.Parallel()
	next := func(r *solvertest.Random, rng *rand.Rand) shogi.Position {
		if rng.IntN(3) == 0 {
			return r.Crowded()
		}
		return r.Next()
	}
	outcomes := compare(t, howMany(300), next, func(s *dfpn.Solver, p shogi.Position) (string, string) {
		plies := 5
		want, ok := shortestWithin(p, plies, 200_000)
		if !ok {
			plies = 3
			if want, ok = shortestWithin(p, plies, 200_000); !ok {
				return "too many moves", ""
			}
		}
		least := want
		if want == solvertest.Never {
			least = plies + 1
		}
		k := known{Known: solvertest.Known{Position: p, Least: least, Most: want}}
		any := solve(s, p, solver.Limits{Nodes: 3000})
		if msg := k.wrong(&any); msg != "" {
			return "fault", msg
		}
		within := solve(s, p, solver.Limits{Nodes: 30_000, Plies: plies, Shortest: true})
		if msg := k.wrong(&within); msg != "" {
			return "fault", msg
		}
		switch {
		case within.Reason == solver.ReasonNodes:
			return "undecided", ""
		case want < solvertest.Never && (within.Verdict != solver.Mate || !within.Exact):
			return "fault", "there is a short mate, and all that was found is " + within.Verdict.String() + " " + string(within.Reason)
		case want < solvertest.Never:
			return "mate", ""
		case any.Verdict == solver.NoMate:
			return "no mate", ""
		case any.Verdict == solver.Mate:
			return "longer mate", ""
		}
		return "no mate as short", ""
	})
	for _, outcome := range []string{"mate", "no mate", "longer mate"} {
		if outcomes[outcome] == 0 {
			t.Errorf("no %s among the positions", outcome)
		}
	}
	if outcomes["undecided"]*10 > outcomes["mate"]+outcomes["no mate"] {
		t.Error("too many positions undecided")
	}
}

// TestEveryState compares problems with few or no pieces in hand, in which all positions can be
// listed, with the verdict and length found from the end. Loops abound.
func TestEveryState(t *testing.T) {
	t.Parallel()
	outcomes := compare(t, howMany(150), confined, func(s *dfpn.Solver, p shogi.Position) (string, string) {
		g, ok := everyState(p, 6000)
		if !ok {
			return "too many states", ""
		}
		want := g.mate[0]
		k := known{Known: solvertest.Known{Position: p, Least: want, Most: want}}
		const nodes = 60_000
		any := solve(s, p, solver.Limits{Nodes: nodes})
		if msg := k.wrong(&any); msg != "" {
			return "fault", msg
		}
		short := solve(s, p, solver.Limits{Nodes: nodes, Shortest: true})
		if msg := k.wrong(&short); msg != "" {
			return "fault", msg
		}
		switch {
		case any.Verdict == solver.Unknown:
			return "undecided", ""
		case want == solvertest.Never:
			return "no mate", ""
		case short.Reason != solver.NoReason:
			return "mate", ""
		case len(short.Line) != want || !short.Exact:
			return "fault", "the shortest mate is another"
		case want >= 5:
			return "mate in 5 and more", ""
		}
		return "shorter mate", ""
	})
	for _, outcome := range []string{"shorter mate", "no mate"} {
		if outcomes[outcome] == 0 {
			t.Errorf("no %s among the positions", outcome)
		}
	}
}

// confined returns a random problem with few pieces in hand and fewer on the board than others.
func confined(r *solvertest.Random, rng *rand.Rand) shogi.Position {
	for {
		p := r.Next()
		setup := p.Setup()
		setup.Hands = [2]shogi.Hand{}
		for c := range setup.Hands {
			for rng.IntN(2) == 0 {
				if kind := shogi.Pawn + shogi.PieceType(rng.IntN(int(shogi.Gold))); isLeft(&setup, kind) {
					setup.Hands[c] = setup.Hands[c].Add(kind, 1)
				}
			}
		}
		for sq, pc := range setup.Board {
			if pc != shogi.NoPiece && pc.Type() != shogi.King && rng.IntN(3) == 0 {
				setup.Board[sq] = shogi.NoPiece
			}
		}
		if p, err := setup.Position(); err == nil {
			return p
		}
	}
}

// isLeft reports whether the set has another piece of the kind left.
func isLeft(s *shogi.Setup, kind shogi.PieceType) bool {
	n := s.Hands[0].Count(kind) + s.Hands[1].Count(kind)
	for _, pc := range s.Board {
		if pc != shogi.NoPiece && pc.Type().Base() == kind {
			n++
		}
	}
	return n < int(shogi.FullSet[kind])
}

// TestContradictions searches the same problems in several ways, and again on from other positions
// with the same tables, and looks at everything the tables then say: a board with a mate for a hand
// and none for a greater one proves one of them wrong. What was found on one path and holds on no
// other, and got into the table all the same, shows up here.
func TestContradictions(t *testing.T) {
	notShort(t)
	t.Parallel()
	seed := shogitest.Seed(t)
	n := howMany(24)
	var entries atomic.Int64
	var wg sync.WaitGroup
	const workers = 2
	works := knownPositions(t, quick, exact, verdict)
	for stream := range uint64(workers) {
		wg.Go(func() {
			r, rng := solvertest.NewRandom(seed, stream), rand.New(rand.NewPCG(seed, stream))
			searches := []*dfpn.Search{
				dfpn.NewSearch(dfpn.Options{TableBytes: 8 << 20}),
				dfpn.NewSearch(dfpn.Options{TableBytes: 8 << 20, NoHints: true, NoEpsilon: true, NoDCE: true}),
				dfpn.NewSearch(dfpn.Options{TableBytes: 8 << 20, NoDelay: true, NoHints: true}),
			}
			for i := range n / workers {
				var p shogi.Position
				switch i % 4 {
				case 0:
					p = works[rng.IntN(len(works))].Position
				case 1:
					p = r.Crowded()
				default:
					p = r.Chase()
				}
				if attacker, err := solver.Attacker(&p); err != nil {
					continue
				} else if attacker == shogi.White {
					p = p.Rotated()
				}
				for _, s := range searches {
					s.Forget()
					q := p
					var buf shogi.MoveBuffer
					for range 5 {
						s.Solve(context.Background(), q, solver.Limits{Nodes: uint64(1 + rng.IntN(16_000)), Shortest: rng.IntN(4) == 0})
						for range 1 + rng.IntN(3) { // each time a little further on
							moves := q.Checks(&buf, shogi.AllMoves)
							if q.SideToMove() == shogi.White {
								moves = q.Evasions(&buf, shogi.AllMoves)
							}
							if len(moves) == 0 {
								q = p
								break
							}
							q.Do(moves[rng.IntN(len(moves))])
						}
					}
				}
				for _, a := range searches {
					for _, b := range searches {
						looked, found := a.Contradiction(b)
						if entries.Add(int64(looked)); found != "" {
							t.Errorf("in the search of %s: %s", p.SFEN(), found)
						}
					}
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d mates looked up", entries.Load())
	if entries.Load() < int64(100*n) {
		t.Error("too few entries to tell")
	}
}
