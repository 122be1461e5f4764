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
	Nodes   uint64 // of the search of the position and all that is searched again; 0: any number
	Members int    // positions in the certificate; 0: DefaultMembers
}

// DefaultMembers is how many positions a certificate may have, unless Limits says otherwise. The
// checker has room for as many.
const DefaultMembers = 100_000

// NoMate writes a certificate that the attacker cannot force mate in p at any length. Either side
// may be to move; the defender must have a king, and be in check if it is his move. The closed set
// is that of s, which need not have searched p before.
//
// It returns ErrMate if there is a mate, an *UndecidedError if limits ran out or ctx ended, the
// error of w, or another one if p cannot have a certificate. Nothing was written unless the error is
// that of w. The same question gets the same certificate, if what s was asked before is the same
// and ctx does not end.
func NoMate(ctx context.Context, w io.Writer, p shogi.Position, attacker shogi.Color,
	s solver.Closure, lim Limits) error {
	return noMate(ctx, w, p, attacker, solver.Endless, s, lim)
}

// NoMateWithin writes a certificate that the attacker cannot force mate in p in so many plies or
// fewer, like NoMate. Together with one of a mate it says how long the shortest mate is.
func NoMateWithin(ctx context.Context, w io.Writer, p shogi.Position, attacker shogi.Color,
	plies int, s solver.Closure, lim Limits) error {
	return noMate(ctx, w, p, attacker, min(plies, solver.Endless-1), s, lim)
}

func noMate(ctx context.Context, w io.Writer, p shogi.Position, attacker shogi.Color,
	plies int, s solver.Closure, lim Limits) error {
	if err := beginning(&p, attacker); err != nil {
		return err
	}
	c := newCloser(ctx, p, attacker, s, lim)
	out := &words{w: w, hold: true}
	kind := "nomate"
	if plies < solver.Endless {
		kind = "within"
	}
	header(out, kind, &p, attacker)
	if plies < solver.Endless {
		out.line("plies " + strconv.Itoa(plies))
	}
	reply, err := c.cover(p, plies)
	if err != nil {
		return err
	}
	if reply != shogi.NoMove {
		out.line(reply.String())
	}
	if err := c.close(p); err != nil {
		return err
	}
	c.write(out, plies < solver.Endless)
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

// A closer has a closed set made within limits.
type closer struct {
	ctx      context.Context
	attacker shogi.Color
	set      solver.Closure
	nodes    uint64 // left
	members  int    // at most
}

func newCloser(ctx context.Context, p shogi.Position, attacker shogi.Color, s solver.Closure,
	lim Limits) *closer {
	s.Begin(p, attacker)
	return &closer{ctx: ctx, attacker: attacker, set: s, nodes: cmp.Or(lim.Nodes, 1<<62),
		members: cmp.Or(lim.Members, DefaultMembers)}
}

// cover has the set cover p, or the position after the reply that it returns.
func (c *closer) cover(p shogi.Position, plies int) (shogi.Move, error) {
	reply, d := c.set.Cover(c.ctx, p, plies, c.nodes)
	return reply, c.decided(p, d)
}

// close finds the replies of the members.
func (c *closer) close(p shogi.Position) error {
	if c.nodes == 0 {
		return &UndecidedError{p.SFEN(), solver.ReasonNodes}
	}
	return c.decided(p, c.set.Close(c.ctx, c.members, c.nodes))
}

// decided counts the nodes, and returns the error of what is no NoMate.
func (c *closer) decided(p shogi.Position, d solver.Decision) error {
	c.nodes -= min(d.Nodes, c.nodes)
	switch d.Verdict {
	case solver.NoMate:
		return nil
	case solver.Mate:
		return ErrMate
	}
	return &UndecidedError{p.SFEN(), d.Reason}
}

// write writes the members, and whatever out has held back.
func (c *closer) write(out *words, bounded bool) {
	out.hold = false
	for _, m := range c.set.Members() {
		board, _, _ := strings.Cut(m.Position.SFEN(), " ")
		line := []byte(board + " " + m.Position.Hand(c.attacker).String())
		if bounded {
			line = strconv.AppendInt(append(line, ' '), int64(m.Plies), 10)
		}
		line = append(line, " :"...)
		for _, check := range sorted(m.Checks) {
			line = m.Replies[slices.Index(m.Checks, check)].AppendUSI(append(line, ' '))
		}
		out.line(string(line))
	}
}
