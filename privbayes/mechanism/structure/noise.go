package structure

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// law is an exact law on the integers, symmetric about 0.
type law interface {
	Draw(src interface{ Uint64() uint64 }) int64
	LogProb(z int64) float64
	LogTail(z int64) float64
	Variance() float64
}

// noise is one of the two families of noise on tables.
type noise interface {
	name() string
	// rate is the parameter whose noise on some counts, each shifted by rows, spends at most the budget: an ε where
	// pure, a ρ otherwise.
	rate(budget float64, pure bool, cells, rows int) float64
	rounded(rate float64) mechanism.Rational // toward privacy
	pair(r mechanism.Rational, cells, rows int) loss.Pair
	law(r mechanism.Rational) (law, error)
	meanAbsolute(rate float64) float64
	words(r mechanism.Rational) string
}

// Bits of the parameters: what rounding leaves unspent is below 1e-6 of it.
const (
	rateBits     = 24
	gaussianBits = 20
)

type geometric struct{}

func (geometric) name() string { return "geometric" }

func (geometric) rate(budget float64, pure bool, cells, rows int) float64 {
	each := budget / float64(cells)
	if !pure { // γ·tanh(γ/2) = ρ for one count: γ = √(2ρ) but for the curvature of tanh
		g := math.Sqrt(2 * each)
		for range 40 {
			g -= (g*math.Tanh(g/2) - each) / (math.Tanh(g/2) + g/2/math.Pow(math.Cosh(math.Min(g/2, 300)), 2))
		}
		each = g
	}
	return each / float64(rows)
}

// The range of the samplers; see package counts.
const (
	minRate   = 1.0 / (1 << 30)
	maxRate   = 64
	minSigma2 = 1.0 / 256
	maxSigma2 = 1 << 52
)

func (geometric) rounded(rate float64) mechanism.Rational {
	return mechanism.Dyadic(math.Min(rate, maxRate), rateBits, false).Reduced()
}

func (geometric) pair(r mechanism.Rational, cells, rows int) loss.Pair {
	if rows > 1 {
		return loss.ShiftedGeometricPair{Rate: r.Float(), Shift: rows, Cells: cells}
	}
	return loss.GeometricPair{Rate: r.Float(), Cells: cells}
}

// parameter is what a law is known by beside its family: rate or σ².
type parameter interface{ parameter() (rate, sigma2 float64) }

type geometricLaw struct {
	sample.TwoSidedGeometric
	rate float64
}

func (l geometricLaw) parameter() (rate, sigma2 float64) { return l.rate, 0 }

func (l geometricLaw) Draw(src interface{ Uint64() uint64 }) int64 {
	return l.TwoSidedGeometric.Draw(src)
}

func (geometric) law(r mechanism.Rational) (law, error) {
	l, err := sample.NewTwoSidedGeometric(r.Num, r.Den)
	return geometricLaw{l, r.Float()}, err
}

func (geometric) meanAbsolute(rate float64) float64 { return 1 / math.Sinh(math.Min(rate, 300)) }

func (geometric) words(r mechanism.Rational) string { return "two-sided geometric, γ = " + r.String() }

type gaussian struct{}

func (gaussian) name() string { return "discrete Gaussian" }

func (gaussian) rate(budget float64, _ bool, cells, rows int) float64 {
	return float64(cells) * float64(rows) * float64(rows) / (2 * budget)
}

func (gaussian) rounded(rate float64) mechanism.Rational {
	return mechanism.Dyadic(math.Max(rate, minSigma2), gaussianBits, true).Reduced()
}

func (gaussian) pair(r mechanism.Rational, cells, rows int) loss.Pair {
	return loss.DiscreteGaussianPair{Sigma2: r.Float(), Cells: cells, Shift: rows}
}

type gaussianLaw struct {
	sample.DiscreteGaussian
	sigma2 float64
}

func (l gaussianLaw) parameter() (rate, sigma2 float64) { return 0, l.sigma2 }

func (l gaussianLaw) Draw(src interface{ Uint64() uint64 }) int64 {
	return l.DiscreteGaussian.Draw(src)
}

func (gaussian) law(r mechanism.Rational) (law, error) {
	l, err := sample.NewDiscreteGaussian(r.Num, r.Den)
	return gaussianLaw{l, r.Float()}, err
}

func (gaussian) meanAbsolute(sigma2 float64) float64 { return math.Sqrt(2 * sigma2 / math.Pi) }

func (gaussian) words(r mechanism.Rational) string { return "discrete Gaussian, σ² = " + r.String() }

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
