package regression_test

import (
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

var partTimeFactors = privbayes.LogisticRegression("parttime", "ethnicity", "smsa", "region")

// The whole way on a real survey under pure ε-DP, n public and private: budget, release, file, verification, intervals,
// a test of a term. The estimates are within five posterior deviations of those without privacy, which normal ones
// leave in one of 10^6 tables, and the seed is fixed; intervals are at most a fifth wider than those.
func TestTablesOnASurvey(t *testing.T) {
	rows := privbayes.ReadFrame(data.CPS1988())
	beta, se := maximumLikelihood(t, rows, "parttime", "ethnicity", "smsa", "region")
	for _, target := range []privbayes.Target{privbayes.PureDP(1), privbayes.PureDP(1).Under(privbayes.AddRemove)} {
		unit := budget.UnitOf(rows.Data().Schema())
		account := must.Get(budget.New("cps1988", unit, privbayes.PureDP(3).Under(target.Adjacency)))(t)
		m := rows.WithBudget(account).Model(partTimeFactors)
		path := filepath.Join(t.TempDir(), "part-time.release.json")
		r := must.Get(m.Privatize(privbayes.ContingencyTable(), target, privbayes.KeepIn(path),
			privbayes.Seeded(1)).Release())(t)
		must.Do(t, r.Model().Unsampled())
		d := must.Get(r.Model().CoefficientDraws())(t)
		for j, want := range beta {
			mean, sd := d.Mean()[j], 0.0
			for _, v := range d.Values {
				sd += (v[j] - mean) * (v[j] - mean) / float64(d.Len())
			}
			if sd = math.Sqrt(sd); math.Abs(mean-want) > 5*sd || sd > 1.2*se[j] || sd < .85*se[j] {
				t.Errorf("%v, %s: %.4g ± %.2g, without privacy %.4g ± %.2g", target, d.Names[j], mean, sd, want, se[j])
			}
		}
		table := must.Get(r.Model().Coefficients())(t).String()
		for _, word := range []string{"the log-odds of parttime", "2.5 %", "smsa=yes", "region=west"} {
			if !strings.Contains(table, word) {
				t.Errorf("no %q in\n%s", word, table)
			}
		}
		_, how, err := r.Intervals(t.Context(), .95)
		if err != nil || !strings.Contains(how, "noisy counts") {
			t.Error(how, err)
		}
		if test := must.Get(r.Test(privbayes.Term("region")))(t); test.K != 3 || test.P > .01 {
			t.Errorf("%+v", test)
		}
		if v, err := privbayes.Verify(path); err != nil || !v.OK() {
			t.Error(v, err)
		}
		loaded := must.Get(m.Privatize(privbayes.ContingencyTable(), target, privbayes.KeepIn(path),
			privbayes.Seeded(1)).Release())(t)
		if !reflect.DeepEqual(loaded.Raw(), r.Raw()) || !reflect.DeepEqual(loaded.Model().Means(), r.Model().Means()) {
			t.Error("the kept release has other numbers")
		}
		if e := float64(account.Spent().Epsilon); math.Abs(e-1) > 1e-6 || len(account.Charges()) != 1 {
			t.Errorf("spent %v", account.Spent())
		}
	}
}

// A public table of too few rows is charged nothing; a private one is released, and warns by its noisy counts. Where
// rows suffice there is no warning.
func TestSmallTablesAreNamed(t *testing.T) {
	s := &frame.Schema{Dataset: "exam", Columns: []frame.Column{frame.Categorical("pass", "no", "yes"),
		frame.Categorical("school", "north", "south"), frame.Categorical("year", "1", "2", "3")}}
	columns := map[string]any{}
	for i, c := range s.Columns {
		var values []string
		for r := range 100 {
			values = append(values, c.Categories[r/(i*i+1)%len(c.Categories)])
		}
		columns[c.Name] = values
	}
	f, err := frame.FromColumns(s, columns)
	rows, graded := privbayes.WrapFrame(f, err), privbayes.LogisticRegression("pass", "school", "year")
	account := must.Get(budget.New("exam", budget.UnitOf(s), privbayes.PureDP(9)))(t)
	m := rows.WithBudget(account).Model(graded)
	var few *regression.NotWorthError
	if err := m.Privatize(privbayes.ContingencyTable(), privbayes.PureDP(.6)).Err(); !errors.As(err, &few) ||
		few.Rows != 100 || few.Cells != 6 || few.Want != 300 {
		t.Errorf("%+v", few)
	}
	if n := len(account.Charges()); n != 0 {
		t.Errorf("%d charges", n)
	}
	warned := func(m privbayes.Mechanism, target privbayes.Target) bool {
		p := rows.Model(graded).Privatize(m, target, privbayes.Seeded(2))
		must.Do(t, p.Err())
		return slices.ContainsFunc(p.Warnings(), func(w warning.Warning) bool { return w.Kind == warning.KindFewRows })
	}
	if !warned(privbayes.ContingencyTable(), privbayes.PureDP(.3).Under(privbayes.AddRemove)) ||
		warned(privbayes.ContingencyTable().Anyway(), privbayes.PureDP(.6)) ||
		warned(privbayes.ContingencyTable(), privbayes.PureDP(2).Under(privbayes.AddRemove)) {
		t.Error("the warning is not where it should be")
	}
}
