//go:build !race

package wire

import "testing"

// The race detector makes pools forget things, so that this file is not for it.

// TestAllocations: a request costs the memory of its position, and no more.
func TestAllocations(t *testing.T) {
	solve := NewDecoder[SolveRequest]("body", &testBounds)
	text := []byte(`{"sfen":"9/4k4/9/4P4/9/9/9/9/9 b 2G 1","limits":{"plies":3,"shortest":true}}`)
	if n := testing.AllocsPerRun(100, func() {
		var req SolveRequest
		if faults, p := solve.Decode(text, &req); faults != nil || p != nil {
			t.Fatal(faults, p)
		}
	}); n > 2 { // 1, and sometimes a reader: the pool may be empty
		t.Errorf("%v allocations", n)
	}
}
