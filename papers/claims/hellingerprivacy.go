package claims

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

func init() {
	register(
		Claim{
			ID: "hellinger/04", Document: NoteA, Place: "§2.1", Verdict: Loose,
			Statement: "with the global sensitivity and κ = ε/2 the mechanism is ε-DP",
			True:      "its exact ε lies in [ε/2, ε], typically 0.50 to 0.75 of ε",
			Source:    "theory/hellinger.md §7", check: globalMode,
		},
		Claim{
			ID: "hellinger/13", Document: NoteA, Place: "§2.2; note B §1.2.2", Verdict: False,
			Statement: "with the local sensitivity the mechanism is non-private",
			True: "with finitely many candidates it always has a pure ε; for d = 2 at most 1.98ε, and at " +
				"most ε if α ≥ 0.3929; for d ≥ 3 there is no uniform bound",
			Counterexample: "beta(1,1), n = 1: exact ε = ε/2",
			Source:         "theory/hellinger.md §5", check: localMode,
		},
		Claim{
			ID: "hellinger/14", Document: NoteA, Place: "Lemma 2.1 (sliding); note B Lemma 3.2", Verdict: False,
			Statement: "P[u ∈ S] ≤ e^(ε/2)·P[u ∈ S + Δ] + δ/2 for |Δ| at most the sensitivity",
			True: "only for the weight function without its normaliser: a shifted utility need not be " +
				"attained",
			Counterexample: "beta(1,1), n = 1, S = {0}, Δ = −S/2: left side ≥ ½, right side δ/2",
			Source:         "theory/hellinger.md §0", check: sliding,
		},
		Claim{
			ID: "hellinger/15", Document: NoteA, Place: "Lemma 2.2 (dilation); note B Lemma 3.3", Verdict: False,
			Statement:      "P[u ≤ S/(1 − e^β)] ≤ δ/2 with N = n + 1",
			True:           "with N the number of candidates",
			Counterexample: "d = 4, n = 1, α = 1, δ = 0.1, ε = 2 ln 40: 0.0698 > 0.05",
			Source:         "theory/hellinger.md §0", check: dilation,
		},
		Claim{
			ID: "hellinger/16", Document: NoteA, Place: "§2.3", Verdict: False,
			Statement: "sliding and dilation together give (ε, δ)-DP",
			True: "even for noise addition they give δ(1 + e^(ε/2))/2, and here the normalisers of x and y " +
				"differ",
			Counterexample: "beta(1,1), n = 2: the normalisers of x = (0, 2) and (1, 1) differ",
			Source:         "theory/hellinger.md §0", check: inference,
		},
		Claim{
			ID: "hellinger/17", Document: NoteA, Place: "§2.3, smooth sensitivity", Verdict: False,
			Statement: "with β = ln(1 + ε/(2 ln(2(n+1)/δ))) and the smooth sensitivity the mechanism is (ε, δ)-DP",
			True: "with N = |R| it is (3ε/2, δ/2)-DP (Theorem C); with N = n + 1 violations are known from " +
				"5 cells on",
			Counterexample: "d = 10, n = 14, prior (1, 100000, …), ε = 2.6, δ = 0.0001: exact δ = 0.000981",
			Source:         "theory/hellinger.md §6", check: smoothMode,
		},
	)
}

func globalMode(ctx context.Context, f *Finding) error {
	for _, c := range []struct {
		n     int
		alpha []float64
	}{{1, []float64{1, 1}}, {50, []float64{1, 1}}, {100, []float64{7, 4}}, {20, []float64{100, 1000}},
		{15, []float64{1, 1, 1}}, {12, []float64{7, 4, 5}}, {5, []float64{1, 1, 1, 1}}} {
		for _, eps := range []float64{.1, 1, 5} {
			s := space(c.n, c.alpha...)
			e, err := pure(ctx, f, s, global(s, eps/2))
			if err != nil {
				return err
			}
			f.trial().bound(eps, e, float64(c.n), "prior %v, n = %d, ε = %v", c.alpha, c.n, eps)
			f.require(e >= eps/2*(1-1e-9), "prior %v, n = %d, ε = %v: exact %v", c.alpha, c.n, eps, e)
		}
	}
	s := space(500, 1, 1)
	e, err := pure(ctx, f, s, global(s, .5))
	f.number("exact ε ÷ ε, beta(1,1), n = 500, ε = 1", e, .5054, 2e-3)
	return err
}

