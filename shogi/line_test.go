package shogi_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// push pushes the position of p, plays m, or passes if m is NoMove, and returns what the line says
// of the position after it.
func push(l *shogi.Line, p *shogi.Position, m shogi.Move) shogi.LineRepetition {
	if m == shogi.NoMove {
		l.PushNull(p)
		p.ForSearch().DoNull()
	} else {
		l.Push(p, p.InCheck())
		p.Do(m)
	}
	return l.Repetition(p, p.InCheck())
}

func TestLineRepetition(t *testing.T) {
	const (
		rook     = "8k/9/9/9/9/9/9/9/7R1 b - 1"
		kings    = "4k4/9/9/9/9/9/9/9/4K4 b - 1"
		pawns    = "4k4/9/9/9/9/9/9/9/4K4 b 2P 1"
		checking = " 2i1i 1a2a 1i2i 2a1a"
		quiet    = " 2i3i 1a1b 3i2i 1b1a"
		shuffle  = " 5i4i 5a4a 4i5i 4a5a"
		// Two pawns go from Black to White, and back.
		give = " P*5b 5a5b 5i4i 5b5a P*5b 5a5b 4i5i 5b5a"
		back = " 5i4i P*4h 4i4h 5a4a 4h4i P*4h 4i4h 4a4b 4h5i 4b5a"
	)
	for _, test := range []struct {
		name, start  string
		game, search string // null is a pass
		want         shogi.LineRepetition
	}{
		{"nothing played", kings, "", "", shogi.NoLineRepetition},
		{"new position", kings, "", " 5i4i", shogi.NoLineRepetition},
		{"once in the search", kings, "", shuffle, shogi.RepetitionDraws},
		{"once in the search, of a position after the root", kings, "", " 5i4i" + " 5a4a 4i5i 4a5a 5i4i", shogi.RepetitionDraws},
		{"a move short of it", kings, "", " 5i4i 5a4a 4i5i", shogi.NoLineRepetition},
		{"once in the game", kings, shuffle + " 5i4i 5a4a 4i5i", " 4a4b", shogi.NoLineRepetition},
		{"of the first position of the game", kings, " 5i4i 5a4a 4i5i", " 4a5a", shogi.NoLineRepetition},
		{"twice in the game", kings, shuffle + " 5i4i 5a4a 4i5i", " 4a5a", shogi.RepetitionDraws},
		{"three times in the game", kings, shuffle + shuffle + " 5i4i 5a4a 4i5i", " 4a5a", shogi.RepetitionDraws},
		{"the root is a position of the search", kings, " 5i4i 5a4a", " 4i5i 4a5a 5i4i 5a4a", shogi.RepetitionDraws},

		{"perpetual check, the checker to move", rook, "", checking, shogi.RepetitionLoses},
		{"perpetual check, the checked side to move", rook, "", checking + " 2i1i", shogi.RepetitionWins},
		{"one move is no check", rook, "", " 2i1i 1a2a 1i3i 2a1b 3i2i 1b1a", shogi.RepetitionDraws},
		{"perpetual check three times in the game", rook, checking + checking + " 2i1i 1a2a 1i2i", " 2a1a", shogi.RepetitionLoses},
		{"perpetual check twice in the game", rook, checking + " 2i1i 1a2a 1i2i", " 2a1a", shogi.RepetitionLoses},
		{"the last move ends the checks", rook, checking + checking, " 2i1i 1a2a 1i9i 2a1b 9i2i 1b1a", shogi.RepetitionDraws},
		// With one more round of checks it would be the fourth occurrence, and a draw.
		{"the round before was quiet", rook, quiet, checking, shogi.RepetitionDraws},
		{"the round before that was quiet", rook, quiet, checking + checking, shogi.RepetitionDraws},
		{"three rounds of checks after a quiet one", rook, quiet, checking + checking + checking, shogi.RepetitionLoses},

		{"passing twice", kings, "", " null null", shogi.NoLineRepetition},
		{"a pass in between", kings, "", " 5i4i null 4i5i 5a4a null 4a5a", shogi.NoLineRepetition},
		{"a pass before", kings, "", " null" + " 5a4a 5i4i 4a5a 4i5i", shogi.RepetitionDraws},
		{"a pass before the game's positions count", kings, shuffle + shuffle, " 5i4i null 4i5i 5a4a null 4a5a", shogi.NoLineRepetition},

		{"less in hand", pawns, "", give, shogi.RepetitionWastes},
		{"less in hand, the other to move", pawns, "", give + " 5i4i", shogi.NoLineRepetition},
		{"less in hand than in the game", pawns, " P*5b", " 5a5b 5i4i 5b5a P*5b 5a5b 4i5i 5b5a", shogi.NoLineRepetition},
		{"more in hand", pawns, give, back, shogi.RepetitionGains},
		{"less, then the same", pawns, "", give + back, shogi.RepetitionDraws},
		{"less, then the same, for the fourth time", pawns, shuffle + shuffle, give + back, shogi.RepetitionDraws},
		{"less, then a repetition", pawns, "", give + shuffle, shogi.RepetitionDraws},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := shogi.MustParseSFEN(test.start)
			shogitest.BothWays(t, p, func(t *testing.T, p shogi.Position, turn func(shogi.Move) shogi.Move) {
				g := shogi.NewGame(p)
				for _, text := range strings.Fields(test.game) {
					g.Do(turn(mustParseMove(t, text)))
				}
				l, p := g.Line(), g.Position()
				var got shogi.LineRepetition
				for _, text := range strings.Fields(test.search) {
					m := shogi.NoMove
					if text != "null" {
						if m = turn(mustParseMove(t, text)); !p.IsLegal(m) {
							t.Fatalf("%s: %s is not legal", p.SFEN(), m)
						}
						g.Do(m)
					}
					got = push(l, &p, m)
				}
				if got != test.want {
					t.Errorf("%s moves%s, searched%s: %v, want %v", test.start, test.game, test.search, got, test.want)
				}
				if !strings.Contains(test.search, "null") {
					if r := g.Repetition(); r != shogi.NoRepetition && (r == shogi.Sennichite) != (got == shogi.RepetitionDraws) {
						t.Errorf("%s moves%s%s: %v, the game says %v", test.start, test.game, test.search, got, r)
					}
				}
			})
		})
	}
}

