package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi/notation"
)

// jobBody are the bodies of POST /v1/jobs. text/plain is a record, as for POST /v1/solve.
var jobBody = &bodyTypes{questionTypes + ", " + ndjsonType,
	"JSON, lines of JSON, or a record under one of the types in the header Accept",
	func(mediaType string) bool { return isQuestion(mediaType) || isJobLines(mediaType) }}

// isJobLines reports whether a body of the type is lines.
func isJobLines(mediaType string) bool { return isNDJSON(mediaType) && !isRecord(mediaType) }

// postJob answers POST /v1/jobs.
func (s *Server) postJob(x *responseRecorder, r *http.Request, who *jobClient) error {
	if p := jobBody.check(x, r); p != nil {
		return p
	}
	mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if isJobLines(mediaType) {
		return s.acceptJob(x, r, who, s.submitLines, &s.batches)
	}
	return s.acceptJob(x, r, who, s.submitWhole, nil)
}

// postCompose answers POST /v1/jobs/compose.
func (s *Server) postCompose(x *responseRecorder, r *http.Request, who *jobClient) error {
	if p := jsonBody.check(x, r); p != nil {
		return p
	}
	return s.acceptJob(x, r, who, s.submitCompose, nil)
}

// acceptJob answers with the job that a request asks for. Unless slots is nil, it takes one.
func (s *Server) acceptJob(x *responseRecorder, r *http.Request, who *jobClient, read submitter,
	slots *batchLimiter) error {
	key, p := idempotencyKey(r)
	if p != nil {
		return p
	}
	v, replayed, err := s.submitJob(x, r, who, key, read, slots)
	// The body may have taken as long as an answer may take otherwise.
	_ = http.NewResponseController(x).SetWriteDeadline(time.Now().Add(s.config.WriteTimeout))
	if err != nil {
		return err
	}
	x.Header().Set("Location", jobsPath+"/"+string(v.ID))
	if replayed {
		x.Header().Set("Idempotent-Replayed", "true")
	}
	return s.sendJob(x, r, v, http.StatusAccepted)
}

// A submitter reads what a request asks for into a submission, which has the client already.
type submitter func(x *responseRecorder, r *http.Request, sub *queue.Submission) *wire.Problem

// submitJob submits the job that a request asks for. replayed says that the client had it before,
// under the key.
func (s *Server) submitJob(x *responseRecorder, r *http.Request, who *jobClient, key string,
	read submitter, slots *batchLimiter) (v *queue.View, replayed bool, err error) {
	if key != "" {
		unlock, p := s.lockKey(r.Context(), x, jobKey{who.name, key})
		if p != nil {
			return nil, false, p
		}
		defer unlock()
	}
	if slots != nil {
		if !slots.acquire(x.client) {
			s.metrics.refused.WithLabelValues(refusedBatch).Inc()
			return nil, false, wire.NewProblem(wire.Overloaded, collectionSlots).After(batchRetry)
		}
		defer slots.release(x.client)
	}
	sub := &queue.Submission{Client: who.name, Class: who.class, Key: key,
		Longest: s.config.MaxBodyBytes}
	if p := read(x, r, sub); p != nil {
		return nil, false, p
	}
	// A client that is gone comes again with its key, and the job is there.
	ctx := context.WithoutCancel(r.Context())
	if v, replayed, err = s.config.Jobs.Submit(ctx, sub); err != nil {
		return nil, false, err
	}
	x.job = v.ID.Short()
	if !replayed {
		s.metrics.jobAccepted(v.Kind)
	}
	return v, replayed, nil
}

// submitCompose makes a submission of a search for problems.
func (s *Server) submitCompose(x *responseRecorder, r *http.Request,
	sub *queue.Submission) *wire.Problem {
	reader := s.jobReaders[sub.Class]
	if p := reader.RefuseQuery(r.URL.RawQuery); p != nil {
		return p
	}
	buf := new(bytes.Buffer)
	if p := receive(x, r, buf, int64(s.config.MaxBodyBytes)); p != nil {
		return p
	}
	var q wire.JobQuestion
	if p := reader.Compose(buf.Bytes(), &q); p != nil {
		return p
	}
	fill(sub, &q, jobs.Compose)
	return nil
}

// maxIdempotencyKey is the longest idempotency key.
const maxIdempotencyKey = 255

// idempotencyKey returns the header, "" if there is none.
func idempotencyKey(r *http.Request) (string, *wire.Problem) {
	values, ok := r.Header["Idempotency-Key"]
	if !ok {
		return "", nil
	}
	unprintable := func(c rune) bool { return c < ' ' || c > '~' }
	if len(values) != 1 || values[0] == "" || len(values[0]) > maxIdempotencyKey ||
		strings.ContainsFunc(values[0], unprintable) {
		return "", wire.Invalid([]wire.Fault{wire.NewFault("header.Idempotency-Key",
			badKey.With(maxIdempotencyKey))})
	}
	return values[0], nil
}

// submitLines makes a submission of a body of lines, which are read while they are stored.
func (s *Server) submitLines(x *responseRecorder, r *http.Request,
	sub *queue.Submission) *wire.Problem {
	var q wire.JobQuestion
	if p := s.jobReaders[sub.Class].Lines(r.URL.RawQuery, &q); p != nil {
		return p
	}
	fill(sub, &q, jobs.Collection)
	body := newJobReader(x, r.Body, s.config.BodyTimeout, s.config.BatchTime)
	sub.Lines = body
	sub.Failed = func(err error) error {
		p := bodyProblem(err, int64(s.config.MaxBodyBytes))
		if !time.Now().Before(body.ends) {
			p.Detail = fmt.Sprintf("The body has taken %v, which is as long as one may.",
				s.config.BatchTime)
		}
		return p
	}
	ctx := context.WithoutCancel(r.Context())
	sub.Check = func(_ int, line []byte) error {
		x.lines++
		return x.client.waitForLine(ctx, len(line)) // as a line of a batch, it waits
	}
	return nil
}

