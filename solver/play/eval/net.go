package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/tsumero/tsumero/shogi"
)

// A Net is a learned evaluation, all of integers: the features of each side go through the same
// first layer of N units, whose outputs, clipped to 0 … ActivationOne, go into a single sum; to it
// each feature of the side to move adds a weight of its own. The sum corrects the value that
// material and shelter give.
//
// A Net does not change, and any number of States may use it.
type Net struct {
	weights Weights
	hash    [sha256.Size]byte

	first *FirstLayer
	out   [2][]outWord // for the side to move, for the other
	skip  []int32
}

// Weights are the parameters of a Net.
type Weights struct {
	Units   int     // N, a multiple of UnitStep up to MaxUnits; 0: there is only Skip
	Bias    []int16 // for each unit, -MaxBias to MaxBias; ActivationOne stands for 1
	Rows    []int16 // N for each feature, -MaxWeight to MaxWeight; ActivationOne stands for 1
	Out     []int16 // 2N, first for the side to move, -MaxOut to MaxOut; OutOne stands for 1
	Skip    []int16 // for each feature; Scale stands for 1
	OutBias int32   // Scale stands for 1
}

// The scales of the weights and their bounds. An output of 1, which is Scale, is worth
// CentipawnsOfOne. Rows and Bias are bounded so that a unit stays within 16 bits whatever the
// position, and Out so that the sum of the outputs does in 31.
const (
	ActivationOne   = 255
	OutOne          = 64
	Scale           = ActivationOne * OutOne
	CentipawnsOfOne = 400

	MaxUnits  = 512
	UnitStep  = 8
	MaxWeight = 585
	MaxBias   = math.MaxInt16 - MaxFeatures*MaxWeight
	MaxOut    = 1<<13 - 1
)

// maxNetValue bounds what a net may say, in centipawns, so that with the material it is no mate
// score.
const maxNetValue = 10_000

// NewNet returns the network of w, or what is wrong with w.
func NewNet(w Weights) (*Net, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	n := &Net{weights: w, first: NewFirstLayer(w.Bias, w.Rows)}
	for side := range n.out {
		for out := range slices.Chunk(w.Out[side*w.Units:][:w.Units], 4) {
			n.out[side] = append(n.out[side], newOutWord([4]int16(out)))
		}
	}
	n.skip = make([]int32, NumFeatures)
	for i, weight := range w.Skip {
		n.skip[i] = int32(weight)
	}
	n.hash = sha256.Sum256(w.append(nil))
	return n, nil
}

func (w *Weights) check() error {
	switch {
	case w.Units < 0 || w.Units > MaxUnits || w.Units%UnitStep != 0:
		return fmt.Errorf("the first layer has %d units, but must have a multiple of %d up to %d",
			w.Units, UnitStep, MaxUnits)
	case len(w.Bias) != w.Units || len(w.Rows) != w.Units*NumFeatures || len(w.Out) != 2*w.Units ||
		len(w.Skip) != NumFeatures:
		return fmt.Errorf("the numbers of weights are %d, %d, %d and %d, which is not right for %d units",
			len(w.Bias), len(w.Rows), len(w.Out), len(w.Skip), w.Units)
	}
	for i, bias := range w.Bias {
		if bias < -MaxBias || bias > MaxBias {
			return fmt.Errorf("the bias of unit %d is %d, but must be within ±%d", i, bias, MaxBias)
		}
	}
	for i, weight := range w.Out {
		if weight < -MaxOut || weight > MaxOut {
			return fmt.Errorf("the output weight %d is %d, but must be within ±%d", i, weight, MaxOut)
		}
	}
	for i, weight := range w.Rows {
		if weight < -MaxWeight || weight > MaxWeight {
			return fmt.Errorf("the weight of feature %d in unit %d is %d, but must be within ±%d",
				i/w.Units, i%w.Units, weight, MaxWeight)
		}
	}
	return nil
}

// Units returns N, the width of the first layer.
func (n *Net) Units() int { return n.weights.Units }

// Hash returns a short text that identifies the weights: the first half of the hash in the file.
func (n *Net) Hash() string { return hex.EncodeToString(n.hash[:16]) }

// A file of a net, integers little-endian:
//
//	 0  "tsumero net 1\n"
//	14  2 bytes  zero
//	16  4 bytes  N
//	20  4 bytes  zero
//	24  8 bytes  what identifies the set of features
//	32  32 bytes SHA-256 of the rest
//	64  the weights of two bytes each: bias (N), rows (1710 N), out (2 N), skip (1710);
//	    the bias of the output in four bytes
const (
	netMagic      = "tsumero net 1\n\x00\x00"
	netHeaderSize = 64

	// MaxNetSize is more than the file of the largest Net has.
	MaxNetSize = 2 << 20
)

func (w *Weights) append(b []byte) []byte {
	for _, weights := range [][]int16{w.Bias, w.Rows, w.Out, w.Skip} {
		for _, weight := range weights {
			b = binary.LittleEndian.AppendUint16(b, uint16(weight))
		}
	}
	return binary.LittleEndian.AppendUint32(b, uint32(w.OutBias))
}

