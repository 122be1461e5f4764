package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/eval"
	"github.com/tsumero/tsumero/solver/play/levels"
	"github.com/tsumero/tsumero/solver/play/levels/naginagi"
)

// NaginagiOptions say how the network of the level naginagi is trained.
type NaginagiOptions struct {
	Seed  uint64
	Pairs int // of a position before a mate and the mate, 20000 if 0
	// Quiet adds as many positions of each of two kinds that say neither: any of a random game, and
	// such with a check that is no mate. The level itself is trained without.
	Quiet bool
}

// NaginagiReport is what the network that was trained says of positions it was not trained on.
type NaginagiReport struct {
	Games, Mates int // random games, and those of them that ended by mate
	Trained      int // positions
	Held         int // pairs that were not trained on
	// PairAccuracy is in how many of the pairs held out the position before the mate has the higher
	// value.
	PairAccuracy float64
	// Mean values, as probabilities that the side to move wins.
	Mated, CanMate, Any, InCheck float64
	// AUC is how often a mated side has a lower value than one in check that is not.
	AUC float64
}

const (
	naginagiPlies  = 256 // of a random game
	naginagiEpochs = 3
	naginagiBatch  = 128
	naginagiRate   = 0.001
	heldOut        = 10 // one pair in so many is not trained on
)

// A class is what a position of a random game is to the network.
type class uint8

const (
	mated class = iota
	canMate
	anyPosition
	inCheck // but not mated
	numClasses
)

var classTargets = [numClasses]float32{mated: 0, canMate: 1, anyPosition: 0.5, inCheck: 0.5}

// Naginagi makes positions from random games and trains a network on them. The same options give the
// same network on every machine. progress, which may be nil, is told what is being done.
func Naginagi(ctx context.Context, o NaginagiOptions, progress func(what string, done, total int)) (
	*naginagi.Net, NaginagiReport, error) {
	if o.Pairs == 0 {
		o.Pairs = 20_000
	}
	if o.Pairs < heldOut || o.Pairs > 10_000_000 {
		return nil, NaginagiReport{},
			fmt.Errorf("the number of pairs is %d, but must be %d to 10000000", o.Pairs, heldOut)
	}
	if progress == nil {
		progress = func(string, int, int) {}
	}
	var report NaginagiReport
	positions, err := randomGames(ctx, o, &report, progress)
	if err != nil {
		return nil, report, err
	}
	report.Held = o.Pairs / heldOut
	var samples []sample
	for c := range numClasses {
		if c > canMate && !o.Quiet {
			break
		}
		for i := range positions[c][report.Held:] {
			samples = append(samples, sample{&positions[c][report.Held+i], classTargets[c]})
		}
	}
	report.Trained = len(samples)
	net, err := fitNaginagi(ctx, o, samples, progress)
	if err != nil {
		return nil, report, err
	}
	for c := range positions {
		positions[c] = positions[c][:report.Held]
	}
	report.measure(net, &positions)
	return net, report, nil
}

// randomGames plays until there are enough positions of each class.
func randomGames(ctx context.Context, o NaginagiOptions, report *NaginagiReport,
	progress func(string, int, int)) (positions [numClasses][]shogi.Position, err error) {
	var buf shogi.MoveBuffer
	for c := range positions {
		positions[c] = make([]shogi.Position, 0, o.Pairs)
	}
	keep := func(c class, p *shogi.Position) {
		if len(positions[c]) < o.Pairs {
			positions[c] = append(positions[c], *p)
		}
	}
	least := func() int {
		return len(slices.MinFunc(positions[:], func(a, b []shogi.Position) int { return len(a) - len(b) }))
	}
	for ; least() < o.Pairs; report.Games++ {
		if report.Games%1000 == 0 {
			if err := ctx.Err(); err != nil {
				return positions, err
			}
			progress("random games", least(), o.Pairs)
		}
		r := rand.New(rand.NewPCG(o.Seed, uint64(report.Games)))
		p := shogi.Start()
		before, checked, checks := p, p, 0
		at := r.IntN(naginagiPlies) // where a position of any kind is taken, if the game gets so far
		for p.Ply() <= naginagiPlies {
			moves := p.LegalMoves(&buf, shogi.AllMoves)
			if len(moves) == 0 {
				break
			}
			if p.Ply() == at {
				keep(anyPosition, &p)
			}
			if p.InCheck() {
				if checks++; r.IntN(checks) == 0 { // each of the game with the same chance
					checked = p
				}
			}
			before = p
			p.Do(moves[r.IntN(len(moves))])
		}
		if checks > 0 {
			keep(inCheck, &checked)
		}
		if p.IsCheckmate() {
			// Two witnesses: the side that is mated has no move, and the other had a mating one.
			if mate1.Find(&before) == shogi.NoMove {
				return positions, fmt.Errorf("game %d ends by mate, but no mate in one is found in %s",
					report.Games, before.SFEN())
			}
			report.Mates++
			keep(mated, &p)
			keep(canMate, &before)
		}
	}
	return positions, nil
}

