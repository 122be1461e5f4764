package wire

import (
	"time"

	"github.com/tsumero/tsumero/solver"
)

// A SolveRequest asks whether there is a forced mate: the body of POST /v1/solve.
type SolveRequest struct {
	SFEN   string        `json:"sfen" minLength:"1"`
	Hands  string        `json:"hands,omitempty" enum:"as_given,complete"`
	Limits RequestLimits `json:"limits,omitzero"`
}

// A BatchRequest is a line of POST /v1/solve/batch.
type BatchRequest struct {
	ID ID `json:"id,omitempty"`
	SolveRequest
}

// A MovesRequest asks about every move: the body of POST /v1/moves.
type MovesRequest struct {
	SFEN     string        `json:"sfen" minLength:"1"`
	Attacker string        `json:"attacker,omitempty" enum:"black,white"`
	Hands    string        `json:"hands,omitempty" enum:"as_given,complete"`
	Author   string        `json:"author,omitempty"` // what the author's line plays here
	Limits   RequestLimits `json:"limits,omitzero"`
}

// A MovesLinkRequest is a MovesRequest in the query of GET /v1/moves.
type MovesLinkRequest struct {
	SFEN     string `json:"sfen"`
	Attacker string `json:"attacker,omitempty" enum:"black,white"`
	Hands    string `json:"hands,omitempty" enum:"as_given,complete"`
	Author   string `json:"author,omitempty"`
	RequestLimits
}

// A LinkRequest is a SolveRequest in the query of GET /v1/solve.
type LinkRequest struct {
	SFEN string `json:"sfen"`
	LinesRequest
}

// A RecordRequest is what the query of POST /v1/solve says of a record in the body.
type RecordRequest struct {
	After int `json:"after,omitempty" minimum:"0"`
	LinesRequest
}

// A LinesRequest is what a query says of the lines of a body, each a BatchRequest, that do not say
// it themselves.
type LinesRequest struct {
	Hands string `json:"hands,omitempty" enum:"as_given,complete"`
	RequestLimits
}

// A SimilarRequest asks which known problems one is like: the body of POST /v1/similar.
type SimilarRequest struct {
	SFEN     string   `json:"sfen" minLength:"1"`
	Attacker string   `json:"attacker,omitempty" enum:"black,white"`
	Hands    string   `json:"hands,omitempty" enum:"as_given,complete"`
	Line     []string `json:"line,omitempty" maxItems:"9999"`
}

// A SimilarQuery is what the query of POST /v1/similar says: the lists to look in, none for all, and of
// a record in the body what a SimilarRequest says of its problem.
type SimilarQuery struct {
	Known    []string `json:"known,omitempty" maxItems:"64"`
	Attacker string   `json:"attacker,omitempty" enum:"black,white"`
	Hands    string   `json:"hands,omitempty" enum:"as_given,complete"`
}

// A ThreatRequest asks for a mate threat or a brinkmate: the body of POST /v1/threat.
type ThreatRequest struct {
	SFEN       string       `json:"sfen" minLength:"1"`
	Question   string       `json:"question,omitempty" enum:"threat,brinkmate"`
	Attacks    int          `json:"attacks,omitempty" minimum:"1" maximum:"10"`
	FirstMoves bool         `json:"first_moves,omitempty"`
	Move       string       `json:"move,omitempty"`
	Hands      string       `json:"hands,omitempty" enum:"as_given,complete"`
	Limits     ThreatLimits `json:"limits,omitzero"`
}

// ThreatLimits are the RequestLimits of a ThreatRequest.
type ThreatLimits struct {
	Nodes  uint64 `json:"nodes,omitempty" minimum:"1"`
	TimeMS int64  `json:"time_ms,omitempty" minimum:"1"`
}

// A GameRequest asks what the moves of a game have done: the body of POST /v1/games.
type GameRequest struct {
	Text   string     `json:"text" minLength:"1"`
	Format string     `json:"format,omitempty" enum:"notations"`
	Limits GameLimits `json:"limits,omitzero"`
}

// GameLimits say how far to look. What is 0 is absent. They are the query of POST /v1/games with a
// record in the body.
type GameLimits struct {
	Nodes  uint64 `json:"nodes,omitempty" minimum:"1"` // of a question
	TimeMS int64  `json:"time_ms,omitempty" minimum:"1"`
}

// RequestLimits say how far to search. What is 0 is absent: as far as the service goes. To add a
// limit, add a field here, and what it means to Bounds.Apply and, if there is a largest value, to
// Bounds.Most. Length is no limit of a search: it is in the Question.
type RequestLimits struct {
	Plies    int    `json:"plies,omitempty" minimum:"1"`
	Nodes    uint64 `json:"nodes,omitempty" minimum:"1"`
	TimeMS   int64  `json:"time_ms,omitempty" minimum:"1"`
	Shortest bool   `json:"shortest,omitempty"`
	Check    bool   `json:"check,omitempty"`
	Length   string `json:"length,omitempty" enum:"F0,F1,F2,F3"`
}

// Bounds are the largest values that a service takes for the limits of a request, and the default
// of the time. That of the nodes is the largest value. Those of analyses and of play are apart.
type Bounds struct {
	Plies       int
	Nodes       uint64
	Time        time.Duration // whole milliseconds
	DefaultTime time.Duration
	Analysis    AnalysisBounds
	Play        PlayBounds
}

// Most returns the largest value of a field of RequestLimits, by its name in JSON. ok is false if
// it has none.
func (b *Bounds) Most(name string) (most uint64, ok bool) {
	switch name {
	case "plies":
		return uint64(b.Plies), true
	case "nodes":
		return b.Nodes, true
	case "time_ms":
		return uint64(b.Time.Milliseconds()), true
	}
	return 0, false
}

// Apply returns what valid limits mean to a solver, and the time the search may take.
func (b *Bounds) Apply(l *RequestLimits) (solver.Limits, time.Duration) {
	lim := solver.Limits{Plies: l.Plies, Nodes: b.Nodes, Shortest: l.Shortest, Check: l.Check}
	if l.Nodes > 0 {
		lim.Nodes = l.Nodes
	}
	if l.TimeMS > 0 {
		return lim, time.Duration(l.TimeMS) * time.Millisecond
	}
	return lim, b.DefaultTime
}

// An ID is a string or a number in JSON, of at most 256 bytes, that goes back with the answer as it
// was sent.
type ID []byte

// MarshalJSON returns the id.
func (id ID) MarshalJSON() ([]byte, error) { return id, nil }

// UnmarshalJSON takes any JSON. A Decoder takes only strings and numbers.
func (id *ID) UnmarshalJSON(text []byte) error {
	*id = append((*id)[:0], text...)
	return nil
}
