package logratio

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Density is a posterior in one coordinate t, unnormalised, that is an exponential family in the statistic s:
//
//	e^{h(s,t)} dt on [lo, hi],  ∂h/∂s = η(t), the natural parameter, increasing in t.
//
// So two posteriors have ln f_{s+d}/f_s = d·η − (Λ(s+d) − Λ(s)), Λ the log evidence, and their modes move up with s.
type Density interface {
	Ends() (lo, hi float64)
	Eval(s, t float64) (h, eta float64)
	coordinate(eta float64) float64 // the t with η(t) = eta, possibly outside [lo, hi]
	mode(s float64) float64         // where h(s, ·) is greatest on [lo, hi]
	height(s float64) float64       // the logarithm of the greatest unnormalised density of η
	// a bound of the standard deviation of η for every s, from the least curvature of its log-density
	flat() float64
}

var nodes24, weights24 = num.GaussLegendre24()

// Where the integrals are cut and how they are divided.
const (
	Cut     = 38.0 // e^−38 = 3e-17: what lies further below the mode is left out
	MaxStep = 4.0  // width of a panel: the kernels are analytic within π of the real t axis
)

// reach is the point between from and end where h(s, ·) has dropped by Cut (at most by half as much more), or end.
func reach(k Density, s, from, end float64) float64 {
	top, _ := k.Eval(s, from)
	drop := func(x float64) float64 {
		h, _ := k.Eval(s, from+x)
		return top - h
	}
	hi := end - from
	lo, fall := 0.0, drop(hi)
	if !(fall > 1.5*Cut) {
		return end
	}
	for range 80 {
		x := hi * math.Sqrt(1.2*Cut/fall) // where a parabola through the mode has dropped by 1.2·Cut
		if !(math.Abs(x) > math.Abs(lo)) || !(math.Abs(x) < math.Abs(hi)) {
			x = lo + (hi-lo)/2
		}
		switch f := drop(x); {
		case f < Cut:
			lo = x
		case f > 1.5*Cut:
			hi, fall = x, f
		default:
			return from + x
		}
	}
	return from + hi
}

// Panels calls visit for the nodes of Gauss–Legendre panels on [a, b], each no wider than MaxStep and with at most
// 1.5·Cut of the fall, the drop of the steepest integrand.
func Panels(a, b, fall float64, visit func(t, w float64)) {
	if !(b > a) {
		return
	}
	count := math.Max(1, math.Max(math.Ceil((b-a)/MaxStep), math.Ceil(fall/(1.6*Cut))))
	count = math.Min(count, 4096)
	half := (b - a) / (2 * count)
	for i := 0.0; i < count; i++ {
		mid := a + half*(2*i+1)
		for j, x := range nodes24 {
			visit(mid+half*x, half*weights24[j])
		}
	}
}

// LogRatios fills out[j] with ln E_s[e^{shift_j(η − c)}] = Λ(s + shift_j) − Λ(s) − shift_j·c and returns c = η(mode).
// All expectations share one set of nodes, so errors of h cancel and out is accurate to about 1e-15 absolutely even
// when h is 1e6.
func LogRatios(k Density, s float64, shifts, out []float64) (c float64) {
	lo, hi := k.Ends()
	m0 := k.mode(s)
	top, c := k.Eval(s, m0)
	least, most := s, s
	var ref, sum [4]float64
	for j, d := range shifts {
		h, eta := k.Eval(s, k.mode(s+d))
		ref[j+1] = h - top + d*(eta-c)
		least, most = math.Min(least, s+d), math.Max(most, s+d)
	}
	ma, mb := k.mode(least), k.mode(most)
	a, b := reach(k, least, ma, lo), reach(k, most, mb, hi)
	visit := func(t, w float64) {
		h, eta := k.Eval(s, t)
		h -= top
		sum[0] += w * math.Exp(h)
		for j, d := range shifts {
			sum[j+1] += w * math.Exp(h+d*(eta-c)-ref[j+1])
		}
	}
	// Beside its own drop, a tilted integrand falls by at most the tilt on a piece.
	tilt := func(a, b float64) float64 {
		_, ea := k.Eval(s, a)
		_, eb := k.Eval(s, b)
		return (most - least) * (eb - ea)
	}
	if mb-ma < .2*(b-a) {
		m := ma + (mb-ma)/2
		Panels(a, m, tilt(a, m), visit)
		Panels(m, b, tilt(m, b), visit)
	} else {
		Panels(a, ma, tilt(a, ma), visit)
		Panels(ma, mb, tilt(ma, mb), visit)
		Panels(mb, b, tilt(mb, b), visit)
	}
	for j := range shifts {
		out[j] = ref[j+1] + math.Log(sum[j+1]/sum[0])
	}
	return c
}

// Integral is ∫ e^{h(s,t) − ref} g(η) dt over [a, b] within the ends, ref the greatest h there, for a g that varies as
// e^{d·η} does.
func Integral(k Density, s, d, a, b float64, g func(eta float64) float64) (ref, sum float64) {
	lo, hi := k.Ends()
	a, b = math.Max(a, lo), math.Min(b, hi)
	if !(b > a) {
		return 0, 0
	}
	m := math.Min(math.Max(k.mode(s), a), b)
	ref, _ = k.Eval(s, m)
	visit := func(t, w float64) {
		h, eta := k.Eval(s, t)
		sum += w * math.Exp(h-ref) * g(eta)
	}
	for _, side := range [][2]float64{{reach(k, s, m, a), m}, {m, reach(k, s, m, b)}} {
		_, ea := k.Eval(s, side[0])
		_, eb := k.Eval(s, side[1])
		Panels(side[0], side[1], d*(eb-ea), visit)
	}
	return ref, sum
}

func one(float64) float64 { return 1 }

// LogMass is ln ∫_a^b e^{h(s,t)} dt within the ends; −Inf for an empty interval.
func LogMass(k Density, s, a, b float64) float64 {
	ref, sum := Integral(k, s, 0, a, b, one)
	return ref + math.Log(sum)
}

// Hockey is the hockey-stick divergence at ε of f_{s+d} from f_s and of f_s from f_{s+d}, d > 0. The set where the
// ratio exceeds e^ε is a tail, and
//
//	δ = ∫_tail f_x (1 − e^{ε − ln f_x/f_y})
//
// is a sum of positive terms, so that small values keep their digits. Source: theory/sampling.md §22 B.
func Hockey(k Density, s, d, epsilon float64) (up, down float64) {
	var r [1]float64
	c := LogRatios(k, s, []float64{d}, r[:])
	lo, hi := k.Ends()
	tail := func(s, a, b, sign, at float64) float64 {
		ref, part := Integral(k, s, d, a, b,
			func(eta float64) float64 { return -math.Expm1(math.Min(0, at-sign*d*(eta-c))) })
		if !(part > 0) {
			return 0
		}
		whole, sum := Integral(k, s, 0, lo, hi, one)
		return math.Exp(ref-whole) * (part / sum)
	}
	up = tail(s+d, k.coordinate(c+(epsilon+r[0])/d), hi, 1, epsilon+r[0])
	down = tail(s, lo, k.coordinate(c+(r[0]-epsilon)/d), -1, epsilon-r[0])
	return up, down
}

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
