package analysis

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate"
)

// Positions whose answers are known.
const (
	mateIn1   = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	mateIn3   = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"
	mateIn5   = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"
	neverMate = "4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1"
	// mateIn5 with a king of the attacker, so that no solver can be asked about replies.
	twoKings = "7R1/9/8k/8p/5R3/9/9/9/K8 b 2b4g4s4n4l17p 1"
)

// position reads a position, moves included.
func position(t testing.TB, text string) shogi.Position {
	t.Helper()
	game, err := shogi.ParsePosition(text)
	if err != nil {
		t.Fatal(err)
	}
	return game.Position()
}

// ask asks about a position for the side that attacks in its solution, which is Black's.
func ask(t testing.TB, by Searcher, text string, lim Limits) *Report {
	t.Helper()
	r, err := Moves(t.Context(), by, position(t, text), shogi.Black, lim)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

// A witness judges a position with the defender to move by nothing but whole searches after each
// reply: it knows nothing of shares, and takes every position the attacker is to move in for a
// problem of its own, as with two kings.
func witness(ctx context.Context, with solver.Solver, p shogi.Position) (v solver.Verdict, plies int) {
	var buf shogi.MoveBuffer
	for _, m := range p.Evasions(&buf, shogi.AllMoves) {
		r := with.Solve(ctx, p.After(m), solver.Limits{Shortest: true, Nodes: 5_000_000})
		switch {
		case r.Verdict == solver.NoMate:
			return solver.NoMate, 0
		case r.Verdict == solver.Unknown || !r.Exact:
			return solver.Unknown, 0
		}
		plies = max(plies, 1+len(r.Line))
	}
	return solver.Mate, plies
}

// TestAgainstWitness compares verdict and length of each move with whole searches of what follows
// it.
func TestAgainstWitness(t *testing.T) {
	with := mate.New(mate.Options{TableBytes: 8 << 20})
	texts := []string{mateIn1, "4k4/4G4/4P4/9/9/9/9/9/9 w 2r2b3g4s4n4l17p 1",
		mateIn5 + " moves 4e4c+ P*3c",
		// The attacker's king is there too: far away, in check, in the way of a discovered check,
		// and pinning its own.
		"9/4k4/9/4P4/9/9/9/9/4K4 b 2Gp 1",
		"9/4k4/9/4P4/9/9/9/9/4K3r b 2GR 1",
		"3sks3/9/4G4/9/4r4/9/9/9/4K4 b GNp 1",
	}
	if !testing.Short() {
		texts = append(texts, mateIn3, mateIn5, neverMate, mateIn5+" moves 4e4c+",
			mateIn3+" moves G*5c 5b6a", "3lkl3/3p1p3/4N4/9/4R4/9/9/4K4/9 b Gp 1")
	}
	for _, text := range texts {
		p := position(t, text)
		attacker, err := solver.Attacker(&p)
		if err != nil {
			t.Fatal(err)
		}
		checkMoves(t, with, p, attacker)
		// From the other side too, after the first check: with two kings that takes a word on who
		// attacks.
		var buf shogi.MoveBuffer
		if checks := p.Checks(&buf, shogi.AllMoves); attacker == p.SideToMove() && len(checks) > 0 {
			checkMoves(t, with, p.After(checks[0]), attacker)
		}
	}
}

func checkMoves(t *testing.T, with solver.Solver, p shogi.Position, attacker shogi.Color) {
	t.Helper()
	sfen := p.SFEN()
	r, err := Moves(t.Context(), Using(with), p, attacker, Limits{Limits: solver.Limits{Shortest: true, Nodes: 100_000_000}})
	if err != nil {
		t.Fatalf("%s: %v", sfen, err)
	}
	defender := p.SideToMove() != attacker
	var buf shogi.MoveBuffer
	legal := p.Evasions
	if !defender {
		legal = p.Checks
	}
	var want, got []string
	for _, m := range legal(&buf, shogi.AllMoves) {
		want = append(want, m.String())
	}
	shortest, longest, verdicts := 1<<20, 0, map[solver.Verdict]int{}
	for i := range r.Moves {
		m := &r.Moves[i]
		got = append(got, m.Move.String())
		next := p.After(m.Move)
		var v solver.Verdict
		var plies int
		if defender {
			r := with.Solve(t.Context(), next, solver.Limits{Shortest: true, Nodes: 5_000_000})
			v, plies = r.Verdict, 1+len(r.Line)
		} else {
			v, plies = witness(t.Context(), with, next)
			plies++
		}
		if m.Reason == solver.ReasonSettled && defender && r.Moves[0].Verdict == solver.NoMate {
			continue
		}
		verdicts[m.Verdict]++
		if m.Verdict != v || v == solver.Mate && (m.Plies() != plies || !m.Exact) || v == solver.NoMate && m.Reason != "" {
			t.Errorf("%s: %+v, want %v in %d", sfen, m, v, plies)
			continue
		}
		if v == solver.Mate {
			shortest, longest = min(shortest, plies), max(longest, plies)
		}
		end := p
		for i, step := range m.Line {
			next := end.After(step)
			if !end.IsLegal(step) || (i%2 == 0) != defender && !next.InCheck() {
				t.Errorf("%s: the line %v cannot be played from its move %d", sfen, m.Line, i)
			}
			end = next
		}
		switch {
		case m.Line[0] != m.Move:
			t.Errorf("%s: the line of %s is %v", sfen, m.Move, m.Line)
		case v == solver.Mate && !end.IsCheckmate():
			t.Errorf("%s: the line %v does not end in mate", sfen, m.Line)
		case v == solver.NoMate && !defender:
			if len(m.Line) != 2 {
				t.Errorf("%s: %s has no refutation", sfen, m.Move)
			} else if r := with.Solve(t.Context(), end, solver.Limits{Nodes: 5_000_000}); r.Verdict != solver.NoMate {
				t.Errorf("%s: after %v there is %s", sfen, m.Line, r.Verdict)
			}
		}
	}
	slices.Sort(want)
	if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, want) {
		t.Errorf("%s: moves %v, want %v", sfen, sorted, want)
	}

	verdict, plies, best := solver.NoMate, 0, shogi.NoMove
	switch {
	case !defender && verdicts[solver.Mate] > 0:
		verdict, plies, best = solver.Mate, shortest, r.Moves[0].Move
	case defender && verdicts[solver.NoMate] == 0:
		verdict, plies = solver.Mate, longest
		fallthrough
	case defender:
		if len(got) > 0 {
			best = r.Moves[0].Move
		}
	}
	if r.Verdict != verdict || r.Best != best || r.Reason != "" && r.Reason != solver.ReasonSettled {
		t.Errorf("%s: %s, best %q, reason %q; want %s, best %q", sfen, r.Verdict, r.Best, r.Reason, verdict, best)
	}
	if r.ByDefender != defender || !r.Repeatable || r.Nodes == 0 && len(got) > 1 {
		t.Errorf("%s: %+v", sfen, r)
	}
	if verdict == solver.Mate {
		if r.Plies != plies || !r.Exact || best != shogi.NoMove && r.Moves[0].Plies() != plies {
			t.Errorf("%s: %d plies, exact %v, want %d", sfen, r.Plies, r.Exact, plies)
		}
	}
	if defender && p.King(attacker) != shogi.NoSquare {
		return // no solver can be asked
	}
	solved := with.Solve(t.Context(), p, solver.Limits{Shortest: true})
	if solved.Verdict != r.Verdict {
		t.Errorf("%s: the solver says %s, and not %s", sfen, solved.Verdict, r.Verdict)
	}
	if verdict == solver.Mate && best != shogi.NoMove && solved.Line[0] != best {
		t.Errorf("%s: the solver plays %s, best is %s", sfen, solved.Line[0], best)
	}
}

