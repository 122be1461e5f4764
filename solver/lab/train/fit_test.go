package train

import (
	"bytes"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/play/eval"
)

func TestExp(t *testing.T) {
	for x := -40.0; x <= 40; x += 0.0137 {
		if got, want := exp(x), math.Exp(x); math.Abs(got/want-1) > 1e-14 {
			t.Fatalf("exp(%v) is %v, want %v", x, got, want)
		}
	}
	if sigmoid(-1e9) != 0 && sigmoid(-1e9) > 1e-300 || sigmoid(1e9) != 1 || sigmoid(0) != 0.5 {
		t.Error("sigmoid is wrong at its ends or in the middle")
	}
}

func TestDivergence(t *testing.T) {
	if d := divergence(0.3, 0.3); d != 0 {
		t.Errorf("%v from itself", d)
	}
	if d := divergence(1, 0.5); math.Abs(d-math.Ln2) > 1e-12 {
		t.Errorf("%v, want one bit", d)
	}
	if d := divergence(0, 0); d != 0 {
		t.Errorf("%v at 0", d)
	}
}

// What is trained on is what is played with: the base value and the features of a packed position
// are those of the position.
func TestSamples(t *testing.T) {
	state := eval.NewState(nil)
	for _, p := range randomPositions(t, 3000) {
		k := Pack(&p)
		var s pieces
		if err := k.unpack(&s); err != nil {
			t.Fatal(err)
		}
		state.Reset(&p)
		if got, want := s.base(), state.Value(&p); got != want {
			t.Fatalf("%s: base value %d, want %d", p.SFEN(), got, want)
		}
		for _, view := range []shogi.Color{shogi.Black, shogi.White} {
			got, want := s.appendFeatures(nil, view), eval.AppendFeatures(nil, &p, view)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: other features", p.SFEN())
			}
		}
	}
}

// The gradients are compared with differences of the loss, in double the step of each weight.
func TestGradients(t *testing.T) {
	records := testRecords(t, 1)
	o := Options{Units: 8, NoMirror: true}.withDefaults()
	tr := newTrainer(o, records)
	r := shogitest.NewRand(t)
	for _, weights := range [][]float32{tr.weights.out, tr.weights.skip, tr.weights.bias, tr.weights.last} {
		for i := range weights {
			weights[i] += r.Float32() - 0.5
		}
	}
	s := &tr.shards[0]
	tr.learn(s, 0)
	g := s.gradients
	loss := func() float64 {
		other := &tr.shards[1]
		other.loss = 0
		tr.learn(other, 0)
		return other.loss
	}
	checked := 0
	check := func(name string, weights, gradients []float32, i int) {
		const step = 1.0 / 256
		old := weights[i]
		weights[i] = old + step
		up := loss()
		weights[i] = old - step
		down := loss()
		weights[i] = old
		want := (up - down) / (2 * step)
		if math.Abs(want-float64(gradients[i])) > 0.002+0.02*math.Abs(want) {
			t.Errorf("%s %d: gradient %v, by differences %v", name, i, gradients[i], want)
		}
		if want != 0 {
			checked++
		}
	}
	for i := range tr.weights.out {
		check("out", tr.weights.out, g.out, i)
	}
	for i := range tr.weights.bias {
		check("bias", tr.weights.bias, g.bias, i)
	}
	check("last", tr.weights.last, g.last, 0)
	for i := range tr.weights.skip {
		check("skip", tr.weights.skip, g.skip, i)
	}
	for _, f := range slices.Concat(s.features[0][:20], s.features[1][:20]) {
		for i := range 8 {
			check("row", tr.weights.rows, g.rows, int(f)*8+i)
		}
	}
	if checked < 100 {
		t.Errorf("only %d gradients are not 0", checked)
	}
}

// teach gives records the scores of a value that a sum over the features cannot tell: 400 more for
// the side that has a piece, or several, on its last three ranks.
func teach(records []Record) {
	var s pieces
	for i := range records {
		r := &records[i]
		if err := r.Position.unpack(&s); err != nil {
			panic(err)
		}
		var entered [2]int
		for j, pc := range s.piece[:s.onBoard] {
			switch rank := s.square[j].Rank(); {
			case pc.Color() == shogi.Black && rank <= shogi.RankC:
				entered[shogi.Black] = 400
			case pc.Color() == shogi.White && rank >= shogi.RankG:
				entered[shogi.White] = 400
			}
		}
		r.Score = int16(s.base() + entered[s.side] - entered[s.side.Opponent()])
	}
}

