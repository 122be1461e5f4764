package compose

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/collection"
)

// A misprint (誤植) is one change that makes a diagram and a line fit that do not: of one piece on the
// board, of one in hand, or of one move. The line fits if it can be played, with a check at each move of
// Black's, and ends in mate. This is found out by replay, of all changes that there are; only what is
// left is examined, as any candidate is.
//
// Which of them is the truth nobody can know: all are yielded, each with what supports it (Fit). Those
// that are sound and have the line as their solution come first, as they are found, and the others at
// the end; among equals that come first which are the likelier slips.

// A Fit is what supports a change as the misprint.
type Fit struct {
	Solves bool            // the problem is sound, and the line is its solution
	Sound  analysis.Answer // whether it is sound, be it by another line
	// Outcome is what the examiner said of it, as it looked for a sound problem with that solution.
	Outcome Outcome
	// Pieces is whether the board and the hands as they are printed are a full set with the change; Unknown
	// if White's hand is not printed.
	Pieces analysis.Answer
	// Told is whether the line has as many moves as the text says; Unknown if it says nothing.
	Told   analysis.Answer
	Before int // moves of the line that can be played without the change
}

// What a Fit says, in words.
var (
	fitTexts = [...]*shogi.Text{
		analysis.Unknown: shogi.NewText("open", "the line mates; not known whether the problem is sound", "手順は詰みまで指せる（完全作かは未確認）"),
		analysis.Yes:     shogi.NewText("other", "the line mates; the problem is sound by another line", "手順は詰みまで指せるが、完全作の本手順は別"),
		analysis.No:      shogi.NewText("unsound", "the line mates; the problem is not sound", "手順は詰みまで指せるが、完全作ではない"),
	}
	solvesText  = shogi.NewText("solves", "the line is the solution of a sound problem", "手順どおりの完全作になる")
	piecesTexts = [...]*shogi.Text{analysis.Yes: shogi.NewText("pieces", "%s, the printed pieces are a full set", "%s・図の駒がちょうど一組になる"),
		analysis.No: shogi.NewText("pieces", "%s, the printed hands do not go with it", "%s・図の玉方の持駒とは合わない")}
	toldTexts = [...]*shogi.Text{analysis.Yes: shogi.NewText("told", "%s, as many moves as the text says", "%s・手数は書かれたとおり"),
		analysis.No: shogi.NewText("told", "%s, not as many moves as the text says", "%s・手数は書かれたものと違う")}
)

// Message says the fit in words.
func (f *Fit) Message() shogi.Message {
	m := fitTexts[f.Sound].With()
	if f.Solves {
		m = solvesText.With()
	}
	if f.Pieces != analysis.Unknown {
		m = piecesTexts[f.Pieces].With(m)
	}
	if f.Told != analysis.Unknown {
		m = toldTexts[f.Told].With(m)
	}
	return m
}

// answerOf returns Yes or No.
func answerOf(is bool) analysis.Answer {
	if is {
		return analysis.Yes
	}
	return analysis.No
}

// The limits of what is looked at.
const (
	maxWritten  = 2_000  // moves of a line
	maxReadings = 8      // of a line in one diagram, where it does not say which piece it is
	maxReplayed = 20_000 // moves that are played for them
	misprintAt  = 4      // candidates of a batch
)

// A reading is a line that a text may mean.
type reading struct {
	moves []shogi.Move
	ply   int // of the move that is another one than the text says, from 1 on; 0: none
}

// A lineReader looks for what a text may mean in a position.
type lineReader struct {
	written  []GivenMove
	other    bool // one move is another one
	moves    []shogi.Move
	found    []reading
	deepest  int // how many moves can be played
	replayed int
}

// readLine returns the readings of a line that fit a position, and how many of its moves can be played.
// With other, one move is another one than the text says, in one respect.
func readLine(p *shogi.Position, written []GivenMove, other bool) ([]reading, int) {
	y := &lineReader{written: written, other: other}
	y.extend(p, 0)
	return y.found, y.deepest
}