// TestShortest: where the shortest mates are asked for, a quick search that finds a longer one than
// there is is not the last word, and a longer search that finds none does not make it unknown
// again.
func TestShortest(t *testing.T) {
	whole := mate.New(mate.Options{TableBytes: 8 << 20})
	// It does not know how short its mates are, unless it may take long.
	hasty := func(long solver.Solver) solver.Solver {
		return solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
			if lim.Nodes > 20_000 {
				return long.Solve(ctx, p, lim)
			}
			r := whole.Solve(ctx, p, solver.Limits{Shortest: true})
			if r.Verdict == solver.Mate && len(r.Line) > 1 {
				r.Exact, r.NoMateWithin, r.Reason = false, 0, solver.ReasonNodes
			}
			return r
		})
	}
	exhausted := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
		return solver.Result{Reason: solver.ReasonNodes, Nodes: 50_000}
	})
	lim := Limits{Limits: solver.Limits{Shortest: true, Nodes: 100_000_000}, Time: time.Hour}
	for _, test := range []struct {
		text  string
		plies int
	}{{mateIn3, 3}, {mateIn5 + " moves 4e4c+", 4}, {twoKings, 5}, {twoKings + " moves 4e4c+", 4}} {
		r := ask(t, Using(hasty(whole)), test.text, lim)
		if m := r.Moves[0]; r.Verdict != solver.Mate || r.Plies != test.plies || !r.Exact || m.Plies() != test.plies || !m.Exact {
			t.Errorf("%s: %+v", test.text, r)
		}
		r = ask(t, Using(hasty(exhausted)), test.text, lim)
		if r.Verdict != solver.Mate || r.Plies < test.plies || r.Moves[0].Plies() < test.plies {
			t.Errorf("%s, in vain: %+v", test.text, r)
		}
		for _, m := range r.Moves {
			if m.Verdict == solver.Mate && !m.Exact && m.Reason != solver.ReasonNodes {
				t.Errorf("%s, in vain: %+v", test.text, m)
			}
		}
	}
}

