package families

import (
	"github.com/privbayes/privbayes-go/internal/logratio"

	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Beta is n bits with a Beta(α, β) prior on the success probability, trimmed to [l, u] or not, and the likelihood
// raised to a power:
//
//	posterior ∝ θ^{α+rk−1}(1−θ)^{β+r(n−k)−1} on [l, u],  k ones.
//
// Natural parameter r·ln θ/(1−θ), Δ = 1. It is Profiled and, for power 1, Assumed under the Hamming distance with ℓ(θ)
// = |ln θ/(1−θ)|. Untrimmed, ε and the oscillation are infinite for every n, and the profile is what there is. Source:
// theory/sampling.md §11, §13, §14.
type Beta struct {
	*logratio.Posteriors
	iid
	alpha, beta, l, u, power float64
}

// NewTrimmedBeta is the family on 0 < l < u < 1: *ParameterError.
func NewTrimmedBeta(n int, alpha, beta, l, u float64) (*Beta, error) {
	return NewTemperedBeta(n, alpha, beta, l, u, 1)
}

// NewUntrimmedBeta is the Beta–Bernoulli family of Lemma 21: *ParameterError.
func NewUntrimmedBeta(n int, alpha, beta float64) (*Beta, error) {
	return NewTemperedBeta(n, alpha, beta, 0, 1, 1)
}

// NewTemperedBeta has the likelihood to the power r in (0, 1], on 0 < l < u < 1 or, untrimmed, l = 0 and u = 1:
// *ParameterError.
func NewTemperedBeta(n int, alpha, beta, l, u, power float64) (*Beta, error) {
	one, err := logratio.NewBits(n, alpha, beta, l, u, power)
	if err != nil {
		return nil, err
	}
	return &Beta{Posteriors: one, iid: iid{n, bit}, alpha: alpha, beta: beta, l: l, u: u, power: power}, nil
}

func (f *Beta) trimmed() bool { return f.l > 0 }

// density is the posterior of n bits.
func (f *Beta) density(n int) logratio.BetaDensity {
	return logratio.NewBetaDensity(n, f.alpha, f.beta, f.l, f.u, f.power)
}

// PowerFor is the tempering power in (0, 1] at which Epsilon is at most target and within 1e-9 of it, or 1: the root of
// Theorem A lies between target/osc, which always suffices, and twice that (theory/sampling.md §24). *ParameterError
// for a target that is not positive, *UnavailableError without trimming, where no power gives a pure ε.
func (f *Beta) PowerFor(target float64) (float64, error) {
	c := need{family: "Beta–Bernoulli"}
	c.positive("target ε", target)
	if c.err != nil {
		return 0, c.err
	}
	if !f.trimmed() {
		return 0, &UnavailableError{"Beta–Bernoulli", "power for a pure ε", "the untrimmed prior has unbounded " +
			"log-ratios; trim it"}
	}
	epsilon := func(r float64) float64 {
		g, _ := NewTemperedBeta(f.n, f.alpha, f.beta, f.l, f.u, math.Min(r, 1))
		return g.Epsilon()
	}
	if epsilon(1) <= target {
		return 1, nil
	}
	osc := logratio.Logit(f.u) - logratio.Logit(f.l)
	lo, hi := target/osc*(1-1e-9), math.Min(1, 2*target/osc)
	for range 60 {
		if mid := (lo + hi) / 2; epsilon(mid) <= target {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, nil
}

// Describe names the family and its public bounds.
func (f *Beta) Describe() Description {
	d := Description{Name: f.String(), Records: f.n, Bounds: "0 or 1", Unit: "one bit", Metric: "Hamming", Tight: true,
		Parameters: []Parameter{{"n", float64(f.n)}, {"α", f.alpha}, {"β", f.beta}}}
	if f.trimmed() {
		d.Parameters = append(d.Parameters, Parameter{"l", f.l}, Parameter{"u", f.u})
	} else {
		d.Note = "no pure ε for any n; δ(ε) is exact"
	}
	if f.power != 1 {
		d.Parameters = append(d.Parameters, Parameter{"power", f.power})
	}
	return d
}

// Paper is 2L for the trimmed family, and the (0, δ) of Lemma 21 for the untrimmed one with α = β.
func (f *Beta) Paper() Paper {
	if f.trimmed() {
		return Paper{2 * f.Uniform(), 0, "Theorem 8.1", "holds; at most twice ε, which tends to 2L as n grows"}
	}
	_, c := f.Constant()
	rate, err := f.BestC(0)
	p := Paper{math.Inf(1), math.NaN(), "Lemma 21",
		"δ = √(C/2·(1 + 2 ln n + 1/c)) exceeds 1 for every n; true δ(0) falls with n, so \"unimprovable\" is false; " +
			"L0 = ln n is an artefact of C(n, k)"}
	if err == nil {
		p.Delta = math.Sqrt(c / 2 * (1 + 2*math.Log(float64(f.n)) + 1/rate))
	}
	return p
}

// Uniform is L = r·max(|logit l|, |logit u|); +Inf untrimmed.
func (f *Beta) Uniform() float64 {
	return f.power * math.Max(math.Abs(logratio.Logit(f.l)), math.Abs(logratio.Logit(f.u)))
}

// LeastL0 is the least ℓ(θ) on the support: 0 when ½ is in it.
func (f *Beta) LeastL0() float64 {
	return f.power * math.Max(0, math.Max(logratio.Logit(f.l), -logratio.Logit(f.u)))
}

// BestC is c*(L0); at L0 = 0 untrimmed with α = β it is 2^{1−2α}/B(α, α), Lemma 21's c without its L0 = ln n.
func (f *Beta) BestC(l0 float64) (float64, error) {
	k := f.density(0)
	if !f.trimmed() {
		return bestC("Beta–Bernoulli", l0, 0, math.Inf(1), func(gap float64) (below, above float64) {
			level := l0 + gap
			x, y := num.Logistic(-level / f.power)
			left, rest := num.BetaTails(f.alpha, f.beta, x, y)
			_, right := num.BetaTails(f.alpha, f.beta, y, x)
			// The middle by quadrature when it is small: 1 − left − right would lose its digits.
			if level/f.power < 1 {
				w := num.Integrate24(func(t float64) float64 {
					h, _ := k.Eval(0, t)
					return math.Exp(h - num.LogBeta(f.alpha, f.beta))
				}, -level/f.power, level/f.power, 2)
				return w, left + right
			}
			return rest - right, left + right
		})
	}
	whole := logratio.LogMass(k, 0, k.Lo, k.Hi)
	part := func(a, b float64) float64 {
		if b <= a {
			return 0
		}
		return math.Exp(logratio.LogMass(k, 0, a, b) - whole)
	}
	return bestC("trimmed Beta–Bernoulli", l0, f.LeastL0(), f.Uniform(), func(gap float64) (below, above float64) {
		t := (l0 + gap) / f.power
		return part(math.Max(k.Lo, -t), math.Min(k.Hi, t)),
			part(k.Lo, math.Min(k.Hi, -t)) + part(math.Max(k.Lo, t), k.Hi)
	})
}

// Constant is C = max_k max_θ θ^k(1−θ)^{n−k}/φ(k), to the power of the likelihood; the paper's is Lemma 21's
// B(α, α)/B((n+2α−1)/2, (n+2α+1)/2), about 4^n, which bounds it only because p_θ ≤ 1 is used.
func (f *Beta) Constant() (tight, paper float64) {
	n, r := float64(f.n), f.power
	paper = math.NaN()
	if f.alpha == f.beta && r == 1 && !f.trimmed() {
		paper = math.Exp(num.LogBeta(f.alpha, f.alpha) - num.LogBeta((n+2*f.alpha-1)/2, (n+2*f.alpha+1)/2))
	}
	xlogy := func(x, y float64) float64 {
		if x == 0 {
			return 0
		}
		return x * math.Log(y)
	}
	peak := func(k float64) float64 {
		t := math.Min(math.Max(k/n, f.l), f.u)
		return r * (xlogy(k, t) + xlogy(n-k, 1-t))
	}
	evidence := func(k float64) (value, slope float64) {
		a, b := f.alpha+r*k, f.beta+r*(n-k)
		return num.LogBeta(a, b) - num.LogBeta(f.alpha, f.beta), r * (num.Digamma(a) - num.Digamma(b))
	}
	if f.trimmed() {
		k := f.density(f.n)
		p := f.density(0)
		prior := logratio.LogMass(p, 0, p.Lo, p.Hi)
		evidence = func(s float64) (value, slope float64) {
			v, e := logratio.Evidence(k, s)
			return v - prior, e
		}
	}
	return logratio.Inflated(math.Exp(logConstant(0, n, true, peak, evidence)), 0), paper
}

// Nodes is the prior by quadrature; untrimmed it is cut where less than e^−38 of it lies outside.
func (f *Beta) Nodes() (nodes []Node, exact bool) {
	lo, hi := logratio.Logit(f.l), logratio.Logit(f.u)
	if !f.trimmed() {
		lo, hi = -logratio.Cut/f.alpha-5, logratio.Cut/f.beta+5
	}
	return quadratureNodes(logratio.BetaDensity{Alpha: f.alpha, Total: f.alpha + f.beta, Power: f.power, Lo: lo,
		Hi: hi}, f.n, func(t float64) float64 {
		x, _ := num.Logistic(t)
		return x
	}), false
}

// LogLikelihood is r(k ln θ + (n − k) ln(1 − θ)).
func (f *Beta) LogLikelihood(theta []float64, data Data) float64 {
	return f.power * bernoulliLikelihood(theta[0], data)
}