// extend plays on from p. changed is the ply of the move that was another one, 0 if none was.
func (y *lineReader) extend(p *shogi.Position, changed int) {
	n := len(y.moves)
	y.deepest = max(y.deepest, n)
	if n == len(y.written) {
		if isEnd(p) && y.other == (changed > 0) {
			y.found = append(y.found, reading{slices.Clone(y.moves), changed})
		}
		return
	}
	var buf shogi.MoveBuffer
	legal := p.Evasions
	if n%2 == 0 {
		legal = p.Checks
	}
	moves := legal(&buf, shogi.AllMoves)
	given := y.written[n]
	if given.Same && n > 0 {
		given.To = y.moves[n-1].To()
	}
	// Without 打, a piece on the board is meant if one can go there.
	goes := slices.ContainsFunc(moves, func(m shogi.Move) bool { return !m.IsDrop() && given.differs(p, m) == 0 })
	for _, m := range moves {
		by := given.differs(p, m)
		if by == 0 && m.IsDrop() && !given.Drop && goes {
			by = 1
		}
		at := changed
		if by > 0 {
			if at = n + 1; !y.other || by > 1 || changed > 0 {
				continue
			}
		}
		if y.replayed++; y.replayed > maxReplayed || len(y.found) == maxReadings {
			return
		}
		next := p.After(m)
		y.moves = append(y.moves, m)
		y.extend(&next, at)
		y.moves = y.moves[:n]
	}
}

// differs returns in how many respects a move of p is another one than is given: where it goes, which
// piece it is, and whether it promotes.
func (g *GivenMove) differs(p *shogi.Position, m shogi.Move) (n int) {
	is := kindOf(p, m)
	if m.To() != g.To {
		n++
	}
	if g.Kind != shogi.NoPieceType && is.kind != g.Kind || g.Drop && !is.drop ||
		g.From != shogi.NoSquare && (is.drop || m.From() != g.From) {
		n++
	}
	// A piece that has to promote may have it unsaid.
	mayStay := is.drop || !shogi.IsDead(p.SideToMove(), is.kind, m.To())
	if m.IsPromotion() != g.Promotes && (g.Promotes || mayStay) {
		n++
	}
	return n
}

// writtenOf returns what a line says if it says all.
func writtenOf(line []shogi.Move) (list []GivenMove) {
	for _, m := range line {
		g := GivenMove{To: m.To(), From: shogi.NoSquare, Promotes: m.IsPromotion(), Drop: m.IsDrop()}
		if m.IsDrop() {
			g.Kind = m.Dropped()
		} else {
			g.From = m.From()
		}
		list = append(list, g)
	}
	return list
}

// fit returns the author's line as it fits p, with all pieces: nil if there is a line and it does not.
func (o *RepairOptions) fit(p shogi.Position) (*reading, error) {
	switch {
	case len(o.Written) == 0 && (o.Line == nil || keeps(p, o.Line) != nil):
		return &reading{moves: o.Line}, nil
	case len(o.Written) == 0:
		o.Written = writtenOf(o.Line)
	}
	if len(o.Written) > maxWritten {
		return nil, newFault("the line has %d moves, but at most %d can be", "手順が長すぎます（%d手。%d手まで）。", len(o.Written), maxWritten)
	}
	readings, before := readLine(&p, o.Written, false)
	if o.Tally != nil {
		o.Tally.Before = before
	}
	if len(readings) > 0 {
		return &readings[0], nil
	}
	return nil, nil
}

// Misprinted reports whether Repair looks for misprints: there is a line, and it does not fit.
func (o *RepairOptions) Misprinted() bool {
	p, err := diagram(o.Position)
	if err != nil {
		return false
	}
	own := *o
	fitting, err := own.fit(p)
	return err == nil && fitting == nil
}