// TestReason: moves that only had a quick search, since the position itself took all the time, are
// unknown for want of time.
func TestReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := solver.Func(func(_ context.Context, _ shogi.Position, lim solver.Limits) solver.Result {
			if lim.Nodes > 20_000 {
				time.Sleep(time.Second)
			}
			return solver.Result{Reason: solver.ReasonNodes, Nodes: 1000}
		})
		r := ask(t, Using(slow), mateIn5, Limits{Time: time.Second})
		if r.Verdict != solver.Unknown || r.Reason != solver.ReasonTime || r.Repeatable || r.Best != shogi.NoMove {
			t.Errorf("%+v", r)
		}
	})
}

// TestSettled: once a reply escapes, none gets a long search, nor does the position.
func TestSettled(t *testing.T) {
	p := position(t, mateIn5+" moves 4e4c+")
	for _, text := range []string{"1c1b", "B*3c"} {
		escape, err := shogi.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		next := p.After(escape)
		searches := 0
		s := solver.Func(func(_ context.Context, p shogi.Position, lim solver.Limits) solver.Result {
			searches++
			switch {
			case lim.Nodes > 20_000:
				t.Errorf("%d nodes for %s", lim.Nodes, p.SFEN())
			case p.SamePosition(&next):
				return solver.Result{Verdict: solver.NoMate, Nodes: 100}
			}
			return solver.Result{Reason: solver.ReasonNodes, Nodes: lim.Nodes}
		})
		r := ask(t, Using(s), p.SFEN(), Limits{Limits: solver.Limits{Shortest: true}})
		if r.Verdict != solver.NoMate || r.Best != escape || r.Reason != solver.ReasonSettled || searches != 1+len(r.Moves) {
			t.Errorf("after %d searches: %+v", searches, r)
		}
		for _, m := range r.Moves[1:] {
			if m.Verdict != solver.Unknown || m.Reason != solver.ReasonSettled {
				t.Errorf("%+v", m)
			}
		}
	}
}

