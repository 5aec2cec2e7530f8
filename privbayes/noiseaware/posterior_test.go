package noiseaware

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
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

// Every marginal against the sum over all tables of n records, for every noise, with the probabilities of the samplers.
func TestCategoricalByEnumeration(t *testing.T) {
	for _, k := range kinds {
		for _, c := range []struct {
			n     int
			alpha []float64
			raw   []int64 // in records
		}{
			{7, []float64{1, 1}, []int64{9, -2}},
			{6, []float64{0.3, 2.5}, []int64{-4, 10}},
			{6, []float64{1, 1, 1}, []int64{3, 1, 2}},
			{5, []float64{0.4, 2, 7.5}, []int64{-3, 6, 2}},
			{4, []float64{0.5, 0.01, 1, 3}, []int64{30, -20, -9, 3}},
			{0, []float64{1, 2, 3}, []int64{4, -3, -1}},
		} {
			d := len(c.alpha)
			p := plan(t, k.mech, categorical(t, d, c.n, c.alpha...), k.target)
			lp := logProb(t, p)
			raw := append([]int64(nil), c.raw...)
			if k.name == "laplace" {
				for i := range raw {
					raw[i] = raw[i]*noise.LaplaceSteps + 12345
				}
			}
			if d == 2 && k.name != "laplace" && k.name != "k-norm" {
				raw = raw[:1]
			}
			want, sum := make([]betas, d), 0.0
			for _, a := range c.alpha {
				sum += a
			}
			for _, f := range tables(d, c.n) {
				l := logUrnOf(c.alpha, f)
				for i, y := range raw {
					l += lp(y, f[i]) - lp(y, 0)
				}
				for i := range want {
					want[i].add(math.Exp(l), c.alpha[i]+float64(f[i]), sum-c.alpha[i]+float64(c.n-f[i]))
				}
			}
			got := posteriorOf(t, raws(t, p, raw))
			if len(got.Parameters()) != d {
				t.Fatalf("%d parameters", len(got.Parameters()))
			}
			for i, q := range got.Parameters() {
				same(t, fmt.Sprintf("%s n=%d d=%d θ_%d", k.name, c.n, d, i), q.Law(), &want[i], 1e-12)
			}
		}
	}
}

// Naive Bayes against the sum over all class totals and all tables with these totals.
func TestNaiveBayesByEnumeration(t *testing.T) {
	const n, j = 4, 2
	features := []int{2, 3}
	for _, k := range kinds {
		p := plan(t, k.mech, bayes(t, n, j, features...), k.target)
		lp := logProb(t, p)
		raw := [][]int64{{3, -1, 2, 0}, {1, 1, 0, 4, -3, 1}}
		if k.name == "laplace" {
			for _, r := range raw {
				for i := range r {
					r[i] = r[i]*noise.LaplaceSteps - 777
				}
			}
		}
		got := posteriorOf(t, raws(t, p, raw...))
		want := make([]betas, len(got.Parameters()))
		for _, class := range tables(j, n) {
			// evidence of every row, and of every cell's count in it
			type row struct {
				evidence float64
				cell     [][]float64 // [cell][count]
			}
			rows := map[[2]int]row{}
			all := math.Exp(logUrnOf(constant(1, j), class))
			for ft, c := range features {
				for cl := range j {
					r := row{cell: make([][]float64, c)}
					for i := range r.cell {
						r.cell[i] = make([]float64, n+1)
					}
					for _, f := range tables(c, class[cl]) {
						l := logUrnOf(constant(1, c), f)
						for i := range c {
							y := raw[ft][cl*c+i]
							l += lp(y, f[i]) - lp(y, 0)
						}
						r.evidence += math.Exp(l)
						for i := range c {
							r.cell[i][f[i]] += math.Exp(l)
						}
					}
					all *= r.evidence
					rows[[2]int{ft, cl}] = r
				}
			}
			for cl := range j {
				want[cl].add(all, 1+float64(class[cl]), 1+float64(n-class[cl]))
			}
			at := j
			for ft, c := range features {
				for cl := range j {
					r := rows[[2]int{ft, cl}]
					for i := range c {
						for f := 0; f <= class[cl]; f++ {
							want[at].add(all*r.cell[i][f]/r.evidence, 1+float64(f), float64(c-1)+float64(class[cl]-f))
						}
						at++
					}
				}
			}
		}
		for i, q := range got.Parameters() {
			same(t, fmt.Sprintf("%s %s %s", k.name, q.Name, q.Label), q.Law(), &want[i], 1e-12)
		}
	}
}

