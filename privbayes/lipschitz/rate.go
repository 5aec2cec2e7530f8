package lipschitz

import (
	"fmt"
	"math"
)

// Rate is n records that enter through a statistic T in [t0, t1] alone, with likelihood ∝ θ^{nκ}e^{−θΣT} and the prior Exp(λ) on θ trimmed
// to [c1, c2]:
//
//	posterior ∝ θ^{nκ}e^{−θ(λ+ΣT)} on [c1, c2].
//
// It is [Gamma] for any public range of the statistic. A likelihood to the power η is the same family with κ, t0, t1 times η. Natural
// parameter −θ, Δ = t1 − t0, osc = (c2 − c1)Δ. It is Profiled. Source: theory/sampling.md §22.
type Rate struct {
	profiled
	iid
	kappa, lambda, c1, c2, t0, t1 float64
}

// NewRate is the family with power κ > 0 of one record, prior rate λ > 0, 0 < c1 < c2 and t0 < t1, all finite: *ParameterError.
func NewRate(n int, power, lambda, c1, c2, t0, t1 float64) (*Rate, error) {
	c := need{family: "rate"}
	c.records(n)
	c.positive("κ", power)
	c.positive("λ", lambda)
	c.positive("c1", c1)
	c.that(c2 > c1 && finite(c2), "c2", c2, fmt.Sprintf("a finite number > c1 = %v", c1))
	c.that(finite(t0), "t0", t0, "a finite number")
	c.that(t1 > t0 && finite(t1-t0), "t1", t1, fmt.Sprintf("a finite number > t0 = %v: a bounded statistic", t0))
	c.that(!(lambda*c2 > maxExponent), "λ", lambda, fmt.Sprintf("λ·c2 at most %g", float64(maxExponent)))
	c.that(!(c2/c1 > maxRatio), "c1", c1, fmt.Sprintf("at least c2/%g", float64(maxRatio)))
	if c.err != nil {
		return nil, c.err
	}
	f := &Rate{kappa: power, lambda: lambda, c1: c1, c2: c2, t0: t0, t1: t1}
	count := float64(n)
	f.one = oneParameter{law: continuous{f.posterior(n)}, first: -count * t1, last: -count*t0 - (t1 - t0), d: t1 - t0, n: n}
	if n == 1 {
		f.one.last = f.one.first
	}
	f.one.spreads = newEnvelope(f.posterior(n), f.one.first, f.one.last, f.one.d)
	f.iid = iid{n, func(src Source) []float64 { return []float64{between(src, t0, t1)} }}
	return f, nil
}

// posterior is the density with n records' shape; n = 0 is the prior.
func (f *Rate) posterior(n int) gammaDensity {
	return gammaDensity{1 + float64(n)*f.kappa, f.lambda, 1, math.Log(f.c1), math.Log(f.c2)}
}

// Describe names the family and its public bounds.
func (f *Rate) Describe() Description {
	return Description{Name: "rate, bounded statistic", Records: f.n, Bounds: fmt.Sprintf("T in [%.4g, %.4g]", f.t0, f.t1), Unit: "one number",
		Metric: "Σ|T(x) − T(y)|", Tight: true,
		Parameters: []Parameter{{"n", float64(f.n)}, {"κ", f.kappa}, {"λ", f.lambda}, {"c1", f.c1}, {"c2", f.c2}, {"t0", f.t0}, {"t1", f.t1}}}
}

// Paper is 2Lρ with L = c2, ρ = t1 − t0.
func (f *Rate) Paper() Paper {
	return Paper{Epsilon: 2 * f.c2 * (f.t1 - f.t0), Source: "Theorem 8.1 with Lemmas 19, 20, 22", Verdict: "holds and ignores c1: osc is (c2 − c1)Δ, ε at most that"}
}

// Uniform is L = c2 under |T(x) − T(y)|.
func (f *Rate) Uniform() float64 { return f.c2 }

// Nodes is the prior by quadrature.
func (f *Rate) Nodes() (nodes []Node, exact bool) {
	return quadratureNodes(f.posterior(0), f.n, math.Exp), false
}

// LogLikelihood is nκ ln θ − θΣT; records are values of T.
func (f *Rate) LogLikelihood(theta []float64, data Data) float64 {
	sum := 0.0
	for _, r := range data {
		sum += r[0]
	}
	return float64(len(data))*f.kappa*math.Log(theta[0]) - theta[0]*sum
}
