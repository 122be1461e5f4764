// Package search chooses moves by alpha-beta: the principal variation search of the chess programs
// with what shogi changes in it. It values positions by package eval, and knows the mates of one and
// three plies from the mate solvers.
package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate3"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/eval"
)

// Options are what an Engine is made of. The zero Options are one thread, 16 MiB, and material.
type Options struct {
	TableBytes int // of the table; default 16 MiB
	// Threads search together. With one, the same questions after NewGame have the same answers.
	Threads int
	// NewSession makes the solver that looks for long mates, and verifies those found. nil: there is
	// none.
	NewSession func() solver.Session
	Net        *eval.Net // nil: material and the shelter of the kings alone
	// Plain searches every move to the full depth, prunes nothing but what alpha-beta proves to be
	// irrelevant, and values positions as they stand there. It is for tests.
	Plain bool
}

const defaultTableBytes = 16 << 20

// An Engine is a play.Engine.
type Engine struct {
	options   Options
	table     *table
	searchers []*searcher
	session   solver.Session // nil until it is asked
	rules     play.Rules     // of the last search: what the table says holds under them
}

// New returns an Engine.
func New(o Options) *Engine {
	o.TableBytes = cmp.Or(o.TableBytes, defaultTableBytes)
	o.Threads = max(o.Threads, 1)
	e := &Engine{options: o, table: newTable(o.TableBytes)}
	for range o.Threads {
		e.searchers = append(e.searchers, &searcher{
			eval: eval.NewState(o.Net), table: e.table, history: new(histories),
			mate3: mate3.NewSearcher(mate3.Options{}), plain: o.Plain,
		})
	}
	return e
}

// NewGame forgets what the engine remembers of earlier games.
func (e *Engine) NewGame() {
	e.table.clear()
	if e.session != nil {
		e.session.Reset()
	}
	for _, s := range e.searchers {
		*s.history = histories{}
	}
}

// A rootMove is a move of the position searched.
type rootMove struct {
	move     shogi.Move
	score    int // of the last iteration, -infinite if it was not better than another
	bound    play.Bound
	previous int // of the one before
	line     []shogi.Move
	selDepth int
	nodes    uint64
}

// Search chooses a move.
func (e *Engine) Search(ctx context.Context, g *shogi.Game, lim play.Limits, report func(play.Info)) play.Choice {
	began := time.Now()
	p := g.Position()
	if lim.Rules != e.rules {
		e.table.clear()
		e.rules = lim.Rules
	}
	rules := lim.Rules
	if rules.IsPastLimit(p.Ply()) {
		rules.MaxMoves = 0 // somebody plays on
	}
	var buf shogi.MoveBuffer
	moves := rootMoves(p.LegalMoves(&buf, shogi.AllMoves), lim.Moves)
	if len(moves) == 0 {
		return play.Choice{Score: play.MatedIn(0)}
	}

	e.table.nextAge()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := &timer{began: began, budget: lim.Time, ponderhit: lim.Ponderhit, done: ctx.Done()}
	var helpers sync.WaitGroup
	var stop atomic.Bool
	for i, s := range e.searchers {
		s.begin(g, rules, lim)
		if i == 0 {
			continue
		}
		s.limit, s.poll = math.MaxUint64, stop.Load
		own := slices.Clone(moves)
		helpers.Go(func() { s.help(own, i) })
	}
	s := e.searchers[0]
	r := root{searcher: s, engine: e, helpers: e.searchers[1:], moves: moves, limits: lim, timer: timer, report: report}
	s.poll = timer.expired
	r.iterate(ctx)
	stop.Store(true)
	helpers.Wait()
	r.verifyMate(ctx)
	return r.choice()
}

// rootMoves returns the moves of legal that are in only, or all if that is nil.
func rootMoves(legal, only []shogi.Move) []rootMove {
	var moves []rootMove
	for _, m := range legal {
		if only == nil || slices.Contains(only, m) {
			moves = append(moves, rootMove{move: m, score: -infinite, previous: -infinite})
		}
	}
	return moves
}

