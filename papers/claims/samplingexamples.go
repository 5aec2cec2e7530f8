package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/papers/families"
)

// corollary9 computes the event of Corollary 9 for a bit under Beta(α, α) and for random families. The greatest ratio
// of the two posteriors over the sets [b, 1] bounds that over all sets from below; the printed
// statement is turned by e^(100Lρ), which no such set exceeds.
func corollary9(t *trial, s scale) error {
	const l0 = .01 // Assumption 2 holds with L0 = 0 and the c of Lemma 21, so with every L0
	for alpha := 1; alpha <= 8; alpha++ {
		a := float64(alpha)
		c := math.Exp((1-2*a)*math.Ln2 - num.LogBeta(a, a))
		if !(c > 1) {
			continue
		}
		if alpha == 4 {
			t.f.number("c, α = 4", c, 1.09375, 1e-12)
			t.f.number("claimed at L = 1", -math.Expm1(-c*(1-l0)), .661, 5e-4)
		}
		for _, l := range []float64{1, 2, 5} {
			_, above := num.BetaTails(a, a, 1/(1+math.Exp(-l)), 1/(1+math.Exp(l)))
			t.f.require(2*above <= math.Exp(-c*(l-l0)), "Assumption 2 at α = %v, L = %v", a, l)
			most := 0.0
			for b := range 12 { // [b, 1] for bits 1 and 0
				x, y := num.Logistic(float64(b))
				_, p := num.BetaTails(a+1, a, x, y)
				_, q := num.BetaTails(a, a+1, x, y)
				most = math.Max(most, math.Log(p/q))
			}
			probability := 1.0
			if most > 2*s.Printed*l {
				probability = 0
			}
			claimed := -math.Expm1(-c * (l - l0))
			t.printed(probability >= claimed, a*10+l, "Beta(%d, %d), one bit, L0 = %v, c = %.3g, L = %v: probability "+
				"%v, claimed %.3f", alpha, alpha, l0, c, l, probability, claimed)
		}
	}
	assumptions(14, 6000, func(g family, l0, c, constant float64) {
		for _, l := range []float64{l0, l0 + (g.uniform()-l0)/2, g.uniform()} {
			delta := 0.0
			for x := range g.lik {
				out := 0.0
				for i, v := range g.posterior(x) {
					if g.ell(i) > l*(1+1e-13) {
						out += v
					}
				}
				delta = math.Max(delta, out)
			}
			if !math.IsInf(c, 1) {
				t.f.require(delta <= constant*math.Exp(-c*(l-l0))*(1+1e-12), "δ_L above C·e^{−c(L−L0)}")
			}
			if delta >= 1 {
				continue
			}
			g.pairs(func(x, y int) {
				eps := 2*l*g.rho(x, y) - math.Log1p(-delta)
				t.repaired(hockeyStick(g.posterior(x), g.posterior(y), eps) <= s.Repaired*delta*(1+1e-9)+1e-14,
					"δ above δ_L = %v", delta)
			})
		}
	})
	eachTheta(t.f)
	return nil
}

// eachTheta reads Corollary 9 with an event that does depend on θ, which is not printed: that the ratio of the two
// densities at θ is at most e^(2Lρ). It records the first case in which the probability is below the claimed one.
func eachTheta(f *Finding) {
	for _, rho := range []float64{1, 2, 5} {
		g := bernoulli([]float64{.5, .9}, []float64{1, 1})
		g.rho = apart(rho)
		const l0 = .001
		c := g.bestC(l0)
		for l := .005; l < g.uniform() && c > 1; l += .005 {
			mass := 0.0 // of the θ at which the ratio is bounded for both ordered pairs
			for i, w := range g.prior {
				ok := true
				g.pairs(func(x, y int) {
					ok = ok && math.Log(g.posterior(x)[i]/g.posterior(y)[i]) <= 2*l*rho
				})
				if ok {
					mass += w
				}
			}
			if claimed := -math.Expm1(-c * (l - l0)); mass < claimed {
				f.number("at each θ, Θ = {0.5, 0.9}, weights ½, L0 = 0.001: ρ", rho, 5, 0)
				f.number("L", l, .005, 1e-12)
				f.number("probability", mass, 0, 0)
				f.number("claimed", claimed, .0063, 1e-4)
				return
			}
		}
	}
	f.require(false, "read at each θ, Corollary 9 holds")
}

