package claims

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/hellinger"
)

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
type lemma struct{ Share, Slack float64 }

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
					f.trial().printed(left <= math.Exp(eps/2)*right+delta/2+l.Slack, float64(c.n)+h[r], "beta(1,1), n "+
						"= %d, ε = 0.5, δ = 0.1, ŝ = %.0f, Δ = %s: %.3f > %.3f, no candidate has that utility", c.n, h[r],
						shift.words, left, math.Exp(eps/2)*right+delta/2)
				}
				for other := range h {
					if math.Abs(h[r]-h[other]) <= scale {
						f.trial().repaired(p[r] <= math.Exp(l.Share*eps)*p[other]*(1+1e-9), "prior %v, n = %d, x = %v: "+
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
				f.trial().printed(left <= math.Exp(eps/2)*right+delta/2+l.Slack, float64(c.n), "beta(1,1), n = %d, ε = "+
					"0.5, δ = 0.1, z = −%sS, λ = β/2: %.3f > %.3f, no candidate has the utility e^λ z", c.n,
					times(h[r]/scale), left, math.Exp(eps/2)*right+delta/2)
				lambda := math.Log1p(scale / math.Max(h[r], 1e-12)) // the greatest with −z ≤ S/(e^λ − 1)
				stretched := eps / 2 * h[r] * math.Expm1(math.Min(lambda, beta)) / scale
				f.trial().repaired(stretched <= l.Share*eps*(1+1e-9), "prior %v, n = %d, x = %v: e^%v", c.alpha, c.n, x,
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
