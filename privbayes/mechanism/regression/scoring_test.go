package regression

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/steps"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// graded has log-odds −1 + .1·(hours − 20) + {0, 1, −1}[school] of passing.
func graded(t testing.TB, n int) *frame.Frame {
	t.Helper()
	src := dp.Seeded(5)
	var pass, school []string
	var hours []float64
	for range n {
		h, s := 40*sample.Float64(src), int(sample.Uniform(src, 3))
		odds, y := -1+.1*(h-20)+[]float64{0, 1, -1}[s], "no"
		if sample.Float64(src) < 1/(1+math.Exp(-odds)) {
			y = "yes"
		}
		pass, hours = append(pass, y), append(hours, h)
		school = append(school, []string{"north", "south", "west"}[s])
	}
	s := &frame.Schema{Dataset: "exam", Columns: []frame.Column{frame.Categorical("pass", "no", "yes"),
		frame.Categorical("school", "north", "south", "west"), frame.Real("hours", 0, 20, 40)}}
	return must.Get(frame.FromColumns(s, map[string]any{"pass": pass, "school": school, "hours": hours}))(t)
}

var passing = model.LogisticRegression("pass", "school", "hours")

// Every released sum is the exact one at the released point plus noise of the stated variance, in every step and under
// both adjacencies: Σz² and Σz are within 6.5 standard deviations, which fails with probability below 1e-9. Half the
// variance is told.
func TestNoiseOfStepsFollowsItsLaw(t *testing.T) {
	draws := 60
	if testing.Short() {
		draws = 30
	}
	f := graded(t, 300)
	for i, target := range []dp.Request{dp.ApproxDP(1, 1e-6), dp.ZCDP(.5).Under(dp.AddRemove), dp.ApproxDP(1, 1e-6),
		dp.ZCDP(.5).Under(dp.AddRemove)} {
		m := []model.Model{passing, passing, model.Logistic("pass ~ school*hours + I(hours^2)"),
			model.PoissonRegression("hours ~ school")}[i]
		st, draws := counted(t, m, f), draws
		if m.Target() == "hours" {
			draws *= 3 // of fewer sums
		}
		sh := st.Shape()
		if target.Adjacency == dp.AddRemove {
			sh = sh.WithoutN()
		}
		d := *plan(t, FisherScoring().Anyway(), sh, target).Sampler(key).(*scoringSampler)
		place, products, gradient := func(at [2]int) int { return packed(at[0], at[1], d.dim+1) }, 66, 44
		if l := sh.Linear().Formula; l != nil {
			products, gradient = 68, 45
			place = func(at [2]int) int {
				if at[1] == d.dim {
					return len(l.Places) + at[0]
				}
				return l.Product(at)
			}
		}
		worst := func(of *scoringSampler) (z float64) {
			src := dp.Seeded(8)
			sum, square, count := make([]float64, 4), make([]float64, 4), make([]float64, 4)
			for range draws {
				out := must.Get(of.Draw(t.Context(), mechanism.Open(key, st), src))(t)
				for k, v := range out.Real {
					r := must.Get(of.released(v, k))(t)
					exact, err := st.OpenPass(t.Context(), key, r.Point)
					if err != nil {
						t.Fatal(err)
					}
					tau := d.deviation(k)
					see := func(got, want, sd float64) {
						sum[k], square[k], count[k] = sum[k]+(got-want)/sd, square[k]+(got-want)*(got-want)/(sd*sd), count[k]+1
					}
					for i, e := range d.design.Entries(r.Point) {
						see(r.Moments[i], exact[place(e.Places[0])].Float(-products)/d.design.Terms,
							tau*float64(r.Point.Cut)/(1<<22)/math.Sqrt(float64(e.Ordered())))
					}
					for j, g := range r.Gradient {
						see(g, exact[place([2]int{j, d.dim})].Float(-gradient)/math.Sqrt(d.design.Terms), tau)
					}
				}
			}
			for k, n := range count {
				z = math.Max(z, math.Max(math.Abs(square[k]-n)/math.Sqrt(2*n), math.Abs(sum[k])/math.Sqrt(n)))
			}
			return z
		}
		if z := worst(&d); z > 6.5 {
			t.Errorf("%v, %v: %.1f standard deviations off", m, target, z)
		}
		less := d
		less.Sigma2.Num /= 2
		if z := worst(&less); z < 6.5 {
			t.Errorf("%v, %v: noise of less variance passes, %.1f standard deviations", m, target, z)
		}
	}
}

