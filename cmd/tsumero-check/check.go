package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// What a certificate may need. One that needs more is refused: certificates come from strangers,
// who must not exhaust the machine.
const (
	maxMemory = 64 << 20 // bytes of the positions remembered
	maxDepth  = 5_000    // plies of a line of moves
)

// A checker reads a certificate word by word.
type checker struct {
	words    *bufio.Scanner
	count    int
	attacker int
	memory   int
	proved   []numbered
	members  map[[81]uint8][]known // no mates
	goals    []goal                // not covered yet
	measured []measured
	next     bool // the word was looked at already
}

// known is what is known of a board with the attacker to move: what he holds, and in how many plies
// he mates, or does not.
type known struct {
	hand  hand
	plies int
}

// A numbered position is a mate that words may refer to.
type numbered struct {
	board [81]uint8
	known
}

// A goal is a position with the attacker to move in which he must not mate in so many plies.
type goal struct {
	position
	plies int
}

const forever = 1 << 30 // plies: at any length

// check returns what a certificate proves, or why it proves nothing.
func check(r io.Reader) (claim string, err error) {
	c := checker{words: bufio.NewScanner(r), members: map[[81]uint8][]known{}}
	c.words.Split(bufio.ScanWords)
	defer func() {
		if reason := recover(); reason != nil {
			r := reason.(*refusal)
			r.count, r.word = c.count, c.words.Text()
			claim, err = "", r
		}
	}()
	return c.certificate(), nil
}

// word returns the next one, "" at the end.
func (c *checker) word() string {
	text := c.peek()
	c.next = false
	return text
}

// peek returns the next word, which word returns once more.
func (c *checker) peek() string {
	if !c.next {
		c.next = true
		c.count++
		c.words.Scan()
		require(c.words.Err() == nil, "%v", c.words.Err())
	}
	return c.words.Text()
}

// after returns the word that follows a name.
func (c *checker) after(name string) string {
	require(c.word() == name, "expected %q", name)
	return c.word()
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	require(err == nil && strconv.Itoa(n) == text && n >= 0 && n < forever, "%q is no number", text)
	return n
}

// remember counts the memory taken.
func (c *checker) remember(bytes int) {
	c.memory += bytes
	require(c.memory <= maxMemory, "the positions take more than %d MiB", maxMemory>>20)
}

func (c *checker) certificate() string {
	require(c.after("tsumero-cert") == "1", "this version is not known")
	kind := c.word()
	sfen := []string{c.after("sfen"), c.word(), c.word(), c.word()}
	p := position{parseBoard(sfen[0]), parseHands(sfen[2]), slices.Index([]string{"b", "w"}, sfen[1])}
	attacker := c.after("attacker")
	c.attacker = slices.Index([]string{"black", "white"}, attacker)
	require(p.side >= 0 && c.attacker >= 0 && number(sfen[3]) > 0, "the header is wrong")
	p.validate(1 - c.attacker)
	require(p.side == c.attacker || p.inCheck(p.side), "the defender is to move, but not in check")
	claim, plies := fmt.Sprintf("%s attacks in %s: ", attacker, strings.Join(sfen, " ")), forever
	switch kind {
	case "nomate":
	case "brinkmate":
		return claim + c.brinkmate(p)
	default:
		plies = number(c.after("plies"))
	}
	switch kind {
	case "mate":
		n := c.plan(p, 0)
		require(n == plies, "the plan mates in %d plies, not %d", n, plies)
		require(c.word() == "", "there is more after the end")
		return claim + fmt.Sprintf("mate in %d plies or fewer", plies)
	case "nomate", "within":
		if p.side == c.attacker {
			c.goal(p, plies)
		} else {
			c.escape(p, c.word(), plies)
		}
		claim += "no mate"
		if kind == "within" {
			claim += fmt.Sprintf(" in %d plies or fewer", plies)
		}
	case "length":
		return claim + c.length(p, plies)
	default:
		require(false, "the kind %q is not known", kind)
	}
	c.closed(p.pieces(), kind == "within")
	return claim
}

// play returns p after one of its legal moves, or of its checks.
func (p position) play(text string, checks bool) position {
	list := p.moves(checks)
	i := slices.IndexFunc(list, func(m move) bool { return m.String() == text })
	require(i >= 0 || checks, "this is no legal move")
	require(i >= 0, "this is no legal move, or does not check")
	return p.after(list[i])
}

