package work

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/wire"
)

// Why an item ends before all of its lines are answered.
var (
	errLeaving  = errors.New("the worker is leaving")
	errUnwanted = errors.New("the job has ended")
	errAnswered = errors.New("the chunk is answered already")
	errTooLong  = errors.New("the answer took too long")
)

// The attempts at a chunk before the worker is careful, and those at a line before it is given up.
const (
	bold         = 2
	lineAttempts = 3
)

// A run is an item that the worker holds.
type item struct {
	w   *Worker
	q   *jobs.QueuedItem
	log *slog.Logger

	base context.Context // of what must be said to the store even when nobody wants the item
	// wanted ends when nobody wants the answers, answering also when the worker leaves. Both say why.
	wanted    context.Context
	drop      context.CancelCauseFunc
	answering context.Context
	stop      context.CancelCauseFunc
	aside     sync.WaitGroup // what runs beside the answers

	mu       sync.Mutex
	progress jobs.Progress // mu guards it
	lineAt   int           // the line that is answered; mu guards it
	lineTry  int           // the number of this attempt at it, 0 if none are counted; mu guards it
	news     chan struct{}

	attempt int              // at the chunk
	stored  jobs.Summary     // of the last part that is stored, whoever wrote it
	parts   int              // that are stored
	ready   []answered       // those behind them
	size    int              // bytes of ready
	stuck   chan answer.Line // of an answer that does not end
}

// An answered line is one whose answer is not stored yet.
type answered struct {
	number  int
	text    []byte // in JSON, without the end of the line
	verdict string // as jobs.Counts counts it
	nodes   uint64
}

// hold begins to extend the lease of an item.
func (w *Worker) hold(base context.Context, q *jobs.QueuedItem) *item {
	r := &item{w: w, q: q, base: base, news: make(chan struct{}, 1),
		log: w.log.With("job", q.Job.Short(), "chunk", q.Chunk)}
	r.wanted, r.drop = context.WithCancelCause(base)
	r.answering, r.stop = context.WithCancelCause(context.WithValue(r.wanted, itemKey{}, r))
	r.progress = jobs.Progress{Job: q.Job, Chunk: q.Chunk}
	w.mu.Lock()
	w.held[r] = true
	w.mu.Unlock()
	r.aside.Go(r.keep)
	r.aside.Go(r.tell)
	return r
}

type itemKey struct{}

// Kept says that what was found so far for the answer with this context is kept, and whoever answers
// the line next goes on from there: should the process die now, the attempt was none in vain, and
// does not count. It does not wait.
func Checkpointed(ctx context.Context) {
	if r, ok := ctx.Value(itemKey{}).(*item); ok {
		r.mu.Lock()
		line, n := r.lineAt, r.lineTry
		r.mu.Unlock()
		go func() { // an attempt that was counted since stays
			r.takeBack(0, r.attempt)
			if n > 0 {
				r.takeBack(line, n)
			}
		}()
	}
}

// release ends what hold began.
func (w *Worker) release(r *item) {
	r.drop(nil)
	r.stop(nil)
	r.aside.Wait()
	w.mu.Lock()
	delete(w.held, r)
	w.mu.Unlock()
}

// keep extends the lease, and looks whether the item is still wanted.
func (r *item) keep() {
	every := r.q.Duration() / 3
	ticker := time.NewTicker(max(every, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-r.wanted.Done():
			return
		case <-ticker.C:
		}
		ctx, cancel := context.WithTimeout(r.wanted, every)
		// After an error others may get the item. That does no harm, so this goes on.
		if err := r.q.Extend(ctx); err != nil && r.wanted.Err() == nil {
			r.log.Warn("the lease of an item could not be extended", "err", err)
		}
		if err := r.look(ctx); errors.Is(err, errUnwanted) || errors.Is(err, errAnswered) {
			r.drop(err)
		}
		cancel()
	}
}

