package families

import (
	"github.com/privbayes/privbayes-go/internal/logratio"

	"fmt"
	"math"
	"math/rand/v2"
)

// Rate is n records that enter through a statistic T in [t0, t1] alone, with likelihood ∝ θ^{nκ}e^{−θΣT} and the prior
// Exp(λ) on θ trimmed to [c1, c2]:
//
//	posterior ∝ θ^{nκ}e^{−θ(λ+ΣT)} on [c1, c2].
//
// It is [Gamma] for any public range of the statistic. A likelihood to the power η is the same family with κ, t0, t1
// times η. Natural parameter −θ, Δ = t1 − t0, osc = (c2 − c1)Δ. It is Profiled. Source: theory/sampling.md §22.
type Rate struct {
	*logratio.Posteriors
	iid
	kappa, lambda, c1, c2, t0, t1 float64
}

// NewRate is the family with power κ > 0 of one record, prior rate λ > 0, 0 < c1 < c2 and t0 < t1, all finite:
// *ParameterError.
func NewRate(n int, power, lambda, c1, c2, t0, t1 float64) (*Rate, error) {
	one, err := logratio.NewRate(n, power, lambda, c1, c2, t0, t1)
	if err != nil {
		return nil, err
	}
	draw := func(src rand.Source) []float64 { return []float64{between(src, t0, t1)} }
	return &Rate{one, iid{n, draw}, power, lambda, c1, c2, t0, t1}, nil
}

// posterior is the density with n records' shape; n = 0 is the prior.
func (f *Rate) posterior(n int) logratio.GammaDensity {
	return logratio.NewGammaDensity(n, f.kappa, f.lambda, f.c1, f.c2)
}

// Describe names the family and its public bounds.
func (f *Rate) Describe() Description {
	return Description{Name: "rate, bounded statistic", Records: f.n,
		Bounds: fmt.Sprintf("T in [%.4g, %.4g]", f.t0, f.t1), Unit: "one number",
		Metric: "Σ|T(x) − T(y)|", Tight: true,
		Parameters: []Parameter{{"n", float64(f.n)}, {"κ", f.kappa}, {"λ", f.lambda}, {"c1", f.c1}, {"c2", f.c2},
			{"t0", f.t0}, {"t1", f.t1}}}
}

// Paper is 2Lρ with L = c2, ρ = t1 − t0.
func (f *Rate) Paper() Paper {
	return Paper{Epsilon: 2 * f.c2 * (f.t1 - f.t0), Source: "Theorem 8.1 with Lemmas 19, 20, 22",
		Verdict: "holds and ignores c1: osc is (c2 − c1)Δ, ε at most that"}
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
