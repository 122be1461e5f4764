package search

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/eval"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// A minimaxer values positions by every move of both sides, without bounds, table or order.
type minimaxer struct {
	rules play.Rules
	left  int // positions it may still look at
}

// value returns the score of p, ply plies below the root, depth plies above the leaves. line has
// the positions before.
func (m *minimaxer) value(p shogi.Position, line *shogi.Line, ply, depth int) int {
	if m.left--; m.left < 0 {
		return 0
	}
	inCheck := p.InCheck()
	switch line.Repetition(&p, inCheck) {
	case shogi.RepetitionDraws:
		return 0
	case shogi.RepetitionWins:
		return repetitionScore - ply
	case shogi.RepetitionLoses:
		return -(repetitionScore - ply)
	case shogi.RepetitionGains:
		return dominationScore - ply
	case shogi.RepetitionWastes:
		return -(dominationScore - ply)
	}
	over := m.rules.MaxMoves > 0 && p.Ply() > m.rules.MaxMoves
	if !over && p.CanDeclare(m.rules.EnteringKing) {
		return int(play.MateIn(ply + 1))
	}
	if over && m.rules.LastMove == play.MateDraws {
		return 0
	}
	var buf shogi.MoveBuffer
	moves := p.LegalMoves(&buf, shogi.UsefulMoves)
	if len(moves) == 0 {
		return int(play.MatedIn(ply))
	}
	if over && !(m.rules.LastMove == play.ExtendChecks && (inCheck || line.WasCheck())) {
		return 0
	}
	if depth == 0 {
		s := eval.NewState(nil)
		s.Reset(&p)
		return s.Value(&p)
	}
	line.Push(&p, inCheck)
	defer line.Pop()
	best := -infinite
	for _, move := range moves {
		child := p
		child.Do(move)
		best = max(best, -m.value(child, line, ply+1, depth-1))
	}
	return best
}

// root returns the value of the current position of g, and the moves that reach it.
func (m *minimaxer) root(g *shogi.Game, depth int) (best int, moves []shogi.Move) {
	p, line := g.Position(), g.Line()
	line.Push(&p, p.InCheck())
	best = -infinite
	var buf shogi.MoveBuffer
	for _, move := range p.LegalMoves(&buf, shogi.AllMoves) {
		child := p
		child.Do(move)
		switch v := -m.value(child, line, 1, depth-1); {
		case v > best:
			best, moves = v, []shogi.Move{move}
		case v == best:
			moves = append(moves, move)
		}
	}
	return best, moves
}

// randomGame returns a game with a king on each side that is not over.
func randomGame(rng *rand.Rand, problems *solvertest.Random) *shogi.Game {
	for {
		var p shogi.Position
		switch rng.IntN(8) {
		case 6, 7:
			var ok bool
			if p, ok = nearMate(rng); !ok {
				continue
			}
		case 0:
			p = problems.Game()
		case 1:
			p = problems.Crowded()
		case 2:
			p = problems.Interposition()
		case 3:
			p = problems.Chase()
		default:
			var ok bool
			if p, ok = fewPieces(rng); !ok {
				continue
			}
		}
		g := shogi.NewGame(p)
		for range rng.IntN(6) { // so that there is something to repeat
			var buf shogi.MoveBuffer
			p := g.Position()
			moves := p.LegalMoves(&buf, shogi.AllMoves)
			if len(moves) == 0 {
				break
			}
			g.Do(moves[rng.IntN(len(moves))])
		}
		p = g.Position()
		if p.King(shogi.Black) != shogi.NoSquare && p.King(shogi.White) != shogi.NoSquare && p.CountLegalMoves(shogi.AllMoves) > 0 {
			return &g
		}
	}
}

// fewPieces returns a position of two kings and a few pieces, so that four plies are few moves.
func fewPieces(rng *rand.Rand) (shogi.Position, bool) {
	s := shogi.Setup{Side: shogi.Color(rng.IntN(2)), Ply: 1}
	put := func(c shogi.Color, kind shogi.PieceType) {
		if sq := shogi.Square(rng.IntN(shogi.NumSquares)); s.Board[sq] == shogi.NoPiece && !shogi.IsDead(c, kind, sq) {
			s.Board[sq] = shogi.PieceOf(c, kind)
		}
	}
	put(shogi.Black, shogi.King)
	put(shogi.White, shogi.King)
	for range rng.IntN(6) {
		kind := shogi.Pawn + shogi.PieceType(rng.IntN(int(shogi.Gold)))
		if kind.CanPromote() && rng.IntN(3) == 0 {
			kind = kind.Promoted()
		}
		put(shogi.Color(rng.IntN(2)), kind)
	}
	if rng.IntN(3) == 0 {
		s.Hands[rng.IntN(2)] = shogi.Hand(0).Add(shogi.Pawn+shogi.PieceType(rng.IntN(int(shogi.Gold))), 1)
	}
	p, err := s.Position()
	return p, err == nil
}