// begin makes the searcher ready for a search of the current position of g.
func (s *searcher) begin(g *shogi.Game, rules play.Rules, lim play.Limits) {
	s.p = g.Position()
	s.line = g.Line()
	s.eval.Reset(&s.p)
	s.rules = rules
	s.salt = rules.MaxMoves > 0 && s.p.Ply()+maxPly+1 >= rules.MaxMoves
	s.nodes, s.limit, s.stopped, s.selDepth = 0, math.MaxUint64, false, 0
	s.shown.Store(0)
	if lim.Nodes > 0 {
		s.limit = lim.Nodes
	}
	s.stack[0].inCheck = s.p.InCheck()
	s.stack[0].eval = noEval
	if !s.stack[0].inCheck {
		s.stack[0].eval = s.value()
	}
}

// A root is the search of one position.
type root struct {
	*searcher
	engine  *Engine
	helpers []*searcher
	moves   []rootMove // the best first, as far as known
	limits  play.Limits
	timer   *timer
	report  func(play.Info)

	depth     int // the last iteration that was finished
	stable    int // iterations since another move was best
	mateNodes uint64
	noMate    bool // the solver has proven that there is none
	verified  bool // the first of moves is a mate that the solver has proven
}

// iterate searches deeper and deeper.
func (r *root) iterate(ctx context.Context) {
	if r.shortMate() {
		r.depth = r.moves[0].selDepth
		r.tell(0, r.depth, play.Exact)
		return
	}
	lines := min(max(r.limits.MultiPV, 1), len(r.moves))
	for depth := 1; depth < maxPly && (r.limits.Depth == 0 || depth <= r.limits.Depth); depth++ {
		for i := range r.moves {
			r.moves[i].previous = r.moves[i].score
		}
		first := r.moves[0].move
		for i := range lines {
			r.selDepth = 0
			r.aspire(i, depth)
			if r.stopped {
				return
			}
			r.tell(i, depth, play.Exact)
		}
		slices.SortStableFunc(r.moves[:lines], func(a, b rootMove) int { return b.score - a.score })
		r.depth = depth
		r.stable++
		if r.moves[0].move != first {
			r.stable = 0
		}
		if r.askMate(ctx) {
			r.tell(0, depth, play.Exact)
			return
		}
		if r.enough(depth) {
			return
		}
	}
}

// enough reports whether another iteration is not worth beginning.
func (r *root) enough(depth int) bool {
	best := &r.moves[0]
	if plies, ok := play.Score(best.score).Mate(); ok && plies > 0 && depth >= plies && r.limits.MultiPV <= 1 {
		return true // no shorter mate will be found
	}
	share := float64(best.nodes) / float64(max(r.nodes, 1))
	fell := best.previous != -infinite && best.score < best.previous-aspirationWindow
	return r.timer.enough(depth, len(r.moves) == 1, r.stable >= 4 && share > 0.9, fell)
}

// aspire searches the moves from the i-th on with a window around the last score.
func (r *root) aspire(i, depth int) {
	alpha, beta := -infinite, infinite
	delta := aspirationWindow
	if last := r.moves[i].previous; depth >= aspirationDepth && last != -infinite && !isMate(last) && !r.plain {
		alpha, beta = max(last-delta, -infinite), min(last+delta, infinite)
	}
	reduced := 0
	for {
		score := r.searchRoot(i, alpha, beta, max(depth-reduced, 1))
		r.sort(i)
		switch {
		case r.stopped:
			return
		case score <= alpha && alpha > -infinite:
			r.moves[i].bound = play.UpperBound
			beta = (alpha + beta) / 2
			alpha = max(score-delta, -infinite)
			reduced = 0
			r.timer.trouble()
		case score >= beta && beta < infinite:
			beta = min(score+delta, infinite)
			reduced = min(reduced+1, 3)
		default:
			return
		}
		if delta += delta; delta > 1000 || isMate(score) {
			alpha, beta = -infinite, infinite
		}
	}
}

