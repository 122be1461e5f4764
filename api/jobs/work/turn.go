package work

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
)

// Why a turn ends before all of its lines are answered.
var (
	errTooLong   = errors.New("work: the answer took too long")
	errNeedsLong = errors.New("work: a line needs a long search")
	errSlice     = errors.New("work: it is the turn of others")
	errGivenBack = errors.New("work: a big problem waits for the worker")
)

const (
	// chunkAttempts is how often a turn is begun before its lines are tried one by one.
	chunkAttempts = 2
	// shortTime is how long a line may have a short slot. A short search takes some hundredths of a
	// second, but a line whose question somebody else has asked waits for that search, however long.
	shortTime = time.Second
	// lineAttempts is how often a line is then tried before it gets a problem for an answer.
	lineAttempts = 3
)

// A turn is one at work.
type turn struct {
	*queue.Turn
	w   *Worker
	log *slog.Logger

	hasSlot  bool
	alone    bool // a big one, for which no long turns begin; the mutex of the worker is held
	giveBack chan struct{}
	given    sync.Once

	mu       sync.Mutex
	lineAt   int                     // the line that is being answered
	stopLine context.CancelCauseFunc // ends its answer
	waits    bool                    // it waits for its long search
	searched bool                    // which has begun
	counted  bool                    // the attempt at it is
	done     int                     // lines of the chunk that were answered before it

	counting sync.Mutex // is held while counted changes

	// Only the goroutine of run changes these.
	ready  queue.Part       // answers that are not stored yet
	lines  int              // in them
	stored time.Time        // when answers were stored last
	stuck  chan answer.Line // closed when an answer ends that outlasted its context; nil: none did
}

type turnKey struct{}

// turnOf returns the turn that an answer is for, nil for none.
func turnOf(ctx context.Context) *turn {
	r, _ := ctx.Value(turnKey{}).(*turn)
	return r
}

// Checkpointed is called with the context of an answer after its search has saved a checkpoint. The
// next attempt will continue from there, so this attempt does not count as failed, should the
// process die now. Checkpointed does not wait for the store.
func Checkpointed(ctx context.Context) {
	if r := turnOf(ctx); r != nil && r.isCareful() {
		go r.count(false)
	}
}

// SearchBegins has to be called with the context of an answer before its long search begins, and
// before the time of that does: it waits a moment for the store at most. In a short slot it ends the
// answer.
func SearchBegins(ctx context.Context) {
	r := turnOf(ctx)
	if r == nil {
		return
	}
	r.mu.Lock()
	r.searched, r.waits = true, false
	stop := r.stopLine
	r.mu.Unlock()
	switch {
	case r.isShort():
		stop(errNeedsLong)
	case r.isCareful():
		r.count(true)
	}
}

// isShort reports whether the turn has a short slot.
func (r *turn) isShort() bool { return !r.Long }

// isCareful reports whether each answer is stored at once, and attempts at each line are counted. One
// of the lines may have killed the processes of the attempts before: this finds out which, and keeps
// the answers of the others.
func (r *turn) isCareful() bool { return r.Attempt > chunkAttempts }

// count sees to it that the attempt at the line is counted, or not any more.
func (r *turn) count(it bool) {
	r.counting.Lock()
	defer r.counting.Unlock()
	r.mu.Lock()
	line, counted := r.lineAt, r.counted
	r.mu.Unlock()
	if counted == it {
		return
	}
	var err error
	if it {
		_, err = r.CountAttempt(line)
	} else {
		err = r.UncountAttempt(line)
	}
	if err != nil {
		r.log.Debug("the count of an attempt was not changed", "err", err)
		return
	}
	r.mu.Lock()
	r.counted = it
	r.mu.Unlock()
}

// stopIfWaiting has the turn given back if its line waits for a search that has not begun.
func (r *turn) stopIfWaiting() {
	r.mu.Lock()
	idle := r.waits && !r.searched
	r.mu.Unlock()
	if idle {
		r.given.Do(func() { close(r.giveBack) })
	}
}

// run answers the lines of the turn, and ends it.
func (r *turn) run() error {
	r.w.o.Metrics.attempt(r.Attempt > 1)
	if r.isCareful() {
		r.log.Warn("a chunk is answered line by line", "attempt", r.Attempt)
	}
	ctx, over := context.WithValue(r.Context(), turnKey{}, r), func(bool) {}
	if begin := r.w.o.Begin; begin != nil {
		var end func(bool)
		if ctx, end = begin(ctx, r.Job); end != nil {
			over = end
		}
	}
	err := r.answerLines(ctx)
	switch {
	case errors.Is(err, errNeedsLong), errors.Is(err, errSlice):
		long := r.Long || errors.Is(err, errNeedsLong)
		err = r.keep("end a turn", func() error { return r.Next(&r.ready, long) })
		over(false)
	case errors.Is(err, queue.ErrDraining), errors.Is(err, errGivenBack):
		// Others may go on at once. What cannot be stored now is found again.
		err = r.Next(&r.ready, r.Long)
		over(false)
	default:
		over(err == nil || queue.IsEnded(err))
	}
	return err
}

