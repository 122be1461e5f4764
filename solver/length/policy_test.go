package length

import "testing"

// TestIntervalTexts: a length for people, and for programs.
func TestIntervalTexts(t *testing.T) {
	for _, c := range []struct {
		Interval
		text, bounds string
	}{
		{Exactly(5), "5", "5"},
		{Interval{3, 7}, "3 to 7", "3..7"},
		{Interval{3, Unbounded}, "at least 3", "3.."},
		{Exactly(Unbounded), "no mate", "none"},
	} {
		if text, bounds := c.String(), c.Range(); text != c.text || bounds != c.bounds {
			t.Errorf("%d, %d: %q and %q, want %q and %q", c.Low, c.High, text, bounds, c.text, c.bounds)
		}
	}
}
