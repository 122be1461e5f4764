package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// maxPageBytes is about the largest page of results, which is made in memory.
const maxPageBytes = 1 << 20

// getResults answers GET /v1/jobs/{id}/results.
func (s *Server) getResults(x *responseRecorder, r *http.Request, id jobs.ID) error {
	var query wire.ResultsQuery
	if p := query.Parse(r.URL.RawQuery); p != nil {
		return p
	}
	v, err := s.config.Jobs.Job(r.Context(), id)
	if err != nil {
		return err
	}
	x.Header()["Cache-Control"] = privately
	w := &resultsWriter{s: s, x: x, final: v.State == jobs.Done}
	w.buf = bufio.NewWriterSize(timedWriter{x, s.config.WriteTimeout}, 32<<10)
	if w.final { // then the results never change
		tag := `"` + strconv.FormatUint(v.Revision, 10) + `"`
		if httpheader.NotModified(x, r, tag) {
			return nil
		}
	}
	return w.results(r.Context(), id, &query)
}

// A resultsWriter writes the results of a job.
type resultsWriter struct {
	s     *Server
	x     *responseRecorder
	final bool // the job is done
	began bool
	buf   *bufio.Writer
}

// A timedWriter gives each piece its time.
type timedWriter struct {
	*responseRecorder
	timeout time.Duration
}

func (w timedWriter) Write(p []byte) (int, error) {
	// A test's recorder has no deadlines.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(w.timeout))
	return w.responseRecorder.Write(p)
}

// write writes text, after the header.
func (w *resultsWriter) write(text []byte) error {
	if !w.began {
		w.began = true
		w.x.Header().Set("Content-Type", ndjsonType)
		w.x.Header().Set("X-Accel-Buffering", "no") // a proxy must not collect the answers
	}
	_, err := w.buf.Write(text)
	return err
}

// flush sends what there is.
func (w *resultsWriter) flush() error {
	err := w.write(nil)
	if err == nil {
		err = w.buf.Flush()
	}
	if err != nil {
		return err
	}
	return http.NewResponseController(w.x).Flush()
}

// results answers with all results while they are read, and with follow while they are found. With
// a limit it answers with a page, which is made as a whole: the header says where the next one is.
func (w *resultsWriter) results(ctx context.Context, id jobs.ID,
	query *wire.ResultsQuery) error {
	var gone error // of the client
	asked := queue.ResultsQuery{From: query.From, Limit: query.Limit}
	if query.Limit > 0 {
		asked.Bytes = maxPageBytes
	} else if query.Follow {
		asked.Follow = true
		asked.Idle = func() error {
			gone = w.flush()
			return gone
		}
		var cancel context.CancelFunc
		ctx, cancel = w.s.untilDrain(ctx)
		defer cancel()
	}
	var page []byte
	next := max(1, query.From)
	end, err := w.s.config.Jobs.Results(ctx, id, asked, func(line []byte) error {
		if query.Limit > 0 {
			page = append(page, line...)
			return nil
		}
		if n, ok := wire.LineNumber(line); ok {
			next = n + 1
		}
		gone = w.write(line)
		return gone
	})
	switch {
	case gone != nil:
		w.x.end(gone)
	case errors.Is(context.Cause(ctx), errDraining):
		w.ending(next, wire.NewProblem(wire.ShuttingDown, wire.Ending))
	case err != nil && ctx.Err() != nil && !w.s.isEnding(ctx):
		w.x.end(ctx.Err())
	case err != nil && !w.began:
		return err
	case w.final && w.began && (err != nil || end.State != jobs.Done):
		// It must not pass for the whole, which its tag would say it is.
		if err != nil {
			w.s.jobProblem(ctx, err)
		}
		panic(http.ErrAbortHandler)
	case err != nil:
		w.ending(next, w.s.jobProblem(ctx, err))
	default:
		w.end(id, query, page, end)
	}
	return nil
}

// end ends the results with the page, if it is one, and the line that says where to go on.
func (w *resultsWriter) end(id jobs.ID, query *wire.ResultsQuery, page []byte, end queue.End) {
	h := w.x.Header()
	if end.State != jobs.Done { // some are damaged, and the job is at work again
		h.Del("Etag")
	}
	if query.Limit > 0 && (end.More || !end.State.Ended()) {
		h.Set("Link", fmt.Sprintf(`<%s/%s/results?from=%d&limit=%d>; rel="next"`, jobsPath, id,
			end.Next, query.Limit))
	}
	_ = w.write(page) // the buffer keeps the error
	if !end.More && !end.State.Ended() {
		_ = w.write(wire.Encode(&wire.ResultsProblem{Next: end.Next,
			Problem: wire.NewProblem(wire.NotFinished, linesWait, end.Next)}))
	}
	w.x.end(w.buf.Flush())
}

// ending ends the results with a problem.
func (w *resultsWriter) ending(next int, p *wire.Problem) {
	p.RequestID = w.x.id
	_ = w.write(wire.Encode(&wire.ResultsProblem{Next: next, Problem: p}))
	w.x.end(w.buf.Flush())
	w.x.ending = p.Title
}

