package hugepages

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// advised reports whether the system knows that huge pages are wanted at an address.
func advised(t *testing.T, address uintptr) bool {
	t.Helper()
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	within := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			within = from <= address && address < to
		}
		if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && within {
			return strings.Contains(flags+" ", " hg ")
		}
	}
	t.Skip("the system does not say what it was advised")
	return false
}

// Whole pages of 2 MiB are asked for, and nothing else.
func TestAdvised(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip(err)
	}
	const words = Size / 8
	memory := make([]uint64, 6*words)
	start := uintptr(unsafe.Pointer(&memory[0]))
	first := int(-start%Size) / 8 // of a huge page
	if Advise(memory[first+1 : first+words]); advised(t, start+uintptr(8*first+Size/2)) {
		t.Error("part of a page is not asked for")
	}
	Advise(memory[first+1 : first+3*words])
	for i, want := range []bool{false, true, true, false} {
		if got := advised(t, start+uintptr(8*first+i*Size+Size/2)); got != want {
			t.Errorf("page %d: advised is %v", i, got)
		}
	}
}
