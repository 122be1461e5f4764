//go:build !board

package wire

import (
	"errors"
	"time"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/games"
)

// A GameQuestion is what is asked of POST /v1/games, understood.
type GameQuestion struct {
	Start  shogi.Position
	Moves  []shogi.Move
	Limits games.Limits
	Time   time.Duration
	Notes  []Note
}

// Game reads the body of POST /v1/games in JSON.
func (r *Reader) Game(query string, body []byte, q *GameQuestion) *Problem {
	if p := refuseQuery(query, r.gameLimits.Has); p != nil {
		return p
	}
	var req GameRequest
	faults, p := r.game.Decode(body, &req)
	if p != nil {
		return p
	}
	// The decoder allows only formats that there are; without one it is detected.
	format, _ := notation.ParseFormat(req.Format)
	return r.setGame(q, &req.Limits, faults, "body.text", []byte(req.Text),
		notation.Options{Charset: notation.UTF8, Format: format})
}

// GameRecord reads a record that is the body of POST /v1/games.
func (r *Reader) GameRecord(query string, body []byte, opts notation.Options, q *GameQuestion) *Problem {
	var limits GameLimits
	faults := r.gameLimits.DecodeQuery(query, &limits)
	return r.setGame(q, &limits, faults, "body", body, opts)
}

func (r *Reader) setGame(q *GameQuestion, l *GameLimits, faults []Fault, location string, text []byte,
	opts notation.Options) *Problem {
	if len(text) > 0 { // else there is a fault already
		record, err := notation.Parse(text, opts)
		if err == nil {
			q.Start, q.Moves, q.Notes = record.Start, record.Moves(), RecordNotes(record)
			err = games.Check(q.Moves)
		}
		switch e, ok := errors.AsType[*notation.Error](err); {
		case ok:
			for _, f := range RecordFaults("body", e) {
				f.Location = location
				faults = append(faults, f)
			}
		case err != nil:
			faults = append(faults, ErrorFault(location, err))
		}
	}
	if len(faults) > 0 {
		return Invalid(faults)
	}
	q.Limits.Nodes = l.Nodes
	_, _, q.Time = r.Bounds.Analysis.Apply(&AnalyzeLimits{TimeMS: l.TimeMS})
	return nil
}

// A GameAnswer says what the moves of a game have done.
type GameAnswer struct {
	SFEN      string `json:"sfen"` // that the game begins with
	Moves     int    `json:"moves" minimum:"0"`
	Judged    int    `json:"judged" minimum:"0"`
	Reason    string `json:"reason,omitempty" enum:"limit_time,cancelled"` // why not all are judged
	SummaryJa string `json:"summary_ja"`
	SummaryEn string `json:"summary_en"`

	Marks []GameMark `json:"marks"`
	Mates []GameMate `json:"mates"`
	Open  []GameOpen `json:"open"`
	Nodes uint64     `json:"nodes" minimum:"0"`
	Notes []Note     `json:"notes,omitempty"`

	ElapsedUS *int64 `json:"elapsed_us,omitempty" minimum:"0"`
}

// A GameMark says what a move of a game has done.
type GameMark struct {
	Ply  int    `json:"ply" minimum:"1"`
	Side string `json:"side" enum:"black,white"`
	MoveText
	Kind   string   `json:"kind" enum:"mate_missed,mate_kept,mate_allowed,threat_made,threat_ignored,brinkmate_made"`
	State  string   `json:"state" enum:"proven,unknown"`
	Reason string   `json:"reason,omitempty"` // why it is unknown
	Plies  int      `json:"plies,omitempty" minimum:"1"`
	Exact  bool     `json:"exact,omitempty"`
	Longer *int     `json:"longer,omitempty" minimum:"0"`
	Other  string   `json:"other,omitempty"`
	SFEN   string   `json:"sfen"` // that the line begins with
	Line   []string `json:"line"`
	LineJa []string `json:"line_ja"`
	LineEn []string `json:"line_en"`
	TextJa string   `json:"text_ja"`
	TextEn string   `json:"text_en"`
}

// A GameMate is a position of a game in which the side to move mates.
type GameMate struct {
	After int      `json:"after" minimum:"0"` // so many moves
	SFEN  string   `json:"sfen"`
	Plies int      `json:"plies" minimum:"1"`
	Exact bool     `json:"exact,omitempty"`
	Line  []string `json:"line"`
}

// A GameOpen is a position of a game in which a question is open.
type GameOpen struct {
	After    int    `json:"after" minimum:"0"` // so many moves
	Question string `json:"question" enum:"mate,threat"`
	Reason   string `json:"reason"`
}

// Summary returns the summary in a language, "ja" or "en".
func (a *GameAnswer) Summary(language string) string {
	return report.Text{Ja: a.SummaryJa, En: a.SummaryEn}.In(language)
}

// Text returns the text in a language, "ja" or "en".
func (m *GameMark) Text(language string) string {
	return report.Text{Ja: m.TextJa, En: m.TextEn}.In(language)
}

// NewGameAnswer returns what was found out about a game.
func NewGameAnswer(start shogi.Position, moves []shogi.Move, g *games.Game) *GameAnswer {
	summary := report.GameSummary(g, len(moves), start.SideToMove())
	a := &GameAnswer{SFEN: start.SFEN(), Moves: len(moves), Judged: g.Moves, Reason: string(g.Reason),
		SummaryJa: summary.Ja, SummaryEn: summary.En, Marks: []GameMark{}, Mates: []GameMate{},
		Open: []GameOpen{}, Nodes: g.Nodes}
	p, previous, played := start, shogi.NoSquare, 0
	for i := range g.Marks {
		m := &g.Marks[i]
		for ; played < m.Ply-1; played++ {
			previous = moves[played].To()
			p.Do(moves[played])
		}
		a.Marks = append(a.Marks, newGameMark(&p, moves[played], previous, m))
	}
	p, played = start, 0
	for _, m := range g.Mates {
		for ; played < m.After; played++ {
			p.Do(moves[played])
		}
		a.Mates = append(a.Mates, GameMate{m.After, p.SFEN(), len(m.Line), m.Exact, movetext.USILine(m.Line)})
	}
	for _, o := range g.Open {
		question := "mate"
		if o.Threat {
			question = "threat"
		}
		a.Open = append(a.Open, GameOpen{o.After, question, string(o.Reason)})
	}
	return a
}

func newGameMark(p *shogi.Position, move shogi.Move, previous shogi.Square, m *games.Mark) GameMark {
	text := report.GameMark(p, move, m)
	at := m.From(*p, move)
	mark := GameMark{Ply: m.Ply, Side: p.SideToMove().String(), MoveText: newMove(p, move, previous),
		Kind: m.Kind.String(), State: "proven", Reason: string(m.Reason), Plies: len(m.Line), Exact: m.Exact,
		SFEN: at.SFEN(), TextJa: text.Ja, TextEn: text.En, Line: movetext.USILine(m.Line),
		LineJa: movetext.JapaneseLine(at, m.Line), LineEn: movetext.EnglishLine(at, m.Line)}
	if m.Reason != solver.NoReason {
		mark.State = "unknown"
	}
	if m.Other != shogi.NoMove {
		mark.Other = m.Other.String()
	}
	if longer, ok := m.Longer(); ok && m.Kind == games.MateKept {
		mark.Longer = &longer
	}
	return mark
}
