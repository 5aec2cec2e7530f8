package noiseaware

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

func agrees(t testing.TB, what string, m *Mixture, b posterior.Beta, tol float64) {
	t.Helper()
	near(t, what+" mean", m.Mean(), b.Mean(), tol)
	near(t, what+" sd", m.SD(), b.SD(), tol)
	for _, x := range []float64{0.05, 0.3, 0.5, 0.8} {
		near(t, what+" cdf", m.CDF(x), b.CDF(x), tol)
	}
	for _, p := range []float64{0.025, 0.5, 0.975} {
		near(t, what+" quantile", m.Quantile(p), b.Quantile(p), 10*tol)
	}
}

// With hardly any noise it is the usual posterior; with hardly any signal, the prior.
func TestLimits(t *testing.T) {
	alpha := []float64{0.5, 2, 3}
	for _, mech := range []mechanism.Mechanism{counts.Geometric(), counts.KNorm()} {
		exact := posteriorOf(t, raws(t, plan(t, mech, categorical(t, 3, 50, alpha...), dp.PureDP(400)),
			[]int64{20, 0, 30}))
		vague := posteriorOf(t, raws(t, plan(t, mech, categorical(t, 3, 50, alpha...), dp.PureDP(1e-7)),
			[]int64{1_000_000, -999_950 - 1, 1}))
		for i, f := range []float64{20, 0, 30} {
			agrees(t, mech.Title()+", no noise", exact.params[i].Law(),
				posterior.Beta{A: alpha[i] + f, B: 55.5 - alpha[i] - f}, 1e-12)
			// likelihood ratios of tables of 50 records are within e^{±2γ·50}
			agrees(t, mech.Title()+", no signal", vague.params[i].Law(),
				posterior.Beta{A: alpha[i], B: 5.5 - alpha[i]}, 2e-5)
		}
	}
	bayesian := posteriorOf(t, raws(t, plan(t, counts.Geometric(), bayes(t, 40, 2, 2, 3), dp.PureDP(400)),
		[]int64{10, 5, 20, 5}, []int64{3, 4, 8, 20, 0, 5}))
	for i, ab := range [][2]float64{{16, 26}, {26, 16}, {11, 6}, {6, 11}, {21, 6}, {6, 21}, {4, 14}, {5, 13}, {9, 9},
		{21, 7}, {1, 27}, {6, 22}} {
		agrees(t, fmt.Sprintf("naive Bayes %d", i), bayesian.params[i].Law(), posterior.Beta{A: ab[0], B: ab[1]}, 1e-12)
	}
	private := posteriorOf(t, raws(t, plan(t, counts.Geometric(), categorical(t, 3, 50).WithoutN(),
		dp.PureDP(60).Under(dp.AddRemove)), []int64{20, 0, 30}))
	agrees(t, "private n", private.params[0].Law(), posterior.Beta{A: 21, B: 32}, 1e-12)
}

// One noisy count far outside [0, n] says no more about the coin than the end itself: the likelihood is ∝ e^{γf} either
// way.
func TestClampedEvidence(t *testing.T) {
	p := plan(t, counts.Geometric(), categorical(t, 2, 30, 0.7, 1.9), dp.PureDP(0.3))
	for _, c := range [][2]int64{{30, 31}, {30, 5_000_000_000}, {0, -1}, {0, -77_777_777_777}} {
		a := posteriorOf(t, raws(t, p, []int64{c[0]})).params[0].Law()
		b := posteriorOf(t, raws(t, p, []int64{c[1]})).params[0].Law()
		near(t, "mean", b.Mean(), a.Mean(), 1e-13)
		near(t, "quantile", b.Quantile(0.975), a.Quantile(0.975), 1e-12)
	}
}

// Extremes: no NaN, moments in range, quantiles in order, at priors near 0, huge priors, many cells and noise far from
// the total.
func TestExtremes(t *testing.T) {
	for _, c := range []struct {
		d, n   int
		alpha  float64
		target dp.Request
		raw    int64
	}{
		{2, 1, 1e-6, dp.PureDP(1), 1}, {2, 1000, 1e-6, dp.PureDP(0.01), 500}, {2, 1000, 1e6, dp.PureDP(0.01), -500},
		{2, 200_000, 0.5, dp.PureDP(0.5), 3},
		{3, 1000, 1e-6, dp.PureDP(0.01), 333}, {3, 300, 1e-3, dp.PureDP(1), 1_000_000},
		{4, 500, 1e5, dp.PureDP(2), -9999},
		{40, 200, 0.1, dp.PureDP(0.5), 5}, {5, 20_000, 1, dp.PureDP(1), 4000}, {3, 100, 2, dp.PureDP(1e-6), 1 << 40},
	} {
		raw := make([]int64, c.d)
		for i := range raw {
			raw[i] = c.raw
		}
		if c.d == 2 {
			raw = raw[:1]
		}
		post := posteriorOf(t, raws(t, plan(t, counts.Geometric(), categorical(t, c.d, c.n, c.alpha), c.target), raw))
		sum := 0.0
		for _, q := range post.Parameters() {
			m := q.Law()
			sum += m.Mean()
			l, u := m.CredibleInterval(0.95)
			if !(m.Mean() > 0 && m.Mean() < 1 && m.SD() >= 0 && l >= 0 && l <= u && u <= 1) {
				t.Errorf("%+v: mean %g, sd %g, interval %g … %g", c, m.Mean(), m.SD(), l, u)
			}
			if l > 1e-200 {
				near(t, fmt.Sprintf("%+v: level", c), m.CDF(u)-m.CDF(l), 0.95, 1e-9)
			}
		}
		near(t, fmt.Sprintf("%+v: Σ mean", c), sum, 1, 1e-10)
	}
}

