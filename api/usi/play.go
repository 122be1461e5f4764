package usi

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/clock"
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

// PlayerOptions are the options of a PlayEngine that its players depend on.
type PlayerOptions struct {
	TableBytes int
	Threads    int
	Seed       uint64
	DrawValue  int    // what a draw is worth to the player, in centipawns
	Spread     int    // how much less than the best move one that is played may be worth, likewise
	EvalFile   string // has the network that values positions; "": the one that is built in
}

// LevelMate is the level that plays the first move of a mate, or resigns.
const LevelMate = "mate"

// A PlayEngine is an Engine that plays games and solves mate problems.
type PlayEngine struct {
	config PlayConfig
	mate   *MateEngine // it has the options that both use: hash, threads, ponder and multiPV

	// The options; see Options.
	level           string
	maxMoves        int
	lastMove        string
	enteringKing    string
	networkDelay    int // in ms, and the next two
	networkDelay2   int
	minimumThinking int
	roundUp         bool
	slowMover       int
	seed            int
	nodesLimit      int
	resignValue     int
	drawValue       int // in centipawns, and the next
	spread          int
	evalFile        string

	player   play.Engine // nil before it is needed
	playerOf playerKey
	searched bool   // the player has searched in this game
	warning  string // about the player, for the user

	explained bool // the user knows why a game without two kings is a mate problem
	lost      lostMoves
}

// A playerKey is what a player was made for.
type playerKey struct {
	level string
	PlayerOptions
}

// lostMoves counts the searches of a game, one move after the other, that found nothing better than
// the ResignValue.
type lostMoves struct {
	count int
	ply   int // of the last of them
}

const (
	neverResign = 99999 // the ResignValue that is off
	resignAfter = 3     // so many moves

	// A game that is worth as much as a draw is played on.
	defaultDrawValue = -2
	maxDrawValue     = 1000

	maxSpread = 10_000 // more than any position is worth
)

// NewPlayEngine returns an engine that plays and solves.
func NewPlayEngine(config PlayConfig) *PlayEngine {
	if config.Level == "" {
		config.Level = config.Levels[len(config.Levels)-1]
	}
	return &PlayEngine{config: config, mate: NewMateEngine(config.Mate), level: config.Level,
		lastMove: "mate-wins", enteringKing: "CSARule27", networkDelay: 100, networkDelay2: 400,
		slowMover: 100, resignValue: neverResign, drawValue: defaultDrawValue}
}

