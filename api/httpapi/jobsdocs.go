package httpapi

import (
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tsumero/tsumero/api/wire"
)

// jobKinds are the errors that every request about jobs may get.
func jobKinds(more ...*wire.Kind) []*wire.Kind {
	return append([]*wire.Kind{wire.UnknownKey, wire.JobsOff, wire.RateLimited, wire.InternalError,
		wire.JobsUnavailable}, more...)
}

// jobParameter describes a parameter in a path or a header.
func jobParameter(in, name, doc string) *huma.Param {
	return &huma.Param{Name: name, In: in, Required: in == "path", Description: doc,
		Schema: &huma.Schema{Type: huma.TypeString, Description: doc}}
}

var jobIDParameter = jobParameter("path", "id", "The id of the job.")

// jobContent describes a job as an answer.
func jobContent(operation string, status int) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{jsonType: {Schema: schemaRef("Job"),
		Examples: examplesOf(operation, func(e *example) bool {
			return e.Status == status && !e.isStream()
		}, (*example).answer)}}
}

var jobTagHeader = header("The revision of the job, weak: progress has none.", `W/"42"`)

func (s *Server) postJobOperation() *huma.Operation {
	responses := problemResponses("submitJob", jobKinds(wire.BadJSON, wire.BadBody, wire.BodyTimeout,
		wire.TooLarge, wire.UnsupportedMediaType, wire.InvalidQuestion, wire.IdempotencyMismatch,
		wire.QuotaExceeded, wire.Overloaded, wire.StoreFull)...)
	responses["202"] = &huma.Response{
		Description: "The job is accepted, and survives everything from now on.",
		Content:     jobContent("submitJob", http.StatusAccepted),
		Headers: map[string]*huma.Param{
			"Location": header("Where the job is.", "/v1/jobs/ge3dsmjrgy3tkmjvge3dsmjrgy"),
			"ETag":     jobTagHeader,
			"Idempotent-Replayed": header("\"true\" if the job was accepted before, under the same key.",
				"true"),
		},
	}
	body := recordContent("submitJob")
	body[jsonType] = &huma.MediaType{Schema: schemaRef("JobRequest"), Examples: questions("submitJob")}
	body[ndjsonType] = &huma.MediaType{
		Schema: streamSchema("One JSON object a line: BatchRequest, or AnalyzeBatchRequest with ask=analyze.",
			"BatchRequest", "AnalyzeBatchRequest"),
		Examples: examplesOf("submitJob", func(e *example) bool {
			return e.contentType() == ndjsonType && e.Status == http.StatusAccepted
		}, (*example).body),
	}
	reader := s.jobReader()
	return &huma.Operation{
		OperationID: "submitJob",
		Parameters: append(s.parameters(reflect.TypeFor[wire.JobQuery](), reader.Maxima()),
			jobParameter("header", "Idempotency-Key", "1 to 255 printable characters of your own. "+
				"The same body under the same key is one job, however often it is sent: so a request "+
				"whose answer was lost can be sent again.")),
		RequestBody: &huma.RequestBody{Required: true, Content: body},
		Summary:     "Submit a job",
		Description: fmt.Sprintf("Takes work that does not fit a request: a problem for minutes to "+
			"hours, or a collection of up to millions of lines. Everything else goes to POST /v1/solve "+
			"and its batch. "+
			"The body is one problem in JSON (%d bytes at most), which is analysed if it has analyze; or "+
			"lines of JSON as of POST /v1/solve/batch or, with ask=analyze, of POST /v1/analyze/batch; or a "+
			"record in another notation as POST /v1/solve takes it (%d bytes at most). Several records in "+
			"one body are a collection: in CSA, and in SFEN one a line. "+
			"Lines are stored while they arrive. A line that has faults is not refused: its result says "+
			"so. Each line must arrive within %v, and the whole may take %v. What breaks off can be sent "+
			"again with the same Idempotency-Key. "+
			"No address is ever fetched: send the text itself. "+
			"The answer is the same, byte by byte, that GET /v1/solve gives with the same limits. "+
			"GET /v1/limits says how much a client may have.",
			s.config.MaxBodyBytes, max(s.config.MaxBodyBytes, maxWholeBatch), s.config.BodyTimeout,
			s.config.BatchTime),
		Tags:      []string{"Jobs"},
		Responses: responses,
	}
}

func (s *Server) getJobOperation() *huma.Operation {
	responses := problemResponses("job", jobKinds(wire.JobNotFound, wire.JobGone)...)
	content := jobContent("job", http.StatusOK)
	responses["200"] = &huma.Response{Description: "The job.", Content: content,
		Headers: map[string]*huma.Param{
			"ETag":               jobTagHeader,
			"Preference-Applied": header("For how long this would have waited.", "wait=30"),
		}}
	responses["304"] = &huma.Response{Description: "The job is as you know it: its ETag was in " +
		"If-None-Match."}
	return &huma.Operation{
		OperationID: "job",
		Parameters: []*huma.Param{jobIDParameter,
			jobParameter("header", "If-None-Match", "The ETag of the job as you know it."),
			jobParameter("header", "Prefer", fmt.Sprintf("\"wait=30\": answer when the state changes, or "+
				"after so many seconds, %.0f at most.", maxJobWait.Seconds()))},
		Summary: "How a job goes",
		Description: "Says how a job goes and, once a problem is done, its answer. " +
			"With If-None-Match and \"Prefer: wait=30\" the request waits until the state changes. " +
			"With \"Accept: text/event-stream\" the answer is a stream as that of GET " +
			"/v1/jobs/{id}/events. " +
			"A job is forgotten some time after its end, and then a 410 for a week; after a restart of the " +
			"service a 404 at once.",
		Tags:      []string{"Jobs"},
		Responses: responses,
	}
}

