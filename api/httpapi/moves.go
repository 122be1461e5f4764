package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
)

// A movesRequest is the body of POST /v1/moves. The bounds of the limits are those of the Config: see openapi.go.
type movesRequest struct {
	SFEN     string        `json:"sfen" minLength:"1" doc:"As in the body of POST /v1/solve."`
	Attacker string        `json:"attacker,omitempty" enum:"black,white" doc:"The side that is to force mate. Needed only where both kings are on the board and the defender is to move, for then the position alone reads as an attack by the side to move. Default: as in POST /v1/solve."`
	Limits   requestLimits `json:"limits,omitempty" doc:"As in the body of POST /v1/solve, for the work on all moves together. plies are counted from the position, before the move."`
}

// A movesAnswer is the body of a 200. Fields that do not apply are absent.
type movesAnswer struct {
	SFEN      string       `json:"sfen" doc:"The position in canonical SFEN, as in an answer of POST /v1/solve."`
	Attacker  string       `json:"attacker" enum:"black,white" doc:"The side that is to force mate."`
	Side      string       `json:"side" enum:"attacker,defender" doc:"Who is to move, and so whose moves these are: the attacker's checks or the defender's replies."`
	Verdict   string       `json:"verdict" enum:"mate,nomate,unknown" doc:"Of the position, as in an answer of POST /v1/solve."`
	Plies     *int         `json:"plies,omitempty" minimum:"0" doc:"Of a mate: the length with the best move. 0 if the defender is mated already."`
	Exact     *bool        `json:"exact,omitempty" doc:"Of a mate: that length is proven to be right. If false, it is an upper bound."`
	Best      string       `json:"best,omitempty" doc:"The attacker's check with the shortest mate known, or the defender's reply that escapes, else the one with the longest resistance. Of moves that are equally good, the one that POST /v1/solve plays. Absent if there is none or not enough is known."`
	Reason    string       `json:"reason,omitempty" enum:"limit_plies,limit_nodes,limit_time,cancelled,solver_depth,unverified,overloaded,settled" doc:"Why a move is unknown, of the first that is. Absent if each is decided."`
	Moves     []moveAnswer `json:"moves" nullable:"false" doc:"Every legal check, or, if the defender is to move, every legal reply; the best move first, those that come to little last."`
	Nodes     uint64       `json:"nodes" doc:"How many positions were looked at for all moves together."`
	ElapsedUS *int64       `json:"elapsed_us,omitempty" minimum:"0" doc:"How long that took, in microseconds, waiting included."`
}

// A moveAnswer is what a movesAnswer says of one move.
type moveAnswer struct {
	Move         string   `json:"move" doc:"The move in USI."`
	MoveJa       string   `json:"move_ja" doc:"The move as Japanese records write it."`
	Verdict      string   `json:"verdict" enum:"mate,nomate,unknown" doc:"Of the position if this move is played."`
	Plies        *int     `json:"plies,omitempty" minimum:"1" doc:"Of a mate: its length from the position, this move counted."`
	Exact        *bool    `json:"exact,omitempty" doc:"Of a mate: it is proven that there is no shorter one after this move. If false, plies is an upper bound. With limits.shortest the moves that may be best are searched until they are exact, as far as the other limits allow; others need not be."`
	NoMateWithin int      `json:"no_mate_within,omitempty" minimum:"1" doc:"It is proven that there is no mate in that many plies or fewer if this move is played, this move counted."`
	Line         []string `json:"line" nullable:"false" doc:"Begins with the move. Of a mate, all its moves; of a check that does not mate, the check and a reply that refutes it, if one was found within the limits."`
	LineJa       []string `json:"line_ja" nullable:"false" doc:"The same moves as Japanese records write them."`
	Reason       string   `json:"reason,omitempty" enum:"limit_plies,limit_nodes,limit_time,cancelled,solver_depth,unverified,overloaded,settled" doc:"As in an answer of POST /v1/solve. limit_nodes and limit_time: this move's share of the limit was used up. overloaded: the move needs a long search, and all places for those were taken. settled: the reply needs a long search, which it did not get, since another reply leaves no mate."`
}

// reasonOverloaded says that a move needs a long search which there was no place for.
const reasonOverloaded solver.Reason = "overloaded"

// reasonSettled says that a reply was not searched for long, since another one escapes.
const reasonSettled solver.Reason = "settled"