// A sample is a position and the probability to win that it should have.
type sample struct {
	position *shogi.Position
	target   float32
}

const (
	units1, units2, units3 = naginagi.Units1, naginagi.Units2, naginagi.Units3

	rows1Bound = float32(math.MaxInt8) / naginagi.RowOne
	bias1Bound = float32(naginagi.MaxBias1) / naginagi.UnitOne
	denseBound = float32(naginagi.MaxWeight) / naginagi.WeightOne
	sumBound   = float32(naginagi.MaxBias) / naginagi.SumOne
)

// A naginagiNet is the weights of the level's network in floats, or their gradients.
type naginagiNet struct {
	rows1, bias1, rows2, bias2, rows3, bias3, out, last []float32
}

func newNaginagiNet() *naginagiNet {
	floats := func(n int) []float32 { return make([]float32, n) }
	return &naginagiNet{
		rows1: floats(eval.NumFeatures * units1), bias1: floats(units1),
		rows2: floats(units1 * units2), bias2: floats(units2),
		rows3: floats(units2 * units3), bias3: floats(units3),
		out: floats(units3), last: floats(1),
	}
}

// layers are the slices of the net, with the bounds that the integers have.
func (n *naginagiNet) layers() []naginagiLayer {
	return []naginagiLayer{
		{n.rows1, rows1Bound}, {n.bias1, bias1Bound}, {n.rows2, denseBound}, {n.bias2, sumBound},
		{n.rows3, denseBound}, {n.bias3, sumBound}, {n.out, denseBound}, {n.last, sumBound},
	}
}

type naginagiLayer struct {
	weights []float32
	bound   float32
}

// A naginagiPass is the units and slopes of a position on its way through the net.
type naginagiPass struct {
	features        []uint16
	units1, slopes1 [units1]float32
	units2, slopes2 [units2]float32
	units3, slopes3 [units3]float32
}

// forward returns the output for p.
func (a *naginagiPass) forward(n *naginagiNet, p *shogi.Position) float32 {
	a.features = eval.AppendFeatures(a.features[:0], p, p.SideToMove())
	gather(a.units1[:], n.bias1, n.rows1, a.features)
	clipUnits(a.units1[:])
	dense(a.units2[:], n.bias2, n.rows2, a.units1[:])
	clipUnits(a.units2[:])
	dense(a.units3[:], n.bias3, n.rows3, a.units2[:])
	clipUnits(a.units3[:])
	return n.last[0] + dot(a.units3[:], n.out)
}

// backward adds to g the gradients for the slope d of the output.
func (a *naginagiPass) backward(n, g *naginagiNet, d float32) {
	g.last[0] += d
	addScaled(g.out, a.units3[:], d)
	for i, unit := range a.units3 {
		a.slopes3[i] = 0
		if unit > 0 && unit < 1 {
			a.slopes3[i] = float32(d * n.out[i])
		}
	}
	addTo(g.bias3, a.slopes3[:])
	denseBack(a.slopes2[:], g.rows3, n.rows3, a.units2[:], a.slopes3[:])
	addTo(g.bias2, a.slopes2[:])
	denseBack(a.slopes1[:], g.rows2, n.rows2, a.units1[:], a.slopes2[:])
	addTo(g.bias1, a.slopes1[:])
	scatter(g.rows1, a.slopes1[:], a.features)
}

