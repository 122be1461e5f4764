package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"github.com/tsumero/tsumero/api/wire"
)

// Some paths answer in the media type that the header Accept asks for. That is more than generated
// clients understand, whose answers have one type for each path. So each type but JSON has a path
// of its own as well, and the description has the first path with JSON alone.

// recordFormats are the notations in which an answer can be asked for by a path.
var recordFormats = []string{"kif", "ki2", "csa", "jkf", "sfen"}

// recordType returns the media type of answers in a notation. ok is false if there is none.
func recordType(format string) (mediaType string, ok bool) {
	if !slices.Contains(recordFormats, format) {
		return "", false
	}
	if format == "jkf" {
		return "application/x-jkf+json", true
	}
	return "application/x-" + format, true
}

// asEvents makes a handler answer with events.
func asEvents(next handler) handler {
	return func(x *responseRecorder, r *http.Request) *wire.Problem {
		r.Header.Set("Accept", eventStreamType)
		return next(x, r)
	}
}

// asRecord makes a handler answer with a record in the notation that the path names.
func asRecord(next handler) handler {
	return func(x *responseRecorder, r *http.Request) *wire.Problem {
		format := chi.URLParam(r, "format")
		mediaType, ok := recordType(format)
		if !ok {
			return wire.NewProblem(wire.NotFound, "Answers have no format "+strconv.Quote(wire.Clip(format))+
				", but "+strings.Join(recordFormats, ", ")+".")
		}
		r.Header.Set("Accept", mediaType)
		return next(x, r)
	}
}

var formatParameter = &huma.Param{Name: "format", In: "path", Required: true,
	Description: "The notation of the answer.",
	Schema: &huma.Schema{Type: huma.TypeString, Description: "The notation of the answer.",
		Enum: []any{"kif", "ki2", "csa", "jkf", "sfen"}}}

// recordResponse describes an answer that is a record.
func recordResponse(operation string) *huma.Response {
	content := map[string]*huma.MediaType{}
	for _, format := range recordFormats {
		name, _ := recordType(format)
		schema := &huma.Schema{Type: huma.TypeString,
			Description: "A record in " + strings.ToUpper(format) + ", in UTF-8."}
		if format == "jkf" {
			schema = schemaRef("JKF")
		}
		content[name] = &huma.MediaType{Schema: schema,
			Examples: examplesOf(operation, func(e *example) bool {
				return e.Status == http.StatusOK && strings.HasSuffix(e.Path, "/"+format)
			}, (*example).answer)}
	}
	return &huma.Response{Description: "The position and the line of the mate. A comment says in Japanese " +
		"how sure the length is; without a mate there is no move, and the end says 不詰 or 中断.",
		Content: content}
}

// eventsResponse describes an answer that is a stream of events with objects of schemas.
func eventsResponse(operation, doc string, schemas ...string) *huma.Response {
	return &huma.Response{Description: "The events.", Content: map[string]*huma.MediaType{
		eventStreamType: {
			Schema:   streamSchema("Server-Sent Events: "+doc, schemas...),
			Examples: examplesOf(operation, func(e *example) bool { return e.Status == http.StatusOK }, (*example).answer),
		}}}
}

func (s *Server) solveEventsOperation() *huma.Operation {
	responses := problemResponses("solveEvents", solveProblems...)
	responses["200"] = eventsResponse("solveEvents", "any number of \"progress\" with a ProgressEvent, then "+
		"one \"answer\" with an Answer or one \"problem\" with a Problem.", "ProgressEvent", "Answer", "Problem")
	return s.solveOperation(&huma.Operation{
		OperationID: "solveEvents",
		Summary:     "Solve a position, and see how it goes",
		Description: fmt.Sprintf("Takes what POST /v1/solve takes. The answer is a stream of Server-Sent "+
			"Events: an event \"progress\" about every %v while the search waits or runs, "+
			"none if it is over at once, then exactly one \"answer\" with what would be the body "+
			"otherwise, or one \"problem\", and the stream ends. "+
			"A client that goes away ends the search, unless others ask the same. A request that is "+
			"refused before it is searched gets its problem as always, with its status and no events.",
			eventEvery),
		Responses: responses,
	})
}

