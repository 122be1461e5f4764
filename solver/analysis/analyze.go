package analysis

import (
	"cmp"
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
)

// A Phase is what an analysis is busy with.
type Phase uint8

const (
	PhaseVerdict  Phase = iota // is there a mate, and how long is it by the raw count
	PhaseLengths               // under the policies
	PhaseLine                  // main line, leftovers, the author's line
	PhaseDefence               // the defender's other replies
	PhaseAttack                // the attacker's other checks, and what each is
	PhaseOptional              // what else was asked for
	NumPhases
)

// String names the phase.
func (p Phase) String() string {
	return [...]string{"verdict", "lengths", "line", "defence", "attack", "optional"}[p]
}

// An Update says how an analysis goes on.
type Update struct {
	Phase       Phase
	Done, Total int    // questions of the phase
	Nodes       uint64 // so far
	// Pointer is where in the JSON of the report there is something new, "" if nothing is.
	Pointer string
	// Report returns the report so far. It may be called until on returns.
	Report func() *Analysis
}

// An Analyzer makes reports, one after another. It is for one goroutine.
type Analyzer struct {
	session solver.Session
	lengths *length.Engine
}

// NewAnalyzer returns an Analyzer that asks s, which nobody else uses meanwhile. It has
// length.MemoBytes of memory besides.
func NewAnalyzer(s solver.Session) *Analyzer {
	return &Analyzer{s, length.NewEngine(s)}
}

// Analyze reports on a problem. The errors are those of ValidAttacker, and ErrDefenderMoves. The end
// of ctx is none: the report then has what is known. Unless it is nil, on is called from the same
// goroutine as facts are found, and log has the answers of an earlier run that was cut short, which
// are not asked for again, and gets those of this one.
func (z *Analyzer) Analyze(ctx context.Context, q Question, on func(Update), log *Log) (*Analysis, error) {
	if err := ValidAttacker(&q.Position, q.Attacker); err != nil {
		return nil, err
	}
	if q.Position.SideToMove() != q.Attacker {
		return nil, ErrDefenderMoves
	}
	grow := q.QuestionNodes == 0
	q.Nodes, q.QuestionNodes = cmp.Or(q.Nodes, DefaultNodes), cmp.Or(q.QuestionNodes, DefaultQuestionNodes)
	if q.Profile == nil {
		q.Profile = Magazine
	}
	if q.Parts == 0 {
		q.Parts = DefaultParts
	}
	turn := turning{length.Orient(&q.Position, q.Attacker)}
	turned := q
	turned.Position, turned.Attacker = turn.Position(q.Position), shogi.Black
	turned.Line = turn.Moves(q.Line)
	if log == nil {
		log = new(Log)
	}
	w := work{ctx: ctx, session: z.session, lengths: z.lengths, q: turned, given: q,
		p: turned.Position, left: q.Nodes, log: log, grow: grow,
		a: &Analysis{Position: turned.Position, Attacker: shogi.Black,
			Policy: q.Policy, Profile: q.Profile, Told: q.Told, Parts: q.Parts, Repeatable: true}}
	w.on = func(u Update) {
		if on != nil {
			u.Nodes, u.Report = w.a.Nodes, func() *Analysis { return turn.analysis(w.a, q) }
			on(u)
		}
	}
	w.lengths.Forget()
	w.run()
	return turn.analysis(w.a, q), nil
}

// work is the work on a report. The attacker is Black.
type work struct {
	ctx     context.Context
	session solver.Session
	lengths *length.Engine
	q       Question       // turned
	given   Question       // as it was asked
	p       shogi.Position // the diagram, turned
	a       *Analysis
	on      func(Update)
	log     *Log
	left    uint64 // nodes
	floor   uint64 // of them are for later phases

	phase Phase
	line  []shogi.Position // of the main line: the diagram, and after each move
	best  *length.Play
	nodes []attackNode
	grow  bool // the last questions get more nodes than q.QuestionNodes
	total int  // questions about checks
	done  int  // of them decided
	cooks int  // of the checks

	authors []shogi.Position // of the author's line, if it ends in mate
	after   []solver.Verdict // after so many moves of it, the defender to move
}

