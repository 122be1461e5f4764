package daily

import (
	"testing"
	"time"

	"github.com/tsumero/tsumero/web/internal/problemtest"
)

// TestProblems: the file is as it has to be, and its problems are sound. It searches a sample.
func TestProblems(t *testing.T) { problemtest.Verify(t, file, All()) }

// days are enough dates for all problems to come, and some of them again.
const days = 1600

// TestDates: each date has a problem of the length of its weekday, and none comes a second
// time within 100 days.
func TestDates(t *testing.T) {
	const apart = 100
	last, again := map[string]Date{}, map[int]Date{}
	for d := First; d < First+days; d++ {
		p, ok := On(d)
		if !ok || p.Plies != byWeekday[d.Weekday()] {
			t.Fatalf("%v, a %v, has %d plies", d, d.Weekday(), p.Plies)
		}
		before, isRepeated := last[p.SFEN]
		if isRepeated && again[p.Plies] == 0 {
			again[p.Plies] = d
			t.Logf("%d plies: %d problems, which begin again on %v", p.Plies, len(OfLength(p.Plies)), d)
		}
		if isRepeated && d-before < apart {
			t.Errorf("%s is there on %v and on %v: there are too few of %d plies",
				p.SFEN, before, d, p.Plies)
		}
		last[p.SFEN] = d
	}
	if _, ok := On(First - 1); ok {
		t.Error("there is a problem before the first")
	}
	for d := time.Monday; d < time.Saturday; d++ {
		if byWeekday[d] > byWeekday[d+1] || byWeekday[time.Saturday] > byWeekday[time.Sunday] {
			t.Errorf("%v is harder than the day after it", d)
		}
	}
}

// TestAppended: what is appended changes no date before those of its length begin again.
func TestAppended(t *testing.T) {
	for d := First; d < First+days; d++ {
		n := len(OfLength(byWeekday[d.Weekday()]))
		if i := before(d, byWeekday[d.Weekday()]); i < n && i%n != i%(n+1) {
			t.Errorf("%v changes", d)
		}
	}
	// Without gaps, each date of a length has the next of its problems.
	next := map[int]int{}
	for d := First; d < First+days; d++ {
		plies := byWeekday[d.Weekday()]
		if got := before(d, plies); got != next[plies] {
			t.Fatalf("%v has the problem %d of %d plies, not %d", d, got, plies, next[plies])
		}
		next[plies]++
	}
}

// TestUntil: a collection has what was there until a date, and never what is yet to come.
func TestUntil(t *testing.T) {
	if got := Until(First-1, 3); got != nil {
		t.Errorf("before the first date there are %d", len(got))
	}
	seen := map[string]bool{}
	for d := First; d < First+days; d++ {
		p, _ := On(d)
		seen[p.SFEN] = true
		n := 0
		for _, plies := range Lengths() {
			for _, one := range Until(d, plies) {
				if n++; !seen[one.SFEN] {
					t.Fatalf("until %v there is %s, which has not been there", d, one.SFEN)
				}
			}
		}
		if n != len(seen) {
			t.Fatalf("until %v there are %d, not %d", d, n, len(seen))
		}
	}
	if len(seen) != len(All()) {
		t.Errorf("in %d dates there are %d of %d", days, len(seen), len(All()))
	}
}

// TestDate: a date begins at midnight in Japan, and is read as it is written.
func TestDate(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-22T14:59:59Z": "2026-11-22", "2026-11-22T15:00:00Z": "2026-11-23",
		"2026-11-23T23:59:59+09:00": "2026-11-23", "2027-01-01T00:00:00+09:00": "2027-01-01",
		"2026-12-31T06:59:59-08:00": "2026-12-31", "2026-12-31T07:00:00-08:00": "2027-01-01",
		"2028-02-29T12:00:00Z": "2028-02-29", "1969-12-31T14:59:59Z": "1969-12-31",
	} {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		d := DateOf(at)
		if d.String() != want {
			t.Errorf("at %s it is %v, not %s", text, d, want)
		}
		if start := d.Start(); start.After(at) || !(d + 1).Start().After(at) || start.Format(time.TimeOnly) != "00:00:00" {
			t.Errorf("%v begins at %v", d, start)
		}
		if read, err := ParseDate(want); err != nil || read != d {
			t.Errorf("%s is read as %v: %v", want, read, err)
		}
	}
	if First.String() != "2026-10-26" || First.Weekday() != time.Monday {
		t.Errorf("the first date is %v, a %v", First, First.Weekday())
	}
	for _, text := range []string{"", "today", "2026-1-1", "2026-02-29", "2026-11-23T00:00:00Z", "20261123", "-2026-01-01"} {
		if d, err := ParseDate(text); err == nil {
			t.Errorf("%q is %v", text, d)
		}
	}
}
