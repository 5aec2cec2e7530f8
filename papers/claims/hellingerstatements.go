package claims

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
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

// edges of beta(a, b): H(k, k+1) for k = 0 … n−1.
func edges(n int, a, b float64) []float64 {
	s := space(n, a, b)
	out := make([]float64, n)
	for k := range out {
		out[k] = s.Distance([]int64{int64(k), int64(n - k)}, []int64{int64(k + 1), int64(n - k - 1)})
	}
	return out
}

const longest = 60 // n up to which the statements are executed

// statementOneRight turns the inequality where turned.
func statementOneRight(_ context.Context, f *Finding, turned bool) error {
	for n := 2; n <= longest; n++ {
		e := edges(n, 1, 1)
		for k := n / 2; k+1 < n; k++ {
			f.trial().printed((e[k] < e[k+1]) != turned, float64(n), "n = %d, x = %d", n, k)
		}
		for m := 0; n%2 == 0 && n/2+m+3 <= n; m++ { // the constants of the induction step, as printed
			v, w := float64(n), float64(2*m)
			c1 := (v - w - 1) / (v + w + 3) / math.Sqrt((v-w)/(v+w+2))
			c2 := (v - w - 3) / (v + w + 5) / math.Sqrt((v-w-2)/(v+w+6))
			f.trial().proof(c1 <= c2, float64(n), "§2.2.1, the induction: from A·c₁ > B·c₂ it concludes A > B, and c₁ = "+
				"%.3f > c₂ = %.3f at n = %d, m = %d", c1, c2, n, m)
		}
		for _, p := range [][2]float64{{7, 4}, {.3, .3}, {.01, 30}, {100, 1}} { // the true form
			e := edges(n, p[0], p[1])
			for k := range n - 1 { // |a + k − (a+b+n−1)/2| grows or shrinks
				middle := (p[0] + p[1] + float64(n) - 1) / 2
				near, far := math.Abs(p[0]+float64(k)-middle), math.Abs(p[0]+float64(k+1)-middle)
				f.require(math.Abs(near-far) < 1e-9 || (near < far) == (e[k] < e[k+1]), "prior %v, n = %d, k = %d", p, n,
					k)
			}
		}
	}
	return nil
}

// statementOneLeft takes the mirror image for the printed line where mirrored.
func statementOneLeft(_ context.Context, f *Finding, mirrored bool) error {
	for n := 2; n <= longest; n++ {
		e := edges(n, 1, 1)
		for x := 0; 2*x <= n && x+1 < n && !mirrored; x++ {
			f.trial().printed(e[x] > e[x+1]*(1+1e-13), float64(n)+float64(x)/100, "n = %d, x = x₀ − %d = %d: the two "+
				"distances are equal", n, n/2-x, x)
		}
		for x := 2; 2*x <= n; x++ {
			if mirrored {
				f.trial().printed(e[x-1] < e[x-2], float64(n), "n = %d, x = %d", n, x)
			}
			f.trial().repaired(e[x-1] < e[x-2], "corrected form, n = %d, x = %d", n, x)
		}
	}
	return nil
}

// statementTwo leaves the corners out where inner.
func statementTwo(_ context.Context, f *Finding, inner bool) error {
	for n := 1; n <= longest; n++ {
		s, e := space(n, 1, 1), edges(n, 1, 1)
		for x := 0; x <= n; x++ {
			ls, _, _ := s.Local([]int64{int64(x), int64(n - x)})
			corner, want := x == 0 || x == n, 0.0
			switch {
			case x == 0:
				want = e[0]
			case x == n:
				want = e[n-1]
			case 2*x >= n:
				want = e[x]
			default:
				want = e[x-1]
			}
			if !corner || !inner {
				f.trial().printed(!corner && math.Abs(ls-want) < 1e-14, float64(n)-float64(x)/100, "n = %d, x = %d", n, x)
			}
			f.trial().repaired(math.Abs(ls-want) < 1e-14, "n = %d, x = %d: LS = %v", n, x, ls)
		}
	}
	return nil
}

