// Package divergence says how far one draw of the Dirichlet mechanism lies from the histogram it is drawn from: in the
// mean, in the tail, and how many records it takes. Bounds stand in the form printed in "Dirichlet Mechanism for
// Differentially Private KL Divergence Minimization" (arXiv 2110.01984) and in a corrected, sharper form, side by side.
//
//   - [Theorem2] and [Theorem2W]: Theorem 2 of the paper with the condition α ≥ ½ that its proof needs;
//     [PaperTheorem2]: as printed.
//   - [TheoremStar] and [TheoremStarSimple]: Theorem 2*, which replaces it.
//   - [Chernoff]: equation (14), for known p. [ExactTail]: the probability itself. [OneHotTail]: for p at a corner.
//   - [RecordsTheorem2], [RecordsStar], [RecordsSimple], [RecordsOneHot] and [RecordsNeeded]: how many records a goal
//     takes.
//   - [Gains]: calibrations compared on one histogram.
//
// Throughout q ~ Dir(βp + α), α > 0 per cell, p a point of the simplex with d ≥ 2 cells. The mechanism with parameters
// r and α has β = rN on N records. Divergences KL(p‖q) are in nats. What takes p depends on data: a diagnostic,
// private: do not publish. The rest is public.
//
// # Sample complexity
//
// Section 4 of the paper calls its conditions a lower bound (Ω); they are sufficient conditions. With s = α/r, Theorem
// 2* gives: for α ≥ ½,
//
//	N ≥ (2/η)[d·s·ln 2 + ln(1/γ)/r]  suffices for  Pr[KL(p‖q) ≤ η] ≥ 1 − γ.
//
// In Algorithm 1, r = Θ(max(ε, √(ε/λ))) and s = 1/r + 4(λ−1), so for λ ≥ 2
//
//	N = O(√(λ/ε)(d + ln(1/γ))/η)       for ε ≤ 1/λ,
//	N = O((λd + ln(1/γ)/ε)/η)          for ε ≥ 1/λ:
//
// the rate is 1/η where the paper has 1/η². Two steps of its derivation fail: "ε < 1 implies r ≤ 1 and ψ′ = Θ(1)" (at λ
// = 5, r is 1 at ε = 0.39979; the crossover is at ε = 1/λ, not 1), and for 1/λ < ε < 1 its term in d is too small by up
// to √λ.
package divergence

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/klrisk"
	"github.com/privbayes/privbayes-go/internal/num"
)

// ParameterError is an argument outside its domain: package, function and parameter, the value, and what was wanted.
type ParameterError = domain.Error

// ConditionError is a theorem asked about a case that it does not cover: the arguments are in the domain, the claim may
// be false there.
type ConditionError struct {
	Theorem, Quantity string
	Value, Least      float64
}

func (e *ConditionError) Error() string {
	return fmt.Sprintf("divergence: %s needs %s ≥ %.6g, not %.6g: it proves nothing there", e.Theorem, e.Quantity,
		e.Least, e.Value)
}

// check reports the first argument outside its domain.
func check(function string, args ...domain.Argument) error {
	return domain.Check("divergence", function, args...)
}

func cells(d int) domain.Argument { return domain.AtLeast("cells", d, 2) }

// simplex checks probabilities: a float64 may be off by rounding only.
func simplex(p []float64) domain.Argument {
	sum := 0.0
	for _, x := range p {
		if !(x >= 0) {
			return domain.Arg("p", x, false, "probabilities ≥ 0")
		}
		sum += x
	}
	return domain.Arg("p", sum, len(p) >= 2 && math.Abs(sum-1) <= 1e-9, "at least two probabilities of total 1 "+
		"within 1e-9")
}

// half is the α from which Theorem 2 and Theorem 2* hold: ψ(x) ≥ ln(x − ½) is used at x = (β−t)p_i + α, and α − ½ is
// dropped.
const half = 0.5

func atLeastHalf(theorem string, alpha float64) error {
	if alpha < half {
		return &ConditionError{theorem, "alpha", alpha, half}
	}
	return nil
}

