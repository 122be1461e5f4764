package match

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestEloOfAndScoreOf(t *testing.T) {
	// 400 Elo are odds of 10 to 1, by definition.
	near(t, "ScoreOf(0)", ScoreOf(0), 0.5, 1e-12)
	near(t, "ScoreOf(400)", ScoreOf(400), 10.0/11, 1e-12)
	near(t, "EloOf(10/11)", EloOf(10.0/11), 400, 1e-9)
	near(t, "EloOf(3/4)", EloOf(0.75), 190.8485, 1e-4) // 400 log10 3
	for _, elo := range []float64{-700, -35, 1, 500} {
		near(t, "EloOf(ScoreOf)", EloOf(ScoreOf(elo)), elo, 1e-6)
	}
	if !math.IsInf(EloOf(1), 1) || !math.IsInf(EloOf(1.2), 1) || !math.IsInf(EloOf(0), -1) {
		t.Error("the ends of the scale are not infinite")
	}
}

// By hand: ten pairs with 0, 0, ½, 1, 1, 1, 1, 1½, 2, 2 points have the scores 0, 0, ¼, ½, ½, ½, ½,
// ¾, 1, 1, whose mean is ½; the squares of the deviations are 4·¼ + 2·1/16 = 9/8.
func TestMeanAndVariance(t *testing.T) {
	tally := Tally{Pairs: [5]int{2, 1, 4, 1, 2}}
	mean, variance := tally.MeanAndVariance()
	near(t, "mean", mean, 0.5, 1e-12)
	near(t, "variance", variance, 9.0/80, 1e-12)

	elo, low, high, ok := tally.Elo()
	if !ok {
		t.Fatal("no Elo")
	}
	// The unbiased variance is 1/8, so the standard error is sqrt(1/80) = 0.1118034 and the
	// interval
	// 0.5 ± 0.2191307: ±400 log10(0.7191307/0.2808693) = ±163.33.
	near(t, "elo", elo, 0, 1e-9)
	near(t, "low", low, -163.33, 0.01)
	near(t, "high", high, 163.33, 0.01)
}

func TestEloOfASweep(t *testing.T) {
	tally := Tally{Wins: 200, Pairs: [5]int{4: 100}}
	elo, low, high, ok := tally.Elo()
	if !ok || !math.IsInf(elo, 1) || !math.IsInf(high, 1) {
		t.Errorf("%v (%v … %v) %v", elo, low, high, ok)
	}
	// 0.05^(1/100) = exp(-2.995732/100) = 0.970487: 400 log10(0.970487/0.029513) = 606.8.
	near(t, "low", low, 606.8, 0.1)
	if _, _, _, ok := (&Tally{Wins: 2, Pairs: [5]int{4: 1}}).Elo(); ok {
		t.Error("a single pair has an interval")
	}
}

func TestBounds(t *testing.T) {
	low, high := SPRT{0, 5}.Bounds()
	near(t, "upper bound", high, 2.944439, 1e-6) // ln 19
	near(t, "lower bound", low, -2.944439, 1e-6)
}

// gsprt is the likelihood ratio without the normal approximation: for each hypothesis the most
// likely distribution of pair scores with that mean, found by bisection (Van den Bergh, A Practical
// Introduction to the GSPRT, 2020, proposition 1.1).
func gsprt(tally *Tally, s SPRT) float64 {
	n := float64(tally.NumPairs())
	likeliest := func(mean float64) (p [5]float64) {
		excess := func(theta float64) (sum float64) {
			for i, count := range tally.Pairs {
				d := float64(i)/4 - mean
				sum += float64(count) / n * d / (1 + theta*d)
			}
			return sum
		}
		low, high := -1/(1-mean)+1e-9, 1/mean-1e-9
		for range 200 {
			if mid := (low + high) / 2; excess(mid) > 0 {
				low = mid
			} else {
				high = mid
			}
		}
		for i, count := range tally.Pairs {
			p[i] = float64(count) / n / (1 + low*(float64(i)/4-mean))
		}
		return p
	}
	p0, p1 := likeliest(ScoreOf(s.Elo0)), likeliest(ScoreOf(s.Elo1))
	llr := 0.0
	for i, count := range tally.Pairs {
		if count > 0 {
			llr += float64(count) * math.Log(p1[i]/p0[i])
		}
	}
	return llr
}