// grid is the family of Example 1: k·Δ, k = 1 … 1/Δ − 1, uniform or with weights e^{−ℓ}.
func grid(steps int, concentrated bool) family {
	var thetas, weights []float64
	for k := 1; k < steps; k++ {
		p := float64(k) / float64(steps)
		thetas, weights = append(thetas, p), append(weights, 1)
		if concentrated {
			weights[k-1] = math.Exp(-math.Abs(math.Log(p / (1 - p))))
		}
	}
	return bernoulli(thetas, weights)
}

// example1 takes the family as printed, all k ≤ 1/Δ, and then without θ = 1. The printed statement is turned by all k ≤
// 1/Δ − 1.
func example1(t *trial, s scale) error {
	for _, delta := range []float64{.5, .3, .25, .2, .15, .1, .05, .01} {
		var thetas, weights []float64
		for i := 1; float64(i) <= 1/delta-(1-s.Printed)+1e-9; i++ {
			thetas, weights = append(thetas, math.Min(1, delta*float64(i))), append(weights, 1)
		}
		l, last := bernoulli(thetas, weights).uniform(), thetas[len(thetas)-1]
		t.printed(l <= -math.Log(delta), -delta, "Δ = %v: θ = %v is in the family, ℓ = %.4g", delta, last, l)
		if last > 1-1e-9 {
			g := bernoulli(thetas[:len(thetas)-1], weights[1:])
			t.repaired(near(g.uniform(), s.Repaired*math.Log((1-delta)/delta), 1e-9) && g.uniform() <= -math.Log(delta),
				"Δ = %v: L = %v", delta, g.uniform())
		}
	}
	t.f.number("L, Δ = 0.2", grid(5, false).uniform(), 1.38629436111989, 1e-13)
	t.f.number("L, Δ = 0.05", grid(20, false).uniform(), 2.94443897916644, 1e-13)
	return nil
}

// leastEll is the least ℓ of a family, where its curve of Figure 1 begins.
func leastEll(g family) float64 {
	l := math.Inf(1)
	for i := range g.prior {
		l = math.Min(l, g.ell(i))
	}
	return l
}

// curve is the highest lower bound on ξ(Θ_L) that begins at the least ℓ.
func curve(g family, l float64) float64 {
	l0 := leastEll(g)
	return math.Max(0, -math.Expm1(-g.bestC(l0)*(l-l0)))
}

// figure1 compares the curves of the two families for each prior; k moves the points from where on they are ordered.
func figure1(t *trial, k float64) error {
	names := []string{"uniform prior", "prior e^(−ℓ)"}
	crossing := [2]float64{}
	for i, concentrated := range []bool{false, true} {
		coarse, fine := grid(5, concentrated), grid(20, concentrated)
		for j := 1; j <= 300; j++ {
			l := float64(j) / 100
			high, low := curve(coarse, l), curve(fine, l)
			size := l + 10*float64(i)
			const format = "%s, L = %v: %.3g for Δ = 0.2, %.3g for Δ = 0.05"
			if l > k*[]float64{.655, .845}[i] {
				t.printed(high >= low, size, format, names[i], l, high, low)
			} else if j%10 == 0 {
				t.outside(high >= low, size, format, names[i], l, high, low)
			}
			if high < low {
				crossing[i] = math.Max(crossing[i], l)
			}
			for _, g := range []family{coarse, fine} { // the curve is a lower bound of the mass
				t.f.require(curve(g, l) <= g.mass(l)+1e-12, "%s: curve above the mass at L = %v", names[i], l)
			}
		}
	}
	t.f.number("last L at which Δ = 0.05 is higher, uniform", crossing[0], .65, .001)
	t.f.number("last L at which Δ = 0.05 is higher, prior e^(−ℓ)", crossing[1], .84, .001)
	common := math.Log(1.5) // at one L0 for both
	t.f.number("c of Δ = 0.05 at L0 = ln 1.5, uniform", grid(20, false).bestC(common), .86724, 5e-6)
	return nil
}

