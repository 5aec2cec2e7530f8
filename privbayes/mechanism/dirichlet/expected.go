package dirichlet

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// expect predicts the errors. Those of counts are of the gamma draw before post-processing, at an empty cell; those of
// distributions are of the raw draw, averaged over uniform p, with the records shared equally among the rows of every
// table.
func (p *problem) expect(r, alpha float64) []mechanism.Expectation {
	mean := 0.0
	for _, b := range p.blocks {
		mean += alpha * b.weight / float64(len(p.blocks))
	}
	var out []mechanism.Expectation
	if p.m.form == gammaForm {
		const how = "closed form, of an empty cell, before post-processing"
		// E|G − α| = 2 α^α e^{−α}/Γ(α)
		absolute := 2 * math.Sqrt(mean/(2*math.Pi)) * math.Exp(-num.StirlingTail(mean)) / r
		out = []mechanism.Expectation{
			{Name: "standard deviation of a count", Value: math.Sqrt(mean) / r, Unit: "records", How: how},
			{Name: "absolute error of a count", Value: absolute, Unit: "records", How: how},
		}
		if p.n > 0 {
			out = append(out, mechanism.Expectation{Name: mechanism.ProportionErrorName, Value: absolute / p.n,
				How: how})
		}
	} else if p.n > 0 {
		sum, known := 0.0, map[block]float64{}
		for _, b := range p.blocks {
			e, ok := known[b]
			if !ok {
				e = proportionError(p.n, b.rows*b.levels, r, alpha*b.weight)
				known[b] = e
			}
			sum += e / float64(len(p.blocks))
		}
		out = append(out, mechanism.Expectation{Name: mechanism.ProportionErrorName, Value: sum,
			How: "quadrature over uniform p"})
	}
	if p.n > 0 {
		kl, entropy := p.averageKL(r, alpha, 1), 0.0
		for _, b := range p.blocks {
			entropy += (num.Digamma(float64(b.levels)+1) - num.Digamma(2)) / float64(len(p.blocks))
		}
		out = append(out,
			mechanism.Expectation{Name: "KL divergence of the raw draw", Value: kl, Unit: "nats",
				How: "quadrature over uniform p, per distribution"},
			mechanism.Expectation{Name: "log-loss of the raw draw", Value: kl + entropy, Unit: "nats",
				How: "quadrature over uniform p, per distribution"})
	}
	return out
}

// proportionError is E|y_i − p_i| for y ~ Dirichlet(rnp + α) over d cells and p uniform on the simplex. Given p, y_i ~
// Beta(a, b), and E|y − p| = m − p + 2(p·I_p(a, b) − m·I_p(a+1, b)), m = a/(a+b).
func proportionError(n float64, d int, r, alpha float64) float64 {
	return num.Integrate24(func(q float64) float64 {
		p := -math.Expm1(math.Log1p(-q) / float64(d-1))
		a, b := r*n*p+alpha, r*n*(1-p)+float64(d-1)*alpha
		m := a / (a + b)
		return m - p + 2*(p*num.RegIncBeta(a, b, p)-m*num.RegIncBeta(a+1, b, p))
	}, 0, 1, 2)
}
