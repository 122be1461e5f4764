package certificate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// ErrMate says that there is no certificate because the attacker mates.
var ErrMate = errors.New("certificate: the attacker mates")

// An UndecidedError says that the search for a certificate ran out of what it was given.
type UndecidedError struct {
	SFEN   string        // the position that was not decided
	Reason solver.Reason // solver.ReasonNodes, ReasonTime and so on
}

// Error describes what ran out.
func (e *UndecidedError) Error() string {
	return fmt.Sprintf("certificate: %s is not decided: %s", e.SFEN, e.Reason)
}

// Limits bound the search for a certificate. The zero value is the default.
type Limits struct {
	Nodes   uint64 // of all searches together; 0: any number
	Members int    // positions in the certificate; 0: DefaultMembers
}

// DefaultMembers is how many positions a certificate may have, unless Limits says otherwise. The
// checker has room for as many.
const DefaultMembers = 100_000

// NoMate writes a certificate that the attacker cannot force mate in p at any length. Either side
// may be to move; the defender must have a king, and be in check if it is his move. The searches of
// s find the replies; most of them are small.
//
// It returns ErrMate if there is a mate, an *UndecidedError if limits ran out or ctx ended, the
// error of w, or another one if p cannot have a certificate. Nothing was written unless the error is
// that of w. The same question gets the same certificate if s is of one thread and ctx does not end.
func NoMate(ctx context.Context, w io.Writer, p shogi.Position, attacker shogi.Color,
	s solver.Solver, lim Limits) error {
	return noMate(ctx, w, p, attacker, forever, s, lim)
}

// NoMateWithin writes a certificate that the attacker cannot force mate in p in so many plies or
// fewer, like NoMate. Together with one of a mate it says how long the shortest mate is.
func NoMateWithin(ctx context.Context, w io.Writer, p shogi.Position, attacker shogi.Color,
	plies int, s solver.Solver, lim Limits) error {
	return noMate(ctx, w, p, attacker, min(plies, forever-1), s, lim)
}

func noMate(ctx context.Context, w io.Writer, p shogi.Position, attacker shogi.Color,
	plies int, s solver.Solver, lim Limits) error {
	if err := beginning(&p, attacker); err != nil {
		return err
	}
	c := newCloser(ctx, attacker, plies, s, lim)
	out := &words{w: w, hold: true}
	if plies == forever {
		header(out, "nomate", &p, attacker)
	} else {
		header(out, "within", &p, attacker)
		out.line("plies " + strconv.Itoa(plies))
	}
	if p.SideToMove() == attacker {
		if err := c.root(&p, plies); err != nil {
			return err
		}
	} else {
		reply, err := c.reply(&p, plies)
		if err != nil {
			return err
		}
		out.line(reply.String())
	}
	if err := c.close(); err != nil {
		return err
	}
	c.write(out)
	return out.flush()
}

// beginning returns why p is no position of which a certificate can be.
func beginning(p *shogi.Position, attacker shogi.Color) error {
	switch {
	case p.King(attacker.Opponent()) == shogi.NoSquare:
		return errors.New("certificate: the defender has no king")
	case p.SideToMove() != attacker && !p.InCheck():
		return errors.New("certificate: the defender is to move and not in check")
	}
	return nil
}

// forever is the plies of a mate at any length.
const forever = 1 << 30

// A closer finds a closed set: positions with the attacker to move, of which each has for each
// check a reply to a position that one of them covers.
type closer struct {
	ctx      context.Context
	attacker shogi.Color
	bounded  bool
	solver   solver.Solver
	nodes    uint64 // left
	room     int    // for members
	members  []member
	boards   map[board][]int // members with a board
}

type board [shogi.NumSquares]shogi.Piece

type member struct {
	position shogi.Position
	plies    int
	replies  []shogi.Move
}

func newCloser(ctx context.Context, attacker shogi.Color, plies int, s solver.Solver,
	lim Limits) *closer {
	c := &closer{ctx: ctx, attacker: attacker, bounded: plies < forever, solver: s,
		nodes: cmp.Or(lim.Nodes, 1<<62), room: cmp.Or(lim.Members, DefaultMembers),
		boards: map[board][]int{}}
	return c
}

func boardOf(p *shogi.Position) board { return p.Setup().Board }

// covered reports whether nothing more need be shown of p, with the attacker to move.
func (c *closer) covered(p *shogi.Position, plies int) bool {
	if plies < 1 {
		return true
	}
	for _, i := range c.boards[boardOf(p)] {
		m := &c.members[i]
		if m.plies >= plies && m.position.Hand(c.attacker).Covers(p.Hand(c.attacker)) {
			return true
		}
	}
	var buf shogi.MoveBuffer
	for _, m := range p.Checks(&buf, shogi.AllMoves) {
		if plies > 2 {
			return false
		}
		q := *p
		q.Do(m)
		if q.IsCheckmate() {
			return false
		}
	}
	return true
}

