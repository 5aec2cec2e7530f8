package families

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/num"
)

// FiniteBernoulli is the family of the paper's Examples 1 and 2: n bits with success probability θ in a finite set,
// prior weights w. Natural parameter ln θ/(1−θ), Δ = 1. It is Profiled and Assumed (ρ the Hamming distance, ℓ(θ) = |ln
// θ/(1−θ)|).
type FiniteBernoulli struct {
	*logratio.Posteriors
	iid
	name   string
	thetas []float64
	logW   []float64
	step   float64 // Δ of Example 1, else 0
}

// NewFiniteBernoulli takes the probabilities in (0, 1) and positive prior weights, which are normalised:
// *ParameterError.
func NewFiniteBernoulli(n int, thetas, weights []float64) (*FiniteBernoulli, error) {
	c := need{family: "finite Bernoulli"}
	c.records(n)
	c.that(len(thetas) >= 1 && len(thetas) <= 10_000, "number of probabilities", len(thetas), "1 to 10,000")
	c.that(len(weights) == len(thetas), "number of weights", len(weights), "one for each probability")
	for j, t := range thetas {
		c.that(t > 0 && t < 1, fmt.Sprintf("θ[%d]", j), t, "inside (0, 1)")
	}
	for j, w := range weights {
		c.positive(fmt.Sprintf("weight[%d]", j), w)
	}
	if c.err != nil {
		return nil, c.err
	}
	f := &FiniteBernoulli{name: "finite Bernoulli", thetas: append([]float64(nil), thetas...)}
	for _, w := range weights {
		f.logW = append(f.logW, math.Log(w))
	}
	z := num.LogSumExp(f.logW)
	var eta, base []float64
	for j, t := range thetas {
		f.logW[j] -= z
		eta = append(eta, logratio.Logit(t))
		base = append(base, f.logW[j]+float64(n)*math.Log1p(-t))
	}
	f.Posteriors = logratio.NewFinite(n, eta, base)
	f.iid = iid{n, bit}
	return f, nil
}

// NewGridBernoulli is Example 1: θ in {1/K, …, (K−1)/K}, K ≥ 2 (the paper's Δ is 1/K; θ = 0 and 1 have infinite ℓ and
// are not in the family), with weights 1 or, concentrated, e^{−ℓ(θ)} as in Example 2.
func NewGridBernoulli(n, k int, concentrated bool) (*FiniteBernoulli, error) {
	if k < 2 || k > 10_000 {
		return nil, &ParameterError{Of: "families: finite Bernoulli", Parameter: "K", Value: k,
			Want: "2 to 10,000 steps"}
	}
	var thetas, weights []float64
	for j := 1; j < k; j++ {
		t := float64(j) / float64(k)
		w := 1.0
		if concentrated {
			w = math.Min(t/(1-t), (1-t)/t)
		}
		thetas, weights = append(thetas, t), append(weights, w)
	}
	f, err := NewFiniteBernoulli(n, thetas, weights)
	if err == nil {
		f.step = 1 / float64(k)
		f.name = fmt.Sprintf("finite Bernoulli, Δ = %.4g", f.step)
		if concentrated {
			f.name += ", prior ∝ e^−ℓ"
		}
	}
	return f, err
}

func bit(src rand.Source) []float64 { return []float64{float64(src.Uint64() & 1)} }

// Describe names the family and its public bounds.
func (f *FiniteBernoulli) Describe() Description {
	return Description{f.name, []Parameter{{"n", float64(f.n)}, {"probabilities", float64(len(f.thetas))}}, f.n,
		"0 or 1", "one bit", "Hamming", true, ""}
}

// Paper is 2L with L = ln 1/Δ on the grid of Example 1, and with the least L on other sets.
func (f *FiniteBernoulli) Paper() Paper {
	if f.step == 0 {
		return Paper{2 * f.Uniform(), 0, "Theorem 8.1", "at most 2 times ε"}
	}
	return Paper{2 * math.Log(1/f.step), 0, "Example 1", "L = ln 1/Δ holds; the least is ln (1−Δ)/Δ, and ε between " +
		"that and twice that"}
}

