// Package posterior holds the conjugate posteriors of counts: the Beta distribution of one probability and the
// Dirichlet distribution of several.
//
// Each distribution has its own file with the same methods in the same order: update with counts, moments, predictive
// probabilities, log-density, quantiles and credible intervals, summary, sampling. KL, Hellinger and Renyi compare two
// posteriors in closed form, and keep their digits when the two differ by one record in a billion.
//
// Values are immutable. Constructors and methods that take counts return a *dp.ParameterError that names the parameter,
// its value and what was expected. Functions of real numbers that cannot fail otherwise answer NaN outside their
// domain; nothing panics on a number. Logarithms are natural.
package posterior

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Dirichlet is the law of a probability vector x with density
//
//	Γ(α₀)/∏Γ(α_i) · ∏ x_i^{α_i−1},  x_i ≥ 0, Σx_i = 1,  α_i > 0,  α₀ = Σα_i,
//
// with respect to the first d − 1 coordinates. It is the posterior of the category probabilities: α_i is a prior
// hyperparameter plus the count of category i. It is immutable. Source: Gelman et al., "Bayesian Data Analysis" (3rd
// ed.), App. A.
type Dirichlet struct {
	alpha []float64
	total float64
}

// NewDirichlet checks that there are at least two components, every α_i is finite and > 0, and so is their sum:
// *dp.ParameterError.
func NewDirichlet(alpha []float64) (*Dirichlet, error) {
	if len(alpha) < 2 {
		return nil, domain.Refuse("posterior: Dirichlet", "dimension", len(alpha), "at least 2")
	}
	d := &Dirichlet{alpha: append([]float64(nil), alpha...)}
	for i, a := range alpha {
		if !positive(a) {
			return nil, domain.Refuse("posterior: Dirichlet", fmt.Sprintf("α[%d]", i), a, "a finite number > 0")
		}
		d.total += a
	}
	if math.IsInf(d.total, 1) {
		return nil, domain.Refuse("posterior: Dirichlet", "Σα", d.total, "a finite number")
	}
	return d, nil
}

// Alpha is a copy of the hyperparameters.
func (d *Dirichlet) Alpha() []float64 { return append([]float64(nil), d.alpha...) }

// Dim is the number of components.
func (d *Dirichlet) Dim() int { return len(d.alpha) }

// Update is the posterior after counts, Dirichlet(α + counts). Counts may be fractional, or negative while the sums
// stay > 0: *dp.ParameterError otherwise, and for a wrong length.
func (d *Dirichlet) Update(counts []float64) (*Dirichlet, error) {
	a, err := updated("Dirichlet", d.alpha, counts)
	if err != nil {
		return nil, err
	}
	return NewDirichlet(a)
}

// Mean is E[x_i] = α_i/α₀: the probability of each category for the next record, too.
func (d *Dirichlet) Mean() []float64 {
	m := d.Alpha()
	for i := range m {
		m[i] /= d.total
	}
	return m
}

// Variance is Var[x_i] = α_i(α₀ − α_i)/(α₀²(α₀ + 1)).
func (d *Dirichlet) Variance() []float64 {
	v := make([]float64, len(d.alpha))
	for i := range v {
		v[i] = d.Marginal(i).Variance()
	}
	return v
}

// LogDensity is ln p(x), in nats: −Inf when a coordinate is negative or Σx differs from 1 by more than 1e-9, NaN for a
// wrong length. On the boundary it is the limit, ±Inf or finite; where one coordinate diverges and another vanishes it
// is NaN.
func (d *Dirichlet) LogDensity(x []float64) float64 {
	if len(x) != len(d.alpha) {
		return math.NaN()
	}
	sum := 0.0
	for _, v := range x {
		if v < 0 {
			return math.Inf(-1)
		}
		sum += v
	}
	if math.Abs(sum-1) > 1e-9 {
		return math.Inf(-1)
	}
	return logDensity(d.alpha, d.total, x)
}