// add makes p a member.
func (c *closer) add(p *shogi.Position, plies int) error {
	if c.room--; c.room < 0 {
		return &UndecidedError{p.SFEN(), ReasonMembers}
	}
	if !c.bounded {
		plies = forever
	}
	b := boardOf(p)
	c.boards[b] = append(c.boards[b], len(c.members))
	c.members = append(c.members, member{position: *p, plies: plies})
	return nil
}

// ReasonMembers says that a certificate would have more positions than Limits.Members.
const ReasonMembers solver.Reason = "limit_members"

// root begins with p, the attacker to move.
func (c *closer) root(p *shogi.Position, plies int) error {
	if c.covered(p, plies) {
		return nil
	}
	verdict, reason := c.ask(p, plies, c.nodes)
	switch verdict {
	case solver.Mate:
		return ErrMate
	case solver.Unknown:
		return &UndecidedError{p.SFEN(), reason}
	}
	return c.add(p, plies)
}

// ask returns NoMate if there is no mate in so many plies, Mate if there is one.
func (c *closer) ask(p *shogi.Position, plies int, nodes uint64) (solver.Verdict, solver.Reason) {
	if c.nodes == 0 {
		return solver.Unknown, solver.ReasonNodes
	}
	lim := solver.Limits{Nodes: min(nodes, c.nodes)}
	if c.bounded {
		lim.Plies = plies
	}
	r := c.solver.Solve(c.ctx, *p, lim)
	c.nodes -= min(r.Nodes, c.nodes)
	switch {
	case r.Verdict == solver.Mate && (!c.bounded || r.Plies() <= plies):
		return solver.Mate, solver.NoReason
	case r.Verdict == solver.NoMate || c.bounded && r.NoMateWithin >= plies:
		return solver.NoMate, solver.NoReason
	case r.Verdict == solver.Mate && r.Exact:
		return solver.NoMate, solver.NoReason
	}
	return solver.Unknown, r.Reason
}

// rungs are the nodes of the searches for a reply: each reply is asked about with few nodes before
// any is with more, as the one that is easiest to refute has the smallest set below it.
var rungs = [...]uint64{16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1 << 20}

// reply returns a reply to the check that the defender of p is in, to a position that is covered or
// becomes a member.
func (c *closer) reply(p *shogi.Position, plies int) (shogi.Move, error) {
	type candidate struct {
		move   shogi.Move
		after  shogi.Position
		checks int
	}
	var buf shogi.MoveBuffer
	var open []candidate
	for _, m := range sorted(p.Evasions(&buf, shogi.AllMoves)) {
		q := *p
		q.Do(m)
		if c.covered(&q, plies-1) {
			return m, nil
		}
		open = append(open, candidate{move: m, after: q})
	}
	for i := range open {
		open[i].checks = len(open[i].after.Checks(&buf, shogi.AllMoves))
	}
	slices.SortStableFunc(open, func(a, b candidate) int { return cmp.Compare(a.checks, b.checks) })
	reason := solver.NoReason
	for _, nodes := range rungs {
		left := open[:0]
		for _, o := range open {
			verdict, why := c.ask(&o.after, plies-1, nodes)
			switch verdict {
			case solver.NoMate:
				return o.move, c.add(&o.after, plies-1)
			case solver.Unknown:
				if stop := solver.StopReason(c.ctx); stop != solver.NoReason {
					return 0, &UndecidedError{p.SFEN(), stop}
				}
				left, reason = append(left, o), why
			}
		}
		open = left
	}
	if len(open) == 0 {
		return 0, ErrMate
	}
	return 0, &UndecidedError{p.SFEN(), reason}
}

// close finds the replies of the members, and of those that become members by them.
func (c *closer) close() error {
	for i := 0; i < len(c.members); i++ {
		var buf shogi.MoveBuffer
		p, plies := c.members[i].position, c.members[i].plies
		checks := sorted(p.Checks(&buf, shogi.AllMoves))
		replies := make([]shogi.Move, len(checks))
		for k, m := range checks {
			q := p
			q.Do(m)
			var err error
			if replies[k], err = c.reply(&q, plies-1); err != nil {
				return err
			}
		}
		c.members[i].replies = replies
	}
	return nil
}

// write writes the members, and whatever out has held back.
func (c *closer) write(out *words) {
	out.hold = false
	for i := range c.members {
		m := &c.members[i]
		board, _, _ := strings.Cut(m.position.SFEN(), " ")
		line := []byte(board + " " + m.position.Hand(c.attacker).String())
		if c.bounded {
			line = strconv.AppendInt(append(line, ' '), int64(m.plies), 10)
		}
		line = append(line, " :"...)
		for _, r := range m.replies {
			line = r.AppendUSI(append(line, ' '))
		}
		out.line(string(line))
	}
}
