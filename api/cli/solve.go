package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/sched"
)

// Options say how Solve answers and prints.
type Options struct {
	Solver  solver.Solver // is called by Workers goroutines at the same time
	Workers int           // how many questions are answered at the same time
	Limits  solver.Limits // of each answer
	Time    time.Duration // the longest search for each answer; 0 for any
	// TimeOfSeveral is the longest search for each answer if Time is 0 and there are several
	// questions; 0 for any. The first time that it ends a search, stderr says so.
	TimeOfSeveral time.Duration

	Hands  string // what pieces that are missing mean: one of Hands, or nothing said
	Output string // one of Outputs
	Board  bool   // draw the board above each answer; for the output "text"
	Language
	// Length is the policy under which the length of a mate is asked for as well, from a session for
	// each worker, within the limits of the search. nil: it is not.
	Length     *length.Policy
	NewSession func() solver.Session // required with Length
	// LengthNodes is how many nodes it may take to find the length, if Limits has none. 0: any number.
	LengthNodes uint64
	// Moves asks what each move comes to, the limits being for all moves together. The output is
	// then text, json or tsv.
	Moves bool
}

// RecordOutputs are the notations of records that Options.Output may name. That of moves alone is
// called as its protocol.
var RecordOutputs = append(notation.Names(notation.Written()[:len(notation.Written())-1]), "usi")

// Outputs are the formats that Options.Output may name.
var Outputs = slices.Concat(JobOutputs, RecordOutputs)

// OneRecord reports whether one answer is all that the output of a format can hold.
func OneRecord(output string) bool {
	f, err := notation.ParseFormat(output)
	_, several := f.Several()
	return err == nil && !several
}

// Hands are what Options.Hands may be, beside empty: then answers have a note if pieces are missing.
var Hands = []string{wire.HandsAsGiven, wire.HandsComplete}

// A Tally counts what became of the questions.
type Tally struct {
	counts
	Verdicts [3]int
	Nodes    uint64
}

// Summary says in one line what became of the questions in that time.
func (t *Tally) Summary(l Language, d time.Duration) string {
	return l.Sprintf("%s in %v, %s positions/s", "%s、%v（毎秒%s局面）", t.text(l), RoundTime(d),
		l.PerSecond(uint64(t.Questions()), d))
}

func (t *Tally) text(l Language) string {
	return l.Sprintf("%s: %d mate, %d nomate, %d unknown, %d faulty; %s",
		"%s：詰み%d、不詰%d、不明%d、誤り%d。探索%s", Plural(t.Questions(), "position"), t.Verdicts[solver.Mate], t.Verdicts[solver.NoMate],
		t.Verdicts[solver.Unknown], t.Faulty, Plural(t.Nodes, "node"))
}

// Solve answers the questions and prints the answers to out, in the order of the questions. Faults
// of positions are printed too, to stderr where the format has no place for them. However many
// questions there are, only a few for each worker are held at a time. progress must not be nil.
//
// When ctx ends, the answers found so far are all printed, with what is known of the positions that
// are being searched, and the error is an ErrInterrupted, unless all was answered already. A reader
// of questions that waits for input is left behind then.
func Solve(ctx context.Context, o Options, questions iter.Seq2[Question, error],
	out, stderr io.Writer, progress *Progress) (Tally, error) {
	buffered := bufio.NewWriter(out)
	r := &run{
		Options:  o,
		answers:  newAnswerer(&o),
		out:      buffered,
		printer:  newPrinter(&o, buffered, stderr),
		progress: progress,
		stderr:   stderr,
		several:  make(chan struct{}),
	}
	err := r.all(ctx, r.count(questions))
	return r.tally, err
}

// A run is one call of Solve.
type run struct {
	Options
	out      *bufio.Writer
	printer  printer
	progress *Progress
	answers  *answer.Answerer
	asked    atomic.Int64 // questions
	tally    Tally
	stderr   io.Writer
	several  chan struct{} // closed when a second question has been read
	said     bool          // that TimeOfSeveral has ended a search
}

// A reply is what became of a question: an answer, or a fault of the position.
type reply struct {
	answer *answered
	*solver.Result
	interrupted bool
	fault       error
}

// all answers the questions and prints the answers in order.
func (r *run) all(ctx context.Context, questions iter.Seq2[Question, error]) error {
	return each(ctx, r.Workers, questions, r.out, r.progress, &r.tally.counts, r.ask, r.print)
}

// count yields the questions, and takes note if they are several.
func (r *run) count(questions iter.Seq2[Question, error]) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		n := 0
		for q, err := range questions {
			if n++; n == 2 {
				close(r.several)
			}
			if !yield(q, err) {
				return
			}
		}
	}
}

