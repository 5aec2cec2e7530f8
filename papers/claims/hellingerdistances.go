package claims

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
)

// bcOf is the Bhattacharyya coefficient by the printed formula, with the middle at share·(a + b).
func bcOf(a, b []float64, share float64) float64 {
	sum, mid, ma, mb, mm := 0.0, 0.0, 0.0, 0.0, 0.0
	lg := func(t float64) float64 { v, _ := math.Lgamma(t); return v }
	for i := range a {
		m := share * (a[i] + b[i])
		mid += lg(m)
		sum += (lg(a[i]) + lg(b[i])) / 2
		ma, mb, mm = ma+a[i], mb+b[i], mm+m
	}
	return math.Exp(mid - lg(mm) - sum + (lg(ma)+lg(mb))/2)
}

// closedForm compares the printed formula with the integral ∫ √(p·q) of Beta densities and with the distances of this
// library, and those with the edge formula.
func closedForm(_ context.Context, f *Finding, share float64) error {
	const steps = 4000
	for _, c := range [][4]float64{{2, 1, 1, 2}, {3, 2, 2, 3}, {5, 3, 3, 5}, {4, 4, 1, 7}} {
		p, err := posterior.NewBeta(c[0], c[1])
		if err != nil {
			return err
		}
		q, err := posterior.NewBeta(c[2], c[3])
		if err != nil {
			return err
		}
		bc := 0.0
		for i := range steps {
			t := (float64(i) + .5) / steps
			bc += math.Exp((p.LogDensity(t)+q.LogDensity(t))/2) / steps
		}
		printed := bcOf(c[:2], c[2:], share)
		f.trial().printed(math.Abs(bc-printed) < 1e-5, 0, "beta%v: ∫√(pq) = %v, printed %v", c, bc, printed)
	}
	for _, alpha := range [][]float64{{1, 1}, {7, 4}, {.5, .5}, {.01, 30}, {7, 4, 5}, {1, 2, 3, 40}} {
		s := space(6, alpha...)
		eachHistogram(s, func(x []int64) {
			for i, j := range hellinger.Neighbours(append([]int64(nil), x...)) {
				y := append([]int64(nil), x...)
				y[i]--
				y[j]++
				h := s.Distance(x, y)
				printed := math.Sqrt(1 - bcOf(plus(alpha, x), plus(alpha, y), share))
				f.trial().printed(math.Abs(h-printed) <= 1e-9, 6, "prior %v, %v to %v: %v and %v", alpha, x, y, h,
					printed)
				edge := s.Edge(alpha[i]+float64(x[i])-1, alpha[j]+float64(x[j]))
				f.require(math.Abs(h-edge) <= 1e-13*h, "edge formula, prior %v, %v to %v", alpha, x, y)
			}
		})
	}
	return nil
}

// plus is α + x.
func plus(alpha []float64, x []int64) []float64 {
	out := append([]float64(nil), alpha...)
	for i, v := range x {
		out[i] += float64(v)
	}
	return out
}

// density integrates the Beta density with exponents α − shift by the midpoint rule; 0 is the printed one.
func density(_ context.Context, f *Finding, shift int) error {
	const steps = 20_000
	for _, alpha := range [][2]float64{{1, 1}, {2, 3}, {7, 4}} {
		d, err := posterior.NewBeta(alpha[0], alpha[1])
		if err != nil {
			return err
		}
		printed, standard := 0.0, 0.0
		for i := range steps {
			t := (float64(i) + .5) / steps
			own := math.Exp(d.LogDensity(t))
			printed += own * math.Pow(t*(1-t), 1-float64(shift)) / steps // the standard exponents are α − 1
			standard += own / steps
		}
		f.trial().printed(math.Abs(printed-1) < 1e-6, alpha[0]+alpha[1], "α = (%v, %v): the printed density "+
			"integrates to 1/%.0f", alpha[0], alpha[1], 1/printed)
		f.trial().repaired(math.Abs(standard-1) < 1e-6, "α = %v: %v", alpha, standard)
	}
	return nil
}

// conjugate compares prior × likelihood with the posterior on a grid: their ratio is one number. weight is what one
// record adds to its count.
func conjugate(_ context.Context, f *Finding, weight float64) error {
	for _, alpha := range [][]float64{{1, 1}, {7, 4}, {1, 2, 3}, {7, 4, 5}} {
		s := space(4, alpha...)
		prior, err := posterior.NewDirichlet(alpha)
		if err != nil {
			return err
		}
		grid := space(6, make1(len(alpha))...)
		eachHistogram(s, func(x []int64) {
			c := append([]float64(nil), alpha...)
			for i, v := range x {
				c[i] += weight * float64(v)
			}
			post, err := posterior.NewDirichlet(c)
			if err != nil {
				f.require(false, "%v", err)
				return
			}
			least, most := math.Inf(1), math.Inf(-1)
			eachHistogram(grid, func(g []int64) {
				xi, loglik := make([]float64, len(g)), 0.0
				for i, v := range g {
					xi[i] = (float64(v) + .5) / (6 + .5*float64(len(g)))
					loglik += float64(x[i]) * math.Log(xi[i])
				}
				evidence := prior.LogDensity(xi) + loglik - post.LogDensity(xi)
				least, most = math.Min(least, evidence), math.Max(most, evidence)
			})
			f.trial().printed(most-least < 1e-9, float64(len(alpha)), "prior %v, x = %v: ln Pr(x) from %v to %v", alpha,
				x, least, most)
		})
	}
	return nil
}

func make1(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// attainedAtTheEnds finds all maximisers; at the first candidate instead of at BI(x) when elsewhere.
func attainedAtTheEnds(_ context.Context, f *Finding, elsewhere bool) error {
	for _, c := range []struct {
		n     int
		alpha []float64
	}{{1, []float64{1, 1}}, {12, []float64{7, 4}}, {20, []float64{.3, 2}}, {6, []float64{1, 1, 1}},
		{5, []float64{7, 4, 5}}, {4, []float64{1, 1, 1, 1}}} {
		s := space(c.n, c.alpha...)
		eachHistogram(s, func(x []int64) {
			for i, j := range hellinger.Neighbours(append([]int64(nil), x...)) {
				y := append([]int64(nil), x...)
				y[i]--
				y[j]++
				most := s.Distance(x, y)
				at := append([]int64(nil), x...)
				if elsewhere {
					at = make([]int64, len(x))
					at[0] = int64(c.n)
				}
				there := math.Abs(s.Distance(x, at) - s.Distance(y, at))
				eachHistogram(s, func(r []int64) {
					gap := math.Abs(s.Distance(x, r) - s.Distance(y, r))
					f.trial().printed(gap <= there+1e-13, float64(c.n), "prior %v, x = %v, y = %v, r = %v: %v of %v",
						c.alpha, x, y, r, gap, there)
					end := hellinger.Dist(x, r) == 0 || hellinger.Dist(y, r) == 0
					f.require(end && math.Abs(gap-most) <= 1e-13 || !end && gap < most*(1-1e-9),
						"prior %v, x = %v, y = %v, r = %v: %v of %v", c.alpha, x, y, r, gap, most)
				})
			}
		})
	}
	return nil
}
