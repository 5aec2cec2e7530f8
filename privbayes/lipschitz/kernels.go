package lipschitz

import "math"

// betaDensity is θ^{α+rs−1}(1−θ)^{β+r(n−s)−1} on [l, u] in t = ln θ/(1−θ), s successes among n, likelihood to the power r:
//
//	h = (α + rs)t − (α + β + rn) ln(1 + e^t),  η = rt.
type betaDensity struct{ alpha, total, r, lo, hi float64 }

func newBetaDensity(n int, alpha, beta, l, u, r float64) betaDensity {
	return betaDensity{alpha, alpha + beta + r*float64(n), r, logit(l), logit(u)}
}

func logit(x float64) float64 { return math.Log(x) - math.Log1p(-x) }

func (k betaDensity) ends() (float64, float64) { return k.lo, k.hi }

func (k betaDensity) eval(s, t float64) (h, eta float64) {
	// ln(1 + e^t) = max(t, 0) + ln(1 + e^−|t|)
	p := k.alpha + k.r*s
	soft := math.Log1p(math.Exp(-math.Abs(t)))
	if t > 0 {
		return (p-k.total)*t - k.total*soft, k.r * t
	}
	return p*t - k.total*soft, k.r * t
}

func (k betaDensity) coordinate(eta float64) float64 { return eta / k.r }

func (k betaDensity) mode(s float64) float64 {
	p := k.alpha + k.r*s
	switch q := k.total - p; {
	case p <= 0:
		return k.lo
	case q <= 0:
		return k.hi
	default:
		return math.Min(math.Max(math.Log(p/q), k.lo), k.hi)
	}
}

// flat: the curvature of h in t is total·θ(1−θ), least at an end of the box.
func (k betaDensity) flat() float64 {
	least := math.Inf(1)
	for _, t := range []float64{k.lo, k.hi} {
		e := math.Exp(-math.Abs(t))
		least = math.Min(least, e/((1+e)*(1+e)))
	}
	return k.r / math.Sqrt(k.total*least)
}

func (k betaDensity) height(s float64) float64 {
	h, _ := k.eval(s, k.mode(s))
	return h - math.Log(k.r)
}

// gammaDensity is θ^{k−1}e^{−θ(λ−rs)} on [c1, c2] in t = ln θ, s minus the sum of the statistics of the records:
//
//	h = kt − (λ − rs)e^t,  η = re^t = rθ.
//
// The rate may be negative, as it is in Rényi divergences.
type gammaDensity struct{ shape, rate, r, lo, hi float64 }

func (k gammaDensity) ends() (float64, float64) { return k.lo, k.hi }

func (k gammaDensity) eval(s, t float64) (h, eta float64) {
	theta := math.Exp(t)
	return k.shape*t - (k.rate-k.r*s)*theta, k.r * theta
}

func (k gammaDensity) coordinate(eta float64) float64 {
	if eta <= 0 {
		return math.Inf(-1)
	}
	return math.Log(eta / k.r)
}

func (k gammaDensity) mode(s float64) float64 {
	b := k.rate - k.r*s
	if b <= 0 {
		return k.hi
	}
	return math.Min(math.Max(math.Log(k.shape/b), k.lo), k.hi)
}

// flat: the logarithm of the density of θ has the curvature (k−1)/θ².
func (k gammaDensity) flat() float64 {
	if k.shape <= 1 {
		return math.Inf(1)
	}
	return k.r * math.Exp(k.hi) / math.Sqrt(k.shape-1)
}

func (k gammaDensity) height(s float64) float64 {
	one := k
	one.shape-- // dη = rθ dt
	h, _ := one.eval(s, one.mode(s))
	return h - math.Log(k.r)
}
