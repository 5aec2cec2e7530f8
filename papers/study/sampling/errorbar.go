package sampling

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

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
