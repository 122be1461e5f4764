package crosscheck

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// plainSolver searches with all moves to five plies, and knows where there is no check.
func plainSolver(_ context.Context, p shogi.Position, lim solver.Limits) solver.Result {
	r := solver.Result{Solver: "plain", Nodes: 1}
	attacker, err := solver.Attacker(&p)
	if err != nil {
		r.Reason = solver.ReasonDepth
		return r
	}
	var buf shogi.MoveBuffer
	if p.SideToMove() == attacker && len(p.Checks(&buf, shogi.AllMoves)) == 0 {
		r.Verdict = solver.NoMate
		return r
	}
	x := plainSearch{attacker: attacker, left: 20_000, memo: map[plainState]int{}}
	n := 0
	if p.SideToMove() == attacker {
		n = 1
	}
	most := 5
	if lim.Plies > 0 {
		most = min(most, lim.Plies)
	}
	for ; n <= most; n += 2 {
		mates := x.mates(&p, n)
		if x.left <= 0 {
			r.Reason = solver.ReasonNodes
			return r
		}
		if mates {
			r.Verdict, r.Exact, r.NoMateWithin = solver.Mate, true, max(n-2, 0)
			x.left = 1 << 30
			r.Line = plainLine(&x, p, n)
			r.Proof = plainProof(&x, p, n)
			return r
		}
		r.NoMateWithin = n
	}
	r.Reason = solver.ReasonNodes // whoever asks again for what is longer gets no answer
	return r
}

// plainLine returns a line of the mate of p in n plies, in which the defender holds out to the end.
func plainLine(x *plainSearch, p shogi.Position, n int) []shogi.Move {
	var line []shogi.Move
	for ; n > 0; n-- {
		var buf shogi.MoveBuffer
		attacks := p.SideToMove() == x.attacker
		moves := p.Checks(&buf, shogi.AllMoves)
		if !attacks {
			moves = p.Evasions(&buf, shogi.AllMoves)
		}
		for _, m := range moves {
			q := p
			q.Do(m)
			if x.mates(&q, n-1) && (attacks || n < 3 || !x.mates(&q, n-3)) {
				line, p = append(line, m), q
				break
			}
		}
	}
	return line
}

// plainProof returns the proof of the mate of p in n plies of which plainLine is a line.
func plainProof(x *plainSearch, p shogi.Position, n int) *solver.Proof {
	var nodes []solver.ProofNode
	var replies func(p shogi.Position, n int) []solver.ProofReply
	node := func(p shogi.Position, n int) int32 {
		made := solver.ProofNode{Hand: p.Hand(p.SideToMove()), Height: 1}
		var buf shogi.MoveBuffer
		for _, m := range p.Checks(&buf, shogi.AllMoves) {
			q := p
			q.Do(m)
			if x.mates(&q, n-1) {
				made.Move, made.Replies = m, replies(q, n-1)
				break
			}
		}
		for _, r := range made.Replies {
			made.Height = max(made.Height, nodes[r.Node].Height+2)
		}
		nodes = append(nodes, made)
		return int32(len(nodes) - 1)
	}
	replies = func(p shogi.Position, n int) (list []solver.ProofReply) {
		var buf shogi.MoveBuffer
		for _, m := range p.Evasions(&buf, shogi.AllMoves) {
			q := p
			q.Do(m)
			list = append(list, solver.ProofReply{Move: m, Node: node(q, n-1)})
		}
		return list
	}
	var first []solver.ProofReply
	if p.SideToMove() == x.attacker {
		first = []solver.ProofReply{{Node: node(p, n)}}
	} else {
		first = replies(p, n)
	}
	proof, err := solver.NewProof(context.Background(), p, x.attacker, nodes, first, nil)
	if err != nil {
		panic(err)
	}
	return proof
}

func huntAll(ctx context.Context, problems uint64, hunted, other solver.Func) (HuntStats, error) {
	return Hunt(ctx, HuntOptions{Seed: 5, Problems: problems, Workers: 2, Nodes: 1000,
		Contenders: []Contender{{"hunted", hunted}, {"other", other}}}, nil)
}

// TestHunt hunts a solver that is never wrong.
func TestHunt(t *testing.T) {
	problems := uint64(200)
	if testing.Short() {
		problems = 50
	}
	stats, err := huntAll(context.Background(), problems, plainSolver, plainSolver)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", stats)
	if stats.Problems != problems || stats.Mates+stats.NoMates+stats.Undecided != problems || stats.Mates == 0 || stats.NoMates == 0 ||
		stats.Replayed == 0 || stats.Plain == 0 || stats.Longest < 3 {
		t.Errorf("something was not hunted: %+v", stats)
	}
	again, err := huntAll(context.Background(), problems, plainSolver, plainSolver)
	if err != nil || !reflect.DeepEqual(again, stats) {
		t.Errorf("the same seed again: %+v, %v", again, err)
	}
}

