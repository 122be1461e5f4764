package certificate

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
)

// Lengths are what Length asks: by the convention, and with every legal move counted.
type Lengths struct {
	F2, Raw length.Lengths
}

// Length writes a certificate that the length of p by convention, policy F2, is so many plies: a plan
// of the attacker with the futile interpositions and why they are, and a plan of the defender to hold
// out as long. The length must be known, and s knows those of the positions on the way.
//
// It returns an *UndecidedError if s does not suffice or the certificate would have more numbered
// positions than it may, the error of ctx or that of w. Nothing was written unless the error is that
// of w.
func Length(ctx context.Context, w io.Writer, p shogi.Position, attacker shogi.Color, plies int,
	s Lengths, lim Limits) error {
	if err := beginning(&p, attacker); err != nil {
		return err
	}
	l := lengthWriter{ctx: ctx, attacker: attacker, lengths: s, out: &words{w: w, hold: true},
		room: cmp.Or(lim.Members, DefaultMembers), boards: map[board][]int{}}
	header(l.out, "length", &p, attacker)
	l.out.line("plies " + strconv.Itoa(plies))
	l.out.line("least " + strconv.Itoa(plies))
	if p.SideToMove() == attacker {
		l.mate(p, plies, s.F2)
		l.out.line("")
		l.hold(p, plies)
	} else {
		l.defences(p, plies, s.F2)
		l.out.line("")
		l.holdOut(p, plies, beyond)
	}
	if l.err != nil {
		return l.err
	}
	l.out.hold = false
	return l.out.flush()
}

// ErrNoMate is the error of a certificate of a length where there is no mate.
var ErrNoMate = errors.New("certificate: the attacker does not mate")

// FindLength finds the length of p by convention and writes its certificate. Each of the steps has
// the nodes of the limits: the mate, its length, and the certificate. Besides the errors of Length
// there is ErrNoMate.
func FindLength(ctx context.Context, w io.Writer, p shogi.Position, attacker shogi.Color, s solver.Session,
	lim Limits) error {
	r := s.Ask(ctx, solver.Question{Position: p, Attacker: attacker, Limits: solver.Limits{Nodes: lim.Nodes}})
	switch r.Verdict {
	case solver.NoMate:
		return ErrNoMate
	case solver.Unknown:
		return &UndecidedError{SFEN: p.SFEN(), Reason: r.Reason}
	}
	engine := length.NewEngine(s)
	engine.Begin(attacker, length.F2)
	plies, reason := engine.Within(ctx, p, r.Plies(), lim.Nodes)
	if reason != solver.NoReason {
		return &UndecidedError{SFEN: p.SFEN(), Reason: reason}
	}
	raw := length.NewEngine(s)
	raw.Begin(attacker, length.F0)
	nodes := cmp.Or(lim.Nodes, math.MaxUint64)
	return Length(ctx, w, p, attacker, plies, Lengths{F2: engine.Budget(ctx, nodes), Raw: raw.Budget(ctx, nodes)}, lim)
}

type board [shogi.NumSquares]shogi.Piece

// A lengthWriter writes both plans. Once err is set it does nothing any more.
type lengthWriter struct {
	ctx      context.Context
	attacker shogi.Color
	lengths  Lengths
	out      *words
	room     int // for numbered positions
	steps    int
	numbered []numberedLength
	boards   map[board][]int // numbered positions with a board
	err      error
}

// A numberedLength is a position with the attacker to move and a number.
type numberedLength struct {
	mates        bool // it is one of the attacker's plan
	plies        int  // at most, or at least
	simple       bool // the plan holds for better hands as well
	mine, theirs shogi.Hand
}

// fail ends the certificate unless it has ended.
func (l *lengthWriter) fail(p *shogi.Position, reason solver.Reason) {
	if l.err == nil {
		l.err = &UndecidedError{p.SFEN(), reason}
	}
}

// failed reports whether the certificate has ended, and looks now and then whether it has to.
func (l *lengthWriter) failed() bool {
	if l.steps++; l.err == nil && l.steps%256 == 0 {
		l.err = l.ctx.Err()
	}
	return l.err != nil
}

func boardOf(p *shogi.Position) board { return p.Setup().Board }

// number gives the position the next number.
func (l *lengthWriter) number(p *shogi.Position, mates bool, plies int, simple bool) {
	if l.room--; l.room < 0 {
		l.fail(p, solver.ReasonMembers)
	}
	b := boardOf(p)
	l.boards[b] = append(l.boards[b], len(l.numbered))
	l.numbered = append(l.numbered, numberedLength{mates, plies, simple,
		p.Hand(l.attacker), p.Hand(l.attacker.Opponent())})
}

// find returns the number of a position whose plan is one for p, 0 if there is none.
func (l *lengthWriter) find(p *shogi.Position, mates bool, plies int, simple bool) (number int) {
	mine, theirs := p.Hand(l.attacker), p.Hand(l.attacker.Opponent())
	for _, i := range l.boards[boardOf(p)] {
		n := &l.numbered[i]
		same := n.mine == mine && n.theirs == theirs
		switch {
		case n.mates != mates || simple && !n.simple:
		case mates && n.plies <= plies && (same || n.simple && mine.Covers(n.mine) && n.theirs.Covers(theirs)),
			!mates && n.plies >= plies && (same || n.simple && n.mine.Covers(mine) && theirs.Covers(n.theirs)):
			return i + 1
		}
	}
	return 0
}