// TestShareNodes: all searches for one report together stay within its limit, and what is undecided
// says so.
func TestShareNodes(t *testing.T) {
	for _, nodes := range []uint64{1, 2, 7, 100, 1000, 12_345, 1_000_000, 100_000_000} {
		used, searches := uint64(0), 0
		greedy := solver.Func(func(_ context.Context, _ shogi.Position, lim solver.Limits) solver.Result {
			searches++
			used += lim.Nodes
			return solver.Result{Reason: solver.ReasonNodes, Nodes: lim.Nodes}
		})
		r := ask(t, Using(greedy), mateIn3, Limits{Limits: solver.Limits{Nodes: nodes}})
		if used > nodes || r.Nodes != used {
			t.Errorf("%d nodes for a question with %d, which says %d", used, nodes, r.Nodes)
		}
		if nodes >= 1000 && used < nodes/2 {
			t.Errorf("only %d of %d nodes in %d searches", used, nodes, searches)
		}
		for _, m := range r.Moves {
			if m.Verdict != solver.Unknown || m.Reason != solver.ReasonNodes {
				t.Errorf("%d nodes: %+v", nodes, m)
			}
		}
		if r.Verdict != solver.Unknown || r.Reason != solver.ReasonNodes || r.Best != shogi.NoMove || len(r.Moves) == 0 || !r.Repeatable {
			t.Errorf("%d nodes: %+v", nodes, r)
		}
	}
}

// TestShareTime: the searches for one report together take no longer than its limit, or than the
// context.
func TestShareTime(t *testing.T) {
	for _, text := range []string{mateIn3, "4k4/9/9/4P4/9/9/9/9/4K4 b 2G2r2b2g4s4n4l17p 1"} {
		for _, byContext := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				longs := 0
				slow := solver.Func(func(ctx context.Context, _ shogi.Position, lim solver.Limits) solver.Result {
					if lim.Nodes <= 20_000 {
						return solver.Result{Reason: solver.ReasonNodes, Nodes: 1}
					}
					longs++
					<-ctx.Done()
					return solver.Result{Reason: solver.StopReason(ctx), Nodes: 1}
				})
				began, ctx, lim := time.Now(), t.Context(), Limits{Time: 900 * time.Millisecond}
				if byContext {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, lim.Time)
					defer cancel()
					lim.Time = 0
				}
				r, err := Moves(ctx, Using(slow), position(t, text), shogi.Black, lim)
				if took := time.Since(began); err != nil || took > 900*time.Millisecond || took < 700*time.Millisecond {
					t.Errorf("%v after %v", err, took)
				}
				for _, m := range r.Moves {
					if m.Verdict == solver.Unknown && m.Reason != solver.ReasonTime {
						t.Errorf("%+v", m)
					}
				}
				if r.Repeatable || longs < 3 {
					t.Errorf("repeatable is %v, %d long searches", r.Repeatable, longs)
				}
			})
		}
	}
}

// TestCancelled: when the context ends, what the rules alone say is there.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
		t.Error("a search")
		return solver.Result{}
	})
	r, err := Moves(ctx, Using(never), position(t, mateIn1), shogi.Black, Limits{})
	if err != nil || r.Verdict != solver.Mate || r.Plies != 1 || !r.Exact || r.Best.String() != "G*5b" || r.Repeatable {
		t.Errorf("%v %+v", err, r)
	}
	if last := r.Moves[len(r.Moves)-1]; last.Verdict != solver.Unknown || last.Reason != solver.ReasonCancelled {
		t.Errorf("%+v", last)
	}
	// The king takes the only piece that could give check.
	p := position(t, "4k4/4G4/9/9/9/9/9/9/9 w 2r2b3g4s4n4l18p 1")
	r, err = Moves(ctx, Using(never), p, shogi.Black, Limits{})
	if err != nil || r.Verdict != solver.NoMate || r.Best.String() != "5a5b" {
		t.Errorf("%v %+v", err, r)
	}
}