// figure1Steps counts the levels of ℓ and compares the uniform constants: about means within 0.1.
func figure1Steps(t *trial, ratio float64) error {
	coarse, fine := grid(5, false), grid(20, false)
	levels := map[float64]bool{}
	for i := range coarse.prior {
		levels[math.Round(coarse.ell(i)*1e9)] = true
	}
	t.printed(len(levels) == 2, 1, "%d steps", len(levels))
	t.printed(math.Abs(coarse.uniform()/fine.uniform()-ratio) < .1, 2, "ratio %v", coarse.uniform()/fine.uniform())
	t.f.number("L ratio", fine.uniform()/coarse.uniform(), 2.124, 1e-3)
	return nil
}

// figure1Raised compares the two priors: the second concentrates, and k times the first c stays below the second.
func figure1Raised(t *trial, k float64) error {
	for _, steps := range []int{5, 20} {
		flat, raised := grid(steps, false), grid(steps, true)
		t.printed(raised.bestC(leastEll(raised)) > k*flat.bestC(leastEll(flat)), float64(steps), "Δ = 1/%d: c", steps)
		t.printed(near(raised.uniform(), flat.uniform(), 1e-12), float64(steps), "Δ = 1/%d: L", steps)
		for i := 1; i <= 300; i++ {
			l := float64(i) / 100
			t.printed(curve(raised, l) >= curve(flat, l)-1e-12, float64(steps), "Δ = 1/%d: not raised at L = %v", steps, l)
		}
	}
	for _, c := range []struct {
		steps        int
		concentrated bool
		c, mean      float64
	}{{5, false, .706695052611424, .895879734614028}, {5, true, 1.32467805190424, .672963995293181},
		{20, false, .2694325703, 1.203541}, {20, true, .6883614695, .657719}} {
		g, mean := grid(c.steps, c.concentrated), 0.0
		for i, w := range g.prior {
			mean += w * g.ell(i)
		}
		t.f.number("c at the least L0", g.bestC(leastEll(g)), c.c, 1e-9)
		t.f.number("E ℓ", mean, c.mean, 1e-6)
	}
	return nil
}

// incomplete is A(p) ÷ B(α, α) and p·A′(p)/A(p).
func incomplete(alpha, p float64) (share, slope float64) {
	share, _ = num.BetaTails(alpha, alpha, p/(1+p), 1/(1+p))
	slope = math.Exp(alpha*math.Log(p) - 2*alpha*math.Log1p(p) - num.LogBeta(alpha, alpha) - math.Log(share))
	return share, slope
}

// claimPoints visits α and p of Claims 2 to 4, and beyond the assumption α ≤ 1, where the same is true.
func claimPoints(visit func(alpha, p float64, inside bool)) {
	for _, alpha := range []float64{.3, 1, 1.01, 1.5, 2, 3.4, 8, 40} {
		for i := 1; i < 400; i++ {
			visit(alpha, float64(i)/400, alpha > 1)
		}
	}
}

func claim2(t *trial, k float64) error {
	claimPoints(func(alpha, p float64, inside bool) {
		_, slope := incomplete(alpha, p)
		// αA ≤ p^α/((1 − p)(1 + p)^(2α−1)), divided by A: α ≤ slope·(1 + p)/(1 − p)
		if ok := alpha <= k*slope*(1+p)/(1-p)*(1+1e-9); inside {
			t.printed(ok, alpha, "α = %v, p = %v", alpha, p)
		} else {
			t.f.require(ok, "α = %v, p = %v", alpha, p)
		}
	})
	return nil
}

func claim3(t *trial, shift float64) error {
	claimPoints(func(alpha, p float64, inside bool) {
		share, slope := incomplete(alpha, p)
		if ok := slope*math.Log(p)-math.Log(2*share)+shift < 0; inside {
			t.printed(ok, alpha, "α = %v, p = %v", alpha, p)
		} else {
			t.f.require(ok, "α = %v, p = %v", alpha, p)
		}
	})
	return nil
}

