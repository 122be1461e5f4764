package compose

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
)

// RepairOptions are what is asked of Repair.
type RepairOptions struct {
	// Search has the conditions, as for the other searches of authors. From is not looked at: a run
	// that goes on looks at everything again, and leaves Before out.
	Search
	Position shogi.Position // White holds what is neither on the board nor in Black's hand
	Line     []shogi.Move   // the author's; nil: the main line of the report
	Written  []GivenMove    // or that line as a text has it, whether or not it fits the diagram
	Told     int            // how many moves the text says that Written has; 0: it does not
	Changes  int            // at most so many, 1 or 2; 0: 2
	Tally    *RepairTally   // unless it is nil, it gets how far the search went
}

// A RepairTally says how far a Repair went.
type RepairTally struct {
	Line    []shogi.Move // that is kept
	Singles int          // diagrams of one change looked at
	Pairs   int          // and of two
	Of      [2]int       // how many there are of each to look at
	// Coverage says which those of two changes are.
	Coverage Coverage
	// Open is how many of each were not decided within the limits.
	Open [2]int
	// Misprint is whether the line does not fit the diagram, of which so many moves of it can be played.
	Misprint bool
	Before   int
}

// How much Repair looks at.
const (
	repairPart = 16     // candidates of a batch
	maxPairs   = 60_000 // pairs of changes
	maxFirst   = 400    // single changes that one more is added to
	maxCooks   = 6      // cooks of other candidates of a batch that are asked about first
	cookNodes  = 2_000  // for each of them
)

// The limits of the report on the problem: that of a quick one, which is enough for most that have a
// defect.
var diagnoses = [...]limits{{1_000_000, 60_000}, {}}

// A weakness is a check on the line that mates in some diagram, and should not.
type weakness struct {
	ply  int // of the line before it
	move shogi.Move
	line shogi.Bitboard // squares that its play has to do with
}

// A target is a line that is to be the solution, and what it has beside it.
type target struct {
	line  []shogi.Move
	cooks []weakness
}

// maxTargets is how many lines are tried where the author's is not given.
const maxTargets = 4

// A repairer is one call of Repair.
type repairer struct {
	*RepairOptions
	setup   shogi.Setup
	targets []target
	changes []ranked
	idle    bool // the problem is sound, but some pieces have no part in it
}

// Repair yields the sound problems nearest to one that is not (余詰修正): diagrams with one change, then
// with two, each in the order of how natural the changes are, that have the line of the problem as
// their solution. Where a piece is moved or everything is, the line goes with it. If the author's line is
// not given, the lines of some cooks are tried as well, after the main line.
//
// Every single change is looked at. What becomes of it is found out at the least price: most leave no
// line, or leave a cook that is known. Of two changes the first has to do away with a cook of the
// problem, and what is still wrong after it leads to the second: one that does away with that alone,
// or that touches its play. A first change that breaks the line, for the second to mend it, is not
// looked at, and neither is a move of one piece made of two.
//
// What the limits of a quick look leave open is looked at again at the end, with more.
//
// A problem that is sound but for idle pieces is repaired by taking them away.
//
// A line that does not fit the diagram tells of a misprint: see misprint.go. Then one change is made.
//
// The errors are faults of what is asked for: the problem is sound, has no mate, its line is none, or
// all this is not known.
func Repair(ctx context.Context, o RepairOptions) (iter.Seq[Problem], error) {
	r := &repairer{RepairOptions: &o}
	o.Changes = cmp.Or(o.Changes, 2)
	if o.Changes < 1 || o.Changes > 2 {
		return nil, newFault("one change or two can be made, not %d", "変更は一か所か二か所です（%dは指定できません）。", o.Changes)
	}
	p, err := diagram(o.Position)
	if err != nil {
		return nil, err
	}
	if o.Tally == nil {
		o.Tally = new(RepairTally)
	}
	fitting, err := o.fit(p)
	if err != nil {
		return nil, err
	} else if o.Tally.Misprint = fitting == nil; o.Tally.Misprint {
		return o.misprints(ctx, p), nil
	}
	o.Line = fitting.moves
	if err := r.diagnose(ctx, p); err != nil {
		return nil, err
	}
	o.Tally.Line, o.Tally.Of[0] = r.targets[0].line, len(r.changes)*len(r.targets)
	if o.Tally.Coverage = Chosen; r.idle {
		o.Tally.Coverage = All
	}
	return r.run(ctx), nil
}

