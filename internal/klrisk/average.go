package klrisk

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Average is E KL(p‖y) in nats, averaged over p ~ Dir(a₀, …, a₀) with d ≥ 2 cells: an objective for choosing r and α
// that reads no data.
//
//	d·E[q(p)φ(h(p)) + p·gap(u(p))] − gap(u₀),  p ~ Beta(a₀, (d−1)a₀),
//
// u = rNp + α, q = u/u₀, h = α(dp − 1)/u, φ(h) = (1+h)ln(1+h) − h; see [ExpectedKL]. With p = 1/(1 + e^{−t}) every
// singularity of the integrand lies on Im t = ±π, whatever the parameters, and the weight has the Fourier transform
// B(a₀+iω, b₀−iω), b₀ = (d−1)a₀, which falls at least as ω^{a₀}e^{−πω/2}: the trapezoidal rule in t with step s errs by
// about that at ω = 2π/s. Beyond the points where the bracket is constant to 1e-16, the weights are powers of e^{t},
// summed to infinity as geometric series.
//
// Relative error below 1e-10, measured for a₀ in [0.1, 10], N ≤ 1e7, d ≤ 1000, α in [1e-6, 1e6]. Domain: n ≥ 0; d ≥ 2;
// r, α, a₀ > 0; NaN otherwise.
func Average(n float64, d int, r, alpha, a0 float64) float64 {
	if d < 2 || !positive(r, alpha, a0) || !(n >= 0) || math.IsInf(r*n, 1) {
		return math.NaN()
	}
	l := law{float64(d), r * n, alpha, r*n + float64(d)*alpha}
	b0 := (l.cells - 1) * a0
	peak := -math.Log(l.cells - 1) // the mode of the weight, at p = 1/d
	top := logWeight(peak, a0, b0)
	step := 0.35 / math.Sqrt(1+a0/4)

	var mass, sum float64
	add := func(t float64) (weight, value float64) {
		weight, value = math.Exp(logWeight(t, a0, b0)-top), l.loss(num.Logistic(t))
		mass += weight
		sum += weight * value
		return weight, value
	}
	rest := func(weight, value, rate float64) { // Σ_{k≥1} e^{−rate·step·k}
		w := weight / math.Expm1(rate*step)
		mass += w
		sum += w * value
	}
	// Below both scales of the bracket, α/(rN) and 1/d, it is constant up to a factor 1 + O(e^{t−low}·|t|), and above t
	// = 0 up to a factor 1 + O(e^{−t}·t): a loop ends where what is left of the sum after that is negligible.
	low := peak
	if l.scale > 0 {
		low = min(low, math.Log(alpha)-math.Log(l.scale))
	}
	const negligible = 1e-15
	var w, v float64
	for t := peak; ; t -= step {
		if w, v = add(t); t < low && w*v*math.Exp(t-low) < negligible*sum && w*math.Exp(t-low) < negligible*mass {
			break
		}
	}
	rest(w, v, a0)
	for t := peak + step; ; t += step {
		if w, v = add(t); t > 0 && w*v*math.Exp(-t) < negligible*sum || w < 1e-20*mass && w*v < 1e-20*sum {
			break
		}
	}
	if w > 0 {
		rest(w, v, b0)
	}
	return sum/mass - gap(l.total)
}

// logWeight is ln[p^{a₀}(1−p)^{b₀}], the density of logit p up to its constant.
func logWeight(t, a0, b0 float64) float64 {
	if t > 0 {
		return -b0*t - (a0+b0)*math.Log1p(math.Exp(-t))
	}
	return a0*t - (a0+b0)*math.Log1p(math.Exp(t))
}

// loss is d·[q·φ(h) + p·gap(u)] of a cell with probability p.
func (l law) loss(p, _ float64) float64 {
	u, h := l.cell(p)
	return l.cells * (u*num.XLogXMinus(h)/l.total + p*gap(u))
}
