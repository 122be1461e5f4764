package cli

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"time"
)

// A Count is how many there are of something: "1 position", "2 positions", 2局面.
type Count struct {
	n    uint64
	noun string
}

// Plural returns a Count. The noun is in English.
func Plural[N int | int64 | uint64](n N, noun string) Count { return Count{uint64(n), noun} }

func (c Count) String() string {
	if c.n == 1 {
		return "1 " + c.noun
	}
	return fmt.Sprintf("%d %ss", c.n, c.noun)
}

// Japanese returns the number with the counter of the noun.
func (c Count) Japanese() string { return fmt.Sprint(c.n) + cmp.Or(counters[c.noun], "件") }

// counters are 助数詞. That of most is 件.
var counters = map[string]string{"position": "局面", "node": "局面", "problem": "題", "sound problem": "題",
	"new sound problem": "題", "faulty problem": "題", "game": "局", "move": "手", "piece": "枚", "figure": "図",
	"final figure": "図", "time": "回"}

// PerSecond returns n per second of d with about three digits, such as "1.23 million" or 123万.
func (l Language) PerSecond(n uint64, d time.Duration) string {
	return l.rounded(float64(n) / max(d.Seconds(), 1e-9))
}

// rounded returns n with about three digits, such as "1.23 million" or 123万.
func (l Language) rounded(n float64) string {
	unit, units, size := "", []string{" thousand", " million", " billion"}, 1000.0
	if l == Japanese {
		units, size = []string{"万", "億", "兆"}, 10_000
	}
	for _, u := range units {
		if n < size {
			break
		}
		n, unit = n/size, u
	}
	digits := 0
	switch {
	case n < 10 && n != math.Trunc(n):
		digits = 2
	case n < 100 && n != math.Trunc(n):
		digits = 1
	}
	return strconv.FormatFloat(n, 'f', digits, 64) + unit
}

// nodes says how many positions a search has looked at.
func (l Language) nodes(n uint64) string { return l.rounded(float64(n)) + l.Text(" nodes", "局面") }

// RoundTime keeps about three digits of d.
func RoundTime(d time.Duration) time.Duration {
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
