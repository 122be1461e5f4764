package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tsumero/tsumero/api/wire"
)

// apiVersion is the version of the interface, not of the program: it grows with what clients can
// rely on.
const apiVersion = "1.8.0"

// Huma makes the description of the API of the types of package wire, and nothing else: requests
// are routed by chi, and decoded and validated by package wire. The schemas and the decoders have
// the same struct tags and the same wire.Bounds, so that what one says the other does.

// description returns the description of the API.
func (s *Server) description() *huma.OpenAPI {
	api := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title:   "Tsumero",
			Version: apiVersion,
			Description: "Can the attacker force mate in a shogi position? Every mate in the " +
				"answers was replayed by a second implementation of the rules; \"nomate\" means " +
				"never, at any length; what is not proven is \"unknown\", with the reason.\n\n" +
				"Lengths count every legal move, also interpositions that only delay a mate (無駄合), unless " +
				"limits.length asks for what books print. POST /v1/analyze says whether a problem is " +
				"sound.\n\n" +
				"Verdicts never come from an evaluation. Only POST /v1/play has opinions, and says so.\n\n" +
				"Every answer has a header X-Request-Id, by which it can be found in the " +
				"service's log. An X-Request-Id of yours, of at most 128 letters, digits and " +
				"-_.:/+=~@, is logged beside it. " +
				"Whatever is no answer is a problem of RFC 9457, in application/problem+json.\n\n" +
				"Clients can be generated from this, such as by openapi-typescript with openapi-fetch, or by " +
				"oapi-codegen, whose option skip-prune keeps the types of lines and events. Bodies that are " +
				"not JSON have to be sent as they are, under their Content-Type.",
			Contact: &huma.Contact{Name: "Tsumero", URL: "https://github.com/tsumero/tsumero"},
			License: &huma.License{Name: "MIT", Identifier: "MIT"},
		},
		Servers: []*huma.Server{{URL: "/"}},
		Components: &huma.Components{Schemas: s.schemas(),
			SecuritySchemes: map[string]*huma.SecurityScheme{keyScheme: {Type: "http", Scheme: "bearer",
				Description: "An API key, if you have one: jobs are then counted under its name. Without one " +
					"a client is its address."}}},
		Security: []map[string][]string{{}}, // nothing is asked of anybody
		Tags: []*huma.Tag{
			{Name: "Solve", Description: "Can the attacker force mate?"},
			{Name: "Analyze", Description: "Is a problem sound, and why?"},
			{Name: "Play", Description: "Moves in a game, which are opinions."},
			{Name: "Read", Description: "Positions and records in any notation."},
			{Name: "Jobs", Description: "Work that does not fit a request."},
			{Name: "Pictures", Description: "Diagrams of positions."},
			{Name: "Service", Description: "What may be asked, and how the service is."},
			{Name: "Pages", Description: "What people see, and what other sites embed."},
		},
	}
	for _, e := range s.endpoints() {
		op := e.describe()
		op.Method, op.Path = e.method, e.path
		if isJobs(e.path) {
			op.Security = []map[string][]string{{}, {keyScheme: {}}}
		}
		api.AddOperation(op)
	}
	for _, op := range s.otherOperations() {
		api.AddOperation(op)
	}
	return api
}

// keyScheme is the name of the way in which API keys are sent.
const keyScheme = "key"

