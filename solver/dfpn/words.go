//go:build !race && !(386 || arm || mips || mipsle)

package dfpn

// setWord writes a word of the table that says nothing about who wins, and setHalf half of one. On
// processors with words of 64 bits a plain store writes them whole, as Go's memory model promises
// too. On amd64 an atomic one would wait for all stores before it, a tenth of the time of a search
// of several threads.
func setWord(word *uint64, x uint64) { *word = x }
func setHalf(half *uint32, x uint32) { *half = x }
