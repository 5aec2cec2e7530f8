package logratio

import "math"

// BetaDensity is θ^{α+rs−1}(1−θ)^{β+r(n−s)−1} on [l, u] in t = ln θ/(1−θ), s successes among n, likelihood to the power
// r:
//
//	h = (α + rs)t − (α + β + rn) ln(1 + e^t),  η = rt.
type BetaDensity struct{ Alpha, Total, Power, Lo, Hi float64 }

// NewBetaDensity is the posterior of n bits, 0 ≤ l < u ≤ 1; n = 0 is the prior.
func NewBetaDensity(n int, alpha, beta, l, u, power float64) BetaDensity {
	return BetaDensity{alpha, alpha + beta + power*float64(n), power, Logit(l), Logit(u)}
}

// Logit is ln x/(1−x).
func Logit(x float64) float64 { return math.Log(x) - math.Log1p(-x) }

// Ends is [Lo, Hi].
func (k BetaDensity) Ends() (float64, float64) { return k.Lo, k.Hi }

// Eval is h(s, t) and η(t).
func (k BetaDensity) Eval(s, t float64) (h, eta float64) {
	// ln(1 + e^t) = max(t, 0) + ln(1 + e^−|t|)
	p := k.Alpha + k.Power*s
	soft := math.Log1p(math.Exp(-math.Abs(t)))
	if t > 0 {
		return (p-k.Total)*t - k.Total*soft, k.Power * t
	}
	return p*t - k.Total*soft, k.Power * t
}

func (k BetaDensity) coordinate(eta float64) float64 { return eta / k.Power }

func (k BetaDensity) mode(s float64) float64 {
	p := k.Alpha + k.Power*s
	switch q := k.Total - p; {
	case p <= 0:
		return k.Lo
	case q <= 0:
		return k.Hi
	default:
		return math.Min(math.Max(math.Log(p/q), k.Lo), k.Hi)
	}
}

// flat: the curvature of h in t is total·θ(1−θ), least at an end of the box.
func (k BetaDensity) flat() float64 {
	least := math.Inf(1)
	for _, t := range []float64{k.Lo, k.Hi} {
		e := math.Exp(-math.Abs(t))
		least = math.Min(least, e/((1+e)*(1+e)))
	}
	return k.Power / math.Sqrt(k.Total*least)
}

func (k BetaDensity) height(s float64) float64 {
	h, _ := k.Eval(s, k.mode(s))
	return h - math.Log(k.Power)
}

// GammaDensity is θ^{k−1}e^{−θ(λ−rs)} on [c1, c2] in t = ln θ, s minus the sum of the statistics of the records:
//
//	h = kt − (λ − rs)e^t,  η = re^t = rθ.
//
// The rate may be negative, as it is in Rényi divergences.
type GammaDensity struct{ Shape, Rate, Power, Lo, Hi float64 }

// NewGammaDensity is the posterior of n records with likelihood ∝ θ^{nκ}e^{−θΣT} under the prior Exp(λ) on [c1, c2]; n
// = 0 is the prior.
func NewGammaDensity(n int, kappa, lambda, c1, c2 float64) GammaDensity {
	return GammaDensity{1 + float64(n)*kappa, lambda, 1, math.Log(c1), math.Log(c2)}
}

// Ends is [Lo, Hi].
func (k GammaDensity) Ends() (float64, float64) { return k.Lo, k.Hi }

// Eval is h(s, t) and η(t).
func (k GammaDensity) Eval(s, t float64) (h, eta float64) {
	theta := math.Exp(t)
	return k.Shape*t - (k.Rate-k.Power*s)*theta, k.Power * theta
}

func (k GammaDensity) coordinate(eta float64) float64 {
	if eta <= 0 {
		return math.Inf(-1)
	}
	return math.Log(eta / k.Power)
}

func (k GammaDensity) mode(s float64) float64 {
	b := k.Rate - k.Power*s
	if b <= 0 {
		return k.Hi
	}
	return math.Min(math.Max(math.Log(k.Shape/b), k.Lo), k.Hi)
}

// flat: the logarithm of the density of θ has the curvature (k−1)/θ².
func (k GammaDensity) flat() float64 {
	if k.Shape <= 1 {
		return math.Inf(1)
	}
	return k.Power * math.Exp(k.Hi) / math.Sqrt(k.Shape-1)
}

func (k GammaDensity) height(s float64) float64 {
	one := k
	one.Shape-- // dη = rθ dt
	h, _ := one.Eval(s, one.mode(s))
	return h - math.Log(k.Power)
}
