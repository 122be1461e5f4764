// Package solvertest is the conformance kit: what any solver.Solver must pass.
package solvertest

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A Claim is what a solver promises beyond never being wrong.
type Claim struct {
	// Plies: every mate of so many plies or fewer is found, at its shortest, and called Exact.
	Plies int
}

// A Known position has a proved answer.
type Known struct {
	Position shogi.Position
	Length   int // of the shortest mate in plies, every legal move counted; -1: there is none, at any length
	Source   string
}

//go:embed testdata/known.tsv
var knownTSV string

// Positions returns the positions that come with the package: some 600 of one ply to thirteen and without a mate, among
// them pawn drops that would mate, mates that need a non-promotion, double and discovered checks, pinned defenders, long
// interpositions and an attacker in check.
func Positions(t testing.TB) []Known {
	t.Helper()
	known, refused, err := read(strings.NewReader(knownTSV), "known.tsv")
	if err != nil || len(refused) > 0 {
		t.Fatalf("known.tsv: %v, refused %v", err, refused)
	}
	return known
}

// Corpus returns the positions with a proved answer in a file of the shared corpus, and the SFENs among them that are no
// legal positions. ok is false if there is no corpus beside this repository.
func Corpus(t testing.TB, file string) (known []Known, refused []string, ok bool) {
	t.Helper()
	f, err := os.Open(filepath.Join(root(t), "..", "shared", "corpus", file))
	if os.IsNotExist(err) {
		return nil, nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	known, refused, err = read(f, file)
	if err != nil {
		t.Fatal(err)
	}
	return known, refused, true
}

// root returns the folder of go.mod.
func root(t testing.TB) string {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	t.Fatal("no go.mod above the working directory")
	return ""
}

func read(r io.Reader, source string) (known []Known, refused []string, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Split(lines.Text(), "\t")
		if strings.HasPrefix(fields[0], "#") || len(fields) < 2 {
			continue
		}
		length, err := strconv.Atoi(fields[1])
		if err != nil {
			continue // a bound, or not proved
		}
		p, err := shogi.ParseSFEN(fields[0])
		if err != nil {
			refused = append(refused, fields[0])
			continue
		}
		known = append(known, Known{p, length, fmt.Sprintf("%s:%d", source, n)})
	}
	return known, refused, lines.Err()
}

// Run runs the kit.
func Run(t *testing.T, s solver.Solver, claim Claim) {
	positions := Positions(t)
	t.Run("answers", func(t *testing.T) {
		for i := range positions {
			Check(t, s, &positions[i], claim)
		}
	})
	t.Run("corpus", func(t *testing.T) {
		for _, file := range []string{"handmade.tsv", "adversarial.tsv", "game-mates.tsv", "game-nomate.tsv", "collected.tsv"} {
			known, _, ok := Corpus(t, file)
			if !ok {
				t.Logf("%s: there is no shared corpus here", file)
				continue
			}
			if testing.Short() {
				known = known[:len(known)/20]
			}
			within, beyond := 0, 0
			for i := range known {
				Check(t, s, &known[i], claim)
				if n := known[i].Length; n > 0 && n <= claim.Plies {
					within++
				} else {
					beyond++
				}
			}
			t.Logf("%s: %d positions with a mate within %d plies, %d others", file, within, claim.Plies, beyond)
		}
	})
	t.Run("same question, same answer", func(t *testing.T) { sameAnswers(t, s, positions) })
	t.Run("plies", func(t *testing.T) { pliesLimit(t, s, positions, claim) })
	t.Run("nodes", func(t *testing.T) { nodesLimit(t, s, positions) })
	t.Run("context", func(t *testing.T) { contexts(t, s, positions) })
	t.Run("sides", func(t *testing.T) { sides(t, s, claim) })
}

// Check asks s about one position without limits and checks the answer.
func Check(t *testing.T, s solver.Solver, k *Known, claim Claim) {
	t.Helper()
	r := s.Solve(t.Context(), k.Position, solver.Limits{})
	check(t, k, &r)
	if k.Length > 0 && k.Length <= claim.Plies && (r.Verdict != solver.Mate || r.Plies() != k.Length || !r.Exact) {
		t.Errorf("%s: %s: there is a mate in %d, got %+v", k.Source, k.Position.SFEN(), k.Length, r)
	}
}

// check checks what holds for any answer.
func check(t *testing.T, k *Known, r *solver.Result) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s: %s; got %+v", k.Source, k.Position.SFEN(), fmt.Sprintf(format, args...), *r)
	}
	if err := solver.Verify(k.Position, *r, nil); err != nil {
		fail("%v", err)
	}
	if (r.Reason != solver.NoReason) != (r.Verdict == solver.Unknown) {
		fail("an unknown verdict has a reason, and no other has")
	}
	if r.Solver == "" {
		fail("no solver is named")
	}
	switch r.Verdict {
	case solver.Mate:
		if k.Length < 0 {
			fail("there is no mate")
		}
		if k.Length > 0 && r.Plies() < k.Length {
			fail("the shortest mate has %d plies", k.Length)
		}
		if k.Length > 0 && r.Exact && r.Plies() != k.Length {
			fail("the shortest mate has %d plies, so the length is not exact", k.Length)
		}
	case solver.NoMate:
		if k.Length >= 0 {
			fail("there is a mate in %d", k.Length)
		}
	}
	if k.Length > 0 && r.NoMateWithin >= k.Length {
		fail("there is a mate in %d", k.Length)
	}
}

