// Package crosscheck is the random player: it plays random games and at every position compares the
// bitboard generators of package shogi, and a mate in one, with the plain rules of package mailbox.
//
// What it compares, at each position:
//
//   - the position that the moves so far led to with the one they led to on the plain board, and both SFENs; that it
//     reads back to the same bits, and that Rotated turns it, and back again;
//   - the legal moves, all and the useful ones, and their number;
//   - the checks and the evasions, all and the useful ones, with the legal moves that check, and those when in check;
//   - IsLegal for every origin, destination and promotion and every drop, and at the beginning of each game for every value
//     a Move can have; the pseudo-legal moves that it keeps, all and the useful ones, with the legal moves; those it
//     refuses must leave the king attacked or mate by a pawn drop;
//   - GivesCheck for every pseudo-legal move but the illegal ones of a king;
//   - InCheck, HasEvasion and IsCheckmate;
//   - for every legal move: Undo restores every bit, the key is the recomputed one, BoardKeyAfter and HandAfter foretold it;
//   - the mate in one with trying every legal check.
package crosscheck

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"runtime"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver/ordered"
)

// Options say what to check. The zero value of each field but MateIn1 stands for its default.
type Options struct {
	// Seed decides every position. Runs with equal Seed, Positions and MaxPlies check the same
	// ones.
	Seed uint64
	// Positions is how many positions to check at least: games are played to their end. Default
	// 1,000,000.
	Positions uint64
	// Workers is how many games are played at once. Default GOMAXPROCS.
	Workers int
	// MaxPlies ends a game. Default 256.
	MaxPlies int
	// MateIn1 is compared with brute force: it returns a mating move, shogi.NoMove if there is
	// none. It is required.
	MateIn1 func(*shogi.Position) shogi.Move
}

// Stats count what was checked.
type Stats struct {
	Games     uint64
	Positions uint64
	InCheck   uint64 // positions whose side to move is in check
	Checks    uint64 // legal checks
	Mates     uint64 // positions with a mate in one
	PawnMates uint64 // positions in which a pawn drop would mate and is therefore illegal (打ち歩詰め)
	Moves     uint64 // legal moves
}

func (s *Stats) add(o *Stats) {
	s.Games += o.Games
	s.Positions += o.Positions
	s.InCheck += o.InCheck
	s.Checks += o.Checks
	s.Mates += o.Mates
	s.PawnMates += o.PawnMates
	s.Moves += o.Moves
}

// A Disagreement is the first difference found.
type Disagreement struct {
	Seed uint64
	Game uint64 // number of the game, from 0
	SFEN string
	Move shogi.Move // the move it is about, shogi.NoMove if about none
	What string
}

// Error tells it all on one line.
func (d *Disagreement) Error() string {
	about := ""
	if d.Move != shogi.NoMove {
		about = fmt.Sprintf(" move %s:", d.Move)
	}
	return fmt.Sprintf("crosscheck: seed %d, game %d: sfen %s:%s %s", d.Seed, d.Game, d.SFEN, about, d.What)
}

