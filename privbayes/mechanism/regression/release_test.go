package regression_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// wages is a table of 500 made-up rows: 10 dollars an hour and 2 more for every year of school beyond 8.
func wages() *frame.Frame {
	var wage, school []float64
	for i := range 500 {
		s := float64(i % 19)
		school = append(school, s)
		wage = append(wage, math.Max(10+2*(s-8)+float64(i*7%11-5), 0))
	}
	f, err := frame.FromColumns(&frame.Schema{Dataset: "wages",
		Columns: []frame.Column{frame.Real("wage", 0, 20, 50), frame.Real("school", 0, 9, 18)}},
		map[string]any{"wage": wage, "school": school})
	if err != nil {
		panic(err)
	}
	return f
}

func statistics(m model.Model) *model.Statistics {
	f := wages()
	sh, err := model.NewShape(f.Schema(), m, f.Len(), true, "")
	if err != nil {
		panic(err)
	}
	st, err := model.Count(sh, f)
	if err != nil {
		panic(err)
	}
	return st
}

// A release keeps plan and draw in a file, from which everything follows again; a file that claims more than it drew is
// found out.
func TestReleaseRoundTrip(t *testing.T) {
	st := statistics(model.LinearRegression("wage", "school"))
	for i, c := range []struct {
		m mechanism.Mechanism
		t dp.Request
	}{
		{regression.Sampler(30), dp.PureDP(2)}, {regression.Sampler(2).WithResidual(.1), dp.ZCDP(.5)},
		{regression.Sampler(1), dp.PureDP(1).Under(dp.AddRemove)}, {regression.Sampler(1), dp.AsPublished(3)},
		{regression.SufficientStatistics().Continuous(), dp.ApproxDP(1, 1e-6)},
		{regression.SufficientStatistics(), dp.RenyiDP(4, 1)},
		{regression.SufficientStatistics().Continuous().Plain(), dp.ZCDP(.1).Under(dp.AddRemove)},
	} {
		p, err := c.m.Plan(t.Context(), st.Shape(), c.t)
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Draw(t.Context(), st, "0123456789abcdef0123456789abcdef", dp.Seeded(5))
		if err != nil {
			t.Fatal(err)
		}
		r, err := release.New(t.Context(), p, d)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), fmt.Sprint(i, ".release.json"))
		if err := r.Save(path); err != nil {
			t.Fatal(err)
		}
		back, err := release.Load(t.Context(), path)
		if err != nil {
			t.Fatalf("%s: %v", p.Title(), err)
		}
		a, _, errA := r.Model().Forecast(wages())
		b, _, errB := back.Model().Forecast(wages())
		if errA != nil || errB != nil || fmt.Sprint(a[:20]) != fmt.Sprint(b[:20]) {
			t.Errorf("%s: forecasts changed: %v, %v", p.Title(), errA, errB)
		}
		v, err := release.Verify(t.Context(), path)
		if err != nil || !v.OK() {
			t.Fatalf("%s: %v\n%s", p.Title(), err, v)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, edit := range [][2]string{{`"variance"`, `"variance":1e9,"was"`}, {`"draws":`, `"draws":9`},
			{`"sigma"`, `"sigma":1e9,"was"`}, {`"real":[[`, `"real":[[1`}} {
			if !strings.Contains(string(raw), edit[0]) {
				continue
			}
			if err := os.WriteFile(path, []byte(strings.Replace(string(raw), edit[0], edit[1], 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			if v, err := release.Verify(t.Context(), path); err == nil && v.OK() {
				t.Errorf("%s: an edit of %s passes", p.Title(), edit[0])
			}
		}
	}
}

func ExampleSampler() {
	st := statistics(model.LinearRegression("wage", "school").WithRadius(1))
	p, err := regression.Sampler(20).Plan(context.Background(), st.Shape(), dp.PureDP(20))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Certified())
	fmt.Println("σ_eff² =", p.Setting("σ_eff²"))
	drawn, _ := p.Draw(context.Background(), st, "example", dp.Seeded(1)) // a seed: for examples only
	r, _ := release.New(context.Background(), p, drawn)
	mean, sd, _ := r.Model().Forecast(wages())
	fmt.Printf("12 years of school: %.0f ± %.0f dollars an hour\n", mean[12], sd[12])
	// Output:
	// ε = 20, replace-one, unit: "person", sampling: floating point
	// σ_eff² = 4 (scaled rows)
	// 12 years of school: 18 ± 2 dollars an hour
}

func ExampleNoisyStatistics_Continuous() {
	st := statistics(model.LinearRegression("wage", "school"))
	p, err := regression.SufficientStatistics().Continuous().Plan(context.Background(), st.Shape(), dp.ApproxDP(5, 1e-6))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Certified())
	drawn, _ := p.Draw(context.Background(), st, "example", dp.Seeded(1))
	r, _ := release.New(context.Background(), p, drawn)
	mean, sd, _ := r.Model().Forecast(wages())
	fmt.Printf("12 years of school: %.0f ± %.0f dollars an hour\n", mean[12], sd[12])
	// Output:
	// ε = 5, δ = 1e-6, replace-one, unit: "person", sampling: floating point
	// 12 years of school: 18 ± 3 dollars an hour
}

// Wages by school and region, with intervals in dollars an hour: the region is a factor, compared with its first level.
func ExampleSufficientStatistics() {
	var wage, school []float64
	var region []string
	for i := range 3000 {
		s, south := float64(i%19), i/19%2
		school, region = append(school, s), append(region, []string{"north", "south"}[south])
		wage = append(wage, 12+1.5*s-4*float64(south)+float64(i*7%11-5))
	}
	f, err := frame.FromColumns(&frame.Schema{Dataset: "wages", Columns: []frame.Column{frame.Real("wage", 0, 50),
		frame.Real("school", 0, 18), frame.Categorical("region", "north", "south")}},
		map[string]any{"wage": wage, "school": school, "region": region})
	if err != nil {
		fmt.Println(err)
		return
	}
	sh, _ := model.NewShape(f.Schema(), model.LinearRegression("wage", "school", "region"), f.Len(), true, "")
	st, _ := model.Count(sh, f)
	p, err := regression.SufficientStatistics().Plan(context.Background(), sh, dp.ApproxDP(1, 1e-6))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Certified())
	drawn, _ := p.Draw(context.Background(), st, "example", dp.Seeded(1)) // a seed: for examples only
	r, _ := release.New(context.Background(), p, drawn)
	d, _ := r.Model().CoefficientDraws()
	for i, name := range d.Names {
		fmt.Printf("%s: %.1f to %.1f\n", name, d.Quantile(i, .025), d.Quantile(i, .975))
	}
	_, cov, _ := r.Model().CoefficientCovariance()
	fmt.Println("intercept and school go against each other:", cov[0][1] < 0)
	// Output:
	// ε = 1, δ = 1e-6, replace-one, unit: "person", sampling: exact
	// intercept: 10.6 to 12.8
	// school: 1.5 to 1.6
	// region=south: -5.6 to -3.1
	// intercept and school go against each other: true
}
