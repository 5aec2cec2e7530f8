package claims

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/hellinger"
)

// eachSlide visits the data sets of the spaces on which the lemmas are executed, with distances, probabilities and the
// smooth sensitivity of the notes' mechanism with n + 1 or, where all, |R| in β.
func eachSlide(eps, delta float64, all bool,
	visit func(s *hellinger.Space, x []int64, h, p []float64, scale, beta float64)) {
	for _, c := range slideSpaces {
		s := space(c.n, c.alpha...)
		size := float64(c.n + 1)
		if all {
			size = math.Exp(s.LogSize())
		}
		beta := notesBeta(eps, delta, size)
		eachHistogram(s, func(x []int64) {
			h, p, scale := smoothLaw(s, x, eps, beta)
			visit(s, x, h, p, scale, beta)
		})
	}
}

// dilationBelow tests the case λ < 0: of weights, h(z) ≤ e^(factor·ε/2)·h(e^λ z), and what the proof says of it.
func dilationBelow(_ context.Context, f *Finding, factor float64) error {
	const eps, delta = 0.5, 0.1
	t := f.trial()
	eachSlide(eps, delta, false, func(s *hellinger.Space, x []int64, h, _ []float64, scale, beta float64) {
		for _, lambda := range []float64{-beta, -beta / 2, -beta / 100} {
			t.proof(1 < math.Exp(lambda), float64(s.N())+lambda, "\"1 < e^λ\": prior (%s), n = %d, λ = %.3f, e^λ = %.3f",
				commas(s.Alpha()), s.N(), lambda, math.Exp(lambda))
			for _, v := range h {
				log := eps / 2 * -v * -math.Expm1(lambda) / scale // ln of h(z)/h(e^λ z), z = −v
				t.proof(math.Exp(log) <= eps/2, float64(s.N())+10, "the ratio is at most ε/2")
				t.proof(math.Exp(-eps/2*v/scale) < 0, float64(s.N())+10, "the left side is smaller than 0")
				t.printed(log <= factor*eps/2, float64(s.N()), "prior %v, x = %v, λ = %v: ratio e^%v", s.Alpha(), x, lambda,
					log)
			}
		}
	})
	return nil
}

// dilationEvent tests the event of the case λ > 0: the log-ratio on it, and its probability; with the sign turned where
// turned.
func dilationEvent(_ context.Context, f *Finding, turned bool) error {
	const eps, delta = 0.5, 0.1
	t := f.trial()
	eachSlide(eps, delta, true, func(s *hellinger.Space, x []int64, h, p []float64, scale, beta float64) {
		threshold := scale / -math.Expm1(beta) // S/(1 − e^λ), λ = β
		mass := 0.0
		for r, v := range h {
			log := eps / 2 * -v * -math.Expm1(beta) / scale
			in := -v <= threshold
			if turned {
				in = -v >= threshold
			}
			if in {
				mass += p[r]
				t.printed(log <= eps/2*(1+1e-9), float64(s.N()), "prior (%s), n = %d, x = (%s): u = %.3f is in it, and the "+
					"log-ratio %.3f > 0.25", commas(s.Alpha()), s.N(), commas(x), -v, log)
			}
			t.repaired(-v < threshold || log <= eps/2*(1+1e-9), "prior %v, x = %v: log-ratio %v", s.Alpha(), x, log)
		}
		t.printed(mass >= 1-delta/2, float64(s.N()), "prior (%s), n = %d, x = (%s): the event has probability %.3f, "+
			"claimed 0.95", commas(s.Alpha()), s.N(), commas(x), mass)
		within := 0.0
		for r, v := range h {
			if -v >= threshold {
				within += p[r]
			}
		}
		t.repaired(within >= 1-delta/2, "prior %v, x = %v: probability %v", s.Alpha(), x, within)
	})
	return nil
}

