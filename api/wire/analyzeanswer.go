//go:build !board

package wire

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/theme"
)

// AnalysisSemantics names what the fields of an AnalyzeAnswer mean. It changes when the same
// question would get another answer for another reason than a bug.
const AnalysisSemantics = "analysis/2"

// An AnalyzeAnswer is the report on a problem. Fields that do not apply are absent, and so are
// facts that are not known yet where it is sent before the end.
type AnalyzeAnswer struct {
	SFEN        string            `json:"sfen"`
	Attacker    string            `json:"attacker" enum:"black,white"`
	Key         string            `json:"key"`
	ShortKey    string            `json:"short_key"`
	Semantics   string            `json:"semantics"`
	Policy      string            `json:"policy" enum:"F0,F1,F2,F3"`
	Profile     string            `json:"profile" enum:"strict,magazine,app"`
	Verdict     string            `json:"verdict" enum:"mate,nomate,unknown"`
	Sound       string            `json:"sound" enum:"yes,no,unknown"`
	TextJa      []string          `json:"text_ja"`
	TextEn      []string          `json:"text_en"`
	Lengths     *AnalysisLengths  `json:"lengths,omitempty"`
	Line        *AnalysisLine     `json:"line,omitempty"`
	Leftover    *AnalysisLeftover `json:"leftover,omitempty"`
	Author      *AnalysisAuthor   `json:"author,omitempty"`
	Told        int               `json:"told,omitempty"`
	Attack      []AttackAnswer    `json:"attack,omitzero"`
	Defence     []DefenceAnswer   `json:"defence,omitzero"`
	Futile      []PlaceAnswer     `json:"futile,omitzero"`
	EqualLines  []EqualLineAnswer `json:"equal_lines,omitempty"`
	EqualLeft   int               `json:"equal_left" minimum:"0"`
	SideMates   []SideMateAnswer  `json:"side_mates,omitempty"`
	Certificate string            `json:"certificate,omitempty"`
	Economy     []IdlePieceAnswer `json:"economy,omitempty"`
	Difficulty  *DifficultyAnswer `json:"difficulty,omitempty"`
	Themes      []ThemeAnswer     `json:"themes,omitzero"`
	Rules       []RuleAnswer      `json:"rules"`
	Record      *RecordAnswer     `json:"record,omitempty"`
	Reason      string            `json:"reason,omitempty" enum:"limit_plies,limit_nodes,limit_time,limit_proof,cancelled,solver_depth,unverified,overloaded,settled"`
	Nodes       uint64            `json:"nodes"`
	Lasting     bool              `json:"lasting"`
	Remaining   []LinePlaceAnswer `json:"remaining"`
	// NoMateWithin is of all checks that are not decided.
	NoMateWithin int              `json:"no_mate_within,omitempty" minimum:"1"`
	Completed    *CompletedAnswer `json:"completed,omitempty"`
	Notes        []Note           `json:"notes,omitempty"`
	ElapsedUS    *int64           `json:"elapsed_us,omitempty" minimum:"0"`
}

// AnalysisLengths are the lengths of a problem under the policies that were looked at.
type AnalysisLengths struct {
	F0 *LengthInterval `json:"F0,omitempty"`
	F1 *LengthInterval `json:"F1,omitempty"`
	F2 *LengthInterval `json:"F2,omitempty"`
	F3 *LengthInterval `json:"F3,omitempty"`
}

// An AnalysisLine is the main line.
type AnalysisLine struct {
	Moves    []string `json:"moves"`
	MovesJa  []string `json:"moves_ja"`
	MovesEn  []string `json:"moves_en"`
	Leftover string   `json:"leftover"`
	Given    bool     `json:"given"`
	Raw      bool     `json:"raw,omitempty"`
}

// An AnalysisLeftover says whether pieces stay in the attacker's hand at the mate.
type AnalysisLeftover struct {
	Class string `json:"class" enum:"unknown,none,avoidable,forced"`
	Least *int   `json:"least,omitempty" minimum:"0"`
	Most  *int   `json:"most,omitempty" minimum:"0"`
}

