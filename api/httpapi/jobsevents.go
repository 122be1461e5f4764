package httpapi

import (
	"context"
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
func (s *Server) followJob(x *responseRecorder, r *http.Request, id jobs.ID) *wire.Problem {
	ctx := r.Context()
	v, changed, err := s.config.Jobs.Watch(ctx, id)
	if err != nil {
		return s.jobProblem(ctx, err)
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
		news, err := s.waitForEvent(ctx, e, changed)
		if err != nil || !news {
			x.end(err)
			return nil
		}
		if v, changed, err = s.config.Jobs.Watch(ctx, id); err != nil {
			p := s.jobProblem(ctx, err)
			p.RequestID = x.id
			x.end(e.send("problem", wire.AppendJSON(nil, p)))
			return nil
		}
	}
}

// waitForEvent returns when there may be news, but not sooner than the next event may be sent. news
// is false if the service drains: the client reconnects, to another one.
func (s *Server) waitForEvent(ctx context.Context, e *eventStream, changed <-chan struct{}) (
	news bool, err error) {
	pause := time.NewTimer(eventEvery)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	for {
		pause.Reset(keepAliveEvery)
		select {
		case <-changed:
			return true, nil
		case <-pause.C:
			if err := e.comment(); err != nil {
				return false, err
			}
		case <-s.drains.Done():
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// sendJobEvents sends what has changed of a job since sent, which is nil at first.
func (s *Server) sendJobEvents(ctx context.Context, e *eventStream, sent, v *queue.View) error {
	if sent == nil || sent.Revision != v.Revision || sent.State != v.State {
		j, err := s.jobAnswer(ctx, v, false)
		if err != nil {
			return err
		}
		if err := e.sendID("state", eventID(v), wire.AppendJSON(nil, j)); err != nil {
			return err
		}
	}
	if v.State.Ended() {
		return s.sendEnd(ctx, e, v)
	}
	if v.Progress == nil || sent != nil && sent.Changes == v.Changes {
		return nil
	}
	return e.send("progress",
		wire.NewJobProgress(v.Progress.Line, v.DoneLines, v.Progress.Event))
}

// sendEnd sends the last event: the answer of a problem, else the job as it ended.
func (s *Server) sendEnd(ctx context.Context, e *eventStream, v *queue.View) error {
	j, err := s.jobAnswer(ctx, v, true)
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

func eventID(v *queue.View) string { return strconv.FormatUint(uint64(v.Revision), 10) }

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