// tailEquality compares P[u ≤ S/(1 − e^λ)] with (n + 1)·e^(ε/(2(1 − e^λ))): equal as printed, below it where below.
func tailEquality(_ context.Context, f *Finding, below bool) error {
	const eps, delta = 0.5, 0.1
	t := f.trial()
	eachSlide(eps, delta, false, func(s *hellinger.Space, x []int64, h, p []float64, scale, beta float64) {
		if s.Cells() > 2 { // n + 1 candidates
			return
		}
		for _, lambda := range []float64{beta, beta / 2} {
			bound := float64(s.N()+1) * math.Exp(eps/2/-math.Expm1(lambda))
			far := 0.0
			for r, v := range h {
				if -v <= scale/-math.Expm1(lambda) {
					far += p[r]
				}
			}
			t.printed(near(far, bound, 1e-9) || below && far <= bound, float64(s.N())-lambda, "prior (%s), n = %d, λ = "+
				"%.3f: %.3g, not %.3g", commas(s.Alpha()), s.N(), lambda, far, bound)
			t.repaired(far <= bound*(1+1e-12), "prior %v, x = %v: %v > %v", s.Alpha(), x, far, bound)
		}
	})
	return nil
}

// chainSteps tests the two intermediate ">" of the chain in the cases of eachChain; where second, the second alone.
func chainSteps(_ context.Context, f *Finding, second bool) error {
	const eps = 1.0
	t := f.trial()
	eachChain(3, func(prior []float64, x, y []int64, _, _ float64) {
		s := space(1, prior...)
		dx, _, _ := s.Local(x)
		dy, _, _ := s.Local(y)
		far := s.Distance(x, y) // of r = BI(x)
		sum := func(of func(hx, hy float64) float64) (total float64) {
			eachHistogram(s, func(r []int64) { total += math.Exp(eps / 2 * of(s.Distance(x, r), s.Distance(y, r))) })
			return total
		}
		count := sum(func(_, _ float64) float64 { return 0 })
		first := sum(func(_, hy float64) float64 { return -hy / dy }) /
			sum(func(hx, _ float64) float64 { return -far/dy - hx/dx })
		middle := sum(func(_, hy float64) float64 { return -hy / dx }) /
			sum(func(hx, _ float64) float64 { return (-far - hx) / dy })
		last := math.Exp(eps/2*-far/dx) * count / (count * math.Exp(eps/2*-far/dy))
		if !second {
			t.printed(first > middle, 1, "prior (%s), n = 1, x = (%s), y = (%s): %.3f < %.3f at ε = 1", commas(prior),
				commas(x), commas(y), first, middle)
		}
		t.printed(middle > last, 2, "prior (%s): the second, %.3f and %.3f", commas(prior), middle, last)
		t.repaired(first < middle && middle > last, "prior %v: %v, %v, %v", prior, first, middle, last)
	})
	return nil
}

// chainIdentity compares the ratio of probabilities of the local mode with the second line of the identity, whose
// numerator has a third exponent, times extra.
func chainIdentity(_ context.Context, f *Finding, extra float64) error {
	const eps = 1.0
	t := f.trial()
	for _, c := range slideSpaces {
		s := space(c.n, c.alpha...)
		eachPair(s, func(x, y []int64) {
			dx, _, _ := s.Local(x)
			dy, _, _ := s.Local(y)
			hx, zx := lawAt(s, x, eps/2/dx)
			hy, zy := lawAt(s, y, eps/2/dy)
			for r := range hx {
				line := func(extra float64) float64 {
					above, below := 0.0, 0.0
					for o := range hx {
						above += math.Exp(-hx[r] - hy[o] - extra*hx[o])
						below += math.Exp(-hy[r] - hx[o])
					}
					return above / below
				}
				ratio := math.Exp(hy[r] - hx[r] + zy - zx)
				t.printed(near(line(extra), ratio, 1e-9), float64(c.n), "prior (%s), n = %d, x = (%s), y = (%s): %.3f, not "+
					"%.3f", commas(c.alpha), c.n, commas(x), commas(y), line(extra), ratio)
				t.repaired(near(line(0), ratio, 1e-9), "prior %v, x = %v, y = %v: %v, not %v", c.alpha, x, y, line(0), ratio)
			}
		})
	}
	return nil
}