// A checkLine is the line of a check by a slider alone: the drops on it may be futile.
type checkLine struct {
	king, slider shogi.Square
	squares      shogi.Bitboard
}

func lineOf(p *shogi.Position) (l checkLine) {
	l.king = p.King(p.SideToMove())
	if checkers := p.Checkers(); !checkers.IsEmpty() && !checkers.HasMany() {
		l.slider = checkers.First()
		l.squares = shogi.Between(l.king, l.slider)
	}
	return l
}

// beyond is farther from the king than any drop.
const beyond = 9

// away returns how far from the king a drop on the line is, and 0 for other replies.
func (l *checkLine) away(m shogi.Move) int {
	if !m.IsDrop() || !l.squares.Has(m.To()) {
		return 0
	}
	return l.king.Distance(m.To())
}

// captures returns the positions after the slider has taken the dropped piece, which is set aside.
func (l *checkLine) captures(p shogi.Position, drop shogi.Move) (moves []shogi.Move, after []shogi.Position) {
	p.Do(drop)
	for _, m := range [...]shogi.Move{shogi.NewMove(l.slider, drop.To()), shogi.NewPromotion(l.slider, drop.To())} {
		if !p.IsLegal(m) {
			continue
		}
		q := p
		q.Do(m)
		if q.InCheck() {
			q.SetAside(p.SideToMove(), drop.Dropped())
			moves, after = append(moves, m), append(after, q)
		}
	}
	return moves, after
}

// mate writes the attacker's plan for p, whose length is at most so many plies. It returns those of
// the plan, and whether nothing in it is futile.
func (l *lengthWriter) mate(p shogi.Position, most int, by length.Lengths) (plies int, simple bool) {
	if l.failed() {
		return most, false
	}
	if k := l.find(&p, true, most, by == l.lengths.Raw); k > 0 {
		l.out.word("=" + strconv.Itoa(k))
		return l.numbered[k-1].plies, l.numbered[k-1].simple
	}
	n, ok := by.Within(p, most)
	if !ok || n > most {
		l.fail(&p, solver.ReasonNodes)
		return most, false
	}
	for _, m := range length.PreferredChecks(&p) {
		q := p.After(m)
		if got, ok := by.Within(q, n-1); !ok || got >= n {
			continue
		}
		word := m.String()
		if n > 1 {
			word += "!"
		}
		l.out.word(word)
		plies, simple = l.defences(q, n-1, by)
		if plies++; n > 1 {
			l.number(&p, true, plies, simple)
		}
		return plies, simple
	}
	l.fail(&p, solver.ReasonNodes)
	return most, false
}

// defences is mate with the defender to move.
func (l *lengthWriter) defences(p shogi.Position, most int, by length.Lengths) (plies int, simple bool) {
	list, ok := by.Replies(p, most)
	if !ok {
		l.fail(&p, solver.ReasonNodes)
		return most, false
	}
	return l.answers(p, list, beyond, by)
}

// answers writes the attacker's plans after the replies nearer to the king than a square.
func (l *lengthWriter) answers(p shogi.Position, list []length.Reply, nearer int,
	by length.Lengths) (plies int, simple bool) {
	line := lineOf(&p)
	list = slices.DeleteFunc(slices.Clone(list), func(r length.Reply) bool { return line.away(r.Move) >= nearer })
	moves := make([]shogi.Move, len(list))
	for i, r := range list {
		moves[i] = r.Move
	}
	simple = true
	for _, m := range sorted(moves) {
		if l.err != nil {
			return 0, false
		}
		r := list[slices.Index(moves, m)]
		if r.Futile == length.NotFutile {
			n, plain := l.mate(p.After(m), r.Length-1, by)
			plies, simple = max(plies, n+1), simple && plain
			continue
		}
		simple = false
		here := 0 // how long the defender can last nearer to his king
		for _, other := range list {
			if other.Futile == length.NotFutile && line.away(other.Move) < line.away(m) {
				here = max(here, other.Length)
			}
		}
		if n := l.futile(p, &line, r, here); n > 0 {
			l.holdOut(p, n, line.away(m))
		}
	}
	return plies, simple
}

// futile writes the capture which shows that a drop is futile, and the plan after it, of which it
// returns the plies: with the dropped piece in the defender's hand again if that mates as soon, since
// the plan is then the same for all drops on the square.
func (l *lengthWriter) futile(p shogi.Position, line *checkLine, r length.Reply, here int) (plies int) {
	moves, positions := line.captures(p, r.Move)
	i := slices.Index(moves, r.Capture)
	if i < 0 {
		l.fail(&p, solver.ReasonUnverified)
		return 0
	}
	back := p.After(r.Move)
	back.Do(r.Capture)
	back.GiveAway(l.attacker, p.Hand(l.attacker))
	if n, ok := l.lengths.Raw.Within(back, here); ok && n <= here {
		l.out.word("x" + r.Capture.String() + "^")
		plies, _ = l.defences(back, n, l.lengths.Raw)
		return plies
	}
	n, ok := l.lengths.F2.Within(positions[i], here)
	if !ok || n > here {
		l.fail(&p, solver.ReasonNodes)
		return 0
	}
	l.out.word("x" + r.Capture.String())
	plies, _ = l.defences(positions[i], n, l.lengths.F2)
	return plies
}

