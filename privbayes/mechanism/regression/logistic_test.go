package regression

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// classSchema has a class, two numbers and two factors.
func classSchema() *frame.Schema {
	return &frame.Schema{Dataset: "classes", Columns: []frame.Column{frame.Categorical("c", "no", "yes"),
		frame.Real("a", 0, 10), frame.Real("b", -1, 1), frame.Categorical("f", "low", "middle", "high"),
		frame.Categorical("g", "no", "yes")}}
}

// classRows have log-odds −.5 + .4(a−5) − b + {0, 1, −1}[f].
func classRows(t testing.TB, n int, seed uint64) *frame.Frame {
	t.Helper()
	src := dp.Seeded(seed)
	var a, b []float64
	var c, f, g []string
	for range n {
		x, z, i, j := 10*sample.Float64(src), 2*sample.Float64(src)-1, int(sample.Uniform(src, 3)), int(sample.Uniform(src,
			2))
		odds := -.5 + .4*(x-5) - z + []float64{0, 1, -1}[i]
		a, b, f, g = append(a, x), append(b, z), append(f, []string{"low", "middle", "high"}[i]), append(g,
			[]string{"no", "yes"}[j])
		y := "no"
		if sample.Float64(src) < 1/(1+math.Exp(-odds)) {
			y = "yes"
		}
		c = append(c, y)
	}
	return must.Get(frame.FromColumns(classSchema(), map[string]any{"c": c, "a": a, "b": b, "f": f, "g": g}))(t)
}

var numbersOnly, withLevels = model.LogisticRegression("c", "a", "b"), model.LogisticRegression("c", "f", "a", "g", "b")

var logisticTargets = []dp.Request{dp.PureDP(1), dp.PureDP(.05), dp.PureDP(1).Under(dp.AddRemove), dp.ApproxDP(1, 1e-6),
	dp.ZCDP(.3), dp.ApproxDP(1, 1e-6).Under(dp.AddRemove), dp.RenyiDP(8, .5).Under(dp.ReplaceValue)}

// What a law says of the noise is what is drawn: no bias, and the stated standard deviation of every moment; with half
// the noise it is not.
func TestNoiseOnClassesFollowsItsLaw(t *testing.T) {
	const draws = 1500
	for _, m := range []model.Model{numbersOnly, withLevels} {
		for _, target := range logisticTargets[:4] {
			f := classRows(t, 100, 3)
			st := counted(t, m, f)
			if target.Adjacency == dp.AddRemove {
				sh := st.Shape().WithoutN()
				st = must.Get(model.FromSums(sh, 100, st.OpenSums(key)))(t)
			}
			p := plan(t, SufficientStatistics(), st.Shape(), target)
			d := *samplerOf(p)
			exact := st.OpenMoments(key)
			worst := func(d *statisticsSampler) (mean, square float64) {
				src, sum, sq := dp.Seeded(9), make([]float64, len(d.whole)), 0.0
				for range draws {
					for k, v := range must.Get(d.Draw(t.Context(), mechanism.Open(key, st), src))(t).Real[0] {
						m := d.whole[k]
						truth := exact[packed(m.i, m.j, d.dim+1)].Float(-2 * leastsquares.LatticeBits)
						z := (math.Ldexp(v, stepOf(d.spread[k])) - truth) / d.spread[k]
						sum[k] += z
						sq += z * z / float64(draws*len(d.whole))
					}
				}
				for _, s := range sum {
					mean = math.Max(mean, math.Abs(s)/math.Sqrt(draws))
				}
				// kurtosis 6 of Laplace noise, and one radius for all of the cube: at most 8 a draw
				return mean, math.Abs(sq-1) * math.Sqrt(draws/8.)
			}
			if mean, square := worst(&d); mean > 8 || square > 6.5 {
				t.Errorf("%s, %s: %.1f and %.1f standard errors off", m, target.Parameters, mean, square)
			}
			if law, rate := d.shipped.pure(); law != "" {
				d.pure = must.Get(newPureNoise(law, len(d.whole), noise.Rational{Num: 2 * rate.Num, Den: rate.Den}))(t)
			} else {
				half := *d.Whole
				half.Den *= 2
				d.laws = must.Get(noisesOf(d.whole, half))(t)
			}
			if _, square := worst(&d); square < 6.5 {
				t.Errorf("%s, %s: half the noise passes", m, target.Parameters)
			}
		}
	}
}

