package analysis

import (
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

// TestLeastLength: a mate found in n plies can turn out to be shorter by two, four and so on, but
// not by one: its last move is the attacker's. What is proven to hold no mate bounds it from below.
func TestLeastLength(t *testing.T) {
	for _, test := range []struct {
		plies, noMateWithin int
		exact               bool
		want                int
	}{
		{7, 0, false, 1},
		{7, 1, false, 3}, // not 2
		{7, 2, false, 3},
		{7, 3, false, 5}, // not 4
		{7, 5, false, 7},
		{7, 0, true, 7},
		{6, 0, false, 2}, // a reply and the mate after it: never 1
		{6, 1, false, 2},
		{6, 2, false, 4}, // not 3
		{6, 4, false, 6},
		{2, 0, true, 2},
	} {
		m := MoveVerdict{Line: make([]shogi.Move, test.plies), NoMateWithin: test.noMateWithin, Exact: test.exact}
		if got := m.shortest(); got != test.want {
			t.Errorf("a mate in %d, exact %v, none within %d: shortest %d, want %d",
				test.plies, test.exact, test.noMateWithin, got, test.want)
		}
	}
}
