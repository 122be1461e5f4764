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

// errDraining is why a wait is over before its time.
var errDraining = errors.New("httpapi: the service drains")

// untilDrain returns a context that ends with its parent, and with errDraining once the service
// drains: a client that only waits goes to another one.
func (s *Server) untilDrain(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.drains, func() { cancel(errDraining) })
	return ctx, func() { stop(); cancel(nil) }
}

// getJobEvents answers GET /v1/jobs/{id}/events with the state of a job. Its events are no log: a client that is slow, or
// reconnects, gets the latest state.
func (s *Server) getJobEvents(x *responseRecorder, r *http.Request, id jobs.ID) error {
	ctx := r.Context()
	v, watch, err := s.config.Jobs.Watch(ctx, id)
	if err != nil {
		return err
	}
	if v.State.Ended() && r.Header.Get("Last-Event-Id") == eventID(v)+lastEventSuffix {
		x.WriteHeader(http.StatusNoContent)
		return nil
	}
	e := s.newEventStream(x)
	f := &jobFollower{eventStream: e}
	waiting, cancel := s.untilDrain(ctx)
	defer cancel()
	for quiet := time.Now(); ; {
		sent, err := f.send(v)
		switch {
		case err == nil && v.State.Ended():
			x.end(s.sendEnd(ctx, e, v))
			return nil
		case sent:
			quiet = time.Now()
		case err == nil && time.Since(quiet) > keepAliveEvery:
			quiet, err = time.Now(), e.comment()
		}
		if err != nil { // the client is gone
			x.end(err)
			return nil
		}
		select {
		case <-time.After(eventEvery):
			v, err = watch.Next(waiting)
		case <-waiting.Done():
		}
		if waiting.Err() != nil {
			x.end(context.Cause(waiting))
			return nil
		}
		if err != nil {
			x.end(e.send("problem", wire.AppendJSON(nil, s.problemEvent(ctx, x, err))))
			return nil
		}
	}
}

// problemEvent returns the problem for an error of the queue, as events have it.
func (s *Server) problemEvent(ctx context.Context, x *responseRecorder, err error) *wire.Problem {
	p := s.jobProblem(ctx, err)
	p.RequestID = x.id
	return p
}

// A jobFollower sends what has changed of a job.
type jobFollower struct {
	*eventStream
	state    string // that was sent
	progress []byte // likewise
}

func (f *jobFollower) send(v *queue.View) (sent bool, err error) {
	if state := eventID(v) + string(v.State); state != f.state {
		f.state, sent = state, true
		err = f.sendID("state", eventID(v), wire.AppendJSON(nil, newJob(v)))
	}
	if err != nil || v.Progress == nil || v.State.Ended() {
		return sent, err
	}
	progress := wire.NewJobProgress(v.Progress.Line, v.DoneLines, v.Progress.Event)
	if bytes.Equal(progress, f.progress) {
		return sent, nil
	}
	f.progress = progress
	return true, f.eventStream.send("progress", progress)
}

// sendEnd sends the last event: the answer of a problem, else the job as it ended.
func (s *Server) sendEnd(ctx context.Context, e *eventStream, v *queue.View) error {
	j, err := s.answeredJob(ctx, v)
	if err != nil {
		return e.send("problem", wire.AppendJSON(nil, s.problemEvent(ctx, e.x, err)))
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
