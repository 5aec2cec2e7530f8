package divergence

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/num"
)

func TestTailsGolden(t *testing.T) {
	for _, c := range load(t).Tails {
		p, d := shares(c.P), len(c.P)
		at := fmt.Sprintf("p = %v, β = %v, α = %v, η = %v: ", c.P, c.Beta, c.Alpha, c.Eta)
		bound, err := Theorem2(d, c.Beta, c.Alpha, c.Eta)
		var condition *ConditionError
		switch {
		case c.Theorem2 >= 0:
			near(t, at+"Theorem 2", must[float64](t)(bound, err), c.Theorem2, 1e-12)
		case !errors.As(err, &condition) || condition.Quantity != "beta" || !(condition.Least > c.Beta):
			t.Errorf("%serror %v, want a *ConditionError about beta", at, err)
		}
		near(t, at+"Theorem 2, exact W", must[float64](t)(Theorem2W(d, c.Beta, c.Alpha, c.Eta)), c.Theorem2W, 1e-11)
		near(t, at+"Theorem 2*", must[float64](t)(TheoremStar(d, c.Beta, c.Alpha, c.Eta)), c.Star, 1e-11)
		near(t, at+"Theorem 2*, simple", must[float64](t)(TheoremStarSimple(d, c.Beta, c.Alpha, c.Eta)), c.Simple,
			1e-11)
		near(t, at+"Chernoff", must[ChernoffBound](t)(Chernoff(p, c.Beta, c.Alpha, c.Eta)).Bound, c.Chernoff, 1e-9)
		tail := must[Tail](t)(ExactTail(p, c.Beta, c.Alpha, c.Eta))
		if c.Exact > 0 {
			near(t, at+"exact", tail.Probability, c.Exact, 1e-9)
		}
		if tail.RelativeError > 1e-8 {
			t.Errorf("%sstated error %g", at, tail.RelativeError)
		}
	}
}

// For two cells KL(p‖q) is a function of q₁ that falls up to q₁ = p₁ and rises from there: the tail is two beta
// probabilities.
func TestExactTailOfTwoCellsIsTheBetaLaw(t *testing.T) {
	for _, p := range []float64{0.22, 0.5, 0.9, 0.001} {
		for _, c := range []struct{ beta, alpha float64 }{{200, 1}, {2000, 40}, {10, .05}, {1, .5}, {1e5, 3}} {
			for _, eta := range []float64{1e-4, 1e-3, .01, .1, 1} {
				kl := func(q float64) float64 { return p*math.Log(p/q) + (1-p)*math.Log((1-p)/(1-q)) - eta }
				side := func(at func(float64) float64) float64 { // bisection in the logit of q
					lo, hi := 0.0, 740.0
					for range 200 {
						if mid := (lo + hi) / 2; kl(at(mid)) > 0 {
							hi = mid
						} else {
							lo = mid
						}
					}
					return at(hi)
				}
				logit := math.Log(p / (1 - p))
				below := side(func(x float64) float64 { q, _ := num.Logistic(logit - x); return q })
				above := 1 - side(func(x float64) float64 { q, _ := num.Logistic(logit + x); return q })
				a, b := c.beta*p+c.alpha, c.beta*(1-p)+c.alpha
				low, _ := num.BetaTails(a, b, below, 1-below)
				high, _ := num.BetaTails(b, a, above, 1-above)
				want := low + high
				if want < 1e-250 {
					continue
				}
				got := must[Tail](t)(ExactTail([]float64{p, 1 - p}, c.beta, c.alpha, eta))
				// the ends, being found in float64, know the tail to about 1e-15 of its logarithm's slope
				near(t, fmt.Sprintf("p = %v, %+v, η = %v", p, c, eta), got.Probability, want, 1e-9)
			}
		}
	}
}

