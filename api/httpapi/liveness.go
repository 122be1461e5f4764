package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// batchPath is where batches are taken.
const batchPath = "/v1/solve/batch"

// stallMargin is how much longer than it may take a search or a request goes on before it counts as
// stuck: a processor may be busy with other things.
const stallMargin = 30 * time.Second

// An activity is work of one kind that has to end, each piece of it within the same time. It is
// stalled when some of it runs and none has ended for longer than that: then every piece that runs
// has overrun its time. One that is idle is not stalled, however long.
type activity struct {
	what    string
	limit   time.Duration // that a piece may take, with a margin
	epoch   time.Time     // what since counts from; its clock does not jump
	running atomic.Int64
	since   atomic.Int64 // nanoseconds: when a piece last ended, or when one began while none ran
}

func newActivity(what string, limit time.Duration) *activity {
	return &activity{what: what, limit: limit + stallMargin, epoch: time.Now()}
}

func (a *activity) begin() {
	if a.running.Add(1) == 1 {
		a.mark()
	}
}

func (a *activity) end() {
	a.mark()
	a.running.Add(-1)
}

func (a *activity) mark() { a.since.Store(int64(time.Since(a.epoch))) }

// stalled returns how long nothing has ended, 0 if that is as it should be.
func (a *activity) stalled() time.Duration {
	idle := time.Since(a.epoch) - time.Duration(a.since.Load())
	if a.running.Load() == 0 || idle <= a.limit {
		return 0
	}
	return idle
}

// watchSearches returns a solver that is by's in every way, and whose searches livez knows of.
// Batches ask it too, so that a search which never ends is noticed whoever began it.
func (s *Server) watchSearches(what string, by solver.Solver) solver.Solver {
	if by == nil {
		return nil
	}
	a := newActivity(what, s.config.MaxTime)
	s.activities = append(s.activities, a)
	return solver.Func(func(
		ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
		a.begin()
		defer a.end()
		return by.Solve(ctx, p, lim)
	})
}

// watchRequests makes livez notice when no request of the API ends any more. Batches, and those who
// follow a job, may go on for as long as their client likes, and the probes themselves say nothing
// about others, so neither counts.
func (s *Server) watchRequests(next http.Handler) http.Handler {
	// Twice, as a question that joined one of another client in vain waits for a search of its own.
	a := newActivity("request", 2*s.config.longestRequest())
	s.activities = append(s.activities, a)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") && !isBatch(r.URL.Path) && !isJobs(r.URL.Path) {
			a.begin()
			defer a.end()
		}
		next.ServeHTTP(w, r)
	})
}

// longestRequest is how long a question may take from its header to the end of its answer.
func (c *Config) longestRequest() time.Duration {
	return c.BodyTimeout + c.longestWork() + c.WriteTimeout
}

// longestWork is how long a question may wait and search: for its length, in all ways that there
// are.
func (c *Config) longestWork() time.Duration {
	longest := c.QueueWait + c.LongWait + c.MaxTime
	if c.Sessions != nil {
		longest += c.AnalysisWait + max(c.MaxTime, c.MaxAnalysisTime)
	}
	if c.NewEngine != nil {
		longest = max(longest, c.PlayWait+maxPlayTime)
	}
	if c.Diagrams != nil {
		longest = max(longest, pictureWait+pictureTime)
	}
	return longest
}

// livez says that the process can answer: 503 when searches or requests run and none of them ends
// any more.
func (s *Server) livez(w http.ResponseWriter, r *http.Request) {
	for _, a := range s.activities {
		if idle := a.stalled(); idle > 0 {
			s.logger.Error("stalled", "what", a.what, "running", a.running.Load(),
				"none_ended_for", idle.String())
			text := fmt.Sprintf("no %s has ended for %v, and each may take %v\n",
				a.what, idle.Round(time.Second), a.limit)
			s.probe(w, r, http.StatusServiceUnavailable, text)
			return
		}
	}
	s.probe(w, r, http.StatusOK, "ok\n")
}
