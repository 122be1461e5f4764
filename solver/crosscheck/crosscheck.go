// Package crosscheck is the random player: it plays random games and at every position compares the bitboard generators of
// package shogi, and a mate in one, with the plain rules of package mailbox.
//
// What it compares, at each position:
//
//   - the legal moves, all and the useful ones, and their number;
//   - the checks and the evasions, all and the useful ones, against the legal moves that check or when in check;
//   - pseudo-legal moves filtered by IsLegal against the legal moves;
//   - IsLegal for every origin, destination and promotion and every drop, GivesCheck for every legal move;
//   - HasEvasion, IsCheckmate and InCheck;
//   - that Do and Undo restore every bit, that the incremental key is the recomputed one, and that SFEN reads back;
//   - the mate in one against trying every legal check.
package crosscheck

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
)

// Options say what to check. The zero value of each field but MateIn1 stands for its default.
type Options struct {
	// Seed decides every position. Runs with equal Seed, Positions and MaxPlies check the same ones.
	Seed uint64
	// Positions is how many positions to check at least: games are played to their end. Default 1,000,000.
	Positions uint64
	// Workers is how many games are played at once. Default GOMAXPROCS.
	Workers int
	// MaxPlies ends a game. Default 256.
	MaxPlies int
	// MateIn1 is compared with brute force: it returns a mating move, shogi.NoMove if there is none. It is required.
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

// Run plays games until it has checked o.Positions positions, a disagreement is found, or ctx ends. It returns what was
// checked, and a *Disagreement or the error of ctx. progress, which may be nil, is called with the sums so far now and
// then, from one goroutine at a time.
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	// Games are numbered, and counted in the order of their numbers, so that what counts does not depend on who was
	// faster. The players never get further ahead than there is room in pending.
	type outcome struct {
		stats Stats
		err   error
	}
	type job struct {
		number uint64
		result chan outcome
	}
	jobs := make(chan job)
	pending := make(chan chan outcome, 4*o.Workers)
	var wg sync.WaitGroup
	for range o.Workers {
		wg.Go(func() {
			c := newChecker(&o)
			for j := range jobs {
				err := c.game(ctx, j.number)
				j.result <- outcome{c.stats, err}
			}
		})
	}
	wg.Go(func() {
		defer close(jobs)
		defer close(pending)
		for number := uint64(0); ; number++ {
			j := job{number, make(chan outcome, 1)}
			select {
			case pending <- j.result:
			case <-ctx.Done():
				return
			}
			select {
			case jobs <- j:
			case <-ctx.Done():
				return
			}
		}
	})
	defer wg.Wait()
	defer cancel()

	var sum Stats
	for result := range pending {
		var out outcome
		select {
		case out = <-result:
		case <-ctx.Done():
			return sum, ctx.Err()
		}
		sum.add(&out.stats)
		if out.err != nil {
			return sum, out.err
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

// A checker plays games.
type checker struct {
	o     *Options
	rules rules
	stats Stats
	p     shogi.Position
	legal [1 << 16]uint32 // by move: the round in which it was last seen legal
	round uint32
	buf   [4]shogi.MoveBuffer
}

// rules are the functions under test, so that a test can put a wrong one in their place.
type rules struct {
	legal      func(p *shogi.Position, buf *shogi.MoveBuffer, set shogi.MoveSet) []shogi.Move
	checks     func(p *shogi.Position, buf *shogi.MoveBuffer, set shogi.MoveSet) []shogi.Move
	evasions   func(p *shogi.Position, buf *shogi.MoveBuffer, set shogi.MoveSet) []shogi.Move
	isLegal    func(p *shogi.Position, m shogi.Move) bool
	givesCheck func(p *shogi.Position, m shogi.Move, ci *shogi.CheckInfo) bool
	hasEvasion func(p *shogi.Position) bool
}

func newChecker(o *Options) *checker {
	return &checker{o: o, rules: rules{
		legal:      (*shogi.Position).LegalMoves,
		checks:     (*shogi.Position).Checks,
		evasions:   (*shogi.Position).Evasions,
		isLegal:    (*shogi.Position).IsLegal,
		givesCheck: (*shogi.Position).GivesCheck,
		hasEvasion: (*shogi.Position).HasEvasion,
	}}
}

// game plays and checks the game with the given number.
func (c *checker) game(ctx context.Context, number uint64) error {
	rng := rand.New(rand.NewPCG(c.o.Seed, number))
	c.stats = Stats{Games: 1}
	c.p = start(rng, number)
	plies := c.o.MaxPlies
	if number%initialEvery != 0 {
		plies = min(plies, 64) // what is rare about such a position is soon played away
	}
	for range plies {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := c.position(rng)
		if err != nil {
			err.Seed, err.Game = c.o.Seed, number
			return err
		}
		if m == shogi.NoMove {
			return nil
		}
		c.p.Do(m)
	}
	return nil
}

func (c *checker) differ(m shogi.Move, format string, args ...any) *Disagreement {
	return &Disagreement{SFEN: c.p.SFEN(), Move: m, What: fmt.Sprintf(format, args...)}
}

// position checks c.p and returns the move to play next, shogi.NoMove if there is none.
func (c *checker) position(rng *rand.Rand) (shogi.Move, *Disagreement) {
	p := &c.p
	before := *p
	b := mailbox.From(p)
	inCheck := b.InCheck(b.SideToMove())
	plain := b.LegalMoves()
	c.stats.Positions++
	c.stats.Moves += uint64(len(plain))
	if inCheck {
		c.stats.InCheck++
	}

	if got := p.InCheck(); got != inCheck {
		return 0, c.differ(0, "InCheck is %v", got)
	}
	var useful, checks, usefulChecks []shogi.Move
	mates := false
	for _, m := range plain {
		isUseful := b.IsUseful(m)
		if isUseful {
			useful = append(useful, m)
		}
		after := b
		after.Do(m)
		if !after.InCheck(after.SideToMove()) {
			continue
		}
		checks = append(checks, m)
		if isUseful {
			usefulChecks = append(usefulChecks, m)
		}
		mates = mates || !after.HasLegalMove()
	}
	c.stats.Checks += uint64(len(checks))

	for _, list := range []struct {
		name string
		got  []shogi.Move
		want []shogi.Move
	}{
		{"LegalMoves of all moves", c.rules.legal(p, &c.buf[0], shogi.AllMoves), plain},
		{"LegalMoves of useful moves", c.rules.legal(p, &c.buf[1], shogi.UsefulMoves), useful},
		{"Checks of all moves", c.rules.checks(p, &c.buf[2], shogi.AllMoves), checks},
		{"Checks of useful moves", c.rules.checks(p, &c.buf[3], shogi.UsefulMoves), usefulChecks},
	} {
		if err := c.same(list.name, list.got, list.want); err != nil {
			return 0, err
		}
	}
	if n := p.CountLegalMoves(shogi.AllMoves); n != len(plain) {
		return 0, c.differ(0, "CountLegalMoves of all moves is %d, there are %d", n, len(plain))
	}
	if n := p.CountLegalMoves(shogi.UsefulMoves); n != len(useful) {
		return 0, c.differ(0, "CountLegalMoves of useful moves is %d, there are %d", n, len(useful))
	}
	if err := c.evasions(inCheck, plain, useful); err != nil {
		return 0, err
	}
	if err := c.everyMove(plain, checks); err != nil {
		return 0, err
	}
	if *p != before {
		return 0, c.differ(0, "looking at the position changed it to %s", p.SFEN())
	}
	if err := c.doUndo(plain); err != nil {
		return 0, err
	}
	if err := c.mateInOne(&b, mates); err != nil {
		return 0, err
	}
	if again, err := shogi.ParseSFEN(p.SFEN()); err != nil || again != *p {
		return 0, c.differ(0, "the SFEN reads back as %s (%v)", again.SFEN(), err)
	}
	return choose(rng, p, plain, checks), nil
}

// same compares two lists as sets, and finds moves listed twice.
func (c *checker) same(name string, got, want []shogi.Move) *Disagreement {
	c.round += 2
	for _, m := range want {
		c.legal[m] = c.round
	}
	for _, m := range got {
		switch c.legal[m] {
		case c.round:
			c.legal[m] = c.round + 1
		case c.round + 1:
			return c.differ(m, "%s has it twice", name)
		default:
			return c.differ(m, "%s has it, by the plain rules it does not belong there", name)
		}
	}
	for _, m := range want {
		if c.legal[m] != c.round+1 {
			return c.differ(m, "%s lacks it", name)
		}
	}
	return nil
}

func (c *checker) evasions(inCheck bool, plain, useful []shogi.Move) *Disagreement {
	p := &c.p
	if !inCheck {
		if got := c.rules.evasions(p, &c.buf[0], shogi.AllMoves); len(got) > 0 {
			return c.differ(got[0], "Evasions has it, but there is no check")
		}
		if p.IsCheckmate() {
			return c.differ(0, "IsCheckmate without a check")
		}
		return nil
	}
	if err := c.same("Evasions of all moves", c.rules.evasions(p, &c.buf[0], shogi.AllMoves), plain); err != nil {
		return err
	}
	if err := c.same("Evasions of useful moves", c.rules.evasions(p, &c.buf[0], shogi.UsefulMoves), useful); err != nil {
		return err
	}
	if got := c.rules.hasEvasion(p); got != (len(plain) > 0) {
		return c.differ(0, "HasEvasion is %v, there are %d legal moves", got, len(plain))
	}
	if got := p.IsCheckmate(); got != (len(plain) == 0) {
		return c.differ(0, "IsCheckmate is %v, there are %d legal moves", got, len(plain))
	}
	return nil
}

// everyMove asks IsLegal about all moves that can be written, and GivesCheck about the legal ones.
func (c *checker) everyMove(plain, checks []shogi.Move) *Disagreement {
	p := &c.p
	c.round += 2
	for _, m := range plain {
		c.legal[m] = c.round
	}
	ask := func(m shogi.Move) *Disagreement {
		if got, want := c.rules.isLegal(p, m), c.legal[m] == c.round; got != want {
			return c.differ(m, "IsLegal is %v", got)
		}
		return nil
	}
	for from := range shogi.Square(shogi.NumSquares) {
		for to := range shogi.Square(shogi.NumSquares) {
			if err := ask(shogi.NewMove(from, to)); err != nil {
				return err
			}
			if err := ask(shogi.NewPromotion(from, to)); err != nil {
				return err
			}
		}
	}
	for kind := shogi.Pawn; kind <= shogi.King; kind++ {
		for to := range shogi.Square(shogi.NumSquares) {
			if err := ask(shogi.NewDrop(kind, to)); err != nil {
				return err
			}
		}
	}
	kept := c.buf[0][:0]
	for _, m := range p.PseudoLegalMoves(&c.buf[1], shogi.AllMoves) {
		if p.IsLegal(m) {
			kept = append(kept, m)
		}
	}
	if err := c.same("PseudoLegalMoves that IsLegal keeps", kept, plain); err != nil {
		return err
	}

	c.round += 2
	for _, m := range checks {
		c.legal[m] = c.round
	}
	ci := p.CheckInfo()
	for _, m := range plain {
		if got, want := c.rules.givesCheck(p, m, &ci), c.legal[m] == c.round; got != want {
			return c.differ(m, "GivesCheck is %v", got)
		}
	}
	return nil
}

// doUndo makes and takes back every legal move.
func (c *checker) doUndo(plain []shogi.Move) *Disagreement {
	p := &c.p
	before := *p
	for _, m := range plain {
		key, hand := p.BoardKeyAfter(m), p.HandAfter(m)
		u := p.Do(m)
		if p.BoardKey() != p.RecomputeBoardKey() {
			return &Disagreement{SFEN: before.SFEN(), Move: m, What: "the key after it is not the recomputed one"}
		}
		if key != p.BoardKey() || hand != p.Hand(before.SideToMove()) {
			return &Disagreement{SFEN: before.SFEN(), Move: m, What: "BoardKeyAfter or HandAfter foretold it wrongly"}
		}
		p.Undo(m, u)
		if *p != before {
			return &Disagreement{SFEN: before.SFEN(), Move: m, What: "Undo does not restore the position"}
		}
	}
	return nil
}

func (c *checker) mateInOne(b *mailbox.Board, mates bool) *Disagreement {
	p := &c.p
	before := *p
	m := c.o.MateIn1(p)
	if *p != before {
		return &Disagreement{SFEN: before.SFEN(), What: "the mate in one changed the position"}
	}
	if mates {
		c.stats.Mates++
	}
	c.stats.PawnMates += pawnMates(p, b)
	switch {
	case m == shogi.NoMove && mates:
		return c.differ(0, "there is a mate in one, none was found")
	case m == shogi.NoMove:
		return nil
	case !b.IsLegal(m):
		return c.differ(m, "the mate in one is not legal")
	}
	after := *b
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
