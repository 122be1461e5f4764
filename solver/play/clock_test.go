package play

import (
	"testing"
	"time"
)

const (
	ms  = time.Millisecond
	sec = time.Second
)

// usual are the defaults of the USI engine.
var usual = ClockOptions{NetworkDelay: 100 * ms, NetworkDelay2: 400 * ms, SlowMover: 100}

func with(change func(o *ClockOptions)) ClockOptions {
	o := usual
	change(&o)
	return o
}

// The figures are worked out by hand from the rules of the package.
func TestBudget(t *testing.T) {
	slow := with(func(o *ClockOptions) { o.SlowMover = 50 })
	patient := with(func(o *ClockOptions) { o.MinimumTime = 2 * sec })
	near := with(func(o *ClockOptions) { o.NetworkDelay2 = 0 })
	whole := with(func(o *ClockOptions) { o.RoundUp = true })
	for _, tt := range []struct {
		name       string
		clock      Clock
		ply, limit int
		options    ClockOptions
		soft, hard time.Duration
	}{
		// Byoyomi alone, or as good as alone: all of it, but for the way. The delay is a fifth at most.
		{"byoyomi of 10 s", Clock{0, 10 * sec, 0}, 1, 0, usual, 9900 * ms, 9900 * ms},
		{"byoyomi of 1 s", Clock{0, sec, 0}, 200, 0, usual, 900 * ms, 900 * ms},
		{"byoyomi of 100 ms", Clock{0, 100 * ms, 0}, 1, 0, usual, 80 * ms, 80 * ms},
		{"little main time before byoyomi", Clock{11 * sec, 10 * sec, 0}, 1, 0, usual, 20900 * ms, 20900 * ms},
		// Main time before byoyomi. At ply 20 there are (180-20)/2 = 80 moves to come: 800/80 + 10 s;
		// the most is 5 times that.
		{"main time and byoyomi", Clock{800 * sec, 10 * sec, 0}, 20, 0, usual, 19900 * ms, 99900 * ms},
		{"more than is left", Clock{20 * sec, 10 * sec, 0}, 20, 0, usual, 10150 * ms, 29600 * ms},
		// From ply 80 on, 50 moves.
		{"late", Clock{500 * sec, 10 * sec, 0}, 150, 0, usual, 19900 * ms, 99900 * ms},
		// Sudden death: at ply 40 and later 80 moves. From 5 minutes on up to 5 times the usual, below
		// that less, and the usual from 1 minute down.
		{"sudden death", Clock{800 * sec, 0, 0}, 40, 0, usual, 9900 * ms, 49900 * ms},
		{"sudden death, 4 minutes", Clock{240 * sec, 0, 0}, 60, 0, usual, 2900 * ms, 11900 * ms},
		{"sudden death, 40 s", Clock{40 * sec, 0, 0}, 60, 0, usual, 400 * ms, 400 * ms},
		{"sudden death, 80 ms", Clock{80 * ms, 0, 0}, 60, 0, usual, ms, ms},
		// Increments: at ply 80, 160/50 + 2 s.
		{"increments", Clock{160 * sec, 0, 2 * sec}, 100, 0, usual, 5100 * ms, 25900 * ms},
		{"odd increments", Clock{1, 0, 777 * ms}, 100, 0, usual, 777 * ms / 2, 777 * ms / 2},
		{"an increment alone", Clock{0, 0, 100 * ms}, 100, 0, usual, 50 * ms, 50 * ms},
		// Of the last of a main time half is kept, for what is lost on the way comes back at most by the
		// increment: 400/50 + 100 - 80 ms; no more than 400/2.
		{"a short increment", Clock{400 * ms, 0, 100 * ms}, 100, 0, usual, 28 * ms, 200 * ms},
		// The end of the game by the number of moves: (320-315+2)/2 = 3 moves, then 2, then all.
		{"before the limit", Clock{60 * sec, 0, 0}, 315, 320, usual, 19900 * ms, 19900 * ms},
		// Of 800 s for 10 moves each usually takes 80, and the most is not 5 times that but 30 % of all.
		{"a share of what is left", Clock{800 * sec, 0, 0}, 301, 320, usual, 79900 * ms, 239900 * ms},
		{"last but one", Clock{60 * sec, 0, 0}, 318, 320, usual, 29900 * ms, 29900 * ms},
		// What is kept is the usual delay at least.
		{"last move, a short way", Clock{60 * sec, 0, 0}, 320, 320, near, 59900 * ms, 59900 * ms},
		{"last move", Clock{60 * sec, 0, 0}, 320, 320, usual, 59600 * ms, 59600 * ms},
		{"past the limit", Clock{40 * sec, 0, 0}, 321, 320, usual, 400 * ms, 400 * ms},
		// The options.
		{"half as slow", Clock{800 * sec, 10 * sec, 0}, 20, 0, slow, 9900 * ms, 99900 * ms},
		{"at least", Clock{80 * sec, 0, 0}, 60, 0, patient, 2000 * ms, 2000 * ms},
		{"at least, with less there", Clock{sec, 0, 0}, 60, 0, patient, 600 * ms, 600 * ms},
		{"whole seconds", Clock{240 * sec, 0, 0}, 61, 0, whole, 2900 * ms, 11900 * ms},
		{"whole seconds, rounded", Clock{200 * sec, 0, 0}, 61, 0, whole, 2900 * ms, 8900 * ms},
		{"whole seconds that are not there", Clock{700 * ms, 0, 0}, 61, 0, whole, 350 * ms, 350 * ms},
		{"zero options", Clock{0, sec, 0}, 1, 0, ClockOptions{}, sec, sec},
		{"a clock of zeros", Clock{}, 1, 0, usual, sec, sec},
		{"a clock of 30 years", Clock{30 * 365 * 24 * time.Hour, 0, 0}, 40, 0, ClockOptions{SlowMover: 1000},
			90 * time.Hour, 90 * time.Hour},
	} {
		if got, want := tt.clock.Budget(tt.ply, tt.limit, tt.options), (Budget{Soft: tt.soft, Hard: tt.hard}); got != want {
			t.Errorf("%s: %v at ply %d of %d: %v, want %v", tt.name, tt.clock, tt.ply, tt.limit, got, want)
		}
	}
}

