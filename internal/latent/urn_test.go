package latent

import (
	"math"
	"testing"
)

// urnLaw is the law of c.urn by gamma functions.
func urnLaw(k int64, a, b float64) []float64 {
	choose := func(n, k float64) float64 {
		if k < 0 || k > n {
			return math.Inf(-1)
		}
		return lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1)
	}
	rising := func(a, x float64) float64 { return lgamma(a+x) - lgamma(a) }
	p := make([]float64, k+1)
	for i := range p {
		x, m := float64(i), float64(k)
		if a > 0 {
			p[i] = math.Exp(choose(m, x) + rising(a, x) + rising(b, m-x) - rising(a+b, m))
		} else {
			p[i] = math.Exp(choose(-a, x) + choose(-b, m-x) - choose(-a-b, m))
		}
	}
	return p
}

// Numbers drawn from urns have the laws of gamma functions: chi-square tests that right ones fail with probability
// below 1e-10. The mutants start with two balls more, and draw once less.
func TestUrns(t *testing.T) {
	l := layout(t, &Problem{Levels: []int{2}, Parents: [][]int{nil}, Alpha: symmetric([]int{2}, 1), N: 1})
	c := l.chain(1)
	const draws = 200_000
	misfit := func(p []float64, draw func() int64) float64 {
		counts := make([]float64, len(p))
		for range draws {
			counts[draw()]++
		}
		chi, df, restP, restN := 0.0, -1.0, 0.0, 0.0
		for i, n := range counts {
			if e := draws * p[i]; e >= 5 {
				chi, df = chi+(n-e)*(n-e)/e, df+1
			} else {
				restP, restN = restP+e, restN+n
			}
		}
		if restP == 0 && restN > 0 {
			return math.Inf(1)
		}
		return normal(chi+(restN-restP)*(restN-restP)/max(restP, 1), df+1)
	}
	for _, u := range []struct {
		k    int64
		a, b float64
	}{{9, 1, 1}, {30, 1.5, 40}, {30, 2000.5, 12}, {6, 1, 300}, {5, -3, -4}, {40, -100, -33}, {40, -41, -2}, {60, -30, -30},
		{500, -2e6, -3e6}, {12, -5, -100000}} {
		p := urnLaw(u.k, u.a, u.b)
		if m := misfit(p, func() int64 { return c.urn(u.k, u.a, u.b) }); m > 6.5 {
			t.Errorf("%+v: %.1f", u, m)
		}
		if math.Abs(u.a+u.b) > 100 { // what follows is too small a change to be seen
			continue
		}
		s := math.Copysign(1, u.a)
		if m := misfit(p, func() int64 { return min(c.urn(u.k, u.a+2*s, u.b), u.k) }); m <= 6.5 {
			t.Errorf("%+v with two balls more fits: %.1f", u, m)
		}
		if m := misfit(p, func() int64 { return c.urn(u.k-1, u.a, u.b) }); m <= 6.5 {
			t.Errorf("%+v with a draw less fits: %.1f", u, m)
		}
	}
	for _, u := range []struct {
		k    int64
		a, b float64
		want int64
	}{{7, math.Copysign(0, -1), -9, 0}, {7, -9, math.Copysign(0, -1), 7}, {0, -3, -3, 0}, {6, -3, -3, 3}} {
		if got := c.urn(u.k, u.a, u.b); got != u.want {
			t.Errorf("%+v: %d", u, got)
		}
	}
}
