package regression

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// factorSchema has a response, a number and two factors.
func factorSchema() *frame.Schema {
	return &frame.Schema{Dataset: "factors", Columns: []frame.Column{frame.Real("y", -10, 0, 10),
		frame.Real("a", 0, 5, 10),
		frame.Categorical("f", "low", "middle", "high"), frame.Categorical("g", "no", "yes")}}
}

var withFactors = model.LinearRegression("y", "f", "a", "g")

// factorRows has y = 1 + .3(a−5) + {0, 2, −1}[f] + 1.5 g + noise.
func factorRows(t testing.TB, n int, seed uint64) *frame.Frame {
	t.Helper()
	src := dp.Seeded(seed)
	var y, a []float64
	var f, g []string
	for range n {
		x, i, j := 10*sample.Float64(src), int(sample.Uniform(src, 3)), int(sample.Uniform(src, 2))
		a, f, g = append(a, x), append(f, []string{"low", "middle", "high"}[i]), append(g, []string{"no", "yes"}[j])
		v := 1 + .3*(x-5) + []float64{0, 2, -1}[i] + 1.5*float64(j) + sample.Normal(src)
		y = append(y, min(max(v, -10), 10))
	}
	return must.Get(frame.FromColumns(factorSchema(), map[string]any{"y": y, "a": a, "f": f, "g": g}))(t)
}

// The noise on every released moment has the variance that the sensitivity is measured by, and no bias; with half the
// variance it has not. The numbers in a file are whole.
func TestIntegerNoiseFollowsItsLaw(t *testing.T) {
	const draws = 1500
	for _, target := range []dp.Request{dp.ApproxDP(1, 1e-6), dp.ZCDP(200), dp.ApproxDP(.5, 1e-6).Under(dp.AddRemove)} {
		st := counted(t, withFactors, factorRows(t, 100, 3))
		if target.Adjacency == dp.AddRemove {
			st = must.Get(model.FromSums(st.Shape().WithoutN(), 100, st.OpenSums(key)))(t)
		}
		p := plan(t, SufficientStatistics(), st.Shape(), target)
		d := *samplerOf(p)
		exact := st.OpenMoments(key)
		worst := func(d *statisticsSampler) (mean, square float64) {
			src, sum, sq := dp.Seeded(9), make([]float64, len(d.whole)), 0.0
			for range draws {
				for k, v := range must.Get(d.Draw(t.Context(), mechanism.Open(key, st), src))(t).Real[0] {
					m := d.whole[k]
					if v != math.Trunc(v) {
						t.Fatalf("%g is no integer", v)
					}
					truth := exact[packed(m.i, m.j, d.dim+1)].Float(-2 * leastsquares.LatticeBits)
					z := (math.Ldexp(v,
						stepOf(m.deviation(d.sigma(d.shipped)))) - truth) / (d.sigma(d.shipped) * math.Sqrt(float64(m.halves)/2))
					sum[k] += z
					sq += z * z
				}
			}
			for _, s := range sum {
				mean = math.Max(mean, math.Abs(s)/math.Sqrt(draws))
			}
			n := float64(draws * len(d.whole))
			return mean, math.Abs(sq/n-1) * math.Sqrt(n/2)
		}
		if mean, square := worst(&d); mean > 6.5 || square > 6.5 {
			t.Errorf("%s: %.1f and %.1f standard errors off", target.Parameters, mean, square)
		}
		half := *d.Whole
		half.Den *= 2
		d.laws = must.Get(noisesOf(d.whole, half))(t)
		if _, square := worst(&d); square < 6.5 {
			t.Errorf("%s: half the noise passes", target.Parameters)
		}
	}
}

