package dfpn_test

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/solvertest"
)

var long = flag.Duration("dfpn.long", 0, "ask about all positions of known.tsv, and solve the long ones, each in this time at most and with a table of 1 GiB")

//go:embed testdata/known.tsv
var knownTSV string

// An effort is what a known position is good for in a test.
type effort string

const (
	quick   effort = "quick"   // some thousand nodes, with the shortest length
	exact   effort = "exact"   // more nodes for the length
	verdict effort = "verdict" // too many nodes for the length
	longer  effort = "long"    // millions of nodes for the verdict
)

type known struct {
	solvertest.Known
	effort effort
}

// noMate reports whether it is known that there is no mate.
func (k *known) noMate() bool { return k.Least == solvertest.Never }

// plies returns the length of the shortest mate, 0 if it is not known or there is none.
func (k *known) plies() int {
	if k.Least == k.Most && k.Least < solvertest.Never {
		return k.Least
	}
	return 0
}

// knownPositions returns the positions of known.tsv that take the given efforts: one in three of them, with
// -short one in seven, with -dfpn.long all.
func knownPositions(tb testing.TB, efforts ...effort) []known {
	tb.Helper()
	switch {
	case *long > 0:
		return everyKnown(tb, 1, efforts...)
	case testing.Short():
		return everyKnown(tb, 7, efforts...)
	}
	return everyKnown(tb, 3, efforts...)
}

// everyKnown is knownPositions for one position in so many.
func everyKnown(tb testing.TB, stride int, efforts ...effort) []known {
	tb.Helper()
	var list []known
	lines := bufio.NewScanner(strings.NewReader(knownTSV))
	for number := 1; lines.Scan(); number++ {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 4 {
			tb.Fatalf("known.tsv:%d: %d fields", number, len(fields))
		}
		p, err := shogi.ParseSFEN(fields[0])
		if err != nil {
			tb.Fatalf("known.tsv:%d: %v", number, err)
		}
		k := known{solvertest.Known{Position: p, Source: fmt.Sprintf("known.tsv:%d: %s", number, fields[3])}, effort(fields[2])}
		bound, atMost := strings.CutPrefix(fields[1], "<=")
		n, err := strconv.Atoi(bound)
		switch {
		case fields[1] == "?":
			k.Most = solvertest.Never
		case err != nil:
			tb.Fatalf("known.tsv:%d: %v", number, err)
		case n < 0:
			k.Least, k.Most = solvertest.Never, solvertest.Never
		default:
			k.Least, k.Most = n, n
			if atMost {
				k.Least = 0
			}
		}
		if !slices.Contains([]effort{quick, exact, verdict, longer}, k.effort) {
			tb.Fatalf("known.tsv:%d: effort %q", number, k.effort)
		}
		if slices.Contains(efforts, k.effort) && number%stride == 0 {
			list = append(list, k)
		}
	}
	if len(list) == 0 {
		tb.Fatalf("known.tsv has nothing for %v", efforts)
	}
	return list
}

// enough nodes for every position that is not long, with a wide margin: single problems swing by a
// factor of four under any change of the search.
const enough = 4_000_000

// wrong returns what contradicts in r what is known, "" if nothing does.
func (k *known) wrong(r *solver.Result) string {
	if err := solver.Verify(k.Position, *r, nil); err != nil {
		return err.Error()
	}
	// A mate that repeats a position has a shorter one in it.
	seen := map[shogi.Setup]bool{}
	p := k.Position
	for i, m := range r.Line {
		s := p.Setup()
		s.Ply = 0
		if seen[s] {
			return fmt.Sprintf("the line repeats a position at ply %d", i)
		}
		seen[s] = true
		p.Do(m)
	}
	switch {
	case r.Verdict == solver.Mate && k.noMate():
		return "there is no mate"
	case r.Verdict == solver.Mate && len(r.Line) < k.Least:
		return fmt.Sprintf("the shortest mate has %d plies", k.Least)
	case r.Verdict == solver.Mate && r.Exact && len(r.Line) > k.Most:
		return fmt.Sprintf("there is a mate in %d", k.Most)
	case r.Verdict == solver.NoMate && k.Most < solvertest.Never:
		return fmt.Sprintf("there is a mate in %d", k.Most)
	case r.NoMateWithin > 0 && r.NoMateWithin >= k.Most:
		return fmt.Sprintf("there is a mate in %d, and the bound is %d", k.Most, r.NoMateWithin)
	}
	return ""
}