// TestHuntFinds hunts solvers that are wrong, each in its own way.
func TestHuntFinds(t *testing.T) {
	spoil := func(how func(p *shogi.Position, lim *solver.Limits, r *solver.Result)) solver.Func {
		return func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
			r := plainSolver(ctx, p, lim)
			how(&p, &lim, &r)
			return r
		}
	}
	onlyPlain := func(context.Context, shogi.Position, solver.Limits) solver.Result {
		return solver.Result{Solver: "silent", Nodes: 1, Reason: solver.ReasonNodes}
	}
	noMate := spoil(func(_ *shogi.Position, _ *solver.Limits, r *solver.Result) {
		if r.Verdict == solver.Mate {
			*r = solver.Result{Verdict: solver.NoMate, Solver: "x", Nodes: 1}
		}
	})
	for _, c := range []struct {
		name          string
		hunted, other solver.Func
		what          string
	}{
		{"no mate where there is one, and others know", noMate, plainSolver, "; other: mate"},
		{"no mate where there is one, and nobody else says anything", noMate, onlyPlain, "search of all moves"},
		{"a bound that is too high", spoil(func(_ *shogi.Position, _ *solver.Limits, r *solver.Result) {
			if r.Verdict == solver.Mate && len(r.Line) > 1 {
				*r = solver.Result{Solver: "x", Nodes: 1, NoMateWithin: len(r.Line), Reason: solver.ReasonNodes}
			}
		}), onlyPlain, "search of all moves"},
		{"the mirror image is another problem", spoil(func(p *shogi.Position, lim *solver.Limits, r *solver.Result) {
			if attacker, err := solver.Attacker(p); err == nil && r.Verdict == solver.Mate && p.King(attacker.Opponent()).File() > shogi.File5 {
				*r = solver.Result{Verdict: solver.NoMate, Solver: "x", Nodes: 1}
			}
		}), onlyPlain, "mirrored"},
		{"a line with a defence that helps", func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
			if r := plainSolver(ctx, p, lim); r.Verdict != solver.Unknown {
				return r
			}
			attacker, _ := solver.Attacker(&p)
			if line := helpMate(p, attacker, 3); line != nil {
				return solver.Result{Verdict: solver.Mate, Line: line, Solver: "x", Nodes: 1}
			}
			return solver.Result{Solver: "x", Nodes: 1, Reason: solver.ReasonNodes}
		}, onlyPlain, ""},
		{"a line that is none", spoil(func(_ *shogi.Position, _ *solver.Limits, r *solver.Result) {
			if r.Verdict == solver.Mate && len(r.Line) > 1 {
				r.Line, r.Exact, r.NoMateWithin = r.Line[:len(r.Line)-2], false, 0
			}
		}), plainSolver, "does not hold"},
		{"a panic", spoil(func(_ *shogi.Position, _ *solver.Limits, r *solver.Result) {
			if r.Verdict == solver.Mate {
				panic("oh")
			}
		}), plainSolver, "panic: oh"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := huntAll(context.Background(), 3000, c.hunted, c.other)
			var found *Disagreement
			if !errors.As(err, &found) {
				t.Fatalf("not found: %v", err)
			}
			if !strings.Contains(found.What, c.what) || found.Seed != 5 {
				t.Errorf("%v: want %q", found, c.what)
			}
			if _, err := shogi.ParseSFEN(found.SFEN); err != nil {
				t.Errorf("%v: %v", found, err)
			}
		})
	}
}

// helpMate returns a line of checks and answers of the given length to a mate, whatever else the
// defender might play.
func helpMate(p shogi.Position, attacker shogi.Color, plies int) []shogi.Move {
	var buf shogi.MoveBuffer
	if plies == 0 {
		return map[bool][]shogi.Move{true: {}}[p.IsCheckmate()]
	}
	moves := p.Checks(&buf, shogi.AllMoves)
	if p.SideToMove() != attacker {
		moves = p.Evasions(&buf, shogi.AllMoves)
	}
	for _, m := range moves {
		q := p
		q.Do(m)
		if rest := helpMate(q, attacker, plies-1); rest != nil {
			return append([]shogi.Move{m}, rest...)
		}
	}
	return nil
}

// TestHuntEnds ends a hunt that would never end by itself.
func TestHuntEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	stats, err := Hunt(ctx, HuntOptions{Workers: 3, Contenders: []Contender{{"a", solver.Func(plainSolver)}, {"b", solver.Func(plainSolver)}}}, func(s HuntStats) {
		if calls++; calls == 5 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || stats.Problems < 5 {
		t.Errorf("%+v, %v", stats, err)
	}
	ctx, cancel = context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	if stats, err := Hunt(ctx, HuntOptions{Contenders: []Contender{{"a", solver.Func(plainSolver)}, {"b", solver.Func(plainSolver)}}}, nil); !errors.Is(err, context.DeadlineExceeded) || stats.Problems > 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// TestPlainSearch compares the memo with none.
func TestPlainSearch(t *testing.T) {
	r := solvertest.NewRandom(3, 0)
	mates := 0
	for range 300 {
		p := r.Next()
		attacker, err := solver.Attacker(&p)
		if err != nil {
			continue
		}
		with := plainSearch{attacker: attacker, left: 1 << 30, memo: map[plainState]int{}}
		for n := range 4 {
			got := with.mates(&p, n)
			want := bareSearch(p, attacker, n)
			if got != want {
				t.Errorf("sfen %s: mate within %d: %v, want %v", p.SFEN(), n, got, want)
			}
			if got {
				mates++
			}
		}
	}
	if mates < 20 {
		t.Errorf("only %d mates", mates)
	}
}

func bareSearch(p shogi.Position, attacker shogi.Color, plies int) bool {
	var buf shogi.MoveBuffer
	if p.SideToMove() == attacker {
		for _, m := range p.Checks(&buf, shogi.AllMoves) {
			q := p
			if q.Do(m); plies > 0 && bareSearch(q, attacker, plies-1) {
				return true
			}
		}
		return false
	}
	for _, m := range p.Evasions(&buf, shogi.AllMoves) {
		q := p
		if q.Do(m); plies == 0 || !bareSearch(q, attacker, plies-1) {
			return false
		}
	}
	return true
}
