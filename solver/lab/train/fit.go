package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play/eval"
)

// Options say how a net is trained. The zero value of a field is its default.
type Options struct {
	Units  int     `json:"units"`  // width of the first layer; 0 is a net without one
	Epochs int     `json:"epochs"` // how often each position is used; 10
	Batch  int     `json:"batch"`  // positions for a step; 2048
	Rate   float64 `json:"rate"`   // of learning, at the beginning; 0.002. It falls to a thirtieth
	Decay  float64 `json:"decay"`  // of weights, as a part of the rate; 0.01
	// Lambda is how much the score of the search counts as the target, against the result of the
	// game; 0.95. Results of single games are so noisy that less than 0.9 made nets worse than none.
	Lambda   float64 `json:"lambda"`
	Seed     uint64  `json:"seed"`
	Workers  int     `json:"-"`                  // goroutines; 1. The weights do not depend on it
	NoMirror bool    `json:"noMirror,omitempty"` // do not exchange left and right at random
}

func (o Options) withDefaults() Options {
	def := func(x *float64, value float64) {
		if *x == 0 {
			*x = value
		}
	}
	if o.Epochs == 0 {
		o.Epochs = 10
	}
	if o.Batch == 0 {
		o.Batch = 2048
	}
	if o.Workers == 0 {
		o.Workers = 1
	}
	def(&o.Rate, 0.002)
	def(&o.Decay, 0.01)
	def(&o.Lambda, 0.95)
	return o
}

// Check tells what is wrong with o.
func (o Options) Check() error {
	o = o.withDefaults()
	isOutside := func(x, low, high float64) bool { return !(x >= low && x <= high) }
	switch {
	case o.Units < 0 || o.Units > eval.MaxUnits || o.Units%eval.UnitStep != 0:
		return fmt.Errorf("the number of units is %d, but must be a multiple of %d up to %d",
			o.Units, eval.UnitStep, eval.MaxUnits)
	case o.Epochs < 0:
		return fmt.Errorf("the number of epochs is %d, but must not be negative", o.Epochs)
	case o.Batch < 1 || o.Batch > 1<<20:
		return fmt.Errorf("the batch is %d, but must be 1 to %d", o.Batch, 1<<20)
	case isOutside(o.Rate, 1e-9, 1):
		return fmt.Errorf("the learning rate is %v, but must be 1e-9 to 1", o.Rate)
	case isOutside(o.Decay, 0, 10):
		return fmt.Errorf("the weight decay is %v, but must be 0 to 10", o.Decay)
	case isOutside(o.Lambda, 0, 1):
		return fmt.Errorf("lambda is %v, but must be 0 to 1", o.Lambda)
	case o.Workers < 1:
		return fmt.Errorf("the number of workers is %d, but must be 1 or more", o.Workers)
	}
	return nil
}

// A Progress is how far a training is.
type Progress struct {
	Epoch     int     // from 1 on
	Positions int     // used in this epoch
	Total     int     // positions of an epoch
	Loss      float64 // mean divergence in this epoch so far, with the float weights
	// At the end of an epoch, or of a training that ctx ended:
	Net        *eval.Net // the net by now; else nil
	Validation Loss      // of Net
}

