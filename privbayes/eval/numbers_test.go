package eval_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// noisyLine is y = 1 + 2x with noise of sd 2 on x in [0, 10], y in [−10, 40], and z ~ Exp(2), cut at 5.
func noisyLine(t testing.TB, n int) *frame.Frame {
	t.Helper()
	src := dp.Seeded(3)
	var x, y, z []float64
	for range n {
		x = append(x, 10*sample.Float64(src))
		y = append(y, 1+2*x[len(x)-1]+2*sample.Normal(src))
		z = append(z, min(5, -math.Log(sample.Float64(src))/2))
	}
	s := &frame.Schema{Dataset: "line", Columns: []frame.Column{frame.Real("x", 0, 5, 10),
		frame.Real("y", -10, 15, 40), frame.Real("z", 0, 1, 5)}}
	return must.Get(frame.FromColumns(s, map[string]any{"x": x, "y": y, "z": z}))(t)
}

func reportOn(t testing.TB, m model.Model, mech mechanism.Mechanism, target dp.Request) *eval.Report {
	t.Helper()
	train, test := must.Get2(noisyLine(t, 4000).Split(.5, 1))(t)
	sh := must.Get(model.NewShape(train.Schema(), m, train.Len(), true, ""))(t)
	st := must.Get(model.Count(sh, train))(t)
	p := must.Get(mech.Plan(t.Context(), sh, target))(t)
	d := must.Get(p.Draw(t.Context(), st, "0123456789abcdef0123456789abcdef", dp.Seeded(2)))(t)
	r := must.Get(release.New(t.Context(), p, d))(t)
	return must.Get(eval.NewReport(r, st, test))(t)
}

// Scores of a plane known exactly, by hand: y = x on three rows off by 0, 1 and −2 with noise of sd 1.
func TestScoreNumbersByHand(t *testing.T) {
	s := &frame.Schema{Dataset: "hand", Columns: []frame.Column{frame.Real("x", -1, 1), frame.Real("y", -4, 4)}}
	f := must.Get(frame.FromColumns(s, map[string]any{"x": []float64{-1, 0, 1}, "y": []float64{-1, 1, -1}}))(t)
	sh := must.Get(model.NewShape(s, model.LinearRegression("y", "x").WithoutIntercept(), 3, true, ""))(t)
	plane := &model.Draws{Names: []string{"x"}, Values: [][]float64{{.25}}} // slope 1
	fitted := must.Get(model.Fit(sh, model.Estimate{Draws: plane.WithResidual(.25)}))(t)
	scores := must.Get(fitted.Scores(f))(t)
	got := map[string]float64{}
	for _, s := range scores {
		got[s.Name] = s.Value
	}
	variance := 2./3 + 2./9 // of −1, 1, −1 about −1/3
	for name, want := range map[string]float64{
		"mean squared error": 5. / 3, "root mean squared error": math.Sqrt(5. / 3), "mean absolute error": 1,
		"R²":                         1 - 5./3/variance,
		"coverage of 95 % intervals": 2. / 3, "width of 95 % intervals": 2 * 1.959963984540054, "log-density per row " +
			"(nats)": -5./6 - math.Log(2*math.Pi)/2,
	} {
		if v, ok := got[name]; !ok || math.Abs(v-want) > 1e-12 {
			t.Errorf("%s = %.15g, want %.15g", name, v, want)
		}
	}
	empty := must.Get(f.Head(0))(t)
	var none *model.Error
	if _, err := fitted.Scores(empty); !errors.As(err, &none) {
		t.Error(err)
	}
}

