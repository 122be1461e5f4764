package dfpn

// How long a node is searched before its parent decides anew. Thresholds decide the order of work,
// never the answer: a node is left when one of its numbers reaches its threshold, and is open then.
//
// # One and a bit (Pawlewicz and Lew 2007)
//
// The classical threshold of the best child lies just beyond the second best. Here it lies an
// eighth beyond, so that the search hops less between children that are equally hard.
//
// # Threshold control (TCA, Kishimoto 2010)
//
// In a graph with cycles a node may have low numbers only because it leans on itself, by way of a
// position that was met before on a shorter way. Plain df-pn can go round there for ever. While the
// path below such an old child has met nothing new, its thresholds are raised to one more than its
// numbers, which forces the search on until it meets a new leaf. Franz et al. (2022) prove that
// df-pn is complete with it, on finite graphs.

// thresholds end the search of a node when its pn or its dn reaches them. Units are those of pn,
// dn.
type thresholds struct{ pn, dn uint32 }

// reachedBy reports whether the node with the numbers of c is to be left.
func (t thresholds) reachedBy(c *combined) bool { return c.pn >= t.pn || c.dn >= t.dn }

// above returns t raised so that the numbers of c do not reach it.
func (t thresholds) above(c *combined) thresholds {
	return thresholds{max(t.pn, c.pn+1), max(t.dn, c.dn+1)}
}

// raised returns the thresholds for the root after a search under t that left it at pn and dn.
func (t thresholds) raised(pn, dn uint32) thresholds {
	return thresholds{max(t.pn, grow(pn)), max(t.dn, grow(dn))}
}

// grow returns 1.7 times n: a found compromise between searching the root anew too often, and
// letting one of its numbers run away from the other.
func grow(n uint32) uint32 { return clamp(uint64(n)*17/10 + 1) }

// ofChild returns the thresholds of the best child of f, which has the numbers c and the thresholds
// t itself: phi may exceed the second best by an eighth, delta is what the other children leave.
func (t thresholds) ofChild(f *frame, c *combined, o *Options) thresholds {
	phi, delta := t.pn, t.dn
	if !f.attacks {
		phi, delta = delta, phi
	}
	second := uint64(c.second)
	if !o.NoEpsilon {
		second = min(second+second/8, uint64(infinity))
	}
	phi = min(phi, clamp(second+1))
	if delta < infinity {
		delta -= c.rest // not below 0: the node's own delta is below its threshold, and rest within it
	}
	if f.attacks {
		return thresholds{phi, delta}
	}
	return thresholds{delta, phi}
}