// Fit trains a net on the records and calls report after each batch, in the goroutine it was called
// in. The net corrects the value without a net, from which it starts. The error is that of ctx; a
// last report precedes it. The same options and records give the same nets.
func Fit(ctx context.Context, records, validation []Record, o Options, report func(Progress)) error {
	o = o.withDefaults()
	if err := o.Check(); err != nil {
		return err
	}
	if len(records) == 0 {
		return errors.New("there is no position to train on")
	}
	t := newTrainer(o, records)
	steps := (len(records) + o.Batch - 1) / o.Batch
	order := make([]uint32, len(records))
	for i := range order {
		order[i] = uint32(i)
	}
	for epoch := range o.Epochs {
		rand.New(rand.NewPCG(o.Seed, uint64(epoch))).Shuffle(len(order), func(i, j int) {
			order[i], order[j] = order[j], order[i]
		})
		t.mirrorSeed = o.Seed<<8 + uint64(epoch)
		progress := Progress{Epoch: epoch + 1, Total: len(records)}
		sum := 0.0
		for i := range steps {
			if ctx.Err() != nil {
				break
			}
			batch := order[i*o.Batch : min((i+1)*o.Batch, len(order))]
			part := float64(epoch*steps+i) / float64(o.Epochs*steps)
			sum += t.step(batch, epoch*steps+i+1, float64(o.Rate*exp(-part*logFall)))
			progress.Positions += len(batch)
			progress.Loss = sum / float64(progress.Positions)
			if i < steps-1 {
				report(progress)
			}
		}
		net, err := t.net()
		if err != nil {
			return err
		}
		progress.Net, progress.Validation = net, Measure(net, validation, o.Lambda)
		report(progress)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// logFall is the logarithm of 30, by which the learning rate is divided in the course of a training.
const logFall = 3.4011973816621555

// A weightSet is the weights of a net, or their gradients.
type weightSet struct {
	rows, skip, bias, out []float32
	last                  []float32 // the bias of the output
}

func newWeightSet(units int) weightSet {
	return weightSet{
		rows: make([]float32, eval.NumFeatures*units),
		skip: make([]float32, eval.NumFeatures),
		bias: make([]float32, units),
		out:  make([]float32, 2*units),
		last: make([]float32, 1),
	}
}

// shards is how many parts a batch is divided into. The gradients of a part are summed by one
// goroutine, and the parts in their order, so that the sums do not depend on how many there are.
const shards = 8

// A shard is the gradients of a part of a batch.
type shard struct {
	gradients weightSet
	touched   [eval.NumFeatures]bool // rows with gradients
	loss      float64
	// Scratch.
	pieces   pieces
	features [2][]uint16
	units    []float32 // both views
	slopes   []float32
}

type trainer struct {
	Options
	records    []Record
	weights    weightSet
	rows, skip adam
	bias, out  adam
	last       adam
	shards     [shards]shard
	mirrorSeed uint64
	mirrored   [eval.NumFeatures]uint16
}

func newTrainer(o Options, records []Record) *trainer {
	t := &trainer{Options: o, records: records, weights: newWeightSet(o.Units)}
	t.rows, t.skip = newAdam(len(t.weights.rows)), newAdam(len(t.weights.skip))
	t.bias, t.out = newAdam(o.Units), newAdam(2*o.Units)
	t.last = newAdam(1)
	for i := range t.shards {
		t.shards[i].gradients = newWeightSet(o.Units)
		t.shards[i].units = make([]float32, 2*o.Units)
		t.shards[i].slopes = make([]float32, 2*o.Units)
	}
	for f := range t.mirrored {
		t.mirrored[f] = uint16(f)
	}
	for kind := shogi.Pawn; kind <= shogi.Dragon; kind++ {
		for _, side := range [2]shogi.Color{shogi.Black, shogi.White} {
			for sq := range shogi.Square(shogi.NumSquares) {
				pc := shogi.PieceOf(side, kind)
				t.mirrored[eval.PieceFeature(shogi.Black, pc, sq)] = uint16(eval.PieceFeature(shogi.Black, pc, sq.Mirrored()))
			}
		}
	}
	// The units begin spread over their range, the output at zero: the untrained net corrects
	// nothing.
	r := rand.New(rand.NewPCG(o.Seed, math.MaxUint64))
	for i := range t.weights.rows {
		t.weights.rows[i] = float32(0.2*r.Float32()) - 0.1
	}
	for i := range t.weights.bias {
		t.weights.bias[i] = 0.4
	}
	return t
}

// parallel calls f with 0 … n-1, on several goroutines.
func (t *trainer) parallel(n int, f func(int)) {
	if t.Workers == 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var wg sync.WaitGroup
	for worker := range min(t.Workers, n) {
		wg.Go(func() {
			for i := worker; i < n; i += t.Workers {
				f(i)
			}
		})
	}
	wg.Wait()
}

// step trains on a batch and returns the sum of its losses.
func (t *trainer) step(batch []uint32, n int, rate float64) (loss float64) {
	t.parallel(shards, func(i int) {
		s := &t.shards[i]
		s.loss = 0
		for _, index := range batch[i*len(batch)/shards : (i+1)*len(batch)/shards] {
			t.learn(s, index)
		}
	})
	now := newStep(n, rate, t.Decay, len(batch))
	t.parallel(shards, func(i int) {
		t.updateRows(now, i*eval.NumFeatures/shards, (i+1)*eval.NumFeatures/shards)
	})
	total := &t.shards[0].gradients
	for i := range t.shards {
		loss += t.shards[i].loss
		if g := &t.shards[i].gradients; i > 0 {
			merge(total.bias, g.bias)
			merge(total.out, g.out)
			merge(total.last, g.last)
		}
	}
	w := &t.weights
	plain := now
	plain.decay = 0 // decay is for what multiplies inputs
	t.bias.update(plain, w.bias, total.bias, 0, len(w.bias), biasBound)
	t.out.update(now, w.out, total.out, 0, len(w.out), outBound)
	t.last.update(plain, w.last, total.last, 0, 1, outBound)
	return loss
}

// merge adds from to to and clears it.
func merge(to, from []float32) {
	addTo(to, from)
	clear(from[:len(to)])
}

// What the integers of a net can hold.
const (
	rowBound  = float32(eval.MaxWeight) / eval.ActivationOne
	biasBound = float32(eval.MaxBias) / eval.ActivationOne
	outBound  = float32(eval.MaxOut) / eval.OutOne
	skipBound = float32(math.MaxInt16) / eval.Scale
)

// updateRows makes the step of the features from to to, of those that the batch has.
func (t *trainer) updateRows(now step, from, to int) {
	n := t.Units
	total := &t.shards[0]
	for f := from; f < to; f++ {
		for i := 1; i < shards; i++ {
			s := &t.shards[i]
			if !s.touched[f] {
				continue
			}
			s.touched[f], total.touched[f] = false, true
			merge(total.gradients.rows[f*n:][:n], s.gradients.rows[f*n:])
			merge(total.gradients.skip[f:f+1], s.gradients.skip[f:])
		}
		if !total.touched[f] {
			continue
		}
		total.touched[f] = false
		t.rows.update(now, t.weights.rows, total.gradients.rows, f*n, f*n+n, rowBound)
		t.skip.update(now, t.weights.skip, total.gradients.skip, f, f+1, skipBound)
	}
}

// learn adds the gradients of a record to those of s.
func (t *trainer) learn(s *shard, index uint32) {
	r := &t.records[index]
	if r.Position.unpack(&s.pieces) != nil {
		return // a Reader gives no such record
	}
	side := s.pieces.side
	mirror := !t.NoMirror && mix(t.mirrorSeed+uint64(index)<<32)>>63 != 0
	for i, view := range [2]shogi.Color{side, side.Opponent()} {
		s.features[i] = s.pieces.appendFeatures(s.features[i][:0], view)
		if mirror {
			for j, f := range s.features[i] {
				s.features[i][j] = t.mirrored[f]
			}
		}
	}
	w, g, n := &t.weights, &s.gradients, t.Units
	x := float32(s.pieces.base())/eval.CentipawnsOfOne + w.last[0]
	for _, f := range s.features[0] {
		x += w.skip[f]
	}
	for i, features := range s.features {
		gather(s.units[i*n:][:n], w.bias, w.rows, features)
	}
	clipUnits(s.units)
	x += dot(s.units, w.out)

	target := float32(target(r, t.Lambda))
	p := sigmoid(x)
	s.loss += divergence(float64(target), float64(p))
	d := p - target
	g.last[0] += d
	for _, f := range s.features[0] {
		g.skip[f] += d
	}
	for i, unit := range s.units {
		s.slopes[i] = 0
		if unit > 0 && unit < 1 {
			s.slopes[i] = float32(d * w.out[i])
		}
	}
	addScaled(g.out, s.units, d)
	for i, features := range s.features {
		slopes := s.slopes[i*n:][:n]
		addTo(g.bias, slopes)
		scatter(g.rows, slopes, features)
		for _, f := range features {
			s.touched[f] = true
		}
	}
}

// mix is splitmix64 (Steele, Lea, Flood 2014) of x.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// appendFeatures appends the features in the view of a side.
func (s *pieces) appendFeatures(dst []uint16, view shogi.Color) []uint16 {
	for c := shogi.Black; c <= shogi.White; c++ {
		for t := shogi.Pawn; t < shogi.King; t++ {
			dst = append(dst, uint16(eval.HandFeature(view, c, t, s.hand[c].Count(t))))
		}
	}
	for i, pc := range s.piece[:s.onBoard] {
		dst = append(dst, uint16(eval.PieceFeature(view, pc, s.square[i])))
	}
	return dst
}

// base returns the value without a net for the side to move, in centipawns.
func (s *pieces) base() int {
	near := [2]shogi.Bitboard{shogi.Neighbours(s.king[0]), shogi.Neighbours(s.king[1])}
	value := [2]int32{}
	for i, pc := range s.piece[:s.n] {
		c := pc.Color()
		value[c] += eval.PieceValue[pc.Type()&15]
		if i < s.onBoard && near[c].Has(s.square[i]) {
			value[c] += eval.ShelterValue
		}
	}
	return int(value[s.side] - value[s.side.Opponent()])
}

// net returns the weights as the integers of a net.
func (t *trainer) net() (*eval.Net, error) {
	round := func(weights []float32, scale float64) []int16 {
		integers := make([]int16, len(weights))
		for i, w := range weights {
			integers[i] = int16(math.RoundToEven(float64(w) * scale))
		}
		return integers
	}
	w := &t.weights
	return eval.NewNet(eval.Weights{
		Units:   t.Units,
		Bias:    round(w.bias, eval.ActivationOne),
		Rows:    round(w.rows, eval.ActivationOne),
		Out:     round(w.out, eval.OutOne),
		Skip:    round(w.skip, eval.Scale),
		OutBias: int32(math.RoundToEven(float64(w.last[0]) * eval.Scale)),
	})
}
