package families

import (
	"github.com/privbayes/privbayes-go/internal/domain"

	"github.com/privbayes/privbayes-go/internal/logratio"

	"fmt"
	"math"
	"math/rand/v2"
)

// NormalMean is n numbers in [−B, B] with a normal likelihood of known variance σ² and the prior N(m, τ²) on the mean.
// Two posteriors have the same variance v, 1/v = 1/τ² + n/σ², and means at most 2Bv/σ² apart, so that one sample is
// exactly Gaussian-DP:
//
//	μ = Δ√v/σ²,  Δ = 2B;  √N·μ for N samples.
//
// The log-ratio is unbounded: ε is infinite, the profile is that of two normals at distance μ. It is Profiled.
// Source: theory/sampling.md §22.
type NormalMean struct {
	iid
	sigma, mean, tau, bound float64
}

// NewNormalMean takes standard deviations σ, τ > 0, the prior mean and the bound B > 0: *ParameterError.
func NewNormalMean(n int, sigma, mean, tau, bound float64) (*NormalMean, error) {
	c := need{family: "Normal mean"}
	c.records(n)
	c.positive("σ", sigma)
	c.positive("τ", tau)
	c.positive("B", bound)
	c.that(domain.Finite(mean), "m", mean, "a finite number")
	if c.err != nil {
		return nil, c.err
	}
	return &NormalMean{iid{n, func(src rand.Source) []float64 { return []float64{between(src, -bound, bound)} }},
		sigma, mean, tau, bound}, nil
}

// Mu is μ of Gaussian differential privacy for N ≥ 1 samples: √N·Δ√v/σ².
func (f *NormalMean) Mu(samples int) float64 {
	v := 1 / (1/(f.tau*f.tau) + float64(f.n)/(f.sigma*f.sigma))
	return math.Sqrt(float64(samples)) * 2 * f.bound * math.Sqrt(v) / (f.sigma * f.sigma)
}

// Describe names the family and its public bounds.
func (f *NormalMean) Describe() Description {
	return Description{"Normal mean, known variance",
		[]Parameter{{"n", float64(f.n)}, {"σ", f.sigma}, {"m", f.mean}, {"τ", f.tau}, {"B", f.bound}},
		f.n, fmt.Sprintf("[%.4g, %.4g]", -f.bound, f.bound), "one number", "Σ|x − y|", true,
		fmt.Sprintf("no pure ε; exactly %.4g-Gaussian-DP", f.Mu(1))}
}

// Oscillation is +Inf.
func (f *NormalMean) Oscillation() float64 { return math.Inf(1) }

// Epsilon is +Inf.
func (f *NormalMean) Epsilon() float64 { return math.Inf(1) }

// Paper: no claim without a bound on the mean.
func (f *NormalMean) Paper() Paper {
	return Paper{math.Inf(1), 0, "Lemma 23", "no finite L without a bound on the mean; Gaussian-DP needs none"}
}

// Uniform is +Inf.
func (f *NormalMean) Uniform() float64 { return math.Inf(1) }

// Profile is δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), exact; NaN for ε < 0.
func (f *NormalMean) Profile(epsilon float64) float64 {
	if !(epsilon >= 0) {
		return math.NaN()
	}
	return logratio.Inflated(GaussianDelta(f.Mu(1), epsilon), f.n)
}

// Renyi is λμ²/2, exact; NaN for λ ≤ 1.
func (f *NormalMean) Renyi(order float64) float64 {
	if !(order > 1) {
		return math.NaN()
	}
	mu := f.Mu(1)
	return logratio.Inflated(order*mu*mu/2, f.n)
}

// ZCDP is ρ = μ²/2, exact.
func (f *NormalMean) ZCDP() float64 { return f.Mu(1) * f.Mu(1) / 2 }

// GaussianDelta is the hockey-stick divergence at ε ≥ 0 of two unit normals at distance μ > 0,
//
//	Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ),
//
// rounded up.
func GaussianDelta(mu, epsilon float64) float64 {
	if !(mu > 0) {
		return 0
	}
	a, b := epsilon/mu-mu/2, epsilon/mu+mu/2
	// Φ(−x) = ½erfc(x/√2); the two differ by a factor e^ε in their leading terms, and b² − a² = 2ε.
	if a < 6 {
		p, q := math.Erfc(a/math.Sqrt2), math.Exp(epsilon)*math.Erfc(b/math.Sqrt2)
		return math.Max(0, (p-q)/2) + 4e-16*p // the last term covers the cancellation
	}
	// far out: φ(a)·(m(a) − m(b)) with the Mills ratio m, m(a) − m(b) ≤ μ/a²
	return math.Exp(-a*a/2) / math.Sqrt(2*math.Pi) * mu / (a * a)
}

// Nodes is the prior by quadrature, cut at nine standard deviations beyond the range of the data.
func (f *NormalMean) Nodes() (nodes []Node, exact bool) {
	lo, hi := math.Min(f.mean-9*f.tau, -f.bound-9*f.sigma), math.Max(f.mean+9*f.tau, f.bound+9*f.sigma)
	count := math.Ceil((hi - lo) / f.tau * math.Max(1, f.tau/f.sigma*math.Sqrt(float64(f.n))) / 4)
	count = math.Min(count, 400)
	for i := range int(count) {
		step := (hi - lo) / count
		logratio.Panels(lo+step*float64(i), lo+step*float64(i+1), 0, func(t, w float64) {
			z := (t - f.mean) / f.tau
			nodes = append(nodes, Node{[]float64{t}, math.Log(w) - z*z/2})
		})
	}
	return nodes, false
}

// LogLikelihood is −Σ(x − θ)²/(2σ²).
func (f *NormalMean) LogLikelihood(theta []float64, data Data) float64 {
	sum := 0.0
	for _, r := range data {
		sum += (r[0] - theta[0]) * (r[0] - theta[0])
	}
	return -sum / (2 * f.sigma * f.sigma)
}