// The enumeration is below √5 and √2, and sees more than the sensitivity of linear moments; ω = 1 and weights that are
// not cut fail it.
func TestStepCertificateRejectsMutants(t *testing.T) {
	maps := map[string]weigh{
		"": steps.Logistic.Weigh,
		"ω = 1": func(at steps.Point, x []float64, y float64) (int64, int64) {
			_, w := steps.Logistic.Weigh(at, x, y)
			return int64(math.Round((y - math.Tanh(at.Index(x)/2)) * (1 << steps.Bits))), w
		},
		"not cut": func(at steps.Point, x []float64, y float64) (int64, int64) {
			r, _ := steps.Logistic.Weigh(at, x, y)
			return r, int64(math.Round((1 - math.Abs(math.Tanh(at.Index(x)/2))) / 2 * (1 << steps.Bits)))
		},
	}
	for _, replaced := range []bool{true, false} {
		for _, q := range []proposition{{Numbers: 1}, {Numbers: 2}, {Numbers: 1, Levels: []int{3}}} {
			q.Intercept, q.Classes, q.Replaced = true, true, replaced
			limit := stepSensitivity(1, replaced)
			for name, of := range maps {
				out, err := stepsParams{scoringProblem{Of: &q}, stepPoints}.largestChange(t.Context(), of)
				if err != nil {
					t.Fatal(err)
				}
				if held := out.Value <= limit*(1+1e-12); held != (name == "") {
					t.Errorf("%+v, %q: %v against %v", q, name, out.Value, limit)
				}
				if least := q.sensitivity(); name == "" && replaced && q.Numbers+len(q.Levels) > 1 && out.Value <= least {
					t.Errorf("%+v: %v, and the sensitivity of moments, %v, would pass", q, out.Value, least)
				}
			}
		}
	}
}

// Of formulas the enumeration is below √5 and √2, too: of powers, interactions, factors and counts. It rejects ω = 1,
// weights that are not cut, a polynomial that is charged as one term, and an interaction of levels with two ones in a
// row.
func TestStepCertificateOfFormulas(t *testing.T) {
	columns := []columnParams{{Name: "x"}, {Name: "z"}, {Name: "f", Levels: []string{"a", "b", "c"}}}
	pick := func(names ...int) (out []columnParams) {
		for _, k := range names {
			out = append(out, columns[k])
		}
		return out
	}
	for _, c := range []struct {
		q      formulaParams
		counts int
	}{
		{formulaParams{"y ~ x + z", pick(0, 1)}, 0}, {formulaParams{"y ~ x*f", pick(0, 2)}, 0},
		{formulaParams{"y ~ poly(x, 3)", pick(0)}, 0}, {formulaParams{"y ~ x*z + I(x^2)", pick(0, 1)}, 0},
		{formulaParams{"y ~ x + z", pick(0, 1)}, 1}, {formulaParams{"y ~ poly(x, 2)*f", pick(0, 2)}, 12},
		{formulaParams{"y ~ x", pick(0)}, 1000},
	} {
		for _, replaced := range []bool{true, false} {
			q := stepsParams{scoringProblem{Formula: &c.q, Counts: c.counts, Replaced: replaced}, stepPoints}
			d, _, err := q.steps()
			if err != nil {
				t.Fatal(err)
			}
			limit := stepSensitivity(1, replaced)
			for name, of := range map[string]weigh{"": d.Family.Weigh,
				"ω = 1": func(at steps.Point, x []float64, y float64) (int64, int64) {
					_, w := d.Family.Weigh(at, x, y)
					mean := math.Tanh(at.Index(x) / 2)
					if c.counts > 0 {
						mean = math.Min(math.Exp(at.Index(x)), float64(c.counts)) * 2
						y *= 2
					}
					return int64(math.Round((y - mean) * (1 << steps.Bits))), w
				},
				"not cut": func(at steps.Point, x []float64, y float64) (int64, int64) {
					r, w := d.Family.Weigh(at, x, y)
					return r, w * (1 << steps.Bits) / at.Cut
				},
			} {
				out, err := q.largestChange(t.Context(), of)
				if err != nil {
					t.Fatal(err)
				}
				if held := out.Value <= limit*(1+1e-12); held != (name == "") {
					t.Errorf("%s, counts %d, replaced %v, %q: %v against %v", c.q.Text, c.counts, replaced, name, out.Value, limit)
				}
				if name == "" && out.Value < .8*limit {
					t.Errorf("%s, counts %d, replaced %v: %v is far below %v", c.q.Text, c.counts, replaced, out.Value, limit)
				}
			}
		}
	}
	for _, q := range []scoringProblem{{}, {Of: &proposition{Numbers: 1}}, {Of: &proposition{Numbers: 1, Intercept: true,
		Classes: true}, Counts: 3}, {Formula: &formulaParams{"y ~ x", pick(0)}, Counts: -1},
		{Formula: &formulaParams{"y ~ x:z", pick(0, 1)}}, {Formula: &formulaParams{"y~x", pick(0)}}} {
		if d, _, err := q.steps(); err == nil {
			t.Errorf("%+v: %+v", q, d)
		}
	}
}

