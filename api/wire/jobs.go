//go:build !board

package wire

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/shogi/sfenurl"
)

// A JobRequest asks for one problem to be solved or analysed as a job: the body of POST /v1/jobs.
type JobRequest struct {
	SFEN     string      `json:"sfen" minLength:"1"`
	Hands    string      `json:"hands,omitempty" enum:"as_given,complete"`
	Limits   JobLimits   `json:"limits,omitzero"`
	Analyze  JobAnalysis `json:"analyze,omitzero"`
	Note     string      `json:"note,omitempty"`
	Priority string      `json:"priority,omitempty" enum:"normal,low"`
}

// JobLimits say how far a job searches. What is 0 is absent.
type JobLimits struct {
	RequestLimits
	QuestionNodes uint64 `json:"question_nodes,omitempty" minimum:"1"`
	MemoryMiB     int64  `json:"memory_mib,omitempty" minimum:"1"`
}

// A JobAnalysis says what a job is to find out about a problem, as the fields of an AnalyzeRequest.
type JobAnalysis struct {
	Attacker string `json:"attacker,omitempty" enum:"black,white"`
	AnalyzeRules
	Line []string `json:"line,omitempty" maxItems:"9999"`
	AnalyzeScope
}

// A JobQuery is what the query of POST /v1/jobs says of lines or records in the body.
type JobQuery struct {
	Ask      string `json:"ask,omitempty" enum:"solve,analyze"`
	Note     string `json:"note,omitempty"`
	Priority string `json:"priority,omitempty" enum:"normal,low"`
	After    int    `json:"after,omitempty" minimum:"0"`
	Hands    string `json:"hands,omitempty" enum:"as_given,complete"`
	JobLimits
	Attacker string `json:"attacker,omitempty" enum:"black,white"`
	AnalyzeRules
	AnalyzeScope
}

// Values returns the query, for who submits a job. The note must be escaped.
func (q *JobQuery) Values() url.Values {
	values, _ := url.ParseQuery(jobQuery.EncodeQuery(q)) // all others are plain
	return values
}

// A Job is the state of a job in an answer.
type Job struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind" enum:"problem,analysis,collection,compose"`
	Ask      string    `json:"ask" enum:"solve,analyze,compose"`
	State    string    `json:"state" enum:"receiving,queued,running,done,failed,cancelled"`
	Note     string    `json:"note,omitempty"`
	Priority string    `json:"priority,omitempty" enum:"low"`
	Created  time.Time `json:"created"`
	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	Expires  time.Time `json:"expires,omitzero"`
	Lines    int       `json:"lines" minimum:"0"`
	Done     int       `json:"done" minimum:"0"`
	Counts   JobCounts `json:"counts"`
	Nodes    uint64    `json:"nodes"`
	Versions []string  `json:"versions,omitempty"`

	Compose         *JobCompose     `json:"compose,omitempty"`
	Progress        json.RawMessage `json:"progress,omitempty"`
	PositionInQueue int             `json:"position_in_queue,omitempty" minimum:"1"`
	WaitingFor      string          `json:"waiting_for,omitempty"`
	Answer          json.RawMessage `json:"answer,omitempty"`
	Problem         *Problem        `json:"problem,omitempty"`
}

// JobCounts are how many lines have their answer, by what it is.
type JobCounts struct {
	Mate    int `json:"mate" minimum:"0"`
	NoMate  int `json:"nomate" minimum:"0"`
	Unknown int `json:"unknown" minimum:"0"`
	Faulty  int `json:"faulty" minimum:"0"`
}

// A JobsAnswer is a page of the jobs of a client.
type JobsAnswer struct {
	Jobs []Job  `json:"jobs"`
	Next string `json:"next,omitempty"`
}

