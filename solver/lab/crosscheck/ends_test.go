package crosscheck

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/solvertest"
)

var endGames = flag.Int("crosscheck.ends", 0, "play `N` games to compare how they end; 0 is a few")

// A referee judges a game by the words of the rules alone. It keeps every position as text and
// counts in it; only legal moves and checks are left to the plain board.
type referee struct {
	board mailbox.Board
	ply   int // number of the next move
	// One for each position of the game, the current one last: board, side to move and hands as in
	// an SFEN, and whether the side to move is in check.
	seen    []string
	checked []bool
}

func newReferee(p *shogi.Position) *referee {
	r := &referee{board: mailbox.From(p), ply: p.Ply()}
	r.see()
	return r
}

func (r *referee) do(m shogi.Move) {
	r.board.Do(m)
	r.ply++
	r.see()
}

func (r *referee) see() {
	sfen := r.board.SFEN()
	r.seen = append(r.seen, sfen[:strings.LastIndexByte(sfen, ' ')])
	r.checked = append(r.checked, r.board.InCheck(r.board.SideToMove()))
}

// gaveCheck returns whether the move so many before the last one gave check. A game that begins in
// check began with one.
func (r *referee) gaveCheck(before int) bool {
	i := len(r.checked) - 1 - before
	return i >= 0 && r.checked[i]
}

// repetition is the rule of the fourth occurrence: the game is drawn (千日手), unless one side gave
// check with all of its moves since the first of the four (連続王手の千日手), which loses.
func (r *referee) repetition() play.Outcome {
	now := len(r.seen) - 1
	first, times := 0, 0
	for i := now; i >= 0 && times < 4; i-- {
		if r.seen[i] == r.seen[now] {
			first, times = i, times+1
		}
	}
	if times < 4 {
		return play.Outcome{}
	}
	side := r.board.SideToMove()
	// The last position follows a move of the opponent, the one before it a move of the side to move.
	opponentChecks, sideChecks := true, true
	for i := now; i > first; i -= 2 {
		opponentChecks = opponentChecks && r.checked[i]
		sideChecks = sideChecks && r.checked[i-1]
	}
	switch {
	case opponentChecks && !sideChecks:
		return play.Outcome{End: play.PerpetualLost, Winner: side}
	case sideChecks && !opponentChecks:
		return play.Outcome{End: play.PerpetualLost, Winner: side.Opponent()}
	}
	return play.Outcome{End: play.Repetition}
}

// noMove says how the game ends for want of a legal move, if it does.
func (r *referee) noMove() play.Outcome {
	switch {
	case r.board.HasLegalMove():
		return play.Outcome{}
	case r.gaveCheck(0):
		return play.Outcome{End: play.Mate, Winner: r.board.SideToMove().Opponent()}
	}
	return play.Outcome{End: play.NoMove, Winner: r.board.SideToMove().Opponent()}
}

// limit says how a game ends whose last move is maxMoves, 0 for any, if it did not end by
// repetition. noMove is how it ends without a limit.
func (r *referee) limit(maxMoves int, rule play.LastMoveRule, noMove play.Outcome) play.Outcome {
	switch over := maxMoves > 0 && r.ply > maxMoves; {
	case !over:
		return noMove
	case rule == play.MateDraws:
		return play.Outcome{End: play.MoveLimit}
	case noMove.End != play.NotOver:
		return noMove
	case rule == play.ExtendChecks && (r.gaveCheck(0) || r.gaveCheck(1)):
		return play.Outcome{}
	}
	return play.Outcome{End: play.MoveLimit}
}

// A claim is what the 27-point rule (入玉宣言法) asks of the side to move.
type claim struct {
	king    bool // its king is in the last three ranks, and not in check
	pieces  int  // other pieces that it has there, of ten
	missing int  // points to 28 for Black, 27 for White: they and its hand, a major piece for 5
}

func (c claim) holds() bool { return c.king && c.pieces >= 10 && c.missing <= 0 }

func (r *referee) claim() claim {
	fields := strings.Fields(r.seen[len(r.seen)-1])
	ranks := strings.Split(fields[0], "/")
	camp, own, c := ranks[:3], "PLNSGBRK", claim{missing: 28}
	if fields[1] == "w" {
		camp, own, c = ranks[6:], "plnsgbrk", claim{missing: 27}
	}
	points := func(letter rune) int {
		if strings.ContainsRune("BRbr", letter) {
			return 5
		}
		return 1
	}
	for _, letter := range strings.Join(camp, "") {
		switch {
		case !strings.ContainsRune(own, letter):
		case letter == 'K' || letter == 'k':
			c.king = !r.gaveCheck(0)
		default:
			c.pieces++
			c.missing -= points(letter)
		}
	}
	count := 0
	for _, letter := range fields[2] {
		if '0' <= letter && letter <= '9' {
			count = 10*count + int(letter-'0')
			continue
		}
		if strings.ContainsRune(own, letter) {
			c.missing -= max(1, count) * points(letter)
		}
		count = 0
	}
	return c
}

