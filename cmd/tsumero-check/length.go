package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Lengths by convention: the attacker's plan shows that they are no more, the defender's that they
// are no less.

// A measured position is one with the attacker to move that words may refer to.
type measured struct {
	position
	mates  bool // it is one of the attacker's plan
	plies  int  // at most, or at least
	simple bool // the plan holds for better hands as well
}

// suits reports whether the plan of m is one for p.
func (m *measured) suits(p *position) bool {
	mine, theirs := p.side, 1-p.side
	if p.board != m.board {
		return false
	}
	a, b := m.hands, p.hands
	if m.mates {
		a, b = b, a
	}
	return p.hands == m.hands || m.simple && a[mine].covers(b[mine]) && b[theirs].covers(a[theirs])
}

// length reads both plans for p and returns what they prove.
func (c *checker) length(p position, plies int) string {
	least := number(c.after("least"))
	require(least <= plies, "the length cannot be at least %d and at most %d", least, plies)
	if p.side == c.attacker {
		n, _ := c.mates(p, 0)
		require(n <= plies, "the plan mates in %d plies, not %d", n, plies)
		c.holds(p, least, 0)
	} else {
		n, _ := c.answers(p, beyond, 0)
		require(n <= plies, "the plan mates in %d plies, not %d", n, plies)
		c.holdsOut(p, least, beyond, 0)
	}
	require(c.word() == "", "there is more after the end")
	if least < plies {
		return fmt.Sprintf("mate by convention in %d to %d plies", least, plies)
	}
	return fmt.Sprintf("mate by convention in %d plies", plies)
}

// reference returns the position with the number that a word has.
func (c *checker) reference(text string, mates bool) *measured {
	k := number(text)
	require(k > 0 && k <= len(c.measured) && c.measured[k-1].mates == mates, "there is no such position")
	return &c.measured[k-1]
}

func (c *checker) measure(m measured) {
	c.remember(256)
	c.measured = append(c.measured, m)
}

// mates reads the attacker's plan for p and returns in how many plies it mates, and whether nothing
// in it is futile. Then it mates with more in hand, and less in the defender's, too.
func (c *checker) mates(p position, depth int) (plies int, simple bool) {
	require(depth <= maxDepth, "a line has more than %d plies", maxDepth)
	text, rest, named := strings.Cut(c.word(), "!")
	require(rest == "", "this is no move")
	if text, ok := strings.CutPrefix(text, "="); ok {
		m := c.reference(text, true)
		require(!named && m.suits(&p), "it is another position")
		return m.plies, m.simple
	}
	plies, simple = c.answers(p.play(text, true), beyond, depth+1)
	if plies++; named {
		c.measure(measured{p, true, plies, simple})
	}
	return plies, simple
}

// answers reads the plans after the replies nearer to the king than a square.
func (c *checker) answers(p position, nearer, depth int) (plies int, simple bool) {
	line := p.line()
	simple = true
	for _, m := range p.moves(false) {
		away := line.away(m)
		if away >= nearer {
			continue
		}
		word := c.peek()
		capture, isFutile := strings.CutPrefix(word, "x")
		if !isFutile {
			n, plain := c.mates(p.after(m), depth+1)
			plies, simple = max(plies, n+1), simple && plain
			continue
		}
		c.word()
		simple = false
		require(away > 0, "%v can be no futile drop", m)
		capture, back := strings.CutSuffix(capture, "^")
		captures := line.captures(p, m)
		i := slices.IndexFunc(captures, func(m taking) bool { return m.move.String() == capture })
		require(i >= 0, "the piece that checks cannot take so")
		q := captures[i].position
		if back {
			q.hands[q.side][m.drop]++
		}
		n, plain := c.answers(q, beyond, depth+2)
		require(plain || !back, "the piece that was taken is in play")
		c.holdsOut(p, n, away, depth)
	}
	return plies, simple
}

