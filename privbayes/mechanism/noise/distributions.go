package noise

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

type geometric = sample.TwoSidedGeometric

// Geometric is two-sided geometric noise, P(Z = z) ∝ e^{−γ|z|} (Ghosh, Roughgarden, Sundararajan 2012), with a method
// Rate, γ per step. Values come from [NewGeometric].
type Geometric struct{ geometric }

// NewGeometric checks 2^−31 ≤ γ. Errors: *dp.ParameterError.
func NewGeometric(rate Rational) (Geometric, error) {
	g, err := sample.NewTwoSidedGeometric(rate.Num, rate.Den)
	return Geometric{g}, err
}

// GeometricFamily is two-sided geometric noise of every rate: below 2^−30 it leaves the range of the sampler, above 64
// it is 0 but for a probability of 2e^{−64}.
var GeometricFamily = OneParameter{
	Named: "geometric", Search: Search{Low: 1.0 / (1 << 30), High: 64, Bits: 32}, PairAt: geometricPair,
	Of: func(r Rational) (Distribution, error) { return of(NewGeometric(r)) },
}

// geometricPair is randomised response for one row, and for units of k rows a shift by k of every count, which covers
// all they can do: see the theorem of loss.GeometricPair. Both are attained.
func geometricPair(rate float64, cells, rows int) loss.Pair {
	if rows > 1 {
		return loss.ShiftedGeometricPair{Rate: rate, Shift: rows, Cells: cells}
	}
	return loss.GeometricPair{Rate: rate, Cells: cells}
}

// Parameter is γ.
func (g Geometric) Parameter() Rational { return Rational{g.Num, g.Den} }

// MarshalJSON writes γ.
func (g Geometric) MarshalJSON() ([]byte, error) { return json.Marshal(g.Parameter()) }

// Unit is one step per record.
func (Geometric) Unit() int64 { return 1 }

// Form is −γ|z|.
func (g Geometric) Form() Form { return Form{Rate: g.Rate()} }

// Pair is m-fold randomised response at γ, or shifts by the rows of a unit.
func (g Geometric) Pair(cells, rows int) loss.Pair { return geometricPair(g.Rate(), cells, rows) }

// MeanAbsolute is E|Z| = 2q/(1−q²) = 1/sinh γ.
func (g Geometric) MeanAbsolute() float64 { return 1 / math.Sinh(g.Rate()) }

func (g Geometric) String() string { return "two-sided geometric, rate " + shown("γ", g.Parameter()) }

// StandardFormula is ε = Δ₁γ.
func (g Geometric) StandardFormula(cells, rows int, _ dp.Parameters) (dp.Parameters, string) {
	return dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(float64(cells*rows) * g.Rate())},
		"ε = Δ₁γ, Laplace mechanism, Dwork, McSherry, Nissim, Smith 2006"
}

// LaplaceSteps is the lattice of [Laplace] noise: steps per record.
const LaplaceSteps = 1 << 16

// Laplace is Laplace noise of scale 1/γ records on the lattice of 1/65536 of a record: two-sided geometric noise at
// rate γ/65536 per step, whose distribution is that of rounded Laplace noise. Values come from [NewLaplace].
type Laplace struct{ Geometric }

// NewLaplace takes γ per record. Errors: *dp.ParameterError.
func NewLaplace(rate Rational) (Laplace, error) {
	g, err := sample.NewTwoSidedGeometric(rate.Num, rate.Den*LaplaceSteps)
	return Laplace{Geometric{g}}, err
}

// LaplaceFamily is Laplace noise from γ = 2^−15: below it a step would pass the sampler's limits, and rounding would
// cost 0.2 %. Denominators leave room for the lattice.
var LaplaceFamily = OneParameter{
	Named: "laplace", Search: Search{Low: 1.0 / (1 << 15), High: 64, Bits: 32, Den: 1 << 24}, PairAt: laplacePairAt,
	Of: func(r Rational) (Distribution, error) { return of(NewLaplace(r)) },
}

// Parameter is γ per record.
func (l Laplace) Parameter() Rational { return Rational{l.Num, l.Den / LaplaceSteps} }

// MarshalJSON writes γ per record.
func (l Laplace) MarshalJSON() ([]byte, error) { return json.Marshal(l.Parameter()) }