// localMode recomputes the exact ε of theory/hellinger.md §5.
func localMode(ctx context.Context, f *Finding) error {
	for _, c := range []struct {
		n          int
		alpha      []float64
		eps, exact float64
	}{
		{10, []float64{1, 1}, 1, .632750}, {100, []float64{1, 1}, 1, .803904}, {300, []float64{.5, .5}, 1, .943914},
		{500, []float64{7, 4}, .5, .375958},
		{200, []float64{.01, .01}, 1, 1.074522}, {30, []float64{1, 1, 1}, 1, .748362},
		{30, []float64{7, 4, 5}, 1, .932239},
		{20, []float64{100, 100, 10000}, 1, 1.971198}, {20, []float64{100, 100, 10000}, 5, 13.249294},
	} {
		s := space(c.n, c.alpha...)
		e, err := pure(ctx, f, s, local(s, c.eps/2))
		if err != nil {
			return err
		}
		f.number(fmt.Sprintf("exact ε, prior %v, n = %d, nominal %v", c.alpha, c.n, c.eps), e, c.exact, 1e-6)
		f.trial().printed(math.IsInf(e, 1), float64(c.n), "prior %v, n = %d, ε = %v: exact ε = %.3g", c.alpha, c.n,
			c.eps, e)
	}
	s := space(1, 1, 1)
	e, err := pure(ctx, f, s, local(s, .5))
	f.number("exact ε, beta(1,1), n = 1, nominal 1", e, .5, 1e-12)
	f.trial().printed(math.IsInf(e, 1), 1, "beta(1,1), n = 1: exact ε = ε/%.3g", 1/e)
	return err
}

func sliding(_ context.Context, f *Finding) error {
	const eps, delta = 1.0, 0.1
	s := space(1, 1, 1)
	ls, _, _ := s.Local([]int64{0, 1})
	left := 1 / (1 + math.Exp(-eps/2)) // P[u = 0]: the other candidate is at distance S
	attained := 0.0                    // P[u = −S/2]: utilities are 0 and −S
	f.require(math.Abs(s.Distance([]int64{0, 1}, []int64{1, 0})-ls) < 1e-15, "two utilities")
	f.require(left >= .5, "left side %v", left)
	f.trial().printed(left <= math.Exp(eps/2)*attained+delta/2, 1, "beta(1,1), n = 1, S = {0}, Δ = −S/2: left side ≥ "+
		"½, right side δ/2")
	f.number("right side", math.Exp(eps/2)*attained+delta/2, delta/2, 0)
	return nil
}

// dilation looks for the smallest number of cells at which the tail exceeds δ/2, for n = 1 where H(x, r) = S for every
// r ≠ x.
func dilation(_ context.Context, f *Finding) error {
	const delta = .1
	eps := 2 * math.Log(40)
	first, tail := 0, 0.0
	for d := 2; d <= 6; d++ {
		alpha := make([]float64, d)
		for i := range alpha {
			alpha[i] = 1
		}
		s := space(1, alpha...)
		x := make([]int64, d)
		x[0] = 1
		sm := s.Smooth(x, notesBeta(eps, delta, 2))
		threshold := sm.Value / math.Expm1(notesBeta(eps, delta, 2)) // −u ≥ S/(e^β − 1)
		z, far := 0.0, 0.0
		eachHistogram(s, func(r []int64) {
			h := s.Distance(x, r)
			w := math.Exp(-eps / 2 * h / sm.Value)
			z += w
			if h >= threshold*(1-1e-12) {
				far += w
			}
			f.Cases++
		})
		f.trial().printed(far/z <= delta/2, float64(d), "d = %d, n = 1, α = 1, δ = 0.1, ε = 2 ln 40: %.4f > 0.05", d,
			far/z)
		if p := far / z; p > delta/2 && first == 0 {
			first, tail = d, p
		}
	}
	f.number("smallest d that fails", float64(first), 4, 0)
	f.number("P[u ≤ S/(1 − e^β)], d = 4", tail, .06977, 5e-6)
	return nil
}

