package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A solveRequest is the body of POST /v1/solve. The bounds of the limits are those of the Config: see openapi.go.
type solveRequest struct {
	SFEN   string        `json:"sfen" minLength:"1" doc:"The position: an SFEN, or \"startpos\", each with USI moves after it if you like (\"startpos moves 7g7f\"). The words \"position\" and \"sfen\" may stand before it, and \"_\" or \".\" for blanks. Kings and other pieces may be missing; what is in neither hand does not exist. The side to move attacks if the other side has a king; if the only king is its own and in check, it defends."`
	Limits requestLimits `json:"limits,omitempty" doc:"How far to search. What is absent is as far as this service goes."`
}

type requestLimits struct {
	Plies  int    `json:"plies,omitempty" minimum:"1" doc:"Look for no longer mate than this. Default: any length."`
	Nodes  uint64 `json:"nodes,omitempty" minimum:"1" doc:"Look at no more positions than this. Default: the maximum."`
	TimeMS int64  `json:"time_ms,omitempty" minimum:"1" doc:"Search no longer than this, in milliseconds, waiting for the search to begin left out."`
}

// An answer is the body of a 200. Fields that do not apply are absent.
type answer struct {
	SFEN         string    `json:"sfen" doc:"The position in canonical SFEN: that after the moves, if there were any. The move number is no part of a problem and always 1."`
	Attacker     string    `json:"attacker" enum:"black,white" doc:"The side that is to force mate."`
	Verdict      string    `json:"verdict" enum:"mate,nomate,unknown" doc:"mate: the attacker forces mate. nomate: there is no forced mate, at any length. unknown: neither is proven."`
	Plies        *int      `json:"plies,omitempty" minimum:"0" doc:"The length of a mate, every legal move counted, interpositions that only delay it too. 0 if the defender is to move and mated already."`
	Exact        *bool     `json:"exact,omitempty" doc:"Of a mate: there is no shorter one. If false, plies is an upper bound."`
	Moves        *[]string `json:"moves,omitempty" nullable:"false" doc:"Of a mate: its moves in USI, from the position to the mate."`
	MovesJa      *[]string `json:"moves_ja,omitempty" nullable:"false" doc:"Of a mate: the same moves as Japanese records write them."`
	NoMateWithin int       `json:"no_mate_within,omitempty" minimum:"1" doc:"There is no mate in that many plies or fewer. Absent if that is not known, and for nomate."`
	Reason       string    `json:"reason,omitempty" enum:"limit_plies,limit_nodes,limit_time,cancelled,solver_depth,unverified" doc:"Why the verdict is unknown: a limit was reached (limit_plies, limit_nodes, limit_time); the service is shutting down (cancelled); no solver here looks deeper (solver_depth); a solver claimed a mate that did not survive its replay (unverified), which is a bug."`
	Solver       string    `json:"solver,omitempty" doc:"The solver that decided, or looked deepest."`
	Nodes        uint64    `json:"nodes" doc:"How many positions were looked at; the same for the same question."`
	ElapsedUS    *int64    `json:"elapsed_us,omitempty" minimum:"0" doc:"How long the search took, in microseconds. Absent from answers to GET, which are the same bytes every time: see the header Server-Timing."`
}

func newAnswer(q *question, r *solver.Result) *answer {
	a := &answer{
		SFEN:         q.sfen,
		Attacker:     q.attacker.String(),
		Verdict:      r.Verdict.String(),
		NoMateWithin: r.NoMateWithin,
		Reason:       string(r.Reason),
		Solver:       r.Solver,
		Nodes:        r.Nodes,
	}
	if r.Verdict == solver.Mate {
		plies, moves, japanese := r.Plies(), make([]string, len(r.Line)), shogi.JapaneseLine(q.position, r.Line)
		for i, m := range r.Line {
			moves[i] = m.String()
		}
		a.Plies, a.Exact, a.Moves, a.MovesJa = &plies, &r.Exact, &moves, &japanese
	}
	return a
}

// setPosition makes the position in text the one asked about. It returns everything that is wrong with it.
func (q *question) setPosition(location, text string) []fault {
	game, err := shogi.ParsePosition(text)
	if err != nil {
		return positionFaults(location, err)
	}
	q.position = game.Position()
	if q.attacker, err = solver.Attacker(&q.position); err != nil {
		return []fault{{Location: location, Code: "no_defender", Message: strings.TrimPrefix(err.Error(), "solver: ")}}
	}
	sfen := q.position.AppendSFEN(make([]byte, 0, 128))
	for sfen[len(sfen)-1] != ' ' {
		sfen = sfen[:len(sfen)-1]
	}
	q.sfen = string(append(sfen, '1'))
	return nil
}