// sort puts the moves from the i-th on in the order of what was found. Those not found better than
// another keep their order.
func (r *root) sort(i int) {
	slices.SortStableFunc(r.moves[i:], func(a, b rootMove) int {
		if a.score != b.score {
			return b.score - a.score
		}
		return b.previous - a.previous
	})
}

// searchRoot searches the moves from the i-th on.
func (r *root) searchRoot(i, alpha, beta, depth int) int {
	s := r.searcher
	for j := i; j < len(r.moves); j++ {
		r.moves[j].score = -infinite
	}
	return s.searchRoot(r.moves[i:], alpha, beta, depth)
}

func (s *searcher) searchRoot(moves []rootMove, alpha, beta, depth int) int {
	p := &s.p
	ci := p.CheckInfo()
	best := -infinite
	s.stack[0].length = 0
	for i := range moves {
		m := &moves[i]
		before := s.nodes
		check := p.GivesCheck(m.move, &ci)
		u := s.do(m.move, 0, check)
		var score int
		if i == 0 || s.plain {
			score = -s.search(-beta, -alpha, depth-1, 1, false)
		} else {
			r := 0
			if depth >= 3 && i >= 3 && u.Captured() == shogi.NoPiece && !m.move.IsPromotion() {
				r = int(reductions[min(depth, 63)][min(i, 63)]) - 1
				r = max(0, min(r, depth-2))
			}
			score = -s.search(-alpha-1, -alpha, depth-1-r, 1, true)
			if r > 0 && score > alpha && !s.stopped {
				score = -s.search(-alpha-1, -alpha, depth-1, 1, true)
			}
			if score > alpha && !s.stopped {
				score = -s.search(-beta, -alpha, depth-1, 1, false)
			}
		}
		s.undo(m.move, u)
		m.nodes += s.nodes - before
		if s.stopped {
			return best
		}
		if i == 0 || score > alpha {
			m.score = score
			m.bound = play.Exact
			if score >= beta {
				m.bound = play.LowerBound
			}
			m.selDepth = s.selDepth
			next := &s.stack[1]
			m.line = append(append(m.line[:0], m.move), next.line[:next.length]...)
		}
		if score > best {
			best = score
			alpha = max(alpha, score)
			if score >= beta {
				break
			}
		}
	}
	return best
}

// help searches along with the others, for what the table learns from it.
func (s *searcher) help(moves []rootMove, n int) {
	for depth := 1 + n%2; depth < maxPly && !s.stopped; depth++ {
		for i := range moves {
			moves[i].score = -infinite
		}
		s.searchRoot(moves, -infinite, infinite, depth)
		slices.SortStableFunc(moves, func(a, b rootMove) int { return b.score - a.score })
	}
}

// tell reports the i-th line.
func (r *root) tell(i, depth int, bound play.Bound) {
	if r.report == nil {
		return
	}
	m := &r.moves[i]
	r.report(play.Info{
		Depth: depth, SelDepth: m.selDepth, MultiPV: i + 1, Score: play.Score(m.score), Bound: bound,
		Nodes: r.allNodes(), HashFull: r.table.fill(), Line: slices.Clone(m.line),
	})
}

// allNodes returns the nodes of all threads.
func (r *root) allNodes() uint64 {
	n := r.nodes
	for _, s := range r.helpers {
		n += s.shown.Load()
	}
	return n
}

// choice returns what the search has come to.
func (r *root) choice() play.Choice {
	best := &r.moves[0]
	score := best.score
	if score == -infinite { // stopped before the first move was searched
		score = best.previous
	}
	if score == -infinite {
		score = max(r.stack[0].eval, -int(play.MaxCentipawns))
	}
	c := play.Choice{Move: best.move, Score: play.Score(score), Line: slices.Clone(best.line), Depth: r.depth, Nodes: r.allNodes(),
		Verified: r.verified, Declares: r.limits.Rules.CanDeclare(&r.p)}
	if len(c.Line) > 1 {
		c.Ponder = c.Line[1]
	}
	return c
}
