package dfpn

import (
	"context"
	"math"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/checkpoint"
	"github.com/tsumero/tsumero/solver/mate3"
)

const name = "dfpn"

// A Solver finds mates of any length. It is safe for concurrent use.
type Solver struct {
	options Options
	free    chan *searcher // as many as may search at once; nil stands for one not made yet
}

// New returns a Solver. The memory of a search is taken when the search first needs it, and kept
// for the next.
func New(o Options) *Solver {
	o = o.withDefaults()
	s := &Solver{options: o, free: make(chan *searcher, o.Searches)}
	for range o.Searches {
		s.free <- nil
	}
	return s
}

// Solve implements solver.Solver. If as many searches run as there may be, it waits for one to end.
func (s *Solver) Solve(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
	side, err := solver.Attacker(&p)
	if err != nil {
		return solver.Result{Reason: solver.ReasonDepth, Solver: name}
	}
	var search *searcher
	select {
	case search = <-s.free:
	case <-ctx.Done():
		return solver.Result{Reason: solver.StopReason(ctx), NoMateWithin: lim.NoMateWithin, Solver: name}
	}
	if search == nil {
		search = newSearcher(s.options)
	}
	defer func() {
		// To forget a big search takes longer than a client should wait for.
		if search.table.homes > shortHomes {
			go func() {
				search.forget()
				s.free <- search
			}()
			return
		}
		search.forget()
		s.free <- search
	}()

	rotated := side != attacker
	if rotated {
		p = p.Rotated()
	}
	search.keeper = checkpoint.Of(ctx)
	r := search.solve(ctx, p, lim, rotated)
	if rotated {
		for i, m := range r.Line {
			r.Line[i] = m.Rotated()
		}
	}
	return r
}

// forget makes the searcher ready for another problem.
func (s *searcher) forget() {
	s.table.clear()
	s.forgetPath()
	if s.threads != nil {
		for _, h := range s.threads.helpers {
			h.forgetPath()
		}
	}
}

func (s *searcher) forgetPath() {
	s.paths.clear()
	s.ctx, s.searching, s.proving, s.keeper = nil, nil, nil, nil
	s.frames, s.children = s.frames[:0], s.children[:0]
	for i := range s.onPath {
		s.onPath[i] = -1
	}
}

func (s *searcher) solve(ctx context.Context, p shogi.Position, lim solver.Limits, rotated bool) solver.Result {
	searching, cancel := searchContext(ctx)
	defer cancel()
	s.ctx, s.proving, s.searching, s.p = searching, ctx, searching, p
	s.nodes, s.expansions, s.steps = 0, 0, 0
	s.limit, s.reason = lim.Nodes, solver.StopReason(ctx)
	s.rootPn, s.rootDn = unit, unit
	s.beginProgress(rotated)
	out := solver.Result{Solver: name, NoMateWithin: lim.NoMateWithin}
	out.Resumed = s.beginKeeping(lim, rotated)
	defer s.endKeeping()

	length := lengthLimit(lim.Plies)
	switch r := s.rootOnAllThreads(length); {
	case s.reason != solver.NoReason:
		out.Reason = s.reason
	case r.dn == 0 && !s.rederived(length):
		out.Reason = s.reason
	case r.dn == 0 && r.len >= forever:
		out.Verdict, out.NoMateWithin = solver.NoMate, 0
	case r.dn == 0:
		out.NoMateWithin, out.Reason = max(out.NoMateWithin, int(length)), solver.ReasonPlies
	default:
		s.mate(r.len, nil, &out)
		s.keepSoon()
		if lim.Shortest && out.Verdict == solver.Mate {
			s.shorten(&out)
		}
		if out.Exact && !lim.AnyLine && s.reason == solver.NoReason {
			s.choose(&out)
		}
		if out.Verdict == solver.Unknown || out.Exact || lim.Shortest {
			out.Reason = s.reason
		}
	}
	if lim.Check {
		s.check(&out)
	}
	out.Nodes, out.Expansions = s.nodes, s.expansions
	if !lim.Proof {
		out.Proof = nil
	}
	s.report(true)
	return out
}

// lengthLimit returns the greatest length to look for, if it may be so many plies; 0: any.
func lengthLimit(plies int) int32 {
	if plies == 0 {
		return forever
	}
	return int32(min(plies, int(forever)-1))
}

// proofShare is the part of the time and of the nodes that is kept for the proof of a mate, so that
// none is lost to a limit: one in so many.
const proofShare = 16

// searchContext returns the context of the search under ctx, which leaves time for the proof.
func searchContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if clock := solver.ClockOf(ctx); clock != nil {
		return clock.Earlier(ctx, proofShare)
	}
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, end.Add(-time.Until(end)/proofShare))
}

// proofLimit returns the limit of nodes for a proof, after so many of limit: there are some more
// for it.
func proofLimit(limit, nodes uint64) uint64 {
	more := limit/proofShare + 1000
	nodes = max(limit, nodes)
	return nodes + min(more, math.MaxUint64-nodes)
}

