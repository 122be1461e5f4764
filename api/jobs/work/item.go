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
	"github.com/tsumero/tsumero/shogi"
)

// Why an item ends before all of its lines are answered.
var (
	errDraining = errors.New("the worker is draining")
	errUnwanted = errors.New("the job has ended")
	errAnswered = errors.New("the chunk is answered already")
	errTooLong  = errors.New("the answer took too long")
	errManyLong = errors.New("too many items take long")
)

const (
	// chunkAttempts is how often a chunk is tried before its lines are tried one by one.
	chunkAttempts = 2
	// lineAttempts is how often a line is then tried before it gets a problem for an answer.
	lineAttempts = 3
)

// An item is one that this Worker has leased.
type item struct {
	w   *Worker
	q   *jobs.QueuedItem
	log *slog.Logger

	base context.Context // for calls of the store after wanted has ended, such as the ack
	// wanted ends, by drop, when the answers are not needed any more. answering is made from it,
	// and ends also, by stop, when the worker drains. Each has a cause, one of the errors above.
	wanted     context.Context
	drop       context.CancelCauseFunc
	answering  context.Context
	stop       context.CancelCauseFunc
	background sync.WaitGroup

	mu          sync.Mutex
	client      clientKey // of the job
	created     time.Time // the job was
	checked     time.Time // when checkJob found the job last
	progress    jobs.Progress
	lineAt      int  // the line that is being answered
	lineAttempt int  // the number of this attempt at it; 0 if attempts at lines are not counted
	slow        bool // it has left its slot
	waits       bool // the line waits for a slot of a search
	searched    bool // the search of the line has begun: given back, the item would lose it
	counted     int  // the number of the attempt at the chunk as it is counted now; 0: it is not

	counting sync.Mutex // is held while counted changes

	progressed chan struct{} // has an element if progress has changed

	// Only the goroutine of run changes these.
	attempt int              // the number of this attempt at the chunk
	stored  jobs.Summary     // of the last part that is stored, by this worker or another one
	parts   int              // the number of parts that are stored
	ready   []answered       // lines behind those parts, not stored yet
	size    int              // bytes of ready
	stuck   chan answer.Line // closed when an answer ends that outlasted its context; nil: none did
}

// An answered is a line and its answer, not stored yet.
type answered struct {
	number  int
	text    []byte // a line of JSON
	verdict string // as jobs.Counts counts it
	nodes   uint64
}

// lease begins to extend the lease of an item and to publish its progress.
func (w *Worker) lease(base context.Context, q *jobs.QueuedItem) *item {
	r := &item{w: w, q: q, base: base, progressed: make(chan struct{}, 1),
		log: w.log.With("job", q.Job.Short(), "chunk", q.Chunk)}
	r.wanted, r.drop = context.WithCancelCause(base)
	r.answering, r.stop = context.WithCancelCause(context.WithValue(r.wanted, itemKey{}, r))
	r.progress = jobs.Progress{Job: q.Job, Chunk: q.Chunk}
	w.mu.Lock()
	w.leased[r] = true
	w.mu.Unlock()
	r.background.Go(func() {
		extendLease(r.wanted, r.log, q, func(ctx context.Context) {
			err := r.checkWanted(ctx)
			if errors.Is(err, errUnwanted) || errors.Is(err, errAnswered) {
				r.drop(err)
			}
		})
	})
	r.background.Go(r.publishProgress)
	return r
}

// unlease ends what lease began.
func (w *Worker) unlease(r *item) {
	r.drop(nil)
	r.stop(nil)
	r.background.Wait()
	w.mu.Lock()
	delete(w.leased, r)
	w.mu.Unlock()
}

type itemKey struct{}