// run goes through the phases. The lengths need each other's searches, up to the defender's replies.
// The questions about the attacker's checks begin with nothing remembered, so that an analysis can be
// taken up again there with the same results. Between their rounds it cannot: each goes on with what
// the session remembers of those before, and no log has that.
func (w *work) run() {
	w.begin(PhaseVerdict)
	if w.q.Line != nil {
		w.followAuthor()
	}
	if !w.verdict() {
		w.enter(PhaseLine)
		w.author() // where does it fail?
		w.enter(PhaseOptional)
		w.findThemes()
		w.certify()
		w.conclude()
		return
	}
	w.findLengths()
	w.enter(PhaseLine)
	w.findLine()
	if w.q.Parts&Defence != 0 {
		w.enter(PhaseDefence)
		w.defence()
	}
	if w.q.Parts&Attack != 0 {
		w.attack()
	}
	w.optional()
	w.conclude()
	w.complete()
}

// complete reports on the problem that the diagram is if the defender holds the pieces that are missing:
// as a rule they were forgotten. Like certificates it is not logged.
func (w *work) complete() {
	q := w.given
	if q.Position.Missing() == 0 || w.a.Verdict != solver.Mate || w.q.Parts&DefaultParts != DefaultParts || w.left == 0 ||
		w.a.severity(RuleHands) != Fail || w.stopped() != solver.NoReason {
		return
	}
	q.Position.GiveMissing(q.Attacker.Opponent())
	q.Parts &= DefaultParts | AllLengths
	q.Nodes = w.left
	if w.grow {
		q.QuestionNodes = 0
	}
	z := Analyzer{w.session, w.lengths}
	a, err := z.Analyze(w.ctx, q, nil, nil)
	if err != nil {
		return
	}
	w.spend(a.Nodes)
	w.a.Repeatable = w.a.Repeatable && a.Repeatable
	c := &Completed{Position: a.Position, Verdict: a.Verdict, Sound: a.Sound, Lengths: a.Lengths, Reason: a.Reason}
	for _, n := range a.AttackNodes() {
		c.Decided, c.Mate, c.Open = c.Decided+n.Fail+n.Mate, c.Mate+n.Mate, c.Open+n.Open
	}
	for _, r := range a.Rules {
		if r.Severity == Fail && r.Holds == No {
			c.Broken = append(c.Broken, r.Rule)
		}
	}
	w.a.Completed = c
}

// begin begins a phase with nothing remembered.
func (w *work) begin(p Phase) {
	w.enter(p)
	w.log.begin(w.a.Repeatable)
	w.session.Reset()
	w.lengths.Forget()
	w.lengths.Begin(shogi.Black, w.q.Policy)
}

// update tells of a new fact, or that work goes on, and of the rules that are decided by it.
func (w *work) update(pointer string, done, total int) {
	u := Update{Phase: w.phase, Pointer: pointer, Done: done, Total: total}
	if pointer == "" {
		w.on(u)
		return
	}
	before := w.a.Rules
	w.a.Judge() // first, for the fact counts by what it breaks
	w.on(u)
	if !slices.EqualFunc(before, w.a.Rules, func(a, b RuleResult) bool {
		return a.Holds == b.Holds && a.Severity == b.Severity && slices.Equal(a.Places, b.Places)
	}) {
		u.Pointer = "/rules"
		w.on(u)
	}
}

// enter goes on to a phase with what is remembered. So that none takes everything, each leaves some
// of the nodes to those after it.
func (w *work) enter(p Phase) {
	w.phase = p
	w.floor = uint64(float64(w.q.Nodes) * leave[p])
	if p == PhaseAttack && w.q.Parts&^(DefaultParts|AllLengths) == 0 {
		w.floor = 0
	}
}

// leave is the part of all nodes that a phase leaves.
var leave = [NumPhases]float64{PhaseVerdict: 0.7, PhaseLengths: 0.5, PhaseLine: 0.45, PhaseDefence: 0.35,
	PhaseAttack: 0.1, PhaseOptional: 0}