// Tail is a probability computed by a contour integral.
type Tail struct {
	Probability float64 // 0 where it is below the smallest float64
	Complement  float64 // 1 − Probability
	Log         float64 // ln of Probability
	// RelativeError is an estimate, for the smaller of the two: the change at the last halving of the step, plus
	// rounding.
	RelativeError float64
}

// AccuracyError is an integral that did not settle: the last estimate and its relative error.
type AccuracyError struct{ Estimate, RelativeError float64 }

func (e *AccuracyError) Error() string {
	return fmt.Sprintf("divergence: the tail integral settled at %.6g only to %.1g; want 1e-6", e.Estimate,
		e.RelativeError)
}

// ExactTail is Pr[KL(p‖q) > η] by inversion of the moment generating function M of equation (14) at complex arguments:
//
//	Pr = 1/(2πi) ∫ M(z)e^{−zη}/z dz
//
// along the hyperbola z(v) = c + w[0.6(cosh v − 1) + i sinh v]. It crosses the real axis at the minimum c of
// M(t)e^{−tη}/t on (0, T), where the integrand is largest, and w is the width there. It bends to the right, around the
// only singularities of M, t ≥ T; M has at most polynomial growth away from them, so the integrand falls doubly
// exponentially in v and the trapezoidal rule converges exponentially. The step is halved until two sums agree to
// 1e-11. With c < 0 instead, the pole at 0 is enclosed too, and the integral is −Pr[KL ≤ η]: of the two, the one below
// ½ is computed.
//
// The relative error is stated in the answer, mostly below 1e-11, and grows like |ln Pr|. For d = 2 and for p at a
// corner it agrees with the beta distribution function, tested for β in [0.1, 1e7] and α in [1e-3, 1e3]. No condition
// on α. It depends on p: private, do not publish.
//
// Domain: p on the simplex; β, α, η > 0; otherwise a *ParameterError; an integral that does not settle to 1e-6 is an
// *AccuracyError.
func ExactTail(p []float64, beta, alpha, eta float64) (Tail, error) {
	l, err := newLaw("ExactTail", p, beta, alpha, eta)
	if err != nil {
		return Tail{}, err
	}
	right := eta >= l.mean
	log, relative := l.contour(eta, right)
	if !(log <= -math.Ln2) { // the other one is the smaller
		if other, r := l.contour(eta, !right); r < 1e-6 {
			log, relative, right = other, r, !right
		}
	}
	tail := Tail{math.Exp(log), -math.Expm1(log), log, relative}
	if !right {
		tail = Tail{tail.Complement, tail.Probability, math.Log(-math.Expm1(log)), relative}
	}
	if !(relative < 1e-6) {
		return Tail{}, &AccuracyError{tail.Probability, relative}
	}
	return tail, nil
}

// contour is ln Pr[KL > η] from a contour that crosses to the right of 0, or ln Pr[KL ≤ η] from one to the left, and
// the relative error.
func (l *law) contour(eta float64, right bool) (log, relative float64) {
	at, sign := l.left, -1.0
	if right {
		at, sign = l.right, 1
	}
	c := root(at, func(t float64) float64 { return l.slope(t) - eta - 1/t })
	top := l.logMGF(c) - c*eta - math.Log(math.Abs(c))
	width := 1 / math.Sqrt(l.curvature(c)+1/(c*c))
	var sizes float64 // Σ |term|·(1 + size of the parts of its exponent), the scale of rounding
	term := func(v float64) float64 {
		x, y := math.Cosh(v), math.Sinh(v)
		z := complex(c+width*0.6*(x-1), width*y)
		log, size := l.complexLogMGF(z)
		exponent := log - z*complex(eta, 0) - cmplx.Log(z*complex(sign, 0)) - complex(top, 0)
		f := cmplx.Exp(exponent) * complex(0.6*y, x)
		sizes += cmplx.Abs(f) * (1 + size + math.Abs(top))
		return imag(f)
	}
	step, sum, previous := 0.25, 0.5*term(0), math.NaN()
	var change float64
	for first, stride := 1, 1; ; first, stride = 1, 2 { // at first every node, after a halving the odd ones
		quiet := 0
		for k := first; ; k += stride {
			v := float64(k) * step
			f := term(v)
			sum += f
			if quiet++; math.Abs(f) > 1e-17*math.Abs(sum) {
				quiet = 0
			}
			if quiet > 4 && v > 1 || v > 60 {
				break
			}
		}
		value := sum * step
		if change = math.Abs(value-previous) / math.Abs(value); change < 1e-11 || change < 1e-15*sizes/math.Abs(sum) ||
			step < 0.25/256 {
			break
		}
		previous = value
		step /= 2
	}
	log = min(top+math.Log(sum*step*width/math.Pi), 0)
	if math.IsNaN(log) {
		return log, math.Inf(1)
	}
	return log, change + 1e-15*sizes/math.Abs(sum)
}

