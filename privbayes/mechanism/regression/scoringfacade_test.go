package regression_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// maximumLikelihood is the logistic regression of a column of two levels on numbers and factors of a frame, without
// privacy, by Newton's steps.
func maximumLikelihood(t *testing.T, f *privbayes.Frame, class string, features ...string) (beta, se []float64) {
	t.Helper()
	rows := f.Data()
	y, err := rows.Codes(class)
	x := make([][]float64, rows.Len())
	for i := range x {
		x[i] = []float64{1}
	}
	for _, name := range features {
		c, _, _ := rows.Schema().Column(name)
		if c.Numeric() {
			v, _ := rows.Values(name)
			for i := range x {
				x[i] = append(x[i], v[i])
			}
			continue
		}
		codes, _ := rows.Codes(name)
		for i := range x {
			row := make([]float64, c.Levels())
			row[codes.At(i)] = 1
			x[i] = append(x[i], row[1:]...)
		}
	}
	d := len(x[0])
	beta = make([]float64, d)
	var chol mat.Cholesky
	for range 15 {
		information, score := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
		for i, r := range x {
			odds := 0.0
			for j, v := range r {
				odds += v * beta[j]
			}
			p, row := 1/(1+math.Exp(-odds)), mat.NewVecDense(d, r)
			information.SymRankOne(information, p*(1-p), row)
			score.AddScaledVec(score, float64(y.At(i))-p, row)
		}
		var move mat.VecDense
		if err != nil || !chol.Factorize(information) || chol.SolveVecTo(&move, score) != nil {
			t.Fatal("no maximum", err)
		}
		for j := range beta {
			beta[j] += move.AtVec(j)
		}
	}
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil {
		t.Fatal(err)
	}
	for j := range beta {
		se = append(se, math.Sqrt(inverse.At(j, j)))
	}
	return beta, se
}

var partTime = privbayes.LogisticRegression("parttime", "education", "experience", "ethnicity", "smsa")

// The whole way on a real survey: budget, release, file, verification, intervals. The estimates are within five
// posterior deviations of those without privacy, which normal ones leave in one of 10^6 tables. At ε = 3 intervals are
// at most twice as wide as those without privacy.
func TestFisherScoringOnASurvey(t *testing.T) {
	rows := privbayes.ReadFrame(data.CPS1988())
	account, err := budget.New("cps1988", budget.UnitOf(rows.Data().Schema()), privbayes.ApproxDP(9, 1e-4))
	if err != nil {
		t.Fatal(err)
	}
	m := rows.WithBudget(account).Model(partTime)
	beta, se := maximumLikelihood(t, rows, "parttime", "education", "experience", "ethnicity", "smsa")
	spent := 0.0
	for eps, widest := range map[float64]float64{1: 4, 3: 2} {
		if testing.Short() && eps == 1 {
			continue
		}
		spent += eps
		path := filepath.Join(t.TempDir(), "part-time.release.json")
		p := m.Privatize(privbayes.FisherScoring(), privbayes.ApproxDP(eps, 1e-5), privbayes.KeepIn(path),
			privbayes.Seeded(1))
		r, err := p.Release()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Model().Unsampled(); err != nil {
			t.Fatal(err)
		}
		d, err := r.Model().CoefficientDraws()
		if err != nil {
			t.Fatal(err)
		}
		for j, want := range beta {
			mean, sd := d.Mean()[j], 0.0
			for _, v := range d.Values {
				sd += (v[j] - mean) * (v[j] - mean) / float64(d.Len())
			}
			if sd = math.Sqrt(sd); math.Abs(mean-want) > 5*sd || sd > widest*se[j] || sd < .8*se[j] {
				t.Errorf("ε = %v, %s: %.4g ± %.2g, without privacy %.4g ± %.2g", eps, d.Names[j], mean, sd, want, se[j])
			}
		}
		table, err := r.Model().Coefficients()
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"the log-odds of parttime", "2.5 %", "experience", "smsa=yes"} {
			if !strings.Contains(table.String(), word) {
				t.Errorf("no %q in\n%s", word, table)
			}
		}
		if strings.Contains(table.String(), "least squares") {
			t.Errorf("the estimate of moments is described:\n%s", table)
		}
		if v, err := privbayes.Verify(path); err != nil || !v.OK() {
			t.Error(v, err)
		}
		loaded, err := m.Privatize(privbayes.FisherScoring(), privbayes.ApproxDP(eps, 1e-5), privbayes.KeepIn(path),
			privbayes.Seeded(1)).Release()
		if err != nil || !reflect.DeepEqual(loaded.Real(), r.Real()) ||
			!reflect.DeepEqual(loaded.Model().Means(), r.Model().Means()) {
			t.Error("the kept release has other numbers", err)
		}
	}
	if e := float64(account.Spent().Epsilon); math.Abs(e-spent) > 1e-6 {
		t.Errorf("spent %v", account.Spent())
	}
}

