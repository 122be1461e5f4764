package naginagi

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play/eval"
)

// The widths of the layers: 1,710 features, 512 units, 32, 32, and one output.
const (
	Units1 = 512
	Units2 = 32
	Units3 = 32
)

// The scales of the integers. Units have the values 0 to 255, which stand for 0 to 255/256. A sum
// of 1 is worth that of an output for which the side to move wins with probability 1/(1+1/e).
const (
	UnitOne   = 256 // in the layers, and of the bias of the first
	RowOne    = 128 // of the rows of the first layer
	WeightOne = 512 // of the other weights
	SumOne    = UnitOne * WeightOne

	MaxWeight = 1<<13 - 1
	MaxBias1  = 1<<13 - 1
	MaxBias   = 1<<26 - 1 // of the other layers
)

// Weights are the parameters of a Net. What multiplies the inputs of a layer is in rows, one for
// each input.
type Weights struct {
	Rows1 [eval.NumFeatures * Units1]int8
	Bias1 [Units1]int16 // ±MaxBias1
	Rows2 [Units1 * Units2]int16
	Bias2 [Units2]int32 // ±MaxBias; with the scale SumOne, as those below
	Rows3 [Units2 * Units3]int16
	Bias3 [Units3]int32
	Out   [Units3]int16
	Last  int32
}

// A Net is the network of the level: 1710 → 512 → 32 → 32 → 1, its units bounded to 0 … 1. Its
// input is the features of a position in the view of the side to move, its output grows with the
// probability that this side mates. It is all of integers, so that every machine plays alike.
//
// A Net does not change, and any number of goroutines may use it.
type Net struct {
	weights *Weights
	hash    [sha256.Size]byte
	first   *eval.FirstLayer
	// Two sums of 32 bits share a word, as in eval.FirstLayer.
	rows2 [Units1][Units2 / 2]uint64
	bias2 [Units2 / 2]uint64
}

// NewNet returns the network of w, which must not change any more, or what is wrong with w.
func NewNet(w *Weights) (*Net, error) {
	for _, layer := range []struct {
		name    string
		bound   int32
		weights []int32
	}{
		{"bias 1", MaxBias1, widen(w.Bias1[:])},
		{"rows 2", MaxWeight, widen(w.Rows2[:])},
		{"bias 2", MaxBias, w.Bias2[:]},
		{"rows 3", MaxWeight, widen(w.Rows3[:])},
		{"bias 3", MaxBias, w.Bias3[:]},
		{"output", MaxWeight, widen(w.Out[:])},
		{"output bias", MaxBias, []int32{w.Last}},
	} {
		for i, x := range layer.weights {
			if x < -layer.bound || x > layer.bound {
				return nil, fmt.Errorf("weight %d of %s is %d, but must be within ±%d", i, layer.name, x, layer.bound)
			}
		}
	}
	n := &Net{weights: w, hash: sha256.Sum256(w.append(nil))}
	rows := make([]int16, len(w.Rows1))
	for i, x := range w.Rows1 {
		rows[i] = int16(x) * (UnitOne / RowOne)
	}
	n.first = eval.NewFirstLayer(w.Bias1[:], rows)
	for i, x := range w.Rows2 {
		n.rows2[i/Units2][i%Units2/2] += uint64(int64(x)) << (i % 2 * 32)
	}
	for i, x := range w.Bias2 {
		n.bias2[i/2] += uint64(int64(x)+1<<31) << (i % 2 * 32)
	}
	return n, nil
}

func widen(weights []int16) []int32 {
	wide := make([]int32, len(weights))
	for i, x := range weights {
		wide[i] = int32(x)
	}
	return wide
}

// Hash returns a short text that identifies the weights.
func (n *Net) Hash() string { return hex.EncodeToString(n.hash[:16]) }

// A file of a net, integers little-endian: 19 bytes of magic, 5 zeros, 8 bytes that identify the set
// of features, 32 of SHA-256 of the rest, and the weights in the order of Weights.
const (
	magic      = "tsumero naginagi 1\n\x00\x00\x00\x00\x00"
	headerSize = 64
	fileSize   = headerSize + eval.NumFeatures*Units1 + 2*Units1 + 2*Units1*Units2 + 4*Units2 +
		2*Units2*Units3 + 4*Units3 + 2*Units3 + 4
)

func (w *Weights) append(b []byte) []byte {
	b, _ = binary.Append(b, binary.LittleEndian, w) // of numbers of fixed size there is no error
	return b
}

// AppendBinary appends the file of n. The error is always nil.
func (n *Net) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint64(b, eval.FeatureSet())
	b = append(b, n.hash[:]...)
	return n.weights.append(b), nil
}

// ParseNet returns the net of a file, or why it cannot be used.
func ParseNet(b []byte) (*Net, error) {
	bad := func(format string, args ...any) (*Net, error) {
		return nil, fmt.Errorf("naginagi: this network cannot be used: "+format, args...)
	}
	if len(b) != fileSize || !bytes.HasPrefix(b, []byte(magic)) {
		return bad("a file of one has %d bytes and begins with %q, this has %d", fileSize, magic, len(b))
	}
	if set := binary.LittleEndian.Uint64(b[len(magic):]); set != eval.FeatureSet() {
		return bad("it is for the set of features %016x, this program has %016x", set, eval.FeatureSet())
	}
	if hash := sha256.Sum256(b[headerSize:]); !bytes.Equal(hash[:], b[32:headerSize]) {
		return bad("its SHA-256 is %x, but should be %x", hash, b[32:headerSize])
	}
	w := new(Weights)
	if _, err := binary.Decode(b[headerSize:], binary.LittleEndian, w); err != nil {
		return bad("%w", err)
	}
	n, err := NewNet(w)
	if err != nil {
		return bad("%w", err)
	}
	return n, nil
}

// sums are those of the first layer for a position in the view of one side.
type sums [Units1 / 4]uint64

// Value returns what the net says of p, in units of SumOne.
func (n *Net) Value(p *shogi.Position) int {
	var s sums
	n.first.Refresh(s[:], p, p.SideToMove())
	return n.value(&s)
}

// value returns the output for the sums of the first layer.
func (n *Net) value(s *sums) int {
	second := n.bias2
	for i, x := range s {
		x = eval.Clip(x)
		for unit := 4 * i; x != 0; unit++ {
			if activation := x & 0xffff; activation != 0 {
				row := &n.rows2[unit&(Units1-1)]
				for j := range second {
					second[j] += activation * row[j]
				}
			}
			x >>= 16
		}
	}
	w := n.weights
	third := w.Bias3
	for i, pair := range second {
		for j, sum := range [2]uint32{uint32(pair), uint32(pair >> 32)} {
			activation := clip(int32(sum - 1<<31))
			row := w.Rows3[(2*i+j)*Units3:][:Units3]
			for k := range third {
				third[k] += activation * int32(row[k])
			}
		}
	}
	out := int(w.Last)
	for i, sum := range third {
		out += int(clip(sum)) * int(w.Out[i])
	}
	return out
}

// clip turns the sum of a unit into its value.
func clip(sum int32) int32 { return max(0, min(UnitOne-1, sum/WeightOne)) }