// Whatever the clock and the options, the budget is positive, in order, and there.
func TestBudgetBounds(t *testing.T) {
	times := []time.Duration{0, 1, ms, 3 * ms, 80 * ms, 777 * ms, sec, 61 * sec, time.Hour, 35 * 365 * 24 * time.Hour}
	options := []ClockOptions{{}, usual, {NetworkDelay: time.Hour, NetworkDelay2: 2 * time.Hour, MinimumTime: time.Hour, RoundUp: true, SlowMover: 1000},
		{NetworkDelay: sec, SlowMover: 1, RoundUp: true}}
	for _, main := range times {
		for _, byoyomi := range times {
			for _, inc := range times {
				for _, ply := range []int{1, 79, 256, 319, 320, 321, 1_000_000} {
					for _, limit := range []int{0, 1, 320, 100_000} {
						for _, o := range options {
							s := Clock{main, byoyomi, inc}
							b, left := s.Budget(ply, limit, o), s.Left()
							if left == 0 {
								left = Untimed
							}
							if b.Soft < ms || b.Soft > b.Hard || b.Hard > max(left, ms) {
								t.Fatalf("%v at ply %d of %d with %v: %v", s, ply, limit, o, b)
							}
						}
					}
				}
			}
		}
	}
}

func TestFixedBudget(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{sec: 990 * ms, 20 * ms: 10 * ms, 10 * ms: 5 * ms, 0: ms} {
		if got := FixedBudget(given); got != (Budget{Soft: want, Hard: want}) {
			t.Errorf("%v: %v, want %v", given, got, want)
		}
	}
}
