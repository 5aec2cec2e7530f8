package klrisk

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// cut is the log of the density, relative to its mode, below which it is left out: e^−37 ≈ 1e-16.
const cut = 37

// GammaMean is the posterior mean of a count f in [0, top], top maybe +Inf, given y = ln g of one draw g ~ Gamma(rf +
// α, 1), under the prior ∝ e^{−τf}:
//
//	∫ f e^{−τf} g^{rf+α−1}/Γ(rf+α) df / ∫ e^{−τf} g^{rf+α−1}/Γ(rf+α) df.
//
// In x = rf + α the density is ∝ e^{sx}/Γ(x), s = y − τ/r, on [α, α + r·top]. Its logarithm has the second derivative
// −ψ′(x) < 0: it is concave, with one mode, where ψ(x) = s or at an end. So the density is at most e^{−cut} of its
// largest value outside an interval that is found in closed form (see reach), and inside, being entire, it is
// integrated by 24 Gauss nodes on each of three panels.
//
// It is monotone in y, close to 1/(r(ψ(α) − s)) for y → −∞ and to (g + 1 − α)/r for large g. Relative error below
// 1e-13, against 40-digit quadrature. About 4 µs. Domain: r, α > 0, top ≥ 0, τ finite; NaN otherwise. y = −Inf, the
// draw 0, gives 0; y = +Inf gives top.
func GammaMean(y, r, alpha, top, tau float64) float64 {
	s := y - tau/r
	switch {
	case !positive(r, alpha) || !(top >= 0) || math.IsNaN(s):
		return math.NaN()
	case top == 0 || math.IsInf(s, -1):
		return 0
	case math.IsInf(s, 1):
		return top
	}
	length := r * top // of the interval of x
	m, left, right := mode(s, alpha, length)
	if math.IsInf(m, 1) {
		return top // the only such mode is beyond the largest number, with no end
	}
	slope := num.Digamma(m) - s // 0 up to the accuracy of the mode, or the pull of an end
	below, above := reach(m, slope)
	below, above = min(below, left), min(above, right)
	d := newDensity(m, s)
	s0, s1 := 0.0, 0.0
	for _, panel := range [3][2]float64{{-below, 0}, {0, above / 3}, {above / 3, above}} {
		if half := (panel[1] - panel[0]) / 2; half > 0 {
			mid := panel[0] + half
			for i, x := range nodes {
				z := mid + half*x
				w := half * weights[i] * d.at(z)
				s0 += w
				s1 += w * z
			}
		}
	}
	f := (left + s1/s0) / r // left = m − α: exactly 0 when the mode is the lower end
	if left == length && left > 0 {
		f = top + s1/s0/r
	}
	return min(max(f, 0), top)
}

var nodes, weights = num.GaussLegendre24()

// mode is a point near the mode of e^{sx}/Γ(x) on [α, α + length], and its distances from the two ends. ψ(x) = s is
// solved by one Newton step from ψ⁻¹(s) ≈ e^s + ½, or −1/(s − ψ(1)) for s < −2.22 (Minka, "Estimating a Dirichlet
// distribution", 2000): the integration does not need the exact mode.
func mode(s, alpha, length float64) (m, left, right float64) {
	switch {
	case s <= num.Digamma(alpha):
		return alpha, 0, length
	case !math.IsInf(length, 1) && s >= num.Digamma(alpha+length):
		return alpha + length, length, 0
	}
	m = math.Exp(s) + 0.5
	if s < -2.22 {
		m = -1 / (s + 0.57721566490153286)
	}
	if m < 1e8 { // beyond, e^s + ½ is within 1e-8 standard deviations
		m -= (num.Digamma(m) - s) / num.Trigamma(m)
	}
	left = min(max(m-alpha, 0), length)
	return alpha + left, left, length - left
}

// reach is how far below and above m the density can exceed e^{−cut} of its value there. From ln density(m + z) =
// −slope·z − D(z),
//
//	D(z) = ∫_0^z (z − t)ψ′(m + t) dt,  1/x + 1/(2x²) < ψ′(x),  ψ′ falling,
//
// D ≥ ½ψ′(m)z² below m, and above it D ≥ z²/(2(m + z/3)) and D ≥ ½[z/m − ln(1 + z/m)]; each is solved for D = cut, as
// is slope·z = cut when the slope leads down. A small slope the other way, from the inexact mode, is allowed for by one
// part in eight.
func reach(m, slope float64) (below, above float64) {
	const eighth = 1.125
	below = eighth * math.Sqrt(2*cut/num.Trigamma(m))
	above = eighth * min(cut/3.+math.Sqrt(cut*cut/9.+2*cut*m), (2*cut+4.5)*m)
	if slope > 0 {
		above = min(above, cut/slope)
	} else if slope < 0 {
		below = min(below, -cut/slope)
	}
	return below, above
}

// density is e^{sx}/Γ(x) at x = m + z relative to x = m.
type density struct {
	m, s, logGamma, tilt, inverse float64
	large                         bool
}

// stirlingMean is the m from which all x in reach are above 12.
const stirlingMean = 200

func newDensity(m, s float64) density {
	d := density{m: m, s: s, large: m >= stirlingMean}
	if d.large {
		d.inverse = 1 / m
		d.tilt = s - math.Log(m) // near 0
		return d
	}
	d.logGamma, _ = math.Lgamma(m)
	return d
}

// at is e^{sz}Γ(m)/Γ(m + z). For large m the logarithms of the two gammas would lose all digits; by Stirling's formula,
// with ρ = z/m,
//
//	ln = (s − ln m)z − m[(1+ρ)ln(1+ρ) − ρ] + ½ ln(1+ρ) − S(m+z) + S(m).
func (d density) at(z float64) float64 {
	if !d.large {
		l, _ := math.Lgamma(d.m + z)
		return math.Exp(d.s*z - (l - d.logGamma))
	}
	rho := z * d.inverse
	log := math.Log1p(rho)
	phi := (1+rho)*log - rho
	if math.Abs(rho) < 0.01 {
		phi = rho * rho * (1./2 - rho*(1./6-rho*(1./12-rho*(1./20-rho*(1./30-rho*(1./42-rho/56))))))
	}
	v := 1 / (1 + rho)
	u := d.inverse * v
	tail := d.inverse*(v-1)/12 - (u*u*u-d.inverse*d.inverse*d.inverse)/360
	return math.Exp(d.tilt*z - d.m*phi + 0.5*log - tail)
}