// An AnalysisAuthor is what the author's line comes to.
type AnalysisAuthor struct {
	Moves     []string      `json:"moves"`
	MovesJa   []string      `json:"moves_ja"`
	MovesEn   []string      `json:"moves_en"`
	Plies     int           `json:"plies,omitempty" minimum:"1"`
	Finding   string        `json:"finding" enum:"unknown,agrees,nomate,longer,early,equal,fault"`
	Places    []PlaceAnswer `json:"places"`
	FaultCode string        `json:"fault_code,omitempty" enum:"illegal_move,no_check,defender_last,no_mate"`
	Fault     string        `json:"fault,omitempty"`
	FaultJa   string        `json:"fault_ja,omitempty"`
}

// A LinePlaceAnswer is a move of the main line, or if EqualLine is not nil of that equal line.
type LinePlaceAnswer struct {
	PlaceAnswer
	EqualLine *int `json:"equal_line,omitempty" minimum:"0"`
}

// An AttackAnswer is a position of the main line with the attacker to move.
type AttackAnswer struct {
	PlaceAnswer
	Checks  int           `json:"checks" minimum:"0"`
	Fail    int           `json:"fail" minimum:"0"`
	Mate    int           `json:"mate" minimum:"0"`
	Unknown int           `json:"unknown" minimum:"0"`
	Others  []CheckAnswer `json:"others"`
	Tally   []TallyAnswer `json:"tally"`
}

// A TallyAnswer is how many of the other moves at a ply come to the same.
type TallyAnswer struct {
	Count  int    `json:"count" minimum:"1"`
	Mark   string `json:"mark" enum:"pass,futile,note,unknown,fail"`
	TextJa string `json:"text_ja"`
	TextEn string `json:"text_en"`
}

func newTally(all []report.Tally) []TallyAnswer {
	tally := make([]TallyAnswer, len(all))
	for i, t := range all {
		tally[i] = TallyAnswer{t.Count, t.Mark.String(), t.Ja, t.En}
	}
	return tally
}

// A CheckAnswer is another check of the attacker than the main move.
type CheckAnswer struct {
	MoveText
	Verdict      string          `json:"verdict" enum:"mate,nomate,unknown"`
	Class        string          `json:"class" enum:"unknown,try,mirror,detour,last_move,dual,transposition,early,cook"`
	Dual         string          `json:"dual,omitempty" enum:"promotion,distance_drop,distance_move,origin,side"`
	SamePlay     string          `json:"same_play,omitempty" enum:"yes,no,unknown"`
	Mark         string          `json:"mark" enum:"pass,futile,note,unknown,fail"`
	TextJa       string          `json:"text_ja"`
	TextEn       string          `json:"text_en"`
	RemarkJa     string          `json:"remark_ja"`
	RemarkEn     string          `json:"remark_en"`
	Length       *LengthInterval `json:"length,omitempty"`
	Leftover     *string         `json:"leftover,omitempty"`
	Line         []string        `json:"line,omitempty"`
	LineJa       []string        `json:"line_ja,omitempty"`
	LineEn       []string        `json:"line_en,omitempty"`
	Raw          bool            `json:"raw,omitempty"`
	NoMateWithin int             `json:"no_mate_within,omitempty" minimum:"1"`
	Nodes        uint64          `json:"nodes"`
	Reason       string          `json:"reason,omitempty" enum:"limit_plies,limit_nodes,limit_time,limit_proof,cancelled,solver_depth,unverified,overloaded,settled"`
}

// A DefenceAnswer is a position of the main line with the defender to move. The last one, after the
// mating move, has no main reply.
type DefenceAnswer struct {
	Ply     int           `json:"ply" minimum:"1"`
	Move    string        `json:"move,omitempty"`
	MoveJa  string        `json:"move_ja,omitempty"`
	MoveEn  string        `json:"move_en,omitempty"`
	Replies []ReplyAnswer `json:"replies"`
	Tally   []TallyAnswer `json:"tally"`
}

// A ReplyAnswer is a reply of the defender.
type ReplyAnswer struct {
	MoveText
	Kind     string          `json:"kind" enum:"unknown,main,equal,equal_leftover,shorter,longer,futile,escapes"`
	Mark     string          `json:"mark" enum:"pass,futile,note,unknown,fail"`
	TextJa   string          `json:"text_ja"`
	TextEn   string          `json:"text_en"`
	RemarkJa string          `json:"remark_ja"`
	RemarkEn string          `json:"remark_en"`
	Length   *LengthInterval `json:"length,omitempty"`
	Leftover *string         `json:"leftover,omitempty"`
	Line     []string        `json:"line,omitempty"`
	LineJa   []string        `json:"line_ja,omitempty"`
	LineEn   []string        `json:"line_en,omitempty"`
	Raw      bool            `json:"raw,omitempty"`
	Same     []string        `json:"same,omitempty"`
	SameJa   []string        `json:"same_ja,omitempty"`
	SameEn   []string        `json:"same_en,omitempty"`
	Futile   *FutileAnswer   `json:"futile,omitempty"`
	Reason   string          `json:"reason,omitempty" enum:"limit_plies,limit_nodes,limit_time,limit_proof,cancelled,solver_depth,unverified,overloaded,settled"`
}

