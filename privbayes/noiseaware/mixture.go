package noiseaware

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// Mixture is the posterior of one probability given noisy counts, a mixture of Beta laws over the latent count f and,
// where the total is not public, over the total N:
//
//	p(θ | y) = Σ_{f, N} P(f, N | y)·Beta(θ; α + f, A − α + N − f),
//
// α the cell's prior hyperparameter and A the sum of all, which in shared rows are those of a draw. It is immutable.
type Mixture struct {
	parts    []part
	mean, sd float64
}

// part is the terms of one prior and one total N: weights of f = lo, lo+1, …, with their sums from below and above.
type part struct {
	alpha, rest float64 // α, A − α
	total, lo   int
	p           []float64
	up, down    []float64 // up[i] = p[0] + … + p[i], down[i] = p[i] + …
}

// newMixture is that of one prior.
func newMixture(alpha, rest float64, parts []part) *Mixture {
	for i := range parts {
		parts[i].alpha, parts[i].rest = alpha, rest
	}
	return mixtureOf(parts)
}

// mixtureOf normalises the weights and takes the moments.
func mixtureOf(parts []part) *Mixture {
	m := &Mixture{}
	sum := 0.0
	for _, q := range parts {
		for _, p := range q.p {
			sum += p
		}
	}
	for _, q := range parts {
		w := window{q.lo, make([]float64, len(q.p))}
		for i, p := range q.p {
			w.p[i] = p / sum
		}
		if w = w.trim(); len(w.p) > 1 || w.p[0] > 0 {
			q.lo, q.p = w.lo, w.p
			m.parts = append(m.parts, q.summed())
		}
	}
	m.moments()
	return m
}

// summed fills in the sums.
func (q part) summed() part {
	k := len(q.p)
	q.up, q.down = make([]float64, k), make([]float64, k)
	run := 0.0
	for i, p := range q.p {
		run += p
		q.up[i] = run
	}
	run = 0
	for i := k - 1; i >= 0; i-- {
		run += q.p[i]
		q.down[i] = run
	}
	return q
}

// moments uses Var θ = E[Var(θ | f, N)] + Var E[θ | f, N].
func (m *Mixture) moments() {
	each := func(do func(p, a, t float64)) {
		for _, q := range m.parts {
			t := q.alpha + q.rest + float64(q.total)
			for i, p := range q.p {
				do(p, q.alpha+float64(q.lo+i), t)
			}
		}
	}
	each(func(p, a, t float64) { m.mean += p * a / t })
	v := 0.0
	each(func(p, a, t float64) {
		u := a/t - m.mean
		v += p * (a/t*((t-a)/t)/(t+1) + u*u)
	})
	m.sd = math.Sqrt(v)
}

// Mean is E[θ | y] = Σ P(f, N | y)·(α + f)/(A + N).
func (m *Mixture) Mean() float64 { return m.mean }

// SD is the standard deviation of θ given y.
func (m *Mixture) SD() float64 { return m.sd }

// PDF is the density at x; 0 outside [0, 1], and at 0 and 1 the limit, which may be +Inf. Relative error about 1e-12
// where it is above 1e-25 of its largest value.
func (m *Mixture) PDF(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x < 0 || x > 1:
		return 0
	case x == 0 || x == 1:
		return m.edge(x)
	}
	_, _, d := m.tails(x, 1-x)
	return d / (x * (1 - x))
}

// edge is the density at 0 or 1: from the terms whose parameter there is at most 1.
func (m *Mixture) edge(x float64) float64 {
	out := 0.0
	for _, q := range m.parts {
		at := q.alpha
		if x == 1 {
			at = q.rest
		}
		for i, p := range q.p {
			here := q.lo + i
			if x == 1 {
				here = q.total - here
			}
			switch a := at + float64(here); {
			case p == 0 || a > 1:
			case a < 1:
				return math.Inf(1)
			default:
				out += p * (q.alpha + q.rest + float64(q.total) - 1) // 1/B(1, b) = b
			}
		}
	}
	return out
}

// CDF is P(θ ≤ x | y); 0 below 0 and 1 above 1. Absolute error about 1e-13.
func (m *Mixture) CDF(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	}
	lower, _, _ := m.tails(x, 1-x)
	return lower
}

// kernelCut is how small a Beta kernel may get, relative to the largest of its part, before the rest is left out.
const kernelCut = 1e-28

