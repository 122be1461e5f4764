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

// lastEventSuffix is behind the revision in the id of the last event. Who reconnects with that id
// has everything: the answer 204 makes browsers reconnect no more.
const lastEventSuffix = ".end"

// followJob answers with events that say how a job goes. They are its state, no log of it: who is
// slow, or comes again, gets the latest.
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
	var told *queue.View
	for {
		if err := s.tellJob(ctx, e, told, v); err != nil || v.State.Ended() {
			x.end(err)
			return nil
		}
		told = v
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
// is false if the service drains: the client comes again, to another one.
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

// tellJob sends what is new of a job since told, which is nil if nothing was.
func (s *Server) tellJob(ctx context.Context, e *eventStream, told, v *queue.View) error {
	if told == nil || told.Revision != v.Revision || told.State != v.State {
		j, err := s.jobAnswer(ctx, v, false)
		if err != nil {
			return err
		}
		if err := e.sendID("state", eventID(v), wire.AppendJSON(nil, j)); err != nil {
			return err
		}
	}
	if v.State.Ended() {
		return s.tellEnd(ctx, e, v)
	}
	if v.Progress == nil || told != nil && told.News == v.News {
		return nil
	}
	return e.send("progress",
		wire.NewJobProgress(v.Progress.Line, v.DoneLines, v.Progress.Event))
}

// tellEnd sends the last event: the answer of a problem, else the job as it ended.
func (s *Server) tellEnd(ctx context.Context, e *eventStream, v *queue.View) error {
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
