package length

import (
	"context"
	"math/bits"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// An Engine finds exact lengths by iterative deepening with the definition of the package, as long
// as its nodes suffice. It is for one goroutine.
type Engine struct {
	session  solver.Session // asked for raw verdicts; nil: none are, and the answers are the same
	attacker shogi.Color
	policy   Policy
	aside    shogi.Hand // of the problem, but held by nobody on the board
	memo     memo
	effort   uint16 // of the search for bounds from above (prove.go)
	ctx      context.Context
	p        shogi.Position
	moves    []shogi.Move // of the nodes on the path
	buffer   shogi.MoveBuffer
	nodes    uint64
	limit    uint64
	reason   solver.Reason
}

// NewEngine returns an Engine that asks session, which may be nil, whether there is a mate at all.
// That prunes, and changes no length.
func NewEngine(session solver.Session) *Engine { return &Engine{session: session} }

// Begin makes the Engine ready for problems of that attacker and policy. It keeps what it remembers
// if both are the same as before.
func (e *Engine) Begin(attacker shogi.Color, policy Policy) {
	if e.attacker != attacker || e.policy != policy || e.memo.entries == nil {
		e.attacker, e.policy = attacker, policy
		e.memo.clear()
	}
}

// Forget forgets what the Engine remembers.
func (e *Engine) Forget() { e.memo.clear() }

// Reset makes the Engine, and its session, like new ones.
func (e *Engine) Reset() {
	e.Forget()
	if e.session != nil {
		e.session.Reset()
	}
}

// Nodes returns how many positions the last call looked at, those of its session included.
func (e *Engine) Nodes() uint64 { return e.nodes }

// Within returns the length of p if it is at most plies: the result is exact then. Otherwise the
// result is greater than plies, and the length is no less; it is Unbounded if there is no mate. The
// attacker may be to move, or the defender, who must be in check then. If the nodes, of which 0 is
// any number, or ctx end the search, reason says so, and the result is a lower bound.
func (e *Engine) Within(ctx context.Context, p shogi.Position, plies int, nodes uint64) (n int, reason solver.Reason) {
	e.begin(ctx, p, nodes)
	if p.SideToMove() == e.attacker {
		n = e.attack(plies)
	} else {
		n = e.defend(plies)
	}
	if e.reason != solver.NoReason {
		n = e.known(&p)
	}
	return n, e.reason
}

// IsWithin reports whether the length of p, with the defender to move, is at most plies. It takes
// fewer nodes than Within: one search of p itself says more than those of its replies, one by one.
func (e *Engine) IsWithin(ctx context.Context, p shogi.Position, plies int, nodes uint64) (yes bool, reason solver.Reason) {
	e.begin(ctx, p, nodes)
	if m := e.memo.get(&e.p); m != nil && (int(m.most) <= plies || int(m.least) > plies) {
		return int(m.most) <= plies, e.reason
	}
	switch {
	case plies < 2 || e.session == nil:
	case e.isLonger(plies, boundNodes*uint64(plies)):
		e.memo.atLeast(&e.p, plies+2-plies%2, e.work(0))
		return false, e.reason
	case e.decide(&e.p, plies, boundNodes*uint64(plies), solver.Counted).Verdict == solver.Mate:
		e.memo.atMost(&e.p, plies, e.work(0))
		return true, e.reason
	}
	n := e.defend(plies)
	return n <= plies, e.reason
}

// known returns the least that the length of p can be.
func (e *Engine) known(p *shogi.Position) int {
	if m := e.memo.get(p); m != nil {
		return m.length()
	}
	if p.SideToMove() == e.attacker {
		return 1
	}
	return 0
}

func (e *Engine) begin(ctx context.Context, p shogi.Position, nodes uint64) {
	e.ctx, e.p, e.aside, e.limit, e.nodes = ctx, p, 0, nodes, 0
	e.moves, e.effort, e.reason = e.moves[:0], 1, solver.StopReason(ctx)
}

// stopped reports whether the search has to end.
func (e *Engine) stopped() bool { return e.reason != solver.NoReason }

// count counts a node, unless the search has to end.
func (e *Engine) count() bool {
	if e.limit > 0 && e.nodes >= e.limit && e.reason == solver.NoReason {
		e.reason = solver.ReasonNodes
	}
	if e.reason != solver.NoReason {
		return false
	}
	if e.nodes++; e.nodes%256 == 0 {
		e.reason = solver.StopReason(e.ctx)
	}
	return e.reason == solver.NoReason
}

// Nodes of the session's searches. What a search by bounds cannot settle takes many times as much, so
// that those for long lengths get a great deal: of seven classics of 11 to 25 plies, in 3 million
// nodes each, 100 nodes settled the lengths of five, with 13.5 million in all, and 8000 a ply those of
// six, with 6.3 million.
const (
	verdictNodes  = 500  // is there a mate at all?
	boundNodes    = 8000 // times d: is the length at most d?
	handBackNodes = 500  // the cheap test of a drop
)

// work returns what the nodes since before are to the memo.
func (e *Engine) work(before uint64) uint16 { return uint16(bits.Len64(e.nodes - before)) }

// attack returns the length of the position on the board, the attacker to move, if it is at most b,
// else a lower bound that is greater than b. It means nothing if the search was stopped.
func (e *Engine) attack(b int) int {
	b -= (b + 1) % 2 // the length is odd
	least, best := 1, shogi.NoMove
	m := e.memo.get(&e.p)
	if m != nil {
		if m.isExact() || int(m.least) > b {
			return m.length()
		}
		least, best = max(m.length(), 1), m.best
	}
	if b < 1 {
		return 1
	}
	if !e.count() {
		return least
	}
	before := e.nodes
	if m == nil && b > 1 && e.decide(&e.p, 0, verdictNodes, solver.Counted).Verdict == solver.NoMate {
		e.memo.put(&e.p, Unbounded, true, shogi.NoMove, e.work(before))
		return Unbounded
	}
	if b > least+2 {
		// All lengths up to b in one search: from there on they are asked about one by one.
		switch {
		case e.isLonger(b, boundNodes*uint64(b)):
			least = b + 2
		case e.isLonger(b-2, boundNodes*uint64(b)):
			least = b
		}
		if e.memo.put(&e.p, least, false, best, e.work(before)); least > b {
			return least
		}
	}
	first := len(e.moves)
	e.moves = append(e.moves, e.p.Checks(&e.buffer, shogi.AllMoves)...)
	checks := e.moves[first:]
	toFront(checks, best)
	n := e.tryChecks(checks, least, b, before)
	e.moves = e.moves[:first]
	return n
}

// tryChecks is attack with the legal checks, for lengths from least to b.
func (e *Engine) tryChecks(checks []shogi.Move, least, b int, before uint64) int {
	for d := least; d <= b; d += 2 {
		switch e.bound(d) {
		case solver.NoMate:
			least = d + 2
			e.memo.put(&e.p, least, false, shogi.NoMove, e.work(before))
			continue
		case solver.Mate:
			e.memo.put(&e.p, d, true, shogi.NoMove, e.work(before))
			return d
		}
		if e.session != nil && d > 1 && e.proveAttack(d) <= d {
			e.memo.put(&e.p, d, true, shogi.NoMove, e.work(before))
			return d
		}
		next := Unbounded
		for _, c := range checks {
			u := e.p.Do(c)
			n := e.defend(d - 1)
			e.p.Undo(c, u)
			if e.stopped() {
				return d
			}
			if n < d {
				e.memo.put(&e.p, d, true, c, e.work(before))
				return d
			}
			next = min(next, n+1)
		}
		d = max(d, next-2) // no check mates in less than next
		least = d + 2
		if next >= Unbounded {
			e.memo.put(&e.p, Unbounded, true, shogi.NoMove, e.work(before))
			return Unbounded
		}
		e.memo.put(&e.p, least, false, shogi.NoMove, e.work(before))
	}
	return least
}

// toFront moves m to the front of the moves, if it is one of them.
func toFront(moves []shogi.Move, m shogi.Move) {
	for i, other := range moves {
		if other == m {
			copy(moves[1:i+1], moves[:i])
			moves[0] = m
			return
		}
	}
}

// bound returns NoMate if the length of the position on the board, the attacker to move, is more than
// d for certain, and Mate if it is at most d. A length is no less than that with free
// interpositions, and no more than the raw one.
func (e *Engine) bound(d int) solver.Verdict {
	if d == 1 {
		return solver.Unknown
	}
	if e.isLonger(d, boundNodes*uint64(d)) {
		return solver.NoMate
	}
	if e.decide(&e.p, d, boundNodes*uint64(d), solver.Counted).Verdict == solver.Mate {
		return solver.Mate
	}
	return solver.Unknown
}

// isLonger reports whether the length of the position on the board is more than d for certain,
// because it is with free interpositions.
func (e *Engine) isLonger(d int, nodes uint64) bool {
	return e.decide(&e.p, d, nodes, free[e.policy]).Verdict == solver.NoMate
}

// free are the interpositions that are free in the game whose lengths are no more than those of a
// policy.
var free = [NumPolicies]solver.Interpositions{F0: solver.Counted, F1: solver.FreeIfFinal,
	F2: solver.FreeBySlider, F3: solver.FreeByAny}

// decide asks the session whether the attacker mates from p within so many plies, 0: at all.
func (e *Engine) decide(p *shogi.Position, plies int, nodes uint64, by solver.Interpositions) solver.Decision {
	if e.limit > 0 {
		nodes = min(nodes, e.limit-min(e.limit, e.nodes))
	}
	if e.session == nil || nodes == 0 {
		return solver.Decision{}
	}
	r := e.session.Decide(e.ctx, solver.Question{Position: *p, Attacker: e.attacker, Interpositions: by,
		Aside: e.aside, Limits: solver.Limits{Plies: plies, Nodes: nodes}})
	e.nodes += r.Nodes
	if r.Reason != solver.NoReason && e.reason == solver.NoReason {
		e.reason = solver.StopReason(e.ctx) // else many questions would still be asked after a stop
	}
	return r
}

// defend returns the length of the position on the board, the defender to move and in check, if it
// is at most b, else a lower bound that is greater than b. It means nothing if the search was
// stopped.
func (e *Engine) defend(b int) int {
	var best shogi.Move
	if m := e.memo.get(&e.p); m != nil {
		if m.isExact() || int(m.least) > b {
			return m.length()
		}
		best = m.best
	}
	if !e.count() {
		return 0
	}
	before := e.nodes
	first := len(e.moves)
	e.moves = append(e.moves, e.p.Evasions(&e.buffer, shogi.AllMoves)...)
	n := e.tryReplies(e.moves[first:], best, b, before)
	e.moves = e.moves[:first]
	return n
}

// tryReplies is defend with the legal replies, of which best held out longest before.
func (e *Engine) tryReplies(replies []shogi.Move, best shogi.Move, b int, before uint64) int {
	line := lineOf(&e.p, e.policy)
	count := line.sort(replies)
	toFront(replies[:count], best)
	length := 0
	for _, r := range replies[:count] {
		n := e.reply(r, b)
		if e.stopped() {
			return 0
		}
		if n > b {
			e.memo.put(&e.p, n, n >= Unbounded, r, e.work(before))
			return n
		}
		length = max(length, n)
	}
	for drops := replies[count:]; len(drops) > 0; {
		here, x := length, drops[0].To()
		settled := e.squareIsFutile(&line, drops[0], here)
		for ; len(drops) > 0 && drops[0].To() == x; drops = drops[1:] {
			if e.stopped() {
				return 0
			}
			if settled || e.isFutile(&line, drops[0], here) {
				continue
			}
			n := e.reply(drops[0], b)
			if e.stopped() {
				return 0
			}
			if n > b {
				e.memo.put(&e.p, n, n >= Unbounded, shogi.NoMove, e.work(before))
				return n
			}
			length = max(length, n)
		}
	}
	e.memo.put(&e.p, length, true, shogi.NoMove, e.work(before))
	return length
}

// reply returns 1 + the length after the reply r if that is at most b, else a lower bound that is
// greater.
func (e *Engine) reply(r shogi.Move, b int) int {
	u := e.p.Do(r)
	n := e.attack(b - 1)
	e.p.Undo(r, u)
	return min(n+1, Unbounded)
}

// isFutile reports whether the candidate drop is futile, where the defender can last here plies
// without it and without the drops on and beyond its square.
func (e *Engine) isFutile(line *checkLine, drop shogi.Move, here int) bool {
	return e.capture(line, drop, here) != shogi.NoMove
}

// capture returns the capture which shows that the candidate drop is futile, NoMove if it is not.
func (e *Engine) capture(line *checkLine, drop shogi.Move, here int) shogi.Move {
	if line.policy == F1 && here > 0 {
		return shogi.NoMove
	}
	root, aside := e.p, e.aside
	defer func() { e.p, e.aside = root, aside }()
	e.p.Do(drop)
	dropped := e.p
	var captures [maxCaptures]shogi.Move
	for _, c := range line.captures(&e.p, &e.buffer, drop.To(), captures[:0]) {
		e.p = dropped
		e.p.Do(c)
		e.p.SetAside(e.attacker, drop.Dropped())
		e.aside = aside.Add(drop.Dropped(), 1)
		if n := e.defend(here); e.stopped() {
			return shogi.NoMove
		} else if n <= here {
			return c
		}
	}
	return shogi.NoMove
}

// squareIsFutile reports whether all candidate drops on the square of this one are futile, because
// the attacker mates within here plies by the raw count even if he hands the piece back. The
// defender has more then than with the piece set aside, so it shows that each drop is futile. It
// does not show that one is not.
func (e *Engine) squareIsFutile(line *checkLine, drop shogi.Move, here int) bool {
	if e.session == nil || here == 0 || line.policy == F1 {
		return false
	}
	keep := e.p.Hand(e.attacker)
	p := e.p
	p.Do(drop)
	dropped := p
	var captures [maxCaptures]shogi.Move
	bySlider := checkLine{slider: line.slider, policy: F2}
	for _, c := range bySlider.captures(&dropped, &e.buffer, drop.To(), captures[:0]) {
		p = dropped
		p.Do(c)
		p.GiveAway(e.attacker, keep)
		if e.decide(&p, here, handBackNodes, solver.Counted).Verdict == solver.Mate {
			return true
		}
	}
	return false
}

// A Reply is what a reply of the defender comes to.
type Reply struct {
	Move shogi.Move
	// Length is that of the position before the reply, if it is played: exact if it is at most what
	// was asked for, else a lower bound that is greater. Of a futile drop it means nothing.
	Length  int
	Futile  FutileType
	Capture shogi.Move // which shows that the drop is futile
	// NewPiece says of types XY and XYZ that the capturing piece had no part in the mate before: the
	// defender would be mated without it.
	NewPiece bool
}

// Replies returns what each legal reply of the defender in p, who stands in check, comes to, if the
// length of p is at most plies. If it is greater, candidate drops beyond what lasts longer than
// plies are not looked at, and have Length Unbounded and no type. The limits are as for Within; if
// they end the search the replies are not all there.
func (e *Engine) Replies(ctx context.Context, p shogi.Position, plies int, nodes uint64) ([]Reply, solver.Reason) {
	e.begin(ctx, p, nodes)
	moves := slices.Clone(e.p.Evasions(&e.buffer, shogi.AllMoves))
	line := lineOf(&e.p, e.policy)
	count := line.sort(moves)
	var list []Reply
	here := 0
	for _, r := range moves[:count] {
		n := e.reply(r, plies)
		if e.stopped() {
			return list, e.reason
		}
		list, here = append(list, Reply{Move: r, Length: n}), max(here, n)
	}
	for drops := moves[count:]; len(drops) > 0; {
		next, x := here, drops[0].To()
		for ; len(drops) > 0 && drops[0].To() == x; drops = drops[1:] {
			r := Reply{Move: drops[0], Length: Unbounded}
			if here <= plies {
				r = e.drop(&line, drops[0], here, plies)
			}
			if e.stopped() {
				return list, e.reason
			}
			if list = append(list, r); r.Futile == NotFutile {
				next = max(next, r.Length)
			}
		}
		here = next
	}
	return list, solver.NoReason
}

// drop returns what the candidate drop comes to, where the defender can last here plies without it.
func (e *Engine) drop(line *checkLine, m shogi.Move, here, plies int) Reply {
	c := e.capture(line, m, here)
	if e.stopped() || c == shogi.NoMove {
		return Reply{Move: m, Length: e.reply(m, plies)}
	}
	r := Reply{Move: m, Futile: Any, Capture: c}
	switch {
	case c.From() == line.slider && here == 0:
		r.Futile = X
	case c.From() == line.slider:
		r.Futile = Narrow
	case here == 0:
		r.Futile, r.NewPiece = XY, e.matesWithout(c.From())
		taken := e.p
		taken.Do(m)
		taken.Do(c)
		if !taken.Checkers().Has(c.To()) {
			r.Futile = XYZ
		}
	}
	return r
}

// matesWithout reports whether the defender on the board would have no reply but drops on the line
// if there were no piece on sq.
func (e *Engine) matesWithout(sq shogi.Square) bool {
	setup := e.p.Setup()
	setup.Board[sq] = shogi.NoPiece
	p, err := setup.Position()
	if err != nil || !p.InCheck() {
		return false
	}
	line := lineOf(&p, e.policy)
	return line.sort(p.Evasions(&e.buffer, shogi.AllMoves)) == 0
}
