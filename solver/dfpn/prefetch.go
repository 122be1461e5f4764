//go:build amd64 || arm64

package dfpn

// prefetch has the cache line of p loaded, and the next one, and does not wait for them. Go has no
// such instruction. A load would do, but the processor soon waits for one that has not come.
//
//go:noescape
func prefetch(p *slot)
