// Package families is the catalogue of the likelihoods of the paper on posterior sampling, and answers one question of
// each: how much can one record change the distribution of a posterior sample?
//
// A Family is a likelihood with a prior on a public parameter set and public bounds on one record. It states the
// oscillation of its log-likelihood ratio between neighbouring data sets,
//
//	osc = sup_{x~y} [ sup_θ ln p_θ(x)/p_θ(y) − inf_θ ln p_θ(x)/p_θ(y) ],
//
// the pure ε of one posterior sample, and the constant that the paper gives, with where that is wrong. Where the
// log-ratio of two posteriors is monotone in the natural parameter, a family is also Profiled: exact δ(ε) and Rényi
// curve. What a family does not offer follows from its oscillation alone
// ([github.com/privbayes/privbayes-go/internal/logratio.BoundedRange]).
//
//	f, err := families.NewTrimmedBeta(100, 1, 1, 0.05, 0.95)
//	f.Epsilon()                 // pure ε of one sample, exact
//	families.Profile(f, 0.5)   // δ at ε = 0.5
//	families.Check(ctx, f, dp.Seeded(1)) // is it true? a search for a pair of data sets above the certificate
//
// All guarantees are between data sets that differ in one record (n is public) unless a family says otherwise, hold for
// real arithmetic, and are inflated by a relative 1e-9 against rounding. Logarithms are natural.
//
// Paper: Dimitrakakis, Nelson, Zhang, Mitrokotsa, Rubinstein, "Differential Privacy for Bayesian Inference through
// Posterior Sampling", JMLR 18(11), 2017. Corrections: theory/sampling.md.
//
// What the mechanisms need of it, bits, rates and bounded ranges, is in
// [github.com/privbayes/privbayes-go/internal/logratio]; here are its other families, the paper's constants next to the
// true ones, and the search that tests a claim.
package families

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Parameter is one public parameter of a family.
type Parameter struct {
	Name  string
	Value float64
}

// Description is what is public about a family.
type Description struct {
	Name       string
	Parameters []Parameter
	Records    int    // n ≥ 1
	Bounds     string // the public range of one record
	Unit       string // what one record is
	Metric     string // ρ, the pseudo-metric of Uniform
	// Epsilon is attained for this prior; otherwise it is attained over all priors on the parameter set, or a bound
	Tight bool
	Note  string
}

// Paper is what the paper claims for one sample under replacement of one record, and where that is wrong or loose.
type Paper struct {
	Epsilon float64 // 2Lρ, or +Inf when it claims no pure ε
	Delta   float64 // the δ of its (0, δ) claim, else 0
	Source  string  // lemma
	Verdict string  // where it is wrong, or by what it is loose
}

// Data is a data set: records of numbers.
type Data [][]float64

// Node is one point of a discretised prior. A node of log-weight −Inf carries no mass, but the ratio of posteriors is
// checked there.
type Node struct {
	Theta     []float64
	LogWeight float64
}

// Model is a family as it is defined, without any formula about privacy: what Check needs to search for a
// counterexample.
type Model interface {
	// Nodes is the prior, up to a factor, as weights on points that include the extremes of the parameter set: exact,
	// for a prior on finitely many points, else a quadrature in ascending order of one parameter that integrates smooth
	// functions to 1e-10.
	Nodes() (nodes []Node, exact bool)
	// LogLikelihood is ln p_θ(data) up to a term that does not depend on θ, in nats.
	LogLikelihood(theta []float64, data Data) float64
	// Draw is a data set within the public bounds, extreme ones with positive probability.
	Draw(src rand.Source) Data
	// Neighbour is a copy of data with one record replaced.
	Neighbour(src rand.Source, data Data) Data
}

// Family is a family of likelihoods with a prior and public bounds on the data.
type Family interface {
	Describe() Description
	// Oscillation is osc in nats, ≥ 0, +Inf when unbounded: the range over θ of ln p_θ(x)/p_θ(y), worst neighbours x,
	// y. The posterior is osc-DP whatever the prior (theory/sampling.md §4).
	Oscillation() float64
	// Epsilon is the pure ε of one posterior sample under replacement of one record, ≤ Oscillation (theory/sampling.md
	// §22 A).
	Epsilon() float64
	// Paper is the claim of the paper beside it.
	Paper() Paper
	// Uniform is the least L of Assumption 1, |ln p_θ(x)/p_θ(y)| ≤ L·ρ(x, y) for every θ, under Describe().Metric; +Inf
	// if none.
	Uniform() float64
	Model
}

// Profiled is a family whose privacy profile and Rényi curve are known beyond the bounded-range fallback, such as
// [logratio.Posteriors].
type Profiled interface {
	Profile(epsilon float64) float64
	Renyi(order float64) float64
}