// TestSteps: what is searched, in which order and how far, while nothing gets decided.
func TestSteps(t *testing.T) {
	p := position(t, mateIn5)
	type step struct {
		root  bool
		nodes uint64
		limit time.Duration
	}
	var steps []step
	by := searcherFunc(func(at shogi.Position, lim solver.Limits, limit time.Duration) solver.Result {
		steps = append(steps, step{at.SamePosition(&p), lim.Nodes, limit})
		return solver.Result{Reason: solver.ReasonNodes, Nodes: lim.Nodes}
	})
	r, err := Moves(t.Context(), by, p, shogi.Black, Limits{Limits: solver.Limits{Nodes: 1_000_000},
		Time: time.Second, QuickNodes: 100})
	if err != nil {
		t.Fatal(err)
	}
	n := len(r.Moves)
	want := []step{{true, 100, time.Second / 2}}
	for range n {
		want = append(want, step{false, 100, time.Second})
	}
	left := uint64(1_000_000 - 100 - 100*n)
	want = append(want, step{true, left / 2, time.Second / 2})
	left -= left / 2
	share := uint64(1) << 15 // the largest power of two that each of 8 moves can have
	for i := range n {
		want = append(want, step{false, share, time.Second / time.Duration(n-i)})
	}
	if n != 8 || left/8 < share || left/8 >= 2*share {
		t.Fatalf("%d moves, %d nodes left", n, left)
	}
	// What is left then is too little to search again from the start.
	if !slices.Equal(steps, want) {
		t.Errorf("%v, want %v", steps, want)
	}
}

// A searcherFunc is a Searcher that takes no time.
type searcherFunc func(p shogi.Position, lim solver.Limits, limit time.Duration) solver.Result

func (f searcherFunc) Search(_ context.Context, p shogi.Position, lim solver.Limits, limit time.Duration) (
	solver.Result, time.Duration, error) {
	return f(p, lim, limit), 0, nil
}

func (f searcherFunc) Stopped() solver.Reason { return solver.NoReason }

// TestLongSearchesEnd: the long searches of the moves end with the first that finds an escape, or
// no slot.
func TestLongSearchesEnd(t *testing.T) {
	p := position(t, mateIn5+" moves 4e4c+")
	for _, end := range []solver.Result{{Verdict: solver.NoMate}, {Reason: solver.ReasonOverloaded}} {
		longs, reason := 0, solver.ReasonSettled
		if end.Reason != "" {
			reason = end.Reason
		}
		r := ask(t, searcherFunc(func(at shogi.Position, lim solver.Limits, _ time.Duration) solver.Result {
			if lim.Nodes > 20_000 && !at.SamePosition(&p) {
				longs++
				return end
			}
			return solver.Result{Reason: solver.ReasonNodes, Nodes: 1}
		}), mateIn5+" moves 4e4c+", Limits{})
		if longs != 1 || r.Verdict != end.Verdict || r.Reason != reason || len(r.Moves) < 3 {
			t.Errorf("%d long searches after %+v: %+v", longs, end, r)
		}
	}
}

// TestExactByBound: a mate is exact if a proven bound leaves no room for a shorter one.
func TestExactByBound(t *testing.T) {
	whole := mate.New(mate.Options{TableBytes: 1 << 20})
	p := position(t, mateIn5)
	for _, room := range []int{0, 2} {
		r := ask(t, searcherFunc(func(at shogi.Position, lim solver.Limits, _ time.Duration) solver.Result {
			r := whole.Solve(t.Context(), at, solver.Limits{Shortest: true})
			if at.SamePosition(&p) {
				return solver.Result{Reason: solver.ReasonNodes, Nodes: 1}
			}
			if r.Verdict == solver.Mate {
				r.Exact, r.NoMateWithin = false, max(0, len(r.Line)-2-room)
			}
			return r
		}), mateIn5, Limits{})
		if m := r.Moves[0]; m.Plies() != 5 || m.Exact != (room == 0) {
			t.Errorf("room for %d plies: %+v", room, m)
		}
	}
}