func TestLLR(t *testing.T) {
	for _, c := range []struct {
		name  string
		pairs [5]int
		sprt  SPRT
	}{
		{"won a little", [5]int{80, 160, 440, 280, 40}, SPRT{0, 5}},
		{"even", [5]int{100, 200, 400, 200, 100}, SPRT{0, 5}},
		{"a gain", [5]int{900, 4900, 10000, 5100, 1000}, SPRT{0, 5}},
		{"a loss", [5]int{1000, 5100, 10000, 4900, 900}, SPRT{-5, 0}},
		{"few draws", [5]int{210, 20, 500, 20, 250}, SPRT{0, 10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tally := Tally{Pairs: c.pairs}
			got, want := c.sprt.LLR(&tally), gsprt(&tally, c.sprt)
			t.Logf("%.4f, exactly %.4f", got, want)
			near(t, "LLR", got, want, 0.02+0.01*math.Abs(want))
		})
	}
	// Two of three pairs won, one even: mean 5/6, variance (2·(1/6)² + (1/3)²)/3 = 1/18. With Elo 0
	// and 400: s0 = 1/2, s1 = 10/11, so 3 · (9/22) · (5/3 − 31/22) / (1/9) = 2.84091.
	near(t, "LLR by hand", SPRT{0, 400}.LLR(&Tally{Pairs: [5]int{2: 1, 4: 2}}), 3*(9.0/22)*(5.0/3-31.0/22)*9, 1e-9)
	// Mean 0.51, variance 0.3175 − 0.51² = 0.0574, s1 = 1/(1+10^(−5/400)) = 0.5071948:
	// 1000 · 0.0071948 · (1.02 − 1.0071948) / (2 · 0.0574) = 0.8025.
	near(t, "LLR by hand", SPRT{0, 5}.LLR(&Tally{Pairs: [5]int{80, 160, 440, 280, 40}}), 0.8025, 5e-5)
	if got := (SPRT{0, 5}).LLR(&Tally{Pairs: [5]int{4: 50}}); got != 0 {
		t.Errorf("LLR %v without variance", got)
	}
	if got := (SPRT{0, 5}).LLR(&Tally{}); got != 0 {
		t.Errorf("LLR %v without games", got)
	}
}

func TestDecide(t *testing.T) {
	s := SPRT{0, 100}
	for _, c := range []struct {
		name  string
		pairs [5]int
		want  Decision
	}{
		{"nothing", [5]int{}, Undecided},
		{"29 pairs", [5]int{0, 0, 4, 5, 20}, Undecided},
		{"30 pairs", [5]int{0, 0, 4, 5, 21}, AcceptH1},
		{"30 pairs lost", [5]int{21, 5, 4, 0, 0}, AcceptH0},
		{"no variance", [5]int{4: 100}, Undecided},
		{"even", [5]int{10, 10, 10, 10, 11}, AcceptH0},
		{"between", [5]int{6, 10, 10, 14, 14}, Undecided},
	} {
		tally := Tally{Pairs: c.pairs}
		if got := s.Decide(&tally); got != c.want {
			t.Errorf("%s: %v (LLR %.2f), want %v", c.name, got, s.LLR(&tally), c.want)
		}
	}
}

// A pair counts when both of its games are there.
func TestSummaryOfPairs(t *testing.T) {
	s := NewSummary()
	for _, r := range []Result{{Game: 0, Won: "A"}, {Game: 1, Won: "A"}, {Game: 2, Won: "B"}, {Game: 5, Won: "A"},
		{Game: 7}, {Game: 8}, {Game: 9, Won: "B"}} {
		s.add(&r)
	}
	if s.Wins != 3 || s.Draws != 2 || s.Losses != 2 || s.Pairs != [5]int{1: 1, 4: 1} || s.Points() != 4 {
		t.Errorf("%+v", s.Tally)
	}
}