func (s *Server) solveRecordOperation() *huma.Operation {
	responses := problemResponses("solveRecord", append([]*wire.Kind{wire.NotFound}, solveProblems...)...)
	responses["200"] = recordResponse("solveRecord")
	return s.solveOperation(&huma.Operation{
		OperationID: "solveRecord",
		Parameters:  []*huma.Param{formatParameter},
		Summary:     "Solve a position, and get a record",
		Description: "Takes what POST /v1/solve takes, and answers with a record that programs for kifu " +
			"can open: the position, and the line of the mate.",
		Responses: responses,
	})
}

func (s *Server) analyzeEventsOperation() *huma.Operation {
	responses := problemResponses("analyzeEvents", analysisProblems...)
	responses["200"] = eventsResponse("analyzeEvents", "any number of \"progress\" with an "+
		"AnalyzeProgressEvent and \"fact\" with a FactEvent, then one \"answer\" with an AnalyzeAnswer or "+
		"one \"problem\" with a Problem.", "AnalyzeProgressEvent", "FactEvent", "AnalyzeAnswer", "Problem")
	return s.analysisOperation(&huma.Operation{
		OperationID: "analyzeEvents",
		Summary:     "Is a problem sound? See how it goes",
		Description: fmt.Sprintf("Takes what POST /v1/analyze takes. The answer is a stream of Server-Sent "+
			"Events: about every %v an event \"progress\" and a \"fact\" for everything that was found out "+
			"since the last, then exactly one \"answer\" with what would be the body otherwise, or one "+
			"\"problem\".", eventEvery),
		Responses: responses,
	})
}

func (s *Server) jobEventsOperation() *huma.Operation {
	responses := problemResponses("jobEvents", jobKinds(wire.JobNotFound, wire.JobGone)...)
	responses["200"] = eventsResponse("jobEvents", "\"state\" with a Job, \"progress\" with a "+
		"JobProgressEvent, and last \"answer\" with an Answer or AnalyzeAnswer, or \"end\" with a Job, or "+
		"\"problem\" with a Problem.", "Job", "JobProgressEvent", "Answer", "AnalyzeAnswer", "Problem")
	responses["204"] = &huma.Response{Description: "The job has ended, and Last-Event-ID is that of its " +
		"last event: there are no more."}
	return &huma.Operation{
		OperationID: "jobEvents",
		Parameters: []*huma.Param{jobIDParameter,
			jobParameter("header", "Last-Event-ID", "The id of the last event that you got.")},
		Summary: "How a job goes, as it goes",
		Description: "A stream of Server-Sent Events: \"state\" whenever the job changes, \"progress\" up to " +
			"four times a second, and at the end \"answer\" or \"end\". The id of an event is the revision of " +
			"the job, of the last one with \".end\" behind it. Events are the state, not a log of it: whoever " +
			"reconnects gets the present.",
		Tags:      []string{"Jobs"},
		Responses: responses,
	}
}

func (s *Server) jobRecordOperation() *huma.Operation {
	responses := problemResponses("jobRecord", jobKinds(resultProblems...)...)
	responses["200"] = recordResponse("jobRecord")
	responses["304"] = &huma.Response{Description: "You have the answer: its ETag was in If-None-Match."}
	return &huma.Operation{
		OperationID: "jobRecord",
		Parameters:  []*huma.Param{jobIDParameter, formatParameter, tagsParameter("The ETag of an answer you have.")},
		Summary:     "The answer to a problem as a record",
		Description: "Answers with the position and the line of the mate, in a notation that programs for " +
			"kifu can open. The report of an analysis is no record: GET /v1/jobs/{id}/result has it.",
		Tags:      []string{"Jobs"},
		Responses: responses,
	}
}
