package families

import (
	"github.com/privbayes/privbayes-go/internal/logratio"

	"math"
	"math/rand/v2"
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
	Metric     string // ρ, the pseudo-metric of Uniform and of Assumed
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

// Assumed is a family with the constants of Assumption 2 (stochastic Lipschitz continuity): ξ(ℓ ≤ L) ≥ 1 −
// e^{−c(L−L0)}, L > L0.
type Assumed interface {
	// LeastL0 is the least L0 that any c > 0 allows: the essential infimum of ℓ(θ) under the prior.
	LeastL0() float64
	// BestC is the largest c for a given L0 ≥ LeastL0, +Inf when ℓ ≤ L0 almost surely: *ParameterError below it.
	BestC(l0 float64) (float64, error)
	// Constant is C = sup_{x,θ} p_θ(x)/φ(x) of Theorem 7: an upper bound accurate to 1 %, and the value that the paper
	// prints.
	Constant() (tight, paper float64)
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