// mate puts the mate within length plies that was proved into out, with its proof; the line of it
// is along, if that is not nil. If s.reason ends that out keeps what it has.
func (s *searcher) mate(length int32, along []shogi.Move, out *solver.Result) {
	s.enter(solver.Verifying)
	limit := s.limit
	if limit > 0 { // the table may have lost what has to be found again
		s.limit = proofLimit(limit, s.nodes)
	}
	s.ctx = s.proving
	proof, line := s.prove(along, length)
	if proof == nil && s.reason == solver.NoReason {
		s.reason = solver.ReasonUnverified
	}
	s.ctx = s.searching
	if s.limit = limit; limit > 0 {
		s.nodes = min(s.nodes, limit)
	}
	if proof == nil {
		if out.Verdict == solver.Unknown && (s.reason == solver.ReasonNodes || s.reason == solver.ReasonTime) {
			s.reason = solver.ReasonProof
		}
		return
	}
	out.Verdict, out.Line, out.Proof = solver.Mate, line, proof
	out.Exact = out.NoMateWithin >= len(line)-2
	s.progress.best = line
	s.report(false)
}

// shorten looks for mates two plies shorter than the one in out, until it has the proof that there
// is none. A mate on the way to the shortest is replayed only if replaying has cost less than
// searching so far.
func (s *searcher) shorten(out *solver.Result) {
	length := len(out.Line)
	for out.NoMateWithin < length-2 {
		s.enter(solver.Shortening)
		r := s.rootOnAllThreads(int32(length) - 2)
		switch {
		case s.reason != solver.NoReason:
			return
		case r.pn != 0 && !s.rederived(int32(length)-2):
			return
		case r.pn != 0:
			out.NoMateWithin = length - 2
			s.progress.noMate = length - 2
			continue
		}
		if length = int(r.len); s.steps < s.nodes {
			if s.mate(r.len, nil, out); s.reason != solver.NoReason {
				return
			}
			length = len(out.Line)
		}
	}
	if length < len(out.Line) {
		s.mate(int32(length), nil, out)
	}
	out.Exact = out.NoMateWithin >= len(out.Line)-2
}

// choose replaces the line of the shortest mate by the first of all lines that are as short, in an
// order of moves that has nothing to do with how they were found: at each move of the attacker the
// first check that mates in time, at each answer the first that holds out to the end.
func (s *searcher) choose(out *solver.Result) {
	s.enter(solver.Choosing)
	root := s.p
	defer func() { s.p = root }()
	line := make([]shogi.Move, 0, len(out.Line))
	found := out.Line // while the line follows it
	for left := int32(len(out.Line)); left > 0; left-- {
		known := shogi.NoMove // a check that mates in time; a defence of the proof may not be the longest
		if found != nil && s.p.SideToMove() == attacker {
			known = found[len(line)]
		}
		m := s.first(left, known)
		if m == shogi.NoMove {
			return // stopped
		}
		if found != nil && m != found[len(line)] {
			found = nil
		}
		line = append(line, m)
		s.p.Do(m)
	}
	s.p = root
	s.mate(int32(len(line)), line, out)
}

// first returns the first move of the position on the board, which is mate in exactly left plies,
// that keeps this length. known is a check that does, or NoMove. It returns NoMove if the search is
// stopped.
func (s *searcher) first(left int32, known shogi.Move) shogi.Move {
	attacks := s.p.SideToMove() == attacker
	var moves []shogi.Move
	if attacks {
		moves = inOrder(&s.p, s.p.Checks(&s.moves, shogi.AllMoves))
	} else {
		moves = inOrder(&s.p, s.p.Evasions(&s.moves, shogi.AllMoves))
	}
	if attacks && known == shogi.NoMove {
		known = s.provingMove(moves, left)
	}
	for i, m := range moves {
		if m == known || i == len(moves)-1 {
			return m // one does, so the last does if no other did
		}
		u := s.p.Do(m)
		var keeps bool
		if attacks {
			keeps = s.matesWithin(left - 1)
		} else {
			keeps = left < 3 || !s.matesWithin(left-3)
		}
		s.p.Undo(m, u)
		if s.reason != solver.NoReason {
			return shogi.NoMove
		}
		if keeps {
			return m
		}
	}
	return shogi.NoMove
}

// matesWithin reports whether the position on the board is mate within so many plies. It means
// nothing if s.reason is set.
func (s *searcher) matesWithin(plies int32) bool {
	if plies > 3 || len(s.marks) > 0 || s.mated > 0 {
		return s.root(plies).pn == 0
	}
	if !s.count() {
		return false
	}
	switch {
	case plies == 0:
		return !s.p.HasEvasion()
	case plies == 1:
		return s.mate1.Find(&s.p) != shogi.NoMove
	case s.p.SideToMove() == attacker:
		return s.mateWithin3() > 0
	}
	return s.lost()
}

// mateWithin3 returns the length of the shortest mate of at most three plies of the position on the
// board, whose attacker is to move, 0 if there is none. It means nothing if s.reason is set.
func (s *searcher) mateWithin3() int {
	f := s.mate3Searcher()
	_, plies := f.Find(&s.p)
	s.countMore(f.Nodes())
	return plies
}

// lost reports whether the position on the board, whose defender is to move, is mate within two
// plies. It means nothing if s.reason is set.
func (s *searcher) lost() bool {
	f := s.mate3Searcher()
	lost := f.Lost(&s.p)
	s.countMore(f.Nodes())
	return lost
}

func (s *searcher) mate3Searcher() *mate3.Searcher {
	if s.mate3 == nil {
		s.mate3 = mate3.NewSearcher(mate3.Options{})
	}
	return s.mate3
}