// tails is P(θ ≤ x), P(θ > x) and the density times x(1−x), at a point given through x and y = 1 − x.
//
// With t_f = x^a y^{b−1} Γ(a+b)/(Γ(a+1)Γ(b)), a = α + f, b = A − α + N − f, the incomplete beta functions of
// neighbouring counts differ by I_x(a, b) − I_x(a+1, b−1) = t_f (DLMF 8.17.18), so that with the sums U_f of weights up
// to f and D_f from f on
//
//	Σ_f p_f I_x(f) = U_hi·I_x(hi) + Σ_{f<hi} U_f·t_f,  Σ_f p_f (1 − I_x(f)) = D_lo·(1 − I_x(lo)) + Σ_{f<hi} D_{f+1}·t_f:
//
// one incomplete beta function for each end instead of one a term, and no subtraction. The kernels x^a y^b/B(a, b) =
// t_f·a·y have the ratio (x/y)(b−1)/a from f to f + 1 and are followed both ways from the largest.
func (m *Mixture) tails(x, y float64) (lower, upper, density float64) {
	odds := x / y
	for k := range m.parts {
		q := &m.parts[k]
		last := len(q.p) - 1
		n, lo := float64(q.total), float64(q.lo)
		aHi, bHi := q.alpha+lo+float64(last), q.rest+n-lo-float64(last)
		l, u := num.BetaTails(aHi, bHi, x, y)
		lower += q.up[last] * l
		if last > 0 {
			_, u = num.BetaTails(q.alpha+lo, q.rest+n-lo, x, y)
		}
		upper += q.down[0] * u

		mode := math.Min(math.Max(x*(q.rest+n-1)-y*q.alpha-lo, 0), float64(last))
		start := int(mode)
		a0, b0 := q.alpha+lo+float64(start), q.rest+n-lo-float64(start)
		top := math.Exp(num.LogBetaKernel(a0, b0, x, y))
		least := top * kernelCut
		up, down, p := q.up, q.down, q.p
		for i, a, b, kern := start, a0, b0, top; ; {
			density += p[i] * kern
			if i == last {
				break
			}
			t := kern / a
			lower += up[i] * t / y
			upper += down[i+1] * t / y
			kern = t * odds * (b - 1)
			i, a, b = i+1, a+1, b-1
			if kern <= least {
				break
			}
		}
		for i, a, b, kern := start-1, a0-1, b0+1, top; i >= 0; {
			t := kern / (odds * (b - 1)) // the kernel at i over its a
			kern = t * a
			density += p[i] * kern
			lower += up[i] * t / y
			upper += down[i+1] * t / y
			if kern <= least {
				break
			}
			i, a, b = i-1, a-1, b+1
		}
	}
	return math.Min(lower, 1), math.Min(upper, 1), density
}

// farLogit is a logit beyond which a quantile counts as 0 or 1: e^{−700} = 1e-304.
const farLogit = 700

// Quantile is the x with P(θ ≤ x | y) = p, 0 ≤ p ≤ 1; NaN for other p. Relative error about 1e-12 for p in [1e-9, 1 −
// 1e-9]; 0 or 1 where the quantile is within 1e-304 of it, and above ½ no closer than the spacing of float64.
//
// Newton's method on the logarithm of the smaller tail as a function of t = ln(θ/(1−θ)), in a bracket that is halved
// whenever a step leaves it.
func (m *Mixture) Quantile(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0 || p == 1:
		return p
	}
	lo, hi := -float64(farLogit), float64(farLogit)
	spread := math.Sqrt2 * math.Erfinv(2*p-1) * m.sd / (m.mean * (1 - m.mean))
	t := math.Log(m.mean/(1-m.mean)) + math.Min(math.Max(spread, -5), 5)
	if !(t > lo && t < hi) {
		t = 0
	}
	for range 300 {
		x, y := num.Logistic(t)
		lower, upper, slope := m.tails(x, y)
		var step float64
		if p <= 0.5 {
			step = -math.Log(lower/p) * lower / slope
		} else {
			step = math.Log(upper/(1-p)) * upper / slope
		}
		if lower < p { // the quantile is above
			lo = t
		} else {
			hi = t
		}
		next := t + step
		if !(next > lo && next < hi) {
			if math.Abs(step) <= 1e-14*(1+math.Abs(t)) {
				break
			}
			next = (lo + hi) / 2
		}
		done := math.Abs(next-t) <= 1e-14*(1+math.Abs(t)) || hi-lo <= 1e-14*(1+math.Abs(t))
		if t = next; done {
			break
		}
	}
	switch {
	case t <= -farLogit+1e-9:
		return 0
	case t >= farLogit-1e-9:
		return 1
	}
	x, _ := num.Logistic(t)
	return x
}

// CredibleInterval is the equal-tailed interval of the given level, 0 < level < 1: the quantiles at (1 ∓ level)/2. NaN
// for another level.
func (m *Mixture) CredibleInterval(level float64) (lower, upper float64) {
	if !(level > 0 && level < 1) {
		return math.NaN(), math.NaN()
	}
	return m.Quantile((1 - level) / 2), m.Quantile((1 + level) / 2)
}