// A plainLine is the positions of a game and of a search, all of them.
type plainLine struct {
	past []plainOccurrence
	root int
}

type plainOccurrence struct {
	board   mailbox.Board // without its move number
	inCheck bool
	passed  bool
}

// repetition is Line.Repetition by the words of its documentation. The current position is the last.
func (l *plainLine) repetition() shogi.LineRepetition {
	last := len(l.past) - 1
	now := l.past[last]
	first := last // after the last pass
	for first > 0 && !l.past[first-1].passed {
		first--
	}
	var same []int // where the position was before, the latest first
	for i := last - 1; i >= first && len(same) < 3; i-- {
		if l.past[i].board == now.board {
			same = append(same, i)
		}
	}
	us := now.board.SideToMove()
	if len(same) > 1 || len(same) == 1 && same[0] >= l.root {
		// Of the moves since the first of them, those of one side led to positions in check, and all
		// of the other side's did not.
		all := map[shogi.Color]bool{shogi.Black: true, shogi.White: true}
		for _, after := range l.past[same[len(same)-1]+1:] {
			if !after.inCheck {
				all[after.board.SideToMove().Opponent()] = false
			}
		}
		switch {
		case all[us] && !all[us.Opponent()]:
			return shogi.RepetitionLoses
		case all[us.Opponent()] && !all[us]:
			return shogi.RepetitionWins
		}
		return shogi.RepetitionDraws
	}
	for i := last - 1; i >= max(first, l.root); i-- {
		before := l.past[i].board
		if !sameSquares(&before, &now.board) || before.SideToMove() != us {
			continue
		}
		more, less := false, false
		for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
			more = more || now.board.Held(us, kind) > before.Held(us, kind)
			less = less || now.board.Held(us, kind) < before.Held(us, kind)
		}
		switch {
		case more && !less:
			return shogi.RepetitionGains
		case less && !more:
			return shogi.RepetitionWastes
		}
	}
	return shogi.NoLineRepetition
}

