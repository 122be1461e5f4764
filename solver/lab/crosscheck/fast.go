package crosscheck

import (
	"slices"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
)

// A mark is what is known of a move, a bit each. Lists are compared by setting and asking bits, so
// that no set is built and nothing is sorted.
type mark uint16

const (
	isPseudo mark = 1 << iota // it is pseudo-legal
	isUseful
	isLegal
	isCheck // the other king is attacked after it
	isMate
	isCapture // it takes a piece or promotes a pawn
	// From here on, one bit for each list: the list has the move.
	inPseudoUseful
	inLegal
	inLegalUseful
	inChecks
	inChecksUseful
	inEvasions
	inEvasionsUseful
	inCaptures
	inCapturesUseful
	inPlain
)

// A census counts the moves of a position.
type census struct {
	pseudoUseful, legal, legalUseful, checks, checksUseful, captures, capturesUseful int
	mates                                                                            bool
}

// fast compares what package shogi says about the position with itself.
func (c *checker) fast() *Disagreement {
	p := &c.p
	if mailbox.From(p) != c.b {
		return c.differ(0, "the last move led to %s", p.SFEN())
	}
	setup := p.Setup()
	if anew, err := setup.Position(); err != nil {
		return c.differ(0, "the last move led to no position: %v", err)
	} else if anew != *p {
		return c.differ(0, "bitboards, kings or key are not those of the position built anew")
	}
	us := p.SideToMove()
	inCheck := c.b.InCheck(us)
	if got := p.InCheck(); got != inCheck {
		return c.differ(0, "InCheck is %v", got)
	}
	if c.b.InCheck(us.Opponent()) {
		return c.differ(0, "the last move left the king in check")
	}

	n, err := c.mark()
	if err != nil {
		return err
	}
	if inCheck {
		c.stats.InCheck++
		if p.Checkers().HasMany() {
			c.stats.Double++
		}
		if n.legal == 0 {
			c.stats.Mated++
		}
	}
	if n.mates {
		c.stats.Mates++
	}
	if p.King(us) == shogi.NoSquare || p.King(us.Opponent()) == shogi.NoSquare {
		c.stats.OneKing++
	}
	c.stats.Moves += uint64(n.legal)
	c.stats.Checks += uint64(n.checks)

	if err := c.generators(&n); err != nil {
		return err
	}
	if err := c.evasions(&n, inCheck); err != nil {
		return err
	}
	if !inCheck {
		if err := c.outOfCheck(&n); err != nil {
			return err
		}
	}
	declares := c.b.CanDeclare()
	if got := c.rules.declares(p, shogi.CSARule27); got != declares {
		return c.differ(0, "CanDeclare is %v", got)
	}
	if declares {
		c.stats.Declares++
	}
	if err := c.isLegalNearby(); err != nil {
		return err
	}
	return c.mateInOne(n.mates)
}

// mark makes and takes back every pseudo-legal move, notes in c.marks what it is, and compares with
// that what can be asked about a move without making it.
func (c *checker) mark() (n census, err *Disagreement) {
	for _, m := range c.pseudo { // of the position before
		c.marks[m] = 0
	}
	p := &c.p
	before := *p
	us := p.SideToMove()
	king := p.King(us)
	c.info = p.CheckInfo()
	c.pseudo = c.rules.pseudo(p, &c.pseudoBuf, shogi.AllMoves)
	for _, m := range c.pseudo {
		if c.marks[m] != 0 {
			return n, c.differ(m, "PseudoLegalMoves of all moves has it twice")
		}
		known := isPseudo
		if c.b.IsUseful(m) {
			known |= isUseful
			n.pseudoUseful++
		}
		if c.b.IsCapture(m) {
			known |= isCapture
		}
		key, hand := p.BoardKeyAfter(m), p.HandAfter(m)
		gotLegal, gotCheck := c.rules.isLegal(p, m), c.rules.givesCheck(p, m, &c.info)
		isKing := !m.IsDrop() && m.From() == king

		u := c.rules.do(p, m)
		if key != p.BoardKey() || hand != p.Hand(us) {
			return n, c.differ(m, "BoardKeyAfter or HandAfter foretold it wrongly")
		}
		legal := king == shogi.NoSquare || !p.IsAttacked(p.King(us), us.Opponent(), p.Occupied())
		check := p.InCheck()
		if legal && check {
			// Legal moves are counted without HasEvasion, and without the test for a mate by a pawn
			// drop but where such a drop would be the reply.
			replies := p.CountLegalMoves(shogi.AllMoves)
			if got := c.rules.hasEvasion(p); got != (replies > 0) {
				return n, c.differ(m, "HasEvasion after it is %v, there are %d legal moves", got, replies)
			}
			switch {
			case replies > 0:
			case m.IsDrop() && m.Dropped() == shogi.Pawn:
				legal = false
				c.stats.PawnMates++ // there is one square where a pawn checks
			default:
				known |= isMate
				n.mates = true
			}
		}
		c.rules.undo(p, m, u)
		if *p != before {
			return n, c.differ(m, "Undo does not restore the position")
		}

		if gotLegal != legal {
			return n, c.differ(m, "IsLegal is %v", gotLegal)
		}
		// Beside the other king, where it is illegal, a king would count as checking.
		if gotCheck != check && (legal || !isKing) {
			return n, c.differ(m, "GivesCheck is %v", gotCheck)
		}
		if check {
			known |= isCheck
		}
		if legal {
			known |= isLegal
			n.legal++
			if known&isCapture != 0 {
				n.captures++
				if known&isUseful != 0 {
					n.capturesUseful++
				}
			}
			switch known & (isUseful | isCheck) {
			case isUseful:
				n.legalUseful++
			case isCheck:
				n.checks++
			case isUseful | isCheck:
				n.legalUseful++
				n.checks++
				n.checksUseful++
			}
		}
		c.marks[m] = known
	}
	return n, nil
}

