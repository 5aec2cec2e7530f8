package linear

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/regression"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// propositions are columns of many kinds, with an intercept and one replaced record.
var propositions = []proposition{
	{Numbers: 1}, {Numbers: 2}, {Numbers: 3}, {Levels: []int{2}}, {Levels: []int{3}}, {Levels: []int{3, 2}},
	{Levels: []int{3, 3}}, {Numbers: 1, Levels: []int{2}}, {Numbers: 1, Levels: []int{3}},
	{Numbers: 1, Levels: []int{3, 2}}, {Numbers: 2, Levels: []int{3}}, {Numbers: 2, Levels: []int{2, 3}},
}

// The sensitivity is the supremum over pairs of records: enumeration over all records of a coarse lattice does not pass it
// and, where the responses that it has contain the worst one, attains it; so does climbing from random records, and the
// sensitivity never passes that of all rows of the unit ball.
func TestSensitivityOfIntegerMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for _, q := range propositions {
		for _, replaced := range []bool{true, false} {
			q.Intercept, q.Replaced = true, replaced
			d := must[*regression.Design](t)(q.design())
			list := moments(d, true, replaced)
			out, err := largestChange(t.Context(), d, list, q)
			if err != nil {
				t.Fatal(err)
			}
			claim := q.sensitivity()
			if out.Value > claim || out.Value < .985*claim {
				t.Errorf("%+v: %v by enumeration, claimed %v", q, out.Value, claim)
			}
			if claim > momentsSensitivity(1, replaced)*(1+1e-11) {
				t.Errorf("%+v: %v is above the general bound", q, claim)
			}
			if !replaced {
				continue
			}
			best := 0.0
			for range 4 {
				record := func(v []float64) []float64 { // numbers and response free, levels by rounding
					row := make([]float64, d.Dim())
					for j := range q.Numbers {
						row[1+j] = math.Max(-1, math.Min(1, v[j]))
					}
					row[0] = 1
					at := 1 + q.Numbers
					for k, l := range q.Levels {
						if level := int(math.Abs(4*v[q.Numbers+k])) % l; level > 0 {
							row[at+level-1] = 1
						}
						at += l - 1
					}
					row = append(row, math.Max(-1, math.Min(1, v[q.Numbers+len(q.Levels)])))
					var out []float64
					for _, m := range list {
						out = append(out, row[m.i]*row[m.j]/math.Sqrt(float64(m.halves)/2))
					}
					return out
				}
				width := q.Numbers + len(q.Levels) + 1
				best = math.Max(best, climb(r, 2*width, 600, func(v []float64) float64 {
					a, b := record(v[:width]), record(v[width:])
					for i := range a {
						a[i] -= b[i]
					}
					return norm(a)
				}))
			}
			if best > claim {
				t.Errorf("%+v: %v by climbing, claimed %v", q, best, claim)
			}
		}
	}
}

