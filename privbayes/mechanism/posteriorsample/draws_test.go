package posteriorsample

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/truncated"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// standardErrors is the bound on |z| of the statistical tests: false-alarm rate below 1e-10 each.
const standardErrors = 6.5

// share is the fraction of draws for which an event holds, in standard errors from its probability.
func share(real [][]float64, p float64, event func(v []float64) bool) float64 {
	count := 0.0
	for _, v := range real {
		if event(v) {
			count++
		}
	}
	n := float64(len(real))
	return (count/n - p) / math.Sqrt(math.Max(p*(1-p), 1/n)/n)
}

// draw draws through a plan.
func draw(t testing.TB, p *mechanism.Plan, st *model.Statistics, seed uint64) [][]float64 {
	t.Helper()
	d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(seed)))(t)
	return d.Real
}

// Draws through the plan follow the trimmed and tempered law, at five quantiles of an independent form of it, and the
// same test rejects the law without the trim and without the power.
func TestBinaryDrawsFollowTheLaw(t *testing.T) {
	const n, ones, w, eta = 60, 52, .2, .4
	sh := shape(t, model.Binary("c0").WithPrior(2, 3), n, 2)
	st := must.Get(model.FromCounts(sh, [][]int64{{n - ones, ones}}))(t)
	// P(θ ≤ x) by the midpoint rule on the density of the definition
	cdf := func(x float64) float64 {
		const cells = 200_000
		part, whole := 0.0, 0.0
		for i := range cells {
			v := w + (1-2*w)*(float64(i)+.5)/cells
			d := math.Exp((2+eta*ones)*math.Log(v) + (1+eta*(n-ones))*math.Log1p(-v))
			whole += d
			if v <= x {
				part += d
			}
		}
		return part / whole
	}
	of := func(s setting) float64 {
		p := must.Get(New(1).prepare(sh, dp.PureDP(1)))(t)
		p.m = New(s.draws).WithBounds(s.floors[0]).WithPower(s.power)
		plan := must.Get(p.certifyAs(t, s))(t)
		real := draw(t, plan, st, 7)
		z := 0.0
		for _, x := range []float64{.65, .7, .74, .77, .79} {
			z = math.Max(z, math.Abs(share(real, cdf(x),
				func(v []float64) bool { return v[1] <= x && math.Abs(v[0]+v[1]-1) < 1e-12 })))
		}
		return z
	}
	if z := of(setting{40_000, eta, []float64{w}}); z > standardErrors {
		t.Errorf("%.1f standard errors off the law", z)
	}
	for name, s := range map[string]setting{"trim ignored": {40_000, eta, []float64{1e-6}},
		"power ignored": {40_000, 1, []float64{w}}, "power 10 % off": {40_000, .9 * eta, []float64{w}}} {
		if z := of(s); z <= standardErrors {
			t.Errorf("%s passes: %.1f standard errors", name, z)
		}
	}
}

// certifyAs certifies a setting for a target that it meets.
func (p *problem) certifyAs(t *testing.T, s setting) (*mechanism.Plan, error) {
	pair, err := p.law.pair(s, nil)
	if err != nil {
		return nil, err
	}
	p.target = dp.PureDP(pair.PureEpsilon())
	p.last = nil
	f := p.m.mathematics()
	f.Prepare = func(context.Context, *model.Shape, dp.Request) (*problem, error) { return p, nil }
	m := p.m
	q := params{m.rule, m.draws, m.trimmed, m.powered, m.anyN, s.draws, s.power, s.floors, m.trim}
	return f.Rebuild(t.Context(), p.shape, p.target, q)
}

