//go:build !board

package wire

import (
	"context"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/threat"
)

// The questions of a ThreatRequest.
const (
	AskThreat    = "threat"
	AskBrinkmate = "brinkmate"
)

// A ThreatQuestion is what is asked of POST /v1/threat and of the command threat, understood.
type ThreatQuestion struct {
	Position shogi.Position
	SFEN     string // of the position, by its method ProblemSFEN
	Kind     string // AskThreat or AskBrinkmate
	Limits   threat.Limits
	Time     time.Duration
}

// Attacker returns the side that may threaten, which is not to move, or may have a brinkmate.
func (q *ThreatQuestion) Attacker() shogi.Color {
	if q.Kind == AskBrinkmate {
		return q.Position.SideToMove()
	}
	return q.Position.SideToMove().Opponent()
}

// SetPosition makes p, with hands as a request says, the position asked about. Kind must be set.
func (q *ThreatQuestion) SetPosition(p shogi.Position, hands string) error {
	q.Position = p
	ApplyHands(&q.Position, q.Attacker().Opponent(), hands)
	q.SFEN = q.Position.ProblemSFEN()
	return threat.Valid(&q.Position, q.Attacker())
}

// Ask asks s the question, which must be valid.
func (q *ThreatQuestion) Ask(ctx context.Context, s *threat.Searcher) (threat.Result, error) {
	if q.Kind == AskBrinkmate {
		return s.Brinkmate(ctx, q.Position, q.Limits)
	}
	return s.Threat(ctx, q.Position, q.Limits)
}

// Threat reads the body of POST /v1/threat.
func (r *Reader) Threat(body []byte, q *ThreatQuestion) *Problem {
	var req ThreatRequest
	faults, problem := r.threat.Decode(body, &req)
	if problem != nil {
		return problem
	}
	*q = ThreatQuestion{Kind: AskThreat}
	if req.Question != "" {
		q.Kind = req.Question
	}
	if req.SFEN != "" { // else there is a fault already
		p, _, err := shogi.ParseProblem(req.SFEN)
		if err != nil {
			faults = append(faults, PositionFaults("body.sfen", err)...)
		} else if err := q.SetPosition(p, req.Hands); err != nil {
			faults = append(faults, ErrorFault("body.sfen", err))
		}
	}
	only := shogi.NoMove
	if req.Move != "" && len(faults) == 0 {
		m, f := legalMove(&q.Position, "body.move", req.Move)
		if only = m; f != nil {
			faults = append(faults, *f)
		}
	}
	if len(faults) > 0 {
		return Invalid(faults)
	}
	lim, limit := r.Bounds.Apply(&RequestLimits{Nodes: req.Limits.Nodes, TimeMS: req.Limits.TimeMS})
	q.Limits = threat.Limits{Nodes: lim.Nodes, Attacks: req.Attacks, FirstMoves: req.FirstMoves, Only: only}
	q.Time = limit
	return nil
}

// A ThreatAnswer says whether there is a mate threat or a brinkmate. Fields that do not apply are
// absent.
type ThreatAnswer struct {
	SFEN     string `json:"sfen"`
	Attacker string `json:"attacker" enum:"black,white"`
	Question string `json:"question" enum:"threat,brinkmate"`
	Verdict  string `json:"verdict" enum:"threat,no_threat,mate,brinkmate,none_within,unknown"`
	Attacks  int    `json:"attacks,omitempty" minimum:"1"`
	Plies    int    `json:"plies,omitempty" minimum:"1"`
	Exact    *bool  `json:"exact,omitempty"`

	Moves   []string `json:"moves,omitempty"`
	MovesJa []string `json:"moves_ja,omitempty"`
	MovesEn []string `json:"moves_en,omitempty"`

	FirstMoves []MoveText      `json:"first_moves,omitempty"`
	OpenMoves  []MoveText      `json:"open_moves,omitempty"`
	Replies    []ThreatReplies `json:"replies,omitempty"`
	Refutation *MoveText       `json:"refutation,omitempty"`
	Reason     string          `json:"reason,omitempty" enum:"limit_nodes,limit_time,limit_memory,limit_proof,cancelled,solver_depth,unverified"`
	Nodes      uint64          `json:"nodes"`
	Notes      []Note          `json:"notes,omitempty"`
	ElapsedUS  *int64          `json:"elapsed_us,omitempty" minimum:"0"`
}

// ThreatReplies are replies to the last attack that are of one kind, and if they are drops on one
// square.
type ThreatReplies struct {
	Kind    string        `json:"kind" enum:"check,capture,king_move,drop,move"`
	Square  string        `json:"square,omitempty"`
	Replies []ThreatReply `json:"replies"`
}

// A ThreatReply is a reply to the last attack, and how the attacker mates after it.
type ThreatReply struct {
	MoveText
	Mate   []string `json:"mate"`
	MateJa []string `json:"mate_ja"`
	MateEn []string `json:"mate_en"`
}

// NewThreatAnswer returns what a search of q found.
func NewThreatAnswer(q *ThreatQuestion, r *threat.Result) *ThreatAnswer {
	a := &ThreatAnswer{SFEN: q.SFEN, Attacker: q.Attacker().String(), Question: q.Kind, Verdict: r.Verdict.String(),
		Attacks: r.Attacks, Reason: string(r.Reason), Nodes: r.Nodes}
	p := q.Position
	switch r.Verdict {
	case threat.Threat:
		p.ForSearch().DoNull()
		a.Plies = len(r.Line)
	case threat.Mate:
		a.Plies = len(r.Line)
	case threat.Brinkmate:
		a.Plies, a.Exact = threat.Plies(r.Attacks), &r.Exact
	}
	if len(r.Line) > 0 {
		a.Moves, a.MovesJa, a.MovesEn = writeLine(p, r.Line)
	}
	for _, m := range r.FirstMoves {
		a.FirstMoves = append(a.FirstMoves, newMove(&p, m, shogi.NoSquare))
	}
	for _, m := range r.Open {
		a.OpenMoves = append(a.OpenMoves, newMove(&p, m, shogi.NoSquare))
	}
	if r.Refutation != shogi.NoMove {
		after := p.After(q.Limits.Only)
		m := newMove(&after, r.Refutation, q.Limits.Only.To())
		a.Refutation = &m
	}
	if r.Plan != nil {
		a.setReplies(p, r.Plan)
	}
	return a
}

// setReplies adds the replies to the last attack of the line of a plan for p.
func (a *ThreatAnswer) setReplies(p shogi.Position, plan *threat.Plan) {
	last, _ := plan.Last(&p)
	groups := last.Groups(p)
	p.Do(last.Attack)
	for _, g := range groups {
		list := ThreatReplies{Kind: g.Kind.String()}
		if g.Square != shogi.NoSquare {
			list.Square = g.Square.String()
		}
		for _, r := range g.Replies {
			after := p.After(r.Move)
			one := ThreatReply{MoveText: newMove(&p, r.Move, last.Attack.To())}
			one.Mate, one.MateJa, one.MateEn = writeLineAfter(r.Move.To(), after, r.Mate.Line(after))
			list.Replies = append(list.Replies, one)
		}
		a.Replies = append(a.Replies, list)
	}
}
