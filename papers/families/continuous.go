package families

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/logratio"
)

// Gamma is n records with likelihood ∝ θ^{nκ}e^{−θΣT(x)}, statistic T in [t0, t1], and the prior Exp(λ) on θ trimmed to
// [c1, c2]:
//
//	posterior ∝ θ^{nκ}e^{−θ(λ+ΣT)} on [c1, c2].
//
// Exponential data have κ = 1, T = x; Laplace data with known location κ = 1, T = |x − μ|, θ the inverse scale; Normal
// data with known mean κ = ½, T = (x − μ)²/2, θ the precision. Natural parameter θ, Δ = t1 − t0, osc = (c2 − c1)Δ. It
// is Profiled. Source: theory/sampling.md §9, §10, §12, §22.
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

// MVN is n vectors in the ball of radius R in d dimensions with a multivariate normal likelihood, under any prior on
// its parameter set: the precision matrix A with eigenvalues in [a, b] and mean 0 (known), or the mean ‖μ‖ ≤ m with A
// known, eigenvalues at most b. Epsilon equals Oscillation, which is attained over the priors (two points, the rarer of
// vanishing weight); a particular prior may do better. Source: theory/sampling.md §15.
type MVN struct {
	iid
	d           int
	a, b, m, r  float64
	unknownMean bool
}

// NewMVNPrecision is the family with known mean 0 and eigenvalues of the precision matrix in [a, b], 0 < a < b:
// *ParameterError. A known mean other than 0 is subtracted from the data first; R is the radius after that.
func NewMVNPrecision(n, d int, a, b, radius float64) (*MVN, error) {
	c := mvnNeeds(n, d, radius)
	c.positive("a", a)
	c.that(b > a && domain.Finite(b), "b", b, fmt.Sprintf("a finite number > a = %v", a))
	return newMVN(c, n, MVN{d: d, a: a, b: b, r: radius})
}

// NewMVNMean is the family with unknown mean ‖μ‖ ≤ m and a known precision matrix with greatest eigenvalue b:
// *ParameterError.
func NewMVNMean(n, d int, m, b, radius float64) (*MVN, error) {
	c := mvnNeeds(n, d, radius)
	c.positive("m", m)
	c.positive("b", b)
	return newMVN(c, n, MVN{d: d, b: b, m: m, r: radius, unknownMean: true})
}

func mvnNeeds(n, d int, radius float64) need {
	c := need{family: "multivariate normal"}
	c.records(n)
	c.that(d >= 1 && d <= 1000, "d", d, "1 to 1000 dimensions")
	c.positive("R", radius)
	return c
}

func newMVN(c need, n int, f MVN) (*MVN, error) {
	if c.err != nil {
		return nil, c.err
	}
	f.iid = iid{n, func(src rand.Source) []float64 {
		x := make([]float64, f.d)
		if src.Uint64()&1 == 0 { // a pole of one axis
			x[src.Uint64()%uint64(f.d)] = f.r * float64(1-2*int(src.Uint64()&1))
			return x
		}
		norm := 0.0
		for i := range x {
			x[i] = 2*unit(src) - 1
			norm = math.Hypot(norm, x[i])
		}
		scale := f.r * unit(src) / math.Max(norm, 1e-300)
		for i := range x {
			x[i] *= scale
		}
		return x
	}}
	return &f, nil
}

// Describe names the family and its public bounds.
func (f *MVN) Describe() Description {
	d := Description{Name: "multivariate normal, known mean", Records: f.n, Bounds: fmt.Sprintf("‖x‖ ≤ %.4g", f.r),
		Unit:   "one vector",
		Metric: "Σ‖xx′ − yy′‖_F", Note: "attained over all priors on the parameter set",
		Parameters: []Parameter{{"n", float64(f.n)}, {"d", float64(f.d)}, {"a", f.a}, {"b", f.b}, {"R", f.r}}}
	if f.unknownMean {
		d.Name, d.Metric = "multivariate normal, unknown mean", "Σ(‖xx′ − yy′‖_F + 2‖x − y‖)"
		d.Parameters = []Parameter{{"n", float64(f.n)}, {"d", float64(f.d)}, {"m", f.m}, {"b", f.b}, {"R", f.r}}
	}
	return d
}

