package sampling

import (
	"fmt"
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// MaxParts is the largest partition that Lemma 12 allows, ⌊log₂ √(1/δ)⌋; 0 or 1 says that the lemma is empty at this δ.
// Domain: 0 < δ < 1; otherwise a *ParameterError.
func MaxParts(delta float64) (int, error) {
	if err := check("MaxParts", domain.Probability("delta", delta)); err != nil {
		return 0, err
	}
	return int(math.Floor(-math.Log2(delta)/2 + 1e-12)), nil
}

// EmpiricalRadius is Lemma 12: on a partition into at most [MaxParts] sets, ‖P̂ − P‖₁ ≤ √(3 ln(1/δ)/N) with probability
// at least 1 − δ. It holds, loosely: [WorstBinomialTail]. Domain: N ≥ 1, 0 < δ ≤ 1/16 (two parts); otherwise a
// *ParameterError.
func EmpiricalRadius(samples int, delta float64) (float64, error) {
	if err := check("EmpiricalRadius", domain.Between("samples", samples, 1, maxSamples),
		domain.Arg("delta", delta, delta > 0 && delta <= 1./16,
			"in (0, 1/16], for a partition into at least two sets")); err != nil {
		return 0, err
	}
	return math.Sqrt(-3 * math.Log(delta) / float64(samples)), nil
}

// WeissmanRadius is √(2 ln((2^m−2)/δ)/N), which ‖P̂ − P‖₁ exceeds with probability at most δ on m outcomes: the
// inequality behind Lemma 12, without its restriction of m. m = 1 gives 0. Domain: m, N ≥ 1, 0 < δ < 1; otherwise a
// *ParameterError.
func WeissmanRadius(outcomes, samples int, delta float64) (float64, error) {
	if err := check("WeissmanRadius", domain.Between("outcomes", outcomes, 1, math.MaxInt),
		domain.Between("samples", samples, 1, maxSamples), domain.Probability("delta", delta)); err != nil {
		return 0, err
	}
	if outcomes == 1 {
		return 0, nil
	}
	m := float64(outcomes)
	sets := m*math.Ln2 + math.Log1p(-math.Exp2(1-m))
	return math.Sqrt(2 * (sets - math.Log(delta)) / float64(samples)), nil
}

// BinomialTail is the exact P[‖P̂ − P‖₁ ≥ r] for two outcomes of probabilities p and 1 − p: P[|K/N − p| ≥ r/2], K ~
// Bin(N, p). Counts within 1e-12 of the border are counted in. Domain: N ≥ 1, 0 ≤ p ≤ 1, r ≥ 0; otherwise a
// *ParameterError.
func BinomialTail(p float64, samples int, radius float64) (float64, error) {
	if err := check("BinomialTail", domain.Arg("p", p, p >= 0 && p <= 1, "a probability"),
		domain.Between("samples", samples, 1, maxSamples), domain.NotNegative("radius", radius)); err != nil {
		return 0, err
	}
	return binomialTail(p, float64(samples), radius), nil
}

func binomialTail(p, n, radius float64) float64 {
	low := math.Floor(n*(p-radius/2) + 1e-12*n)
	high := math.Ceil(n*(p+radius/2) - 1e-12*n)
	if high <= low {
		return 1
	}
	tail := 0.0
	if low >= 0 {
		tail += 1 - atLeastTail(p, n, low+1)
	}
	return tail + atLeastTail(p, n, high)
}

// atLeastTail is P[Bin(n, p) ≥ k].
func atLeastTail(p, n, k float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	return num.RegIncBeta(k, n-k+1, p)
}

// WorstBinomialTail is the largest [BinomialTail] over p: the exact failure probability of a radius on two outcomes.
// Between two values of p at which a count enters the tail, the tail is P[K ≤ a] + P[K ≥ b], whose derivative in p
// changes sign once, from − to +: the maximum is at such a value. Domain: 1 ≤ N ≤ 10,000, r > 0; otherwise a
// *ParameterError.
func WorstBinomialTail(samples int, radius float64) (tail, p float64, err error) {
	if err := check("WorstBinomialTail", domain.Between("samples", samples, 1, 10_000),
		domain.Positive("radius", radius)); err != nil {
		return 0, 0, err
	}
	n := float64(samples)
	for k := range samples + 1 {
		for _, v := range []float64{float64(k)/n - radius/2, float64(k)/n + radius/2} {
			if v < 0 || v > 1 {
				continue
			}
			if t := binomialTail(v, n, radius); t > tail {
				tail, p = t, v
			}
		}
	}
	return tail, p, nil
}

// MultinomialTail is the exact P[‖P̂ − P‖₁ ≥ r] after N draws from P, by enumeration. Counts within 1e-12 of the border
// are counted in. Domain: P a probability vector, N ≥ 1, r ≥ 0, at most 20 million compositions of N into len(P) parts;
// otherwise a *ParameterError.
func MultinomialTail(p []float64, samples int, radius float64) (float64, error) {
	const f = "MultinomialTail"
	if err := laws(f, p, p); err != nil {
		return 0, err
	}
	if err := check(f, domain.NotNegative("radius", radius), enumerable(len(p), samples)); err != nil {
		return 0, err
	}
	n, tail := float64(samples), 0.0
	compositions(p, samples, func(counts []int, probability float64) {
		d := 0.0
		for i, k := range counts {
			d += math.Abs(float64(k)/n - p[i])
		}
		if d >= radius-1e-12 {
			tail += probability
		}
	})
	return math.Min(1, tail), nil
}

// maxCompositions bounds enumerations to about a second.
const maxCompositions = 2e7

// enumerable checks the number of compositions, C(N+m−1, m−1).
func enumerable(parts, samples int) domain.Argument {
	count := math.Inf(1)
	if samples >= 1 && samples <= maxSamples && parts >= 1 {
		n, m := float64(samples), float64(parts)
		count = math.Exp(num.LogGamma(n+m) - num.LogGamma(m) - num.LogGamma(n+1))
	}
	return domain.Arg("samples", samples, count <= maxCompositions, "at least 1, and few enough for 20 million ways "+
		"to fall into the outcomes")
}

// compositions calls f with every composition of n into len(p) counts that has positive probability, and its
// multinomial probability.
func compositions(p []float64, n int, f func(counts []int, probability float64)) {
	logFactorial := make([]float64, n+1)
	for i := 1; i <= n; i++ {
		logFactorial[i] = logFactorial[i-1] + math.Log(float64(i))
	}
	logP := make([]float64, len(p))
	for i, v := range p {
		logP[i] = math.Log(v)
	}
	counts := make([]int, len(p))
	var fill func(i, left int, logProb float64)
	fill = func(i, left int, logProb float64) {
		term := func(k int) float64 {
			if k == 0 {
				return 0
			}
			return float64(k)*logP[i] - logFactorial[k]
		}
		if i == len(p)-1 {
			if l := logProb + term(left); !math.IsInf(l, -1) {
				counts[i] = left
				f(counts, math.Exp(l))
			}
			return
		}
		for k := 0; k <= left; k++ {
			if k > 0 && p[i] == 0 {
				break
			}
			counts[i] = k
			fill(i+1, left-k, logProb+term(k))
		}
	}
	fill(0, n, logFactorial[n])
}

// FixedBar is Lemma 11 for one query chosen before the samples are seen: with probability at least 1 − δ, the response
// that is best on N posterior samples loses at most
//
//	√(2 ln((R−1)/δ)/N)
//
// of posterior expected utility, utilities in [0, 1], R responses. Hoeffding's inequality for the difference to the
// best response, once for each other response. The value may exceed 1; R = 1 gives 0. Domain: R, N ≥ 1, 0 < δ < 1;
// otherwise a *ParameterError. Source: theory/sampling.md §18.
func FixedBar(responses, samples int, delta float64) (float64, error) {
	return errorBar("FixedBar", responses, 1, samples, delta)
}

// AdaptiveBar is Lemma 11 uniformly over a set of Q possible queries, so that a query may depend on all earlier
// answers:
//
//	√(2 ln(Q(R−1)/δ)/N).
//
// Q is the size of the set that queries are taken from, not the number asked. Over unlimited queries nothing holds in
// general ([HalfSetsFailure]); over a finite Θ, [FiniteBar]. Domain: Q, R, N ≥ 1, 0 < δ < 1; otherwise a
// *ParameterError. Source: theory/sampling.md §18.
func AdaptiveBar(responses, queries, samples int, delta float64) (float64, error) {
	return errorBar("AdaptiveBar", responses, queries, samples, delta)
}

func errorBar(function string, responses, queries, samples int, delta float64) (float64, error) {
	if err := check(function, domain.Between("responses", responses, 1, math.MaxInt),
		domain.Between("queries", queries, 1, math.MaxInt),
		domain.Between("samples", samples, 1, maxSamples), domain.Probability("delta", delta)); err != nil {
		return 0, err
	}
	if responses == 1 {
		return 0, nil
	}
	return math.Sqrt(2 * (math.Log(float64(queries)) +
		math.Log(float64(responses-1)) - math.Log(delta)) / float64(samples)), nil
}

// FiniteBar holds for every query and every set of responses at once when Θ has m elements: the regret is at most ‖ξ̂ −
// ξ‖₁ (Lemma 14), and by Weissman's inequality
//
//	‖ξ̂ − ξ‖₁ ≤ √(2 ln((2^m−2)/δ)/N)  with probability at least 1 − δ.
//
// Domain: m, N ≥ 1, 0 < δ < 1; otherwise a *ParameterError.
func FiniteBar(parameters, samples int, delta float64) (float64, error) {
	return WeissmanRadius(parameters, samples, delta)
}

// PaperBar is Lemma 11 as its proof has it, 2√(ln(2/δ)/(2N)), "for all r, q" without a union bound: valid for one query
// with two responses, false in general ([HalfSetsFailure]). Domain: N ≥ 1, 0 < δ < 1; otherwise a *ParameterError.
func PaperBar(samples int, delta float64) (float64, error) {
	if err := check("PaperBar", domain.Between("samples", samples, 1, maxSamples),
		domain.Probability("delta", delta)); err != nil {
		return 0, err
	}
	return 2 * math.Sqrt(math.Log(2/delta)/2/float64(samples)), nil
}

// LeastBar is a regret that two responses reach with probability δ, so that no bar for R ≥ 2 can be below it:
//
//	max over N/2 ≤ k ≤ N of 1 − qN/k,  q the δ-quantile of Beta(k, N−k+1).
//
// The worst response is better by t = (N−k)/k where θ falls in a set of probability q, and worse by 1 elsewhere: it is
// chosen (ties against us) when k of N samples fall there, which has probability δ. With t = 1 only, as for
// complementary 0/1 utilities, the maximum over k is k = ⌈N/2⌉, 1 − 2q, which is less for odd N.
//
// Domain: N ≥ 1, 0 < δ < 1; otherwise a *ParameterError.
func LeastBar(samples int, delta float64) (float64, error) {
	if err := check("LeastBar", domain.Between("samples", samples, 1, 100_000),
		domain.Probability("delta", delta)); err != nil {
		return 0, err
	}
	best, n := 0.0, float64(samples)
	for k := float64((samples + 1) / 2); k <= n; k++ {
		v := 1 - num.InvRegIncBeta(k, n-k+1, delta)*n/k
		if v < best-0.05 { // falls off quickly beyond the maximum
			break
		}
		best = math.Max(best, v)
	}
	return best, nil
}

// HalfSetsFailure is the counterexample to Lemma 11 "for all r, q": one response of utility u for every θ, and R − 1
// independent random half sets S of a continuous posterior, with utility 1{θ ∈ S}. With probability
//
//	1 − (1 − P[Bin(N, ½) > Nu])^{R−1}
//
// some half set looks better than u on the N samples and the regret is u − ½, at any N once R is large. With all finite
// S, R = ∞, the probability is 1 and the regret u. Domain: R ≥ 2, 1 ≤ N ≤ 1000, ½ < u < 1; otherwise a *ParameterError.
// Source: theory/sampling.md §18.
func HalfSetsFailure(responses, samples int, u float64) (probability, regret float64, err error) {
	if err := check("HalfSetsFailure", domain.Between("responses", responses, 2, math.MaxInt),
		domain.Between("samples", samples, 1, 1000),
		domain.Arg("u", u, u > .5 && u < 1, "inside (1/2, 1)")); err != nil {
		return 0, 0, err
	}
	n := float64(samples)
	least := math.Floor(n*u+1e-9) + 1 // the first count strictly above Nu
	tail := 0.0
	if least <= n {
		tail = num.RegIncBeta(least, n-least+1, .5)
	}
	return -math.Expm1(float64(responses-1) * math.Log1p(-tail)), u - .5, nil
}

// ExpectedBar bounds the expected loss of posterior utility of one fixed query with R responses:
//
//	E max(0, max_r …) ≤ ∫ min(1, (R−1)e^{−Nt²/2}) dt = t₀ + (R−1)√(2π/N)·P[Z > t₀√N],  t₀ = √(2 ln(R−1)/N).
//
// Domain: R, N ≥ 1; otherwise a *ParameterError.
func ExpectedBar(responses, samples int) (float64, error) {
	if err := check("ExpectedBar", domain.Between("responses", responses, 1, math.MaxInt),
		domain.Between("samples", samples, 1, maxSamples)); err != nil {
		return 0, err
	}
	if responses == 1 {
		return 0, nil
	}
	k, n := float64(responses-1), float64(samples)
	t0 := math.Sqrt(2 * math.Log(k) / n)
	return t0 + k*math.Sqrt(2*math.Pi/n)*math.Erfc(t0*math.Sqrt(n/2))/2, nil
}

// Figure1 draws one panel of the paper's Figure 1 for the grids of the given steps (the paper: 5 and 20, Δ = 0.2 and
// 0.05), under the uniform prior (a) or ∝ e^{−ℓ} (b): ξ(Θ_L) against L as steps, and the best curve 1 − e^{−c(L−L0)}
// with L0 the lowest level and c as large as Assumption 2 allows. The table has the numbers. Domain: as [NewGrid], at
// least 3 steps; otherwise a *ParameterError.
//
// The uniform L is ln((1−Δ)/Δ); the paper's ln(1/Δ) is valid and larger. "The higher curve is Δ = 0.2" holds from some
// L on only, and at a common L0 the order can be the other way round. Source: theory/sampling.md §8.
func Figure1(concentrated bool, steps ...int) (*figure.Figure, *table.Table, error) {
	if err := check("Figure1", domain.Between("number of grids", len(steps), 1, 20)); err != nil {
		return nil, nil, err
	}
	label := "uniform prior"
	if concentrated {
		label = "prior falling as exp(−ℓ)"
	}
	fig := &figure.Figure{Title: "Mass of L-Lipschitz parameters, " + label, XLabel: "Lipschitz constant L",
		YLabel: "prior mass of ℓ ≤ L", YPercent: true,
		Caption: "Bernoulli, θ on a grid of step Δ. Solid: the mass. Dashed: the best 1 − exp(−c(L − L0)), L0 the " +
			"lowest ℓ."}
	t := table.New("Figure 1, "+label, "Δ", "levels", "L uniform", "paper's L", "L0", "c", "E ℓ", "least L0 + 1/c")
	most := 0.0
	families := make([]*Family, len(steps))
	for i, k := range steps {
		if err := check("Figure1", domain.Between("steps", k, 3, maxParameters)); err != nil {
			return nil, nil, err
		}
		f, err := NewGrid(k, concentrated, 1)
		if err != nil {
			return nil, nil, err
		}
		families[i] = f
		most = math.Max(most, f.Uniform())
	}
	for i, f := range families {
		delta := 1 / float64(steps[i])
		levels := f.Levels()
		l0 := levels[0].L
		c, err := f.BestC(l0)
		if err != nil {
			return nil, nil, err
		}
		name := "Δ = " + table.Number(delta)
		fig.Series = append(fig.Series, stairs(name, levels, 1.05*most))
		curve := figure.Series{Name: name + ", bound", Colour: name, Kind: figure.Line, Dashed: true}
		for j := range 101 {
			if l := l0 + (1.05*most-l0)*float64(j)/100; !math.IsInf(c, 1) {
				curve.X, curve.Y = append(curve.X, l), append(curve.Y, -math.Expm1(-c*(l-l0)))
			}
		}
		if len(curve.X) > 0 {
			fig.Series = append(fig.Series, curve)
		}
		sum, _ := f.BestSum()
		t.Add(delta, len(levels), f.Uniform(), -math.Log(delta), l0, c, f.MeanL(), sum)
	}
	return fig, t, nil
}

// stairs is ξ(Θ_L) as a line with vertical jumps.
func stairs(name string, levels []Level, end float64) figure.Series {
	s := figure.Series{Name: name, Kind: figure.Line}
	before := 0.0
	for _, l := range levels {
		s.X, s.Y = append(s.X, l.L, l.L), append(s.Y, before, l.Mass)
		before = l.Mass
	}
	s.X, s.Y = append(s.X, end), append(s.Y, 1)
	return s
}

// DuelFigure draws the record of [Play] with the exact error of the optimum test where it can be enumerated, and the
// floors that no adversary can be below; the table has the numbers. Domain: a contest, at least one round; otherwise a
// *ParameterError.
func DuelFigure(c *Contest, rounds []Round) (*figure.Figure, *table.Table, error) {
	if err := check("DuelFigure", domain.Arg("contest", c, c != nil, "one"),
		domain.Between("rounds", len(rounds), 1, 10_000)); err != nil {
		return nil, nil, err
	}
	played := figure.Series{Name: "adversary, simulated", Kind: figure.Band}
	exact := figure.Series{Name: "optimum test, exact", Kind: figure.Line}
	floors := []figure.Series{{Name: "floor: Hellinger"}, {Name: "floor: Jeffreys"}, {Name: "floor: pure ε"}}
	t := table.New("Error of the best adversary: "+c.name, "N", "error", "from", "to", "misses x", "misses y", "exact",
		"Hellinger", "Jeffreys", "KL", "pure")
	for _, r := range rounds {
		n := float64(r.Samples)
		played.X, played.Y = append(played.X, n), append(played.Y, r.Error.Value())
		played.Lo, played.Hi = append(played.Lo, r.Error.Lo), append(played.Hi, r.Error.Hi)
		var known any = "not enumerated"
		if c.p != nil && check("DuelFigure", enumerable(len(c.p), r.Samples)) == nil {
			e, err := c.OptimalError(r.Samples)
			if err != nil {
				return nil, nil, err
			}
			known = e
			exact.X, exact.Y = append(exact.X, n), append(exact.Y, e)
		}
		for i, v := range []float64{r.Floor.Hellinger, r.Floor.Jeffreys, r.Floor.Pure} {
			floors[i].Kind, floors[i].Dashed = figure.Line, true
			floors[i].X, floors[i].Y = append(floors[i].X, n), append(floors[i].Y, v)
		}
		t.Add(r.Samples, r.Error.Value(), r.Error.Lo, r.Error.Hi, r.MissX.Value(), r.MissY.Value(), known,
			r.Floor.Hellinger, r.Floor.Jeffreys, r.Floor.KL, r.Floor.Pure)
	}
	trials := rounds[0].Error.Trials
	note := fmt.Sprintf("%d games; Lρ = %s, Jeffreys divergence of one sample %s.", trials, table.Number(c.lrho),
		table.Number(c.divergences.jeffreys))
	t.Note(note + " Range: Clopper–Pearson.")
	fig := &figure.Figure{Title: "Error of the best adversary", XLabel: "posterior samples N",
		YLabel: "share of wrong answers",
		LogX:   true, YPercent: true, Caption: c.name + ". " + note}
	fig.Series = append(fig.Series, played)
	if len(exact.X) > 0 {
		fig.Series = append(fig.Series, exact)
	}
	for _, f := range floors {
		if len(f.Y) < 2 || f.Y[1] > 0 { // one that is 0 from the second N on says nothing
			fig.Series = append(fig.Series, f)
		}
	}
	return fig, t, nil
}

// CostFigure draws the exact expected regret of [Family.Costs] against N, one line for each L, and its bounds dashed;
// the table has the numbers. Domain: at least one cost; otherwise a *ParameterError.
func CostFigure(costs []Cost) (*figure.Figure, *table.Table, error) {
	if err := check("CostFigure", domain.Between("costs", len(costs), 1, 1_000_000)); err != nil {
		return nil, nil, err
	}
	sorted := append([]Cost(nil), costs...)
	sort.SliceStable(sorted, func(i, j int) bool {
		a, b := sorted[i], sorted[j]
		return a.L < b.L || a.L == b.L && a.Samples < b.Samples
	})
	fig := &figure.Figure{Title: "Regret against L and N", XLabel: "posterior samples N", YLabel: "expected regret",
		LogX:    true,
		Caption: "Prior restricted to ℓ(θ) ≤ L. Solid: exact. Dashed: 1 − ξ*(Θ_L) + ξ*(Θ_L)·sampling bound."}
	t := table.New("Regret against L and N, Theorem 17", "L", "N", "ε exact", "2LN", "1 − ξ*(Θ_L)", "regret", "bound",
		"with 1 − δ", "printed")
	for i, c := range sorted {
		if i == 0 || c.L != sorted[i-1].L {
			name := "L = " + table.Number(c.L)
			fig.Series = append(fig.Series, figure.Series{Name: name, Kind: figure.Line},
				figure.Series{Name: name + ", bound", Colour: name, Kind: figure.Line, Dashed: true})
		}
		exact, bound := &fig.Series[len(fig.Series)-2], &fig.Series[len(fig.Series)-1]
		n := float64(c.Samples)
		exact.X, exact.Y = append(exact.X, n), append(exact.Y, c.Regret)
		bound.X, bound.Y = append(bound.X, n), append(bound.Y, c.Bound)
		t.Add(c.L, c.Samples, c.Epsilon, c.PaperEpsilon, c.Removed, c.Regret, c.Bound, c.HighChance, c.Paper)
	}
	return fig, t.Note("ε: N times the exact ε of one sample, data sets within distance 1. Regret and bound: average " +
		"over data and samples. Printed: false per data set."), nil
}
