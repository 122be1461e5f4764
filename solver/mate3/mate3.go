// Package mate3 decides whether there is a mate in three plies or fewer, and returns it.
//
// # Soundness and completeness
//
// The search is attacker's check, every legal defence, mate in one. It returns Mate only if every
// defence was answered; a defence may go untried only if the interposition theorems of chuai.go
// prove that it is answered. It reports NoMateWithin 3 only if every legal check left a defence
// without a mate in one, and NoMate only if every legal check left a defence after which the
// attacker has no legal check at all.
//
// Checks outside shogi.UsefulMoves are tried only if the attacker has a king: a stronger piece
// gives the attacker every later move of the weaker one, and the defender fewer replies, but for
// the interposing pawn drop that would be mate to the attacker's king (see package mate1). The
// attacker's own pawn drops cannot mate on the third ply, so keeping them legal, the usual reason
// for an unpromoted move, does not matter here. Defences are always all moves.
package mate3

import (
	"context"
	"sync"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate1"
)

const name = "mate3"

// Options switches single techniques off, to show that none changes a verdict and what each is
// worth. The zero Options has all of them on.
type Options struct {
	NoDropOmission bool // try far interpositions by drop even where theorem A settles them
	NoMoveOmission bool // try far interpositions by move even where theorem A settles them
	NoEscapeFirst  bool // do not try drops on defended squares first where theorem B says no contact mate exists
	NoLastMate     bool // do not try the mate that answered one defence against the next
	NoKiller       bool // do not try the defence that refuted one check first against the next
}

// Solver is New with everything on.
var Solver = New(Options{})

// New returns a solver of mates up to three plies.
func New(o Options) solver.Solver {
	pool := &sync.Pool{New: func() any { return &Searcher{options: o} }}
	return solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
		s := pool.Get().(*Searcher)
		defer pool.Put(s)
		s.position = p
		return s.solve(ctx, &s.position, lim)
	})
}

// A Searcher is the working space of a search. One Searcher serves one goroutine.
type Searcher struct {
	options Options
	ctx     context.Context
	limit   uint64 // nodes, 0 for none
	nodes   uint64
	reason  solver.Reason // why the search was cut short

	checks  shogi.MoveBuffer
	replies shogi.MoveBuffer
	mate1   mate1.Finder

	position shogi.Position // the copy that Solve searches
	listed   []shogi.Move   // the checks that find tried
	killer   shogi.Move     // the defence that refuted the last check
	lastMate shogi.Move     // the mate that answered the last defence
	answered [2]shogi.Move  // a defence of the last check, and the mate that answers it
	cuts     cutMates
	omitted  func(p *shogi.Position, r shogi.Move) // tests look at what is left untried
}

// NewSearcher returns a Searcher for Find.
func NewSearcher(o Options) *Searcher { return &Searcher{options: o} }

// Nodes returns how many positions the last Find looked at.
func (s *Searcher) Nodes() uint64 { return s.nodes }

// Find returns the mating line of p, with the attacker to move, if there is one of one or three
// plies, and its length; 0 if there is none. It makes and takes back moves on p, which is unchanged
// when it returns.
func (s *Searcher) Find(p *shogi.Position) (line [3]shogi.Move, plies int) {
	s.ctx, s.limit = context.Background(), 0
	return s.find(p, false)
}

// Lost reports whether p, with the defender to move and in check, is mate in two plies or fewer:
// every defence allows a mate in one. It makes and takes back moves on p, which is unchanged when
// it returns.
func (s *Searcher) Lost(p *shogi.Position) bool {
	s.ctx, s.limit = context.Background(), 0
	s.nodes, s.reason = 0, solver.NoReason
	s.killer = shogi.NoMove
	return s.lost(p)
}

func (s *Searcher) solve(ctx context.Context, p *shogi.Position, lim solver.Limits) solver.Result {
	r := solver.Result{Solver: name, Reason: solver.ReasonDepth}
	attacker, err := solver.Attacker(p)
	if err != nil {
		return r
	}
	s.ctx, s.limit = ctx, lim.Nodes
	if p.SideToMove() != attacker {
		s.solveDefence(p, lim, &r)
	} else {
		s.solveAttack(p, lim, &r)
	}
	r.Nodes = s.nodes
	s.ctx = nil
	return r
}

