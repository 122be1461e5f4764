package site

import (
	"strconv"
	"time"
)

// A choice of the menu of times.
type choice struct {
	Milliseconds int64
	Label        string
	Selected     bool
}

// offered are the times that the menu has, as far as the service allows them.
var offered = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
}

// patience is how long most readers like to wait: what is selected at first is the longest time up
// to this.
const patience = 10 * time.Second

// times returns the choices of a service that allows so much, which is always one of them.
func (v *layout) times(most time.Duration) []choice {
	var all []choice
	add := func(d time.Duration) {
		all = append(all, choice{Milliseconds: d.Milliseconds(), Label: v.duration(d)})
	}
	for _, d := range offered {
		if d < most {
			add(d)
		}
	}
	add(most)
	selected := 0
	for i, c := range all {
		if c.Milliseconds <= patience.Milliseconds() {
			selected = i
		}
	}
	all[selected].Selected = true
	return all
}

// duration writes a time in minutes or hours if it is more than a minute and a whole number of
// them, else in seconds.
func (v *layout) duration(d time.Duration) string {
	number := func(unit time.Duration) string {
		return strconv.FormatFloat(d.Seconds()/unit.Seconds(), 'f', -1, 64)
	}
	switch {
	case d > time.Minute && d%time.Hour == 0:
		return number(time.Hour) + v.T("時間", " h")
	case d > time.Minute && d%time.Minute == 0:
		return number(time.Minute) + v.T("分", " min")
	}
	return number(time.Second) + v.T("秒", " s")
}