// What a plan with too little noise would rest on is exceeded by records: a factor that is not counted in D, a record
// that comes or goes for one that is replaced, and a lattice with an odd number of steps, centred at a point of it, on
// which values reach beyond 1. Levels counted as if they were columns are safe, and cost four times the noise: no plan
// has them.
func TestMutantsOfTheSensitivity(t *testing.T) {
	q := proposition{Numbers: 2, Levels: []int{3, 2}, Intercept: true, Replaced: true}
	d := must[*regression.Design](t)(q.design())
	worst := func(list []moment) float64 {
		out, err := largestChange(t.Context(), d, list, q)
		if err != nil {
			t.Fatal(err)
		}
		return out.Value
	}
	reweighed := func(square int64) (list []moment) {
		for _, m := range moments(d, true, true) {
			switch {
			case m.j < d.Dim() && m.i == m.j:
				m.halves = 2 * square * square
			case m.j < d.Dim():
				m.halves = square * square
			case m.i < d.Dim():
				m.halves = 2 * square
			}
			list = append(list, m)
		}
		return list
	}
	claim := q.sensitivity()
	if v := worst(reweighed(5)); v > claim || v < .98*claim {
		t.Errorf("as shipped: %v of %v", v, claim)
	}
	if v := worst(reweighed(3)); v < 1.4*claim {
		t.Errorf("factors that do not count in D: %v of %v", v, claim)
	}
	removed := q
	if removed.Replaced = false; worst(reweighed(5)) < 1.1*removed.sensitivity() {
		t.Error("the sensitivity of a record that comes or goes covers one that is replaced")
	}
	odd := 0.0 // places {0, …, 3} centred at 1, in half-ranges of 1: u and y in {−1, 0, 1, 2}
	one := must[*regression.Design](t)(proposition{Numbers: 1, Intercept: true}.design())
	for _, u := range []float64{-1, 0, 1, 2} {
		for _, v := range []float64{-1, 0, 1, 2} {
			for _, y := range []float64{-1, 2} {
				for _, z := range []float64{-1, 2} {
					a, b, sum := []float64{1, u, y}, []float64{1, v, z}, 0.0
					for _, m := range moments(one, true, true) {
						change := a[m.i]*a[m.j] - b[m.i]*b[m.j]
						sum += change * change / (float64(m.halves) / 2)
					}
					odd = math.Max(odd, math.Sqrt(sum))
				}
			}
		}
	}
	if odd < 1.3*(proposition{Numbers: 1, Intercept: true, Replaced: true}).sensitivity() {
		t.Errorf("an odd lattice: %v", odd)
	}
	// census columns: 4 numbers, 3 factors with 30 indicators
	census := proposition{Numbers: 4, Levels: []int{16, 14, 3}, Intercept: true, Replaced: true}
	asColumns := proposition{Numbers: 34, Intercept: true, Replaced: true}
	if s, n := census.square(), asColumns.square(); s != 8 || n != 35 {
		t.Fatal(s, n)
	}
	if ratio := asColumns.sensitivity() * 35 / (census.sensitivity() * 8); ratio < 4 || ratio > 4.7 {
		t.Errorf("levels as columns cost %v times the noise", ratio)
	}
}