// setAttacker makes the side of that name the one that is to force mate.
func (q *question) setAttacker(location, name string) []fault {
	side := shogi.Black
	if name == shogi.White.String() {
		side = shogi.White
	}
	p := &q.position
	switch {
	case p.King(side.Opponent()) == shogi.NoSquare:
		return []fault{{Location: location, Code: "no_defender", Message: fmt.Sprintf("%s has no king to mate", side.Opponent())}}
	case side != p.SideToMove() && !p.InCheck():
		return []fault{{Location: location, Code: "no_check", Message: fmt.Sprintf("%s is to move and not in check, so there is no attack by %s to reply to", p.SideToMove(), side)}}
	}
	q.attacker = side
	return nil
}

// A movesInput is a body that is read by the parser.
type movesInput struct {
	RawBody []byte `contentType:"application/json"`
	question
}

// Resolve reads the question. Huma calls it when it has the body.
func (in *movesInput) Resolve(ctx huma.Context) []error {
	if _, p := exchangeOf(ctx.Context()).server.choices.parse(in.RawBody, &in.question); p != nil {
		return []error{p}
	}
	in.moves = true
	return nil
}

func (s *Server) postMoves(ctx context.Context, in *movesInput) (*huma.StreamResponse, error) {
	f, err := s.answer(ctx, &in.question)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(huma.Context) {
		_, _ = exchangeOf(ctx).Write(f.timed()) // a client that is gone needs no answer
	}}, nil
}

// A fate is what is known of the position after a move, and so of the move.
type fate struct {
	move         shogi.Move
	verdict      solver.Verdict
	line         []shogi.Move // of a mate: the moves after the move; of a check that does not mate: its refutation, or nothing
	exact        bool
	noMateWithin int
	reason       solver.Reason
}

// plies is the length of a mate from the position before the move.
func (f *fate) plies() int { return 1 + len(f.line) }

// atLeast is the least that the length of a mate can turn out to be. Lengths differ by two.
func (f *fate) atLeast() int {
	if f.exact {
		return f.plies()
	}
	least := f.noMateWithin + 1
	return least + (f.plies()-least)%2
}

// A judge finds the fate of each move of a position by asking the searcher about what follows: one question after
// another, so that one who asks for moves takes no more places than others do. All of them together have the limits of
// the question. What nodes they used is counted as if nothing were in the cache, so that the answer does not depend on it.
type judge struct {
	s        *searcher
	ctx      context.Context
	q        *question
	quick    uint64        // nodes that make no long search
	left     uint64        // nodes
	time     time.Duration // left, waiting not counted
	waits    time.Duration // left to wait for slots in all: what others may wait for one
	lasting  bool          // everything that was found is
	noPlaces bool          // for long searches
	spent    uint64        // nodes
	defender bool          // is to move
	twoKings bool          // no solver takes the defender's side then
	whole    solver.Result // of the position itself
}

// judge answers a question about moves. waited is how long it has waited for slots already.
func (s *searcher) judge(ctx context.Context, q *question, waited time.Duration) (*finding, error) {
	began := time.Now()
	p := &q.position
	j := &judge{s: s, ctx: ctx, q: q, quick: 20_000, left: q.limits.Nodes, time: q.time, lasting: true,
		defender: p.SideToMove() != q.attacker, twoKings: p.King(q.attacker) != shogi.NoSquare}
	if len(s.lanes) > 1 {
		j.quick = s.lanes[0].most
	}
	j.waits = s.longestWait() - waited
	var buf shogi.MoveBuffer
	moves := p.Evasions
	if !j.defender {
		moves = p.Checks
	}
	fates := []*fate{}
	for _, m := range moves(&buf, shogi.AllMoves) {
		f := &fate{move: m}
		j.glance(f)
		fates = append(fates, f)
	}
	if err := j.decide(fates); err != nil {
		return nil, err
	}
	for _, f := range fates {
		if f.verdict == solver.Unknown && f.reason == solver.NoReason {
			f.reason = cmp.Or(j.why(), solver.ReasonNodes) // too few of them for another search
		}
	}
	return j.finding(fates, time.Since(began)), nil
}

// after returns the position after a move.
func after(p *shogi.Position, m shogi.Move) shogi.Position {
	next := *p
	next.Do(m)
	return next
}

// checksOf returns how many checks the side to move has.
func checksOf(p *shogi.Position) int {
	var buf shogi.MoveBuffer
	return len(p.Checks(&buf, shogi.AllMoves))
}