// holds reads the defender's plan to last so many plies in p, with the attacker to move. It returns
// whether it is one for a better hand, too.
func (c *checker) holds(p position, plies, depth int) (simple bool) {
	require(depth <= maxDepth, "a line has more than %d plies", maxDepth)
	simple = true
	if plies <= 1 {
		return simple
	}
	for _, m := range p.moves(true) {
		plain := c.holdsOut(p.after(m), plies-1, beyond, depth+1)
		simple = simple && plain
	}
	return simple
}

// holdsOut is holds with the defender to move, by replies nearer to the king than a square.
func (c *checker) holdsOut(p position, plies, nearer, depth int) (simple bool) {
	if plies <= 0 {
		return true
	}
	line, moves := p.line(), p.moves(false)
	if plies <= 2 && slices.ContainsFunc(moves, func(m move) bool { return line.away(m) == 0 }) {
		return true
	}
	word := c.word()
	end := cmp.Or(strings.IndexAny(word+"!", "!=?"), len(word))
	text, mark := word[:end], word[end:]
	i := slices.IndexFunc(moves, func(m move) bool { return m.String() == text })
	require(i >= 0 && line.away(moves[i]) < nearer, "this is no legal reply, or not near enough to the king")
	m := moves[i]
	q, captures, last := p.after(m), line.captures(p, m), plies
	simple = true
	switch {
	case mark == "?":
		// What is nearer to the king lasts less long than the drop when it is taken.
		require(line.away(m) > 0, "%v can be no futile drop", m)
		n, _ := c.answers(p, line.away(m), depth)
		simple, last = false, n+2
	case strings.HasPrefix(mark, "="):
		known := c.reference(mark[1:], false)
		require(known.suits(&q) && known.plies >= plies-1, "it is another position")
		simple = known.simple
	default:
		require(mark == "" || mark == "!", "this is no reply")
		simple = c.holds(q, plies-1, depth+1)
		if mark == "!" {
			c.measure(measured{q, false, plies - 1, simple})
		}
	}
	for _, t := range captures {
		plain := c.holdsOut(t.position, last, beyond, depth+2)
		simple = simple && plain
	}
	if mark == "?" {
		c.holds(q, plies-1, depth+1)
	}
	return simple
}

// beyond is farther from the king than any drop.
const beyond = 9

// A checkLine is the line of a check by a slider alone: the squares from the king outwards.
type checkLine struct {
	slider  int
	squares []int
}

// line returns that of the check in which the side to move stands, one without squares if there is
// none.
func (p *position) line() (line checkLine) {
	king := slices.Index(p.board[:], uint8(king<<1|p.side))
	checkers := 0
	for from, piece := range p.board {
		if !isOf(piece, 1-p.side) {
			continue
		}
		for _, ray := range rays[piece][from] {
			for i, to := range ray {
				if to == king {
					checkers++
					line = checkLine{from, slices.Clone(ray[:i])}
				}
				if p.board[to] > 0 {
					break
				}
			}
		}
	}
	if checkers != 1 {
		return checkLine{}
	}
	slices.Reverse(line.squares)
	return line
}

// away returns how far from the king a drop on the line is, and 0 for other moves.
func (l *checkLine) away(m move) int {
	if m.drop == 0 {
		return 0
	}
	return slices.Index(l.squares, m.to) + 1
}

// A taking is a capture of a dropped piece, and the position after it with the piece set aside.
type taking struct {
	move     move
	position position
}

// captures returns those of a drop on the line by the piece that checks, with check.
func (l *checkLine) captures(p position, drop move) (list []taking) {
	if l.away(drop) == 0 {
		return nil
	}
	p = p.after(drop)
	for _, m := range p.moves(true) {
		if m.drop == 0 && m.from == l.slider && m.to == drop.to {
			q := p.after(m)
			q.hands[p.side][drop.drop]--
			list = append(list, taking{m, q})
		}
	}
	return list
}