func inference(_ context.Context, f *Finding) error {
	const eps, delta = 1.0, 1e-5
	f.require(delta*(1+math.Exp(eps/2))/2 > delta, "the two halves add up to δ")
	f.number("δ that the two lemmas give, ÷ δ", (1+math.Exp(eps/2))/2, 1.3244, 1e-4)
	s := space(2, 1, 1)
	z := func(x []int64) float64 {
		ls, _, _ := s.Local(x)
		sum := 0.0
		eachHistogram(s, func(r []int64) { sum += math.Exp(-eps / 2 * s.Distance(x, r) / ls) })
		return sum
	}
	f.trial().printed(math.Abs(z([]int64{0, 2})-z([]int64{1, 1})) < .05, 2, "beta(1,1), n = 2: the normalisers of x "+
		"= (0, 2) and (1, 1) differ")
	return nil
}

// smoothMode evaluates one ordered pair exactly by orbits: the prior (α₁, A, …, A) and x = n·e₁, y = (n−1)e₁ + e₂ are
// fixed by permutations of the last d − 2 cells, so candidates are counted by r₁, r₂ and the partition of what is left.
func smoothMode(ctx context.Context, f *Finding) error {
	for _, c := range []struct {
		d, n            int
		a1, big         float64
		eps, delta      float64
		exact, exactAll float64
	}{
		{5, 95, .4, 1e6, 1.058, 1.2e-6, 2.266e-4, 0}, {9, 16, .7, 1e5, 2.5, 2e-4, 8.1996e-4, 0},
		{10, 14, 1, 1e5, 2.6, 1e-4, 9.8104237e-4, 0}, {100, 7, .01, 1000, 7, 1e-3, 3.75087e-2, 0},
	} {
		for _, all := range []bool{false, true} {
			size, want := float64(c.n+1), c.exact
			if all {
				size, want = math.Exp(orbitSpace(c.d, c.n, c.a1, c.big).LogSize()), 0
			}
			got := orbitDelta(f, c.d, c.n, c.a1, c.big, c.eps, notesBeta(c.eps, c.delta, size))
			name := fmt.Sprintf("exact δ, d = %d, n = %d, claimed %v, N = n+1", c.d, c.n, c.delta)
			if all {
				name = fmt.Sprintf("exact δ, d = %d, n = %d, N = |R|", c.d, c.n)
			}
			f.number(name, got, want, 3e-4*want+1e-12)
			if !all {
				f.trial().printed(got <= c.delta, float64(c.d*c.n), "d = %d, n = %d, prior (%v, %v, …), ε = %v, δ = "+
					"%v: exact δ = %.3g", c.d, c.n, c.a1, c.big, c.eps, c.delta, got)
			}
		}
	}
	// two cells: no violation, and here even pure
	s := space(50, 1, 1)
	res, err := audit(ctx, f, s, smooth(s, .5, notesBeta(1, 1e-5, 51)), finite.Options{Epsilons: []float64{1}})
	if err != nil {
		return err
	}
	f.number("exact δ(1), beta(1,1), n = 50", res.Delta[0], 0, 0)
	f.number("exact pure ε there, nominal 1", res.Epsilon, .555413, 1e-6)
	return nil
}