// dense sets out to bias plus the rows of the inputs times the inputs.
func dense(out, bias, rows, in []float32) {
	copy(out, bias)
	for i, x := range in {
		if x != 0 {
			addScaled(out, rows[i*len(out):], x)
		}
	}
}

// denseBack adds the gradients of the rows, and sets inSlopes to the slopes of the inputs, which are
// 0 where an input is at its bounds.
func denseBack(inSlopes, gradients, rows, in, slopes []float32) {
	n := len(slopes)
	for i, x := range in {
		inSlopes[i] = 0
		if x == 0 {
			continue
		}
		addScaled(gradients[i*n:][:n], slopes, x)
		if x < 1 {
			inSlopes[i] = dot(slopes, rows[i*n:][:n])
		}
	}
}

// fitNaginagi trains a network on the samples.
func fitNaginagi(ctx context.Context, o NaginagiOptions, samples []sample,
	progress func(string, int, int)) (*naginagi.Net, error) {
	n, g := newNaginagiNet(), newNaginagiNet()
	r := rand.New(rand.NewPCG(o.Seed, math.MaxUint64))
	fill := func(weights []float32, bound float32) {
		for i := range weights {
			weights[i] = float32(2*bound*r.Float32()) - bound
		}
	}
	fill(n.rows1, 0.1)
	fill(n.rows2, 0.1)
	fill(n.rows3, 0.4)
	fill(n.out, 0.4)
	for _, bias := range [][]float32{n.bias1, n.bias2, n.bias3} {
		for i := range bias {
			bias[i] = 0.3
		}
	}
	var optimizers []adam
	for _, layer := range n.layers() {
		optimizers = append(optimizers, newAdam(len(layer.weights)))
	}
	gradients := g.layers()
	var touched [eval.NumFeatures]bool
	var pass naginagiPass
	steps := (len(samples) + naginagiBatch - 1) / naginagiBatch
	for epoch := range naginagiEpochs {
		r.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
		for i := range steps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			done := epoch*steps + i
			if i%8 == 0 {
				progress("training", done*naginagiBatch, naginagiEpochs*len(samples))
			}
			batch := samples[i*naginagiBatch : min((i+1)*naginagiBatch, len(samples))]
			for _, s := range batch {
				x := pass.forward(n, s.position)
				pass.backward(n, g, sigmoid(x)-s.target)
				for _, f := range pass.features {
					touched[f] = true
				}
			}
			now := newStep(done+1, naginagiRate, 0, len(batch))
			for j, layer := range n.layers() {
				if j > 0 {
					optimizers[j].update(now, layer.weights, gradients[j].weights, 0, len(layer.weights), layer.bound)
					continue
				}
				for f := range touched {
					if touched[f] {
						optimizers[0].update(now, n.rows1, g.rows1, f*units1, (f+1)*units1, rows1Bound)
					}
				}
				clear(touched[:])
			}
		}
	}
	return n.quantized()
}

// quantized returns the weights as the integers of a net.
func (n *naginagiNet) quantized() (*naginagi.Net, error) {
	w := new(naginagi.Weights)
	roundTo(w.Rows1[:], n.rows1, naginagi.RowOne)
	roundTo(w.Bias1[:], n.bias1, naginagi.UnitOne)
	roundTo(w.Rows2[:], n.rows2, naginagi.WeightOne)
	roundTo(w.Bias2[:], n.bias2, naginagi.SumOne)
	roundTo(w.Rows3[:], n.rows3, naginagi.WeightOne)
	roundTo(w.Bias3[:], n.bias3, naginagi.SumOne)
	roundTo(w.Out[:], n.out, naginagi.WeightOne)
	w.Last = int32(math.RoundToEven(float64(n.last[0]) * naginagi.SumOne))
	return naginagi.NewNet(w)
}

func roundTo[I int8 | int16 | int32](integers []I, weights []float32, scale float64) {
	for i, w := range weights {
		integers[i] = I(math.RoundToEven(float64(w) * scale))
	}
}

