package dfpn

// uncount looks for an ancestor that counts the best child's positions twice: once by way of the path, and once by way of
// from, the node from which they were last searched. Both ways join the ancestor's maximum then.
// It gives up where the numbers show that something else is what makes the ancestor hard.
func (s *searcher) uncount(from state, pn, dn uint32) {
	const slack = 3 * unit
	watchPn, watchDn := true, true
	for range 4 * len(s.frames) {
		var r look
		s.table.look(from.key, from.hand, forever, 1<<14, &r)
		if !r.found || r.pn == 0 || r.dn == 0 || r.parentKey == 0 {
			return
		}
		if r.pn > pn+slack {
			watchPn = false
		}
		if r.dn > dn+slack {
			watchDn = false
		}
		if !watchPn && !watchDn {
			return
		}
		pn, dn = r.pn, r.dn
		parent := state{r.parentKey, r.parentHand}
		for i := s.onPath[parent.key%pathSlots]; i >= 0; i = s.frames[i].samePath {
			a := &s.frames[i]
			if a.key != parent.key || a.hand != parent.hand {
				continue
			}
			if int(i)+1 >= len(s.frames) || a.attacks && !watchDn || !a.attacks && !watchPn {
				return
			}
			b := &s.frames[i+1]
			if b.key == from.key && b.hand == from.hand {
				return // the same way
			}
			s.joinMax(a, state{b.key, b.hand})
			s.joinMax(a, from)
			return
		}
		from = parent
	}
}

// joinMax counts the child of f by maximum from now on.
func (s *searcher) joinMax(f *frame, to state) {
	for i := f.first; i < f.first+f.count; i++ {
		if ch := &s.children[i]; ch.key == to.key && ch.hand == to.hand {
			ch.useMax = true
		}
	}
}

// mask returns the children of f that are counted by maximum, the first 64 of them.
func (s *searcher) mask(f *frame) uint64 {
	var m uint64
	for i := range min(f.count, 64) {
		if s.children[f.first+i].useMax {
			m |= 1 << i
		}
	}
	return m
}
