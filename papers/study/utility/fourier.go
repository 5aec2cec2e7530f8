package utility

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// TableError is Theorem 3 for one family of s two-level variables: bounds, in records, of the L1 distance of its
// released Fourier table from the exact one, each holding with probability at least 1 − δ.
type TableError struct {
	Increment     float64 // 4tN²/ε, the exact L1 weight of the increment
	PaperNoise    float64 // (2N/ε) 2^s ln(N/δ)
	ParsevalNoise float64 // (2N/ε) 2^{s/2} ln(2^s/δ)
	Paper         float64 // PaperNoise + Increment, as printed
	Parseval      float64 // ParsevalNoise + Increment

	// With the exact L1 sensitivity 2·odd of the coefficients in place of 2N, hence b = 2·odd/ε:
	ExactIncrement float64 // 2tN·2odd/ε
	ExactNoise     float64 // (2odd/ε) 2^{s/2} ln(2^s/δ)
	Exact          float64 // ExactNoise + ExactIncrement
}

// FourierTable is Theorem 3 as printed and sharpened, for a network of N Fourier coefficients whose exact L1
// sensitivity is 2·odd, and a family of s variables, parents and node. As printed it reads
//
//	(4N/ε) (2^{s−1} ln(N/δ) + tN);
//
// it holds and is loose. Only 2^s coefficients enter the table, so the logarithm is of 2^s/δ; and by Parseval the L1
// distance is at most the Euclidean length of those 2^s noises, at most 2^{s/2} times the largest.
//
// Domain: 1 ≤ s ≤ 62, N ≥ 2^s, 1 ≤ odd ≤ N, t ≥ 0, 0 < δ < 1, ε > 0; otherwise a *ParameterError. Source: Theorem 3 of
// the network paper.
func FourierTable(coefficients, odd, s int, t, delta, epsilon float64) (TableError, error) {
	err := check("FourierTable", domain.Arg("s", s, s >= 1 && s <= 62, "a number of variables in [1, 62]"),
		domain.AtLeast("coefficients", coefficients, 1<<min(max(s, 0), 62)),
		domain.Arg("odd", odd, odd >= 1 && odd <= coefficients, "an integer in [1, coefficients]"),
		domain.Arg("t", t, t >= 0 && domain.Finite(t), "a finite number ≥ 0"), domain.Probability("delta", delta),
		domain.Positive("epsilon", epsilon))
	if err != nil {
		return TableError{}, err
	}
	N, b, exact := float64(coefficients), 2*float64(coefficients)/epsilon, 2*float64(odd)/epsilon
	root, logs := math.Exp2(float64(s)/2), float64(s)*math.Ln2-math.Log(delta)
	e := TableError{
		Increment:  2 * t * N * b,
		PaperNoise: b * math.Exp2(float64(s)) * (math.Log(N) - math.Log(delta)), ParsevalNoise: b * root * logs,
		ExactIncrement: 2 * t * N * exact, ExactNoise: exact * root * logs,
	}
	e.Paper, e.Parseval, e.Exact = e.PaperNoise+e.Increment, e.ParsevalNoise+e.Increment, e.ExactNoise+e.ExactIncrement
	return e, nil
}
