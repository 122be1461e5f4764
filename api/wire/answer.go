package wire

import (
	"slices"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// An Answer says what a solver found. Fields that do not apply are absent.
type Answer struct {
	SFEN         string   `json:"sfen"`
	Attacker     string   `json:"attacker" enum:"black,white"`
	Verdict      string   `json:"verdict" enum:"mate,nomate,unknown"`
	Plies        *int     `json:"plies,omitempty" minimum:"0"`
	Exact        *bool    `json:"exact,omitempty"`
	Moves        []string `json:"moves,omitzero"` // of a position mated already: []
	MovesJa      []string `json:"moves_ja,omitzero"`
	MovesEn      []string `json:"moves_en,omitzero"`
	NoMateWithin int      `json:"no_mate_within,omitempty" minimum:"1"`
	Reason       string   `json:"reason,omitempty" enum:"limit_plies,limit_nodes,limit_time,limit_proof,cancelled,solver_depth,unverified"`
	Checked      string   `json:"checked,omitempty" enum:"replay,certificate,search"`
	Unchecked    string   `json:"unchecked,omitempty" enum:"limit_nodes,limit_time,limit_members,cancelled,solver_depth"`
	Solver       string   `json:"solver,omitempty"`
	Resumed      bool     `json:"resumed,omitempty"` // the search went on from a checkpoint
	Nodes        uint64   `json:"nodes"`

	Length    *LengthAnswer `json:"length,omitempty"`
	Notes     []Note        `json:"notes,omitempty"`
	ElapsedUS *int64        `json:"elapsed_us,omitempty" minimum:"0"`
}

// A LengthAnswer is the length of a mate under a policy, and that with every legal move counted.
type LengthAnswer struct {
	Policy string         `json:"policy" enum:"F0,F1,F2,F3"`
	Low    int            `json:"low" minimum:"0"`
	High   *int           `json:"high,omitempty" minimum:"0"`
	Raw    LengthInterval `json:"raw"`
	Reason string         `json:"reason,omitempty" enum:"limit_nodes,limit_time,cancelled,overloaded,unverified,not_offered"`
	Futile []FutileMove   `json:"futile,omitempty"`
	// The line of best play by the policy, where that is shorter, or where the other has futile moves.
	Moves   []string `json:"moves,omitempty"`
	MovesJa []string `json:"moves_ja,omitempty"`
	MovesEn []string `json:"moves_en,omitempty"`
}

// SetLine makes a line that of best play.
func (l *LengthAnswer) SetLine(p *shogi.Position, line []shogi.Move) {
	if line != nil {
		l.Moves, l.MovesJa, l.MovesEn = writeLine(*p, line)
	}
}

// A FutileMove is a futile move of a line, and why it is.
type FutileMove struct {
	PlaceAnswer
	FutileAnswer
}

// SetFutile says which moves of the line of a mate are futile, by their index.
func (l *LengthAnswer) SetFutile(p shogi.Position, line []shogi.Move, futile map[int]length.Reply) {
	previous := shogi.NoSquare
	for i, m := range line {
		if r, ok := futile[i]; ok {
			l.Futile = append(l.Futile, FutileMove{
				PlaceAnswer{i + 1, newMove(&p, m, previous)}, newFutile(p, &r)})
		}
		p.Do(m)
		previous = m.To()
	}
}

// newFutile returns why a drop at a position is futile.
func newFutile(p shogi.Position, r *length.Reply) FutileAnswer {
	f := FutileAnswer{Type: r.Futile.String(), NewPiece: r.NewPiece}
	if r.Capture != shogi.NoMove {
		p.Do(r.Move)
		m := newMove(&p, r.Capture, r.Move.To())
		f.Capture, f.CaptureJa, f.CaptureEn = m.Move, m.MoveJa, m.MoveEn
	}
	return f
}

// NewLengthAnswer returns what is known of the length of a mate that a search found, under a policy
// and raw, which is no less. reason is why it is not exact.
func NewLengthAnswer(policy length.Policy, by length.Interval, r *solver.Result,
	reason solver.Reason) *LengthAnswer {
	conventional, raw := newInterval(by), length.Raw(r)
	raw.Low = max(raw.Low, by.Low)
	return &LengthAnswer{Policy: policy.String(), Low: conventional.Low, High: conventional.High,
		Raw: *newInterval(raw), Reason: string(reason)}
}

// NewAnswer returns what a search of a position found. sfen is that of the position, by its method
// ProblemSFEN.
func NewAnswer(p *shogi.Position, sfen string, attacker shogi.Color, r *solver.Result) Answer {
	a := Answer{
		SFEN:         sfen,
		Attacker:     attacker.String(),
		Verdict:      r.Verdict.String(),
		NoMateWithin: r.NoMateWithin,
		Reason:       string(r.Reason),
		Checked:      string(r.Checked),
		Unchecked:    string(r.Unchecked),
		Solver:       r.Solver,
		Resumed:      r.Resumed,
		Nodes:        r.Nodes,
	}
	if r.Verdict == solver.Mate {
		plies := r.Plies()
		a.Plies, a.Exact = &plies, &r.Exact
		a.Moves, a.MovesJa, a.MovesEn = writeLine(*p, r.Line)
	}
	return a
}

// writeLine returns moves, each legal after those before it, in USI, in Japanese and in English. It
// allocates twice, for all texts and for all slices, if there are up to 16 moves.
func writeLine(p shogi.Position, moves []shogi.Move) (usi, ja, en []string) {
	return writeLineAfter(shogi.NoSquare, p, moves)
}

// writeLineAfter is writeLine after a move to a square.
func writeLineAfter(previous shogi.Square, p shogi.Position, moves []shogi.Move) (usi, ja, en []string) {
	texts := make([]byte, 0, 512)
	ends := make([]int, 0, 3*16) // of the texts, three for each move
	for _, m := range moves {
		texts = m.AppendUSI(texts)
		ends = append(ends, len(texts))
		texts = movetext.AppendJapanese(texts, &p, m, previous)
		ends = append(ends, len(texts))
		texts = movetext.AppendEnglish(texts, &p, m)
		ends = append(ends, len(texts))
		previous = m.To()
		p.Do(m)
	}
	n, begin, text := len(moves), 0, string(texts)
	all := make([]string, 3*n)
	for i, end := range ends {
		all[i%3*n+i/3] = text[begin:end]
		begin = end
	}
	return all[:n:n], all[n : 2*n : 2*n], all[2*n:]
}

// Fields returns the fields of the answer but notes and elapsed_us, which are those of an Envelope.
// The position, the words and the moves must be those of NewAnswer, for nothing in them is escaped.
// That is several times as fast as encoding/json.
func (a *Answer) Fields() Fields {
	f := make(Fields, 0, 248+len(a.SFEN)+40*len(a.Moves))
	f = f.plain("sfen", a.SFEN).plain("attacker", a.Attacker).plain("verdict", a.Verdict)
	if a.Plies != nil {
		f = f.number("plies", uint64(*a.Plies))
	}
	if a.Exact != nil {
		f = f.boolean("exact", *a.Exact)
	}
	if a.Moves != nil {
		f = f.plainList("moves", a.Moves)
	}
	if a.MovesJa != nil {
		f = f.plainList("moves_ja", a.MovesJa)
	}
	if a.MovesEn != nil {
		f = f.plainList("moves_en", a.MovesEn)
	}
	if a.NoMateWithin != 0 {
		f = f.number("no_mate_within", uint64(a.NoMateWithin))
	}
	if a.Reason != "" {
		f = f.text("reason", a.Reason)
	}
	if a.Checked != "" {
		f = f.plain("checked", a.Checked)
	}
	if a.Unchecked != "" {
		f = f.plain("unchecked", a.Unchecked)
	}
	if a.Solver != "" {
		f = f.text("solver", a.Solver)
	}
	if a.Resumed {
		f = f.boolean("resumed", true)
	}
	f = f.number("nodes", a.Nodes)
	if a.Length != nil {
		f = AppendJSON(f.name("length"), a.Length)
	}
	return slices.Clip(f) // caches count its memory
}

// Envelope returns the answer as it is written: with its notes and its time.
func (a *Answer) Envelope() Envelope {
	e := Envelope{Answer: a.Fields(), Notes: a.Notes, Timed: a.ElapsedUS != nil}
	if e.Timed {
		e.Elapsed = time.Duration(*a.ElapsedUS) * time.Microsecond
	}
	return e
}

// ParseVerdict returns the verdict of a name, Unknown for any other text.
func ParseVerdict(name string) solver.Verdict {
	v, _ := Named(name, solver.NoMate)
	return v
}

// Named returns the value of a type that has a name, of those from the zero value to last. ok is
// false, and the value zero, if none has it.
func Named[T interface {
	~uint8
	String() string
}](name string, last T) (v T, ok bool) {
	for v := T(0); v <= last; v++ {
		if v.String() == name {
			return v, true
		}
	}
	return 0, false
}

// A MovesAnswer says what each move comes to. Fields that do not apply are absent.
type MovesAnswer struct {
	SFEN      string       `json:"sfen"`
	Attacker  string       `json:"attacker" enum:"black,white"`
	Side      string       `json:"side" enum:"attacker,defender"`
	Verdict   string       `json:"verdict" enum:"mate,nomate,unknown"`
	Plies     *int         `json:"plies,omitempty" minimum:"0"`
	Exact     *bool        `json:"exact,omitempty"`
	Best      string       `json:"best,omitempty"`
	Reason    string       `json:"reason,omitempty" enum:"limit_plies,limit_nodes,limit_time,limit_proof,cancelled,solver_depth,unverified,overloaded,settled"`
	Moves     []MoveAnswer `json:"moves"`
	Nodes     uint64       `json:"nodes"`
	Length    *MovesLength `json:"length,omitempty"`
	Notes     []Note       `json:"notes,omitempty"`
	ElapsedUS *int64       `json:"elapsed_us,omitempty" minimum:"0"`
}

// A MovesLength is the length of a mate under a policy, by which the moves of an answer are in order
// if it is exact.
type MovesLength struct {
	Policy string `json:"policy" enum:"F0,F1,F2,F3"`
	Low    int    `json:"low" minimum:"0"`
	High   int    `json:"high" minimum:"0"`
	Reason string `json:"reason,omitempty" enum:"limit_nodes,limit_time,cancelled,overloaded,unverified,not_offered"`
}

// A MoveAnswer is what a MovesAnswer says of one move.
type MoveAnswer struct {
	MoveText
	Verdict      string   `json:"verdict" enum:"mate,nomate,unknown"`
	Plies        *int     `json:"plies,omitempty" minimum:"1"`
	Exact        *bool    `json:"exact,omitempty"`
	NoMateWithin int      `json:"no_mate_within,omitempty" minimum:"1"`
	Line         []string `json:"line"`
	LineJa       []string `json:"line_ja"`
	LineEn       []string `json:"line_en"`
	Reason       string   `json:"reason,omitempty" enum:"limit_plies,limit_nodes,limit_time,limit_proof,cancelled,solver_depth,unverified,overloaded,settled"`

	Length *LengthInterval `json:"length,omitempty"`
	Futile *FutileAnswer   `json:"futile,omitempty"`
}

// NewMovesAnswer returns what was found out about the moves of a position.
func NewMovesAnswer(p *shogi.Position, attacker shogi.Color, r *analysis.Report) *MovesAnswer {
	a := &MovesAnswer{SFEN: p.ProblemSFEN(), Attacker: attacker.String(), Side: "attacker",
		Verdict: r.Verdict.String(), Reason: string(r.Reason), Moves: []MoveAnswer{}, Nodes: r.Nodes}
	if r.ByDefender {
		a.Side = "defender"
	}
	if r.Verdict == solver.Mate {
		a.Plies, a.Exact = &r.Plies, &r.Exact
	}
	best := r.Best
	if c := r.Counted; c != nil {
		a.Length = &MovesLength{c.Policy.String(), c.Length.Low, c.Length.High, string(c.Reason)}
		if c.Reason == solver.NoReason {
			best = c.Best
		}
	}
	if best != shogi.NoMove {
		a.Best = best.String()
	}
	for i := range r.Moves {
		v := &r.Moves[i]
		m := MoveAnswer{Verdict: v.Verdict.String(), NoMateWithin: v.NoMateWithin, Reason: string(v.Reason)}
		m.Line, m.LineJa, m.LineEn = writeLine(*p, v.Line)
		m.MoveText = MoveText{m.Line[0], m.LineJa[0], m.LineEn[0]}
		if v.Verdict == solver.Mate {
			plies := v.Plies()
			m.Plies, m.Exact = &plies, &v.Exact
		}
		m.count(p, v.Move, r.Counted)
		a.Moves = append(a.Moves, m)
	}
	return a
}

// count adds what the move of p comes to by a policy.
func (m *MoveAnswer) count(p *shogi.Position, move shogi.Move, by *analysis.Counted) {
	if by == nil {
		return
	}
	c, ok := by.Moves[move]
	switch {
	case !ok:
		return
	case c.Futile != nil:
		m.Futile = new(newFutile(*p, c.Futile))
	default:
		m.Length = newInterval(c.Length)
	}
	if c.Line != nil {
		m.Line, m.LineJa, m.LineEn = writeLine(*p, c.Line)
	}
}

// A LimitsAnswer says how much a client may ask of a service.
type LimitsAnswer struct {
	MaxPlies      int    `json:"max_plies" minimum:"1"`
	MaxNodes      uint64 `json:"max_nodes" minimum:"1"`
	MaxTimeMS     int64  `json:"max_time_ms" minimum:"1"`
	DefaultTimeMS int64  `json:"default_time_ms" minimum:"1"`
	MaxWaitMS     int64  `json:"max_wait_ms" minimum:"1"`
	MaxBodyBytes  int    `json:"max_body_bytes" minimum:"1"`
	MaxBatches    int    `json:"max_batches" minimum:"1"`
	PerMinute     int    `json:"requests_per_minute,omitempty" minimum:"1"`

	Analysis *AnalysisLimits `json:"analysis,omitempty"`
	Play     *PlayingLimits  `json:"play,omitempty"`
	Jobs     *JobsLimits     `json:"jobs,omitempty"`
}

// Limits returns what the bounds say to a client. The rest is up to who answers.
func (b *Bounds) Limits() *LimitsAnswer {
	nodes, questionNodes, limit := b.Analysis.Defaults()
	return &LimitsAnswer{MaxPlies: b.Plies, MaxNodes: b.Nodes, MaxTimeMS: b.Time.Milliseconds(),
		DefaultTimeMS: b.DefaultTime.Milliseconds(),
		Analysis: &AnalysisLimits{MaxNodes: b.Analysis.Nodes, DefaultNodes: nodes,
			DefaultQuestionNodes: questionNodes, MaxTimeMS: b.Analysis.Time.Milliseconds(),
			DefaultTimeMS: limit.Milliseconds()},
		Play: &PlayingLimits{Levels: b.Play.Levels, MaxNodes: b.Play.Nodes,
			DefaultNodes: b.Play.DefaultNodes, MaxDepth: MaxPlayDepth, MaxMoves: MaxPlayMoves}}
}

// AnalysisLimits say how much a client may ask of an analysis.
type AnalysisLimits struct {
	MaxNodes             uint64 `json:"max_nodes" minimum:"1"`
	DefaultNodes         uint64 `json:"default_nodes" minimum:"1"`
	DefaultQuestionNodes uint64 `json:"default_question_nodes" minimum:"1"`
	MaxTimeMS            int64  `json:"max_time_ms" minimum:"1"`
	DefaultTimeMS        int64  `json:"default_time_ms" minimum:"1"`
	MaxWaitMS            int64  `json:"max_wait_ms" minimum:"1"`
}

// PlayingLimits say what a client may ask of the levels that play.
type PlayingLimits struct {
	Levels       []string `json:"levels"`
	MaxNodes     uint64   `json:"max_nodes" minimum:"1"`
	DefaultNodes uint64   `json:"default_nodes" minimum:"1"`
	MaxDepth     int      `json:"max_depth" minimum:"1"`
	MaxMoves     int      `json:"max_moves" minimum:"1"`
	MaxWaitMS    int64    `json:"max_wait_ms" minimum:"1"`
}

// JobsLimits are the limits of jobs.
type JobsLimits struct {
	MaxNodes uint64          `json:"max_nodes"`
	Classes  []JobClassLimit `json:"classes"`
}

// A JobClassLimit is what a client of a class may have.
type JobClassLimit struct {
	Class     string `json:"class"`
	Active    int    `json:"active" minimum:"0"`
	Waiting   int    `json:"waiting" minimum:"0"`
	MaxLines  int    `json:"max_lines" minimum:"0"`
	MaxTimeMS int64  `json:"max_time_ms" minimum:"1"`
	MaxBytes  int64  `json:"max_bytes" minimum:"0"`
	KeepS     int64  `json:"keep_s" minimum:"0"`
}
