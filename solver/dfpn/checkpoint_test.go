package dfpn_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/checkpoint"
	"github.com/tsumero/tsumero/solver/checkpoint/disk"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// A keeperLog is what a Keeper tells.
type keeperLog struct {
	mu    sync.Mutex
	saved []disk.Info
	errs  []error
}

// options returns those of a Keeper that keeps a checkpoint only when it is asked to.
func (l *keeperLog) options(dir string) disk.Options {
	return disk.Options{Dir: dir, Name: "job", Secret: []byte("known to nobody"), First: time.Hour,
		Saved: func(i disk.Info) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.saved = append(l.saved, i)
		},
		OnError: func(err error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.errs = append(l.errs, err)
		}}
}

// solveWith asks a new Solver, with a Keeper.
func solveWith(ctx context.Context, k *disk.Keeper, o dfpn.Options, p shogi.Position, lim solver.Limits) solver.Result {
	lim.Proof = true
	return dfpn.NewAtOnce(o).Solve(checkpoint.With(ctx, k), p, lim)
}

// stopAfter returns a context that ends after so many looks at the clock, when it requests a
// checkpoint.
func stopAfter(polls uint64, k *disk.Keeper) context.Context {
	return newHook(func() error {
		if polls > 1 {
			polls--
			return nil
		}
		k.Request()
		return context.Canceled
	})
}

const nodesOfPoll = 1024

// fair is a limit of nodes that searches of checkpoints have. It is a test of the limit, too: the
// nodes of both runs count.
const fair = 4_000_000

// TestResume stops searches, loads what they saved, and has them end: the verdict is the right one,
// the nodes are those of both runs, and on the average as many as without a stop.
func TestResume(t *testing.T) {
	t.Parallel()
	least, most := uint64(20_000), uint64(100_000)
	if testing.Short() {
		least, most = 4_000, 200_000
	}
	sum, stops := 0.0, 0
	verdicts := map[solver.Verdict]int{}
	for _, k := range knownPositions(t, exact, verdict) {
		lim := solver.Limits{Nodes: fair}
		whole := solveWith(context.Background(), nil, dfpn.Options{}, k.Position, lim)
		if whole.Nodes < least || whole.Nodes > most {
			continue
		}
		for _, part := range []uint64{10, 90} {
			var l keeperLog
			o := l.options(t.TempDir())
			keeper := disk.New(o)
			first := solveWith(stopAfter(whole.Nodes*part/100/nodesOfPoll, keeper), keeper, dfpn.Options{}, k.Position, lim)
			if first.Reason != solver.ReasonCancelled || first.Resumed || keeper.Resumed() {
				t.Fatalf("%s: %+v", k.Source, first)
			}
			keeper = disk.New(o)
			r := solveWith(context.Background(), keeper, dfpn.Options{}, k.Position, lim)
			if len(l.errs) > 0 || len(l.saved) != 1 || l.saved[0].Nodes != first.Nodes {
				t.Fatalf("%s: %v %+v", k.Source, l.errs, l.saved)
			}
			if !r.Resumed || !keeper.Resumed() || r.IsRepeatable() {
				t.Errorf("%s: %+v: not resumed", k.Source, r)
			}
			if msg := k.wrong(&r); msg != "" {
				t.Errorf("%s: stopped at %d %%: %s: %+v", k.Source, part, msg, r)
			}
			if r.Verdict != whole.Verdict && r.Reason != solver.ReasonNodes {
				t.Errorf("%s: stopped at %d %%: %v %s, not %v", k.Source, part, r.Verdict, r.Reason, whole.Verdict)
			}
			if r.Nodes < first.Nodes || r.Nodes > fair {
				t.Errorf("%s: %d nodes, %d before", k.Source, r.Nodes, first.Nodes)
			}
			verdicts[r.Verdict]++
			sum += math.Log(float64(r.Nodes-first.Nodes) / float64(whole.Nodes-first.Nodes))
			stops++
		}
	}
	mean := math.Exp(sum / float64(stops))
	t.Logf("%d stops, %v, nodes of the rest to those that were left: %.3f", stops, verdicts, mean)
	if stops < 6 || verdicts[solver.Mate] == 0 || verdicts[solver.NoMate] == 0 && !testing.Short() {
		t.Error("too few")
	}
	// Of a search that begins anew these two stops make (1.1 * 10)^(1/2) = 3.3.
	if mean > 1.5 {
		t.Errorf("the rest takes %.2f times the nodes that were left", mean)
	}
}

