package wire

import (
	"slices"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/sfenurl"
	"github.com/tsumero/tsumero/solver/play"
)

// A PlayRequest asks for a move in a game: the body of POST /v1/play.
type PlayRequest struct {
	SFEN   string     `json:"sfen" minLength:"1"`
	Level  string     `json:"level"`
	Seed   uint64     `json:"seed,omitempty" minimum:"0"`
	Rules  PlayRules  `json:"rules,omitzero"`
	Limits PlayLimits `json:"limits,omitzero"`
}

// A PlayLinkRequest is a PlayRequest in the query of GET /v1/play.
type PlayLinkRequest struct {
	SFEN  string `json:"sfen"`
	Level string `json:"level"`
	Seed  uint64 `json:"seed,omitempty" minimum:"0"`
	PlayRules
	PlayLimits
}

// PlayRules are what ends a game besides mate and repetition. What is empty is absent.
type PlayRules struct {
	MaxMoves     int    `json:"max_moves,omitempty" minimum:"1"`
	LastMove     string `json:"last_move,omitempty" enum:"mate_wins,mate_draws,extend_checks"`
	EnteringKing string `json:"entering_king,omitempty" enum:"csa_27,none"`
}

// PlayLimits say how far to look ahead. There is no limit of time: the same question has the same
// answer at every load.
type PlayLimits struct {
	Nodes uint64 `json:"nodes,omitempty" minimum:"1"`
	Depth int    `json:"depth,omitempty" minimum:"1"`
}

// PlayBounds are what a service takes of requests to play.
type PlayBounds struct {
	Levels       []string // by their names; none if it does not play
	Nodes        uint64
	DefaultNodes uint64
}

// The bounds of every service. A JSON number is exact up to maxSeed in every language.
const (
	MaxPlayDepth = 64
	MaxPlayMoves = 2000 // before the position; an engine looks through them at each repetition
	maxSeed      = 1<<53 - 1
	maxLastMove  = 9999
)

// Most returns the largest value of a field of a PlayRequest, by its name in JSON. ok is false if
// it has none.
func (b *PlayBounds) Most(name string) (most uint64, ok bool) {
	switch name {
	case "nodes":
		return b.Nodes, true
	case "depth":
		return MaxPlayDepth, true
	case "seed":
		return maxSeed, true
	case "max_moves":
		return maxLastMove, true
	}
	return 0, false
}

// A PlayQuestion is what a request to play asks, understood and within the bounds.
type PlayQuestion struct {
	Game   shogi.Game
	Level  string
	Seed   uint64
	Limits play.Limits // Depth, Nodes and Rules
}

// Play reads the body of POST /v1/play.
func (r *Reader) Play(body []byte, q *PlayQuestion) *Problem {
	var req PlayRequest
	faults, problem := r.play.Decode(body, &req)
	if problem != nil {
		return problem
	}
	if req.SFEN != "" { // else there is a fault already
		game, err := shogi.ParsePosition(req.SFEN)
		faults = append(faults, q.setGame("body.sfen", game, err)...)
	}
	return r.finishPlay("body", &req, faults, q)
}

// PlayLink reads the query of GET /v1/play.
func (r *Reader) PlayLink(query string, q *PlayQuestion) *Problem {
	var req PlayLinkRequest
	faults := r.playLink.DecodeQuery(query, &req)
	if req.SFEN != "" {
		game, err := sfenurl.Parse(req.SFEN)
		faults = append(faults, q.setGame("query.sfen", game, err)...)
	}
	return r.finishPlay("query", &PlayRequest{SFEN: req.SFEN, Level: req.Level, Seed: req.Seed,
		Rules: req.PlayRules, Limits: req.PlayLimits}, faults, q)
}

// setGame takes over a game that was read, or returns what is wrong with it.
func (q *PlayQuestion) setGame(location string, game shogi.Game, err error) (faults []Fault) {
	if err != nil {
		return PositionFaults(location, err)
	}
	p := game.Position()
	if p.King(shogi.Black) == shogi.NoSquare && p.King(shogi.White) == shogi.NoSquare {
		faults = append(faults, fault(location, noKing))
	}
	if n := len(game.Moves()); n > MaxPlayMoves {
		faults = append(faults, fault(location, tooManyMoves, n, MaxPlayMoves))
	}
	q.Game = game
	return faults
}

// The names of the rules, in the order of the constants of packages play and shogi.
var (
	lastMoveRules     = []string{"mate_wins", "mate_draws", "extend_checks"}
	enteringKingRules = []string{"csa_27", "none"}
)

