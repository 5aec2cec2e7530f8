package posterior

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// Beta is the law of one probability x with density
//
//	x^{A−1} (1−x)^{B−1} / B(A, B),  0 ≤ x ≤ 1,  A, B > 0.
//
// It is the posterior of a success probability: A and B are prior hyperparameters plus successes and failures. Use
// NewBeta; a value made otherwise with parameters outside the domain answers NaN. Source: Gelman et al., "Bayesian Data
// Analysis" (3rd ed.), App. A.
type Beta struct{ A, B float64 }

// NewBeta checks that both parameters are finite and > 0: *dp.ParameterError.
func NewBeta(a, b float64) (Beta, error) {
	switch {
	case !positive(a):
		return Beta{}, domain.Refuse("posterior: Beta", "a", a, "a finite number > 0")
	case !positive(b):
		return Beta{}, domain.Refuse("posterior: Beta", "b", b, "a finite number > 0")
	}
	return Beta{a, b}, nil
}

// total is A + B.
func (b Beta) total() float64 { return b.A + b.B }

// Mean is E[x] = A/(A+B).
func (b Beta) Mean() float64 {
	if !b.valid() {
		return math.NaN()
	}
	return b.A / b.total()
}

// Variance is Var[x] = AB/((A+B)²(A+B+1)).
func (b Beta) Variance() float64 {
	if !b.valid() {
		return math.NaN()
	}
	n := b.total()
	return b.A / n * (b.B / n) / (n + 1)
}

// SD is the standard deviation √Var[x].
func (b Beta) SD() float64 { return math.Sqrt(b.Variance()) }

// LogDensity is ln p(x), in nats: −Inf outside [0, 1]. Absolute error about 1e-13 near the mode for parameters up to
// 1e9, where the textbook formula has lost seven digits.
func (b Beta) LogDensity(x float64) float64 {
	switch {
	case !b.valid() || math.IsNaN(x):
		return math.NaN()
	case x < 0 || x > 1:
		return math.Inf(-1)
	}
	if x == 0 || x == 1 {
		return logDensity([]float64{b.A, b.B}, b.total(), []float64{x, 1 - x})
	}
	return num.LogBetaKernel(b.A, b.B, x, 1-x) - math.Log(x) - math.Log1p(-x)
}

// Quantile is the x with P(X ≤ x) = p, 0 ≤ p ≤ 1; NaN for other p. Relative error about 1e-13.
func (b Beta) Quantile(p float64) float64 { return num.InvRegIncBeta(b.A, b.B, p) }

// CDF is P(X ≤ x), the regularised incomplete beta function; 0 below 0 and 1 above 1.
func (b Beta) CDF(x float64) float64 {
	return num.RegIncBeta(b.A, b.B, math.Min(math.Max(x, 0), 1))
}

// CredibleInterval is the equal-tailed interval of the given level, 0 < level < 1: the quantiles at (1 ∓ level)/2. NaN
// for another level.
func (b Beta) CredibleInterval(level float64) (lower, upper float64) {
	if !(level > 0 && level < 1) {
		return math.NaN(), math.NaN()
	}
	tail := (1 - level) / 2
	return b.Quantile(tail), b.Quantile(1 - tail)
}

func (b Beta) valid() bool { return positive(b.A) && positive(b.B) }

// row is one line of a summary.
func (b Beta) row(label string) SummaryRow {
	lower, upper := b.CredibleInterval(summaryLevel)
	return SummaryRow{label, b.Mean(), b.SD(), lower, upper}
}

// logDensity is the Dirichlet log-density at x on the simplex. With u_i = x_iα₀/α_i − 1, for which Σα_iu_i = 0, and S
// the Stirling tail, the large terms of Σα_i ln x_i − ln B(α) combine to
//
//	Σ α_i[ln(1+u_i) − u_i] + ½[Σ ln α_i − ln α₀ − (d−1) ln 2π] + S(α₀) − ΣS(α_i),
//
// whose terms are of the size of the answer; −Σ ln x_i completes it.
func logDensity(alpha []float64, total float64, x []float64) float64 {
	out := 0.0
	logs := -math.Log(total) - float64(len(alpha)-1)*math.Log(2*math.Pi)
	for i, a := range alpha {
		logs += math.Log(a)
		switch {
		case x[i] == 0 && a == 1: // the limit of a[ln(1+u) − u] − ln x, u → −1
			out += 1 + math.Log(total)
		case x[i] == 0:
			out += math.Inf(1) * (1 - a)
		case x[i]*total < 0.5*a: // 1 + u would lose the digits of x
			out += a*(math.Log(total/a)+1) - x[i]*total + (a-1)*math.Log(x[i])
		default:
			out += a*num.Log1pMinus(math.FMA(x[i], total, -a)/a) - math.Log(x[i])
		}
		out -= num.StirlingTail(a)
	}
	return out + logs/2 + num.StirlingTail(total)
}