// statementThree tests every x, from n = first on.
func statementThree(_ context.Context, f *Finding, first int) error {
	for n := 1; n <= longest; n++ {
		s := space(n, 1, 1)
		ls := make([]float64, n+1)
		for x := range ls {
			ls[x], _, _ = s.Local([]int64{int64(x), int64(n - x)})
		}
		for x := range ls {
			middle := n / 2
			if x == n/2 || x == (n+1)/2 {
				continue
			}
			strictly := ls[x] > ls[middle]*(1+1e-12)
			if n >= first {
				f.trial().printed(strictly, float64(n), "n = %d, x = %d: both are %.12f", n, x, ls[x])
			}
			if n >= 4 {
				f.trial().repaired(strictly, "n = %d, x = %d", n, x)
			} else {
				f.require(near(ls[x], ls[middle], 1e-14), "n = %d is constant", n)
			}
		}
	}
	return nil
}

// statementsOtherPriors takes n/2 for the middle of every prior; the true middle where centred.
func statementsOtherPriors(_ context.Context, f *Finding, centred bool) error {
	for _, p := range [][2]float64{{1, 1}, {7, 4}, {.3, 2}} {
		for n := 4; n <= longest; n++ {
			s := space(n, p[0], p[1])
			for k := 1; k < n; k++ {
				_, from, _ := s.Local([]int64{int64(k), int64(n - k)})
				up := from == 1 // the record leaves the second cell: the farther neighbour is k + 1
				a, b := float64(k), float64(n-k)
				if centred {
					a, b = a+p[0], b+p[1]
				}
				if a == b {
					continue
				}
				neighbour := "x − 1"
				if up {
					neighbour = "x + 1"
				}
				ok := up == (a > b)
				if p == [2]float64{1, 1} {
					f.trial().printed(ok, float64(n), "n = %d, x = %d: %s", n, k, neighbour)
				} else {
					f.trial().outside(ok, float64(n)+100*math.Abs(p[0]-7), "beta(%v,%v), n = %d: at x = %d the farther "+
						"neighbour is %s", p[0], p[1], n, k, neighbour)
				}
			}
		}
	}
	s, e := space(20, 7, 4), edges(20, 7, 4)
	least, at := math.Inf(1), []int64{}
	for k := int64(0); k <= 20; k++ {
		ls, _, _ := s.Local([]int64{k, 20 - k})
		switch {
		case ls < least*(1-1e-13):
			least, at = ls, []int64{k}
		case ls < least*(1+1e-13):
			at = append(at, k)
		}
	}
	f.require(len(at) == 2 && at[0] == 8 && at[1] == 9 && e[9] > e[8], "least at %v", at)
	f.number("H(9, 10), beta(7,4), n = 20", e[9], .1288356, 5e-8)
	f.number("H(9, 8)", e[8], .1285516, 5e-8)
	return nil
}

// noteFigure1 finds where the maximum over the neighbours is greatest; at the first candidate instead when elsewhere.
func noteFigure1(_ context.Context, f *Finding, elsewhere bool) error {
	for _, c := range []struct {
		n     int
		alpha []float64
	}{{20, []float64{1, 1}}, {20, []float64{7, 4}}, {30, []float64{.3, 2}}, {6, []float64{1, 1, 1}},
		{6, []float64{7, 4, 5}}} {
		s := space(c.n, c.alpha...)
		eachHistogram(s, func(x []int64) {
			height := func(r []int64) float64 {
				most := 0.0
				for i, j := range hellinger.Neighbours(append([]int64(nil), x...)) {
					y := append([]int64(nil), x...)
					y[i]--
					y[j]++
					most = math.Max(most, math.Abs(s.Distance(x, r)-s.Distance(y, r)))
				}
				return most
			}
			at := append([]int64(nil), x...)
			if elsewhere {
				at = make([]int64, len(x))
				at[0] = int64(c.n)
			}
			top := height(at)
			ls, _, _ := s.Local(x)
			f.require(elsewhere || math.Abs(top-ls) < 1e-13, "prior %v, x = %v: %v, LS = %v", c.alpha, x, top, ls)
			eachHistogram(s, func(r []int64) {
				f.trial().printed(height(r) <= top+1e-13, float64(c.n), "prior %v, x = %v: higher at r = %v", c.alpha,
					x, r)
			})
		})
	}
	return nil
}

