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
	answer := &wire.LimitsAnswer{
		MaxPlies:      c.MaxPlies,
		MaxNodes:      c.MaxNodes,
		MaxTimeMS:     c.MaxTime.Milliseconds(),
		DefaultTimeMS: c.DefaultTime.Milliseconds(),
		MaxWaitMS:     (c.QueueWait + c.LongWait).Milliseconds(),
		MaxBodyBytes:  c.MaxBodyBytes,
		MaxBatches:    c.MaxBatchesEach,
		PerMinute:     c.RatePerMinute,
	}
	if c.Sessions != nil {
		nodes, questionNodes, limit := s.requests.Bounds.Analysis.Defaults()
		answer.Analysis = &wire.AnalysisLimits{
			MaxNodes:             c.MaxAnalysisNodes,
			DefaultNodes:         nodes,
			DefaultQuestionNodes: questionNodes,
			MaxTimeMS:            c.MaxAnalysisTime.Milliseconds(),
			DefaultTimeMS:        limit.Milliseconds(),
			MaxWaitMS:            c.AnalysisWait.Milliseconds(),
		}
	}
	if b := &s.requests.Bounds.Play; len(b.Levels) > 0 {
		answer.Play = &wire.PlayingLimits{
			Levels:       b.Levels,
			MaxNodes:     b.Nodes,
			DefaultNodes: b.DefaultNodes,
			MaxDepth:     wire.MaxPlayDepth,
			MaxMoves:     wire.MaxPlayMoves,
			MaxWaitMS:    c.PlayWait.Milliseconds(),
		}
	}
	answer.Jobs = s.jobsLimits()
	body := wire.Encode(answer)
	tag := httpheader.ETag(body)
	return func(x *responseRecorder, r *http.Request) *wire.Problem {
		h := x.Header()
		h["Cache-Control"] = limitsCaching
		h["Etag"] = []string{tag}
		if httpheader.MatchesETag(r.Header.Get("If-None-Match"), tag) {
			x.WriteHeader(http.StatusNotModified)
			return nil
		}
		h["Content-Type"] = jsonHeader
		_, _ = x.Write(body) // a client that is gone needs no answer
		return nil
	}
}
