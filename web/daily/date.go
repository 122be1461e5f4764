package daily

import (
	"fmt"
	"time"
)

// A Date is a day of the calendar, as the number of days since January 1st, 1970.
type Date int

// japan has had no summer time since 1951, so that its days are all as long.
var japan = time.FixedZone("JST", 9*60*60)

const secondsOfDay = 24 * 60 * 60

// dateLayout is how a date is written, for package time.
const dateLayout = "2006-01-02"

// DateOf returns the date that it is in Japan at a time.
func DateOf(t time.Time) Date {
	year, month, day := t.In(japan).Date()
	return Date(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / secondsOfDay)
}

// ParseDate reads a date as String writes it.
func ParseDate(text string) (Date, error) {
	t, err := time.ParseInLocation(dateLayout, text, japan)
	if err != nil {
		return 0, fmt.Errorf("daily: %q is no date such as 2026-11-23", text)
	}
	return DateOf(t), nil
}

// Start returns when the date begins in Japan.
func (d Date) Start() time.Time {
	year, month, day := time.Unix(int64(d)*secondsOfDay, 0).UTC().Date()
	return time.Date(year, month, day, 0, 0, 0, 0, japan)
}

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return d.Start().Weekday() }

// String returns the date as ISO 8601 writes it, such as 2026-11-23.
func (d Date) String() string { return d.Start().Format(dateLayout) }