// Run plays games until it has checked o.Positions positions, a disagreement is found, or ctx ends.
// It returns what was checked, and a *Disagreement or the error of ctx. progress, which may be nil,
// is called with the sums so far now and then, from one goroutine at a time.
func Run(ctx context.Context, o Options, progress func(Stats)) (Stats, error) {
	if o.Positions == 0 {
		o.Positions = 1_000_000
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.MaxPlies <= 0 {
		o.MaxPlies = 256
	}
	// Games are numbered, and counted in the order of their numbers, so that what counts does not
	// depend on which of them ends first.
	type outcome struct {
		stats Stats
		err   error
	}
	numbers := func(_ context.Context, yield func(uint64) bool) {
		for number := uint64(0); yield(number); number++ {
		}
	}
	play := func(ctx context.Context, number uint64) outcome {
		c := newChecker(&o)
		err := c.game(ctx, number)
		return outcome{c.stats, err}
	}
	var sum Stats
	workers := ordered.Options[uint64]{Workers: o.Workers}
	for _, game := range ordered.Map(ctx, workers, numbers, play) {
		sum.add(&game.stats)
		if game.err != nil {
			return sum, game.err
		}
		if progress != nil {
			progress(sum)
		}
		if sum.Positions >= o.Positions {
			return sum, nil
		}
	}
	return sum, ctx.Err()
}

// A checker plays a game.
type checker struct {
	o     *Options
	rules rules
	stats Stats
	p     shogi.Position
	b     mailbox.Board // the same on the plain board, moved along on its own

	legal, useful, checks, usefulChecks moveSet // by the plain rules
	seen                                moveSet
	pseudo, kept                        shogi.MoveBuffer
	buf                                 shogi.MoveBuffer
}

// A moveSet is a set of moves that also knows their order.
type moveSet struct {
	list []shogi.Move
	bits [1 << 10]uint64
}

func (s *moveSet) has(m shogi.Move) bool { return s.bits[m/64]>>(m%64)&1 != 0 }

func (s *moveSet) add(m shogi.Move) {
	s.list = append(s.list, m)
	s.bits[m/64] |= 1 << (m % 64)
}

func (s *moveSet) clear() {
	for _, m := range s.list {
		s.bits[m/64] = 0
	}
	s.list = s.list[:0]
}

// rules are the functions under test, so that a test can put a wrong one in their place.
type rules struct {
	legal, checks, evasions, pseudo func(p *shogi.Position, buf *shogi.MoveBuffer, set shogi.MoveSet) []shogi.Move

	count      func(p *shogi.Position, set shogi.MoveSet) int
	isLegal    func(p *shogi.Position, m shogi.Move) bool
	givesCheck func(p *shogi.Position, m shogi.Move, ci *shogi.CheckInfo) bool
	hasEvasion func(p *shogi.Position) bool
	do         func(p *shogi.Position, m shogi.Move) shogi.Undo
	undo       func(p *shogi.Position, m shogi.Move, u shogi.Undo)
}

func newChecker(o *Options) *checker {
	return &checker{o: o, rules: rules{
		legal:      (*shogi.Position).LegalMoves,
		checks:     (*shogi.Position).Checks,
		evasions:   (*shogi.Position).Evasions,
		pseudo:     (*shogi.Position).PseudoLegalMoves,
		count:      (*shogi.Position).CountLegalMoves,
		isLegal:    (*shogi.Position).IsLegal,
		givesCheck: (*shogi.Position).GivesCheck,
		hasEvasion: (*shogi.Position).HasEvasion,
		do:         (*shogi.Position).Do,
		undo:       (*shogi.Position).Undo,
	}}
}

// game plays and checks the game with the given number.
func (c *checker) game(ctx context.Context, number uint64) (err error) {
	rng := rand.New(rand.NewPCG(c.o.Seed, number))
	c.stats = Stats{Games: 1}
	c.p = start(rng, number)
	c.b = mailbox.From(&c.p)
	defer func() {
		if r := recover(); r != nil { // then the position that it needs is worth more than the stack
			err = &Disagreement{Seed: c.o.Seed, Game: number, SFEN: c.b.SFEN(), What: fmt.Sprintf("panic: %v", r)}
		}
	}()
	plies := c.o.MaxPlies
	if number%initialEvery != 0 {
		plies = min(plies, 64) // what is rare about such a position is soon played away
	}
	for ply := range plies {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.position(ply == 0); err != nil {
			err.Seed, err.Game = c.o.Seed, number
			return err
		}
		m := choose(rng, &c.p, c.legal.list, c.checks.list)
		if m == shogi.NoMove {
			return nil
		}
		c.rules.do(&c.p, m)
		c.b.Do(m)
	}
	return nil
}

func (c *checker) differ(m shogi.Move, format string, args ...any) *Disagreement {
	return &Disagreement{SFEN: c.b.SFEN(), Move: m, What: fmt.Sprintf(format, args...)}
}

// position checks c.p, the first one of a game more thoroughly, and leaves the legal moves and the
// checks in c.
func (c *checker) position(first bool) *Disagreement {
	p := &c.p
	before := *p
	c.stats.Positions++
	if mailbox.From(p) != c.b {
		return c.differ(0, "the last move led to %s", p.SFEN())
	}
	if sfen := p.SFEN(); sfen != c.b.SFEN() {
		return c.differ(0, "its SFEN is written as %s", sfen)
	} else if again, err := shogi.ParseSFEN(sfen); err != nil || again != *p {
		return c.differ(0, "its SFEN does not read back to the same position (error: %v)", err)
	}
	if turned := p.Rotated(); !isRotated(p, &turned) || turned.Rotated() != *p || turned.BoardKey() != turned.RecomputeBoardKey() {
		return c.differ(0, "Rotated is %s, or its key is wrong, or rotated again it is not the same", turned.SFEN())
	}

	inCheck := c.b.InCheck(c.b.SideToMove())
	if got := p.InCheck(); got != inCheck {
		return c.differ(0, "InCheck is %v", got)
	}
	mates := c.plainRules()
	c.stats.Moves += uint64(len(c.legal.list))
	c.stats.Checks += uint64(len(c.checks.list))
	if inCheck {
		c.stats.InCheck++
	}
	if mates {
		c.stats.Mates++
	}
	c.stats.PawnMates += pawnMates(p, &c.b)

	for _, check := range []func() *Disagreement{
		c.generators,
		func() *Disagreement { return c.evasions(inCheck) },
		func() *Disagreement { return c.isLegal(first) },
		c.pseudoLegal,
		c.doUndo,
		func() *Disagreement { return c.mateInOne(mates) },
	} {
		if err := check(); err != nil {
			return err
		}
		if *p != before {
			return c.differ(0, "looking at the position changed it to %s", p.SFEN())
		}
	}
	return nil
}

// isRotated reports whether q is p turned by half a turn with the colours exchanged.
func isRotated(p, q *shogi.Position) bool {
	for sq := range shogi.Square(shogi.NumSquares) {
		want := p.Piece(sq)
		if want != shogi.NoPiece {
			want = shogi.PieceOf(want.Color().Opponent(), want.Type())
		}
		if q.Piece(shogi.NumSquares-1-sq) != want {
			return false
		}
	}
	return q.Hand(shogi.Black) == p.Hand(shogi.White) && q.Hand(shogi.White) == p.Hand(shogi.Black) && q.SideToMove() != p.SideToMove()
}

// plainRules finds the moves of the position by the plain rules, and reports whether one of them
// mates.
func (c *checker) plainRules() (mates bool) {
	for _, s := range []*moveSet{&c.legal, &c.useful, &c.checks, &c.usefulChecks} {
		s.clear()
	}
	for _, m := range c.b.AppendLegalMoves(c.buf[:0]) {
		c.legal.add(m)
		useful := c.b.IsUseful(m)
		if useful {
			c.useful.add(m)
		}
		after := c.b
		after.Do(m)
		if !after.InCheck(after.SideToMove()) {
			continue
		}
		c.checks.add(m)
		if useful {
			c.usefulChecks.add(m)
		}
		mates = mates || !after.HasLegalMove()
	}
	return mates
}

// same compares a list with a set and finds moves listed twice.
func (c *checker) same(name string, got []shogi.Move, want *moveSet) *Disagreement {
	c.seen.clear()
	for _, m := range got {
		if c.seen.has(m) {
			return c.differ(m, "%s has it twice", name)
		}
		if !want.has(m) {
			return c.differ(m, "%s has it, by the plain rules it does not belong there", name)
		}
		c.seen.add(m)
	}
	if len(got) == len(want.list) {
		return nil
	}
	for _, m := range want.list {
		if !c.seen.has(m) {
			return c.differ(m, "%s lacks it", name)
		}
	}
	return nil
}

func (c *checker) generators() *Disagreement {
	for _, set := range []struct {
		name          string
		set           shogi.MoveSet
		legal, checks *moveSet
	}{
		{"all", shogi.AllMoves, &c.legal, &c.checks},
		{"useful", shogi.UsefulMoves, &c.useful, &c.usefulChecks},
	} {
		if err := c.same("LegalMoves of "+set.name+" moves", c.rules.legal(&c.p, &c.buf, set.set), set.legal); err != nil {
			return err
		}
		if n := c.rules.count(&c.p, set.set); n != len(set.legal.list) {
			return c.differ(0, "CountLegalMoves of %s moves is %d, there are %d", set.name, n, len(set.legal.list))
		}
		if err := c.same("Checks of "+set.name+" moves", c.rules.checks(&c.p, &c.buf, set.set), set.checks); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) evasions(inCheck bool) *Disagreement {
	p, n := &c.p, len(c.legal.list)
	if got, want := p.IsCheckmate(), inCheck && n == 0; got != want {
		return c.differ(0, "IsCheckmate is %v, there are %d legal moves, in check: %v", got, n, inCheck)
	}
	if !inCheck {
		if got := c.rules.evasions(p, &c.buf, shogi.AllMoves); len(got) > 0 {
			return c.differ(got[0], "Evasions has it, but there is no check")
		}
		return nil
	}
	if err := c.same("Evasions of all moves", c.rules.evasions(p, &c.buf, shogi.AllMoves), &c.legal); err != nil {
		return err
	}
	if err := c.same("Evasions of useful moves", c.rules.evasions(p, &c.buf, shogi.UsefulMoves), &c.useful); err != nil {
		return err
	}
	if got := c.rules.hasEvasion(p); got != (n > 0) {
		return c.differ(0, "HasEvasion is %v, there are %d legal moves", got, n)
	}
	return nil
}

// isLegal asks IsLegal about all moves that can be written, or about every value of a Move.
func (c *checker) isLegal(everyValue bool) *Disagreement {
	if everyValue {
		return c.isLegalFrom(0, 1<<16)
	}
	for from := range shogi.Square(shogi.NumSquares) {
		if err := c.isLegalFrom(shogi.NewMove(from, 0), shogi.NumSquares); err != nil {
			return err
		}
		if err := c.isLegalFrom(shogi.NewPromotion(from, 0), shogi.NumSquares); err != nil {
			return err
		}
	}
	for kind := shogi.Pawn; kind <= shogi.King; kind++ {
		if err := c.isLegalFrom(shogi.NewDrop(kind, 0), shogi.NumSquares); err != nil {
			return err
		}
	}
	return nil
}

// isLegalFrom asks about n successive values. It is most of the work, so 64 answers are compared at
// once.
func (c *checker) isLegalFrom(first shogi.Move, n int) *Disagreement {
	isLegal := c.rules.isLegal
	for i := 0; i < n; i += 64 {
		word := first + shogi.Move(i)
		var got uint64
		for j := range shogi.Move(min(64, n-i)) {
			if isLegal(&c.p, word+j) {
				got |= 1 << j
			}
		}
		if wrong := got ^ c.legal.bits[word/64]; wrong != 0 {
			j := bits.TrailingZeros64(wrong)
			return c.differ(word+shogi.Move(j), "IsLegal is %v", got>>j&1 != 0)
		}
	}
	return nil
}

// pseudoLegal checks the pseudo-legal moves and asks GivesCheck about them.
func (c *checker) pseudoLegal() *Disagreement {
	p := &c.p
	ci := p.CheckInfo()
	for _, set := range []struct {
		name  string
		set   shogi.MoveSet
		legal *moveSet
	}{
		{"all", shogi.AllMoves, &c.legal},
		{"useful", shogi.UsefulMoves, &c.useful},
	} {
		kept := c.kept[:0]
		for _, m := range c.rules.pseudo(p, &c.pseudo, set.set) {
			after := c.b
			after.Do(m)
			legal := c.legal.has(m)
			if legal {
				kept = append(kept, m)
			} else if !after.InCheck(c.b.SideToMove()) && !c.b.IsPawnDropMate(m) {
				return c.differ(m, "PseudoLegalMoves of %s moves has it, which breaks another rule than those left to IsLegal", set.name)
			}
			checks := c.checks.has(m)
			if !legal {
				if !m.IsDrop() && p.Piece(m.From()).Type() == shogi.King {
					continue // beside the other king, where it is illegal, it would count as checking
				}
				checks = after.InCheck(after.SideToMove())
			}
			if got := c.rules.givesCheck(p, m, &ci); got != checks {
				return c.differ(m, "GivesCheck is %v", got)
			}
		}
		if err := c.same("PseudoLegalMoves of "+set.name+" moves that are legal", kept, set.legal); err != nil {
			return err
		}
	}
	return nil
}

// doUndo makes and takes back every legal move.
func (c *checker) doUndo() *Disagreement {
	p := &c.p
	before := *p
	for _, m := range c.legal.list {
		key, hand := p.BoardKeyAfter(m), p.HandAfter(m)
		u := c.rules.do(p, m)
		if p.BoardKey() != p.RecomputeBoardKey() {
			return c.differ(m, "the key after it is not the recomputed one")
		}
		if key != p.BoardKey() || hand != p.Hand(before.SideToMove()) {
			return c.differ(m, "BoardKeyAfter or HandAfter foretold it wrongly")
		}
		c.rules.undo(p, m, u)
		if *p != before {
			return c.differ(m, "Undo does not restore the position")
		}
	}
	return nil
}

func (c *checker) mateInOne(mates bool) *Disagreement {
	m := c.o.MateIn1(&c.p)
	switch {
	case m == shogi.NoMove && mates:
		return c.differ(0, "there is a mate in one, none was found")
	case m == shogi.NoMove:
		return nil
	case !c.legal.has(m):
		return c.differ(m, "the mate in one is not legal")
	}
	after := c.b
	after.Do(m)
	if !after.IsMated() {
		return c.differ(m, "the mate in one does not mate")
	}
	return nil
}

// pawnMates returns 1 if a pawn drop is illegal in p only because it would mate, 0 otherwise.
func pawnMates(p *shogi.Position, b *mailbox.Board) uint64 {
	king := p.King(p.SideToMove().Opponent())
	if king == shogi.NoSquare {
		return 0
	}
	front := king + 1 // of a white king; Black's pawns come from larger numbers
	if p.SideToMove() == shogi.White {
		front = king - 1
	}
	if front.IsValid() && front.File() == king.File() && b.IsPawnDropMate(shogi.NewDrop(shogi.Pawn, front)) {
		return 1
	}
	return 0
}
