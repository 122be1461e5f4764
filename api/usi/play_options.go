package usi

import (
	"math"
	"slices"
	"time"

	"github.com/tsumero/tsumero/solver/play"
)

// The options of a PlayEngine, and what each of them does: a new one is a change of this file.

// playOptions are the values of the options; see PlayEngine.Options.
type playOptions struct {
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
}

const (
	neverResign = 99999 // the ResignValue that is off
	resignAfter = 3     // so many moves

	// A game that is worth as much as a draw is played on.
	defaultDrawValue = -2
	maxDrawValue     = 1000
)

func defaultOptions(level string) playOptions {
	return playOptions{level: level, lastMove: "mate-wins", enteringKing: "CSARule27",
		networkDelay: 100, networkDelay2: 400, slowMover: 100, resignValue: neverResign,
		drawValue: defaultDrawValue}
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
		SpinVar(&e.spread, "Spread", 0, play.MaxSpread),
		StringVar(&e.evalFile, "EvalFile"))
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

// A playerKey is what a player was made for.
type playerKey struct {
	level string
	PlayerOptions
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
		return play.FixedBudget(r.Time)
	case r.Timed || c.Given: // a movetime of 0 counts as a clock of zeros
		return play.Clock{Main: c.Left[side], Byoyomi: c.Byoyomi, Inc: c.Inc[side]}.Budget(
			p.Ply(), e.maxMoves, play.ClockOptions{
				NetworkDelay:  milliseconds(e.networkDelay),
				NetworkDelay2: milliseconds(e.networkDelay2),
				MinimumTime:   milliseconds(e.minimumThinking),
				RoundUp:       e.roundUp,
				SlowMover:     e.slowMover})
	}
	return play.Budget{}
}

// limits returns the limits of a search by the request and the options, but the time and the moves
// to choose among.
func (e *PlayEngine) limits(r *Request) play.Limits {
	lim := play.Limits{Depth: r.Depth, Nodes: r.Nodes, Rules: e.rules()}
	if n := uint64(e.nodesLimit); n > 0 && (lim.Nodes == 0 || n < lim.Nodes) {
		lim.Nodes = n
	}
	if e.mate.multiPV > 1 {
		lim.MultiPV = e.mate.multiPV
	}
	return lim
}

// lostMoves counts the searches of a game, one move after the other, that found nothing better than
// the ResignValue.
type lostMoves struct {
	count int
	ply   int // of the last of them
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