// answerLines answers the lines that have no answer yet, and stores the answers.
func (r *turn) answerLines(ctx context.Context) error {
	r.stored = time.Now()
	began := r.stored
	for i, l := range r.Chunk {
		if l.Number <= r.Answered {
			continue
		}
		if r.w.o.Yield != nil && i > 0 {
			r.w.o.Yield(ctx)
		}
		if err := r.isStopped(); err != nil {
			return err
		}
		if r.isSliceOver(time.Since(began)) {
			return errSlice
		}
		if err := r.answerLine(ctx, l); err != nil {
			return err
		}
		full := len(r.ready.Text) >= r.w.o.PartBytes || time.Since(r.stored) > r.w.o.PartEvery
		if i < len(r.Chunk)-1 && (full || r.isCareful()) {
			if err := r.store(); err != nil {
				return err
			}
		}
	}
	return r.keep("store answers", func() error { return r.Finish(&r.ready) })
}

// isSliceOver reports whether the rest of the lines is for another turn, since others may wait.
func (r *turn) isSliceOver(after time.Duration) bool {
	switch {
	case r.Job.Memory > 0:
		return false
	case r.isShort():
		return r.lines > 0 && after > shortSlice
	}
	return r.lines+r.Parts > 0 && after > sliceTime
}

// isStopped returns why the turn is to end, nil for no reason.
func (r *turn) isStopped() error {
	select {
	case <-r.Context().Done():
		return context.Cause(r.Context())
	case <-r.Draining():
		return queue.ErrDraining
	case <-r.giveBack:
		return errGivenBack
	default:
		return nil
	}
}

// store stores the answers that are ready as a part.
func (r *turn) store() error {
	if r.lines == 0 {
		return nil
	}
	err := r.keep("store answers", func() error { return r.Store(&r.ready) })
	if err == nil {
		r.ready, r.lines, r.stored = queue.Part{}, 0, time.Now()
	}
	return err
}

// keep repeats a call of the store until it succeeds: the answers took time to find. It ends with the
// turn.
func (r *turn) keep(what string, call func() error) error {
	for {
		err := call()
		if err == nil || queue.IsEnded(err) || errors.Is(err, jobs.ErrDamaged) {
			return err
		}
		r.log.Warn("the job store refuses a write", "what", what, "error", err)
		select {
		case <-r.Context().Done():
			return context.Cause(r.Context())
		case <-r.Draining():
			return err
		case <-time.After(storeRetry):
		}
	}
}

// answerLine answers a line. Meanwhile it stores the answers before it, now and then.
func (r *turn) answerLine(parent context.Context, l jobs.Line) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	done := r.Counts.Lines() + r.lines
	r.SetProgress(queue.Progress{Line: l.Number, Done: done})
	r.mu.Lock()
	r.done, r.lineAt, r.stopLine, r.waits, r.searched, r.counted = done, l.Number, cancel, false, false, false
	r.mu.Unlock()
	if r.isCareful() {
		var attempt int
		err := r.keep("count an attempt", func() (err error) {
			attempt, err = r.CountAttempt(l.Number)
			return err
		})
		if err != nil {
			return err
		}
		r.mu.Lock()
		r.counted = true
		r.mu.Unlock()
		if attempt > lineAttempts {
			r.log.Error("a line is given up", "line", l.Number, "text", clip(l.Text))
			r.w.o.Metrics.gaveUp()
			r.add(l, problem(l, noEnd, lineAttempts))
			return nil
		}
	}
	if r.isShort() {
		timer := time.AfterFunc(shortTime, func() { cancel(errNeedsLong) })
		defer timer.Stop()
	}
	waits := func() {}
	if r.w.o.Longest != nil {
		if d := r.w.o.Longest(r.Job, l); d > 0 {
			timer := time.AfterFunc(d, func() { cancel(errTooLong) })
			defer timer.Stop()
			waits = func() { timer.Reset(d) }
		}
	}
	replies := make(chan answer.Line, 1)
	go func() {
		defer close(replies)
		replies <- r.callAnswer(ctx, l, waits)
	}()
	part := time.NewTicker(r.w.o.PartEvery)
	defer part.Stop()
	for ctx.Err() == nil {
		select {
		case reply := <-replies:
			return r.outcome(ctx, l, reply)
		case <-ctx.Done():
		case <-r.Draining():
			cancel(queue.ErrDraining)
		case <-r.giveBack:
			cancel(errGivenBack)
		case <-part.C:
			if err := r.store(); err != nil {
				cancel(err)
			}
		}
	}
	grace := stopTime
	if errors.Is(context.Cause(ctx), queue.ErrDraining) {
		grace = max(grace, r.w.o.Grace) // it may have a large checkpoint to save
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case reply := <-replies:
		return r.outcome(ctx, l, reply)
	case <-timer.C:
		r.stuck = replies
		r.log.Error("an answer does not end, and keeps its slot", "line", l.Number, "text", clip(l.Text))
		return r.outcome(ctx, l, answer.Line{Ended: true})
	}
}