// A plan for integer moments spends its budget, needs no n, and less noise than one with levels for columns; with less
// σ², or for other columns than its own, it is refused.
func TestPlansOfIntegerMoments(t *testing.T) {
	sh := counted(t, withFactors, factorRows(t, 100, 3)).Shape()
	for _, target := range []dp.Request{dp.ApproxDP(1, 1e-6), dp.ApproxDP(3, 1e-9).Under(dp.AddRemove), dp.ZCDP(.3),
		dp.RenyiDP(8, .5), dp.ApproxDP(.01, 1e-6)} {
		p := plan(t, SufficientStatistics(), sh, target)
		continuous := plan(t, SufficientStatistics().Continuous(), sh, target)
		z, q := samplerOf(p).shipped, samplerOf(continuous).shipped
		if p.Certified().Arithmetic != dp.Exact || z.Whole == nil {
			t.Fatalf("%s: %s", target.Parameters, p.Certified())
		}
		if ratio := math.Sqrt(z.Whole.Float()) / q.Sigma; ratio > 1+1e-9 || ratio < .93 {
			t.Errorf("%s: %v of the noise in floating point", target.Parameters, ratio)
		}
		if want := target.Parameters; want.Notion == dp.Approximate {
			if spent := loss.EpsilonFor(p.Pair(), want.Delta) / float64(want.Epsilon); spent < 1-1e-5 || spent > 1 {
				t.Errorf("%s: spends %v", want, spent)
			}
		}
		less := *z.Whole
		less.Num -= less.Num / 50
		prob := must.Get(SufficientStatistics().prepare(t.Context(), sh, target))(t)
		if _, err := prob.m.mathematics().Rebuild(t.Context(), sh, target, statisticsParams{shipped{Whole: &less},
			false}); err == nil {
			t.Errorf("%s: 2 %% less variance is certified", target.Parameters)
		}
	}
	for _, params := range []string{
		`{"dim":2,"rows":1,"replaced":true,"noise":{"sigma2_moments":{"num":9,"den":1}},"want":{"notion":"zcdp","rho":1}}`,
		`{"dim":2,"rows":1,"replaced":true,"of":{"numbers":1,"levels":[1],"intercept":true},"noise":{"sigma2_moments":{"num":9,"den":1}}}`,
		`{"dim":2,"rows":1,"of":{"numbers":1},"noise":{"sigma":1}}`,
	} {
		var q noiseParams
		if err := json.Unmarshal([]byte(params), &q); err == nil {
			if _, err = q.problem(); err == nil {
				t.Errorf("%s is a problem", params)
			}
		}
	}
	for _, q := range []proposition{{Numbers: 3, Intercept: true}, {Levels: []int{4}, Intercept: true}, {Levels: []int{1}},
		{Levels: []int{2, 2, 2}}, {}} {
		raw := must.Get(json.Marshal(recordsParams{Of: q}))(t)
		if _, err := cert.Run(t.Context(), recordsChecker.Kind(), raw); err == nil {
			t.Errorf("all pairs of records of %+v", q)
		}
	}
}

