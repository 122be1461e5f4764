package daily

import (
	"time"

	"github.com/tsumero/tsumero/web/problems"
)

// byWeekday are the lengths of the problems of the weekdays, in plies. Monday has the shortest,
// Sunday the longest.
var byWeekday = [7]int{
	time.Monday: 3, time.Tuesday: 3, time.Wednesday: 5, time.Thursday: 5, time.Friday: 7,
	time.Saturday: 9, time.Sunday: 11,
}

// First is the first date that has a problem: October 26th, 2026, a Monday.
const First Date = 20752

// On returns the problem of a date. Dates before First have none.
func On(d Date) (p problems.Problem, ok bool) {
	if d < First {
		return problems.Problem{}, false
	}
	plies := byWeekday[d.Weekday()]
	all := OfLength(plies)
	return all[before(d, plies)%len(all)], true
}

// Until returns the problems of a length of all dates until d, d with them, in their order. Those of
// dates to come are not among them, unless they were there already. The caller must not change them.
func Until(d Date, plies int) []problems.Problem {
	all := OfLength(plies)
	if d < First {
		return nil
	}
	return all[:min(before(d+1, plies), len(all))]
}

// before returns how many dates from First on and before d have a problem of a length.
func before(d Date, plies int) int {
	week := (d - First) / 7
	inWeek, rest := 0, 0
	for i := range Date(7) {
		if byWeekday[(First+i).Weekday()] != plies {
			continue
		}
		inWeek++
		if First+week*7+i < d {
			rest++
		}
	}
	return int(week)*inWeek + rest
}
