package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
)

// jobsPath is where jobs are. Requests there may go on for as long as a client likes: see isJobs.
const jobsPath = "/v1/jobs"

// composePath takes searches for problems.
const composePath = jobsPath + "/compose"

// isJobs reports whether a path is that of jobs.
func isJobs(path string) bool {
	rest, ok := strings.CutPrefix(path, jobsPath)
	return ok && (rest == "" || rest[0] == '/')
}

// A jobClient is who asks for jobs: the owner of an API key, or the network that a client is to the
// rate limit.
type jobClient struct {
	name, class string
	hasKey      bool
}

// A jobHandler answers a request about jobs, or returns an error of the queue or a problem.
type jobHandler func(x *responseRecorder, r *http.Request, who *jobClient) error

// withJobs makes a handler of one that needs the jobs.
func (s *Server) withJobs(next jobHandler) handler {
	return func(x *responseRecorder, r *http.Request) *wire.Problem {
		if s.config.Jobs == nil {
			return wire.NewProblem(wire.JobsOff, noJobs)
		}
		who, p := s.jobClient(x, r)
		if p != nil {
			return p
		}
		// A page of another site would spend what its reader may, above all on a service on the
		// reader's own machine. It cannot know a key.
		if !who.hasKey && !s.trustsOrigin(r) {
			return wire.NewProblem(wire.ForeignOrigin, foreignOrigin)
		}
		return s.jobProblem(r.Context(), next(x, r, who))
	}
}

// withJob makes a handler of one for the job in the path.
func (s *Server) withJob(next func(x *responseRecorder, r *http.Request, id jobs.ID) error) handler {
	return s.withJobs(func(x *responseRecorder, r *http.Request, _ *jobClient) error {
		id, err := x.jobID(chi.URLParam(r, "id"))
		if err != nil {
			return err
		}
		return next(x, r, id)
	})
}

// jobID reads an id, which the log has the beginning of.
func (x *responseRecorder) jobID(text string) (jobs.ID, error) {
	id, err := jobs.ParseID(text)
	if err != nil {
		return "", jobs.ErrNotFound
	}
	x.job = id.Short()
	return id, nil
}

// jobClient returns who asks.
func (s *Server) jobClient(x *responseRecorder, r *http.Request) (*jobClient, *wire.Problem) {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if s.config.APIKeys == nil || !strings.EqualFold(scheme, "Bearer") {
		return s.withoutKey(x, r), nil
	}
	found, ok := s.config.APIKeys.Find(strings.TrimSpace(key))
	if !ok {
		x.Header().Set("WWW-Authenticate", "Bearer")
		s.metrics.jobRefused(refusedKey)
		return nil, wire.NewProblem(wire.UnknownKey, unknownKey)
	}
	return &jobClient{"key:" + found.Name, found.Class, true}, nil
}

// withoutKey returns who asks without a key.
func (s *Server) withoutKey(x *responseRecorder, r *http.Request) *jobClient {
	return &jobClient{name: "address:" + x.client.network.String(), class: s.classWithoutKey(r)}
}

// origins tells requests of pages of other sites that change something.
var origins = http.NewCrossOriginProtection()

// trustsOrigin reports whether a request changes nothing, is of no page, of one of this service, or of
// one whose origin Config.CORSOrigins has. That every page may ask says nothing about jobs.
func (s *Server) trustsOrigin(r *http.Request) bool {
	return origins.Check(r) == nil || slices.ContainsFunc(s.config.CORSOrigins, func(allowed string) bool {
		before, after, many := strings.Cut(allowed, "*")
		rest, ok := strings.CutPrefix(r.Header.Get("Origin"), before)
		return allowed != "*" && ok && strings.HasSuffix(rest, after) && (many || rest == "")
	})
}

// classWithoutKey returns the class of a client that has no key.
func (s *Server) classWithoutKey(r *http.Request) string {
	if s.config.LocalClass == "" || !peer(r.RemoteAddr).IsLoopback() || !namesLoopback(r.Host) {
		return queue.Anonymous
	}
	for _, name := range [...]string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Proto",
		"X-Real-Ip"} {
		if r.Header.Get(name) != "" {
			return queue.Anonymous
		}
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return queue.Anonymous
	}
	return s.config.LocalClass
}