// Too few rows get no release and are charged nothing. Those that are released anyway come with the warning that their
// intervals are the prior's, or that there are none.
func TestFisherScoringChargesNothingInVain(t *testing.T) {
	r, s := data.BreastCancer()
	rows := privbayes.ReadFrame(r, s)
	account, err := budget.New("breast_cancer", budget.UnitOf(s), privbayes.ApproxDP(9, 1e-4))
	if err != nil {
		t.Fatal(err)
	}
	features := privbayes.LogisticRegression("benign", "worst_radius", "worst_texture")
	m := rows.WithBudget(account).Model(features)
	var few *regression.NotWorthError
	if err := m.Privatize(privbayes.FisherScoring(), privbayes.ApproxDP(1, 1e-5)).Err(); !errors.As(err, &few) ||
		few.Rows != 569 || few.Terms != 3 || few.Want < 2500 || few.Want > 3500 {
		t.Error(err)
	}
	if n := len(account.Charges()); n != 0 {
		t.Errorf("%d charges", n)
	}
	p := m.Privatize(privbayes.FisherScoring().Anyway(), privbayes.ApproxDP(.1, 1e-5), privbayes.Seeded(2))
	if w := p.Warnings(); p.Err() != nil || !slices.ContainsFunc(w, func(w warning.Warning) bool {
		return w.Kind == warning.KindNoiseDrowns || w.Kind == warning.KindNoIntervals
	}) {
		t.Error(p.Err(), w)
	}
}

// A slope beyond three deviations of its prior is named, and a moderate one is not.
func TestSteepSlopesAreNamed(t *testing.T) {
	for _, c := range []struct {
		slope float64
		want  bool
	}{{7, true}, {2, false}} {
		lot := rand.New(rand.NewPCG(7, 7))
		var x []float64
		var y []string
		for range 20000 {
			v := 2*lot.Float64() - 1
			x, y = append(x, v), append(y, "no")
			if lot.Float64() < 1/(1+math.Exp(-c.slope*v)) {
				y[len(y)-1] = "yes"
			}
		}
		s := &frame.Schema{Dataset: "made up", Columns: []frame.Column{frame.Real("x", -1, 1),
			frame.Categorical("y", "no", "yes")}}
		f, err := frame.FromColumns(s, map[string]any{"x": x, "y": y})
		p := privbayes.WrapFrame(f, err).Model(privbayes.LogisticRegression("y", "x")).Privatize(privbayes.FisherScoring(),
			privbayes.ApproxDP(3, 1e-6), privbayes.Seeded(1))
		named := slices.ContainsFunc(p.Warnings(), func(w warning.Warning) bool {
			return w.Kind == warning.KindSteep && strings.Contains(w.Text, "x")
		})
		if p.Err() != nil || named != c.want {
			t.Errorf("slope %v: %v, %v", c.slope, p.Err(), p.Warnings())
		}
	}
}
