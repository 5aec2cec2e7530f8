package regression_test

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// census is the embedded survey with a cap on wages.
func census(t testing.TB) *privbayes.Frame {
	t.Helper()
	r, s := data.CPS1988()
	c, _, err := s.Column("wage")
	if err != nil {
		t.Fatal(err)
	}
	c.Max, c.OnOutOfDomain, c.Edges = 2000, frame.DomainClamp, []float64{0, 500, 1000, 2000}
	return privbayes.ReadFrame(r, s)
}

// The whole way on real wages, for both mechanisms: budget, release, file, verification; a coefficient table with mean,
// sd and interval; a predictive distribution that covers held-out wages about as often as it says; a squared error near
// that without privacy, which is shown as private.
func TestOnWages(t *testing.T) {
	rows := census(t)
	budget, err := budget.New("cps1988", budget.UnitOf(rows.Data().Schema()), privbayes.ApproxDP(20, 1e-5))
	if err != nil {
		t.Fatal(err)
	}
	train, test := rows.WithBudget(budget).Split(.7, 1)
	m := train.Model(privbayes.LinearRegression("wage", "education", "experience"))
	for name, c := range map[string]struct {
		mech   privbayes.Mechanism
		target privbayes.Target
	}{"sampler": {privbayes.LinearSampler(40).WithResidual(.1), privbayes.PureDP(15)},
		"moments": {privbayes.SufficientStatistics().Continuous(), privbayes.ApproxDP(1, 1e-6)}} {
		path := filepath.Join(t.TempDir(), "wages.release.json")
		p := m.Privatize(c.mech, c.target, privbayes.KeepIn(path), privbayes.Seeded(4))
		rel, err := p.Release()
		if err != nil {
			t.Fatal(err)
		}
		if v, err := privbayes.Verify(path); err != nil || !v.OK() {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		table, err := rel.Model().Coefficients()
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"intercept", "education", "experience", "mean", "sd", "2.5 %", "97.5 %"} {
			if !strings.Contains(table.String(), word) {
				t.Errorf("%s: no %q in\n%s", name, word, table)
			}
		}
		report, err := p.Evaluate(test)
		if err != nil {
			t.Fatal(err)
		}
		mse, _ := report.Line("mean squared error")
		coverage, _ := report.Line("coverage of 95 % intervals")
		density, ok := report.Line("log-density per row (nats)")
		if !ok || math.IsNaN(density.Release) || mse.Release < .99*mse.NonPrivate ||
			mse.Release > 1.2*mse.NonPrivate || coverage.Release < .9 {
			t.Errorf("%s: %+v", name, report.Lines)
		}
		for _, x := range report.PrivateTables() {
			if !strings.Contains(x.String(), "private: do not publish") {
				t.Errorf("%s: unmarked\n%s", name, x)
			}
		}
		if !strings.Contains(report.PrivateTables()[2].String(), "at a public bound") {
			t.Errorf("%s: the report does not count wages at the bound", name)
		}
	}
	if e := float64(budget.Spent().Epsilon); math.Abs(e-16) > 1e-6 {
		t.Errorf("spent %v", budget.Spent())
	}
}

// A feature twice, a constant one, and more features than rows are legal data under a proper prior, through the façade.
func TestRankDeficientThroughTheFacade(t *testing.T) {
	cols := map[string]any{"y": []float64{1, 4, 2, 8}, "a": []float64{1, 2, 3, 4}, "b": []float64{1, 2, 3, 4},
		"c": []float64{2, 2, 2, 2}, "d": []float64{0, 0, 0, 0}, "e": []float64{5, 1, 5, 1}}
	s := &frame.Schema{Dataset: "small", Columns: []frame.Column{frame.Real("y", 0, 5, 10)}}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		s.Columns = append(s.Columns, frame.Real(name, 0, 3, 5))
	}
	f, err := frame.FromColumns(s, cols)
	if err != nil {
		t.Fatal(err)
	}
	m := privbayes.WrapFrame(f, nil).Model(privbayes.LinearRegression("y"))
	for _, mech := range []privbayes.Mechanism{privbayes.LinearSampler(5), privbayes.SufficientStatistics().Continuous(),
		privbayes.SufficientStatistics(), privbayes.SufficientStatistics().Continuous().Plain()} {
		rel, err := m.Privatize(mech, privbayes.ApproxDP(1, 1e-6), privbayes.Seeded(2)).Release()
		if err != nil {
			t.Fatalf("%s: %v", mech.Title(), err)
		}
		table, err := rel.Model().Coefficients()
		if err != nil || strings.Contains(table.String(), "NaN") {
			t.Errorf("%s: %v\n%s", mech.Title(), err, table)
		}
	}
}

