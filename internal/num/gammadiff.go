package num

import "math"

// LogGamma is lnΓ(x), x > 0; NaN otherwise.
func LogGamma(x float64) float64 {
	if !(x > 0) {
		return math.NaN()
	}
	l, _ := math.Lgamma(x)
	return l
}

// LogGammaDiff is lnΓ(x + h) − lnΓ(x), x > 0, x + h > 0: the log of the rising factorial. It does not subtract two
// large numbers: absolute error at most 5e-15·max(1, |value|), also for h far below the spacing of x.
//
//	lnΓ(x+h) − lnΓ(x) = (x − ½) ln(1+r) + h(ln(x+h) − 1) + S(x+h) − S(x),  r = h/x, for x, x+h ≥ 12,
//
// reached by the recurrence, which adds −ln(1 + h/x).
func LogGammaDiff(x, h float64) float64 {
	y := x + h
	switch {
	case !(x > 0 && y > 0) || math.IsInf(x, 1):
		return math.NaN()
	case h == 0:
		return 0
	case math.IsInf(h, 1):
		return h
	}
	s := 0.0
	for x < stirlingFrom || y < stirlingFrom {
		s += logRatio(x, y, h)
		x, y = x+1, y+1
	}
	l := logRatio(x, y, h)
	tail, power, u := 0.0, 1/x, 1/(x*x)
	for k, c := range stirlingCoef {
		tail += c * power * math.Expm1(-float64(2*k+1)*l)
		power *= u
	}
	return (x-0.5)*l + h*(math.Log(y)-1) + tail - s
}

// logRatio is ln(y/x) with y = x + h: from h when y is near x, from y when h ≈ −x.
func logRatio(x, y, h float64) float64 {
	if h < -0.5*x {
		return math.Log(y / x)
	}
	return math.Log1p(h / x)
}

// LogGammaBregman is the Bregman divergence of lnΓ, which is convex:
//
//	D(y; x) = lnΓ(y) − lnΓ(x) − (y − x)ψ(x) ≥ 0,  x, y > 0,  h = y − x.
//
// The caller passes h, since y − x may have lost it. Relative error at most 5e-15, however small h is. Kullback–Leibler
// and Rényi divergences of Dirichlet laws are sums of such terms.
//
// The recurrence is D(y; x) = D(y+1; x+1) + h/x − ln(1+h/x); for x, y ≥ 12, with r = h/x,
//
//	D = x[(1+r)ln(1+r) − r] − ½[ln(1+r) − r] + Σ_k c_k x^{1−2k}[(1+r)^{1−2k} − 1 + (2k−1)r].
func LogGammaBregman(y, x, h float64) float64 {
	if !(x > 0 && y > 0) || math.IsInf(x, 1) || math.IsInf(y, 1) || math.IsNaN(h) {
		return math.NaN()
	}
	s := 0.0
	for x < stirlingFrom || y < stirlingFrom {
		if h < -0.5*x {
			s += h/x - math.Log(y/x)
		} else {
			s -= Log1pMinus(h / x)
		}
		x, y = x+1, y+1
	}
	r := h / x
	tail, power, u := 0.0, 1/x, 1/(x*x)
	for k, c := range stirlingCoef {
		tail += c * power * bregmanPower(float64(2*k+1), r)
		power *= u
	}
	return s + x*XLogXMinus(r) - 0.5*Log1pMinus(r) + tail
}

// bregmanPower is (1+r)^−k − 1 + k·r ≥ 0, by its series Σ_{j≥2} C(−k, j) r^j where the closed form cancels.
func bregmanPower(k, r float64) float64 {
	if k*math.Abs(r) > 0.1 {
		return math.Pow(1+r, -k) - 1 + k*r
	}
	sum, term := 0.0, -k*r
	for j := 1.0; j < 30; j++ {
		term *= -(k + j) / (j + 1) * r
		sum += term
		if math.Abs(term) <= 1e-17*math.Abs(sum) {
			break
		}
	}
	return sum
}