// Plans spend their target and no more; numbers have noise of the cube, factors geometric noise; with a rate 2 %
// higher, another law than the target's, or of other columns, nothing is certified.
func TestPlansOfClasses(t *testing.T) {
	f := classRows(t, 100, 3)
	for _, m := range []model.Model{numbersOnly, withLevels} {
		sh := counted(t, m, f).Shape()
		for _, target := range logisticTargets {
			p := plan(t, SufficientStatistics(), sh, target)
			z := samplerOf(p).shipped
			if p.Certified().Arithmetic != dp.Exact || !p.Certified().Satisfies(target.Parameters) {
				t.Fatalf("%s: %s", target.Parameters, p.Certified())
			}
			law, rate := z.pure()
			if (law != "") != (target.Notion == dp.Pure) {
				t.Fatalf("%s: law %q", target.Parameters, law)
			}
			prob := must.Get(SufficientStatistics().prepare(t.Context(), sh, target))(t)
			if law == "" {
				less := *z.Whole
				less.Num -= less.Num / 50
				if _, err := prob.m.mathematics().Rebuild(t.Context(), sh, target, statisticsParams{shipped{Whole: &less},
					false}); err == nil {
					t.Errorf("%s: 2 %% less variance is certified", target.Parameters)
				}
				if _, err := prob.m.mathematics().Rebuild(t.Context(), sh, target, statisticsParams{shipped{Cube: &noise.Rational{
					Num: 1, Den: 1 << 20}}, false}); err == nil {
					t.Errorf("%s: a law of pure ε is certified", target.Parameters)
				}
				continue
			}
			if spent := float64(p.Certified().Epsilon) / float64(target.Epsilon); spent > 1 || spent < 1-1e-6 {
				t.Errorf("%s: spends %v", target.Parameters, spent)
			}
			more := *rate
			more.Num += more.Num / 50
			q := shipped{Cube: &more}
			if law == geometricLaw {
				q = shipped{Geometric: &more}
			}
			if _, err := prob.m.mathematics().Rebuild(t.Context(), sh, target, statisticsParams{q, false}); err == nil {
				t.Errorf("%s: a rate 2 %% higher is certified", target.Parameters)
			}
			q.Cube, q.Geometric = q.Geometric, q.Cube // the other law, which has another reach
			if q.Cube != nil {
				q.Cube = &noise.Rational{Num: rate.Num * 100, Den: rate.Den}
			}
			if _, err := prob.m.mathematics().Rebuild(t.Context(), sh, target, statisticsParams{q, false}); q.Cube != nil &&
				err == nil {
				t.Errorf("%s: another law's rate is certified", target.Parameters)
			}
		}
	}
	wide := &frame.Schema{Dataset: "wide", Columns: []frame.Column{frame.Categorical("c", "no", "yes")}}
	names := []string{"v1", "v2", "v3", "v4", "v5", "v6", "v7"}
	for _, name := range names {
		wide.Columns = append(wide.Columns, frame.Real(name, 0, 1))
	}
	sh := must.Get(model.NewShape(wide, model.LogisticRegression("c"), 372, true, ""))(t)
	if law, _ := samplerOf(plan(t, SufficientStatistics(), sh, dp.PureDP(1))).shipped.pure(); law != cubeLaw {
		t.Errorf("seven numbers: %s", law)
	}
	for i := range 4 {
		wide.Columns = append(wide.Columns, frame.Categorical("f"+string(rune('a'+i)), "p", "q", "r", "s", "t", "u", "v"))
		names = append(names, "f"+string(rune('a'+i)))
	}
	sh = must.Get(model.NewShape(wide, model.LogisticRegression("c", names...), 372, true, ""))(t)
	if law, _ := samplerOf(plan(t, SufficientStatistics(), sh, dp.PureDP(1))).shipped.pure(); law != geometricLaw {
		t.Errorf("with four factors: %s", law)
	}
}