// hold writes the defender's plan to last so many plies in p, with the attacker to move. It returns
// whether it is one for better hands, too.
func (l *lengthWriter) hold(p shogi.Position, plies int) (simple bool) {
	simple = true
	if plies <= 1 || l.failed() {
		return simple
	}
	var buf shogi.MoveBuffer
	for _, m := range sorted(p.Checks(&buf, shogi.AllMoves)) {
		plain := l.holdOut(p.After(m), plies-1, beyond)
		simple = simple && plain
	}
	return simple
}

// holdOut is hold with the defender to move, by replies nearer to the king than a square.
func (l *lengthWriter) holdOut(p shogi.Position, plies, nearer int) (simple bool) {
	if plies <= 0 || l.failed() {
		return true
	}
	line := lineOf(&p)
	var buf shogi.MoveBuffer
	var moves, drops []shogi.Move
	for _, m := range sorted(p.Evasions(&buf, shogi.AllMoves)) {
		switch k := line.away(m); {
		case k == 0:
			moves = append(moves, m)
		case k < nearer:
			drops = append(drops, m)
		}
	}
	if plies <= 2 && len(moves) > 0 {
		return true // any of them will do
	}
	for _, m := range slices.Concat(moves, drops) {
		q := p.After(m)
		if k := l.find(&q, false, plies-1, false); k > 0 && l.lasts(p, &line, m, plies) {
			l.out.word(m.String() + "=" + strconv.Itoa(k))
			plain := l.holdCaptures(p, &line, m, plies)
			return l.numbered[k-1].simple && plain
		}
	}
	checks := func(q shogi.Position) int { return q.CountChecks() }
	fewest := func(a, b shogi.Move) int { return checks(p.After(a)) - checks(p.After(b)) }
	slices.SortStableFunc(moves, fewest)
	slices.SortStableFunc(drops, func(a, b shogi.Move) int {
		return cmp.Or(line.away(a)-line.away(b), fewest(a, b))
	})
	for _, m := range slices.Concat(moves, drops) {
		q := p.After(m)
		if n, _ := l.lengths.F2.Within(q, plies-2); n > plies-2 && l.lasts(p, &line, m, plies) {
			plain := l.holdAfter(m.String(), q, plies-1)
			return l.holdCaptures(p, &line, m, plies) && plain
		}
	}
	l.holdByDrop(p, &line, drops, plies)
	return false
}

// lasts reports whether the defender lasts as long if a drop is taken at once and set aside.
func (l *lengthWriter) lasts(p shogi.Position, line *checkLine, m shogi.Move, plies int) bool {
	if line.away(m) == 0 {
		return true
	}
	_, positions := line.captures(p, m)
	for _, q := range positions {
		if n, _ := l.lengths.F2.Within(q, plies-2); n <= plies-2 {
			return false
		}
	}
	return true
}

// holdAfter writes a reply, and the plan after it.
func (l *lengthWriter) holdAfter(word string, q shogi.Position, plies int) (simple bool) {
	if plies <= 1 {
		l.out.word(word)
		return true
	}
	l.out.word(word + "!")
	simple = l.hold(q, plies)
	l.number(&q, false, plies, simple)
	return simple
}

// holdCaptures writes the plans after the captures of a drop.
func (l *lengthWriter) holdCaptures(p shogi.Position, line *checkLine, m shogi.Move, plies int) (simple bool) {
	simple = true
	if line.away(m) > 0 {
		_, positions := line.captures(p, m)
		for _, q := range positions {
			plain := l.holdOut(q, plies, beyond)
			simple = simple && plain
		}
	}
	return simple
}

// holdByDrop writes a drop that is not futile because it lasts longer, taken at once and set aside,
// than all that the defender has nearer to his king: with the attacker's plan for that.
func (l *lengthWriter) holdByDrop(p shogi.Position, line *checkLine, drops []shogi.Move, plies int) {
	list, _ := l.lengths.F2.Replies(p, length.Unbounded)
	for _, m := range drops {
		q := p.After(m)
		if n, _ := l.lengths.F2.Within(q, plies-2); n <= plies-2 {
			continue
		}
		here := 0
		for _, r := range list {
			if r.Futile == length.NotFutile && line.away(r.Move) < line.away(m) {
				here = max(here, r.Length)
			}
		}
		if here >= length.Unbounded || !l.lasts(p, line, m, here+2) {
			continue
		}
		l.out.word(m.String() + "?")
		n, _ := l.answers(p, list, line.away(m), l.lengths.F2)
		l.holdCaptures(p, line, m, n+2)
		l.hold(q, plies-1)
		return
	}
	l.fail(&p, solver.ReasonNodes)
}
