package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/papers/families"
)

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
