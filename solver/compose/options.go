package compose

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/analysis"
)

// LongestPlies is the longest problem that Reverse and Evolve make.
const LongestPlies = 31

// Options are what is asked of Reverse and Evolve. Their Progress has no outcomes: those are in the Tally.
type Options struct {
	Search
	Weights *Weights // nil: DefaultWeights
	Seed    uint64
	Each    int // problems of each length at most; 0: Reverse makes about as many of each

	shortest int // plies of what is grown further, at least; 0: shorterBy less than Least
}

// A Problem is a sound mate problem. Black is to mate, and White holds what is not in the diagram.
type Problem struct {
	Position    shogi.Position
	Line        []shogi.Move // its length by length.Default is the number of moves
	Themes      []string     // IDs of package theme
	Strict      bool
	Captures    int      // of Black
	Score       float64  // by the weights
	Key         string   // collection.Key
	Certificate []byte   // of its length, as package certificate has it
	Nearest     *Nearest // the known problem that it is most like; nil if there is none
	Changes     []Change // what was changed of a problem to make this one
	Fit         *Fit     // of a misprint, which need not be sound and then has neither themes nor a certificate
}

// CertificateHash returns the SHA-256 of the certificate, such as "sha256:…", "" if there is none.
func (q *Problem) CertificateHash() string {
	if len(q.Certificate) == 0 {
		return ""
	}
	sum := sha256.Sum256(q.Certificate)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// A Tally counts what happened to the candidates of each length.
type Tally struct {
	Units   int
	Lengths [LongestPlies + 1]LengthTally // by plies; of those whose length is not known 0
}

// A LengthTally counts what happened to the candidates of one length.
type LengthTally struct {
	Outcomes [NumOutcomes]int // of the candidates, sound or not
	Dull     int              // sound ones that were not the first choice of their unit, or not as wanted
	Alike    int              // ones as wanted that were like one before
	Yielded  int
}

// Candidates returns how many there were.
func (t *LengthTally) Candidates() (sum int) {
	for _, n := range t.Outcomes {
		sum += n
	}
	return sum
}

// add adds the candidates of a unit, and returns how many there were.
func (t *Tally) add(unit *Tally) (sum int) {
	for i := range t.Lengths {
		for outcome, n := range unit.Lengths[i].Outcomes {
			t.Lengths[i].Outcomes[outcome] += n
			sum += n
		}
	}
	return sum
}

// A worker does units of work. What it finds in one depends on the seed and its number alone.
type worker struct {
	*examiner
	rng   *rand.Rand
	tally Tally           // of the unit
	seen  map[uint64]bool // positions of the unit
}

// shorterBy is how many plies shorter than wanted a problem may be that is grown further.
const shorterBy = 4

// A unit is what came of a unit of work: problems by plies, not yet finished.
type unit struct {
	problems map[int][]*problem
	tally    Tally
}

// examiner returns one for problems that meet c.
func (o *Options) examiner(c Conditions) *examiner {
	e := newExaminer(o.NewSession(), &c, growing)
	if e.parts |= analysis.Difficulty; o.Weights != nil {
		e.weights = o.Weights
	}
	return e
}

// run does units of work and yields the problems that are selected of each.
func (o *Options) run(ctx context.Context, tally *Tally, work func(ctx context.Context, w *worker) map[int][]*problem,
	selected func(l *selection, found map[int][]*problem) bool) iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		if tally == nil {
			tally = new(Tally)
		}
		l := &selection{examiner: o.examiner(o.Conditions), ctx: ctx, each: o.Each, archive: o.Archive, tally: tally,
			yield: yield}
		if l.archive == nil {
			l.archive = new(Archive)
		}
		for i := range o.Before {
			l.archive.Restore(&o.Before[i])
			tally.Lengths[len(o.Before[i].Line)].Yielded++
		}
		c := o.Conditions
		c.Least, c.growing = cmp.Or(o.shortest, max(3, c.Least-shorterBy)), true
		y := newExaminers(o.Threads, func() *examiner { return o.examiner(c) })
		// A unit takes milliseconds, and now and then a second to be looked through.
		held := 256 * o.Threads
		if o.Threads <= 1 {
			held = 1 // nothing is done while a unit is looked through
		}
		out := o.output(yield)
		do := func(ctx context.Context, e *examiner, n int) unit {
			w := &worker{examiner: e, rng: partOf(o.Seed, n), seen: map[uint64]bool{}}
			return unit{work(ctx, w), w.tally}
		}
		for n, r := range inOrder(ctx, y, held, o.parts(0), do) {
			if !r.whole {
				return
			}
			out.Figures += tally.add(&r.of.tally)
			l.archive.Begin()
			l.reset()
			if !selected(l, r.of.problems) {
				return
			}
			tally.Units++
			out.done(n + 1)
		}
	}
}

// A selection yields the best problems of units of work.
type selection struct {
	*examiner
	ctx     context.Context
	each    int
	archive *Archive
	tally   *Tally
	yield   func(Problem) bool
}

// best yields the best problems of a unit that are unlike what was yielded before, so many of each length but
// those to be skipped, the longest first: the end of one is no problem beside it. It reports whether there is
// to be more.
func (l *selection) best(found map[int][]*problem, most int, skip func(plies int) bool) bool {
	for plies := l.Most; plies >= l.Least; plies -= 2 {
		if skip(plies) {
			continue
		}
		list := found[plies]
		slices.SortStableFunc(list, func(a, b *problem) int { return cmp.Compare(b.score, a.score) })
		for i, n := 0, 0; i < len(list) && n < most; i++ {
			left, more := l.offer(list[i])
			if !more {
				return false
			}
			if left {
				if n++; n == most {
					l.tally.Lengths[plies].Dull += len(list) - i - 1
				}
			}
		}
	}
	return true
}

// isFull reports whether there are enough problems of a length.
func (l *selection) isFull(plies int) bool {
	return l.each > 0 && l.tally.Lengths[plies].Yielded >= l.each
}

// offer yields a problem if it is as wanted and new. more is what yield returns, and else whether ctx
// has not ended.
func (l *selection) offer(q *problem) (left, more bool) {
	t := &l.tally.Lengths[len(q.line)]
	if !l.meets(q) {
		t.Dull++
		return false, true
	}
	first := q.problem()
	if _, isNew := l.archive.Nearest(&first); !isNew {
		t.Alike++
		return false, true
	}
	result, outcome := l.finish(l.ctx, q.position)
	if l.ctx.Err() != nil {
		return false, false
	}
	switch {
	case outcome != Sound || len(result.Line) != len(q.line):
		t.Dull++
		return false, true
	case !l.archive.Add(&result):
		t.Alike++
		return false, true
	}
	t.Yielded++
	return true, l.yield(result)
}
