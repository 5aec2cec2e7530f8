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