// Options returns the options of a MateEngine, of which USI_Hash, USI_Ponder, Threads and MultiPV
// count for games as well, and
//
//	Level                who plays; package levels describes the levels, and mate plays the first
//	                     move of a mate, or resigns
//	MaxMovesToDraw       the game is drawn when so many moves have been made; 0: it is not
//	LastMoveRule         what a mate by the last of them does: mate-wins, mate-draws, or
//	                     extend-checks, by which play goes on while one of the last two moves was a
//	                     check
//	EnteringKingRule     the rule of declared wins: CSARule27 or NoEnteringKing
//	NetworkDelay         what is lost on the way with each move, in ms
//	NetworkDelay2        the most that is ever lost on the way, in ms
//	MinimumThinkingTime  in ms
//	RoundUpToFullSecond  think until just before a full second, for clocks that count only these
//	SlowMover            how much of the time to spend early, in percent
//	Seed                 of the levels that play by chance
//	NodesLimit           the most positions that are searched for a move; 0: any number
//	ResignValue          resign when three moves running were valued at so many centipawns or more
//	                     for the opponent; 99999: never before there is no legal move
//	DrawValue            what a draw is worth to the engine, in centipawns
//	Spread               makes club and full weaker, as people are: now and then they play a move
//	                     that they value by up to so many centipawns less than the best, the less
//	                     often the less it is worth; Seed decides when. 0: always the best
//	EvalFile             the file of a network, made by 'tsumero-lab train', by which full values
//	                     positions; empty: the network that is built in. That one also plays if the
//	                     file cannot be used, and an info string says why.
func (e *PlayEngine) Options() []Option {
	options := e.mate.Options()
	if !slices.ContainsFunc(options, func(o Option) bool { return o.Name == "MultiPV" }) {
		options = append(options, SpinVar(&e.mate.multiPV, "MultiPV", 1, maxMultiPV))
	}
	return append(options,
		ComboVar(&e.level, "Level", append(slices.Clone(e.config.Levels), LevelMate)...),
		SpinVar(&e.maxMoves, "MaxMovesToDraw", 0, 100_000),
		ComboVar(&e.lastMove, "LastMoveRule", "mate-wins", "mate-draws", "extend-checks"),
		ComboVar(&e.enteringKing, "EnteringKingRule", "CSARule27", "NoEnteringKing"),
		SpinVar(&e.networkDelay, "NetworkDelay", 0, 10_000),
		SpinVar(&e.networkDelay2, "NetworkDelay2", 0, 10_000),
		SpinVar(&e.minimumThinking, "MinimumThinkingTime", 0, 10_000),
		CheckVar(&e.roundUp, "RoundUpToFullSecond"),
		SpinVar(&e.slowMover, "SlowMover", 1, 1000),
		SpinVar(&e.seed, "Seed", 0, math.MaxInt32),
		SpinVar(&e.nodesLimit, "NodesLimit", 0, math.MaxInt32),
		SpinVar(&e.resignValue, "ResignValue", 1, neverResign),
		SpinVar(&e.drawValue, "DrawValue", -maxDrawValue, maxDrawValue),
		SpinVar(&e.spread, "Spread", 0, maxSpread),
		StringVar(&e.evalFile, "EvalFile"))
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

// key returns what a player depends on, by the options.
func (e *PlayEngine) key() playerKey {
	return playerKey{e.level, PlayerOptions{
		TableBytes: int(min(int64(e.mate.hash)<<20, math.MaxInt)),
		Threads:    e.mate.threads,
		Seed:       uint64(e.seed),
		DrawValue:  e.drawValue,
		Spread:     e.spread,
		EvalFile:   e.evalFile}}
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

// rules returns the rules of the game by the options.
func (e *PlayEngine) rules() play.Rules {
	r := play.Rules{MaxMoves: e.maxMoves}
	r.LastMove, _ = play.ParseLastMoveRule(e.lastMove) // one of the words of the option, and the next
	r.EnteringKing, _ = play.ParseEnteringKingRule(e.enteringKing)
	return r
}

// budget returns how long to think in the position of a request by this clock, from now on. The
// zero Budget is no limit.
func (e *PlayEngine) budget(r *Request, c *Clock) play.Budget {
	milliseconds := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	p := r.Game.Position()
	side := p.SideToMove()
	switch {
	case r.Infinite:
		return play.Budget{}
	case r.Timed && r.Time > 0:
		return clock.Fixed(r.Time)
	case r.Timed || c.Given: // a movetime of 0 counts as a clock of zeros
		return clock.Budget(clock.State{Main: c.Left[side], Byoyomi: c.Byoyomi, Inc: c.Inc[side]},
			p.Ply(), e.maxMoves, clock.Options{
				NetworkDelay:  milliseconds(e.networkDelay),
				NetworkDelay2: milliseconds(e.networkDelay2),
				MinimumTime:   milliseconds(e.minimumThinking),
				RoundUp:       e.roundUp,
				SlowMover:     e.slowMover})
	}
	return play.Budget{}
}

// resigns takes the score of a move into account and reports whether it is time to resign.
func (e *PlayEngine) resigns(ply int, score play.Score) bool {
	if e.resignValue == neverResign || score > play.Score(-e.resignValue) {
		e.lost = lostMoves{}
		return false
	}
	switch e.lost.ply {
	case ply: // the same move was searched again
	case ply - 2:
		e.lost.count++
	default:
		e.lost.count = 1
	}
	e.lost.ply = ply
	return e.lost.count >= resignAfter
}