// diagnose finds out what is wrong with p, and the line to keep.
func (r *repairer) diagnose(ctx context.Context, p shogi.Position) error {
	e := newExaminer(r.NewSession(), &r.Conditions, thorough)
	var a *analysis.Analysis
	for _, l := range diagnoses {
		a = e.diagnosis(ctx, p, r.Line, l)
		if a == nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return newFault("the side to move stands in check, or there is no such diagram", "図に誤りがあります。")
		}
		if a.Sound != analysis.Unknown {
			break
		}
		e.reset()
	}
	if f := a.Author; f != nil && f.Finding == analysis.Faulty {
		return newFault("the author's line is none to a mate: see move %d", "作意は詰みに至る手順ではありません（%d手目）。",
			f.Places[0].Ply)
	}
	switch {
	case a.Verdict == solver.NoMate && a.Author == nil:
		return newFault("the problem has no mate, so there is no solution to keep", "不詰なので、残す手順がありません。")
	case a.Sound == analysis.Unknown, a.Verdict == solver.Unknown:
		return newFault("it is not known whether the problem is sound, nor what is wrong with it: the search came to its limit",
			"完全作かどうか、どこに欠陥があるか、探索の制限内では分かりませんでした。")
	}
	line := r.Line
	if line == nil {
		if a.Line.Raw {
			return newFault("the solution of the problem is not known: the search came to its limit",
				"本手順が探索の制限内では分かりませんでした。")
		}
		line = a.Line.Moves
	}
	r.setup, r.targets = p.Setup(), []target{{line: line}}
	r.changes = changesOf(&p)
	if a.Sound == analysis.Yes {
		return r.removeIdle(a)
	}
	r.targets[0].cooks = weaknesses(a, line)
	if r.Line == nil {
		r.addTargets(a)
	}
	return nil
}

// addTargets adds the lines of cooks, which may be what the author meant.
func (r *repairer) addTargets(a *analysis.Analysis) {
	for i := range a.Attack {
		n := &a.Attack[i]
		for _, o := range n.Others {
			if len(r.targets) == maxTargets {
				return
			}
			if o.Class != analysis.Cook || o.Raw || len(o.Line) == 0 {
				continue
			}
			at := afterMoves(a.Position, a.Line.Moves, n.Ply-1)
			t := target{line: slices.Concat(a.Line.Moves[:n.Ply-1], o.Line)}
			t.cooks = append(t.cooks, weakness{n.Ply - 1, n.Move, squaresOf(at, a.Line.Moves[n.Ply-1:])})
			for _, w := range r.targets[0].cooks {
				if w.ply < n.Ply && w.move != o.Move {
					t.cooks = append(t.cooks, w)
				}
			}
			r.targets = append(r.targets, t)
		}
	}
}

// removeIdle makes the changes those that take idle pieces away.
func (r *repairer) removeIdle(a *analysis.Analysis) error {
	r.changes = slices.DeleteFunc(r.changes, func(c ranked) bool {
		return !slices.ContainsFunc(a.Economy, func(e analysis.IdlePiece) bool {
			return e.Idle == analysis.Yes && (c.Kind == Removed && c.From == e.Square ||
				c.Kind == HandRemoved && !e.Square.IsValid() && c.Piece.Type() == e.Piece)
		})
	})
	if len(r.changes) == 0 {
		return newFault("the problem is sound: there is nothing to mend", "完全作です。直すところはありません。")
	}
	r.idle = true
	return nil
}

// diagnosis reports on p and a line of it.
func (e *examiner) diagnosis(ctx context.Context, p shogi.Position, line []shogi.Move, l limits) *analysis.Analysis {
	return e.report(ctx, analysis.Question{Position: p, Line: line, Parts: analysis.DefaultParts | analysis.Economy,
		Nodes: l.nodes, QuestionNodes: l.question})
}