// A CompletedAnswer is what the problem is with the missing pieces in the defender's hand.
type CompletedAnswer struct {
	SFEN    string           `json:"sfen"`
	Missing string           `json:"missing"`
	Verdict string           `json:"verdict" enum:"mate,nomate,unknown"`
	Sound   string           `json:"sound" enum:"yes,no,unknown"`
	TextJa  []string         `json:"text_ja"`
	TextEn  []string         `json:"text_en"`
	Lengths *AnalysisLengths `json:"lengths,omitempty"`
	Decided int              `json:"decided" minimum:"0"`
	Mate    int              `json:"mate" minimum:"0"`
	Unknown int              `json:"unknown" minimum:"0"`
	Broken  []string         `json:"broken"`
	Reason  string           `json:"reason,omitempty" enum:"limit_plies,limit_nodes,limit_time,limit_proof,cancelled,solver_depth,unverified,overloaded,settled"`
}

// completed returns nil if the report does not say that.
func (w *reportWriter) completed() *CompletedAnswer {
	c := w.a.Completed
	if c == nil {
		return nil
	}
	answer := &CompletedAnswer{SFEN: c.Position.ProblemSFEN(), Missing: handText(w.a.Position.Missing()),
		Verdict: c.Verdict.String(), Sound: c.Sound.String(), Lengths: NewLengths(c.Lengths), Decided: c.Decided,
		Mate: c.Mate, Unknown: c.Open, Broken: []string{}, Reason: string(c.Reason)}
	for _, rule := range c.Broken {
		answer.Broken = append(answer.Broken, string(rule))
	}
	for _, t := range w.Completed() {
		answer.TextJa, answer.TextEn = append(answer.TextJa, t.Ja), append(answer.TextEn, t.En)
	}
	return answer
}

// An EqualLineAnswer is an equal line and its attack nodes.
type EqualLineAnswer struct {
	Moves   []string        `json:"moves"`
	MovesJa []string        `json:"moves_ja"`
	MovesEn []string        `json:"moves_en"`
	Reply   LinePlaceAnswer `json:"reply"`
	Attack  []AttackAnswer  `json:"attack"`
}

// A SideMateAnswer is a second mate in a shorter variation.
type SideMateAnswer struct {
	Variation PlaceAnswer     `json:"variation"`
	At        int             `json:"at" minimum:"1"`
	Move      string          `json:"move"`
	Length    *LengthInterval `json:"length,omitempty"`
	Line      []string        `json:"line"`
	LineJa    []string        `json:"line_ja"`
	LineEn    []string        `json:"line_en"`
}

// An IdlePieceAnswer says whether the problem is the same without a piece.
type IdlePieceAnswer struct {
	Square string `json:"square,omitempty"`
	Piece  string `json:"piece"`
	Idle   string `json:"idle" enum:"yes,no,unknown"`
}

// A DifficultyAnswer has the facts that make the problem hard for people.
type DifficultyAnswer struct {
	Class    string         `json:"class" enum:"short,medium,long"`
	Version  int            `json:"version" minimum:"1"`
	Features map[string]int `json:"features"`
}

// A ThemeAnswer is a theme that the problem has, and the plies that show it.
type ThemeAnswer struct {
	ID     string `json:"id" enum:"themes"`
	NameJa string `json:"name_ja"`
	NameEn string `json:"name_en"`
	Plies  []int  `json:"plies"`
	Shape  string `json:"shape,omitempty"`
	TextJa string `json:"text_ja"`
	TextEn string `json:"text_en"`
}

