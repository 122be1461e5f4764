package hugepages

import (
	"slices"
	"testing"
)

// Memory that was asked for is there, whole and zero, however it lies.
func TestAdvise(t *testing.T) {
	Advise[uint64](nil)
	memory := make([]uint64, 4*Size/8)
	for _, part := range [][]uint64{memory[:1], memory[1:], memory[3 : Size/8+5], memory} {
		Advise(part)
		for i := range part {
			part[i]++
		}
	}
	if n := memory[0]; n != 2 {
		t.Errorf("the first word is %d, want 2", n)
	}
	if n := slices.Max(memory); n != 3 {
		t.Errorf("a word is %d, but three parts at most hold one", n)
	}
}
