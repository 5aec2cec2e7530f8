package claims

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/hellinger"
)

// slidingClaim and dilationClaim are printed in both notes, in the same words.
func slidingClaim(id, document, place, item string) Claim {
	return weakened(tested(Claim{
		ID: id, Document: document, Place: place, Items: []string{item},
		Assumes: "\"any exponential mechanism\", here the notes' own with the smooth sensitivity S; ŝ a utility, Δ ≥ " +
			"−S(x) (from the proof), ε, δ < 1; executed at ε = 0.5, δ = 0.1",
		Statement: "P[u(r, x) = ŝ] ≤ e^(ε/2)·P[u(r, x) = ŝ + Δ] + δ/2.",
		Verdict:   Corrected,
		True: "For candidates r and r′ whose utilities differ by at most S, P[r] ≤ e^(ε/2)·P[r′]. A shifted utility " +
			"need not be that of any candidate.",
		Counterexample: "beta(1,1), n = 1, ε = 0.5, δ = 0.1, ŝ = 0, Δ = −S/2: 0.562 > 0.050, no candidate has that utility",
		Remark: "The property belongs to noise with a density on the line; the proof works with the formula of the " +
			"weights, which is defined for every ŝ.",
		Source: "theory/hellinger.md §0",
	}, lemma{.5, 0}, lemma{.25, 0}, sliding), lemma{.5, .6}, sliding)
}

func dilationClaim(id, document, place, item string) Claim {
	return weakened(tested(Claim{
		ID: id, Document: document, Place: place, Items: []string{item},
		Assumes: "\"any exponential mechanism\", here the notes' own with the smooth sensitivity S; z a utility, |λ| " +
			"below β = ln(1 − ε/(2 ln(δ/(2(n+1))))), ε, δ < 1; executed at ε = 0.5, δ = 0.1, " +
			"λ = β/2",
		Statement: "P[u(r) = z] ≤ e^(ε/2)·P[u(r) = e^λ z] + δ/2.",
		Verdict:   Corrected,
		True: "The weights obey w(z) ≤ e^(ε/2)·w(e^λ z) while −z ≤ S/(e^λ − 1), and with |R| for n + 1 in β the rest has " +
			"probability at most δ/2. A stretched utility need not be that of any candidate.",
		Counterexample: "beta(1,1), n = 1, ε = 0.5, δ = 0.1, z = −S, λ = β/2: 0.438 > 0.050, no candidate has the " +
			"utility e^λ z",
		Remark: "The printed proof turns the sign of its event: the log-ratio is small where u ≥ S/(1 − e^λ), and its " +
			"last display bounds the complement of the event that it says has probability 1 − δ/2.",
		Source: "theory/hellinger.md §0",
	}, lemma{.5, 0}, lemma{.05, 0}, dilation), lemma{.5, .6}, dilation)
}