// NewThemes returns the themes of a problem, nil if nobody looked for them.
func NewThemes(found []theme.Found) []ThemeAnswer {
	if found == nil {
		return nil
	}
	all := make([]ThemeAnswer, len(found))
	for i := range found {
		f := &found[i]
		t := report.Theme(f)
		all[i] = ThemeAnswer{ID: f.ID, NameJa: f.Ja, NameEn: f.En, Plies: f.Plies, TextJa: t.Ja, TextEn: t.En}
		if f.Plies == nil {
			all[i].Plies = []int{}
		}
		if f.Shape != nil {
			all[i].Shape = f.Shape.ID
		}
	}
	return all
}

// A RuleAnswer is what the problem comes to under one rule of the profile.
type RuleAnswer struct {
	ID       string            `json:"id"`
	Result   string            `json:"result" enum:"pass,note,fail,unknown"`
	Severity string            `json:"severity" enum:"allowed,note,fail"`
	TextJa   string            `json:"text_ja"`
	TextEn   string            `json:"text_en"`
	Places   []LinePlaceAnswer `json:"places"`
}

// NewAnalyzeAnswer returns the report on a problem, of which something may not be known yet.
func NewAnalyzeAnswer(a *analysis.Analysis) *AnalyzeAnswer {
	w := &reportWriter{report.Of(a), a}
	answer := &AnalyzeAnswer{
		SFEN: a.Position.ProblemSFEN(), Attacker: a.Attacker.String(), Semantics: AnalysisSemantics,
		Policy: a.Policy.String(), Verdict: a.Verdict.String(), Sound: a.Sound.String(),
		Lengths: NewLengths(a.Lengths), Reason: string(a.Reason), Nodes: a.Nodes,
		Lasting: a.Repeatable, Remaining: w.placesOf(a.Remaining), Rules: []RuleAnswer{},
	}
	answer.Certificate, answer.NoMateWithin, answer.Completed = a.Certificate, a.NoMateWithin, w.completed()
	answer.Themes, answer.Told = NewThemes(a.Themes), a.Told
	answer.Key = collection.Key(&a.Position, a.Attacker)
	answer.ShortKey = collection.ShortKey(answer.Key)
	if a.Profile != nil {
		answer.Profile = a.Profile.Name
	}
	for _, t := range w.Sentences() {
		answer.TextJa, answer.TextEn = append(answer.TextJa, t.Ja), append(answer.TextEn, t.En)
	}
	if a.Verdict == solver.Mate {
		w.mate(answer)
	}
	if f := a.Author; f != nil {
		line := &reportWriter{report.Along(a, f.Moves), a}
		answer.Author = &AnalysisAuthor{Plies: f.Plies, Finding: f.Finding.String(),
			Places: line.places(f.Places), FaultCode: f.Fault.String()}
		fault := w.Fault()
		answer.Author.Fault, answer.Author.FaultJa = fault.En, fault.Ja
		answer.Author.Moves, answer.Author.MovesJa, answer.Author.MovesEn =
			writeLine(a.Position, f.Moves)
	}
	for i := range a.Rules {
		r := &a.Rules[i]
		t := w.Rule(r)
		answer.Rules = append(answer.Rules, RuleAnswer{ID: t.Code, Result: t.Mark.String(),
			Severity: r.Severity.String(), TextJa: t.Ja, TextEn: t.En, Places: w.placesOf(r.Places)})
	}
	return answer
}

// A reportWriter turns the facts of a report into those of its answer. Its places are those of its
// report.Writer.
type reportWriter struct {
	*report.Writer
	a *analysis.Analysis
}