// namesLoopback reports whether a Host field can only be that of a client on the same machine, or of
// a proxy that hides what it was asked. Any name may lead a browser there.
func namesLoopback(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	addr, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && addr.IsLoopback()
}

// Seconds after which to ask again.
const (
	retryStore  = 2  // for a store that does not answer, for which the request has waited
	retryRoom   = 60 // for room in it, and for a quota
	retryAnswer = 5  // for an answer
)

// jobErrors are the problems for errors of the queue, with what is counted of them.
var jobErrors = []struct {
	err        error
	kind       *wire.Kind
	what       *shogi.Text
	refused    string
	retryAfter int
}{
	{queue.ErrGone, wire.JobGone, jobGone, "", 0},
	{jobs.ErrNotFound, wire.JobNotFound, noJob, "", 0},
	{queue.ErrFinished, wire.JobFinished, jobEnded, "", 0},
	{queue.ErrMismatch, wire.IdempotencyMismatch, keyUsed, refusedMismatch, 0},
	{jobs.ErrFull, wire.StoreFull, storeFull, refusedFull, retryRoom},
	{jobs.ErrDamaged, wire.InternalError, lostResults, "", 0},
	{jobs.ErrNewer, wire.InternalError, lostResults, "", 0},
}

// jobProblem returns the problem for an error of the queue, nil for none.
func (s *Server) jobProblem(ctx context.Context, err error) *wire.Problem {
	var problem *wire.Problem
	var quota *queue.QuotaError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &problem):
		return problem
	case errors.As(err, &quota):
		s.metrics.jobRefused(refusedQuota)
		what := quotas[quota.Of].With()
		if quota.Of == "bytes" {
			what.Args = []any{queue.ReservedBytes}
		}
		if quota.Never {
			return wire.NewProblem(wire.QuotaExceeded, tooManyAlone, what, quota.Most)
		}
		return wire.NewProblem(wire.QuotaExceeded, tooMany, what, quota.Most).After(retryRoom)
	case errors.Is(err, queue.ErrNotDone): // not any more: it was damaged
		return wire.NewProblem(wire.NotFinished, jobState, string(jobs.Running)).After(retryAnswer)
	case errors.Is(err, queue.ErrEmpty):
		return wire.Invalid([]wire.Fault{wire.NewFault("body", noLine.With())})
	}
	for _, e := range jobErrors {
		if !errors.Is(err, e.err) {
			continue
		}
		if e.refused != "" {
			s.metrics.jobRefused(e.refused)
		}
		if e.kind == wire.InternalError {
			s.logger.LogAttrs(ctx, slog.LevelError, "a job cannot be read",
				slog.String("error", err.Error()))
		}
		return wire.NewProblem(e.kind, e.what).After(e.retryAfter)
	}
	if s.isEnding(ctx) {
		return wire.NewProblem(wire.ShuttingDown, wire.Ending).After(1)
	}
	if ctx.Err() == nil {
		s.metrics.jobRefused(refusedStore)
		s.jobLogger.LogAttrs(ctx, slog.LevelWarn, "the job store failed", slog.Any("error", err))
	}
	return wire.NewProblem(wire.JobsUnavailable, storeSilent).After(retryStore)
}

// newJob returns a job as the API has it, without its answer.
func newJob(v *queue.View) *wire.Job {
	j := &wire.Job{ID: string(v.ID), Kind: string(v.Kind), Ask: v.Ask, State: string(v.State),
		Note: v.Note, Created: whole(v.Created), Started: whole(v.Started), Finished: whole(v.Finished),
		Expires: whole(v.Expires()), Lines: v.Lines, Done: v.DoneLines, Nodes: v.Nodes, Versions: v.Versions,
		Counts: wire.JobCounts(v.Counts), PositionInQueue: v.Position}
	if v.Priority < 0 {
		j.Priority = "low"
	}
	if v.Wants > 0 {
		j.WaitingFor = fmt.Sprintf("a worker with %d GiB", v.Wants)
	}
	if v.Progress != nil {
		j.Progress = wire.NewJobProgress(v.Progress.Line, v.DoneLines, v.Progress.Event)
	}
	if v.Kind == jobs.Compose {
		j.Compose = wire.ReadJobCompose(v.Defaults)
	}
	if v.Failure != nil {
		j.Problem = wire.KnownProblem(v.Failure.Code, v.Failure.Detail)
	}
	return j
}