// factorSchema has a response, a number and two factors.
func factorSchema() *frame.Schema {
	return &frame.Schema{Dataset: "factors", Columns: []frame.Column{frame.Real("y", -10, 0, 10), frame.Real("a", 0, 5, 10),
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
	return must[*frame.Frame](t)(frame.FromColumns(factorSchema(), map[string]any{"y": y, "a": a, "f": f, "g": g}))
}

// The noise on every released moment has the variance that the sensitivity is measured by, and no bias; with half the
// variance it has not. The numbers in a file are whole.
func TestIntegerNoiseFollowsItsLaw(t *testing.T) {
	const draws = 1500
	for _, target := range []dp.Target{dp.ApproxDP(1, 1e-6), dp.ZCDP(200), dp.ApproxDP(.5, 1e-6).Under(dp.AddRemove)} {
		st := counted(t, withFactors, factorRows(t, 100, 3))
		if target.Adjacency == dp.AddRemove {
			st = must[*model.Statistics](t)(model.FromSums(st.Shape().WithoutN(), 100, st.OpenSums(key)))
		}
		p := plan(t, SufficientStatistics().OnLattice(), st.Shape(), target)
		d := *drawerOf(p)
		exact := st.OpenMoments(key)
		worst := func(d *statisticsDrawer) (mean, square float64) {
			src, sum, sq := dp.Seeded(9), make([]float64, len(d.whole)), 0.0
			for range draws {
				for k, v := range must[mechanism.Numbers](t)(d.Draw(t.Context(), mechanism.Open(key, st), src)).Real[0] {
					m := d.whole[k]
					if v != math.Trunc(v) {
						t.Fatalf("%g is no integer", v)
					}
					truth := exact[packed(m.i, m.j, d.dim+1)].Float(-2 * regression.LatticeBits)
					z := (math.Ldexp(v, stepOf(m, d.sigma(d.noise))) - truth) / (d.sigma(d.noise) * math.Sqrt(float64(m.halves)/2))
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
			t.Errorf("%s: %.1f and %.1f standard errors off", target.Level, mean, square)
		}
		half := *d.Whole
		half.Den *= 2
		d.laws = must[[]sample.WideGaussian](t)(noisesOf(d.whole, half))
		if _, square := worst(&d); square < 6.5 {
			t.Errorf("%s: half the noise passes", target.Level)
		}
	}
}

// A plan for integer moments spends its budget, needs no n, and less noise than one with levels for columns; with less σ²,
// or for other columns than its own, it is refused.
func TestPlansOfIntegerMoments(t *testing.T) {
	sh := counted(t, withFactors, factorRows(t, 100, 3)).Shape()
	for _, target := range []dp.Target{dp.ApproxDP(1, 1e-6), dp.ApproxDP(3, 1e-9).Under(dp.AddRemove), dp.ZCDP(.3),
		dp.RenyiDP(8, .5), dp.ApproxDP(.01, 1e-6)} {
		p := plan(t, SufficientStatistics().OnLattice(), sh, target)
		continuous := plan(t, SufficientStatistics(), sh, target)
		z, q := drawerOf(p).noise, drawerOf(continuous).noise
		if p.Certified().Arithmetic != dp.Exact || z.Whole == nil {
			t.Fatalf("%s: %s", target.Level, p.Certified())
		}
		if ratio := math.Sqrt(z.Whole.Float()) / q.Sigma; ratio > 1+1e-9 || ratio < .93 {
			t.Errorf("%s: %v of the noise in floating point", target.Level, ratio)
		}
		if want := target.Level; want.Notion == dp.Approximate {
			if spent := loss.EpsilonFor(p.Pair(), want.Delta) / float64(want.Epsilon); spent < 1-1e-5 || spent > 1 {
				t.Errorf("%s: spends %v", want, spent)
			}
		}
		less := *z.Whole
		less.Num -= less.Num / 50
		prob := must[*perturbing](t)(SufficientStatistics().OnLattice().prepare(t.Context(), sh, target))
		if _, err := prob.m.mathematics().Rebuild(t.Context(), sh, target, statisticsParams{noise{Whole: &less}, false}); err == nil {
			t.Errorf("%s: 2 %% less variance is certified", target.Level)
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
		raw := must[[]byte](t)(json.Marshal(recordsParams{q}))
		if _, err := cert.Run(t.Context(), recordsChecker.Kind(), raw); err == nil {
			t.Errorf("all pairs of records of %+v", q)
		}
	}
}

// 95 % intervals cover the truth at sizes and budgets where the noise drowns the moments: without repair of XᵀX there is
// no bias, and what is not known shows in the width. 100 releases, 4 coefficients: below 330 of 400 with probability under
// 1e-9, were they at 95 % (they are at .97 to .99); the plain posterior is far below.
func TestIntegerMomentsCover(t *testing.T) {
	want := []float64{2, -1, .3, 1.5}
	for _, c := range []struct {
		n       int
		epsilon float64
	}{{300, .3}, {3000, 1}} {
		covered := map[bool]int{}
		for _, plain := range []bool{false, true} {
			m := SufficientStatistics().OnLattice()
			m.plain = plain
			var p *mechanism.Plan
			for seed := range uint64(100) {
				st := counted(t, withFactors, factorRows(t, c.n, 1000+seed))
				if p == nil {
					p = plan(t, m, st.Shape(), dp.ApproxDP(c.epsilon, 1e-6))
				}
				d := drawerOf(p)
				e := must[model.Estimate](t)(d.Estimate(t.Context(),
					must[mechanism.Numbers](t)(d.Draw(t.Context(), mechanism.Open(key, st), dp.Seeded(seed)))))
				fit := must[*model.Fitted](t)(model.Fit(st.Shape(), e))
				table := must[*model.Draws](t)(fit.CoefficientDraws())
				for i, v := range want {
					if v >= table.Quantile(i+1, .025) && v <= table.Quantile(i+1, .975) {
						covered[plain]++
					}
				}
			}
		}
		t.Logf("n = %d, ε = %g: %d of 400, plain %d", c.n, c.epsilon, covered[false], covered[true])
		if covered[false] < 330 || covered[true] >= 330 {
			t.Errorf("n = %d, ε = %g: %d of 400, plain %d", c.n, c.epsilon, covered[false], covered[true])
		}
	}
}
