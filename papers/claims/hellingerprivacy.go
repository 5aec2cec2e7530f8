package claims

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/hellinger"
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