// A QueueAnswer is what anybody may know of the queue of jobs.
type QueueAnswer struct {
	Jobs         JobStates `json:"jobs"`
	ItemsWaiting int       `json:"items_waiting" minimum:"0"`
	LinesWaiting int       `json:"lines_waiting" minimum:"0"`
	Workers      int       `json:"workers" minimum:"0"`
	Slots        int       `json:"slots" minimum:"0"`
	SlotsBusy    int       `json:"slots_busy" minimum:"0"`
	OldestMS     int64     `json:"oldest_ms" minimum:"0"`
	WaitMS       *int64    `json:"wait_ms,omitempty" minimum:"0"`
	WaitUnknown  string    `json:"wait_unknown,omitempty" enum:"no_workers,not_measured"`
}

// JobStates are how many jobs there are in each state.
type JobStates struct {
	Receiving int `json:"receiving" minimum:"0"`
	Queued    int `json:"queued" minimum:"0"`
	Running   int `json:"running" minimum:"0"`
	Done      int `json:"done" minimum:"0"`
	Failed    int `json:"failed" minimum:"0"`
	Cancelled int `json:"cancelled" minimum:"0"`
}

// A ResultsProblem ends the results of a job that go no further.
type ResultsProblem struct {
	Next int `json:"next" minimum:"1"`
	*Problem
}

// A JobProgressEvent is what the progress of a job has besides the fields of a ProgressEvent or an
// AnalyzeProgressEvent.
type JobProgressEvent struct {
	Line int `json:"line" minimum:"1"`
	Done int `json:"done" minimum:"0"`
}

// NewJobProgress returns the progress of a job: which line is answered, how many have their answer,
// and, unless it is nil, the event that says how its search goes.
func NewJobProgress(line, done int, event json.RawMessage) json.RawMessage {
	text := append([]byte{'{'}, FieldsOf(&JobProgressEvent{line, done})...)
	if fields, err := ParseFields(event); err == nil && len(fields) > 0 {
		text = append(append(text, ','), fields...)
	}
	return append(text, '}')
}

// MaxJobNodes is the largest limits.nodes of a job: beyond it, numbers of JSON are not exact.
const MaxJobNodes = 1 << 53

// maxMemoryMiB is the largest limits.memory_mib.
const maxMemoryMiB = 256 << 10

// maxNote is how many bytes a note may have.
const maxNote = 200

// jobMaxima are the largest values of the limits of a job.
type jobMaxima struct{ *Bounds }

func (m jobMaxima) Most(name string) (most uint64, ok bool) {
	switch name {
	case "memory_mib":
		return maxMemoryMiB, true
	case "question_nodes":
		return m.Nodes, true
	}
	return m.Bounds.Most(name)
}

// A JobReader makes jobs of requests, for clients with the same bounds. Any number of goroutines
// may use it.
type JobReader struct {
	reader   *Reader // with the bounds of a problem
	service  Bounds
	limit    time.Duration
	request  *Decoder[JobRequest]
	querying *Decoder[JobQuery]
}

// NewJobReader returns a reader of jobs. limit is the largest limit of time. From b, the bounds of
// the service, it takes the largest number of plies, and the defaults of lines.
func NewJobReader(b Bounds, limit time.Duration) *JobReader {
	problem := b
	problem.Nodes, problem.Time, problem.DefaultTime = MaxJobNodes, limit, limit
	problem.Analysis = AnalysisBounds{MaxJobNodes, limit, limit}
	return &JobReader{reader: NewReader(problem), service: b, limit: limit,
		request:  NewDecoder[JobRequest]("body", jobMaxima{&problem}),
		querying: NewDecoder[JobQuery]("query", jobMaxima{&problem})}
}

// Maxima are the largest values of the limits.
func (r *JobReader) Maxima() Maxima { return jobMaxima{&r.reader.Bounds} }

// A JobQuestion is a job, understood.
type JobQuestion struct {
	Analyze bool
	Compose bool
	Note    string
	Low     bool // priority
	// MemoryMiB is what a problem wants, 0 if it does not say.
	MemoryMiB int64
	// Lines are the questions of a problem or of records, as those of a batch.
	Lines []byte
	Count int // of them
	// Defaults are what lines mean that do not say it themselves, as a query has it.
	Defaults string
}

