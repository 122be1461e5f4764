package httpapi

import (
	"context"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/sched"
)

// eventStreamType is the media type of Server-Sent Events.
const eventStreamType = "text/event-stream"

// A search that is over soon is answered without a word about its progress. Of others there is one in regular
// intervals, which also keeps proxies from taking the connection for dead.
const (
	firstEvent = 200 * time.Millisecond
	eventEvery = 250 * time.Millisecond
)

// A progressEvent is the data of an event "progress".
type progressEvent struct {
	Phase          string   `json:"phase" enum:"waiting,searching,verifying,shortening,choosing" doc:"What the search is busy with: waiting for a place, searching for any mate or the proof that there is none, verifying the mate it found, shortening it, or choosing among the shortest the line that is always the same."`
	ElapsedMS      int64    `json:"elapsed_ms" minimum:"0" doc:"Time since the request came, in milliseconds, waiting included."`
	Nodes          uint64   `json:"nodes" doc:"Positions looked at so far."`
	NodesPerSecond uint64   `json:"nodes_per_second" doc:"The same, divided by the time the search has taken; 0 if it has said nothing yet."`
	PN             uint64   `json:"pn,omitempty" doc:"Proof number of the position: about how many positions must at least be decided to prove a mate. Absent if the search does not count."`
	DN             uint64   `json:"dn,omitempty" doc:"Disproof number: the same, to prove that there is none."`
	Moves          []string `json:"moves,omitempty" nullable:"false" doc:"The line that the search looks at, in USI; after the first mate, the best mate so far. Its length is bounded."`
	Mate           int      `json:"mate,omitempty" doc:"The length of the shortest mate found so far, in plies. It may yet fail its verification: only the answer counts."`
	NoMateWithin   int      `json:"no_mate_within,omitempty" doc:"There is no mate in that many plies or fewer, as far as is known."`
	TableFill      float64  `json:"table_fill" minimum:"0" maximum:"1" doc:"How full the memory of the search is, 0 to 1. Beyond that, what is worth least is forgotten."`
}

// newProgressEvent says how a search goes; nil is one that waits for its place.
func newProgressEvent(p *solver.Progress, elapsed time.Duration) *progressEvent {
	if p == nil {
		return &progressEvent{Phase: "waiting", ElapsedMS: elapsed.Milliseconds()}
	}
	e := &progressEvent{Phase: p.Phase.String(), ElapsedMS: elapsed.Milliseconds(), Nodes: p.Nodes, PN: p.PN, DN: p.DN,
		Mate: p.Mate, NoMateWithin: p.NoMateWithin, TableFill: float64(int(p.TableFill*1000)) / 1000}
	var spent time.Duration
	for _, d := range p.Spent {
		spent += d
	}
	if spent > 0 {
		e.NodesPerSecond = uint64(math.Round(float64(p.Nodes) / spent.Seconds()))
	}
	for _, m := range p.Line {
		e.Moves = append(e.Moves, m.String())
	}
	return e
}

// answerType returns the media type that an Accept header likes best of those in which a question is answered: JSON unless
// another one is asked for by name. Of equals, events come before records and these before JSON.
func answerType(accept string) string {
	if accept == "" || accept == "*/*" {
		return jsonType // what most clients say
	}
	best, most := jsonType, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		mediaType, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q := 1.0
		if text, ok := params["q"]; ok {
			q, _ = strconv.ParseFloat(text, 64)
		}
		rank := 0.0
		switch {
		case mediaType == eventStreamType:
			rank = 2
		case writesRecord(mediaType):
			rank = 1
		case mediaType != jsonType:
			continue
		}
		if weight := q + rank/1e6; q > 0 && weight > most { // a q has three digits
			best, most = mediaType, weight
		}
	}
	return best
}

// An eventStream sends Server-Sent Events. Each may take the time to write for itself.
type eventStream struct {
	x       *exchange
	control *http.ResponseController
	timeout time.Duration
	buf     []byte
}

// send sends an event. data is a line of JSON.
func (e *eventStream) send(name string, data []byte) error {
	_ = e.control.SetWriteDeadline(time.Now().Add(e.timeout)) // a test's recorder has none
	e.buf = append(append(append(e.buf[:0], "event: "...), name...), "\ndata: "...)
	e.buf = append(append(e.buf, data...), '\n')
	if _, err := e.x.Write(e.buf); err != nil {
		return err
	}
	return e.control.Flush()
}

// serveEvents answers q with events: progress while the search waits and runs, then the answer or a problem. What a slow
// client does not take is not kept for it: the next event it gets is the latest.
func (s *Server) serveEvents(ctx context.Context, q *question) {
	x := exchangeOf(ctx)
	h := x.Header()
	h.Set("Content-Type", eventStreamType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy in between must not collect the events
	e := &eventStream{x: x, control: http.NewResponseController(x), timeout: s.config.WriteTimeout}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var current atomic.Pointer[sched.Call]
	q.Follow = current.Store
	found, quiet := make(chan struct{}), make(chan struct{})
	began := x.started
	go func() {
		defer close(quiet)
		timer := time.NewTimer(firstEvent)
		defer timer.Stop()
		for {
			select {
			case <-timer.C:
			case <-found:
				return
			}
			var p *solver.Progress
			if call := current.Load(); call != nil {
				p = call.Progress()
			}
			if e.send("progress", encode(newProgressEvent(p, time.Since(began)))) != nil {
				cancel() // the client is gone, or takes too long
				return
			}
			timer.Reset(eventEvery)
		}
	}()
	name, data := s.lastEvent(ctx, x, q)
	close(found)
	<-quiet
	x.end(e.send(name, data))
}

// lastEvent finds the answer to q. A panic of a solver is a problem like any other: the header of the answer is sent.
func (s *Server) lastEvent(ctx context.Context, x *exchange, q *question) (name string, data []byte) {
	defer func() {
		if v := recover(); v != nil {
			s.logPanic(ctx, v)
			p := newProblem(internalError, "The request could not be answered.")
			p.RequestID = x.id
			name, data = "problem", encode(p)
		}
	}()
	a, p := s.find(x, ctx, q)
	if p != nil {
		return "problem", encode(p)
	}
	return "answer", timedBody(a)
}
