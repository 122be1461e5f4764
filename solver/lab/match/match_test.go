package match_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/lab/match"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/levels"
)

// A fake is a player that does what a function says.
type fake struct {
	new  func(seed uint64) error
	move func(ctx context.Context, g *shogi.Game, t match.Turn) (match.Reply, error)
	over func(result int)
}

func (f *fake) NewGame(_ context.Context, seed uint64) error {
	if f.new == nil {
		return nil
	}
	return f.new(seed)
}

func (f *fake) Move(ctx context.Context, g *shogi.Game, t match.Turn) (match.Reply, error) {
	return f.move(ctx, g, t)
}

func (f *fake) GameOver(result int) {
	if f.over != nil {
		f.over(result)
	}
}

func (f *fake) Dialogue() []string { return []string{"> go", "< nothing"} }
func (f *fake) Close()             {}

func randomPlayer() match.Player {
	return match.Engine(func(seed uint64) (play.Engine, error) { return levels.New("random", levels.Options{Seed: seed}) },
		func(*shogi.Game, *match.Turn) play.Budget { return play.Budget{} })
}

func randomMatch(games, atOnce int) match.Options {
	return match.Options{Games: games, Seed: 5, AtOnce: atOnce, Rules: play.Rules{MaxMoves: 256},
		Opening:   match.RandomOpenings(5, 6, 8, nil),
		NewPlayer: func(match.Side) (match.Player, error) { return randomPlayer(), nil }}
}

// collect makes o call a function that appends each game, without its times, to the slice returned.
func collect(o *match.Options) *[]match.Result {
	var results []match.Result
	o.Each = func(r *match.Result, _ *match.Summary, isNew bool) error {
		one := *r
		one.Millis, one.Spent = nil, [2]int64{}
		results = append(results, one)
		return nil
	}
	return &results
}

func same(a, b []match.Result) bool {
	return slices.EqualFunc(a, b, func(x, y match.Result) bool {
		return fmt.Sprint(x) == fmt.Sprint(y)
	})
}

// The games do not depend on how many are played at once.
func TestGamesAtOnce(t *testing.T) {
	var all [][]match.Result
	for _, atOnce := range []int{1, 3} {
		o := randomMatch(40, atOnce)
		results := collect(&o)
		s, err := match.Run(t.Context(), o)
		if err != nil || s.Games() != 40 || s.NumPairs() != 20 {
			t.Fatalf("%+v, %v", s, err)
		}
		all = append(all, *results)
	}
	if !same(all[0], all[1]) {
		t.Error("the games differ")
	}
}

// About a fifth of random games end in mate within 256 moves.
func TestRandomGames(t *testing.T) {
	o := randomMatch(200, 2)
	s, err := match.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	// 200 games at 20 % are 40 ± 6.
	if mates := s.Ends[match.ByMate]; mates < 23 || mates > 57 {
		t.Errorf("%d mates, want 23 to 57: %v", mates, s.Ends)
	}
	if s.Same != 0 || s.Ends[match.ByMate]+s.Ends[match.ByNoMove]+s.Ends[match.ByPerpetual] != s.Wins+s.Losses {
		t.Errorf("%+v", s)
	}
}

// The two games of a pair have one opening and swapped colours, other pairs have others.
func TestPairs(t *testing.T) {
	o := randomMatch(40, 1)
	o.Rules.MaxMoves = 30
	results := collect(&o)
	if _, err := match.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := 0; i < len(*results); i += 2 {
		var openings [2]string
		for j := range openings {
			r := (*results)[i+j]
			g, err := r.Replay()
			if err != nil {
				t.Fatal(err)
			}
			n := r.Opening(&g)
			if n < 6 || n > 8 {
				t.Errorf("game %d: an opening of %d plies", r.Game, n)
			}
			openings[j] = fmt.Sprint(g.Moves()[:n])
			if want := []string{"A", "B"}[j]; r.Game != i+j || r.Black != want {
				t.Errorf("game %d, Black is %s: want %d, %s", r.Game, r.Black, i+j, want)
			}
		}
		if openings[0] != openings[1] || seen[openings[0]] {
			t.Errorf("pair %d: %v", i/2, openings)
		}
		seen[openings[0]] = true
	}
}

