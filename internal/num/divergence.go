package num

import (
	"math"
)

// LogBC is one cell's share of the log Bhattacharyya coefficient of two gamma-type laws,
//
//	φ(a, b) = lnΓ((a+b)/2) − ½(lnΓ(a) + lnΓ(b)) ≤ 0,  a, b > 0.
//
// For Dirichlet parameters a_i, b_i with totals A, B: ln BC = Σ φ(a_i, b_i) − φ(A, B), and equal totals leave terms of
// one sign.
//
// Relative error at most 5e-15 for arguments in [1e-8, 1e15], however close they are; NaN outside the domain.
//
// With h = |a−b|/2, which is carried and never recomputed, m = lo + h and t = h/m, the recurrence Γ(z+1) = zΓ(z) gives
// φ(a, b) = φ(a+1, b+1) + ½ ln(1−t²); from stirlingFrom on,
//
//	φ = −½[m·E(t) − ½ ln(1−t²)] + [S(m) − ½(S(lo) + S(hi))],  E(t) = ln(1−t²) + 2t·atanh(t) = Σ_{j≥1} t^{2j}/(j(2j−1)),
//
// where S is the Stirling tail. All terms of the recurrence and the bracket have the sign of φ.
func LogBC(a, b float64) float64 {
	if !(a > 0 && b > 0) || math.IsInf(a, 1) || math.IsInf(b, 1) {
		return math.NaN()
	}
	if a == b {
		return 0
	}
	lo, h := a, (b-a)/2
	if h < 0 {
		lo, h = b, -h
	}
	s := 0.0
	for ; lo < stirlingFrom; lo++ {
		m := lo + h
		if t := h / m; t < 0.7 {
			s += math.Log1p(-t * t)
		} else { // 1 − t cancels; lo/m does not
			s += math.Log(lo/m) + math.Log1p(t)
		}
	}
	return s/2 + logBCLarge(lo, h)
}

// logBCLarge is φ(lo, lo + 2h) for lo ≥ stirlingFrom.
func logBCLarge(lo, h float64) float64 {
	m, hi := lo+h, lo+2*h
	t := h / m
	var l, e float64 // ln(1−t²) and E(t)
	switch {
	case t < 0.3:
		l, e = math.Log1p(-t*t), entropySeries(t*t)
	case t < 0.5:
		l = math.Log1p(-t * t)
		e = l + 2*t*math.Atanh(t)
	default:
		l = math.Log(lo/m) + math.Log(hi/m)
		e = l + t*math.Log(hi/lo)
	}
	s := -t * (h / lo) / (12 * hi) // the 1/(12z) terms of S, combined exactly
	if t < 0.5 {
		u, power := 1/(m*m), 1/m
		for k := 1; k < len(stirlingCoef); k++ {
			power *= u
			s -= stirlingCoef[k] * power * evenPart(float64(2*k+1), t)
		}
	} else {
		s += stirlingRest(m) - (stirlingRest(lo)+stirlingRest(hi))/2
	}
	return s - (m*e-l/2)/2
}

// entropySeries is Σ_{j≥1} u^j/(j(2j−1)), u = t².
func entropySeries(u float64) float64 {
	sum, power := 0.0, u
	for j := 1.0; ; j++ {
		next := sum + power/(j*(2*j-1))
		if next == sum {
			return sum
		}
		sum, power = next, power*u
	}
}

// evenPart is ½((1−t)^−k + (1+t)^−k) − 1 = Σ_{j≥1} C(k+2j−1, 2j) t^{2j}, 0 ≤ t < ½. It multiplies coefficients that are
// at most 1e-5 of the leading term, so eight digits are plenty.
func evenPart(k, t float64) float64 {
	if t > 0.15 {
		return 0.5*(math.Pow(1-t, -k)+math.Pow(1+t, -k)) - 1
	}
	sum, term := 0.0, 1.0
	for j := 0.0; j < 40; j += 2 {
		term *= (k + j) * (k + j + 1) / ((j + 1) * (j + 2)) * t * t
		sum += term
		if term <= 1e-12*sum {
			break
		}
	}
	return sum
}

// stirlingRest is S(z) − 1/(12z) for z ≥ stirlingFrom.
func stirlingRest(z float64) float64 {
	u, p := 1/(z*z), 0.0
	for k := len(stirlingCoef) - 1; k >= 1; k-- {
		p = p*u + stirlingCoef[k]
	}
	return p * u / z
}

// DirichletKL is the Kullback–Leibler divergence of Dirichlet(x + h) from Dirichlet(x), in nats:
//
//	Σ D(y_i; x_i) − D(y₀; x₀) ≥ 0,  y = x + h,  totals x₀, y₀,  D as in LogGammaBregman.
//
// y and h are both given, since y − x may have lost h. With D(y; x) = x·e(h/x) + R(y; x), e(r) = (1+r) ln(1+r) − r, the
// large parts combine without cancellation even when the totals differ:
//
//	Σ x_i e(r_i) − x₀ e(r₀) = Σ x_i (1+r₀) e((r_i − r₀)/(1+r₀)),  r = h/x,
//
// because Σ x_i r_i = x₀ r₀. Relative error about 1e-13. The slices have one length; parameters outside the domain give
// NaN.
func DirichletKL(y, x, h []float64) float64 {
	x0, h0 := 0.0, 0.0
	for i := range x {
		x0, h0 = x0+x[i], h0+h[i]
	}
	grow := 1 + h0/x0 // 1 + r₀
	if !(grow > 0) {
		return math.NaN()
	}
	sum := 0.0
	for i := range x {
		if !(x[i] > 0 && y[i] > 0) {
			return math.NaN()
		}
		// (r_i − r₀)/(1 + r₀) = (h_i x₀ − x_i h₀)/(x_i(x₀ + h₀)), the difference of products with one rounding each
		cross := x[i] * h0
		r := (math.FMA(h[i], x0, -cross) + math.FMA(-x[i], h0, cross)) / (x[i] * x0 * grow)
		if r < -0.5 { // 1 + r = (y_i/y₀)/(x_i/x₀)
			r = y[i]/x[i]/grow - 1
		}
		sum += x[i]*grow*XLogXMinus(math.Max(r, -1)) + bregmanRest(y[i], x[i], h[i])
	}
	return math.Max(0, sum-bregmanRest(x0*grow, x0, h0))
}

// bregmanRest is R(y; x) = D(y; x) − x·e(h/x). For x ≥ stirlingFrom it is −½[ln(1+r) − r] plus the Bregman divergence
// of the Stirling tail S, both small; below, the two are no larger than the divergence they are part of, and are
// subtracted.
func bregmanRest(y, x, h float64) float64 {
	if x < stirlingFrom {
		return LogGammaBregman(y, x, h) - x*XLogXMinus(math.Max(h/x, -1))
	}
	r := h / x
	log := Log1pMinus(r)
	if r < -0.5 {
		log = math.Log(y/x) - r
	}
	tail, power, u := 0.0, 1/x, 1/(x*x)
	if y < stirlingFrom {
		tail = StirlingTail(y) - StirlingTail(x)
		for k, c := range stirlingCoef {
			tail += float64(2*k+1) * c * power * r
			power *= u
		}
		return tail - log/2
	}
	for k, c := range stirlingCoef {
		tail += c * power * bregmanPower(float64(2*k+1), r)
		power *= u
	}
	return tail - log/2
}
