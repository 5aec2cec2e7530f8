package noise

import (
	"encoding/json"
	"math"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

type gaussian = sample.DiscreteGaussian

// Gaussian is discrete Gaussian noise, P(Z = z) ∝ e^{−z²/(2σ²)} (Canonne, Kamath, Steinke 2020), with a method Sigma2,
// σ². Values come from [NewGaussian].
type Gaussian struct{ gaussian }

// NewGaussian checks σ². Errors: *dp.ParameterError.
func NewGaussian(sigma2 Rational) (Gaussian, error) {
	g, err := sample.NewDiscreteGaussian(sigma2.Num, sigma2.Den)
	return Gaussian{g}, err
}

// GaussianBits of σ² lose 1e-6 of the budget and keep the sampler's exponent within 64-bit words, eight times as fast
// as beyond.
const GaussianBits = 20

// GaussianFamily is discrete Gaussian noise of every variance, for all levels but pure ε, which none has: below 1/256
// it is 0 but for a probability under e^{−100}, above 2^52 it leaves the range of the sampler.
var GaussianFamily = OneParameter{
	Named: "discrete-gaussian", PairAt: gaussianPair,
	Search: Search{Low: 1.0 / 256, High: 1 << 52, Bits: GaussianBits, Variance: true},
	Of:     func(r Rational) (Distribution, error) { return of(NewGaussian(r)) },
}

func gaussianPair(sigma2 float64, cells, rows int) loss.Pair {
	return loss.DiscreteGaussianPair{Sigma2: sigma2, Cells: cells, Shift: rows}
}

// Parameter is σ².
func (g Gaussian) Parameter() Rational { return Rational{g.Num, g.Den} }

// MarshalJSON writes σ².
func (g Gaussian) MarshalJSON() ([]byte, error) { return json.Marshal(g.Parameter()) }

// Unit is one step per record.
func (Gaussian) Unit() int64 { return 1 }

// Form is −z²/(2σ²).
func (g Gaussian) Form() Form { return Form{Sigma2: g.Sigma2()} }

// Pair is that of all ways to shift the counts.
func (g Gaussian) Pair(cells, rows int) loss.Pair { return gaussianPair(g.Sigma2(), cells, rows) }

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
