// Package clock decides how long to think about a move. It is arithmetic: it reads no clock.
package clock

import (
	"time"

	"github.com/tsumero/tsumero/solver/play"
)

// A State is the clock of the side to move when its turn begins.
type State struct {
	Main    time.Duration // left of the main time
	Byoyomi time.Duration // available anew for each move once the main time is spent (秒読み)
	// Inc is added to the main time with each move (フィッシャー). Programs differ on whether Main
	// has the one for this move already, so no more than the larger of the two is ever counted on.
	Inc time.Duration
}

// Options are the settings of the user. The zero Options lose nothing between the engine and the
// clock.
type Options struct {
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
func (s State) Left() time.Duration { return max(s.Main, s.Inc) + s.Byoyomi }

// Budget returns how long to think about a move with the number ply of a game that ends with move
// maxMoves (0: it has no such end). The Hard limit is at least a millisecond, and otherwise never
// more than s.Left, unless that is 0; then it is Untimed.
//
// It follows the usual practice: the main time is divided by the moves that are expected to follow,
// increments and byoyomi come on top, and where main time is as good as spent, each byoyomi is
// used up, for saving it brings nothing.
func Budget(s State, ply, maxMoves int, o Options) play.Budget {
	s = State{min(s.Main, longest), min(s.Byoyomi, longest), min(s.Inc, longest)}
	left := s.Left()
	if left == 0 {
		return play.Budget{Soft: Untimed, Hard: Untimed}
	}
	delay, reserve := min(o.NetworkDelay, left/delayParts), min(o.NetworkDelay2, left/delayParts)
	if s.Byoyomi == 0 {
		reserve = min(o.NetworkDelay2, left/2) // what is lost now is missing ever after
	}
	reserve = max(reserve, delay)

	sudden := s.Inc == 0 && s.Byoyomi == 0
	plies := horizon - min(ply, horizonFixed)
	if sudden {
		plies = suddenHorizon - min(ply, suddenFixed)
	}
	if maxMoves > 0 && ply <= maxMoves {
		plies = min(plies, maxMoves-ply+2)
	}
	moves := time.Duration(plies / 2)

	var b play.Budget
	switch {
	case s.Byoyomi > 0 && s.Main < s.Byoyomi*6/5:
		b = play.Budget{Soft: left - delay, Hard: left - delay}
	case moves <= 1:
		b = play.Budget{Soft: left - reserve, Hard: left - reserve}
	default:
		estimate := s.Main + (s.Inc+s.Byoyomi)*moves
		usual, factor := estimate/moves, float64(hardFactor)
		if sudden {
			factor = max(1, min(factor, factor*float64(s.Main)/float64(suddenShort)))
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

// Fixed returns the budget for a move that is to take so long (go movetime).
func Fixed(t time.Duration) play.Budget {
	t = max(t-min(movetimeMargin, t/2), time.Millisecond)
	return play.Budget{Soft: t, Hard: t}
}
