package families

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/num"
)

// Beta is n bits with a Beta(α, β) prior on the success probability, trimmed to [l, u] or not, and the likelihood
// raised to a power:
//
//	posterior ∝ θ^{α+rk−1}(1−θ)^{β+r(n−k)−1} on [l, u],  k ones.
//
// Natural parameter r·ln θ/(1−θ), Δ = 1. It is Profiled; under the Hamming distance ℓ(θ) = r·|ln θ/(1−θ)|. Untrimmed,
// ε and the oscillation are infinite for every n, and the profile is what there is. Source: theory/sampling.md §11,
// §13, §14.
type Beta struct {
	*logratio.Posteriors
	iid
	alpha, beta, l, u, power float64
}

// NewTrimmedBeta is the family on 0 < l < u < 1: *ParameterError.
func NewTrimmedBeta(n int, alpha, beta, l, u float64) (*Beta, error) {
	return NewTemperedBeta(n, alpha, beta, l, u, 1)
}

// NewUntrimmedBeta is the Beta–Bernoulli family of Lemma 21: *ParameterError.
func NewUntrimmedBeta(n int, alpha, beta float64) (*Beta, error) {
	return NewTemperedBeta(n, alpha, beta, 0, 1, 1)
}

// NewTemperedBeta has the likelihood to the power r in (0, 1], on 0 < l < u < 1 or, untrimmed, l = 0 and u = 1:
// *ParameterError.
func NewTemperedBeta(n int, alpha, beta, l, u, power float64) (*Beta, error) {
	one, err := logratio.NewBits(n, alpha, beta, l, u, power)
	if err != nil {
		return nil, err
	}
	return &Beta{Posteriors: one, iid: iid{n, bit}, alpha: alpha, beta: beta, l: l, u: u, power: power}, nil
}

func (f *Beta) trimmed() bool { return f.l > 0 }