// A habit is how a side plays where nothing but luck would seldom end a game by repetition.
type habit int

const (
	anyhow   habit = iota
	toAndFro       // takes its last move back
	checking       // checks, and takes its last move back if that checks

	habits = iota
)

// next returns a legal move, which there must be.
func (h habit) next(rng *rand.Rand, p *shogi.Position, own []shogi.Move) shogi.Move {
	var buf, checkBuf shogi.MoveBuffer
	legal := p.LegalMoves(&buf, shogi.AllMoves)
	checks := p.Checks(&checkBuf, shogi.AllMoves)
	if h == anyhow || rng.IntN(64) == 0 {
		return choose(rng, p, legal, checks)
	}
	from := legal
	if h == checking && len(checks) > 0 {
		from = checks
	}
	if n := len(own); n > 0 && !own[n-1].IsDrop() {
		for _, m := range from {
			if m == shogi.NewMove(own[n-1].To(), own[n-1].From()) {
				return m
			}
		}
	}
	return from[rng.IntN(len(from))]
}

// TestEnds compares how games end, and whether a side may declare its win, with the words of the
// rules: after every move, with the limit of moves just before and behind it. The games begin with
// kings that have entered, near a mate, or with checks that can go round.
func TestEnds(t *testing.T) {
	games := 3_000
	switch {
	case *endGames > 0:
		games = *endGames
	case testing.Short():
		games = 600
	}
	seed := shogitest.Seed(t)
	met := map[string]int{}
	for number := range games {
		compareEnds(t, seed, uint64(number), met)
	}
	t.Logf("%d games: %v", games, met)
	for _, kind := range []string{"repetition", "perpetual by black", "perpetual by white", "mate",
		"nomove", "limit", "a check extends", "declares", "a point too many", "a point short",
		"a piece short"} {
		if met[kind] < games/100 {
			t.Errorf("%s: %d times", kind, met[kind])
		}
	}
}

// compareEnds plays a game and adds to met what its positions are examples of.
func compareEnds(t *testing.T, seed, number uint64, met map[string]int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, number))
	problems := solvertest.RandomFrom(rng)
	var p shogi.Position
	switch number % 4 {
	case 0:
		p = start(rng, number/4)
	case 1:
		p = problems.Entered()
	default:
		p = problems.Chase()
	}
	s := p.Setup()
	s.Ply = 1 + rng.IntN(512)
	p, err := s.Position()
	if err != nil {
		t.Fatal(err)
	}
	players := [2]habit{habit(rng.IntN(habits)), habit(rng.IntN(habits))}
	var own [2][]shogi.Move
	g, r := shogi.NewGame(p), newReferee(&p)
	for range 64 {
		p := g.Position()
		repeated, noMove, claimed := r.repetition(), r.noMove(), r.claim()
		for _, maxMoves := range []int{0, p.Ply() - 2, p.Ply() - 1, p.Ply()} {
			for _, rule := range []play.LastMoveRule{play.MateWins, play.MateDraws, play.ExtendChecks} {
				rules := play.Rules{MaxMoves: max(0, maxMoves), LastMove: rule}
				want := repeated
				if want.End == play.NotOver {
					want = r.limit(rules.MaxMoves, rule, noMove)
				}
				declares := claimed.holds() && (rules.MaxMoves == 0 || r.ply <= rules.MaxMoves)
				got := rules.Outcome(&g)
				if !got.End.IsWon() {
					got.Winner = want.Winner // means nothing
				}
				if got != want || rules.CanDeclare(&p) != declares {
					t.Fatalf("seed %d, game %d: %s after %d moves, %+v: %+v, declares: %v; by the words "+
						"of the rules %+v, declares: %v", seed, number, p.SFEN(), len(g.Moves()), rules,
						got, rules.CanDeclare(&p), want, declares)
				}
			}
		}
		r.count(met, repeated, noMove, claimed)
		if repeated.End != play.NotOver || noMove.End != play.NotOver {
			return
		}
		us := p.SideToMove()
		m := players[us].next(rng, &p, own[us])
		own[us] = append(own[us], m)
		g.Do(m)
		r.do(m)
	}
}

// count notes what the current position is an example of.
func (r *referee) count(met map[string]int, repeated, noMove play.Outcome, c claim) {
	switch {
	case repeated.End == play.PerpetualLost:
		met["perpetual by "+repeated.Winner.Opponent().String()]++
	case repeated.End != play.NotOver:
		met[repeated.End.String()]++
	case noMove.End != play.NotOver:
		met[noMove.End.String()]++
	case r.gaveCheck(0) || r.gaveCheck(1):
		met["a check extends"]++
	default:
		met["limit"]++
	}
	switch {
	case !c.king:
	case c.holds():
		met["declares"]++
		if c.missing == -1 {
			met["a point too many"]++
		}
	case c.pieces >= 10 && c.missing == 1:
		met["a point short"]++
	case c.pieces == 9 && c.missing <= 0:
		met["a piece short"]++
	}
}
