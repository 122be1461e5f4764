package httpapi

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
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

// maxPageBytes is about the largest page of results, which is made in memory.
const maxPageBytes = 1 << 20

// getResults answers GET /v1/jobs/{id}/results.
func (s *Server) getResults(x *responseRecorder, r *http.Request, _ *jobClient) *wire.Problem {
	id, p := jobID(x, chi.URLParam(r, "id"))
	if p != nil {
		return p
	}
	var query wire.ResultsQuery
	if p := query.Parse(r.URL.RawQuery); p != nil {
		return p
	}
	v, err := s.config.Jobs.Job(r.Context(), id)
	if err != nil {
		return s.jobProblem(r.Context(), err)
	}
	h := x.Header()
	h["Cache-Control"] = privately
	w := &resultsWriter{s: s, x: x, id: id, query: query, out: x,
		control: http.NewResponseController(x), final: v.State == jobs.Done}
	if w.final { // then the results never change
		w.zipped = accepts(r.Header.Get("Accept-Encoding"), "gzip")
		tag := `"` + strconv.FormatUint(v.Revision, 10) + `"`
		if w.zipped {
			tag = tag[:len(tag)-1] + `-gzip"`
		}
		h["Etag"] = []string{tag}
		if httpheader.MatchesETag(r.Header.Get("If-None-Match"), tag) {
			x.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	if query.Limit > 0 {
		return w.page(r.Context())
	}
	return w.stream(r.Context())
}

// accepts reports whether a header Accept-Encoding allows a coding by its name.
func accepts(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			q, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
			weight, err := strconv.ParseFloat(q, 64)
			return !ok || err == nil && weight > 0
		}
	}
	return false
}

// A resultsWriter writes the results of a job.
type resultsWriter struct {
	s       *Server
	x       *responseRecorder
	id      jobs.ID
	query   wire.ResultsQuery
	control *http.ResponseController
	final   bool // the job is done
	zipped  bool
	began   bool

	out io.Writer
	zip *gzip.Writer
	buf *bufio.Writer
}

// begin sends the header.
func (w *resultsWriter) begin() {
	h := w.x.Header()
	h.Set("Content-Type", ndjsonType)
	h.Set("X-Accel-Buffering", "no") // a proxy in between must not collect the answers
	if w.zipped {
		h.Set("Content-Encoding", "gzip")
		w.zip = gzip.NewWriter(w.x)
		w.out = w.zip
	}
	w.buf = bufio.NewWriterSize(timedWriter{w}, 32<<10)
	w.began = true
}

// A timedWriter gives each piece its time.
type timedWriter struct{ *resultsWriter }

func (w timedWriter) Write(p []byte) (int, error) {
	// A test's recorder has no deadlines.
	_ = w.control.SetWriteDeadline(time.Now().Add(w.s.config.WriteTimeout))
	return w.out.Write(p)
}

// flush sends what there is.
func (w *resultsWriter) flush() error {
	if err := w.buf.Flush(); err != nil {
		return err
	}
	return w.control.Flush()
}

// finish writes the last line, if there is one to be written, and ends the answer.
func (w *resultsWriter) finish(end queue.End) error {
	if !end.More && !end.State.Ended() {
		_, _ = w.buf.Write(wire.Encode(&wire.ResultsProblem{Next: end.Next, Problem: wire.NewProblem(
			wire.NotFinished, linesWait, end.Next)}))
	}
	return w.close()
}

func (w *resultsWriter) close() error {
	err := w.buf.Flush()
	if w.zip != nil {
		err = errors.Join(err, w.zip.Close())
	}
	return err
}

// page answers with a page, which is made as a whole: the header says where the next one is.
func (w *resultsWriter) page(ctx context.Context) *wire.Problem {
	var lines bytes.Buffer
	end, err := w.s.config.Jobs.Results(ctx, w.id, queue.ResultsQuery{From: w.query.From,
		Limit: w.query.Limit, Bytes: maxPageBytes}, func(line []byte) error {
		lines.Write(line)
		return nil
	})
	if err != nil {
		return w.s.jobProblem(ctx, err)
	}
	if end.State != jobs.Done {
		w.untag()
	}
	if end.More || !end.State.Ended() {
		w.x.Header().Set("Link", fmt.Sprintf(`<%s/%s/results?from=%d&limit=%d>; rel="next"`, jobsPath,
			w.id, end.Next, w.query.Limit))
	}
	w.begin()
	_, _ = w.buf.Write(lines.Bytes())
	w.x.end(w.finish(end))
	return nil
}