// PowerFor is the tempering power in (0, 1] at which Epsilon is at most target and within 1e-9 of it, or 1: the root of
// Theorem A lies between target/osc, which always suffices, and twice that (theory/sampling.md §24). *ParameterError
// for a target that is not positive, *UnavailableError without trimming, where no power gives a pure ε.
func (f *Beta) PowerFor(target float64) (float64, error) {
	c := need{family: "Beta–Bernoulli"}
	c.positive("target ε", target)
	if c.err != nil {
		return 0, c.err
	}
	if !f.trimmed() {
		return 0, &UnavailableError{"Beta–Bernoulli", "power for a pure ε", "the untrimmed prior has unbounded " +
			"log-ratios; trim it"}
	}
	epsilon := func(r float64) float64 {
		g, _ := NewTemperedBeta(f.n, f.alpha, f.beta, f.l, f.u, math.Min(r, 1))
		return g.Epsilon()
	}
	if epsilon(1) <= target {
		return 1, nil
	}
	osc := logratio.Logit(f.u) - logratio.Logit(f.l)
	lo, hi := target/osc*(1-1e-9), math.Min(1, 2*target/osc)
	for range 60 {
		if mid := (lo + hi) / 2; epsilon(mid) <= target {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, nil
}

// Describe names the family and its public bounds.
func (f *Beta) Describe() Description {
	d := Description{Name: f.String(), Records: f.n, Bounds: "0 or 1", Unit: "one bit", Metric: "Hamming", Tight: true,
		Parameters: []Parameter{{"n", float64(f.n)}, {"α", f.alpha}, {"β", f.beta}}}
	if f.trimmed() {
		d.Parameters = append(d.Parameters, Parameter{"l", f.l}, Parameter{"u", f.u})
	} else {
		d.Note = "no pure ε for any n; δ(ε) is exact"
	}
	if f.power != 1 {
		d.Parameters = append(d.Parameters, Parameter{"power", f.power})
	}
	return d
}

// Paper is 2L for the trimmed family, and the (0, δ) of Lemma 21 for the untrimmed one with α = β.
func (f *Beta) Paper() Paper {
	if f.trimmed() {
		return Paper{2 * f.Uniform(), 0, "Theorem 8.1", "holds; at most twice ε, which tends to 2L as n grows"}
	}
	p := Paper{math.Inf(1), math.NaN(), "Lemma 21",
		"δ = √(C/2·(1 + 2 ln n + 1/c)) exceeds 1 for every n; true δ(0) falls with n, so \"unimprovable\" is false; " +
			"L0 = ln n is an artefact of C(n, k)"}
	if n, a := float64(f.n), f.alpha; a == f.beta && f.power == 1 { // C is about 4^n, c = 2^{1−2α}/B(α, α)
		whole := num.LogBeta(a, a)
		c, rate := math.Exp(whole-num.LogBeta((n+2*a-1)/2, (n+2*a+1)/2)), math.Exp((1-2*a)*math.Ln2-whole)
		p.Delta = math.Sqrt(c / 2 * (1 + 2*math.Log(n) + 1/rate))
	}
	return p
}

// Uniform is L = r·max(|logit l|, |logit u|); +Inf untrimmed.
func (f *Beta) Uniform() float64 {
	return f.power * math.Max(math.Abs(logratio.Logit(f.l)), math.Abs(logratio.Logit(f.u)))
}

// Nodes is the prior by quadrature; untrimmed it is cut where less than e^−38 of it lies outside.
func (f *Beta) Nodes() (nodes []Node, exact bool) {
	lo, hi := logratio.Logit(f.l), logratio.Logit(f.u)
	if !f.trimmed() {
		lo, hi = -logratio.Cut/f.alpha-5, logratio.Cut/f.beta+5
	}
	return quadratureNodes(logratio.BetaDensity{Alpha: f.alpha, Total: f.alpha + f.beta, Power: f.power, Lo: lo,
		Hi: hi}, f.n, func(t float64) float64 {
		x, _ := num.Logistic(t)
		return x
	}), false
}

// LogLikelihood is r(k ln θ + (n − k) ln(1 − θ)).
func (f *Beta) LogLikelihood(theta []float64, data Data) float64 {
	return f.power * bernoulliLikelihood(theta[0], data)
}

// BetaNeighbourTV is the total variation distance of Beta(a+1, b−1) and Beta(a, b), a > 0, b > 1: the binomial
// probability of its mode,
//
//	Γ(N+1)/(Γ(a+1)Γ(b)) · p^a(1−p)^{b−1},  N = a + b − 1, p = a/N.
//
// NaN outside the domain. Source: theory/sampling.md §11.
func BetaNeighbourTV(a, b float64) float64 {
	if !(a > 0 && b > 1 && domain.Finite(a+b)) {
		return math.NaN()
	}
	n := a + b - 1
	// The kernel is p^{a+1}(1−p)^b/B(a+1, b), and Γ(N+1)/(Γ(a+1)Γ(b)) = 1/((N+1)B(a+1, b)).
	return math.Exp(num.LogBetaKernel(a+1, b, a/n, (b-1)/n)) / (a / n * ((b - 1) / n) * (n + 1))
}

// BetaNeighbourJeffreys is D(x‖y) + D(y‖x) of Beta(a+1, b−1) and Beta(a, b), a > 0, b > 1: 1/a + 1/(b−1), so that
// TV ≤ ½√(1/α + 1/(α+n−1)). NaN outside the domain. Source: theory/sampling.md §11.
func BetaNeighbourJeffreys(a, b float64) float64 {
	if !(a > 0 && b > 1) {
		return math.NaN()
	}
	return 1/a + 1/(b-1)
}

// FiniteBernoulli is the family of the paper's Examples 1 and 2: n bits with success probability θ in a finite set,
// prior weights w. Natural parameter ln θ/(1−θ), Δ = 1. It is Profiled (ρ the Hamming distance, ℓ(θ) = |ln
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