// decided fails the test unless r is a verdict, and right.
func (k *known) decided(t *testing.T, r *solver.Result, asked string) {
	t.Helper()
	if msg := k.wrong(r); msg != "" {
		t.Errorf("%s: sfen %s: %s: %s: got %+v", k.Source, k.Position.SFEN(), asked, msg, *r)
	} else if r.Verdict == solver.Unknown {
		t.Errorf("%s: sfen %s: %s: undecided: %+v", k.Source, k.Position.SFEN(), asked, *r)
	}
}

// notShort leaves out a test that takes long and whose searches share nothing between goroutines.
// The race detector, for which -short is, finds nothing in it.
func notShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("long, and nothing in it is shared between goroutines")
	}
}

func solve(s solver.Solver, p shogi.Position, lim solver.Limits) solver.Result {
	lim.Proof = true
	return s.Solve(context.Background(), p, lim)
}

func TestKnown(t *testing.T) {
	t.Parallel()
	s := dfpn.New(dfpn.Options{})
	efforts := []effort{quick, exact, verdict}
	if testing.Short() {
		efforts = efforts[:1]
	}
	for _, k := range knownPositions(t, efforts...) {
		r := solve(s, k.Position, solver.Limits{Nodes: enough})
		k.decided(t, &r, "any mate")
		if k.effort == verdict {
			continue
		}
		r = solve(s, k.Position, solver.Limits{Nodes: enough, Shortest: true})
		k.decided(t, &r, "shortest")
		if r.Verdict == solver.Mate && (!r.Exact || r.Reason != solver.NoReason || r.NoMateWithin < len(r.Line)-2) {
			t.Errorf("%s: sfen %s: not the shortest: %+v", k.Source, k.Position.SFEN(), r)
		}
	}
}

// TestLong solves the works that take minutes, if asked to.
func TestLong(t *testing.T) {
	if *long == 0 {
		t.Skip("takes minutes: asked for by -dfpn.long")
	}
	s := dfpn.New(dfpn.Options{TableBytes: 1 << 30})
	for _, k := range knownPositions(t, longer) {
		ctx, cancel := context.WithTimeout(context.Background(), *long)
		start := time.Now()
		r := s.Solve(ctx, k.Position, solver.Limits{Proof: true})
		cancel()
		k.decided(t, &r, "any mate")
		t.Logf("%s: %v in %d plies, %d nodes, %v", k.Source, r.Verdict, len(r.Line), r.Nodes, time.Since(start).Round(time.Millisecond))
	}
}

// TestDefenderToMove asks after each of the first checks of a position: after one that keeps the
// mate the defender holds out as long as was foreseen, and where there is no mate there is none
// after any check.
func TestDefenderToMove(t *testing.T) {
	t.Parallel()
	s := dfpn.New(dfpn.Options{})
	var buf shogi.MoveBuffer
	mates, escapes := 0, 0
	for i, k := range knownPositions(t, quick) {
		if i%3 > 0 || k.Position.King(k.Position.SideToMove()) != shogi.NoSquare {
			continue // with two kings the side to move attacks
		}
		checks := slices.Clone(k.Position.Checks(&buf, shogi.AllMoves))
		after := make([]known, len(checks))
		shortest := solvertest.Never
		for i, m := range checks[:min(len(checks), 6)] {
			after[i] = k
			p := &after[i].Position
			if p.Do(m); k.noMate() {
				if r := solve(s, *p, solver.Limits{Nodes: enough}); r.Verdict != solver.NoMate {
					t.Errorf("%s: sfen %s: after %s: %+v", k.Source, k.Position.SFEN(), m, r)
				}
				escapes++
			} else if k.plies() > 0 && k.plies() <= 5 {
				// Within what would be the length, some check keeps it and none is shorter.
				r := solve(s, *p, solver.Limits{Plies: k.plies() - 1, Nodes: enough, Shortest: true})
				if r.Verdict == solver.Mate {
					shortest = min(shortest, len(r.Line))
				}
				mates++
			}
		}
		if k.plies() > 0 && k.plies() <= 5 && len(checks) <= 6 && shortest != k.plies()-1 {
			t.Errorf("%s: sfen %s: after its checks the shortest mate is %d", k.Source, k.Position.SFEN(), shortest)
		}
	}
	if mates == 0 || escapes == 0 {
		t.Errorf("%d checks in mates and %d elsewhere: too few to tell", mates, escapes)
	}
}