func sameSquares(a, b *mailbox.Board) bool {
	for sq := range shogi.Square(shogi.NumSquares) {
		if a.Piece(sq) != b.Piece(sq) {
			return false
		}
	}
	return true
}

// A walker plays at random on a Line and on a plainLine, and takes moves back.
type walker struct {
	t     *testing.T
	rng   *rand.Rand
	check func(*shogi.Position) bool // whether the side to move counts as in check
	line  *shogi.Line
	plain plainLine
	path  []shogi.Move // from the start of the game; NoMove is a pass
	start shogi.Position
	met   map[string]int
}

func (w *walker) add(p *shogi.Position) {
	b := mailbox.From(p)
	w.plain.past = append(w.plain.past, plainOccurrence{board: b.Position(), inCheck: w.check(p)})
}

// compare asks about p, the last position of the plain line.
func (w *walker) compare(p *shogi.Position) {
	got, want := w.line.Repetition(p, w.check(p)), w.plain.repetition()
	if got != want {
		w.t.Fatalf("%s, %d positions in the game, then %v: %v, by the plain rule %v",
			w.start.SFEN(), w.plain.root, w.path, got, want)
	}
	if last := len(w.plain.past) - 1; last > 0 && !w.plain.past[last-1].passed && w.line.WasCheck() != w.plain.past[last-1].inCheck {
		w.t.Fatalf("%s, then %v: before the last move there was a check: %v", w.start.SFEN(), w.path, w.line.WasCheck())
	}
	w.met[[...]string{"nothing", "draws", "wins", "loses", "gains", "wastes"}[got]]++
	if !slices.Contains(w.path, shogi.NoMove) {
		if r, ok := fourth(w.start, w.path, w.check); ok {
			w.met["fourth occurrence"]++
			if got != r {
				w.t.Fatalf("%s moves %v: %v, by the game %v", w.start.SFEN(), w.path, got, r)
			}
		}
	}
}

// fourth plays a game and returns what it says of its last position in the words of a search, if
// that has occurred four times. It can say nothing of checks that are invented.
func fourth(start shogi.Position, path []shogi.Move, check func(*shogi.Position) bool) (shogi.LineRepetition, bool) {
	g := shogi.NewGame(start)
	for _, m := range path {
		p := g.Position()
		if check(&p) != p.InCheck() {
			return 0, false
		}
		g.Do(m)
	}
	p := g.Position()
	loser := shogi.Black
	switch g.Repetition() {
	case shogi.NoRepetition:
		return 0, false
	case shogi.Sennichite:
		return shogi.RepetitionDraws, true
	case shogi.PerpetualByWhite:
		loser = shogi.White
	}
	if p.SideToMove() == loser {
		return shogi.RepetitionLoses, true
	}
	return shogi.RepetitionWins, true
}

// next returns a random legal move of p: often one that takes back the last but one, a check, a
// capture or a drop beside the other king; or NoMove.
func (w *walker) next(p *shogi.Position, passes bool) shogi.Move {
	var buf shogi.MoveBuffer
	moves := p.LegalMoves(&buf, shogi.AllMoves)
	if len(moves) == 0 || passes && !w.check(p) && !p.InCheck() && w.rng.IntN(12) == 0 {
		return shogi.NoMove
	}
	wish := func(m shogi.Move) bool { return true }
	switch w.rng.IntN(8) {
	case 0, 1, 2, 3:
		if n := len(w.path); n >= 2 && !w.path[n-2].IsDrop() {
			back := shogi.NewMove(w.path[n-2].To(), w.path[n-2].From())
			wish = func(m shogi.Move) bool { return m == back }
		}
	case 4, 5:
		wish = func(m shogi.Move) bool { return p.Piece(m.To()) != shogi.NoPiece }
	case 6:
		info := p.CheckInfo()
		wish = func(m shogi.Move) bool { return p.GivesCheck(m, &info) }
	case 7: // a piece to take
		beside := shogi.Neighbours(p.King(p.SideToMove().Opponent()))
		wish = func(m shogi.Move) bool { return m.IsDrop() && beside.Has(m.To()) }
	}
	first := w.rng.IntN(len(moves))
	for i := range moves {
		if m := moves[(first+i)%len(moves)]; wish(m) {
			return m
		}
	}
	return moves[first]
}

