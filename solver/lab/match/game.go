package match

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// The times that a player is forgiven.
const (
	// Tolerance is how much later than its time an answer may come: what a pipe and a busy
	// processor may cost.
	Tolerance = 50 * time.Millisecond
	// DefaultSilence is how much later an answer is no longer waited for.
	DefaultSilence = 10 * time.Second
	// untimed is how long an answer may take that has no limit of time.
	untimed = 2 * time.Minute
)

// A table is where one game at a time is played.
type table struct {
	players [2]Player
	limits  [2]Control
	rules   play.Rules
	silence time.Duration
}

// errInterrupted says that a game was not played to its end because the match was to end.
var errInterrupted = errors.New("interrupted")

// play plays a game from g on and says how it went. The only error is errInterrupted.
func (t *table) play(ctx context.Context, number int, seeds [2]uint64,
	g shogi.Game) (Result, error) {
	r := Result{Game: number, Millis: []float64{}}
	r.Black = r.black().String()
	s := game{table: t, g: &g, r: &r}
	for side := range t.players {
		if err := t.players[side].NewGame(ctx, seeds[side]); err != nil {
			if ctx.Err() != nil {
				return r, errInterrupted
			}
			s.lose(Side(side), ByCrash, fmt.Sprintf("does not begin the game: %v", err))
			break
		}
	}
	first := g.Position()
	for c := range s.left {
		l := &t.limits[s.player(shogi.Color(c))]
		s.left[c] = l.Main + l.Increment
	}
	for r.End == "" {
		if o := t.rules.Outcome(&g); o.End != play.NotOver {
			s.over(o)
			break
		}
		if p := g.Position(); p.Ply() == shogi.MaxPly {
			r.End = ByLimit
			break
		}
		if err := s.move(ctx); err != nil {
			return r, err
		}
	}
	last := g.Position()
	r.Plies = last.Ply() - first.Ply()
	r.Position = FormatGame(&g)
	for side, p := range t.players {
		switch r.Won {
		case "":
			p.GameOver(0)
		case Side(side).String():
			p.GameOver(1)
		default:
			p.GameOver(-1)
		}
	}
	return r, nil
}

// A game is one that is being played.
type game struct {
	*table
	g    *shogi.Game
	r    *Result
	left [2]time.Duration // on the clocks, by colour, with the increment of the next move
}

// player returns who plays a colour.
func (s *game) player(c shogi.Color) Side {
	if c == shogi.Black {
		return s.r.black()
	}
	return s.r.black().Opponent()
}

// lose ends the game because of a fault of a player.
func (s *game) lose(side Side, end End, text string) {
	s.r.End, s.r.Won = end, side.Opponent().String()
	if end.IsFault() {
		s.r.Fault = &Fault{Player: side.String(), Text: text, Dialogue: s.players[side].Dialogue()}
	}
}

// over ends the game by the rules.
func (s *game) over(o play.Outcome) {
	s.r.End = End(o.End.String())
	if o.End.IsWon() {
		s.r.Won = s.player(o.Winner).String()
	}
}

// move asks the side to move for a move and makes it.
func (s *game) move(ctx context.Context) error {
	p := s.g.Position()
	color := p.SideToMove()
	side := s.player(color)
	turn := Turn{Control: s.limits[side], Left: s.left, Opponent: s.limits[side.Opponent()],
		Rules: s.rules}
	allowed, timed := turn.allowed(color)
	patience := untimed
	if timed {
		patience = allowed + Tolerance + s.silence
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	started := time.Now()
	reply, err := s.players[side].Move(limited, s.g, turn)
	elapsed := time.Since(started)
	silent := limited.Err() != nil
	cancel()
	if ctx.Err() != nil {
		return errInterrupted
	}

	s.r.Nodes[side] += reply.Nodes
	s.r.Spent[side] += elapsed.Microseconds()
	if timed {
		margin := (allowed - elapsed).Microseconds()
		s.r.Margin[side] = leastMargin(s.r.Margin[side], &margin)
	}
	switch {
	case err != nil && silent:
		s.lose(side, BySilence, fmt.Sprintf("no answer in %v", patience))
	case err != nil:
		s.lose(side, ByCrash, err.Error())
	case timed && elapsed > allowed+Tolerance:
		s.lose(side, ByTime, fmt.Sprintf("an answer after %v, with %v to go",
			elapsed.Round(time.Millisecond), allowed))
	case reply.Text != "":
		s.lose(side, ByIllegal, fmt.Sprintf("%q is no move", reply.Text))
	case reply.Resigns:
		s.lose(side, ByResignation, "")
	case reply.Declares && s.rules.CanDeclare(&p):
		s.r.End, s.r.Won = ByDeclaration, side.String()
	case reply.Declares:
		s.lose(side, ByIllegal, "a declaration without the right to it")
	case !p.IsLegal(reply.Move):
		s.lose(side, ByIllegal, fmt.Sprintf("%v: %v", reply.Move, p.Illegal(reply.Move)))
	default:
		s.r.Millis = append(s.r.Millis, float64(elapsed.Microseconds())/1000)
		s.g.Do(reply.Move)
		if s.limits[side].HasClock() {
			s.left[color] = max(s.left[color]-elapsed, 0) + s.limits[side].Increment
		}
	}
	return nil
}
