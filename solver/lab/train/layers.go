package train

import "math"

// The loops of the training, in plain float32. Every product is rounded by a conversion before it
// is added to something, because a compiler may otherwise fuse the two on some processors and not
// on others: the same seed has to give the same bytes everywhere.

// gather sets out to bias plus the rows of the features. len(out) is the length of a row, a
// multiple of 8.
func gather(out, bias, rows []float32, features []uint16) {
	n := len(out)
	for at := 0; at+8 <= n; at += 8 {
		b := (*[8]float32)(bias[at:])
		a0, a1, a2, a3, a4, a5, a6, a7 := b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]
		for _, f := range features {
			w := (*[8]float32)(rows[int(f)*n+at:])
			a0 += w[0]
			a1 += w[1]
			a2 += w[2]
			a3 += w[3]
			a4 += w[4]
			a5 += w[5]
			a6 += w[6]
			a7 += w[7]
		}
		*(*[8]float32)(out[at:]) = [8]float32{a0, a1, a2, a3, a4, a5, a6, a7}
	}
}

// scatter adds d to the row of each feature.
func scatter(rows, d []float32, features []uint16) {
	n := len(d)
	for at := 0; at+8 <= n; at += 8 {
		b := *(*[8]float32)(d[at:])
		if b == ([8]float32{}) {
			continue // units at rest, about half of them
		}
		for _, f := range features {
			w := (*[8]float32)(rows[int(f)*n+at:])
			w[0] += b[0]
			w[1] += b[1]
			w[2] += b[2]
			w[3] += b[3]
			w[4] += b[4]
			w[5] += b[5]
			w[6] += b[6]
			w[7] += b[7]
		}
	}
}

// dot returns the sum of the products, of slices of equal length, a multiple of 4.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	for i := 0; i+4 <= len(a); i += 4 {
		x, y := (*[4]float32)(a[i:]), (*[4]float32)(b[i:])
		s0 += float32(x[0] * y[0])
		s1 += float32(x[1] * y[1])
		s2 += float32(x[2] * y[2])
		s3 += float32(x[3] * y[3])
	}
	return (s0 + s1) + (s2 + s3)
}

// addTo adds x to y.
func addTo(y, x []float32) {
	x = x[:len(y)]
	for i := range y {
		y[i] += x[i]
	}
}

// addScaled adds x times scale to y.
func addScaled(y, x []float32, scale float32) {
	x = x[:len(y)]
	for i := range y {
		y[i] += float32(x[i] * scale)
	}
}

// clipUnits bounds the units to 0 … 1.
func clipUnits(units []float32) {
	for i, x := range units {
		units[i] = min(max(x, 0), 1)
	}
}

// sigmoid returns 1/(1+e^-x).
func sigmoid(x float32) float32 { return float32(1 / (1 + exp(-float64(x)))) }

// exp returns e^x, x within ±700, to 15 digits. Unlike math.Exp, which has its own code for some
// processors, it is the same to the last bit everywhere.
func exp(x float64) float64 {
	x = max(-700, min(700, x))
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	// e^x = 2^k e^r, |r| ≤ ln 2 / 2; ln 2 is split so that the product is exact.
	const ln2High, ln2Low = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	r := x - float64(k*ln2High)
	r -= float64(k * ln2Low)
	sum := 1.0
	for i := 14.0; i >= 1; i-- {
		sum = 1 + float64(float64(sum*r)/i)
	}
	return math.Ldexp(sum, int(k))
}

// adam is the state of the optimiser Adam (Kingma and Ba, 2014) with decoupled weight decay
// (Loshchilov and Hutter, 2017), for a slice of weights.
type adam struct{ first, second []float32 }

func newAdam(n int) adam { return adam{make([]float32, n), make([]float32, n)} }

// A step is what all weights have in common in a step of the optimiser.
type step struct {
	rate  float32 // with the corrections for the first steps
	decay float32 // part of a weight that is taken away
	scale float32 // of the gradients, one over the size of the batch
}

// newStep returns the n-th step, from 1 on.
func newStep(n int, rate, decay float64, batch int) step {
	first := 1 - exp(float64(n)*logMomentum)
	second := math.Sqrt(1 - exp(float64(n)*logVariance))
	return step{float32(rate * second / first), float32(rate * decay), 1 / float32(batch)}
}

const (
	momentum, logMomentum = 0.9, -0.10536051565782628
	variance, logVariance = 0.999, -0.0010005003335835344
	tiny                  = 1e-8
)

// update makes a step of weights from to to, whose gradients are given, clears the gradients, and
// keeps the weights within ±bound.
func (a *adam) update(s step, weights, gradients []float32, from, to int, bound float32) {
	w, g := weights[from:to], gradients[from:to]
	first, second := a.first[from:to], a.second[from:to]
	for i := range w {
		gradient := float32(g[i] * s.scale)
		g[i] = 0
		m := float32(first[i]*momentum) + float32(gradient*(1-momentum))
		v := float32(second[i]*variance) + float32(float32(gradient*gradient)*(1-variance))
		first[i], second[i] = m, v
		x := w[i] - float32(w[i]*s.decay)
		x -= float32(s.rate*m) / (float32(math.Sqrt(float64(v))) + tiny)
		w[i] = max(-bound, min(bound, x))
	}
}