// nearMate returns a position with a king at an edge, a piece or two beside it, and one or two in
// the other side's hand.
func nearMate(rng *rand.Rand) (shogi.Position, bool) {
	s := shogi.Setup{Side: shogi.Color(rng.IntN(2)), Ply: 1}
	king := shogi.SquareAt(shogi.File(rng.IntN(9)), shogi.RankA)
	s.Board[king] = shogi.PieceOf(shogi.White, shogi.King)
	s.Board[shogi.SquareAt(shogi.File(rng.IntN(9)), shogi.RankI)] = shogi.PieceOf(shogi.Black, shogi.King)
	strong := []shogi.PieceType{shogi.Gold, shogi.Silver, shogi.Tokin, shogi.Pawn, shogi.Rook, shogi.Bishop, shogi.Lance}
	for range 1 + rng.IntN(3) {
		file, rank := int(king.File())+rng.IntN(5)-2, shogi.Rank(1+rng.IntN(3))
		if file < 0 || file > 8 {
			continue
		}
		sq := shogi.SquareAt(shogi.File(file), rank)
		s.Board[sq] = shogi.PieceOf(shogi.Color(rng.IntN(4)/3), strong[rng.IntN(4)])
	}
	for range 1 + rng.IntN(2) {
		s.Hands[shogi.Black] = s.Hands[shogi.Black].Add(strong[rng.IntN(len(strong))].Base(), 1)
	}
	p, err := s.Position()
	if err == nil && rng.IntN(2) == 0 {
		p = p.Rotated()
	}
	return p, err == nil
}

// Alpha-beta is minimax: the plain search finds the same value, and one of the best moves.
func TestMinimax(t *testing.T) {
	const games, budget = 300, 6000
	seed := shogitest.Seed(t)
	rng, problems := rand.New(rand.NewPCG(seed, 1)), solvertest.NewRandom(seed, 2)
	e := NewPlain(Options{TableBytes: 1 << 10})
	var compared [5]int
	draws, mates := 0, 0
	for range games {
		g := randomGame(rng, problems)
		p := g.Position()
		rules := play.Rules{LastMove: play.LastMoveRule(rng.IntN(3))}
		if rng.IntN(3) == 0 {
			rules.MaxMoves = p.Ply() + rng.IntN(4)
		}
		for depth := 1; depth <= 4; depth++ {
			m := minimaxer{rules: rules, left: budget}
			want, best := m.root(g, depth)
			if m.left < 0 {
				break
			}
			compared[depth]++
			c := e.Search(context.Background(), g, play.Limits{Depth: depth, Rules: rules}, nil)
			if int(c.Score) != want || !slices.Contains(best, c.Move) {
				t.Fatalf("%s after %v, depth %d, %+v: %s for %d, by minimax %v for %d",
					p.SFEN(), g.Moves(), depth, rules, c.Move, c.Score, best, want)
			}
			if _, ok := c.Score.Mate(); ok {
				mates++
			} else if want == 0 {
				draws++
			}
		}
	}
	t.Logf("compared %v at depths 1 to 4: %d mates, %d draws", compared[1:], mates, draws)
	if compared[1] < games || compared[2] < games/2 || compared[3] < games/10 || compared[4] < games/40 || mates < games/60 || draws < games/20 {
		t.Error("too few of some kind")
	}
}

// Within three moves of the limit a search that prunes, and whose table remembers the same positions
// at other plies, finds what full width to the end finds.
func TestNearLimit(t *testing.T) {
	games := 160
	if testing.Short() {
		games = 80
	}
	seed := shogitest.Seed(t)
	rng, problems := rand.New(rand.NewPCG(seed, 3)), solvertest.NewRandom(seed, 4)
	e := New(Options{TableBytes: 1 << 20})
	compared, mates := 0, 0
	for range games {
		g := randomGame(rng, problems)
		p := g.Position()
		for _, rule := range []play.LastMoveRule{play.MateWins, play.MateDraws} {
			for _, left := range rng.Perm(3) {
				rules := play.Rules{MaxMoves: p.Ply() + left, LastMove: rule}
				m := minimaxer{rules: rules, left: 30_000}
				want, best := m.root(g, left+2) // the last position is past the limit
				if m.left < 0 {
					continue
				}
				compared++
				c := e.Search(context.Background(), g, play.Limits{Depth: 5, Rules: rules}, nil)
				score := int(c.Score)
				if isMate(want) {
					mates++
				}
				if isMate(score) != isMate(want) || cmp.Compare(score, 0) != cmp.Compare(want, 0) ||
					!isMate(want) && !slices.Contains(best, c.Move) {
					t.Errorf("%s after %v, %+v: %s for %d, by minimax %v for %d",
						p.SFEN(), g.Moves(), rules, c.Move, c.Score, best, want)
				}
			}
		}
	}
	t.Logf("compared %d times, %d mates", compared, mates)
	if compared < 3*games || mates < compared/100 {
		t.Errorf("compared %d times, %d mates: too few", compared, mates)
	}
}