// sameAnswers asks everything twice, the second time from several goroutines.
func sameAnswers(t *testing.T, s solver.Solver, positions []Known) {
	first := make([]solver.Result, len(positions))
	for i := range positions {
		first[i] = s.Solve(t.Context(), positions[i].Position, solver.Limits{})
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range positions {
				i := (i + worker*len(positions)/4) % len(positions)
				if again := s.Solve(t.Context(), positions[i].Position, solver.Limits{}); !reflect.DeepEqual(again, first[i]) {
					t.Errorf("%s: got %+v, and then %+v", positions[i].Position.SFEN(), first[i], again)
				}
			}
		})
	}
	wg.Wait()
}

// pliesLimit limits the length.
func pliesLimit(t *testing.T, s solver.Solver, positions []Known, claim Claim) {
	for i := range positions {
		k := &positions[i]
		for plies := 1; plies <= 5; plies++ {
			r := s.Solve(t.Context(), k.Position, solver.Limits{Plies: plies})
			check(t, k, &r)
			switch {
			case r.Verdict == solver.Mate && r.Plies() > plies:
				t.Errorf("%s: a mate in %d within %d plies", k.Position.SFEN(), r.Plies(), plies)
			case r.NoMateWithin > plies && r.Verdict == solver.Unknown && r.Reason == solver.ReasonPlies:
				t.Errorf("%s: no mate within %d plies, when %d were asked for", k.Position.SFEN(), r.NoMateWithin, plies)
			case k.Length > 0 && k.Length <= min(plies, claim.Plies) && r.Verdict != solver.Mate:
				t.Errorf("%s: the mate in %d is not found within %d plies: %+v", k.Position.SFEN(), k.Length, plies, r)
			case k.Length > plies && plies <= claim.Plies && (r.Reason != solver.ReasonPlies || r.NoMateWithin < plies):
				t.Errorf("%s: with a mate in %d and a limit of %d plies: %+v", k.Position.SFEN(), k.Length, plies, r)
			}
		}
	}
}

// nodesLimit limits the work: the answer is right all the same, or says that the nodes ran out.
func nodesLimit(t *testing.T, s solver.Solver, positions []Known) {
	ranOut := 0
	for i := range positions {
		k := &positions[i]
		free := s.Solve(t.Context(), k.Position, solver.Limits{})
		for _, nodes := range []uint64{1, 2, 5, 20} {
			r := s.Solve(t.Context(), k.Position, solver.Limits{Nodes: nodes})
			check(t, k, &r)
			if r.Verdict == solver.Unknown && r.Reason == solver.ReasonNodes {
				ranOut++
			} else if r.Verdict != free.Verdict {
				t.Errorf("%s: within %d nodes %+v, without limit %+v", k.Position.SFEN(), nodes, r, free)
			}
		}
	}
	t.Logf("the nodes ran out %d times", ranOut)
}

// contexts ends the search from outside.
func contexts(t *testing.T, s solver.Solver, positions []Known) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	expired, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for i := range positions {
		for _, c := range []struct {
			ctx    context.Context
			reason solver.Reason
		}{{cancelled, solver.ReasonCancelled}, {expired, solver.ReasonTime}} {
			r := s.Solve(c.ctx, positions[i].Position, solver.Limits{})
			check(t, &positions[i], &r)
			if r.Verdict == solver.Unknown && r.Reason != c.reason && r.Reason != solver.ReasonDepth {
				t.Errorf("%s: the reason is %s, want %s or an answer", positions[i].Position.SFEN(), r.Reason, c.reason)
			}
		}
	}
}

// sides asks about positions with one king, with the defender to move, and for White as attacker.
func sides(t *testing.T, s solver.Solver, claim Claim) {
	for _, c := range []struct {
		name, sfen string
		length     int
	}{
		{"one king", "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1", 1},
		{"two kings", "4k4/9/4G4/9/9/9/9/9/4K4 b G2r2b2g4s4n4l18p 1", 1},
		{"White attacks", "9/9/9/9/9/9/4g4/9/4K4 w g2R2B2G4S4N4L18P 1", 1},
		{"no check at all", "4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 1", -1},
		{"the attacker is in check and cannot check back", "4k4/9/9/9/9/9/9/4r4/4K4 b Pr2b4g4s4n4l17p 1", -1},
		{"a pawn drop would mate", "7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1", 0},
		{"mated already", "4k4/4G4/4G4/9/9/9/9/9/9 w 2r2b2g4s4n4l18p 2", 0},
		{"the defender in check, alone", "4k4/4P4/4G4/9/9/9/9/9/9 w G2r2b2g4s4n4l17p 2", 0},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		k := Known{p, c.length, c.name}
		r := s.Solve(t.Context(), p, solver.Limits{})
		check(t, &k, &r)
		if c.length > 0 && c.length <= claim.Plies && r.Plies() != c.length {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	p := shogi.MustParseSFEN("4k4/4G4/4G4/9/9/9/9/9/9 w 2r2b2g4s4n4l18p 2")
	if r := s.Solve(t.Context(), p, solver.Limits{}); r.Verdict != solver.Mate || len(r.Line) != 0 {
		t.Errorf("mated already: %+v", r)
	}
}