// Means add up to 1, laws are distributions whatever was drawn, quantiles invert them, and cells may be renamed.
func TestProperties(t *testing.T) {
	plans := map[string]*mechanism.Plan{}
	rapid.Check(t, func(rt *rapid.T) {
		k := kinds[rapid.IntRange(0, len(kinds)-1).Draw(rt, "kind")]
		d, n := rapid.IntRange(3, 5).Draw(rt, "d"), rapid.SampledFrom([]int{1, 7, 40}).Draw(rt, "n")
		alpha := rapid.SampledFrom([]float64{0.1, 1, 3.5}).Draw(rt, "alpha")
		key := fmt.Sprint(k.name, d, n, alpha)
		p := plans[key]
		if p == nil {
			p = plan(t, k.mech, categorical(t, d, n, alpha), k.target)
			plans[key] = p
		}
		unit := 1
		if k.name == "laplace" {
			unit = noise.LaplaceSteps
		}
		raw, left := make([]int64, d), int64(n)
		for i := range raw {
			raw[i] = int64(rapid.IntRange(-60*unit, 90*unit).Draw(rt, "y"))
			if k.name == "k-norm" && i == d-1 {
				raw[i] = left
			}
			left -= raw[i]
		}
		laws := posteriorOf(t, raws(t, p, raw)).Parameters()
		sum := 0.0
		for _, q := range laws {
			m := q.Law()
			sum += m.Mean()
			last := 0.0
			for x := 0.0; x <= 1; x += 0.125 {
				if c := m.CDF(x); c < last-1e-13 || c > 1 {
					rt.Fatalf("cdf(%g) = %g after %g", x, c, last)
				} else {
					last = c
				}
			}
			for _, pr := range []float64{0.025, 0.5, 0.99} {
				if x := m.Quantile(pr); x > 1e-200 && x < 1-1e-4 && math.Abs(m.CDF(x)-pr) > 1e-11 {
					rt.Fatalf("cdf(quantile(%g)) = %g", pr, m.CDF(x))
				}
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			rt.Fatalf("means add up to %.17g", sum)
		}
		turned := append(append([]int64{}, raw[1:]...), raw[0])
		for i, q := range posteriorOf(t, raws(t, p, turned)).Parameters() {
			if a, b := q.Law().Mean(), laws[(i+1)%d].Law().Mean(); math.Abs(a-b) > 1e-12 {
				rt.Fatalf("renamed cell: mean %.17g, %.17g", a, b)
			}
		}
	})
}

func TestErrors(t *testing.T) {
	sh := categorical(t, 2, 20)
	h := draw(t, plan(t, hellinger.New(), sh, dp.PureDP(1)), dp.Seeded(1), []int64{12, 8})
	var u *UnsupportedError
	if _, err := Of(h); !errors.As(err, &u) || !strings.Contains(u.Want, "Geometric()") {
		t.Errorf("Hellinger: %v", err)
	}
	var w *WorkError
	big := raws(t, plan(t, counts.Geometric(), categorical(t, 2, 1_000_000_000), dp.PureDP(1)), []int64{5})
	wide := raws(t, plan(t, counts.Geometric(), categorical(t, 8, 200_000), dp.PureDP(1e-4)), []int64{25_000, 25_000,
		25_000, 25_000, 25_000, 25_000, 25_000, 25_000})
	for name, r := range map[string]*release.Release{"n = 1e9": big, "wide noise": wide} {
		z, _ := oneLaw(r.Plan())
		if _, err := of(background, r, z); !errors.As(err, &w) || w.Work <= w.Limit {
			t.Errorf("%s: %v", name, err)
		}
		p, err := Of(r) // drawn instead
		must(t, err)
		if m := p.params[0].Law(); p.joint == nil || !(m.Mean() > 0 && m.Mean() < 1) || !strings.Contains(p.String(), "Markov chains") {
			t.Errorf("%s: %v", name, p)
		}
	}
	steps := raws(t, plan(t, counts.Geometric(), bins(t, true, 4, 40_000_000, 1), dp.PureDP(1)), make([]int64, 4))
	if _, err := Of(steps); !errors.As(err, &w) {
		t.Errorf("a CDF of 4e7 records: %v", err)
	}
	m := posteriorOf(t, raws(t, plan(t, counts.Geometric(), sh, dp.PureDP(1)), []int64{5})).params[0].Law()
	for _, x := range []float64{m.CDF(math.NaN()), m.PDF(math.NaN()), m.Quantile(-1), m.Quantile(math.NaN())} {
		if !math.IsNaN(x) {
			t.Errorf("%g outside the domain", x)
		}
	}
	if l, u := m.CredibleInterval(1); !math.IsNaN(l) || !math.IsNaN(u) {
		t.Error("level 1 has an interval")
	}
	near(t, "cdf(-1)", m.CDF(-1), 0, 0)
	near(t, "cdf(2)", m.CDF(2), 1, 0)
	near(t, "pdf(2)", m.PDF(2), 0, 0)
	near(t, "quantile(0)", m.Quantile(0), 0, 0)
	near(t, "quantile(1)", m.Quantile(1), 1, 0)
	near(t, "pdf(0), continuous", m.PDF(0), m.PDF(1e-12), 1e-8)
	near(t, "pdf(1), continuous", m.PDF(1), m.PDF(1-1e-12), 1e-8)
}