// submitWhole makes a submission of a body that is read first: one problem, or records.
func (s *Server) submitWhole(x *responseRecorder, r *http.Request,
	sub *queue.Submission) *wire.Problem {
	opts, isRecord := recordOptions(r.Header.Get("Content-Type"))
	limit := int64(s.config.MaxBodyBytes)
	if isRecord {
		limit = max(limit, maxWholeBatch)
	}
	buf := new(bytes.Buffer)
	if p := receive(x, r, buf, limit); p != nil {
		return p
	}
	reader := s.jobReaders[sub.Class]
	if !isRecord || buf.Len() == 0 {
		if p := reader.RefuseQuery(r.URL.RawQuery); p != nil {
			return p
		}
		return s.submitProblem(buf.Bytes(), sub)
	}
	var q wire.JobQuestion
	p := reader.Records(r.URL.RawQuery, &q, func(analyze bool, after int) (
		[]wire.JobRecord, []wire.Fault) {
		return readRecords(buf.Bytes(), opts, analyze, after)
	})
	if p != nil {
		return p
	}
	fill(sub, &q, jobs.Problem)
	return nil
}

// submitProblem makes a submission of one problem in JSON.
func (s *Server) submitProblem(body []byte, sub *queue.Submission) *wire.Problem {
	var q wire.JobQuestion
	if p := s.jobReaders[sub.Class].Job(body, &q); p != nil {
		return p
	}
	fill(sub, &q, jobs.Problem)
	return nil
}

// fill says of a submission what is asked. The questions of a collection are in its body.
func fill(sub *queue.Submission, q *wire.JobQuestion, kind jobs.Kind) {
	sub.Kind, sub.Ask, sub.Note, sub.Defaults = kind, jobs.AskSolve, q.Note, q.Defaults
	sub.Memory = jobs.MemoryClass(q.MemoryMiB << 20) // the reader bounds it by the largest class
	sub.Lines = bytes.NewReader(q.Lines)
	sub.Longest = max(sub.Longest, len(q.Lines)) // with its limits a question may be longer
	switch {
	case q.Analyze:
		sub.Ask = jobs.AskAnalyze
	case q.Compose:
		sub.Ask = jobs.AskCompose
	}
	switch {
	case kind != jobs.Problem:
	case q.Count > 1:
		sub.Kind = jobs.Collection
	case q.Analyze:
		sub.Kind = jobs.Analysis
	}
	if q.Low {
		sub.Priority = -1
	}
}

// readRecords returns the positions of all records of a body.
func readRecords(body []byte, opts notation.Options, analyze bool, after int) (
	found []wire.JobRecord, faults []wire.Fault) {
	records, faults := parseRecords(body, opts)
	if len(faults) > 0 {
		return nil, faults
	}
	for _, record := range records {
		if analyze {
			if f := record.Unread(); f != nil { // the answer of a line has no notes
				return nil, wire.RecordFaults("body", &notation.Error{Format: record.Format, Faults: []notation.Fault{*f}})
			}
			found = append(found, wire.JobRecord{Position: record.Start, Line: record.Moves(), Told: record.Plies})
			continue
		}
		p, faults := positionOf(record, after)
		if len(faults) > 0 {
			return nil, faults
		}
		found = append(found, wire.JobRecord{Position: p})
	}
	return found, nil
}

// parseRecords reads all records of a body.
func parseRecords(body []byte, opts notation.Options) (all []*notation.Record,
	faults []wire.Fault) {
	for record, err := range notation.Records(bytes.NewReader(body), opts) {
		if err != nil {
			faults = append(faults, wire.RecordFaults("body", err)...)
		} else {
			all = append(all, record)
		}
		if len(faults) > maxRecordFaults {
			break
		}
	}
	if len(all) == 0 && len(faults) == 0 && len(bytes.TrimSpace(body)) > 0 { // comments alone
		_, err := notation.ParseAll(body, opts)
		faults = wire.RecordFaults("body", err)
	}
	return all, faults
}

// maxRecordFaults is how many faults are reported at most.
const maxRecordFaults = 64

// A jobReader reads a body of lines, each of which must come within a time, and all of them.
type jobReader struct {
	x        *responseRecorder
	body     io.Reader
	timeout  time.Duration
	ends     time.Time
	deadline time.Time // of the line
	left     time.Time // when Read returned last
}

func newJobReader(x *responseRecorder, body io.Reader, timeout, limit time.Duration) *jobReader {
	now := time.Now()
	return &jobReader{x: x, body: body, timeout: timeout, ends: now.Add(limit),
		deadline: now.Add(timeout), left: now}
}

func (r *jobReader) Read(p []byte) (int, error) {
	// What passed since was not the client's: its lines were stored, or waited for its rate.
	r.deadline = r.deadline.Add(time.Since(r.left))
	deadline := r.deadline
	if r.ends.Before(deadline) {
		deadline = r.ends
	}
	r.x.setReadDeadline(deadline)
	n, err := r.body.Read(p)
	r.left = time.Now()
	switch {
	case errors.Is(err, io.EOF):
		// A deadline would end the request, which still has to be answered.
		r.x.unread = false
		r.x.setReadDeadline(time.Time{})
	case bytes.IndexByte(p[:n], '\n') >= 0:
		r.deadline = r.left.Add(r.timeout)
	}
	return n, err
}
