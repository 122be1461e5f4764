package report

import (
	"strconv"

	"github.com/tsumero/tsumero/solver/threat"
)

// BrinkmateText says what a search for a brinkmate has found: of a brinkmate, as the heading of a
// problem, how long it is, and of everything else, what it is.
func BrinkmateText(r *threat.Result) Text {
	name, n := "threat_"+r.Verdict.String(), threat.Plies(r.Attacks)
	switch r.Verdict {
	case threat.Brinkmate:
		if name = "brinkmate_in"; !r.Exact {
			name += "_at_most"
		}
	case threat.Mate:
		n = len(r.Line)
	case threat.Unknown:
		return Why(r.Reason)
	}
	return Say(name, "n", strconv.Itoa(n))
}