func (r *Reader) finishPlay(part string, req *PlayRequest, faults []Fault,
	q *PlayQuestion) *Problem {
	b := &r.Bounds.Play
	if req.Level != "" && !slices.Contains(b.Levels, req.Level) {
		faults = append(faults, fault(part+".level", notOneOf, strings.Join(b.Levels, ", ")))
	}
	if len(faults) > 0 {
		return Invalid(faults)
	}
	q.Level, q.Seed = req.Level, req.Seed
	q.Limits = play.Limits{Depth: req.Limits.Depth, Nodes: b.DefaultNodes,
		Rules: play.Rules{MaxMoves: req.Rules.MaxMoves}}
	if req.Limits.Nodes > 0 {
		q.Limits.Nodes = req.Limits.Nodes
	}
	// The decoder allows only the names that there are; none is the first.
	q.Limits.Rules.LastMove =
		play.LastMoveRule(max(0, slices.Index(lastMoveRules, req.Rules.LastMove)))
	q.Limits.Rules.EnteringKing =
		shogi.EnteringKingRule(max(0, slices.Index(enteringKingRules, req.Rules.EnteringKing)))
	return nil
}

// The kinds of a PlayAnswer.
const (
	Opinion = "opinion" // a move was chosen
	Over    = "outcome" // the game is over, by its rules
)

// A PlayAnswer is a move that a level chose, or how the game has ended. Fields that do not apply
// are absent.
type PlayAnswer struct {
	SFEN      string     `json:"sfen"`
	Level     string     `json:"level"`
	Kind      string     `json:"kind" enum:"opinion,outcome"`
	Move      string     `json:"move,omitempty"`
	MoveJa    string     `json:"move_ja,omitempty"`
	MoveEn    string     `json:"move_en,omitempty"`
	SFENAfter string     `json:"sfen_after,omitempty"`
	Outcome   string     `json:"outcome,omitempty" enum:"mate,nomove,repetition,perpetual,limit,declaration"`
	Winner    string     `json:"winner,omitempty" enum:"black,white"`
	Score     *PlayScore `json:"score,omitempty"`
	Line      []string   `json:"line,omitempty"`
	LineJa    []string   `json:"line_ja,omitempty"`
	LineEn    []string   `json:"line_en,omitempty"`
	Mate      *PlayMate  `json:"mate,omitempty"`
	Depth     int        `json:"depth,omitempty" minimum:"1"`
	Nodes     *uint64    `json:"nodes,omitempty" minimum:"0"`
}

// A PlayScore is what a level thinks of the position, from the view of the side to move: one of the
// two.
type PlayScore struct {
	CP   *int `json:"cp,omitempty"`
	Mate *int `json:"mate,omitempty"`
}

// A PlayMate is a mate that is proven.
type PlayMate struct {
	Plies    int  `json:"plies" minimum:"1"`
	Verified bool `json:"verified"`
}

// NewOutcomeAnswer returns the answer for a game that is over.
func NewOutcomeAnswer(q *PlayQuestion, o play.Outcome) *PlayAnswer {
	p := q.Game.Position()
	a := &PlayAnswer{SFEN: p.SFEN(), Level: q.Level, Kind: Over}
	a.setOutcome(o)
	return a
}

func (a *PlayAnswer) setOutcome(o play.Outcome) {
	a.Outcome = o.End.String()
	if o.End.IsWon() {
		a.Winner = o.Winner.String()
	}
}

// NewPlayAnswer returns what a level chose in a game that is not over. The move must be legal, and
// the line too.
func NewPlayAnswer(q *PlayQuestion, c *play.Choice) *PlayAnswer {
	p := q.Game.Position()
	a := &PlayAnswer{SFEN: p.SFEN(), Level: q.Level, Kind: Opinion, Depth: c.Depth, Nodes: &c.Nodes}
	if c.Declares {
		a.Kind, a.Outcome, a.Winner = Over, "declaration", p.SideToMove().String()
		return a
	}
	game := q.Game // which q needs no more
	previous := shogi.NoSquare
	if moves := game.Moves(); len(moves) > 0 {
		previous = moves[len(moves)-1].To()
	}
	line := c.Line
	if len(line) == 0 || line[0] != c.Move {
		line = []shogi.Move{c.Move}
	}
	a.Line, a.LineJa, a.LineEn = writeLineAfter(previous, p, line)
	a.Move, a.MoveJa, a.MoveEn = a.Line[0], a.LineJa[0], a.LineEn[0]
	p.Do(c.Move)
	a.SFENAfter = p.SFEN()
	if c.Depth > 0 { // else it valued nothing
		a.Score = newPlayScore(c.Score)
	}
	if plies, ok := c.Score.Mate(); ok && c.Verified && plies > 0 {
		a.Mate = &PlayMate{Plies: plies, Verified: true}
	}
	game.Do(c.Move)
	a.setOutcome(q.Limits.Rules.Outcome(&game))
	return a
}

func newPlayScore(s play.Score) *PlayScore {
	if plies, ok := s.Mate(); ok {
		return &PlayScore{Mate: &plies}
	}
	cp := int(s)
	return &PlayScore{CP: &cp}
}