// A report of a regression: the private part is stamped, the plain baseline stands where it exists, and the numbers are
// near those of the data: noise of 2, coverage 95 %.
func TestRegressionReport(t *testing.T) {
	line := model.LinearRegression("y", "x")
	for _, c := range []struct {
		mech     mechanism.Mechanism
		target   dp.Request
		baseline bool
		knows    bool
	}{
		{regression.Sampler(1), dp.PureDP(5), false, false},
		{regression.Sampler(20).WithResidual(.2), dp.PureDP(20), false, true},
		{regression.Sampler(1), dp.ApproxDP(5, 1e-6), true, false},
		{regression.SufficientStatistics().Continuous(), dp.ApproxDP(5, 1e-6), false, true},
	} {
		r := reportOn(t, line, c.mech, c.target)
		rmse, coverage, density := lineOf(t, r, "root mean squared error"), lineOf(t, r, "coverage of 95 % intervals"),
			lineOf(t, r, "log-density per row (nats)")
		if (r.Baseline != nil) != c.baseline || math.IsNaN(density.Release) == c.knows ||
			math.IsNaN(density.NonPrivate) {
			t.Fatalf("%s: %+v", c.mech.Title(), r.Lines)
		}
		if math.Abs(rmse.NonPrivate-2) > .2 || rmse.Release < rmse.NonPrivate || rmse.Release > 4 ||
			math.Abs(coverage.NonPrivate-.95) > .03 {
			t.Errorf("%s: %+v, %+v", c.mech.Title(), rmse, coverage)
		}
		if c.knows && math.Abs(coverage.Release-.95) > .05 {
			t.Errorf("%s: coverage %g", c.mech.Title(), coverage.Release)
		}
		if c.baseline && (r.Baseline.Draws != 20 || math.Abs(rmse.Baseline-2) > .3) {
			t.Errorf("baseline %+v", rmse)
		}
		checkReport(t, r, "R²", "Coefficients of y")
	}
}

// checkReport looks at what every report must have.
func checkReport(t *testing.T, r *eval.Report, private, public string) {
	t.Helper()
	text, html := r.String(), r.HTML()
	if !strings.Contains(text, private) || !strings.Contains(text, public) ||
		!strings.Contains(html, "do not publish") || strings.Count(r.Headlines(), "headline:") != 3 {
		t.Errorf("%s\n%s", text, r.Headlines())
	}
	for _, table := range r.PrivateTables() {
		if !strings.Contains(table.Title, "private: do not publish") {
			t.Errorf("%q is not stamped", table.Title)
		}
	}
	for _, table := range r.PublicTables() {
		if strings.Contains(table.String(), "non-private") {
			t.Errorf("%q shows the non-private model", table.Title)
		}
	}
	for _, f := range r.Figures() {
		if err := f.Validate(); err != nil || !f.Private {
			t.Errorf("%q: %v, private %v", f.Title, err, f.Private)
		}
	}
	open := must.Get(eval.PosteriorFigure(r.Release(), nil))(t)
	if err := open.Validate(); err != nil || open.Private || len(open.Series) != 1 {
		t.Errorf("%q: %v", open.Title, err)
	}
	if err := r.Save(filepath.Join(t.TempDir(), "report.json")); err != nil {
		t.Error(err)
	}
}

// Rates are scored at the posterior mean, by the densities written out.
func TestRateScore(t *testing.T) {
	f := noisyLine(t, 2000)
	values := must.Get(f.Values("z"))(t)
	density := map[string]func(theta, x float64) float64{
		"exponential":      func(theta, x float64) float64 { return math.Log(theta) - theta*x },
		"laplace scale":    func(theta, x float64) float64 { return math.Log(theta/2) - theta*math.Abs(x-1) },
		"normal precision": func(theta, x float64) float64 { return math.Log(theta/(2*math.Pi))/2 - theta*(x-1)*(x-1)/2 },
	}
	for _, m := range []model.RateModel{model.Exponential("z"), model.LaplaceScale("z", 1), model.NormalPrecision("z", 1)} {
		sh := must.Get(model.NewShape(f.Schema(), m.WithRange(.1, 10), f.Len(), true, ""))(t)
		const theta = 1.7
		fitted := must.Get(model.Fit(sh, model.Estimate{Draws: &model.Draws{Names: []string{"rate"},
			Values: [][]float64{{theta - .1}, {theta + .1}}}}))(t)
		got := must.Get(fitted.Scores(f))(t)
		want := 0.0
		for _, x := range values {
			want += density[strings.Split(m.String(), " rate")[0]](theta, x)
		}
		if want /= float64(len(values)); len(got) != 1 || math.Abs(got[0].Value-want) > 1e-10 {
			t.Errorf("%s: %v, want %g", m, got, want)
		}
		if _, _, err := fitted.Forecast(f); err == nil {
			t.Errorf("%s forecasts", m)
		}
	}
}

