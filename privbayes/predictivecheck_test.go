package privbayes_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// planes are rows of a number x, a factor g of three levels, and a response, which is cut to [−1, 1], or a class of it.
func planes(t *testing.T, n int, response func(x float64, g int) float64, class func(v float64) bool) *privbayes.Frame {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), 7))
	var x, y []float64
	var g, c []string
	for range n {
		u, level := 2*r.Float64()-1, r.IntN(3)
		v := response(u, level)
		x, y = append(x, u), append(y, math.Min(math.Max(v, -1), 1))
		g, c = append(g, []string{"a", "b", "c"}[level]), append(c, map[bool]string{false: "no", true: "yes"}[class(v)])
	}
	s := &frame.Schema{Dataset: "planes", Columns: []frame.Column{frame.Real("x", -1, 1), frame.Real("y", -1, 1),
		frame.Categorical("g", "a", "b", "c"), frame.Categorical("c", "no", "yes")}}
	return privbayes.WrapFrame(frame.FromColumns(s, map[string]any{"x": x, "y": y, "g": g, "c": c}))
}

// checked is the predictive check of a release.
func checked(t *testing.T, f *privbayes.Frame, m privbayes.ModelSpec, by privbayes.Mechanism, eps float64,
	seed uint64) *release.PredictiveCheck {
	t.Helper()
	p := f.Model(m).Privatize(by, privbayes.ApproxDP(eps, 1e-5), privbayes.Seeded(seed))
	return must.Get(must.Get(p.Release())(t).PredictiveCheck())(t)
}

// Of rows from the model no number is far from its prediction. Under model and prior z has a standard deviation of at
// most 1 (docs/theory/glm.md §2): 8 releases of three models with at most 21 numbers have one above 7.2 with a
// probability below 8·3·21·6.1e-13 = 3.1e-10.
func TestPredictiveCheckOfTheModel(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 11))
		a, b, c := .5*r.NormFloat64(), .4*r.NormFloat64(), .3*r.NormFloat64()
		line := planes(t, 500, func(x float64, g int) float64 { return .3*a + b*x + .2*c*float64(g) + .1*r.NormFloat64() },
			func(float64) bool { return false })
		odds := planes(t, 4000, func(x float64, g int) float64 {
			return 2*a + 4*b*x + c*float64(g)
		}, func(v float64) bool { return r.Float64() < 1/(1+math.Exp(-v)) })
		for name, check := range map[string]*release.PredictiveCheck{
			"columns": checked(t, line, privbayes.LinearRegression("y", "x", "g"), privbayes.SufficientStatistics(), 1, seed),
			"formula": checked(t, line, privbayes.Linear("y ~ x*g"), privbayes.SufficientStatistics(), 3, seed),
			"steps": checked(t, odds, privbayes.LogisticRegression("c", "x", "g"), privbayes.FisherScoring().Anyway(), 1,
				seed),
		} {
			if most := check.Largest(); !(math.Abs(most.Z()) <= 7.2) || len(check.Moments) > 21 {
				t.Errorf("%s, seed %d: %s has z = %.2f, of %d", name, seed, most.Name, most.Z(), len(check.Moments))
			}
		}
	}
}

// What no coefficients under the prior give is seen: slopes many prior deviations from 0. What another line gives as
// well is not, and the table says so: a clipped response, a curve.
func TestPredictiveCheckSeesWhatItCan(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	steep := planes(t, 3000, func(x float64, g int) float64 { return .4*float64(g) - .4 + .5*x + .3*r.NormFloat64() },
		func(v float64) bool { return v > 0 })
	seen := map[string]*release.PredictiveCheck{
		"columns": checked(t, steep, privbayes.LinearRegression("y", "x").WithPrior(1e4), privbayes.SufficientStatistics(), 3,
			1),
		"formula": checked(t, steep, privbayes.Linear("y ~ x").Slopes(.01), privbayes.SufficientStatistics(), 3, 1),
		"steps": checked(t, steep, privbayes.LogisticRegression("c", "g").WithPrior(1e5), privbayes.FisherScoring().Anyway(),
			3, 1),
	}
	for name, check := range seen {
		if most := check.Largest(); !(math.Abs(most.Z()) > 8) || !strings.Contains(check.String(), "Do not use") {
			t.Errorf("%s: %v", name, check)
		}
	}
	clipped := planes(t, 3000, func(x float64, _ int) float64 { return 3 * x }, func(v float64) bool { return v > 1 })
	curved := planes(t, 3000, func(x float64, _ int) float64 { return 1.8*x*x - .9 },
		func(v float64) bool { return v > 0 })
	for name, f := range map[string]*privbayes.Frame{"line": steep, "clipped": clipped, "curved": curved} {
		check := checked(t, f, privbayes.LinearRegression("y", "x"), privbayes.SufficientStatistics(), 3, 1)
		if math.Abs(check.Largest().Z()) > 1 || !strings.Contains(check.String(), "does not show that the model holds") {
			t.Errorf("%s: %v", name, check)
		}
	}
}