// Three levels and more, in naive Bayes and a network: every distribution of the draws against the marginal law of its
// cells.
func TestConditionalDrawsFollowTheLaw(t *testing.T) {
	const eta, w, draws = .5, .1, 20_000
	sh := shape(t, chain, 30, 2, 3, 2)
	// (c0, c1) and (c1, c2)
	st := must.Get(model.FromCounts(sh, [][]int64{{5, 3, 9, 1, 12, 0}, {2, 4, 10, 5, 1, 8}}))(t)
	p := planOf(t, New(draws).WithBounds(w).WithPower(eta), sh, dp.PureDP(1e6))
	test := func(real [][]float64, power, floor float64) float64 {
		worst := 0.0
		// c1 given c0 = v1: counts 1, 12, 0 at columns 2+3 …
		inside := func(a, b float64) bool { return a >= floor && b >= floor && 1-a-b >= floor }
		for _, x := range []float64{.15, .25, .4} {
			part, whole := 0.0, 0.0
			const cells = 500
			for i := range cells {
				for j := range cells {
					a, b := (float64(i)+.5)/cells, (float64(j)+.5)/cells
					if !inside(a, b) {
						continue
					}
					d := math.Exp(power * (1*math.Log(a) + 12*math.Log(b)))
					whole += d
					if a <= x {
						part += d
					}
				}
			}
			worst = math.Max(worst, math.Abs(share(real, part/whole, func(v []float64) bool { return v[5] <= x })))
		}
		// c2 given c1 = v1: counts 10, 5
		law := must.Get(truncated.NewBeta(1+power*5, 1+power*10, floor, 1-floor))(t)
		for _, x := range []float64{.2, .35, .5} {
			worst = math.Max(worst, math.Abs(share(real, law.Sampler().CDF(x),
				func(v []float64) bool { return v[8+3] <= x })))
		}
		return worst
	}
	real := draw(t, p, st, 3)
	if z := test(real, eta, w); z > standardErrors {
		t.Errorf("%.1f standard errors off the law", z)
	}
	for name, c := range map[string][2]float64{"power ignored": {1, w}, "trim ignored": {eta, 1e-9}} {
		if z := test(real, c[0], c[1]); z <= standardErrors {
			t.Errorf("%s passes: %.1f standard errors", name, z)
		}
	}
	e := must.Get(p.Sampler(key).Estimate(t.Context(), mechanism.Output{Real: real}))(t)
	if names := fmt.Sprint(e.Draws.Names); names != "[c0 = v0 c0 = v1 c1 = v0 | c0 = v0 c1 = v1 | c0 = v0 c1 = v2 | "+
		"c0 = v0 c1 = v0 | c0 = v1 c1 = v1 | c0 = v1 "+
		"c1 = v2 | c0 = v1 c2 = v0 | c1 = v0 c2 = v1 | c1 = v0 c2 = v0 | c1 = v1 c2 = v1 | c1 = v1 c2 = v0 | c1 = v2 "+
		"c2 = v1 | c1 = v2]" {
		t.Error(names)
	}
	// naive Bayes, class given in rows: the mean of many draws without a price is the posterior mean
	nb := shape(t, model.NaiveBayes("c0", "c1"), 1000, 2, 3)
	counts := [][]int64{{300, 200, 100, 50, 150, 200}}
	st = must.Get(model.FromCounts(nb, counts))(t)
	p = planOf(t, New(4000).WithBounds(1e-6).WithPower(1), nb, dp.PureDP(1e7))
	real = draw(t, p, st, 5)
	e = must.Get(p.Sampler(key).Estimate(t.Context(), mechanism.Output{Real: real}))(t)
	for i, want := range []float64{601. / 1002, 401. / 1002, 301. / 603, 201. / 603, 101. / 603, 51. / 403, 151. / 403,
		201. / 403} {
		if got := e.Draws.Mean()[i]; math.Abs(got-want) > standardErrors*.5/math.Sqrt(400*4000) {
			t.Errorf("%s: mean %.5f, want %.5f", e.Draws.Names[i], got, want)
		}
	}
	if total := e.Conditionals[1][0] + e.Conditionals[1][1] +
		e.Conditionals[1][2]; math.Abs(total-e.Conditionals[0][0]) > 1e-9 {
		t.Errorf("records of the first class: %v and %v", total, e.Conditionals[0][0])
	}
}

// Rates follow the tempered truncated Gamma law of the definition.
func TestRateDrawsFollowTheLaw(t *testing.T) {
	const n, sum, c1, c2 = 40, 31., .4, 2.
	for _, m := range []model.RateModel{model.Exponential("x"), model.LaplaceScale("x", 1),
		model.NormalPrecision("x", 1)} {
		sh := shape(t, m.WithRange(c1, c2).WithPrior(1.5), n, 2)
		st := must.Get(model.FromSums(sh, n, []float64{sum}))(t)
		p := planOf(t, New(30_000), sh, dp.PureDP(3000))
		d := p.Sampler(key).(*sampler)
		kappa := sh.Rate().Power
		if d.s.power == 1 || d.s.power < 1e-3 {
			t.Fatal("no interesting power", d.s.power)
		}
		real := draw(t, p, st, 11)
		worst := func(power float64) float64 {
			z := 0.0
			for _, x := range []float64{.6, .9, 1.3} {
				const cells = 50_000
				part, whole := 0.0, 0.0
				for i := range cells {
					v := c1 + (c2-c1)*(float64(i)+.5)/cells
					f := math.Exp(power*(n*kappa*math.Log(v)-v*sum) - 1.5*v)
					whole += f
					if v <= x {
						part += f
					}
				}
				z = math.Max(z, math.Abs(share(real, part/whole, func(v []float64) bool { return v[0] <= x })))
			}
			return z
		}
		if z := worst(d.s.power); z > standardErrors {
			t.Errorf("%s: %.1f standard errors off the law", m, z)
		}
		if z := worst(1); z <= standardErrors {
			t.Errorf("%s: the law without the power passes: %.1f", m, z)
		}
	}
}

func TestEstimateRefusesForeignDraws(t *testing.T) {
	sh := shape(t, model.Binary("c0"), 10, 2)
	p := planOf(t, New(2), sh, dp.PureDP(1))
	d := p.Sampler(key)
	for _, real := range [][][]float64{nil, {{.5, .5}}, {{.5, .5}, {.5}}, {{.5, .5}, {.01, .99}}, {{.5, .5}, {.5, .6}},
		{{.5, .5}, {math.NaN(), .5}}} {
		if _, err := d.Estimate(t.Context(), mechanism.Output{Real: real}); err == nil {
			t.Errorf("%v passes", real)
		}
	}
	if _, err := d.Estimate(t.Context(), mechanism.Output{Real: [][]float64{{.5, .5}, {.4, .6}}}); err != nil {
		t.Error(err)
	}
}
