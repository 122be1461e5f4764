// Package bench measures the solvers on a fixed set of positions whose answers are known.
//
// The number of nodes of one pass is the same on every machine and changes only when a search does.
// So it tells a change of behaviour from a change of speed.
package bench

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/mate3"
)

// positions are SFENs with the known length of the shortest mate, -1 for none at any length.
//
//go:embed positions.tsv
var positions []byte

// Options say how long to measure.
type Options struct {
	Duration time.Duration // of each row at least; passes are whole
	Repeat   int           // passes of each row instead; 0 for as many as Duration takes
	// Processor returns the processor time of the process so far. nil: rows do not have it.
	Processor func() time.Duration
}

func (o *Options) processor() time.Duration {
	if o.Processor == nil {
		return 0
	}
	return o.Processor()
}

// goOn reports whether there is another pass after so many, which took so long.
func (o Options) goOn(passes int, elapsed time.Duration) bool {
	if o.Repeat > 0 {
		return passes < o.Repeat
	}
	return elapsed < o.Duration
}

// A Row is what one solver did with the positions of one kind.
type Row struct {
	Name      string // of the solver and of the kind
	Positions int
	Verdicts  [3]int // of one pass
	Nodes     uint64 // of one pass
	Expanded  uint64 // of the nodes (solver.Result.Expansions)
	Passes    int
	Elapsed   time.Duration // of all passes
	Processor time.Duration // of all passes
}

// A PerftRow is how fast the leaves of a tree of legal moves were counted.
type PerftRow struct {
	Name    string
	Depth   int
	Leaves  uint64 // of one pass
	Passes  int
	Elapsed time.Duration // of all passes
}

// A WrongError is an answer or a count that is not the known one.
type WrongError struct {
	Name string // of the solver, or "perft" with the depth
	SFEN string
	What string
}

func (e *WrongError) Error() string { return fmt.Sprintf("%s: %s: %s", e.Name, e.SFEN, e.What) }

// tableBytes is the size of the tables.
const tableBytes = 64 << 20

