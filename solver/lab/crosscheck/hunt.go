package crosscheck

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// A Contender is a solver that takes part in a hunt.
type Contender struct {
	Name string
	solver.Solver
}

// HuntOptions say how to hunt. The zero value of each field but Contenders stands for its default.
type HuntOptions struct {
	// Seed decides every problem: problem n of a seed is always the same.
	Seed uint64
	// Problems is how many to look at. Default: as many as there is time for.
	Problems uint64
	// Workers is how many problems are looked at at once. Default GOMAXPROCS.
	Workers int
	// Nodes is the limit of a search of the first contender; the others get four times as many.
	// Default 20,000.
	Nodes uint64
	// Contenders are the solver that is hunted and at least one that searches in another way. Each
	// problem is a question to the first, to the first with the board mirrored, and to one of the
	// others in turn. They must take as many questions at once as there are workers.
	Contenders []Contender
	// MateIn1 is asked by solver.Verify.
	MateIn1 func(*shogi.Position) shogi.Move
}

// HuntStats count what was hunted.
type HuntStats struct {
	Problems  uint64
	Mates     uint64 // by any of the contenders
	NoMates   uint64
	Longest   int    // plies of the longest mate
	Replayed  uint64 // positions after every defence along the mates, solved again
	Unsure    uint64 // of them undecided
	Plain     uint64 // problems searched with all moves as well
	Undecided uint64
}

func (s *HuntStats) add(o *HuntStats) {
	s.Problems += o.Problems
	s.Mates += o.Mates
	s.NoMates += o.NoMates
	s.Longest = max(s.Longest, o.Longest)
	s.Replayed += o.Replayed
	s.Unsure += o.Unsure
	s.Plain += o.Plain
	s.Undecided += o.Undecided
}