// TestExactByRootBound: the bound of the position is one of its moves too.
func TestExactByRootBound(t *testing.T) {
	p := position(t, mateIn5)
	for bound, exact := range map[int]bool{1: false, 3: true} {
		r := ask(t, searcherFunc(func(at shogi.Position, _ solver.Limits, _ time.Duration) solver.Result {
			if at.SamePosition(&p) {
				return solver.Result{Reason: solver.ReasonNodes, NoMateWithin: bound, Nodes: 1}
			}
			return mateOf(4, false)
		}), mateIn5, Limits{Limits: solver.Limits{Nodes: 100_000}})
		if m := r.Moves[0]; m.Plies() != 5 || m.Exact != exact || r.Exact != exact {
			t.Errorf("bound %d: %+v", bound, r)
		}
	}
}

// TestRepeatable: one search that time ended is enough for a report that may differ tomorrow.
func TestRepeatable(t *testing.T) {
	for _, last := range []solver.Reason{solver.ReasonNodes, solver.ReasonTime} {
		searches := 0
		r := ask(t, searcherFunc(func(shogi.Position, solver.Limits, time.Duration) solver.Result {
			if searches++; searches == 3 {
				return solver.Result{Reason: last}
			}
			return solver.Result{Reason: solver.ReasonNodes, Nodes: 100}
		}), mateIn5, Limits{Limits: solver.Limits{Nodes: 1000}})
		if r.Repeatable != (last == solver.ReasonNodes) || searches < 4 {
			t.Errorf("%s in %d searches: %+v", last, searches, r)
		}
	}
}

// TestLaterReplyRefutes: with two kings, that one reply is unknown does not keep a later one from
// refuting the check.
func TestLaterReplyRefutes(t *testing.T) {
	p := position(t, twoKings)
	check, err := shogi.ParseMove("4e4c+")
	if err != nil {
		t.Fatal(err)
	}
	p = p.After(check)
	replies := orderReplies(&p)
	last := p.After(replies[len(replies)-1])
	r := ask(t, searcherFunc(func(at shogi.Position, _ solver.Limits, _ time.Duration) solver.Result {
		if at.SamePosition(&last) {
			return solver.Result{Verdict: solver.NoMate}
		}
		return solver.Result{Reason: solver.ReasonNodes, Nodes: 1}
	}), twoKings, Limits{Limits: solver.Limits{Nodes: 1_000_000}})
	for _, m := range r.Moves {
		if m.Move == check && (m.Verdict != solver.NoMate || len(m.Line) != 2 || m.Line[1] != replies[len(replies)-1]) {
			t.Errorf("%+v", m)
		}
	}
}

// mateOf returns a mate of so many plies by moves that nobody plays.
func mateOf(plies int, exact bool) solver.Result {
	return solver.Result{Verdict: solver.Mate, Line: make([]shogi.Move, plies), Exact: exact, Nodes: 1}
}

// TestExactRoot: once the length of the position is certain, no move is searched for long, and it
// is that of the report, whoever is to move.
func TestExactRoot(t *testing.T) {
	whole := mate.New(mate.Options{TableBytes: 1 << 20})
	for text, plies := range map[string]int{mateIn3: 3, mateIn5 + " moves 4e4c+": 4} {
		p := position(t, text)
		r := ask(t, searcherFunc(func(at shogi.Position, lim solver.Limits, _ time.Duration) solver.Result {
			if at.SamePosition(&p) {
				return whole.Solve(t.Context(), at, solver.Limits{Shortest: true})
			}
			if lim.Nodes > 20_000 {
				t.Errorf("%d nodes for %s", lim.Nodes, at.SFEN())
			}
			return mateOf(plies+1, false)
		}), text, Limits{Limits: solver.Limits{Shortest: true}})
		if r.Verdict != solver.Mate || r.Plies != plies || !r.Exact {
			t.Errorf("%+v", r)
		}
	}
}