// look returns errUnwanted or errAnswered if the item needs no answer, or the error of the store.
func (r *item) look(ctx context.Context) error {
	j, _, err := r.w.o.Store.Job(ctx, r.q.Job)
	switch {
	case errors.Is(err, jobs.ErrNotFound) || err == nil && j.Over():
		return errUnwanted
	case err != nil:
		return err
	}
	switch _, err = r.w.o.Store.Result(ctx, r.q.Job, r.q.Chunk); {
	case err == nil:
		return errAnswered
	case errors.Is(err, jobs.ErrNotFound):
		return nil
	}
	return err
}

// tell sends the progress if there is news.
func (r *item) tell() {
	for {
		select {
		case <-r.wanted.Done():
			return
		case <-r.news:
		}
		pause(r.wanted, progressEvery)
		r.mu.Lock()
		p := r.progress
		r.mu.Unlock()
		if r.wanted.Err() == nil {
			_ = r.w.o.Store.Publish(r.wanted, &jobs.Signal{V: jobs.V, Progress: &p}) // it may be lost
		}
	}
}

func (r *item) changed(change func(p *jobs.Progress)) {
	r.mu.Lock()
	change(&r.progress)
	r.mu.Unlock()
	select {
	case r.news <- struct{}{}:
	default:
	}
}

// do answers the item and gives it back. Unless the channel is nil, an answer goes on that has lost
// its context, and the channel is closed when it ends.
func (r *item) do() (stuck <-chan answer.Line) {
	why := r.item()
	ctx, cancel := context.WithTimeout(r.base, stopTime)
	defer cancel()
	if errors.Is(why, jobs.ErrDamaged) { // it stays so
		why = r.fail(ctx, why)
	}
	var err error
	switch {
	case why == nil, errors.Is(why, errUnwanted), errors.Is(why, errAnswered):
		err = r.q.Ack(ctx)
	case errors.Is(why, jobs.ErrNewer):
		r.w.o.Observer.Newer()
		err = r.q.Nak(ctx, newerItemDelay)
	case errors.Is(why, errLeaving), errors.Is(why, errTooLong):
		err = r.q.Nak(ctx, 0)
	default:
		r.log.Warn("an item is given back", "err", why)
		err = r.q.Nak(ctx, retryDelay)
	}
	if err != nil {
		r.log.Warn("the lease of an item could not be ended", "err", err)
	}
	return r.stuck
}

// item answers the lines of the item and stores the answers. The error says why not.
func (r *item) item() error {
	if r.q.V > jobs.V {
		return jobs.ErrNewer
	}
	chunk, err := r.load()
	if err != nil {
		return r.because(err)
	}
	ctx, over := r.answering, func(bool) {}
	if begin := r.w.o.Begin; begin != nil {
		var end func(bool)
		if ctx, end = begin(ctx, &r.q.Item); end != nil {
			over = end
		}
	}
	err = r.because(r.answer(ctx, chunk))
	over(err == nil || errors.Is(err, errUnwanted) || errors.Is(err, errAnswered))
	if errors.Is(err, errLeaving) && len(r.ready) > 0 {
		if err := r.put(false); err != nil {
			r.log.Warn("answers are lost and will be found again", "lines", len(r.ready), "err", err)
		}
	}
	if errors.Is(err, errLeaving) || errors.Is(err, jobs.ErrNewer) {
		r.takeBack(0, r.attempt) // that it ended says nothing of the lines
	}
	return err
}

// because returns why the item was stopped, if it was, in place of the error that came of it.
func (r *item) because(err error) error {
	if err == nil || errors.Is(err, errTooLong) {
		return err
	}
	if r.wanted.Err() != nil && r.base.Err() == nil {
		return context.Cause(r.wanted)
	}
	if r.answering.Err() != nil {
		return errLeaving
	}
	return err
}

