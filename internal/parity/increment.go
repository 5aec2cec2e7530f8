package parity

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// MaxShape is the largest k of GammaTail and GammaIncrement.
const MaxShape = 1 << 30

// GammaTail is P(G > x) for G ~ Gamma(k, 1), k a whole number from 1 to MaxShape: the law of a sum of k independent
// magnitudes of Laplace noise of scale 1. With an error of a few 1e-14 relative to the smaller of it and its
// complement, for tails down to 1e-300:
//
//	P(G > x) = Σ_{j<k} e^−x x^j/j!  (a Poisson law),
//
// of which the sum on the short side is taken, from its largest term. Errors: *ValueError for k or x outside their
// domain.
func GammaTail(k int, x float64) (float64, error) {
	if err := shape(k); err != nil {
		return 0, err
	}
	if !(x >= 0) {
		return 0, &ValueError{"x", x, "a number of at least 0"}
	}
	lower, upper := gammaTails(k, x)
	if lower < upper {
		return 1 - lower, nil
	}
	return upper, nil
}

// GammaIncrement is the (1 − δ)-quantile of Gamma(k, 1): the t with P(G > t) = δ, 0 < δ < 1, to a relative 1e-13. When
// k coefficients have independent Laplace noise of scale b, their magnitudes add up to more than b·t with probability
// δ; so φ_0 + b·t makes all tables those of a non-negative joint table with probability at least 1 − δ, whatever the
// data. It is data-free.
//
// Errors: *ValueError for k or δ outside their domain.
func GammaIncrement(k int, delta float64) (float64, error) {
	if err := shape(k); err != nil {
		return 0, err
	}
	if !(delta > 0 && delta < 1) {
		return 0, &ValueError{"δ", delta, "a number between 0 and 1"}
	}
	// The smaller tail keeps its digits; both are compared on the log scale.
	excess := func(x float64) float64 {
		lower, upper := gammaTails(k, x)
		if delta <= 0.5 {
			return math.Log(delta) - math.Log(upper)
		}
		return math.Log(lower) - math.Log1p(-delta)
	}
	lo, hi := float64(k), float64(k)
	for excess(lo) > 0 {
		lo /= 2
	}
	for excess(hi) < 0 {
		hi += math.Sqrt(float64(k)) + hi/4
	}
	a, b, err := num.RootBracket(excess, lo, hi, 0)
	return a + (b-a)/2, err
}

// gammaTails are P(G ≤ x) and P(G > x), the smaller one with its relative accuracy.
func gammaTails(k int, x float64) (lower, upper float64) {
	if x == 0 {
		return 0, 1
	}
	if math.IsInf(x, 1) {
		return 1, 0
	}
	m := float64(k)
	if x < m { // P(G ≤ x) = Σ_{j≥k} e^−x x^j/j!
		sum, term := 0.0, 1.0
		for j := m + 1; term > sum*0x1p-60; j++ {
			sum += term
			term *= x / j
		}
		lower = math.Exp(logPoisson(m, x)) * sum
		return lower, 1 - lower
	}
	sum, term := 0.0, 1.0
	for j := m - 1; term > sum*0x1p-60; j-- { // ends with term = 0 at j = 0
		sum += term
		term *= j / x
	}
	upper = math.Exp(logPoisson(m-1, x)) * sum
	return 1 - upper, upper
}

// logPoisson is ln(e^−x x^m/m!) without cancellation: −m·[r − ln(1+r)] − ½ ln 2πm − S(m) with r = (x − m)/m and S the
// Stirling tail.
func logPoisson(m, x float64) float64 {
	if m == 0 {
		return -x
	}
	r := (x - m) / m
	if r < -0.99 { // far below, where ln(1+r) loses what x has
		return m*math.Log(x) - x - num.LogGamma(m+1)
	}
	return m*num.Log1pMinus(r) - 0.5*math.Log(2*math.Pi*m) - num.StirlingTail(m)
}

func shape(k int) error {
	if k < 1 || k > MaxShape {
		return &ValueError{"the number of noisy coefficients", float64(k), fmt.Sprintf("1 to %d", MaxShape)}
	}
	return nil
}

// Textbook is the non-negativity increment of the paper's Corollary 3 with what it is worth.
type Textbook struct {
	Increment float64 // 2t|N|, in units of the noise scale b = 2|N|/ε
	Claimed   float64 // e^−t, the failure probability it claims
	Failure   float64 // P(Gamma(|N|) > 2t|N|), the proved bound
	Holds     bool    // t ≥ ½, where the claim is proved
}

// TextbookIncrement is the increment 4t|N|²/ε = 2t|N|·b of Corollary 3 (unnormalised coefficients), for size = |N|
// noisy coefficients and t > 0. The claim P(Gamma(|N|, 1) > 2t|N|) ≤ e^−t holds for t ≥ ½: at ½ the median of a gamma
// law is below its mean (and for |N| = 1, e^−2t ≤ e^−t), and beyond, the hazard of the law is at least 1/(2|N|). For
// smaller t it can fail; Failure is then the truth.
//
// Errors: *ValueError for size or t outside their domain.
func TextbookIncrement(size int, t float64) (Textbook, error) {
	if err := shape(size); err != nil {
		return Textbook{}, err
	}
	if !(t > 0) || math.IsInf(t, 1) {
		return Textbook{}, &ValueError{"t", t, "a positive finite number"}
	}
	inc := 2 * t * float64(size)
	failure, err := GammaTail(size, inc)
	return Textbook{inc, math.Exp(-t), failure, t >= 0.5}, err
}
