package posterior

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
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

// Total is A + B.
func (b Beta) Total() float64 { return b.A + b.B }

// Update is the posterior after counts = {successes, failures}: Beta(A + counts[0], B + counts[1]). Counts may be
// fractional, or negative while the sums stay > 0: *dp.ParameterError otherwise, and for a length other than 2.
func (b Beta) Update(counts []float64) (Beta, error) {
	a, err := updated("Beta", []float64{b.A, b.B}, counts)
	if err != nil {
		return Beta{}, err
	}
	return NewBeta(a[0], a[1])
}

// Mean is E[x] = A/(A+B).
func (b Beta) Mean() float64 {
	if !b.valid() {
		return math.NaN()
	}
	return b.A / b.Total()
}

// Variance is Var[x] = AB/((A+B)²(A+B+1)).
func (b Beta) Variance() float64 {
	if !b.valid() {
		return math.NaN()
	}
	n := b.Total()
	return b.A / n * (b.B / n) / (n + 1)
}

// SD is the standard deviation √Var[x].
func (b Beta) SD() float64 { return math.Sqrt(b.Variance()) }

// Predictive is the probability that the next record is a success, and that it is a failure: {A, B}/(A+B).
func (b Beta) Predictive() []float64 { return []float64{b.Mean(), Beta{b.B, b.A}.Mean()} }

// ExpectedLog is E[ln x] = ψ(A) − ψ(A+B) and E[ln(1−x)] = ψ(B) − ψ(A+B), in nats.
func (b Beta) ExpectedLog() []float64 { return expectedLog([]float64{b.A, b.B}, b.Total()) }

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
		return logDensity([]float64{b.A, b.B}, b.Total(), []float64{x, 1 - x})
	}
	return num.LogBetaKernel(b.A, b.B, x, 1-x) - math.Log(x) - math.Log1p(-x)
}

// LogMarginal is the log evidence of counts = {s, f}, the probability of one sequence of s successes and f failures
// under the prior predictive: ln B(A+s, B+f) − ln B(A, B). Counts are finite and ≥ 0: *dp.ParameterError. Add ln C(s+f,
// s) for the probability of the counts themselves.
func (b Beta) LogMarginal(counts []float64) (float64, error) {
	return logMarginal("Beta", []float64{b.A, b.B}, counts)
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

// Summary is the mean, standard deviation and 95 % credible interval.
func (b Beta) Summary() Summary { return b.SummaryWith(nil) }

// SummaryWith is Summary with the first of labels as the name of the row.
func (b Beta) SummaryWith(labels []string) Summary {
	return Summary{Level: summaryLevel, Rows: []SummaryRow{b.row(labelAt(labels, 0))}}
}

// Sample is one draw, taken in log space, so that small parameters give small numbers and not NaN; NaN for a nil source
// or parameters outside the domain.
func (b Beta) Sample(src interface{ Uint64() uint64 }) float64 {
	if src == nil || !b.valid() {
		return math.NaN()
	}
	out := make([]float64, 2)
	sample.LogDirichlet(src, []float64{b.A, b.B}, out)
	return math.Exp(out[0])
}

func (b Beta) valid() bool { return positive(b.A) && positive(b.B) }

// row is one line of a summary.
func (b Beta) row(label string) SummaryRow {
	lower, upper := b.CredibleInterval(summaryLevel)
	return SummaryRow{label, b.Mean(), b.SD(), lower, upper}
}