// Job reads a job in JSON.
func (r *JobReader) Job(body []byte, q *JobQuestion) *Problem {
	var req JobRequest
	faults, problem := r.request.Decode(body, &req)
	if problem != nil {
		return problem
	}
	q.Analyze = hasKey(body, "analyze")
	q.Note, q.Low, q.MemoryMiB = req.Note, req.Priority == "low", req.Limits.MemoryMiB
	faults = append(faults, noteFaults("body.note", req.Note)...)
	limits := JobQuery{JobLimits: req.Limits}
	faults = append(faults, limits.wrongFields("body.limits.", q.Analyze)...)
	if q.Analyze {
		a := &req.Analyze
		asked := AnalyzeRequest{SFEN: req.SFEN, Attacker: a.Attacker, Hands: req.Hands,
			AnalyzeRules: a.AnalyzeRules, Line: a.Line, AnalyzeScope: a.AnalyzeScope,
			Limits: req.Limits.analyze()}
		var question AnalysisQuestion
		p := r.reader.analysis("body", &asked, faults, &question)
		if p != nil {
			for i := range p.Errors { // these fields are below analyze here
				for _, name := range []string{"attacker", "line"} {
					if rest, ok := strings.CutPrefix(p.Errors[i].Location, "body."+name); ok {
						p.Errors[i].Location = "body.analyze." + name + rest
					}
				}
			}
			return p
		}
		q.add(r.analyzeLine(&asked, &question))
		return nil
	}
	var question Question
	if p := r.reader.question("body", req.SFEN, "", req.Hands, &req.Limits.RequestLimits, faults,
		&question); p != nil {
		return p
	}
	q.add(solveLine(&SolveRequest{SFEN: req.SFEN, Hands: req.Hands, Limits: req.Limits.RequestLimits},
		&question))
	return nil
}

// add adds a question in JSON.
func (q *JobQuestion) add(line []byte) {
	q.Lines = append(q.Lines, line...)
	q.Count++
}

// solveLine returns a question with the limits that hold for it.
func solveLine(req *SolveRequest, q *Question) []byte {
	req.Limits.Nodes, req.Limits.TimeMS = q.Limits.Nodes, q.Time.Milliseconds()
	return Encode(req)
}

// analyzeLine is solveLine for a question about a problem.
func (r *JobReader) analyzeLine(req *AnalyzeRequest, q *AnalysisQuestion) []byte {
	req.Limits = AnalyzeLimits{Nodes: q.Nodes, QuestionNodes: q.QuestionNodes,
		TimeMS: q.Time.Milliseconds()}
	return Encode(req)
}

func (l *JobLimits) analyze() AnalyzeLimits {
	return AnalyzeLimits{Nodes: l.Nodes, QuestionNodes: l.QuestionNodes, TimeMS: l.TimeMS}
}

// wrongFields returns the faults of fields that are of something else than what is asked.
func (req *JobQuery) wrongFields(prefix string, analyze bool) (faults []Fault) {
	for _, f := range []struct {
		name       string
		given      bool
		ofAnalysis bool
		what       *shogi.Text
	}{
		{"plies", req.Plies > 0, false, isOfSolving},
		{"shortest", req.Shortest, false, isOfSolving},
		{"check", req.Check, false, isOfSolving},
		{"length", req.Length != "", false, isOfSolving},
		{"question_nodes", req.QuestionNodes > 0, true, isLimitOfAnalysis},
		{"attacker", req.Attacker != "", true, isOfAnalysis},
		{"policy", req.Policy != "", true, isOfAnalysis},
		{"profile", req.Profile != "", true, isOfAnalysis},
		{"parts", req.Parts != nil, true, isOfAnalysis},
		{"scope", req.Scope != "", true, isOfAnalysis},
		{"stop", req.Stop != "", true, isOfAnalysis},
		{"record", req.Record != "", true, isOfAnalysis},
	} {
		if f.given && f.ofAnalysis != analyze {
			faults = append(faults, fault(prefix+f.name, f.what))
		}
	}
	return faults
}