// mirrored returns p with left and right exchanged.
func mirrored(t *testing.T, p shogi.Position) shogi.Position {
	t.Helper()
	setup := p.Setup()
	board := setup.Board
	for sq := range shogi.Square(shogi.NumSquares) {
		setup.Board[shogi.SquareAt(shogi.File1+shogi.File9-sq.File(), sq.Rank())] = board[sq]
	}
	q, err := setup.Position()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestMirrored exchanges left and right: other keys, another order of moves, the same answers.
func TestMirrored(t *testing.T) {
	notShort(t)
	t.Parallel()
	s := dfpn.New(dfpn.Options{})
	for _, k := range knownPositions(t, quick) {
		q := k
		q.Position = mirrored(t, k.Position)
		for _, shortest := range []bool{false, true} {
			lim := solver.Limits{Nodes: enough, Shortest: shortest}
			a, b := solve(s, k.Position, lim), solve(s, q.Position, lim)
			q.decided(t, &b, "mirrored")
			if a.Verdict != b.Verdict || a.Exact && b.Exact && len(a.Line) != len(b.Line) || shortest && a.Exact != b.Exact {
				t.Errorf("%s: sfen %s: %+v, and mirrored %+v", k.Source, k.Position.SFEN(), a, b)
			}
		}
	}
}

// TestRotated turns the board round and exchanges the colours: the same search, move for move.
func TestRotated(t *testing.T) {
	notShort(t)
	t.Parallel()
	s := dfpn.New(dfpn.Options{})
	for _, k := range knownPositions(t, quick) {
		for _, shortest := range []bool{false, true} {
			lim := solver.Limits{Nodes: enough, Shortest: shortest}
			a, b := solve(s, k.Position, lim), solve(s, k.Position.Rotated(), lim)
			for i, m := range b.Line {
				b.Line[i] = m.Rotated()
			}
			a.Proof, b.Proof = nil, nil
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%s: sfen %s: %+v, and rotated %+v", k.Source, k.Position.SFEN(), a, b)
			}
		}
	}
}

// TestNodeLimit looks that the limit is never passed, that the answers under it are right, and that
// with as many nodes as were used without it they are the same.
func TestNodeLimit(t *testing.T) {
	notShort(t)
	t.Parallel()
	s := dfpn.New(dfpn.Options{})
	ranOut := 0
	for i, k := range knownPositions(t, quick) {
		for _, shortest := range []bool{false, true} {
			free := solve(s, k.Position, solver.Limits{Shortest: shortest})
			limits := []uint64{1, 2, 3, 8, 21, 55, free.Nodes / 2, free.Nodes - 1, free.Nodes, free.Nodes + 1}
			if i%16 == 0 {
				for n := uint64(1); n < min(free.Nodes, 150); n++ {
					limits = append(limits, n)
				}
			}
			for _, n := range limits {
				if n == 0 {
					continue
				}
				r := solve(s, k.Position, solver.Limits{Shortest: shortest, Nodes: n})
				msg := k.wrong(&r)
				switch {
				case msg != "":
				case r.Nodes > n:
					msg = "more nodes than allowed"
				case n >= free.Nodes && !reflect.DeepEqual(r, free):
					msg = fmt.Sprintf("without a limit %+v", free)
				case n < free.Nodes && r.Nodes != n:
					msg = fmt.Sprintf("fewer nodes than allowed, and without a limit %+v", free)
				case n < free.Nodes && r.Reason == solver.NoReason && (r.Verdict != free.Verdict || shortest && r.Verdict != solver.NoMate && !r.Exact):
					msg = fmt.Sprintf("no reason, and without a limit %+v", free)
				default:
					if r.Reason == solver.ReasonNodes {
						ranOut++
					}
					continue
				}
				t.Errorf("%s: sfen %s: shortest %v, limit %d: %s: got %+v", k.Source, k.Position.SFEN(), shortest, n, msg, r)
			}
		}
	}
	if ranOut == 0 {
		t.Error("the nodes never ran out")
	}
}

