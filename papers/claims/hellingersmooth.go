package claims

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

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