// weaknesses returns the checks on the main line of a report that are defects of it, as far as that is the line.
func weaknesses(a *analysis.Analysis, line []shogi.Move) (list []weakness) {
	p := a.Position
	for i := range a.Attack {
		n := &a.Attack[i]
		if n.Ply > len(line) || !slices.Equal(a.Line.Moves[:n.Ply-1], line[:n.Ply-1]) {
			break
		}
		at := afterMoves(p, line, n.Ply-1)
		for _, o := range n.Others {
			switch o.Class {
			case analysis.Cook, analysis.Early, analysis.Transposition, analysis.DualMove:
				w := weakness{ply: n.Ply - 1, move: o.Move, line: squaresOf(at, o.Line)}
				w.line = w.line.Or(squaresOf(at, []shogi.Move{o.Move}))
				list = append(list, w)
			}
		}
	}
	return list
}

// afterMoves returns the position after n moves of a line.
func afterMoves(p shogi.Position, line []shogi.Move, n int) shogi.Position {
	for _, m := range line[:min(n, len(line))] {
		p.Do(m)
	}
	return p
}

// squaresOf returns the squares that a line of play has to do with: those it uses and crosses, those
// of the pieces that guard where it lands, and those around the king at its end.
func squaresOf(p shogi.Position, line []shogi.Move) (b shogi.Bitboard) {
	for _, m := range line {
		b = b.With(m.To())
		if !m.IsDrop() {
			b = b.With(m.From())
			b = b.Or(shogi.Between(m.From(), m.To()))
		}
		for _, c := range []shogi.Color{shogi.Black, shogi.White} {
			b = b.Or(p.AttackersTo(m.To(), c, p.Occupied()))
		}
		p.Do(m)
		b = b.Or(shogi.Between(m.To(), p.King(shogi.White)))
	}
	king := p.King(shogi.White)
	return b.With(king).Or(shogi.Attacks(shogi.White, shogi.King, king, p.Occupied()))
}

// touches reports whether a change has to do with some of the squares.
func (c *Change) touches(b shogi.Bitboard) bool {
	switch c.Kind {
	case HandAdded, HandRemoved, ShiftedBy:
		return true
	case Added:
		return b.Has(c.To)
	case Moved:
		return b.Has(c.From) || b.Has(c.To)
	}
	return b.Has(c.From)
}

// A candidate is a diagram to look at: one change or two of the problem, by their numbers.
type candidate struct {
	target        int
	first, second int // -1: no second
	cost          int
}

// A repairBatch is what became of some candidates.
type repairBatch struct {
	found
	singles []single
	open    []candidate
}

// A single is a change that leaves the line, and what is still wrong after it.
type single struct {
	target int
	change int
	gone   uint64    // cooks of the problem that it does away with, by their numbers
	left   *weakness // one that is left, nil if that is not known
	sound  bool
}

// run looks at the candidates of one change, then at those of two, and again at those of both that were
// not decided, with as much as any search gives.
func (r *repairer) run(ctx context.Context) iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		y := repairRun{repairer: r, output: r.output(yield), examiners: r.examiners(thorough)}
		if y.Coverage = All; r.Changes == 2 {
			y.Coverage = r.Tally.Coverage
		}
		var singles []candidate
		for t := range r.targets {
			for i, c := range r.changes {
				singles = append(singles, candidate{target: t, first: i, second: -1, cost: c.cost})
			}
		}
		if !y.look(ctx, singles, &r.Tally.Singles) {
			return
		}
		if r.Changes == 2 {
			var pairs []candidate
			for t := range r.targets {
				of := slices.DeleteFunc(slices.Clone(y.singles), func(s single) bool { return s.target != t })
				pairs = append(pairs, r.pairs(t, of)...)
			}
			if r.Tally.Of[1] = len(pairs); !y.look(ctx, pairs, &r.Tally.Pairs) {
				return
			}
		}
		y.lookAgain(ctx)
	}
}

// A repairRun is what a run has found so far.
type repairRun struct {
	*repairer
	*output
	*examiners
	singles []single
	open    []candidate
}

// look looks at candidates for the first time, and counts them. It returns whether to go on.
func (y *repairRun) look(ctx context.Context, candidates []candidate, looked *int) bool {
	y.OfFigures += len(candidates)
	for _, r := range y.batches(ctx, candidates, false) {
		if !y.put(r.of.problems) {
			return false
		}
		*looked += y.count(&r.of.outcomes)
		y.singles = append(y.singles, r.of.singles...)
		y.open = append(y.open, r.of.open...)
		y.countOpen(r.of.open, 1)
		if !r.whole {
			return false
		}
		y.done(y.Parts + 1)
	}
	return ctx.Err() == nil
}

