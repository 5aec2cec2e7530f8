package structure

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// added is the noise on tables: a family whose parameter is found from a share of the budget.
type added struct {
	noise.OneParameter
	kind, name, words string // in files, in titles and check parameters, before a parameter
	bits              int    // of a parameter: what rounding leaves unspent is below 1e-6 of it
	unbounded         bool   // it has no pure ε
	// rate is the parameter whose noise on some counts, each shifted by rows, spends at most the budget: an ε where
	// pure, a ρ otherwise.
	rate         func(budget float64, pure bool, cells, rows int) float64
	meanAbsolute func(parameter float64) float64
}

// rounded is a parameter in the range of the sampler, toward privacy.
func (z *added) rounded(x float64) noise.Rational {
	if z.Search.Variance {
		return noise.Dyadic(math.Max(x, z.Search.Low), z.bits, true).Reduced()
	}
	return noise.Dyadic(math.Min(x, z.Search.High), z.bits, false).Reduced()
}

func (z *added) pair(r noise.Rational, cells, rows int) loss.Pair {
	return z.PairAt(r.Float(), cells, rows)
}

// rateBits are those of rates.
const rateBits = 24

var geometric = &added{
	OneParameter: noise.GeometricFamily, kind: "learned-geometric", name: "geometric", words: "two-sided geometric, γ = ",
	bits: rateBits, meanAbsolute: func(rate float64) float64 { return 1 / math.Sinh(math.Min(rate, 300)) },
	rate: func(budget float64, pure bool, cells, rows int) float64 {
		each := budget / float64(cells)
		if !pure { // γ·tanh(γ/2) = ρ for one count: γ = √(2ρ) but for the curvature of tanh
			g := math.Sqrt(2 * each)
			for range 40 {
				g -= (g*math.Tanh(g/2) - each) / (math.Tanh(g/2) + g/2/math.Pow(math.Cosh(math.Min(g/2, 300)), 2))
			}
			each = g
		}
		return each / float64(rows)
	},
}

var gaussian = &added{
	OneParameter: noise.GaussianFamily, kind: "learned-gaussian", name: "discrete Gaussian",
	words: "discrete Gaussian, σ² = ",
	bits:  noise.GaussianBits, unbounded: true,
	meanAbsolute: func(sigma2 float64) float64 { return math.Sqrt(2 * sigma2 / math.Pi) },
	rate: func(budget float64, _ bool, cells, rows int) float64 {
		return float64(cells) * float64(rows) * float64(rows) / (2 * budget)
	},
}

// selectionRange is the ε whose choice by the exponential mechanism spends the budget: itself where pure, else by
// Newton's steps on ρ₁(ε) ≈ ε²/8.
func selectionRange(budget float64, pure bool) float64 {
	if pure {
		return budget
	}
	e := math.Sqrt(8 * budget)
	for range 60 {
		e *= math.Sqrt(budget / loss.SelectionPair{Epsilon: e}.ZCDP())
	}
	return e
}
