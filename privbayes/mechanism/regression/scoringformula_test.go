package regression_test

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// visitsOf simulates n rows of counts, cut at 12, whose log-rate is .2 + .6u + .4·(town = south) − .3·(town = west) +
// .5u·(town = south), u age on its half-range, and classes with the log-odds of 2·log-rate − 1.
func visitsOf(t testing.TB, n int) *frame.Frame {
	t.Helper()
	src := dp.Seeded(8)
	age, town, times, ill := make([]float64, n), make([]string, n), make([]float64, n), make([]string, n)
	for i := range n {
		level, u := sample.Uniform(src, 3), 2*sample.Float64(src)-1
		rate := .2 + .6*u + []float64{0, .4 + .5*u, -.3}[level]
		p, term := sample.Float64(src), math.Exp(-math.Exp(rate))
		for ; p > term && times[i] < 12; term *= math.Exp(rate) / times[i] {
			p -= term
			times[i]++
		}
		age[i], town[i], ill[i] = 50+40*u, []string{"north", "south", "west"}[level], "no"
		if sample.Float64(src) < 1/(1+math.Exp(1-2*rate)) {
			ill[i] = "yes"
		}
	}
	s := &frame.Schema{Dataset: "visits", Columns: []frame.Column{frame.Categorical("ill", "no", "yes"),
		frame.Categorical("town", "north", "south", "west"), frame.Real("age", 10, 90), frame.Real("times", 0, 12)}}
	return must.Get(frame.FromColumns(s, map[string]any{"ill": ill, "town": town, "age": age, "times": times}))(t)
}

// visitSlopes are the log-rates per half-range of age; log-odds are twice as much.
var visitSlopes = map[string]float64{"age": .6, "age:town=south": .5, "age:town=west": 0}

// Released coefficients of formulas are near the truth: of counts and of classes, with n public and private, with units
// of one row and of two. A file holds the canonical formula, verifies, and gives the same draws. Seven posterior
// deviations are left by one of 10^11 coefficients of a normal posterior.
func TestScoringReleasesOfFormulas(t *testing.T) {
	f := visitsOf(t, 20000)
	for _, m := range []model.Model{privbayes.PoissonRegression("times ~ age*town"),
		privbayes.Logistic("ill ~ age*town")} {
		for _, target := range []privbayes.Target{privbayes.ApproxDP(2, 1e-6),
			privbayes.ZCDP(.2).Under(privbayes.AddRemove)} {
			if testing.Short() && (target.Adjacency == privbayes.AddRemove) != (m.Target() == "ill") {
				continue
			}
			path := filepath.Join(t.TempDir(), "visits.release.json")
			p := privbayes.WrapFrame(f, nil).Model(m).Privatize(privbayes.FisherScoring(), target, privbayes.KeepIn(path),
				privbayes.Seeded(4))
			r := must.Get(p.Release())(t)
			if err := r.Model().Unsampled(); err != nil {
				t.Fatalf("%v, %v: %v", m, target, err)
			}
			near(t, m, r)
			raw := strings.ReplaceAll(string(must.Get(r.JSON())(t)), `": `, `":`)
			for _, text := range []string{`"formula":"` + m.Target() + ` ~ age*town"`,
				`"sigma2_steps"`} {
				if !strings.Contains(raw, text) {
					t.Errorf("no %s in the file", text)
				}
			}
			if v, err := privbayes.Verify(path); err != nil || !v.OK() {
				t.Error(v, err)
			}
			again := must.Get(privbayes.LoadRelease(path))(t)
			if !slices.Equal(must.Get(again.Model().CoefficientDraws())(t).Mean(),
				must.Get(r.Model().CoefficientDraws())(t).Mean()) {
				t.Error("a file's coefficients are others")
			}
		}
	}
}

// near compares released slopes with the truth, for one year more.
func near(t *testing.T, m model.Model, r *privbayes.Release) {
	t.Helper()
	d, times := must.Get(r.Model().CoefficientDraws())(t), 1/40.
	if m.Target() == "ill" {
		times *= 2
	}
	for i, name := range d.Names {
		want, slope := visitSlopes[name]
		want *= times
		if mean, sd := spreadOf(d, i); slope && (math.Abs(mean-want) > 7*sd || sd > .02 || sd < 1e-4) {
			t.Errorf("%v: %s is %.4g ± %.2g, want %.4g", m, name, mean, sd, want)
		}
	}
	table := must.Get(r.Model().Coefficients())(t).String()
	for _, word := range []string{"Coefficients of the log-", "2.5 %", "age:town=south",
		"Levels of town are compared with north"} {
		if !strings.Contains(table, word) {
			t.Errorf("no %q in\n%s", word, table)
		}
	}
}