func TestRandomOpeningsAccept(t *testing.T) {
	asked := 0
	opening := match.RandomOpenings(1, 4, 4, func(g *shogi.Game) bool {
		asked++
		return g.Moves()[0].String() == "7g7f"
	})
	for pair := range 5 {
		g := opening(pair)
		if got := g.Moves()[0].String(); got != "7g7f" || len(g.Moves()) != 4 {
			t.Errorf("pair %d begins with %s", pair, got)
		}
	}
	if asked < 10 {
		t.Errorf("asked %d times only", asked)
	}
	endless := match.RandomOpenings(1, 4, 4, func(*shogi.Game) bool { return false })
	if g := endless(0); len(g.Moves()) != 4 {
		t.Error("no opening where none is good enough")
	}
}

func TestReadOpenings(t *testing.T) {
	games, err := match.ReadOpenings(strings.NewReader("# comment\n\nstartpos moves 7g7f\twhat follows\n" +
		shogi.StartSFEN + "\r\n"))
	if err != nil || len(games) != 2 || len(games[0].Moves()) != 1 {
		t.Errorf("%d openings, %v", len(games), err)
	}
	for text, want := range map[string]string{
		"":                                "no opening",
		"startpos\nnonsense":              "line 2",
		"startpos moves 7g7e":             "line 1",
		"4k4/9/4P4/9/9/9/9/9/9 b G 1":     "king",
		"4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1": "mate",
	} {
		if _, err := match.ReadOpenings(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want something about %q", text, err, want)
		}
	}
}

// game plays one game of two fakes from a position, A as Black.
func game(t *testing.T, position string, rules play.Rules, limits match.Control,
	a, b func(ctx context.Context, g *shogi.Game, t match.Turn) (match.Reply, error)) match.Result {
	t.Helper()
	g, err := shogi.ParsePosition(position)
	if err != nil {
		t.Fatal(err)
	}
	var results []match.Result
	var told [2][]int
	_, err = match.Run(t.Context(), match.Options{
		Games: 2, Opening: func(int) shogi.Game { return g }, Rules: rules, Silence: 10 * time.Second,
		Limits: [2]match.Control{limits, limits},
		NewPlayer: func(s match.Side) (match.Player, error) {
			return &fake{move: []func(context.Context, *shogi.Game, match.Turn) (match.Reply, error){a, b}[s],
				over: func(result int) { told[s] = append(told[s], result) }}, nil
		},
		Each: func(r *match.Result, _ *match.Summary, _ bool) error {
			results = append(results, *r)
			return nil
		},
	})
	if err != nil || len(results) != 2 {
		t.Fatalf("%d games: %v", len(results), err)
	}
	if want := map[string]int{"A": 1, "B": -1}[results[0].Won]; told[0][0] != want || told[1][0] != -want {
		t.Errorf("the players were told %v of a game that %q won", told, results[0].Won)
	}
	return results[0]
}

// plays returns a player that makes these moves in turn, and then resigns.
func plays(moves ...string) func(context.Context, *shogi.Game, match.Turn) (match.Reply, error) {
	n := 0
	return func(context.Context, *shogi.Game, match.Turn) (match.Reply, error) {
		if n == len(moves) {
			return match.Reply{Resigns: true}, nil
		}
		m, err := shogi.ParseMove(moves[n])
		n++
		return match.Reply{Move: m}, err
	}
}

