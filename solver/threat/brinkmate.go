package threat

import (
	"cmp"
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
)

// Of the nodes, one in firstShare is for the mate that would be the answer, before anything else;
// one in planShare is kept for the plan. Without a limit that mate gets mateNodes at first.
const (
	firstShare = 32
	planShare  = 16
	mateNodes  = 100_000
)

// Brinkmate answers whether the side to move has a brinkmate. It returns the error of Valid.
func (s *Searcher) Brinkmate(ctx context.Context, p shogi.Position, lim Limits) (Result, error) {
	if err := Valid(&p, p.SideToMove()); err != nil {
		return Result{}, err
	}
	return s.brinkmate(ctx, p, lim), nil
}

func (s *Searcher) brinkmate(ctx context.Context, p shogi.Position, lim Limits) Result {
	s.session.Reset()
	b := &search{ctx: ctx, session: s.session, attacker: p.SideToMove(), p: p, maxSize: s.maxTree,
		mates: map[uint64]question{}, attacks: map[attackKey]*node{}, proofs: map[uint64][]*solver.Proof{},
		limit: max(lim.Nodes/firstShare, 1)}
	if lim.Nodes == 0 {
		b.limit = mateNodes
	}
	most := lim.Attacks
	if most == 0 {
		most = DefaultAttacks
	}
	most = min(most, MaxAttacks)

	mate := b.askMate(b.limit)
	if mate.Reason == solver.ReasonProof { // it is found, so it may have what it takes
		mate = b.askMate(lim.Nodes)
	}
	out := Result{Reason: mate.Reason}
	switch {
	case out.isMate(&mate):
	case mate.Verdict == solver.NoMate, mate.Reason == solver.ReasonNodes, mate.Reason == solver.ReasonDepth:
		b.search(&out, most, lim, mate.Verdict == solver.NoMate)
	}
	out.Nodes = b.nodes
	if lim.Nodes > 0 {
		out.Nodes = min(b.nodes, lim.Nodes)
	}
	return out
}

// isMate reports whether r is a mate, and makes it the result if it is.
func (out *Result) isMate(r *solver.Result) bool {
	if r.Verdict == solver.Mate {
		*out = Result{Verdict: Mate, Line: r.Line, Mate: r.Proof}
	}
	return r.Verdict == solver.Mate
}

// search looks for a brinkmate in 1 to most attacks. noMate says that there is no mate. Otherwise the
// attacks are tried as if it were so, and the mate is asked for again after them.
func (s *search) search(out *Result, most int, lim Limits, noMate bool) {
	searched := lim.Nodes - lim.Nodes/planShare // for all but the plan
	none := 0                                   // so many attacks are not enough
	var refutation shogi.Move                   // of the only one asked about
	for k := 1; k <= most; k++ {
		// Half of what is left is for each number of attacks but the last one.
		if s.limit = 0; lim.Nodes > 0 {
			s.limit = s.nodes + (searched-min(s.nodes, searched))>>(most-k)
		}
		if s.reason == solver.ReasonNodes {
			s.reason = solver.NoReason
		}
		root := node{mate: no, pn: 1, dn: 1}
		if lim.Only != shogi.NoMove {
			s.expandAttacks(&root, []shogi.Move{lim.Only}, k)
			root.expanded = true
			root.addUp(true, guessAttacks)
		}
		solved := s.solve(&root, k)
		if lim.Only != shogi.NoMove { // of the position with all its moves nothing is known
			delete(s.attacks, attackKey{s.p.Key(), k})
		}
		switch solved {
		case yes:
			s.reason = solver.NoReason
			out.Exact = none == k-1
			s.brinkmate(out, &root, k, lim, noMate)
			return
		case no:
			none = k
			if only := root.children; lim.Only != shogi.NoMove && len(only) > 0 && only[0].mate == yes {
				refutation = s.killers[k-1][0]
			}
		}
	}
	out.Reason = s.reason
	if none > 0 && !noMate {
		r := s.askMate(lim.Nodes)
		if out.isMate(&r) {
			return
		}
		noMate, out.Reason = r.Verdict == solver.NoMate, cmp.Or(s.reason, r.Reason)
	}
	if noMate {
		out.Attacks = none
	}
	if out.Attacks == most {
		out.Verdict, out.Reason, out.Refutation = None, solver.NoReason, refutation
	}
}

// brinkmate puts the brinkmate of root into out, which was proved to be one. A position with a mate
// is none, so where that is open still it is asked once more, with a quarter of the nodes that all the
// rest took.
func (s *search) brinkmate(out *Result, root *node, attacks int, lim Limits, noMate bool) {
	s.limit = lim.Nodes
	plan := s.plan(root, mailbox.From(&s.p))
	isMate := plan != nil && plan.isMate()
	if plan != nil && !noMate {
		limit := s.nodes + s.nodes/4
		if isMate || lim.Nodes > 0 && limit > lim.Nodes {
			limit = lim.Nodes
		}
		r := s.askMate(limit)
		if out.isMate(&r) {
			return
		}
		noMate = r.Verdict == solver.NoMate
	}
	out.Exact = out.Exact && noMate
	if isMate || plan == nil {
		if out.Reason, out.Exact = s.reason, false; s.reason == solver.NoReason || s.reason == solver.ReasonNodes {
			out.Reason = solver.ReasonProof
		}
		return
	}
	p := s.p
	_, out.Line = plan.Last(&p)
	out.Plan, out.Verdict, out.Reason, out.Attacks = plan, Brinkmate, solver.NoReason, plan.Attacks
	if lim.FirstMoves {
		s.firstMoves(out, root, attacks)
	}
}

// firstMoves goes on with the other first moves, until each is decided or the search has to stop.
func (s *search) firstMoves(out *Result, root *node, attacks int) {
	board := mailbox.From(&s.p)
	out.FirstMoves = []shogi.Move{out.Plan.Attack}
	rest := &node{mate: no, expanded: true, pn: 1, dn: 1}
	for i := range root.children {
		if root.children[i].move != out.Plan.Attack {
			rest.children = append(rest.children, root.children[i])
		}
	}
	rest.addUp(true, guessAttacks)
	for s.reason == solver.NoReason {
		delete(s.attacks, attackKey{s.p.Key(), attacks})
		if s.solve(rest, attacks) != yes {
			break
		}
		plan := s.plan(rest, board)
		if plan == nil {
			break
		}
		out.FirstMoves = append(out.FirstMoves, plan.Attack)
		rest.children = slices.DeleteFunc(rest.children, func(c node) bool { return c.move == plan.Attack })
		rest.addUp(true, guessAttacks)
	}
	for i := range rest.children {
		if rest.children[i].solved() != no {
			out.Open = append(out.Open, rest.children[i].move)
		}
	}
	order := func(a, b shogi.Move) int { return solver.CompareMoves(&s.p, a, b) }
	slices.SortFunc(out.FirstMoves, order)
	slices.SortFunc(out.Open, order)
}
