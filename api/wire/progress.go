package wire

import (
	"encoding/json"
	"math"
	"time"

	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver"
)

// A ProgressEvent says how a search goes: the data of an event "progress".
type ProgressEvent struct {
	Phase          string   `json:"phase" enum:"waiting,searching,verifying,shortening,choosing"`
	ElapsedMS      int64    `json:"elapsed_ms" minimum:"0"`
	Nodes          uint64   `json:"nodes"`
	NodesPerSecond uint64   `json:"nodes_per_second"`
	PN             uint64   `json:"pn,omitempty"`
	DN             uint64   `json:"dn,omitempty"`
	Moves          []string `json:"moves,omitempty"`
	Mate           int      `json:"mate,omitempty"`
	NoMateWithin   int      `json:"no_mate_within,omitempty"`
	TableFill      float64  `json:"table_fill" minimum:"0" maximum:"1"`
}

// NewProgressEvent says how a search goes; nil is one that waits for its slot.
func NewProgressEvent(p *solver.Progress, elapsed time.Duration) *ProgressEvent {
	if p == nil {
		return &ProgressEvent{Phase: "waiting", ElapsedMS: elapsed.Milliseconds()}
	}
	e := &ProgressEvent{Phase: p.Phase.String(), ElapsedMS: elapsed.Milliseconds(), Nodes: p.Nodes,
		PN: p.PN, DN: p.DN, Moves: movetext.USILine(p.Line), Mate: p.Mate, NoMateWithin: p.NoMateWithin,
		TableFill: float64(int(p.TableFill*1000)) / 1000}
	var spent time.Duration
	for _, d := range p.Spent {
		spent += d
	}
	if spent > 0 {
		e.NodesPerSecond = uint64(math.Round(float64(p.Nodes) / spent.Seconds()))
	}
	return e
}

// An AnalyzeProgressEvent says how an analysis goes: the data of an event "progress".
type AnalyzeProgressEvent struct {
	Phase     string `json:"phase" enum:"waiting,verdict,lengths,line,defence,attack,optional"`
	Done      int    `json:"done" minimum:"0"`
	Total     int    `json:"total" minimum:"0"`
	Nodes     uint64 `json:"nodes"`
	ElapsedMS int64  `json:"elapsed_ms" minimum:"0"`
}

// A FactEvent says what an analysis has found out: the data of an event "fact". Value is what the
// AnalyzeAnswer will have at Pointer, as far as it is known.
type FactEvent struct {
	Pointer string          `json:"pointer" format:"json-pointer"`
	Value   json.RawMessage `json:"value"`
}
