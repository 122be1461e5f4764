package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// randomWeights returns weights of any sign and any size that is allowed.
func randomWeights(r *rand.Rand, units int) Weights {
	draw := func(n, bound int) []int16 {
		weights := make([]int16, n)
		for i := range weights {
			weights[i] = int16(r.IntN(2*bound+1) - bound)
		}
		return weights
	}
	return Weights{Units: units, Bias: draw(units, MaxBias), Rows: draw(units*NumFeatures, MaxWeight),
		Out: draw(2*units, 300), Skip: draw(NumFeatures, 2000), OutBias: int32(r.IntN(1000))}
}

func mustNet(t testing.TB, w Weights) *Net {
	t.Helper()
	n, err := NewNet(w)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// plainValue is what a net with weights w says of p, from its definition.
func plainValue(w *Weights, p *shogi.Position) int {
	sum := int(w.OutBias)
	us := p.SideToMove()
	for side, view := range []shogi.Color{us, us.Opponent()} {
		units := make([]int, w.Units)
		for i, bias := range w.Bias {
			units[i] = int(bias)
		}
		for _, f := range AppendFeatures(nil, p, view) {
			for i := range units {
				units[i] += int(w.Rows[int(f)*w.Units+i])
			}
			if side == 0 {
				sum += int(w.Skip[f])
			}
		}
		for i, unit := range units {
			sum += min(max(unit, 0), 255) * int(w.Out[side*w.Units+i])
		}
	}
	value := sum * 400 / (255 * 64)
	return min(max(value, -maxNetValue), maxNetValue)
}

// Random walks down and up the tree of moves: what the moves have made of the sums is what the
// position says, and that does not depend on which side is which.
func TestNetFollowsMoves(t *testing.T) {
	r := shogitest.NewRand(t)
	for _, units := range []int{0, 8, 32, 64} {
		w := randomWeights(r, units)
		net := mustNet(t, w)
		kept, fresh, bare := NewState(net), NewState(net), NewState(nil)
		moves := 0
		for moves < 4000 {
			p := shogi.Start()
			kept.Reset(&p)
			type done struct {
				m shogi.Move
				u shogi.Undo
			}
			var line []done
			var buf shogi.MoveBuffer
			for range 400 {
				legal := p.LegalMoves(&buf, shogi.AllMoves)
				if len(line) > 0 && (len(legal) == 0 || len(line) == MaxPlies || r.IntN(3) == 0) {
					last := line[len(line)-1]
					line = line[:len(line)-1]
					p.Undo(last.m, last.u)
					kept.Pop()
				} else {
					m := legal[r.IntN(len(legal))]
					kept.Push(&p, m)
					line = append(line, done{m, p.Do(m)})
					moves++
				}
				if r.IntN(2) == 0 {
					continue // so that the sums of several moves are made at once
				}
				got := kept.Value(&p)
				fresh.Reset(&p)
				bare.Reset(&p)
				if want := fresh.Value(&p); got != want {
					t.Fatalf("%d units, %s: %d after moves, %d anew", units, p.SFEN(), got, want)
				}
				if want := bare.Value(&p) + plainValue(&w, &p); got != want {
					t.Fatalf("%d units, %s: %d, but from the definition %d", units, p.SFEN(), got, want)
				}
				turned := p.Rotated()
				fresh.Reset(&turned)
				if again := fresh.Value(&turned); got != again {
					t.Fatalf("%d units, %s: %d, but %d when the board is turned", units, p.SFEN(), got, again)
				}
			}
		}
	}
}

// The largest weights, all of one sign, do not leave the bits they have.
func TestNetBounds(t *testing.T) {
	for _, sign := range []int16{1, -1} {
		for _, out := range []int16{1, MaxOut, -MaxOut} {
			w := randomWeights(shogitest.NewRand(t), MaxUnits)
			for i := range w.Rows {
				w.Rows[i] = sign * MaxWeight
			}
			for i := range w.Bias {
				w.Bias[i] = sign * MaxBias
			}
			for i := range w.Out {
				w.Out[i] = out
			}
			p := shogi.Start()
			a := newAccumulators(mustNet(t, w))
			a.reset(&p)
			if got, want := a.value(0, p.SideToMove()), plainValue(&w, &p); got != want {
				t.Errorf("weights of sign %d: %d, want %d", sign, got, want)
			}
		}
	}
}

// TestKernels compares the words with their units one by one, at the edges above all.
func TestKernels(t *testing.T) {
	r := shogitest.NewRand(t)
	edges := []int{-32768, -32767, -256, -1, 0, 1, 127, 254, 255, 256, 257, 4095, 32512, 32513, 32767}
	outs := []int16{-MaxOut, -1, 0, 1, MaxOut}
	for range 2000 {
		sums, weights, want := make([]uint64, 128), make([]outWord, 128), 0
		for i := range sums {
			var out [4]int16
			for lane := range out {
				unit := edges[r.IntN(len(edges))]
				if r.IntN(2) == 0 {
					unit = r.IntN(1024) - 256
				}
				out[lane] = outs[r.IntN(len(outs))]
				sums[i] |= uint64(unit+1<<15) << (16 * lane)
				want += min(max(unit, 0), 255) * int(out[lane])
			}
			weights[i] = newOutWord(out)
		}
		if got := output(sums, weights); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	}
}

func TestNetFile(t *testing.T) {
	r := shogitest.NewRand(t)
	for _, units := range []int{0, 8, 64, MaxUnits} {
		net := mustNet(t, randomWeights(r, units))
		file, err := net.AppendBinary(nil)
		if err != nil || len(file) > MaxNetSize {
			t.Fatalf("%d bytes, error %v", len(file), err)
		}
		back, err := ParseNet(file)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := back.AppendBinary(nil)
		if !bytes.Equal(file, again) || back.Hash() != net.Hash() || back.Units() != units {
			t.Errorf("%d units: the net read is not the net written", units)
		}
	}
}

// A network of yesterday must not be read with another meaning of its features.
func TestFeatureSet(t *testing.T) {
	if want := uint64(0xe48b55ad7536dda2); FeatureSet() != want {
		t.Errorf("the set of features is %#x, files have %#x", FeatureSet(), want)
	}
}

func TestNetFileFaults(t *testing.T) {
	w := randomWeights(shogitest.NewRand(t), 8)
	file, _ := mustNet(t, w).AppendBinary(nil)
	change := func(at int, b ...byte) []byte {
		f := slices.Clone(file)
		copy(f[at:], b)
		return f
	}
	rehash := func(f []byte) []byte {
		hash := sha256.Sum256(f[64:])
		copy(f[32:], hash[:])
		return f
	}
	weight := binary.LittleEndian.AppendUint16(nil, MaxWeight+1)
	for _, test := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "begins with"},
		{"other file", bytes.Repeat([]byte("x"), 100), "begins with"},
		{"units", change(16, 7), "a multiple of 8 up to 512"},
		{"many units", change(22, 1), "a multiple of 8 up to 512"},
		{"features", change(24, file[24]^1), "the set of features"},
		{"short", file[:len(file)-1], "but with 8 units it must have"},
		{"long", append(slices.Clone(file), 0), "but with 8 units it must have"},
		{"other units", change(16, 16), "but with 16 units it must have"},
		{"flipped bit", change(1000, file[1000]^4), "its SHA-256 is"},
		{"flipped hash", change(40, file[40]^4), "its SHA-256 is"},
		{"bias", rehash(change(64, 0xff, 0x7f)), "the bias of unit 0 is 32767"},
		{"output", rehash(change(64+16+2*8*NumFeatures, 0xff, 0x7f)), "the output weight 0 is 32767"},
		{"weight", rehash(change(64+16+2*(8*5+3), weight...)), "the weight of feature 5 in unit 3 is 586"},
	} {
		if _, err := ParseNet(test.file); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func FuzzParseNet(f *testing.F) {
	file, _ := mustNet(f, randomWeights(shogitest.NewRand(f), 8)).AppendBinary(nil)
	f.Add(file)
	f.Add(file[:70])
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, err := ParseNet(b); err == nil {
			if again, _ := n.AppendBinary(nil); !bytes.Equal(b, again) {
				t.Fatal("the file is not written as it was read")
			}
		}
	})
}