// glance settles what the rules alone settle: a check that is mate, a reply that leaves no check, and what is too long.
func (j *judge) glance(f *fate) {
	next := after(&j.q.position, f.move)
	switch {
	case j.defender && checksOf(&next) == 0:
		f.verdict = solver.NoMate
	case !j.defender && next.IsCheckmate():
		f.verdict, f.exact = solver.Mate, true
	case j.q.limits.Plies == 1:
		f.reason = solver.ReasonPlies
		if !j.defender {
			f.noMateWithin = 1
		}
	}
}

// open returns the moves that a search may yet decide and, where the shortest mates are asked for, those whose length may yet
// turn out to be that of the position.
func (j *judge) open(fates []*fate) (left []*fate) {
	// Of mates: the attacker needs no more than the least, the defender resists no less than longest.
	least, longest := math.MaxInt, 0
	for _, f := range fates {
		if f.verdict == solver.Mate {
			least, longest = min(least, f.plies()), max(longest, f.atLeast())
		}
	}
	known := j.whole.Verdict == solver.Mate && j.whole.Exact || !j.q.limits.Shortest
	for _, f := range fates {
		decisive := j.defender && f.plies() > longest || !j.defender && f.atLeast() < least
		if f.verdict == solver.Unknown && f.reason != solver.ReasonPlies || f.verdict == solver.Mate && !f.exact && decisive && !known {
			left = append(left, f)
		}
	}
	return left
}

// decide finds the fates that are open: first with a quick search of the position itself and of each move, questions that
// are the same from wherever the position is met. Once a reply is known to escape, that is all; else the position gets half
// of what is left, for it may settle every move at once, and it says which of equal moves is played; and what is left then
// is divided among the moves that need more.
func (j *judge) decide(fates []*fate) error {
	if len(j.open(fates)) > 0 {
		if err := j.askWhole(fates, min(j.quick, j.left/2), j.time/2); err != nil {
			return err
		}
	}
	share, asked := uint64(0), false
	for !j.noPlaces && j.why() == solver.NoReason {
		long := share > 0
		if long && j.escapes(fates) {
			break
		}
		if long && !asked && j.whole.Verdict == solver.Unknown && (len(j.open(fates)) > 0 || j.tied(fates)) && j.left/2 > j.quick {
			asked = true
			if err := j.askWhole(fates, j.left/2, j.time/2); err != nil {
				return err
			}
		}
		left := j.open(fates)
		if len(left) == 0 {
			break
		}
		next := roundDown(j.left / uint64(len(left)))
		switch {
		case !long:
			next = min(next, j.quick)
		case j.whole.Verdict == solver.NoMate: // some reply escapes, and to prove that of it takes about as much
			next = min(next, max(2*share, roundDown(4*j.whole.Nodes)))
		}
		// To search again from the start is worth it only with far more nodes, and takes a long search.
		if next == 0 || long && next < 2*share {
			break
		}
		share = next
		for i, f := range left {
			limit := j.time
			if long {
				limit /= time.Duration(len(left) - i)
			}
			if err := j.search(f, min(share, j.left), limit); err != nil {
				return err
			}
			if long && (j.noPlaces || j.escapes(fates)) {
				break
			}
		}
	}
	// What their last searches said was the end of those, and not what kept them from longer ones.
	for _, f := range j.open(fates) {
		switch {
		case j.escapes(fates):
			f.reason = reasonSettled
		case j.noPlaces:
			f.reason = reasonOverloaded
		default:
			f.reason = cmp.Or(j.why(), f.reason)
		}
	}
	if !j.defender {
		return j.refute(fates)
	}
	return nil
}

// escapes reports whether a reply is known that leaves no mate.
func (j *judge) escapes(fates []*fate) bool {
	return j.defender && slices.ContainsFunc(fates, func(f *fate) bool { return f.verdict == solver.NoMate })
}

// tied reports whether several mates are the best.
func (j *judge) tied(fates []*fate) bool {
	best, n := 0, 0
	for _, f := range fates {
		if f.verdict != solver.Mate {
			continue
		}
		switch c := cmp.Compare(f.plies(), best); {
		case n == 0, c < 0 && !j.defender, c > 0 && j.defender:
			best, n = f.plies(), 1
		case c == 0:
			n++
		}
	}
	return n > 1
}