// Unit is [LaplaceSteps].
func (Laplace) Unit() int64 { return LaplaceSteps }

// Pair is that of the noise on its lattice.
func (l Laplace) Pair(cells, rows int) loss.Pair {
	return laplacePairAt(l.Parameter().Float(), cells, rows)
}

func (l Laplace) String() string {
	return fmt.Sprintf("Laplace of scale 1/γ = %.6g records, on a grid of 1/%d", 1/l.Parameter().Float(), LaplaceSteps)
}

// StandardFormula is ε = Δ₁γ.
func (l Laplace) StandardFormula(cells, rows int, want dp.Parameters) (dp.Parameters, string) {
	return Geometric{geometric{Num: l.Num, Den: l.Den / LaplaceSteps}}.StandardFormula(cells, rows, want)
}

// laplacePair is the pair of Laplace noise on the lattice, on Cells counts that one record changes by one: far below
// randomised response at γ in Rényi divergence and δ, and equal to it in pure ε. Its Rényi divergence is that of the
// noise as drawn. Its profile is that of a coarser lattice, which dominates: splitting the mass at a loss between the
// two nearest coarser ones, with the masses of both distributions kept, can only increase a hockey-stick divergence,
// and gives the distribution on the coarser lattice.
type laplacePair struct {
	loss.ShiftedGeometricPair
	coarse loss.ShiftedGeometricPair
}

// coarseSteps is the lattice of the profile; it costs a relative 1e-6 or so.
const coarseSteps = 1 << 10

// Delta is the profile on the coarser lattice.
func (p laplacePair) Delta(epsilon float64) float64 { return p.coarse.Delta(epsilon) }

// DeltaUntil is Delta under loss.Until.
func (p laplacePair) DeltaUntil(epsilon float64, stop func() bool) float64 {
	return p.coarse.DeltaUntil(epsilon, stop)
}

// laplacePairAt is by the theorem of loss.GeometricPair for several rows of one unit, with shifts in steps.
func laplacePairAt(rate float64, cells, rows int) loss.Pair {
	return laplacePair{
		loss.ShiftedGeometricPair{Rate: rate / LaplaceSteps, Shift: LaplaceSteps * rows, Cells: cells},
		loss.ShiftedGeometricPair{Rate: rate / coarseSteps, Shift: coarseSteps * rows, Cells: cells},
	}
}

type gaussian = sample.DiscreteGaussian

// Gaussian is discrete Gaussian noise, P(Z = z) ∝ e^{−z²/(2σ²)} (Canonne, Kamath, Steinke 2020), with a method Sigma2,
// σ². Values come from [NewGaussian].
type Gaussian struct {
	gaussian
	// Vector says that the δ of a unit of several rows is that of the counts that it changes, and not of ρ, as in older
	// files. See loss.LatticePair.
	Vector bool
}

// NewGaussian checks σ². Errors: *dp.ParameterError.
func NewGaussian(sigma2 Rational) (Gaussian, error) {
	g, err := sample.NewDiscreteGaussian(sigma2.Num, sigma2.Den)
	return Gaussian{gaussian: g}, err
}

// GaussianBits of σ² lose 1e-6 of the budget and keep the sampler's exponent within 64-bit words, eight times as fast
// as beyond.
const GaussianBits = 20

// GaussianFamily is discrete Gaussian noise of every variance, for all levels but pure ε, which none has: below 1/256
// it is 0 but for a probability under e^{−100}, above 2^52 it leaves the range of the sampler.
// For units of several rows under (ε, δ) it is calibrated by the counts that they change, where PairAt is by ρ.
var GaussianFamily = gaussians{OneParameter{
	Named:  "discrete-gaussian",
	PairAt: func(x float64, cells, rows int) loss.Pair { return gaussianPair(x, cells, rows, false) },
	Search: Search{Low: 1.0 / 256, High: 1 << 52, Bits: GaussianBits, Variance: true},
	Of:     func(r Rational) (Distribution, error) { return of(NewGaussian(r)) },
}}

// gaussians is the family of discrete Gaussian noise.
type gaussians struct{ OneParameter }

