package claims

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// globalMode is the exact ε against the claimed factor·ε.
func globalMode(ctx context.Context, f *Finding, factor float64) error {
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
			f.trial().bound(factor*eps, e, float64(c.n), "prior %v, n = %d, ε = %v", c.alpha, c.n, eps)
			f.require(e >= eps/2*(1-1e-9), "prior %v, n = %d, ε = %v: exact %v", c.alpha, c.n, eps, e)
		}
	}
	s := space(500, 1, 1)
	e, err := pure(ctx, f, s, global(s, .5))
	f.number("exact ε ÷ ε, beta(1,1), n = 500, ε = 1", e, .5054, 2e-3)
	return err
}

// twoFactors bounds the ratio of weights and the ratio of normalisers by e^(factor·ε/2).
func twoFactors(_ context.Context, f *Finding, factor float64) error {
	for _, c := range []struct {
		n     int
		alpha []float64
	}{{1, []float64{1, 1}}, {30, []float64{1, 1}}, {20, []float64{100, 1000}}, {8, []float64{7, 4, 5}}} {
		s := space(c.n, c.alpha...)
		g, _, _ := s.Global()
		for _, eps := range []float64{.1, 1, 5} {
			eachPair(s, func(x, y []int64) {
				hx, zx := lawAt(s, x, eps/2/g)
				hy, zy := lawAt(s, y, eps/2/g)
				normalisers := math.Abs(zx - zy)
				for r := range hx {
					for _, v := range []float64{math.Abs(hy[r] - hx[r]), normalisers} {
						f.trial().bound(math.Exp(factor*eps/2), math.Exp(v), float64(c.n),
							"prior %v, n = %d, ε = %v, x = %v, y = %v: %.4f", c.alpha, c.n, eps, x, y, math.Exp(v))
					}
				}
			})
		}
	}
	return nil
}

// farPair is the greatest |ln P[r | x]/P[r | y]| of the local mode at the pairs x = n·e_i, y = (n−1)·e_i + e_j.
func farPair(s *hellinger.Space, eps float64) float64 {
	most := 0.0
	for i := range s.Cells() {
		for j := range s.Cells() {
			if i == j {
				continue
			}
			x := make([]int64, s.Cells())
			x[i] = s.N()
			y := append([]int64(nil), x...)
			y[i]--
			y[j]++
			lx, _, _ := s.Local(x)
			ly, _, _ := s.Local(y)
			hx, zx := lawAt(s, x, eps/2/lx)
			hy, zy := lawAt(s, y, eps/2/ly)
			for r := range hx {
				most = math.Max(most, math.Abs(hy[r]-hx[r]+zy-zx))
			}
		}
	}
	return most
}

// localMode looks for cases whose loss exceeds factor·ε in the setting of Figure 3, tests the step of the printed
// proof, and recomputes the exact ε of theory/hellinger.md §5.
func localMode(ctx context.Context, f *Finding, factor float64) error {
	for _, n := range []int{100, 120} {
		e := farPair(space(n, 7, 4, 5), .8)
		f.trial().printed(e > factor*.8, float64(n), "DL(7,4,5), n = %d, ε = 0.8: no loss above ε at the far pair", n)
	}
	eachChain(3, func(prior []float64, x, y []int64, exponent, _ float64) {
		f.trial().proof(exponent > 2, float64(len(x)), "§1.2.2, prior (%v, %v, %v), n = 1, x = (%d, %d, %d), y = "+
			"(%d, %d, %d): the exponent \"> 2\" is %.3f", prior[0], prior[1], prior[2], x[0], x[1], x[2], y[0], y[1],
			y[2], exponent)
	})
	if factor != 1 {
		return nil
	}
	first := 0
	for n := 40; n <= 60 && first == 0; n++ {
		if farPair(space(n, 7, 4, 5), .8) > .8 {
			first = n
		}
	}
	f.number("least n at which the far pair exceeds ε, DL(7,4,5), ε = 0.8", float64(first), 54, 0)
	f.number("loss at the far pair, DL(7,4,5), n = 100, ε = 0.8", farPair(space(100, 7, 4, 5), .8), .843842, 1e-6)
	for _, c := range []struct {
		n          int
		alpha      []float64
		eps, exact float64
	}{
		{1, []float64{1, 1}, 1, .5}, {10, []float64{1, 1}, 1, .632750}, {100, []float64{1, 1}, 1, .803904},
		{300, []float64{.5, .5}, 1, .943914}, {500, []float64{7, 4}, .5, .375958},
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
	}
	return nil
}

