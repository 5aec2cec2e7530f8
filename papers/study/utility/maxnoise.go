package utility

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Bound is Proposition 1: a level that no noise exceeds in absolute value, with probability at least 1 − δ. Units:
// records.
type Bound struct {
	Paper float64 // b ln(cells/δ), as printed: holds, by the union bound
	Exact float64 // −b ln(1 − (1−δ)^{1/cells}): the exact 1 − δ quantile
	Loose float64 // Paper/Exact, at least 1
}

// MaxNoiseBound bounds the largest of cells independent |Lap(b)|, in the printed and in the exact form:
//
//	P(max ≤ z) = (1 − e^{−z/b})^cells.
//
// cells is the number of noisy counts, Σ q_i r_i over the nodes with r_i levels and q_i parent configurations: 2m on
// two-level nodes, where m = Σ 2^{|π_i|}. Clamping to [0, n] afterwards keeps the bound.
//
// Domain: cells ≥ 1, b > 0, 0 < δ < 1; otherwise a *ParameterError. Source: Proposition 1 of the network paper.
func MaxNoiseBound(cells int, b, delta float64) (Bound, error) {
	if err := check("MaxNoiseBound", domain.AtLeast("cells", cells, 1), domain.Positive("b", b),
		domain.Probability("delta", delta)); err != nil {
		return Bound{}, err
	}
	k := float64(cells)
	p := Bound{Paper: b * (math.Log(k) - math.Log(delta))}
	// 1 − (1−δ)^{1/k}, without losing small δ/k.
	p.Exact = -b * math.Log(-math.Expm1(math.Log1p(-delta)/k))
	p.Loose = p.Paper / p.Exact
	return p, nil
}

// HalfCellsBound is b ln(m/δ) with m = cells/2: the reading that counts parent configurations and forgets that each has
// two noisy counts. It fails: a naive Bayes network of 16 features at ε = 1 exceeds it with probability 0.0952 where δ
// = 0.05 is claimed. See [ExceedProbability].
//
// Domain: cells ≥ 2 and even, b > 0, 0 < δ < 1; otherwise a *ParameterError.
func HalfCellsBound(cells int, b, delta float64) (float64, error) {
	err := check("HalfCellsBound", domain.Arg("cells", cells, cells >= 2 && cells%2 == 0,
		"an even number, at least 2"), domain.Positive("b", b), domain.Probability("delta", delta))
	if err != nil {
		return 0, err
	}
	return b * (math.Log(float64(cells/2)) - math.Log(delta)), nil
}

// ExceedProbability is the exact probability that the largest of cells independent |Lap(b)| exceeds z:
//
//	1 − (1 − e^{−z/b})^cells.
//
// Domain: cells ≥ 1, b > 0, z finite; a negative z gives 1. Otherwise a *ParameterError.
func ExceedProbability(cells int, b, z float64) (float64, error) {
	err := check("ExceedProbability", domain.AtLeast("cells", cells, 1), domain.Positive("b", b),
		domain.Arg("z", z, domain.Finite(z), "a finite number"))
	if err != nil {
		return 0, err
	}
	if z <= 0 {
		return 1, nil
	}
	return -math.Expm1(float64(cells) * math.Log1p(-math.Exp(-z/b))), nil
}
