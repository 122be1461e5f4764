//go:build !board

package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/theme"
)

// ErrOtherAnswer is the error of an AnalyzeAnswer whose facts do not come to what it says: it is of
// another version of the program, or damaged.
var ErrOtherAnswer = errors.New("the report is of another version of the program, or damaged")

// ReadAnalysis returns the report that an AnalyzeAnswer in JSON was made of: a line of the results of a
// job, or what was kept of an analysis. parts are those that were asked for. It reads facts, never
// sentences, and what it returns makes the same answer again, which it checks.
func ReadAnalysis(text []byte, parts analysis.Part) (*analysis.Analysis, error) {
	var answer AnalyzeAnswer
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	r := &analysisReader{answer: &answer}
	a := r.analysis(parts)
	if r.err != nil {
		return nil, r.err
	}
	// What is not of the report: how it is written as a record, how it was read, and how long it took.
	answer.Record, answer.Notes, answer.ElapsedUS = nil, nil, nil
	if !bytes.Equal(AppendJSON(nil, NewAnalyzeAnswer(a)), AppendJSON(nil, &answer)) {
		return nil, ErrOtherAnswer
	}
	return a, nil
}

// An analysisReader turns an answer into the facts of its report. After an error it goes on with zero
// values.
type analysisReader struct {
	answer *AnalyzeAnswer
	err    error
}

func (r *analysisReader) fail(what, text string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %.40q is no %s", ErrOtherAnswer, text, what)
	}
}

// named returns the value of a type that has a name, of those from the zero value to last.
func named[T interface {
	~uint8
	String() string
}](r *analysisReader, what, name string, last T) T {
	v, ok := Named(name, last)
	if !ok {
		r.fail(what, name)
	}
	return v
}

func (r *analysisReader) analysis(parts analysis.Part) *analysis.Analysis {
	answer := r.answer
	a := &analysis.Analysis{Parts: parts, Attacker: named(r, "colour", answer.Attacker, shogi.White),
		Verdict: r.verdict(answer.Verdict), Certificate: answer.Certificate,
		Reason: solver.Reason(answer.Reason), Remaining: r.linePlaces(answer.Remaining),
		NoMateWithin: answer.NoMateWithin, EqualLeft: answer.EqualLeft, Told: answer.Told, Completed: r.completed(answer.Completed),
		Nodes: answer.Nodes, Repeatable: answer.Lasting}
	var err error
	if a.Position, err = shogi.ParseSFEN(answer.SFEN); err != nil {
		r.fail("position", answer.SFEN)
	}
	if a.Policy, err = length.ParsePolicy(answer.Policy); err != nil {
		r.fail("policy", answer.Policy)
	}
	if answer.Profile != "" {
		if a.Profile, err = analysis.ParseProfile(answer.Profile); err != nil {
			r.fail("profile", answer.Profile)
		}
	}
	a.Lengths = r.lengths(answer.Lengths)
	if l := answer.Line; l != nil {
		a.Line = analysis.Line{Moves: r.moves(l.Moves), Leftover: r.hand(l.Leftover), Given: l.Given, Raw: l.Raw}
	}
	if l := answer.Leftover; l != nil {
		a.Leftover.Class = named(r, "class of what is left over", l.Class, analysis.LeftoverForced)
		if l.Least != nil && l.Most != nil {
			a.Leftover.Least, a.Leftover.Most = *l.Least, *l.Most
		}
	}
	if f := answer.Author; f != nil {
		a.Author = &analysis.Author{Moves: r.moves(f.Moves), Plies: f.Plies,
			Finding: named(r, "finding", f.Finding, analysis.Faulty), Places: r.places(f.Places)}
		a.Author.Fault = named(r, "fault", f.FaultCode, analysis.WithoutMate)
	}
	if r.err == nil && a.Verdict != solver.Mate && a.Author != nil && a.Author.Finding != analysis.Faulty {
		// An answer has the main line of a mate alone; else the author's stands for it.
		end := r.play(a.Position, a.Author.Moves)
		a.Line = analysis.Line{Moves: a.Author.Moves, Leftover: end.Hand(a.Attacker), Given: true}
	}
	r.play(a.Position, a.Line.Moves)
	if answer.Attack != nil {
		a.Attack = r.attack(answer.Attack, parts)
	}
	for i := range answer.Defence {
		n := r.defence(&answer.Defence[i])
		a.Defence = append(a.Defence, n)
		if n.Ply < 1 || n.Ply > len(a.Line.Moves)+1 {
			r.fail("ply", fmt.Sprint(n.Ply))
			continue
		}
		at := r.play(a.Position, a.Line.Moves[:n.Ply-1])
		for _, reply := range n.Replies {
			r.play(at, reply.Line)
		}
	}
	for i := range answer.EqualLines {
		e := &answer.EqualLines[i]
		a.EqualLines = append(a.EqualLines,
			analysis.EqualLine{Moves: r.moves(e.Moves), Reply: r.linePlace(&e.Reply), Attack: r.attack(e.Attack, parts)})
		r.play(a.Position, a.EqualLines[i].Moves)
	}
	for _, m := range answer.SideMates {
		a.SideMates = append(a.SideMates, analysis.SideMate{Variation: r.place(&m.Variation), At: m.At,
			Move: r.move(m.Move), Length: interval(m.Length), Line: r.moves(m.Line)})
	}
	for _, p := range answer.Economy {
		one := analysis.IdlePiece{Square: shogi.NoSquare, Piece: named(r, "piece", p.Piece, shogi.Dragon),
			Idle: named(r, "answer", p.Idle, analysis.No)}
		if p.Square != "" {
			if one.Square, err = shogi.ParseSquare(p.Square); err != nil {
				r.fail("square", p.Square)
			}
		}
		a.Economy = append(a.Economy, one)
	}
	if d := answer.Difficulty; d != nil {
		a.Difficulty = &analysis.DifficultyFacts{Version: d.Version,
			Class: named(r, "class", d.Class, analysis.Long)}
		for _, name := range slices.Sorted(maps.Keys(d.Features)) {
			a.Difficulty.Features = append(a.Difficulty.Features, analysis.Feature{Name: name, Value: d.Features[name]})
		}
	}
	if answer.Themes != nil {
		a.Themes = r.themes(answer.Themes)
	}
	if r.err == nil {
		a.Judge()
	}
	return a
}

