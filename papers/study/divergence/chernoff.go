package divergence

import "math"

// ChernoffBound is the bound of [Chernoff].
type ChernoffBound struct {
	Bound    float64 // of Pr[KL(p‖q) > η]; 0 where it is below the smallest float64
	LogBound float64 // its logarithm
	T        float64 // the minimiser
}

// Chernoff is equation (14) of the paper with its best t, for known p:
//
//	Pr[KL(p‖q) > η] ≤ min_{0≤t<T} e^{−tη} E e^{tKL},  E e^{tKL} = Γ(n)/Γ(n−t) Π p_i^{tp_i} Γ((β−t)p_i + α)/Γ(βp_i + α),
//
// n = β + dα, T = min (β + α/p_i). The exponent is convex in t; its minimum is where the mean of KL under Dir((β−t)p +
// α) is η, or t = 0 when η ≤ E KL. It holds for every α > 0. Relative error of the bound about 1e-12, and 1e-15 of its
// logarithm. It depends on p: private, do not publish.
//
// Domain: p on the simplex; β, α, η > 0; otherwise a *ParameterError.
func Chernoff(p []float64, beta, alpha, eta float64) (ChernoffBound, error) {
	l, err := newLaw("Chernoff", p, beta, alpha, eta)
	if err != nil {
		return ChernoffBound{}, err
	}
	if eta <= l.mean {
		return ChernoffBound{1, 0, 0}, nil
	}
	t := root(l.right, func(t float64) float64 { return l.slope(t) - eta })
	log := min(l.logMGF(t)-t*eta, 0)
	return ChernoffBound{math.Exp(log), log, t}, nil
}