// mate adds what there is to say of a mate.
func (w *reportWriter) mate(answer *AnalyzeAnswer) {
	a := w.a
	if len(a.Line.Moves) > 0 {
		answer.Line = &AnalysisLine{Given: a.Line.Given, Raw: a.Line.Raw,
			Leftover: handText(a.Line.Leftover)}
		answer.Line.Moves, answer.Line.MovesJa, answer.Line.MovesEn = writeLine(a.Position, a.Line.Moves)
		answer.Leftover = &AnalysisLeftover{Class: a.Leftover.Class.String()}
		if a.Leftover.Class != analysis.LeftoverUnknown {
			answer.Leftover.Least, answer.Leftover.Most = &a.Leftover.Least, &a.Leftover.Most
		}
	}
	if a.Attack != nil {
		answer.Attack = w.attack(a.Attack)
	}
	if a.Defence != nil {
		answer.Defence, answer.Futile = []DefenceAnswer{}, []PlaceAnswer{}
		for i := range a.Defence {
			answer.Defence = append(answer.Defence, w.defence(&a.Defence[i]))
			for _, r := range a.Defence[i].Replies {
				if r.Kind == analysis.FutileReply {
					answer.Futile = append(answer.Futile, w.place(a.Defence[i].Ply, r.Move))
				}
			}
		}
	}
	answer.EqualLeft = a.EqualLeft
	for i := range a.EqualLines {
		e := &a.EqualLines[i]
		in := &reportWriter{w.InLine(i + 1), a}
		usi, ja, en := writeLine(a.Position, e.Moves)
		answer.EqualLines = append(answer.EqualLines, EqualLineAnswer{Moves: usi, MovesJa: ja, MovesEn: en,
			Reply: in.placeOf(e.Reply), Attack: in.attack(e.Attack)})
	}
	for _, m := range a.SideMates {
		ja, en := w.Written(m.Variation.Ply, m.Line...)
		answer.SideMates = append(answer.SideMates, SideMateAnswer{
			Variation: w.place(m.Variation.Ply, m.Variation.Move), At: m.At, Move: m.Move.String(),
			Length: newInterval(m.Length), Line: movetext.USILine(m.Line), LineJa: ja, LineEn: en})
	}
	for _, p := range a.Economy {
		one := IdlePieceAnswer{Piece: p.Piece.String(), Idle: p.Idle.String()}
		if p.Square != shogi.NoSquare {
			one.Square = p.Square.String()
		}
		answer.Economy = append(answer.Economy, one)
	}
	if d := a.Difficulty; d != nil {
		facts := &DifficultyAnswer{Class: d.Class.String(), Version: d.Version, Features: map[string]int{}}
		for _, f := range d.Features {
			facts.Features[f.Name] = f.Value
		}
		answer.Difficulty = facts
	}
}

func (w *reportWriter) attack(nodes []analysis.AttackNode) []AttackAnswer {
	all := make([]AttackAnswer, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		all[i] = AttackAnswer{PlaceAnswer: w.place(n.Ply, n.Move),
			Checks: n.Checks, Fail: n.Fail, Mate: n.Mate, Unknown: n.Open, Others: []CheckAnswer{},
			Tally: newTally(w.CheckTally(n))}
		for j := range n.Others {
			all[i].Others = append(all[i].Others, w.check(n, &n.Others[j]))
		}
	}
	return all
}

func (w *reportWriter) check(n *analysis.AttackNode, o *analysis.OtherCheck) CheckAnswer {
	t, remark := w.Check(n, o), report.CheckRemark(o)
	c := CheckAnswer{MoveText: w.move(n.Ply, o.Move), Mark: t.Mark.String(), TextJa: t.Ja, TextEn: t.En,
		RemarkJa: remark.Ja, RemarkEn: remark.En,
		Verdict: o.Verdict.String(), Class: o.Class.String(), Dual: o.Dual.String(),
		Line: movetext.USILine(o.Line), Raw: o.Raw, NoMateWithin: o.NoMateWithin, Nodes: o.Nodes, Reason: string(o.Reason)}
	c.LineJa, c.LineEn = w.Written(n.Ply, o.Line...)
	if o.Dual != analysis.NoDual {
		c.SamePlay = o.SamePlay.String()
	}
	if o.Verdict == solver.Mate {
		c.Length = newInterval(o.Length)
		if len(o.Line) > 0 {
			left := handText(o.Leftover)
			c.Leftover = &left
		}
	}
	return c
}

