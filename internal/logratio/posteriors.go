package logratio

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Limits of n and of a rate's prior: up to there rounding stays far below the inflation of the bounds.
const (
	MaxRecords  = 10_000_000
	maxExponent = 1e9  // of λ·c2
	maxRatio    = 1e12 // of c2/c1
)

// NewBits is n bits with a Beta(α, β) prior on the success probability, on 0 < l < u < 1 or, untrimmed, l = 0 and u =
// 1, and the likelihood to the power r in (0, 1]:
//
//	posterior ∝ θ^{α+rk−1}(1−θ)^{β+r(n−k)−1} on [l, u],  k ones.
//
// Natural parameter r·ln θ/(1−θ), Δ = 1. Untrimmed, Epsilon and Oscillation are infinite for every n. *domain.Error.
// Source: theory/sampling.md §11, §13, §14.
func NewBits(n int, alpha, beta, l, u, power float64) (*Posteriors, error) {
	whole := l == 0 && u == 1
	if err := domain.Check("logratio", "Beta–Bernoulli", Records(n), domain.Positive("α", alpha),
		domain.Positive("β", beta),
		domain.Arg("max(α, β)", math.Max(alpha, beta), math.Max(alpha, beta) <= 1e9, "at most 1e9"),
		domain.Arg("l", l, whole || l > 0 && l < 1, "inside (0, 1), or 0 with u = 1 for no trimming"),
		domain.Arg("u", u, whole || u > l && u < 1, "inside (l, 1), or 1 with l = 0 for no trimming"),
		domain.Arg("power", power, power > 0 && power <= 1, "inside (0, 1]")); err != nil {
		return nil, err
	}
	o := &Posteriors{name: "trimmed Beta–Bernoulli", last: float64(n - 1), d: 1, lattice: true, n: n}
	if whole {
		o.name = "untrimmed Beta–Bernoulli"
		law := wholeBeta{alpha, beta, power, float64(n)}
		o.law, o.spreads = law, law
	} else {
		k := NewBetaDensity(n, alpha, beta, l, u, power)
		o.law, o.spreads = continuous{k}, newEnvelope(k, o.first, o.last, 1)
	}
	if power != 1 {
		o.name = "tempered " + o.name
	}
	return o, nil
}

// NewRate is n records that enter through a statistic T in [t0, t1] alone, with likelihood ∝ θ^{nκ}e^{−θΣT} and the
// prior Exp(λ) on θ trimmed to [c1, c2]:
//
//	posterior ∝ θ^{nκ}e^{−θ(λ+ΣT)} on [c1, c2],
//
// all finite, κ, λ > 0, 0 < c1 < c2, t0 < t1. A likelihood to the power η has κ, t0 and t1 times η. Natural parameter
// −θ, Δ = t1 − t0, osc = (c2 − c1)Δ. *domain.Error. Source: theory/sampling.md §9, §10, §12, §22.
func NewRate(n int, kappa, lambda, c1, c2, t0, t1 float64) (*Posteriors, error) {
	if err := domain.Check("logratio", "rate", Records(n), domain.Positive("κ", kappa), domain.Positive("λ", lambda),
		domain.Positive("c1", c1),
		domain.Arg("c2", c2, c2 > c1 && domain.Finite(c2), fmt.Sprintf("a finite number > c1 = %v", c1)),
		domain.Number("t0", t0),
		domain.Arg("t1", t1, t1 > t0 && domain.Finite(t1-t0), fmt.Sprintf("a finite number > t0 = %v: a bounded "+
			"statistic", t0)),
		domain.Arg("λ", lambda, lambda*c2 <= maxExponent, fmt.Sprintf("λ·c2 at most %g", float64(maxExponent))),
		domain.Arg("c1", c1, c2/c1 <= maxRatio, fmt.Sprintf("at least c2/%g", float64(maxRatio)))); err != nil {
		return nil, err
	}
	k, count := NewGammaDensity(n, kappa, lambda, c1, c2), float64(n)
	o := &Posteriors{name: "rate, bounded statistic", law: continuous{k}, first: -count * t1,
		last: -count*t0 - (t1 - t0), d: t1 - t0, n: n}
	if n == 1 {
		o.last = o.first
	}
	o.spreads = newEnvelope(k, o.first, o.last, o.d)
	return o, nil
}

// NewFinite is n bits under a prior on finitely many natural parameters η_j: the posterior of η_j given k ones is ∝
// e^{kη_j + base_j}.
func NewFinite(n int, eta, base []float64) *Posteriors {
	return &Posteriors{name: "finite Bernoulli", law: discrete{eta, base}, last: float64(n - 1), d: 1, lattice: true,
		n: n}
}

// Records is the domain of n.
func Records(n int) domain.Argument {
	return domain.Arg("n", n, n >= 1 && n <= MaxRecords, "1 to 10,000,000 records")
}

// String names the family.
func (o Posteriors) String() string { return o.name }

// Profile is the greatest hockey-stick divergence of two neighbours at ε ≥ 0, the δ(ε) of one draw: exact for bits up
// to 257 records, else an upper bound, of bits within 0.01 %, of others within 0.2 % at a δ near 1, looser far out in
// ε, where 10 % of δ are less than 1 % of the noise. Searches of bits with millions of records, and of rates far out,
// may run out of evaluations and end with a wider gap. NaN for ε < 0. Source: theory/sampling.md §22 B.
func (o Posteriors) Profile(epsilon float64) float64 {
	switch {
	case !(epsilon >= 0):
		return math.NaN()
	case epsilon >= o.Epsilon():
		return 0
	}
	return math.Min(o.delta(epsilon), BoundedRange(o.Oscillation()).Delta(epsilon))
}

// Renyi is the greatest Rényi divergence of order λ > 1 of two neighbours, in nats, as accurate as Profile; +Inf if
// infinite, NaN for λ ≤ 1. Source: theory/sampling.md §22 C.
func (o Posteriors) Renyi(order float64) float64 {
	if !(order > 1) {
		return math.NaN()
	}
	return min(o.renyi(order), BoundedRange(o.Oscillation()).Renyi(order), o.Epsilon())
}

// Interrupt makes the searches behind Profile and Renyi ask stop, and end with what the range implies, which is a bound
// still, once it says true; nil, the default, lets them end. Not to be called while they run.
func (o *Posteriors) Interrupt(stop func() bool) {
	o.stop = stop
	if e, ok := o.spreads.(*envelope); ok {
		e.stop = stop
	}
}

// inflation makes a computed bound at least the truth: the quadratures and sums of this package are accurate to about
// 1e-12, and a kernel exponent of 1e7 records costs another 1e-9.
const inflation = 1 + 1e-9

// Inflated is v upward, for n records.
func Inflated(v float64, n int) float64 { return v * (inflation + float64(n)*4e-16) }
