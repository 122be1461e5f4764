package httpapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/wire"
)

// keepAliveEvery is after how long without an event a comment is sent, so that no proxy closes the
// connection.
const keepAliveEvery = 15 * time.Second

// lastEventSuffix follows the revision in the id of the last event. A client that reconnects with
// that id has everything: the answer 204 stops browsers from reconnecting.
const lastEventSuffix = ".end"

// followJob answers with events of the state of a job. They are no log: a client that is slow, or
// reconnects, gets the latest state.
func (s *Server) followJob(x *responseRecorder, r *http.Request, id jobs.ID) error {
	ctx := r.Context()
	v, watch, err := s.config.Jobs.Watch(ctx, id)
	if err != nil {
		return err
	}
	if v.State.Ended() && r.Header.Get("Last-Event-Id") == eventID(v)+lastEventSuffix {
		x.WriteHeader(http.StatusNoContent)
		return nil
	}
	h := x.Header()
	h.Set("Content-Type", eventStreamType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy in between must not collect the events
	e := &eventStream{x: x, control: http.NewResponseController(x), timeout: s.config.WriteTimeout}
	var sent *queue.View
	for {
		if err := s.sendJobEvents(ctx, e, sent, v); err != nil || v.State.Ended() {
			x.end(err)
			return nil
		}
		sent = v
		if v, err = s.waitForEvent(ctx, e, watch, sent); err != nil {
			if ctx.Err() == nil && !errors.Is(err, errDraining) && !e.failed {
				p := s.jobProblem(ctx, err)
				p.RequestID = x.id
				err = e.send("problem", wire.AppendJSON(nil, p))
			}
			x.end(err)
			return nil
		}
	}
}

// waitForEvent returns the job once it is not as it was, but not sooner than the next event may be
// sent. The error is errDraining if the service drains: the client reconnects, to another one.
func (s *Server) waitForEvent(ctx context.Context, e *eventStream, watch *queue.Watch, was *queue.View) (
	*queue.View, error) {
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.drains, func() { cancel(errDraining) })()
	select {
	case <-time.After(eventEvery):
	case <-waiting.Done():
		return nil, context.Cause(waiting)
	}
	quiet := time.Now()
	for {
		v, err := watch.Next(waiting)
		switch {
		case waiting.Err() != nil:
			return nil, context.Cause(waiting)
		case err != nil:
			return nil, err
		case v.Revision != was.Revision || v.State != was.State || v.DoneLines != was.DoneLines || hasMoved(was, v):
			return v, nil
		}
		if time.Since(quiet) > keepAliveEvery {
			quiet = time.Now()
			if err := e.comment(); err != nil {
				e.failed = true
				return nil, err
			}
		}
	}
}

// hasMoved reports whether the progress of a job has changed.
func hasMoved(a, b *queue.View) bool {
	if a.Progress == nil || b.Progress == nil {
		return a.Progress != b.Progress
	}
	return a.Progress.Line != b.Progress.Line || !bytes.Equal(a.Progress.Event, b.Progress.Event)
}

// sendJobEvents sends what has changed of a job since sent, which is nil at first.
func (s *Server) sendJobEvents(ctx context.Context, e *eventStream, sent, v *queue.View) error {
	if sent == nil || sent.Revision != v.Revision || sent.State != v.State {
		if err := e.sendID("state", eventID(v), wire.AppendJSON(nil, newJob(v))); err != nil {
			return err
		}
	}
	if v.State.Ended() {
		return s.sendEnd(ctx, e, v)
	}
	if v.Progress == nil || sent != nil && sent.DoneLines == v.DoneLines && !hasMoved(sent, v) {
		return nil
	}
	return e.send("progress",
		wire.NewJobProgress(v.Progress.Line, v.DoneLines, v.Progress.Event))
}

// sendEnd sends the last event: the answer of a problem, else the job as it ended.
func (s *Server) sendEnd(ctx context.Context, e *eventStream, v *queue.View) error {
	j, err := s.answeredJob(ctx, v)
	if err != nil {
		p := s.jobProblem(ctx, err)
		p.RequestID = e.x.id
		return e.send("problem", wire.AppendJSON(nil, p))
	}
	id := eventID(v) + lastEventSuffix
	if j.Answer != nil {
		return e.sendID("answer", id, j.Answer)
	}
	return e.sendID("end", id, wire.AppendJSON(nil, j))
}

func eventID(v *queue.View) string { return strconv.FormatUint(v.Revision, 10) }

// sendID sends an event with an id.
func (e *eventStream) sendID(name, id string, data []byte) error {
	return e.send(name+"\nid: "+id, data)
}

// comment sends what no client sees.
func (e *eventStream) comment() error {
	_ = e.control.SetWriteDeadline(time.Now().Add(e.timeout))
	if _, err := e.x.Write([]byte(":\n\n")); err != nil {
		return err
	}
	return e.control.Flush()
}
