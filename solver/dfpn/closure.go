package dfpn

import (
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A closed set out of the table (solver.Closure).
//
// The table has the disproofs that hold everywhere. Those that lean on repetition hold on one path,
// and the pathTable has them under its code. So the set is made by walking along the paths of the
// search: a member knows the path on which it was met, and what was disproved on this path goes on
// to be. The position that is repeated is on the path, and so a member already. Where the trail is
// lost, because the disproof was found by another path or has been forgotten, the member is searched
// once more, as a root, and the walk goes on from there.
//
// Every member is a fact. It is disproved everywhere, or on a path all of whose positions are facts:
// that to repeat them fails is true then. So members are stored as disproofs that hold everywhere,
// and each search that follows ends at them.

// closure is a solver.Closure. Its positions are those of the search, with Black as the attacker.
type closure struct {
	search  *searcher
	session *Session        // whose search it is, nil inside of one
	about   solver.Question // the problem
	rotated bool
	salt    uint64
	members []closureMember
	boards  map[uint64][]int32 // the members by board key
	closed  int                // members with replies
}

type closureMember struct {
	p       shogi.Position
	length  int32
	trail   trail
	own     bool // the trail begins here
	checks  []shogi.Move
	replies []shogi.Move
}

// A trail is a path of the search: its code, and how long it is.
type trail struct {
	key   uint64
	depth int32
}

func (t trail) after(m shogi.Move) trail { return trail{t.key ^ stepKey(m, t.depth), t.depth + 1} }

// Closure returns what grows closed sets with the table of the session.
func (s *Session) Closure() solver.Closure { return &closure{search: s.search, session: s} }

// Begin implements solver.Closure.
func (c *closure) Begin(p shogi.Position, attacker shogi.Color) {
	*c = closure{search: c.search, session: c.session, about: solver.Question{Position: p, Attacker: attacker},
		salt: saltOf(&p, 0, nil), boards: map[uint64][]int32{}}
}

// start makes the searcher ready for p and so many nodes.
func (c *closure) start(ctx context.Context, p shogi.Position, nodes uint64) (s *searcher, ok bool) {
	q := c.about
	q.Position = p
	s = c.search
	if s.p, c.rotated, ok = c.session.begin(&q); !ok {
		return s, false
	}
	s.ctx, s.proving, s.searching = ctx, ctx, ctx
	s.nodes, s.steps, s.limit, s.reason = 0, 0, nodes, solver.StopReason(ctx)
	s.progress = progress{}
	return s, true
}

// closureLength returns the length of so many plies.
func closureLength(plies int) int32 {
	if plies >= int(forever) {
		return forever
	}
	return int32(plies)
}

// Cover implements solver.Closure.
func (c *closure) Cover(ctx context.Context, p shogi.Position, plies int, nodes uint64) (shogi.Move, solver.Decision) {
	s, ok := c.start(ctx, p, nodes)
	if !ok {
		return 0, solver.Decision{Reason: solver.ReasonDepth}
	}
	verdict, m := c.cover(closureLength(plies))
	if s.reason != solver.NoReason {
		return 0, solver.Decision{Reason: s.reason, Nodes: s.nodes}
	}
	if c.rotated && m != shogi.NoMove {
		m = m.Rotated()
	}
	return m, solver.Decision{Verdict: verdict, Nodes: s.nodes}
}

// cover has the set cover the position on the board, or the one after the reply that it returns.
func (c *closure) cover(length int32) (solver.Verdict, shogi.Move) {
	s := c.search
	if s.p.SideToMove() != attacker {
		return c.searchReply(length)
	}
	if c.isCovered(&s.p, length) {
		return solver.NoMate, shogi.NoMove
	}
	if r := s.root(length); s.reason != solver.NoReason || r.pn == 0 {
		return solver.Mate, shogi.NoMove
	}
	c.add(s.p, s.p.Hand(attacker), length, trail{s.rootPathKey(), 0}, true)
	return solver.NoMate, shogi.NoMove
}

// searchReply searches the position on the board, the defender to move, for a reply after which
// there is no mate, and covers the position after it.
func (c *closure) searchReply(length int32) (solver.Verdict, shogi.Move) {
	s := c.search
	if length < 2 { // any reply will do
		if evasions := s.p.Evasions(&s.moves, shogi.AllMoves); len(evasions) > 0 {
			return solver.NoMate, evasions[0]
		}
		return solver.Mate, shogi.NoMove
	}
	r := s.root(length)
	switch {
	case s.reason != solver.NoReason:
		return solver.Unknown, shogi.NoMove
	case r.pn == 0:
		return solver.Mate, shogi.NoMove
	}
	at := trail{s.rootPathKey(), 0}.after(r.best)
	u := s.p.Do(r.best)
	if !c.isCovered(&s.p, length-1) {
		c.add(s.p, s.p.Hand(attacker), less(length, 1), at, false)
	}
	s.p.Undo(r.best, u)
	return solver.NoMate, r.best
}

// less returns a length that is n plies shorter.
func less(length, n int32) int32 {
	if length >= forever {
		return forever
	}
	return length - n
}

// add makes p with this hand of the attacker a member.
func (c *closure) add(p shogi.Position, hand shogi.Hand, length int32, at trail, own bool) {
	if hand != p.Hand(attacker) {
		p.GiveAway(attacker, hand)
		at, own = trail{p.Key() * 0x9e3779b97f4a7c15, 0}, false
	}
	key := p.BoardKey()
	c.search.table.storeDisproof(key, hand, length, 0)
	c.boards[key] = append(c.boards[key], int32(len(c.members)))
	c.members = append(c.members, closureMember{p: p, length: length, trail: at, own: own})
}

// isMember reports whether a member covers the board and the attacker's hand.
func (c *closure) isMember(key uint64, hand shogi.Hand, length int32) bool {
	for _, i := range c.boards[key] {
		m := &c.members[i]
		if m.length >= length && m.p.Hand(attacker).Covers(hand) {
			return true
		}
	}
	return false
}

// isCovered reports whether nothing more need be shown of p, with the attacker to move.
func (c *closure) isCovered(p *shogi.Position, length int32) bool {
	return length < 1 || c.isMember(p.BoardKey(), p.Hand(attacker), length) || c.isQuiet(p, length)
}

// isQuiet reports whether the attacker has no check in p, or none that mates in so few plies.
func (c *closure) isQuiet(p *shogi.Position, length int32) bool {
	return !p.HasCheck() || length <= 2 && c.search.mate1.Find(p) == shogi.NoMove
}

// Close implements solver.Closure.
func (c *closure) Close(ctx context.Context, members int, nodes uint64) solver.Decision {
	s, ok := c.start(ctx, c.about.Position, nodes)
	if !ok {
		return solver.Decision{Reason: solver.ReasonDepth}
	}
	verdict, reason := c.close(members)
	return solver.Decision{Verdict: verdict, Reason: reason, Nodes: s.nodes}
}

// close finds the replies of all members.
func (c *closure) close(members int) (solver.Verdict, solver.Reason) {
	for c.closed < len(c.members) {
		if len(c.members) > members {
			return solver.Unknown, solver.ReasonMembers
		}
		verdict := c.expand(c.closed)
		switch {
		case c.search.reason != solver.NoReason:
			return solver.Unknown, c.search.reason
		case verdict == solver.Mate:
			return verdict, solver.NoReason
		}
		c.closed++
	}
	return solver.NoMate, solver.NoReason
}

// expand finds the replies of a member.
func (c *closure) expand(i int) solver.Verdict {
	s := c.search
	m := c.members[i]
	s.p = m.p
	checks := slices.Clone(s.p.Checks(&s.moves, shogi.AllMoves))
	replies := make([]shogi.Move, len(checks))
	missing := c.replies(&m, checks, replies)
	if missing && !m.own && s.reason == solver.NoReason {
		// The trail is lost: it begins anew here.
		s.p = m.p
		if r := s.root(m.length); s.reason == solver.NoReason && r.pn == 0 {
			return solver.Mate
		}
		m.own, m.trail = true, trail{s.rootPathKey(), 0}
		missing = c.replies(&m, checks, replies)
	}
	if missing {
		for k, check := range checks {
			if replies[k] != shogi.NoMove || s.reason != solver.NoReason {
				continue
			}
			s.p = m.p
			s.p.Do(check)
			var verdict solver.Verdict
			if verdict, replies[k] = c.searchReply(less(m.length, 1)); verdict == solver.Mate {
				return verdict
			}
		}
	}
	c.members[i].checks, c.members[i].replies = checks, replies
	return solver.NoMate
}

// replies fills in the replies that are still open, and reports whether any is missing.
func (c *closure) replies(m *closureMember, checks, replies []shogi.Move) (missing bool) {
	s := c.search
	s.p = m.p
	for k, check := range checks {
		if replies[k] != shogi.NoMove {
			continue
		}
		if !s.count() {
			return true
		}
		u := s.p.Do(check)
		replies[k] = c.reply(m.trail.after(check), less(m.length, 2))
		s.p.Undo(check, u)
		missing = missing || replies[k] == shogi.NoMove
	}
	return missing
}

// reply returns a reply of the position on the board after which there is no mate within length, and
// covers the position after it. It returns NoMove if it knows none.
func (c *closure) reply(at trail, length int32) shogi.Move {
	s := c.search
	evasions := slices.Clone(s.p.Evasions(&s.moves, shogi.AllMoves))
	hand := s.p.Hand(attacker)
	for _, m := range evasions {
		if length < 1 || c.isMember(s.p.BoardKeyAfter(m), hand, length) {
			return m
		}
	}
	best, bestHand, bestAmount := shogi.NoMove, hand, uint32(0)
	for _, m := range evasions {
		u := s.p.Do(m)
		quiet := c.isQuiet(&s.p, length)
		s.p.Undo(m, u)
		if quiet {
			return m
		}
		var r probed
		key := s.p.BoardKeyAfter(m)
		s.table.probe(key, hand, length, 0, &r)
		fail := hand
		if r.dn == 0 {
			fail = r.solvedHand
		} else if _, ok := s.paths.get(at.after(m).key, key, hand, length); !ok {
			continue
		}
		if best == shogi.NoMove || r.amount < bestAmount {
			best, bestHand, bestAmount = m, fail, r.amount
		}
	}
	if best == shogi.NoMove {
		return best
	}
	p := s.p
	p.Do(best)
	c.add(p, bestHand, length, at.after(best), false)
	return best
}

// Members implements solver.Closure.
func (c *closure) Members() []solver.Member {
	list := make([]solver.Member, len(c.members))
	for i := range c.members {
		m := &c.members[i]
		p := m.p
		p.ForSearch().SaltKey(c.salt)
		checks, replies := m.checks, m.replies
		if c.rotated {
			p = p.Rotated()
			checks, replies = slices.Clone(checks), slices.Clone(replies)
			for k := range checks {
				checks[k], replies[k] = checks[k].Rotated(), replies[k].Rotated()
			}
		}
		plies := int(m.length)
		if m.length >= forever {
			plies = solver.Endless
		}
		list[i] = solver.Member{Position: p, Plies: plies, Checks: checks, Replies: replies}
	}
	return list
}

// checkMembers is how many members the closed set of an answer may have: some 20 MiB.
const checkMembers = 20_000

// check makes the closed set of what out says there is not, a mate or a shorter one, and replays it by
// the plain rules. It may take as many nodes as the search, within its limit. What does not succeed
// within that leaves out as it is, and says why; out is unverified if what is shown contradicts it.
func (s *searcher) check(out *solver.Result) {
	length, plies := forever, solver.Endless
	switch {
	case out.Verdict == solver.NoMate:
	case out.Verdict == solver.Mate && out.Exact && len(out.Line) > 2:
		plies = len(out.Line) - 2
		length = int32(plies)
	default:
		return
	}
	root, limit, reason := s.p, s.limit, s.reason
	if s.limit = 2*s.nodes + 1000; limit > 0 {
		s.limit = min(s.limit, limit)
	}
	s.reason = solver.StopReason(s.ctx)
	c := closure{search: s, about: solver.Question{Position: root}, boards: map[uint64][]int32{}}
	verdict, first := c.cover(length)
	why := s.reason
	if why == solver.NoReason && verdict == solver.NoMate {
		s.p = root
		verdict, why = c.close(checkMembers)
	}
	s.p, s.limit, s.reason = root, limit, reason
	if why == solver.NoReason && verdict == solver.NoMate {
		err := solver.VerifyClosed(s.ctx, root, attacker, plies, first, c.Members())
		if why = solver.StopReason(s.ctx); err != nil && why == solver.NoReason {
			verdict = solver.Mate
		}
	}
	switch {
	case why != solver.NoReason:
		out.Checked, out.Unchecked = solver.CheckedSearch, why
	case verdict == solver.Mate:
		*out = solver.Result{Solver: out.Solver, Reason: solver.ReasonUnverified, Resumed: out.Resumed}
	default:
		out.Checked = solver.CheckedCertificate
	}
}
