// Package selfplay plays games of the search against itself, from which package train learns an
// evaluation.
package selfplay

import (
	"context"
	"math/rand/v2"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/lab/train"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/eval"
	"github.com/tsumero/tsumero/solver/play/search"
)

// Options say how games are played. They decide every game: it depends on nothing else.
type Options struct {
	Seed  uint64
	Nodes uint64    // positions searched for a move
	Net   *eval.Net // nil: material and the shelter of the kings alone
}

const (
	// A game begins with so many random moves, so that no two are alike.
	leastRandom, mostRandom = 4, 13
	// One in so many of the moves up to strayPly is random too, for positions that a search would
	// not get into.
	strayOdds, strayPly = 24, 60
	// A game whose first score is larger than this teaches nothing about even positions.
	maxFirstScore = 800
	// A game is taken for won when one side's score has been larger than this for so many plies.
	decidedScore, decidedPlies = 2500, 6

	maxMoves   = 320
	tableBytes = 1 << 20
)

// A Player plays games, one at a time. It is for one goroutine.
type Player struct {
	options Options
	engine  *search.Engine
	buf     shogi.MoveBuffer
}

// NewPlayer returns a Player.
func NewPlayer(o Options) *Player {
	return &Player{options: o, engine: search.New(search.Options{TableBytes: tableBytes, Net: o.Net})}
}

// Play plays game number n and returns what there is to learn from it, in the order of play: quiet
// positions, whose side to move is not in check and does best to move without a capture. A game
// that begins uneven, or is drawn by repetition, has none. It returns early, with nothing, when ctx
// ends.
func (y *Player) Play(ctx context.Context, n uint32) []train.Record {
	random := rand.New(rand.NewPCG(y.options.Seed, uint64(n)))
	g := shogi.NewGame(shogi.Start())
	for range leastRandom + random.IntN(mostRandom-leastRandom) {
		if !y.stray(&g, random) {
			return nil
		}
	}
	y.engine.NewGame()
	rules := play.Rules{MaxMoves: maxMoves}
	var records []train.Record
	var sides []shogi.Color // to move in each of the records
	first, decided := true, 0
	var winner shogi.Color
	for {
		outcome := rules.Outcome(&g)
		switch {
		case outcome.End == play.Repetition:
			return nil
		case outcome.End == play.MoveLimit:
			for i := range records {
				records[i].Result = train.Drawn
			}
			return records
		case outcome.End.IsWon():
			winner = outcome.Winner
			return results(records, sides, winner)
		}
		p := g.Position()
		side := p.SideToMove()
		c := y.engine.Search(ctx, &g, play.Limits{Nodes: y.options.Nodes, Rules: rules}, nil)
		if ctx.Err() != nil {
			return nil
		}
		if c.Declares {
			return results(records, sides, side)
		}
		score := int(c.Score)
		if first && max(score, -score) > maxFirstScore {
			return nil
		}
		first = false
		if max(score, -score) > decidedScore {
			ahead := side
			if score < 0 {
				ahead = side.Opponent()
			}
			if ahead != winner {
				decided = 0 // somebody blundered
			}
			decided++
			winner = ahead
			if _, mate := c.Score.Mate(); mate || decided >= decidedPlies {
				return results(records, sides, winner)
			}
		} else {
			decided = 0
			if !p.InCheck() && isQuiet(&p, c.Move) {
				records = append(records, train.Record{
					Position: train.Pack(&p), Score: int16(score), Ply: uint16(p.Ply()), Game: n,
				})
				sides = append(sides, side)
			}
		}
		if p.Ply() <= strayPly && random.IntN(strayOdds) == 0 {
			y.stray(&g, random)
			continue
		}
		g.Do(c.Move)
	}
}

// stray plays a random legal move, if there is one.
func (y *Player) stray(g *shogi.Game, random *rand.Rand) bool {
	p := g.Position()
	moves := p.LegalMoves(&y.buf, shogi.UsefulMoves)
	if len(moves) == 0 {
		return false
	}
	g.Do(moves[random.IntN(len(moves))])
	return true
}

// isQuiet reports whether m leaves the material as it is.
func isQuiet(p *shogi.Position, m shogi.Move) bool {
	return m.IsDrop() || p.Piece(m.To()) == shogi.NoPiece && !m.IsPromotion()
}

// results sets the results of a game that winner has won.
func results(records []train.Record, sides []shogi.Color, winner shogi.Color) []train.Record {
	for i := range records {
		records[i].Result = train.ResultFor(sides[i], winner)
	}
	return records
}
