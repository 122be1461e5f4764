package dfpn

import (
	"syscall"
	"unsafe"
)

// adviseHugePages asks the system for huge pages behind what a short search uses, before they are
// touched: looking an entry up then takes fewer steps to find its page. Where there are none,
// nothing is lost.
func adviseHugePages[T any](memory []T) {
	const front = 2 << 20 // bytes
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)*int(unsafe.Sizeof(memory[0])))
	if len(bytes) > 2*front {
		_ = syscall.Madvise(bytes[front:], syscall.MADV_HUGEPAGE)
	}
}