// setLimits takes over limits that are within their bounds, and the defaults for those that are absent.
func (q *question) setLimits(l *requestLimits, c *Config) {
	q.limits = solver.Limits{Plies: l.Plies, Nodes: c.MaxNodes}
	if l.Nodes > 0 {
		q.limits.Nodes = l.Nodes
	}
	q.time = c.DefaultTime
	if l.TimeMS > 0 {
		q.time = time.Duration(l.TimeMS) * time.Millisecond
	}
}

type postInput struct {
	Body solveRequest
	question
}

// Resolve reads the position. Huma calls it after its validation, also if that found faults, and reports both.
func (in *postInput) Resolve(huma.Context) []error {
	if in.Body.SFEN == "" {
		return nil // the schema has said so
	}
	return asErrors(in.setPosition("body.sfen", in.Body.SFEN))
}

type getInput struct {
	SFEN   string `query:"sfen" doc:"The position, as in the body of POST. Percent-encoded: a \"+\" is written %2B. Unescaped ones are understood where only one reading is a position."`
	Plies  int    `query:"plies" minimum:"1" doc:"As limits.plies of POST."`
	Nodes  uint64 `query:"nodes" minimum:"1" doc:"As limits.nodes of POST."`
	TimeMS int64  `query:"time_ms" minimum:"1" doc:"As limits.time_ms of POST."`
	Tags   string `header:"If-None-Match" doc:"The ETag of an answer you have. If it is still the answer, which for a proven verdict it is, you get a 304 and no body."`
	question
}

// Resolve reads the position out of the query as it was sent, for the "+" in it.
func (in *getInput) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	raw := rawParameter(u.RawQuery, "sfen")
	if raw == "" {
		return []error{&fault{Location: "query.sfen", Message: "required query parameter is missing"}}
	}
	return asErrors(in.setPositionFromQuery("query.sfen", raw))
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

func (s *Server) postSolve(ctx context.Context, in *postInput) (*output, error) {
	in.setLimits(&in.Body.Limits, &s.config)
	f, err := s.answer(ctx, &in.question)
	if err != nil {
		return nil, err
	}
	return &output{http.StatusOK, f.timed()}, nil
}

func (s *Server) getSolve(ctx context.Context, in *getInput) (*output, error) {
	in.setLimits(&requestLimits{in.Plies, in.Nodes, in.TimeMS}, &s.config)
	f, err := s.answer(ctx, &in.question)
	if err != nil {
		return nil, err
	}
	if !f.proven {
		return &output{http.StatusOK, f.plain()}, nil
	}
	h := exchangeOf(ctx).Header()
	h["Cache-Control"] = immutable
	h["Etag"] = []string{f.etag}
	if matches(in.Tags, f.etag) {
		h.Del("Content-Type")
		return &output{http.StatusNotModified, nil}, nil
	}
	return &output{http.StatusOK, f.plain()}, nil
}

// Header values that do not vary.
var (
	immutable  = []string{"public, max-age=31536000, immutable"}
	noStore    = []string{"no-store"}
	jsonHeader = []string{jsonType}
	cacheHit   = []string{`cache;desc="hit"`}
)

// answer finds the answer to q, tells the exchange of it, and sets the headers that all answers have.
func (s *Server) answer(ctx context.Context, q *question) (*finding, error) {
	x := exchangeOf(ctx)
	f, source, err := s.searcher.find(ctx, q)
	if err != nil {
		p := s.searchProblem(err)
		p.RequestID = x.id
		return nil, p
	}
	x.solved = f.solved
	x.solved.source = source
	s.metrics.solves.WithLabelValues(f.verdict, f.reason, f.solver).Inc()
	h := x.Header()
	h["Content-Type"] = jsonHeader
	h["Cache-Control"] = noStore
	if source == "cache" {
		h["Server-Timing"] = cacheHit
	} else {
		timing := append(make([]byte, 0, 24), "search;dur="...)
		timing = strconv.AppendFloat(timing, float64(f.elapsed.Microseconds())/1000, 'f', 3, 64)
		h["Server-Timing"] = []string{string(timing)}
	}
	return f, nil
}

// searchProblem returns what a client is told of an error of find.
func (s *Server) searchProblem(err error) *problem {
	if err == errBusy {
		s.metrics.refused.WithLabelValues(refusedSearch).Inc()
		p := newProblem(overloaded, "All places for searches are taken.")
		p.retryAfter = 1
		return p
	}
	return newProblem(internalError, "The request could not be answered.")
}

// matches reports whether one of the entity tags in an If-None-Match header is etag. For this header a weak tag is as
// good as a strong one.
func matches(ifNoneMatch, etag string) bool {
	if strings.TrimSpace(ifNoneMatch) == "*" {
		return true
	}
	for tag := range strings.SplitSeq(ifNoneMatch, ",") {
		if strings.TrimPrefix(strings.TrimSpace(tag), "W/") == etag {
			return true
		}
	}
	return false
}