// schemas returns the schemas of what goes in and out.
func (s *Server) schemas() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	r.RegisterTypeAlias(reflect.TypeFor[wire.ID](), reflect.TypeFor[idSchema]())
	for _, t := range []reflect.Type{
		reflect.TypeFor[wire.SolveRequest](), reflect.TypeFor[wire.Answer](),
		reflect.TypeFor[wire.BatchRequest](), reflect.TypeFor[wire.ProgressEvent](),
		reflect.TypeFor[wire.MovesRequest](), reflect.TypeFor[wire.MovesAnswer](),
		reflect.TypeFor[wire.ReadRequest](), reflect.TypeFor[wire.ReadAnswer](),
		reflect.TypeFor[wire.LimitsAnswer](), reflect.TypeFor[wire.Problem](),
		reflect.TypeFor[wire.AnalyzeRequest](), reflect.TypeFor[wire.AnalyzeBatchRequest](),
		reflect.TypeFor[wire.AnalyzeAnswer](), reflect.TypeFor[wire.AnalyzeProgressEvent](),
		reflect.TypeFor[wire.FactEvent](), reflect.TypeFor[wire.PlayRequest](),
		reflect.TypeFor[wire.PlayAnswer](), reflect.TypeFor[wire.JobRequest](),
		reflect.TypeFor[wire.Job](), reflect.TypeFor[wire.JobsAnswer](),
		reflect.TypeFor[wire.QueueAnswer](), reflect.TypeFor[wire.JobProgressEvent](),
		reflect.TypeFor[wire.ResultLine](),
	} {
		r.Schema(t, true, "")
	}
	all := r.Map()
	for name, schema := range all {
		for field, property := range schema.Properties {
			property.Description = wire.Text(name, field)
			property.Nullable = false // huma says that arrays may be null; they are absent
			switch name {
			case "RequestLimits":
				bound(property, &s.requests.Bounds, field)
			case "AnalyzeLimits":
				bound(property, &s.requests.Bounds.Analysis, field)
			case "PlayRequest", "PlayRules", "PlayLimits":
				bound(property, &s.requests.Bounds.Play, field)
			}
		}
	}
	jobMaxima := s.jobReader().Maxima()
	for field, property := range all["JobLimits"].Properties {
		bound(property, jobMaxima, field)
	}
	nodes, questionNodes, limit := s.requests.Bounds.Analysis.Apply(new(wire.AnalyzeLimits))
	analyzeLimits := all["AnalyzeLimits"].Properties
	setDefault(analyzeLimits["nodes"], nodes)
	setDefault(analyzeLimits["question_nodes"], questionNodes)
	setDefault(analyzeLimits["time_ms"], limit.Milliseconds())
	all["PlayRequest"].Properties["level"].Enum = s.levelEnum()
	setDefault(all["PlayLimits"].Properties["nodes"], s.requests.Bounds.Play.DefaultNodes)
	all["FactEvent"].Properties["value"] = &huma.Schema{
		Description: wire.Text("FactEvent", "value")} // anything
	setDefault(all["RequestLimits"].Properties["time_ms"], s.config.DefaultTime.Milliseconds())
	id := all["BatchRequest"].Properties["id"]
	all["BatchAnswer"] = extended(all["Answer"], map[string]*huma.Schema{"id": id})
	all["AnalyzeBatchAnswer"] = extended(all["AnalyzeAnswer"], map[string]*huma.Schema{"id": id})
	all["BatchProblem"] = extended(all["Problem"], map[string]*huma.Schema{"id": id,
		"line": {Type: huma.TypeInteger, Minimum: ptr(1.0),
			Description: wire.Text("BatchProblem", "line")}})
	all["JobProgressEvent"] = extended(all["ProgressEvent"], all["JobProgressEvent"].Properties)
	all["Job"].Properties["progress"] = &huma.Schema{Ref: schemaRef("JobProgressEvent").Ref,
		Description: wire.Text("Job", "progress")}
	all["Job"].Properties["answer"] = &huma.Schema{Description: wire.Text("Job", "answer"),
		OneOf: []*huma.Schema{schemaRef("Answer"), schemaRef("AnalyzeAnswer"), schemaRef("Problem")}}
	line := all["ResultLine"].Properties
	delete(all, "ResultLine")
	all["ResultAnswer"] = extended(all["Answer"], line)
	all["ResultProblem"] = extended(all["Problem"], line)
	all["ResultsProblem"] = extended(all["Problem"], map[string]*huma.Schema{"next": {
		Type: huma.TypeInteger, Minimum: ptr(1.0), Description: wire.Text("ResultsProblem", "next")}})
	all["JKF"] = jkfSchema
	all["RecordAnswer"].Properties["jkf"] = &huma.Schema{Ref: schemaRef("JKF").Ref,
		Description: wire.Text("RecordAnswer", "jkf")}
	return r
}

// setDefault says in words what a field of a request is if it is absent. The word default of a
// schema would make it a required property in clients that openapi-typescript generates.
func setDefault(property *huma.Schema, value any) {
	property.Description += fmt.Sprintf(" Default: %v.", value)
}

// An idSchema describes a wire.ID to huma.
type idSchema string

// Schema returns the schema of an id.
func (idSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}}}
}

// bound says what the largest value of a limit is.
func bound(schema *huma.Schema, maxima wire.Maxima, field string) {
	if most, ok := maxima.Most(field); ok {
		schema.Maximum = ptr(float64(most))
	}
}

