package regression_test

import (
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// wagesTo2000 are the wages of cps1988 with a public bound of 2000 dollars.
func wagesTo2000(t *testing.T) *privbayes.Frame {
	t.Helper()
	r, s := data.CPS1988()
	c, _, err := s.Column("wage")
	if err != nil {
		t.Fatal(err)
	}
	c.Max, c.OnOutOfDomain, c.Edges = 2000, frame.DomainClamp, []float64{0, 500, 2000}
	return privbayes.ReadFrame(r, s)
}

// realised is the width of a slope's 95 % interval over a half-range of the response, for a half-range of the column.
func realised(t *testing.T, r *release.Release, column string, response float64) float64 {
	t.Helper()
	d := must.Get(r.Model().CoefficientDraws())(t)
	for i, name := range d.Names {
		if c, _, _ := r.Plan().Shape().Schema().Column(column); name == column {
			return (d.Quantile(i, .975) - d.Quantile(i, .025)) * (c.Max - c.Min) / 2 / response
		}
	}
	t.Fatalf("no slope of %s", column)
	return 0
}

// The predicted width of a slope's interval is within a factor 2.2 of those of wages, at two formulas and levels; it
// falls with ε. That of a logistic regression is said to be of equal classes: of classes of 9 and 91 % the interval is
// at least as wide, and at most four times. Where n is private there is none.
func TestExpectedWidth(t *testing.T) {
	f, last := wagesTo2000(t), math.Inf(1)
	for _, c := range []struct {
		epsilon float64
		text    string
	}{{.5, "wage ~ education + experience"}, {4, "wage ~ education + experience"},
		{1, "wage ~ education*parttime + experience"}} {
		r := must.Get(f.Model(privbayes.Linear(c.text)).Privatize(privbayes.SufficientStatistics(),
			privbayes.ApproxDP(c.epsilon, 1e-6), privbayes.Seeded(1)).Release())(t)
		want, ok := r.Plan().ExpectedValue(regression.WidthName)
		if c.epsilon == 4 && !(want < last/2) {
			t.Errorf("ε = 4: %v, and at .5 %v", want, last)
		}
		last = want
		for _, column := range []string{"education", "experience"} {
			if got := realised(t, r, column, 1000); !ok || got > 2.2*want || want > 2.2*got {
				t.Errorf("%s at ε = %v: %s has width %v, predicted %v", c.text, c.epsilon, column, got, want)
			}
		}
	}
	r := must.Get(f.Model(partTime).Privatize(privbayes.FisherScoring(), privbayes.ApproxDP(3, 1e-5),
		privbayes.Seeded(1)).Release())(t)
	want, ok := r.Plan().ExpectedValue(regression.WidthName)
	if got := realised(t, r, "education", 1); !ok || got < want || got > 4*want {
		t.Errorf("logistic: width %v, predicted %v", got, want)
	}
	hidden := must.Get(f.WithoutN().Model(privbayes.Linear("wage ~ education")).Plan(privbayes.SufficientStatistics(),
		privbayes.ApproxDP(1, 1e-6).Under(dp.AddRemove)))(t)
	if v, ok := hidden.ExpectedValue(regression.WidthName); ok {
		t.Errorf("n is private, and a width of %v is expected", v)
	}
}

// By hand: where the noise is negligible the width is 2·1.96·√(σ²/(n/9)) with σ² = 1/9, which
// is 3.92/√n; of logistic regression with equal classes it is 2·1.96·√(4/(n/9)), and of counts of mean 10 it is
// 2·1.96·√(1/(10n/9)).
func TestExpectedWidthWithoutNoise(t *testing.T) {
	f := wagesTo2000(t)
	const n = 28155
	linear := must.Get(f.Model(privbayes.Linear("wage ~ education")).Plan(privbayes.SufficientStatistics(),
		privbayes.ZCDP(1e6)))(t)
	logistic := must.Get(f.Model(privbayes.LogisticRegression("parttime", "education")).Plan(privbayes.FisherScoring(),
		privbayes.ZCDP(1e5)))(t)
	counts := &frame.Schema{Dataset: "visits", Columns: []frame.Column{frame.Integer("visits", 0, 20),
		frame.Real("age", 20, 60)}}
	sh := must.Get(model.NewShape(counts, model.PoissonRegression("visits ~ age"), n, true, ""))(t)
	poisson := must.Get(regression.FisherScoring().Plan(t.Context(), sh, dp.ZCDP(1e5)))(t)
	for _, e := range poisson.Expected() {
		if e.Name == regression.WidthName && !strings.HasPrefix(e.Unit, "log-rate") {
			t.Errorf("the width of a slope of a log-rate is in %q", e.Unit)
		}
	}
	for _, c := range []struct {
		plan interface {
			ExpectedValue(name string) (float64, bool)
		}
		want float64
	}{{linear, 3.92 / math.Sqrt(n)}, {logistic, 3.92 * 6 / math.Sqrt(n)},
		{poisson, 3.92 * 3 / math.Sqrt(10*n)}} {
		if got, ok := c.plan.ExpectedValue(regression.WidthName); !ok || math.Abs(got/c.want-1) > .01 {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}