// The reach of every law holds over all pairs of records of a coarse lattice, and is attained for the cube and for
// Gaussian noise; so it is over whole releases. A law that took signed products for products in [0, 1], one that forgot
// the responses, and a factor that one pays for in each of its levels only once it is there, are exceeded.
func TestReachOfClasses(t *testing.T) {
	for _, q := range propositions {
		for _, replaced := range []bool{true, false} {
			q.Intercept, q.Replaced, q.Classes = true, replaced, true
			d := must.Get(q.design())(t)
			for _, law := range []string{"", cubeLaw, geometricLaw} {
				claim, least := q.sensitivity(), .985
				if law != "" {
					claim, least = q.reach(law, 1), 1
				}
				if law == geometricLaw {
					least = .8
				}
				out := must.Get(q.largestChange(t.Context(), d, law))(t)
				if out.Value > claim*(1+1e-12) || out.Value < least*claim*(1-1e-12) {
					t.Errorf("%+v, %q: %v by enumeration, claimed %v", q, law, out.Value, claim)
				}
			}
		}
	}
	for _, replaced := range []bool{true, false} {
		of := proposition{Numbers: 1, Intercept: true, Classes: true, Replaced: replaced}
		d := must.Get(of.design())(t)
		for _, law := range []string{cubeLaw, geometricLaw} {
			q := tinyParams{law, replaced, 2, 2}
			out := must.Get(q.largestLoss(t.Context(), of.moments(d), of.weighed(of.moments(d), d, law)))(t)
			if out.Value > of.reach(law, 1) || out.Value < .8*of.reach(law, 1) {
				t.Errorf("%s, replaced %v: %v over releases, claimed %v", law, replaced, out.Value, of.reach(law, 1))
			}
			forged := of.weighed(of.moments(d), d, law) // half the noise on Xᵀy
			for k, m := range of.moments(d) {
				if m.j == d.Dim() {
					forged[k] *= 2
				}
			}
			if out := must.Get(q.largestLoss(t.Context(), of.moments(d), forged))(t); out.Value <= of.reach(law, 1) {
				t.Errorf("%s, replaced %v: half the noise on Xᵀy passes with %v", law, replaced, out.Value)
			}
		}
	}
	q := proposition{Numbers: 2, Levels: []int{3, 2}, Intercept: true, Replaced: true, Classes: true}
	d := must.Get(q.design())(t)
	list := q.moments(d)
	unit := make([]float64, len(list))
	for k := range unit {
		unit[k] = 2 // all products as if in [0, 1]
	}
	top := func(v []float64) (m float64) {
		for _, x := range v {
			m = math.Max(m, math.Abs(x))
		}
		return m
	}
	if out := must.Get(largestOf(t.Context(), d, list, unit, top, q))(t); out.Value <= q.reach(cubeLaw, 1) {
		t.Errorf("signed products as if in [0, 1]: %v", out.Value)
	}
	less := q
	for _, levels := range [][]int{nil, {3}} {
		less.Levels = levels
		if out := must.Get(q.largestChange(t.Context(), d, geometricLaw))(t); out.Value <= less.reach(geometricLaw,
			1) {
			t.Errorf("factors %v in place of two: %v", levels, out.Value)
		}
	}
	if (proposition{Numbers: 2, Levels: make([]int, 25), Intercept: true, Replaced: true}).absolute() <
		(proposition{Numbers: 2, Levels: []int{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, Intercept: true,
			Replaced: true}).absolute() {
		t.Error("more factors have a smaller bound")
	}
}

// What is not of classes, or of the sampler's range, is refused by type.
func TestClassesRefused(t *testing.T) {
	sh := counted(t, numbersOnly, classRows(t, 50, 1)).Shape()
	var unsupported *mechanism.UnsupportedError
	for _, m := range []mechanism.Mechanism{SufficientStatistics().Plain(), SufficientStatistics().Continuous(),
		Sampler(1)} {
		if err := m.Supports(sh); !errors.As(err, &unsupported) {
			t.Errorf("%s: %v", m.Title(), err)
		}
		if _, err := m.Plan(t.Context(), sh, dp.ApproxDP(1, 1e-6)); !errors.As(err, &unsupported) {
			t.Errorf("%s: %v", m.Title(), err)
		}
	}
	if _, err := SufficientStatistics().Plan(t.Context(), sh, dp.AsPublished(1)); !errors.As(err, &unsupported) {
		t.Error(err)
	}
	var unmet *mechanism.UnmetTarget
	if _, err := SufficientStatistics().Plan(t.Context(), sh, dp.PureDP(1e-12)); !errors.As(err, &unmet) {
		t.Error(err)
	}
	for _, params := range []string{
		`{"law":"cube","replaced":true,"records":3,"box":2}`, `{"law":"flat","replaced":true,"records":1,"box":2}`,
		`{"law":"cube","replaced":true,"records":1,"box":9}`,
	} {
		if _, err := cert.Run(t.Context(), tinyChecker.Kind(), json.RawMessage(params)); err == nil {
			t.Errorf("%s is enumerated", params)
		}
	}
	for _, params := range []string{
		`{"dim":2,"rows":1,"replaced":true,"of":{"numbers":1,"intercept":true,"replaced":true},"noise":{"cube_rate":{"num":1,"den":2}},"want":{"notion":"pure","epsilon":1}}`,
		`{"dim":2,"rows":1,"replaced":true,"of":{"numbers":1,"intercept":true,"replaced":false,"classes":true},"noise":{"cube_rate":{"num":1,"den":2}},"want":{"notion":"pure","epsilon":1}}`,
		`{"dim":2,"rows":1,"replaced":true,"of":{"numbers":1,"intercept":true,"replaced":true,"classes":true},"noise":{"cube_rate":{"num":1,"den":2},"geometric_rate":{"num":1,"den":2}},"want":{"notion":"pure","epsilon":1}}`,
	} {
		if _, err := cert.Run(t.Context(), noiseChecker.Kind(), json.RawMessage(params)); err == nil {
			t.Errorf("%s has a loss", params)
		}
	}
}

// BenchmarkDrawClasses is one release for pure ε of a logistic regression with two factors.
func BenchmarkDrawClasses(b *testing.B) {
	st := counted(b, withLevels, classRows(b, 1000, 3))
	d := samplerOf(plan(b, SufficientStatistics(), st.Shape(), dp.PureDP(1)))
	src := dp.Seeded(1)
	for b.Loop() {
		if _, err := d.Draw(b.Context(), mechanism.Open(key, st), src); err != nil {
			b.Fatal(err)
		}
	}
}