// answeredJob returns a job with the answer to its problem, if it is one that is done. The answer
// is read from the store.
func (s *Server) answeredJob(ctx context.Context, v *queue.View) (*wire.Job, error) {
	j := newJob(v)
	if v.State != jobs.Done || v.Kind.HasLines() {
		return j, nil
	}
	answer, err := s.config.Jobs.Answer(ctx, v.ID)
	if err != nil {
		return nil, err
	}
	if j.Problem = answer.Problem; j.Problem == nil {
		j.Answer = answer.Append(nil)
	}
	return j, nil
}

// whole cuts off what is less than a millisecond.
func whole(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// jobTag returns the entity tag of a job. It is weak: progress changes without the record.
func jobTag(v *queue.View) string {
	return `W/"` + strconv.FormatUint(v.Revision, 10) + `"`
}

// privately is the Cache-Control of answers about jobs, which only the client itself may keep.
var privately = []string{"private, no-cache"}

// wholeJob returns a job with its answer, as it is then.
func (s *Server) wholeJob(ctx context.Context, v *queue.View) (*queue.View, *wire.Job, error) {
	j, err := s.answeredJob(ctx, v)
	if errors.Is(err, queue.ErrNotDone) { // it was damaged, and the job is at work again
		if v, err = s.config.Jobs.Job(ctx, v.ID); err == nil {
			j, err = s.answeredJob(ctx, v)
		}
	}
	return v, j, err
}

// sendJob answers with a job.
func (s *Server) sendJob(x *responseRecorder, r *http.Request, v *queue.View, status int) error {
	v, j, err := s.wholeJob(r.Context(), v)
	if err != nil {
		return err
	}
	x.Header()["Etag"] = []string{jobTag(v)}
	x.sendJSON(status, privately, j)
	return nil
}

// sendJSON answers with a value in JSON.
func (x *responseRecorder) sendJSON(status int, cacheControl []string, value any) {
	h := x.Header()
	h["Cache-Control"] = cacheControl
	h["Content-Type"] = jsonHeader
	x.WriteHeader(status)
	_, _ = x.Write(wire.Encode(value)) // a client that is gone needs no answer
}

// maxJobWait is the longest wait of a request for a change.
const maxJobWait = time.Minute

// getJob answers GET /v1/jobs/{id}.
func (s *Server) getJob(x *responseRecorder, r *http.Request, id jobs.ID) error {
	h := x.Header()
	h["Vary"] = append(h["Vary"], "Prefer")
	known := r.Header.Get("If-None-Match")
	wait := waitPreference(r.Header["Prefer"])
	v, err := s.waitForJob(r.Context(), id, revisionOf(known), wait)
	if err != nil {
		return err
	}
	if wait > 0 {
		h.Set("Preference-Applied", "wait="+strconv.Itoa(int(wait/time.Second)))
		_ = http.NewResponseController(x).SetWriteDeadline(time.Now().Add(s.config.WriteTimeout))
	}
	if known != "" && httpheader.MatchesETag(known, strings.TrimPrefix(jobTag(v), "W/")) {
		h["Etag"] = []string{jobTag(v)}
		h["Cache-Control"] = privately
		x.WriteHeader(http.StatusNotModified)
		return nil
	}
	return s.sendJob(x, r, v, http.StatusOK)
}

// waitForJob returns a job, after a wait if there is one to wait for.
func (s *Server) waitForJob(ctx context.Context, id jobs.ID, known uint64,
	wait time.Duration) (*queue.View, error) {
	if wait == 0 {
		return s.config.Jobs.Job(ctx, id)
	}
	waiting, cancel := s.untilDrain(ctx)
	defer cancel()
	v, err := s.config.Jobs.Wait(waiting, id, known, wait)
	if errors.Is(context.Cause(waiting), errDraining) && ctx.Err() == nil {
		return s.config.Jobs.Job(ctx, id)
	}
	return v, err
}

// revisionOf returns the revision in a header If-None-Match, 0 if there is none.
func revisionOf(ifNoneMatch string) uint64 {
	for tag := range strings.SplitSeq(ifNoneMatch, ",") {
		tag = strings.Trim(strings.TrimPrefix(strings.TrimSpace(tag), "W/"), `"`)
		if n, err := strconv.ParseUint(tag, 10, 64); err == nil {
			return n
		}
	}
	return 0
}

// waitPreference returns how long a client would wait (RFC 7240, section 4.3), no more than
// maxJobWait; 0 if it does not say.
func waitPreference(prefer []string) time.Duration {
	for _, line := range prefer {
		for preference := range strings.SplitSeq(line, ",") {
			preference, _, _ = strings.Cut(preference, ";")
			name, value, _ := strings.Cut(preference, "=")
			if !strings.EqualFold(strings.TrimSpace(name), "wait") {
				continue
			}
			n, err := strconv.Atoi(strings.Trim(strings.TrimSpace(value), `"`))
			if err == nil && n > 0 {
				return time.Duration(min(n, int(maxJobWait/time.Second))) * time.Second
			}
		}
	}
	return 0
}

// deleteJob answers DELETE /v1/jobs/{id}.
func (s *Server) deleteJob(x *responseRecorder, r *http.Request, id jobs.ID) error {
	var query wire.CancelQuery
	if p := query.Parse(r.URL.RawQuery); p != nil {
		return p
	}
	end := s.config.Jobs.Cancel
	if query.Purge {
		end = s.config.Jobs.Purge
	}
	ctx := context.WithoutCancel(r.Context()) // half of it would be done
	if err := end(ctx, id); err != nil && !errors.Is(err, queue.ErrGone) {
		return err
	}
	x.WriteHeader(http.StatusNoContent)
	return nil
}

// getJobs answers GET /v1/jobs: the jobs of a key.
func (s *Server) getJobs(x *responseRecorder, r *http.Request, who *jobClient) error {
	if !who.hasKey {
		return wire.NewProblem(wire.NotFound, noJobList)
	}
	var query wire.JobsQuery
	if p := query.Parse(r.URL.RawQuery); p != nil {
		return p
	}
	page, more, err := s.config.Jobs.List(r.Context(), who.name, jobs.State(query.State),
		jobs.ID(query.After))
	if errors.Is(err, jobs.ErrNotFound) {
		return wire.Invalid([]wire.Fault{wire.NewFault("query.after", noSuchJob.With())})
	}
	if err != nil {
		return err
	}
	answer := &wire.JobsAnswer{Jobs: []wire.Job{}}
	for _, v := range page {
		answer.Jobs = append(answer.Jobs, *newJob(v))
	}
	if more {
		answer.Next = answer.Jobs[len(answer.Jobs)-1].ID
		next := jobsPath + "?after=" + answer.Next
		if query.State != "" {
			next += "&state=" + query.State
		}
		x.Header().Set("Link", "<"+next+`>; rel="next"`)
	}
	x.sendJSON(http.StatusOK, privately, answer)
	return nil
}

// Queue returns what anybody may know of the queue of jobs.
func (s *Server) Queue(ctx context.Context) (*wire.QueueAnswer, *wire.Problem) {
	stats, err := s.config.Jobs.Stats(ctx)
	if err != nil {
		return nil, s.jobProblem(ctx, err)
	}
	a := &wire.QueueAnswer{
		Jobs: wire.JobStates{Receiving: stats.Jobs[jobs.Receiving], Queued: stats.Jobs[jobs.Queued],
			Running: stats.Jobs[jobs.Running], Done: stats.Jobs[jobs.Done],
			Failed: stats.Jobs[jobs.Failed], Cancelled: stats.Jobs[jobs.Cancelled]},
		LinesWaiting: stats.Lines, Slots: stats.Slots, SlotsBusy: stats.Busy,
		OldestMS: stats.Oldest.Milliseconds()}
	for _, n := range stats.Waiting {
		a.ItemsWaiting += n
	}
	for _, n := range stats.Workers {
		a.Workers += n
	}
	if a.WaitUnknown = string(stats.Unknown); a.WaitUnknown == "" {
		wait := stats.Wait.Milliseconds()
		a.WaitMS = &wait
	}
	return a, nil
}

// getQueue answers GET /v1/queue.
func (s *Server) getQueue(x *responseRecorder, r *http.Request, _ *jobClient) error {
	a, p := s.Queue(r.Context())
	if p != nil {
		return p
	}
	x.sendJSON(http.StatusOK, noStore, a)
	return nil
}