func (s *Server) deleteJobOperation() *huma.Operation {
	responses := problemResponses("cancelJob", jobKinds(wire.JobNotFound, wire.JobFinished,
		wire.InvalidQuestion)...)
	responses["204"] = &huma.Response{Description: "The job is cancelled or, with purge, forgotten."}
	return &huma.Operation{
		OperationID: "cancelJob",
		Parameters: append([]*huma.Param{jobIDParameter},
			s.parameters(reflect.TypeFor[wire.CancelQuery](), new(wire.ResultsQuery))...),
		Summary: "Cancel a job",
		Description: "Ends a job that has not ended. What it was answered can be read until it is " +
			"forgotten. Doing it again is no error.",
		Tags:      []string{"Jobs"},
		Responses: responses,
	}
}

func (s *Server) resultsOperation() *huma.Operation {
	responses := problemResponses("jobResults", jobKinds(wire.JobNotFound, wire.JobGone,
		wire.InvalidQuestion)...)
	responses["200"] = &huma.Response{
		Description: "The results, in the order of the body: an answer for each line, or a problem, with " +
			"the number and the id of the line. The last line may be a ResultsProblem of the type " +
			"/problems/not_finished, which says where to go on.",
		Content: map[string]*huma.MediaType{ndjsonType: {
			Schema: streamSchema("One JSON object a line: ResultAnswer, ResultProblem or ResultsProblem.",
				"ResultAnswer", "ResultProblem", "ResultsProblem"),
			Examples: answers("jobResults", http.StatusOK),
		}},
		Headers: map[string]*huma.Param{
			"Link": header("The next page, if there are more lines.",
				`</v1/jobs/ge3dsmjrgy3tkmjvge3dsmjrgy/results?from=101&limit=100>; rel="next"`),
			"ETag": header("Of a job that is done.", `"42"`),
		},
	}
	responses["304"] = &huma.Response{Description: "You have the results: their ETag was in " +
		"If-None-Match."}
	return &huma.Operation{
		OperationID: "jobResults",
		Parameters: append(append([]*huma.Param{jobIDParameter},
			s.parameters(reflect.TypeFor[wire.ResultsQuery](), new(wire.ResultsQuery))...),
			tagsParameter("The ETag of the results of a job that is done.")),
		Summary: "The results of a job",
		Description: "Answers with the results as lines of JSON, in the order of the body, up to the " +
			"first line that has none yet. With limit they come in pages, and the header Link has the next " +
			"one. With follow=true the request waits for those that are missing until the job has ended. Of " +
			"a job that was cancelled or has failed, lines without a result are left out. Of a job that is " +
			"done the results never change, and are compressed if you accept gzip.",
		Tags:      []string{"Jobs"},
		Responses: responses,
	}
}

// resultProblems are the errors of questions for the answer to a problem.
var resultProblems = []*wire.Kind{wire.NotFound, wire.JobNotFound, wire.NotFinished,
	wire.JobFinished, wire.JobGone, wire.UploadIncomplete}

func (s *Server) resultOperation() *huma.Operation {
	responses := problemResponses("jobResult", jobKinds(resultProblems...)...)
	responses["200"] = &huma.Response{Description: "The answer.", Content: map[string]*huma.MediaType{
		jsonType: {Schema: &huma.Schema{OneOf: []*huma.Schema{schemaRef("Answer"),
			schemaRef("AnalyzeAnswer")}},
			Examples: examplesOf("jobResult", (*example).isPlain, (*example).answer)}}}
	responses["304"] = &huma.Response{Description: "You have the answer: its ETag was in " +
		"If-None-Match."}
	return &huma.Operation{
		OperationID: "jobResult",
		Parameters: []*huma.Param{jobIDParameter,
			tagsParameter("The ETag of an answer you have.")},
		Summary: "The answer to a problem",
		Description: "Answers as GET /v1/solve or GET /v1/analyze does, or with a record as GET " +
			"/v1/jobs/{id}/record/{format} does if Accept has its type. If the problem could not be answered, the answer is the problem that " +
			"there is in its place.",
		Tags:      []string{"Jobs"},
		Responses: responses,
	}
}

func (s *Server) getJobsOperation() *huma.Operation {
	responses := problemResponses("jobs", jobKinds(wire.NotFound, wire.InvalidQuestion)...)
	responses["200"] = &huma.Response{
		Description: "The jobs, the latest first.",
		Content: map[string]*huma.MediaType{jsonType: {Schema: schemaRef("JobsAnswer"),
			Examples: answers("jobs", http.StatusOK)}},
		Headers: map[string]*huma.Param{"Link": header("The next page, if there is one.",
			`</v1/jobs?after=ge3dsmjrgy3tkmjvge3dsmjrgy>; rel="next"`)},
	}
	return &huma.Operation{
		OperationID: "jobs",
		Parameters:  s.parameters(reflect.TypeFor[wire.JobsQuery](), new(wire.ResultsQuery)),
		Summary:     "The jobs of a key",
		Description: "Lists the jobs of an API key, 100 a page, without their answers. Without a key there " +
			"is no list.",
		Tags:      []string{"Jobs"},
		Responses: responses,
	}
}

func (s *Server) queueOperation() *huma.Operation {
	responses := problemResponses("queue", jobKinds()...)
	responses["200"] = &huma.Response{
		Description: "How much there is to do, and who does it.",
		Content: map[string]*huma.MediaType{jsonType: {Schema: schemaRef("QueueAnswer"),
			Examples: answers("queue", http.StatusOK)}},
	}
	return &huma.Operation{
		OperationID: "queue",
		Summary:     "How busy the service is with jobs",
		Description: "Says what anybody may know of the queue. It names no job.",
		Tags:        []string{"Jobs"},
		Responses:   responses,
	}
}
