package usi

import (
	"context"
	"fmt"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// PlayConfig is what a PlayEngine is made of.
type PlayConfig struct {
	Mate MateConfig
	// NewPlayer makes the player of a level. It is called at the first go, and again when an option
	// that it depends on has changed; the player before is not used any more. It must be quick. If it
	// fails with an EvalFile, it is asked once more without.
	// Required.
	NewPlayer func(level string, o PlayerOptions) (play.Engine, error)
	Levels    []string // the levels there are, LevelMate left out; required
	Level     string   // the one at the start; default: the last
}

// LevelMate is the level that plays the first move of a mate, or resigns.
const LevelMate = "mate"

// A PlayEngine is an Engine that plays games and solves mate problems.
type PlayEngine struct {
	config PlayConfig
	mate   *MateEngine // it has the options that both use: hash, threads, ponder and multiPV

	playOptions

	player   play.Engine // nil before it is needed
	playerOf playerKey
	searched bool   // the player has searched in this game
	warning  string // about the player, for the user

	explained bool // the user knows why a game without two kings is a mate problem
	lost      lostMoves
}

// NewPlayEngine returns an engine that plays and solves.
func NewPlayEngine(config PlayConfig) *PlayEngine {
	if config.Level == "" {
		config.Level = config.Levels[len(config.Levels)-1]
	}
	return &PlayEngine{config: config, mate: NewMateEngine(config.Mate), playOptions: defaultOptions(config.Level)}
}

// NewGame forgets what was learned of the game before.
func (e *PlayEngine) NewGame() {
	e.mate.NewGame()
	e.GameOver()
}

// GameOver has the player forget the game: with a large table that takes time, and when the next
// game begins its clock is running.
func (e *PlayEngine) GameOver() {
	e.lost = lostMoves{}
	if e.player != nil && e.searched {
		e.player.NewGame()
		e.searched = false
	}
}

// warmNodes and warmBytes are the search in which the processor meets the code of a player.
const (
	warmNodes = 2000
	warmBytes = 64 << 10
)

// maxReadyBytes is the largest table that is made before it is needed. Memory that was used before
// has to be cleared, and GUIs do not wait for long.
const maxReadyBytes = 1 << 30

// Ready makes the player, and has another one like it search a little: a program that has just been
// started is slow, and the time for the first move may be short.
func (e *PlayEngine) Ready() {
	o := e.key().PlayerOptions
	if e.level == LevelMate || e.hasPlayer() || o.TableBytes > maxReadyBytes {
		return
	}
	if err := e.preparePlayer(); err != nil {
		return // it comes back with the first go
	}
	o.TableBytes, o.Threads, o.EvalFile = min(o.TableBytes, warmBytes), 1, ""
	if player, err := e.config.NewPlayer(e.level, o); err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		g := shogi.NewGame(shogi.Start())
		player.Search(ctx, &g, play.Limits{Nodes: warmNodes}, func(play.Info) {})
	}
}

// Mate answers go mate, as a MateEngine does.
func (e *PlayEngine) Mate(ctx context.Context, r Request, report func(Info)) Checkmate {
	if !e.hasRoomForBoth() {
		e.player = nil
	}
	return e.mate.Mate(ctx, r, report)
}

// hasRoomForBoth reports whether the machine has memory for the tables of a player and of the mate
// solver. They are kept side by side if so, and else the one that is needed replaces the other.
func (e *PlayEngine) hasRoomForBoth() bool {
	return e.mate.tableMiB() <= e.config.Mate.maxHash()-e.mate.hash
}

// Search chooses a move. It resigns without a legal move, or by the ResignValue. Positions without
// two kings are mate problems, and the MateEngine answers those.
func (e *PlayEngine) Search(ctx context.Context, r Request, report func(Info)) BestMove {
	p := r.Game.Position()
	if p.King(shogi.Black) == shogi.NoSquare || p.King(shogi.White) == shogi.NoSquare {
		return e.searchMate(ctx, r, report)
	}
	if e.level == LevelMate {
		return e.mate.Search(ctx, r, report)
	}
	s := &playSearch{engine: e, request: r, position: p, report: report, began: time.Now()}
	if err := e.preparePlayer(); err != nil {
		report(Info{String: "error: " + err.Error()})
		return BestMove{}
	}
	e.searched = true
	return s.run(ctx)
}

// searchMate has the MateEngine answer, and says so once.
func (e *PlayEngine) searchMate(ctx context.Context, r Request, report func(Info)) BestMove {
	if e.level != LevelMate {
		e.mate.explained = true
		if !e.explained && r.Ponderhit == nil {
			e.explained = true
			report(Info{String: "without two kings this is a mate problem: " +
				"the answer is the first move of a mate, or to resign"})
		}
	}
	if !e.hasRoomForBoth() {
		e.player = nil
	}
	return e.mate.Search(ctx, r, report)
}

func (e *PlayEngine) hasPlayer() bool { return e.player != nil && e.playerOf == e.key() }

// preparePlayer makes a player by the options, unless there is one.
func (e *PlayEngine) preparePlayer() error {
	if !e.hasRoomForBoth() {
		e.mate.solver = nil
	}
	if e.hasPlayer() {
		return nil
	}
	e.player, e.warning = nil, "" // first, so that its memory is free for the next
	of := e.key()
	o := of.PlayerOptions
	player, err := e.config.NewPlayer(of.level, o)
	if err != nil && o.EvalFile != "" {
		e.warning = fmt.Sprintf("EvalFile: %v; the network that is built in plays", err)
		o.EvalFile = ""
		player, err = e.config.NewPlayer(of.level, o)
	}
	if err != nil {
		return fmt.Errorf("level %s: %w", of.level, err)
	}
	e.player, e.playerOf, e.searched = player, of, false
	return nil
}
