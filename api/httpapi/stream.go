package httpapi

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver/sched"
)

// eventStreamType is the media type of Server-Sent Events.
const eventStreamType = "text/event-stream"

// A search that is over soon is answered without a word about its progress. Of others there is one
// in regular intervals, which also keeps proxies from closing the connection.
const (
	firstEvent = 200 * time.Millisecond
	eventEvery = 250 * time.Millisecond
)

// An eventStream sends Server-Sent Events. Each may take the time to write for itself.
type eventStream struct {
	x       *responseRecorder
	control *http.ResponseController
	timeout time.Duration
	buf     []byte
}

// newEventStream begins an answer with events.
func (s *Server) newEventStream(x *responseRecorder) *eventStream {
	h := x.Header()
	h.Set("Content-Type", eventStreamType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy in between must not collect the events
	return &eventStream{x: x, control: http.NewResponseController(x), timeout: s.config.WriteTimeout}
}

// send sends an event. data is JSON without an end of the line.
func (e *eventStream) send(name string, data []byte) error {
	_ = e.control.SetWriteDeadline(time.Now().Add(e.timeout)) // a test's recorder has none
	e.buf = append(append(append(e.buf[:0], "event: "...), name...), "\ndata: "...)
	e.buf = append(append(e.buf, data...), "\n\n"...)
	if _, err := e.x.Write(e.buf); err != nil {
		return err
	}
	return e.control.Flush()
}

// progressEvents sends the events that say how a call goes, which is nil before it begins. It is
// called in regular intervals.
type progressEvents func(e *eventStream, call *sched.Call) error

// searchEvents returns what says how the search for an answer goes.
func searchEvents(began time.Time) progressEvents {
	return func(e *eventStream, call *sched.Call) error {
		return e.send("progress", wire.AppendJSON(nil, answer.ProgressOf(call, time.Since(began))))
	}
}

// serveEvents answers q with events: progress while the call waits and runs, then the answer or a
// problem. What a slow client does not take is not kept for it: the next event it gets is the
// latest.
func (s *Server) serveEvents(ctx context.Context, q *sched.Question, notes []wire.Note,
	progress progressEvents) {
	x := recorderOf(ctx)
	e := s.newEventStream(x)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var current atomic.Pointer[sched.Call]
	q.Follow = current.Store
	found, quiet := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(quiet)
		timer := time.NewTimer(firstEvent)
		defer timer.Stop()
		for {
			select {
			case <-timer.C:
			case <-found:
				return
			}
			if progress(e, current.Load()) != nil {
				cancel() // the client is gone, or takes too long
				return
			}
			timer.Reset(eventEvery)
		}
	}()
	name, data := s.lastEvent(ctx, x, q, notes)
	close(found)
	<-quiet
	x.end(e.send(name, data))
}

// lastEvent finds the answer to q. A panic of a solver is a problem like any other: the header of
// the answer is sent.
func (s *Server) lastEvent(ctx context.Context, x *responseRecorder, q *sched.Question,
	notes []wire.Note) (name string, data []byte) {
	defer func() {
		if v := recover(); v != nil {
			s.logPanic(ctx, v)
			p := wire.NewProblem(wire.InternalError, wire.AnswerFailed)
			p.RequestID = x.id
			name, data = "problem", wire.AppendJSON(nil, p)
		}
	}()
	a, p := s.find(x, ctx, q)
	if p != nil {
		return "problem", wire.AppendJSON(nil, p)
	}
	found := answer.Timed(a, notes)
	return "answer", found.Append(nil)
}
