package certificate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// replyNodes are for the search for a reply to one check.
const replyNodes = 1 << 20

// A Check is a check of the attacker on a line: the ply of the line, 1 for the first, and what he
// plays there instead.
type Check struct {
	Ply  int
	Move shogi.Move
}

// Sound writes a certificate that on a line of p the attacker's other checks do not mate: "no
// cook". The line may end before the mate. Those checks that known has are left open, without a
// search, and so are those that turn out to mate, or that the searches for a reply do not decide;
// all of these are returned. The certificate says so of them.
//
// Errors are as for NoMate, and there is one for a line with a move that is not legal or does not
// check. Nothing was written unless the error is that of w.
func Sound(ctx context.Context, w io.Writer, p shogi.Position, attacker shogi.Color,
	line []shogi.Move, known []Check, s solver.Closure, lim Limits) (open []Check, err error) {
	if err := beginning(&p, attacker); err != nil {
		return nil, err
	}
	c := newCloser(ctx, p, attacker, s, lim)
	root := p
	out := &words{w: w, hold: true}
	header(out, "sound", &p, attacker)
	out.line("plies " + strconv.Itoa(len(line)))
	for i, m := range line {
		if !p.IsLegal(m) || p.SideToMove() == attacker && !checks(p, m) {
			return nil, fmt.Errorf("certificate: ply %d of the line: %v is not legal or does not check",
				i+1, m)
		}
		out.word(m.String())
		if p.SideToMove() == attacker {
			left, err := c.others(out, &p, Check{i + 1, m}, known)
			if err != nil {
				return nil, err
			}
			open = append(open, left...)
		}
		out.line("")
		p.Do(m)
	}
	if err := c.close(root); err != nil {
		return nil, err
	}
	c.write(out, false)
	return open, out.flush()
}

func checks(p shogi.Position, m shogi.Move) bool {
	p.Do(m)
	return p.InCheck()
}

// others writes a word for each check but the main one, and returns those left open.
func (c *closer) others(out *words, p *shogi.Position, main Check, known []Check) ([]Check, error) {
	var open []Check
	var buf shogi.MoveBuffer
	for _, m := range sorted(p.Checks(&buf, shogi.AllMoves)) {
		check := Check{main.Ply, m}
		if check == main {
			continue
		}
		q := *p
		q.Do(m)
		reply, err := shogi.NoMove, ErrMate
		if !slices.Contains(known, check) {
			reply, err = c.cover(q, solver.Endless, replyNodes)
		}
		var undecided *UndecidedError
		switch {
		case err == nil:
			out.word(reply.String())
		case err == ErrMate, c.nodes > 0 &&
			errors.As(err, &undecided) && undecided.Reason == solver.ReasonNodes:
			out.word("?")
			open = append(open, check)
		default:
			return nil, err
		}
	}
	return open, nil
}