// group is a set of cells with the same probability p > 0: u = βp + α, k = α(1/p − d), tail = S(u).
type group struct{ p, u, k, count, tail float64 }

// law is the law of KL(p‖q). Its log-mgf, the logarithm of equation (14), is with n = β + dα and y_i = u_i − tp_i
//
//	ln M(t) = Σ [lnΓ(y_i) − lnΓ(u_i) + tp_i ln p_i] − lnΓ(n−t) + lnΓ(n),  over p_i > 0,
//
// finite for t < end = min u_i/p_i: a little beyond t ≤ β, where the paper stops. Large numbers cancel in it. By lnΓ(x)
// = (x−½)ln x − x + ½ln 2π + S(x), y_i/p_i = (n−t) + k_i and Σ p_ik_i = −d₀α, where d₀ counts the cells of probability
// 0, they do so on paper:
//
//	ln M(t) = G(n−t) − G(n) + Σ [S(y_i) − S(u_i) − ½ ln(y_i/u_i)] − S(n−t) + S(n) + ½ ln((n−t)/n),
//	G(m) = m Σ p_i φ(k_i/m) − d₀α ln m,  φ(x) = (1+x)ln(1+x) − x.
type law struct {
	groups       []group
	total, mean  float64
	empty        float64 // d₀α
	base, tail   float64 // G(n) and S(n)
	crossEntropy float64 // Σ p ln p ≤ 0
	end          float64
}

func newLaw(function string, p []float64, beta, alpha, eta float64) (*law, error) {
	if err := check(function, simplex(p), domain.Positive("beta", beta), domain.Positive("alpha", alpha),
		domain.Positive("eta", eta)); err != nil {
		return nil, err
	}
	l := &law{total: beta + float64(len(p))*alpha, mean: klrisk.ExpectedKL(p, 1, beta, alpha), end: math.Inf(1)}
	sorted := slices.Clone(p)
	slices.Sort(sorted)
	l.tail = num.StirlingTail(l.total)
	for _, x := range sorted {
		if x == 0 {
			l.empty += alpha
			continue
		}
		l.crossEntropy += x * math.Log(x)
		if k := len(l.groups); k > 0 && l.groups[k-1].p == x {
			l.groups[k-1].count++
			continue
		}
		u := beta*x + alpha
		l.groups = append(l.groups, group{x, u, alpha * (1 - float64(len(p))*x) / x, 1, num.StirlingTail(u)})
		l.end = min(l.end, u/x)
	}
	g, _ := l.leading(complex(l.total, 0))
	l.base = real(g)
	return l, nil
}

// logMGF is ln M(t), t < end.
func (l *law) logMGF(t float64) float64 {
	v, _ := l.complexLogMGF(complex(t, 0))
	return real(v)
}

// slope is d/dt ln M(t): the mean of KL under the law tilted by e^{tKL}, which is Dir((β − t)p + α).
func (l *law) slope(t float64) float64 {
	s := l.crossEntropy + num.Digamma(l.total-t)
	for _, g := range l.groups {
		s -= g.count * g.p * num.Digamma(g.u-t*g.p)
	}
	return s
}

// curvature is d²/dt² ln M(t) > 0.
func (l *law) curvature(t float64) float64 {
	s := -num.Trigamma(l.total - t)
	for _, g := range l.groups {
		s += g.count * g.p * g.p * num.Trigamma(g.u-t*g.p)
	}
	return s
}