// eachChain visits the cases of the chain of note B for n = 1 and d cells with priors of whole numbers up to d: pairs
// with Δ(y) < Δ(x), BI(x) farthest from BI(y), and Δ(y) = H(x, y); with the exponent of the chain and ln of the ratio
// at ε = 1.
func eachChain(d int, visit func(prior []float64, x, y []int64, exponent, ratio float64)) {
	finiteCube(d, func(prior []float64) {
		s := space(1, prior...)
		eachPair(s, func(x, y []int64) {
			dx, _, _ := s.Local(x)
			dy, _, _ := s.Local(y)
			h, far := s.Distance(x, y), 0.0
			eachHistogram(s, func(r []int64) {
				if hellinger.Dist(x, r) > 0 {
					far = math.Max(far, s.Distance(y, r))
				}
			})
			if dy >= dx*(1-1e-9) || far >= h*(1-1e-9) || math.Abs(dy-h) > 1e-12 {
				return
			}
			hx, zx := lawAt(s, x, .5/dx)
			hy, zy := lawAt(s, y, .5/dy)
			ratio := 0.0
			for r := range hx {
				if hx[r] == 0 {
					ratio = hy[r] - hx[r] + zy - zx
				}
			}
			visit(prior, x, y, -h/dx+h/dy, ratio)
		})
	})
}

// finiteCube visits the vectors of d whole numbers from 1 to 3.
func finiteCube(d int, visit func(v []float64)) {
	v := make1(d)
	for {
		visit(v)
		i := d - 1
		for ; i >= 0 && v[i] == 3; i-- {
			v[i] = 1
		}
		if i < 0 {
			return
		}
		v[i]++
	}
}

// chain tests the chain with "> bound" in place of "> 2"; without the ratio where bound is not the printed 2.
func chain(_ context.Context, f *Finding, bound float64) error {
	for _, d := range []int{2, 3, 4} {
		cases := 0
		eachChain(d, func(prior []float64, x, y []int64, exponent, ratio float64) {
			cases++
			words := fmt.Sprintf("prior (%s), n = 1, x = (%s), y = (%s): the exponent is %.3f, ln ratio %.3f at ε = 1",
				commas(prior), commas(x), commas(y), exponent, ratio)
			f.trial().printed(exponent > bound && (bound != 2 || ratio > 1), float64(d), "%s", words)
			f.trial().repaired(exponent < 1 && ratio < 1, "%s", words)
		})
		f.require((cases == 0) == (d == 2), "%d cells: %d cases", d, cases)
	}
	return nil
}

