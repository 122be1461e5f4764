// Package hugepages asks the system for pages of 2 MiB behind large tables: looking an entry up then
// takes fewer steps to find its page.
package hugepages

import "unsafe"

// Size is how many bytes a huge page has.
const Size = 2 << 20

// Advise asks for huge pages behind memory, which nobody should have touched yet, as far as whole
// ones lie in it. Where there are none, nothing is lost. A page is cleared when it is first touched:
// that takes as long for a huge one as for 512 others at once.
func Advise[T any](memory []T) {
	if len(memory) == 0 {
		return
	}
	start := unsafe.Pointer(unsafe.SliceData(memory))
	front := -uintptr(start) % Size
	if bytes := uintptr(len(memory)) * unsafe.Sizeof(memory[0]); bytes >= front+Size {
		advise(unsafe.Slice((*byte)(start), bytes)[front:])
	}
}
