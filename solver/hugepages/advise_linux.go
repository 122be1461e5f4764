package hugepages

import "syscall"

func advise(memory []byte) { _ = syscall.Madvise(memory, syscall.MADV_HUGEPAGE) }
