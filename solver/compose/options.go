package compose

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"math/rand/v2"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/ordered"
)

// LongestPlies is the longest problem that Reverse and Evolve make.
const LongestPlies = 31

// Options are what is asked of Reverse and Evolve, which do their work in numbered units. Equal
// options give equal problems in the same order, whatever the threads.
type Options struct {
	Conditions
	Weights    *Weights // nil: DefaultWeights
	Seed       uint64
	Each       int                   // problems of each length at most; 0: Reverse makes about as many of each
	NewSession func() solver.Session // for what leaves, and for each thread; with one thread it may be the same
	Threads    int                   // how many units are worked on at once; 0: one
	Archive    *Archive              // of what is known; nil: of nothing. It gets what leaves
	// From and Before continue a run: the unit to begin with, and the problems of those before.
	From   int
	Before []Problem
	To     int // the unit to end before; 0: there is no end

	shortest int // plies of what is grown further, at least; 0: shorterBy less than Least
	// Done, unless it is nil, is called after the last problem of each unit, with the unit to continue
	// with, from the goroutine of the loop.
	Done func(next int)
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

// add adds the candidates of a unit.
func (t *Tally) add(unit *Tally) {
	for i := range t.Lengths {
		for outcome, n := range unit.Lengths[i].Outcomes {
			t.Lengths[i].Outcomes[outcome] += n
		}
	}
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
	whole    bool // the context did not end before the unit did
}

// examiner returns one for problems that meet c.
func (o *Options) examiner(c Conditions) *examiner {
	e := newExaminer(o.NewSession(), &c, growing)
	if e.parts |= analysis.Difficulty; o.Weights != nil {
		e.weights = o.Weights
	}
	return e
}

// run does units of work and yields the problems that leave picks of each.
func (o *Options) run(ctx context.Context, tally *Tally, work func(ctx context.Context, w *worker) map[int][]*problem,
	leave func(l *leaver, found map[int][]*problem) bool) iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		if tally == nil {
			tally = new(Tally)
		}
		l := &leaver{ctx: ctx, examiner: o.examiner(o.Conditions), each: o.Each, archive: o.Archive, tally: tally, yield: yield}
		if l.archive == nil {
			l.archive = new(Archive)
		}
		for i := range o.Before {
			l.archive.Restore(&o.Before[i])
			tally.Lengths[len(o.Before[i].Line)].Yielded++
		}
		threads := max(o.Threads, 1)
		idle := make(chan *worker, threads)
		for range threads {
			idle <- nil
		}
		numbers := func(_ context.Context, yield func(int) bool) {
			for n := o.From; (o.To == 0 || n < o.To) && yield(n); n++ {
			}
		}
		do := func(ctx context.Context, n int) (u unit) {
			w := <-idle
			defer func() { idle <- w }()
			if ctx.Err() != nil {
				return u
			}
			if w == nil {
				c := o.Conditions
				c.Least, c.growing = cmp.Or(o.shortest, max(3, c.Least-shorterBy)), true
				w = &worker{examiner: o.examiner(c)}
			}
			w.reset()
			w.rng, w.tally, w.seen = rand.New(rand.NewPCG(o.Seed, uint64(n))), Tally{}, map[uint64]bool{}
			u.problems = work(ctx, w)
			u.tally, u.whole = w.tally, ctx.Err() == nil
			return u
		}
		// A unit takes milliseconds, and now and then a second to be looked through.
		parallel := ordered.Options[int]{Workers: threads, Held: 256 * threads}
		if threads == 1 {
			parallel.Held = 1 // nothing is done while a unit is looked through
		}
		for n, u := range ordered.Map(ctx, parallel, numbers, do) {
			if !u.whole {
				return
			}
			tally.add(&u.tally)
			l.archive.Begin()
			l.reset()
			if !leave(l, u.problems) {
				return
			}
			tally.Units++
			if o.Done != nil {
				o.Done(n + 1)
			}
		}
	}
}

// A leaver sees to what leaves.
type leaver struct {
	*examiner
	ctx     context.Context
	each    int
	archive *Archive
	tally   *Tally
	yield   func(Problem) bool
}

// isFull reports whether there are enough problems of a length.
func (l *leaver) isFull(plies int) bool {
	return l.each > 0 && l.tally.Lengths[plies].Yielded >= l.each
}

// offer yields a problem if it is as wanted and new. more is what yield returns, and else whether ctx
// has not ended.
func (l *leaver) offer(q *problem) (left, more bool) {
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
