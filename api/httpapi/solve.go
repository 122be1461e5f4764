package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tsumero/tsumero/api/etag"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/sched"
)

// A solveRequest is the body of POST /v1/solve. The bounds of the limits are those of the Config: see openapi.go.
type solveRequest struct {
	SFEN   string        `json:"sfen" minLength:"1" doc:"The position: an SFEN, or \"startpos\", each with USI moves after it if you like (\"startpos moves 7g7f\"). The words \"position\" and \"sfen\" may stand before it, and \"_\" or \".\" for blanks. Kings and other pieces may be missing; what is in neither hand does not exist. The side to move attacks if the other side has a king; if the only king is its own and in check, it defends."`
	Limits requestLimits `json:"limits,omitempty" doc:"How far to search. What is absent is as far as this service goes."`
}

type requestLimits struct {
	Plies    *int    `json:"plies,omitempty" minimum:"1" doc:"Look for no longer mate than this. Default: any length."`
	Nodes    *uint64 `json:"nodes,omitempty" minimum:"1" doc:"Look at no more positions than this. Default: the maximum."`
	TimeMS   *int64  `json:"time_ms,omitempty" minimum:"1" doc:"Search no longer than this, in milliseconds, waiting for the search to begin left out."`
	Shortest bool    `json:"shortest,omitempty" doc:"Go on after the first mate found until it is certain that no shorter one exists, which may take far longer."`
}

// An answer is the body of a 200. Fields that do not apply are absent.
type answer struct {
	SFEN         string    `json:"sfen" doc:"The position in canonical SFEN: that after the moves, if there were any. The move number is no part of a problem and always 1."`
	Attacker     string    `json:"attacker" enum:"black,white" doc:"The side that is to force mate."`
	Verdict      string    `json:"verdict" enum:"mate,nomate,unknown" doc:"mate: the attacker forces mate. nomate: there is no forced mate, at any length. unknown: neither is proven."`
	Plies        *int      `json:"plies,omitempty" minimum:"0" doc:"The length of a mate, every legal move counted, interpositions that only delay it too. 0 if the defender is to move and mated already."`
	Exact        *bool     `json:"exact,omitempty" doc:"Of a mate: it is proven that there is no shorter one. If false, plies is an upper bound: the mate holds, but a shorter one may exist. Ask with limits.shortest to be certain."`
	Moves        *[]string `json:"moves,omitempty" nullable:"false" doc:"Of a mate: its moves in USI, from the position to the mate."`
	MovesJa      *[]string `json:"moves_ja,omitempty" nullable:"false" doc:"Of a mate: the same moves as Japanese records write them."`
	NoMateWithin int       `json:"no_mate_within,omitempty" minimum:"1" doc:"It is proven that there is no mate in that many plies or fewer: of a mate that is not exact, the lower bound of its length. Absent if nothing is known, and for nomate."`
	Reason       string    `json:"reason,omitempty" enum:"limit_plies,limit_nodes,limit_time,cancelled,solver_depth,unverified" doc:"What ended the search before it knew all that was asked. Of an unknown: why nothing is proven. Of a mate: why it is not exact though limits.shortest asked for it, or, if it is exact, why its moves may differ from those of another search that is given more. Absent if nothing is missing. limit_plies: there is no mate within limits.plies, and a longer one was not looked for. limit_nodes, limit_time: the limit was reached. cancelled: the service is shutting down. solver_depth: no solver here looks deeper. unverified: a solver found a mate that did not survive its verification, which is a bug."`
	Solver       string    `json:"solver,omitempty" doc:"The solver that decided, or looked deepest."`
	Nodes        uint64    `json:"nodes" doc:"How many positions were looked at; the same for the same question, unless time ended the search."`
	ElapsedUS    *int64    `json:"elapsed_us,omitempty" minimum:"0" doc:"How long the search took, in microseconds. Absent from answers to GET, which are the same bytes every time: see the header Server-Timing."`
}

