package sampling

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/logratio"
)

// SampleBounds is Theorem 13 the right way round: numbers of posterior samples without which no adversary tells x from
// y with both errors at most δ, when |ln p_θ(x)/p_θ(y)| ≤ Lρ for all θ. All are necessary, none is sufficient.
type SampleBounds struct {
	Paper     float64 // 3 ln(1/δ)/(4Lρ), printed as sufficient
	Pure      float64 // ln((1−δ)/δ)/(Lρ)
	KL        float64 // (1−2δ)ln((1−δ)/δ)/κ(2Lρ)
	Jeffreys  float64 // (1−2δ)ln((1−δ)/δ)/(Lρ tanh(Lρ/2)), never below KL
	Hellinger float64 // ln(1/(4δ(1−δ)))/(2 ln cosh(Lρ/2))
	Necessary float64 // the largest of Pure, Jeffreys, Hellinger
	TwoPoint  int     // samples that do suffice for the two-point family of this Lρ, by its optimum test
}

// Samples bounds the adversary's work by Lρ = L·ρ(x, y). The theorem is printed with "can distinguish if"; a parameter
// set of one point, where the posterior is constant, refutes it. Read as "only if", the printed rate is true for δ ≤
// 0.2755, where ln((1−δ)/δ) ≥ ¾ ln(1/δ), but 1/(Lρ) is not the order: N grows like 1/(Lρ)². With both errors at most δ,
// TV of N samples is at least t = 1 − 2δ, and
//
//	Pure:       the log-ratio of N samples has range 2NLρ, so TV ≤ tanh(NLρ/2);
//	KL:         2t ln((1+t)/(1−t)) ≤ J = D(x‖y) + D(y‖x), where D of N samples is at most Nκ(2Lρ) in either direction;
//	Jeffreys:   J of one sample is at most w·TV ≤ w tanh(w/4) for a log-ratio of range w = 2Lρ, since ∫(p−q) = 0;
//	Hellinger:  t² ≤ 1 − BC^{2N}, and laws with a log-ratio of range w have BC = Σ√(pq) ≥ 1/cosh(w/4), as √ is concave.
//
// Domain: Lρ > 0, 0 < δ < ½; otherwise a *domain.Error. Source: theory/sampling.md §20; the Jeffreys and Hellinger
// forms are this package's.
func Samples(lrho, delta float64) (SampleBounds, error) {
	if err := check("Samples", domain.Arg("L*rho", lrho, lrho >= 1e-4 && lrho <= 1e6, "from 1e-4 to 1e6"),
		domain.Arg("delta", delta, delta >= 1e-12 && delta < .5, "in [1e-12, 1/2)")); err != nil {
		return SampleBounds{}, err
	}
	odds := math.Log1p(-delta) - math.Log(delta)
	b := SampleBounds{Paper: -3 * math.Log(delta) / (4 * lrho), Pure: odds / lrho,
		KL: (1 - 2*delta) * odds / logratio.BoundedRange(2*lrho).KL()}
	b.Hellinger = -math.Log(4*delta*(1-delta)) / (2 * logCosh(lrho/2))
	b.Jeffreys = (1 - 2*delta) * odds / (lrho * math.Tanh(lrho/2))
	b.Necessary = max(b.Pure, b.Jeffreys, b.Hellinger)
	b.TwoPoint = twoPointSamples(lrho, delta)
	return b, nil
}

// logCosh is ln cosh x, x ≥ 0, without cancellation for small x.
func logCosh(x float64) float64 {
	s := math.Sinh(x / 2)
	if x < 20 {
		return math.Log1p(2 * s * s)
	}
	return x - math.Ln2
}

// twoPointSamples is the least N at which the majority of N samples errs with probability at most δ when each is wrong
// with probability 1/(1 + e^{Lρ}). An even N is no better than the odd N before it.
func twoPointSamples(lrho, delta float64) int {
	p := 1 / (1 + math.Exp(lrho))
	half := func(k int) bool { return atLeast(p, float64(2*k+1), float64(k+1)) <= delta }
	hi := 1
	for !half(hi) {
		hi *= 2
	}
	lo := -1 // half(lo) is false
	for hi-lo > 1 {
		if m := (lo + hi) / 2; half(m) {
			hi = m
		} else {
			lo = m
		}
	}
	return 2*hi + 1
}

// Floor is a lower bound of the average, hence also of the larger, error probability of every test of x against y on N
// samples.
type Floor struct{ Pure, KL, Jeffreys, Hellinger, Floor float64 }

// errorFloor turns [Samples] round: with t the bound of TV, the error is at least (1 − t)/2:
//
//	Pure 1/(1 + e^{NLρ}),  KL (1 − t)/2 with t ln((1+t)/(1−t)) = Nκ(2Lρ),  Jeffreys the same with N·Lρ tanh(Lρ/2),
//	Hellinger (1 − √(1 − cosh(Lρ/2)^{−2N}))/2.
//
// Floor is the largest, taken down by 1e-9 of TV. Pure and Jeffreys are attained for N = 1; Hellinger is the sharpest
// for many samples. Source: theory/sampling.md §20.
func errorFloor(lrho float64, samples int) Floor {
	n := float64(samples)
	f := Floor{Pure: (1 - math.Tanh(n*lrho/2)) / 2, KL: klFloor(n * logratio.BoundedRange(2*lrho).KL())}
	f.Jeffreys = klFloor(n * lrho * math.Tanh(lrho/2))
	f.Hellinger = (1 - math.Sqrt(-math.Expm1(-2*n*logCosh(lrho/2)))) / 2
	f.Floor = math.Max(0, max(f.Pure, f.Jeffreys, f.Hellinger)-5e-10)
	return f
}

// klFloor is the least average error of any test of two laws whose Kullback–Leibler divergences in the two directions
// have a mean of at most the given nats: (1 − t)/2 with t ln((1+t)/(1−t)) = nats, attained by two-point laws. One
// direction alone is not enough. N samples have N times the divergence of one.
func klFloor(nats float64) float64 {
	if !(nats > 0) {
		return .5
	}
	lo, hi := 0.0, math.Min(1, math.Sqrt(nats/2)) // Pinsker's inequality
	for range 200 {
		if t := (lo + hi) / 2; 2*t*math.Atanh(t) < nats {
			lo = t
		} else {
			hi = t
		}
	}
	return (1 - hi) / 2
}