// complexLogMGF is ln M(z), z off the real ray from end on, and the size of its parts.
func (l *law) complexLogMGF(z complex128) (value complex128, size float64) {
	m := complex(l.total, 0) - z
	value, size = l.leading(m)
	value += complex(l.tail-l.base, 0) - stirling(m) + 0.5*cmplx.Log(m/complex(l.total, 0))
	for _, g := range l.groups {
		y := complex(g.u, 0) - z*complex(g.p, 0)
		part := stirling(y) - complex(g.tail, 0) - 0.5*cmplx.Log(y/complex(g.u, 0))
		value += complex(g.count, 0) * part
		size += g.count * cmplx.Abs(part)
	}
	return value, size + math.Abs(l.base)
}

// leading is G(m).
func (l *law) leading(m complex128) (value complex128, size float64) {
	if l.empty > 0 {
		value = -complex(l.empty, 0) * cmplx.Log(m)
		size = cmplx.Abs(value)
	}
	for _, g := range l.groups {
		part := complex(g.count*g.p, 0) * m * xlogx(complex(g.k, 0)/m)
		value += part
		size += cmplx.Abs(part)
	}
	return value, size
}

// root is the point at(x) where f, which rises in x from below 0 to above, is 0.
func root(at func(x float64) float64, f func(t float64) float64) float64 {
	lo, hi := -1.0, 1.0
	for lo > -600 && f(at(lo)) > 0 {
		lo *= 2
	}
	for hi < 600 && f(at(hi)) < 0 {
		hi *= 2
	}
	a, b, err := num.RootBracket(func(x float64) float64 { return f(at(x)) }, lo, hi, 1e-10)
	if err != nil {
		return at(hi) // f < 0 up to the last number
	}
	return at((a + b) / 2)
}

// right maps the line to (0, end), left to (−∞, 0).
func (l *law) right(x float64) float64 {
	share, _ := num.Logistic(min(x, 33)) // stays below end
	return l.end * share
}

func (l *law) left(x float64) float64 { return -math.Exp(-x) }

// stirlingSeries holds B_{2k}/(2k(2k−1)), k = 1, 2, … (DLMF 5.11.1).
var stirlingSeries = [...]float64{1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360, 1. / 156,
	-3617. / 122400}

// stirling is S(z) = lnΓ(z) − [(z − ½) ln z − z + ½ ln 2π], z off the negative axis, continuous there. By the
// recurrence S(z) = S(z+1) + (z + ½) ln(1 + 1/z) − 1 to where its series has an error below 1e-16: |z| ≥ 12, and 24
// where Re z < 0.
func stirling(z complex128) complex128 {
	if imag(z) == 0 && real(z) > 0 {
		return complex(num.StirlingTail(real(z)), 0)
	}
	var s complex128
	for far := cmplx.Abs(z); far < 12 || far < 24 && real(z) < 0; far = cmplx.Abs(z) {
		s += stirlingStep(z)
		z++
	}
	u := 1 / (z * z)
	var p complex128
	for k := len(stirlingSeries) - 1; k >= 0; k-- {
		p = p*u + complex(stirlingSeries[k], 0)
	}
	return s + p/z
}

// stirlingStep is (z + ½) ln(1 + 1/z) − 1 = atanh(w)/w − 1, w = 1/(2z+1).
func stirlingStep(z complex128) complex128 {
	w := 1 / (2*z + 1)
	if cmplx.Abs(w) > 0.15 {
		return (z+0.5)*cmplx.Log(1+1/z) - 1
	}
	u, sum := w*w, complex128(0)
	for k := 21; k >= 3; k -= 2 {
		sum = (sum + complex(1/float64(k), 0)) * u
	}
	return sum
}

// xlogx is φ(x) = (1+x) ln(1+x) − x, by its series Σ_{k≥2} (−x)^k/(k(k−1)) where that would cancel.
func xlogx(x complex128) complex128 {
	if cmplx.Abs(x) > 0.1 {
		return (1+x)*cmplx.Log(1+x) - x
	}
	var sum complex128
	for k := 17; k >= 2; k-- {
		sum = complex(1/float64(k*(k-1)), 0) - x*sum
	}
	return sum * x * x
}

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