// getResult answers GET /v1/jobs/{id}/result.
func (s *Server) getResult(x *responseRecorder, r *http.Request, id jobs.ID) error {
	return s.sendResult(x, r, id, notation.Unknown)
}

// getJobRecord answers GET /v1/jobs/{id}/record/{format}.
func (s *Server) getJobRecord(format notation.Format) handler {
	return s.withJob(func(x *responseRecorder, r *http.Request, id jobs.ID) error {
		return s.sendResult(x, r, id, format)
	})
}

// sendResult answers with the result of a job, in a notation or, for Unknown, in JSON.
func (s *Server) sendResult(x *responseRecorder, r *http.Request, id jobs.ID,
	format notation.Format) error {
	v, err := s.config.Jobs.Job(r.Context(), id)
	if err != nil {
		return err
	}
	switch {
	case v.Kind == jobs.Compose && format != notation.Unknown:
		return s.sendComposed(x, r, id, format)
	case v.Kind.HasLines():
		return wire.NewProblem(wire.NotFound, noResult)
	case v.Kind == jobs.Analysis && format != notation.Unknown:
		return wire.NewProblem(wire.NotFound, noRecord)
	case v.State == jobs.Failed && v.Failure != nil:
		return wire.KnownProblem(v.Failure.Code, v.Failure.Detail)
	case v.State == jobs.Cancelled:
		return wire.NewProblem(wire.JobFinished, jobCancelled)
	case v.State != jobs.Done:
		return wire.NewProblem(wire.NotFinished, jobState, string(v.State)).After(retryAnswer)
	}
	answer, err := s.config.Jobs.Answer(r.Context(), id)
	if err != nil {
		return err
	}
	if answer.Problem != nil {
		return answer.Problem
	}
	body := answer.AppendLine(nil)
	if format != notation.Unknown {
		if body, err = answerRecord(body, nil, format); err != nil {
			return fmt.Errorf("%w: %w", jobs.ErrDamaged, err)
		}
	}
	sendBody(x, r, body, format)
	return nil
}

// sendBody sends an answer in a notation or, for Unknown, in JSON.
func sendBody(x *responseRecorder, r *http.Request, body []byte, format notation.Format) {
	h := x.Header()
	h["Cache-Control"] = privately
	if httpheader.NotModified(x, r, httpheader.ETag(body)) {
		return
	}
	if format != notation.Unknown {
		setRecordType(h, format)
	} else {
		h["Content-Type"] = jsonHeader
	}
	_, _ = x.Write(body) // a client that is gone needs no answer
}

// composed returns the problems that a job has found so far, in their order, each once, with their
// solutions.
func (s *Server) composed(ctx context.Context, id jobs.ID) (all []shogi.Game, err error) {
	v, err := s.config.Jobs.Job(ctx, id)
	if err == nil && v.Kind != jobs.Compose {
		err = wire.NewProblem(wire.NotFound, noProblems)
	}
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	_, err = s.config.Jobs.Results(ctx, id, queue.ResultsQuery{}, func(line []byte) error {
		var part wire.ComposeAnswer
		if err := json.Unmarshal(line, &part); err != nil {
			return err
		}
		for _, one := range part.Problems {
			if known[one.Key] {
				continue
			}
			known[one.Key] = true
			g, err := shogi.ParsePosition("sfen " + one.SFEN + " moves " + strings.Join(one.Moves, " "))
			if err != nil {
				return fmt.Errorf("%w: %w", jobs.ErrDamaged, err)
			}
			all = append(all, g)
		}
		return nil
	})
	return all, err
}

// sendComposed answers with the problems that a job has found so far, as records in one file.
func (s *Server) sendComposed(x *responseRecorder, r *http.Request, id jobs.ID,
	format notation.Format) error {
	found, err := s.composed(r.Context(), id)
	if err != nil {
		return err
	}
	if len(found) > 1 && isJSON(format.MediaTypes()[0]) {
		return wire.NewProblem(wire.NotFound, oneRecord, strings.ToUpper(format.String()))
	}
	records := make([][]byte, len(found))
	for i := range found {
		g := &found[i]
		records[i] = notation.NewRecord(g.Start(), g.Moves(), notation.Mated).Append(nil, format)
	}
	between := "\n"
	if format == notation.CSA {
		between = "/\n"
	}
	sendBody(x, r, bytes.Join(records, []byte(between)), format)
	return nil
}

// answerRecord returns an answer in JSON as a record. nil is the position that the answer names.
func answerRecord(answer []byte, asked *shogi.Position, format notation.Format) ([]byte, error) {
	var a wire.Answer
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, err
	}
	if asked == nil {
		p, err := shogi.ParseSFEN(a.SFEN)
		if err != nil {
			return nil, err
		}
		asked = &p
	}
	record, err := a.Record(asked, format)
	if err != nil {
		return nil, err
	}
	return record.Append(nil, format), nil
}
