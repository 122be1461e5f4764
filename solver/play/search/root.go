package search

import (
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// A rootMove is a move of the position searched.
type rootMove struct {
	move  shogi.Move
	now   result // of the running iteration
	last  result // of the one before
	nodes uint64 // searched below it, in all iterations
}

// A result is what an iteration found out about a move.
type result struct {
	score    int // none if the move was not better than another
	bound    play.Bound
	line     []shogi.Move
	selDepth int
}

// none is less than every score.
const none = -infinite

// rootMoves returns moves without results.
func rootMoves(moves []shogi.Move) []rootMove {
	fresh := make([]rootMove, len(moves))
	for i, m := range moves {
		fresh[i] = rootMove{move: m, now: result{score: none}, last: result{score: none}}
	}
	return fresh
}

// newest returns the result of the running iteration, or of the one before if there is none.
func (m *rootMove) newest() *result {
	if m.now.score == none {
		return &m.last
	}
	return &m.now
}

// sortMoves puts moves in the order of what was found. Those not found better than another keep
// their order.
func sortMoves(moves []rootMove) {
	slices.SortStableFunc(moves, func(a, b rootMove) int {
		if a.now.score != b.now.score {
			return b.now.score - a.now.score
		}
		return b.last.score - a.last.score
	})
}

// forget drops what the running iteration has found about moves.
func forget(moves []rootMove) {
	for i := range moves {
		moves[i].now.score = none
	}
}

// A root is the search of one position.
type root struct {
	*searcher
	engine  *Engine
	game    *shogi.Game
	helpers []*searcher
	moves   []rootMove // the best first, as far as known
	lines   int        // wanted: so many of the moves get an exact score and a line of their own
	limits  play.Limits
	timer   *timer
	report  func(play.Info)

	depth     int // the last iteration that was finished
	stable    int // iterations since another move was best
	mateNodes uint64
	noMate    bool // the solver has proven that there is none
	verified  bool // the first of moves is a mate that the solver has proven
}

// iterate searches deeper and deeper (iterative deepening).
func (r *root) iterate(ctx context.Context) {
	if r.shortMate() {
		r.depth = r.moves[0].now.selDepth
		r.tell(r.depth)
		return
	}
	for depth := 1; depth < maxPly && (r.limits.Depth == 0 || depth <= r.limits.Depth); depth++ {
		for i := range r.moves {
			m := &r.moves[i]
			m.now, m.last = m.last, m.now // the line is room for another
		}
		forget(r.moves)
		first := r.moves[0].move
		for i := range r.lines {
			r.selDepth = 0
			r.aspire(i, depth)
			if r.stopped {
				r.interrupted(i, depth)
				return
			}
		}
		sortMoves(r.moves[:r.lines])
		r.depth = depth
		r.tell(depth)
		r.stable++
		if r.moves[0].move != first {
			r.stable = 0
		}
		if r.askMate(ctx) {
			r.tell(depth)
			return
		}
		if r.enough(depth) {
			return
		}
	}
}

// interrupted reports what an iteration has found that was stopped while it searched the moves from
// the i-th on. That the moves searched so far are mated says nothing about the others.
func (r *root) interrupted(i, depth int) {
	if score := r.moves[i].now.score; score < -int(play.MaxCentipawns) {
		forget(r.moves[i:])
		sortMoves(r.moves[i:])
	}
	sortMoves(r.moves[:r.lines])
	if r.moves[0].now.score != none {
		r.tell(depth)
	}
}

// enough reports whether another iteration is not worth beginning.
func (r *root) enough(depth int) bool {
	best := &r.moves[0]
	if r.nodes >= r.limit {
		return true // the solver of mates had the rest
	}
	plies, ok := play.Score(best.now.score).Mate()
	if ok && plies > 0 && depth >= plies && r.lines == 1 {
		return true // no shorter mate will be found
	}
	share := float64(best.nodes) / float64(max(r.nodes, 1))
	fell := best.last.score != none && best.now.score < best.last.score-aspirationWindow
	return r.timer.enough(depth, len(r.moves) == 1, r.stable >= 4 && share > 0.9, fell)
}

// aspire searches the moves from the i-th on with a window around the last score (aspiration
// window), which it widens until the score lies in it.
func (r *root) aspire(i, depth int) {
	moves := r.moves[i:]
	alpha, beta := -infinite, infinite
	delta := aspirationWindow
	last := moves[0].last.score
	if depth >= aspirationDepth && last != none && !isMate(last) {
		alpha, beta = max(last-delta, -infinite), min(last+delta, infinite)
	}
	reduced := 0
	forget(moves)
	for {
		score := r.searchRoot(moves, alpha, beta, max(depth-reduced, 1))
		sortMoves(moves)
		switch {
		case r.stopped:
			return
		case score <= alpha && alpha > -infinite:
			beta = (alpha + beta) / 2
			alpha = max(score-delta, -infinite)
			reduced = 0
			forget(moves)
			r.timer.trouble()
		case score >= beta && beta < infinite:
			beta = min(score+delta, infinite)
			reduced = min(reduced+1, 3)
			forget(moves[1:]) // the first is better than they are, however often that is looked at
		default:
			return
		}
		if delta += delta; delta > 1000 || isMate(score) {
			alpha, beta = -infinite, infinite
		}
	}
}

// searchRoot searches moves, the best first, and gives those a result that raise alpha. It returns
// the best score, exact if it lies between alpha and beta.
func (s *searcher) searchRoot(moves []rootMove, alpha, beta, depth int) int {
	p := &s.p
	ci := p.CheckInfo()
	best := -infinite
	for i := range moves {
		m := &moves[i]
		before := s.nodes
		check := p.GivesCheck(m.move, &ci)
		u := s.do(m.move, 0, check)
		var score int
		if i == 0 {
			score = -s.below(-beta, -alpha, depth-1, 1, false)
		} else {
			r := 0
			if depth >= 3 && i >= 3 && u.Captured() == shogi.NoPiece && !m.move.IsPromotion() {
				r = int(reductions[min(depth, 63)][min(i, 63)]) - 1
				r = max(0, min(r, depth-2))
			}
			score = -s.below(-alpha-1, -alpha, depth-1-r, 1, true)
			if r > 0 && score > alpha && !s.stopped {
				score = -s.below(-alpha-1, -alpha, depth-1, 1, true)
			}
			if score > alpha && !s.stopped {
				score = -s.below(-beta, -alpha, depth-1, 1, false)
			}
		}
		s.undo(m.move, u)
		m.nodes += s.nodes - before
		if s.stopped {
			return best
		}
		switch {
		case score > alpha:
			m.now.score, m.now.bound, m.now.selDepth = score, play.Exact, s.selDepth
			if score >= beta {
				m.now.bound = play.LowerBound
			}
			next := &s.stack[1]
			m.now.line = append(append(m.now.line[:0], m.move), next.line[:next.length]...)
		default:
			m.now.score = none // also of one that was better than a narrower window
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
		forget(moves)
		s.searchRoot(moves, -infinite, infinite, depth)
		sortMoves(moves)
	}
}

// tell reports the lines. Those that the iteration of that depth has not come to are of the one
// before.
func (r *root) tell(depth int) {
	if r.report == nil {
		return
	}
	for i := range r.moves[:r.lines] {
		m := &r.moves[i]
		found, d := m.newest(), depth
		if found.score == none {
			break
		}
		if found == &m.last {
			d--
		}
		r.report(play.Info{
			Depth: d, SelDepth: found.selDepth, MultiPV: i + 1, Score: play.Score(found.score),
			Bound: found.bound, Nodes: r.allNodes(), HashFull: r.table.fill(),
			Line: slices.Clone(found.line),
		})
	}
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
	found := best.newest()
	if found.score == none { // stopped before a move was searched
		found = &result{score: r.value(), line: []shogi.Move{best.move}}
	}
	c := play.Choice{
		Move: best.move, Score: play.Score(found.score), Line: slices.Clone(found.line),
		Depth: r.depth, Nodes: r.allNodes(),
		Verified: r.verified, Declares: r.limits.Rules.CanDeclare(&r.p),
	}
	if len(c.Line) > 1 {
		c.Ponder = c.Line[1]
	}
	return c
}