// generators compares the lists that there are for every position.
func (c *checker) generators(n *census) *Disagreement {
	const legal, checks = isLegal, isLegal | isCheck
	p := &c.p
	c.legal = c.rules.legal(p, &c.legalBuf, shogi.AllMoves)
	if !c.same(c.legal, inLegal, legal, n.legal) {
		return c.explain("LegalMoves of all moves", c.legal, legal)
	}
	c.checks = c.rules.checks(p, &c.checkBuf, shogi.AllMoves)
	if !c.same(c.checks, inChecks, checks, n.checks) {
		return c.explain("Checks of all moves", c.checks, checks)
	}
	got := c.rules.pseudo(p, &c.useBuf, shogi.UsefulMoves)
	if !c.same(got, inPseudoUseful, isPseudo|isUseful, n.pseudoUseful) {
		return c.explain("PseudoLegalMoves of useful moves", got, isPseudo|isUseful)
	}
	got = c.rules.legal(p, &c.useBuf, shogi.UsefulMoves)
	if !c.same(got, inLegalUseful, legal|isUseful, n.legalUseful) {
		return c.explain("LegalMoves of useful moves", got, legal|isUseful)
	}
	got = c.rules.checks(p, &c.useBuf, shogi.UsefulMoves)
	if !c.same(got, inChecksUseful, checks|isUseful, n.checksUseful) {
		return c.explain("Checks of useful moves", got, checks|isUseful)
	}
	if got := c.rules.hasCheck(p); got != (n.checks > 0) || got != (n.checksUseful > 0) {
		return c.differ(0, "HasCheck is %v, there are %d checks, %d of them useful", got, n.checks, n.checksUseful)
	}
	if got := c.rules.count(p, shogi.AllMoves); got != n.legal {
		return c.differ(0, "CountLegalMoves of all moves is %d, there are %d", got, n.legal)
	}
	if got := c.rules.count(p, shogi.UsefulMoves); got != n.legalUseful {
		return c.differ(0, "CountLegalMoves of useful moves is %d, there are %d", got, n.legalUseful)
	}
	return nil
}

// evasions compares what there is for positions in check.
func (c *checker) evasions(n *census, inCheck bool) *Disagreement {
	p := &c.p
	if got, want := p.IsCheckmate(), inCheck && n.legal == 0; got != want {
		return c.differ(0, "IsCheckmate is %v, there are %d legal moves, in check: %v",
			got, n.legal, inCheck)
	}
	if !inCheck {
		if got := c.rules.evasions(p, &c.useBuf, shogi.AllMoves); len(got) > 0 {
			return c.differ(got[0], "Evasions has it, but there is no check")
		}
		return nil
	}
	got := c.rules.evasions(p, &c.useBuf, shogi.AllMoves)
	if !c.same(got, inEvasions, isLegal, n.legal) {
		return c.explain("Evasions of all moves", got, isLegal)
	}
	got = c.rules.evasions(p, &c.useBuf, shogi.UsefulMoves)
	if !c.same(got, inEvasionsUseful, isLegal|isUseful, n.legalUseful) {
		return c.explain("Evasions of useful moves", got, isLegal|isUseful)
	}
	if got := c.rules.hasEvasion(p); got != (n.legal > 0) {
		return c.differ(0, "HasEvasion is %v, there are %d legal moves", got, n.legal)
	}
	return nil
}

