package eval

// The loops that take the time of a Net. Each slices what it reads to the length of what it writes,
// so that the compiler leaves out the checks of bounds.

// add adds a row to the sums.
func add(dst, on []uint64) {
	on = on[:len(dst)]
	for i := range dst {
		dst[i] += on[i]
	}
}

// addMove is a move without a capture: a piece on another square.
func addMove(dst, src, on, off []uint64) {
	src, on, off = src[:len(dst)], on[:len(dst)], off[:len(dst)]
	for i := range dst {
		dst[i] = src[i] + on[i] - off[i]
	}
}

// addDrop is a drop: a piece on a square, another count in hand.
func addDrop(dst, src, on, now, old []uint64) {
	src, on, now, old = src[:len(dst)], on[:len(dst)], now[:len(dst)], old[:len(dst)]
	for i := range dst {
		dst[i] = src[i] + on[i] + now[i] - old[i]
	}
}

// addCapture is a capture: a piece on another square, its victim gone, another count in hand.
func addCapture(dst, src, on, now, off, victim, old []uint64) {
	src, on, now = src[:len(dst)], on[:len(dst)], now[:len(dst)]
	off, victim, old = off[:len(dst)], victim[:len(dst)], old[:len(dst)]
	for i := range dst {
		dst[i] = src[i] + on[i] + now[i] - off[i] - victim[i] - old[i]
	}
}

// Masks of words of four units.
const (
	topBits  = 0x8000_8000_8000_8000
	lowBytes = 0x00ff_00ff_00ff_00ff
	// evenBytes are the lower bytes of the first and the third unit.
	evenBytes = 0x0000_00ff_0000_00ff
)

// Clip returns the four units of a sum of a FirstLayer, bounded to 0 … 255.
func Clip(x uint64) uint64 { return clipped(x) & lowBytes }

// clipped is Clip, but for the upper bytes of the units.
func clipped(x uint64) uint64 {
	positive := x & topBits
	x &= positive - positive>>15 // 0 instead of what is negative
	large := (x + 0x7f00_7f00_7f00_7f00) & topBits
	return x | (large>>7 - large>>15)
}

// An outWord is the output weights of four units, so that a product of words does two of
// multiplications and their sum: (c0 + c2<<32) * (w2 + w0<<32) has c0*w0 + c2*w2 in its upper half.
// The lower half, c0*w2, is small enough that a sum of all words does not leave it.
type outWord struct{ even, odd uint64 }

func newOutWord(w [4]int16) outWord {
	return outWord{
		even: uint64(int64(w[2])) + uint64(int64(w[0]))<<32,
		odd:  uint64(int64(w[3])) + uint64(int64(w[1]))<<32,
	}
}

// output returns the sum of the clipped units times their weights.
func output(sums []uint64, weights []outWord) int {
	weights = weights[:len(sums)]
	var sum uint64
	for i, x := range sums {
		x = clipped(x)
		sum += (x&evenBytes)*weights[i].even + (x>>16&evenBytes)*weights[i].odd
	}
	return int(int32((sum + 1<<31) >> 32))
}