// load reads the chunk, and counts the attempt.
func (r *item) load() (jobs.Chunk, error) {
	ctx, s, it := r.answering, r.w.o.Store, &r.q.Item
	if err := r.look(ctx); err != nil {
		return nil, err
	}
	data, err := s.Input(ctx, it.Job, it.Chunk)
	for range 10 { // where it is kept several times, one copy may be late
		if !errors.Is(err, jobs.ErrNotFound) {
			break
		}
		pause(ctx, 200*time.Millisecond)
		data, err = s.Input(ctx, it.Job, it.Chunk)
	}
	if errors.Is(err, jobs.ErrNotFound) {
		if err := r.look(ctx); err != nil {
			return nil, err
		}
		// The coordinator hears no more of the item, counts the chunks, and says what is wrong.
		r.log.Error("a chunk is missing")
		return nil, errUnwanted
	}
	if err != nil {
		return nil, err
	}
	chunk, err := jobs.DecodeChunk(data)
	switch {
	case errors.Is(err, jobs.ErrNewer):
		return nil, err
	case err != nil:
		return nil, r.fail(ctx, err)
	}
	r.attempt, err = s.AddAttempt(ctx, it.Job, it.Chunk, 0)
	if err != nil {
		return nil, err
	}
	r.w.o.Observer.Took(it.Memory, r.attempt > 1)
	if r.attempt > bold {
		r.log.Warn("an item is answered line by line", "attempt", r.attempt)
	}
	return chunk, nil
}

// fail ends a job of whose input or answers something cannot be read.
func (r *item) fail(ctx context.Context, why error) error {
	r.log.Error("a chunk cannot be read", "err", why)
	j, rev, err := r.w.o.Store.Job(ctx, r.q.Job)
	if err != nil {
		return err
	}
	j.State, j.Finished = jobs.Failed, time.Now().UTC()
	j.Failure = &jobs.Failure{Code: wire.InternalError.Code,
		Detail: fmt.Sprintf("Chunk %d of the input, or an answer to it, is damaged.", r.q.Chunk)}
	if _, err = r.w.o.Store.Update(ctx, j, rev); err != nil {
		return err
	}
	return errUnwanted
}

// answer answers the lines that nobody has, and stores all of it.
func (r *item) answer(ctx context.Context, chunk jobs.Chunk) error {
	if err := r.catchUp(); err != nil {
		return err
	}
	ticker := time.NewTicker(r.w.o.PartEvery)
	defer ticker.Stop()
	careful := r.attempt > bold
	for i, l := range chunk {
		if l.Number <= r.last() {
			continue
		}
		if r.w.o.Yield != nil && i > 0 {
			r.w.o.Yield(ctx)
		}
		if r.answering.Err() != nil {
			return context.Cause(r.answering)
		}
		found, err := r.line(ctx, l, careful, ticker.C)
		if err != nil {
			return err
		}
		if l.Number <= r.last() {
			continue // another was faster
		}
		r.ready = append(r.ready, found)
		r.size += len(found.text) + 1
		r.w.o.Observer.Answered(found.verdict)
		if i < len(chunk)-1 && (careful || r.size >= r.w.o.PartBytes) {
			if err := r.put(false); err != nil {
				return err
			}
		}
	}
	return r.put(true)
}

// isLong reports whether the item may take hours, so that a worker that leaves does not wait for it.
func (r *item) isLong() bool { return r.q.Memory > 0 || r.q.Kind == jobs.Problem }

// last returns the number of the last line that has its answer.
func (r *item) last() int {
	if n := len(r.ready); n > 0 {
		return r.ready[n-1].number
	}
	return r.stored.Last
}