// 95 % intervals cover the truth at sizes and budgets where the noise drowns the moments: without repair of XᵀX there
// is no bias, and what is not known shows in the width. 100 releases, 4 coefficients: below 330 of 400 with probability
// under 1e-9, were they at 95 % (they are at .97 to .99); the plain posterior is far below. So does that of the residual
// standard deviation, which is 1: fewer than 76 of 100 have probability below 1e-9. That the noise drowns directions is
// said where it does, by a function of the released numbers.
func TestIntegerMomentsCover(t *testing.T) {
	want := []float64{2, -1, .3, 1.5}
	for _, c := range []struct {
		n       int
		epsilon float64
		drowned bool
	}{{300, .3, true}, {3000, 1, false}} {
		covered, residual, warned := map[bool]int{}, 0, 0
		for _, plain := range []bool{false, true} {
			m := SufficientStatistics()
			if plain {
				m = m.Plain()
			}
			var p *mechanism.Plan
			for seed := range uint64(100) {
				st := counted(t, withFactors, factorRows(t, c.n, 1000+seed))
				if p == nil {
					p = plan(t, m, st.Shape(), dp.ApproxDP(c.epsilon, 1e-6))
				}
				d := samplerOf(p)
				drawn := must.Get(d.Draw(t.Context(), mechanism.Open(key, st), dp.Seeded(seed)))(t)
				e := must.Get(d.Estimate(quick(t), drawn))(t)
				fit := must.Get(model.Fit(st.Shape(), e))(t)
				table := must.Get(fit.CoefficientDraws())(t)
				for i, v := range want {
					if v >= table.Quantile(i+1, .025) && v <= table.Quantile(i+1, .975) {
						covered[plain]++
					}
				}
				if plain {
					continue
				}
				draws := drawsOf(t, e)
				if lo, hi := 10*draws.Quantile(d.dim, .025), 10*draws.Quantile(d.dim, .975); lo <= 1 && 1 <= hi {
					residual++
				}
				for _, w := range d.Warned(drawn) {
					if w.Kind != warning.KindNoiseDrowns || w.Value < 1 || w.Value > float64(d.dim) {
						t.Fatalf("%+v", w)
					}
					warned++
				}
			}
		}
		if residual < 76 || (warned > 80) != c.drowned || (warned == 0) == c.drowned {
			t.Errorf("n = %d, ε = %g: %d of 100 residual deviations, %d warn", c.n, c.epsilon, residual, warned)
		}
		t.Logf("n = %d, ε = %g: %d of 400, plain %d", c.n, c.epsilon, covered[false], covered[true])
		if covered[false] < 330 || covered[true] >= 330 {
			t.Errorf("n = %d, ε = %g: %d of 400, plain %d", c.n, c.epsilon, covered[false], covered[true])
		}
	}
}

// BenchmarkSensitivity is the search over how two records agree, at the most factors that it is made for.
func BenchmarkSensitivity(b *testing.B) {
	q := proposition{Numbers: 30, Intercept: true, Replaced: true}
	for range manyFactors {
		q.Levels = append(q.Levels, 5)
	}
	for b.Loop() {
		q.sensitivity()
	}
}

// BenchmarkDrawMoments is one release of the moments of six coordinates.
func BenchmarkDrawMoments(b *testing.B) {
	st := counted(b, withFactors, factorRows(b, 1000, 3))
	d := samplerOf(plan(b, SufficientStatistics(), st.Shape(), dp.ApproxDP(1, 1e-6)))
	src := dp.Seeded(1)
	for b.Loop() {
		if _, err := d.Draw(b.Context(), mechanism.Open(key, st), src); err != nil {
			b.Fatal(err)
		}
	}
}

// In a list that is fixed beforehand the noise on moments composes as a Gaussian does; by its own profile, which a
// distance is added to, it would not.
func TestMomentsInLists(t *testing.T) {
	whole := []moment{{halves: 2, over: 1, bits: 4}, {halves: 2, over: 3, bits: 1}, {halves: 8, over: 1, bits: 1}}
	own := math.Ldexp(9, 4) / 3
	p := latticePair{loss.GaussianPair{Mu: .2}, latticeDistance(whole, 9)}.Lattice()
	if p.Least > own || p.Least < own/2 {
		t.Errorf("the least variance is %v, stated %v", own, p.Least)
	}
	moments := latticePair{loss.GaussianPair{Mu: .2}, 1e-10}
	list, err := loss.Declare(loss.Repeat{Pair: moments, Times: 2},
		loss.Repeat{Pair: loss.DiscreteGaussianPair{Sigma2: 720, Cells: 2, Shift: 1}, Times: 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, epsilon := range []float64{.5, 1, 2} {
		want := loss.GaussianPair{Mu: math.Sqrt(2*.04 + 10./720)}.Delta(epsilon)
		if got := list.Delta(epsilon); got < want*(1-1e-3) || got > want*1.005 {
			t.Errorf("ε = %v: δ = %v, of Gaussians %v", epsilon, got, want)
		}
	}
}