// slips returns all changes of a diagram that may be a misprint, each with how unlikely a slip it is.
func slips(p *shogi.Position) (list []ranked) {
	for _, c := range changesOf(p) {
		switch c.Kind {
		case ShiftedBy:
			continue
		case Moved:
			c.cost = 8 + 2*c.From.Distance(c.To)
			if c.From.File() != c.To.File() && c.From.Rank() != c.To.Rank() {
				c.cost += 4
			}
		case Replaced:
			c.cost = slipOf(c.Old, c.Piece)
		default:
			c.cost = 16
		}
		list = append(list, c)
	}
	s := p.Setup()
	add := func(c Change) { list = append(list, ranked{c, slipOf(c.Old, c.Piece)}) }
	for i, old := range s.Board {
		if old == shogi.NoPiece || old.Type() == shogi.King {
			continue
		}
		for t := shogi.Pawn; t <= shogi.Dragon; t++ {
			if t != shogi.King {
				add(Change{Kind: Replaced, Old: old, Piece: shogi.PieceOf(old.Color()^1, t), From: shogi.Square(i)})
			}
		}
	}
	for _, old := range kinds {
		for _, t := range kinds {
			if t != old {
				add(Change{Kind: HandReplaced, Old: shogi.PieceOf(shogi.Black, old), Piece: shogi.PieceOf(shogi.Black, t)})
			}
		}
	}
	return list
}

// slipOf returns how unlikely it is that one piece is printed for another: it is turned, promoted, or
// another one.
func slipOf(old, piece shogi.Piece) (cost int) {
	cost = 4
	if old.Color() != piece.Color() {
		cost += 6
	}
	if old.Type().Base() != piece.Type().Base() {
		cost += 8
	}
	if old.Type().IsPromoted() != piece.Type().IsPromoted() {
		cost += 6
	}
	return cost
}

// A suspect is a change that makes the line fit.
type suspect struct {
	Change
	cost     int
	position shogi.Position
	line     []shogi.Move
	pieces   analysis.Answer
}

// problem returns the suspect as it is yielded if it is not known to be a sound problem with the line as
// its solution.
func (s *suspect) problem() Problem {
	return Problem{Position: s.position, Line: s.line, Key: collection.Key(&s.position, shogi.Black)}
}

// suspects returns the changes after which the line fits p, the likeliest slips first, and counts what
// became of the others.
func (o *RepairOptions) suspects(ctx context.Context, p shogi.Position, outcomes *[NumOutcomes]int) (list []suspect) {
	printed := o.Position.Hand(shogi.White)
	add := func(c ranked, q shogi.Position, line []shogi.Move) {
		s := suspect{Change: c.Change, cost: c.cost, position: q, line: line}
		if s.pieces = analysis.Unknown; !printed.IsEmpty() {
			if s.pieces = answerOf(q.Hand(shogi.White) == printed); s.pieces == analysis.No {
				s.cost += 8
			}
		}
		list = append(list, s)
	}
	for _, c := range slips(&p) {
		if ctx.Err() != nil {
			break
		}
		l := layout{setup: p.Setup()}
		if !l.apply(&c.Change) {
			continue
		}
		q, err := l.setup.Position()
		if err != nil || q.InCheck() || !o.mayStand(&q) {
			outcomes[Impossible]++
			continue
		}
		readings, _ := readLine(&q, o.Written, false)
		if len(readings) == 0 {
			outcomes[NoMate]++
		}
		for _, r := range readings {
			add(c, q, r.moves)
		}
	}
	readings, _ := readLine(&p, o.Written, true)
	for _, r := range readings {
		m, at := r.moves[r.ply-1], afterMoves(p, r.moves, r.ply-1)
		c := ranked{Change{Kind: MoveReplaced, Ply: r.ply, Move: m}, 12}
		previous := shogi.NoSquare
		if r.ply > 1 {
			previous = r.moves[r.ply-2].To()
		}
		c.move = moveText{string(movetext.AppendEnglish(nil, &at, m)), string(movetext.AppendJapanese(nil, &at, m, previous))}
		add(c, p, r.moves)
	}
	slices.SortStableFunc(list, func(a, b suspect) int { return cmp.Compare(a.cost, b.cost) })
	return list
}