// lookAgain looks at what was not decided. The candidates are counted already, as open ones.
func (y *repairRun) lookAgain(ctx context.Context) {
	for batch, r := range y.batches(ctx, y.open, true) {
		if !y.put(r.of.problems) || !r.whole {
			return // some of the batch are open still
		}
		y.Outcomes[Open] -= len(batch)
		y.Figures -= len(batch)
		y.count(&r.of.outcomes)
		y.countOpen(batch, -1)
		y.countOpen(r.of.open, 1)
		y.done(y.Parts + 1)
	}
}

// countOpen adds so many to the open ones for each candidate.
func (y *repairRun) countOpen(candidates []candidate, n int) {
	for _, c := range candidates {
		y.Tally.Open[min(c.second+1, 1)] += n
	}
}

// batches returns what becomes of candidates, in their order.
func (y *repairRun) batches(
	ctx context.Context, candidates []candidate, again bool,
) iter.Seq2[[]candidate, result[repairBatch]] {
	y.OfParts += (len(candidates) + repairPart - 1) / repairPart
	return inOrder(ctx, y.examiners, 0, slices.Chunk(candidates, repairPart),
		func(ctx context.Context, e *examiner, batch []candidate) repairBatch {
			return y.repairer.look(ctx, e, batch, again)
		})
}