func printedGlobal(_ context.Context, f *Finding, printed float64) error {
	f.number("edge(3, 7), the printed number", space(1, 7, 4, 5).Edge(3, 7), 0.239992747797, 5e-13)
	for _, n := range []int{1, 2, 7, 100, 120, 150} {
		s := space(n, 7, 4, 5)
		most := 0.0
		eachHistogram(s, func(x []int64) { v, _, _ := s.Local(x); most = math.Max(most, v); f.Cases++ })
		if n >= 100 {
			f.trial().printed(math.Abs(most-printed) < 5e-13, float64(n), "n = %d: %.14f", n, most)
		}
		f.trial().repaired(math.Abs(most-s.Edge(4, 5)) < 1e-14, "n = %d: max LS = %v", n, most)
	}
	f.number("edge(4, 5)", space(1, 7, 4, 5).Edge(4, 5), 0.23362948070888, 1e-14)
	return nil
}

// caption is what a caption claims, and the sizes at which it is executed.
type caption struct {
	Claimed float64
	Sizes   []int
}

// captionGlobal is the exact ε of the global mode with the printed sensitivity.
func captionGlobal(ctx context.Context, f *Finding, c caption) error {
	for _, n := range c.Sizes {
		s := space(n, 7, 4, 5)
		e, _ := exactPure(f, s, func([]int64) float64 { return .4 / .239992747797 })
		f.trial().bound(c.Claimed, e, float64(n), "n = %d: exact ε = %.4f", n, e)
		if n == 30 { // the enumeration of this file and that of package finite agree
			res, err := audit(ctx, f, s, func([]int64) float64 { return .4 / .239992747797 }, finite.Options{})
			if err != nil {
				return err
			}
			f.number("exact ε by package finite, n = 30", res.Epsilon, e, 1e-9)
		}
	}
	s := space(100, 7, 4, 5)
	most := 0.0
	_, x, y := s.Global()
	hx, zx := lawAt(s, x, .4/.239992747797)
	hy, zy := lawAt(s, y, .4/.239992747797)
	for r := range hx {
		most = math.Max(most, math.Abs(hy[r]-hx[r]+zy-zx))
	}
	f.trial().bound(c.Claimed, most, 100, "n = 100: %.4f at the extremal pair", most)
	f.number("ε at the extremal pair, n = 100", most, .3897, 5e-5)
	return nil
}

// printedBeta compares the printed β with the formula at n + extra.
func printedBeta(_ context.Context, f *Finding, extra float64) error {
	t := f.trial()
	for _, c := range []struct{ n, printed float64 }{{100, .0699407108115}, {120, .0677791100173}, {150, .0677791100173}} {
		if extra == 0 && c.n == 150 {
			continue
		}
		own := notesBeta(.8, .8, c.n+extra)
		t.printed(near(own, c.printed, 1e-11), c.n, "n = %v: with n + 1 = %v it is %.16f", c.n, c.n+extra, own)
	}
	t.repaired(near(notesBeta(.8, .8, 100), .0699407108115, 1e-11) &&
		near(notesBeta(.8, .8, 120), .0677791100173, 1e-11), "N = n = 100 and 120")
	f.number("β, N = 150", notesBeta(.8, .8, 150), 0.0653087964221843, 1e-15)
	return nil
}

// printedLocal looks for a table with both numbers, to half a unit of their last digit; with one of them when either.
func printedLocal(_ context.Context, f *Finding, either bool) error {
	for _, c := range []struct {
		n                 int
		beta, ls, s, a, w float64
	}{{100, .0699407108115, .08, .09, .005, .005}, {120, .0677791100173, .0945, .096, .00005, .0005},
		{150, .0677791100173, .0945, .096, .00005, .0005}} {
		sp := space(c.n, 7, 4, 5)
		found, tables := false, 0
		eachHistogram(sp, func(x []int64) {
			ls, _, _ := sp.Local(x)
			s := sp.Smooth(x, c.beta).Value
			one, other := math.Abs(ls-c.ls) <= c.a, math.Abs(s-c.s) <= c.w
			found = found || one && other || either && (one || other)
			tables++
			f.Cases++
		})
		f.trial().printed(found, math.Abs(float64(c.n)-120), "n = %d: none of the %d tables has both, DL(7,4,5)", c.n, tables)
	}
	return nil
}