// The check is the same after a file, as JSON and as a figure; other releases are refused by type.
func TestPredictiveCheckOfAFile(t *testing.T) {
	f := planes(t, 300, func(x float64, _ int) float64 { return .5 * x }, func(v float64) bool { return v > 0 })
	p := f.Model(privbayes.Linear("y ~ x + g")).Privatize(privbayes.SufficientStatistics(), privbayes.ApproxDP(1, 1e-5),
		privbayes.Seeded(1))
	r := must.Get(p.Release())(t)
	own := must.Get(r.PredictiveCheck())(t)
	again := must.Get(must.Get(release.Parse(t.Context(), must.Get(r.JSON())(t)))(t).PredictiveCheck())(t)
	b := must.Get(json.Marshal(own))(t)
	if string(b) != string(must.Get(json.Marshal(again))(t)) || own.String() != again.String() {
		t.Errorf("%s\n%v\n%v", b, own, again)
	}
	var j struct {
		Moments []struct {
			Name                       string
			Released, Predicted, SD, Z float64
		}
		Largest float64 `json:"largest_z"`
	}
	must.Do(t, json.Unmarshal(b, &j))
	for i, m := range j.Moments {
		if math.Abs((m.Released-m.Predicted)/m.SD-m.Z) > 1e-9 || math.Abs(m.Z) > j.Largest || m.Name != own.Moments[i].Name {
			t.Errorf("%+v", m)
		}
	}
	// 1, x, two levels: 4 numbers with 1, 3 others, 4 with y, y²; n is public and the levels' squares are their counts
	if rows := own.Figure().Rows; len(rows) != len(own.Moments) || len(rows) != 11 {
		t.Error(len(rows), own)
	}
	var refused *dp.ParameterError
	if _, err := must.Get(f.Model(privbayes.Categorical("g")).Privatize(privbayes.Geometric(), privbayes.PureDP(1),
		privbayes.Seeded(1)).Release())(t).PredictiveCheck(); !errors.As(err, &refused) {
		t.Error(err)
	}
}

// Held-out rows show what released moments cannot: of a curve, mean residuals leave 0 by many standard errors. Those of
// the same numbers in another order, which the forecast knows nothing of, do not: ten means of 300 rows by bounded
// residuals are beyond 7.5 standard errors with a probability below 1e-9 (the fit's own error is a third of one).
func TestResidualsOfHeldOutRows(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 5))
	curve := func(x float64) float64 { return 1.8*x*x - .9 }
	for name, c := range map[string]struct {
		response func(x float64, g int) float64
		bent     bool
	}{
		"curve":              {func(x float64, _ int) float64 { return curve(x) }, true},
		"the same, not of x": {func(float64, int) float64 { return curve(2*r.Float64() - 1) }, false},
	} {
		rows := planes(t, 6000, c.response, func(float64) bool { return false })
		train, test := rows.Split(.5, 1)
		report := must.Get(train.Model(privbayes.LinearRegression("y", "x")).Privatize(privbayes.SufficientStatistics(),
			privbayes.ApproxDP(3, 1e-5), privbayes.Seeded(1)).Evaluate(test))(t)
		var most float64
		for _, f := range report.Figures() {
			if f.Title != "Mean residuals of held-out rows" {
				continue
			}
			for i, y := range f.Series[0].Y {
				most = max(most, math.Abs(y)*1.959963984540054/(f.Series[0].Hi[i]-y))
			}
			if len(f.Series) != 2 || len(f.Series[0].Y) != 10 || !f.Private {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if most == 0 || (most > 7.5) != c.bent {
			t.Errorf("%s: a mean residual %.1f standard errors from 0", name, most)
		}
	}
}
