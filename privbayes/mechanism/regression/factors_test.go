package regression_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
)

// Wages by education, experience, region and ethnicity go the whole way: plan, file, verification, coefficients in
// dollars a week, report and figures, with n public and private; forecasts are near those without privacy.
func TestFactorsOnWages(t *testing.T) {
	m := privbayes.LinearRegression("wage", "education", "region", "experience", "ethnicity").WithRadius(3)
	for name, c := range map[string]struct {
		mech   privbayes.Mechanism
		target privbayes.Target
	}{"moments": {privbayes.SufficientStatistics(), privbayes.ApproxDP(1, 1e-6)},
		"private n":      {privbayes.SufficientStatistics(), privbayes.ApproxDP(2, 1e-6).Under(privbayes.AddRemove)},
		"floating point": {privbayes.SufficientStatistics().Continuous(), privbayes.ApproxDP(1, 1e-6)},
		"sampler":        {privbayes.LinearSampler(20), privbayes.PureDP(40)}} {
		rows := census(t)
		limit, err := budget.New("cps1988", budget.UnitOf(rows.Data().Schema()), c.target)
		if err != nil {
			t.Fatal(err)
		}
		if !c.target.Adjacency.PublicN() {
			rows = rows.WithoutN()
		}
		train, test := rows.WithBudget(limit).Split(.7, 1)
		path := filepath.Join(t.TempDir(), "wages.release.json")
		p := train.Model(m).Privatize(c.mech, c.target, privbayes.KeepIn(path), privbayes.Seeded(4))
		rel, err := p.Release()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if v, err := privbayes.Verify(path); err != nil || !v.OK() {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		draws, err := rel.Model().CoefficientDraws()
		if err != nil {
			t.Fatal(err)
		}
		if slope, ok := draws.Parameter("ethnicity=afam"); !ok || len(slope) == 0 {
			t.Errorf("%s: coefficients %q", name, draws.Names)
		}
		table, err := rel.Model().Coefficients()
		if err != nil || !strings.Contains(table.String(), "Levels of region are compared with") {
			t.Errorf("%s: %v\n%s", name, err, table)
		}
		report, err := p.Evaluate(test)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if bounds := report.PrivateTables()[2].String(); strings.Contains(bounds, "region") ||
			!strings.Contains(bounds, "experience") {
			t.Errorf("%s: a factor has no bounds\n%s", name, bounds)
		}
		mse, ok := report.Line("mean squared error")
		if !ok || !(mse.Release > .98*mse.NonPrivate && mse.Release < 1.05*mse.NonPrivate) {
			t.Errorf("%s: %+v", name, mse)
		}
		if len(report.Figures()) == 0 {
			t.Errorf("%s: no figures", name)
		}
	}
}