// Hunt looks for false proofs and false disproofs in random problems: from random games, with
// crowds of pieces, with interpositions, with few pieces and endless checks. For each problem
//
//   - solver.Verify must accept every answer, and no two may contradict each other in verdict,
//     length or bound;
//   - along the line of a mate every legal defence, by the plain rules of package mailbox, is
//     played, and the position after it must be a mate in the plies that are left when it is solved
//     again on its own;
//   - a search of all moves, as far as a number of them go, must find no mate where there is said
//     to be none.
//
// Hunt returns at the first disagreement with a *Disagreement, whose Game is the number of the
// problem, when it has seen o.Problems, or when ctx ends, with its error. Answers cut off by the
// end of ctx are not compared. progress, which may be nil, is called with the sums so far now and
// then, from one goroutine at a time.
func Hunt(ctx context.Context, o HuntOptions, progress func(HuntStats)) (HuntStats, error) {
	if len(o.Contenders) < 2 {
		panic("crosscheck: a hunt takes two contenders")
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Nodes = cmp.Or(o.Nodes, 20_000)
	o.Problems = cmp.Or(o.Problems, 1<<63)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	var (
		mu    sync.Mutex
		sum   HuntStats
		first *Disagreement
		next  atomic.Uint64
		wg    sync.WaitGroup
	)
	for range o.Workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				number := next.Add(1) - 1
				if number >= o.Problems {
					return
				}
				h := hunter{ctx: ctx, o: &o, number: number, rng: rand.New(rand.NewPCG(o.Seed, number))}
				found := h.problem()
				if ctx.Err() != nil && found == nil {
					return // the last one was cut short
				}
				mu.Lock()
				sum.add(&h.stats)
				if found != nil && (first == nil || found.Game < first.Game) {
					first = found
					cancel()
				}
				if progress != nil {
					progress(sum)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if first != nil {
		return sum, first
	}
	return sum, ctx.Err()
}

// A hunter looks at one problem.
type hunter struct {
	ctx    context.Context
	o      *HuntOptions
	number uint64
	rng    *rand.Rand
	stats  HuntStats
	moves  shogi.MoveBuffer
	checks shogi.MoveBuffer
}

// pick returns the problem with the hunter's number.
func (h *hunter) pick() shogi.Position {
	problems := solvertest.RandomFrom(h.rng)
	switch h.number % 5 {
	case 0:
		return problems.Crowded()
	case 1:
		return problems.Interposition()
	case 2:
		return problems.Chase()
	}
	// A position of a random game, from the initial position or from a random one.
	for {
		p := start(h.rng, h.number/5)
		for range 1 + h.rng.IntN(100) {
			legal := p.LegalMoves(&h.moves, shogi.AllMoves)
			checks := p.Checks(&h.checks, shogi.AllMoves)
			m := choose(h.rng, &p, legal, checks)
			if m == shogi.NoMove {
				break
			}
			p.Do(m)
		}
		if _, err := solver.Attacker(&p); err == nil {
			return p
		}
	}
}

// An opinion is what one of the contenders said.
type opinion struct {
	name string
	solver.Result
}

func (o opinion) String() string {
	s := fmt.Sprintf("%s: %v", o.name, o.Verdict)
	switch {
	case o.Verdict == solver.Mate:
		s += fmt.Sprintf(" in %d", len(o.Line))
		if o.Exact {
			s += ", exactly"
		}
		var line []string
		for _, m := range o.Line {
			line = append(line, m.String())
		}
		s += " (" + strings.Join(line, " ") + ")"
	case o.NoMateWithin > 0:
		s += fmt.Sprintf(", none within %d", o.NoMateWithin)
	}
	if o.Reason != solver.NoReason {
		s += ", " + string(o.Reason)
	}
	return s
}

func (h *hunter) disagree(p *shogi.Position, format string, args ...any) *Disagreement {
	return &Disagreement{Seed: h.o.Seed, Game: h.number, SFEN: p.SFEN(), What: fmt.Sprintf(format, args...)}
}

// ask returns what c says about p. ok is false if the hunt has ended.
func (h *hunter) ask(c Contender, p shogi.Position, lim solver.Limits) (op opinion, err *Disagreement, ok bool) {
	lim.Proof = true
	op = opinion{c.Name, c.Solve(h.ctx, p, lim)}
	if h.ctx.Err() != nil {
		return op, nil, false
	}
	if msg := solver.Verify(p, op.Result, h.o.MateIn1); msg != nil {
		return op, h.disagree(&p, "%v does not hold: %v", op, msg), true
	}
	if op.Reason == solver.ReasonUnverified {
		return op, h.disagree(&p, "%v", op), true
	}
	return op, nil, true
}

// problem looks at the problem with the hunter's number.
func (h *hunter) problem() (found *Disagreement) {
	p := h.pick()
	defer func() {
		if r := recover(); r != nil { // then the position that it needs is worth more than the stack
			found = h.disagree(&p, "panic: %v", r)
		}
	}()
	shortest := h.rng.IntN(3) == 0
	hunted := h.o.Contenders[0]
	other := h.o.Contenders[1+h.number%uint64(len(h.o.Contenders)-1)]
	var opinions []opinion
	for _, q := range []struct {
		c     Contender
		p     shogi.Position
		nodes uint64
	}{
		{hunted, p, h.o.Nodes},
		{Contender{hunted.Name + ", mirrored", hunted.Solver}, Mirrored(&p), h.o.Nodes},
		{other, p, 4 * h.o.Nodes},
	} {
		op, err, ok := h.ask(q.c, q.p, solver.Limits{Nodes: q.nodes, Shortest: shortest})
		if err != nil || !ok {
			return err
		}
		for _, earlier := range opinions {
			if contradict(&earlier.Result, &op.Result) {
				return h.disagree(&p, "%v; %v", earlier, op)
			}
		}
		opinions = append(opinions, op)
	}
	h.stats.Problems++
	best := &opinions[0]
	if best.Verdict == solver.Unknown {
		best = &opinions[2]
	}
	switch best.Verdict {
	case solver.Mate:
		h.stats.Mates++
		h.stats.Longest = max(h.stats.Longest, len(best.Line))
		if err := h.replay(p, best); err != nil {
			return err
		}
	case solver.NoMate:
		h.stats.NoMates++
	default:
		h.stats.Undecided++
	}
	for i := range opinions { // the boldest one
		if noMateWithin(&opinions[i].Result) > noMateWithin(&best.Result) {
			best = &opinions[i]
		}
	}
	return h.plain(p, best)
}

// noMateWithin returns the number of plies within which r says that there is no mate, -1 if it says
// nothing of the kind.
func noMateWithin(r *solver.Result) int {
	switch {
	case r.Verdict == solver.NoMate:
		return plainPlies
	case r.Verdict == solver.Mate && r.Exact:
		return min(len(r.Line)-2, plainPlies)
	case r.NoMateWithin > 0:
		return min(r.NoMateWithin, plainPlies)
	}
	return -1
}

// contradict reports whether what a and b say about one position cannot both hold.
func contradict(a, b *solver.Result) bool {
	for range 2 {
		if a.Verdict == solver.Mate {
			n := len(a.Line)
			if b.Verdict == solver.NoMate || b.NoMateWithin >= n && n > 0 ||
				b.Verdict == solver.Mate && b.Exact && len(b.Line) > n {
				return true
			}
		}
		a, b = b, a
	}
	return false
}

// replay plays every defence along the line of a mate and has the position after it solved again.
func (h *hunter) replay(p shogi.Position, mate *opinion) *Disagreement {
	again := h.o.Contenders[0]
	b := mailbox.From(&p)
	attacker, err := solver.Attacker(&p)
	if err != nil {
		return h.disagree(&p, "%v: %v", mate, err)
	}
	for i, m := range mate.Line {
		left := len(mate.Line) - i
		if p.SideToMove() != attacker {
			for _, d := range b.LegalMoves() {
				after := p
				after.Do(d)
				if asked, err := solver.Attacker(&after); err != nil || asked != attacker {
					return h.disagree(&p, "%v: after %s somebody else attacks", mate, d)
				}
				op, err, ok := h.ask(again, after, solver.Limits{Nodes: 2 * h.o.Nodes, Plies: left - 1})
				if err != nil || !ok {
					return err
				}
				h.stats.Replayed++
				switch {
				case op.Verdict == solver.Mate:
				case op.Reason == solver.ReasonNodes:
					h.stats.Unsure++
				default:
					return h.disagree(&after, "%v, and then in %d plies of it, after %s; solved again, %v", mate, i, d, op)
				}
			}
		}
		p.Do(m)
		b.Do(m)
	}
	return nil
}

// A plain search looks for mates of at most plainPlies and makes at most plainMoves, some ten
// milliseconds' worth.
const (
	plainPlies = 7
	plainMoves = 50_000
)

// plain searches p with all moves for a mate that the opinion says does not exist.
func (h *hunter) plain(p shogi.Position, op *opinion) *Disagreement {
	attacker, _ := solver.Attacker(&p)
	x := plainSearch{attacker: attacker, left: plainMoves, memo: map[plainState]int{}}
	for n := 0; n <= noMateWithin(&op.Result); n++ {
		if (p.SideToMove() == attacker) != (n%2 == 1) {
			continue
		}
		mates := x.mates(&p, n)
		if x.left <= 0 {
			break
		}
		if mates {
			return h.disagree(&p, "%v; by a search of all moves there is a mate in %d", op, n)
		}
		h.stats.Plain++
	}
	return nil
}

// A plainSearch tries all moves.
type plainSearch struct {
	attacker shogi.Color
	left     int                // moves
	memo     map[plainState]int // the most plies within which there is no mate, plus one
}

type plainState struct {
	board uint64
	hand  shogi.Hand
}

// mates reports whether there is a mate in p within so many plies. The answer means nothing once no
// moves are left.
func (x *plainSearch) mates(p *shogi.Position, plies int) bool {
	s := plainState{p.BoardKey(), p.Hand(x.attacker)}
	if x.memo[s] > plies {
		return false
	}
	var buf shogi.MoveBuffer
	attacks := p.SideToMove() == x.attacker
	moves := p.Checks(&buf, shogi.AllMoves)
	if !attacks {
		moves = p.Evasions(&buf, shogi.AllMoves)
	}
	result := !attacks // of the last move: one of the attacker's must mate, all of the defender's be mated after
	if plies == 0 {
		moves, result = nil, !attacks && len(moves) == 0
	}
	for _, m := range moves {
		if x.left--; x.left <= 0 {
			return false
		}
		u := p.Do(m)
		result = x.mates(p, plies-1)
		p.Undo(m, u)
		if result == attacks {
			break
		}
	}
	if !result && x.left > 0 {
		x.memo[s] = plies + 1
	}
	return result
}

// Mirrored returns p with left and right exchanged.
func Mirrored(p *shogi.Position) shogi.Position {
	setup := p.Setup()
	board := setup.Board
	for sq := range shogi.Square(shogi.NumSquares) {
		setup.Board[shogi.SquareAt(shogi.File1+shogi.File9-sq.File(), sq.Rank())] = board[sq]
	}
	q, err := setup.Position()
	if err != nil {
		panic(err) // the rules do not know left from right
	}
	return q
}