// appendAnswer appends the answer without elapsed_us and without the closing brace. It is answer's encoding spelled
// out, which is several times faster than encoding/json; a test compares the two.
func appendAnswer(dst []byte, q *sched.Question, r *solver.Result) []byte {
	dst = append(append(dst, `{"sfen":"`...), q.SFEN...)
	dst = append(append(dst, `","attacker":"`...), q.Attacker.String()...)
	dst = append(append(dst, `","verdict":"`...), r.Verdict.String()...)
	dst = append(dst, '"')
	if r.Verdict == solver.Mate {
		dst = strconv.AppendInt(append(dst, `,"plies":`...), int64(r.Plies()), 10)
		dst = strconv.AppendBool(append(dst, `,"exact":`...), r.Exact)
		dst = append(dst, `,"moves":[`...)
		for i, m := range r.Line {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(m.AppendUSI(append(dst, '"')), '"')
		}
		dst = append(dst, `],"moves_ja":[`...)
		p, previous := q.Position, shogi.NoSquare
		for i, m := range r.Line {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(notation.AppendJapanese(append(dst, '"'), &p, m, previous), '"')
			previous = m.To()
			p.Do(m)
		}
		dst = append(dst, ']')
	}
	if r.NoMateWithin > 0 {
		dst = strconv.AppendInt(append(dst, `,"no_mate_within":`...), int64(r.NoMateWithin), 10)
	}
	if r.Reason != solver.NoReason {
		dst = appendString(append(dst, `,"reason":`...), string(r.Reason))
	}
	if r.Solver != "" {
		dst = appendString(append(dst, `,"solver":`...), r.Solver)
	}
	return strconv.AppendUint(append(dst, `,"nodes":`...), r.Nodes, 10)
}

// appendString appends a string as JSON. Those of solvers are words, for which there is nothing to escape.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return append(dst, bytes.TrimSpace(encode(s))...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// setPosition makes the position in text the one asked about. It returns everything that is wrong with it.
func (q *question) setPosition(location, text string) []fault {
	game, err := shogi.ParsePosition(text)
	if err != nil {
		return positionFaults(location, err)
	}
	return q.setGame(location, &game)
}

// setGame makes the last position of a game the one asked about.
func (q *question) setGame(location string, game *shogi.Game) []fault {
	var err error
	q.Position = game.Position()
	if q.Attacker, err = solver.Attacker(&q.Position); err != nil {
		return []fault{{Location: location, Code: "no_defender", Message: strings.TrimPrefix(err.Error(), "solver: ")}}
	}
	q.SFEN = q.Position.ProblemSFEN()
	return nil
}

// setLimits takes over limits that are within their bounds; what is nil or 0 is the default.
func (q *question) setLimits(plies *int, nodes *uint64, timeMS *int64, shortest bool, c *Config) {
	q.Limits = solver.Limits{Nodes: c.MaxNodes, Shortest: shortest}
	q.Time = c.DefaultTime
	if plies != nil {
		q.Limits.Plies = *plies
	}
	if nodes != nil && *nodes > 0 {
		q.Limits.Nodes = *nodes
	}
	if timeMS != nil && *timeMS > 0 {
		q.Time = time.Duration(*timeMS) * time.Millisecond
	}
}

// An anyRequest has the fields of all questions. Its schema says which of them one may have.
type anyRequest struct {
	ID       jsonID        `json:"id"`
	SFEN     string        `json:"sfen"`
	Attacker string        `json:"attacker"`
	Limits   requestLimits `json:"limits"`
}

// A parser reads questions in JSON: bodies, and lines of batches.
type parser struct {
	config   *Config
	registry huma.Registry
	schema   *huma.Schema
	part     string // of a request, as faults name it: body or line
	ids      bool   // a question may have an id
	sides    bool   // a question may say who attacks
}

