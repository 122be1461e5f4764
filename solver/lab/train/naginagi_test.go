package train

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/play/eval"
	"github.com/tsumero/tsumero/solver/play/levels/naginagi"
)

// denseForward is the output of the net from its definition, in doubles, each input counted.
func denseForward(n *naginagiNet, p *shogi.Position) float64 {
	in := make([]float64, eval.NumFeatures)
	for _, f := range eval.AppendFeatures(nil, p, p.SideToMove()) {
		in[f] = 1
	}
	layer := func(in []float64, bias, rows []float32, bounded bool) []float64 {
		out := make([]float64, len(bias))
		for j := range out {
			out[j] = float64(bias[j])
		}
		for i, x := range in {
			for j := range out {
				out[j] += x * float64(rows[i*len(out)+j])
			}
		}
		for j := range out {
			if bounded {
				out[j] = min(max(out[j], 0), 1)
			}
		}
		return out
	}
	units := layer(in, n.bias1, n.rows1, true)
	units = layer(units, n.bias2, n.rows2, true)
	units = layer(units, n.bias3, n.rows3, true)
	return layer(units, n.last, n.out, false)[0]
}

func randomNaginagiNet(t *testing.T) *naginagiNet {
	r := shogitest.NewRand(t)
	n := newNaginagiNet()
	for i, layer := range n.layers() {
		scale := []float32{0.2, 1, 0.1, 0.5, 0.5, 0.5, 1, 1}[i]
		for j := range layer.weights {
			layer.weights[j] = scale * (r.Float32() - 0.5)
		}
	}
	return n
}

func TestNaginagiForward(t *testing.T) {
	n := randomNaginagiNet(t)
	net, err := n.quantized()
	if err != nil {
		t.Fatal(err)
	}
	var pass naginagiPass
	values := map[float32]bool{}
	for _, p := range randomPositions(t, 40) {
		got, want := pass.forward(n, &p), denseForward(n, &p)
		if math.Abs(float64(got)-want) > 1e-5 {
			t.Errorf("%s: %v, with all inputs %v", p.SFEN(), got, want)
		}
		// The integers are near the floats: steps of 1/128, 54 of them in 512 units.
		if value := float64(net.Value(&p)) / naginagi.SumOne; math.Abs(value-want) > 0.1 {
			t.Errorf("%s: the integers say %v, the floats %v", p.SFEN(), value, want)
		}
		values[got] = true
	}
	if len(values) < 30 {
		t.Errorf("only %d different values", len(values))
	}
}

func TestNaginagiGradients(t *testing.T) {
	n, g := randomNaginagiNet(t), newNaginagiNet()
	p := randomPositions(t, 60)[59]
	var pass naginagiPass
	pass.backward(n, g, func() float32 { pass.forward(n, &p); return 1 }())
	gradients := g.layers()
	for i, layer := range n.layers() {
		checked := 0
		for j := range layer.weights {
			got := float64(gradients[i].weights[j])
			if got == 0 || checked == 10 {
				continue
			}
			const step = 1.0 / 1024
			old := layer.weights[j]
			layer.weights[j] = old + step
			up := denseForward(n, &p)
			layer.weights[j] = old - step
			down := denseForward(n, &p)
			layer.weights[j] = old
			if want := (up - down) / (2 * step); math.Abs(got-want) > 0.002+0.05*math.Abs(want) {
				t.Errorf("layer %d, weight %d: gradient %v, by differences %v", i, j, got, want)
			}
			checked++
		}
		if checked == 0 {
			t.Errorf("layer %d has no gradient", i)
		}
	}
}

func TestAreaUnderCurve(t *testing.T) {
	for _, test := range []struct {
		low, high []int
		want      float64
	}{
		{[]int{1, 2}, []int{3, 4}, 1},
		{[]int{3, 4}, []int{1, 2}, 0},
		{[]int{1}, []int{1}, 0.5},
		{[]int{1, 5}, []int{2, 5}, (1 + 1 + 0 + 0.5) / 4},
	} {
		if got := areaUnderCurve(test.low, test.high); got != test.want {
			t.Errorf("%v below %v: %v, want %v", test.low, test.high, got, test.want)
		}
	}
}