// Profile is δ(ε) of one posterior sample, ε ≥ 0: the family's own, or what its oscillation implies. NaN for ε < 0.
func Profile(f Family, epsilon float64) float64 {
	switch p, ok := f.(Profiled); {
	case !(epsilon >= 0):
		return math.NaN()
	case epsilon >= f.Epsilon():
		return 0
	case ok:
		return math.Min(p.Profile(epsilon), logratio.BoundedRange(f.Oscillation()).Delta(epsilon))
	}
	return logratio.BoundedRange(f.Oscillation()).Delta(epsilon)
}

// Renyi is the Rényi divergence of order λ > 1 of the worst neighbours, in nats: the least of the family's own curve,
// of what its oscillation implies, and of ε. NaN for λ ≤ 1.
func Renyi(f Family, order float64) float64 {
	if !(order > 1) {
		return math.NaN()
	}
	bound := math.Min(logratio.BoundedRange(f.Oscillation()).Renyi(order), f.Epsilon())
	if p, ok := f.(Profiled); ok {
		bound = math.Min(bound, p.Renyi(order))
	}
	return bound
}

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

// Table compares families, a row each: parameters, oscillation, pure ε of one sample, the paper's 2Lρ for one record,
// their ratio, δ(ε) at ε = 1, and what is wrong or loose in the paper's value.
func Table(families ...Family) *table.Table {
	t := table.New("One posterior sample: how much one record changes it", "family", "parameters", "osc", "ε",
		"paper's 2Lρ", "paper/ε", "δ at ε = 1", "note")
	bounds := false
	for _, f := range families {
		d, p := f.Describe(), f.Paper()
		var parameters []string
		for _, q := range d.Parameters {
			parameters = append(parameters, fmt.Sprintf("%s = %s", q.Name, table.Number(q.Value)))
		}
		epsilon := f.Epsilon()
		shown := table.Number(epsilon)
		if !d.Tight {
			shown, bounds = "≤ "+shown, true
		}
		var ratio any
		if !math.IsInf(epsilon, 1) && !math.IsInf(p.Epsilon, 1) {
			ratio = p.Epsilon / epsilon
		}
		t.Add(d.Name, strings.Join(parameters, ", "), f.Oscillation(), shown, p.Epsilon, ratio, Profile(f, 1),
			p.Source+": "+p.Verdict)
	}
	t.Note("Replacement of one record, n public. ε is exact for the stated prior; a ratio below 1 is a false claim.")
	if bounds {
		t.Note("≤: attained over all priors on the parameter set, or a bound.")
	}
	return t
}

// Examples is one family of each kind with round parameters: the rows of the families' table.
func Examples() ([]Family, error) {
	var out []Family
	var first error
	add := func(f Family, err error) {
		if err != nil && first == nil {
			first = err
		}
		out = append(out, f)
	}
	bits := []NetworkNode{{States: 2}, {States: 2}}
	chain := []NetworkNode{{States: 2}, {States: 2, Parents: []int{0}}, {States: 2, Parents: []int{1}}}
	add(NewGridBernoulli(100, 5, false))
	add(NewGridBernoulli(100, 20, true))
	add(NewTrimmedBeta(100, 1, 1, .05, .95))
	add(NewTemperedBeta(100, 1, 1, .05, .95, .25))
	add(NewUntrimmedBeta(100, 16, 16))
	add(NewExponential(20, 1, .5, 2, 1))
	add(NewLaplace(20, 1, .5, 2, 0, 1))
	add(NewNormalPrecision(20, 1, .5, 2, 0, 1))
	add(NewNormalMean(100, 1, 0, 1, .5))
	add(NewMVNPrecision(20, 2, .5, 2, 1))
	add(NewMVNMean(20, 2, 1, 1, 1))
	add(NewNetwork(20, bits, 1, .1, OneRecord))
	add(NewNetwork(20, chain, 1, .1, OneRecord))
	add(NewNetwork(20, chain, 1, .1, OneCell))
	add(NewMarkov(2, 1, 12, 1, .1, OneStep))
	add(NewMarkov(2, 1, 12, 1, .1, WholeSequence))
	return out, first
}

// ParameterError is a public parameter outside its domain. Nothing was computed.
type ParameterError = domain.Error

// UnavailableError says that a family has no such quantity, and why.
type UnavailableError struct{ Family, Quantity, Reason string }

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("families: %s has no %s: %s", e.Family, e.Quantity, e.Reason)
}

// need collects the first failed requirement of a constructor.
type need struct {
	family string
	err    error
}

func (c *need) that(ok bool, parameter string, value any, want string) {
	c.check(domain.Arg(parameter, value, ok, want))
}

func (c *need) check(a domain.Argument) {
	if c.err == nil {
		c.err = domain.Check("families", c.family, a)
	}
}

func (c *need) records(n int)                   { c.check(logratio.Records(n)) }
func (c *need) positive(name string, v float64) { c.check(domain.Positive(name, v)) }
