package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/tsumero/tsumero/api/wire"
)

// A handler answers a request with x, or returns the problem that is the answer.
type handler func(x *responseRecorder, r *http.Request) *wire.Problem

// ServeHTTP is the one place where the problems of endpoints are written.
func (h handler) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	x := recorderOf(r.Context())
	if p := h(x, r); p != nil {
		x.writeProblem(p)
	}
}

// writeProblem answers with a problem.
func (x *responseRecorder) writeProblem(p *wire.Problem) {
	p.RequestID = x.id
	h := x.Header()
	h.Set("Content-Type", wire.ProblemType)
	h.Set("Cache-Control", "no-store")
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	// Headers of the answer that the problem replaces.
	h.Del("ETag")
	h.Del("Content-Length")
	if x.unread {
		// Otherwise net/http would read the rest of the body before it sends the problem, and then
		// wait for the next request on the connection.
		h.Set("Connection", "close")
		x.setReadDeadline(time.Now().Add(lingerTimeout))
	}
	x.WriteHeader(p.Status)
	_, _ = x.Write(wire.Encode(p)) // a client that is gone needs no answer
}

// lingerTimeout is how long a client may go on sending a refused body. If the connection were
// closed at once, a client that is still sending might not get the answer.
const lingerTimeout = time.Second
