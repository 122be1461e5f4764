package answer

import (
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/sched"
)

// render returns what is kept of an answer: its wire.Fields.
func render(q *sched.Question, r *solver.Result) []byte {
	a := wire.NewAnswer(&q.Position, q.SFEN, q.Attacker, r)
	return a.Fields()
}

// A finding is what is kept of a report besides its text.
type finding struct {
	sound  analysis.Answer
	closed bool // nothing is left open
	value  any  // see Value
}

// Value returns the *wire.Answer or *wire.MovesAnswer that an answer was rendered from, by an
// Answerer that keeps them, and nil for one that no Task gave.
func Value(a *sched.Answer) any {
	if f, ok := a.Detail.(*finding); ok {
		return f.value
	}
	return nil
}

// SoundOf returns whether the problem of an analysis is sound: "yes", "no" or "unknown", and "" for
// other answers.
func SoundOf(a *sched.Answer) string {
	if f, ok := a.Detail.(*finding); ok {
		return f.sound.String()
	}
	return ""
}

// IsProven reports whether an answer is the same for ever: an unknown may be known better tomorrow.
func IsProven(a *sched.Answer) bool {
	if f, ok := a.Detail.(*finding); ok && !f.closed {
		return false
	}
	return a.Repeatable && a.Result.Verdict != solver.Unknown
}

// Plain returns an answer with notes in which nothing changes from run to run: that of a GET.
func Plain(a *sched.Answer, notes []wire.Note) wire.Envelope {
	return wire.Envelope{Answer: a.Rendered, Notes: notes, Elapsed: a.Elapsed}
}

// Timed returns an answer with the time that it took: that of a POST.
func Timed(a *sched.Answer, notes []wire.Note) wire.Envelope {
	e := Plain(a, notes)
	e.Timed = true
	return e
}

// ProgressOf says how a call goes, so long after it was asked for. A nil one has not begun.
func ProgressOf(call *sched.Call, elapsed time.Duration) *wire.ProgressEvent {
	var p *solver.Progress
	if call != nil {
		p = call.Progress()
	}
	return wire.NewProgressEvent(p, elapsed)
}