func TestReferee(t *testing.T) {
	rules := play.Rules{MaxMoves: 256}
	answer := func(r match.Reply, err error) func(context.Context, *shogi.Game, match.Turn) (match.Reply, error) {
		return func(context.Context, *shogi.Game, match.Turn) (match.Reply, error) { return r, err }
	}
	after := func(d time.Duration, move string) func(context.Context, *shogi.Game, match.Turn) (match.Reply, error) {
		return func(ctx context.Context, g *shogi.Game, _ match.Turn) (match.Reply, error) {
			select {
			case <-time.After(d):
				m, _ := shogi.ParseMove(move)
				return match.Reply{Move: m}, nil
			case <-ctx.Done():
				return match.Reply{}, ctx.Err()
			}
		}
	}
	const mate1 = "4k4/9/4P4/9/9/9/9/9/4K4 b G "
	fast := match.Control{MoveTime: time.Second}
	for _, c := range []struct {
		name     string
		position string
		limits   match.Control
		a, b     func(context.Context, *shogi.Game, match.Turn) (match.Reply, error)
		end      match.End
		won      string
	}{
		{"mate", mate1 + "1", match.Control{}, plays("G*5b"), plays(), match.ByMate, "A"},
		{"mate by the last move", mate1 + "256", match.Control{}, plays("G*5b"), plays(), match.ByMate, "A"},
		{"limit", mate1 + "256", match.Control{}, plays("5i5h"), plays(), match.ByLimit, ""},
		{"no move", "8k/9/9/8G/9/9/9/9/K6L1 b - 1", match.Control{}, plays("1d1c"), plays(), match.ByNoMove, "A"},
		{"resignation", mate1 + "1", match.Control{}, plays(), plays(), match.ByResignation, "B"},
		{"declaration", "+P+P+P+PK+P+P+P+P/+P+P7/9/9/9/9/9/9/4k4 b 2R2B 1", match.Control{},
			answer(match.Reply{Declares: true}, nil), plays(), match.ByDeclaration, "A"},
		{"declaration without the points", "+P+P+P+PK+P+P+P+P/+P+P7/9/9/9/9/9/9/4k4 b R 1", match.Control{},
			answer(match.Reply{Declares: true}, nil), plays(), match.ByIllegal, "B"},
		{"illegal move", mate1 + "1", match.Control{}, plays("G*5a"), plays(), match.ByIllegal, "B"},
		{"illegal answer", mate1 + "1", match.Control{}, plays("5i5h"), answer(match.Reply{Text: "hello"}, nil),
			match.ByIllegal, "A"},
		{"no move at all", mate1 + "1", match.Control{}, answer(match.Reply{}, nil), plays(), match.ByIllegal, "B"},
		{"crash", mate1 + "1", match.Control{}, answer(match.Reply{}, errors.New("gone")), plays(),
			match.ByCrash, "B"},
		{"in the tolerance", mate1 + "1", fast, after(time.Second+match.Tolerance, "G*5b"), plays(), match.ByMate, "A"},
		{"late", mate1 + "1", fast, after(time.Second+match.Tolerance+1, "G*5b"), plays(), match.ByTime, "B"},
		{"silent", mate1 + "1", fast, after(time.Hour, "G*5b"), plays(), match.BySilence, "B"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := game(t, c.position, rules, c.limits, c.a, c.b)
				if r.End != c.end || r.Won != c.won {
					t.Errorf("%s, won by %q, want %s by %q: %+v", r.End, r.Won, c.end, c.won, r.Fault)
				}
				if (r.Fault != nil) != c.end.IsFault() {
					t.Errorf("fault %+v", r.Fault)
				}
				if r.Fault != nil && len(r.Fault.Dialogue) != 2 {
					t.Errorf("dialogue %q", r.Fault.Dialogue)
				}
				if _, err := r.Replay(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// shuttle moves its king to and fro.
func shuttle(squares ...string) func(context.Context, *shogi.Game, match.Turn) (match.Reply, error) {
	n := 0
	return func(context.Context, *shogi.Game, match.Turn) (match.Reply, error) {
		m, err := shogi.ParseMove(squares[n%len(squares)])
		n++
		return match.Reply{Move: m}, err
	}
}

func TestRepetition(t *testing.T) {
	r := game(t, "4k4/9/9/9/9/9/9/9/4K4 b - 1", play.Rules{MaxMoves: 256}, match.Control{},
		shuttle("5i4h", "4h5i"), shuttle("5a6b", "6b5a"))
	if r.End != match.ByRepetition || r.Won != "" || r.Plies != 12 {
		t.Errorf("%s by %q after %d plies, want a repetition after 12", r.End, r.Won, r.Plies)
	}
	r = game(t, "4k4/9/9/9/9/9/9/9/K4R3 b - 1", play.Rules{MaxMoves: 256}, match.Control{},
		shuttle("4i5i", "5i4i"), shuttle("5a4a", "4a5a"))
	if r.End != match.ByPerpetual || r.Won != "B" {
		t.Errorf("%s by %q, want a perpetual check that loses", r.End, r.Won)
	}
}

// The clock: what is left, with the increment, before each of Black's moves.
func TestClock(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits match.Control
		spends []time.Duration
		left   []time.Duration
		end    match.End
		margin time.Duration // the least
	}{
		{"increments", match.Control{Main: 10 * time.Second, Increment: 2 * time.Second},
			[]time.Duration{3, 0, 11, 1}, []time.Duration{12, 11, 13, 4}, match.ByLimit, 2 * time.Second},
		{"byoyomi", match.Control{Main: 10 * time.Second, Byoyomi: 5 * time.Second},
			[]time.Duration{4, 9, 5, 0}, []time.Duration{10, 6, 0, 0}, match.ByLimit, 0},
		{"byoyomi alone, too late", match.Control{Byoyomi: 5 * time.Second},
			[]time.Duration{5, 6}, []time.Duration{0, 0}, match.ByTime, -time.Second},
		{"sudden death, over the moves", match.Control{Main: 10 * time.Second},
			[]time.Duration{4, 4, 4}, []time.Duration{10, 6, 2}, match.ByTime, -2 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var left []time.Duration
				moves := shuttle("5i4h", "4h5i")
				r := game(t, "4k4/9/9/9/9/9/9/9/4K4 b - 1", play.Rules{MaxMoves: 2 * len(c.spends)}, c.limits,
					func(ctx context.Context, g *shogi.Game, turn match.Turn) (match.Reply, error) {
						p := g.Position()
						if p.SideToMove() == shogi.White {
							return match.Reply{Resigns: true}, nil // the second game
						}
						left = append(left, turn.Left[shogi.Black]/time.Second)
						time.Sleep(c.spends[len(left)-1] * time.Second)
						return moves(ctx, g, turn)
					}, shuttle("5a6b", "6b5a"))
				if !slices.Equal(left, c.left) {
					t.Errorf("%d seconds left, want %d", left, c.left)
				}
				if r.End != c.end || *r.Margin[match.A] != c.margin.Microseconds() {
					t.Errorf("%s with a margin of %d µs, want %s with %v", r.End, *r.Margin[match.A], c.end, c.margin)
				}
			})
		})
	}
}

