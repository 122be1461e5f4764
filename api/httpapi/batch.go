package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver/ordered"
	"github.com/tsumero/tsumero/solver/sched"
)

// A batchLimiter bounds how many batches run at once, in all and for each client.
type batchLimiter struct {
	most, mostEach int

	mu      sync.Mutex
	running int
	each    map[*client]int
}

// batchRetry is when to ask again for a slot, in seconds. When a batch ends is not known.
const batchRetry = 5

// acquire takes a slot, unless there is none for the client.
func (b *batchLimiter) acquire(c *client) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running >= b.most || b.each[c] >= b.mostEach {
		return false
	}
	b.running++
	b.each[c]++
	return true
}

func (b *batchLimiter) release(c *client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running--
	if b.each[c]--; b.each[c] == 0 {
		delete(b.each, c)
	}
}

// A batch is the work on one stream of questions. Only a bounded number of its lines is held (see
// linesPerWorker), so that a client that does not read its answers is not read from.
type batch struct {
	s       *Server
	kind    answer.Kind     // of its lines
	workers int             // lines that are answered at once
	ending  *wire.Problem   // why read ended before the end of the stream
	request context.Context // of the request; see postBatch for why it is not that of the searches
	cancel  context.CancelFunc
	atEnd   atomic.Bool // the stream was read to its end
	number  int         // of the line read last
	limit   int         // the longest line in bytes
	client  *client
	ends    time.Time // no line is read after that
	control *http.ResponseController
	body    io.Reader
	whole   bool // body is all in memory
}

// A batchLine is a line and its answer.
type batchLine struct {
	number  int
	size    int // bytes that were read for it, empty lines before it too
	text    []byte
	tooLong bool
	out     []byte
}

var batchLines = sync.Pool{New: func() any { return new(batchLine) }}

// free keeps the line's buffers for another one, unless they are large.
func (l *batchLine) free() {
	if cap(l.out) <= keepLine && cap(l.text) <= keepLine {
		batchLines.Put(l)
	}
}

// linesPerWorker is how many lines for each worker are read and not yet answered. Answers to a few
// slow questions may wait for one that is slower still.
const linesPerWorker = 16

// maxWholeBatch is how many bytes a batch may have that is read as a whole: one for each of
// Config.MaxBatches must fit into a small container.
const maxWholeBatch = 1 << 20

// isHalfDuplex reports whether the client, or a proxy before it, sends no more of the body once
// the answer has begun, as nginx does: the whole body is read before anything is answered.
func isHalfDuplex(r *http.Request) bool {
	return !r.ProtoAtLeast(1, 1) || strings.EqualFold(r.Header.Get("X-Full-Duplex"), "no")
}

// Buffers that one large line made larger than this are not kept.
const keepLine = 4 << 10

// postBatch answers POST /v1/solve/batch.
func (s *Server) postBatch(x *responseRecorder, r *http.Request) *wire.Problem {
	// As many as both pools have slots, so that long lines do not keep the quick slots empty.
	return s.serveBatch(x, r, answer.Solve, s.config.MaxSearches+s.config.LongSearches)
}

// postAnalyzeBatch answers POST /v1/analyze/batch.
func (s *Server) postAnalyzeBatch(x *responseRecorder, r *http.Request) *wire.Problem {
	if p := s.answers.Offered(); p != nil {
		return p
	}
	return s.serveBatch(x, r, answer.Analyze, s.config.MaxAnalyses)
}