// noteFaults returns what is wrong with a note.
func noteFaults(location, note string) []Fault {
	switch {
	case len(note) > maxNote:
		return []Fault{fault(location, tooManyBytes, len(note), maxNote)}
	case !utf8.ValidString(note):
		return []Fault{fault(location, notUTF8)}
	}
	return nil
}

// hasKey reports whether an object in JSON has a member that is not null.
func hasKey(text []byte, key string) (has bool) {
	found := false
	_ = eachField(text, func(name, value []byte) bool { // the text is valid
		unquoted, _ := jsontext.AppendUnquote(nil, name)
		found = string(unquoted) == key
		has = found && jsontext.Value(value).Kind() != 'n'
		return !found
	})
	return has
}

// RefuseQuery returns the problem of a query that says what belongs into the JSON of a job, nil if
// it does not.
func (r *JobReader) RefuseQuery(query string) *Problem { return refuseQuery(query, r.querying.Has) }

// query reads a query into q and req. Its parameters must be of what is asked.
func (r *JobReader) query(query string, q *JobQuestion, req *JobQuery) []Fault {
	req.After = -1
	faults := r.querying.DecodeQuery(query, req)
	note, err := url.QueryUnescape(req.Note)
	if err != nil {
		faults = append(faults, fault("query.note", sfenurl.BadEscape))
	}
	faults = append(faults, noteFaults("query.note", note)...)
	q.Analyze, q.Note, q.Low = req.Ask == "analyze", note, req.Priority == "low"
	q.MemoryMiB = req.MemoryMiB
	return append(faults, req.wrongFields("query.", q.Analyze)...)
}

// analyze returns what the query says of an analysis.
func (req *JobQuery) analyze() AnalyzeRequest {
	return AnalyzeRequest{Attacker: req.Attacker, Hands: req.Hands, AnalyzeRules: req.AnalyzeRules,
		AnalyzeScope: req.AnalyzeScope, Limits: req.JobLimits.analyze()}
}

// Lines reads the query of a job whose body is lines, each as one of a batch.
func (r *JobReader) Lines(query string, q *JobQuestion) *Problem {
	var req JobQuery
	faults := r.query(query, q, &req)
	for name, given := range map[string]bool{"after": req.After >= 0,
		"memory_mib": req.MemoryMiB > 0} {
		if given {
			faults = append(faults, fault("query."+name, bodyIsLines))
		}
	}
	if len(faults) > 0 {
		return Invalid(faults)
	}
	// The defaults hold wherever the lines are answered.
	if q.Analyze {
		asked := AnalyzeRecordRequest{req.Attacker, req.Hands, req.AnalyzeRules, req.AnalyzeScope,
			req.JobLimits.analyze()}
		_, _, limit := r.service.Analysis.Apply(&asked.AnalyzeLimits)
		asked.TimeMS = min(limit, r.limit).Milliseconds()
		slices.Sort(asked.Parts) // their order means nothing, and a record has little room
		asked.Parts = slices.Compact(asked.Parts)
		q.Defaults = r.reader.analyzeRecord.EncodeQuery(&asked)
		return nil
	}
	asked := LinesRequest{Hands: req.Hands, RequestLimits: req.RequestLimits}
	_, limit := r.service.Apply(&req.RequestLimits)
	asked.Nodes, asked.TimeMS = cmp.Or(req.Nodes, r.service.Nodes), min(limit, r.limit).Milliseconds()
	q.Defaults = r.reader.lines.EncodeQuery(&asked)
	return nil
}

// A JobRecord is the position of a record, and the author's moves.
type JobRecord struct {
	Position shogi.Position
	Line     []shogi.Move
	Told     int // as that of an analysis.Question
}