// stream answers with all results while they are read, and with follow while they are found.
func (w *resultsWriter) stream(ctx context.Context) *wire.Problem {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.s.drains, func() {
		if w.query.Follow {
			cancel(errDraining)
		}
	})()
	next := max(1, w.query.From)
	var gone error // of the client
	end, err := w.s.config.Jobs.Results(ctx, w.id, queue.ResultsQuery{From: w.query.From,
		Follow: w.query.Follow, Idle: func() error {
			if !w.began {
				w.begin()
			}
			gone = w.flush()
			return gone
		}}, func(line []byte) error {
		if !w.began {
			w.begin()
		}
		_, gone = w.buf.Write(line)
		if n, ok := wire.LineNumber(line); ok {
			next = n + 1
		}
		return gone
	})
	switch {
	case gone != nil:
		w.x.end(gone)
		return nil
	case errors.Is(context.Cause(ctx), errDraining):
		w.ending(next, wire.NewProblem(wire.ShuttingDown, wire.Ending))
		return nil
	case err != nil && ctx.Err() != nil && !w.s.isEnding(ctx):
		w.x.end(ctx.Err())
		return nil
	case err != nil && !w.began:
		return w.s.jobProblem(ctx, err)
	case err != nil && w.final:
		// It must not pass for the whole, which its tag would say it is.
		w.s.jobProblem(ctx, err)
		panic(http.ErrAbortHandler)
	case err != nil:
		w.ending(next, w.s.jobProblem(ctx, err))
		return nil
	}
	switch {
	case w.final && w.began && end.State != jobs.Done: // for want of answers that were there
		panic(http.ErrAbortHandler)
	case end.State != jobs.Done:
		w.untag()
	}
	if !w.began {
		w.begin()
	}
	w.x.end(w.finish(end))
	return nil
}

// untag takes back, before anything is sent, that the results never change: some are damaged, and the
// job is at work again.
func (w *resultsWriter) untag() {
	w.final = false
	w.x.Header().Del("Etag")
}

// ending ends the results with a problem.
func (w *resultsWriter) ending(next int, p *wire.Problem) {
	if !w.began {
		w.begin()
	}
	p.RequestID = w.x.id
	_, _ = w.buf.Write(wire.Encode(&wire.ResultsProblem{Next: next, Problem: p}))
	w.x.end(w.close())
	w.x.ending = p.Title
}

// getResult answers GET /v1/jobs/{id}/result, and /v1/jobs/{id}/record/{format}.
func (s *Server) getResult(x *responseRecorder, r *http.Request, _ *jobClient) *wire.Problem {
	id, p := jobID(x, chi.URLParam(r, "id"))
	if p != nil {
		return p
	}
	v, err := s.config.Jobs.Job(r.Context(), id)
	if err != nil {
		return s.jobProblem(r.Context(), err)
	}
	switch {
	case v.Kind.HasLines():
		return wire.NewProblem(wire.NotFound, noResult)
	case v.Kind == jobs.Analysis && chi.URLParam(r, "format") != "":
		return wire.NewProblem(wire.NotFound, noRecord)
	case v.State == jobs.Failed && v.Failure != nil:
		return wire.KnownProblem(v.Failure.Code, v.Failure.Detail)
	case v.State == jobs.Cancelled:
		return wire.NewProblem(wire.JobFinished, jobCancelled)
	case v.State != jobs.Done:
		p := wire.NewProblem(wire.NotFinished, jobState, string(v.State))
		p.RetryAfter = retryAnswer
		return p
	}
	answer, err := s.config.Jobs.Answer(r.Context(), id)
	if err != nil {
		return s.jobProblem(r.Context(), err)
	}
	if answer.Problem != nil {
		return answer.Problem
	}
	contentType, body := jsonType, answer.AppendLine(nil)
	accepted := answerType(r.Header.Get("Accept"))
	if v.Kind == jobs.Problem && writesRecord(accepted) {
		body, err = answerRecord(body, accepted)
		if err != nil {
			return s.jobProblem(r.Context(), fmt.Errorf("%w: %w", jobs.ErrDamaged, err))
		}
		if contentType = accepted; !isJSON(contentType) {
			contentType += "; charset=utf-8"
		}
	}
	h := x.Header()
	h["Vary"] = append(h["Vary"], "Accept")
	h["Cache-Control"] = privately
	tag := httpheader.ETag(body)
	h["Etag"] = []string{tag}
	if httpheader.MatchesETag(r.Header.Get("If-None-Match"), tag) {
		x.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", contentType)
	_, _ = x.Write(body) // a client that is gone needs no answer
	return nil
}

// answerRecord returns an answer in JSON as a record of the type.
func answerRecord(answer []byte, mediaType string) ([]byte, error) {
	var a wire.Answer
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, err
	}
	p, err := shogi.ParseSFEN(a.SFEN)
	if err != nil {
		return nil, err
	}
	record, err := a.Record(&p)
	if err != nil {
		return nil, err
	}
	return record.Append(nil, recordTypes[mediaType]), nil
}
