package length

import (
	"fmt"
	"strconv"

	"github.com/tsumero/tsumero/solver"
)

// A Policy says which interpositions are futile (無駄合), so that a conventional length leaves them
// out. The package documentation has the definition.
type Policy uint8

const (
	F2 Policy = iota // chain: the checking piece takes, and the same play goes on
	F0               // none: the raw length, every legal move counts
	F1               // final: only where nothing but futile drops could answer the check
	F3               // any capturer: as F2, but any piece may take, with check
	NumPolicies
)

// Default is the policy whose lengths magazines and sites print. It is the zero value.
const Default = F2

// Policies are all of them, in the order of their names.
var Policies = [NumPolicies]Policy{F0, F1, F2, F3}

// String returns "F0" to "F3".
func (p Policy) String() string { return [...]string{"F2", "F0", "F1", "F3"}[p&3] }

// ParsePolicy reads the name of a policy.
func ParsePolicy(s string) (Policy, error) {
	for _, p := range Policies {
		if p.String() == s {
			return p, nil
		}
	}
	return Default, fmt.Errorf("length: %.20q is no policy; there are F0, F1, F2 and F3", s)
}

// IsAtMost reports whether no length under p is greater than that under q, in any position. That is
// so of every policy and F0, and of F2 and F3 and F1; of F3 and F2 it is not known. Let L be the
// length under p, and L1 that under F1.
//
// L1 <= L0, by induction on L0: F1 only leaves replies out, and where one of them is the longest
// under F0 the others are shorter.
//
// L <= L1 for F2 and F3, by induction on L1. For the attacker it holds after the check that is best
// under F1, so it holds before. For the defender it holds after every reply that F1 counts, so all is
// well if F1 counts every reply that p counts. A drop that F1 leaves out is one where here is 0 under
// F1, and so under p, as p has counted no more until then; and S takes it so that the position N'
// has L1(N') = 0. Then L(N') = 0, too, so that p leaves it out: L1(N') = 0 says that the defender has
// no reply but candidates each of which S takes, nearer to the king, again with L1 = 0; by induction
// on the distance of S each is futile under p, for which here is 0 all along.
func (p Policy) IsAtMost(q Policy) bool { return p != q && (q == F0 || q == F1 && p != F0) }

// An Interval bounds a length in plies: it is at least Low and at most High, and even or odd as they
// are. High is Unbounded if no mate is known. The zero Interval is the length 0, of what is mated.
type Interval struct{ Low, High int }

// Unbounded is the High of a length of which nothing is known but its Low, and both of them where
// there is no mate.
const Unbounded = 1 << 20

// String returns "3", "3 to 5", "at least 3" or "no mate".
func (i Interval) String() string {
	switch {
	case i.Low == Unbounded:
		return "no mate"
	case i.High == Unbounded:
		return fmt.Sprintf("at least %d", i.Low)
	case i.IsExact():
		return strconv.Itoa(i.Low)
	}
	return fmt.Sprintf("%d to %d", i.Low, i.High)
}

// Range returns the bounds without words: "3", "3..5", "3.." or "none".
func (i Interval) Range() string {
	switch {
	case i.Low == Unbounded:
		return "none"
	case i.High == Unbounded:
		return fmt.Sprintf("%d..", i.Low)
	case i.IsExact():
		return strconv.Itoa(i.Low)
	}
	return fmt.Sprintf("%d..%d", i.Low, i.High)
}

// IsExact reports whether the length is known, or that there is no mate.
func (i Interval) IsExact() bool { return i.Low == i.High }

// IsMate reports whether there is a mate for certain.
func (i Interval) IsMate() bool { return i.High < Unbounded }

// Exactly returns the interval of a known length.
func Exactly(n int) Interval { return Interval{n, n} }

// Raw returns what a search says of the length of the mate that it found, every move counted.
func Raw(r *solver.Result) Interval {
	high := r.Plies()
	if r.Exact {
		return Exactly(high)
	}
	low := r.NoMateWithin + 1
	return Interval{Low: low + (high-low)%2, High: high}
}
