package compose

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

// TestEvolve: problems that are given become others, the same whatever the threads, and sound.
func TestEvolve(t *testing.T) {
	o := EvolveOptions{Options: newOptions(3, 5, 10), steps: 20}
	for _, sfen := range []string{"6+S1k/3+R1S3/8G/9/9/9/9/9/9 b r2b3g2s4n4l18p 1",
		"6s1k/7g1/8S/9/9/9/9/9/9 b G2r2b2g2s4n4l18p 1", "9/5G3/4k1S2/6L2/3+R5/3N5/9/9/9 b r2b3g3s3n3l18p 1"} {
		o.Start = append(o.Start, shogi.MustParseSFEN(sfen))
	}
	var first []Problem
	for o.Threads = 1; o.Threads <= 2; o.Threads++ {
		for p := range Evolve(context.Background(), o, nil) {
			first = append(first, p)
			break
		}
	}
	p := first[0]
	if first[1].Key != p.Key {
		t.Errorf("with two threads %s comes first, and not %s", first[1].Position.SFEN(), p.Position.SFEN())
	}
	if again, outcome := o.examiner(o.Conditions).finish(t.Context(), p.Position); outcome != Sound || again.Key != p.Key {
		t.Errorf("%s is not sound", p.Position.SFEN())
	}
}

// TestEvolveShort: what is given may be much shorter than what is wanted.
func TestEvolveShort(t *testing.T) {
	o := EvolveOptions{Options: newOptions(15, 17, 10), steps: 20,
		Start: []shogi.Position{shogi.MustParseSFEN("5+B1kp/9/8G/6G2/9/9/9/9/9 b 2rb2g4s4n4l17p 1")}}
	o.To = 1
	var tally Tally
	for p := range Evolve(t.Context(), o, &tally) {
		t.Errorf("%s from so few changes", p.Position.SFEN())
	}
	if sound := tally.Lengths[5].Outcomes[Sound]; tally.Units != 1 || sound == 0 {
		t.Errorf("%d units, %d sound ones of five plies", tally.Units, sound)
	}
}

// TestChange: of the positions that changes make most can be, the king never goes, and all pieces are
// still those of one set.
func TestChange(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	start := shogi.MustParseSFEN("6+S1k/3+R1S3/8G/9/9/9/9/9/9 b Pr2b3g2s4n4l17p 1")
	seen := map[shogi.Position]bool{}
	for range 1000 {
		l := layout{setup: start.Setup()}
		if !l.change(rng) && l.setup != start.Setup() {
			t.Fatalf("%v is half a change", l.setup)
		}
		p, err := l.setup.Position()
		if err != nil {
			continue
		}
		if p.Missing() != 0 || p.King(shogi.White) == shogi.NoSquare {
			t.Fatalf("%s", p.SFEN())
		}
		seen[p] = true
	}
	if len(seen) < 100 {
		t.Errorf("there are %d positions", len(seen))
	}
}

// TestPopulation: a cell keeps the best of its kind.
func TestPopulation(t *testing.T) {
	y := population{at: map[cell]int{}}
	made := func(score float64, line string) *problem {
		return &problem{position: shogi.MustParseSFEN("8k/6RP1/9/9/9/9/9/9/9 b Gr2b3g4s4n4l17p 1"), line: parseMoves(t, line), score: score}
	}
	for _, step := range []struct {
		score float64
		line  string
		cells int
		best  float64 // of the first cell
	}{
		{1, "2b2a+ 1a2a G*2b", 1, 1},
		{0, "2b2a+ 1a2a G*2b", 1, 1},
		{2, "2b2a+ 1a2a G*2b", 1, 2},
		{9, "G*1b 1a1b 3b3a", 2, 2}, // another first square
	} {
		y.add(made(step.score, step.line))
		if len(y.list) != step.cells || y.list[0].score != step.best {
			t.Errorf("%+v: %d cells, the best of the first has %v", step, len(y.list), y.list[0].score)
		}
	}
}

// TestParsePart: every part has a name of its own.
func TestParsePart(t *testing.T) {
	for p := range NumParts {
		if again, ok := ParsePart(partNames[p]); !ok || again != p {
			t.Errorf("%v is read as %v", p, again)
		}
	}
	if _, ok := ParsePart("beauty"); ok {
		t.Error("beauty is a part")
	}
}