func TestNetAllocations(t *testing.T) {
	s := NewState(mustNet(t, randomWeights(shogitest.NewRand(t), 32)))
	p := shogi.Start()
	m, err := shogi.ParseMove("7g7f")
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		s.Reset(&p)
		s.Push(&p, m)
		q := p
		q.Do(m)
		s.Value(&q)
		s.Pop()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkState follows and values every move of a position, as a search does one ply above the
// leaves.
func BenchmarkState(b *testing.B) {
	p := shogi.MustParseSFEN("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1")
	for _, test := range []struct {
		name  string
		units int
	}{{"material", -1}, {"N=0", 0}, {"N=16", 16}, {"N=32", 32}, {"N=64", 64}, {"N=128", 128}} {
		b.Run(test.name, func(b *testing.B) {
			var net *Net
			if test.units >= 0 {
				net = mustNet(b, randomWeights(shogitest.NewRand(b), test.units))
			}
			s := NewState(net)
			s.Reset(&p)
			var buf shogi.MoveBuffer
			moves := p.LegalMoves(&buf, shogi.UsefulMoves)
			q, sum := p, 0
			for i := 0; b.Loop(); i++ {
				m := moves[i%len(moves)]
				s.Push(&q, m)
				u := q.Do(m)
				sum += s.Value(&q)
				q.Undo(m, u)
				s.Pop()
			}
			if sum == 0 {
				b.Error("all values are 0")
			}
		})
	}
}