func spreadOf(d *model.Draws, i int) (mean, sd float64) {
	mean = d.Mean()[i]
	for _, v := range d.Values {
		sd += (v[i] - mean) * (v[i] - mean) / float64(d.Len())
	}
	return mean, math.Sqrt(sd)
}

// A formula of main effects releases what the model by names does: the same design, on its own grid. Without noise
// to speak of both have the coefficients of maximum likelihood.
func TestFormulaOfMainEffects(t *testing.T) {
	rows := privbayes.ReadFrame(data.CPS1988())
	var means [][]float64
	for _, m := range []privbayes.ModelSpec{privbayes.LogisticRegression("parttime", "education", "experience", "smsa"),
		privbayes.Logistic("parttime ~ education + experience + smsa")} {
		r := must.Get(rows.Model(m).Privatize(privbayes.FisherScoring(), privbayes.ApproxDP(200, 1e-5),
			privbayes.Seeded(1)).Release())(t)
		d := must.Get(r.Model().CoefficientDraws())(t)
		var z []float64
		for i := range d.Names {
			mean, sd := spreadOf(d, i)
			z = append(z, mean, sd)
		}
		means = append(means, z)
	}
	for i := 0; i < len(means[0]); i += 2 {
		if a, b, sd := means[0][i], means[1][i], means[0][i+1]; math.Abs(a-b) > sd/4 {
			t.Errorf("coefficient %d: %v by names, %v by a formula, ± %v", i/2, a, b, sd)
		}
	}
}

// A release without intervals is evaluated: its estimate stands next to the fit without privacy.
func TestEvaluationWithoutIntervals(t *testing.T) {
	train, test := privbayes.ReadFrame(data.CPS1988()).Split(.9, 1)
	p := train.Model(privbayes.PoissonRegression("education ~ experience + smsa")).
		Privatize(privbayes.FisherScoring(), privbayes.ApproxDP(4, 1e-5), privbayes.Seeded(1))
	if r, err := p.Release(); err != nil || r.Model().Unsampled() == nil {
		t.Fatal("intervals, or no release", err)
	}
	report, err := p.Evaluate(test)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"No interval is shown", "deviance per row", "maximum likelihood",
		"Coefficients, released and"} {
		if !strings.Contains(report.String(), word) {
			t.Errorf("no %q in\n%s", word, report)
		}
	}
	for _, f := range report.Figures() { // those of residuals are of the held-out rows, and not of the release
		if strings.Contains(f.Subtitle, "95 %") && !strings.HasPrefix(f.Title, "Mean residuals") {
			t.Errorf("a figure speaks of intervals: %s", f.Subtitle)
		}
	}
}

// What the steps cannot release is refused by type, before anything is charged: other mechanisms name the one that
// does.
func TestScoringOfFormulasRefuses(t *testing.T) {
	f := visitsOf(t, 300)
	rows := privbayes.WrapFrame(f, nil)
	approx := privbayes.ApproxDP(1, 1e-6)
	counts := privbayes.PoissonRegression("times ~ age")
	for _, c := range []struct {
		m      privbayes.ModelSpec
		by     privbayes.Mechanism
		target privbayes.Target
		as     any
		words  string
	}{
		{counts, privbayes.FisherScoring(), approx, new(*regression.NotWorthError), "at least"},
		{counts, privbayes.FisherScoring().Anyway(), privbayes.PureDP(1), new(*mechanism.UnsupportedError), "(ε, δ)"},
		{counts, privbayes.SufficientStatistics(), approx, new(*mechanism.UnsupportedError), "FisherScoring"},
		{counts, privbayes.LinearSampler(1), privbayes.PureDP(1), new(*mechanism.UnsupportedError), ""},
		{privbayes.Linear("age ~ times"), privbayes.FisherScoring().Anyway(), approx, new(*mechanism.UnsupportedError),
			"PoissonRegression"},
		{privbayes.Logistic("ill ~ age:town"), privbayes.FisherScoring(), approx, new(*privbayes.FormulaError),
			"no term of its own"},
	} {
		err := rows.Model(c.m).Privatize(c.by, c.target).Err()
		if !errors.As(err, c.as) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%v by %s: %v", c.m, c.by.Name(), err)
		}
	}
	sh := must.Get(model.NewShape(f.Schema(), counts, 300, true, ""))(t)
	st := must.Get(model.FromSums(sh, 300, make([]float64, len(sh.Sums()))))(t)
	if _, err := model.FitPrivately(access.Mine(), st); !errors.As(err, new(*model.Error)) {
		t.Errorf("a fit to sums: %v", err)
	}
}
