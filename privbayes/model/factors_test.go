package model_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func factorShape(t testing.TB, n int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "pay", Columns: []frame.Column{frame.Real("wage", 0, 20, 40), frame.Real("school", 0, 9, 18),
		frame.Categorical("region", "north", "south", "west"), frame.Categorical("union", "no", "yes")}}
	sh, err := model.NewShape(s, model.LinearRegression("wage", "region", "school", "union"), n, true, "")
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// Sums of rows with factors are exact: the same bits from blocks, from groups of equal rows and from merged parts, in
// any order.
func TestMomentsWithFactorsAreExactInEveryOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(r, "rows")
		sh := factorShape(t, n)
		type row struct {
			wage, school  float64
			region, union int32
		}
		rows := make([]row, n)
		for i := range rows {
			rows[i] = row{rapid.Float64Range(-5, 50).Draw(r, "wage"), rapid.Float64Range(0, 18).Draw(r, "school"),
				rapid.Int32Range(0, 2).Draw(r, "region"), rapid.Int32Range(0, 1).Draw(r, "union")}
		}
		fresh := func() *model.Tally {
			tally, err := model.NewTally(access.Mine(), sh)
			if err != nil {
				t.Fatal(err)
			}
			return tally
		}
		add := func(tally *model.Tally, rows []row) {
			for _, x := range rows {
				if err := tally.Group([]int32{0, x.region, 0, x.union}, []float64{x.wage, 0, x.school, 0}, 1); err != nil {
					t.Fatal(err)
				}
			}
		}
		all, head, tail := fresh(), fresh(), fresh()
		add(all, rows)
		cut := rapid.IntRange(0, n).Draw(r, "cut")
		slices.Reverse(rows)
		add(head, rows[:cut])
		add(tail, rows[cut:])
		if err := tail.Merge(head); err != nil {
			t.Fatal(err)
		}
		a, b := all.Numbers(access.Mine()), tail.Numbers(access.Mine())
		if !slices.Equal(a, b) {
			r.Fatal("parts in another order have other sums")
		}
	})
}

// Slopes of a factor are differences from its first level, in the units of the data; the bound on the norm of rows
// counts a factor once.
func TestFactorsAreComparedWithTheFirstLevel(t *testing.T) {
	const n = 600
	sh := factorShape(t, n)
	var wage, school []float64
	var region, union []string
	for i := range n {
		x, g, u := float64(i%19), i/19%3, i/57%2
		school, region = append(school, x), append(region, []string{"north", "south", "west"}[g])
		union = append(union, []string{"no", "yes"}[u])
		wage = append(wage, 8+.5*x+[]float64{0, 3, -2}[g]+4*float64(u)+float64(i*7%5-2)/4)
	}
	f, err := frame.FromColumns(sh.Schema(), map[string]any{"wage": wage, "school": school, "region": region, "union": union})
	if err != nil {
		t.Fatal(err)
	}
	st, err := model.Count(sh, f)
	if err != nil {
		t.Fatal(err)
	}
	if d := sh.Linear(); d.Dim() != 5 || d.Square() != 4 {
		t.Errorf("%d coordinates, squared norm %d", d.Dim(), d.Square())
	}
	fit, err := model.FitPrivately(access.Mine(), st)
	if err != nil {
		t.Fatal(err)
	}
	names, cov, err := fit.CoefficientCovariance()
	if err != nil {
		t.Fatal(err)
	}
	d, err := fit.CoefficientDraws()
	if err != nil {
		t.Fatal(err)
	}
	mean, want := d.Mean(), []float64{8, 3, -2, .5, 4}
	if !slices.Equal(names, []string{"intercept", "region=south", "region=west", "school", "union=yes"}) {
		t.Errorf("names %q", names)
	}
	for i, w := range want {
		if math.Abs(mean[i]-w) > .25 || !(cov[i][i] > 1e-6 && cov[i][i] < .02) {
			t.Errorf("%s: %.3f ± %.3f, want %g", names[i], mean[i], math.Sqrt(cov[i][i]), w)
		}
	}
	forecast, _, err := fit.Forecast(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if math.Abs(forecast[i]-wage[i]) > 1 {
			t.Fatalf("row %d: forecast %v of %v", i, forecast[i], wage[i])
		}
	}
	var bad *model.Error
	twice := &frame.Schema{Dataset: "x", Columns: []frame.Column{frame.Real("y", 0, 1), frame.Real("f=b", 0, 1),
		frame.Categorical("f", "a", "b"), frame.Categorical("one", "a")}}
	for _, features := range [][]string{{"f", "f=b"}, {"one"}, {"f", "f"}} {
		if _, err := model.NewShape(twice, model.LinearRegression("y", features...), 9, true, ""); !errors.As(err, &bad) {
			t.Errorf("%q: %v", features, err)
		}
	}
	if _, err := fit.Draws(), fit.Shape().Accepts(nil); !errors.As(err, &bad) {
		t.Error(err)
	}
}