// chainOfTwo looks for pairs of Beta posteriors that meet the assumptions of the chain; BI(x) need not be the farthest
// from BI(y) unless farthest.
func chainOfTwo(_ context.Context, f *Finding, farthest bool) error {
	priors := [][]float64{{7, 4}, {.3, 2}, {.01, 30}}
	finiteCube(2, func(v []float64) { priors = append(priors, append([]float64(nil), v...)) })
	for _, prior := range priors {
		for n := 1; n <= 12; n++ {
			s := space(n, prior...)
			eachPair(s, func(x, y []int64) {
				dx, _, _ := s.Local(x)
				dy, _, _ := s.Local(y)
				h, far := s.Distance(x, y), 0.0
				eachHistogram(s, func(r []int64) { far = math.Max(far, s.Distance(y, r)) })
				if f.trial().meets(dy < dx*(1-1e-9) && (far <= h*(1+1e-12) || !farthest)) {
					f.trial().printed(h/dy-h/dx > 2, float64(n), "prior %v, x = %v, y = %v", prior, x, y)
				}
			})
		}
	}
	return nil
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

// smoothMode evaluates one ordered pair exactly by orbits: the prior (α₁, A, …, A) and x = n·e₁, y = (n−1)e₁ + e₂ are
// fixed by permutations of the last d − 2 cells, so candidates are counted by r₁, r₂ and the partition of what is left.
// With |R| for n + 1 where all.
func smoothMode(_ context.Context, f *Finding, all bool) error {
	for _, c := range []struct {
		d, n       int
		a1, big    float64
		eps, delta float64
		exact      float64
	}{
		{5, 110, .05, 1e6, .99, 1e-5, 2.15046e-4}, {9, 16, .7, 1e5, 2.5, 2e-4, 8.1996e-4},
		{10, 14, 1, 1e5, 2.6, 1e-4, 9.8104237e-4}, {100, 7, .01, 1000, 7, 1e-3, 3.75087e-2},
	} {
		if all && c.eps >= 1 {
			continue
		}
		size := math.Exp(orbitSpace(c.d, c.n, c.a1, c.big).LogSize())
		whole := orbitDelta(f, c.d, c.n, c.a1, c.big, c.eps, notesBeta(c.eps, c.delta, size))
		f.require(whole <= c.delta/2, "d = %d, n = %d: δ = %v with |R|", c.d, c.n, whole)
		got := whole
		if !all {
			got = orbitDelta(f, c.d, c.n, c.a1, c.big, c.eps, notesBeta(c.eps, c.delta, float64(c.n+1)))
			f.number(fmt.Sprintf("exact δ, d = %d, n = %d, ε = %v, claimed %v, N = n+1", c.d, c.n, c.eps, c.delta), got,
				c.exact, 3e-4*c.exact+1e-12)
		}
		if c.eps < 1 {
			f.trial().printed(got > c.delta, float64(c.d), "d = %d, n = %d, prior (%v, %v, …), ε = %v, δ = %v: exact δ "+
				"= %.3g", c.d, c.n, c.a1, c.big, c.eps, c.delta, got)
		}
	}
	return nil
}

// smoothBeta claims (factor·ε, δ) of the smooth mode on random spaces of two cells.
func smoothBeta(ctx context.Context, f *Finding, factor float64) error {
	r := rand.New(rand.NewPCG(17, 2))
	for range 120 {
		alpha := []float64{math.Pow(10, -2.5+5.5*r.Float64()), math.Pow(10, -2.5+5.5*r.Float64())}
		n := 1 + r.IntN(40)
		eps, delta := math.Pow(10, -1+1.7*r.Float64()), math.Pow(10, -8*r.Float64()-.05)
		s := space(n, alpha...)
		levels := make([]float64, 21)
		for i := range levels {
			levels[i] = eps * float64(i) / 20
		}
		res, err := audit(ctx, f, s, smooth(s, eps/2, notesBeta(eps, delta, float64(n+1))),
			finite.Options{Epsilons: levels})
		if err != nil {
			return err
		}
		for i, d := range res.Delta {
			if d <= delta || i == len(levels)-1 {
				spent := levels[i]
				if d > delta {
					spent = math.Inf(1)
				}
				f.trial().bound(factor*eps, spent, float64(n), "prior %v, n = %d, ε = %v, δ = %v", alpha, n, eps, delta)
				break
			}
		}
	}
	s := space(50, 1, 1)
	res, err := audit(ctx, f, s, smooth(s, .5, notesBeta(1, 1e-5, 51)), finite.Options{Epsilons: []float64{1}})
	if err != nil {
		return err
	}
	f.number("exact δ(1), beta(1,1), n = 50", res.Delta[0], 0, 0)
	f.number("exact pure ε there, nominal 1", res.Epsilon, .555413, 1e-6)
	return nil
}

// captionSmooth is the exact ε of the smooth mode with the printed β.
func captionSmooth(_ context.Context, f *Finding, c caption) error {
	for _, n := range c.Sizes {
		s := space(n, 7, 4, 5)
		e, _ := exactPure(f, s, smooth(s, .4, .0699407108115))
		f.trial().bound(c.Claimed, e, float64(n), "n = %d: exact ε = %.4f", n, e)
		if n == 100 {
			f.number("exact ε, n = 100", e, .54101972, 1e-7)
		}
	}
	for _, v := range []struct {
		n     int
		exact float64
	}{{120, .55320899}, {150, .56232763}} {
		e := nearWorst(f, space(v.n, 7, 4, 5), .0677791100173)
		f.trial().bound(c.Claimed, e, float64(v.n), "n = %d: ε ≥ %.4f", v.n, e)
		f.number(fmt.Sprintf("ε at the worst pair, n = %d", v.n), e, v.exact, 1e-7)
	}
	return nil
}

// nearWorst is the greatest log-ratio of the smooth mode, ε = 0.8, where full enumeration of DL(7,4,5) finds it: few
// records in the second cell, of which one moves to the first.
func nearWorst(f *Finding, s *hellinger.Space, beta float64) float64 {
	most, rate, n := 0.0, smooth(s, .4, beta), s.N()
	for second := int64(5); second <= 9; second++ {
		for first := n / 8; first <= n/2; first++ {
			x := []int64{first, second, n - first - second}
			y := []int64{first + 1, second - 1, n - first - second}
			hx, zx := lawAt(s, x, rate(x))
			hy, zy := lawAt(s, y, rate(y))
			for r := range hx {
				most = math.Max(most, math.Abs(hy[r]-hx[r]+zy-zx))
			}
			f.Cases += int64(len(hx))
		}
	}
	return most
}