// treeLevels is how often the draws of a tree are drawn anew, where a question's draws look as if they disagreed.
const treeLevels = 6

// drawTree draws as many independent draws as chains keep. Another level has other ones.
func (p *NetworkPosterior) drawTree(ctx context.Context) error {
	entries := p.entries()
	l := &level{draws: max(min(keptMost, drawBytes/(chains*16*entries)), 100)}
	l.theta, l.counts, l.records = make([][]float64, chains), make([][]int64, chains), make([][]int64, chains)
	src := rand.NewChaCha8(p.seed("tree", uint64(len(p.kept))))
	for c := range chains {
		for range l.draws {
			if err := ctx.Err(); err != nil {
				return err
			}
			counts, theta := p.tree.Draw(src)
			for _, t := range theta {
				l.theta[c] = append(l.theta[c], t...)
			}
			l.counts[c], l.records[c] = append(l.counts[c], counts...), append(l.records[c], p.s.problem.N)
		}
	}
	l.nets, l.made = makeNets(chains * l.draws)
	p.keep(l)
	if p.s.progress != nil {
		p.s.progress(int64(chains*l.draws), int64(chains*l.draws))
	}
	return nil
}

// treeRoute says that the posterior is exact, and how far it may be off.
func (p *NetworkPosterior) treeRoute() string {
	return fmt.Sprintf("Exact distribution of the latent tables, by messages over one count of two-level nodes, without "+
		"Markov chains; tails cut change it by at most %.1g in total variation. Questions are asked of %d independent draws.",
		p.tree.Short, p.Len())
}

// treeMixture is the exact law of one entry.
func (p *NetworkPosterior) treeMixture(v, row, state int) *Mixture {
	alpha := p.s.problem.Alpha[v]
	var parts []part
	for _, l := range p.tree.Rows(v, row) {
		q := part{total: l.Total, lo: l.Lo, p: slices.Clone(l.P)}
		if state == 0 {
			q.lo = l.Total - l.Lo - len(l.P) + 1
			slices.Reverse(q.p)
		}
		parts = append(parts, q)
	}
	return newMixture(alpha[state], alpha[1-state], parts)
}

// place says which probability a parameter is: of a level of the target, or of a feature given a class.
type place struct {
	feature, class string // empty: the target's
	j, level       int    // the numbers of class and level
}

func (at place) conditional() bool { return at.feature != "" }

func oneFeature(params []Parameter) bool {
	return !slices.ContainsFunc(params, func(q Parameter) bool { return q.at.feature != params[0].at.feature })
}

func oneClass(params []Parameter) bool {
	return !slices.ContainsFunc(params, func(q Parameter) bool { return q.at.class != params[0].at.class })
}

// ByClass lists, under naive Bayes, the probability of one level of a feature given each class. Errors:
// *dp.ParameterError.
func (p *Posterior) ByClass(feature, level string) ([]Parameter, error) {
	return p.across("feature", feature, level, func(at place) string { return at.feature })
}

// ByFeature lists, under naive Bayes, the probability of one level given a class, of every feature that has such a
// level. Errors: *dp.ParameterError.
func (p *Posterior) ByFeature(class, level string) ([]Parameter, error) {
	return p.across("class", class, level, func(at place) string { return at.class })
}

func (p *Posterior) across(what, name, level string, of func(place) string) ([]Parameter, error) {
	var out []Parameter
	var names, levels []string
	for _, q := range p.params {
		switch {
		case !q.at.conditional():
		case of(q.at) != name:
			names = append(names, of(q.at))
		case q.Label != level:
			levels = append(levels, q.Label)
		default:
			out = append(out, q)
		}
	}
	switch {
	case len(out) > 0:
		return out, nil
	case len(levels) > 0:
		return nil, domain.Refuse("noiseaware", "level given "+name, fmt.Sprintf("%q", level), oneOf(distinct(levels)))
	case len(names) > 0:
		return nil, domain.Refuse("noiseaware", what, fmt.Sprintf("%q", name), oneOf(distinct(names)))
	}
	return nil, domain.Refuse("noiseaware", what, fmt.Sprintf("%q", name), "a release of a NaiveBayes model")
}

// distinct keeps the first of equal names.
func distinct(names []string) (out []string) {
	for _, s := range names {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Place says which probability this is, by numbers: of a level of a feature given a class, or, with feature "", of a
// level of the target. Numbers follow the order of the schema's categories or bins.
func (q Parameter) Place() (feature string, class, level int) {
	return q.at.feature, q.at.j, q.at.level
}
