package dfpn

// Double counting: in a graph (DAG) a sum counts a leaf once for each way that leads to it, so the
// proof numbers of ancestors are overestimated, without bound. To find exact ones is NP-hard (Gao
// 2021). The remedy is source node detection (SNDA, Kishimoto 2010), here by parent links: when a
// node was last searched from another parent than the present one, its leaves reach the path by two
// ways. Where these ways part is the source node: an ancestor that adds both of them up. From then
// on it counts the two children by their maximum.
//
// A maximum is no more than a sum and is 0 or infinity in the same cases, so this changes the order
// of work alone. Which children count so is stored with the node (maximumMask), or it would be
// forgotten at each visit.

// findDoubleCount looks, once, for a source node above the child ch that is about to be visited and
// was last searched from another parent.
func (s *searcher) findDoubleCount(ch *child) {
	s.markSource(ch.from, ch.pn, ch.dn)
	ch.from = state{}
}

// markSource walks up the parent links from the state from, whose child on the path has the numbers
// pn and dn, to the first state on the path. If that ancestor is left by another child there than
// here, it is the source node, and both children count by maximum from now on. The walk ends
// without one where a number rises by more than slack: what makes the ancestor hard then is
// something else.
func (s *searcher) markSource(from state, pn, dn uint32) {
	const slack = 3 * unit
	followPn, followDn := true, true
	for range 4 * len(s.frames) {
		var r probed
		s.table.probe(from.key, from.hand, forever, anyDepth, &r)
		if !r.found || r.isSolved() {
			return
		}
		parent := s.table.parentOf(&r, state{})
		if parent.key == 0 {
			return
		}
		followPn = followPn && r.pn <= pn+slack
		followDn = followDn && r.dn <= dn+slack
		if !followPn && !followDn {
			return
		}
		pn, dn = r.pn, r.dn
		if i := s.frameOf(parent); i != noFrame {
			s.joinAtSource(i, from, followPn, followDn)
			return
		}
		from = parent
	}
}

// anyDepth has probe take the bounds of entries that were met at any depth, but the very greatest.
const anyDepth int32 = 1 << 14

// frameOf returns the depth of the last frame with this state, noFrame if there is none.
func (s *searcher) frameOf(st state) int32 {
	i := s.onPath[st.key%onPathSlots]
	for i != noFrame && (s.frames[i].key != st.key || s.frames[i].hand != st.hand) {
		i = s.frames[i].sameSlot
	}
	return i
}

// joinAtSource has the frame at depth count two children by maximum: the one on the path, and
// other. It does not if they are the same, or if the number that it sums up was not the one
// followed.
func (s *searcher) joinAtSource(depth int32, other state, followPn, followDn bool) {
	source := &s.frames[depth]
	followed := followPn // of the numbers that source sums up
	if source.attacks {
		followed = followDn
	}
	if int(depth)+1 >= len(s.frames) || !followed {
		return
	}
	below := &s.frames[depth+1]
	onPath := state{below.key, below.hand}
	if onPath == other {
		return
	}
	s.countByMaximum(source, onPath)
	s.countByMaximum(source, other)
}

// countByMaximum takes the children of f with this state out of the sum.
func (s *searcher) countByMaximum(f *frame, st state) {
	for i := f.first; i < f.first+f.count; i++ {
		if ch := &s.children[i]; ch.key == st.key && ch.hand == st.hand {
			ch.useMax = true
		}
	}
}

// maximumMask returns which children of f count by maximum, among the first 32 of them.
func (s *searcher) maximumMask(f *frame) uint32 {
	var m uint32
	for i := range min(f.count, 32) {
		if s.children[f.first+i].useMax {
			m |= 1 << i
		}
	}
	return m
}
