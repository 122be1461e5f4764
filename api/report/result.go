package report

import (
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
)

// ResultRecord returns the record of a position and a result. It has the moves of a mate and ends
// with mate, has no moves and ends with no mate, or is broken off (中断) if the verdict is unknown. A
// comment on the position says how sure the result is: in Japanese, as the notations are Japanese.
func ResultRecord(p *shogi.Position, r *solver.Result) *notation.Record {
	var end notation.Ending
	switch r.Verdict {
	case solver.Mate:
		end = notation.Mated
	case solver.NoMate:
		end = notation.NoMate
	default:
		end = notation.Interrupted
	}
	record := notation.NewRecord(*p, r.Line, end)
	v := Verdict{Verdict: r.Verdict.String(), Plies: r.Plies(), Exact: r.Exact,
		NoMateWithin: r.NoMateWithin}
	record.Root.Comments = []string{v.Text().Ja}
	return record
}
