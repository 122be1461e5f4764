//go:build !nonats

package natsstore

import "testing"

// TestToldRecords: after a listing by a replica that was behind, messages from before it come again.
func TestToldRecords(t *testing.T) {
	w := told{start: 20, records: map[string]uint64{"a": 5, "b": 20}}
	for _, c := range []struct {
		what     string
		subject  string
		sequence uint64
		removed  bool
		want     bool
	}{
		{"what was listed", "a", 5, false, false},
		{"a removal before the listing", "gone", 6, true, false},
		{"a record that the replica did not have", "new", 7, false, true},
		{"its removal", "new", 8, true, true},
		{"a change that the replica did not have", "a", 9, false, true},
		{"its removal", "a", 10, true, true},
		{"what was listed by a better replica", "b", 20, false, false},
		{"a removal after the listing", "b", 21, true, true},
		{"a record after the listing", "b", 22, false, true},
		{"the removal of one that was never told", "other", 23, true, true},
	} {
		if got := w.isNews(c.subject, c.sequence, c.removed); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}
