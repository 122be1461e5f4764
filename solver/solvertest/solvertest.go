// Package solvertest is the conformance kit: what any solver.Solver must pass. It brings positions
// with known answers, random problems, and a plain search that knows no shortcut, for the tests of
// a single solver.
package solvertest

import (
	"context"
	"flag"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A Claim is what a solver promises beyond never being wrong.
type Claim struct {
	// Plies: with the attacker to move, every mate of so many plies or fewer is found, and with the
	// defender to move every one of one ply less. Where there is none, NoMateWithin says so. Never:
	// mates of any length are found, and every position without one is a NoMate.
	Plies int
	// Shortest: every mate found is the shortest, and Exact.
	Shortest bool
	// Nodes is the limit under which the promise is asked for, where a question brings none; a
	// position that takes more may be left undecided. 0: none is.
	Nodes uint64
	// Threads: a search has several threads. The same question has the same verdict, the same exact
	// length and the same line of an exact mate then, and no more: nodes and other lines may
	// differ.
	Threads bool
}

// Run runs the kit: the positions of the package with and without limits, from both sides of the
// board, and the corpus if one is named. A failure names the position as SFEN, the
// question and the answer.
func Run(t *testing.T, s solver.Solver, claim Claim) {
	step := 1
	switch {
	case claim.Plies == Never && !*whole && testing.Short():
		step = 20
	case claim.Plies == Never && !*whole:
		step = 10
	case testing.Short():
		step = 4
	}
	positions := every(step, Positions(t))
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) { part.run(&kit{t, s, claim, 0}, positions) })
	}
	t.Run("corpus", func(t *testing.T) { corpus(t, s, claim) })
}

// parts are the parts of the kit that need no corpus.
var parts = []struct {
	name string
	run  func(k *kit, positions []Known)
}{
	{"answers", answers},
	{"colours", colours},
	{"defender to move", defenderToMove},
	{"same question, same answer", sameAnswers},
	{"limit of plies", limitOfPlies},
	{"limit of nodes", limitOfNodes},
	{"context ended", contextEnded},
	{"no problem", noProblem},
}

// CorpusFiles returns the names of the files of the corpus.
func CorpusFiles() []string {
	var names []string
	for _, file := range corpusFiles {
		names = append(names, file.name)
	}
	return names
}

// corpusFiles are the files of the corpus. Of the hard ones a solver need not decide anything, and
// is not given long.
var corpusFiles = []struct {
	name string
	hard bool
}{
	{"handmade.tsv", false},
	{"adversarial.tsv", false},
	{"game-mates.tsv", false},
	{"game-nomate.tsv", false},
	{"collected.tsv", false},
	{"classics.tsv", true},
	{"famous.tsv", true},
}

// whole asks for all of the corpus where it takes minutes.
var whole = flag.Bool("solvertest.corpus", false, "ask solvers of any length all positions, not one in ten, and of the corpus one in a hundred")

func corpus(t *testing.T, s solver.Solver, claim Claim) {
	for _, file := range corpusFiles {
		known, refused, ok := Corpus(t, file.name)
		if !ok {
			t.Logf("%s: no corpus is named", file.name)
			continue
		}
		switch {
		case claim.Plies == Never && !*whole:
			known = every(100, known)
		case testing.Short():
			known = every(20, known)
		}
		k := &kit{t, s, claim, 0}
		limits := solver.Limits{Nodes: claim.Nodes}
		if file.hard {
			limits.Nodes = 20_000
		}
		within, decided := 0, 0
		for i := range known {
			r := k.ask(question{known: &known[i], limits: limits})
			if known[i].Most <= claim.Plies {
				within++
			}
			if r.Verdict != solver.Unknown {
				decided++
			}
		}
		t.Logf("%s: %d positions, %d of them within the claim; %d decided", file.name, len(known), within, decided)
		if len(refused) > 0 {
			t.Logf("%d lines hold no legal position, as %s", len(refused), refused[0])
		}
	}
}

// every returns the first of the positions and each n-th after it.
func every(n int, positions []Known) []Known {
	var some []Known
	for i := 0; i < len(positions); i += n {
		some = append(some, positions[i])
	}
	return some
}

