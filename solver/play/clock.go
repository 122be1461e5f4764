package play

import "time"

// How long to think about a move is arithmetic: no clock is read here.

// A Clock is the clock of the side to move when its turn begins.
type Clock struct {
	Main    time.Duration // left of the main time
	Byoyomi time.Duration // available anew for each move once the main time is spent (秒読み)
	// Inc is added to the main time with each move (フィッシャー). Programs differ on whether Main
	// has the one for this move already, so no more than the larger of the two is ever counted on.
	Inc time.Duration
}

// ClockOptions are the settings of the user. The zero ClockOptions lose nothing between the engine and
// the clock.
type ClockOptions struct {
	NetworkDelay  time.Duration // what is lost on the way with each move
	NetworkDelay2 time.Duration // the most that is ever lost: what is kept of the last reserve
	MinimumTime   time.Duration // think at least so long, if there is so much
	// RoundUp spends whole seconds, less the NetworkDelay, for clocks that count no part of a second.
	RoundUp   bool
	SlowMover int // in percent: how much of the time to spend early; 0 is 100
}

// Untimed is the time for a move on a clock of zeros: the game has no limits, or the flag is down.
const Untimed = time.Second

const (
	// For how many moves of both sides the time has to last: fewer up to a move, and no fewer from
	// then on. Without byoyomi and increment nothing comes after them.
	horizon, horizonFixed      = 180, 80
	suddenHorizon, suddenFixed = 200, 40

	hardFactor = 5   // the answer comes by so many times the usual
	hardShare  = 0.3 // and by this share of what is left for the game
	// Below suddenShort of sudden death the hardFactor falls, down to 1.
	suddenShort = 5 * time.Minute
	// delayParts is the part of a move's time, a fifth, that the delays take at most.
	delayParts     = 5
	movetimeMargin = 10 * time.Millisecond
	// longest is more than any clock has, and small enough to be multiplied by moves and percent.
	longest = 30 * 24 * time.Hour
)

// Left returns what the side to move may use for this move at most.
func (c Clock) Left() time.Duration { return max(c.Main, c.Inc) + c.Byoyomi }

// Budget returns how long to think about a move with the number ply of a game that ends with move
// maxMoves (0: it has no such end). The Hard limit is at least a millisecond, and otherwise never
// more than c.Left, unless that is 0; then it is Untimed.
//
// It follows the usual practice: the main time is divided by the moves that are expected to follow,
// increments and byoyomi come on top, and where main time is as good as spent, each byoyomi is
// used up, for saving it brings nothing.
func (c Clock) Budget(ply, maxMoves int, o ClockOptions) Budget {
	c = Clock{min(c.Main, longest), min(c.Byoyomi, longest), min(c.Inc, longest)}
	left := c.Left()
	if left == 0 {
		return Budget{Soft: Untimed, Hard: Untimed}
	}
	delay, reserve := min(o.NetworkDelay, left/delayParts), min(o.NetworkDelay2, left/delayParts)
	if c.Byoyomi == 0 {
		reserve = min(o.NetworkDelay2, left/2) // what is lost now is missing ever after
	}
	reserve = max(reserve, delay)

	sudden := c.Inc == 0 && c.Byoyomi == 0
	plies := horizon - min(ply, horizonFixed)
	if sudden {
		plies = suddenHorizon - min(ply, suddenFixed)
	}
	if maxMoves > 0 && ply <= maxMoves {
		plies = min(plies, maxMoves-ply+2)
	}
	moves := time.Duration(plies / 2)

	var b Budget
	switch {
	case c.Byoyomi > 0 && c.Main < c.Byoyomi*6/5:
		b = Budget{Soft: left - delay, Hard: left - delay}
	case moves <= 1:
		b = Budget{Soft: left - reserve, Hard: left - reserve}
	default:
		estimate := c.Main + (c.Inc+c.Byoyomi)*moves
		usual, factor := estimate/moves, float64(hardFactor)
		if sudden {
			factor = max(1, min(factor, factor*float64(c.Main)/float64(suddenShort)))
		}
		hard := min(factor*float64(usual), hardShare*float64(estimate))
		if o.SlowMover > 0 {
			usual = usual * time.Duration(o.SlowMover) / 100
		}
		b.Soft = max(usual-delay, o.MinimumTime)
		b.Hard = max(time.Duration(hard)-delay, b.Soft)
		if o.RoundUp {
			b.Soft, b.Hard = roundUp(b.Soft, delay), roundUp(b.Hard, delay)
		}
		b.Hard = min(b.Hard, left-reserve)
	}
	b.Hard = max(b.Hard, time.Millisecond)
	b.Soft = max(min(b.Soft, b.Hard), time.Millisecond)
	return b
}

// roundUp returns the time that, with delay, is a whole number of seconds.
func roundUp(t, delay time.Duration) time.Duration {
	return (t + delay + time.Second - 1).Truncate(time.Second) - delay
}

// FixedBudget returns the budget for a move that is to take so long (go movetime).
func FixedBudget(t time.Duration) Budget {
	t = max(t-min(movetimeMargin, t/2), time.Millisecond)
	return Budget{Soft: t, Hard: t}
}