// serveBatch answers the lines of a body, as many as workers at once.
func (s *Server) serveBatch(x *responseRecorder, r *http.Request, kind answer.Kind,
	workers int) *wire.Problem {
	if p := ndjsonBody.check(x, r); p != nil {
		return p
	}
	if !s.batches.acquire(x.client) {
		s.metrics.refused.WithLabelValues(refusedBatch).Inc()
		p := wire.NewProblem(wire.Overloaded, batchSlots)
		p.RetryAfter = batchRetry
		return p
	}
	s.metrics.batches.Inc()
	defer func() {
		s.metrics.batches.Dec()
		s.batches.release(x.client)
	}()

	body := io.Reader(r.Body)
	whole := isHalfDuplex(r)
	if whole {
		buf := new(bytes.Buffer)
		if p := receive(x, r, buf, maxWholeBatch); p != nil {
			return p
		}
		body = buf
	}

	// net/http cancels a request's context also when a read of its body times out. The lines that
	// were read before are to be answered then, so that only what really ends the batch ends this
	// context.
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	b := &batch{
		s:       s,
		kind:    kind,
		workers: workers,
		limit:   s.config.MaxBodyBytes,
		client:  x.client,
		ends:    time.Now().Add(s.config.BatchTime),
		control: http.NewResponseController(x),
		request: r.Context(),
		cancel:  cancel,
		body:    body,
		whole:   whole,
	}
	b.atEnd.Store(whole)
	// Without it, HTTP/1 would read the whole body before the first answer.
	_ = b.control.EnableFullDuplex()
	h := x.Header()
	h.Set("Content-Type", ndjsonType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy in between must not collect the answers
	if !whole {
		// If the body is not read to its end, net/http would take the rest of it for the next
		// request: it looks whether to close the connection only when the header is sent, which is
		// now.
		h.Set("Connection", "close")
	}
	x.WriteHeader(http.StatusOK)

	stop := context.AfterFunc(r.Context(), func() {
		if s.isEnding(r.Context()) || b.atEnd.Load() {
			cancel() // before the end of the stream, read notices that the client is gone
		}
	})
	defer stop()
	x.end(b.serve(ctx, x))
	x.lines = b.number
	if b.ending != nil && x.whole {
		x.ending = b.ending.Title
	}
	return nil
}

// serve answers the lines in their order, each as soon as it and all before it are ready. Its error
// is one of sending the answers.
func (b *batch) serve(ctx context.Context, x *responseRecorder) (err error) {
	out := bufio.NewWriterSize(x, 32<<10)
	flush := func() {
		_ = b.control.SetWriteDeadline(time.Now().Add(b.s.config.WriteTimeout))
		if err = out.Flush(); err == nil {
			err = b.control.Flush()
		}
	}
	if flush(); err != nil { // the header: a client may wait for it before it sends
		return err
	}
	o := ordered.Options[*batchLine]{
		Workers: b.workers,
		Held:    b.workers * linesPerWorker,
		Waiting: func(*batchLine) { // there is time to send what is ready
			if err != nil {
				return
			}
			if flush(); err != nil {
				b.cancel() // the client is gone, or reads too slowly: the rest is not needed
			}
		},
	}
	answer := func(ctx context.Context, l *batchLine) struct{} {
		b.answer(ctx, l)
		return struct{}{}
	}
	for l := range ordered.Map(ctx, o, b.read, answer) {
		if out.Available() < len(l.out) {
			_ = b.control.SetWriteDeadline(time.Now().Add(b.s.config.WriteTimeout))
		}
		if err == nil {
			_, err = out.Write(l.out)
		}
		l.free()
		if err != nil {
			break // which ends the searches
		}
	}
	if err != nil {
		return err
	}
	if b.ending != nil {
		_, _ = out.Write(appendProblem(nil, nil, b.number+1, b.ending)) // flush reports its error
	}
	flush()
	return err
}

// read yields lines until the stream ends, the client is silent for too long, or ctx ends.
func (b *batch) read(ctx context.Context, yield func(*batchLine) bool) {
	source := &lineReader{ctx: ctx, body: b.body, control: b.control}
	in := bufio.NewReaderSize(source, b.limit+1)
	if b.whole { // then net/http reads ahead, and would take a deadline for the client's end
		in.Reset(b.body)
	}
	// Whatever ends the batch, a read that waits for the client must not.
	stop := context.AfterFunc(ctx, func() { _ = b.control.SetReadDeadline(time.Now()) })
	defer stop()
	for {
		now := time.Now()
		source.deadline = now.Add(b.s.config.BodyTimeout)
		if b.ends.Before(source.deadline) {
			source.deadline = b.ends
		}
		l := batchLines.Get().(*batchLine)
		err := b.fill(l, in)
		if err == nil && now.After(b.ends) {
			err = os.ErrDeadlineExceeded // what was read before may last for long
		}
		switch {
		case l.number == 0: // nothing but empty lines
			b.client.charge(now, time.Duration(l.size/linePart)*tokenTime)
			l.free()
		case !yield(l):
			b.number = l.number - 1 // this one is not answered
			err = ctx.Err()
		}
		if err == nil {
			continue
		}
		switch {
		case errors.Is(err, io.EOF):
			b.atEnd.Store(true)
			if b.request.Err() != nil { // it ended in between
				b.cancel()
			}
		case ctx.Err() != nil:
			b.ending = b.endingProblem(wire.NewProblem(wire.ShuttingDown, wire.Ending))
		default:
			p := bodyProblem(err, int64(b.limit))
			if !time.Now().Before(b.ends) {
				p.SetDetail(batchTime, b.s.config.BatchTime)
			}
			if p.Type != wire.BodyTimeout.TypeURI() {
				b.cancel() // no client waits for the answers any more
			}
			b.ending = b.endingProblem(p)
		}
		return
	}
}

// endingProblem completes the problem that is the last line.
func (b *batch) endingProblem(p *wire.Problem) *wire.Problem {
	after := linesRead.With(b.number)
	p.Detail += " " + after.String()
	p.DetailJa += after.Japanese()
	return p
}

// fill reads the next line that is not empty into l. Afterwards l.number is 0 if there was none.
func (b *batch) fill(l *batchLine, in *bufio.Reader) error {
	l.number, l.size, l.tooLong = 0, 0, false
	l.text = l.text[:0]
	for {
		text, err := in.ReadSlice('\n')
		l.size += len(text)
		if len(text) > 0 {
			b.number++
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			l.number, l.tooLong = b.number, true
			for errors.Is(err, bufio.ErrBufferFull) {
				text, err = in.ReadSlice('\n')
				l.size += len(text)
			}
			return err
		}
		if err != nil && !errors.Is(err, io.EOF) {
			if len(text) > 0 {
				b.number-- // half a line is none
			}
			return err
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			l.number, l.text = b.number, append(l.text, text...)
			return err
		}
		if err != nil {
			return err
		}
	}
}

// A lineReader reads until a deadline. That is one for the whole line, since a client that sends it
// byte by byte would otherwise keep its slot for as long as it likes.
type lineReader struct {
	ctx      context.Context
	body     io.Reader
	control  *http.ResponseController
	deadline time.Time
}

func (r *lineReader) Read(p []byte) (int, error) {
	_ = r.control.SetReadDeadline(r.deadline)
	if err := r.ctx.Err(); err != nil {
		return 0, err // ctx ended, and the deadline that this set is the one just overwritten
	}
	return r.body.Read(p)
}

// answer makes the line's output. The line after a panic of a solver is a problem like any other.
func (b *batch) answer(ctx context.Context, l *batchLine) {
	var id wire.ID
	defer func() {
		if v := recover(); v != nil {
			b.s.logPanic(ctx, v)
			b.s.metrics.faulty.Inc()
			l.out = appendProblem(l.out[:0], id, l.number,
				wire.NewProblem(wire.InternalError, wire.LineFailed))
		}
	}()
	l.out = l.out[:0]
	defer func() { b.client.send(time.Now(), int64(len(l.out))) }()
	// A client that has used up its rate is not refused: it waits. Only the end of ctx ends that.
	if b.client.waitForLine(ctx, l.size) != nil {
		l.out = appendProblem(l.out, nil, l.number,
			wire.NewProblem(wire.ShuttingDown, wire.Ending))
		return
	}
	if l.tooLong {
		b.s.metrics.faulty.Inc()
		l.out = appendProblem(l.out, nil, l.number,
			wire.NewProblem(wire.LineTooLong, wire.LineExceeds, b.limit))
		return
	}
	var q *sched.Question
	var notes []wire.Note
	var p *wire.Problem
	id, q, notes, p = b.s.answers.ReadLine(b.kind, l.text, nil)
	var a *sched.Answer
	if p == nil {
		var err error
		q.Client, q.Batch = &b.client.account, true
		if a, _, err = b.s.scheduler.Ask(ctx, q); err != nil {
			p = b.s.searchProblem(err)
		}
	}
	if p != nil {
		b.s.metrics.faulty.Inc()
		l.out = appendProblem(l.out, id, l.number, p)
		return
	}
	b.s.metrics.answered.Inc()
	b.s.count(q, a)
	e := answer.Timed(a, notes)
	e.ID = id
	l.out = e.AppendLine(l.out)
}

func appendProblem(dst []byte, id wire.ID, line int, p *wire.Problem) []byte {
	e := wire.Envelope{ID: id, Line: line, Problem: p}
	return e.AppendLine(dst)
}
