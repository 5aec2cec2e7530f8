package logratio

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// law is a one-parameter posterior as the calculus uses it, of a density or of finitely many points.
type law interface {
	// support is the essential support [a, b] of the natural parameter.
	support() (a, b float64)
	// ratios fills out with Λ(s + shift) − Λ(s) − shift·c and returns c.
	ratios(s float64, shifts, out []float64) (c float64)
	// excess is the hockey-stick divergence at ε in both directions between s and s + d.
	excess(s, d, epsilon float64) (up, down float64)
}

// continuous is the law of a density.
type continuous struct{ Density }

func (c continuous) support() (a, b float64) {
	lo, hi := c.Ends()
	_, a = c.Eval(0, lo)
	_, b = c.Eval(0, hi)
	return a, b
}

func (c continuous) ratios(s float64, shifts, out []float64) float64 {
	return LogRatios(c.Density, s, shifts, out)
}

func (c continuous) excess(s, d, epsilon float64) (up, down float64) {
	return Hockey(c.Density, s, d, epsilon)
}

// discrete is a prior on finitely many natural parameters: h = s·η_j + base_j, in place of a density.
type discrete struct{ eta, base []float64 }

// logWeights is the log posterior of every point at statistic s.
func (d discrete) logWeights(s float64) []float64 {
	w := make([]float64, len(d.eta))
	for j := range w {
		w[j] = s*d.eta[j] + d.base[j]
	}
	z := num.LogSumExp(w)
	for j := range w {
		w[j] -= z
	}
	return w
}

func (d discrete) support() (a, b float64) {
	a, b = math.Inf(1), math.Inf(-1)
	for _, x := range d.eta {
		a, b = math.Min(a, x), math.Max(b, x)
	}
	return a, b
}

func (d discrete) ratios(s float64, shifts, out []float64) float64 {
	var buffer [64]float64
	w := buffer[:0]
	top := math.Inf(-1)
	for j, e := range d.eta {
		w = append(w, s*e+d.base[j])
		top = math.Max(top, w[j])
	}
	whole, c := 0.0, 0.0
	for j := range w {
		w[j] = math.Exp(w[j] - top)
		whole += w[j]
		c += w[j] * d.eta[j]
	}
	c /= whole
	for i, shift := range shifts {
		// In logs: a weight that underflows at s may carry the shifted law.
		ref, sum := math.Inf(-1), 0.0
		for j, e := range d.eta {
			ref = math.Max(ref, s*e+d.base[j]-top+shift*(e-c))
		}
		for j, e := range d.eta {
			sum += math.Exp(s*e + d.base[j] - top + shift*(e-c) - ref)
		}
		out[i] = ref + math.Log(sum/whole)
	}
	return c
}

func (d discrete) excess(s, shift, epsilon float64) (up, down float64) {
	x, y := d.logWeights(s+shift), d.logWeights(s)
	for j := range x {
		l := x[j] - y[j]
		if l > epsilon {
			up += math.Exp(x[j]) * -math.Expm1(epsilon-l)
		}
		if -l > epsilon {
			down += math.Exp(y[j]) * -math.Expm1(epsilon+l)
		}
	}
	return up, down
}