// verdict finds out whether there is a mate at all, and its raw length. It reports whether there is
// one.
func (w *work) verdict() bool {
	r := w.ask(solver.Question{Position: w.p, Limits: solver.Limits{Nodes: w.left, Shortest: true}})
	if r.Verdict == solver.Unknown && r.Reason == solver.ReasonNodes {
		w.floor = w.q.Nodes / 4 // without a mate there is not much else to ask
		r = w.ask(solver.Question{Position: w.p, Limits: solver.Limits{Nodes: w.left}})
	}
	w.a.Verdict = r.Verdict
	w.update("/verdict", 1, 1)
	switch r.Verdict {
	case solver.Unknown:
		w.open(r.Reason)
		return false
	case solver.NoMate:
		return false
	}
	raw := length.Interval{Low: r.NoMateWithin + 1, High: r.Plies()}
	raw.Low += (raw.High - raw.Low) % 2
	if r.Exact {
		raw.Low = raw.High
	} else {
		w.open(cmp.Or(r.Reason, solver.ReasonNodes))
	}
	w.a.Lengths = []Length{{length.F0, raw}}
	w.a.Line = Line{Moves: r.Line, Raw: true}
	w.update("/lengths/F0", 1, 1)
	return true
}

// findLengths finds the lengths under the policies: the one asked for last, because what its search
// has found is of use then.
func (w *work) findLengths() {
	w.enter(PhaseLengths)
	raw := w.a.Lengths[0].Interval
	policies := []length.Policy{w.q.Policy}
	if w.q.Parts&AllLengths != 0 {
		policies = policies[:0]
		for _, p := range length.Policies {
			if p != length.F0 && p != w.q.Policy {
				policies = append(policies, p)
			}
		}
		policies = append(policies, w.q.Policy)
	}
	for i, p := range policies {
		if p == length.F0 {
			continue
		}
		if raw.High == 1 {
			w.a.Lengths = append(w.a.Lengths, Length{p, raw})
			continue
		}
		known := length.Interval{Low: 1, High: raw.High}
		for _, l := range w.a.Lengths {
			if p.IsAtMost(l.Policy) {
				known.High = min(known.High, l.High)
			}
		}
		w.lengths.Begin(shogi.Black, p)
		v := w.narrow(w.p, known, len(w.q.Line), w.left/uint64(len(policies)-i))
		w.lengths.Begin(shogi.Black, w.q.Policy)
		w.a.Lengths = append(w.a.Lengths, Length{p, v})
		w.a.orderLengths()
		w.update("/lengths/"+p.String(), i+1, len(policies))
	}
	for _, l := range w.a.Lengths[1:] {
		if !l.IsExact() {
			w.open(solver.ReasonNodes)
		}
	}
}

// orderLengths narrows the lengths by one another.
func (a *Analysis) orderLengths() {
	for i := range a.Lengths {
		for j := range a.Lengths {
			if less, more := &a.Lengths[i], &a.Lengths[j]; less.Policy.IsAtMost(more.Policy) {
				less.High, more.Low = min(less.High, more.High), max(less.Low, more.Low)
			}
		}
	}
}

// Length returns the length under the policy asked about.
func (a *Analysis) Length() length.Interval {
	if i, ok := a.LengthUnder(a.Policy); ok {
		return i
	}
	return length.Interval{Low: 1, High: length.Unbounded}
}

// LengthUnder returns the length under a policy. ok is false if nobody looked for it.
func (a *Analysis) LengthUnder(p length.Policy) (i length.Interval, ok bool) {
	for _, l := range a.Lengths {
		if l.Policy == p {
			return l.Interval, true
		}
	}
	return i, false
}

// open records that something is not decided.
func (w *work) open(reason solver.Reason) {
	if w.a.Reason == solver.NoReason {
		w.a.Reason = reason
	}
	switch reason {
	case solver.ReasonTime, solver.ReasonCancelled, solver.ReasonOverloaded, solver.ReasonUnverified:
		w.a.Repeatable = false
	}
}
