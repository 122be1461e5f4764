package levels_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/levels"
)

// A match is a line of ladder.tsv.
type match struct {
	a, b             string
	won, drawn, lost float64 // by a
}

func readMatches(t *testing.T) []match {
	t.Helper()
	text, err := os.ReadFile("ladder.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var matches []match
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var m match
		if _, err := fmt.Sscan(line, &m.a, &m.b, &m.won, &m.drawn, &m.lost); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		matches = append(matches, m)
	}
	return matches
}

// expected is the score of who is so much the stronger.
func expected(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// scale returns the Elo of every level that makes the matches the likeliest, random at 0.
func scale(matches []match) map[string]float64 {
	elo := map[string]float64{}
	for range 3000 {
		for _, name := range levels.Names()[1:] {
			var surplus, information float64
			add := func(other string, score, games float64) {
				e := expected(elo[name] - elo[other])
				surplus += score - games*e
				information += games * e * (1 - e)
			}
			for _, m := range matches {
				games := m.won + m.drawn + m.lost
				switch name {
				case m.a:
					add(m.b, m.won+m.drawn/2, games)
				case m.b:
					add(m.a, m.lost+m.drawn/2, games)
				}
			}
			// A step of Newton, no longer than the curve is straight.
			step := surplus / information * 400 / math.Ln10
			elo[name] += max(-100, min(100, step))
		}
	}
	return elo
}

// The levels stand in the order of what was measured, everywhere: each Elo is that of the games of
// ladder.tsv, 200 or more between neighbours, the README has the same numbers, and nobody has the
// name of another.
func TestLadder(t *testing.T) {
	matches := readMatches(t)
	games := map[[2]string]float64{}
	for _, m := range matches {
		games[[2]string{m.a, m.b}] = m.won + m.drawn + m.lost
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	elo := scale(matches)
	all := levels.All()
	taken := map[string]bool{}
	check := func(ladder []levels.Level) {
		for i := 1; i < len(ladder); i++ {
			l, below := &ladder[i], &ladder[i-1]
			if l.Elo <= below.Elo {
				t.Errorf("%s, %d, stands above %s, %d", l.Name, l.Elo, below.Name, below.Elo)
			}
			if n := games[[2]string{l.Name, below.Name}]; n < 200 {
				t.Errorf("%.0f games of %s and %s", n, l.Name, below.Name)
			}
		}
	}
	check(all)
	check(levels.Opponents())
	for _, m := range matches {
		row := fmt.Sprintf("| `%s` | `%s` | %.0f | %.0f, %.0f, %.0f |", m.a, m.b, m.won+m.drawn+m.lost, m.won,
			m.drawn, m.lost)
		if !strings.Contains(string(readme), row) {
			t.Errorf("the README has no row %s", row)
		}
	}
	for _, l := range all {
		if math.Abs(float64(l.Elo)-elo[l.Name]) > 5.01 {
			t.Errorf("%s: %d, measured %.0f", l.Name, l.Elo, elo[l.Name])
		}
		for _, name := range []string{l.Name, l.Ja, "en " + l.En} {
			if taken[name] {
				t.Errorf("two levels are called %s", name)
			}
			taken[name] = true
		}
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| `%s` \\| %d \\|", l.Name, l.Elo))
		if !row.Match(readme) {
			t.Errorf("the README has no row %v", row)
		}
	}
}

// Each level plays a game to its end by legal moves, and with the same seed the same one. A level
// that plays by chance plays another with another seed.
func TestGames(t *testing.T) {
	game := func(name string, seed uint64, moves int) string {
		var engines [2]play.Engine
		for c, level := range []string{name, "random"} {
			e, err := levels.New(level, levels.Options{Seed: seed, TableBytes: 1 << 16})
			if err != nil {
				t.Fatal(err)
			}
			engines[c] = e
		}
		lim := play.Limits{Nodes: 500, Rules: play.Rules{MaxMoves: moves}}
		g := shogi.NewGame(shogi.Start())
		for lim.Rules.Outcome(&g).End == play.NotOver {
			p := g.Position()
			m := engines[p.SideToMove()].Search(t.Context(), &g, lim, nil).Move
			if !p.IsLegal(m) {
				t.Fatalf("%s plays %v in %s", name, m, p.SFEN())
			}
			g.Do(m)
		}
		return fmt.Sprint(g.Moves())
	}
	for _, name := range levels.Names() {
		moves := 80
		if name == "naginagi" {
			moves = 6 // it is slow
		}
		first := game(name, 1, moves)
		if again := game(name, 1, moves); again != first {
			t.Errorf("%s: with one seed %s and %s", name, first, again)
		}
		if other := game(name, 2, moves); other == first {
			t.Errorf("%s: with two seeds %s", name, first)
		}
	}
}

// From advanced on an opponent leaves no mate in one unpunished. The mates are those of games by
// chance.
func TestMatesInOne(t *testing.T) {
	engines := map[string]play.Engine{}
	for _, name := range []string{"random", "advanced", "strong", "full"} {
		e, err := levels.New(name, levels.Options{Seed: 1, TableBytes: 1 << 16})
		if err != nil {
			t.Fatal(err)
		}
		engines[name] = e
	}
	const mates = 40
	g := shogi.NewGame(shogi.Start())
	var rules play.Rules
	for found := 0; found < mates; {
		p := g.Position()
		if mate1.Find(&p) != shogi.NoMove {
			found++
			for _, name := range []string{"advanced", "strong", "full"} {
				m := engines[name].Search(t.Context(), &g, play.Limits{Nodes: 10_000}, nil).Move
				if next := g.After(m); rules.Outcome(&next).End != play.Mate {
					t.Errorf("%s plays %v in %s", name, m, p.SFEN())
				}
			}
		}
		g.Do(engines["random"].Search(t.Context(), &g, play.Limits{}, nil).Move)
		if rules.Outcome(&g).End != play.NotOver || len(g.Moves()) > 300 {
			g = shogi.NewGame(shogi.Start())
			engines["random"], _ = levels.New("random", levels.Options{Seed: uint64(found)})
			g.Do(engines["random"].Search(t.Context(), &g, play.Limits{}, nil).Move)
		}
	}
}
