package mate3

import (
	"context"
	"flag"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// The long run: go test ./solver/mate3 -run TestTheorems -positions 10000000 -seed 2 -timeout 4h -v
var positionsFlag = flag.Int("positions", 0, "random problems for TestTheoremsChangeNothing; 0: as many as a normal run takes")

// variants are searches with techniques switched off.
var variants = [...]struct {
	name    string
	options Options
}{
	{"everything on", Options{}},
	{"no drop omission", Options{NoDropOmission: true}},
	{"no move omission", Options{NoMoveOmission: true}},
	{"no escape first", Options{NoEscapeFirst: true}},
	{"no theorem", Options{NoDropOmission: true, NoMoveOmission: true, NoEscapeFirst: true}},
	{"everything off", Options{NoDropOmission: true, NoMoveOmission: true, NoEscapeFirst: true, NoLastMate: true, NoKiller: true}},
}

// Classes of problems, by their answer.
const (
	mateIn1 = iota // or in 0, with the defender to move
	mateIn3        // or in 2
	longer         // no mate in three, but perhaps a longer one
	noMate
	numClasses
)

var classNames = [numClasses]string{"mate in 0 or 1", "mate in 2 or 3", "none within 2 or 3", "no mate at all"}

// A tally is what a comparison counted.
type tally struct {
	problems, attacks  uint64
	classes            [numClasses]uint64
	nodes              [len(variants)][numClasses]uint64
	drops, moves       uint64 // interpositions left untried
	transported        uint64 // cut mates carried over to an interposition
	searched, verified uint64 // problems searched by the plain rules, mates replayed by them
}

func (t *tally) add(o *tally) {
	t.problems += o.problems
	t.attacks += o.attacks
	t.drops += o.drops
	t.moves += o.moves
	t.transported += o.transported
	t.searched += o.searched
	t.verified += o.verified
	for c := range t.classes {
		t.classes[c] += o.classes[c]
		for v := range t.nodes {
			t.nodes[v][c] += o.nodes[v][c]
		}
	}
}

func (t *tally) log(tb testing.TB) {
	tb.Logf("%d problems, %d with the attacker to move; %d searched and %d mates replayed by the plain rules",
		t.problems, t.attacks, t.searched, t.verified)
	tb.Logf("left untried, and each of them looked at: %d drops, %d moves; theorem A applied, and each mate made: %d times",
		t.drops, t.moves, t.transported)
	for c, n := range t.classes {
		if n == 0 {
			continue
		}
		line := fmt.Sprintf("%s: %d problems, nodes with %s %d", classNames[c], n, variants[0].name, t.nodes[0][c])
		for v := 1; v < len(variants); v++ {
			more := 100 * (float64(t.nodes[v][c])/float64(t.nodes[0][c]) - 1)
			line += fmt.Sprintf("; %s %d (%+.2f %%)", variants[v].name, t.nodes[v][c], more)
		}
		tb.Log(line)
	}
}

// A comparer asks every variant the same question.
type comparer struct {
	searchers [len(variants)]*Searcher
	mate1     mate1.Finder
	tally     tally
	wrong     []string // interpositions left untried that save the defender

	checks, replies shogi.MoveBuffer
}

func newComparer() *comparer {
	c := &comparer{}
	for i, v := range variants {
		c.searchers[i] = NewSearcher(v.options)
	}
	c.searchers[0].omitted = func(p *shogi.Position, r shogi.Move) {
		if r.IsDrop() {
			c.tally.drops++
		} else {
			c.tally.moves++
		}
		after := *p
		after.Do(r)
		if c.mate1.Find(&after) == shogi.NoMove {
			c.wrong = append(c.wrong, fmt.Sprintf("%s in %s", r, p.SFEN()))
		}
	}
	return c
}

// compare returns what is wrong, "" if nothing is. With plain set it asks the plain rules as well,
// which is slow.
func (c *comparer) compare(p *shogi.Position, plain bool) string {
	before := *p
	var want solver.Result
	for i, s := range c.searchers {
		r := s.solve(context.Background(), p, solver.Limits{})
		if *p != before {
			return fmt.Sprintf("%s changed the position to %s", variants[i].name, p.SFEN())
		}
		nodes := r.Nodes
		if i == 0 {
			want = r
		}
		// The mate may be another one, but not longer.
		same := r
		same.Nodes, same.Line = want.Nodes, want.Line
		if !reflect.DeepEqual(same, want) || len(r.Line) != len(want.Line) {
			return fmt.Sprintf("with %s %+v, with everything on %+v", variants[i].name, r, want)
		}
		c.tally.nodes[i][classOf(&want)] += nodes
	}
	if len(c.wrong) > 0 {
		return fmt.Sprintf("left untried, but saves: %v", c.wrong)
	}
	c.tally.problems++
	c.tally.classes[classOf(&want)]++
	attacker, err := solver.Attacker(p)
	if err != nil {
		return err.Error()
	}
	within := 2
	if attacker == p.SideToMove() {
		c.tally.attacks++
		within = 3
		for _, m := range p.Checks(&c.checks, shogi.AllMoves) {
			u := p.Do(m)
			wrong := c.theoremA(p)
			p.Undo(m, u)
			if wrong != "" {
				return fmt.Sprintf("after %s %s", m, wrong)
			}
		}
	} else if wrong := c.theoremA(p); wrong != "" {
		return wrong
	}
	if !plain {
		return ""
	}
	if want.Verdict == solver.Mate {
		c.tally.verified++
		if err := solver.Verify(*p, want, nil); err != nil {
			return err.Error()
		}
	}
	c.tally.searched++
	shortest := solvertest.Shortest(p, within)
	if want.Verdict == solver.Mate && shortest != len(want.Line) || want.Verdict != solver.Mate && shortest != solvertest.Never {
		return fmt.Sprintf("by the plain rules the shortest mate has %d plies, got %+v", shortest, want)
	}
	return ""
}

// theoremA returns where theorem A is wrong about p, in which the defender is to move and in check:
// for every far interposition that it calls refuted by a cut mate, that very move must mate. The
// search asks it about far fewer.
func (c *comparer) theoremA(p *shogi.Position) string {
	king, checkers := p.King(p.SideToMove()), p.Checkers()
	far := farSquares(p, king, checkers)
	if far.IsEmpty() {
		return ""
	}
	s, checker := c.searchers[0], checkers.First()
	s.cuts.n = 0
	s.findCutMates(p, king, checker)
	for _, r := range p.Evasions(&c.replies, shogi.AllMoves) {
		if !far.Has(r.To()) || !r.IsDrop() && r.From() == king {
			continue
		}
		for i := range s.cuts.list[:s.cuts.n] {
			cut := &s.cuts.list[i]
			if !transports(p, cut, r, king, checker) {
				continue
			}
			c.tally.transported++
			after := *p
			after.Do(r)
			if !after.IsLegal(cut.move) {
				return fmt.Sprintf("in %s after %s the cut mate %s is not legal", p.SFEN(), r, cut.move)
			}
			after.Do(cut.move)
			if !after.IsCheckmate() {
				return fmt.Sprintf("in %s after %s the cut mate %s does not mate", p.SFEN(), r, cut.move)
			}
		}
	}
	return ""
}

func classOf(r *solver.Result) int {
	switch {
	case r.Verdict == solver.Mate && len(r.Line) <= 1:
		return mateIn1
	case r.Verdict == solver.Mate:
		return mateIn3
	case r.Verdict == solver.NoMate:
		return noMate
	}
	return longer
}

// The searches with and without each theorem give the same verdict, length and bound, and what they
// leave untried is answered: on random problems, one in a thousand of them searched by the plain
// rules as well.
func TestTheoremsChangeNothing(t *testing.T) {
	seed, total := shogitest.Seed(t), *positionsFlag
	if total == 0 {
		total = 40_000
		if testing.Short() {
			total = 4_000
		}
	}
	t.Logf("%d problems", total)

	const chunk = 1_000
	numbers := make(chan int)
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		sum   tally
		start = time.Now()
	)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			c := newComparer()
			for number := range numbers {
				problems := solvertest.NewRandom(seed, uint64(number))
				c.tally = tally{}
				for i := range chunk {
					p := problems.Next()
					before := p
					if wrong := c.compare(&p, i == 0); wrong != "" {
						t.Errorf("seed %d, stream %d: sfen %s: %s", seed, number, before.SFEN(), wrong)
						c.wrong = nil
					}
				}
				mu.Lock()
				sum.add(&c.tally)
				if sum.problems%500_000 == 0 {
					t.Logf("%d problems after %v", sum.problems, time.Since(start).Round(time.Second))
				}
				mu.Unlock()
			}
		})
	}
	for number := range (total + chunk - 1) / chunk {
		if t.Failed() {
			break
		}
		numbers <- number
	}
	close(numbers)
	wg.Wait()

	sum.log(t)
	if sum.drops == 0 || sum.moves == 0 || sum.searched == 0 || sum.classes[mateIn1] == 0 || sum.classes[mateIn3] == 0 ||
		sum.classes[longer] == 0 || sum.classes[noMate] == 0 {
		t.Error("the problems did not exercise all that is compared")
	}
}

func TestTheoremsOnKnownPositions(t *testing.T) {
	ask := func(t *testing.T, known []solvertest.Known, plain bool) {
		c := newComparer()
		for i := range known {
			p := known[i].Position
			if wrong := c.compare(&p, plain); wrong != "" {
				t.Errorf("%s: sfen %s: %s", known[i].Source, known[i].Position.SFEN(), wrong)
				c.wrong = nil
			}
		}
		c.tally.log(t)
	}
	t.Run("testdata", func(t *testing.T) { ask(t, solvertest.Positions(t), !testing.Short()) })
	for _, file := range solvertest.CorpusFiles() {
		t.Run(file, func(t *testing.T) {
			known, _, ok := solvertest.Corpus(t, file)
			if !ok {
				t.Log("no corpus is named")
				return
			}
			if testing.Short() {
				known = known[:(len(known)+19)/20]
			}
			ask(t, known, false)
		})
	}
}