// askWhole asks about the position itself, unless no solver takes the side that is to move.
func (j *judge) askWhole(fates []*fate, nodes uint64, limit time.Duration) error {
	if j.defender && j.twoKings || nodes == 0 || j.why() != solver.NoReason {
		return nil
	}
	r, err := j.ask(&j.q.position, j.within(j.q.limits.Plies, nodes), limit)
	if err != nil {
		return err
	}
	if r.Verdict != solver.Unknown || j.whole.Verdict == solver.Unknown {
		j.whole = r
	}
	j.learn(fates)
	return nil
}

// why returns why no more can be asked, NoReason if it can.
func (j *judge) why() solver.Reason {
	reason := solver.StopReason(j.ctx)
	switch {
	case reason != solver.NoReason:
	case j.time <= 0:
		reason = solver.ReasonTime
	case j.waits <= 0:
		reason = reasonOverloaded
	case j.left == 0:
		return solver.ReasonNodes
	default:
		return solver.NoReason
	}
	j.lasting = false
	return reason
}

// roundDown returns the largest power of two up to n, 0 for 0: so that the same position, met from elsewhere with a few
// moves more or less, is the same question.
func roundDown(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	return 1 << (bits.Len64(n) - 1)
}

// learn takes over what the result of the position itself says of its moves.
func (j *judge) learn(fates []*fate) {
	for _, f := range fates {
		switch w := &j.whole; {
		case w.Verdict == solver.NoMate && !j.defender:
			f.verdict = solver.NoMate
		case w.Verdict == solver.Mate && f.move == w.Line[0] && f.verdict != solver.Mate && (w.Exact || !j.q.limits.Shortest):
			f.verdict, f.line, f.exact = solver.Mate, w.Line[1:], w.Exact
		}
	}
}

// search asks what follows a move.
func (j *judge) search(f *fate, nodes uint64, limit time.Duration) error {
	if nodes == 0 || limit <= 0 || j.why() != solver.NoReason {
		return nil
	}
	next := after(&j.q.position, f.move)
	plies := max(0, j.q.limits.Plies-1)
	r, err := solver.Result{}, error(nil)
	if j.twoKings && !j.defender {
		r, err = j.reply(&next, plies, nodes, limit)
	} else {
		r, err = j.ask(&next, j.within(plies, nodes), limit)
	}
	if err != nil {
		return err
	}
	f.reason = r.Reason
	if r.NoMateWithin > 0 {
		f.noMateWithin = max(f.noMateWithin, r.NoMateWithin+1)
	}
	if f.verdict != solver.Mate || r.Verdict == solver.Mate && 1+len(r.Line) <= f.plies() {
		f.verdict, f.line, f.exact = r.Verdict, r.Line, r.Exact
	}
	f.exact = f.exact || f.verdict == solver.Mate && f.noMateWithin >= f.plies()-2
	return nil
}

// within returns the limits of a search that is to find what was asked for.
func (j *judge) within(plies int, nodes uint64) solver.Limits {
	return solver.Limits{Plies: plies, Nodes: nodes, Shortest: j.q.limits.Shortest}
}

// ask asks the searcher about one position, who may take the time limit for it.
func (j *judge) ask(p *shogi.Position, lim solver.Limits, limit time.Duration) (solver.Result, error) {
	q := &question{position: *p, attacker: j.q.attacker, sfen: p.ProblemSFEN(), time: max(limit, time.Millisecond),
		limits: lim, client: j.q.client}
	began := time.Now()
	f, source, err := j.s.find(j.ctx, q)
	var busy *busyError
	switch {
	case errors.As(err, &busy) && busy.long && len(j.s.lanes) > 1:
		j.noPlaces, j.lasting = true, false
		return solver.Result{Reason: reasonOverloaded}, nil
	case err != nil:
		return solver.Result{}, err
	}
	j.lasting = j.lasting && f.lasting
	j.spent += f.result.Nodes
	j.left -= min(j.left, f.result.Nodes)
	if source != "cache" {
		j.time -= f.elapsed
		j.waits -= max(0, time.Since(began)-f.elapsed)
	}
	return f.result, nil
}