// errors is the law of H under rate a at x: distances with probabilities.
func errorsAt(s *hellinger.Space, x []int64, a float64) (h, p []float64, err error) {
	n := hellingersample.Count(s.N(), s.Cells())
	h, p = make([]float64, n), make([]float64, n)
	if err := hellingersample.Exponents(s.Alpha(), x, 1, h); err != nil { // at rate 1 the exponent is H
		return nil, nil, err
	}
	z := 0.0
	for i, v := range h {
		p[i] = math.Exp(-a * v)
		z += p[i]
	}
	for i := range p {
		p[i] /= z
	}
	return h, p, nil
}

func meanError(f *Finding, s *hellinger.Space, x []int64, a float64) (float64, error) {
	h, p, err := errorsAt(s, x, a)
	sum := 0.0
	for i := range h {
		sum += h[i] * p[i]
	}
	f.Cases += int64(len(h))
	return sum, err
}

// ranking computes E[H] of the modes and of noise that keeps the total, γ = ε/2 per cell; of this with another ε where
// factor is not 1.
func ranking(_ context.Context, f *Finding, factor float64) error {
	for _, c := range []struct {
		alpha                  []float64
		x                      []int64
		eps                    float64
		global, local, keeping float64
	}{
		{[]float64{7, 4}, []int64{250, 250}, .5, .831823508320, .146198008525, .059736258644},
		{[]float64{7, 4, 5}, []int64{50, 50, 50}, .8, .921729227777, .588199078928, .146133662440},
	} {
		n := int64(0)
		for _, v := range c.x {
			n += v
		}
		s := space(int(n), c.alpha...)
		g, _, _ := s.Global()
		l, _, _ := s.Local(c.x)
		own, err := meanError(f, s, c.x, c.eps/2/g)
		if err != nil {
			return err
		}
		loc, err := meanError(f, s, c.x, c.eps/2/l)
		if err != nil {
			return err
		}
		keep := keepingNoise(f, s, c.x, factor*c.eps)
		name := fmt.Sprintf("prior %v, n = %d: E[H] of ", c.alpha, n)
		f.number(name+"the global mode", own, c.global, 1e-9)
		f.number(name+"the local mode", loc, c.local, 1e-9)
		f.number(name+"noise that keeps the total", keep, c.keeping, 2e-7)
		f.trial().printed(keep < own && keep < loc, float64(len(c.x)), "prior %v, n = %d, ε = %v, balanced: global %.3f, "+
			"local %.3f, geometric noise %.3f", c.alpha, n, c.eps, own, loc, keep)
	}
	return nil
}

// keepingNoise is E[H] under z with Σz = 0 and P(z) ∝ e^{−ε/2·‖z‖₁}; tables with a negative cell, of probability below
// 1e-7 here, are left out.
func keepingNoise(f *Finding, s *hellinger.Space, x []int64, eps float64) float64 {
	sum, z := 0.0, 0.0
	r := make([]int64, len(x))
	var fill func(i int, left int64, norm float64)
	reach := int64(40 / eps)
	fill = func(i int, left int64, norm float64) {
		if i == len(x)-1 {
			norm += math.Abs(float64(left))
			w := math.Exp(-eps / 2 * norm)
			z += w
			if r[i] = x[i] + left; r[i] >= 0 {
				for _, v := range r {
					if v < 0 {
						return
					}
				}
				sum += w * s.Distance(x, r)
			}
			f.Cases++
			return
		}
		for v := -reach; v <= reach; v++ {
			r[i] = x[i] + v
			fill(i+1, left-v, norm+math.Abs(float64(v)))
		}
	}
	fill(0, 0, 0)
	return sum / z
}
