package wire

import (
	"fmt"
	"slices"
	"time"

	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// An AnalyzeRequest asks whether a problem is sound, and why: the body of POST /v1/analyze.
type AnalyzeRequest struct {
	SFEN     string `json:"sfen" minLength:"1"`
	Attacker string `json:"attacker,omitempty" enum:"black,white"`
	Hands    string `json:"hands,omitempty" enum:"as_given,complete"`
	AnalyzeRules
	Line []string `json:"line,omitempty" maxItems:"9999"`
	Told int      `json:"told,omitempty" minimum:"1"`
	AnalyzeScope
	Limits AnalyzeLimits `json:"limits,omitzero"`
}

// AnalyzeRules are the rules that a problem is judged by.
type AnalyzeRules struct {
	Policy  string `json:"policy,omitempty" enum:"F0,F1,F2,F3"`
	Profile string `json:"profile,omitempty" enum:"strict,magazine,app"`
}

// AnalyzeScope says what is looked at in a problem, and what is written of it.
type AnalyzeScope struct {
	Parts  []string `json:"parts,omitempty" maxItems:"64" enum:"lengths,all_lengths,attack,defence,duals,tries,side_mates,economy,difficulty,certificate,themes"`
	Scope  string   `json:"scope,omitempty" enum:"few,main,equal"`
	Stop   string   `json:"stop,omitempty" enum:"settled,all,first"`
	Record string   `json:"record,omitempty" enum:"ja,en"`
}

// An AnalyzeBatchRequest is a line of POST /v1/analyze/batch.
type AnalyzeBatchRequest struct {
	ID ID `json:"id,omitempty"`
	AnalyzeRequest
}

// An AnalyzeRecordRequest is what the query of POST /v1/analyze says of a record in the body.
type AnalyzeRecordRequest struct {
	Attacker string `json:"attacker,omitempty" enum:"black,white"`
	Hands    string `json:"hands,omitempty" enum:"as_given,complete"`
	AnalyzeRules
	AnalyzeScope
	AnalyzeLimits
}

// An AnalyzeLinkRequest is an AnalyzeRequest in the query of GET /v1/analyze.
type AnalyzeLinkRequest struct {
	SFEN string   `json:"sfen"`
	Line []string `json:"line,omitempty" maxItems:"9999"`
	AnalyzeRecordRequest
}

// request returns r as a request in JSON.
func (r *AnalyzeRecordRequest) request() *AnalyzeRequest {
	return &AnalyzeRequest{Attacker: r.Attacker, Hands: r.Hands, AnalyzeRules: r.AnalyzeRules,
		AnalyzeScope: r.AnalyzeScope, Limits: r.AnalyzeLimits}
}

// AnalyzeLimits say how far to look. What is 0 is absent.
type AnalyzeLimits struct {
	Nodes         uint64 `json:"nodes,omitempty" minimum:"1"`
	QuestionNodes uint64 `json:"question_nodes,omitempty" minimum:"1"`
	TimeMS        int64  `json:"time_ms,omitempty" minimum:"1"`
}

// AnalysisBounds are the largest values that a service takes for AnalyzeLimits, and the default of
// the time. The defaults of the nodes are those of package analysis, or the largest value if that
// is less.
type AnalysisBounds struct {
	Nodes       uint64
	Time        time.Duration // whole milliseconds
	DefaultTime time.Duration
}

// Most returns the largest value of a field of AnalyzeLimits, by its name in JSON. ok is false if
// it has none.
func (b *AnalysisBounds) Most(name string) (most uint64, ok bool) {
	switch name {
	case "nodes", "question_nodes":
		return b.Nodes, true
	case "time_ms":
		return uint64(b.Time.Milliseconds()), true
	}
	return 0, false
}

// Apply returns what valid limits mean to an analysis, and the time it may take. Without a limit of a
// question, questionNodes is 0 as package analysis has it.
func (b *AnalysisBounds) Apply(l *AnalyzeLimits) (
	nodes, questionNodes uint64, limit time.Duration) {
	nodes = min(analysis.DefaultNodes, b.Nodes)
	if l.Nodes > 0 {
		nodes = l.Nodes
	}
	questionNodes = min(l.QuestionNodes, nodes)
	if l.TimeMS > 0 {
		return nodes, questionNodes, time.Duration(l.TimeMS) * time.Millisecond
	}
	return nodes, questionNodes, b.DefaultTime
}

// Defaults returns what limits that say nothing mean, as Apply does; questionNodes are those of the
// questions that are not among the last few.
func (b *AnalysisBounds) Defaults() (nodes, questionNodes uint64, limit time.Duration) {
	nodes, _, limit = b.Apply(new(AnalyzeLimits))
	return nodes, min(analysis.DefaultQuestionNodes, nodes), limit
}

// partNames are the names of the parts of an analysis. The lengths under no policy and under the
// one asked for are always there.
var partNames = []partName{
	{"lengths", 0}, {"all_lengths", analysis.AllLengths},
	{"attack", analysis.Attack}, {"defence", analysis.Defence},
	{"duals", analysis.Duals}, {"tries", analysis.Tries}, {"side_mates", analysis.SideMates},
	{"economy", analysis.Economy}, {"difficulty", analysis.Difficulty}, {"certificate", analysis.Certified},
	{"themes", analysis.Themes},
}

type partName struct {
	name string
	part analysis.Part
}

// PartNames returns the names of the parts.
func PartNames() []string {
	var names []string
	for _, p := range partNames {
		names = append(names, p.name)
	}
	return names
}

// NamesOf returns the names of parts.
func NamesOf(parts analysis.Part) (names []string) {
	for _, p := range partNames {
		if parts&p.part != 0 {
			names = append(names, p.name)
		}
	}
	return names
}

// PartsOf returns the parts of these names, the usual ones if there are none. Names that are of no
// part are left out.
func PartsOf(names []string) (parts analysis.Part) {
	if len(names) == 0 {
		return analysis.DefaultParts
	}
	if !slices.ContainsFunc(partNames, func(p partName) bool {
		return p.part != 0 && slices.Contains(names, p.name)
	}) {
		return analysis.AllLengths // to package analysis, nothing is the usual parts
	}
	for _, p := range partNames {
		if slices.Contains(names, p.name) {
			parts |= p.part
		}
	}
	return parts
}

// An AnalysisQuestion is what a request asks about a problem, understood and within the bounds.
type AnalysisQuestion struct {
	analysis.Question
	SFEN    string // of the position, by its method ProblemSFEN
	Missing int    // as that of a Question
	Notes   []Note // likewise
	Time    time.Duration
	// Record is the language of the record that is asked for as well, ja or en, "" for none.
	Record string
}

// Analyze reads the body of POST /v1/analyze.
func (r *Reader) Analyze(body []byte, q *AnalysisQuestion) *Problem {
	var req AnalyzeRequest
	faults, problem := r.analyze.Decode(body, &req)
	if problem != nil {
		return problem
	}
	return r.analysis("body", &req, faults, q)
}

// AnalyzeLinesQuery reads the query of a body of lines, each an AnalyzeBatchRequest: what it says
// of those that do not say it themselves.
func (r *Reader) AnalyzeLinesQuery(query string, into *AnalyzeRecordRequest) *Problem {
	return r.analyzeRecord.Query(query, into)
}

// AnalyzeLineOver is LineOver for a line of a batch of problems.
func (r *Reader) AnalyzeLineOver(d *AnalyzeRecordRequest, line []byte, q *AnalysisQuestion) (
	ID, *Problem) {
	req := AnalyzeBatchRequest{AnalyzeRequest: *d.request()}
	faults, problem := r.analyzeLine.Decode(line, &req)
	if problem != nil {
		return nil, problem
	}
	return req.ID, r.analysis("line", &req.AnalyzeRequest, faults, q)
}

// AnalyzeLink reads the query of GET /v1/analyze.
func (r *Reader) AnalyzeLink(query string, q *AnalysisQuestion) *Problem {
	var req AnalyzeLinkRequest
	faults := r.analyzeLink.DecodeQuery(query, &req)
	if req.SFEN != "" {
		var problem Question
		wrong := problem.SetEscapedPosition("query.sfen", req.SFEN)
		faults = append(faults, q.setProblem("query", "sfen", req.request(), &problem, wrong)...)
	}
	if len(faults) == 0 {
		faults = q.setLine("query.line", req.Line)
	}
	return r.finishAnalysis(req.request(), faults, q)
}

// RefuseAnalyzeQuery is RefuseRecordQuery for POST /v1/analyze.
func (r *Reader) RefuseAnalyzeQuery(query string) *Problem {
	return refuseQuery(query, r.analyzeRecord.Has)
}

// analysis completes q, unless there are faults: those found by now, and those of the position and
// the line.
func (r *Reader) analysis(part string, req *AnalyzeRequest, faults []Fault,
	q *AnalysisQuestion) *Problem {
	if req.SFEN != "" { // else there is a fault already
		var problem Question
		wrong := problem.SetPosition(part+".sfen", req.SFEN)
		wrong = q.setProblem(part, "sfen", req, &problem, wrong)
		if len(wrong) == 0 {
			wrong = q.setLine(part+".line", req.Line)
		}
		faults = append(faults, wrong...)
	}
	return r.finishAnalysis(req, faults, q)
}

// setProblem takes over the position of p, which is a field of a part of the request or all of its
// body, unless something is wrong with it. The attacker must be to move.
func (q *AnalysisQuestion) setProblem(part, field string, req *AnalyzeRequest, p *Question,
	wrong []Fault) []Fault {
	if len(wrong) == 0 && req.Attacker != "" {
		wrong = p.SetAttacker(part+".attacker", req.Attacker)
	}
	switch {
	case len(wrong) > 0:
		return wrong
	case p.Attacker != p.Position.SideToMove():
		location := "body"
		if field != "" {
			location = part + "." + field
		}
		return []Fault{fault(location, defenderMoves)}
	}
	p.SetHands(req.Hands)
	q.Position, q.Attacker, q.SFEN = p.Position, p.Attacker, p.SFEN
	q.Missing, q.Notes = p.Missing, p.Notes
	return nil
}

// setLine reads the author's line. Its moves must be legal; whether it is a line to a mate is for
// the analysis to say.
func (q *AnalysisQuestion) setLine(location string, line []string) []Fault {
	p := q.Position
	for i, text := range line {
		m, f := legalMove(&p, fmt.Sprintf("%s[%d]", location, i), text)
		if f != nil {
			return []Fault{*f}
		}
		q.Line = append(q.Line, m)
		p.Do(m)
	}
	return nil
}

func (r *Reader) finishAnalysis(req *AnalyzeRequest, faults []Fault, q *AnalysisQuestion) *Problem {
	req.AnalyzeRules.SetTo(&q.Question)
	if len(faults) > 0 {
		return Invalid(faults)
	}
	req.AnalyzeScope.SetTo(&q.Question)
	q.Record, q.Told = req.Record, max(q.Told, req.Told)
	q.Nodes, q.QuestionNodes, q.Time = r.Bounds.Analysis.Apply(&req.Limits)
	return nil
}

// SetTo makes the rules, whose names are valid or empty, those of a question.
func (r *AnalyzeRules) SetTo(q *analysis.Question) {
	q.Policy, q.Profile = length.Default, analysis.Magazine
	if r.Policy != "" {
		q.Policy, _ = length.ParsePolicy(r.Policy)
	}
	if r.Profile != "" {
		q.Profile, _ = analysis.ParseProfile(r.Profile)
	}
}

// SetTo makes the scope, whose names are valid or empty, that of a question. Of the record it has
// nothing.
func (s *AnalyzeScope) SetTo(q *analysis.Question) {
	q.Parts = PartsOf(s.Parts)
	q.Scope, _ = Named(s.Scope, analysis.ScopeEqual)
	q.Stop, _ = Named(s.Stop, analysis.StopFirst)
}