func TestExactTailAtACornerIsOneHot(t *testing.T) {
	for _, d := range []int{2, 3, 10, 100} {
		for _, c := range []struct{ beta, alpha, eta float64 }{{500, 2, .05}, {5, .01, .2}, {50, 3, 2}, {1, 1, .5},
			{1e4, 20, .1}} {
			p := make([]float64, d)
			p[d-1] = 1
			want := must[float64](t)(OneHotTail(d, c.beta, c.alpha, c.eta))
			got := must[Tail](t)(ExactTail(p, c.beta, c.alpha, c.eta))
			if want > 1e-290 {
				near(t, fmt.Sprintf("d = %d, %+v", d, c), got.Probability, want, 1e-9)
			}
		}
	}
}

func TestRecordsGolden(t *testing.T) {
	rows := load(t).Records
	var cases []Case
	for _, c := range rows {
		cases = append(cases, Case{5, c.Epsilon, Goal{c.Cells, c.Eta, .05}, Calibration{"Algorithm 1", c.R, c.Alpha},
			Calibration{"best r", c.BestR, c.BestAlpha}})
	}
	got := must[*Comparison](t)(RecordsNeeded(cases))
	for i, c := range rows {
		n := got.Needs[i]
		for _, v := range []struct{ got, want, unit float64 }{ // the last digit given
			{n.Theorem2, c.Theorem2, 3e-5 * c.Theorem2}, {n.Star, c.Star, .1}, {n.OneHot, c.OneHot, .1},
			{n.BetterStar, c.Best, .1},
		} {
			near(t, fmt.Sprintf("d = %d, ε = %g, η = %g", c.Cells, c.Epsilon, c.Eta), v.got, v.want, v.unit/v.want)
		}
		if !(n.OneHot <= n.Star && n.Star <= n.Simple && n.Star <= n.Theorem2 && n.BetterStar <= n.Star) {
			t.Errorf("out of order: %+v", n)
		}
		// The goal is just met at the number of records, and just missed below it.
		for _, side := range []float64{-1e-6, 1e-6} {
			bound := must[float64](t)(TheoremStar(c.Cells, c.R*n.Star*(1+side), c.Alpha, c.Eta))
			if (bound <= .05) != (side > 0) {
				t.Errorf("Theorem 2* at %g of the records: %g", 1+side, bound)
			}
		}
	}
	if err := got.Figure.Validate(); err != nil {
		t.Error(err)
	}
	if twin := got.Figure.Table(); len(twin.Rows) != 4*len(rows) || len(got.Table.Rows) != len(rows) {
		t.Errorf("table of %d rows, twin of %d", len(got.Table.Rows), len(twin.Rows))
	}
}

func TestGainsGolden(t *testing.T) {
	for _, c := range load(t).Gains {
		g := must[*HistogramGains](t)(Gains("a histogram", c.Hist,
			[]Calibration{{"Algorithm 1", c.R, c.Alpha}, {"best", c.BestR, c.BestAlpha}}))
		near(t, "Algorithm 1", g.Gains[0].KL, c.EKL, 1e-11)
		near(t, "best", g.Gains[1].KL, c.BestEKL, 1e-7) // its parameters are given to eight digits
		near(t, "gain", g.Gains[1].Factor, c.EKL/c.BestEKL, 1e-7)
		records, entropy := 0.0, 0.0
		for i, p := range shares(c.Hist) {
			records += c.Hist[i]
			if p > 0 {
				entropy -= p * math.Log(p)
			}
		}
		near(t, "records", g.Records, records, 1e-15)
		near(t, "cross-entropy", g.Gains[0].LogLoss, g.Gains[0].KL+entropy, 1e-12)
		if !(g.Gains[0].Spread > 0 && g.Gains[0].Spread < 3*g.Gains[0].KL) {
			t.Errorf("spread %v of mean %v", g.Gains[0].Spread, g.Gains[0].KL)
		}
		if g.Gains[0].Factor != 1 || len(g.Table().Rows) != 2 {
			t.Errorf("%+v", g)
		}
	}
}