// Checkpointed is called with the context of an answer after its search has saved a checkpoint. The
// next attempt will continue from there, so this attempt does not count as failed, should the
// process die now. Checkpointed does not wait for the store.
func Checkpointed(ctx context.Context) {
	if r, ok := ctx.Value(itemKey{}).(*item); ok {
		r.mu.Lock()
		line, n, counted := r.lineAt, r.lineAttempt, r.counted
		r.mu.Unlock()
		go func() { // attempts that were counted after these stay counted
			r.undoAttempt(0, counted)
			if n > 0 {
				r.undoAttempt(line, n)
			}
		}()
	}
}

// SearchBegins has to be called with the context of an answer before its long search begins, and
// before the time of that does: it waits a second for the store at most.
func SearchBegins(ctx context.Context) {
	if r, ok := ctx.Value(itemKey{}).(*item); ok {
		r.mu.Lock()
		r.searched = true
		r.mu.Unlock()
		r.countAttempt()
	}
}

// countAttempt sees to it that the attempt at the chunk is counted, and that it is not while the
// line of an item that has left its slot waits for its search: should the process be killed
// meanwhile, it was by another line. What the store does not take now, the next call does, which
// comes every longAfter.
func (r *item) countAttempt() {
	if !r.counting.TryLock() {
		return
	}
	defer r.counting.Unlock()
	r.mu.Lock()
	waits := r.slow && r.waits && !r.searched && r.q.Ask == jobs.AskSolve
	n := r.counted
	r.mu.Unlock()
	if waits == (n == 0) {
		return
	}
	ctx, cancel := context.WithTimeout(r.wanted, countTime)
	defer cancel()
	var err error
	if waits {
		n, err = 0, r.w.o.Store.UndoAttempt(ctx, r.q.Job, r.q.Chunk, 0, n)
	} else {
		n, err = r.w.o.Store.AddAttempt(ctx, r.q.Job, r.q.Chunk, 0)
	}
	if err != nil {
		r.log.Debug("the count of an attempt was not changed", "err", err)
		return
	}
	r.mu.Lock()
	r.counted = n
	r.mu.Unlock()
}

// checkWanted returns errUnwanted or errAnswered if the item needs no answer, or the error of the
// store.
func (r *item) checkWanted(ctx context.Context) error {
	if err := r.checkJob(ctx); err != nil {
		return err
	}
	switch _, err := r.w.o.Store.Result(ctx, r.q.Job, r.q.Chunk); {
	case err == nil:
		return errAnswered
	case !errors.Is(err, jobs.ErrNotFound):
		return err
	}
	return nil
}

// checkJob returns errUnwanted if the job is over or removed, also if another one has come under its
// ID since, or the error of the store.
func (r *item) checkJob(ctx context.Context) error {
	j, _, err := r.w.o.Store.Job(ctx, r.q.Job)
	switch {
	case errors.Is(err, jobs.ErrNotFound) || err == nil && j.Over():
		return errUnwanted
	case err != nil:
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.checked.IsZero() && !r.created.Equal(j.Created) {
		return errUnwanted
	}
	r.client, r.created, r.checked = clientKey{j.Client, j.Class}, j.Created, time.Now()
	return nil
}

// wasChecked reports whether checkJob was called lately.
func (r *item) wasChecked() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.checked) < checkedFor
}