// Solvers lets each solver solve the positions it is made for, one after the other on one thread,
// and reports a row for each kind of them. It returns a *WrongError for an answer that cannot be
// true, the error of ctx if that ends, or that of report.
func Solvers(ctx context.Context, o Options, report func(Row) error) error {
	groups, err := readGroups()
	if err != nil {
		return err
	}
	for _, s := range []struct {
		name string
		solver.Solver
		kinds []int
	}{
		{"mate1", mate1.Solver, []int{mateIn1, mateIn3, longerMate, noMate}},
		{"mate3", mate3.Solver, []int{mateIn1, mateIn3, longerMate, noMate}},
		{"dfpn", dfpn.New(dfpn.Options{TableBytes: tableBytes}), []int{longerMate, noMate, classic, shortest}},
		{"mate", mate.New(mate.Options{TableBytes: tableBytes}), []int{mateIn1, mateIn3, longerMate, noMate}},
	} {
		for _, kind := range s.kinds {
			row, err := measure(ctx, s.name, s.Solver, &groups[kind], o)
			if err != nil {
				return err
			}
			if err := report(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// A group is the positions of one kind, and the limits within which they are to be solved.
type group struct {
	name      string
	limits    solver.Limits
	positions []position
}

type position struct {
	shogi.Position
	plies int // of the shortest mate, -1 for none, notKnown
}

// The kinds of positions.
const (
	mateIn1 = iota
	mateIn3
	longerMate
	noMate
	classic
	shortest // the longer mates again
	numKinds
)

// classicPlies is the least length of a classical problem; the mates of the games are shorter.
const classicPlies = 19

// readGroups returns the embedded positions by kind.
func readGroups() ([numKinds]group, error) {
	groups := [numKinds]group{
		mateIn1:    {name: "mate in 1"},
		mateIn3:    {name: "mate in 3"},
		longerMate: {name: "longer mate", limits: solver.Limits{Nodes: 200_000}},
		noMate:     {name: "no mate", limits: solver.Limits{Nodes: 200_000}},
		classic:    {name: "classic", limits: solver.Limits{Nodes: 200_000}},
		shortest:   {name: "shortest", limits: solver.Limits{Nodes: 10_000, Shortest: true}},
	}
	all, err := read(bytes.NewReader(positions))
	if err != nil {
		return groups, fmt.Errorf("positions.tsv: %w", err)
	}
	for _, p := range all {
		g := &groups[longerMate]
		switch {
		case p.plies == 1:
			g = &groups[mateIn1]
		case p.plies == 3:
			g = &groups[mateIn3]
		case p.plies == -1:
			g = &groups[noMate]
		case p.plies >= classicPlies:
			g = &groups[classic]
		}
		g.positions = append(g.positions, p)
	}
	groups[shortest].positions = groups[longerMate].positions
	return groups, nil
}

// read reads positions: an SFEN, a tab and the plies of the shortest mate, -1 for none at any
// length and anything else for not known. What follows another tab is ignored, and so are empty
// lines and those that begin with a hash sign.
func read(r io.Reader) (list []position, err error) {
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		fields := strings.Split(text, "\t")
		p, err := shogi.ParseSFEN(fields[0])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if _, err := solver.Attacker(&p); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		plies := notKnown
		if len(fields) > 1 {
			if n, err := strconv.Atoi(fields[1]); err == nil && (n > 0 || n == -1) {
				plies = n
			}
		}
		list = append(list, position{p, plies})
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("there are no positions")
	}
	return list, nil
}

// notKnown are the plies of a position whose answer is not known.
const notKnown = 0

// Positions lets s solve the positions that r has, once, each under the limits and for so long, 0
// for as long as it takes, and returns their row. A line of r is an SFEN, and after a tab what is
// known of it: the plies of the shortest mate, or -1 for none. Its errors are those of Solvers, or
// of what r has.
func Positions(ctx context.Context, o Options, name string, s solver.Solver, r io.Reader,
	lim solver.Limits, each time.Duration) (Row, error) {
	list, err := read(r)
	if err != nil {
		return Row{}, err
	}
	g := group{name: fmt.Sprintf("%d", len(list)), limits: lim, positions: list}
	if each > 0 {
		inner := s
		s = solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
			ctx, cancel := context.WithTimeout(ctx, each)
			defer cancel()
			return inner.Solve(ctx, p, lim)
		})
	}
	o.Repeat = 1
	row, err := measure(ctx, name, s, &g, o)
	row.Name = name
	return row, err
}

// A FindRow is how fast one of the short searches is on positions that are ready, as a search that
// calls it has them.
type FindRow struct {
	Name      string // of the search and of the kind of positions
	Positions int
	Found     int // mates
	Passes    int
	Elapsed   time.Duration // of all passes
}

// Finders lets mate1.Finder and mate3.Searcher look at positions of each kind, and reports a row
// for each. Its errors are those of Solvers.
func Finders(ctx context.Context, o Options, report func(FindRow) error) error {
	groups, err := readGroups()
	if err != nil {
		return err
	}
	var in1 mate1.Finder
	in3 := mate3.NewSearcher(mate3.Options{})
	for _, f := range []struct {
		name string
		find func(p *shogi.Position) bool
	}{
		{"mate1.Find", func(p *shogi.Position) bool { return in1.Find(p) != shogi.NoMove }},
		{"mate3.Find", func(p *shogi.Position) bool { _, plies := in3.Find(p); return plies > 0 }},
	} {
		for _, kind := range []int{mateIn1, mateIn3, noMate} {
			g := &groups[kind]
			row := FindRow{Name: f.name + ", " + g.name, Positions: len(g.positions)}
			start := time.Now()
			for again := true; again; again = o.goOn(row.Passes, row.Elapsed) {
				found := 0
				for i := range g.positions {
					if f.find(&g.positions[i].Position) {
						found++
					}
				}
				row.Found = found
				if err := ctx.Err(); err != nil {
					return err
				}
				row.Passes++
				row.Elapsed = time.Since(start)
			}
			if err := report(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure lets s solve the group. The answers of the first pass are checked; later ones repeat it.
func measure(ctx context.Context, name string, s solver.Solver, g *group, o Options) (Row, error) {
	row := Row{Name: name + ", " + g.name, Positions: len(g.positions)}
	start, before := time.Now(), o.processor()
	for again := true; again; again = o.goOn(row.Passes, row.Elapsed) {
		for _, p := range g.positions {
			r := s.Solve(ctx, p.Position, g.limits)
			if err := ctx.Err(); err != nil {
				return row, err
			}
			if row.Passes > 0 {
				continue
			}
			if what := contradiction(&r, p.plies); what != "" {
				return row, &WrongError{name, p.SFEN(), what}
			}
			row.Verdicts[r.Verdict]++
			row.Nodes += r.Nodes
			row.Expanded += r.Expansions
		}
		row.Passes++
		row.Elapsed, row.Processor = time.Since(start), o.processor()-before
	}
	return row, nil
}

// contradiction says how r differs from the truth, which is the length of the shortest mate, or -1
// if there is none. It returns "" if it does not.
func contradiction(r *solver.Result, plies int) string {
	switch {
	case plies == notKnown:
		return ""
	case r.Verdict == solver.Mate && (plies < 0 || len(r.Line) < plies || r.Exact && len(r.Line) > plies):
		return fmt.Sprintf("answered mate in %d, the truth is %d", len(r.Line), plies)
	case r.Verdict == solver.NoMate && plies > 0:
		return fmt.Sprintf("answered no mate, the truth is mate in %d", plies)
	case r.Verdict == solver.Unknown && plies > 0 && r.NoMateWithin >= plies:
		return fmt.Sprintf("answered no mate within %d, the truth is mate in %d", r.NoMateWithin, plies)
	}
	return ""
}

// trees are trees of legal moves with their known number of leaves.
var trees = []struct {
	name, sfen string
	depth      int
	leaves     uint64
}{
	{"initial position", shogi.StartSFEN, 5, 19861490},
	{"many drops", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 3, 4809015},
}

// Perft counts the leaves of some trees of legal moves and reports a row for each. Its errors are
// those of Solvers.
func Perft(ctx context.Context, o Options, report func(PerftRow) error) error {
	for _, t := range trees {
		p, err := shogi.ParseSFEN(t.sfen)
		if err != nil {
			return err
		}
		row := PerftRow{Name: t.name, Depth: t.depth, Leaves: t.leaves}
		start := time.Now()
		for again := true; again; again = o.goOn(row.Passes, row.Elapsed) {
			if n := shogi.Perft(p, t.depth, shogi.AllMoves); n != t.leaves {
				return &WrongError{fmt.Sprintf("perft %d", t.depth), t.sfen,
					fmt.Sprintf("counted %d leaves, the truth is %d", n, t.leaves)}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			row.Passes++
			row.Elapsed = time.Since(start)
		}
		if err := report(row); err != nil {
			return err
		}
	}
	return nil
}
