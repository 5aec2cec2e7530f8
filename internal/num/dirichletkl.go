package num

import "math"

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