func (s *Searcher) solveAttack(p *shogi.Position, lim solver.Limits, r *solver.Result) {
	if lim.Plies > 0 && lim.Plies < 3 {
		*r = mate1.Solver.Solve(s.ctx, *p, lim)
		s.nodes, r.Solver = r.Nodes, name
		if r.Verdict == solver.Unknown {
			r.NoMateWithin, r.Reason = lim.Plies, solver.ReasonPlies // a mate has an odd number of plies
		}
		return
	}
	line, plies := s.find(p, lim.NoMateWithin > 0)
	switch {
	case plies > 0:
		r.Verdict, r.Reason, r.Exact = solver.Mate, solver.NoReason, true
		r.Line = append([]shogi.Move(nil), line[:plies]...)
	case s.reason != solver.NoReason:
		r.Reason = s.reason
	case s.everyCheckDiesOut(p):
		r.Verdict, r.Reason = solver.NoMate, solver.NoReason
	default:
		r.NoMateWithin = 3
		if lim.Plies == 3 {
			r.Reason = solver.ReasonPlies
		}
	}
}

// solveDefence answers for a position in which the defender is to move and in check.
func (s *Searcher) solveDefence(p *shogi.Position, lim solver.Limits, r *solver.Result) {
	s.nodes, s.reason = 1, solver.NoReason
	if !p.HasEvasion() {
		r.Verdict, r.Reason, r.Exact = solver.Mate, solver.NoReason, true
		return
	}
	if lim.Plies == 1 {
		r.NoMateWithin, r.Reason = 1, solver.ReasonPlies // with the defender to move a mate has an even number of plies
		return
	}
	s.killer = shogi.NoMove
	if s.lost(p) {
		r.Verdict, r.Reason, r.Exact = solver.Mate, solver.NoReason, true
		line := s.defence(p)
		r.Line = line[:]
		return
	}
	if s.reason != solver.NoReason {
		r.Reason = s.reason
		return
	}
	if s.diesOut(p) {
		r.Verdict, r.Reason = solver.NoMate, solver.NoReason
		return
	}
	r.NoMateWithin = 2
	if lim.Plies > 0 && lim.Plies <= 3 {
		r.NoMateWithin, r.Reason = lim.Plies, solver.ReasonPlies
	}
}

// find is Find within the limits. That there is no mate in one may be known already.
func (s *Searcher) find(p *shogi.Position, noMate1 bool) (line [3]shogi.Move, plies int) {
	s.nodes, s.reason = 1, solver.NoReason
	s.killer = shogi.NoMove
	if !noMate1 {
		if m := s.mate1.Find(p); m != shogi.NoMove {
			line[0] = m
			return line, 1
		}
	}
	set := shogi.UsefulMoves
	if p.King(p.SideToMove()) != shogi.NoSquare {
		set = shogi.AllMoves
	}
	s.listed = s.promisingFirst(p, p.Checks(&s.checks, set))
	for _, m := range s.listed {
		u := p.Do(m)
		lost := s.lost(p)
		if lost {
			if s.answered == [2]shogi.Move{} {
				s.answered = s.defence(p)
			}
			line = [3]shogi.Move{m, s.answered[0], s.answered[1]}
		}
		p.Undo(m, u)
		if lost {
			return line, 3
		}
		if s.reason != solver.NoReason {
			break
		}
	}
	return line, 0
}

// promisingFirst moves the checks next to the king that a second piece backs, which mate most
// often, to the front.
func (s *Searcher) promisingFirst(p *shogi.Position, checks []shogi.Move) []shogi.Move {
	us := p.SideToMove()
	near := shogi.Neighbours(p.King(us.Opponent()))
	occupied := p.Occupied()
	n := 0
	for i, m := range checks {
		if !near.Has(m.To()) {
			continue
		}
		backers := p.AttackersTo(m.To(), us, occupied)
		if !m.IsDrop() {
			backers = backers.Without(m.From())
		}
		if !backers.IsEmpty() {
			checks[n], checks[i] = checks[i], checks[n]
			n++
		}
	}
	return checks
}