// Under add-remove adjacency n is latent: against the sum over n and all tables, far enough out.
func TestPrivateNByEnumeration(t *testing.T) {
	for _, k := range kinds[:4] {
		if k.name == "clamped geometric" {
			continue // its noise reaches too far to enumerate
		}
		target := k.target
		target.Epsilon *= 4
		p := plan(t, k.mech, categorical(t, 3, 5, 0.5, 1, 2).WithoutN(), target.Under(dp.AddRemove))
		lp, alpha, raw := logProb(t, p), []float64{0.5, 1, 2}, []int64{4, -1, 2}
		unit := int64(1)
		if k.name == "laplace" {
			unit = noise.LaplaceSteps
		}
		for i := range raw {
			raw[i] *= unit
		}
		const most = 34
		want := make([]betas, 3)
		for n := 0; n <= most; n++ {
			for _, f := range tables(3, n) {
				l := logUrnOf(alpha, f)
				for i, y := range raw {
					l += lp(y, f[i]) - lp(y, 0)
				}
				for i := range want {
					want[i].add(math.Exp(l), alpha[i]+float64(f[i]), 3.5-alpha[i]+float64(n-f[i]))
				}
			}
		}
		for i, q := range posteriorOf(t, raws(t, p, raw)).Parameters() {
			same(t, fmt.Sprintf("%s θ_%d", k.name, i), q.Law(), &want[i], 1e-12)
		}
	}
}

// With two classes and two features, a private n of naive Bayes against the sum over everything.
func TestPrivateNaiveBayesClassByEnumeration(t *testing.T) {
	p := plan(t, counts.Geometric(), bayes(t, 3, 2, 2, 2).WithoutN(), dp.PureDP(8).Under(dp.AddRemove))
	lp := logProb(t, p)
	raw := [][]int64{{2, 0, 1, 1}, {1, 2, -1, 1}}
	evidence := func(k, j, n int) float64 {
		s := 0.0
		for _, f := range tables(2, n) {
			l := logUrnOf(constant(1, 2), f)
			for i := range 2 {
				l += lp(raw[k][2*j+i], f[i])
			}
			s += math.Exp(l)
		}
		return s
	}
	var want betas
	for n := range 20 {
		for _, c := range tables(2, n) {
			w := math.Exp(logUrnOf(constant(1, 2), c))
			for j := range 2 {
				for k := range 2 {
					w *= evidence(k, j, c[j])
				}
			}
			want.add(w, 1+float64(c[0]), 1+float64(c[1]))
		}
	}
	same(t, "class", posteriorOf(t, raws(t, p, raw...)).Parameters()[0].Law(), &want, 1e-12)
}

// bins is the shape of a CDF, or of its histogram, with d bins.
func bins(t testing.TB, cumulative bool, d, n int, alpha ...float64) *model.Shape {
	t.Helper()
	edges := make([]float64, d+1)
	for i := range edges {
		edges[i] = float64(10 * i)
	}
	m := model.Histogram("x")
	if cumulative {
		m = model.CDF("x")
	}
	s := &frame.Schema{Dataset: "simulated", Columns: []frame.Column{frame.Real("x", edges...)}}
	sh, err := model.NewShape(s, m.WithPrior(alpha...), n, true, "")
	must(t, err)
	return sh
}

// The share below every edge against the sum over all tables of n records, for every noise.
func TestCDFByEnumeration(t *testing.T) {
	for _, k := range kinds {
		for _, c := range []struct {
			n     int
			alpha []float64
			raw   []int64 // in records
		}{
			{7, []float64{1, 1}, []int64{9, -2}},
			{6, []float64{1, 1, 1}, []int64{3, 1, 2}},
			{4, []float64{0.5, 0.01, 1, 3}, []int64{30, -20, -9, 3}},
		} {
			d := len(c.alpha)
			p := plan(t, k.mech, bins(t, true, d, c.n, c.alpha...), k.target)
			lp := logProb(t, p)
			raw := append([]int64(nil), c.raw...)
			if k.name == "laplace" {
				for i := range raw {
					raw[i] = raw[i]*noise.LaplaceSteps + 12345
				}
			}
			if d == 2 && k.name != "laplace" && k.name != "k-norm" {
				raw = raw[:1]
			}
			want, all := make([]betas, d-1), 0.0
			for _, a := range c.alpha {
				all += a
			}
			for _, f := range tables(d, c.n) {
				l := logUrnOf(c.alpha, f)
				for i, y := range raw {
					l += lp(y, f[i]) - lp(y, 0)
				}
				a, below := 0.0, 0
				for i := range want {
					a, below = a+c.alpha[i], below+f[i]
					want[i].add(math.Exp(l), a+float64(below), all-a+float64(c.n-below))
				}
			}
			got := posteriorOf(t, raws(t, p, raw))
			if len(got.Parameters()) != d-1 {
				t.Fatalf("%d parameters", len(got.Parameters()))
			}
			for i, q := range got.Parameters() {
				same(t, fmt.Sprintf("%s n=%d d=%d below edge %d", k.name, c.n, d, i+1), q.Law(), &want[i], 1e-12)
			}
		}
	}
}