// Marginal is the law of x_i, Beta(α_i, α₀ − α_i). For an i that is no component it is the zero Beta, which answers
// NaN.
func (d *Dirichlet) Marginal(i int) Beta {
	if i < 0 || i >= len(d.alpha) {
		return Beta{}
	}
	rest := 0.0 // summed, because α₀ − α_i cancels when α_i dominates
	for j, a := range d.alpha {
		if j != i {
			rest += a
		}
	}
	return Beta{d.alpha[i], rest}
}

// CredibleInterval is the equal-tailed interval of every component at the given level, 0 < level < 1; NaN for another
// level. The level holds for each component by itself, not for all at once.
func (d *Dirichlet) CredibleInterval(level float64) (lower, upper []float64) {
	lower, upper = make([]float64, len(d.alpha)), make([]float64, len(d.alpha))
	for i := range lower {
		lower[i], upper[i] = d.Marginal(i).CredibleInterval(level)
	}
	return lower, upper
}

// Summary is the mean, standard deviation and 95 % credible interval of every component, named by its label; a missing
// label is the component's number, from 0.
func (d *Dirichlet) Summary(labels ...string) Summary {
	s := Summary{Level: summaryLevel}
	for i := range d.alpha {
		s.Rows = append(s.Rows, d.Marginal(i).row(labelAt(labels, i)))
	}
	return s
}

// Sample is one draw, taken in log space, so that small α_i give small numbers and not NaN.
func (d *Dirichlet) Sample(src interface{ Uint64() uint64 }) []float64 {
	out := d.LogSample(src)
	for i, l := range out {
		out[i] = math.Exp(l)
	}
	return out
}

// LogSample is the logarithms of one draw: they stay finite where the draw itself is below the smallest positive
// number. NaN for a nil source.
func (d *Dirichlet) LogSample(src interface{ Uint64() uint64 }) []float64 {
	out := make([]float64, len(d.alpha))
	if src == nil {
		for i := range out {
			out[i] = math.NaN()
		}
		return out
	}
	sample.LogDirichlet(src, d.alpha, out)
	return out
}

// summaryLevel is the credible level of a summary.
const summaryLevel = 0.95

// SummaryRow is one component: mean, standard deviation and equal-tailed credible interval.
type SummaryRow struct {
	Label                  string
	Mean, SD, Lower, Upper float64
}

// Summary describes every component of a posterior at one credible level.
type Summary struct {
	Level float64
	Rows  []SummaryRow
}

// Table shows the summary, numbers with four significant digits.
func (s Summary) Table() *table.Table {
	t := table.New("Posterior", "component", "mean", "sd", fmt.Sprintf("%g%% from", 100*s.Level), "to")
	for _, r := range s.Rows {
		t.Add(r.Label, r.Mean, r.SD, r.Lower, r.Upper)
	}
	return t
}

// labelAt is label i, or the number i when there is none.
func labelAt(labels []string, i int) string {
	if i < len(labels) {
		return labels[i]
	}
	return fmt.Sprint(i)
}

// String shows the summary as text.
func (s Summary) String() string { return table.Text(s) }

// positive reports whether v is a usable hyperparameter.
func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// updated is alpha + counts, each sum checked. A count may be fractional, and negative as long as the sum stays
// positive: counts released with noise are.
func updated(distribution string, alpha, counts []float64) ([]float64, error) {
	if len(counts) != len(alpha) {
		return nil, domain.Refuse("posterior: "+distribution, "number of counts", len(counts), fmt.Sprint(len(alpha)))
	}
	out := make([]float64, len(alpha))
	for i, c := range counts {
		if out[i] = alpha[i] + c; !positive(out[i]) {
			return nil, domain.Refuse("posterior: "+distribution, fmt.Sprintf("counts[%d]", i), c,
				fmt.Sprintf("a finite number > %g", -alpha[i]))
		}
	}
	return out, nil
}