// TestPlyLimit asks for mates within fewer plies than there are, as many, and more.
func TestPlyLimit(t *testing.T) {
	notShort(t)
	t.Parallel()
	s := dfpn.New(dfpn.Options{})
	for _, k := range knownPositions(t, quick) {
		n := k.plies()
		limits := []int{1, 2, 3, 5, 1 << 16, 1 << 40}
		if n > 0 {
			limits = append(limits, n-2, n-1, n, n+1, n+20)
		}
		for _, plies := range limits {
			if plies < 1 {
				continue
			}
			for _, shortest := range []bool{false, true} {
				if shortest && plies < n {
					continue // asked about already
				}
				r := solve(s, k.Position, solver.Limits{Plies: plies, Nodes: enough, Shortest: shortest})
				msg := k.wrong(&r)
				switch {
				case msg != "":
				case n > 0 && plies >= n && r.Verdict != solver.Mate:
					msg = "no mate found"
				case len(r.Line) > plies:
					msg = "longer than allowed"
				case n > 0 && plies < n && (r.Verdict != solver.Unknown || r.Reason != solver.ReasonPlies || r.NoMateWithin != plies):
					msg = "there is none within the limit, but a longer one"
				case k.noMate() && r.Verdict == solver.Unknown && (r.Reason != solver.ReasonPlies || r.NoMateWithin < plies):
					msg = "there is none within the limit"
				case shortest && r.Verdict == solver.Mate && !r.Exact:
					msg = "not exact"
				}
				if msg != "" {
					t.Errorf("%s: sfen %s: shortest %v, within %d plies: %s: got %+v", k.Source, k.Position.SFEN(), shortest, plies, msg, r)
				}
			}
		}
	}
}

// TestSwitches turns each technique off for a quarter of the positions, and all of them for each:
// slower, and some never end, but what is decided is right.
func TestSwitches(t *testing.T) {
	notShort(t)
	t.Parallel()
	all := reflect.ValueOf(dfpn.Options{})
	type variant struct {
		name    string
		options dfpn.Options
	}
	variants := []variant{{name: "all"}}
	for i := range all.NumField() {
		if all.Field(i).Kind() != reflect.Bool {
			continue
		}
		v := variant{name: all.Type().Field(i).Name}
		reflect.ValueOf(&v.options).Elem().Field(i).SetBool(true)
		reflect.ValueOf(&variants[0].options).Elem().Field(i).SetBool(true)
		variants = append(variants, v)
	}
	if len(variants) < 2 {
		t.Fatal("there are no switches")
	}
	for i, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			s := dfpn.New(v.options)
			var positions []known
			for j, k := range knownPositions(t, quick) {
				if j%4 == i%4 || v.name == "all" {
					positions = append(positions, k)
				}
			}
			undecided := 0
			for _, k := range positions {
				for _, shortest := range []bool{false, true} {
					r := solve(s, k.Position, solver.Limits{Nodes: 50_000, Shortest: shortest})
					if msg := k.wrong(&r); msg != "" {
						t.Errorf("%s: sfen %s: shortest %v: %s: got %+v", k.Source, k.Position.SFEN(), shortest, msg, r)
					} else if r.Verdict == solver.Unknown && !shortest {
						undecided++
					}
				}
			}
			t.Logf("%d of %d positions undecided", undecided, len(positions))
			if undecided > len(positions)/5 {
				t.Error("too many to tell anything")
			}
		})
	}
}

// TestChosenLine: the line of a shortest mate is the first of all as short: promotions, other moves,
// drops, and last what only declines to promote, each by their numbers. The witness plays by the plain
// rules, and needs an attacker without a king to know the defender.
func TestChosenLine(t *testing.T) {
	t.Parallel()
	class := func(p *shogi.Position, m shogi.Move) int {
		us := p.SideToMove()
		inZone := shogi.InPromotionZone(us, m.To()) || !m.IsDrop() && shogi.InPromotionZone(us, m.From())
		switch {
		case m.IsPromotion():
			return 0
		case m.IsDrop():
			return 2
		case inZone && slices.Contains(
			[]shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Bishop, shogi.Rook}, p.Piece(m.From()).Type()):
			return 3
		}
		return 1
	}
	first := func(p shogi.Position) (line []shogi.Move) {
		for left := 5; left > 0; left-- {
			var buf shogi.MoveBuffer
			moves := p.LegalMoves(&buf, shogi.AllMoves)
			slices.SortFunc(moves, func(a, b shogi.Move) int {
				return cmp.Or(class(&p, a)-class(&p, b), int(a)-int(b))
			})
			for _, m := range moves {
				after := p
				after.Do(m)
				if left%2 == 1 && !after.InCheck() || solvertest.Shortest(&after, left-1) != left-1 {
					continue
				}
				line, p = append(line, m), after
				break
			}
		}
		return line
	}
	s := dfpn.New(dfpn.Options{})
	compared, notFirst := 0, 0
	for _, k := range solvertest.Positions(t) {
		if !k.HasMateIn(5) || k.Position.King(shogi.Black) != shogi.NoSquare || k.Position.SideToMove() != shogi.Black {
			continue
		}
		lim := solver.Limits{Nodes: enough, Shortest: true}
		got, want := solve(s, k.Position, lim), first(k.Position)
		if !slices.Equal(got.Line, want) {
			t.Errorf("%s: sfen %s: %v, want %v", k.Source, k.Position.SFEN(), got.Line, want)
		}
		compared++
		lim.AnyLine = true
		if any := solve(s, k.Position, lim); !slices.Equal(any.Line, want) {
			notFirst++
		}
	}
	if compared < 10 || notFirst == 0 {
		t.Errorf("%d lines compared, of which %d would have been others", compared, notFirst)
	}
}

