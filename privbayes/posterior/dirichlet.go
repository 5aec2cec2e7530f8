// Package posterior holds conjugate posteriors: update, predict, summarise, compare and sample.
package posterior

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/internal/sample"
	"gonum.org/v1/gonum/mathext"
)

// ParameterError is a hyperparameter or argument outside its domain.
type ParameterError struct {
	Distribution, Parameter string
	Value                   any
	Want                    string
}

func (e *ParameterError) Error() string {
	return fmt.Sprintf("posterior: %s: %s = %v; want %s", e.Distribution, e.Parameter, e.Value, e.Want)
}

// Dirichlet has density Γ(α₀)/∏Γ(α_i) · ∏ x_i^{α_i−1} on the simplex, α₀ = Σα_i. It is immutable.
type Dirichlet struct {
	alpha []float64
	total float64
}

// NewDirichlet checks that there are at least two components and every α_i is finite and > 0: *ParameterError.
func NewDirichlet(alpha []float64) (*Dirichlet, error) {
	if len(alpha) < 2 {
		return nil, &ParameterError{"Dirichlet", "dimension", len(alpha), "at least 2"}
	}
	d := &Dirichlet{alpha: append([]float64(nil), alpha...)}
	for i, a := range alpha {
		if !(a > 0) || math.IsInf(a, 1) {
			return nil, &ParameterError{"Dirichlet", fmt.Sprintf("α[%d]", i), a, "a finite number > 0"}
		}
		d.total += a
	}
	return d, nil
}

// Alpha is a copy of the hyperparameters.
func (d *Dirichlet) Alpha() []float64 { return append([]float64(nil), d.alpha...) }

// Dim is the number of components.
func (d *Dirichlet) Dim() int { return len(d.alpha) }

// Total is α₀ = Σα_i.
func (d *Dirichlet) Total() float64 { return d.total }

// Update is the posterior after counts, α_i + n_i, which may be fractional: *ParameterError for a wrong length or a result ≤ 0.
func (d *Dirichlet) Update(counts []float64) (*Dirichlet, error) {
	if len(counts) != len(d.alpha) {
		return nil, &ParameterError{"Dirichlet", "counts", len(counts), fmt.Sprintf("%d counts", len(d.alpha))}
	}
	a := d.Alpha()
	for i, c := range counts {
		a[i] += c
	}
	return NewDirichlet(a)
}

// Mean is E[x_i] = α_i/α₀, which is also the predictive distribution of the next record.
func (d *Dirichlet) Mean() []float64 {
	m := d.Alpha()
	for i := range m {
		m[i] /= d.total
	}
	return m
}

// Predictive is the probability of each value of the next record: the posterior mean.
func (d *Dirichlet) Predictive() []float64 { return d.Mean() }

// Variance is Var[x_i] = m_i(1 − m_i)/(α₀ + 1).
func (d *Dirichlet) Variance() []float64 {
	v := d.Mean()
	for i, m := range v {
		v[i] = m * (1 - m) / (d.total + 1)
	}
	return v
}

// Marginal is the law of x_i, Beta(α_i, α₀ − α_i).
func (d *Dirichlet) Marginal(i int) Beta { return Beta{d.alpha[i], d.total - d.alpha[i]} }

// Sample draws from the Dirichlet in log space, so that small α_i give small numbers and not NaN.
func (d *Dirichlet) Sample(src interface{ Uint64() uint64 }) []float64 {
	out := make([]float64, len(d.alpha))
	sample.LogDirichlet(src, d.alpha, out)
	for i := range out {
		out[i] = math.Exp(out[i])
	}
	return out
}

// Beta has density x^{A−1}(1−x)^{B−1}/B(A, B) on [0, 1].
type Beta struct{ A, B float64 }

// NewBeta checks that both parameters are finite and > 0: *ParameterError.
func NewBeta(a, b float64) (Beta, error) {
	for name, v := range map[string]float64{"a": a, "b": b} {
		if !(v > 0) || math.IsInf(v, 1) {
			return Beta{}, &ParameterError{"Beta", name, v, "a finite number > 0"}
		}
	}
	return Beta{a, b}, nil
}

// Mean is A/(A+B).
func (b Beta) Mean() float64 { return b.A / (b.A + b.B) }

// SD is the standard deviation.
func (b Beta) SD() float64 {
	m := b.Mean()
	return math.Sqrt(m * (1 - m) / (b.A + b.B + 1))
}

// LogDensity is log p(x) for x in (0, 1).
func (b Beta) LogDensity(x float64) float64 {
	la, _ := math.Lgamma(b.A)
	lb, _ := math.Lgamma(b.B)
	lab, _ := math.Lgamma(b.A + b.B)
	return (b.A-1)*math.Log(x) + (b.B-1)*math.Log1p(-x) + lab - la - lb
}

// Quantile is the p-quantile, p in [0, 1].
func (b Beta) Quantile(p float64) float64 { return mathext.InvRegIncBeta(b.A, b.B, p) }

// CredibleInterval is the equal-tailed interval of the given level in (0, 1).
func (b Beta) CredibleInterval(level float64) (lo, hi float64) {
	return b.Quantile((1 - level) / 2), b.Quantile((1 + level) / 2)
}
