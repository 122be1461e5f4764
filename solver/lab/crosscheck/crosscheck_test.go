package crosscheck

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/mate1"
)

func TestRun(t *testing.T) {
	positions := uint64(60_000)
	if testing.Short() {
		positions = 3_000
	}
	stats, err := Run(t.Context(), Options{Seed: shogitest.Seed(t), Positions: positions, MateIn1: mate1.Find}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", stats)
	// A run that never meets these would prove little.
	for _, met := range []struct {
		name    string
		n, want uint64
	}{
		{"positions", stats.Positions, positions},
		{"positions compared with the plain rules", stats.Plain, positions / 64},
		{"positions without a king", stats.OneKing, positions / 20},
		{"positions in check", stats.InCheck, positions / 20},
		{"positions in double check", stats.Double, positions / 1_000},
		{"mated positions", stats.Mated, positions / 1_000},
		{"checks", stats.Checks, positions},
		{"mates in one", stats.Mates, positions / 200},
		{"pawn drops that mate", stats.PawnMates, positions / 3_000},
		{"captures", stats.Captures, positions},
		{"passes", stats.Passes, positions / 40},
		{"declarations", stats.Declares, positions / 1_000},
	} {
		if met.n < met.want {
			t.Errorf("%d %s, want %d", met.n, met.name, met.want)
		}
	}
}

// What is checked depends on the seed alone, and so does the first disagreement.
func TestRunIsDeterministic(t *testing.T) {
	var first Stats
	for i, workers := range []int{1, 2, 5} {
		stats, err := Run(t.Context(), Options{Seed: 7, Positions: 1_000, Workers: workers, MateIn1: mate1.Find}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = stats
		} else if stats != first {
			t.Errorf("%d workers checked %+v, one checked %+v", workers, stats, first)
		}
	}
	other, err := Run(t.Context(), Options{Seed: 8, Positions: 1_000, MateIn1: mate1.Find}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if other == first {
		t.Errorf("another seed checked the same: %+v", other)
	}

	// Blind to mates by a rook's drop, of which the first is some games away.
	blind := func(p *shogi.Position) shogi.Move {
		if m := mate1.Find(p); !m.IsDrop() || m.Dropped() != shogi.Rook {
			return m
		}
		return shogi.NoMove
	}
	var firstFound *Disagreement
	for i, workers := range []int{1, 2, 5} {
		_, err := Run(t.Context(), Options{Seed: 7, Positions: 1 << 40, Workers: workers, MateIn1: blind}, nil)
		var found *Disagreement
		if !errors.As(err, &found) {
			t.Fatalf("%d workers: %v", workers, err)
		}
		if i == 0 {
			firstFound = found
		} else if *found != *firstFound {
			t.Errorf("%d workers found %v, one found %v", workers, found, firstFound)
		}
	}
	if p, err := shogi.ParseSFEN(firstFound.SFEN); err != nil || !strings.Contains(firstFound.Error(), "seed 7, game ") || mate1.Find(&p) == shogi.NoMove {
		t.Errorf("%v (%v) is not what was planted", firstFound, err)
	}
}

// without leaves out the moves for which skip returns true.
func without(f generator, skip func(*shogi.Position, shogi.Move) bool) generator {
	return func(p *shogi.Position, buf *shogi.MoveBuffer, set shogi.MoveSet) []shogi.Move {
		list := f(p, buf, set)
		kept := list[:0]
		for _, m := range list {
			if !skip(p, m) {
				kept = append(kept, m)
			}
		}
		return kept
	}
}

// with appends a move.
func with(f generator, extra func(p *shogi.Position, list []shogi.Move) shogi.Move) generator {
	return func(p *shogi.Position, buf *shogi.MoveBuffer, set shogi.MoveSet) []shogi.Move {
		list := f(p, buf, set)
		if m := extra(p, list); m != shogi.NoMove {
			list = append(list, m)
		}
		return list
	}
}

// A planted mistake must be found, or the comparison compares nothing. Many of these are rare in
// play.
func TestMistakesAreFound(t *testing.T) {
	onlyIn := func(want shogi.MoveSet, f, other generator) generator {
		return func(p *shogi.Position, buf *shogi.MoveBuffer, set shogi.MoveSet) []shogi.Move {
			if set == want {
				return f(p, buf, set)
			}
			return other(p, buf, set)
		}
	}
	last := func(p *shogi.Position, m shogi.Move) bool {
		var buf shogi.MoveBuffer
		list := p.LegalMoves(&buf, shogi.AllMoves)
		return m == list[len(list)-1]
	}
	lanceDrop := func(_ *shogi.Position, m shogi.Move) bool { return m.IsDrop() && m.Dropped() == shogi.Lance }
	discovered := func(p *shogi.Position, m shogi.Move) bool {
		q := *p
		q.Do(m)
		return q.InCheck() && !q.Checkers().Has(m.To())
	}
	kingTakes := func(p *shogi.Position, m shogi.Move) bool { return p.Piece(m.From()).Type() == shogi.King }
	quiet := func(p *shogi.Position, m shogi.Move) bool { return p.Piece(m.To()) == shogi.NoPiece }
	again := func(_ *shogi.Position, list []shogi.Move) shogi.Move {
		if len(list) == 0 {
			return shogi.NoMove
		}
		return list[0]
	}
	secondPawn := func(p *shogi.Position, _ []shogi.Move) shogi.Move {
		us := p.SideToMove()
		if !p.Hand(us).Has(shogi.Pawn) {
			return shogi.NoMove
		}
		for sq := range p.PiecesOf(us, shogi.Pawn).All() {
			for rank := shogi.RankB; rank <= shogi.RankH; rank++ {
				if to := shogi.SquareAt(sq.File(), rank); p.Piece(to) == shogi.NoPiece {
					return shogi.NewDrop(shogi.Pawn, to)
				}
			}
		}
		return shogi.NoMove
	}
	pawnMate := func(p *shogi.Position, _ []shogi.Move) shogi.Move {
		var buf shogi.MoveBuffer
		for _, m := range p.ForSearch().PseudoLegalMoves(&buf, shogi.AllMoves) {
			if m.IsDrop() && m.Dropped() == shogi.Pawn && !p.IsLegal(m) {
				if q := *p; !p.InCheck() {
					q.Do(m)
					if q.IsCheckmate() {
						return m
					}
				}
			}
		}
		return shogi.NoMove
	}

	tests := []struct {
		name    string
		mistake func(c *checker)
		what    string
	}{
		{"a legal move missing", func(c *checker) { c.rules.legal = without(c.rules.legal, last) }, "LegalMoves of all moves lacks it"},
		{"a useful move missing", func(c *checker) {
			c.rules.legal = onlyIn(shogi.UsefulMoves, without(c.rules.legal, last), c.rules.legal)
		}, "LegalMoves of useful moves lacks it"},
		{"a legal move twice", func(c *checker) { c.rules.legal = with(c.rules.legal, again) }, "LegalMoves of all moves has it twice"},
		{"a second pawn on the file", func(c *checker) { c.rules.legal = with(c.rules.legal, secondPawn) }, "LegalMoves of all moves has it, by the pseudo-legal moves made on the board it does not"},
		{"a pawn drop that mates", func(c *checker) { c.rules.legal = with(c.rules.legal, pawnMate) }, "LegalMoves of all moves has it, by the pseudo-legal moves made on the board it does not"},
		{"a wrong number of moves", func(c *checker) {
			c.rules.count = func(p *shogi.Position, set shogi.MoveSet) int {
				n := p.CountLegalMoves(set)
				if set == shogi.UsefulMoves && n > 100 {
					n--
				}
				return n
			}
		}, "CountLegalMoves of useful moves is"},
		{"useful moves for all", func(c *checker) {
			c.rules.legal = func(p *shogi.Position, buf *shogi.MoveBuffer, _ shogi.MoveSet) []shogi.Move {
				return p.LegalMoves(buf, shogi.UsefulMoves)
			}
		}, "LegalMoves of all moves lacks it"},
		{"all moves for the useful ones", func(c *checker) {
			c.rules.checks = func(p *shogi.Position, buf *shogi.MoveBuffer, _ shogi.MoveSet) []shogi.Move {
				return p.Checks(buf, shogi.AllMoves)
			}
		}, "Checks of useful moves has it, by the pseudo-legal moves made on the board it does not"},
		{"a lance's check missing", func(c *checker) { c.rules.checks = without(c.rules.checks, lanceDrop) }, "Checks of all moves lacks it"},
		{"a discovered check missing", func(c *checker) { c.rules.checks = without(c.rules.checks, discovered) }, "Checks of all moves lacks it"},
		{"a check twice", func(c *checker) { c.rules.checks = with(c.rules.checks, again) }, "Checks of all moves has it twice"},
		{"quiet moves among the checks", func(c *checker) { c.rules.checks = c.rules.legal }, "Checks of all moves has it, by the pseudo-legal moves made on the board it does not"},
		{"an interposed lance missing", func(c *checker) { c.rules.evasions = without(c.rules.evasions, lanceDrop) }, "Evasions of all moves lacks it"},
		{"a useful evasion missing", func(c *checker) {
			c.rules.evasions = onlyIn(shogi.UsefulMoves, without(c.rules.evasions, last), c.rules.evasions)
		}, "Evasions of useful moves lacks it"},
		{"evasions without a check", func(c *checker) { c.rules.evasions = c.rules.legal }, "Evasions has it, but there is no check"},
		{"everything legal", func(c *checker) { c.rules.isLegal = func(*shogi.Position, shogi.Move) bool { return true } }, "IsLegal is true"},
		{"nothing legal", func(c *checker) { c.rules.isLegal = func(*shogi.Position, shogi.Move) bool { return false } }, "IsLegal is false"},
		{"a value that is no move", func(c *checker) {
			c.rules.isLegal = func(p *shogi.Position, m shogi.Move) bool { return m == 0xffff || p.IsLegal(m) }
		}, "IsLegal is true"},
		{"one legal move refused", func(c *checker) {
			c.rules.isLegal = func(p *shogi.Position, m shogi.Move) bool {
				return p.IsLegal(m) && (!m.IsDrop() || m.Dropped() != shogi.Gold || m.To() != 80)
			}
		}, "move G*9i: IsLegal is false"},
		{"a pseudo-legal move missing", func(c *checker) { c.rules.pseudo = without(c.rules.pseudo, lanceDrop) }, "LegalMoves of all moves has it, by the pseudo-legal moves"},
		{"a pseudo-legal second pawn", func(c *checker) { c.rules.pseudo = with(c.rules.pseudo, secondPawn) }, "IsLegal is false"},
		{"no check", func(c *checker) {
			c.rules.givesCheck = func(*shogi.Position, shogi.Move, *shogi.CheckInfo) bool { return false }
		}, "GivesCheck is false"},
		{"a discovered check not seen", func(c *checker) {
			c.rules.givesCheck = func(p *shogi.Position, m shogi.Move, ci *shogi.CheckInfo) bool {
				return p.GivesCheck(m, ci) && !discovered(p, m)
			}
		}, "GivesCheck is false"},
		{"a capture missing", func(c *checker) { c.rules.captures = without(c.rules.captures, kingTakes) }, "Captures of all moves lacks it"},
		{"a pawn's promotion missing", func(c *checker) { c.rules.captures = without(c.rules.captures, quiet) }, "Captures of all moves lacks it"},
		{"a useful capture missing", func(c *checker) {
			c.rules.captures = onlyIn(shogi.UsefulMoves, without(c.rules.captures, kingTakes), c.rules.captures)
		}, "Captures of useful moves lacks it"},
		{"quiet moves among the captures", func(c *checker) { c.rules.captures = c.rules.legal }, "Captures of all moves has it, by the pseudo-legal moves made on the board it does not"},
		{"a capture twice", func(c *checker) { c.rules.captures = with(c.rules.captures, again) }, "Captures of all moves has it twice"},
		{"a pass that is not counted", func(c *checker) {
			c.rules.doNull = func(p *shogi.Position) {
				s := p.Setup()
				s.Side = s.Side.Opponent()
				*p, _ = s.Position()
			}
			c.rules.undoNull = c.rules.doNull
		}, "the last move led to"},
		{"a pass that lasts", func(c *checker) { c.rules.undoNull = func(*shogi.Position) {} }, "UndoNull does not restore"},
		{"always a declaration", func(c *checker) {
			c.rules.declares = func(*shogi.Position, shogi.EnteringKingRule) bool { return true }
		}, "CanDeclare is true"},
		{"27 points for Black", func(c *checker) {
			c.rules.declares = func(p *shogi.Position, rule shogi.EnteringKingRule) bool {
				q := *p
				if q.SideToMove() == shogi.Black {
					q = q.Rotated()
				}
				return q.CanDeclare(rule)
			}
		}, "CanDeclare is true"},
		{"a declaration in check", func(c *checker) {
			c.rules.declares = func(p *shogi.Position, rule shogi.EnteringKingRule) bool {
				s := p.Setup()
				for sq := range p.Checkers().All() {
					s.Board[sq] = shogi.NoPiece
				}
				q, err := s.Position()
				return err == nil && q.CanDeclare(rule)
			}
		}, "CanDeclare is true"},
		{"always a check", func(c *checker) { c.rules.hasCheck = func(*shogi.Position) bool { return true } }, "HasCheck is true"},
		{"never a check", func(c *checker) { c.rules.hasCheck = func(*shogi.Position) bool { return false } }, "HasCheck is false"},
		{"always an evasion", func(c *checker) { c.rules.hasEvasion = func(*shogi.Position) bool { return true } }, "HasEvasion after it is true"},
		{"never an evasion", func(c *checker) { c.rules.hasEvasion = func(*shogi.Position) bool { return false } }, "HasEvasion after it is false"},
		{"a captured piece lost", func(c *checker) {
			c.rules.do = func(p *shogi.Position, m shogi.Move) shogi.Undo {
				us, taken := p.SideToMove(), p.Piece(m.To())
				u := p.Do(m)
				if taken.Type() != shogi.Dragon {
					return u
				}
				s := p.Setup()
				s.Hands[us] = s.Hands[us].Remove(shogi.Rook, 1)
				if q, err := s.Position(); err == nil {
					*p = q
				}
				return u
			}
		}, "foretold it wrongly"},
		{"a move that counts as two", func(c *checker) {
			var before shogi.Position
			c.rules.do = func(p *shogi.Position, m shogi.Move) shogi.Undo {
				before = *p
				u := p.Do(m)
				s := p.Setup()
				s.Ply++
				if q, err := s.Position(); err == nil {
					*p = q
				}
				return u
			}
			c.rules.undo = func(p *shogi.Position, _ shogi.Move, _ shogi.Undo) { *p = before }
		}, "the last move led to"},
		{"undo that forgets", func(c *checker) {
			c.rules.undo = func(p *shogi.Position, m shogi.Move, u shogi.Undo) {
				p.Undo(m, u)
				if m.IsDrop() && m.Dropped() == shogi.Knight {
					*p = shogi.Start()
				}
			}
		}, "Undo does not restore the position"},
		{"a look that changes", func(c *checker) {
			c.o.MateIn1 = func(p *shogi.Position) shogi.Move {
				m := mate1.Find(p)
				if !p.InCheck() {
					p.ForSearch().DoNull()
				}
				return m
			}
		}, "looking at the position changed it"},
		{"mates overlooked", func(c *checker) {
			c.o.MateIn1 = func(*shogi.Position) shogi.Move { return shogi.NoMove }
		}, "none was found"},
		{"mates invented", func(c *checker) {
			c.o.MateIn1 = func(p *shogi.Position) shogi.Move {
				var buf shogi.MoveBuffer
				return again(p, p.LegalMoves(&buf, shogi.AllMoves))
			}
		}, "the mate in one does not mate"},
		{"mates by moves that are not legal", func(c *checker) {
			c.o.MateIn1 = func(*shogi.Position) shogi.Move { return shogi.NewMove(0, 80) }
		}, "the mate in one is not legal"},
		{"a panic", func(c *checker) {
			c.o.MateIn1 = func(p *shogi.Position) shogi.Move {
				if m := mate1.Find(p); m != shogi.NoMove {
					panic("a mate")
				}
				return shogi.NoMove
			}
		}, "panic: a mate"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := Options{Seed: 1, MaxPlies: 256, MateIn1: mate1.Find}
			c := newChecker(&o)
			test.mistake(c)
			for number := range uint64(400) {
				err := c.game(t.Context(), number)
				if err == nil {
					continue
				}
				var found *Disagreement
				if !errors.As(err, &found) {
					t.Fatalf("found %v, want %q", err, test.what)
				}
				// With the build tag debug some are found earlier, by a position itself.
				if text := found.Error(); !strings.Contains(text, test.what) && !strings.Contains(text, "panic: shogi: ") {
					t.Errorf("found %v, want %q", err, test.what)
				}
				if _, err := shogi.ParseSFEN(found.SFEN); err != nil || found.Seed != 1 || found.Game != number {
					t.Errorf("%v does not lead back to game %d (%v)", found, number, err)
				}
				return
			}
			t.Error("not found")
		})
	}
}

// What the generators all get wrong in the same way, the plain rules tell.
func TestSharedMistakeIsFound(t *testing.T) {
	forgotten := shogi.NewDrop(shogi.Knight, shogi.SquareAt(shogi.File5, shogi.RankE))
	skip := func(_ *shogi.Position, m shogi.Move) bool { return m == forgotten }
	play := func(plainEvery int) error {
		o := Options{Seed: 1, MaxPlies: 256, PlainEvery: plainEvery, MateIn1: mate1.Find}
		c := newChecker(&o)
		r := c.rules
		c.rules.pseudo, c.rules.legal = without(r.pseudo, skip), without(r.legal, skip)
		c.rules.checks, c.rules.evasions = without(r.checks, skip), without(r.evasions, skip)
		c.rules.isLegal = func(p *shogi.Position, m shogi.Move) bool { return p.IsLegal(m) && m != forgotten }
		c.rules.count = func(p *shogi.Position, set shogi.MoveSet) int {
			var buf shogi.MoveBuffer
			return len(c.rules.legal(p, &buf, set))
		}
		for number := range uint64(20) {
			if err := c.game(t.Context(), number); err != nil {
				return err
			}
		}
		return nil
	}
	if err := play(-1); err != nil {
		t.Errorf("the generators disagree with each other: %v", err)
	}
	if err := play(PlainEvery); err == nil || !strings.Contains(err.Error(), "LegalMoves of all moves lacks it, by the plain rules") {
		t.Errorf("with the plain rules: %v", err)
	}
}

// A list that differs is told with what it should be.
func TestListsAreTold(t *testing.T) {
	o := Options{Seed: 1, MaxPlies: 256, MateIn1: mate1.Find}
	c := newChecker(&o)
	c.rules.legal = without(c.rules.legal, func(_ *shogi.Position, m shogi.Move) bool { return m == shogi.NewMove(6, 5) })
	var found *Disagreement
	if err := c.game(t.Context(), 0); !errors.As(err, &found) {
		t.Fatal(err)
	}
	p := shogi.MustParseSFEN(found.SFEN)
	got, want := strings.Fields(found.Got), strings.Fields(found.Want)
	if len(want) != p.CountLegalMoves(shogi.AllMoves) || len(got) != len(want)-1 || found.Move.String() != "1g1f" ||
		!slices.Contains(want, "1g1f") || slices.Contains(got, "1g1f") {
		t.Errorf("%v\ngot  %v\nwant %v", found, got, want)
	}
}

func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stats, err := Run(ctx, Options{Positions: 1 << 62, MateIn1: mate1.Find}, func(s Stats) {
		if s.Positions > 500 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || stats.Positions <= 500 {
		t.Errorf("stopped with %v after %d positions", err, stats.Positions)
	}
}

// The random positions are of all the sorts that the checks need.
func TestStart(t *testing.T) {
	seed := shogitest.Seed(t)
	met := map[string]int{}
	for number := range uint64(4_000) {
		p := start(rand.New(rand.NewPCG(seed, number)), number)
		us, them := p.King(p.SideToMove()) != shogi.NoSquare, p.King(p.SideToMove().Opponent()) != shogi.NoSquare
		switch {
		case p.SamePosition(&initial):
			met["initial position"]++
		case us && them:
			met["two kings"]++
		case them:
			met["the other king alone"]++
		case us:
			met["the own king alone"]++
		default:
			met["no king"]++
		}
		if p.InCheck() {
			met["in check"]++
		}
		if p.Checkers().Len() > 1 {
			met["in double check"]++
		}
		if p.Hand(shogi.Black).IsEmpty() && p.Hand(shogi.White).IsEmpty() {
			met["empty hands"]++
		}
	}
	t.Log(met)
	for _, sort := range []string{"two kings", "the other king alone", "the own king alone", "no king", "in check", "in double check", "empty hands"} {
		if met[sort] < 10 {
			t.Errorf("%s: %d of 4,000", sort, met[sort])
		}
	}
	if met["initial position"] != 4_000/initialEvery {
		t.Errorf("initial position: %d of 4,000, want one in %d", met["initial position"], initialEvery)
	}
}

var initial = shogi.Start()

func BenchmarkPosition(b *testing.B) {
	for b.Loop() {
		if _, err := Run(b.Context(), Options{Seed: 1, Positions: 10_000, Workers: 1, MateIn1: mate1.Find}, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/position")
}
