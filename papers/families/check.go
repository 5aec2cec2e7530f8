package families

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/cert"
)

// CheckOption changes how hard Check searches.
type CheckOption func(*checker)

// Pairs sets the number of neighbouring pairs that Check visits, 400 by default.
func Pairs(n int) CheckOption { return func(c *checker) { c.pairs = n } }

// checker is one search.
type checker struct {
	pairs   int
	f       Family
	nodes   []Node
	exact   bool
	worst   [len(checkNames)]float64 // greatest value found
	bound   [len(checkNames)]float64
	visited int64
}

const (
	checkOscillation = iota
	checkEpsilon
	checkLeast
	checkDelta0
	checkDelta
	checkRenyi
)

var checkNames = [...]struct{ statement, formula, source string }{
	{"range over θ of the log-likelihood ratio of neighbours", "max_θ − min_θ ln p_θ(x)/p_θ(y) ≤ osc",
		"theory/sampling.md §4"},
	{"privacy loss of one posterior sample", "max_θ |ln ξ(θ|x)/ξ(θ|y)| ≤ ε", "theory/sampling.md §22 A"},
	{"half the range, which no prior can go below", "½(max_θ − min_θ) ln p_θ(x)/p_θ(y) ≤ ε", "theory/sampling.md §22 " +
		"A"},
	{"total variation of neighbouring posteriors", "TV ≤ δ(0)", "theory/sampling.md §22 B"},
	{"hockey-stick divergence at a quarter of the oscillation", "δ_xy(osc/4) ≤ δ(osc/4)", "theory/sampling.md §22 B"},
	{"Rényi divergence of order 2", "D₂(x‖y) ≤ Renyi(2)", "theory/sampling.md §22 C"},
}

// checkSlack covers the discretisation of the prior.
const checkSlack = 1e-7

// Check searches for neighbours that exceed what the family claims: it draws data sets and neighbours from the family's
// Model, forms both posteriors on the nodes of its prior from the likelihood alone, and compares the log-likelihood
// ratio with Oscillation, the posterior ratio with Epsilon, and hockey-stick and Rényi divergences with Profile and
// Renyi. It uses none of the family's formulas. Every result is a check with the worst value found against the
// certificate; the method is Monte Carlo, evidence only: a passed check proves nothing, a failed one is a
// counterexample. The search is repeatable: src is the only randomness. Errors: a *UnavailableError for a family
// without nodes, a *ParameterError for a nil source, and the error of ctx.
func Check(ctx context.Context, f Family, src rand.Source, options ...CheckOption) (*cert.Certificate, error) {
	name := f.Describe().Name
	if src == nil {
		return nil, &ParameterError{Of: "families: " + name, Parameter: "source", Value: nil,
			Want: "a stream of random words, such as dp.Seeded(1)"}
	}
	c := &checker{pairs: 400, f: f}
	c.nodes, c.exact = f.Nodes()
	for _, o := range options {
		o(c)
	}
	if len(c.nodes) == 0 {
		return nil, &UnavailableError{name, "numeric check", "its prior has no discretisation (too many parameters)"}
	}
	quarter := f.Oscillation() / 4
	if math.IsInf(quarter, 1) {
		quarter = 1
	}
	c.bound = [...]float64{f.Oscillation(), f.Epsilon(), f.Epsilon(), Profile(f, 0), Profile(f, quarter), Renyi(f, 2)}
	for done := 0; done < c.pairs; {
		x := f.Draw(src)
		px := c.posterior(x)
		for range 8 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			y := f.Neighbour(src, x)
			c.compare(px, c.posterior(y), quarter)
			if done++; done >= c.pairs {
				break
			}
		}
	}
	return c.certificate(), nil
}

// discretised is ln p_θ(data) and the log-density of the posterior against the prior, at every node.
type discretised struct{ like, log []float64 }

func (c *checker) posterior(data Data) discretised {
	p := discretised{make([]float64, len(c.nodes)), make([]float64, len(c.nodes))}
	for i, n := range c.nodes {
		p.like[i] = c.f.LogLikelihood(n.Theta, data)
		p.log[i] = p.like[i] + n.LogWeight
	}
	z := num.LogSumExp(p.log)
	for i := range p.log {
		p.log[i] = p.like[i] - z // finite at nodes without mass too
	}
	return p
}

func (c *checker) compare(x, y discretised, quarter float64) {
	c.visited += int64(len(c.nodes))
	lo, hi := math.Inf(1), math.Inf(-1)
	var loss, square float64
	for i, n := range c.nodes {
		r := x.like[i] - y.like[i]
		lo, hi = math.Min(lo, r), math.Max(hi, r)
		l := x.log[i] - y.log[i]
		loss = math.Max(loss, math.Abs(l))
		square += math.Exp(x.log[i] + n.LogWeight + l)
	}
	for i, v := range [...]float64{hi - lo, loss, (hi - lo) / 2, c.excess(x, y, 0), c.excess(x, y, quarter),
		math.Log(square)} {
		if v > c.worst[i] || math.IsNaN(v) {
			c.worst[i] = v
		}
	}
}

// excess is the hockey-stick divergence at ε of the two discretised posteriors. Its integrand has a kink where the
// log-ratio is ε, and a quadrature is off there by at most the mass of a node times the step of the log-ratio: that
// much is taken off.
func (c *checker) excess(x, y discretised, epsilon float64) float64 {
	sum, below, above := 0.0, math.Inf(-1), math.Inf(1)
	var massBelow, massAbove float64
	for i, n := range c.nodes {
		mass := math.Exp(x.log[i] + n.LogWeight)
		if mass == 0 {
			continue
		}
		switch l := x.log[i] - y.log[i]; {
		case l > epsilon:
			sum += mass * -math.Expm1(epsilon-l)
			if l < above {
				above, massAbove = l, mass
			}
		case l > below:
			below, massBelow = l, mass
		}
	}
	if c.exact || math.IsInf(above-below, 1) {
		return sum
	}
	return math.Max(0, sum-math.Max(massBelow, massAbove)*(above-below))
}

func (c *checker) certificate() *cert.Certificate {
	d := c.f.Describe()
	out := &cert.Certificate{Title: "numeric check of " + d.Name}
	for i, n := range checkNames {
		worst := c.worst[i]
		// Discretisation may exceed an attained bound by a little; the value is reported as found.
		bound := c.bound[i] + checkSlack*math.Max(1, math.Abs(c.bound[i]))
		if i == checkDelta || i == checkDelta0 {
			bound = c.bound[i] + checkSlack
		}
		out.Checks = append(out.Checks, cert.Check{Statement: n.statement, Formula: n.formula, Source: n.source,
			Method: cert.MonteCarlo,
			Value:  cert.Number(worst), Bound: cert.Number(bound), Work: c.visited,
			Scope: fmt.Sprintf("%d random pairs of neighbours, n = %d, %d points of θ", c.pairs, d.Records,
				len(c.nodes))})
	}
	return out
}