// parameters describes the fields of a request as parameters of the query.
func (s *Server) parameters(t reflect.Type, maxima wire.Maxima) (all []*huma.Param) {
	none := huma.NewMapRegistry("", huma.DefaultSchemaNamer) // for objects, which cannot be in a query
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		schema := huma.SchemaFromField(none, f, "")
		schema.Description = wire.Text(t.Name(), name)
		bound(schema, maxima, name)
		all = append(all, &huma.Param{Name: name, In: "query", Explode: ptr(false), Schema: schema,
			Description: schema.Description})
	}
	return all
}

// tagsParameter describes the header If-None-Match.
func tagsParameter(doc string) *huma.Param {
	return &huma.Param{Name: "If-None-Match", In: "header", Description: doc,
		Schema: &huma.Schema{Type: huma.TypeString, Description: doc}}
}

// extended returns the schema of an object with more properties.
func extended(s *huma.Schema, more map[string]*huma.Schema) *huma.Schema {
	e := *s
	e.Properties = maps.Clone(s.Properties)
	maps.Copy(e.Properties, more)
	return &e
}

// streamSchema describes a text that is a sequence of objects of schemas: lines of JSON, or events. The
// schemas are named for readers and for those generators that look at contentSchema.
func streamSchema(doc string, schemas ...string) *huma.Schema {
	object := schemaRef(schemas[0])
	if len(schemas) > 1 {
		object = &huma.Schema{}
		for _, name := range schemas {
			object.AnyOf = append(object.AnyOf, schemaRef(name))
		}
	}
	return &huma.Schema{Type: huma.TypeString, Description: doc,
		Extensions: map[string]any{"contentMediaType": jsonType, "contentSchema": object}}
}

func schemaRef(name string) *huma.Schema {
	return &huma.Schema{Ref: "#/components/schemas/" + name}
}

func header(doc, example string) *huma.Param {
	return &huma.Param{Description: doc, Schema: &huma.Schema{Type: huma.TypeString}, Example: example}
}

// answerResponse describes the 200 of a single question.
func answerResponse(examples map[string]*huma.Example,
	headers map[string]*huma.Param) *huma.Response {
	return &huma.Response{
		Description: "The verdict, whatever it is.",
		Content: map[string]*huma.MediaType{
			jsonType: {Schema: schemaRef("Answer"), Examples: examples}},
		Headers: headers,
	}
}

// problemResponses describes the errors of an operation.
func problemResponses(operation string, all ...*wire.Kind) map[string]*huma.Response {
	responses := map[string]*huma.Response{}
	for _, k := range all {
		name := strconv.Itoa(k.Status)
		r := responses[name]
		if r == nil {
			r = &huma.Response{Content: map[string]*huma.MediaType{wire.ProblemType: {
				Schema: schemaRef("Problem"), Examples: answers(operation, k.Status)}}}
			responses[name] = r
		} else {
			r.Description += " "
		}
		r.Description += k.Title + ": " + k.TypeURI() + "."
		switch k {
		case wire.RateLimited, wire.Overloaded, wire.QuotaExceeded, wire.JobsUnavailable, wire.StoreFull:
			if r.Headers == nil {
				r.Headers = map[string]*huma.Param{}
			}
			r.Headers["Retry-After"] = header("Seconds after which the next request is accepted, as far "+
				"as can be known.", "1")
		}
		if k == wire.RateLimited {
			r.Headers["RateLimit"] = header("How many requests may be sent now (r), and in how many "+
				"seconds that is more (t). Every answer that counts has it.", `"default";r=0;t=1`)
			r.Headers["RateLimit-Policy"] = header("How many requests may be sent (q) in so many seconds "+
				"(w), as draft-ietf-httpapi-ratelimit-headers has it.", `"default";q=600;w=60`)
		}
	}
	return responses
}

// solveProblems are the errors of questions in a body.
var solveProblems = []*wire.Kind{wire.BadJSON, wire.BadBody, wire.BodyTimeout, wire.TooLarge,
	wire.UnsupportedMediaType, wire.InvalidQuestion, wire.RateLimited, wire.InternalError,
	wire.NotOffered, wire.Overloaded}

func (s *Server) postOperation() *huma.Operation {
	responses := problemResponses("solve", solveProblems...)
	responses["200"] = answerResponse(examplesOf("solve", (*example).isPlain, (*example).answer), nil)
	return s.solveOperation(&huma.Operation{
		OperationID: "solve",
		Summary:     "Solve a position",
		Description: "Says whether the attacker can force mate. " + s.questionText() + " " +
			"With the media type of a notation in Accept, the answer is a record as that of POST " +
			"/v1/solve/record/{format}, and with \"Accept: text/event-stream\" it is a stream as that of " +
			"POST /v1/solve/events. " +
			"A client that goes away ends the search, unless others ask the same.",
		Responses: responses,
	})
}