// AppendBinary appends the file of n. The error is always nil.
func (n *Net) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, netMagic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(n.weights.Units))
	b = binary.LittleEndian.AppendUint64(b, FeatureSet())
	b = append(b, n.hash[:]...)
	return n.weights.append(b), nil
}

// ReadNet returns the network in a file, or why it cannot be used.
func ReadNet(path string) (*Net, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, MaxNetSize+1))
	if err != nil {
		return nil, err
	}
	n, err := ParseNet(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// ParseNet returns the net of a file, or why it cannot be used.
func ParseNet(b []byte) (*Net, error) {
	bad := func(format string, args ...any) (*Net, error) {
		return nil, fmt.Errorf("eval: this network cannot be used: "+format, args...)
	}
	if len(b) < netHeaderSize || !bytes.HasPrefix(b, []byte(netMagic)) {
		return bad("a file of one has %d bytes or more and begins with %q", netHeaderSize, netMagic)
	}
	units := binary.LittleEndian.Uint64(b[16:])
	if units > MaxUnits || units%UnitStep != 0 {
		return bad("its first layer has %d units, but must have a multiple of %d up to %d",
			units, UnitStep, MaxUnits)
	}
	if set := binary.LittleEndian.Uint64(b[24:]); set != FeatureSet() {
		return bad("it is for the set of features %016x, this program has %016x", set, FeatureSet())
	}
	n := int(units)
	if want := netHeaderSize + 2*(n+NumFeatures*n+2*n+NumFeatures) + 4; len(b) != want {
		return bad("it has %d bytes, but with %d units it must have %d", len(b), n, want)
	}
	rest := b[netHeaderSize:]
	if hash := sha256.Sum256(rest); !bytes.Equal(hash[:], b[32:netHeaderSize]) {
		return bad("its SHA-256 is %x, but should be %x", hash, b[32:netHeaderSize])
	}
	take := func(n int) []int16 {
		weights := make([]int16, n)
		for i := range weights {
			weights[i] = int16(binary.LittleEndian.Uint16(rest[2*i:]))
		}
		rest = rest[2*n:]
		return weights
	}
	w := Weights{Units: n, Bias: take(n), Rows: take(NumFeatures * n), Out: take(2 * n), Skip: take(NumFeatures)}
	w.OutBias = int32(binary.LittleEndian.Uint32(rest))
	net, err := NewNet(w)
	if err != nil {
		return bad("%w", err)
	}
	return net, nil
}

// An accumulators holds the sums of the first layer and of the skip weights, for both views, of the
// positions along a line of moves.
type accumulators struct {
	net  *Net
	skip [MaxPlies + 1][2]int32
	sums []uint64 // for each ply and view
}

func newAccumulators(net *Net) *accumulators {
	return &accumulators{net: net, sums: make([]uint64, (MaxPlies+1)*2*net.first.words)}
}

// reset makes the sums of p, at ply 0.
func (a *accumulators) reset(p *shogi.Position) {
	var buf [MaxFeatures]uint16
	for view := shogi.Black; view <= shogi.White; view++ {
		a.net.first.Refresh(a.at(0, view), p, view)
		skip := int32(0)
		for _, f := range AppendFeatures(buf[:0], p, view) {
			skip += a.net.skip[f]
		}
		a.skip[0][view] = skip
	}
}

// value returns what the net says of the position at ply, for its side to move.
func (a *accumulators) value(ply int, side shogi.Color) int {
	n := a.net
	sum := int(n.weights.OutBias) + int(a.skip[ply][side&1])
	sum += output(a.at(ply, side), n.out[0]) + output(a.at(ply, side^1), n.out[1])
	return max(-maxNetValue, min(maxNetValue, sum*CentipawnsOfOne/Scale))
}

func (a *accumulators) at(ply int, view shogi.Color) []uint64 {
	words := a.net.first.words
	return a.sums[(2*ply+int(view&1))*words:][:words]
}

// update makes the sums of ply from those of the ply before, from which the move c led to it.
func (a *accumulators) update(ply int, c *Change) {
	first, skip := a.net.first, a.net.skip
	for view := shogi.Black; view <= shogi.White; view++ {
		on, now, off, victim, old := c.features(view)
		src, dst := a.at(ply-1, view), a.at(ply, view)
		change := skip[on]
		switch {
		case c.isDrop():
			change += skip[now] - skip[old]
			addDrop(dst, src, first.row(on), first.row(now), first.row(old))
		case c.isCapture():
			change += skip[now] - skip[off] - skip[victim] - skip[old]
			addCapture(dst, src, first.row(on), first.row(now), first.row(off), first.row(victim), first.row(old))
		default:
			change -= skip[off]
			addMove(dst, src, first.row(on), first.row(off))
		}
		a.skip[ply][view] = a.skip[ply-1][view] + change
	}
}
