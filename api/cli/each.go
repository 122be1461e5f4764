package cli

import (
	"bufio"
	"cmp"
	"context"
	"iter"

	"github.com/tsumero/tsumero/solver/ordered"
)

// ErrInterrupted is the error of a run that its context ended.
var ErrInterrupted = Errorf("interrupted", "中断しました")

// counts count what became of the questions of a run.
type counts struct {
	Answered    int
	Faulty      int // questions whose position has a fault
	Interrupted int // of the answered ones

	noun string // what an answered one is called; "": answer
	last place  // where the last one stood
}

// Questions returns how many questions there were.
func (c *counts) Questions() int { return c.Answered + c.Faulty }

// each answers questions on several goroutines by ask, and prints the answers to out in the order of
// the questions by print, which counts them in c. When ctx ends, the error is an ErrInterrupted,
// unless all was answered already.
func each[A any](ctx context.Context, workers int, questions iter.Seq2[Question, error],
	out *bufio.Writer, progress *Progress, c *counts,
	ask func(context.Context, *Question) A, print func(*Question, A) error) (err error) {
	defer func() {
		progress.unwatch()
		err = cmp.Or(err, out.Flush())
		progress.finish()
	}()
	// What is printed is let through before the run waits for an answer, or for a question.
	waiting := func(q *Question) {
		_ = out.Flush() // an error stays in it, and the next write reports it
		if q != nil {
			progress.watch(q)
		}
	}
	type reply struct {
		answer  A
		skipped bool // the run was interrupted before this question was begun
	}
	in := &input{questions: questions}
	answer := func(ctx context.Context, q *Question) reply {
		if ctx.Err() != nil {
			return reply{skipped: true}
		}
		return reply{answer: ask(ctx, q)}
	}
	show := func(q *Question, a A) error {
		c.last = q.place()
		progress.done(q)
		return print(q, a)
	}
	// Workers take questions in order, but one may see the interrupt before another that took an
	// earlier question does. So a skipped question is printed, as interrupted, only if a later one
	// was not skipped.
	var skipped []*Question
	for q, reply := range ordered.Map(ctx, ordered.Options[*Question]{Workers: workers, Waiting: waiting},
		in.read, answer) {
		progress.unwatch()
		if reply.skipped {
			skipped = append(skipped, q)
			continue
		}
		for _, early := range skipped {
			if err := show(early, ask(ctx, early)); err != nil {
				return err
			}
		}
		skipped = nil
		if err := show(q, reply.answer); err != nil {
			return err
		}
	}
	interrupted := len(skipped) > 0 || c.Interrupted > 0
	switch {
	case !interrupted && in.err != nil:
		return Errorf("%s read, then: %s", "%sまで読みました：%s", Plural(c.Questions(), "position"), in.err)
	case !interrupted && in.complete:
		return nil
	case c.last == place{}:
		return Errorf("%s: %s printed", "%s（%sを出力済み）", ErrInterrupted, Plural(c.Answered, cmp.Or(c.noun, "answer")))
	}
	return Errorf("%s: %s printed, the last for %s", "%s（%sを出力済み、最後は%s）", ErrInterrupted,
		Plural(c.Answered, cmp.Or(c.noun, "answer")), c.last)
}
