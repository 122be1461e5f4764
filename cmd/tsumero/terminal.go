package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// isTerminal reports whether a person sees what is written to v, or types what is read from it.
func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// newBar returns a progress bar on stderr that vanishes when it is finished, one that shows nothing if stderr is no
// terminal. total is in the units that Add is given, -1 if it is not known.
func newBar(stderr io.Writer, total int64, what string) *progressbar.ProgressBar {
	if !isTerminal(stderr) {
		return noBar()
	}
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionFullWidth(),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine of its own: it reads without the lock
	)
}

// noBar returns a bar that shows nothing.
func noBar() *progressbar.ProgressBar {
	return progressbar.NewOptions(1, progressbar.OptionSetVisibility(false))
}

// plural returns "1 position", "2 positions".
func plural[N int | int64 | uint64](n N, word string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// perSecond returns n per second of d with about three digits, such as "1.23 million".
func perSecond(n uint64, d time.Duration) string { return rounded(float64(n) / max(d.Seconds(), 1e-9)) }

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

// roundTime keeps about three digits of d.
func roundTime(d time.Duration) time.Duration {
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