// The comparison puts every run at every ε beside the non-private model; errors fall with ε.
func TestCompareNumbers(t *testing.T) {
	f, calls := noisyLine(t, 2000), int64(0)
	o := eval.CompareOptions{
		Runs: []eval.Run{
			{Name: "sampler", Mechanism: regression.Sampler(1)},
			{Name: "statistics", Mechanism: regression.SufficientStatistics().Continuous(),
				Target: func(e float64) dp.Request { return dp.ApproxDP(e, 1e-6) }},
		},
		Epsilons: []float64{.3, 30}, Splits: 2, Repeats: 6, Seed: 1,
		Progress: func(done, total int64) { calls = total - done },
	}
	d := must.Get(eval.Compare(t.Context(), f, model.LinearRegression("y", "x"), o))(t)
	if len(d.Outcomes) != 4 || d.Draws != 48 || calls != 0 || math.Abs(d.NonPrivate.Mean-4) > .8 || d.Guess.Mean < 30 {
		t.Fatalf("%+v, %d", d, calls)
	}
	for i := 0; i < 4; i += 2 {
		if !(d.Outcomes[i].Score.Mean > d.Outcomes[i+1].Score.Mean &&
			d.Outcomes[i+1].Score.Mean > .99*d.NonPrivate.Mean) {
			t.Errorf("%+v", d.Outcomes[i])
		}
	}
	again, err := eval.Compare(t.Context(), f, model.LinearRegression("y", "x"), o)
	if err != nil || fmt.Sprint(again.Outcomes) != fmt.Sprint(d.Outcomes) {
		t.Error("another result from the same seed", err)
	}
	if m := d.Measures(); len(m) != 1 || m[0] != "mean squared error" || !d.Figure().LogY {
		t.Errorf("measures %q", m)
	}
	if err := d.Figure().Validate(); err != nil || !strings.Contains(d.String(), "do not publish") ||
		!d.Figure().Private {
		t.Error(err, d)
	}
	var option *dp.ParameterError
	if _, err := eval.Compare(t.Context(), f, model.LinearRegression("y", "x"), eval.CompareOptions{}); !errors.As(err,
		&option) {
		t.Error(err)
	}
	var unsupported *mechanism.UnsupportedError
	if _, err := eval.Compare(t.Context(), f, model.Categorical("x"), o); !errors.As(err, &unsupported) {
		t.Error(err)
	}
	var none *model.Error
	if _, err := eval.Compare(t.Context(), f, nil, o); !errors.As(err, &none) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := eval.Compare(ctx, f, model.LinearRegression("y", "x"), o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// rateSampler releases three rates, whatever the data.
type rateSampler struct{}

func (rateSampler) Draw(context.Context, mechanism.Private, *dp.Stream) (mechanism.Output, error) {
	return mechanism.Output{Real: [][]float64{{1.9, 2, 2.3}}}, nil
}

func (rateSampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	d := &model.Draws{Names: []string{"rate"}}
	for _, v := range drawn.Real[0] {
		d.Values = append(d.Values, []float64{v})
	}
	return model.Estimate{Draws: d}, nil
}

// fixedRates is a mechanism for reports on rates.
type fixedRates struct{ regression.NoisyStatistics }

func (fixedRates) Plan(_ context.Context, sh *model.Shape, t dp.Request) (*mechanism.Plan, error) {
	return mechanism.New(mechanism.Spec{
		Mechanism: "fixed", Title: "Fixed rates", Shape: sh, Target: t, Level: t.Parameters, Arithmetic: dp.Ideal,
		Sampler: rateSampler{}, Draws: mechanism.Reals,
		Certificate: &cert.Certificate{Checks: []cert.Check{{Statement: "nothing is read", Bound: 1}}},
	})
}

// A report of a rate: log-densities near that of Exp(2), ln 2 − 1, and no regression's tables.
func TestRateReport(t *testing.T) {
	r := reportOn(t, model.Exponential("z").WithRange(.1, 10), fixedRates{regression.SufficientStatistics()}, dp.PureDP(1))
	l := lineOf(t, r, "mean log-density at the posterior mean (nats)")
	if len(r.Lines) != 1 || r.Baseline != nil || math.Abs(l.Release-(math.Ln2-1)) > .1 ||
		l.NonPrivate < l.Release-.02 || len(r.PublicTables()) != 4 {
		t.Fatalf("%+v", l)
	}
	checkReport(t, r, "mean log-density", "Posterior sample of 3")
}

// cut is a frame of n rows whose first rows have responses beyond the bounds [−1, 1], which reading moves there.
func cut(t *testing.T, n, beyond int) *frame.Frame {
	t.Helper()
	y := frame.Real("y", -1, 0, 1)
	y.OnOutOfDomain = frame.DomainClamp
	s := &frame.Schema{Dataset: "cut", Columns: []frame.Column{frame.Integer("x", -3.5, 0, 3.5), y}}
	var b strings.Builder
	b.WriteString("x,y\n")
	for i := range n {
		v := float64(i%19)/20 - .45
		if i < beyond {
			v += 5 * float64(i%2*2-1)
		}
		fmt.Fprintf(&b, "%d,%g\n", i%7-3, v)
	}
	return must.Get(frame.Read(t.Context(), strings.NewReader(b.String()), "cut", s))(t)
}

// The private part says how many training values lie at public bounds; what the public part says is the same whatever
// their number, byte by byte, and so are release, plan and certificate.
func TestValuesAtBoundsStayPrivate(t *testing.T) {
	const n = 900
	var sh *model.Shape
	var rel *release.Release
	var public []byte
	for i, beyond := range []int{0, 137} {
		f, test := cut(t, n, beyond), cut(t, 50, 3)
		if i == 0 {
			var err error
			if sh, err = model.NewShape(f.Schema(), model.LinearRegression("y", "x"), n, true, ""); err != nil {
				t.Fatal(err)
			}
		}
		st, err := model.Count(sh, f)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			p, err := regression.Sampler(3).Plan(t.Context(), sh, dp.PureDP(1))
			if err != nil {
				t.Fatal(err)
			}
			d := must.Get(p.Draw(t.Context(), st, "0123456789abcdef0123456789abcdef", dp.Seeded(2)))(t)
			if rel, err = release.New(t.Context(), p, d); err != nil {
				t.Fatal(err)
			}
		}
		report := must.Get(eval.NewReport(rel, st, test))(t)
		tables := report.PrivateTables()
		last := tables[len(tables)-1].String()
		training, held := fmt.Sprint(beyond), 2*50/7+1
		for _, word := range []string{"do not publish", "moved to the bound", "refused", training, fmt.Sprint(held)} {
			if !strings.Contains(last, word) {
				t.Errorf("no %q in\n%s", word, last)
			}
		}
		path := filepath.Join(t.TempDir(), "public.json")
		must.Do(t, report.SavePublic(path))
		got := must.Get(os.ReadFile(path))(t)
		if bytes.Contains(got, []byte("at a public bound")) || i > 0 && !bytes.Equal(got, public) {
			t.Error("the public part depends on the values at bounds")
		}
		public = got
		must.Do(t, report.Save(path))
		if got, err = os.ReadFile(path); err != nil || !bytes.Contains(got, []byte("at a public bound (private: do "+
			"not publish)")) {
			t.Error("the private part does not show them", err)
		}
	}
}
