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
	"github.com/tsumero/tsumero/solver/hugepages"
	"github.com/tsumero/tsumero/solver/mate3"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/eval"
)

// Options are what an Engine is made of. The zero Options are one thread, 16 MiB, and material.
type Options struct {
	TableBytes int // of the table; default 16 MiB
	// HugePages asks the system for pages of 2 MiB for the table (Linux). Long searches look at some
	// 5 to 10 percent more nodes a second then. A short one clears more memory than it uses.
	HugePages bool
	// Threads search together. With one, the same questions after NewGame have the same answers.
	Threads int
	// NewSession makes the solver that looks for long mates, and verifies those found. nil: there is
	// none.
	NewSession func() solver.Session
	Net        *eval.Net // nil: material and the shelter of the kings alone
	// DrawValue is what a draw is worth to the side that the engine chooses moves for, in
	// centipawns. Below 0 it avoids draws.
	DrawValue int
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
	if o.HugePages {
		hugepages.Advise(e.table.slots)
	}
	for range o.Threads {
		history := make([]histories, 1)
		if o.HugePages {
			hugepages.Advise(history)
		}
		s := &searcher{
			eval: eval.NewState(o.Net), table: e.table, history: &history[0],
			mate3: mate3.NewSearcher(mate3.Options{}), drawValue: o.DrawValue,
		}
		s.below = s.search
		e.searchers = append(e.searchers, s)
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

// Search chooses a move.
func (e *Engine) Search(ctx context.Context, g *shogi.Game, lim play.Limits,
	report func(play.Info)) play.Choice {
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
	moves := rootMoves(lim.Allowed(g, &buf))
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
	r := root{
		searcher: e.searchers[0], engine: e, game: g, helpers: e.searchers[1:], moves: moves,
		lines: min(max(lim.MultiPV, 1), len(moves)), limits: lim, timer: timer, report: report,
	}
	r.poll = timer.expired
	r.iterate(ctx)
	stop.Store(true)
	helpers.Wait()
	r.verifyMate(ctx)
	return r.choice()
}

// begin makes the searcher ready for a search of the current position of g.
func (s *searcher) begin(g *shogi.Game, rules play.Rules, lim play.Limits) {
	s.p = g.Position()
	s.line = g.Line()
	s.eval.Reset(&s.p)
	s.rules = rules
	side := s.p.SideToMove() & 1
	s.draws[side], s.draws[side^1] = s.drawValue, -s.drawValue
	s.view = 0
	if s.drawValue != 0 && side == shogi.White {
		s.view = whiteView
	}
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