// Oscillation is
//
//	½(b − a)·max‖xx′ − yy′‖_* = (b − a)R² for d ≥ 2, ½(b − a)R² for d = 1 (known mean),
//	2m·max‖A(x − y)‖ ≤ 4mRb (unknown mean):
//
// xx′ − yy′ has one positive and one negative eigenvalue, and an A can meet the first with b and the second with a.
func (f *MVN) Oscillation() float64 {
	const up = 1 + 1e-14
	switch {
	case f.unknownMean:
		return 4 * f.m * f.r * f.b * up
	case f.d == 1:
		return (f.b - f.a) * f.r * f.r / 2 * up
	}
	return (f.b - f.a) * f.r * f.r * up
}

// Epsilon is Oscillation.
func (f *MVN) Epsilon() float64 { return f.Oscillation() }

// Paper is 2Lρ by Lemma 23 with L = ½‖A‖_F·max{1, ‖μ‖}, and ρ of the farthest pair in the ball.
func (f *MVN) Paper() Paper {
	frobenius := f.b * math.Sqrt(float64(f.d))
	p := Paper{Epsilon: frobenius * replacedOuter(f.d, f.r), Source: "Lemma 23", Verdict: "holds, loose: ½‖A‖_F for " +
		"½λ_max, and a is ignored"}
	if f.unknownMean {
		p.Epsilon = frobenius * math.Max(1, f.m) * replacedNorm(f.d, f.r)
		p.Verdict = "holds, loose; ρ reaches 4.7096 on the unit ball, not 3"
	}
	return p
}

// Uniform is L = ½b, the least for the known mean (x along the top eigenvector, y = 0) where the paper has ½‖A‖_F; for
// the unknown mean ½b·max{1, m} is a bound.
func (f *MVN) Uniform() float64 {
	if f.unknownMean {
		return f.b / 2 * math.Max(1, f.m)
	}
	return f.b / 2
}

// replacedOuter is max ‖xx′ − yy′‖_F in the ball: √2·R², or R² for d = 1.
func replacedOuter(d int, r float64) float64 {
	if d == 1 {
		return r * r
	}
	return math.Sqrt2 * r * r
}

// replacedNorm is max ‖xx′ − yy′‖_F + 2‖x − y‖ in the ball of radius R, the ρ of one replaced record in Lemma 23 (Lemma
// 22 for d = 1): at d ≥ 2 √2·R² sin φ + 4R sin(φ/2) at the best angle φ, 4.7096 for R = 1; at d = 1 (R+1)² or, for R <
// 1, 4R.
func replacedNorm(d int, r float64) float64 {
	if d == 1 {
		if r >= 1 {
			return (r + 1) * (r + 1)
		}
		return 4 * r
	}
	c := (math.Sqrt(4+16*r*r) - 2) / (4 * math.Sqrt2 * r)
	s := math.Sqrt(1 - c*c)
	return 2*math.Sqrt2*r*r*s*c + 4*r*s
}

// Nodes is the prior that attains the oscillation: two opposite extremes, one of weight e^−30, and some points in
// between. A node is the diagonal of A, or the mean.
func (f *MVN) Nodes() (nodes []Node, exact bool) {
	for axis := range min(f.d, 8) {
		for side := range 2 {
			theta := make([]float64, f.d)
			for i := range theta {
				if !f.unknownMean {
					theta[i] = f.a
					if (i == axis) == (side == 0) {
						theta[i] = f.b
					}
				}
			}
			if f.unknownMean {
				theta[axis] = f.m * float64(1-2*side)
			}
			logWeight := 0.0
			if len(nodes) > 0 {
				logWeight = -30
			}
			nodes = append(nodes, Node{theta, logWeight})
		}
	}
	return nodes, true
}

// LogLikelihood is ½Σ ln a_ii·n − ½Σ a_ii x_i², or −½bΣ‖x − μ‖².
func (f *MVN) LogLikelihood(theta []float64, data Data) float64 {
	sum := 0.0
	for i, t := range theta {
		if !f.unknownMean {
			sum += float64(len(data)) * math.Log(t) / 2
		}
		for _, x := range data {
			if f.unknownMean {
				sum -= f.b / 2 * (x[i] - t) * (x[i] - t)
			} else {
				sum -= t * x[i] * x[i] / 2
			}
		}
	}
	return sum
}

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
