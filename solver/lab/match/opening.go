package match

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// RandomOpenings returns openings of least to most random legal moves from the initial position,
// the same for the same seed and number of a pair. accept, if not nil, says whether a game should
// begin so; others are drawn until it does, or a thousand were refused.
func RandomOpenings(seed uint64, least, most int,
	accept func(g *shogi.Game) bool) func(pair int) shogi.Game {
	const tries = 1000
	return func(pair int) shogi.Game {
		rng := rand.New(rand.NewPCG(seed, uint64(pair)))
		for n := 1; ; n++ {
			g, ok := randomOpening(rng, least+rng.IntN(most-least+1))
			if ok && (n >= tries || accept == nil || accept(&g)) {
				return g
			}
		}
	}
}

// randomOpening is false if the game is over, or begins with a check, which would decide too much.
func randomOpening(rng *rand.Rand, plies int) (shogi.Game, bool) {
	g := shogi.NewGame(shogi.Start())
	for range plies {
		p := g.Position()
		var buf shogi.MoveBuffer
		moves := p.LegalMoves(&buf, shogi.AllMoves)
		if len(moves) == 0 {
			return g, false
		}
		g.Do(moves[rng.IntN(len(moves))])
	}
	p := g.Position()
	return g, !p.InCheck() && play.Rules{}.Outcome(&g).End == play.NotOver
}

// ReadOpenings reads openings, one a line: a position and moves as shogi.ParsePosition takes them.
// What follows a tab, empty lines and lines that begin with # are left out.
func ReadOpenings(r io.Reader) ([]shogi.Game, error) {
	var games []shogi.Game
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "\t")
		if text = strings.TrimSpace(text); text == "" || text[0] == '#' {
			continue
		}
		g, err := shogi.ParsePosition(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		p := g.Position()
		switch end := (play.Rules{}).Outcome(&g).End; {
		case p.King(shogi.Black) == shogi.NoSquare || p.King(shogi.White) == shogi.NoSquare:
			return nil, fmt.Errorf("line %d: a game needs a king on each side", n)
		case end != play.NotOver:
			return nil, fmt.Errorf("line %d: the game is over: %s", n, end)
		}
		games = append(games, g)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(games) == 0 {
		return nil, errors.New("there is no opening")
	}
	return games, nil
}

// again returns a copy of g that may go on while g stays as it is.
func again(g *shogi.Game) shogi.Game {
	c := shogi.NewGame(g.Start())
	for _, m := range g.Moves() {
		c.Do(m)
	}
	return c
}
