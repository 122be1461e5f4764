package report

import (
	"fmt"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
)

// ResultRecord returns the record of a position and a result: the line of a mate and its end, or the end
// alone that says that there is no mate. A comment on the position says in Japanese, as the
// notations are, how sure the result is. Of what is unknown the record is broken off (中断).
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
	record.Root.Comments = []string{certainty(r)}
	return record
}

// certainty says what a result says and how sure it is.
func certainty(r *solver.Result) string {
	n := len(r.Line)
	switch {
	case r.Verdict == solver.NoMate:
		return "不詰。何手かけても詰まないことを証明済み。"
	case r.Verdict == solver.Mate && n == 0:
		return "詰んでいる局面。"
	case r.Verdict == solver.Mate && r.Exact:
		return fmt.Sprintf("%d手詰。最短と証明済み。", n)
	case r.Verdict == solver.Mate && r.NoMateWithin > 0:
		return fmt.Sprintf("%d手以内で詰む。%d手以内では詰まない。", n, r.NoMateWithin)
	case r.Verdict == solver.Mate:
		return fmt.Sprintf("%d手以内で詰む。より短い詰みがあるかもしれない。", n)
	case r.NoMateWithin > 0:
		return fmt.Sprintf("不明。%d手以内では詰まない。", r.NoMateWithin)
	}
	return "不明。"
}