// The positions of the classes are what their names say.
func TestRandomGames(t *testing.T) {
	var report NaginagiReport
	positions, err := randomGames(t.Context(), NaginagiOptions{Seed: 1, Pairs: 100}, &report, func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	var buf shogi.MoveBuffer
	for i := range 100 {
		before, after := positions[canMate][i], positions[mated][i]
		if !after.IsCheckmate() {
			t.Errorf("%s is no mate", after.SFEN())
		}
		leads := slices.ContainsFunc(before.LegalMoves(&buf, shogi.AllMoves), func(m shogi.Move) bool {
			next := before
			next.Do(m)
			return next == after
		})
		if !leads {
			t.Errorf("%s is not before %s", before.SFEN(), after.SFEN())
		}
		if p := positions[inCheck][i]; !p.InCheck() || p.IsCheckmate() {
			t.Errorf("%s is not in check, or mated", p.SFEN())
		}
		if p := positions[anyPosition][i]; p.IsCheckmate() {
			t.Errorf("%s is mated", p.SFEN())
		}
	}
	if part := float64(report.Mates) / float64(report.Games); part < 0.12 || part > 0.3 {
		t.Errorf("%d of %d games end by mate, want about a fifth", report.Mates, report.Games)
	}
}

var whole = flag.Bool("train.whole", false, "train the network that is built in, which takes 20 seconds")

// What is trained on few positions, and what is built in, are what they were to the last byte: a
// change of the training wants another network, and that wants the training.
func TestNaginagiTrained(t *testing.T) {
	net, _, err := Naginagi(t.Context(), NaginagiOptions{Seed: 1, Pairs: 400}, nil)
	if err != nil {
		t.Fatal(err)
	}
	trained, _ := net.AppendBinary(nil)
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"a small training", trained,
			"4cd4666c28fd6e0fe65282c8e8872a1ba1eaf67b2cafe8ab503fd1f31b154c07"},
		{"the network that is built in", builtIn(t),
			"d82ca930568dde812e1a6e7f9f28810d6620a6e86b560bf7817b0d8776a70871"},
	} {
		if got := fmt.Sprintf("%x", sha256.Sum256(c.data)); got != c.want {
			t.Errorf("%s: %s; see TestNaginagiReproduced", c.name, got)
		}
	}
}

func builtIn(t *testing.T) []byte {
	data, err := os.ReadFile("../../play/levels/naginagi/naginagi.bin")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The network that is built in is what the command makes, to the last byte.
func TestNaginagiReproduced(t *testing.T) {
	if !*whole {
		t.Skip("takes 20 seconds: asked for by -train.whole")
	}
	net, report, err := Naginagi(t.Context(), NaginagiOptions{Seed: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", report)
	got, _ := net.AppendBinary(nil)
	if !bytes.Equal(got, builtIn(t)) {
		t.Error("the network is another than the built-in one: tsumero-lab train naginagi --output solver/play/levels/naginagi/naginagi.bin")
	}
	// What the level is known for. By chance the first would be a half.
	if report.PairAccuracy < 0.75 || report.AUC < 0.6 {
		t.Errorf("pairs told apart %v, AUC %v", report.PairAccuracy, report.AUC)
	}
}

func TestCanTake(t *testing.T) {
	for sfen, want := range map[string]bool{
		"4k4/4G4/9/9/9/9/9/9/4K4 w - 1":    true,
		"4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1":  false, // the pawn protects it
		"3gk4/4G4/4P4/9/9/9/9/9/4K4 w - 1": true,  // by another piece
	} {
		p := shogi.MustParseSFEN(sfen)
		sq, err := shogi.ParseSquare("5b")
		if err != nil {
			t.Fatal(err)
		}
		if canTake(&p, sq) != want {
			t.Errorf("%s: %v, want %v", sfen, !want, want)
		}
	}
}