// withHand returns p with the attacker to move, who holds what the text says; the defender holds
// all else of the pieces.
func (c *checker) withHand(board [81]uint8, text string, pieces hand) position {
	p := position{board: board, side: c.attacker}
	hands := parseHands(text)
	require(hands[1] == hand{}, "the hand is not in capitals")
	p.hands[c.attacker] = hands[0]
	for kind, n := range p.pieces() {
		p.hands[1-c.attacker][kind] = pieces[kind] - n
	}
	require(p.hands[1-c.attacker].covers(hand{}), "there are not so many pieces")
	return p
}

// plan reads the attacker's plan for p and returns in how many plies it mates.
func (c *checker) plan(p position, depth int) (plies int) {
	require(depth <= maxDepth, "a line has more than %d plies", maxDepth)
	if p.side != c.attacker {
		for _, m := range p.moves(false) {
			plies = max(plies, 1+c.plan(p.after(m), depth+1))
		}
		return plies
	}
	text, keep, named := strings.Cut(c.word(), "!")
	held := p.hands[p.side]
	if text, ok := strings.CutPrefix(text, "="); ok {
		// The attacker has all he had there, and the defender no more: what mated there mates here.
		k := number(text)
		require(!named && k > 0 && k <= len(c.proved), "there is no such position")
		there := &c.proved[k-1]
		require(p.board == there.board && held.covers(there.hand), "it is another position")
		return there.plies
	}
	if keep != "" { // for the same reason he may give pieces away
		p = c.withHand(p.board, keep, p.pieces())
		require(held.covers(p.hands[p.side]), "the attacker does not hold %q", keep)
	}
	plies = 1 + c.plan(p.play(text, true), depth+1)
	if named {
		c.remember(256)
		c.proved = append(c.proved, numbered{p.board, known{p.hands[p.side], plies}})
	}
	return plies
}

// brinkmate reads the attacker's plan for p and returns what it proves.
func (c *checker) brinkmate(p position) string {
	n := number(c.after("attacks"))
	require(p.side == c.attacker && p.pieces() == fullSet, "a piece is missing, or the defender is to move")
	got := c.attacks(p, 0)
	require(got == n && n > 0, "the plan takes %d attacks, not %d", got, n)
	require(c.word() == "", "there is more after the end")
	return fmt.Sprintf("mate, or brinkmate in %d attacks or fewer", n)
}

// attacks reads the attacker's plan for p, with him to move, and returns how many attacks it takes: 0
// if it is one of a mate.
func (c *checker) attacks(p position, depth int) (n int) {
	require(depth <= maxDepth, "a line has more than %d plies", maxDepth)
	text, ok := strings.CutPrefix(c.peek(), "~")
	if !ok {
		c.plan(p, depth)
		return 0
	}
	c.word()
	p = p.play(text, false)
	checks := p.inCheck(p.side)
	if !checks {
		passed := p
		passed.side = c.attacker
		c.plan(passed, depth+1)
	}
	for _, m := range p.moves(false) {
		n = max(n, c.attacks(p.after(m), depth+2))
	}
	require(!checks || n > 0, "the last attack checks")
	return n + 1
}

// escape makes a goal of the position after a reply of the defender.
func (c *checker) escape(p position, reply string, plies int) {
	c.goal(p.play(reply, false), plies-1)
}

func (c *checker) goal(p position, plies int) {
	if g := (goal{p, plies}); !c.covered(&g) {
		c.remember(256)
		c.goals = append(c.goals, g)
	}
}

// closed reads the members, and checks that all goals are covered, those of the members too.
func (c *checker) closed(pieces hand, bounded bool) {
	for board := c.word(); board != ""; board = c.word() {
		plies, p := forever, c.withHand(parseBoard(board), c.word(), pieces)
		p.validate(1 - c.attacker)
		if bounded {
			plies = number(c.word())
		}
		require(c.word() == ":", "expected a colon")
		for _, m := range p.moves(true) {
			c.escape(p.after(m), c.word(), plies-1)
		}
		c.remember(256)
		c.members[p.board] = append(c.members[p.board], known{p.hands[p.side], plies})
	}
	for _, g := range c.goals {
		require(c.covered(&g), "a position that a reply leads to is not covered")
	}
}

// covered reports whether a member has the board of a goal and no smaller hand, or nothing needs to
// be shown: there is no check, or none that mates and no time for a second one.
func (c *checker) covered(g *goal) bool {
	if slices.ContainsFunc(c.members[g.board], func(k known) bool {
		return k.plies >= g.plies && k.hand.covers(g.hands[g.side])
	}) || g.plies < 1 {
		return true
	}
	return !slices.ContainsFunc(g.moves(true), func(m move) bool {
		q := g.after(m)
		return g.plies > 2 || q.mated()
	})
}