// search walks from p, whose occurrence is the last of the plain line, and comes back.
func (w *walker) search(p *shogi.Position, depth int) {
	w.compare(p)
	for range 1 + w.rng.IntN(8)/7 {
		m := w.next(p, true)
		if m == shogi.NoMove && (p.InCheck() || w.check(p)) || depth == 0 {
			return
		}
		var undo shogi.Undo
		if m == shogi.NoMove {
			w.line.PushNull(p)
			w.plain.past[len(w.plain.past)-1].passed = true
			p.ForSearch().DoNull()
		} else {
			w.line.Push(p, w.check(p))
			undo = p.Do(m)
		}
		w.path = append(w.path, m)
		w.add(p)
		w.search(p, depth-1)
		w.plain.past = w.plain.past[:len(w.plain.past)-1]
		w.path = w.path[:len(w.path)-1]
		w.line.Pop()
		if m == shogi.NoMove {
			p.ForSearch().UndoNull()
			w.plain.past[len(w.plain.past)-1].passed = false
		} else {
			p.Undo(m, undo)
		}
	}
}

// TestLineAgainstPlainRule walks at random where little else can happen than that kings go to and
// fro, somebody checks, and pieces are taken and dropped.
func TestLineAgainstPlainRule(t *testing.T) {
	starts := []string{
		"4k4/9/9/9/9/9/9/9/4K4 b - 1",
		"k8/9/9/9/9/9/9/9/8K b 2P 1",
		"k8/9/1K7/9/9/9/9/9/9 b 2p 1",
		"kl7/pp7/9/9/9/9/7G1/7PP/7LK b - 1",
		"k8/2G6/9/9/9/9/6g2/9/8K b - 1",
		"kn7/pp7/9/9/9/9/9/7PP/7NK b Rr 1",
		"8k/9/9/9/9/9/9/9/7RK b - 1",
		"k8/7R1/9/9/9/9/9/1r7/8K w - 1",
	}
	walks := 300
	if testing.Short() {
		walks = 60
	}
	rng := shogitest.NewRand(t)
	met := map[string]int{}
	for number := range walks * len(starts) {
		w := walker{t: t, rng: rng, met: met, start: shogi.MustParseSFEN(starts[number%len(starts)])}
		if number%2 == 1 {
			w.start = w.start.Rotated()
		}
		w.check = (*shogi.Position).InCheck
		plies := rng.IntN(24) // of the game
		if kind := rng.IntN(6); kind > 2 {
			// Perpetual checks are rare, and by both sides at once they hardly exist. For the rule
			// a check is no more than a mark on a position, but a Game sets its marks itself.
			plies = 0
			salt := rng.Uint64() | 1
			w.check = func(p *shogi.Position) bool {
				n := p.Key() * salt >> 60
				return n < 14 && (kind == 3 || (kind == 4) == (p.SideToMove() == shogi.Black))
			}
		}
		g := shogi.NewGame(w.start)
		p := w.start
		for range plies {
			m := w.next(&p, false)
			if m == shogi.NoMove {
				break
			}
			w.add(&p)
			g.Do(m)
			p.Do(m)
			w.path = append(w.path, m)
		}
		w.line = g.Line()
		w.plain.root = len(w.plain.past)
		w.add(&p)
		w.search(&p, 24)
		if w.line.Seen() != g.Line().Seen() {
			t.Fatal("what was popped is not forgotten")
		}
	}
	t.Log(met)
	for _, kind := range []string{"nothing", "draws", "wins", "loses", "gains", "wastes", "fourth occurrence"} {
		if met[kind] < walks/4 {
			t.Errorf("%s: %d times", kind, met[kind])
		}
	}
}