// Bad input is refused with a typed error that names the value and what was expected, before any data are touched: the
// refusals are the same for a table of no rows.
func TestBadInputThroughTheFacade(t *testing.T) {
	full := census(t)
	none, err := full.Data().Head(0)
	if err != nil {
		t.Fatal(err)
	}
	unbounded := full.Data().Schema().Clone()
	unbounded.Columns[1] = frame.Real("education", 0, 18)
	unbounded.Columns[1].Max = math.Inf(1)
	wage := privbayes.LinearRegression("wage", "education")
	for name, c := range map[string]struct {
		model  privbayes.ModelSpec
		mech   privbayes.Mechanism
		target privbayes.Target
		as     any
		says   string
	}{
		"b = 0": {wage.WithPrior(0), privbayes.LinearSampler(1), privbayes.PureDP(1),
			new(*model.Error), "b = 0"},
		"b < 0": {wage.WithPrior(-2), privbayes.SufficientStatistics().Continuous(), privbayes.ZCDP(1),
			new(*model.Error), "-2"},
		"b = NaN": {wage.WithPrior(math.NaN()), privbayes.LinearSampler(1), privbayes.PureDP(1),
			new(*model.Error), "NaN"},
		"B = 0": {wage.WithRadius(0), privbayes.LinearSampler(1), privbayes.PureDP(1),
			new(*model.Error), "B = 0"},
		"B < 0": {wage.WithRadius(-1), privbayes.LinearSampler(1), privbayes.PureDP(1),
			new(*model.Error), "B = -1"},
		"B = ∞": {wage.WithRadius(math.Inf(1)), privbayes.SufficientStatistics().Continuous(), privbayes.ZCDP(1),
			new(*model.Error), "finite bound"},
		"no numbers": {privbayes.LinearRegression("region", "wage"), privbayes.LinearSampler(1),
			privbayes.PureDP(1), new(*model.Error), "region"},
		"twice": {privbayes.LinearRegression("wage", "wage"), privbayes.LinearSampler(1),
			privbayes.PureDP(1), new(*model.Error), "named twice"},
		"unknown column": {privbayes.LinearRegression("wage", "height"), privbayes.LinearSampler(1),
			privbayes.PureDP(1), new(*frame.ColumnError), "height"},
		"no draws": {wage, privbayes.LinearSampler(0), privbayes.PureDP(1), new(*dp.ParameterError),
			"draws"},
		"pure ε of noise": {wage, privbayes.SufficientStatistics().Continuous(), privbayes.PureDP(1),
			new(*mechanism.UnsupportedError), "LinearSampler(N)"},
		"below what a float is": {wage, privbayes.LinearSampler(1), privbayes.PureDP(1e-320),
			new(*mechanism.UnmetTarget), "no target is below a floor"},
		"lattice too coarse": {wage, privbayes.SufficientStatistics(), privbayes.ZCDP(1e-30),
			new(*mechanism.UnmetTarget), "weaker target"},
	} {
		var messages []string
		for _, f := range []*privbayes.Frame{full, privbayes.WrapFrame(none, nil)} {
			_, err := f.Model(c.model).Privatize(c.mech, c.target, privbayes.Seeded(1)).Release()
			if !errors.As(err, c.as) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %T %v, want %T saying %q", name, err, err, c.as, c.says)
				continue
			}
			messages = append(messages, err.Error())
		}
		if len(messages) == 2 && messages[0] != messages[1] {
			t.Errorf("%s: the refusal depends on the data: %q, %q", name, messages[0], messages[1])
		}
	}
	// bounds missing: no schema without them is read, nor a model made on one
	if _, err := model.NewShape(unbounded, wage, 10, true, ""); err == nil ||
		!strings.Contains(err.Error(), "bounds") && !strings.Contains(err.Error(), "max") {
		t.Error(err)
	}
}