// TestExactBest: the length of the best move is that of the position only if none of the others can
// be shorter.
func TestExactBest(t *testing.T) {
	p := position(t, mateIn5)
	first := p.After(ask(t, &script{stopped: solver.ReasonTime}, mateIn5, Limits{}).Moves[0].Move)
	for bound, exact := range map[int]bool{0: false, 1: false, 2: true} {
		r := ask(t, searcherFunc(func(at shogi.Position, _ solver.Limits, _ time.Duration) solver.Result {
			switch {
			case at.SamePosition(&first):
				return mateOf(4, true)
			case at.SamePosition(&p):
				return solver.Result{Reason: solver.ReasonNodes, Nodes: 1}
			}
			return solver.Result{Reason: solver.ReasonNodes, NoMateWithin: bound, Nodes: 1}
		}), mateIn5, Limits{Limits: solver.Limits{Nodes: 100_000}})
		if r.Verdict != solver.Mate || r.Plies != 5 || r.Exact != exact {
			t.Errorf("bound %d: %+v", bound, r)
		}
	}
}

// TestNoStaleReason: moves that the search of the position decides miss nothing, whatever ended
// their own.
func TestNoStaleReason(t *testing.T) {
	p := position(t, mateIn5)
	r := ask(t, searcherFunc(func(at shogi.Position, lim solver.Limits, _ time.Duration) solver.Result {
		if at.SamePosition(&p) && lim.Nodes > 20_000 {
			return solver.Result{Verdict: solver.NoMate, Nodes: 1}
		}
		return solver.Result{Reason: solver.ReasonNodes, Nodes: 1}
	}), mateIn5, Limits{})
	if r.Verdict != solver.NoMate || r.Reason != "" {
		t.Errorf("%+v", r)
	}
	for _, m := range r.Moves {
		if m.Verdict != solver.NoMate || m.Reason != "" {
			t.Errorf("%+v", m)
		}
	}
}

// A script is a Searcher that answers as a test wants.
type script struct {
	search  func(p shogi.Position, lim solver.Limits) (solver.Result, error)
	stopped solver.Reason
}

func (s *script) Search(_ context.Context, p shogi.Position, lim solver.Limits, _ time.Duration) (
	solver.Result, time.Duration, error) {
	r, err := s.search(p, lim)
	return r, time.Millisecond, err
}

func (s *script) Stopped() solver.Reason { return s.stopped }

// TestOverloaded: where there are no slots for long searches, the first one that is refused is the
// last, and what needs one says so.
func TestOverloaded(t *testing.T) {
	longs := 0
	s := &script{search: func(_ shogi.Position, lim solver.Limits) (solver.Result, error) {
		if lim.Nodes <= 20_000 {
			return solver.Result{Reason: solver.ReasonNodes, Nodes: 10}, nil
		}
		longs++
		return solver.Result{Reason: solver.ReasonOverloaded}, nil
	}}
	r := ask(t, s, mateIn5, Limits{})
	if longs != 1 || r.Reason != solver.ReasonOverloaded || r.Repeatable {
		t.Errorf("%d long searches, %+v", longs, r)
	}
	for _, m := range r.Moves {
		if m.Verdict == solver.Unknown && m.Reason != solver.ReasonOverloaded {
			t.Errorf("%+v", m)
		}
	}
}

// TestStopped: a Searcher that makes no more searches is not asked for any.
func TestStopped(t *testing.T) {
	s := &script{}
	searches := 0
	s.search = func(shogi.Position, solver.Limits) (solver.Result, error) {
		if searches++; searches == 3 {
			s.stopped = solver.ReasonOverloaded
		}
		return solver.Result{Reason: solver.ReasonNodes, Nodes: 10}, nil
	}
	r := ask(t, s, mateIn5, Limits{})
	if searches != 3 || r.Reason != solver.ReasonOverloaded || r.Repeatable {
		t.Errorf("%d searches, %+v", searches, r)
	}
}