func init() {
	register(
		slidingClaim("hellinger/14", NoteA, "Lemma 2.1 (sliding)", "Lemma 2.1"),
		slidingClaim("hellinger/14b", NoteB, "Lemma 3.2 (sliding)", "Lemma 3.2"),
		tested(Claim{
			ID: "hellinger/14a", Document: NoteA, Place: "proof of Lemma 2.1", Items: []string{"§2.3.2 (symmetry)"},
			Assumes: "Beta posteriors, any x",
			Statement: "The utility is symmetric about the true output, so that every utility but 0 is that of two " +
				"candidates.",
			Verdict:        Corrected,
			True:           "It is so for a prior beta(a, a), n even and x = n/2.",
			Counterexample: "beta(1, 1), n = 1, x = 0: the utility of candidate 1 is that of 1 candidate",
			Remark:         "The lemma's weights do not need it.",
			Source:         "theory/hellinger.md §0",
		}, false, true, axial),
		dilationClaim("hellinger/15", NoteA, "Lemma 2.2 (dilation)", "Lemma 2.2"),
		dilationClaim("hellinger/15b", NoteB, "Lemma 3.3 (dilation)", "Lemma 3.3"),
		tested(Claim{
			ID: "hellinger/15a", Document: NoteA, Place: "proof of Lemma 2.2, the tail", Items: []string{"§2.3.3 (tail)"},
			Assumes: "the prior DL(α) with m sides; \"the size of the candidate set is the size of the data set plus " +
				"1\"; λ at most the β of the lemma; ε, δ < 1",
			Statement:      "P[u ≤ S/(1 − e^λ)] ≤ δ/2.",
			Verdict:        Corrected,
			True:           "With the number of candidates |R| for n + 1, which it equals for two cells only.",
			Counterexample: "d = 4, n = 20, x = (20, 0, …), prior (1, 1e+06, …), δ = 0.1, ε = 0.99: 0.0981 > 0.05",
			Source:         "theory/hellinger.md §0",
		}, false, true, tail),
		tested(Claim{
			ID: "hellinger/16", Document: NoteA, Place: "beside §2.3: from the two properties to privacy",
			Items: []string{"§2.3 (inference)"}, Ours: true,
			Assumes: "an exponential mechanism with rate ε/(2S(x)), u moving by at most S between neighbours, S(x) ≤ " +
				"e^β·S(y), and both properties without exception for the weights, which then differ by at most e^ε",
			Statement: "The mechanism is 3ε/2-DP, and in general no better: the normalisers of neighbours differ by another " +
				"factor of up to e^(ε/2). With one scale for all x the weights differ by e^(ε/2), and it is ε-DP.",
			Verdict: Holds,
			True: "S = 1 and 1.25, 10⁶ far candidates, ε = ½: the weights differ by e^0.50, the probabilities by " +
				"e^0.70.",
			Remark: "The note sets up the two properties and does not write out the step from them to privacy.",
			Source: "theory/hellinger.md §0, §6",
		}, 1.5, 1.25, inference),
		tested(Claim{
			ID: "hellinger/21", Document: NoteA, Place: "proof of Lemma 2.2, the accuracy property",
			Items: []string{"§2.3.3 (accuracy)"},
			Assumes: "one candidate has utility 0; rate ε/(2S); here put as c = −(2S/ε)(ln|R| + t), beta(7,4), n = 500, " +
				"at balanced data",
			Statement: "P[u ≤ c] ≤ |R|·exp(εc/(2S)), that is P[H ≥ (2S/ε)(ln|R| + t)] ≤ e^(−t).",
			Verdict:   Loose,
			True:      "From t = 2 on the threshold exceeds 1 at ε = ½, and the probability is 0.",
			Source:    "theory/hellinger.md §7",
		}, 1, 30, accuracyBound),
	)
}

// smoothLaw is the notes' mechanism at x: distances, probabilities and the smooth sensitivity.
func smoothLaw(s *hellinger.Space, x []int64, eps, beta float64) (h, p []float64, scale float64) {
	scale = s.Smooth(x, beta).Value
	h, z := lawAt(s, x, eps/2/scale)
	p = make([]float64, len(h))
	for r, v := range h {
		p[r] = math.Exp(-v - z)
		h[r] = math.Abs(v) * 2 * scale / eps
	}
	return h, p, scale
}

// sums is P[u = −h] by value of h, up to rounding.
func massAt(h, p []float64, at float64) float64 {
	sum := 0.0
	for r, v := range h {
		if math.Abs(v-at) <= 1e-12 {
			sum += p[r]
		}
	}
	return sum
}

// slideSpaces are those on which the two lemmas are executed.
var slideSpaces = []struct {
	n     int
	alpha []float64
}{{1, []float64{1, 1}}, {2, []float64{1, 1}}, {6, []float64{7, 4}}, {10, []float64{.3, .3}}, {4, []float64{1, 2, 3}}}

// lemma is what the checks of the two lemmas allow: share·ε as the exponent of the corrected form, slack beside the
// printed δ/2.
type lemma struct{ share, slack float64 }