func claim4(t *trial, sign float64) error {
	last, of := math.Inf(1), 0.0
	claimPoints(func(alpha, p float64, inside bool) {
		if alpha != of {
			last, of = math.Inf(int(sign)), alpha
		}
		share, _ := incomplete(alpha, p)
		v := math.Log(2*share) / math.Log(p)
		c := math.Exp((1-2*alpha)*math.Ln2 - num.LogBeta(alpha, alpha))
		ok := sign*v < sign*last && v > c
		if last = v; inside {
			t.printed(ok, alpha, "α = %v, p = %v", alpha, p)
		} else {
			t.f.require(ok, "α = %v, p = %v", alpha, p)
		}
		t.f.require(p < .997 || near(v, c, .01), "α = %v: F = %v near p = 1, c = %v", alpha, v, c)
	})
	return nil
}

func lemma21Rate(t *trial, k float64) error {
	rate := func(a float64) float64 { return math.Exp((1-2*a)*math.Ln2 - num.LogBeta(a, a)) }
	for _, a := range []float64{.3, 1, 1.5, 2, 4, 8, 16} {
		for _, l := range []float64{1e-6, 1e-3, .1, .5, 1, 3, 8} {
			_, above := num.BetaTails(a, a, 1/(1+math.Exp(-l)), 1/(1+math.Exp(l)))
			greatest := -math.Log(2*above) / l // the c that L allows
			if a > 1 {
				t.bound(greatest, k*rate(a), a, "α = %v, L = %v", a, l)
			} else {
				t.f.require(rate(a) <= greatest*(1+1e-8), "α = %v, L = %v", a, l)
			}
		}
	}
	for n := 1; n <= 12; n++ { // equation 15: the chords of ln C(n, k) + k·ln θ/(1 − θ)
		for _, logit := range []float64{-2, -.3, 0, 1} {
			most := 0.0
			for a := range n + 1 {
				for b := range a {
					gap := lnFactorial(b) + lnFactorial(n-b) - lnFactorial(a) - lnFactorial(n-a)
					most = math.Max(most, math.Abs(gap/float64(a-b)+logit))
				}
			}
			t.printed(near(most, k*(math.Log(float64(n))+math.Abs(logit)), 1e-9) || most < 1e-12, float64(n),
				"n = %d, logit %v: slope %v", n, logit, most)
		}
	}
	lo, hi, err := num.RootBracket(func(a float64) float64 { return rate(a) - 1 }, 1, 10, 1e-12)
	t.f.number("c > 1 from α", (lo+hi)/2, 3.381750265, 1e-8)
	t.attained(1e-5)
	return err
}

func lemma21Constant(t *trial, k float64) error {
	for _, a := range []float64{1.5, 2, 4} {
		for _, n := range []float64{1, 2, 5, 10, 100} {
			paper := k * math.Exp(num.LogBeta(a, a)-num.LogBeta((n+2*a-1)/2, (n+2*a+1)/2))
			exact := 0.0
			for k := 0.0; k <= n; k++ {
				top := 0.0
				if k > 0 && k < n {
					top = k*math.Log(k/n) + (n-k)*math.Log((n-k)/n)
				}
				exact = math.Max(exact, math.Exp(top-num.LogBeta(a+k, a+n-k)+num.LogBeta(a, a)))
			}
			if n == 1 {
				t.f.require(near(paper, exact, 1e-9), "n = 1, α = %v: %v, not %v", a, paper, exact)
				continue
			}
			t.bound(paper, exact, n, "α = %v, n = %v", a, n)
			if a == 2 && n == 100 {
				t.f.number("α = 2, n = 100: exact C", exact, 1751, 1e-6)
				t.f.number("the paper's ÷ 1e30", paper/1e30, 6.82673248760451, 1e-9)
			}
		}
	}
	return nil
}

func lemma21Proof(t *trial, k float64) error {
	for n := 1; n <= 12; n++ {
		for _, a := range []float64{1.5, 2, 4} {
			bound := math.Exp(num.LogBeta((float64(n)+2*a-1)/2, (float64(n)+2*a+1)/2))
			least := math.Inf(1)
			for x := 0; x <= n; x++ {
				v := math.Exp(num.LogBeta(a+float64(x), a+float64(n-x)))
				least = math.Min(least, v)
				t.printed(v >= bound*(1-1e-12), float64(n)+a/100, "n = %d, α = %v, x = %d: %.4f < %.4f", n, a, x, v,
					bound)
			}
			if n%2 == 1 {
				t.repaired(least >= k*bound*(1-1e-12), "n = %d, α = %v", n, a)
			} else {
				middle := float64(n)/2 + a
				t.repaired(near(least, math.Exp(num.LogBeta(middle, middle)), 1e-12), "n = %d, α = %v: the least is "+
					"%v", n, a, least)
			}
		}
	}
	return nil
}