// The steps compose to the Gaussian mechanism at Δ/σ: shares add up to 1, lattices cost nothing to speak of, and σ² is
// the least. Shares that add up to more fail the certificate of a plan that was made before.
func TestStepsComposeToOneGaussian(t *testing.T) {
	sh := counted(t, passing, graded(t, 300)).Shape()
	for _, target := range []dp.Request{dp.ApproxDP(1, 1e-6), dp.ApproxDP(5, 1e-3).Under(dp.AddRemove), dp.ZCDP(.1),
		dp.RenyiDP(8, 1), dp.ApproxDP(1, 1e-6).Under(dp.ReplaceValue)} {
		p := plan(t, FisherScoring().Anyway(), sh, target)
		d := p.Sampler(key).(*scoringSampler)
		square := 0.0
		for k := range steps.Shares {
			square += d.delta * d.delta / (d.deviation(k) * d.deviation(k))
		}
		gauss := loss.GaussianPair{Mu: math.Sqrt(square)}
		for _, eps := range []float64{0, .5, 1, 3} {
			have, want := p.Pair().Delta(eps), gauss.Delta(eps)
			if have < want*(1-1e-9) || have > want*(1+1e-6)+1e-14 {
				t.Errorf("%v: δ(%v) = %v, of the steps one by one %v", target, eps, have, want)
			}
		}
		spent := loss.Spent(p.Pair(), target.Parameters)
		less := stepsPair(d.design, d.delta, scoringParams{d.Sigma2})
		if want := float64(loss.Allowed(target.Parameters)); spent > want || spent < want*(1-1e-6) ||
			loss.Spent(less, target.Parameters) != spent {
			t.Errorf("%v: spent %v of %v", target, spent, want)
		}
		file := must.Get(p.MarshalJSON())(t)
		old := steps.Shares
		steps.Shares[3] += 10
		_, err := mechanism.ParsePlan(t.Context(), file)
		steps.Shares = old
		var unmet *mechanism.UnmetTarget
		if !errors.As(err, &unmet) {
			t.Errorf("%v: shares of 110 %%: %v", target, err)
		}
	}
}

// What cannot be released is refused by type before anything is drawn.
func TestScoringRefuses(t *testing.T) {
	f := graded(t, 400)
	st := counted(t, passing, f)
	sh := st.Shape()
	approx := dp.ApproxDP(1, 1e-6)
	refused := func(m mechanism.Mechanism, sh *model.Shape, target dp.Request, as any) {
		t.Helper()
		if _, err := m.Plan(t.Context(), sh, target); !errors.As(err, as) {
			t.Errorf("%v, %v: %v, want %T", sh.Model(), target, err, as)
		}
	}
	nominal, exact := approx, approx
	nominal.NominalScale, exact.ExactOnly = true, true
	refused(FisherScoring().Anyway(), sh, dp.PureDP(1), new(*mechanism.UnsupportedError))
	refused(FisherScoring().Anyway(), sh, nominal, new(*mechanism.UnsupportedError))
	refused(FisherScoring().Anyway(), shapeOf(t, both, 400, 1), approx, new(*mechanism.UnsupportedError))
	refused(FisherScoring().Anyway(), sh.WithoutN(), approx, new(*sensitivity.AdjacencyError))
	refused(FisherScoring(), sh, approx, new(*NotWorthError))
	none := must.Get(model.NewShape(f.Schema(), passing, 0, true, ""))(t)
	refused(FisherScoring().Anyway(), none, approx, new(*domain.Error))
	flat := must.Get(model.NewShape(f.Schema(), passing.WithPrior(1e7), 400, true, ""))(t)
	refused(FisherScoring().Anyway(), flat, approx, new(*domain.Error))
	many := make([]string, 100)
	for i := range many {
		many[i] = string(rune('a'+i%26)) + string(rune('a'+i/26))
	}
	wide := &frame.Schema{Dataset: "wide", Columns: []frame.Column{frame.Categorical("pass", "no", "yes"),
		frame.Categorical("town", many...)}}
	towns := must.Get(model.NewShape(wide, model.LogisticRegression("pass", "town"), 1e9, true, ""))(t)
	refused(FisherScoring(), towns, approx, new(*mechanism.UnsupportedError))
	plan(t, FisherScoring(), must.Get(model.NewShape(f.Schema(), passing, 5000, true, ""))(t), exact)
	// n is private: nothing is refused by it
	plan(t, FisherScoring(), sh.WithoutN(), approx.Under(dp.AddRemove))

	// the shape of a pass is none that is released
	var pass model.Shape
	file := must.Get(sh.MarshalJSON())(t)
	file = append(file[:len(file)-1], `,"pass":{"Beta":[0,0,0,0],"Cut":30000,"First":false}}`...)
	if err := pass.UnmarshalJSON(file); err != nil {
		t.Fatal(err)
	}
	refused(FisherScoring().Anyway(), &pass, approx, new(*mechanism.UnsupportedError))

	p := plan(t, FisherScoring().Anyway(), sh, approx)
	once := must.Get(model.FromSums(sh, 400, st.OpenSums(key)))(t)
	var statistics *mechanism.StatisticsError
	if err := p.Accepts(once); !errors.As(err, &statistics) {
		t.Error(err)
	}
	if err := p.Accepts(st); err != nil {
		t.Error(err)
	}
}