// measure values the positions held out.
func (report *NaginagiReport) measure(net *naginagi.Net, positions *[numClasses][]shogi.Position) {
	var values [numClasses][]int
	var means [numClasses]float64
	for c := range positions {
		for i := range positions[c] {
			v := net.Value(&positions[c][i])
			values[c] = append(values[c], v)
			means[c] += float64(sigmoid(float32(v)/naginagi.SumOne)) / float64(len(positions[c]))
		}
	}
	report.Mated, report.CanMate = means[mated], means[canMate]
	report.Any, report.InCheck = means[anyPosition], means[inCheck]
	right := 0
	for i, v := range values[mated] {
		if v < values[canMate][i] {
			right++
		}
	}
	report.PairAccuracy = float64(right) / float64(len(values[mated]))
	report.AUC = areaUnderCurve(values[mated], values[inCheck])
}

// areaUnderCurve returns the part of the pairs in which a value of low is below one of high, equal
// ones counted half.
func areaUnderCurve(low, high []int) float64 {
	low, high = slices.Sorted(slices.Values(low)), slices.Sorted(slices.Values(high))
	sum := 0
	for _, v := range low {
		below, _ := slices.BinarySearch(high, v)
		notAbove, _ := slices.BinarySearch(high, v+1)
		sum += 2*(len(high)-notAbove) + notAbove - below
	}
	return float64(sum) / float64(2*len(low)*len(high))
}

// A CheckRate is how a player of the level did against random moves.
type CheckRate struct {
	Games, Won, Lost, Drawn int
	Moves, Checks           int // of the level
	Mates                   int // the checks of the level that mate
	LooseChecks             int // those that do not, by a piece that can be taken at once
	RandomMoves             int
	RandomChecks            int
	MissedMates             int // positions with a mate in one in which it played something else
	Leaves                  uint64
}

// PlayRandom lets the level, with a network, play games against random moves, with colours in turn.
func PlayRandom(ctx context.Context, net *naginagi.Net, games int, seed uint64,
	progress func(done int)) (CheckRate, error) {
	var rate CheckRate
	level := naginagi.New(net)
	rules := play.Rules{MaxMoves: naginagiPlies}
	for n := range games {
		side := shogi.Color(n & 1)
		other, err := levels.New("random", levels.Options{Seed: seed + uint64(n)})
		if err != nil {
			return rate, err
		}
		g := shogi.NewGame(shogi.Start())
		for {
			if err := ctx.Err(); err != nil {
				return rate, err
			}
			if outcome := rules.Outcome(&g); outcome.End != play.NotOver {
				switch {
				case !outcome.End.IsWon():
					rate.Drawn++
				case outcome.Winner == side:
					rate.Won++
				default:
					rate.Lost++
				}
				break
			}
			p := g.Position()
			if p.SideToMove() != side {
				g.Do(other.Search(ctx, &g, play.Limits{}, nil).Move)
				rate.RandomMoves++
				if p := g.Position(); p.InCheck() {
					rate.RandomChecks++
				}
				continue
			}
			c := level.Search(ctx, &g, play.Limits{}, nil)
			if c.Move == shogi.NoMove {
				return rate, errors.New("the level has no move though the game is not over")
			}
			hadMate := mate1.Find(&p) != shogi.NoMove
			g.Do(c.Move)
			rate.Moves++
			rate.Leaves += c.Nodes
			after := g.Position()
			mate := after.IsCheckmate()
			switch {
			case mate:
				rate.Checks++
				rate.Mates++
			case after.InCheck():
				rate.Checks++
				if canTake(&after, c.Move.To()) {
					rate.LooseChecks++
				}
			}
			if hadMate && !mate {
				rate.MissedMates++
			}
		}
		rate.Games++
		progress(n + 1)
	}
	return rate, nil
}

// canTake reports whether the side to move can take what stands on a square.
func canTake(p *shogi.Position, sq shogi.Square) bool {
	var buf shogi.MoveBuffer
	return slices.ContainsFunc(p.LegalMoves(&buf, shogi.AllMoves),
		func(m shogi.Move) bool { return m.To() == sq })
}