// neighbourTV is the total variation distance of Beta(a, b) and Beta(a+1, b−1): their densities cross once, at
// a/(a+b−1).
func neighbourTV(a, b float64) float64 {
	x, y := a/(a+b-1), (b-1)/(a+b-1)
	p, _ := num.BetaTails(a, b, x, y)
	q, _ := num.BetaTails(a+1, b-1, x, y)
	return p - q
}

// lemma21Unimprovable finds a set of the data that all say yes on which the posterior's ratio exceeds e^ε, on the part
// of [0, 1] that trim leaves. Beside it, the exact δ of (0, δ) falls with n.
func lemma21Unimprovable(t *trial, trim float64) error {
	for _, alpha := range []float64{1.5, 2, 4, 16} {
		for _, n := range []float64{1, 5, 50} {
			tail := func(ones, from float64) float64 { // of [1 − from, 1 − trim], up to the mass of [trim, 1 − trim]
				_, a := num.BetaTails(alpha+ones, alpha+n-ones, 1-from, from)
				_, b := num.BetaTails(alpha+ones, alpha+n-ones, 1-trim, trim)
				return a - b
			}
			for _, eps := range []float64{1, 6, 20} {
				exceeds := false
				for b := 1.0; b < 80 && !exceeds; b++ { // the sets [1 − e^(−b), 1 − trim]
					if from := math.Exp(-b); from > trim {
						p := tail(n, from) / tail(n, 1-trim)
						q := tail(n-1, from) / tail(n-1, 1-trim)
						exceeds = p > math.Exp(eps)*q && p > 0
					}
				}
				t.printed(exceeds, eps, "α = %v, n = %v: the log-ratio stays below %v", alpha, n, eps)
			}
		}
	}
	return fallingDelta(t.f)
}

// fallingDelta compares the exact total variation of the posteriors of neighbours with its closed forms.
func fallingDelta(f *Finding) error {
	worst := func(alpha float64, n int) float64 {
		most, at := 0.0, 0
		for k := range n {
			a, b := alpha+float64(k), alpha+float64(n-k)
			v := neighbourTV(a, b)
			if v > most*(1+1e-12) {
				most, at = v, k
			}
			f.require(near(v, families.BetaNeighbourTV(a, b), 1e-9), "closed form at (%v, %v): %v", a, b, v)
			f.require(v <= math.Sqrt(families.BetaNeighbourJeffreys(a, b))/2, "Jeffreys at (%v, %v)", a, b)
		}
		f.require(at == 0 || at == n-1, "worst k = %d of %d", at, n)
		return most
	}
	for _, alpha := range []float64{2, 4, 16} {
		last := worst(alpha, 1)
		lg := func(x float64) float64 { return num.LogGamma(x) }
		first := math.Exp(lg(2*alpha+1) - 2*lg(alpha+1) - 2*alpha*math.Ln2)
		limit := math.Exp(alpha*math.Log(alpha) - alpha - lg(alpha+1))
		f.require(near(last, first, 1e-10), "n = 1, α = %v: %v, not %v", alpha, last, first)
		for n := 2; n <= 60; n++ {
			v := worst(alpha, n)
			f.require(v < last && v > limit, "α = %v, n = %d: %v", alpha, n, v)
			last = v
		}
		f.require(near(worst(alpha, 4000), limit, 2e-3), "limit at α = %v", alpha)
		untrimmed, err := families.NewUntrimmedBeta(10, alpha, alpha)
		if err != nil {
			return err
		}
		f.require(math.IsInf(untrimmed.Epsilon(), 1), "pure ε of the untrimmed posterior: %v", untrimmed.Epsilon())
	}
	return nil
}