// outOfCheck compares what there is for positions out of check.
func (c *checker) outOfCheck(n *census) *Disagreement {
	const captures = isLegal | isCapture
	p := &c.p
	c.stats.Captures += uint64(n.captures)
	got := c.rules.captures(p, &c.useBuf, shogi.AllMoves)
	if !c.same(got, inCaptures, captures, n.captures) {
		return c.explain("Captures of all moves", got, captures)
	}
	got = c.rules.captures(p, &c.useBuf, shogi.UsefulMoves)
	if !c.same(got, inCapturesUseful, captures|isUseful, n.capturesUseful) {
		return c.explain("Captures of useful moves", got, captures|isUseful)
	}
	before := *p
	c.rules.doNull(p)
	c.rules.undoNull(p)
	if *p != before {
		return c.differ(0, "UndoNull does not restore the position")
	}
	return nil
}

// same reports whether a list is the moves that have all bits of want, of which there are n, each
// of them once. It sets the bit of the list, which no move may have yet.
func (c *checker) same(got []shogi.Move, list, want mark, n int) bool {
	var wrong mark
	for _, m := range got {
		known := c.marks[m]
		wrong |= (known ^ want) & (want | list)
		c.marks[m] = known | list
	}
	return wrong == 0 && len(got) == n
}

// explain says what is wrong with a list that is not the same.
func (c *checker) explain(name string, got []shogi.Move, want mark) *Disagreement {
	var list []shogi.Move
	for _, m := range c.pseudo {
		if c.marks[m]&want == want {
			list = append(list, m)
		}
	}
	return c.listsDiffer(name, got, list, "the pseudo-legal moves made on the board")
}

// listsDiffer says how a list differs from what it should be according to somebody.
func (c *checker) listsDiffer(name string, got, want []shogi.Move, by string) *Disagreement {
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	var err *Disagreement
	for i, m := range got {
		if i > 0 && got[i-1] == m {
			err = c.differ(m, "%s has it twice", name)
			break
		}
		if _, ok := slices.BinarySearch(want, m); !ok {
			err = c.differ(m, "%s has it, by %s it does not belong there", name, by)
			break
		}
	}
	for i := 0; err == nil; i++ {
		if _, ok := slices.BinarySearch(got, want[i]); !ok {
			err = c.differ(want[i], "%s lacks it, by %s it belongs there", name, by)
		}
	}
	legal := "not legal"
	if c.b.IsLegal(err.Move) {
		legal = "legal"
	}
	err.What += ", by the plain rules it is " + legal
	err.Got, err.Want = text(got), text(want)
	return err
}

// text returns moves in USI.
func text(list []shogi.Move) string {
	var s strings.Builder
	for i, m := range list {
		if i > 0 {
			s.WriteByte(' ')
		}
		s.WriteString(m.String())
	}
	return s.String()
}

// isLegalNearby asks IsLegal about moves most of which are not even pseudo-legal: about all
// destinations from the origin of some move, and about those that an arbitrary value can have.
func (c *checker) isLegalNearby() *Disagreement {
	const toBits = 1<<7 - 1 // the destination
	random := c.look.Uint64()
	if n := uint64(len(c.pseudo)); n > 0 {
		first := c.pseudo[random>>32*n>>32] &^ toBits
		if random&1 != 0 {
			first ^= shogi.NewPromotion(0, 0)
		}
		if err := c.isLegalFrom(first, shogi.NumSquares); err != nil {
			return err
		}
	}
	return c.isLegalFrom(shogi.Move(random>>1)&^toBits, toBits+1)
}

// isLegalFrom asks IsLegal about n successive values.
func (c *checker) isLegalFrom(first, n shogi.Move) *Disagreement {
	for i := range n {
		m := first + i
		if got := c.rules.isLegal(&c.p, m); got != (c.marks[m]&isLegal != 0) {
			return c.differ(m, "IsLegal is %v", got)
		}
	}
	return nil
}

func (c *checker) mateInOne(mates bool) *Disagreement {
	switch m := c.o.MateIn1(&c.p); {
	case m == shogi.NoMove && mates:
		return c.differ(0, "there is a mate in one, none was found")
	case m == shogi.NoMove:
	case c.marks[m]&isLegal == 0:
		return c.differ(m, "the mate in one is not legal")
	case c.marks[m]&isMate == 0:
		return c.differ(m, "the mate in one does not mate")
	}
	return nil
}