// Uniform is max ℓ(θ).
func (f *FiniteBernoulli) Uniform() float64 {
	levels := f.Levels()
	return levels[len(levels)-1].L
}

// LipschitzLevel is a step of Figure 1: a value of ℓ and the prior mass of ℓ(θ) ≤ L, a step of Figure 1.
type LipschitzLevel struct{ L, Mass float64 }

// Levels are the steps of ξ(Θ_L) against L, ascending: the thick lines of Figure 1.
func (f *FiniteBernoulli) Levels() []LipschitzLevel {
	type point struct{ l, logW float64 }
	var points []point
	for j, t := range f.thetas {
		points = append(points, point{math.Abs(logratio.Logit(t)), f.logW[j]})
	}
	sort.Slice(points, func(i, j int) bool { return points[i].l < points[j].l })
	var levels []LipschitzLevel
	mass := 0.0
	for _, p := range points {
		mass += math.Exp(p.logW)
		// θ and 1 − θ have one level, up to rounding.
		if last := len(levels) - 1; last >= 0 && p.l-levels[last].L <= 1e-12*(1+p.l) {
			levels[last] = LipschitzLevel{p.l, math.Min(1, mass)}
		} else {
			levels = append(levels, LipschitzLevel{p.l, math.Min(1, mass)})
		}
	}
	return levels
}

// LeastL0 is min ℓ(θ).
func (f *FiniteBernoulli) LeastL0() float64 { return f.Levels()[0].L }

// BestC is c*(L0) = min over the levels l > L0 of −ln ξ(ℓ ≥ l)/(l − L0): the thin lines of Figure 1 (theory/sampling.md
// §8).
func (f *FiniteBernoulli) BestC(l0 float64) (float64, error) {
	levels := f.Levels()
	if math.IsNaN(l0) || l0 < levels[0].L*(1-1e-12) {
		return 0, &ParameterError{Of: "families: " + f.name, Parameter: "L0", Value: l0, Want: "at least the " +
			"smallest ℓ(θ), see LeastL0"}
	}
	c := math.Inf(1)
	for i := 1; i < len(levels); i++ {
		if gap := levels[i].L - l0; gap > 1e-12*(1+levels[i].L) {
			c = math.Min(c, -math.Log1p(-levels[i-1].Mass)/gap)
		}
	}
	return c, nil
}

// ExpectedL is E_ξ ℓ(θ) ≤ L0 + 1/c*(L0), the sharp factor in J ≤ C·E_ξ[ℓ]·ρ (theory/sampling.md §5).
func (f *FiniteBernoulli) ExpectedL() float64 {
	sum := 0.0
	for j, t := range f.thetas {
		sum += math.Exp(f.logW[j]) * math.Abs(logratio.Logit(t))
	}
	return sum
}

// Constant is C, exact; the paper gives no value.
func (f *FiniteBernoulli) Constant() (tight, paper float64) {
	best := math.Inf(-1)
	terms := make([]float64, len(f.thetas))
	for k := range f.n + 1 {
		top := math.Inf(-1)
		for j, t := range f.thetas {
			like := float64(k)*math.Log(t) + float64(f.n-k)*math.Log1p(-t)
			terms[j] = like + f.logW[j]
			top = math.Max(top, like)
		}
		best = math.Max(best, top-num.LogSumExp(terms))
	}
	return logratio.Inflated(math.Exp(best), 0), math.NaN()
}

// Nodes is the prior.
func (f *FiniteBernoulli) Nodes() (nodes []Node, exact bool) {
	for j, t := range f.thetas {
		nodes = append(nodes, Node{[]float64{t}, f.logW[j]})
	}
	return nodes, true
}

// LogLikelihood is k ln θ + (n − k) ln(1 − θ), k the number of ones.
func (f *FiniteBernoulli) LogLikelihood(theta []float64, data Data) float64 {
	return bernoulliLikelihood(theta[0], data)
}

func bernoulliLikelihood(theta float64, data Data) float64 {
	ones := 0.0
	for _, r := range data {
		ones += r[0]
	}
	return ones*math.Log(theta) + (float64(len(data))-ones)*math.Log1p(-theta)
}