// A reporter is the part of testing.TB that the kit needs, so that its own test can see what it
// reports.
type reporter interface {
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

type kit struct {
	reporter
	solver solver.Solver
	claim  Claim
	faulty int
}

// mostFaults is how many faulty answers one part reports.
const mostFaults = 20

// ask asks q and reports what is wrong with the answer.
func (k *kit) ask(q question) solver.Result {
	ctx := q.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	if q.limits.Nodes == 0 {
		q.limits.Nodes = k.claim.Nodes
	}
	q.limits.Proof = true
	r := k.solver.Solve(ctx, q.known.Position, q.limits)
	if found := faults(&q, k.claim, &r); len(found) > 0 {
		if k.faulty++; k.faulty <= mostFaults {
			k.Errorf("%s: sfen %s: limits %+v: got %+v:", q.known.Source, q.known.Position.SFEN(), q.limits, r)
			for _, fault := range found {
				k.Errorf("    %s", fault)
			}
		}
	}
	return r
}

func answers(k *kit, positions []Known) {
	for i := range positions {
		k.ask(question{known: &positions[i]})
	}
}

// colours turns every board round.
func colours(k *kit, positions []Known) {
	for _, known := range positions {
		known.Position = known.Position.Rotated()
		k.ask(question{known: &known})
	}
}

// defences returns positions with the defender to move, and what is known about them: a few legal
// checks on from those of the given positions in which the attacker has no king, for with two kings
// the side to move is the attacker.
func defences(positions []Known) []Known {
	var list []Known
	var buf shogi.MoveBuffer
	for _, known := range positions {
		p := known.Position
		attacker, err := solver.Attacker(&p)
		if err != nil || attacker != p.SideToMove() || p.King(attacker) != shogi.NoSquare {
			continue
		}
		checks := p.Checks(&buf, shogi.AllMoves)
		for _, m := range checks[:min(len(checks), 12)] {
			after := known
			after.Position.Do(m)
			// A check that wastes time has a longer mate after it, or none.
			after.Most = Never
			if known.Least < Never {
				after.Least = max(known.Least-1, 0)
			}
			if after.Position.IsCheckmate() {
				after.Least, after.Most = 0, 0
			} else if after.Least <= 2 {
				if n := Shortest(&after.Position, 2); n < Never {
					after.Least, after.Most = n, n
				} else {
					after.Least = 4
				}
			}
			after.Source += " after " + m.String()
			list = append(list, after)
		}
	}
	return list
}

func defenderToMove(k *kit, positions []Known) {
	mated, within2 := 0, 0
	for _, known := range defences(positions) {
		k.ask(question{known: &known})
		for plies := 1; plies <= 3; plies++ {
			k.ask(question{known: &known, limits: solver.Limits{Plies: plies}})
		}
		if known.HasMateIn(0) {
			mated++
		} else if known.HasMateIn(2) {
			within2++
		}
	}
	if mated == 0 || within2 == 0 {
		k.Errorf("%d positions mated and %d with a mate in 2: too few to tell", mated, within2)
	}
}

// sameAnswers asks everything once, and again from several goroutines at once.
func sameAnswers(k *kit, positions []Known) {
	first := make([]solver.Result, len(positions))
	for i := range positions {
		first[i] = k.solver.Solve(context.Background(), positions[i].Position, solver.Limits{Nodes: k.claim.Nodes})
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range positions {
				i := (i + worker*len(positions)/4) % len(positions)
				again := k.solver.Solve(context.Background(), positions[i].Position, solver.Limits{Nodes: k.claim.Nodes})
				same := reflect.DeepEqual(again, first[i])
				if k.claim.Threads {
					same = disagreement(&again, &first[i]) == ""
				}
				if !same {
					k.Errorf("%s: sfen %s: got %+v, and then %+v", positions[i].Source, positions[i].Position.SFEN(), first[i], again)
					return
				}
			}
		})
	}
	wg.Wait()
}

func limitOfPlies(k *kit, positions []Known) {
	for i := range positions {
		for plies := 1; plies <= 6; plies++ {
			k.ask(question{known: &positions[i], limits: solver.Limits{Plies: plies}})
		}
	}
}

// limitOfNodes gives few nodes: the answer is right all the same, or the reason is that they ran
// out.
func limitOfNodes(k *kit, positions []Known) {
	ranOut := 0
	for i := range positions {
		free := k.solver.Solve(context.Background(), positions[i].Position, solver.Limits{Nodes: k.claim.Nodes})
		for _, nodes := range []uint64{1, 2, 5, 20, 100} {
			r := k.ask(question{known: &positions[i], limits: solver.Limits{Nodes: nodes}})
			switch {
			case r.Verdict == solver.Unknown && r.Reason == solver.ReasonNodes:
				ranOut++
			case r.Verdict != free.Verdict && free.Reason != solver.ReasonNodes:
				k.Errorf("sfen %s: within %d nodes %+v, without limit %+v", positions[i].Position.SFEN(), nodes, r, free)
			}
		}
	}
	k.Logf("the nodes ran out %d times", ranOut)
}

// contextEnded asks under contexts that have ended: the answer is right all the same, or the reason
// is that.
func contextEnded(k *kit, positions []Known) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	expired, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	for i := range positions {
		k.ask(question{known: &positions[i], ctx: cancelled})
		k.ask(question{known: &positions[i], ctx: expired})
	}
}

// noProblem asks about positions that solver.Attacker refuses: whatever a solver says, it must not
// claim to have decided anything.
func noProblem(k *kit, _ []Known) {
	for _, sfen := range []string{
		"9/9/9/9/9/9/9/9/9 b 2r2b4g4s4n4l18p 1",
		"9/9/4G4/9/9/9/9/9/9 w 2r2b3g4s4n4l18p 1",
		"9/9/9/9/9/9/9/9/4K4 b G2r2b3g4s4n4l18p 1",
		"4k4/9/9/9/9/9/9/9/9 w G2r2b3g4s4n4l18p 1",
	} {
		p := shogi.MustParseSFEN(sfen)
		if _, err := solver.Attacker(&p); err == nil {
			k.Errorf("sfen %s: solver.Attacker knows an attacker", sfen)
		}
		for _, plies := range []int{0, 1, 3} {
			r := k.solver.Solve(context.Background(), p, solver.Limits{Plies: plies})
			if r.Verdict != solver.Unknown || len(r.Line) > 0 || r.Exact || r.NoMateWithin != 0 || r.Reason == solver.NoReason {
				k.Errorf("sfen %s: there is nobody to mate, and %d plies are allowed: got %+v", sfen, plies, r)
			}
		}
	}
}