// misprints yields the problems of the changes after which the line fits p.
func (o *RepairOptions) misprints(ctx context.Context, p shogi.Position) iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		s := o.Search
		s.Least, s.Most = len(o.Written), len(o.Written)
		out := s.output(yield)
		out.Coverage = All
		suspects := o.suspects(ctx, p, &out.Outcomes)
		for _, n := range out.Outcomes {
			out.Figures += n
		}
		o.Tally.Singles, o.Tally.Of[0] = out.Figures, out.Figures+len(suspects)
		out.OfFigures, out.OfParts = o.Tally.Of[0], (len(suspects)+misprintAt-1)/misprintAt
		y := s.examiners(thorough)
		var others [analysis.No + 1][]Problem
		look := func(ctx context.Context, e *examiner, batch []suspect) (f found) {
			for i := range batch {
				if q, outcome := e.suspect(ctx, &batch[i]); ctx.Err() == nil {
					if q.Fit.Before = o.Tally.Before; o.Told > 0 {
						q.Fit.Told = answerOf(o.Told == len(q.Line))
					}
					f.outcomes[outcome]++
					f.problems = append(f.problems, q)
				}
			}
			return f
		}
		seen := map[string]bool{}
		for i := range o.Before {
			seen[o.Before[i].text()] = true
		}
		put := func(q *Problem) bool {
			if seen[q.text()] || s.isKnown(q) {
				return true
			}
			seen[q.text()] = true
			return yield(*q)
		}
		for _, r := range inOrder(ctx, y, 0, slices.Chunk(suspects, misprintAt), look) {
			for i := range r.of.problems {
				if q := &r.of.problems[i]; !q.Fit.Solves {
					others[q.Fit.Sound] = append(others[q.Fit.Sound], *q)
				} else if !put(q) {
					return
				}
			}
			o.Tally.Singles += out.count(&r.of.outcomes)
			o.Tally.Open[0] = out.Outcomes[Open]
			if !r.whole {
				break
			}
			out.done(out.Parts + 1)
		}
		for _, sound := range []analysis.Answer{analysis.Yes, analysis.Unknown, analysis.No} {
			for i := range others[sound] {
				if !put(&others[sound][i]) {
					return
				}
			}
		}
	}
}

// text tells a problem with its line from any other.
func (q *Problem) text() string {
	b := []byte(q.Position.ProblemSFEN())
	for _, m := range q.Line {
		b = m.AppendUSI(append(b, ' '))
	}
	return string(b)
}

// suspect examines a suspect.
func (e *examiner) suspect(ctx context.Context, s *suspect) (Problem, Outcome) {
	e.line = s.line
	_, outcome := e.look(ctx, s.position, &known{})
	q := s.problem()
	fit := &Fit{Sound: analysis.No, Outcome: outcome, Pieces: s.pieces}
	switch outcome {
	case Sound:
		var whole Problem
		if whole, fit.Outcome = e.finish(ctx, s.position); fit.Outcome == Sound {
			q, fit.Solves, fit.Sound = whole, true, analysis.Yes
		} else {
			fit.Sound = analysis.Unknown
		}
	case OtherPlies, Unwanted: // it may be sound, but by another line
		e.reset()
		if a := e.analyse(ctx, s.position, e.analyses[len(e.analyses)-1]); isSound(a) {
			fit.Sound = analysis.Yes
		} else if a == nil || a.Sound != analysis.No {
			fit.Sound = analysis.Unknown
		}
	case Open:
		fit.Sound = analysis.Unknown
	}
	q.Changes, q.Fit = []Change{s.Change}, fit
	return q, fit.Outcome
}
