package wire

import (
	"errors"
	"net/url"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/sfenurl"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// A Question is what a request asks, understood and within the bounds.
type Question struct {
	Position shogi.Position
	SFEN     string // of the position, by its method ProblemSFEN
	Missing  int    // pieces that are neither on the board nor in a hand, if a note has to say so
	Notes    []Note // what the answer has to tell of how the question was read
	Attacker shogi.Color
	Limits   solver.Limits
	Time     time.Duration
	// HasLength asks for the length under a policy as well.
	HasLength bool
	Length    length.Policy
	// Turning and Author are those of an analysis.Convention, for a question about every move.
	Turning length.Turning
	Author  shogi.Move
}

// SetPosition makes the position in a text that shogi.ParsePosition reads the one asked about, and
// the side of the solver's convention the attacker. It returns everything that is wrong with it.
func (q *Question) SetPosition(location, text string) []Fault {
	var err error
	if q.Position, q.SFEN, err = shogi.ParseProblem(text); err != nil {
		return PositionFaults(location, err)
	}
	return q.setAttacker(location)
}

// SetEscapedPosition is SetPosition for a text in the query of an address, still escaped.
func (q *Question) SetEscapedPosition(location, raw string) []Fault {
	game, err := sfenurl.Parse(raw)
	if err == nil {
		return q.SetProblem(location, game.Position())
	}
	return PositionFaults(location, err)
}

// SetProblem makes a position the one asked about.
func (q *Question) SetProblem(location string, p shogi.Position) []Fault {
	q.Position, q.SFEN = p, p.ProblemSFEN()
	return q.setAttacker(location)
}

// setAttacker makes the side of the solver's convention the attacker.
func (q *Question) setAttacker(location string) []Fault {
	var err error
	if q.Attacker, err = solver.Attacker(&q.Position); err != nil {
		return []Fault{ErrorFault(location, err)}
	}
	return nil
}

// SetAttacker makes the side of a name, black or white, the one that is to force mate.
func (q *Question) SetAttacker(location, name string) []Fault {
	side := shogi.Black
	if name == shogi.White.String() {
		side = shogi.White
	}
	switch err := analysis.ValidAttacker(&q.Position, side); {
	case errors.Is(err, analysis.ErrNoKing):
		return []Fault{fault(location, noKingOf, side.Opponent())}
	case errors.Is(err, analysis.ErrNoCheck):
		return []Fault{fault(location, noAttack, q.Position.SideToMove(), side)}
	}
	q.Attacker = side
	return nil
}

// A Reader makes questions of requests, as one service understands them. Any number of goroutines
// may use it.
type Reader struct {
	Bounds Bounds

	solve     *Decoder[SolveRequest]
	line      *Decoder[BatchRequest]
	moves     *Decoder[MovesRequest]
	link      *Decoder[LinkRequest]
	movesLink *Decoder[MovesLinkRequest]
	lines     *Decoder[LinesRequest]
	record    *Decoder[RecordRequest]
	text      *Decoder[ReadRequest]
	read      *Decoder[ReadQuery]

	analyze       *Decoder[AnalyzeRequest]
	analyzeLine   *Decoder[AnalyzeBatchRequest]
	analyzeLink   *Decoder[AnalyzeLinkRequest]
	analyzeRecord *Decoder[AnalyzeRecordRequest]

	play     *Decoder[PlayRequest]
	playLink *Decoder[PlayLinkRequest]

	similar      *Decoder[SimilarRequest]
	similarQuery *Decoder[SimilarQuery]

	game       *Decoder[GameRequest]
	gameLimits *Decoder[GameLimits]

	threat *Decoder[ThreatRequest]
}

// NewReader returns the reader of a service with these bounds.
func NewReader(b Bounds) *Reader {
	return &Reader{b,
		NewDecoder[SolveRequest]("body", &b), NewDecoder[BatchRequest]("line", &b),
		NewDecoder[MovesRequest]("body", &b), NewDecoder[LinkRequest]("query", &b),
		NewDecoder[MovesLinkRequest]("query", &b),
		NewDecoder[LinesRequest]("query", &b), NewDecoder[RecordRequest]("query", &b),
		NewDecoder[ReadRequest]("body", &b),
		NewDecoder[ReadQuery]("query", &b),
		NewDecoder[AnalyzeRequest]("body", &b.Analysis),
		NewDecoder[AnalyzeBatchRequest]("line", &b.Analysis),
		NewDecoder[AnalyzeLinkRequest]("query", &b.Analysis),
		NewDecoder[AnalyzeRecordRequest]("query", &b.Analysis),
		NewDecoder[PlayRequest]("body", &b.Play), NewDecoder[PlayLinkRequest]("query", &b.Play),
		NewDecoder[SimilarRequest]("body", &b), NewDecoder[SimilarQuery]("query", &b),
		NewDecoder[GameRequest]("body", &b.Analysis), NewDecoder[GameLimits]("query", &b.Analysis),
		NewDecoder[ThreatRequest]("body", &b)}
}

// Solve reads the body of POST /v1/solve.
func (r *Reader) Solve(body []byte, q *Question) *Problem {
	var req SolveRequest
	faults, problem := r.solve.Decode(body, &req)
	if problem != nil {
		return problem
	}
	return r.question("body", req.SFEN, "", req.Hands, &req.Limits, faults, q)
}

// LinesQuery reads the query of a body of lines.
func (r *Reader) LinesQuery(query string, into *LinesRequest) *Problem {
	return r.lines.Query(query, into)
}

// LineOver reads a line of a batch, one of those that d was said of: what the line says itself comes
// before. The id is a part of the line, and nil if there is none.
func (r *Reader) LineOver(d *LinesRequest, line []byte, q *Question) (ID, *Problem) {
	req := BatchRequest{SolveRequest: SolveRequest{Hands: d.Hands, Limits: d.RequestLimits}}
	faults, problem := r.line.Decode(line, &req)
	if problem != nil {
		return nil, problem
	}
	return req.ID, r.question("line", req.SFEN, "", req.Hands, &req.Limits, faults, q)
}

// Moves reads the body of POST /v1/moves.
func (r *Reader) Moves(body []byte, q *Question) *Problem {
	var req MovesRequest
	faults, problem := r.moves.Decode(body, &req)
	if problem != nil {
		return problem
	}
	faults = append(faults, checkOfMoves("body.limits.check", &req.Limits)...)
	if p := r.question("body", req.SFEN, req.Attacker, req.Hands, &req.Limits, faults, q); p != nil {
		return p
	}
	game, _ := shogi.ParsePosition(req.SFEN) // a question has been made of it
	return q.setConvention("body.author", game, req.Author)
}

// checkOfMoves refuses to check what moves come to: no field of their answers says how it went.
func checkOfMoves(location string, l *RequestLimits) []Fault {
	if l.Check {
		return []Fault{fault(location, isOfVerdict)}
	}
	return nil
}

// setConvention reads what decides between moves that are equally good by convention: how the
// position that the game began with is turned, and the author's move.
func (q *Question) setConvention(location string, game shogi.Game, author string) *Problem {
	q.Turning, q.Author = length.Turning{}, shogi.NoMove
	if q.HasLength {
		start := game.Start()
		q.Turning = length.Orient(&start, q.Attacker)
	}
	if author == "" {
		return nil
	}
	m, f := legalMove(&q.Position, location, author)
	if f != nil {
		return Invalid([]Fault{*f})
	}
	q.Author = m
	return nil
}

// legalMove reads a move in USI that is legal in p.
func legalMove(p *shogi.Position, location, text string) (shogi.Move, *Fault) {
	m, err := shogi.ParseMove(text)
	if err == nil {
		err = p.Illegal(m)
	}
	if why, ok := shogi.MessageOf(err); ok {
		f := fault(location, wrongMove, why)
		f.Code = why.Text.Code
		return m, &f
	}
	return m, nil
}

// MovesLink reads the query of GET /v1/moves.
func (r *Reader) MovesLink(query string, q *Question) *Problem {
	var req MovesLinkRequest
	faults := r.movesLink.DecodeQuery(query, &req)
	faults = append(faults, checkOfMoves("query.check", &req.RequestLimits)...)
	if req.SFEN != "" {
		wrong := q.SetEscapedPosition("query.sfen", req.SFEN)
		if len(wrong) == 0 && req.Attacker != "" {
			wrong = q.SetAttacker("query.attacker", req.Attacker)
		}
		faults = append(faults, wrong...)
	}
	if p := r.finish(&req.RequestLimits, req.Hands, faults, q); p != nil {
		return p
	}
	game, _ := sfenurl.Parse(req.SFEN) // a question has been made of it
	author, _ := url.PathUnescape(req.Author)
	return q.setConvention("query.author", game, author)
}

// question completes q, unless there are faults: those found by now, and those of the position.
func (r *Reader) question(part, sfen, attacker, hands string, l *RequestLimits, faults []Fault,
	q *Question) *Problem {
	q.Notes = nil
	if sfen != "" { // else there is a fault already
		wrong := q.SetPosition("", sfen)
		for i := range wrong { // most requests have no fault, and need no text of its place
			wrong[i].Location = part + ".sfen"
		}
		if len(wrong) == 0 && attacker != "" {
			wrong = q.SetAttacker(part+".attacker", attacker)
		}
		faults = append(faults, wrong...)
	}
	return r.finish(l, hands, faults, q)
}

func (r *Reader) finish(l *RequestLimits, hands string, faults []Fault, q *Question) *Problem {
	if len(faults) > 0 {
		return Invalid(faults)
	}
	q.SetHands(hands)
	q.Limits, q.Time = r.Bounds.Apply(l)
	if q.HasLength = l.Length != ""; q.HasLength {
		q.Length, _ = length.ParsePolicy(l.Length) // the decoder allows only those that there are
	}
	return nil
}

// Link reads the query of GET /v1/solve.
func (r *Reader) Link(query string, q *Question) *Problem {
	var req LinkRequest
	q.Notes = nil
	faults := r.link.DecodeQuery(query, &req)
	if req.SFEN != "" {
		faults = append(faults, q.SetEscapedPosition("query.sfen", req.SFEN)...)
	}
	return r.finish(&req.RequestLimits, req.Hands, faults, q)
}

// Record reads the query of POST /v1/solve with a record. find returns the position of the
// record after a number of moves, -1 for none given, and notes on how it was read, or else its
// faults.
func (r *Reader) Record(query string, q *Question,
	find func(after int) (shogi.Position, []Note, []Fault)) *Problem {
	req := RecordRequest{After: -1}
	faults := r.record.DecodeQuery(query, &req)
	p, notes, wrong := find(req.After)
	q.Notes = notes
	if len(wrong) == 0 {
		wrong = q.SetProblem("body", p)
	}
	return r.finish(&req.RequestLimits, req.Hands, append(faults, wrong...), q)
}

// Text reads the body of POST /v1/read.
func (r *Reader) Text(body []byte, into *ReadRequest) *Problem {
	faults, problem := r.text.Decode(body, into)
	if problem == nil && len(faults) > 0 {
		problem = Invalid(faults)
	}
	return problem
}

// TextQuery reads the query of POST /v1/read with a record.
func (r *Reader) TextQuery(query string, into *ReadQuery) *Problem {
	return r.read.Query(query, into)
}

// RefuseRecordQuery returns the problem of a query that says what belongs into a JSON question, nil
// if it does not.
func (r *Reader) RefuseRecordQuery(query string) *Problem {
	return refuseQuery(query, r.record.Has)
}

func refuseQuery(query string, isOfRecord func(name string) bool) *Problem {
	var faults []Fault
	for name := range sfenurl.Parameters(query) {
		if isOfRecord(name) {
			faults = append(faults, fault("query."+name, isOfBody))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return Invalid(faults)
}