// Least searches: see [Family].
func (f gaussians) Least(ctx context.Context, cells, rows int, want dp.Parameters) (Distribution, bool, error) {
	if rows < 2 || want.Notion != dp.Approximate {
		return f.OneParameter.Least(ctx, cells, rows, want)
	}
	s := f.Search
	s.Pair = func(x float64) loss.Pair { return gaussianPair(x, cells, rows, true) }
	r, met, err := s.Least(ctx, want)
	if err != nil {
		return nil, false, err
	}
	g, err := NewGaussian(r)
	g.Vector = true
	return g, met, err
}

// gaussianFile is the JSON of discrete Gaussian noise.
type gaussianFile struct {
	Rational
	Vector bool `json:"vector,omitempty"`
}

// Parse reads σ², and how the noise was calibrated.
func (f gaussians) Parse(text []byte) (Distribution, error) {
	var file gaussianFile
	if err := cert.Decode(text, &file); err != nil {
		return nil, domain.Refuse("noise", f.Named, safetext.Short(string(text)), "its parameter, {\"num\": …, \"den\": …}")
	}
	if err := file.Valid(); err != nil {
		return nil, err
	}
	g, err := NewGaussian(file.Rational)
	g.Vector = file.Vector
	return of(g, err)
}

func gaussianPair(sigma2 float64, cells, rows int, vector bool) loss.Pair {
	pair := loss.DiscreteGaussianPair{Sigma2: sigma2, Cells: cells, Shift: rows}
	if rows > 1 {
		return loss.LatticePair{DiscreteGaussianPair: pair, Least: sigma2, ByRho: !vector}
	}
	return pair
}

// Parameter is σ².
func (g Gaussian) Parameter() Rational { return Rational{g.Num, g.Den} }

// MarshalJSON writes σ², and how the noise was calibrated.
func (g Gaussian) MarshalJSON() ([]byte, error) {
	return json.Marshal(gaussianFile{g.Parameter(), g.Vector})
}

// Unit is one step per record.
func (Gaussian) Unit() int64 { return 1 }

// Form is −z²/(2σ²).
func (g Gaussian) Form() Form { return Form{Sigma2: g.Sigma2()} }

// Pair is that of all ways to shift the counts.
func (g Gaussian) Pair(cells, rows int) loss.Pair {
	return gaussianPair(g.Sigma2(), cells, rows, g.Vector)
}

// MeanAbsolute is E|Z| = 2 Σ_{z ≥ 1} z·P(Z = z), by summation; for σ > 1000 it is σ√(2/π), right to 1e-6.
func (g Gaussian) MeanAbsolute() float64 {
	sigma := math.Sqrt(g.Sigma2())
	if sigma > 1000 {
		return sigma * math.Sqrt(2/math.Pi)
	}
	sum := 0.0
	for z := int64(1); z <= int64(14*sigma)+10; z++ {
		sum += 2 * float64(z) * math.Exp(g.LogProb(z))
	}
	return sum
}

func (g Gaussian) String() string { return "discrete Gaussian, " + shown("σ²", g.Parameter()) }

// StandardFormula is ρ = Δ₂²/(2σ²), and for (ε, δ) its conversion.
func (g Gaussian) StandardFormula(cells, rows int, want dp.Parameters) (dp.Parameters, string) {
	return StandardGaussian(g.Sigma2(), float64(cells*rows*rows), want)
}

// StandardGaussian is ρ = Δ₂²/(2σ²) of a squared sensitivity, and for (ε, δ) its conversion ε = ρ + 2√(ρ log 1/δ).
func StandardGaussian(sigma2, squared float64, want dp.Parameters) (dp.Parameters, string) {
	rho := squared / (2 * sigma2)
	if want.Notion == dp.Approximate {
		return dp.Parameters{Notion: dp.Approximate, Delta: want.Delta,
				Epsilon: cert.Number(rho + 2*math.Sqrt(rho*math.Log(1/want.Delta)))},
			"ε = ρ + 2√(ρ log 1/δ), Bun, Steinke 2016, Proposition 1.3"
	}
	return dp.Parameters{Notion: dp.Concentrated, Rho: rho}, "ρ = Δ₂²/(2σ²), Canonne, Kamath, Steinke 2020, Theorem 14"
}