// outcome takes in what Answer returned, or returns why there is no answer.
func (r *turn) outcome(ctx context.Context, l jobs.Line, reply answer.Line) error {
	if !reply.Ended {
		r.add(l, reply)
		return nil
	}
	why := context.Cause(ctx)
	switch {
	case errors.Is(why, errTooLong):
		r.log.Error("an answer took too long", "line", l.Number, "text", clip(l.Text))
		if err := r.store(); err != nil {
			return err
		}
		return errTooLong
	case why == nil:
		return errors.New("work: an answer ended too early")
	case r.isCareful() && !queue.IsEnded(why):
		r.count(false)
	}
	return why
}

// callAnswer calls WorkerOptions.Answer. A panic becomes a problem. waits is called again and again
// while the line waits for a slot.
func (r *turn) callAnswer(ctx context.Context, l jobs.Line, waits func()) (reply answer.Line) {
	defer func() {
		if v := recover(); v != nil {
			r.log.Error("panic", "value", v, "line", l.Number, "text", clip(l.Text),
				"stack", string(debug.Stack()))
			reply = problem(l, wire.LineFailed)
		}
	}()
	return r.w.o.Answer(ctx, r.Job, l, func(event []byte) {
		if event != nil {
			r.mu.Lock()
			done := r.done
			r.mu.Unlock()
			r.SetProgress(queue.Progress{Line: l.Number, Done: done, Event: event})
			return
		}
		waits()
		r.mu.Lock()
		begun := r.searched
		r.waits = !begun
		stop := r.stopLine
		r.mu.Unlock()
		switch {
		case r.isShort():
			stop(errNeedsLong)
		case !begun && r.isCareful():
			r.count(false)
		}
	})
}

// add adds the answer to a line to those that are ready. A reply that is too long, empty or has a
// newline in it would make the part unreadable: a problem takes its place.
func (r *turn) add(l jobs.Line, reply answer.Line) {
	reply.Line = l.Number
	text := reply.AppendLine(nil)
	switch n := len(text) - 1; {
	case n > maxLine:
		r.add(l, problem(l, answerExceeds, n, maxLine))
		return
	case len(reply.Answer) == 0 && reply.Problem == nil || bytes.IndexByte(text, '\n') < n:
		r.add(l, problem(l, wire.LineFailed))
		return
	}
	r.ready.Text = append(r.ready.Text, text...)
	r.ready.Last = l.Number
	r.ready.Counts.Count(reply.Verdict)
	r.ready.Nodes += reply.Nodes
	r.lines++
	r.w.o.Metrics.answered(reply.Verdict)
}

var (
	noEnd = shogi.NewText("", "The line could not be answered: %d attempts at it came to no end.",
		"この行には答えられませんでした（%d回試しても終わりませんでした）。")
	answerExceeds = shogi.NewText("",
		"The answer has %d bytes; a job keeps no more than %d of a line.",
		"答えが%dバイトあります（保存できるのは1行%dバイトまでです）。")
)

// problem returns a problem in place of an answer, with the ID of the line if that can be read.
func problem(l jobs.Line, what *shogi.Text, args ...any) answer.Line {
	var question struct {
		ID json.RawMessage `json:"id"`
	}
	var id wire.ID
	if json.Unmarshal(l.Text, &question) == nil && len(question.ID) <= maxID &&
		bytes.IndexAny(question.ID, `"-0123456789`) == 0 {
		id = wire.ID(question.ID)
	}
	return faulty(wire.Envelope{ID: id, Problem: wire.NewProblem(wire.InternalError, what, args...)})
}

func clip(text []byte) string { return wire.Clip(string(text)) }
