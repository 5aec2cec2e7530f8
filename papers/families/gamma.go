package families

import (
	"github.com/privbayes/privbayes-go/internal/domain"

	"github.com/privbayes/privbayes-go/internal/logratio"

	"fmt"
	"math"
	"math/rand/v2"
)

// Gamma is n records with likelihood ∝ θ^{nκ}e^{−θΣT(x)}, statistic T in [t0, t1], and the prior Exp(λ) on θ trimmed to
// [c1, c2]:
//
//	posterior ∝ θ^{nκ}e^{−θ(λ+ΣT)} on [c1, c2].
//
// Exponential data have κ = 1, T = x; Laplace data with known location κ = 1, T = |x − μ|, θ the inverse scale; Normal
// data with known mean κ = ½, T = (x − μ)²/2, θ the precision. Natural parameter θ, Δ = t1 − t0, osc = (c2 − c1)Δ. It
// is Profiled and Assumed. Source: theory/sampling.md §9, §10, §12, §22.
type Gamma struct {
	*Rate
	kind gammaKind
	// weight: ℓ(θ) = weight·θ under the metric; reach: greatest ρ of one replaced record
	bound, mu, weight, reach float64
}

type gammaKind int

const (
	exponential gammaKind = iota
	laplace
	normalPrecision
)

var gammaNames = [...]string{"Exponential–Exponential", "Laplace–Exponential", "Normal precision, known mean"}

// NewExponential has records in [0, B] with density θe^{−θx} (Lemma 19): *ParameterError.
func NewExponential(n int, lambda, c1, c2, bound float64) (*Gamma, error) {
	return newGamma(exponential, n, lambda, c1, c2, 0, bound)
}

// NewLaplace has records in [−B, B] with density θ/2·e^{−θ|x−μ|} (Lemma 20): *ParameterError.
func NewLaplace(n int, lambda, c1, c2, mu, bound float64) (*Gamma, error) {
	return newGamma(laplace, n, lambda, c1, c2, mu, bound)
}

// NewNormalPrecision has records in [−B, B] with density √(θ/2π)·e^{−θ(x−μ)²/2}, mean known (Lemma 22):
// *ParameterError.
func NewNormalPrecision(n int, lambda, c1, c2, mu, bound float64) (*Gamma, error) {
	return newGamma(normalPrecision, n, lambda, c1, c2, mu, bound)
}

func newGamma(kind gammaKind, n int, lambda, c1, c2, mu, bound float64) (*Gamma, error) {
	if err := domain.Check("families", gammaNames[kind], domain.Positive("B", bound),
		domain.Number("μ", mu)); err != nil {
		return nil, err
	}
	f := &Gamma{kind: kind, bound: bound, mu: mu, weight: 1}
	near, far := math.Max(0, math.Abs(mu)-bound), math.Abs(mu)+bound
	kappa, t0, t1, lowest := 1.0, near, far, -bound
	switch kind {
	case exponential:
		t0, t1, f.reach, lowest = 0, bound, bound, 0
	case laplace:
		f.reach = 2 * bound
	case normalPrecision:
		kappa, t0, t1 = .5, near*near/2, far*far/2
		f.reach = replacedNorm(1, bound)
		// sup ½|u − 2μ|/(|u| + 2) over u = x + y in (−2B, 2B), monotone between u = 0 and the far end
		f.weight = math.Max(math.Abs(mu), (bound+math.Abs(mu))/(bound+1)) / 2
	}
	var err error
	if f.Rate, err = NewRate(n, kappa, lambda, c1, c2, t0, t1); err != nil {
		return nil, err
	}
	f.record = func(src rand.Source) []float64 {
		if src.Uint64()&7 == 0 { // the nearest point to μ
			return []float64{math.Min(math.Max(mu, lowest), bound)}
		}
		return []float64{between(src, lowest, bound)}
	}
	return f, nil
}

// Describe names the family and its public bounds.
func (f *Gamma) Describe() Description {
	d := Description{Name: gammaNames[f.kind], Records: f.n, Bounds: fmt.Sprintf("[%.4g, %.4g]", -f.bound, f.bound),
		Unit:   "one number",
		Metric: "Σ|x − y|", Tight: true,
		Parameters: []Parameter{{"n", float64(f.n)}, {"λ", f.lambda}, {"c1", f.c1}, {"c2", f.c2}, {"B", f.bound}}}
	if f.kind == exponential {
		d.Bounds = fmt.Sprintf("[0, %.4g]", f.bound)
		return d
	}
	d.Parameters = append(d.Parameters, Parameter{"μ", f.mu})
	if f.kind == normalPrecision {
		d.Metric = "Σ(|x² − y²| + 2|x − y|)"
	}
	return d
}