// sliding tests the lemma at attained utilities and shifts of them.
func sliding(_ context.Context, f *Finding, l lemma) error {
	const eps, delta = 0.5, 0.1
	for _, c := range slideSpaces {
		s := space(c.n, c.alpha...)
		beta := notesBeta(eps, delta, float64(c.n+1))
		eachHistogram(s, func(x []int64) {
			h, p, scale := smoothLaw(s, x, eps, beta)
			for r := range h {
				for _, shift := range []struct {
					words string
					by    float64
				}{{"−S/2", -scale / 2}, {"−S", -scale}, {"S/2", scale / 2}} {
					left, right := massAt(h, p, h[r]), massAt(h, p, h[r]-shift.by)
					f.trial().printed(left <= math.Exp(eps/2)*right+delta/2+l.slack, float64(c.n)+h[r], "beta(1,1), n "+
						"= %d, ε = 0.5, δ = 0.1, ŝ = %.0f, Δ = %s: %.3f > %.3f, no candidate has that utility", c.n, h[r],
						shift.words, left, math.Exp(eps/2)*right+delta/2)
				}
				for other := range h {
					if math.Abs(h[r]-h[other]) <= scale {
						f.trial().repaired(p[r] <= math.Exp(l.share*eps)*p[other]*(1+1e-9), "prior %v, n = %d, x = %v: "+
							"%v and %v", c.alpha, c.n, x, p[r], p[other])
					}
				}
			}
		})
	}
	return nil
}

// axial counts the candidates of every utility; at x = n/2 only, where middle.
func axial(_ context.Context, f *Finding, middle bool) error {
	for n := 1; n <= 12; n++ {
		for _, a := range []float64{1, .5, 7} {
			s := space(n, a, a)
			for x := 0; x <= n; x++ {
				h, p := make([]float64, n+1), make([]float64, n+1)
				for r := 0; r <= n; r++ {
					h[r] = s.Distance([]int64{int64(x), int64(n - x)}, []int64{int64(r), int64(n - r)})
					p[r] = 1
				}
				for r := 0; r <= n; r++ {
					if r == x {
						continue
					}
					m := massAt(h, p, h[r])
					if 2*x == n {
						f.trial().repaired(m == 2, "beta(%v, %v), n = %d, x = %d: %v", a, a, n, x, m)
					} else if middle {
						continue
					}
					f.trial().printed(m == 2, float64(n), "beta(%v, %v), n = %d, x = %d: the utility of candidate %d "+
						"is that of %v candidate", a, a, n, x, r, m)
				}
			}
		}
	}
	return nil
}

// dilation tests the lemma at attained utilities.
func dilation(_ context.Context, f *Finding, l lemma) error {
	const eps, delta = 0.5, 0.1
	for _, c := range slideSpaces {
		s := space(c.n, c.alpha...)
		beta := notesBeta(eps, delta, float64(c.n+1))
		all := notesBeta(eps, delta, math.Exp(s.LogSize()))
		eachHistogram(s, func(x []int64) {
			h, p, scale := smoothLaw(s, x, eps, beta)
			for r := range h {
				left, right := massAt(h, p, h[r]), massAt(h, p, h[r]*math.Exp(beta/2))
				f.trial().printed(left <= math.Exp(eps/2)*right+delta/2+l.slack, float64(c.n), "beta(1,1), n = %d, ε = "+
					"0.5, δ = 0.1, z = −%sS, λ = β/2: %.3f > %.3f, no candidate has the utility e^λ z", c.n,
					times(h[r]/scale), left, math.Exp(eps/2)*right+delta/2)
				lambda := math.Log1p(scale / math.Max(h[r], 1e-12)) // the greatest with −z ≤ S/(e^λ − 1)
				stretched := eps / 2 * h[r] * math.Expm1(math.Min(lambda, beta)) / scale
				f.trial().repaired(stretched <= l.share*eps*(1+1e-9), "prior %v, n = %d, x = %v: e^%v", c.alpha, c.n, x,
					stretched)
			}
			h, p, scale = smoothLaw(s, x, eps, all)
			far := 0.0
			for r := range h {
				if h[r] > scale/math.Expm1(all) {
					far += p[r]
				}
			}
			f.trial().repaired(far <= delta/2, "prior %v, n = %d, x = %v: tail %v", c.alpha, c.n, x, far)
		})
	}
	return nil
}

// times is a factor in front of a letter.
func times(v float64) string {
	if math.Abs(v-1) < 1e-9 {
		return ""
	}
	return fmt.Sprintf("%.3g", v)
}