// Records reads the query of a job whose body is records. find returns their positions after a
// number of moves, -1 for none given, or what is wrong with them.
func (r *JobReader) Records(query string, q *JobQuestion,
	find func(analyze bool, after int) ([]JobRecord, []Fault)) *Problem {
	var req JobQuery
	faults := r.query(query, q, &req)
	if q.Analyze && req.After >= 0 {
		faults = append(faults, fault("query.after", analysisOfStart))
	}
	records, wrong := find(q.Analyze, req.After)
	faults = append(faults, wrong...)
	if len(records) > 1 && req.MemoryMiB > 0 {
		faults = append(faults, fault("query.memory_mib", severalRecords))
	}
	for i := range records {
		if len(faults) > maxFaults {
			break
		}
		record := &records[i]
		if q.Analyze {
			faults = append(faults, r.analyzeRecord(q, record, req.analyze())...)
			continue
		}
		var question Question
		if wrong := question.SetProblem("body", record.Position); len(wrong) > 0 {
			faults = append(faults, wrong...)
			continue
		}
		question.Limits, question.Time = r.reader.Bounds.Apply(&req.RequestLimits)
		q.add(solveLine(&SolveRequest{SFEN: record.Position.SFEN(), Hands: req.Hands,
			Limits: req.RequestLimits}, &question))
	}
	if len(faults) > 0 {
		return Invalid(faults)
	}
	return nil
}

func (r *JobReader) analyzeRecord(q *JobQuestion, record *JobRecord, asked AnalyzeRequest) []Fault {
	var problem Question
	var question AnalysisQuestion
	wrong := problem.SetProblem("body", record.Position)
	if wrong = question.setProblem("query", "", &asked, &problem, wrong); len(wrong) > 0 {
		return wrong
	}
	if p := r.reader.finishAnalysis(&asked, nil, &question); p != nil {
		return p.Errors
	}
	asked.Told = record.Told
	asked.SFEN, asked.Line = record.Position.SFEN(), movetext.USILine(record.Line)
	q.add(r.analyzeLine(&asked, &question))
	return nil
}

// A ResultsQuery is the query of GET /v1/jobs/{id}/results.
type ResultsQuery struct {
	From   int  `json:"from,omitempty" minimum:"1"`
	Limit  int  `json:"limit,omitempty" minimum:"1"`
	Follow bool `json:"follow,omitempty"`
}

// A JobsQuery is the query of GET /v1/jobs.
type JobsQuery struct {
	State string `json:"state,omitempty" enum:"receiving,queued,running,done,failed,cancelled"`
	After string `json:"after,omitempty"`
}

// A CancelQuery is the query of DELETE /v1/jobs/{id}.
type CancelQuery struct {
	Purge bool `json:"purge,omitempty"`
}

// MaxResults is the largest limit of results.
const MaxResults = 10_000

// Most returns the largest value of a field of a ResultsQuery, by its name in JSON.
func (*ResultsQuery) Most(name string) (most uint64, ok bool) { return MaxResults, name == "limit" }

// Query decoders that have no bounds of a service.
var (
	resultsQuery = NewDecoder[ResultsQuery]("query", new(ResultsQuery))
	jobsQuery    = NewDecoder[JobsQuery]("query", new(ResultsQuery))
	cancelQuery  = NewDecoder[CancelQuery]("query", new(ResultsQuery))
	jobQuery     = NewDecoder[JobQuery]("query", new(ResultsQuery))
)

// Parse reads the query of GET /v1/jobs/{id}/results.
func (q *ResultsQuery) Parse(query string) *Problem { return resultsQuery.Query(query, q) }

// Parse reads the query of GET /v1/jobs.
func (q *JobsQuery) Parse(query string) *Problem { return jobsQuery.Query(query, q) }

// Parse reads the query of DELETE /v1/jobs/{id}.
func (q *CancelQuery) Parse(query string) *Problem { return cancelQuery.Query(query, q) }
