package sampling

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Randomised is Corollary 9 at one L.
type Randomised struct {
	L         float64
	PaperRate float64 // 1 − e^{−c(L−L0)}: the claimed probability that the posterior is 2Lρ-private for all x, y
	Event     float64 // that probability: the event does not involve θ, so it is 0 or 1
	Outside   float64 // δ_L = max_x ξ(ℓ(θ) > L | x)

	Epsilon float64 // corrected, at distance ρ: (2Lρ, δ_L)
	Delta   float64
	Exact   float64 // the largest exact δ at Epsilon over pairs within ρ: never more than Delta

	Pointwise float64 // 2Lρ + ln 1/(1−δ_L): the loss is at most this outside an event of posterior probability δ_L
	// the largest exact loss on Θ_L over pairs within ρ: never more than Pointwise, but it can exceed 2Lρ
	Loss float64
}

// Randomised runs Corollary 9 ("with probability at least 1 − e^{−c(L−L0)} the posterior is 2L-private") at distance
// rho. As printed it is false: Event is what it claims to bound. What holds for every pair within rho, with a, b = ξ(ℓ
// > L | x), ξ(ℓ > L | y) ≤ δ_L:
//
//	on Θ_L      ξ(θ|x)/ξ(θ|y) ≤ e^{2Lρ}(1−a)/(1−b), since r = p_θ(x)/p_θ(y) ≤ e^{Lρ} and
//	            1 − a = φ(y)/φ(x)·∫_{Θ_L} r dξ(·|y) ≥ φ(y)/φ(x)·e^{−Lρ}(1 − b);
//	for all B   ξ(B|x) ≤ a + (1−a)v, v = min(1, e^{2Lρ} ξ(B∩Θ_L|y)/(1−b)), which is
//	            at most v(1−b) + max(a, b) ≤ e^{2Lρ} ξ(B|y) + δ_L.
//
// So the posterior is (2Lρ, δ_L)-private; ln 1/(1−δ_L) is needed for the pointwise form only. Restricting the prior to
// Θ_L instead gives (2Lρ, 0): [Family.Restrict].
//
// Domain: ρ > 0, L ≥ L0, L0 as in [Family.BestC]; otherwise a *ParameterError. Pointwise is +Inf when some posterior
// leaves Θ_L no mass. Source: theory/sampling.md §7, which has ln 1/(1−δ_L) in both forms.
func (f *Family) Randomised(l, l0, rho float64) (Randomised, error) {
	c, err := f.BestC(l0)
	if err != nil {
		return Randomised{}, err
	}
	if err := check("Randomised", domain.Positive("rho", rho),
		domain.Arg("L", l, l >= l0 && domain.Finite(l), "a finite number ≥ L0")); err != nil {
		return Randomised{}, err
	}
	r := Randomised{L: l, PaperRate: -math.Expm1(-c * (l - l0)), Event: 1}
	if l == l0 {
		r.PaperRate = 0
	}
	ell := f.lipschitz()
	for _, p := range f.post {
		out := 0.0
		for i, v := range p {
			if above(ell[i], l) {
				out += v
			}
		}
		r.Outside = math.Max(r.Outside, math.Min(1, out))
	}
	r.Delta = math.Min(1, up(r.Outside))
	r.Epsilon = up(2 * l * rho)
	r.Pointwise = up(2*l*rho - math.Log1p(-r.Outside))
	for x, p := range f.post {
		for y, q := range f.post {
			d := f.rho[x][y]
			if x == y || d == 0 {
				continue
			}
			if above(compare(p, q).ratio, 2*l*d) {
				r.Event = 0
			}
			if d > rho {
				continue
			}
			r.Exact = math.Max(r.Exact, hockeyStick(p, q, r.Epsilon))
			for i := range p {
				if !above(ell[i], l) && p[i] > 0 && q[i] > 0 {
					r.Loss = math.Max(r.Loss, math.Log(p[i]/q[i]))
				}
			}
		}
	}
	return r, nil
}

// GroupDelta is the δ between data sets k edges apart when every edge is (ε, δ)-private: δ(e^{kε} − 1)/(e^ε − 1),
// attained, at ε' = kε. Remark 3 of the paper claims kδ, which holds only for ε = 0 or δ = 0; two bits with P(B) = 0,
// .1, .1, .3 refute it at ε = ln 2. Domain: ε, δ ≥ 0, k ≥ 1; otherwise a *ParameterError. Source: theory/sampling.md
// §1.
func GroupDelta(epsilon, delta float64, k int) (float64, error) {
	if err := check("GroupDelta", domain.NotNegative("epsilon", epsilon), domain.NotNegative("delta", delta),
		domain.Between("k", k, 1, maxSamples)); err != nil {
		return 0, err
	}
	if epsilon == 0 || delta == 0 {
		return float64(k) * delta, nil
	}
	return delta * math.Expm1(float64(k)*epsilon) / math.Expm1(epsilon), nil
}

// RectangleHockeyStick is the largest P(A)P'(B) − e^ε Q(A)Q'(B) over rectangles A × B: all that the printed proof of
// Theorem 4 looks at. The worst set of two releases need not be one, so it can be less than [HockeyStick] of the
// product. Domain: as HockeyStick, at most 12 outcomes each; otherwise a *ParameterError. Source: theory/sampling.md
// §2.
func RectangleHockeyStick(p, q, p2, q2 []float64, epsilon float64) (float64, error) {
	const f = "RectangleHockeyStick"
	if err := check(f, domain.NotNegative("epsilon", epsilon),
		domain.Between("outcomes", max(len(p), len(p2)), 1, 12)); err != nil {
		return 0, err
	}
	if err := laws(f, p, q); err != nil {
		return 0, err
	}
	if err := laws(f, p2, q2); err != nil {
		return 0, err
	}
	best, e := 0.0, math.Exp(epsilon)
	for set := range 1 << len(p) {
		pa, qa := mass(p, set), mass(q, set)
		for set2 := range 1 << len(p2) {
			best = math.Max(best, pa*mass(p2, set2)-e*qa*mass(q2, set2))
		}
	}
	return best, nil
}

// mass is the probability of the outcomes whose bit is set.
func mass(p []float64, set int) float64 {
	sum := 0.0
	for i, v := range p {
		if set>>i&1 == 1 {
			sum += v
		}
	}
	return sum
}