// inductionBase tests H(BI(x₀), BI(x₀+1)) < H(BI(x₀+1), BI(x₀+2)) for even n, with the inequality turned where turned.
func inductionBase(_ context.Context, f *Finding, turned bool) error {
	for n := 4; n <= longest; n += 2 {
		e := edges(n, 1, 1)
		f.trial().printed((e[n/2] < e[n/2+1]) != turned, float64(n), "n = %d: %v and %v", n, e[n/2], e[n/2+1])
	}
	return nil
}

// inductionParity tests Statement I for odd n, at which the printed induction cannot begin; for even n where even.
func inductionParity(_ context.Context, f *Finding, even bool) error {
	for n := 3; n <= longest; n++ {
		if even == (n%2 == 1) {
			continue
		}
		e := edges(n, 1, 1)
		for k := (n + 1) / 2; k+1 < n; k++ {
			f.trial().printed(e[k] < e[k+1], float64(n), "n = %d, x = %d", n, k)
		}
		f.trial().proof(n%2 == 0, float64(n), "n = %d: the induction starts at x₀ = n/2 = %v, which is no data set", n,
			float64(n)/2)
		f.Cases++
	}
	return nil
}

// dilationCases is what the two cases of the proof of Lemma 3.1 are executed at.
var dilationCases = []struct{ eps, delta float64 }{{.1, 1e-5}, {.5, .1}, {1, .01}, {2, .5}}

// laplaceGrowing tests the end of case 1, P[z ∈ e^λ S]/P[z ∈ S] ≤ ε/2, for λ > 0 and intervals S; with e^λ in place of
// ε/2 where exponential.
func laplaceGrowing(_ context.Context, f *Finding, exponential bool) error {
	t := f.trial()
	for _, c := range dilationCases {
		beta := c.eps / (2 * math.Log(3/c.delta))
		for _, lambda := range []float64{beta / 2, beta} {
			for _, from := range []float64{0, .5, 2} {
				for _, width := range []float64{.01, 1} {
					mass := func(by float64) float64 {
						return (math.Exp(-by*from) - math.Exp(-by*(from+width))) / 2
					}
					ratio := mass(math.Exp(lambda)) / mass(1)
					t.printed(ratio <= c.eps/2 || exponential && ratio <= math.Exp(lambda), c.eps+from+width,
						"ε = %v, δ = %v, λ = %.3g, S = [%v, %v]: %.3f > ε/2", c.eps, c.delta, lambda, from, from+width, ratio)
					t.repaired(ratio <= math.Exp(lambda)*(1+1e-12) && math.Exp(lambda) <= math.Exp(c.eps/2), "ε = %v: %v", c.eps,
						ratio)
				}
			}
		}
	}
	return nil
}

// laplaceShrinking tests the lemma for λ < 0, P[S] ≤ e^(factor·ε/2)·P[e^λ S] + δ/2 at the worst S, and the step that
// exchanges h and h′.
func laplaceShrinking(_ context.Context, f *Finding, factor float64) error {
	t := f.trial()
	for _, c := range dilationCases {
		beta := c.eps / (2 * math.Log(2/c.delta))
		for _, lambda := range []float64{-beta / 2, -beta} {
			shrunk := math.Exp(lambda)
			worst := 0.0 // ∫ (h − e^(ε/2)·h′)₊, h′(z) = e^λ·h(e^λ z)
			const steps, end = 40_000, 40.0
			for i := range steps {
				z := end * (float64(i) + .5) / steps
				gap := math.Exp(-z) - math.Exp(factor*c.eps/2+lambda-shrunk*z)
				worst += math.Max(gap, 0) * end / steps
			}
			t.printed(worst <= c.delta/2, c.eps, "ε = %v, δ = %v, λ = %v: %v", c.eps, c.delta, lambda, worst)
			for i := range 40 {
				z := float64(i) / 4
				left, right := math.Exp(-z), math.Exp(-z*lambda)*math.Exp(lambda-shrunk*z)
				t.proof(left <= right*(1+1e-12), c.eps+z, "ε = %v, δ = %v, λ = %.3g, z = %v: h = %.4f > e^(|z||λ|)·h′ = "+
					"%.4f, by the exchange of h and h′", c.eps, c.delta, lambda, z, left/2, right/2)
			}
		}
	}
	return nil
}
