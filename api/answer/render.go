package answer

import (
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/sched"
)

// render returns what is kept of an answer: its JSON object without elapsed_us and without the
// closing brace.
func render(q *sched.Question, r *solver.Result) []byte {
	text := wire.AppendAnswer(make([]byte, 0, 224+len(q.SFEN)+40*len(r.Line)), &q.Position, q.SFEN,
		q.Attacker, r)
	return text[:len(text):len(text)]
}

// IsProven reports whether an answer is the same for ever: an unknown may be known better tomorrow.
func IsProven(a *sched.Answer) bool {
	if f, ok := a.Detail.(*finding); ok && !f.closed {
		return false
	}
	return a.Repeatable && a.Result.Verdict != solver.Unknown
}

// PlainBody returns the body of an answer in which nothing changes from run to run: that of a GET.
// It has notes.
func PlainBody(a *sched.Answer, notes []wire.Note) []byte {
	return append(wire.AppendNotes(a.Rendered, notes), "}\n"...)
}

// TimedBody returns the body of an answer with the time that it took: that of a POST.
func TimedBody(a *sched.Answer, notes []wire.Note) []byte {
	return AppendTimed(make([]byte, 0, len(a.Rendered)+40), a, notes)
}

// AppendTimed appends what TimedBody returns.
func AppendTimed(dst []byte, a *sched.Answer, notes []wire.Note) []byte {
	dst = wire.AppendNotes(append(dst, a.Rendered...), notes)
	return wire.AppendElapsed(dst, a.Elapsed)
}
