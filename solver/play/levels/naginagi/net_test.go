package naginagi

import (
	"bytes"
	"crypto/sha256"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/play/eval"
)

func randomWeights(r *rand.Rand) *Weights {
	w := new(Weights)
	draw := func(bound int) int { return r.IntN(2*bound+1) - bound }
	for i := range w.Rows1 {
		w.Rows1[i] = int8(draw(127))
	}
	for i := range w.Bias1 {
		w.Bias1[i] = int16(draw(MaxBias1))
	}
	for _, weights := range [][]int16{w.Rows2[:], w.Rows3[:], w.Out[:]} {
		for i := range weights {
			weights[i] = int16(draw(MaxWeight))
		}
	}
	for _, weights := range [][]int32{w.Bias2[:], w.Bias3[:]} {
		for i := range weights {
			weights[i] = int32(draw(MaxBias))
		}
	}
	w.Last = int32(draw(MaxBias))
	return w
}

// plainValue is the output by the definition of the layers, every input counted, zero or not.
func plainValue(w *Weights, p *shogi.Position) int {
	input := make([]int, eval.NumFeatures)
	for _, f := range eval.AppendFeatures(nil, p, p.SideToMove()) {
		input[f] = 1
	}
	layer := func(in, rows, bias []int, inScale int) []int {
		out := slices.Clone(bias)
		for i, x := range in {
			for j := range out {
				out[j] += x * inScale * rows[i*len(out)+j]
			}
		}
		return out
	}
	clipped := func(sums []int, scale int) []int {
		for i := range sums {
			sums[i] = min(max(sums[i]/scale, 0), 255)
		}
		return sums
	}
	units := clipped(layer(input, wide(w.Rows1[:]), wide(w.Bias1[:]), 2), 1)
	units = clipped(layer(units, wide(w.Rows2[:]), wide(w.Bias2[:]), 1), 512)
	units = clipped(layer(units, wide(w.Rows3[:]), wide(w.Bias3[:]), 1), 512)
	return layer(units, wide(w.Out[:]), []int{int(w.Last)}, 1)[0]
}

func wide[I int8 | int16 | int32](weights []I) []int {
	ints := make([]int, len(weights))
	for i, x := range weights {
		ints[i] = int(x)
	}
	return ints
}

func TestPlainValue(t *testing.T) {
	rng := shogitest.NewRand(t)
	extreme := new(Weights)
	for i := range extreme.Rows1 {
		extreme.Rows1[i] = 127
	}
	for i := range extreme.Rows2 {
		extreme.Rows2[i] = MaxWeight * int16(1-i%2*2)
	}
	for i := range extreme.Bias2 {
		extreme.Bias2[i] = MaxBias * int32(1-i%2*2)
	}
	for i := range extreme.Rows3 {
		extreme.Rows3[i] = MaxWeight
	}
	for i := range extreme.Out {
		extreme.Out[i] = -MaxWeight
	}
	for i, w := range []*Weights{BuiltIn().weights, randomWeights(rng), extreme} {
		n, err := NewNet(w)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			p := randomPosition(rng, rng.IntN(150))
			if got, want := n.Value(&p), plainValue(w, &p); got != want {
				t.Errorf("net %d, %s: %d, by the definition %d", i, p.SFEN(), got, want)
			}
		}
	}
}

func TestNetFile(t *testing.T) {
	for _, w := range []*Weights{BuiltIn().weights, randomWeights(shogitest.NewRand(t))} {
		n, err := NewNet(w)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := n.AppendBinary(nil)
		back, err := ParseNet(text)
		if err != nil {
			t.Fatal(err)
		}
		if *back.weights != *w || back.Hash() != n.Hash() {
			t.Error("the net read is not the net written")
		}
	}
	if len(file) > 2<<20 {
		t.Errorf("the built-in net has %d bytes", len(file))
	}
}

func TestNetFileFaults(t *testing.T) {
	change := func(at int, b ...byte) []byte {
		f := slices.Clone(file)
		copy(f[at:], b)
		return f
	}
	rehash := func(f []byte) []byte {
		hash := sha256.Sum256(f[headerSize:])
		copy(f[32:], hash[:])
		return f
	}
	for _, test := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "begins with"},
		{"short", file[:len(file)-1], "a file of one has"},
		{"long", append(slices.Clone(file), 0), "a file of one has"},
		{"other file", bytes.Repeat([]byte("x"), len(file)), "begins with"},
		{"features", change(24, file[24]^1), "the set of features"},
		{"flipped bit", change(5000, file[5000]^8), "its SHA-256 is"},
		{"bias", rehash(change(headerSize+eval.NumFeatures*Units1, 0xff, 0x7f)), "weight 0 of bias 1 is 32767"},
		{"last", rehash(change(len(file)-4, 0xff, 0xff, 0xff, 0x7f)), "weight 0 of output bias is 2147483647"},
	} {
		if _, err := ParseNet(test.file); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
