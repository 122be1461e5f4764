//go:build race || 386 || arm || mips || mipsle

package dfpn

import "sync/atomic"

// setWord writes a word of the table that says nothing about who wins, and setHalf half of one.
// The race detector is to report other races than theirs, and processors with words of 32 bits
// write one of 64 in two steps.
func setWord(word *uint64, x uint64) { atomic.StoreUint64(word, x) }
func setHalf(half *uint32, x uint32) { atomic.StoreUint32(half, x) }
