package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/sched"
)

// A movesRequest is the body of POST /v1/moves. The bounds of the limits are those of the Config: see openapi.go.
type movesRequest struct {
	SFEN     string        `json:"sfen" minLength:"1" doc:"As in the body of POST /v1/solve."`
	Attacker string        `json:"attacker,omitempty" enum:"black,white" doc:"The side that is to force mate. Needed only where both kings are on the board and the defender is to move, for then the position alone reads as an attack by the side to move. Default: as in POST /v1/solve."`
	Limits   requestLimits `json:"limits,omitempty" doc:"As in the body of POST /v1/solve, for the work on all moves together. plies are counted from the position, before the move."`
}

// A movesAnswer is the body of a 200. Fields that do not apply are absent.
type movesAnswer struct {
	SFEN      string       `json:"sfen" doc:"The position in canonical SFEN, as in an answer of POST /v1/solve."`
	Attacker  string       `json:"attacker" enum:"black,white" doc:"The side that is to force mate."`
	Side      string       `json:"side" enum:"attacker,defender" doc:"Who is to move, and so whose moves these are: the attacker's checks or the defender's replies."`
	Verdict   string       `json:"verdict" enum:"mate,nomate,unknown" doc:"Of the position, as in an answer of POST /v1/solve."`
	Plies     *int         `json:"plies,omitempty" minimum:"0" doc:"Of a mate: the length with the best move. 0 if the defender is mated already."`
	Exact     *bool        `json:"exact,omitempty" doc:"Of a mate: that length is proven to be right. If false, it is an upper bound."`
	Best      string       `json:"best,omitempty" doc:"The attacker's check with the shortest mate known, or the defender's reply that escapes, else the one with the longest resistance. Of moves that are equally good, the one that POST /v1/solve plays. Absent if there is none or not enough is known."`
	Reason    string       `json:"reason,omitempty" enum:"limit_plies,limit_nodes,limit_time,cancelled,solver_depth,unverified,overloaded,settled" doc:"Why a move is unknown, of the first that is. Absent if each is decided."`
	Moves     []moveAnswer `json:"moves" nullable:"false" doc:"Every legal check, or, if the defender is to move, every legal reply; the best move first, those that come to little last."`
	Nodes     uint64       `json:"nodes" doc:"How many positions were looked at for all moves together."`
	ElapsedUS *int64       `json:"elapsed_us,omitempty" minimum:"0" doc:"How long that took, in microseconds, waiting included."`
}

// A moveAnswer is what a movesAnswer says of one move.
type moveAnswer struct {
	Move         string   `json:"move" doc:"The move in USI."`
	MoveJa       string   `json:"move_ja" doc:"The move as Japanese records write it."`
	Verdict      string   `json:"verdict" enum:"mate,nomate,unknown" doc:"Of the position if this move is played."`
	Plies        *int     `json:"plies,omitempty" minimum:"1" doc:"Of a mate: its length from the position, this move counted."`
	Exact        *bool    `json:"exact,omitempty" doc:"Of a mate: it is proven that there is no shorter one after this move. If false, plies is an upper bound. With limits.shortest the moves that may be best are searched until they are exact, as far as the other limits allow; others need not be."`
	NoMateWithin int      `json:"no_mate_within,omitempty" minimum:"1" doc:"It is proven that there is no mate in that many plies or fewer if this move is played, this move counted."`
	Line         []string `json:"line" nullable:"false" doc:"Begins with the move. Of a mate, all its moves; of a check that does not mate, the check and a reply that refutes it, if one was found within the limits."`
	LineJa       []string `json:"line_ja" nullable:"false" doc:"The same moves as Japanese records write them."`
	Reason       string   `json:"reason,omitempty" enum:"limit_plies,limit_nodes,limit_time,cancelled,solver_depth,unverified,overloaded,settled" doc:"As in an answer of POST /v1/solve. limit_nodes and limit_time: this move's share of the limit was used up. overloaded: the move needs a long search, and all places for those were taken. settled: the reply needs a long search, which it did not get, since another reply leaves no mate."`
}

// setAttacker makes the side of that name the one that is to force mate.
func (q *question) setAttacker(location, name string) []fault {
	side := shogi.Black
	if name == shogi.White.String() {
		side = shogi.White
	}
	switch err := analysis.ValidAttacker(&q.Position, side); {
	case errors.Is(err, analysis.ErrNoKing):
		return []fault{{Location: location, Code: "no_defender", Message: fmt.Sprintf("%s has no king to mate", side.Opponent())}}
	case errors.Is(err, analysis.ErrNoCheck):
		return []fault{{Location: location, Code: "no_check", Message: fmt.Sprintf("%s is to move and not in check, so there is no attack by %s to reply to", q.Position.SideToMove(), side)}}
	}
	q.Attacker = side
	return nil
}

// A movesInput is a body that is read by the parser.
type movesInput struct {
	RawBody []byte `contentType:"application/json"`
	question
}

// Resolve reads the question. Huma calls it when it has the body.
func (in *movesInput) Resolve(ctx huma.Context) []error {
	if _, p := exchangeOf(ctx.Context()).server.choices.parse(in.RawBody, &in.question); p != nil {
		return []error{p}
	}
	in.Task = exchangeOf(ctx.Context()).server.moves
	return nil
}

func (s *Server) postMoves(ctx context.Context, in *movesInput) (*huma.StreamResponse, error) {
	a, err := s.answer(ctx, &in.question)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(huma.Context) {
		_, _ = exchangeOf(ctx).Write(timedBody(a)) // a client that is gone needs no answer
	}}, nil
}

// answerMoves answers a question about every move: it is the Task of those.
func answerMoves(ctx context.Context, q *sched.Question, parts *sched.Parts) (*sched.Answer, error) {
	began := time.Now()
	report, err := analysis.Moves(ctx, parts, q.Position, q.Attacker,
		analysis.Limits{Limits: q.Limits, Time: q.Time, QuickNodes: parts.QuickNodes()})
	if err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(encode(newMovesAnswer(q, report)), []byte("}\n"))
	return &sched.Answer{
		Result:     solver.Result{Verdict: report.Verdict, Reason: report.Reason},
		Rendered:   text[:len(text):len(text)],
		Elapsed:    time.Since(began),
		Repeatable: report.Repeatable,
	}, nil
}

// newMovesAnswer turns a report into the answer to q.
func newMovesAnswer(q *sched.Question, r *analysis.Report) *movesAnswer {
	a := &movesAnswer{SFEN: q.SFEN, Attacker: q.Attacker.String(), Side: "attacker", Verdict: r.Verdict.String(),
		Reason: string(r.Reason), Moves: []moveAnswer{}, Nodes: r.Nodes}
	if r.ByDefender {
		a.Side = "defender"
	}
	if r.Verdict == solver.Mate {
		a.Plies, a.Exact = &r.Plies, &r.Exact
	}
	if r.Best != shogi.NoMove {
		a.Best = r.Best.String()
	}
	for i := range r.Moves {
		v := &r.Moves[i]
		m := moveAnswer{Move: v.Move.String(), Verdict: v.Verdict.String(), NoMateWithin: v.NoMateWithin,
			Reason: string(v.Reason), LineJa: notation.JapaneseLine(q.Position, v.Line)}
		m.MoveJa = m.LineJa[0]
		for _, step := range v.Line {
			m.Line = append(m.Line, step.String())
		}
		if v.Verdict == solver.Mate {
			m.Plies, m.Exact = ptr(v.Plies()), &v.Exact
		}
		a.Moves = append(a.Moves, m)
	}
	return a
}