// TestSearcherError: an error of the Searcher ends the analysis, wherever it comes.
func TestSearcherError(t *testing.T) {
	with := mate.New(mate.Options{TableBytes: 1 << 20})
	wrong := errors.New("as asked")
	for _, text := range []string{mateIn3, twoKings, mateIn5 + " moves 4e4c+"} {
		for last := 1; ; last++ {
			searches := 0
			s := &script{search: func(p shogi.Position, lim solver.Limits) (solver.Result, error) {
				if searches++; searches >= last {
					return solver.Result{}, wrong
				}
				return with.Solve(t.Context(), p, lim), nil
			}}
			r, err := Moves(t.Context(), s, position(t, text), shogi.Black, Limits{Limits: solver.Limits{Nodes: 100_000}})
			if err == nil && searches < last {
				break // it needs no more
			}
			if r != nil || !errors.Is(err, wrong) || searches != last {
				t.Fatalf("%s: %v %v after %d searches, want %d", text, r, err, searches, last)
			}
		}
	}
}

// TestPlies: what is not within the plies is said to be so, and needs no search beyond them.
func TestPlies(t *testing.T) {
	with := mate.New(mate.Options{TableBytes: 1 << 20})
	for n := range 10 {
		plies, text := 1+n/2, []string{mateIn3, twoKings}[n%2]
		mates := []int{3, 5}[n%2]
		s := &script{search: func(p shogi.Position, lim solver.Limits) (solver.Result, error) {
			if most := plies - strings.Count(p.SFEN(), " w"); lim.Plies != 0 && lim.Plies > most {
				t.Errorf("%d plies from %s, of %d", lim.Plies, p.SFEN(), plies)
			}
			return with.Solve(t.Context(), p, lim), nil
		}}
		r := ask(t, s, text, Limits{Limits: solver.Limits{Plies: plies, Shortest: true, Nodes: 1_000_000}})
		want, reason := solver.Mate, solver.NoReason
		if plies < mates {
			want, reason = solver.Unknown, solver.ReasonPlies
		}
		if r.Verdict != want || plies < mates && r.Reason != reason {
			t.Errorf("within %d: %+v", plies, r)
		}
		for _, m := range r.Moves {
			if m.Verdict == solver.Unknown && (m.Reason != solver.ReasonPlies || text == mateIn3 && m.NoMateWithin < 1) {
				t.Errorf("within %d: %+v", plies, m)
			}
			if m.Verdict == solver.Mate && m.Plies() > plies {
				t.Errorf("within %d: %+v", plies, m)
			}
		}
	}
}

// TestValidAttacker: who can attack.
func TestValidAttacker(t *testing.T) {
	for _, c := range []struct {
		text         string
		black, white error
	}{
		{mateIn1, nil, ErrNoKing},
		{mateIn1 + " moves G*5b", nil, ErrNoKing},
		{"4k4/9/9/9/9/9/9/9/9 w - 1", ErrNoCheck, ErrNoKing},
		{"4k4/9/9/9/9/9/9/9/4K4 b - 1", nil, ErrNoCheck},
		{"4k4/9/9/9/9/9/9/9/4K3r b - 1", nil, nil},
		{"9/9/9/9/9/9/9/9/9 b 2r - 1", ErrNoKing, ErrNoKing},
	} {
		text := strings.Replace(c.text, " 2r - 1", " 2r 1", 1)
		p := position(t, text)
		for attacker, want := range map[shogi.Color]error{shogi.Black: c.black, shogi.White: c.white} {
			if err := ValidAttacker(&p, attacker); !errors.Is(err, want) || err != want {
				t.Errorf("%s: %v attacks: %v, want %v", text, attacker, err, want)
			}
			if r, err := Moves(t.Context(), &script{stopped: solver.ReasonTime}, p, attacker, Limits{}); err != want || (r == nil) != (want != nil) {
				t.Errorf("%s: %v attacks: %v %v, want %v", text, attacker, r, err, want)
			}
		}
	}
}