// limit returns how long the searches for one answer may take, and their context.
func (r *run) limit(ctx context.Context) (context.Context, context.CancelFunc, time.Duration) {
	nothing := func() {}
	if r.Time > 0 || r.TimeOfSeveral == 0 {
		return ctx, nothing, cmp.Or(r.Time, sched.Unlimited)
	}
	select {
	case <-r.several:
		return ctx, nothing, r.TimeOfSeveral
	default:
	}
	// This may be the only question: it is limited once another one waits.
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(r.TimeOfSeveral):
		}
		select {
		case <-ctx.Done():
		case <-r.several:
			cancel(solver.ErrTime)
		}
	}()
	return ctx, func() { cancel(nil) }, sched.Unlimited
}

// watching is the key of what makes the context of each search for an answer show how it goes.
type watching struct{}

// newAnswerer returns what answers the questions of a run, on this machine.
func newAnswerer(o *Options) *answer.Answerer {
	watched := solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
		show := ctx.Value(watching{}).(func(context.Context) context.Context)
		return o.Solver.Solve(show(ctx), p, lim)
	})
	a, err := answer.New(answer.Config{LengthNodes: o.LengthNodes, KeepValues: true, Sched: sched.Config{
		Long:     sched.PoolConfig{Solver: watched, Slots: o.Workers},
		Sessions: sched.SessionConfig{New: o.NewSession, Slots: o.Workers}}})
	if err != nil {
		panic(err) // it has all that it must have
	}
	return a
}

// ask answers one question.
func (r *run) ask(ctx context.Context, q *Question) reply {
	p, notes, err := q.position()
	if err != nil {
		return reply{fault: err}
	}
	asked := wire.Question{Position: p, SFEN: p.ProblemSFEN(), Notes: slices.Clip(notes),
		Limits: r.Limits, HasLength: r.Length != nil}
	if asked.Attacker, err = solver.Attacker(&p); err != nil {
		return reply{fault: err}
	}
	asked.SetHands(r.Hands)
	if r.Length != nil {
		asked.Length, asked.Turning = *r.Length, length.Orient(&asked.Position, asked.Attacker)
	}
	var question sched.Question
	fill := r.answers.Question
	if r.Moves {
		fill = r.answers.Moves
	}
	fill(&asked, &question)
	ctx, cancel, limit := r.limit(ctx)
	defer cancel()
	// No two have the same time, so that each has a search of its own, and what that knows when it is
	// interrupted.
	question.Batch, question.Time = true, limit+time.Duration(r.asked.Add(1))
	searches, last := 0, solver.Progress{}
	found, _, err := r.answers.Scheduler().Ask(context.WithValue(ctx, watching{},
		func(ctx context.Context) context.Context {
			if r.Moves {
				searches++
			}
			return solver.WithProgress(ctx, watchEvery, func(p solver.Progress) {
				last = p
				r.progress.report(q, searches, &p)
			})
		}), &question)
	if err != nil {
		return reply{fault: err}
	}
	a := &answered{position: asked.Position, pn: last.PN, dn: last.DN,
		isCounted: r.LengthNodes == 0, isBounded: r.LengthNodes > 0 && r.Limits.Nodes == 0}
	if r.Output == "json" {
		e := answer.Timed(found, asked.Notes)
		a.line = e.AppendLine(nil)
	}
	switch v := answer.Value(found).(type) {
	case *wire.MovesAnswer:
		a.moves = v
		a.setMoves(r.Limits.Shortest)
	case *wire.Answer:
		a.Answer = *v
	default:
		a.Answer = wire.NewAnswer(&asked.Position, asked.SFEN, asked.Attacker, &found.Result)
	}
	a.Notes, a.ElapsedUS = asked.Notes, new(found.Elapsed.Microseconds())
	return reply{answer: a, Result: &found.Result,
		interrupted: !found.Repeatable && solver.StopReason(ctx) == solver.ReasonCancelled}
}

func (r *run) print(q *Question, reply reply) error {
	if reply.fault != nil {
		r.tally.Faulty++
		return r.printer.fault(*q, reply.fault)
	}
	r.tally.Answered++
	r.tally.Verdicts[reply.Verdict]++
	r.tally.Nodes += reply.Nodes
	if reply.interrupted {
		r.tally.Interrupted++
	}
	if r.Time == 0 && reply.Reason == solver.ReasonTime && !r.said {
		r.said = true
		fmt.Fprintln(r.stderr, r.Sprintf("tsumero: each of several positions gets %v; --time gives them more or "+
			"less, and --time 0 any time", "tsumero: 複数の局面は、それぞれ%vまで探索します（--time で変更、0 で無制限）。",
			r.TimeOfSeveral))
	}
	return r.printer.answer(reply.answer)
}