// replies returns the defender's replies, those that leave the fewest checks first, and captures before others: where one
// refutes, it is early, and the plainest of those that do.
func replies(p *shogi.Position) []shogi.Move {
	type reply struct {
		move   shogi.Move
		checks int
		quiet  int
	}
	var buf shogi.MoveBuffer
	var all []reply
	for _, m := range p.Evasions(&buf, shogi.AllMoves) {
		next := after(p, m)
		r := reply{m, checksOf(&next), 1}
		if !m.IsDrop() && p.Piece(m.To()) != shogi.NoPiece {
			r.quiet = 0
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b reply) int { return cmp.Or(cmp.Compare(a.checks, b.checks), cmp.Compare(a.quiet, b.quiet)) })
	moves := make([]shogi.Move, len(all))
	for i, r := range all {
		moves[i] = r.move
	}
	return moves
}

// reply finds out what ask would of a position with the defender to move, by asking about every reply. It is for two
// kings on the board, where a solver takes the side to move for the attacker. The line of a NoMate is the refutation.
func (j *judge) reply(p *shogi.Position, plies int, nodes uint64, limit time.Duration) (solver.Result, error) {
	out := solver.Result{Verdict: solver.Mate, Exact: true} // of no replies at all
	moves, end := replies(p), j.time-limit
	for i, m := range moves {
		next := after(p, m)
		rest := uint64(len(moves) - i)
		switch {
		case checksOf(&next) == 0:
			return solver.Result{Verdict: solver.NoMate, Line: []shogi.Move{m}}, nil
		case plies == 1:
			return solver.Result{Reason: solver.ReasonPlies}, nil
		case nodes < rest:
			return solver.Result{Reason: solver.ReasonNodes}, nil
		case j.why() != solver.NoReason:
			return solver.Result{Reason: j.why()}, nil
		case j.time <= end:
			j.lasting = false
			return solver.Result{Reason: solver.ReasonTime}, nil
		}
		share := j.time - end
		if nodes > j.quick {
			share /= time.Duration(rest)
		}
		r, err := j.ask(&next, j.within(max(0, plies-1), nodes/rest), share)
		if err != nil {
			return r, err
		}
		nodes -= min(nodes, r.Nodes)
		switch {
		case r.Verdict == solver.NoMate:
			return solver.Result{Verdict: solver.NoMate, Line: []shogi.Move{m}}, nil
		case r.Verdict == solver.Unknown:
			out = solver.Result{Reason: cmp.Or(out.Reason, r.Reason)} // a later reply may still refute
		case out.Verdict == solver.Mate && 1+len(r.Line) > len(out.Line):
			out.Line, out.Exact = append([]shogi.Move{m}, r.Line...), r.Exact
		case out.Verdict == solver.Mate && 1+len(r.Line) == len(out.Line):
			out.Exact = out.Exact || r.Exact // the longest resistance is as long as that
		}
	}
	return out, nil
}