// TestResumeToTheNode: after a load a search takes to the node what it takes in memory, in a table
// from which what a checkpoint lacks is removed.
func TestResumeToTheNode(t *testing.T) {
	t.Parallel()
	compared := 0
	for i, k := range knownPositions(t, exact, verdict) {
		if attacker, _ := solver.Attacker(&k.Position); attacker == shogi.White {
			k.Position = k.Position.Rotated()
		}
		polls := uint64(5 + i)
		options := dfpn.Options{TableBytes: 4 << 20}
		if i%4 == 0 {
			options.TableBytes = 1 << 20
		}
		lim := solver.Limits{Nodes: 1 << 20, Proof: true} // with fewer there are no checkpoints
		var l keeperLog
		o := l.options(t.TempDir())
		keeper := disk.New(o)
		first := solveWith(stopAfter(polls, keeper), keeper, options, k.Position, lim)
		if first.Reason != solver.ReasonCancelled {
			continue
		}
		memory := dfpn.NewSearch(options)
		if r := memory.Solve(stopAfter(polls, nil), k.Position, lim); r.Nodes != first.Nodes {
			t.Fatalf("%s: %d and %d nodes", k.Source, r.Nodes, first.Nodes)
		}
		memory.ForgetWhatCheckpointsLack()
		left := lim
		left.Nodes -= first.Nodes
		want := memory.Solve(context.Background(), k.Position, left)
		if want.Verdict == solver.NoMate {
			continue // it is derived once more
		}
		r := solveWith(context.Background(), disk.New(o), options, k.Position, lim)
		if !r.Resumed || r.Nodes != first.Nodes+want.Nodes || !reflect.DeepEqual(r.Line, want.Line) {
			t.Errorf("%s: %d nodes after %d, not %d", k.Source, r.Nodes-first.Nodes, first.Nodes, want.Nodes)
		}
		compared++
	}
	if t.Logf("%d searches", compared); compared < 3 {
		t.Error("too few")
	}
}

// savedAt returns the options of a Keeper that has a checkpoint of a search stopped after so many
// looks at the clock.
func savedAt(t *testing.T, l *keeperLog, polls uint64, so dfpn.Options, p shogi.Position, lim solver.Limits) disk.Options {
	t.Helper()
	o := l.options(t.TempDir())
	k := disk.New(o)
	r := solveWith(stopAfter(polls, k), k, so, p, lim)
	if r.Reason != solver.ReasonCancelled || len(l.saved) != 1 || len(l.errs) > 0 {
		t.Fatalf("%+v %v %v", r, l.saved, l.errs)
	}
	return o
}

// firstWith returns the first known position that takes more nodes than so many, and has or has not
// a mate, turned so that Black attacks.
func firstWith(t *testing.T, noMate bool, nodes uint64) known {
	t.Helper()
	for _, k := range everyKnown(t, 1, exact, verdict, quick) {
		if k.noMate() != noMate {
			continue
		}
		if a, _ := solver.Attacker(&k.Position); a == shogi.White {
			k.Position = k.Position.Rotated()
		}
		r := dfpn.New(dfpn.Options{}).Solve(context.Background(), k.Position, solver.Limits{Nodes: nodes})
		if r.Reason == solver.ReasonNodes {
			return k
		}
	}
	t.Fatal("there is none")
	panic("unreachable")
}

