package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
)

// What the pages of jobs ask, each in the name of whoever sent the request to a page of Config.Web.

// LongestJob returns the longest search that a client without a key may ask for.
func (s *Server) LongestJob() time.Duration { return s.config.Jobs.Classes()[queue.Anonymous].Time }

// SubmitJob submits one problem, the body of POST /v1/jobs in JSON, under an idempotency key unless
// it is empty.
func (s *Server) SubmitJob(r *http.Request, body []byte, key string) (*wire.Job, *wire.Problem) {
	x := recorderOf(r.Context())
	x.unread = false
	read := func(_ *responseRecorder, _ *http.Request, sub *queue.Submission) *wire.Problem {
		return s.submitProblem(body, sub)
	}
	v, _, err := s.submitJob(x, r, s.withoutKey(x, r), key, read, nil)
	if err != nil {
		return nil, s.jobProblem(r.Context(), err)
	}
	return newJob(v), nil
}

// Job returns a job with its answer.
func (s *Server) Job(r *http.Request, id string) (j *wire.Job, p *wire.Problem) {
	known, err := recorderOf(r.Context()).jobID(id)
	if err == nil {
		var v *queue.View
		if v, err = s.config.Jobs.Job(r.Context(), known); err == nil {
			_, j, err = s.wholeJob(r.Context(), v)
		}
	}
	return j, s.jobProblem(r.Context(), err)
}

// Composed returns the problems that a job has found so far, with their solutions.
func (s *Server) Composed(r *http.Request, id string) (all []shogi.Game, p *wire.Problem) {
	known, err := recorderOf(r.Context()).jobID(id)
	if err == nil {
		all, err = s.composed(r.Context(), known)
	}
	return all, s.jobProblem(r.Context(), err)
}

// CancelJob ends a job, unless it has ended.
func (s *Server) CancelJob(r *http.Request, id string) *wire.Problem {
	known, err := recorderOf(r.Context()).jobID(id)
	if err == nil {
		err = s.config.Jobs.Cancel(context.WithoutCancel(r.Context()), known)
	}
	if errors.Is(err, queue.ErrGone) { // the page says so
		return nil
	}
	return s.jobProblem(r.Context(), err)
}