// refute finds a reply to each check that does not mate, as far as what is left of the limits allows: with quick searches
// first.
func (j *judge) refute(fates []*fate) error {
	for _, quickly := range []bool{true, false} {
		var left []*fate
		for _, f := range fates {
			if f.verdict == solver.NoMate && len(f.line) == 0 {
				left = append(left, f)
			}
		}
		for i, f := range left {
			if !quickly && j.noPlaces {
				return nil
			}
			if err := j.refuteOne(f, quickly, len(left)-i); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuteOne tries the replies to a check, one of some that are left.
func (j *judge) refuteOne(f *fate, quickly bool, some int) error {
	p := after(&j.q.position, f.move)
	moves := replies(&p)
	for i, m := range moves {
		next := after(&p, m)
		if checksOf(&next) > 0 {
			if j.why() != solver.NoReason {
				return nil
			}
			nodes, limit := min(j.left, j.quick), j.time
			if !quickly {
				parts := some * (len(moves) - i)
				nodes, limit = roundDown(j.left/uint64(parts)), j.time/time.Duration(parts)
				if nodes <= j.quick {
					return nil
				}
			}
			r, err := j.ask(&next, solver.Limits{Nodes: nodes}, limit)
			if err != nil {
				return err
			}
			if r.Verdict != solver.NoMate {
				continue
			}
		}
		f.line = []shogi.Move{m}
		return nil
	}
	return nil
}

// finding makes the answer.
func (j *judge) finding(fates []*fate, elapsed time.Duration) *finding {
	p, w := &j.q.position, &j.whole
	a := movesAnswer{SFEN: j.q.sfen, Attacker: j.q.attacker.String(), Side: "attacker", Moves: []moveAnswer{}, Nodes: j.spent}
	if j.defender {
		a.Side = "defender"
	}
	j.rank(fates)
	var n [3]int // of each verdict
	for _, f := range fates {
		n[f.verdict]++
		if f.verdict == solver.Unknown {
			a.Reason = cmp.Or(a.Reason, string(f.reason))
		}
	}
	verdict, best := w.Verdict, false
	switch {
	case j.defender && n[solver.NoMate] > 0, !j.defender && n[solver.NoMate] == len(fates):
		verdict, best = solver.NoMate, j.defender
	case !j.defender && n[solver.Mate] > 0, j.defender && n[solver.Mate] == len(fates):
		verdict, best = solver.Mate, len(fates) > 0
		plies, exact := 0, true
		if best {
			plies, exact = fates[0].plies(), j.isExact(fates)
		}
		if w.Verdict == solver.Mate && (w.Exact && !exact || len(w.Line) < plies) {
			plies, exact = len(w.Line), w.Exact
		}
		a.Plies, a.Exact = &plies, &exact
	case verdict == solver.Mate: // all replies lose, but not all are known to
		a.Plies, a.Exact = ptr(len(w.Line)), ptr(w.Exact)
	}
	a.Verdict = verdict.String()
	if best {
		a.Best = fates[0].move.String()
	}
	for _, f := range fates {
		line := append([]shogi.Move{f.move}, f.line...)
		m := moveAnswer{Move: f.move.String(), Verdict: f.verdict.String(), NoMateWithin: f.noMateWithin, Reason: string(f.reason), LineJa: notation.JapaneseLine(*p, line)}
		m.MoveJa = m.LineJa[0]
		for _, m1 := range line {
			m.Line = append(m.Line, m1.String())
		}
		switch f.verdict {
		case solver.Mate:
			m.Plies, m.Exact = ptr(f.plies()), &f.exact
		case solver.NoMate:
			m.NoMateWithin = 0
		}
		a.Moves = append(a.Moves, m)
	}
	core := encode(&a)
	core = core[: len(core)-len("}\n") : len(core)-len("}\n")]
	return &finding{solved: solved{verdict: a.Verdict, reason: a.Reason}, core: core,
		elapsed: elapsed, lasting: j.lasting, refused: j.noPlaces}
}

// rank puts the moves in order for the side that plays them.
func (j *judge) rank(fates []*fate) {
	w := &j.whole
	for _, f := range fates {
		if w.Verdict == solver.Mate && len(w.Line) > 0 && f.move == w.Line[0] && f.verdict == solver.Unknown {
			f.verdict, f.line, f.exact = solver.Mate, w.Line[1:], w.Exact // its own search did not come as far
		}
		// No mate is shorter than that of the position, and lengths differ by two.
		if bound := w.NoMateWithin; !j.defender && f.verdict == solver.Mate && (f.plies()-2 <= bound || w.Exact && w.Verdict == solver.Mate && f.plies() == len(w.Line)) {
			f.exact, f.reason = true, solver.NoReason
		}
	}
	value := func(f *fate) int {
		switch {
		case f.verdict == solver.NoMate:
			return 1 << 20
		case f.verdict == solver.Unknown:
			return 1 << 19
		case j.defender && w.Verdict == solver.Mate && w.Exact:
			return min(f.plies(), len(w.Line)) // no reply resists longer than that
		}
		return f.plies()
	}
	slices.SortStableFunc(fates, func(a, b *fate) int {
		c := value(a) - value(b)
		if j.defender {
			c = -c
		}
		if c == 0 && w.Verdict == solver.Mate && len(w.Line) > 0 {
			c = cmp.Compare(bit(b.move == w.Line[0]), bit(a.move == w.Line[0]))
		}
		return c
	})
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// isExact reports whether the length of the best move, which is a mate as all others of a defender are, is that of the
// position: proven itself, and no other move better, however long its mate takes.
func (j *judge) isExact(fates []*fate) bool {
	best := fates[0]
	if j.defender {
		return slices.ContainsFunc(fates, func(f *fate) bool { return f.exact && f.plies() == best.plies() })
	}
	return best.plies() == 1 || best.exact && !slices.ContainsFunc(fates, func(f *fate) bool {
		return f.verdict != solver.NoMate && f.noMateWithin < best.plies()-2 && !(f.exact && f.plies() >= best.plies())
	})
}