// A panic of an engine loses its game.
func TestPanic(t *testing.T) {
	o := randomMatch(2, 1)
	o.NewPlayer = func(s match.Side) (match.Player, error) {
		if s == match.B {
			return randomPlayer(), nil
		}
		return match.Engine(func(uint64) (play.Engine, error) { return panicking{}, nil }, nil), nil
	}
	results := collect(&o)
	s, err := match.Run(t.Context(), o)
	if err != nil || s.Losses != 2 || s.Faults[match.A][match.ByCrash] != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	if text := (*results)[0].Fault.Text; !strings.Contains(text, "what was it") || !strings.Contains(text, "goroutine") {
		t.Errorf("%q has no stack", text)
	}
}

type panicking struct{}

func (panicking) NewGame() {}
func (panicking) Search(context.Context, *shogi.Game, play.Limits, func(play.Info)) play.Choice {
	panic("what was it")
}

// A match that is interrupted and goes on has the games of one that was not, and loses none.
func TestInterruptedAndContinued(t *testing.T) {
	o := randomMatch(60, 2)
	whole := collect(&o)
	if _, err := match.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	header := match.NewHeader([2]string{"a", "b"}, [2]string{}, "rules", "openings", 5)
	write := func(v any) {
		line, err := match.AppendLine(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		log.Write(line)
	}
	write(header)
	runs := 0
	for ; runs < 20; runs++ {
		h, played, size, err := match.ReadLog(bytes.NewReader(log.Bytes()))
		if err != nil || h != header || size > int64(log.Len()) {
			t.Fatalf("%+v, %d bytes of %d, %v", h, size, log.Len(), err)
		}
		log.Truncate(int(size))
		if len(played) == 60 {
			break
		}
		ctx, cancel := context.WithCancel(t.Context())
		o := randomMatch(60, 2)
		o.Played = played
		fresh := 0
		o.Each = func(r *match.Result, _ *match.Summary, isNew bool) error {
			if _, there := played[r.Game]; there == isNew {
				t.Errorf("game %d: new is %v", r.Game, isNew)
			}
			if isNew {
				write(r)
				if fresh++; fresh == 7 {
					cancel()
				}
			}
			return nil
		}
		_, err = match.Run(ctx, o)
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
		log.WriteString(`{"game":59,"bla`) // killed in the middle of a line
	}
	if runs < 3 {
		t.Errorf("done after %d runs", runs)
	}
	o = randomMatch(60, 2)
	_, o.Played, _, _ = match.ReadLog(bytes.NewReader(log.Bytes()))
	parts := collect(&o)
	s, err := match.Run(t.Context(), o)
	if err != nil || s.Games() != 60 {
		t.Fatalf("%d games, %v", s.Games(), err)
	}
	if !same(*whole, *parts) {
		t.Error("the games are not those of a match in one go")
	}
}

func TestReadLogFaults(t *testing.T) {
	header := `{"version":1,"players":["a","b"],"limits":["",""],"rules":"","openings":"","seed":1}` + "\n"
	for text, want := range map[string]string{
		"{}\n":                      "line 1: version 0",
		"nonsense\n":                "line 1",
		header + "{\"game\":0}\n":   "line 2",
		header + "{\"garden\":0}\n": "unknown field",
		header + `{"game":0,"black":"B","winner":"","end":"limit","plies":0,"position":"startpos","ms":[]}` + "\n": "players",
		header + `{"game":0,"black":"A","winner":"","end":"limit","plies":1,"position":"startpos","ms":[]}` + "\n": "numbers",
	} {
		if _, _, _, err := match.ReadLog(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, games, size, err := match.ReadLog(strings.NewReader("")); err != nil || len(games) != 0 || size != 0 {
		t.Errorf("an empty log: %v, %d, %v", games, size, err)
	}
}

func TestSPRTEndsTheMatch(t *testing.T) {
	// A wins all games but those of every fifth pair, which Black wins.
	player := func(s match.Side) match.Player {
		return &fake{move: func(_ context.Context, g *shogi.Game, _ match.Turn) (match.Reply, error) {
			start, p := g.Start(), g.Position()
			loses := s == match.B
			if !start.Hand(shogi.Black).IsEmpty() {
				loses = p.SideToMove() == shogi.White
			}
			return match.Reply{Move: p.LegalMoves(new(shogi.MoveBuffer), shogi.AllMoves)[0], Resigns: loses}, nil
		}}
	}
	even := shogi.NewGame(shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/4K4 b G 1"))
	won := shogi.NewGame(shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/4K4 b - 1"))
	o := match.Options{Games: 1000, AtOnce: 2, Rules: play.Rules{MaxMoves: 100}, SPRT: &match.SPRT{Elo0: 0, Elo1: 50},
		NewPlayer: func(s match.Side) (match.Player, error) { return player(s), nil },
		Opening: func(pair int) shogi.Game {
			if pair%5 == 4 {
				return even
			}
			return won
		}}
	s, err := match.Run(t.Context(), o)
	if err != nil || s.Decision != match.AcceptH1 || s.NumPairs() < 30 || s.NumPairs() > 60 {
		t.Errorf("decision %v after %d pairs %v, %v", s.Decision, s.NumPairs(), s.Pairs, err)
	}
}

// Players that play alike have the same two games in each pair: worth a warning.
func TestSameGames(t *testing.T) {
	o := randomMatch(6, 1)
	o.NewPlayer = func(match.Side) (match.Player, error) {
		return match.Engine(func(uint64) (play.Engine, error) { return levels.New("random", levels.Options{Seed: 1}) }, nil), nil
	}
	if s, err := match.Run(t.Context(), o); err != nil || s.Same != 3 {
		t.Errorf("%d pairs are the same, %v", s.Same, err)
	}
}

func TestPlayerThatCannotBeMade(t *testing.T) {
	o := randomMatch(2, 1)
	o.NewPlayer = func(match.Side) (match.Player, error) { return nil, errors.New("no such program") }
	if _, err := match.Run(t.Context(), o); err == nil || err.Error() != "no such program" {
		t.Error(err)
	}
}

func TestHeaderDiffers(t *testing.T) {
	h := match.NewHeader([2]string{"a", "b"}, [2]string{"1", "2"}, "r", "o", 1)
	other := h
	if text := h.Differs(other); text != "" {
		t.Error(text)
	}
	other.Players[1] = "c"
	if text := h.Differs(other); text != "B is b, but c in the log" {
		t.Error(text)
	}
}
