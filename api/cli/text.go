package cli

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Plural returns "1 position", "2 positions".
func Plural[N int | int64 | uint64](n N, word string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// PerSecond returns n per second of d with about three digits, such as "1.23 million".
func PerSecond(n uint64, d time.Duration) string {
	return rounded(float64(n) / max(d.Seconds(), 1e-9))
}

// rounded returns n with about three digits, such as "1.23 million".
func rounded(n float64) string {
	unit := ""
	for _, u := range []string{" thousand", " million", " billion"} {
		if n < 1000 {
			break
		}
		n, unit = n/1000, u
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

// RoundTime keeps about three digits of d.
func RoundTime(d time.Duration) time.Duration {
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