func fit(t testing.TB, records, validation []Record, o Options) (last Progress) {
	t.Helper()
	if err := Fit(t.Context(), records, validation, o, func(p Progress) { last = p }); err != nil {
		t.Fatal(err)
	}
	if last.Net == nil {
		t.Fatal("the last report has no net")
	}
	return last
}

func TestFitLearns(t *testing.T) {
	var records []Record // positions of one game are too much alike
	for i, r := range testRecords(t, 200_000) {
		if i%10 == 0 {
			records = append(records, r)
		}
	}
	teach(records)
	records, validation := records[:18_000], records[18_000:]
	o := Options{Units: 8, Epochs: 8, Batch: 256, Rate: 0.003, Lambda: 1, Seed: 1}
	before := Measure(nil, validation, 1)
	last := fit(t, records, validation, o)
	linear := o
	linear.Units = 0
	flat := fit(t, records, validation, linear)
	t.Logf("divergence %.5f without a net, %.5f without units, %.5f with them",
		before.Divergence, flat.Validation.Divergence, last.Validation.Divergence)
	if flat.Validation.Divergence > 0.95*before.Divergence {
		t.Error("without units nothing is learned")
	}
	if last.Validation.Divergence > 0.8*flat.Validation.Divergence {
		t.Error("the units have not learned what a sum cannot tell")
	}
	if last.Validation.Positions != len(validation) {
		t.Errorf("%d positions, want %d", last.Validation.Positions, len(validation))
	}
	// The integers of the net, on other positions, are about as good as its floats on theirs.
	if last.Validation.Divergence > 2*last.Loss+0.002 {
		t.Errorf("divergence %v in training, %v of the net", last.Loss, last.Validation.Divergence)
	}
}

// The net does not depend on the number of workers, and the untrained one corrects nothing.
func TestFitDeterministic(t *testing.T) {
	records := testRecords(t, 3000)
	teach(records)
	var files [][]byte
	for _, workers := range []int{1, 1, 3} {
		last := fit(t, records, nil, Options{Units: 8, Epochs: 2, Batch: 500, Seed: 5, Workers: workers})
		file, _ := last.Net.AppendBinary(nil)
		files = append(files, file)
	}
	if !bytes.Equal(files[0], files[1]) || !bytes.Equal(files[0], files[2]) {
		t.Error("the same training gives different nets")
	}

	net, err := newTrainer(Options{Units: 8}.withDefaults(), records).net()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Measure(net, records, 1), Measure(nil, records, 1); got != want {
		t.Errorf("an untrained net: %+v, want %+v", got, want)
	}
}

// A training that is ended reports the net it has.
func TestFitInterrupted(t *testing.T) {
	records := testRecords(t, 2000)
	ctx, cancel := context.WithCancel(t.Context())
	var last Progress
	err := Fit(ctx, records, nil, Options{Units: 8, Batch: 100}, func(p Progress) {
		if last = p; p.Positions >= 500 {
			cancel()
		}
	})
	if err != context.Canceled || last.Net == nil || last.Epoch != 1 || last.Positions != 500 {
		t.Errorf("%v, last report %+v", err, last)
	}
}

func TestIsValidation(t *testing.T) {
	n := 0
	for game := range uint32(10_000) {
		if IsValidation(game, 20) {
			n++
		}
	}
	if n < 400 || n > 600 {
		t.Errorf("%d of 10000 games, want about 500", n)
	}
	if IsValidation(1, 0) {
		t.Error("a game is kept though none should be")
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{Units: 7}, {Units: -8}, {Units: 1024}, {Epochs: -1}, {Batch: -1}, {Rate: -1},
		{Rate: math.NaN()}, {Lambda: 2}, {Decay: -1}, {Workers: -1}} {
		if o.Check() == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	if err := (Options{}).Check(); err != nil {
		t.Error(err)
	}
}

// BenchmarkFit reports the positions a second that one goroutine trains on.
func BenchmarkFit(b *testing.B) {
	records := testRecords(b, 50_000)
	for _, test := range []struct {
		name  string
		units int
	}{{"N=0", 0}, {"N=16", 16}, {"N=32", 32}, {"N=64", 64}} {
		b.Run(test.name, func(b *testing.B) {
			positions := 0
			for b.Loop() {
				last := fit(b, records, nil, Options{Units: test.units, Epochs: 1})
				positions += last.Positions
			}
			b.ReportMetric(float64(positions)/b.Elapsed().Seconds(), "positions/s")
		})
	}
}