// tail looks for the smallest number of cells at which the tail exceeds δ/2 at x = n·e₁ with the prior (1, A, …, A):
// moves among the last cells are then almost free, and many candidates are equally far. With |R| for n + 1 where all.
func tail(_ context.Context, f *Finding, all bool) error {
	const n, big, eps, delta = 20, 1e6, .99, .1
	for d := 2; d <= 6; d++ {
		s, list := orbitSpace(d, n, 1, big), orbitsOf(d, n, 1, big)
		x := make([]int64, d)
		x[0] = n
		beyond := func(size float64) float64 {
			beta := notesBeta(eps, delta, size)
			scale := s.Smooth(x, beta).Value
			far, z := 0.0, 0.0
			for _, o := range list {
				p := o.count * math.Exp(-eps/2*o.hx/scale)
				z += p
				if o.hx >= scale/math.Expm1(beta)*(1-1e-12) {
					far += p
				}
			}
			return far / z
		}
		size := float64(n + 1)
		if all {
			size = math.Exp(s.LogSize())
		}
		far := beyond(size)
		f.trial().printed(far <= delta/2, float64(d), "d = %d, n = %d, x = (20, 0, …), prior (1, %v, …), δ = %v, ε = %v: "+
			"%.4f > 0.05", d, n, big, delta, eps, far)
		f.trial().repaired(beyond(math.Exp(s.LogSize())) <= delta/2, "d = %d with |R|", d)
	}
	return nil
}

// inference evaluates exponential mechanisms with one candidate at the data and m far ones: u(x) = 0 and −h, u(y) = −1
// and −(h − 1), scales 1 and e^β, h as far as the weights stay within e^ε, then with one scale for both. Probabilities
// are to differ by at most e^(factor·ε).
func inference(_ context.Context, f *Finding, factor float64) error {
	for _, eps := range []float64{.1, .5, .9} {
		for _, grow := range []float64{1, 1.05, 1.25, 2} {
			for _, m := range []float64{1, 1e3, 1e6} {
				b, h, within := 1/grow, 1000.0, 1.0
				if grow > 1 {
					h, within = (2-b)/(1-b), factor // a·h − b·(h − 1) = 2 with a = 1
				}
				logs := [2][2]float64{{0, -eps / 2 * h}, {-eps / 2 * b, -eps / 2 * b * (h - 1)}}
				z := func(i int) float64 {
					return logs[i][0] + math.Log1p(m*math.Exp(logs[i][1]-logs[i][0]))
				}
				weights, laws := 0.0, 0.0
				for r := range 2 {
					w := logs[0][r] - logs[1][r]
					weights = math.Max(weights, math.Abs(w))
					laws = math.Max(laws, math.Abs(w-z(0)+z(1)))
				}
				f.require(weights <= eps*(1+1e-9), "ε = %v, S = %v: the weights differ by e^%v", eps, grow, weights)
				f.trial().printed(laws <= within*eps*(1+1e-9), eps, "S = 1 and %v, %.0f far candidates, ε = %v: weights "+
					"within e^%.2f, probabilities e^%.2f", grow, m, eps, weights, laws)
				if grow == 1.25 && m == 1e6 && eps == .5 {
					f.number("probabilities, ln, S = 1 and 1.25, 10⁶ far candidates, ε = ½", laws, .7, 1e-3)
				}
			}
		}
	}
	return nil
}

func accuracyBound(_ context.Context, f *Finding, divisor float64) error {
	s, x := space(500, 7, 4), []int64{250, 250}
	ls, _, _ := s.Local(x)
	for _, scale := range []float64{ls, 2 * ls} {
		for _, eps := range []float64{.5, 2, 10} {
			h, p, err := errorsAt(s, x, eps/2/scale)
			if err != nil {
				return err
			}
			for _, t := range []float64{0, .5, 1, 2, 5} {
				threshold, tail := 2*scale/eps*(s.LogSize()+t), 0.0
				for i, v := range h {
					if v >= threshold {
						tail += p[i]
					}
				}
				f.trial().bound(math.Exp(-t)/divisor, tail, t, "S = %v, ε = %v, t = %v: %v", scale, eps, t, tail)
				f.require(t < 2 || eps > .5 || threshold > 1, "the bound says something at ε = ½, t = %v", t)
			}
		}
	}
	return nil
}