// What a repetition is worth to the side to move: which way the score points, and that it is not
// taken for a mate.
func TestRepetitionScores(t *testing.T) {
	const (
		pawns = "sfen 4k4/9/9/9/9/9/9/9/4K4 b 2P 1"
		rook  = "sfen 8k/9/9/9/9/9/9/9/K6R1 b - 1"
		// Two pawns go from Black to White, and back.
		give = " P*5b 5a5b 5i4i 5b5a P*5b 5a5b 4i5i 5b5a"
		back = " 5i4i P*4h 4i4h 5a4a 4h4i P*4h 4i4h 4a4b 4h5i 4b5a"
	)
	for _, test := range []struct {
		name, game, searched string
		want                 int // the sign
	}{
		{"draw", pawns, " 5i4i 5a4a 4i5i 4a5a", 0},
		{"less in hand", pawns, give, -1},
		{"more in hand", pawns + " moves" + give, back, 1},
		{"perpetual check, the checker to move", rook, " 2i1i 1a2a 1i2i 2a1a", -1},
		{"perpetual check, the checked side to move", rook, " 2i1i 1a2a 1i2i 2a1a 2i1i", 1},
	} {
		g, err := shogi.ParsePosition(test.game)
		if err != nil {
			t.Fatal(err)
		}
		s := New(Options{TableBytes: 1 << 10}).searchers[0]
		s.begin(&g, play.Rules{}, play.Limits{})
		ply := 0
		for _, text := range strings.Fields(test.searched) {
			m, err := shogi.ParseMove(text)
			if err != nil || !s.p.IsLegal(m) {
				t.Fatalf("%s: %s is not legal in %s (%v)", test.name, text, s.p.SFEN(), err)
			}
			ci := s.p.CheckInfo()
			s.do(m, ply, s.p.GivesCheck(m, &ci))
			ply++
		}
		score, ok := s.settled(ply, s.p.InCheck())
		if !ok || cmp.Compare(score, 0) != test.want || isMate(score) {
			t.Errorf("%s: %d, %v, want the sign %d", test.name, score, ok, test.want)
		}
	}
}

// What the table knows of a position depends on who was asked only if a draw is not worth the same to
// both.
func TestKeyAndDrawValue(t *testing.T) {
	for _, value := range []int{0, -2} {
		s := New(Options{TableBytes: 1 << 10, DrawValue: value}).searchers[0]
		g := shogi.NewGame(shogi.Start())
		m, _ := shogi.ParseMove("7g7f")
		s.begin(&g, play.Rules{}, play.Limits{})
		s.do(m, 0, false)
		askedBlack := s.key()
		g.Do(m)
		s.begin(&g, play.Rules{}, play.Limits{})
		if askedWhite := s.key(); (askedBlack == askedWhite) != (value == 0) {
			t.Errorf("DrawValue %d: the keys are %x and %x", value, askedBlack, askedWhite)
		}
	}
}

// The solver of mates at the root gets the plies that are left.
func TestPliesLeft(t *testing.T) {
	for _, test := range []struct {
		ply   int
		rules play.Rules
		want  int
	}{
		{1, play.Rules{}, -1},
		{1, play.Rules{MaxMoves: 256}, 256},
		{255, play.Rules{MaxMoves: 256}, 2},
		{256, play.Rules{MaxMoves: 256}, 1},
		{255, play.Rules{MaxMoves: 256, LastMove: play.MateDraws}, 1},
		{256, play.Rules{MaxMoves: 256, LastMove: play.MateDraws}, 0},
		{256, play.Rules{MaxMoves: 256, LastMove: play.ExtendChecks}, -1},
	} {
		setup := shogi.Setup{Ply: test.ply}
		p, err := setup.Position()
		if err != nil {
			t.Fatal(err)
		}
		r := root{searcher: &searcher{p: p, rules: test.rules}}
		if got := r.pliesLeft(); got != test.want {
			t.Errorf("ply %d under %+v: %d plies are left, want %d", test.ply, test.rules, got, test.want)
		}
	}
}
