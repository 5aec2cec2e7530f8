package sampling

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
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
// 0.2755 ([PaperValidBelow]), but 1/(Lρ) is not the order: N grows like 1/(Lρ)². With both errors at most δ, TV of N
// samples is at least t = 1 − 2δ, and
//
//	Pure:       the log-ratio of N samples has range 2NLρ, so TV ≤ tanh(NLρ/2);
//	KL:         2t ln((1+t)/(1−t)) ≤ J = D(x‖y) + D(y‖x), where D of N samples is at most Nκ(2Lρ) in either direction;
//	Jeffreys:   J of one sample is at most w·TV ≤ w tanh(w/4) for a log-ratio of range w = 2Lρ, since ∫(p−q) = 0;
//	Hellinger:  t² ≤ 1 − BC^{2N}, and laws with a log-ratio of range w have BC = Σ√(pq) ≥ 1/cosh(w/4), as √ is concave.
//
// Domain: Lρ > 0, 0 < δ < ½; otherwise a *ParameterError. Source: theory/sampling.md §20; the Jeffreys and Hellinger
// forms are this package's.
func Samples(lrho, delta float64) (SampleBounds, error) {
	if err := check("Samples", domain.Arg("L*rho", lrho, lrho >= 1e-4 && lrho <= 1e6, "from 1e-4 to 1e6"),
		domain.Arg("delta", delta, delta >= 1e-12 && delta < .5, "in [1e-12, 1/2)")); err != nil {
		return SampleBounds{}, err
	}
	odds := math.Log1p(-delta) - math.Log(delta)
	b := SampleBounds{Paper: -3 * math.Log(delta) / (4 * lrho), Pure: odds / lrho,
		KL: (1 - 2*delta) * odds / Kappa(2*lrho)}
	b.Hellinger = -math.Log(4*delta*(1-delta)) / (2 * logCosh(lrho/2))
	b.Jeffreys = (1 - 2*delta) * odds / (lrho * math.Tanh(lrho/2))
	b.Necessary = max(b.Pure, b.Jeffreys, b.Hellinger)
	b.TwoPoint = twoPointSamples(lrho, delta)
	return b, nil
}

// PaperValidBelow is the δ up to which the printed rate of Theorem 13, read as "only if", follows from ln((1−δ)/δ) ≥ ¾
// ln(1/δ).
const PaperValidBelow = 0.275508040999484

// SamplesStochastic is Theorem 13 under Assumption 2, with C of [Family.Constant] and any L0 and c of [Family.BestC]:
// by J ≤ C(L0+1/c)ρ no adversary has both errors at most δ with fewer samples than
//
//	necessary = 2(1−2δ)ln((1−δ)/δ)/(C(L0+1/c)ρ).
//
// The printed 3 ln(1/δ)/(2(C+2L0/c)ρ) is false in both directions: Θ = {.2, .8}, one bit at ρ = 0.1, c = 1000 gives
// 27.6 where 7 suffice. Domain: C ≥ 1, L0 ≥ 0, c > 0 (also +Inf), ρ > 0, 0 < δ < ½; otherwise a *ParameterError.
// Source: theory/sampling.md §5, §20.
func SamplesStochastic(constant, l0, c, rho, delta float64) (necessary, paper float64, err error) {
	if err := check("SamplesStochastic", domain.Arg("C", constant, constant >= 1-1e-12 && domain.Finite(constant),
		"a finite number ≥ 1"), domain.NotNegative("L0", l0),
		domain.Arg("c", c, c > 0, "a number > 0"), domain.Positive("rho", rho),
		domain.Arg("delta", delta, delta > 0 && delta < .5, "in (0, 1/2)")); err != nil {
		return 0, 0, err
	}
	odds := math.Log1p(-delta) - math.Log(delta)
	return 2 * (1 - 2*delta) * odds / up(constant*(l0+1/c)*rho),
		-3 * math.Log(delta) / (2 * (constant + 2*l0/c) * rho), nil
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
	half := func(k int) bool { return atLeastTail(p, float64(2*k+1), float64(k+1)) <= delta }
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

// ErrorFloor turns [Samples] round: with t the bound of TV, the error is at least (1 − t)/2:
//
//	Pure 1/(1 + e^{NLρ}),  KL (1 − t)/2 with t ln((1+t)/(1−t)) = Nκ(2Lρ),  Jeffreys the same with N·Lρ tanh(Lρ/2),
//	Hellinger (1 − √(1 − cosh(Lρ/2)^{−2N}))/2.
//
// Floor is the largest, taken down by 1e-9 of TV. Pure and Jeffreys are attained for N = 1; Hellinger is the sharpest
// for many samples. Domain: Lρ ≥ 0, N ≥ 1; otherwise a *ParameterError. Source: theory/sampling.md §20.
func ErrorFloor(lrho float64, samples int) (Floor, error) {
	if err := check("ErrorFloor", domain.NotNegative("L*rho", lrho),
		domain.Between("samples", samples, 1, maxSamples)); err != nil {
		return Floor{}, err
	}
	n := float64(samples)
	f := Floor{Pure: (1 - math.Tanh(n*lrho/2)) / 2, KL: klFloor(n * Kappa(2*lrho))}
	f.Jeffreys = klFloor(n * lrho * math.Tanh(lrho/2))
	f.Hellinger = (1 - math.Sqrt(-math.Expm1(-2*n*logCosh(lrho/2)))) / 2
	f.Floor = math.Max(0, max(f.Pure, f.Jeffreys, f.Hellinger)-5e-10)
	return f, nil
}

// KLFloor is the least average error of any test of two laws whose Kullback–Leibler divergences in the two directions
// have a mean of at most the given nats: (1 − t)/2 with t ln((1+t)/(1−t)) = nats. One direction alone is not enough. N
// samples have N times the divergence of one. Domain: nats ≥ 0; otherwise a *ParameterError.
func KLFloor(nats float64) (float64, error) {
	if err := check("KLFloor", domain.NotNegative("nats", nats)); err != nil {
		return 0, err
	}
	return klFloor(nats), nil
}

func klFloor(nats float64) float64 { return (1 - jeffreysTV(2*nats)) / 2 }