// parse reads a question. It decodes once; only if that leaves a doubt whether the text is what the schema says, huma
// is asked, and finds every fault.
func (p *parser) parse(text []byte, q *question) (id jsonID, _ *problem) {
	var req anyRequest
	err := json.Unmarshal(text, &req)
	var faults []fault
	if err != nil || req.SFEN == "" || !p.within(&req) || !plainKeys(text) {
		var problem *problem
		if faults, problem = p.doubt(text, &req); problem != nil {
			return nil, problem
		}
	}
	if req.ID.echoable() {
		id = req.ID
	} else if p.ids && len(req.ID) > maxEcho {
		faults = append(faults, fault{Location: p.part + ".id", Message: fmt.Sprintf("found %d bytes, expected at most %d", len(req.ID), maxEcho)})
	}
	if req.SFEN != "" { // else the schema has said so
		wrong := q.setPosition(p.part+".sfen", req.SFEN)
		if len(wrong) == 0 && req.Attacker != "" {
			wrong = q.setAttacker(p.part+".attacker", req.Attacker)
		}
		faults = append(faults, wrong...)
	}
	if len(faults) > 0 {
		return id, invalid(faults)
	}
	q.setLimits(req.Limits.Plies, req.Limits.Nodes, req.Limits.TimeMS, req.Limits.Shortest, p.config)
	return id, nil
}

// within reports whether what was decoded is within the bounds of the schema.
func (p *parser) within(req *anyRequest) bool {
	l := &req.Limits
	return (l.Plies == nil || *l.Plies >= 1 && *l.Plies <= p.config.MaxPlies) &&
		(l.Nodes == nil || *l.Nodes >= 1 && *l.Nodes <= p.config.MaxNodes) &&
		(l.TimeMS == nil || *l.TimeMS >= 1 && *l.TimeMS <= p.config.MaxTime.Milliseconds()) &&
		(req.ID == nil || p.ids && req.ID.echoable()) &&
		(req.Attacker == "" || p.sides && (req.Attacker == shogi.Black.String() || req.Attacker == shogi.White.String()))
}

// doubt returns everything in which text is not what the schema says, or the problem of what is not JSON. Afterwards
// req is what the schema takes text for, which differs from what encoding/json does: to that 3.0 is no integer, and the
// keys sfen and SFEN are the same.
func (p *parser) doubt(text []byte, req *anyRequest) (faults []fault, _ *problem) {
	value, err := decode(text)
	if err != nil {
		return nil, jsonProblem(p.part, text)
	}
	path := huma.NewPathBuffer(make([]byte, 0, 64), 0)
	path.Push(p.part)
	var result huma.ValidateResult
	huma.Validate(p.registry, p.schema, path, huma.ModeWriteToServer, value, &result)
	for _, err := range result.Errors {
		var d *huma.ErrorDetail
		if errors.As(err, &d) {
			if p.ids && d.Location == p.part+".id" {
				d.Message = "expected a string or a number" // huma speaks of schemas
			}
			faults = append(faults, fault{Location: d.Location, Message: d.Message})
		}
	}
	faults = append(faults, repeatedKeys(p.part, text)...)

	id := req.ID // as it was sent
	*req = anyRequest{}
	if object, ok := value.(map[string]any); ok {
		if _, ok := object["id"]; ok {
			req.ID = id
		}
		req.SFEN, _ = object["sfen"].(string)
		if len(faults) == 0 {
			req.Attacker, _ = object["attacker"].(string)
		}
		if limits, ok := object["limits"].(map[string]any); ok && len(faults) == 0 {
			req.Limits.set(limits)
		}
	}
	return faults, nil
}