func (r *analysisReader) completed(answer *CompletedAnswer) *analysis.Completed {
	if answer == nil {
		return nil
	}
	c := &analysis.Completed{Verdict: r.verdict(answer.Verdict), Sound: named(r, "answer", answer.Sound, analysis.No),
		Lengths: r.lengths(answer.Lengths), Decided: answer.Decided, Mate: answer.Mate, Open: answer.Unknown,
		Reason: solver.Reason(answer.Reason)}
	for _, rule := range answer.Broken {
		c.Broken = append(c.Broken, analysis.Rule(rule))
	}
	var err error
	if c.Position, err = shogi.ParseSFEN(answer.SFEN); err != nil {
		r.fail("position", answer.SFEN)
	}
	return c
}

func (r *analysisReader) themes(answers []ThemeAnswer) []theme.Found {
	all := make([]theme.Found, len(answers))
	for i, t := range answers {
		all[i] = theme.Found{Theme: theme.ByID(t.ID), Plies: t.Plies, Shape: theme.ShapeByID(t.Shape)}
		if all[i].Theme == nil || (all[i].Shape == nil) != (t.Shape == "") {
			r.fail("theme", t.ID+" "+t.Shape)
			return nil
		}
	}
	return all
}

func (r *analysisReader) verdict(name string) solver.Verdict {
	v := ParseVerdict(name)
	if v.String() != name {
		r.fail("verdict", name)
	}
	return v
}

func (r *analysisReader) move(text string) shogi.Move {
	m, err := shogi.ParseMove(text)
	if err != nil {
		r.fail("move", text)
	}
	return m
}

// moves returns nil for none, as the report has it.
func (r *analysisReader) moves(list []string) []shogi.Move {
	if list == nil {
		return nil
	}
	moves := make([]shogi.Move, len(list))
	for i, text := range list {
		moves[i] = r.move(text)
	}
	return moves
}

// play returns the position after moves, which must be legal one after the other.
func (r *analysisReader) play(p shogi.Position, moves []shogi.Move) shogi.Position {
	for _, m := range moves {
		if r.err != nil {
			break
		}
		if !p.IsLegal(m) {
			r.fail("legal move", m.String())
			break
		}
		p.Do(m)
	}
	return p
}

func (r *analysisReader) place(p *PlaceAnswer) analysis.Place {
	return analysis.Place{Ply: p.Ply, Move: r.move(p.Move)}
}