// defence returns the first defence of a lost position that is not mated, and the mate that answers
// it.
func (s *Searcher) defence(p *shogi.Position) [2]shogi.Move {
	r := p.Evasions(&s.replies, shogi.AllMoves)[0]
	u := p.Do(r)
	m := s.mate1.Find(p)
	p.Undo(r, u)
	return [2]shogi.Move{r, m}
}

// lost reports whether every defence of p, with the defender to move and in check, allows a mate in
// one. If the search is cut short it returns false with s.reason set.
func (s *Searcher) lost(p *shogi.Position) bool {
	if !s.count() {
		return false
	}
	s.lastMate, s.answered = shogi.NoMove, [2]shogi.Move{}
	if s.killer != shogi.NoMove && !s.options.NoKiller && p.IsLegal(s.killer) {
		if s.escapes(p, s.killer) {
			return false
		}
	}
	checkers, pinned := p.CheckersAndPinned()
	king := p.King(p.SideToMove())
	checker := checkers.First()

	// Captures of the checker first: they are what most often refutes a check, so the other
	// defences need not be listed.
	for _, r := range p.ForSearch().CheckerCaptures(&s.replies, checkers, pinned, shogi.AllMoves) {
		if s.escapes(p, r) {
			return false
		}
	}
	replies := p.Evasions(&s.replies, shogi.AllMoves)
	far := farSquares(p, king, checkers)
	for _, r := range replies {
		if r.To() != checker && (!far.Has(r.To()) || !r.IsDrop() && r.From() == king) && s.escapes(p, r) {
			return false
		}
	}
	if far.IsEmpty() {
		return true
	}
	return s.lostToFar(p, replies, king, checker, far)
}

// escapes reports whether the defence r leaves the attacker without a mate in one. It remembers r
// if so, the mate if not.
func (s *Searcher) escapes(p *shogi.Position, r shogi.Move) bool {
	if !s.count() {
		return true // the caller stops, and the reason keeps this from being taken for a refutation
	}
	u := p.Do(r)
	mated := false
	if last := s.lastMate; last != shogi.NoMove && !s.options.NoLastMate && p.IsLegal(last) {
		v := p.Do(last)
		mated = p.IsCheckmate()
		p.Undo(last, v)
	}
	if !mated {
		if m := s.mate1.Find(p); m != shogi.NoMove {
			mated, s.lastMate = true, m
		}
	}
	p.Undo(r, u)
	if mated {
		s.answered = [2]shogi.Move{r, s.lastMate}
	} else {
		s.killer = r
	}
	return !mated
}

// count counts a node and reports whether the search may go on.
func (s *Searcher) count() bool {
	if s.reason != solver.NoReason {
		return false
	}
	if s.limit > 0 && s.nodes >= s.limit {
		s.reason = solver.ReasonNodes
		return false
	}
	s.nodes++
	if s.nodes%1024 == 0 {
		s.reason = solver.StopReason(s.ctx)
	}
	return s.reason == solver.NoReason
}

// everyCheckDiesOut reports whether every legal check has a defence that leaves no check: there is
// no mate at all. It is asked after find found none.
func (s *Searcher) everyCheckDiesOut(p *shogi.Position) bool {
	if p.King(p.SideToMove()) == shogi.NoSquare { // find left some out
		s.listed = p.Checks(&s.checks, shogi.AllMoves)
	}
	for _, m := range s.listed {
		u := p.Do(m)
		safe := s.diesOut(p)
		p.Undo(m, u)
		if !safe {
			return false
		}
	}
	return true
}

// diesOut reports whether the defender has a move after which the attacker has no legal check.
func (s *Searcher) diesOut(p *shogi.Position) bool {
	for _, r := range p.Evasions(&s.replies, shogi.AllMoves) {
		u := p.Do(r)
		none := !p.HasCheck()
		p.Undo(r, u)
		if none {
			return true
		}
	}
	return false
}