// line answers a line, and stores what is ready when it is time for a part.
func (r *item) line(ctx context.Context, l jobs.Line, careful bool, part <-chan time.Time) (
	answered, error) {
	r.changed(func(p *jobs.Progress) {
		p.Line, p.Done, p.Event = l.Number, r.stored.Counts.Lines()+len(r.ready), nil
	})
	attempt := 0
	if careful {
		err := r.try("count an attempt", func(ctx context.Context) (err error) {
			attempt, err = r.w.o.Store.AddAttempt(ctx, r.q.Job, r.q.Chunk, l.Number)
			return err
		})
		if err != nil {
			return answered{}, err
		}
		if attempt > lineAttempts {
			r.log.Error("a line is given up", "line", l.Number, "text", clip(l.Text))
			r.w.o.Observer.GaveUp()
			return encode(l, problem(l, fmt.Sprintf("The line could not be answered: "+
				"%d attempts at it came to no end.", lineAttempts))), nil
		}
	}
	r.mu.Lock()
	r.lineAt, r.lineTry = l.Number, attempt
	r.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	waits := func() {}
	if r.w.o.Longest != nil {
		if d := r.w.o.Longest(&r.q.Item, l); d > 0 {
			timer := time.AfterFunc(d, func() { cancel(errTooLong) })
			defer timer.Stop()
			waits = func() { timer.Reset(d) }
		}
	}
	replies := make(chan answer.Line, 1)
	go func() {
		defer close(replies)
		replies <- r.safely(ctx, l, waits)
	}()
	for ctx.Err() == nil {
		select {
		case reply := <-replies:
			return r.replied(ctx, l, attempt, reply)
		case <-ctx.Done():
		case <-part:
			if len(r.ready) == 0 {
				continue
			}
			if err := r.put(false); err != nil {
				cancel(err)
			} else if l.Number <= r.last() {
				cancel(errAnswered) // but only the line
			}
		}
	}
	patience := stopTime
	if errors.Is(context.Cause(ctx), errLeaving) && r.isLong() {
		patience = max(patience, r.w.o.Grace) // it may have a large checkpoint to save
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case reply := <-replies:
		return r.replied(ctx, l, attempt, reply)
	case <-timer.C:
		r.stuck = replies
		r.log.Error("an answer does not end, and keeps its place", "line", l.Number, "text", clip(l.Text))
		return r.replied(ctx, l, attempt, answer.Line{Ended: true})
	}
}

// replied returns the reply, or why there is none.
func (r *item) replied(ctx context.Context, l jobs.Line, attempt int, reply answer.Line) (
	answered, error) {
	if !reply.Ended {
		return encode(l, reply), nil
	}
	var none answered
	switch why := context.Cause(ctx); {
	case errors.Is(why, errAnswered) && r.wanted.Err() == nil && l.Number <= r.last():
		return none, nil // another has answered the line
	case errors.Is(why, errTooLong):
		r.log.Error("an answer took too long", "line", l.Number, "text", clip(l.Text))
		if len(r.ready) > 0 {
			if err := r.put(false); err != nil {
				return none, err
			}
		}
		return none, errTooLong
	case why != nil:
		if attempt > 0 && r.answering.Err() != nil {
			r.takeBack(l.Number, attempt)
		}
		return none, why
	}
	return none, errors.New("an answer ended too early")
}

// safely calls Answer. A panic becomes a problem. waits is called while the answer waits for others.
func (r *item) safely(ctx context.Context, l jobs.Line, waits func()) (reply answer.Line) {
	defer func() {
		if v := recover(); v != nil {
			r.log.Error("panic", "value", v, "line", l.Number, "text", clip(l.Text),
				"stack", string(debug.Stack()))
			reply = problem(l, "The line could not be answered.")
		}
	}()
	return r.w.o.Answer(ctx, &r.q.Item, l, func(event []byte) {
		if event == nil {
			waits()
			return
		}
		r.changed(func(p *jobs.Progress) {
			if p.Line == l.Number {
				p.Event = event
			}
		})
	})
}

// encode returns the reply as it is stored, or a problem in place of one that would spoil those around
// it.
func encode(l jobs.Line, reply answer.Line) answered {
	reply.Line = l.Number
	text := reply.Append(nil)
	switch {
	case len(text) > maxLine:
		return encode(l, problem(l, fmt.Sprintf(
			"The answer has %d bytes; a job keeps no more than %d of a line.", len(text), maxLine)))
	case len(reply.Answer) == 0 && reply.Problem == nil || bytes.IndexByte(text, '\n') >= 0:
		return encode(l, problem(l, "The line could not be answered."))
	}
	return answered{l.Number, text, reply.Verdict, reply.Nodes}
}

// problem returns what there is in place of an answer.
func problem(l jobs.Line, detail string) answer.Line {
	var question struct {
		ID json.RawMessage `json:"id"`
	}
	var id wire.ID
	if json.Unmarshal(l.Text, &question) == nil && len(question.ID) <= maxID &&
		bytes.IndexAny(question.ID, `"-0123456789`) == 0 {
		id = wire.ID(question.ID)
	}
	return faulty(wire.Envelope{ID: id, Problem: wire.NewProblem(wire.InternalError, detail)})
}

func clip(text []byte) string { return wire.Clip(string(text)) }