// TestDamaged flips bits of a checkpoint, all over it: none is loaded, and the search begins anew.
func TestDamaged(t *testing.T) {
	t.Parallel()
	k := firstWith(t, false, 3*nodesOfPoll)
	lim := solver.Limits{Nodes: fair}
	whole := solveWith(context.Background(), nil, dfpn.Options{}, k.Position, lim)
	var l keeperLog
	o := savedAt(t, &l, 3, dfpn.Options{}, k.Position, lim)
	file, err := os.ReadFile(l.saved[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	const offsets = 8
	s := dfpn.New(dfpn.Options{})
	for i := range offsets {
		l.errs = nil
		at := (len(file) - 1) * i / (offsets - 1)
		file[at] ^= 1 << (i % 8)
		if err := os.WriteFile(l.saved[0].Path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		file[at] ^= 1 << (i % 8)
		keeper := disk.New(o)
		r := s.Solve(checkpoint.With(context.Background(), keeper), k.Position, solver.Limits{Nodes: fair, Proof: true})
		if r.Resumed || keeper.Resumed() || r.Nodes != whole.Nodes || r.Verdict != whole.Verdict {
			t.Errorf("byte %d: %+v, not %+v", at, r, whole)
		}
		if len(l.errs) != 1 || !errors.Is(l.errs[0], disk.ErrDamaged) {
			t.Errorf("byte %d: %v", at, l.errs)
		}
	}
}

// TestOtherQuestion: a checkpoint of another position, of other material, with other limits or
// other options is refused by name, and the search begins anew; the same position turned round is
// the same search.
func TestOtherQuestion(t *testing.T) {
	t.Parallel()
	k := firstWith(t, false, 3*nodesOfPoll)
	lim := solver.Limits{Nodes: fair}
	var l keeperLog
	o := savedAt(t, &l, 3, dfpn.Options{}, k.Position, lim)
	material := k.Position.Setup()
	hand := &material.Hands[shogi.White]
	if hand.IsEmpty() {
		hand = &material.Hands[shogi.Black]
	}
	kind := shogi.Pawn
	for kind <= shogi.Gold && !hand.Has(kind) {
		kind++
	}
	*hand = hand.Remove(kind, 1)
	less, err := material.Position()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		p   shogi.Position
		lim solver.Limits
		o   dfpn.Options
	}{
		"root is":           {less, lim, dfpn.Options{}},
		"plies is":          {k.Position, solver.Limits{Nodes: fair, Plies: 99}, dfpn.Options{}},
		"shortest is":       {k.Position, solver.Limits{Nodes: fair, Shortest: true}, dfpn.Options{}},
		"any_line is":       {k.Position, solver.Limits{Nodes: fair, AnyLine: true}, dfpn.Options{}},
		"nodes is":          {k.Position, solver.Limits{Nodes: fair + 1}, dfpn.Options{}},
		"no_mate_within is": {k.Position, solver.Limits{Nodes: fair, NoMateWithin: 1}, dfpn.Options{}},
		"options is":        {k.Position, lim, dfpn.Options{NoHands: true}},
	} {
		l.errs = nil
		keeper := disk.New(o)
		r := solveWith(stopAfter(3, nil), keeper, c.o, c.p, c.lim)
		if r.Resumed || keeper.Resumed() {
			t.Errorf("%s: resumed", name)
		}
		if len(l.errs) != 1 || !errors.Is(l.errs[0], disk.ErrOther) || !strings.Contains(l.errs[0].Error(), name) {
			t.Errorf("%s: %v", name, l.errs)
		}
	}
	l.errs = nil
	for _, p := range []shogi.Position{k.Position, k.Position.Rotated()} {
		r := solveWith(context.Background(), disk.New(o), dfpn.Options{TableBytes: 2 << 20, Threads: 2}, p, lim)
		k := k
		k.Position = p
		if msg := k.wrong(&r); msg != "" || !r.Resumed || len(l.errs) > 0 {
			t.Errorf("%s: %+v: %s %v", p.SFEN(), r, msg, l.errs)
		}
	}
}

// forge writes a checkpoint with these blocks, and the right HMAC.
func forge(o disk.Options, id checkpoint.Identity, s checkpoint.State, blocks ...[]byte) {
	k := disk.New(o)
	run := k.Start(id)
	defer run.End()
	w := run.Begin()
	for _, b := range blocks {
		w.Write(b)
	}
	w.Commit(s, nil)
}

// TestOtherEngine: a checkpoint of a program whose keys or moves mean something else is refused,
// and so is one that says more or other things than it has.
func TestOtherEngine(t *testing.T) {
	t.Parallel()
	p := shogi.MustParseSFEN("4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1")
	lim := solver.Limits{}
	good := checkpoint.State{Entries: 1, Homes: 1}
	entry := dfpn.PackEntry(&p, -1, 1)
	for _, c := range []struct {
		change func(checkpoint.Identity, *checkpoint.State)
		block  []byte
		want   string
	}{
		{func(checkpoint.Identity, *checkpoint.State) {}, entry, ""},
		{func(id checkpoint.Identity, _ *checkpoint.State) { id["encoding"] += "0" }, entry, "encoding is"},
		{func(id checkpoint.Identity, _ *checkpoint.State) { id["format"] = "0" }, entry, "format is"},
		{func(id checkpoint.Identity, _ *checkpoint.State) { delete(id, "root") }, entry, "root is"},
		{func(_ checkpoint.Identity, s *checkpoint.State) { s.Entries++ }, entry, "1 entries instead of 2"},
		{func(_ checkpoint.Identity, s *checkpoint.State) { s.Line = []string{"9i9h"} }, entry, "9i9h"},
		{func(_ checkpoint.Identity, s *checkpoint.State) { s.Line = []string{"?"} }, entry, "?"},
		{func(checkpoint.Identity, *checkpoint.State) {}, entry[:len(entry)-1], "cannot be"},
		{func(checkpoint.Identity, *checkpoint.State) {}, dfpn.PackEntry(&p, 1, 1), "cannot be"},
	} {
		var l keeperLog
		o := l.options(t.TempDir())
		id, state := dfpn.Identity(p, lim, dfpn.Options{}), good
		if len(id["encoding"]) != 32 {
			t.Fatalf("the encoding is %q", id["encoding"])
		}
		c.change(id, &state)
		forge(o, id, state, c.block)
		r := solveWith(context.Background(), disk.New(o), dfpn.Options{}, p, lim)
		if r.Verdict != solver.Mate || r.Resumed != (c.want == "") {
			t.Errorf("%s: %+v", c.want, r)
		}
		if c.want == "" && len(l.errs) > 0 || c.want != "" && (len(l.errs) != 1 || !strings.Contains(l.errs[0].Error(), c.want)) {
			t.Errorf("%s: %v", c.want, l.errs)
		}
	}
}

// positionsAt returns all positions so many plies after p, checks and answers to them in turn.
func positionsAt(p shogi.Position, plies int) []shogi.Position {
	if plies == 0 {
		return []shogi.Position{p}
	}
	var buf shogi.MoveBuffer
	moves := p.Checks(&buf, shogi.AllMoves)
	if p.SideToMove() == shogi.White {
		moves = p.Evasions(&buf, shogi.AllMoves)
	}
	var list []shogi.Position
	for _, m := range moves {
		next := p
		next.Do(m)
		list = append(list, positionsAt(next, plies-1)...)
	}
	return list
}

// TestFalseEntries: a checkpoint with the right HMAC, every entry of which is false, says that there
// is no mate where there is one, near the root, or a mate where there is none. No such verdict
// leaves the search, nor a bound; and the files are gone, so that the next search begins anew.
func TestFalseEntries(t *testing.T) {
	t.Parallel()
	var mates []shogi.Position
	var shortest []int
	most := 2
	if testing.Short() {
		most = 1
	}
	for _, k := range knownPositions(t, quick) {
		if n := k.plies(); n >= 7 && len(mates) < most {
			if a, _ := solver.Attacker(&k.Position); a == shogi.White {
				k.Position = k.Position.Rotated()
			}
			if k.Position.SideToMove() != shogi.Black {
				continue
			}
			mates, shortest = append(mates, k.Position), append(shortest, n)
		}
	}
	if len(mates) == 0 {
		t.Fatal("no mates")
	}
	caught := 0
	for i, p := range mates {
		for plies := range 4 {
			for _, lim := range []solver.Limits{{}, {Plies: shortest[i]}, {Shortest: true}} {
				var l keeperLog
				o := l.options(t.TempDir())
				never := dfpn.Forever
				if lim != (solver.Limits{}) {
					never = shortest[i] - plies
				}
				var blocks [][]byte
				for _, q := range positionsAt(p, plies) {
					blocks = append(blocks, dfpn.PackEntry(&q, -1, never))
				}
				state := checkpoint.State{Nodes: 1, Entries: uint64(len(blocks)), Homes: 1}
				forge(o, dfpn.Identity(p, lim, dfpn.Options{}), state, blocks...)
				r := solveWith(context.Background(), disk.New(o), dfpn.Options{}, p, lim)
				switch {
				case r.Verdict == solver.NoMate, r.NoMateWithin >= shortest[i], r.Exact && len(r.Line) > shortest[i]:
					t.Errorf("%s: false entries %d plies below: %+v", p.SFEN(), plies, r)
				case !r.Resumed:
					t.Errorf("%s: %v", p.SFEN(), l.errs)
				case r.Reason == solver.ReasonUnverified:
					caught++
					if files, err := os.ReadDir(o.Dir); err != nil || len(files) > 0 || len(l.errs) != 1 {
						t.Errorf("%s: %d files are left, %v %v", p.SFEN(), len(files), err, l.errs)
					}
					if r := solveWith(context.Background(), disk.New(o), dfpn.Options{}, p, lim); r.Verdict != solver.Mate || r.Resumed {
						t.Errorf("%s: the next search: %+v", p.SFEN(), r)
					}
				case r.Verdict != solver.Mate:
					t.Errorf("%s: %+v", p.SFEN(), r)
				}
			}
		}
	}
	if t.Logf("%d caught", caught); caught < 6*len(mates) {
		t.Error("too few")
	}
	late := 0 // the shortest mate is not the first
	for _, k := range knownPositions(t, quick, exact) {
		if k.plies() == 0 || k.Position.SideToMove() != shogi.Black {
			continue
		}
		lim := solver.Limits{Shortest: true, Nodes: fair}
		first := dfpn.New(dfpn.Options{}).Solve(context.Background(), k.Position, solver.Limits{Nodes: fair})
		if first.Verdict != solver.Mate || len(first.Line) == k.plies() {
			continue
		}
		var l keeperLog
		var blocks [][]byte
		for _, q := range positionsAt(k.Position, 1) {
			blocks = append(blocks, dfpn.PackEntry(&q, -1, k.plies()-1))
		}
		o := l.options(t.TempDir())
		state := checkpoint.State{Nodes: 1, Entries: uint64(len(blocks)), Homes: 1}
		forge(o, dfpn.Identity(k.Position, lim, dfpn.Options{}), state, blocks...)
		r := solveWith(context.Background(), disk.New(o), dfpn.Options{}, k.Position, lim)
		if msg := k.wrong(&r); msg != "" || r.Exact && len(r.Line) > k.plies() || !r.Resumed {
			t.Errorf("%s: %s %+v %v", k.Source, msg, r, l.errs)
		}
		if r.Verdict == solver.Mate && r.Reason == solver.ReasonUnverified {
			late++
			break
		}
	}
	if late == 0 {
		t.Error("no false bound of a search for the shortest mate was caught")
	}
	for _, k := range knownPositions(t, quick) {
		if !k.noMate() || k.Position.SideToMove() != shogi.Black || len(positionsAt(k.Position, 1)) == 0 {
			continue
		}
		var l keeperLog
		o := l.options(t.TempDir())
		var blocks [][]byte
		for _, q := range positionsAt(k.Position, 1) {
			blocks = append(blocks, dfpn.PackEntry(&q, 4, -1))
		}
		state := checkpoint.State{Nodes: 1, Entries: uint64(len(blocks)), Homes: 1}
		forge(o, dfpn.Identity(k.Position, solver.Limits{Nodes: fair}, dfpn.Options{}), state, blocks...)
		r := solveWith(context.Background(), disk.New(o), dfpn.Options{}, k.Position, solver.Limits{Nodes: fair})
		if r.Verdict != solver.Unknown || r.Reason != solver.ReasonUnverified || !r.Resumed || len(l.errs) != 1 {
			t.Errorf("%s: %+v %v", k.Source, r, l.errs)
		}
		break
	}
}

// TestKeepsWhileSearching saves without end while it searches, on one thread and several, in tables
// that grow and forget, stops somewhere and goes on, many times: the verdicts are right.
func TestKeepsWhileSearching(t *testing.T) {
	t.Parallel()
	saved, resumed := 0, 0
	for i, k := range knownPositions(t, exact, verdict) {
		if i > 11 || testing.Short() && i > 3 {
			break
		}
		so := dfpn.Options{TableBytes: 1 << 20 << (i % 3), Threads: 1 + i%3}
		var l keeperLog
		o := l.options(t.TempDir())
		o.First, o.Every = 1, 1
		lim := solver.Limits{Nodes: fair}
		for run := range 4 {
			keeper := disk.New(o)
			var polls atomic.Int64 // of all threads
			r := solveWith(newHook(func() error {
				if run == 3 || polls.Add(1) < int64(10*(run+1)) {
					return nil
				}
				if run%2 == 0 {
					keeper.Request()
				}
				return context.Canceled
			}), keeper, so, k.Position, lim)
			if msg := k.wrong(&r); msg != "" || r.Reason == solver.ReasonUnverified {
				t.Errorf("%s: run %d: %s %+v", k.Source, run, msg, r)
			}
			if r.Resumed {
				resumed++
			}
			if r.Reason == solver.NoReason {
				break
			}
		}
		saved += len(l.saved)
		for _, err := range l.errs {
			if !strings.Contains(err.Error(), "no checkpoint: the search was stopped while") {
				t.Errorf("%s: %v", k.Source, err)
			}
		}
	}
	if t.Logf("%d saved, %d resumed", saved, resumed); saved < 4 || resumed < 2 {
		t.Error("too few")
	}
}

// TestSweep: entries are moved while a checkpoint is made, by growth and by forgetting, and none
// that is there from the beginning to the end is left out.
func TestSweep(t *testing.T) {
	t.Parallel()
	p := shogi.MustParseSFEN("4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1")
	id := dfpn.Identity(p, solver.Limits{}, dfpn.Options{})
	for i, c := range []struct {
		bytes, entries int
		moves          []int // before which sweeps
		collects       bool
	}{
		{32 << 20, 180_000, nil, false},
		{32 << 20, 180_000, []int{1}, false},
		{32 << 20, 180_000, []int{7}, false},
		{16 << 20, 200_000, []int{1}, true},
		{16 << 20, 200_000, []int{9}, true},
		{16 << 20, 200_000, []int{3, 5, 9}, true},
		{32 << 20, 180_000, []int{2, 4, 9, 10}, true},
	} {
		if testing.Short() && i%3 != 1 {
			continue
		}
		var l keeperLog
		o := l.options(t.TempDir())
		w := dfpn.NewSweeper(disk.New(o), id, c.bytes, c.entries)
		collected, sweeps := false, 0
		for ; !w.Sweep(); sweeps++ {
			if slices.Contains(c.moves, sweeps+1) {
				collected = w.MakeRoom() || collected
			}
		}
		w.End()
		missing, loaded := w.Missing(disk.New(o), id)
		if missing != 0 || loaded < c.entries*3/4 && !collected || collected != c.collects || len(l.errs) > 0 {
			t.Errorf("%+v: %d sweeps, %d missing, %d loaded, %v", c, sweeps, missing, loaded, l.errs)
		}
	}
}

// TestMateSoFar: a search for the shortest mate that is stopped after the first one has it in its
// checkpoint, as the position was asked; and whoever goes on knows it from the beginning.
func TestMateSoFar(t *testing.T) {
	t.Parallel()
	for _, k := range knownPositions(t, exact, quick) {
		if k.Position.SideToMove() == shogi.Black {
			k.Position = k.Position.Rotated() // the search turns it
		}
		var best []shogi.Move
		phase := solver.Searching
		watched := func(ctx context.Context) context.Context {
			return solver.WithProgress(ctx, 1, func(p solver.Progress) {
				if p.Mate > 0 && p.Phase == solver.Shortening {
					best, phase = p.Line, p.Phase
				}
			})
		}
		var l keeperLog
		o := l.options(t.TempDir())
		keeper := disk.New(o)
		ctx := watched(newHook(func() error {
			if phase == solver.Shortening {
				keeper.Request()
				return context.Canceled
			}
			return nil
		}))
		lim := solver.Limits{Shortest: true, Nodes: 8 * enough}
		first := solveWith(ctx, keeper, dfpn.Options{}, k.Position, lim)
		if first.Verdict != solver.Mate || first.Reason != solver.ReasonCancelled {
			continue
		}
		if len(l.saved) != 1 || !reflect.DeepEqual(l.saved[0].Line, first.Line) || !reflect.DeepEqual(best, first.Line) {
			t.Fatalf("%s: %+v, not %v", k.Source, l.saved, first.Line)
		}
		known := -1
		ctx = solver.WithProgress(context.Background(), 1, func(p solver.Progress) {
			if known < 0 {
				known = p.Mate
			}
		})
		r := solveWith(ctx, disk.New(o), dfpn.Options{}, k.Position, lim)
		if msg := k.wrong(&r); msg != "" || !r.Exact || !r.Resumed || known != len(first.Line) {
			t.Errorf("%s: %s %+v; %d plies were known, not %d", k.Source, msg, r, known, len(first.Line))
		}
		return
	}
	t.Skip("no search was stopped after the first mate")
}

// killedIn is the variable that says where the search of a process that is to be killed keeps its
// checkpoints.
const killedIn = "TSUMERO_TEST_CHECKPOINTS"

// TestToBeKilled is what TestKill runs.
func TestToBeKilled(t *testing.T) {
	dir := os.Getenv(killedIn)
	if dir == "" {
		t.Skip("for TestKill")
	}
	var l keeperLog
	o := l.options(dir)
	o.First, o.Every = time.Millisecond, time.Millisecond
	p := shogi.MustParseSFEN(os.Getenv(killedIn + "_SFEN"))
	r := solveWith(context.Background(), disk.New(o), dfpn.Options{}, p, solver.Limits{})
	if err := solver.Verify(p, r, nil); err != nil || len(l.errs) > 0 {
		t.Fatal(err, l.errs)
	}
	fmt.Printf("answer %v %v %d\n", r.Verdict, r.Resumed, r.Nodes)
}

// TestKill kills processes that search with SIGKILL, one after the other, until one has answered:
// whatever was being written, the next finds a whole checkpoint or none, and refuses nothing.
func TestKill(t *testing.T) {
	notShort(t)
	t.Parallel()
	k := firstWith(t, false, 200_000)
	dir := t.TempDir()
	for kills := 0; kills < 60; kills++ {
		cmd := exec.Command(os.Args[0], "-test.run=^TestToBeKilled$")
		cmd.Env = append(os.Environ(), killedIn+"="+dir, killedIn+"_SFEN="+k.Position.SFEN())
		var out strings.Builder
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(100+20*kills)*time.Millisecond, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		if err != nil && !strings.Contains(err.Error(), "killed") {
			t.Fatalf("%v: %s", err, &out)
		}
		if err != nil {
			continue
		}
		t.Logf("%d kills: %s", kills, &out)
		if !strings.Contains(out.String(), "answer mate true ") {
			t.Errorf("%s: %s", k.Source, &out)
		}
		return
	}
	t.Error("no answer")
}

// TestWithoutDisk: a search whose checkpoints cannot be written ends as it would without.
func TestWithoutDisk(t *testing.T) {
	t.Parallel()
	k := firstWith(t, false, 3*nodesOfPoll)
	var l keeperLog
	notADir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(notADir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := l.options(filepath.Join(notADir, "checkpoints"))
	o.First, o.Every = 1, 1
	lim := solver.Limits{Nodes: fair}
	want := solveWith(context.Background(), nil, dfpn.Options{}, k.Position, lim)
	r := solveWith(context.Background(), disk.New(o), dfpn.Options{}, k.Position, lim)
	if !reflect.DeepEqual(r.Line, want.Line) || r.Nodes != want.Nodes || r.Verdict != want.Verdict || r.Resumed {
		t.Errorf("%+v, not %+v", r, want)
	}
	if len(l.errs) == 0 {
		t.Error("nobody was told")
	}
}

// TestNoCheckpoints: a search of few nodes keeps none, and neither does a session.
func TestNoCheckpoints(t *testing.T) {
	t.Parallel()
	k := firstWith(t, false, 3*nodesOfPoll)
	var l keeperLog
	o := l.options(t.TempDir())
	o.First, o.Every = 1, 1
	keeper := disk.New(o)
	keeper.Request()
	solveWith(context.Background(), keeper, dfpn.Options{}, k.Position, solver.Limits{Nodes: 20_000})
	s := dfpn.NewSession()
	s.Ask(checkpoint.With(context.Background(), keeper), solver.Question{Position: k.Position, Attacker: shogi.Black})
	if len(l.saved) > 0 || len(l.errs) > 0 {
		t.Error(l.saved, l.errs)
	}
}

// TestRestore: entries that no search stores are refused, whatever their digest says: one whose
// numbers are those of a solved position would be taken for one.
func TestRestore(t *testing.T) {
	t.Parallel()
	p := shogi.MustParseSFEN("4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1")
	const otherBoard, mate, noMate, numbers, mask = 1, 2, 4, 8, 64
	start := func(flags byte, fields ...uint64) []byte {
		b := append([]byte{flags}, 1, 2, 3, 4, 5, 6, 7, 8)
		for _, x := range fields {
			b = binary.AppendUvarint(b, x)
		}
		return b
	}
	const gold, most = 1 << 24, 1<<31 - 2 // the attacker has one, with that on the board and two more there are four
	for _, c := range []struct {
		name  string
		block []byte
		ok    bool
	}{
		{"open", start(otherBoard|numbers, gold, 1, most, 2, 0), true},
		{"a mate", start(otherBoard|mate, gold, 3, 2, 0), true},
		{"no mate", start(otherBoard|noMate, gold, 0, 1<<32-1, 1<<16-1), true},
		{"both", start(otherBoard|mate|noMate, gold, 5, 6, 2, 0), true},
		{"pn 0", start(otherBoard|numbers, gold, 0, 5, 2, 0), false},
		{"dn 0", start(otherBoard|numbers, gold, 5, 0, 2, 0), false},
		{"pn infinite", start(otherBoard|numbers, gold, most+1, 1, 2, 0), false},
		{"dn infinite", start(otherBoard|numbers, gold, 1, most+1, 2, 0), false},
		{"all golds and one", start(otherBoard|mate, 5*gold, 3, 2, 0), false},
		{"a spare bit", start(otherBoard|mate, 1<<5|31, 3, 2, 0), false},
		{"no hand", start(otherBoard|mate, 1<<28, 3, 2, 0), false},
		{"a mate in too many", start(otherBoard|mate, gold, 60_001, 2, 0), false},
		{"none within too many", start(otherBoard|noMate, gold, 60_002, 2, 0), false},
		{"a contradiction", start(otherBoard|mate|noMate, gold, 5, 7, 2, 0), false},
		{"a mate and none", start(otherBoard|mate|noMate, gold, 5, 0, 2, 0), false},
		{"one node", start(otherBoard|mate, gold, 3, 1, 0), false},
		{"a great depth", start(otherBoard|mate, gold, 3, 2, 1<<16), false},
		{"an empty mask", start(otherBoard|mate|mask, gold, 3, 2, 0, 0), false},
		{"no end", start(otherBoard|mate, gold, 3, 2), false},
		{"nothing", []byte{otherBoard, 1}, false},
		{"two that contradict each other",
			append(start(otherBoard|mate, gold, 3, 2, 0), start(otherBoard|noMate, gold, 0, 2, 0)...), false},
		{"two that agree", append(start(otherBoard|mate, gold, 3, 2, 0), start(otherBoard|mate, gold, 3, 2, 0)...), true},
	} {
		if _, wrong, err := dfpn.Restore(&p, c.block); (err == nil) != c.ok || wrong != "" {
			t.Errorf("%s: %v %s", c.name, err, wrong)
		}
	}
}

// FuzzRestore: no block of a checkpoint panics, and what is let in is what a search may store.
func FuzzRestore(f *testing.F) {
	p := shogi.MustParseSFEN("4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1")
	f.Add(dfpn.PackEntry(&p, 1, -1))
	f.Add(dfpn.PackEntry(&p, -1, 4))
	f.Add(append(dfpn.PackEntry(&p, -1, dfpn.Forever), dfpn.PackEntry(&p, 7, -1)...))
	var l keeperLog
	o := l.options(f.TempDir())
	keeper := disk.New(o)
	wide := shogi.MustParseSFEN("7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1")
	solveWith(stopAfter(3, keeper), keeper, dfpn.Options{}, wide, solver.Limits{})
	run := disk.New(o).Start(dfpn.Identity(wide, solver.Limits{}, dfpn.Options{}))
	if !run.Load(func(r checkpoint.Reader) error {
		b, err := r.Next()
		if err == io.EOF {
			return err
		}
		f.Add(b[:min(len(b), 400)])
		return nil
	}) {
		f.Fatal(l.errs)
	}
	f.Fuzz(func(t *testing.T, block []byte) {
		if _, wrong, err := dfpn.Restore(&p, block); err == nil && wrong != "" {
			t.Error(wrong)
		}
	})
}