func (r *analysisReader) places(list []PlaceAnswer) (places []analysis.Place) {
	for i := range list {
		places = append(places, r.place(&list[i]))
	}
	return places
}

func (r *analysisReader) linePlace(p *LinePlaceAnswer) analysis.Place {
	place := r.place(&p.PlaceAnswer)
	if p.EqualLine != nil {
		place.Line = *p.EqualLine + 1
	}
	return place
}

func (r *analysisReader) linePlaces(list []LinePlaceAnswer) (places []analysis.Place) {
	for i := range list {
		places = append(places, r.linePlace(&list[i]))
	}
	return places
}

// hand reads what handText writes.
func (r *analysisReader) hand(text string) shogi.Hand {
	if text == "" {
		return shogi.Hand(0)
	}
	p, err := shogi.ParseSFEN("4k4/9/9/9/9/9/9/9/9 b " + text + " 1")
	if err != nil {
		r.fail("hand", text)
	}
	return p.Hand(shogi.Black)
}

func (r *analysisReader) lengths(l *AnalysisLengths) (all []analysis.Length) {
	if l == nil {
		return nil
	}
	for n, i := range []*LengthInterval{l.F0, l.F1, l.F2, l.F3} {
		if i != nil {
			all = append(all, analysis.Length{Policy: length.Policies[n], Interval: interval(i)})
		}
	}
	return all
}

// interval reads what newInterval writes of a length.
func interval(i *LengthInterval) length.Interval {
	switch {
	case i == nil:
		return length.Interval{Low: length.Unbounded, High: length.Unbounded}
	case i.High == nil:
		return length.Interval{Low: i.Low, High: length.Unbounded}
	}
	return length.Interval{Low: i.Low, High: *i.High}
}

func (r *analysisReader) attack(list []AttackAnswer, parts analysis.Part) []analysis.AttackNode {
	nodes := make([]analysis.AttackNode, len(list))
	for i := range list {
		n := &list[i]
		nodes[i] = analysis.AttackNode{Place: r.place(&n.PlaceAnswer), Checks: n.Checks, Fail: n.Fail,
			Mate: n.Mate, Open: n.Unknown, OthersComplete: parts&analysis.Tries != 0}
		for j := range n.Others {
			nodes[i].Others = append(nodes[i].Others, r.check(&n.Others[j]))
		}
	}
	return nodes
}

func (r *analysisReader) check(c *CheckAnswer) analysis.OtherCheck {
	o := analysis.OtherCheck{Move: r.move(c.Move), Verdict: r.verdict(c.Verdict),
		Class: named(r, "class of a check", c.Class, analysis.Cook), Dual: named(r, "dual", c.Dual, analysis.Side),
		Line: r.moves(c.Line), Raw: c.Raw, NoMateWithin: c.NoMateWithin, Nodes: c.Nodes, Reason: solver.Reason(c.Reason)}
	if c.SamePlay != "" {
		o.SamePlay = named(r, "answer", c.SamePlay, analysis.No)
	}
	if o.Verdict == solver.Mate {
		o.Length = interval(c.Length)
	}
	if c.Leftover != nil {
		o.Leftover = r.hand(*c.Leftover)
	}
	return o
}

func (r *analysisReader) defence(d *DefenceAnswer) analysis.DefenceNode {
	n := analysis.DefenceNode{Place: analysis.Place{Ply: d.Ply}}
	if d.Move != "" {
		n.Move = r.move(d.Move)
	}
	for i := range d.Replies {
		n.Replies = append(n.Replies, r.reply(&d.Replies[i]))
	}
	return n
}

func (r *analysisReader) reply(d *ReplyAnswer) analysis.Reply {
	reply := analysis.Reply{Move: r.move(d.Move), Kind: named(r, "kind of a reply", d.Kind, analysis.EscapeReply),
		Line: r.moves(d.Line), Raw: d.Raw, Same: r.moves(d.Same), Reason: solver.Reason(d.Reason)}
	switch reply.Kind {
	case analysis.EscapeReply, analysis.FutileReply:
	default:
		reply.Length = interval(d.Length)
	}
	if d.Leftover != nil {
		reply.Leftover = r.hand(*d.Leftover)
	}
	if f := d.Futile; f != nil {
		reply.Futile = &analysis.Futile{Type: named(r, "type of a futile drop", f.Type, length.Any), NewPiece: f.NewPiece}
		if f.Capture != "" {
			reply.Futile.Capture = r.move(f.Capture)
		}
	}
	return reply
}