// Paper is 2Lρ with L = sup ℓ(θ) as the paper's proof has it and ρ of the farthest pair of records; its lemmas claim
// only (0, δ).
func (f *Gamma) Paper() Paper {
	p := Paper{Epsilon: 2 * f.c2 * f.reach, Source: "Lemma 19", Verdict: "2Lρ holds and ignores c1: osc is (c2 − " +
		"c1)B; C is valid but loose; the (0, δ) has δ > 0.7 for all parameters"}
	switch f.kind {
	case laplace:
		p.Source, p.Verdict = "Lemma 20", "2Lρ holds, loose; C is false: c1 and c2 stand for 1/s, and the "+
			"exponential is misplaced"
	case normalPrecision:
		p.Epsilon = f.c2 * math.Max(math.Abs(f.mu), 1) * f.reach
		p.Source, p.Verdict = "Lemma 22", "2Lρ holds, loose; C is false: min for max, and c2 for the greatest |x − μ|"
	}
	return p
}

// Uniform is the least L: c2 under |x − y|; for the normal ½c2·max(|μ|, (B+|μ|)/(B+1)) under |x² − y²| + 2|x − y|,
// where the paper has ½c2·max(|μ|, 1).
func (f *Gamma) Uniform() float64 { return f.weight * f.c2 }

// LeastL0 is the least ℓ(θ).
func (f *Gamma) LeastL0() float64 { return f.weight * f.c1 }

// BestC is c*(L0); at LeastL0, under |x − y|, it is λ/(1 − e^{−λ(c2−c1)}) where Lemma 19 has λ.
func (f *Gamma) BestC(l0 float64) (float64, error) {
	whole := -math.Expm1(-f.lambda * (f.c2 - f.c1))
	return bestC(gammaNames[f.kind], l0, f.LeastL0(), f.Uniform(), func(gap float64) (below, above float64) {
		x := (l0-f.LeastL0())/f.weight + gap/f.weight // θ − c1
		return -math.Expm1(-f.lambda*x) / whole, math.Exp(-f.lambda*x) * -math.Expm1(-f.lambda*(f.c2-f.c1-x)) / whole
	})
}

// Constant is C = sup_{S,θ} θ^{nκ}e^{−θS}/φ(S), and the paper's value for one record (Lemmas 19, 20, 22), which is
// false, possibly too small, for the last two.
func (f *Gamma) Constant() (tight, paper float64) {
	k, prior := f.posterior(f.n), f.posterior(0)
	z := logratio.LogMass(prior, 0, prior.Lo, prior.Hi)
	shape := float64(f.n) * f.kappa
	peak := func(s float64) float64 { // s = −ΣT
		theta := f.c2
		if s < 0 {
			theta = math.Min(math.Max(shape/-s, f.c1), f.c2)
		}
		return shape*math.Log(theta) + theta*s
	}
	evidence := func(s float64) (value, slope float64) {
		v, e := logratio.Evidence(k, s)
		return v - z, e
	}
	n := float64(f.n)
	tight = logratio.Inflated(math.Exp(logConstant(-n*f.t1, -n*f.t0, false, peak, evidence)), 0)
	return tight, f.paperConstant()
}

func (f *Gamma) paperConstant() float64 {
	c1, c2, b := f.c1, f.c2, f.bound
	switch f.kind {
	case exponential:
		return c2 / math.Min(c1*math.Exp(-c1*b), c2*math.Exp(-c2*b))
	case laplace: // the larger of its two cases
		case1 := c2 / (2 * math.Min(1/(2*c2), math.Exp((-b-f.mu)/c1)/(2*c1)))
		case2 := c2 / (2 * math.Min(1/(2*c2), math.Exp((f.mu-b)/c1)/(2*c1)))
		return math.Max(case1, case2)
	}
	return math.Min(math.Sqrt(c2/c1)*math.Exp(c1*c2*c2/2), math.Exp(c2*c2*c2/2))
}

// CorrectedConstant is the closed form that replaces the paper's C for one record, R = B + |μ| (R = B for exponential
// data):
//
//	c2/min{c1e^{−c1R}, c2e^{−c2R}} (exponential, Laplace),  max{√(c2/c1)e^{c1R²/2}, e^{c2R²/2}} (normal).
//
// Source: theory/sampling.md §10, §12.
func (f *Gamma) CorrectedConstant() float64 {
	r := f.bound + math.Abs(f.mu)
	if f.kind == normalPrecision {
		return math.Max(math.Sqrt(f.c2/f.c1)*math.Exp(f.c1*r*r/2), math.Exp(f.c2*r*r/2))
	}
	return f.c2 / math.Min(f.c1*math.Exp(-f.c1*r), f.c2*math.Exp(-f.c2*r))
}

// LogLikelihood is nκ ln θ − θΣT(x).
func (f *Gamma) LogLikelihood(theta []float64, data Data) float64 {
	statistics := make(Data, len(data))
	for i, r := range data {
		statistics[i] = []float64{f.statistic(r[0])}
	}
	return f.Rate.LogLikelihood(theta, statistics)
}

func (f *Gamma) statistic(x float64) float64 {
	switch f.kind {
	case laplace:
		return math.Abs(x - f.mu)
	case normalPrecision:
		return (x - f.mu) * (x - f.mu) / 2
	}
	return x
}
