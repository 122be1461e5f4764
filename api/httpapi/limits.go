package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tsumero/tsumero/api/etag"
)

// A limitsAnswer is the body of GET /v1/limits: how much a client may ask of this service.
type limitsAnswer struct {
	MaxPlies      int    `json:"max_plies" minimum:"1" doc:"The largest limits.plies."`
	MaxNodes      uint64 `json:"max_nodes" minimum:"1" doc:"The largest limits.nodes, and the default."`
	MaxTimeMS     int64  `json:"max_time_ms" minimum:"1" doc:"The largest limits.time_ms."`
	DefaultTimeMS int64  `json:"default_time_ms" minimum:"1" doc:"The default of limits.time_ms."`
	MaxWaitMS     int64  `json:"max_wait_ms" minimum:"1" doc:"The longest wait of a question for its search to begin, which time_ms does not bound."`
	MaxBodyBytes  int    `json:"max_body_bytes" minimum:"1" doc:"The largest body, and the longest line of a batch."`
	MaxBatches    int    `json:"max_batches" minimum:"1" doc:"How many batches a client may have at once."`
	PerMinute     int    `json:"requests_per_minute,omitempty" minimum:"1" doc:"How many requests a client may send in a minute: see the problem rate_limited. Absent if any number."`
}

// limitsCaching lets copies be kept for a few minutes: limits change only when the service is
// started anew.
var limitsCaching = []string{"public, max-age=300"}

func (s *Server) limitsOperation() huma.Operation {
	responses := problemResponses("limits", internalError)
	responses["200"] = &huma.Response{
		Description: "The limits.",
		Content: map[string]*huma.MediaType{
			jsonType: {Schema: schemaRef("LimitsAnswer"),
				Examples: answers("limits", http.StatusOK)}},
		Headers: map[string]*huma.Param{
			"ETag":          header("Changes if a limit does.", `"q0Z3…"`),
			"Cache-Control": header("For how long a copy may be used.", limitsCaching[0]),
		},
	}
	responses["304"] = &huma.Response{
		Description: "You have the limits: their ETag was in If-None-Match."}
	return huma.Operation{
		OperationID: "limits",
		Method:      http.MethodGet,
		Path:        "/v1/limits",
		Summary:     "What may be asked",
		Description: "The limits of this service, so that a client asks no more than it is " +
			"allowed. They are the maxima of the schema of requests, too. This request does not " +
			"count towards the rate limit.",
		Tags:      []string{"Service"},
		Responses: responses,
	}
}

// A limitsInput is what GET /v1/limits looks at.
type limitsInput struct {
	Tags string `header:"If-None-Match" doc:"The ETag of the limits you have: if they hold, you get a 304."`
}

// limitsHandler returns the handler of GET /v1/limits. Its answer never changes, so that it is made
// once.
func (s *Server) limitsHandler() (func(context.Context, *limitsInput) (*output, error), error) {
	c := &s.config
	body, err := json.Marshal(limitsAnswer{
		MaxPlies:      c.MaxPlies,
		MaxNodes:      c.MaxNodes,
		MaxTimeMS:     c.MaxTime.Milliseconds(),
		DefaultTimeMS: c.DefaultTime.Milliseconds(),
		MaxWaitMS:     (c.QueueWait + c.LongWait).Milliseconds(),
		MaxBodyBytes:  c.MaxBodyBytes,
		MaxBatches:    c.MaxBatchesEach,
		PerMinute:     c.RatePerMinute,
	})
	if err != nil {
		return nil, err
	}
	body = append(body, '\n')
	tag := etag.Of(body)
	return func(ctx context.Context, in *limitsInput) (*output, error) {
		h := exchangeOf(ctx).Header()
		h["Cache-Control"] = limitsCaching
		h["Etag"] = []string{tag}
		if etag.Matches(in.Tags, tag) {
			return &output{http.StatusNotModified, nil}, nil
		}
		h["Content-Type"] = jsonHeader
		return &output{http.StatusOK, body}, nil
	}, nil
}
