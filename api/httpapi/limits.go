package httpapi

import (
	"net/http"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/api/wire"
)

// limitsCaching lets copies be kept for a few minutes: limits change only when the service is
// started anew.
var limitsCaching = []string{"public, max-age=300"}

// limitsHandler returns the handler of GET /v1/limits. Its answer never changes, so that it is made
// once.
func (s *Server) limitsHandler() handler {
	c := &s.config
	answer := s.requests.Bounds.Limits()
	answer.MaxWaitMS = (c.QueueWait + c.LongWait).Milliseconds()
	answer.MaxBodyBytes, answer.MaxBatches = c.MaxBodyBytes, c.MaxBatchesEach
	answer.PerMinute = c.RatePerMinute
	answer.Analysis.MaxWaitMS = c.AnalysisWait.Milliseconds()
	answer.Play.MaxWaitMS = c.PlayWait.Milliseconds()
	if c.Sessions == nil {
		answer.Analysis = nil
	}
	if len(answer.Play.Levels) == 0 {
		answer.Play = nil
	}
	answer.Jobs = s.jobsLimits()
	body := wire.Encode(answer)
	tag := httpheader.ETag(body)
	return func(x *responseRecorder, r *http.Request) *wire.Problem {
		h := x.Header()
		h["Cache-Control"] = limitsCaching
		if httpheader.NotModified(x, r, tag) {
			return nil
		}
		h["Content-Type"] = jsonHeader
		_, _ = x.Write(body) // a client that is gone needs no answer
		return nil
	}
}