// decode returns the value of a JSON text. A number beyond those of float64 becomes the largest of
// them, which is beyond all bounds as well.
func decode(text []byte) (value any, err error) {
	err = json.Unmarshal(text, &value)
	var beyond *json.UnmarshalTypeError
	if !errors.As(err, &beyond) {
		return value, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	return bounded(value), nil
}

// bounded makes a float64 of each json.Number in a value.
func bounded(value any) any {
	switch v := value.(type) {
	case json.Number:
		f, _ := v.Float64() // or an infinity of its sign
		return max(-math.MaxFloat64, min(f, math.MaxFloat64))
	case []any:
		for i := range v {
			v[i] = bounded(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = bounded(v[k])
		}
	}
	return value
}

// set takes over limits that are what the schema says. Their bounds are whole numbers that a float64 holds exactly.
func (l *requestLimits) set(values map[string]any) {
	if v, ok := values["plies"].(float64); ok {
		l.Plies = ptr(int(v))
	}
	if v, ok := values["nodes"].(float64); ok {
		l.Nodes = ptr(uint64(v))
	}
	if v, ok := values["time_ms"].(float64); ok {
		l.TimeMS = ptr(int64(v))
	}
	l.Shortest, _ = values["shortest"].(bool)
}

// A postInput is a body that is read by the parser, in one pass where huma makes three, or a record.
type postInput struct {
	RawBody []byte `contentType:"application/json"`
	answer  string // the media type of the answer
	// What is asked about a record.
	After    int    `query:"after" minimum:"0" doc:"Only if the body is a record: solve the position after so many moves of its main line. Default: the position it begins with; of SFEN, the one after all moves."`
	Plies    int    `query:"plies" minimum:"1" doc:"Only if the body is a record: as limits.plies of a JSON question."`
	Nodes    uint64 `query:"nodes" minimum:"1" doc:"Only if the body is a record: as limits.nodes of a JSON question."`
	TimeMS   int64  `query:"time_ms" minimum:"1" doc:"Only if the body is a record: as limits.time_ms of a JSON question."`
	Shortest bool   `query:"shortest" doc:"Only if the body is a record: as limits.shortest of a JSON question."`
	question
}

// Resolve reads the question. Huma calls it when it has the body.
func (in *postInput) Resolve(ctx huma.Context) []error {
	u, s := ctx.URL(), exchangeOf(ctx.Context()).server
	var faults []fault
	if opts, ok := recordOptions(ctx.Header("Content-Type")); ok {
		faults = in.setRecord(in.RawBody, opts, u.RawQuery, &s.config)
	} else if faults = refuseParameters(u.RawQuery); len(faults) == 0 {
		if _, p := s.bodies.parse(in.RawBody, &in.question); p != nil {
			return []error{p}
		}
	}
	if len(faults) > 0 {
		return asErrors(faults)
	}
	in.answer = answerType(ctx.Header("Accept"))
	return nil
}

type getInput struct {
	SFEN     string `query:"sfen" doc:"The position, as in the body of POST. Percent-encoded: a \"+\" is written %2B. Unescaped ones are understood where only one reading is a position."`
	Plies    int    `query:"plies" minimum:"1" doc:"As limits.plies of POST."`
	Nodes    uint64 `query:"nodes" minimum:"1" doc:"As limits.nodes of POST."`
	TimeMS   int64  `query:"time_ms" minimum:"1" doc:"As limits.time_ms of POST."`
	Shortest bool   `query:"shortest" doc:"As limits.shortest of POST."`
	Tags     string `header:"If-None-Match" doc:"The ETag of an answer you have. If it is still the answer, which for a proven verdict it is, you get a 304 and no body."`
	question
}

// Resolve reads the position out of the query as it was sent, for the "+" in it.
func (in *getInput) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	faults := strayParameters(u.RawQuery, queryParameters)
	if raw := rawParameter(u.RawQuery, "sfen"); raw == "" {
		faults = append(faults, fault{Location: "query.sfen", Message: "required query parameter is missing"})
	} else {
		faults = append(faults, in.setPositionFromQuery("query.sfen", raw)...)
	}
	return asErrors(faults)
}

func asErrors(faults []fault) []error {
	var errs []error
	for i := range faults {
		errs = append(errs, &faults[i])
	}
	return errs
}

// An output is a finished answer. Headers are set on the exchange.
type output struct {
	Status int
	Body   []byte
}

func (s *Server) postSolve(ctx context.Context, in *postInput) (*huma.StreamResponse, error) {
	if in.answer == eventStreamType {
		return &huma.StreamResponse{Body: func(huma.Context) { s.serveEvents(ctx, &in.question) }}, nil
	}
	a, err := s.answer(ctx, &in.question)
	if err != nil {
		return nil, err
	}
	body := timedBody
	if in.answer != jsonType {
		contentType := in.answer
		if !isJSON(contentType) { // which is UTF-8 by definition
			contentType += "; charset=utf-8"
		}
		exchangeOf(ctx).Header().Set("Content-Type", contentType)
		body = func(a *sched.Answer) []byte { return appendRecord(nil, &in.question, a, in.answer) }
	}
	return &huma.StreamResponse{Body: func(huma.Context) {
		_, _ = exchangeOf(ctx).Write(body(a)) // a client that is gone needs no answer
	}}, nil
}

func (s *Server) getSolve(ctx context.Context, in *getInput) (*output, error) {
	in.setLimits(&in.Plies, &in.Nodes, &in.TimeMS, in.Shortest, &s.config)
	a, err := s.answer(ctx, &in.question)
	if err != nil {
		return nil, err
	}
	x := exchangeOf(ctx)
	h := x.Header()
	setTiming(h, a, x.solved.source)
	if !isProven(a) {
		return &output{http.StatusOK, plainBody(a)}, nil
	}
	h["Cache-Control"] = immutable
	tag := tagOf(a)
	h["Etag"] = []string{tag}
	if etag.Matches(in.Tags, tag) {
		h.Del("Content-Type")
		return &output{http.StatusNotModified, nil}, nil
	}
	return &output{http.StatusOK, plainBody(a)}, nil
}

// Header values that do not vary.
var (
	immutable  = []string{"public, max-age=31536000, immutable"}
	noStore    = []string{"no-store"}
	jsonHeader = []string{jsonType}
	cacheHit   = []string{`cache;desc="hit"`}
)

// answer finds the answer to q and sets the headers that all answers have.
func (s *Server) answer(ctx context.Context, q *question) (*sched.Answer, error) {
	x := exchangeOf(ctx)
	a, p := s.find(x, ctx, q)
	if p != nil {
		return nil, p
	}
	h := x.Header()
	h["Content-Type"] = jsonHeader
	h["Cache-Control"] = noStore
	return a, nil
}

// find finds the answer to q and tells the exchange of it.
func (s *Server) find(x *exchange, ctx context.Context, q *question) (*sched.Answer, *problem) {
	q.Client = &x.client.account
	a, source, err := s.scheduler.Ask(ctx, &q.Question)
	if err != nil {
		p := s.searchProblem(err)
		p.RequestID = x.id
		return nil, p
	}
	x.solved = solvedBy(a, source)
	if q.Task == nil {
		s.metrics.solved(&a.Result)
	} else {
		s.metrics.moves.WithLabelValues(x.solved.verdict, x.solved.reason).Inc()
	}
	return a, nil
}

// setTiming says in a header what the body of a GET cannot: see elapsed_us.
func setTiming(h http.Header, a *sched.Answer, source sched.Source) {
	if source == sched.Cached {
		h["Server-Timing"] = cacheHit
		return
	}
	timing := append(make([]byte, 0, 24), "search;dur="...)
	timing = strconv.AppendFloat(timing, float64(a.Elapsed.Microseconds())/1000, 'f', 3, 64)
	h["Server-Timing"] = []string{string(timing)}
}

// searchProblem returns what a client is told of an error of the scheduler.
func (s *Server) searchProblem(err error) *problem {
	var busy *sched.OverloadedError
	if errors.As(err, &busy) {
		reason, detail := refusedSearch, "All slots for searches are taken."
		if busy.Pool == sched.Long {
			reason, detail = refusedLong, "The question needs a long search, and all slots for "+
				"those are taken."
		}
		s.metrics.refused.WithLabelValues(reason).Inc()
		p := newProblem(overloaded, detail)
		p.retryAfter = seconds(busy.RetryAfter)
		return p
	}
	return newProblem(internalError, "The request could not be answered.")
}