func (w *reportWriter) defence(n *analysis.DefenceNode) DefenceAnswer {
	d := DefenceAnswer{Ply: n.Ply, Replies: []ReplyAnswer{}, Tally: newTally(w.ReplyTally(n))}
	if n.Move != shogi.NoMove {
		m := w.move(n.Ply, n.Move)
		d.Move, d.MoveJa, d.MoveEn = m.Move, m.MoveJa, m.MoveEn
	}
	for i := range n.Replies {
		r := &n.Replies[i]
		t, remark := w.Reply(n, r), w.ReplyRemark(r)
		one := ReplyAnswer{MoveText: w.move(n.Ply, r.Move), Kind: r.Kind.String(), Mark: t.Mark.String(),
			TextJa: t.Ja, TextEn: t.En, RemarkJa: remark.Ja, RemarkEn: remark.En,
			Line: movetext.USILine(r.Line), Raw: r.Raw, Same: movetext.USILine(r.Same), Reason: string(r.Reason)}
		one.LineJa, one.LineEn = w.Written(n.Ply, r.Line...)
		for _, m := range r.Same {
			same := w.move(n.Ply, m)
			one.SameJa, one.SameEn = append(one.SameJa, same.MoveJa), append(one.SameEn, same.MoveEn)
		}
		switch r.Kind {
		case analysis.EscapeReply, analysis.FutileReply:
		default:
			one.Length = newInterval(r.Length)
			if len(r.Line) > 0 {
				left := handText(r.Leftover)
				one.Leftover = &left
			}
		}
		if f := r.Futile; f != nil {
			one.Futile = &FutileAnswer{Type: f.Type.String(), NewPiece: f.NewPiece}
			if f.Capture != shogi.NoMove {
				one.Futile.Capture = f.Capture.String()
				if ja, en := w.Written(n.Ply, r.Move, f.Capture); len(ja) == 2 {
					one.Futile.CaptureJa, one.Futile.CaptureEn = ja[1], en[1]
				}
			}
		}
		d.Replies = append(d.Replies, one)
	}
	return d
}

func (w *reportWriter) place(ply int, m shogi.Move) PlaceAnswer {
	return PlaceAnswer{Ply: ply, MoveText: w.move(ply, m)}
}

// placeOf is place for one that may be of an equal line.
func (w *reportWriter) placeOf(p analysis.Place) LinePlaceAnswer {
	if p.Line == 0 {
		return LinePlaceAnswer{w.place(p.Ply, p.Move), nil}
	}
	line := p.Line - 1
	in := &reportWriter{w.InLine(p.Line), w.a}
	return LinePlaceAnswer{in.place(p.Ply, p.Move), &line}
}

func (w *reportWriter) placesOf(all []analysis.Place) []LinePlaceAnswer {
	places := make([]LinePlaceAnswer, len(all))
	for i, p := range all {
		places[i] = w.placeOf(p)
	}
	return places
}

// places is placesOf of the line of w.
func (w *reportWriter) places(all []analysis.Place) []PlaceAnswer {
	places := make([]PlaceAnswer, len(all))
	for i, p := range all {
		places[i] = w.place(p.Ply, p.Move)
	}
	return places
}

// move returns a move as records in Japanese and books in English write it, or in USI if it is not
// legal there.
func (w *reportWriter) move(ply int, m shogi.Move) MoveText {
	if ja, en := w.Written(ply, m); len(ja) > 0 {
		return MoveText{m.String(), ja[0], en[0]}
	}
	return MoveText{m.String(), m.String(), m.String()}
}

// NewLengths returns the lengths of a mate, nil if none is known.
func NewLengths(all []analysis.Length) *AnalysisLengths {
	if len(all) == 0 {
		return nil
	}
	l := new(AnalysisLengths)
	by := [...]**LengthInterval{length.F0: &l.F0, length.F1: &l.F1, length.F2: &l.F2, length.F3: &l.F3}
	for _, one := range all {
		*by[one.Policy] = newInterval(one.Interval)
	}
	return l
}

// handText returns a hand as an SFEN has that of Black, and "" for an empty one.
func handText(h shogi.Hand) string {
	if h.IsEmpty() {
		return ""
	}
	return h.String()
}

// FactsOf returns what an AnalyzeAnswer has at JSON pointers (RFC 6901), those left out that it has
// nothing at.
func FactsOf(a *AnalyzeAnswer, pointers []string) []FactEvent {
	text := Encode(a)
	var facts []FactEvent
	for _, p := range pointers {
		if value, ok := valueAt(text, p); ok {
			facts = append(facts, FactEvent{p, value})
		}
	}
	return facts
}

// valueAt returns a part of a text in JSON, which is valid.
func valueAt(text json.RawMessage, pointer string) (json.RawMessage, bool) {
	if !strings.HasPrefix(pointer, "/") {
		return nil, false
	}
	for name := range strings.SplitSeq(pointer[1:], "/") {
		var fields map[string]json.RawMessage
		var items []json.RawMessage
		if json.Unmarshal(text, &fields) == nil {
			var ok bool
			if text, ok = fields[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]; !ok {
				return nil, false
			}
			continue
		}
		i, err := strconv.Atoi(name)
		if err != nil || json.Unmarshal(text, &items) != nil || i < 0 || i >= len(items) {
			return nil, false
		}
		text = items[i]
	}
	return text, true
}