// pairs returns the figures of two changes to look at for a target, the most natural first.
func (r *repairer) pairs(t int, singles []single) (list []candidate) {
	if r.idle {
		for i := range r.changes {
			for j := range i {
				list = append(list, candidate{target: t, first: j, second: i, cost: r.changes[i].cost + r.changes[j].cost})
			}
		}
		return list
	}
	all := uint64(1)<<min(len(r.targets[t].cooks), 63) - 1
	first := slices.DeleteFunc(slices.Clone(singles), func(s single) bool {
		return s.left == nil || s.gone == 0 && all != 0
	})
	gone := make(map[int]uint64, len(singles))
	for _, s := range singles {
		if !s.sound { // else it needs no other
			gone[s.change] = s.gone
		}
	}
	seen := map[[2]int]bool{}
	for _, s := range first[:min(len(first), maxFirst)] {
		a := &r.changes[s.change]
		for j := range r.changes {
			b := &r.changes[j]
			g, keeps := gone[j]
			if !keeps || j == s.change || seen[[2]int{j, s.change}] || a.excludes(&b.Change) || a.Kind == ShiftedBy {
				continue
			}
			cost := a.cost + b.cost
			leads, ends := b.touches(s.left.line), g|s.gone == all
			switch {
			case leads && ends:
			case leads:
				cost += 8 // the two leave a cook that neither does away with
			case ends:
				cost += 16 // the second has nothing to do with what is left
			default:
				continue
			}
			seen[[2]int{s.change, j}] = true
			list = append(list, candidate{target: t, first: s.change, second: j, cost: cost})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
	return list[:min(len(list), maxPairs)]
}

// excludes reports whether two changes are about the same square, so that they are one or cannot both be
// made.
func (c *Change) excludes(o *Change) bool {
	squares := func(c *Change) (b shogi.Bitboard) {
		switch c.Kind {
		case Moved:
			return b.With(c.From).With(c.To)
		case Added:
			return b.With(c.To)
		case Removed, Replaced:
			return b.With(c.From)
		}
		return b
	}
	return squares(c).Intersects(squares(o))
}

// look looks at the candidates of a batch.
func (r *repairer) look(ctx context.Context, e *examiner, batch []candidate, again bool) (b repairBatch) {
	var recent recentCooks
	for _, c := range batch {
		if ctx.Err() != nil {
			return b
		}
		l, changes, ok := r.apply(c)
		p, err := l.setup.Position()
		if !ok || err != nil || !e.mayStand(&p) || p.InCheck() {
			b.add(Problem{}, Impossible)
			continue
		}
		positions := keeps(p, l.line)
		if positions == nil {
			b.add(Problem{}, NoMate)
			continue
		}
		e.line = l.line
		t := trial{examiner: e, ctx: ctx, candidate: c, positions: positions, again: again}
		outcome, left := r.examine(&t, &recent)
		if ctx.Err() != nil {
			return b
		}
		var q Problem
		if outcome == Sound {
			q, outcome = e.finish(ctx, p)
			q.Changes = changes
		}
		if b.add(q, outcome); outcome == Open {
			b.open = append(b.open, c)
		}
		if c.second < 0 && !again {
			b.singles = append(b.singles, single{c.target, c.first, t.gone, left, outcome == Sound})
		}
	}
	return b
}

// apply makes the changes of a candidate, if they can be made.
func (r *repairer) apply(c candidate) (l layout, changes []Change, ok bool) {
	l, ok = layout{r.setup, r.targets[c.target].line}, true
	for _, i := range []int{c.first, c.second} {
		if i >= 0 {
			changes = append(changes, r.changes[i].Change)
			ok = ok && l.apply(&changes[len(changes)-1])
		}
	}
	return l, changes, ok
}

// keeps returns the positions of a line if it is one to a mate in p, but for drops at its end that may
// be futile; nil else.
func keeps(p shogi.Position, line []shogi.Move) []shogi.Position {
	list := make([]shogi.Position, 0, len(line)+1)
	for i, m := range line {
		list = append(list, p)
		if !p.IsLegal(m) {
			return nil
		}
		if p.Do(m); i%2 == 0 && !p.InCheck() {
			return nil
		}
	}
	if !isEnd(&p) {
		return nil
	}
	return append(list, p)
}

// isEnd reports whether White can only drop pieces against a check, which may be futile.
func isEnd(p *shogi.Position) bool {
	var buf shogi.MoveBuffer
	return p.InCheck() && !slices.ContainsFunc(p.Evasions(&buf, shogi.AllMoves), func(m shogi.Move) bool { return !m.IsDrop() })
}

// A trial is a candidate in which the line of the examiner is possible, and what is found out about it.
type trial struct {
	*examiner
	ctx context.Context
	candidate
	positions []shogi.Position // before each move of the line, and after it
	again     bool             // the first look did not decide it
	gone      uint64           // cooks of the problem that are none here, by their numbers
}

// examine returns the outcome of a candidate, Sound if the short analysis says so, and what is known to be
// wrong with it. What is likely and cheap to ask comes first: a defect of the problem itself, pieces left
// over, a cook of a candidate before, and only then whatever else may be wrong.
func (r *repairer) examine(t *trial, recent *recentCooks) (Outcome, *weakness) {
	if left := r.cookLeft(t); left != nil {
		return Cooked, left
	}
	if t.leavesPieces() {
		return Unsound, &weakness{ply: len(t.line)}
	}
	if w := recent.find(t); w != nil {
		return Cooked, w
	}
	if t.lastsLonger() {
		return OtherPlies, nil
	}
	if w := t.otherCook(); w != nil {
		recent.add(*w)
		return Cooked, w
	}
	if w := t.sooner(); w != nil {
		return OtherPlies, w
	}
	a := t.analyse(t.ctx, t.positions[0], t.limits())
	switch _, outcome := t.judge(a); {
	case outcome == Sound && (a.Author == nil || a.Author.Finding != analysis.Agrees):
		return Unwanted, nil
	case outcome != Unsound:
		return outcome, nil
	}
	defects := weaknesses(a, t.line)
	for _, w := range defects {
		if t.isDefect(&w, cookNodes) {
			recent.add(w)
		}
	}
	if len(defects) == 0 { // what is wrong is no check
		return Unsound, &weakness{ply: len(t.line), line: squaresOf(t.positions[0], t.line)}
	}
	return Unsound, &defects[0]
}

// cookLeft returns the first cook of the problem that is one here as well. Of one change all cooks are
// asked about, since the second change depends on which are gone.
func (r *repairer) cookLeft(t *trial) (left *weakness) {
	files, ranks := 0, 0
	for _, i := range []int{t.first, t.second} {
		if i >= 0 && r.changes[i].Kind == ShiftedBy {
			files, ranks = r.changes[i].Files, r.changes[i].Ranks
		}
	}
	cooks := r.targets[t.target].cooks
	for i := range cooks {
		w, ok := cooks[i].shifted(files, ranks)
		switch {
		case !ok || !t.isDefect(&w, cookNodes):
			if i < 63 {
				t.gone |= 1 << i
			}
		case t.second >= 0:
			return &w
		case left == nil:
			left = &w
		}
	}
	return left
}

// shifted returns the weakness where everything has been moved.
func (w weakness) shifted(files, ranks int) (weakness, bool) {
	if files == 0 && ranks == 0 {
		return w, true
	}
	l := layout{line: []shogi.Move{w.move}}
	if !l.shift(files, ranks) {
		return w, false
	}
	w.move = l.line[0]
	return w, true
}

// isDefect reports whether a check is a defect for certain: it mates without coming back to the line up to
// there, and is nothing that some profile allows.
func (t *trial) isDefect(w *weakness, nodes uint64) bool {
	if w.ply >= len(t.line) || !t.positions[w.ply].IsLegal(w.move) ||
		!analysis.IsDefect(&t.positions[w.ply], t.line[w.ply:], w.move) {
		return false
	}
	q := t.positions[w.ply].After(w.move)
	if !q.InCheck() {
		return false
	}
	marks := make([]shogi.Position, 0, len(t.positions)/2)
	for i := 0; i <= w.ply; i += 2 {
		marks = append(marks, t.positions[i])
	}
	return t.session.Decide(t.ctx, solver.Question{Position: q, Attacker: shogi.Black, Marks: marks,
		Limits: solver.Limits{Nodes: nodes}}).Verdict == solver.Mate
}

// leavesPieces reports whether Black holds something after the line, and it is not what was dropped
// against a check, maybe for nothing.
func (t *trial) leavesPieces() bool {
	for i, m := range t.line {
		if i%2 == 1 && m.IsDrop() {
			return false
		}
	}
	return !t.positions[len(t.line)].Hand(shogi.Black).IsEmpty()
}

// recentCooks are cooks of the candidates before in a batch, the last that was one first: the next one
// often has it, too.
type recentCooks []weakness

func (l *recentCooks) find(t *trial) *weakness {
	for i, w := range *l {
		if t.isDefect(&w, cookNodes) {
			copy((*l)[1:i+1], (*l)[:i])
			(*l)[0] = w
			return &w
		}
	}
	return nil
}

func (l *recentCooks) add(w weakness) {
	*l = slices.Insert((*l)[:min(len(*l), maxCooks-1)], 0, w)
}

// lastsLonger reports whether there is no mate in time after a move of the line, the last first: by no
// count of interpositions.
func (t *trial) lastsLonger() bool {
	for i := len(t.line) - 2; i > 0; i -= 2 {
		d := t.session.Decide(t.ctx, solver.Question{Position: t.positions[i], Attacker: shogi.Black,
			Interpositions: solver.FreeByAny, Limits: solver.Limits{Plies: len(t.line) - i, Nodes: t.nodes}})
		if d.Verdict == solver.NoMate {
			return true
		}
	}
	return false
}

// otherCook returns a check on the line that is a cook for certain, the last first, as far as short
// searches tell: what the analysis would find at a higher price.
func (t *trial) otherCook() *weakness {
	var buf shogi.MoveBuffer
	for ply := (len(t.line)-1)/2*2 - 2; ply >= 0; ply -= 2 {
		for _, m := range slices.Clone(t.positions[ply].Checks(&buf, shogi.AllMoves)) {
			w := weakness{ply: ply, move: m}
			if t.isDefect(&w, firstMoveNodes) {
				w.line = squaresOf(t.positions[ply], []shogi.Move{m})
				return &w
			}
		}
	}
	return nil
}

// sooner returns the first move of a mate in fewer plies than the line has, nil if none is found.
func (t *trial) sooner() *weakness {
	n, p := len(t.line)-2, t.positions[0]
	if n <= 0 {
		return nil
	}
	d := t.session.Decide(t.ctx, solver.Question{Position: p, Attacker: shogi.Black,
		Limits: solver.Limits{Plies: n, Nodes: t.nodes}})
	if d.Verdict != solver.Mate {
		return nil
	}
	return &weakness{move: d.Move, line: squaresOf(p, []shogi.Move{d.Move})}
}

// limits are those of the analysis up to the first defect. Sound problems seldom need half as much as the
// first look gives; the second one gives as much as any search.
func (t *trial) limits() limits {
	plies := uint64(len(t.line))
	l := limits{60_000 + 20_000*plies, 6_000 + 1_000*plies}
	if most := thorough.analyses[len(thorough.analyses)-1]; t.again {
		l = limits{max(l.nodes, most.nodes), max(l.question, most.question)}
	}
	return l
}