// solveOperation completes an operation that takes what POST /v1/solve takes.
func (s *Server) solveOperation(op *huma.Operation) *huma.Operation {
	body := recordContent("solve")
	body[jsonType] = &huma.MediaType{Schema: schemaRef("SolveRequest"), Examples: questions("solve")}
	op.RequestBody = &huma.RequestBody{Required: true, Content: body}
	op.Parameters = append(op.Parameters,
		s.parameters(reflect.TypeFor[wire.RecordRequest](), &s.requests.Bounds)...)
	op.Tags = []string{"Solve"}
	return op
}

// questionText says what is a question in a body.
func (s *Server) questionText() string {
	return fmt.Sprintf("The body may have %d bytes. "+
		"It is a JSON question, or a record in another notation under its own Content-Type: KIF "+
		"(BOD too), KI2, CSA, JKF or SFEN, or text/plain in any of them, in UTF-8, Shift_JIS or "+
		"EUC-JP. "+
		"What is solved is the position the record begins with, or the one after so many moves; "+
		"limits are then parameters of the query. Faults of a record have a line and a column.",
		s.config.MaxBodyBytes)
}

func (s *Server) getOperation() *huma.Operation {
	responses := problemResponses("solveLink", wire.URITooLong, wire.InvalidQuestion,
		wire.RateLimited, wire.InternalError, wire.NotOffered, wire.Overloaded)
	responses["200"] = answerResponse(answers("solveLink", http.StatusOK), map[string]*huma.Param{
		"Server-Timing": header("How long the search took, in milliseconds, or that the answer was "+
			"in the cache.", "search;dur=0.042"),
		"ETag": header("Of a proven verdict that time did not cut short: changes if a "+
			"single byte of the answer does.", `"q0Z3…"`),
		"Cache-Control": header("\"public, max-age=31536000, immutable\" for a proven verdict, "+
			"\"no-store\" for unknown, and for a mate whose search the time ended.", "no-store"),
	})
	responses["304"] = &huma.Response{Description: "You have the answer: its ETag was in " +
		"If-None-Match."}
	parameters := append(
		s.parameters(reflect.TypeFor[wire.LinkRequest](), &s.requests.Bounds),
		tagsParameter("The ETag of an answer you have. If it is still the answer, which for a proven "+
			"verdict it is, you get a 304 and no body."))
	parameters[0].Required = true
	parameters[0].Examples = examplesOf("solveLink",
		func(e *example) bool { return e.Status == http.StatusOK }, (*example).sfen)
	return &huma.Operation{
		OperationID: "solveLink",
		Parameters:  parameters,
		Summary:     "Solve a position by a link",
		Description: "The same for links and caches. The answer is the same bytes every time, so " +
			"that it has no elapsed_us. A proven verdict may be kept for ever, unless time ended the " +
			"search: reason says so. Parameters that are not listed, or come twice, are faults.",
		Tags:      []string{"Solve"},
		Responses: responses,
	}
}

func (s *Server) movesOperation() *huma.Operation {
	responses := problemResponses("moves", wire.BadJSON, wire.BadBody, wire.BodyTimeout,
		wire.TooLarge, wire.UnsupportedMediaType, wire.InvalidQuestion, wire.RateLimited,
		wire.InternalError, wire.Overloaded)
	responses["200"] = &huma.Response{
		Description: "The verdict on each move, whatever it is.",
		Content: map[string]*huma.MediaType{jsonType: {
			Schema: schemaRef("MovesAnswer"), Examples: answers("moves", http.StatusOK)}},
	}
	return &huma.Operation{
		OperationID: "moves",
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			jsonType: {Schema: schemaRef("MovesRequest"), Examples: questions("moves")}}},
		Summary: "Judge every move",
		Description: fmt.Sprintf("Says of every legal check, or, if the defender is to move, of "+
			"every legal reply, whether there is a forced mate if it is played, how long it takes, and "+
			"how it goes on: "+
			"with the mate, or with a refutation of the check. It is made for boards that answer a "+
			"reader's move. "+
			"The limits are those of one question: the position gets half of nodes and time, and its "+
			"moves share the rest; a move that its share leaves undecided says why. The body may have "+
			"%d bytes.", s.config.MaxBodyBytes),
		Tags:      []string{"Solve"},
		Responses: responses,
	}
}