// publishProgress publishes the progress after it has changed.
func (r *item) publishProgress() {
	for {
		select {
		case <-r.wanted.Done():
			return
		case <-r.progressed:
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

func (r *item) updateProgress(change func(p *jobs.Progress)) {
	r.mu.Lock()
	change(&r.progress)
	r.mu.Unlock()
	select {
	case r.progressed <- struct{}{}:
	default:
	}
}

// run answers the item and ends its lease. stuck is nil unless an answer still runs although its
// context has ended: it is closed when that answer ends.
func (r *item) run() (stuck <-chan answer.Line) {
	why := r.answerItem()
	ctx, cancel := context.WithTimeout(r.base, stopTime)
	defer cancel()
	if errors.Is(why, jobs.ErrDamaged) { // another attempt would find the same
		why = r.failJob(ctx, why)
	}
	var err error
	switch {
	case why == nil, errors.Is(why, errUnwanted), errors.Is(why, errAnswered):
		err = r.q.Ack(ctx)
	case errors.Is(why, jobs.ErrNewer):
		r.w.o.Observer.Newer()
		err = r.q.Nak(ctx, newerDelay)
	case errors.Is(why, errDraining), errors.Is(why, errTooLong):
		err = r.q.Nak(ctx, 0)
	case errors.Is(why, errManyLong):
		err = r.w.park(ctx, r.q)
	default:
		r.log.Warn("an item is given back", "err", why)
		err = r.q.Nak(ctx, retryDelay)
	}
	if err != nil {
		r.log.Warn("the lease of an item could not be ended", "err", err)
	}
	return r.stuck
}

// answerItem answers the lines of the item and stores the answers, or returns why it did not.
func (r *item) answerItem() error {
	if r.q.V > jobs.V {
		return jobs.ErrNewer
	}
	chunk, err := r.load()
	if err != nil {
		return r.cause(err)
	}
	ctx, over := r.answering, func(bool) {}
	if begin := r.w.o.Begin; begin != nil {
		var end func(bool)
		if ctx, end = begin(ctx, &r.q.Item); end != nil {
			over = end
		}
	}
	err = r.cause(r.answerLines(ctx, chunk))
	over(err == nil || errors.Is(err, errUnwanted) || errors.Is(err, errAnswered))
	givenBack := errors.Is(err, errDraining) || errors.Is(err, errManyLong)
	if givenBack && len(r.ready) > 0 {
		if err := r.store(false); err != nil {
			r.log.Warn("answers are lost and will be found again", "lines", len(r.ready), "err", err)
		}
	}
	if givenBack || errors.Is(err, jobs.ErrNewer) {
		r.mu.Lock()
		n := r.counted
		r.mu.Unlock()
		r.undoAttempt(0, n) // it did not fail because of the lines
	}
	return err
}

// cause returns why the item was stopped, if it was: the error err is then only a consequence.
func (r *item) cause(err error) error {
	if err == nil || errors.Is(err, errTooLong) {
		return err
	}
	if r.wanted.Err() != nil && r.base.Err() == nil {
		return context.Cause(r.wanted)
	}
	switch {
	case r.answering.Err() == nil:
		return err
	case errors.Is(context.Cause(r.answering), errManyLong):
		return errManyLong
	}
	return errDraining
}

// load reads the chunk, and counts the attempt.
func (r *item) load() (jobs.Chunk, error) {
	ctx, s, it := r.answering, r.w.o.Store, &r.q.Item
	if err := r.checkWanted(ctx); err != nil {
		return nil, err
	}
	data, err := s.Input(ctx, it.Job, it.Chunk)
	for range 10 { // a replica of the store may be late
		if !errors.Is(err, jobs.ErrNotFound) {
			break
		}
		pause(ctx, 200*time.Millisecond)
		data, err = s.Input(ctx, it.Job, it.Chunk)
	}
	if errors.Is(err, jobs.ErrNotFound) {
		if err := r.checkWanted(ctx); err != nil {
			return nil, err
		}
		// The coordinator will miss the item, count the chunks, and fail the job.
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
		return nil, r.failJob(ctx, err)
	}
	// The call is not cut off where the worker drains: whether it counted would not be known.
	r.attempt, err = s.AddAttempt(r.wanted, it.Job, it.Chunk, 0)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.counted = r.attempt
	r.mu.Unlock()
	r.w.o.Observer.Began(it.Memory, r.attempt > 1)
	if r.isLineByLine() {
		r.log.Warn("an item is answered line by line", "attempt", r.attempt)
	}
	return chunk, nil
}

// isLineByLine reports whether each answer is stored at once, and attempts at each line are
// counted. One of the lines may have killed the processes of the attempts before: this finds out
// which, and keeps the answers of the others.
func (r *item) isLineByLine() bool { return r.attempt > chunkAttempts }

// failJob ends a job whose input or answers cannot be read.
func (r *item) failJob(ctx context.Context, why error) error {
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

// answerLines answers the lines that have no stored answer yet, and stores the answers.
func (r *item) answerLines(ctx context.Context, chunk jobs.Chunk) error {
	if err := r.readParts(); err != nil {
		return err
	}
	ticker := time.NewTicker(r.w.o.PartEvery)
	defer ticker.Stop()
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
		found, err := r.answerLine(ctx, l, ticker.C)
		if err != nil {
			return err
		}
		if l.Number <= r.last() {
			continue // another worker was faster
		}
		r.ready = append(r.ready, found)
		r.size += len(found.text)
		r.w.o.Observer.Answered(found.verdict)
		if i < len(chunk)-1 && (r.isLineByLine() || r.size >= r.w.o.PartBytes) {
			if err := r.store(false); err != nil {
				return err
			}
		}
	}
	return r.store(true)
}

// last returns the number of the last line that has its answer.
func (r *item) last() int {
	if n := len(r.ready); n > 0 {
		return r.ready[n-1].number
	}
	return r.stored.Last
}

// answerLine answers a line. Meanwhile it stores the answers before it as a part whenever the
// ticker part fires.
func (r *item) answerLine(ctx context.Context, l jobs.Line, part <-chan time.Time) (answered, error) {
	r.updateProgress(func(p *jobs.Progress) {
		p.Line, p.Done, p.Event = l.Number, r.stored.Counts.Lines()+len(r.ready), nil
	})
	attempt, err := r.beginLine(l)
	switch {
	case err != nil:
		return answered{}, err
	case attempt > lineAttempts:
		r.log.Error("a line is given up", "line", l.Number, "text", clip(l.Text))
		r.w.o.Observer.GaveUp()
		return encode(l, problem(l, noEnd, lineAttempts)), nil
	}
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
		replies <- r.callAnswer(ctx, l, waits)
	}()
	began, takesLong := time.Now(), time.NewTicker(longAfter)
	defer takesLong.Stop()
	searched := false // when takesLong fired last
	for ctx.Err() == nil {
		select {
		case reply := <-replies:
			return r.outcome(ctx, l, attempt, reply)
		case <-ctx.Done():
		case <-takesLong.C:
			before := searched
			r.mu.Lock()
			searched = r.searched
			r.mu.Unlock()
			switch {
			case r.leaveSlot():
				r.countAttempt()
			case searched && !before && r.w.isReserved(): // what it loses is little
				r.stop(errManyLong)
			case searched:
				r.w.stopOneWaiting()
			case time.Since(began) > longestShort: // another item's search is to answer it
				r.stop(errManyLong)
			default:
				r.stopIfWaiting()
			}
		case <-part:
			if len(r.ready) == 0 {
				continue
			}
			if err := r.store(false); err != nil {
				cancel(err)
			} else if l.Number <= r.last() {
				cancel(errAnswered) // by another worker
			}
		}
	}
	grace := stopTime
	if errors.Is(context.Cause(ctx), errDraining) {
		grace = max(grace, r.w.o.Grace) // it may have a large checkpoint to save
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case reply := <-replies:
		return r.outcome(ctx, l, attempt, reply)
	case <-timer.C:
		r.stuck = replies
		r.log.Error("an answer does not end, and keeps its slot", "line", l.Number,
			"text", clip(l.Text))
		return r.outcome(ctx, l, attempt, answer.Line{Ended: true})
	}
}

// beginLine counts an attempt at a line if the item goes line by line, else attempt is 0.
func (r *item) beginLine(l jobs.Line) (attempt int, err error) {
	if r.isLineByLine() {
		err = r.retry("count an attempt", func(ctx context.Context) (err error) {
			attempt, err = r.w.o.Store.AddAttempt(ctx, r.q.Job, r.q.Chunk, l.Number)
			return err
		})
	}
	r.mu.Lock()
	r.lineAt, r.lineAttempt = l.Number, attempt
	r.waits, r.searched = false, false
	r.mu.Unlock()
	r.countAttempt()
	return attempt, err
}

// leaveSlot leaves the slot of the item to the next one, if it may and fewer than LongItems have left
// theirs. It reports whether there is nothing left to try: the item has left its slot
// or keeps it.
func (r *item) leaveSlot() bool {
	if r.w.o.LongItems == 0 || r.q.Memory > 0 || r.isLineByLine() { // few run beside a line that kills
		return true
	}
	reserved := r.w.isReserved()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slow || reserved {
		return r.slow
	}
	select {
	case r.w.long <- struct{}{}:
		r.slow = true
		<-r.w.slots
	default:
	}
	return r.slow
}

// isSlow reports whether the item has left its slot.
func (r *item) isSlow() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.slow
}

// stopIfWaiting has the item given back to the queue if its line waits for a search that has not
// begun, and reports whether it does.
func (r *item) stopIfWaiting() bool {
	r.mu.Lock()
	idle := r.waits && !r.searched
	r.mu.Unlock()
	if idle {
		r.stop(errManyLong)
	}
	return idle
}

// outcome turns what Answer returned into the answer to store, or into the reason why there is
// none.
func (r *item) outcome(ctx context.Context, l jobs.Line, attempt int, reply answer.Line) (
	found answered, err error) {
	if !reply.Ended {
		return encode(l, reply), nil
	}
	switch why := context.Cause(ctx); {
	case errors.Is(why, errAnswered) && r.wanted.Err() == nil && l.Number <= r.last():
		return found, nil // another worker has answered the line
	case errors.Is(why, errTooLong):
		r.log.Error("an answer took too long", "line", l.Number, "text", clip(l.Text))
		if len(r.ready) > 0 {
			if err := r.store(false); err != nil {
				return found, err
			}
		}
		return found, errTooLong
	case why != nil:
		if attempt > 0 && r.answering.Err() != nil {
			r.undoAttempt(l.Number, attempt)
		}
		return found, why
	}
	return found, errors.New("an answer ended too early")
}

// callAnswer calls WorkerOptions.Answer. A panic becomes a problem. waits is called again and again
// while the line waits for a slot.
func (r *item) callAnswer(ctx context.Context, l jobs.Line, waits func()) (reply answer.Line) {
	defer func() {
		if v := recover(); v != nil {
			r.log.Error("panic", "value", v, "line", l.Number, "text", clip(l.Text),
				"stack", string(debug.Stack()))
			reply = problem(l, wire.LineFailed)
		}
	}()
	waiting := false // since the last event
	return r.w.o.Answer(ctx, &r.q.Item, l, func(event []byte) {
		if event == nil {
			waiting = true
			waits()
			return
		}
		r.mu.Lock()
		r.waits, waiting = waiting, false
		if !r.waits && r.q.Ask != jobs.AskSolve { // a problem has a short search first: see SearchBegins
			r.searched = true
		}
		r.mu.Unlock()
		r.updateProgress(func(p *jobs.Progress) {
			if p.Line == l.Number {
				p.Event = event
			}
		})
	})
}

// encode returns the reply as a line of a part. A reply that is too long, empty or has a newline in
// it would make the part unreadable: a problem takes its place.
func encode(l jobs.Line, reply answer.Line) answered {
	reply.Line = l.Number
	text := reply.AppendLine(nil)
	switch n := len(text) - 1; {
	case n > maxLine:
		return encode(l, problem(l, answerExceeds, n, maxLine))
	case len(reply.Answer) == 0 && reply.Problem == nil || bytes.IndexByte(text, '\n') < n:
		return encode(l, problem(l, wire.LineFailed))
	}
	return answered{l.Number, text, reply.Verdict, reply.Nodes}
}

var (
	noEnd = shogi.NewText("", "The line could not be answered: %d attempts at it came to no end.",
		"この行には答えられませんでした（%d回試して終わりませんでした）。")
	answerExceeds = shogi.NewText("",
		"The answer has %d bytes; a job keeps no more than %d of a line.",
		"答えが%dバイトあります（依頼が保存するのは一行%dバイトまでです）。")
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
