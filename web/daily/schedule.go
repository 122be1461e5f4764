package daily

import "time"

// byWeekday are the lengths of the problems of the weekdays, in plies. Monday has the shortest,
// Sunday the longest.
var byWeekday = [7]int{
	time.Monday: 3, time.Tuesday: 3, time.Wednesday: 5, time.Thursday: 5, time.Friday: 7,
	time.Saturday: 9, time.Sunday: 11,
}

// First is the first date that has a problem: October 26th, 2026, a Monday.
const First Date = 20752

// On returns the problem of a date. Dates before First have none.
func On(d Date) (p Problem, ok bool) {
	if d < First {
		return Problem{}, false
	}
	problems := OfLength(byWeekday[d.Weekday()])
	return problems[ordinal(d)%len(problems)], true
}

// ordinal returns how many dates from First on have a problem as long as that of d before it has.
func ordinal(d Date) int {
	plies := byWeekday[d.Weekday()]
	week := (d - First) / 7
	inWeek, before := 0, 0
	for i := range Date(7) {
		if byWeekday[(First+i).Weekday()] != plies {
			continue
		}
		inWeek++
		if First+week*7+i < d {
			before++
		}
	}
	return int(week)*inWeek + before
}