// TestAnyLine: whoever takes any line gets the same length, for fewer nodes in all.
func TestAnyLine(t *testing.T) {
	notShort(t)
	t.Parallel()
	s := dfpn.New(dfpn.Options{})
	var chosen, any uint64
	for _, k := range knownPositions(t, quick) {
		lim := solver.Limits{Nodes: enough, Shortest: true}
		a := solve(s, k.Position, lim)
		lim.AnyLine = true
		b := solve(s, k.Position, lim)
		k.decided(t, &b, "any line")
		if a.Verdict != b.Verdict || len(a.Line) != len(b.Line) || a.Exact != b.Exact {
			t.Errorf("%s: sfen %s: any line %+v, the first line %+v", k.Source, k.Position.SFEN(), b, a)
		}
		chosen, any = chosen+a.Nodes, any+b.Nodes
	}
	if any >= chosen {
		t.Errorf("any lines took %d nodes, the first ones %d", any, chosen)
	}
}

// TestTableSizes gives little memory and much: the same verdicts, and the same line of every
// shortest mate.
func TestTableSizes(t *testing.T) {
	notShort(t)
	t.Parallel()
	small, middle, big := dfpn.New(dfpn.Options{TableBytes: 1 << 20}), dfpn.New(dfpn.Options{TableBytes: 4 << 20}), dfpn.New(dfpn.Options{TableBytes: 64 << 20})
	lines := 0
	for i, k := range knownPositions(t, quick, exact) {
		if i%2 > 0 {
			continue
		}
		lim := solver.Limits{Nodes: enough, Shortest: true}
		want := solve(big, k.Position, lim)
		k.decided(t, &want, "64 MiB")
		for _, s := range []*dfpn.Solver{small, middle} {
			if s == middle && k.effort == exact {
				continue
			}
			got := solve(s, k.Position, lim)
			k.decided(t, &got, "1 MiB or 4 MiB")
			sure := got.Exact && got.Reason == solver.NoReason && want.Exact && want.Reason == solver.NoReason
			if got.Verdict != want.Verdict || got.Exact && want.Exact && len(got.Line) != len(want.Line) || sure && !slices.Equal(got.Line, want.Line) {
				t.Errorf("%s: sfen %s: with 64 MiB %+v, with less %+v", k.Source, k.Position.SFEN(), want, got)
			}
			if sure {
				lines++
			}
		}
	}
	if lines == 0 {
		t.Error("no line was compared")
	}
}

// TestSameResult solves everything twice with one Solver and again, in the opposite order, with a
// new one.
func TestSameResult(t *testing.T) {
	notShort(t)
	t.Parallel()
	s := dfpn.New(dfpn.Options{TableBytes: 4 << 20})
	positions := knownPositions(t, quick)
	type pair [2]solver.Result
	solveBoth := func(s solver.Solver, p shogi.Position) pair {
		return pair{solve(s, p, solver.Limits{Nodes: enough}), solve(s, p, solver.Limits{Nodes: enough, Shortest: true})}
	}
	first := make([]pair, len(positions))
	for i, k := range positions {
		first[i] = solveBoth(s, k.Position)
		if again := solveBoth(s, k.Position); !reflect.DeepEqual(again, first[i]) {
			t.Errorf("%s: sfen %s: %+v, and again %+v", k.Source, k.Position.SFEN(), first[i], again)
		}
	}
	s = dfpn.New(dfpn.Options{TableBytes: 4 << 20})
	for i, k := range slices.Backward(positions) {
		if again := solveBoth(s, k.Position); !reflect.DeepEqual(again, first[i]) {
			t.Errorf("%s: sfen %s: %+v, and by another solver %+v", k.Source, k.Position.SFEN(), first[i], again)
		}
	}
}
