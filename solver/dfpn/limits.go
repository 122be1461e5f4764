package dfpn

import "github.com/tsumero/tsumero/solver"

// Where a search stops short: at its limit of nodes exactly, and at the end of its context within
// pollEvery nodes. From then on searcher.reason says why, nothing is stored, and every frame
// returns.

// pollEvery is how many nodes lie between two looks at the clock, about a millisecond's worth.
const pollEvery = 1024

// count counts a node, unless the search has to stop.
func (s *searcher) count() (ok bool) {
	if s.limit > 0 && s.nodes >= s.limit && s.reason == solver.NoReason {
		s.reason = solver.ReasonNodes
	}
	if s.parallel && s.threads.interrupts.Load() != 0 && s.reason == solver.NoReason {
		s.safepoint()
	}
	if s.reason != solver.NoReason {
		return false
	}
	s.nodes++
	if s.nodes%pollEvery == 0 {
		s.lookAround()
	}
	return true
}

// countMore counts n positions that package mate3 has looked at.
func (s *searcher) countMore(n uint64) {
	before := s.nodes
	if s.nodes += n; s.limit > 0 && s.nodes > s.limit {
		s.nodes = s.limit
		if s.reason == solver.NoReason {
			s.reason = solver.ReasonNodes
		}
	}
	if s.nodes/pollEvery != before/pollEvery {
		s.lookAround()
	}
}

// allNodes returns how many nodes all threads have looked at so far.
func (s *searcher) allNodes() uint64 {
	if s.parallel {
		return max(s.nodes, s.threads.nodes.Load())
	}
	return s.nodes
}

// lookAround asks what has happened meanwhile: to the context, and in other threads.
func (s *searcher) lookAround() {
	if s.parallel {
		s.threads.nodes.Add(pollEvery)
		s.findSolvedFrame()
	} else if s.helpersAt > 0 && s.nodes >= s.helpersAt {
		s.startHelpers()
	}
	if s.keeping != nil {
		s.keep()
	}
	s.poll()
}

// poll asks the context whether the search has to stop, and reports if a report is due.
func (s *searcher) poll() {
	if s.reason == solver.NoReason {
		s.reason = solver.StopReason(s.ctx)
	}
	s.reportIfDue()
}

// stopped polls, and reports whether the search has to stop.
func (s *searcher) stopped() bool {
	s.poll()
	return s.reason != solver.NoReason
}
