package match

import "math"

// A Tally counts the results of games from the view of A.
type Tally struct {
	Wins, Draws, Losses int
	// Pairs counts the finished pairs by what A scored in them: 0, ½, 1, 1½ or 2 points
	// (pentanomial).
	Pairs [5]int
}

// Games returns how many games were counted.
func (t *Tally) Games() int { return t.Wins + t.Draws + t.Losses }

// Points returns what A scored, half a point for a draw.
func (t *Tally) Points() float64 { return float64(t.Wins) + float64(t.Draws)/2 }

// NumPairs returns how many pairs were counted.
func (t *Tally) NumPairs() int {
	n := 0
	for _, count := range t.Pairs {
		n += count
	}
	return n
}

// MeanAndVariance returns those of the scores of the pairs, each 0, ¼, ½, ¾ or 1. The variance is
// that of the pairs seen, divided by their number.
func (t *Tally) MeanAndVariance() (mean, variance float64) {
	n := float64(t.NumPairs())
	for i, count := range t.Pairs {
		mean += float64(count) * float64(i) / 4 / n
	}
	for i, count := range t.Pairs {
		d := float64(i)/4 - mean
		variance += float64(count) * d * d / n
	}
	return mean, variance
}

// normal95 is how many standard deviations about the mean hold 95 % of a normal distribution.
const normal95 = 1.959964

// Elo returns by how much A is the stronger, with an interval that holds the true difference in 95
// % of all matches, as the pairs say it. It is false without two pairs.
//
// If all pairs scored the same, the variance says nothing. Then the bound is the score at which
// pairs that are unlike those seen would still show up with 95 %.
func (t *Tally) Elo() (elo, low, high float64, ok bool) {
	n := float64(t.NumPairs())
	if n < 2 {
		return 0, 0, 0, false
	}
	mean, variance := t.MeanAndVariance()
	half := normal95 * math.Sqrt(variance/(n-1)) // the unbiased variance, divided by n
	if variance == 0 {
		half = 1 - math.Pow(0.05, 1/n)
	}
	return EloOf(mean), EloOf(mean - half), EloOf(mean + half), true
}

// EloOf returns the difference of Elo at which a score between 0 and 1 is expected; infinity at the
// ends and beyond.
func EloOf(score float64) float64 {
	switch {
	case score <= 0:
		return math.Inf(-1)
	case score >= 1:
		return math.Inf(1)
	}
	return -400 * math.Log10(1/score-1)
}

// ScoreOf returns the score that is expected at a difference of Elo.
func ScoreOf(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// An SPRT is a sequential probability ratio test between two hypotheses: the difference is Elo0, or
// it is Elo1, which has to be larger.
//
// The ratio is the generalised one for scores of pairs, in its normal approximation: M. Van den
// Bergh, A Practical Introduction to the GSPRT (2020); A. Wald, Sequential Tests of Statistical
// Hypotheses (1945) for the bounds.
type SPRT struct{ Elo0, Elo1 float64 }

const (
	errorRate = 0.05 // of either kind
	minPairs  = 30   // before the test decides: the approximation is for many pairs
)

// Bounds returns the logarithms of the likelihood ratio at which the test ends.
func (SPRT) Bounds() (lower, upper float64) {
	bound := math.Log((1 - errorRate) / errorRate)
	return -bound, bound
}

// LLR returns the logarithm of the likelihood ratio. It is 0 while there is no variance.
func (s SPRT) LLR(t *Tally) float64 {
	mean, variance := t.MeanAndVariance()
	if t.NumPairs() == 0 || variance == 0 {
		return 0
	}
	s0, s1 := ScoreOf(s.Elo0), ScoreOf(s.Elo1)
	return float64(t.NumPairs()) * (s1 - s0) * (2*mean - s0 - s1) / (2 * variance)
}

// A Decision is what an SPRT has come to.
type Decision uint8

// The decisions.
const (
	Undecided Decision = iota
	AcceptH0           // the difference is nearer to Elo0
	AcceptH1           // it is nearer to Elo1
)

// Decide returns what the pairs say.
func (s SPRT) Decide(t *Tally) Decision {
	if t.NumPairs() < minPairs {
		return Undecided
	}
	lower, upper := s.Bounds()
	switch llr := s.LLR(t); {
	case llr <= lower:
		return AcceptH0
	case llr >= upper:
		return AcceptH1
	}
	return Undecided
}