func (s *Server) movesLinkOperation() *huma.Operation {
	responses := problemResponses("movesLink", wire.URITooLong, wire.InvalidQuestion,
		wire.RateLimited, wire.InternalError, wire.Overloaded)
	responses["200"] = &huma.Response{
		Description: "The verdict on each move, whatever it is.",
		Content: map[string]*huma.MediaType{jsonType: {
			Schema: schemaRef("MovesAnswer"), Examples: answers("movesLink", http.StatusOK)}},
		Headers: map[string]*huma.Param{
			"Server-Timing": header("How long the searches took, in milliseconds, or that the answer "+
				"was in the cache.", "search;dur=1.042"),
			"ETag": header("Of an answer that leaves no move open and that time did not cut short: "+
				"changes if a single byte of it does.", `"q0Z3…"`),
			"Cache-Control": header("\"public, max-age=31536000, immutable\" for such an answer, "+
				"\"no-store\" for others.", "no-store"),
		},
	}
	responses["304"] = &huma.Response{Description: "You have the answer: its ETag was in " +
		"If-None-Match."}
	parameters := append(
		s.parameters(reflect.TypeFor[wire.MovesLinkRequest](), &s.requests.Bounds),
		tagsParameter("The ETag of an answer you have. If it is still the answer, you get a 304 and "+
			"no body."))
	parameters[0].Required = true
	parameters[0].Examples = examplesOf("movesLink",
		func(e *example) bool { return e.Status == http.StatusOK }, (*example).sfen)
	return &huma.Operation{
		OperationID: "movesLink",
		Parameters:  parameters,
		Summary:     "Judge every move by a link",
		Description: "The same for links and caches. The answer is the same bytes every time, unless " +
			"time ended the searches, so that it has no elapsed_us. It may be kept for ever if each move " +
			"is decided, or settled by the others. Parameters that are not listed, or come twice, are " +
			"faults.",
		Tags:      []string{"Solve"},
		Responses: responses,
	}
}

// duplexParameter describes the header X-Full-Duplex of batches.
var duplexParameter = func() *huma.Param {
	p := jobParameter("header", "X-Full-Duplex", "\"no\" if the client cannot read while it sends, as "+
		"clients in browsers and those of fetch cannot.")
	p.Schema.Enum = []any{"no"}
	return p
}()

func (s *Server) batchOperation() *huma.Operation {
	responses := problemResponses("solveBatch", wire.BadBody, wire.BodyTimeout, wire.TooLarge,
		wire.UnsupportedMediaType, wire.RateLimited, wire.InternalError, wire.Overloaded)
	responses["200"] = &huma.Response{
		Description: "A line for each line, in their order: an answer with the line's id, or a " +
			"problem with its id and number. Answers come as soon as they are known; read them while " +
			"you send.",
		Content: map[string]*huma.MediaType{ndjsonType: {
			Schema: streamSchema("One JSON object a line: BatchAnswer or BatchProblem.",
				"BatchAnswer", "BatchProblem"),
			Examples: answers("solveBatch", http.StatusOK),
		}},
	}
	return &huma.Operation{
		OperationID: "solveBatch",
		Parameters:  []*huma.Param{duplexParameter},
		Summary:     "Solve many positions",
		Description: fmt.Sprintf("Takes JSON lines (NDJSON) and answers each with a line, in the "+
			"same order, while the stream goes on. "+
			"A line that is too long (%d bytes) or has faults is answered by a problem object, and the "+
			"next is read. Empty lines are skipped. "+
			"You have to read the answers while you send: the service reads no faster than you do, so a "+
			"client that sends everything before it reads anything comes to a standstill once the "+
			"buffers are full, and is cut off after %v. "+
			"Each line must arrive within %v, and the whole may take %v; then the stream is "+
			"ended as well. If the service ends a stream and you read, the last line is a "+
			"problem that says why. "+
			"A client or proxy that cannot send and read at the same time says so with the "+
			"header \"X-Full-Duplex: no\": then the whole batch, of at most %d bytes, is read "+
			"before it is answered; with HTTP/1.0 that is always so. "+
			"A client may have %d batches at once. Lines count against its rate, and so does "+
			"the time of their searches; beyond it they are answered more slowly.",
			s.config.MaxBodyBytes, s.config.WriteTimeout, s.config.BodyTimeout, s.config.BatchTime,
			maxWholeBatch, s.config.MaxBatchesEach),
		Tags: []string{"Solve"},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{ndjsonType: {
			Schema:   streamSchema("One JSON object a line: BatchRequest.", "BatchRequest"),
			Examples: questions("solveBatch"),
		}}},
		Responses: responses,
	}
}

func ptr[T any](v T) *T { return &v }
