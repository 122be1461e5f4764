package httpapi

import (
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tsumero/tsumero/api/wire"
)

// analysisProblems are the errors of questions about problems in a body.
var analysisProblems = []*wire.Kind{wire.BadJSON, wire.BadBody, wire.BodyTimeout, wire.TooLarge,
	wire.UnsupportedMediaType, wire.InvalidQuestion, wire.RateLimited, wire.InternalError,
	wire.NotOffered, wire.Overloaded}

func (s *Server) analyzeOperation() *huma.Operation {
	responses := problemResponses("analyze", analysisProblems...)
	responses["200"] = &huma.Response{
		Description: "The report, whatever it says.",
		Content: map[string]*huma.MediaType{
			jsonType: {Schema: schemaRef("AnalyzeAnswer"),
				Examples: examplesOf("analyze", (*example).isPlain, (*example).answer)}},
	}
	return s.analysisOperation(&huma.Operation{
		OperationID: "analyze",
		Summary:     "Is a problem sound?",
		Description: fmt.Sprintf("Says what authors and editors ask about a mate problem: how long it "+
			"is with futile interpositions left out, whether the attacker has other mates (余詰), what "+
			"the defender's other replies come to (変化), whether pieces are left over (駒余り), and "+
			"whether it is sound under the rules of a profile. What is not decided within the limits "+
			"is said to be unknown: a problem is called sound only if every question behind that is "+
			"decided. "+
			"The body may have %d bytes. It is a JSON question, or a record as POST /v1/solve takes "+
			"them: the problem is the position it begins with, and its moves are the author's line. "+
			"With \"Accept: text/event-stream\" the answer is a stream as that of POST "+
			"/v1/analyze/events. "+
			"Analyses have places of their own, fewer than searches have. A client that goes away "+
			"ends its analysis, unless others ask the same. A service with little memory does not "+
			"offer them: GET /v1/limits says so.", s.config.MaxBodyBytes),
		Responses: responses,
	})
}

// analysisOperation completes an operation that takes what POST /v1/analyze takes.
func (s *Server) analysisOperation(op *huma.Operation) *huma.Operation {
	body := recordContent("analyze")
	body[jsonType] = &huma.MediaType{Schema: schemaRef("AnalyzeRequest"),
		Examples: questions("analyze")}
	op.RequestBody = &huma.RequestBody{Required: true, Content: body}
	op.Parameters = s.parameters(reflect.TypeFor[wire.AnalyzeRecordRequest](),
		&s.requests.Bounds.Analysis)
	op.Tags = []string{"Analyze"}
	return op
}

func (s *Server) analyzeLinkOperation() *huma.Operation {
	responses := problemResponses("analyzeLink", wire.URITooLong, wire.InvalidQuestion,
		wire.RateLimited, wire.InternalError, wire.NotOffered, wire.Overloaded)
	responses["200"] = &huma.Response{
		Description: "The report, whatever it says.",
		Content: map[string]*huma.MediaType{jsonType: {Schema: schemaRef("AnalyzeAnswer"),
			Examples: answers("analyzeLink", http.StatusOK)}},
		Headers: map[string]*huma.Param{
			"Server-Timing": header("How long the analysis took, in milliseconds, or that the answer "+
				"was in the cache.", "search;dur=142.042"),
			"ETag": header("Of a report with nothing left open that time did not cut short: changes if a "+
				"single byte of it does.", `"q0Z3…"`),
			"Cache-Control": header("\"public, max-age=31536000, immutable\" for such a report, "+
				"\"no-store\" for others.", "no-store"),
		},
	}
	responses["304"] = &huma.Response{Description: "You have the report: its ETag was in " +
		"If-None-Match."}
	parameters := append(s.parameters(reflect.TypeFor[wire.AnalyzeLinkRequest](),
		&s.requests.Bounds.Analysis), tagsParameter("The ETag of a report you have. If it is still the "+
		"report, you get a 304 and no body."))
	parameters[0].Required = true
	parameters[0].Examples = examplesOf("analyzeLink",
		func(e *example) bool { return e.Status == http.StatusOK }, (*example).sfen)
	return &huma.Operation{
		OperationID: "analyzeLink",
		Parameters:  parameters,
		Summary:     "Is a problem sound? By a link",
		Description: "The same for links and caches. The report is the same bytes every time, unless " +
			"time ended it, so that it has no elapsed_us. Parameters that are not listed, or come twice, " +
			"are faults.",
		Tags:      []string{"Analyze"},
		Responses: responses,
	}
}

func (s *Server) analyzeBatchOperation() *huma.Operation {
	responses := problemResponses("analyzeBatch", wire.BadBody, wire.BodyTimeout, wire.TooLarge,
		wire.UnsupportedMediaType, wire.RateLimited, wire.InternalError, wire.NotOffered,
		wire.Overloaded)
	responses["200"] = &huma.Response{
		Description: "A line for each line, in their order: a report with the line's id, or a " +
			"problem with its id and number.",
		Content: map[string]*huma.MediaType{ndjsonType: {
			Schema: streamSchema("One JSON object a line: AnalyzeBatchAnswer or BatchProblem.",
				"AnalyzeBatchAnswer", "BatchProblem"),
			Examples: answers("analyzeBatch", http.StatusOK),
		}},
	}
	return &huma.Operation{
		OperationID: "analyzeBatch",
		Parameters:  []*huma.Param{duplexParameter},
		Summary:     "Are many problems sound?",
		Description: "Takes JSON lines (NDJSON) and answers each with a line, in the same order, while " +
			"the stream goes on. All that is said of POST /v1/solve/batch holds here too, and batches of " +
			"both kinds are counted together.",
		Tags: []string{"Analyze"},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{ndjsonType: {
			Schema:   streamSchema("One JSON object a line: AnalyzeBatchRequest.", "AnalyzeBatchRequest"),
			Examples: questions("analyzeBatch"),
		}}},
		Responses: responses,
	}
}