// ending is a context that ends when it was asked so often.
type ending struct {
	context.Context
	left *int
}

func (e ending) Err() error {
	if *e.left--; *e.left < 0 {
		return context.Canceled
	}
	return nil
}

// A context that ends in a later step leaves no part of the release.
func TestNothingOfAnEndedReleaseIsLeft(t *testing.T) {
	st := counted(t, passing, graded(t, 400))
	p := plan(t, FisherScoring().Anyway(), st.Shape(), dp.ApproxDP(1, 1e-6))
	d, ended := p.Sampler(key).(*scoringSampler), 0
	for left := range 20 {
		out, err := d.Draw(ending{t.Context(), &left}, mechanism.Open(key, st), dp.Seeded(1))
		if err == nil {
			break
		}
		if ended++; !errors.Is(err, context.Canceled) || out.Real != nil {
			t.Errorf("%v, %d vectors", err, len(out.Real))
		}
	}
	if ended < 3 {
		t.Errorf("%d of the steps can be ended", ended)
	}
}

// Numbers that no step releases are refused by type, one by one.
func TestForgedStepsAreRefused(t *testing.T) {
	st := counted(t, passing, graded(t, 400))
	p := plan(t, FisherScoring().Anyway(), st.Shape(), dp.ApproxDP(1, 1e-6))
	drawn := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(1)))(t)
	if _, err := p.Estimate(t.Context(), drawn); err != nil {
		t.Fatal(err)
	}
	for name, forge := range map[string]func(v [][]float64) [][]float64{
		"three steps":         func(v [][]float64) [][]float64 { return v[:3] },
		"no numbers":          func(v [][]float64) [][]float64 { v[1] = nil; return v },
		"a sum too few":       func(v [][]float64) [][]float64 { v[2] = v[2][1:]; return v },
		"another first point": func(v [][]float64) [][]float64 { v[0][1] = .5; return v },
		"another first cut":   func(v [][]float64) [][]float64 { v[0][4] = 30000; return v },
		"a point off grid":    func(v [][]float64) [][]float64 { v[1][0] += 1e-9; return v },
		"steep slopes":        func(v [][]float64) [][]float64 { v[1][1] = 21; return v },
		"a cut of parts":      func(v [][]float64) [][]float64 { v[2][4] += .5; return v },
		"no cut":              func(v [][]float64) [][]float64 { v[2][4] = math.NaN(); return v },
		"a wide cut":          func(v [][]float64) [][]float64 { v[3][4] = 1 << 22; return v },
		"a sum that is none":  func(v [][]float64) [][]float64 { v[3][6] = math.NaN(); return v },
		"a sum too large":     func(v [][]float64) [][]float64 { v[3][6] = 1e17; return v },
	} {
		var real [][]float64
		for _, v := range drawn.Real {
			real = append(real, append([]float64(nil), v...))
		}
		_, err := p.Estimate(t.Context(), &mechanism.Drawn{Output: mechanism.Output{Real: forge(real)}})
		var bad *domain.Error
		if !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A text names the intercept without parentheses, and a polynomial with both of its own.
func TestNamesOfWeightsInTexts(t *testing.T) {
	for name, want := range map[string]string{"(intercept)": "intercept", "P2(age)": "P2(age)", "age": "age"} {
		if got := bare(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