// Under a private n as well as a public one, means below an edge are the sums of the bins', the first share's law is
// that of the first bin, and predictions are those of the histogram.
func TestCDFBesideItsHistogram(t *testing.T) {
	for _, target := range []dp.Request{dp.PureDP(.5), dp.PureDP(.5).Under(dp.AddRemove)} {
		raw := []int64{12, 3, -2, 40, 8}
		of := func(cumulative bool) *Posterior {
			sh := bins(t, cumulative, 5, 60, 1)
			return posteriorOf(t, raws(t, plan(t, counts.Geometric(), sh, target), raw))
		}
		cdf, histogram := of(true), of(false)
		sum := 0.0
		for i, q := range cdf.Parameters() {
			sum += histogram.Parameters()[i].Law().Mean()
			if math.Abs(q.Law().Mean()-sum) > 1e-12 {
				t.Errorf("%v: below edge %d: %v, want %v", target, i+1, q.Law().Mean(), sum)
			}
		}
		a, b := cdf.Parameters()[0].Law(), histogram.Parameters()[0].Law()
		if math.Abs(a.Quantile(.9)-b.Quantile(.9)) > 1e-12 {
			t.Errorf("%v: %v, %v", target, a.Quantile(.9), b.Quantile(.9))
		}
		x, err := frame.FromColumns(cdf.shape.Schema(), map[string]any{"x": []float64{1, 2}})
		must(t, err)
		y, err := cdf.Predict(x)
		must(t, err)
		z, err := histogram.Predict(x)
		must(t, err)
		for j := range z[0] {
			if math.Abs(y[0][j]-z[0][j]) > 1e-12 {
				t.Errorf("%v: predictions %v, %v", target, y[0], z[0])
			}
		}
	}
}

// Intervals of 90 % below every edge cover shares that are drawn from the prior: within 6.2 standard errors, a false
// alarm below 1e-9. Naive intervals, and shares below the next edge, do not.
func TestCDFCovers(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of releases")
	}
	const runs, d, n, edge = 1000, 6, 300, 2
	p := plan(t, counts.Geometric(), bins(t, true, d, n, 1), dp.PureDP(.1))
	src := dp.Seeded(5)
	alpha, theta := []float64{1, 1, 1, 1, 1, 1}, make([]float64, d)
	z, ok := p.Noise()
	if !ok {
		t.Fatal("no noise")
	}
	rate := noise.FormOf(z).Rate
	aware, naive, next := 0, 0, 0
	for range runs {
		sample.LogDirichlet(src, alpha, theta)
		table := make([]int64, d)
		share, below := 0.0, make([]float64, d)
		for i, l := range theta {
			share += math.Exp(l)
			below[i] = share
		}
		for range n {
			u := sample.Float64(src)
			for i := range below {
				if u < below[i] || i == d-1 {
					table[i]++
					break
				}
			}
		}
		for i := range table {
			g := math.Floor(math.Log(1-sample.Float64(src)) / -rate)
			h := math.Floor(math.Log(1-sample.Float64(src)) / -rate)
			table[i] += int64(g - h) // two-sided geometric
		}
		q := posteriorOf(t, raws(t, p, table)).Parameters()[edge]
		inside := func(lo, hi, x float64) int {
			if lo <= x && x <= hi {
				return 1
			}
			return 0
		}
		lo, hi := q.Law().Quantile(.05), q.Law().Quantile(.95)
		aware += inside(lo, hi, below[edge])
		next += inside(lo, hi, below[edge+1])
		lo, hi = q.Naive.Quantile(.05), q.Naive.Quantile(.95)
		naive += inside(lo, hi, below[edge])
	}
	off := 6.2 * math.Sqrt(.9*.1/runs)
	if c := float64(aware) / runs; math.Abs(c-.9) > off {
		t.Errorf("coverage %v", c)
	}
	if c := float64(naive) / runs; c > .9-off {
		t.Errorf("naive intervals cover %v: the test finds nothing", c)
	}
	if c := float64(next) / runs; c > .9-off {
		t.Errorf("intervals of another edge cover %v", c)
	}
}
