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
	// What belonged to the answer that is not given.
	h.Del("ETag")
	h.Del("Content-Length")
	if x.unread {
		// Else net/http would wait for the rest of the body before it sends anything, and after
		// that for the next request on the connection.
		h.Set("Connection", "close")
		x.setReadDeadline(time.Now().Add(lingerTimeout))
	}
	x.WriteHeader(p.Status)
	_, _ = x.Write(wire.Encode(p)) // a client that is gone needs no answer
}

// lingerTimeout is how long a client may go on sending a body after it was refused. If the
// connection were closed at once, the client might not get the answer.
const lingerTimeout = time.Second
