// Package shogitest is what the tests of several packages need: the seed of their random numbers, and
// positions as drawings. Nothing but tests imports it.
package shogitest

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

// A fixed seed makes a run repeatable: what fails does so again, and what passes was not luck. Other
// positions come with another seed: go test ./shogi/... -seed 7
var seed = flag.Uint64("seed", 1, "`N` that decides the random numbers of the tests")

// Seed returns the seed that random tests start from, 1 unless the flag -seed says otherwise, and
// logs it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	t.Logf("seed %d", *seed)
	return *seed
}

// NewRand returns random numbers that the seed decides, the same in each call.
func NewRand(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 0))
}

// Corpus returns the files of a large corpus of positions that match a pattern. They are in the
// folder that the environment variable TSUMERO_CORPUS names; without it there are none, so that what
// a test looks at does not depend on the machine.
func Corpus(t testing.TB, pattern string) []string {
	t.Helper()
	folder := os.Getenv("TSUMERO_CORPUS")
	if folder == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("TSUMERO_CORPUS is %q, which has no %s: %v", folder, pattern, err)
	}
	return files
}

// Draw returns the position of a drawing, with the side to move and the hands as in an SFEN. The
// first line of the drawing names files, each further line begins with its rank; pieces are written
// as in an SFEN, empty squares as ".", and the rest of the board is empty.
func Draw(t testing.TB, drawing, sideAndHands string) shogi.Position {
	t.Helper()
	var board [9][9]string // by rank and file, as an SFEN has them
	lines := strings.Split(strings.TrimSpace(drawing), "\n")
	files := strings.Fields(lines[0])
	for _, line := range lines[1:] {
		squares := strings.Fields(line)
		if len(squares) != len(files)+1 {
			t.Fatalf("a rank of %d squares under %d files: %q", len(squares)-1, len(files), line)
		}
		for i, pc := range squares[1:] {
			if pc != "." {
				board[squares[0][0]-'a']['9'-files[i][0]] = pc
			}
		}
	}
	var sfen strings.Builder
	for r, rank := range board {
		if r > 0 {
			sfen.WriteByte('/')
		}
		for _, pc := range rank {
			if pc == "" {
				pc = "1"
			}
			sfen.WriteString(pc)
		}
	}
	p, err := shogi.ParseSFEN(sfen.String() + " " + sideAndHands)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// BothWays calls f with p and moves as they are and turned by half a turn, so that each rule is
// tested for both sides.
func BothWays(t *testing.T, p shogi.Position, f func(t *testing.T, p shogi.Position, turn func(shogi.Move) shogi.Move)) {
	t.Helper()
	t.Run("as drawn", func(t *testing.T) { f(t, p, func(m shogi.Move) shogi.Move { return m }) })
	t.Run("turned", func(t *testing.T) { f(t, p.Rotated(), shogi.Move.Rotated) })
}
